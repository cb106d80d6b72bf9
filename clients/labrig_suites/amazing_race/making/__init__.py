"""Legs of our own: from a world's pages and tools to stops, a riddle, and the trace of a run that solves it.

- `world`: what is raced in; `store_pages`: a wiki's store as its pages
- `pages`: what pages tell; `riddles`: how they are described; `walking`: a way through them
- `detours`, `roadblocks`, `reductions`: what is done with values
- `nodes`, `planning`: stops that are all needed; `assembling`: the leg, and its riddle
"""
