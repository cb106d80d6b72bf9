"""GRIB that ecCodes itself wrote, read over MCP; messages that make one variable, and those that do not."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.config import home
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.sideenv import check_installed
from labrig.toolbox import ServeOptions
from labrig_earth.data.formats import format_of, is_grib
from labrig_earth.grib.setup import GRIB_ENV
from labrig_earth.server import toolbox

pytestmark = pytest.mark.asyncio(loop_scope="session")

WRITES = """
import sys
import eccodes, numpy as np
def write(name, messages):
    with open(sys.argv[1] + "/" + name, "wb") as file:
        for sample, keys, add in messages:
            message = eccodes.codes_grib_new_from_samples(sample)
            for key, value in keys:
                eccodes.codes_set(message, key, value)
            count = eccodes.codes_get(message, "numberOfDataPoints")
            eccodes.codes_set_values(message, 280.0 + add + np.arange(count) % 7)
            eccodes.codes_write(message, file)
def air(hour, level=500, step=0, day=1, add=0.0):
    keys = [
        ("shortName", "t"), ("typeOfLevel", "isobaricInhPa"), ("level", level), ("dataDate", 20240100 + day),
        ("dataTime", 0 if step else 100 * hour), ("step", step),
    ]
    return "regular_ll_pl_grib2", keys, add
both = [air(hour, level, add=hour + level / 1000) for hour in (0, 6, 12) for level in (500, 850)]
write("air.grib2", both)
write("runs.grib2", [air(0, step=step, day=day, add=10.0 * day + step) for day in (1, 2) for step in (24, 48)])
two = [("shortName", "2t"), ("typeOfLevel", "heightAboveGround"), ("level", 2), ("dataDate", 20240101)]
write("mixed.grib", [both[0], ("regular_ll_sfc_grib1", two[:1] + two[3:], 0.0)])
write("sphere.grib", [("sh_ml_grib2", [("dataDate", 20240101)], 0.0)])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        check_installed(GRIB_ENV)
    except LabrigError:
        pytest.skip("labrig setup grib has not been run")
    made = tmp_path_factory.mktemp("grib")
    python = GRIB_ENV.path / "bin" / "python"
    subprocess.run([str(python), "-c", WRITES, str(made)], check=True, capture_output=True)
    whole = (made / "air.grib2").read_bytes()
    (made / "cut.grib2").write_bytes(whole[: len(whole) - 100])
    (made / "empty.grib2").write_bytes(b"GRIB\0\0\0\2" + bytes(200))
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client[Any]]:
    options = ServeOptions(workspace=tmp_path_factory.mktemp("work"), roots=(folder,))
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def ask(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    return dict(result.structured_content or {"error": result.content[0].text})


@pytest.mark.accept
async def test_messages_are_variables_on_the_axes_that_they_differ_in(
    client: Client[Any], folder: Path
) -> None:
    root = f"@{folder.name}"
    air = (await ask(client, "describe_data", data=f"{root}/air.grib2"))["data"]
    assert air["dimensions"]["time"] == 3 and air["dimensions"]["isobaricInhPa"] == 2
    assert (air["time"]["first"], air["time"]["last"], air["time"]["step"]) == (
        "2024-01-01",
        "2024-01-01T12:00",
        "6 h",
    )
    assert air["variables"]["t"]["unit"] == "K"
    largest = await ask(
        client,
        "aggregate_grid",
        data=f"{root}/air.grib2",
        statistic="max",
        over="space",
        select={"level": 850, "start": "2024-01-01T12"},
    )
    assert largest["values"][0]["value"] == pytest.approx(280 + 12 + 0.85 + 6, abs=0.01)
    runs = (await ask(client, "describe_data", data=f"{root}/runs.grib2"))["data"]
    assert runs["dimensions"]["time"] == 2 and runs["dimensions"]["step"] == 2
    mixed = await ask(client, "describe_data", data=f"{root}/mixed.grib")
    assert {"t", "t2m"} <= set(mixed["data"]["variables"])


@pytest.mark.accept
async def test_what_cannot_be_read_is_named(client: Client[Any], folder: Path) -> None:
    root = f"@{folder.name}"
    cut = await ask(client, "describe_data", data=f"{root}/cut.grib2")
    assert cut["status"] == "ok_with_warnings" and "cut.grib2" in cut["warnings"][0]
    assert "spherical harmonics" in (await ask(client, "describe_data", data=f"{root}/sphere.grib"))["error"]
    assert "no GRIB message" in (await ask(client, "describe_data", data=f"{root}/empty.grib2"))["error"]


async def test_without_its_reader_the_line_that_brings_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.grib2").write_bytes(b"GRIB\0\0\0\2" + bytes(20))
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    assert home() == tmp_path / "home"
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as opened:
        found = await ask(opened, "describe_data", data="a.grib2")
    assert "labrig setup grib" in found["error"]


@pytest.mark.accept
def test_grib_and_hdf4_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    assert is_grib(b"GRIB\0\0\0\1") and is_grib(b"\1\r\r\n012\r\r\nHTXA85 EGRR 081200\r\r\nGRIB\0\0\0\2")
    assert not is_grib(b"name,GRIB code\n1,2") and not is_grib(b"")
    (tmp_path / "a.hdf").write_bytes(b"\x0e\x03\x13\x01" + bytes(100))
    with pytest.raises(LabrigError, match="HDF4 is not read"):
        format_of(tmp_path / "a.hdf")
