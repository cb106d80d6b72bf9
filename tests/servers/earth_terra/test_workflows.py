"""Scripted agents that answer a question by twenty and more sub-tools over MCP: live, replayed, with a result changed.

What an agent answers is computed from its calls alone. In the replay there is no server, and every call must be one of
the record.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig_earth.world.cyclone import write_cyclone
from labrig_earth.world.seasons import COMING_K, write_seasons
from labrig_earth.world.writing import Folder
from support.scripted import Steps, told
from support.terra import make

pytestmark = [pytest.mark.accept, pytest.mark.asyncio]


async def season(step: Steps) -> tuple[str, dict[str, float]]:
    """Which tercile is the coming summer most likely in, once the model's bias is gone?"""
    await step("reset_equipped_tools", core=True, seasonal=True, ensemble_verify=True, visualization=True)
    names = [f"seasonal/{name}.nc" for name in ("hindcast", "forecast", "observed")]
    for name in names:
        await step("describe_netcdf_variables", netcdf_path=name)
    inside = await step("inspect_netcdf", netcdf_path=names[1])
    assert "t2m" in json.dumps(inside)
    alike = await step("standardize_seasonal_files", paths=names[:2], unit_map={"t2m": "K"})
    summers = []
    for name, path in zip(("hindcast", "forecast", "observed"), (*alike["files"], names[2]), strict=True):
        made = await step("aggregate_to_season", path=path, season_def="JJA", output_path=f"jja/{name}.nc")
        summers.append(made["output_path"])
    hindcast, forecast, observed = summers
    fitted = await step(
        "fit_bias_correction", hindcast_paths=[hindcast], obs_paths=[observed], variable="t2m", method="QDM"
    )
    applied = await step(
        "apply_bias_correction",
        forecast_paths=[forecast],
        bias_map_path=fitted["bias_map_path"],
        variable="t2m",
    )
    corrected = applied["files"][0]
    raw = await step(
        "category_probabilities", member_paths=[forecast], variable="t2m", terciles_path=observed,
        output_path="probs/raw.nc",
    )  # fmt: skip
    chances = await step(
        "category_probabilities", member_paths=[corrected], variable="t2m", terciles_path=observed,
        output_path="probs/corrected.nc",
    )  # fmt: skip
    blended = await step(
        "blend_multi_model", prob_paths=[raw["output_path"], chances["output_path"]], weights=[1, 3]
    )
    anomaly = await step(
        "forecast_anomaly_from_model_climo",
        forecast_path=forecast,
        model_climo_mean_path=hindcast,
        variable="t2m",
    )
    mask = await step("region_mask", grid_path=chances["output_path"], region=[50, 9, 47, 15])
    table = await step(
        "seasonal_region_table", prob_path=chances["output_path"], mask_paths=[mask["output_path"]],
        regions=["Austria"],
    )  # fmt: skip
    errors = []
    for path in (hindcast, fitted["hindcast_left_out_path"]):
        found = await step(
            "verify", forecast_path=path, truth_path=observed, variable="t2m", metrics=["bias", "crps"]
        )
        errors.append(found["metrics"])
    drawn = await step("plot_tercile_map", prob_path=chances["output_path"], category="above")
    await step("plot_anomaly_map", anomaly_path=anomaly["output_path"])
    shown = await step(
        "plot_region_map", netcdf_path=blended["output_path"], variable="p_above", region=[52, 8, 46, 16]
    )
    assert shown["colorbar_label"].startswith("probability of the tercile above")
    assert drawn["output_path"].endswith(".png") and table["rows"] == 2
    means = chances["means"]
    likely = max(("p_below", "p_normal", "p_above"), key=lambda name: means[name])
    return likely, {
        "chance": round(means[likely], 3),
        "chance_uncorrected": round(raw["means"]["p_above"], 3),
        "bias_K": round(errors[0]["bias"], 3),
        "bias_left_out_K": round(errors[1]["bias"], 3),
        "crps_K": round(errors[0]["crps"], 3),
        "crps_left_out_K": round(errors[1]["crps"], 3),
        "anomaly_K": round(anomaly["mean"], 3),
    }


THRESHOLD_K = 285.5


