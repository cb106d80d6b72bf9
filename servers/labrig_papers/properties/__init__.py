"""Names of properties: the closed list of the paper on extraction, and what other names mean the same.

- `properties.toml`: the 97 names in 8 categories with quantity, facets, dimension and rule; other names.
- `listing`: that table, read.
- `facets`: under which conditions a quantity holds: criterion, sample, orientation, temperature, pressure, field.
- `matching`: the three names of the list that a name may mean, with reasons; differing facets forbid a match.
"""
