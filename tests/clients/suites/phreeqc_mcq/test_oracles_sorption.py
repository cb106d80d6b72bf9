"""Truths of evaporation, exchange, surfaces, solid solutions and cement, against chemistry written out by hand.

`Water` is a speciation of its own: mass action, extended Debye-Hückel (Truesdell and Jones, 1974) or Davies, solved
by scipy. Its constants are typed here, from the databases' own lines at 25 °C; it shares no code with PHREEQC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import ModuleType

import pytest

from labrig_phreeqc.engine.engine import Engine
from labrig_suites.phreeqc_mcq.scenario import FIELD, Scene
from labrig_suites.phreeqc_mcq.stems import cement, evaporation, exchange, solid_solutions, surfaces
from labrig_suites.phreeqc_mcq.values import value
from support.late import late

optimize = late("scipy.optimize")

pytestmark = [pytest.mark.accept, pytest.mark.usefixtures("databases")]

KELVIN = 298.15
DEBYE_A, DEBYE_B = 0.5092, 0.3283  # of water at 25 °C, Robinson and Stokes (1965), kg and Å
GOUY_CHAPMAN = 0.1174  # C/m2 at 25 °C: Dzombak and Morel (1990), eq. 2.2
FARADAY = 96485.3


async def truths(
    module: ModuleType, name: str, numbers: dict[str, float], states: dict[str, str]
) -> dict[str, float]:
    """Return the value of each quantity of a scene that has one."""
    stem = next(each for each in module.STEMS if each.name == name)
    assert set(states) == {switch.name for switch in stem.switches}
    found = {}
    async with Engine() as engine:
        for quantity in stem.quantities:
            scene = Scene(stem, numbers, {**states, FIELD: quantity.name})
            computed = await value(engine, scene)
            assert computed.value is not None, (quantity.name, computed.why)
            found[quantity.name] = computed.value
    return found


def analytic(*terms: float) -> float:
    """Return a log K at 25 °C of PHREEQC's expression A1 + A2 T + A3/T + A4 log10 T + A5/T2 + A6 T2."""
    powers = (1, KELVIN, 1 / KELVIN, math.log10(KELVIN), KELVIN**-2, KELVIN**2)
    return sum(a * b for a, b in zip(terms, powers, strict=False))


@dataclass(frozen=True)
class Species:
    """What it is made of, log K of its formation from that, charge, Debye-Hückel a and b (None: Davies)."""

    of: Mapping[str, float]
    log_k: float = 0.0
    charge: int = 0
    size: tuple[float, float] | None = None

    def log_gamma(self, mu: float) -> float:
        if self.charge == 0:
            return 0.1 * mu if self.size is None else self.size[1] * mu
        z2, root_mu = self.charge**2, math.sqrt(mu)
        if self.size is None:
            return -DEBYE_A * z2 * (root_mu / (1 + root_mu) - 0.3 * mu)
        return -DEBYE_A * z2 * root_mu / (1 + DEBYE_B * self.size[0] * root_mu) + self.size[1] * mu


NA, CL = Species({"Na": 1}, 0, 1, (4.08, 0.082)), Species({"Cl": 1}, 0, -1, (3.63, 0.017))
CA, SR = Species({"Ca": 1}, 0, 2, (5, 0.165)), Species({"Sr": 1}, 0, 2, (5.26, 0.121))
BA, ZN = Species({"Ba": 1}, 0, 2, (4, 0.153)), Species({"Zn": 1}, 0, 2, (5, 0))
SO4 = Species({"SO4": 1}, 0, -2, (5, -0.04))
NASO4 = Species({"Na": 1, "SO4": 1}, analytic(255.903, 0.10057, 0, -111.138, -8.5983e5), -1, (5.5, 0))
CASO4 = Species({"Ca": 1, "SO4": 1}, 2.25)
PROTON = Species({"H": 1}, 0, 1, (9, 0))


@dataclass(frozen=True)
class Water:
    """Species by name at given activities (log10) of what they are made of, and ionic strength."""

    species: Mapping[str, Species]
    log_a: Mapping[str, float]
    mu: float

    def m(self, name: str) -> float:
        each = self.species[name]
        return 10 ** (
            each.log_k + sum(n * self.log_a[part] for part, n in each.of.items()) - each.log_gamma(self.mu)
        )

    def total(self, part: str) -> float:
        return sum(each.of.get(part, 0) * self.m(name) for name, each in self.species.items())

    def charge(self) -> float:
        return sum(each.charge * self.m(name) for name, each in self.species.items())

    def strength(self) -> float:
        return sum(each.charge**2 * self.m(name) for name, each in self.species.items()) / 2


Balance = Callable[[Water, Mapping[str, float]], list[float]]


def solve(
    species: Mapping[str, Species],
    guess: dict[str, float],
    other: dict[str, float],
    fixed: dict[str, float],
    f: Balance,
    log_mu: float = -1.5,
) -> tuple[Water, dict[str, float]]:
    """Find log activities (`guess`) and other unknowns where `f` and the ionic strength are at rest."""
    names, others = list(guess), list(other)

    def unpack(x: list[float]) -> tuple[Water, dict[str, float]]:
        log_a = {**fixed, **dict(zip(names, x[: len(names)], strict=True))}
        return Water(species, log_a, 10 ** x[-1]), dict(zip(others, x[len(names) : -1], strict=True))

    def residuals(x: list[float]) -> list[float]:
        water, rest = unpack(x)
        return [*f(water, rest), math.log10(water.strength() / water.mu)]

    start = [*guess.values(), *other.values(), log_mu]
    for nudge in (0.0, 0.1, -0.1, 0.3, -0.3):
        found = optimize.root(
            residuals, [each + nudge for each in start], options={"maxfev": 20000, "xtol": 1e-12}
        )
        if max(abs(each) for each in found.fun) < 1e-7:
            break
    else:
        raise AssertionError(found)
    return unpack(list(found.x))


