"""USER_GRAPH as numbers: its Basic program punches what it would plot.

The library draws nothing and keeps no curves. So each USER_GRAPH block becomes a SELECTED_OUTPUT with a USER_PUNCH of
the same program, in which ``GRAPH_X a``, ``GRAPH_Y b, c``, ``GRAPH_SY d`` and ``PLOT_XY x, y, color = Red`` are PUNCH
with a mark before the numbers: whatever the program skips or repeats, each number is known by its mark.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labrig_phreeqc.engine.run import Cell, Run
from labrig_phreeqc.input.statements import Statement, option, statements
from labrig_phreeqc.input.user_graph import (
    Definition,
    Look,
    Plot,
    Scale,
    plotting,
    read_plot,
    read_user_graphs,
)

FIRST_USER = 90_000
"""User number of the selected output of chart 0; nobody uses such a one."""
MOST_CELLS = 60
_INITIAL = "i_"
_SWITCHES = ("user_print", "user_graph", "selected_output", "selected")
"""Options of PRINT; the first is here for what ``-user`` means."""
_SHIFTS = ("transp", "advect")


@dataclass(frozen=True)
class Charts:
    """What is in force from each USER_GRAPH block on, and the curves that the PLOT_XY of its program say."""

    definitions: Sequence[Definition]
    plots: Mapping[int, Sequence[Plot]]

    def of(self, graph: int) -> Definition:
        """Return the last definition of a chart, which has its titles, scales and files."""
        return next(each for each in reversed(self.definitions) if each.graph == graph)


@dataclass
class Curve:
    """The points of a curve, (simulation, shift, x, y), in the order in which they were calculated."""

    graph: int
    name: str
    look: Look
    points: list[tuple[int, int, float, float]] = field(default_factory=list)
    is_measured: bool = False


def punched(text: str) -> tuple[str, Charts]:
    """Return an input whose USER_GRAPH blocks punch, and what the blocks say."""
    definitions = read_user_graphs(text)
    plots: dict[int, list[Plot]] = {}
    changes = [(each.start, each.end, _switch(each, text)) for each in statements(text) if _is_switch(each)]
    for number, each in enumerate(definitions):
        plots[number] = []
        program = [_punches(line, number, plots[number]) for line in each.program]
        changes.append((each.start, each.end, _punching(each, program)))
    done, cursor = "", 0
    for start, end, content in sorted(changes):
        done += text[cursor:start] + content
        cursor = end
    return done + text[cursor:], Charts(definitions, plots)


def _is_switch(statement: Statement) -> bool:
    return statement.block == "PRINT" and option(statement, _SWITCHES) in _SWITCHES[1:]


def _switch(statement: Statement, text: str) -> str:
    """Return a line of PRINT as it is for a chart that punches: selected output goes as USER_GRAPH goes."""
    newline = "\n" if text[statement.start : statement.end].endswith("\n") else ";"
    return (
        f" -selected_output {statement.rest}{newline}" if "graph" in statement.first.casefold() else newline
    )


def _punches(line: str, number: int, plots: list[Plot]) -> str:
    """Return a line of Basic in which the plotting statements punch with their mark."""
    done, cursor = "", 0
    for start, end, word, rest in plotting(line):
        if word == "PLOT_XY":
            rest, plot = read_plot(rest)
            mark = f"P{number}.{len(plots)}"
            plots.append(plot)
        else:
            mark = f"{word[6]}{number}"
        done += f'{line[cursor:start]}PUNCH "{mark}",{rest} '
        cursor = end
    return done + line[cursor:]


def _punching(definition: Definition, program: Sequence[str]) -> str:
    user = FIRST_USER + definition.graph
    active = "true" if definition.active else "false"
    if not program:
        return f"SELECTED_OUTPUT {user}\n    -active {active}\n"
    headings = " ".join(f"c{n}" for n in range(MOST_CELLS))
    return (
        f"SELECTED_OUTPUT {user}\n    -reset false\n    -high_precision true\n    -simulation true\n    -state true\n"
        f"    -step true\n    -active {active}\n"
        f"USER_PUNCH {user}\n    -headings {headings}\n    -start\n" + "\n".join(program) + "\n    -end\n"
    )


def curves(run: Run, charts: Charts) -> list[Curve]:
    """Return the curves of a run of a punched input, with points at last."""
    found: dict[tuple[Any, ...], Curve] = {}
    for table in run.selected:
        if table.user < FIRST_USER or not table.rows:
            continue
        state, simulation, step = (table.columns.index(name) for name in ("state", "sim", "step"))
        for row in table.rows:
            kind = str(row[state]).strip()
            sim = int(float(str(row[simulation])))
            shift = int(float(str(row[step]))) if kind in _SHIFTS else 0
            for program, mark, values in _marked(row[max(state, simulation, step) + 1 :]):
                number = _in_force(charts.definitions, program, sim)
                definition = charts.definitions[number]
                if kind.startswith(_INITIAL) and not definition.initial:
                    continue
                anew = () if definition.connected else (sim, shift if definition.by_distance else 0)
                for key, x, y in _points(mark, values):
                    if not (math.isfinite(x) and math.isfinite(y)):
                        continue
                    curve = found.setdefault(
                        (number, key, *anew), _curve(definition, charts.plots[program], key)
                    )
                    curve.points.append((sim, shift, x, y))
    return [each for each in found.values() if each.points]


def _in_force(definitions: Sequence[Definition], program: int, simulation: int) -> int:
    """Return the last block of a chart that a simulation has read; it may name curves of a program before it."""
    graph = definitions[program].graph
    return max(
        number
        for number, each in enumerate(definitions)
        if number == program or (number > program and each.graph == graph and each.simulation <= simulation)
    )


def _marked(cells: Sequence[Cell]) -> list[tuple[int, str, list[Any]]]:
    """Return the numbers of a row by definition: those of a PLOT_XY by themselves, x and y of GRAPH together."""
    found: list[tuple[int, str, list[Any]]] = []
    graphs: dict[int, dict[str, list[float]]] = {}
    times: dict[tuple[int, str], int] = {}
    values: list[float] | None = None
    for cell in cells:
        if isinstance(cell, str) and (mark := re.fullmatch(r"([XYSP])(\d+)(?:\.(\d+))?", cell.strip())):
            values, number = [], int(mark[2])
            if mark[1] == "P":
                times[number, mark[3]] = times.get((number, mark[3]), 0) + 1
                found.append((number, f"{mark[3]}.{times[number, mark[3]]}", values))
            else:
                known = graphs.setdefault(number, {"X": [], "Y": [], "S": []})
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


def _curve(definition: Definition, plots: Sequence[Plot], key: str) -> Curve:
    """Return a new curve with its name: the first heading of a GRAPH_X is that of x; else the expression of its y."""
    if key[0] != "P":
        place, names, look = int(key[1:]), definition.headings[1:], Look(second=key[0] == "S")
        return Curve(definition.graph, names[place] if place < len(names) else f"y {place + 1}", look)
    place, time = (int(each) for each in key[1:].split("."))
    plot, names = plots[place], definition.headings
    alone = len(plots) == 1  # the turns of a loop about one PLOT_XY are curves, each with its heading
    at = place if not alone else time - 1
    name = names[at] if at < len(names) else plot.expression + (f" {time}" if time > 1 else "")
    return Curve(definition.graph, name, plot.look)


def measured(text: str, graph: int) -> list[Curve]:
    """Return the points of a file of ``-plot_tsv_file``: headings, then lines of looks, then x and a y a curve."""
    lines = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return []
    names = [name.strip() for name in lines[0]] if len(lines[0]) > 1 else " ".join(lines[0]).split()
    found = [Curve(graph, name, Look(width=0.0), is_measured=True) for name in names[1:] if name]
    for first, *cells in lines[1:]:
        try:
            x = float(first)
        except ValueError:
            for curve, cell in zip(found, cells, strict=False):
                if cell.strip():
                    _, plot = read_plot(f", {first.strip()} = {cell.strip()}")
                    said = {
                        key: value for key, value in vars(plot.look).items() if value not in ("", None, False)
                    }
                    curve.look = replace(curve.look, **said)
            continue
        for curve, cell in zip(found, cells, strict=False):
            try:
                curve.points.append((0, 0, x, float(cell)))
            except ValueError:  # no value
                continue
    return [each for each in found if each.points]


def read_measured(
    charts: Charts, graph: int, read: Callable[[str], str | None]
) -> tuple[list[Curve], list[str]]:
    """Return the measured points that the blocks of a chart name, and a note for each file that is not there."""
    found, notes = list[Curve](), []
    for name in dict.fromkeys(charts.of(graph).files):
        text = read(name)
        if text is None:
            notes.append(f"-plot_tsv_file {name}: no such file in the workspace, its points are not drawn")
        else:
            found += measured(text, graph)
    return found, notes


def picture(of: Sequence[Curve], definition: Definition) -> dict[str, Any]:
    """Return the data of a picture of kind ``user_graph``."""
    titles = [*definition.axes, "", "", ""]
    with_x = of and any(each.name in definition.headings[1:] for each in of)
    labels = {"x": titles[0] or (definition.headings[0] if with_x else "x"), "y": titles[1], "y2": titles[2]}
    axes = {}
    for axis, label in labels.items():
        scale = definition.scales.get(axis, Scale())
        axes[axis] = {"label": label, **vars(scale)}
    drawn = []
    for curve in of:
        xs, ys = _joined(curve.points)
        drawn.append({"name": curve.name, "x": xs, "y": ys, **vars(curve.look)})
    return {"axes": axes, "curves": drawn, "title": definition.title or f"USER_GRAPH {definition.graph}"}


def _joined(points: Sequence[tuple[int, int, float, float]]) -> tuple[list[float | None], list[float | None]]:
    """Return x and y with a gap where another simulation or shift begins and x turns back."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    direction = 0.0
    for place, (sim, shift, x, y) in enumerate(points):
        if place:
            step = x - points[place - 1][2]
            if (sim, shift) != points[place - 1][:2] and step * direction < 0:
                xs.append(None)
                ys.append(None)
                direction = 0.0
            else:
                direction = step or direction
        xs.append(x)
        ys.append(y)
    return xs, ys


