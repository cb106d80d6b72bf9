"""Whose value it is, and of which material.

- `sentences`: the sentence or the row that a place is in
- `standing`: measured, calculated or cited; denied
- `carrying`: a sentence that goes on about what one before it cites
- `samples`: the material, as a sentence pairs it with values, else the nearest that is named
- `magnets`: whether T_{C} is a Curie temperature
- `transitions`: which temperatures of a clause are those of a transition to superconductivity
- `rows`: rows of a table that name material and source of those below; captions that cite by material
"""
