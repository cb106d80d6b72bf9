"""Papers that the tests make from a seed, with every value, where it was drawn, and every cell of their tables.

A small typesetter on reportlab: one or two columns, justified or not, scripts drawn smaller and off the baseline as
printers do, tables with the unit in the head, figures with axes, running heads, references. What was drawn is the
truth, so no reader has a part in it.

    made = make_paper(7)
    made.pdf, made.values, made.tables
"""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONTS = ("DejaVuSerif", "DejaVuSans", "STIXGeneral")
Box = tuple[float, float, float, float]


@dataclass
class Drawn:
    """A value that was printed: its numbers in SI, its dimension, and the boxes (a line each) that it fills.

    `kind` is ``text``, ``caption`` or ``table``; `standing` is empty where it is not tested.
    """

    si: tuple[float, ...]
    dimension: str
    qualifier: str = "="
    standing: str = ""
    kind: str = "text"
    page: int = 0
    boxes: list[Box] = field(default_factory=list)


@dataclass(frozen=True)
class Grid:
    """A table as it was drawn, in the markup of the pages."""

    name: str
    page: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass
class Made:
    """A paper and what stands in it."""

    pdf: bytes
    values: list[Drawn]
    tables: list[Grid]


@dataclass(frozen=True)
class Style:
    """How a paper looks."""

    font: str
    size: float
    leading: float
    two_columns: bool
    justified: bool
    script: float
    rise: float
    drop: float
    page: tuple[float, float]
    minus: str
    times: str
    bracket: str
    caption_below: bool
    table_word: str
    head_lines: int
    ticks: bool


@cache
def _fonts() -> None:
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    for name in FONTS:
        pdfmetrics.registerFont(TTFont(name, str(folder / f"{name}.ttf")))


def _style(draw: random.Random, seed: int) -> Style:
    size = draw.choice([8.5, 9.0, 10.0, 11.0])
    return Style(
        FONTS[seed % len(FONTS)],
        size,
        size * draw.uniform(1.18, 1.38),
        seed % 3 != 1,
        draw.random() < 0.6,
        draw.uniform(0.64, 0.76),
        draw.uniform(0.33, 0.45),
        draw.uniform(0.14, 0.25),
        draw.choice([(612.0, 792.0), (595.3, 841.9)]),
        draw.choice(["−", "-", "–"]),
        draw.choice(["×", "×", "·"]),
        draw.choice(["()", "[]"]),
        draw.random() < 0.3,
        draw.choice(["TABLE", "Table"]),
        draw.choice([1, 1, 2]),
        draw.random() < 0.6,
    )


Run = tuple[str, int]
"""Text and its level: 0 on the line, 1 raised, -1 lowered."""


@dataclass
class Word:
    """What is set between two spaces; ``values`` are those of which it is a part."""

    runs: list[Run]
    values: tuple[int, ...]
    glued: bool = False


_RUNS = re.compile(r"([\^_])\{([^{}]*)\}|([^\^_]+)")


def _runs(text: str) -> list[Run]:
    return [
        (match[3], 0) if match[3] is not None else (match[2], 1 if match[1] == "^" else -1)
        for match in _RUNS.finditer(text)
    ]


def _words(text: str) -> list[Word]:
    """Return the words of a text in which ``«3:36.9 K»`` is value 3, and ``~`` a space where no line ends."""
    words: list[Word] = []
    inside: tuple[int, ...] = ()
    for piece in re.split(r"( |~|«\d+:|»)", text):
        if piece.startswith("«"):
            inside = (int(piece[1:-1]),)
        elif piece == "»":
            inside = ()
        elif piece in (" ", "~"):
            words.append(Word([], inside, piece == "~"))
        elif piece:
            if not words or (words[-1].runs and words[-1].values != inside):
                words.append(Word(_runs(piece), inside, True))
                words[-1].glued = bool(words[:-1])
            elif words[-1].runs:
                words[-1].runs += _runs(piece)
            else:
                glued = words[-1].glued
                words[-1] = Word(_runs(piece), inside)
                words[-1].glued = glued
                words[-1].runs.insert(0, (" ", 0)) if glued else None
    return words


