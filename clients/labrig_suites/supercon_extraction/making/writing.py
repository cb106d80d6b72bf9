"""What a paper says: its samples and their values in sentences and tables, among values that are not its own.

Levels: 1, one sample in sentences; 2, two samples in two columns with a table; 3, three or four samples with labels,
whose formulas the reader resolves from x, two tables, round numbers in the abstract, and one value that contradicts the
others; 4 is in `harder`. Each has values of others, calculated ones, and numbers of the experiment that are no
properties.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from labrig_suites.supercon_extraction.making.samples import Made, Printed, Series
from labrig_suites.supercon_extraction.making.setting import Box, Setter, Style
from labrig_suites.supercon_extraction.rows import Place, Truth
from labrig_suites.supercon_extraction.targets import Field, Target

LEVELS = (1, 2, 3, 4)
LABELLED = 3
"""The level from which samples have labels."""
SERIES = "All samples belong to the series {generic}."
"""How a paper of level 3 names its series, and in which words a sample is one of it."""
MEMBER = "Sample {label} has {x}."
OXYGEN = "In all of them δ = {delta} by titration."
ROMAN = ("I", "II")
NEXT = ("seebeck", "tc_zero")


@dataclass(frozen=True)
class Valued:
    """A printed value of a paper of level 5, asked for or not; of others, material and sample are empty."""

    property: str
    value: str
    unit: str
    standing: str
    material: str
    sample: str
    page: int
    box: Box


@dataclass(frozen=True)
class Paper:
    """A paper and its truth.

    Attributes
    ----------
    pages
        Text of each page, as drawn.
    planted
        For each value that contradicts the others: sample, property, why.
    values
        At level 5 all that is printed.
    """

    pdf: bytes
    title: str
    rows: tuple[Truth, ...]
    pages: tuple[str, ...]
    planted: tuple[tuple[str, str, str], ...]
    field: str
    level: int
    tables: int
    values: tuple[Valued, ...] = ()


@dataclass(frozen=True)
class Mark:
    sample: int
    key: str
    source: str
    quote: str = ""


class Writer:
    """Writes one paper."""

    authors = "A. Tester and B. Fixture"

    def __init__(
        self, draw: random.Random, about: Field, series: Series, samples: list[Made], level: int, owner: str
    ) -> None:
        self.draw, self.about, self.series, self.level = draw, about, series, level
        labels = [f"{draw.choice('ABKS')}{number + 1}" for number in range(len(samples))]
        self.samples = [
            replace(sample, label=label if level >= LABELLED else "")
            for sample, label in zip(samples, labels, strict=True)
        ]
        self.marks: list[Mark] = []
        self.style = style_of(draw, level)
        volume, self.year = draw.randrange(40, 90), draw.randrange(1988, 2012)
        self.setter = Setter(self.style, f"{about.journal} {volume} ({self.year})", owner)
        self.tables = 0
        self.cited: set[int] = set()
        self._paragraphs: list[list[str]] = []

    def written(self) -> Paper:
        """Write the paper from title to references."""
        setter = self.setter
        keys = [target for target in self.about.targets if target.key in self.samples[0].values]
        in_tables, in_text = self._dealt(keys)
        title = self._front()
        self._results(in_tables, in_text)
        self._discussion()
        self._references()
        pdf = setter.done()
        return Paper(
            pdf,
            title,
            tuple(self._rows()),
            tuple(setter.pages),
            self._planted(),
            self.about.name,
            self.level,
            self.tables,
        )

    def _front(self) -> str:
        """Write title, abstract, introduction and experiment; return the title."""
        draw, setter, decoys = self.draw, self.setter, self.about.decoys
        count = "one sample" if len(self.samples) == 1 else f"{len(self.samples)} samples"
        title = draw.choice(self.about.titles).format(
            series=self.series.generic if len(self.samples) > 1 else self.samples[0].markup
        )
        setter.title(title, self.authors)
        setter.paragraph(
            self._prose(
                [
                    f"We report on {count} of {self.series.generic}.",
                    *decoys["abstract"][: self.level],
                ]
            )
        )
        setter.section(
            "I. INTRODUCTION",
            self._prose(
                [
                    *self._some(decoys["introduction"], self.level + 1),
                    *self._some(decoys["filler"], 2 + 2 * self.level),
                ]
            ),
        )
        setter.section(
            "II. EXPERIMENT",
            self._prose(
                [
                    *self._members(),
                    *self._some(decoys["experiment"], 2 + (self.level > 1)),
                    *self._some(decoys["filler"], self.level),
                ]
            ),
        )
        return title

    def _results(self, in_tables: list[list[Target]], in_text: list[list[Target]]) -> None:
        """Write what was found, in sentences and tables."""
        for number, group in enumerate(self._grouped(in_text)):
            self._found(number, " ".join(self._fillers(group)))
            if number < len(in_tables):
                self._table(in_tables[number])
        for left in in_tables[len(self._grouped(in_text)) :]:
            self._table(left)
        if self.level > 1:
            self._figure()

    def _found(self, number: int, text: str) -> None:
        """Write a paragraph of the results."""
        if number == 0:
            self.setter.section("III. RESULTS", text)
        else:
            self.setter.paragraph(text)

    def _discussion(self) -> None:
        self.setter.section("IV. DISCUSSION", self._prose(self._said_of_others()))

    def _said_of_others(self) -> list[str]:
        decoys = self.about.decoys
        return [
            *self._some(decoys["discussion"], self.level + 1),
            *self._some(decoys["filler"], 3 + 2 * self.level),
        ]

    def _references(self) -> None:
        """List what was cited; all of it is older than the paper."""
        draw, setter = self.draw, self.setter
        setter.heading("REFERENCES")
        for number in sorted(self.cited):
            volume, page, year = (
                draw.randrange(5, 80),
                draw.randrange(100, 999),
                draw.randrange(1976, self.year),
            )
            place = f"J. Made Phys. {volume}, {page} ({year})"
            setter.paragraph(f"[{number}] J. Doe et al., {place}.", 0.88 * self.style.size, indent=False)

    def _dealt(self, keys: list[Target]) -> tuple[list[list[Target]], list[list[Target]]]:
        """Return which properties stand in each table, and which in sentences for each sample."""
        draw, chosen = self.draw, self._chosen(keys)
        group = [each for each in keys if each.rule == "space_group"]
        if self.level == 1:
            return [], [chosen[:7] + group]
        if self.level == 2:
            return [chosen[:4]], [group + chosen[4:8], chosen[4:6]]
        rest = chosen[6:]
        return [chosen[:3], chosen[3:6]], [
            draw.sample(rest, min(3, len(rest))) + group * (n == 0) for n in range(len(self.samples))
        ]

    def _chosen(self, keys: list[Target]) -> list[Target]:
        """Return the numeric properties as they are dealt, first the one that others follow from."""
        numeric = [each for each in keys if each.head]
        must = [each for each in numeric if each.key in NEXT]
        self.draw.shuffle(numeric)
        return [*must, *(each for each in numeric if each not in must)]

    def _grouped(self, in_text: list[list[Target]]) -> list[list[str]]:
        """Return sentences in paragraphs, one for each sample; made once."""
        if not self._paragraphs:
            self._paragraphs = [
                [self._sentence(self.draw.choice(target.sentences), number) for target in targets]
                for number, targets in enumerate(in_text)
            ]
        return self._paragraphs

    def _fillers(self, sentences: list[str]) -> list[str]:
        """Return sentences with others that say nothing between them."""
        found = list(sentences)
        self.draw.shuffle(found)
        for filler in self._some(self.about.decoys["filler"], min(4, 1 + len(found) // 2)):
            found.insert(self.draw.randrange(len(found) + 1), filler)
        return found

    def _some(self, sentences: Sequence[str], count: int) -> list[str]:
        return self.draw.sample(list(sentences), min(count, len(sentences)))

    def _members(self) -> list[str]:
        if self.level < LABELLED:
            named = " and ".join(sample.markup for sample in self.samples)
            verb = "was" if len(self.samples) == 1 else "were"
            return [f"Polycrystalline {named} {verb} prepared by solid state reaction."]
        return [
            SERIES.format(generic=self.series.generic),
            *([OXYGEN.format(delta=self.samples[0].delta)] if self.samples[0].delta else []),
            *(MEMBER.format(label=each.label, x=each.x) for each in self.samples),
        ]

    def _mention(self, sample: int) -> str:
        made = self.samples[sample]
        return f"sample {made.label}" if made.label else made.markup

    def _sentence(self, template: str, sample: int) -> str:
        """Return a sentence of a sample's value, with its mark."""
        made = self.samples[sample]
        text = template.replace("{m}", self._mention(sample))
        found = re.search(r"<(\w+)>", text)
        assert found is not None, template
        value = made.values[found[1]]
        quote = text.replace(found[0], value.shown)
        self.marks.append(Mark(sample, found[1], "text", quote))
        return text.replace(found[0], f"«{len(self.marks) - 1}:{value.shown}»")

    def _prose(self, templates: Sequence[str]) -> str:
        """Return sentences whose values are nobody's, or rounded."""
        draw = self.draw
        said = []
        for template in templates:
            text = template.replace("{m}", self.samples[draw.randrange(len(self.samples))].markup)
            while "{ref}" in text:
                number = draw.randrange(1, 42)
                self.cited.add(number)
                text = text.replace("{ref}", str(number), 1)
            for word, low, high in (
                ("{few}", 2, 9),
                ("{some}", 11, 39),
                ("{hot}", 600, 950),
            ):
                while word in text:
                    text = text.replace(word, str(draw.randrange(low, high)), 1)
            said.append(re.sub(r"<(near|round):(\w+)>", lambda found: self._other(found[2], found[1]), text))
        return " ".join(said)

    def _other(self, key: str, kind: str) -> str:
        """Return another value of a quantity, at least 2 % from each of this paper's, or a rounded one."""
        own = [sample.values[key] for sample in self.samples if key in sample.values]
        if kind == "round":
            text = f"{own[0].number:.2g}" if own[0].number < 10 else f"{own[0].number:.0f}"
            return f"{text} {own[0].unit}".strip()
        return self.of_others(key).shown

    def of_others(self, key: str) -> Printed:
        """Return a value of a quantity that is at least 2 % from each of this paper's."""
        own = [sample.values[key] for sample in self.samples if key in sample.values]
        base = self.draw.choice(
            [sample.values[key] for sample in self.samples if key not in sample.planted] or own
        )
        places = len(base.text.partition("(")[0].partition(".")[2])
        while True:
            factor = 1 + self.draw.choice([-1, 1]) * self.draw.uniform(0.05, 0.25)
            other = Printed(f"{factor * base.number:.{places}f}", base.unit)
            fits = other.unit != "%" or other.number < 99
            if fits and all(abs(other.number - each.number) > 0.02 * each.number for each in own):
                return other

    def _table(self, targets: Sequence[Target]) -> None:
        name = f"TABLE {ROMAN[self.tables]}"
        self.tables += 1
        labelled = self.level >= LABELLED
        units = [self.samples[0].values[each.key].unit for each in targets]
        heads = [
            f"{each.head} ({unit})" if unit else each.head for each, unit in zip(targets, units, strict=True)
        ]
        header = ["Sample" if labelled else "Compound", *heads]
        rows = []
        for number, sample in enumerate(self.samples):
            first = sample.label if labelled else sample.markup
            quote = " ".join([first, *(sample.values[each.key].text for each in targets)])
            row = [first]
            for target in targets:
                self.marks.append(Mark(number, target.key, "table", quote))
                row.append(f"«{len(self.marks) - 1}:{sample.values[target.key].text}»")
            rows.append(row)
        told = "; ".join(f"{each.head}, {each.head_about}" for each in targets)
        self.setter.table(
            name,
            f"Measured values of this work: {told}. Numbers in brackets are uncertainties of the last digit.",
            header,
            rows,
        )

    def _figure(self) -> None:
        draw = self.draw
        rise = draw.uniform(0.3, 0.5)
        curve = [
            (x / 60, 0.02 if x / 60 < rise else min(0.95, 0.3 + 0.6 * (x / 60 - rise))) for x in range(61)
        ]
        curve = [(x, y if abs(x - rise) > 0.02 else 0.15) for x, y in curve]
        if self.about.name != "supercon":
            curve = [(x / 60, rise + 0.5 * math.sin(x / 38)) for x in range(61)]
        name = "ρ" if self.about.name == "supercon" else "S"
        caption = (
            f"FIG. 1. Temperature dependence of {name} for {self.samples[0].markup}; the line guides the eye."
        )
        self.setter.figure(caption, curve, ("T (K)", f"{name} (arb. units)"))

    def _rows(self) -> list[Truth]:
        """Return the truth: a row for each property of each sample, with every place where it stands."""
        places: dict[tuple[int, str], list[Place]] = {}
        for number, mark in enumerate(self.marks):
            spot = self.setter.spots[number][0]
            box = tuple(round(each, 1) for each in spot.box)
            places.setdefault((mark.sample, mark.key), []).append(
                Place(spot.page, box, mark.quote, mark.source)  # type: ignore[arg-type]
            )
        rows = []
        for (sample, key), found in places.items():
            made, target = self.samples[sample], self.about.target(key)
            value = made.values[key]
            rows.append(
                Truth(
                    target.name,
                    target.rule,
                    made.formula,
                    value.text,
                    value.unit,
                    sample=made.label,
                    also=target.also,
                    places=tuple(found),
                )
            )
        return rows

    def _planted(self) -> tuple[tuple[str, str, str], ...]:
        printed = {(mark.sample, mark.key) for mark in self.marks}
        return tuple(
            (sample.formula, self.about.target(key).name, why)
            for number, sample in enumerate(self.samples)
            for key, why in sample.planted.items()
            if (number, key) in printed
        )


def style_of(draw: random.Random, level: int) -> Style:
    size = draw.choice([9.0, 9.5, 10.0, 10.5])
    return Style(
        size,
        size * draw.uniform(1.18, 1.32),
        1 if level == 1 else 2,
        draw.random() < 0.7,
        draw.uniform(0.66, 0.74),
        draw.uniform(0.34, 0.42),
        draw.uniform(0.15, 0.22),
        draw.choice([(612.0, 792.0), (595.3, 841.9)]),
        draw.random() < 0.3 if level >= LABELLED else False,
        draw.random() < 0.4 if level == LABELLED else False,
    )
