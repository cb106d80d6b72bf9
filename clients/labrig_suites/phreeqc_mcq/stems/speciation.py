"""Which species a dissolved substance is made of: ammonia, carbonate in seawater, cadmium."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import index, molality
from labrig_suites.phreeqc_mcq.scenario import (
    Numbers,
    States,
    Stem,
    Switch,
)
from labrig_suites.phreeqc_mcq.switches import databases, either, given_as, optional


def _tell_ammonia(n: Numbers, s: States) -> str:
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


def _build_ammonia(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["temp"] == "pond" else n["warm"]
    ph = n["ph"] if s["ph"] == "own" else n["raised"]
    sodium = n["salt"] * 22.9898 if s["salt"] == "salty" else 0
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH {ph:g}\n    units mg/kgw\n    N(-3) {n['ammonia']:g} as {s['basis']}\n"
        + (f"    Na {sodium:.2f}\n" if sodium else "")
        + "    Cl 1000 charge\nEND\n"
    )


AMMONIA_GAS = index(
    "NH3(g)",
    ask="What is the logarithm (base 10) of the NH3 partial pressure, in atm, in a gas in equilibrium with the water?",
    name="ammonia-pressure",
)


def _marine(n: Numbers, mmol: float) -> float:
    return float(f"{mmol * n['dilution']:.3g}")


def _tell_marine(n: Numbers, s: States) -> str:
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


def _build_marine(n: Numbers, s: States) -> str:
    milliequivalents = n["alkalinity"] / {"CaCO3": 50.04345, "HCO3": 61.0171}[s["basis"]]
    return (
        f"SOLUTION 1\n    temp {n['temp'] if s['temp'] == 'cold' else n['warm']:g}\n    pH {n['ph']:g}\n"
        f"    units mmol/kgw\n    Na {_marine(n, 486):g}\n    Ca {_marine(n, 10.7):g}\n"
        + (f"    Mg {_marine(n, 54.7):g}\n" if s["magnesium"] == "with" else "")
        + (f"    S(6) {_marine(n, 29.3):g}\n" if s["sulfate"] == "with" else "")
        + f"    Alkalinity {milliequivalents:.6g}\n    Cl 500 charge\nEND\n"
    )


def _tell_cadmium(n: Numbers, s: States) -> str:
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


def _build_cadmium(n: Numbers, s: States) -> str:
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


STEMS = (
    Stem(
        name="ammonia-stripping",
        topic="speciation",
        draw=one_of(
            ammonia=range(200, 1801, 50),
            temp=(5, 8, 10, 12, 15),
            warm=range(35, 61, 5),
            ph=tenths(range(82, 89)),
            raised=tenths(range(92, 99)),
            salt=range(300, 901, 50),
        ),
        switches=(
            given_as("basis", {"N": "N", "NH4": "NH4+"}, "ammonia taken as {} instead of {}"),
            optional("salt", "sodium chloride", {"fresh": False, "salty": True}),
            Switch("ph", {"own": "raising of the pH omitted", "raised": "pH raised although it is not"}),
            either("temp", {"pond": "pond", "column": "stripping column"}, "temperature of the {} used"),
        ),
        tell=_tell_ammonia,
        build=_build_ammonia,
        quantities=(
            molality("ammonia", "NH3", "ammonia", noun="the uncharged species"),
            molality("ammonium", "NH4+", "ammonia", noun="the ion"),
            AMMONIA_GAS,
        ),
    ),
    Stem(
        name="carbonate-ion-pairs-in-seawater",
        topic="speciation",
        draw=one_of(
            temp=(4, 6, 8, 10, 12),
            warm=(26, 27, 28, 29, 30),
            ph=tenths(range(780, 831, 5), 100),
            alkalinity=range(110, 141, 5),
            dilution=tenths(range(90, 111, 5), 100),
        ),
        switches=(
            given_as("basis", {"CaCO3": "CaCO3", "HCO3": "HCO3-"}, "alkalinity taken as {} instead of {}"),
            optional("magnesium", "magnesium", {"with": True, "without": False}),
            optional("sulfate", "sulfate", {"with": True, "without": False}),
            either("temp", {"cold": "winter", "warm": "summer"}, "temperature in {} used"),
            databases("phreeqc.dat", "wateq4f.dat"),
        ),
        tell=_tell_marine,
        build=_build_marine,
        quantities=(
            molality("carbonate", "CO3-2", "carbonate", unit="µmol"),
            molality("calcium-carbonate", "CaCO3", "carbonate", noun="the dissolved ion pair", unit="µmol"),
            molality("calcium-bicarbonate", "CaHCO3+", "carbonate", noun="the ion pair", unit="µmol"),
        ),
    ),
    Stem(
        name="cadmium-in-an-estuary",
        topic="speciation",
        draw=one_of(
            cadmium=(5, 8, 10, 12, 15, 20, 30, 50),
            ph=tenths(range(78, 87)),
            calcium=tenths(range(10, 21)),
            chloride=tenths(range(2, 9)),
            sea=(20, 30, 40, 60, 80, 100),
            sulfate=(2, 3, 4, 5, 6),
        ),
        switches=(
            given_as("unit", {"ug": "µg", "nmol": "nmol"}, "cadmium taken in {} instead of {}"),
            optional("tide", "sea salt", {"high": True, "low": False}),
            optional("quarry", "calcium sulfate", {"open": True, "closed": False}),
            databases("phreeqc.dat", "minteq.v4.dat"),
        ),
        tell=_tell_cadmium,
        build=_build_cadmium,
        quantities=(
            molality("free-cadmium", "Cd+2", "cadmium", unit="nmol"),
            molality("cadmium-chloride", "CdCl+", "cadmium", noun="the complex", unit="nmol"),
            molality("cadmium-carbonate", "CdCO3", "cadmium", noun="the dissolved complex", unit="nmol"),
        ),
    ),
)
