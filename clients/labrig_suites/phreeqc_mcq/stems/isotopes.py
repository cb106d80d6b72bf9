"""Isotopes of dissolved carbon."""

from __future__ import annotations

import math

from labrig_suites.phreeqc_mcq.drawing import one_of
from labrig_suites.phreeqc_mcq.quantities import acidity, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import at_room, either, given_as

PH = acidity("H3O+")
CARBON = total("inorganic carbon", "C", "carbon", name="carbon")
BICARBONATE = molality("bicarbonate", "HCO3-", "carbon")
YEAR = 31557600.0


# Radiocarbon: diluted by dead carbonate, decayed, mixed

RADIOCARBON = Quantity(
    "radiocarbon",
    "What is the carbon-14 content of the dissolved inorganic carbon, in percent modern carbon?",
    "pmc",
    "value",
    'CALC_VALUE("R(14C)")/1.175887709e-14',
    Printed("Isotope Ratios", "R(14C)", 1),
)
HALF_LIFE = 5730.0


def _tell_radiocarbon(n: Numbers, s: States) -> str:
    acid = (
        f"The weathering of pyrite adds {n['acid']:g} mmol H2SO4 per kg of water (treat it as this acid alone). "
        if s["acid"] == "pyrite"
        else ""
    )
    rock = (
        "In the aquifer, which consists of quartz sand, nothing reacts with the water"
        if s["rock"] == "sand"
        else f"In the aquifer, which is closed to gas exchange, the water dissolves {s['rock']} until equilibrium; "
        f"the {s['rock']} contains no carbon-14 and does not exchange any carbon with the water"
    )
    age = (
        f"The water then flows for {n['years']:g} years, during which carbon-14 decays with a half-life of "
        f"{HALF_LIFE:g} years and nothing else happens"
        if s["age"] == "old"
        else "The water then flows so fast that no carbon-14 decays"
    )
    mix = (
        f"In the well, it mixes with fossil water of the same temperature, with no carbon-14 and {n['old']:g} mmol "
        f"NaHCO3 per kg of water, its pH set by charge balance: {100 - n['share']:g} parts by mass of the first water "
        f"to {n['share']:g} parts of the fossil water, and no mineral reacts"
        if s["mix"] == "mixed"
        else "The well draws this water alone"
    )
    return (
        f"Water leaves the soil at {n['temp']:g} °C with {n['dioxide']:g} mmol CO2 and {n['sodium']:g} mmol NaHCO3 "
        f"per kg of water, its pH set by charge balance; its carbon-14 content is {n['modern']:g} percent modern "
        f"carbon (pmc). {acid}{rock}. {age}. {mix}. The question concerns the water from the well."
    )


def _build_radiocarbon(n: Numbers, s: States, method: str = "-runge_kutta 3", steps: int = 1) -> str:
    rock = "" if s["rock"] == "sand" else f"EQUILIBRIUM_PHASES 1\n    {s['rock'].capitalize()} 0 10\n"
    acid = f"REACTION 1\n    H2SO4 1\n    {n['acid'] / 1e3:g} moles\n" if s["acid"] == "pyrite" else ""
    text = (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7 charge\n    units mmol/kgw\n    Na {n['sodium']:g}\n"
        f"    C {n['sodium'] + n['dioxide']:g}\n    [14C] {n['modern']:g}\nSAVE solution 1\nEND\n"
    )
    if rock or acid:
        text += f"USE solution 1\n{rock}{acid}SAVE solution 1\nEND\n"
    if s["age"] == "old":
        text += (
            'RATES\nDecay\n    -start\n10 SAVE -PARM(1) * TOTMOLE("[14C]") * TIME\n    -end\n'
            "USE solution 1\nKINETICS 1\nDecay\n    -formula [14C]O2 1\n    -m0 1\n"
            f"    -parms {math.log(2) / HALF_LIFE / YEAR:.10g}\n    -tol 1e-24\n"
            f"    -steps {n['years'] * YEAR:.10g} in {steps} steps\n    {method}\n"
            "INCREMENTAL_REACTIONS true\nSAVE solution 1\nEND\n"
        )
    if s["mix"] == "mixed":
        text += (
            f"SOLUTION 2\n    temp {n['temp']:g}\n    pH 7 charge\n    units mmol/kgw\n    Na {n['old']:g}\n"
            f"    C {n['old']:g}\nEND\nMIX 1\n    1 {1 - n['share'] / 100:g}\n    2 {n['share'] / 100:g}\nEND\n"
        )
    if not (rock or acid or s["age"] == "old" or s["mix"] == "mixed"):
        text += "USE solution 1\nREACTION 1\n    H2O 1\n    0 moles\nEND\n"
    return text


