"""Stages of a farm: DSSAT as it was, sown later, watered and fed in two climates, and had there been nitrogen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from labrig_suites.terrabench.making import farms
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.farms import CULTIVAR, SOIL, WEATHER, Days, Farm, Treatment
from labrig_suites.terrabench.making.plan import Number, Plan, Result, Tolerance, combined

WARMER = "data/weather_farm_warmer.csv"
SHARE, APART, LEAST_T_HA, LEAST_GAIN_T_HA = 0.002, 0.08, 0.8, 0.1
"""Tolerance as a part of a yield; by how much yields of candidates differ at least; least yield and gain of an item."""
DRAWS = 24


@dataclass(frozen=True)
class Season:
    """A planned run: the treatment's name and numbers, and the weather where it is not that of the year."""

    name: str
    treated: Treatment
    weather: Days | None = None


@dataclass(frozen=True)
class Drawn:
    """A farm, its seasons in the order of the runs, what each truly gives, and by how much the other year is warmer."""

    farm: Farm
    seasons: tuple[Season, ...]
    true: dict[str, dict[str, float]]
    warmth: float


def farm_season(plan: Plan, case: Case) -> None:
    """A season of a farm; at 1 sown later, too, at 2 watered and fed in two climates, at 3 conditioned."""
    drawn = _drawn(case)
    plan.needs.add(farms.NEEDS)
    plan.files |= drawn.farm.files()
    if any(each.weather for each in drawn.seasons):
        plan.files[WARMER] = farms.csv_of(farms.warmer(drawn.farm.weather, drawn.warmth))
    runs: dict[str, Result] = {}
    for each in drawn.seasons:
        path = path_of(each.name)
        plan.files[path] = drawn.farm.treatment(each.treated)
        runs[each.name] = plan.call(
            "impact_dssat_run",
            weather_daily_path=WARMER if each.weather else WEATHER,
            soil_profile_path=SOIL,
            cultivar_path=CULTIVAR,
            treatment_path=path,
            run_id=each.name,
        )
    tell = _Harvests(plan, runs, drawn.true)
    first = drawn.seasons[0].name
    plan.questions.append(
        f"Run DSSAT for the farm of {SOIL} and {CULTIVAR} in the weather of {WEATHER} with the treatment of "
        f"{path_of(first)}."
    )
    tell.ask(
        "farm_evapotranspiration_mm",
        "evaporation of the soil and transpiration from sowing to harvest of that season, mm",
        "seasonal_et_mm",
        first,
    )
    plan.steps.append("The season of the first treatment, by the engine.")
    if case.level == 3:
        _counterfactual(plan, tell, case, drawn)
        return
    tell.ask("grain_t_ha", "dry yield of that season, t/ha", "yield_t_ha", first)
    if case.level == 0:
        tell.ask(
            "farm_biomass_t_ha", "dry matter above the ground at its harvest, t/ha", "biomass_t_ha", first
        )
    if case.level == 1:
        _association(plan, tell)
    if case.level == 2:
        _intervention(plan, tell, drawn.warmth)


def path_of(name: str) -> str:
    """Return the file of a treatment; the same treatment in another year has the same file."""
    return f"data/treatment_{name.removesuffix('-warmer')}.json"


class _Harvests:
    """Asks for numbers of runs and their differences."""

    def __init__(self, plan: Plan, runs: dict[str, Result], true: dict[str, dict[str, float]]) -> None:
        self.plan, self.runs, self.true = plan, runs, true

    def of(self, metric: str, name: str) -> tuple[Number, float]:
        """Return a number of a run, as a formula and in truth."""
        return self.runs[name].at("metrics", metric, "value"), self.true[name][metric]

    def tolerance(self, metric: str, *names: str) -> Tolerance:
        """Return a tolerance for what is made of a number of runs."""
        most = max(self.true[name][metric] for name in names)
        return Tolerance(
            SHARE * most,
            f"tables of the engine have whole kg/ha and its files tenths: {100 * SHARE:g} % of the value",
        )

    def ask(self, key: str, about: str, metric: str, name: str) -> None:
        """Ask for a number of a run."""
        number, value = self.of(metric, name)
        self.plan.ask(key, about, value, number * 1.0, self.tolerance(metric, name))

    def less(self, key: str, about: str, metric: str, more: str, less: str) -> None:
        """Ask for a difference of two runs."""
        (one, first), (two, second) = self.of(metric, more), self.of(metric, less)
        self.plan.ask(key, about, first - second, one - two, self.tolerance(metric, more, less))


