"""Importing and exporting: records that stand, tables that score, and what is said of what could not be read."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import labrig_cli as cli
from hostile.imports.bombs import BOMBS
from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.records.scoring import Scored, score_folder
from labrig_harness.sample import Sample
from labrig_harness.trajectory import Tokens, Trajectory
from labrig_study.formats import inspect_log, results
from labrig_study.formats.detect import formats_of
from labrig_study.formats.results_suite.score import normalised
from labrig_study.logs.exporting import export
from labrig_study.logs.importing import import_logs
from labrig_study.logs.keeping import Imported, Where
from labrig_study.report.errors import error_table
from labrig_study.report.leaderboard import leaderboard
from labrig_study.report.terminal import print_scores
from support.basics import basics
from support.written_logs import PICTURE, claude_log

CALL = ("run", {"input": "SOLUTION 1"}, "pH 8.27")


def load(format: str, path: Path, out: Path, **where: Any) -> Imported:
    return import_logs(format, path, out, where=Where(**where))


def trajectory(folder: Path) -> Trajectory:
    return Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text(encoding="utf-8")))


# ------------------------------------------------------------------------------------------- logs, no suite


def test_a_log_becomes_a_record_that_stands(tmp_path: Path) -> None:
    log = tmp_path / "q1.jsonl"
    log.write_text(claude_log(CALL, ("draw", {}, [PICTURE]), ("fail", {}, ValueError("no")), "8.27"))
    done = load("auto", log, tmp_path / "out")
    assert done.skipped == []
    (folder,) = done.records
    assert folder == tmp_path / "out" / "imported.claude-code-m-1" / "q1" / "epoch0"
    record = trajectory(folder)
    assert [(call.tool, call.record, call.is_error) for call in record.calls] == [
        ("run", 0, False),
        ("draw", 1, False),
        ("fail", 2, True),
    ]
    first, drawn, _ = CallLog(folder)
    assert (first.server, first.versions) == ("phreeqc", {"claude-code": "2.1.330"})
    assert CallLog(folder).result(drawn)["content"][0]["mimeType"] == "image/png"
    assert record.meta["imported"]["file"] == "q1.jsonl"
    assert re.fullmatch("[0-9a-f]{64}", record.meta["imported"]["sha256"])
    assert (record.end, record.submission, record.confinement) == ("answered", None, "")
    assert record.tokens == Tokens(40, 360, 0, 20, 0, True)
    scored = score_folder(tmp_path / "out")
    assert (len(scored.records), scored.scores, scored.skipped) == (1, [], [])


def test_logs_come_one_after_another_and_none_is_written_twice(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("q1", "q2"):
        (tmp_path / f"{name}.jsonl").write_text(claude_log(CALL, "x"))
        load("auto", tmp_path / f"{name}.jsonl", out)
    before = (out / "imported.claude-code-m-1/q1/epoch0/trajectory.json").read_bytes()
    (tmp_path / "q1.jsonl").write_text(claude_log("something else"))
    again = load("auto", tmp_path / "q1.jsonl", out)
    assert again.records == []
    assert again.skipped == ["q1.jsonl: imported.claude-code-m-1/q1/epoch0 is there already"]
    assert (out / "imported.claude-code-m-1/q1/epoch0/trajectory.json").read_bytes() == before
    assert load("auto", tmp_path / "q1.jsonl", out, epoch=1).records[0].name == "epoch1"
    scored = score_folder(out)
    assert (len(scored.records), scored.skipped) == (3, [])


def test_a_folder_of_good_and_bad_files(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    (logs / "deep").mkdir(parents=True)
    good = claude_log(CALL, "x")
    (logs / "good.jsonl").write_text(good)
    (logs / "deep" / "cut.jsonl").write_text(good[:-40])
    (logs / "empty.jsonl").write_text("")
    (logs / "noise.log").write_text("hello\n" * 5)
    (logs / "wide.jsonl").write_bytes(good.encode("utf-16"))
    (logs / "half.eval").write_bytes(b"PK\x03\x04 cut off")
    (logs / "cut.json").write_text('{"schema_version": "ATIF-v1.7", "agent": {"name": "x"}, "steps": [')
    (logs / "picture.png").write_bytes(b"\x89PNG")
    (logs / ".hidden.jsonl").write_text(good)
    done = load("auto", logs, tmp_path / "out")
    assert sorted(folder.parent.name for folder in done.records) == ["cut", "good"]
    cut = trajectory(next(folder for folder in done.records if folder.parent.name == "cut"))
    assert (cut.end, len(cut.calls)) == ("agent_error", 1)
    assert cut.meta["imported"]["skipped"] == ["the last line is cut off (line 5)"]
    told = "\n".join(done.skipped)
    for expected in (
        "picture.png: no log by its name (.png)",
        "empty.jsonl: it is empty",
        "noise.log: no format of ours",
        "half.eval: This is not a whole .eval file",
        "cut.json: This is not a JSON document, it is cut off or damaged",
        "cut.jsonl: the last line is cut off (line 5)",
    ):
        assert expected in told, told
    assert "wide.jsonl" in told


@pytest.mark.parametrize("before", ["", "\n\n", "\ufeff"])
def test_a_document_whose_last_lines_are_json_is_no_table(tmp_path: Path, before: str) -> None:
    path = tmp_path / "log.json"  # as `labrig export --format inspect` writes it: a sample a line
    path.write_text(
        before + '{"version": 2, "status": "success", "eval": {}, "samples": [\n{"id": 1},\n{"id": 2}\n]}'
    )
    assert formats_of(path) == ["inspect"]
    path.write_text(before + '{"item": "q1", "correct": true}\n{"item": "q2", "correct": false}\n')
    assert formats_of(path) == ["results"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.jsonl", b"", "it is empty"),
        ("a.jsonl", b"\xff\xfe{\x00}\x00", "UTF-16"),
        ("a.jsonl", b'{"type": "fish"}\n', "nothing of claude-code"),
    ],
)
def test_what_is_no_log_is_one_clear_line(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LabrigError, match=told):
        load("claude-code", tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_missing_file_and_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(LabrigError, match="no such file or folder"):
        load("auto", tmp_path / "none", tmp_path / "out")
    with pytest.raises(LabrigError, match="did you mean codex"):
        load("codexx", tmp_path, tmp_path / "out")


def test_keys_stay_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret-0123456789")
    (tmp_path / "q.jsonl").write_text(
        claude_log(("run", {"k": "sk-secret-0123456789"}, "sk-secret-0123456789"), "x")
    )
    out = tmp_path / "out"
    load("auto", tmp_path / "q.jsonl", out)
    export(out, "atif", tmp_path / "atif")
    export(out, "inspect", tmp_path / "inspect")
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "q.jsonl"]
    assert len(written) >= 6
    assert not [path for path in written if b"sk-secret" in path.read_bytes()]
    assert score_folder(out).skipped == []


KILLED = """
import sys, time
from pathlib import Path
from labrig_study.logs import importing
place = importing.outfolder.place
def slowly(made, folder):
    place(made, folder); print("one", flush=True); time.sleep(0.2)
