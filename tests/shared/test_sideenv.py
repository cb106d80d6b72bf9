"""Setup takes the right files, whole or not at all, once, and can say what state they are in."""

import hashlib
import json
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from labrig import sideenv
from labrig.errors import LabrigError
from labrig.sideenv import MANIFEST, SideEnv, build_environment, find_side_env, setup, status

FILES = {"a.dat": b"SOLUTION_SPECIES\n", "b.dat": b"PHASES\n"}
SHA256 = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
TINY = SideEnv("tiny", "Tiny data", "labrig-tiny==1.0", "labrig_tiny/data/*.dat", "tiny/data-1", SHA256)


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


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_files_come_out_of_a_wheel(
    tool: str, links: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tool == "pip":
        command = request.getfixturevalue("pip")
        monkeypatch.setattr(sideenv, "installer", lambda: command)
    elif sideenv.find_uv() is None:
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
    assert calls == ["data-1", "fresh", "old"]
    assert (TINY.path / "a.dat").exists() and left(TINY.path.parent) == ["data-1"]


def test_after_a_kill_the_next_setup_recovers(source: Path) -> None:
    setup(TINY, source=source)
    staging = TINY.path.parent / ".setup-data-1-0123"
    staging.mkdir()
    TINY.path.rename(staging / "old")
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
        patched.setattr(sideenv, "find_uv", lambda: None)
        patched.setattr("importlib.util.find_spec", lambda name: None)
        setup(TINY)
    assert caught.value.code == "unavailable" and "--source" in caught.value.try_
    monkeypatch.setattr(sideenv, "installer", lambda: ["sh", "-c", "echo no route to host; exit 2"])
    with pytest.raises(LabrigError, match="no route to host"):
        setup(TINY)
    assert left(TINY.path.parent) == []
    with pytest.raises(LabrigError) as caught:
        find_side_env("no-such-environment")
    assert caught.value.code == "not_found"


@pytest.mark.parametrize("with_uv", [True, False], ids=["uv", "venv and pip"])
def test_a_python_environment(
    with_uv: bool, links: Path, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_uv:
        monkeypatch.setattr(sideenv, "find_uv", lambda: None)
    elif sideenv.find_uv() is None:
        pytest.skip("uv is not installed")
    wheel = (links / "labrig_plain-1.0-py3-none-any.whl").read_bytes()
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(f"labrig-plain==1.0 --hash=sha256:{hashlib.sha256(wheel).hexdigest()}\n")
    target = own_home / "environments" / "sandbox"
    assert build_environment("sandbox", requirements, target).changed
    find = "import importlib.util as u, sys; print(u.find_spec('labrig_plain').origin, sys.prefix)"
    shown = subprocess.run(
        [target / "bin" / "python", "-c", find], capture_output=True, text=True, check=True
    )
    origin, prefix = shown.stdout.split()
    assert Path(prefix) == target and Path(origin).is_relative_to(target)
    assert not build_environment("sandbox", requirements, target).changed

    requirements.write_text("labrig-plain==1.0\n")
    with pytest.raises(LabrigError) as caught:
        build_environment("sandbox", requirements, target)
    assert caught.value.code == "unavailable" and not target.exists(), "no hash, no environment"
    assert left(target.parent) == []
