"""Searching names and contents: nothing is found that is not there, nothing is passed over in silence."""

from __future__ import annotations

import os
import time
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig.tools import cursor as cursors
from labrig_repository.folder import contents as kept_contents
from labrig_repository.folder import searching
from labrig_repository.folder.contents import Kept
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.searching import Page, path_matcher, search
from labrig_repository.folder.store import Version
from support.memory_repository import Memory

FILES = {
    "README.md": b"# Lake survey\nChlorophyll in ug/L\n",
    "a/lake_1.csv": b"t,chl\n1,2\n",
    "a/deep/lake_2.csv": b"t,chl\n1,3\nchl again,chl twice\n",
    "a/pond.csv": "Temp °C\n".encode("latin-1"),
    "b/wide.txt": b"x" * 500 + b" CHL " + b"y" * 500 + b"\n",
    "b/image.png": b"\x89PNG chl",
}


def found(query: str, **how: Any) -> Page:
    return search(Memory(FILES), query, **how)


def lines(page: Page) -> list[tuple[str, int | None]]:
    return [(each["path"], each.get("line")) for each in page.hits]


def test_names_and_contents() -> None:
    page = found("chl")
    assert lines(page) == [
        ("README.md", 2),
        ("a/deep/lake_2.csv", 1),
        ("a/deep/lake_2.csv", 3),  # once for each line
        ("a/lake_1.csv", 1),
        ("b/wide.txt", 1),
    ]
    assert (page.files, page.searched, page.cursor) == (6, 6, "")
    assert page.skipped == {"not text": {"count": 1, "such_as": "b/image.png"}}
    assert page.hits[0]["text"] == "Chlorophyll in ug/L"
    wide = page.hits[-1]["text"]
    assert "CHL" in wide and len(wide) < 180 and wide.startswith("...") and wide.endswith("...")
    assert lines(found("LAKE_")) == [("a/deep/lake_2.csv", None), ("a/lake_1.csv", None)]
    assert lines(found("lake", contents=False)) == [("a/deep/lake_2.csv", None), ("a/lake_1.csv", None)]
    assert lines(found("lake", names=False)) == [("README.md", 1)]
    assert lines(found("°C")) == [("a/pond.csv", 1)]


def test_folders_with_a_dot_are_passed_over_and_that_is_said() -> None:
    memory = Memory({".venv/lib/chl.py": b"", ".gitignore": b"chl", "a/.cache/chl": b"", "a/x": b""})
    page = search(memory, "chl")
    assert lines(page) == [(".gitignore", 1)]
    assert page.skipped == {"folder: passed over": {"count": 2, "such_as": ".venv"}}
    assert lines(search(memory, "chl", pattern=".venv/**")) == [(".venv/lib/chl.py", None)]
    assert lines(search(memory, "chl", pattern="a/.cache/*")) == [("a/.cache/chl", None)]


def test_folders_that_hold_no_work_are_passed_over_unless_they_are_named() -> None:
    memory = Memory(
        {
            "env/pyvenv.cfg": b"",
            "env/lib/chl.py": b"",
            "target/CACHEDIR.TAG": b"",
            "target/chl": b"",
            "web/node_modules/chl/index.js": b"",
            "a/__pycache__/chl.pyc": b"",
            "a/pyvenv.cfg.txt": b"chl",
        }
    )
    page = search(memory, "chl")
    assert lines(page) == [("a/pyvenv.cfg.txt", 1)]
    assert page.skipped == {"folder: passed over": {"count": 4, "such_as": "a/__pycache__"}}
    assert lines(search(memory, "chl", pattern="env/**")) == [("env/lib/chl.py", None)]
    assert lines(search(memory, "chl", pattern="web/node_modules/**")) == [
        ("web/node_modules/chl/index.js", None)
    ]
    assert lines(search(memory, "chl", pattern="web/**")) == []


def test_wildcards_select_names_by_their_end() -> None:
    assert [each["path"] for each in found("*.csv").hits] == [
        "a/deep/lake_2.csv",
        "a/lake_1.csv",
        "a/pond.csv",
    ]
    assert [each["path"] for each in found("LAKE_?.csv").hits] == ["a/deep/lake_2.csv", "a/lake_1.csv"]
    assert [each["path"] for each in found("deep/*").hits] == ["a/deep/lake_2.csv"]
    assert found("*.csv", names=False).hits == []


