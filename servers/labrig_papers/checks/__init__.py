"""Checks of extracted values: against each other, against physics, and of a whole extraction.

- `comparing`: two values within 0.1 % in SI, qualifiers and kinds included.
- `consistency`: relations between values of one superconductor; flags with numbers and likely slips of units.
- `schema`: the fields of the extraction that the paper asks for.
- `validating`: an extraction against schema, pages, quotes, units, names and formulas; machine-readable fixes.
"""
