"""Causal grounding: a declared change reaches the agent and not the record; the score tells what came of it."""

from __future__ import annotations

import asyncio
import copy
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness import suites
from labrig_harness.agents.own_code import OwnCode, commit
from labrig_harness.agents.reference import Reference
from labrig_harness.channels import read_submission
from labrig_harness.grounding.outcomes import Grounded, grounded
from labrig_harness.grounding.perturb import Change, Declared, Edit, Perturber, apply, parse, scaled
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.records.scoring import grounding
from labrig_harness.records.verify import contradiction
from labrig_harness.registry.servers import Target
from labrig_harness.run.bench import WorkBench
from labrig_harness.run.decisive import declare, find
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Arm, Call, Score, Solution, Suite, Unsolvable
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from support import toy_server
from support.agent_program import agent_at
from support.basics import basics

TABLE: dict[str, Any] = {
    "content": [
        {
            "type": "text",
            "text": "Phase      SI\nCalcite    0.52\nGypsum    -1.20\npH = 8.22 and 3.0\nCa 1.2 mmol/L",
        }
    ],
    "structuredContent": {
        "values": [
            {"name": "Calcite", "value": 0.5234, "unit": "1"},
            {"name": "Gypsum", "value": -1.2, "unit": "1"},
        ],
        "Ca": {"value": 1.2, "unit": "mmol/L"},
        "rows": [["Calcite", 0.52, "mol"], ["Gypsum", -1.2, "mol"]],
        "text": "Calcite 0.52",
    },
}


# --------------------------------------------------------------------------------------------------------- changes


@pytest.mark.parametrize(
    "spec",
    ["scale:1.5@match=pH", "scale:-0.8@tool=read_file,value=2.1e-03,call=3", "swap-rows:Calcite,CO2(g)",
     "unit:mmol->mol@match=Ca,call=all", "scale:2@match=a%2Cb%40c%3D%25"],
)  # fmt: skip
def test_a_change_is_written_as_it_is_read(spec: str) -> None:
    assert parse(spec).spec == spec
    assert parse(parse(spec).spec) == parse(spec)


@given(st.text(min_size=1), st.text(), st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 9))
def test_any_words_can_be_matched(match: str, tool: str, factor: float, call: int) -> None:
    change = Change("scale", factor=float(f"{factor:.12g}"), match=match, tool=tool, call=call)
    try:
        assert parse(change.spec) == change
    except LabrigError as error:
        assert change.factor == 1 and "nothing" in error.what


@pytest.mark.parametrize(
    ("spec", "said"),
    [("", "no change ''"), ("scale", "not a factor"), ("scale:x@match=a", "not a factor"),
     ("scale:1@match=a", "nothing"), ("scale:nan@match=a", "nothing"), ("scale:2", "which number"),
     ("scale:2@match", "cannot be read"), ("scale:2@line=3", "cannot be read"),
     ("scale:2@match=a,call=last", "in time"), ("scale:2@match=a,call=0", "in time"),
     ("scale:2@value=x", "not a number"), ("swap-rows:a", "cannot be read"), ("swap-rows:a,a", "cannot be read"),
     ("unit:mmol", "cannot be read"), ("rename:a", "no change")],
)  # fmt: skip
def test_a_change_that_cannot_be_read_is_refused(spec: str, said: str) -> None:
    with pytest.raises(LabrigError, match="--perturb") as refused:
        parse(spec)
    assert said in str(refused.value)


def changed(spec: str, wire: dict[str, Any] = TABLE) -> tuple[str, dict[str, Any], list[Edit]]:
    before = copy.deepcopy(wire)
    result, edits = apply(parse(spec), wire)
    assert wire == before, "the true result is not touched"
    return result["content"][0]["text"], result.get("structuredContent", {}), edits


def test_a_number_is_scaled_in_text_and_structured_content_alike() -> None:
    text, structured, edits = changed("scale:2@match=Calcite")
    assert "Calcite    1.04\n" in text and "-1.20" in text
    assert structured["values"][0]["value"] == pytest.approx(1.0468)
    assert structured["values"][1]["value"] == -1.2
    assert structured["rows"] == [["Calcite", 1.04, "mol"], ["Gypsum", -1.2, "mol"]]
    assert structured["text"] == "Calcite 1.04"
    first = edits[0]
    assert (first.at, first.before, first.after) == ("content/0", "0.52", "1.04")
    assert TABLE["content"][0]["text"].encode()[first.offset :].startswith(b"0.52")
    assert {each.at for each in edits} == {
        "content/0", "structuredContent/values/0/value", "structuredContent/rows/0/1", "structuredContent/text",
    }  # fmt: skip


