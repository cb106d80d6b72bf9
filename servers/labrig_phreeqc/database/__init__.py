"""PHREEQC's databases.

- `databases`: which are installed, with release and hash; `setup`: how they get here
- `catalogue`: elements, species and phases of one; `reading`: from its text; `formulas`: their weight, charge, elements
- `log_k`: constants at a temperature; `valences`: redox states
- `definitions`: what an input defines on top of a database
- `isotopes`: those entered as ratios, their units and elements
- `lookup`: the answers of look_up
"""
