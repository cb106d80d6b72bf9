"""A suite of others that uses every part of the contracts: bytes, limits, settings, jobs, two servers, cut results."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.blobs import Blob
from labrig_harness.channels import Channel, read_submission, submitted
from labrig_harness.records.items_file import read_tasks as read_items
from labrig_harness.records.outfolder import read_run, read_tasks
from labrig_harness.records.scoring import score_folder
from labrig_harness.registry import servers
from labrig_harness.registry.entries import entries
from labrig_harness.run.plan import RunPlan, plans
from labrig_harness.run.runner import run
from labrig_harness.sample import Sample
from labrig_harness.suite import Generator, Suite
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from support import toys_installed as toys_module
from support.command import labrig
from support.in_memory import in_memory
from support.toys_installed import toys_installed


@pytest.fixture(scope="module", autouse=True)
def toys() -> Iterator[None]:
    with toys_installed(), in_memory():
        yield


@pytest.fixture
def suite() -> Suite:
    return suites.load("toy-volumes")


def plan(suite: Suite, agent: str = "reference", *, limit: int = 1, **more: Any) -> RunPlan:
    spec = more.pop("spec", AgentSpec(agent))
    return RunPlan(suite, more.pop("arm", suite.arm()), spec, tuple(suite.tasks(seed=0)[:limit]), **more)


def made(of: RunPlan, out: Path) -> list[Trajectory]:
    folders = asyncio.run(run(of, out))
    return [Trajectory.from_dict(json.loads((each / "trajectory.json").read_text())) for each in folders]


def test_the_reference_solves_it_and_the_records_agree(suite: Suite, tmp_path: Path) -> None:
    done = made(plan(suite, limit=2), tmp_path)
    scored = score_folder(tmp_path)
    assert [score.strict for score in scored.scores] == [1.0, 1.0] and scored.whole
    first = done[0]
    tools = [call.tool for call in first.calls]
    assert tools[0] == "start_weighing" and tools[-2:] == ["shelf__read_file", "write_file"]
    records = list(CallLog(next(tmp_path.glob("both.reference/volume-0/epoch0"))))
    assert {(each.server, each.tool) for each in records} >= {("scale", "write_file"), ("shelf", "read_file")}
    assert "masses.f8" in json.dumps(CallLog(next(tmp_path.glob("*/volume-0/epoch0"))).result(records[-2]))
    assert [file.path for file in first.left] == ["final_answer.txt"], "given files that stay are not listed"
    assert len(first.calls) > 3, "the sample's limits stand over the arm's three steps"


def test_what_is_delivered_is_cut_and_the_record_keeps_the_whole(suite: Suite, tmp_path: Path) -> None:
    (done,) = made(plan(suite), tmp_path)
    call = done.calls[-2]
    assert call.delivered_bytes is not None and 300 < call.delivered_bytes < 360 < call.result_bytes
    whole = [each for each in CallLog(next(tmp_path.glob("*/volume-0/epoch0"))) if each.tool == "read_file"]
    assert whole[0].result_bytes == call.result_bytes


def test_bytes_lie_beside_the_samples_and_must_have_their_hash(suite: Suite, tmp_path: Path) -> None:
    made(plan(suite), tmp_path)
    (sample,) = read_tasks(tmp_path)
    blob = next(iter(sample.blobs))
    path = tmp_path / "files" / blob.sha256
    assert path.stat().st_size == blob.size == 40
    path.write_bytes(b"\0" * 40)
    with pytest.RaisesGroup(pytest.RaisesExc(LabrigError, match="no longer has its hash")):
        made(plan(suite, "random"), tmp_path)
    path.unlink()
    again = plans(tmp_path, ["both.reference"])[0]
    assert again.arm_of(again.tasks[0]).max_steps == 9
    with pytest.RaisesGroup(pytest.RaisesExc(LabrigError, match="is not here")):
        asyncio.run(run(replace(again, epochs=2), tmp_path))


def test_a_run_is_replayed_from_its_store_and_gone_on_with(suite: Suite, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    recorded = made(plan(suite, calls="record", store=store), tmp_path / "one")
    again = made(plan(suite, calls="replay", store=store), tmp_path / "two")
    assert again[0].submission == recorded[0].submission
    assert [call.result for call in again[0].calls] == [call.result for call in recorded[0].calls]
    assert again[0].left == (), "a replay has no workspace"
    otherwise = suite.arm().serving(lambda name, serve: replace(serve, settings={}))
    with pytest.RaisesGroup(pytest.RaisesExc(LabrigError, match="set up like this")):
        made(plan(suite, calls="replay", store=store, arm=otherwise), tmp_path / "three")


def test_settings_and_limits_that_were_asked_for_come_back_on_resume(suite: Suite, tmp_path: Path) -> None:
    settings = {"scale": {"unit": "g"}}
    arm = suite.arm().serving(
        lambda name, serve: replace(serve, settings={**serve.settings, **settings.get(name, {})})
    )
    asked = plan(suite, "nop", arm=replace(arm, max_steps=2), given=("max_steps",), settings=settings)
    made(asked, tmp_path)
    again = plans(tmp_path, ["both.nop"])[0]
    assert again.arm.serve.settings == {"unit": "g"} and again.arm.served["shelf"].settings == {}
    assert again.arm_of(again.tasks[0]).max_steps == 2 and again.arm_of(again.tasks[0]).wall_s == 90
    assert "given" in read_run(tmp_path, "both.nop")


@pytest.mark.accept
def test_a_change_is_made_in_the_tool_that_is_named(suite: Suite, tmp_path: Path) -> None:
    (done,) = made(plan(suite, perturb="scale:2@tool=shelf__read_file,match=density"), tmp_path)
    assert done.perturbation is not None and done.perturbation["changes"][0]["tool"] == "shelf__read_file"
    assert done.submission is not None and done.submission.text == done.perturbation["expected"]
    (other,) = made(plan(suite, perturb="scale:2@tool=read_file,match=density"), tmp_path)
    assert other.perturbation is not None and not other.perturbation["applied"]


@pytest.mark.accept
def test_an_agent_program_gets_both_servers_and_cut_results(suite: Suite, tmp_path: Path) -> None:
    spec = AgentSpec(
        "command",
        settings={"env": "TOY_ONE_MORE"},
        command=(sys.executable, str(Path(toys_module.__file__).with_name("toy_agent.py"))),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOY_ONE_MORE", "1")
        sample = replace(suite.tasks(seed=0)[0], limits={"max_steps": 4})
        (done,) = made(replace(plan(suite, spec=spec), tasks=(sample,)), tmp_path)
    assert (done.end, done.end_detail) == ("step_limit", "the budget of calls"), done.end_detail
    assert [call.tool for call in done.calls] == [
        "start_weighing",
        "get_job",
        "shelf__read_file",
        "write_file",
    ]
    said = json.loads(done.steps[1].text if done.steps[1].text else done.steps[-1].text)
    assert said["schemas"] == [] and not said["structured"]
    assert said["read"].endswith("characters are shown]") and "budget" in said["over"]
    assert [score.strict for score in score_folder(tmp_path).scores] == [1.0]
    shown = [call.delivered_bytes for call in done.calls]
    assert shown[2] is not None and shown[2] < 360


def test_agents_of_the_suite_are_found_by_name(suite: Suite, tmp_path: Path) -> None:
    right = suite.tasks(seed=0)[0].truth["answer"]
    made(plan(suite, spec=AgentSpec("toy-guesser", settings={"guess": right})), tmp_path)
    assert [score.strict for score in score_folder(tmp_path).scores] == [1.0]
    with pytest.raises(LabrigError, match="needs a guess"):
        plan(suite, "toy-guesser").check()
    with pytest.raises(LabrigError, match="toy-guesser"):
        plan(suite, "toy-guessr").check()


def test_an_answer_is_committed_with_the_write_file_of_any_server(tmp_path: Path) -> None:
    """A replay and an imported log have no workspace to look into."""
    (tmp_path / "final_answer.txt").write_text("7")
    call = ToolCall("shelf__write_file", {"path": "./final_answer.txt", "content": "7"}, 0, False)
    steps = [Step(0, "?", source="user"), Step(1, calls=(call,))]
    assert submitted(Channel(), steps, ()) == Submission("7", 1)
    assert read_submission(Channel(), workspace=tmp_path, steps=steps) == Submission("7", 1)
    other = [Step(1, calls=(replace(call, tool="rewrite_file"),))]
    assert submitted(Channel(), other, ()) is None


def test_samples_of_another_version_are_refused_before_anything_is_run(suite: Suite, tmp_path: Path) -> None:
    of = plan(suite)
    for wrong in ({"suite_version": "volume-0"}, {"suite": "toy"}):
        with pytest.raises(LabrigError, match="The sample is of"):
            made(replace(of, tasks=(replace(of.tasks[0], **wrong),)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_line_that_is_no_sample_is_named_with_the_reason(suite: Suite, tmp_path: Path) -> None:
    row = suite.tasks(seed=0)[0].to_dict()
    generator = Generator(lambda seed, count, *, progress: [], str, Sample.to_dict, Sample.from_dict)
    own = replace(suite, generator=generator)
    brief = {**row["brief"], "files": {"../evil": "x"}}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"schema": "labrig.task/9"}, "labrig.task/9"),
        ({"brief": brief}, "../evil"),
        ({"limits": {"max_tool": 6}}, "max_tool"),
        ({"limits": {"max_steps": -6}}, "max_steps"),
        ({"truth": None}, "truth"),
    ]
    for fields, said in wrong:
        for name in ("items.jsonl", "tasks.jsonl"):
            (tmp_path / name).write_text(json.dumps({**row, **fields}))
        with pytest.raises(LabrigError) as of_file:
            read_items(tmp_path / "items.jsonl", own)
        with pytest.raises(LabrigError) as of_folder:
            read_tasks(tmp_path)
        for error in (of_file.value, of_folder.value):
            assert said in error.what and error.where.endswith(":1")


def test_a_suite_that_cannot_be_imported_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    real = suites.load

    def load(name: str) -> Suite:
        if name == "phreeqc-basics":
            raise LabrigError(
                "The suite 'phreeqc-basics' cannot be imported: ZeroDivisionError", code="unavailable"
            )
        return real(name)

    monkeypatch.setattr(suites, "load", load)
    done = labrig("suites")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    assert "\ntoy-volumes 1" in done.stdout and "\nphreeqc-mcq " in done.stdout


def test_a_name_that_two_packages_bring_is_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = tmp_path / "shadow-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shadow\nVersion: 1\n")
    declared = "[labrig.suites]\ntoy-volumes = shadow:suite\n[labrig.servers]\nscale = shadow:toolbox\n"
    (metadata / "entry_points.txt").write_text(declared)
    monkeypatch.syspath_prepend(tmp_path)
    entries.cache_clear()
    try:
        with pytest.raises(LabrigError, match="2 packages bring a suite") as caught:
            suites.load("toy-volumes")
        assert "shadow:suite" in caught.value.where
        with pytest.raises(LabrigError, match="2 packages bring a server"):
            servers.toolbox("scale")
    finally:
        monkeypatch.undo()
        entries.cache_clear()


def test_a_dry_run_says_what_would_keep_it_from_running(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    out = tmp_path / "out"
    words = ("run", "toy-volumes", "--agent", "nop", "--limit", "1", "--out", str(out))
    sound = suite.tasks(seed=0)[0]
    gone = Blob.of(b"gone").from_source(tmp_path / "gone")
    for sample, said in (
        (sound, ""),
        (replace(sound, needs=("sandbox-earth",)), "labrig setup sandbox-earth"),
        (replace(sound, brief=replace(sound.brief, files={"a.f8": gone})), "is not here"),
    ):
        changed = replace(suite, tasks=lambda *, seed, sample=sample: [sample])
        monkeypatch.setattr(suites, "load", lambda name, changed=changed: changed)
        dry = labrig(*words, "--dry-run")
        assert said in dry.stderr and not list(out.glob("*")), dry.stderr
        if said:
            assert (dry.returncode, dry.stdout) == (2, "")
            assert (real := labrig(*words)).returncode == 2 and real.stderr.endswith(dry.stderr)
        else:
            assert dry.returncode == 0 and sound.id in dry.stdout
    assert not list(out.glob("*/*")), "nothing was started"

    made(replace(plan(suite, "nop"), tasks=(sound,)), out)
    monkeypatch.setattr(suites, "load", lambda name: replace(suite, tasks=lambda *, seed: [sound]))
    assert labrig(*words, "--dry-run").returncode == 0
    other = labrig(*words, "--seed", "5", "--dry-run")
    assert other.returncode == 2 and "made with seed 0, not 5" in other.stderr


OPTIONS = "Which pH?\n\nA. 6.91 at 25 °C\nB. 7.2\nC. 8.27\nD. 9.0"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A. 6.91 at 25 °C\nB. 7.2\nC. 8.27\nD. 9.0", ""),
        ("**A.** 6.91 at  25 °C\n- B. 7.2\n- C. 8.27\n- D. 9.0\n\nThe answer is C.", "C"),
        ("C. 8.27\n\n(Options: A. 6.91 at 25 °C; B. 7.2; C. 8.27; D. 9.0)", "C"),
        ("Answer with A, B, C or D", ""),
        ("A: no\nB: no\nC: no\nD: yes", "D"),
        ("C. 8.27", "C"),
    ],
)
def test_who_repeats_the_options_has_not_chosen(reply: str, letter: str) -> None:
    steps = [Step(0, OPTIONS, source="user"), Step(1, reply)]
    found = read_submission(Channel("letter"), workspace=None, steps=steps, choices="ABCD")
    assert found == (Submission(letter, 1) if letter else None)
