"""Tables of waters: planted errors are found and clean rows left alone; counts, notes, CSV and pictures' data."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.waters.analysis import Analysis, Constituent
from labrig_phreeqc.waters.compatible import too_warm
from labrig_phreeqc.waters.report import (
    SUMMARY_CHARS,
    piper_data,
    saturation_data,
    stiff_data,
    summary,
    to_csv,
)
from labrig_phreeqc.waters.speciation import Speciation, speciate
from labrig_phreeqc.waters.survey import speciate_waters

pytestmark = pytest.mark.asyncio(loop_scope="session")


# g/mol and charge of the ions of the generator, IUPAC 2021: not taken from the code under test.
IONS = {
    "Ca": (40.078, 2),
    "Mg": (24.305, 2),
    "Na": (22.990, 1),
    "K": (39.098, 1),
    "HCO3": (61.016, -1),
    "SO4": (96.06, -2),
    "Cl": (35.45, -1),
    "NO3": (62.004, -1),
    "F": (18.998, -1),
}
SILICA = 60.083
# Shares of the equivalents in each water type, and the usual total of cations in meq/L.
FACIES = {
    "Ca-HCO3": (
        {"Ca": 0.70, "Mg": 0.18, "Na": 0.10, "K": 0.02},
        {"HCO3": 0.80, "SO4": 0.10, "Cl": 0.08, "NO3": 0.02},
        6,
    ),
    "Na-Cl": (
        {"Ca": 0.10, "Mg": 0.12, "Na": 0.75, "K": 0.03},
        {"HCO3": 0.12, "SO4": 0.10, "Cl": 0.77, "NO3": 0.01},
        60,
    ),
    "Na-HCO3": (
        {"Ca": 0.08, "Mg": 0.05, "Na": 0.85, "K": 0.02},
        {"HCO3": 0.80, "SO4": 0.08, "Cl": 0.11, "NO3": 0.01},
        9,
    ),
    "Ca-SO4": (
        {"Ca": 0.68, "Mg": 0.20, "Na": 0.10, "K": 0.02},
        {"HCO3": 0.20, "SO4": 0.72, "Cl": 0.07, "NO3": 0.01},
        25,
    ),
    "mixed": (
        {"Ca": 0.40, "Mg": 0.25, "Na": 0.32, "K": 0.03},
        {"HCO3": 0.35, "SO4": 0.22, "Cl": 0.28, "NO3": 0.15},
        12,
    ),
}
HEADINGS = {
    "Ca": "Ca (mg/L)",
    "Mg": "Mg (mg/L)",
    "Na": "Na (mg/L)",
    "K": "K (mg/L)",
    "HCO3": "HCO3 (mg/L)",
    "SO4": "SO4 (mg/L)",
    "Cl": "Cl (mg/L)",
    "NO3": "NO3 (mg/L)",
    "F": "F (mg/L)",
    "SiO2": "SiO2 (mg/L)",
}


@dataclass
class Made:
    """A water of the generator: cells as a laboratory would print them, and what was done to it."""

    name: str
    facies: str
    cells: dict[str, float | None]
    pH: float
    temperature: float
    planted: str = ""
    column: str = ""
    detail: str = ""


def figures(value: float, n: int = 3) -> float:
    return float(f"{value:.{n}g}")


def charge_error(cells: dict[str, float | None], alkalinity_gram: float = 61.016) -> float:
    meq = {
        ion: (cells[ion] or 0.0) / (alkalinity_gram if ion == "HCO3" else weight) * charge
        for ion, (weight, charge) in IONS.items()
    }
    cations = sum(each for each in meq.values() if each > 0)
    anions = -sum(each for each in meq.values() if each < 0)
    return 100 * (cations - anions) / (cations + anions)


def clean_water(rng: random.Random, name: str, as_caco3: bool) -> Made:
    """A water of one of the types, its charge error within 1 %."""
    while True:
        facies = rng.choice(list(FACIES))
        cations, anions, usual = FACIES[facies]
        total = usual * 10 ** rng.gauss(0, 0.15)
        meq = {ion: share * 10 ** rng.gauss(0, 0.1) for ion, share in (cations | anions).items()}
        for side in (cations, anions):
            scale = total / sum(meq[ion] for ion in side)
            meq |= {ion: meq[ion] * scale * (1 + rng.uniform(-0.004, 0.004)) for ion in side}
        meq["F"] = 10 ** rng.gauss(-2, 0.2)
        cells: dict[str, float | None] = {
            ion: figures(value * IONS[ion][0] / abs(IONS[ion][1])) for ion, value in meq.items()
        }
        cells["SiO2"] = figures(10 ** rng.gauss(1.2, 0.15))
        if as_caco3:
            cells["HCO3"] = figures(meq["HCO3"] * 50.04)
        if abs(charge_error(cells, 50.04 if as_caco3 else 61.016)) < 1:
            pH = round(rng.uniform(6.6, 8.3), 2)
            return Made(name, facies, cells, pH, round(rng.uniform(5, 28), 1))


def plant(rng: random.Random, water: Made, kind: str, as_caco3: bool) -> bool:
    """Plant an error that the charges can show (more than 7 %); return whether this water can have it.

    An error in an ion that is a few percent of the water moves the charge error by less than analyses differ anyway:
    nobody can find it, and none is planted.
    """
    cells = dict(water.cells)
    gram = 50.04 if as_caco3 else 61.016
    alkalinity = "Alkalinity (mg/L as CaCO3)" if as_caco3 else HEADINGS["HCO3"]
    ion = rng.choice([each for each in IONS if each not in ("F", "K")])
    value = cells[ion]
    assert value is not None
    weight, charge = IONS[ion]
    pH, column, detail = water.pH, alkalinity if ion == "HCO3" else HEADINGS[ion], ""
    if kind == "charge":
        detail = rng.choice(["dropped", "scaled"])
        cells[ion] = None if detail == "dropped" else figures(value * rng.choice([0.3, 0.5, 2.2, 3.0]))
    elif kind == "unit":
        detail = rng.choice(["mmol/L", "meq/L", "ug/L"])
        per_mg = 1 / gram if ion == "HCO3" else 1 / weight
        factor = {"mmol/L": per_mg, "meq/L": per_mg * abs(charge), "ug/L": 1000.0}[detail]
        if ion == "HCO3" and as_caco3 and detail == "mmol/L":
            return False  # 1 mmol of alkalinity is 1 meq, in the laboratories that give mmol
        cells[ion] = figures(value * factor)
    elif kind == "as":
        ion, detail = rng.choice([("HCO3", "HCO3" if as_caco3 else "CaCO3"), ("NO3", "N"), ("SO4", "S")])
        value = cells[ion]
        assert value is not None
        column = alkalinity if ion == "HCO3" else HEADINGS[ion]
        factor = {"CaCO3": 50.04 / 61.016, "HCO3": 61.016 / 50.04, "N": 14.007 / 62.004, "S": 32.06 / 96.06}[
            detail
        ]
        cells[ion] = figures(value * factor)
    elif kind == "minor":  # what charges cannot show, but the other rows do
        name = rng.choice(["SiO2", "F"])
        known = cells[name]
        assert known is not None
        cells[name] = figures(known * 1000)
        water.cells, water.planted, water.column, water.detail = cells, "unit", HEADINGS[name], "ug/L"
        return not (name == "F" and abs(charge_error(cells, gram)) > 4)
    else:
        pH = rng.choice([round(water.pH * 10), -water.pH, 0.7, round(water.pH * 100), 14.5])
        column = "pH"
    if kind != "pH" and abs(charge_error(cells, gram)) < 7:
        return False
    water.cells, water.pH, water.planted, water.column, water.detail = cells, pH, kind, column, detail
    return True


def table_of(seed: int, as_caco3: bool, rows: int = 200, kinds: int = 12) -> tuple[str, list[Made]]:
    """200 waters, of which 60 have a planted error: 12 each of five kinds."""
    rng = random.Random(seed)
    waters = [clean_water(rng, f"W{n:03d}", as_caco3) for n in range(rows)]
    order = list(range(rows))
    rng.shuffle(order)
    for kind in ("charge", "unit", "as", "pH", "minor"):
        planted = 0
        while planted < kinds:
            water = waters[order[-1]]
            for _ in range(30):
                trial = Made(water.name, water.facies, dict(water.cells), water.pH, water.temperature)
                if plant(rng, trial, kind, as_caco3):
                    waters[order.pop()] = trial
                    planted += 1
                    break
            else:
                order.insert(0, order.pop())  # this water cannot show such an error
    headings = HEADINGS | ({"HCO3": "Alkalinity (mg/L as CaCO3)"} if as_caco3 else {})
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["Sample", "Type", "pH", "Temp (degC)", *headings.values()])
    for water in waters:
        cells = ["" if (each := water.cells[key]) is None else f"{each:.10g}" for key in headings]
        writer.writerow([water.name, water.facies, water.pH, water.temperature, *cells])
    return buffer.getvalue(), waters


@pytest.mark.accept
@pytest.mark.parametrize("as_caco3", [pytest.param(False, id="HCO3"), pytest.param(True, id="CaCO3")])
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
async def test_every_planted_error_is_found_and_no_clean_row_is_flagged(
    engine: Engine, seed: int, as_caco3: bool
) -> None:
    text, waters = table_of(seed, as_caco3)
    found = await speciate_waters(text, engine=engine)
    assert len(found.rows) == len(waters) == 200
    first = explained = 0
    for water, row in zip(waters, found.rows, strict=True):
        said = (water, row.reasons, row.notices)
        assert row.sample == water.name
        if not water.planted:
            assert row.status == "ok" and not row.notices, said
            continue
        findings = row.reasons or row.notices
        if water.planted == "pH":
            assert {each.kind for each in findings} == {"pH"}, said
            assert bool(row.reasons) == (not 0 <= water.pH <= 14), said
            continue
        assert row.status != "rejected", said
        kinds = {kind for each in findings for kind in each.kinds}
        assert water.planted in kinds, said
        if water.planted in ("unit", "as"):
            (finding,) = [each for each in findings if each.explanations]
            planted = [
                number
                for number, each in enumerate(finding.explanations)
                if each.column == water.column and each.kind == water.planted and water.detail in each.words
            ]
            assert planted, said
            explained += 1
            first += planted[0] == 0
        elif water.detail == "dropped":
            assert any(each.column == water.column for each in findings[0].explanations), said
    assert explained == 36
    assert first / explained > 0.6, f"the planted explanation is first in {first} of {explained}"
    assert found.count("ok") == 140


HEADING = "Sample,Type,pH,Temp (C),Ca (mg/L),Mg (mg/L),Na (mg/L),K (mg/L),HCO3 (mg/L),SO4 (mg/L),Cl (mg/L)"
ONE = "A,upper,7.4,15,80,12,20,3,270,35,28"


async def test_what_varies_by_nature_is_no_error(engine: Engine) -> None:
    """A coast: fresh water to seawater, oxic and anoxic; every water neutral, iron and nitrate over four decades."""
    rng = random.Random(3)
    fresh = {
        "Ca": 2.2,
        "Mg": 0.4,
        "Na": 1.0,
        "K": 0.05,
        "HCO3": 4.5,
        "SO4": 0.3,
        "Cl": 1.05,
        "SiO2": 0.2,
        "F": 0.01,
        "Br": 0.002,
    }
    sea = {
        "Ca": 10.5,
        "Mg": 54.0,
        "Na": 480.0,
        "K": 10.4,
        "HCO3": 2.4,
        "SO4": 28.9,
        "Cl": 559.0,
        "SiO2": 0.05,
    }
    sea |= {"F": 0.07, "Br": 0.86}
    grams = {ion: weight for ion, (weight, _) in IONS.items()} | {"SiO2": SILICA, "Br": 79.904}
    lines = [
        "Sample,pH,Temp (C),"
        + ",".join(f"{each} (mg/L)" for each in fresh)
        + ",NO3 (mg/L),Fe (ug/L),EC (uS/cm)"
    ]
    for n in range(60):
        share = [0.0, 0.001, 0.01, 0.1, 0.5, 1.0][n % 6] if n % 3 == 0 or n == 59 else 0.0
        mixed = {ion: (1 - share) * fresh[ion] + share * sea[ion] for ion in fresh}
        for ion in ("SiO2", "F", "K"):
            mixed[ion] *= 10 ** rng.gauss(0, 0.25)
        anoxic = n % 12 == 5
        nitrate, iron = (0.02, 6000.0) if anoxic else (10 ** rng.gauss(0.8, 0.3), 10 ** rng.gauss(0.8, 0.4))
        mixed["Na"] += (
            sum(mixed[ion] * charge for ion, (_, charge) in IONS.items() if ion in mixed and charge < 0) * -1
        )
        mixed["Na"] -= sum(
            mixed[ion] * charge for ion, (_, charge) in IONS.items() if ion in mixed and charge > 0
        )
        mixed["Na"] += mixed["Br"] + nitrate / 62.0 - 2 * iron / 55845
        cations = sum(mixed[ion] * IONS[ion][1] for ion in ("Ca", "Mg", "Na", "K"))
        cells = [f"{mixed[ion] * grams[ion]:.4g}" for ion in fresh]
        lines.append(
            f"C{n},{7.6 if share else 7.2},15,{','.join(cells)},{nitrate:.3g},{iron:.3g},{100 * cations * 0.92:.4g}"
        )
    found = await speciate_waters("\n".join(lines), engine=engine, precipitation=False)
    assert [(row.sample, [each.text() for each in row.notices]) for row in found.rows if row.notices] == []


async def test_seawater_is_that_of_example_1(engine: Engine) -> None:
    """PHREEQC's example 1, from parts per million: calcite 0.79, ionic strength 0.670 (research notes and manual)."""
    heading = (
        "Sample;pH;pe;Temp (C);Density (kg/L);Ca (ppm);Mg (ppm);Na (ppm);K (ppm);Fe (ppm);Mn (ppm);"
        "Silica, SiO2 (ppm);Chloride (ppm);Alkalinity (ppm as HCO3);Sulfate (ppm);NO3 (ppm);NH4 (ppm)"
    )
    values = "8,22;8,451;25;1,023;412,3;1291,8;10768;399,1;0,002;0,0002;4,28;19353;141,682;2712;0,29;0,03"
    text = f"{heading}\nsea;{values}"
    found = await speciate_waters(text, engine=engine)
    (row,) = found.rows
    assert row.status == "ok" and row.speciation is not None and row.balance is not None
    assert row.speciation.SI["Calcite"] == pytest.approx(0.79, abs=0.01)
    assert row.speciation.ionic_strength == pytest.approx(0.670, abs=0.002)
    assert row.speciation.density == pytest.approx(1.0233, abs=0.0005)
    assert row.balance.charge_error == pytest.approx(row.speciation.charge_error, abs=0.05)
    assert row.balance.water_type == "Na-Cl"
    assert row.solids == pytest.approx(35_083, rel=1e-3)
    assert row.langelier is None  # beyond its range


