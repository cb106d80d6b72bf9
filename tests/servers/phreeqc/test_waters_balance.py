"""The ion balance in closed form, against hand calculations, published analyses, and PHREEQC's own percent error."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.waters.analysis import Analysis, Constituent
from labrig_phreeqc.waters.balance import balance, dissolved_solids
from labrig_phreeqc.waters.carbonate import (
    excluded,
    langelier,
    log_k1,
    log_k2,
    log_k_calcite,
    log_kw,
)
from labrig_phreeqc.waters.constituents import CHARGES
from labrig_phreeqc.waters.speciation import speciate


def water(pH: float, temperature: float = 25.0, carbonate: float | None = None, **mmol: float) -> Analysis:
    """A water in mmol/L, alkalinity in meq/L; S6 for S(6), N5 for N(5), Nm3 for N(-3)."""
    names = {"S6": "S(6)", "N5": "N(5)", "Nm3": "N(-3)", "C4": "C(4)", "Sm2": "S(-2)"}
    constituents = {
        names.get(name, name): Constituent(names.get(name, name), value, value, "mmol/L")
        for name, value in mmol.items()
    }
    return Analysis("water", pH, temperature, constituents, carbonate=carbonate)


def test_charges_are_those_of_phreeqc(databases: Path) -> None:
    """Charge of the master species plus its alkalinity: what is left at the end of the titration."""
    elements = {each.name: each for each in read(find_database("phreeqc.dat").path).elements}
    compared = 0
    for name, charge in CHARGES.items():
        if name not in elements or name == "Alkalinity":
            continue
        match = re.search(r"([+-])(\d*)$", elements[name].master_species)
        size = int(f"{match[1]}{match[2] or 1}") if match else 0
        alkalinity = elements[name].alkalinity
        assert alkalinity is not None and size + alkalinity == charge, name
        compared += 1
    assert compared >= 22


def test_by_hand() -> None:
    its = balance(water(7.5, Ca=2.0, Mg=0.5, Na=1.0, K=0.1, Alkalinity=4.0, S6=0.5, Cl=0.8, N5=0.2, Si=0.3))
    assert its.cations == pytest.approx(4 + 1 + 1 + 0.1, rel=1e-5)  # and H+
    assert its.anions == pytest.approx(4 + 1 + 0.8 + 0.2, rel=1e-5)
    assert its.charge_error == pytest.approx(100 * 0.1 / 12.1, rel=1e-4)
    assert its.water_type == "Ca-HCO3"
    assert its.hardness == pytest.approx(2.5 * 100.0869)
    assert dict(its.meq) == pytest.approx(
        {"Ca": 4, "Mg": 1, "Na": 1, "K": 0.1, "HCO3": 4, "SO4": 1, "Cl": 0.8, "NO3": 0.2}
    )
    parts = balance(water(9, Na=5, Alkalinity=5, carbonate=1.5))
    assert (parts.meq["HCO3"], parts.meq["CO3"]) == (3.5, 1.5)
    assert balance(water(7, Ca=1)).charge_error is None
    assert balance(water(7, Ca=1)).water_type == ""


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        ({"Ca": 1, "Mg": 1, "Na": 2, "Alkalinity": 2, "S6": 1, "Cl": 2}, "mixed-mixed"),
        ({"Na": 8, "K": 1, "Ca": 0.5, "Cl": 8, "Alkalinity": 2}, "Na-Cl"),
        ({"Na": 2, "K": 2, "Ca": 1.5, "Cl": 3, "S6": 2}, "Na-SO4"),
        ({"Mg": 3, "Ca": 1, "Alkalinity": 8}, "Mg-HCO3"),
    ],
)
def test_water_types(amounts: dict[str, float], expected: str) -> None:
    assert balance(water(7.5, **amounts)).water_type == expected


def test_published_analyses() -> None:
    """The springs of the Sierra Nevada (Garrels and Mackenzie, 1967), mmol/L; example 16 of PHREEQC."""
    ephemeral = water(
        6.2, Si=0.273, Ca=0.078, Mg=0.029, Na=0.134, K=0.028, Alkalinity=0.328, S6=0.010, Cl=0.014
    )
    perennial = water(6.8, Si=0.41, Ca=0.26, Mg=0.071, Na=0.259, K=0.04, Alkalinity=0.895, S6=0.025, Cl=0.03)
    assert balance(ephemeral).charge_error == pytest.approx(100 * (0.376 - 0.362) / (0.376 + 0.362), rel=3e-3)
    assert balance(perennial).charge_error == pytest.approx(100 * (0.961 - 0.975) / (0.961 + 0.975), rel=3e-3)
    assert balance(ephemeral).water_type == "mixed-HCO3"
    assert balance(perennial).water_type == "Ca-HCO3"


def test_sum_of_constituents(databases: Path) -> None:
    weights = {
        e.name: e.atomic_weight for e in read(find_database("phreeqc.dat").path).elements if e.atomic_weight
    }
    analysis = water(9, Ca=1, Alkalinity=3, S6=1, N5=1, Si=1, carbonate=1)
    by_hand = 40.08 + 2 * 61.017 + 30.0045 + 96.06 + 62.005 + 60.084
    assert dissolved_solids(analysis, weights) == pytest.approx(by_hand, rel=1e-4)


async def test_agrees_with_phreeqc_where_ion_pairs_are_few(databases: Path) -> None:
    """Weak acids and bases included, at pH 6 to 9.8: what they carry is in the alkalinity, and counts once."""
    rng = random.Random(7)
    waters = []
    for _ in range(40):
        others = {"P": 0.05, "B": 0.3, "Si": 0.5, "N5": 0.1, "Nm3": 0.1, "Sm2": 0.05, "F": 0.05, "K": 0.05}
        ions = {
            "Ca": rng.uniform(0.05, 0.4),
            "Mg": rng.uniform(0.02, 0.2),
            "Cl": rng.uniform(0.1, 1),
            "S6": 0.05,
        }
        alkalinity = rng.uniform(0.8, 2.5)
        anions = alkalinity + ions["Cl"] + 2 * ions["S6"] + others["N5"] + others["P"] + others["F"]
        sodium = (
            anions - 2 * ions["Ca"] - 2 * ions["Mg"] - others["K"] - others["Nm3"] + rng.uniform(-0.2, 0.2)
        )
        pH, temperature = round(rng.uniform(6, 9.8), 2), round(rng.uniform(5, 30), 1)
        waters.append(water(pH, temperature, Na=sodium, Alkalinity=alkalinity, **ions, **others))
    async with Engine() as engine:
        solved = await speciate(waters, [], engine=engine)
    for analysis, speciation in zip(waters, solved, strict=True):
        assert not speciation.failure
        assert balance(analysis).charge_error == pytest.approx(speciation.charge_error, abs=0.4), analysis


async def test_inorganic_carbon_and_acid_water_have_a_balance_too(databases: Path) -> None:
    carbon = [water(pH, 15, Na=3.0, Ca=0.5, Cl=1.0, C4=3.0) for pH in (5.5, 6.5, 7.5, 8.5, 9.5)]
    sulfate = {2.5: 2.4, 3.0: 1.2, 3.5: 0.7, 4.2: 0.55}
    acid = [water(pH, 15, Ca=0.5, Na=0.5, S6=S6, Cl=0.5) for pH, S6 in sulfate.items()]
    async with Engine() as engine:
        solved = await speciate([*carbon, *acid], [], engine=engine)
    for analysis, speciation in zip([*carbon, *acid], solved, strict=True):
        its = balance(analysis)
        assert its.basis_of_alkalinity == ("DIC" if "C(4)" in analysis.constituents else "acid")
        assert its.charge_error == pytest.approx(speciation.charge_error, abs=1.5), analysis.pH


async def test_rain_has_the_charge_error_of_phreeqc(databases: Path) -> None:
    """H+ is a sixth of the ions at pH 5.1; with an alkalinity, with one of 0, and without."""
    ions = {"Ca": 0.004, "Na": 0.008, "K": 0.001, "S6": 0.006, "N5": 0.006, "Cl": 0.009}
    for alkalinity in ({"Alkalinity": 0.003}, {"Alkalinity": 0.0}, {}):
        rain = water(5.1, 10, **ions, **alkalinity)
        async with Engine() as engine:
            (solved,) = await speciate([rain], [], engine=engine)
        assert balance(rain).charge_error == pytest.approx(solved.charge_error, abs=0.5), alkalinity


async def test_acid_water_has_no_langelier_index(databases: Path) -> None:
    for pH in (2.6, 5.0):
        assert langelier(water(pH, Ca=5.0, Alkalinity=0.0, S6=6.0), 0.02) is None
    assert langelier(water(5.0, Ca=5.0, Alkalinity=0.5, S6=6.0), 0.02) is not None


def test_carbonate_constants_are_the_databases(databases: Path) -> None:
    phases = {each.name: each for each in read(find_database("wateq4f.dat").path).phases}
    species = {each.name: each for each in read(find_database("phreeqc.dat").path).species}
    for kelvin in (278.15, 298.15, 348.15):

        def at(coefficients: tuple[float, ...], kelvin: float = kelvin) -> float:
            from math import log10

            powers = (1.0, kelvin, 1 / kelvin, log10(kelvin), kelvin**-2, kelvin**2)
            return sum(a * b for a, b in zip(coefficients, powers, strict=True))

        assert log_k_calcite(kelvin) == pytest.approx(at(phases["Calcite"].analytic), abs=1e-6)
        assert log_k2(kelvin) == pytest.approx(-at(species["HCO3-"].analytic), abs=1e-6)
        both = at(species["CO2"].analytic) - at(species["HCO3-"].analytic)
        assert log_k1(kelvin) == pytest.approx(-both, abs=1e-6)
    assert log_kw(298.15) == pytest.approx(-14.0, abs=0.01)


async def test_langelier_is_the_saturation_index_without_ion_pairs(databases: Path) -> None:
    waters = [
        water(pH, T, Ca=0.5, Na=n, Cl=n, Alkalinity=1.0)
        for pH in (6.5, 7.5, 8.3)
        for T in (5.0, 25.0, 40.0)
        for n in (0.1, 5.0, 50.0)
    ]
    async with Engine() as engine:
        solved = await speciate(waters, ["Calcite"], engine=engine, database="wateq4f.dat")
    for analysis, speciation in zip(waters, solved, strict=True):
        assert speciation.ionic_strength is not None
        index = langelier(analysis, speciation.ionic_strength)
        saturation = speciation.SI["Calcite"]
        assert index is not None and saturation is not None
        assert -0.02 < index - saturation < 0.06, analysis
    assert langelier(water(7, Ca=1, Na=1), 0.01) is None
    assert langelier(waters[0], 0.7) is None


def test_what_ph_and_alkalinity_exclude() -> None:
    assert "needs more alkalinity" in excluded(water(11.5, Ca=1, Alkalinity=0.5))
    assert "mol/L of CO2" in excluded(water(0.7, Ca=1, Alkalinity=4))
    for pH, alkalinity in ((4.2, 0.02), (6, 5), (8, 5), (10.5, 5), (12, 25)):
        assert not excluded(water(pH, Ca=1, Alkalinity=alkalinity))
    assert not excluded(water(2, Ca=1, S6=1))
