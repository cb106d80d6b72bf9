"""Logs that were made to harm who imports them: nothing outside is read or written, and good ones are imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostile.imports.logs import ACTING, LOGS, SKIPPED, write
from labrig_programs.reading import gemini
from labrig_study.logs import importing
from labrig_study.logs.importing import import_logs
from support.command import labrig

ACTS = {each for each in ACTING if not each.isprintable()}


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
