"""An unconfined program in the same workspace exchanges folders with links, before each step that a server takes there.

Nothing outside of the workspace is written, renamed, removed or given for ours, and nothing of ours is lost.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from labrig.artifacts import ArtifactStore, holding
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.serving.gc import collect, hold
from labrig.storage import quota
from labrig.tools.own_files import OwnFiles
from labrig.workspace import PRIVATE, Workspace
from support.exchanging import before_step, changed_back, exchange, seen

OLD, KNOWN, NEW = b"old", b"known", b"new"
RUN = "498e9c166901face660a042cfc4e73ffb581502e15bc5ce4fedcf713c02ecb20"
"""The hash of `run_folder`."""


def run_folder(path: Path) -> Path:
    for name in ("a", "c/0", "c/d/1"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(name.encode())
    return path


def decoys(outside: Path) -> Path:
    """Make files of somebody else that bear every name which a server could look for."""
    for folder in (outside / "artifacts", outside / "headings"):
        folder.mkdir(parents=True)
    kept = ArtifactStore(Workspace(outside / "maker")).put("not ours", KNOWN, media_type="text/plain")
    for path in (outside / "maker" / PRIVATE / "artifacts").glob(f"{kept.sha256}*"):
        path.rename(outside / "artifacts" / path.name)
    for name in (sha256(NEW), "ab" * 32, ".new-1", ".held-1", ".trash-1", ".lock", "c"):
        (outside / "artifacts" / name).write_bytes(b"a file of somebody else")
    run_folder(outside / "artifacts" / ".trash-2")
    run_folder(outside / "run")
    run_folder(outside / "c")
    for name in ("own-files", "lock"):
        (outside / name).write_text("{}")
    return outside


def put(workspace: Workspace, beside: Path) -> None:
    with holding():
        ArtifactStore(workspace).put("new", NEW, media_type="t")


def put_in_place_of_another(workspace: Workspace, beside: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quota, "MOST", 2)
        put(workspace, beside)


def put_folder(workspace: Workspace, beside: Path) -> None:
    ArtifactStore(workspace).put_path(beside / "made" / "run")


def copy_folder(workspace: Workspace, beside: Path) -> None:
    ArtifactStore(workspace).put_path(beside / "made" / "run", keep=True)


def copy_file_and_remove_it(workspace: Workspace, beside: Path) -> None:
    ArtifactStore(workspace).put_path(beside / "made" / "linked" / "a")


def read(workspace: Workspace, beside: Path) -> None:
    store = ArtifactStore(workspace)
    handle = f"sha256:{sha256(KNOWN)}"
    assert store.read(handle) == KNOWN
    with store.opened(handle) as opened:
        assert opened.artifact.name == "known" and os.pread(opened.descriptor, 9, 0) == KNOWN
    assert store.names(handle) == ("known",)


def sweep(workspace: Workspace, beside: Path) -> None:
    ArtifactStore(workspace).sweep()


def write_beside(workspace: Workspace, beside: Path) -> None:
    assert OwnFiles(workspace).write("result.out", b"text")


def collect_all(workspace: Workspace, beside: Path) -> None:
    collect(workspace.folder.parent.parent, 0)


def come_and_go(workspace: Workspace, beside: Path) -> None:
    with hold(workspace.folder):
        pass


Act = Callable[[Workspace, Path], None]


def attacked(top: Path, act: Act, where: str, target: str, number: int) -> bool:
    """Prepare a workspace, exchange one folder before a step of `act`, and look; tell whether there was such a step."""
    outside = decoys(top / "outside")
    workspace = Workspace(top / "root" / "server" / "session")
    store = ArtifactStore(workspace)
    for name, content in (("old", OLD), ("known", KNOWN)):
        store.put(name, content, media_type="t")
    folder = workspace.folder / PRIVATE / "artifacts"
    os.utime(folder / f"{sha256(OLD)}.json", (0, 0))
    run_folder(folder / ".trash-left")
    (folder / ".new-left").write_bytes(b"")
    run_folder(top / "made" / "run")
    os.link(run_folder(top / "made" / "linked") / "a", top / "another name")
    before = seen(outside)

    def exchanged() -> None:
        for each in top.glob(where):
            exchange(each, outside / target)

    with before_step(number, exchanged) as steps, suppress(LabrigError):
        act(workspace, top)
    assert seen(outside) == before, f"{where} exchanged before step {number}"
    for each in top.glob(where):
        changed_back(each)
    if act is not collect_all:
        assert store.read(f"sha256:{sha256(KNOWN)}") == KNOWN
    if act is put_folder and not (top / "made" / "run").exists():
        assert (folder / f"{RUN}.json").exists() and store.verify(f"sha256:{RUN}").name == "run"
    return len(steps) >= number


LEVELS = ((f"root/server/session/{PRIVATE}", "."), (f"root/server/session/{PRIVATE}/artifacts", "artifacts"))


SLOWER = pytest.mark.accept
ACTS = (
    put_in_place_of_another,
    read,
    write_beside,
    come_and_go,
    *(
        pytest.param(act, marks=SLOWER)
        for act in (put, put_folder, copy_folder, copy_file_and_remove_it, sweep, collect_all)
    ),
)


@pytest.mark.parametrize(("where", "target"), LEVELS, ids=["private", "artifacts"])
@pytest.mark.parametrize("act", ACTS)
def test_a_link_in_place_of_a_folder_of_ours(tmp_path: Path, act: Act, where: str, target: str) -> None:
    for number in count(1):
        if not attacked(tmp_path / f"{number}", act, where, target, number):
            assert number > 3, "steps were heard"
            return


INNER = (
    (put_folder, "made", "."),
    pytest.param(put_folder, "made/run/c", "c", marks=SLOWER),
    pytest.param(copy_folder, "made/run/c", "c", marks=SLOWER),
    (copy_folder, f"root/server/session/{PRIVATE}/artifacts/.new-*/c", "c"),
    pytest.param(copy_file_and_remove_it, "made/linked", "run", marks=SLOWER),
)


@pytest.mark.parametrize(("act", "where", "target"), INNER)
def test_a_link_in_place_of_a_folder_that_is_put(tmp_path: Path, act: Act, where: str, target: str) -> None:
    for number in count(2):  # the first step opens the folder in which lies what the path names
        if not attacked(tmp_path / f"{number}", act, where, target, number):
            assert number > 3, "steps were heard"
            return


def test_links_that_come_and_go_while_artifacts_are_put(tmp_path: Path) -> None:
    outside = decoys(tmp_path / "outside")
    workspace = Workspace(tmp_path / "work")
    store = ArtifactStore(workspace)
    store.put("known", KNOWN, media_type="t")
    private = workspace.folder / PRIVATE
    before, stopped, made = seen(outside), threading.Event(), []

    def exchange_again_and_again() -> None:
        for n in count():
            for folder, target in ((private / "artifacts", outside / "artifacts"), (private, outside)):
                if stopped.is_set():
                    return
                with suppress(OSError):  # another was made meanwhile in its place
                    exchange(folder, target)
                    changed_back(folder)
                away = folder.with_name("away")
                if away.exists():
                    away.rename(workspace.folder / f"away{n}{folder.name}")

    program = threading.Thread(target=exchange_again_and_again)
    program.start()
    try:
        for n in range(100):
            with suppress(LabrigError), holding():
                made.append(store.put(f"{n}", f"{n}".encode(), media_type="t"))
                OwnFiles(workspace).write("result.out", b"text")
    finally:
        stopped.set()
        program.join()
    assert seen(outside) == before
    kept = {path.name: path for path in workspace.folder.rglob("*")}
    assert made and all(kept[each.sha256].read_bytes() == each.name.encode() for each in made)