def precipitated(calcium: float, alkalinity: float, pH: float) -> float:
    """mmol/L of calcite on the way to equilibrium at 25 degC, by bisection: an oracle of its own.

    Chloride twice the calcium, constants of Plummer and Busenberg, Davies, no ion pairs, closed system.
    """
    k1, k2, kc, kw = 10**-6.352, 10**-10.329, 10**-8.480, 10**-13.998
    ca, alk, chloride = calcium * 1e-3, alkalinity * 1e-3, 2e-3 * calcium

    def constants(x: float) -> tuple[float, float, float, float, float]:
        strength = 0.5 * (4 * (ca - x) + (alk - 2 * x) + chloride)
        g = 10 ** (-0.5085 * (strength**0.5 / (1 + strength**0.5) - 0.3 * strength))
        return k1 / g**2, k2 / g**4, kc / g**8, kw / g**2, g

    def per_carbon(h: float, a: float, b: float) -> float:
        return (a * h + 2 * a * b) / (h * h + a * h + a * b)

    a, b, _, w, g = constants(0.0)
    h = 10**-pH / g
    carbon = (alk - w / h + h) / per_carbon(h, a, b)

    def supersaturated(x: float) -> bool:
        a, b, c, w, _ = constants(x)
        low, high = 1e-14, 1.0
        for _ in range(100):
            h = (low * high) ** 0.5
            more = (carbon - x) * per_carbon(h, a, b) + w / h - h > alk - 2 * x
            low, high = (h, high) if more else (low, h)
        return (ca - x) * (carbon - x) * a * b / (h * h + a * h + a * b) > c

    low, high = -0.02, min(ca, carbon, alk / 2)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if supersaturated(middle) else (low, middle)
    return 1e3 * low


