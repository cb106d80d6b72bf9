"""Truths of kinetics, gas phases, brines, isotopes and CO2 storage, found again without PHREEQC.

Either in closed form, or from published measurements, or by scipy and a carbonate system of this file (log K at 25 °C
typed here, Davies' activity coefficients). Each test would fail if another switch were missed: the tolerance is stated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from labrig_phreeqc.engine.engine import Engine
from labrig_suites.phreeqc_mcq.scenario import FIELD, Numbers, Scene, States, Stem
from labrig_suites.phreeqc_mcq.stems import brines, gas, isotopes, kinetics, storage
from labrig_suites.phreeqc_mcq.values import value
from support.late import late

integrate = late("scipy.integrate")
optimize = late("scipy.optimize")

pytestmark = pytest.mark.accept

GAS_CONSTANT = 0.082057  # L atm/(mol K)
KELVIN = 298.15
# log K at 25 °C: Plummer and Busenberg (1982); that of water: 14.0
PK_1, PK_2, PK_CALCITE, PK_WATER, LOG_HENRY = 6.352, 10.329, 8.48, 14.0, -1.468
K_CACO3 = 10**3.224
VAPOUR = 0.0313  # atm of water at 25 °C (CRC Handbook)


@pytest.fixture(autouse=True)
def _installed(databases: Path) -> None:
    """Skip where no database is installed."""


async def truth(stem: Stem, quantity: str, numbers: Numbers, states: States) -> float:
    """Return the value of a fixed scene, in the unit of its options."""
    assert {switch.name for switch in stem.switches} == set(states)
    assert all(states[switch.name] in switch.states for switch in stem.switches)
    async with Engine() as engine:
        found = await value(engine, Scene(stem, numbers, {**states, FIELD: quantity}))
    assert found.value is not None, found.why
    return found.value


def davies(charge: int, strength: float) -> float:
    """Return an activity coefficient (Davies 1962, 0.3; A of 25 °C)."""
    root_of = math.sqrt(strength)
    return float(10 ** (-0.5092 * charge**2 * (root_of / (1 + root_of) - 0.3 * strength)))


@dataclass(frozen=True)
class Carbonate:
    """Carbonate species of a water, mol/kg; `calcium` is free."""

    ph: float
    dioxide: float
    bicarbonate: float
    carbonate: float
    calcium: float
    strength: float

    @property
    def carbon(self) -> float:
        """Total inorganic carbon."""
        return self.dioxide + self.bicarbonate + self.carbonate + self.pair

    @property
    def pair(self) -> float:
        """The pair CaCO3."""
        return K_CACO3 * self.calcium * self.carbonate * davies(2, self.strength) ** 2

    @property
    def saturation(self) -> float:
        """Saturation index of calcite."""
        return math.log10(self.calcium * self.carbonate * davies(2, self.strength) ** 2) + PK_CALCITE


def carbonate(
    *,
    strong: float,
    calcium: float,
    carbon: float | None = None,
    dioxide: float | None = None,
    spread: float = 0,
    salt: float = 0,
) -> Carbonate:
    """Return the speciation for a charge of other ions (`strong`) and total calcium.

    Either total carbon or the molality of CO2 is given. `spread` is carbon in a gas for each unit of dissolved CO2.
    """

    def at(ph: float) -> Carbonate:
        strength = 1e-4
        free = calcium
        for _ in range(60):
            one, two = davies(1, strength), davies(2, strength)
            h = 10**-ph
            first = 10**-PK_1 / h / one
            second = 10 ** (-PK_1 - PK_2) / h**2 / two
            pairing = 1 + K_CACO3 * free * two**2
            co2 = dioxide if dioxide is not None else (carbon or 0) / (1 + spread + first + second * pairing)
            co3 = co2 * second
            free = calcium / (1 + K_CACO3 * co3 * two**2)
            strength = 0.5 * (
                h / one + 10 ** (ph - PK_WATER) / one + co2 * first + 4 * co3 + 4 * free + abs(strong)
            )
            strength = min(strength + salt, 1.0)  # Davies is for less; far from the root it may be anything
        return Carbonate(ph, co2, co2 * first, co3, free, strength)

    def charge(ph: float) -> float:
        found = at(ph)
        one = davies(1, found.strength)
        water = 10**-ph / one - 10 ** (ph - PK_WATER) / one
        return water + strong + 2 * found.calcium - found.bicarbonate - 2 * found.carbonate

    return at(optimize.brentq(charge, 1, 12, xtol=1e-10))


async def test_limestone_is_plummer_wigley_and_parkhurst_integrated_by_scipy() -> None:
    """Plummer, Wigley and Parkhurst (1978) for a closed water at 25 °C; 2 %: activity coefficients, CaHCO3+."""
    numbers = {"temp": 8, "log_p": -1.6, "acid": 0.2, "stone": 10, "surface": 60, "hours": 3}
    states = {"system": "closed", "unit": "gram", "temp": "warm", "acid": "acid", "step": "fourth"}
    start = carbonate(strong=-2e-4, calcium=0, dioxide=10 ** (-1.6 + LOG_HENRY))
    k_1, k_2, k_3 = 10 ** (0.198 - 444 / KELVIN), 10 ** (2.84 - 2177 / KELVIN), 10 ** (-5.86 - 317 / KELVIN)

    def pace(_: float, dissolved: list[float]) -> list[float]:
        x = max(dissolved[0], 1e-12)
        water = carbonate(strong=-2e-4, calcium=x, carbon=start.carbon + x)
        area = 60 * 100.0869 * 0.01 * ((0.01 - x) / 0.01) ** 0.67
        forward = k_1 * 10**-water.ph + k_2 * water.dioxide + k_3
        return [area * forward * (1 - 10 ** (2 / 3 * water.saturation)) * 1e-3]

    for hours, step in ((12, "fourth"), (6, "second")):
        calcium = integrate.solve_ivp(
            pace, (0, hours * 3600), [0.0], method="LSODA", rtol=1e-7, atol=1e-10
        ).y[0, -1]
        found = await truth(kinetics.LIMESTONE, "calcium", numbers, {**states, "step": step})
        assert found == pytest.approx(calcium * 1e3, rel=0.02)


@pytest.mark.parametrize("calcite", ["not", "forms"])
async def test_urea_is_used_up_as_its_laws_say(calcite: str) -> None:
    """Two NH3 for each urea, and each of them a unit of alkalinity if no calcite forms: 0.1 %."""
    numbers = {"temp": 20, "urea": 20, "calcium": 60, "time": 30, "hours": 5}
    left = {
        ("first", "half-life"): 0.5 ** (20 / 30),
        ("first", "whole"): math.exp(-20 / 30),
        ("zero", "half-life"): 1 - 20 / 60,
        ("zero", "whole"): 1 - 20 / 30,
    }
    for (law, time), share in left.items():
        states = {"law": law, "time": time, "calcite": calcite, "air": "closed", "step": "end"}
        used = 20 * (1 - share)
        assert await truth(kinetics.UREA, "total-ammonium", numbers, states) == pytest.approx(
            2 * used, rel=1e-3
        )
        if calcite == "not":
            assert await truth(kinetics.UREA, "alkalinity", numbers, states) == pytest.approx(
                2 * used, rel=1e-3
            )


def _acid_iron(oxidised: float) -> float:
    """Return the activity of H+ of a water with ferric sulfate of oxidised pyrite, nothing precipitated.

    Hydrolysis and sulfate complexes with the log K of Nordstrom and others (1990); Davies.
    """
    ions = (  # Fe, SO4, H taken up, charge, log K
        (1, 0, 0, 3, 0.0),
        (1, 0, -1, 2, -2.19),
        (1, 0, -2, 1, -5.67),
        (1, 0, -3, 0, -12.56),
        (2, 0, -2, 4, -2.95),
        (3, 0, -4, 5, -6.3),
        (1, 1, 0, 1, 4.04),
        (1, 2, 0, -1, 5.38),
        (1, 1, 1, 2, 1.988 + 2.48),
        (0, 1, 0, -2, 0.0),
        (0, 1, 1, -1, 1.988),
        (0, 0, 1, 1, 0.0),
    )

    def balances(logs: list[float], strength: float) -> tuple[list[float], float]:
        iron, sulfate, hydrogen = (max(-15.0, min(each, 0.0)) for each in logs)
        found = [
            10 ** (log_k + fe * iron + so4 * sulfate + h * hydrogen) / davies(charge, strength)
            for fe, so4, h, charge, log_k in ions
        ]
        total_fe = sum(each[0] * m for each, m in zip(ions, found, strict=True))
        total_so4 = sum(each[1] * m for each, m in zip(ions, found, strict=True))
        charges = sum(each[3] * m for each, m in zip(ions, found, strict=True))
        next_strength = 0.5 * sum(each[3] ** 2 * m for each, m in zip(ions, found, strict=True))
        return [total_fe / oxidised - 1, total_so4 / (2 * oxidised) - 1, charges / oxidised], next_strength

    logs, strength = [math.log10(oxidised) - 1, math.log10(oxidised), math.log10(oxidised)], oxidised * 4
    for _ in range(30):
        logs = list(optimize.root(lambda x, s=strength: balances(list(x), s)[0], logs, tol=1e-12).x)
        strength = balances(logs, strength)[1]
    return float(10 ** logs[2])


async def test_pyrite_is_williamson_and_rimstidt_integrated_by_scipy() -> None:
    """Williamson and Rimstidt (1994), oxygen by Henry's law (1.265 mmol/kg/atm at 25 °C); 2 %."""
    numbers = {"temp": 25, "pyrite": 60, "surface": 0.5, "log_p": -2.0, "days": 200}
    states = {"area": "log", "oxygen": "air", "calcite": "absent", "iron": "not", "step": "end"}
    oxygen = 10**-0.678 * 1.265e-3

    def pace(_: float, oxidised: list[float]) -> list[float]:
        x = max(oxidised[0], 1e-7)
        area = 10**0.5 * 0.06 * ((0.06 - x) / 0.06) ** 0.67
        return [area * 10**-8.19 * oxygen**0.5 * _acid_iron(x) ** -0.11]

    for step, days in (("end", 800), ("half", 400)):
        oxidised = integrate.solve_ivp(pace, (0, days * 86400), [1e-7], method="LSODA", rtol=1e-5).y[0, -1]
        found = await truth(kinetics.PYRITE, "sulfate", numbers, {**states, "step": step})
        assert found == pytest.approx(2e3 * oxidised, rel=0.02)
        found = await truth(kinetics.PYRITE, "iron", numbers, {**states, "step": step})
        assert found == pytest.approx(1e3 * oxidised, rel=0.02)


