"""Solid solutions: barium and strontium in scale, cadmium in calcite."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, PH, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, optional


def _tell_scale(n: Numbers, s: States) -> str:
    sulfate = {"sea": 28, "filtered": n["low"]}[s["sea"]]
    plant = {"sea": "", "filtered": ", from which a membrane has removed most of the sulfate"}[s["sea"]]
    sea, formation = {"40:60": ("0.4", "0.6"), "60:40": ("0.6", "0.4")}[s["mix"]]
    heat = {"kept": "stays at that temperature", "cooled": f"cools to {n['cool']:g} °C on the way up"}[
        s["heat"]
    ]
    model = {
        "ideal": "an ideal solid solution",
        "regular": f"a regular solid solution with the dimensionless Guggenheim parameters a0 = {n['a']:.1f} and a1 "
        "= 0 (ln of the activity coefficient of one end member is a0 times the square of the mole fraction of the "
        "other)",
    }[s["model"]]
    return (
        f"An oil reservoir at {n['temp']:g} °C is flooded with seawater{plant}; represent this water by {sulfate:g} "
        f"mmol Na2SO4 and 500 mmol NaCl per kg of water. The formation water contains, per kg of water, {n['salt']:g} "
        f"mmol NaCl, {n['ca']:g} mmol CaCl2, {n['sr']:g} mmol SrCl2 and {n['ba']:.1f} mmol BaCl2. Both waters have pH "
        f"6.0 at {n['temp']:g} °C and contain no carbonate. In a production well, seawater with {sea} kg of H2O mixes "
        f"with formation water with {formation} kg of H2O; the mixture {heat}. It comes to equilibrium with a scale of "
        f"barite and celestite, which form {model}; there was no scale before, and nothing else precipitates. Take the "
        "pressure as 1 atm."
    )


def _build_scale(n: Numbers, s: States) -> str:
    sulfate = {"sea": 28, "filtered": n["low"]}[s["sea"]]
    sea, formation = {"40:60": ("0.4", "0.6"), "60:40": ("0.6", "0.4")}[s["mix"]]
    heat = f"REACTION_TEMPERATURE 1\n    {n['cool']:g}\n" if s["heat"] == "cooled" else ""
    model = {
        "ideal": "    -comp Barite 0\n    -comp Celestite 0\n",
        "regular": f"    -comp1 Barite 0\n    -comp2 Celestite 0\n    -Gugg_nondim {n['a']:.1f} 0\n",
    }[s["model"]]
    chloride = n["salt"] + 2 * (n["ca"] + n["sr"] + n["ba"])
    return (
        f"SOLUTION 1 Sea water\n    temp {n['temp']:g}\n    pH 6\n    units mmol/kgw\n    Na {500 + 2 * sulfate:g}\n"
        f"    Cl 500\n    S(6) {sulfate:g}\n"
        f"SOLUTION 2 Formation water\n    temp {n['temp']:g}\n    pH 6\n    units mmol/kgw\n    Na {n['salt']:g}\n"
        f"    Ca {n['ca']:g}\n    Sr {n['sr']:g}\n    Ba {n['ba']:.1f}\n    Cl {chloride:g}\nEND\n"
        f"MIX 1\n    1 {sea}\n    2 {formation}\n{heat}SOLID_SOLUTIONS 1\n    Scale\n{model}END\n"
    )


def _draw_cadmium(draws: random.Random) -> dict[str, float]:
    return {
        "temp": 25,
        "log_p": draws.choice(range(-25, -14)) / 10,
        "calcite": draws.choice((8, 10, 12, 15, 20)),
        "cadmium": draws.choice((100, 120, 150, 200, 250, 300)),
        "salt": draws.choice((20, 40, 60, 80)),
        "a": draws.choice((10, 12, 14, 16, 18)) / 10,
    }


def _tell_cadmium(n: Numbers, s: States) -> str:
    guggenheim = (
        "a regular solid solution whose excess Gibbs energy is the product of the two mole fractions and"
    )
    model = {
        "ideal": "an ideal solid solution",
        "RT": f"{guggenheim} {n['a']:.1f} times RT",
        "kJ": f"{guggenheim} {n['a']:.1f} kJ/mol",
    }[s["model"]]
    amount = {"mmol": f"{n['calcite']:g} mmol", "g": f"{n['calcite']:g} g (100.09 g/mol)"}[s["unit"]]
    salt = {"none": "", "salt": f" and {n['salt']:g} mmol NaCl"}[s["salt"]]
    cut = {
        "open": "Still exposed to this gas and in equilibrium with it",
        "closed": "Isolated from this gas",
    }[s["system"]]
    return (
        f"At 25 °C, water of pH 7 with {n['cadmium']:g} µmol CdCl2{salt} per kg of water comes to equilibrium with "
        f"soil air at a CO2 partial pressure of 10^{n['log_p']:g} atm before it comes into contact with any mineral. "
        f"{cut}, 1 kg of it then comes into contact with {amount} of calcite, which recrystallises completely. "
        f"Calcite and otavite, CdCO3, form {model}; the whole solid is homogeneous and in equilibrium with the water, "
        "and there is no other solid."
    )


def _build_cadmium(n: Numbers, s: States) -> str:
    amount = n["calcite"] * {"mmol": 1e-3, "g": 1 / 100.09}[s["unit"]]
    salt = n["salt"] if s["salt"] == "salt" else 0
    sodium = f"    Na {salt:g}\n" if salt else ""
    model = {
        "ideal": f"    -comp Calcite {amount:.6g}\n    -comp Otavite 0\n",
        "RT": f"    -comp1 Calcite {amount:.6g}\n    -comp2 Otavite 0\n    -Gugg_nondim {n['a']:.1f} 0\n",
        "kJ": f"    -comp1 Calcite {amount:.6g}\n    -comp2 Otavite 0\n    -Gugg_kJ {n['a']:.1f} 0\n",
    }[s["model"]]
    gas = f"EQUILIBRIUM_PHASES 1\n    CO2(g) {n['log_p']:g} 10\n"
    return (
        f"SOLUTION 1 Rain\n    temp 25\n    pH 7\n    units mmol/kgw\n{sodium}    Cd {n['cadmium'] / 1000:g}\n"
        f"    Cl {salt + n['cadmium'] / 500:g}\n{gas}SAVE solution 1\nEND\n"
        f"USE solution 1\n{gas if s['system'] == 'open' else ''}SOLID_SOLUTIONS 1\n    Carbonate\n{model}END\n"
    )


STEMS = (
    Stem(
        name="barium-strontium-scale",
        topic="solid solutions",
        draw=one_of(
            temp=range(60, 91, 5),
            cool=range(10, 31, 5),
            salt=range(600, 1001, 50),
            ca=range(20, 61, 10),
            sr=(6, 7, 8, 10, 12),
            ba=tenths((10, 15, 20, 25)),
            low=(3, 4, 5),
            a=tenths((10, 12, 14, 16, 18)),
        ),
        switches=(
            either("model", {"ideal": "ideal", "regular": "regular"}, "solid solution taken as {}"),
            either(
                "mix",
                {"40:60": "40:60", "60:40": "60:40"},
                "seawater and formation water mixed {} instead of {}",
            ),
            Switch(
                "sea", {"sea": "removal of sulfate omitted", "filtered": "sulfate removed although it is not"}
            ),
            Switch(
                "heat",
                {"kept": "cooling of the mixture omitted", "cooled": "mixture cooled although it is not"},
            ),
        ),
        tell=_tell_scale,
        build=_build_scale,
        quantities=(
            Quantity(
                "celestite",
                "What is the mole percentage of celestite in the scale?",
                "%",
                "value",
                '100*S_S("Celestite")/(S_S("Celestite")+S_S("Barite"))',
                Printed("Solid solutions", "Celestite", 2, 100),
            ),
            total("barium", "Ba", "barium", unit="µmol"),
            molality("free-barium", "Ba+2", "barium", unit="µmol"),
            Quantity(
                "celestite-amount",
                "What is the amount of the celestite component in the scale?",
                "mmol",
                "value",
                'S_S("Celestite")*1e3',
                Printed("Solid solutions", "Celestite", 0, 1e3),
            ),
        ),
    ),
    Stem(
        name="cadmium-in-calcite",
        topic="solid solutions",
        draw=_draw_cadmium,
        switches=(
            Switch(
                "model",
                {
                    "ideal": "solid solution taken as ideal",
                    "RT": "excess Gibbs energy taken in units of RT",
                    "kJ": "excess Gibbs energy taken in kJ/mol",
                },
                "unit",
            ),
            given_as("unit", {"mmol": "mmol", "g": "g"}, "calcite taken in {} instead of {}"),
            optional("salt", "salt", {"none": False, "salt": True}),
            either(
                "system",
                {"open": "kept open to CO2 in", "closed": "closed to CO2 before"},
                "water {} contact with calcite",
            ),
        ),
        tell=_tell_cadmium,
        build=_build_cadmium,
        quantities=(
            total("cadmium", "Cd", "cadmium", unit="µmol"),
            molality("free-cadmium", "Cd+2", "cadmium", unit="µmol"),
            CALCIUM,
            PH,
        ),
    ),
)
