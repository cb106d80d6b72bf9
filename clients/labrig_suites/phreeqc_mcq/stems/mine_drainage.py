"""Acid mine drainage: pyrite that oxidises, and what neutralises it."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import PH, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, optional

# --- pyrite that oxidises in a tailings pond ------------------------------------------------------------------------


def _pyrite_more(n: Numbers) -> float:
    return round(n["ratio"] * n["pyrite"], 1)


def _tell_pyrite(n: Numbers, s: States) -> str:
    salt = "NaHCO3" if s["water"] == "bicarbonate" else "NaCl"
    amount = (
        f"{n['pyrite']:g} mmol of pyrite per kg of water are oxidised completely"
        if s["amount"] == "first"
        else f"{n['pyrite']:g} mmol of pyrite per kg of water are oxidised completely, followed by another "
        f"{_pyrite_more(n):g} mmol"
    )
    iron = {
        "Fe(OH)3(a)": "Amorphous iron(III) hydroxide precipitates until equilibrium if the water is supersaturated "
        "with it",
        "Goethite": "Goethite precipitates until equilibrium if the water is supersaturated with it",
    }[s["iron"]]
    calcite = (
        f"The tailings also contain {n['calcite']:g} mmol of calcite per kg of water, all of which dissolves in the "
        "acid; its carbon dioxide stays in the water"
        if s["calcite"] == "present"
        else "The tailings contain no carbonate mineral"
    )
    return (
        f"The water of a tailings pond contains {n['salt']:g} mmol {salt} per kg of water, at pH 7.5 and "
        f"{n['temp']:g} °C. In this water, {amount}, while oxygen from the air keeps it at an O2 partial pressure of "
        f"10^-0.7 atm. {iron}. {calcite}. No other mineral and no other gas takes part."
    )


def _build_pyrite(n: Numbers, s: States) -> str:
    amount = n["pyrite"] + (_pyrite_more(n) if s["amount"] == "second" else 0)
    salt = "Alkalinity" if s["water"] == "bicarbonate" else "Cl"
    calcite = f"    Calcite {n['calcite'] / amount:.12g}\n" if s["calcite"] == "present" else ""
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7.5\n    units mmol/kgw\n    Na {n['salt']:g}\n"
        f"    {salt} {n['salt']:g}\n"
        f"REACTION 1\n    Pyrite 1\n{calcite}    {amount:g} mmol\n"
        f"EQUILIBRIUM_PHASES 1\n    O2(g) -0.7 10\n    {s['iron']} 0 0\n"
        "END\n"
    )


# --- lime for acid mine water ---------------------------------------------------------------------------------------


def _lime_dose(n: Numbers) -> float:
    """Return a dose in mmol that takes a share of the acidity of H+ and Al, in equivalents, divided by two."""
    return round(n["share"] * (10 ** (3 - n["ph"]) * 1.3 + 3 * n["aluminium"]) / 2, 1)


def _tell_lime(n: Numbers, s: States) -> str:
    base = {
        "Ca(OH)2": "slaked lime, Ca(OH)2",
        "NaOH": "caustic soda, NaOH",
    }[s["base"]]
    aluminium = {
        "Al(OH)3(a)": "Amorphous aluminium hydroxide precipitates until equilibrium if the water is supersaturated "
        "with it",
        "Gibbsite": "Gibbsite precipitates until equilibrium if the water is supersaturated with it",
    }[s["hydroxide"]]
    doses = (
        f"One dose of {base}, of {_lime_dose(n):g} mmol per kg of water, is stirred in"
        if s["doses"] == "one"
        else f"Two doses of {base}, of {_lime_dose(n):g} mmol per kg of water each, are stirred in, one after the other"
    )
    iron = (
        "Its iron is ferrous and remains so, since there is no oxygen"
        if s["air"] == "excluded"
        else "Its iron is ferrous; while the base is stirred in, air keeps the water at an O2 partial pressure of "
        "10^-0.7 atm, so that the iron is oxidised and amorphous iron(III) hydroxide precipitates until equilibrium; "
        "carbon dioxide from the air is neglected"
    )
    return (
        f"Acid mine water at {n['temp']:g} °C has a measured pH of {n['ph']:g} and contains, per kg of water, "
        f"{n['iron']:g} mmol Fe, {n['aluminium']:g} mmol Al and {n['calcium']:g} mmol Ca; sulfate was not measured "
        f"and is set by charge balance. {iron}. {doses}. {aluminium}. No other mineral forms."
    )


def _build_lime(n: Numbers, s: States) -> str:
    dose = _lime_dose(n) * (1 if s["doses"] == "one" else 2)
    air = "    O2(g) -0.7 10\n    Fe(OH)3(a) 0 0\n" if s["air"] == "enters" else ""
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}\n    units mmol/kgw\n    Fe(2) {n['iron']:g}\n"
        f"    Al {n['aluminium']:g}\n    Ca {n['calcium']:g}\n    S(6) {n['iron'] + 2 * n['aluminium']:g} charge\n"
        f"REACTION 1\n    {s['base']} 1\n    {dose:g} mmol\n"
        f"EQUILIBRIUM_PHASES 1\n    {s['hydroxide']} 0 0\n{air}END\n"
    )


STEMS = (
    Stem(
        name="pyrite-in-a-tailings-pond",
        topic="acid mine drainage",
        draw=one_of(
            pyrite=tenths(range(30, 61)),
            ratio=(0.4, 0.5, 0.6, 0.8, 1),
            salt=(2, 2.5, 3, 3.5),
            calcite=(2, 2.5, 3, 3.5),
            temp=(5, 10, 15, 20, 25),
        ),
        switches=(
            either("amount", {"first": "omitted", "second": "added"}, "second amount of pyrite {}"),
            either("iron", {"Fe(OH)3(a)": "amorphous iron hydroxide", "Goethite": "goethite"}),
            optional("calcite", "calcite", {"present": True, "absent": False}),
            either("water", {"bicarbonate": "sodium bicarbonate", "chloride": "sodium chloride"}),
        ),
        tell=_tell_pyrite,
        build=_build_pyrite,
        quantities=(PH, total("iron", "Fe", "iron"), molality("free ion", "Fe+3", "iron")),
    ),
    Stem(
        name="base-for-acid-mine-water",
        topic="acid mine drainage",
        draw=one_of(
            iron=tenths(range(4, 21)),
            aluminium=tenths(range(10, 41, 2)),
            calcium=range(2, 9),
            ph=(2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3),
            share=(0.35, 0.4, 0.45, 0.48),
            temp=(10, 12, 15, 20),
        ),
        switches=(
            either("base", {"Ca(OH)2": "slaked lime", "NaOH": "caustic soda"}),
            either("hydroxide", {"Al(OH)3(a)": "amorphous aluminium hydroxide", "Gibbsite": "gibbsite"}),
            Switch(
                "doses", {"one": "one dose added instead of two", "two": "two doses added instead of one"}
            ),
            optional("air", "oxygen of the air", {"enters": True, "excluded": False}),
        ),
        tell=_tell_lime,
        build=_build_lime,
        quantities=(PH, total("aluminium", "Al", "aluminium"), molality("free ion", "Al+3", "aluminium")),
    ),
)
