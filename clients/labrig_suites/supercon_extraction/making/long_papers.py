"""Papers of level 5: long ones, most of whose values are not asked for.

What is printed is drawn from `long_papers.toml`, each value with its standing: ``own``, ``cited``, ``calculated``,
``negated``, ``rounded`` or ``setting``. Own values of the closed list are the truth; a Curie temperature is own, too,
and not asked for. No sentence comes twice.
"""

from __future__ import annotations

import math
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from labrig_suites.supercon_extraction.making.floats import (
    RunningSetter,
    Spanned,
    wait_with_figure,
    wait_with_table,
)
from labrig_suites.supercon_extraction.making.samples import Made, Printed, Series, choose_units, make_values
from labrig_suites.supercon_extraction.making.setting import BOTTOM, Style
from labrig_suites.supercon_extraction.making.sign_fonts import coded
from labrig_suites.supercon_extraction.making.writing import Paper, Valued, Writer
from labrig_suites.supercon_extraction.rows import Place, Truth
from labrig_suites.supercon_extraction.targets import Field

LEVEL = 5
Standing = Literal["own", "cited", "calculated", "negated", "rounded", "setting"]
NOT_ASKED = {"curie": "Curie temperature", "glass": "glass temperature", "weiss": "Weiss temperature"}
EMPTY = "…"
Curve = tuple[str, Sequence[tuple[float, float]]]
"""A legend, and points in the unit square."""
_VALUE = re.compile(r"<(own|cited|calculated|negated|rounded|setting) ([^>]+?)( /)?>")
_SAMPLE = re.compile(r"(?<![_^])\{([0-3])\}")
_CHOICE = re.compile(r"\[([^\[\]{}]*\|[^\[\]{}]*)\]")


@dataclass(frozen=True)
class Said:
    """A value that is printed; the sample is -1 where it is none of the paper's."""

    standing: Standing
    key: str
    value: Printed
    sample: int = -1
    source: Literal["text", "caption", "table", "figure"] = "text"


@cache
def language() -> dict[str, Any]:
    """Return what long papers say."""
    return tomllib.loads(files(__package__).joinpath("long_papers.toml").read_text(encoding="utf-8"))


def make_long_samples(draw: random.Random, family: dict[str, Any]) -> list[Made]:
    """Return the four samples of a family, of which the last is no superconductor."""
    units = choose_units(draw)
    made = []
    for number, name in enumerate(family["samples"]):
        markup = re.sub(r"^\d[A-Z][a-z]?-", "", name)
        formula = re.sub(r"[_{}]", "", markup)
        a, c, count = family["cells"][number]
        series = Series(markup, markup, family["groups"][number], (a, c), count, (0.0,), (0, 0))
        series = replace(series, tc=([*family["critical"], 5.0][number], 0))
        values = make_values(draw, series, 0.0, formula, units)
        curie = draw.uniform(14, 70)
        for key, kelvins in (
            ("curie", curie),
            ("glass", curie * draw.uniform(0.3, 0.8)),
            ("weiss", curie + 3),
        ):
            values[key] = Printed(f"{kelvins:.1f}", "K")
        made.append(Made(formula, name, f"S{number + 1}", "", values))
    return made


def style_of(draw: random.Random) -> Style:
    """Return how a long paper looks: a preprint of one column with wide lines, or two columns."""
    one = draw.random() < 0.4
    size = 12.0 if one else draw.choice([10.5, 11.0])
    leading = size * (1.5 if one else draw.uniform(1.4, 1.5))
    page = draw.choice([(612.0, 792.0), (595.3, 841.9)])
    return Style(size, leading, 1 if one else 2, True, 0.7, 0.38, 0.18, page, False, False)


