"""Truths of speciation, saturation, minerals, redox and mixing, found again without PHREEQC.

Either in closed form (charges, electrons and masses are conserved), or by a small speciation code of this file that
shares nothing with PHREEQC: log K and ion sizes are typed here, at 25 °C, as phreeqc.dat has them, or as published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from labrig_phreeqc.engine.engine import Engine
from labrig_suites.phreeqc_mcq.scenario import DATABASE, FIELD, Numbers, Scene, States, Stem
from labrig_suites.phreeqc_mcq.stems import minerals, mixing, redox, saturation, speciation
from labrig_suites.phreeqc_mcq.values import value
from support.late import late

optimize = late("scipy.optimize")

pytestmark = pytest.mark.accept

A, B = 0.5092, 0.3285  # Debye-Hückel at 25 °C (Robinson & Stokes 1959: 0.509 and 0.329 per ångström)
CALCITE = -8.48  # Plummer & Busenberg 1982, as phreeqc.dat has it


@pytest.fixture(autouse=True)
def _installed(databases: Path) -> None:
    """Skip where no database is installed."""


def stem(stems: tuple[Stem, ...], name: str) -> Stem:
    return next(each for each in stems if each.name == name)


async def truth(of: Stem, quantity: str, numbers: Numbers, states: States) -> float:
    """Return the value of a fixed scene, in the unit of its options."""
    assert {switch.name for switch in of.switches} == set(states)
    async with Engine() as engine:
        found = await value(engine, Scene(of, numbers, {**states, FIELD: quantity}))
    assert found.value is not None, found.why
    return found.value


@dataclass(frozen=True)
class Ion:
    """A species: charge, ion size and b of the extended Debye-Hückel equation (size 0: Davies), log K, what of.

    Uncharged species have a log activity coefficient of b times ionic strength.
    """

    charge: int
    size: float = 0.0
    b: float = 0.0
    log_k: float = 0.0
    of: Mapping[str, int] | None = None

    def log_gamma(self, strength: float) -> float:
        if not self.charge:
            return self.b * strength
        root = math.sqrt(strength)
        if not self.size:
            return -A * self.charge**2 * (root / (1 + root) - 0.3 * strength)
        return -A * self.charge**2 * root / (1 + B * self.size * root) + self.b * strength


SPECIES = {
    "H": Ion(1, 9.0),
    "Na": Ion(1, 4.08, 0.082),
    "Ca": Ion(2, 5.0, 0.165),
    "Mg": Ion(2, 5.5, 0.2),
    "Sr": Ion(2, 5.26, 0.121),
    "Cd": Ion(2),
    "Fe": Ion(2, 6.0),
    "Cl": Ion(-1, 3.63, 0.017),
    "F": Ion(-1, 3.5),
    "CO3": Ion(-2, 5.4),
    "SO4": Ion(-2, 5.0, -0.04),
    "OH": Ion(-1, 3.5, 0, -13.998, {"H": -1}),
    "HCO3": Ion(-1, 5.4, 0, 10.329, {"H": 1, "CO3": 1}),
    "CO2": Ion(0, 0, 0.066, 16.681, {"H": 2, "CO3": 1}),
    "NaHCO3": Ion(0, 0, 0.2, 10.329 - 0.06, {"Na": 1, "H": 1, "CO3": 1}),
    "NaSO4": Ion(-1, 5.5, 0, 1.212, {"Na": 1, "SO4": 1}),
    "CaCO3": Ion(0, 0, 0.1, 3.224, {"Ca": 1, "CO3": 1}),
    "CaHCO3": Ion(1, 6.0, 0, 10.91, {"Ca": 1, "H": 1, "CO3": 1}),
    "CaSO4": Ion(0, 0, 0.1, 2.25, {"Ca": 1, "SO4": 1}),
    "MgCO3": Ion(0, 0, 0.1, 2.98, {"Mg": 1, "CO3": 1}),
    "MgHCO3": Ion(1, 4.0, 0, 11.399, {"Mg": 1, "H": 1, "CO3": 1}),
    "MgOH": Ion(1, 6.5, 0, -11.44, {"Mg": 1, "H": -1}),
    "MgSO4": Ion(0, 0, 0.2, 2.418, {"Mg": 1, "SO4": 1}),
    "Mg(SO4)2": Ion(-2, 7.0, 0.047, 2.936, {"Mg": 1, "SO4": 2}),
    "CdCl": Ion(1, 0, 0, 1.98, {"Cd": 1, "Cl": 1}),
    "CdCl2": Ion(0, 0, 0.1, 2.6, {"Cd": 1, "Cl": 2}),
    "CdCl3": Ion(-1, 0, 0, 2.4, {"Cd": 1, "Cl": 3}),
    "CdOHCl": Ion(0, 0, 0.1, -7.404, {"Cd": 1, "H": -1, "Cl": 1}),
    "CdOH": Ion(1, 0, 0, -10.08, {"Cd": 1, "H": -1}),
    "CdCO3": Ion(0, 0, 0.1, 2.9, {"Cd": 1, "CO3": 1}),
    "Cd(CO3)2": Ion(-2, 0, 0, 6.4, {"Cd": 1, "CO3": 2}),
    "CdHCO3": Ion(1, 0, 0, 10.329 + 1.5, {"Cd": 1, "H": 1, "CO3": 1}),
    "HSO4": Ion(-1, 0, 0, 1.988, {"H": 1, "SO4": 1}),
    "FeSO4": Ion(0, 0, 0.1, 2.25, {"Fe": 1, "SO4": 1}),
    "FeHSO4": Ion(1, 0, 0, 1.988 + 1.08, {"Fe": 1, "H": 1, "SO4": 1}),
    "SrSO4": Ion(0, 0, 0.1, 2.29, {"Sr": 1, "SO4": 1}),
    "NaF": Ion(0, 0, 0.1, -0.24, {"Na": 1, "F": 1}),
    "HF": Ion(0, 0, 0.1, 3.18, {"H": 1, "F": 1}),
}


def balance(moles: Mapping[str, float], what: str) -> float:
    """Return the total of a component in all species, or the alkalinity."""
    if what != "alkalinity":
        return sum(m * (SPECIES[s].of or {s: 1}).get(what, 0) for s, m in moles.items())
    return sum(
        m * (2 * (SPECIES[s].of or {s: 1}).get("CO3", 0) - (SPECIES[s].of or {s: 1}).get("H", 0))
        for s, m in moles.items()
    )


def speciate(ph: float, totals: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Return molalities and log activities of all species; `alkalinity` in `totals` stands for carbonate."""
    parts = {"CO3" if what == "alkalinity" else what for what in totals}
    free = sorted(parts)
    known = {name for name, ion in SPECIES.items() if set(ion.of or {name: 1}) <= parts | {"H"}}

    logs = {each: math.log10(totals.get(each, totals.get("alkalinity", 1e-3) * 1e-2)) for each in free} | {
        "H": -ph
    }
    strength = sum(totals.values())
    for _ in range(2000):
        activity = {
            name: SPECIES[name].log_k + sum(c * logs[p] for p, c in (SPECIES[name].of or {name: 1}).items())
            for name in known
        }
        moles = {s: 10 ** (a - SPECIES[s].log_gamma(strength)) for s, a in activity.items()}
        strength = 0.5 * (strength + 0.5 * sum(m * SPECIES[s].charge ** 2 for s, m in moles.items()))
        off = 0.0
        for what, total in totals.items():
            found = balance(moles, what)
            shift = math.log10(total / found) if found > 0 else 1.0
            logs["CO3" if what == "alkalinity" else what] += shift / 2
            off = max(off, abs(shift))
        if off < 1e-9:
            return moles, activity
    raise AssertionError("the mass balances do not settle")


