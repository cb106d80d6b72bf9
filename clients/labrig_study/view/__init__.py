"""An output folder in a browser while its runs go on, and after: `labrig view DIR`.

- `watching`: what the folder holds at the moment, each record read once
- `pages`: the list and a record as HTML, by the templates of the report
- `serving`: the pages on 127.0.0.1, and an event where something has changed
"""
