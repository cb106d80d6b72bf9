"""A reader of tables that a file has taken over: whatever it answers is an error, and small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.tables import Description, apart

ANSWERS = {
    "no-json": b"\xff",
    "a list": b"[1, 2]",
    "another shape": b'{"a": 1}',
    "other types": b'{"format": [], "rows": "no", "columns": "abc", "notes": 7}',
    "no number": b'{"format": "x", "rows": NaN, "columns": []}',
    "nested": b"[" * 1_000_000,
    "large": b'{"format": "x", "rows": 1, "columns": [], "about": {"a": "' + b"y" * (5 << 20) + b'"}}',
}
MODULE = f"""
import os
ANSWERS = {ANSWERS!r}

def work(question):
    if question["path"] == "nested refusal":
        os.write(2, b'{{"a": ' * 300000)
        os._exit(2)
    return ANSWERS[question["path"]]
"""


async def test_what_a_reader_says_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken_over.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said = {}
    with (tmp_path / "taken_over.py").open("rb") as file:
        async with Children("taken_over", what=apart.WHAT, limits=apart.LIMITS) as readers:
            for name in (*ANSWERS, "nested refusal"):
                with pytest.raises(LabrigError) as caught:
                    await apart.describe_apart(readers, file.fileno(), name)
                assert len(json.dumps(caught.value.to_dict())) < 5000
                said[name] = caught.value.code
    assert {name for name, code in said.items() if code != "bad_input"} == {"large", "nested refusal"}
    assert said["large"] == "limit" and said["nested refusal"] == "engine"


TOGETHER = """
import json, os
def work(question):
    if "paths" not in question:
        return json.dumps({"format": "alone", "rows": 1, "columns": []}).encode()
    match question["paths"][0]:
        case "crash":
            os.kill(os.getpid(), 11)
        case "short":
            return b"[]"
        case "shape":
            return b'[{"format": 7, "rows": 1, "columns": []}, {"what": "no table"}]'
        case "word":
            return b"7"
    return b'[{"format": "csv", "rows": 1, "columns": []}, {"what": "no table"}]'
"""


async def test_tables_that_are_described_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "several.py").write_text(TOGETHER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (tmp_path / "several.py").open("rb") as file:
        async with Children("several", what=apart.WHAT, limits=apart.LIMITS) as readers:
            files = [(file.fileno(), "right"), (file.fileno(), "b")]
            one, other = await apart.describe_together(readers, files)
            assert isinstance(one, Description) and one.format == "csv"
            assert isinstance(other, LabrigError) and (other.what, other.where) == ("no table", "b")
            for wrong in ("crash", "short", "shape", "word"):  # then each has a child of its own
                found = await apart.describe_together(readers, [(file.fileno(), wrong), (file.fileno(), "b")])
                assert [getattr(each, "format", "") for each in found] == ["alone", "alone"], wrong