# pKa of NH4+ by cell measurements: R. G. Bates and G. D. Pinching (1949), J. Res. Natl. Bur. Stand. 42, 419.
@pytest.mark.parametrize(
    ("temp", "pka", "debye"), [(10, 9.731, 0.4976), (25, 9.245, 0.5092), (40, 8.805, 0.5242)]
)
async def test_ammonia_has_the_published_constant(temp: float, pka: float, debye: float) -> None:
    numbers = {"ammonia": 700.0, "temp": temp, "warm": 60.0, "ph": 9.0, "raised": 10.0, "salt": 300.0}
    states = {"basis": "N", "salt": "fresh", "ph": "own", "temp": "pond"}
    total = 700 / 14.0067 / 1e3
    ammonium = total / 2
    for _ in range(
        30
    ):  # the ionic strength is that of ammonium chloride, with the sodium-free water's chloride
        root = math.sqrt(ammonium)
        log_gamma = -debye * root / (1 + 0.328 * 2.5 * root) - 0.1 * ammonium  # of NH4+ less that of NH3
        ratio = 10 ** (pka - 9.0 - log_gamma)
        ammonium = total * ratio / (1 + ratio)
    of = stem(speciation.STEMS, "ammonia-stripping")
    assert await truth(of, "ammonium", numbers, states) == pytest.approx(ammonium * 1e3, rel=0.01)
    assert await truth(of, "ammonia", numbers, states) == pytest.approx((total - ammonium) * 1e3, rel=0.01)
    as_ammonium = await truth(of, "ammonia", numbers, {**states, "basis": "NH4"})
    assert as_ammonium * 18.04 / 14.007 == pytest.approx((total - ammonium) * 1e3, rel=0.03)


