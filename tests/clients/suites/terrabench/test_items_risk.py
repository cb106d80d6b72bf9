"""Items of CLIMADA: full marks over MCP at each level, truths computed again out of their files, what they hang on."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise

import numpy as np
import pytest

from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.making.risk import functions, stronger
from labrig_suites.terrabench.reckoning import places
from support.risk import needs_climada
from support.terrabench_runs import full_marks, hangs_on_the_short_path, long_path, play, results_of, text_of

PER_LEVEL = (39, 47, 55, 63)


def made(level: int) -> Sample:
    return make_item("storms", PER_LEVEL[level], f"storms-{level}")


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.parametrize("level", range(4))
def test_the_reference_has_full_marks_at_each_level(level: int) -> None:
    needs_climada()
    sample = made(level)
    assert (sample.labels["level"], sample.needs, lint(sample)) == (str(level), ("climada",), [])
    assert suite.preset("no-climada").items([sample]) == []
    full_marks(sample, suite.arm("agent-documents" if level == 1 else "agent-terra"))


def losses(sample: Sample, storms: str = "data/storms.json", damage: str = "data/damage.json") -> list[float]:
    """Return the loss of each storm, in plain Python: a house after the other, a straight line after the other."""
    hazard, curves = (json.loads(text_of(sample, path)) for path in (storms, damage))
    default = next(
        call["arguments"]["default_asset_value_usd"]
        for call in sample.truth["paths"][0]
        if call["tool"] == "extract_exposure_layers"
    )
    sites = list(zip(hazard["latitude"], hazard["longitude"], strict=True))
    lost = [0.0] * len(hazard["events"])
    for house in csv.DictReader(io.StringIO(text_of(sample, "data/assets.csv"))):
        north, east = float(house["latitude"]), float(house["longitude"])
        shrunk = np.cos(np.radians(north))
        site = min(
            range(len(sites)), key=lambda at: np.hypot(sites[at][0] - north, (sites[at][1] - east) * shrunk)
        )
        curve = curves["functions"][curves["asset_types"][house["asset_type"]]]
        for number, event in enumerate(hazard["events"]):
            wind = event["intensity"][site]
            share = between(wind, curve["intensity"], curve["mdd"]) * between(
                wind, curve["intensity"], curve["paa"]
            )
            lost[number] += share * float(house["value"] or default)
    return lost


def between(where: float, known: list[float], values: list[float]) -> float:
    for (low, first), (high, second) in pairwise(zip(known, values, strict=True)):
        if low <= where <= high:
            return first + (where - low) / (high - low) * (second - first)
    return values[-1]


def yearly(sample: Sample, storms: str = "data/storms.json", damage: str = "data/damage.json") -> float:
    events = json.loads(text_of(sample, storms))["events"]
    lost = losses(sample, storms, damage)
    return sum(each["frequency_per_year"] * loss for each, loss in zip(events, lost, strict=True))


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_truths_are_found_again_out_of_the_files() -> None:
    one, two, three = (
        {row["key"]: row["value"] for row in made(level).truth["fields"]} for level in (0, 1, 2)
    )
    sample = made(0)
    assert one["annual_loss_usd"] == pytest.approx(yearly(sample), rel=1e-7)
    lost = losses(sample)
    assert one["worst_storm_loss_usd"] == pytest.approx(max(lost), rel=1e-7)
    years = float(sample.brief.prompt.partition("exceeded once in ")[2].partition("once in ")[2].split()[0])
    often = [each["frequency_per_year"] for each in json.loads(text_of(sample, "data/storms.json"))["events"]]
    rarer = sum(rate for rate, loss in zip(often, lost, strict=True) if loss > one["rare_loss_usd"])
    assert rarer < 1 / years <= rarer + max(often)
    sample = made(1)
    more = yearly(sample, "data/storms_later.json") - yearly(sample)
    assert two["annual_loss_of_later_storms_usd"] == pytest.approx(more, rel=1e-6)
    sample, intense, strong = made(2), "data/storms_intense.json", "data/damage_strengthened.json"
    assert three["saved_usd"] == pytest.approx(yearly(sample) - yearly(sample, damage=strong), rel=1e-6)
    saved = yearly(sample, intense) - yearly(sample, intense, strong)
    assert three["saved_of_intense_storms_usd"] == pytest.approx(saved, rel=1e-6)
    assert three["loss_by_intensity_usd"] == pytest.approx(yearly(sample, intense) - yearly(sample), rel=1e-6)
    said = sample.brief.prompt.partition("The standard costs ")[2].replace("\n", " ").split()
    cost, lasts, rate = float(said[0]), int(said[4]), float(said[said.index("%") - 1]) / 100
    annuity = (1 - (1 + rate) ** -lasts) / rate
    assert three["net_benefit_usd"] == pytest.approx(annuity * three["saved_usd"] - cost, rel=1e-5)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_what_was_lost_says_which_track_it_was_and_the_answer_hangs_on_the_runs() -> None:
    needs_climada()
    sample = made(3)
    long = long_path(sample)
    true = {row["key"]: row["value"] for row in sample.truth["fields"]}
    seen = float(sample.brief.prompt.partition("a storm destroyed ")[2].split()[0])
    paths = [f"data/storm_{place}.json" for place in (1, 2, 3)]
    was = [losses(sample, path)[0] for path in paths]
    track = min(range(3), key=lambda place: abs(was[place] - seen))
    had = losses(sample, paths[track], "data/damage_strengthened.json")[0]
    assert true["loss_had_there_been_usd"] == pytest.approx(had, rel=1e-7)
    assert true["saved_had_there_been_usd"] == pytest.approx(was[track] - had, rel=1e-7)
    results = results_of(sample)
    ran = [place for place, call in enumerate(long) if call["tool"] == "impact_climada_run"]
    (extracted,) = [place for place, call in enumerate(long) if "extract" in call["tool"]]
    hangs_on_the_short_path(sample, results, (*ran, extracted), ran[4:])
    hit = {key for key, formula in sample.truth["formulas"].items() if places(formula) & set(ran)}
    assert hit == {"annual_loss_usd", "loss_had_there_been_usd", "saved_had_there_been_usd"}


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_rule_of_thumb_is_no_loss() -> None:
    needs_climada()
    metrics = play(made(0), kind="proxy")[1].facts["metrics"]
    assert metrics["ToolAcc"] < 1 and metrics["Hit@tol"] < 1


def test_stronger_houses_lose_as_much_in_winds_stronger_by_the_factor() -> None:
    damage = functions({"timber": 55.0})
    strong = stronger(damage, 1.2)
    known = [0.0, *np.arange(20.0, 95.0, 5.0)]
    for wind in (24.0, 40.0, 60.0):
        first = np.interp(wind, known, [0, *damage.degree["timber"]])
        assert np.interp(1.2 * wind, known, [0, *strong.degree["timber"]]) == pytest.approx(first, abs=0.02)
    assert (strong.degree["timber"] <= damage.degree["timber"]).all()