async def test_precipitation_potential(engine: Engine) -> None:
    """Against a calculation that shares nothing with PHREEQC, for waters that scale and that dissolve calcite.

    Ion pairs, which it does not know, are few in these.
    """
    cases = [
        (2.5, 5.0, 7.6),
        (1.5, 3.0, 7.8),
        (0.2, 4.0, 8.6),
        (0.2, 4.0, 9.0),
        (1.0, 2.0, 6.0),
        (0.5, 0.5, 5.5),
    ]
    rows = [f"{n},,{pH},25,{ca},{alk},{2 * ca}" for n, (ca, alk, pH) in enumerate(cases)]
    text = "Sample,Type,pH,Temp (C),Ca (mmol/L),Alkalinity (meq/L),Cl (mmol/L)\n" + "\n".join(rows)
    found = await speciate_waters(text, engine=engine, database="wateq4f.dat")
    for row, (ca, alk, pH) in zip(found.rows, cases, strict=True):
        expected = 100.0869 * precipitated(ca, alk, pH)
        assert row.precipitation == pytest.approx(expected, rel=0.03, abs=0.2), (ca, alk, pH)


async def test_nitrate_and_iron_do_not_react_on_the_way_to_calcite(engine: Engine) -> None:
    heading = "Sample,pH,Temp (C),Ca (mM),Na (mM),Alkalinity (meq/L),Cl (mM),NO3 (mM),NH4 (mM),Fe (mM)"
    text = (
        f"{heading}\nplain,8,20,2.5,1,5,1.8,,,\nmixed,8,20,2.5,1,5,1,0.8,0.05,0.09\nno calcium,8,20,,5,5,,,,"
    )
    found = await speciate_waters(text, engine=engine)
    plain, mixed, none = (row.precipitation for row in found.rows)
    assert plain is not None and plain > 30
    assert mixed == pytest.approx(plain, rel=0.002)
    assert none is None
    assert any("pe 4" in note and "Fe(OH)3(a)" in note for note in found.notes)


