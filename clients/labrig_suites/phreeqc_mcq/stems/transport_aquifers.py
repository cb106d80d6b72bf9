"""Aquifers and clay: dispersion, diffusion, decay, exchange with the rock."""

from __future__ import annotations

from math import log

from labrig_suites.phreeqc_mcq.columns import (
    REFINEMENT,
    advection,
    state_of_cell,
    state_of_vessel,
    transport,
)
from labrig_suites.phreeqc_mcq.drawing import one_of
from labrig_suites.phreeqc_mcq.quantities import total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem
from labrig_suites.phreeqc_mcq.switches import either, given_as, optional, read

# --- a solvent that decays ------------------------------------------------------------------------------------------

_SOLVENT_CELLS, _SOLVENT_SHIFTS = 9, 9
_SOLVENT_PLACE = {"third": 3, "sixth": 6}
_SOLVENT_TIME = {"early": 4, "late": 7}


def _solvent_rate(n: Numbers, s: States) -> float:
    """Return the rate constant of the solvent, per second."""
    life = n["life"] * n["days"] * 86400
    return log(2) / life if s["decay"] == "half-life" else 1 / life


def _tell_solvent(n: Numbers, s: States) -> str:
    life = "half-life" if s["decay"] == "half-life" else "mean life (the inverse of the rate constant)"
    product = (
        f"which also decays, with a {s['decay']} of {2 * n['life'] * n['days']:g} days, to products of no concern"
        if s["product"] == "decays"
        else "which does not decay"
    )
    return (
        f"A chlorinated solvent has contaminated {_SOLVENT_CELLS * n['cell']:g} m of an aquifer, represented by "
        f"{_SOLVENT_CELLS} cells of {n['cell']:g} m: the water contains {n['amount']:g} µmol of it per kg of water "
        "everywhere, and none of it has decayed. From then on, clean groundwater flushes it out. The solvent decays by "
        f"first-order kinetics with a {life} of {n['life'] * n['days']:g} days from the start of the flushing; each "
        f"molecule yields one dissolved molecule of a degradation product, {product}. Neither of them sorbs. All "
        f"waters are at pH 7 and 25 °C. The water advances by one cell every {n['days']:g} days. The dispersivity is "
        f"{1.5 * n['cell']:g} m and is used as given, without a correction for the length of the aquifer; molecular "
        "diffusion is neglected, and both ends are flux boundaries. "
        f"Consider the water in cell {_SOLVENT_PLACE[s['place']]}, counted from the inlet, after "
        f"{_SOLVENT_TIME[s['time']] * n['days']:g} of {_SOLVENT_SHIFTS * n['days']:g} days."
    )


def _build_solvent(n: Numbers, s: States, refinement: int = 1) -> str:
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


def _find_solvent_state(n: Numbers, s: States) -> int:
    return state_of_cell(
        _SOLVENT_CELLS, _SOLVENT_SHIFTS, _SOLVENT_PLACE[s["place"]], _SOLVENT_TIME[s["time"]]
    )


# --- brine diffuses through clay ------------------------------------------------------------------------------------

_CLAY_CELLS, _CLAY_STEPS = 8, 12
_CLAY_PLACE = {"third": 3, "sixth": 6}
_CLAY_TIME = {"early": 6, "late": 12}


def _clay_years(n: Numbers) -> float:
    """Return a time step, in years of 365.25 days."""
    thickness = _CLAY_CELLS * n["cell_cm"] / 100
    years = n["number"] * thickness**2 / n["diffusion"] / _CLAY_STEPS / (86400 * 365.25)
    return float(f"{years:.2g}")


