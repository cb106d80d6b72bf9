"""Cement: the pore water of concrete, and sulfate that attacks a paste."""

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
from labrig_suites.phreeqc_mcq.stems.carbonate import CALCIUM, FREE_CALCIUM, PH


def _pore_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(5, 16)),
        "hot": draws.choice(range(35, 51)),
        "na": draws.choice(range(20, 61, 5)),
        "k": draws.choice(range(60, 181, 10)),
        "chloride": draws.choice(range(120, 401, 20)),
    }


def _pore_tell(n: Numbers, s: States) -> str:
    alkali = {
        "young": f"Per kg of pore water, {n['na']:g} mmol NaOH and {n['k']:g} mmol KOH from the cement dissolve",
        "leached": "The alkali hydroxides of the cement were leached out long ago, so that the pore water is pure "
        "apart from what follows",
    }[s["age"]]
    salt = {
        "NaCl": f"{n['chloride']:g} mmol NaCl",
        "CaCl2": f"{n['chloride'] / 2:g} mmol CaCl2",
    }[s["salt"]]
    heat = {
        "cold": f"The temperature is {n['temp']:g} °C",
        "warmed": f"All of this takes place at {n['temp']:g} °C; the concrete then warms up to {n['hot']:g} °C, and "
        "equilibrium with portlandite is re-established",
    }[s["heat"]]
    return (
        f"The concrete of a bridge deck contains portlandite, Ca(OH)2, in excess. {alkali}. De-icing salt has added "
        f"{salt} per kg of pore water. The pore water is in equilibrium with portlandite; no other mineral forms, and "
        f"no carbon dioxide reaches it. {heat}."
    )


def _pore_build(n: Numbers, s: States) -> str:
    alkali = f"    NaOH {n['na'] / 1000:g}\n    KOH {n['k'] / 1000:g}\n" if s["age"] == "young" else ""
    salt = {"NaCl": n["chloride"], "CaCl2": n["chloride"] / 2}[s["salt"]]
    heat = (
        f"USE solution 1\nUSE equilibrium_phases 1\nREACTION_TEMPERATURE 2\n    {n['hot']:g}\nEND\n"
        if s["heat"] == "warmed"
        else ""
    )
    return (
        f"SOLUTION 1 Pore water\n    temp {n['temp']:g}\n    pH 7\nEQUILIBRIUM_PHASES 1\n    Portlandite 0 10\n"
        f"REACTION 1\n{alkali}    {s['salt']} {salt / 1000:g}\n    1 moles\n"
        f"SAVE solution 1\nSAVE equilibrium_phases 1\nEND\n{heat}"
    )


def _paste_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice(range(10, 26)),
        "portlandite": draws.choice(range(1000, 3001, 100)),
        "csh": draws.choice(range(2000, 4001, 200)),
        "afm": draws.choice(range(100, 201, 10)),
        "sulfate": draws.choice(range(5, 15)),
    }


def _paste_tell(n: Numbers, s: States) -> str:
    lime = {
        "present": f"{n['portlandite']:g} mmol of portlandite, ",
        "leached": "",
    }[s["lime"]]
    leached = {"present": "", "leached": " (whose portlandite has been leached out, but may form again)"}[
        s["lime"]
    ]
    filler = {"none": "", "calcite": ", together with an excess of limestone filler, which is calcite"}[
        s["filler"]
    ]
    carbonate = {"none": "", "calcite": "monocarboaluminate, "}[s["filler"]]
    dose = {"mmol": f"{n['sulfate']:g} mmol", "g": f"{n['sulfate']:g} g (96.06 g/mol)"}[s["unit"]]
    salt = {"Na2SO4": "sodium sulfate, Na2SO4", "MgSO4": "magnesium sulfate, MgSO4"}[s["salt"]]
    return (
        f"A cement paste{leached} at {n['temp']:g} °C contains, per kg of pore water, {lime}{n['csh']:g} mmol of the "
        f"calcium silicate hydrate CSH1.6 and {n['afm']:g} mmol of monosulfoaluminate{filler}. The pore water, which "
        f"is otherwise pure, receives {dose} of SO4 per kg in the form of {salt}. Equilibrium is reached with all of "
        f"these solids and with any of portlandite, ettringite, {carbonate}gypsum, brucite, hydrotalcite (the phase "
        "Hydrotalcite of the database), CSH1.2 and CSH0.8 that would otherwise be supersaturated. Nothing else forms, "
        "no gas is exchanged, and sulfate is not reduced."
    )


