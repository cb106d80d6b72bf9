"""Charge balance and redox: pH found by charge balance, iron aerated, nitrate reduced, a measured potential."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import PH, alkalinity, index, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, optional, read, state_of

LOG_CO2 = index(
    "CO2(g)",
    ask="What is the logarithm (base 10) of the CO2 partial pressure, in atm, in a gas in equilibrium with the water?",
    name="log-co2",
)


def _draw_balance(draws: random.Random) -> dict[str, float]:
    """Draw an analysis whose inorganic carbon exceeds the charge that it balances, whatever it is expressed as."""
    calcium, magnesium, sodium = (
        draws.choice(each) / 10 for each in (range(12, 26), range(3, 9), range(5, 26))
    )
    chloride, sulfate = draws.choice(range(3, 13)) / 10, draws.choice(range(2, 9)) / 10
    carbonate = 2 * calcium + 2 * magnesium + sodium - chloride - 2 * sulfate
    return {
        "temp": draws.choice(range(8, 13)),
        "calcium": calcium,
        "magnesium": magnesium,
        "sodium": sodium,
        "chloride": chloride,
        "sulfate": sulfate,
        "carbon": round(carbonate * draws.choice((1.04, 1.06, 1.08, 1.1)) * 61.0171),
        "ph": draws.choice(range(66, 73)) / 10,
        "heat": draws.choice(range(25, 41, 5)),
    }


def _tell_balance(n: Numbers, s: States) -> str:
    carbon = {"CO2": "as CO2", "HCO3": "as HCO3-"}[s["carbon"]]
    balance = {
        "kept": f"The pH, {n['ph']:g}, was measured with care and is to be kept; the charges need not balance, and "
        "nothing is to be changed to balance them",
        "ph": f"The pH, {n['ph']:g}, was measured late, on a bottle that had lost gas; it is not to be used, but "
        "replaced with the pH at which the charges balance",
        "calcium": f"The pH, {n['ph']:g}, was measured with care and is to be kept; the calcium is in doubt and is to "
        "be replaced with the concentration at which the charges balance",
    }[s["balance"]]
    warm = "before" if s["warm"] == "no" else "after"
    return (
        f"An analysis of groundwater at {n['temp']:g} °C gives, in mmol per kg of water: Ca {n['calcium']:g}, Mg "
        f"{n['magnesium']:g}, Na {n['sodium']:g}, Cl {n['chloride']:g} and SO4 {n['sulfate']:g}. Its total dissolved "
        f"inorganic carbon is {n['carbon']:g} mg per kg of water, expressed {carbon}. {balance}. In a closed pipe, the "
        f"water warms up to {n['heat']:g} °C without any loss of gas or formation of minerals. Consider the water "
        f"{warm} the pipe."
    )


def _build_balance(n: Numbers, s: States) -> str:
    carbon = n["carbon"] / {"CO2": 44.0095, "HCO3": 61.0171}[s["carbon"]]
    ph, calcium = {"ph": (" charge", ""), "calcium": ("", " charge"), "kept": ("", "")}[s["balance"]]
    text = (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}{ph}\n    units mmol/kgw\n"
        f"    Ca {n['calcium']:g}{calcium}\n    Mg {n['magnesium']:g}\n    Na {n['sodium']:g}\n"
        f"    Cl {n['chloride']:g}\n    S(6) {n['sulfate']:g}\n    C(4) {carbon:.6g}\nEND\n"
    )
    if s["warm"] == "yes":
        text += f"USE solution 1\nREACTION_TEMPERATURE 1\n    {n['heat']:g}\nEND\n"
    return text


def _iron_oxygen(n: Numbers) -> float:
    return round(n["iron"] / 4 * n["oxygen"], 3)


def _tell_iron(n: Numbers, s: States) -> str:
    basis = {"CaCO3": "CaCO3", "HCO3": "HCO3-"}[s["basis"]]
    dose = (
        f"{_iron_oxygen(n):g} mmol of O2 per kg of water and no more, all of which is used up"
        if s["dose"] == "limited"
        else f"not only {_iron_oxygen(n):g} mmol of O2 per kg of water, but enough to bring the water to equilibrium "
        "with an oxygen partial pressure of 0.2 atm"
    )
    bed = (
        "passes at the same time through a filter of crushed calcite, in excess, with which it comes to equilibrium"
        if s["filter"] == "calcite"
        else "passes at the same time through a filter of quartz sand, which does not react"
    )
    gas = (
        "The tank is open: in the same step, CO2 escapes until the water is in equilibrium with a CO2 partial pressure "
        "of 10^-2.5 atm"
        if s["gas"] == "open"
        else "The tank is closed: no CO2 is exchanged, and the CO2 partial pressure of 10^-2.5 atm above open tanks "
        "does not matter"
    )
    return (
        f"Anoxic groundwater at {n['temp']:g} °C and pH {n['ph']:g} contains {n['iron']:g} mmol of dissolved ferrous "
        f"iron and 2.5 mmol of calcium per kg of water, an alkalinity of {n['alkalinity']:g} mg per kg of water "
        f"expressed as {basis}, chloride set by charge balance, and neither ferric iron nor oxygen. A water works adds "
        f"{dose}. The iron comes to redox equilibrium with the oxygen, and ferric iron precipitates until equilibrium "
        f"as amorphous hydroxide, Fe(OH)3(a) in the database. The water {bed}. {gas}. No other mineral forms. The "
        "question concerns the water after all of this has happened."
    )


def _build_iron(n: Numbers, s: States) -> str:
    alkalinity = n["alkalinity"] / {"CaCO3": 50.04345, "HCO3": 61.0171}[s["basis"]]
    phases = (
        ("    O2(g) -0.69897 10\n" if s["dose"] == "excess" else "")
        + "    Fe(OH)3(a) 0 0\n"
        + ("    Calcite 0 10\n" if s["filter"] == "calcite" else "")
        + ("    CO2(g) -2.5 10\n" if s["gas"] == "open" else "")
    )
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}\n    units mmol/kgw\n    Fe(2) {n['iron']:g}\n"
        f"    Ca 2.5\n    Alkalinity {alkalinity:.6g}\n    Cl 1 charge\nEND\nUSE solution 1\n"
        + (f"REACTION 1\n    O2 1\n    {_iron_oxygen(n) / 1e3:g} moles\n" if s["dose"] == "limited" else "")
        + f"EQUILIBRIUM_PHASES 1\n{phases}END\n"
    )


def _draw_nitrate(draws: random.Random) -> dict[str, float]:
    """Draw so that nitrate is left and oxygen is not, in all states."""
    return {
        "nitrate": draws.choice(range(42, 61)),
        "oxygen": draws.choice((8, 10, 12, 15)) / 100,
        "organic": draws.choice(range(20, 36)) / 100,
        "pyrite": draws.choice(range(50, 91, 5)) / 1000,
        "alkalinity": draws.choice(range(15, 31)) / 10,
        "ph": draws.choice(range(68, 78)) / 10,
    }


def _tell_nitrate(n: Numbers, s: States) -> str:
    basis = {"N": "N", "NO3": "NO3-"}[s["basis"]]
    oxygen = (
        f"{n['oxygen']:g} mmol of dissolved O2 per kg of water"
        if s["oxygen"] == "with"
        else f"no remaining dissolved O2 (it had {n['oxygen']:g} mmol per kg of water upstream)"
    )
    donor = "organic carbon and no pyrite" if s["donor"] == "organic" else "pyrite and no organic carbon"
    days = {"one": "one day, and thus one portion", "two": "two days, and thus two portions"}[s["days"]]
    return (
        f"Groundwater at 25 °C and pH {n['ph']:g} contains {n['nitrate']:g} mg of nitrate per kg of water, given as "
        f"{basis}, an alkalinity of {n['alkalinity']:g} meq per kg of water, {oxygen}, no nitrogen gas, and sodium set "
        "by charge balance. An aquifer may supply it with a reductant, one portion per day: either organic carbon (as "
        f"CH2O), {n['organic']:g} mmol per kg of water per day, which is oxidised to inorganic carbon; or pyrite "
        f"(FeS2), {n['pyrite']:g} mmol per kg of water per day, whose sulfur becomes sulfate and whose iron becomes "
        "ferric iron and precipitates until equilibrium as Fe(OH)3(a) of the database. The aquifer in question "
        f"supplies {donor}. The reductant first reduces dissolved oxygen, if there is any, to water, and then nitrate "
        "to dissolved N2, as far as its electrons suffice, all in redox equilibrium; no gas escapes and no carbonate "
        f"mineral forms. Consider the water after {days}."
    )


def _build_nitrate(n: Numbers, s: States) -> str:
    nitrate = n["nitrate"] / {"N": 14.0067, "NO3": 62.0049}[s["basis"]]
    portion, formula = (n["organic"], "CH2O") if s["donor"] == "organic" else (n["pyrite"], "FeS2")
    return (
        f"SOLUTION 1\n    temp 25\n    pH {n['ph']:g}\n    units mmol/kgw\n    N(5) {nitrate:.6g}\n"
        + (f"    O(0) {2 * n['oxygen']:g}\n" if s["oxygen"] == "with" else "")
        + f"    Alkalinity {n['alkalinity']:g}\n    Na 1 charge\nEND\nUSE solution 1\n"
        + ("EQUILIBRIUM_PHASES 1\n    Fe(OH)3(a) 0 0\n" if s["donor"] == "pyrite" else "")
        + f"REACTION 1\n    {formula} 1\n    {portion / 1e3:g} {2 * portion / 1e3:g} moles\nEND\n"
    )


def _tell_eh(n: Numbers, s: States) -> str:
    iron = {"mg": "mg", "mmol": "mmol"}[s["iron"]]
    sulfate = {"S": "expressed as S", "SO4": "expressed as SO4"}[s["sulfate"]]
    against = {
        "hydrogen": "is given relative to the standard hydrogen electrode (the Ag/AgCl electrode of the probe is at "
        "+205 mV relative to it)",
        "silver": "is given relative to the Ag/AgCl electrode of the probe (which is at +205 mV relative to the "
        "standard hydrogen electrode)",
    }[s["against"]]
    limed = "before" if s["lime"] == "no" else "after"
    return (
        f"A lake in an old mine at 25 °C contains {n['iron']:g} {iron} of dissolved iron and {n['sulfate']:g} mg of "
        f"sulfate ({sulfate}) per kg of water, with magnesium set by charge balance. A little magnesium hydroxide is "
        f"stirred in, which raises its pH from {n['ph']:g} to {n['limed']:g} and changes neither iron nor sulfate. The "
        f"redox potential of the water, {n['eh']:g} mV, is the same before and after, and {against}. It fixes the "
        f"redox state of the iron; sulfate is not reduced, and no mineral forms. Consider the water {limed} the "
        "hydroxide is stirred in."
    )


def _build_eh(n: Numbers, s: States) -> str:
    eh = n["eh"] + (205 if s["against"] == "silver" else 0)
    ph = n["ph"] if s["lime"] == "no" else n["limed"]
    iron = n["iron"] / (55.847 if s["iron"] == "mg" else 1)
    sulfate = n["sulfate"] / {"S": 32.064, "SO4": 96.0616}[s["sulfate"]]
    return (
        f"SOLUTION 1\n    temp 25\n    pH {ph:g}\n    pe {eh / 59.159:.5f}\n    units mmol/kgw\n    Fe {iron:.6g}\n"
        f"    S(6) {sulfate:.6g}\n    Mg {sulfate:.3g} charge\nEND\n"
    )


STEMS = (
    Stem(
        name="charge-balance-of-an-analysis",
        topic="charge and redox balance",
        draw=_draw_balance,
        switches=(
            Switch(
                "balance",
                {
                    "kept": "charge left unbalanced",
                    "ph": "charge balanced on pH",
                    "calcium": "charge balanced on calcium",
                },
            ),
            given_as("carbon", {"CO2": "CO2", "HCO3": "HCO3-"}, "inorganic carbon taken as {} instead of {}"),
            read("warm", {"no": "before warming", "yes": "after warming"}),
        ),
        tell=_tell_balance,
        build=_build_balance,
        quantities=(
            index("Calcite", "carbonates"),
            index("Aragonite", "carbonates"),
            LOG_CO2,
            molality("carbon-dioxide", "CO2", "carbon", noun="dissolved"),
            molality("bicarbonate", "HCO3-", "carbon", noun="the ion"),
        ),
    ),
    Stem(
        name="iron-removal-by-aeration",
        topic="charge and redox balance",
        draw=one_of(
            temp=range(8, 19),
            iron=tenths(range(60, 141, 5), 100),
            oxygen=tenths((30, 35, 40, 45, 50), 100),
            alkalinity=range(200, 261, 5),
            ph=tenths(range(66, 72)),
        ),
        switches=(
            either("dose", {"limited": "in a limited amount", "excess": "in excess"}, "oxygen taken {}"),
            optional("filter", "equilibrium with calcite", {"calcite": True, "sand": False}),
            Switch("gas", {"open": "water kept open to CO2", "closed": "water closed to CO2"}),
            given_as("basis", {"CaCO3": "CaCO3", "HCO3": "HCO3-"}, "alkalinity taken as {} instead of {}"),
        ),
        tell=_tell_iron,
        build=_build_iron,
        quantities=(
            PH,
            alkalinity(),
            molality("bicarbonate", "HCO3-", "carbon", noun="the ion"),
            total("inorganic carbon", "C", "carbon"),
        ),
    ),
    Stem(
        name="nitrate-reduced-in-an-aquifer",
        topic="charge and redox balance",
        draw=_draw_nitrate,
        switches=(
            given_as("basis", {"N": "N", "NO3": "NO3-"}, "nitrate taken as {} instead of {}"),
            optional("oxygen", "dissolved oxygen", {"with": True, "without": False}),
            either("donor", {"organic": "organic carbon", "pyrite": "pyrite"}),
            read("days", {"one": "after one day", "two": "after two days"}),
        ),
        tell=_tell_nitrate,
        build=_build_nitrate,
        state=state_of("days", {"one": -2, "two": -1}),
        quantities=(
            total("nitrate", "N(5)", "nitrogen", ask="What is the concentration of the remaining nitrate?"),
            molality("nitrogen", "N2", "nitrogen", noun="dissolved"),
            PH,
            alkalinity(),
        ),
    ),
    Stem(
        name="iron-in-an-acid-lake",
        topic="charge and redox balance",
        draw=one_of(
            ph=tenths(range(24, 30)),
            limed=tenths(range(32, 36)),
            eh=range(480, 546, 5),
            iron=tenths(range(40, 81, 5)),
            sulfate=range(2000, 3001, 100),
        ),
        switches=(
            either(
                "against",
                {"hydrogen": "standard hydrogen", "silver": "Ag/AgCl"},
                "potential taken relative to the {} electrode",
            ),
            Switch("lime", {"no": "raising of the pH omitted", "yes": "pH raised although it is not"}),
            given_as("iron", {"mg": "mg", "mmol": "mmol"}, "iron taken in {} instead of {}"),
            given_as("sulfate", {"S": "S", "SO4": "SO4"}, "sulfate taken as {} instead of {}"),
        ),
        tell=_tell_eh,
        build=_build_eh,
        quantities=(
            total("ferric iron", "Fe(3)", "iron", name="ferric"),
            total("ferrous iron", "Fe(2)", "iron", name="ferrous"),
            index("Goethite", "hydroxides"),
            index("Fe(OH)3(a)", "hydroxides", noun="Fe(OH)3(a), amorphous ferric hydroxide,"),
        ),
    ),
)
