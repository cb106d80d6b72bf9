"""Reports of a scored output folder: on a console, as one page, and as rows for other programs.

What is known:

- `runs`: the runs of a folder, their records item by item
- `leaderboard`: for each run its accuracy with intervals, and what it took
- `pairs`: every run against every other
- `effort`: accuracy against tokens and steps
- `failures`: how records end and fail
- `reruns`: how epochs agree; `passes`: pass@k and pass^k; `gains`: with and without a server
- `difficulty`: which items and clusters are hard
- `errors`: accuracies with errors left out, and as wrong
- `evidence`: runs whose results were changed on their way
- `truth`, `reading`: a task's options, a record, as a person reads them

How it is shown:

- `words`, `prose`: numbers and findings in words; text of unknown origin
- `tabular`: a table's values as text
- `compared`: a comparison as lines of text
- `terminal`: leaderboard and tables on a console
- `compared_terminal`: a comparison on a console
- `plots`: SVG
- `items`: the tasks and records of the page
- `page`: all of it as one HTML file (``templates/``)
- `flat`: one row per record: CSV, JSONL, Parquet
- `files`: a report as a file, records as pages
"""
