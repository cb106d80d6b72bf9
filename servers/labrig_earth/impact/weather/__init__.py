"""Weather for both: time series in CSV files, the sun.

- `series`: a CSV file of equal steps, complete and possible
- `sun`: where the sun stands, and its radiation outside the atmosphere
"""