def _paste_build(n: Numbers, s: States) -> str:
    lime = n["portlandite"] / 1000 if s["lime"] == "present" else 0
    filler = "    Calcite 0 10\n    Monocarboaluminate 0 0\n" if s["filler"] == "calcite" else ""
    dose = n["sulfate"] / {"mmol": 1000, "g": 96.06}[s["unit"]]
    return (
        f"SOLUTION 1 Pore water\n    temp {n['temp']:g}\n    pH 7\nEQUILIBRIUM_PHASES 1\n    Portlandite 0 {lime:g}\n"
        f"    CSH1.6 0 {n['csh'] / 1000:g}\n    Monosulfoaluminate 0 {n['afm'] / 1000:g}\n{filler}"
        "    Ettringite 0 0\n    Gypsum 0 0\n    Brucite 0 0\n    Hydrotalcite 0 0\n    CSH1.2 0 0\n    CSH0.8 0 0\n"
        f"REACTION 1\n    {s['salt']} 1\n    {dose:.6g} moles\nEND\n"
    )


STEMS = (
    Stem(
        name="concrete-pore-water",
        topic="cement",
        draw=_pore_numbers,
        switches=(
            Switch("age", {"young": "alkali hydroxides included", "leached": "alkali hydroxides omitted"}),
            Switch(
                "salt",
                {
                    "NaCl": "sodium chloride used instead of calcium chloride",
                    "CaCl2": "calcium chloride used instead of sodium chloride",
                },
            ),
            Switch(
                "heat",
                {"cold": "warming of the concrete omitted", "warmed": "concrete warmed although it is not"},
            ),
            Switch(
                DATABASE,
                {"wateq4f.dat": "database wateq4f.dat used", "llnl.dat": "database llnl.dat used"},
                "database",
            ),
        ),
        tell=_pore_tell,
        build=_pore_build,
        quantities=(
            PH,
            CALCIUM,
            FREE_CALCIUM,
            Quantity(
                "hydroxide",
                "What is the molality of the hydroxide ion OH-?",
                "mmol/kg water",
                "value",
                'MOL("OH-")*1e3',
                Printed("Distribution of species", "OH-", scale=1e3),
            ),
        ),
    ),
    Stem(
        name="sulfate-attack",
        topic="cement",
        draw=_paste_numbers,
        switches=(
            Switch(
                "unit",
                {"mmol": "sulfate taken in mmol instead of g", "g": "sulfate taken in g instead of mmol"},
                "unit",
            ),
            Switch(
                "salt",
                {
                    "Na2SO4": "sodium sulfate used instead of magnesium sulfate",
                    "MgSO4": "magnesium sulfate used instead of sodium sulfate",
                },
            ),
            Switch("lime", {"present": "portlandite included", "leached": "portlandite omitted"}),
            Switch("filler", {"none": "calcite omitted", "calcite": "calcite included"}),
        ),
        tell=_paste_tell,
        build=_paste_build,
        quantities=(
            Quantity(
                "ettringite",
                "What is the amount of ettringite per kg of the original pore water?",
                "mmol",
                "value",
                'EQUI("Ettringite")*1e3',
                Printed("Phase assemblage", "Ettringite", 4, 1e3),
            ),
            PH,
            CALCIUM,
            FREE_CALCIUM,
            Quantity(
                "sulfate",
                "What is the total concentration of dissolved sulfate?",
                "mmol/kg water",
                "value",
                'TOT("S(6)")*1e3',
                Printed("Solution composition", "S", scale=1e3),
            ),
        ),
        database="sit.dat",
    ),
)