async def test_a_water_that_fails_spoils_no_other(engine: Engine) -> None:
    def water(sodium: float, silica: float = 0.1) -> Analysis:
        amounts = {"Ca": 1.0, "Na": sodium, "Alkalinity": 2.0, "Cl": sodium, "Si": silica}
        return Analysis(
            "w", 8.0, 20.0, {name: Constituent(name, x, x, "mmol/L") for name, x in amounts.items()}
        )

    good = [water(1 + n / 100) for n in range(250)]
    waters = list(good)
    for place, bad in (
        (0, water(1, 400)),
        (99, water(40_000)),
        (150, water(1, 500)),
        (251, water(30_000)),
        (254, water(1, 450)),
    ):
        waters.insert(place, bad)
    mixed = await speciate(waters, ["Calcite"], engine=engine, precipitate="Calcite")
    alone = await speciate(good, ["Calcite"], engine=engine, precipitate="Calcite")
    assert [each.analysis for each in mixed] == waters
    assert [n for n, each in enumerate(mixed) if each.failure] == [0, 99, 150, 251, 254]
    solved = [each for each in mixed if not each.failure]
    assert [each.SI["Calcite"] for each in solved] == pytest.approx(
        [each.SI["Calcite"] for each in alone], abs=1e-9
    )
    assert [each.delta["Calcite"] for each in solved] == pytest.approx(
        [x.delta["Calcite"] for x in alone], rel=1e-6
    )


