"""The quota removes the oldest sessions, never one that is in use, and nothing outside."""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hostile.filling import TRICKS
from hostile.racing import ACTS, Beside, Killed, store_locked
from labrig.answer import Answer
from labrig.artifacts import ArtifactStore
from labrig.errors import LabrigError
from labrig.serving import gc
from labrig.serving.builder import build
from labrig.serving.gc import collect, hold
from labrig.toolbox import ServeOptions, Toolbox
from labrig.workspace import Workspace, fresh_workspace
from support.exchanging import before_step, changed_back, exchange

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def session(name: str, size: int, age_s: float) -> Path:
        folder = tmp_path / "root" / name
        (folder / "deep").mkdir(parents=True)
        if not name.endswith("trap"):
            (folder / ".labrig").mkdir()
        (folder / "deep" / "data").write_bytes(b"x" * size)
        when = time.time() - age_s
        for path in (*folder.rglob("*"), folder):
            os.utime(path, (when, when))
        return folder

    return session


@contextmanager
def start(workspace: Path) -> Iterator[None]:
    """Start a server in a workspace."""
    box = Toolbox("lab", "A laboratory", "Measure.")

    @box.tool(title="Measure", read_only=True)
    async def measure() -> Answer:
        """Measure."""
        return Answer(source="scale")

    build(box, ServeOptions(workspace=workspace))
    yield


def set_clock(monkeypatch: pytest.MonkeyPatch, ahead_s: float) -> None:
    """Have the clock of a collection go so much ahead."""
    monkeypatch.setattr(gc, "time", SimpleNamespace(time=lambda: time.time() + ahead_s))


def names(sessions: tuple[gc.Session, ...]) -> list[str]:
    return [each.path.name for each in sessions]


