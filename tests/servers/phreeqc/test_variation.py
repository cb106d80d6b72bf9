"""Inverse questions: doses, sweeps and predominance, against closed forms and other ways to the same numbers."""

from __future__ import annotations

import csv
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.plots import durov, gibbs
from labrig_phreeqc.plots.piper import percent
from labrig_phreeqc.plots.water import ANIONS, CATIONS, Water
from labrig_phreeqc.server import toolbox, variation
from labrig_phreeqc.variation.doses import find_dose
from labrig_phreeqc.variation.points import Question, filled, places
from labrig_phreeqc.variation.predominance import predominance
from labrig_phreeqc.variation.treatment import treated

PURE = "SOLUTION 1\n pH 7 charge\n temp 25\n"
HARD = "SOLUTION 3\n temp 12\n units mg/L\n pH 7.4\n Ca 80\n Mg 20\n Na 30\n Alkalinity 250 as HCO3\n Cl 40\n"
PHASES = ("Calcite", "Gypsum", "CO2(g)")


def question(engine: Engine, text: str, *quantities: str) -> Question:
    return Question(text, quantities, database="phreeqc.dat", engine=engine, limits=Limits())


async def test_the_acid_for_a_pH_is_its_activity_over_the_coefficient(engine: Engine) -> None:
    asked = question(engine, treated(PURE, "HCl", [], PHASES), "pH", "m(H+)")
    found = await find_dose(asked, "pH", 3.0, 0, 10)
    assert found.found is not None and found.jump is None and not found.again
    dose = found.found.parameters["dose"]
    root = math.sqrt(dose * 1e-3)  # all that is dissolved is H+ and Cl-
    gamma = 10 ** (-0.5092 * root / (1 + 0.3283 * 9 * root))  # H+ of phreeqc.dat: 9 angstrom
    assert dose == pytest.approx(1.0 / gamma, rel=1e-3)  # of which 4e-4 are the pair HCl
    assert found.found.values["m(H+)"] == pytest.approx(1e-3 / gamma, rel=2e-4)


@pytest.mark.accept
async def test_the_dose_that_saturates_is_the_solubility(engine: Engine) -> None:
    asked = question(engine, treated(PURE, "CaSO4", [], PHASES), "SI(Gypsum)")
    found = await find_dose(asked, "SI(Gypsum)", 0.0, 0, 30)
    run = question(engine, PURE + "EQUILIBRIUM_PHASES 1\n Gypsum 0 1\nEND\n", "total Ca", "mass of water")
    (dissolved,) = await run.points([{}])
    # a mole of gypsum brings two moles of water, which the salt does not
    moles = (dissolved.values["total Ca"] or 0) * (dissolved.values["mass of water"] or 0)
    assert found.found is not None
    assert found.found.parameters["dose"] == pytest.approx(1e3 * moles, rel=2e-3)


@pytest.mark.accept
async def test_lime_softening_has_its_least_hardness_and_comes_back(engine: Engine) -> None:
    text = treated(HARD, "Ca(OH)2", ["Calcite"], PHASES)
    asked = question(engine, text, "hardness", "delta(Calcite)")
    found = await find_dose(asked, "hardness as CaCO3", 150.0, 0, 10)
    assert found.found is not None and len(found.again) == 1
    dose = found.found.parameters["dose"]
    assert dose < found.again[0][0]
    # what leaves as calcite is what was there and what came with the lime, less what is left (12 degC: 1 kg/L)
    first = found.curve[0].values
    left = ((first["hardness as CaCO3"] or 0) - 150.0) / 100.0869
    gone = (found.found.values["delta(Calcite)"] or 0) - (first["delta(Calcite)"] or 0)
    assert 1e3 * gone == pytest.approx(left + dose, rel=2e-3)


@pytest.mark.accept
async def test_a_value_out_of_reach_and_one_that_is_jumped_over(engine: Engine) -> None:
    asked = question(engine, treated(PURE, "NaCl", [], PHASES), "pH")
    never = await find_dose(asked, "pH", 9.0, 0, 5)
    assert never.found is None and len(never.curve) == 21
    text = "SOLUTION 1\n pH 7\nEND\nUSE solution 1\nREACTION_TEMPERATURE 1\n {dose}\nEND\n"
    stepped = question(engine, text, "temperature")
    stepped.expressions["temperature"] = "FLOOR(TC/10)*10"
    jumped = await find_dose(stepped, "temperature", 35.0, 20, 60)
    assert jumped.jump == (30.0, 40.0) and jumped.found is not None
    assert jumped.found.parameters["dose"] == pytest.approx(40, abs=1e-6)


