"""UTCI against published values, its definition, and radiation worked out by hand; outside of its range it is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.health.radiant import Radiation, mean_radiant
from labrig_earth.impact.health.stress import daily, read_stress, totals
from labrig_earth.impact.health.utci import CATEGORIES, categories, utci, vapour_pressure
from labrig_earth.impact.weather.sun import cos_zenith, sunlit
from support.health import met_csv

PUBLISHED = [
    # Air, radiant (degC), humidity (%), 10 m wind (m/s), UTCI (degC, to 0.1): values that comfort tools share.
    (25, 27, 50, 1, 25.2),
    (19, 24, 50, 1, 20.0),
    (19, 14, 50, 1, 16.8),
    (27, 22, 50, 1, 25.5),
    (27, 22, 50, 10, 20.0),
    (27, 22, 50, 16, 15.8),
]


def one(air: float, radiant: float, humidity: float, wind: float) -> float:
    a, r, h, w = (np.array([float(each)]) for each in (air, radiant, humidity, wind))
    return float(utci(a, r, w, vapour_pressure(a, h)).utci_c[0])


@pytest.mark.parametrize("air, radiant, humidity, wind, published", PUBLISHED)
def test_published_values(air: float, radiant: float, humidity: float, wind: float, published: float) -> None:
    assert one(air, radiant, humidity, wind) == pytest.approx(published, abs=0.1)


def test_the_definition_in_the_reference_climate() -> None:
    """Of calm air of 50 %, whose radiation is that of the air, UTCI is the temperature (Broede et al. 2012).

    Calm is 0.5 m/s at 10 m; humidity counts up to 20 hPa, so 29 degC is the end. Their polynomial errs by 1.1 K (RMSE).
    """
    air = np.arange(-30.0, 29.0, 1.0)
    found = utci(air, air, np.full_like(air, 0.5), vapour_pressure(air, np.full_like(air, 50.0))).utci_c
    assert np.abs(found - air).max() < 2.2
    assert np.sqrt(((found - air) ** 2).mean()) < 1.1
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize(
    "air, radiant, wind",
    [
        (30, 60, 0.49),
        (30, 60, 0.0),
        (30, 60, 17.1),
        (30, -1, 2),
        (30, 101, 2),
        (51, 60, 2),
        (-51, -51, 2),
    ],
)
def test_outside_of_its_range_there_is_no_utci(air: float, radiant: float, wind: float) -> None:
    import thermofeel

    bare = thermofeel.calculate_utci(
        np.array([air + 273.15]), np.array([wind]), np.array([radiant + 273.15]), ehPa=np.array([5.0])
    )
    assert np.isfinite(bare).all()  # the library gives a number and says nothing
    found = utci(*(np.array([float(each)]) for each in (air, radiant, wind)), np.array([5.0]))
    assert np.isnan(found.utci_c).all()
    assert sum(int(rows.sum()) for rows in found.outside.values()) >= 1


def test_edges_of_the_range_and_of_the_categories() -> None:
    assert math.isfinite(one(30, 0, 20, 0.5)) and math.isfinite(one(30, 100, 20, 17))
    values = np.array([-40.01, -40, -27, -13, 0, 9, 26, 31.99, 32, 38, 46, np.nan])
    assert categories(values).tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9, -1]
    assert CATEGORIES[7] == "strong_heat_stress"


def test_mean_radiant_temperature_by_hand() -> None:
    sigma, flux = 5.67e-8, 400.0
    zero = np.zeros(1)
    night = Radiation(zero, zero, zero, np.array([flux]), np.array([flux]))
    assert mean_radiant(night, zero)[0] == pytest.approx((flux / sigma) ** 0.25 - 273.15, abs=1e-9)

    # A summer noon, sun at 60 degrees; the projected area of VDI 3787, sheet 2: 0.308 cos(g (1 - g^2 / 48402)).
    elevation = 60.0
    down, diffuse, up, sky, ground = 900.0, 150.0, 180.0, 380.0, 520.0
    direct = down - diffuse
    beam = direct / math.sin(math.radians(elevation))
    area = 0.308 * math.cos(math.radians(elevation * (1 - elevation**2 / 48402)))
    absorbed = 0.5 * (sky + ground) + 0.7 / 0.97 * (0.5 * diffuse + 0.5 * up + area * beam)
    day = Radiation(*(np.array([each]) for each in (down, direct, up, sky, ground)))
    found = mean_radiant(day, np.array([math.sin(math.radians(elevation))]))[0]
    assert found == pytest.approx((absorbed / sigma) ** 0.25 - 273.15, abs=0.2)
    assert 55 < found < 65


def test_the_sun_stands_where_it_should() -> None:
    solstice = np.array(["2021-06-21T12:02"], dtype="datetime64[s]")
    assert math.degrees(math.asin(cos_zenith(solstice, 48.0, 0.0)[0])) == pytest.approx(42 + 23.44, abs=0.1)
    assert math.degrees(math.asin(cos_zenith(solstice, -30.0, 0.0)[0])) == pytest.approx(60 - 23.44, abs=0.1)
    # At 90 degrees east the same noon is six hours earlier.
    assert cos_zenith(solstice - np.timedelta64(6, "h"), 48.0, 90.0)[0] == pytest.approx(
        cos_zenith(solstice, 48.0, 0.0)[0], abs=1e-3
    )
    hours = np.arange("2021-06-21T01", "2021-06-22T01", dtype="datetime64[h]").astype("datetime64[s]")
    _, lit = sunlit(hours, 3600, 48.0, 0.0)
    day_h = 24 / math.pi * math.acos(-math.tan(math.radians(48)) * math.tan(math.radians(23.44)))
    assert lit.sum() == pytest.approx(day_h, abs=0.1)


def test_a_series_its_hours_and_days() -> None:
    """Two hot days: hours are counted here from what the polynomial gives, one by one."""
    found = read_stress(met_csv(days=2, peak_c=36.0), "met.csv")
    numbers, rows = totals(found, 32.0), daily(found, 32.0)
    by_hand = [
        one(a, r, h, w)
        for a, r, h, w in zip(
            found.air_c, found.radiant_c, found.humidity_pct, found.wind_10m_m_s, strict=True
        )
    ]
    assert (
        numbers["above_h"] == sum(each >= 32 for each in by_hand) == sum(row["hours_above"] for row in rows)
    )
    assert 6 < numbers["above_h"] < 40
    assert numbers["mean_c"] == pytest.approx(sum(by_hand) / 48)
    assert sum(numbers[name] for name in CATEGORIES) == numbers["valid_h"] == 48
    assert numbers["days_above"] == len(rows) == 2
    assert sum(numbers[name] for name in CATEGORIES[7:]) == numbers["above_h"]


def test_calm_hours_have_no_utci_and_are_counted() -> None:
    text = met_csv(days=1).decode().splitlines()
    for row in (13, 14):
        cells = text[row].split(",")
        cells[3] = "0"
        text[row] = ",".join(cells)
    found = read_stress("\n".join(text).encode(), "met.csv")
    numbers = totals(found, 32.0)
    assert numbers["no_utci_h"] == 2 and numbers["valid_h"] == 22
    assert any("2 of 24 rows have no UTCI: 10 m wind below 0.5 m/s" in note for note in found.notes)


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda t: t.replace("tmrt_c", "temperature"), "not known"),
        (
            lambda t: "\n".join(",".join(r.split(",")[:4]) for r in t.splitlines()),
            "never taken to be that of the air",
        ),
        (
            lambda t: "\n".join(
                [
                    t.splitlines()[0],
                    *(",".join([*r.split(",")[:4], r.split(",")[1]]) for r in t.splitlines()[1:]),
                ]
            ),
            "is tair_c in every row",
        ),
        (lambda t: "\n".join(t.splitlines()[:9] + t.splitlines()[12:]), "3 rows are missing"),
        (lambda t: "\n".join(t.splitlines()[:9] + t.splitlines()[8:]), "comes after"),
        (
            lambda t: "\n".join(
                [
                    t.splitlines()[0],
                    *(",".join([*r.split(",")[:3], "0", r.split(",")[4]]) for r in t.splitlines()[1:]),
                ]
            ),
            "No row is within the range",
        ),
        (lambda t: t.replace(",50.0,", ",0.5,"), "not a part of 1"),
        (lambda t: t.replace(",50.0,", ",,", 1), "missing in 1 of 24"),
        (lambda t: t.replace(",50.0,", ",-9999,", 1), "impossible"),
        (lambda t: t.replace(",50.0,", ",fifty,", 1), "is no number"),
        (lambda t: t.replace("T01:00Z", "T01:00"), "have an offset"),
        (lambda t: "\n".join(t.splitlines()[:2]), "one row"),
    ],
)
def test_what_is_refused(change: object, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        read_stress(change(met_csv(days=1).decode()).encode(), "met.csv")  # type: ignore[operator]


def test_radiation_needs_a_clock_a_place_and_a_sun() -> None:
    good = met_csv(days=1, radiation=True).decode()
    found = read_stress(good.encode(), "met.csv")
    noon = int(found.radiant_c.argmax())
    assert 20 < found.radiant_c[noon] - found.air_c[noon] < 45
    assert found.radiant_c[0] < found.air_c[0]
    with pytest.raises(LabrigError, match="sun's height is not known"):
        read_stress(good.replace("Z,", ",").encode(), "met.csv")
    with pytest.raises(LabrigError, match="below the horizon"):
        read_stress(good.replace(",10.0\n", ",170.0\n").encode(), "met.csv")
    rows = [",".join(row.split(",")[:8]) for row in good.splitlines()]
    with pytest.raises(LabrigError, match="never taken to be") as refused:
        read_stress("\n".join(rows).encode(), "met.csv")
    assert "thermal_up_w_m2, latitude, longitude" in refused.value.expected
