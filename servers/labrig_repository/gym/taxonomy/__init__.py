"""What the repositories of the gym are about: 22 fields with their domains, subdomains and the words of designs.

- `field`: a field and its words; `loading`: from the data files to fields
"""