class Setter:
    """Sets paragraphs and tables into columns of pages."""

    def __init__(self, style: Style, values: list[Drawn]) -> None:
        _fonts()
        self.style, self.values = style, values
        self.out = io.BytesIO()
        self.canvas = Canvas(self.out, pagesize=style.page, invariant=True)
        self.page, self.column = 1, 0
        self.top = style.page[1] - 72
        self.y = self.top
        self._furniture()

    @property
    def width(self) -> float:
        whole = self.style.page[0] - 108
        return (whole - 18) / 2 if self.style.two_columns else whole

    @property
    def left(self) -> float:
        return 54 + self.column * (self.width + 18)

    def _furniture(self) -> None:
        self.canvas.setFont(self.style.font, 7)
        self.canvas.drawString(54, self.style.page[1] - 40, "JOURNAL OF MADE SAMPLES 64, 214501 (2001)")
        self.canvas.drawCentredString(self.style.page[0] / 2, 30, f"214501-{self.page}")

    def room(self, height: float) -> None:
        """Go on to the next column or page where the height is not there."""
        if self.y - height >= 54:
            return
        if self.style.two_columns and self.column == 0:
            self.column = 1
        else:
            self.canvas.showPage()
            self.page, self.column = self.page + 1, 0
            self.top = self.style.page[1] - 72
            self._furniture()
        self.y = self.top

    def measure(self, runs: Sequence[Run], size: float) -> float:
        return sum(
            pdfmetrics.stringWidth(text, self.style.font, size if level == 0 else size * self.style.script)
            for text, level in runs
        )

    def put(self, runs: Sequence[Run], x: float, y: float, size: float) -> float:
        """Draw runs, and return where the next one goes; a raised run behind a lowered one stands over it."""
        before = 0
        start = x
        for text, level in runs:
            own = size if level == 0 else size * self.style.script
            lift = {0: 0.0, 1: self.style.rise, -1: -self.style.drop}[level] * size
            self.canvas.setFont(self.style.font, own)
            wide = pdfmetrics.stringWidth(text, self.style.font, own)
            if level and before and before != level:
                self.canvas.drawString(start, y + lift, text)
                x = max(x, start + wide)
            else:
                self.canvas.drawString(x, y + lift, text)
                start, x = x, x + wide
            before = level
        return x

    def paragraph(self, text: str, size: float = 0.0, *, kind: str = "text", width: float = 0.0) -> None:
        """Set a text line by line."""
        size = size or self.style.size
        width = width or self.width
        space = pdfmetrics.stringWidth(" ", self.style.font, size)
        lines: list[list[Word]] = [[]]
        used = 0.0
        together: list[list[Word]] = []
        for word in _words(text):
            if word.glued and together:
                together[-1].append(word)
            else:
                together.append([word])
        for group in together:
            wide = sum(self.measure(word.runs, size) for word in group)
            gap = space if lines[-1] else 0.0
            if lines[-1] and used + gap + wide > width:
                lines.append([])
                used, gap = 0.0, 0.0
            lines[-1] += group
            used += gap + wide
        for number, line in enumerate(lines):
            self.room(self.style.leading)
            self.y -= self.style.leading
            gaps = sum(not word.glued for word in line[1:])
            natural = sum(self.measure(word.runs, size) for word in line) + gaps * space
            stretch = 0.0
            if self.style.justified and number < len(lines) - 1 and gaps:
                stretch = min((width - natural) / gaps, 0.9 * space)
            self._line(line, size, space + stretch, kind)

    def _line(self, line: Sequence[Word], size: float, space: float, kind: str) -> None:
        x = self.left
        open_at: dict[int, Box] = {}
        for index, word in enumerate(line):
            x += space if index and not word.glued else 0.0
            end = self.put(word.runs, x, self.y, size)
            for value in word.values:
                low = open_at[value][0] if value in open_at else x
                open_at[value] = (low, self.y - 0.3 * size, end, self.y + 1.1 * size)
            x = end
        for value, box in open_at.items():
            self.values[value].page, self.values[value].kind = self.page, kind
            self.values[value].boxes.append(box)

    def table(
        self, name: str, caption: str, header: Sequence[str], rows: Sequence[Sequence[tuple[str, Drawn | None]]],
        align: str,
    ) -> Grid:  # fmt: skip
        """Set a table of the width of a column, or smaller print where it is wider, with its caption."""
        style = self.style
        heads = [self._head(each) for each in header]
        deep = max(map(len, heads))
        size = style.size * 0.92

        def widths() -> list[float]:
            return [
                max(
                    *(self.measure(_runs(line), size) for line in head),
                    *(self.measure(_runs(row[index][0]), size) for row in rows),
                )
                for index, head in enumerate(heads)
            ]

        gap = 0.9 * size
        while sum(widths()) + gap * (len(header) - 1) > self.width and size > 5:
            size -= 0.25
            gap = max(0.9 * size, 5.0)
        each = widths()
        gap = min(max(gap, (self.width - sum(each)) / max(1, len(header) - 1)), 3.0 * size)
        lead = 1.25 * size
        self.room((len(rows) + deep + 6) * lead + 5 * style.leading)
        text = f"{name}{'.' if style.table_word == 'TABLE' else ':'} {caption}"
        self.y -= 0.9 * style.leading
        if not style.caption_below:
            self.paragraph(text, style.size * 0.9, kind="caption")
            self.y -= 0.6 * lead
        total = sum(each) + gap * (len(header) - 1)
        self._rule(total)
        for line in range(deep):
            self.y -= lead
            x = self.left
            for head, wide in zip(heads, each, strict=True):
                pad = deep - len(head)
                if line >= pad:
                    self._cell(head[line - pad], x, wide, size, align)
                x += wide + gap
        self.y -= 0.35 * lead
        self._rule(total)
        for row in rows:
            self.y -= lead
            x = self.left
            for column, ((cell, value), wide) in enumerate(zip(row, each, strict=True)):
                begin, end = self._cell(cell, x, wide, size, "l" if column == 0 else align)
                if value is not None:
                    value.page, value.kind = self.page, "table"
                    value.boxes = [(begin, self.y - 0.3 * size, end, self.y + 1.1 * size)]
                    self.values.append(value)
                x += wide + gap
        self.y -= 0.4 * lead
        self._rule(total)
        if style.caption_below:
            self.y -= 0.4 * lead
            self.paragraph(text, style.size * 0.9, kind="caption")
        self.y -= 1.3 * style.leading
        return Grid(name, self.page, tuple(header), tuple(tuple(cell for cell, _ in row) for row in rows))

    def _head(self, head: str) -> list[str]:
        if self.style.head_lines == 2 and (match := re.fullmatch(r"(.*?) ([(\[].*)", head)):
            return [match[1], match[2]]
        return [head]

    def _cell(self, text: str, x: float, wide: float, size: float, align: str) -> tuple[float, float]:
        slack = wide - self.measure(_runs(text), size)
        begin = x + {"l": 0.0, "c": slack / 2, "r": slack}[align]
        return begin, self.put(_runs(text), begin, self.y, size)

    def _rule(self, wide: float) -> None:
        self.canvas.setLineWidth(0.5)
        self.canvas.line(self.left, self.y, self.left + wide, self.y)

    def figure(self, caption: str) -> None:
        """Draw a figure with axes, ticks and curves, and its caption below."""
        high = 90.0
        self.room(high + 6 * self.style.leading)
        self.y -= self.style.leading
        left, bottom, width = self.left + 30, self.y - high, self.width - 60
        self.canvas.rect(left, bottom, width, high)
        if self.style.ticks:
            self.canvas.setFont(self.style.font, 6)
            for step in range(5):
                self.canvas.drawCentredString(left + width * step / 4, bottom - 8, f"{20 * step}")
                self.canvas.drawRightString(left - 3, bottom + high * step / 4 - 2, f"{0.25 * step:.2f}")
            self.canvas.drawCentredString(left + width / 2, bottom - 16, "T (K)")
        self.y = bottom - 20
        self.paragraph(caption, self.style.size * 0.9, kind="caption")
        self.y -= self.style.leading

    def done(self) -> bytes:
        self.canvas.showPage()
        self.canvas.save()
        return self.out.getvalue()


