"""PHREEQC's databases.

- `databases`: which are installed, with release and hash; `setup`: how they get here
- `catalogue`: elements, species and phases of one; `log_k`: constants at a temperature; `valences`: redox states
- `definitions`: what an input defines on top of a database
- `isotopes`: which are entered in delta notation
- `lookup`: the answers of look_up
"""
