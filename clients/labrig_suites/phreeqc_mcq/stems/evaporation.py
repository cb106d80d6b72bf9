"""Waters that evaporate: a lake, and sea water in salt ponds."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH, alkalinity, molality, solid, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, read

ALKALINITY = alkalinity("alkalinity")
BICARBONATE = molality(
    "bicarbonate",
    "HCO3-",
    "alkalinity",
    ask="What is the concentration of the bicarbonate ion HCO3-, in charge equivalents?",
    unit="meq",
)


def _tell_lake(n: Numbers, s: States) -> str:
    gas = {
        "closed": "No gas is exchanged with the air.",
        "open": "The water remains in equilibrium with the CO2 of the air, at 10^-3.4 atm.",
    }[s["air"]]
    mineral = {
        "none": "No mineral precipitates, however supersaturated the water becomes",
        "calcite": "Calcite precipitates whenever the water would otherwise be supersaturated with it; no other "
        "mineral, not even aragonite, forms",
        "aragonite": "Aragonite precipitates whenever the water would otherwise be supersaturated with it; no other "
        "mineral, not even calcite, forms",
    }[s["mineral"]]
    read = {"second": "second", "fourth": "fourth"}[s["read"]]
    return (
        f"A spring at {n['temp']:g} °C feeds a small lake without outflow. Its water has pH {n['ph']:.1f} and "
        f"contains, per kg of water, {n['na']:.1f} mmol Na, {n['ca']:.1f} mmol Ca, {n['mg']:.1f} mmol Mg and "
        f"{n['so4']:.1f} mmol SO4; its alkalinity is {n['alkalinity']:g} mg per kg of water, expressed as {s['as']}. "
        f"Chloride was not measured; set it by charge balance. From water that contains 1 kg of H2O (55.51 mol), "
        f"{n['removed']:g} mol of H2O evaporate at the same temperature, in four equal steps. {gas} {mineral}. The "
        f"question concerns the water after the {read} step."
    )


def _build_lake(n: Numbers, s: States) -> str:
    held = "    CO2(g) -3.4 10\n" if s["air"] == "open" else ""
    held += {"none": "", "calcite": "    Calcite 0 0\n", "aragonite": "    Aragonite 0 0\n"}[s["mineral"]]
    phases = f"EQUILIBRIUM_PHASES 1\n{held}" if held else ""
    return (
        f"SOLUTION 1 Spring\n    temp {n['temp']:g}\n    pH {n['ph']:.1f}\n    units mmol/kgw\n"
        f"    Na {n['na']:.1f}\n    Ca {n['ca']:.1f}\n    Mg {n['mg']:.1f}\n    S(6) {n['so4']:.1f}\n"
        f"    Cl 1 charge\n    Alkalinity {n['alkalinity']:g} mg/kgw as {s['as']}\n"
        f"{phases}REACTION 1\n    H2O -1\n    {n['removed']:g} moles in 4 steps\nEND\n"
    )


def _draw_pond(draws: random.Random) -> dict[str, float]:
    n: dict[str, float] = {
        "na": draws.choice(range(460, 501, 5)),
        "k": draws.choice((9.5, 10.0, 10.5, 11.0)),
        "mg": draws.choice(range(50, 61)),
        "ca": draws.choice((10.0, 10.5, 11.0, 11.5, 12.0)),
        "so4": draws.choice((26.0, 27.0, 28.0, 29.0, 30.0)),
        "temp": draws.choice(range(18, 36)),
        "first": draws.choice((51.6, 51.8, 52.0, 52.2)),
        "second": draws.choice((1.6, 1.7, 1.8, 1.9, 2.0)),
        "rain": draws.choice((10, 12, 15)),
    }
    return {**n, "cl": n["na"] + n["k"] + 2 * (n["mg"] + n["ca"] - n["so4"])}


def _tell_pond(n: Numbers, s: States) -> str:
    per = {"water": "per kg of water", "sea water": "per kg of seawater (including the salts)"}[s["per"]]
    rain = {
        "none": "Consider an amount of it that contains 1 kg of H2O.",
        "rain": f"It is diluted with pure rainwater, which makes up {n['rain']:g} % of the H2O in the mixture. "
        "Consider an amount of the mixture that contains 1 kg of H2O.",
    }[s["rain"]]
    salts = {
        "two": "gypsum and halite (no other salt forms)",
        "four": "gypsum, halite, glauberite and polyhalite (no other salt forms)",
    }[s["salts"]]
    flow = {
        "brine": "Only the brine flows on into a second pond, leaving the crystals behind",
        "all": "The brine is pumped into a second pond together with all of its crystals, which continue to react "
        "with it",
    }[s["flow"]]
    read = {"first": "first pond, before anything leaves it", "second": "second pond, at the end"}[s["read"]]
    return (
        f"A salt works takes in seawater of pH 8 that contains, {per}, {n['na']:g} mmol Na, {n['k']:g} mmol K, "
        f"{n['mg']:g} mmol Mg, {n['ca']:g} mmol Ca, {n['cl']:g} mmol Cl and {n['so4']:g} mmol SO4; carbonate is "
        f"neglected. {rain} In a first pond, {n['first']:.1f} mol of the H2O evaporate. {flow}; there, another "
        f"{n['second']:.1f} mol of H2O evaporate. Both ponds are at {n['temp']:g} °C and remain in equilibrium with "
        f"every salt that can crystallise in them: {salts}. The question concerns the {read}."
    )


def _build_pond(n: Numbers, s: States) -> str:
    units = {"water": "mmol/kgw", "sea water": "mmol/kgs"}[s["per"]]
    salts = ["Gypsum", "Halite", *(("Glauberite", "Polyhalite") if s["salts"] == "four" else ())]
    held = "".join(f"    {each} 0 0\n" for each in salts)
    second = {"brine": f"EQUILIBRIUM_PHASES 2\n{held}", "all": "USE equilibrium_phases 1\n"}[s["flow"]]
    sea = (
        f"    temp {n['temp']:g}\n    pH 8\n    units {units}\n    Na {n['na']:g}\n    K {n['k']:g}\n"
        f"    Mg {n['mg']:g}\n    Ca {n['ca']:g}\n    Cl {n['cl']:g}\n    S(6) {n['so4']:g}\n"
    )
    start = f"SOLUTION 1 Sea water\n{sea}"
    if s["rain"] == "rain":
        start += (
            f"SOLUTION 2 Rain\n    temp {n['temp']:g}\n    pH 7\nEND\n"
            f"MIX 1\n    1 {1 - n['rain'] / 100:g}\n    2 {n['rain'] / 100:g}\n"
        )
    return (
        f"{start}EQUILIBRIUM_PHASES 1\n{held}REACTION 1\n    H2O -1\n    {n['first']:.1f} moles\n"
        "SAVE solution 1\nSAVE equilibrium_phases 1\nEND\n"
        f"USE solution 1\n{second}REACTION 2\n    H2O -1\n    {n['second']:.1f} moles\nEND\n"
    )


STEMS = (
    Stem(
        name="evaporating-lake",
        topic="evaporation",
        draw=one_of(
            temp=range(8, 33),
            ph=tenths(range(78, 86)),
            na=tenths(range(20, 51)),
            ca=tenths(range(10, 19)),
            mg=tenths(range(4, 16)),
            so4=tenths(range(2, 7)),
            alkalinity=range(90, 166, 5),
            removed=(40, 42, 44, 46, 48, 50),
        ),
        switches=(
            Switch(
                "air",
                {
                    "closed": "CO2 of the air omitted",
                    "open": "water kept open to CO2 of the air",
                },
            ),
            Switch(
                "mineral",
                {
                    "none": "precipitation of the mineral omitted",
                    "calcite": "calcite allowed to precipitate although it does not",
                    "aragonite": "aragonite allowed to precipitate although it does not",
                },
            ),
            given_as("as", {"CaCO3": "CaCO3", "HCO3": "HCO3"}, "alkalinity taken as {} instead of {}"),
            read("read", {"second": "after the second step", "fourth": "after the last step"}),
        ),
        tell=_tell_lake,
        build=_build_lake,
        quantities=(PH, CALCIUM, FREE_CALCIUM, ALKALINITY, BICARBONATE),
        state=lambda n, s: -1 if s["read"] == "fourth" else -3,
    ),
    Stem(
        name="salt-ponds",
        topic="evaporation",
        draw=_draw_pond,
        switches=(
            given_as(
                "per",
                {"water": "per kg of water", "sea water": "per kg of seawater"},
                "concentrations taken {} instead of {}",
            ),
            Switch(
                "rain",
                {
                    "none": "dilution with rain omitted",
                    "rain": "seawater diluted with rain although there is none",
                },
            ),
            either(
                "salts",
                {"two": "omitted", "four": "allowed to form although they do not"},
                "glauberite and polyhalite {}",
            ),
            either(
                "flow", {"brine": "removed", "all": "kept with the brine"}, "crystals of the first pond {}"
            ),
            read("read", {"first": "in the first pond", "second": "in the second pond"}),
        ),
        tell=_tell_pond,
        build=_build_pond,
        quantities=(
            solid("Halite", "in this pond", unit="mol"),
            total(
                "sodium", "Na", ask="What is the molality of sodium in the brine of this pond?", unit="mol"
            ),
            total(
                "sulfate",
                "S(6)",
                ask="What is the molality of sulfate in the brine of this pond?",
                unit="mol",
                row="S",
            ),
        ),
        state=lambda n, s: -1 if s["read"] == "second" else -2,
        database="pitzer.dat",
    ),
)
