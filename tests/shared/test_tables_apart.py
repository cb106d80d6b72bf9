"""A reader of tables that a file has taken over: whatever it answers is an error, and small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.tables import apart

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
