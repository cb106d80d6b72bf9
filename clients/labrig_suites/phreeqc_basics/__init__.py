"""phreeqc-basics: four-option questions of aqueous geochemistry that PHREEQC answers.

A small relative of PHREEQC-MCQ-200: one question per scenario, options computed by the engine that the agent
uses, every wrong option the result of a named mistake. ``stems.toml`` holds the questions and their builds, `stems`
reads it, `quantities` says how a value is shown; `tasks`, `solution`, `score` and `tables` are those of every suite;
`another` is a second solution, `fixtures` what the scorer is tried with.
"""

from labrig_harness.suite import Suite
from labrig_suites.phreeqc_basics import another, fixtures, score, solution, tables, tasks
from labrig_suites.phreeqc_mcq.arms import OUTLINE, RAW100K, TOC, TOC50, WITHOUT_TOOLS

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
    earlier=tasks.EARLIER,
    fixtures=fixtures.fixtures,
    kind="stem",
    another=another.another,
)
