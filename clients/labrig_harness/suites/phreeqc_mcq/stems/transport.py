"""Columns, aquifers and clay: advection, dispersion, diffusion, exchange, sorption and decay.

The refinement of a column has cells and time steps of half the size, and mixes the two cells that make up the one that
is read: what a cell holds is the mean over its length.
"""

from __future__ import annotations

import random
from math import log

from labrig_harness.suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch

REFINEMENT = 2


def _total(element: str, name: str, group: str) -> Quantity:
    return Quantity(
        name.replace(" ", "-"),
        f"What is the concentration of {name}?",
        "mmol/kg water",
        "value",
        f'TOT("{element}")*1e3',
        Printed("Solution composition", element, scale=1e3),
        group=group,
    )


def _transport(
    cells: int,
    shifts: int,
    step: float,
    length: float,
    *,
    dispersivity: float = 0.0,
    diffusion: float = 0.0,
    inlet: str = "flux",
    outlet: str = "flux",
    direction: str = "forward",
    mean_of: int = 0,
) -> str:
    """Return the transport block; `mean_of` is the cell that is read, for a refined column."""
    return (
        f"TRANSPORT\n    -cells {cells}\n    -shifts {shifts}\n    -time_step {step:.10g}\n"
        f"    -lengths {cells}*{length:.10g}\n    -dispersivities {cells}*{dispersivity:.10g}\n"
        f"    -diffusion_coefficient {diffusion:.10g}\n"
        f"    -flow_direction {direction}\n    -boundary_conditions {inlet} {outlet}\n"
        + (f"    -punch_cells 1\n    -punch_frequency {shifts}\n" if mean_of else "")
        + "END\n"
        + (f"MIX 1\n    {2 * mean_of - 1} 0.5\n    {2 * mean_of} 0.5\nEND\n" if mean_of else "")
    )


def _state(cells: int, shifts: int, cell: int, shift: int, *, closed: bool = False) -> int:
    """Return where a cell after a shift is: after each PHREEQC prints inlet, cells and outlet, if "
    "that is not closed."""
    after = 0 if closed else 1
    return -((shifts - shift) * (cells + 1 + after) + (cells - cell + after) + 1)


def _advection(cells: int, shifts: int) -> str:
    return f"ADVECTION\n    -cells {cells}\n    -shifts {shifts}\nEND\n"


def _advected(cells: int, shifts: int, cell: int, shift: int) -> int:
    """Return where a cell after a shift is, without dispersion: after each PHREEQC prints the cells."""
    return -((shifts - shift) * cells + (cells - cell) + 1)


# --- a tracer in a column -------------------------------------------------------------------------------------------

_TRACER_CELLS, _TRACER_SHIFTS, _TRACER_PULSE = 10, 12, 3
_TRACER_PLACE = {"fourth": 4, "seventh": 7}
_TRACER_TIME = {"early": 7, "late": 11}


def _tracer_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cell_cm": draws.choice((2, 2.5, 4, 5, 10)),
        "step_min": draws.choice((20, 30, 60, 90)),
        "old": draws.choice(range(4, 21)),
        "new": draws.choice(range(10, 41)),
    }


def _tracer_dispersivity(n: Numbers, s: States) -> float:
    return n["cell_cm"] / 100 * {"small": 0.5, "large": 1.5}[s["dispersivity"]]


def _tracer_tell(n: Numbers, s: States) -> str:
    other = _tracer_dispersivity(n, {"dispersivity": "large" if s["dispersivity"] == "small" else "small"})
    feed = (
        f"after {_TRACER_PULSE} shifts the feed is changed back to the sodium chloride solution"
        if s["feed"] == "pulse"
        else "the feed stays the same to the end"
    )
    place = {"fourth": "the 4th cell from the inlet", "seventh": "the 7th cell from the inlet"}[s["place"]]
    return (
        f"A sand column of {_TRACER_CELLS} cells of {n['cell_cm']:g} cm each is filled with a solution of "
        f"{n['old']:g} mmol NaCl per kg of water, at pH 7 and 25 °C. It is fed with a solution of {n['new']:g} mmol "
        f"CaBr2 per kg of water, also at pH 7; {feed}. The water moves on by one cell each {n['step_min']:g} minutes, "
        f"for {_TRACER_SHIFTS} such shifts in all. The dispersivity is {_tracer_dispersivity(n, s) * 100:g} cm "
        f"(of the sand in another column {other * 100:g} cm), taken as it is, without a correction for the length of "
        f"the column; molecular diffusion is left "
        "out. Solute enters and leaves with the flow only (flux "
        "boundaries at both ends). Nothing reacts with the sand. "
        f"Consider the water in {place} after shift {_TRACER_TIME[s['time']]}."
    )


