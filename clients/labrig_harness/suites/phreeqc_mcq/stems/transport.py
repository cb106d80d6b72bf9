"""Columns, aquifers and clay: advection, dispersion, diffusion, exchange, sorption and decay.

The refinement of a column has cells and time steps of a third: then the middle of a cell stays the middle of one.
"""

from __future__ import annotations

import random
from math import log, log10

from labrig_harness.suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch

REFINEMENT = 3


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
    only: int = 0,
) -> str:
    """Return the transport block; `only` limits what is punched to that cell after the last shift."""
    return (
        f"TRANSPORT\n    -cells {cells}\n    -shifts {shifts}\n    -time_step {step:.10g}\n"
        f"    -lengths {cells}*{length:.10g}\n    -dispersivities {cells}*{dispersivity:.10g}\n"
        f"    -diffusion_coefficient {diffusion:.10g}\n"
        f"    -flow_direction {direction}\n    -boundary_conditions {inlet} {outlet}\n"
        + (f"    -punch_cells {only}\n    -punch_frequency {shifts}\n" if only else "")
    )


def _state(cells: int, shifts: int, cell: int, shift: int, *, closed: bool = False) -> int:
    """Return where a cell after a shift is: after each PHREEQC prints inlet, cells and outlet, if "
    "that is not closed."""
    after = 0 if closed else 1
    return -((shifts - shift) * (cells + 1 + after) + (cells - cell + after) + 1)


def _fine(cell: int, refinement: int = REFINEMENT) -> int:
    """Return the cell in the middle of which the middle of a coarser cell is."""
    return refinement * (cell - 1) + (refinement + 1) // 2


# --- a tracer in a column -------------------------------------------------------------------------------------------

_TRACER_CELLS, _TRACER_SHIFTS, _TRACER_PULSE = 15, 18, 7
_TRACER_PLACE = {"fifth": 5, "tenth": 10}
_TRACER_TIME = {"early": 11, "late": 16}


def _tracer_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cell_cm": draws.choice((2, 2.5, 4, 5, 10)),
        "step_min": draws.choice((20, 30, 60, 90)),
        "old": draws.choice(range(4, 21)),
        "new": draws.choice(range(10, 41)),
    }


def _tracer_dispersivity(n: Numbers, s: States) -> float:
    return n["cell_cm"] / 100 * {"small": 0.5, "large": 2.0}[s["dispersivity"]]


def _tracer_tell(n: Numbers, s: States) -> str:
    feed = (
        f"after {_TRACER_PULSE} shifts the feed is changed back to the sodium chloride solution"
        if s["feed"] == "pulse"
        else "the feed stays the same to the end"
    )
    place = {"fifth": "the 5th cell from the inlet", "tenth": "the 10th cell from the inlet"}[s["place"]]
    return (
        f"A sand column of {_TRACER_CELLS} cells of {n['cell_cm']:g} cm each is filled with a solution of "
        f"{n['old']:g} mmol NaCl per kg of water, at pH 7 and 25 °C. It is fed with a solution of {n['new']:g} mmol "
        f"CaBr2 per kg of water, also at pH 7; {feed}. The water moves on by one cell each {n['step_min']:g} minutes, "
        f"for {_TRACER_SHIFTS} such shifts in all. The dispersivity is {_tracer_dispersivity(n, s) * 100:g} cm; "
        "molecular diffusion is left out. Solute enters and leaves with the flow only (flux "
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
            only=_fine(_TRACER_PLACE[s["place"]]) if refinement > 1 else 0,
        )
        text += "END\n"
    return ("PRINT\n    -reset false\n" if refinement > 1 else "") + text


def _tracer_state(n: Numbers, s: States) -> int:
    return _state(_TRACER_CELLS, _TRACER_SHIFTS, _TRACER_PLACE[s["place"]], _TRACER_TIME[s["time"]])


# --- cations leaving an exchanger one after the other ----------------------------------------------------------------

