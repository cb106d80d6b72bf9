"""Scores of runs: the reference, one fault each as the page tells them, hostile submissions, edited truths."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import count
from statistics import fmean
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Step, Submission, ToolCall
from labrig_suites.terrabench.analysis.failures import CATEGORIES, failures
from labrig_suites.terrabench.analysis.observations import METRICS
from labrig_suites.terrabench.score import score
from labrig_suites.terrabench.simulated import items
from support.places import PROJECT
from support.terrabench_faults import FAULTS, faulty, reference

PAGE = (PROJECT / "docs" / "suites" / "terrabench.md").read_text(encoding="utf-8")


def table() -> list[list[str]]:
    found = re.search(r"<!-- example: faults -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    assert found
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in found[1].strip().splitlines()]


HEAD, _, *ROWS = table()


@cache
def made() -> list[Sample]:
    return items(1, 24)


def scores(name: str) -> list[Score]:
    return [score(each, reference(each) if name == "reference" else faulty(each, name)) for each in made()]


def test_the_page_has_every_fault() -> None:
    assert [row[0] for row in ROWS] == ["reference", *FAULTS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_fault_moves_the_metric_that_names_it(row: list[str]) -> None:
    found = scores(row[0])
    for name, cell in zip(HEAD[1:-1], row[1:-1], strict=True):
        value = fmean(each.facts["metrics"][name] for each in found)
        assert f"{value:.2f}" == cell.strip("*"), name
        assert value < 1 or not cell.startswith("**")
    named = row[-1]
    shown = [named in failures(each) for each in found]
    if named in ("document grounding", "simulator"):
        assert any(shown) and not any(
            each in (named,) for one in scores("reference") for each in failures(one)
        )
    else:
        assert all(shown)
    assert set(failures(found[0])) <= {*CATEGORIES, "none"}


def test_facts_of_the_reference() -> None:
    found = score(made()[0], reference(made()[0]))
    assert (found.strict, found.compat) == (1, 1)
    facts = found.facts
    assert set(facts["metrics"]) == set(METRICS) and facts["guardrails"] == dict.fromkeys(
        facts["guardrails"], True
    )
    assert facts["compat"]["ToolUseScore"] == 1 and facts["calls"]["made"] == facts["calls"]["wanted"] == 24
    assert (facts["track"], facts["level"], facts["domain"]) == ("Fundamentals", "0", "Weather")


def test_the_best_of_several_paths_counts_and_words_are_compared() -> None:
    sample = made()[0]
    other = [{"tool": "MeteoAQ", "arguments": {"x": 1}}]
    more = replace(
        sample,
        truth={
            **sample.truth,
            "paths": [other, sample.truth["paths"][0]],
            "message": "It is about as the paper says",
        },
    )
    found = score(more, reference(sample))
    assert found.facts["metrics"]["ToolUseScore"] == 1 and found.facts["path"] == 1
    assert found.facts["compat"]["ToolAcc"] < 1, "the public code knows one path"
    assert score(more, faulty(sample, "missing sidecar")).facts["words"] == [1, 1]


HOSTILE = (
    *("", "\0", "\ud800", "9" * 20_000, "[" * 20_000, '[{"key": ' * 999, "[{}]" * 999),
    *("NaN", "[1e999]", "null", "{}"),
)


@pytest.mark.parametrize("text", HOSTILE, ids=count())
def test_hostile_submissions_are_worth_nothing(text: str) -> None:
    run = reference(made()[0])
    odd = ToolCall("x" * 1_000, {"path": ["\ud800", None, {"a": [[[[]]]]}], "\0": float("1e300")}, 0, False)
    broken = replace(
        run,
        submission=Submission(text, 3),
        steps=(*run.steps, Step(99, calls=(odd,))),
        meta={"duration_s": "long"},
    )
    found = score(made()[0], broken)
    assert (found.strict, found.compat) == (0, 0)
    assert (
        found.facts["metrics"]["ToolAcc"] == 1
        and not found.facts["schema"]
        and not found.facts["guardrails"]["answered"]
    )


def test_a_run_of_ten_thousand_calls_is_scored() -> None:
    run = reference(made()[0])
    many = tuple(
        Step(number, calls=(ToolCall("gis_overlay", {"n": number}, number, False),))
        for number in range(12_000)
    )
    found = score(made()[0], replace(run, steps=many, submission=None))
    assert found.facts["calls"]["made"] == 10_000 and 0 < found.facts["metrics"]["ToolUseScore"] < 0.5


def edited(**change: Any) -> Sample:
    truth = {**made()[0].truth, **change}
    return replace(made()[0], truth={key: value for key, value in truth.items() if value is not ...})


NAN = {"key": "a", "value": float("nan"), "abs_tol": 0, "rel_tol": 0, "floor_scale": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"fields": ...},
        {"paths": ...},
        {"paths": []},
        {"paths": ["x"]},
        {"paths": [[]] * 99},
        {"paths": [[{"tool": 3}]]},
        {"document": []},
        {"offered": "all"},
        {"fields": [NAN]},
        {"fields": [{"key": "a", "value": 1, "abs_tol": 0, "rel_tol": 0}]},
    ],
    ids=count(),
)
def test_edited_items_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LabrigError):
        score(edited(**change), reference(made()[0]))