@pytest.mark.parametrize("magnesium", ["with", "without"])
@pytest.mark.parametrize("sulfate", ["with", "without"])
async def test_carbonate_in_seawater_by_mass_balances(magnesium: str, sulfate: str) -> None:
    numbers = {
        "temp": 5.0,
        "warm": 25.0,
        "ph": 8.1,
        "alkalinity": 120.0,
        "dilution": 0.2,
    }  # dilute: sizes hold
    states = {
        "basis": "CaCO3",
        "magnesium": magnesium,
        "sulfate": sulfate,
        "temp": "warm",
        DATABASE: "phreeqc.dat",
    }
    totals = {"Na": 0.0972, "Ca": 2.14e-3, "alkalinity": 120 / 50.043e3}
    totals |= {"Mg": 10.9e-3} if magnesium == "with" else {}
    totals |= {"SO4": 5.86e-3} if sulfate == "with" else {}
    totals["Cl"] = sum(
        {"Na": 1, "Ca": 2, "Mg": 2, "SO4": -2, "alkalinity": -1}[e] * m for e, m in totals.items()
    )
    moles, _ = speciate(8.1, totals)
    of = stem(speciation.STEMS, "carbonate-ion-pairs-in-seawater")
    for quantity, species in (
        ("carbonate", "CO3"),
        ("calcium-carbonate", "CaCO3"),
        ("calcium-bicarbonate", "CaHCO3"),
    ):
        assert await truth(of, quantity, numbers, states) == pytest.approx(moles[species] * 1e6, rel=0.02), (
            species
        )


@pytest.mark.parametrize("tide", ["high", "low"])
async def test_cadmium_complexes_by_mass_balances(tide: str) -> None:
    numbers = {"cadmium": 20.0, "ph": 8.0, "calcium": 1.5, "chloride": 0.5, "sea": 80.0, "sulfate": 4.0}
    states = {"unit": "ug", "tide": tide, "quarry": "closed", DATABASE: "phreeqc.dat"}
    salt = 0.08 if tide == "high" else 0.0
    totals = {"Cd": 20e-6 / 112.4, "Ca": 1.5e-3, "alkalinity": 2.5e-3, "Cl": 0.5e-3 + salt}
    moles, _ = speciate(8.0, totals | ({"Na": salt} if salt else {}))
    of = stem(speciation.STEMS, "cadmium-in-an-estuary")
    for quantity, species in (
        ("free-cadmium", "Cd"),
        ("cadmium-chloride", "CdCl"),
        ("cadmium-carbonate", "CdCO3"),
    ):
        assert await truth(of, quantity, numbers, states) == pytest.approx(moles[species] * 1e9, rel=0.02), (
            species
        )


