"""What is said about a row of the table: reasons to reject it, and what looks wrong or odd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

NoticeKind = Literal[
    "row",  # the line does not fit the heading, or has nothing to compute with
    "value",  # a cell that cannot be read, or that contradicts another
    "pH",  # no pH, an impossible one, or one that the other values exclude
    "temperature",
    "density",
    "charge",  # charge error; or what the missing constituent would have to be
    "unit",
    "as",
    "check",  # conductivity, dissolved solids, hardness
]


@dataclass(frozen=True)
class Explanation:
    """One change that would bring a row into line: consistent with its numbers, and not more than that.

    Attributes
    ----------
    kind
        ``unit`` or ``as`` for a value meant otherwise than its heading says; ``charge`` for a constituent without
        a value; ``value`` for a slip of the decimal point or neighbours that changed places; ``temperature`` for degF.
    column
        Heading of the one column that would change.
    words
        ``if Na (mg/L) were in meq/L``.
    charge_error
        Percent that would remain; None where the row was not odd in its charges.
    """

    kind: NoticeKind
    column: str
    words: str
    charge_error: float | None = None


@dataclass(frozen=True)
class Notice:
    """One thing that is wrong or odd with a row.

    Attributes
    ----------
    kind
        See `NoticeKind`.
    column
        Heading of the column; empty where it is about several.
    words
        What it is, for people.
    explanations
        Best first.
    """

    kind: NoticeKind
    column: str
    words: str
    explanations: tuple[Explanation, ...] = ()

    @property
    def kinds(self) -> set[NoticeKind]:
        """Its kind, and those of its explanations."""
        return {self.kind, *(each.kind for each in self.explanations)}

    def text(self, explanations: int = 2) -> str:
        """Return the notice as one sentence, with the best explanations."""
        if not self.explanations:
            return self.words
        likely = "; or ".join(
            explanation.words
            if explanation.charge_error is None
            else f"{explanation.words}, it would be {explanation.charge_error:.1f} %"
            for explanation in self.explanations[:explanations]
        )
        more = len(self.explanations) - explanations
        return f"{self.words}; {likely}" + (f" (and {more} more explanations)" if more > 0 else "")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        fields: dict[str, Any] = {"kind": self.kind, "column": self.column, "words": self.words}
        if self.explanations:
            fields["explanations"] = [vars(each) for each in self.explanations]
        return {key: value for key, value in fields.items() if value}