@pytest.mark.accept
@pytest.mark.parametrize("precipitate", ["", "Calcite"])
async def test_a_water_has_the_same_values_to_the_last_bit_in_any_company(
    engine: Engine, precipitate: str
) -> None:
    """In a run of its own, and among others in runs that go on at a time, of which one fails."""
    waters = []
    for n in range(60):
        amounts = {"Ca": 0.2 + n / 9, "Na": 1 + n**1.5, "Alkalinity": 1 + n / 20, "Cl": 1.1 + n**1.5}
        amounts |= {"Fe": n / 5000} if n % 3 else {}
        held = {name: Constituent(name, each, each, "mmol/L") for name, each in amounts.items()}
        waters.append(Analysis(f"w{n}", 6 + n / 30, 5 + n / 2, held, pe=4 - n / 10 if n % 2 else None))
    silica = {"Si": Constituent("Si", 500, 500, "mmol/L")}
    waters[20] = replace(
        waters[20], pH=8.0, temperature=20.0, constituents={**waters[20].constituents, **silica}
    )

    async def solved(some: Sequence[Analysis]) -> list[Speciation]:
        return await speciate(some, ("Calcite", "CO2(g)"), engine=engine, precipitate=precipitate)

    together = await solved(waters)
    assert [n for n, each in enumerate(together) if each.failure] == [20]
    assert together == [(await solved([each]))[0] for each in waters] == (await solved(waters[::-1]))[::-1]


async def test_a_busy_engine_is_said_plainly(databases: object) -> None:
    water = Analysis("w", 8.0, 20.0, {"Na": Constituent("Na", 1, 1, "mmol/L")})
    async with Engine(concurrency=1) as engine:
        with pytest.raises(LabrigError) as refused:
            await speciate([water] * 1000, ["Halite"], engine=engine, queue_s=1e-4)
    assert refused.value.code == "busy"


@pytest.mark.accept
async def test_a_large_table_goes_through(engine: Engine) -> None:
    text = "\n".join(
        [HEADING, *(ONE.replace("A,", f"W{n},").replace("7.4", f"{7 + n % 100 / 100}") for n in range(3600))]
    )
    found = await speciate_waters(text, engine=engine, phases=["calcite"], precipitation=False)
    assert found.count("ok") == len(found.rows) == 3600
    assert found.phases == ("Calcite",)
    indices = [row.speciation.SI["Calcite"] for row in found.rows if row.speciation]
    assert indices[:100] == pytest.approx(indices[100:200]) and len(set(indices[:100])) == 100


