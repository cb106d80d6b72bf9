"""Carbon dioxide stored underground, at pressures at which it is not an ideal gas."""

from __future__ import annotations

import math

from labrig_suites.phreeqc_mcq.drawing import one_of
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, read, state_of

ATM_PER_MPA = 1 / 0.101325


# Brine under a plume of carbon dioxide

CARBON = total("inorganic carbon", "C(4)", "carbon", name="carbon", unit="mol")
CARBON_DIOXIDE = molality("carbon-dioxide", "CO2", "carbon", noun="the dissolved species", unit="mol")
BICARBONATE = molality("bicarbonate", "HCO3-")


def _tell_plume(n: Numbers, s: States) -> str:
    pressure = (
        f"{n['pressure']:g} MPa (1 atm is 0.101325 MPa)" if s["unit"] == "MPa" else f"{n['pressure']:g} atm"
    )
    water = (
        f"Brine with {n['salt']:g} mol NaCl per kg of water"
        if s["salt"] == "brine"
        else "Fresh water, taken as pure,"
    )
    mineral = (
        f"and with {s['mineral']}, which is also in excess"
        if s["mineral"] != "none"
        else "in the absence of reactive minerals"
    )
    sample = (
        "The question concerns the water underground"
        if s["sample"] == "underground"
        else f"A sample of the water alone is brought up, still at {n['temp']:g} °C, and releases gas until both the "
        "pressure on it and the CO2 partial pressure above it are 1 atm; nothing precipitates. The question concerns "
        "this sample"
    )
    return (
        f"CO2 is stored underground at {n['temp']:g} °C and a pressure of {pressure}. {water} comes to equilibrium "
        f"with the plume, which is pure CO2 in excess at this pressure, {mineral}. The fugacity of CO2 (by the "
        "Peng-Robinson equation of state, as in the database) and the effect of pressure on the water are taken into "
        f"account; water vapour in the plume is not. The pH is set by charge balance. {sample}."
    )


def _build_plume(n: Numbers, s: States) -> str:
    pressure = n["pressure"] * (ATM_PER_MPA if s["unit"] == "MPa" else 1)
    salt = f"    Na {n['salt']:g}\n    Cl {n['salt']:g}\n" if s["salt"] == "brine" else ""
    mineral = "" if s["mineral"] == "none" else f"    {s['mineral'].capitalize()} 0 10\n"
    sample = (
        ""
        if s["sample"] == "underground"
        else "USE solution 2\nREACTION_PRESSURE 2\n    1\nEQUILIBRIUM_PHASES 2\n    CO2(g) 0 0\nEND\n"
    )
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pressure {pressure:.8g}\n    pH 7 charge\n    units mol/kgw\n{salt}"
        f"EQUILIBRIUM_PHASES 1\n    CO2(g) {math.log10(pressure):.8g} 20\n{mineral}SAVE solution 2\nEND\n{sample}"
    )


PLUME = Stem(
    name="brine-under-co2",
    topic="CO2 storage",
    draw=one_of(
        temp=range(35, 81),
        pressure=(8, 9, 10, 11, 12, 14, 16, 18),
        salt=(0.5, 0.8, 1, 1.2, 1.5),
    ),
    switches=(
        given_as("unit", {"MPa": "MPa", "atm": "atm"}, "pressure taken in {} instead of {}"),
        Switch("salt", {"brine": "salt added to fresh water", "fresh": "salt omitted"}),
        Switch(
            "mineral",
            {
                "calcite": "equilibrium with calcite assumed",
                "dolomite": "equilibrium with dolomite assumed",
                "none": "mineral omitted",
            },
        ),
        Switch(
            "sample",
            {
                "underground": "degassing of the sample omitted",
                "up": "water degassed at 1 atm although it stays underground",
            },
        ),
    ),
    tell=_tell_plume,
    build=_build_plume,
    quantities=(PH, CARBON, CARBON_DIOXIDE, BICARBONATE),
)


# Silicates turn carbon dioxide into calcite

