"""Titrations, kinetics and temperature paths in a hundred steps, all of them printed."""

from __future__ import annotations

import random

from labrig_harness.suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_harness.suites.phreeqc_mcq.stems.carbonate import CALCIUM, FREE_CALCIUM, PH


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
    alkalinity = {"CaCO3": "given as CaCO3", "HCO3": "given as HCO3"}[s["alkalinity"]]
    gas = (
        "The beaker is open to the air: from the first addition on the water is in equilibrium with CO2 of 10^-3.4 atm"
        if s["gas"] == "open"
        else "The beaker is closed and has no gas space"
    )
    return (
        f"Hard water at {n['temp']:g} °C and pH {n['ph']:g} has an alkalinity of "
        f"{n['alkalinity']:g} mg per kg of water, "
        f"{alkalinity}, and {n['calcium']:g} mg Ca and {n['sodium']:g} mg Na per kg of water; chloride is what the "
        f"balance of charge asks for. It is titrated with {acid}, in {_TITRATION_STEPS} additions "
        f"of {n['step']:g} mmol "
        f"of the acid per kg of water each, without water. {gas}. No mineral dissolves or precipitates. Consider the "
        f"water after the {s['step']} addition."
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
        "while that CO2 pressure is kept up"
        if s["gas"] == "open"
        else "after it has been cut off from the CO2"
    )
    salt = f"{n['salt']:g} mmol NaCl" if s["salt"] == "sodium chloride" else f"{n['salt'] / 10:g} mmol CaCl2"
    cool, warm = n["temp"], n["temp"] + 20
    temp, other = (warm, cool) if s["temperature"] == "warm" else (cool, warm)
    number = {"30th": 30, "75th": 75}[s["step"]]
    return (
        f"Water with {salt} per kg of water, at {temp:g} °C (in another run {other:g} °C) and pH 7 at first, is "
        f"brought to equilibrium with CO2 of "
        f"10^{n['log_p']:g} atm. Then calcite is put into it, {gas}, and dissolves by the rate expression for calcite "
        f"in the database: there are {n['moles']:g} mmol per kg of water at first, with a specific "
        f"area of {n['area']:g} "
        f"cm2 per mol of calcite and an exponent of 0.6 for the change of area. The "
        f"reaction is followed in {_KINETIC_STEPS} time steps of {n['minutes']:g} minutes. Consider the water after "
        f"{number * n['minutes']:g} minutes."
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
        else "no scale forms, however supersaturated the water is"
    )
    gas = (
        f"the water stays in contact with gas of the same CO2 pressure of 10^{n['log_p']:g} atm"
        if s["gas"] == "open"
        else "no gas leaves or enters the water"
    )
    step = _HEATING_READ[s["step"]]
    first = _heating_at(n, 1)
    return (
        f"Groundwater with {n['sulfate']:g} mmol Na2SO4 and {n['sodium']:g} mmol NaCl per kg of water (pH 7 before it "
        f"meets rock and gas) is in equilibrium with {mineral}, in excess, and with CO2 of 10^{n['log_p']:g} atm at "
        f"{n['cold']:g} °C. It leaves the rock and is heated to {n['hot']:g} °C in {_HEATING_STEPS} equal steps, of "
        f"which the first ends at {first:g} °C: {scale}, and {gas}. Consider the water at the end of step {step}, at "
        f"{_heating_at(n, step):g} °C."
    )


def _heating_build(n: Numbers, s: States) -> str:
    phases = (f"    {s['mineral']} 0 0\n" if s["scale"] == "forms" else "") + (
        f"    CO2(g) {n['log_p']:g} 10\n" if s["gas"] == "open" else ""
    )
    return (
        f"SOLUTION 1\n    temp {n['cold']:g}\n    pH 7\n    units mmol/kgw\n    Na {n['sodium'] + 2 * n['sulfate']:g}\n"
        f"    Cl {n['sodium']:g}\n    S(6) {n['sulfate']:g}\n"
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
                    "HCl": "hydrochloric in place of sulfuric acid",
                    "H2SO4": "sulfuric in place of hydrochloric acid",
                },
            ),
            Switch(
                "alkalinity",
                {
                    "CaCO3": "alkalinity taken as CaCO3 that was given as HCO3",
                    "HCO3": "alkalinity taken as HCO3 that was given as CaCO3",
                },
                "unit",
            ),
            Switch("gas", {"open": "opened to the air", "closed": "closed to the air"}),
            Switch("step", {"40th": "addition 40 for 70", "70th": "addition 70 for 40"}, "step"),
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
            Switch("gas", {"open": "kept open to carbon dioxide", "closed": "closed to carbon dioxide"}),
            Switch(
                "temperature",
                {"cool": "20 °C too cold", "warm": "20 °C too warm"},
            ),
            Switch(
                "salt",
                {
                    "sodium chloride": "sodium chloride in place of calcium chloride",
                    "calcium chloride": "calcium chloride in place of sodium chloride",
                },
            ),
            Switch("step", {"30th": "time step 30 for 75", "75th": "time step 75 for 30"}, "step"),
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
                {"Calcite": "calcite in place of dolomite", "Dolomite": "dolomite in place of calcite"},
            ),
            Switch("scale", {"forms": "scale allowed to form", "does not form": "scale left out"}),
            Switch("gas", {"open": "kept open to carbon dioxide", "closed": "closed to carbon dioxide"}),
            Switch("step", {"35th": "step 35 for 85", "85th": "step 85 for 35"}, "step"),
        ),
        tell=_heating_tell,
        build=_heating_build,
        quantities=(PH, CALCIUM, FREE_CALCIUM),
        state=lambda n, s: _HEATING_READ[s["step"]] - _HEATING_STEPS - 1,
        large=True,
    ),
)