@dataclass(frozen=True)
class Kind:
    """How values of a kind are printed: the form, the range and places of the number, units with their factor to SI."""

    form: str
    low: float
    high: float
    places: int
    units: tuple[tuple[str, float], ...]
    dimension: str


_K, _T = (("K", 1.0),), (("T", 1.0),)
KINDS = {
    "tc": Kind("spread", 4, 90, 1, _K, "temperature"),
    "low": Kind("plain", 20, 900, 0, (("mK", 1e-3),), "temperature"),
    "whole": Kind("plain", 4, 90, 0, _K, "temperature"),
    "kelvin": Kind("plain", 4, 90, 1, _K, "temperature"),
    "debye": Kind("spread", 200, 900, 0, _K, "temperature"),
    "celsius": Kind("plain", 300, 950, 0, (("°C", 1.0),), "temperature"),
    "cold": Kind("plain", 1.2, 4, 1, (("", 1.0),), "temperature"),
    "warm": Kind("plain", 200, 300, 0, _K, "temperature"),
    "a": Kind("spread", 3.5, 4.2, 4, (("Å", 1e-10),), "length"),
    "c": Kind("plain", 10, 14, 3, (("Å", 1e-10),), "length"),
    "xi": Kind("plain", 10, 90, 1, (("Å", 1e-10), ("nm", 1e-9)), "length"),
    "lambda": Kind("plain", 100, 400, 0, (("nm", 1e-9),), "length"),
    "band": Kind("range", 1, 9, 1, (("GPa", 1e9), ("kbar", 1e8)), "pressure"),
    "megapascal": Kind("plain", 0.1, 0.9, 1, (("MPa", 1e6),), "pressure"),
    "young": Kind("plain", 60, 200, 0, (("GPa", 1e9),), "pressure"),
    "jc": Kind("power", 3, 7, 0, (("A/cm^{2}", 1e4), ("A cm^{-2}", 1e4)), "current_density"),
    "rho": Kind("power", -6, -2, 0, (("Ω cm", 1e-2), ("Ω~cm", 1e-2), ("Ωcm", 1e-2), ("Ω m", 1.0)), "resistivity"),
    "rh": Kind("power", -5, -3, 0, (("cm^{3}/C", 1e-6),), "hall_coefficient"),
    "n": Kind("power", 19, 22, 0, (("cm^{-3}", 1e6),), "carrier_density"),
    "gamma": Kind(
        "spread", 1, 9, 2,
        (("mJ/mol K^{2}", 1e-3), ("mJ/(mol K^{2})", 1e-3), ("mJ mol^{-1} K^{-2}", 1e-3), ("mJ K^{-2} mol^{-1}", 1e-3)),
        "molar_heat_coefficient",
    ),
    "hc2": Kind("plain", 5, 90, 1, _T, "magnetic_field"),
    "oersted": Kind("plain", 50, 900, 0, (("Oe", 1e-4), ("G", 1e-4)), "magnetic_field"),
    "slope": Kind("minus", 1, 9, 1, (("T/K", 1.0), ("kOe/K", 0.1)), "field_slope"),
    "s": Kind("minus", 1, 40, 1, (("μV/K", 1e-6), ("μV K^{-1}", 1e-6)), "thermopower"),
    "gap": Kind("plain", 1, 20, 2, (("meV", 1.602176634e-22),), "energy"),
    "ratio": Kind("plain", 3.6, 7, 1, (("", 1.0),), "1"),
    "density": Kind("plain", 4, 9, 2, (("g/cm^{3}", 1e3), ("g cm^{-3}", 1e3)), "density"),
    "percent": Kind("plain", 20, 98, 0, (("%", 0.01),), "fraction"),
    "hours": Kind("plain", 10, 90, 0, (("h", 3600.0),), "time"),
    "dtdp": Kind("plus", 0.2, 4, 1, (("K/GPa", 1e-9),), "temperature_per_pressure"),
}  # fmt: skip