def same(total: float, wanted: float) -> float:
    """Return a residual of a balance, relative to what is wanted."""
    return (total - wanted) / wanted


# --- evaporation: what nothing takes away is concentrated by the water that is left


@pytest.mark.parametrize(("formula", "equivalent"), [("CaCO3", 50.05), ("HCO3", 61.02)])
@pytest.mark.parametrize(("read", "part"), [("second", 0.5), ("fourth", 1.0)])
async def test_a_lake_that_only_loses_water_keeps_its_solutes(
    formula: str, equivalent: float, read: str, part: float
) -> None:
    numbers = {
        "temp": 25.0,
        "ph": 8.0,
        "na": 3.0,
        "ca": 1.5,
        "mg": 0.8,
        "so4": 0.4,
        "alkalinity": 130.0,
        "removed": 44.0,
    }
    states = {"air": "closed", "mineral": "none", "as": formula, "read": read}
    found = await truths(evaporation, "evaporating-lake", numbers, states)
    left = 1 - 44.0 * part * 18.015e-3  # kg of water
    assert found["calcium"] == pytest.approx(1.5 / left, rel=1e-3)
    assert found["alkalinity"] == pytest.approx(130 / equivalent / left, rel=1e-3)
    assert found["bicarbonate"] < found["alkalinity"] and found["free-calcium"] < found["calcium"]


@pytest.mark.parametrize(("evaporated", "salt"), [(49.6, False), (50.9, True)])
async def test_halite_begins_where_sea_water_is_eleven_times_evaporated(
    evaporated: float, salt: bool
) -> None:
    """McCaffrey, Lazar and Holland (1987): 10.6 times; here it is not there at 9.4 and is there at 12."""
    numbers = {
        "na": 485.0,
        "k": 10.5,
        "mg": 55.0,
        "ca": 10.7,
        "so4": 29.2,
        "cl": 568.5,
        "temp": 25.0,
        "first": evaporated,
        "second": 1.6,
        "rain": 10.0,
    }
    states = {"per": "water", "rain": "none", "salts": "two", "flow": "brine", "read": "first"}
    found = await truths(evaporation, "salt-ponds", numbers, states)
    assert (found["halite"] > 0.01) == salt
    assert (found["halite"] == 0) == (not salt)
    left = 55.51 - evaporated
    if not salt:  # nothing has taken sodium; crystal water of the gypsum is below 1 % of the water
        assert found["sodium"] == pytest.approx(0.485 * 55.51 / left, rel=1e-2)


# --- exchange: Gapon and Gaines-Thomas by their definitions (Appelo and Postma, 2005, chapter 6)


@pytest.mark.parametrize(
    ("convention", "form", "gypsum", "uptake", "read"),
    [
        *product(("Gapon", "Gaines-Thomas"), ("Ca", "Na"), ("none",), ("none",), ("once", "thrice")),
        ("Gapon", "Na", "gypsum", "none", "thrice"),
        ("Gaines-Thomas", "Ca", "none", "uptake", "thrice"),
        ("Gaines-Thomas", "Na", "gypsum", "uptake", "once"),
    ],
)
async def test_soil_exchanges_as_its_convention_says(
    convention: str, form: str, gypsum: str, uptake: str, read: str
) -> None:
    numbers = {"selectivity": 0.4, "sites": 100.0, "na": 20.0, "ca": 3.0, "so4": 4.0, "factor": 3.0}
    states = {"convention": convention, "form": form, "gypsum": gypsum, "uptake": uptake, "read": read}
    found = await truths(exchange, "irrigated-soil", numbers, states)
    times, sites = (3.0 if uptake == "uptake" else 1.0), 0.1
    na, ca, so4 = (numbers[each] / 1000 * times for each in ("na", "ca", "so4"))
    species = {"Na+": NA, "Ca+2": CA, "Cl-": CL, "SO4-2": SO4, "NaSO4-": NASO4, "CaSO4": CASO4}
    gypsum_k = analytic(93.7, 5.99e-3, -4e3, -35.019)
    held = 1.0 if form == "Na" else 0.0  # equivalent fraction of sodium
    for _ in range({"once": 1, "thrice": 3}[read]):
        before = held

        def balances(w: Water, rest: Mapping[str, float], before: float = before) -> list[float]:
            e_na = 1 / (1 + math.exp(-rest["logit"]))
            e_ca = 1 - e_na
            ratio = e_na * 10 ** (w.log_a["Ca"] / 2 - w.log_a["Na"])
            calcium, sulfate = w.total("Ca") + sites * e_ca / 2, w.total("SO4")
            wanted = ca + sites * (1 - before) / 2
            solved = 1 - 0.017 * sum(w.m(each) for each in species)  # activity of water
            return [
                same(w.total("Na") + sites * e_na, na + sites * before),
                same(w.total("Cl"), na + 2 * ca - 2 * so4),
                math.log10(ratio / (e_ca if convention == "Gapon" else math.sqrt(e_ca)) / 0.4),
                *(
                    (
                        same(calcium - sulfate, wanted - so4),
                        w.log_a["Ca"] + w.log_a["SO4"] + 2 * math.log10(solved) - gypsum_k,
                    )
                    if gypsum == "gypsum"
                    else (same(calcium, wanted), same(sulfate, so4))
                ),
            ]

        guess = {"Na": -1.5, "Ca": -2.8, "Cl": -1.7, "SO4": -2.8}
        water, rest = solve(species, guess, {"logit": -1.0}, {}, balances)
        held = 1 / (1 + math.exp(-rest["logit"]))
    assert found["sodium-percentage"] == pytest.approx(100 * held, rel=5e-3)
    assert found["sodium"] == pytest.approx(1e3 * water.total("Na"), rel=5e-3)
    assert found["calcium"] == pytest.approx(1e3 * water.total("Ca"), rel=8e-3)
    assert found["free-calcium"] == pytest.approx(1e3 * water.m("Ca+2"), rel=8e-3)


