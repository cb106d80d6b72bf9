"""The house style of the pictures: page, colours, axes, and PNG.

Nothing here or in the pictures goes through pyplot, so no state is shared between figures. Mathtext is off: names come
from anywhere and may hold ``$``; sub- and superscripts are Unicode characters.
"""

from __future__ import annotations

import io
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

from labrig.plotting.checks import Heading

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000", "#8C7A00")
"""Okabe and Ito (2008); their yellow, which fades on white, is darkened."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
DASHES: tuple[str, ...] = ("-", "--", ":")
OTHER = "#9a9a9a"
INK, FAINT, GRID = "#222222", "#6b6b6b", "#dcdcdc"

DPI = 160
WIDTH = 8.0  # inches: 1280 px

_FALLBACKS = (  # scripts that DejaVu Sans does not have, where the system has them
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Arial Unicode MS",
)
_STYLE: Any = {
    "text.parse_math": False,
    "font.size": 9.5,
    "figure.dpi": DPI,
    "savefig.dpi": DPI,
    "figure.facecolor": "white",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handlelength": 1.8,
    "lines.linewidth": 1.5,
    "agg.path.chunksize": 10_000,  # a long noisy line overflows the renderer otherwise
    "svg.hashsalt": "labrig",  # for who saves a Figure as SVG: the same bytes each time
}

SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


@contextmanager
def house() -> Iterator[None]:
    """Draw in the style of the house, whatever the settings of matplotlib were; they are back afterwards."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        known = set(fontManager.get_font_names())
        matplotlib.rcParams.update(_STYLE)
        matplotlib.rcParams["font.family"] = ["DejaVu Sans", *(name for name in _FALLBACKS if name in known)]
        yield


def png(figure: Figure) -> bytes:
    """Return a figure as PNG; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with house():
        figure.set_canvas(FigureCanvasAgg(figure))
        figure.savefig(buffer, format="png", dpi=figure.dpi, metadata={"Software": None})
    return buffer.getvalue()


def page(
    height: float, heading: Heading, notes: Iterable[str] = (), *, width: float = WIDTH
) -> tuple[Figure, tuple[float, float, float, float]]:
    """Return an empty page with title, notes and source, and the rectangle that is left.

    Parameters
    ----------
    width, height
        Inches, title and notes included.
    heading
        The source goes to the last line, small and grey; notes stand above it, three lines at most.
    notes
        More of them, which come first.

    Returns
    -------
    Figure, (left, bottom, width, height)
        The rectangle in fractions of the page; constrained layout, which is on, keeps to it.
    """
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    margin, room = 0.12, width - 0.24
    top = height - 0.1
    if plain(heading.title):
        title = fit(heading.title, 12.0, room)
        figure.text(margin / width, top / height, title, fontsize=12.0, ha="left", va="top")
        top -= 0.32
    lines = [
        (line, INK) for line in wrap(". ".join(filter(plain, [*notes, *heading.notes])), 7.5, room, most=3)
    ]
    if plain(heading.source):
        lines.append((fit(f"Source: {heading.source}", 7.5, room), FAINT))
    bottom = 0.08
    for line, colour in reversed(lines):
        figure.text(margin / width, bottom / height, line, fontsize=7.5, color=colour, ha="left", va="bottom")
        bottom += 0.15
    bottom += 0.04
    rect = (0.006, bottom / height, 0.988, (top - bottom) / height)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=rect, w_pad=0.05, h_pad=0.05))
    return figure, rect


def plain(text: str) -> str:
    """Return a text that can be drawn: one line, no control characters, no halves of characters."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    kept = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cf", "Cn", "Co", "Zl", "Zp") else c for c in whole
    )
    return " ".join(kept.split())


def glyph_notes(names: Iterable[str]) -> list[str]:
    """Return the note to make if no installed font has some characters of the names, which show as boxes."""
    wanted = {ord(c) for name in names for c in plain(name)}
    for family in matplotlib.rcParams["font.family"]:
        wanted -= set(get_font(findfont(FontProperties(family=[family]))).get_charmap())
    return [f"Boxes stand for {len(wanted)} characters that no installed font has"] if wanted else []


