"""phreeqc-basics: four-option questions of aqueous geochemistry that PHREEQC answers.

A small relative of PHREEQC-MCQ-200: one question per scenario, options computed by the engine that the agent
uses, every wrong option the result of a named mistake. `stems` holds the questions and their builds; the
other four files are those of every suite.
"""

from labrig_harness.suite import Suite
from labrig_harness.suites.phreeqc_arms import OUTLINE, RAW100K, TOC, TOC50, WITHOUT_TOOLS
from labrig_harness.suites.phreeqc_basics import score, solution, tables, tasks

suite = Suite(
    name=tasks.NAME,
    version=tasks.VERSION,
    scorer_version=score.VERSION,
    about="Four-option questions of aqueous geochemistry, answered by building and running PHREEQC models",
    arms=(TOC, OUTLINE, TOC50, RAW100K, *WITHOUT_TOOLS),
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    cluster="stem",
)
