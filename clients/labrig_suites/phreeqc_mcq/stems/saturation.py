"""How far waters are from equilibrium with minerals: well water when heated, brine when it meets sulfate scale."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import index
from labrig_suites.phreeqc_mcq.scenario import (
    Numbers,
    States,
    Stem,
)
from labrig_suites.phreeqc_mcq.switches import databases, either, given_as, optional, read


def _tell_well(n: Numbers, s: States) -> str:
    calcium = {"Ca": "as Ca", "CaCO3": "as CaCO3"}[s["calcium"]]
    alkalinity = {"CaCO3": "as CaCO3", "HCO3": "as HCO3-"}[s["alkalinity"]]
    use = "before" if s["use"] == "cool" else "after"
    air = (
        "It bypasses a spray tower, which would bring it to equilibrium with air at 25 °C (CO2 partial pressure "
        "10^-3.4 atm)"
        if s["air"] == "closed"
        else "It first passes through a spray tower, which brings it to equilibrium with air at 25 °C (CO2 partial "
        "pressure 10^-3.4 atm)"
    )
    return (
        f"Water from a well is analysed at 25 °C: pH {n['ph']:g} and, in mg per kg of water, calcium "
        f"{n['hardness']:g} (expressed {calcium}), magnesium {n['magnesium']:g} (as Mg), alkalinity "
        f"{n['alkalinity']:g} (expressed {alkalinity}), sodium {n['sodium']:g}, and chloride set by charge balance. "
        f"{air}. A heat exchanger then heats it to {n['heat']:g} °C under pressure, so that no gas escapes. No mineral "
        f"forms anywhere. Consider the water {use} the heat exchanger."
    )


def _build_well(n: Numbers, s: States) -> str:
    calcium = n["hardness"] / {"Ca": 40.08, "CaCO3": 100.0869}[s["calcium"]]
    alkalinity = n["alkalinity"] / {"CaCO3": 50.04345, "HCO3": 61.0171}[s["alkalinity"]]
    text = (
        f"SOLUTION 1\n    temp 25\n    pH {n['ph']:g}\n    units mmol/kgw\n    Ca {calcium:.6g}\n"
        f"    Mg {n['magnesium'] / 24.305:.6g}\n    Alkalinity {alkalinity:.6g}\n    Na {n['sodium'] / 22.9898:.6g}\n"
        "    Cl 1 charge\nEND\n"
    )
    if s["air"] == "open":
        text += "USE solution 1\nEQUILIBRIUM_PHASES 1\n    CO2(g) -3.4 10\nSAVE solution 1\nEND\n"
    if s["use"] == "heated":
        text += f"USE solution 1\nREACTION_TEMPERATURE 1\n    {n['heat']:g}\nEND\n"
    return text


def _brine_chloride(n: Numbers, s: States) -> float:
    """Return the chloride that balances the charges, in mmol.

    It is stated and entered, for the program's own charge balance takes the mass of the solutes from what is entered
    for chloride before, and so gives another brine where concentrations are per kg of brine.
    """
    magnesium = n["magnesium"] if s["magnesium"] == "with" else 0
    return (n["sodium"] + 2 * n["calcium"] + 2 * magnesium) * 1e3 + 2 * n["strontium"] - 2 * n["sulfate"]


def _tell_brine(n: Numbers, s: States) -> str:
    basis = {"kgw": "per kg of water", "kgs": "per kg of brine"}[s["basis"]]
    magnesium = (
        f"magnesium {n['magnesium']:g}"
        if s["magnesium"] == "with"
        else f"no magnesium (a neighbouring field has {n['magnesium']:g})"
    )
    place = "in the reservoir" if s["place"] == "reservoir" else "at the wellhead"
    return (
        f"An oilfield brine at {n['temp']:g} °C and pH 6.5 contains, in mol {basis}: sodium {n['sodium']:g}, "
        f"calcium {n['calcium']:g}, {magnesium}, and chloride {_brine_chloride(n, s) / 1e3:g}, which balances the "
        f"charge; and in mmol {basis}: strontium {n['strontium']:g} and sulfate {n['sulfate']:g}. The pressure is "
        f"{n['bar']:g} atm in the reservoir and 1 atm at the wellhead; temperature and pH are the same in both places. "
        f"Consider the brine {place}. No mineral forms, no gas escapes, and the effect of pressure on the equilibrium "
        "constants is that of the database."
    )


def _build_brine(n: Numbers, s: States) -> str:
    pressure = n["bar"] if s["place"] == "reservoir" else 1
    magnesium = n["magnesium"] if s["magnesium"] == "with" else 0
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pressure {pressure:g}\n    pH 6.5\n    units mmol/{s['basis']}\n"
        f"    Na {n['sodium'] * 1e3:g}\n    Ca {n['calcium'] * 1e3:g}\n"
        + (f"    Mg {magnesium * 1e3:g}\n" if magnesium else "")
        + f"    Sr {n['strontium']:g}\n    S(6) {n['sulfate']:g}\n    Cl {_brine_chloride(n, s):g}\nEND\n"
    )


STEMS = (
    Stem(
        name="well-water-in-a-heat-exchanger",
        topic="saturation",
        draw=one_of(
            heat=range(50, 91, 5),
            ph=tenths(range(68, 78)),
            hardness=range(120, 201, 10),
            magnesium=range(5, 31),
            alkalinity=range(150, 251, 10),
            sodium=range(60, 121, 5),
        ),
        switches=(
            given_as("calcium", {"Ca": "Ca", "CaCO3": "CaCO3"}, "calcium taken as {} instead of {}"),
            given_as(
                "alkalinity", {"CaCO3": "CaCO3", "HCO3": "HCO3-"}, "alkalinity taken as {} instead of {}"
            ),
            optional("air", "equilibrium with air", {"closed": False, "open": True}),
            read("use", {"cool": "before heating", "heated": "after heating"}),
        ),
        tell=_tell_well,
        build=_build_well,
        quantities=(
            index("Calcite", "carbonates"),
            index("Aragonite", "carbonates"),
            index("Dolomite", "carbonates"),
        ),
    ),
    Stem(
        name="sulfate-scale-from-oilfield-brine",
        topic="saturation",
        draw=one_of(
            temp=range(30, 66, 5),
            bar=range(200, 601, 50),
            sodium=tenths(range(15, 31, 5)),
            calcium=tenths(range(5, 31, 5), 100),
            magnesium=tenths(range(10, 41, 5), 100),
            strontium=tenths(range(10, 81, 10)),
            sulfate=range(10, 41, 5),
        ),
        switches=(
            given_as(
                "basis",
                {"kgw": "per kg of water", "kgs": "per kg of brine"},
                "concentrations taken {} instead of {}",
            ),
            optional("magnesium", "magnesium", {"with": True, "without": False}),
            either("place", {"reservoir": "of the reservoir", "head": "at the wellhead"}, "pressure {} used"),
            databases("phreeqc.dat", "pitzer.dat"),
        ),
        tell=_tell_brine,
        build=_build_brine,
        quantities=(
            index("Celestite", "sulfates", of="brine"),
            index("Gypsum", "sulfates", of="brine"),
            index("Anhydrite", "sulfates", of="brine"),
        ),
    ),
)
