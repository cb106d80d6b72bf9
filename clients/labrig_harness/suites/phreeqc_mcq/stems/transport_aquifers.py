"""Aquifers and clay: dispersion, diffusion, decay, exchange with the rock."""

from __future__ import annotations

import random
from math import log

from labrig_harness.suites.phreeqc_mcq.columns import (
    REFINEMENT,
    advection,
    state_of_cell,
    state_of_vessel,
    total,
    transport,
)
from labrig_harness.suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch

# --- a solvent that decays ------------------------------------------------------------------------------------------

_SOLVENT_CELLS, _SOLVENT_SHIFTS = 9, 9
_SOLVENT_PLACE = {"third": 3, "sixth": 6}
_SOLVENT_TIME = {"early": 4, "late": 7}


def _solvent_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cell": draws.choice((1, 2, 2.5, 4, 5)),
        "days": draws.choice(range(10, 41, 5)),
        "life": draws.choice(range(3, 9)),
        "amount": draws.choice(range(20, 201, 5)),
    }


def _solvent_rate(n: Numbers, s: States) -> float:
    """Return the rate constant of the solvent, per second."""
    life = n["life"] * n["days"] * 86400
    return log(2) / life if s["decay"] == "half-life" else 1 / life


def _solvent_tell(n: Numbers, s: States) -> str:
    life = "half-life" if s["decay"] == "half-life" else "mean life (the inverse of the rate constant)"
    product = (
        f"which decays too, with a {s['decay']} of {2 * n['life'] * n['days']:g} days, to what is of no concern"
        if s["product"] == "decays"
        else "which does not decay"
    )
    return (
        f"A chlorinated solvent has got into {_SOLVENT_CELLS * n['cell']:g} m of an aquifer, taken as {_SOLVENT_CELLS} "
        f"cells of {n['cell']:g} m: the water holds {n['amount']:g} µmol of it per kg of water everywhere, and none "
        "of it has decayed. Clean groundwater flushes it from then on. The solvent decays by first-order kinetics with "
        f"a {life} of {n['life'] * n['days']:g} days, beginning with the flushing, to one dissolved molecule of a "
        f"degradation product for each molecule, {product}. Neither of them sorbs. All waters are at pH 7 and 25 °C. "
        f"The water moves on by one cell each {n['days']:g} days. The dispersivity is "
        f"{1.5 * n['cell']:g} m, taken as it is, without a correction for the length of the aquifer; molecular "
        "diffusion is left out, and both ends are flux boundaries. "
        f"Consider the water in cell {_SOLVENT_PLACE[s['place']]}, counted from the inlet, after "
        f"{_SOLVENT_TIME[s['time']] * n['days']:g} of {_SOLVENT_SHIFTS * n['days']:g} days."
    )


def _solvent_input(n: Numbers, s: States, refinement: int = 1) -> str:
    cells = _SOLVENT_CELLS * refinement
    refined = refinement > 1
    last = _SOLVENT_TIME[s["time"]] if refined else _SOLVENT_SHIFTS
    rate = _solvent_rate(n, s)
    cvode = "    -cvode true\n" if refined else ""
    laws = [("Decay", "Solv", "Solv -1 Prod 1", rate)]
    if s["product"] == "decays":
        laws.append(("Loss", "Prod", "Prod -1", rate / 2))
    return (
        ("PRINT\n    -reset false\n" if refined else "")
        + "SOLUTION_MASTER_SPECIES\n"
        + "".join(f"    {name} {name} 0 1 1\n" for name in ("Solv", "Prod"))
        + "SOLUTION_SPECIES\n"
        + "".join(f"    {name} = {name}\n    log_k 0\n" for name in ("Solv", "Prod"))
        + "RATES\n"
        + "".join(
            f'    {law}\n    -start\n10 SAVE PARM(1) * TOT("{name}") * TIME\n    -end\n'
            for law, name, _, _ in laws
        )
        + f"SOLUTION 0\n    pH 7\nSOLUTION 1-{cells}\n    pH 7\n    units umol/kgw\n    Solv {n['amount']:g}\n"
        + f"KINETICS 1-{cells}\n"
        + "".join(
            f"    {law}\n    -formula {formula}\n    -m0 1\n    -parms {constant:.12g}\n    -tol 1e-10\n"
            for law, _, formula, constant in laws
        )
        + f"{cvode}END\n"
        + transport(
            cells,
            last * refinement,
            n["days"] * 86400 / refinement,
            n["cell"] / refinement,
            dispersivity=1.5 * n["cell"],
            mean_of=_SOLVENT_PLACE[s["place"]] if refined else 0,
        )
    )


