"""Scratch folders: removed whatever is in them, and read without being led astray."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig.sandbox.inside import tree
from labrig.sandbox.scratch import collect


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "run").mkdir()
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def take(root: int, limit: int = 1 << 20, unchanged: dict[str, list[int]] | None = None):  # type: ignore[no-untyped-def]
    folder = os.open("run", os.O_RDONLY, dir_fd=root)
    try:
        return collect(folder, limit=limit, unchanged=unchanged or {})
    finally:
        os.close(folder)


def test_a_folder_of_any_depth_names_and_modes_is_removed(root: int, tmp_path: Path) -> None:
    here = os.open("run", os.O_RDONLY, dir_fd=root)
    for _ in range(3_000):  # deeper than Python recurses, and than a path may be long
        os.mkdir("d" * 50, dir_fd=here)
        deeper = os.open("d" * 50, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    run = tmp_path / "run"
    (run / "closed").mkdir()
    (run / "closed" / "inner").mkdir()
    (run / "closed" / "inner").chmod(0)
    (run / "closed").chmod(0)
    os.mkfifo(run / "pipe")
    (run / "line\nbreak").touch()
    (Path(os.fsdecode(os.fsencode(run) + b"/\xff\xfe"))).touch()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (run / "link").symlink_to(outside)
    tree.remove(root, "run")
    assert sorted(os.listdir(root)) == ["outside"] and (outside / "kept").exists()
    tree.remove(root, "run")
    tree.clear(root)
    assert os.listdir(root) == []


def test_files_are_collected_in_order_with_their_content(root: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "a" / "b").mkdir(parents=True)
    (run / "z.txt").write_text("z")
    (run / "a" / "b" / "c.csv").write_bytes(b"\x00\xff")
    found = take(root)
    assert found.files == {"z.txt": b"z", "a/b/c.csv": b"\x00\xff"} and found.left == 0


def test_links_devices_and_odd_names_are_passed_over_and_counted(root: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (run / "link").symlink_to(secret)
    (run / "folder").symlink_to(tmp_path)
    os.mkfifo(run / "pipe")
    (run / "new\nline").write_text("x")
    (run / "back\\slash").write_text("x")
    Path(os.fsdecode(os.fsencode(run) + b"/\xff")).write_text("x")
    (run / "good").write_text("good")
    found = take(root)
    assert found.files == {"good": b"good"} and found.left == 6


def test_what_is_too_much_is_left_and_counted(root: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    for number in range(120):
        (run / f"{number:03}").write_bytes(b"x" * 10)
    (run / "deep").mkdir()
    here = run / "deep"
    for _ in range(20):
        here = here / "d"
        here.mkdir()
    assert take(root).left == 21
    found = take(root, limit=95)
    assert len(found.files) == 9 and found.left == 112


def test_inputs_and_what_was_there_before_are_no_results(root: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "inputs").mkdir()
    (run / "inputs" / "dem.tif").symlink_to("/proc/self/fd/9")
    (run / "old").write_text("old")
    (run / "changed").write_text("old")
    before = {
        name: [(run / name).stat().st_size, (run / name).stat().st_mtime_ns] for name in ("old", "changed")
    }
    (run / "changed").write_text("newer")
    found = take(root, unchanged=before)
    assert found.files == {"changed": b"newer"} and found.left == 0
