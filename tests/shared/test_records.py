"""Answers, cursors, artifacts, call records: same thing, same bytes; damaged thing, clear error."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from labrig.answer import ANSWER_SCHEMA, Answer, Quantity, json_bytes
from labrig.artifacts import ArtifactStore
from labrig.calls import CallLog, call_key
from labrig.canonical import canonical_json, content_hash
from labrig.errors import LabrigError, unknown_name
from labrig.tools import cursor
from labrig.workspace import Workspace


def test_canonical_json_is_one_form() -> None:
    assert canonical_json({"b": 1, "a": [1.0, "µ", None]}) == '{"a":[1.0,"µ",null],"b":1}'.encode()
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json({"a": float("nan")})


def test_answer_is_complete_in_both_forms() -> None:
    answer = Answer(
        source="PHREEQC x",
        status="ok_with_warnings",
        values=(Quantity("pH", 7.28, "1", "step 1"), Quantity("SI", None, "1", "phase absent")),
        text="outline",
        data={"rows": 3},
        warnings=("careful",),
        artifacts=({"handle": "sha256:ab"},),
        next="read_file",
    )
    structured = answer.to_dict()
    jsonschema.validate(structured, ANSWER_SCHEMA)
    text = answer.render()
    for part in ("7.28", "phase absent", "careful", "outline", "rows", "sha256:ab", "PHREEQC x", "read_file"):
        assert part in text
        assert part in json.dumps(structured)
    assert structured == {
        "status": "ok_with_warnings",
        "values": [
            {"name": "pH", "value": 7.28, "unit": "1", "note": "step 1"},
            {"name": "SI", "value": None, "unit": "1", "note": "phase absent"},
        ],
        "text": "outline",
        "data": {"rows": 3},
        "warnings": ["careful"],
        "artifacts": [{"handle": "sha256:ab"}],
        "source": "PHREEQC x",
        "next": "read_file",
    }
    assert replace(answer, failed=True, record={"seed": 1}).to_dict() == structured, (
        "isError and _meta say these"
    )
    jsonschema.validate(Answer(source="s").to_dict(), ANSWER_SCHEMA)
    assert len(json.dumps(ANSWER_SCHEMA, separators=(",", ":"))) < 700


def test_cursors_belong_to_their_question() -> None:
    first, mark = cursor.page(range(130), ["q", 1], "", 60)
    second, mark = cursor.page(range(130), ["q", 1], mark, 60)
    third, end = cursor.page(range(130), ["q", 1], mark, 60)
    assert [*first, *second, *third] == list(range(130))
    assert end == ""
    with pytest.raises(LabrigError, match="other arguments"):
        cursor.page(range(130), ["q", 2], mark, 60)
    for wrong in ("nonsense", "=", "AAAA", mark[:-3], "é", "W10"):
        with pytest.raises(LabrigError):
            cursor.page(range(130), ["q", 1], wrong, 60)


def test_artifacts_are_named_by_content(tmp_path: Path) -> None:
    store = ArtifactStore(Workspace(tmp_path / "work"))
    made = store.put(
        "result.out", b"text", media_type="text/plain", made_by={"tool": "t"}, inputs={"i": "0" * 64}
    )
    again = store.put("other.out", b"text", media_type="text/plain")
    assert made.handle == again.handle
    assert store.read(made.handle) == b"text"
    assert store.get(made.handle).made_by == {"tool": "t"}
    path = tmp_path / "work" / ".labrig" / "artifacts" / made.sha256
    path.write_bytes(b"tampered")
    with pytest.raises(LabrigError, match="hash"):
        store.read(made.handle)
    for wrong in ("sha256:" + "0" * 16, "sha256:12", "../x", ""):
        with pytest.raises(LabrigError):
            store.get(wrong)


def _append(log: CallLog, **changes: Any) -> Any:
    fields: dict[str, Any] = {
        "server": "phreeqc",
        "tool": "read_file",
        "arguments": {"path": "x"},
        "result": {"content": [{"type": "text", "text": "µ"}], "isError": False},
        "error": None,
        "tools_hash": "0" * 64,
        "versions": {"labrig": "0"},
        "meta": {"started": "now"},
    }
    return log.append(**{**fields, **changes})


def test_call_records_keep_everything_once(tmp_path: Path) -> None:
    log = CallLog(tmp_path)
    timed = {
        "content": [{"type": "text", "text": "µ"}],
        "isError": False,
        "_meta": {"labrig": {"volatile": {"duration_s": 0.5}}, "transport": {"id": 7}},
    }
    first, second = _append(log), _append(log, result=timed)
    dead = _append(log, result=None, error={"code": "protocol", "what": "gone"})
    assert first.result == second.result, "times and transport data are outside the hash"
    assert second.meta["duration_s"] == 0.5
    assert len(list((tmp_path / "blobs").iterdir())) == 1
    assert [record.is_error for record in log] == [False, False, True]
    assert log.result(first)["content"][0]["text"] == "µ"
    assert dead.result == ""
    assert first.key == call_key("phreeqc", "read_file", {"path": "x"})


def test_damaged_call_logs_say_where(tmp_path: Path) -> None:
    log = CallLog(tmp_path)
    record = _append(log)
    (tmp_path / "blobs" / f"{record.result}.json").write_bytes(b"{}")
    with pytest.raises(LabrigError, match="hash"):
        log.result(record)
    with (tmp_path / "calls.jsonl").open("a") as file:
        file.write('{"schema": "labrig.call/1", "trunc')
    with pytest.raises(LabrigError, match=r"calls\.jsonl:2"):
        list(log)


def test_errors_say_what_to_do() -> None:
    error = unknown_name("database", "phreeq.dat", ["phreeqc.dat", "pitzer.dat"], where="database")
    assert error.to_dict()["try"].startswith("did you mean phreeqc.dat")
    assert LabrigError.from_dict(error.to_dict()).to_dict() == error.to_dict()
    assert LabrigError.from_dict({"code": "new", "what": "x"}).code == "internal"


@pytest.mark.parametrize(
    "text",
    ["a b", 'a"b', "a\\b", "a\nb", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\ud800", "x\x7f", "[]{}~ !#", ""],
)
def test_the_size_of_a_text_is_that_of_its_json(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")
    assert json_bytes(text) == len(written) == json_bytes([text]) - 2
