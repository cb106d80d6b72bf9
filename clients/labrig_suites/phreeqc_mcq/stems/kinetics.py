"""Reactions that take time: rate expressions of the database, and rate laws that the statement gives."""

from __future__ import annotations

import math

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, PH, alkalinity, index, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, forming, given_as, optional, read, state_of

SI_CALCITE = index("Calcite", of="")
ALKALINITY = alkalinity("alkalinity", unit="mmol", said=", in mmol of charge")
BICARBONATE = molality("bicarbonate", "HCO3-", "alkalinity")
HOUR, DAY, YEAR = 3600.0, 86400.0, 31557600.0


def _kinetics(rate: str, lines: str, seconds: float, steps: int, method: str) -> str:
    return (
        f"KINETICS 1\n{rate}\n{lines}    -steps {seconds:.10g} in {steps} steps\n    {method}\n"
        "INCREMENTAL_REACTIONS true\n"
    )


RUNGE_KUTTA = "-runge_kutta 3\n    -step_divide 10"
FINER = "-runge_kutta 6\n    -step_divide 100"
SECOND_OR_FOURTH = state_of("step", {"second": -3, "fourth": -1})
HALF_OR_END = state_of("step", {"half": -3, "end": -1})
CVODE = "-cvode true\n    -cvode_steps 500"


# Soft water in a limestone filter: PWP rate


def _tell_limestone(n: Numbers, s: States) -> str:
    water = (
        f"water containing dissolved CO2 and {n['acid']:g} mmol HCl per kg of water"
        if s["acid"] == "acid"
        else "water containing nothing but dissolved CO2"
    )
    place = (
        f"In a filter house, at {n['temp']:g} °C (the laboratory is at 25 °C),"
        if s["temp"] == "cold"
        else f"In a laboratory column, at 25 °C (the filter house is at {n['temp']:g} °C),"
    )
    gas = (
        f"it was brought to equilibrium with CO2 at 10^{n['log_p']:g} atm; no gas reaches it in the limestone"
        if s["system"] == "closed"
        else f"it was brought to equilibrium with CO2 at 10^{n['log_p']:g} atm, and it remains in equilibrium with it "
        "in the limestone"
    )
    unit = "g (take 100.09 g/mol)" if s["unit"] == "gram" else "mol"
    which = {"second": "second", "fourth": "fourth"}[s["step"]]
    return (
        f"{place} {water} stands in crushed limestone, with {n['stone']:g} mmol of calcite per kg of water. Before "
        f"that, {gas}. The pH is set by charge balance. Calcite dissolves according to the rate expression for "
        f"calcite in the database. Its surface area is initially {n['surface']:g} cm²/{unit}; the total surface area "
        "decreases with the fraction of calcite remaining, raised to the power of 0.67. The water is sampled every "
        f"{n['hours']:g} h, four times in all; the samples are too small to affect the rest. The question concerns "
        f"the {which} sample."
    )


def _build_limestone(n: Numbers, s: States, method: str = RUNGE_KUTTA) -> str:
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


LIMESTONE = Stem(
    name="limestone-filter",
    topic="kinetics",
    draw=one_of(
        temp=range(5, 16),
        log_p=tenths(range(-22, -11)),
        acid=(0.1, 0.2, 0.3, 0.4),
        stone=(2, 5, 10, 20, 40),
        surface=(40, 60, 80, 100, 150, 200),
        hours=(1, 2, 3, 4, 6),
    ),
    switches=(
        either(
            "system",
            {"open": "kept open to CO2 while", "closed": "closed to CO2 before"},
            "water {} calcite dissolves",
        ),
        given_as("unit", {"gram": "per gram", "mole": "per mole"}, "surface area taken {} instead of {}"),
        either(
            "temp", {"cold": "filter house", "warm": "laboratory"}, "temperature of the {} used in the {}"
        ),
        Switch("acid", {"none": "acid omitted", "acid": "acid added to water without any"}),
        read("step", {"second": "after the second interval", "fourth": "after the fourth interval"}),
    ),
    tell=_tell_limestone,
    build=_build_limestone,
    quantities=(PH, CALCIUM, SI_CALCITE, ALKALINITY, BICARBONATE),
    state=SECOND_OR_FOURTH,
    refined=lambda n, s: (_build_limestone(n, s, FINER), _build_limestone(n, s, CVODE)),
    refined_state=SECOND_OR_FOURTH,
)


# Weathering of a granite: Sverdrup and Warfvinge's rates

SILICA = total("silica", "Si", unit="µmol")
POTASSIUM = total("potassium", "K", unit="µmol")
SI_MUSCOVITE = index("K-mica", noun="K-mica", of="", name="si-mica")