def test_regular_expressions_in_names_and_lines() -> None:
    assert lines(found("^t,CHL$", regex=True)) == [("a/deep/lake_2.csv", 1), ("a/lake_1.csv", 1)]
    assert lines(found(r"lake_[1-3]\.csv$", regex=True, contents=False)) == [
        ("a/deep/lake_2.csv", None),
        ("a/lake_1.csv", None),
    ]
    assert lines(found(r"ug/[LM]|\d,3", regex=True)) == [("README.md", 2), ("a/deep/lake_2.csv", 2)]


def test_an_expression_that_could_take_for_ever_does_not() -> None:
    memory = Memory({"f": b"a" * 500_000 + b"\n" + b"b,1\n"})
    before = time.process_time()
    assert lines(search(memory, r"((a+)+)+c|^b,\d$", regex=True)) == [("f", 2)]
    assert time.process_time() - before < 60  # not a matter of speed: it took years


@pytest.mark.parametrize(
    "query", ["(", "[a", "*a", "(?<=a)b", r"(a)\1", "(a{1000}){1000}", r"((\p{L}{30}){30}){30}", "a*", "x|"]
)
def test_what_is_no_expression_to_search_by(query: str) -> None:
    with pytest.raises(LabrigError) as caught:
        found(query, regex=True)
    assert caught.value.where == "query" and caught.value.code == "bad_input"


@pytest.mark.parametrize("query", ["uS/cm", "\u00b5S/cm", "\u03bcS/CM", "-3 mV"])
def test_characters_that_are_written_for_each_other(query: str) -> None:
    written = ["uS/cm -3 mV", "\u00b5S/cm \u22123\u00a0mV", "\u03bcS/cm -3\u202fmV"]
    memory = Memory({f"{number}.txt": text.encode() for number, text in enumerate(written)})
    assert lines(search(memory, query)) == [("0.txt", 1), ("1.txt", 1), ("2.txt", 1)]
    assert search(memory, query).hits[1]["text"] == written[1]  # as the file has it


def test_the_text_is_no_pattern() -> None:
    assert found(".*").hits == []
    assert found("(a+)+$").hits == []


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*.csv", 3),
        ("/a/*.csv", 2),
        ("a/**", 3),
        ("**/lake_?.csv", 2),
        ("a/**/*.csv", 3),
        ("**", 6),
        ("README.md", 1),
        ("b", 0),
        ("*/deep/*", 1),
    ],
)
def test_patterns(pattern: str, files: int) -> None:
    assert found("chl", pattern=pattern).files == files


@given(
    st.lists(st.sampled_from(["a", "b*", "?", "**", "*", "[a]", "ab"]), min_size=1, max_size=5),
    st.lists(st.text("ab[]", min_size=1, max_size=3), min_size=1, max_size=5),
)
def test_any_pattern_agrees_with_its_definition(parts: list[str], names: list[str]) -> None:
    @cache
    def matches(part: int, name: int) -> bool:
        if part == len(parts):
            return name == len(names)
        if parts[part] == "**":
            return matches(part + 1, name) or (name < len(names) and matches(part, name + 1))
        literal = parts[part].replace("[", "[[]")
        return name < len(names) and fnmatchcase(names[name], literal) and matches(part + 1, name + 1)

    assert path_matcher(parts)("/".join(names)) == matches(0, 0)


def test_patterns_that_could_go_wrong_for_ages_do_not() -> None:
    before = time.process_time()
    assert not path_matcher(["**", "*"] * 60 + ["x"])("/".join(["ab"] * 120))
    assert not path_matcher(["*a" * 60 + "b"])("a" * 255)
    assert time.process_time() - before < 60  # not a matter of speed: either took years


