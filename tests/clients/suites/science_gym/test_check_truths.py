"""The truths of drawn questions against the recomputation from files, and that a wrong truth would be seen."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from clients.suites.science_gym.check_truths import Cell, agree, main, questions
from labrig_suites.science_gym.question import Expected
from support.sandbox_rig import skip_unless


@pytest.mark.accept
@pytest.mark.timeout(3600)
def test_truths_agree_with_the_files(capfd: pytest.CaptureFixture[str]) -> None:
    skip_unless()
    per_cell = os.environ.get("LABRIG_GYM_PER_CELL", "2")
    agreed = main(["--per-cell", per_cell, "--seed", "3"]) == 0
    shown = capfd.readouterr().out
    assert agreed, shown
    assert f"{66 * int(per_cell)} questions, 0 disagreements, 0 could not be drawn" in shown


@pytest.mark.accept
def test_a_wrong_truth_is_a_disagreement(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_unless()
    cell = Cell("univariate-file", "csv")
    drawn = list(questions(cell, 2, 3))
    off = replace(drawn[0].expected, value=str(float(drawn[0].expected.value) * (1 + 1e-6)))
    wrong = [replace(drawn[0], expected=off), drawn[1]]
    monkeypatch.setattr("clients.suites.science_gym.check_truths.questions", lambda *_: wrong)
    assert main(["--per-cell", "2", "--type", cell.type, "--extension", cell.extension]) == 1
    assert "2 questions, 1 disagreements, 0 could not be drawn" in capfd.readouterr().out
    assert main(["--per-cell", "3", "--type", cell.type, "--extension", cell.extension]) == 1
    assert "1 could not be drawn" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("kind", "value", "said", "agrees"),
    [
        ("number", "0.123456789012345", {"answer": "0.12345678901234"}, True),
        ("number", "0.123456789012345", {"answer": "0.1234568"}, False),
        ("number", "0.5", {"answer": "-0.5"}, False),
        ("number", "0.5", {"answer": "nan"}, False),
        ("number", "0.5", {"answer": "not possible", "reason": "undefined"}, False),
        ("integer", "12", {"answer": "12.0"}, True),
        ("integer", "1000000000", {"answer": "1000000001"}, False),
        ("choice", "yes, no", {"answer": "yes, no"}, True),
        ("choice", "yes, no", {"answer": "no, yes"}, False),
        ("text", "Lakes", {"answer": "lakes"}, False),
        ("impossible", "not possible", {"answer": "not possible", "reason": "undefined"}, True),
        ("impossible", "not possible", {"answer": "not possible", "reason": "wrong type"}, False),
        ("impossible", "not possible", {"answer": "3.5"}, False),
    ],
)
def test_what_agrees(kind: str, value: str, said: dict[str, str], agrees: bool) -> None:
    expected = Expected(kind, value, reason="undefined" if kind == "impossible" else "")  # type: ignore[arg-type]
    assert agree(expected, json.dumps(said)) is agrees
    if kind == "impossible":
        assert agree(expected, json.dumps({"answer": said["answer"]}), reasons=False) is ("reason" in said)
    assert not agree(expected, f"error: {json.dumps(said)}")
