"""Cation exchange: sea water and fresh water in a clay, irrigated soil, cadmium and salt on a sediment."""

from __future__ import annotations

import math

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, optional, read

SODIUM = total("sodium", "Na")


def _ask_exchangeable(name: str, word: str, species: str, charge: int) -> Quantity:
    return Quantity(
        name,
        f"What is the amount of exchangeable {word} in all of the sediment that is in contact with 1 kg of pore "
        "water, in charge equivalents?",
        "meq",
        "value",
        f'MOL("{species}")*TOT("water")*{charge}e3',
        Printed("Exchange composition", species, 1, 1e3),
        group="exchangeable",
    )


def _tell_coast(n: Numbers, s: States) -> str:
    mass = {"hundred": "100 g", "kilogram": "kg"}[s["per"]]
    brackish = (
        f"brackish water (pH 7.8; per kg of water {n['na']:g} mmol Na, {n['mg']:g} mmol Mg, {n['ca']:g} mmol Ca, an "
        "alkalinity of 2.0 meq, and chloride set by charge balance)"
    )
    fresh = (
        f"fresh water (pH {n['fresh_ph']:.1f}; per kg of water {n['fresh_ca']:.1f} mmol Ca, "
        f"{n['fresh_mg']:.1f} mmol Mg, {n['fresh_na']:.1f} mmol Na, an alkalinity of {n['fresh_alk']:.1f} meq, and "
        "chloride set by charge balance)"
    )
    first, then = {
        "freshening": (brackish, f"Sea level then falls, and {fresh}"),
        "salinisation": (fresh, f"The coast is then flooded, and {brackish}"),
    }[s["course"]]
    calcite = {
        "absent": "The sediment contains no calcite",
        "present": "Calcite, which the sediment contains in excess, also comes to equilibrium with each portion",
    }[s["calcite"]]
    read = {"once": "first", "thrice": "third"}[s["read"]]
    return (
        f"A coastal sediment at {n['temp']:g} °C has a cation exchange capacity of {n['capacity']:.1f} meq per {mass} "
        f"of sediment, and the exchange constants are those of the database; {n['sediment']:.1f} kg of sediment are "
        f"in contact with each kg of pore water. The exchanger is initially in equilibrium with {first}. {then} "
        f"replaces all of the pore water (1 kg) and comes to equilibrium with the exchanger; this happens three "
        f"times, each time with a new portion of the same water. {calcite}; no gas is exchanged. The question "
        f"concerns the state after the {read} portion."
    )


def _build_coast(n: Numbers, s: States) -> str:
    sites = n["capacity"] * n["sediment"] / 1000 * {"hundred": 10, "kilogram": 1}[s["per"]]
    first, then = {"freshening": (1, 2), "salinisation": (2, 1)}[s["course"]]
    calcite = "EQUILIBRIUM_PHASES 1\n    Calcite 0 10\n" if s["calcite"] == "present" else ""
    lot = f"USE solution {then}\nUSE exchange 1\n{calcite}SAVE exchange 1\nEND\n"
    return (
        f"SOLUTION 1 Brackish\n    temp {n['temp']:g}\n    pH 7.8\n    units mmol/kgw\n    Na {n['na']:g}\n"
        f"    Mg {n['mg']:g}\n    Ca {n['ca']:g}\n    Alkalinity 2.0\n    Cl 100 charge\n"
        f"SOLUTION 2 Fresh\n    temp {n['temp']:g}\n    pH {n['fresh_ph']:.1f}\n    units mmol/kgw\n"
        f"    Ca {n['fresh_ca']:.1f}\n    Mg {n['fresh_mg']:.1f}\n    Na {n['fresh_na']:.1f}\n"
        f"    Alkalinity {n['fresh_alk']:.1f}\n    Cl 1 charge\n"
        f"EXCHANGE 1\n    X {sites:.6g}\n    -equilibrate {first}\nEND\n{lot}{lot}{lot}"
    )


def _tell_soil(n: Numbers, s: States) -> str:
    root = {"Gapon": "E(Ca)", "Gaines-Thomas": "the square root of E(Ca)"}[s["convention"]]
    uptake = {
        "none": "It reaches the soil unchanged.",
        "uptake": f"Before it reaches the soil, evaporation from the furrows raises the concentrations of Na, Ca, SO4 "
        f"and Cl by a factor of {n['factor']:g}; take its pH as 7 after that.",
    }[s["uptake"]]
    form = {"Ca": "calcium", "Na": "sodium"}[s["form"]]
    gypsum = {
        "none": "The soil contains no gypsum.",
        "gypsum": "An excess of gypsum was spread on the soil, so that each portion is in equilibrium with gypsum as "
        "well.",
    }[s["gypsum"]]
    read = {"once": "first", "thrice": "third"}[s["read"]]
    return (
        f"A soil at 25 °C is irrigated with water of pH 7 that contains, per kg of water, {n['na']:g} mmol Na, "
        f"{n['ca']:.1f} mmol Ca and {n['so4']:.1f} mmol SO4, with chloride set by charge balance. {uptake} The soil "
        f"in contact with 1 kg of it has {n['sites']:g} meq of exchange sites, all of which are initially occupied by "
        f"{form}. Sodium and calcium exchange with a selectivity coefficient of {n['selectivity']:g} in the "
        f"{s['convention']} convention: E(Na) times the square root of a(Ca+2), divided by a(Na+) times {root}, where "
        "E is the equivalent fraction on the exchanger (without activity coefficients) and a is the activity in the "
        "water, on the molal scale. This coefficient replaces the exchange constants of the database. Three portions "
        "of 1 kg, all of the same irrigation water, come to equilibrium with the soil one after another, each "
        f"displacing the previous one. {gypsum} The question concerns the state after the {read} portion."
    )


