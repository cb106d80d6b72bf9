"""supercon-extraction: every property that a paper on superconductors reports, with its value, unit and evidence.

- `targets`: the properties that are asked for, field by field, with their rules (``targets.toml``)
- `rows`: a row of truth, and a predicted row, as plain data
- `grading`: when a prediction is right, as published and as it should be
- `score`: the score of one paper
"""
