"""Warnings: the first of each place is shown, the others are counted."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from typing import TextIO

MAX_SHOWN = 20


class Notices:
    """Takes the place of ``warnings.showwarning``.

    Python shows a warning once for each place, but forgets that whenever code anywhere uses ``catch_warnings``, as
    pandas and SciPy do: a loop then floods the output.
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, int]] = Counter()
        self._show = warnings.showwarning
        warnings.showwarning = self.show

    def show(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Show a warning, unless its place has been heard of or there have been `MAX_SHOWN`."""
        place = category.__name__, filename, lineno
        self._seen[place] += 1
        if self._seen[place] == 1 and len(self._seen) <= MAX_SHOWN:
            self._show(message, category, filename, lineno, file, line)

    def close(self) -> None:
        """Say on standard error what was left out, and begin anew."""
        hidden = sum(self._seen.values()) - min(len(self._seen), MAX_SHOWN)
        if hidden > 0:
            places = len(self._seen)
            print(f"({hidden:,} more warnings, from {places} places, are not shown)", file=sys.stderr)
        self._seen.clear()
