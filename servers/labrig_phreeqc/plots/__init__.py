"""Pictures of waters and runs, drawn by children that `painting` is the work of.

- `series`, `map`, `piper`, `durov`, `schoeller`, `gibbs`, `stiff`, `saturation`, `uncertainty`, `predominance`,
  `user_graph`: a picture each
- `series_plot`: from a table of values to the data of a `series` picture
- `water`: a water as it is drawn; `key`: groups and samples by colour and mark
- `notation`: ions, formulas, quantities, units
"""
