"""Which species a dissolved substance is made of: ammonia, carbonate in seawater, cadmium."""

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


def species(name: str, noun: str, formula: str, group: str, micro: bool = False) -> Quantity:
    """Return the molality of a species as a quantity, in mmol or in µmol."""
    scale = "1e6" if micro else "1e3"
    return Quantity(
        name,
        f"What is the molality of {noun}?",
        "µmol/kg water" if micro else "mmol/kg water",
        "value",
        f'MOL("{formula}")*{scale}',
        Printed("Distribution of species", formula, scale=float(scale)),
        group,
    )


def _ammonia_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "ammonia": draws.choice(range(200, 1801, 50)),
        "temp": draws.choice((5, 8, 10, 12, 15)),
        "warm": draws.choice(range(35, 61, 5)),
        "ph": draws.choice(range(82, 89)) / 10,
        "raised": draws.choice(range(92, 99)) / 10,
        "salt": draws.choice(range(300, 901, 50)),
    }


def _ammonia_tell(n: Numbers, s: States) -> str:
    basis = {"N": "as nitrogen (N)", "NH4": "as ammonium (NH4+)"}[s["basis"]]
    salt = (
        f"{n['salt']:g} mmol of sodium per kg of water"
        if s["salt"] == "salty"
        else f"no other cation (another stream, with {n['salt']:g} mmol of sodium per kg of water, is kept apart)"
    )
    ph = "before" if s["ph"] == "own" else "after"
    place = "in the pond" if s["temp"] == "pond" else "in the stripping column"
    return (
        f"Wastewater from a fertiliser works contains {n['ammonia']:g} mg of total ammonia per kg of water, given "
        f"{basis}, and {salt}; apart from OH-, its only anion is chloride, which is set by charge balance. An anion "
        f"exchanger changes its pH, and nothing else but the chloride, from {n['ph']:g} to {n['raised']:g}. The works "
        f"has a pond, at {n['temp']:g} °C, and a stripping column, at {n['warm']:g} °C; each pH given applies at "
        f"either temperature. Consider the water {ph} the exchanger, {place}. Nothing has been exchanged with the air "
        "yet, and ammonia is neither oxidised nor reduced."
    )


def _ammonia_build(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["temp"] == "pond" else n["warm"]
    ph = n["ph"] if s["ph"] == "own" else n["raised"]
    sodium = n["salt"] * 22.9898 if s["salt"] == "salty" else 0
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH {ph:g}\n    units mg/kgw\n    N(-3) {n['ammonia']:g} as {s['basis']}\n"
        + (f"    Na {sodium:.2f}\n" if sodium else "")
        + "    Cl 1000 charge\nEND\n"
    )


AMMONIA_GAS = Quantity(
    "ammonia-pressure",
    "What is the logarithm (base 10) of the NH3 partial pressure, in atm, in a gas in equilibrium with the water?",
    "",
    "si",
    'SI("NH3(g)")',
    Printed("Saturation indices", "NH3(g)"),
)


def _marine_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice((4, 6, 8, 10, 12)),
        "warm": draws.choice((26, 27, 28, 29, 30)),
        "ph": draws.choice(range(780, 831, 5)) / 100,
        "alkalinity": draws.choice(range(110, 141, 5)),
        "dilution": draws.choice(range(90, 111, 5)) / 100,
    }


def _marine(n: Numbers, mmol: float) -> float:
    return float(f"{mmol * n['dilution']:.3g}")


