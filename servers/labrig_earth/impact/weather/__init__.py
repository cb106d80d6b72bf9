"""Weather for both: series in CSV files, days of months, hours of days, EPW files.

- `quantities`: the columns of weather, their ranges and other names
- `series`: a CSV file of equal steps, complete and possible
- `sun`: where the sun stands, and its radiation outside the atmosphere; `moisture`: humidity and pressure
- `wind`: wind at 2 m and at 10 m, by names that say which
- `months`: days of months, whose means and sums are kept; `hours`: a year of hours, from hours or days
- `epw`: EPW files written and read strictly, with design days
- `days_engine`, `epw_engine`: what children of runs do; `downscaling`, `writing`: their tools, from files to numbers
"""
