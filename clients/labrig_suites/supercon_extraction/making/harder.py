"""Papers of level 4: the layouts that readers stumble over, and values that are in no text.

Beside what level 3 has: a series with x and δ, cells of two lines, units in the head, in the cells or in the caption,
letters that lead to notes, one of which says that a value was taken from others; a table that stands sideways on a page
of its own or goes on over the page; a figure that is a picture, in which the only place of a value is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from labrig_suites.supercon_extraction.making import figures, tables
from labrig_suites.supercon_extraction.making.samples import Printed
from labrig_suites.supercon_extraction.making.setting import Spot
from labrig_suites.supercon_extraction.making.writing import ROMAN, Mark, Writer
from labrig_suites.supercon_extraction.targets import Target

TAKEN, OWN = "Taken from Ref. [{ref}].", "Mean of three pieces."
"""What notes below a table say; the first one makes a value that of others."""
IN_FIGURE = "FIG. 2. Measurement on sample {label}. The {about} that follows is given in the figure."
IN_TEXT = 3
"""Samples of which sentences speak."""
UNITS_IN = ("head", "cell", "caption")
SENTENCES = 3
"""Of a paragraph of the discussion."""


class HarderWriter(Writer):
    """Writes one paper of level 4."""

    authors = "A. Tester^{*} and B. Fixture"
    _waiting: tables.Grid | None = None

    def _front(self) -> str:
        self.setter.put([("∗ Present address: Made Institute of Physics.", 0)], 54, 46, 7.5)
        self.setter.lines[-1].append("∗ Present address: Made Institute of Physics.")
        return super()._front()

    def _dealt(self, keys: list[Target]) -> tuple[list[list[Target]], list[list[Target]]]:
        chosen = self._chosen(keys)
        group = [each for each in keys if each.rule == "space_group"]
        rest = chosen[6:]
        self.in_figure = self.draw.choice(rest)
        self.seen_on = self.draw.randrange(len(self.samples))
        said = []
        for number in range(IN_TEXT):
            free = [each for each in rest if (number, each) != (self.seen_on, self.in_figure)]
            said.append(self.draw.sample(free, min(3, len(free))) + group * (number == 0))
        return [chosen[:3], chosen[3:6]], said

    def _results(self, in_tables: list[list[Target]], in_text: list[list[Target]]) -> None:
        setter = self.setter
        sideways = self.draw.random() < 0.5
        first, second = (self._grid(targets) for targets in in_tables)
        self._waiting = None if sideways else second
        for number, group in enumerate(self._grouped(in_text)):
            self._goes_on()
            self._found(number, " ".join(self._fillers(group)))
            if number == 0:
                tables.upright(setter, first)
            elif number == 1 and sideways:
                tables.turned(setter, second)
            elif number == 1:
                self._drawn()
        if sideways:
            self._drawn()
        self._printed()

    def _discussion(self) -> None:
        said = self._said_of_others()
        for first in range(0, len(said), SENTENCES):
            text = self._prose(said[first : first + SENTENCES])
            self._goes_on()
            if first == 0:
                self.setter.section("IV. DISCUSSION", text)
            else:
                self.setter.paragraph(text)
        if self._waiting is not None:
            tables.parted(self.setter, self._waiting)

    def _goes_on(self) -> None:
        """Set the table that goes on over the page, where the foot of the page is near."""
        spare = 9 * self.style.leading
        if self._waiting is not None and tables.stands_at_the_foot(self.setter, self._waiting, spare):
            tables.parted(self.setter, self._waiting)
            self._waiting = None

    def _grid(self, targets: Sequence[Target]) -> tables.Grid:
        """Return a table of all samples: one value is that of others, and one has a note that changes nothing."""
        draw = self.draw
        units_in = draw.choice(UNITS_IN)
        taken, own = draw.choice([("a", "b"), ("b", "a")])
        places = [(sample, target.key) for sample in range(len(self.samples)) for target in targets]
        cited, noted = draw.sample(places, 2)
        reference = draw.randrange(1, 42)
        self.cited.add(reference)
        rows = []
        for number, sample in enumerate(self.samples):
            cells, words = [sample.label], draw.choice(self.about.decoys["remarks"])
            for target in targets:
                value = (
                    self.of_others(target.key) if (number, target.key) == cited else sample.values[target.key]
                )
                letter = {cited: f"^{{{taken}}}", noted: f"^{{{own}}}"}.get((number, target.key), "")
                unit = value.shown.removeprefix(value.text) if units_in == "cell" else ""
                cells.append(value.text + letter + unit)
            quote = " ".join([*cells, words.partition("\n")[0]])
            for column, target in enumerate(targets, 1):
                if (number, target.key) != cited:
                    self.marks.append(Mark(number, target.key, "table", quote))
                    cells[column] = f"«{len(self.marks) - 1}:{cells[column]}»"
            rows.append([*cells, words])
        units = [self.samples[0].values[target.key].unit for target in targets]
        heads = [
            f"{target.head} ({unit})" if unit and units_in == "head" else target.head
            for target, unit in zip(targets, units, strict=True)
        ]
        told = "; ".join(
            f"{target.head}, {target.head_about}" + (f", in {unit}" if unit and units_in == "caption" else "")
            for target, unit in zip(targets, units, strict=True)
        )
        notes = sorted([f"^{{{taken}}} {TAKEN.format(ref=reference)}", f"^{{{own}}} {OWN}"])
        name = f"TABLE {ROMAN[self.tables]}"
        self.tables += 1
        caption = (
            f"Measured values of this work: {told}. Numbers in brackets are uncertainties of the last digit."
        )
        return tables.Grid(name, caption, ["Sample", *heads, "Remarks"], rows, notes)

    def _drawn(self) -> None:
        """Set a figure of lines with numbers at its axes."""
        shift = self.draw.uniform(0.2, 0.5)
        hot = self.draw.choice([100, 200, 300])
        curve = [(x / 40, 0.1 + 0.8 * abs(math.tanh(3 * (x / 40 - shift)))) for x in range(41)]
        plot = figures.Plot(curve, (hot, self.draw.choice([2, 4, 8])), ("T (K)", "arb. units"))
        figures.drawn(
            self.setter, plot, f"FIG. 1. Raw data on sample {self.samples[0].label} against temperature."
        )

    def _printed(self) -> None:
        """Set a figure as a picture; the value that is written in it stands nowhere else."""
        sample, target = self.samples[self.seen_on], self.in_figure
        value: Printed = sample.values[target.key]
        bend = self.draw.uniform(2, 5)
        curve = [(x / 50, 0.95 * math.exp(-bend * x / 50) + 0.03) for x in range(51)]
        plot = figures.Plot(
            curve, (self.draw.choice([40, 80, 160]), 1), ("T (K)", "signal"), f"{target.head} = {value.shown}"
        )
        caption = IN_FIGURE.format(label=sample.label, about=target.head_about)
        page, box = figures.printed(self.setter, plot, caption)
        self.marks.append(Mark(self.seen_on, target.key, "figure", caption))
        self.setter.spots[len(self.marks) - 1] = [Spot(page, box, caption)]
