"""Setup takes the right files, whole or not at all, once, and can say what state they are in."""

import asyncio
import errno
import hashlib
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig import commands
from labrig.answer import Answer
from labrig.errors import LabrigError, Lacking
from labrig.serving.builder import build
from labrig.sideenv import (
    MANIFEST,
    MadeEnv,
    PythonEnv,
    SideEnv,
    find_side_env,
    first_use,
    installers,
    own_python,
    placing,
    setup,
    side_envs,
    status,
    wheel_files,
)
from labrig.sideenv.database_rows import rows_sha256
from labrig.toolbox import ServeOptions, Toolbox

FILES = {"a.dat": b"SOLUTION_SPECIES\n", "b.dat": b"PHASES\n"}
SHA256 = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
TINY = SideEnv("tiny", "Tiny data", "labrig-tiny==1.0", "labrig_tiny/data/*.dat", "tiny/data-1", SHA256)
WITHIN = {"requires_python": ">=3.11", "machines": (platform.machine(), "vax")}
"""Bounds that this machine keeps."""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for name, content in (FILES | {"other.dat": b"not in the table"}).items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Offer two wheels to the installers, and no index."""
    folder = tmp_path / "links"
    folder.mkdir()
    make_wheel(folder, "labrig_tiny", requires="labrig-impossible")
    make_wheel(folder, "labrig_plain")
    for tool in ("UV", "PIP"):
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(folder))
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
    return folder


def make_wheel(folder: Path, name: str, requires: str = "") -> None:
    """Write a wheel with the files and a package that must not be imported."""
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('imported')")
        for file, content in FILES.items():
            wheel.writestr(f"{name}/data/{file}", content)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        wheel.writestr(f"{info}/METADATA", metadata + (f"Requires-Dist: {requires}\n" if requires else ""))
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        names = [*wheel.namelist(), f"{info}/RECORD"]
        wheel.writestr(f"{info}/RECORD", "".join(f"{each},,\n" for each in names))


@pytest.fixture(scope="module")
def pip(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return a pip that needs no network to exist."""
    folder = tmp_path_factory.mktemp("pip")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return [str(folder / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check"]


def left(folder: Path) -> list[str]:
    """Return what lies beside the target, but for the lock."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


@pytest.mark.parametrize("tool", ["uv", pytest.param("pip", marks=pytest.mark.accept)])
def test_files_come_out_of_a_wheel(
    tool: str, links: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tool == "pip":
        command = request.getfixturevalue("pip")
        monkeypatch.setattr(wheel_files, "installer", lambda: command)
    elif installers.find_uv() is None:
        pytest.skip("uv is not installed")
    steps: list[str] = []
    done = setup(TINY, say=steps.append)
    assert done.changed and steps == ["fetching labrig-tiny==1.0"]
    assert {path.name: path.read_bytes() for path in TINY.path.glob("*.dat")} == FILES
    manifest = json.loads((TINY.path / MANIFEST).read_text())
    assert manifest["source"] == {"kind": "wheel", "from": "labrig-tiny==1.0"} and manifest["files"] == SHA256
    assert left(TINY.path.parent) == ["data-1"] and "labrig_tiny" not in sys.modules
    (links / "labrig_tiny-1.0-py3-none-any.whl").unlink()
    assert not setup(TINY).changed, "the second time needs nothing"


def test_a_folder_can_stand_in_and_damage_is_seen_and_repaired(source: Path) -> None:
    assert status(TINY).state == "missing"
    assert setup(TINY, source=source).changed
    assert status(TINY).state == "installed" and not (TINY.path / "other.dat").exists()
    again = setup(TINY, source=source)
    assert not again.changed and "already" in again.message
    assert setup(TINY, source=source, force=True).changed

    (TINY.path / "mine.dat").write_bytes(b"my own database")
    for damage in (
        lambda: (TINY.path / "a.dat").write_bytes(b"x"),
        lambda: (TINY.path / "b.dat").unlink(),
        lambda: (TINY.path / MANIFEST).write_text("{"),
    ):
        damage()
        assert status(TINY).state == "damaged" and status(TINY).reason
        assert setup(TINY, source=source).changed
        assert status(TINY).state == "installed"
    assert (TINY.path / "mine.dat").read_bytes() == b"my own database"

    loose = SideEnv("loose", "Loose", "labrig-tiny==1.0", "labrig_tiny/data/*.dat", "loose")
    setup(loose, source=source)
    assert sorted(path.name for path in loose.path.glob("*.dat")) == ["a.dat", "b.dat", "other.dat"]
    (loose.path / "other.dat").unlink()
    assert "other.dat" in status(loose).reason


def test_wrong_or_missing_files_change_nothing(source: Path, tmp_path: Path) -> None:
    setup(TINY, source=source)
    before = {path.name: path.read_bytes() for path in TINY.path.iterdir()}
    (source / "a.dat").write_bytes(b"tampered")
    with pytest.raises(LabrigError) as caught:
        setup(TINY, source=source, force=True)
    assert caught.value.code == "refused" and caught.value.expected == SHA256["a.dat"]
    (source / "b.dat").unlink()
    for folder in (source, tmp_path / "nowhere"):
        with pytest.raises(LabrigError) as caught:
            setup(TINY, source=folder, force=True)
        assert caught.value.code == "not_found"
    assert {path.name: path.read_bytes() for path in TINY.path.iterdir()} == before
    assert left(TINY.path.parent) == ["data-1"]
    for path in ("../up", "/abs", ""):
        with pytest.raises(ValueError):
            SideEnv("x", "X", "x==1", "*.dat", path)


def test_an_interrupt_leaves_the_state_from_before(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(TINY, source=source)
    rename, calls = Path.rename, []

    def interrupted(path: Path, target: Path) -> Path:
        calls.append(path.name)
        if len(calls) == 2:  # the old folder is away, the fresh one not yet there
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            setup(TINY, source=source, force=True)
    assert calls == ["data-1", "fresh", "data-1"]
    assert (TINY.path / "a.dat").exists() and left(TINY.path.parent) == ["data-1"]


def test_after_a_kill_the_next_setup_recovers(source: Path) -> None:
    setup(TINY, source=source)
    old = TINY.path.parent / ".setup-data-1-0123abcd" / "old"
    old.mkdir(parents=True)
    TINY.path.rename(old / "data-1")
    assert not setup(TINY, source=source).changed
    assert status(TINY).state == "installed" and left(TINY.path.parent) == ["data-1"]


def test_two_at_once_do_the_work_once(source: Path) -> None:
    barrier, results = threading.Barrier(4), []

    def work() -> None:
        barrier.wait()
        results.append(setup(TINY, source=source).changed)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, False, False, True]


def test_no_installer_and_a_failing_one_are_explained(links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched, pytest.raises(LabrigError) as caught:
        patched.setattr(installers, "find_uv", lambda: None)
        patched.setattr("importlib.util.find_spec", lambda name: None)
        setup(TINY)
    assert caught.value.code == "unavailable" and "--source" in caught.value.try_
    monkeypatch.setattr(wheel_files, "installer", lambda: ["sh", "-c", "echo no route to host; exit 2"])
    with pytest.raises(LabrigError, match="no route to host"):
        setup(TINY)
    assert left(TINY.path.parent) == []
    with pytest.raises(LabrigError) as caught:
        find_side_env("no-such-environment")
    assert caught.value.code == "not_found"


def test_a_disk_without_space_and_a_folder_without_rights_are_explained(
    source: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(LabrigError, match="No space left") as caught:
        patched.setattr(wheel_files, "write", raising(OSError(errno.ENOSPC, "No space left on device")))
        setup(TINY, source=source)
    assert caught.value.code == "unavailable" and "free some space" in caught.value.try_
    assert left(TINY.path.parent) == []
    shutil.rmtree(own_home)
    own_home.write_text("a file where the folder should be")
    with pytest.raises(LabrigError, match="cannot be installed") as caught:
        setup(TINY, source=source)
    assert "LABRIG_HOME" in caught.value.try_


def raising(error: Exception):
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


PREPARE = """
import importlib, json, platform, sys
for name in sys.argv[2:]:
    importlib.import_module(name)
print("noise")
print(json.dumps({"python": platform.python_version(), "packages": {"labrig-plain": "1.0"}, "prefix": sys.argv[1]}))
"""


@pytest.fixture
def plain(links: Path, tmp_path: Path) -> PythonEnv:
    """Describe an environment with one tiny package."""
    wheel = (links / "labrig_plain-1.0-py3-none-any.whl").read_bytes()
    (tmp_path / "plain.lock").write_text(
        f"labrig-plain==1.0 --hash=sha256:{hashlib.sha256(wheel).hexdigest()}\n"
    )
    (tmp_path / "prepare.py").write_text(PREPARE)
    return PythonEnv(
        name="plain",
        title="Plain",
        folder="own/plain",
        lock=tmp_path / "plain.lock",
        prepare=tmp_path / "prepare.py",
        imports=("json",),
        shown=("labrig-plain",),
    )


def newer(env: PythonEnv) -> PythonEnv:
    """Change the lock as a new release does: the same file object, another content."""
    env.lock.write_text(env.lock.read_text() + "# another\n")
    return env


@pytest.mark.parametrize(
    "with_uv",
    [pytest.param(True, id="uv"), pytest.param(False, id="venv and pip", marks=pytest.mark.accept)],
)
def test_what_a_lock_leaves_out_is_not_asked_for(
    with_uv: bool, plain: PythonEnv, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package asks for one that no index has; the lock leaves it out on purpose, and a stub stands in."""
    if not with_uv:
        monkeypatch.setattr(own_python, "find_uv", lambda: None)
    elif installers.find_uv() is None:
        pytest.skip("uv is not installed")
    wheel = (links / "labrig_tiny-1.0-py3-none-any.whl").read_bytes()
    with plain.lock.open("a") as lock:
        lock.write(f"labrig-tiny==1.0 --hash=sha256:{hashlib.sha256(wheel).hexdigest()}\n")
    stubs = {"labrig_impossible": "A = 1\n", "labrig_spare.part": ""}
    imports = ("labrig_impossible", "labrig_spare.part")
    env = replace(plain, imports=imports, stubs=stubs, **WITHIN)  # type: ignore[arg-type]
    assert env.path != plain.path and replace(env, stubs={}).path != env.path
    done = setup(env)
    assert done.changed
    target = done.target
    found = subprocess.run(
        [target / "bin" / "python", "-c", "import labrig_impossible as made; print(made.A)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "1\n" and status(env).state == "installed"
    assert next(target.glob("lib/python3*/site-packages/labrig_tiny/data/a.dat")).stat().st_nlink == 1, (
        "a copy"
    )
    with pytest.raises(LabrigError, match="would replace a package"):
        setup(replace(env, stubs={"labrig_plain": ""}, imports=()))
    assert left(target.parent) == [target.name]


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"requires_python": "<3"}, "it is for Python <3, and this is 3"),
        ({"requires_python": ">=3.11,<3.11.1"}, "it is for Python >=3.11,<3.11.1"),
        ({"machines": ("vax", "pdp11")}, "it is for vax and pdp11, and this is "),
    ],
)
def test_outside_its_bounds_nothing_is_fetched(
    bounds: dict[str, object], said: str, plain: PythonEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_python, "call", raising(AssertionError("something was run")))
    env = replace(plain, **bounds)  # type: ignore[arg-type]
    with pytest.raises(LabrigError) as caught:
        setup(env)
    assert said in str(caught.value) and caught.value.code == "unavailable"
    assert status(env).state == "missing" and said in status(env).reason
    assert not env.path.parent.exists()