_CATION_CELLS, _CATION_SHIFTS, _CATION_PULSE = 12, 15, 4
_CATION_PLACE = {"fourth": 4, "ninth": 9}
_CATION_TIME = {"early": 8, "late": 15}


def _cation_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "more": draws.choice(range(20, 41)) / 10,
        "less": draws.choice(range(5, 11)) / 10,
        "feed": draws.choice(range(30, 81)) / 10,
        "capacity": draws.choice(range(20, 41)) / 10,
    }


def _cation_salts(n: Numbers, s: States) -> tuple[float, float]:
    return (n["more"], n["less"]) if s["mixture"] == "sodium" else (n["less"], n["more"])


def _cation_tell(n: Numbers, s: States) -> str:
    sodium, potassium = _cation_salts(n, s)
    exchanger = (
        f"The grains hold {n['capacity']:g} mmol of exchange sites (of charge -1) per kg of pore water, which are in "
        "equilibrium with this solution from the start, with the exchange selectivities of the database"
        if s["exchanger"] == "present"
        else "The grains are clean quartz and exchange nothing"
    )
    back = (
        f"after {_CATION_PULSE} shifts it is followed by the first solution again"
        if s["feed"] == "pulse"
        else "it flows in to the end"
    )
    return (
        f"A column of {_CATION_CELLS} cells of 1 cm each holds a solution of {sodium:g} mmol NaCl and {potassium:g} "
        f"mmol KCl per kg of water, at pH 7 and 25 °C. {exchanger}. A solution of {n['feed']:g} mmol CaCl2 per kg of "
        f"water, at pH 7, displaces it; {back}. The water moves on by one cell each 10 minutes, {_CATION_SHIFTS} times "
        "in all. The dispersivity is 2 cm, there is no molecular diffusion, and both ends are flux boundaries. "
        f" Consider the water in cell {_CATION_PLACE[s['place']]} of {_CATION_CELLS}, counted from the "
        f"inlet, after shift {_CATION_TIME[s['time']]}."
    )


def _cation_input(n: Numbers, s: States, refinement: int = 1) -> str:
    cells = _CATION_CELLS * refinement
    sodium, potassium = _cation_salts(n, s)
    last = _CATION_TIME[s["time"]] if refinement > 1 else _CATION_SHIFTS
    old = (
        "    pH 7\n    units mmol/kgw\n"
        f"    Na {sodium:g}\n    K {potassium:g}\n    Cl {sodium + potassium:g}\n"
    )
    text = (
        ("PRINT\n    -reset false\n" if refinement > 1 else "")
        + f"SOLUTION 0\n    pH 7\n    units mmol/kgw\n    Ca {n['feed']:g}\n    Cl {2 * n['feed']:g}\n"
        + f"SOLUTION 1-{cells}\n{old}"
    )
    if s["exchanger"] == "present":
        text += f"EXCHANGE 1-{cells}\n    X {n['capacity'] / 1000:g}\n    -equilibrate 1\n"
    parts = [_CATION_PULSE, last - _CATION_PULSE] if s["feed"] == "pulse" else [last]
    for number, shifts in enumerate(parts):
        text += f"END\nSOLUTION 0\n{old}END\n" if number else "END\n"
        text += _transport(
            cells,
            shifts * refinement,
            600 / refinement,
            0.01 / refinement,
            dispersivity=0.02,
            only=_fine(_CATION_PLACE[s["place"]]) if refinement > 1 else 0,
        )
    return f"{text}END\n"


def _cation_state(n: Numbers, s: States) -> int:
    return _state(_CATION_CELLS, _CATION_SHIFTS, _CATION_PLACE[s["place"]], _CATION_TIME[s["time"]])


# --- a solvent that sorbs and decays --------------------------------------------------------------------------------

_SOLVENT_CELLS, _SOLVENT_SHIFTS = 12, 12
_SOLVENT_PLACE = {"sixth": 6, "ninth": 9}
_SOLVENT_TIME = {"early": 7, "late": 11}


