"""Files that tools leave in a workspace: nobody else's is ever replaced."""

from __future__ import annotations

import shutil
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.tools.own_files import OwnFiles
from labrig.workspace import PRIVATE, Workspace
from support.exchanging import before_step


def test_what_others_wrote_or_changed_stays(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert OwnFiles(workspace).write("a.png", b"1")
    assert OwnFiles(workspace).write("a.png", b"2"), "ours, and as we left it"
    (tmp_path / "a.png").write_bytes(b"hers")
    assert not OwnFiles(workspace).write("a.png", b"3")
    assert OwnFiles(workspace).write_somewhere("a.png", b"3") == "a_2.png"
    assert (tmp_path / "a.png").read_bytes() == b"hers"
    assert (tmp_path / "a_2.png").read_bytes() == b"3"


def test_two_calls_at_once_know_of_each_other(tmp_path: Path) -> None:
    first, second = OwnFiles(Workspace(tmp_path)), OwnFiles(Workspace(tmp_path))
    assert first.write("a", "1")
    assert second.write("b", "1")
    assert first.write("b", "2")


def test_the_private_folder_is_removed_before_any_step(tmp_path: Path) -> None:
    """Another program may do so at any moment; the file system's own exception never comes out."""
    refused = set()
    for number in count(1):
        private = tmp_path / f"{number}" / PRIVATE
        with before_step(number, partial(shutil.rmtree, private, ignore_errors=True)) as steps:
            try:
                assert OwnFiles(Workspace(private.parent)).write("a.png", b"1")
            except LabrigError as error:
                refused.add((error.code, error.where))
        if len(steps) < number:
            break
    assert refused >= {("not_found", f"{PRIVATE}/own-files")}


def test_keep_replaces_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    files = OwnFiles(Workspace(tmp_path))
    assert [files.keep("a.png", each) for each in (b"1", b"2", b"1", b"2")] == ["a.png", "a_2.png"] * 2
    with pytest.raises(ValueError, match="cannot be written"):
        files.keep("../a.png", b"1")


@pytest.mark.parametrize("name", ["../a", ".a", "a/b", "", "a\n", "-a", "x" * 200])
def test_unsafe_names(tmp_path: Path, name: str) -> None:
    assert not OwnFiles(Workspace(tmp_path)).write(name, "1")


def test_a_ledger_cut_half_way_makes_nothing_ours(tmp_path: Path) -> None:
    assert OwnFiles(Workspace(tmp_path)).write("a", "1")
    (tmp_path / ".labrig" / "own-files").write_text('{"a": "12')
    assert OwnFiles(Workspace(tmp_path)).write_somewhere("a", "2") == "a_2"