async def event(step: Steps) -> tuple[str, dict[str, float]]:
    """Is July likely to be above a threshold, by an ensemble that is too warm and too sure?"""
    await step("reset_equipped_tools", core=True, ensemble_verify=True, visualization=True)
    files = [f"m{number}.nc" for number in range(4)]
    for name in (*files, "truth.nc"):
        await step("describe_netcdf_variables", netcdf_path=name)
    grids = await step("harmonize_grid", model_files=files, variable="t2m", interp_method="linear")
    members = [each["path"] for each in grids["artifacts"]]
    lagged = await step(
        "lagged_ic_ensemble", member_files=members[:2], lagged_files=members[2:], variable="t2m"
    )
    together = [lagged["manifest_path"]]
    mean = await step("aggregate_ensemble", member_paths=together, variable="t2m")
    spread = await step("ensemble_spread", member_paths=together, variable="t2m", estimator="sample")
    climate = await step(
        "anomaly_and_climo", field_path=files[0], variable="t2m", climo_mean_path="climo.nc",
        climo_std_path="climo_std.nc",
    )  # fmt: skip
    sigma = climate["output_path"]
    narrow = await step("normalized_spread", spread_path=spread["output_path"], sigma_ref_path=sigma)
    about = {"member_paths": together, "variable": "t2m", "threshold": THRESHOLD_K}
    votes = await step("event_probability", **about, output_variable="votes")
    bell = await step(
        "event_probability", **about, mode="gaussian", mean_path=mean["output_path"], spread_path=spread["output_path"],
        output_variable="gaussian",
    )  # fmt: skip
    fitted = await step("emos_calibration", member_paths=together, variable="t2m", truth_path="truth.nc")
    made = await step(
        "emos_calibration", member_paths=together, variable="t2m", mode="apply", coeffs=fitted["coefficients"],
        output_path="calibrated.nc",
    )  # fmt: skip
    calibrated = await step(
        "event_probability", **about, mode="gaussian", mean_path=made["output_path"], mean_variable="mu_cal",
        spread_path=made["output_path"], spread_variable="sigma_cal", output_variable="calibrated",
    )  # fmt: skip
    sure = await step(
        "confidence_index",
        member_paths=together,
        variable="t2m",
        normalized_spread_path=narrow["output_path"],
    )
    scores = []
    for path, name in ((mean["output_path"], "ensemble_mean"), (made["output_path"], "mu_cal")):
        found = await step(
            "verify",
            forecast_path=path,
            truth_path="truth.nc",
            variable=name,
            truth_variable="t2m",
            metrics=["bias", "rmse"],
        )
        scores.append(found["metrics"])
    briers = []
    for each, name in ((votes, "votes"), (calibrated, "calibrated")):
        found = await step(
            "verify", forecast_path=each["output_path"], truth_path="truth.nc", variable=name, truth_variable="t2m",
            metrics=["brier"], threshold=THRESHOLD_K,
        )  # fmt: skip
        briers.append(found["metrics"]["brier"])
    await step("smooth_gaussian_field", field_path=calibrated["output_path"], variable="calibrated")
    await step(
        "plot_ensemble_mean_map", netcdf_path=mean["output_path"], variable="ensemble_mean",
        confidence_path=sure["output_path"], confidence_threshold=0.5,
    )  # fmt: skip
    await step("plot_spread_map", netcdf_path=spread["output_path"], variable="ensemble_spread")
    await step("plot_spaghetti_map", member_paths=members, variable="t2m", time_index=0)
    return ("warn" if calibrated["mean"] >= 0.4 else "do not warn"), {
        "votes": round(votes["mean"], 3),
        "gaussian": round(bell["mean"], 3),
        "calibrated": round(calibrated["mean"], 3),
        "bias_K": round(scores[0]["bias"], 3),
        "bias_calibrated_K": round(scores[1]["bias"], 3),
        "brier": round(briers[0], 4),
        "brier_calibrated": round(briers[1], 4),
    }


TOWNS = {"harbour": (15.0, -58.0, 40_000), "cape": (17.0, -62.5, 25_000), "far": (25.0, -50.0, 90_000)}