SENTENCES = (
    "The superconducting transition temperature of {formula} is T_{c} = <tc = measured> from the resistivity.",
    "From the susceptibility we find T_{c} {about} <whole ~ measured> in a field of <oersted>.",
    "Earlier workers reported a T_{c} of <kelvin = cited> for polycrystalline samples{cite}.",
    "Our value is T_{c} = <kelvin = measured>, while Smith et al. found <kelvin = cited> for thin films{cite}.",
    "The onset lies at T^{onset}_{c} = <kelvin> and zero resistance is reached at <kelvin>.",
    "Powder diffraction at room temperature gives the lattice parameters a = <a> and c = <c> in the space group "
    "I4/mmm (No. 139).",
    "The resistance was measured between <cold> and <warm> with {few} contacts on {some} crystals.",
    "A second phase appears at <band> in the diamond anvil cell.",
    "The critical current density reaches J_{c} = <jc = measured> at <kelvin>, see Fig. 3.",
    "Just above the transition the resistivity is <rho = measured> in the basal plane.",
    "The Hall coefficient R_{H} = <rh> gives a carrier density of <n>.",
    "The Sommerfeld coefficient is γ = <gamma = measured> and the Debye temperature is Θ_{D} = <debye>.",
    "The upper critical field is μ_{0}H_{c2}(0) = <hc2 = measured> with a slope of <slope> near T_{c}.",
    "The coherence length ξ(0) = <xi> and the penetration depth λ(0) = <lambda> follow.",
    "The lower critical field H_{c1} is <oersted>.",
    "The thermopower is S = <s> at <warm>.",
    "The energy gap is Δ(0) = <gap> and the gap ratio 2Δ(0)/k_{B}T_{c} = <ratio>, above the BCS value "
    "<ratio = calculated>.",
    "Band-structure calculations predict a gap of <gap = calculated> for this compound.",
    "The density is <density>, and Young's modulus is <young>.",
    "The Meissner fraction amounts to <percent>.",
    "Pellets were annealed at <celsius> for <hours> under <megapascal> of oxygen.",
    "Under pressure T_{c} rises with dT_{c}/dP = <dtdp>.",
    "No superconductivity was found in La_{2}CuO_{4} above <low > >.",
    "The samples with x = 0.{some} and y = 0.{few} were those of Ref. {some}.",
    "We used 3 crystals of Bi_{2}Sr_{2}CaCu_{2}O_{8} in 1995 and 12 of the batch A7, as in Fig. 2 and Table 4.",
    "The structure of P6_{3}/mmc was refined with {many} reflections to R = 0.0{some}.",
    "Details of the method are given in Sec. 2 and in Eq. (4), and the data of sample 3 are omitted.",
    "Fluctuations of the order parameter were discussed by Doe and Roe{cite} in two dimensions.",
    "The crystals grew along [001] with a mosaic spread, and {few} of them were cut for the measurements.",
)
"""``<kind qualifier standing>`` is a value; the last ones have none, and only look as if."""


