"""Studies and tables of twelve simulated agents whose ranking is known, against SciPy and arithmetic of their own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_suites.terrabench.analysis.intervals import difference, excludes_zero, interval
from labrig_suites.terrabench.analysis.observations import COMPONENTS, Observed, observe, stacked
from labrig_suites.terrabench.analysis.regression import derived_weights, independent, linear, predictive
from labrig_suites.terrabench.analysis.weights import leaders, perturbed, schemes
from labrig_suites.terrabench.metrics.process import WEIGHTS
from labrig_suites.terrabench.paper import paper_tables
from labrig_suites.terrabench.score import score
from labrig_suites.terrabench.simulated import ABILITIES, items, runs

AGENTS = [f"agent-{place + 1:02d}" for place in range(len(ABILITIES))]


@cache
def samples() -> list[Sample]:
    return items(3, 24, steps=12)


@cache
def scores() -> list[Score]:
    by_id = {sample.id: sample for sample in samples()}
    return [score(by_id[each.task], each) for each in runs(samples())]


@cache
def models() -> dict[tuple[str, str], Observed]:
    return observe(scores())


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    return {each.title.partition(". ")[0]: each for each in paper_tables(samples(), scores())}


def test_the_known_order_is_recovered(tables: dict[str, Table]) -> None:
    means = {agent: models()[agent, "agent-terra"].mean("ToolUseScore") for agent in AGENTS}
    assert stats.spearmanr(list(means.values()), ABILITIES).statistic > 0.97
    assert sorted(means, key=lambda agent: means[agent])[-1] == "agent-12"
    main = {row[0]: row for row in tables["Table 2"].rows}
    for agent, mean in means.items():
        assert main[agent][tables["Table 2"].columns.index("ToolUseScore")] == round(100 * mean, 2)
    values = {row[0]: row[1] for row in tables["Table 4"].rows}
    assert values["random perturbation trials"] == 1000
    assert values["minimum Spearman rho"] > 0.95 and values["top-ranked model unchanged"] == 1
    assert {row[0] for row in tables["Table 4, more"].rows} >= {
        "equal",
        *(f"without {name}" for name in WEIGHTS),
    }
    assert all(row[1] > 0.9 for row in tables["Table 4, more"].rows[:-1])
    assert {row[1]: row[2] for row in tables["Table 3"].rows}["AUC"] > 0.8


def test_tables_keep_their_form(tables: dict[str, Table]) -> None:
    wanted = ["2", "3", "4", "5", "6", "7", "9"]
    assert [name for name in tables if name.startswith("Table")] == [
        *(f"Table {number}" for number in wanted[:3]),
        "Table 4, more",
        *(f"Table {number}" for number in wanted[3:]),
    ]
    figures = [f"Figure {number}" for number in ("5a", "5b", "7a", "7b", "7c", "7d", "8a", "9", "10")]
    assert set(figures) <= set(tables)
    for table in tables.values():
        assert table.rows and all(len(row) == len(table.columns) for row in table.rows), table.title
    for row in tables["Table 5"].rows:
        _, _, _, n, mean, low, high = row
        assert n == 24 and low <= mean <= high
    apart = tables["Table 6"].rows
    assert len(apart) == 11 * 3 and all(row[3] > 0 for row in apart if row[1] == "ToolUseScore")
    assert all(abs(sum(row[2:]) - 100) < 0.1 for row in tables["Figure 5a"].rows)
    assert sum(row[2] for row in tables["Figure 5b"].rows) == 24 * 12
    accepted = [(each.strict >= 1, each.compat >= 1) for each in scores()]
    assert dict(tables["Table 9"].rows)["disagreements"] == sum(a != b for a, b in accepted)
    for empty in paper_tables(samples(), []):
        assert all(len(row) == len(empty.columns) for row in empty.rows)


def test_intervals_are_those_of_items() -> None:
    best, worst = models()["agent-12", "agent-terra"], models()["agent-01", "agent-terra"]
    found = interval(best, "NumScore")
    values = np.array(best.row("NumScore"))
    drawn = np.random.default_rng(5).choice(values, size=(4_000, values.size)).mean(axis=1)
    assert found.interval is not None and np.allclose(
        found.interval, np.quantile(drawn, [0.025, 0.975]), atol=0.02
    )
    apart = difference(best, worst, "ToolUseScore")
    assert apart is not None and excludes_zero(apart)
    assert apart.value == pytest.approx(best.mean("ToolUseScore") - worst.mean("ToolUseScore"))
    none = difference(best, best, "ToolUseScore")
    assert none is not None and none.value == 0 and not excludes_zero(none)
    assert difference(best, replace(worst, items={"other": {}}), "NumScore") is None
    first = scores()[0]
    nothing = {**first.facts, "metrics": dict.fromkeys(first.facts["metrics"], 0.0)}
    twice = observe([first, replace(first, epoch=1, facts=nothing)])
    (model,) = twice.values()
    assert model.mean("ArgAcc") == first.facts["metrics"]["ArgAcc"] / 2, "epochs first"


def test_regressions() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(size=200), rng.uniform(size=200)
    y = 0.4 * a - 0.2 * b + rng.normal(scale=0.1, size=200)
    found = linear(y, {"a": a, "b": b, "same": 2 * a + 1, "both": a + b, "flat": np.ones(200)})
    assert found.dropped == {"same": "collinear with a", "both": "collinear with a, b", "flat": "constant"}
    design = np.column_stack([np.ones(200), a, b])
    wanted = np.linalg.solve(design.T @ design, design.T @ y)
    assert np.allclose([found.intercept, *found.coefficients.values()], wanted, atol=1e-12)
    assert found.r2 == pytest.approx(np.corrcoef(design @ wanted, y)[0, 1] ** 2, abs=1e-12)
    (one,) = linear(y, {"a": a}).coefficients.values()
    assert one == pytest.approx(stats.linregress(a, y).slope, abs=1e-12)

    study = predictive(list(y > 0.1), y, {"a": a, "b": b, "copy": a})
    assert study.dropped == {"copy": "collinear with a"} and study.success is not None
    assert study.success.auc is not None and study.success.auc > 0.8
    assert study.num_score.r2 == pytest.approx(found.r2, abs=1e-12)
    weights = derived_weights(study.num_score.coefficients, ["a", "b", "copy"])
    assert weights == {"a": 1.0, "b": 0.0, "copy": 0.0}, "a negative coefficient is no weight"
    assert derived_weights({"a": -1.0}, ["a"]) is None
    flat = predictive([True, False], [1.0, 0.0], {"a": [1, 1]})
    assert flat.success is None and flat.note and flat.num_score.r2 == 0
    few = predictive([True, False], [1.0, 0.0], {"a": [1, 2]})
    assert few.names == ("a",)
    with pytest.raises(ValueError, match="at least one column"):
        independent({})


def test_a_metric_equal_to_another_is_left_out_as_in_the_paper() -> None:
    columns = stacked(models(), [*COMPONENTS, "Hit@tol", "NumScore"])
    same = {**{name: columns[name] for name in COMPONENTS}, "ToolCallSuccessRate": columns["InstAcc"]}
    study = predictive([each >= 1 for each in columns["Hit@tol"]], columns["NumScore"], same)
    assert study.dropped == {"ToolCallSuccessRate": "collinear with InstAcc"}
    assert study.success is not None and study.success.mcfadden is not None and 0 < study.success.mcfadden < 1


def test_perturbed_weights_against_scipy() -> None:
    rng = np.random.default_rng(2)
    table = {f"m{place}": dict(zip(WEIGHTS, rng.uniform(size=6), strict=True)) for place in range(8)}
    found = perturbed(table, draws=200, seed=7)
    base, metrics = np.array(list(WEIGHTS.values())), np.array([list(row.values()) for row in table.values()])
    moved = np.clip(base + np.random.default_rng(7).uniform(-0.1, 0.1, size=(200, 6)), 0, None)
    given = metrics @ base
    rhos = [stats.spearmanr(metrics @ (row / row.sum()), given).statistic for row in moved]
    assert found.median == pytest.approx(np.median(rhos), abs=1e-9) and found.least == pytest.approx(
        min(rhos), abs=1e-9
    )
    assert found.reach == pytest.approx(np.mean(np.array(rhos) >= 0.95))
    assert found.first == pytest.approx(
        np.mean([np.argmax(metrics @ row) == np.argmax(given) for row in moved])
    )
    assert found.last == pytest.approx(
        np.mean([np.argmin(metrics @ row) == np.argmin(given) for row in moved])
    )
    still = perturbed(table, spread=0, draws=5)
    assert (still.median, still.least, still.first, still.last) == (1, 1, 1, 1)


def test_where_weights_decide() -> None:
    zero = dict.fromkeys(WEIGHTS, 0.0)
    table = {"a": {**zero, "ToolAcc": 1.0}, "b": {**zero, "InstAcc": 1.0, "OrderScore": 0.9}}
    found = {each.name: each for each in schemes(table, derived={"ToolAcc": 1.0})}
    assert leaders(table) == ["a", "b"] and leaders(table, found["equal"].weights) == ["b", "a"]
    assert found["equal"].spearman == -1 and found["without ToolAcc"].spearman == -1
    assert found["without InstAcc"].spearman == found["from the regression"].spearman == 1
    assert all(sum(each.weights.values()) == pytest.approx(1) for each in found.values())
    tied = perturbed({"a": zero, "b": zero}, draws=3)
    assert (tied.median, tied.least, tied.first, tied.last) == (None, None, 1, 1)


@pytest.mark.parametrize(
    ("table", "more"),
    [
        ({}, {}),
        ({"a": {"x": 1.0}}, {}),
        ({"a": dict.fromkeys(WEIGHTS, float("nan"))}, {}),
        ({"a": dict.fromkeys(WEIGHTS, 1.0)}, {"draws": 0}),
        ({"a": dict.fromkeys(WEIGHTS, 1.0)}, {"spread": -1.0}),
        ({"a": dict.fromkeys(WEIGHTS, 1.0)}, {"weights": dict.fromkeys(WEIGHTS, 0.0)}),
    ],
)
def test_what_no_ranking_can_be_made_of(table: dict[str, dict[str, float]], more: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        perturbed(table, **more)  # type: ignore[arg-type]


def test_made_items_are_the_same_for_the_same_seed() -> None:
    assert [each.to_dict() for each in items(3, 4, steps=12)] == [each.to_dict() for each in samples()[:4]]
    again = list(runs(samples()[:2], ABILITIES[:2]))
    assert [each.to_dict() for each in again] == [
        each.to_dict() for each in runs(samples()[:2], ABILITIES[:2])
    ]
    by_id = {sample.id: sample for sample in samples()}
    best: list[Score] = [score(by_id[each.task], each) for each in runs(samples(), [1.0])]
    assert fmean(each.strict for each in best) == 1