importing.outfolder.place = slowly
importing.import_logs("auto", Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_an_import_that_is_killed_leaves_whole_records_and_can_be_made_again(tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    for n in range(12):
        (logs / f"q{n}.jsonl").write_text(claude_log(CALL, f"answer {n}"))
    with subprocess.Popen([sys.executable, "-c", KILLED, logs, out], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(4):
            process.stdout.readline()
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
    before = len(score_folder(out).records)
    assert 4 <= before < 12
    again = load("auto", logs, out)
    assert len(again.records) == 12 - before
    scored = score_folder(out)
    assert (len(scored.records), scored.skipped) == (12, [])


# -------------------------------------------------------------------------------------------- with a suite


@pytest.fixture(scope="module")
def items(databases: Path) -> list[Sample]:
    return list(basics()[:2])


@pytest.mark.accept
def test_a_suite_scores_imported_logs(items: list[Sample], tmp_path: Path) -> None:
    suite, logs = suites.load("phreeqc-basics"), tmp_path / "logs"
    run = ("execute_phreeqc", {"input": "SOLUTION 1"}, "pH 8.27")
    for n, sample in enumerate(items):
        letter = sample.truth["answer"]
        wrong = ("write_file", {"path": "./final_answer.txt", "content": "Z"}, "written")
        right = ("write_file", {"path": "final_answer.txt", "content": letter}, "written")
        failed = ("write_file", {"path": "final_answer.txt", "content": "Y"}, ValueError("disk full"))
        path = logs / (f"{sample.id}.jsonl" if n else f"{sample.id}/claude-code.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(claude_log(*([run] if n else []), wrong, right, failed, "done"))
    (logs / "other.jsonl").write_text(claude_log("x"))
    done = import_logs("auto", logs, tmp_path / "out", suite=suite, samples=items, where=Where(agent="paper"))
    assert done.skipped == ["other.jsonl: none of the 2 samples; say which with --item"]
    scored = score_folder(tmp_path / "out")
    assert scored.whole
    by_item = {score.task: score for score in scored.scores}
    guessed, computed = (by_item[sample.id] for sample in items)
    assert (guessed.compat, guessed.strict) == (1, 0), "no run of PHREEQC before the answer"
    assert (computed.compat, computed.strict) == (1, 1)
    assert {score.agent for score in scored.scores} == {"paper"}


@pytest.mark.accept
def test_a_log_in_an_arm_that_the_suite_has_not(items: list[Sample], tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(claude_log("x"))
    suite, where = suites.load("phreeqc-basics"), Where(item=items[0].id, arm="tools")
    with pytest.raises(LabrigError, match="no arm of suite phreeqc-basics named 'tools'"):
        import_logs("auto", tmp_path / "x.jsonl", tmp_path / "out", suite=suite, samples=items, where=where)


# --------------------------------------------------------------------------------------- out and back again


def test_atif_out_and_in_again_is_the_same_record(tmp_path: Path) -> None:
    for name, end in (("q1", "success"), ("q2", "error_max_turns")):
        (tmp_path / f"{name}.jsonl").write_text(
            claude_log(CALL, ("draw", {}, [{"type": "text", "text": "half \ud83d"}, PICTURE]), "x", end=end)
        )
        load("auto", tmp_path / f"{name}.jsonl", tmp_path / "out")
    done = export(tmp_path / "out", "atif", tmp_path / "atif")
    assert (len(done.files), done.skipped) == (2, [])
    again = load("auto", tmp_path / "atif", tmp_path / "again")
    assert len(again.records) == 2
    for folder in again.records:
        there = tmp_path / "out" / folder.relative_to(tmp_path / "again")
        before, after = trajectory(there), trajectory(folder)
        before.meta.pop("imported"), after.meta.pop("imported")
        assert after == before
        assert (folder / "calls.jsonl").read_bytes() == (there / "calls.jsonl").read_bytes()
        assert sorted(p.name for p in (folder / "blobs").iterdir()) == sorted(
            p.name for p in (there / "blobs").iterdir()
        )


def test_a_record_that_does_not_stand_is_not_exported(tmp_path: Path) -> None:
    for name in ("q1", "q2"):
        (tmp_path / f"{name}.jsonl").write_text(claude_log(CALL, "x"))
        load("auto", tmp_path / f"{name}.jsonl", tmp_path / "out")
    (tmp_path / "out/imported.claude-code-m-1/q1/epoch0/calls.jsonl").write_text("")
    done = export(tmp_path / "out", "inspect", tmp_path / "view")
    assert len(done.files) == 1
    assert done.skipped == [
        "imported.claude-code-m-1/q1/epoch0: the record of a call of run is missing from calls.jsonl"
    ]
    assert len(json.loads(done.files[0].read_text())["samples"]) == 1


def _eval_log(**sample: Any) -> dict[str, Any]:
    asked = {"id": "1", "role": "user", "content": "Q?"}
    call = {"id": "c", "function": "run", "arguments": {"x": 1}, "type": "function"}
    said = {
        "id": "2",
        "role": "assistant",
        "content": "attachment://abc",
        "tool_calls": [call],
        "model": "p/m",
    }
    came = {"id": "3", "role": "tool", "content": "one", "tool_call_id": "c", "function": "run"}
    last = {"id": "4", "role": "assistant", "content": [
        {"type": "reasoning", "reasoning": "hmm"}, {"type": "text", "text": "B"},
    ]}  # fmt: skip
    usage = {"input_tokens": 460, "input_tokens_cache_read": 200, "output_tokens": 30, "reasoning_tokens": 10}
    document = {
        "id": "q1", "epoch": 2, "messages": [asked, said, came, last], "target": "B",
        "output": {"choices": [{"message": last, "stop_reason": "stop"}]}, "attachments": {"abc": "I look."},
        "model_usage": {"p/m": usage}, "scores": {"match": {"value": "C", "answer": "B"}}, **sample,
    }  # fmt: skip
    return {"version": 2, "status": "success", "eval": {"task": "t", "model": "p/m"}, "samples": [document]}


def test_an_eval_log() -> None:
    (run,) = inspect_log.read(_eval_log())
    assert (run.item, run.epoch, run.text, run.end) == ("q1", 1, "B", "answered")
    assert [step.text for step in run.steps] == ["Q?", "I look.", "B"]
    assert run.steps[2].reasoning == "hmm"
    assert run.results["c"]["content"] == [{"type": "text", "text": "one"}]
    assert run.tokens == Tokens(460, 200, 0, 30, 10, True), "Inspect's input leaves out what was cached"
    assert run.meta["scores"] == {"match": {"value": "C", "answer": "B"}}


@pytest.mark.parametrize(
    ("sample", "end"),
    [
        ({"limit": {"type": "token", "limit": 5}}, "token_limit"),
        ({"limit": {"type": "time", "limit": 5}}, "wall_limit"),
        ({"limit": {"type": "message", "limit": 5}}, "step_limit"),
        ({"error": {"message": "boom", "traceback": ""}}, "agent_error"),
        ({"output": {"choices": [{"stop_reason": "content_filter"}]}}, "refused"),
        ({"messages": 3, "output": None, "model_usage": []}, "no_answer"),
    ],
)
def test_ends_of_an_eval_log(sample: dict[str, Any], end: str) -> None:
    assert inspect_log.read(_eval_log(**sample))[0].end == end


def test_scores_of_eval_logs_are_kept_and_no_target_is_mixed_with_another(tmp_path: Path) -> None:
    scores = {"judge": {"value": 7, "answer": None}, "match": {"value": "P", "answer": "B"}}
    (tmp_path / "half.json").write_text(json.dumps(_eval_log(epoch=1, scores=scores)))
    (tmp_path / "other.json").write_text(json.dumps(_eval_log(epoch=1, target="C")))
    (tmp_path / "none.json").write_text(json.dumps(_eval_log(epoch=2, scores={"match": {"value": "?"}})))
    out = tmp_path / "out"
    load("inspect", tmp_path / "half.json", out)
    (score,) = score_folder(out).scores
    assert (score.strict, score.answer, score.facts["scorers"]) == (0.5, "B", {"match": 0.5})
    with pytest.raises(LabrigError, match="different targets of the sample q1"):
        load("inspect", tmp_path / "other.json", out)
    load("inspect", tmp_path / "none.json", out)
    found = score_folder(out)
    assert len(found.scores) == 1 and len(found.skipped) == 1, "a record without a score is not a wrong one"
    (written,) = export(out, "inspect", tmp_path / "view").files
    assert formats_of(written) == ["inspect"], "a sample on its line is no trace of TerraBench"


def test_stated_epochs_stay_in_whatever_order_they_come(tmp_path: Path) -> None:
    document = _eval_log()
    (sample,) = document["samples"]
    document["samples"] = [{**sample, "epoch": epoch, "target": "B"} for epoch in (3, 1, 2)]
    for number, file in enumerate(("a.json", "b.json")):
        document["samples"][0]["output"] = {"choices": [{"stop_reason": f"{number}"}]}
        (tmp_path / file).write_text(json.dumps(document))
    done = load("inspect", tmp_path, tmp_path / "out")
    of_file = {
        folder.name: trajectory(folder).meta["imported"]["file"]
        for folder in (tmp_path / "out/imported.inspect-m/q1").iterdir()
    }
    assert of_file == {f"epoch{n}": "a.json" if n < 3 else "b.json" for n in range(6)}
    assert done.notes[0] == "b.json: epoch 0 of q1 is taken by a.json; it is imported as epoch 3"
    assert score_folder(tmp_path / "out").missing == []


def _atif(agent: str, model: str = "p/m") -> dict[str, Any]:
    steps = [
        {"step_id": 1, "source": "user", "message": "do it"},
        {"step_id": 2, "source": "agent", "message": "done", "metrics": {"prompt_tokens": 9, "completion_tokens": 1}},
    ]  # fmt: skip
    about = {"name": agent, "version": "1", "model_name": model}
    return {"schema_version": "ATIF-v1.8", "agent": about, "steps": steps}


def test_agents_of_atif_are_told_apart(tmp_path: Path) -> None:
    for agent in ("terminus-2", "openhands"):
        (tmp_path / agent).mkdir()
        (tmp_path / agent / "q1.json").write_text(json.dumps(_atif(agent)))
    done = load("auto", tmp_path, tmp_path / "out")
    assert sorted(str(folder.relative_to(tmp_path / "out")) for folder in done.records) == [
        "imported.openhands-m/q1/epoch0",
        "imported.terminus-2-m/q1/epoch0",
    ]


def test_a_job_of_harbor_has_a_sample_for_each_task_scored_by_its_verifier(tmp_path: Path) -> None:
    job = tmp_path / "2026-11-28__10-00-00"
    for trial, task, reward in (
        ("a__1", "a", 1.0),
        ("a__2", "a", 0.0),
        ("b__1", "b", 0.25),
        ("c__1", "c", None),
    ):
        (job / trial / "agent").mkdir(parents=True)
        (job / trial / "agent" / "trajectory.json").write_text(json.dumps(_atif("terminus-2")))
        (job / trial / "agent" / "claude-code.jsonl").write_text(claude_log("done"))
        result = {"task_name": task, "trial_name": trial, "verifier_result": {"rewards": {"reward": reward}}}
        if reward is None:
            result |= {"verifier_result": None, "exception_info": {"exception_type": "AgentTimeoutError"}}
        (job / trial / "result.json").write_text(json.dumps(result))
    (job / "result.json").write_text(json.dumps({"id": "x", "stats": {}}))
    done = load("auto", job, tmp_path / "out")
    assert [(folder.parent.name, folder.name) for folder in done.records] == [
        ("a", "epoch0"), ("a", "epoch1"), ("b", "epoch0"), ("c", "epoch0"),
    ]  # fmt: skip
    assert done.skipped == ["9 files beside the trajectories of Harbor's trials, which say the same or less"]
    scored = score_folder(tmp_path / "out")
    assert [(score.task, score.epoch, score.strict) for score in scored.scores] == [
        ("a", 0, 1.0), ("a", 1, 0.0), ("b", 0, 0.25),
    ]  # fmt: skip
    assert trajectory(done.records[3]).end == "wall_limit"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_an_eval_archive(tmp_path: Path, method: int) -> None:
    """Inspect packs with zstd (method 93), which the standard library cannot make: the entry is patched."""
    document = _eval_log()
    samples = document.pop("samples")
    path = tmp_path / "run.eval"
    members = {
        "header.json": document,
        "samples/q1_epoch_2.json": samples[0],
        "samples/q2_epoch_1.json": None,
    }
    if method == zipfile.ZIP_DEFLATED:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, value in members.items():
                archive.writestr(name, json.dumps(value) if value is not None else "{cut off")
    else:
        _write_zstd(path, {name: json.dumps(value).encode() for name, value in members.items() if value})
    done = load("inspect", path, tmp_path / "out")
    assert [folder.parts[-2:] for folder in done.records] == [("q1", "epoch1")]
    assert len(done.skipped) == (1 if method == zipfile.ZIP_DEFLATED else 0)
    assert trajectory(done.records[0]).tokens.total == 690


@pytest.mark.parametrize("damage", ["bytes", "password", "method"])
def test_a_damaged_member_of_an_archive_is_skipped(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "run.eval"
    good = _eval_log()
    (sample, *_) = good.pop("samples")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(good))
        archive.writestr("samples/q1_epoch_2.json", json.dumps(sample))
        archive.writestr("samples/q2_epoch_1.json", json.dumps(sample))
    raw = bytearray(path.read_bytes())
    entry, head = raw.rindex(b"PK\x01\x02"), raw.rindex(b"PK\x03\x04")
    if damage == "bytes":
        raw[head + 60 : head + 80] = b"\xff" * 20
    elif damage == "password":
        raw[entry + 8] |= 1
        raw[head + 6] |= 1
    else:
        raw[entry + 10] = raw[head + 8] = 77
    path.write_bytes(raw)
    done = load("inspect", path, tmp_path / "out")
    assert len(done.records) == 1 and len(done.skipped) == 1 and "q2_epoch_1" in done.skipped[0]


@pytest.mark.accept
@pytest.mark.parametrize(
    ("bomb", "records", "said"),
    [
        ("large_member", 1, "bytes that would become"),
        ("many_members", 0, "would become"),
        ("overlapping", 0, "would become"),
        ("many_values", 1, "values"),
        ("named_often", 2, "named too often"),
    ],
)
def test_bombs_are_refused_before_they_are_unpacked(
    tmp_path: Path, bomb: str, records: int, said: str
) -> None:
    """What is good beside a bomb is imported; memory and disk stay small. In a process of its own, to be measured."""
    path, out = tmp_path / f"{bomb}.eval", tmp_path / "out"
    BOMBS[bomb](path)
    program = (
        "import re, sys; from labrig_cli import main; code = main(sys.argv[1:]);"
        "print(code, re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"
    )
    arguments = ["import", "inspect", str(path), "--out", str(out)]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
    code, kilobytes = map(int, done.stderr.split()[-2:])
    assert said in done.stdout + done.stderr
    assert (code == 0) is bool(records), done.stderr
    assert len(list(out.rglob("trajectory.json"))) == records
    assert kilobytes < 400_000
    assert sum(each.stat().st_size for each in out.rglob("*") if each.is_file()) < 60_000_000


def _write_zstd(path: Path, members: dict[str, bytes]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    packed = {name: pyarrow.compress(data, "zstd", asbytes=True) for name, data in members.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in packed.items():
            archive.writestr(name, data)
    raw = bytearray(path.read_bytes())
    for name, data in packed.items():
        for signature, at, place in ((b"PK\x03\x04", 30, (8, 22)), (b"PK\x01\x02", 46, (10, 24))):
            start = raw.find(signature)
            while raw[start + at : start + at + len(name)] != name.encode():
                start = raw.find(signature, start + 1)
            raw[start + place[0] : start + place[0] + 2] = (93).to_bytes(2, "little")
            raw[start + place[1] : start + place[1] + 4] = len(members[name]).to_bytes(4, "little")
        assert data
    path.write_bytes(raw)


# --------------------------------------------------------------------------------------- tables of results


def table(tmp_path: Path, content: str, name: str = "table.csv", **where: Any) -> tuple[Scored, Imported]:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = load("results", tmp_path / name, tmp_path / "out", **where)
    return score_folder(tmp_path / "out"), done


def test_a_table_scores_by_its_flag_and_by_its_truth(tmp_path: Path) -> None:
    scored, done = table(
        tmp_path,
        "Question ID;Ground Truth;Prediction;Is-Correct;Scenario\n"
        "q/1;B; (b). ;TRUE;s1\nq/2;C;A;no;s1\nq 3;1.50;1.5;0;s2\nq4;D;;✗;s2\n\n",
    )
    assert done.skipped == []
    found = {scored.tasks[score.task].labels["item"]: score for score in scored.scores}
    assert {item: (score.compat, score.strict) for item, score in found.items()} == {
        "q/1": (1, 1),
        "q/2": (0, 0),
        "q 3": (0, 1),  # the table says wrong, the numbers are equal
        "q4": (0, 0),
    }
    assert [item for item, score in found.items() if score.facts["disagree"]] == ["q 3"]
    assert {record.task: record.committed for record in scored.records}[found["q4"].task] is False
    assert scored.tables[0].rows[0][:4] == ("results", "table", 4, 25.0)
    assert scored.suite.cluster == "cluster"
    assert {sample.labels["cluster"] for sample in scored.tasks.values()} == {"s1", "s2"}
    assert scored.whole


def test_models_arms_and_runs_of_one_table(tmp_path: Path) -> None:
    lines = [
        {"idx": n, "answer": "B", "pred": letter, "model": model, "condition": arm, "run": run}
        for n in range(3)
        for model, letter in (("vendor/m 1", "B"), ("m2", "A"))
        for arm in ("direct", "with.tools")
        for run in ("first", "second")
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    scored, done = table(tmp_path, text, "table.jsonl")
    assert (len(done.records), scored.whole) == (24, True)
    assert {
        path.parent.parent.parent.name for path in (tmp_path / "out").glob("*/*/epoch1/trajectory.json")
    } == {f"{arm}.{agent}" for arm in ("direct", "with-tools") for agent in ("vendor-m-1", "m2")}
    assert {(score.agent, score.strict) for score in scored.scores} == {("vendor/m 1", 1.0), ("m2", 0.0)}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("correct\ntrue\nfalse\n", [1, 0]),
        ("item,is_correct\na,1.0\nb,WRONG\n", [1, 0]),
        ("item\tcorrect\ttarget\na\tY\tB\nb\tN\tC\n", [1, 0]),
        ("item,correct,prediction\na,B,B\nb,C,A\n", [1, 0]),  # correct holds the correct answer
        ("item,answer,prediction\na,Halite,halite\nb,x,y\n", [1, 0]),
        ("item,truth,answer\na,x,x\nb,x,\n", [1, 0]),
        ('[{"item": 1, "passed": true}, {"item": 2, "passed": false}, 3]', [1, 0]),
        ("\ufeffitem,correct\na,true\nb,false\n", [1, 0]),
        ("item,correct\na,true\nb,maybe\nc,false,,\nd,no\n", [1, 0]),
    ],
)
def test_columns_in_many_forms(tmp_path: Path, content: str, expected: list[int]) -> None:
    scored, _ = table(tmp_path, content)
    assert [score.compat for score in scored.scores] == expected


def test_a_table_of_flags_alone_says_nothing_of_what_was_committed(tmp_path: Path) -> None:
    found, _ = table(tmp_path, "item,is_correct\nq0,no\nq1,yes\n")
    (row,) = leaderboard(found)
    assert row.committed is None and row.given_commit is None
    assert row.detectable is not None and row.detectable <= 1, "no difference is above 100 points"
    screen = io.StringIO()
    print_scores(found, Console(file=screen, width=120))
    assert "0/2" not in screen.getvalue()


def test_errors_are_printed_left_out_and_as_wrong(tmp_path: Path) -> None:
    rows = "".join(f"q{n},{'yes' if n < 4 else 'no'}\n" for n in range(8))
    found, done = table(tmp_path, f"item,is_correct\n{rows}")
    assert error_table(found) is None
    for folder, end in (
        (done.records[7], "agent_error"),
        (done.records[0], "model_error"),
        (done.records[1], "server_error"),
    ):
        path = folder / "trajectory.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "end": end}))
    made = error_table(score_folder(tmp_path / "out"))
    assert made is not None
    (row,) = (
        made.rows
    )  # 8 records: 2 right and 4 wrong stand, one of the wrong ones by an error; 2 came to nothing
    assert row[2:] == (1, 2, "40.0", 5, "25.0", 8)


def test_rows_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    found = results.read("item,correct\na,true\nb,maybe\nc,false,,\nd,\n")
    assert [row.item for row in found.rows] == ["a", "d"]
    assert found.skipped == (
        "rows that have not 2 cells (line 4)",
        "correct is neither true nor false (line 3)",
    )


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "item,prediction\na,B\n", "{\n", '{"x": 1}\n'])
def test_a_table_that_does_not_say_what_was_right(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(LabrigError, match="does not say what was right"):
        load("results", tmp_path / "t.csv", tmp_path / "out")


def test_a_row_without_truth_and_flag_is_not_wrong(tmp_path: Path) -> None:
    scored, done = table(tmp_path, "item,truth,prediction,correct\na,A,A,\nb,,A,\nc,,A,yes\n")
    assert {each.task: each.compat for each in scored.scores} == {"a": 1, "c": 1}
    assert done.skipped == ["1 rows that say neither what is right nor whether it was"]


def test_a_second_table_of_the_same_items_joins_the_first(tmp_path: Path) -> None:
    table(tmp_path, "item,truth,prediction\na,B,B\nb,C,C\n", "one.csv")
    scored, _ = table(tmp_path, "item,truth,prediction\na,B,A\nb,C,C\n", "two.csv")
    assert {(score.agent, score.task): score.strict for score in scored.scores} == {
        ("one", "a"): 1, ("one", "b"): 1, ("two", "a"): 0, ("two", "b"): 1,
    }  # fmt: skip
    with pytest.raises(LabrigError, match="2 of them among your 3"):
        table(tmp_path, "item,correct\na,1\nb,1\nc,1\n", "three.csv")


def test_normalised_is_idempotent_and_keeps_what_differs() -> None:
    for text in ("A", "-5", "1e3", "**", "(a) or (b)", "１．５", "café", "..."):
        assert normalised(normalised(text)) == normalised(text)
    assert normalised("-5") != normalised("5")
    assert normalised("1000") == normalised("1e3")
    assert normalised("１．５") == "1.5"


# -------------------------------------------------------------------------------------------- the commands


def test_show_prints_a_record(
    items: list[Sample], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, suite = items[0], suites.load("phreeqc-basics")
    run = ("execute_phreeqc", {"input": "SOLUTION 1\n pH 8"}, "\x1b[31mred\n" + "line\n" * 500)
    answer = ("write_file", {"path": "final_answer.txt", "content": sample.truth["answer"]}, "written")
    (tmp_path / "log.jsonl").write_text(claude_log(run, answer, "I am done."))
    where = Where(item=sample.id)
    import_logs("auto", tmp_path / "log.jsonl", tmp_path / "out", suite=suite, samples=items, where=where)
    assert cli.main(["show", sample.id[:6], "--run", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert sample.brief.prompt.splitlines()[0] in shown
    assert "execute_phreeqc(input=" in shown
    assert "477 lines left out" in shown
    assert "\x1b" not in shown
    assert "I am done." in shown
    assert "score: strict 1, compat 1" in shown
    assert "300 tokens in (270 cached), 15 out" in shown
    assert "diagnosis" not in shown
    assert cli.main(["show", sample.id, "--run", str(tmp_path / "out"), "--truth", "--full"]) == 0
    shown = capsys.readouterr().out
    assert "diagnosis" in shown
    assert shown.count("\n    line") == 500


def test_the_commands_say_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    assert cli.main(["import", "auto", str(tmp_path / "none"), "--out", out]) == 2
    assert cli.main(["import", "auto", str(tmp_path), "--out", out, "--epoch", "-1"]) == 2
    assert cli.main(["export", out, "--format", "atif"]) == 2
    (tmp_path / "q1.jsonl").write_text(claude_log("x"))
    assert cli.main(["import", "auto", str(tmp_path / "q1.jsonl"), "--out", out]) == 0
    assert cli.main(["export", out, "--format", "atiff"]) == 2
    assert cli.main(["show", "q2", "--run", out]) == 2
    assert cli.main(["show", "q1", "--run", out, "--agent", "nobody"]) == 2
    errors = capsys.readouterr().err
    for expected in (
        "no such file or folder",
        "counted from 0",
        "not an output folder",
        "did you mean atif",
        "no sample named 'q2'",
        "no such record of q1",
    ):
        assert expected in errors, errors
    assert "Traceback" not in errors
