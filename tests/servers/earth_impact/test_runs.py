"""Runs of engines: each in a folder and a process of its own, with limits, whatever the engine does."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.isolation import closing
from labrig.isolation.inside import landlock
from labrig.sideenv import PythonEnv
from labrig_earth.impact import runs
from labrig_earth.impact.envelope import Common, File, Finished, Metric, envelope
from labrig_earth.impact.runs import Allowed, Engine, Engines

ENGINE = """
import os, random, signal, sys, tempfile, time
from pathlib import Path
from labrig.isolation.inside.answering import Refused

def run(arguments, inputs, outputs):
    act = arguments["act"]
    if act == "refuse":
        raise Refused("no soil", where="soil", expected="a layer")
    if act == "print":
        while True:
            print("x" * 10_000)
    if act == "fork":
        while True:
            os.fork()
    if act == "fill":
        (outputs / "large").write_bytes(b"")
        with open(outputs / "large", "ab") as file:
            while True:
                file.write(bytes(1 << 20))
    if act == "files":
        for number in range(200):
            (outputs / str(number)).write_text("x")
        time.sleep(600)
    if act == "outside":
        Path(arguments["path"]).write_text("x")
    if act == "reach":
        import socket, subprocess
        found = {}
        for name, reach in {
            "own": lambda: subprocess.run([arguments["own"], "--version"], check=True, stdout=-3),
            "program": lambda: subprocess.run([arguments["program"]], check=True),
            "secret": lambda: Path(arguments["path"]).read_text(),
            "outside": lambda: Path(arguments["path"]).write_text("x"),
            "port": lambda: socket.create_connection(("127.0.0.1", arguments["port"]), 5),
            "traci": lambda: socket.create_server(("127.0.0.1", 0)),
        }.items():
            try:
                reach()
                found[name] = "done"
            except OSError as error:
                found[name] = type(error).__name__
        return {"version": "Adder 2.1", "found": found, "variables": sorted(os.environ)}
    if act == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "nothing":
        return {}
    print("a line of", inputs)
    made = sorted(each.name for each in inputs.iterdir())
    total = sum(float(each.read_text()) for each in inputs.iterdir()) + random.random()
    (outputs / "sum.txt").write_text(f"{total!r}")
    return {"version": "Adder 2.1", "warnings": ["it rains"], "names": made, "total": total,
            "tmp": [os.environ["TMPDIR"], os.environ["HOME"], tempfile.gettempdir()]}
