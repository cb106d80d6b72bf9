"""Pictures: where things stand by closed form, what is refused, and that what is drawn can be seen."""

from __future__ import annotations

import copy
import io
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread

from labrig.errors import LabrigError
from labrig.plotting import style
from labrig.plotting.drawing import Painter, png_size
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.series import series as read_series
from labrig_phreeqc.plots import notation, piper, saturation, series, stiff, uncertainty
from labrig_phreeqc.plots.painting import KINDS, paint
from labrig_phreeqc.plots.water import ANIONS, CATIONS, Water

Data = dict[str, Any]
ODD = [
    "$x$",
    "a$b",
    r"\alpha_{1}^2",
    "%&#~{",
    "温泉",
    "é\u0301",
    "a\ud800\0\nb",
    "‮rtl",
    "\u200b",
    "w" * 3000,
    "#1",
]
"""Names that would break mathtext, fonts, lines, encodings or margins."""
SOURCE = "result.out sha256:0123456789abcdef, PHREEQC 3.8.6, phreeqc.dat"


def water(name: str, seed: int = 0, **others: Any) -> Data:
    chance = random.Random(seed)
    ions = ("Ca", "Mg", "Na", "K", "HCO3", "CO3", "SO4", "Cl")
    return {"name": name, "meq": {ion: chance.lognormvariate(0, 1) for ion in ions}, **others}


def a_series(points: int = 51, **others: Any) -> Data:
    steps = [i / max(1, points - 1) for i in range(points)]
    lines = [
        ("pH", "", [7 - s for s in steps]),
        ("SI(Calcite)", "log10(IAP/K)", [s - 0.5 for s in steps]),
        ("SI(CO2(g))", "log10(IAP/K)", [-3 + s for s in steps]),
        ("m(HCO3-)", "mol/kgw", [1e-3 * (1 + s) for s in steps]),
        ("total Fe", "mol/kgw", [1e-3 * 10 ** (-6 * s) for s in steps]),
    ]
    return {
        "title": "Calcite",
        "source": SOURCE,
        "x": {"name": "time", "unit": "s", "values": [60.0 * i for i in range(points)]},
        "lines": [{"name": name, "unit": unit, "values": values} for name, unit, values in lines],
        **others,
    }


def a_saturation(samples: int, phases: int = 6) -> Data:
    chance = random.Random(1)
    return {
        "source": SOURCE,
        "samples": [f"Well {n}" for n in range(samples)],
        "phases": [
            {"name": f"Phase {p}", "SI": [chance.gauss(2 - p, 0.5) for _ in range(samples)]}
            for p in range(phases)
        ],
    }


def an_uncertainty(count: int = 400, centre: float = 0.2) -> Data:
    chance = random.Random(2)
    members = {
        name: [chance.gauss(centre, 0.2) for _ in range(count)] for name in ("phreeqc.dat", "llnl.dat")
    }
    return {
        "source": SOURCE,
        "phase": "Calcite",
        "members": members,
        "median": centre,
        "interval": [centre - 0.4, centre + 0.4],
        "level": 0.95,
        "share_above_zero": 0.84,
        "shares": {"analysis": 0.6, "database": 0.3, "temperature": 0.05},
        "nominal": {"phreeqc.dat": centre},
    }


def waters(count: int, **others: Any) -> Data:
    return {
        "title": "Waters",
        "source": SOURCE,
        "samples": [water(f"Well {n}", n) for n in range(count)],
        **others,
    }


def grouped(count: int) -> Data:
    return {"samples": [water(f"w{n}", n, group=f"group {n % 11}", tds=100.0 + n) for n in range(count)]}


def oddly_named() -> dict[str, Data]:
    samples = [water(name, n, group=name, tds=n) for n, name in enumerate(ODD)]
    members = {name: [0.1 * n, 0.2] for n, name in enumerate(ODD)}
    heading = {"title": " ".join(ODD), "source": " ".join(ODD), "notes": ODD}
    si = [{"name": name, "SI": [0.1 * n] * len(ODD)} for n, name in enumerate(ODD)]
    return {
        "series": {
            **heading,
            "x": {"name": ODD[0], "unit": ODD[9], "values": ODD},
            "lines": [
                {"name": name, "unit": ODD[n % 4], "values": list(range(len(ODD)))}
                for n, name in enumerate(ODD)
            ],
        },
        "piper": {**heading, "samples": samples},
        "stiff": {**heading, "samples": samples, "unit": "$meq"},
        "saturation": {**heading, "samples": ODD, "phases": si},
        "uncertainty": {
            **an_uncertainty(),
            **heading,
            "phase": ODD[9],
            "members": members,
            "nominal": {},
            "shares": dict.fromkeys(ODD, 0.05),
        },
    }


