"""Aurora over MCP: a tiny model of the package itself, rolled out as the package does; and what is refused before.

The model runs in the Python that LABRIG_TEST_AURORA_PYTHON names (``pip install microsoft-aurora``); its tests are
skipped without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
import xarray as xr
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.forecasting import pangu
from labrig_earth.server import toolbox
from support.made_weather import ANALYSES, SHAPE, analysis
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

TINY = {
    "window_size": [1, 2, 2], "encoder_depths": [1, 1], "encoder_num_heads": [1, 2], "decoder_depths": [1, 1],
    "decoder_num_heads": [2, 1], "latent_levels": 2, "patch_size": 2, "embed_dim": 8, "num_heads": 1,
    "use_lora": False,
}  # fmt: skip
ASKED = {
    "surface_path": "surface.nc",
    "pressure_path": "levels.nc",
    "static_path": "static.nc",
    "model_kwargs": TINY,
}
STEPS = 3
BY_ITSELF = """
import json, sys
from datetime import datetime
import aurora, numpy as np, torch
folder, tiny, steps = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
tiny = {name: tuple(each) if isinstance(each, list) else each for name, each in tiny.items()}
torch.manual_seed(4)
model = aurora.AuroraPretrained(**tiny).eval()
torch.save(model.state_dict(), folder + "/aurora-0.25-pretrained.ckpt")
burst = {name: value * 1e30 for name, value in model.state_dict().items()}
torch.save(burst, folder + "/burst.ckpt")
torch.save({"weight": torch.zeros(3)}, folder + "/other.ckpt")
given = np.load(folder + "/given.npz")
batch = aurora.Batch(
    surf_vars={name: torch.from_numpy(given["surface_" + name]) for name in ("2t", "10u", "10v", "msl")},
    static_vars={name: torch.from_numpy(given["static_" + name]) for name in ("lsm", "slt", "z")},
    atmos_vars={name: torch.from_numpy(given["upper_" + name]) for name in ("z", "u", "v", "t", "q")},
    metadata=aurora.Metadata(
        lat=torch.from_numpy(given["latitude"]), lon=torch.from_numpy(given["longitude"]),
        time=(datetime(2023, 1, 1, 6),), atmos_levels=tuple(int(each) for each in given["levels"]),
    ),
)
found = {}
with torch.inference_mode():
    for step, each in enumerate(aurora.rollout(model, batch, steps=steps)):
        for name, value in [*each.surf_vars.items(), *(("upper_" + n, v) for n, v in each.atmos_vars.items())]:
            found[f"{step}_{name}"] = value[0, 0].numpy()
