"""`make soak`: a row is a check's own, a failure and a missing figure are failures, and the small form writes none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from soak import __main__ as soak
from soak.checks import CHECKS, Check


def check(name: str, code: str) -> Check:
    command = ("{python}", "-c", code)
    return Check(name, "what it shows", (command,), r"^\d+ tried", (command,))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = (
        check("good", "print('7 tried')"),
        check("bad", "print('3 tried'); raise SystemExit(1)"),
        check("silent", "print('nothing')"),
    )
    monkeypatch.setattr(soak, "CHECKS", found)
    monkeypatch.setattr(soak, "PAGE", tmp_path / "soak.md")
    monkeypatch.setattr(soak, "commit", lambda: "0123456789")
    return tmp_path / "soak.md"


def ran(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["soak", *words])
    return soak.main()


def rows(page: Path) -> list[list[str]]:
    lines = page.read_text().splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][2:]


def test_rows_are_merged_and_failures_are_failures(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran(monkeypatch, "silent") == 1
    assert ran(monkeypatch, "good") == 0
    assert ran(monkeypatch) == 1
    assert ran(monkeypatch, "good") == 0
    found = rows(page)
    assert [(row[0], row[2], row[4], row[5]) for row in found] == [
        ("good", "0123456789", "7 tried", "passed"),
        ("bad", "0123456789", "3 tried", "**failed**"),
        ("silent", "0123456789", "no figure", "**failed**"),
    ]


def test_the_small_form_writes_no_row(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran(monkeypatch, "--try", "good") == 0
    assert ran(monkeypatch, "--try", "bad") == 1
    assert not page.exists()


def test_the_end_of_a_name_stands_for_all_that_have_it(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tuple(check(name, "print('1 tried')") for name in ("a-good", "b-good", "no-good-one"))
    monkeypatch.setattr(soak, "CHECKS", found)
    assert ran(monkeypatch, "good") == 0
    assert [row[0] for row in rows(page)] == ["a-good", "b-good"]


def test_an_unknown_name_is_refused(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        ran(monkeypatch, "god")


def test_the_programs_of_all_checks_are_there() -> None:
    assert len({each.name for each in CHECKS}) == len(CHECKS)
    for command in [command for each in CHECKS for command in (*each.commands, *each.small)]:
        for word in command:
            if word.endswith((".py", ".sh")):
                assert (soak.ROOT / word).is_file(), word
