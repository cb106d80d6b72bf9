"""A row of truth, and a predicted row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as checked

Rule = Literal["numeric", "categorical", "formula", "space_group"]
Source = Literal["text", "figure", "caption", "table"]


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class Place:
    """Where a value is printed: page from 1, box (left, bottom, right, top, in points from the lower left), quote."""

    page: int
    box: tuple[float, float, float, float]
    quote: str
    source: Source = "text"


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class Truth:
    """A property that a paper reports of its own sample.

    Attributes
    ----------
    name
        Standard name; `also` holds other names that mean it.
    rule
        How a value is compared: ``numeric`` in SI, ``categorical`` exactly, ``formula``, ``space_group``.
    material
        Fully resolved formula, or the label of a published row.
    value, unit
        As printed; the unit may stand in the head of a column.
    sample
        Label of the sample where a paper has several, else empty.
    conditions
        Temperature, pressure or field at which it holds, where the name does not say so.
    places
        Where it is printed. None where that is not known (published rows): evidence is then not asked for.
    """

    name: str
    rule: Rule
    material: str
    value: str
    unit: str = ""
    sample: str = ""
    conditions: dict[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def in_figure(self) -> bool:
        """Whether it stands in a figure alone: no text of the paper is evidence of it."""
        return bool(self.places) and all(place.source == "figure" for place in self.places)

    @property
    def printed(self) -> str:
        """Value and unit together."""
        return f"{self.value} {self.unit}".strip()


@dataclass(frozen=True)
class Predicted:
    """A row as an agent wrote it, with empty texts where it said nothing that can be read."""

    name: str = ""
    material: str = ""
    value: str = ""
    unit: str = ""
    sample: str = ""
    conditions: dict[str, str] = field(default_factory=dict)
    page: int | None = None
    quote: str = ""
    source: str = ""


@lru_cache(maxsize=1)
def truths() -> TypeAdapter[tuple[Truth, ...]]:
    """Return what reads rows of truth from plain data; a ValueError says what is wrong with them."""
    return TypeAdapter(tuple[Truth, ...])
