"""The tool log of The Amazing Agent Race: calls as turns, the answer beside it, what was tampered with."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from labrig_programs import reading
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats.detect import formats_of
from labrig_study.logs.opening import read_file


def line(tool: str = "maps_geocode", ts: Any = 1.0, preview: str = "{}", **more: Any) -> dict[str, Any]:
    args = {"address": "Oxford"}
    found = {
        "tool": tool,
        "args": args,
        "success": True,
        "result_preview": preview,
        "result_len": len(preview),
        "ts": ts,
    }
    return {**found, **more}


def read(*events: Any) -> list[ReadRun]:
    log = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in events)
    return reading.read("aar-tools", io.BytesIO(log.encode()))


def test_each_call_is_a_turn_with_its_result() -> None:
    (run,) = read(line(), line("fetch_webpage", 2.0, "Error: 404", success=False, args={"url": "https://x"}))
    assert [[call.tool for call in step.calls] for step in run.steps] == [["maps_geocode"], ["fetch_webpage"]]
    first, second = (step.calls[0] for step in run.steps)
    assert run.results[first.id] == {"content": [{"type": "text", "text": "{}"}], "isError": False}
    assert run.results[second.id]["isError"] and second.arguments == {"url": "https://x"}
    assert run.skipped == () and "warnings" not in run.meta and not run.tokens.measured


def test_what_was_changed_is_said_and_what_cannot_be_read_is_counted() -> None:
    (run,) = read(
        line(ts=5.0),
        line(ts=4.0),
        line(result_len=1, preview="long"),
        line(preview="x" * 2001),
        {"tool": "x"},
        '{"tool": "maps_geo',
    )
    assert len(run.steps) == 4
    assert run.meta["warnings"] == [
        "line 2 is earlier than a line before it",
        "line 3 is earlier than a line before it",
        "line 3 shows more of the result than there was of it",
        "line 4 is earlier than a line before it",
        "line 4 shows more than 2000 characters",
    ]
    assert len(run.skipped) == 2


@pytest.mark.parametrize(
    "odd", [line(args=None), line(args=[1]), line(args="x"), line(success="no"), line(ts="then")]
)
def test_a_line_of_odd_values_is_a_call_with_its_fault(odd: dict[str, Any]) -> None:
    (run,) = read(odd)
    (call,) = run.steps[0].calls
    assert isinstance(call.arguments, dict)
    assert run.results[call.id]["isError"] is (odd["success"] is not True)


def test_the_answer_lies_beside_the_log(tmp_path: Path) -> None:
    log = tmp_path / "tool_log.jsonl"
    log.write_text(json.dumps(line()) + "\n")
    assert formats_of(log) == ["aar-tools"]
    (run,) = read_file("aar-tools", log)
    assert (run.committed, run.end) == (None, "no_answer")
    (tmp_path / "answer.txt").write_text("4\n")
    (run,) = read_file("aar-tools", log)
    assert run.committed == "4\n"
    (tmp_path / "answer.txt").unlink()
    (tmp_path / "answer.txt").symlink_to("/etc/passwd")
    (run,) = read_file("aar-tools", log)
    assert run.committed is None
