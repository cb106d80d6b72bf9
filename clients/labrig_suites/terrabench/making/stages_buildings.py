"""Stages of a depot: winter weeks as they were, insulated, heated less, in a warmer year, and had it been so."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from labrig_suites.terrabench.making.buildings import (
    NEEDS,
    Depot,
    Use,
    Weather,
    make_depot,
    make_weather,
    runs,
)
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Number, Plan, Result, Tolerance, combined

SHARE = 0.001
WHY = f"hours are told with six digits, and the engine's balance converges: {100 * SHARE:g} % of the larger value"
APART, SAVED, BESIDE = 0.05, 0.02, 0.01
"""Parts of an energy: candidates differ so much at least, runs that are compared so much, an observed one at most."""

HEATED = 0.5
"""Part of the energy that is for heating at least; where rooms drift, the tool misses heat in its hourly balance."""

DRAWS = 12
Year = Mapping[str, Weather]
Loads = Mapping[str, float]


def weeks(plan: Plan, case: Case) -> None:
    """Some weeks of a depot; from level 1 insulated, at 2 kept cooler and in a warmer year, at 3 conditioned."""
    depot, years, uses, true, warmth = _drawn(case)
    plan.needs.add(NEEDS)
    plan.files |= {weather(name): year.epw() for name, year in years.items()}
    plan.files |= {building(use): depot.idf(use.insulation_cm / 100) for use in uses.values()}
    results: dict[str, Result] = {}
    for name, use in uses.items():
        kept = {} if use.heating_c is None else {"heating_setpoint_c": use.heating_c}
        results[name] = plan.call(
            "impact_energyplus_run",
            building_idf_path=building(use),
            weather_epw_path=weather(use.year),
            run_id=f"depot-{name}",
            **kept,
        )
    tell = _Depot(plan, results, true)
    first = next(iter(uses))
    (month, day), (_, last) = depot.first, depot.last
    plan.questions.append(
        f"Run EnergyPlus for the crew's depot of {building(uses[first])} with {weather('now')}: the days {day} to "
        f"{last} of month {month}. Energy is all that comes from outside, as current, heat or cold."
    )
    tell.energy("energy_kwh", "energy in these days, kWh", first)
    plan.steps.append("The weeks as they were, by the engine.")
    if case.level == 0:
        tell.peak("peak_kw", "highest power of an hour, mean of the hour, kW", first)
    if case.level == 1:
        _association(plan, tell, uses)
    if case.level == 2:
        _intervention(plan, tell, uses, warmth)
    if case.level == 3:
        _counterfactual(plan, tell, case, uses)


def building(use: Use) -> str:
    """Return the path of a building's file."""
    return f"data/depot_{use.insulation_cm}cm.idf"


def weather(year: str) -> str:
    """Return the path of a year's file."""
    return "data/weather.epw" if year == "now" else f"data/weather_{year}.epw"


class _Depot:
    """Asks for numbers of runs."""

    def __init__(self, plan: Plan, results: Mapping[str, Result], true: Mapping[str, Loads]) -> None:
        self.plan, self.results, self.true = plan, results, true

    def bought(self, name: str) -> Number:
        """Return the energy of a run as a formula."""
        return self.results[name].at("metrics", "total_energy_kwh", "value")

    def ask(self, key: str, about: str, value: float, number: Number, *names: str) -> None:
        """Ask for what is made of the energies of runs."""
        most = max(self.true[name]["energy_kwh"] for name in names)
        self.plan.ask(key, about, value, number, Tolerance(SHARE * most, WHY))

    def energy(self, key: str, about: str, name: str) -> None:
        """Ask for the energy of a run."""
        self.ask(key, about, self.true[name]["energy_kwh"], self.bought(name) * 1.0, name)

    def saved(self, key: str, about: str, more: str, less: str) -> None:
        """Ask by how much the energy of one run is above that of another."""
        value = self.true[more]["energy_kwh"] - self.true[less]["energy_kwh"]
        self.ask(key, about, value, self.bought(more) - self.bought(less), more, less)

    def peak(self, key: str, about: str, name: str) -> None:
        """Ask for the highest hour of a run."""
        value = self.true[name]["peak_kw"]
        number = self.results[name].at("metrics", "peak_demand_kw", "value") * 1.0
        self.plan.ask(key, about, value, number, Tolerance(SHARE * value, WHY))


def _association(plan: Plan, tell: _Depot, uses: Mapping[str, Use]) -> None:
    plan.questions.append(
        f"Run it with {building(uses['insulated'])}, too, which differs in the insulation of walls and roof."
    )
    tell.saved(
        "insulation_saves_kwh",
        "energy with the first building minus that with the second, kWh",
        "built",
        "insulated",
    )
    tell.peak("peak_insulated_kw", "highest power of an hour with the second building, kW", "insulated")
    plan.steps.append("The weeks with more insulation.")


