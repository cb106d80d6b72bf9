"""Files of a run of DSSAT, and its tables: what is wrong is said, and what the program hides is found."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.crops import dssat
from labrig_earth.impact.crops.dssat import Tables, balance_terms, closure, daily_rows, summary_row, unapplied
from labrig_earth.impact.crops.dssat_inputs import Case, read_case
from labrig_earth.impact.crops.dssat_outline import outline, toc
from labrig_earth.impact.reading_output import output_text
from labrig_earth.impact.simulator import Named
from support.crops import SILT_LOAM, made_weather, treatment


def case(**changed: Any) -> Case:
    """Read a case that is right but for what is changed."""
    given: dict[str, Any] = {
        "weather": made_weather(et0_mm=None),
        "soil": SILT_LOAM,
        "cultivar": {"crop": "Maize", "cultivar": "IB0012"},
        "treatment": treatment(),
        **changed,
    }
    weather, soil, cultivar, treated = (
        Named(f"{name}.x", each if isinstance(each, bytes) else json.dumps(each).encode())
        for name, each in given.items()
    )
    return read_case(weather, soil, cultivar, treated)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"weather": made_weather(srad_mj_m2=None)}, "no column srad_mj_m2"),
        ({"weather": made_weather(days=200, et0_mm=None)}, "from which no mean of the year"),
        ({"soil": {"layers": []}}, "no layers"),
        ({"soil": {"layers": [{**SILT_LOAM["layers"][0], "clay_percent": 50}]}}, "more than 100 %"),
        ({"soil": {"layers": [{**SILT_LOAM["layers"][0], "ph": None, "clay": 2}]}}, "no field named 'clay'"),
        ({"treatment": treatment(start="2001-06-01")}, "planting is on 2001-05-01"),
        (
            {
                "treatment": treatment(
                    planting={"date": "2003-05-01", "plants_m2": 7, "row_cm": 75, "depth_cm": 5}
                )
            },
            "planting is on 2003-05-01",
        ),
        ({"treatment": treatment(irrigation=[{"date": "2000-07-01", "mm": 40}])}, "2000-07-01 is outside"),
        ({"treatment": treatment(nitrogen=False)}, "Nitrogen is not simulated"),
        ({"treatment": treatment(tav_c=12.0)}, "One of tav_c and amp_k"),
        (
            {"treatment": treatment(site={"latitude": 93, "longitude": 41, "elevation_m": 0})},
            "latitude is 93",
        ),
        ({"treatment": treatment(fertiliser=[])}, "no field named 'fertiliser'"),
    ],
)
def test_cases_that_cannot_be(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(LabrigError) as caught:
        case(**changed)
    assert said in str(caught.value)


def test_mean_and_range_over_the_year_are_computed_and_defaults_are_told() -> None:
    read = case()
    weather = read_weather_again()
    months = [np.mean(weather[number]) for number in range(1, 13)]
    assert read.arguments["weather"]["tav_c"] == pytest.approx(np.mean(months), abs=0.05)
    assert read.arguments["weather"]["amp_k"] == pytest.approx(max(months) - min(months), abs=0.05)
    said = " ".join(read.notes)
    for part in (
        "tav ",
        "pH 6.5 of layers 1, 2, 3, 4, 5",
        "root_factor 1.00, 0.67, 0.41",
        "curve_number 75",
        "at field capacity",
    ):
        assert part in said
    given = case(treatment=treatment(tav_c=11.0, amp_k=22.0))
    assert "tav" not in " ".join(given.notes)


def read_weather_again() -> dict[int, list[float]]:
    """Return mean temperatures of days by month, read without any code of the server."""
    found: dict[int, list[float]] = {}
    for line in made_weather().decode().splitlines()[1:]:
        day, low, high, *_ = line.split(",")
        found.setdefault(int(day[5:7]), []).append((float(low) + float(high)) / 2)
    return found


BALANCE = """
!     Soil H20 (start) on Year/day 2001/105    387.00
!     Soil H20 (final) on Year/day 2001/253    220.73
!     Effective Irrigation                      40.00
!     Precipitation                            283.10
!     Drainage                                   1.24
!     Runoff                                     0.00
!     Soil Evaporation                         192.93
!     Transpiration                            295.21
!     Final Balance                            -0.001
"""


def test_water_is_added_up_from_the_terms_and_not_taken_from_the_program() -> None:
    """387.00 + 40.00 + 283.10 - 220.73 - 1.24 - 192.93 - 295.21 = -0.01."""
    assert closure(balance_terms(BALANCE)) == pytest.approx(-0.01, abs=1e-9)
    assert closure(balance_terms(BALANCE.replace("295.21", "294.21"))) == pytest.approx(0.99, abs=1e-9)
    with pytest.raises(LabrigError, match="Transpiration"):
        closure(balance_terms(BALANCE.replace("Transpiration", "Perspiration")))


def _tables(irrigated: float, nitrogen: float) -> Tables:
    day = {"CWAD": 1.0, "IRRC": irrigated, "NAPC": nitrogen}
    return Tables({"HDAT": 2001253.0, "MDAT": 2001253.0}, {date(2001, 9, 10): day}, {})


def test_events_that_were_not_applied_are_found() -> None:
    """What the program's overview counts and its daily tables lack: fertilizer by days after planting, for instance."""
    read = case()
    assert unapplied(read, _tables(40, 120)) == []
    with pytest.raises(LabrigError, match=r"applied 0 kg/ha of nitrogen, and 120 were asked"):
        unapplied(read, _tables(40, 0))
    with pytest.raises(LabrigError, match=r"applied 0 mm of irrigation"):
        unapplied(read, _tables(0, 120))
    late = case(treatment=treatment(irrigation=[{"date": "2001-10-01", "mm": 40}]))
    assert unapplied(late, _tables(0, 120)) == [
        "irrigation after the harvest on 2001-09-10, not applied: 2001-10-01: 40 mm"
    ]


