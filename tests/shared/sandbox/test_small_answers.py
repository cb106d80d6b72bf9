"""The Answer of a run keeps to its size, whatever the code printed, left and was warned of; nothing of it is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig.answer import ANSWER_BYTES, Answer, json_bytes, with_fewer_warnings
from labrig.artifacts import ArtifactStore
from labrig.sandbox.answers import TEXT_CHARACTERS, answer
from labrig.sandbox.results import Result
from labrig.workspace import Workspace


@pytest.mark.parametrize(
    "fields",
    [
        {"output": "y\n" * 3_000},
        {"output": "\x01" * 5_000},
        {"output": "\N{SNOWMAN}" * 9_000},
        {"files": {f"run {n}.txt": b"n" for n in range(100)}},
        {"files": {f"run {n}.txt": b"n" for n in range(100)}, "output": "é\n" * 9_000},
        {"notes": tuple(f"note {n} " + "x" * 200 for n in range(90))},
        {"files": {f"{'d/' * 60}{n}.png": b"n" for n in range(100)}, "output": "y\n" * 3_000},
    ],
    ids=["line feeds", "escapes", "snowmen", "files", "files and text", "notes", "pictures and text"],
)
def test_an_answer_keeps_to_its_size(fields: dict[str, Any], tmp_path: Path) -> None:
    store = ArtifactStore(Workspace(tmp_path))
    result = Result("ok", backend="landlock", **fields)
    made = answer(result, code="x", artifacts=store, source="Python")
    assert json_bytes(made.to_dict()) <= ANSWER_BYTES
    kept = {each["name"]: each["handle"] for each in made.artifacts}
    if len(made.text) < len(result.output):
        assert store.read(kept["output.txt"]).decode() == result.output
        assert kept["output.txt"] in made.text
    if result.files:
        lines = store.read(kept["files.jsonl"]).decode().splitlines()
        listed = {each["name"]: each["handle"] for each in map(json.loads, lines)}
        assert result.files.keys() <= listed.keys()
        assert store.read(listed[next(reversed(result.files))]) == b"n"
        assert "not shown" in made.warnings[0]
        assert kept["files.jsonl"] in made.warnings[0]


def test_an_answer_that_fits_is_as_it_was(tmp_path: Path) -> None:
    store = ArtifactStore(Workspace(tmp_path))
    result = Result("ok", output="x" * (TEXT_CHARACTERS + 1), files={"a.txt": b"a"}, backend="landlock")
    made = answer(result, code="x", artifacts=store, source="Python")
    assert [each["name"] for each in made.artifacts] == ["output.txt", "a.txt"]
    assert len(made.text.replace("x", "")) < 100
    assert made.text.count("x") == TEXT_CHARACTERS
    assert made.warnings == ()


def test_warnings_that_have_no_room_are_counted() -> None:
    small = Answer(source="s", warnings=("a", "b"))
    assert with_fewer_warnings(small) is small
    large = Answer(source="s", warnings=tuple("x" * 300 for _ in range(60)))
    cut = with_fewer_warnings(large)
    assert json_bytes(cut.to_dict()) <= ANSWER_BYTES
    kept = len(cut.warnings) - 1
    assert kept > 20
    assert cut.warnings[-1] == f"{60 - kept} more warnings are not shown"
    assert len(with_fewer_warnings(large, 100).warnings) == 6
