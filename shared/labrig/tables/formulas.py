"""Text in a table that a spreadsheet opens: what it would take for a formula is text to it again."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def without_formula(text: str) -> str:
    """Return a cell of CSV: an apostrophe in front of text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line
    break, behind blanks too, and is no number."""
    acts = text.startswith(("\t", "\r", "\n")) or text.lstrip().startswith(("=", "+", "-", "@"))
    return f"'{text}" if acts and not _NUMBER.fullmatch(text) else text
