"""How golden traces hang together: each form of a record, by traces whose shape is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_cli import __main__ as cli
from labrig_suites.amazing_race import fixtures
from labrig_suites.amazing_race.structure import Graph, graph_of, structure


def call(label: str, **arguments: Any) -> dict[str, Any]:
    return {"name": "tool", "label": label, "arguments": arguments}


CHAIN = {"output": [call("$var_1", a=1), call("$var_2", a="$var_1.result$")]}
DIAMOND = {
    "output": json.dumps(
        [
            call("var1", a=2),
            call("var2", a="$var1.x$"),
            call("var3", a=["$var1.y$"]),
            call("var4", a={"b": "$var2$", "c": "from $var3.z$"}),
            {"name": "var_result", "arguments": {"r": "$var4$"}},
        ]
    )
}
NAMED = {
    "calling": [
        {"api": "a", "parameters": {"x": 1}, "responses": ["API_call_0", "API_call_1"]},
        {"api": "b", "parameters": {}, "responses": ["API_call_2"]},
        {"api": "c", "parameters": {"y": "API_call_1", "z": "API_call_2"}, "responses": []},
    ]
}
APART = {
    "task_nodes": [{"task": "A"}, {"task": "B"}, {"task": "C"}],
    "task_links": [{"source": "A", "target": "C"}],
}
PREDICTED = {
    "id": "1",
    "result": {
        "task_nodes": [
            {"task": "A", "arguments": ["a.mp4"]},
            {"task": "B", "arguments": ["<node-0>", "b"]},
            {"task": "C", "arguments": [{"name": "x", "value": "<node-0>"}, "<node-1>"]},
        ]
    },
}
PLAN = {"ground_truth": [{"id": 7, "prev": []}, {"id": 8, "prev": [7]}, {"id": 9, "prev": [7, 8]}]}


@pytest.mark.parametrize(
    ("record", "kind", "steps", "depth", "merges"),
    [
        ({"output": [call("$var_1")]}, "single", 1, 1, 0),
        (CHAIN, "linear", 2, 2, 0),
        (DIAMOND, "DAG", 4, 3, 1),
        (APART, "parallel", 3, 2, 0),
        (NAMED, "DAG", 3, 2, 1),
        (PREDICTED, "DAG", 3, 3, 1),
        (PLAN, "DAG", 3, 3, 1),
        ({"steps": [{"depends_on": [1]}, {"depends_on": []}]}, "linear", 2, 2, 0),
    ],
)
def test_the_shape_of_a_trace(record: dict[str, Any], kind: str, steps: int, depth: int, merges: int) -> None:
    graph = graph_of(record)
    assert graph is not None and graph.told
    assert (graph.kind, len(graph.uses), graph.depth, graph.merges) == (kind, steps, depth, merges)


def test_a_leg_of_the_race_and_a_row_of_its_file() -> None:
    leg = fixtures.sample().truth["leg"]
    graph = graph_of(leg)
    assert graph is not None and graph == graph_of({"truth": {"leg": leg}})
    assert graph.kind == "DAG" and len(graph.uses) == len(leg["stops"])


@pytest.mark.parametrize(
    "record",
    [
        {"evaluation_criteria": {"actions": [{"name": "a"}, {"name": "b"}]}},
        {"actions": [{"name": "a"}, {"name": "b"}]},
        {"ground_truth": [["a()"], ["b()"]]},
    ],
)
def test_an_order_alone_is_no_dependence(record: dict[str, Any], tmp_path: Path) -> None:
    assert graph_of(record) == Graph((frozenset(), frozenset({0})), told=False)
    path = tmp_path / "order.json"
    path.write_text(json.dumps([record]))
    ((name, count, wrong, told, steps, *rest),) = structure([path]).rows
    assert (name, count, wrong, told, steps, set(rest)) == ("order.json", 1, 0, 0, 2.0, {None})


def test_a_row_for_each_path_from_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "some.json").write_text(
        "\n".join(map(json.dumps, (CHAIN, DIAMOND)))
    )  # lines, as TaskBench names them
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps({"query_1": PLAN, "query_2": PLAN}))
    assert cli.main(["structure", str(tmp_path / "some.json"), str(folder)]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["some.json", "2", "0", "2", "3.0", "0.0", "50.0", "0.0", "50.0", "2.5", "0.5"] in [
        [word.removesuffix("0") if word.endswith(".50") else word for word in line] for line in shown
    ]
    assert any(line[:5] == ["plans", "2", "0", "2", "3.0"] for line in shown)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"steps": [{"depends_on": [1]}, {"depends_on": [0]}]}, "and 1 hold"),
        ({"steps": [{"depends_on": [4]}]}, "and 1 hold"),
        ({"task_nodes": [{}]}, "and 1 hold"),
        ({"task_nodes": [{"task": "A", "arguments": ["<node-7>"]}]}, "and 1 hold"),
        ({"question": "x"}, "and 0 hold"),
    ],
)
def test_what_is_no_trace_is_refused(record: dict[str, Any], said: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps(record))
    with pytest.raises(LabrigError, match=said):
        structure([tmp_path / "x.jsonl"])