def _solvent_state(n: Numbers, s: States) -> int:
    return state_of_cell(
        _SOLVENT_CELLS, _SOLVENT_SHIFTS, _SOLVENT_PLACE[s["place"]], _SOLVENT_TIME[s["time"]]
    )


def _solvent_quantity(element: str, name: str) -> Quantity:
    return Quantity(
        element.lower(),
        f"What is the dissolved concentration of the {name}?",
        "µmol/kg water",
        "value",
        f'TOT("{element}")*1e6',
        Printed("Solution composition", element, scale=1e6),
        group="solvent",
    )


# --- brine diffuses through clay ------------------------------------------------------------------------------------

_CLAY_CELLS, _CLAY_STEPS = 8, 12
_CLAY_PLACE = {"third": 3, "sixth": 6}
_CLAY_TIME = {"early": 6, "late": 12}


def _clay_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cell_cm": draws.choice((2, 4, 5, 10)),
        "diffusion": draws.choice((3e-10, 5e-10, 8e-10, 1e-9)),
        "number": draws.choice((0.3, 0.4, 0.5)),  # Fourier number of the whole, after the last time step
        "brine": draws.choice(range(100, 501, 20)),
        "fresh": draws.choice((2, 3, 4, 5)),
        "capacity": draws.choice(range(40, 141, 10)),
    }


def _clay_years(n: Numbers) -> float:
    """Return a time step, in years of 365.25 days."""
    thickness = _CLAY_CELLS * n["cell_cm"] / 100
    years = n["number"] * thickness**2 / n["diffusion"] / _CLAY_STEPS / (86400 * 365.25)
    return float(f"{years:.2g}")


def _clay_tell(n: Numbers, s: States) -> str:
    far = (
        "The far side is closed: nothing passes it"
        if s["far"] == "closed"
        else "On the far side is a reservoir of the same dilute water, which also stays as it is"
    )
    clay = (
        f"The clay has {n['capacity']:g} mmol of exchange sites (of charge -1) per kg of pore water, in equilibrium "
        "with the dilute water at first, with the exchange selectivities of the database"
        if s["exchanger"] == "present"
        else "The clay exchanges nothing"
    )
    diffusion = n["diffusion"] / (1 if s["tortuosity"] == "none" else 2)
    detour = (
        "taken as it is in the pores"
        if s["tortuosity"] == "none"
        else "divided by a tortuosity factor of 2 in the pores, so that the pore diffusion "
        f"coefficient is {diffusion * 1e10:g}e-10 m2/s"
    )
    return (
        f"A water-saturated clay layer {_CLAY_CELLS * n['cell_cm']:g} cm thick, taken as {_CLAY_CELLS} cells of "
        f"{n['cell_cm']:g} cm, has a pore water of {n['fresh']:g} mmol CaCl2 per kg of water at pH 7 and 25 °C. On one "
        f"side a brine of {n['brine']:g} mmol NaCl per kg of water, at pH 7, begins to touch it; the brine stays as it "
        f"is. {far}. {clay}. Solutes move by diffusion only, all with one diffusion coefficient of "
        f"{n['diffusion'] * 1e10:g}e-10 m2/s, {detour}. Time goes on in {_CLAY_STEPS} steps of "
        f"{_clay_years(n):g} years of 365.25 days. Consider the pore water "
        f"of cell {_CLAY_PLACE[s['place']]}, counted from the brine, after "
        f"{_CLAY_TIME[s['time']] * _clay_years(n):g} years."
    )


