"""Reading ``stems.toml``: strictly, for it is edited by hand."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from pydantic import BaseModel, ValidationError

from labrig.errors import LabrigError
from labrig_suites.phreeqc_mcq.scenario import Printed


@dataclass(frozen=True)
class Mistake:
    """A way to get a stem wrong, by its diagnosis in `Stem.mistakes`; without any field, the right way.

    Attributes
    ----------
    without
        Lines left out of the build, without the white space around them.
    edits
        Replacements (old, new) in what is left.
    punch, row, database
        What is read instead of the stem's own, where reading is the mistake.
    """

    without: tuple[str, ...] = ()
    edits: tuple[tuple[str, str], ...] = ()
    punch: str = ""
    row: int | None = None
    database: str = ""


@dataclass(frozen=True)
class Stem:
    """One scenario with one quantity; its keys are explained at the head of ``stems.toml``."""

    name: str
    question: str
    build: str
    quantity: str
    punch: str
    printed: Printed
    mistakes: dict[str, Mistake]
    row: int = -1
    database: str = "phreeqc.dat"


class _File(BaseModel, extra="forbid", strict=True):
    stem: tuple[Stem, ...]


PLAINLY = {
    "missing": "is missing",
    "unexpected_keyword_argument": "is unknown",
    "extra_forbidden": "is unknown",
}
"""What is wrong with a key, where pydantic says it in words of its own."""


@cache
def stems() -> tuple[Stem, ...]:
    """Return the stems of the suite, in the order of ``stems.toml``."""
    return read(files("labrig_suites.phreeqc_basics") / "stems.toml")


def read(file: Traversable) -> tuple[Stem, ...]:
    """Return the stems of a file.

    Raises
    ------
    LabrigError
        For what is not TOML; for a key that is unknown, missing or of the wrong type; for a name given twice; for an
        edit or a line to leave out that does not fit exactly once. It names file, stem and key.
    """
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LabrigError(f"This is not TOML: {error}", where=file.name) from error
    try:
        # as JSON: there an array is a tuple to the strict, too; JSON has no dates, and no key is one
        found = _File.model_validate_json(json.dumps(table, default=lambda date: None)).stem
    except ValidationError as error:
        wrong = [
            f"{_place(table, each['loc'])}: {PLAINLY.get(each['type'], each['msg'])}"
            for each in error.errors()
        ]
        raise LabrigError("; ".join(wrong), where=file.name) from error
    for name, times in Counter(stem.name for stem in found).items():
        if times > 1:
            raise LabrigError(f"stem {name}: is there {times} times", where=file.name)
    for stem in found:
        for diagnosis, mistake in stem.mistakes.items():
            try:
                edited(stem, mistake)
            except ValueError as error:
                raise LabrigError(
                    f"stem {stem.name}: mistakes: {diagnosis}: {error}", where=file.name
                ) from error
    return tuple(replace(stem, question=" ".join(stem.question.split())) for stem in found)


def _place(table: dict[str, Any], keys: tuple[int | str, ...]) -> str:
    """Return where in a file something is: the stem by its name, then the keys that lead to it."""
    if len(keys) < 2:
        return str(keys[0])
    number = int(keys[1])
    stem = table["stem"][number]
    name = stem.get("name", number + 1) if isinstance(stem, dict) else number + 1
    return ": ".join((f"stem {name}", *map(str, keys[2:])))


def edited(stem: Stem, mistake: Mistake) -> str:
    """Return the build of a stem with a mistake made in it.

    Raises
    ------
    ValueError
        For a line to leave out, or the old text of an edit, that is not there exactly once.
    """
    lines = stem.build.splitlines(keepends=True)
    for left_out in mistake.without:
        kept = [line for line in lines if line.strip() != left_out]
        if len(kept) != len(lines) - 1:
            raise ValueError(
                f"without: {left_out!r} must be a line of the build once, not {len(lines) - len(kept)} times"
            )
        lines = kept
    text = "".join(lines)
    for old, new in mistake.edits:
        if text.count(old) != 1:
            raise ValueError(f"edits: {old!r} must be in the build once, not {text.count(old)} times")
        text = text.replace(old, new)
    return text
