"""Samples of a series, with values that agree with each other as printed.

Superconductors: the dome Tc = Tmax (1 - 82.6 (x - 0.16)^2) of cuprates (Presland et al., Physica C 176, 95, 1991) or a
fall with x; Hc2(0) = 0.693 Tc (-dHc2/dT) (Werthamer et al., Phys. Rev. 147, 295, 1966); xi = sqrt(Phi0 / 2 pi Hc2);
2 Delta = r k Tc with r from 3.53 (BCS) to 4.4; density of the cell. Thermoelectrics: power factor S^2 sigma, ZT =
S^2 sigma T / kappa. Each derived value is computed from the printed ones.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

FLUX_QUANTUM = 2.067833848e-15  # Wb, CODATA 2018
BOLTZMANN_MEV = 8.617333262e-2  # meV/K
AVOGADRO = 6.02214076e23
WHH = 0.693
MASS = {"La": 138.905, "Sr": 87.62, "Cu": 63.546, "O": 15.999, "Ba": 137.327, "Fe": 55.845, "Co": 58.933, "As": 74.922,
        "Mg": 24.305, "B": 10.81, "C": 12.011, "Nb": 92.906, "Sn": 118.71, "Ge": 72.63, "Bi": 208.98, "Te": 127.6,
        "Se": 78.971, "Sb": 121.76, "Nd": 144.242, "Ta": 180.948, "S": 32.06, "Pd": 106.42, "Cr": 51.996,
        "Eu": 151.964, "Ir": 192.217, "Rh": 102.906}  # fmt: skip


@dataclass(frozen=True)
class Printed:
    """A value as it is printed: digits with their uncertainty, and the unit."""

    text: str
    unit: str = ""

    @property
    def number(self) -> float:
        """The nominal number."""
        return float(self.text.partition("(")[0].replace("−", "-"))

    @property
    def shown(self) -> str:
        """Digits and unit, as in a sentence."""
        return f"{self.text}{'' if self.unit == '%' else ' '}{self.unit}".strip()


@dataclass(frozen=True)
class Made:
    """A sample: its formula resolved and in markup, its label, its values by key.

    Attributes
    ----------
    planted
        Keys whose printed value contradicts the others on purpose, with why.
    """

    formula: str
    markup: str
    label: str
    x: str
    values: Mapping[str, Printed]
    planted: Mapping[str, str] = field(default_factory=dict)
    delta: str = ""
    """Oxygen that is missing, where the series has it."""


@dataclass(frozen=True)
class Series:
    """A series of samples that differ in x."""

    generic: str
    markup: str
    group: str
    cell: tuple[float, float]
    formulas_in_cell: int
    xs: tuple[float, ...]
    tc: tuple[float, float]
    """Highest Tc in K, and by how much it falls with x; a negative fall is a dome round 0.16."""
    field: str = "supercon"
    oxygen: float = 0.0
    """Full content of oxygen, of which δ is missing; in papers of level 4 alone."""


SERIES = (
    Series(
        "La_{2−x}Sr_{x}CuO_{4}",
        "La_{A}Sr_{X}CuO_{4}",
        "I4/mmm",
        (3.79, 13.21),
        2,
        (0.08, 0.1, 0.12, 0.15, 0.18, 0.2),
        (38, -1),
    ),
    Series(
        "Ba(Fe_{1−x}Co_{x})_{2}As_{2}",
        "Ba(Fe_{B}Co_{X})_{2}As_{2}",
        "I4/mmm",
        (3.962, 13.0),
        2,
        (0.06, 0.07, 0.08, 0.1),
        (24, 90),
    ),
    Series(
        "Mg(B_{1−x}C_{x})_{2}",
        "Mg(B_{B}C_{X})_{2}",
        "P6/mmm",
        (3.085, 3.524),
        1,
        (0.01, 0.02, 0.035, 0.05),
        (38.5, 110),
    ),
    Series(
        "Nb_{3}Sn_{1−x}Ge_{x}",
        "Nb_{3}Sn_{B}Ge_{X}",
        "Pm-3n",
        (5.29, 0.0),
        2,
        (0.05, 0.1, 0.15, 0.25),
        (18, 6),
    ),
    Series(
        "Nd_{1+x}Ba_{2−x}Cu_{3}O_{7−δ}",
        "Nd_{P}Ba_{A}Cu_{3}O_{O}",
        "P4/mmm",
        (3.88, 11.72),
        1,
        (0.02, 0.04, 0.06, 0.1, 0.15, 0.2),
        (92, 180),
        oxygen=7,
    ),
    Series(
        "Bi_{2}Te_{3−x}Se_{x}",
        "Bi_{2}Te_{D}Se_{X}",
        "R-3m",
        (4.385, 30.49),
        3,
        (0.1, 0.15, 0.3, 0.45),
        (0, 0),
        "thermoelectrics",
    ),
    Series(
        "Bi_{2−x}Sb_{x}Te_{3}",
        "Bi_{A}Sb_{X}Te_{3}",
        "R-3m",
        (4.38, 30.45),
        3,
        (0.2, 0.5, 0.8, 1.2),
        (0, 0),
        "thermoelectrics",
    ),
)


def spread(draw: random.Random, value: float, places: int, chance: float = 0.6) -> str:
    """Return a number with so many places, often with its uncertainty in brackets."""
    return f"{value:.{places}f}" + (f"({draw.randrange(1, 9)})" if draw.random() < chance else "")


def make_samples(
    draw: random.Random, field_name: str, count: int, plant: bool, oxygen: bool = False
) -> tuple[Series, list[Made]]:
    """Return a series and samples of it.

    Parameters
    ----------
    count
        At most as many as the series has.
    plant
        Whether one value of one sample contradicts the others by a factor of ten.
    oxygen
        Whether series with δ are among those that are drawn.
    """
    series = draw.choice(
        [each for each in SERIES if each.field == field_name and (oxygen or not each.oxygen)]
    )
    xs = sorted(draw.sample(series.xs, min(count, len(series.xs))))
    units = choose_units(draw)
    delta = draw.choice([0.04, 0.06, 0.08, 0.11]) if series.oxygen else 0.0
    made = []
    for number, x in enumerate(xs):
        shown = f"{x:g}"
        amounts = {"A": f"{2 - x:g}", "B": f"{1 - x:g}", "D": f"{3 - x:g}", "X": shown}
        amounts |= {"P": f"{1 + x:g}", "O": f"{series.oxygen - delta:g}"}
        markup = series.markup
        for letter, amount in amounts.items():
            markup = markup.replace("{" + letter + "}", "{" + amount + "}")
        formula = markup.replace("_{", "").replace("}", "")
        values = make_values(draw, series, x, formula, units)
        label = f"{draw.choice('ABS')}{number + 1}"
        gone = f"{delta:g}" if series.oxygen else ""
        made.append(Made(formula, markup, label, f"x = {shown}", values, delta=gone))
    if plant:
        made[-1] = _planted(made[-1])
    return series, made


def choose_units(draw: random.Random) -> dict[str, str]:
    """Return the units of a paper: one for each quantity, since a paper keeps to its units."""
    return {
        "xi": draw.choice(["Å", "nm"]),
        "rho": draw.choice(["μΩ cm", "mΩ cm"]),
        "gamma": draw.choice(["mJ/mol K^{2}", "mJ mol^{−1} K^{−2}"]),
        "density": draw.choice(["g/cm^{3}", "g cm^{−3}"]),
        "seebeck": draw.choice(["μV/K", "μV K^{−1}"]),
        "kappa": draw.choice(["W/m K", "W m^{−1} K^{−1}"]),
    }


def make_values(
    draw: random.Random, series: Series, x: float, formula: str, units: Mapping[str, str]
) -> dict[str, Printed]:
    a, c = (length * (1 + draw.uniform(-0.002, 0.002)) for length in series.cell)
    values = {"group": Printed(series.group), "a": Printed(spread(draw, a, 4), "Å")}
    if c:
        values["c"] = Printed(spread(draw, c, 3 if c > 10 else 4), "Å")
    values["density"] = Printed(
        f"{draw.uniform(0.93, 0.985) * cell_density(formula, series, values):.2f}", units["density"]
    )
    return values | (
        _transport(draw, x, units)
        if series.field == "thermoelectrics"
        else _superconducting(draw, series, x, units)
    )


def _superconducting(
    draw: random.Random, series: Series, x: float, units: Mapping[str, str]
) -> dict[str, Printed]:
    highest, fall = series.tc
    tc = highest * (1 - 82.6 * (x - 0.16) ** 2) if fall < 0 else highest - fall * max(0.0, x - series.xs[0])
    tc = max(tc + draw.uniform(-0.8, 0.8), 4.0)
    zero = Printed(spread(draw, tc, 1), "K")
    width = draw.randrange(5, 25) / 10
    slope = Printed(f"{draw.uniform(0.9, 3.2):.2f}", "T/K")
    hc2 = Printed(f"{WHH * zero.number * slope.number:.1f}", "T")
    xi = math.sqrt(FLUX_QUANTUM / (2 * math.pi * hc2.number)) * 1e9
    rho = draw.uniform(150, 950)
    return {
        "tc_zero": zero,
        "tc_onset": Printed(f"{zero.number + width:.1f}", "K"),
        "tc_mag": Printed(f"{zero.number + width / 3:.2f}", "K"),
        "width": Printed(f"{width:.1f}", "K"),
        "slope": slope,
        "hc2": hc2,
        "xi": Printed(f"{10 * xi:.1f}" if units["xi"] == "Å" else f"{xi:.2f}", units["xi"]),
        "lambda": Printed(spread(draw, draw.uniform(120, 390), 0), "nm"),
        "gamma": Printed(spread(draw, draw.uniform(2, 18), 2), units["gamma"]),
        "debye": Printed(spread(draw, draw.uniform(220, 780), 0), "K"),
        "gap": Printed(f"{draw.uniform(3.53, 4.4) / 2 * BOLTZMANN_MEV * zero.number:.2f}", "meV"),
        "rho": Printed(f"{rho:.0f}" if units["rho"] == "μΩ cm" else f"{rho / 1000:.3f}", units["rho"]),
        "meissner": Printed(f"{draw.randrange(35, 96)}", "%"),
    }


def _transport(draw: random.Random, x: float, units: Mapping[str, str]) -> dict[str, Printed]:
    seebeck = Printed(spread(draw, draw.uniform(140, 230) + 10 * x, 0), units["seebeck"])
    sigma = Printed(f"{draw.uniform(500, 1300):.0f}", "S/cm")
    kappa = Printed(f"{draw.uniform(1.0, 1.9):.2f}", units["kappa"])
    power = seebeck.number**2 * 1e-12 * sigma.number  # W/(cm K^2)
    return {
        "seebeck": seebeck,
        "sigma": sigma,
        "kappa": kappa,
        "power": Printed(f"{power * 1e6:.1f}", "μW/cm K^{2}"),
        "zt": Printed(f"{power * 100 * 300 / kappa.number:.2f}"),
    }


def cell_density(formula: str, series: Series, values: Mapping[str, Printed]) -> float:
    """Return the density of a cell in g/cm3: hexagonal for P6 and R groups, cubic where there is no c."""
    from labrig_suites.supercon_extraction.grading.formulas import composition

    mass = sum(MASS[symbol] * amount for symbol, amount in (composition(formula) or {}).items())
    a = values["a"].number
    c = values["c"].number if "c" in values else a
    volume = (
        a * a * c * (math.sqrt(3) / 2 if series.group[0] == "R" or series.group[:2] in ("P6", "P-") else 1)
    )
    return series.formulas_in_cell * mass / (AVOGADRO * volume * 1e-24)


def _planted(sample: Made) -> Made:
    """Return a sample in which one derived value is ten times what the others say."""
    key, places = ("hc2", 0) if "hc2" in sample.values else ("zt", 1)
    true = sample.values[key]
    wrong = Printed(f"{10 * true.number:.{places}f}", true.unit)
    why = "ten times what slope and Tc give" if key == "hc2" else "ten times what S, sigma and kappa give"
    return replace(sample, values={**sample.values, key: wrong}, planted={key: why})
