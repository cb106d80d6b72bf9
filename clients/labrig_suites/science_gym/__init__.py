"""science-gym: questions about generated repositories of scientific data, a quarter of which cannot be answered.

Read in this order: `question` (what is asked, as data), `truth` (exact statistics), `selection` (which files and rows),
`drawing` (a question of a type with a wanted answer), `wording` (four styles), `grammar` (how letters begin, and the
words of the hard tier), `items` (sets from a seed), `pool` (all questions of one repository), `solution` and
`recompute` (the reference, from the files alone), `another` and `rowwise` (a second solution, with the standard library
alone), `grading` (compat and strict), `score`, `fixtures` (what the scorer is tried with), `evidence` (what a record
shows of an answer), `measures` (what tables measure), `tables` and `paper` (tables and figures of InfiniteScienceGym).
`checked` reads lines of a file with care. `hard` is the other tier.
"""

from labrig_harness.suite import Generator, Suite
from labrig_suites.science_gym import another, evidence, fixtures, items, score, solution, tables, tasks
from labrig_suites.science_gym.arms import ARMS
from labrig_suites.science_gym.paper import paper_tables

suite = Suite(
    name=items.NAME,
    version=items.VERSION,
    scorer_version=score.VERSION,
    about="InfiniteScienceGym: questions about generated repositories, answerable and not, in four wordings",
    arms=ARMS,
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    cluster="repository",
    evidence=evidence.evidence,
    first_tasks=tasks.first,
    paper_tables=paper_tables,
    generator=Generator(
        items.generate, items.commitment, items.row, items.from_row, configured=items.configured
    ),
    earlier=("1", "3"),
    fixtures=fixtures.fixtures,
    kind="type",
    another=another.another,
)