def columns(text: str) -> int:
    """Return the width of a text in columns; East Asian characters take two."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def short(text: str, most: int) -> str:
    """Return a text in at most `most` columns; its middle goes, since names often differ at their ends."""
    text = plain(text) or "?"
    if columns(text) <= most:
        return text
    head, tail = "", ""
    front, back = 0, len(text)
    while front < back:
        if columns(head) <= columns(tail):
            head, front = head + text[front], front + 1
        else:
            tail, back = text[back - 1] + tail, back - 1
        if columns(head) + columns(tail) + 1 > most:
            break
    head = head[:-1] if columns(head) > columns(tail) else head
    tail = tail[1:] if columns(head) + columns(tail) + 1 > most else tail
    return f"{head.rstrip()}…{tail.lstrip()}"


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Return names in at most about `most` columns, numbered where shortening made two different ones alike."""
    cut = [short(name, most) for name in names]
    alike = {each for each in cut if len({name for name, c in zip(names, cut, strict=True) if c == each}) > 1}
    return [f"{each} #{place}" if each in alike else each for place, each in enumerate(cut, 1)]


def inches(text: str, size: float) -> float:
    """Return the width of a line of text at a font size (points)."""
    width, _, _ = _ruler().get_text_width_height_descent(text, FontProperties(size=size), False)
    return float(width) / DPI


@lru_cache(maxsize=1)
def _ruler() -> Any:
    """A renderer to measure with, at the resolution of the page, since hinting depends on it."""
    return FigureCanvasAgg(Figure((1, 1), dpi=DPI)).get_renderer()  # type: ignore[no-untyped-call]


def fit(text: str, size: float, room: float) -> str:
    """Return a text that fits into `room` inches at a font size, shortened if it must be."""
    text = plain(text)
    most = max(1, min(columns(text), 400))
    text = short(text, most)
    while most > 4 and (width := inches(text, size)) > room:
        most = min(most - 1, int(most * room / width))
        text = short(text, max(most, 4))
    return text


def wrap(text: str, size: float, room: float, most: int) -> list[str]:
    """Return a text as lines of `room` inches; what exceeds `most` lines ends in "…"."""
    lines: list[str] = []
    line = ""
    text = plain(text)
    for word in (text if len(text) < 2000 else text[:2000] + " …").split():
        longer = f"{line} {word}".strip()
        if line and inches(longer, size) > room:
            lines.append(line)
            line = word
        else:
            line = longer
    lines = [fit(each, size, room) for each in [*lines, line] if each]
    if len(lines) > most:
        lines = [*lines[: most - 1], fit(lines[most - 1] + " …", size, room)]
    return lines


def power_of_ten(exponent: int) -> str:
    """Return 10 to a power, in figures."""
    return "10" + str(exponent).translate(SUPERSCRIPTS)


class _Plain(ScalarFormatter):
    """Numbers on a linear axis; a common power of ten stands at the end of the axis as ×10ⁿ."""

    def get_offset(self) -> str:
        _, e, exponent = super().get_offset().partition("e")
        return f"×10{exponent.translate(SUPERSCRIPTS)}" if e else ""


def linear(axes: Axes, which: str, *, integer: bool = False) -> None:
    """Set up the numbers of a linear axis, "x" or "y"."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    formatter = _Plain(useOffset=False)
    formatter.set_powerlimits((-3, 5))
    axis.set_major_formatter(formatter)
    axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=integer))


def logarithmic(axes: Axes, which: str) -> None:
    """Make an axis, "x" or "y", logarithmic, with a number at decades only."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set_xscale("log") if which == "x" else axes.set_yscale("log")
    axis.set_major_locator(LogLocator(10, numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(round(math.log10(value)))))
    axis.set_minor_formatter(NullFormatter())