def _tracer_input(n: Numbers, s: States, refinement: int = 1) -> str:
    cells = _TRACER_CELLS * refinement
    old = f"    pH 7\n    units mmol/kgw\n    Na {n['old']:g}\n    Cl {n['old']:g}\n"
    new = f"SOLUTION 0\n    pH 7\n    units mmol/kgw\n    Ca {n['new']:g}\n    Br {2 * n['new']:g}\n"
    last = _TRACER_TIME[s["time"]] if refinement > 1 else _TRACER_SHIFTS
    parts = [last]
    if s["feed"] == "pulse":
        parts = [_TRACER_PULSE, last - _TRACER_PULSE]
    text = f"SOLUTION 1-{cells}\n{old}{new}END\n"
    for number, shifts in enumerate(parts):
        if number:
            text += f"SOLUTION 0\n{old}END\n"
        text += _transport(
            cells,
            shifts * refinement,
            n["step_min"] * 60 / refinement,
            n["cell_cm"] / 100 / refinement,
            dispersivity=_tracer_dispersivity(n, s),
            mean_of=_TRACER_PLACE[s["place"]] if refinement > 1 else 0,
        )
    return ("PRINT\n    -reset false\n" if refinement > 1 else "") + text


def _tracer_state(n: Numbers, s: States) -> int:
    return _state(_TRACER_CELLS, _TRACER_SHIFTS, _TRACER_PLACE[s["place"]], _TRACER_TIME[s["time"]])


# --- cations leaving an exchanger one after the other ----------------------------------------------------------------

_CATION_CELLS, _CATION_SHIFTS, _CATION_PULSE = 9, 12, 4
_CATION_PLACE = {"second": 2, "fourth": 4}
_CATION_TIME = {"early": 6, "late": 9}


def _cation_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "more": draws.choice(range(20, 41)) / 10,
        "less": draws.choice(range(8, 15)) / 10,
        "feed": draws.choice(range(30, 61)) / 10,
        "capacity": draws.choice(range(50, 101, 5)) / 10,
    }


def _cation_salts(n: Numbers, s: States) -> tuple[float, float]:
    return (n["more"], n["less"]) if s["mixture"] == "sodium" else (n["less"], n["more"])


def _cation_tell(n: Numbers, s: States) -> str:
    sodium, potassium = _cation_salts(n, s)
    exchanger = (
        "which are in equilibrium with this solution from the start, in each compartment"
        if s["exchanger"] == "equilibrated"
        else "all of them with sodium at first; nothing reacts before the first shift"
    )
    back = (
        f"after {_CATION_PULSE} shifts it is followed by the first solution again, as it was before it met the "
        "exchanger"
        if s["feed"] == "pulse"
        else "it enters to the end"
    )
    return (
        f"A column is divided into {_CATION_CELLS} compartments in a row. Each is filled with 1 kg of water with "
        f"{sodium:g} mmol NaCl and {potassium:g} mmol KCl, at pH 7 and 25 °C, and holds {n['capacity']:g} mmol of "
        f"exchange sites (of charge -1), {exchanger}. The exchange selectivities are those of the database. With each "
        "shift the water of every compartment moves on, whole and unmixed, to the next one, and comes to equilibrium "
        f"with the exchanger there; into the first one comes 1 kg of water with {n['feed']:g} mmol CaCl2, at pH 7, and "
        f"{back}. There are {_CATION_SHIFTS} shifts in all, and no dispersion or diffusion. "
        f"Consider the water in compartment {_CATION_PLACE[s['place']]} of {_CATION_CELLS}, counted from the "
        f"inlet, after shift {_CATION_TIME[s['time']]}."
    )


