"""The Amazing Agent Race: legs through pages and tools to one digit, and the number behind it.

- `legs`: a leg, as published; `values`, `pages`, `tool_names`: its values, addresses and tools, compared
- `closure`: which stops matter; `lint`: what is wrong with a leg; `audit`: with the published truths, a row for each
- `items`, `tasks`, `presets`: legs as samples, made and published; `arms`: budgets and answers
- `second_reading`: which pages a riddle fits, read from the pages alone
- `making`: legs of our own, from the pages and tools of a world
- `page_text`, `solution`: the reference, from results alone; `another`, `arithmetic`: a second
  solution, and the program that it runs
- `reading`: what was committed; `verifier`, `evaluator`: the published definitions; `path`: ours; `score`
- `check`: do legs still hold in the world that is there now
- `evidence`: values that stood in results; `measures`, `tables`: what runs did; `paper`: the paper's tables and figures
- `structure`: how golden traces of any set hang together
- `simulated`, `fixtures`: runs whose scores are known
"""

from labrig_harness.suite import Generator, Suite
from labrig_suites.amazing_race import another, evidence, fixtures, items, score, solution, tables, tasks
from labrig_suites.amazing_race.arms import ARMS
from labrig_suites.amazing_race.paper import paper_tables
from labrig_suites.amazing_race.presets import PRESETS

suite = Suite(
    name=items.NAME,
    version=items.VERSION,
    scorer_version=score.VERSION,
    about="The Amazing Agent Race: legs through pages and tools to one digit, in a fictional world",
    arms=ARMS,
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    first_tasks=tasks.first,
    evidence=evidence.evidence,
    paper_tables=paper_tables,
    generator=Generator(
        items.generate,
        items.commitment,
        items.row,
        items.from_row,
        items.adopt,
        items.released_rows,
        items.configured,
    ),
    presets=PRESETS,
    fixtures=fixtures.fixtures,
    kind="kind",
    another=another.another,
)
