"""Two waters meet: in a limestone cave, and when seawater is injected into an oil field and warms up there."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.stems.carbonate import CALCIUM, FREE_CALCIUM, PH
from labrig_suites.phreeqc_mcq.stems.minerals import dissolved
from labrig_suites.phreeqc_mcq.stems.redox import ALKALINITY
from labrig_suites.phreeqc_mcq.stems.saturation import index


def _cave_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(6, 21)),
        "deep": draws.choice(range(-14, -8)) / 10,
        "shallow": draws.choice(range(-30, -19)) / 10,
        "cave": draws.choice(range(-28, -19)) / 10,
        "percent": draws.choice((15, 20, 25, 30, 35, 40)),
    }


def _cave_tell(n: Numbers, s: States) -> str:
    rock = {"Calcite": "calcite", "Dolomite": "dolomite"}[s["rock"]]
    deep = n["percent"] if s["share"] == "less" else 100 - n["percent"]
    air = (
        f"The mixture comes to equilibrium with the air of the cave, at a CO2 partial pressure of 10^{n['cave']:g} atm"
        if s["air"] == "open"
        else f"The mixture fills its channel, so that the air of the cave, at a CO2 partial pressure of "
        f"10^{n['cave']:g} atm, does not reach it and no gas is exchanged"
    )
    wall = (
        "The wall of the channel is calcite, in excess, with which the mixture comes to equilibrium; nothing else "
        "precipitates or dissolves"
        if s["wall"] == "calcite"
        else "The wall of the channel is covered with clay, so that no mineral dissolves, and none precipitates"
    )
    return (
        f"Two waters meet in a limestone cave at {n['temp']:g} °C. The deep water was pure water that came to "
        f"equilibrium with an excess of {rock} at a constant CO2 partial pressure of 10^{n['deep']:g} atm; the shallow "
        "water was pure water that came to equilibrium with an excess of calcite at a constant CO2 partial pressure of "
        f"10^{n['shallow']:g} atm. Both waters then left their rock and their gas behind. The mixture consists of "
        f"{deep:g} % deep water and {100 - deep:g} % shallow water, by mass. {air}. {wall}. The question concerns the "
        "mixture in its final state."
    )


def _cave_build(n: Numbers, s: States) -> str:
    deep = (n["percent"] if s["share"] == "less" else 100 - n["percent"]) / 100
    text = ""
    for number, log_p, mineral in ((1, n["deep"], s["rock"]), (2, n["shallow"], "Calcite")):
        text += (
            f"SOLUTION {number}\n    temp {n['temp']:g}\n    pH 7\n"
            f"EQUILIBRIUM_PHASES {number}\n    CO2(g) {log_p:g} 10\n    {mineral} 0 10\nSAVE solution {number}\nEND\n"
        )
    phases = (f"    CO2(g) {n['cave']:g} 10\n" if s["air"] == "open" else "") + (
        "    Calcite 0 10\n" if s["wall"] == "calcite" else ""
    )
    return (
        f"{text}MIX 3\n    1 {deep:g}\n    2 {1 - deep:g}\n"
        + (f"EQUILIBRIUM_PHASES 3\n{phases}" if phases else "")
        + "END\n"
    )


BARIUM = Quantity(
    "barium",
    "What is the total concentration of dissolved barium?",
    "µmol/kg water",
    "value",
    'TOT("Ba")*1e6',
    Printed("Solution composition", "Ba", scale=1e6),
)


def _injection_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cold": draws.choice((15, 20, 25)),
        "hot": draws.choice(range(60, 101, 5)),
        "percent": draws.choice((15, 20, 25, 30, 35, 40)),
        "sodium": draws.choice(range(800, 1601, 100)),
        "calcium": draws.choice(range(80, 241, 20)),
        "strontium": draws.choice(range(30, 81, 5)) / 10,
        "barium": draws.choice(range(20, 41, 2)) / 10,
        "filtered": draws.choice((8, 9, 10, 11, 12)),
    }


def _injection_tell(n: Numbers, s: States) -> str:
    sea = n["percent"] if s["share"] == "less" else 100 - n["percent"]
    sulfate = (
        f"Its sulfate has been lowered from 28.2 to {n['filtered']:g} by a nanofilter"
        if s["filter"] == "on"
        else f"Its sulfate is 28.2, since a nanofilter that would lower it to {n['filtered']:g} is out of service"
    )
    heat = (
        f"at {n['cold']:g} °C, before it warms up to {n['hot']:g} °C in the reservoir"
        if s["place"] == "well"
        else f"at {n['hot']:g} °C, after it has warmed up from {n['cold']:g} °C in the reservoir"
    )
    scale = (
        "Barite precipitates until equilibrium and remains in equilibrium with the mixture; no other mineral forms"
        if s["scale"] == "barite"
        else "An inhibitor keeps all minerals, including barite, from precipitating"
    )
    return (
        f"Seawater is injected into an oil field and mixes there with formation water, both at {n['cold']:g} °C when "
        "they meet. Concentrations are in mmol per kg of water, and in both waters chloride is set by charge balance. "
        f"Seawater (pH 7): Na 470, Mg 53, Ca 10.3. {sulfate}. Formation water (pH 7): Na {n['sodium']:g}, Ca "
        f"{n['calcium']:g}, Sr {n['strontium']:g}, Ba {n['barium']:g}. Of the water in the mixture, {sea:g} % by mass "
        f"(of H2O) is from the sea and {100 - sea:g} % from the formation. {scale}. Consider the mixture {heat}. Take "
        "the pressure as 1 atm; there is no carbonate."
    )


def _injection_build(n: Numbers, s: States) -> str:
    sea = (n["percent"] if s["share"] == "less" else 100 - n["percent"]) / 100
    sulfate = n["filtered"] if s["filter"] == "on" else 28.2
    barite = "    Barite 0 0\n" if s["scale"] == "barite" else ""
    mixed = (
        f"SOLUTION 1\n    temp {n['cold']:g}\n    pH 7\n    units mmol/kgw\n    Na 470\n    Mg 53\n    Ca 10.3\n"
        f"    S(6) {sulfate:g}\n    Cl 500 charge\nSOLUTION 2\n    temp {n['cold']:g}\n    pH 7\n    units mmol/kgw\n"
        f"    Na {n['sodium']:g}\n    Ca {n['calcium']:g}\n    Sr {n['strontium']:g}\n    Ba {n['barium']:g}\n"
        f"    Cl 1000 charge\nEND\nMIX 3\n    1 {sea:g}\n    2 {1 - sea:g}\n"
        + (f"EQUILIBRIUM_PHASES 3\n{barite}SAVE equilibrium_phases 3\n" if barite else "")
        + "SAVE solution 3\nEND\n"
    )
    if s["place"] == "well":
        return mixed
    use = "USE equilibrium_phases 3\n" if barite else ""
    return f"{mixed}USE solution 3\n{use}REACTION_TEMPERATURE 3\n    {n['hot']:g}\nEND\n"


STEMS = (
    Stem(
        name="mixing-in-a-limestone-cave",
        topic="mixing",
        draw=_cave_numbers,
        switches=(
            Switch(
                "share",
                {
                    "less": "mixing shares swapped, with less of the deep water",
                    "more": "mixing shares swapped, with more of the deep water",
                },
            ),
            Switch(
                "rock",
                {
                    "Calcite": "calcite used instead of dolomite",
                    "Dolomite": "dolomite used instead of calcite",
                },
            ),
            Switch(
                "air",
                {
                    "open": "mixture equilibrated with the air of the cave",
                    "closed": "air of the cave omitted",
                },
            ),
            Switch(
                "wall", {"calcite": "calcite of the wall included", "clay": "calcite of the wall omitted"}
            ),
        ),
        tell=_cave_tell,
        build=_cave_build,
        quantities=(PH, CALCIUM, FREE_CALCIUM, ALKALINITY),
    ),
    Stem(
        name="seawater-injected-into-an-oil-field",
        topic="mixing",
        draw=_injection_numbers,
        switches=(
            Switch(
                "share",
                {
                    "less": "mixing shares swapped, with less seawater",
                    "more": "mixing shares swapped, with more seawater",
                },
            ),
            Switch(
                "filter",
                {"on": "sulfate of filtered seawater used", "off": "sulfate of unfiltered seawater used"},
            ),
            Switch(
                "scale",
                {
                    "barite": "barite allowed to precipitate although it does not",
                    "none": "precipitation of barite omitted",
                },
            ),
            Switch(
                "place",
                {
                    "well": "value read before the mixture warms up",
                    "reservoir": "value read after the mixture has warmed up",
                },
                "step",
            ),
        ),
        tell=_injection_tell,
        build=_injection_build,
        quantities=(
            BARIUM,
            dissolved("sulfate", "S"),
            index("celestite", "Celestite", "sulfates", "mixture"),
            index("anhydrite", "Anhydrite", "sulfates", "mixture"),
            index("gypsum", "Gypsum", "sulfates", "mixture"),
        ),
    ),
)
