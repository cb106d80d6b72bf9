"""imported: records of logs that belong to no suite. They are shown and reported.

Its tasks come from ``labrig import``; they hold the question as the log shows it. Where the log says how it was scored
(Inspect's do), the truth is its target, and the scores are those of the log.

- `score`: a record's score, as its log says; `tables`: means of every scorer
"""

from labrig.errors import LabrigError
from labrig_harness.arm import Arm
from labrig_harness.sample import Sample
from labrig_harness.suite import Solution, Suite
from labrig_study.formats.imported_suite import score, tables

NAME, VERSION = "imported", "1"


def _refuse_tasks(*, seed: int) -> list[Sample]:
    raise LabrigError(
        "The suite imported has no samples of its own: they come from logs",
        try_="labrig import FORMAT PATH --out DIR",
    )


def _refuse_solution(sample: Sample, arm: Arm) -> Solution:
    raise LabrigError("An imported log has no reference solution")


suite = Suite(
    name=NAME,
    version=VERSION,
    scorer_version=score.VERSION,
    about="Logs of agents on samples that belong to no suite: shown and reported, with the scores that the logs hold",
    arms=(Arm("imported", about="as the log was made"),),
    tasks=_refuse_tasks,
    solution=_refuse_solution,
    score=score.score,
    tables=tables.tables,
)
