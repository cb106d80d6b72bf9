"""The linter: an item without a flag, and each flag from an item that has one thing wrong."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.sample import Attachment, Sample, SampleInput
from labrig_suites.terrabench import lint as linter
from labrig_suites.terrabench.lint import lint, lint_set, most_typical
from labrig_suites.terrabench.metrics.answers import Truth
from labrig_suites.terrabench.simulated import items

FIELD = {"key": "hot_days", "value": 123.4, "abs_tol": 0.5, "rel_tol": 0.025, "floor_scale": 0}
PATH = [
    {"tool": "fetch_era5", "arguments": {"variable": "t2m"}},
    {"tool": "count_era5_events", "arguments": {"threshold": 35}},
]
PROMPT = 'How many days? Answer as <final_json>[{"key": "hot_days", "value": ..., "abs_tol": 0, "rel_tol": 0, ...}]'


def item(
    prompt: str = PROMPT,
    files: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
    **truth: Any,
) -> Sample:
    known = {"track": "Fundamentals", "level": "0", "domain": "Weather"}
    brief = SampleInput("one", prompt, files=dict(files or {}))
    return Sample(
        "terrabench", "0", brief, {"fields": [FIELD], "paths": [PATH], **truth}, {**known, **(labels or {})}
    )


GROUNDED = {"track": "Document-Grounded Verification"}
FLAWED = {
    "true value shown": item(PROMPT + " It was 123.4 last year."),
    "document's value shown": item(
        files={"notes.txt": "The paper reports 98.7 days."}, document={"hot_days": 98.7}
    ),
    "tolerance shown": item(PROMPT + "\nAnswers within 0.5 count."),
    "hidden word": item(PROMPT + " See the ground truth."),
    "tool named": item("Use fetch_era5. " + PROMPT),
    "truth unreadable": item(paths=[]),
    "key not asked for": item("How many days?"),
    "tolerance too wide": item(fields=[{**FIELD, "floor_scale": 62}]),
    "tolerance of nothing": item(fields=[{**FIELD, "abs_tol": 0, "rel_tol": 0}]),
    "document answers it": item(labels=GROUNDED, document={"hot_days": 124}),
    "reference without calls": item(paths=[[]]),
    "call twice": item(paths=[[PATH[0], PATH[0]]]),
    "tool unknown": item(offered=["fetch_era5"]),
    "no simulator": item(labels={"track": "Simulator-Grounded"}),
    "no document": item(labels=GROUNDED),
    "label unknown": item(labels={"level": "4"}),
}


def test_nothing_is_wrong_with_a_good_item() -> None:
    assert lint(item()) == []
    assert lint(item(labels=GROUNDED, document={"hot_days": 98.7})) == []
    exact = item(labels={**GROUNDED, "verification": "exact"}, document={"hot_days": 123.4})
    paper = Attachment(
        "paper.pdf", "application/pdf", "MTIzLjQ="
    )  # in the document itself the value may stand
    assert lint(replace(exact, brief=replace(exact.brief, attachments=(paper,)))) == []
    assert lint(item(PROMPT + " In 2020 it was 1234 and 12.34.")) == [], "other numbers of the same digits"


@pytest.mark.parametrize("name", FLAWED)
def test_each_flaw_is_flagged_alone(name: str) -> None:
    assert {flag.name for flag in lint(FLAWED[name])} == {name}


def test_the_page_of_flags_is_whole() -> None:
    assert linter.__doc__ is not None
    assert all(f"\n{name} " in linter.__doc__ for name in FLAWED)


def test_sets() -> None:
    good = [
        replace(sample, brief=replace(sample.brief, id=f"{sample.id}-{place}"))
        for place, sample in enumerate([*items(0, 20, steps=24), *items(1, 10, steps=44)])
    ]
    assert lint_set(good) == []
    assert {flag.name for flag in lint_set(items(0, 20, steps=3))} == {
        "short references",
        "few long references",
        "few families",
    }
    assert [flag.name for flag in lint_set([*good, good[0]])] == ["id twice"]
    same = [replace(each, truth={**each.truth, "fields": [FIELD]}) for each in good]
    assert [flag.name for flag in lint_set(same)] == ["typical value"]
    assert lint_set([]) == [] and lint_set([FLAWED["truth unreadable"]]) == []


def test_the_most_typical_value() -> None:
    numbers = [Truth("x", value, 1.0) for value in (1, 2.5, 3, 10)]
    right, value = most_typical(numbers)
    assert right == 3 and isinstance(value, float) and 2 <= value <= 2
    assert most_typical([Truth("x", each) for each in ("Yes", "yes ", "no")]) == (2, "yes")
    assert most_typical([Truth("x", True), Truth("x", 1)])[0] == 1, "1 is not true"


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tasks.jsonl"
    rows = [json.dumps(each.to_dict()) for each in (item(), FLAWED["tool named"])]
    file.write_text("\n".join([*rows, '{"cut": ']) + "\n")
    monkeypatch.setattr(sys, "argv", ["lint", str(file)])
    linter.main()
    said = capsys.readouterr().out
    assert (
        "line 3: no item" in said
        and "one: tool named: fetch_era5" in said
        and "tool named: 1 of 2 items" in said
    )
    assert "the set: id twice: one" in said
    assert said.endswith("Fundamentals, level 0: 2 calls, 1 families\n2 items\n")


def test_lengths_of_references_are_told_by_track_and_level() -> None:
    longer = item(paths=[[*PATH, {"tool": "gis_overlay", "arguments": {}}]])
    higher = item(labels={**GROUNDED, "level": "3"}, document={"hot_days": 98.7})
    assert linter.lengths([higher, item(), longer, item(paths=[])]) == [
        "Fundamentals, level 0: 2 to 3 calls, 1 to 2 families",
        "Document-Grounded Verification, level 3: 2 calls, 1 families",
    ]
