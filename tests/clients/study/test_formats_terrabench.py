"""Traces of TerraBench: four shapes read alike, what is broken in them, and ours written and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_harness.records import outfolder
from labrig_harness.records.verify import contradiction
from labrig_harness.trajectory import Trajectory
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats import terrabench
from labrig_study.formats.detect import formats_of
from labrig_study.logs.exporting import export
from labrig_study.logs.importing import import_logs
from labrig_study.logs.opening import read_file

FIELD = {"key": "days", "value": 12, "abs_tol": 1, "rel_tol": 0, "floor_scale": 0}
FINAL = f"Twelve days. <final_json>{json.dumps([FIELD])}</final_json>"
ERA5 = {"variable": "t2m", "start": "2020-07-01"}
REFUSED = {"status": "error", "error": True, "message": "no threshold"}

WRITER = {
    "run_id": "7",
    "metadata": {
        "user_request": "How many days?",
        "started_at": "2026-01-01T10:00:00Z",
        "finished_at": "2026-01-01T10:02:30Z",
    },
    "trajectory": [
        {"type": "user", "sender": "user", "timestamp": "2026-01-01 10:00:00", "content": "How many days?"},
        {
            "type": "think",
            "sender": "agent",
            "timestamp": "2026-01-01 10:00:01",
            "content": "First the field.",
        },
        {
            "type": "tools",
            "sender": "agent",
            "timestamp": "2026-01-01 10:00:01",
            "name": "fetch_era5",
            "args": ERA5,
        },
        {
            "type": "observation",
            "sender": "system",
            "name": "fetch_era5",
            "output": [{"type": "text", "text": "t.nc"}],
        },
        {"type": "tools", "sender": "agent", "name": "count_era5_events", "args": {}},
        {"type": "observation", "sender": "system", "name": "count_era5_events", "output": REFUSED},
        {"type": "answer", "sender": "agent", "content": FINAL},
    ],
}
CALLS = [
    {"type": "tool", "name": "fetch_era5", "arguments": ERA5, "status": "success", "content": "t.nc"},
    {
        "type": "tool",
        "name": "count_era5_events",
        "arguments": {},
        "status": "failed",
        "content": json.dumps(REFUSED),
    },
]
TALK = [{"type": "user", "content": "How many days?"}, {"type": "think", "content": "First the field."}]
STEPS = {"metadata": {"item_id": "Q7"}, "steps": [*TALK, *CALLS, {"type": "answer", "content": FINAL}]}
BLOCKS = {
    "messages": [
        {"role": "user", "content": "How many days?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "First the field."},
                {"type": "tool_use", "id": "c1", "name": "fetch_era5", "input": ERA5},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "id": "c1", "name": "fetch_era5", "output": "t.nc"}],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c2", "name": "count_era5_events", "input": {}}],
        },
        {"role": "system", "content": [{"type": "tool_result", "id": "c2", "output": json.dumps(REFUSED)}]},
        {"role": "assistant", "content": [{"type": "text", "text": FINAL}]},
    ]
}
OPENAI = {
    "messages": [
        {"role": "user", "content": "How many days?"},
        {"role": "reasoning", "content": "First the field."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "fetch_era5", "arguments": json.dumps(ERA5)}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "t.nc"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c2", "function": {"name": "count_era5_events", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c2", "name": "count_era5_events", "content": json.dumps(REFUSED)},
        {"role": "assistant", "content": FINAL},
    ]
}
SHAPES = {
    "trajectory": WRITER,
    "steps": STEPS,
    "trace": {"answers": [FIELD], "trace": STEPS["steps"]},
    "trace of a trace": {"trace": WRITER},
    "messages": BLOCKS,
    "messages of another form": OPENAI,
}


def told(run: ReadRun) -> list[tuple[str, dict[str, Any], bool, str]]:
    results = run.results
    return [
        (
            call.tool,
            call.arguments,
            bool(results[call.id]["isError"]),
            results[call.id]["content"][0]["text"][:6],
        )
        for step in run.steps
        for call in step.calls
    ]


@pytest.mark.parametrize("document", SHAPES.values(), ids=SHAPES)
def test_four_shapes_tell_the_same(document: dict[str, Any], tmp_path: Path) -> None:
    (run,) = terrabench.read(document)
    assert told(run) == [("fetch_era5", ERA5, False, "t.nc"), ("count_era5_events", {}, True, '{"stat')]
    assert [step.text for step in run.steps if step.source == "user"] == ["How many days?"]
    assert "".join(step.reasoning for step in run.steps) == "First the field."
    assert (run.text, run.end, run.skipped) == (FINAL, "answered", ())
    for indent in (None, 1):
        file = tmp_path / f"{indent}.json"
        file.write_text(json.dumps(document, indent=indent))
        assert formats_of(file) == ["terrabench"]
        assert [told(each) for each in read_file("terrabench", file)] == [told(run)]


def test_what_the_writer_says_of_the_run() -> None:
    (run,) = terrabench.read(WRITER)
    assert (run.meta["session"], run.meta["duration_s"], run.item) == ("7", 150.0, "")
    assert terrabench.read(STEPS)[0].item == "Q7"
    (asked,) = terrabench.read({"metadata": {"user_request": "Why?"}, "steps": CALLS})
    assert asked.steps[0].text == "Why?" and asked.end == "no_answer"


def test_answers_out_of_order_repeated_ids_and_cut_runs() -> None:
    def call(name: str, **more: Any) -> dict[str, Any]:
        return {"type": "tools", "name": name, "args": {}, **more}

    records = [
        call("a"),
        call("b"),
        {"type": "observation", "name": "b", "output": "of b"},
        {"type": "observation", "name": "a", "output": "of a"},
        {"type": "observation", "name": "c", "output": "of nobody"},
        call("a", id="same"),
        call("d", id="same"),
        {"type": "observation", "id": "same", "output": "first"},
        7,
        {"type": "tools", "name": "e", "args": "{not json"},
        {"type": "weather"},
    ]
    (run,) = terrabench.read({"trajectory": records})
    texts = [
        [run.results[call.id]["content"][0]["text"] if call.id in run.results else "" for call in step.calls]
        for step in run.steps
    ]
    assert [text for step in texts for text in step] == ["of a", "of b", "first", "", ""]
    calls = [call for step in run.steps for call in step.calls]
    assert len({call.id for call in calls}) == 5 and (calls[-1].fault, calls[-1].raw) == (
        "not_json",
        "{not json",
    )
    assert run.skipped == (
        "results without a call (line 5)",
        "records that are no objects (line 9)",
        "records of the type weather (line 11)",
    )
    assert run.end == "no_answer"


@pytest.mark.parametrize(
    "document", [{}, {"steps": []}, {"steps": "x"}, [], [1], {"trace": {"trace": {}}}, 3, None]
)
def test_no_trace_is_no_run(document: Any) -> None:
    assert terrabench.read(document) == []


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.sampled_from(["tool", "user"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["type", "role", "name", "args", "content", "output", "tool_calls", "status", "id"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)


@given(st.sampled_from(terrabench.SHAPES), st.lists(JSON, max_size=5))
def test_anything_is_read_or_skipped(shape: str, records: list[Any]) -> None:
    for run in terrabench.read({shape: records}):
        assert all(call.id in run.results or call.is_error for step in run.steps for call in step.calls)


def test_ten_thousand_steps_and_a_cut_file(tmp_path: Path) -> None:
    (run,) = terrabench.read({"steps": CALLS[:1] * 10_000})
    assert sum(len(step.calls) for step in run.steps) == 10_000
    cut = tmp_path / "Main_trace.json"
    cut.write_text(json.dumps(STEPS, indent=1)[:-40])
    with pytest.raises(LabrigError, match="cut off"):
        list(read_file("terrabench", cut))


def test_imported_exported_and_read_again(tmp_path: Path) -> None:
    for number, document in enumerate((WRITER, {**OPENAI, "metadata": {"user_request": "again"}})):
        folder = tmp_path / "logs" / f"Q{number}"
        folder.mkdir(parents=True)
        (folder / "Main_trace.json").write_text(json.dumps(document, indent=2))
    apart = [{**FIELD, "value": 14}]  # another answer than the one in the last message
    (tmp_path / "logs" / "Q1" / "number_prediction.json").write_text(json.dumps(apart))
    out = tmp_path / "out"
    done = import_logs("auto", tmp_path / "logs", out)
    assert len(done.records) == 2 and [path.parent.name for path in done.records] == ["Q0", "Q1"]
    records = [
        Trajectory.from_dict(json.loads((path / "trajectory.json").read_text())) for path in done.records
    ]
    assert [each.submission and json.loads(each.submission.text) for each in records] == [None, apart]
    assert [[call.is_error for call in each.calls] for each in records] == [[False, True]] * 2

    assert [contradiction(path, each) for path, each in zip(done.records, records, strict=True)] == ["", ""]

    written = export(out, "terrabench", tmp_path / "theirs")
    assert sorted(path.name for path in written.files) == ["Main_trace.json"] * 2 + ["number_prediction.json"]
    label = outfolder.read_run(out, next(out.glob("*/run.json")).parent.name)
    assert label["suite"] == "imported"
    for path in written.files:
        if path.name == "Main_trace.json":
            (again,) = read_file("terrabench", path)
            assert told(again) == told(terrabench.read(WRITER)[0]) and again.text == FINAL
            assert json.loads(path.read_text())["steps"][1]["type"] == "think"
            # The public loader reads steps, and of them what has a name and is of a type of calls.
            steps = json.loads(path.read_text())["steps"]
            assert [each["status"] for each in steps if each["type"] == "tool"] == ["success", "error"]