def _tell_granite(n: Numbers, s: States) -> str:
    albite = (
        f" and {n['albite']:g} mol of albite"
        if s["albite"] == "both"
        else "; albite is present as well, but so weathered that it is to be neglected"
    )
    of = "each feldspar" if s["albite"] == "both" else "K-feldspar"
    expressions = (
        "expressions for K-feldspar and albite" if s["albite"] == "both" else "expression for K-feldspar"
    )
    factor = (
        "of which one tenth is effective, as is usual in the field"
        if s["field"] == "field"
        else "all of which is effective, as in a laboratory"
    )
    gas = f"10^{n['log_p']:g} atm, as in soil air" if s["gas"] == "soil" else "10^-3.4 atm, as in outdoor air"
    mineral = s["mineral"]
    years = 2 * n["years"] if s["step"] == "half" else 4 * n["years"]
    return (
        f"Rainwater, free of salts, stands at {n['temp']:g} °C in the pores of a weathered granite. Per kg of water, "
        f"the rock contains {n['feldspar']:g} mol of K-feldspar{albite}. {of.capitalize()} has a surface area of "
        f"{n['surface']:g} m² per mole, {factor}; dissolution follows the rate {expressions} in the database. The CO2 "
        f"partial pressure is {gas}, at the start and throughout; the pH is set by charge balance. "
        f"{mineral.capitalize()} comes to equilibrium with the water as soon as it can form; none is present at the "
        f"start, and no other mineral forms. The question concerns the water after {years:g} years of 365.25 days."
    )


def _build_granite(n: Numbers, s: States, method: str = CVODE) -> str:
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


GRANITE = Stem(
    name="granite-weathering",
    topic="kinetics",
    draw=one_of(
        temp=range(4, 21),
        log_p=tenths(range(-22, -9)),
        feldspar=(0.5, 1, 1.5, 2, 2.5),
        albite=(0.2, 0.4, 0.6, 0.8),
        surface=(4, 5, 6, 8, 10),
        years=(0.5, 1, 2, 3),
    ),
    switches=(
        Switch("albite", {"both": "albite included although it is to be neglected", "one": "albite omitted"}),
        either(
            "field",
            {"field": "a tenth", "laboratory": "all"},
            "{} of the surface area used instead of {} of it",
        ),
        either(
            "gas",
            {"soil": "soil air", "outdoor": "outdoor air"},
            "CO2 pressure of {} used instead of that of {}",
        ),
        either("mineral", {"gibbsite": "gibbsite", "kaolinite": "kaolinite"}),
        read("step", {"half": "at half the time", "end": "at twice the time"}),
    ),
    tell=_tell_granite,
    build=_build_granite,
    quantities=(PH, SILICA, POTASSIUM, SI_MUSCOVITE),
    state=HALF_OR_END,
    refined=lambda n, s: (_build_granite(n, s, RUNGE_KUTTA), _build_granite(n, s, FINER)),
    refined_state=HALF_OR_END,
)


# Pyrite in tailings: Williamson and Rimstidt's rate

SULFATE = total("sulfate", "S(6)", "sulfate")
FREE_SULFATE = molality("free-sulfate", "SO4-2", "sulfate")
IRON = total("iron", "Fe")


def _tell_pyrite(n: Numbers, s: States) -> str:
    surface = (
        f"The decimal logarithm of its surface area, in m² per mole, is {n['surface']:g}"
        if s["area"] == "log"
        else f"Its surface area is {n['surface']:g} m² per mole"
    )
    oxygen = (
        "is 0.21 atm (10^-0.678 atm), as in air"
        if s["oxygen"] == "air"
        else f"is 10^{n['log_p']:g} atm, as under a cover"
    )
    calcite = (
        "an excess of calcite is present and remains in equilibrium with the water; no carbon dioxide enters or leaves"
        if s["calcite"] == "present"
        else "no carbonate mineral is present, and there is no carbon dioxide in the water"
    )
    iron = (
        "Amorphous ferric hydroxide, Fe(OH)3(a), comes to equilibrium with the water as soon as it can form; no other "
        "mineral forms"
        if s["iron"] == "forms"
        else "No iron mineral forms in this time, nor does any other mineral, however supersaturated the water becomes"
    )
    return (
        f"Mine tailings at {n['temp']:g} °C contain {n['pyrite']:g} mmol of pyrite in 1 kg of pore water, which is "
        f"pure at the start; {calcite}. The oxygen partial pressure in the pores {oxygen}, and the water is in "
        "equilibrium with it at the start and throughout. Pyrite dissolves according to the rate expression for "
        "pyrite in the database, with the exponents 0.67 for the remaining fraction of pyrite, 0.5 for oxygen and "
        f"-0.11 for H+. {surface}. Iron and sulfur are in redox equilibrium with the oxygen. {iron}. The question "
        f"concerns the water after {n['days'] * (2 if s['step'] == 'half' else 4):g} days; the pH is set by charge "
        "balance."
    )


