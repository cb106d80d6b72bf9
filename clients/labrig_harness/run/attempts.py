"""Which records are still to be made, or made again, and what was tried at them before."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labrig_harness.endings import OUTSIDE
from labrig_harness.records import outfolder
from labrig_harness.trajectory import Trajectory


@dataclass
class Attempts:
    """Earlier attempts at one record, which ended for reasons outside the agent or were not to stand."""

    earlier: list[dict[str, Any]] = field(default_factory=list)

    def add(self, failed: Trajectory) -> None:
        """Take a failed attempt over: what it ended by and what it used is not forgotten."""
        self.earlier = [*failed.meta.get("attempts", ()), _summarise_attempt(failed)]


def _summarise_attempt(failed: Trajectory) -> dict[str, Any]:
    return {
        "end": failed.end,
        "end_detail": failed.end_detail,
        "tokens": asdict(failed.tokens),
        "started": failed.meta.get("started"),
        "duration_s": failed.meta.get("duration_s"),
    }


def missing(folder: Path) -> Attempts | None:
    """Return the attempts made so far at a record that is still to be made, or None if it is there and stands.

    One that ended for reasons outside the agent does not stand, nor does one that was marked to be made again.
    """
    attempts = Attempts()
    try:
        there = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return attempts
    except (OSError, ValueError, TypeError, AttributeError):
        return None  # damaged: scoring names it, and running does not overwrite it
    if there.end not in OUTSIDE and not outfolder.to_redo(folder):
        return None
    attempts.add(there)
    return attempts


def ends_to_make_again(folders: Iterable[Path]) -> Counter[str]:
    """Return how the records ended that are there and are made again, by their ends: they are drawn a second time."""
    found = (missing(folder) for folder in folders if (folder / "trajectory.json").exists())
    return Counter(str(each.earlier[-1]["end"]) for each in found if each is not None and each.earlier)


def mark_ends(out: Path, label: str, ends: Collection[str]) -> int:
    """Mark the records of a run that ended by one of these reasons to be made again; return how many."""
    marked = 0
    for path in sorted((out / label).glob("*/epoch*/trajectory.json")):
        try:
            end = json.loads(path.read_text(encoding="utf-8"))["end"]
        except (OSError, ValueError, TypeError, KeyError):  # damaged: scoring names it
            continue
        if end in ends:
            outfolder.mark_to_redo(path.parent)
            marked += 1
    return marked