async def test_calcite_index_of_well_water_by_mass_balances() -> None:
    numbers = {
        "heat": 60.0,
        "ph": 7.4,
        "hardness": 150.0,
        "magnesium": 12.0,
        "alkalinity": 200.0,
        "sodium": 80.0,
    }
    states = {"calcium": "CaCO3", "alkalinity": "HCO3", "air": "closed", "use": "cool"}
    totals = {"Ca": 0.15 / 100.087, "Mg": 0.012 / 24.305, "Na": 0.08 / 22.9898, "alkalinity": 0.2 / 61.017}
    totals["Cl"] = 2 * totals["Ca"] + 2 * totals["Mg"] + totals["Na"] - totals["alkalinity"]
    _, activity = speciate(7.4, totals)
    of = stem(saturation.STEMS, "well-water-in-a-heat-exchanger")
    found = await truth(of, "si-calcite", numbers, states)
    assert found == pytest.approx(activity["Ca"] + activity["CO3"] - CALCITE, abs=0.01)
    as_calcium = await truth(of, "si-calcite", numbers, {**states, "calcium": "Ca"})
    assert as_calcium - found == pytest.approx(
        math.log10(100.087 / 40.08), abs=0.06
    )  # but for ionic strength


@pytest.mark.parametrize("basis", ["kgw", "kgs"])
@pytest.mark.parametrize("magnesium", ["with", "without"])
async def test_celestite_index_of_brine_by_mass_balances(basis: str, magnesium: str) -> None:
    """Howell et al. (1992) give -6.66 for celestite at 25 °C; concentrations per kg of brine turned by hand."""
    numbers = {
        "temp": 25.0,
        "bar": 300.0,
        "sodium": 1.0,
        "calcium": 0.1,
        "magnesium": 0.1,
        "strontium": 5.0,
        "sulfate": 20.0,
    }
    states = {"basis": basis, "magnesium": magnesium, "place": "head", DATABASE: "phreeqc.dat"}
    totals = {"Na": 1.0, "Ca": 0.1, "Sr": 5e-3, "SO4": 20e-3} | ({"Mg": 0.1} if magnesium == "with" else {})
    charges = {"Na": 1, "Ca": 2, "Mg": 2, "Sr": 2, "SO4": -2}
    totals["Cl"] = sum(charges[each] * moles for each, moles in totals.items())
    if basis == "kgs":
        gram = {"Na": 22.99, "Ca": 40.08, "Mg": 24.312, "Sr": 87.62, "SO4": 96.06, "Cl": 35.453}
        water = 1 - sum(gram[each] * moles for each, moles in totals.items()) / 1e3
        totals = {each: moles / water for each, moles in totals.items()}
    _, activity = speciate(6.5, totals)
    of = stem(saturation.STEMS, "sulfate-scale-from-oilfield-brine")
    found = await truth(of, "si-celestite", numbers, states)
    assert found == pytest.approx(activity["Sr"] + activity["SO4"] + 6.658, abs=0.01)


async def test_fluorite_in_salt_water_by_its_solubility_product() -> None:
    """Without calcite and bicarbonate, at a pH near 5.65, two fluoride dissolve with each calcium."""
    numbers = {"temp": 25.0, "warm": 50.0, "log_p": -2.0, "soda": 10.0, "magnesium": 10.0}
    states = {
        "salt": "chloride",
        "magnesium": "without",
        "calcite": "without",
        "gas": "air",
        "depth": "shallow",
    }
    of = stem(minerals.STEMS, "fluorite-in-granite-water")

    def excess(calcium: float) -> float:
        totals = {"Na": 0.01, "Cl": 0.01, "Ca": calcium, "F": 2 * calcium}
        _, activity = speciate(5.65, totals)
        return activity["Ca"] + 2 * activity["F"] + 10.6

    calcium = optimize.brentq(excess, 1e-5, 1e-3)
    assert await truth(of, "calcium", numbers, states) == pytest.approx(calcium * 1e3, rel=0.01)
    assert await truth(of, "fluoride", numbers, states) == pytest.approx(2 * calcium * 1e3, rel=0.01)