def _build_soil(n: Numbers, s: States) -> str:
    log_k = math.log10(n["selectivity"])
    calcium = {
        "Gapon": f"    0.5Ca+2 + Y- = Ca0.5Y\n    log_k {-log_k:.6f}\n",
        "Gaines-Thomas": f"    Ca+2 + 2Y- = CaY2\n    log_k {-2 * log_k:.6f}\n",
    }[s["convention"]]
    start = {
        ("Na", "Gapon"): "NaY",
        ("Na", "Gaines-Thomas"): "NaY",
        ("Ca", "Gapon"): "Ca0.5Y",
        ("Ca", "Gaines-Thomas"): "CaY2",
    }[s["form"], s["convention"]]
    amount = n["sites"] / 1000 / (2 if start == "CaY2" else 1)
    times = n["factor"] if s["uptake"] == "uptake" else 1
    gypsum = "EQUILIBRIUM_PHASES 1\n    Gypsum 0 10\n" if s["gypsum"] == "gypsum" else ""
    lot = f"USE solution 1\nUSE exchange 1\n{gypsum}SAVE exchange 1\nEND\n"
    return (
        "EXCHANGE_MASTER_SPECIES\n    Y Y-\nEXCHANGE_SPECIES\n    Y- = Y-\n    log_k 0\n"
        f"    Na+ + Y- = NaY\n    log_k 0\n{calcium}SOLUTION 1 Irrigation water\n    temp 25\n    pH 7\n    units "
        f"mmol/kgw\n    Na {n['na'] * times:g}\n    Ca {n['ca'] * times:g}\n    S(6) {n['so4'] * times:g}\n    Cl 10 "
        f"charge\nEXCHANGE 1\n    {start} {amount:g}\nEND\n{lot}{lot}{lot}"
    )


def _tell_metal(n: Numbers, s: States) -> str:
    mass = {"hundred": "100 g", "kilogram": "kg"}[s["per"]]
    salt = {
        "NaCl": f"{n['salt']:g} mmol of road salt, NaCl",
        "Na2SO4": f"{n['salt'] / 2:g} mmol of sodium sulfate, Na2SO4",
    }[s["salt"]]
    start = {
        "pore water": "brought to equilibrium with this water beforehand",
        "sodium": "washed with a sodium salt beforehand, so that sodium occupies all the exchange sites",
    }[s["start"]]
    unit = {"mg": "mg", "umol": "µmol"}[s["unit"]]
    return (
        f"The water of a pond at {n['temp']:g} °C has pH 6.5 and contains, per kg of water, {n['ca']:.1f} mmol Ca, "
        f"{n['na']:.1f} mmol Na, an alkalinity of {n['alk']:.1f} meq, and chloride set by charge balance. In a tank, "
        f"1 kg of this water is stirred with {n['sediment']:.1f} kg of a sediment that was {start}. The cation "
        f"exchange capacity of the sediment is {n['capacity']:.1f} meq per {mass}, and the exchange constants are "
        f"those of the database. Then {n['cadmium']:g} {unit} of cadmium chloride, CdCl2, and {salt}, are dissolved "
        "in the tank. Exchange equilibrium is reached; no mineral precipitates, nothing else adsorbs, and no gas is "
        "exchanged."
    )


def _build_metal(n: Numbers, s: States) -> str:
    sites = n["capacity"] * n["sediment"] / 1000 * {"hundred": 10, "kilogram": 1}[s["per"]]
    cadmium = n["cadmium"] * {"mg": 1e-3 / 183.31, "umol": 1e-6}[s["unit"]]
    salt = {"NaCl": n["salt"] / 1000, "Na2SO4": n["salt"] / 2000}[s["salt"]]
    exchanger = {
        "pore water": f"    X {sites:.6g}\n    -equilibrate 1\n",
        "sodium": f"    NaX {sites:.6g}\n",
    }[s["start"]]
    return (
        f"SOLUTION 1 Pond\n    temp {n['temp']:g}\n    pH 6.5\n    units mmol/kgw\n    Ca {n['ca']:.1f}\n"
        f"    Na {n['na']:.1f}\n    Alkalinity {n['alk']:.1f}\n    Cl 1 charge\nEXCHANGE 1\n{exchanger}END\n"
        f"USE solution 1\nUSE exchange 1\n"
        f"REACTION 1\n    CdCl2 {cadmium:.6e}\n    {s['salt']} {salt:.6g}\n    1 moles\nEND\n"
    )


