"""Reactions that take time: rate expressions of the database, and rate laws that the statement gives."""

from __future__ import annotations

import math
import random

from labrig_harness.suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_harness.suites.phreeqc_mcq.stems.carbonate import CALCIUM, PH

SI_CALCITE = Quantity(
    "si-calcite",
    "What is the saturation index of calcite?",
    "",
    "si",
    'SI("Calcite")',
    Printed("Saturation indices", "Calcite"),
)
ALKALINITY = Quantity(
    "alkalinity",
    "What is the alkalinity of the water, in mmol of charge?",
    "mmol/kg water",
    "value",
    "ALK*1e3",
    Printed("Description of solution", "Total alkalinity (eq/kg) =", scale=1e3),
    group="alkalinity",
)
BICARBONATE = Quantity(
    "bicarbonate",
    "What is the molality of the free ion HCO3-?",
    "mmol/kg water",
    "value",
    'MOL("HCO3-")*1e3',
    Printed("Distribution of species", "HCO3-", scale=1e3),
    group="alkalinity",
)
HOUR, DAY, YEAR = 3600.0, 86400.0, 31557600.0


def _kinetics(rate: str, lines: str, seconds: float, steps: int, method: str) -> str:
    return (
        f"KINETICS 1\n{rate}\n{lines}    -steps {seconds:.10g} in {steps} steps\n    {method}\n"
        "INCREMENTAL_REACTIONS true\n"
    )


RUNGE_KUTTA = "-runge_kutta 3\n    -step_divide 10"
FINER = "-runge_kutta 6\n    -step_divide 100"
CVODE = "-cvode true\n    -cvode_steps 500"


# Soft water in a limestone filter: PWP rate


def _limestone_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(5, 16)),
        "log_p": draws.choice(range(-22, -11)) / 10,
        "acid": draws.choice((0.1, 0.2, 0.3, 0.4)),
        "stone": draws.choice((2, 5, 10, 20, 40)),
        "surface": draws.choice((40, 60, 80, 100, 150, 200)),
        "hours": draws.choice((1, 2, 3, 4, 6)),
    }


def _limestone_tell(n: Numbers, s: States) -> str:
    water = (
        f"water with dissolved CO2 and {n['acid']:g} mmol HCl per kg of water"
        if s["acid"] == "acid"
        else "water with nothing but dissolved CO2 in it"
    )
    place = (
        f"In the cold filter house, at {n['temp']:g} °C,"
        if s["temp"] == "cold"
        else f"In a column in the laboratory, at 25 °C (the filter house is at {n['temp']:g} °C),"
    )
    gas = (
        f"it was brought to equilibrium with CO2 of 10^{n['log_p']:g} atm; no gas reaches it in the limestone"
        if s["system"] == "closed"
        else f"it was brought to equilibrium with CO2 of 10^{n['log_p']:g} atm, and it stays so in the limestone too"
    )
    unit = "g (take 100.09 g/mol)" if s["unit"] == "gram" else "mol"
    which = {"second": "second", "fourth": "fourth and last"}[s["step"]]
    return (
        f"{place} {water} stands in crushed limestone, {n['stone']:g} mmol of calcite per kg of water. Before that, "
        f"{gas}. Charge balance sets its pH. Calcite dissolves by the rate expression for calcite in the database. At "
        f"the start its surface is {n['surface']:g} cm²/{unit}; the whole surface shrinks with the fraction of calcite "
        f"that is left, to the power of 0.67. The water is sampled every {n['hours']:g} h, four times in all; the "
        f"samples are too small to matter. The question is about the {which} sample."
    )


def _limestone_build(n: Numbers, s: States, method: str = RUNGE_KUTTA) -> str:
    temp = n["temp"] if s["temp"] == "cold" else 25
    acid = f"    Cl {n['acid']:g}\n" if s["acid"] == "acid" else ""
    gas = f"EQUILIBRIUM_PHASES {{}}\n    CO2(g) {n['log_p']:g} 10\n"
    surface = n["surface"] * (100.09 if s["unit"] == "gram" else 1)  # cm2 per mole
    lines = f"    -m0 {n['stone'] / 1e3:g}\n    -parms {surface:.6g} 0.67\n    -tol 1e-9\n"
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH 7 charge\n    units mmol/kgw\n{acid}"
        f"{gas.format(1)}SAVE solution 1\nEND\nUSE solution 1\n"
        + (gas.format(2) if s["system"] == "open" else "")
        + _kinetics("Calcite", lines, n["hours"] * 4 * HOUR, 4, method)
        + "END\n"
    )