@pytest.mark.accept
async def test_a_mixture_is_linear_in_what_does_not_react(engine: Engine) -> None:
    text = "SOLUTION 1\n Cl 2\n Na 2\nSOLUTION 2\n Cl 10\n Na 10\nEND\nMIX 1\n 1 {f}\n 2 {1-f}\nEND\n"
    assert places(text) == ["f"] and " 2 0.75\n" in filled(text, {"f": 0.25})
    points = await question(engine, text, "total Cl").points({"f": f / 4} for f in range(5))
    assert [p.values["total Cl"] for p in points] == pytest.approx(
        [0.01, 0.008, 0.006, 0.004, 0.002], rel=1e-4
    )


async def test_a_point_that_fails_spoils_no_other(engine: Engine) -> None:
    told: list[float] = []
    asked = question(engine, "SOLUTION 1\n pH 7\n Ca {x}\n", "pH", "SI(Calcite)")
    points = await asked.points(({"x": x} for x in (1.0, 1e7, 2.0)), lambda done, _: told.append(done))
    assert [bool(each.failure) for each in points] == [False, True, False]
    assert points[0].values == {"pH": pytest.approx(7.0), "SI(Calcite)": None}  # no carbon: no index
    assert sorted(told) == pytest.approx([1 / 3, 2 / 3, 1])


@pytest.mark.parametrize(
    ("quantity", "said"),
    [
        ("SI(Calcit)", "Calcite"),
        ("frobnicate(x", "TOT"),
        ('SI(a"b)', "quotation"),
        ("transfer", "quantity"),
        ("9" * 5_000, "at most 120 characters"),
    ],
)
async def test_quantities_that_are_none_are_refused(engine: Engine, quantity: str, said: str) -> None:
    if said == "TOT":
        assert 'TOT("frobnicate(x")' in question(engine, PURE, quantity).expressions.values()
        return
    with pytest.raises(LabrigError) as refused:
        question(engine, PURE, quantity)
    assert said in str(refused.value)


@pytest.mark.accept
async def test_borders_lie_where_log_k_says(engine: Engine) -> None:
    """Fe+3 + e- = Fe+2, and H3AsO4 = H2AsO4- + H+ = HAsO4-2 + 2 H+, in dilute water."""
    known = {each.name: each for each in read(find_database("wateq4f.dat").path).species}
    border = -(known["Fe+3"].log_k or 0)  # Fe+2 = Fe+3 + e-
    iron = await predominance(
        "Fe",
        {"Fe": 1e-6, "Cl": 1e-3},
        engine=engine,
        database="wateq4f.dat",
        pH=(0.5, 1.5),
        pe=(10, 16),
        steps=61,
    )
    column = [row[30] for row in iron.names]
    assert set(column) == {"Fe+2", "Fe+3"}
    assert iron.pe[column.index("Fe+3")] == pytest.approx(border, abs=0.25)  # gamma of both at pH 1
    arsenic = await predominance(
        "As", {"As": 1e-6}, engine=engine, database="wateq4f.dat", pH=(1, 9), pe=(8, 9), steps=41
    )
    row = list(arsenic.names[-1])
    assert list(dict.fromkeys(row)) == ["H3AsO4", "H2AsO4-", "HAsO4-2"]
    step = arsenic.pH[1] - arsenic.pH[0]
    first, second = (known[name].log_k or 0 for name in ("H2AsO4-", "HAsO4-2"))
    assert first != second
    borders = [arsenic.pH[row.index(name)] for name in ("H2AsO4-", "HAsO4-2")]
    constants = (
        [abs(first), abs(second - first)] if abs(second) > abs(first) + 3 else [abs(first), abs(second)]
    )
    assert borders == pytest.approx(constants, abs=step + 0.1)


@pytest.mark.accept
async def test_a_solid_has_the_waters_that_are_oversaturated(engine: Engine) -> None:
    found = await predominance(
        "Fe",
        {"Fe": 0.01},
        engine=engine,
        database="phreeqc.dat",
        solids=["Fe(OH)3(a)"],
        pH=(1, 9),
        pe=(8, 12),
        steps=9,
    )
    asked = question(engine, "SOLUTION 1\n units mmol/kgw\n pH {x}\n pe {y}\n Fe 0.01\n", "SI(Fe(OH)3(a))")
    for y, row in zip(found.pe[::4], found.names[::4], strict=True):
        points = await asked.points({"x": x, "y": y} for x in found.pH)
        over = [(each.values["SI(Fe(OH)3(a))"] or -9) > 0 for each in points]
        assert [name in found.solids for name in row] == over and any(over) and not all(over)


