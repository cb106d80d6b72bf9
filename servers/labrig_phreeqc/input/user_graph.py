"""What USER_GRAPH blocks say of their charts: titles, scales of axes, and how each curve is drawn.

Source: the manual of PHREEQC 3 (Parkhurst and Appelo 2013), USER_GRAPH and its Basic functions; where it is silent, the
reader of PHREEQC for Windows (a sixth word of ``-axis_scale`` makes it logarithmic; a scale may have its ends swapped).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from labrig_phreeqc.input.statements import Statement, option, statements

ANOTHER_CHART = 10_000
"""Added to the number of a chart that is begun anew after ``-detach``."""
_OPTIONS = (
    "start",
    "end",
    "headings",
    "chart_title",
    "axis_titles",
    "axis_scale",
    "initial_solutions",
    "plot_concentration_vs",
    "shifts_as_points",
    "grid_offset",
    "connect_simulations",
    "plot_csv_file",
    "plot_tsv_file",
    "clear",
    "detach",
    "active",
    "batch",
)
_LOOK = re.compile(
    r"[,\s]\s*(color|symbol[_-]si\w*|symbol|line[_-]w\w*|y[_-]?axis)\s*=?\s*([\w.#]+)", re.IGNORECASE
)
_PLOT = re.compile(
    r'"[^"]*"|\b(?P<word>GRAPH_X|GRAPH_Y|GRAPH_SY|PLOT_XY)\b(?P<rest>(?:"[^"]*"|(?!\bELSE\b)[^:"])*)',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Scale:
    """An axis: its ends and the distance of its ticks, None where the chart chooses."""

    least: float | None = None
    most: float | None = None
    major: float | None = None
    logarithmic: bool = False


@dataclass(frozen=True)
class Look:
    """How a curve is drawn: PHREEQC's names of colours and symbols, empty or None where the chart chooses."""

    colour: str = ""
    symbol: str = ""
    size: float | None = None
    width: float | None = None
    second: bool = False


@dataclass(frozen=True)
class Plot:
    """A PLOT_XY of a program: the expression of its y, and how its curve is drawn."""

    expression: str
    look: Look


@dataclass(frozen=True)
class Definition:
    """What is in force for a chart from one USER_GRAPH block on.

    Attributes
    ----------
    graph
        The number of the chart.
    simulation
        In which the block stands, from 1.
    initial, connected, by_distance
        Whether initial solutions are plotted, whether later simulations (and, over distance, shifts) continue a curve.
    scales
        Of ``x``, ``y`` and ``y2``.
    files
        Names of files with measured points, all of the chart so far.
    program
        Its lines, of which each plotting statement is one of ``plots`` or a GRAPH; empty where an earlier program
        goes on.
    start, end
        The block's place in the text.
    """

    graph: int
    simulation: int
    title: str = ""
    headings: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    scales: Mapping[str, Scale] = field(default_factory=dict)
    initial: bool = False
    connected: bool = True
    by_distance: bool = True
    active: bool = True
    files: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


def read_user_graphs(text: str) -> list[Definition]:
    """Return what each USER_GRAPH block of an input puts in force, in order."""
    found: list[Definition] = []
    block: list[Statement] = []
    simulation, detached = 1, dict[int, int]()
    for each in [*statements(text), None]:
        if block and (each is None or each.is_keyword):
            number = _number(block[0])
            graph = number + ANOTHER_CHART * detached.get(number, 0)
            before = next((known for known in reversed(found) if known.graph == graph), None)
            found.append(_read(block, before or Definition(graph, simulation), simulation))
            if any(option(line, _OPTIONS) in ("clear", "detach") for line in block):
                detached[number] = detached.get(number, 0) + 1
            block = []
        if each is not None and each.is_keyword:
            simulation += each.block == "END"
            block = [each] if each.block == "USER_GRAPH" else []
        elif each is not None and block:
            block.append(each)
    return found


def plotting(line: str) -> list[tuple[int, int, str, str]]:
    """Return the plotting statements of a line of Basic: start, end, word in capitals, and what follows it."""
    return [
        (match.start(), match.end(), match["word"].upper(), match["rest"])
        for match in _PLOT.finditer(line)
        if match["word"]
    ]


def read_plot(rest: str) -> tuple[str, Plot]:
    """Return what follows PLOT_XY without its options, and the curve that it says."""
    look = Look()
    for match in _LOOK.finditer(rest):
        word, value = match[1].casefold().replace("-", "_"), match[2]
        if word == "color":
            look = replace(look, colour=value)
        elif word == "symbol":
            look = replace(look, symbol=value)
        elif word.startswith("symbol"):
            look = replace(look, size=_float(value))
        elif word.startswith("line"):
            look = replace(look, width=_float(value))
        else:
            look = replace(look, second=value == "2")
    bare = _LOOK.sub(" ", rest).rstrip(" \t,")
    return bare, Plot(_after_comma(bare), look)


def _after_comma(text: str) -> str:
    """Return what follows the first comma that stands in no parenthesis and no text."""
    depth, quoted = 0, False
    for place, mark in enumerate(text):
        quoted ^= mark == '"'
        depth += not quoted and (mark in "([") - (mark in ")]")
        if mark == "," and not quoted and depth == 0:
            return text[place + 1 :].strip()
    return text.strip()


def _number(keyword: Statement) -> int:
    number = re.match(r"\d{1,4}", keyword.rest)
    return int(number[0]) if number else 1


def _read(block: Sequence[Statement], before: Definition, simulation: int) -> Definition:
    keyword, *lines = block
    title = before.title or re.sub(r"^\d+\s*", "", keyword.rest)
    found = replace(
        before,
        simulation=simulation,
        title=title,
        active=before.active and bool(lines),
        program=(),
        start=keyword.start,
        end=block[-1].end,
    )
    for each in lines:
        yes = not each.rest.casefold().startswith("f")
        match option(each, _OPTIONS):
            case "headings":
                found = replace(found, headings=tuple(each.rest.split()))
            case "chart_title":
                found = replace(found, title=" ".join(_words(each.rest)))
            case "axis_titles":
                found = replace(found, axes=tuple(_words(each.rest)))
            case "axis_scale":
                found = replace(found, scales={**found.scales, **_scale(each.rest)})
            case "initial_solutions":
                found = replace(found, initial=yes)
            case "connect_simulations":
                found = replace(found, connected=yes)
            case "plot_concentration_vs":
                found = replace(found, by_distance=not each.rest.casefold().startswith("t"))
            case "shifts_as_points":
                found = replace(found, by_distance=yes)
            case "plot_tsv_file" | "plot_csv_file":
                found = replace(found, files=(*found.files, each.rest.strip("\"' ")))
            case "active":
                found = replace(found, active=yes)
            case "clear" | "detach":
                found = replace(found, active=False)
            case "" if each.first[0].isdigit():
                found = replace(found, program=(*found.program, each.text))
    return found


def _scale(rest: str) -> dict[str, Scale]:
    axis, *words = [*rest.casefold().split(), ""]
    name = "y2" if axis.startswith(("y2", "s")) else axis[:1]
    if name not in ("x", "y", "y2"):
        return {}
    least, most, major = (*(_float(word) for word in words[:3]), None, None, None)[:3]
    if least is not None and most is not None and least > most:
        least, most = most, least
    return {name: Scale(least, most, major, any(word.startswith(("l", "t")) for word in words))}


def _float(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:  # auto
        return None


def _words(text: str) -> list[str]:
    try:
        return [" ".join(word.split()) for word in shlex.split(text.replace("'", "\\'"))]
    except ValueError:  # a quotation mark that does not close
        return text.replace('"', "").split()