def _limestone_state(n: Numbers, s: States) -> int:
    return {"second": -3, "fourth": -1}[s["step"]]


LIMESTONE = Stem(
    name="limestone-filter",
    topic="kinetics",
    draw=_limestone_numbers,
    switches=(
        Switch(
            "system",
            {
                "open": "kept open to carbon dioxide while calcite dissolves",
                "closed": "closed to carbon dioxide before calcite dissolves",
            },
        ),
        Switch(
            "unit",
            {
                "gram": "surface per gram in place of per mole",
                "mole": "surface per mole in place of per gram",
            },
            "unit",
        ),
        Switch(
            "temp",
            {
                "cold": "the filter's temperature in the laboratory",
                "warm": "the laboratory's temperature in the filter",
            },
        ),
        Switch("acid", {"none": "the acid left out", "acid": "acid added to water without any"}),
        Switch(
            "step",
            {"second": "read after the second interval", "fourth": "read after the fourth interval"},
            "step",
        ),
    ),
    tell=_limestone_tell,
    build=_limestone_build,
    quantities=(PH, CALCIUM, SI_CALCITE, ALKALINITY, BICARBONATE),
    state=_limestone_state,
    refined=lambda n, s: (_limestone_build(n, s, FINER), _limestone_build(n, s, CVODE)),
    refined_state=_limestone_state,
)


# Weathering of a granite: Sverdrup and Warfvinge's rates

SILICA = Quantity(
    "silica",
    "What is the total concentration of dissolved silica?",
    "µmol/kg water",
    "value",
    'TOT("Si")*1e6',
    Printed("Solution composition", "Si", scale=1e6),
)
POTASSIUM = Quantity(
    "potassium",
    "What is the total concentration of dissolved potassium?",
    "µmol/kg water",
    "value",
    'TOT("K")*1e6',
    Printed("Solution composition", "K", scale=1e6),
)
SI_MUSCOVITE = Quantity(
    "si-mica",
    "What is the saturation index of K-mica?",
    "",
    "si",
    'SI("K-mica")',
    Printed("Saturation indices", "K-mica"),
)


def _granite_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(4, 21)),
        "log_p": draws.choice(range(-22, -9)) / 10,
        "feldspar": draws.choice((0.5, 1, 1.5, 2, 2.5)),
        "albite": draws.choice((0.2, 0.4, 0.6, 0.8)),
        "surface": draws.choice((4, 5, 6, 8, 10)),
        "years": draws.choice((0.5, 1, 2, 3)),
    }


def _granite_tell(n: Numbers, s: States) -> str:
    albite = (
        f" and {n['albite']:g} mol of albite"
        if s["albite"] == "both"
        else "; albite is there too, but so weathered that it is to be left out"
    )
    of = "each feldspar" if s["albite"] == "both" else "K-feldspar"
    rates = "rates" if s["albite"] == "both" else "rate"
    expressions = (
        "expressions for K-feldspar and albite" if s["albite"] == "both" else "expression for K-feldspar"
    )
    factor = (
        "of which one tenth counts, as is usual in the field"
        if s["field"] == "field"
        else "all of which counts, as in a laboratory"
    )
    gas = f"10^{n['log_p']:g} atm, as in soil air" if s["gas"] == "soil" else "10^-3.4 atm, as outdoors"
    mineral = s["mineral"]
    years = 2 * n["years"] if s["step"] == "half" else 4 * n["years"]
    return (
        f"Rain water, free of salts, rests at {n['temp']:g} °C in the pores of weathered granite. Per kg of water the "
        f"rock has {n['feldspar']:g} mol of K-feldspar{albite}. {of.capitalize()} has a surface of {n['surface']:g} m² "
        f"per mole, {factor}: the {rates} of dissolution follow{'' if s['albite'] == 'both' else 's'} the rate "
        f"{expressions} in the database. The CO2 pressure is {gas}, from the start and all the time; charge balance "
        f"sets the pH. {mineral.capitalize()} comes to equilibrium with the water as soon as it can form; there is "
        "none at the start, and no other mineral forms. The question is about the water after "
        f"{years:g} years of 365.25 days."
    )


