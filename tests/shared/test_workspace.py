"""The workspace cannot be left, whatever the path, and loses nothing."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile.filling import deep_paths
from labrig import workspace as module
from labrig.errors import LabrigError
from labrig.workspace import MAX_FILE_BYTES, PRIVATE, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "secret.txt").write_text("SECRET")
    return Workspace(tmp_path / "work")


def test_round_trip_and_listing(workspace: Workspace) -> None:
    workspace.write_text("run/a.pqi", "SOLUTION 1\nµ °C\n")
    workspace.write_text("b.txt", "")
    assert workspace.read_text("run/a.pqi") == "SOLUTION 1\nµ °C\n"
    assert workspace.read_text("./run//a.pqi") == "SOLUTION 1\nµ °C\n"
    assert [(entry.path, entry.bytes) for entry in workspace.entries()] == [("b.txt", 0), ("run/a.pqi", 18)]


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "run/../../secret.txt",
        "/etc/passwd",
        "~/x",
        "C:\\x",
        "\\\\host\\x",
        "a\0b",
        "a\nb",
        "",
        "  ",
        ".",
        "folder/",
        f"{PRIVATE}/lock",
        f"x/{PRIVATE}/y",
        "x" * 300,
        "/".join(["d"] * 600),
        "\ud800",
        "@nowhere/x",
        "@",
    ],
)
def test_bad_paths_are_refused_for_reading_and_writing(workspace: Workspace, path: str) -> None:
    with pytest.raises(LabrigError):
        workspace.read_bytes(path)
    with pytest.raises(LabrigError):
        workspace.write_text(path, "x")
    assert not workspace.folder.exists() or not list(workspace.folder.rglob("*"))


def test_links_lead_nowhere_outside(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write_text("inside.txt", "inside")
    folder = workspace.folder
    (folder / "absolute").symlink_to(tmp_path / "secret.txt")
    (folder / "relative").symlink_to("../secret.txt")
    (folder / "up").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    (folder / "good").symlink_to("inside.txt")
    (folder / "sub").mkdir()
    (folder / "sub" / "back").symlink_to("../inside.txt")
    for path in ("absolute", "relative", "up/secret.txt", "loop"):
        with pytest.raises(LabrigError):
            workspace.read_bytes(path)
    with pytest.raises(LabrigError):
        workspace.write_text("up/planted.txt", "x")
    assert workspace.read_text("good") == workspace.read_text("sub/back") == "inside"
    workspace.write_text("relative", "now a file")  # a link is replaced, never written through
    assert (tmp_path / "secret.txt").read_text() == "SECRET"
    assert not (tmp_path / "planted.txt").exists()


def test_special_files_neither_block_nor_read(workspace: Workspace) -> None:
    workspace.write_text("x", "x")
    os.mkfifo(workspace.folder / "fifo")
    for path in ("fifo", "nothing"):
        with pytest.raises(LabrigError):
            workspace.read_bytes(path)
    (workspace.folder / "folder").mkdir()
    with pytest.raises(LabrigError, match="folder"):
        workspace.read_bytes("folder")
    with pytest.raises(LabrigError, match="folder"):
        workspace.write_text("folder", "x")
    with pytest.raises(LabrigError):
        workspace.write_text("x/y", "a file is not a folder")


def test_a_race_of_links_never_reads_outside(workspace: Workspace, tmp_path: Path) -> None:
    """A folder is swapped for a link to the outside while it is being read through."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("SECRET")
    workspace.write_text("d/f", "inside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            try:
                os.rename(workspace.folder / "d", workspace.folder / "kept")
                (workspace.folder / "d").symlink_to(outside)
                (workspace.folder / "d").unlink()
                os.rename(workspace.folder / "kept", workspace.folder / "d")
            except OSError:
                pass

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(3000):
            try:
                assert workspace.read_text("d/f") == "inside"
            except LabrigError:
                pass
    finally:
        stop.set()
        thread.join()


def test_roots_are_readable_and_not_writable(tmp_path: Path) -> None:
    lab = tmp_path / "lab7"
    lab.mkdir()
    (lab / "water.csv").write_text("Ca,1")
    (lab / "out").symlink_to("/etc")
    workspace = Workspace(tmp_path / "work", (lab,))
    assert workspace.read_text("@lab7/water.csv") == "Ca,1"
    assert [entry.path for entry in workspace.entries()] == ["@lab7/water.csv"]
    for path in ("@lab7/../work/x", "@lab7/out/passwd", "@other/x", "@lab7"):
        with pytest.raises(LabrigError):
            workspace.read_bytes(path)
    with pytest.raises(LabrigError, match="read-only"):
        workspace.write_text("@lab7/new", "x")
    with pytest.raises(LabrigError, match="not a folder"):
        Workspace(tmp_path / "work", (tmp_path / "missing",))


def test_a_missing_file_names_the_nearest(workspace: Workspace) -> None:
    workspace.write_text("input.pqi", "x")
    with pytest.raises(LabrigError) as caught:
        workspace.read_text("inptu.pqi")
    assert caught.value.code == "not_found"
    assert "input.pqi" in caught.value.try_


def test_too_large_is_refused_and_the_old_file_stays(workspace: Workspace) -> None:
    workspace.write_text("x", "old")
    with pytest.raises(LabrigError) as caught:
        workspace.write_bytes("x", bytes(MAX_FILE_BYTES + 1))
    assert caught.value.code == "limit"
    assert workspace.read_text("x") == "old"


def test_folders_count_as_files_do(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one byte brought 31 folders, which no quota counted: 620,000 of them and 2.5 GB for 20,000 files."""
    monkeypatch.setattr(module, "MAX_NAMES", 100)
    with pytest.raises(LabrigError, match="full: 96 files and folders") as full:
        for path in deep_paths():
            workspace.write_text(path, "x")
    assert full.value.code == "limit"
    workspace.write_text("more.txt", "x")
    assert sum(1 for _ in workspace.folder.rglob("*")) == 97


@settings(max_examples=3 * settings.default.max_examples)
@given(path=st.text(max_size=60), content=st.text(max_size=50))
def test_any_path_writes_inside_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, path: str, content: str
) -> None:
    top = tmp_path_factory.mktemp("any")
    workspace = Workspace(top / "work")
    try:
        workspace.write_text(path, content)
    except LabrigError as error:
        assert error.what
    else:
        assert workspace.read_bytes(path) == content.encode()
        assert len(workspace.entries()) == 1
    assert {each.name for each in top.iterdir()} <= {"work"}
