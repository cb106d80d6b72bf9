"""Running PHREEQC.

- `engine`: where runs wait for a place, and the fork server that solves them
- `run`: limits and result of a run; `results`: from what a child sent to a `Run`; `messages`: errors and warnings
- `forkclient`: our half of the fork server; `forkserver`: its program; `iphreeqc`: the library, by ctypes
- `library`: which PHREEQC library is used
"""