def test_a_crop_that_was_not_ripe_is_no_yield_of_zero() -> None:
    tables = Tables({"HDAT": -99.0, "MDAT": -99.0}, {}, {})
    with pytest.raises(LabrigError, match="not ripe"):
        dssat.harvested(tables)


@pytest.mark.parametrize(
    "read",
    [
        lambda: daily_rows("@YEAR DOY A\n 2001 5 1 2\n", "x"),
        lambda: daily_rows("nothing", "x"),
        lambda: summary_row("@ XLAT HWAM\n 1\n"),
        lambda: summary_row(""),
    ],
)
def test_tables_of_another_shape_are_no_results(read: Any) -> None:
    with pytest.raises(LabrigError) as caught:
        read()
    assert caught.value.code == "engine"


OVERVIEW = """*SIMULATION OVERVIEW FILE

*RUN   1        : maize
 CROP           : Maize            CULTIVAR : PIO 3382
 IRRIGATION     :       40 mm IN     1 APPLICATIONS

*MAIN GROWTH AND DEVELOPMENT VARIABLES

@     VARIABLE                                         SIMULATED     MEASURED
      --------                                         ---------     --------
      Anthesis day (dap)                                      65          -99
      Yield at harvest maturity (kg [dm]/ha)               10255          -99

*GROWTH
@YEAR DOY   DAS  GWAD
 2001 121    17     0
 2001 122    18     5
"""


def test_a_text_of_dssat_is_mapped_by_headings_values_and_tables() -> None:
    assert json.loads(toc(OVERVIEW))[1] == {"line": 3, "section": "RUN 1 : maize"}
    said = outline(OVERVIEW)
    for part in (
        "L3-5 RUN 1 : maize",
        "IRRIGATION: 40 mm IN 1 APPLICATIONS",
        "Yield at harvest maturity (kg [dm]/ha): 10255",
        "L15 table of 2 rows (2001 121 to 2001 122): YEAR DOY DAS GWAD",
    ):
        assert part in said, said
    kind, lines = output_text(OVERVIEW, "outputs/OVERVIEW.OUT", "lines 15-16")
    assert (kind, lines) == ("lines", "@YEAR DOY   DAS  GWAD\n 2001 121    17     0")
    assert output_text(OVERVIEW, "outputs/OVERVIEW.OUT", "auto") == ("raw", OVERVIEW)
    for wrong in ("all", "raw:0", "lines 90-91", "lines 5-2"):
        with pytest.raises(LabrigError):
            output_text(OVERVIEW, "outputs/OVERVIEW.OUT", wrong)


def test_a_table_is_mapped_by_its_columns() -> None:
    said = output_text("date,a\n2001-01-01,3\n2001-01-02,1\n", "x.csv", "outline")[1]
    assert said == "table of 2 rows\n  date: 2001-01-01 to 2001-01-02\n  a: 1 to 3, last 1"
