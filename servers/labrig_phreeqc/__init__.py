"""PHREEQC for agents. `server` is the MCP face; every other room works without MCP, in a notebook.

- `engine`: runs PHREEQC in children, under limits, and gives what it said
- `database`: what the databases hold, and which are installed
- `input`: what an input says, and what it may not ask for
- `output`: what PHREEQC printed: outlines, sections, series, comparisons
- `runs`: a run for a caller, from the workspace and into it
- `checks`: what was assumed, what is doubtful, what is not determined
- `waters`: tables of water analyses: reading, balance, diagnosis, speciation, uncertainty
- `variation`: one input, many values: doses, sweeps, predominance
- `plots`: pictures, drawn by a child
"""