def _tell_clay(n: Numbers, s: States) -> str:
    far = (
        "The far side is closed: nothing passes through it"
        if s["far"] == "closed"
        else "On the far side is a reservoir of the initial pore water, which does not change either"
    )
    clay = (
        f"The clay has {n['capacity']:g} mmol of exchange sites (of charge -1) per kg of pore water, initially in "
        "equilibrium with the pore water, with the exchange selectivities of the database"
        if s["exchanger"] == "present"
        else "The clay does not exchange any ions"
    )
    diffusion = n["diffusion"] / (1 if s["tortuosity"] == "none" else 2)
    detour = (
        "which applies unchanged in the pores"
        if s["tortuosity"] == "none"
        else "which is divided by a tortuosity factor of 2 in the pores, so that the pore diffusion coefficient is "
        f"{diffusion * 1e10:g}e-10 m2/s"
    )
    return (
        f"A water-saturated clay layer {_CLAY_CELLS * n['cell_cm']:g} cm thick, represented by {_CLAY_CELLS} cells of "
        f"{n['cell_cm']:g} cm, initially has a pore water with {n['fresh']:g} mmol CaCl2 per kg of water, at pH 7 and "
        f"25 °C. On one side, it comes into contact with a brine of {n['brine']:g} mmol NaCl per kg of water, at pH 7; "
        f"the brine does not change. {far}. {clay}. Solutes move by diffusion only, all with the same diffusion "
        f"coefficient of {n['diffusion'] * 1e10:g}e-10 m2/s, {detour}. Time advances in {_CLAY_STEPS} steps of "
        f"{_clay_years(n):g} years of 365.25 days. Consider the pore water of cell {_CLAY_PLACE[s['place']]}, counted "
        f"from the brine, after {_CLAY_TIME[s['time']] * _clay_years(n):g} years."
    )


def _build_clay(n: Numbers, s: States, refinement: int = 1) -> str:
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


def _find_clay_state(n: Numbers, s: States) -> int:
    closed = s["far"] == "closed"
    return state_of_cell(
        _CLAY_CELLS, _CLAY_STEPS, _CLAY_PLACE[s["place"]], _CLAY_TIME[s["time"]], closed=closed
    )


# --- fresh and salt water in an aquifer -----------------------------------------------------------------------------

_COAST_CELLS, _COAST_SHIFTS = 7, 10
_COAST_PLACE = {"second": 2, "fourth": 4}
_COAST_TIME = {"early": 4, "late": 8}
_COAST_SALT_PH, _COAST_FRESH_PH = 7.9, 7.1


def _coast_sites(n: Numbers, s: States) -> float:
    """Return the sites of a jar, in mmol."""
    return n["capacity"] * (1 if s["per"] == "water" else n["sediment"])


def _tell_coast(n: Numbers, s: States) -> str:
    salt = (
        f"brackish water containing {n['sodium']:g} mmol Na, {n['magnesium']:g} mmol Mg and {n['salt_calcium']:g} "
        f"mmol Ca per kg of water and an alkalinity of {n['salt_alkalinity']:g} meq per kg of water, at pH "
        f"{_COAST_SALT_PH:g},"
    )
    fresh = (
        f"fresh water containing {n['fresh_calcium']:g} mmol Ca and {n['fresh_magnesium']:g} mmol Mg per kg of water "
        f"and an alkalinity of {n['fresh_alkalinity']:g} meq per kg of water, at pH {_COAST_FRESH_PH:g},"
    )
    old, new = (salt, fresh) if s["flow"] == "freshening" else (fresh, salt)
    per = {"water": "water", "sediment": "sediment"}[s["per"]]
    calcite = (
        "The sediment also contains an excess of calcite, with which the water of every jar is in equilibrium from the "
        "first shift onwards"
        if s["calcite"] == "present"
        else "The sediment contains no calcite"
    )
    return (
        f"Sediment from a coastal aquifer is placed in {_COAST_CELLS} jars in series, at 25 °C: each contains "
        f"{n['sediment']:g} kg of it and 1 kg of water. The sediment has {n['capacity']:g} mmol of exchange sites (of "
        f"charge -1) per kg of {per}. All jars are filled with {old} and the sites come to equilibrium with this "
        f"water, which does not change. Then {new} is fed in. Chloride is set by charge balance in both waters. "
        f"{calcite}. With each shift, the water of every jar moves on to the next one, completely and without mixing, "
        "and comes to equilibrium there, without a gas phase. The exchange selectivities are those of the database. "
        f"There are {_COAST_SHIFTS} shifts in all. Consider the water in jar {_COAST_PLACE[s['place']]}, counted from "
        f"the inlet, after shift {_COAST_TIME[s['time']]}."
    )


