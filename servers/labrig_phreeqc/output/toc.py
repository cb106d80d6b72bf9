"""The published tables of contents of PHREEQC output: flat lists of headings with their line numbers.

``toc``
    the list of "Evaluating Tool-Augmented Agents ... PHREEQC-MCQ-200" (section 3.2 and appendix C.2): every
    dash-delimited heading.
``toc_capped``
    what the authors' released code does instead: it also lists boxed headings, and shows at most 50 entries.

Both count lines from 1 with ``str.splitlines``, as published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

NAME_CHARS = 300
MAX_TOC_CHARS = 50_000_000
"""Above this size the authors' released code makes no list (there: 50 MB)."""

_RULE = re.compile(r"-{3,}\s*")


class Entry(NamedTuple):
    """One line of a flat table of contents: 1-based line number and section name."""

    line: int
    section: str


def heading(line: str) -> str | None:
    r"""Name in a dash-delimited heading, or None.

    Equivalent to the paper's ``^-{3,}\s*([A-Za-z].+?)\s*-{3,}\s*$`` on one line, but linear: the regex takes
    quadratic time on a long row of dashes, which an input can smuggle into the output.
    """
    if not line.startswith("---"):
        return None
    name = line.lstrip("-").lstrip()
    if not (name[:1].isascii() and name[:1].isalpha()):
        return None
    body = name.rstrip()
    core = body.rstrip("-")
    if len(body) - len(core) >= 3 and len(core := core.rstrip()) >= 2:
        return core
    # A one-letter name: the regex gives it whatever character follows.
    return name[:2] if _RULE.fullmatch(name[2:].lstrip()) else None


def toc(text: str) -> list[Entry]:
    """List every dash-delimited section heading, as published.

    Parameters
    ----------
    text : str
        PHREEQC output.

    Returns
    -------
    list of Entry
        Line numbers count ``text.splitlines()`` from 1. The list is empty if the output has no such heading
        (PRINT -reset false, or results only in selected output).

    Notes
    -----
    Source: PHREEQC-MCQ-200, appendix C.2. Faults are reproduced: boxed headings are missed, and messages
    between dashes ("Fixed-pressure gas phase 1 dissolved completely") are listed. The paper also sets a size
    threshold of 10 million characters for its Agent-TOC protocol (section 3.2), but builds the list
    "regardless of file size" (C.2), so there is none here.
    """
    return [
        Entry(number, name)
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith("---") and (name := heading(line)) is not None
    ]


def toc_capped(text: str, cap: int = 50) -> list[Entry]:
    """List headings as the authors' released code does, at most `cap` of them.

    Lines are stripped before they are matched, and the first non-blank line after a line of dashes is an
    entry too, without its final period. If there are more than `cap` entries, the middle is replaced by one
    entry ``... N sections omitted ...`` on line -1. Outputs longer than `MAX_TOC_CHARS` get no list.

    Parameters
    ----------
    text : str
        PHREEQC output.
    cap : int
        Entries shown, half of them from the head and half from the tail.

    Returns
    -------
    list of Entry
        Line numbers count ``text.splitlines()`` from 1.
    """
    if len(text) > MAX_TOC_CHARS:
        return []
    entries: list[Entry] = []
    after_rule = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line:
            continue
        if (name := heading(line)) is not None:
            entries.append(Entry(number, name))
            after_rule = False
        elif line.startswith("---") and not line.strip("-"):
            after_rule = True
        elif after_rule:
            entries.append(Entry(number, line.rstrip(".")))
            after_rule = False
    if len(entries) <= cap:
        return entries
    head, tail = cap // 2, cap - cap // 2
    marker = Entry(-1, f"... {len(entries) - cap} sections omitted ...")
    return [*entries[:head], marker, *entries[len(entries) - tail :]]


def toc_json(entries: Iterable[Entry]) -> str:
    """Render a flat list in its published JSON form, ``[{"line": 102, "section": "Gas phase"}, ...]``.

    A name above `NAME_CHARS` is cut, which no heading of PHREEQC's own is: it would be a line of an input, and as long.
    """
    return json.dumps([{"line": entry.line, "section": _cut(entry.section)} for entry in entries])


def _cut(name: str) -> str:
    return name if len(name) <= NAME_CHARS else f"{name[:NAME_CHARS]}..."
