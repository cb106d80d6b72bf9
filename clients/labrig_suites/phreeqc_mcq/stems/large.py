"""Titrations, kinetics and temperature paths in a hundred steps, all of them printed."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH, index, molality
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, read

# --- titration of hard water ----------------------------------------------------------------------------------------

_TITRATION_STEPS = 100
_TITRATION_READ = {"40th": 40, "70th": 70}


def _draw_titration(draws: random.Random) -> dict[str, float]:
    alkalinity = draws.choice(range(150, 301, 10))
    return {
        "alkalinity": alkalinity,
        "step": round(alkalinity / 50 * draws.choice((0.4, 0.45, 0.5, 0.55)) / _TITRATION_STEPS, 4),
        "calcium": draws.choice(range(60, 121, 5)),
        "sodium": draws.choice(range(80, 151, 5)),
        "ph": draws.choice((7.2, 7.4, 7.6, 7.8, 8)),
        "temp": draws.choice((10, 15, 20, 25)),
    }


def _tell_titration(n: Numbers, s: States) -> str:
    acid = {"HCl": "hydrochloric acid, HCl", "H2SO4": "sulfuric acid, H2SO4"}[s["acid"]]
    alkalinity = {"CaCO3": "expressed as CaCO3", "HCO3": "expressed as HCO3"}[s["alkalinity"]]
    gas = (
        "The beaker is open to the air: from the first addition onwards, the water is in equilibrium with CO2 at "
        "10^-3.4 atm"
        if s["gas"] == "open"
        else "The beaker is closed and has no headspace"
    )
    return (
        f"Hard water at {n['temp']:g} °C and pH {n['ph']:g} has an alkalinity of {n['alkalinity']:g} mg per kg of "
        f"water, {alkalinity}, and contains {n['calcium']:g} mg Ca and {n['sodium']:g} mg Na per kg of water; "
        f"chloride is set by charge balance. It is titrated with {acid}, in {_TITRATION_STEPS} additions of "
        f"{n['step']:g} mmol of the acid per kg of water each, with no water added. {gas}. No mineral dissolves or "
        f"precipitates. Consider the water after the {s['step']} addition."
    )


def _build_titration(n: Numbers, s: States) -> str:
    gas = "EQUILIBRIUM_PHASES 1\n    CO2(g) -3.4 10\n" if s["gas"] == "open" else ""
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}\n    units mg/kgw\n"
        f"    Alkalinity {n['alkalinity']:g} as {s['alkalinity']}\n    Ca {n['calcium']:g}\n    Na {n['sodium']:g}\n"
        "    Cl 10 charge\n"
        f"REACTION 1\n    {s['acid']} 1\n    {n['step'] * _TITRATION_STEPS:.8g} mmol in {_TITRATION_STEPS} steps\n"
        f"{gas}END\n"
    )


# --- calcite that dissolves -----------------------------------------------------------------------------------------

_KINETIC_STEPS = 90
_KINETIC_READ = {"30th": 30, "75th": 75}


def _tell_kinetic(n: Numbers, s: States) -> str:
    gas = (
        "while this CO2 pressure is maintained"
        if s["gas"] == "open"
        else "after the water has been isolated from the CO2"
    )
    salt = f"{n['salt']:g} mmol NaCl" if s["salt"] == "sodium chloride" else f"{n['salt'] / 10:g} mmol CaCl2"
    cool, warm = n["temp"], n["temp"] + 20
    temp, other = (warm, cool) if s["temperature"] == "warm" else (cool, warm)
    number = {"30th": 30, "75th": 75}[s["step"]]
    return (
        f"Water with {salt} per kg of water, at {temp:g} °C (in another run, {other:g} °C) and initially at pH 7, is "
        f"brought to equilibrium with CO2 at 10^{n['log_p']:g} atm. Calcite is then added to it, {gas}, and dissolves "
        f"according to the rate expression for calcite in the database: initially, there are {n['moles']:g} mmol per "
        f"kg of water, with a specific surface area of {n['area']:g} cm2 per mol of calcite and an exponent of 0.6 "
        f"for the change in surface area. The reaction is followed over {_KINETIC_STEPS} time steps of "
        f"{n['minutes']:g} minutes. Consider the water after {number * n['minutes']:g} minutes."
    )


def _build_kinetic(
    n: Numbers, s: States, more: str = "", steps: int = _KINETIC_STEPS, reset: str = ""
) -> str:
    temp = n["temp"] + (20 if s["temperature"] == "warm" else 0)
    salt = (
        f"    Na {n['salt']:g}\n    Cl {n['salt']:g}\n"
        if s["salt"] == "sodium chloride"
        else f"    Ca {n['salt'] / 10:g}\n    Cl {n['salt'] / 5:g}\n"
    )
    gas = f"EQUILIBRIUM_PHASES 1\n    CO2(g) {n['log_p']:g} 10\n"
    total = n["minutes"] * 60 * _KINETIC_STEPS
    return (
        f"{reset}SOLUTION 1\n    temp {temp:g}\n    pH 7\n    units mmol/kgw\n{salt}{gas}SAVE solution 1\nEND\n"
        f"USE solution 1\n{gas if s['gas'] == 'open' else ''}"
        f"KINETICS 1\n    Calcite\n    -m0 {n['moles'] / 1000:g}\n    -parms {n['area']:g} 0.6\n    -tol 1e-9\n"
        f"{more}    -steps {total:g} in {steps} steps\nINCREMENTAL_REACTIONS true\nEND\n"
    )


# --- water that is heated -------------------------------------------------------------------------------------------

_HEATING_STEPS = 100
_HEATING_READ = {"35th": 35, "85th": 85}


def _heating_at(n: Numbers, step: int) -> float:
    return n["cold"] + (n["hot"] - n["cold"]) * step / _HEATING_STEPS


def _tell_heating(n: Numbers, s: States) -> str:
    mineral = {"Calcite": "calcite", "Dolomite": "dolomite"}[s["mineral"]]
    scale = (
        f"{mineral} scale forms whenever the water would be supersaturated with {mineral}"
        if s["scale"] == "forms"
        else "no scale forms, however supersaturated the water becomes"
    )
    gas = (
        f"the water remains in contact with gas of the same CO2 partial pressure, 10^{n['log_p']:g} atm"
        if s["gas"] == "open"
        else "no gas leaves or enters the water"
    )
    step = _HEATING_READ[s["step"]]
    first = _heating_at(n, 1)
    return (
        f"Groundwater with {n['sulfate']:g} mmol Na2SO4 and {n['sodium']:g} mmol NaCl per kg of water (pH 7 before it "
        f"comes into contact with rock and gas) is in equilibrium with {mineral}, which is in excess, and with CO2 at "
        f"10^{n['log_p']:g} atm, at {n['cold']:g} °C. It leaves the rock and is heated to {n['hot']:g} °C in "
        f"{_HEATING_STEPS} equal steps, the first of which ends at {first:g} °C: {scale}, and {gas}. Consider the "
        f"water at the end of step {step}, at {_heating_at(n, step):g} °C."
    )


def _build_heating(n: Numbers, s: States) -> str:
    phases = (f"    {s['mineral']} 0 0\n" if s["scale"] == "forms" else "") + (
        f"    CO2(g) {n['log_p']:g} 10\n" if s["gas"] == "open" else ""
    )
    return (
        f"SOLUTION 1\n    temp {n['cold']:g}\n    pH 7\n    units mmol/kgw\n    Na "
        f"{n['sodium'] + 2 * n['sulfate']:g}\n    Cl {n['sodium']:g}\n    S(6) {n['sulfate']:g}\n"
        f"EQUILIBRIUM_PHASES 1\n    {s['mineral']} 0 10\n    CO2(g) {n['log_p']:g} 10\nSAVE solution 1\nEND\n"
        f"USE solution 1\nREACTION_TEMPERATURE 2\n    {_heating_at(n, 1):.10g} {n['hot']:g} in {_HEATING_STEPS} steps\n"
        + (f"EQUILIBRIUM_PHASES 2\n{phases}" if phases else "")
        + "END\n"
    )


STEMS = (
    Stem(
        name="titration-of-hard-water",
        topic="titration",
        draw=_draw_titration,
        switches=(
            either("acid", {"HCl": "hydrochloric acid", "H2SO4": "sulfuric acid"}),
            given_as(
                "alkalinity", {"CaCO3": "CaCO3", "HCO3": "HCO3"}, "alkalinity taken as {} instead of {}"
            ),
            Switch("gas", {"open": "water kept open to the air", "closed": "water closed to the air"}),
            read("step", {"40th": "40", "70th": "70"}, "value read after addition {} instead of {}"),
        ),
        tell=_tell_titration,
        build=_build_titration,
        quantities=(
            PH,
            molality("bicarbonate", "HCO3-", "carbonate"),
            molality(
                "co2", "CO2", "carbonate", ask="What is the molality of dissolved CO2 (the neutral molecule)?"
            ),
        ),
        state=lambda n, s: _TITRATION_READ[s["step"]] - _TITRATION_STEPS - 1,
        large=True,
    ),
    Stem(
        name="calcite-dissolves-slowly",
        topic="kinetics",
        draw=one_of(
            temp=(5, 10, 15, 20, 25),
            log_p=tenths(range(-28, -14, 1)),
            minutes=(10, 15, 20),
            area=(3000, 4000, 5000, 6000, 8000, 10000),
            moles=(10, 20, 30),
            salt=(10, 20, 50, 100),
        ),
        switches=(
            either(
                "gas",
                {"open": "kept open to CO2 while", "closed": "closed to CO2 before"},
                "water {} calcite dissolves",
            ),
            either("temperature", {"cool": "low", "warm": "high"}, "temperature set 20 °C too {}"),
            either("salt", {"sodium chloride": "sodium chloride", "calcium chloride": "calcium chloride"}),
            read("step", {"30th": "30", "75th": "75"}, "value read after time step {} instead of {}"),
        ),
        tell=_tell_kinetic,
        build=_build_kinetic,
        quantities=(
            PH,
            CALCIUM,
            FREE_CALCIUM,
            index("Calcite", "index"),
            index("Aragonite", "index"),
        ),
        state=lambda n, s: _KINETIC_READ[s["step"]] - _KINETIC_STEPS - 1,
        refined=lambda n, s: (
            _build_kinetic(n, s, "    -cvode true\n", 2 * _KINETIC_STEPS, "PRINT\n    -reset false\n"),
            _build_kinetic(n, s, "    -step_divide 10\n", 2 * _KINETIC_STEPS, "PRINT\n    -reset false\n"),
        ),
        refined_state=lambda n, s: 2 * (_KINETIC_READ[s["step"]] - _KINETIC_STEPS) - 1,
        large=True,
    ),
    Stem(
        name="groundwater-is-heated",
        topic="temperature",
        draw=one_of(
            cold=(5, 8, 10, 12),
            hot=(75, 80, 85, 90),
            log_p=tenths(range(-25, -12)),
            sodium=(1, 2, 5, 10),
            sulfate=(0.5, 1, 1.5, 2),
        ),
        switches=(
            either("mineral", {"Calcite": "calcite", "Dolomite": "dolomite"}),
            Switch(
                "scale",
                {
                    "forms": "scale allowed to form although it does not",
                    "does not form": "formation of scale omitted",
                },
            ),
            Switch("gas", {"open": "water kept open to CO2", "closed": "water closed to CO2"}),
            read("step", {"35th": "35", "85th": "85"}, "value read after step {} instead of {}"),
        ),
        tell=_tell_heating,
        build=_build_heating,
        quantities=(PH, CALCIUM, FREE_CALCIUM),
        state=lambda n, s: _HEATING_READ[s["step"]] - _HEATING_STEPS - 1,
        large=True,
    ),
)