def _build_coast(n: Numbers, s: States) -> str:
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


def _find_coast_state(n: Numbers, s: States) -> int:
    return state_of_vessel(_COAST_CELLS, _COAST_SHIFTS, _COAST_PLACE[s["place"]], _COAST_TIME[s["time"]])


STEMS = (
    Stem(
        name="solvent-in-an-aquifer",
        topic="transport",
        draw=one_of(
            cell=(1, 2, 2.5, 4, 5),
            days=range(10, 41, 5),
            life=range(3, 9),
            amount=range(20, 201, 5),
        ),
        switches=(
            optional("product", "decay of the product", {"decays": True, "stays": False}),
            given_as("decay", {"half-life": "mean life", "mean life": "half-life"}, "{} taken as the {}"),
            read("place", {"third": "cell 3", "sixth": "cell 6"}, "value read in {} instead of {}"),
            read(
                "time",
                {"early": "after 4 time steps instead of 7", "late": "after 7 time steps instead of 4"},
            ),
        ),
        tell=_tell_solvent,
        build=_build_solvent,
        quantities=(
            total(
                "solv",
                "Solv",
                "solvent",
                ask="What is the concentration of the dissolved solvent?",
                unit="µmol",
            ),
            total(
                "prod",
                "Prod",
                "solvent",
                ask="What is the concentration of the dissolved degradation product?",
                unit="µmol",
            ),
        ),
        state=_find_solvent_state,
        refined=lambda n, s: (_build_solvent(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="brine-diffuses-into-clay",
        topic="transport",
        draw=one_of(
            cell_cm=(2, 4, 5, 10),
            diffusion=(3e-10, 5e-10, 8e-10, 1e-9),
            number=(0.3, 0.4, 0.5),
            brine=range(100, 501, 20),
            fresh=(2, 3, 4, 5),
            capacity=range(40, 141, 10),
        ),
        switches=(
            either("far", {"closed": "closed", "constant": "held at the initial pore water"}, "far side {}"),
            optional("exchanger", "exchanger", {"present": True, "absent": False}),
            either(
                "tortuosity",
                {"none": "omitted", "factor 2": "included although there is none"},
                "tortuosity {}",
            ),
            read("place", {"third": "cell 3", "sixth": "cell 6"}, "value read in {} instead of {}"),
            read("time", {"early": "at half the time", "late": "at twice the time"}),
        ),
        tell=_tell_clay,
        build=_build_clay,
        quantities=(
            total("sodium", "Na"),
            total("calcium", "Ca"),
        ),
        state=_find_clay_state,
        refined=lambda n, s: (_build_clay(n, s, REFINEMENT),),
        large=True,
    ),
    Stem(
        name="fresh-and-salt-groundwater",
        topic="transport",
        draw=one_of(
            sodium=range(20, 81, 5),
            magnesium=range(4, 13),
            salt_calcium=(2, 3, 4),
            salt_alkalinity=(3, 4, 5),
            fresh_calcium=(1.5, 2, 2.5),
            fresh_magnesium=(0.4, 0.6, 0.8),
            fresh_alkalinity=(2, 2.5, 3),
            capacity=range(8, 25, 2),
            sediment=(2.5, 3, 3.5),
        ),
        switches=(
            either(
                "flow",
                {"freshening": "brackish", "salinisation": "fresh"},
                "{} water replaced with {} water instead of the reverse",
            ),
            optional("calcite", "calcite", {"present": True, "absent": False}),
            given_as(
                "per",
                {"water": "per kg of water", "sediment": "per kg of sediment"},
                "exchange sites taken {} instead of {}",
            ),
            read("place", {"second": "jar 2", "fourth": "jar 4"}, "value read in {} instead of {}"),
            read("time", {"early": "shift 4", "late": "shift 8"}, "value read after {} instead of {}"),
        ),
        tell=_tell_coast,
        build=_build_coast,
        quantities=(
            total("sodium", "Na", "coast"),
            total("calcium", "Ca", "coast"),
            total("magnesium", "Mg", "coast"),
        ),
        state=_find_coast_state,
        large=True,
    ),
)