def told(of: Sequence[Curve]) -> list[str]:
    """Return a line for each curve: its points, and from where to where they go."""
    found = []
    for name, curve in zip(_told_apart(of), of, strict=True):
        *_, xs, ys = zip(*curve.points, strict=True)
        kind = "measured points" if curve.is_measured else "points"
        axis = " (second y axis)" if curve.look.second else ""
        ends = f"x {min(xs):.4g} to {max(xs):.4g}, y {min(ys):.4g} to {max(ys):.4g}"
        found.append(f"- {name}: {len(curve.points)} {kind}, {ends}{axis}")
    return found


def _told_apart(of: Sequence[Curve]) -> list[str]:
    """Return names of which each occurs once: a block that is defined anew has curves of the same names."""
    names = [curve.name for curve in of]
    return [
        name if names.count(name) == 1 else f"{name} #{names[: place + 1].count(name)}"
        for place, name in enumerate(names)
    ]


def to_csv(of: Sequence[Curve]) -> str:
    """Return the points of all curves, a line each; measured ones have no simulation."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("graph", "curve", "y axis", "simulation", "x", "y"))
    for name, curve in zip(_told_apart(of), of, strict=True):
        axis = 2 if curve.look.second else 1
        writer.writerows(
            (curve.graph, name, axis, "" if curve.is_measured else sim, f"{x:.10g}", f"{y:.10g}")
            for sim, _, x, y in curve.points
        )
    return text.getvalue()
