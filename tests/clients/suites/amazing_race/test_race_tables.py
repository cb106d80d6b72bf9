"""Tables of the race, from runs that nobody made: each number is counted again by hand."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_suites.amazing_race import fixtures, simulated
from labrig_suites.amazing_race.evidence import evidence
from labrig_suites.amazing_race.items import sample_of
from labrig_suites.amazing_race.legs import leg_of
from labrig_suites.amazing_race.measures import error, in_bin, jaccard, population
from labrig_suites.amazing_race.paper import paper_tables
from labrig_suites.amazing_race.score import score
from labrig_suites.amazing_race.tables import tables

LEVELS = ("easy", "medium", "hard", "extreme")


def sample(number: int, level: str = "easy", variant: str = "dag") -> Sample:
    fields: dict[str, Any] = copy.deepcopy(dict(fixtures.sample().truth["leg"]))
    fields["difficulty"]["level"] = level
    if variant == "linear":
        fields["stops"][4]["bridge"]["tool_chain"][0]["output_key"] = "converted"
    return sample_of(fields, f"leg-{number}", {})


SAMPLES = [sample(n, LEVELS[n % 4], ("dag", "linear")[n // 4 % 2]) for n in range(8)]


def scored(each: Sample, behaviour: str, text: str | None, agent: str = "a") -> Score:
    leg = leg_of(each)
    trajectory = simulated.ran(each, simulated.BEHAVIOURS[behaviour](leg), text, "agent-paper")
    results = {"fetch_webpage": "1347 and 88 metres, Karsholt, Norland", "maps_elevation": "412.6"}
    found = score(each, replace(trajectory, agent=agent))
    facts = found.facts | evidence(each, trajectory, lambda call: results.get(call.tool, ""))
    return replace(found, facts=facts)


def table(found: list[Table], title: str) -> list[dict[str, Any]]:
    (one,) = [each for each in found if each.title.startswith(title)]
    return [dict(zip(one.columns, row, strict=True)) for row in one.rows]


SCORES = [
    scored(SAMPLES[0], "perfect", "7"),
    scored(SAMPLES[1], "perfect", "8"),
    scored(SAMPLES[2], "wrong page", "8"),
    scored(SAMPLES[3], "lazy", "8"),
    scored(SAMPLES[4], "shortcut", "7"),
    scored(SAMPLES[5], "perfect", "7"),
    scored(SAMPLES[6], "wrong order", "8"),
    scored(SAMPLES[7], "failed", None),
]


def test_errors_are_told_by_pages_then_roadblocks() -> None:
    assert [error(each, "compat") for each in SCORES] == [
        *("", "computation", "navigation", "navigation", "", "", "computation", "computation"),
    ]
    assert [error(each, "strict") for each in SCORES] == [
        *("", "computation", "navigation", "navigation", "", "", "computation", "navigation"),
    ]


def test_populations_overlap_and_are_counted_from_values_pages_and_roadblocks() -> None:
    assert population(SCORES[4], "strict") == ["shortcut"]
    assert population(SCORES[3], "strict") == []  # one page of three was fetched: 0.33
    assert "perfect navigation, wrong" in population(SCORES[1], "strict")
    near = replace(SCORES[1], facts=SCORES[1].facts | {"intermediate": [8, 10]})
    assert "near miss" in population(near, "strict") and "near miss" not in population(SCORES[1], "strict")


def test_values_that_stood_in_results_are_counted_by_both_definitions() -> None:
    assert SCORES[0].facts["intermediate"] == [4, 8], "Karsholt, 1347, 412.6, 88"
    published = SCORES[0].facts["intermediate_verify"]
    assert published == [6, 9], "these, 12 in the text 412.6, and the finish line's 7 in 1347"


def test_the_paper_s_tables_have_the_numbers_of_the_records() -> None:
    found = paper_tables(SAMPLES, SCORES)
    assert [each.title.partition(".")[0] for each in found] == [
        *(
            "Table 2",
            "Figure 5",
            "Figure 6",
            "Table 3",
            "Table 7",
            "Table 8",
            "Table 9",
            "Appendix J",
            "Appendix K",
            "Figure 8",
            "Table 11",
        ),
        "Table 12",
    ]
    (everything,) = [
        row for row in table(found, "Table 2") if (row["variant"], row["level"]) == ("dag", "all")
    ]
    assert (everything["legs"], everything["stops"], everything["roadblocks"], everything["tools"]) == (
        4,
        9.0,
        4.0,
        5.0,
    )
    first, random = table(found, "Figure 5")
    assert first["FA %"] == 37.5 and first["records"] == 8 and random["FA %"] == 10.0
    (change,) = table(found, "Figure 6")
    assert change["FA"] == round(25.0 - 50.0, 1)
    rows = {(row["variant"], row["level"]): row for row in table(found, "Table 3")}
    assert [rows["dag", "all"][f"{name} %"] for name in ("navigation", "computation", "right")] == [
        50.0,
        25.0,
        25.0,
    ]
    assert [rows["linear", "all"][f"{name} %"] for name in ("navigation", "computation", "right")] == [
        0.0,
        50.0,
        50.0,
    ]
    for row in rows.values():
        assert sum(
            row[f"{name} %"] for name in ("navigation", "tool use", "computation", "right")
        ) == pytest.approx(100)
    length = table(found, "Table 8")
    assert [row["stops"] for row in length] == ["9-14"] and length[0]["records"] == 8
    by_template = {row["template"]: row["records"] for row in table(found, "Table 7")}
    assert by_template["geocode_elevation"] == 8 and by_template["merge"] == 4


def test_shortcuts_and_few_calls_are_counted_by_variant() -> None:
    ended = replace(SCORES[7], facts=SCORES[7].facts | {"end": "wall_limit"})
    found = paper_tables(SAMPLES, [*SCORES[:7], ended])
    shortcut = {(row["variant"], row["level"]): row for row in table(found, "Appendix K")}
    linear = shortcut["linear", "all"]
    assert (linear["FA %"], linear["shortcuts %"], linear["of right runs %"]) == (50.0, 25.0, 50.0)
    assert linear["FA % without them"] == 25.0 and linear["their RCR %"] == 100.0
    assert linear["stops that are no pages %"] == 62.5, "three of the eight stops before the finish are pages"
    dag = shortcut["dag", "all"]
    assert (dag["FA %"], dag["shortcuts %"], dag["FA % without them"]) == (25.0, 0.0, 25.0)
    assert dag["their RCR %"] is None and dag["their intermediate values %"] is None
    calls = {row["variant"]: row for row in table(found, "Appendix J")}
    assert (calls["linear"]["answered %"], calls["linear"]["out of time %"]) == (75.0, 25.0)
    assert calls["linear"]["FA %"] == 50.0 and calls["linear"]["FA % of those that answered"] == 66.7
    assert calls["dag"]["answered %"] == 100.0 and calls["dag"]["out of time %"] == 0.0


def test_abbreviations_in_heads_are_spelt_out_below() -> None:
    for each in (*paper_tables(SAMPLES, SCORES), *tables(SAMPLES, SCORES)):
        if any(column.startswith(("FA", "PVR", "RCR")) for column in each.columns):
            assert "pit-stop visit rate" in each.note, each.title


def test_tables_without_records_say_how_to_get_some() -> None:
    for each in paper_tables(SAMPLES, []):
        assert each.rows or "labrig run amazing-race" in each.note
    assert all(isinstance(each.rows, tuple) for each in tables(SAMPLES, []))


def test_own_tables_compare_both_definitions() -> None:
    found = tables(SAMPLES, SCORES)
    (row,) = table(found, "Accuracy")
    assert row["strict %"] == row["compat %"] == 37.5 and row["legs"] == 8
    errors = {row["by"]: row for row in table(found, "Errors")}
    assert errors["strict"]["navigation %"] == 37.5 and errors["compat"]["navigation %"] == 25.0
    calls = {row["finish line (compat)"]: row for row in table(found, "Calls of right")}
    assert calls["right"]["records"] == 3 and calls["wrong"]["records"] == 5


def test_page_sets_of_legs_are_compared_in_pairs() -> None:
    assert jaccard(SAMPLES[:1]) == (None, 0)
    assert jaccard(SAMPLES) == (1.0, 28)
    other = copy.deepcopy(dict(SAMPLES[0].truth["leg"]))
    other["stops"][6]["page_url"] = "https://en.wikipedia.org/wiki/Elsewhere"
    assert jaccard([SAMPLES[0], sample_of(other, "x", {})]) == (2 / 4, 1)
    assert in_bin(((1, 2), (3, 8)), 9) is None