def _build_pyrite(n: Numbers, s: States, method: str = CVODE) -> str:
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


PYRITE = Stem(
    name="pyrite-tailings",
    topic="kinetics",
    draw=one_of(
        temp=range(6, 26),
        pyrite=(20, 40, 60, 80, 100),
        surface=(0.2, 0.3, 0.4, 0.5, 0.6),
        log_p=(-2.6, -2.4, -2.2, -2.0, -1.8),
        days=(100, 150, 200, 300),
    ),
    switches=(
        Switch(
            "area",
            {
                "log": "surface area taken as its logarithm",
                "plain": "logarithm of the surface area taken as the surface area",
            },
            "unit",
        ),
        either(
            "oxygen",
            {"air": "of air", "cover": "under a cover"},
            "oxygen pressure {} used instead of that {}",
        ),
        optional("calcite", "calcite", {"present": True, "absent": False}),
        forming("iron", "ferric hydroxide", {"forms": True, "not": False}),
        read("step", {"half": "at half the time", "end": "at twice the time"}),
    ),
    tell=_tell_pyrite,
    build=_build_pyrite,
    quantities=(PH, SULFATE, FREE_SULFATE, IRON),
    state=HALF_OR_END,
    refined=lambda n, s: (_build_pyrite(n, s, RUNGE_KUTTA), _build_pyrite(n, s, FINER)),
    refined_state=HALF_OR_END,
)


# Biocement: urea becomes ammonium carbonate by a law that the statement gives

AMMONIUM = molality(
    "ammonium",
    "AmmH+",
    "ammonium",
    ask="What is the molality of the ammonium ion, written AmmH+ in the database?",
)
AMMONIUM_TOTAL = total("ammonium and ammonia", "Amm", "ammonium", name="total-ammonium")


def _tell_urea(n: Numbers, s: States) -> str:
    pace = (
        "is proportional to the amount of urea remaining (first order)"
        if s["law"] == "first"
        else "is constant until the urea is used up (zero order)"
    )
    time = (
        f"Half of the urea has reacted after {n['time']:g} h"
        if s["time"] == "half-life"
        else f"At the initial rate, all of the urea would have reacted after {n['time']:g} h"
    )
    calcite = (
        "Calcite precipitates as soon as it can and is in equilibrium with the water from then on"
        if s["calcite"] == "forms"
        else "An inhibitor keeps calcite from precipitating, however supersaturated the water becomes"
    )
    air = (
        "The vessel is closed and contains no gas"
        if s["air"] == "closed"
        else "The vessel is open: the water remains in equilibrium with CO2 of the air, at 10^-3.4 atm, from the "
        "start, and no ammonia is lost"
    )
    return (
        f"To harden sand, bacteria at {n['temp']:g} °C are fed a solution of {n['urea']:g} mmol urea and "
        f"{n['calcium']:g} mmol CaCl2 per kg of water; its pH is set by charge balance. Urease converts one urea and "
        "one water into one CO2 and two NH3; urea itself is to take no part in the chemistry. The database writes NH3 "
        f"as Amm, which takes no part in redox reactions. The rate of the reaction {pace}. {time}. {calcite}; no "
        f"other mineral forms. {air}. The question concerns the water after "
        f"{n['hours'] * (2 if s['step'] == 'half' else 4):g} h."
    )


def _build_urea(n: Numbers, s: States, method: str = CVODE) -> str:
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


UREA = Stem(
    name="urea-biocement",
    topic="kinetics",
    draw=one_of(
        temp=range(15, 31),
        urea=(10, 15, 20, 25, 30, 40),
        calcium=(50, 60, 80, 100),
        time=(24, 30, 36, 48, 60),
        hours=(4, 5, 6, 8, 10),
    ),
    switches=(
        Switch(
            "law",
            {
                "first": "first-order rate used instead of zero order",
                "zero": "zero-order rate used instead of first order",
            },
        ),
        Switch(
            "time",
            {
                "half-life": "time of complete reaction taken as the half-life",
                "whole": "half-life taken as the time of complete reaction at the initial rate",
            },
            "unit",
        ),
        forming("calcite", "calcite", {"forms": True, "not": False}),
        Switch(
            "air",
            {
                "closed": "vessel closed instead of open to the air",
                "open": "vessel opened to the air instead of closed",
            },
        ),
        read("step", {"half": "at half the time", "end": "at twice the time"}),
    ),
    tell=_tell_urea,
    build=_build_urea,
    quantities=(PH, ALKALINITY, BICARBONATE, AMMONIUM, AMMONIUM_TOTAL),
    database="Amm.dat",
    state=HALF_OR_END,
    refined=lambda n, s: (_build_urea(n, s, RUNGE_KUTTA), _build_urea(n, s, FINER)),
    refined_state=HALF_OR_END,
)


STEMS = (LIMESTONE, GRANITE, PYRITE, UREA)
