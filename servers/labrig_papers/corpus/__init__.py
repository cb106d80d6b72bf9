"""A reader's own papers as one searchable file: ``python -m labrig_papers.corpus add FOLDER``.

- `mentions`: the formulas that a text names, each by a key that does not depend on how it is written
- `store`: the file, SQLite with a full-text index; `searching`: documents by words and formulas
- `adding`: a folder of PDFs into the file
"""
