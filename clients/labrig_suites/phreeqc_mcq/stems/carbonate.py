"""Water, carbon dioxide and carbonate minerals."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either


def _tell_soil(n: Numbers, s: States) -> str:
    mineral = {"Calcite": "calcite", "Dolomite": "dolomite"}[s["mineral"]]
    water = (
        "pure water" if s["salt"] == "fresh" else f"water containing {n['salt']:g} mmol NaCl per kg of water"
    )
    gas = (
        f"The water remains in contact with soil air at a CO2 partial pressure of 10^{n['log_p']:g} atm while it"
        if s["system"] == "open"
        else f"The water first equilibrates with soil air at a CO2 partial pressure of 10^{n['log_p']:g} atm; "
        "isolated from the air, it then"
    )
    return (
        f"At {n['temp']:g} °C, rain percolates through a soil. Treat it as {water}, at pH 7. {gas} dissolves "
        f"{mineral} in the rock until equilibrium is reached; {mineral} is present in excess, and nothing else reacts."
    )


def _build_soil(n: Numbers, s: States) -> str:
    salt = "" if s["salt"] == "fresh" else f"    Na {n['salt']:g}\n    Cl {n['salt']:g}\n"
    gas = f"    CO2(g) {n['log_p']:g} 10\n"
    mineral = f"    {s['mineral']} 0 10\n"
    start = f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7\n    units mmol/kgw\n{salt}"
    if s["system"] == "open":
        return f"{start}EQUILIBRIUM_PHASES 1\n{gas}{mineral}END\n"
    return (
        f"{start}EQUILIBRIUM_PHASES 1\n{gas}SAVE solution 1\nEND\n"
        f"USE solution 1\nEQUILIBRIUM_PHASES 2\n{mineral}END\n"
    )


STEMS = (
    Stem(
        name="soil-water-on-carbonate-rock",
        topic="gases and minerals",
        draw=one_of(
            temp=range(5, 31),
            log_p=tenths(range(-30, -9)),
            salt=(5, 10, 20, 40, 80),
        ),
        switches=(
            either(
                "system",
                {"open": "kept open to CO2 while", "closed": "closed to CO2 before"},
                "water {} the mineral dissolves",
            ),
            either("mineral", {"Calcite": "calcite", "Dolomite": "dolomite"}),
            Switch("salt", {"fresh": "dissolved salt omitted", "salty": "salt added to pure water"}),
        ),
        tell=_tell_soil,
        build=_build_soil,
        quantities=(PH, CALCIUM, FREE_CALCIUM),
    ),
)
