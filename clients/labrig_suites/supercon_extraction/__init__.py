"""supercon-extraction: every property that a paper on superconductors reports, with its value, unit and evidence.

- `targets`: the properties that are asked for, field by field, with their rules (``fields/*.toml``)
- `rows`: a row of truth, and a predicted row, as plain data
- `making`: papers from a seed, with exact truth
- `items`: papers as samples, made or published (``prompt.md``); `tasks`: the set without a file; `arms`
- `published`: the published set as it is
- `grading`: when a prediction is right, as published and as it should be; `score`: the score of one paper
- `by_page`: the agent that asks about each page alone
- `judging`: what a judge of names is asked (``judge.md``)
- `reading`, `printed_rows`: what solutions know of the language of made papers, and of lines of tables
- `solution`, `another`: two solutions through the tools of the papers server; `by_tools`: that of long papers
- `fixtures`: extractions whose scores are known
- `tables`: the suite's own tables; `paper`: those of the paper on evidence verification
"""

from labrig_harness.sample import Sample
from labrig_harness.suite import Generator, Suite
from labrig_suites.supercon_extraction import (
    another,
    by_page,
    fixtures,
    items,
    judging,
    score,
    solution,
    tables,
    tasks,
)
from labrig_suites.supercon_extraction.arms import ARMS, BY_PAGE
from labrig_suites.supercon_extraction.paper import paper_tables

suite = Suite(
    name=items.NAME,
    version=items.VERSION,
    scorer_version=score.VERSION,
    about="properties of papers on superconductors, with value, unit, sample and evidence",
    arms=ARMS,
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    first_tasks=tasks.first,
    paper_tables=paper_tables,
    generator=Generator(
        items.generate,
        items.commitment,
        Sample.to_dict,
        items.from_row,
        items.adopt,
        configured=items.configured,
    ),
    presets=tasks.PRESETS,
    fixtures=fixtures.fixtures,
    kind="kind",
    another=another.another,
    judging=judging.JUDGING,
    agents={BY_PAGE: by_page.make_by_page},
)
