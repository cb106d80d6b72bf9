"""The frame over MCP: group core, groups switched on, files after a restart, sizes of tools/list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.terra import members, refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_is_in_a_file(served: Client[Any]) -> None:
    forecast, _ = members()
    said = await run(served, "describe_netcdf_variables", netcdf_path="m0.nc")
    [one] = said["variables"]
    assert one["name"] == "t2m" and one["shape"] == [30, 3, 4] and one["attrs"] == {"units": "K"}
    assert one["coords"][1]["preview"] == [50.0, 49.0, 48.0]
    assert said["text_summary"] == "t2m: dtype=float64 dims[time=30, latitude=3, longitude=4] (units=K)"
    looked = await run(served, "inspect_netcdf", netcdf_path="m0.nc")
    about = looked["variables"]["t2m"]
    assert looked["dims"] == {"time": 30, "latitude": 3, "longitude": 4}
    for name in ("min", "max", "mean", "std"):
        assert about[name] == pytest.approx(getattr(forecast[0], name)(), rel=1e-8)


async def test_a_part_is_read_whichever_way_its_axes_run(served: Client[Any]) -> None:
    forecast, _ = members()
    expected = forecast[0][9:12, :2, 1:3]
    for latitudes in ([49, 50], [50, 49]):
        found = await run(
            served,
            "read_netcdf_data",
            netcdf_path="m0.nc",
            start_time="2000",
            end_time="2002",
            lat_range=latitudes,
            lon_range=[11, 12],
            sample_limit=4,
            years=None,
        )
        assert found["shape"] == [3, 2, 2]
        assert found["stats"]["mean"] == pytest.approx(expected.mean(), rel=1e-8)
        np.testing.assert_allclose(found["sample_values"], expected.ravel()[:4], rtol=1e-8)
    july = await run(
        served, "read_netcdf_data", netcdf_path="tmax.nc", months=[7], days=[1, 2], lat_indices=[0]
    )
    assert july["dims"] == {"time": 2, "latitude": 1, "longitude": 4}
    assert july["coords"]["time"]["start"] == "2021-07-01"


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        ({"netcdf_path": "none.nc"}, "not_found", "no such file"),
        ({"netcdf_path": "/etc/passwd"}, "refused", ""),
        ({"netcdf_path": "note.txt"}, "bad_input", ""),
        ({"netcdf_path": "m0.nc", "variable": "u10"}, "not_found", "u10"),
        ({"netcdf_path": "m0.nc", "years": [2050]}, "not_found", "within 1991"),
        ({"netcdf_path": "m0.nc", "time_indices": [30]}, "not_found", "30 steps"),
        ({"netcdf_path": "m0.nc", "lat_range": [10, 20]}, "not_found", "48"),
        ({"netcdf_path": "m0.nc", "lat_range": [10, 20, 30]}, "bad_input", "3 numbers"),
        ({"netcdf_path": "climo.nc", "years": [2000]}, "bad_input", "no time axis"),
    ],
)
async def test_parts_that_are_not_there(
    served: Client[Any], arguments: dict[str, Any], code: str, said: str
) -> None:
    found = await refused(served, "read_netcdf_data", **arguments)
    assert found[0] == code and said in found[1], found


@pytest.mark.accept
async def test_a_path_holds_after_a_restart(served: Client[Any], small: Path) -> None:
    made = await run(
        served,
        "aggregate_ensemble",
        member_paths=["m0.nc"],
        variable="t2m",
        output_path="kept/mean.nc",
    )
    async with Client(build(toolbox, ServeOptions(workspace=small, toolsets=("terra-core",)))) as again:
        found = await run(again, "inspect_netcdf", netcdf_path=made["output_path"])
        assert found["variables"]["ensemble_mean"]["mean"] == pytest.approx(made["mean"], rel=1e-6)
        assert [tool.name for tool in await again.list_tools()] == [
            "reset_equipped_tools",
            "describe_netcdf_variables",
            "inspect_netcdf",
            "read_netcdf_data",
        ]


async def test_groups_are_switched_on_where_that_is_set(served: Client[Any], small: Path) -> None:
    switched = await run(served, "reset_equipped_tools", core=True)
    assert switched["enforced"] is False and switched["active"] == ["core"]
    options = ServeOptions(workspace=small, toolsets=("terra",), settings={"activation": "on"})
    async with Client(build(toolbox, options)) as strict:
        asked = {"netcdf_path": "none.nc"}
        code, said = await refused(strict, "inspect_netcdf", **asked)
        assert code == "refused" and "reset_equipped_tools(core=true)" in said
        switched = await run(strict, "reset_equipped_tools", core=True)
        assert switched["enforced"] is True and "inspect_netcdf" in switched["tools"]["core"]
        assert (await refused(strict, "inspect_netcdf", **asked))[0] == "not_found"
        await run(strict, "reset_equipped_tools", ensemble_verify=True)
        assert (await refused(strict, "inspect_netcdf", **asked))[0] == "refused"


@pytest.mark.parametrize(
    "group, tools",
    [
        ("terra-core", 3),
        ("terra-ensemble_verify", 12),
        ("terra-visualization", 8),
        ("terra-geo_osm", 5),
        ("terra-seasonal", 12),
        ("terra-air_quality", 1),
        ("terra-era5_obs", 10),
    ],
)
async def test_a_group_is_small_in_tools_list(small: Path, group: str, tools: int) -> None:
    async with Client(build(toolbox, ServeOptions(workspace=small, toolsets=(group,)))) as opened:
        listed = await opened.list_tools()
    assert len(listed) == tools + 1 and not any(tool.output_schema for tool in listed)
    said = [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"}) for tool in listed
    ]
    sizes = {each["name"]: len(json.dumps(each, separators=(",", ":")).encode()) for each in said}
    assert sizes.pop("reset_equipped_tools") <= 1_200  # it names all groups, and belongs to none
    assert sum(sizes.values()) <= 12_000