async def test_phases_and_database(engine: Engine) -> None:
    text = f"{HEADING},F (mg/L),NO3 (mg/L)\n{ONE},0.2,5"
    usual = (await speciate_waters(text, engine=engine)).phases
    assert {"Calcite", "Gypsum", "Halite", "Fluorite", "CO2(g)", "Dolomite"} <= set(usual)
    assert not {"Barite", "Quartz", "Siderite"} & set(usual)
    pitzer = await speciate_waters(text, engine=engine, database="pitzer.dat")
    assert [each.header for each in pitzer.table.columns if "lacks" in each.why] == ["F (mg/L)", "NO3 (mg/L)"]
    assert "Magnesite" in pitzer.phases and "Fluorite" not in pitzer.phases
    llnl = await speciate_waters(
        text, engine=engine, database="llnl", phases=["calcite", "CO2(g)", "Calcite"]
    )
    assert llnl.phases == ("Calcite", "CO2(g)")
    assert llnl.rows[0].speciation is not None and llnl.rows[0].speciation.density is None
    cold = await speciate_waters(text, engine=engine, database="ColdChem")
    assert cold.rows[0].precipitation is None and "Halite" in cold.phases
    ammonium = text.replace("NO3 (mg/L)", "NH4 (mg/L)")
    errors = [
        (await speciate_waters(ammonium, engine=engine, database=each)).rows[0].balance
        for each in ("phreeqc", "Amm")
    ]
    assert errors[0] is not None and errors[1] is not None
    assert errors[0].charge_error == pytest.approx(errors[1].charge_error)
    with pytest.raises(LabrigError, match="Calcitt"):
        await speciate_waters(text, engine=engine, phases=["Calcitt"])
    with pytest.raises(LabrigError, match="charge_limit"):
        await speciate_waters(text, engine=engine, charge_limit=0)


async def test_checks_of_the_whole_water(engine: Engine) -> None:
    heading = f"{HEADING},EC (uS/cm),Hardness (mg/L as CaCO3),TDS (mg/L)"
    rows = [
        f"{ONE},560,249,450",
        f"{ONE},0.56,249,450",
        f"{ONE},560,24.9,450",
        f"{ONE},560,249,4500",
        f"{ONE},x,,",
    ]
    found = await speciate_waters("\n".join([heading, *rows]), engine=engine)
    assert [[each.kind for each in row.notices] for row in found.rows] == [
        [],
        ["check"],
        ["check"],
        ["check"],
        ["check"],
    ]
    assert "it would agree in mS/cm" in found.rows[1].notices[0].words


async def test_charge_limit_and_tables_without_a_major_ion(engine: Engine) -> None:
    row = ONE.replace(",28", ",50")  # 5.6 %
    for limit, kinds in ((5.0, ["charge"]), (10.0, [])):
        found = await speciate_waters(f"{HEADING}\n{row}", engine=engine, charge_limit=limit)
        assert [each.kind for each in found.rows[0].notices] == kinds
    text = "Sample,pH,Temp (C),Ca (mg/L),HCO3 (mg/L)\nA,7.4,15,80,300\nB,7.4,15,80,\n"
    a, b = (await speciate_waters(text, engine=engine)).rows
    assert "no column for Mg, Na, S(6), Cl" in a.notices[0].words and not a.notices[0].explanations
    assert "no charge balance" in b.notices[0].words


async def test_acid_water_is_judged_by_its_speciation(engine: Engine) -> None:
    heading = f"{HEADING},Fe(2) (mg/L),Al (mg/L)"
    text = f"{heading}\nmine,x,2.8,15,100,50,20,2,,1210,10,250,35\nodd,x,2.8,15,100,50,20,2,,2400,10,250,35"
    mine, odd = (await speciate_waters(text, engine=engine)).rows
    assert mine.balance is not None and mine.balance.basis_of_alkalinity == "acid"
    assert mine.speciation is not None and abs(mine.speciation.charge_error or 99) < 5
    assert not mine.notices
    assert [each.kind for each in odd.notices] == ["charge"] and "speciated" in odd.notices[0].words


DEAD_SEA = "Dead Sea,x,6.2,25,17200,42000,39700,7600,240,450,219000"


@pytest.mark.parametrize("name", ["phreeqc.dat", "wateq4f.dat", "llnl.dat", "sit.dat", "Amm.dat"])
async def test_a_brine_is_beyond_most_databases(engine: Engine, name: str) -> None:
    found = await speciate_waters(f"{HEADING}\n{DEAD_SEA}\n{ONE}", engine=engine, database=name)
    brine, fresh = found.rows
    assert (brine.status, fresh.status) == ("flagged", "ok") and not fresh.beyond
    (said,) = brine.beyond
    assert f"model of {name}" in said and "pitzer.dat has all constituents" in said
    assert "1 rows are outside" in found.out_of_scope and said in found.out_of_scope
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert said in rows[0]["findings"] and rows[1]["findings"] == ""
    assert said[:60] in json.dumps(summary(found)["flagged_rows"])
    pitzer = await speciate_waters(f"{HEADING}\n{DEAD_SEA}", engine=engine, database="pitzer.dat")
    assert pitzer.rows[0].status == "ok" and pitzer.out_of_scope == ""