PICTURES: dict[str, tuple[str, Data]] = {
    "series": ("series", a_series()),
    "series 1 point": ("series", a_series(1)),
    "series 5000 points": ("series", a_series(5000)),
    "series of names": (
        "series",
        a_series(
            200, x={"name": "state", "unit": "", "values": [f"transport step {n} cell 3" for n in range(200)]}
        ),
    ),
    "piper 1": ("piper", waters(1)),
    "piper 3": ("piper", waters(3)),
    "piper 400": ("piper", grouped(400)),
    "stiff 1": ("stiff", waters(1)),
    "stiff 3": ("stiff", waters(3)),
    "stiff 24": ("stiff", waters(24)),
    "saturation 1": ("saturation", a_saturation(1)),
    "saturation 12": ("saturation", a_saturation(12)),
    "saturation 400": ("saturation", a_saturation(400)),
    "saturation 40 phases": ("saturation", a_saturation(5000, 40)),
    "uncertainty": ("uncertainty", an_uncertainty()),
    "uncertainty of 3": ("uncertainty", an_uncertainty(3)),
    "uncertainty far from zero": ("uncertainty", an_uncertainty(5000, -9.0)),
    **{f"{kind} with odd names": (kind, data) for kind, data in oddly_named().items()},
}
SAMPLE = {*KINDS, "piper with odd names"}
"""Each kind of picture as it is and one with odd names; the others are for acceptance."""


@pytest.mark.parametrize(
    "name", [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.accept) for name in PICTURES]
)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_picture_is_drawn_inside_its_margins(name: str) -> None:
    kind, data = PICTURES[name]
    pixels = imread(io.BytesIO(paint({"kind": kind, **data})))[..., :3]
    height, width = pixels.shape[:2]
    assert width == 1280 and 250 <= height <= 2000
    inked = (pixels < 0.9).any(axis=2)
    assert 0.005 < inked.mean() < 0.6
    edge = 4
    assert not (inked[:edge].any() or inked[-edge:].any() or inked[:, :edge].any() or inked[:, -edge:].any())
    blue = to_rgb(style.COLOURS[0])
    assert (np.abs(pixels - blue).max(axis=2) < 0.3).sum() > 20  # the data, not only the frame


PAINTING = "labrig_phreeqc.plots.painting"


@pytest.mark.accept
async def test_the_same_data_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    data = {"kind": "piper", **grouped(30)}
    pictures = []
    for _ in range(2):
        async with Painter(PAINTING) as painter:
            pictures += [await painter.draw(data), await painter.draw(data)]
    assert set(pictures) == {paint(data)}
    assert png_size(pictures[0])[0] == 1280 and b"matplotlib" not in pictures[0].lower()
    assert list((tmp_path / "cache" / "matplotlib").glob("fontlist*"))


@pytest.mark.accept
async def test_refusals_come_through_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    async with Painter(PAINTING) as painter:
        for data, where in (
            ({"kind": "pie"}, "kind"),
            ({"kind": "stiff", **waters(25)}, "samples"),
            (
                {"kind": "saturation", "samples": ["a"], "phases": [{"name": "b", "SI": [math.nan]}]},
                "phases[0].SI[0]",
            ),
        ):
            with pytest.raises(LabrigError) as caught:
                await painter.draw(data)
            assert caught.value.where == where and caught.value.expected


async def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError('gone', name='matplotlib')")
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with Painter(PAINTING, extra="phreeqc") as painter:
        with pytest.raises(LabrigError, match="matplotlib") as caught:
            await painter.draw({"kind": "series", **a_series()})
    assert caught.value.code == "unavailable" and caught.value.try_ == "pip install 'labrig[phreeqc]'"


@pytest.mark.accept
def test_no_picture_goes_through_pyplot() -> None:
    code = "import sys\nfrom labrig_phreeqc.plots import " + ", ".join(KINDS)
    code += "\nassert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MPLBACKEND": "Agg"})


@pytest.mark.accept
def test_settings_of_the_caller_stay_as_they_were() -> None:
    import matplotlib

    with matplotlib.rc_context({"lines.linewidth": 33.0, "text.parse_math": True}):
        before = dict(matplotlib.rcParams)
        one = paint({"kind": "series", **a_series()})
        assert dict(matplotlib.rcParams) == before
    assert one == paint({"kind": "series", **a_series()})


