"""The metrics: bounds, identity, permutation, monotonicity, and dynamic programming against all pairings."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_suites.terrabench.metrics.alignment import align, followed
from labrig_suites.terrabench.metrics.answers import Truth, answers, field_score
from labrig_suites.terrabench.metrics.arguments import KINDS, compare, kind_of, similarity
from labrig_suites.terrabench.metrics.boundaries import boundaries
from labrig_suites.terrabench.metrics.calls import Made, made_of
from labrig_suites.terrabench.metrics.families import families, family_of, registry, words
from labrig_suites.terrabench.metrics.order import longest_common, order_score
from labrig_suites.terrabench.metrics.process import WEIGHTS, process
from labrig_suites.terrabench.metrics.sidecar import Predicted
from labrig_suites.terrabench.metrics.texts import likeness

TOOLS = ("fetch_era5", "temporal_aggregate", "gis_feature_query", "gis_overlay", "plot_region_map", "strange")
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=12),
    st.sampled_from(["2020-07-01", "2020-07", "t2m", "a/b.nc", "sha256:0123456789abcdef", "35", "1,2,3,4"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=4,
)
KEYS = st.sampled_from(["bbox", "area", "start", "end_date", "variable", "threshold", "data", "run_id", "x"])
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=3)
CALLS = st.lists(
    st.builds(
        lambda tool, arguments, valid, success: Made(tool, arguments, valid, valid and success),
        st.sampled_from(TOOLS),
        ARGUMENTS,
        st.booleans(),
        st.booleans(),
    ),
    max_size=7,
)
GOOD = st.lists(st.builds(Made, st.sampled_from(TOOLS), ARGUMENTS), max_size=6)
NUMBERS = st.floats(-1e6, 1e6)
SIZES = st.floats(0, 1e3)


@given(CALLS, GOOD)
def test_bounds(predicted: list[Made], reference: list[Made]) -> None:
    got = process(predicted, [reference])
    assert set(got.metrics) == {*WEIGHTS, "ToolUseScore"}
    assert all(0 <= value <= 1 + 1e-12 for value in got.metrics.values())
    assert got.metrics["ToolCallSuccessRate"] <= got.metrics["InstAcc"]
    assert got.exact <= got.metrics["ToolAcc"]
    assert got.order.same_order <= got.order.any_order + 1e-12
    assert abs(got.order.any_order - got.metrics["CategoryF1"]) < 1e-12 or not got.valid
    low, high = min(got.metrics[name] for name in WEIGHTS), max(got.metrics[name] for name in WEIGHTS)
    assert low - 1e-12 <= got.score <= high + 1e-12
    over_all = process(predicted, [reference], over="reference")
    assert over_all.metrics["ArgAcc"] <= got.metrics["ArgAcc"] + 1e-12


@given(GOOD)
def test_the_reference_itself_has_full_marks(reference: list[Made]) -> None:
    without_nan = [replace(each, arguments={"threshold": 35, "variable": "t2m"}) for each in reference]
    assert abs(process(without_nan, [without_nan]).score - 1) < 1e-12
    assert abs(process(without_nan, [[Made("strange")] * 9, without_nan]).score - 1) < 1e-12


@given(GOOD.filter(bool), st.data())
def test_a_right_call_more_never_costs_a_pair(reference: list[Made], data: st.DataObject) -> None:
    kept = sorted(data.draw(st.sets(st.integers(0, len(reference) - 1))))
    some = [reference[place] for place in kept]
    more = [reference[place] for place in sorted({*kept, data.draw(st.integers(0, len(reference) - 1))})]
    before, after = process(some, [reference]), process(more, [reference])
    for name in ("ToolAcc", "CategoryF1", "OrderScore"):
        assert before.metrics[name] <= after.metrics[name] + 1e-12
    assert len(before.pairs) == len(some), "a part of the reference, in its order, is paired whole"


@given(CALLS, GOOD, st.randoms())
def test_what_does_not_see_order_does_not_change_with_it(
    predicted: list[Made], reference: list[Made], chance: Any
) -> None:
    before = process(predicted, [reference])
    mixed = list(predicted)
    chance.shuffle(mixed)
    after = process(mixed, [reference])
    for name in ("InstAcc", "ToolCallSuccessRate", "CategoryF1"):
        assert abs(before.metrics[name] - after.metrics[name]) < 1e-12
    assert abs(before.order.unique - after.order.unique) < 1e-12


@given(
    st.lists(st.builds(Made, st.sampled_from(TOOLS), st.just({}) | st.just({"x": 1})), max_size=5),
    st.lists(st.builds(Made, st.sampled_from(TOOLS), st.just({}) | st.just({"x": 1})), max_size=5),
)
def test_no_pairing_is_better(predicted: list[Made], reference: list[Made]) -> None:
    def worth(pairs: list[tuple[int, int]], by: str) -> tuple[int, int, float] | None:
        exact = [predicted[p].tool == reference[r].tool for p, r in pairs]
        near = [family_of(predicted[p].tool) == family_of(reference[r].tool) for p, r in pairs]
        if not all(a or (b and by == "group") for a, b in zip(exact, near, strict=True)):
            return None
        alike = [
            similarity(predicted[p].arguments, reference[r].arguments)
            for (p, r), same in zip(pairs, exact, strict=True)
            if same
        ]
        return len(pairs), sum(exact), round(sum(alike), 9)

    for by in ("exact", "group"):
        all_pairings = (
            worth(list(zip(mine, theirs, strict=True)), by)
            for size in range(min(len(predicted), len(reference)) + 1)
            for mine in itertools.combinations(range(len(predicted)), size)
            for theirs in itertools.combinations(range(len(reference)), size)
        )
        best = max(each for each in all_pairings if each is not None)
        got = [(each.predicted, each.reference) for each in align(predicted, reference, by)]
        assert worth(got, by) == best


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_order_parts(first: list[str], second: list[str]) -> None:
    subsequences = {each for size in range(len(first) + 1) for each in itertools.combinations(first, size)}
    common = [
        size for size in range(len(second) + 1) if subsequences & set(itertools.combinations(second, size))
    ]
    assert longest_common(first, second) == max(common)
    both = order_score(first, second)
    assert both == order_score(second, first)
    larger, reference = order_score(first, second, "larger"), order_score(first, second, "reference")
    for name in ("unique", "any_order", "same_order"):
        assert 0 <= getattr(larger, name) <= getattr(both, name) + 1e-12 <= 1 + 2e-12
        assert getattr(larger, name) <= getattr(reference, name) + 1e-12 <= 1 + 2e-12


@given(VALUES, VALUES, st.sampled_from(sorted(KINDS)))
def test_every_comparison_takes_anything(mine: Any, theirs: Any, kind: str) -> None:
    assert 0 <= compare(mine, theirs, kind) <= 1 + 1e-12
    assert 0 <= similarity({"bbox": mine, "x": theirs}, {"bbox": theirs}) <= 1
    assert kind_of("bbox", mine) in KINDS


def test_arguments_that_change_no_number_do_not_count() -> None:
    named = {"run_id": "7", "timeout_seconds": 9, "scenario_name": "dry", "threshold": 35, "job": None}
    assert similarity(named, {"threshold": 35}) == 1
    assert similarity({"area": [0, 1, 2, 3]}, {"bbox": [0, 1, 2, 3]}) == 1


def test_calls_in_any_order_where_the_path_says_so() -> None:
    path = [
        Made("fetch_era5", {"variable": "t2m"}, after=()),
        Made("gis_feature_query", {"filters": "hospital"}, after=()),
        Made("gis_overlay", {"how": "within"}, after=(0, 1)),
        Made("plot_region_map", {}),
    ]
    run = [path[1], path[0], path[2], path[3]]
    assert process(run, [path]).score == 1
    assert process([path[2], path[1], path[0], path[3]], [path]).score < 1, "an overlay before its inputs"
    assert process(run, [[replace(each, after=None) for each in path]]).score < 1
    assert [each.tool for each in followed(path, run)][:2] == ["gis_feature_query", "fetch_era5"]
    other = Made("gis_overlay", {}, instead=("zonal_statistics",))
    got = process([Made("zonal_statistics")], [[other]])
    assert got.exact == 1 and got.metrics["ToolAcc"] == 1


def test_a_call_made_again_counts_by_its_better_form() -> None:
    wanted = [Made("fetch_era5", {"variable": "t2m"})]
    run = [Made("fetch_era5", {"variable": "pr"}), Made("fetch_era5", {"variable": "t2m"})]
    assert process(run, [wanted]).metrics["ArgAcc"] == 1
    assert [each.predicted for each in process([*run, run[1]], [wanted]).pairs] == [1], (
        "the earliest of equals"
    )


def test_who_does_nothing_and_who_is_asked_nothing() -> None:
    nothing = process([], [[Made("fetch_era5")]])
    assert set(nothing.metrics.values()) == {0.0}
    assert process([], [[]]).score == 1
    only_invalid = process([Made("x", valid=False, success=False)], [[]])
    assert set(only_invalid.metrics.values()) == {0.0}
    some = process([Made("fetch_era5")], [[]])
    assert some.metrics["InstAcc"] == 1 and some.metrics["ToolAcc"] == some.metrics["ArgAcc"] == 0


@given(NUMBERS, NUMBERS, NUMBERS, SIZES, SIZES, SIZES)
def test_answers_by_the_three_rules(y: float, near: float, far: float, a: float, r: float, f: float) -> None:
    truth = Truth("x", y, a, r, f)
    near, far = sorted((near, far), key=lambda each: abs(each - y))
    for rule in ("eq1", "eq9", "code"):
        first, second = (field_score(Predicted("x", each), truth, rule) for each in (near, far))
        assert 0 <= second.num <= first.num <= 1, "the nearer value never has less"
        assert second.hit <= first.hit <= first.num
        assert (first.hit == 1) == (abs(near - y) <= truth.tolerance(rule))
    assert truth.tolerance("eq1") <= min(truth.tolerance("eq9"), truth.tolerance("code"))
    width = truth.tolerance("eq9")
    error = abs(far - y)
    if width > 0 and error > width:
        expected = math.exp(-math.log(2) * (error / width - 1))
        assert math.isclose(
            field_score(Predicted("x", far), truth, "eq9").num, expected, rel_tol=1e-9, abs_tol=1e-300
        )


@given(st.lists(st.tuples(st.sampled_from("abcd"), NUMBERS), max_size=6), st.randoms())
def test_fields_by_key_do_not_see_order(said: list[tuple[str, float]], chance: Any) -> None:
    truths = [Truth(name, 1.0, 1.0) for name in "abc"]
    predicted = [Predicted(*each) for each in said]
    before = answers(predicted, truths, fields="key")
    mixed: list[Predicted | None] = list(predicted)
    chance.shuffle(mixed)
    assert answers(mixed, truths, fields="key") == before
    assert 0 <= before.hit <= before.num <= 1
    assert before.hit <= sum(Counter(each.key for each in predicted)[name] == 1 for name in "abc") / 3


@given(st.text(max_size=60), st.text(max_size=60))
def test_texts(first: str, second: str) -> None:
    got = likeness(first, second)
    assert 0 <= got.order <= got.words <= 1
    assert got == likeness(second, first)
    assert likeness(first, first).words == likeness(first, first).order == 1


def test_families_are_the_papers() -> None:
    assert families() == [*words()["families"]] and len(families()) == 9
    code = [tool for tools in words()["code"].values() for tool in tools]
    assert len(code) == len(set(code)) == 79 and set(code) <= registry()
    assert len(registry()) == sum(map(len, words()["families"].values())), "no tool is in two families"


def test_what_a_run_crossed() -> None:
    def run(*calls: ToolCall, late: ToolCall | None = None) -> Trajectory:
        steps = [Step(0, "asked", source="user"), Step(1, calls=calls), Step(2, "done")]
        steps += [Step(3, calls=(late,))] if late else []
        return Trajectory("i", "s", "a", "arm", 0, 0, tuple(steps), Submission("[]", 2), "answered")

    inside = ToolCall("aggregate", {"data": "a.nc"}, 0, False)
    outside = ToolCall("gis", {"do": "overlay", "files": ["b.gpkg", "../c.gpkg"]}, 1, True)
    got = boundaries(run(inside, outside))
    assert (got.accuracy, got.calls, got.kept["inside"]) == (0.5, 2, False)
    assert all(boundaries(run(inside)).kept.values())
    assert not boundaries(run(inside), offered=["gis"]).kept["offered"]
    assert not boundaries(run(inside, late=inside)).kept["answered"]
    peeking = ToolCall("run_python_code", {"code": "open('number_ground_truth.json')"}, 2, False)
    assert not boundaries(run(peeking)).kept["hidden"]

    unknown = ToolCall("nope", {}, -1, True, fault="unknown_tool")
    waiting = ToolCall("earth__get_job", {"job": "1"}, 3, False)
    assert made_of(run(inside, outside, unknown, waiting)) == [
        Made("aggregate_grid", {"data": "a.nc"}),  # as the tool of an old record is called today
        Made("overlay_layers", outside.arguments, success=False),
        Made("nope", {}, valid=False, success=False),
    ]
    assert [each.valid for each in made_of(run(inside, outside), offered=["gis"])] == [False, True]
    assert [each.valid for each in made_of(run(outside), offered=["overlay_layers"])] == [
        True
    ]  # an old record
