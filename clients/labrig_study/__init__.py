"""What is made of records: numbers, pages, and logs in the form of other programs.

- `statistics`: intervals, tests and comparisons, on NumPy and SciPy alone
- `quantities`: numbers with their units, read, found in a text, converted
- `audit`: where the numbers and names of answers come from
- `cells`: what stands in a cell of a table
- `report`: pages, rows and terminals that show a scored folder, or two runs side by side
- `view`: a folder in a browser, while its runs go on
- `formats`: logs of other benchmarks and tables of results, read and written
- `judging`: a model asked what scorers cannot tell; its verdicts stay beside the records
- `logs`: import, export, show
- `bridges`: samples, servers and scorers inside frameworks of others
"""
