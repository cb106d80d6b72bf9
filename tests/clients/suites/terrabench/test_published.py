"""Published items and runs in folders: paired, scored by the paper and by the public code, what is broken in them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_suites.terrabench import published
from labrig_suites.terrabench.published import read_item, read_items, read_run, score_folder
from support.command import labrig

FIELD = {"key": "hot_days", "value": 12, "abs_tol": 1, "rel_tol": 0, "floor_scale": 0}
CALLS = [
    {
        "type": "tool",
        "name": "fetch_era5",
        "arguments": {"variable": "t2m"},
        "status": "success",
        "content": "t.nc",
    },
    {
        "type": "tool",
        "name": "fetch_era5",
        "arguments": {"variable": "x"},
        "status": "error",
        "content": "unknown",
    },
    {"type": "tool", "name": "count_era5_events", "arguments": {"threshold": 35}, "content": "12"},
]
QUESTION = {"item_id": "q-1", "query": "How many?", "track": "Simulator-Grounded", "metadata": {"level": 2}}


def write(folder: Path, **files: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def said(value: float) -> str:
    return f"<final_json>{json.dumps([{**FIELD, 'value': value}])}</final_json>"


@pytest.fixture
def truths(tmp_path: Path) -> Path:
    for name in ("Q1", "Q2"):
        write(
            tmp_path / "truths" / "track" / name,
            question_input={**QUESTION, "item_id": name},
            number_ground_truth=[FIELD],
            Main_trace={"metadata": {}, "steps": CALLS},
        )
    return tmp_path / "truths"


def test_runs_of_every_form_are_paired_by_folder(truths: Path, tmp_path: Path) -> None:
    items, refused = read_items(truths)
    assert list(items) == ["track/Q1", "track/Q2"] and not refused
    item = items["track/Q1"]
    assert [call["tool"] for call in item.truth["paths"][0]] == ["fetch_era5", "count_era5_events"]
    assert item.labels == {"track": "Simulator-Grounded", "level": "2", "domain": ""}

    talk = [*CALLS, {"type": "answer", "content": said(13)}]
    mine = tmp_path / "mine"
    write(mine / "track" / "Q1", single_agent_2026={"trajectory": talk})
    write(mine / "track" / "Q2", Main_trace={"steps": CALLS[:1]}, number_prediction=[{**FIELD, "value": 15}])
    scored = score_folder(items, mine)
    assert [(each.agent, each.strict) for each in scored.scores] == [
        ("mine", 1),
        ("mine", 0),
    ] and not scored.without
    first, second = (each.facts["metrics"] for each in scored.scores)
    assert first["ToolAcc"] == 1 and first["ToolCallSuccessRate"] == pytest.approx(2 / 3)
    assert second["ToolAcc"] == 0.5 and second["NumScore"] == 0.25
    assert scored.scores[0].facts["compat"]["NumScore"] == 1

    whole = write(
        tmp_path / "other" / "track" / "Q1", prediction={"answers": {"hot_days": 12}, "trace": CALLS}
    )
    found = score_folder(items, whole.parents[1])
    assert found.scores[0].compat == 1 and found.scores[0].strict == 0, "an object is no sidecar"
    assert found.scores[0].facts["metrics"]["ToolAcc"] == 1
    assert (
        found.without == {"track/Q2": "No run is there"}
        and found.scores[1].facts["metrics"]["ToolUseScore"] == 0
    )
    assert found.scores[0].facts["guardrails"]["offered"]

    strange = [
        *CALLS,
        {"type": "tool", "name": "my_own_tool"},
        {"type": "tool", "name": "reset_equipped_tools"},
    ]
    write(tmp_path / "third" / "track" / "Q1", Main_trace={"steps": strange})
    odd = score_folder(items, tmp_path / "third").scores[0].facts
    assert odd["metrics"]["InstAcc"] == 0.75 and not odd["guardrails"]["offered"]
    write(tmp_path / "third" / "track" / "Q1", Main_trace={"steps": [*CALLS, strange[-1]]})
    meta = score_folder(items, tmp_path / "third").scores[0].facts
    assert meta["guardrails"]["offered"], "meta calls need not be offered"


def test_files_that_a_run_makes_may_have_other_names(tmp_path: Path) -> None:
    def steps(made: str, given: str) -> dict[str, Any]:
        first = {"type": "tool", "name": "fetch_era5", "arguments": {}, "content": f"wrote out/{made}"}
        arguments = {"data": f"out/{made}", "soil_path": given}
        return {"steps": [first, {"type": "tool", "name": "count_era5_events", "arguments": arguments}]}

    item = read_item(
        write(tmp_path / "t" / "Q", number_ground_truth=[FIELD], Main_trace=steps("a.nc", "soil.csv"))
    )
    assert item.truth["paths"][0][1]["kinds"] == {"data": "made"}
    for made, given, likeness in (
        ("b.nc", "soil.csv", 1.0),
        ("b.csv", "soil.csv", 0.75),
        ("a.nc", "other.csv", 0.75),
    ):
        write(tmp_path / "p" / "Q", Main_trace=steps(made, given))
        (found,) = score_folder({"Q": item}, tmp_path / "p").scores
        assert found.facts["metrics"]["ArgAcc"] == (1 + likeness) / 2


def test_what_is_broken(truths: Path, tmp_path: Path) -> None:
    write(truths / "zero", number_ground_truth=[{**FIELD, "abs_tol": -1}])
    write(truths / "cut", number_ground_truth='[{"key": ')
    write(truths / "list", number_ground_truth=[FIELD], question_input=[1])
    items, refused = read_items(truths)
    assert len(items) == 2 and set(refused) == {"zero", "cut", "list"}
    alone = read_item(write(tmp_path / "alone", number_ground_truth={"answers": [FIELD]}))
    assert alone.id == "alone" and alone.truth["paths"] == [[]]
    with pytest.raises(LabrigError, match="No published item"):
        read_items(write(tmp_path / "empty"))
    broken = write(tmp_path / "broken", Main_trace='{"steps": [{"type": "tool", "na')
    with pytest.raises(LabrigError, match="cut off"):
        read_run(broken, alone, "x")
    odd = write(tmp_path / "odd", number_prediction="NaN and more", notes={"steps": "none"})
    assert score_folder({"odd": alone}, tmp_path).scores[0].strict == 0
    assert read_run(odd, alone, "x").steps == ()


def test_the_command(
    truths: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        tmp_path / "mine" / "track" / "Q1",
        Main_trace={"steps": [*CALLS, {"type": "answer", "content": said(12)}]},
    )
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "argv", ["published", str(truths), str(tmp_path / "mine")])
    published.main()
    told = capsys.readouterr()
    assert "mine: no run of track/Q2: No run is there" in told.err
    assert "public code %" in told.out and "Table 2. Main results" in told.out and "50.0" in told.out
    monkeypatch.setattr(sys, "argv", ["published", str(tmp_path / "mine"), str(truths)])
    with pytest.raises(SystemExit, match="No published item"):
        published.main()


def test_a_folder_of_published_items_becomes_samples(tmp_path: Path) -> None:
    write(
        tmp_path / "them" / "Q1",
        number_ground_truth=[FIELD],
        question_input=QUESTION,
        Main_trace={"steps": CALLS},
    )
    write(tmp_path / "them" / "more" / "Q2", number_ground_truth=[FIELD])
    items, out = tmp_path / "items.jsonl", tmp_path / "out"
    done = labrig("generate", "terrabench", "--from", str(tmp_path / "them"), "--out", str(items))
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["brief"]["id"] for line in items.read_text().splitlines()] == ["q-1", "more-Q2"]
    done = labrig("run", "terrabench", "--tasks", str(items), "--out", str(out), "--agent", "reference")
    assert "solves none of these samples in the arm agent-terra" in done.stderr and not out.exists()
    (tmp_path / "empty").mkdir()
    done = labrig("generate", "terrabench", "--from", str(tmp_path / "empty"), "--out", str(out))
    assert "number_ground_truth.json" in done.stderr
