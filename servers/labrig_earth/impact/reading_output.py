"""A file that a run left, as an agent reads it: by an output protocol (`labrig.tools.outlines`), or by its lines."""

from __future__ import annotations

import csv
import io
import json
import re

from labrig.errors import LabrigError
from labrig.tools.outlines import Outliner

MOST_LINES = 400
_LINES = re.compile(r"lines? (\d{1,9})(?:-(\d{1,9}))?")


def outliner(path: str) -> Outliner:
    """Return what maps a file: those of DSSAT and EnergyPlus by their endings, tables by columns, others by lines."""
    if path.endswith((".OUT", ".SOL", ".WTH", ".CUL", ".ECO")) or re.search(r"\.\w\wX$", path):
        from labrig_earth.impact.crops.dssat_outline import OUTLINER

        return OUTLINER
    if path.endswith(".err"):
        from labrig_earth.impact.buildings.err_outline import OUTLINER as MESSAGES

        return MESSAGES
    return TABLES if path.endswith(".csv") else PLAIN


def output_text(text: str, path: str, output: str) -> tuple[str, str]:
    """Return what an agent gets of a file: the kind, and the text.

    Parameters
    ----------
    output
        ``toc``, ``outline``, ``raw:N``, ``auto``; or ``lines A-B`` (from 1, both included).

    Raises
    ------
    LabrigError
        For another output, and lines that the file does not have.
    """
    if match := _LINES.fullmatch(output.strip()):
        first = int(match[1])
        last = int(match[2] or first)
        lines = text.split("\n")
        if not 1 <= first <= last or first > len(lines):
            raise LabrigError(
                f"The file has {len(lines)} lines", where=f"output {output}", expected="lines A-B, from 1"
            )
        return "lines", "\n".join(lines[first - 1 : min(last, first + MOST_LINES - 1)])
    maps = outliner(path)
    try:
        return maps.deliver(text, maps.check(output), where=path)
    except LabrigError as error:
        error.expected += "; or lines A-B"
        raise


def _columns(text: str) -> list[str]:
    return next(csv.reader(io.StringIO(text)), [])


def _table_outline(text: str) -> str:
    """Return the columns of a table with the least and greatest of each, and its number of rows."""
    rows = list(csv.DictReader(io.StringIO(text)))
    said = [f"table of {len(rows)} rows"]
    for name in _columns(text):
        values = [row[name] or "" for row in rows if row.get(name)]
        try:
            numbers = [float(each) for each in values]
            said.append(f"  {name}: {min(numbers):g} to {max(numbers):g}, last {numbers[-1]:g}")
        except ValueError:
            said.append(f"  {name}: {values[0]} to {values[-1]}" if values else f"  {name}: empty")
    return "\n".join(said)


TABLES = Outliner(
    toc=lambda text: json.dumps([{"line": 1, "section": name} for name in _columns(text)]),
    outline=_table_outline,
)
PLAIN = Outliner(
    toc=lambda text: json.dumps([{"line": 1, "section": text.split("\n", 1)[0][:100]}]),
    outline=lambda text: f"{text.count(chr(10)) + 1} lines, {len(text)} characters\n{text[:3000]}",
)