def _granite_build(n: Numbers, s: States, method: str = CVODE) -> str:
    gas = f"    CO2(g) {n['log_p'] if s['gas'] == 'soil' else -3.4:g} 10\n"
    parms = f"    -parms {n['surface']:g} {0.1 if s['field'] == 'field' else 1:g}\n    -tol 1e-9\n"
    lines = f"    -m0 {n['feldspar']:g}\n{parms}"
    if s["albite"] == "both":
        lines += f"Albite\n    -m0 {n['albite']:g}\n{parms}"
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7 charge\nEQUILIBRIUM_PHASES 1\n{gas}SAVE solution 1\nEND\n"
        f"USE solution 1\nEQUILIBRIUM_PHASES 2\n{gas}    {s['mineral'].capitalize()} 0 0\n"
        + _kinetics("K-feldspar", lines, n["years"] * 4 * YEAR, 4, method)
        + "END\n"
    )


def _granite_state(n: Numbers, s: States) -> int:
    return {"half": -3, "end": -1}[s["step"]]


GRANITE = Stem(
    name="granite-weathering",
    topic="kinetics",
    draw=_granite_numbers,
    switches=(
        Switch("albite", {"both": "albite put in that is to be left out", "one": "albite left out"}),
        Switch(
            "field",
            {
                "field": "a tenth of the surface in place of all",
                "laboratory": "all the surface in place of a tenth",
            },
        ),
        Switch(
            "gas", {"soil": "soil air in place of outdoor air", "outdoor": "outdoor air in place of soil air"}
        ),
        Switch(
            "mineral",
            {"gibbsite": "gibbsite in place of kaolinite", "kaolinite": "kaolinite in place of gibbsite"},
        ),
        Switch("step", {"half": "read at half the time", "end": "read at twice the time"}, "step"),
    ),
    tell=_granite_tell,
    build=_granite_build,
    quantities=(PH, SILICA, POTASSIUM, SI_MUSCOVITE),
    state=_granite_state,
    refined=lambda n, s: (_granite_build(n, s, RUNGE_KUTTA), _granite_build(n, s, FINER)),
    refined_state=_granite_state,
)


# Pyrite in tailings: Williamson and Rimstidt's rate

SULFATE = Quantity(
    "sulfate",
    "What is the total concentration of dissolved sulfate?",
    "mmol/kg water",
    "value",
    'TOT("S(6)")*1e3',
    Printed("Distribution of species", "S(6)", scale=1e3),
    group="sulfate",
)
FREE_SULFATE = Quantity(
    "free-sulfate",
    "What is the molality of the free ion SO4-2?",
    "mmol/kg water",
    "value",
    'MOL("SO4-2")*1e3',
    Printed("Distribution of species", "SO4-2", scale=1e3),
    group="sulfate",
)
IRON = Quantity(
    "iron",
    "What is the total concentration of dissolved iron?",
    "mmol/kg water",
    "value",
    'TOT("Fe")*1e3',
    Printed("Solution composition", "Fe", scale=1e3),
)


def _pyrite_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(6, 26)),
        "pyrite": draws.choice((20, 40, 60, 80, 100)),
        "surface": draws.choice((0.2, 0.3, 0.4, 0.5, 0.6)),
        "log_p": draws.choice((-2.6, -2.4, -2.2, -2.0, -1.8)),
        "days": draws.choice((100, 150, 200, 300)),
    }