# ------------------------------------------------------------------------------------------ series


def lines_of(axes: Axes) -> dict[str, Any]:
    return {str(line.get_label()): line for line in axes.lines if not str(line.get_label()).startswith("_")}


def test_lines_of_a_unit_share_a_panel() -> None:
    panels = series.figure(a_series()).axes
    assert [set(lines_of(axes)) for axes in panels] == [
        {"pH"},
        {"SI(Calcite)", "SI(CO₂(g))"},
        {"m(HCO₃⁻)", "total Fe"},
    ]
    assert [axes.get_ylabel() for axes in panels] == ["pH", "SI, log₁₀(IAP/K)", "mol/kgw"]
    assert [axes.get_yscale() for axes in panels] == ["linear", "linear", "log"]  # Fe spans six decades
    assert panels[-1].get_xlabel() == "time (s)"
    zero = [line for line in panels[1].lines if list(line.get_ydata()) == [0, 0]]
    assert len(zero) == 1 and not [line for line in panels[0].lines if list(line.get_ydata()) == [0, 0]]
    fe = lines_of(panels[2])["total Fe"]
    assert np.allclose(fe.get_ydata(), a_series()["lines"][4]["values"])


@pytest.mark.parametrize(("least", "scale"), [(1e-5, "linear"), (1e-8, "log"), (1e-20, "linear")])
def test_concentrations_are_logarithmic_but_for_what_transport_leaves_of_nothing(
    least: float, scale: str
) -> None:
    line = {"name": "total Cl", "unit": "mol/kgw", "values": [1e-3, least, least]}
    data = {"x": {"name": "time", "unit": "s", "values": [1, 2, 3]}, "lines": [line]}
    assert series.figure(data).axes[0].get_yscale() == scale


def test_ph_is_never_logarithmic_and_never_beside_activities() -> None:
    data = a_series()
    names = ("pH, cell 1", "a(H+)", "pe, cell 1")
    data["lines"] = [
        {"name": name, "unit": "1", "values": [10.0 ** (-n * i / 10) for i in range(51)]}
        for n, name in enumerate(names)
    ]
    first, second = series.figure(data).axes
    assert (first.get_ylabel(), first.get_yscale(), len(lines_of(first))) == ("pH, pe", "linear", 2)
    assert (second.get_yscale(), set(lines_of(second))) == ("log", {"a(H⁺)"})


def test_gaps_zeros_and_points_between_gaps() -> None:
    data = a_series(100)
    data["lines"] = [
        {
            "name": "Fe",
            "unit": "mol/kgw",
            "values": [None if i % 2 else 10.0 ** (-i / 20) for i in range(100)],
        }
    ]
    (axes,) = series.figure(data).axes
    line, alone = axes.lines
    assert np.isnan(line.get_ydata()).sum() == 50
    assert list(alone.get_xdata()) == data["x"]["values"][::2]  # each has to be a dot of its own
    data["lines"][0]["values"][-1] = 0
    figure = series.figure(data)
    assert list(figure.axes[0].lines[-1].get_xdata()) == [data["x"]["values"][-1]]
    assert "values of 0 (1)" in words(figure)


def test_a_line_begins_anew_where_x_turns_back() -> None:
    data = a_series(40)
    data["x"]["values"] = [i % 20 for i in range(40)]
    figure = series.figure(data)
    ph = lines_of(figure.axes[0])["pH"]
    assert list(np.flatnonzero(np.isnan(ph.get_xdata()))) == [20] and "turns back (1 ×)" in words(figure)
    data["x"]["values"] = [i * 23 % 40 for i in range(40)]
    figure = series.figure(data)
    assert lines_of(figure.axes[0])["pH"].get_linestyle() == "None" and "not joined" in words(figure)


def test_times_over_decades_are_logarithmic_and_step_numbers_are_not() -> None:
    data = a_series()
    data["x"]["values"] = [10 ** (i / 10) for i in range(51)]
    assert series.figure(data).axes[0].get_xscale() == "log"
    assert series.figure(a_series(5000, x=a_series(5000)["x"] | {"values": list(range(1, 5001))})).axes[
        0
    ].get_xscale() == ("linear")


def test_names_on_the_axis_are_thinned() -> None:
    data = a_series(1000)
    data["x"] = {"name": "state", "unit": "", "values": [f"step {n}" for n in range(1, 1001)]}
    axes = series.figure(data).axes[-1]
    labels = {
        round(tick): label.get_text()
        for tick, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    }
    assert len(labels) == 25 and all(label == f"step {tick + 1}" for tick, label in labels.items())