async def test_gas_of_a_well_is_henrys_law() -> None:
    """Henry's constants at 25 °C (Sander 2015: CH4 1.4, N2 0.64 mmol/kg/atm), ideal gas; 3 %, volume 4 %."""
    numbers = {
        "temp": 60,
        "cool": 25,
        "sodium": 20,
        "calcium": 3,
        "acid": 50,
        "methane": 30,
        "pressure": 2,
    }
    states = {"pressure": "open", "temp": "cool", "calcite": "not", "vapour": "wet", "unit": "mg"}
    amounts = {"co2": 0.05, "ch4": 0.030 / 16.043, "n2": 1e-3}
    henry = {"co2": 10**LOG_HENRY, "ch4": 1.4e-3, "n2": 0.64e-3}

    def pressures(volume: float) -> dict[str, float]:
        return {each: amounts[each] / (henry[each] + volume / (GAS_CONSTANT * KELVIN)) for each in amounts}

    volume = optimize.brentq(lambda v: sum(pressures(v).values()) + VAPOUR - 1, 1e-4, 10)
    assert await truth(gas.WELL, "gas-volume", numbers, states) == pytest.approx(volume * 1e3, rel=0.04)
    for name, each in (("pressure-co2", "co2"), ("pressure-methane", "ch4")):
        assert await truth(gas.WELL, name, numbers, states) == pytest.approx(
            pressures(volume)[each], rel=0.03
        )
    # pH: bicarbonate is 20 mmol/kg, CO2 by Henry's law, I = 0.029
    bicarbonate = 0.020 * davies(1, 0.029)
    ph = PK_1 + math.log10(bicarbonate / (pressures(volume)["co2"] * henry["co2"]))
    assert await truth(gas.WELL, "ph", numbers, states) == pytest.approx(ph, abs=0.02)