def test_bounds_name_no_other_environment(plain: PythonEnv) -> None:
    assert replace(plain, **WITHIN).path == plain.path  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "with_uv",
    [pytest.param(True, id="uv"), pytest.param(False, id="venv and pip", marks=pytest.mark.accept)],
)
def test_a_python_of_its_own(with_uv: bool, plain: PythonEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_uv:
        monkeypatch.setattr(own_python, "find_uv", lambda: None)
    elif installers.find_uv() is None:
        pytest.skip("uv is not installed")
    monkeypatch.setenv("UV_COMPILE_BYTECODE", "1")  # as our Makefile sets it
    assert status(plain).state == "missing" and "labrig setup plain" in status(plain).reason
    assert setup(plain).changed and not setup(plain).changed
    assert status(plain).state == "installed" and "labrig-plain 1.0" in status(plain).reason
    show = "import importlib.util as u, sys; print(u.find_spec('labrig_plain').origin, u.find_spec('pip'), sys.prefix)"
    python = plain.path / "bin" / "python"
    shown = subprocess.run([python, "-c", show], capture_output=True, text=True, check=True).stdout.split()
    assert shown == [str(Path(shown[0])), "None", str(plain.path)] and Path(shown[0]).is_relative_to(
        plain.path
    )
    assert [each.name for each in (plain.path / "bin").iterdir() if not each.name.startswith("python")] == []
    # Bytecode says where its source lies now, and not where it was made.
    compiled = next(plain.path.rglob("labrig_plain/__pycache__/*.pyc")).read_bytes()
    assert str(plain.path).encode() in compiled and b".setup-" not in compiled
    assert left(plain.path.parent) == [plain.path.name]


def test_a_python_from_a_folder_of_wheels(
    plain: PythonEnv, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in ("UV", "PIP"):
        monkeypatch.delenv(f"{tool}_FIND_LINKS")
        monkeypatch.delenv(f"{tool}_NO_INDEX")
    assert setup(plain, source=links).changed
    manifest = json.loads((plain.path / MANIFEST).read_text())
    assert manifest["source"] == {"kind": "folder", "from": str(links)}
    newer(plain)
    (links / "labrig_plain-1.0-py3-none-any.whl").unlink()
    before = left(plain.path.parent)
    with pytest.raises(LabrigError) as caught:
        setup(plain, source=links)
    assert caught.value.code == "unavailable" and left(plain.path.parent) == before


@pytest.mark.accept
def test_damage_to_a_python_is_seen_and_repaired(plain: PythonEnv) -> None:
    setup(plain)
    package = next(plain.path.rglob("labrig_plain"))
    for damage in (
        lambda: (package / "data" / "a.dat").write_bytes(b"x"),
        lambda: (package / "data" / "a.dat").unlink(),
        lambda: next(plain.path.rglob("RECORD")).unlink(),
        lambda: (plain.path / "bin" / "python").unlink(),
        lambda: (plain.path / MANIFEST).unlink(),
        lambda: (plain.path / MANIFEST).write_text("[]"),
    ):
        damage()
        assert status(plain).state == "damaged" and status(plain).reason
        assert setup(plain).changed and status(plain).state == "installed"


@pytest.mark.accept
def test_what_does_not_hold_together_is_no_environment(plain: PythonEnv) -> None:
    setup(plain)
    for broken in (
        replace(plain, imports=("json", "no_such_module")),  # what the sandbox promises cannot be imported
        replace(plain, imports=("labrig_plain",)),  # or fails when imported
    ):
        with pytest.raises(LabrigError) as caught:
            setup(broken)
        assert caught.value.code == "unavailable" and not broken.path.exists()
    plain.lock.write_text("labrig-plain==1.0\n")
    with pytest.raises(LabrigError) as caught:
        setup(plain)
    assert "hash" in str(caught.value).lower() and not plain.path.exists(), "no hash, no environment"
    assert len(left(plain.path.parent)) == 1, "the one from before is still there"


@pytest.mark.accept
def test_an_environment_in_use_stays_and_an_unused_older_one_goes(plain: PythonEnv) -> None:
    first = setup(plain).target
    other = first.with_name("plain-py39-01234567")  # that of a Labrig on another Python
    other.mkdir()
    (other / "bin").mkdir()
    (other / "bin" / "python").symlink_to(sys.executable)
    held = own_python.hold(first)
    with pytest.raises(LabrigError, match="in use") as caught:
        setup(plain, force=True)
    assert caught.value.code == "busy"

    assert "the lock has changed since" in status(newer(plain)).reason
    steps: list[str] = []
    second = setup(plain, say=steps.append).target
    assert second != first and first.exists() and f"in use, kept: {first}" in steps
    held.close()
    third = setup(newer(plain)).target
    assert left(third.parent) == sorted([third.name, other.name])
    (other / "bin" / "python").unlink()
    fourth = setup(newer(plain)).target
    assert left(fourth.parent) == [fourth.name]
    with pytest.raises(LabrigError) as caught:
        own_python.hold(first)
    assert caught.value.code == "unavailable"
    with own_python._not_held(fourth), pytest.raises(LabrigError) as caught:
        own_python.hold(fourth)
    assert caught.value.code == "busy"
    with own_python.hold(fourth), own_python.hold(fourth):
        pass
    assert setup(plain, force=True).changed


@pytest.mark.accept
def test_a_setup_that_is_killed_leaves_what_was_there(plain: PythonEnv, tmp_path: Path) -> None:
    first = setup(plain).target
    began = tmp_path / "began"
    plain.prepare.write_text(f"import time; open({str(began)!r}, 'w').close(); time.sleep(60)")
    code = f"""
from pathlib import Path
from labrig.sideenv import PythonEnv, setup
setup(PythonEnv("plain", "Plain", "own/plain", Path({str(plain.lock)!r}), Path({str(plain.prepare)!r}), ("json",)))
"""
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        while not began.exists():
            assert child.poll() is None
            time.sleep(0.02)
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    assert len([name for name in left(first.parent) if name.startswith(".setup-")]) == 1
    assert (first / MANIFEST).exists()
    plain.prepare.write_text(PREPARE)
    assert plain.path == first and not setup(plain).changed
    assert left(first.parent) == [first.name]


def test_a_killed_exchange_is_undone_under_its_own_name(plain: PythonEnv) -> None:
    first = setup(plain).target
    old = first.parent / ".setup-plain-0123abcd" / "old"
    old.mkdir(parents=True)
    first.rename(old / first.name)
    steps: list[str] = []
    second = setup(newer(plain), say=steps.append).target
    assert f"removed {first}" in steps, "the older one came back, and then went as nobody used it"
    assert left(second.parent) == [second.name]


def test_the_table_has_both_sorts_and_its_defaults() -> None:
    table = side_envs()
    assert isinstance(table["phreeqc"], SideEnv) and isinstance(table["sandbox"], PythonEnv)
    asked_for = {name for name, env in table.items() if not env.default}
    assert {"atlas-gazetteer", "sandbox-earth"} <= asked_for and not asked_for & {"phreeqc", "sandbox"}
    assert placing.MANIFEST == "SETUP.json"


MAKER = """
import random, sys
from pathlib import Path
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
draws = random.Random(seed)
(folder / "deep").mkdir()
(folder / "deep" / "drawn.csv").write_text("\\n".join(str(draws.randrange(1000)) for _ in range(100)))
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeEnv:
    """Describe files that a tiny program makes."""
    (tmp_path / "labrig_maker.py").write_text(MAKER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    draws = random.Random(7)
    text = "\n".join(str(draws.randrange(1000)) for _ in range(100))
    table = {"deep/drawn.csv": hashlib.sha256(text.encode()).hexdigest()}
    return MadeEnv("made", "Made data", "labrig_maker", 7, "made/data-1", table)


def test_files_are_made_here_from_a_seed(made: MadeEnv, tmp_path: Path) -> None:
    assert status(made).state == "missing"
    assert setup(made).changed and status(made).state == "installed"
    assert not setup(made).changed and setup(made, force=True).changed
    assert left(made.path.parent) == ["data-1"]
    for damage in (
        lambda: (made.path / "deep" / "drawn.csv").write_text("1"),
        lambda: (made.path / "deep" / "more").touch(),
        lambda: shutil.rmtree(made.path / "deep"),
        lambda: (made.path / MANIFEST).unlink(),
    ):
        damage()
        assert status(made).state == "damaged" and status(made).reason
        assert setup(made).changed and status(made).state == "installed"
    assert status(replace(made, seed=8)).state == "damaged"


def test_a_database_is_compared_by_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Page size, order of writing and free pages change the bytes of a SQLite file, and not what it says."""
    maker = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1] + "/made.sqlite")
