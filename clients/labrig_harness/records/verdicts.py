"""Verdicts of a judge, kept beside a record (``verdicts.json``), so that scoring stays pure and can be repeated.

A suite asks (`labrig_harness.suite.Question`), ``labrig judge`` puts the questions to a model once, and the scorer
finds what it said under ``meta["verdicts"]`` of the trajectory. A record without the file is scored by rules alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_harness.records import outfolder
from labrig_harness.trajectory import Trajectory

SCHEMA, FILE, META = "labrig.verdicts/1", "verdicts.json", "verdicts"


@dataclass(frozen=True)
class Verdicts:
    """What a judge said of one record.

    Attributes
    ----------
    judge, settings, nearest
        The model with its settings, and what chose the questions.
    submission
        SHA-256 of the answer that was judged.
    said
        By the key of a question: ``yes`` (or None where the reply could not be read), ``why``, ``prompt`` (its
        SHA-256) and ``model`` (the one that says it answered).
    tokens
        Input and output tokens in all; None where the service did not say.
    """

    judge: str
    settings: dict[str, Any]
    nearest: str
    submission: str
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    tokens: int | None = None

    @property
    def by(self) -> str:
        """Who judged, in words."""
        return f"{self.judge}; {self.nearest}" if self.nearest else self.judge

    def yes(self, key: str) -> bool:
        """Tell whether the judge said yes; a question that was not asked, or not answered, is no."""
        return self.said.get(key, {}).get("yes") is True


def submission_hash(trajectory: Trajectory) -> str:
    """Return the SHA-256 of an answer."""
    return sha256(trajectory.submission.text if trajectory.submission is not None else "")


def keep(folder: Path, verdicts: Verdicts) -> None:
    """Write the verdicts of a record, without keys, which a judge's service may repeat."""
    text = redact(outfolder.json_text({"schema": SCHEMA, **asdict(verdicts)}))
    outfolder.write_atomically(folder / FILE, text + "\n")


def read(folder: Path) -> Verdicts | None:
    """Return the verdicts beside a record, or None.

    Raises
    ------
    LabrigError
        For a file that is none of ours.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        schema = fields.pop("schema", None)
        found = Verdicts(**fields)
        usable = schema == SCHEMA and all(isinstance(each, dict) for each in found.said.values())
    except (OSError, ValueError, TypeError, AttributeError):
        usable = False
    if not usable:
        raise LabrigError(
            "This is no file of verdicts", where=str(path), try_="remove it, and labrig judge again"
        )
    return found


def of(trajectory: Trajectory) -> Verdicts | None:
    """Return the verdicts that a scorer is given with a trajectory."""
    found = trajectory.meta.get(META)
    return found if isinstance(found, Verdicts) else None


def check(verdicts: Verdicts, trajectory: Trajectory) -> None:
    """Raise a LabrigError for verdicts of another answer."""
    if verdicts.submission != submission_hash(trajectory):
        raise LabrigError(f"its {FILE} is of another answer", try_="remove that file, and labrig judge again")