@pytest.mark.parametrize("mineral", ["calcite", "dolomite"])
async def test_gas_of_a_calcimeter_is_henrys_law_and_the_gas_law(mineral: str) -> None:
    """All carbon is CO2, in gas (ideal) and acid (Henry, salting out of 10^(0.066 I): Rumpf and others 1994); 1.5 %."""
    numbers = {"temp": 15, "sample": 1.6, "share": 70, "water": 100, "volume": 400, "acid": 100}
    states = {"share": "part", "temp": "room", "volume": "flask", "filled": "full", "mineral": mineral}
    mass, carbons = {"calcite": (100.09, 1), "dolomite": (184.40, 2)}[mineral]
    metal = 1.6 * 0.7 / mass
    # Cl 1 mol/kg; each carbonate takes two H+ and gives a double charge: I rises by it
    strength = 1.0 + carbons * metal / 0.1
    henry = 10**LOG_HENRY * 10 ** (-0.066 * strength)
    pressure = carbons * metal / (0.3 / (GAS_CONSTANT * KELVIN) + henry * 0.1)
    expected = {
        "pressure-co2": pressure,
        "pressure": pressure + 1 + VAPOUR,
        "co2-gas": pressure * 0.3 / (GAS_CONSTANT * KELVIN) * 1e3,
        "co2-water": pressure * henry * 0.1 * 1e3,
    }
    for name, each in expected.items():
        assert await truth(gas.FLASK, name, numbers, states) == pytest.approx(each, rel=0.015), name


