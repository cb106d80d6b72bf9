"""Running PHREEQC.

- `engine`: where runs wait for a place, and the fork server that solves them
- `run`: limits and result of a run; `results`: from what a child sent to a `Run`; `messages`: errors and warnings
- `forkclient`: our half of the fork server; `solver`: its program, with `forkserver` and `solving`; `frames`: what
  goes over a run's socket; `iphreeqc`: the library, by ctypes
- `closing`: what a run is closed in by; `basic_words`: PEEK and POKE, switched off
- `library`: which PHREEQC library is used
"""
