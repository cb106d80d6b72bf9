"""Pictures of waters and runs, drawn by children that `painting` is the work of.

- `series`, `piper`, `stiff`, `saturation`, `uncertainty`: a picture each
- `series_plot`: from a table of values to the data of a `series` picture
- `water`: a water as it is drawn; `notation`: ions, formulas, quantities, units
"""
