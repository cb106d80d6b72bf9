"""What is made of records: numbers, pages, and logs in the form of other programs.

- `statistics`: intervals, tests and comparisons, on NumPy and SciPy alone
- `report`: pages, rows and terminals that show a scored folder, or two runs side by side
- `formats`: logs of other benchmarks and tables of results, read and written
- `logs`: import, export, show
"""
