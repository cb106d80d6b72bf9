"""The exit code of a run for CI: 1 where too few answers are right, or where records end with an error."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from statistics import fmean
from typing import TYPE_CHECKING

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig_harness.records.scoring import Scored
    from labrig_harness.trajectory import Trajectory


def add_verdict(verb: argparse.ArgumentParser) -> None:
    """Add the flag to a verb."""
    verb.add_argument(
        "--fail-below",
        type=float,
        metavar="SHARE",
        help="exit with 1 where the strict accuracy of a run is below this, such as 0.9",
    )


def add_stop(verb: argparse.ArgumentParser) -> None:
    """Add the flag that ends a run early."""
    verb.add_argument(
        "--fail-on-error",
        type=int,
        nargs="?",
        const=1,
        metavar="N",
        help="stop, and exit with 1, at the Nth record that ends with an error (default of N: 1); the others go on "
        "without this",
    )


class ErrorCount:
    """Counts records that end with an error, and stops a run at the last one that is allowed."""

    def __init__(self, most: int | None) -> None:
        if most is not None and most < 1:
            raise LabrigError("This must be at least 1", where=f"--fail-on-error {most}")
        self.most, self.found = most, 0

    def add(self, done: Trajectory) -> None:
        """Count a record; a LabrigError stops the run, and what is recorded stays."""
        self.found += done.end.endswith("_error")
        if self.most is not None and self.found >= self.most and done.end.endswith("_error"):
            raise LabrigError(
                f"Stopped at {self.found} records that ended with an error: {done.end}: {done.end_detail}",
                where=f"{done.task}, epoch {done.epoch}",
                try_="labrig resume DIR, which goes on with what is missing",
                code="engine",
            )


def check_share(fail_below: float | None) -> None:
    """Raise a LabrigError for what is no share."""
    if fail_below is not None and not 0 <= fail_below <= 1:
        raise LabrigError("This is no share", where=f"--fail-below {fail_below:g}", expected="0 to 1")


def say_below(scored: Scored, fail_below: float | None, labels: Collection[str] | None = None) -> bool:
    """Say which runs (default: all) are below the share, on standard error, and return whether one is."""
    from labrig_study.report.runs import runs_of

    if not fail_below:
        return False
    runs = {run.label: list(run.means("strict").values()) for run in runs_of(scored)}
    wanted = runs if labels is None else labels
    low = {label: fmean(runs.get(label) or [0.0]) for label in wanted}
    low = {label: accuracy for label, accuracy in low.items() if accuracy < fail_below}
    for label, accuracy in low.items():
        print(f"{label}: strict accuracy {accuracy:.3f} is below {fail_below:g}", file=sys.stderr)
    return bool(low)
