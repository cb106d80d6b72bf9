"""Generated repositories of science, with exact truth. In the order things happen:

- `taxonomy`: the fields of science, their words and quantities
- `numbers`, `elementary`: random numbers by address; logarithm and exponential with the same bits everywhere
- `specification`, `design`: what a repository is; from its number to that
- `layout`, `paths`: the tree of folders and names, and how a path is read back
- `expressions`, `effects`, `distributions`: from what a column depends on to its numbers
- `columns`, `values`: cells, as integers and as they are written; `encoding`: the bytes of a file
- `wording`: title and README; `repository`: all of it, for tools and truths
- `hard`: repositories as people leave them, one question each
- `digest`: one hash of everything, to compare machines
"""
