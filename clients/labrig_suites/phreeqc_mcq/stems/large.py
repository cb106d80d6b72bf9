"""Titrations, kinetics and temperature paths in a hundred steps, all of them printed."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.stems.carbonate import CALCIUM, FREE_CALCIUM, PH


def _molality(name: str, species: str, words: str) -> Quantity:
    return Quantity(
        name,
        f"What is the molality of {words}?",
        "mmol/kg water",
        "value",
        f'MOL("{species}")*1e3',
        Printed("Distribution of species", species, scale=1e3),
        group="carbonate",
    )


def _index(name: str, mineral: str, group: str) -> Quantity:
    return Quantity(
        name,
        f"What is the saturation index of {mineral.lower()} in the water?",
        "",
        "si",
        f'SI("{mineral}")',
        Printed("Saturation indices", mineral),
        group=group,
    )


# --- titration of hard water ----------------------------------------------------------------------------------------

_TITRATION_STEPS = 100
_TITRATION_READ = {"40th": 40, "70th": 70}


def _titration_numbers(draws: random.Random) -> dict[str, float]:
    alkalinity = draws.choice(range(150, 301, 10))
    return {
        "alkalinity": alkalinity,
        "step": round(alkalinity / 50 * draws.choice((0.4, 0.45, 0.5, 0.55)) / _TITRATION_STEPS, 4),
        "calcium": draws.choice(range(60, 121, 5)),
        "sodium": draws.choice(range(80, 151, 5)),
        "ph": draws.choice((7.2, 7.4, 7.6, 7.8, 8)),
        "temp": draws.choice((10, 15, 20, 25)),
    }


def _titration_tell(n: Numbers, s: States) -> str:
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


def _titration_build(n: Numbers, s: States) -> str:
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


def _kinetic_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice((5, 10, 15, 20, 25)),
        "log_p": draws.choice(range(-28, -14, 1)) / 10,
        "minutes": draws.choice((10, 15, 20)),
        "area": draws.choice((3000, 4000, 5000, 6000, 8000, 10000)),
        "moles": draws.choice((10, 20, 30)),
        "salt": draws.choice((10, 20, 50, 100)),
    }


def _kinetic_tell(n: Numbers, s: States) -> str:
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


def _kinetic_build(
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


def _heating_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cold": draws.choice((5, 8, 10, 12)),
        "hot": draws.choice((75, 80, 85, 90)),
        "log_p": draws.choice(range(-25, -12)) / 10,
        "sodium": draws.choice((1, 2, 5, 10)),
        "sulfate": draws.choice((0.5, 1, 1.5, 2)),
    }


def _heating_at(n: Numbers, step: int) -> float:
    return n["cold"] + (n["hot"] - n["cold"]) * step / _HEATING_STEPS


def _heating_tell(n: Numbers, s: States) -> str:
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


def _heating_build(n: Numbers, s: States) -> str:
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
        draw=_titration_numbers,
        switches=(
            Switch(
                "acid",
                {
                    "HCl": "hydrochloric acid used instead of sulfuric acid",
                    "H2SO4": "sulfuric acid used instead of hydrochloric acid",
                },
            ),
            Switch(
                "alkalinity",
                {
                    "CaCO3": "alkalinity taken as CaCO3 instead of HCO3",
                    "HCO3": "alkalinity taken as HCO3 instead of CaCO3",
                },
                "unit",
            ),
            Switch("gas", {"open": "water kept open to the air", "closed": "water closed to the air"}),
            Switch(
                "step",
                {
                    "40th": "value read after addition 40 instead of 70",
                    "70th": "value read after addition 70 instead of 40",
                },
                "step",
            ),
        ),
        tell=_titration_tell,
        build=_titration_build,
        quantities=(
            PH,
            _molality("bicarbonate", "HCO3-", "the free ion HCO3-"),
            _molality("co2", "CO2", "dissolved CO2 (the neutral molecule)"),
        ),
        state=lambda n, s: _TITRATION_READ[s["step"]] - _TITRATION_STEPS - 1,
        large=True,
    ),
    Stem(
        name="calcite-dissolves-slowly",
        topic="kinetics",
        draw=_kinetic_numbers,
        switches=(
            Switch(
                "gas",
                {
                    "open": "water kept open to CO2 while calcite dissolves",
                    "closed": "water closed to CO2 before calcite dissolves",
                },
            ),
            Switch(
                "temperature",
                {"cool": "temperature set 20 °C too low", "warm": "temperature set 20 °C too high"},
            ),
            Switch(
                "salt",
                {
                    "sodium chloride": "sodium chloride used instead of calcium chloride",
                    "calcium chloride": "calcium chloride used instead of sodium chloride",
                },
            ),
            Switch(
                "step",
                {
                    "30th": "value read after time step 30 instead of 75",
                    "75th": "value read after time step 75 instead of 30",
                },
                "step",
            ),
        ),
        tell=_kinetic_tell,
        build=_kinetic_build,
        quantities=(
            PH,
            CALCIUM,
            FREE_CALCIUM,
            _index("si-calcite", "Calcite", "index"),
            _index("si-aragonite", "Aragonite", "index"),
        ),
        state=lambda n, s: _KINETIC_READ[s["step"]] - _KINETIC_STEPS - 1,
        refined=lambda n, s: (
            _kinetic_build(n, s, "    -cvode true\n", 2 * _KINETIC_STEPS, "PRINT\n    -reset false\n"),
            _kinetic_build(n, s, "    -step_divide 10\n", 2 * _KINETIC_STEPS, "PRINT\n    -reset false\n"),
        ),
        refined_state=lambda n, s: 2 * (_KINETIC_READ[s["step"]] - _KINETIC_STEPS) - 1,
        large=True,
    ),
    Stem(
        name="groundwater-is-heated",
        topic="temperature",
        draw=_heating_numbers,
        switches=(
            Switch(
                "mineral",
                {
                    "Calcite": "calcite used instead of dolomite",
                    "Dolomite": "dolomite used instead of calcite",
                },
            ),
            Switch(
                "scale",
                {
                    "forms": "scale allowed to form although it does not",
                    "does not form": "formation of scale omitted",
                },
            ),
            Switch("gas", {"open": "water kept open to CO2", "closed": "water closed to CO2"}),
            Switch(
                "step",
                {
                    "35th": "value read after step 35 instead of 85",
                    "85th": "value read after step 85 instead of 35",
                },
                "step",
            ),
        ),
        tell=_heating_tell,
        build=_heating_build,
        quantities=(PH, CALCIUM, FREE_CALCIUM),
        state=lambda n, s: _HEATING_READ[s["step"]] - _HEATING_STEPS - 1,
        large=True,
    ),
)
