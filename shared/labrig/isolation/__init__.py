"""Programs and children under limits: what may crash, loop or print does so elsewhere, and ends with us.

- `process`: one program under limits, its end told; `streams`: what goes to it and comes from it
- `supervision`: the program between us and it, which outlives neither
- `warm`: a fork server as its host sees it; `boot`: how it starts; `inside`: its loop, and the walls of its children
- `sharing`: the machine's processors, shared between the owners of runs
- `closing`: a child closes itself in before it reads what others have made
- `children`: warm children: a module that answers questions, each in a process of its own
"""
