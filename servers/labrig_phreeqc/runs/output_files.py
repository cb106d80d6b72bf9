"""The text of each file that a SELECTED_OUTPUT number is given, where it is given several.

PHREEQC writes a number to one file after another when an input defines it again with another ``-file`` (the official
example 8 does that). IPhreeqc returns one text for the number. Where headings stand between the parts, the engine has
cut it (`engine.results`); where there are none, the input is run up to each new definition, and the length of what that
writes is the place to cut.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from labrig.threads import aside
from labrig_phreeqc.engine.run import Run, SelectedOutput
from labrig_phreeqc.input.statements import DeclaredFile, declared_files, statements

MOST_CUTS = 8
"""Runs that are made to cut the text of one number, and numbers whose texts are cut."""

RunPrefix = Callable[[str], Awaitable[Run]]


@dataclass(frozen=True)
class _Part:
    """A file of a number, and where the simulation that names it begins in the input."""

    name: str
    begins: int


async def with_files(run: Run, text: str, run_prefix: RunPrefix) -> Run:
    """Return a run whose selected outputs have the text of each file.

    Parameters
    ----------
    text
        The input of the run, its includes resolved.
    run_prefix
        Runs an input on the same database.
    """
    if not run.solved or not any(table.text and not table.files for table in run.selected):
        return run
    parts = await aside(len(text), _parts, text)
    tables = []
    for table in run.selected:
        of = [] if table.files or not table.text else parts.get(table.user, [])
        tables.append(replace(table, files=await _cut(table, text, of, run_prefix)) if of else table)
    return replace(run, selected=tables)


def _parts(text: str) -> dict[int, list[_Part]]:
    """Return the files of each number that is given several, in the order they are named; not of one given too many."""
    named: dict[int, list[DeclaredFile]] = {}
    for each in declared_files(text):
        if each.block == "SELECTED_OUTPUT":
            named.setdefault(each.user, []).append(each)
    several = {
        user: files
        for user, files in named.items()
        if len({each.name for each in files}) > 1 and len(files) - 1 <= MOST_CUTS
    }
    if not several:
        return {}
    ends = [(each.line, each.end) for each in statements(text) if each.is_keyword and each.block == "END"]
    # A simulation is read whole before it runs, so a definition holds from the END before it.
    return {
        user: [
            _Part(each.name, max((end for line, end in ends if line < each.line), default=0))
            for each in files
        ]
        for user, files in list(several.items())[:MOST_CUTS]
    }


async def _cut(table: SelectedOutput, text: str, parts: list[_Part], run_prefix: RunPrefix) -> dict[str, str]:
    """Return the text of each file; nothing where the runs up to a definition do not write how it begins."""
    places = [0]
    for part in parts[1:]:
        written = ""
        if before := text[: part.begins].strip():
            earlier = await run_prefix(before + "\n")
            written = next((each.text for each in earlier.selected if each.user == table.user), "")
        if not table.text.startswith(written) or len(written) < places[-1]:
            return {}
        places.append(len(written))
    stops = [*places[1:], len(table.text)]
    return {part.name: table.text[a:b] for part, a, b in zip(parts, places, stops, strict=True)}
