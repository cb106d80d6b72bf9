"""A literature of a seed: materials, what papers say of each, the papers, and the corpus that holds them.

- `materials`: formulas drawn so that none tells its class; `stories`: what is reported of each, and what is true
- `papers`: the papers of a story, set as those of supercon-extraction; ``sentences.toml``: how they say it
- `corpus`: all papers of a seed as PDFs and as one searchable file
"""