async def test_salts_of_a_pan_are_conserved() -> None:
    """What does not precipitate is concentrated and mixed as its amounts say: 0.1 %."""
    numbers = {"temp": 40, "salinity": 110, "kilograms": 8, "tide": 0.5}
    sulfate, calcium = 31.0, 11.3  # mmol/kg, as the statement says
    for left, kilograms in (("one", 1), ("two", 2)):
        states = {"temp": "room", "left": left, "forms": "nothing", "tide": "not"}
        for name, each in (("sulfate", sulfate), ("calcium", calcium)):
            alone = each * 8 / kilograms
            assert await truth(brines.PAN, name, numbers, states) == pytest.approx(alone, rel=1e-3)
            mixed = (alone + 0.5 * each) / 1.5
            found = await truth(brines.PAN, name, numbers, {**states, "tide": "mixed"})
            assert found == pytest.approx(mixed, rel=1e-3)


def _pitzer(sodium: float, potassium: float) -> dict[str, float]:
    """Return ln of the activity coefficients in Na-K-Cl brine at 25 °C (Harvie, Møller and Weare 1984)."""
    a_phi, theta, psi = 0.3915, -0.012, -0.0018
    pairs = {"Na": (0.0765, 0.2664, 0.00127), "K": (0.04835, 0.2122, -0.00084)}
    cations = {"Na": sodium, "K": potassium}
    chloride = sodium + potassium  # the ionic strength too
    z = 2 * chloride
    s = math.sqrt(chloride)
    x = 2 * s
    g = 2 * (1 - (1 + x) * math.exp(-x)) / x**2
    slope = -2 * (1 - (1 + x + x**2 / 2) * math.exp(-x)) / x**2
    second = {ion: first + next_ * g for ion, (first, next_, _) in pairs.items()}
    third = {ion: c / 2 for ion, (_, _, c) in pairs.items()}
    f = -a_phi * (s / (1 + 1.2 * s) + 2 / 1.2 * math.log(1 + 1.2 * s))
    f += sum(m * chloride * pairs[ion][1] * slope / chloride for ion, m in cations.items())
    threes = sum(m * chloride * third[ion] for ion, m in cations.items())
    found = {
        "Cl": f
        + threes
        + sodium * potassium * psi
        + sum(m * (2 * second[ion] + z * third[ion]) for ion, m in cations.items())
    }
    for ion, other in (("Na", "K"), ("K", "Na")):
        mixed = cations[other] * (2 * theta + chloride * psi)
        found[ion] = f + threes + mixed + chloride * (2 * second[ion] + z * third[ion])
    return found


async def test_cooled_potash_brine_is_saturated_with_halite_and_sylvite() -> None:
    """Pitzer's equations of this file, parameters of 1984 (pitzer.dat has later ones): 2.5 %."""
    numbers = {"hot": 80, "cold": 10, "halite": 2, "magnesium": 1, "boiled": 20}
    states = {"liquor": "fresh", "ore": "excess", "boiled": "boiled", "cold": "room"}

    def saturation(brine: list[float]) -> list[float]:
        sodium, potassium = brine
        ln = _pitzer(sodium, potassium)
        chloride = math.log10(sodium + potassium) + ln["Cl"] / math.log(10)
        return [
            math.log10(sodium) + ln["Na"] / math.log(10) + chloride - 1.570,
            math.log10(potassium) + ln["K"] / math.log(10) + chloride - 0.8995,
        ]

    sodium, potassium = optimize.root(saturation, [5.0, 2.0]).x
    assert await truth(brines.POTASH, "sodium", numbers, states) == pytest.approx(sodium, rel=0.025)
    assert await truth(brines.POTASH, "potassium", numbers, states) == pytest.approx(potassium, rel=0.025)


