"""Reports of a scored output folder: for the terminal, and as one page of HTML.

============== ==================================================
leaderboard    one row per arm and agent
truth          a task's options as a person reads them
reading        a record as a person reads it
prose          text of unknown origin made safe to look at, cut
page           all of it as one self-contained page
terminal       the leaderboard and the tables on a console
============== ==================================================
"""

from labrig_harness.report.page import render
from labrig_harness.report.terminal import print_scores

__all__ = ["print_scores", "render"]