def _association(plan: Plan, tell: _Harvests) -> None:
    plan.questions.append(
        f"Run it with {path_of('sown-later')}, too, which differs in the day of sowing alone."
    )
    tell.less(
        "grain_of_later_sowing_t_ha",
        "yield with that treatment minus the yield with the first, t/ha",
        "yield_t_ha",
        "sown-later",
        "as-sown",
    )
    tell.less(
        "water_of_later_sowing_mm",
        "its evaporation and transpiration from sowing to harvest minus those of the first, mm",
        "seasonal_et_mm",
        "sown-later",
        "as-sown",
    )
    plan.steps.append("The season sown later.")


def _intervention(plan: Plan, tell: _Harvests, warmth: float) -> None:
    watered, fed, both = (path_of(name) for name in ("watered", "fed", "watered-fed"))
    plan.questions.append(
        f"Intervention: irrigate as {watered} says, give nitrogen as {fed} says, and both as {both} says. Run the "
        f"first treatment and that with both also in the year of {WARMER}, which is {warmth:g} K warmer."
    )
    gains = (("watering_gain_t_ha", "irrigation", "watered"), ("nitrogen_gain_t_ha", "nitrogen", "fed"))
    for key, what, name in gains:
        about = f"yield with {what} minus that of the first treatment, t/ha"
        tell.less(key, about, "yield_t_ha", name, "as-sown")
    (one, first), (two, second), (three, third), (four, fourth) = (
        tell.of("yield_t_ha", name) for name in ("watered-fed", "as-sown", "watered", "fed")
    )
    plan.ask(
        "gain_of_both_beyond_t_ha",
        "yield that both bring together, minus what irrigation alone and nitrogen alone bring, t/ha",
        first + second - third - fourth,
        combined("sub", one + two, three, four),
        tell.tolerance("yield_t_ha", "watered-fed", "as-sown", "watered", "fed"),
    )
    tell.less(
        "warming_of_grain_t_ha",
        "yield of the first treatment in the warmer year minus that in the year as it was, t/ha",
        "yield_t_ha",
        "as-sown-warmer",
        "as-sown",
    )
    tell.less(
        "gain_of_both_warmer_t_ha",
        "yield with both minus that of the first treatment, each in the warmer year, t/ha",
        "yield_t_ha",
        "watered-fed-warmer",
        "as-sown-warmer",
    )
    plan.steps.append("Watered, fed, both; as it was and both once more in a warmer year: six runs.")


def _counterfactual(plan: Plan, tell: _Harvests, case: Case, drawn: Drawn) -> None:
    """Find what the soil held by what was harvested; then give nitrogen on top of that."""
    names = [each.name for each in drawn.seasons if not each.name.endswith("-fed")]
    chosen = int(case.rng.integers(len(names)))
    was = [tell.of("yield_t_ha", name) for name in names]
    had = [tell.of("yield_t_ha", f"{name}-fed") for name in names]
    harvested = round(was[chosen][1] * float(case.rng.uniform(0.985, 1.015)), 3)
    plan.questions.append(
        f"Counterfactual: {harvested:g} t/ha were in fact harvested, and nobody knows how much nitrate the soil held "
        f"in spring: {', '.join(map(path_of, names))} differ in that. Take the treatment whose yield is nearest to it, "
        "and say what would have been harvested had nitrogen been given as in the file of the same name that ends in "
        "-fed.json."
    )

    def taken(values: Sequence[tuple[Number, float]]) -> Number:
        return combined("nearest", harvested, *(number for number, _ in was), *(each for each, _ in values))

    names_of = (names[chosen], f"{names[chosen]}-fed")
    plan.ask(
        "grain_had_there_been_t_ha",
        "yield that would have been harvested, t/ha",
        had[chosen][1],
        taken(had) * 1.0,
        tell.tolerance("yield_t_ha", names_of[1]),
    )
    plan.ask(
        "nitrogen_gain_had_there_been_t_ha",
        "that minus the yield of the treatment that was taken, t/ha",
        had[chosen][1] - was[chosen][1],
        taken(had) - taken(was),
        tell.tolerance("yield_t_ha", *names_of),
    )
    plan.skipped += [tell.runs[f"{name}-fed"].place for name in names if name != names[chosen]]
    plan.steps.append("Every soil without nitrogen; the one nearest to the harvest; that one with nitrogen.")


