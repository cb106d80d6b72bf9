"""Papers that a caller names by an address: fetched once, and kept while the server lives.

- `addresses`: which names are addresses, and the service that is asked for arXiv numbers.
- `downloads`: fetching them through `labrig.http`, and what is kept.
"""
