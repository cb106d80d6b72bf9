"""Which records are still to be made, and what was tried at them before."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labrig_harness.endings import (
    OUTSIDE,
)
from labrig_harness.trajectory import Trajectory


@dataclass
class Attempts:
    """Earlier attempts at one record, which ended for reasons outside the agent."""

    earlier: list[dict[str, Any]] = field(default_factory=list)

    def add(self, failed: Trajectory) -> None:
        """Take a failed attempt over: what it ended by and what it used is not forgotten."""
        self.earlier = [*failed.meta.get("attempts", ()), _summary(failed)]


def _summary(failed: Trajectory) -> dict[str, Any]:
    return {
        "end": failed.end,
        "end_detail": failed.end_detail,
        "tokens": asdict(failed.tokens),
        "started": failed.meta.get("started"),
        "duration_s": failed.meta.get("duration_s"),
    }


def missing(folder: Path) -> Attempts | None:
    """Return the attempts made so far at a record that is still to be made, or None if it is there and stands."""
    attempts = Attempts()
    try:
        there = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return attempts
    except (OSError, ValueError, TypeError, AttributeError):
        return None  # damaged: scoring names it, and running does not overwrite it
    if there.end not in OUTSIDE:
        return None
    attempts.add(there)
    return attempts
