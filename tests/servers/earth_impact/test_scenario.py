"""A perturbation in every input of one place: what physics asks of it, by formulas that the server does not use."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.impact.risk.hazard import read_hazard
from labrig_earth.impact.scenario import design_days, tables, warming
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.compiling import compile_scenario
from labrig_earth.impact.scenario.epw_files import epw as epw_changed
from labrig_earth.impact.scenario.events import events
from labrig_earth.impact.scenario.perturbation import HUMIDITY_RULES, Perturbation, read_perturbation
from labrig_earth.impact.scenario.rain import changed_rain
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.weather.epw import read_epw
from labrig_earth.impact.weather.hours import Place as EpwPlace
from labrig_earth.impact.weather.hours import read_hours
from labrig_earth.results import Result
from labrig_earth.work.calls import Call
from support import scenarios
from support.risk import river
from support.scenarios import buck

SITE = tables.Site(scenarios.LATITUDE, scenarios.ELEVATION)
RELATIVE, VAPOUR = HUMIDITY_RULES
BANDS = {RELATIVE: (4.0, 6.0), VAPOUR: (6.0, 11.0)}
"""% of evapotranspiration for 2 K."""


def columns(content: bytes) -> dict[str, Any]:
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    return {
        name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name not in ("date", "time")
    }


def all_passed(told: Closure) -> None:
    assert told.checks and all(each.passed for each in told.checks), [each.to_dict() for each in told.checks]


@pytest.mark.parametrize("rule", HUMIDITY_RULES)
def test_days_warm_as_the_rule_says_and_evaporate_as_fao_56_says(rule: str) -> None:
    told = Closure("weather_daily_path", "weather.csv")
    named = Named("weather.csv", scenarios.daily_csv())
    made = tables.daily(named, Perturbation(2.0, rule), SITE, 1, told)
    before, after = columns(named.content), columns(made.content)
    assert after["tmin_c"] - before["tmin_c"] == pytest.approx(2.0) == after["tmax_c"] - before["tmax_c"]
    mean = [(each["tmin_c"] + each["tmax_c"]) / 2 for each in (before, after)]
    vapour = [buck(each["tdew_c"]) for each in (before, after)]
    held = [of / buck(air) for of, air in zip(vapour, mean, strict=True)]
    if rule == RELATIVE:
        assert np.abs(held[1] - held[0]).max() < 0.003
    else:
        assert vapour[1] == pytest.approx(vapour[0], rel=1e-6)
    own = scenarios.et0(
        *(after[name] for name in ("tmin_c", "tmax_c", "tdew_c", "wind_2m_m_s", "srad_mj_m2")),
        np.arange(1, 366),
    )
    assert after["et0_mm"] == pytest.approx(own, abs=2e-3)
    percent = 100 * (own.sum() / before["et0_mm"].sum() - 1)
    least, most = BANDS[rule]
    assert least < percent < most
    assert (after["srad_mj_m2"] == before["srad_mj_m2"]).all() and (
        after["precipitation_mm"] == before["precipitation_mm"]
    ).all()
    all_passed(told)
    assert {each["what"] for each in told.changes} == {"daily mean of tmin_c and tmax_c", "tdew_c", "et0_mm"}


def test_evapotranspiration_out_of_the_band_is_a_check_that_fails() -> None:
    told = Closure("weather_daily_path", "weather.csv")
    tables.within_band(told, np.full(3, 4.0), np.full(3, 5.0), Perturbation(2.0, RELATIVE))
    assert [each.passed for each in told.checks] == [False]
    assert "+25.00 %" in told.checks[0].found


@pytest.mark.parametrize("warmer", [-6.0, -1.0, 0.5, 4.0])
@pytest.mark.parametrize("rule", HUMIDITY_RULES)
def test_air_is_never_more_than_saturated(warmer: float, rule: str) -> None:
    air, humidity = (each.ravel() for each in np.meshgrid(np.linspace(-40, 45, 40), [0.01, 5, 60, 99.9, 100]))
    dew = warming.dew_point(np.maximum(warming.saturated(air) * humidity / 100, 1e-3))
    warmed = warming.warmed_dew(dew, air, warmer, rule)
    assert (warmed <= air + warmer + 1e-9).all()
    assert (warming.warmed_humidity(humidity, air, warmer, rule) <= 100).all()
    assert np.isfinite(warmed).all()


def test_radiation_of_a_warmer_world() -> None:
    air, dew = np.array([10.0, 25.0]), np.array([2.0, 15.0])
    sky = np.array([310.0, 380.0])
    moist = warming.warmed_dew(dew, air, 2.0, RELATIVE)
    more, dry = (warming.warmed_sky(sky, air, dew, 2.0, each) - sky for each in (moist, dew))
    by_temperature = sky * (((air + 275.15) / (air + 273.15)) ** 4 - 1)
    assert dry == pytest.approx(by_temperature, rel=1e-9)
    assert (more > dry).all() and (more < 20).all()
    assert warming.warmed_radiant(air, air, 2.0) == pytest.approx(air + 2.0)
    assert ((warming.warmed_radiant(air + 30, air, 2.0) - air - 30) < 1.7).all(), (
        "the sun's part does not grow"
    )
    assert warming.warmed_ground(np.array([400.0]), 0.0) == pytest.approx(400.0)


@pytest.mark.accept
@pytest.mark.parametrize("rule", HUMIDITY_RULES)
def test_an_epw_file_warms_in_every_hour(rule: str) -> None:
    told = Closure("weather_epw_path", "place.epw")
    named = Named("place.epw", scenarios.epw())
    made = epw_changed(named, Perturbation(2.0, rule), SITE, 1, told)
    before, after = read_epw(named.content, "before").numbers, read_epw(made.content, "after").numbers
    assert after[:, 6] - before[:, 6] == pytest.approx(2.0, abs=1e-6)
    assert (after[:, 7] <= after[:, 6]).all()
    held = [buck(each[:, 7]) / buck(each[:, 6]) for each in (before, after)]
    if rule == RELATIVE:
        assert np.abs(held[1] - held[0]).max() < 0.004
        assert (after[:, 8] == before[:, 8]).all()
    else:
        assert (after[:, 7] == before[:, 7]).all()
        assert 100 * held[1] == pytest.approx(after[:, 8], abs=0.4)
    assert 8 < float((after[:, 12] - before[:, 12]).mean()) < 16
    untouched = [each for each in range(35) if each not in (5, 6, 7, 8, 12)]
    assert np.array_equal(before[:, untouched], after[:, untouched], equal_nan=True)
    all_passed(told)


@pytest.mark.accept
def test_the_header_of_an_epw_file_warms_and_loses_its_past_climate() -> None:
    lines = scenarios.epw().decode().splitlines()
    lines[1] = "DESIGN CONDITIONS,1,Climate Design Data 2009 ASHRAE Handbook,,Heating,1,-20.0"
    lines[3] = "GROUND TEMPERATURES,1,.5,,,," + ",".join(f"{each:.2f}" for each in range(1, 13))
    told = Closure("weather_epw_path", "place.epw")
    named = Named("place.epw", "\n".join(lines).encode())
    made = epw_changed(named, Perturbation(1.5, RELATIVE), SITE, 1, told).content.decode().splitlines()
    assert made[1] == "DESIGN CONDITIONS,0"
    assert made[3].split(",")[6:] == [f"{each + 1.5:.2f}" for each in range(1, 13)]
    assert "+1.5 K" in made[5]
    assert any("past climate" in each for each in told.left)


DAYS = """Version,25.2;
SizingPeriod:DesignDay, Hot, 7, 21, SummerDesignDay, 33.2, 10.7, DefaultMultipliers, , {condition}, {bulb}, , {ratio},
  , ,
  98000, 4, 230, No, No, No, ASHRAEClearSky, , , , , 1.0;
