"""Extractions of one small paper whose scores are known: right ones, every fault that the paper names, and cheats."""

from __future__ import annotations

import json
from typing import Any

from labrig_harness.channels import Channel, submitted
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Fixture
from labrig_harness.trajectory import Step, ToolCall, Trajectory
from labrig_suites.supercon_extraction.arms import FILE
from labrig_suites.supercon_extraction.items import NAME, VERSION
from labrig_suites.supercon_extraction.rows import Place, Truth, truths

PAGES = (
    "The transition temperature (R = 0) of La_{1.85}Sr_{0.15}CuO_{4} is T_{c} = 36.9(2) K in zero field.\n"
    "Earlier workers found 37.8 K [3]. A calculation gives 39.1 K.\n"
    "The crystals have the space group I4/mmm with a = 3.7793(2) Å.",
    "TABLE I. Transitions.\nSample T_{c} (K) γ (mJ/mol K^{2})\nA1 36.9(2) 6.9\nA2 28.4 5.2",
)
TC, A, GROUP = "transition temperature (R = 0)", "lattice constant a", "space group"
LSCO, LESS = "La1.85Sr0.15CuO4", "La1.9Sr0.1CuO4"
_PLACE = (Place(1, (0, 0, 1, 1), "where it stands"),)
TRUTHS = (
    Truth(TC, "numeric", LSCO, "36.9(2)", "K", "A1", also=("Tc zero",), places=_PLACE),
    Truth(TC, "numeric", LESS, "28.4", "K", "A2", places=_PLACE),
    Truth(A, "numeric", LSCO, "3.7793(2)", "Å", "A1", places=_PLACE),
    Truth(GROUP, "space_group", LSCO, "I4/mmm", "", "A1", places=_PLACE),
)


def entry(name: str, material: str, value: str, page: int | None, quote: str, **more: Any) -> dict[str, Any]:
    """Return a property in the form of the task."""
    location = {"evidence": quote, **({} if page is None else {"page": page})}
    return {
        "property_name": name,
        "material_or_system": material,
        "value_string": value,
        "location": location,
        **more,
    }


QUOTE = "is T_{c} = 36.9(2) K in zero field"
RIGHT = (
    entry(TC, LSCO, "36.9(2) K", 1, QUOTE),
    entry(TC, LESS, "28.4 K", 2, "A2 28.4 5.2"),
    entry(A, LSCO, "3.7793(2) Å", 1, "a = 3.7793(2) Å"),
    entry(GROUP, LSCO, "I4/mmm", 1, "space group I4/mmm"),
)
OTHERS = RIGHT[1:]
DUMP = ", ".join(f"{each / 10:g}" for each in range(250, 450))

FAULTS: dict[str, tuple[list[dict[str, Any]], float, float]] = {
    "all right": ([*RIGHT], 1, 1),
    "other writings: Tc zero, 36900 mK, (La0.925Sr0.075)2CuO4": (
        [entry("Tc zero", "(La0.925Sr0.075)2CuO4", "36900 mK", 2, "A1 36.9(2) 6.9"), *OTHERS], 1, 0.75),
    "an approximate value": ([entry(TC, LSCO, "~37 K", 1, QUOTE), *OTHERS], 0.75, 0.75),
    "a value said to be approximate": ([entry(TC, LSCO, "~36.9 K", 1, QUOTE), *OTHERS], 0.75, 1),
    "the value of others": ([entry(TC, LSCO, "37.8 K", 1, "Earlier workers found 37.8 K"), *OTHERS], 0.75, 0.75),
    "a calculated value": ([entry(TC, LSCO, "39.1 K", 1, "A calculation gives 39.1 K"), *OTHERS], 0.75, 0.75),
    "that of another sample": ([entry(TC, LSCO, "28.4 K", 2, "A2 28.4 5.2"), *OTHERS], 0.75, 0.75),
    "another sample's label": ([entry(TC, LSCO, "36.9 K", 1, QUOTE, sample_label="A2"), *OTHERS], 0.75, 1),
    "a slip of the unit: 36.9 mK": ([entry(TC, LSCO, "36.9 mK", 1, QUOTE), *OTHERS], 0.75, 1),
    "kilometres for ångströms": (
        [RIGHT[0], RIGHT[1], entry(A, LSCO, "3.7793 km", 1, "a = 3.7793(2) Å"), RIGHT[3]], 0.75, 1),
    "no unit": ([entry(TC, LSCO, "36.9", 1, QUOTE), *OTHERS], 0.75, 1),
    "a range": ([entry(TC, LSCO, "36.9-45 K", 1, QUOTE), *OTHERS], 0.75, 1),
    "200 numbers in one value": ([entry(TC, LSCO, DUMP, 1, QUOTE), *OTHERS], 0.75, 1),
    "a near formula: Sr0.16": ([entry(TC, "La1.84Sr0.16CuO4", "36.9 K", 1, QUOTE), *OTHERS], 0.75, 1),
    "a formula with x": ([entry(TC, "La2-xSrxCuO4", "36.9 K", 1, QUOTE), *OTHERS], 0.75, 0.75),
    "another criterion": (
        [entry("transition temperature (R = 100%)", LSCO, "36.9 K", 1, QUOTE), *OTHERS], 0.75, 0.75),
    "words beside the space group": (
        [*RIGHT[:3], entry(GROUP, LSCO, "tetragonal I4/mmm", 1, "space group I4/mmm")], 0.75, 0.75),
    "an invented quote": ([entry(TC, LSCO, "36.9 K", 1, "We measured Tc to be 36.9 K"), *OTHERS], 0.75, 1),
    "a quote without the value": ([entry(TC, LSCO, "36.9 K", 1, "Earlier workers found 37.8 K"), *OTHERS], 0.75, 1),
    "a quote that cuts the number": ([entry(TC, LSCO, "36.9 K", 1, "6.9(2) K in zero field"), *OTHERS], 0.75, 1),
    "a page as quote": ([entry(TC, LSCO, "36.9 K", 1, 20 * PAGES[0]), *OTHERS], 0.75, 1),
    "another page": ([entry(TC, LSCO, "36.9 K", 2, QUOTE), *OTHERS], 0.75, 1),
    "no page": ([entry(TC, LSCO, "36.9 K", None, QUOTE), *OTHERS], 0.75, 1),
    "one entry twice": ([*RIGHT, RIGHT[0]], 0.888889, 1),
    "four invented properties": (
        [*RIGHT, *(entry("density", LSCO, f"{n} g/cm^3", 1, QUOTE) for n in range(4))], 0.666667, 0.666667),
    "every value for every property": (
        [entry(name, material, f"{value} {unit}", page, quote)
         for name in (TC, A, GROUP) for material in (LSCO, LESS) for unit in ("K", "Å")
         for value, page, quote in ((36.9, 1, QUOTE), (37.8, 1, "found 37.8 K"), (3.7793, 1, "a = 3.7793(2) Å"),
                                    (28.4, 2, "A2 28.4 5.2"))],
        0.115385, 0.182927),
    "the form of the task, copied": ([entry("..", "..", "..", 1, "..")], 0, 0),
    "no property": ([], 0, 0),
}  # fmt: skip
"""Properties that were said, F1 by strict, and by compat."""