class LongWriter(Writer):
    """Writes one paper of level 5."""

    def __init__(self, draw: random.Random, about: Field, owner: str = "") -> None:
        self.family = draw.choice(language()["family"])
        made = make_long_samples(draw, self.family)
        self.draw, self.about, self.level, self.samples = draw, about, LEVEL, made
        self.style, self.year = style_of(draw), draw.randrange(1996, 2013)
        self.setter: RunningSetter = RunningSetter(
            self.style, f"{language()['journal']} {draw.randrange(10, 60)} ({self.year})", owner
        )
        self.setter.begin_floats()
        self.owner = owner
        self.said: list[Said] = []
        self.used: set[str] = set()
        self.reference = self.figures = 0
        self.raised = draw.random() < 0.6
        ranged = draw.choice(["rho", "lambda"])
        self.ranged = (ranged, draw.randrange(3))
        self.listed = draw.choice(list(language()["respectively"]))

    def written(self) -> Paper:
        """Write the paper from title to references."""
        words, setter, draw = language(), self.setter, self.draw
        names = [each.markup for each in self.samples]
        title = draw.choice(words["title"]).format(series=f"{names[0]} and related compounds")
        setter.title(title, "A. Tester, B. Fixture, and C. Seed")
        singles = self._singles()
        setter.paragraph(self._text(words["abstract"]))
        self._section("I. INTRODUCTION", self._some("introduction", 10), "introduction", 20)
        labels = [f"{each.markup} ({each.label})" for each in self.samples]
        batches = f"Four batches are compared: {', '.join(labels[:3])} and {labels[3]}."
        self._section("II. EXPERIMENT", [batches, *self._some("experiment", 10)], "experiment", 17)
        own = [*singles, *self._some("magnetic", 5)]
        draw.shuffle(own)
        floats: list[Sequence[Callable[[], None]]] = [
            [self._compared],
            [self._resistance_curves, self._susceptibility_curves],
            [self._parameters, self._heat_curves],
            [self._spectra],
        ]
        for number, heading in enumerate(("III. RESULTS", "", "", "")):
            for wait in floats[number]:
                wait()
            self._section(heading, own[number::4], "results", 20)
        spoken = [*self._some("discussion", 12), *self._some("negated", 4)]
        draw.shuffle(spoken)
        self._phase_diagram()
        self._section("IV. DISCUSSION", spoken, "discussion", 25)
        self._section("V. CONCLUSIONS", [], "conclusion", 4)
        setter.finish_floats()
        self._references()
        pdf = setter.done()
        if not self.owner and draw.random() < 0.6:
            pdf = coded(pdf)
        values = tuple(self._values())
        return Paper(
            pdf, title, tuple(self._rows()), tuple(setter.pages), (), self.about.name, LEVEL, 2, values
        )

    def _singles(self) -> list[str]:
        """Return the sentences of own values: one of three samples, one range, and some of one sample each."""
        words, draw = language(), self.draw
        key, sample = self.ranged
        keys = draw.sample([each for each in words["own"] if each not in (key, self.listed)], 6)
        return [
            draw.choice(words["respectively"][self.listed]),
            words["range"][key].replace("{m}", f"{{{sample}}}").replace("#", str(sample)),
            *(
                draw.choice(words["own"][each]).replace("{m}", f"{{{at}}}").replace("#", str(at))
                for each in keys
                for at in [draw.randrange(3)]
            ),
        ]

    def _some(self, kind: str, count: int) -> list[str]:  # type: ignore[override]
        draw, found = self.draw, language()["others"][kind]
        said = draw.sample(found, min(count, len(found)))
        return [
            each.replace("{m}", f"{{{at}}}").replace("#", str(at))
            for each in said
            for at in [draw.randrange(4)]
        ]

    def _section(self, heading: str, said: Sequence[str], kind: str, fillers: int) -> None:
        """Set paragraphs of sentences among others that hold no value."""
        if heading:
            self.setter.heading(heading)
        spare = [self._filler(each) for each in self.draw.sample(language()["filler"][kind], fillers)]
        told = [self._text(each) for each in said]
        parts = max(1, len(told) // 3 + (len(spare) > 8))
        for number in range(parts):
            ordered = self._ordered(told[number::parts], spare[number::parts])
            self.setter.paragraph(self._cited(" ".join(ordered)))

    def _ordered(self, told: list[str], spare: list[str]) -> list[str]:
        """Return sentences in an order by which one with a value is cut by the end of the column, if there is one."""
        setter = self.setter
        self.draw.shuffle(spare)
        left = int((setter.y - BOTTOM) / self.style.leading)

        def lines(text: Sequence[str]) -> int:
            return len(setter._broken(" ".join(text), self.style.size, self.style.size)) if text else 0

        for number, each in enumerate(told):
            for at in range(len(spare) + 1):
                if lines(spare[:at]) < left < lines([*spare[:at], each]):
                    others = [*told[:number], *told[number + 1 :]]
                    return [*spare[:at], each, *_mixed(self.draw, others, spare[at:])]
        return _mixed(self.draw, told, spare)

    def _filler(self, template: str) -> str:
        """Return a sentence without a value, in words in which it was not said yet."""
        while (
            text := _CHOICE.sub(lambda found: self.draw.choice(found[1].split("|")), template)
        ) in self.used:
            pass
        self.used.add(text)
        return text

    def _text(self, template: str, source: Literal["text", "caption", "table", "figure"] = "text") -> str:
        """Return a sentence with its samples named and its values marked."""
        draw = self.draw

        def name(found: re.Match[str]) -> str:
            made = self.samples[int(found[1])]
            return draw.choice([made.markup] * 3 + [made.label])

        text = _SAMPLE.sub(name, template)
        return _VALUE.sub(lambda found: self._value(found, source), text)

    def _cited(self, text: str) -> str:
        """Return a text with its citations numbered in the order of their first appearance, or nearly so."""
        draw = self.draw

        def cite(found: re.Match[str]) -> str:
            number = draw.randint(1, max(1, self.reference)) if draw.random() < 0.25 else self.reference + 1
            self.reference = max(number, self.reference)
            if found[0] == "{Ref}":
                return f"Ref. {number}"
            return f"^{{{number}}}" if self.raised else f" [{number}]"

        return re.sub(r"\{[rR]ef\}", cite, text)

    def _value(self, found: re.Match[str], source: Literal["text", "caption", "table", "figure"]) -> str:
        standing, about, bare = found[1], found[2].split(), bool(found[3])
        key, sample = about[0], -1
        if standing == "own":
            sample = int(about[1])
            value = self._own(key, sample)
        elif standing == "setting":
            key, value = "", self._setting(found[2])
        elif key == "low":
            value = Printed(self.draw.choice(["0.05", "0.35", "0.4", "1.8", "0.28"]), "K")
        else:
            value = self.of_others(key)
            if standing == "rounded":
                value = Printed(f"{self.samples[2].values[key].number:.0f}", value.unit)
        return self._mark(Said(standing, key, value, sample, source), bare)  # type: ignore[arg-type]

    def _mark(self, said: Said, bare: bool = False) -> str:
        self.said.append(said)
        return f"«{len(self.said) - 1}:{said.value.text if bare else said.value.shown}»"

    def of_others(self, key: str) -> Printed:
        """Return a value of others; lattice constants of neighbours differ by little more than 2 %."""
        if key not in ("a", "c"):
            return super().of_others(key)
        base = self.samples[self.draw.randrange(3)].values[key]
        own = [each.values[key].number for each in self.samples]
        while True:
            number = base.number * (1 + self.draw.choice([-1, 1]) * self.draw.uniform(0.021, 0.06))
            if all(abs(number - each) > 0.02 * each for each in own):
                return Printed(f"{number:.{len(base.text.partition('(')[0].partition('.')[2])}f}", base.unit)

    def _own(self, key: str, sample: int) -> Printed:
        value = self.samples[sample].values[key]
        if (key, sample) != self.ranged:
            return value
        base = value.number * ({"μΩ cm": 1e-2, "mΩ cm": 10}.get(value.unit, 1e-2))
        power, unit = ("−4", "Ω cm") if key == "rho" else ("3", "Å")
        return Printed(f"({0.87 * base:.2f}–{1.14 * base:.2f}) × 10^{{{power}}}", unit)

    def _setting(self, written: str) -> Printed:
        """Return a setting of the apparatus, drawn where it is written as a range."""
        text, _, unit = written.partition(" ")
        low, dots, high = text.partition("..")
        return Printed(str(self.draw.randrange(int(low), int(high) + 1)) if dots else text, unit)

    def _cells(self, sample: int, keys: Sequence[str], there: set[tuple[int, str]]) -> Iterator[str]:
        for key in keys:
            yield (
                self._mark(Said("own", key, self.samples[sample].values[key], sample, "table"), bare=True)
                if (sample, key) in there
                else EMPTY
            )

    def _compared(self) -> None:
        """Let the table wait that compares own samples with many of others, in groups."""
        draw, samples = self.draw, self.samples
        keys = ["tc_onset", "tc_zero", "a", "c"]
        there = set(draw.sample([(at, key) for at in range(3) for key in keys], 2))
        rows: list[Sequence[str] | str] = ["This work"]
        rows += [[samples[at].markup, *self._cells(at, keys, there)] for at in range(3)]
        others = draw.sample(self.family["others"], draw.randrange(4, 9))
        for group, some in (("Crystals grown by others", others[:3]), ("Powders and films", others[3:])):
            rows.append(group)
            for name in some:
                cells = [
                    self._mark(Said("cited", key, self.of_others(key), -1, "table"), bare=True)
                    for key in keys
                ]
                lost = draw.randrange(8)
                rows.append(
                    [
                        self._cited(name + "{ref}"),
                        *(EMPTY if at == lost else cell for at, cell in enumerate(cells)),
                    ]
                )
        caption = language()["table"]["compared"]
        heads = [("T_{c} (K)", ["onset", "ρ = 0"]), ("Lattice constants (Å)", ["a", "c"])]
        wait_with_table(self.setter, Spanned(caption, heads, rows))

    def _parameters(self) -> None:
        """Let the table wait that has experiment beside theory, and whose caption cites its last line."""
        draw, samples = self.draw, self.samples
        keys = ["gamma", "debye"]
        there = set(draw.sample([(at, key) for at in range(3) for key in keys], 3))
        rows: list[Sequence[str] | str] = []
        for at in range(3):
            own = list(self._cells(at, keys, there))
            theory = [
                self._mark(Said("calculated", key, self.of_others(key), -1, "table"), bare=True)
                for key in keys
            ]
            rows.append([samples[at].markup, own[0], theory[0], own[1], theory[1]])
        for name in draw.sample(self.family["others"], 1):
            cells = [
                self._mark(Said(standing, key, self.of_others(key), -1, "table"), bare=True)
                for key in keys
                for standing in ("cited", "calculated")
            ]
            rows.append([name, *cells])
        units = [samples[0].values[key].unit for key in keys]
        heads = [
            ("", [f"γ ({units[0]})"]),
            ("", ["γ_{calc}"]),
            ("", [f"Θ_{{D}} ({units[1]})"]),
            ("", ["Θ_{calc}"]),
        ]
        caption = self._said(language()["table"]["parameters"])
        wait_with_table(self.setter, Spanned(caption, heads, rows))

    def _said(self, template: str, source: Literal["text", "caption"] = "caption") -> str:
        return self._cited(self._text(template, source))

    def _wait_with_curves(self, name: str, curves: Sequence[Curve]) -> None:
        """Let a figure wait, whose caption and axes are of the language of long papers."""
        about = language()["figure"][name]
        self.figures += 1
        caption = f"FIG. {self.figures}. {self._said(about['caption'])}"
        wait_with_figure(self.setter, caption, curves, about["axes"], about["end"])

    def _resistance_curves(self) -> None:
        fields = ["0 T", "0.5 T", "2 T", "5 T", "9 T"][: self.draw.randrange(3, 6)]
        legends = [self._text(f"<setting {each}>", "figure") for each in fields]
        self._wait_with_curves(
            "resistance", [(each, _step(0.55 - 0.09 * number, 0.03)) for number, each in enumerate(legends)]
        )

    def _susceptibility_curves(self) -> None:
        ends = [(each.label, 0.2 + 0.1 * number) for number, each in enumerate(self.samples[:3])]
        self._wait_with_curves("susceptibility", [(label, _step(at, 0.015)) for label, at in ends])

    def _heat_curves(self) -> None:
        def jump(at: float) -> list[tuple[float, float]]:
            return [(x / 30, 0.1 + 0.5 * x / 30 + (0.02 * x if x < at else 0)) for x in range(31)]

        self._wait_with_curves("heat", [(each.label, jump(9 + 3 * n)) for n, each in enumerate(self.samples)])

    def _spectra(self) -> None:
        def pair(wide: float) -> list[tuple[float, float]]:
            volts = [x / 25 - 1 for x in range(51)]
            return [
                ((v + 1) / 2, 0.1 + 0.25 * abs(v) + 0.4 * math.exp(-(((abs(v) - 0.4) / wide) ** 2)))
                for v in volts
            ]

        degrees = [self._text(f"<setting {each}>", "figure") for each in ("0.4 K", "2.0 K", "4.2 K")]
        self._wait_with_curves("spectra", [(each, pair(0.08 + 0.05 * n)) for n, each in enumerate(degrees)])

    def _phase_diagram(self) -> None:
        lines = (("T_{c}", 0.35, 6), ("T_{C}", 0.75, 1), ("T_{g}", 0.5, 2))
        self._wait_with_curves(
            "phases",
            [
                (name, [(x / 20, high * math.exp(-((x / 20 - 0.5) ** 2) * wide)) for x in range(21)])
                for name, high, wide in lines
            ],
        )

    def _references(self) -> None:
        draw, setter = self.draw, self.setter
        setter.heading("REFERENCES")
        words = language()
        for number in range(1, self.reference + 1):
            author = f"{draw.choice('ABCDEGHJKLMRSTW')}. {draw.choice(words['author'])} et al."
            volume, page, year = (
                draw.randrange(5, 120),
                draw.randrange(100, 999),
                draw.randrange(1974, self.year),
            )
            about = self._filler(draw.choice(words["filler"]["titles"]))
            entry = f"[{number}] {author}, {about}, J. Made Phys. {volume}, {page} ({year})."
            setter.paragraph(entry, 0.85 * self.style.size, indent=False)

    def _rows(self) -> list[Truth]:
        """Return the truth: own values that the closed list asks for."""
        asked = {target.key: target for target in self.about.targets}
        places: dict[tuple[int, str], list[Place]] = {}
        for number, said in enumerate(self.said):
            if said.standing == "own" and said.key in asked:
                for spot in self.setter.spots[number]:
                    box = tuple(round(each, 1) for each in spot.box)
                    places.setdefault((said.sample, said.key), []).append(
                        Place(spot.page, box, spot.line, said.source)  # type: ignore[arg-type]
                    )
        return [
            Truth(
                asked[key].name,
                asked[key].rule,
                self.samples[sample].formula,
                self._own(key, sample).text,
                self._own(key, sample).unit,
                sample=self.samples[sample].label,
                also=asked[key].also,
                places=tuple(found),
            )
            for (sample, key), found in places.items()
        ]

    def _values(self) -> Iterator[Valued]:
        """Give every printed value with its standing and sample."""
        names = {target.key: target.name for target in self.about.targets} | NOT_ASKED
        for number, said in enumerate(self.said):
            for spot in self.setter.spots.get(number, ()):
                box = tuple(round(each, 1) for each in spot.box)
                own = self.samples[said.sample] if said.sample >= 0 else None
                yield Valued(
                    *(names.get(said.key, ""), said.value.text, said.value.unit, said.standing),
                    *(own.formula if own else "", own.label if own else "", spot.page, box),  # type: ignore[arg-type]
                )


def _step(at: float, wide: float) -> list[tuple[float, float]]:
    return [(x / 60, 0.02 + 0.7 / (1 + math.exp((at - x / 60) / wide)) + 0.2 * x / 60) for x in range(61)]


def _mixed(draw: random.Random, told: Sequence[str], spare: Sequence[str]) -> list[str]:
    """Return sentences with values among others, both in their order."""
    found = list(spare)
    for each in told:
        found.insert(draw.randrange(len(found) + 1), each)
    return found