IONS = {"Na": ("Na+", 1, 0.0), "Ca": ("Ca+2", 2, 0.8), "Mg": ("Mg+2", 2, 0.6), "Cd": ("Cd+2", 2, 0.8)}


def equivalents(w: Water, lx: float, cations: tuple[str, ...]) -> dict[str, float]:
    """Give equivalent fractions on X by Gaines and Thomas; lx is the log activity of a free site.

    Molalities and no activities: the database gives each cation the same activity coefficient on X as in water.
    """
    return {
        each: 10 ** (IONS[each][2] + math.log10(w.m(IONS[each][0])) + IONS[each][1] * lx) for each in cations
    }


@pytest.mark.parametrize(
    ("course", "per", "read"),
    [
        ("freshening", "hundred", "thrice"),
        ("freshening", "kilogram", "once"),
        ("salinisation", "hundred", "once"),
        ("salinisation", "kilogram", "thrice"),
    ],
)
async def test_sediment_between_fresh_and_brackish_water(course: str, per: str, read: str) -> None:
    numbers = {
        "temp": 25.0,
        "capacity": 3.0,
        "sediment": 4.0,
        "na": 180.0,
        "mg": 20.0,
        "ca": 4.0,
        "fresh_ca": 2.0,
        "fresh_mg": 0.5,
        "fresh_na": 1.0,
        "fresh_ph": 7.4,
        "fresh_alk": 3.2,
    }
    states = {"course": course, "per": per, "read": read, "calcite": "absent"}
    found = await truths(exchange, "coastal-sediment", numbers, states)
    sites = 0.012 * (10 if per == "hundred" else 1)
    second = analytic(107.8871, 0.03252849, -5151.79, -38.92561, 563713.9)
    mg = analytic(48.6721, 0.03252849, -2614.335, -18.00263, 563713.9)
    species = {
        "Na+": NA,
        "Ca+2": CA,
        "Mg+2": Species({"Mg": 1}, 0, 2, (5.5, 0.2)),
        "Cl-": CL,
        "HCO3-": Species({"CO3": 1, "H": 1}, second, -1, (5.4, 0)),
        "NaHCO3": Species({"Na": 1, "CO3": 1, "H": 1}, second - 0.06, 0, (0, 0.2)),
        "CaHCO3+": Species({"Ca": 1, "CO3": 1, "H": 1}, analytic(-6.009, 3.377e-2, 2044), 1, (6, 0)),
        "MgHCO3+": Species({"Mg": 1, "CO3": 1, "H": 1}, mg, 1, (4, 0)),
    }
    waters = {
        "brackish": {"Na": 0.18, "Mg": 0.02, "Ca": 0.004, "Cl": 0.226, "CO3": 2e-3},
        "fresh": {"Na": 1e-3, "Mg": 0.5e-3, "Ca": 2e-3, "Cl": 2.8e-3, "CO3": 3.2e-3},
    }
    first, then = ("brackish", "fresh") if course == "freshening" else ("fresh", "brackish")
    cations = ("Na", "Ca", "Mg")

    def balances(
        total: Mapping[str, float], before: Mapping[str, float] | None
    ) -> Callable[[Water, Mapping[str, float]], list[float]]:
        def residuals(w: Water, rest: Mapping[str, float]) -> list[float]:
            on = equivalents(w, rest["lx"], cations)
            gained = {
                each: sites / IONS[each][1] * (on[each] - before[each]) if before else 0.0 for each in cations
            }
            return [
                *(same(w.total(each) + gained.get(each, 0), total[each]) for each in total),
                sum(on.values()) - 1,
            ]

        return residuals

    guess = {each: math.log10(m) - (2.9 if each == "CO3" else 0.2) for each, m in waters[first].items()}
    water, rest = solve(species, guess, {"lx": 0.7}, {"H": -7.5}, balances(waters[first], None))
    for _ in range({"once": 1, "thrice": 3}[read]):
        held, start = equivalents(water, rest["lx"], cations), {each: water.total(each) for each in guess}
        for step in range(1, 21):  # by small steps in composition, for the solver's sake
            mixed = {
                each: start[each] ** (1 - step / 20) * m ** (step / 20) for each, m in waters[then].items()
            }
            here = {each: water.log_a[each] for each in guess}
            water, rest = solve(
                species, here, dict(rest), {"H": -7.5}, balances(mixed, held), math.log10(water.mu)
            )
    on = equivalents(water, rest["lx"], cations)
    assert found["sodium"] == pytest.approx(1e3 * water.total("Na"), rel=1e-2)
    assert found["calcium"] == pytest.approx(1e3 * water.total("Ca"), rel=1e-2)
    assert found["sodium-held"] == pytest.approx(1e3 * sites * on["Na"], rel=1e-2)
    assert found["calcium-held"] == pytest.approx(1e3 * sites * on["Ca"], rel=1e-2)
    assert found["magnesium-held"] == pytest.approx(1e3 * sites * on["Mg"], rel=1e-2)