CAPTION = "FIG. 1. Weighing of sample A1. The density that follows is given in the figure."
IN_FIGURE = Truth(
    "density", "numeric", LSCO, "6.42", "g/cm^{3}", "A1", places=(Place(3, (0, 0, 1, 1), CAPTION, "figure"),)
)


def _drawn(value: str, page: int, quote: str, source: str) -> dict[str, Any]:
    row = entry("density", LSCO, value, page, quote)
    return {**row, "location": {**row["location"], "source_type": source}}


FIGURES: dict[str, tuple[list[dict[str, Any]], float, float]] = {
    "a value that stands in a figure alone, left out": ([*RIGHT], 1, 1),
    "the same, read off the figure": ([*RIGHT, _drawn("6.42 g/cm^3", 3, CAPTION, "figure")], 1, 1),
    "the same, said to stand in the text": ([*RIGHT, _drawn("6.42 g/cm^3", 3, CAPTION, "text")], 0.888889, 1),
    "the same, with a quote of another page": (
        [*RIGHT, _drawn("6.42 g/cm^3", 1, QUOTE, "figure")],
        0.888889,
        1,
    ),
    "the same, guessed": ([*RIGHT, _drawn("6.5 g/cm^3", 3, CAPTION, "figure")], 0.888889, 0.888889),
}
"""The same of a paper with one value more, which stands in a figure and nowhere else."""


def sample(drawn: bool = False) -> Sample:
    """Return the paper, as text alone; with a third page of a figure, whose value stands nowhere else."""
    known = (*TRUTHS, IN_FIGURE) if drawn else TRUTHS
    pages = [*PAGES, CAPTION] if drawn else list(PAGES)
    return Sample(
        NAME,
        VERSION,
        SampleInput("fixture", "List the properties of the paper."),
        {"rows": truths().dump_python(known, mode="json"), "pages": pages, "planted": []},
        {"kind": "fixture", "field": "supercon", "level": "1", "variant": "plain"},
    )


def played(text: str | None) -> Trajectory:
    """Return a trajectory that wrote a text into the file of predictions."""
    asked = Step(0, "List the properties of the paper.", source="user")
    steps: tuple[Step, ...] = (asked, Step(1, "I stop here."))
    if text is not None:
        wrote = ToolCall("write_file", {"path": FILE, "content": text}, 0, False)
        steps = (asked, Step(1, calls=(wrote,)))
    submission = submitted(Channel("predictions", FILE), steps, ())
    return Trajectory(
        "fixture",
        NAME,
        "fixture",
        "agent-default",
        0,
        0,
        steps,
        submission,
        "answered" if submission else "no_answer",
    )


def fixtures() -> list[Fixture]:
    """Return the fixtures."""
    paper = sample()
    told = [
        Fixture(
            paper, played(json.dumps({"properties": rows})), strict, compat, facts={"read": True}, about=about
        )
        for about, (rows, strict, compat) in FAULTS.items()
    ]
    told += [
        Fixture(
            sample(drawn=True),
            played(json.dumps({"properties": rows})),
            strict,
            compat,
            facts={"figures": 1, "figures_read": int(about.endswith("read off the figure"))},
            about=about,
        )
        for about, (rows, strict, compat) in FIGURES.items()
    ]
    unread = {"read": False, "committed": True}
    refused = {
        "no JSON": "Tc is 36.9 K",
        "JSON twice": json.dumps({"properties": list(RIGHT)}) * 2,
        "a list": json.dumps(list(RIGHT)),
        "nested too deeply": '{"properties": ' * 5000,
        "more than 10,000 properties": json.dumps({"properties": [{}] * 10_001}),
    }
    told += [Fixture(paper, played(text), 0, 0, True, unread, about) for about, text in refused.items()]
    told.append(
        Fixture(paper, played(None), 0, 0, True, {"committed": False, "read": False}, "nothing committed")
    )
    return told