async def test_an_official_example(examples: Path) -> None:
    """What `labrig_phreeqc.output.series` reads is drawn as it is, units and missing values included."""
    text = (examples / "reference_out" / "ex2.out").read_text(encoding="utf-8")
    table = read_series(
        text, ["SI(Gypsum)", "SI(Anhydrite)", "Ca"], states="batch", tree=outline_output(text)
    )
    units = {column.name: column.unit for column in table.columns}
    data = {
        "x": {"name": "step", "unit": units["step"], "values": table.column("step")},
        "lines": [
            {"name": name, "unit": units[name], "values": table.column(name)}
            for name in ("SI(Gypsum)", "SI(Anhydrite)", "Ca")
        ],
    }
    first, second = series.figure(data).axes
    assert list(lines_of(first)["SI(Gypsum)"].get_ydata()) == table.column("SI(Gypsum)")
    assert second.get_ylabel() == "Ca\n(mol/kgw)"


# ------------------------------------------------------------------------------------------ Piper and Stiff


def place(**meq: float) -> dict[str, tuple[float, float]]:
    """Return where a water lies in the three fields."""
    shares = piper.percent([Water("w", {**dict.fromkeys(CATIONS + ANIONS, 0.0), **meq})])
    fields = {"cations": piper.cation_point, "anions": piper.anion_point, "diamond": piper.diamond_point}
    return {name: tuple(float(axis[0]) for axis in point(shares)) for name, point in fields.items()}  # type: ignore[misc]


def test_pure_waters_lie_in_the_corners() -> None:
    h, gap = 50 * math.sqrt(3), piper.GAP
    middle, level = 100 + gap / 2, h * (1 + gap / 100)
    for water_, cations, anions, diamond in (
        ({"Ca": 3, "HCO3": 3}, (0, 0), (100 + gap, 0), (middle - 50, level)),
        ({"Ca": 3, "CO3": 3}, (0, 0), (100 + gap, 0), (middle - 50, level)),
        ({"Na": 2, "K": 1, "Cl": 3}, (100, 0), (200 + gap, 0), (middle + 50, level)),
        ({"Na": 3, "HCO3": 2, "CO3": 1}, (100, 0), (100 + gap, 0), (middle, h * gap / 100)),
        ({"Mg": 3, "SO4": 3}, (50, h), (150 + gap, h), (middle, h * (2 + gap / 100))),
        ({"Ca": 1, "Cl": 9}, (0, 0), (200 + gap, 0), (middle, h * (2 + gap / 100))),
        ({"Ca": 1, "Na": 1, "HCO3": 1, "NO3": 1}, (50, 0), (150 + gap, 0), (middle, level)),
        ({"Ca": 1, "Mg": 1, "Na": 1, "HCO3": 1, "SO4": 1, "Cl": 1}, (50, h / 3), (150 + gap, h / 3), None),
    ):
        found = place(**water_)
        assert found["cations"] == pytest.approx(cations) and found["anions"] == pytest.approx(anions)
        if diamond:
            assert found["diamond"] == pytest.approx(diamond)


IONS = st.tuples(*[st.floats(1e-3, 1e3) for _ in range(8)]).map(
    lambda values: dict(zip(("Ca", "Mg", "Na", "K", "HCO3", "CO3", "SO4", "Cl"), values, strict=True))
)


@given(IONS, IONS, st.floats(0.01, 0.99))
def test_a_mixture_lies_on_the_line_between_waters_of_equal_totals(
    one: dict[str, float], two: dict[str, float], part: float
) -> None:
    """As Piper used the diagram; and the point in the diamond lies on the two lines that go up to it."""
    for meq in (one, two):
        for ions in (CATIONS, ANIONS):
            present = [ion for ion in ions if ion in meq]
            total = sum(meq[ion] for ion in present)
            for ion in present:
                meq[ion] *= 10 / total
    mixture = {ion: part * one[ion] + (1 - part) * two[ion] for ion in one}
    ends = place(**one), place(**two), place(**mixture)
    for field in ("cations", "anions", "diamond"):
        a, b, m = (np.array(each[field]) for each in ends)
        assert m == pytest.approx(part * a + (1 - part) * b, abs=1e-6)
    (xc, yc), (xa, ya), (x, y) = ends[0].values()
    assert y - yc == pytest.approx(math.sqrt(3) * (x - xc), abs=1e-6)
    assert y - ya == pytest.approx(-math.sqrt(3) * (x - xa), abs=1e-6)
    assert 0 <= yc <= math.sqrt(3) * min(xc, 100 - xc) + 1e-6


