"""Which species a dissolved substance is made of: ammonia, carbonate in seawater, cadmium."""

from __future__ import annotations

import random

from labrig_harness.suites.phreeqc_mcq.scenario import (
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
        else f"no other cation (another line, with {n['salt']:g} mmol of sodium per kg of water, is kept apart)"
    )
    ph = "before" if s["ph"] == "own" else "after"
    place = "in the pond" if s["temp"] == "pond" else "in the stripping column"
    return (
        f"Waste water of a fertiliser works holds {n['ammonia']:g} mg of total ammonia per kg of water, given "
        f"{basis}, and besides it {salt}; its only anion, but for OH-, is chloride, as much as charge balance "
        f"requires. An anion exchanger changes its pH, and nothing else but the chloride, from {n['ph']:g} to "
        f"{n['raised']:g}. The works have a pond, at {n['temp']:g} °C, and a stripping column, at {n['warm']:g} °C; "
        f"a pH that is given holds at either temperature. Look at the water {ph} the exchanger, {place}. Nothing is "
        "exchanged with the air yet, and ammonia is neither oxidised nor reduced."
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
    "What is the logarithm (base 10) of the ammonia pressure, in atm, of a gas in equilibrium with the water?",
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
        "Its sulfate stays in it"
        if s["sulfate"] == "with"
        else "Nanofiltration has taken out all its sulfate, which chloride replaces"
    )
    magnesium = "its magnesium, too" if s["sulfate"] == "with" else "its magnesium stays"
    if s["magnesium"] == "without":
        magnesium = "all its magnesium has been extracted for sale, with as much chloride"
    season = "winter" if s["temp"] == "cold" else "summer"
    return (
        "The feed of a desalination plant comes from the sea, which has, in mmol per kg of water: sodium "
        f"{_marine(n, 486):g}, calcium {_marine(n, 10.7):g}, magnesium {_marine(n, 54.7):g}, sulfate "
        f"{_marine(n, 29.3):g}, and chloride as charge balance requires. {sulfate}; {magnesium}. The alkalinity of the "
        f"feed, from carbonate species and OH-, is {n['alkalinity']:g} mg per kg of water, expressed as {basis}. The "
        f"sea is at {n['temp']:g} °C in winter and {n['warm']:g} °C in summer; look at the feed of {season}. Its pH, "
        f"the "
        f"negative logarithm of the activity of H+, is {n['ph']:g} at that temperature. No mineral precipitates and no "
        "gas escapes."
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
        f"Drainage of a gypsum quarry adds {n['sulfate']:g} mmol of CaSO4 per kg of water"
        if s["quarry"] == "open"
        else f"The gypsum quarry whose drainage added {n['sulfate']:g} mmol of CaSO4 per kg of water is closed, and "
        "none of it is left"
    )
    return (
        f"A river at 25 °C and pH {n['ph']:g} holds {n['cadmium']:g} {unit} of cadmium per kg of water, "
        f"{n['calcium']:g} mmol of calcium and {n['chloride']:g} mmol of chloride per kg of water; its alkalinity, "
        f"from carbonate species and OH-, is {2 * n['calcium'] - n['chloride']:g} meq per kg of water. High tide adds "
        f"{n['sea']:g} mmol of NaCl per kg of water; low tide adds nothing. {mine}. Look at the water at {tide} tide. "
        "The pH, the alkalinity and the total cadmium are those given, whatever was added, and no mineral forms."
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
            Switch("basis", {"N": "ammonia taken as N", "NH4": "ammonia taken as NH4+"}, "unit"),
            Switch("salt", {"fresh": "the sodium chloride left out", "salty": "sodium chloride added"}),
            Switch("ph", {"own": "pH not raised", "raised": "pH raised"}),
            Switch(
                "temp", {"pond": "temperature of the pond", "column": "temperature of the stripping column"}
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
                "basis", {"CaCO3": "alkalinity taken as CaCO3", "HCO3": "alkalinity taken as HCO3-"}, "unit"
            ),
            Switch("magnesium", {"with": "magnesium added", "without": "magnesium left out"}),
            Switch("sulfate", {"with": "sulfate added", "without": "sulfate left out"}),
            Switch("temp", {"cold": "temperature of winter", "warm": "temperature of summer"}),
            Switch(
                DATABASE,
                {
                    "phreeqc.dat": "the database phreeqc.dat used",
                    "wateq4f.dat": "the database wateq4f.dat used",
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
            Switch("unit", {"ug": "nmol taken as µg", "nmol": "µg taken as nmol"}, "unit"),
            Switch("tide", {"high": "sea salt added", "low": "sea salt left out"}),
            Switch("quarry", {"open": "calcium sulfate added", "closed": "calcium sulfate left out"}),
            Switch(
                DATABASE,
                {
                    "phreeqc.dat": "the database phreeqc.dat used",
                    "minteq.v4.dat": "the database minteq.v4.dat used",
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