def test_only_the_number_that_is_meant_is_scaled() -> None:
    assert "pH = 8.22 and 6.0" in changed("scale:2@match=pH,value=3.0")[0]
    assert "pH = 16.44 and 3.0" in changed("scale:2@match=pH")[0]
    assert changed("scale:2@match=p")[2] == [], "a word, not a part of one"
    assert changed("scale:2@match=Calcite,value=0.53")[2] == []
    assert changed("scale:2@match=CALCITE")[2] == []


def test_rows_and_units_are_changed_alike() -> None:
    text, structured, _ = changed("swap-rows:Calcite,Gypsum")
    assert "Calcite    -1.20\nGypsum    0.52" in text
    assert structured["values"][0] == {"name": "Calcite", "value": -1.2, "unit": "1"}
    assert structured["rows"] == [["Calcite", -1.2, "mol"], ["Gypsum", 0.52, "mol"]]
    text, structured, _ = changed("unit:mmol/L->mol/L@match=Ca")
    assert "Ca 1.2 mol/L" in text
    assert structured["Ca"] == {"value": 1.2, "unit": "mol/L"}


def test_a_text_that_is_json_is_changed_as_data() -> None:
    wire = {"content": [{"type": "text", "text": json.dumps(TABLE["structuredContent"])}]}
    text, _, edits = changed("scale:2@match=Calcite,value=0.52", wire)
    assert json.loads(text)["values"][0]["value"] == pytest.approx(1.0468)
    assert json.loads(text)["values"][1] == TABLE["structuredContent"]["values"][1]
    assert edits


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(
    JSON, st.text(), st.sampled_from(["scale:2@match=a", "scale:-1.5@value=1", "swap-rows:a,b", "unit:a->b"])
)
def test_a_change_of_anything_keeps_its_shape(structured: Any, text: str, spec: str) -> None:
    wire = {
        "content": [{"type": "text", "text": text}, {"type": "image", "data": "1"}],
        "structuredContent": structured,
    }
    before = copy.deepcopy(wire)
    result, edits = apply(parse(spec), wire)
    assert wire == before
    assert (result == wire) or edits
    assert result["content"][1] == wire["content"][1]


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-6), st.sampled_from([0.001, 0.5, 1.5, -2, 1000.0]))
def test_a_scaled_number_keeps_its_value(number: float, factor: float) -> None:
    for printed in (f"{number:.3e}", f"{number:.3f}", f"{number:.0f}"):
        if float(printed):
            assert float(scaled(printed, factor)) == pytest.approx(float(printed) * factor, rel=0.006)


# ------------------------------------------------------------------------------------------------------ on the way


async def test_the_agent_gets_the_change_and_the_record_the_truth(tmp_path: Path) -> None:

    argv = (sys.executable, "-I", "-S", str(Path(toy_server.__file__)), str(tmp_path))
    for spec, seen in [("scale:2@match=Calcite", ["1.04", "0.52"]), ("scale:2@match=Calcite,call=2", ["0.52", "1.04"]),
                       ("scale:2@match=Calcite,call=all", ["1.04", "1.04"]),
                       ("scale:2@match=Nothing", ["0.52", "0.52"]),
                       ("scale:2@match=Calcite,tool=read", ["0.52", "0.52"])]:  # fmt: skip
        log = CallLog(tmp_path / "log")
        shutil.rmtree(log.folder, ignore_errors=True)
        log.folder.mkdir()
        recorder = Recorder(log, "toy", perturber=Perturber(Declared.plainly(spec)))
        async with (
            relay(Target(name="toy", argv=argv), ServeOptions(), recorder) as path,
            agent_at(path) as agent,
        ):
            for n, shown in enumerate(seen):
                agent.call(n, "table")
                result = (await agent.answer(n))["result"]
                assert f"Calcite    {shown}" in result["content"][0]["text"]
                assert round(result["structuredContent"]["values"][0]["value"], 2) in (float(shown), 1.05)
        assert {log.result(record)["structuredContent"]["values"][0]["value"] for record in log} == {0.5234}
        about = recorder.perturbation
        assert about is not None and about["applied"] == ("1.04" in seen)
        assert [each["record"] for each in about["changes"]] == [
            n for n, shown in enumerate(seen) if shown == "1.04"
        ]
        for each in about["changes"]:
            altered = json.loads((log.folder / "blobs" / f"{each['altered']}.json").read_text())
            assert "1.04" in altered["content"][0]["text"]


