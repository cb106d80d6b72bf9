"""Heat and health: how weather feels (UTCI), and what an exposure costs in cases.

- `utci`: the index where it is valid, and its categories; `radiant`: mean radiant temperature from radiation
- `stress`: a series of weather to UTCI, hours of dangerous heat, days
- `building`: hours of weather, people and exposures out of gridded data
- `drawing`: hours of each category as bars, attributable cases with their interval
- `response`: relative risks and attributable fractions; `spec`: the file that describes one
- `burden`: exposure, people and a baseline to attributable cases
- `utci_engine`, `erf_engine`: what children of runs do; `thermal`, `attributable`: their tools, from files to numbers
"""
