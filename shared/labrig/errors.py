"""Refusals: one clear error that says what was wrong, where, what was expected and what to try.

Every error that an agent or a person should act on is a `LabrigError`. Anything else that
escapes a tool is a defect of ours and reaches the caller masked.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Literal, get_args

Code = Literal[
    "bad_input",  # the arguments cannot be used as they are
    "not_found",  # a name, file or handle that does not exist
    "refused",  # understood, and not allowed
    "unavailable",  # an engine, database, key or file that is not installed or configured
    "busy",  # a queue is full; the same call may succeed later
    "limit",  # a limit on time, memory or size was reached
    "engine",  # the engine or program behind the tool failed
    "rate_limited",  # a service on the network asks to wait; `retry_after_s` says how long
    "unreachable",  # a service on the network does not answer, or fails
    "too_large",  # what a service on the network sends is larger than may be taken
    "not_recorded",  # a replay met a request that the ledger does not hold
    "internal",  # a defect of Labrig
]
CODES: tuple[str, ...] = get_args(Code)


MOST_CHARS = 1_000
"""Characters of a part of an error; it may quote an argument of any length."""


class LabrigError(Exception):
    """An error written for whoever must act on it.

    Parameters
    ----------
    what
        What was wrong, in one sentence.
    where
        The argument, file, line or keyword at fault.
    expected
        What would have been accepted, with units and ranges.
    try_
        The next thing to do: a corrected call, a nearest match, a command.
    code
        One of `CODES`.
    retry_after_s
        Seconds after which the same call may succeed, where that is known.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        expected: str = "",
        try_: str = "",
        code: Code = "bad_input",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(what)
        self.what = _clipped(what)
        self.where = _clipped(where)
        self.expected = _clipped(expected)
        self.try_ = _clipped(try_)
        self.code: Code = code
        self.retry_after_s = retry_after_s

    def to_dict(self) -> dict[str, Any]:
        """Return the error as plain data; empty fields are left out."""
        fields: dict[str, Any] = {
            "code": self.code,
            "what": self.what,
            "where": self.where,
            "expected": self.expected,
            "try": self.try_,
        }
        if self.retry_after_s is not None:
            fields["retry_after_s"] = self.retry_after_s
        return {key: value for key, value in fields.items() if value not in ("", None)}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> LabrigError:
        """Rebuild an error from `to_dict`; an unknown code becomes ``internal``."""
        code = fields.get("code", "internal")
        return cls(
            fields.get("what", "unknown error"),
            where=fields.get("where", ""),
            expected=fields.get("expected", ""),
            try_=fields.get("try", ""),
            code=code if code in CODES else "internal",
            retry_after_s=fields.get("retry_after_s"),
        )

    def __str__(self) -> str:
        parts = [self.what if not self.where else f"{self.what} (at {self.where})"]
        if self.expected:
            parts.append(f"Expected: {self.expected}")
        if self.try_:
            parts.append(f"Try: {self.try_}")
        text = ". ".join(part.rstrip(".") for part in parts)
        return text if text.endswith("?") else f"{text}."


class Lacking(LabrigError):
    """``unavailable``, for want of a side environment; where that is small, a server fetches it and tries again.

    Parameters
    ----------
    side_env
        Its name, as in ``labrig setup NAME``.
    what, where, try_
        As for every error.
    """

    def __init__(self, side_env: str, what: str, *, where: str = "", try_: str = "") -> None:
        super().__init__(what, where=where, try_=try_, code="unavailable")
        self.side_env = side_env


def _clipped(text: str) -> str:
    """Return a text with its middle left out where it is too long to be read."""
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[: MOST_CHARS - 200]} [... {len(text) - MOST_CHARS} characters ...] {text[-160:]}"


def nearest(name: str, known: Iterable[str], n: int = 3) -> list[str]:
    """Return up to `n` of the known names that resemble `name`, best first, case ignored."""
    if len(name) > MOST_CHARS:  # nothing resembles it, and to find that out would take long
        return []
    by_fold = {each.casefold(): each for each in known}
    hits = difflib.get_close_matches(name.casefold(), by_fold, n=n, cutoff=0.5)
    return [by_fold[hit] for hit in hits]


def unknown_name(kind: str, name: str, known: Iterable[str], *, where: str = "") -> LabrigError:
    """Return the error for a name that is not in a list: nearest matches, or the list itself."""
    names = sorted(known)
    close = nearest(name, names)
    return LabrigError(
        f"There is no {kind} named {name!r}",
        where=where,
        expected="one of " + ", ".join(names) if 0 < len(names) <= 25 else "",
        try_="did you mean " + " or ".join(close) + "?" if close else "",
        code="not_found",
    )


def over_limit(message: str, most: int, unit: str = "", *, where: str = "", try_: str = "") -> LabrigError:
    """Return the error for more of something than there may be, with code ``limit``."""
    expected = f"at most {most:,} {unit}".strip()
    return LabrigError(message, where=where, expected=expected, try_=try_, code="limit")
