"""Group ensemble_verify over MCP: each number against NumPy or a closed form, files between calls, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client

from support.terra import YEARS, grid, members, refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOUR = ["m0.nc", "m1.nc", "m2.nc", "m3.nc"]
T2M = {"member_paths": FOUR, "variable": "t2m"}


def values(small: Path, path: str, name: str) -> Any:
    import xarray as xr

    with xr.open_dataset(small / path) as data:
        return data[name].load()


async def test_mean_and_spread_are_those_of_numpy(served: Client[Any], small: Path) -> None:
    forecast, _ = members()
    weights = np.array([1, 2, 3, 4]) / 10
    mean = await run(served, "aggregate_ensemble", **T2M, weights=[1, 2, 3, 4], output_path="out/mean.nc")
    assert mean["output_path"] == "out/mean.nc" and mean["weights"]["m3"] == 0.4
    expected = np.average(forecast, axis=0, weights=weights)
    np.testing.assert_allclose(values(small, "out/mean.nc", "ensemble_mean"), expected, atol=1e-4)
    for estimator, freedom in (("population", 0), ("sample", 1)):
        spread = await run(served, "ensemble_spread", **T2M, estimator=estimator, output_path=None)
        found = values(small, spread["output_path"], "ensemble_spread")
        np.testing.assert_allclose(found, forecast.std(axis=0, ddof=freedom), atol=1e-5)
        assert spread["units"] == "K"


async def test_a_member_in_degrees_and_a_file_of_members_are_the_same(
    served: Client[Any], small: Path
) -> None:
    forecast, _ = members()
    celsius = await run(
        served, "aggregate_ensemble", member_paths=[*FOUR[:3], "m3_celsius.nc"], variable="t2m"
    )
    np.testing.assert_allclose(
        values(small, celsius["output_path"], "ensemble_mean"), forecast.mean(axis=0), atol=1e-4
    )
    whole = await run(
        served, "aggregate_ensemble", member_paths=["whole.nc"], variable="2t", output_dir="whole"
    )
    assert whole["output_path"] == "whole/ensemble_mean.nc" and len(whole["weights"]) == 4
    assert whole["mean"] == pytest.approx(forecast.mean(), rel=1e-7)


async def test_anomaly_spread_and_confidence_one_after_the_other(served: Client[Any], small: Path) -> None:
    forecast, truth = members()
    anomaly = await run(
        served,
        "anomaly_and_climo",
        field_path="m0.nc",
        variable="t2m",
        climo_mean_path="climo.nc",
        climo_std_path="climo_std_celsius.nc",
    )
    found = values(small, anomaly["output_path"], "t2m_anomaly")
    np.testing.assert_allclose(found, forecast[0] - truth.mean(axis=0), atol=1e-4)
    spread = await run(served, "ensemble_spread", **T2M)
    ratio = await run(
        served, "normalized_spread", spread_path=spread["output_path"], sigma_ref_path=anomaly["output_path"]
    )
    expected = forecast.std(axis=0) / truth.std(axis=0)
    np.testing.assert_allclose(values(small, ratio["output_path"], "normalized_spread"), expected, rtol=1e-4)
    index = await run(
        served,
        "confidence_index",
        **T2M,
        normalized_spread_path=ratio["output_path"],
        climo_mean_path="climo.nc",
        climo_variable="t2m",
        skill_weight=0.8,
    )
    signs = np.sign(forecast - truth.mean(axis=0))
    halved = np.where(signs.max(axis=0) == signs.min(axis=0), 1, 0.5)
    np.testing.assert_allclose(
        values(small, index["output_path"], "confidence"), 0.8 * (1 - np.tanh(expected)) * halved, rtol=1e-4
    )


async def test_probabilities_by_votes_and_by_the_normal_distribution(
    served: Client[Any], small: Path
) -> None:
    from scipy.stats import norm

    forecast, _ = members()
    votes = await run(served, "event_probability", **T2M, threshold=286)
    np.testing.assert_allclose(
        values(small, votes["output_path"], "event_probability"), (forecast >= 286).mean(axis=0)
    )
    assert "warnings" not in votes
    mean = await run(served, "aggregate_ensemble", **T2M)
    spread = await run(served, "ensemble_spread", **T2M)
    paths = {"mean_path": mean["output_path"], "spread_path": spread["output_path"]}
    smooth = await run(served, "event_probability", **T2M, threshold=286, mode="gaussian", **paths)
    expected = norm.sf(286, forecast.mean(axis=0), forecast.std(axis=0))
    np.testing.assert_allclose(values(small, smooth["output_path"], "event_probability"), expected, atol=1e-3)
    celsius = await run(served, "event_probability", **T2M, threshold=13)
    assert celsius["min"] == 1 and "in their unit" in celsius["warnings"][-1]


async def test_a_missing_member_leaves_no_mean_and_no_probability(served: Client[Any], small: Path) -> None:
    these = {"member_paths": ["m1.nc", "holes.nc"], "variable": "t2m"}
    for tool, more in (
        ("aggregate_ensemble", {}),
        ("ensemble_spread", {}),
        ("event_probability", {"threshold": 285}),
    ):
        found = await run(served, tool, **these, **more)
        assert found["missing"] == YEARS.size
        kept = values(small, found["output_path"], found["variable"])
        assert np.isnan(kept[:, 1, 1]).all() and np.isfinite(kept[:, 0]).all()


async def test_one_grid_for_two_files_and_no_value_beyond_the_data(served: Client[Any], small: Path) -> None:
    made = await run(
        served,
        "harmonize_grid",
        model_files=["m0.nc", "globe.nc"],
        variable="t2m",
        target_grid_strategy="finest",
    )
    paths = {each["name"]: each["path"] for each in made["artifacts"]}
    assert made["grid"] == {
        "lat_count": 3,
        "lon_count": 4,
        "lon_convention": "-180:180",
        "strategy": "finest",
    }
    field = values(small, paths["globe"], "t2m")
    np.testing.assert_allclose(field, (280 + 0.1 * field.latitude).broadcast_like(field), atol=1e-4)
    wide = await run(
        served,
        "harmonize_grid",
        model_files=["m0.nc"],
        variable="t2m",
        target_latitudes=[49.5, 60],
        target_longitudes=[10.5, 11.5],
        output_dir="wide",
    )
    found = values(small, wide["artifacts"][0]["path"], "t2m").sortby("latitude")
    assert np.isnan(found.sel(latitude=60)).all() and "extrapolated" in wide["warnings"][-1]
    forecast, _ = members()
    np.testing.assert_allclose(
        found.sel(latitude=49.5, longitude=10.5), forecast[0][:, :2, :2].mean(axis=(1, 2)), atol=1e-3
    )


async def test_a_smoothed_field_is_scipys(served: Client[Any], small: Path) -> None:
    from scipy.ndimage import gaussian_filter

    forecast, _ = members()
    made = await run(served, "smooth_gaussian_field", field_path="m2.nc", sigma_pixels=0.8)
    assert made["output_path"].endswith("m2_t2m_gauss.nc")
    expected = [gaussian_filter(each, 0.8, mode="nearest", truncate=3.0) for each in forecast[2]]
    np.testing.assert_allclose(values(small, made["output_path"], "t2m"), expected, atol=1e-4)


async def test_calibration_removes_the_bias_and_is_checked_on_years_left_out(
    served: Client[Any], small: Path
) -> None:
    forecast, truth = members()
    fitted = await run(served, "emos_calibration", **T2M, truth_path="truth.nc")
    assert fitted["years"] == 30 and fitted["pairs"] == truth.size
    apart = np.abs(forecast[:, None] - forecast[None]).mean(axis=(0, 1)) * 16 / 12 / 2
    raw = (np.abs(forecast - truth).mean(axis=0) - apart).mean()
    assert fitted["crps_raw_fair"] == pytest.approx(raw, rel=1e-6)
    # the truth varies by 1 K about a signal that the mean of four members misses by 0.2 K
    assert (
        fitted["crps_left_out"] == pytest.approx(np.sqrt(1.04 / np.pi), rel=0.1)
        and fitted["crps_left_out"] < raw / 2
    )
    applied = await run(
        served,
        "emos_calibration",
        **T2M,
        mode="apply",
        coeffs=fitted["coefficients"],
        output_path="out/emos.nc",
    )
    mean, sigma = (values(small, applied["output_path"], name) for name in ("mu_cal", "sigma_cal"))
    assert float((mean - truth).mean()) == pytest.approx(0, abs=0.05)
    assert float(((truth - mean) / sigma).std()) == pytest.approx(1, abs=0.1)
    code, said = await refused(served, "emos_calibration", **T2M, mode="apply", coeffs={"a": 1})
    assert code == "bad_input" and "b4" in said
    few = {"member_paths": ["one_year.nc", "one_year.nc"], "variable": "t2m", "truth_path": "truth.nc"}
    code, said = await refused(served, "emos_calibration", **few)
    assert code == "bad_input" and "24 years" in said


async def test_the_days_of_a_planted_heat_wave_and_no_others(served: Client[Any], small: Path) -> None:
    made = await run(
        served, "ehf_heatwave", tmax_path="tmax.nc", tmin_path="tmin.nc", baseline_paths={"tmean95": "p95.nc"}
    )
    ehf = values(small, made["ehf_path"], "ehf")
    daily = (values(small, "tmax.nc", "t2m") + values(small, "tmin.nc", "t2m")).values / 2
    day = 48
    three, before = daily[day - 2 : day + 1].mean(axis=0), daily[day - 32 : day - 2].mean(axis=0)
    np.testing.assert_allclose(ehf[day], (three - 294.5) * np.maximum(1, three - before), rtol=1e-4)
    hot = values(small, made["heatwave_mask_path"], "heatwave_mask")
    expected = [46, 47, 48, 49, 50, 51, 52]  # from two of three hot days on to the last such day
    assert np.flatnonzero(hot.max(("latitude", "longitude")) == 1).tolist() == expected
    assert made["heatwave_cell_days"] == 12 * len(expected) and "warnings" not in made
    published = {"tmax95": "p95.nc", "tmean_clim": "flat.nc"}
    code, said = await refused(
        served, "ehf_heatwave", tmax_path="tmin.nc", tmin_path="tmax.nc", baseline_paths=published
    )
    assert code == "bad_input" and "exchanged" in said
    code, said = await refused(
        served, "ehf_heatwave", tmax_path="m0.nc", tmin_path="m0.nc", baseline_paths=published
    )
    assert code == "bad_input" and "Daily values" in said


async def test_lagged_runs_join_over_common_times_and_the_manifest_is_a_member(
    served: Client[Any], small: Path
) -> None:
    forecast, _ = members()
    joined = await run(
        served,
        "lagged_ic_ensemble",
        member_files=["m0.nc", "m1.nc"],
        lagged_files=["later.nc"],
        variable="t2m",
    )
    assert joined["member_count"] == 3 and joined["common_times"]["count"] == 27
    for path in (joined["manifest_path"], joined["ensemble_path"]):
        mean = await run(served, "aggregate_ensemble", member_paths=[path], variable="t2m")
        expected = (2 * forecast[0] + forecast[1])[3:] / 3
        np.testing.assert_allclose(values(small, mean["output_path"], "ensemble_mean"), expected, atol=1e-4)


async def test_scores_are_those_of_numpy(served: Client[Any]) -> None:
    forecast, truth = members()
    found = await run(served, "verify", forecast_path="m0.nc", truth_path="truth.nc", variable="t2m")
    error = forecast[0] - truth
    metrics = found["metrics"]
    assert metrics["rmse"] == pytest.approx(np.sqrt((error**2).mean()), rel=1e-8)
    assert metrics["mae"] == pytest.approx(np.abs(error).mean(), rel=1e-8)
    assert metrics["bias"] == pytest.approx(error.mean(), rel=1e-8)
    assert metrics["acc"] == pytest.approx(np.corrcoef(forecast[0].ravel(), truth.ravel())[0, 1], rel=1e-8)
    assert found["pairs"] == truth.size and "climatology_path" in found["details"]["acc"]
    usual = truth.mean(axis=0)
    held = await run(
        served,
        "verify",
        forecast_path="whole.nc",
        truth_path="truth.nc",
        variable="t2m",
        metrics=["acc", "crps", "brier", "reliability", "rank_histogram", "spread_skill"],
        climatology_path="climo.nc",
        threshold=285,
    )
    by_numpy = np.corrcoef((forecast.mean(axis=0) - usual).ravel(), (truth - usual).ravel())[0, 1]
    assert held["metrics"]["acc"] == pytest.approx(by_numpy, rel=1e-8)
    apart = np.abs(forecast[:, None] - forecast[None]).sum(axis=(0, 1))
    absolute = np.abs(forecast - truth).mean(axis=0)
    assert held["metrics"]["crps"] == pytest.approx((absolute - apart / 24).mean(), rel=1e-8)
    chance, came = (forecast >= 285).mean(axis=0), truth >= 285
    assert held["metrics"]["brier"] == pytest.approx(((chance - came) ** 2).mean(), rel=1e-8)
    assert sum(each["share"] for each in held["details"]["reliability"]) == pytest.approx(1)
    assert sum(held["details"]["rank_histogram"]) == truth.size
    assert held["details"]["rank_histogram"][0] == (truth < forecast.min(axis=0)).sum()
    ecdf = await run(
        served,
        "verify",
        forecast_path="whole.nc",
        truth_path="truth.nc",
        variable="t2m",
        metrics=["crps"],
        crps_variant="ecdf",
        area_weighted=True,
    )
    weights = np.cos(np.radians([50.0, 49, 48]))[:, None] * np.ones(4)
    by_hand = np.average((absolute - apart / 32).mean(axis=0), weights=weights)
    assert ecdf["metrics"]["crps"] == pytest.approx(by_hand, rel=1e-6)


async def test_some_common_times_are_paired_and_counted(served: Client[Any]) -> None:
    found = await run(served, "verify", forecast_path="later.nc", truth_path="truth.nc", variable="t2m")
    assert found["pairs"] == 27 * 12 and "27 times are common" in found["warnings"][-1]


async def test_a_mask_has_a_unit_of_its_own(served: Client[Any], small: Path) -> None:
    """`region_mask` says that its shares have the unit 1, which no temperature has."""
    forecast, truth = members()
    north = np.zeros((3, 4))
    north[0] = 1.0
    grid(north, name="mask", units="1").to_netcdf(small / "north_mask.nc")
    held = {**PAIR, "mask_path": "north_mask.nc", "metrics": ["bias"]}
    found = await run(served, "verify", **held)
    assert found["metrics"]["bias"] == pytest.approx((forecast[0] - truth)[:, 0].mean(), rel=1e-8)


PAIR = {"forecast_path": "m0.nc", "truth_path": "truth.nc", "variable": "t2m"}
BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("aggregate_ensemble", {**T2M, "member_paths": ["none.nc"]}, "not_found", "no such file"),
    ("aggregate_ensemble", {**T2M, "member_paths": []}, "bad_input", "No member"),
    ("aggregate_ensemble", {**T2M, "member_paths": ["note.txt"]}, "bad_input", ""),
    ("aggregate_ensemble", {**T2M, "member_paths": ["../m0.nc"]}, "refused", ""),
    ("aggregate_ensemble", {**T2M, "member_paths": ["/etc/passwd"]}, "refused", ""),
    ("aggregate_ensemble", {**T2M, "output_path": "../out.nc"}, "refused", "in the workspace"),
    ("aggregate_ensemble", {**T2M, "output_dir": "/tmp/x"}, "refused", "in the workspace"),
    ("smooth_gaussian_field", {"field_path": "m0.nc", "output_path": "/tmp/x.nc"}, "refused", "output_path"),
    (
        "normalized_spread",
        {"spread_path": "m0.nc", "sigma_ref_path": "m0.nc", "epsilon": -1},
        "bad_input",
        "epsilon",
    ),
    ("aggregate_ensemble", {**T2M, "variable": "wind"}, "not_found", "wind"),
    ("aggregate_ensemble", {**T2M, "output_variable": "a/b"}, "bad_input", "name of a variable"),
    ("aggregate_ensemble", {**T2M, "weights": [1, 2]}, "bad_input", "4 members"),
    ("aggregate_ensemble", {**T2M, "weights": [0, 0, 0, 0]}, "bad_input", "above zero"),
    ("aggregate_ensemble", {**T2M, "member_paths": ["m0.nc", "later.nc"]}, "bad_input", "pair along time"),
    ("aggregate_ensemble", {**T2M, "member_paths": ["m0.nc", "climo.nc"]}, "bad_input", "axes"),
    ("aggregate_ensemble", {**T2M, "member_paths": ["m0.nc", "nothing.nc"]}, "bad_input", "missing"),
    (
        "aggregate_ensemble",
        {**T2M, "member_paths": ["m0.nc", "rain.nc"], "variable_map": {"rain.nc": "tp"}},
        "bad_input",
        "",
    ),
    ("ensemble_spread", {**T2M, "member_paths": ["m0.nc"]}, "bad_input", "ensemble of one"),
    ("ensemble_spread", {**T2M, "weights": [1, 0, 0, 0]}, "bad_input", "ensemble of one"),
    (
        "normalized_spread",
        {"spread_path": "m0.nc", "sigma_ref_path": "flat.nc"},
        "not_found",
        "ensemble_spread",
    ),
    (
        "normalized_spread",
        {
            "spread_path": "climo_std.nc",
            "sigma_ref_path": "flat.nc",
            "spread_variable": "t2m",
            "sigma_variable": "t2m",
        },
        "bad_input",
        "zero or missing",
    ),
    ("event_probability", {**T2M, "threshold": 285, "mode": "gaussian"}, "bad_input", "mean_path"),
    ("event_probability", {**T2M, "threshold": 285, "mode": "guess"}, "not_found", "guess"),
    ("harmonize_grid", {"model_files": FOUR, "variable": "t2m", "names": ["a"]}, "bad_input", "4 files"),
    (
        "harmonize_grid",
        {"model_files": ["climo.nc"], "variable": "t2m", "accumulation": "sum"},
        "bad_input",
        "time",
    ),
    (
        "anomaly_and_climo",
        {"field_path": "m0.nc", "variable": "t2m", "climo_mean_path": "globe.nc"},
        "bad_input",
        "harmonize_grid",
    ),
    ("smooth_gaussian_field", {"field_path": "m0.nc", "sigma_pixels": -1}, "bad_input", "sigma_pixels"),
    ("smooth_gaussian_field", {"field_path": "m0.nc", "mode": "soft"}, "not_found", "soft"),
    ("confidence_index", T2M, "bad_input", "normalized_spread_path"),
    (
        "lagged_ic_ensemble",
        {"member_files": FOUR, "lagged_files": [], "variable": "t2m"},
        "bad_input",
        "No file",
    ),
    (
        "ehf_heatwave",
        {"tmax_path": "tmax.nc", "tmin_path": "tmin.nc", "baseline_paths": {"p": "p95.nc"}},
        "not_found",
        "",
    ),
    (
        "ehf_heatwave",
        {"tmax_path": "tmax.nc", "tmin_path": "tmin.nc", "baseline_paths": {}},
        "bad_input",
        "95th",
    ),
    ("emos_calibration", {**T2M, "member_paths": ["m0.nc"], "truth_path": "truth.nc"}, "bad_input", "of one"),
    ("emos_calibration", T2M, "bad_input", "truth_path"),
    ("verify", {**PAIR, "metrics": ["skill"]}, "not_found", "skill"),
    ("verify", {**PAIR, "metrics": ["crps"]}, "bad_input", "members"),
    ("verify", {**PAIR, "metrics": ["brier"]}, "bad_input", "threshold"),
    ("verify", {**PAIR, "metrics": ["brier"], "threshold": 285}, "bad_input", "Probabilities"),
    ("verify", {**PAIR, "truth_path": "tmax.nc"}, "bad_input", "no common time"),
    ("verify", {**PAIR, "truth_path": "rain.nc", "truth_variable": "tp"}, "bad_input", ""),
    ("verify", {**PAIR, "mask_path": "flat.nc"}, "bad_input", "mask"),
    ("verify", {**PAIR, "truth_path": "flat.nc"}, "bad_input", "vary"),
]


@pytest.mark.parametrize("tool, arguments, code, said", BAD)
async def test_calls_that_are_refused(
    served: Client[Any], tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found = await refused(served, tool, **arguments)
    assert found[0] == code and said in found[1], found
