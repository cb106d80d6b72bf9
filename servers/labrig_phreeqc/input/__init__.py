"""PHREEQC's input language.

- `statements`: an input as keyword blocks and lines
- `solutions` (`solution`, `solution_lines`, `solution_spread`): what its SOLUTIONs say
- `user_graph`: what its USER_GRAPHs say of their charts
- `screening`: what it asks of the file system or of memory, refused or explained; `basic`: words of its programs
"""
