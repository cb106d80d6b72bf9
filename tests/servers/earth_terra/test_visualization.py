"""Group visualization over MCP: numbers of each picture against NumPy, what is drawn by its pixels, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client
from PIL import Image

from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

LAT, LON = np.arange(60.0, 34.0, -1.0), np.arange(-10.0, 31.0, 1.0)
EAST, NORTH = np.meshgrid(LON, LAT)


def members() -> Any:
    """Temperatures of six members, K, (member, latitude, longitude): fronts that lie apart."""
    shifts = np.arange(6)[:, None, None] - 2.5
    return 285 - 0.5 * (NORTH - 47 - 1.5 * shifts) + 3 * np.sin(np.radians(8 * (EAST + 4 * shifts)))


def above() -> Any:
    """A probability over the grid, 0 to 1, with a gap."""
    values = 0.5 + 0.45 * np.sin(np.radians(9 * EAST)) * np.cos(np.radians(7 * NORTH))
    values[:3, :3] = np.nan
    return values


def skill() -> Any:
    return 0.9 * np.cos(np.radians(4 * (NORTH - 47))) - 0.02 * np.abs(EAST - 10)


def _write(path: Path, units: str = "1", **fields: Any) -> None:
    import xarray as xr

    coords = {"latitude": LAT, "longitude": LON}
    data = xr.Dataset(
        {name: (("latitude", "longitude"), each, {"units": units}) for name, each in fields.items()}, coords
    )
    data["latitude"].attrs, data["longitude"].attrs = {"units": "degrees_north"}, {"units": "degrees_east"}
    data.to_netcdf(path)


@pytest.fixture(scope="session")
def maps(small: Path) -> Path:
    """The workspace with fields to draw in its folder ``maps``."""
    folder = small / "maps"
    folder.mkdir()
    for number, each in enumerate(members()):
        _write(folder / f"m{number}.nc", "K", t2m=each)
    _write(folder / "mean.nc", "K", ensemble_mean=members().mean(axis=0))
    _write(folder / "spread.nc", "K", ensemble_spread=members().std(axis=0))
    _write(folder / "confidence.nc", confidence=above())
    _write(folder / "tercile.nc", p_above=above(), p_below=1 - above())
    _write(folder / "anomaly.nc", "mm/day", tp_anomaly=3 * above() - 2)
    _write(folder / "skill.nc", acc=skill())
    _write(folder / "negative.nc", "K", ensemble_spread=-members().std(axis=0))
    return small


def picture(maps: Path, path: str) -> Any:
    """Return the pixels of a picture, (rows, columns, 3), which has the width of the house."""
    with Image.open(maps / path) as shown:
        assert shown.format == "PNG" and shown.width == 1280
        return np.asarray(shown.convert("RGB")).astype(int)


def near(pixels: Any, colour: str) -> int:
    """Return how many pixels have nearly a colour."""
    wanted = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)])
    return int((np.abs(pixels - wanted).max(axis=2) < 12).sum())


@pytest.mark.accept
async def test_a_region_is_cut_and_named_as_published(served: Client[Any], maps: Path) -> None:
    found = await run(
        served,
        "plot_region_map",
        netcdf_path="maps/m0.nc",
        region=[55, 0, 40, 20],
        filename="cut",
        title=None,
    )
    assert found["figure_path"] == "plots/cut.png" and found["region"] == [55, 0, 40, 20]
    picture(maps, found["figure_path"])
    first = members()[0][(LAT >= 40) & (LAT <= 55)][:, (LON >= 0) & (LON <= 20)]
    assert found["min"] == pytest.approx(first.min(), rel=1e-6) and found["units"] == "K"
    assert found["mean"] == pytest.approx(first.mean(), rel=1e-6)


@pytest.mark.accept
async def test_times_are_chosen_or_averaged(served: Client[Any], small: Path, maps: Path) -> None:
    from support.terra import members as dated

    forecast, _ = dated()
    one = await run(served, "plot_region_map", netcdf_path="m0.nc", time_index=4)
    assert one["max"] == pytest.approx(forecast[0][4].max(), rel=1e-6)
    assert one["time_descriptor"] == "1995-07-01"
    for how, expected in (("auto", forecast[0].mean(axis=0)), ("max", forecast[0].max(axis=0))):
        found = await run(served, "plot_region_map", netcdf_path="m0.nc", aggregate=how)
        assert found["max"] == pytest.approx(expected.max(), rel=1e-6)
        assert "30 times, 1991-07-01 to 2020-07-01" in found["time_descriptor"]
    whole = await run(served, "plot_region_map", netcdf_path="whole.nc", reduce_dims=["member"], time_index=0)
    assert whole["mean"] == pytest.approx(forecast[:, 0].mean(), rel=1e-6)


@pytest.mark.accept
async def test_a_mean_is_hatched_where_the_confidence_is_high(served: Client[Any], maps: Path) -> None:
    plain = await run(served, "plot_ensemble_mean_map", netcdf_path="maps/mean.nc", filename="plain.png")
    found = await run(
        served,
        "plot_ensemble_mean_map",
        netcdf_path="maps/mean.nc",
        confidence_path="maps/confidence.nc",
        filename="hatched.png",
    )
    high = above()
    share = (high[np.isfinite(high)] >= 0.7).mean()
    assert found["overlay"]["share"] == pytest.approx(share, rel=1e-6)
    assert found["vmin"] == pytest.approx(members().mean(axis=0).min(), rel=1e-6)
    dark = near(picture(maps, found["figure_path"]), "#222222")
    assert dark > near(picture(maps, plain["figure_path"]), "#222222") + 2000
    none = await run(
        served,
        "plot_ensemble_mean_map",
        netcdf_path="maps/mean.nc",
        confidence_path="maps/confidence.nc",
        confidence_threshold=2,
    )
    assert none["overlay"]["share"] == 0


@pytest.mark.accept
async def test_colours_have_0_in_their_middle_where_that_means_something(
    served: Client[Any], maps: Path
) -> None:
    anomaly = await run(served, "plot_anomaly_map", anomaly_path="maps/anomaly.nc")
    reach = np.nanmax(np.abs(3 * above() - 2))
    assert anomaly["output_path"] == "plots/anomaly_map.png" and anomaly["missing"] == 9
    assert (-anomaly["vmin"], anomaly["vmax"]) == pytest.approx((reach, reach), rel=1e-6)
    picture(maps, anomaly["output_path"])
    mean = await run(served, "plot_ensemble_mean_map", netcdf_path="maps/mean.nc", cmap="RdBu_r")
    assert mean["vmin"] > 260 and "one side" in str(mean["assumed"])
    replaced = await run(served, "plot_anomaly_map", anomaly_path="maps/anomaly.nc", cmap="jet")
    assert "jet is replaced" in str(replaced["assumed"])


@pytest.mark.accept
async def test_spread_and_confidence(served: Client[Any], maps: Path) -> None:
    spread = await run(served, "plot_spread_map", netcdf_path="maps/spread.nc")
    assert spread["vmin"] == 0 and spread["max"] == pytest.approx(members().std(axis=0).max(), rel=1e-6)
    assert spread["colorbar_label"].endswith("(K)")
    found = await run(served, "plot_confidence_map", netcdf_path="maps/confidence.nc")
    assert (found["vmin"], found["vmax"]) == (0, 1) and found["contours"]["levels"] == [0.4, 0.6, 0.8]
    assert found["mean"] == pytest.approx(np.nanmean(above()), rel=1e-6)
    picture(maps, found["figure_path"])


@pytest.mark.accept
async def test_each_member_has_its_contours(served: Client[Any], maps: Path) -> None:
    paths = [f"maps/m{number}.nc" for number in range(6)]
    asked = {"member_paths": paths, "variable": "t2m", "contour_levels": [280, 285, 295]}
    found = await run(served, "plot_spaghetti_map", **asked, member_labels=list("abcdef"))
    expected = [
        int(sum(each.min() < level <= each.max() for each in members())) for level in asked["contour_levels"]
    ]
    assert found["members_with_contour"] == expected and found["member_count"] == 6
    assert found["members"] == list("abcdef")
    pixels = picture(maps, found["figure_path"])
    for colour in ("#0072B2", "#D55E00"):  # the first two levels; a field that misses one draws no line of it
        assert near(pixels, colour) > 1500
    alone = await run(served, "plot_spaghetti_map", member_paths=paths, variable="t2m")
    low, high = members().min(), members().max()
    assert 1 <= len(alone["contour_levels"]) <= 4
    assert all(low < level < high for level in alone["contour_levels"])


@pytest.mark.accept
async def test_terciles_and_skill(served: Client[Any], maps: Path) -> None:
    found = await run(served, "plot_tercile_map", prob_path="maps/tercile.nc", category="below")
    below = 1 - above()[np.isfinite(above())]
    assert found["share_above_third"] == pytest.approx((below > 1 / 3).mean(), rel=1e-6)
    assert found["output_path"] == "plots/tercile_map.png" and found["max"] == pytest.approx(below.max())
    asked = {"skill_nc_path": "maps/skill.nc", "metric": "acc", "mask_threshold": 0.5}
    shown = await run(served, "plot_skill_map", **asked, output_path="skill/acc")
    assert shown["output_path"] == "skill/acc.png"
    assert shown["share_shown"] == pytest.approx((skill() >= 0.5).mean(), rel=1e-6) and shown["min"] >= 0.5
    whole = await run(served, "plot_skill_map", skill_nc_path="maps/skill.nc", output_path=None)
    assert whole["share_shown"] == 1 and whole["min"] == pytest.approx(skill().min(), rel=1e-6)


@pytest.mark.accept
@pytest.mark.parametrize(
    "tool, arguments, code, said",
    [
        ("plot_region_map", {"netcdf_path": "none.nc"}, "not_found", "no such file"),
        ("plot_region_map", {"netcdf_path": "note.txt"}, "bad_input", ""),
        ("plot_region_map", {"netcdf_path": "nothing.nc"}, "bad_input", "missing"),
        ("plot_region_map", {"netcdf_path": "m0.nc", "time_index": 30}, "not_found", "30 times"),
        ("plot_region_map", {"netcdf_path": "m0.nc", "aggregate": "first"}, "not_found", "mean"),
        ("plot_region_map", {"netcdf_path": "whole.nc"}, "bad_input", "reduce_dims=['member']"),
        ("plot_region_map", {"netcdf_path": "m0.nc", "region": [40, 0, 55, 20]}, "bad_input", "above north"),
        ("plot_region_map", {"netcdf_path": "m0.nc", "region": [5, 100, -5, 110]}, "not_found", ""),
        ("plot_region_map", {"netcdf_path": "m0.nc", "region": [5, 4]}, "bad_input", "2 numbers"),
        ("plot_region_map", {"netcdf_path": "m0.nc", "filename": "../../x"}, "refused", ""),
        ("plot_region_map", {"netcdf_path": "m0.nc", "output_dir": "/tmp"}, "refused", ""),
        ("plot_region_map", {"netcdf_path": "m0.nc", "cmap": "rainbows"}, "not_found", "viridis"),
        ("plot_spread_map", {"netcdf_path": "maps/negative.nc"}, "bad_input", "not negative"),
        ("plot_spread_map", {"netcdf_path": "m0.nc"}, "not_found", "ensemble_spread"),
        ("plot_confidence_map", {"netcdf_path": "m0.nc", "variable": "t2m"}, "bad_input", "0 to 1"),
        (
            "plot_ensemble_mean_map",
            {"netcdf_path": "maps/mean.nc", "confidence_path": "flat.nc", "confidence_variable": "t2m"},
            "bad_input",
            "",
        ),
        (
            "plot_ensemble_mean_map",
            {"netcdf_path": "maps/mean.nc", "confidence_path": "maps/confidence.nc", "hatch_pattern": "hi"},
            "bad_input",
            "pattern",
        ),
        ("plot_ensemble_mean_map", {"netcdf_path": "maps/mean.nc", "vmin": 5, "vmax": 4}, "bad_input", "5"),
        ("plot_spaghetti_map", {"member_paths": [], "variable": "t2m"}, "bad_input", "No member"),
        (
            "plot_spaghetti_map",
            {"member_paths": ["m0.nc"], "variable": "t2m", "member_labels": ["a", "b"]},
            "bad_input",
            "2 labels",
        ),
        (
            "plot_spaghetti_map",
            {"member_paths": ["m0.nc"], "variable": "t2m", "contour_levels": list(range(9))},
            "bad_input",
            "9 levels",
        ),
        ("plot_spaghetti_map", {"member_paths": ["flat.nc"], "variable": "t2m"}, "bad_input", "no contour"),
        (
            "plot_spaghetti_map",
            {"member_paths": ["m0.nc"], "variable": "t2m", "colors": ["mud"]},
            "bad_input",
            "mud",
        ),
        ("plot_tercile_map", {"prob_path": "maps/tercile.nc", "category": "normal"}, "not_found", "p_above"),
        ("plot_tercile_map", {"prob_path": "maps/tercile.nc", "category": "hot"}, "not_found", "above"),
        (
            "plot_skill_map",
            {"skill_nc_path": "maps/skill.nc", "mask_threshold": 5},
            "bad_input",
            "greatest",
        ),
    ],
)
async def test_what_cannot_be_drawn_is_refused(
    served: Client[Any], maps: Path, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found = await refused(served, tool, **arguments)
    assert found[0] == code and said in found[1], found