@pytest.mark.parametrize("salt", ["NaCl", "Na2SO4"])
@pytest.mark.parametrize(
    ("start", "per"), [("sodium", "hundred"), ("pore water", "hundred"), ("sodium", "kilogram")]
)
async def test_cadmium_leaves_a_sediment_for_chloride(salt: str, start: str, per: str) -> None:
    numbers = {
        "temp": 25.0,
        "capacity": 1.5,
        "sediment": 0.8,
        "ca": 1.5,
        "na": 1.0,
        "alk": 0.8,
        "cadmium": 15.0,
        "salt": 80.0,
    }
    states = {"per": per, "salt": salt, "start": start, "unit": "umol"}
    found = await truths(exchange, "cadmium-and-salt-on-sediment", numbers, states)
    sites = 0.0012 * (10 if per == "hundred" else 1)
    second = analytic(107.8871, 0.03252849, -5151.79, -38.92561, 563713.9)
    species = {
        "Na+": NA,
        "Ca+2": CA,
        "Cl-": CL,
        "SO4-2": SO4,
        "NaSO4-": NASO4,
        "CaSO4": CASO4,
        "HCO3-": Species({"CO3": 1, "H": 1}, second, -1, (5.4, 0)),
        "Cd+2": Species({"Cd": 1}, 0, 2),
        "CdCl+": Species({"Cd": 1, "Cl": 1}, 1.98, 1),
        "CdCl2": Species({"Cd": 1, "Cl": 2}, 2.6),
        "CdCl3-": Species({"Cd": 1, "Cl": 3}, 2.4, -1),
        "CdSO4": Species({"Cd": 1, "SO4": 1}, 2.46),
        "Cd(SO4)2-2": Species({"Cd": 1, "SO4": 2}, 3.5, -2),
        "CdHCO3+": Species({"Cd": 1, "CO3": 1, "H": 1}, second + 1.5, 1),
    }

    def balances(
        before: Mapping[str, float], total: Mapping[str, float], initial: bool
    ) -> Callable[[Water, Mapping[str, float]], list[float]]:
        def residuals(w: Water, rest: Mapping[str, float]) -> list[float]:
            on = equivalents(w, rest["lx"], ("Na", "Ca", "Cd"))
            held = {
                each: 0.0 if initial else sites / z * (on[each] - before[each])
                for each, z in (("Na", 1), ("Ca", 2), ("Cd", 2))
            }
            return [
                *(same(w.total(each) + held[each], total[each]) for each in ("Na", "Ca", "Cd")),
                *(same(w.total(each), total[each]) for each in ("Cl", "SO4")),
                same(w.m("HCO3-"), 0.8e-3),
                sum(on.values()) - 1,
            ]

        return residuals

    pond = {"Na": 1e-3, "Ca": 1.5e-3, "Cl": 3.2e-3, "Cd": 1e-13, "SO4": 1e-13}
    guess = {"Na": -3.0, "Ca": -2.9, "Cl": -2.5, "Cd": -13.1, "SO4": -13.1, "CO3": -6.9}
    water, rest = solve(species, guess, {"lx": 1.2}, {"H": -6.5}, balances({}, pond, True))
    before = (
        equivalents(water, rest["lx"], ("Na", "Ca", "Cd"))
        if start == "pore water"
        else {"Na": 1.0, "Ca": 0.0, "Cd": 0.0}
    )
    sulfate = salt == "Na2SO4"
    total = {
        "Na": 0.081,
        "Ca": 1.5e-3,
        "Cl": 3.2e-3 + 30e-6 + (0 if sulfate else 0.08),
        "Cd": 15e-6,
        "SO4": 0.04 if sulfate else 1e-13,
    }
    guess = {"Na": -1.2, "Ca": -3.2, "Cd": -6.5, "CO3": -6.9, "Cl": math.log10(total["Cl"]) - 0.1}
    guess["SO4"] = -1.9 if sulfate else -13.5
    water, rest = solve(species, guess, {"lx": 1.0}, {"H": -6.5}, balances(before, total, False))
    assert found["cadmium"] == pytest.approx(1e6 * water.total("Cd"), rel=2e-2)
    assert found["free-cadmium"] == pytest.approx(1e6 * water.m("Cd+2"), rel=2e-2)
    assert found["calcium"] == pytest.approx(1e3 * water.total("Ca"), rel=1e-2)
    assert found["calcium-held"] == pytest.approx(
        500 * sites * equivalents(water, rest["lx"], ("Na", "Ca", "Cd"))["Ca"], rel=1e-2
    )


# --- surface complexation: the generalised two-layer model of Dzombak and Morel (1990)


