"""Acid mine drainage: pyrite that oxidises, and what neutralises it."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch

PH = Quantity(
    "ph", "What is the pH of the water?", "", "ph", '-LA("H+")', Printed("Description of solution", "pH")
)


def _total(element: str, name: str) -> Quantity:
    return Quantity(
        name,
        f"What is the total concentration of dissolved {name}?",
        "mmol/kg water",
        "value",
        f'TOT("{element}")*1e3',
        Printed("Solution composition", element, scale=1e3),
        group=name,
    )


def _free(ion: str, name: str, group: str) -> Quantity:
    return Quantity(
        name,
        f"What is the molality of the {name} {ion}?",
        "mmol/kg water",
        "value",
        f'MOL("{ion}")*1e3',
        Printed("Distribution of species", ion, scale=1e3),
        group=group,
    )


# --- pyrite that oxidises in a tailings pond ------------------------------------------------------------------------


def _pyrite_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "pyrite": draws.choice(range(30, 61)) / 10,
        "ratio": draws.choice((0.4, 0.5, 0.6, 0.8, 1)),
        "salt": draws.choice((2, 2.5, 3, 3.5)),
        "calcite": draws.choice((2, 2.5, 3, 3.5)),
        "temp": draws.choice((5, 10, 15, 20, 25)),
    }


def _pyrite_more(n: Numbers) -> float:
    return round(n["ratio"] * n["pyrite"], 1)


def _pyrite_tell(n: Numbers, s: States) -> str:
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


def _pyrite_build(n: Numbers, s: States) -> str:
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


def _lime_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "iron": draws.choice(range(4, 21)) / 10,
        "aluminium": draws.choice(range(10, 41, 2)) / 10,
        "calcium": draws.choice(range(2, 9)),
        "ph": draws.choice((2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3)),
        # two doses stay below what would let ferrous iron reduce sulfate
        "share": draws.choice((0.35, 0.4, 0.45, 0.48)),
        "temp": draws.choice((10, 12, 15, 20)),
    }


def _lime_dose(n: Numbers) -> float:
    """Return a dose in mmol that takes a share of the acidity of H+ and Al, in equivalents, divided by two."""
    return round(n["share"] * (10 ** (3 - n["ph"]) * 1.3 + 3 * n["aluminium"]) / 2, 1)


def _lime_tell(n: Numbers, s: States) -> str:
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


def _lime_build(n: Numbers, s: States) -> str:
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
        draw=_pyrite_numbers,
        switches=(
            Switch(
                "amount",
                {
                    "first": "second amount of pyrite omitted",
                    "second": "second amount of pyrite added",
                },
            ),
            Switch(
                "iron",
                {
                    "Fe(OH)3(a)": "amorphous iron hydroxide used instead of goethite",
                    "Goethite": "goethite used instead of amorphous iron hydroxide",
                },
            ),
            Switch("calcite", {"present": "calcite included", "absent": "calcite omitted"}),
            Switch(
                "water",
                {
                    "bicarbonate": "sodium bicarbonate used instead of sodium chloride",
                    "chloride": "sodium chloride used instead of sodium bicarbonate",
                },
            ),
        ),
        tell=_pyrite_tell,
        build=_pyrite_build,
        quantities=(PH, _total("Fe", "iron"), _free("Fe+3", "free ion", "iron")),
    ),
    Stem(
        name="base-for-acid-mine-water",
        topic="acid mine drainage",
        draw=_lime_numbers,
        switches=(
            Switch(
                "base",
                {
                    "Ca(OH)2": "slaked lime used instead of caustic soda",
                    "NaOH": "caustic soda used instead of slaked lime",
                },
            ),
            Switch(
                "hydroxide",
                {
                    "Al(OH)3(a)": "amorphous aluminium hydroxide used instead of gibbsite",
                    "Gibbsite": "gibbsite used instead of amorphous aluminium hydroxide",
                },
            ),
            Switch(
                "doses", {"one": "one dose added instead of two", "two": "two doses added instead of one"}
            ),
            Switch("air", {"enters": "oxygen of the air included", "excluded": "oxygen of the air omitted"}),
        ),
        tell=_lime_tell,
        build=_lime_build,
        quantities=(PH, _total("Al", "aluminium"), _free("Al+3", "free ion", "aluminium")),
    ),
)