def inside(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_oldest_go_first_until_the_rest_fits(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "root"
    old, middle, new = make("a/old", 400, 9000), make("b/middle", 300, 6000), make("a/new", 200, 3000)
    again = make("a/again", 50, 9999)
    (again / "deep" / "data").write_bytes(b"y" * 50)  # an old folder with a new file is new
    plan = collect(root, 600, dry_run=True)
    assert (names(plan.removed), plan.before_bytes, plan.after_bytes) == (["old"], 950, 550)
    assert not list(root.rglob("lock")) and old.exists()
    report = collect(root, 600)
    assert (names(report.removed), report.after_bytes) == (["old"], 550)
    assert not old.exists() and middle.exists() and new.exists()
    report = collect(root, 10_000, older_than_s=2000)
    assert names(report.removed) == ["middle", "new"] and again.exists()
    assert inside(root / "a") == ["again"]
    assert collect(tmp_path / "none", 0).removed == ()
    with pytest.raises(LabrigError):
        collect(root, -1)


def test_a_held_session_stays_also_when_another_process_holds_it(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "root"
    mine, other = make("a/mine", 100, 9000), make("a/other", 100, 8000)
    code = (
        "import sys, pathlib; from labrig.serving.gc import hold\n"
        "with hold(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    path = os.pathsep.join([str(Path(gc.__file__).parents[2]), *sys.path])
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(other)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )
    with holder, hold(mine), hold(mine):
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        for dry_run in (True, False):
            report = collect(root, 0, dry_run=dry_run)
            assert names(report.in_use) == ["mine", "other"] and report.removed == ()
            assert report.after_bytes > report.quota_bytes
        holder.kill()
        holder.wait()
        assert names(collect(root, 0).removed) == ["other"]
    assert mine.exists()
    assert names(collect(root, 0).removed) == ["mine"]
    with hold(mine):
        assert mine.is_dir(), "hold makes a fresh folder"


def test_nothing_outside_is_touched(make: Make, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"p" * 1000)
    inner = make("a/inner", 10, 9000)
    (inner / "link").symlink_to(outside)
    (inner / "file").symlink_to(outside / "precious")
    (root / "a" / "session").symlink_to(outside)
    (root / "server").symlink_to(outside)
    trap = make("a/trap", 10, 9000)
    (trap / ".labrig").symlink_to(outside)
    report = collect(root, 0)
    assert names(report.removed) == ["inner"] and report.before_bytes == 20
    assert [(each.path.name, "lock" in why) for each, why in report.failed] == [("trap", True)]
    assert inside(outside) == ["precious"]
    with pytest.raises(LabrigError, match="lock"), hold(trap):
        pass


def test_a_workspace_of_ones_own_is_left_alone(make: Make, tmp_path: Path) -> None:
    """A folder that is itself a workspace has folders, not sessions; a folder no server held is not ours."""
    mine = make("mine/run1", 10, 9000)
    (mine / ".labrig").rmdir()
    (mine.parent / ".labrig").mkdir()
    stranger = make("a/stranger", 10, 9000)
    (stranger / ".labrig").rmdir()
    assert collect(tmp_path / "root", 0).removed == ()
    assert mine.exists() and stranger.exists()


def test_write_protected_and_half_removed_folders_go(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "root"
    protected = make("a/protected", 10, 9000)
    (protected / "deep").chmod(0o500)
    protected.chmod(0o500)
    left = make(f"a/{gc.TRASH}1234", 10, 9000)
    assert names(collect(root, 0).removed) == ["protected"]
    assert not left.exists() and inside(root / "a") == []


def test_a_session_collected_while_waiting_is_made_anew(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make("a/session", 10, 9000)
    flock, calls = fcntl.flock, []

    def late(descriptor: int, how: int) -> None:
        calls.append(how)
        if len(calls) == 1:  # between opening the lock and having it
            collect(session.parent.parent, 0)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with hold(session):
        assert session.is_dir() and not (session / "deep").exists()
        assert names(collect(session.parent.parent, 0, older_than_s=0).in_use) == ["session"]


@pytest.mark.parametrize("opens", [hold, start], ids=["hold", "a server's start"])
def test_a_session_collected_while_it_is_looked_for_is_made_anew(
    make: Make, monkeypatch: pytest.MonkeyPatch, opens: Callable[[Path], Any]
) -> None:
    session = make("a/session", 10, 9000)
    is_dir, collected = Path.is_dir, []

    def late(path: Path, **named: Any) -> bool:
        if path == session and not collected:  # between being told that it is there and looking what it is
            collected.extend(names(collect(session.parent.parent, 0).removed))
        return is_dir(path, **named)

    monkeypatch.setattr(Path, "is_dir", late)
    with opens(session):
        assert collected == ["session"] and inside(session) == [".labrig"]


@pytest.mark.parametrize("there", ["file", "link to nothing", "below a link to nothing"])
def test_a_workspace_that_cannot_be_a_folder_is_refused_at_once(tmp_path: Path, there: str) -> None:
    if there == "file":
        (tmp_path / "taken").touch()
    else:
        (tmp_path / "taken").symlink_to("nowhere")
    with pytest.raises(FileExistsError), hold(tmp_path / "taken" / ("session" if "below" in there else "")):
        pass


def test_write_protection_is_taken_from_folders_of_ours_alone(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    session = make("a/session", 10, 9000)
    (session / ".labrig" / "artifacts").symlink_to(outside)
    (session / "deep" / "link").symlink_to(outside)
    (session / "deep").chmod(0o500)
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    report = collect(tmp_path / "root", 0)
    assert names(report.removed) == ["session"] and not session.exists()
    assert outside.stat().st_mode & 0o777 == 0o500


@pytest.mark.parametrize(
    "trick", [pytest.param(each, marks=pytest.mark.accept if "1,500" in each else ()) for each in TRICKS]
)
def test_no_agent_has_the_workspaces_of_others_removed(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trick: str
) -> None:
    """Each trick made ``labrig gc`` remove all others and keep this one, or end before any was removed."""
    root = tmp_path / "root"
    other = make("a/other", 400, -6000)
    TRICKS[trick](make("a/tricky", 400, 0))
    set_clock(monkeypatch, 9000)
    try:
        report = collect(root, 500)
        assert names(report.removed) == ["tricky"] and report.failed == ()
        assert other.exists() and inside(root / "a") == ["other"]
    finally:  # pytest itself removes no folder as deep
        subprocess.run(["rm", "-rf", str(root)], check=True)


def collected_beside(root: Path, act: str, number: int) -> bool:
    """Collect with something else at one step, and look; tell whether there was such a step."""
    beside = Beside(root, 8_000)
    try:
        with before_step(number, lambda: ACTS[act](beside)) as steps, suppress(Killed):
            collect(root, 8_000)
        assert all(file.exists() for file in beside.kept), f"{act} at step {number}"
        left = {"new"} if beside.kept else {"middle", "new"}
        assert left <= set(inside(root / "a")), f"{act} at step {number}"
        collect(root, 8_000)
        assert not [each for each in inside(root / "a") if each.startswith(gc.TRASH)]
    finally:
        beside.close()
    return len(steps) >= number


@pytest.mark.accept
@pytest.mark.parametrize("act", ACTS)
def test_what_goes_on_beside_a_collection_loses_nothing(make: Make, tmp_path: Path, act: str) -> None:
    """A second collection removed two sessions for one, and so did a process that wrote on in what was removed."""
    for number in count(1):
        make("a/old", 4_000, 9000), make("a/middle", 3_000, 6000), make("a/new", 2_000, 3000)
        ArtifactStore(Workspace(tmp_path / "root" / "a" / "old")).put("x", b"x", media_type="text/plain")
        for path in (tmp_path / "root" / "a" / "old").rglob("*"):
            os.utime(path, (time.time() - 9000,) * 2)
        more = collected_beside(tmp_path / "root", act, number)
        shutil.rmtree(tmp_path / "root")
        if not more:
            break
    assert number > 20


def test_a_second_collection_is_refused_and_a_plan_is_not(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "root"
    make("a/old", 400, 9000)
    with gc._alone(root):
        with pytest.raises(LabrigError, match="Another collection") as refused:
            collect(root, 0)
        assert refused.value.code == "busy"
        assert names(collect(root, 0, dry_run=True).removed) == ["old"]
    assert names(collect(root, 0).removed) == ["old"]


def test_no_lock_of_a_program_holds_a_collection_up(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "root"
    mine, other = make("a/mine", 100, 9000), make("a/other", 100, 8000)
    Workspace(mine).private("artifacts").__exit__(None, None, None)
    with store_locked(mine):
        report = collect(root, 0)
    assert names(report.removed) == ["other"] and names(report.in_use) == ["mine"]
    assert names(collect(root, 0).removed) == ["mine"] and not other.exists()


def test_a_clock_that_was_set_back_makes_no_session_old(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written while it went ahead counted as the oldest of all, and older than any limit."""
    root = tmp_path / "root"
    make("a/just written", 400, 0), make("a/older", 400, 5000)
    set_clock(monkeypatch, -3600)
    assert names(collect(root, 500, older_than_s=86_400).removed) == ["older"]


def test_what_is_measured_is_not_exchanged_meanwhile(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link in place of a folder had the size of what it led to, and others were removed to make up for it."""
    root = tmp_path / "root"
    tricky, other = make("a/tricky", 100, 3000), make("a/other", 100, 9000)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "large").write_bytes(b"x" * 9000)
    for number in count(1):
        with before_step(number, lambda: exchange(tricky / "deep", outside)) as steps:
            report = collect(root, 1000)
        changed_back(tricky / "deep")
        assert report.before_bytes <= 200 and other.exists(), f"exchanged before step {number}"
        if len(steps) < number:
            break


def test_no_two_processes_get_the_same_fresh_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers in containers, which all have the number 1, and one after the clock was set back, shared a workspace."""
    moment = SimpleNamespace(now=lambda: datetime(2026, 10, 25, 2, 30))
    monkeypatch.setattr("labrig.workspace.datetime", moment)
    assert fresh_workspace("lab") != fresh_workspace("lab")