async def storm(step: Steps) -> tuple[int, dict[str, float]]:
    """How many people live within the reach of a cyclone's way, and how strong does it get?"""
    levels, surface = "reanalysis/levels.nc", "reanalysis/surface.nc"
    await step(
        "reset_equipped_tools",
        core=True,
        era5_obs=True,
        forecast_models=True,
        geo_osm=True,
        visualization=True,
    )
    for name in (levels, surface):
        await step("describe_netcdf_variables", netcdf_path=name)
        await step("inspect_netcdf", netcdf_path=name)
    winds = await step("winds_basic", netcdf_path=surface)
    await step("winds_basic", netcdf_path=levels, u="u", v="v", output_path="d/levels.nc")
    await step("humidity_basic", netcdf_path=surface, q=None, d2m="d2m")
    moist = await step("moisture_integrals", netcdf_path=levels, level_dim="pressure_level")
    turning = await step("kinematics", netcdf_path=levels, level=850)
    await step("vertical_shear", netcdf_path=levels, top=200, level_dim="pressure_level")
    days = await step("temporal_aggregate", netcdf_path=surface, spec={"msl": "1D:min"})
    deepest = await step("region_reduce", netcdf_path=surface, variable="msl", stats=["min"])
    ways = {}
    for mode in ("greedy", "hungarian"):
        found = await step(
            "run_tc_tracks_from_era5", surface_path=surface, pressure_path=levels, linking_mode=mode,
            csv_path=f"tracks/{mode}.csv", png_path=f"tracks/{mode}.png",
        )  # fmt: skip
        assert found["tracks"] == 1
        ways[mode] = found["storms"][0]
    (south, east), (north, west) = ways["hungarian"]["from"], ways["hungarian"]["to"]
    fine = await step(
        "regrid_to_target_grid", data=surface, variables=["msl"],
        target_grid={"latitudes": [north - 0.5, north, north + 0.5], "longitudes": [west - 0.5, west, west + 0.5]},
    )  # fmt: skip
    ends = [{"id": "first", "lat": south, "lon": east}, {"id": "last", "lat": north, "lon": west}]
    places = [{"id": name, "lat": lat, "lon": lon} for name, (lat, lon, _) in TOWNS.items()]
    near = await step("gis_distance_matrix", origins=places, destinations=ends)
    reach = 2.5
    ring = [
        [east, south - reach],
        [east + reach, south],
        [west, north + reach],
        [west - reach, north],
        [east, south - reach],
    ]
    zone = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    towns = [
        {
            "type": "Feature", "properties": {"name": name, "people": people},
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
        }
        for name, (lat, lon, people) in TOWNS.items()
    ]  # fmt: skip
    counted = await step("gis_feature_stats", features=towns, metrics=["count"])
    hit = await step("gis_overlay", targets=towns, zones=[zone], summary_metrics=["count"])
    await step("plot_region_map", netcdf_path=surface, variable="msl", time_index=-1, filename="msl.png")
    await step(
        "plot_region_map", netcdf_path=turning["output_path"], variable="vorticity", time_index=-1,
        filename="vorticity.png",
    )  # fmt: skip
    await step("read_netcdf_data", netcdf_path=days["output_path"], variable="msl_1D_min", sample_limit=5)
    exposed = [each["target"]["properties"] for each in hit["exposed_features"]]
    assert near and counted and fine["output_path"] and winds["output_path"] and moist["output_path"]
    return sum(each["people"] for each in exposed), {
        "towns": len(exposed),
        "lowest_hPa": round(ways["hungarian"]["min_msl_hPa"], 1),
        "points": ways["hungarian"]["points"],
        "same_way": float(ways["greedy"]["to"] == ways["hungarian"]["to"]),
        "lowest_of_fields_hPa": round(deepest["min"] / 100, 1),
    }


def toolsets(groups: str) -> str:
    """Return the toolsets of groups."""
    return ",".join(f"terra-{each}" for each in groups.split())


async def test_a_summer_is_told_by_its_tercile(tmp_path: Path) -> None:
    write_seasons(Folder(tmp_path / "work", 7), np.random.default_rng(7))

    def swap(payload: dict[str, Any]) -> None:
        means = payload["means"]
        means["p_above"], means["p_below"] = means["p_below"], means["p_above"]

    groups = "core seasonal ensemble_verify visualization"
    (likely, numbers), (other, _) = await told(
        tmp_path, season, toolsets(groups), {"category_probabilities": swap}
    )
    assert likely == "p_above" and other == "p_below"
    assert numbers["bias_K"] == pytest.approx(1.6, abs=0.02) and abs(numbers["bias_left_out_K"]) < 0.1
    assert numbers["crps_left_out_K"] < numbers["crps_K"]
    assert numbers["chance"] < numbers["chance_uncorrected"]
    assert numbers["anomaly_K"] == pytest.approx(COMING_K, abs=0.02)


async def test_a_warm_month_is_warned_of_by_a_calibrated_chance(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    make(tmp_path / "work")

    def more(payload: dict[str, Any]) -> None:
        payload["mean"] = 0.9

    groups = "core ensemble_verify visualization"
    (said, numbers), (other, _) = await told(tmp_path, event, toolsets(groups), {"event_probability": more})
    assert said == "do not warn" and other == "warn"
    assert numbers["votes"] > numbers["calibrated"] and numbers["brier_calibrated"] < numbers["brier"]
    assert numbers["bias_K"] == pytest.approx(2, abs=0.15) and abs(numbers["bias_calibrated_K"]) < 0.05


async def test_people_in_the_way_of_a_cyclone_are_counted(tmp_path: Path) -> None:
    made = Folder(tmp_path / "work", 7)
    write_cyclone(made, np.random.default_rng(7))
    track = made.truth["reanalysis/surface.nc"]["track_of_lowest_msl"]

    def fewer(payload: dict[str, Any]) -> None:
        payload["exposed_features"] = payload["exposed_features"][:1]

    groups = "core era5_obs forecast_models geo_osm visualization"
    (people, numbers), (other, _) = await told(tmp_path, storm, toolsets(groups), {"gis_overlay": fewer})
    assert people == 65_000 and other < people
    assert numbers["points"] == len(track) and numbers["same_way"] == 1
    assert numbers["lowest_hPa"] == pytest.approx(957, abs=3)
