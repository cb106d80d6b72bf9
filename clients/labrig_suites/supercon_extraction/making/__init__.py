"""Papers made from a seed, whose truth is exact because it was drawn.

- `samples`: samples of a series, with values that agree with each other
- `setting`: lines, tables and figures set into the columns of a PDF, and where each value stands
- `tables`, `figures`: tables and figures as older journals have them
- `writing`: what a paper says, and in which order; `harder`: the same for level 4; `papers`: a paper of a seed
- `long_papers`: papers of level 5 (``long_papers.toml``); `floats` between their lines; `sign_fonts`
- `variants`: the same paper locked, damaged or scanned; `bitmap`: in bitmap fonts
"""
