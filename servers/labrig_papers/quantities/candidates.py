"""A value that was found in a paper, with what an agent needs to choose it among others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from labrig_papers.attribution.standing import Standing
from labrig_papers.values.reading import Value

Source = Literal["text", "caption", "table"]


@dataclass(frozen=True)
class Candidate:
    """A value in a text.

    Attributes
    ----------
    page
        As given to `find_quantities`.
    start, end
        Span in the text of the page, qualifier and unit included.
    text
        As printed.
    value
        As read; None with the `problem` where it cannot be (an exponent that lost its place, emu/mol).
    name
        The quantity named last before it in its sentence, empty if none is known.
    quote, quote_start
        Its sentence or row, and where that begins.
    formulas
        Formulas near it, nearest first.
    material_by
        Why the first formula stands first: its sentence is ``paired`` with values; its ``row``, ``group row`` or
        ``caption`` names it; it is ``nearest, 35 characters before``; or none is near, and the ``title`` names it.
    citations
        Citation marks of the sentence.
    standing
        measured, calculated or cited.
    competing
        Other values of the same dimension and quantity, as ``36 K (MgB_{2}, onset, p. 1, measured)``.
    source
        ``text``, ``caption`` or ``table``.
    column
        Head of the column of a table, whose unit the cell has.
    conditions
        What the words round it state: ``criterion`` (onset, zero, mid), ``orientation`` (c, ab), ``sample``, and the
        ``temperature``, ``field`` and ``pressure`` at which it holds, as printed; in a table ``x`` of a series, and
        ``label``: of its row or column, where that is no formula; ``denied`` where its words say that it was not found.
    """

    page: int
    start: int
    end: int
    text: str
    value: Value | None
    problem: str
    name: str
    quote: str
    quote_start: int
    formulas: tuple[str, ...]
    citations: tuple[str, ...]
    standing: Standing
    competing: tuple[str, ...] = ()
    source: Source = "text"
    column: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)
    material_by: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data; what is empty is left out."""
        fields: dict[str, Any] = {
            "page": self.page,
            "span": [self.start, self.end],
            "text": self.text,
            **({} if self.value is None else {k: v for k, v in self.value.to_dict().items() if k != "text"}),
            "problem": self.problem,
            "name": self.name,
            "quote": self.quote,
            "formulas": list(self.formulas),
            "material_by": self.material_by,
            "citations": list(self.citations),
            "standing": self.standing,
            "competing": list(self.competing),
            "source": self.source if self.source != "text" else "",
            "column": self.column,
            "conditions": dict(self.conditions),
        }
        return {key_: each for key_, each in fields.items() if each not in (None, "", [], {})}
