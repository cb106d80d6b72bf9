"""What must be said about a table of waters as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from labrig_phreeqc.waters.cells import BelowLimit
from labrig_phreeqc.waters.columns import Column


@dataclass
class Remarks:
    """What is counted while rows are read.

    Attributes
    ----------
    summaries
        Names of rows that are no samples.
    censored, unstated, estimated
        Values below a limit, below one that is not stated, and marked as estimated, by heading.
    said
        Rows by what is said of them.
    compared
        Headings of two columns for one constituent, that which counts first.
    """

    summaries: list[str] = field(default_factory=list)
    censored: Counter[str] = field(default_factory=Counter)
    unstated: Counter[str] = field(default_factory=Counter)
    estimated: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    compared: set[tuple[str, str]] = field(default_factory=set)

    def notes(
        self, samples: Sequence[str], below_limit: BelowLimit, columns: Sequence[Column], *, comma: bool
    ) -> list[str]:
        """Say it in sentences.

        Parameters
        ----------
        samples
            Names of all rows.
        below_limit
            What stands for values below a limit.
        comma
            Whether the decimal mark is a comma.
        """
        notes = []
        if self.summaries:
            some = _some([each[:30] for each in self.summaries], 6)
            notes.append(
                f"rows that are no samples (means, counts, blanks, limits): {len(self.summaries)} ({some})"
            )
        if doubles := [name for name, n in Counter(samples).items() if n > 1]:
            some = _some(doubles, 5)
            notes.append(f"sample names that occur more than once: {some}; rows are told apart by their line")
        if total := self.censored.total():
            stands = {"half": "half the limit", "zero": "zero", "limit": "the limit"}[below_limit]
            notes.append(f"values below a limit of detection: {total}; {stands} stands for each")
        if self.estimated:
            notes.append(
                f"values that the laboratory marks as estimated (J, E, B): {_with_headings(self.estimated)}; "
                "they are used as they stand"
            )
        if self.unstated:
            notes.append(
                f"values below a limit that is not stated: {_with_headings(self.unstated)}; they are left "
                "out, as if they were zero"
            )
        notes += [f"{words} (rows: {n})" for words, n in self.said.items()]
        dissolved = {each.header for each in columns if each.fraction == "dissolved"}
        notes += [
            f"{'the first ' if first == other else ''}{first} counts"
            f"{', the dissolved part' if first in dissolved else ''}; {other} is only compared with it"
            for first, other in sorted(self.compared)
        ]
        return [*notes, "the decimal mark is a comma"] if comma else notes


def _some(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (", ..." if names[most:] else "")


def _with_headings(values: Counter[str]) -> str:
    return f"{values.total()} ({', '.join(list(values)[:6])})"