def test_grid_lines_hold_their_percentages() -> None:
    """Each line of the grid joins points of the percentage that its number says."""
    scale = {
        "Ca²⁺": lambda v: ({"Ca": v, "Mg": 100 - v}, {"Ca": v, "Na": 100 - v}, "cations"),
        "Mg²⁺": lambda v: ({"Mg": v, "Ca": 100 - v}, {"Mg": v, "Na": 100 - v}, "cations"),
        "Na⁺ + K⁺": lambda v: ({"Na": v, "Ca": 100 - v}, {"K": v, "Mg": 100 - v}, "cations"),
        "Cl⁻": lambda v: ({"Cl": v, "SO4": 100 - v}, {"Cl": v, "HCO3": 100 - v}, "anions"),
        "SO₄²⁻": lambda v: ({"SO4": v, "Cl": 100 - v}, {"SO4": v, "HCO3": 100 - v}, "anions"),
        "HCO₃⁻ + CO₃²⁻": lambda v: ({"HCO3": v, "Cl": 100 - v}, {"CO3": v, "SO4": 100 - v}, "anions"),
    }
    filler = {"cations": {"Cl": 1.0}, "anions": {"Na": 1.0}}
    sides = [side for side in piper._sides("Cl⁻") if side.name in scale]
    assert len(sides) == len(scale)
    for side in sides:
        zero, hundred, far_zero, far_hundred = map(np.array, side[1:5])
        for value in (20, 60):
            ends = [zero + (hundred - zero) * value / 100, far_zero + (far_hundred - far_zero) * value / 100]
            one, two, field = scale[side.name](value)
            waters_ = [np.array(place(**{**each, **filler[field]})[field]) for each in (one, two)]
            assert sorted(map(tuple, np.round(ends, 6))) == sorted(map(tuple, np.round(waters_, 6)))
    strong, hard = piper._sides("Cl⁻")[6:8]
    for side, wet in (
        (strong, {"Cl": 30, "HCO3": 70, "Na": 1}),
        (hard, {"Ca": 30, "Na": 70, "Cl": 1}),
    ):
        zero, hundred, far_zero, far_hundred = map(np.array, side[1:5])
        near, far = zero + 0.3 * (hundred - zero), far_zero + 0.3 * (far_hundred - far_zero)
        point = np.array(place(**wet)["diamond"])
        assert abs(np.cross(np.append(far - near, 0), np.append(point - near, 0))[2]) < 1e-6


def test_every_water_is_drawn_three_times_and_groups_beyond_eight_are_grey() -> None:
    figure = piper.figure(grouped(110))
    (axes,) = figure.axes
    drawn = np.vstack([each.get_offsets() for each in axes.collections])
    shares = piper.percent(
        [Water("", {**dict.fromkeys(ANIONS, 0.0), **w["meq"]}) for w in grouped(110)["samples"]]
    )
    expected = np.vstack(
        [np.transpose(p(shares)) for p in (piper.cation_point, piper.anion_point, piper.diamond_point)]
    )
    assert sorted(map(tuple, np.round(drawn, 6))) == sorted(map(tuple, np.round(expected, 6)))
    names = [
        text.get_text()
        for legend in axes.findobj(lambda each: hasattr(each, "get_texts"))
        for text in legend.get_texts()
    ]
    assert names.count("3 other groups (30)") == 1 and "group 0 (10)" in names and "group 9 (10)" not in names


def test_stiff_polygons() -> None:
    ions = {"Na": 1.0, "K": 2.0, "Ca": 4.0, "Mg": 5.0, "Cl": 6.0, "HCO3": 7.0, "CO3": 0.5, "SO4": 8.0}
    corners = stiff.polygon(Water("w", {**dict.fromkeys(CATIONS + ANIONS, 0.0), **ions}))
    assert corners == [(-3, 2), (-4, 1), (-5, 0), (8, 0), (7.5, 1), (6, 2), (-3, 2)]
    samples = [{"name": f"w{n}", "meq": {i: v * (n + 1) for i, v in ions.items()}} for n in range(5)]
    samples[2]["meq"]["NO3"] = 0.25
    figure = stiff.figure({"samples": samples, "unit": "meq/kgw"})
    drawn = [axes for axes in figure.axes if axes.axison]
    assert len(drawn) == 5 and len({axes.get_xlim() for axes in drawn}) == 1  # one scale
    assert drawn[0].get_xlim()[1] > 40 and drawn[4].get_title() == "w4"
    assert "Not drawn: NO₃⁻, up to 0.25 meq/kgw" in words(figure)


