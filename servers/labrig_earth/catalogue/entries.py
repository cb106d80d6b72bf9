"""What a catalogue says of one data set: what it holds, where and when, and how it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Variable:
    """A variable, band, layer or tag: its name, unit, and what it is in words."""

    name: str
    unit: str = ""
    title: str = ""


@dataclass(frozen=True)
class Entry:
    """One data set.

    Attributes
    ----------
    name
        By which a catalogue knows it.
    where
        A path in the workspace, or a URL.
    kind
        Of `data.formats.Format`.
    title
        One line.
    variables
        What it holds.
    box
        (west, south, east, north) in degrees, or None where it is not known; west is greater than east for what lies
        across the antimeridian.
    start, end
        First and last time, ISO 8601; empty where it has none.
    source
        Which catalogue: ``files``, or the name of a service.
    synthetic
        Whether the file says that it is.
    more
        Other assets of the same data by their names: SCL of a scene.
    """

    name: str
    where: str
    kind: str
    title: str = ""
    variables: tuple[Variable, ...] = ()
    box: Box | None = None
    start: str = ""
    end: str = ""
    source: str = "files"
    synthetic: bool = False
    more: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without what is empty."""
        found: dict[str, Any] = {
            "name": self.name,
            "where": self.where,
            "kind": self.kind,
            "title": self.title,
            "variables": [
                {
                    key: value
                    for key, value in (("name", v.name), ("unit", v.unit), ("title", v.title))
                    if value
                }
                for v in self.variables
            ],
            "box": [round(value, 6) for value in self.box] if self.box else None,
            "start": self.start,
            "end": self.end,
            "source": self.source,
            "synthetic": self.synthetic,
            "more": dict(self.more),
        }
        return {key: value for key, value in found.items() if value}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Entry:
        """Rebuild an entry from `to_dict`."""
        box = fields.get("box")
        return cls(
            name=str(fields["name"]),
            where=str(fields["where"]),
            kind=str(fields["kind"]),
            title=str(fields.get("title", "")),
            variables=tuple(Variable(**each) for each in fields.get("variables", ())),
            box=(float(box[0]), float(box[1]), float(box[2]), float(box[3])) if box else None,
            start=str(fields.get("start", "")),
            end=str(fields.get("end", "")),
            source=str(fields.get("source", "files")),
            synthetic=bool(fields.get("synthetic", False)),
            more=dict(fields.get("more", {})),
        )