@pytest.mark.parametrize(
    ("charge", "calcium", "mass", "read"),
    [
        ("layer", "none", "oxide", "low"),
        ("layer", "calcium", "oxide", "high"),
        ("layer", "calcium", "iron", "low"),
        ("plain", "none", "iron", "high"),
        ("plain", "calcium", "oxide", "low"),
    ],
)
async def test_zinc_adsorbs_as_in_the_two_layer_model(
    charge: str, calcium: str, mass: str, read: str
) -> None:
    numbers = {"zinc": 20.0, "oxide": 100.0, "salt": 50.0, "ca": 10.0, "low": 5.9, "high": 6.5}
    states = {"charge": charge, "as": mass, "calcium": calcium, "read": read}
    found = await truths(surfaces, "zinc-adsorption-edge", numbers, states)
    iron = 0.1 / {"oxide": 89, "iron": 55.85}[mass]
    ca, zn, salt = (0.01 if calcium == "calcium" else 1e-12), 20e-6, 0.05
    proton = 10 ** (-3 - PROTON.log_gamma(salt + 3 * ca))  # molality at pH 3
    species = {
        "Na+": NA,
        "Ca+2": CA,
        "Cl-": CL,
        "H+": PROTON,
        "OH-": Species({"H": -1}, -13.998, -1, (3.5, 0)),
        "Zn+2": ZN,
        "ZnCl+": Species({"Zn": 1, "Cl": 1}, 0.43, 1, (4, 0)),
        "ZnCl2": Species({"Zn": 1, "Cl": 2}, 0.45),
        "ZnCl3-": Species({"Zn": 1, "Cl": 3}, 0.5, -1, (4, 0)),
        "ZnOH+": Species({"Zn": 1, "H": -1}, -8.96, 1),
        "ZnOHCl": Species({"Zn": 1, "Cl": 1, "H": -1}, -7.48),
    }
    # log K, metal, protons taken up, charge
    sites: dict[str, tuple[float, dict[str, tuple[float, str, int, int]]]] = {
        "strong": (
            0.005 * iron,
            {
                "OH2": (7.29, "", 1, 1),
                "O": (-8.93, "", -1, -1),
                "Ca": (4.97, "Ca", 0, 2),
                "Zn": (0.99, "Zn", -1, 1),
            },
        ),
        "weak": (
            0.2 * iron,
            {
                "OH2": (7.29, "", 1, 1),
                "O": (-8.93, "", -1, -1),
                "Ca": (-5.85, "Ca", -1, 1),
                "Zn": (-1.99, "Zn", -1, 1),
            },
        ),
    }

    def surface(w: Water, y: float) -> Iterator[tuple[str, str, int, float]]:
        """Give site, metal, charge and amount; y is the potential, F psi / RT."""
        for name, (amount, reactions) in sites.items():
            weights = {
                key: 10 ** (log_k + (w.log_a[metal] if metal else 0) + protons * w.log_a["H"])
                * math.exp(-z * y)
                for key, (log_k, metal, protons, z) in reactions.items()
            }
            for key, weight in weights.items():
                yield (
                    name,
                    reactions[key][1],
                    reactions[key][3],
                    amount * weight / (1 + sum(weights.values())),
                )

    def balances(w: Water, rest: Mapping[str, float]) -> list[float]:
        on = list(surface(w, rest["y"]))
        held = {metal: sum(n for _, each, _, n in on if each == metal) for metal in ("Ca", "Zn")}
        charged = sum(z * n for _, _, z, n in on)
        sigma = FARADAY * charged / (53400 * iron)
        diffuse = GOUY_CHAPMAN * math.sqrt(w.mu) * math.sinh(rest["y"] / 2)
        return [
            same(w.total("Ca") + held["Ca"], ca),
            same(w.total("Zn") + held["Zn"], zn),
            same(w.total("Cl"), salt + 2 * ca + 2 * zn + proton),
            (w.charge() + charged) / salt,
            100 * (sigma - diffuse) if charge == "layer" else rest["y"],
        ]

    ph = numbers[read]
    guess = {"Na": -1.4, "Ca": math.log10(ca) - 0.3, "Cl": -1.4, "Zn": -5.5}
    water, rest = solve(species, guess, {"y": 2.0 if charge == "layer" else 0.0}, {"H": -ph}, balances)
    zinc = {
        name: sum(n for site, metal, _, n in surface(water, rest["y"]) if site == name and metal == "Zn")
        for name in sites
    }
    assert found["dissolved"] == pytest.approx(1e6 * water.total("Zn"), rel=1e-2)
    assert found["strong"] == pytest.approx(1e6 * zinc["strong"], rel=1e-2)
    assert found["weak"] == pytest.approx(1e6 * zinc["weak"], rel=1e-2)
    assert sum(found.values()) == pytest.approx(20, rel=2e-3)


