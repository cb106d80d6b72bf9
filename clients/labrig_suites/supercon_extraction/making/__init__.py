"""Papers made from a seed, whose truth is exact because it was drawn.

- `samples`: samples of a series, with values that agree with each other
- `setting`: lines, tables and figures set into the columns of a PDF, and where each value stands
- `writing`: what a paper says, and in which order
- `variants`: the same paper locked, damaged or scanned
"""
