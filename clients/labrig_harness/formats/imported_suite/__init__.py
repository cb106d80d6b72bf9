"""imported: records of logs that belong to no suite. They are shown and reported, and have no score.

Its tasks come from ``labrig import``; they hold the question as the log shows it, and no truth.
"""

from collections.abc import Iterable

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Score, Solution, Suite, Table
from labrig_harness.trajectory import Trajectory

NAME, VERSION = "imported", "1"


def _tasks(*, seed: int) -> list[Sample]:
    raise LabrigError(
        "The suite imported has no samples of its own: they come from logs",
        try_="labrig import FORMAT PATH --out DIR",
    )


def _solution(sample: Sample, arm: Arm) -> Solution:
    raise LabrigError("An imported log has no reference solution")


def _score(sample: Sample, trajectory: Trajectory) -> Score:
    raise LabrigError(
        "An imported log has no truth to score it by", try_="labrig import with --suite or --tasks"
    )


def _tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    return []


suite = Suite(
    name=NAME,
    version=VERSION,
    scorer_version="1",
    about="Logs of agents on samples that belong to no suite: shown and reported, not scored",
    arms=(Arm("imported", about="as the log was made"),),
    tasks=_tasks,
    solution=_solution,
    score=_score,
    tables=_tables,
)
