"""Logs that were made to harm who imports them: nothing outside is read or written, and good ones are imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostile.imports.logs import ACTING, INSPECTED, LOGS, REWARDS, SKIPPED, TRIAL, atif, write, write_trials
from labrig_programs.reading import gemini
from labrig_study.logs import harbor, importing
from labrig_study.logs.importing import import_logs
from support.command import labrig

ACTS = {each for each in ACTING if not each.isprintable()}


@pytest.mark.accept
def test_hostile_logs_beside_good_ones(tmp_path: Path) -> None:
    logs, outside, out = tmp_path / "logs", tmp_path / "outside.jsonl", tmp_path / "a" / "b" / "c" / "out"
    write(logs, outside)
    done = labrig("import", "auto", str(logs), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert f"records: {len(LOGS) - len(SKIPPED)} " in done.stdout
    assert not ACTS & {*done.stdout, *done.stderr}, "nothing acts on the terminal"
    for name in ("link.jsonl", "acting\u241b]0;owned", "deep.jsonl", "digits.jsonl"):
        assert f"skipped: {name}" in done.stderr
    assert all(path.is_relative_to(out) for path in tmp_path.rglob("*canary*"))
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "outside.jsonl", "a"}
    assert not [path for path in out.rglob("*") if path.is_file() and b"private" in path.read_bytes()]
    for verb in (("score", str(out)), ("show", str(out), "acting"), ("show", str(out), "gemini")):
        done = labrig(*verb)
        assert "Traceback" not in done.stderr and not ACTS & {*done.stdout, *done.stderr}


def _numbers_alone(out: Path) -> None:
    """Every record is JSON, without what JSON does not have."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for path in out.rglob("*.json"):
        json.loads(path.read_text(), parse_constant=refuse)


@pytest.mark.parametrize("name", INSPECTED)
def test_a_hostile_sample_of_inspect_leaves_the_others(name: str, tmp_path: Path) -> None:
    """One that was nested too deep ended the import of all."""
    out = tmp_path / "a" / "b" / "c" / "out"
    (tmp_path / "log.json").write_text(INSPECTED[name])
    done = import_logs("auto", tmp_path / "log.json", out)
    deep = name.startswith("deep")
    assert len(done.records) == 2 - deep and done.records[0].parent.name == "good"
    assert any("nested too deep" in line for line in done.skipped) == deep
    assert all(path.is_relative_to(out) for path in tmp_path.rglob("*canary*"))
    _numbers_alone(out)


def test_hostile_trials_of_harbor_are_kept_and_scored(tmp_path: Path) -> None:
    """A reward of 4,000 digits ended score, tables and report of all; NaN made a record that is no JSON."""
    job, out = tmp_path / "job", tmp_path / "a" / "b" / "c" / "out"
    write_trials(job)
    done = import_logs("auto", job, out)
    assert len(done.records) == len(REWARDS) - 1 and any("nested too deep" in line for line in done.skipped)
    assert all(path.is_relative_to(out) for path in tmp_path.rglob("*canary*"))
    _numbers_alone(out)
    for verb in (
        ("score", str(out)),
        ("tables", str(out)),
        ("report", str(out), "-o", str(tmp_path / "page.html")),
    ):
        said = labrig(*verb)
        assert "Traceback" not in said.stderr and not ACTS & {*said.stdout, *said.stderr}


def test_what_an_import_does_grows_as_what_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples were hashed once for each agent, and a trial's result read for each file: minutes for a megabyte."""
    hashed: list[int] = []
    parsed: list[int] = []
    make_hash, parse = importing.outfolder.tasks_hash, harbor.parse
    monkeypatch.setattr(importing.outfolder, "tasks_hash", lambda each: hashed.append(1) or make_hash(each))
    monkeypatch.setattr(harbor, "parse", lambda each: parsed.append(1) or parse(each))
    trial = tmp_path / "job" / "t"
    (trial / "agent").mkdir(parents=True)
    (trial / "result.json").write_text(TRIAL.replace("@", "1"))
    for number in range(20):
        (trial / f"log{number}.json").write_text(atif())
    agents = [{"name": f"a{number}", "version": "1"} for number in range(40)]
    (tmp_path / "job" / "many.jsonl").write_text("\n".join(atif(agent=each) for each in agents))
    done = import_logs("auto", tmp_path / "job", tmp_path / "out")
    assert len(done.records) == 60
    assert len(hashed) < 5 and len(parsed) == 1


def test_a_quoted_answer_without_an_end_is_read_in_one_go() -> None:
    message = "with response: [" * 200_000
    assert gemini._quote_error(message) == ""  # read once for each beginning, it would take hours
    quoted = json.dumps([{"functionResponse": {"response": {"content": [{"text": "no"}]}}}])
    assert gemini._quote_error(f"It failed with response: {quoted}\n") == "no"


@pytest.mark.parametrize("epoch", [10**12, 10**400, -7])
def test_a_log_does_not_say_how_many_epochs_there_are(
    epoch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "q.jsonl").write_text(LOGS["good.jsonl"])
    read = importing.read_file

    def stating(kind: str, file: Path):  # type: ignore[no-untyped-def]
        for run in read(kind, file):
            yield importing.replace(run, epoch=epoch)

    monkeypatch.setattr(importing, "read_file", stating)
    done = import_logs("auto", tmp_path / "q.jsonl", tmp_path / "out")
    assert [folder.name for folder in done.records] == ["epoch0"]
    assert "none of 0 to 9999" in done.notes[0]