def _solvent_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cell": draws.choice((1, 2, 2.5, 4, 5)),
        "days": draws.choice(range(10, 41, 5)),
        "life": draws.choice(range(3, 11)),
        "amount": draws.choice(range(20, 201, 5)),
        "sorption": draws.choice((1.2, 1.3, 1.4, 1.5, 1.6)),
    }


def _solvent_ratio(n: Numbers, s: States) -> float:
    """Return how much is on the grains for each part that is dissolved."""
    return n["sorption"] - (1 if s["sorption"] == "retardation" else 0)


def _solvent_rate(n: Numbers, s: States) -> float:
    """Return the rate constant, per second."""
    life = n["life"] * n["days"] * 86400
    return log(2) / life if s["decay"] == "half-life" else 1 / life


def _solvent_tell(n: Numbers, s: States) -> str:
    length = _SOLVENT_CELLS * n["cell"]
    sorption = (
        f"by a linear isotherm with a retardation factor of {n['sorption']:g}"
        if s["sorption"] == "retardation"
        else f"by a linear isotherm: on the grains is {n['sorption']:g} times what is dissolved"
    )
    decays = (
        "The solvent decays where it is dissolved, and not on the grains"
        if s["where"] == "dissolved"
        else "The solvent decays where it is dissolved and, with the same rate constant, on the grains"
    )
    return (
        f"A chlorinated solvent fills {length:g} m of an aquifer, taken as {_SOLVENT_CELLS} cells of {n['cell']:g} m. "
        f"The pore water holds {n['amount']:g} µmol of it per kg of water, and "
        f"the solvent is also on the grains, in equilibrium with the water then and always, {sorption}. Clean "
        f"groundwater flushes it from the first day on. {decays}, to one dissolved molecule of a degradation product "
        "for each molecule, by first-order kinetics with a "
        + ("half-life" if s["decay"] == "half-life" else "mean life (the inverse of the rate constant)")
        + f" of {n['life'] * n['days']:g} days; it begins with the flushing. The product neither sorbs nor "
        f"decays. The water moves on by one cell each {n['days']:g} days. The dispersivity is "
        f"{2 * n['cell']:g} m, molecular "
        "diffusion is left out, and both ends are flux boundaries. Both substances are ideal: their activity is "
        f"their molality. Consider the water in cell {_SOLVENT_PLACE[s['place']]}, counted from the inlet, after "
        f"{_SOLVENT_TIME[s['time']] * n['days']:g} of {_SOLVENT_SHIFTS * n['days']:g} days."
    )


