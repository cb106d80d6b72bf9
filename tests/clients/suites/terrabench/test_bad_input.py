"""What is broken gets a typed error or a documented score: sidecars, truths, references."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_suites.terrabench.metrics.answers import answers, truths_of
from labrig_suites.terrabench.metrics.calls import MOST_REFERENCE, Made, reference_of
from labrig_suites.terrabench.metrics.compat import answers_compat, process_compat
from labrig_suites.terrabench.metrics.process import process
from labrig_suites.terrabench.metrics.sidecar import MOST_FIELDS, read_sidecar

FIELD: dict[str, Any] = {"key": "x", "value": 1.0, "abs_tol": 0.1, "rel_tol": 0, "floor_scale": 0}
TRUTH = truths_of([FIELD])


def sidecar(*rows: Any) -> str:
    return json.dumps(list(rows))


@pytest.mark.parametrize(
    ("text", "hit", "valid"),
    [
        (sidecar(FIELD), 1, True),
        (sidecar({**FIELD, "abs_tol": 1e9, "value": 2}), 0, True),  # its own tolerance changes nothing
        (sidecar({**FIELD, "abs_tol": None}), 1, True),
        (sidecar({**FIELD, "value": "1.0"}), 1, True),
        (sidecar({**FIELD, "value": "about 1"}), 0, True),
        (sidecar({**FIELD, "value": "1" * 5000}), 0, True),
        (sidecar({**FIELD, "value": 10**299}), 0, True),
        (sidecar({**FIELD, "value": [1.0]}), 0, True),
        (sidecar({**FIELD, "more": 1}), 0, False),
        (sidecar({**FIELD, "abs_tol": "0.1"}), 0, False),
        (sidecar({**FIELD, "abs_tol": -1}), 0, False),
        (sidecar({**FIELD, "abs_tol": True}), 0, False),
        (sidecar({**FIELD, "key": 7}), 0, False),
        (sidecar({"key": "x", "value": 1.0}), 0, False),
        (sidecar({**FIELD, "value": float("nan")}), 0, False),
        (sidecar({**FIELD, "value": float("inf")}), 0, False),
        (sidecar(FIELD).replace("1.0", "1e999"), 0, True),  # reads as infinite: no number
        (sidecar(FIELD).replace("1.0", "1" * 400), 0, False),
        (sidecar(FIELD).replace('"value"', '"value": 1.0, "value"'), 0, False),
        (sidecar(FIELD, FIELD), 1, True),  # not unique: by order, the first
        (sidecar([FIELD]), 0, False),
        (sidecar("x", None, 3), 0, False),
        (sidecar(), 0, False),
        (json.dumps({"final_json": [FIELD]}), 0, False),
        (json.dumps(FIELD), 0, False),
        (sidecar(FIELD)[:-9], 0, False),
        ("", 0, False),
        ("[" * 100_000, 0, False),
        ("1" * 2_000_000, 0, False),
        ("\0\ud800", 0, False),
    ],
    ids=count(),
)
def test_sidecars(text: str, hit: float, valid: bool) -> None:
    read = read_sidecar(text)
    assert (answers(read.fields, TRUTH, rule="eq1").hit, read.valid) == (hit, valid), read.problems


def test_five_thousand_fields() -> None:
    many = [{**FIELD, "key": f"k{number}"} for number in range(5_000)]
    read = read_sidecar(json.dumps([*many, FIELD]))
    assert len(read.fields) == MOST_FIELDS and not read.valid
    assert answers(read.fields, TRUTH, fields="key").hit == 0


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    for read in map(read_sidecar, (text, f"<final_json>{text}</final_json>")):
        assert read.valid == (not read.problems)
        assert answers(read.fields, TRUTH).num in (0, 1)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [FIELD, FIELD],
        [{**FIELD, "abs_tol": float("inf")}],
        [{**FIELD, "abs_tol": float("nan")}],
        [{**FIELD, "rel_tol": -0.1}],
        [{**FIELD, "floor_scale": None}],
        [{**FIELD, "abs_tol": "0.1"}],
        [{**FIELD, "value": float("nan")}],
        [{**FIELD, "value": 10**400}],
        [{**FIELD, "value": 1e300, "rel_tol": 1e300}],
        [{key: value for key, value in FIELD.items() if key != "rel_tol"}],
        [{**FIELD, "more": 0}],
        [{**FIELD, "key": ""}],
        ["x"],
        [{**FIELD, "key": f"k{number}"} for number in range(MOST_FIELDS + 1)],
    ],
    ids=count(),
)
def test_truths_that_are_refused(rows: list[Any]) -> None:
    with pytest.raises(LabrigError) as refused:
        truths_of(rows)
    assert refused.value.code == "bad_input"


def test_truths_without_numbers_need_no_tolerance() -> None:
    none = {"abs_tol": None, "rel_tol": None, "floor_scale": None}
    truths = truths_of([{"key": "a", "value": "Dry  spell", **none}, {"key": "b", "value": False, **none}])
    read = read_sidecar(
        sidecar({"key": "a", "value": "dry spell ", **none}, {"key": "b", "value": "no", **none})
    )
    assert answers(read.fields, truths).hit == 0.5
    # The public code compares letter by letter, and takes any text for true.
    assert answers_compat([{"key": "a", "value": "dry spell"}, {"key": "b", "value": "no"}], truths) == 0
    assert answers_compat({"b": "", "trace": 1}, truths) == 0.5


def test_answers_of_the_public_code() -> None:
    (truth,) = truths_of([{**FIELD, "abs_tol": 0, "rel_tol": 0.1, "floor_scale": 10}])
    assert answers_compat([{"key": "x", "value": " 2.0 "}], [truth]) == 1, "0.1 of a floor of 10"
    assert answers_compat({"answers": {"final_json": {"x": 2.1}}}, [truth]) == 0
    assert answers_compat({"key": "x", "value": "nan"}, [truth]) == 0
    for document in (None, 3, "x", [], {}, [1, {"key": "x"}], {"x": 10**400}):
        assert answers_compat(document, [truth]) == 0


@pytest.mark.parametrize(
    "calls",
    [
        ["x"],
        [{"arguments": {}}],
        [{"tool": ""}],
        [{"tool": "a", "arguments": [1]}],
        [{"tool": "a", "after": [0]}],
        [{"tool": "a"}, {"tool": "b", "after": [2]}],
        [{"tool": "a", "after": "0"}],
        [{"tool": "a"}] * (MOST_REFERENCE + 1),
    ],
    ids=count(),
)
def test_references_that_are_refused(calls: list[Any]) -> None:
    with pytest.raises(LabrigError):
        reference_of(calls)


def test_meta_calls_of_a_reference_do_not_count() -> None:
    rows = [
        {"tool": "reset_equipped_tools"},
        {"tool": "fetch_era5"},
        {"tool": "gis_overlay", "after": [0, 1]},
    ]
    assert [(each.tool, each.after) for each in reference_of(rows)] == [
        ("fetch_era5", None),
        ("gis_overlay", (0,)),
    ]


def test_long_runs_and_no_path() -> None:
    wanted = [Made("fetch_era5", {"variable": "t2m"})] * 30
    got = process([Made("fetch_era5", {"variable": "pr"})] * 10_000, [wanted])
    assert got.metrics["ToolAcc"] == 1 and got.order.same_order < 0.02
    each_its_own = [Made("fetch_era5", {"variable": "t2m", "threshold": number}) for number in range(10_000)]
    assert process(each_its_own, [wanted]).metrics["ToolAcc"] == 1
    free = [Made("fetch_era5", {"threshold": number}, after=()) for number in range(30)]
    assert process(each_its_own, [free]).metrics["ToolAcc"] == 1
    with pytest.raises(ValueError, match="paths is empty"):
        process([], [])
    assert process_compat([], [])["ToolUseScore"] == 1
    assert process_compat([], ["a"])["ToolUseScore"] == 0.05
