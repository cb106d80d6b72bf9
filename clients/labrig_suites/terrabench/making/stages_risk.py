"""Stages of a coast: what its storms destroy, with other storms, stronger houses, and had the houses been stronger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from labrig_suites.terrabench.making import risk
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Number, Plan, Result, Tolerance, combined
from labrig_suites.terrabench.making.risk import ASSETS, DAMAGE, STORMS, Coast, Damage, Storms
from labrig_suites.terrabench.making.world import Floats

STRENGTHENED, LATER = "data/damage_strengthened.json", "data/storms_later.json"
EXTRACTED = "data/simulators/extract_exposure_layers/houses/exposure_layers.csv"
SHARE, APART, RARE = 0.0005, 0.06, 0.02
"""Tolerance as a part of a loss; by how much losses of candidates differ at least; the least that a loss which is
exceeded once in some years is of the worst."""
CANDIDATES, DRAWS = 3, 40
WHY = f"digits of the answer; the engine and NumPy agree to 1e-9: {100 * SHARE:g} % of the loss"


@dataclass(frozen=True)
class Run:
    """A run of the engine, and what it truly gives: the loss of each storm, USD, and how often a year each comes."""

    result: Result
    lost: Floats
    frequency: Floats

    def annual(self) -> tuple[Number, float]:
        """Return the expected annual loss, as a formula and in truth."""
        number = self.result.at("metrics", "expected_annual_impact", "value")
        return number, risk.annual(self.lost, self.frequency)

    def worst(self) -> tuple[Number, float]:
        """Return the loss of the worst storm, as a formula and in truth."""
        return self.result.at("metrics", "worst_event_impact", "value"), float(self.lost.max())

    def exceeded(self, years: float) -> tuple[Number, float]:
        """Return the loss that is exceeded once in so many years, as a formula and in truth."""
        number = self.result.at("derived_metrics", f"impact_at_{years:g}_years", "value")
        return number, risk.exceeded(self.lost, self.frequency, years)


def storm_losses(plan: Plan, case: Case) -> None:
    """Losses of a coast; from level 1 with other storms, at 2 with stronger houses, too, at 3 conditioned."""
    coast = _drawn(case)
    years = float(case.rng.choice(risk.PERIODS))
    plan.needs.add(risk.NEEDS)
    plan.files |= {ASSETS: coast.assets.csv(), STORMS: coast.storms.file(), DAMAGE: coast.damage.file()}
    worth = coast.assets.worth().sum()
    taken = plan.call(
        "extract_exposure_layers",
        osm_assets_path=ASSETS,
        default_asset_value_usd=coast.assets.default,
        run_id="houses",
    )
    tell = _Losses(plan, coast)
    was = tell.run("as-it-was")
    plan.questions.append(
        f"Take the houses of {ASSETS} as exposure; one that states no value is worth {coast.assets.default:.0f} USD. "
        f"Run CLIMADA with the storms of {STORMS} and the damage functions of {DAMAGE}. A loss that is exceeded once "
        "in so many years follows from the frequencies of the storms, summed from the worst storm downward, linear in "
        "years between storms."
    )
    plan.ask(
        "houses_worth_usd",
        "value of all houses, USD",
        worth,
        taken.at("metrics", "total_asset_value_usd", "value") * 1.0,
        Tolerance(1e-5 * worth, "a sum of whole numbers; digits of the answer: 0.001 % of it"),
    )
    tell.ask("annual_loss_usd", "expected annual loss, USD a year", was.annual())
    plan.steps.append("The houses with their values; what the storms destroy a year, by the engine.")
    if case.level == 0:
        tell.ask("worst_storm_loss_usd", "loss of the worst storm, USD", was.worst())
    if case.level < 2:
        tell.ask("rare_loss_usd", f"loss that is exceeded once in {years:g} years, USD", was.exceeded(years))
    if case.level == 1:
        _association(tell, case, was, years)
    if case.level == 2:
        _intervention(tell, case, was)
    if case.level == 3:
        _counterfactual(tell, case)


class _Losses:
    """Runs the engine with files of an item, and asks for losses."""

    def __init__(self, plan: Plan, coast: Coast) -> None:
        self.plan, self.coast = plan, coast

    def run(
        self, name: str, storms: Storms | None = None, path: str = STORMS, strong: Damage | None = None
    ) -> Run:
        """Plan a run with the storms of a path, and with the stronger houses where there are any."""
        used = storms or self.coast.storms
        self.plan.files[path] = used.file()
        if strong:
            self.plan.files[STRENGTHENED] = strong.file()
        result = self.plan.call(
            "impact_climada_run",
            hazard_event_set_path=path,
            exposure_path=EXTRACTED,
            impact_functions_path=STRENGTHENED if strong else DAMAGE,
            run_id=name,
        )
        return Run(result, risk.losses(used, self.coast.assets, strong or self.coast.damage), used.frequency)

    def ask(self, key: str, about: str, loss: tuple[Number, float]) -> None:
        """Ask for a loss."""
        number, value = loss
        self.plan.ask(key, about, value, number * 1.0, tolerance(value))

    def less(self, key: str, about: str, more: tuple[Number, float], less: tuple[Number, float]) -> None:
        """Ask for a difference of losses."""
        value = more[1] - less[1]
        self.plan.ask(key, about, value, more[0] - less[0], tolerance(more[1], less[1]))


def tolerance(*losses: float, times: float = 1.0) -> Tolerance:
    """Return a tolerance for what is made of losses."""
    return Tolerance(SHARE * times * max(losses), WHY)


def _association(tell: _Losses, case: Case, was: Run, years: float) -> None:
    """Count the same storms as often as they come in another climate: strong ones more often."""
    storms = tell.coast.storms
    strength = storms.wind.max(axis=1)
    factor = (strength / strength.mean()) ** float(case.rng.uniform(1.5, 3.0)) * float(
        case.rng.uniform(0.9, 1.2)
    )
    later = tell.run("later", replace(storms, frequency=(storms.frequency * factor).round(5)), LATER)
    tell.plan.questions.append(
        f"Run it with {LATER}, too: the same storms, as often as they come in later decades."
    )
    tell.less(
        "annual_loss_of_later_storms_usd",
        "expected annual loss with those storms minus that with the first, USD a year",
        later.annual(),
        was.annual(),
    )
    rare, first = later.exceeded(years), was.exceeded(years)
    tell.plan.ask(
        "rare_loss_ratio",
        f"loss that is exceeded once in {years:g} years with those storms, over that with the first",
        rare[1] / first[1],
        rare[0] / first[0],
        Tolerance(2 * SHARE * rare[1] / first[1], f"{WHY}, twice for a ratio"),
    )
    tell.plan.steps.append("The same storms with the frequencies of later decades.")


def _intervention(tell: _Losses, case: Case, was: Run) -> None:
    """Let houses stand stronger winds, let storms be stronger, and both."""
    rng, storms = case.rng, tell.coast.storms
    factor, intense = round(float(rng.uniform(1.08, 1.25)), 2), round(float(rng.uniform(1.04, 1.14)), 2)
    path = "data/storms_intense.json"
    strong = risk.stronger(tell.coast.damage, factor)
    intensified = replace(storms, wind=(storms.wind * intense).round(2))
    better = tell.run("strengthened", strong=strong)
    worse = tell.run("intense", intensified, path)
    both = tell.run("intense-strengthened", intensified, path, strong)
    saved = was.annual()[1] - better.annual()[1]
    lasts, rate = int(rng.integers(15, 41)), round(float(rng.uniform(0.015, 0.05)), 3)
    annuity = sum((1 + rate) ** -year for year in range(1, lasts + 1))
    cost = round(saved * annuity * float(rng.uniform(0.4, 0.9)), -3)
    tell.plan.questions.append(
        f"Intervention: a building standard lets every house stand winds {factor:g} times as strong, which "
        f"{STRENGTHENED} has in place of {DAMAGE}. Run it with the storms as they are, and with those of {path}, whose "
        f"winds are {intense:g} times as strong; run those with the houses as they are, too. The standard costs "
        f"{cost:.0f} USD now, lasts {lasts} years, and what it saves at the end of each is discounted by "
        f"{100 * rate:g} % a year."
    )
    tell.less(
        "saved_usd", "expected annual loss that the standard saves, USD a year", was.annual(), better.annual()
    )
    tell.less(
        "saved_of_intense_storms_usd",
        "the same with the stronger storms, USD a year",
        worse.annual(),
        both.annual(),
    )
    tell.less(
        "loss_by_intensity_usd",
        "expected annual loss with the stronger storms minus that as it is, with the houses as they are, USD a year",
        worse.annual(),
        was.annual(),
    )
    tell.plan.ask(
        "net_benefit_usd",
        "what the standard saves over the years with the storms as they are, discounted, minus its cost, USD",
        saved * annuity - cost,
        annuity * (was.annual()[0] - better.annual()[0]) - cost,
        tolerance(was.annual()[1], times=annuity),
    )
    tell.plan.steps.append(
        "Houses and storms as they are and stronger: four runs; savings, discounted, less the cost."
    )


def _counterfactual(tell: _Losses, case: Case) -> None:
    """Find the track of a storm by what it destroyed; then let it meet stronger houses."""
    rng, plan = case.rng, tell.plan
    factor = round(float(rng.uniform(1.1, 1.3)), 2)
    strong = risk.stronger(tell.coast.damage, factor)
    tracks = _tracks(tell.coast, case)
    names = [f"data/storm_{place}.json" for place in range(1, CANDIDATES + 1)]
    was = [tell.run(f"track-{place}", *each) for place, each in enumerate(zip(tracks, names, strict=True), 1)]
    had = [
        tell.run(f"track-{place}-strengthened", *each, strong)
        for place, each in enumerate(zip(tracks, names, strict=True), 1)
    ]
    chosen = int(rng.integers(CANDIDATES))
    seen = round(was[chosen].worst()[1] * float(rng.uniform(0.985, 1.015)), -2)
    plan.questions.append(
        f"Counterfactual: a storm destroyed {seen:.0f} USD of these houses, and its track is not known: "
        f"{', '.join(names)} hold its winds by three tracks. Take the track whose loss is nearest to that, and say "
        f"what this storm would have destroyed had every house stood winds {factor:g} times as strong, which "
        f"{STRENGTHENED} has in place of {DAMAGE}."
    )
    first, second = ([each.worst() for each in runs] for runs in (was, had))

    def taken(values: Sequence[tuple[Number, float]]) -> Number:
        return combined("nearest", seen, *(number for number, _ in first), *(number for number, _ in values))

    plan.ask(
        "loss_had_there_been_usd",
        "what that storm would have destroyed, USD",
        second[chosen][1],
        taken(second) * 1.0,
        tolerance(second[chosen][1]),
    )
    plan.ask(
        "saved_had_there_been_usd",
        "loss by the track that was taken minus that, USD",
        first[chosen][1] - second[chosen][1],
        taken(first) - taken(second),
        tolerance(first[chosen][1]),
    )
    plan.skipped += [each.result.place for place, each in enumerate(had) if place != chosen]
    plan.steps.append(
        "Every track with the houses as they are; the one nearest to the loss; that one with stronger houses."
    )


def _tracks(coast: Coast, case: Case) -> list[Storms]:
    """Return one storm by several tracks, whose losses differ."""
    storms, rng = coast.storms, case.rng
    north, east = storms.latitude - storms.latitude.min(), storms.longitude - storms.longitude.min()
    for _ in range(DRAWS):
        most, radius = float(rng.uniform(50, 68)), float(rng.uniform(22, 40))
        tracks = [
            risk.one(storms, risk.blown(risk.passing_km(north, east, rng), most, radius))
            for _ in range(CANDIDATES)
        ]
        lost = sorted(float(risk.losses(each, coast.assets, coast.damage)[0]) for each in tracks)
        if lost[0] > 0 and all(two > (1 + APART) * one for one, two in pairwise(lost)):
            break
    return tracks


def _drawn(case: Case) -> Coast:
    """Return a coast whose storms say something about every number of years that may be asked for."""
    for _ in range(DRAWS):
        coast = risk.make_coast(case.world, case.rng)
        lost = risk.losses(coast.storms, coast.assets, coast.damage)
        often = np.cumsum(coast.storms.frequency[np.argsort(-lost, kind="stable")])
        known = 1 / often[0] > 2 * max(risk.PERIODS) and 1 / often[-1] < min(risk.PERIODS) / 1.5
        if known and risk.exceeded(lost, coast.storms.frequency, min(risk.PERIODS)) > RARE * lost.max():
            break
    return coast