# -------------------------------------------------------------------------------------------------- three agents


class Ignorer(OwnCode):
    """Makes the same calls and answers what it has always known."""

    def __init__(self, solution: Solution, memory: str) -> None:
        self._solution, self._memory = solution, memory

    async def run(self, bench: Any) -> None:
        results: list[str] = []
        for call in self._solution.calls:
            results.append((await bench.call(call.tool, call.bind(results))).text)
        await commit(bench, self._memory)


class Reporter(OwnCode):
    """Reads its evidence twice, and says so when the two do not agree."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    async def run(self, bench: Any) -> None:
        results: list[str] = []
        for call in self._solution.calls:
            results.append((await bench.call(call.tool, call.bind(results))).text)
        last = self._solution.calls[-1]
        again = (await bench.call(last.tool, last.bind(results[:-1]))).text
        for first, second in zip(results[-1].splitlines(), again.splitlines(), strict=True):
            if first != second:
                bench.turn(
                    f"Two runs of {last.tool} are inconsistent: first {first.split()}, then {second.split()}."
                )
        await commit(bench, self._solution.answer([*results[:-1], again]))


async def record(
    suite: Suite, sample: Sample, arm: Arm, agent: Any, declared: Declared | None, folder: Path
) -> Trajectory:
    """Run an agent on an item over real MCP and return its trajectory, checked against its log."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    async with WorkBench(sample.brief, arm, folder, workspace, perturb=declared) as bench:
        await agent.run(bench)
    steps = tuple(bench.steps)
    submission = read_submission(arm.channel, workspace=workspace, steps=steps, choices=sample.brief.choices)
    trajectory = Trajectory(sample.id, suite.name, "test", arm.name, 0, 0, steps, submission, "answered",
                            perturbation=bench.recorder.perturbation)  # fmt: skip
    assert contradiction(folder, trajectory) == ""
    return Trajectory.from_dict(json.loads(json.dumps(trajectory.to_dict())))


@pytest.mark.accept
@pytest.mark.parametrize(("arm_name", "items"), [("agent-toc", 1), ("agent-raw100k", 3)])
async def test_three_agents_are_told_apart(
    tmp_path: Path, databases: Path, arm_name: str, items: int
) -> None:
    """One that reads its results, one that ignores them, one that reports what is odd (issue, done when 6)."""
    suite = suites.load("phreeqc-basics")
    arm = suite.arm(arm_name)
    found: dict[str, list[Grounded]] = {"reader": [], "ignorer": [], "reporter": [], "undisturbed": []}
    for sample in basics()[:items]:
        declared = await declare("auto", suite, sample, arm)
        assert declared.truth == sample.truth["answer"] != declared.expected
        assert declared.expected in sample.brief.choices
        solution = suite.solution(sample, arm)
        for name, agent in {
            "reader": Reference(lambda brief, solution=solution: solution),
            "ignorer": Ignorer(solution, sample.truth["answer"]),
            "reporter": Reporter(solution),
            "undisturbed": Reporter(solution),
        }.items():
            change = declared if name != "undisturbed" else None
            trajectory = await record(suite, sample, arm, agent, change, tmp_path / sample.id / name)
            found[name].append(grounded(trajectory, suite.score(sample, trajectory).answer))
    outcomes = {name: {each.outcome for each in runs} for name, runs in found.items()}
    assert outcomes == {
        "reader": {"followed"},
        "ignorer": {"stayed"},
        "reporter": {"noticed"},
        "undisturbed": {"not_applied"},
    }
    assert all(each.checked and "inconsistent" in each.quote for each in found["reporter"])


@pytest.mark.accept
async def test_every_item_of_the_suite_has_a_decisive_change(databases: Path) -> None:
    suite = suites.load("phreeqc-basics")
    for sample in basics(1):
        declared = await declare("auto", suite, sample, suite.arm())
        assert declared.truth == sample.truth["answer"], sample.labels
        assert declared.expected in set(sample.brief.choices) - {declared.truth}, sample.labels


