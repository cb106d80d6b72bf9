"""Columns and vessels in a row: advection, dispersion, exchange."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.columns import (
    REFINEMENT,
    advection,
    state_of_cell,
    state_of_vessel,
    transport,
)
from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, read

# --- a tracer in a column -------------------------------------------------------------------------------------------

_TRACER_CELLS, _TRACER_SHIFTS, _TRACER_PULSE = 10, 12, 3
_TRACER_PLACE = {"fourth": 4, "seventh": 7}
_TRACER_TIME = {"early": 7, "late": 11}


def _tracer_dispersivity(n: Numbers, s: States) -> float:
    return n["cell_cm"] / 100 * {"small": 0.5, "large": 1.5}[s["dispersivity"]]


def _tell_tracer(n: Numbers, s: States) -> str:
    other = _tracer_dispersivity(n, {"dispersivity": "large" if s["dispersivity"] == "small" else "small"})
    feed = (
        f"after {_TRACER_PULSE} shifts, the feed is changed back to the sodium chloride solution"
        if s["feed"] == "pulse"
        else "the feed stays the same to the end"
    )
    place = {"fourth": "the 4th cell from the inlet", "seventh": "the 7th cell from the inlet"}[s["place"]]
    return (
        f"A sand column of {_TRACER_CELLS} cells, each {n['cell_cm']:g} cm long, is filled with a solution of "
        f"{n['old']:g} mmol NaCl per kg of water, at pH 7 and 25 °C. It is fed with a solution of {n['new']:g} mmol "
        f"CaBr2 per kg of water, also at pH 7; {feed}. The water advances by one cell every {n['step_min']:g} minutes, "
        f"for {_TRACER_SHIFTS} such shifts in all. The dispersivity is {_tracer_dispersivity(n, s) * 100:g} cm (for "
        f"the sand in another column, {other * 100:g} cm) and is used as given, without a correction for the length "
        "of the column; molecular diffusion is neglected. Solutes enter and leave with the flow only (flux boundaries "
        f"at both ends). Nothing reacts with the sand. Consider the water in {place} after shift "
        f"{_TRACER_TIME[s['time']]}."
    )


def _build_tracer(n: Numbers, s: States, refinement: int = 1) -> str:
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
        text += transport(
            cells,
            shifts * refinement,
            n["step_min"] * 60 / refinement,
            n["cell_cm"] / 100 / refinement,
            dispersivity=_tracer_dispersivity(n, s),
            mean_of=_TRACER_PLACE[s["place"]] if refinement > 1 else 0,
        )
    return ("PRINT\n    -reset false\n" if refinement > 1 else "") + text


def _find_tracer_state(n: Numbers, s: States) -> int:
    return state_of_cell(_TRACER_CELLS, _TRACER_SHIFTS, _TRACER_PLACE[s["place"]], _TRACER_TIME[s["time"]])


# --- cations leaving an exchanger one after the other ----------------------------------------------------------------

_CATION_CELLS, _CATION_SHIFTS, _CATION_PULSE = 9, 12, 4
_CATION_PLACE = {"second": 2, "fourth": 4}
_CATION_TIME = {"early": 6, "late": 9}


def _cation_salts(n: Numbers, s: States) -> tuple[float, float]:
    return (n["more"], n["less"]) if s["mixture"] == "sodium" else (n["less"], n["more"])


def _tell_cation(n: Numbers, s: States) -> str:
    sodium, potassium = _cation_salts(n, s)
    exchanger = (
        "which are in equilibrium with this solution from the start, in each compartment"
        if s["exchanger"] == "equilibrated"
        else "all of which are initially occupied by sodium; nothing reacts before the first shift"
    )
    back = (
        f"after {_CATION_PULSE} shifts, this feed is followed by the first solution again, as it was before it met the "
        "exchanger"
        if s["feed"] == "pulse"
        else "this feed stays the same to the end"
    )
    return (
        f"A column is divided into {_CATION_CELLS} compartments in series. Each is filled with 1 kg of water with "
        f"{sodium:g} mmol NaCl and {potassium:g} mmol KCl, at pH 7 and 25 °C, and contains {n['capacity']:g} mmol of "
        f"exchange sites (of charge -1), {exchanger}. The exchange selectivities are those of the database. With each "
        "shift, the water of every compartment moves on to the next one, completely and without mixing, and comes to "
        f"equilibrium with the exchanger there; 1 kg of water with {n['feed']:g} mmol CaCl2, at pH 7, enters the first "
        f"compartment, and {back}. There are {_CATION_SHIFTS} shifts in all, without dispersion or diffusion. "
        f"Consider the water in compartment {_CATION_PLACE[s['place']]} of {_CATION_CELLS}, counted from the "
        f"inlet, after shift {_CATION_TIME[s['time']]}."
    )


def _build_cation(n: Numbers, s: States) -> str:
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
        return text + advection(_CATION_CELLS, _CATION_SHIFTS)
    return (
        text
        + advection(_CATION_CELLS, _CATION_PULSE)
        + f"SOLUTION 0\n{old}END\n"
        + advection(_CATION_CELLS, _CATION_SHIFTS - _CATION_PULSE)
    )


def _find_cation_state(n: Numbers, s: States) -> int:
    return state_of_vessel(_CATION_CELLS, _CATION_SHIFTS, _CATION_PLACE[s["place"]], _CATION_TIME[s["time"]])


# --- softener cartridges in series ----------------------------------------------------------------------------------

_SOFT_CELLS, _SOFT_SHIFTS = 4, 5


def _tell_soft(n: Numbers, s: States) -> str:
    number = {"third": "third", "fifth": "fifth"}[s["batch"]]
    cation, formula = ("sodium", "NaCl") if s["form"] == "Na" else ("potassium", "KCl")
    calcium, magnesium = _soft_hardness(n, s)
    return (
        f"Four softener cartridges are connected in series. Each contains {n['capacity']:g} mmol of exchange sites (of "
        f"charge -1), all of which are initially occupied by {cation}, and 1 kg of water with {n['sodium']:g} mmol "
        f"{formula}, at pH 7 and 25 °C. The exchange selectivities are those of the database; nothing reacts before "
        f"the first batch. Hard water comes in batches of 1 kg: it contains {calcium:g} mmol CaCl2 and {magnesium:g} "
        "mmol MgCl2 per kg of water, at pH 7 and 25 °C. With each batch, the water of every cartridge moves on to the "
        "next one, completely and without mixing, and comes to equilibrium with the resin there. Five batches are "
        f"passed through in all. Consider the water in the {s['place']} cartridge after the {number} batch has "
        "entered the first one and equilibrium has been reached."
    )


def _soft_hardness(n: Numbers, s: States) -> tuple[float, float]:
    hardness = (n["calcium"], n["magnesium"])
    return hardness if s["hardness"] == "calcium" else (hardness[1], hardness[0])


def _build_soft(n: Numbers, s: States) -> str:
    calcium, magnesium = _soft_hardness(n, s)
    head = "    pH 7\n    units mmol/kgw\n"
    return (
        f"SOLUTION 0\n{head}    Ca {calcium:g}\n    Mg {magnesium:g}\n    Cl {2 * (calcium + magnesium):g}\n"
        f"SOLUTION 1-{_SOFT_CELLS}\n{head}    {s['form']} {n['sodium']:g}\n    Cl {n['sodium']:g}\n"
        f"EXCHANGE 1-{_SOFT_CELLS}\n    {s['form']}X {n['capacity'] / 1000:g}\nEND\n"
        + advection(_SOFT_CELLS, _SOFT_SHIFTS)
    )


def _find_soft_state(n: Numbers, s: States) -> int:
    cell = {"second": 2, "third": 3}[s["place"]]
    shift = {"third": 3, "fifth": 5}[s["batch"]]
    return state_of_vessel(_SOFT_CELLS, _SOFT_SHIFTS, cell, shift)


FEED = Switch(
    "feed",
    {"pulse": "feed changed back although it stays the same", "steady": "change back of the feed omitted"},
)
STEMS = (
    Stem(
        name="tracer-in-a-column",
        topic="transport",
        draw=one_of(
            cell_cm=(2, 2.5, 4, 5, 10),
            step_min=(20, 30, 60, 90),
            old=range(4, 21),
            new=range(10, 41),
        ),
        switches=(
            either("dispersivity", {"small": "small", "large": "large"}, "dispersivity set too {}"),
            FEED,
            read("place", {"fourth": "cell 4", "seventh": "cell 7"}, "value read in {} instead of {}"),
            read("time", {"early": "shift 7", "late": "shift 11"}, "value read after {} instead of {}"),
        ),
        tell=_tell_tracer,
        build=_build_tracer,
        quantities=(
            total("bromide", "Br", "tracer"),
            total("calcium", "Ca", "tracer"),
            total("chloride", "Cl", "tracer"),
        ),
        state=_find_tracer_state,
        refined=lambda n, s: (_build_tracer(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="cations-leave-a-column",
        topic="transport",
        draw=one_of(
            more=tenths(range(20, 41)),
            less=tenths(range(8, 15)),
            feed=tenths(range(30, 61)),
            capacity=tenths(range(50, 101, 5)),
        ),
        switches=(
            either(
                "mixture",
                {"sodium": "sodium", "potassium": "potassium"},
                "concentrations swapped, with more {} than {}",
            ),
            Switch(
                "exchanger",
                {
                    "equilibrated": "exchanger initially equilibrated with the solution",
                    "sodium": "exchange sites initially occupied by sodium",
                },
            ),
            FEED,
            read(
                "place",
                {"second": "compartment 2", "fourth": "compartment 4"},
                "value read in {} instead of {}",
            ),
            read("time", {"early": "shift 6", "late": "shift 9"}, "value read after {} instead of {}"),
        ),
        tell=_tell_cation,
        build=_build_cation,
        quantities=(
            total("sodium", "Na", "cation"),
            total("potassium", "K", "cation"),
            total("calcium", "Ca", "cation"),
        ),
        state=_find_cation_state,
        large=True,
    ),
    Stem(
        name="softener-cartridges",
        topic="transport",
        draw=one_of(
            calcium=tenths(range(20, 41)),
            magnesium=tenths(range(8, 16)),
            capacity=(4, 4.5, 5, 5.5, 6, 6.5),
            sodium=tenths(range(10, 41)),
        ),
        switches=(
            either("form", {"Na": "sodium", "K": "potassium"}),
            either(
                "hardness",
                {"calcium": "calcium", "magnesium": "magnesium"},
                "concentrations swapped, with more {} than {}",
            ),
            read(
                "place", {"second": "cartridge 2", "third": "cartridge 3"}, "value read in {} instead of {}"
            ),
            read("batch", {"third": "batch 3", "fifth": "batch 5"}, "value read after {} instead of {}"),
        ),
        tell=_tell_soft,
        build=_build_soft,
        quantities=(
            total("calcium", "Ca", "soft"),
            total("magnesium", "Mg", "soft"),
        ),
        state=_find_soft_state,
    ),
)
