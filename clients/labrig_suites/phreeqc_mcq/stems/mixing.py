"""Two waters meet: in a limestone cave, and when seawater is injected into an oil field and warms up there."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH, alkalinity, index, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, forming, optional, read


def _tell_cave(n: Numbers, s: States) -> str:
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


def _build_cave(n: Numbers, s: States) -> str:
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


BARIUM = total("barium", "Ba", unit="µmol")


def _tell_injection(n: Numbers, s: States) -> str:
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


def _build_injection(n: Numbers, s: States) -> str:
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
        draw=one_of(
            temp=range(6, 21),
            deep=tenths(range(-14, -8)),
            shallow=tenths(range(-30, -19)),
            cave=tenths(range(-28, -19)),
            percent=(15, 20, 25, 30, 35, 40),
        ),
        switches=(
            either(
                "share", {"less": "less", "more": "more"}, "mixing shares swapped, with {} of the deep water"
            ),
            either("rock", {"Calcite": "calcite", "Dolomite": "dolomite"}),
            Switch(
                "air",
                {
                    "open": "mixture equilibrated with the air of the cave",
                    "closed": "air of the cave omitted",
                },
            ),
            optional("wall", "calcite of the wall", {"calcite": True, "clay": False}),
        ),
        tell=_tell_cave,
        build=_build_cave,
        quantities=(PH, CALCIUM, FREE_CALCIUM, alkalinity()),
    ),
    Stem(
        name="seawater-injected-into-an-oil-field",
        topic="mixing",
        draw=one_of(
            cold=(15, 20, 25),
            hot=range(60, 101, 5),
            percent=(15, 20, 25, 30, 35, 40),
            sodium=range(800, 1601, 100),
            calcium=range(80, 241, 20),
            strontium=tenths(range(30, 81, 5)),
            barium=tenths(range(20, 41, 2)),
            filtered=(8, 9, 10, 11, 12),
        ),
        switches=(
            either("share", {"less": "less", "more": "more"}, "mixing shares swapped, with {} seawater"),
            either("filter", {"on": "filtered", "off": "unfiltered"}, "sulfate of {} seawater used"),
            forming("scale", "barite", {"barite": True, "none": False}),
            read(
                "place",
                {"well": "before the mixture warms up", "reservoir": "after the mixture has warmed up"},
            ),
        ),
        tell=_tell_injection,
        build=_build_injection,
        quantities=(
            BARIUM,
            total("sulfate", "S"),
            index("Celestite", "sulfates", of="mixture"),
            index("Anhydrite", "sulfates", of="mixture"),
            index("Gypsum", "sulfates", of="mixture"),
        ),
    ),
)
