"""Tables of water analyses, in the order things happen.

- `encoding`, `workbook`, `sheet`, `layouts` (`codes.csv`), `headings`, `field_parameters`, `columns`: a table's text
  and cells, whichever way it lies, and what its columns hold
- `cells`, `units`, `constituents` (`constituents.csv`), `other_names`: numbers, units and names as laboratories write
  them
- `summaries` (`summaries.toml`): rows that are means, counts, blanks or limits and no samples
- `table`: all of it read; `rows`: each row as an analysis, or rejected with its reasons; `analysis`: one water
- `measurements`, `remarks`: which numbers of a row count; what is said about all rows
- `balance`, `carbonate`, `diagnosis` (`charge_errors`, `outliers`, `readings`), `notices`: charge balance, what looks
  wrong or odd, and what errors explain it
- `speciation`, `redox`: PHREEQC asked for density and saturation indices of waters, and what pe decides of them
- `drinking_water` (`drinking_water.csv`): limits of WHO, EU and US EPA
- `survey`, `report`: scaling of every water
- `one_water`, `errors`, `members`, `compatible`, `nominal`: waters that are drawn, and databases that may answer and do
- `uncertainty`, `estimates`: saturation indices with their uncertainty; `spread`: its shares by source; `causes`: why
  databases differ
"""
