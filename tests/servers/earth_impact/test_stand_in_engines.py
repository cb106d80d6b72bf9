"""Engines that misbehave: in place of SUMO's programs and of EnergyPlus's library stand others that do harm.

They are put into side environments of the test's own, which `labrig.sideenv` takes for installed ones; all else is the
server as it is.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.isolation import closing
from labrig.serving.builder import build
from labrig.sideenv import PythonEnv, own_python, placing
from labrig.toolbox import ServeOptions
from labrig_earth.impact import runs
from labrig_earth.impact.buildings.setup import ENERGYPLUS_ENV
from labrig_earth.impact.traffic.setup import SUMO_ENV
from labrig_earth.server import toolbox
from support import scenarios

pytestmark = [pytest.mark.accept, pytest.mark.asyncio]

FILE_BYTES, FOLDER_BYTES, MOST_BYTES = 16 << 20, 48 << 20, 2 << 30
MARK = "labrig-stand-in"
"""In the command lines of what a program starts, by which the test finds them."""

PROGRAM = f"""#!{os.path.realpath(sys.executable)}
import os, sys, time
act = open(__file__ + ".act").read()
if act == "print":
    while True:
        os.write(1, b"Warning: there is no end\\n" * 4000)
if act == "deaf":  # to the signal that the limit of a file sends
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    while True:
        try:
            os.write(1, b"x" * 100000)
        except OSError:
            time.sleep(0.01)
if act in ("fork", "leave"):
    for number in range(20):
        if os.fork() == 0:
            if act == "leave":
                os.setsid()
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "{MARK}"])
    if act == "fork":
        time.sleep(600)
    sys.exit(3)
if act == "fill":
    with open(os.path.join(os.environ["TMPDIR"], "large"), "wb") as file:
        while True:
            file.write(bytes(1 << 20))
if act == "files":
    number = 0
    while True:
        number += 1
        with open(os.path.join(os.environ["TMPDIR"], str(number)), "wb") as file:
            file.write(bytes(1 << 20))
"""

LIBRARY = """
import os, time
ACT = open(os.path.join(os.path.dirname(__file__), "act")).read()

class Runtime:
    def set_console_output_status(self, state, on):
        pass

    def run_energyplus(self, state, arguments):
        if ACT == "print":
            while True:
                os.write(1, b"there is no end\\n" * 4000)
        if ACT == "fork":
            while True:
                os.fork()
        folder = arguments[arguments.index("-d") + 1]
        if ACT == "fill":
            with open(os.path.join(folder, "eplusout.eso"), "wb") as file:
                while True:
                    file.write(bytes(1 << 20))
        if ACT == "files":
            number = 0
            while True:
                number += 1
                with open(os.path.join(folder, str(number)), "wb") as file:
                    file.write(bytes(1 << 20))
        if ACT == "sleep":
            time.sleep(600)
        return 1

class States:
    def new_state(self):
        return object()

class EnergyPlusAPI:
    def __init__(self):
        self.runtime, self.state_manager = Runtime(), States()
"""


def stand_in(env: PythonEnv) -> Path:
    """Make an environment that holds nothing, and return its folder of packages."""
    path = env.path
    packages = path / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    packages.mkdir(parents=True)
    (path / "bin").mkdir()
    (path / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    (path / "pyvenv.cfg").write_text(f"home = {Path(os.path.realpath(sys.executable)).parent}\n")
    (path / own_python.IN_USE).touch()
    return packages


def finish(env: PythonEnv) -> None:
    """Write the manifest by which an environment counts as installed."""
    content = own_python._measure(env.path)
    placing.write_manifest(
        env.path, digest=env.digest, records=[], content=content, packages={}, python="3", facts={}
    )


@pytest.fixture(autouse=True)
def own_folder_for_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the runs of a test lie in a folder of its own: other tests run engines at the same time."""
    with tempfile.TemporaryDirectory(prefix="lr", dir="/tmp") as base:
        monkeypatch.setattr(runs, "_short_base", lambda: Path(base))
        yield