@pytest.mark.accept
async def test_water_splits_where_phreeqc_says(engine: Engine) -> None:
    found = await predominance(
        "Fe", {"Fe": 0.01}, engine=engine, database="phreeqc.dat", pH=(6, 8), pe=(-10, 16), steps=14
    )
    asked = question(
        engine, "SOLUTION 1\n units mmol/kgw\n pH {x}\n pe {y}\n Fe 0.01\n", "SI(O2(g))", "SI(H2(g))"
    )
    at = [(7, 11), (3, 3)]
    points = await asked.points({"x": found.pH[i], "y": found.pe[j]} for i, j in at)
    for (i, j), point in zip(at, points, strict=True):
        assert found.water[j][i] == pytest.approx(
            max(v for v in point.values.values() if v is not None), abs=1e-3
        )
    assert found.names[-1][-1] == "" and found.names[7][7] != ""


# ------------------------------------------------------------------------------------------------ over MCP


@pytest.fixture
async def client(tmp_path: Path, databases: Path) -> AsyncIterator[Client[Any]]:
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as running:
        yield running


async def answer(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool_mcp(tool, arguments)
    assert not result.is_error, result.content[0].text
    return dict(result.structured_content)


@pytest.mark.accept
async def test_a_dose_a_sweep_and_their_pictures(client: Client[Any], tmp_path: Path) -> None:
    dosed = await answer(
        client,
        "find_dose",
        target="SI(Calcite)",
        target_value=1,
        reagent="NaOH",
        input=HARD,
        most=5,
        quantities=["pH"],
    )
    by_name = {(each["name"], each["unit"]): each["value"] for each in dosed["values"]}
    assert by_name["dose of NaOH", "mg"] == pytest.approx(by_name["dose of NaOH", "mmol"] * 39.997, rel=1e-4)
    assert by_name["SI(Calcite)", "log10(IAP/K)"] == pytest.approx(1, abs=1e-4)
    swept = await answer(
        client,
        "sweep_parameters",
        parameter="T",
        values=[5, 25],
        steps=3,
        parameter_2="ca",
        values_2=[1, 2],
        quantities=["SI(Gypsum)", "pH"],
        input="SOLUTION 1\n temp {T}\n Ca {ca}\n S(6) 2\n",
    )
    data = swept["data"]
    assert [row[:2] for row in data["rows"]] == [[5, 1], [15, 1], [25, 1], [5, 2], [15, 2], [25, 2]]
    table = list(csv.reader((tmp_path / data["file"]).open()))
    assert table[0] == ["T", "ca", "SI(Gypsum) [log10(IAP/K)]", "pH"]
    for path, kind, extra in (
        (data["file"], "map", {}),
        (dosed["data"]["curve"]["file"], "series", {"x": "dose"}),
    ):
        drawn = await client.call_tool_mcp(
            "draw_plot",
            {"kind": kind, "path": path, "quantities": ["SI(Gypsum)" if kind == "map" else "pH"], **extra},
        )
        assert not drawn.is_error and drawn.content[0].type == "image", drawn.content[0]


@pytest.mark.accept
async def test_a_diagram_says_its_fields(client: Client[Any], tmp_path: Path) -> None:
    drawn = await client.call_tool_mcp(
        "draw_predominance",
        {
            "element": "Fe",
            "totals_mmol_kgw": {"Fe": 0.01, "C": 1},
            "solids": ["Fe(OH)3(a)", "Siderite"],
            "steps": 15,
        },
    )
    assert not drawn.is_error, drawn.content[0].text
    assert drawn.content[0].type == "image"
    said = drawn.content[1].text
    assert "- Fe(OH)3(a): " in said and "- Siderite: " in said and (tmp_path / "predominance.csv").exists()


@pytest.mark.accept
async def test_work_that_takes_long_is_a_job(client: Client[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variation, "WAIT_S", 0.0)
    asked = {
        "parameter": "x",
        "values": [6.0, 8.0],
        "steps": 20,
        "quantities": ["pH"],
        "input": "SOLUTION\n pH {x}",
    }
    first = await answer(client, "sweep_parameters", **asked)
    assert first["status"] in ("queued", "running")
    done = await answer(client, "get_job", job=first["data"]["job"], wait_s=45)
    assert done["data"]["points"] == 20 and done["data"]["rows"][-1] == [8, 8]
    second = await answer(client, "sweep_parameters", **{**asked, "steps": 400})
    stopped = await answer(client, "cancel_job", job=second["data"]["job"])
    assert stopped["status"] == "cancelled"


@pytest.mark.accept
@pytest.mark.parametrize(
    ("tool", "change", "said"),
    [
        ("find_dose", {"reagent": ""}, "Give either a reagent or {dose}"),
        ("find_dose", {"reagent": "lime"}, "is no formula"),
        ("find_dose", {"least": 20}, "range of doses is empty"),
        ("find_dose", {"equilibrate": ["Calcit"]}, "Calcite"),
        ("find_dose", {"equilibrate": ["Calcite\nEND"]}, "is no phase"),
        ("find_dose", {"input": "END"}, "no SOLUTION to treat"),
        ("find_dose", {"input": "SOLUTION 1\n Caa {dose}"}, "not both"),
        ("sweep_parameters", {"parameter": "y"}, "no place for y"),
        ("sweep_parameters", {"input": "SOLUTION\n pH {x}\n Ca {z}"}, "what {z} is"),
        ("sweep_parameters", {"steps": 1}, "Steps lie between"),
        ("sweep_parameters", {"values_2": [1, 2]}, "of no parameter"),
        ("sweep_parameters", {"input": "SOLUTION\n pH {x} quux\n Ca a"}, "solves none of the points"),
        ("sweep_parameters", {"input": "TITLE {x}"}, "calculates no state"),
        (
            "sweep_parameters",
            {"steps": 500, "parameter_2": "z", "values_2": [1, 2], "steps_2": 400},
            "no place",
        ),
        ("draw_predominance", {"element": "Qq"}, "element"),
        ("draw_predominance", {"totals_mmol_kgw": {"C": 1}}, "totals have no Fe"),
        ("draw_predominance", {"solids": ["Calcite"]}, "holds no Fe"),
        ("draw_predominance", {"pH_least": 9, "pH_most": 3}, "range is empty"),
    ],
)
async def test_what_cannot_be_asked_is_refused(
    client: Client[Any], tool: str, change: dict[str, Any], said: str
) -> None:
    whole: dict[str, dict[str, Any]] = {
        "find_dose": {"target": "pH", "target_value": 8, "reagent": "NaOH", "input": PURE},
        "sweep_parameters": {
            "parameter": "x",
            "values": [6, 8],
            "quantities": ["pH"],
            "input": "SOLUTION\n pH {x}",
        },
        "draw_predominance": {"element": "Fe", "totals_mmol_kgw": {"Fe": 0.01}},
    }
    result = await client.call_tool_mcp(tool, whole[tool] | change)
    assert result.is_error and said in result.content[0].text, result.content[0].text


@pytest.mark.accept
async def test_waters_above_limits_are_counted_and_named(client: Client[Any], tmp_path: Path) -> None:
    table = "Well,pH,Temp (C),Ca (mg/L),NO3 (mg/L),As (ug/L),F (mg/L)\nA,7,12,80,50.1,9.9,<9\nB,7,12,80,44,10.1,1.6\n"
    found = await answer(client, "speciate_waters", table=table, database="wateq4f.dat")
    counts = found["data"]["rows_above_drinking_water_limits"]
    assert {name: count for name, count in counts.items() if "WHO" in name} == {
        "NO3 > 50 mg/L (WHO, guideline value)": 1,
        "As > 0.01 mg/L (WHO, guideline value)": 1,
        "F > 1.5 mg/L (WHO, guideline value)": 1,
    }
    assert (
        counts["N > 10 mg/L (US EPA, maximum contaminant level)"] == 1
    )  # 50.1 as NO3 is 11.3 as N, 44 is 9.9
    rows = list(csv.DictReader((tmp_path / found["data"]["files"]["table"]).open()))
    assert (
        "NO3 > 50" in rows[0]["above drinking-water limits"]
        and "F >" not in rows[0]["above drinking-water limits"]
    )


@pytest.mark.accept
@pytest.mark.parametrize("kind", ["durov", "schoeller", "gibbs"])
async def test_more_pictures_of_waters(client: Client[Any], kind: str) -> None:
    table = "Well,Ca (mg/L),Mg (mg/L),Na (mg/L),HCO3 (mg/L),SO4 (mg/L),Cl (mg/L)\nA,80,20,30,250,90,40\n"
    found = await answer(client, "speciate_waters", table=table)
    drawn = await client.call_tool_mcp(
        "draw_plot", {"kind": kind, "path": found["data"]["files"]["pictures"]}
    )
    assert not drawn.is_error and drawn.content[0].type == "image", drawn.content[0]


def test_points_of_durov_and_gibbs() -> None:
    calcium = Water("a", dict.fromkeys((*CATIONS, *ANIONS), 0.0) | {"Ca": 2.0, "Cl": 2.0})
    assert [float(each[0]) for each in durov.square_point(percent([calcium]))] == [100, 100]
    sea = Water("b", dict.fromkeys((*CATIONS, *ANIONS), 0.0) | {"Na": 1.0, "Ca": 1.0, "HCO3": 1.0, "Cl": 1.0})
    sodium, chloride, solids = gibbs.place(sea)
    assert (sodium, chloride) == pytest.approx((22.99 / 43.03, 35.453 / 96.47), rel=1e-3)
    assert solids == pytest.approx(139.5, rel=1e-3)
