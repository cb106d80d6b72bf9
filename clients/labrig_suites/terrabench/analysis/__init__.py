"""What scores of many runs say together, over `labrig_study.statistics`: pure functions.

- `observations`: scores as numbers by model and item
- `intervals`: means and paired differences with the paper's bootstrap (Appendix E)
- `regression`: which metrics predict an answer, collinear ones left out and named (Study A)
- `weights`: rankings under other weights (Study B)
- `failures`: what went wrong in a run, by the paper's categories (Figures 8 and 10)
"""
