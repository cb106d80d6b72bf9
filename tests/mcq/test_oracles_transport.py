"""Truths of transport, inverse models, titration and scaling, found again without PHREEQC.

By closed forms of advection, dispersion, diffusion, retardation and decay; by linear algebra; by published
solubilities; and by scipy with log K and activity coefficients typed here. Tolerances are far below what missing a
switch would do.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from labrig_harness.suites.phreeqc_mcq.scenario import FIELD, Numbers, Scene, States, Stem
from labrig_harness.suites.phreeqc_mcq.stems import hydrothermal, inverse, large, transport
from labrig_harness.suites.phreeqc_mcq.values import value
from labrig_phreeqc.engine import Engine

pytestmark = pytest.mark.accept


@pytest.fixture(autouse=True)
def _installed(databases: Path) -> None:
    """Skip where no database is installed."""


def stem(stems: tuple[Stem, ...], name: str) -> Stem:
    return next(each for each in stems if each.name == name)


async def truth(which: Stem, quantity: str, numbers: Numbers, states: States) -> float:
    async with Engine() as engine:
        found = await value(engine, Scene(which, numbers, {**states, FIELD: quantity}))
    assert found.value is not None, found.why
    return found.value


def step_in(x: float, t: float, velocity: float, dispersion: float) -> float:
    """Return c/c0 after a step at a flux (third-type) inlet of a semi-infinite column.

    Lindstrom et al. (1967); equation A2 of van Genuchten and Alves (1982), USDA Technical Bulletin 1661.
    """
    if t <= 0:
        return 0.0
    spread = 2 * math.sqrt(dispersion * t)
    return (
        0.5 * math.erfc((x - velocity * t) / spread)
        + math.sqrt(velocity**2 * t / (math.pi * dispersion))
        * math.exp(-(((x - velocity * t) / spread) ** 2))
        - 0.5
        * (1 + velocity * x / dispersion + velocity**2 * t / dispersion)
        * math.exp(velocity * x / dispersion)
        * math.erfc((x + velocity * t) / spread)
    )


TRACER = stem(transport.STEMS, "tracer-in-a-column")


@pytest.mark.parametrize("feed", ["pulse", "steady"])
@pytest.mark.parametrize(("place", "cell"), [("fifth", 5), ("tenth", 10)])
@pytest.mark.parametrize(("dispersivity", "cells"), [("small", 0.5), ("large", 2.0)])
async def test_tracer_is_advected_and_dispersed(
    feed: str, place: str, cell: int, dispersivity: str, cells: float
) -> None:
    numbers = {"cell_cm": 4, "step_min": 30, "old": 10, "new": 20}
    states = {"feed": feed, "place": place, "dispersivity": dispersivity, "time": "early"}
    # in cells and shifts: a velocity of 1; the shift of the read is the 11th, that of the change back the 7th
    share = step_in(cell - 0.5, 11, 1, cells)
    if feed == "pulse":
        share -= step_in(cell - 0.5, 11 - 7, 1, cells)
    assert await truth(TRACER, "bromide", numbers, states) == pytest.approx(40 * share, rel=0.03)
    assert await truth(TRACER, "chloride", numbers, states) == pytest.approx(
        10 * (1 - share), rel=0.03, abs=0.05
    )


SOLVENT = stem(transport.STEMS, "solvent-in-an-aquifer")


@pytest.mark.parametrize(("sorption", "retardation"), [("retardation", 1.5), ("ratio", 2.5)])
@pytest.mark.parametrize("where", ["dissolved", "everywhere"])
@pytest.mark.parametrize(("decay", "factor"), [("half-life", math.log(2)), ("mean life", 1.0)])
async def test_solvent_is_retarded_and_decays(
    sorption: str, retardation: float, where: str, decay: str, factor: float
) -> None:
    numbers = {"cell": 2, "days": 20, "life": 10, "amount": 100, "sorption": 1.5}
    states = {"sorption": sorption, "where": where, "decay": decay, "place": "sixth", "time": "early"}
    # in cells and shifts: R dc/dt = D c'' - v c' - k c, or - R k c where the grains decay too
    left = 1 - step_in(5.5, 7, 1 / retardation, 2 / retardation)
    rate = factor / 10 / (retardation if where == "dissolved" else 1)
    expected = 100 * left * math.exp(-rate * 7)
    assert await truth(SOLVENT, "solv", numbers, states) == pytest.approx(expected, rel=0.04)


CLAY = stem(transport.STEMS, "brine-diffuses-into-clay")


@pytest.mark.parametrize("far", ["closed", "constant"])
@pytest.mark.parametrize(("place", "cell"), [("fourth", 4), ("eighth", 8)])
@pytest.mark.parametrize(("tortuosity", "slower"), [("none", 1), ("factor 2", 2)])
async def test_brine_diffuses_by_ficks_law(
    far: str, place: str, cell: int, tortuosity: str, slower: int
) -> None:
    numbers = {"cell_cm": 5, "diffusion": 5e-10, "number": 0.4, "brine": 200, "fresh": 3, "capacity": 200}
    states = {"far": far, "exchanger": "absent", "tortuosity": tortuosity, "place": place, "time": "late"}
    # Fourier series, Crank (1975), The Mathematics of Diffusion, sections 2.4.1 and 4.3
    years = 16 * transport._clay_years(numbers)  # as told, rounded
    fourier = 5e-10 / slower * years * 365.25 * 86400 / 0.5**2
    x = (cell - 0.5) / 10
    if far == "closed":
        modes = [(2 * i + 1) * math.pi / 2 for i in range(60)]
        share = 1 - sum(2 / mode * math.sin(mode * x) * math.exp(-(mode**2) * fourier) for mode in modes)
    else:
        modes = [i * math.pi for i in range(1, 60)]
        share = 1 - x - sum(2 / mode * math.sin(mode * x) * math.exp(-(mode**2) * fourier) for mode in modes)
    expected = 6 + (200 - 6) * share
    assert await truth(CLAY, "chloride", numbers, states) == pytest.approx(expected, rel=0.02)


CARTRIDGES = stem(transport.STEMS, "softener-cartridges")
# log K of exchange with Na, and the ion size and b of the Debye-Hückel equation of Truesdell and Jones (1974)
HALF = {"Na": (0.0, 4.08, 0.082), "K": (0.7, 3.5, 0.015), "Ca": (0.8, 5.0, 0.165), "Mg": (0.6, 5.5, 0.20)}
CHARGE = {"Na": 1, "K": 1, "Ca": 2, "Mg": 2}


def exchanged(totals: dict[str, float], capacity: float) -> dict[str, float]:
    """Return what is dissolved of totals on a Gaines-Thomas exchanger and in 1 kg of water without ion pairs."""
    strength, dissolved = 0.005, dict(totals)
    for _ in range(60):
        root_mu = math.sqrt(strength)
        gammas = {
            ion: 10 ** (-0.5092 * CHARGE[ion] ** 2 * root_mu / (1 + 0.3285 * size * root_mu) + b * strength)
            for ion, (_, size, b) in HALF.items()
        }

        def fixed(log_free: float, gammas: dict[str, float] = gammas) -> dict[str, float]:
            # beta = K (a)(X-)^z with equivalent fractions, beta = z * mol / capacity; each mass balance is linear
            free, held = 10**log_free, {}
            for ion, total in totals.items():
                z = CHARGE[ion]
                ratio = 10 ** HALF[ion][0] * gammas[ion] * free**z * capacity / z
                held[ion] = total * ratio / (1 + ratio)
            return held

        root = brentq(
            lambda guess: sum(CHARGE[ion] * held for ion, held in fixed(guess).items()) - capacity, -12, 8
        )
        dissolved = {ion: totals[ion] - held for ion, held in fixed(root).items()}
        chloride = sum(CHARGE[ion] * amount for ion, amount in dissolved.items())
        strength = 0.5 * (sum(CHARGE[ion] ** 2 * amount for ion, amount in dissolved.items()) + chloride)
    return dissolved


@pytest.mark.parametrize("form", ["Na", "K"])
@pytest.mark.parametrize("hardness", ["calcium", "magnesium"])
@pytest.mark.parametrize(("place", "cell"), [("second", 2), ("third", 3)])
async def test_cartridges_by_gaines_and_thomas(form: str, hardness: str, place: str, cell: int) -> None:
    numbers = {"calcium": 3.0, "magnesium": 1.2, "capacity": 5.0, "sodium": 2.0}
    states = {"form": form, "hardness": hardness, "place": place, "batch": "fifth"}
    capacity = 0.005
    feed = {"Ca": 3.0e-3, "Mg": 1.2e-3} if hardness == "calcium" else {"Ca": 1.2e-3, "Mg": 3.0e-3}
    waters = [{form: 0.002}] * 4
    resins = [{form: capacity}] * 4
    for _ in range(5):
        waters = [feed, *waters[:3]]
        for i in range(4):
            ions = {*waters[i], *resins[i]}
            totals = {ion: waters[i].get(ion, 0.0) + resins[i].get(ion, 0.0) for ion in ions}
            waters[i] = exchanged(totals, capacity)
            resins[i] = {ion: totals[ion] - waters[i][ion] for ion in ions}
    found = [await truth(CARTRIDGES, name, numbers, states) for name in ("calcium", "magnesium")]
    expected = [waters[cell - 1][ion] * 1e3 for ion in ("Ca", "Mg")]
    assert found == pytest.approx(expected, rel=0.03)


# moles of Cl, S, Na, Mg and Ca that a mole of what is transferred gives to the water
GIVES = {
    "Halite": (1, 0, 1, 0, 0),
    "Gypsum": (0, 1, 0, 0, 1),
    "Epsomite": (0, 1, 0, 1, 0),
    "Dolomite": (0, 0, 0, 1, 1),
    "Magnesite": (0, 0, 0, 1, 0),
    "Calcite": (0, 0, 0, 0, 1),
    "CaX2": (0, 0, 2, 0, -1),
    "MgX2": (0, 0, 2, -1, 0),
}
ELEMENTS = ("Cl", "S(6)", "Na", "Mg", "Ca")
FLOW = stem(inverse.STEMS, "inverse-along-a-flow-line")
WELL = stem(inverse.STEMS, "inverse-for-a-well-by-a-river")
A = {"ApH": 7.2, "ACa": 1.6, "AMg": 0.6, "ANa": 0.8, "ACl": 0.3, "AS(6)": 0.5}
B = {"BpH": 7.1, "BCa": 2.6, "BMg": 1.5, "BNa": 6.5, "BCl": 4.0, "BS(6)": 1.8}
C = {"CpH": 7.4, "CCa": 3.1, "CMg": 1.9, "CNa": 3.3, "CCl": 1.78, "CS(6)": 1.0}


@pytest.mark.parametrize("chloride", ["Halite", "evaporation"])
@pytest.mark.parametrize("sulfate", ["Gypsum", "Epsomite"])
@pytest.mark.parametrize("carbonate", ["Dolomite", "Magnesite"])
@pytest.mark.parametrize("exchange", ["CaX2", "MgX2"])
async def test_flow_line_by_linear_algebra(
    chloride: str, sulfate: str, carbonate: str, exchange: str
) -> None:
    numbers = {**A, **B, "BCl": 0.54, "BNa": 3.5}
    first, second = ([numbers[water + each] for each in ELEMENTS] for water in "AB")
    start = [0, 0, 0, 0, 0] if chloride == "evaporation" else first
    gains = np.array(second) - np.array(start)
    unknown = first if chloride == "evaporation" else GIVES["Halite"]
    columns = [unknown, *(GIVES[each] for each in (sulfate, carbonate, exchange, "Calcite"))]
    solved = np.linalg.solve(np.array(columns, dtype=float).T, gains)
    states = {"chloride": chloride, "sulfate": sulfate, "carbonate": carbonate, "exchange": exchange}
    assert await truth(FLOW, "calcite", numbers, states) == pytest.approx(solved[4], rel=1e-4, abs=1e-6)
    assert await truth(FLOW, "exchanged-sodium", numbers, states) == pytest.approx(2 * solved[3], rel=1e-4)


@pytest.mark.parametrize("conserved", ["chloride", "sulfate"])
@pytest.mark.parametrize("carbonate", ["Dolomite", "Magnesite"])
@pytest.mark.parametrize("exchange", ["CaX2", "MgX2"])
async def test_well_by_linear_algebra(conserved: str, carbonate: str, exchange: str) -> None:
    numbers = {**A, **B, **C}
    river, deep, well = (np.array([numbers[water + each] for each in ELEMENTS]) for water in "ABC")
    salt = "Gypsum" if conserved == "chloride" else "Halite"
    columns = [river - deep, *(GIVES[each] for each in (salt, carbonate, exchange, "Calcite"))]
    solved = np.linalg.solve(np.array(columns, dtype=float).T, well - deep)
    states = {"conserved": conserved, "carbonate": carbonate, "exchange": exchange}
    assert await truth(WELL, "calcite", numbers, states) == pytest.approx(solved[4], rel=1e-4, abs=1e-6)
    assert await truth(WELL, "exchanged-sodium", numbers, states) == pytest.approx(2 * solved[3], rel=1e-4)


TITRATION = stem(large.STEMS, "titration-of-hard-water")


@pytest.mark.parametrize(("alkalinity", "weight"), [("CaCO3", 50.04), ("HCO3", 61.017)])
@pytest.mark.parametrize(("step", "number"), [("40th", 40), ("70th", 70)])
@pytest.mark.parametrize("gas", ["open", "closed"])
async def test_titration_by_davies(alkalinity: str, weight: float, step: str, number: int, gas: str) -> None:
    numbers = {"alkalinity": 250, "step": 0.025, "calcium": 60, "sodium": 120, "ph": 7.6, "temp": 25}
    states = {"acid": "HCl", "alkalinity": alkalinity, "gas": gas, "step": step}
    # log K at 25 °C of Plummer and Busenberg (1982); Davies' equation; ion pairs of calcium left out
    meq = 250 / weight / 1000
    ions = 60e-3 / 40.08, 120e-3 / 22.99
    strength = 0.5 * (4 * ions[0] + ions[1] + 2 * ions[0] + ions[1])
    log_gamma = -0.5092 * (math.sqrt(strength) / (1 + math.sqrt(strength)) - 0.3 * strength)
    gamma, gamma_2 = 10**log_gamma, 10 ** (4 * log_gamma)

    def parts(ph: float) -> tuple[float, float, float, float]:
        """Return HCO3-, CO3-2 and CO2 for one mole of CO2, and OH- - H+."""
        activity = 10**-ph
        first = 10**-6.352 / activity / gamma
        second = 10 ** (-6.352 - 10.329) / activity**2 / gamma_2
        return first, second, 1.0, 1e-14 / activity / gamma - activity / gamma

    first, second, _, rest = parts(7.6)
    gas_free = (meq - rest) / (first + 2 * second)
    carbon = gas_free * (1 + first + second)
    acid = number * 0.025e-3

    def left(ph: float) -> float:
        one, two, _, water = parts(ph)
        dioxide = 10 ** (-3.4 - 1.468) if gas == "open" else carbon / (1 + one + two)
        return dioxide * (one + 2 * two) + water - (meq - acid)

    expected = brentq(left, 3, 11)
    assert await truth(TITRATION, "ph", numbers, states) == pytest.approx(expected, abs=0.04)


SILICA = stem(hydrothermal.STEMS, "silica-from-a-geothermal-well")


# log K of SiO2(aq), A + B T + C/T + D log T + E/T2: Helgeson et al. (1978) with Shock et al. (1989), as in the database
QUARTZ = (7.7698e-2, 1.0612e-2, 3.4651e3, -4.3551, -7.2138e5)
CHALCEDONY = (-9.0068, 9.3241e-3, 4.0535e3, -1.083, -7.5077e5)


@pytest.mark.parametrize(("silica", "constants"), [("Quartz", QUARTZ), ("Chalcedony", CHALCEDONY)])
@pytest.mark.parametrize(("steam", "share"), [("lost", 0.2), ("kept", 0.0)])
async def test_silica_by_solubility_and_loss_of_steam(
    silica: str, constants: tuple[float, ...], steam: str, share: float
) -> None:
    numbers = {"reservoir": 220, "separator": 160, "brine": 60, "salt": 20, "steam": 20}
    states = {"steam": steam, "cooling": "far", "silica": silica, "scale": "does not form"}
    a, b, c, d, e = constants
    kelvin = 493.15
    expected = (
        10 ** (a + b * kelvin + c / kelvin + d * math.log10(kelvin) + e / kelvin**2) / (1 - share) * 1e3
    )
    assert await truth(SILICA, "silicon", numbers, states) == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize(("cooling", "celsius"), [("far", 60), ("little", 160)])
async def test_amorphous_silica_by_fournier(cooling: str, celsius: float) -> None:
    numbers = {"reservoir": 250, "separator": 160, "brine": 60, "salt": 20, "steam": 20}
    states = {"steam": "lost", "cooling": cooling, "silica": "Chalcedony", "scale": "forms"}
    # Fournier (1977), Geothermics 5, 41-50: log of mg SiO2 per kg; chalcedony is less than half as soluble
    expected = 10 ** (4.52 - 731 / (celsius + 273.15)) / 60.08
    assert await truth(SILICA, "silicon", numbers, states) == pytest.approx(expected, rel=0.2)


GRANITE = stem(hydrothermal.STEMS, "brine-in-a-hot-granite")


@pytest.mark.parametrize(("temperature", "celsius"), [("cool", 200), ("hot", 240)])
async def test_alkali_feldspars_by_giggenbach(temperature: str, celsius: float) -> None:
    numbers = {"temp": 200, "hotter": 40, "salt": 200, "more": 3}
    states = {"temperature": temperature, "mica": "Muscovite", "silica": "Quartz", "salt": "less"}
    sodium = await truth(GRANITE, "sodium", numbers, states)
    potassium = await truth(GRANITE, "potassium", numbers, states)
    # Giggenbach (1988), Geochim. Cosmochim. Acta 52, 2749: log of the ratio of masses, Na in K
    expected = 10 ** (1390 / (celsius + 273.15) - 1.75) * 39.098 / 22.99
    assert sodium / potassium == pytest.approx(expected, rel=0.2)
