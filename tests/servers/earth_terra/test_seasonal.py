"""Group seasonal over MCP: planted bias, terciles and an index of ENSO found again, against NumPy; what is refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client

from labrig_earth.world import seasons
from labrig_earth.world.writing import Folder
from support.terra import grid, refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

HIND, OBS, COMING = "seasonal/hindcast.nc", "seasonal/observed.nc", "seasonal/forecast.nc"
WINTERS = np.arange("1991-01", "2021-01", dtype="datetime64[M]")


@pytest.fixture(scope="module")
def work(small: Path) -> Path:
    """The workspace with a hindcast of the world, a warm pool of the Pacific and files that do not fit."""
    import xarray as xr

    top = small
    seasons.write_seasons(Folder(top, 7), np.random.default_rng(5))
    index = np.sin(np.arange(WINTERS.size) / 7.0)
    lat, lon = np.arange(-12.5, 13, 5), np.arange(122.5, 300, 5)
    pattern = np.where((np.abs(lat) < 6)[:, None] & ((lon > 190) & (lon < 240))[None], 1.5, 0.2)
    season = 2 * np.cos(2 * np.pi * (np.arange(WINTERS.size) % 12) / 12)
    sst = 300 + season[:, None, None] + index[:, None, None] * pattern
    data = xr.Dataset({"sst": (("time", "lat", "lon"), sst, {"units": "K"})},
                      {"time": WINTERS.astype("datetime64[ns]"), "lat": lat, "lon": lon})  # fmt: skip
    data["lat"].attrs, data["lon"].attrs = {"units": "degrees_north"}, {"units": "degrees_east"}
    data.to_netcdf(top / "sst.nc")
    data.assign_coords(lon=(lon + 180) % 360 - 180).sortby("lon").sortby("lat", ascending=False).to_netcdf(
        top / "sst_180.nc"
    )
    hindcast = xr.open_dataset(top / HIND)
    hindcast.isel(forecast_reference_time=slice(1, None)).to_netcdf(top / "years23.nc")
    hindcast.isel(forecast_reference_time=slice(0, 3)).to_netcdf(top / "first.nc")
    hindcast.isel(latitude=slice(1, None)).to_netcdf(top / "smaller.nc")
    xr.open_dataset(top / COMING).isel(number=0).to_netcdf(top / "alone.nc")
    june = hindcast["forecast_reference_time"] + np.timedelta64(31, "D")
    hindcast.assign_coords(forecast_reference_time=june).to_netcdf(top / "june.nc")
    grid(np.full((3, 4), 0.2), name="p_below", units="1").to_netcdf(top / "half.nc")
    (top / "note.txt").write_text("no data\n")
    return top


def values(work: Path, path: str, name: str) -> Any:
    import xarray as xr

    with xr.open_dataset(work / path) as data:
        return data[name].load()


async def test_the_planted_bias_is_removed_and_terciles_are_those_of_numpy(
    served: Client[Any], work: Path
) -> None:
    fitted = await run(served, "fit_bias_correction", hindcast_paths=[HIND], obs_paths=[OBS], variable="t2m")
    assert fitted["bias_map_path"] == "data/seasonal/bias_map.nc" and (
        fitted["years"],
        fitted["members"],
    ) == (24, 25)
    assert fitted["bias_raw"] == pytest.approx(seasons.BIAS_K.mean(), abs=5e-3)
    assert abs(fitted["bias_left_out"]) < 0.02 and fitted["crps_left_out"] < 0.6 * fitted["crps_raw"]
    shift = values(work, fitted["bias_map_path"], "t2m_bias_map")
    by_lead = shift.mean(["probability", "latitude", "longitude"])
    np.testing.assert_allclose(by_lead, -seasons.BIAS_K, atol=0.12)
    left_out = values(work, fitted["hindcast_left_out_path"], "t2m")
    assert left_out.dims == ("start", "lead", "member", "latitude", "longitude")

    done = await run(
        served,
        "apply_bias_correction",
        forecast_paths=[COMING],
        variable="t2m",
        bias_map_path=fitted["bias_map_path"],
    )
    [path] = done["files"]
    assert path == "data/seasonal/calibrated/forecast_calibrated.nc" and "warnings" not in [*done][:1]
    chances = await run(
        served, "category_probabilities", member_paths=[path], variable="t2m",
        terciles_path=fitted["hindcast_left_out_path"],
    )  # fmt: skip
    assert chances["terciles_of"] == "24 years and 25 members"
    coming = values(work, path, "t2m").values[0]
    low, high = np.quantile(
        left_out.transpose("start", "member", ...).values.reshape(600, 4, 4, 5), [1 / 3, 2 / 3], 0
    )
    for name, expected in (("p_below", coming < low[:, None]), ("p_above", coming > high[:, None])):
        found = values(work, chances["output_path"], name)
        np.testing.assert_allclose(found.squeeze().values, expected.mean(axis=1), atol=1e-6)
    assert chances["means"]["p_above"] > 0.6 and sum(chances["means"].values()) == pytest.approx(1)


async def test_probabilities_of_the_corrected_hindcast_are_reliable(served: Client[Any], work: Path) -> None:
    """Over all years a category is forecast as often as it happens: a third, within the error of sampling."""
    fitted = await run(
        served, "fit_bias_correction", hindcast_paths=[HIND], obs_paths=[OBS], variable="t2m", method="EQM",
        output_path="eqm/map.nc",
    )  # fmt: skip
    assert (fitted["bias_map_path"], fitted["hindcast_left_out_path"]) == (
        "eqm/map.nc",
        "eqm/hindcast_left_out.nc",
    )
    corrected = values(work, fitted["hindcast_left_out_path"], "t2m")
    observed = values(work, OBS, "t2m").values.reshape(24, 4, 4, 5)
    high = np.quantile(observed, 2 / 3, axis=0)
    members = corrected.transpose("start", "member", ...).values
    above = (members > high).mean(axis=1)
    happened = observed > high
    assert abs(above.mean() - happened.mean()) < 0.03
    # of what is called likely, most happens; of what is called unlikely, little
    assert happened[above > 0.6].mean() > 0.55 and happened[above < 0.1].mean() < 0.15
    raw = values(work, HIND, "t2m").transpose("forecast_reference_time", "number", ...).values
    assert (raw > high).mean() > 0.7  # as it came it would have been nearly always above


@pytest.mark.accept
async def test_a_season_of_leads_and_of_months_pair(served: Client[Any], work: Path) -> None:
    paths = {}
    for name, path in (("hindcast", HIND), ("observed", OBS), ("forecast", COMING)):
        done = await run(
            served, "aggregate_to_season", path=path, season_def="JJA", output_path=f"jja/{name}.nc"
        )
        paths[name] = done["output_path"]
        assert done["season"] == "JJA" and done["seasons"] == (1 if name == "forecast" else 24)
    weights = np.array([30, 31, 31]) / 92
    expected = np.einsum("yljk,l->yjk", values(work, OBS, "t2m").values.reshape(24, 4, 4, 5)[:, 1:], weights)
    found = values(work, paths["observed"], "t2m")
    np.testing.assert_allclose(found.values, expected, atol=1e-3)
    assert str(found.time.values[0])[:10] == "1997-07-01"
    fitted = await run(
        served, "fit_bias_correction", hindcast_paths=[paths["hindcast"]], obs_paths=[paths["observed"]],
        variable="t2m", method="mean", output_path="jja/map.nc",
    )  # fmt: skip
    assert fitted["bias_raw"] == pytest.approx(float(weights @ seasons.BIAS_K[1:]), abs=5e-3)
    wrong = await run(served, "aggregate_to_season", path=HIND, season_def="6", output_path="mjj/h.nc")
    assert wrong["season"] == "MJJ"
    code, said = await refused(
        served,
        "apply_bias_correction",
        forecast_paths=["mjj/h.nc"],
        variable="t2m",
        bias_map_path="jja/map.nc",
    )
    assert code == "bad_input" and "months 6" in said
    again = await run(
        served, "apply_bias_correction", forecast_paths=[paths["hindcast"]], variable="t2m",
        bias_map_path="jja/map.nc",
    )  # fmt: skip
    assert any("does not show skill" in each for each in again["warnings"])


@pytest.mark.accept
async def test_the_anomaly_from_the_models_climate_and_a_table_of_regions(
    served: Client[Any], work: Path
) -> None:
    anomaly = await run(
        served,
        "forecast_anomaly_from_model_climo",
        forecast_path=COMING,
        model_climo_mean_path=HIND,
        variable="t2m",
    )
    assert anomaly["mean"] == pytest.approx(seasons.COMING_K, abs=1e-3) and anomaly["dims"]["lead"] == 4
    each = await run(
        served, "forecast_anomaly_from_model_climo", forecast_path=COMING, model_climo_mean_path=HIND, variable="t2m",
        agg="members", output_path="members.nc",
    )  # fmt: skip
    assert each["dims"]["member"] == 25
    for name in (COMING, HIND):
        await run(
            served, "aggregate_to_season", path=name, season_def="JJA", output_path=f"t/{Path(name).name}"
        )
    asked = {"member_paths": ["t/forecast.nc"], "variable": "t2m", "terciles_path": "t/hindcast.nc"}
    await run(served, "category_probabilities", **asked, output_path="t/p.nc")
    box = await run(
        served, "region_mask", grid_path="t/p.nc", region=[51, 7, 47, 13], output_path="t/south.nc"
    )
    assert box["cells"] == 6 and box["of"] == 20
    table = await run(
        served, "seasonal_region_table", prob_path="t/p.nc", mask_paths=["t/south.nc"], regions=["Austria"],
        output_path="t/table.csv",
    )  # fmt: skip
    above = values(work, "t/p.nc", "p_above").squeeze()
    inside = above.sel(latitude=[50, 48], longitude=[8, 10, 12])
    rows = np.array([np.sin(np.radians(lat + 1)) - np.sin(np.radians(lat - 1)) for lat in (50, 48)])
    expected = (inside.values * rows[:, None]).sum() / (3 * rows.sum())
    assert table["table"][0]["p_above"] == pytest.approx(expected, rel=1e-5)
    with (work / "t/table.csv").open() as file:
        written = list(csv.DictReader(file))
    assert [row["region"] for row in written] == ["south", "Austria"]
    assert float(written[0]["p_above"]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.accept
async def test_models_are_blended_by_weights(served: Client[Any], work: Path) -> None:
    for number, path in enumerate((HIND, "smaller.nc")):
        await run(served, "aggregate_to_season", path=path, season_def="JJA", output_path=f"b/{number}.nc")
    asked = {"member_paths": ["b/0.nc"], "variable": "t2m"}
    await run(served, "category_probabilities", **asked, terciles_path="b/0.nc", output_path="b/p0.nc")
    await run(served, "aggregate_to_season", path=OBS, season_def="JJA", output_path="b/obs.nc")
    await run(served, "category_probabilities", **asked, terciles_path="b/obs.nc", output_path="b/p1.nc")
    done = await run(served, "blend_multi_model", prob_paths=["b/p0.nc", "b/p1.nc"], weights=[3, 1])
    expected = 0.75 * values(work, "b/p0.nc", "p_above") + 0.25 * values(work, "b/p1.nc", "p_above")
    np.testing.assert_allclose(values(work, done["output_path"], "p_above"), expected, atol=1e-6)
    assert done["weights"] == [0.75, 0.25]


@pytest.mark.parametrize("path", ["sst_180.nc", pytest.param("sst.nc", marks=pytest.mark.accept)])
async def test_the_planted_index_of_enso(served: Client[Any], work: Path, path: str) -> None:
    done = await run(served, "compute_enso_indices", sst_path=path, output_path="enso.csv")
    assert done["records"] == 360 and done["columns"][:3] == ["time", "nino34", "nino34_month"]
    with (work / done["output_path"]).open() as file:
        rows = list(csv.DictReader(file))
    index = np.sin(np.arange(360) / 7.0)
    without = index - index.reshape(30, 12).mean(axis=0)[np.arange(360) % 12]
    np.testing.assert_allclose([float(row["nino34_month"]) for row in rows], 1.5 * without, atol=2e-4)
    assert rows[0]["nino34"] == "" == rows[-1]["nino34"]
    smooth = np.convolve(1.5 * without, np.ones(3) / 3, "valid")
    np.testing.assert_allclose([float(row["nino34"]) for row in rows[1:-1]], smooth, atol=2e-4)


@pytest.mark.accept
async def test_files_are_made_alike(served: Client[Any], work: Path) -> None:
    done = await run(
        served, "standardize_seasonal_files", paths=["sst_180.nc", COMING], rename_map={}, unit_map={}
    )
    assert done["files"] == [f"data/seasonal/standardized/{name}.nc" for name in ("sst_180", "forecast")]
    made = values(work, done["files"][1], "t2m")
    assert made.dims == ("start", "lead", "member", "latitude", "longitude")
    done = await run(
        served,
        "standardize_seasonal_files",
        paths=["sst.nc"],
        rename_map={"sst": "warm"},
        unit_map={"warm": "degC"},
    )
    made = values(work, done["files"][0], "warm")
    assert made.attrs["units"] == "degC" and made.latitude.values[0] == 12.5
    np.testing.assert_allclose(made.values[:, ::-1], values(work, "sst.nc", "sst").values - 273.15, atol=1e-3)


FIT = {"hindcast_paths": [HIND], "obs_paths": [OBS], "variable": "t2m"}
MASK = {"grid_path": OBS, "region": [51, 7, 47, 13]}


@pytest.mark.accept
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "said"),
    [
        ("fit_bias_correction", {**FIT, "hindcast_paths": ["years23.nc"]}, "bad_input", "24 years"),
        ("fit_bias_correction", {**FIT, "hindcast_paths": []}, "bad_input", "No file"),
        ("fit_bias_correction", {**FIT, "obs_paths": ["smaller.nc"]}, "bad_input", "no members"),
        ("fit_bias_correction", {**FIT, "hindcast_paths": ["smaller.nc"]}, "bad_input", "do not pair"),
        ("fit_bias_correction", {**FIT, "hindcast_paths": ["june.nc"]}, "bad_input", "months observed"),
        ("fit_bias_correction", {**FIT, "hindcast_paths": ["note.txt"]}, "bad_input", "note.txt"),
        ("fit_bias_correction", {**FIT, "hindcast_paths": ["../x.nc"]}, "refused", "x.nc"),
        ("fit_bias_correction", {**FIT, "variable": "tp"}, "not_found", "tp"),
        ("fit_bias_correction", {**FIT, "method": "QM"}, "not_found", "QDM"),
        ("fit_bias_correction", {**FIT, "probs": [0.5, 0.1]}, "bad_input", "rising"),
        ("fit_bias_correction", {**FIT, "output_path": "map.csv"}, "bad_input", "*.nc"),
        ("fit_bias_correction", {**FIT, "output_path": "../map.nc"}, "refused", "workspace"),
        ("apply_bias_correction", {"forecast_paths": [COMING], "variable": "t2m", "bias_map_path": OBS}, "not_found",
         "correction"),
        ("category_probabilities", {"member_paths": ["alone.nc"], "variable": "t2m", "terciles_path": HIND},
         "bad_input", "ensemble of one"),
        ("category_probabilities", {"member_paths": [COMING], "variable": "t2m", "terciles_path": "first.nc"},
         "bad_input", "24 years"),
        ("category_probabilities", {"member_paths": [COMING], "variable": "t2m", "terciles_path": "sst.nc"},
         "not_found", "tercile_lower"),
        ("blend_multi_model", {"prob_paths": ["half.nc", "half.nc"]}, "not_found", "p_normal"),
        ("blend_multi_model", {"prob_paths": ["half.nc"]}, "bad_input", "two or more"),
        ("aggregate_to_season", {"path": HIND, "season_def": "DJF"}, "not_found", "three months"),
        ("aggregate_to_season", {"path": HIND, "season_def": "summer"}, "not_found", "JJA"),
        ("aggregate_to_season", {"path": HIND, "season_def": "JJA", "agg": "max"}, "not_found", "mean"),
        ("compute_enso_indices", {"sst_path": OBS, "smooth_months": 1}, "not_found", "tropical Pacific"),
        ("compute_enso_indices", {"sst_path": "sst.nc", "baseline_years": [1950, 1980]}, "not_found", "1991 to 2020"),
        ("compute_enso_indices", {"sst_path": "sst.nc", "smooth_months": 4}, "bad_input", "odd"),
        ("region_mask", {**MASK, "region": [47, 7, 51, 13]}, "bad_input", "another order"),
        ("compute_enso_indices", {"sst_path": "sst.nc", "smooth_months": True}, "bad_input", "no numbers"),
        ("compute_enso_indices", {"sst_path": "sst.nc", "baseline_years": [True, 2020]}, "bad_input", "no numbers"),
        ("region_mask", {**MASK, "region": [True, 7, 47, 13]}, "bad_input", "no numbers"),
        ("region_mask", {**MASK, "region": [51, 7, 47]}, "bad_input", "3 numbers"),
        ("region_mask", {**MASK, "region": [-10, 7, -20, 13]}, "not_found", "grid has 46"),
        ("seasonal_region_table", {"prob_path": "half.nc"}, "not_found", "p_normal"),
        ("standardize_seasonal_files", {"paths": [HIND, HIND]}, "bad_input", "one name"),
        ("standardize_seasonal_files", {"paths": [HIND], "unit_map": {"t2m": "mm"}}, "bad_input", "mm"),
        ("standardize_seasonal_files", {"paths": [HIND], "unit_map": {"tp": "mm"}}, "not_found", "tp"),
        ("forecast_anomaly_from_model_climo", {"forecast_path": COMING, "model_climo_mean_path": "june.nc",
                                               "variable": "t2m"}, "bad_input", "months 6"),
    ],
)  # fmt: skip
async def test_what_is_refused(
    served: Client[Any], work: Path, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found, text = await refused(served, tool, **arguments)
    assert (found, said in text) == (code, True), (found, text)
