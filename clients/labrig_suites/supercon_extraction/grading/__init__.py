"""When predicted properties are right. Nothing here needs a server, a socket or a package beside the standard library.

- `payload`: what was committed, read with care
- `text`: printed forms brought to one; `units`, `values`: numbers with units, in SI
- `formulas`, `symmetry`, `names`: compositions, space groups and names of properties, compared
- `evidence`: quotes held against the text of pages
- `assignment`: the largest matching of predictions and truths
- `strict`: the definition as it should be; `literal`: the published one, read literally; `counts`: F1 and its parts
- `kinds`: why a prediction is wrong
"""
