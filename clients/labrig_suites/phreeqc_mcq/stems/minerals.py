"""Waters in equilibrium with several minerals and gases: fluorite with calcite, gypsum with dolomite and celestite."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, FREE_CALCIUM, PH, molality, total
from labrig_suites.phreeqc_mcq.scenario import (
    Numbers,
    States,
    Stem,
    Switch,
)
from labrig_suites.phreeqc_mcq.switches import either, optional

FREE_FLUORIDE = molality("free-fluoride", "F-", "fluoride")


def _tell_fluorite(n: Numbers, s: States) -> str:
    salt = f"{n['soda']:g} mmol of {'NaHCO3' if s['salt'] == 'soda' else 'NaCl'}"
    magnesium = (
        f" and {n['magnesium']:g} mmol of MgCl2"
        if s["magnesium"] == "with"
        else f", but not the {n['magnesium']:g} mmol of MgCl2 that are supplied along a nearby fault,"
    )
    gas = "soil gas" if s["gas"] == "soil" else "outdoor air"
    minerals = (
        "fluorite and calcite, each in excess"
        if s["calcite"] == "with"
        else "fluorite, in excess, while calcite is absent and does not form"
    )
    temp = "shallow" if s["depth"] == "shallow" else "deep"
    return (
        f"Represent the groundwater of a granite by dissolving {salt}{magnesium} in each kg of pure water. There is a "
        f"shallow aquifer, at {n['temp']:g} °C, and a deep aquifer, at {n['warm']:g} °C; the question concerns the "
        f"water in the {temp} one. The CO2 partial pressure is 10^{n['log_p']:g} atm in soil gas and 10^-3.4 atm in "
        f"outdoor air; the water comes to equilibrium with {gas}, whose CO2 partial pressure does not change, and at "
        f"the same time with {minerals}. Nothing else reacts."
    )


def _build_fluorite(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["depth"] == "shallow" else n["warm"]
    log_p = n["log_p"] if s["gas"] == "soil" else -3.4
    magnesium = n["magnesium"] if s["magnesium"] == "with" else 0
    chloride = 2 * magnesium + (n["soda"] if s["salt"] == "chloride" else 0)
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH 7\n    units mmol/kgw\n    Na {n['soda']:g}\n"
        + (f"    Alkalinity {n['soda']:g}\n" if s["salt"] == "soda" else "")
        + (f"    Mg {magnesium:g}\n" if magnesium else "")
        + (f"    Cl {chloride:g}\n" if chloride else "")
        + f"EQUILIBRIUM_PHASES 1\n    Fluorite 0 10\n    CO2(g) {log_p:g} 10\n"
        + ("    Calcite 0 10\n" if s["calcite"] == "with" else "")
        + "END\n"
    )


def _tell_gypsum(n: Numbers, s: States) -> str:
    water = {
        "fresh": "pure water",
        "halite": "water below the salt pan",
        "glauber": "water below the dump",
    }[s["salt"]]
    rock = (
        "calcite and dolomite, both in excess"
        if s["dolomite"] == "with"
        else "calcite in excess, without any dolomite"
    )
    gypsum = (
        f"{n['gypsum']:g} mmol of gypsum per kg of water, all of which dissolves"
        if s["gypsum"] == "some"
        else f"far more gypsum than the {n['gypsum']:g} mmol per kg of water that remain elsewhere, so that it is "
        "always in excess"
    )
    depth = "near the surface" if s["depth"] == "shallow" else "at depth"
    return (
        f"Below a swamp, water seeps into a rock of {rock}. The seepage may be pure water; water below a salt pan, "
        f"which is pure apart from {n['salt']:g} mmol of NaCl per kg of water; or water below a dump of sodium "
        f"sulfate, which is pure apart from {n['glauber']:g} mmol of Na2SO4 per kg of water. The question concerns "
        f"the {water}. In the rock, it encounters {gypsum}. The CO2 partial pressure of the swamp, 10^{n['log_p']:g} "
        f"atm, is maintained throughout. The temperature is {n['temp']:g} °C near the surface and {n['warm']:g} °C at "
        f"depth. Consider the water {depth}, where all of this has come to equilibrium together. A carbonate mineral "
        "of the rock may dissolve or precipitate; no other mineral forms."
    )


def _build_gypsum(n: Numbers, s: States) -> str:
    temp = n["temp"] if s["depth"] == "shallow" else n["warm"]
    text = f"SOLUTION 1\n    temp {temp:g}\n    pH 7\n    units mmol/kgw\n"
    if s["salt"] == "halite":
        text += f"    Na {n['salt']:g}\n    Cl {n['salt']:g}\n"
    if s["salt"] == "glauber":
        text += f"    Na {2 * n['glauber']:g}\n    S(6) {n['glauber']:g}\n"
    text += f"EQUILIBRIUM_PHASES 1\n    CO2(g) {n['log_p']:g} 10\n    Calcite 0 10\n"
    if s["dolomite"] == "with":
        text += "    Dolomite 0 10\n"
    if s["gypsum"] == "excess":
        return text + "    Gypsum 0 10\nEND\n"
    return text + f"REACTION 1\n    CaSO4:2H2O 1\n    {n['gypsum'] / 1e3:g} moles\nEND\n"


STEMS = (
    Stem(
        name="fluorite-in-granite-water",
        topic="gases and minerals",
        draw=one_of(
            temp=range(8, 16),
            warm=range(35, 61, 5),
            log_p=tenths(range(-25, -14)),
            soda=(4, 5, 6, 8, 10, 12),
            magnesium=(10, 15, 20, 30),
        ),
        switches=(
            either("salt", {"soda": "sodium bicarbonate", "chloride": "sodium chloride"}),
            optional("magnesium", "magnesium chloride", {"with": True, "without": False}),
            optional("calcite", "calcite", {"with": True, "without": False}),
            either(
                "gas",
                {"soil": "soil gas", "air": "outdoor air"},
                "CO2 pressure of {} used instead of that of {}",
            ),
            either("depth", {"shallow": "shallow", "deep": "deep"}, "temperature of the {} aquifer used"),
        ),
        tell=_tell_fluorite,
        build=_build_fluorite,
        quantities=(total("fluoride", "F", "fluoride"), FREE_FLUORIDE, CALCIUM, FREE_CALCIUM, PH),
    ),
    Stem(
        name="dolomite-and-gypsum-below-a-swamp",
        topic="gases and minerals",
        draw=one_of(
            temp=range(8, 16),
            warm=range(30, 51, 5),
            log_p=tenths(range(-25, -14)),
            gypsum=tenths(range(20, 41, 2)),
            salt=range(100, 401, 50),
            glauber=(10, 12, 15, 18, 20, 25),
        ),
        switches=(
            Switch(
                "salt",
                {
                    "fresh": "dissolved salt omitted",
                    "halite": "sodium chloride included",
                    "glauber": "sodium sulfate included",
                },
            ),
            optional("dolomite", "dolomite", {"with": True, "without": False}),
            either("depth", {"shallow": "near the surface", "deep": "at depth"}, "temperature {} used"),
            either("gypsum", {"some": "in a limited amount", "excess": "in excess"}, "gypsum taken {}"),
        ),
        tell=_tell_gypsum,
        build=_build_gypsum,
        quantities=(PH, CALCIUM, FREE_CALCIUM, total("sulfate", "S")),
    ),
)