@pytest_asyncio.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Client[Any], Path]]:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(runs, "FILE_BYTES", FILE_BYTES)
    small = functools.partialmethod(runs.Allowed.__init__, file_bytes=FILE_BYTES, folder_bytes=FOLDER_BYTES)
    monkeypatch.setattr(runs.Allowed, "__init__", small)
    for env in (SUMO_ENV, ENERGYPLUS_ENV):
        stand_in(env)
    work = tmp_path / "work"
    work.mkdir()
    scenarios.lay_out(work)
    (work / "open.json").write_text(json.dumps({"seeds": 1}))
    async with Client(
        build(toolbox, ServeOptions(workspace=work, toolsets=("simulators", "impact")))
    ) as opened:
        yield opened, tmp_path


def put(env: PythonEnv, act: str) -> None:
    """Put the harmful engine in its place."""
    (packages,) = env.path.glob("lib/python3*/site-packages")
    if env is SUMO_ENV:
        folder = packages / "sumo" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("netconvert", "duarouter", "sumo"):
            (folder / name).write_text(PROGRAM)
            (folder / name).chmod(0o755)
            (folder / f"{name}.act").write_text(act)
    else:
        folder = packages / "pyenergyplus"
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").touch()
        (folder / "api.py").write_text(LIBRARY)
        (folder / "act").write_text(act)
    finish(env)


def left() -> list[str]:
    """Return the command lines of processes that a program has left."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            said = each.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if MARK in said.split("\0"):
            found.append(said)
    return found


def folders() -> set[Path]:
    """Return the folders of runs that are there."""
    return set(runs._short_base().glob(f"{runs.PREFIX}????????"))


async def error_of(client: Client[Any], tool: str, seconds: int) -> dict[str, Any]:
    files = {
        "impact_sumo_run": {
            "network_path": "roads.json",
            "routes_path": "trips.csv",
            "disruptions_path": "open.json",
        },
        "impact_energyplus_run": {"building_idf_path": "house.json", "weather_epw_path": "place.epw"},
    }[tool]
    found = await client.call_tool(tool, {**files, "timeout_seconds": seconds}, raise_on_error=False)
    assert found.is_error
    return dict(found.meta["labrig"]["error"])


@pytest.mark.parametrize(
    ("tool", "act", "codes"),
    [
        ("impact_sumo_run", "print", {"limit"}),
        ("impact_sumo_run", "deaf", {"limit"}),
        ("impact_sumo_run", "fork", {"limit"}),
        ("impact_sumo_run", "leave", {"engine"}),
        ("impact_sumo_run", "fill", {"limit"}),
        ("impact_sumo_run", "files", {"limit"}),
        ("impact_energyplus_run", "print", {"limit"}),
        pytest.param(
            "impact_energyplus_run",
            "fork",
            {"engine"},
            marks=pytest.mark.skipif(bool(closing.unavailable()), reason="walls cannot be had here"),
        ),
        ("impact_energyplus_run", "fill", {"limit"}),
        ("impact_energyplus_run", "files", {"limit"}),
        ("impact_energyplus_run", "sleep", {"limit"}),
    ],
)
async def test_an_engine_that_does_harm_is_a_typed_error_and_leaves_nothing(
    served: tuple[Client[Any], Path], tool: str, act: str, codes: set[str]
) -> None:
    client, _ = served
    put(SUMO_ENV if tool == "impact_sumo_run" else ENERGYPLUS_ENV, act)
    before = folders()
    largest = 0

    async def watched() -> None:
        nonlocal largest
        while True:
            sizes = [(await asyncio.to_thread(runs._measured, each))[1] for each in folders() - before]
            largest = max([largest, *sizes])
            await asyncio.sleep(0.02)

    watching = asyncio.create_task(watched())
    error = await error_of(client, tool, 4)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    assert error["code"] in codes, error
    assert largest < MOST_BYTES, "what it writes is bounded, though looked at every half second"
    if act == "files":
        assert largest > FOLDER_BYTES, "it was seen to fill the disk"
    assert not folders() - before, "its folder is gone"
    until = time.monotonic() + 5
    while left() and time.monotonic() < until:
        await asyncio.sleep(0.05)
    assert not left(), "what it started is gone"
    listed = await client.call_tool("list_inputs", {"tool": tool})
    assert listed.structured_content["status"] == "ok", "the server goes on"
