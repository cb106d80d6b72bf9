"""What a reader of a run should know beside its numbers: what was assumed, what is doubtful, what is not determined."""

from __future__ import annotations

from dataclasses import dataclass

from labrig_phreeqc.assumptions import assumptions
from labrig_phreeqc.outline import Outline
from labrig_phreeqc.run import Run
from labrig_phreeqc.validity import UNDETERMINED_PE, findings

MOST = 8
"""Lines of each kind; how many more there are is said."""

MAX_CHARS = 1_000_000
"""Input and output beyond this size together are not looked at (a second or so)."""


@dataclass(frozen=True)
class Caveats:
    """Lines of text about one run.

    Attributes
    ----------
    defaults
        Values that PHREEQC takes where the input is silent.
    counted_as
        Formulas by which masses were counted, valence states that a bare element was taken as.
    undetermined
        States whose pe nothing determines.
    doubts
        What probably is not meant, or lies beyond what the database is for.
    """

    defaults: tuple[str, ...] = ()
    counted_as: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    def assumed(self) -> dict[str, list[str]]:
        """Return the facts by kind, without empty ones; the doubts are left to the warnings."""
        kinds = {
            "defaults": self.defaults,
            "counted_as": self.counted_as,
            "not_determined": self.undetermined,
        }
        return {name: list(lines) for name, lines in kinds.items() if lines}


def caveats(text: str, run: Run, outline: Outline) -> Caveats:
    """Return what should be known about a run.

    Parameters
    ----------
    text
        Its input, includes resolved.
    outline
        Of its output.
    """
    if len(text) + len(run.output) > MAX_CHARS:
        return Caveats(defaults=("not listed for a run of this size: see check_input",))
    assumed = assumptions(text, run.database)
    found = findings(run, outline, text) if run.output else []
    pe = [str(each) for each in found if each.message.startswith(UNDETERMINED_PE)]
    beyond = [str(each) for each in found if not each.message.startswith(UNDETERMINED_PE)]
    return Caveats(
        _most([str(each) for each in assumed.defaults]),
        _most(assumed.counted_as),
        _most(pe),
        _most([*assumed.doubts, *beyond]),
    )


def _most(lines: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    more = len(lines) - MOST
    return tuple(lines) if more <= 0 else (*lines[:MOST], f"and {more} more")
