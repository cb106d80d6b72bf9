"""TerraBench: long workflows over Earth-system data, scored by their process and by their numbers.

- `metrics`: every metric of the paper as a pure function, and those of its public code
"""