def _pyrite_tell(n: Numbers, s: States) -> str:
    surface = (
        f"The decimal logarithm of its surface, in m² per mole, is {n['surface']:g}"
        if s["area"] == "log"
        else f"Its surface is {n['surface']:g} m² per mole"
    )
    oxygen = (
        "is 0.21 atm (10^-0.678 atm), as in air"
        if s["oxygen"] == "air"
        else f"is 10^{n['log_p']:g} atm under a cover"
    )
    calcite = (
        "calcite, in excess, is with it and stays in equilibrium with the water; no carbon dioxide comes in or goes out"
        if s["calcite"] == "present"
        else "there is no carbonate mineral with it, and no carbon dioxide in the water"
    )
    iron = (
        "Amorphous ferric hydroxide, Fe(OH)3(a), comes to equilibrium as soon as it can form; no other mineral forms"
        if s["iron"] == "forms"
        else "No iron mineral forms in the time, nor any other, however supersaturated the water may be"
    )
    return (
        f"Mine tailings at {n['temp']:g} °C have {n['pyrite']:g} mmol of pyrite in 1 kg of pore water, which is pure "
        f"at the start; {calcite}. The pressure of oxygen in the pores {oxygen}, and the water is in equilibrium with "
        "it at the start and all the time. Pyrite dissolves by the rate expression for pyrite in the database, with "
        f"the exponents 0.67 for the remaining fraction of pyrite, 0.5 for oxygen and -0.11 for H+. {surface}. Iron "
        f"and sulfur are in redox equilibrium with the oxygen. {iron}. The question is about "
        f"the water after {n['days'] * (2 if s['step'] == 'half' else 4):g} days; charge balance sets the pH."
    )


def _pyrite_build(n: Numbers, s: States, method: str = CVODE) -> str:
    gas = f"    O2(g) {-0.678 if s['oxygen'] == 'air' else n['log_p']:g} 10\n"
    minerals = "    Calcite 0 10\n" if s["calcite"] == "present" else ""
    if s["iron"] == "forms":
        minerals += "    Fe(OH)3(a) 0 0\n"
    surface = n["surface"] if s["area"] == "log" else math.log10(n["surface"])
    lines = f"    -m0 {n['pyrite'] / 1e3:g}\n    -parms {surface:.8g} 0.67 0.5 -0.11\n    -tol 1e-9\n"
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7 charge\nEQUILIBRIUM_PHASES 1\n{gas}{minerals}"
        + _kinetics("Pyrite", lines, n["days"] * 4 * DAY, 4, method)
        + "END\n"
    )


def _pyrite_state(n: Numbers, s: States) -> int:
    return {"half": -3, "end": -1}[s["step"]]


PYRITE = Stem(
    name="pyrite-tailings",
    topic="kinetics",
    draw=_pyrite_numbers,
    switches=(
        Switch(
            "area",
            {
                "log": "the surface taken for its logarithm",
                "plain": "the logarithm of the surface taken for the surface",
            },
            "unit",
        ),
        Switch(
            "oxygen",
            {
                "air": "oxygen of air in place of that under a cover",
                "cover": "oxygen under a cover in place of air",
            },
        ),
        Switch("calcite", {"present": "calcite put in that is not there", "absent": "calcite left out"}),
        Switch(
            "iron",
            {"forms": "ferric hydroxide let form that does not", "not": "ferric hydroxide not let form"},
        ),
        Switch("step", {"half": "read at half the time", "end": "read at twice the time"}, "step"),
    ),
    tell=_pyrite_tell,
    build=_pyrite_build,
    quantities=(PH, SULFATE, FREE_SULFATE, IRON),
    state=_pyrite_state,
    refined=lambda n, s: (_pyrite_build(n, s, RUNGE_KUTTA), _pyrite_build(n, s, FINER)),
    refined_state=_pyrite_state,
)


# Biocement: urea becomes ammonium carbonate by a law that the statement gives

AMMONIUM = Quantity(
    "ammonium",
    "What is the molality of the ammonium ion, written AmmH+ in the database?",
    "mmol/kg water",
    "value",
    'MOL("AmmH+")*1e3',
    Printed("Distribution of species", "AmmH+", scale=1e3),
    group="ammonium",
)
AMMONIUM_TOTAL = Quantity(
    "total-ammonium",
    "What is the total concentration of dissolved ammonium and ammonia?",
    "mmol/kg water",
    "value",
    'TOT("Amm")*1e3',
    Printed("Solution composition", "Amm", scale=1e3),
    group="ammonium",
)


def _urea_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(15, 31)),
        "urea": draws.choice((10, 15, 20, 25, 30, 40)),
        "calcium": draws.choice((50, 60, 80, 100)),
        "time": draws.choice((24, 30, 36, 48, 60)),
        "hours": draws.choice((4, 5, 6, 8, 10)),
    }


