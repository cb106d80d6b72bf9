"""USER_GRAPH as numbers: its Basic program punches what it would plot.

The library draws nothing and keeps no curves. So each USER_GRAPH block becomes a SELECTED_OUTPUT with a USER_PUNCH of
the same program, in which ``GRAPH_X a``, ``GRAPH_Y b, c``, ``GRAPH_SY d`` and ``PLOT_XY x, y, color = Red`` are PUNCH
with a mark before the numbers: whatever the program skips or repeats, each number is known by its mark. Source: the
manual of PHREEQC 3 (Parkhurst and Appelo 2013), USER_GRAPH and its Basic functions.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labrig_phreeqc.engine.run import Cell, Run
from labrig_phreeqc.input.statements import Statement, statements

FIRST_USER = 90_000
"""User number of the selected output of USER_GRAPH 0; nobody uses such a one."""
MOST_CELLS = 60
_INITIAL = "i_"
_OPTION = re.compile(r",\s*(?:color|symbol_?s?i?z?e?|y-?_?axis|line_?w\w*)\s*=\s*[^,:]*", re.IGNORECASE)
_Y2 = re.compile(r",\s*y-?_?axis\s*=\s*2", re.IGNORECASE)
_PLOTS = re.compile(
    r'("[^"]*")|\b(GRAPH_X|GRAPH_Y|GRAPH_SY|PLOT_XY)\b([^:"]*(?:"[^"]*"[^:"]*)*)', re.IGNORECASE
)


@dataclass(frozen=True)
class Definition:
    """One USER_GRAPH block.

    Attributes
    ----------
    graph
        Its user number.
    second
        For each PLOT_XY in order whether it is on the second y axis.
    """

    graph: int
    title: str = ""
    headings: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    initial: bool = False
    second: tuple[bool, ...] = ()


@dataclass
class Curve:
    """The points of a curve, in the order in which they were calculated."""

    graph: int
    name: str
    second: bool
    points: list[tuple[int, float, float]] = field(default_factory=list)


def punched(text: str) -> tuple[str, list[Definition]]:
    """Return an input whose USER_GRAPH blocks punch, and what the blocks say."""
    done, cursor = "", 0
    found: list[Definition] = []
    every = list(statements(text))
    starts = [n for n, each in enumerate(every) if each.is_keyword and each.block == "USER_GRAPH"]
    for start in starts:
        block = [every[start]]
        for each in every[start + 1 :]:
            if each.is_keyword:
                break
            block.append(each)
        before = next((each for each in reversed(found) if each.graph == _number(block[0])), None)
        definition, program, active = _read(block, len(found), before)
        found.append(definition)
        done += text[cursor : block[0].start] + _punching(definition.graph, program, active)
        cursor = block[-1].end
    return done + text[cursor:], found


def _number(keyword: Statement) -> int:
    number = re.match(r"\d{1,4}", keyword.rest)
    return int(number[0]) if number else 1


def _read(
    block: Sequence[Statement], number: int, before: Definition | None
) -> tuple[Definition, list[str], bool]:
    """Return what a block says, the lines of its program that punch, and whether it plots at all."""
    graph = _number(block[0])
    found = Definition(graph, before.title if before else "", axes=before.axes if before else ())
    lines: list[str] = []
    second: list[bool] = []
    active = True
    for each in block[1:]:
        word = each.first.casefold().lstrip("-")
        if each.first[0].isdigit():
            lines.append(_punches(each.text, number, second))
        elif word.startswith("head"):
            found = replace(found, headings=tuple(each.rest.split()))
        elif word.startswith("chart"):
            found = replace(found, title=_words(each.rest)[0] if each.rest else "")
        elif word.startswith("axis_t"):
            found = replace(found, axes=tuple(_words(each.rest)))
        elif word.startswith("initial_s"):
            found = replace(found, initial=not each.rest.casefold().startswith("f"))
        elif word.startswith("det") or (word.startswith("ac") and each.rest.casefold().startswith("f")):
            active = False
    return replace(found, second=tuple(second)), lines, active


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quotation mark that does not close
        return text.replace('"', "").split()


def _punches(line: str, number: int, second: list[bool]) -> str:
    """Return a line of Basic in which the plotting statements punch with their mark."""

    def punch(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        word, rest = match[2].upper(), match[3]
        if word != "PLOT_XY":
            return f'PUNCH "{word[6]}{number}",{rest}'
        second.append(_Y2.search(rest) is not None)
        return f'PUNCH "P{number}.{len(second) - 1}",{_OPTION.sub("", rest)} '

    return _PLOTS.sub(punch, line)


def _punching(graph: int, program: Sequence[str], active: bool) -> str:
    user = FIRST_USER + graph
    if not program:
        return f"SELECTED_OUTPUT {user}\n    -active {'true' if active else 'false'}\n"
    headings = " ".join(f"c{n}" for n in range(MOST_CELLS))
    return (
        f"SELECTED_OUTPUT {user}\n    -reset false\n    -high_precision true\n    -simulation true\n    -state true\n"
        f"USER_PUNCH {user}\n    -headings {headings}\n    -start\n" + "\n".join(program) + "\n    -end\n"
    )


def curves(run: Run, definitions: Sequence[Definition]) -> list[Curve]:
    """Return the curves of a run of a punched input, with points at last."""
    found: dict[tuple[int, str], Curve] = {}
    for table in run.selected:
        if table.user < FIRST_USER or not table.rows:
            continue
        state, simulation = table.columns.index("state"), table.columns.index("sim")
        for row in table.rows:
            initial = str(row[state]).startswith(_INITIAL)
            first = max(state, simulation) + 1
            for number, mark, values in _marked(row[first:]):
                definition = definitions[number]
                if initial and not definition.initial:
                    continue
                for key, x, y in _points(mark, values):
                    curve = found.setdefault((number, key), _curve(definition, key, mark))
                    curve.points.append((int(float(str(row[simulation]))), x, y))
    return [each for each in found.values() if each.points]


def _marked(cells: Sequence[Cell]) -> list[tuple[int, str, list[Any]]]:
    """Return the numbers of a row by definition: those of a PLOT_XY by themselves, x and y of GRAPH together."""
    found: list[tuple[int, str, list[Any]]] = []
    graphs: dict[int, dict[str, list[float]]] = {}
    values: list[float] | None = None
    for cell in cells:
        if isinstance(cell, str) and (mark := re.fullmatch(r"([XYSP])(\d+)(?:\.(\d+))?", cell.strip())):
            values = []
            if mark[1] == "P":
                found.append((int(mark[2]), mark[3], values))
            else:
                known = graphs.setdefault(int(mark[2]), {"X": [], "Y": [], "S": []})
                values = known[mark[1]]
                if mark[1] == "X":
                    values.clear()
        elif values is not None and isinstance(cell, int | float):
            values.append(float(cell))
    return [*found, *((number, "graph", [each]) for number, each in graphs.items())]


def _points(mark: str, values: list[Any]) -> list[tuple[str, float, float]]:
    if mark != "graph":
        return [(f"P{mark}", values[0], values[1])] if len(values) > 1 else []
    (known,) = values
    if not known["X"]:
        return []
    ys = [
        *((f"Y{n}", y) for n, y in enumerate(known["Y"])),
        *((f"S{n}", y) for n, y in enumerate(known["S"], len(known["Y"]))),
    ]
    return [(key, known["X"][0], y) for key, y in ys]


def _curve(definition: Definition, key: str, mark: str) -> Curve:
    """Return a new curve with its name: the first heading of a GRAPH_X is that of x."""
    place = int(key[1:])
    if mark == "graph":
        names, second = definition.headings[1:], key[0] == "S"
    else:
        names, second = definition.headings, definition.second[place]
    name = names[place] if place < len(names) else f"curve {key}"
    return Curve(definition.graph, name, second)


def picture(of: Sequence[Curve], definitions: Sequence[Definition], graph: int) -> dict[str, Any]:
    """Return the data of a picture of kind ``series``: the curves one after another along one axis."""
    said = [each for each in definitions if each.graph == graph]
    axes = next((each.axes for each in reversed(said) if each.axes), ())
    headings = next((each.headings for each in reversed(said) if each.headings), ())
    titles = [*axes, "", "", ""]
    xs: list[float] = []
    lines = []
    total = sum(len(curve.points) for curve in of)
    names = _told_apart([curve.name for curve in of])
    for name, curve in zip(names, of, strict=True):
        values: list[float | None] = [None] * total
        values[len(xs) : len(xs) + len(curve.points)] = [y for _, _, y in curve.points]
        xs += [x for _, x, _ in curve.points]
        lines.append({"name": name, "unit": titles[2] if curve.second else titles[1], "values": values})
    axis = {"name": titles[0] or (headings[0] if headings else "x"), "unit": "", "values": xs}
    title = next(
        (each.title for each in definitions if each.graph == graph and each.title), f"USER_GRAPH {graph}"
    )
    return {"x": axis, "lines": lines, "title": title}


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return names of which each occurs once: a block that is defined anew has curves of the same names."""
    return [
        name if names.count(name) == 1 else f"{name} {names[: place + 1].count(name)}"
        for place, name in enumerate(names)
    ]


def to_csv(of: Sequence[Curve]) -> str:
    """Return the points of all curves, a line each."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("graph", "curve", "y axis", "simulation", "x", "y"))
    for curve in of:
        axis = 2 if curve.second else 1
        writer.writerows(
            (curve.graph, curve.name, axis, sim, f"{x:.10g}", f"{y:.10g}") for sim, x, y in curve.points
        )
    return text.getvalue()