STEMS = (
    Stem(
        name="coastal-sediment",
        topic="cation exchange",
        draw=one_of(
            temp=range(8, 26),
            capacity=tenths((20, 25, 30, 35, 40, 50)),
            sediment=(3.0, 3.5, 4.0, 4.5, 5.0),
            na=range(120, 241, 10),
            mg=range(14, 27),
            ca=(3, 4, 5),
            fresh_ca=tenths((15, 18, 20, 22, 25)),
            fresh_mg=tenths((3, 4, 5, 6)),
            fresh_na=tenths((5, 8, 10, 15)),
            fresh_ph=tenths((72, 73, 74, 75, 76)),
            fresh_alk=tenths((28, 32, 36, 40)),
        ),
        switches=(
            given_as(
                "per",
                {"hundred": "per 100 g", "kilogram": "per kg"},
                "exchange capacity taken {} instead of {}",
            ),
            either(
                "course",
                {"freshening": "brackish", "salinisation": "fresh"},
                "{} water replaced with {} water instead of the reverse",
            ),
            optional("calcite", "calcite", {"absent": False, "present": True}),
            read("read", {"once": "after the first portion", "thrice": "after the third portion"}),
        ),
        tell=_tell_coast,
        build=_build_coast,
        quantities=(
            SODIUM,
            CALCIUM,
            _ask_exchangeable("sodium-held", "sodium", "NaX", 1),
            _ask_exchangeable("calcium-held", "calcium", "CaX2", 2),
            _ask_exchangeable("magnesium-held", "magnesium", "MgX2", 2),
        ),
        state=lambda n, s: -1 if s["read"] == "thrice" else -3,
    ),
    Stem(
        name="irrigated-soil",
        topic="cation exchange",
        draw=one_of(
            selectivity=(0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
            sites=range(60, 161, 10),
            na=range(10, 31),
            ca=tenths((20, 25, 30, 35, 40)),
            so4=tenths((20, 25, 30, 35, 40, 45)),
            factor=(2, 3, 4),
        ),
        switches=(
            either(
                "convention",
                {"Gapon": "Gapon", "Gaines-Thomas": "Gaines-Thomas"},
                "selectivity coefficient taken in the {} convention",
            ),
            Switch(
                "uptake",
                {
                    "none": "evaporation omitted",
                    "uptake": "water concentrated by evaporation although it is not",
                },
            ),
            either("form", {"Ca": "calcium", "Na": "sodium"}, "exchange sites initially occupied by {}"),
            optional("gypsum", "gypsum", {"none": False, "gypsum": True}),
            read("read", {"once": "after the first portion", "thrice": "after the third portion"}),
        ),
        tell=_tell_soil,
        build=_build_soil,
        quantities=(
            Quantity(
                "sodium-percentage",
                "What is the exchangeable sodium percentage (relative to all exchange sites)?",
                "%",
                "value",
                '100*MOL("NaY")/(MOL("NaY")+MOL("Ca0.5Y")+2*MOL("CaY2"))',
                Printed("Exchange composition", "NaY", 2, 100),
            ),
            SODIUM,
            CALCIUM,
            FREE_CALCIUM,
        ),
        state=lambda n, s: -1 if s["read"] == "thrice" else -3,
    ),
    Stem(
        name="cadmium-and-salt-on-sediment",
        topic="cation exchange",
        draw=one_of(
            temp=range(6, 21),
            capacity=tenths((10, 12, 15, 18, 20)),
            sediment=(0.5, 0.6, 0.8, 1.0),
            ca=tenths((10, 12, 15, 18, 20)),
            na=tenths((5, 10, 15, 20)),
            alk=tenths((5, 6, 8, 10)),
            cadmium=(8, 10, 12, 15, 20),
            salt=(40, 60, 80, 100, 120),
        ),
        switches=(
            given_as(
                "per",
                {"hundred": "per 100 g", "kilogram": "per kg"},
                "exchange capacity taken {} instead of {}",
            ),
            either("salt", {"NaCl": "sodium chloride", "Na2SO4": "sodium sulfate"}),
            Switch(
                "start",
                {
                    "pore water": "exchanger initially equilibrated with the water",
                    "sodium": "exchange sites initially occupied by sodium",
                },
            ),
            given_as("unit", {"mg": "mg", "umol": "µmol"}, "cadmium chloride taken in {} instead of {}"),
        ),
        tell=_tell_metal,
        build=_build_metal,
        quantities=(
            total("cadmium", "Cd", "cadmium", unit="µmol"),
            molality("free-cadmium", "Cd+2", "cadmium", unit="µmol"),
            CALCIUM,
            Quantity(
                "calcium-held",
                "What is the amount of calcium on the exchanger?",
                "mmol",
                "value",
                'MOL("CaX2")*TOT("water")*1e3',
                Printed("Exchange composition", "CaX2", 0, 1e3),
            ),
        ),
    ),
)