def _urea_tell(n: Numbers, s: States) -> str:
    pace = (
        "falls as the urea does, in proportion to what is left of it (first order)"
        if s["law"] == "first"
        else "does not change until the urea is used up (zero order)"
    )
    time = (
        f"Half of the urea is gone after {n['time']:g} h"
        if s["time"] == "half-life"
        else f"At the rate of the start all the urea would be gone after {n['time']:g} h"
    )
    calcite = (
        "Calcite forms as soon as it can and is in equilibrium with the water from then on"
        if s["calcite"] == "forms"
        else "An inhibitor keeps calcite from forming, however supersaturated the water becomes"
    )
    air = (
        "The vessel is closed, without any gas"
        if s["air"] == "closed"
        else "The vessel is open: the water keeps in equilibrium with CO2 of 10^-3.4 atm of air, from the start on, "
        "and no ammonia is lost"
    )
    return (
        f"To harden sand, bacteria at {n['temp']:g} °C feed on a solution of {n['urea']:g} mmol urea and "
        f"{n['calcium']:g} mmol CaCl2 per kg of water; charge balance sets its pH. By urease one urea and one water "
        "become one CO2 and two NH3; take urea itself as no part of the chemistry. The database writes NH3 as Amm, "
        f"which has no part in redox. The rate of the reaction {pace}. {time}. {calcite}; no other mineral forms. "
        f"{air}. The question is about the water after {n['hours'] * (2 if s['step'] == 'half' else 4):g} h."
    )


def _urea_build(n: Numbers, s: States, method: str = CVODE) -> str:
    share = math.log(2) if s["law"] == "first" else 0.5
    pace = (share if s["time"] == "half-life" else 1) / (n["time"] * HOUR)
    amount = "M" if s["law"] == "first" else "M0"
    phases = "    Calcite 0 0\n" if s["calcite"] == "forms" else ""
    gas = "    CO2(g) -3.4 10\n" if s["air"] == "open" else ""
    lines = f"    -formula CO2 1 Amm 2 H2O -1\n    -m0 {n['urea'] / 1e3:g}\n    -parms {pace:.10g}\n    -tol 1e-9\n"
    first = f"EQUILIBRIUM_PHASES 1\n{gas}SAVE solution 1\nEND\nUSE solution 1\n" if gas else ""
    return (
        "RATES\nUrea\n    -start\n10 IF M <= 0 THEN GOTO 40\n"
        f"20 rate = PARM(1) * {amount}\n30 moles = rate * TIME\n40 SAVE moles\n    -end\n"
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7 charge\n    units mmol/kgw\n"
        f"    Ca {n['calcium']:g}\n    Cl {2 * n['calcium']:g}\n{first}"
        + (f"EQUILIBRIUM_PHASES 2\n{gas}{phases}" if gas or phases else "")
        + _kinetics("Urea", lines, n["hours"] * 4 * HOUR, 4, method)
        + "END\n"
    )


def _urea_state(n: Numbers, s: States) -> int:
    return {"half": -3, "end": -1}[s["step"]]


UREA = Stem(
    name="urea-biocement",
    topic="kinetics",
    draw=_urea_numbers,
    switches=(
        Switch(
            "law",
            {"first": "first order in place of zero order", "zero": "zero order in place of first order"},
        ),
        Switch(
            "time",
            {
                "half-life": "the time to use up all taken for the half-life",
                "whole": "the half-life taken for the time to use up all at the first rate",
            },
            "unit",
        ),
        Switch("calcite", {"forms": "calcite let form that does not", "not": "calcite not let form"}),
        Switch(
            "air",
            {"closed": "closed in place of open to the air", "open": "open to the air in place of closed"},
        ),
        Switch("step", {"half": "read at half the time", "end": "read at twice the time"}, "step"),
    ),
    tell=_urea_tell,
    build=_urea_build,
    quantities=(PH, ALKALINITY, BICARBONATE, AMMONIUM, AMMONIUM_TOTAL),
    database="Amm.dat",
    state=_urea_state,
    refined=lambda n, s: (_urea_build(n, s, RUNGE_KUTTA), _urea_build(n, s, FINER)),
    refined_state=_urea_state,
)


STEMS = (LIMESTONE, GRANITE, PYRITE, UREA)