def _solvent_input(n: Numbers, s: States, refinement: int = 1, *, cvode: bool = False) -> str:
    cells = _SOLVENT_CELLS * refinement
    refined = refinement > 1 or cvode
    last = _SOLVENT_TIME[s["time"]] if refined else _SOLVENT_SHIFTS
    ratio = _solvent_ratio(n, s)
    species = "".join(f"    {name} = {name}\n    log_k 0\n    -gamma 1e6 0\n" for name in ("Solv", "Prod"))
    decaying = 'TOT("Solv")' if s["where"] == "dissolved" else '(TOT("Solv") + MOL("GrainSolv"))'
    # 1e100 sites and a constant as small make a linear isotherm
    return (
        ("PRINT\n    -reset false\n" if refined else "")
        + "SOLUTION_MASTER_SPECIES\n"
        + "".join(f"    {name} {name} 0 1 1\n" for name in ("Solv", "Prod"))
        + f"SOLUTION_SPECIES\n{species}"
        + "SURFACE_MASTER_SPECIES\n    Grain Grain\nSURFACE_SPECIES\n    Grain = Grain\n    log_k 0\n"
        + "    Grain + Solv = GrainSolv\n    -no_check\n    -mole_balance GrainSolv\n"
        + f"    log_k {log10(ratio) - 100:.12g}\n"
        + f"RATES\n    Decay\n    -start\n10 SAVE PARM(1) * {decaying} * TIME\n    -end\n"
        + "SOLUTION 0\n    pH 7\n"
        + f"SOLUTION 1-{cells}\n    pH 7\n    units umol/kgw\n"
        + f"    Solv {n['amount']:g}\n"
        + f"SURFACE 1-{cells}\n    -equilibrate 1\n    Grain 1e100 1 1\n    -no_edl\n"
        + f"KINETICS 1-{cells}\n    Decay\n    -formula Solv -1 Prod 1\n    -m0 1\n"
        + f"    -parms {_solvent_rate(n, s):.12g}\n    -tol 1e-9\n"
        + ("    -cvode true\n" if cvode else "")
        + "END\n"
        + _transport(
            cells,
            last * refinement,
            n["days"] * 86400 / refinement,
            n["cell"] / refinement,
            dispersivity=2 * n["cell"],
            only=_fine(_SOLVENT_PLACE[s["place"]], refinement) if refined else 0,
        )
        + "END\n"
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

_CLAY_CELLS, _CLAY_STEPS = 10, 16
_CLAY_PLACE = {"fourth": 4, "eighth": 8}
_CLAY_TIME = {"early": 8, "late": 16}


def _clay_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "cell_cm": draws.choice((2, 4, 5, 10)),
        "diffusion": draws.choice((3e-10, 5e-10, 8e-10, 1e-9)),
        "number": draws.choice((0.3, 0.4, 0.5)),  # Fourier number of the whole, after the last time step
        "brine": draws.choice(range(100, 501, 20)),
        "fresh": draws.choice((2, 3, 4, 5)),
        "capacity": draws.choice(range(100, 401, 20)),
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
        f"coefficient is {diffusion:g} "
        "m2/s"
    )
    return (
        f"A water-saturated clay layer {_CLAY_CELLS * n['cell_cm']:g} cm thick, taken as {_CLAY_CELLS} cells of "
        f"{n['cell_cm']:g} cm, has a pore water of {n['fresh']:g} mmol CaCl2 per kg of water at pH 7 and 25 °C. On one "
        f"side a brine of {n['brine']:g} mmol NaCl per kg of water, at pH 7, begins to touch it; the brine stays as it "
        f"is. {far}. {clay}. Solutes move by diffusion only, all with one diffusion coefficient of "
        f"{n['diffusion']:g} m2/s, {detour}. Time goes on in {_CLAY_STEPS} steps of {_clay_years(n):g} years of 365.25 "
        f"days. Consider the pore water of cell {_CLAY_PLACE[s['place']]}, counted from the brine, after "
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
    return (
        f"{text}END\n"
        + _transport(
            cells,
            last * refinement,
            _clay_years(n) * 86400 * 365.25 / refinement,
            n["cell_cm"] / 100 / refinement,
            diffusion=n["diffusion"] / (1 if s["tortuosity"] == "none" else 2),
            inlet="constant",
            outlet=s["far"],
            direction="diffusion_only",
            only=_fine(_CLAY_PLACE[s["place"]]) if refinement > 1 else 0,
        )
        + "END\n"
    )


def _clay_state(n: Numbers, s: States) -> int:
    closed = s["far"] == "closed"
    return _state(_CLAY_CELLS, _CLAY_STEPS, _CLAY_PLACE[s["place"]], _CLAY_TIME[s["time"]], closed=closed)


# --- fresh and salt water in an aquifer -----------------------------------------------------------------------------

_COAST_CELLS, _COAST_SHIFTS = 8, 12
_COAST_PLACE = {"third": 3, "sixth": 6}
_COAST_TIME = {"early": 6, "late": 11}


def _coast_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "sodium": draws.choice(range(20, 81, 5)),
        "magnesium": draws.choice(range(2, 11)),
        "salt_calcium": draws.choice((1, 1.5, 2, 2.5)),
        "sulfate": draws.choice((1, 2, 3)),
        "fresh_calcium": draws.choice((1, 1.2, 1.5, 2, 2.5)),
        "capacity": draws.choice(range(20, 81, 10)),
    }


