"""Running PHREEQC.

- `engine`: where runs wait for a place, and the fork server that solves them
- `run`: the numbers of a run's limits, and its result; `results`: from what a child sent to a
  `Run`; `messages`: errors and warnings
- `forkclient`: our half of the fork server; `solver`: its program, with `forkserver` and `solving`; `touching`: memory
  copied before its run; `frames`: what goes over a run's socket; `iphreeqc`: the library, by ctypes
- `closing`: what limits processor time and memory, and the other walls of a run, system calls among them (wall time:
  `forkserver`); `basic_words`: PEEK and POKE, switched off
- `library`: which PHREEQC library is used
"""
