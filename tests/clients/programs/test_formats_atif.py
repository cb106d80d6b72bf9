"""ATIF: nothing is lost on the way out and back, the schema is kept, and documents of other tools are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.calls import CallRecord
from labrig.canonical import canonical_json, sha256
from labrig.errors import LabrigError
from labrig_harness.trajectory import Cost, Step, Submission, Tokens, ToolCall, Trajectory
from labrig_programs.reading import atif
from support.places import DATA

SCHEMA = DATA / "atif" / "atif-v1.8.schema.json"

text = st.text(st.characters(), max_size=12)  # half surrogate pairs included
words = st.text(st.characters(codec="utf-8"), max_size=12)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(text, each, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(text, json_values, max_size=3)
counts = st.integers(0, 10**12)
tokens = st.builds(Tokens, counts, counts, counts, counts, counts, st.booleans())
parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": text}),
    st.fixed_dictionaries({"type": st.just("text"), "text": text, "annotations": objects}),
    st.fixed_dictionaries(
        {"type": st.just("image"), "data": words, "mimeType": st.sampled_from(["image/png", "image/tiff"])}
    ),
    st.fixed_dictionaries({"type": st.just("resource_link"), "uri": words, "name": words}),
    objects,
)
wires = st.fixed_dictionaries(
    {"isError": st.booleans()},
    optional={
        "content": st.lists(parts, max_size=3) | json_values,
        "structuredContent": objects,
        "_meta": objects,
    },
)
FAULTS = ["not_json", "unknown_tool", "bad_arguments", "timeout", "not_delivered", "empty_reply", "cut_off"]
faults = st.sampled_from(FAULTS)


@st.composite
def trajectories(draw: st.DrawFn) -> tuple[Trajectory, dict[str, dict[str, Any]]]:
    results = {sha256(canonical_json(wire)): wire for wire in draw(st.lists(wires, max_size=4))}
    calls = st.builds(
        ToolCall,
        tool=text,
        arguments=objects,
        record=st.integers(-1, 5),
        is_error=st.booleans(),
        result=st.sampled_from(["", "absent", *results]),
        result_bytes=counts,
        id=st.sampled_from(["", "a", "1.1"]) | text,
        raw=text,
        fault=st.just("") | faults,
        told=text,
        delivered_bytes=st.none() | counts,
        meta=objects,
    )
    steps = st.builds(
        Step,
        index=st.integers(0, 40),
        text=text,
        calls=st.lists(calls, max_size=3).map(tuple),
        tokens=tokens,
        source=st.sampled_from(["agent", "user", "system"]),
        reasoning=text,
        faults=st.lists(faults, max_size=2).map(tuple),
        model=text,
        meta=objects | st.just({"time": "2026-11-22T05:08:28.468Z"}),
    )
    trajectory = Trajectory(
        task=draw(words),
        suite=draw(words),
        agent=draw(words),
        arm=draw(words),
        epoch=draw(st.integers(0, 9)),
        seed=draw(st.integers()),
        steps=tuple(draw(st.lists(steps, max_size=4))),
        submission=draw(st.none() | st.builds(Submission, text, st.integers(-1, 5))),
        end=draw(st.sampled_from(["answered", "step_limit", "refused"])),
        end_detail=draw(text),
        model=draw(text),
        settings=draw(objects | st.just({"effort": "high", "temperature": 0.5})),
        confinement=draw(words),
        perturbation=draw(st.none() | objects),
        cost=draw(st.none() | st.builds(Cost, st.floats(0, 1e6), st.sampled_from(["USD", "EUR"]), words)),
        versions=draw(st.dictionaries(words, words, max_size=2)),
        meta=draw(objects),
    )
    return trajectory, results


@pytest.mark.parametrize("examples", [30, pytest.param(150, marks=pytest.mark.accept)])
def test_nothing_is_lost(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(trajectories())
    def comes_back(case: tuple[Trajectory, dict[str, dict[str, Any]]]) -> None:
        trajectory, results = case
        written = json.dumps(atif.to_atif(trajectory, results))
        [run] = atif.read(json.loads(written))
        assert run.record == trajectory
        assert run.blobs == results
        assert {key: sha256(canonical_json(wire)) for key, wire in run.blobs.items()} == {
            key: key for key in results
        }

    comes_back()


@pytest.fixture(scope="module")
def valid() -> Any:
    if not SCHEMA.is_file():
        pytest.skip("the JSON schema of ATIF is not here")
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(SCHEMA.read_text())).validate


@pytest.mark.accept
@given(case=trajectories())
def test_what_is_written_keeps_the_schema(valid: Any, case: Any) -> None:
    valid(json.loads(json.dumps(atif.to_atif(*case))))


PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


def _example() -> tuple[Trajectory, dict[str, dict[str, Any]]]:
    said = {"content": [{"type": "text", "text": "pH 8.27"}], "isError": False}
    drawn = {"content": [{"type": "text", "text": "a plot"}, PICTURE], "isError": False}
    results = {sha256(canonical_json(wire)): wire for wire in (said, drawn)}
    first, second = results
    steps = (
        Step(0, "What is the pH?", source="user"),
        Step(
            1,
            "I look.",
            (
                ToolCall("run", {"input": "SOLUTION 1"}, 0, False, first, id="c1"),
                ToolCall("plot", {}, 1, False, second, id="c2"),
                ToolCall("fly", {}, -1, True, id="c3", fault="unknown_tool", told="There is no tool fly."),
            ),
            Tokens(100, 40, 20, 30, 5, True),
            reasoning="hmm",
            model="m-1",
            meta={"time": "2026-11-22T05:08:28.468Z"},
        ),
        Step(2, "8.27", tokens=Tokens(11, output=7, measured=True)),
    )
    trajectory = Trajectory(
        "q1", "s", "loop-m", "tools", 0, 0, steps, Submission("8.27", 2), "answered",
        model="m", settings={"effort": "high"}, cost=Cost(0.25, "USD", "prices-1"), versions={"labrig": "0.1"},
    )  # fmt: skip
    return trajectory, results


def test_other_tools_find_what_atif_has_a_field_for() -> None:
    trajectory, results = _example()
    record = CallRecord(
        "phreeqc", "run", {"input": "SOLUTION 1"}, next(iter(results)), 9, False, None, "", {}
    )
    document = atif.to_atif(trajectory, results, [record])
    assert document["agent"] == {"name": "loop-m", "version": "0.1", "model_name": "m"}
    prompt, turn, _answer = document["steps"]
    assert (prompt["source"], prompt["message"]) == ("user", "What is the pH?")
    assert turn["timestamp"] == "2026-11-22T05:08:28.468Z"
    assert (turn["model_name"], turn["reasoning_effort"], turn["reasoning_content"]) == ("m-1", "high", "hmm")
    assert [(each["tool_call_id"], each["function_name"]) for each in turn["tool_calls"]] == [
        ("c1", "run"), ("c2", "plot"), ("c3", "fly"),
    ]  # fmt: skip
    said, drawn, told = turn["observation"]["results"]
    assert (said["source_call_id"], said["content"]) == ("c1", "pH 8.27")
    assert drawn["content"][1]["source"] == {
        "media_type": "image/png",
        "path": "data:image/png;base64,iVBORw0KGgo=",
    }
    assert told["content"] == "There is no tool fly."
    assert (turn["metrics"]["prompt_tokens"], turn["metrics"]["cached_tokens"]) == (160, 40)
    assert document["final_metrics"] == {
        "total_steps": 3,
        "total_prompt_tokens": 171,
        "total_completion_tokens": 37,
        "total_cached_tokens": 40,
        "total_cost_usd": 0.25,
    }
    assert atif.read(document)[0].calls == (record,)


@pytest.mark.parametrize("minor", range(9))
def test_documents_of_other_tools(minor: int) -> None:
    document = {
        "schema_version": f"ATIF-v1.{minor}",
        "session_id": "x",
        "agent": {"name": "terminus", "version": "2", "model_name": "m"},
        "steps": [
            {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "Do it"}]},
            {
                "step_id": 2,
                "source": "agent",
                "message": "",
                "tool_calls": [{"tool_call_id": "a", "function_name": "mcp__lab__run", "arguments": {"x": 1}}],
                "observation": {"results": [{"source_call_id": "a", "content": "done"}]},
                "metrics": {
                    "prompt_tokens": 100, "completion_tokens": 5, "cached_tokens": 60,
                    "extra": {"cache_creation_input_tokens": 30},
                },
            },
            {"step_id": 3, "source": "agent", "message": "B", "metrics": {"prompt_tokens": 7, "completion_tokens": 1}},
        ],
        "subagent_trajectories": [{"trajectory_id": "s"}],
        "continued_trajectory_ref": "more.json",
        "final_metrics": {"total_cost_usd": 0.5},
    }  # fmt: skip
    (run,) = atif.read(document)
    call = run.steps[1].calls[0]
    assert (call.tool, call.meta["server"], call.arguments) == ("run", "lab", {"x": 1})
    assert run.results["a"]["content"] == [{"type": "text", "text": "done"}]
    assert run.tokens == Tokens(17, 60, 30, 6, 0, True)
    assert (run.text, run.end, run.cost) == (
        "B",
        "answered",
        Cost(0.5, "USD", "terminus 2 (its own estimate)"),
    )
    assert any("1 subagent trajectories" in line for line in run.skipped)
    assert any("more.json" in line for line in run.skipped)


def test_a_later_version_is_read_and_said() -> None:
    document = {
        "schema_version": "ATIF-v2.0",
        "agent": {"name": "a"},
        "steps": [{"source": "agent", "message": "x"}],
    }
    (run,) = atif.read(document)
    assert run.text == "x"
    assert "ATIF-v2.0" in run.skipped[0]


@pytest.mark.parametrize("document", [[], {}, {"steps": []}, {"agent": {}, "steps": 3}, None, "ATIF-v1.8"])
def test_what_is_no_atif_is_refused(document: Any) -> None:
    with pytest.raises(LabrigError, match="not an ATIF document"):
        atif.read(document)


def test_a_version_that_is_not_atifs_is_named() -> (
    None
):  # as openagents writes it, with calls in a form of its own
    with pytest.raises(LabrigError, match=r"its schema_version is '1\.4'"):
        atif.read({"schema_version": "1.4", "agent": {"name": "claude-code"}, "steps": []})


def test_a_changed_document_of_ours_is_refused() -> None:
    document = atif.to_atif(*_example())
    del document["steps"][1]["extra"]
    with pytest.raises(LabrigError, match="one of ours, but changed"):
        atif.read(document)


@given(st.lists(objects | st.fixed_dictionaries({}, optional={
    "source": json_values, "message": json_values, "tool_calls": json_values | st.lists(objects),
    "observation": objects | st.fixed_dictionaries({"results": st.lists(objects)}), "metrics": objects,
}), max_size=4))  # fmt: skip
def test_nonsense_is_read_as_far_as_it_goes(steps: list[Any]) -> None:
    (run,) = atif.read({"schema_version": "ATIF-v1.8", "agent": {}, "steps": steps})
    assert len(run.steps) >= len(steps)
