"""``labrig run --prompt FILE``: any suite asks in the words of a file, and the record holds their hash."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_harness.blobs import Blob
from labrig_harness.records import outfolder
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.wording import Wording
from support.command import labrig


def _write(path: Path, words: str | bytes) -> Path:
    path.write_bytes(words if isinstance(words, bytes) else words.encode())
    return path


def _sample(prompt: str, **files: str) -> Sample:
    named: dict[str, str | Blob] = {f"{name}.pdf": text for name, text in files.items()}
    return Sample("toy", "1", SampleInput("a", prompt, named), {})


def test_a_run_asks_in_the_words_of_a_file_and_keeps_their_hash(tmp_path: Path) -> None:
    words = 'Answer as JSON {"answer": ..}; a brace {is} a brace.\n\n{prompt}\n\nThink first.\n'
    file = _write(tmp_path / "mine.md", words)
    asked = _write(
        tmp_path / "mine.csv", "question,kind,answer,tolerance\nHow many legs?,number,8,0\nEyes?,number,2,0\n"
    )
    flags = ["run", str(asked), "--agent", "nop", "--out", str(tmp_path / "runs")]
    assert labrig(*flags, "--prompt", str(file)).returncode == 0
    samples = outfolder.read_tasks(tmp_path / "runs")
    assert len({each.brief.prompt for each in samples}) == 2
    for each in samples:
        assert each.brief.prompt.startswith('Answer as JSON {"answer": ..}; a brace {is} a brace.\n\n')
        assert each.brief.prompt.endswith("\n\nThink first.\n") and "{prompt}" not in each.brief.prompt
    digest = hashlib.sha256(words.encode()).hexdigest()
    label = outfolder.labels(tmp_path / "runs")[0]
    assert outfolder.read_run(tmp_path / "runs", label)["prompt"] == {"file": "mine.md", "sha256": digest}
    records = list((tmp_path / "runs").rglob("trajectory.json"))
    assert len(records) == 2
    for record in records:
        assert json.loads(record.read_text())["versions"]["prompt"] == f"sha256 {digest}"
    assert labrig("resume", str(tmp_path / "runs")).returncode == 0, (
        "a run goes on in the words it began with"
    )
    refused = labrig(*flags, "--prompt", str(_write(tmp_path / "mine.md", words + "Once more.\n")))
    assert refused.returncode != 0 and "other" in refused.stderr


def test_words_without_the_suites_own_are_for_questions_that_files_tell_apart() -> None:
    wording = Wording("mine.md", "", "Read {files}.")
    papers = [_sample("List what {names} says.", one=""), _sample("List 7.", two="", three="")]
    assert [each.brief.prompt for each in wording.ask(papers)] == [
        "Read one.pdf.",
        "Read three.pdf, two.pdf.",
    ]
    assert Wording("mine.md", "", "{prompt} {files}").ask(papers)[0].brief.prompt == (
        "List what {names} says. one.pdf"
    ), "braces of the suite's words are not filled"
    with pytest.raises(LabrigError, match="the same question"):
        wording.ask([_sample("How much Ca?"), _sample("How much Mg?")])
    assert wording.ask([_sample("How much Ca?")] * 2)[0].brief.prompt == "Read ."


@pytest.mark.parametrize("words", [b"", b" \n", b"\xff\xfe\x00", b"x" * (2**20 + 1), None])
def test_a_file_that_is_no_prompt_is_refused_before_the_run(tmp_path: Path, words: bytes | None) -> None:
    file = tmp_path / "mine.md" if words is None else _write(tmp_path / "mine.md", words)
    with pytest.raises(LabrigError, match="prompt"):
        Wording.read(file)
