"""Rooms of seasonal forecasts: quantile maps against loops of NumPy and a closed form, seasons, boxes of ENSO."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.seasonal import correction, enso
from labrig_earth.seasonal.hindcasts import named, observed_for, valid_months
from labrig_earth.seasonal.seasons import SEASONS, season_of, season_values

LEVELS = np.linspace(0, 1, 21)


def sample(years: int = 24, members: int = 25, cells: int = 6) -> tuple[Any, Any]:
    """Return a hindcast (year, member, cell) that is 2 too high and too wide, and observations."""
    random = np.random.default_rng(3)
    signal = random.standard_normal((years, cells))
    observed = 280 + signal + random.standard_normal((years, cells))
    return 282 + signal[:, None] + 1.8 * random.standard_normal((years, members, cells)), observed


@pytest.mark.parametrize("kind", correction.KINDS)
@pytest.mark.parametrize("method", correction.METHODS)
def test_each_year_left_out_is_that_of_a_loop_over_years_and_cells(method: str, kind: str) -> None:
    hindcast, observed = sample()
    found = correction.left_out(hindcast, observed, method=method, kind=kind)
    for year in (0, 11):
        others = [each for each in range(24) if each != year]
        for cell in range(6):
            mine, its = hindcast[others, :, cell].ravel(), observed[others, cell]
            values = hindcast[year, :, cell]
            if method == "mean":
                old, new = np.full(25, mine.mean()), np.full(25, its.mean())
            else:
                quantiles = np.quantile(mine, LEVELS)
                place = (
                    (np.searchsorted(np.sort(values), values) + 0.5) / 25
                    if method == "QDM"
                    else np.interp(values, quantiles, LEVELS)
                )
                old, new = (
                    np.interp(place, LEVELS, quantiles),
                    np.interp(place, LEVELS, np.quantile(its, LEVELS)),
                )
            expected = values + new - old if kind == "additive" else values * new / old
            np.testing.assert_allclose(found[year, :, cell], expected, rtol=1e-12)


def test_the_planted_bias_is_gone_and_eqm_gives_the_observed_distribution() -> None:
    hindcast, observed = sample(cells=40)
    for method in correction.METHODS:
        found = correction.left_out(hindcast, observed, method=method)
        assert (
            abs((found.mean(axis=1) - observed).mean())
            < 0.05
            < 1.8
            < (hindcast.mean(axis=1) - observed).mean()
        )
    normal = np.random.default_rng(1).standard_normal((200, 50, 1))
    fitted = correction.fit(
        10 + 3 * normal, 5 + 0.5 * normal[:, 0], method="EQM", probabilities=np.linspace(0.01, 0.99, 99)
    )
    middle = np.array([[7.0], [10.0], [13.0]])  # one sigma below, the mean, one above
    np.testing.assert_allclose(fitted.apply(middle), [[4.5], [5.0], [5.5]], atol=0.12)


def test_missing_and_dry_cells_and_what_cannot_be_fitted() -> None:
    hindcast, observed = sample()
    hindcast[3, 2, 0], observed[5, 1] = np.nan, np.nan
    found = correction.fit(hindcast, observed).apply(hindcast[0])
    assert np.isnan(found[:, :2]).all() and np.isfinite(found[:, 2:]).all()
    one = np.where(np.arange(25)[:, None] == 4, np.nan, hindcast[0])
    assert np.isnan(correction.fit(hindcast, observed).apply(one)).all()
    dry, rain = np.zeros((24, 5, 1)), np.full((24, 1), 2.0)
    assert (correction.fit(dry, rain, kind="multiplicative").apply(dry[0]) == 2).all()
    with pytest.raises(LabrigError, match="ratio of negative"):
        correction.fit(dry - 1, rain, kind="multiplicative")
    for levels in ([0.5], [0, 0], [0.5, 0.2], [-0.1, 1], [0, 1.1], [0, float("nan")]):
        with pytest.raises(LabrigError, match="probabilities"):
            correction.fit(*sample(), probabilities=levels)
    with pytest.raises(LabrigError, match="EQM"):
        correction.fit(*sample(), method="EQN")


def series(values: Any, times: Any, **axes: Any) -> Any:
    import xarray as xr

    return xr.DataArray(values, dims=("time", *axes), coords={"time": times, **axes}, attrs={"units": "K"})


def test_seasons_are_whole_and_weighted_by_days() -> None:
    assert (
        season_of("djf") == ("DJF", 12) == season_of("1")
        and season_of("7") == ("JJA", 6)
        and len(SEASONS) == 12
    )
    months = np.arange("1999-01", "2001-03", dtype="datetime64[M]")
    data = series(np.arange(26.0), months.astype("datetime64[ns]"))
    found, lacking = season_values(data, 12)
    assert lacking == 0 and list(found.time.dt.strftime("%Y-%m").values) == ["2000-01", "2001-01"]
    np.testing.assert_allclose(found.values[0], (31 * 11 + 31 * 12 + 29 * 13) / 91)
    total, lacking = season_values(data, 1, statistic="sum", centre="first_month")
    assert lacking == 1 and list(total.values) == [3.0, 39.0] and str(total.time.values[1])[:7] == "2000-01"
    with pytest.raises(LabrigError, match="season"):
        season_of("summer")
    with pytest.raises(LabrigError, match="three months"):
        season_values(data.isel(time=slice(0, 2)), 1)


def forecast(leads: Any, starts: Any = ("2000-05-01", "2001-05-01")) -> Any:
    import xarray as xr

    values = np.arange(len(starts) * len(leads), dtype="f8").reshape(len(starts), len(leads))
    return xr.DataArray(
        values, dims=("forecast_reference_time", "forecastMonth"),
        coords={"forecast_reference_time": np.array(starts, "datetime64[ns]"), "forecastMonth": list(leads)},
    )  # fmt: skip


def test_the_month_of_the_start_is_the_first() -> None:
    for leads in ((1, 2, 3, 4), (0, 1, 2, 3)):
        data = named(forecast(leads), "x")
        assert list(valid_months(data, "x")[0].astype(str)) == ["2000-05", "2000-06", "2000-07", "2000-08"]
        found, _ = season_values(data, 6)
        assert list(found.time.dt.strftime("%Y-%m").values) == ["2000-07", "2001-07"]
        np.testing.assert_allclose(found.values[0], (30 * 1 + 31 * 2 + 31 * 3) / 92)
    months = np.arange("2000-01", "2001-07", dtype="datetime64[M]")
    observed = series(np.arange(18.0), months.astype("datetime64[ns]"))
    hindcast, seen = observed_for(named(forecast((1, 2, 3)), "x"), observed, where="obs")
    assert hindcast.sizes["start"] == 1 and list(seen.values[0]) == [4, 5, 6]  # July 2001 was not observed
    for leads in ([1.5, 2], [-1, 2], [1, 99]):
        with pytest.raises(LabrigError, match="Leads go"):
            named(forecast(leads), "x")
    with pytest.raises(LabrigError, match="same season"):
        season_values(named(forecast((1, 2, 3, 4), ("2000-05-01", "2000-06-01")), "x"), 6)


@pytest.mark.parametrize("north_first", [True, False])
@pytest.mark.parametrize("west", [-180.0, 0.0])
def test_a_box_has_its_area_on_any_grid(west: float, north_first: bool) -> None:
    import xarray as xr

    lat, lon = np.arange(-82.5, 90, 15), np.arange(west + 7.5, west + 360, 15)
    lat = lat[::-1] if north_first else lat
    grid = xr.DataArray(np.ones((lat.size, lon.size)), dims=("latitude", "longitude"),
                        coords={"latitude": lat, "longitude": lon})  # fmt: skip
    for box in enso.BOXES.values():
        span = (box[2] - box[0]) % 360
        expected = span * (np.sin(np.radians(box[3])) - np.sin(np.radians(box[1])))
        assert float(enso.box_weights(grid, box).sum()) == pytest.approx(expected, rel=1e-12)
    rows = enso.box_weights(grid, enso.BOXES["nino34"]).sum("longitude")
    assert sorted(np.flatnonzero(rows.values)) == [5, 6]
    with pytest.raises(LabrigError, match="covers 0%"):
        enso.box_weights(grid.sel(latitude=grid.latitude[grid.latitude > 20]), enso.BOXES["nino34"])
    holes = grid.where(grid.longitude % 360 < 215)
    assert bool(enso.box_mean(holes, enso.BOXES["nino34"]).isnull())
