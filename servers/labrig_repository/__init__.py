"""Scientific repositories for agents: real folders and generated ones, behind the same tools.

- `server`: the MCP face
- `folder`: a tree of files: real ones, and what is done with any: listing, searching, names
- `viewing`: pictures and pages of PDFs, drawn behind walls
- `gym`: repositories that a seed generates, every cell of them known
"""