async def test_ph_by_charge_balance() -> None:
    numbers = {
        "temp": 25.0,
        "calcium": 2.0,
        "magnesium": 0.5,
        "sodium": 1.5,
        "chloride": 1.0,
        "sulfate": 0.5,
        "carbon": 300.0,
        "ph": 6.8,
        "heat": 40.0,
    }
    totals = {"Ca": 2e-3, "Mg": 5e-4, "Na": 1.5e-3, "Cl": 1e-3, "SO4": 5e-4, "CO3": 0.3 / 61.017}
    states = {"balance": "ph", "carbon": "HCO3", "warm": "no"}
    of = stem(redox.STEMS, "charge-balance-of-an-analysis")

    def charge(ph: float) -> float:
        moles, _ = speciate(ph, totals)
        return sum(m * SPECIES[s].charge for s, m in moles.items())

    moles, activity = speciate(optimize.brentq(charge, 6, 9), totals)
    found = await truth(of, "si-calcite", numbers, states)
    assert found == pytest.approx(activity["Ca"] + activity["CO3"] - CALCITE, abs=0.01)
    assert await truth(of, "carbon-dioxide", numbers, states) == pytest.approx(moles["CO2"] * 1e3, rel=0.02)
    moles, activity = speciate(6.8, totals)  # the measured pH kept
    found = await truth(of, "si-calcite", numbers, {**states, "balance": "kept"})
    assert found == pytest.approx(activity["Ca"] + activity["CO3"] - CALCITE, abs=0.01)


@pytest.mark.parametrize("dose", ["limited", "excess"])
@pytest.mark.parametrize("gas", ["closed", "open"])
async def test_alkalinity_lost_by_iron_oxidation(dose: str, gas: str) -> None:
    """4 Fe+2 + O2 + 10 H2O = 4 Fe(OH)3 + 8 H+: eight equivalents for a mole of oxygen; CO2 changes none."""
    numbers = {"temp": 12.0, "iron": 1.0, "oxygen": 0.4, "alkalinity": 250.0, "ph": 6.9}
    states = {"dose": dose, "filter": "sand", "gas": gas, "basis": "CaCO3"}
    lost = 8 * 0.1 if dose == "limited" else 2 * 1.0
    of = stem(redox.STEMS, "iron-removal-by-aeration")
    assert await truth(of, "alkalinity", numbers, states) == pytest.approx(250 / 50.043 - lost, rel=0.003)


@pytest.mark.parametrize("donor", ["organic", "pyrite"])
@pytest.mark.parametrize("oxygen", ["with", "without"])
@pytest.mark.parametrize("days", ["one", "two"])
async def test_nitrate_left_by_the_balance_of_electrons(donor: str, oxygen: str, days: str) -> None:
    """Four electrons from CH2O, fifteen from FeS2 (to ferric iron and sulfate), four to O2, five to NO3-."""
    numbers = {"nitrate": 50.0, "oxygen": 0.12, "organic": 0.3, "pyrite": 0.08, "alkalinity": 2.5, "ph": 7.2}
    states = {"basis": "NO3", "oxygen": oxygen, "donor": donor, "days": days}
    electrons = {"organic": 4 * 0.3, "pyrite": 15 * 0.08}[donor] * {"one": 1, "two": 2}[days]
    reduced = (electrons - (4 * 0.12 if oxygen == "with" else 0)) / 5
    of = stem(redox.STEMS, "nitrate-reduced-in-an-aquifer")
    assert await truth(of, "nitrate", numbers, states) == pytest.approx(50 / 62.005 - reduced, rel=0.003)
    assert await truth(of, "nitrogen", numbers, states) == pytest.approx(reduced / 2, rel=0.003)


async def test_electrode_potential_by_nernst() -> None:
    """Where iron is ferrous but for a trace, 205 mV are 205/59.16 in the index of a ferric mineral."""
    numbers = {"ph": 2.6, "limed": 3.6, "eh": 250.0, "iron": 5.0, "sulfate": 2500.0}
    states = {"against": "hydrogen", "lime": "no", "iron": "mmol", "sulfate": "SO4"}
    of = stem(redox.STEMS, "iron-in-an-acid-lake")
    first = await truth(of, "si-goethite", numbers, states)
    shifted = await truth(of, "si-goethite", numbers, {**states, "against": "silver"})
    assert shifted - first == pytest.approx(205 / 59.16, abs=0.005)
    # Fe+3 + e- = Fe+2: 13.02; goethite: -1.0; the activity of Fe+2 from mass balances without iron's redox
    totals = {"Fe": 5e-3, "SO4": 2500 / 96.06e3, "Mg": 0.02225}
    _, activity = speciate(2.6, totals)
    assert first == pytest.approx(activity["Fe"] + 250 / 59.16 - 13.02 + 3 * 2.6 + 1.0, abs=0.03)
    limed = await truth(of, "si-goethite", numbers, {**states, "lime": "yes"})
    assert limed - first == pytest.approx(3 * 1.0, abs=0.03)  # FeOOH + 3 H+


