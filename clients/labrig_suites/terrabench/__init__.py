"""TerraBench: long workflows over Earth-system data, scored by their process and by their numbers.

- `metrics`: every metric of the paper as a pure function, and those of its public code
- `truth`: what is true of an item; `lint`: what is wrong with one
- `score`: the score of a run, with all metrics as facts
- `analysis`: intervals, regressions, other weights, failures; `paper`: the paper's tables and figures; `tables`: ours
- `making`: items from a seed; `items`, `tasks`, `presets`: as samples; `arms`: which tools, which answer
- `reckoning`: numbers as formulas over results; `solution`, `another`: two solutions made of them
- `faulty_agents`: agents that play the reference with one fault
- `published`: published items and traces in their folders, scored
- `simulated`: items and runs of agents whose ranking is known; `fixtures`: runs whose scores are known
"""

from labrig_harness.sample import Sample
from labrig_harness.suite import Generator, Suite
from labrig_suites.terrabench import (
    another,
    fixtures,
    items,
    published,
    score,
    solution,
    tables,
    tasks,
    truth,
)
from labrig_suites.terrabench.arms import ARMS
from labrig_suites.terrabench.faulty_agents import AGENTS
from labrig_suites.terrabench.paper import paper_tables
from labrig_suites.terrabench.presets import PRESETS

suite = Suite(
    name=truth.NAME,
    version=truth.VERSION,
    scorer_version=score.VERSION,
    about="TerraBench: long workflows over Earth-system data, in a made world",
    arms=ARMS,
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    first_tasks=tasks.first,
    paper_tables=paper_tables,
    generator=Generator(
        items.generate, items.commitment, Sample.to_dict, items.from_row, items.adopt, published.rows_of
    ),
    presets=PRESETS,
    fixtures=fixtures.fixtures,
    kind="kind",
    another=another.another,
    agents=AGENTS,
)