# ------------------------------------------------------------------------------------------ saturation and uncertainty


def test_phases_by_median_with_their_boxes() -> None:
    data = {
        "samples": list("abcde"),
        "phases": [
            {"name": "Halite", "SI": [-7, -6, None, -5, -6]},
            {"name": "CO2(g)", "SI": [-2, -1, -3, 0, -4]},
            {"name": "Pyrite", "SI": [None] * 5},
            {"name": "Calcite", "SI": [0.1, 0.3, 0.2, None, None]},
        ],
    }
    figure = saturation.figure(data)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Calcite", "CO₂(g)", "Halite", "Pyrite"]
    low, high = axes.get_xlim()
    assert low < -7 and high > 0.3 and axes.get_ylim()[0] > axes.get_ylim()[1]  # the first on top
    boxes = {
        (patch.get_x(), patch.get_width())
        for patch in axes.patches
        if 0 < patch.get_width() < 5 and patch.get_height() < 1
    }
    assert boxes == {(-3, 2)}  # quartiles of -4 ... 0; the others have fewer than five values
    said = words(figure)
    for word in ("no value", "n of 5", "undersaturated", "supersaturated", "a", "e"):
        assert word in said
    many = {"samples": ["a"] * 50, "phases": [{"name": "Calcite", "SI": [float(n) for n in range(50)]}]}
    (dots,) = saturation.figure(many).axes[0].collections
    offsets = dots.get_offsets()
    assert list(offsets[:, 0]) == list(range(50)) and np.abs(offsets[:, 1]).max() <= 0.25


def test_distribution_and_shares() -> None:
    figure = uncertainty.figure(an_uncertainty())
    left, right = figure.axes
    assert [text.get_text() for text in left.get_yticklabels()] == [
        "phreeqc.dat\nn = 400",
        "llnl.dat\nn = 400",
        "all together",
    ]
    assert left.get_xlim()[0] < 0 < left.get_xlim()[1]
    assert [text.get_text() for text in right.get_yticklabels()] == [
        "analysis",
        "database",
        "temperature",
        "not attributed",
    ]
    assert [bar.get_width() for bar in right.patches] == pytest.approx([60, 30, 5, 5])
    said = words(figure)
    for word in ("median 0.20, 95 % interval −0.20 to 0.60", "SI ≤ 0: 16 %", "SI > 0: 84 %", "Diamonds"):
        assert word in said
    far = uncertainty.figure(
        an_uncertainty(centre=-9.0) | {"share_above_zero": 0.0, "shares": {}, "nominal": {}}
    )
    assert len(far.axes) == 1 and far.axes[0].get_xlim()[1] < 0 and "0 is off the axis" in words(far)


# ------------------------------------------------------------------------------------------ names, refusals, anything


def words(figure: Figure) -> str:
    """Return all texts of a figure."""
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))  # type: ignore[attr-defined]


def test_formulas() -> None:
    for text, meant in {
        "HCO3-": "HCO₃⁻",
        "Ca+2": "Ca²⁺",
        "PO4---": "PO₄³⁻",
        "CO2(g)": "CO₂(g)",
        "CaSO4:2H2O": "CaSO₄·2H₂O",
        "Fe(OH)3(a)": "Fe(OH)₃(a)",
        "UO2(CO3)3-4": "UO₂(CO₃)₃⁴⁻",
        "CaX2": "CaX₂",
    }.items():
        assert notation.formula(text) == meant
    for text in ("Calcite", "C(4)", "K-feldspar", "Well-1", "Hfo_wOZn+", "Zz2", "", "(", "CO2("):
        assert notation.formula(text) == text
    assert notation.quantity("m(SO4-2), cell 3") == "m(SO₄²⁻), cell 3"


@settings(max_examples=2 * settings.default.max_examples)
@given(st.text(st.characters(exclude_categories=[]), max_size=60), st.integers(1, 30))
def test_names_become_drawable(text: str, most: int) -> None:
    cut = style.short(text, most)
    assert cut and style.columns(cut) <= max(most, 1)
    cut.encode()  # no halves of characters
    assert "\n" not in cut and "\0" not in cut
    if style.columns(style.plain(text)) <= most:
        assert cut == (style.plain(text) or "?")


def test_names_that_shortening_makes_alike_are_numbered() -> None:
    assert style.distinct(["x" * 40 + "1" + "y" * 40, "x" * 40 + "2" + "y" * 40, "z", "z"], 9) == [
        "xxxx…yyyy #1",
        "xxxx…yyyy #2",
        "z",
        "z",
    ]


