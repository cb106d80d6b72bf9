"""The text files of DSSAT mapped: headings (lines that begin with a star), and under each its tables with their days.

An overview has some 200 lines, a daily table one a day with 40 columns: an agent finds its way by the lines that are
named here, and reads those it needs. Lines are counted from 1, and end at line feeds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from labrig.tools.outlines import Outliner

MOST_CHARS = 100
_VALUE = re.compile(r"^ {2,}(\S.*?\))\s{2,}(-?\d+\.?\d*)\s")
_PAIR = re.compile(r"^ ([A-Z][A-Z0-9. /-]{2,14}?)\s*: +(\S.*)$")


@dataclass
class Table:
    """A table below a heading: the line of its column names, them, and its rows by number, first and last."""

    line: int
    columns: list[str]
    rows: int = 0
    first: str = ""
    last: str = ""


@dataclass
class Part:
    """From a heading to the next: its lines, its tables, and values that are printed with a name."""

    line: int
    name: str
    end: int = 0
    tables: list[Table] = field(default_factory=list)
    values: list[str] = field(default_factory=list)


def parts(text: str) -> list[Part]:
    """Return the parts of a file, in its order; what stands before the first heading is left out."""
    found: list[Part] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        name = line[1:].strip() if line.startswith("*") else ""
        if name.strip("*"):
            found.append(Part(number, " ".join(name.split())[:MOST_CHARS]))
            continue
        if not found:
            continue
        part = found[-1]
        part.end = number if line.strip() else max(part.end, part.line)
        if line.startswith("@"):
            part.tables.append(Table(number, line[1:].split()))
        elif part.tables and line.lstrip()[:1].isdigit():
            table = part.tables[-1]
            cells = line.split()
            table.rows += 1
            table.last = " ".join(cells[:2])
            table.first = table.first or table.last
        elif match := _VALUE.match(line) or _PAIR.match(line):
            part.values.append(f"{match[1].strip()}: {' '.join(match[2].split())}")
    for part in found:
        part.end = max(part.end, part.line)
    return found


def toc(text: str) -> str:
    """Return the headings of a file with their lines, as JSON: ``[{"line": 1, "section": "..."}, ...]``."""
    return json.dumps([{"line": part.line, "section": part.name} for part in parts(text)])


def outline(text: str) -> str:
    """Return the map of a file as text: headings with their lines, named values, tables with columns and rows."""
    said = [f"{text.count(chr(10)) + 1} lines, {len(text)} characters"]
    for part in parts(text):
        said.append(f"L{part.line}-{part.end} {part.name}")
        said += [f"    {value}" for value in part.values]
        for table in part.tables:
            shown = " ".join(table.columns[:60])
            rows = f"{table.rows} rows ({table.first} to {table.last})" if table.rows else "texts"
            said.append(f"    L{table.line} table of {rows}: {shown}")
    return "\n".join(said)


OUTLINER = Outliner(toc=toc, outline=outline)