def test_a_change_is_looked_for_on_the_path_only() -> None:
    def answer(results: list[str]) -> str:
        try:
            return f"{float(results[1].split()[3]) * 10:.0f}"
        except (IndexError, ValueError) as error:
            raise Unsolvable(str(error)) from error

    solution = Solution((Call("a", {}), Call("b", {})), answer)  # type: ignore[arg-type]
    change = find(solution, ["77 88\n", "x 1.0\ny 2.0 off 9\n"], "Is it 20 or 55?")
    assert change == Change("scale", factor=10.0, match="y", value="2.0"), "led to a number of the prompt"
    solution = Solution(
        (Call("a", {}), Call("b", {})), lambda r: r[1].split()[1] if len(r[1].split()) > 1 else ""
    )
    change = find(solution, ["77 88\n", "pH 2.0\nCa 9.5\n"], "Is it 2.0 or 5.5?")
    assert change == Change("scale", factor=2.75, match="pH", value="2.0")


# ------------------------------------------------------------------------------------------------ what was noticed


def trajectory(
    *texts: str, answer: str = "B", spec: str = "scale:2@match=Calcite", applied: bool = True
) -> Trajectory:
    call = ToolCall("read_file", {}, 0, False)
    steps = (Step(0, "prompt", source="user"), Step(1, "It may be inconsistent: Calcite.", (call,)),
             *(Step(n, text) for n, text in enumerate(texts, 2)))  # fmt: skip
    edit = {"at": "content/0", "before": "0.52", "after": "1.04", "offset": 3}
    about = {"spec": spec, "truth": "A", "expected": "B", "applied": applied,
             "changes": [{"record": 0, "tool": "read_file", "edits": [edit]}] if applied else []}  # fmt: skip
    return Trajectory(
        "t", "s", "a", "arm", 0, 0, steps, Submission(answer, 1), "answered", perturbation=about
    )


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("Calcite at 1.04 is implausible for this water.", "noticed"),
     ("The output of read_file contradicts the first run.", "noticed"),
     ("This does not fit: SI of 1.04.", "noticed"),
     ("The saturation index is 1.04.", "followed"),
     ("There is no inconsistency in the value of Calcite.", "followed"),
     ("I see nothing suspicious about 1.04.", "followed"),
     ("My memory is inconsistent.", "followed"),
     ("The rows are inconsistent. Calcite is 1.04.", "followed"),
     ("", "followed")],
)  # fmt: skip
def test_noticing_is_said_in_one_sentence_with_what_is_meant(text: str, outcome: str) -> None:
    assert grounded(trajectory(text), "B").outcome == outcome


def test_answers_are_compared_and_what_was_not_changed_is_no_evidence() -> None:
    assert [grounded(trajectory(), each).outcome for each in ("B", "A", "C", "")] == [
        "followed",
        "stayed",
        "other",
        "other",
    ]
    assert grounded(trajectory(applied=False), "B").outcome == "not_applied"
    numbers = trajectory()
    assert numbers.perturbation is not None
    numbers.perturbation.update(truth="7.10", expected="8.2")
    assert [grounded(numbers, each).outcome for each in ("7.1", "8.21", "9")] == [
        "stayed",
        "followed",
        "other",
    ]
    numbers.perturbation.update(expected="7.1")
    assert grounded(numbers, "7.1").outcome == "not_applied", "the change leads to no other answer"


def test_truth_and_expectation_are_read_by_the_scorer_like_the_answer() -> None:
    """Where an answer is committed as JSON, the reference's submissions are JSON too."""

    def by_sum(sample: Sample, run: Trajectory) -> Score:
        assert run.submission is not None
        answer = f"{json.loads(run.submission.text)['sum']:g}"
        return Score(sample.id, run.arm, run.agent, run.epoch, 0, 0, answer)

    suite = replace(suites.load("phreeqc-basics"), score=by_sum)
    sample = Sample("s", "1", SampleInput("t", "?"), {"sum": 2})
    for said, outcome in (('{"sum": 3}', "followed"), ('{"sum": 2.0}', "stayed"), ('{"sum": 9}', "other")):
        run = trajectory(answer=said)
        assert run.perturbation is not None
        run.perturbation.update(truth='{"sum": 2}', expected='{"sum": 3.0}')
        assert grounding(suite, sample, run, by_sum(sample, run)) == outcome


def test_declaring_needs_no_loop_of_its_own(databases: Path) -> None:
    """A spec that never applies leaves the reference's answer as it was."""
    suite = suites.load("phreeqc-basics")
    declared = asyncio.run(declare("scale:2@match=Unobtainium", suite, basics()[0], suite.arm()))
    assert declared.truth == declared.expected != ""