class Writer:
    """Writes sentences with values whose truth is known."""

    def __init__(self, draw: random.Random, style: Style, values: list[Drawn]) -> None:
        self.draw, self.style, self.values = draw, style, values
        self.reference = draw.randrange(20, 60)

    def number(self, kind: Kind) -> tuple[str, tuple[float, ...]]:
        """Return a number as it is printed, and what it is."""
        draw, minus = self.draw, self.style.minus
        if kind.form == "power":
            text = f"{draw.uniform(1.05, 9.9):.{draw.choice([1, 2])}f}"
            exponent = draw.choice(
                [each for each in range(int(kind.low), int(kind.high) + 1) if abs(each) > 1]
            )
            pad = draw.choice(["", " "])
            power = f"10^{{{minus if exponent < 0 else ''}{abs(exponent)}}}"
            return f"{text}{pad}{self.style.times}{pad}{power}", (float(f"{text}e{exponent}"),)
        text = f"{draw.uniform(kind.low, kind.high):.{kind.places}f}"
        value = float(text)
        if kind.form == "range":
            last = f"{value + draw.uniform(1, 5):.{kind.places}f}"
            return f"{text}{draw.choice(['–', ' to ', '-'])}{last}", (value, float(last))
        if kind.form == "spread":
            form = draw.randrange(3)
            if form == 0:
                text += f"({draw.randrange(1, 30)})"
            elif form == 1:
                text += f" ± {draw.randrange(1, 9) * 10.0**-kind.places:.{kind.places}f}"
        sign = {"minus": minus, "plus": "+"}.get(kind.form, "")
        return sign + text, (-value if kind.form == "minus" else value,)

    def value(self, name: str, qualifier: str = "=", standing: str = "") -> str:
        """Return a value as it is set, and keep its truth."""
        kind = KINDS[name]
        printed, numbers = self.number(kind)
        unit, factor = self.draw.choice(kind.units)
        zero = 273.15 if unit == "°C" else 0.0
        self.values.append(
            Drawn(tuple(each * factor + zero for each in numbers), kind.dimension, qualifier, standing)
        )
        unit = unit.replace("-", self.style.minus)
        joint = self.draw.choice([" ", "~"]) if unit not in ("", "%") else ""
        return f"«{len(self.values) - 1}:{printed}{joint}{unit}»"

    def cite(self) -> str:
        self.reference += 1
        number = self.reference
        return self.draw.choice([f" [{number}]", f" [{number},{number + 2}]", f"^{{{number}}}"])

    def formula(self) -> str:
        a = self.draw.randrange(5, 35)
        return self.draw.choice(
            [
                f"La_{{{2 - a / 100:.2f}}}Sr_{{{a / 100:.2f}}}CuO_{{4}}",
                f"YBa_{{2}}Cu_{{3}}O_{{{6.5 + a / 100:.2f}}}",
                "MgB_{2}",
                "NbSe_{2}",
                f"Ba(Fe_{{{1 - a / 200:.3f}}}Co_{{{a / 200:.3f}}})_{{2}}As_{{2}}",
                "K_{3}C_{60}",
            ]
        )

    def sentence(self, template: str) -> str:
        """Return a sentence with its values."""
        words: dict[str, Callable[[], str]] = {
            "{formula}": self.formula,
            "{cite}": self.cite,
            "{about}": lambda: self.draw.choice(["≈", "∼", "about"]),
            "{few}": lambda: str(self.draw.randrange(2, 9)),
            "{some}": lambda: str(self.draw.randrange(11, 40)),
            "{many}": lambda: str(self.draw.randrange(200, 900)),
        }
        for word, make in words.items():
            while word in template:
                template = template.replace(word, make(), 1)
        return re.sub(
            r"<(\w+)(?: ([=~>]))?(?: (\w+))? ?>",
            lambda found: self.value(found[1], found[2] or "=", found[3] or ""),
            template,
        )

    def rows(self, columns: Sequence[tuple[str, Kind]], count: int) -> list[list[tuple[str, Drawn | None]]]:
        """Return the rows of a table: a formula, and a cell for each column."""
        rows: list[list[tuple[str, Drawn | None]]] = []
        for number in range(count):
            row: list[tuple[str, Drawn | None]] = [
                (self.formula() if number else "La_{1.93}Sr_{0.07}CuO_{4}", None)
            ]
            for _, kind in columns:
                chance = self.draw.random()
                if chance < 0.08 and number:
                    row.append(("–", None))
                    continue
                text, values = self.number(kind)
                qualifier = "<" if 0.08 < chance < 0.14 and not re.search(r"[(±^−-]", text) else "="
                si = tuple(each * kind.units[0][1] for each in values)
                row.append((text if qualifier == "=" else f"< {text}", Drawn(si, kind.dimension, qualifier)))
            rows.append(row)
        return rows