Zone, Room;"""


@pytest.mark.parametrize(
    ("condition", "bulb", "ratio"),
    [("WetBulb", "23.8", ""), ("DewPoint", "19.6", ""), ("HumidityRatio", "", "0.0148")],
)
def test_design_days_warm_with_their_humidity(condition: str, bulb: str, ratio: str) -> None:
    told = Closure("building_idf_path", "house.idf")
    content = DAYS.format(condition=condition, bulb=bulb, ratio=ratio).encode()
    made = design_days.design_days(Named("house.idf", content), Perturbation(2.0, RELATIVE), told).decode()
    day = next(line for line in made.splitlines() if line.startswith("SizingPeriod")).rstrip(";").split(",")

    def vapour(air: float, said: str, ratio_said: str) -> float:  # hPa at 980 hPa
        if condition == "DewPoint":
            return float(buck(float(said)))
        if condition == "WetBulb":
            return float(buck(float(said))) - 0.000662 * 980 * (air - float(said))
        return float(ratio_said) * 980 / (0.622 + float(ratio_said))

    assert day[5] == "35.20"
    before, after = vapour(33.2, bulb, ratio) / buck(33.2), vapour(35.2, day[10], day[12]) / buck(35.2)
    assert after == pytest.approx(before, abs=0.004)
    assert "Zone,Room;" in made
    all_passed(told)


@pytest.mark.parametrize("way", ["intensity", "wet_days"])
def test_a_drier_world_loses_the_same_part_of_each_year(way: str) -> None:
    drawn = np.random.default_rng(4)
    rain = np.where(drawn.random(730) < 0.3, drawn.gamma(0.7, 8, 730), 0.0)
    years = np.repeat([2001, 2002], 365)
    made = changed_rain(rain, years, -30.0, way, 7)
    for year in (2001, 2002):
        assert made[years == year].sum() == pytest.approx(0.7 * rain[years == year].sum())
    wet, left = int((rain > 0).sum()), int((made > 0).sum())
    if way == "intensity":
        assert left == wet and made.max() == pytest.approx(0.7 * rain.max())
    else:
        assert 0.55 * wet < left < 0.85 * wet
        assert (np.isclose(made, rain) | np.isclose(made, 0)).sum() >= 728, (
            "one day of each year is cut, no more"
        )
        assert (changed_rain(rain, years, -30.0, way, 7) == made).all()
        assert (changed_rain(rain, years, -30.0, way, 8) != made).any()


@pytest.mark.parametrize("form", ["json", "csv"])
def test_events_are_stronger_and_come_more_often_as_the_caller_states(form: str) -> None:
    rows = [("a", 0.1, 50.0, 0.5), ("a", 0.1, 50.1, 1.5), ("b", 0.01, 50.0, 3.0)]
    content = (
        "event_id,frequency_per_year,latitude,longitude,intensity,hazard_type,intensity_unit\n"
        + "".join(f"{name},{often},{lat},9,{depth},FL,m\n" for name, often, lat, depth in rows)
    ).encode()
    if form == "json":
        content = json.dumps(river()).encode()
    told = Closure("hazard_event_set_path", "river")
    asked = Perturbation(hazard_intensity_percent=10, hazard_frequency_percent=50)
    before = read_hazard(Named("before", content))
    after = read_hazard(Named("after", events(Named("river", content), asked, told)))
    assert after.intensity.toarray() == pytest.approx(1.1 * before.intensity.toarray())
    assert after.frequency == pytest.approx(1.5 * before.frequency)
    assert after.events == before.events
    all_passed(told)
    left = Closure("hazard_event_set_path", "river")
    assert events(Named("river", content), Perturbation(2.0, RELATIVE), left) == content
    assert "not stated" in left.left[0], "what warming does to events is not made up"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "changes nothing"),
        ({"warmer_k": 2}, "rule for humidity is not stated"),
        ({"warmer_k": True, "humidity": RELATIVE}, "no number"),
        ({"warmer_k": 40, "humidity": RELATIVE}, "-10 to 10 K"),
        ({"warmer_k": 2, "humidity": "constant"}, "constant_relative_humidity"),
        ({"precipitation_percent": -30}, "how precipitation changes"),
        ({"precipitation_percent": 30, "precipitation_as": "wet_days"}, "intensity for more"),
        ({"closed_edges": "bridge"}, "no list of edges"),
        ({"warmer": 2}, "warmer_k"),
    ],
)
def test_a_perturbation_with_two_readings_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(LabrigError) as refused:
        read_perturbation(asked)
    assert said in str(refused.value)


def compiled(folder: Path, files: dict[str, str], perturbation: dict[str, Any], **more: Any) -> Result:
    (folder / "scratch").mkdir(exist_ok=True)
    inputs = {role: (Place(str(folder / name), name),) for role, name in files.items()}
    return compile_scenario(Call(inputs, {"perturbation": perturbation, **more}, folder / "scratch"))


def test_one_scenario_through_every_input_closes(tmp_path: Path) -> None:
    files = scenarios.lay_out(tmp_path)
    made = compiled(
        tmp_path,
        files,
        {
            "warmer_k": 2,
            "humidity": RELATIVE,
            "closed_edges": ["bridge"],
            "planting_shift_days": -10,
            "cooling_setpoint_c": 25,
            "hazard_intensity_percent": 14,
        },
        name="warm",
    )
    assert made.data["failed"] == [] and made.data["checks"] == 22
    pairs = {each["tool"]: each for each in made.data["pairs"]}
    assert list(pairs) == [
        "impact_aquacrop_run", "impact_dssat_run", "impact_energyplus_run", "impact_sumo_run", "impact_health_utci",
        "impact_climada_run",
    ]  # fmt: skip
    maize = pairs["impact_aquacrop_run"]
    assert maize["baseline"]["weather_daily_path"] == "given:0"
    assert maize["scenario"]["weather_daily_path"] == "weather_daily.csv"
    assert maize["scenario"]["soil_path"] == "given:0", "what does not change is what was given"
    assert json.loads((tmp_path / "scratch" / "crop.json").read_text())["planting"] == "04-21"
    assert (
        json.loads((tmp_path / "scratch" / "treatment.json").read_text())["planting"]["date"] == "2001-04-21"
    )
    house = pairs["impact_energyplus_run"]
    assert house["scenario"]["cooling_setpoint_c"] == 25 and "cooling_setpoint_c" not in house["baseline"]
    assert house["changed_options"] == ["cooling_setpoint_c"]
    roads = pairs["impact_sumo_run"]
    assert roads["baseline"]["disruptions_path"] == "baseline_disruptions.json"
    assert json.loads((tmp_path / "scratch" / "disruptions.json").read_text()) == {"closed_edges": ["bridge"]}
    between = {each["check"]: each for each in made.data["closure"]["between_inputs"]}
    assert between["all inputs change alike: temperature"]["passed"]
    assert between["all inputs change alike: relative humidity"]["passed"]
    assert any("are of one weather" in each for each in between)
    assert set(made.files) == {each.name for each in (tmp_path / "scratch").iterdir()}


@pytest.mark.accept
def test_inputs_of_another_weather_or_place_are_told(tmp_path: Path) -> None:
    files = scenarios.lay_out(tmp_path)
    lines = (tmp_path / "place.epw").read_text().splitlines()
    lines[0] = lines[0].replace("41.0000", "51.0000")
    rows = [line.split(",") for line in lines[8:]]
    for row in rows:
        row[6] = f"{float(row[6]) + 9:.2f}"
    (tmp_path / "place.epw").write_text("\n".join([*lines[:8], *(",".join(row) for row in rows)]))
    made = compiled(
        tmp_path, {role: files[role] for role in files if "path" in role}, {"warmer_k": 1, "humidity": VAPOUR}
    )
    said = " ".join(each["check"] for each in made.data["failed"])
    assert "of one place" in said and "of one weather" in said
    assert made.warnings


def test_hargreaves_is_written_into_both_worlds_since_it_knows_no_humidity(tmp_path: Path) -> None:
    files = scenarios.lay_out(tmp_path)
    rows = [line.split(",") for line in scenarios.daily_csv().decode().splitlines()]
    (tmp_path / "weather.csv").write_text("\n".join(",".join(row[:4]) for row in rows))
    (tmp_path / "rainfed.json").write_text(
        json.dumps({"start": "2001-04-01", "et0": {"method": "hargreaves", "latitude": 41.0}})
    )
    crops = {
        role: files[role] for role in ("weather_daily_path", "soil_path", "crop_path", "management_path")
    }
    (tmp_path / "scratch").mkdir()
    changes = {}
    for rule in HUMIDITY_RULES:
        made = compiled(tmp_path, crops, {"warmer_k": 2, "humidity": rule})
        assert made.data["failed"] == []
        (pair,) = made.data["pairs"]
        assert pair["baseline"]["weather_daily_path"] == "baseline_weather_daily.csv"
        assert (
            pair["baseline"]["management_path"]
            == pair["scenario"]["management_path"]
            == "baseline_management.json"
        )
        sums = [
            columns((tmp_path / "scratch" / name).read_bytes())["et0_mm"].sum()
            for name in ("baseline_weather_daily.csv", "weather_daily.csv")
        ]
        changes[rule] = 100 * (sums[1] / sums[0] - 1)
    assert 3 < changes[RELATIVE] < changes[VAPOUR] < 16


@pytest.mark.parametrize(
    ("roles", "asked", "said"),
    [
        (("weather_daily_path",), {"closed_edges": ["bridge"]}, "the roads are not given"),
        (("network_path", "routes_path"), {"closed_edges": ["brigde"]}, "bridge"),
        (
            ("network_path", "routes_path"),
            {"warmer_k": 1, "humidity": RELATIVE},
            "changes none of these inputs",
        ),
        (("soil_path", "weather_daily_path"), {"planting_shift_days": 3}, "changes none of these inputs"),
        (
            ("weather_daily_path", "soil_path", "crop_path", "management_path"),
            {"planting_shift_days": -60},
            "scenario of impact_aquacrop_run",
        ),
    ],
)
def test_what_a_scenario_cannot_do_with_its_inputs_is_refused(
    tmp_path: Path, roles: tuple[str, ...], asked: dict[str, Any], said: str
) -> None:
    files = scenarios.lay_out(tmp_path)
    with pytest.raises(LabrigError) as refused:
        compiled(tmp_path, {role: files[role] for role in roles}, asked)
    assert said in str(refused.value)
    assert not list((tmp_path / "scratch").iterdir()), "nothing is left half-way"


@pytest.mark.accept
@pytest.mark.parametrize("rule", HUMIDITY_RULES)
def test_a_year_of_days_for_an_epw_file_warms_as_the_epw_file_made_of_it(rule: str) -> None:
    """Days changed and then made hours are the hours made of the days and then changed."""
    at = EpwPlace(scenarios.LATITUDE, scenarios.LONGITUDE, -6, scenarios.ELEVATION)
    named = Named("weather.csv", scenarios.daily_csv())
    told = Closure("weather_timeseries_path", "weather.csv")
    made = tables.timeseries(named, Perturbation(2.0, rule), SITE, 1, told)
    all_passed(told)
    before, after = read_hours(named.content, "before", at), read_hours(made.content, "after", at)
    assert after.air_c - before.air_c == pytest.approx(2.0)
    assert (after.ghi == before.ghi).all() and (after.wind_10m_m_s == before.wind_10m_m_s).all()
    damp = before.humidity_pct < 99
    if rule == VAPOUR:
        assert after.dew_c[damp] == pytest.approx(before.dew_c[damp], abs=1e-3)
    else:
        assert after.humidity_pct[damp] == pytest.approx(before.humidity_pct[damp], abs=0.8)


def test_evapotranspiration_that_the_engine_computes_is_in_the_account(tmp_path: Path) -> None:
    files = scenarios.lay_out(tmp_path)
    rows = [line.split(",") for line in scenarios.daily_csv().decode().splitlines()]
    (tmp_path / "weather.csv").write_text("\n".join(",".join(row[:-1]) for row in rows))
    method = {"method": "penman_monteith", "latitude": scenarios.LATITUDE, "elevation_m": scenarios.ELEVATION}
    (tmp_path / "rainfed.json").write_text(json.dumps({"start": "2001-04-01", "et0": method}))
    crops = {
        role: files[role] for role in ("weather_daily_path", "soil_path", "crop_path", "management_path")
    }
    made = compiled(tmp_path, crops, {"warmer_k": 2, "humidity": RELATIVE})
    (account,) = [each for each in made.data["closure"]["inputs"] if each["input"] == "weather_daily_path"]
    (row,) = [each for each in account["changes"] if each["what"].startswith("et0 that")]
    least, most = BANDS[RELATIVE]
    assert least < row["percent"] < most
    assert any(each["check"].startswith("et0 changes") and each["passed"] for each in account["checks"])


def test_weather_with_evapotranspiration_and_no_place_is_refused(tmp_path: Path) -> None:
    files = scenarios.lay_out(tmp_path)
    only = {"weather_daily_path": files["weather_daily_path"]}
    warm = {"warmer_k": 2, "humidity": RELATIVE}
    with pytest.raises(LabrigError, match="latitude is not known"):
        compiled(tmp_path, only, warm)
    assert compiled(tmp_path, only, warm, options={"latitude": 41.0, "elevation_m": 300}).files == (
        "weather_daily.csv",
    )
