"""What the store of artifacts is made of.

- `contents`: a file or a folder, read through descriptors: what it holds, its hash, a copy of it
- `holds`: locks, by which processes know what others of them use
"""
