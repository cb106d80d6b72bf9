"""Trees of files that can be looked at and not changed.

- `store`: what a repository is, real or generated
- `folder`: a real one, which nothing leads out of
- `names`: how names are written for a reader, and which path a reader means
- `listing`, `searching`: what the tools say of a tree; `contents`: what the search reads of a file, and keeps;
  `together`: descriptions of many tables as one; `hierarchy`: a folder that is a Zarr hierarchy, as one file
"""