async def test_temperatures_have_the_limits_of_an_estimate(engine: Engine) -> None:
    cases = {("phreeqc.dat", 99.0): "", ("phreeqc.dat", 230.0): "llnl.dat has all", ("llnl.dat", 230.0): ""}
    cases |= {("frezchem.dat", 60.0): "outside what frezchem.dat is for", ("frezchem.dat", -5.0): ""}
    for (name, celsius), expected in cases.items():
        found = await speciate_waters(
            f"{HEADING}\n{ONE.replace(',15,', f',{celsius},')}",
            engine=engine,
            database=name,
            phases=["Gypsum"],
        )
        (row,) = found.rows
        assert bool(row.beyond) == bool(expected) and expected in " ".join(row.beyond), (name, celsius)
        assert bool(row.beyond) == bool(too_warm(find_database(name), celsius))


async def test_mine_water_has_no_precipitation_potential_without_its_iron(engine: Engine) -> None:
    heading = "Sample,pH,Temp (C),Ca (mg/L),Mg (mg/L),Na (mg/L),SO4 (mg/L),Cl (mg/L),HCO3 (mg/L),Al (mg/L),Fe (mg/L)"
    found = await speciate_waters(
        f"{heading}\nAMD,2.6,15,250,120,30,2600,15,0,60,480\nlittle,2.6,15,450,180,30,2600,15,0,60,5\n",
        engine=engine,
    )
    mine, little = found.rows
    assert mine.precipitation is None and "Fe" in mine.remark and "% of the equivalents" in mine.remark
    assert any(mine.remark in each for each in found.notes)
    assert mine.langelier is None
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert rows[0]["remark"] == mine.remark
    assert little.remark == "" and mine.balance is not None and mine.balance.meq["HCO3"] == 0


async def test_iron_stays_where_a_database_has_no_redox_reactions(engine: Engine) -> None:
    """In pitzer.dat iron is one species: nothing oxidises it, and it has a part in the ionic strength."""
    table = (
        "Sample,pH,Temp (C),Ca (mg/L),Mg (mg/L),Na (mg/L),Cl (mg/L),HCO3 (mg/L),Fe (mg/L),Density (kg/L)\n"
        "A,7.2,25,180,20,30,290,400,60,1\n"
    )
    (pitzer,) = (await speciate_waters(table, engine=engine, database="pitzer.dat")).rows
    (phreeqc,) = (await speciate_waters(table, engine=engine)).rows
    assert phreeqc.precipitation is None and "Fe" in phreeqc.remark
    assert pitzer.remark == "" and pitzer.precipitation is not None
    text = (
        "SOLUTION 1\n pH 7.2\n units mg/L\n density 1\n Ca 180\n Mg 20\n Na 30\n Cl 290\n Alkalinity 400 as HCO3\n"
        " Fe 60\nEQUILIBRIUM_PHASES 1\n Calcite 0 10\n"
        "SELECTED_OUTPUT\n -reset false\n -high_precision true\n -equilibrium Calcite\nEND"
    )
    run = await engine.run(text, "pitzer.dat")
    grams = run.selected[0].rows[-1][run.selected[0].columns.index("d_Calcite")]
    assert isinstance(grams, float)
    kg_of_water = 1 - 1e-6 * (180 + 20 + 30 + 290 + 400 + 60)
    assert pitzer.precipitation == pytest.approx(1e3 * grams * kg_of_water * 100.0869, rel=2e-3)


async def test_hot_waters_were_measured_cold(engine: Engine) -> None:
    heading = "Sample,pH,Temp (C),Na (mg/L),Cl (mg/L),SiO2 (mg/L)"
    rows = [f"{celsius},7,{celsius},3933,6065,500" for celsius in (25, 39, 90, 200, 250)]
    found = await speciate_waters("\n".join([heading, *rows]), engine=engine, phases=["Halite"])
    assert not [row.speciation.failure for row in found.rows if row.speciation and row.speciation.failure]
    cold, _, *hot = found.rows
    assert cold.speciation is not None and cold.speciation.ionic_strength is not None
    for row in hot:  # the same cooled sample has the same molality, wherever it came from
        assert row.speciation is not None and row.speciation.density == pytest.approx(1.004, abs=0.001)
        assert row.speciation.ionic_strength == pytest.approx(cold.speciation.ionic_strength, rel=2e-3)
    assert any("density: 3; their litre is taken at 25 degC" in each for each in found.notes)


async def test_noise_is_left_unsaid_and_what_cannot_form_is_said(engine: Engine) -> None:
    for name in ("llnl.dat", "sit.dat", "core10.dat"):
        found = await speciate_waters(f"{HEADING}\n{ONE}", engine=engine, database=name)
        assert not [each for each in found.notes if "pe 4" in each], name
    found = await speciate_waters(f"{HEADING}\n{ONE}", engine=engine, phases=["Barite", "Calcite"])
    assert "no index of Barite: the table has no Ba that can be used" in found.notes
    assert sum("no index of" in each for each in found.notes) == 1


