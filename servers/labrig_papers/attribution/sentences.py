"""The sentence or the row of a table that a place of a text is in."""

from __future__ import annotations

import re
from dataclasses import dataclass

_END = re.compile(
    r"[.!?]\)?(?:[ \t]?\n?\[\d[^\]]*\]|(?:\^\{[\d,\s–-]+\)?\}\s?){1,3})?\s+(?=[A-ZΑ-Ωα-ω(\[\d])|\n\s*\n"
    r"|@[\w-]+(?:\.[\w-]+)+\s+(?=[A-Z])"
)
_NO_END = re.compile(
    r"(?:\b(?:Figs?|Refs?|Eqs?|No|Nos|Sec|Tab|al|vs|ca|cf|i\.e|e\.g|approx|resp|Dr|Prof|St|at|wt|mol|f\.u|u"
    r"|Phys|Rev|Lett)|(?<![\d)}] )(?<![/·])\b[A-Z])$"
)


_BEGINS = re.compile(
    r"\.\s+(?:The|This|These|Those|In|We|It|Its|For|As|At|Here|However|Thus|Therefore|Moreover|Since|Our|A|An|From|With)\s"
)
"""Words by which a sentence begins, also behind what might be an initial: "at Y. The latter"."""


@dataclass(frozen=True)
class Span:
    """A part of a text."""

    start: int
    end: int


def sentence_of(text: str, start: int, end: int) -> Span:
    """Return the sentence around a span, or the row of a table (cells parted by tabs or bars)."""
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    line = text[line_start:line_end]
    if line.count("\t") >= 2 or line.count(" | ") >= 2:
        return Span(line_start, line_end)
    first = 0
    for match in _END.finditer(text, max(0, start - 1500), start):
        if _is_end(text, match):
            first = match.end()
    first = first or (max(0, start - 1500) and text.find(" ", max(0, start - 1500)) + 1)
    last = min(len(text), end + 1500)
    for match in _END.finditer(text, end, last):
        if _is_end(text, match):
            last = match.start() + len(
                match.group().rstrip()
            )  # a raised citation is of the sentence before it
            break
    return Span(first, max(last, end))


_GOES_ON = re.compile(r"[a-z(≈∼~=<>≤≥]|\d[\d.]*\s?(?:[A-Za-zµμ%°Å]|[−–-]\s?\d)")
"""How a line begins that goes on behind an empty one, as between lines set far apart."""


def _is_end(text: str, match: re.Match[str]) -> bool:
    """Tell whether a point ends a sentence, and no abbreviation or initial, or an empty line what stands before it."""
    if match.group()[0] == "\n":
        return not (
            re.search(r"[a-z\d,≈∼~=(})]$", text[: match.start()][-1:]) and _GOES_ON.match(text, match.end())
        )
    short = _NO_END.search(text[max(0, match.start() - 8) : match.start()])
    return short is None or (len(short[0]) == 1 and _BEGINS.match(text, match.start()) is not None)