np.savez(folder + "/found.npz", latitude=each.metadata.lat.numpy(), **found)
"""
THEIRS = {"msl": "msl", "u10": "10u", "v10": "10v", "t2m": "2t"}


def static() -> Any:
    random = np.random.default_rng(7)
    low, _ = analysis()
    dims = ("latitude", "longitude")
    made = {
        "lsm": (dims, random.uniform(0, 1, SHAPE), {"units": "(0 - 1)"}),
        "slt": (dims, random.integers(0, 8, SHAPE).astype("f4"), {"units": "~"}),
        "z": (dims, random.uniform(0, 30_000, SHAPE), {"units": "m2 s-2"}),
    }
    return xr.Dataset(made, {name: low[name] for name in dims})


def make(folder: Path) -> None:
    folder.mkdir()
    low, high = analysis()
    still = static()
    low.to_netcdf(folder / "surface.nc")
    high.to_netcdf(folder / "levels.nc")
    still.to_netcdf(folder / "static.nc")
    still.drop_vars("slt").to_netcdf(folder / "no_slt.nc")
    still.assign(lsm=still["lsm"] * 100).to_netcdf(folder / "percent.nc")
    still.assign(z=(still["z"] / 9.8).assign_attrs(units="m")).to_netcdf(folder / "height.nc")
    still.isel(latitude=slice(1, None)).to_netcdf(folder / "cut_static.nc")
    low.isel(time=[1]).to_netcdf(folder / "one_time.nc")
    low.drop_vars("msl").to_netcdf(folder / "no_msl.nc")
    low.isel(longitude=slice(1, None)).to_netcdf(folder / "odd.nc")
    high.isel(pressure_level=slice(1, None)).to_netcdf(folder / "few.nc")
    holes = low.copy(deep=True)
    holes["t2m"][0, 2, 2] = np.nan
    holes.to_netcdf(folder / "holes.nc")
    celsius = (low["t2m"] - 273.15).assign_attrs(units="K")
    low.assign(t2m=celsius).to_netcdf(folder / "wrong_unit.nc")


def given_to_the_package(folder: Path) -> None:
    """Write the analysis as the package's own documentation has it, without code of ours."""
    low, high = (data.assign_coords(longitude=data["longitude"] % 360) for data in analysis())
    low, high, still = (
        data.sortby("latitude", ascending=False).sortby("longitude")
        for data in (low, high, static().assign_coords(longitude=static()["longitude"] % 360))
    )
    levels = [1000, 925, 850, 700, 600, 500, 400, 300, 250, 200, 150, 100, 50]
    high = high.sel(pressure_level=levels)
    arrays = {
        **{f"surface_{theirs}": low[ours].values[None] for ours, theirs in THEIRS.items()},
        **{f"upper_{name}": high[name].values[None] for name in "zuvtq"},
        **{f"static_{name}": still[name].values for name in ("lsm", "slt", "z")},
        "latitude": low["latitude"].values,
        "longitude": low["longitude"].values,
    }
    np.savez(
        folder / "given.npz",
        levels=np.asarray(levels),
        **{key: each.astype("f4") for key, each in arrays.items()},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("aurora") / "work"
    make(made)
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bare(folder: Path) -> AsyncIterator[Client[Any]]:
    """A client of a server without Aurora."""
    async with Client(
        build(toolbox, ServeOptions(workspace=folder, toolsets=("terra-forecast_models",)))
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def python() -> str:
    named = os.environ.get("LABRIG_TEST_AURORA_PYTHON", "")
    if not named:
        pytest.skip("LABRIG_TEST_AURORA_PYTHON names no Python with microsoft-aurora")
    return named


@pytest.fixture(scope="module")
def by_itself(python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoint, and with what the package gives for it."""
    made = tmp_path_factory.mktemp("weights")
    given_to_the_package(made)
    command = [python, "-I", "-c", BY_ITSELF, str(made), json.dumps(TINY), str(STEPS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(folder: Path, python: str, by_itself: Path) -> AsyncIterator[Client[Any]]:
    (by_itself / "text.ckpt").write_text("no checkpoint\n")
    settings = {"aurora_python": python, "aurora_weights": str(by_itself)}
    options = ServeOptions(workspace=folder, toolsets=("terra-forecast_models",), settings=settings)
    async with Client(build(toolbox, options)) as opened:
        yield opened


@pytest.mark.accept
async def test_every_step_is_the_one_of_the_package(
    client: Client[Any], folder: Path, by_itself: Path
) -> None:
    made = await run(client, "run_aurora_forecast", **ASKED, rollout_steps=STEPS, device="cuda:0")
    assert (
        made["forecast_summary"]["lead_hours"] == [6, 12, 18] and made["class"] == "aurora.AuroraPretrained"
    )
    assert made["analysis_time"] == "2023-01-01T06:00:00" and made["engine"].startswith("microsoft-aurora ")
    content = (by_itself / "aurora-0.25-pretrained.ckpt").read_bytes()
    assert made["weights"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert any("south pole" in each for each in made["warnings"])
    assert any("cuda:0" in each for each in made["warnings"])
    expected = np.load(by_itself / "found.npz")
    with xr.open_dataset(folder / made["output_path"]) as found:
        assert found["t"].dims == ("time", "pressure_level", "latitude", "longitude")
        assert found["pressure_level"].values.tolist() == list(pangu.LEVELS)
        np.testing.assert_allclose(found["latitude"], expected["latitude"])
        assert found["time"].values[0] == ANALYSES[1] + np.timedelta64(6, "h")
        for step in range(STEPS):
            for ours, theirs in {**THEIRS, **{name: f"upper_{name}" for name in "zuvtq"}}.items():
                wanted = expected[f"{step}_{theirs}"]
                scale = float(np.abs(wanted).max())
                np.testing.assert_allclose(found[ours].isel(time=step), wanted, rtol=1e-5, atol=1e-6 * scale)
        assert float(found["t"].isel(time=0).std()) > 0
        changed = found["msl"].isel(time=1) - found["msl"].isel(time=0)
        assert float(np.abs(changed).max()) > 0


@pytest.mark.accept
async def test_later_sub_tools_take_a_forecast(client: Client[Any]) -> None:
    times = ["2023-01-01T00:00", "2023-01-01T06:00Z"]
    made = await run(
        client, "run_aurora_forecast", **ASKED, rollout_steps=2, selected_times=times, history_steps=2
    )
    grid = {"latitudes": [60, 30, 0], "longitudes": [10, 20, 30]}
    put = await run(
        client, "regrid_to_target_grid", data=made["output_path"], target_grid=grid, variables=["t2m", "msl"]
    )
    assert put["output_path"]
    tracks = await run(
        client, "run_tc_tracks_from_era5", surface_path=made["output_path"], pressure_path=made["output_path"]
    )
    assert tracks["method"]


@pytest.mark.accept
@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"static_path": "no_slt.nc"}, "not_found", "static field slt"),
        ({"static_path": "percent.nc"}, "bad_input", "lsm runs from"),
        ({"static_path": "height.nc"}, "bad_input", "geopotential, not height"),
        ({"static_path": "cut_static.nc"}, "bad_input", "regrid_to_target_grid"),
        ({"surface_path": "one_time.nc"}, "not_found", "6 h before"),
        ({"surface_path": "no_msl.nc"}, "not_found", "msl"),
        ({"surface_path": "odd.nc"}, "bad_input", "multiple of 2"),
        ({"surface_path": "holes.nc"}, "bad_input", "missing values"),
        ({"surface_path": "wrong_unit.nc"}, "bad_input", "t2m runs from"),
        ({"pressure_path": "few.nc"}, "not_found", "50 hPa"),
        ({"analysis_time": "2023-01-01T12:00"}, "not_found", "analysis_time"),
        (
            {"rollout_steps": 400, "model_kwargs": {**TINY, "embed_dim": 9, "num_heads": 2}},
            "bad_input",
            "configuration",
        ),
        ({"checkpoint_name": "gone.ckpt"}, "unavailable", "huggingface.co/microsoft/aurora"),
        ({"checkpoint_name": "text.ckpt"}, "bad_input", "damaged, or holds code"),
        ({"checkpoint_name": "other.ckpt"}, "bad_input", "no checkpoint"),
        ({"checkpoint_name": "burst.ckpt"}, "engine", "not finite"),
        ({"model_kwargs": {**TINY, "embed_dim": 16}}, "bad_input", "no checkpoint"),
    ],
)
async def test_what_is_refused_of_inputs_and_checkpoints(
    client: Client[Any], change: dict[str, Any], code: str, said: str
) -> None:
    found, text = await refused(client, "run_aurora_forecast", **{**ASKED, "rollout_steps": 1, **change})
    assert (found, said in text) == (code, True), (found, text)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"model_repo": "someone/else"}, "refused", "Nothing is downloaded"),
        ({"checkpoint_name": "../x.ckpt"}, "refused", "name of a file"),
        ({"model_kwargs": {"surf_vars": ["2t"]}}, "bad_input", "surf_vars"),
        ({"model_kwargs": {"embed_dim": True}}, "bad_input", "whole number"),
        ({"model_kwargs": {"window_size": [2, 6]}}, "bad_input", "[levels, latitudes, longitudes]"),
        ({"model_kwargs": {"embed_dim": 10**9}}, "bad_input", "1 to 4096"),
        ({"model_kwargs": {"lora_mode": []}}, "bad_input", "single"),
        ({"rollout_steps": 0}, "bad_input", "1 to 400"),
        ({"rollout_steps": True}, "bad_input", "no numbers"),
        ({"forecast_interval_hours": 12}, "bad_input", "the step of the model"),
        ({"history_steps": 3}, "bad_input", "6 h before"),
        ({"device": "tpu"}, "bad_input", "cpu"),
        ({"input_device": "tpu"}, "bad_input", "input_device"),
        ({"analysis_time": "soon"}, "bad_input", "ISO 8601"),
        ({"selected_times": ["2023-01-01T00:00"]}, "bad_input", "2 times 6 h apart"),
        ({"selected_times": ["2023-01-01T00:00", "2023-01-01T12:00"]}, "bad_input", "2 times 6 h apart"),
        (
            {"selected_times": ["2023-01-01T00:00", "2023-01-01T06:00"], "analysis_time": "2023-01-01T00:00"},
            "bad_input",
            "the same time",
        ),
        ({"output_dir": "../x"}, "refused", "output_dir"),
    ],
)
async def test_what_is_refused_of_arguments(
    bare: Client[Any], change: dict[str, Any], code: str, said: str
) -> None:
    found, text = await refused(bare, "run_aurora_forecast", **{**ASKED, **change})
    assert (found, said in text) == (code, True), (found, text)


async def test_without_settings_all_that_is_missing_is_named(bare: Client[Any]) -> None:
    code, text = await refused(bare, "run_aurora_forecast", **ASKED)
    assert code == "unavailable" and "MIT" in text
    assert "LABRIG_EARTH_AURORA_PYTHON=PATH and LABRIG_EARTH_AURORA_WEIGHTS=PATH" in text
    assert "huggingface.co/microsoft/aurora" in text and "pip install microsoft-aurora" in text


async def test_a_python_and_a_checkpoint_that_do_not_fit_are_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    weights = tmp_path / "aurora-0.25-finetuned.ckpt"
    weights.write_bytes(b"x")
    scripted = tmp_path / "python"
    scripted.write_text("#!/bin/sh\necho hello\n")
    scripted.chmod(0o755)

    async def said(python: str, checkpoint: Path, **change: Any) -> tuple[str, str]:
        monkeypatch.setenv("LABRIG_EARTH_AURORA_PYTHON", python)
        monkeypatch.setenv("LABRIG_EARTH_AURORA_WEIGHTS", str(checkpoint))
        options = ServeOptions(workspace=folder, toolsets=("terra-forecast_models",))
        async with Client(build(toolbox, options)) as opened:
            return await refused(opened, "run_aurora_forecast", **{**ASKED, **change})

    code, text = await said("", weights)
    assert code == "unavailable" and "earth.aurora_python not set" in text
    assert "LABRIG_EARTH_AURORA_WEIGHTS" not in text
    for python, reason in (
        (str(tmp_path / "gone"), "There is no Python"),
        ("python", "There is no Python"),
        (str(scripted), "does not answer as a Python"),
        (sys.executable, "has no microsoft-aurora"),
    ):
        code, text = await said(python, weights)
        assert code == "unavailable" and reason in text and "pip install microsoft-aurora" in text, text
    code, text = await said(sys.executable, tmp_path / "gone.ckpt")
    assert code == "unavailable" and "gone.ckpt cannot be read" in text
    code, text = await said(sys.executable, weights, checkpoint_name="another.ckpt")
    assert code == "not_found" and "aurora-0.25-finetuned.ckpt" in text
    weights.rename(tmp_path / "aurora-0.1-finetuned.ckpt")
    code, text = await said(sys.executable, tmp_path, checkpoint_name="aurora-0.1-finetuned.ckpt")
    assert code == "bad_input" and "0.25 degree" in text
    monkeypatch.setenv("LABRIG_EARTH_AURORA_SHA256", "0" * 64)
    code, text = await said(sys.executable, tmp_path, checkpoint_name="aurora-0.1-finetuned.ckpt")
    assert code == "refused" and hashlib.sha256(b"x").hexdigest() in text
