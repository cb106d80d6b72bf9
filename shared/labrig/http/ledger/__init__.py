"""What was asked of services and what they answered, kept so that the same can be answered again.

- `ledger`: the SQLite file: recording, reading, pruning
- `schema`, `rows`, `reader`: its tables; an exchange as rows and back; reading while others write
- `bodies`: large bodies, as files beside it
- `errors`: what may be wrong with such a file, told
- `nearest`: which recorded request comes nearest to one that is not there
- `export`, `har`: exchanges as HAR and other files
"""
