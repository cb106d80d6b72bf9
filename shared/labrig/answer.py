"""What a tool gives back: an Answer (our own tools), a Published result (faithful tools), a Picture or Pictures.

Clients differ in what they hand to the model: some drop text beside structured content, some drop
structured content beside text, all cut or spool long results. So an `Answer` is complete and small in
its structured form, its text is a rendering of the same, and whatever is large is a file with
a handle.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

ANSWER_BYTES = 8_000
"""Size that an Answer should stay within (bytes of JSON, as `json_bytes` counts), unless its caller asked for more."""

ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "string"},
        "values": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "value": {},
                    "unit": {"type": "string"},
                    "note": {"type": "string"},
                },
                "required": ["name", "value"],
            },
        },
        "text": {"type": "string"},
        "data": {"type": "object"},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "artifacts": {"type": "array", "items": {"type": "object"}},
        "source": {"type": "string"},
        "next": {"type": "string"},
    },
    "required": ["status", "source"],
}
"""Of the structured content of every Answer; no tool repeats it in tools/list."""

META_KEY = "labrig"
"""Key of our block in a result's ``_meta``; its ``volatile`` part holds times and ids, outside every hash."""


_PLAIN = re.compile(r"[ !#-\[\]-~]*").fullmatch
"""Tells a text that stands in JSON as it is."""


def json_bytes(value: Any) -> int:
    """Return the size of a value as it goes over the wire: bytes of JSON without blanks, in UTF-8.

    Half a surrogate pair, which UTF-8 does not have, counts as one byte: this measures, and changes nothing.
    """
    if type(value) is str and _PLAIN(value):
        return len(value) + 2
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace"))


@dataclass(frozen=True)
class Quantity:
    """A value with its unit.

    Attributes
    ----------
    value
        A number, text, boolean, or None with the reason in `note`.
    unit
        ``"1"`` for a dimensionless number, empty for text.
    note
        Where it holds (state, step, cell), or why it is missing.
    """

    name: str
    value: float | int | str | bool | None
    unit: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain data; empty fields are left out."""
        value, note = self.value, self.note
        if isinstance(value, float) and not math.isfinite(value):  # JSON has no such number
            value, note = None, f"{note}, {self.value}".removeprefix(", ")
        fields = {"name": self.name, "value": value, "unit": self.unit, "note": note}
        return {key: each for key, each in fields.items() if key in ("name", "value") or each}


@dataclass(frozen=True)
class Answer:
    """The result of an own tool.

    Attributes
    ----------
    status
        ``ok``, ``ok_with_warnings``, ``partial``, or why there is no whole result.
    text
        The part meant to be read as it stands (an outline, an excerpt).
    data
        The part that belongs to this tool alone (a table, a listing).
    warnings
        What the caller should know before using the values.
    artifacts
        Handles of files that hold more (`labrig.artifacts.Artifact.to_dict`).
    source
        One line of provenance: what computed this, with version and hash.
    next
        What to call next, as a hint.
    record
        Full provenance for the log: goes to ``_meta``, where it costs the model nothing.
    failed
        The call was carried out and its subject failed, such as code that raised: MCP's ``isError`` is set. The
        structured content says it by `status`.
    """

    source: str
    status: str = "ok"
    values: tuple[Quantity, ...] = ()
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    artifacts: tuple[dict[str, Any], ...] = ()
    next: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the structured content; empty fields are left out."""
        fields: dict[str, Any] = {
            "status": self.status,
            "values": [each.to_dict() for each in self.values],
            "text": self.text,
            "data": self.data,
            "warnings": list(self.warnings),
            "artifacts": list(self.artifacts),
            "source": self.source,
            "next": self.next,
        }
        return {key: each for key, each in fields.items() if key in ("status", "source") or each}

    def render(self) -> str:
        """Return the same content as text, for clients and people that read text."""
        lines = [f"status: {self.status}"]
        for fields in (quantity.to_dict() for quantity in self.values):
            unit = f" {fields['unit']}" if fields.get("unit", "1") != "1" else ""
            note = f"  ({fields['note']})" if "note" in fields else ""
            lines.append(f"{fields['name']} = {fields['value']}{unit}{note}")
        lines += [f"warning: {each}" for each in self.warnings]
        if self.text:
            lines.append(self.text)
        for key, value in self.data.items():
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
        for artifact in self.artifacts:
            lines.append("artifact: " + json.dumps(artifact, ensure_ascii=False))
        lines.append(f"source: {self.source}")
        if self.next:
            lines.append(f"next: {self.next}")
        return "\n".join(lines)


def with_fewer_warnings(
    answer: Answer, most_bytes: int = ANSWER_BYTES, least: int = 5, where: str = ""
) -> Answer:
    """Return the answer with as many of its warnings as have room, `least` at any rate; the others are counted.

    `where` says where they can be read.
    """
    over = json_bytes(answer.to_dict()) - most_bytes
    if over <= 0 or len(answer.warnings) <= least:
        return answer
    kept = list(answer.warnings)
    over += 60  # for what says how many are left out
    while over > 0 and len(kept) > least:
        over -= json_bytes(kept.pop()) + 1
    return replace(
        answer, warnings=(*kept, f"{len(answer.warnings) - len(kept)} more warnings are not shown{where}")
    )


@dataclass(frozen=True)
class Published:
    """The result of a faithful tool: the published text and nothing beside it; provenance in ``_meta``.

    Attributes
    ----------
    text
        Exactly what the paper's tool returns.
    status
        As in `Answer`; kept in ``_meta``.
    failed
        As in `Answer`.
    """

    text: str
    status: str = "ok"
    source: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass(frozen=True)
class Picture:
    """The result of a tool that draws: a PNG and its caption, and nothing structured, beside which clients drop images.

    Attributes
    ----------
    png
        The image.
    caption
        What it shows and where the file lies; text that a model without eyes can go by.
    source
        As in `Answer`; kept in ``_meta``.
    """

    png: bytes
    caption: str
    source: str = ""
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Image:
    """One of several pictures.

    Attributes
    ----------
    data
        A PNG or JPEG file.
    caption
        Its name and what it shows; text that a model without eyes can go by.
    handle
        Of the artifact that holds it.
    """

    data: bytes
    caption: str
    handle: str = ""
    media_type: str = "image/png"


@dataclass(frozen=True)
class Pictures:
    """An answer with pictures, as content blocks alone: each picture and its caption, then the answer as text.

    Nothing is structured, since clients drop images beside structured content. A tool that may return it is declared
    with ``picture=True``, also where it mostly returns an `Answer`, which has its structured content all the same.
    """

    images: tuple[Image, ...]
    answer: Answer