def _cation_build(n: Numbers, s: States) -> str:
    sodium, potassium = _cation_salts(n, s)
    old = f"    pH 7\n    units mmol/kgw\n    Na {sodium:g}\n    K {potassium:g}\n    Cl {sodium + potassium:g}\n"
    sites = (
        f"    X {n['capacity'] / 1000:g}\n    -equilibrate 1\n"
        if s["exchanger"] == "equilibrated"
        else f"    NaX {n['capacity'] / 1000:g}\n"
    )
    text = (
        f"SOLUTION 0\n    pH 7\n    units mmol/kgw\n    Ca {n['feed']:g}\n    Cl {2 * n['feed']:g}\n"
        f"SOLUTION 1-{_CATION_CELLS}\n{old}EXCHANGE 1-{_CATION_CELLS}\n{sites}END\n"
    )
    if s["feed"] == "steady":
        return text + _advection(_CATION_CELLS, _CATION_SHIFTS)
    return (
        text
        + _advection(_CATION_CELLS, _CATION_PULSE)
        + f"SOLUTION 0\n{old}END\n"
        + _advection(_CATION_CELLS, _CATION_SHIFTS - _CATION_PULSE)
    )


def _cation_state(n: Numbers, s: States) -> int:
    return _advected(_CATION_CELLS, _CATION_SHIFTS, _CATION_PLACE[s["place"]], _CATION_TIME[s["time"]])


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
        + _transport(
            cells,
            last * refinement,
            n["days"] * 86400 / refinement,
            n["cell"] / refinement,
            dispersivity=1.5 * n["cell"],
            mean_of=_SOLVENT_PLACE[s["place"]] if refined else 0,
        )
    )


def _solvent_state(n: Numbers, s: States) -> int:
    return _state(_SOLVENT_CELLS, _SOLVENT_SHIFTS, _SOLVENT_PLACE[s["place"]], _SOLVENT_TIME[s["time"]])


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
    return f"{text}END\n" + _transport(
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
    return _state(_CLAY_CELLS, _CLAY_STEPS, _CLAY_PLACE[s["place"]], _CLAY_TIME[s["time"]], closed=closed)


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
        + _advection(_COAST_CELLS, _COAST_SHIFTS)
    )


def _coast_state(n: Numbers, s: States) -> int:
    return _advected(_COAST_CELLS, _COAST_SHIFTS, _COAST_PLACE[s["place"]], _COAST_TIME[s["time"]])


# --- softener cartridges in series ----------------------------------------------------------------------------------

_SOFT_CELLS, _SOFT_SHIFTS = 4, 5


def _soft_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "calcium": draws.choice(range(20, 41)) / 10,
        "magnesium": draws.choice(range(8, 16)) / 10,
        "capacity": draws.choice((4, 4.5, 5, 5.5, 6, 6.5)),
        "sodium": draws.choice(range(10, 41)) / 10,
    }


def _soft_tell(n: Numbers, s: States) -> str:
    number = {"third": "third", "fifth": "fifth"}[s["batch"]]
    cation, formula = ("sodium", "NaCl") if s["form"] == "Na" else ("potassium", "KCl")
    calcium, magnesium = _soft_hardness(n, s)
    return (
        f"Four softener cartridges stand in a row. Each holds {n['capacity']:g} mmol of exchange sites (of charge -1), "
        f"all of them with {cation} at first, and 1 kg of water with {n['sodium']:g} mmol {formula} at pH 7, at 25 °C. "
        "The exchange selectivities are those of the database; nothing reacts before the first batch. Hard water "
        "comes in batches of 1 kg: it has "
        f"{calcium:g} mmol CaCl2 and {magnesium:g} mmol MgCl2 per kg of water, at pH 7 and 25 °C. With each batch the "
        "water of every cartridge moves on, whole and unmixed, to the next one, and comes to equilibrium with the "
        f"resin there. Five batches are passed in all. Consider the water in the {s['place']} "
        f"cartridge when the {number} "
        "batch has entered the first one, and equilibrium is reached."
    )


def _soft_hardness(n: Numbers, s: States) -> tuple[float, float]:
    hardness = (n["calcium"], n["magnesium"])
    return hardness if s["hardness"] == "calcium" else (hardness[1], hardness[0])