async def test_radiocarbon_is_diluted_decays_and_mixes() -> None:
    """Dead carbon by calcite equilibrium of this file, half-life 5730 a, mixing by carbon: 1.5 %; exact in sand."""
    numbers = {
        "temp": 25,
        "dioxide": 2,
        "sodium": 1,
        "modern": 90,
        "acid": 0.5,
        "years": 3000,
        "share": 25,
        "old": 6,
    }
    decayed = 90 * 0.5 ** (3000 / 5730)
    states = {"rock": "sand", "acid": "none", "age": "old", "mix": "mixed"}
    found = await truth(isotopes.RADIO, "radiocarbon", numbers, states)
    assert found == pytest.approx(decayed * 0.75 * 3 / (0.75 * 3 + 0.25 * 6), rel=1e-3)

    def saturation(x: float) -> float:
        return carbonate(strong=1e-3, calcium=x, carbon=3e-3 + x).saturation

    dissolved = optimize.brentq(saturation, 1e-6, 5e-3) * 1e3
    states = {"rock": "calcite", "acid": "none", "age": "old", "mix": "alone"}
    assert await truth(isotopes.RADIO, "carbon", numbers, states) == pytest.approx(3 + dissolved, rel=0.015)
    found = await truth(isotopes.RADIO, "radiocarbon", numbers, states)
    assert found == pytest.approx(decayed * 3 / (3 + dissolved), rel=0.015)


@pytest.mark.parametrize("acid", ["acid", "none"])
async def test_carbon_13_of_a_headspace_is_a_mass_balance(acid: str) -> None:
    """Fractionation of Deines and others (1974) at 25 °C, Henry's law, alkalinity: 0.15 permil, pH 0.03."""
    numbers = {"temp": 6, "ph": 6.8, "carbon": 120, "delta": -16, "acid": 0.6, "volume": 3}
    states = {"temp": "room", "unit": "HCO3", "acid": acid, "round": "first"}
    total = 0.120 / 61.017
    # alkalinity by the measured pH: HCO3- of K1, I about 1.5 mmol/kg
    first = 10 ** (6.8 - PK_1) / davies(1, 0.0015)
    alkalinity = total * first / (1 + first)
    strong = alkalinity - (6e-4 if acid == "acid" else 0)
    spread = 3 / (GAS_CONSTANT * KELVIN) / 10**LOG_HENRY
    water = carbonate(strong=strong, calcium=0, carbon=total, spread=spread)
    assert await truth(isotopes.HEADSPACE, "ph", numbers, states) == pytest.approx(water.ph, abs=0.03)

    def deines(constant: float, slope: float) -> float:
        return constant + slope * 1e6 / KELVIN**2

    over_gas = {
        "bicarbonate": deines(-4.54, 1.099),
        "dioxide": deines(-0.91, 0.0063),
        "carbonate": deines(-3.4, 0.87),
    }
    dissolved = {each: getattr(water, each) for each in over_gas}
    in_gas = water.dioxide * spread
    shift = sum(over_gas[each] * dissolved[each] for each in over_gas)
    delta_gas = -16 - shift / (sum(dissolved.values()) + in_gas)
    expected = {
        "delta-gas": delta_gas,
        "delta-bicarbonate": delta_gas + over_gas["bicarbonate"],
        "delta-carbon": delta_gas + shift / sum(dissolved.values()),
    }
    for name, each in expected.items():
        assert await truth(isotopes.HEADSPACE, name, numbers, states) == pytest.approx(each, abs=0.15), name


async def test_carbon_dioxide_dissolves_as_wiebe_and_gaddy_measured() -> None:
    """Wiebe and Gaddy (1939): 9.71, 17.246, 25.628 and 27.643 cm3 (STP) per g of water at 50 °C; 4 %."""
    states = {"unit": "atm", "salt": "fresh", "mineral": "none", "sample": "underground"}
    for pressure, volume in ((25, 9.71), (50, 17.246), (100, 25.628), (150, 27.643)):
        numbers = {"temp": 50, "pressure": pressure, "salt": 1}
        measured = volume / 22.263  # L/mol of CO2 at 0 °C and 1 atm
        assert await truth(storage.PLUME, "carbon", numbers, states) == pytest.approx(measured, rel=0.04), (
            pressure
        )
    numbers = {"temp": 50, "pressure": 100 * 0.101325, "salt": 1}
    found = await truth(storage.PLUME, "carbon", numbers, {**states, "unit": "MPa"})
    assert found == pytest.approx(25.628 / 22.263, rel=0.04)
    # at 1 atm: Henry's constant of Carroll, Slupsky and Mather (1991), in MPa for mole fractions
    kelvin = 323.15
    henry = math.exp(-6.8346 + 1.2817e4 / kelvin - 3.7668e6 / kelvin**2 + 2.997e8 / kelvin**3)
    found = await truth(storage.PLUME, "carbon", numbers, {**states, "sample": "up"})
    assert found == pytest.approx(0.101325 / henry * 55.51, rel=0.04)
