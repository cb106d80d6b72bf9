"""What a generated repository is, before any file of it is written: context, words, paths and columns.

A specification holds all that a truth file needs to say. It is made by `design.specification`; with `dataclasses.
replace` it can be given another number of files or another extension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from labrig_repository.gym.expressions import Expression
from labrig_repository.gym.taxonomy.field import Draw
from labrig_repository.gym.values import Form

Role = Literal["identifier", "datetime", "independent", "dependent"]
PlaceholderKind = Literal["categorical", "ordered", "number", "date", "sequence", "person"]


@dataclass(frozen=True, slots=True)
class Context:
    """The place of a project in the taxonomy."""

    field: str
    domain: str
    subdomain: str


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A variable whose values stand in the paths of files.

    Attributes
    ----------
    values
        What the values are called: ``2025-05-28``, ``4``, ``knockout``.
    written
        How each is written in a path: ``05_28_2025``, ``run04``, ``knockout``.
    numbers
        Of each value, as text, where the values are numbers; else empty.
    label
        What stands before every value in a path: ``run``, ``strain=``; part of `written`.
    form
        How they are written, in words, where that is not plain: ``as MM_DD_YYYY``.
    """

    name: str
    about: str
    kind: PlaceholderKind
    values: tuple[str, ...]
    written: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    unit: str = ""
    label: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of the tree: placeholders and what stands between them.

    Attributes
    ----------
    separators
        One fewer than the placeholders. No value followed by its separator begins as another value of the same
        placeholder followed by it, so the level is read from the left in one way only.
    """

    placeholders: tuple[Placeholder, ...]
    separators: tuple[str, ...]

    def __str__(self) -> str:
        names = [f"{each.label}{{{each.name}}}" for each in self.placeholders]
        return names[0] + "".join(
            f"{mark}{name}" for mark, name in zip(self.separators, names[1:], strict=True)
        )


@dataclass(frozen=True, slots=True)
class Label:
    """The cell is a label: a number of the row, and choices."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The cell is a time: `step_s` seconds from row to row, from a start that is the file's.

    Attributes
    ----------
    date
        The placeholder that says the day of the start, or its year; empty where the day is drawn.
    first_day
        The first day that may be drawn, in days since 1970, and from how many.
    """

    step_s: int
    date: str
    first_day: int
    days: int


@dataclass(frozen=True, slots=True)
class Weighted:
    """The cell is a level, drawn with these integer weights."""

    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """The cell is drawn from a distribution and brought to its bounds, which are mantissas."""

    draw: Draw
    low: float
    high: float
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Computed:
    """The cell is an expression of other cells of its row and of the path, rounded to its decimals."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Cut:
    """The cell says between which cuts another cell of its row lies; the cuts are mantissas of that cell."""

    source: str
    cuts: tuple[int, ...]


Source = Label | Clock | Weighted | Number | Computed | Cut


@dataclass(frozen=True, slots=True)
class FileVariable:
    """A column.

    Attributes
    ----------
    form
        What its data mean and how they are written.
    source
        Where its data come from.
    """

    name: str
    about: str
    role: Role
    unit: str
    form: Form
    source: Source


@dataclass(frozen=True, slots=True)
class Readme:
    """What the README says; a repository may have none."""

    scheme: bool
    title: bool
    abstract: bool


@dataclass(frozen=True, slots=True)
class Specification:
    """A repository.

    Attributes
    ----------
    id
        Version and number, ``isg/1:118``; it goes into the key of every file.
    files
        How many of the possible paths there are, the README not counted.
    """

    id: str
    context: Context
    title: str
    abstract: str
    readme: Readme | None
    levels: tuple[Level, ...]
    extension: str
    files: int
    variables: tuple[FileVariable, ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """Every placeholder, in the order of the path."""
        return tuple(each for level in self.levels for each in level.placeholders)

    @property
    def scheme(self) -> str:
        """The path of a file with its placeholders in braces."""
        return "/".join(map(str, self.levels)) + f".{self.extension}"

    @property
    def possible(self) -> int:
        """How many paths the placeholders allow."""
        count = 1
        for placeholder in self.placeholders:
            count *= len(placeholder.values)
        return count