COLUMNS = (
    ("T_{c}", "K", Kind("spread", 2, 95, 1, _K, "temperature")),
    ("a", "Å", Kind("spread", 3.5, 4.2, 4, (("", 1e-10),), "length")),
    ("μ_{0}H_{c2}", "T", Kind("plain", 1, 120, 1, _T, "magnetic_field")),
    ("γ", "mJ/mol K^{2}", Kind("spread", 1, 9, 2, (("", 1e-3),), "molar_heat_coefficient")),
    ("J_{c}", "10^{6} A/cm^{2}", Kind("plain", 0.1, 9, 2, (("", 1e10),), "current_density")),
    ("ρ_{300}", "μΩ cm", Kind("power", 2, 4, 0, (("", 1e-8),), "resistivity")),
    ("S", "μV/K", Kind("minus", 1, 40, 1, (("", 1e-6),), "thermopower")),
)


def make_paper(seed: int) -> Made:
    """Return the paper of a seed: pages, values, tables."""
    draw = random.Random(seed)
    style = _style(draw, seed)
    values: list[Drawn] = []
    setter, writer = Setter(style, values), Writer(draw, style, values)
    opened, closed = style.bracket
    sentences = list(SENTENCES)
    draw.shuffle(sentences)

    def set_down(templates: Sequence[str], size: float = 0.0, kind: str = "text") -> None:
        setter.paragraph(" ".join(map(writer.sentence, templates)), size, kind=kind)

    setter.canvas.setFont(style.font, 1.6 * style.size)
    setter.canvas.drawString(54, setter.y - 10, "Values of made samples")
    setter.y -= 2.2 * style.leading
    setter.top = setter.y
    setter.paragraph("A. Tester^{1} and B. Fixture^{2}")
    setter.y -= style.leading
    set_down(sentences[:6], style.size * 0.95)
    setter.y -= style.leading
    rest = sentences[6:]
    grids = []
    for number, roman in enumerate(("I", "II")[: 1 + seed % 2]):
        chosen = draw.sample(COLUMNS, 4 if style.two_columns else 5)
        set_down(rest[: len(rest) // 2])
        rest = rest[len(rest) // 2 :]
        grids.append(
            setter.table(
                f"{style.table_word} {roman if style.table_word == 'TABLE' else number + 1}",
                "Samples of this work and their properties; numbers in brackets are uncertainties.",
                ["Compound", *(f"{name} {opened}{unit}{closed}" for name, unit, _ in chosen)],
                writer.rows([(name, kind) for name, _, kind in chosen], draw.randrange(4, 9)),
                draw.choice("lcr"),
            )
        )
    setter.figure(
        writer.sentence("FIG. 1. Resistivity of {formula} in zero field; the midpoint is at <kelvin>.")
    )
    set_down(rest)
    setter.y -= style.leading
    setter.paragraph("[21] J. Doe, J. Phys. 12, 345 (1990). [22] R. Roe, Phys. Lett. A 45, 6 (1995).")
    return Made(setter.done(), values, grids)
