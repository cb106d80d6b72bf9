"""Kinds of arguments: texts, numbers, lists and files as published calls write them, and the limits of their values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from labrig.errors import LabrigError, unknown_name


def refuse_flags(value: Any) -> Any:
    """Return numbers as they are; ValueError for true and false, which pydantic takes for 1 and 0."""
    if any(isinstance(each, bool) for each in (value if isinstance(value, list) else [value])):
        raise ValueError("true and false are no numbers")
    return value


Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text whose absence published calls write as null."""
Texts = Annotated[list[str], BeforeValidator(lambda value: [] if value is None else value)]
Numbers = Annotated[list[float], BeforeValidator(lambda value: [] if value is None else refuse_flags(value))]
Wholes = Annotated[list[int], BeforeValidator(lambda value: [] if value is None else refuse_flags(value))]
Whole = Annotated[int, BeforeValidator(lambda value: 0 if value is None else refuse_flags(value))]
Count = Annotated[int, BeforeValidator(refuse_flags)]
Number = Annotated[float, BeforeValidator(refuse_flags)]
"""Numbers of arguments, each annotated with one of these: true is not 1."""
Mapped = Annotated[dict[str, Any], BeforeValidator(lambda value: {} if value is None else value)]

MAY_BE_EMPTY = object()
"""Marks a text or list whose emptiness says that there is to be none, and not that its default is to hold."""

BY_SERVER = object()
"""Marks a field that the server fills before the child works; callers do not have it."""

FILE = object()
File = Annotated[str, FILE]
"""A path or a handle, which is opened: the child has the file by the name of the argument."""
Files = Annotated[list[str], FILE]
OptionalFile = Annotated[Text, FILE]
OptionalFiles = Annotated[Texts, FILE]


LARGEST = 2**63


@dataclass(frozen=True)
class Between:
    """The limits of a number, where one is given; unlike those of `Field` they take no bytes of tools/list."""

    low: float
    high: float = math.inf

    def require(self, name: str, value: Any) -> None:
        """Raise LabrigError for a number beyond the limits."""
        if value is None or self.low <= value <= self.high:
            return
        kind = "a whole number" if isinstance(value, int) else "a number"
        limits = f"at least {self.low:g}" if self.high == math.inf else f"from {self.low:g} to {self.high:g}"
        shown = f"{value:g}" if abs(value) < LARGEST else str(value)[:40]  # of 400 digits there is no float
        raise LabrigError(f"{name} is {shown}", where=name, expected=f"{kind} {limits}")


class OneOf:
    """The names that a text may be, or each of several texts."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def require(self, name: str, value: Any) -> None:
        """Raise LabrigError for another name, with the nearest."""
        kind, values = (name, [value]) if isinstance(value, str) else (name.removesuffix("s"), value)
        for each in values:
            if each and each not in self.names:
                raise unknown_name(kind, each, self.names, where=name)


@dataclass(frozen=True)
class EndsWith:
    """The ending of the path of a file that is written."""

    ending: str

    def require(self, name: str, value: Any) -> None:
        """Raise LabrigError for a path that has another."""
        if not value.endswith(self.ending):
            raise LabrigError(
                "The file has another format", where=f"{name} {value[:200]}", expected=f"*{self.ending}"
            )