database.executescript('''PAGE CREATE TABLE "a b" (x, y); CREATE INDEX i ON "a b" (y);
CREATE VIRTUAL TABLE words USING fts5(word); INSERT INTO words VALUES ('one two');''')
database.executemany('INSERT INTO "a b" VALUES (?, ?)', ROWS)
database.commit()
database.close()
"""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    rows = [(1, "1"), (None, 0.1), (2, b"2"), (2, b"2")]

    def write(rows: list[tuple[object, object]], page: str = "") -> None:
        (tmp_path / "labrig_maker.py").write_text(maker.replace("ROWS", repr(rows)).replace("PAGE", page))

    folder = tmp_path / "by-hand"
    folder.mkdir()
    write(rows)
    subprocess.run([sys.executable, tmp_path / "labrig_maker.py", folder], check=True)
    table = {"made.sqlite": rows_sha256(folder / "made.sqlite")}
    env = MadeEnv("made", "Made data", "labrig_maker", 7, "made/data-1", {}, rows=table)
    assert setup(env).changed and status(env).state == "installed"
    first = (env.path / "made.sqlite").read_bytes()
    write(rows[::-1], "PRAGMA page_size = 8192;")
    assert setup(env, force=True).changed and (env.path / "made.sqlite").read_bytes() != first
    for other in (
        rows[1:],
        [(1, 1), *rows[1:]],
        [(True, "1 "), *rows[1:]],
        [*rows, (None, None)],
        [*rows[:3], (2, "2")],
    ):
        write(other)
        with pytest.raises(LabrigError, match="rows with the SHA-256"):
            setup(env, force=True)
    assert status(env).state == "installed"
    (env.path / "made.sqlite").write_bytes(first[:2_000])
    assert "no sound database" in status(env).reason


def test_files_whose_bytes_may_differ_are_known_by_a_listing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(names: str, *, stamp: str, extra: str = "") -> None:
        (tmp_path / "labrig_maker.py").write_text(
            "import pathlib, sys\ntop = pathlib.Path(sys.argv[1])\n(top / 'store').mkdir()\n"
            f"(top / 'a.nc').write_text('{stamp}')\n(top / 'store' / '0').write_text('{stamp}')\n{extra}\n"
            f"(top / 'contents.json').write_text('{names}')\n"
        )

    names = '{"a.nc": "hash of numbers", "store": "hash of numbers"}'
    table = {"contents.json": hashlib.sha256(names.encode()).hexdigest()}
    env = MadeEnv("made", "Made data", "labrig_maker", 7, "made/data-1", table, listing="contents.json")
    for stamp in ("written by one version", "written by another"):  # the numbers are the same
        write(names, stamp=stamp)
        assert setup(env, force=True).changed and status(env).state == "installed"
    for damage in (
        lambda: (env.path / "store" / "0").write_text("changed"),
        lambda: (env.path / "a.nc").unlink(),
        lambda: (env.path / "store" / "1").touch(),
    ):
        damage()
        assert status(env).state == "damaged"
        assert setup(env).changed
    for wrong in (
        {"names": names.replace("hash of", "other")},
        {"names": names, "extra": "(top / 'b.nc').touch()"},
        {"names": names, "extra": "(top / 'a.nc').unlink()"},
    ):
        write(**wrong, stamp="x")
        with pytest.raises(LabrigError, match="did not make what it should"):
            setup(env, force=True)
        assert status(env).state == "installed"


def test_what_is_made_otherwise_is_refused_and_changes_nothing(made: MadeEnv, tmp_path: Path) -> None:
    setup(made)
    before = (made.path / "deep" / "drawn.csv").stat().st_ino
    with pytest.raises(LabrigError, match="did not make what it should") as caught:
        setup(replace(made, seed=8))
    assert caught.value.code == "refused"
    (tmp_path / "labrig_maker.py").write_text(MAKER + "(folder / 'more').touch()\n")
    with pytest.raises(LabrigError, match="more should not be there"):
        setup(made, force=True)
    (tmp_path / "labrig_maker.py").write_text("raise SystemExit('no data')")
    with pytest.raises(LabrigError, match="no data"):
        setup(made, force=True)
    with pytest.raises(LabrigError, match="comes from no folder"):
        setup(made, source=tmp_path)
    assert (made.path / "deep" / "drawn.csv").stat().st_ino == before and left(made.path.parent) == ["data-1"]
    with pytest.raises(ValueError, match="goes down only"):
        replace(made, sha256={"../x": ""})


def _lacking() -> Client[Any]:
    """Return a client of a server whose one tool reads a file of `TINY`."""
    box = Toolbox("tiny", "Tiny", "Read with read_tiny.")

    @box.tool(title="Read", read_only=True)
    async def read_tiny() -> Answer:
        """Read a file."""
        if not TINY.path.is_dir():
            raise Lacking("tiny", "No tiny data", where=str(TINY.path), try_="labrig setup tiny")
        return Answer(source="tiny", data={"bytes": len((TINY.path / "a.dat").read_bytes())})

    return Client(build(box, ServeOptions(workspace=TINY.path.parents[1] / "work")))


async def test_what_a_tool_lacks_is_fetched_once_at_first_use(
    links: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first_use, "find_side_env", {"tiny": TINY}.__getitem__)
    told: list[str] = []
    heard = threading.Event()

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")
        heard.set()

    def fetch(*args: Any, **kwargs: Any) -> Any:
        # What ends within a quarter of a second is not told: this lasts until somebody heard of it.
        assert heard.wait(60)
        return setup(*args, **kwargs)

    monkeypatch.setattr(first_use, "setup", fetch)
    async with _lacking() as client:
        both = await asyncio.gather(
            client.call_tool_mcp("read_tiny", {}, progress_handler=tell),
            client.call_tool_mcp("read_tiny", {}),
        )
        assert [each.structured_content["data"]["bytes"] for each in both] == [len(FILES["a.dat"])] * 2
    said = capfd.readouterr().err
    assert said.count("labrig: fetching labrig-tiny==1.0") == 1 and "2 files from labrig-tiny==1.0" in said
    assert any("fetch" in line for line in told)


@pytest.mark.parametrize("why", ["no network", "replay", "not wanted", "a Python"])
async def test_what_cannot_be_fetched_at_first_use_says_what_to_do(
    why: str, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: SideEnv | PythonEnv = TINY
    if why == "no network":
        (links / "labrig_tiny-1.0-py3-none-any.whl").unlink()
    elif why == "replay":
        monkeypatch.setenv("LABRIG_HTTP_MODE", "replay")
    elif why == "not wanted":
        monkeypatch.setenv("LABRIG_SETUP_FIRST_USE", "no")
    else:
        wanted = PythonEnv("tiny", "Tiny Python", "tiny", links / "x.lock", links / "x.py", ())
    monkeypatch.setattr(first_use, "find_side_env", {"tiny": wanted}.__getitem__)
    async with _lacking() as client:
        for _ in range(2):
            error = (await client.call_tool_mcp("read_tiny", {})).meta["labrig"]["error"]
            assert error["code"] == "unavailable" and "labrig setup tiny" in error["try"]
            assert ("fetching failed" in error["what"]) is (why == "no network")
            assert ("--source DIR" in error["try"]) is (why == "no network")


def test_a_command_is_named_as_it_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert commands.setup_command("phreeqc") == "labrig setup phreeqc"
    monkeypatch.setattr(sys, "executable", "/home/ada/.cache/uv/archive-v0/x/bin/python")
    assert commands.setup_command("phreeqc") == "uvx --from 'labrig[phreeqc]' labrig setup phreeqc"
    assert commands.setup_command("crops") == "uvx --from 'labrig[earth]' labrig setup crops"
    assert commands.setup_command("sandbox") == "uvx --from labrig labrig setup sandbox"
