"""Quantities in marked text: every value with its unit, where it stands, in which sentence, near which formula.

- `scanning`: where numbers with units stand in a text.
- `designations`: numbers that name a thing and are no values.
- `candidates`: a value with what an agent needs to choose it; `naming`: the quantity that a text names for it.
- `conditions`: the temperature, field and pressure at which a value holds.
- `finding`: candidates with all of that, and values of the same dimension side by side.
- `tabled`: values in the cells of tables.
- `cells`: a cell of a table, whose unit may stand in the head of its column.
- `placing`: where on a page tables and captions stand, for the values in them.
"""