RADIO = Stem(
    name="radiocarbon",
    topic="isotopes",
    draw=one_of(
        temp=range(6, 19),
        dioxide=(1, 1.5, 2, 2.5, 3),
        sodium=(0.5, 1, 1.5),
        modern=(85, 90, 95, 100, 105, 110),
        acid=(0.4, 0.5, 0.6, 0.7),
        years=(1000, 1500, 2000, 3000, 4000, 5000),
        share=(15, 20, 25, 30, 35),
        old=(4, 5, 6, 7),
    ),
    switches=(
        Switch(
            "rock",
            {
                "calcite": "equilibrium with calcite assumed",
                "dolomite": "equilibrium with dolomite assumed",
                "sand": "carbonate rock omitted",
            },
        ),
        Switch(
            "acid", {"pyrite": "sulfuric acid added although there is none", "none": "sulfuric acid omitted"}
        ),
        either(
            "age", {"old": "included although there is none", "young": "omitted"}, "decay of carbon-14 {}"
        ),
        Switch(
            "mix",
            {
                "mixed": "fossil water mixed in although there is none",
                "alone": "mixing with fossil water omitted",
            },
        ),
    ),
    tell=_tell_radiocarbon,
    build=_build_radiocarbon,
    quantities=(RADIOCARBON, PH, CARBON, BICARBONATE),
    database="iso.dat",
    refined=lambda n, s: (
        _build_radiocarbon(n, s, "-runge_kutta 6"),
        _build_radiocarbon(n, s, "-runge_kutta 3", 8),
        "KNOBS\n    -convergence_tolerance 1e-10\n" + _build_radiocarbon(n, s),
    ),
)


# Carbon-13 between water and the gas above it


def _delta(name: str, noun: str, ratio: str) -> Quantity:
    return Quantity(
        f"delta-{name}",
        f"What is the delta-13C (VPDB) of {noun}?",
        "permil",
        "value",
        f'(CALC_VALUE("R(13C){ratio}")/0.0111802-1)*1e3',
        Printed("Isotope Ratios", f"R(13C){ratio.replace('_', ' ')}", 1),
        group="delta",
    )


DELTA_GAS = _delta("gas", "the CO2 in the gas", "_CO2(g)")
DELTA_CARBON = _delta("carbon", "the dissolved inorganic carbon", "")
DELTA_BICARBONATE = _delta("bicarbonate", "the dissolved species HCO3-", "_HCO3-")


def _tell_headspace(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["temp"] == "bath" else 25
    unit = "C" if s["unit"] == "C" else "HCO3-"
    acid = (
        f"In the bottle, {n['acid']:g} mmol HCl are added per kg of water"
        if s["acid"] == "acid"
        else "In the bottle, nothing is added to the water"
    )
    which = (
        "the equilibrium between water and gas in the bottle"
        if s["round"] == "first"
        else "the second of two rounds: after the first equilibrium, the gas is pumped off, which leaves the same "
        "volume empty, and the same water comes to equilibrium with gas in it again"
    )
    return (
        f"For the analysis of its carbon isotopes, 1 kg of groundwater at {temp:g} °C is let into an evacuated "
        f"bottle, in which {n['volume']:g} L remain for gas; the temperature does not change. The water has pH "
        f"{n['ph']:g}, {n['carbon']:g} mg of inorganic carbon per kg of water, given as {unit}, with a delta-13C of "
        f"{n['delta']:g} permil (VPDB), and sodium set by charge balance. {acid}; charge balance then sets the pH. "
        "Treat the gas as CO2 alone, including its carbon-13, and neglect oxygen isotopes and water vapour. The "
        f"question concerns {which}."
    )


def _build_headspace(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["temp"] == "bath" else 25
    acid = f"REACTION 1\n    HCl 1\n    {n['acid'] / 1e3:g} moles\n" if s["acid"] == "acid" else ""
    gas = (
        f"GAS_PHASE 1\n    -fixed_volume\n    -volume {n['volume']:g}\n    -temperature {temp:g}\n"
        "    CO2(g) 0\n    [13C]O2(g) 0\n"
    )
    again = (
        f"SAVE solution 2\nEND\nUSE solution 2\n{gas.replace('PHASE 1', 'PHASE 2')}"
        if s["round"] == "second"
        else ""
    )
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH {n['ph']:g}\n    units mg/kgw\n    Na 100 charge\n"
        f"    C {n['carbon']:g} as {'C' if s['unit'] == 'C' else 'HCO3'}\n    [13C] {n['delta']:g}\nEND\n"
        f"USE solution 1\n{acid}{gas}{again}END\n"
    )


HEADSPACE = Stem(
    name="carbon-13-headspace",
    topic="isotopes",
    draw=one_of(
        temp=(4, 5, 6, 8, 50, 55, 60),
        ph=(6.4, 6.6, 6.8, 7.0, 7.2),
        carbon=(60, 80, 100, 120, 150),
        delta=(-20, -18, -16, -14, -12),
        acid=(0.4, 0.5, 0.6, 0.8, 1),
        volume=(2, 3, 4, 5),
    ),
    switches=(
        at_room("temp", {"bath": False, "room": True}),
        given_as(
            "unit", {"C": "mg of C", "HCO3": "mg of HCO3-"}, "inorganic carbon taken in {} instead of {}"
        ),
        Switch("acid", {"acid": "acid added to a sample without any", "none": "acid omitted"}),
        either(
            "round", {"first": "omitted", "second": "added although there is one only"}, "second round {}"
        ),
    ),
    tell=_tell_headspace,
    build=_build_headspace,
    quantities=(DELTA_GAS, DELTA_CARBON, DELTA_BICARBONATE, PH),
    database="iso.dat",
)


STEMS = (RADIO, HEADSPACE)