def _coast_tell(n: Numbers, s: States) -> str:
    salt = (
        f"brackish water of {n['sodium']:g} mmol Na, {n['magnesium']:g} mmol Mg, {n['salt_calcium']:g} mmol Ca and "
        f"{n['sulfate']:g} mmol SO4 per kg of water, with chloride for the balance of charge"
    )
    fresh = f"fresh water of {n['fresh_calcium']:g} mmol Ca and {2 * n['fresh_calcium']:g} mmol Cl per kg of water"
    old, new = (salt, fresh) if s["flow"] == "freshening" else (fresh, salt)
    matter = {
        (
            "present",
            "present",
        ): f"The rock has calcite in excess and {n['capacity']:g} mmol of exchange sites (of "
        "charge -1) per kg of pore water",
        ("present", "absent"): "The rock has calcite in excess and no exchange sites",
        (
            "absent",
            "present",
        ): f"The rock has no calcite, but {n['capacity']:g} mmol of exchange sites (of charge -1) "
        "per kg of pore water",
        ("absent", "absent"): "The rock has neither calcite nor exchange sites",
    }[s["calcite"], s["exchanger"]]
    sites = (
        "; the sites are in equilibrium with the water that is there at first, as just described, with the "
        "selectivities of the database"
        + (", before calcite reacts with it" if s["calcite"] == "present" else "")
        if s["exchanger"] == "present"
        else ""
    )
    return (
        f"In a coastal aquifer at 25 °C, taken as {_COAST_CELLS} cells of 10 m, is {old}. It is displaced by "
        f"{new}. Both waters are at pH 7.5 and free of carbonate before they meet the rock. {matter}{sites}. No gas is "
        "there, and nothing reacts before the first shift. The water moves on by one cell each "
        f"year, {_COAST_SHIFTS} times in all. The dispersivity is 10 m, "
        "molecular diffusion is left out, and both ends are flux boundaries. Consider the water in cell "
        f"{_COAST_PLACE[s['place']]}, counted from the inlet, after {_COAST_TIME[s['time']]} years."
    )


def _coast_input(n: Numbers, s: States, refinement: int = 1) -> str:
    cells = _COAST_CELLS * refinement
    last = _COAST_TIME[s["time"]] if refinement > 1 else _COAST_SHIFTS
    head = "    pH 7.5\n    units mmol/kgw\n"
    salt = (
        f"{head}    Na {n['sodium']:g}\n    Mg {n['magnesium']:g}\n    Ca {n['salt_calcium']:g}\n"
        f"    S(6) {n['sulfate']:g}\n    Cl {n['sodium']:g} charge\n"
    )
    fresh = f"{head}    Ca {n['fresh_calcium']:g}\n    Cl {2 * n['fresh_calcium']:g}\n"
    old, new = (salt, fresh) if s["flow"] == "freshening" else (fresh, salt)
    text = (
        "PRINT\n    -reset false\n" if refinement > 1 else ""
    ) + f"SOLUTION 0\n{new}SOLUTION 1-{cells}\n{old}"
    if s["exchanger"] == "present":
        text += f"EXCHANGE 1-{cells}\n    X {n['capacity'] / 1000:g}\n    -equilibrate 1\n"
    if s["calcite"] == "present":
        text += f"EQUILIBRIUM_PHASES 1-{cells}\n    Calcite 0 10\n"
    return (
        f"{text}END\n"
        + _transport(
            cells,
            last * refinement,
            365.25 * 86400 / refinement,
            10 / refinement,
            dispersivity=10,
            only=_fine(_COAST_PLACE[s["place"]]) if refinement > 1 else 0,
        )
        + "END\n"
    )


def _coast_state(n: Numbers, s: States) -> int:
    return _state(_COAST_CELLS, _COAST_SHIFTS, _COAST_PLACE[s["place"]], _COAST_TIME[s["time"]])


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
        "The exchange selectivities are those of the database; before the first batch resin and water "
        "of each cartridge come to equilibrium. Hard water comes in batches of 1 kg: it has "
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
        f"ADVECTION\n    -cells {_SOFT_CELLS}\n    -shifts {_SOFT_SHIFTS}\nEND\n"
    )