def _drawn(case: Case) -> Drawn:
    """Return a farm whose harvests are neither nothing nor alike.

    Raises
    ------
    RuntimeError
        No farm of many is such.
    """
    for _ in range(DRAWS):
        farm = farms.make_farm(case.world, case.rng)
        warmth = round(float(case.rng.uniform(1.5, 3.5)), 1)
        planned = _planned(case, farm, warmth)
        cases: list[dict[str, Any]] = [farm.case(each.treated, each.weather) for each in planned]
        found = farms.seasons(cases)
        true = {each.name: one for each, one in zip(planned, found, strict=True)}
        if all(each["ripe"] for each in found) and _telling(case.level, true):
            return Drawn(farm, planned, true, warmth)
    raise RuntimeError(f"none of {DRAWS} farms has harvests that differ")


def _planned(case: Case, farm: Farm, warmth: float) -> tuple[Season, ...]:
    """Return the seasons of a level, the first treatment first."""
    rng = case.rng
    sown = date(farm.year, 4, 25) + timedelta(days=int(rng.integers(0, 21)))
    rain_fed = Treatment(str(sown), float(rng.integers(55, 80)), round(float(rng.uniform(1.5, 4)), 1))
    water = tuple(
        (str(sown + timedelta(days=int(each))), float(rng.integers(25, 45)))
        for each in sorted(rng.choice(range(30, 85), 4, replace=False))
    )
    food = tuple((str(sown + timedelta(days=day)), float(rng.integers(35, 75))) for day in (15, 40))
    if case.level == 0:
        return (Season("as-sown", replace(rain_fed, nitrogen=food)),)
    if case.level == 1:
        later = sown + timedelta(days=int(rng.integers(10, 25)))
        fed = replace(rain_fed, nitrogen=food)
        return Season("as-sown", fed), Season("sown-later", replace(fed, sown=str(later)))
    if case.level == 2:
        both = replace(rain_fed, irrigation=water, nitrogen=food)
        year = farms.warmer(farm.weather, warmth)
        return (
            Season("as-sown", rain_fed),
            Season("watered", replace(rain_fed, irrigation=water)),
            Season("fed", replace(rain_fed, nitrogen=food)),
            Season("watered-fed", both),
            Season("as-sown-warmer", rain_fed, year),
            Season("watered-fed-warmer", both, year),
        )
    low = float(rng.uniform(0.5, 1.5))
    soils = [
        replace(rain_fed, irrigation=water, nitrate_ppm=round(low * factor, 1)) for factor in (1.0, 3.5, 8.0)
    ]
    names = [f"soil-{number}" for number in range(1, len(soils) + 1)]
    order = [int(each) for each in rng.permutation(len(soils))]
    return (
        *(Season(name, soils[at]) for name, at in zip(names, order, strict=True)),
        *(
            Season(f"{name}-fed", replace(soils[at], nitrogen=food[:1]))
            for name, at in zip(names, order, strict=True)
        ),
    )


def _telling(level: int, true: dict[str, dict[str, float]]) -> bool:
    """Tell whether something is harvested, and treatments differ in it."""
    crop = {name: each["yield_t_ha"] for name, each in true.items()}
    if min(crop.values()) < LEAST_T_HA:
        return False
    if level == 1:
        return abs(crop["sown-later"] - crop["as-sown"]) > LEAST_GAIN_T_HA
    if level == 2:
        alone = (crop["watered"], crop["fed"], crop["watered-fed"], crop["as-sown-warmer"])
        return all(abs(each - crop["as-sown"]) > LEAST_GAIN_T_HA for each in alone)
    if level == 3:
        was = sorted(each for name, each in crop.items() if not name.endswith("-fed"))
        gains = [
            each - crop[name.removesuffix("-fed")] for name, each in crop.items() if name.endswith("-fed")
        ]
        return all(two > (1 + APART) * one for one, two in pairwise(was)) and min(gains) > LEAST_GAIN_T_HA
    return True
