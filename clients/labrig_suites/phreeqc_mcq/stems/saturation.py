"""How far waters are from equilibrium with minerals: well water when heated, brine when it meets sulfate scale."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.scenario import (
    DATABASE,
    Numbers,
    Printed,
    Quantity,
    States,
    Stem,
    Switch,
)


def index(mineral: str, phase: str, group: str, liquid: str = "water") -> Quantity:
    """Return the saturation index of a mineral as a quantity."""
    return Quantity(
        f"si-{phase.lower()}",
        f"What is the saturation index of {mineral} in the {liquid}?",
        "",
        "si",
        f'SI("{phase}")',
        Printed("Saturation indices", phase),
        group,
    )


def _well_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "heat": draws.choice(range(50, 91, 5)),
        "ph": draws.choice(range(68, 78)) / 10,
        "hardness": draws.choice(range(120, 201, 10)),
        "magnesium": draws.choice(range(5, 31)),
        "alkalinity": draws.choice(range(150, 251, 10)),
        "sodium": draws.choice(range(60, 121, 5)),
    }


def _well_tell(n: Numbers, s: States) -> str:
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


def _well_build(n: Numbers, s: States) -> str:
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


def _brine_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(30, 66, 5)),
        "bar": draws.choice(range(200, 601, 50)),
        "sodium": draws.choice(range(15, 31, 5)) / 10,
        "calcium": draws.choice(range(5, 31, 5)) / 100,
        "magnesium": draws.choice(range(10, 41, 5)) / 100,
        "strontium": draws.choice(range(10, 81, 10)) / 10,
        "sulfate": draws.choice(range(10, 41, 5)),
    }


def _brine_chloride(n: Numbers, s: States) -> float:
    """Return the chloride that balances the charges, in mmol.

    It is stated and entered, for the program's own charge balance takes the mass of the solutes from what is entered
    for chloride before, and so gives another brine where concentrations are per kg of brine.
    """
    magnesium = n["magnesium"] if s["magnesium"] == "with" else 0
    return (n["sodium"] + 2 * n["calcium"] + 2 * magnesium) * 1e3 + 2 * n["strontium"] - 2 * n["sulfate"]


def _brine_tell(n: Numbers, s: States) -> str:
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


def _brine_build(n: Numbers, s: States) -> str:
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
        draw=_well_numbers,
        switches=(
            Switch(
                "calcium",
                {
                    "Ca": "calcium taken as Ca instead of CaCO3",
                    "CaCO3": "calcium taken as CaCO3 instead of Ca",
                },
                "unit",
            ),
            Switch(
                "alkalinity",
                {
                    "CaCO3": "alkalinity taken as CaCO3 instead of HCO3-",
                    "HCO3": "alkalinity taken as HCO3- instead of CaCO3",
                },
                "unit",
            ),
            Switch(
                "air", {"closed": "equilibrium with air omitted", "open": "equilibrium with air included"}
            ),
            Switch(
                "use", {"cool": "value read before heating", "heated": "value read after heating"}, "step"
            ),
        ),
        tell=_well_tell,
        build=_well_build,
        quantities=(
            index("calcite", "Calcite", "carbonates"),
            index("aragonite", "Aragonite", "carbonates"),
            index("dolomite", "Dolomite", "carbonates"),
        ),
    ),
    Stem(
        name="sulfate-scale-from-oilfield-brine",
        topic="saturation",
        draw=_brine_numbers,
        switches=(
            Switch(
                "basis",
                {
                    "kgw": "concentrations taken per kg of water instead of per kg of brine",
                    "kgs": "concentrations taken per kg of brine instead of per kg of water",
                },
                "unit",
            ),
            Switch("magnesium", {"with": "magnesium included", "without": "magnesium omitted"}),
            Switch(
                "place",
                {"reservoir": "pressure of the reservoir used", "head": "pressure at the wellhead used"},
            ),
            Switch(
                DATABASE,
                {
                    "phreeqc.dat": "database phreeqc.dat used",
                    "pitzer.dat": "database pitzer.dat used",
                },
                "database",
            ),
        ),
        tell=_brine_tell,
        build=_brine_build,
        quantities=(
            index("celestite", "Celestite", "sulfates", "brine"),
            index("gypsum", "Gypsum", "sulfates", "brine"),
            index("anhydrite", "Anhydrite", "sulfates", "brine"),
        ),
    ),
)