DISSOLVED = total(
    "dissolved", "C(4)", "carbon", ask="What is the concentration of dissolved inorganic carbon?"
)
DISSOLVED_DIOXIDE = molality("dissolved-dioxide", "CO2", "carbon", noun="the dissolved species")
SILICA = total("silica", "Si")
STEPS = 4


def _tell_trap(n: Numbers, s: States) -> str:
    rock = {"wollastonite": "wollastonite, CaSiO3,", "diopside": "diopside, CaMgSi2O6,"}[s["rock"]]
    carbonates = {"wollastonite": "Calcite", "diopside": "Calcite, dolomite"}[s["rock"]]
    salt = f"{n['salt']:g} mol NaCl per kg of water" if s["salt"] == "brine" else "no salt"
    carbon = (
        f"{n['carbon']:g} mol of CO2 for 1 kg of water, and no more; what does not dissolve is a bubble at this "
        "pressure, which may vanish"
        if s["carbon"] == "given"
        else "pure CO2 at this pressure, which is in excess throughout"
    )
    silica = {"Chalcedony": "chalcedony", "SiO2(a)": "amorphous silica"}[s["silica"]]
    dissolved = n["silicate"] * (2 if s["step"] == "half" else STEPS)
    return (
        f"In a reservoir at {n['temp']:g} °C and {n['pressure']:g} atm, water with {salt} is in contact with {carbon}. "
        f"The rock dissolves slowly: represent it by {rock} which dissolves in portions of {n['silicate']:g} mol for "
        f"the initial 1 kg of water and does not form again. {carbonates} and {silica} precipitate as soon as they can "
        "and remain in equilibrium with the water; nothing else precipitates. The fugacity of CO2 (by the "
        "Peng-Robinson equation of state, as in the database) and the effect of pressure on the water are taken into "
        f"account; the pH is set by charge balance. The question concerns the state after {dissolved:g} mol have "
        "dissolved."
    )


def _build_trap(n: Numbers, s: States) -> str:
    salt = f"    Na {n['salt']:g}\n    Cl {n['salt']:g}\n" if s["salt"] == "brine" else ""
    formula, dolomite = {"wollastonite": ("CaSiO3", ""), "diopside": ("CaMgSi2O6", "    Dolomite 0 0\n")}[
        s["rock"]
    ]
    carbon = n["carbon"] if s["carbon"] == "given" else 50
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pressure {n['pressure']:g}\n    pH 7 charge\n    units mol/kgw\n"
        f"{salt}EQUILIBRIUM_PHASES 1\n    CO2(g) {math.log10(n['pressure']):.8g} {carbon:g}\n"
        f"    Calcite 0 0\n{dolomite}    {s['silica']} 0 0\n"
        f"REACTION 1\n    {formula} 1\n    {STEPS * n['silicate']:g} moles in {STEPS} steps\nEND\n"
    )


TRAP = Stem(
    name="mineral-trapping",
    topic="CO2 storage",
    draw=one_of(
        temp=range(40, 81),
        pressure=(60, 80, 100, 120, 150),
        salt=(0.3, 0.5, 0.7, 1),
        carbon=(0.8, 0.85, 0.9, 0.95, 1),
        silicate=(0.05, 0.06, 0.07, 0.08, 0.09),
    ),
    switches=(
        either("rock", {"wollastonite": "wollastonite", "diopside": "diopside"}),
        either("carbon", {"given": "in a given amount", "excess": "in excess"}, "CO2 taken {} instead of {}"),
        either("silica", {"Chalcedony": "chalcedony", "SiO2(a)": "amorphous silica"}),
        Switch("salt", {"brine": "salt added to fresh water", "fresh": "salt omitted"}),
        read("step", {"half": "after the second portion", "end": "after the fourth portion"}),
    ),
    tell=_tell_trap,
    build=_build_trap,
    quantities=(PH, DISSOLVED, DISSOLVED_DIOXIDE, CALCIUM, FREE_CALCIUM, SILICA),
    state=state_of("step", {"half": -3, "end": -1}),
)


STEMS = (PLUME, TRAP)
