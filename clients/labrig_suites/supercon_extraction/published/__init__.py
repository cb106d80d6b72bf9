"""The published set as it is: the 97 properties that it asks for, the units of its curators, its scorer's way to read.

- `properties`: names, categories, rules (``properties.csv``, appendix F of the paper and the columns of SuperCon)
- `units`: spellings of units, what the scorer takes them for and what they mean (``units.toml``)
- `numbers`, `materials`, `groups`: values, formulas and space groups as the published scorer reads them
"""