@pytest.mark.parametrize(
    ("dose", "phosphate", "air"),
    [
        ("iron", "none", "open"),
        ("iron", "phosphate", "open"),
        ("salt", "phosphate", "open"),
        ("iron", "none", "closed"),
    ],
)
async def test_arsenate_adsorbs_as_in_the_two_layer_model(dose: str, phosphate: str, air: str) -> None:
    numbers = {
        "temp": 25.0,
        "ph": 7.6,
        "ca": 1.5,
        "na": 2.0,
        "alk": 3.0,
        "arsenic": 120.0,
        "phosphate": 15.0,
        "dose": 10.0,
    }
    states = {"dose": dose, "phosphate": phosphate, "air": air, "ph": "held"}
    found = await truths(surfaces, "arsenate-and-ferric-chloride", numbers, states)
    iron = 0.01 / {"iron": 55.85, "salt": 162.2}[dose]
    total = {
        "Na": 2e-3,
        "Ca": 1.5e-3,
        "As": 120e-6 / 74.92,
        "P": 15e-6 if phosphate == "phosphate" else 1e-14,
    }
    henry, both = -1.468, analytic(464.1965, 0.09344813, -26986.16, -165.75951, 2248628.9)
    second = analytic(107.8871, 0.03252849, -5151.79, -38.92561, 563713.9)
    calcium = analytic(1209.12, 0.31294, -34765.05, -478.782)
    species = {  # constants of wateq4f.dat; arsenate as AsO4-3, which is H3AsO4 less three protons
        "Na+": Species({"Na": 1}, 0, 1, (4, 0.075)),
        "Cl-": Species({"Cl": 1}, 0, -1, (3.5, 0.015)),
        "Ca+2": CA,
        "HCO3-": Species({"CO3": 1, "H": 1}, second, -1, (5.4, 0)),
        "CO3-2": Species({"CO3": 1}, 0, -2, (5.4, 0)),
        "CO2": Species({"CO3": 1, "H": 2}, both),
        "CaHCO3+": Species({"Ca": 1, "CO3": 1, "H": 1}, second + calcium, 1, (6, 0)),
        "NaHCO3": Species({"Na": 1, "CO3": 1, "H": 1}, second - 0.25),
        "H2AsO4-": Species({"As": 1, "H": 2}, 21.11 - 2.3, -1),
        "HAsO4-2": Species({"As": 1, "H": 1}, 21.11 - 9.46, -2),
        "HPO4-2": Species({"P": 1, "H": 1}, 12.346, -2, (5, 0)),
        "H2PO4-": Species({"P": 1, "H": 2}, 19.553, -1, (5.4, 0)),
        "CaHPO4": Species({"Ca": 1, "P": 1, "H": 1}, 12.346 + 2.739),
        "CaH2PO4+": Species({"Ca": 1, "P": 1, "H": 2}, 19.553 + 1.408, 1, (5.4, 0)),
    }
    acid = {"OH2+": Species({"H": 1}, 7.29, 1), "O-": Species({"H": -1}, -8.93, -1)}
    weak = {
        **acid,
        "OCa+": Species({"Ca": 1, "H": -1}, -5.85, 1),
        "CO3-": Species({"CO3": 1, "H": 1}, 12.56, -1),
        "HCO3": Species({"CO3": 1, "H": 2}, 20.62),
        "H2AsO4": Species({"As": 1, "H": 3}, 29.31),
        "HAsO4-": Species({"As": 1, "H": 2}, 23.51, -1),
        "OHAsO4-3": Species({"As": 1}, 10.58, -3),
        "H2PO4": Species({"P": 1, "H": 3}, 31.29),
        "HPO4-": Species({"P": 1, "H": 2}, 25.39, -1),
        "PO4-2": Species({"P": 1, "H": 1}, 17.72, -2),
    }
    strong = {**acid, "OHCa+2": Species({"Ca": 1}, 4.97, 2)}

    def surface(w: Water, y: float) -> list[tuple[str, Species, float]]:
        """Give what is on the sites, and how much; y is the potential, F psi / RT."""
        on = []
        for sites, reactions in ((0.2 * iron, weak), (0.005 * iron, strong)):
            weights = {
                name: 10 ** (each.log_k + sum(n * w.log_a[part] for part, n in each.of.items()))
                * math.exp(-each.charge * y)
                for name, each in reactions.items()
            }
            free = sites / (1 + sum(weights.values()))
            on += [(name, reactions[name], weight * free) for name, weight in weights.items()]
        return on

    def well(w: Water, rest: Mapping[str, float]) -> list[float]:
        alkalinity = (
            w.m("HCO3-") + 2 * w.m("CO3-2") + w.m("CaHCO3+") + w.m("NaHCO3") + w.m("HAsO4-2") + w.m("HPO4-2")
        )
        return [
            *(same(w.total(each), m) for each, m in total.items()),
            alkalinity / 3e-3 - 1,
            w.charge() * 1e3,
        ]

    guess = {"Na": -2.7, "Ca": -3.0, "As": -10.0, "P": math.log10(total["P"]) - 5, "CO3": -5.4, "Cl": -2.8}
    water, _ = solve(species, guess, {}, {"H": -7.6}, well, -2.2)
    carbon = water.total("CO3")

    def treated(w: Water, rest: Mapping[str, float]) -> list[float]:
        on = surface(w, rest["y"])
        charged = sum(each.charge * m for _, each, m in on)
        diffuse = GOUY_CHAPMAN * math.sqrt(w.mu) * math.sinh(rest["y"] / 2)
        held = {part: sum(each.of.get(part, 0) * m for _, each, m in on) for part in (*total, "CO3")}
        return [
            *(same(w.total(each) + held[each], m) for each, m in total.items()),
            w.log_a["CO3"] + 2 * w.log_a["H"] + both - henry + 3.4
            if air == "open"
            else same(w.total("CO3") + held["CO3"], carbon),
            (w.charge() + charged) * 1e3,
            100 * (FARADAY * charged / (53400 * iron) - diffuse),
        ]

    guess = {
        "Na": -2.7,
        "Ca": -3.0,
        "As": -13.3,
        "P": math.log10(total["P"]) - 8,
        "CO3": -8.8 if air == "open" else -6.8,
        "Cl": -2.3,
    }
    water, rest = solve(species, guess, {"y": 2.0}, {"H": -6.4}, treated, -2.2)
    bound = next(m for name, _, m in surface(water, rest["y"]) if name == "HAsO4-")
    assert found["arsenic"] == pytest.approx(1e6 * water.total("As"), rel=2e-2)
    assert found["free-arsenate"] == pytest.approx(1e6 * water.m("HAsO4-2"), rel=2e-2)
    assert found["bound-arsenate"] == pytest.approx(1e6 * bound, rel=2e-2)


# --- solid solutions: both end members in equilibrium, with the activity coefficients of Guggenheim (1937)


