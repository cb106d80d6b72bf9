"""The sandbox's Python holds what it promises and nothing of Labrig, and what it may read is just what it needs."""

import json
import os
import re
import site
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import labrig
from labrig.errors import LabrigError
from labrig.sandbox import Sandbox, environment
from labrig.sandbox.environment import Interpreter, follow
from labrig.sandbox.profiles import profiles
from labrig.sideenv import MANIFEST, PROFILES_GROUP, own_python, side_envs

CLEAN = {"PATH": os.defpath, "MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(params=sorted(profiles()))
def interpreter(request: pytest.FixtureRequest) -> Interpreter:
    try:
        return environment.find(request.param)
    except LabrigError as error:
        pytest.skip(str(error))


def run(interpreter: Interpreter, code: str, **env: str) -> str:
    done = subprocess.run(
        [interpreter.python, "-P", "-s", "-W", "error::UserWarning", "-c", code],
        env=CLEAN | env,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("profile", profiles())
def test_the_locks_pin_every_promise_with_hashes_and_name_no_index(profile: str) -> None:
    lock = profiles()[profile].lock.read_text(encoding="utf-8")
    pinned = re.findall(r"(?m)^([\w.-]+)==\S+ *(?:;[^\\]*)?\\\n    --hash=sha256:[0-9a-f]{64}", lock)
    assert len(pinned) == len(re.findall(r"(?m)^[\w.-]+ *==", lock))
    assert "://" not in lock and "--index" not in lock and "file:" not in lock
    wanted = {
        line.lower()
        for name in {"science", profile}
        for line in (profiles()[name].lock.with_suffix(".in")).read_text().splitlines()
        if line and not line.startswith(("#", "-"))
    }
    assert wanted <= set(pinned)
    assert not {"requests", "httpx", "labrig", "fastmcp", "ipython"} & set(pinned)


def test_earth_has_the_versions_of_science() -> None:
    science, earth = (
        dict(re.findall(r"(?m)^([\w.-]+)==(\S+)", profiles()[name].lock.read_text()))
        for name in ("science", "earth")
    )
    assert science.items() <= earth.items()


def test_a_package_may_bring_a_profile_and_none_that_cannot_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    info = tmp_path / "labrig_sea-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: labrig-sea\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{PROFILES_GROUP}]\nsea = labrig_sea:SEA\nlost = labrig_lost:LOST\n"
    )
    (tmp_path / "labrig_sea.py").write_text(
        "from dataclasses import replace\n"
        "from labrig.sandbox.profiles.science import SCIENCE\n"
        "SEA = replace(SCIENCE, name='sandbox-sea', folder='sandbox/sea', default=False)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    profiles.cache_clear()
    try:
        assert {"science", "sea"} <= set(profiles()) and "lost" not in profiles()
        assert "labrig_lost" in caplog.text
        assert side_envs()["sandbox-sea"] is profiles()["sea"], "`labrig setup` brings it"
        with pytest.raises(LabrigError, match="labrig setup sandbox-sea"):
            environment.find("sea")
        assert Sandbox(profile="sea").profile == "sea"
    finally:
        profiles.cache_clear()


def test_a_missing_environment_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    with pytest.raises(LabrigError) as caught:
        environment.find("science")
    assert caught.value.code == "unavailable" and caught.value.try_ == "labrig setup sandbox"
    profiles()["science"].path.mkdir(parents=True)
    with pytest.raises(LabrigError, match=rf"damaged: {MANIFEST}") as caught:
        environment.find("science")
    assert caught.value.try_ == "labrig setup sandbox"
    with pytest.raises(LabrigError) as caught:
        environment.find("sience")
    assert caught.value.code == "not_found" and "science" in caught.value.try_


def test_no_code_of_labrig_and_no_other_package_is_readable(interpreter: Interpreter) -> None:
    readable = environment.reading(interpreter)
    may_read = {*readable.readable}
    forbidden = [
        *map(Path, labrig.__path__),
        Path(__file__),
        Path(sys.prefix) / "lib",
        *(Path(each) for each in site.getsitepackages()),
        *(each / name for each in readable.listable for name in ("site-packages", "dist-packages")),
        *Path("/usr").glob("lib/python3*/*-packages"),
        *Path("/usr/local").glob("lib/python3*/*-packages"),
        *map(
            Path,
            ("/etc/passwd", "/etc/shadow", "/proc", "/sys", "/root", "/home", "/tmp", "/usr/bin", "/var"),
        ),
        Path.home(),
    ]
    for path in forbidden:
        real = path.resolve()
        assert not may_read.intersection((real, *real.parents)), f"{path} can be read"
        if real.name in ("lib", "root", "home", "tmp"):
            continue  # the environment itself may lie below one of these, its owner's home
        below = [each for each in (*may_read, *readable.listable) if each.is_relative_to(real)]
        assert all(each.is_relative_to(interpreter.prefix) or real == Path.home() for each in below), path
    stdlib = Path(sysconfig.get_path("stdlib")).resolve()
    assert stdlib in readable.listable and stdlib / "os.py" in may_read and stdlib not in may_read
    absent = "import importlib.util as u; print([n for n in %r if u.find_spec(n)])"
    names = (
        "labrig",
        "labrig_harness",
        "labrig_cli",
        "labrig_phreeqc",
        "fastmcp",
        "mcp",
        "requests",
        "pip",
        "setuptools",
    )
    assert run(interpreter, absent % (names,)) == "[]"


def test_all_paths_are_real_and_the_links_lead_there(interpreter: Interpreter) -> None:
    readable = environment.reading(interpreter)
    for path in (*readable.readable, *readable.listable):
        assert path.exists() and (path.resolve() == path or path.parent in readable.listable), path
    for path, target in readable.links.items():
        assert os.readlink(path) == target and path.parent.resolve() == path.parent
    for path in readable.readable:
        assert stat.S_ISCHR(path.stat().st_mode) == path.is_relative_to("/dev")


@pytest.mark.accept
def test_it_runs_in_a_root_with_nothing_else(interpreter: Interpreter) -> None:
    """What is readable suffices: every import works where there is no other file."""
    works = ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]
    try:
        subprocess.run(works, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("bubblewrap is not here, or may not make namespaces")
    readable = environment.reading(interpreter)
    words = [
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/scratch",
    ]
    for path in readable.readable:
        words += ["--ro-bind", str(path), str(path)] if not path.is_relative_to("/dev") else []
    for path, target in readable.links.items():
        words += ["--symlink", target, str(path)]
    imports = ", ".join(profiles()[interpreter.profile].imports)
    code = f"""
import os, shutil
shutil.copytree({str(interpreter.mplconfig)!r}, "/scratch/matplotlib")
import {imports}, ssl, sqlite3, lzma, bz2, ctypes, zoneinfo, decimal, json
assert not os.path.exists("/etc/passwd") and not os.path.exists("/usr/bin")
print(zoneinfo.ZoneInfo("Europe/Berlin"), len(os.listdir("/scratch")))
"""
    done = subprocess.run(
        [
            *words,
            "--chdir",
            "/scratch",
            "--remount-ro",
            "/",
            "--",
            str(interpreter.python),
            "-P",
            "-s",
            "-c",
            code,
        ],
        env=CLEAN | {"MPLCONFIGDIR": "/scratch/matplotlib"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "Europe/Berlin 1", "")


def test_pictures_use_the_fonts_of_the_environment_and_no_list_is_made(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    fonts = json.loads(next(interpreter.mplconfig.iterdir()).read_text())
    names = [each["fname"] for kind in ("ttflist", "afmlist") for each in fonts[kind]]
    assert len(names) > 30 and names and not [name for name in names if name.startswith("/")]
    copy = tmp_path / "matplotlib"
    copy.mkdir()
    (made,) = interpreter.mplconfig.iterdir()
    (copy / made.name).write_bytes(made.read_bytes())
    before = (copy / made.name).stat()
    code = """
import matplotlib.font_manager as fm, matplotlib
fm.FontManager = None  # would be called to make a list
print(fm.findfont("No Such Font", fallback_to_default=True).startswith(matplotlib.get_data_path()))
"""
    warned = "import logging; logging.disable()\n"  # that a font was not found
    assert run(interpreter, warned + code, MPLCONFIGDIR=str(copy)) == "True"
    assert (copy / made.name).stat().st_mtime_ns == before.st_mtime_ns and len(list(copy.iterdir())) == 1


@pytest.mark.accept
def test_bytecode_is_there_for_what_is_imported(interpreter: Interpreter) -> None:
    code = f"""
import sys
sys.modules.update(dict.fromkeys({profiles()[interpreter.profile].cold}))
import os, pandas, scipy.stats, sklearn
import importlib.util as u
files = [m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
mine = [f for f in files if f.startswith(sys.prefix) and f.endswith(".py")]
print(len(mine) > 500, [f for f in mine if not os.path.exists(u.cache_from_source(f))])
print(len(os.listdir("/proc/self/task")), pandas.DataFrame.__init__.__code__.co_filename == pandas.core.frame.__file__)
"""
    assert run(interpreter, code).splitlines() == ["True []", "1 True"]


def test_follow_gives_every_link_on_the_way(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "real" / "bin").mkdir(parents=True)
    (root / "real" / "bin" / "python3").touch()
    (root / "real" / "bin" / "python").symlink_to("python3")
    (root / "a").symlink_to("real")
    (root / "b").symlink_to(root / "a")
    (root / "real" / "up").symlink_to("../b/./bin/../bin")
    end, links = follow(root / "b" / "up" / "python")
    assert end == root / "real" / "bin" / "python3" == (root / "b" / "up" / "python").resolve()
    assert set(links) == {root / "a", root / "b", root / "real" / "up", root / "real" / "bin" / "python"}
    assert follow(root / "none" / "x") == (root / "none" / "x", {})
    (root / "loop").symlink_to("loop")
    with pytest.raises(LabrigError, match="too many links"):
        follow(root / "loop")


def test_a_quick_look_and_a_thorough_one_agree(interpreter: Interpreter) -> None:
    env = profiles()[interpreter.profile]
    assert own_python.status(env) == own_python.status(env, thorough=False)
    assert set(env.shown) <= set(interpreter.versions) and interpreter.lock == env.digest
