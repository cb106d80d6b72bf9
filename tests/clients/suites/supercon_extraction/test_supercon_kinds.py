"""Of which kind each fault of the fixtures is, with and without the text of the pages, and the table of kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from labrig_suites.supercon_extraction import suite
from labrig_suites.supercon_extraction.fixtures import FAULTS, LSCO, PAGES, TC, TRUTHS, entry, fixtures
from labrig_suites.supercon_extraction.grading.kinds import KINDS, count_kinds
from labrig_suites.supercon_extraction.grading.payload import read_payload
from labrig_suites.supercon_extraction.rows import Truth

EXPECTED = {
    "an approximate value": "approximate",
    "a value said to be approximate": "approximate",
    "the value of others": "cited",
    "a calculated value": "competing",
    "that of another sample": "wrong sample",
    "another sample's label": "wrong sample",
    "a slip of the unit: 36.9 mK": "unit",
    "kilometres for ångströms": "unit",
    "no unit": "unit",
    "a range": "not one value",
    "200 numbers in one value": "not one value",
    "a near formula: Sr0.16": "wrong sample",
    "a formula with x": "wrong sample",
    "another criterion": "wrong property",
    "words beside the space group": "not one value",
    "an invented quote": "evidence",
    "a quote without the value": "evidence",
    "a quote that cuts the number": "evidence",
    "a page as quote": "evidence",
    "another page": "evidence",
    "no page": "evidence",
}


def _kinds(*rows: dict[str, Any], pages: tuple[str, ...] | None = PAGES) -> dict[str, int]:
    said = read_payload(json.dumps({"properties": rows}))
    assert said is not None
    return count_kinds(TRUTHS, said, pages)


@pytest.mark.parametrize("fault", EXPECTED)
def test_each_fault_has_its_kind(fault: str) -> None:
    rows, strict, _ = FAULTS[fault]
    kinds = _kinds(*rows)
    missed = EXPECTED[fault] != "evidence"
    assert kinds == {"right": 3, EXPECTED[fault]: 1} | ({"missed": 1} if missed else {})
    assert strict == kinds["right"] / 4


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("369 K", "misread"),
        ("3.69 K", "misread"),
        ("36.9e3 K", "misread"),
        ("35.9 K", "misread"),
        ("37 K", "approximate"),
        ("about 35 K", "approximate"),
        ("35 K", "not printed"),
        ("28.4 K", "wrong sample"),
        ("39.1 K", "competing"),
        ("37.8 K", "cited"),
        ("", "not printed"),
        ("warm", "not printed"),
    ],
)
def test_a_wrong_value_has_its_kind(value: str, kind: str) -> None:
    quote = {"39.1 K": "A calculation gives 39.1 K", "37.8 K": "Earlier workers found 37.8 K"}.get(
        value, "Tc"
    )
    assert _kinds(entry(TC, LSCO, value, 1, quote)) == {kind: 1, "missed": 4}


def test_what_nobody_asked_for_is_told_apart_from_what_nobody_printed() -> None:
    rows = [entry("density", LSCO, "36.9 K", 1, "36.9(2) K in zero field")]
    assert _kinds(*rows) == {"wrong property": 1, "missed": 4}
    rows = [entry("density", LSCO, "37.8 K", 2, "37.8"), entry(TC, "MgB2", "6.9", 2, "A1 36.9(2) 6.9")]
    assert _kinds(*rows) == {"not printed": 1, "not in the truth": 1, "missed": 4}
    assert _kinds(*rows, pages=None) == {"not in the truth": 2, "missed": 4}


def test_a_citation_is_seen_in_the_quote_where_pages_are_not_known() -> None:
    for quote in (
        "found 37.8 K [3]",
        "Smith et al. found 37.8 K",
        "37.8 K in Ref. 4",
        "found 37.8 K^{12}, and",
    ):
        assert _kinds(entry(TC, LSCO, "37.8 K", 1, quote), pages=None) == {"cited": 1, "missed": 4}
    assert _kinds(entry(TC, LSCO, "37.8 K", 1, "found 37.8 K"), pages=None) == {"competing": 1, "missed": 4}


def test_a_proved_row_is_the_right_one_whatever_comes_first() -> None:
    rows, _, _ = FAULTS["all right"]
    unproved = {**rows[0], "location": {"page": 2, "evidence": "nowhere"}}
    assert _kinds(unproved, *rows) == {"right": 4, "evidence": 1}
    assert _kinds(*rows, rows[0]) == {"right": 4, "repeated": 1}


def test_a_power_that_was_lost_is_misread() -> None:
    truth = Truth("critical current density", "numeric", LSCO, "1.2 × 10^{6}", "A/cm^2")
    said = read_payload(json.dumps({"properties": [entry(truth.name, LSCO, "1.2 A/cm^2", 1, "Jc")]}))
    assert said is not None and count_kinds([truth], said, PAGES) == {"misread": 1, "missed": 1}


def test_the_table_says_what_each_kind_is() -> None:
    scores = [suite.score(each.sample, each.trajectory) for each in fixtures()]
    assert suite.paper_tables is not None
    table = suite.paper_tables([replace(each.sample) for each in fixtures()], scores)[-1]
    (row,) = table.rows
    found = dict(zip(table.columns, row, strict=True))
    of_figures = 3  # predictions with the value of a figure, which are in no other count
    assert found["said"] == sum(score.facts["said"] for score in scores) - of_figures
    assert sum(found[kind] for kind in KINDS) == pytest.approx(100, abs=0.5)
    assert all(kind in table.note for kind in KINDS) and 0 < found["missed, of the truths"] < 100