def change(data: Data, path: Sequence[Any], value: Any) -> Data:
    """Return a copy with one place changed; `...` takes it out."""
    changed = copy.deepcopy(data)
    *way, last = path
    inner = inside(changed, way)
    if isinstance(inner, list):
        last = int(last)
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return changed


def inside(value: Any, path: Sequence[Any]) -> Any:
    """Return what is at a place."""
    for step in path:
        value = value[int(step) if isinstance(value, list) else step]
    return value


REFUSED: list[tuple[str, Data, str, Any, str]] = [
    ("series", a_series(), "lines", [], "lines"),
    ("series", a_series(), "x/values", [], "x.values"),
    ("series", a_series(), "x/values/3", None, "x.values[3]"),
    ("series", a_series(), "x/values/3", "c", "x.values[0]"),
    ("series", a_series(), "lines/1/values/7", math.nan, "lines[1].values[7]"),
    ("series", a_series(), "lines/1/values/7", 10**400, "lines[1].values[7]"),
    ("series", a_series(), "lines/1/values/7", True, "lines[1].values[7]"),
    ("series", a_series(), "lines/1/values/7", "0.1", "lines[1].values[7]"),
    ("series", a_series(), "lines/1/values", [1.0] * 50, "lines[1].values"),
    ("series", a_series(), "lines/1/values", [None] * 51, "lines[1].values"),
    ("series", a_series(), "lines/1/unit", ..., "lines[1]"),
    ("series", a_series(), "lines/1/name", " ", "lines[1].name"),
    ("series", a_series(), "lines/1/color", "red", "lines[1]"),
    ("series", a_series(), "lines", [a_series()["lines"][0]] * 49, "lines"),
    ("series", a_series(), "titel", "x", ""),
    ("series", a_series(), "title", None, "title"),
    ("piper", waters(3), "samples", [], "samples"),
    ("piper", waters(3), "samples", {}, "samples"),
    ("piper", waters(3), "samples/1/meq/Ca", -1, "samples[1].meq.Ca"),
    ("piper", waters(3), "samples/1/meq/Ca", None, "samples[1].meq.Ca"),
    ("piper", waters(3), "samples/1/meq/SO4", ..., "samples[1].meq"),
    ("piper", waters(3), "samples/1/meq/Caa", 1, "samples[1].meq"),
    (
        "piper",
        waters(3),
        "samples/1/meq",
        dict.fromkeys(("Ca", "Mg", "Na", "HCO3", "SO4", "Cl"), 0),
        "samples[1].meq",
    ),
    ("piper", waters(3), "samples/1/tds", -5, "samples[1].tds"),
    ("piper", waters(3), "samples", [water("w")] * 20_001, "samples"),
    ("stiff", waters(3), "samples", [water("w")] * 25, "samples"),
    ("saturation", a_saturation(3), "samples", [], "samples"),
    ("saturation", a_saturation(3), "phases/0/SI", [1, 2], "phases[0].SI"),
    ("saturation", a_saturation(3), "phases", [{"name": "Calcite", "SI": [None] * 3}], "phases"),
    ("saturation", a_saturation(3), "phases", a_saturation(3)["phases"] * 7, "phases"),
    ("uncertainty", an_uncertainty(), "members", {}, "members"),
    ("uncertainty", an_uncertainty(), "members/llnl.dat", [], "members['llnl.dat']"),
    ("uncertainty", an_uncertainty(), "members/llnl.dat/3", None, "members['llnl.dat'][3]"),
    ("uncertainty", an_uncertainty(), "interval", [0.5, 0.1], "interval"),
    ("uncertainty", an_uncertainty(), "interval", [0.5], "interval"),
    ("uncertainty", an_uncertainty(), "level", 95, "level"),
    ("uncertainty", an_uncertainty(), "shares/database", 0.9, "shares"),
    ("uncertainty", an_uncertainty(), "shares/database", -0.1, "shares['database']"),
    ("uncertainty", an_uncertainty(), "nominal/sit.dat", 0.3, "nominal"),
    ("uncertainty", an_uncertainty(), "median", ..., ""),
]


@cache
def painted(picture: str) -> bytes:
    """Draw what is not refused, once for all that make it worse."""
    return paint(json.loads(picture))


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_bad_data_are_refused_by_their_place(number: int) -> None:
    kind, data, path, value, where = REFUSED[number]
    painted(json.dumps({"kind": kind, **data}))
    with pytest.raises(LabrigError) as caught:
        paint({"kind": kind, **change(data, path.split("/"), value)})
    assert caught.value.where == where
    assert caught.value.expected or caught.value.try_


