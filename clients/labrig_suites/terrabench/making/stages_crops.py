"""Stages of a field: AquaCrop as it was, with irrigation, in a warmer year, and had there been irrigation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.crops import NEEDS, Field, make_field, seasons
from labrig_suites.terrabench.making.plan import Number, Plan, Result, Tolerance, combined

Events = tuple[tuple[str, float], ...]
SHARE, APART, LEAST_T_HA = 0.004, 0.08, 0.4
"""Tolerance as a part of a yield; by how much yields of candidates differ at least; the least yield of an item."""
DRAWS = 12


def field_season(plan: Plan, case: Case) -> None:
    """A season of a field; from level 1 with other first water, at 2 with irrigation and warming, at 3 conditioned."""
    field, waters, events, warmer, warmth = _drawn(case)
    plan.needs.add(NEEDS)
    plan.files |= field.files()
    if case.level == 2:
        plan.files["data/weather_warmer.csv"] = warmer.csv()
    runs: dict[str, Result] = {}

    def run(name: str, water: int, watered: Events, weather: str = "data/weather.csv") -> None:
        path = f"data/management_{water}{'_irrigated' if watered else ''}.json"
        plan.files[path] = field.management(water, watered)
        runs[name] = plan.call(
            "impact_aquacrop_run",
            weather_daily_path=weather,
            soil_path="data/soil.json",
            crop_path="data/crop.json",
            management_path=path,
            run_id=name,
        )

    cases = [field.case(water, ()) for water in waters]
    for place, water in enumerate(waters):
        run(f"rainfed-{place + 1}", water, ())
    names = [f"rainfed-{place + 1}" for place in range(len(waters))]
    if case.level == 2:
        cases += [field.case(waters[0], events), warmer.case(waters[0], ()), warmer.case(waters[0], events)]
        names += ["irrigated", "rainfed-warmer", "irrigated-warmer"]
        run("irrigated", waters[0], events)
        run("rainfed-warmer", waters[0], (), "data/weather_warmer.csv")
        run("irrigated-warmer", waters[0], events, "data/weather_warmer.csv")
    if case.level == 3:
        cases += [field.case(water, events) for water in waters]
        names += [f"irrigated-{place + 1}" for place in range(len(waters))]
        for place, water in enumerate(waters):
            run(f"irrigated-{place + 1}", water, events)
    true = dict(zip(names, seasons(cases), strict=True))
    tell = _Season(plan, runs, true)
    plan.questions.append(
        f"Run AquaCrop for the field of data/soil.json, data/crop.json and data/weather.csv with the management of "
        f"data/management_{waters[0]}.json."
    )
    tell.water("rainfed-1")
    plan.steps.append("The season as it was, by the engine.")
    if case.level == 1:
        _association(plan, tell, waters)
    if case.level == 2:
        _intervention(plan, tell, waters[0], warmth)
    if case.level == 3:
        _counterfactual(plan, tell, case, waters)
    else:
        tell.grown("yield_t_ha", "dry yield of that season, t/ha", "rainfed-1")


class _Season:
    """Asks for numbers of runs and their differences."""

    def __init__(self, plan: Plan, runs: dict[str, Result], true: dict[str, dict[str, float]]) -> None:
        self.plan, self.runs, self.true = plan, runs, true

    def crop(self, name: str) -> tuple[Number, float]:
        """Return the yield of a run, as a formula and in truth."""
        return self.runs[name].at("metrics", "yield_t_ha", "value"), self.true[name]["yield_t_ha"]

    def tolerance(self, *names: str) -> Tolerance:
        """Return a tolerance for what is made of the yields of runs."""
        most = max(self.true[name]["yield_t_ha"] for name in names)
        return Tolerance(
            SHARE * most, f"rounding in the engine and its tables: {100 * SHARE:g} % of the yield"
        )

    def grown(self, key: str, about: str, name: str) -> None:
        """Ask for the yield of a run."""
        number, value = self.crop(name)
        self.plan.ask(key, about, value, number * 1.0, self.tolerance(name))

    def gain(self, key: str, about: str, more: str, less: str) -> None:
        """Ask for a difference of yields."""
        (one, first), (two, second) = self.crop(more), self.crop(less)
        self.plan.ask(key, about, first - second, one - two, self.tolerance(more, less))

    def water(self, name: str) -> None:
        """Ask for the water that a season used."""
        true, run = self.true[name], self.runs[name]
        value = true["transpiration_mm"] + true["soil_evaporation_mm"]
        self.plan.ask(
            "water_used_mm",
            "evaporation of the soil and transpiration from planting to the end of that season, mm",
            value,
            run.at("metrics", "seasonal_et_mm", "value") * 1.0,
            Tolerance(
                SHARE * value, f"rounding in the engine and its tables: {100 * SHARE:g} % of the value"
            ),
        )


def _association(plan: Plan, tell: _Season, waters: Sequence[int]) -> None:
    other = f"data/management_{waters[1]}.json"
    plan.questions.append(
        f"Run it with {other}, too, which differs in the water that the soil holds at the start."
    )
    tell.gain(
        "yield_of_more_first_water_t_ha",
        "yield with that management minus the yield with the first, t/ha",
        "rainfed-2",
        "rainfed-1",
    )
    plan.steps.append("The season with more water at the start.")


def _intervention(plan: Plan, tell: _Season, water: int, warmth: float) -> None:
    plan.questions.append(
        f"Intervention: irrigate as data/management_{water}_irrigated.json says, in the year of data/weather.csv "
        f"and in that of data/weather_warmer.csv, which is {warmth:g} K warmer with more evapotranspiration."
    )
    tell.gain("irrigation_gain_t_ha", "yield with irrigation minus without, t/ha", "irrigated", "rainfed-1")
    tell.gain(
        "irrigation_gain_warmer_t_ha",
        "the same in the warmer year, t/ha",
        "irrigated-warmer",
        "rainfed-warmer",
    )
    tell.gain(
        "warming_of_rainfed_t_ha",
        "rainfed yield in the warmer year minus that as it was, t/ha",
        "rainfed-warmer",
        "rainfed-1",
    )
    plan.steps.append("Rainfed and irrigated, as it was and warmer: four runs.")


def _counterfactual(plan: Plan, tell: _Season, case: Case, waters: Sequence[int]) -> None:
    """Find the first water by the yield that was harvested; then irrigate from there."""
    chosen = int(case.rng.integers(len(waters)))
    harvested = round(tell.crop(f"rainfed-{chosen + 1}")[1] * float(case.rng.uniform(0.985, 1.015)), 3)
    rainfed = [tell.crop(f"rainfed-{place + 1}") for place in range(len(waters))]
    irrigated = [tell.crop(f"irrigated-{place + 1}") for place in range(len(waters))]
    files = ", ".join(f"data/management_{water}.json" for water in waters)
    plan.questions.append(
        f"Counterfactual: {harvested:g} t/ha were in fact harvested without irrigation. Of {files} take the management "
        "whose yield is nearest to that, and say what would have been harvested had the field been irrigated as in the "
        "file of the same name that ends in _irrigated.json."
    )
    would = combined(
        "nearest", harvested, *(number for number, _ in rainfed), *(number for number, _ in irrigated)
    )
    name = f"irrigated-{chosen + 1}"
    plan.ask(
        "yield_had_there_been_t_ha",
        "yield that would have been harvested, t/ha",
        irrigated[chosen][1],
        would * 1.0,
        tell.tolerance(name),
    )
    plan.ask(
        "gain_had_there_been_t_ha",
        "that minus the yield of the management that was taken, t/ha",
        irrigated[chosen][1] - rainfed[chosen][1],
        would - combined("nearest", harvested, *(number for number, _ in rainfed), *(n for n, _ in rainfed)),
        tell.tolerance(name),
    )
    plan.skipped += [
        tell.runs[f"irrigated-{place + 1}"].place for place in range(len(waters)) if place != chosen
    ]
    plan.steps.append("Every candidate rainfed; the one nearest to the harvest; that one irrigated.")


def _drawn(case: Case) -> tuple[Field, tuple[int, ...], Events, Field, float]:
    """Return a field whose yields are neither nothing nor alike, and what is done to it."""
    rng = case.rng
    count = {0: 1, 1: 2, 2: 1, 3: 3}[case.level]
    for _ in range(DRAWS):
        field = make_field(case.world, rng)
        first = int(rng.integers(45, 60))
        waters = tuple(first + 14 * place for place in range(count))
        days = sorted(int(each) for each in rng.choice(range(10, 60), 4, replace=False))
        june = f"{field.year}-06"
        events: Events = tuple(
            (
                f"{june}-{day:02d}" if day <= 30 else f"{field.year}-07-{day - 30:02d}",
                float(rng.integers(20, 45)),
            )
            for day in days
        )
        warmth = round(float(rng.uniform(1.5, 3.5)), 1)
        warmer = replace(field, weather=tuple(_warmer(row, warmth) for row in field.weather))
        tried: list[dict[str, Any]] = [field.case(water, ()) for water in waters]
        yields = sorted(
            each["yield_t_ha"] for each in seasons([*tried, field.case(waters[0], events)])[:count]
        )
        apart = all(two > (1 + APART) * one for one, two in pairwise(yields))
        if yields[0] > LEAST_T_HA and apart:
            break
    return field, waters, events, warmer, warmth


def _warmer(
    row: tuple[str, float, float, float, float], warmth: float
) -> tuple[str, float, float, float, float]:
    day, low, high, rain, et0 = row
    return day, round(low + warmth, 2), round(high + warmth, 2), rain, round(et0 * (1 + 0.03 * warmth), 2)