def _marine_tell(n: Numbers, s: States) -> str:
    basis = {"CaCO3": "CaCO3", "HCO3": "HCO3-"}[s["basis"]]
    sulfate = (
        "Its sulfate remains in it"
        if s["sulfate"] == "with"
        else "All of its sulfate has been removed by nanofiltration and replaced with chloride"
    )
    magnesium = "its magnesium remains, too" if s["sulfate"] == "with" else "its magnesium remains"
    if s["magnesium"] == "without":
        magnesium = "all of its magnesium has been extracted, with the equivalent amount of chloride"
    season = "winter" if s["temp"] == "cold" else "summer"
    return (
        "The feed of a desalination plant comes from the sea, which contains, in mmol per kg of water: sodium "
        f"{_marine(n, 486):g}, calcium {_marine(n, 10.7):g}, magnesium {_marine(n, 54.7):g}, sulfate "
        f"{_marine(n, 29.3):g}, and chloride set by charge balance. {sulfate}; {magnesium}. The alkalinity of the "
        f"feed, due to carbonate species and OH-, is {n['alkalinity']:g} mg per kg of water, expressed as {basis}. The "
        f"sea is at {n['temp']:g} °C in winter and {n['warm']:g} °C in summer; consider the feed in {season}. Its pH, "
        f"the negative logarithm of the activity of H+, is {n['ph']:g} at that temperature. No mineral precipitates "
        "and no gas escapes."
    )


def _marine_build(n: Numbers, s: States) -> str:
    milliequivalents = n["alkalinity"] / {"CaCO3": 50.04345, "HCO3": 61.0171}[s["basis"]]
    return (
        f"SOLUTION 1\n    temp {n['temp'] if s['temp'] == 'cold' else n['warm']:g}\n    pH {n['ph']:g}\n"
        f"    units mmol/kgw\n    Na {_marine(n, 486):g}\n    Ca {_marine(n, 10.7):g}\n"
        + (f"    Mg {_marine(n, 54.7):g}\n" if s["magnesium"] == "with" else "")
        + (f"    S(6) {_marine(n, 29.3):g}\n" if s["sulfate"] == "with" else "")
        + f"    Alkalinity {milliequivalents:.6g}\n    Cl 500 charge\nEND\n"
    )


def _cadmium_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cadmium": draws.choice((5, 8, 10, 12, 15, 20, 30, 50)),
        "ph": draws.choice(range(78, 87)) / 10,
        "calcium": draws.choice(range(10, 21)) / 10,
        "chloride": draws.choice(range(2, 9)) / 10,
        "sea": draws.choice((20, 30, 40, 60, 80, 100)),
        "sulfate": draws.choice((2, 3, 4, 5, 6)),
    }


def _cadmium_tell(n: Numbers, s: States) -> str:
    unit = {"ug": "µg", "nmol": "nmol"}[s["unit"]]
    tide = "high" if s["tide"] == "high" else "low"
    mine = (
        f"The drainage of a gypsum quarry adds {n['sulfate']:g} mmol of CaSO4 per kg of water"
        if s["quarry"] == "open"
        else f"The gypsum quarry whose drainage added {n['sulfate']:g} mmol of CaSO4 per kg of water is closed, and "
        "none of it remains"
    )
    return (
        f"A river at 25 °C and pH {n['ph']:g} contains {n['cadmium']:g} {unit} of cadmium, {n['calcium']:g} mmol of "
        f"calcium and {n['chloride']:g} mmol of chloride per kg of water; its alkalinity, due to carbonate species and "
        f"OH-, is {2 * n['calcium'] - n['chloride']:g} meq per kg of water. High tide adds {n['sea']:g} mmol of NaCl "
        f"per kg of water; low tide adds nothing. {mine}. Consider the water at {tide} tide. The pH, the alkalinity "
        "and the total cadmium are those given, whatever has been added, and no mineral forms."
    )


def _cadmium_build(n: Numbers, s: States) -> str:
    salt = n["sea"] if s["tide"] == "high" else 0
    sulfate = n["sulfate"] if s["quarry"] == "open" else 0
    cadmium = (
        n["cadmium"] * 1e-6 / {"ug": 0.1124, "nmol": 1}[s["unit"]]
    )  # mmol; 112.4 g per mol in all databases
    return (
        f"SOLUTION 1\n    temp 25\n    pH {n['ph']:g}\n    units mmol/kgw\n    Cd {cadmium:.6e}\n"
        f"    Ca {n['calcium'] + sulfate:g}\n    Cl {n['chloride'] + salt:g}\n"
        f"    Alkalinity {2 * n['calcium'] - n['chloride']:g}\n"
        + (f"    Na {salt:g}\n" if salt else "")
        + (f"    S(6) {sulfate:g}\n" if sulfate else "")
        + "END\n"
    )