@pytest.mark.parametrize(
    ("model", "mix", "sea"),
    [
        ("ideal", "40:60", "sea"),
        ("ideal", "60:40", "filtered"),
        ("regular", "40:60", "filtered"),
        ("regular", "60:40", "sea"),
    ],
)
async def test_scale_of_barium_and_strontium(model: str, mix: str, sea: str) -> None:
    numbers = {
        "temp": 25.0,
        "cool": 10.0,
        "salt": 700.0,
        "ca": 40.0,
        "sr": 8.0,
        "ba": 1.5,
        "low": 4.0,
        "a": 1.4,
    }
    states = {"model": model, "mix": mix, "sea": sea, "heat": "kept"}
    found = await truths(solid_solutions, "barium-strontium-scale", numbers, states)
    first = {"40:60": 0.4, "60:40": 0.6}[mix]
    sulfate = 0.028 if sea == "sea" else 0.004
    total = {
        "Na": first * (0.5 + 2 * sulfate) + (1 - first) * 0.7,
        "Ca": (1 - first) * 0.04,
        "Sr": (1 - first) * 0.008,
        "Ba": (1 - first) * 0.0015,
        "SO4": first * sulfate,
        "Cl": first * 0.5 + (1 - first) * (0.7 + 2 * 0.0495),
    }
    species = {
        "Na+": NA,
        "Ca+2": CA,
        "Sr+2": SR,
        "Ba+2": BA,
        "Cl-": CL,
        "SO4-2": SO4,
        "NaSO4-": NASO4,
        "CaSO4": CASO4,
        "SrSO4": Species({"Sr": 1, "SO4": 1}, 2.29),
        "BaSO4": Species({"Ba": 1, "SO4": 1}, 2.7),
    }
    barite = analytic(-282.43, -8.972e-2, 5822, 113.08)
    celestite = analytic(-7.14, 6.11e-3, 75, 0, 0, -1.79e-5)
    a = 1.4 / math.log(10) if model == "regular" else 0.0

    def balances(w: Water, rest: Mapping[str, float]) -> list[float]:
        solid = {"Ba": 10 ** rest["Ba"], "Sr": 10 ** rest["Sr"]}
        x = solid["Sr"] / sum(solid.values())
        return [
            *(
                same(w.total(each) + solid.get(each, 0), total[each])
                for each in ("Na", "Ca", "Cl", "Sr", "Ba")
            ),
            same(w.total("SO4") + sum(solid.values()), total["SO4"]),
            w.log_a["Ba"] + w.log_a["SO4"] - barite - math.log10(1 - x) - a * x * x,
            w.log_a["Sr"] + w.log_a["SO4"] - celestite - math.log10(x) - a * (1 - x) ** 2,
        ]

    guess = {"Na": -0.4, "Ca": -2.3, "Cl": -0.4, "Sr": -3.2, "Ba": -6.5, "SO4": -3.0}
    water, rest = solve(species, guess, {"Ba": math.log10(total["Ba"]) - 0.001, "Sr": -3.0}, {}, balances)
    strontium, barium = 10 ** rest["Sr"], 10 ** rest["Ba"]
    assert found["celestite"] == pytest.approx(100 * strontium / (strontium + barium), rel=1e-2)
    assert found["celestite-amount"] == pytest.approx(1e3 * strontium, rel=1e-2)
    assert found["barium"] == pytest.approx(1e6 * water.total("Ba"), rel=2e-2)
    assert found["free-barium"] == pytest.approx(1e6 * water.m("Ba+2"), rel=2e-2)


@pytest.mark.parametrize(
    ("model", "unit", "salt", "system"),
    [
        ("ideal", "mmol", "none", "open"),
        ("RT", "mmol", "salt", "open"),
        ("kJ", "g", "none", "open"),
        ("RT", "g", "salt", "closed"),
        ("ideal", "mmol", "none", "closed"),
    ],
)
async def test_cadmium_in_calcite(model: str, unit: str, salt: str, system: str) -> None:
    numbers = {"temp": 25.0, "log_p": -2.0, "calcite": 10.0, "cadmium": 200.0, "salt": 50.0, "a": 1.5}
    states = {"model": model, "unit": unit, "salt": salt, "system": system}
    found = await truths(solid_solutions, "cadmium-in-calcite", numbers, states)
    calcite = {"mmol": 0.010, "g": 10 / 100.09}[unit]
    a = {"ideal": 0.0, "RT": 1.5, "kJ": 1500 / (8.31446 * KELVIN)}[model] / math.log(10)
    na, cd = (0.05 if salt == "salt" else 1e-12), 200e-6
    henry = analytic(10.5624, -2.3547e-2, -3972.8, 0, 5.8746e5, 1.9194e-5)
    second = analytic(107.8871, 0.03252849, -5151.79, -38.92561, 563713.9)
    both = analytic(464.1965, 0.09344813, -26986.16, -165.75951, 2248628.9)
    species = {
        "Na+": NA,
        "Cl-": CL,
        "H+": PROTON,
        "OH-": Species({"H": -1}, -13.998, -1, (3.5, 0)),
        "Ca+2": CA,
        "CaHCO3+": Species({"Ca": 1, "CO3": 1, "H": 1}, analytic(-6.009, 3.377e-2, 2044), 1, (6, 0)),
        "CaCO3": Species({"Ca": 1, "CO3": 1}, analytic(-1228.732, -0.29944, 35512.75, 485.818)),
        "CO3-2": Species({"CO3": 1}, 0, -2, (5.4, 0)),
        "HCO3-": Species({"CO3": 1, "H": 1}, second, -1, (5.4, 0)),
        "CO2": Species({"CO3": 1, "H": 2}, both, 0, (0, 0.066)),
        "NaHCO3": Species({"Na": 1, "CO3": 1, "H": 1}, second - 0.06, 0, (0, 0.2)),
        "Cd+2": Species({"Cd": 1}, 0, 2),
        "CdCl+": Species({"Cd": 1, "Cl": 1}, 1.98, 1),
        "CdCl2": Species({"Cd": 1, "Cl": 2}, 2.6),
        "CdCl3-": Species({"Cd": 1, "Cl": 3}, 2.4, -1),
        "CdCO3": Species({"Cd": 1, "CO3": 1}, 2.9),
        "CdHCO3+": Species({"Cd": 1, "CO3": 1, "H": 1}, second + 1.5, 1),
        "Cd(CO3)2-2": Species({"Cd": 1, "CO3": 2}, 6.4, -2),
        "CdOH+": Species({"Cd": 1, "H": -1}, -10.08, 1),
        "CdOHCl": Species({"Cd": 1, "Cl": 1, "H": -1}, -7.404),
    }

    def water_alone(w: Water, rest: Mapping[str, float]) -> list[float]:
        return [
            same(w.total("Na"), na),
            same(w.total("Cl"), na + 2 * cd),
            same(w.total("Cd"), cd),
            w.charge() * 1e3,
            w.log_a["CO3"] + 2 * w.log_a["H"] + both - henry + 2.0,
            w.log_a["Ca"] + 15,
        ]

    guess = {
        "Na": math.log10(na),
        "Cl": math.log10(na + 2 * cd),
        "Cd": -4.0,
        "H": -4.7,
        "CO3": -10.5,
        "Ca": -15.0,
    }
    before, _ = solve(species, guess, {}, {}, water_alone)
    carbon = before.total("CO3")

    def with_solid(w: Water, rest: Mapping[str, float]) -> list[float]:
        held = {"Cd": cd * (1 - 10 ** rest["lost"]), "Ca": calcite - w.total("Ca")}
        x = held["Cd"] / (held["Cd"] + held["Ca"])
        return [
            same(w.total("Na"), na),
            same(w.total("Cl"), na + 2 * cd),
            math.log10(w.total("Cd") / cd) - rest["lost"],
            w.charge() * 1e3,
            w.log_a["CO3"] + 2 * w.log_a["H"] + both - henry + 2.0
            if system == "open"
            else same(w.total("CO3") + held["Cd"] + held["Ca"], carbon + calcite),
            w.log_a["Ca"] + w.log_a["CO3"] + 8.48 - math.log10(1 - x) - a * x * x,
            w.log_a["Cd"] + w.log_a["CO3"] + 12.1 - math.log10(x) - a * (1 - x) ** 2,
        ]

    guess = {**guess, "Cd": -8.0, "H": -7.2, "CO3": -5.6, "Ca": -2.9}
    water, _ = solve(species, guess, {"lost": -4.0}, {}, with_solid)
    assert found["ph"] == pytest.approx(-water.log_a["H"], abs=0.01)
    assert found["calcium"] == pytest.approx(1e3 * water.total("Ca"), rel=1e-2)
    assert found["cadmium"] == pytest.approx(1e6 * water.total("Cd"), rel=2e-2)
    assert found["free-cadmium"] == pytest.approx(1e6 * water.m("Cd+2"), rel=2e-2)


