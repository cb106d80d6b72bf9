"""What an import writes: runs and records of an output folder, and what it says of what it skipped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_harness.agent import AgentSpec
from labrig_harness.records import outfolder
from labrig_harness.suite import Suite
from labrig_harness.trajectory import Trajectory

DOCUMENT = 512 * 2**20
"""Bytes of a file that must be read as a whole (ATIF, an EvalLog as .json, a table)."""


@dataclass(frozen=True)
class Where:
    """What the user says about the logs: which item, arm, agent and epoch they are, where they do not say so."""

    item: str = ""
    arm: str = ""
    agent: str = ""
    epoch: int | None = None


@dataclass
class Imported:
    """What an import did.

    Attributes
    ----------
    records
        Folders of the records that were written.
    skipped
        What was not, one line each: files, runs, and parts of logs.
    notes
        What was imported otherwise than its log says.
    """

    records: list[Path] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def skip(self, line: str) -> None:
        """Say what was not imported; files are read twice, and say it twice."""
        if line not in self.skipped:
            self.skipped.append(line)

    def note(self, line: str) -> None:
        """Say what was imported otherwise than its log says."""
        self.notes.append(line)


def whole(file: Path) -> bytes:
    size = file.stat().st_size
    if size > DOCUMENT:
        raise LabrigError(
            f"This file of {size / 2**20:.0f} MB must be read as a whole",
            where=file.name,
            expected=f"at most {DOCUMENT // 2**20} MB",
            code="limit",
        )
    return file.read_bytes()


def keep_run(
    out: Path,
    suite: Suite,
    tasks: str,
    arm: str,
    agent: str,
    *,
    seed: int,
    epochs: int,
    items: Iterable[str] = (),
) -> None:
    """Write ``run.json`` of an imported run.

    Parameters
    ----------
    tasks
        Hash of its samples.
    items
        Those that it covers, where it need not cover all.
    """
    label = label_of(arm, agent)
    about: dict[str, Any] = {
        "suite": suite.name,
        "suite_version": suite.version,
        "arm": arm,
        "budget": {},
        "agent": asdict(AgentSpec("imported", name=agent)),
        "seed": seed,
        "epochs": epochs,
        "calls": "imported",
        "store": "",
        "perturb": "",
        "tasks": tasks,
        "label": label,
    }
    if items:
        there = (path.parent.name for path in (out / label).glob("*/epoch*"))
        about["items"] = sorted({*items, *there})
    outfolder.keep_run(out, label, about)


def label_of(arm: str, agent: str) -> str:
    return f"{arm}.{outfolder.safe(agent)}"


def finish_record(making: Path, folder: Path, trajectory: Trajectory) -> None:
    """Write the trajectory of a record that is being made, and put the record in its place."""
    text = redact(outfolder.json_text(trajectory.to_dict())) + "\n"
    outfolder.write_atomically(making / "trajectory.json", text)
    outfolder.place(making, folder)
