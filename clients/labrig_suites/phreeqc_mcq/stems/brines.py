"""Brines, by Pitzer's equations."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of
from labrig_suites.phreeqc_mcq.quantities import index, solid, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import at_room, either

CALCIUM = total("calcium", "Ca", "calcium-sulfate")
SULFATE = total("sulfate", "S", "calcium-sulfate")
IONIC_STRENGTH = Quantity(
    "ionic-strength",
    "What is the ionic strength of the brine?",
    "mol/kg water",
    "value",
    "MU",
    Printed("Description of solution", "Ionic strength (mol/kgw) ="),
)
SI_HALITE = index("Halite", of="")
SI_GYPSUM = index("Gypsum", of="")


# Seawater in a salt pan

SALTS = {"Na": 469.0, "K": 10.2, "Mg": 52.8, "Ca": 10.3, "Cl": 546.0, "S(6)": 28.2}
"""About those of surface seawater, in mmol/kg."""


def _pan_salts(n: Numbers) -> dict[str, float]:
    """Return mmol of each ion, in whole tenths, chloride by charge balance."""
    found = {ion: round(each * n["salinity"] / 100, 1) for ion, each in SALTS.items()}
    found["Cl"] = round(found["Na"] + found["K"] + 2 * (found["Mg"] + found["Ca"] - found["S(6)"]), 1)
    return found


def _tell_pan(n: Numbers, s: States) -> str:
    salts = _pan_salts(n)
    listed = ", ".join(f"{ion} {salts[ion]:.1f}" for ion in ("Na", "K", "Mg", "Ca", "Cl"))
    temp = f"{n['temp']:g} °C" if s["temp"] == "season" else "25 °C"
    gone = n["kilograms"] - (1 if s["left"] == "one" else 2)
    forms = {
        "gypsum": "Gypsum precipitates as soon as the brine is saturated with it and remains in equilibrium with "
        "the brine; no other mineral precipitates",
        "anhydrite": "Anhydrite precipitates as soon as the brine is saturated with it and remains in equilibrium with "
        "the brine; no other mineral precipitates",
        "nothing": "No mineral precipitates, however supersaturated the brine becomes",
    }[s["forms"]]
    solid = "" if s["forms"] == "nothing" else ", leaving the solid behind,"
    tide = (
        f"The brine is then drawn off{solid} and mixed with seawater of the original composition, "
        f"{n['tide']:g} kg of water for each kg of water in the brine. The mixture is sampled at once, before any "
        "mineral can form"
        if s["tide"] == "mixed"
        else "The brine is then sampled"
    )
    return (
        f"Seawater with {listed} and SO4 {salts['S(6)']:.1f} mmol per kg of water, free of carbonate and at pH 7, "
        f"evaporates in a salt pan at {temp}. Of the {n['kilograms']:g} kg of water in it, {gone:g} kg are lost as "
        f"pure water vapour. {forms}. {tide}. The question concerns the sample, at {temp}."
    )


def _build_pan(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["temp"] == "season" else 25
    salts = "".join(f"    {ion} {each:.1f}\n" for ion, each in _pan_salts(n).items())
    left = 1 if s["left"] == "one" else 2
    phases = "" if s["forms"] == "nothing" else f"EQUILIBRIUM_PHASES 1\n    {s['forms'].capitalize()} 0 0\n"
    share = n["tide"] * left / n["kilograms"]
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH 7\n    units mmol/kgw\n{salts}    -water {n['kilograms']:g}\n{phases}"
        f"REACTION 1\n    H2O -1\n    {(n['kilograms'] - left) * 1e3 / 18.01528:.8g} moles\nSAVE solution 2\nEND\n"
        + (f"MIX 1\n    2 1\n    1 {share:.8g}\nEND\n" if s["tide"] == "mixed" else "")
    )


PAN = Stem(
    name="salt-pan",
    topic="brines",
    draw=one_of(
        temp=(4, 6, 8, 10, 40, 44, 48, 52),
        salinity=(85, 90, 95, 105, 110, 115),
        kilograms=(7, 8, 9, 10),
        tide=(0.5, 0.8, 1, 1.5, 2),
    ),
    switches=(
        Switch(
            "tide",
            {
                "mixed": "brine mixed with seawater although it is sampled unmixed",
                "not": "mixing with seawater omitted",
            },
        ),
        at_room("temp", {"season": False, "room": True}),
        either("left", {"one": "much", "two": "little"}, "1 kg too {} water evaporated"),
        Switch(
            "forms",
            {
                "gypsum": "gypsum allowed to precipitate although it does not",
                "anhydrite": "anhydrite allowed to precipitate although it does not",
                "nothing": "precipitation of the mineral omitted",
            },
        ),
    ),
    tell=_tell_pan,
    build=_build_pan,
    quantities=(CALCIUM, SULFATE, IONIC_STRENGTH, SI_HALITE, SI_GYPSUM),
    database="pitzer.dat",
)


# Potash: hot brine from sylvinite is cooled

POTASSIUM = total(
    "potassium",
    "K",
    "cation",
    ask="What is the concentration of dissolved potassium in the cooled brine?",
    unit="mol",
)
SODIUM = total(
    "sodium",
    "Na",
    "cation",
    ask="What is the concentration of dissolved sodium in the cooled brine?",
    unit="mol",
)
SYLVITE = solid("Sylvite", "that crystallises from the brine", unit="mol")
WATER_ACTIVITY = Quantity(
    "water-activity",
    "What is the activity of water in the cooled brine?",
    "",
    "value",
    'ACT("H2O")',
    Printed("Description of solution", "Activity of water ="),
)


def _tell_potash(n: Numbers, s: States) -> str:
    liquor = (
        f"1 kg of water containing {n['magnesium']:g} mol MgCl2 from an earlier cycle"
        if s["liquor"] == "recycled"
        else "1 kg of pure water"
    )
    halite = (
        "with an excess of both sylvite and halite until it is in equilibrium with both"
        if s["ore"] == "excess"
        else f"with an excess of sylvite and {n['halite']:g} mol of halite, which dissolves completely, until it is "
        "in equilibrium with sylvite"
    )
    boiled = (
        f"Of its water, {n['boiled']:g} mol boil off"
        if s["boiled"] == "boiled"
        else "None of its water is lost"
    )
    cold = n["cold"] if s["cold"] == "winter" else 25
    return (
        f"A potash works leaches its ore at {n['hot']:g} °C: {liquor} is stirred {halite}. The hot brine leaves the "
        f"rest of the ore behind. {boiled}. It is then cooled to {cold:g} °C, where sylvite crystallises until "
        "equilibrium is reached, as does halite if the brine becomes saturated with it; no other salt crystallises."
    )


def _build_potash(n: Numbers, s: States) -> str:
    magnesium = (
        f"    Mg {n['magnesium']:g}\n    Cl {2 * n['magnesium']:g}\n" if s["liquor"] == "recycled" else ""
    )
    halite = (
        "    Halite 0 50\n"
        if s["ore"] == "excess"
        else f"REACTION 1\n    NaCl 1\n    {n['halite']:g} moles\n"
    )
    boiled = f"REACTION 2\n    H2O -1\n    {n['boiled']:g} moles\n" if s["boiled"] == "boiled" else ""
    return (
        f"SOLUTION 1\n    temp {n['hot']:g}\n    pH 7\n    units mol/kgw\n{magnesium}"
        f"EQUILIBRIUM_PHASES 1\n    Sylvite 0 50\n{halite}SAVE solution 1\nEND\n"
        f"USE solution 1\nEQUILIBRIUM_PHASES 2\n    Sylvite 0 0\n    Halite 0 0\n{boiled}"
        f"REACTION_TEMPERATURE 2\n    {n['cold'] if s['cold'] == 'winter' else 25:g}\nEND\n"
    )


POTASH = Stem(
    name="potash-crystallisation",
    topic="brines",
    draw=one_of(
        hot=(70, 75, 80, 85, 90, 95),
        cold=(5, 8, 10, 12, 14, 16),
        halite=(1, 1.5, 2, 2.5, 2.8),
        magnesium=(0.6, 0.8, 1, 1.2, 1.4),
        boiled=(10, 12, 15, 18, 20),
    ),
    switches=(
        Switch(
            "liquor",
            {"recycled": "magnesium chloride added to pure water", "fresh": "magnesium chloride omitted"},
        ),
        either("ore", {"excess": "in excess", "lean": "in a given amount"}, "halite taken {} instead of {}"),
        Switch(
            "boiled", {"boiled": "water boiled off although none is lost", "kept": "loss of water omitted"}
        ),
        either("cold", {"winter": "to below", "room": "only to"}, "brine cooled {} 25 °C"),
    ),
    tell=_tell_potash,
    build=_build_potash,
    quantities=(POTASSIUM, SODIUM, SYLVITE, WATER_ACTIVITY),
    database="pitzer.dat",
)


STEMS = (PAN, POTASH)
