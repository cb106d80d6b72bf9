"""supercon-extraction: every property that a paper on superconductors reports, with its value, unit and evidence.

- `targets`: the properties that are asked for, field by field, with their rules (``fields/*.toml``)
- `rows`: a row of truth, and a predicted row, as plain data
- `grading`: when a prediction is right, as published and as it should be
- `making`: papers from a seed, with exact truth
- `score`: the score of one paper
"""