def _soft_state(n: Numbers, s: States) -> int:
    cell = {"second": 2, "third": 3}[s["place"]]
    shift = {"third": 3, "fifth": 5}[s["batch"]]
    return -((_SOFT_SHIFTS - shift) * _SOFT_CELLS + (_SOFT_CELLS - cell) + 1)


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
                {"fifth": "the 5th cell for the 10th", "tenth": "the 10th cell for the 5th"},
                "step",
            ),
            Switch("time", {"early": "shift 11 for shift 16", "late": "shift 16 for shift 11"}, "step"),
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
                {"present": "an exchanger where there is none", "absent": "the exchanger left out"},
            ),
            Switch(
                "feed",
                {"pulse": "the first solution brought back", "steady": "the first solution not brought back"},
            ),
            Switch("place", {"fourth": "cell 4 for cell 9", "ninth": "cell 9 for cell 4"}, "step"),
            Switch("time", {"early": "shift 8 for shift 15", "late": "shift 15 for shift 8"}, "step"),
        ),
        tell=_cation_tell,
        build=_cation_input,
        quantities=(
            _total("Na", "sodium", "cation"),
            _total("K", "potassium", "cation"),
            _total("Ca", "calcium", "cation"),
            _total("Cl", "chloride", "cation"),
        ),
        state=_cation_state,
        refined=lambda n, s: (_cation_input(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="solvent-in-an-aquifer",
        topic="transport",
        draw=_solvent_numbers,
        switches=(
            Switch(
                "sorption",
                {
                    "retardation": "the sorbed ratio taken for the retardation factor",
                    "ratio": "the retardation factor taken for the sorbed ratio",
                },
                "unit",
            ),
            Switch(
                "where",
                {"dissolved": "no decay on the grains", "everywhere": "decay on the grains too"},
            ),
            Switch(
                "decay",
                {
                    "half-life": "the mean life taken for the half-life",
                    "mean life": "the half-life taken for the mean life",
                },
                "unit",
            ),
            Switch("place", {"sixth": "cell 6 for cell 9", "ninth": "cell 9 for cell 6"}, "step"),
            Switch("time", {"early": "7 time steps for 11", "late": "11 time steps for 7"}, "step"),
        ),
        tell=_solvent_tell,
        build=_solvent_input,
        quantities=(
            _solvent_quantity("Solv", "solvent"),
            _solvent_quantity("Prod", "degradation product"),
        ),
        state=_solvent_state,
        refined=lambda n, s: (_solvent_input(n, s, REFINEMENT), _solvent_input(n, s, cvode=True)),
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
            Switch("place", {"fourth": "cell 4 for cell 8", "eighth": "cell 8 for cell 4"}, "step"),
            Switch("time", {"early": "half the time", "late": "the whole time for half of it"}, "step"),
        ),
        tell=_clay_tell,
        build=_clay_input,
        quantities=(
            _total("Cl", "chloride", "clay"),
            _total("Na", "sodium", "clay"),
            _total("Ca", "calcium", "clay"),
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
                    "freshening": "fresh water displaces salt water",
                    "salinisation": "salt water displaces fresh water",
                },
            ),
            Switch("calcite", {"present": "calcite added", "absent": "calcite left out"}),
            Switch("exchanger", {"present": "an exchanger added", "absent": "the exchanger left out"}),
            Switch("place", {"third": "cell 3 for cell 6", "sixth": "cell 6 for cell 3"}, "step"),
            Switch("time", {"early": "6 years for 11", "late": "11 years for 6"}, "step"),
        ),
        tell=_coast_tell,
        build=_coast_input,
        quantities=(
            _total("Na", "sodium", "coast"),
            _total("Ca", "calcium", "coast"),
            _total("Cl", "chloride", "coast"),
            Quantity(
                "ph",
                "What is the pH of the water?",
                "",
                "ph",
                '-LA("H+")',
                Printed("Description of solution", "pH"),
            ),
        ),
        state=_coast_state,
        refined=lambda n, s: (_coast_input(n, s, REFINEMENT),),
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
            Switch("place", {"second": "the second cartridge", "third": "the third cartridge"}, "step"),
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
