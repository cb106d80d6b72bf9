"""The tools of a folder against programs that are not ours: pandas, GNU grep, find, head and tail."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.repository.test_server import Rig, served

from support.late import late

pytestmark = pytest.mark.accept

pd = late("pandas")

WORDS = ("oxygen", "Lake", "depth", "qc=9", "n.a.", "ÖL", "t_air", "site-3", "temp", "x")


def _run(*words: str, at: Path) -> list[str]:
    done = subprocess.run(
        words, cwd=at, capture_output=True, text=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Write 60 texts in folders of three levels, and 12 tables with gaps."""
    top = tmp_path_factory.mktemp("oracles")
    root, drawn = top / "survey", random.Random("repository oracles")
    for number in range(60):
        parts = [f"f{drawn.randrange(4)}" for _ in range(drawn.randrange(4))]
        place = root.joinpath(*parts)
        place.mkdir(parents=True, exist_ok=True)
        rows = [
            " ".join(drawn.choices(WORDS, k=drawn.randrange(1, 6))) for _ in range(drawn.randrange(1, 30))
        ]
        (place / f"note_{number}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (root / "tables").mkdir()
    for number in range(12):
        lines = ["site,count,level"]
        for _ in range(drawn.randrange(5, 200)):
            count = "" if drawn.random() < 0.2 else str(drawn.randrange(-50, 5_000))
            level = "" if drawn.random() < 0.1 else repr(drawn.uniform(-4, 900))
            lines.append(f"{drawn.choice('ABCD')},{count},{level}")
        (root / "tables" / f"t{number}.csv").write_text("\n".join(lines) + "\n")
    return top, root


@pytest.fixture(scope="module")
def rig(folder: tuple[Path, Path]) -> Iterator[Rig]:
    top, root = folder
    with served(top, "default", root) as held:
        yield held


def _pages(rig: Rig, tool: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Give the answers of a call, page by page."""
    cursor = ""
    while True:
        answer = rig.own(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        yield answer
        following = re.search(r"cursor='([^']+)'", answer.get("next", ""))
        if following is None:
            return
        cursor = following[1]


def test_ranges_and_gaps_are_those_of_pandas(rig: Rig, folder: tuple[Path, Path]) -> None:
    for path in sorted((folder[1] / "tables").iterdir()):
        frame = pd.read_csv(path)
        told = rig.own("describe_table", path=f"tables/{path.name}")["data"]
        assert told["rows"] == len(frame) and [each["name"] for each in told["columns"]] == list(frame)
        for each in told["columns"]:
            column = frame[each["name"]]
            assert each.get("missing", 0) == int(column.isna().sum())
            if each["type"] != "text":
                assert (each["min"], each["max"]) == (column.min(), column.max())
            else:
                assert each["distinct"] == column.value_counts().to_dict()


@pytest.mark.parametrize("word", ["oxygen", "lake", "qc=9", "n.a."])
def test_the_lines_are_those_of_grep(rig: Rig, folder: tuple[Path, Path], word: str) -> None:
    lines: dict[str, list[int]] = {}
    for line in _run("grep", "-rniF", "--", word, ".", at=folder[1]):
        path, number, _ = line.removeprefix("./").split(":", 2)
        lines.setdefault(path, []).append(int(number))
    shown: dict[str, list[int]] = {}
    hidden: dict[str, int] = {}
    for answer in _pages(rig, "search_files", query=word, where="contents"):
        for hit in answer["data"]["hits"]:
            shown.setdefault(hit["path"], []).append(hit["line"])
            hidden[hit["path"]] = hit.get("more", 0)
    assert shown == {path: found[:5] for path, found in lines.items()} and len(lines) > 10
    assert hidden == {path: len(found[5:]) for path, found in lines.items()}


def test_the_names_are_those_of_find(rig: Rig, folder: tuple[Path, Path]) -> None:
    expected = _run("find", ".", "-type", "f", "-printf", "%P\n", at=folder[1])
    told = [
        line.partition("  (")[0]
        for answer in _pages(rig, "list_directory", depth=None)
        for line in answer["text"].splitlines()
    ]
    assert sorted(told) == sorted(expected) and len(told) == 72


def test_the_lines_read_are_those_of_head_and_tail(rig: Rig, folder: tuple[Path, Path]) -> None:
    texts = sorted(folder[1].glob("*.txt"))[:5]
    assert len(texts) == 5
    for path in texts:
        for word in ("head", "tail"):
            told = rig.call("read_text_file", path=path.name, **{word: 3})
            assert "\n".join(_run(word, "-n", "3", path.name, at=folder[1])) in told.content[0].text
