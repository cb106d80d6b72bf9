"""Inputs that have to be copied: files and folders only, and not without an end."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from labrig.artifacts import ArtifactStore, Opened
from labrig.errors import LabrigError
from labrig.sandbox import inputs as placing
from labrig.sandbox.inputs import Inputs
from labrig.workspace import Workspace
from support.exchanging import before_step, exchange


def test_a_folder_is_copied_without_what_is_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("x" * 10)
    os.mkfifo(folder / "pipe")
    places = Inputs([], tmp_path / "area")
    placed = places.place({"in": folder}, "run-1")
    placing.close(placed)
    copy = tmp_path / "area" / "run-1" / "in"
    assert [each.name for each in copy.iterdir()] == ["a.txt"]


def test_a_copy_ends_where_a_file_has_more_than_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placing, "MAX_COPIED", 100)
    assert Path("/proc/self/status").stat().st_size == 0
    with pytest.raises(LabrigError, match="more than 100 bytes"):
        Inputs([], tmp_path / "area").place({"a": Path("/proc/self/status")}, "run-1")
    assert not (tmp_path / "area" / "run-1").exists()


def test_a_copy_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "area").write_text("a file where the folder should be")
    with pytest.raises(LabrigError, match="cannot be copied"):
        Inputs([], tmp_path / "area").place({"a": tmp_path / "a"}, "run-1")


def _place(opened: Opened) -> Path:
    return Path(f"/proc/self/fd/{opened.descriptor}")


def test_an_artifact_is_linked_and_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "MAX_COPIED", 100)
    store = ArtifactStore(Workspace(tmp_path / "work"))
    (tmp_path / "run" / "c").mkdir(parents=True)
    (tmp_path / "run" / "c" / "0").write_bytes(b"0" * 1000)
    file = store.put("f", b"f" * 1000, media_type="t")
    folder = store.put_path(tmp_path / "run")
    with store.opened(file.handle) as one, store.opened(folder.handle) as other:
        inputs = {"f.txt": _place(one), "run": _place(other)}
        placed = Inputs([], tmp_path / "area").place(inputs, "run-1")
        placing.close(placed)
        area = tmp_path / "area" / "run-1"
        assert (area / "f.txt").stat().st_ino == _place(one).stat().st_ino
        assert (area / "run" / "c" / "0").stat().st_ino == (_place(other) / "c" / "0").stat().st_ino
    Inputs([], tmp_path / "area").remove("run-1")
    assert (
        not area.exists()
        and store.verify(folder.handle).files == 1
        and store.read(file.handle) == b"f" * 1000
    )
    monkeypatch.setattr(placing, "_linked", lambda *_, **__: False)  # as on a file system of its own
    with store.opened(file.handle) as one, pytest.raises(LabrigError, match="more than 100 bytes"):
        Inputs([], tmp_path / "area").place({"f": _place(one)}, "run-1")


@pytest.mark.parametrize("links", [True, False])
def test_a_link_in_place_of_a_folder_is_not_followed_while_it_is_copied(tmp_path: Path, links: bool) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "0").write_bytes(b"secret")
    for number in count(1):
        top = tmp_path / f"{number}"
        store = ArtifactStore(Workspace(top / "work"))
        (top / "run" / "c" / "d").mkdir(parents=True)
        (top / "run" / "c" / "0").write_bytes(b"0")
        (top / "run" / "c" / "d" / "0").write_bytes(b"1")
        made = store.put_path(top / "run", keep=True)
        folder = top / "work" / ".labrig" / "artifacts" / made.sha256 if links else top / "run"
        descriptor = os.open(folder, os.O_RDONLY)
        with (
            before_step(number, lambda folder=folder: exchange(folder / "c", outside)) as steps,
            suppress(LabrigError),
        ):
            placed = Inputs([], top / "area").place({"run": Path(f"/proc/self/fd/{descriptor}")}, "run-1")
            placing.close(placed)
        os.close(descriptor)
        assert b"secret" not in {each.read_bytes() for each in (top / "area").rglob("*") if each.is_file()}
        assert (outside / "0").stat().st_nlink == 1
        if len(steps) < number:
            assert number > 3, "steps were heard"
            return
