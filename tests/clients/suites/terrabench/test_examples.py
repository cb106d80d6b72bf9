"""What docs/suites/terrabench.md works out by hand is what the code gives, to 1e-12."""

from __future__ import annotations

import ast
import json
import operator
import re
from fractions import Fraction
from typing import Any

import pytest

from labrig_suites.terrabench.metrics.answers import answers, field_score, truths_of
from labrig_suites.terrabench.metrics.arguments import compare, kind_of
from labrig_suites.terrabench.metrics.calls import Made, reference_of
from labrig_suites.terrabench.metrics.compat import process_compat
from labrig_suites.terrabench.metrics.process import process
from labrig_suites.terrabench.metrics.sidecar import Predicted
from labrig_suites.terrabench.metrics.texts import likeness
from support.places import PROJECT

PAGE = (PROJECT / "docs" / "suites" / "terrabench.md").read_text(encoding="utf-8")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}

REFERENCE = [
    {
        "tool": "fetch_era5",
        "arguments": {
            "variable": "2m_temperature",
            "start": "2020-07-01",
            "end": "2020-07-31",
            "bbox": [0, 40, 10, 50],
        },
    },
    {
        "tool": "count_era5_events",
        "arguments": {"threshold": 35, "data": "t.nc"},
        "kinds": {"data": "made"},
    },
    {"tool": "gis_feature_query", "arguments": {"source": "osm", "filters": "hospital"}},
    {"tool": "gis_overlay", "arguments": {"data": "a.gpkg", "how": "intersection"}},
    {"tool": "plot_region_map", "arguments": {}},
]
WINDOW = {"variable": "t2m", "start": "2020-07-01", "end": "2020-07-30", "bbox": [0, 40, 10, 50]}
RUN = [
    Made("fetch_era5", WINDOW),
    Made("temporal_aggregate", {"data": "x.nc", "statistic": "max"}),
    Made("gis_feature_query", {"source": "osm", "filters": "school"}, success=False),
    Made("no_such_tool", {}, valid=False, success=False),
    Made("gis_feature_query", {"source": "osm", "filters": "hospital"}),
]


def rows(name: str) -> list[list[str]]:
    """Return the cells of a table of examples, without its head."""
    found = re.search(rf"<!-- example: {name} -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    assert found, name
    lines = found[1].strip().splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("| ").split(" | ")] for line in lines]


def by_hand(text: str) -> Fraction:
    """Return the value of an arithmetic expression, exactly."""

    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.BinOp):
            found: Fraction = OPERATORS[type(node.op)](value(node.left), value(node.right))
            return found
        assert isinstance(node, ast.Constant) and isinstance(node.value, int)
        return Fraction(node.value)

    return value(ast.parse(text, mode="eval").body)


def agree(found: float, hand: str) -> None:
    assert abs(found - float(by_hand(hand))) < 1e-12, (found, hand)


def test_process() -> None:
    got = process(RUN, [reference_of(REFERENCE)])
    order = got.order
    names: dict[str, float] = {
        **got.metrics,
        "exact ToolAcc": got.exact,
        "Unique": order.unique,
        "AnyOrder": order.any_order,
        "SameOrder": order.same_order,
        "keys": got.keys,
        "values": got.values,
    }
    assert len(rows("process")) == len(names)
    for name, hand, _ in rows("process"):
        agree(names[name], hand)
    assert [(each.predicted, each.reference, each.exact) for each in got.pairs] == [
        (0, 0, True),
        (1, 1, False),
        (2, 2, True),
        (3, 3, False),
    ]
    assert (got.made, got.valid, got.succeeded) == (5, 4, 3)


def test_process_of_the_public_code() -> None:
    made = [(each.tool, each.success) for each in RUN]
    got = process_compat(
        [made[0], ("reset_equipped_tools", True), *made[1:]], [each["tool"] for each in REFERENCE]
    )
    assert len(rows("compat")) == len(got)
    for name, hand, *_ in rows("compat"):
        agree(got[name], hand)


@pytest.mark.parametrize("row", rows("arguments"), ids=lambda row: " ".join(row[:3]))
def test_arguments(row: list[str]) -> None:
    kind, wanted, made, hand, *_ = row
    agree(compare(json.loads(made), json.loads(wanted), kind), hand)
    found = kind_of({"box": "bbox", "file": "soil_path"}.get(kind, ""), json.loads(wanted))
    assert found == kind or kind == "made"


@pytest.mark.parametrize("row", rows("answers"), ids=lambda row: " ".join(row[:2]))
def test_answers(row: list[str]) -> None:
    said, rule, hit, num, *_ = row
    fields = {"key": "x", "value": 200, "abs_tol": 1, "rel_tol": 0.02, "floor_scale": 8}
    (truth,) = truths_of([fields])
    got = field_score(Predicted("x", json.loads(said)), truth, rule)
    agree(got.hit, hit)
    agree(got.num, num)


@pytest.mark.parametrize("row", rows("fields"), ids=lambda row: row[0])
def test_fields(row: list[str]) -> None:
    said, paper, key, *_ = row
    none = {"abs_tol": 0, "rel_tol": 0, "floor_scale": 0}
    truths = truths_of(
        [{"key": name, "value": value, **none} for name, value in (("a", 1), ("b", 2), ("c", 3))]
    )
    predicted = [Predicted(*each) for each in json.loads(said).items()]
    agree(answers(predicted, truths, fields="paper").hit, paper)
    agree(answers(predicted, truths, fields="key").hit, key)


def test_a_tolerance_of_zero_is_equality() -> None:
    def tolerances(floor: float) -> list[float]:
        row: dict[str, Any] = {"key": "x", "value": 0, "abs_tol": 0, "rel_tol": 0.05, "floor_scale": floor}
        (truth,) = truths_of([row])
        assert field_score(Predicted("x", 0.0), truth, "eq1").hit == 1
        assert field_score(Predicted("x", 1e-300), truth, "eq1").num == 0
        return [truth.tolerance(rule) for rule in ("eq1", "eq9", "code")]

    assert tolerances(0) == [0, 0, 0]
    assert tolerances(2) == [0, 2, 0.1]


def test_texts() -> None:
    got = likeness("The mean is 3 K.<final_json>[]</final_json>", "the mean: 3 K")
    agree(got.words, "8/9")
    agree(got.order, "8/9")