"""


@pytest.fixture
async def engines(tmp_path: Path) -> AsyncIterator[tuple[Engines, Engine]]:
    """Return engines, and one that does what it is told."""
    (tmp_path / "toy_engine.py").write_text(ENGINE)
    toy = Engine("toy", "the toy", "toy_engine", variables={"PYTHONPATH": str(tmp_path)})
    made = Engines()
    yield made, toy
    await made.close()


async def _ran(engines: Engines, toy: Engine, seed: int, **inputs: float) -> tuple[dict[str, Any], str, Path]:
    files = {name: str(value).encode() for name, value in inputs.items()}
    async with engines.run(toy, {"act": "add"}, files, seed=seed) as run:
        assert (run.version, run.warnings) == ("Adder 2.1", ("it rains",))
        hashed = hashlib.sha256()
        for path in sorted(each for each in run.folder.rglob("*") if each.is_file()):
            hashed.update(str(path.relative_to(run.folder)).encode() + path.read_bytes())
        assert "RUN/run/inputs" in (run.folder / "printed.txt").read_text(), "what it printed is kept"
        assert json.loads((run.folder / "run.json").read_text())["engine"] == "Adder 2.1"
        assert (run.folder / "inputs" / "a").read_bytes() == files["a"]
        return dict(run.result), hashed.hexdigest(), run.folder


async def test_a_run_has_its_own_short_folder_and_leaves_nothing(engines: tuple[Engines, Engine]) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_ran(*engines, 5, a=1, b=number)) for number in range(10)]
    ran = [task.result() for task in tasks]
    alone = await _ran(*engines, 5, a=1, b=3)
    assert ran[3][0]["total"] == alone[0]["total"], "ten at once give the numbers of one alone"
    assert all(
        each[0]["total"] - number == pytest.approx(ran[0][0]["total"]) for number, each in enumerate(ran)
    )
    other = await _ran(*engines, 6, a=1, b=3)
    assert alone[0]["total"] != other[0]["total"], "the seed is set"
    folders = {path for each in ran for path in each[0]["tmp"]}
    assert len(folders) == 20
    assert all(len(path) <= runs.MOST_PATH_CHARS for path in folders)
    assert not any(each[2].exists() for each in ran)


async def test_the_same_run_leaves_the_same_bytes(
    engines: tuple[Engines, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, toy = engines
    digests = []
    for _ in range(2):
        async with made.run(toy, {"act": "add"}, {"a": b"1"}, seed=1) as run:
            kept = {
                str(path.relative_to(run.folder)): path.read_bytes()
                for path in run.folder.rglob("*")
                if path.is_file() and path.name != "run.json"
            }
            digests.append(kept)
    assert digests[0] == digests[1]
    assert set(digests[0]) == {"inputs/a", "outputs/sum.txt", "printed.txt"}


@pytest.mark.parametrize(
    ("act", "codes"),
    [
        ("print", {"limit"}),
        ("fill", {"limit"}),
        ("files", {"limit"}),
        ("die", {"engine"}),
        ("nothing", {"engine"}),
        ("refuse", {"bad_input"}),
    ],
)
async def test_what_an_engine_does_ends_one_run(
    engines: tuple[Engines, Engine], monkeypatch: pytest.MonkeyPatch, act: str, codes: set[str]
) -> None:
    monkeypatch.setattr(runs, "FOLDER_FILES", 100)
    monkeypatch.setattr(runs, "FILE_BYTES", 4 << 20)
    made, toy = engines
    with pytest.raises(LabrigError) as caught:
        async with made.run(toy, {"act": act}, {"a": b"1"}):
            pass
    assert caught.value.code in codes, caught.value
    async with made.run(toy, {"act": "add"}, {"a": b"1"}) as run:
        assert run.result["names"] == ["a"]


@pytest.mark.skipif(bool(closing.unavailable()), reason="walls cannot be had here")
async def test_walls_refuse_programs_and_other_folders(
    engines: tuple[Engines, Engine], tmp_path: Path
) -> None:
    made, toy = engines
    for arguments in ({"act": "fork"}, {"act": "outside", "path": str(tmp_path / "out.txt")}):
        with pytest.raises(LabrigError, match="PermissionError") as caught:
            async with made.run(toy, arguments, {}):
                pass
        assert caught.value.code == "engine"
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.skipif(bool(closing.unavailable()), reason="walls cannot be had here")
@pytest.mark.skipif(sys.platform != "linux" or landlock.version() < 4, reason="Landlock knows no ports here")
async def test_an_engine_that_starts_programs_starts_its_own_and_reaches_nobody(
    engines: tuple[Engines, Engine], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_EARTH_MODEL_KEY", "a key of the server")
    made, toy = engines
    secret = tmp_path_factory.mktemp("beside") / "secret"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        asked = {
            "act": "reach", "own": str(Path(sys.prefix, "bin", "ruff")), "program": "/bin/true",
            "path": str(secret), "port": listener.getsockname()[1],
        }  # fmt: skip
        async with made.run(replace(toy, programs=True), asked, {}) as run:
            refused = dict.fromkeys(("program", "secret", "outside", "port", "traci"), "PermissionError")
            assert run.result["found"] == {"own": "done", **refused}
            assert not [name for name in run.result["variables"] if name.startswith("LABRIG")]
    assert secret.read_text() == "secret"


async def test_a_run_that_takes_too_long_ends(engines: tuple[Engines, Engine]) -> None:
    made, toy = engines
    with pytest.raises(LabrigError) as caught:
        async with made.run(toy, {"act": "files"}, {}, allowed=Allowed(wall_s=1)):
            pass
    assert caught.value.code == "limit"


async def test_an_absent_engine_is_named_with_the_line_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    lock = tmp_path / "a.lock"
    lock.write_text("")
    absent = PythonEnv(name="crops", title="Engines", folder="e/crops", lock=lock, prepare=lock, imports=())
    with pytest.raises(LabrigError) as caught:
        async with Engines().run(Engine("x", "X", "x", absent), {}, {}):
            pass
    assert (caught.value.code, caught.value.try_) == ("unavailable", "labrig setup crops")


async def test_inputs_have_names_without_folders(engines: tuple[Engines, Engine]) -> None:
    made, toy = engines
    with pytest.raises(LabrigError) as caught:
        async with made.run(toy, {"act": "add"}, {"../a": b""}):
            pass
    assert caught.value.code == "refused"


def _finished(value: float) -> Finished:
    file = File("data/a.csv", "0" * 64, "text/csv")
    return Finished(
        tool="impact_x_run",
        run_id="r",
        command="x 1",
        version="X 1",
        metrics={"yield": Metric(value, "t/ha")},
        derived={},
        outputs=[file],
        inputs=[file],
        time=("2000-01-01", "2000-02-01", "P1D"),
        warnings=[],
        text="",
        wall_s=1,
    )


def test_the_envelope_has_the_published_shape_and_no_silent_null() -> None:
    shown = envelope(_finished(1.23456789), Common(seed=23, memory_gb=2))
    assert list(shown) == [
        *("status", "metrics", "derived_metrics", "outputs_artifacts", "provenance", "run_context"),
        "agentic_summary",
    ]
    assert shown["metrics"] == {"yield": {"value": 1.234568, "unit": "t/ha"}}
    assert shown["run_context"]["determinism"]["model_version"] == "X 1"
    with pytest.raises(LabrigError, match="nan"):
        envelope(_finished(float("nan")), Common())


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"backend": "proxy"}, "refused"),
        ({"backend": "other"}, "bad_input"),
        ({"threads": 4}, "bad_input"),
        ({"run_id": "../x"}, "bad_input"),
        ({"timeout_seconds": 0}, "bad_input"),
        ({"memory_gb": 900.0}, "bad_input"),
        ({"seed": -1}, "bad_input"),
        ({"assumptions": {"a": float("nan")}}, "bad_input"),
        ({"scenario_name": "half a pair \ud800"}, "bad_input"),
        ({"assumptions": {"a": "x" * 40_000}}, "limit"),
    ],
)
def test_common_arguments_that_cannot_be_kept_are_refused(given: dict[str, Any], code: str) -> None:
    with pytest.raises(LabrigError) as caught:
        Common(**given).checked(("ospy",))
    assert caught.value.code == code


def test_common_arguments_name_run_and_folder() -> None:
    assert Common().named("impact_x_run", {}, {"a": "1"}) == Common().named("impact_x_run", {}, {"a": "1"})
    assert Common().named("impact_x_run", {}, {"a": "1"}) != Common().named("impact_x_run", {}, {"a": "2"})
    assert Common().folder("impact_x_run", "r1") == "data/simulators/impact_x_run/r1"
    with pytest.raises(LabrigError) as caught:
        Common(output_dir="a/../../b").folder("t", "r")
    assert caught.value.code == "refused"
    with pytest.raises(LabrigError) as caught:
        Common(model_version="X 2").require_version("X 1")
    assert caught.value.code == "unavailable"


async def test_a_loaded_engine_that_is_killed_ends_its_runs_and_is_loaded_again(
    engines: tuple[Engines, Engine],
) -> None:
    made, toy = engines

    async def stuck() -> None:
        async with made.run(toy, {"act": "files"}, {}):
            pass

    running = asyncio.create_task(stuck())
    while not running.done() and not (
        toy.name in made._loaded and getattr(made._loaded[toy.name][0]._server, "runs", None)
    ):
        await asyncio.sleep(0.01)
    server = made._loaded[toy.name][0]._server
    assert server is not None
    os.kill(server.process.pid, signal.SIGKILL)
    with pytest.raises(LabrigError) as caught:
        await running
    assert caught.value.code == "engine"
    async with made.run(toy, {"act": "add"}, {"a": b"1"}) as run:
        assert run.result["names"] == ["a"]