def _cadmium(name: str, noun: str, formula: str) -> Quantity:
    return Quantity(
        name,
        f"What is the molality of {noun}?",
        "nmol/kg water",
        "value",
        f'MOL("{formula}")*1e9',
        Printed("Distribution of species", formula, scale=1e9),
        "cadmium",
    )


STEMS = (
    Stem(
        name="ammonia-stripping",
        topic="speciation",
        draw=_ammonia_numbers,
        switches=(
            Switch(
                "basis",
                {"N": "ammonia taken as N instead of NH4+", "NH4": "ammonia taken as NH4+ instead of N"},
                "unit",
            ),
            Switch("salt", {"fresh": "sodium chloride omitted", "salty": "sodium chloride included"}),
            Switch("ph", {"own": "raising of the pH omitted", "raised": "pH raised although it is not"}),
            Switch(
                "temp",
                {
                    "pond": "temperature of the pond used",
                    "column": "temperature of the stripping column used",
                },
            ),
        ),
        tell=_ammonia_tell,
        build=_ammonia_build,
        quantities=(
            species("ammonia", "the uncharged species NH3", "NH3", "ammonia"),
            species("ammonium", "the ion NH4+", "NH4+", "ammonia"),
            AMMONIA_GAS,
        ),
    ),
    Stem(
        name="carbonate-ion-pairs-in-seawater",
        topic="speciation",
        draw=_marine_numbers,
        switches=(
            Switch(
                "basis",
                {
                    "CaCO3": "alkalinity taken as CaCO3 instead of HCO3-",
                    "HCO3": "alkalinity taken as HCO3- instead of CaCO3",
                },
                "unit",
            ),
            Switch("magnesium", {"with": "magnesium included", "without": "magnesium omitted"}),
            Switch("sulfate", {"with": "sulfate included", "without": "sulfate omitted"}),
            Switch("temp", {"cold": "temperature in winter used", "warm": "temperature in summer used"}),
            Switch(
                DATABASE,
                {
                    "phreeqc.dat": "database phreeqc.dat used",
                    "wateq4f.dat": "database wateq4f.dat used",
                },
                "database",
            ),
        ),
        tell=_marine_tell,
        build=_marine_build,
        quantities=(
            species("carbonate", "the free ion CO3-2", "CO3-2", "carbonate", micro=True),
            species("calcium-carbonate", "the dissolved ion pair CaCO3", "CaCO3", "carbonate", micro=True),
            species("calcium-bicarbonate", "the ion pair CaHCO3+", "CaHCO3+", "carbonate", micro=True),
        ),
    ),
    Stem(
        name="cadmium-in-an-estuary",
        topic="speciation",
        draw=_cadmium_numbers,
        switches=(
            Switch(
                "unit",
                {"ug": "cadmium taken in µg instead of nmol", "nmol": "cadmium taken in nmol instead of µg"},
                "unit",
            ),
            Switch("tide", {"high": "sea salt included", "low": "sea salt omitted"}),
            Switch("quarry", {"open": "calcium sulfate included", "closed": "calcium sulfate omitted"}),
            Switch(
                DATABASE,
                {
                    "phreeqc.dat": "database phreeqc.dat used",
                    "minteq.v4.dat": "database minteq.v4.dat used",
                },
                "database",
            ),
        ),
        tell=_cadmium_tell,
        build=_cadmium_build,
        quantities=(
            _cadmium("free-cadmium", "the free ion Cd+2", "Cd+2"),
            _cadmium("cadmium-chloride", "the complex CdCl+", "CdCl+"),
            _cadmium("cadmium-carbonate", "the dissolved complex CdCO3", "CdCO3"),
        ),
    ),
)
