"""Files of weather, soils, crops and management: what is wrong in them is said before any engine runs."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.crops.aquacrop import CLOSES_MM, closure
from labrig_earth.impact.crops.aquacrop_inputs import Case, read_case
from labrig_earth.impact.crops.evapotranspiration import extraterrestrial_radiation, with_et0
from labrig_earth.impact.crops.weather import Weather, read_weather
from labrig_earth.impact.simulator import Named
from support.crops import made_weather

HEAD = "date,tmin_c,tmax_c,precipitation_mm,et0_mm\n"


def case(**changed: Any) -> Case:
    """Read a case that is right but for what is changed: bytes of the weather, objects of the others."""
    given: dict[str, Any] = {
        "weather": made_weather(srad_mj_m2=None, tdew_c=None, wind_2m_m_s=None),
        "soil": {"type": "SandyLoam"},
        "crop": {"name": "Maize", "planting": "04-20"},
        "management": {},
        **changed,
    }
    files = [
        Named(f"{name}.x", each if isinstance(each, bytes) else json.dumps(each).encode())
        for name, each in given.items()
    ]
    weather, soil, crop, management = files
    return read_case(weather, soil, crop, management)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("2001-01-01,1,5,0,1\n2001-01-03,1,5,0,1", "1 days are missing after 2001-01-01"),
        ("2001-01-01,1,5,0,1\n2001-01-01,1,5,0,1", "2001-01-01 comes after 2001-01-01"),
        ("2001-02-29,1,5,0,1", "'2001-02-29' is no time"),
        ("2001-01-01,6,5,0,1", "tmin_c is 6 and tmax_c 5"),
        ("2001-01-01,1,5,-1,1", "precipitation_mm is -1"),
        ("2001-01-01,280,285,0,1", "tmin_c is 280"),
        ("2001-01-01,-9999,5,0,1", "tmin_c is -9999"),
        ("2001-01-01,1,5,inf,1", "precipitation_mm is inf"),
        ("2001-01-01,1,5,a lot,1", "'a lot' is no number"),
        ("2001-01-01,1,5,,1", "precipitation_mm is missing on 1 days"),
        ("2001-01-01,,5,0,1", "tmin_c is missing on 1 days"),
        ("2001-01-01,1,5,0", "The line has 4 cells"),
        ("", "There are no rows"),
    ],
)
def test_weather_that_cannot_be(lines: str, said: str) -> None:
    with pytest.raises(LabrigError) as caught:
        read_weather((HEAD + lines).encode(), "w.csv")
    assert said in caught.value.what and "w.csv" in caught.value.where
    assert caught.value.code == "bad_input"


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("date,tmin_c,tmax_c,precipitation_mm,et0_inch\n2001-01-01,1,5,0,1", "'et0_inch' is not known"),
        ("day,tmin_c,tmax_c,precipitation_mm\n1,1,5,0", "no column of time"),
        ("date,tmin_c,tmax_c\n2001-01-01,1,5", "no column precipitation_mm"),
        ("date,tmin_c,tmin,tmax_c,rain_mm\n2001-01-01,1,1,5,0", "tmin_c is there twice"),
    ],
)
def test_columns_say_their_units(head: str, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        read_weather(head.encode(), "w.csv")


def test_only_what_was_asked_for_is_filled_and_the_result_says_so() -> None:
    rows = [f"2001-01-{day:02},{day},{day + 5},0,1" for day in range(1, 11)]
    rows[3], rows[4] = "2001-01-04,,9,0,1", "2001-01-05,,10,0,1"
    text = (HEAD + "\n".join(rows)).encode()
    with pytest.raises(LabrigError, match="up to 2 in a row: 2001-01-04"):
        read_weather(text, "w.csv", fill_days=1)
    found = read_weather(text, "w.csv", fill_days=2)
    assert found.columns["tmin_c"].tolist() == list(range(1, 11))
    assert found.notes == ("tmin_c: 2 missing days filled linearly, up to 2 in a row",)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"soil": {"layers": []}}, "no layers"),
        ({"soil": {}}, "no layers"),
        ({"soil": {"type": "Loam", "layers": [{}]}}, "both a type and layers"),
        (
            {
                "soil": {
                    "layers": [
                        {
                            "thickness_m": 2,
                            "wilting_point": 0.3,
                            "field_capacity": 0.2,
                            "saturation": 0.4,
                            "ksat_mm_day": 100,
                        }
                    ]
                }
            },
            "Water contents are 0.3, 0.2, 0.4",
        ),
        ({"crop": {"name": "Maize", "planting": "02-30"}}, "planting is '02-30'"),
        ({"crop": {"name": "Maize"}}, "There is no planting"),
        ({"crop": {"name": "Maize", "planting": "04-20", "variety": "x"}}, "no field named 'variety'"),
        ({"management": {"start": "2001-06-01"}}, "04-20 is no day between 2001-06-01"),
        ({"management": {"end": "2002-06-01"}}, "The weather has 2001-01-01 to 2001-12-31"),
        ({"management": {"irrigaton": {}}}, "no field named 'irrigaton'"),
        ({"management": {"irrigation": {"method": "drip"}}}, "no method named 'drip'"),
        (
            {
                "management": {
                    "irrigation": {"method": "schedule", "events": [{"date": "2003-05-01", "mm": 9}]}
                }
            },
            "2003-05-01 is outside of the run",
        ),
        (
            {"management": {"irrigation": {"method": "none", "most_mm_day": 9}}},
            "no field named 'most_mm_day'",
        ),
        ({"management": {"co2_ppm": True}}, "co2_ppm is no number"),
        ({"management": {"et0": {"method": "hargreaves", "latitude": 45}}}, "has et0_mm, and a method"),
        ({"management": b"[1]"}, "no object in braces"),
        ({"weather": made_weather(et0_mm=None)}, "no column et0_mm"),
    ],
)
def test_cases_that_cannot_be(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(LabrigError) as caught:
        case(**changed)
    assert said in str(caught.value)


def test_a_case_says_what_was_assumed() -> None:
    weather = made_weather(et0_mm=None)
    read = case(weather=weather, management={"et0": {"method": "penman_monteith", "latitude": 45}})
    assert read.notes[0] == "et0_mm computed by penman_monteith (FAO-56) for 45 degrees north"
    assert "Mauna Loa" in read.notes[1]
    assert read.arguments["crop"]["planting"] == "04/20"


def test_extraterrestrial_radiation_is_that_of_the_handbook() -> None:
    """FAO-56, example 8: 20 degrees south, 3 September: 32.2 MJ/m2/day."""
    found = extraterrestrial_radiation([date(2001, 9, 3)], -20.0)
    assert found[0] == pytest.approx(32.2, abs=0.1)


def test_penman_monteith_is_that_of_the_handbook() -> None:
    """FAO-56, example 18: Brussels, 6 July: 3.9 mm/day, from a vapour pressure of 1.409 kPa."""
    ratio = np.log(1.409 / 0.6108)
    dew = 237.3 * ratio / (17.27 - ratio)
    columns = {"tmin_c": 12.3, "tmax_c": 21.5, "srad_mj_m2": 22.07, "tdew_c": dew, "wind_2m_m_s": 2.078}
    weather = Weather(date(2001, 7, 6), {name: np.array([each]) for name, each in columns.items()})
    found = with_et0(weather, "penman_monteith", 50.8, 100.0)
    assert found.columns["et0_mm"][0] == pytest.approx(3.88, abs=0.03)


def test_two_kelvin_more_cost_as_much_water_as_the_humidity_says() -> None:
    """+2 K raise evapotranspiration by 4 to 6 % where the dew point rises as well, and by more where it does not."""
    warm = read_weather(made_weather(warmer=2.0, et0_mm=None), "w.csv")
    base = read_weather(made_weather(et0_mm=None), "w.csv")
    dry = Weather(warm.start, {**warm.columns, "tdew_c": base.columns["tdew_c"]})
    totals = [
        with_et0(each, "penman_monteith", 45, 100).columns["et0_mm"][90:270].sum()
        for each in (base, warm, dry)
    ]
    assert 1.04 <= totals[1] / totals[0] <= 1.06
    assert totals[2] / totals[0] > 1.06


def _closed_days() -> tuple[dict[str, list[str]], dict[str, float]]:
    """Return a made table whose water closes, and the rain that fell."""
    rng = np.random.default_rng(3)
    names = (
        *("irrigation_mm", "capillary_rise_mm", "groundwater_inflow_mm", "runoff_mm"),
        *("deep_percolation_mm", "soil_evaporation_mm", "transpiration_mm"),
    )
    flows = {name: rng.uniform(0, 3, 40) for name in names}
    rain = rng.uniform(0, 9, 40)
    gained = rain + flows["irrigation_mm"] + flows["capillary_rise_mm"] + flows["groundwater_inflow_mm"]
    gained = gained - flows["runoff_mm"] - flows["deep_percolation_mm"]
    stored = 300 + np.cumsum(gained - flows["soil_evaporation_mm"] - flows["transpiration_mm"])
    table = {name: [repr(float(each)) for each in values] for name, values in flows.items()}
    table["date"] = [f"2001-{1 + place // 20:02}-{1 + place % 20:02}" for place in range(40)]
    table["season"] = ["1"] * 20 + ["2"] * 20
    table["day_after_planting"] = [str(1 + place % 20) for place in range(40)]
    table["soil_water_mm"] = [repr(float(each) - 5) for each in stored]
    table["surface_water_mm"] = ["5"] * 40
    return table, dict(zip(table["date"], rain.tolist(), strict=True))


def test_water_that_is_lost_in_one_season_is_seen_in_that_season() -> None:
    table, rain = _closed_days()
    assert all(abs(each) < 1e-9 for each in closure(table, rain).values())
    table["runoff_mm"][25] = repr(float(table["runoff_mm"][25]) + 2 * CLOSES_MM)
    found = closure(table, rain)
    assert abs(found[1]) < 1e-9
    assert found[2] == pytest.approx(-2 * CLOSES_MM)