def _clay_input(n: Numbers, s: States, refinement: int = 1) -> str:
    cells = _CLAY_CELLS * refinement
    last = _CLAY_TIME[s["time"]] if refinement > 1 else _CLAY_STEPS
    fresh = f"    pH 7\n    units mmol/kgw\n    Ca {n['fresh']:g}\n    Cl {2 * n['fresh']:g}\n"
    text = (
        ("PRINT\n    -reset false\n" if refinement > 1 else "")
        + f"SOLUTION 0\n    pH 7\n    units mmol/kgw\n    Na {n['brine']:g}\n    Cl {n['brine']:g}\n"
        + f"SOLUTION 1-{cells + 1}\n{fresh}"
    )
    if s["exchanger"] == "present":
        text += f"EXCHANGE 1-{cells}\n    X {n['capacity'] / 1000:g}\n    -equilibrate 1\n"
    return f"{text}END\n" + transport(
        cells,
        last * refinement,
        _clay_years(n) * 86400 * 365.25 / refinement,
        n["cell_cm"] / 100 / refinement,
        diffusion=n["diffusion"] / (1 if s["tortuosity"] == "none" else 2),
        inlet="constant",
        outlet=s["far"],
        direction="diffusion_only",
        mean_of=_CLAY_PLACE[s["place"]] if refinement > 1 else 0,
    )


def _clay_state(n: Numbers, s: States) -> int:
    closed = s["far"] == "closed"
    return state_of_cell(
        _CLAY_CELLS, _CLAY_STEPS, _CLAY_PLACE[s["place"]], _CLAY_TIME[s["time"]], closed=closed
    )


# --- fresh and salt water in an aquifer -----------------------------------------------------------------------------

_COAST_CELLS, _COAST_SHIFTS = 7, 10
_COAST_PLACE = {"second": 2, "fourth": 4}
_COAST_TIME = {"early": 4, "late": 8}
_COAST_SALT_PH, _COAST_FRESH_PH = 7.9, 7.1


def _coast_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "sodium": draws.choice(range(20, 81, 5)),
        "magnesium": draws.choice(range(4, 13)),
        "salt_calcium": draws.choice((2, 3, 4)),
        "salt_alkalinity": draws.choice((3, 4, 5)),
        "fresh_calcium": draws.choice((1.5, 2, 2.5)),
        "fresh_magnesium": draws.choice((0.4, 0.6, 0.8)),
        "fresh_alkalinity": draws.choice((2, 2.5, 3)),
        "capacity": draws.choice(range(8, 25, 2)),
        "sediment": draws.choice((2.5, 3, 3.5)),
    }


def _coast_sites(n: Numbers, s: States) -> float:
    """Return the sites of a jar, in mmol."""
    return n["capacity"] * (1 if s["per"] == "water" else n["sediment"])


def _coast_tell(n: Numbers, s: States) -> str:
    salt = (
        f"brackish water of {n['sodium']:g} mmol Na, {n['magnesium']:g} mmol Mg and {n['salt_calcium']:g} mmol Ca per "
        f"kg of water and an alkalinity of {n['salt_alkalinity']:g} meq per kg of water, at pH {_COAST_SALT_PH:g},"
    )
    fresh = (
        f"fresh water of {n['fresh_calcium']:g} mmol Ca and {n['fresh_magnesium']:g} mmol Mg per kg of water and an "
        f"alkalinity of {n['fresh_alkalinity']:g} meq per kg of water, at pH {_COAST_FRESH_PH:g},"
    )
    old, new = (salt, fresh) if s["flow"] == "freshening" else (fresh, salt)
    per = {"water": "the water", "sediment": "the sediment"}[s["per"]]
    calcite = (
        "The sediment also holds calcite in excess, with which the water of a jar is in equilibrium from the first "
        "shift on"
        if s["calcite"] == "present"
        else "There is no calcite"
    )
    return (
        f"Sediment from a coastal aquifer is in {_COAST_CELLS} jars in a row, at 25 °C: in each are "
        f"{n['sediment']:g} kg of it and 1 kg of water. It has {n['capacity']:g} mmol of exchange sites (of charge -1) "
        f"per kg of {per}. All jars are filled with {old} and the sites come to equilibrium with this water as it is. "
        f"Then {new} is led in. Chloride is what the balance of charge asks for in both waters. {calcite}. With each "
        "shift the water of every jar moves on, whole and unmixed, to the next one, and comes to equilibrium there, "
        "without a gas. The exchange selectivities are those of the database. There are "
        f"{_COAST_SHIFTS} shifts in all. Consider the water in jar {_COAST_PLACE[s['place']]}, counted from the "
        f"inlet, after shift {_COAST_TIME[s['time']]}."
    )


