"""precedent-search: whether a material was ever found superconducting, by whom, and the courage to say Unknown.

- `making`: a literature from a seed, with exact truth; `items`: materials as samples, made or published (``prompt.md``)
- `tasks`: the set without a file; `arms`; `ready`: whether an arm can look for published materials here
- `payload`: an answer in the published form, read; `citing`: which papers it cites; `score`: 0, 1 or 2
- `solution`, `another`: two solutions through the tools of the papers server
- `fixtures`: answers whose scores are known
- `tables`: the suite's own tables; `paper`: those of the paper on evidence verification
"""

from labrig_harness.sample import Sample
from labrig_harness.suite import Generator, Suite
from labrig_suites.precedent_search import another, fixtures, items, ready, score, solution, tables, tasks
from labrig_suites.precedent_search.arms import ARMS
from labrig_suites.precedent_search.paper import paper_tables

suite = Suite(
    name=items.NAME,
    version=items.VERSION,
    scorer_version=score.VERSION,
    about="whether a material was ever reported superconducting, with temperature, paper and quote, or Unknown",
    arms=ARMS,
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    first_tasks=tasks.first,
    paper_tables=paper_tables,
    generator=Generator(items.generate, items.commitment, Sample.to_dict, items.from_row, items.adopt),
    fixtures=fixtures.fixtures,
    kind="kind",
    another=another.another,
    check=ready.check,
)
