"""Records in and out of an output folder: import, export, and one item on a console.

- `importing`, `tables`: logs and tables of results, as records; `opening`: the runs of a file; `harbor`: what the
  folder of a trial says of its trajectory; `keeping`: what both
  write
- `exporting`: records as ATIF or Inspect's logs; `showing`: one record on a console
"""
