"""phreeqc-mcq: four-option questions of aqueous geochemistry whose wrong options are the results of named mistakes.

Read in this order: `scenario` (what a stem is), `orbit` (why the options of an item tell nothing), `drawing`,
`switches` and `quantities` (numbers, choices and questions that many stems share), `stems`, `judged` (answers in words)
and `in_words` (the stems that have them), `values` (truths and their refinement), `items` (sets from a seed), `kept`
and `tasks` (sets in Labrig's home), `solution` (the reference), `another` (a second solution), `score` and `evidence`
(where the chain broke), `fixtures` (what the scorer is tried with), `tables` and `paper` (the tables of PHREEQC-MCQ-200
by number), `published` (its own questions). Beside them: `arms`, `presets` (appendix H), `checked` (lines of a file,
read with care), `columns` (cells in a row), `printed` (numbers in the main output).
"""

from labrig_harness.suite import Generator, Suite
from labrig_suites.phreeqc_mcq import (
    another,
    evidence,
    fixtures,
    items,
    presets,
    published,
    score,
    solution,
    tables,
    tasks,
)
from labrig_suites.phreeqc_mcq.arms import OUTLINE, RAW100K, RAW500K, TOC, TOC50, WITHOUT_TOOLS
from labrig_suites.phreeqc_mcq.paper import paper_tables

suite = Suite(
    name=items.NAME,
    version=items.VERSION,
    earlier=items.EARLIER,
    scorer_version=score.VERSION,
    about="PHREEQC-MCQ: four-option questions in any number; every wrong option is the result of a named mistake",
    arms=(TOC, TOC50, OUTLINE, RAW100K, RAW500K, *WITHOUT_TOOLS),
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    cluster="stem",
    first_tasks=tasks.first,
    evidence=evidence.evidence,
    paper_tables=paper_tables,
    generator=Generator(
        items.generate,
        items.commitment,
        items.row,
        items.from_row,
        published.adopt,
        configured=items.configured,
    ),
    presets=presets.PRESETS,
    fixtures=fixtures.fixtures,
    kind="stem",
    another=another.another,
)
