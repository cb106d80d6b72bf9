"""Inverse modelling: what dissolved, precipitated, mixed and was exchanged between waters that were analysed.

SELECTED_OUTPUT has no row that a Basic expression could fill for an inverse model, so the truth is the mole balance,
solved by hand in CALCULATE_VALUES from PHREEQC's totals: there are as many unknowns as balances. The inverse model of
the same input prints it too, and `check` compares the two.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem
from labrig_suites.phreeqc_mcq.switches import either

PRINTED = "Distribution of species"
"""The last section with a heading before the inverse models; saturation indices, with the names of phases, are off."""
TOTALS = ("Cl", "S(6)", "Na", "Mg", "Ca", "C(4)")


def _transfer(name: str, ask: str, row: str, scale: float = 1e3) -> Quantity:
    return Quantity(
        name,
        ask,
        "mmol/kg water",
        "value",
        f'CALC_VALUE("{name}")',
        Printed(PRINTED, row, scale=scale),
        group="transfer",
    )


CALCITE = _transfer(
    "calcite",
    "What is the amount of calcite that dissolves, per kg of the final water (negative if it precipitates)?",
    "Calcite",
)
GAS = _transfer(
    "carbon-dioxide",
    "What is the amount of CO2 that is taken up, per kg of the final water (negative if it is lost)?",
    "CO2(g)",
)
SODIUM = _transfer(
    "exchanged-sodium",
    "What is the amount of Na that the exchanger releases, per kg of the final water (negative if it takes up Na)?",
    "NaX",
)
SULFATE_NAMES = {"Gypsum": "gypsum", "Epsomite": "epsomite (MgSO4:7H2O)"}
MAGNESIUM_NAMES = {"Dolomite": "dolomite", "Magnesite": "magnesite (MgCO3)"}


def _write_analysis(number: int, n: Numbers, water: str) -> str:
    return (
        f"SOLUTION {number}\n    temp 15\n    pH {n[water + 'pH']:g}\n    units mmol/kgw\n"
        + "".join(f"    {each} {n[water + each]:.10g}\n" for each in ("Ca", "Mg", "Na", "Cl", "S(6)"))
        + f"    Alkalinity {_alkalinity(n, water):.10g}\n"
    )


def _alkalinity(n: Numbers, water: str) -> float:
    """Return what is left of the balance of charge, in meq per kg of water."""
    cations = n[water + "Na"] + 2 * n[water + "Ca"] + 2 * n[water + "Mg"]
    return round(cations - n[water + "Cl"] - 2 * n[water + "S(6)"], 6)


def _carbon(n: Numbers, water: str) -> float:
    """Return about what the total of carbon is, from alkalinity, pH and pK1 at 15 °C less that of an ion."""
    return _alkalinity(n, water) * float(1 + 10 ** (6.38 - n[water + "pH"]))


def _has_clear_transfers(n: Numbers, parts: Mapping[str, float], last: str, salts: tuple[str, ...]) -> bool:
    """Return whether no transfer is near zero, where an inverse model would leave it out."""
    change = {
        each: n[last + each] - sum(part * n[water + each] for water, part in parts.items())
        for each in ("Ca", "Mg", "Na", "Cl", "S(6)")
    }
    alkalinity = _alkalinity(n, last) - sum(part * _alkalinity(n, water) for water, part in parts.items())
    carbon = _carbon(n, last) - sum(part * _carbon(n, water) for water, part in parts.items())
    transfers = [carbon - alkalinity / 2 - 0.25, carbon - alkalinity / 2 + 0.25]
    if transfers[0] < 0 < transfers[1]:
        return False
    half = (change["Na"] - change["Cl"]) / 2
    calcium = [change["Ca"], change["Ca"] - change["S(6)"]] if "Gypsum" in salts else [change["Ca"]]
    magnesium = [change["Mg"], change["Mg"] - change["S(6)"]] if "Epsomite" in salts else [change["Mg"]]
    carbonates = [each + more for each in magnesium for more in (0, half)]
    calcites = [k + more - less for k in calcium for more in (0, half) for less in (0, *carbonates)]
    return min(abs(each) for each in (half, *carbonates, *calcites)) > 0.02


def _tell_water(n: Numbers, water: str) -> str:
    names = {"Ca": "Ca", "Mg": "Mg", "Na": "Na", "Cl": "Cl", "S(6)": "SO4"}
    parts = ", ".join(f"{names[each]} {n[water + each]:g}" for each in names)
    return f"{parts} mmol and an alkalinity of {_alkalinity(n, water):g} meq (pH {n[water + 'pH']:g})"


def _write_values(waters: int, lines: str) -> str:
    """Return CALCULATE_VALUES for every transfer: `lines` set f, h, s, e, d, c and g from the totals of the waters."""
    put = "".join(f'{20 + i} PUT(TOT("{each}")*1e3, CELL_NO, {i})\n' for i, each in enumerate(TOTALS))
    names = {
        "calcite": "cx",
        "carbon-dioxide": "gx",
        "exchanged-sodium": "ex",
    }
    return "CALCULATE_VALUES\n" + "".join(
        f"    {name}\n    -start\n{put}30 IF CELL_NO < {waters} THEN GOTO 100\n{lines}90 SAVE {result}\n"
        "95 END\n100 SAVE 0\n    -end\n"
        for name, result in names.items()
    )


def _write_inverse(waters: int, phases: tuple[str, ...]) -> str:
    listed = "".join(f"        {each}\n" for each in phases)
    numbers = " ".join(str(each) for each in range(1, waters + 1))
    return (
        f"INVERSE_MODELING 1\n    -solutions {numbers}\n    -uncertainty {' '.join(['0.0005'] * waters)}\n"
        "    -balances\n        Cl\n        S(6)\n        Na\n"
        f"    -phases\n{listed}    -tolerance 1e-7\n    -minimal\n"
        f"PRINT\n    -saturation_indices false\nEND\n"
    )


def _write_closing(s: States) -> str:
    """Return the lines for exchange, the carbonates and the gas, from what other lines leave over."""
    return (
        f"60 dx = mx + {0.5 if s['exchange'] == 'MgX2' else 0} * ex\n"
        f"62 cx = kx - {1 if s['carbonate'] == 'Dolomite' else 0} * dx + {0.5 if s['exchange'] == 'CaX2' else 0} * "
        f"ex\n64 gx = bx - cx - {2 if s['carbonate'] == 'Dolomite' else 1} * dx\n"
    )


EXCHANGE = either("exchange", {"CaX2": "calcium", "MgX2": "magnesium"}, "{} exchanged instead of {}")
CARBONATE = either("carbonate", {"Dolomite": "dolomite", "Magnesite": "magnesite"})


def _name_exchanged(s: States) -> str:
    return "Ca" if s["exchange"] == "CaX2" else "Mg"


# --- along a flow line ----------------------------------------------------------------------------------------------


def _draw_flow(draws: random.Random) -> dict[str, float]:
    while True:
        numbers = {
            "ApH": draws.choice((6.8, 7, 7.2, 7.4)),
            "ACa": draws.choice(range(10, 21)) / 10,
            "AMg": draws.choice(range(3, 9)) / 10,
            "ANa": draws.choice(range(3, 9)) / 10,
            "ACl": draws.choice(range(3, 9)) / 10,
            "AS(6)": draws.choice(range(2, 7)) / 10,
            "BpH": draws.choice((7.1, 7.3, 7.5, 7.7)),
            "BCa": draws.choice(range(10, 31)) / 10,
            "BMg": draws.choice(range(12, 26)) / 10,
            "BNa": draws.choice(range(25, 61)) / 10,
            "BS(6)": draws.choice(range(12, 26)) / 10,
        }
        numbers["BCl"] = round(numbers["ACl"] * draws.choice((1.4, 1.6, 1.8, 2)), 2)
        if _alkalinity(numbers, "A") < 1 or _alkalinity(numbers, "B") < 1.5:
            continue
        salts = ("Gypsum", "Epsomite")
        if all(
            _has_clear_transfers(numbers, {"A": part}, "B", salts)
            for part in (1.0, numbers["BCl"] / numbers["ACl"])
        ):
            return numbers


def _tell_flow(n: Numbers, s: States) -> str:
    chloride = (
        "halite dissolves, and no water evaporates"
        if s["chloride"] == "Halite"
        else "water evaporates, to an extent given by chloride, and no halite dissolves"
    )
    before, after = _tell_water(n, "A"), _tell_water(n, "B")
    return (
        f"Along a flow path, a groundwater at 15 °C changes from {before} per kg of water to {after} "
        f"per kg of water; both analyses are charge-balanced and are taken as exact. The change is accounted for by "
        f"the following and nothing else: {chloride}; {SULFATE_NAMES[s['sulfate']]} dissolves or precipitates, as do "
        f"{MAGNESIUM_NAMES[s['carbonate']]} and calcite; CO2 gas is taken up or lost; and {_name_exchanged(s)} is "
        "exchanged for Na, one ion for two. Carbon is otherwise conserved; its total is that given by pH and "
        "alkalinity."
    )


def _build_flow(n: Numbers, s: States) -> str:
    lines = (
        f"40 fx = {'GET(2,0) / GET(1,0)' if s['chloride'] == 'evaporation' else '1'}\n"
        "42 hx = GET(2,0) - fx * GET(1,0)\n"
        "44 sx = GET(2,1) - fx * GET(1,1)\n"
        "46 ex = GET(2,2) - fx * GET(1,2) - hx\n"
        f"48 mx = GET(2,3) - fx * GET(1,3) - {1 if s['sulfate'] == 'Epsomite' else 0} * sx\n"
        f"50 kx = GET(2,4) - fx * GET(1,4) - {1 if s['sulfate'] == 'Gypsum' else 0} * sx\n"
        "52 bx = GET(2,5) - fx * GET(1,5)\n"
    )
    first = "Halite" if s["chloride"] == "Halite" else "H2O(g)"
    phases = (first, s["sulfate"], s["carbonate"], "Calcite", "CO2(g)", s["exchange"], "NaX")
    return (
        _write_values(2, lines + _write_closing(s))
        + _write_analysis(1, n, "A")
        + _write_analysis(2, n, "B")
        + _write_inverse(2, phases)
    )


# --- a well between a river and deep groundwater --------------------------------------------------------------------


def _draw_well(draws: random.Random) -> dict[str, float]:
    while True:
        numbers = {
            "ApH": draws.choice((7.4, 7.6, 7.8)),
            "ACa": draws.choice(range(6, 13)) / 10,
            "AMg": draws.choice(range(2, 6)) / 10,
            "ANa": draws.choice(range(3, 9)) / 10,
            "ACl": draws.choice(range(3, 9)) / 10,
            "AS(6)": draws.choice(range(2, 6)) / 10,
            "BpH": draws.choice((6.9, 7.1, 7.3)),
            "BCa": draws.choice(range(20, 41)) / 10,
            "BMg": draws.choice(range(10, 21)) / 10,
            "BNa": draws.choice(range(40, 81)) / 10,
            "BCl": draws.choice(range(40, 71)) / 10,
            "BS(6)": draws.choice(range(12, 26)) / 10,
            "CpH": draws.choice((7, 7.2, 7.4)),
            "CCa": draws.choice(range(15, 36)) / 10,
            "CMg": draws.choice(range(10, 21)) / 10,
            "CNa": draws.choice(range(20, 51)) / 10,
        }
        share = draws.choice((0.3, 0.4, 0.5, 0.6, 0.7))
        numbers["CCl"] = round(share * numbers["ACl"] + (1 - share) * numbers["BCl"], 2)
        other = share + draws.choice((-0.15, -0.1, 0.1, 0.15))
        numbers["CS(6)"] = round(other * numbers["AS(6)"] + (1 - other) * numbers["BS(6)"], 2)
        if any(_alkalinity(numbers, water) < 1 for water in "ABC"):
            continue
        parts = [
            (numbers["C" + each] - numbers["B" + each]) / (numbers["A" + each] - numbers["B" + each])
            for each in ("Cl", "S(6)")
        ]
        if all(_has_clear_transfers(numbers, {"A": part, "B": 1 - part}, "C", ("Gypsum",)) for part in parts):
            return numbers


def _tell_well(n: Numbers, s: States) -> str:
    conserved = (
        "chloride comes from the two waters only, while gypsum dissolves or precipitates"
        if s["conserved"] == "chloride"
        else "sulfate comes from the two waters only, while halite dissolves or precipitates"
    )
    river, deep, well = (_tell_water(n, water) for water in "ABC")
    return (
        f"A well near a river draws a mixture of two waters at 15 °C. Per kg of water, the river contains "
        f"{river}, the deep groundwater {deep}, and the water from the well {well}; all "
        "three analyses are charge-balanced and are taken as exact. Water is neither gained nor lost otherwise, and "
        "the change that mixing does not explain is accounted for by the following and nothing else: "
        f"{conserved}; {MAGNESIUM_NAMES[s['carbonate']]} and calcite dissolve or precipitate; CO2 gas is taken up or "
        f"lost; and {_name_exchanged(s)} is exchanged for Na, one ion for two. Carbon is otherwise conserved; its "
        "total is that given by pH and alkalinity."
    )


def _build_well(n: Numbers, s: States) -> str:
    tracer = 0 if s["conserved"] == "chloride" else 1
    lines = (
        f"40 fx = (GET(3,{tracer}) - GET(2,{tracer})) / (GET(1,{tracer}) - GET(2,{tracer}))\n"
        + "".join(
            f"{41 + i} r{i} = GET(3,{i}) - fx * GET(1,{i}) - (1 - fx) * GET(2,{i})\n"
            for i in range(len(TOTALS))
        )
        + "50 ex = r2 - r0\n52 mx = r3\n54 kx = r4 - r1\n56 bx = r5\n"
    )
    first = "Gypsum" if s["conserved"] == "chloride" else "Halite"
    phases = (first, s["carbonate"], "Calcite", "CO2(g)", s["exchange"], "NaX")
    return (
        _write_values(3, lines + _write_closing(s))
        + _write_analysis(1, n, "A")
        + _write_analysis(2, n, "B")
        + _write_analysis(3, n, "C")
        + _write_inverse(3, phases)
    )


STEMS = (
    Stem(
        name="inverse-along-a-flow-line",
        topic="inverse modelling",
        draw=_draw_flow,
        switches=(
            either("chloride", {"Halite": "dissolution of halite", "evaporation": "evaporation"}),
            either("sulfate", {"Gypsum": "gypsum", "Epsomite": "epsomite"}),
            CARBONATE,
            EXCHANGE,
        ),
        tell=_tell_flow,
        build=_build_flow,
        quantities=(CALCITE, GAS, SODIUM),
        database="wateq4f.dat",
    ),
    Stem(
        name="inverse-for-a-well-by-a-river",
        topic="inverse modelling",
        draw=_draw_well,
        switches=(
            either(
                "conserved",
                {"chloride": "chloride", "sulfate": "sulfate"},
                "{} taken as conserved instead of {}",
            ),
            CARBONATE,
            EXCHANGE,
        ),
        tell=_tell_well,
        build=_build_well,
        quantities=(
            CALCITE,
            GAS,
            SODIUM,
        ),
        database="wateq4f.dat",
    ),
)
