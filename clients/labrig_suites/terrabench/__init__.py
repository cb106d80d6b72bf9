"""TerraBench: long workflows over Earth-system data, scored by their process and by their numbers.

- `metrics`: every metric of the paper as a pure function, and those of its public code
- `truth`: what is true of an item; `lint`: what is wrong with one
- `score`: the score of a run, with all metrics as facts
- `analysis`: intervals, regressions, other weights, failures; `paper`: the paper's tables and figures
- `published`: published items and traces in their folders, scored
- `simulated`: items and runs of agents whose ranking is known; `faults`: runs with one fault each
"""
