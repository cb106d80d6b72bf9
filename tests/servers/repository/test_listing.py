"""list_directory's rules, against a second statement of them over nested dictionaries, in memory and on disk."""

from __future__ import annotations

import tempfile
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_repository.folder import listing
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.listing import list_directory
from labrig_repository.folder.store import PathTree, Repository
from support.memory_repository import Memory

FILES = (
    "README.md",
    "a/b/c/d.json",
    "a/b1/c.csv",
    "a/b2/c.csv",
    "a/b2/d/c.csv",
    "e/b1/f.csv",
    "run[1]/x.csv",
    "run1/y.csv",
    "s*r/z.csv",
    "star/z.csv",
)


def memory(*paths: str) -> Memory:
    return Memory(dict.fromkeys(paths or FILES, b""))


def lines(repository: Repository, prefix: Any = "/*", depth: Any = 1) -> list[str]:
    return [each.shown for each in list_directory(repository, prefix, depth)]


@pytest.mark.parametrize(
    ("prefix", "depth", "expected"),
    [
        ("/*", 1, ["README.md", "a", "e", "run1", "run[1]", "s*r", "star"]),
        ("", 1, ["README.md", "a", "e", "run1", "run[1]", "s*r", "star"]),
        ("/", 1, ["README.md", "a", "e", "run1", "run[1]", "s*r", "star"]),
        ("/a/b", 2, ["c/d.json"]),
        ("a/b/", 2, ["c/d.json"]),  # the leading / is optional, a trailing one means nothing
        ("//a//./b", 1, ["c"]),
        ("a/x/../b", 1, ["c"]),
        ("/a/b*", 2, ["b/c", "b1/c.csv", "b2/c.csv", "b2/d"]),  # a matched name is kept
        ("/a/b?", 2, ["b1/c.csv", "b2/c.csv", "b2/d"]),
        ("/*/b1", 2, ["a/c.csv", "e/f.csv"]),  # a literal part is not
        ("/*/b1", 1, ["a", "e"]),  # and the depth counts what is kept
        ("/*/b2", 1, ["a"]),  # a branch that holds nothing of the kind is left out
        ("/*/b1/c.csv", None, ["a/c.csv"]),
        ("/a/*/c.csv", None, ["b1/c.csv", "b2/c.csv"]),
        ("/*a*", 0, ["a/b/c/d.json", "a/b1/c.csv", "a/b2/c.csv", "a/b2/d/c.csv", "star/z.csv"]),
        ("/a/b1/c.csv", 1, ["c.csv"]),  # a file names itself
        ("/a/b1/c.csv/", 1, ["c.csv"]),
        ("/a/b1/c.csv/x", 1, []),
        ("/b", 1, []),  # no sibling by a common beginning
        ("/A", 1, []),  # case counts
        ("%61", 1, []),  # nothing is decoded
        ("/run[1]", 1, ["x.csv"]),
        ("/run[1]*", 2, ["run[1]/x.csv"]),  # brackets are themselves, beside a wildcard too
        ("/s*r", 2, ["s*r/z.csv", "star/z.csv"]),  # a name with a wildcard matches itself
        ("\\a", 1, []),
        ("/a/b*", 10**9, ["b/c/d.json", "b1/c.csv", "b2/c.csv", "b2/d/c.csv"]),
    ],
)
def test_what_a_prefix_lists(prefix: str, depth: int | None, expected: list[str]) -> None:
    assert lines(memory(), prefix, depth) == expected


def test_a_result_knows_its_path_in_the_repository() -> None:
    found = [(each.shown, each.path, each.kind) for each in list_directory(memory(), "/*/b1", 2)]
    assert found == [("a/c.csv", "a/b1/c.csv", "file"), ("e/f.csv", "e/b1/f.csv", "file")]


@pytest.mark.parametrize(
    "prefix", ["..", "/..", "a/../../b", "/../a", "a\0b", 7, None, "x" * 4097, "a/" * 300]
)
def test_prefixes_that_cannot_be(prefix: Any) -> None:
    with pytest.raises(LabrigError, match="path"):
        lines(memory(), prefix)


@pytest.mark.parametrize("depth", [-1, True, 1.5, "2"])
def test_depths_that_cannot_be(depth: Any) -> None:
    with pytest.raises(LabrigError, match="depth"):
        lines(memory(), "/*", depth)


def test_a_wildcard_that_could_go_wrong_for_ages_does_not() -> None:
    assert lines(memory("a" * 200 + "/x"), "*a" * 60 + "*b", 1) == []