def test_pages_give_every_hit_once() -> None:
    memory = Memory({f"{n:03d}.csv": b"hit\nhit\n" for n in range(50)})
    cursor, hits = "", []
    while True:
        page = search(memory, "hit", cursor=cursor, size=7)
        assert len(page.hits) <= 8
        hits += lines(page)
        if not (cursor := page.cursor):
            break
    assert hits == [(f"{n:03d}.csv", line) for n in range(50) for line in (1, 2)]


def test_a_page_ends_after_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MOST_PAGE_BYTES", 100)
    memory = Memory({f"{n}.txt": b"nothing\n" * 10 for n in range(9)})
    page = search(memory, "hit")
    assert page.hits == [] and page.searched == 2 and page.cursor


def test_a_cursor_that_was_made_up_ends_the_search() -> None:
    question = [Memory(FILES).name, "chl", False, "**", True, True, found("chl").files]
    page = found("chl", cursor=cursors.encode(question, 10**6))
    assert (page.hits, page.searched, page.cursor) == ([], 0, "")


def test_a_cursor_belongs_to_its_question() -> None:
    cursor = found("chl", size=1).cursor
    assert cursor
    for how in ({"query": "lake"}, {"pattern": "*.csv"}, {"names": False}):
        with pytest.raises(LabrigError, match="cursor"):
            search(Memory(FILES), **{"query": "chl", "cursor": cursor, **how})
    with pytest.raises(LabrigError, match="cursor"):
        search(Memory(FILES | {"new.txt": b""}), "chl", cursor=cursor)


def test_many_lines_of_one_file_are_counted() -> None:
    page = search(Memory({"f": b"x\n" * 100}), "x", names=False)
    assert len(page.hits) == searching.HITS_PER_FILE
    assert page.hits[-1] == {"path": "f", "line": 5, "text": "x", "more": 95}


def test_a_large_file_is_searched_in_its_beginning_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_contents, "MOST_FILE_BYTES", 1 << 20)
    page = search(Memory({"f": b"a\n" * (1 << 20) + b"hit"}), "hit")
    assert page.hits == []
    assert page.skipped == {"searched in the first 1 MiB only": {"count": 1, "such_as": "f"}}


@pytest.mark.parametrize("query", ["", "  ", "x" * 201])
def test_texts_that_cannot_be_looked_for(query: str) -> None:
    with pytest.raises(LabrigError, match="query"):
        found(query)


def test_a_second_search_reads_what_has_changed_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    kept = Kept(now=lambda: time.time_ns() + 3600 * 10**9)
    reads = searching.read_contents
    monkeypatch.setattr(
        searching, "read_contents", lambda of, found, by: (read.append(found.path), reads(of, found, by))[1]
    )
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"{name} first\n")
    folder = Folder(tmp_path)

    def searched(query: str) -> list[tuple[str, int | None]]:
        read.clear()
        return lines(search(folder, query, kept=kept))

    assert len(searched("first")) == 3 and read == ["a.txt", "b.txt", "c.txt"]
    assert len(searched("FIRST")) == 3 and read == []
    (tmp_path / "b.txt").write_text("b other\n")  # of the same length, and its times are another's
    os.utime(tmp_path / "b.txt", ns=(0, (tmp_path / "a.txt").stat().st_mtime_ns))
    os.replace(tmp_path / "c.txt", tmp_path / "d.txt")
    assert searched("first") == [("a.txt", 1), ("d.txt", 1)] and read == ["b.txt", "d.txt"]
    folder.close()


def test_what_has_just_changed_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    folder, kept = Folder(tmp_path), Kept(now=lambda: (tmp_path / "a.txt").stat().st_ctime_ns)
    search(folder, "one", kept=kept)
    (entry,) = folder.entries("")
    assert entry.version is not None and kept.find((folder.name, "a.txt"), entry.version) is None
    folder.close()


def test_what_is_kept_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_contents, "MOST_KEPT_BYTES", 5_000)
    kept, version = Kept(), Version(1, 0, 0, 0, 0)
    for number in range(6):
        text = "x" * 600
        kept.keep(("r", str(number)), version, kept_contents.Contents(text, text))
        kept.find(("r", "0"), version)  # used all the time
    assert [bool(kept.find(("r", str(n)), version)) for n in range(6)] == [
        True,
        False,
        False,
        True,
        True,
        True,
    ]