def _coast_build(n: Numbers, s: States) -> str:
    salt = (
        f"    pH {_COAST_SALT_PH:g}\n    units mmol/kgw\n    Na {n['sodium']:g}\n    Mg {n['magnesium']:g}\n"
        f"    Ca {n['salt_calcium']:g}\n    Alkalinity {n['salt_alkalinity']:g}\n    Cl {n['sodium']:g} charge\n"
    )
    fresh = (
        f"    pH {_COAST_FRESH_PH:g}\n    units mmol/kgw\n    Ca {n['fresh_calcium']:g}\n"
        f"    Mg {n['fresh_magnesium']:g}\n    Alkalinity {n['fresh_alkalinity']:g}\n"
        f"    Cl {n['fresh_calcium']:g} charge\n"
    )
    old, new = (salt, fresh) if s["flow"] == "freshening" else (fresh, salt)
    calcite = f"EQUILIBRIUM_PHASES 1-{_COAST_CELLS}\n    Calcite 0 10\n" if s["calcite"] == "present" else ""
    return (
        f"SOLUTION 0\n{new}SOLUTION 1-{_COAST_CELLS}\n{old}"
        f"EXCHANGE 1-{_COAST_CELLS}\n    X {_coast_sites(n, s) / 1000:g}\n    -equilibrate 1\n{calcite}END\n"
        + advection(_COAST_CELLS, _COAST_SHIFTS)
    )


def _coast_state(n: Numbers, s: States) -> int:
    return state_of_vessel(_COAST_CELLS, _COAST_SHIFTS, _COAST_PLACE[s["place"]], _COAST_TIME[s["time"]])


STEMS = (
    Stem(
        name="solvent-in-an-aquifer",
        topic="transport",
        draw=_solvent_numbers,
        switches=(
            Switch(
                "product",
                {"decays": "decay of the product added", "stays": "the decay of the product left out"},
            ),
            Switch(
                "decay",
                {
                    "half-life": "the mean life taken for the half-life",
                    "mean life": "the half-life taken for the mean life",
                },
                "unit",
            ),
            Switch("place", {"third": "cell 3 for cell 6", "sixth": "cell 6 for cell 3"}, "step"),
            Switch("time", {"early": "4 time steps for 7", "late": "7 time steps for 4"}, "step"),
        ),
        tell=_solvent_tell,
        build=_solvent_input,
        quantities=(
            _solvent_quantity("Solv", "solvent"),
            _solvent_quantity("Prod", "degradation product"),
        ),
        state=_solvent_state,
        refined=lambda n, s: (_solvent_input(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="brine-diffuses-into-clay",
        topic="transport",
        draw=_clay_numbers,
        switches=(
            Switch(
                "far",
                {
                    "closed": "the far side closed",
                    "constant": "the far side held at the dilute water",
                },
            ),
            Switch(
                "exchanger",
                {"present": "exchange on clay that does not exchange", "absent": "the exchanger left out"},
            ),
            Switch(
                "tortuosity",
                {"none": "the tortuosity left out", "factor 2": "a tortuosity that is not there"},
            ),
            Switch("place", {"third": "cell 3 for cell 6", "sixth": "cell 6 for cell 3"}, "step"),
            Switch("time", {"early": "half the time", "late": "the whole time for half of it"}, "step"),
        ),
        tell=_clay_tell,
        build=_clay_input,
        quantities=(
            total("Na", "sodium", ""),
            total("Ca", "calcium", ""),
        ),
        state=_clay_state,
        refined=lambda n, s: (_clay_input(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="fresh-and-salt-groundwater",
        topic="transport",
        draw=_coast_numbers,
        switches=(
            Switch(
                "flow",
                {
                    "freshening": "fresh water led into salt water",
                    "salinisation": "salt water led into fresh water",
                },
            ),
            Switch("calcite", {"present": "calcite added", "absent": "calcite left out"}),
            Switch(
                "per",
                {
                    "water": "the sites per kg of water in place of sediment",
                    "sediment": "the sites per kg of sediment in place of water",
                },
                "unit",
            ),
            Switch("place", {"second": "jar 2 for jar 4", "fourth": "jar 4 for jar 2"}, "step"),
            Switch("time", {"early": "shift 4 for shift 8", "late": "shift 8 for shift 4"}, "step"),
        ),
        tell=_coast_tell,
        build=_coast_build,
        quantities=(
            total("Na", "sodium", "coast"),
            total("Ca", "calcium", "coast"),
            total("Mg", "magnesium", "coast"),
        ),
        state=_coast_state,
        large=True,
    ),
)
