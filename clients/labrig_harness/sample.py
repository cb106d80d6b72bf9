"""A sample: what an agent is asked, how it answers, and (kept from it) what is true.

Files of runs call it a task, and its visible part a brief, as all releases did: their keys stay.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from labrig.errors import LabrigError
from labrig_harness import blobs
from labrig_harness.blobs import Blob

SCHEMA, EARLIER = "labrig.task/3", "labrig.task/2"
"""The earlier one is written for a sample that uses nothing new: its lines, and their hashes, are what they were."""

LIMITS = {"max_steps": int, "wall_s": float, "call_s": float, "max_tokens": int}
"""The limits that a sample may set over those of its arm."""
MOST = {"max_steps": 10_000, "wall_s": 7 * 86_400.0, "call_s": 86_400.0, "max_tokens": 10**9}
"""What they may be at most: samples may come from others, and what they use is paid here."""


@dataclass(frozen=True)
class Attachment:
    """A file that is shown to a model as it is (``application/pdf``, an image type): base64, or bytes by their hash."""

    name: str
    media_type: str
    data: str = ""
    blob: Blob | None = None

    def content(self) -> bytes:
        """Return the bytes."""
        if self.blob is not None:
            return self.blob.read()
        try:
            return base64.b64decode(self.data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise LabrigError("An attachment of the sample is not base64", where=self.name) from error


@dataclass(frozen=True)
class SampleInput:
    """What an agent sees of a sample; it holds no truth.

    Attributes
    ----------
    id
        Opaque id of the sample.
    prompt
        The question; how to answer it is the arm's to say.
    files
        Files placed in the workspace before the start: relative path -> text, or bytes by their hash.
    attachments
        PDF files and images that go to the model with the prompt in an arm without tools.
    choices
        The letters of a multiple-choice question, empty otherwise.
    """

    id: str
    prompt: str
    files: dict[str, str | Blob] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sample:
    """What an agent sees, with its truth.

    Attributes
    ----------
    truth
        What the scorer compares with, and how the truth came to be; never shown to an agent.
    labels
        What tables group by: stem, quantity.
    limits
        In place of those of the arm: names of `LIMITS`.
    needs
        Side environments (``labrig setup NAME``) without which the sample cannot be run.
    """

    suite: str
    suite_version: str
    brief: SampleInput
    truth: dict[str, Any]
    labels: dict[str, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        blobs.check_paths(self.brief.files)
        for name, value in self.limits.items():
            if name not in LIMITS or not 0 < value <= MOST[name] or value != LIMITS[name](value):
                raise ValueError(f"limits: {name}={value!r} is no limit of a sample ({', '.join(LIMITS)})")

    @property
    def id(self) -> str:
        """The id."""
        return self.brief.id

    @property
    def blobs(self) -> Iterator[Blob]:
        """The files and attachments that are bytes by their hash."""
        yield from (each for each in self.brief.files.values() if isinstance(each, Blob))
        yield from (each.blob for each in self.brief.attachments if each.blob is not None)

    def limited(self) -> dict[str, Any]:
        """Return the limits as an arm takes them: turns and tokens are whole numbers."""
        return {name: LIMITS[name](value) for name, value in self.limits.items()}

    def beside(self, folder: Path) -> Sample:
        """Return the sample with its bytes found beside it, in ``files`` of a folder."""
        brief = self.brief
        files = {
            path: blobs.beside(each, folder) if isinstance(each, Blob) else each
            for path, each in brief.files.items()
        }
        attachments = tuple(
            replace(each, blob=blobs.beside(each.blob, folder)) if each.blob is not None else each
            for each in brief.attachments
        )
        return replace(self, brief=replace(brief, files=files, attachments=attachments))

    def to_dict(self) -> dict[str, Any]:
        """Return the sample as plain data, truth included."""
        fields = asdict(self)
        brief = fields["brief"]
        fields["limits"] = self.limited()
        new = any(True for _ in self.blobs)
        for content in (*brief["files"].values(), *(each["blob"] for each in brief["attachments"])):
            if isinstance(content, dict):
                del content["source"]
        for attachment in brief["attachments"]:
            if attachment["blob"] is None:
                del attachment["blob"]
        for name in ("limits", "needs"):
            if fields[name]:
                new = True
            else:
                del fields[name]
        return {**fields, "schema": SCHEMA if new else EARLIER}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Sample:
        """Rebuild a sample from `to_dict`; a ValueError says what is missing or of the wrong type."""
        if fields.get("schema") not in (SCHEMA, EARLIER):
            raise ValueError(f"schema {fields.get('schema')!r}, not {SCHEMA} or {EARLIER}")
        try:
            return _make_reader().validate_python(fields)
        except ValidationError as error:
            # One for each form that a value might have had: text, or bytes by their hash.
            found = [
                (each["msg"], ".".join(map(str, each["loc"]))) for each in error.errors(include_url=False)
            ]
            said = [f"{message} ({place})" if place else message for message, place in found[:3]]
            raise ValueError("; ".join(said)) from error


@lru_cache(maxsize=1)
def _make_reader() -> TypeAdapter[Sample]:
    return TypeAdapter(Sample)
