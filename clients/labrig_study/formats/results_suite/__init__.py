"""results: a published table of results, scored, reported and compared like a run.

Its tasks come from ``labrig import results``: the truths of the table. Its records hold the rows.

- `score`: a row's score; `tables`: accuracy of tables
"""

from labrig.errors import LabrigError
from labrig_harness.arm import Arm
from labrig_harness.sample import Sample
from labrig_harness.suite import Solution, Suite
from labrig_study.formats.results_suite import score, tables

NAME, VERSION = "results", "1"


def _refuse_tasks(*, seed: int) -> list[Sample]:
    raise LabrigError(
        "The suite results has no samples of its own: they come from a table",
        try_="labrig import results FILE --out DIR",
    )


def _refuse_solution(sample: Sample, arm: Arm) -> Solution:
    raise LabrigError("A table of results has no reference solution")


suite = Suite(
    name=NAME,
    version=VERSION,
    scorer_version=score.VERSION,
    about="A bare table of results (truth, prediction, correct), imported",
    arms=(Arm("results", about="as published"),),
    tasks=_refuse_tasks,
    solution=_refuse_solution,
    score=score.score,
    tables=tables.tables,
    cluster="cluster",
)
