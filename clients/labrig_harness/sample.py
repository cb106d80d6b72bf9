"""A sample: what an agent is asked, how it answers, and (kept from it) what is true.

Files of runs call it a task, and its visible part a brief, as all releases did: their keys stay.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

SCHEMA = "labrig.task/2"


@dataclass(frozen=True)
class Attachment:
    """A file that is shown to a model as it is: ``application/pdf`` or an image type, base64."""

    name: str
    media_type: str
    data: str


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
        Files placed in the workspace before the start: relative path -> text.
    attachments
        PDF files and images that go to the model with the prompt in an arm without tools: media type and base64.
    choices
        The letters of a multiple-choice question, empty otherwise.
    """

    id: str
    prompt: str
    files: dict[str, str] = field(default_factory=dict)
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
    """

    suite: str
    suite_version: str
    brief: SampleInput
    truth: dict[str, Any]
    labels: dict[str, str] = field(default_factory=dict)
    schema: str = SCHEMA

    @property
    def id(self) -> str:
        """The id."""
        return self.brief.id

    def to_dict(self) -> dict[str, Any]:
        """Return the sample as plain data, truth included."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Sample:
        """Rebuild a sample from `to_dict`; a ValueError says what is missing or of the wrong type."""
        if fields.get("schema") != SCHEMA:
            raise ValueError(f"schema {fields.get('schema')!r}, not {SCHEMA}")
        return _reader().validate_python(fields)


@lru_cache(maxsize=1)
def _reader() -> TypeAdapter[Sample]:
    return TypeAdapter(Sample)
