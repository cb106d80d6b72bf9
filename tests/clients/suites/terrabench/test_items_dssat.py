"""Items of DSSAT: full marks over MCP at each level, truths computed again out of their files, what they hang on."""

from __future__ import annotations

import csv
import io
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError, Lacking
from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making import dssat_engine, farms
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.making.farms import seasons
from labrig_suites.terrabench.reckoning import places
from support.crops import needs_crops
from support.terrabench_runs import full_marks, hangs_on_the_short_path, long_path, play, results_of, text_of

PER_LEVEL = (36, 44, 52, 60)
YEAR, WARMER = "data/weather_farm.csv", "data/weather_farm_warmer.csv"


def made(level: int) -> Sample:
    needs_crops()
    return make_item("farms", PER_LEVEL[level], f"farms-{level}")


def farm_of(sample: Sample, treatment: str, weather: str = YEAR) -> dict[str, Any]:
    """Return what the files of an item say as a farm of the engine."""
    treated, soil = (
        json.loads(text_of(sample, path))
        for path in (f"data/treatment_{treatment}.json", "data/profile.json")
    )
    days = csv.DictReader(io.StringIO(text_of(sample, weather)))
    columns = ("tmin_c", "tmax_c", "precipitation_mm", "srad_mj_m2")
    first = treated.pop("initial")
    share = first["percent_of_available"] / 100
    return {
        **treated,
        **json.loads(text_of(sample, "data/cultivar.json")),
        "soil": soil,
        "bottoms_cm": [
            100 * each for each in itertools.accumulate(row["thickness_m"] for row in soil["layers"])
        ],
        "water": [
            (1 - share) * row["wilting_point"] + share * row["field_capacity"] for row in soil["layers"]
        ],
        "nitrate": first["nitrate_ppm"],
        "ammonium": first["ammonium_ppm"],
        "irrigation": [(each["date"], each["mm"]) for each in treated["irrigation"]],
        "fertilizer": [(each["date"], each["n_kg_ha"], each["depth_cm"]) for each in treated["fertilizer"]],
        "weather": [(row["date"], *(float(row[name]) for name in columns)) for row in days],
    }


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.parametrize("level", range(4))
def test_the_reference_has_full_marks_at_each_level(level: int) -> None:
    sample = made(level)
    assert (sample.labels["level"], sample.needs, lint(sample)) == (str(level), ("crops",), [])
    assert suite.preset("no-crops").items([sample]) == []
    full_marks(sample, suite.arm("agent-documents" if level == 1 else "agent-terra"))


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_truths_are_found_again_out_of_the_files() -> None:
    sample = made(0)
    true = {row["key"]: row["value"] for row in sample.truth["fields"]}
    (found,) = seasons([farm_of(sample, "as-sown")])
    assert true["grain_t_ha"] == found["yield_t_ha"] and true["farm_biomass_t_ha"] == found["biomass_t_ha"]
    assert true["farm_evapotranspiration_mm"] == pytest.approx(found["seasonal_et_mm"], rel=1e-8)
    sample = made(2)
    true = {row["key"]: row["value"] for row in sample.truth["fields"]}
    farms_of = [farm_of(sample, name) for name in ("as-sown", "watered", "fed", "watered-fed")]
    farms_of += [farm_of(sample, name, WARMER) for name in ("as-sown", "watered-fed")]
    was, watered, fed, both, warm, warm_both = (each["yield_t_ha"] for each in seasons(farms_of))
    assert true["watering_gain_t_ha"] == pytest.approx(watered - was, abs=1e-9)
    assert true["nitrogen_gain_t_ha"] == pytest.approx(fed - was, abs=1e-9)
    assert true["gain_of_both_beyond_t_ha"] == pytest.approx(both - watered - fed + was, abs=1e-9)
    assert true["warming_of_grain_t_ha"] == pytest.approx(warm - was, abs=1e-9)
    assert true["gain_of_both_warmer_t_ha"] == pytest.approx(warm_both - warm, abs=1e-9)
    assert "irrigat" in sample.brief.prompt and not farms_of[0]["irrigation"] and farms_of[1]["irrigation"]


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_harvest_says_which_of_several_soils_it_was_and_the_answer_hangs_on_the_runs() -> None:
    sample = made(3)
    long = long_path(sample)
    true = {row["key"]: row["value"] for row in sample.truth["fields"]}
    harvested = float(sample.brief.prompt.partition("Counterfactual: ")[2].split()[0])
    names = ("soil-1", "soil-2", "soil-3")
    was = [each["yield_t_ha"] for each in seasons([farm_of(sample, name) for name in names])]
    name, before = min(zip(names, was, strict=True), key=lambda pair: abs(pair[1] - harvested))
    (had,) = seasons([farm_of(sample, f"{name}-fed")])
    assert true["grain_had_there_been_t_ha"] == had["yield_t_ha"]
    assert true["nitrogen_gain_had_there_been_t_ha"] == pytest.approx(had["yield_t_ha"] - before, abs=1e-9)
    results = results_of(sample)
    ran = [place for place, call in enumerate(long) if call["tool"] == "impact_dssat_run"]
    hangs_on_the_short_path(sample, results, ran, ran[3:])
    hit = {key for key, formula in sample.truth["formulas"].items() if places(formula) & set(ran)}
    assert {"grain_had_there_been_t_ha", "farm_evapotranspiration_mm"} < hit


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_rule_of_thumb_is_no_harvest() -> None:
    metrics = play(made(0), kind="proxy")[1].facts["metrics"]
    assert metrics["ToolAcc"] < 1 and metrics["Hit@tol"] < 1


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_what_the_program_says_of_a_failure_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    farm = farm_of(made(0), "as-sown")
    frozen = {**farm, "weather": [(day, -10.0, -5.0, rain, sun) for day, _, _, rain, sun in farm["weather"]]}
    assert seasons([frozen, farm])[0] == {"ripe": 0.0}
    with pytest.raises(LabrigError, match="DSSAT failed"):
        seasons([{**farm, "cultivar": "XX0000"}])
    (tmp_path / "dssat_engine.py").write_text("raise RuntimeError('no harvest')")
    monkeypatch.setattr(farms, "__file__", str(tmp_path / "farms.py"))
    with pytest.raises(LabrigError, match="no harvest"):
        seasons([farm])


def test_days_are_written_as_dssat_reads_them() -> None:
    assert [dssat_engine.ydoy(day) for day in ("2015-01-01", "2016-12-31")] == ["15001", "16366"]


def test_without_dssat_an_item_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig_earth.impact.crops import setup

    monkeypatch.setattr(setup, "CROPS", replace(setup.CROPS, name="nowhere", folder="earth/nowhere"))
    with pytest.raises(Lacking) as caught:
        seasons([{}])
    assert caught.value.try_ == "labrig setup crops"