def _soft_input(n: Numbers, s: States) -> str:
    calcium, magnesium = _soft_hardness(n, s)
    head = "    pH 7\n    units mmol/kgw\n"
    return (
        f"SOLUTION 0\n{head}    Ca {calcium:g}\n    Mg {magnesium:g}\n    Cl {2 * (calcium + magnesium):g}\n"
        f"SOLUTION 1-{_SOFT_CELLS}\n{head}    {s['form']} {n['sodium']:g}\n    Cl {n['sodium']:g}\n"
        f"EXCHANGE 1-{_SOFT_CELLS}\n    {s['form']}X {n['capacity'] / 1000:g}\nEND\n"
        + _advection(_SOFT_CELLS, _SOFT_SHIFTS)
    )


def _soft_state(n: Numbers, s: States) -> int:
    cell = {"second": 2, "third": 3}[s["place"]]
    shift = {"third": 3, "fifth": 5}[s["batch"]]
    return _advected(_SOFT_CELLS, _SOFT_SHIFTS, cell, shift)


STEMS = (
    Stem(
        name="tracer-in-a-column",
        topic="transport",
        draw=_tracer_numbers,
        switches=(
            Switch(
                "dispersivity",
                {"small": "the dispersivity too small", "large": "the dispersivity too large"},
            ),
            Switch("feed", {"pulse": "the feed changed back", "steady": "the feed not changed back"}),
            Switch(
                "place",
                {"fourth": "the 4th cell for the 7th", "seventh": "the 7th cell for the 4th"},
                "step",
            ),
            Switch("time", {"early": "shift 7 for shift 11", "late": "shift 11 for shift 7"}, "step"),
        ),
        tell=_tracer_tell,
        build=_tracer_input,
        quantities=(
            _total("Br", "bromide", "tracer"),
            _total("Ca", "calcium", "tracer"),
            _total("Cl", "chloride", "tracer"),
        ),
        state=_tracer_state,
        refined=lambda n, s: (_tracer_input(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="cations-leave-a-column",
        topic="transport",
        draw=_cation_numbers,
        switches=(
            Switch(
                "mixture",
                {"sodium": "sodium and potassium swapped", "potassium": "potassium and sodium swapped"},
            ),
            Switch(
                "exchanger",
                {
                    "equilibrated": "the exchanger first brought to equilibrium with the solution",
                    "sodium": "the exchanger loaded with sodium at first",
                },
            ),
            Switch(
                "feed",
                {"pulse": "the first solution brought back", "steady": "the first solution not brought back"},
            ),
            Switch("place", {"second": "compartment 2 for 4", "fourth": "compartment 4 for 2"}, "step"),
            Switch("time", {"early": "shift 6 for shift 9", "late": "shift 9 for shift 6"}, "step"),
        ),
        tell=_cation_tell,
        build=_cation_build,
        quantities=(
            _total("Na", "sodium", "cation"),
            _total("K", "potassium", "cation"),
            _total("Ca", "calcium", "cation"),
        ),
        state=_cation_state,
        large=True,
    ),
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
            _total("Na", "sodium", ""),
            _total("Ca", "calcium", ""),
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
            _total("Na", "sodium", "coast"),
            _total("Ca", "calcium", "coast"),
            _total("Mg", "magnesium", "coast"),
        ),
        state=_coast_state,
        large=True,
    ),
    Stem(
        name="softener-cartridges",
        topic="transport",
        draw=_soft_numbers,
        switches=(
            Switch(
                "form",
                {"Na": "sodium in place of potassium", "K": "potassium in place of sodium"},
            ),
            Switch(
                "hardness",
                {"calcium": "calcium and magnesium swapped", "magnesium": "magnesium and calcium swapped"},
            ),
            Switch(
                "place",
                {"second": "cartridge 2 for cartridge 3", "third": "cartridge 3 for cartridge 2"},
                "step",
            ),
            Switch("batch", {"third": "batch 3 for batch 5", "fifth": "batch 5 for batch 3"}, "step"),
        ),
        tell=_soft_tell,
        build=_soft_input,
        quantities=(
            _total("Ca", "calcium", "soft"),
            _total("Mg", "magnesium", "soft"),
        ),
        state=_soft_state,
    ),
)