def _intervention(plan: Plan, tell: _Depot, uses: Mapping[str, Use], warmth: float) -> None:
    plan.questions.append(
        f"Intervention: insulate ({building(uses['insulated'])}), or heat to {uses['cooler'].heating_c:g} degC "
        f"at all times in place of the building's set point; and insulate in the year of {weather('warmer')}, "
        f"which is {warmth:g} K warmer."
    )
    tell.saved(
        "insulation_saves_kwh", "energy as it was minus that with the insulation, kWh", "built", "insulated"
    )
    tell.saved(
        "cooler_rooms_save_kwh", "energy as it was minus that with the set point, kWh", "built", "cooler"
    )
    tell.saved(
        "insulation_saves_warmer_kwh",
        "what the insulation saves in the warmer year, kWh",
        "warmer",
        "insulated-warmer",
    )
    plan.steps.append("Insulated, heated less, and in a warmer year with and without insulation: four runs.")


def _counterfactual(plan: Plan, tell: _Depot, case: Case, uses: Mapping[str, Use]) -> None:
    """Find the building by the energy that was metered; then keep it cooler."""
    built = [name for name in uses if not name.endswith("-cooler")]
    chosen = built[int(case.rng.integers(len(built)))]
    would = f"{chosen}-cooler"
    metered = round(tell.true[chosen]["energy_kwh"] * (1 + float(case.rng.uniform(-BESIDE, BESIDE))), 1)
    files = ", ".join(building(uses[name]) for name in built)
    plan.questions.append(
        f"Counterfactual: {metered:g} kWh were in fact metered in these days. Of {files} take the building whose "
        f"energy is nearest to that, and say what would have been metered had it been heated to "
        f"{uses[would].heating_c:g} degC at all times in place of the building's set point."
    )
    energies = [tell.bought(name) for name in built]
    number = combined("nearest", metered, *energies, *(tell.bought(f"{name}-cooler") for name in built))
    value = tell.true[would]["energy_kwh"]
    tell.ask(
        "energy_had_there_been_kwh", "energy that there would have been, kWh", value, number * 1.0, would
    )
    tell.ask(
        "saved_had_there_been_kwh",
        "energy of the building that was taken minus that, kWh",
        tell.true[chosen]["energy_kwh"] - value,
        combined("nearest", metered, *energies, *energies) - number,
        chosen,
        would,
    )
    plan.skipped += [tell.results[f"{name}-cooler"].place for name in built if name != chosen]
    plan.steps.append("Every building as it is; the one nearest to the meter; that one kept cooler.")


def _drawn(case: Case) -> tuple[Depot, Year, dict[str, Use], dict[str, Loads], float]:
    """Return a depot, its years, what is done to it, and its loads, in which that shows; and by how much it warms."""
    for _ in range(DRAWS):
        depot = make_depot(case.rng)
        now = make_weather(case.world, case.rng)
        warmth = round(float(case.rng.uniform(1.5, 3.5)), 1)
        uses = _uses(case, depot)
        years = {"now": now}
        if case.level == 2:
            years["warmer"] = now.warmer(warmth)
        true: dict[str, Loads] = dict(zip(uses, runs(depot, years, list(uses.values())), strict=True))
        if _told_apart(true):
            break
    return depot, years, uses, true, warmth


def _uses(case: Case, depot: Depot) -> dict[str, Use]:
    """Return uses by the names of their runs."""
    thin = int(case.rng.integers(3, 8))
    thick = thin + int(case.rng.integers(5, 12))
    cooler = round(depot.heating_c - float(case.rng.uniform(1.5, 4)), 1)
    built = Use(thin)
    if case.level == 0:
        return {"built": built}
    if case.level == 1:
        return {"built": built, "insulated": Use(thick)}
    if case.level == 2:
        return {
            "built": built,
            "insulated": Use(thick),
            "cooler": Use(thin, cooler),
            "warmer": Use(thin, year="warmer"),
            "insulated-warmer": Use(thick, year="warmer"),
        }
    candidates = (thin, thin + 3, thin + 8)
    return {f"built-{each}": Use(each) for each in candidates} | {
        f"built-{each}-cooler": Use(each, cooler) for each in candidates
    }


def _told_apart(true: Mapping[str, Loads]) -> bool:
    """Tell whether what is asked for as a difference is one, and candidates differ in what is metered."""
    energy = {name: each["energy_kwh"] for name, each in true.items()}
    pairs = [("built", "insulated"), ("built", "cooler"), ("warmer", "insulated-warmer")]
    pairs += [(name, f"{name}-cooler") for name in energy]
    known = [(energy[one], energy[other]) for one, other in pairs if one in energy and other in energy]
    candidates = sorted(energy[name] for name in energy if f"{name}-cooler" in energy)
    heated = all(each["heating_kwh"] > HEATED * each["energy_kwh"] for each in true.values())
    return (
        heated
        and all(more > (1 + SAVED) * less for more, less in known)
        and all(more > (1 + APART) * less for less, more in pairwise(candidates))
    )
