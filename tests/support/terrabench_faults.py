"""Runs with one fault each, made from the reference of an item: what each metric says of them.

A fault changes this one thing in the calls and the answer of the reference. The numbers of the answer are wrong
wherever the fault would have made them wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_suites.terrabench.metrics.families import family_of, words
from labrig_suites.terrabench.score import SIMULATION

Row = dict[str, Any]
Changed = tuple[list[Row], list[Row] | None]
"""Calls, and the fields of the answer; None for an answer without a sidecar."""


def reference(sample: Sample) -> Trajectory:
    """Return the first accepted path with the true answer."""
    return _run(sample, "reference", lambda calls, fields: (calls, fields))


def faulty(sample: Sample, fault: str) -> Trajectory:
    """Return a run with a fault of `FAULTS`."""
    return _run(sample, fault, FAULTS[fault])


def _wrong_tool(calls: list[Row], fields: list[Row]) -> Changed:
    """Another tool, of another family, for every second call."""
    return [
        {**each, "tool": _foreign(each["tool"])} if at % 2 else each for at, each in enumerate(calls)
    ], off(fields)


def _wrong_order(calls: list[Row], fields: list[Row]) -> Changed:
    return calls[::-1], off(fields)


def _wrong_window(calls: list[Row], fields: list[Row]) -> Changed:
    return [_with(each, "end", lambda end: f"2019{str(end)[4:]}") for each in calls], off(fields)


def _swapped_box(calls: list[Row], fields: list[Row]) -> Changed:
    return [_with(each, "bbox", lambda box: [box[1], box[0], box[3], box[2]]) for each in calls], off(fields)


def _wrong_unit(calls: list[Row], fields: list[Row]) -> Changed:
    """Every number a thousand times too large, as in mm for m."""
    return calls, [{**each, "value": 1_000 * each["value"]} for each in fields]


def _from_document(calls: list[Row], fields: list[Row]) -> Changed:
    """The document's values, where it has one; the calls are made all the same."""
    return calls, [{**each, "value": each.get("document", each["value"])} for each in fields]


def _no_sidecar(calls: list[Row], fields: list[Row]) -> Changed:
    return calls, None


def _own_tolerance(calls: list[Row], fields: list[Row]) -> Changed:
    return calls, [{**each, "abs_tol": 1e9} for each in off(fields)]


def _extra_key(calls: list[Row], fields: list[Row]) -> Changed:
    return calls, [{**each, "unit": "K"} for each in fields]


def _proxy(calls: list[Row], fields: list[Row]) -> Changed:
    """A formula in the Python server in place of each simulator."""
    formula = {"tool": "run_math_agent", "arguments": {"code": "load = 4 * area"}}
    made = [formula if family_of(each["tool"]) == SIMULATION else each for each in calls]
    return made, off(fields)


def _unknown_tools(calls: list[Row], fields: list[Row]) -> Changed:
    """A call of a tool that nobody offers before each right one."""
    return [row for each in calls for row in ({"tool": "no_such_tool", "arguments": {}}, each)], fields


def _failing(calls: list[Row], fields: list[Row]) -> Changed:
    return [{**each, "failed": True} for each in calls], off(fields)


def _names_alone(calls: list[Row], fields: list[Row]) -> Changed:
    """The tools of the reference in their order, without arguments: what a copied list of names is worth."""
    return [{**each, "arguments": {}} for each in calls], off(fields)


def _half(calls: list[Row], fields: list[Row]) -> Changed:
    return calls[: len(calls) // 2], off(fields)


FAULTS: dict[str, Callable[[list[Row], list[Row]], Changed]] = {
    "wrong tool": _wrong_tool,
    "wrong order": _wrong_order,
    "wrong window": _wrong_window,
    "swapped box": _swapped_box,
    "wrong unit": _wrong_unit,
    "answer from the document": _from_document,
    "missing sidecar": _no_sidecar,
    "predicted tolerance of 1e9": _own_tolerance,
    "extra key in the sidecar": _extra_key,
    "proxy in place of the engine": _proxy,
    "tools that are not offered": _unknown_tools,
    "calls that fail": _failing,
    "names of tools alone": _names_alone,
    "stopped half-way": _half,
}


def off(fields: list[Row]) -> list[Row]:
    """Return every number three tolerances of Eq. 9 off."""
    made = []
    for each in fields:
        tolerance = max(each["abs_tol"], each["rel_tol"] * abs(each["value"]), each["floor_scale"])
        made.append({**each, "value": each["value"] + 3 * tolerance})
    return made


def _run(sample: Sample, agent: str, change: Callable[[list[Row], list[Row]], Changed]) -> Trajectory:
    reported = sample.truth.get("document", {})
    fields = [
        {**each, "document": reported[each["key"]]} if each["key"] in reported else dict(each)
        for each in sample.truth["fields"]
    ]
    rows, said = change([dict(each) for each in sample.truth["paths"][0]], fields)
    calls = []
    for place, row in enumerate(rows):
        unknown = row["tool"] == "no_such_tool"
        failed = bool(row.get("failed")) or unknown
        fault = "unknown_tool" if unknown else ""
        calls.append(ToolCall(row["tool"], row["arguments"], -1 if unknown else place, failed, fault=fault))  # type: ignore[arg-type]
    steps = [Step(0, sample.brief.prompt, source="user")]
    steps += [Step(number, calls=(call,)) for number, call in enumerate(calls, 1)]
    if said is None:
        steps.append(Step(len(steps), "It is about as the paper says."))
        submission = None
    else:
        text = json.dumps([{key: value for key, value in each.items() if key != "document"} for each in said])
        steps.append(Step(len(steps), f"<final_json>{text}</final_json>"))
        submission = Submission(text, len(steps) - 1)
    return Trajectory(
        *(sample.id, sample.suite, agent, "agent-terra", 0, 0, tuple(steps)),
        submission=submission,
        end="answered" if submission else "no_answer",
    )


def _with(call: Row, key: str, change: Callable[[Any], Any]) -> Row:
    arguments = call["arguments"]
    return {**call, "arguments": {**arguments, key: change(arguments[key])}} if key in arguments else call


def _foreign(tool: str) -> str:
    """Return a tool of another family, always the same for the same tool."""
    named: dict[str, list[str]] = words()["families"]
    others = [tools[0] for family, tools in named.items() if family != family_of(tool)]
    return others[len(tool) % len(others)]
