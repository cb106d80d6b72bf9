"""A question as its file states it, and the file: what may be written, and what must not."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from labrig_study.quantities import is_known

Kind = Literal["choice", "number", "text", "regex", "json", "abstain"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_CHARS = 100_000
_NO_TOLERANCE = "tolerance {} is no number from 0 on, and no share such as 2%"
Id = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}"


class Strict(BaseModel):
    """Refuses a key that it does not know."""

    model_config = ConfigDict(extra="forbid")


class CallRule(Strict):
    """What is asserted of the calls: this tool, with these arguments, so often.

    Attributes
    ----------
    tool
        Its own name, without a client's or a server's prefix.
    arguments
        Those that a call must have, among others: a value, or ``{matches = "regular expression"}``.
    at_least, at_most
        How many calls there must be; without either, one at least.
    """

    tool: str = Field(min_length=1, max_length=200)
    arguments: dict[str, Any] = {}
    at_least: int | None = Field(None, ge=0)
    at_most: int | None = Field(None, ge=0)

    @property
    def least(self) -> int:
        """The smallest number of calls that is right."""
        if self.at_least is not None:
            return self.at_least
        return 1 if self.at_most is None else 0

    @model_validator(mode="after")
    def _check(self) -> CallRule:
        if self.at_most is not None and self.at_most < self.least:
            raise ValueError(f"at_most {self.at_most} is below at_least {self.least}")
        for value in self.arguments.values():
            if pattern_of(value) is not None:
                check_pattern(pattern_of(value))
        return self


class Question(Strict):
    """One question.

    Attributes
    ----------
    answer
        ``choice``: the letter or the text of an option; ``number``: a number; ``text``: a text, or a list of those that
        are right; ``regex``: a regular expression that the answer must match whole; ``json``: fields with their
        values; ``abstain``: none.
    tolerance
        Of numbers: absolute in the unit of the answer, or a share of the answer, as in ``"2%"``.
    group
        Questions that belong together: intervals then resample whole groups.
    files
        Files beside the question file that are put into the agent's folder.
    """

    id: str = Field("", pattern=f"^({Id})?$")
    question: str = Field(min_length=1, max_length=MOST_CHARS)
    kind: Kind
    answer: Any = None
    options: list[str] = Field([], max_length=len(LETTERS))
    tolerance: float | str | None = None
    unit: str = Field("", max_length=40)
    group: str = Field("", max_length=200)
    files: list[str] = []
    calls: list[CallRule] = []
    max_steps: int | None = Field(None, ge=1)
    wall_s: float | None = Field(None, gt=0)
    call_s: float | None = Field(None, gt=0)
    max_tokens: int | None = Field(None, ge=1)

    @field_validator("tolerance", mode="before")
    @classmethod
    def _check_tolerance(cls, tolerance: object) -> object:
        if isinstance(tolerance, bool):
            raise ValueError(_NO_TOLERANCE.format(tolerance))
        return tolerance

    @field_validator("options")
    @classmethod
    def _check_options(cls, options: list[str]) -> list[str]:
        if len(options) == 1 or len({each.strip().casefold() for each in options}) < len(options):
            raise ValueError("options are two at least, and no two are the same")
        return options

    @model_validator(mode="after")
    def _check(self) -> Question:
        if self.kind == "abstain" and self.answer is not None:
            raise ValueError("kind abstain has no answer")
        if self.kind != "abstain" and self.answer is None:
            raise ValueError("answer is missing")
        if self.options and self.kind not in ("choice", "abstain"):
            raise ValueError("options belong to kind choice")
        if self.unit and self.kind not in ("number", "abstain"):
            raise ValueError("unit belongs to kind number")
        if re.search(r"[\s*/^]", self.unit) and not is_known(
            self.unit
        ):  # one word, such as USD, may be itself
            raise ValueError(f"unit {self.unit!r} cannot be read: as in mg/L, g/cm3, kg m-2, degC")
        _CHECKS[self.kind](self)
        return self

    @property
    def allowed(self) -> tuple[float, bool]:
        """The tolerance as a number, and whether it is a share of the answer."""
        if isinstance(self.tolerance, str):
            text, percent, rest = self.tolerance.partition("%")
            if rest.strip():
                raise ValueError(_NO_TOLERANCE.format(self.tolerance))
            return float(text) / (100 if percent else 1), bool(percent)
        return self.tolerance or 0.0, False


def _check_choice(question: Question) -> None:
    if not question.options:
        raise ValueError("kind choice needs options")
    letter_of(question.answer, question.options)


def _check_number(question: Question) -> None:
    question.answer = number_of(question.answer)
    if question.tolerance is None:
        raise ValueError("kind number needs a tolerance: 0.05, 2% or, for a count, 0")
    check_tolerance(question)


def _check_text(question: Question) -> None:
    accepted = question.answer if isinstance(question.answer, list) else [question.answer]
    if not accepted or not all(isinstance(each, str) and each.strip() for each in accepted):
        raise ValueError("the answer is a text, or a list of texts")


def _check_regex(question: Question) -> None:
    check_pattern(question.answer)


def _check_json(question: Question) -> None:
    if not isinstance(question.answer, dict) or not question.answer:
        raise ValueError("the answer is a table of fields with their values")
    if question.tolerance is None and _has_float(question.answer):
        raise ValueError("fields that are no whole numbers need a tolerance: 0.05 or 2%")
    check_tolerance(question)


_CHECKS: dict[str, Callable[[Question], None]] = {
    "choice": _check_choice,
    "number": _check_number,
    "text": _check_text,
    "regex": _check_regex,
    "json": _check_json,
    "abstain": lambda question: None,
}


class QuestionFile(Strict):
    """A file of questions.

    Attributes
    ----------
    server
        As ``--server`` takes them; files that a command names lie beside this file.
    server_kept
        Names of those whose process goes from record to record, as ``--server-kept``.
    instructions
        What every question is followed by.
    repeats
        Times each question is asked, as ``--epochs``.
    fail_below
        The share of right answers below which ``labrig run`` ends with exit code 1.
    max_steps, wall_s, call_s, max_tokens
        Limits of every question that does not set its own.
    """

    server: list[str] = []
    server_kept: list[str] = []
    instructions: str = Field("", max_length=MOST_CHARS)
    repeats: int = Field(1, ge=1, le=10_000)
    fail_below: float = Field(0.0, ge=0, le=1)
    max_steps: int | None = Field(None, ge=1)
    wall_s: float | None = Field(None, gt=0)
    call_s: float | None = Field(None, gt=0)
    max_tokens: int | None = Field(None, ge=1)
    question: list[Question] = Field(min_length=1)


def letter_of(answer: object, options: list[str]) -> str:
    """Return the letter of the right option, given it or the option's text; a ValueError where it is neither."""
    letters = LETTERS[: len(options)]
    wanted = str(answer).strip()
    for letter, option in zip(letters, options, strict=True):
        if wanted.casefold() == option.strip().casefold():
            return letter
    if len(wanted) == 1 and wanted.upper() in letters:
        return wanted.upper()
    raise ValueError(f"the answer {wanted[:80]!r} is no option and no letter of one (A to {letters[-1]})")


def number_of(answer: object) -> float:
    """Return a number, which a CSV holds as a text."""
    if isinstance(answer, bool) or not isinstance(answer, int | float | str):
        raise ValueError(f"the answer {str(answer)[:80]!r} is no number")
    try:
        found = float(answer)
    except (ValueError, OverflowError):
        found = float("nan")
    if not isfinite(found):
        raise ValueError(f"the answer {str(answer)[:80]!r} is no number")
    return found


def check_tolerance(question: Question) -> None:
    """Raise a ValueError for a tolerance that is none."""
    try:
        found, _ = question.allowed
    except ValueError:
        found = -1.0
    if not (isfinite(found) and found >= 0):
        raise ValueError(_NO_TOLERANCE.format(question.tolerance))


def pattern_of(value: object) -> object:
    """Return the pattern of ``{matches = ".."}``; None for any other value."""
    return value["matches"] if isinstance(value, dict) and set(value) == {"matches"} else None


def check_pattern(pattern: object) -> None:
    """Raise a ValueError for what is no regular expression."""
    if not isinstance(pattern, str):
        raise ValueError("a regular expression is a text")
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"the regular expression {pattern[:80]!r} cannot be read: {error}") from None


def _has_float(value: object) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_float, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and not value.is_integer()
