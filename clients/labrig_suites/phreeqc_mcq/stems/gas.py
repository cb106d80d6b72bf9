"""Water with a gas phase of its own: at a fixed pressure, and in a fixed volume."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of
from labrig_suites.phreeqc_mcq.quantities import PH
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import at_room, either, forming, given_as

GAS_VOLUME = Quantity(
    "gas-volume",
    "What is the volume of the gas?",
    "mL",
    "value",
    'GAS_VM*(GAS("CO2(g)")+GAS("Mtg(g)")+GAS("Ntg(g)")+GAS("H2O(g)"))*1e3',
    Printed("Gas phase", "Gas volume:", scale=1e3),
)
PRESSURE_CO2 = Quantity(
    "pressure-co2",
    "What is the partial pressure of CO2 in the gas?",
    "atm",
    "value",
    'PR_P("CO2(g)")',
    Printed("Gas phase", "CO2(g)", 1),
    group="pressure",
)


# Gassy groundwater in a separator: fixed pressure

PRESSURE_METHANE = Quantity(
    "pressure-methane",
    "What is the partial pressure of methane in the gas?",
    "atm",
    "value",
    'PR_P("Mtg(g)")',
    Printed("Gas phase", "Mtg(g)", 1),
    group="pressure",
)


def _tell_well(n: Numbers, s: States) -> str:
    pressure = "1 atm" if s["pressure"] == "open" else f"{n['pressure']:g} atm"
    temp = (
        f"In the separator, the water still has its temperature at depth, {n['temp']:g} °C"
        if s["temp"] == "hot"
        else f"In the separator, the water has cooled from its temperature at depth, {n['temp']:g} °C, to "
        f"{n['cool']:g} °C"
    )
    calcite = (
        "calcite precipitates until the water is in equilibrium with it"
        if s["calcite"] == "forms"
        else "no mineral precipitates, because the water contains an inhibitor"
    )
    vapour = (
        "with water vapour as the fourth gas"
        if s["vapour"] == "wet"
        else "with no other gas; water vapour is to be neglected"
    )
    return (
        "A well brings up gassy groundwater, in which all of the gas is dissolved at depth. Per kg of water, it "
        f"contains {n['sodium']:g} mmol NaHCO3, {n['calcium']:g} mmol CaCl2, {n['acid']:g} mmol CO2, 1 mmol N2 and "
        f"{n['methane']:g} {s['unit']} methane; the pH is set by charge balance. In a separator, a single gas phase "
        f"forms at a total pressure of {pressure} and remains in contact with the water. It consists of CO2, methane "
        f"and nitrogen, {vapour}. {temp}, and {calcite}. Methane and nitrogen are to be treated as redox-inert (Mtg "
        "and Ntg in the database). The gas and 1 kg of the water come to equilibrium."
    )


def _build_well(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["temp"] == "hot" else n["cool"]
    unit = "" if s["unit"] == "mmol" else " mg/kgw"
    vapour = "    H2O(g) 0\n" if s["vapour"] == "wet" else ""
    calcite = "EQUILIBRIUM_PHASES 1\n    Calcite 0 0\n" if s["calcite"] == "forms" else ""
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7 charge\n    units mmol/kgw\n    Na {n['sodium']:g}\n"
        f"    Ca {n['calcium']:g}\n    Cl {2 * n['calcium']:g}\n    C(4) {n['sodium'] + n['acid']:g}\n    Ntg 1\n"
        f"    Mtg {n['methane']:g}{unit}\nEND\n"
        f"USE solution 1\nREACTION_TEMPERATURE 1\n    {temp:g}\n{calcite}"
        f"GAS_PHASE 1\n    -fixed_pressure\n    -pressure {n['pressure'] if s['pressure'] == 'shut' else 1:g}\n"
        f"    -temperature {temp:g}\n    CO2(g) 0\n    Mtg(g) 0\n    Ntg(g) 0\n{vapour}END\n"
    )


WELL = Stem(
    name="gassy-well",
    topic="gas phase",
    draw=one_of(
        temp=range(40, 76),
        cool=range(10, 26),
        sodium=(10, 20, 30, 40),
        calcium=(2, 3, 4, 5),
        acid=(30, 40, 50, 60),
        methane=(20, 25, 30, 40, 50),
        pressure=(1.5, 1.6, 1.8, 2.0, 2.2),
    ),
    switches=(
        Switch(
            "pressure",
            {
                "open": "total pressure set to 1 atm instead of that of the separator",
                "shut": "total pressure set above the 1 atm of the separator",
            },
        ),
        Switch(
            "temp",
            {"hot": "water left at its temperature at depth", "cool": "water cooled although it stays hot"},
        ),
        forming("calcite", "calcite", {"forms": True, "not": False}),
        either(
            "vapour", {"wet": "included although it is to be neglected", "dry": "omitted"}, "water vapour {}"
        ),
        given_as("unit", {"mg": "mg", "mmol": "mmol"}, "methane taken in {} instead of {}"),
    ),
    tell=_tell_well,
    build=_build_well,
    quantities=(PH, GAS_VOLUME, PRESSURE_CO2, PRESSURE_METHANE),
)


# Calcimeter: carbonate and acid in a closed flask, fixed volume

PRESSURE = Quantity(
    "pressure",
    "What is the total pressure in the flask?",
    "atm",
    "value",
    "GAS_P",
    Printed("Gas phase", "Total pressure:"),
    group="pressure",
)
CO2_GAS = Quantity(
    "co2-gas",
    "What is the amount of CO2 in the gas?",
    "mmol",
    "value",
    'GAS("CO2(g)")*1e3',
    Printed("Gas phase", "CO2(g)", 4, scale=1e3),
    group="co2",
)
CO2_WATER = Quantity(
    "co2-water",
    "What is the amount of dissolved inorganic carbon in the acid solution?",
    "mmol",
    "value",
    'TOTMOLE("C")*1e3',
    Printed("Solution composition", "C", 1, scale=1e3),
    group="co2",
)


def _tell_flask(n: Numbers, s: States) -> str:
    mineral = {"calcite": "calcite (CaCO3, 100.09 g/mol)", "dolomite": "dolomite (CaMg(CO3)2, 184.40 g/mol)"}[
        s["mineral"]
    ]
    share = (
        f"which is pure {mineral}"
        if s["share"] == "pure"
        else f"of which {n['share']:g} % by mass is {mineral} and the rest quartz"
    )
    temp = "at 25 °C" if s["temp"] == "room" else f"at {n['temp']:g} °C"
    volume = (
        f"The flask, including the water, has a volume of {n['volume']:g} mL (allow 1 mL per g of water and nothing "
        "for the rock)"
        if s["volume"] == "flask"
        else f"The gas above the water has a volume of {n['volume']:g} mL"
    )
    nitrogen = "1" if s["filled"] == "full" else "0.4"
    quartz = "" if s["share"] == "pure" else ", and the quartz does not react"
    return (
        f"To determine the carbonate content of a rock, {n['sample']:g} g of it, {share}, are dropped into "
        f"{n['water']:g} g of water containing {n['acid']:g} mmol HCl in a sealed flask {temp}. {volume}; this volume "
        f"does not change. Initially, the gas is nitrogen at {nitrogen} atm, none of which is dissolved in the water; "
        f"treat it as redox-inert (Ntg in the database). At the end, the gas contains water vapour as well. The "
        f"carbonate dissolves completely{quartz}. Gas and solution come to equilibrium at the same temperature."
    )


def _build_flask(n: Numbers, s: States) -> str:
    temp = 25 if s["temp"] == "room" else n["temp"]
    volume = (n["volume"] - (n["water"] if s["volume"] == "flask" else 0)) / 1e3
    formula, mass = {"calcite": ("CaCO3", 100.09), "dolomite": ("CaMg(CO3)2", 184.40)}[s["mineral"]]
    moles = n["sample"] / mass * (1 if s["share"] == "pure" else n["share"] / 100)
    nitrogen = 1 if s["filled"] == "full" else 0.4
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH 1 charge\n    units mmol/kgw\n"
        f"    Cl {n['acid'] / n['water'] * 1e3:.8g}\n    -water {n['water'] / 1e3:g}\n"
        f"REACTION 1\n    {formula} 1\n    {moles:.8g} moles\n"
        f"GAS_PHASE 1\n    -fixed_volume\n    -volume {volume:g}\n    -temperature {temp:g}\n"
        f"    CO2(g) 0\n    H2O(g) 0\n    Ntg(g) {nitrogen:g}\nEND\n"
    )


FLASK = Stem(
    name="calcimeter-flask",
    topic="gas phase",
    draw=one_of(
        temp=range(10, 20),
        sample=(1.2, 1.4, 1.6, 1.8, 2.0),
        share=(50, 60, 70, 80),
        water=(50, 80, 100, 120),
        volume=(300, 350, 400, 450),
        acid=(80, 90, 100, 120),
    ),
    switches=(
        Switch(
            "share",
            {"pure": "quartz in the sample omitted", "part": "quartz included in a sample without any"},
        ),
        at_room("temp", {"room": True, "bath": False}),
        given_as("volume", {"flask": "gas", "gas": "flask"}, "volume of the {} taken as that of the {}"),
        either("filled", {"full": "1 atm", "less": "0.4 atm"}, "nitrogen pressure set to {} instead of {}"),
        either("mineral", {"calcite": "calcite", "dolomite": "dolomite"}),
    ),
    tell=_tell_flask,
    build=_build_flask,
    quantities=(PRESSURE, PRESSURE_CO2, CO2_GAS, CO2_WATER),
)


STEMS = (WELL, FLASK)
