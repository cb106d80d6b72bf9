"""PHREEQC's input language.

- `statements`: an input as keyword blocks and lines
- `solutions` (`solution`, `solution_lines`, `solution_spread`): what its SOLUTIONs say
- `screening`: what it asks of the file system or of memory, refused or explained; `basic`: words of its programs
"""
