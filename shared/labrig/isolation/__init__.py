"""Programs and children under limits: what may crash, loop or print does so elsewhere, and ends with us.

- `process`: one program under limits, its end told
- `supervision`: the program between us and it, which outlives neither
- `boot`: how a fork server starts; `inside`: its loop, and the walls around its children
- `closing`: a child closes itself in before it reads what others have made
- `child`: one protocol for children of ours: JSON in, bytes out, a refusal as JSON
"""