def calcite_water(log_p: float, sulfate: float = 0.0) -> float:
    """Return the calcium (mol/kg) of water with calcite and CO2 at 25 °C, after some CaSO4 has dissolved."""

    def excess(log_calcium: float) -> float:
        """Return what the saturation index is where calcium holds, for the pH at which CO2 has the given activity."""
        totals = {"Ca": 10**log_calcium, "alkalinity": 2 * (10**log_calcium - sulfate)}
        totals |= {"SO4": sulfate} if sulfate else {}
        carbon_dioxide = log_p - 1.468
        ph = optimize.brentq(lambda ph: speciate(ph, totals)[1]["CO2"] - carbon_dioxide, 5.5, 9.5)
        _, activity = speciate(ph, totals)
        return activity["Ca"] + activity["CO3"] - CALCITE

    return 10.0 ** optimize.brentq(excess, max(-3.6, math.log10(sulfate + 2e-4)), -1.8)


async def test_gypsum_drives_calcite_out_by_mass_balances() -> None:
    numbers = {"temp": 25.0, "warm": 40.0, "log_p": -2.0, "gypsum": 3.0, "salt": 200.0, "glauber": 20.0}
    states = {"salt": "fresh", "dolomite": "without", "gypsum": "some", "depth": "shallow"}
    of = stem(minerals.STEMS, "dolomite-and-gypsum-below-a-swamp")
    assert await truth(of, "calcium", numbers, states) == pytest.approx(
        calcite_water(-2.0, 3e-3) * 1e3, rel=0.015
    )
    assert await truth(of, "sulfate", numbers, states) == pytest.approx(3.0, rel=0.001)


@pytest.mark.parametrize("share", ["less", "more"])
async def test_alkalinity_is_conserved_by_mixing(share: str) -> None:
    numbers = {"temp": 25.0, "deep": -1.0, "shallow": -3.0, "cave": -2.5, "percent": 20.0}
    states = {"share": share, "rock": "Calcite", "air": "closed", "wall": "clay"}
    deep = {"less": 0.2, "more": 0.8}[share]
    expected = 2 * (deep * calcite_water(-1.0) + (1 - deep) * calcite_water(-3.0))
    of = stem(mixing.STEMS, "mixing-in-a-limestone-cave")
    assert await truth(of, "alkalinity", numbers, states) == pytest.approx(expected * 1e3, rel=0.015)
    assert await truth(of, "alkalinity", numbers, {**states, "air": "open"}) == pytest.approx(
        expected * 1e3, rel=0.015
    )
    assert await truth(of, "calcium", numbers, states) == pytest.approx(expected / 2 * 1e3, rel=0.015)


@pytest.mark.parametrize("scale", ["barite", "none"])
@pytest.mark.parametrize("sulfate", ["on", "off"])
async def test_sulfate_left_by_barite(scale: str, sulfate: str) -> None:
    """Sulfate is in excess; barite takes the barium, but for 0.05 mmol, and as much sulfate."""
    numbers = {
        "cold": 25.0,
        "hot": 80.0,
        "percent": 30.0,
        "sodium": 1000.0,
        "calcium": 100.0,
        "strontium": 5.0,
        "barium": 1.5,
        "filtered": 10.0,
    }
    of = stem(mixing.STEMS, "seawater-injected-into-an-oil-field")
    for share, sea in (("less", 0.3), ("more", 0.7)):
        for place in ("well", "reservoir"):
            states = {"share": share, "filter": sulfate, "scale": scale, "place": place}
            expected = sea * {"on": 10.0, "off": 28.2}[sulfate]
            if scale == "barite":
                expected -= (1 - sea) * 1.5
            assert await truth(of, "sulfate", numbers, states) == pytest.approx(expected, abs=0.05)
            if scale == "none":
                assert await truth(of, "barium", numbers, states) == pytest.approx(
                    (1 - sea) * 1.5e3, rel=1e-3
                )
