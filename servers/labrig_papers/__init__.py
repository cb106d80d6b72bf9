"""Values with exact evidence out of scientific PDFs: rooms that work without MCP, and their face.

- `attribution`: whose value it is, and of which material.
- `evidence`: quotes held against the text of a paper.
- `checks`: values against each other, against physics, and a whole extraction.
- `corpus`: a reader's own papers as one searchable file.
- `fetching`: papers that are named by an address, fetched once.
- `literature`: services that know works, DOIs and free copies.
- `materials`: formulas and space groups, in any writing.
- `pdf`: PDF files as pages of marked-up text, of which every character has its box.
- `precedents`: whether a material was ever found superconducting, by what papers say in so many words.
- `properties`: the closed list of property names, and what other names mean.
- `quantities`: values in marked text and in cells, with what surrounds them.
- `server`: the MCP face.
- `values`: numbers, units and values as papers print them.
"""