def test_the_other_unicode_form_of_a_name_is_found() -> None:
    composed, apart = "donn\u00e9es", "donne\u0301es"
    assert lines(memory(f"{apart}/a.csv"), f"/{composed}") == ["a.csv"]
    both = memory(f"{apart}/a.csv", f"{composed}/b.csv")
    assert (lines(both, f"/{composed}"), lines(both, f"/{apart}")) == (["b.csv"], ["a.csv"])


def test_a_listing_that_looks_at_too_much_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_SEEN", 10)
    with pytest.raises(LabrigError, match="more than 10 names"):
        lines(memory(), "/*", None)


def test_links_that_go_round_in_circles_do_not_make_a_listing_endless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / name).symlink_to(".")
    monkeypatch.setattr(listing, "MOST_SECONDS", 0.2)
    with closing(Folder(tmp_path)) as folder:
        for depth in (1, 30):  # also where each name is only asked whether it holds anything
            with pytest.raises(LabrigError, match="took more than"):
                list(listing.list_directory(folder, "*/" * 30 + "none*", depth))
        monkeypatch.setattr(listing, "MOST_SECONDS", 60.0)
        monkeypatch.setattr(listing, "MOST_SEEN", 1000)
        with pytest.raises(LabrigError, match="more than 1,000 names"):
            list(listing.list_directory(folder, "*/" * 30 + "none*", 1))


def test_ten_thousand_paths_are_listed_in_order() -> None:
    paths = [f"site{i % 40:02d}/2020-{i % 12 + 1:02d}/run_{i:05d}.csv" for i in range(10_000)]
    assert lines(memory(*paths), "/*", None) == sorted(paths)


def test_a_tree_of_paths_knows_its_folders() -> None:
    tree = PathTree(["b/c/d.csv", "a.csv", "b/e.csv"])
    assert [(each.name, each.kind) for each in tree.entries("")] == [("a.csv", "file"), ("b", "folder")]
    assert [tree.kind(path) for path in ("", "b", "b/c/d.csv", "b/c/d", "b/c/d.csv/e")] == [
        "folder",
        "folder",
        "file",
        None,
        None,
    ]


NAME = st.text("ab[1", min_size=1, max_size=2)
PART = st.text("ab[1*?", min_size=1, max_size=3)


@pytest.mark.accept
@given(
    st.lists(st.lists(NAME, min_size=1, max_size=4), min_size=1, max_size=12),
    st.lists(PART, max_size=4),
    st.sampled_from([None, 0, 1, 2, 3]),
)
def test_any_prefix_agrees_with_the_rules_in_other_words(
    files: list[list[str]], parts: list[str], depth: int | None
) -> None:
    tree: dict[str, Any] = {}
    kept = []
    for names in files:
        if _plant(tree, names):
            kept.append("/".join(names))
    expected = sorted(_cut(_selected(tree, parts), depth or 99), key=lambda line: line.split("/"))
    assert lines(Memory(dict.fromkeys(kept, b"")), "/".join(parts), depth) == expected
    with tempfile.TemporaryDirectory() as top:
        for path in kept:
            (Path(top) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(top) / path).touch()
        folder = Folder(Path(top))
        assert lines(folder, "/".join(parts), depth) == expected
        folder.close()


def _plant(tree: dict[str, Any], names: list[str]) -> bool:
    """Put a file into nested dictionaries unless a file is in its way or its name is a folder's."""
    for name in names[:-1]:
        tree = tree.setdefault(name, {})
        if tree is None:
            return False
    return tree.setdefault(names[-1], None) is None


def _selected(tree: dict[str, Any], parts: list[str]) -> dict[str, Any]:
    """Return the tree that is listed: matched names stay, literal parts go."""
    if not parts:
        return tree
    first, rest = parts[0], parts[1:]
    wild = "*" in first or "?" in first
    chosen = {name: below for name, below in tree.items() if fnmatchcase(name, first.replace("[", "[[]"))}
    if not wild:
        below = chosen.get(first, {})
        if below is None:
            return {} if rest else chosen
        return _selected(below, rest)
    if not rest:
        return chosen
    deeper = {name: _selected(below, rest) for name, below in chosen.items() if below is not None}
    return {name: below for name, below in deeper.items() if below}


def _cut(tree: dict[str, Any], depth: int) -> list[str]:
    found = []
    for name, below in tree.items():
        if below is None or depth == 1:
            found.append(name)
        else:
            found += [f"{name}/{line}" for line in _cut(below, depth - 1)]
    return found
