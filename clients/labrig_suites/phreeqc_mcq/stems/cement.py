"""Cement: the pore water of concrete, and sulfate that attacks a paste."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH, molality, solid, total
from labrig_suites.phreeqc_mcq.scenario import (
    Numbers,
    States,
    Stem,
    Switch,
)
from labrig_suites.phreeqc_mcq.switches import databases, either, given_as, optional


def _tell_pore(n: Numbers, s: States) -> str:
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


def _build_pore(n: Numbers, s: States) -> str:
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


def _tell_paste(n: Numbers, s: States) -> str:
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


def _build_paste(n: Numbers, s: States) -> str:
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
        draw=one_of(
            temp=range(5, 16),
            hot=range(35, 51),
            na=range(20, 61, 5),
            k=range(60, 181, 10),
            chloride=range(120, 401, 20),
        ),
        switches=(
            optional("age", "alkali hydroxides", {"young": True, "leached": False}),
            either("salt", {"NaCl": "sodium chloride", "CaCl2": "calcium chloride"}),
            Switch(
                "heat",
                {"cold": "warming of the concrete omitted", "warmed": "concrete warmed although it is not"},
            ),
            databases("wateq4f.dat", "llnl.dat"),
        ),
        tell=_tell_pore,
        build=_build_pore,
        quantities=(
            PH,
            CALCIUM,
            FREE_CALCIUM,
            molality("hydroxide", "OH-", noun="the hydroxide ion"),
        ),
    ),
    Stem(
        name="sulfate-attack",
        topic="cement",
        draw=one_of(
            temp=range(10, 26),
            portlandite=range(1000, 3001, 100),
            csh=range(2000, 4001, 200),
            afm=range(100, 201, 10),
            sulfate=range(5, 15),
        ),
        switches=(
            given_as("unit", {"mmol": "mmol", "g": "g"}, "sulfate taken in {} instead of {}"),
            either("salt", {"Na2SO4": "sodium sulfate", "MgSO4": "magnesium sulfate"}),
            optional("lime", "portlandite", {"present": True, "leached": False}),
            optional("filler", "calcite", {"none": False, "calcite": True}),
        ),
        tell=_tell_paste,
        build=_build_paste,
        quantities=(
            solid("Ettringite", "per kg of the original pore water"),
            PH,
            CALCIUM,
            FREE_CALCIUM,
            total("sulfate", "S(6)", row="S"),
        ),
        database="sit.dat",
    ),
)
