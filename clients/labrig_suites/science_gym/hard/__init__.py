"""The hard tier: repositories as people leave them, one question each.

- `asking`: sets from a seed; `truth`: the answer from the cells; `solver`: the answer from the files, in the sandbox
- `wording`: the question, composed by the grammar of `frames.toml`
"""
