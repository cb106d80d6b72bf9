"""Reports of a scored output folder: on a console (`terminal.print_scores`) and as one page (`page.render`).

============== ==========================================================
leaderboard    one row per arm and agent
truth          a task's options as a person reads them
reading        a record as a person reads it
prose          text of unknown origin, fit to be looked at
tabular        a table's values as text
terminal       the leaderboard and the tables on a console
page           all of it as one HTML file (``page.html.j2``, css, js)
============== ==========================================================
"""