def test_too_many_units_and_lines() -> None:
    one = a_series()["lines"][0]
    for lines, word in (
        ([{**one, "name": "q", "unit": unit} for unit in "abcde"], "'a', 'b', 'c', 'd', 'e'"),
        ([{**one, "name": "q", "unit": "m"} for _ in range(25)], "25 lines share the unit 'm'"),
    ):
        with pytest.raises(LabrigError, match=word):
            series.figure(a_series(lines=lines))
    x = {"name": "step", "unit": "", "values": [0.0] * 100_001}
    with pytest.raises(LabrigError, match="2000020 points") as caught:
        series.figure({"x": x, "lines": [{**one, "values": x["values"]}] * 20})
    assert caught.value.code == "limit"


@pytest.mark.accept
def test_an_absurd_amount_has_an_axis() -> None:
    absurd = [water("a", 1), water("b", 2)]
    absurd[0]["meq"]["Ca"] = 1e19
    assert png_size(paint({"kind": "schoeller", "samples": absurd}))[0] == 1280


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([1e-320, 1e99, -1e99, 10**400, *ODD])
    | st.text(st.characters(exclude_categories=[]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
SMALL = {
    "series": a_series(4),
    "piper": {"samples": [water("a", 1, group="g", tds=10.0), water("b", 2)]},
    "stiff": {"samples": [water("a", 1), water("b", 2)]},
    "saturation": a_saturation(6, 2),
    "uncertainty": an_uncertainty(13),
    **{kind: {"samples": [water("a", 1), water("b", 2)]} for kind in ("durov", "schoeller", "gibbs")},
    "map": {
        axis: {"name": axis, "unit": "1", "values": values}
        for axis, values in (
            ("x", [1.0, 2.0, 1.0, 2.0]),
            ("y", [1.0, 1.0, 2.0, 2.0]),
            ("z", [0.0, 1.0, 2.0, None]),
        )
    },
    "predominance": {
        "pH": [1.0, 2.0],
        "pe": [1.0, 2.0],
        "names": [["Fe+2", "Fe+2"], ["Fe+3", ""]],
        "water": [[-1.0, None], [-0.5, 0.5]],
        "solids": ["Siderite"],
        "temperature": 25.0,
    },
    "user_graph": {
        "axes": {
            name: {"label": name, "least": least, "most": None, "major": 0.5, "logarithmic": name == "y"}
            for name, least in (("x", 1.0), ("y", None), ("y2", 0.0))
        },
        "curves": [
            {"name": "a", "x": [1.0, None, 2.0], "y": [1.0, None, 2.0], **look}
            for look in (
                {"colour": "Red", "symbol": "None", "size": None, "width": 2.0, "second": False},
                {"colour": "", "symbol": "", "size": 6.0, "width": None, "second": True},
            )
        ],
    },
}


def like(value: Any) -> st.SearchStrategy[Any]:
    """Return what may stand in place of a value, of its own type more often than not."""
    if isinstance(value, int | float):
        return st.floats(allow_nan=False) | st.floats(-1, 1) | st.integers() | st.none() | ANYTHING
    if isinstance(value, str):
        return st.sampled_from(ODD) | st.text(st.characters(exclude_categories=[])) | ANYTHING
    return st.just(...) | ANYTHING


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all places in a value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for step, inner in steps:
        found += [(*path, step), *places(inner, (*path, step))]
    return found


@pytest.mark.parametrize(
    "examples", [6, pytest.param(200, marks=pytest.mark.accept), pytest.param(2_000, marks=pytest.mark.soak)]
)
@pytest.mark.filterwarnings("error", "ignore:Glyph")
def test_anything_is_refused_or_drawn(examples: int) -> None:
    """Never a traceback, nor a warning of numbers that overflow or of axes that have no room."""

    @settings(max_examples=examples)
    @given(st.sampled_from(KINDS), st.data())
    def refused_or_drawn(kind: str, data: st.DataObject) -> None:
        made: Data = SMALL[kind]
        for _ in range(data.draw(st.integers(1, 3))):
            path = data.draw(st.sampled_from(places(made)))
            made = change(made, path, data.draw(like(inside(made, path))))
            if not made:
                break
        try:
            png = paint({"kind": kind, **made})
        except LabrigError as error:
            assert error.what and len(error.what) < 3000
        else:
            assert png_size(png)[0] == 1280

    refused_or_drawn()