async def test_the_wells_that_scale_most_are_named(engine: Engine) -> None:
    rows = [ONE.replace("A,", f"W{n},").replace("7.4", f"{6.8 + n / 10:.1f}") for n in range(14)]
    said = summary(await speciate_waters("\n".join([HEADING, *rows]), engine=engine))
    found = await speciate_waters("\n".join([HEADING, *rows]), engine=engine)
    for key, value in (
        ("SI(Calcite)", lambda row: row.speciation.SI["Calcite"]),
        ("CaCO3_precipitation_potential", lambda row: row.precipitation),
    ):
        best = sorted(found.rows, key=value, reverse=True)[:5]
        assert [each[:2] for each in said["highest"][key]] == [[row.sample, row.line] for row in best]
    potential = said["CaCO3_precipitation_potential"]
    assert potential["above_0"] == sum((row.precipitation or 0) > 0 for row in found.rows)
    assert 0 < potential["above_0"] < 14
    assert "highest" not in summary(await speciate_waters("\n".join([HEADING, *rows[:9]]), engine=engine))


async def test_csv_has_every_row_and_pictures_have_what_can_be_drawn(engine: Engine) -> None:
    others = [
        "B,lower,74,15,80,12,20,3,270,35,28",
        "C,lower,7.9,15,80,12,20,3,270,35,280",
        "D,,7,15,80,,,,,,",
    ]
    text = "\n".join([HEADING, ONE, *others])
    found = await speciate_waters(text, engine=engine)
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert [(each["sample"], each["status"]) for each in rows] == [
        ("A", "ok"),
        ("B", "rejected"),
        ("C", "flagged"),
        ("D", "flagged"),
    ]
    assert all(None not in each and None not in each.values() for each in rows)
    assert rows[1]["reasons"].startswith("impossible pH 74") and rows[1]["SI(Calcite)"] == ""
    assert rows[0]["water type"] == "Ca-HCO3" and float(rows[0]["Ca (meq/L)"]) == pytest.approx(
        3.992, abs=1e-3
    )
    first = found.rows[0].speciation
    assert first is not None and first.SI["Calcite"] is not None
    assert float(rows[0]["SI(Calcite)"]) == pytest.approx(first.SI["Calcite"], abs=5e-4)
    assert rows[2]["findings"].startswith("charge error -37.5 %")

    piper, stiff, saturation = piper_data(found), stiff_data(found), saturation_data(found)
    assert [each["name"] for each in piper["samples"]] == ["A", "C"] and piper["left_out"] == ["B", "D"]
    assert piper["samples"][0]["group"] == "upper" and piper["unit"] == "meq/L"
    assert set(piper["samples"][0]["meq"]) == {"Ca", "Mg", "Na", "K", "HCO3", "SO4", "Cl"}
    assert [each["name"] for each in stiff["samples"]] == ["A", "C", "D"]
    assert saturation["samples"] == ["A", "C", "D"]
    calcite = next(each for each in saturation["phases"] if each["name"] == "Calcite")
    assert calcite["SI"][0] == pytest.approx(first.SI["Calcite"], abs=1e-4) and calcite["SI"][2] is None
    json.dumps([piper, stiff, saturation], allow_nan=False)


@pytest.mark.parametrize("rows", [1, 12, 13, 400])
async def test_a_summary_is_small_and_complete(engine: Engine, rows: int) -> None:
    text, _ = table_of(9, False, rows=max(rows, 120), kinds=12)
    lines = text.splitlines()[: rows + 1]
    wide = [lines[0] + ",Remark " + "x" * 400, *(line + "," + "y" * 400 for line in lines[1:])]
    found = await speciate_waters("\n".join(wide), engine=engine, precipitation=False)
    said = summary(found)
    assert len(json.dumps(said, allow_nan=False, ensure_ascii=False)) <= SUMMARY_CHARS
    assert said["rows"] == rows == sum(said[each] for each in ("ok", "flagged", "unsolved", "rejected"))
    for status in ("rejected", "unsolved", "flagged"):
        listed = said.get(f"{status}_rows", [])
        assert len([x for x in listed if "why" in x]) + sum(x.get("more", 0) for x in listed) == said[status]
    if rows <= 12:
        assert [each[0] for each in said["table"]["rows"]] == [
            row.sample for row in found.rows if row.speciation
        ]
    calcite = next(each for each in said["saturation"] if each["phase"] == "Calcite")
    assert calcite["min"] <= calcite["median"] <= calcite["max"]