# --- cement


@pytest.mark.parametrize(
    ("age", "salt"), [("leached", "NaCl"), ("leached", "CaCl2"), ("young", "NaCl"), ("young", "CaCl2")]
)
async def test_pore_water_over_portlandite(age: str, salt: str) -> None:
    numbers = {"temp": 25.0, "hot": 40.0, "na": 30.0, "k": 100.0, "chloride": 200.0}
    states = {"age": age, "salt": salt, "heat": "cold", "database": "wateq4f.dat"}
    found = await truths(cement, "concrete-pore-water", numbers, states)
    alkali = 1.0 if age == "young" else 1e-9
    na = 0.03 * alkali + (0.2 if salt == "NaCl" else 0)
    water_k = analytic(-283.971, -0.05069842, 13323, 102.24447, -1119669)
    species = {  # constants of wateq4f.dat
        "Na+": Species({"Na": 1}, 0, 1, (4, 0.075)),
        "K+": Species({"K": 1}, 0, 1, (3.5, 0.015)),
        "Cl-": Species({"Cl": 1}, 0, -1, (3.5, 0.015)),
        "Ca+2": CA,
        "OH-": Species({"H": -1}, water_k, -1, (3.5, 0)),
        "CaOH+": Species({"Ca": 1, "H": -1}, -12.78, 1, (6, 0)),
    }

    def balances(w: Water, rest: Mapping[str, float]) -> list[float]:
        activity = math.log10(1 - 0.017 * sum(w.m(each) for each in species))
        return [
            same(w.total("Na"), na),
            same(w.total("K"), 0.1 * alkali),
            same(w.total("Cl"), 0.2),
            w.charge() * 10,
            w.log_a["Ca"] - 2 * w.log_a["H"] + 2 * activity - 22.8,
        ]

    guess = {"Na": math.log10(na) - 0.1, "K": math.log10(0.1 * alkali), "Cl": -0.8, "Ca": -2.2, "H": -12.5}
    water, _ = solve(species, guess, {}, {}, balances)
    assert found["ph"] == pytest.approx(-water.log_a["H"], abs=0.01)
    assert found["hydroxide"] == pytest.approx(1e3 * water.m("OH-"), rel=1e-2)
    assert found["calcium"] == pytest.approx(1e3 * water.total("Ca"), rel=2e-2)
    assert found["free-calcium"] == pytest.approx(1e3 * water.m("Ca+2"), rel=2e-2)


@pytest.mark.parametrize(("unit", "sulfate"), [("mmol", 0.010), ("g", 10 / 96.06)])
async def test_sulfate_makes_ettringite_as_the_reactions_say(unit: str, sulfate: float) -> None:
    """Matschei, Lothenbach and Glasser (2007): two sulfates turn a monosulfoaluminate into an ettringite; with calcite
    three of it make one ettringite and two monocarboaluminates, and all sulfate goes into ettringite."""
    numbers = {"temp": 25.0, "portlandite": 2000.0, "csh": 3000.0, "afm": 150.0, "sulfate": 10.0}
    states = {"unit": unit, "salt": "Na2SO4", "lime": "present"}
    bare = await truths(cement, "sulfate-attack", numbers, {**states, "filler": "none"})
    limestone = await truths(cement, "sulfate-attack", numbers, {**states, "filler": "calcite"})
    assert bare["ettringite"] == pytest.approx(1e3 * sulfate / 2, rel=1e-2)
    assert limestone["ettringite"] == pytest.approx(1e3 * (0.150 + sulfate) / 3, rel=1e-2)
