"""Items of EnergyPlus: full marks over MCP at each level, truths found again in their files, and closed forms."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from labrig.errors import LabrigError, Lacking
from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.making.buildings import Depot, Use, Weather, dew_point, loads, runs
from labrig_suites.terrabench.reckoning import places
from support.buildings import needs_energyplus
from support.terrabench_runs import full_marks, hangs_on_the_short_path, long_path, results_of, text_of

PER_LEVEL = (37, 45, 53, 61)


def made(number: int) -> Sample:
    needs_energyplus()
    return make_item("depot", number, f"depot-{number}")


@pytest.mark.accept
@pytest.mark.parametrize("number", PER_LEVEL)
def test_the_reference_has_full_marks_at_each_level(number: int) -> None:
    sample = made(number)
    assert sample.needs == ("energyplus",) and lint(sample) == []
    assert suite.preset("no-energyplus").items([sample]) == []
    full_marks(sample)


def steady(outdoor_c: float) -> Weather:
    """Return a year without sun, of one temperature, that is still and overcast."""
    hours = np.zeros(8760)
    return Weather(50.0, hours + outdoor_c, hours + 80, hours, hours, hours, hours + 10)


DEPOT = Depot((20.0, 10.0, 4.0), 0.3, 0.5, 0.0, 20.0, (2, 1), (2, 14))


@pytest.mark.accept
def test_energies_follow_the_building_and_the_weather_as_they_must() -> None:
    """Heat that goes out with the air is known in closed form; what insulation passes falls as it gets thicker."""
    needs_energyplus()
    years = {"now": steady(0.0), "warmer": steady(5.0)}
    tight = replace(DEPOT, leaks=0.3)
    uses = [Use(5), Use(10), Use(20), Use(5, 15.0), Use(5, None, "warmer")]
    thin, thick, thicker, cooler, warmer = (each["energy_kwh"] for each in runs(DEPOT, years, uses))
    assert thin > thick > thicker
    assert cooler / thin == pytest.approx(15 / 20, abs=0.04)  # loss goes with the difference of temperatures
    assert warmer / thin == pytest.approx(15 / 20, abs=0.04)
    (less,) = runs(tight, years, [Use(5)])
    air_kg_s = 0.2 * 800 / 3600 * 1e5 / (287.05 * 273.15)
    assert thin - less["energy_kwh"] == pytest.approx(air_kg_s * 1006 * 20 * 14 * 24 / 1000, rel=0.03)
    (lit,) = runs(replace(DEPOT, devices=5.0), years, [Use(5)])
    current = lit["energy_kwh"] - lit["heating_kwh"] - lit["cooling_kwh"]
    assert current == pytest.approx(5 * 200 * (11 + 13 * 0.2) * 14 / 1000, rel=1e-6)


@pytest.mark.accept
def test_truths_are_found_again_out_of_the_files() -> None:
    sample = made(PER_LEVEL[2])
    true = {row["key"]: row["value"] for row in sample.truth["fields"]}
    idfs = sorted(
        (path for path in sample.brief.files if path.endswith(".idf")),
        key=lambda path: int(re.sub(r"\D", "", path)),
    )
    cooler = next(
        call["arguments"]["heating_setpoint_c"]
        for call in sample.truth["paths"][0]
        if "heating_setpoint_c" in call["arguments"]
    )
    thin, thick = (text_of(sample, path) for path in idfs)
    epws = {name: text_of(sample, f"data/weather{name}.epw") for name in ("", "_warmer")}
    cases = [
        (thin, "", None),
        (thick, "", None),
        (thin, "", cooler),
        (thin, "_warmer", None),
        (thick, "_warmer", None),
    ]
    built, insulated, cool, warm, both = (each["energy_kwh"] for each in loads(epws, cases))
    assert true["energy_kwh"] == pytest.approx(built, rel=1e-8)
    assert true["insulation_saves_kwh"] == pytest.approx(built - insulated, rel=1e-7)
    assert true["cooler_rooms_save_kwh"] == pytest.approx(built - cool, rel=1e-7)
    assert true["insulation_saves_warmer_kwh"] == pytest.approx(warm - both, rel=1e-7)
    assert both < warm < built and cool < built


@pytest.mark.accept
def test_what_was_metered_says_which_building_it_was_and_the_answer_hangs_on_the_runs() -> None:
    sample = made(PER_LEVEL[3])
    long = long_path(sample)
    results = results_of(sample)
    ran = [place for place, call in enumerate(long) if call["tool"] == "impact_energyplus_run"]
    keys = {key for key, formula in sample.truth["formulas"].items() if places(formula) & set(ran)}
    assert keys == {"energy_kwh", "energy_had_there_been_kwh", "saved_had_there_been_kwh"}
    energies = [json.loads(results[place])["metrics"]["total_energy_kwh"]["value"] for place in ran[:3]]
    assert all(more > 1.045 * less for less, more in pairwise(sorted(energies)))
    hangs_on_the_short_path(sample, results, ran, ran[3:])


def test_dew_point_is_where_the_air_is_saturated() -> None:
    assert dew_point(np.array([20.0]), np.array([100.0]))[0] == pytest.approx(20)
    assert dew_point(np.array([20.0]), np.array([50.0]))[0] == pytest.approx(9.26, abs=0.05)


@pytest.mark.accept
def test_what_the_engine_refuses_is_told_in_its_words() -> None:
    needs_energyplus()
    broken = replace(DEPOT, heating_c=60.0)  # above the set point of cooling
    with pytest.raises(LabrigError, match="EnergyPlus failed"):
        runs(broken, {"now": steady(0.0)}, [Use(5)])


def test_without_energyplus_an_item_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig_earth.impact.buildings import setup

    gone = replace(setup.ENERGYPLUS_ENV, name="nowhere", folder="earth/nowhere")
    monkeypatch.setattr(setup, "ENERGYPLUS_ENV", gone)
    with pytest.raises(Lacking) as caught:
        runs(DEPOT, {"now": steady(0.0)}, [Use(5)])
    assert caught.value.try_ == "labrig setup energyplus"
