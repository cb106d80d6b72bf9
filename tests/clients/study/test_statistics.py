"""The statistics, against published values, other libraries and simulation."""

from __future__ import annotations

import doctest
import subprocess
import sys
import tracemalloc
import warnings
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_study.statistics import (
    agreement,
    bootstrap,
    clustered,
    paired,
    passing,
    prediction,
    proportions,
    retention,
    stability,
)
from labrig_study.statistics.planning import DISAGREEING, half_width, least_difference
from labrig_study.statistics.retention import Movement
from support.late import late

alphas = late("krippendorff")
scipy_stats = late("scipy.stats")
sm = late("statsmodels.api")
metrics = late("sklearn.metrics")
tables = late("statsmodels.stats.contingency_tables")
multitest = late("statsmodels.stats.multitest")
power = late("statsmodels.stats.power")
proportion = late("statsmodels.stats.proportion")

# Facts from the paper of PHREEQC-MCQ-200 (200 items): accuracy in %, and the bounds printed beside it.
TABLE_1 = {
    ("Claude Opus 4.6", "direct"): (42.0, 35.4, 48.9),
    ("Claude Opus 4.6", "cot"): (38.0, 31.6, 44.9),
    ("Claude Sonnet 4.6", "direct"): (37.0, 30.6, 43.9),
    ("Claude Sonnet 4.6", "cot"): (43.0, 36.3, 49.9),
    ("GPT-5.4", "direct"): (27.0, 21.3, 33.5),
    ("GPT-5.4", "cot"): (35.0, 28.7, 41.8),
    ("GPT-5.2", "direct"): (27.5, 21.8, 34.1),
    ("GPT-5.2", "cot"): (34.5, 28.3, 41.3),
    ("GPT-5.1", "direct"): (39.0, 32.5, 45.9),
    ("GPT-5.1", "cot"): (35.0, 28.7, 41.8),
    ("Gemini 3 Flash Preview", "direct"): (38.5, 32.0, 45.4),
    ("Gemini 3 Flash Preview", "cot"): (40.5, 33.9, 47.4),
}
# Kept, gained, lost, and the retention printed, in %.
TABLE_2 = {
    ("Claude Opus 4.6", "toc"): (70, 97, 14, 83.3),
    ("Claude Sonnet 4.6", "toc"): (64, 104, 10, 86.5),
    ("GPT-5.4", "toc"): (35, 110, 19, 64.8),
    ("GPT-5.2", "toc"): (31, 77, 24, 56.4),
    ("GPT-5.1", "toc"): (46, 62, 32, 59.0),
    ("Claude Opus 4.6", "raw"): (71, 95, 13, 84.5),
    ("Claude Sonnet 4.6", "raw"): (63, 104, 11, 85.1),
    ("GPT-5.4", "raw"): (34, 106, 20, 63.0),
    ("GPT-5.2", "raw"): (34, 89, 21, 61.8),
    ("GPT-5.1", "raw"): (52, 75, 26, 66.7),
}
# Accuracy of the headline run and three differences to it, then the SD and range printed, all in points.
TABLE_3 = {
    "Claude Opus 4.6": (83.5, (2.5, 0.5, 0.5), 1.2, 2.0),
    "Claude Sonnet 4.6": (84.0, (0.5, 0.5, -0.5), 0.6, 1.0),
    "GPT-5.1": (54.0, (-5.0, 1.5, -6.0), 4.1, 7.5),
    "GPT-5.2": (54.0, (2.0, 1.0, 0.5), 0.8, 1.5),
    "GPT-5.4": (72.5, (-4.5, -1.0, 1.0), 2.8, 5.5),
}


def table_2() -> dict[tuple[str, str], Movement]:
    return {key: Movement(k, g, lost, 200 - k - g - lost) for key, (k, g, lost, _) in TABLE_2.items()}


def clustered_sample(seed: int, clusters: int = 21, spread: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    """Right and wrong in clusters of unequal size, whose chances of being right differ."""
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(clusters), rng.integers(1, 20, clusters))
    chance = 1 / (1 + np.exp(-rng.normal(0.3, spread, clusters)))
    return (rng.random(label.size) < chance[label]).astype(float), label


def students_interval(values: np.ndarray) -> tuple[float, float]:
    return sm.stats.DescrStatsW(values).tconfint_mean()


# The paper's tables


@pytest.mark.parametrize("row", TABLE_1, ids="-".join)
def test_table_1_intervals_are_wilsons(row: tuple[str, str]) -> None:
    accuracy, low, high = TABLE_1[row]
    found = proportions.wilson(round(2 * accuracy), 200)
    assert [f"{100 * bound:.1f}" for bound in found] == [f"{low:.1f}", f"{high:.1f}"]


@pytest.mark.parametrize("row", TABLE_2, ids="-".join)
def test_table_2_retention(row: tuple[str, str]) -> None:
    moved, (model, _) = table_2()[row], row
    assert f"{100 * moved.retention:.1f}" == f"{TABLE_2[row][3]:.1f}"
    assert moved.right == round(2 * TABLE_1[model, "direct"][0])  # the counts agree with Table 1


def test_table_2_retention_is_not_told_apart_from_the_gain_rate() -> None:
    tests = {row: retention.retention_test(moved) for row, moved in table_2().items()}
    for row, test in tests.items():
        moved = table_2()[row]
        z, p = proportion.proportions_ztest([moved.kept, moved.gained], [moved.right, moved.wrong])
        assert (test.z, test.z_p) == (pytest.approx(z), pytest.approx(p))
        assert test.fisher_p is not None and test.interval is not None
        assert min(test.fisher_p, p) > 0.13, row
        assert test.interval[0] < 0 < test.interval[1]
        newcombe = proportion.confint_proportions_2indep(
            moved.kept, moved.right, moved.gained, moved.wrong, compare="diff", method="newcomb"
        )
        assert test.interval == pytest.approx(newcombe)
        oracle = tables.Table2x2([[moved.kept, moved.lost], [moved.gained, moved.neither]])
        odds = retention.retention_odds_ratio(moved)
        assert odds.value == pytest.approx(oracle.oddsratio)
        assert odds.interval == pytest.approx(oracle.oddsratio_confint())
        assert odds.interval[0] < 1 < odds.interval[1]
    assert paired.holm([test.fisher_p for test in tests.values()]) == (1.0,) * 10
    # One model keeps fewer of what it had right than it gains of what it had wrong.
    below = {row for row, test in tests.items() if test.difference < -0.05}
    assert below == {("GPT-5.4", "toc"), ("GPT-5.4", "raw")}


def test_table_3_spread() -> None:
    for accuracy, apart, sd, width in TABLE_3.values():
        found = stability.rerun_spread([accuracy + each for each in apart])
        assert (f"{found.sd:.1f}", f"{found.range:.1f}") == (f"{sd:.1f}", f"{width:.1f}")


# Intervals


def test_examples_in_the_docstrings() -> None:
    for module in (proportions, retention):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_newcombe_printed_it(k: int, n: int, low: float, high: float) -> None:
    assert [round(bound, 4) for bound in proportions.wilson(k, n)] == [low, high]


def test_bootstrap_against_scipy() -> None:
    values, label = clustered_sample(5)
    sums, sizes = np.bincount(label, values), np.bincount(label)
    oracle = scipy_stats.bootstrap(
        (sums, sizes),
        lambda s, n, axis=-1: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=40_000,
        rng=1,
    )
    found = bootstrap.bootstrap_mean(values, label, method="percentile", resamples=40_000, seed=2)
    assert found.interval == pytest.approx(oracle.confidence_interval, abs=0.003)
    assert found.se == pytest.approx(oracle.standard_error, rel=0.02)


def test_expanded_interval_of_normal_data_is_as_wide_as_students() -> None:
    values = np.random.default_rng(4).normal(size=12)
    found, student = bootstrap.bootstrap_mean(values, resamples=100_000), students_interval(values)
    assert found.interval[1] - found.interval[0] == pytest.approx(student[1] - student[0], rel=0.03)


def test_clusters_of_means_weigh_equally() -> None:
    found = bootstrap.bootstrap_mean([1, 1, 1, 0], ["a", "a", "a", "b"], weigh="clusters")
    assert (found.value, found.clusters, found.n) == (0.5, 2, 4)
    assert bootstrap.bootstrap_mean([1, 1, 1, 0], ["a", "a", "a", "b"]).value == 0.75


def test_paired_difference_takes_out_what_items_share() -> None:
    rng = np.random.default_rng(0)
    hard = rng.normal(0, 5, 60)
    a, b = hard + rng.normal(0, 0.1, 60), hard + 0.2 + rng.normal(0, 0.1, 60)
    found = bootstrap.bootstrap_difference(a, b)
    assert found.interval == pytest.approx(students_interval(b - a), abs=0.01)
    assert found.interval[0] > 0


def test_a_ratio_is_of_sums_and_a_difference_of_ratios_is_theirs() -> None:
    values, label = clustered_sample(9)
    ones = np.ones_like(values)
    before = (np.arange(values.size) % 3 > 0).astype(float)
    above = before * values
    ratio = bootstrap.bootstrap_ratio(above, before, label)
    assert ratio.value == above.sum() / before.sum()
    both = bootstrap.bootstrap_ratio_difference((above, before), (0 * ones, ones), label)
    assert both.interval == pytest.approx(ratio.interval)  # less a ratio that is always 0
    with pytest.raises(ValueError, match="sum to 0"):
        bootstrap.bootstrap_ratio(above, 0 * ones)


def test_a_seed_gives_one_interval_however_memory_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    values, label = clustered_sample(1)
    first = bootstrap.bootstrap_mean(values, label, seed=7)
    assert first != bootstrap.bootstrap_mean(values, label, seed=8)
    monkeypatch.setattr(bootstrap, "AT_ONCE", 1000)
    assert first == bootstrap.bootstrap_mean(values, label, seed=7)


def test_memory_is_bounded() -> None:
    values = np.arange(50_000) % 2.0
    tracemalloc.start()
    bootstrap.bootstrap_mean(values, resamples=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all indices at once would be 200 MB


@pytest.mark.accept
def test_clusters_cover_where_items_do_not() -> None:
    """95 % intervals of 400 samples of 21 clusters: the truth is a mean over 2 million clusters."""
    chance = 1 / (1 + np.exp(-np.random.default_rng(0).normal(0.3, 1.2, 2_000_000)))
    truth = chance.mean()
    inside = {"clusters": 0, "items": 0, "percentile": 0}
    for seed in range(400):
        values, label = clustered_sample(seed)
        for name, found in (
            ("clusters", bootstrap.bootstrap_mean(values, label, resamples=800, seed=seed)),
            (
                "percentile",
                bootstrap.bootstrap_mean(values, label, resamples=800, seed=seed, method="percentile"),
            ),
            ("items", bootstrap.bootstrap_mean(values, resamples=800, seed=seed)),
        ):
            inside[name] += found.interval[0] <= truth <= found.interval[1]
    assert 0.92 <= inside["clusters"] / 400 <= 0.98
    assert inside["percentile"] < inside["clusters"]
    assert inside["items"] / 400 < 0.8


# Clusters


def test_standard_error_over_clusters_is_that_of_statsmodels() -> None:
    values, label = clustered_sample(2)
    found = clustered.standard_error(values, label)
    oracle = sm.OLS(values, np.ones(values.size)).fit(cov_type="cluster", cov_kwds={"groups": label})
    assert found.se == pytest.approx(oracle.bse[0])
    assert found.df == 20
    plain = clustered.standard_error(values)
    assert plain.se == pytest.approx(scipy_stats.sem(values))


def test_design_effect_and_intraclass_correlation() -> None:
    rng = np.random.default_rng(6)
    label = np.repeat(np.arange(40), 8)
    values = rng.normal(0, 1, 40)[label] + rng.normal(0, 1.5, label.size)
    found = clustered.design_effect(values, label)
    # With equal sizes the analysis of variance is restricted maximum likelihood.
    model = sm.MixedLM(values, np.ones(values.size), groups=label).fit(reml=True)
    between = float(model.cov_re[0, 0] if isinstance(model.cov_re, np.ndarray) else model.cov_re.iloc[0, 0])
    assert found.icc == pytest.approx(between / (between + model.scale), abs=1e-3)
    assert found.deff == pytest.approx(1 + 7 * found.icc, rel=0.03)
    assert found.effective_n == pytest.approx(320 / found.deff)
    one = clustered.design_effect(values, np.arange(values.size).tolist())
    assert (one.deff, one.icc) == (pytest.approx(1.0), None) and "nothing is clustered" in one.note


def test_intraclass_correlation_of_unequal_clusters_by_hand() -> None:
    # Clusters (1, 1, 0), (1, 0), (0): n = 6, m0 = (6 - 14/6)/2 = 11/6, MSB = 1/6, MSW = 7/18.
    found = clustered.design_effect([1, 1, 0, 1, 0, 0], [1, 1, 1, 2, 2, 3])
    assert found.icc == pytest.approx((1 / 6 - 7 / 18) / (1 / 6 + (11 / 6 - 1) * 7 / 18))
    assert "only 3 clusters" in found.note


def test_minimum_detectable_difference_against_power_analysis() -> None:
    for n in (20, 200):
        effect = power.TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
        assert clustered.minimum_detectable_difference(1 / np.sqrt(n), n - 1) == pytest.approx(
            effect, rel=0.01
        )
        apart = power.TTestIndPower().solve_power(nobs1=n, alpha=0.05, power=0.8)
        assert clustered.minimum_detectable_difference(np.sqrt(2 / n), 2 * n - 2) == pytest.approx(
            apart, rel=0.01
        )
    assert clustered.minimum_detectable_difference(1) == pytest.approx(2.8016, abs=1e-4)
    values, label = clustered_sample(4)
    better = np.where(np.arange(values.size) % 5, values, 1 - values)
    found = clustered.detectable(values, better, label)
    se = clustered.standard_error(better - values, label)
    assert found.paired == pytest.approx(clustered.minimum_detectable_difference(se.se, 20))
    one, other = clustered.standard_error(values, label), clustered.standard_error(better, label)
    apart = clustered.minimum_detectable_difference(np.hypot(one.se, other.se), 40)
    assert found.unpaired == pytest.approx(apart) and found.unpaired > found.paired


# Paired tests


def test_permutation_as_fisher_did_darwins_maize(monkeypatch: pytest.MonkeyPatch) -> None:
    heights = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
    drawn = paired.permutation_test([0] * 15, heights)
    assert not drawn.exact and drawn.p == pytest.approx(1726 / 32768, abs=0.006)
    monkeypatch.setattr(paired, "EXACT", 15)
    exact = paired.permutation_test([0] * 15, heights)
    assert exact.exact and exact.p == 1726 / 32768  # 863 in each tail


def test_permutation_of_clusters_against_scipy() -> None:
    rng = np.random.default_rng(12)
    label = np.repeat(np.arange(9), rng.integers(1, 12, 9))
    a, b = rng.integers(0, 2, label.size), rng.integers(0, 3, label.size) > 0
    found = paired.permutation_test(a.astype(float), b.astype(float), label)
    sums = np.bincount(label, b.astype(float) - a)
    oracle = scipy_stats.permutation_test(
        (sums[sums != 0],), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert found.p == pytest.approx(oracle.pvalue)
    assert found.patterns == 2 ** int((sums != 0).sum())


def test_permutation_of_a_few_clusters_says_what_it_can_reach() -> None:
    found = paired.permutation_test([0, 0, 0], [1, 1, 1], ["a", "b", "c"])
    assert found.p == found.smallest_p == 0.25 and "cannot be below 0.25" in found.note
    assert paired.permutation_test([1, 0], [1, 0]).p == 1
    drawn = paired.permutation_test([0] * 60, [1] * 60, draws=999)
    assert drawn.p == drawn.smallest_p == 1 / 1000  # never 0


@pytest.mark.parametrize(
    ("gained", "lost", "exact", "mid", "corrected"),
    [
        (1, 7, 0.070, 0.039, 0.077),
        (7, 1, 0.070, 0.039, 0.077),
    ],  # Fagerland et al. 2013, airways of 21 children
)
def test_mcnemar_as_published(gained: int, lost: int, exact: float, mid: float, corrected: float) -> None:
    found = paired.mcnemar(gained, lost)
    assert (round(found.exact_p, 3), round(found.mid_p, 3), round(found.chi2_p, 3)) == (exact, mid, corrected)


@given(st.integers(0, 80), st.integers(0, 80))
def test_mcnemar_against_statsmodels(gained: int, lost: int) -> None:
    found = paired.mcnemar(gained, lost)
    assert 0 < found.mid_p <= found.exact_p <= 1
    if gained + lost == 0:
        assert found.exact_p == found.chi2_p == 1
        return
    table = [[0, lost], [gained, 0]]
    assert found.exact_p == pytest.approx(tables.mcnemar(table, exact=True).pvalue)
    if gained != lost:  # where statsmodels' correction overshoots: |b - c| - 1 is then taken for 1
        assert found.chi2_p == pytest.approx(tables.mcnemar(table, exact=False, correction=True).pvalue)


def test_paired_t_and_holm() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=25), rng.normal(0.3, size=25)
    found, oracle = paired.paired_t(a, b), scipy_stats.ttest_rel(b, a)
    assert (found.t, found.p, found.df) == (pytest.approx(oracle.statistic), pytest.approx(oracle.pvalue), 24)
    p = rng.random(12) ** 3
    assert paired.holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


# Kept, gained, lost


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_kept_gained_lost(pairs: list[tuple[bool, bool]]) -> None:
    before, after = zip(*pairs, strict=True)
    moved = retention.kept_gained_lost(before, after)
    assert moved.n == len(pairs) and moved.net == sum(after) - sum(before)
    assert moved.right == sum(before) and moved.kept + moved.gained == sum(after)
    if moved.right:
        assert moved.retention == sum(after[i] for i, right in enumerate(before) if right) / sum(before)
    (
        retention.retention_test(moved),
        retention.retention_odds_ratio(moved),
        retention.guess_corrected_retention(moved, 0.25),
    )


def test_odds_ratio_with_an_empty_cell_is_corrected_and_says_so() -> None:
    found = retention.retention_odds_ratio(Movement(kept=5, gained=3, lost=0, neither=4))
    assert found.corrected and found.value == pytest.approx(5.5 * 4.5 / (0.5 * 3.5))
    assert retention.retention_odds_ratio(Movement(5, 0, 2, 0)).value is None


def test_guess_correction_finds_what_guessing_hid() -> None:
    """Items known by 30 %, of which 90 % are kept; of the others the treatment gets 50 %, lucky or not."""
    rng = np.random.default_rng(10)
    n = 400_000
    known = rng.random(n) < 0.3
    before = known | (rng.random(n) < 0.25)
    after = rng.random(n) < np.where(known, 0.9, 0.5)
    moved = retention.kept_gained_lost(before, after)
    found = retention.guess_corrected_retention(moved, 0.25)
    assert moved.retention == pytest.approx((0.3 * 0.9 + 0.7 * 0.25 * 0.5) / (0.3 + 0.7 * 0.25), abs=0.01)
    assert found.retention == pytest.approx(0.9, abs=0.01)
    assert found.known / n == pytest.approx(0.3, abs=0.01)


def test_guess_correction_changes_nothing_where_there_is_nothing_to_correct() -> None:
    moved = Movement(kept=60, gained=66, lost=20, neither=22)  # retention = gain rate = 3/4
    assert retention.guess_corrected_retention(moved, 0.25).retention == pytest.approx(0.75)
    assert retention.guess_corrected_retention(table_2()["GPT-5.1", "toc"], 0.0).retention == pytest.approx(
        46 / 78
    )


def test_guess_correction_says_where_it_fails() -> None:
    chance = retention.guess_corrected_retention(Movement(10, 70, 10, 10), 0.25)
    assert chance.retention is None and "no more than guessing" in chance.note
    near = retention.guess_corrected_retention(table_2()["GPT-5.4", "toc"], 0.25)
    assert near.retention < 0 and near.interval is None
    assert "outside [0, 1]" in near.note and "unbounded" in near.note


def test_fiellers_bounds_are_where_the_t_test_turns() -> None:
    moved = table_2()["GPT-5.1", "raw"]
    found = retention.guess_corrected_retention(moved, 0.25)
    counts, w = [moved.kept, moved.lost, moved.gained, moved.neither], 1 / 3
    above, below = np.repeat([1, 0, -w, 0], counts), np.repeat([1, 1, -w, -w], counts)
    for bound in found.interval:
        assert scipy_stats.ttest_1samp(above - bound * below, 0).pvalue == pytest.approx(0.05)


def test_rerun_null_is_the_mean_over_pairs_of_runs() -> None:
    rng = np.random.default_rng(2)
    table = rng.random((60, 3)) < rng.random((60, 1))
    null = stability.rerun_retention(table.tolist())
    kept = sum((table[:, i] & table[:, j]).sum() for i, j in permutations(range(3), 2))
    right = sum(table[:, i].sum() for i, _ in permutations(range(3), 2))
    gained = sum((~table[:, i] & table[:, j]).sum() for i, j in permutations(range(3), 2))
    assert null.retention.value == pytest.approx(kept / right)
    assert null.gain_rate.value == pytest.approx(gained / (6 * 60 - right))
    assert null.pairs == pytest.approx([table[table[:, i], j].mean() for i, j in permutations(range(3), 2)])
    assert null.retention.interval[0] < null.retention.value < null.retention.interval[1]


def test_rerun_null_of_items_with_unequal_reruns_and_of_none_right() -> None:
    null = stability.rerun_retention([[True, False], [True, True, True]])
    # The first item is never kept and right half the time; the second always.
    assert null.retention.value == pytest.approx(1 / 1.5) and null.pairs == ()
    never = stability.rerun_retention([[False, False]] * 3)
    assert never.retention is None and "no sample was ever right" in never.note


def test_rerun_stability() -> None:
    found = stability.rerun_stability([[1, 1, 1], [0, 0, 0], [1, 0, 1], [0.5, 0.5, 0.5]])
    assert (found.always_right, found.always_wrong, found.flipping) == (0.25, 0.25, 0.25)
    assert found.item_variance == pytest.approx((1 / 3) / 4)
    assert found.agreement == pytest.approx((1 + 1 + 1 / 3 + 1) / 4)
    assert found.accuracy.range == pytest.approx(0.25)
    assert stability.rerun_stability([[1], [0]]).agreement is None


# Agreement

# Krippendorff (2011), section C: four observers, twelve units.
_ = None
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]


def test_alpha_as_krippendorff_printed_it() -> None:
    assert round(agreement.krippendorff_alpha(FOUR_OBSERVERS), 3) == 0.743


def test_alpha_against_the_package() -> None:
    rng = np.random.default_rng(11)
    for _round in range(30):
        data = rng.integers(0, 6, (rng.integers(2, 5), 15)).astype(float)
        data[rng.random(data.shape) < 0.2] = np.nan
        ours = [[None if np.isnan(value) else float(value) for value in row] for row in data]
        theirs = alphas.alpha(reliability_data=data, level_of_measurement="nominal")
        assert agreement.krippendorff_alpha(ours) == pytest.approx(theirs)


def test_alpha_of_names_and_of_one_value() -> None:
    assert agreement.krippendorff_alpha([["a", "b", "c"], ["a", "b", "c"]]) == 1
    assert agreement.krippendorff_alpha([["a", "a"], ["a", "a"]]) is None
    for ratings in ([[1, None], [None, 2]], [[1, 2], [1]]):
        with pytest.raises(ValueError):
            agreement.krippendorff_alpha(ratings)


def test_kappa_against_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 5, 80)
    second = np.where(rng.random(80) < 0.6, first, rng.integers(0, 5, 80))
    found = agreement.cohen_kappa(first.tolist(), second.tolist())
    assert found == pytest.approx(metrics.cohen_kappa_score(first, second))
    assert agreement.cohen_kappa(["x"] * 3, ["x"] * 3) is None


# Prediction


def test_logistic_regression_against_statsmodels() -> None:
    rng = np.random.default_rng(5)
    tokens, steps = rng.normal(30_000, 9_000, 200), rng.integers(1, 24, 200)
    y = rng.random(200) < 1 / (1 + np.exp(-(2 - tokens / 20_000 + 0.05 * steps)))
    found = prediction.logistic(y, tokens, steps)
    design = sm.add_constant(np.column_stack([tokens, steps]).astype(float))
    oracle = sm.Logit(y.astype(float), design).fit(disp=0)
    assert found.coefficients == pytest.approx(oracle.params, rel=1e-5)
    assert found.standard_errors == pytest.approx(oracle.bse, rel=1e-4)
    assert found.p == pytest.approx(oracle.pvalues, rel=1e-3)
    assert found.mcfadden == pytest.approx(oracle.prsquared)
    assert found.auc == pytest.approx(metrics.roc_auc_score(y, oracle.predict(design)))


def test_separation_is_said_and_does_not_overflow() -> None:
    apart = prediction.logistic([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6])
    assert (apart.separation, apart.coefficients, apart.mcfadden, apart.auc) == ("complete", (), 1.0, 1.0)
    ties = prediction.logistic([0, 0, 0, 1, 1, 1], [1, 2, 3, 3, 4, 5])
    assert (ties.separation, ties.coefficients, ties.auc) == ("quasi", (), None)
    mixed = prediction.logistic([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    assert mixed.separation == "none" and len(mixed.coefficients) == 2
    alone = prediction.logistic([1, 1, 1], [1, 2, 3])
    assert alone.separation == "one class" and alone.auc is None
    huge = prediction.logistic([0, 1, 0, 1, 1, 0], [1e12, 2e12, 3e12, 4e12, 5e12, 1.5e12])
    assert np.isfinite(huge.coefficients).all()
    for bad in ([1.0, 1.0, 1.0], [2.0, 4.0]):
        with pytest.raises(ValueError):
            prediction.logistic([0, 1, 0], bad)
    with pytest.raises(ValueError, match="linear combination"):
        prediction.logistic([0, 1, 0, 1], [1, 2, 3, 5], [2, 4, 6, 10])
    with pytest.raises(ValueError, match="too far apart"):
        prediction.logistic([1, 1, 1, 0, 1, 1], [2e6, 1, 0, 1, 2, 2], [2e6, 1, 0, 1, 2, 1])


def test_auc_counts_ties_half() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.random(60) < 0.4, rng.integers(0, 5, 60)
    assert prediction.auc(y, score) == pytest.approx(metrics.roc_auc_score(y, score))
    assert prediction.auc([1, 1], [0.2, 0.3]) is None


def test_correlations_against_scipy() -> None:
    rng = np.random.default_rng(7)
    x = rng.integers(0, 12, 40).astype(float)
    y = x + rng.normal(0, 4, 40)
    found, oracle = prediction.pearson(x, y), scipy_stats.pearsonr(x, y)
    assert (found.value, found.p) == (pytest.approx(oracle.statistic), pytest.approx(oracle.pvalue))
    assert found.interval == pytest.approx(oracle.confidence_interval())
    found, oracle = prediction.spearman(x, y), scipy_stats.spearmanr(x, y)
    assert (found.value, found.p) == (pytest.approx(oracle.statistic), pytest.approx(oracle.pvalue))
    # Bonett and Wright: a little wider than Pearson's at the same correlation.
    half = np.arctanh(found.interval[1]) - np.arctanh(found.value)
    assert half == pytest.approx(1.959964 * np.sqrt((1 + found.value**2 / 2) / 37))


def test_correlations_that_do_not_exist() -> None:
    for function in (prediction.pearson, prediction.spearman):
        assert function([1, 1, 1], [1, 2, 3]).value is None
        assert function([1], [2]).value is None
        line = function([1, 2, 3, 4], [2, 4, 6, 8])
        assert (line.value, line.interval, line.p) == (1.0, None, 0.0)
        assert function([1, 2], [2, 1]).value == -1.0
        assert abs(function([1e200, 2e200, 1e200, 3e200], [1, 2, 3, 4]).value) < 1


# Bad and thin input

EMPTY: list[float] = []


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap.bootstrap_mean(EMPTY),
        lambda: bootstrap.bootstrap_mean([1, float("nan")]),
        lambda: bootstrap.bootstrap_mean([1, float("inf")]),
        lambda: bootstrap.bootstrap_mean(["1", "2"]),
        lambda: bootstrap.bootstrap_mean([1, None]),
        lambda: bootstrap.bootstrap_mean([[1, 2], [3]]),
        lambda: bootstrap.bootstrap_mean([[1, 2], [3, 4]]),
        lambda: bootstrap.bootstrap_mean([1, 2], confidence=1),
        lambda: bootstrap.bootstrap_mean([1, 2], ["a"]),
        lambda: bootstrap.bootstrap_mean([1, 2], resamples=0),
        lambda: bootstrap.bootstrap_difference([1, 2], [1]),
        lambda: paired.permutation_test([1], [1, 2]),
        lambda: paired.paired_t(EMPTY, EMPTY),
        lambda: paired.mcnemar(-1, 2),
        lambda: paired.holm([0.2, 1.2]),
        lambda: paired.holm(EMPTY),
        lambda: retention.kept_gained_lost([True], [True, False]),
        lambda: retention.kept_gained_lost([0.5], [1]),
        lambda: retention.kept_gained_lost([], []),
        lambda: Movement(0, 0, 0, 0),
        lambda: Movement(1, -1, 0, 0),
        lambda: Movement(1, 0.5, 0, 0),
        lambda: Movement("1", 0, 0, 0),
        lambda: Movement(1, float("nan"), float("inf"), 0),
        lambda: bootstrap.bootstrap_mean([1, 2], method="basic"),
        lambda: bootstrap.bootstrap_mean([1, 2], weigh="evenly"),
        lambda: retention.guess_corrected_retention(Movement(1, 1, 1, 1), 1.0),
        lambda: stability.rerun_retention([[True]]),
        lambda: stability.rerun_retention([]),
        lambda: stability.rerun_stability([[0, 1], [1]]),
        lambda: stability.rerun_stability([[0, 1.5]]),
        lambda: clustered.design_effect([1, 2], [1]),
        lambda: clustered.minimum_detectable_difference(-1),
        lambda: agreement.cohen_kappa([1], [1, 2]),
        lambda: agreement.cohen_kappa([], []),
        lambda: agreement.krippendorff_alpha([[1, 2]]),
        lambda: prediction.logistic([True, False]),
        lambda: prediction.pearson([1, 2], [1]),
    ],
)
def test_bad_input_is_one_clear_line(call: object) -> None:
    with pytest.raises(ValueError) as caught:
        call()  # type: ignore[operator]
    assert "\n" not in str(caught.value) and 10 < len(str(caught.value)) < 160


def test_the_line_says_where() -> None:
    with pytest.raises(ValueError, match=r"a\[1\] = nan is not a finite number"):
        paired.paired_t([1, float("nan")], [1, 2])
    with pytest.raises(ValueError, match="a has 2, b has 1"):
        paired.paired_t([1, 2], [1])


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0], [0.0] * 50, [0.1] * 3, [0.0, 1.0]])
def test_thin_data_give_notes_not_numbers_or_warnings(values: list[float]) -> None:
    n = len(values)
    other = [1 - value for value in values]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method in ("expanded", "percentile"):
            for found in (
                bootstrap.bootstrap_mean(values, method=method, resamples=200),
                bootstrap.bootstrap_mean(values, ["a"] * n, method=method, resamples=200),
                bootstrap.bootstrap_difference(values, other, method=method, resamples=200),
            ):
                assert found.note and (found.interval is None or found.clusters == 2)
        assert clustered.design_effect(values, ["a"] * n).deff is None
        assert paired.paired_t(values, values).p is None
        assert paired.permutation_test(values, values).p == 1
        assert clustered.detectable(values, values).paired is None
        assert clustered.standard_error(values, ["a"] * n) is None
        clustered.design_effect(values, list(range(n)))
        stability.rerun_stability([values])
        stability.rerun_spread(values)


def test_few_clusters_are_said() -> None:
    values, label = clustered_sample(3, clusters=4)
    found = bootstrap.bootstrap_mean(values, label)
    assert found.interval is not None and "only 4 clusters" in found.note
    assert bootstrap.bootstrap_mean(*clustered_sample(3)).note == ""


def test_wilson_needs_no_numpy_and_nothing_needs_the_whole_of_scipy() -> None:
    rest = "agreement, bootstrap, clustered, comparison, paired, prediction, retention, stability"
    code = (
        "import sys; from labrig_study.statistics.proportions import wilson; wilson(1, 2);"
        "assert not {'numpy', 'scipy'} & set(sys.modules);"
        f"from labrig_study.statistics import {rest}; assert 'scipy.stats' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("attempts", [1, 2, 5, 8])
def test_pass_at_and_pass_all_are_the_shares_of_all_draws(attempts: int) -> None:
    for right in range(attempts + 1):
        row = [True] * right + [False] * (attempts - right)
        for k in range(1, attempts + 1):
            drawn = list(combinations(row, k))
            assert passing.pass_at(right, attempts, k) == pytest.approx(
                np.mean([any(each) for each in drawn])
            )
            assert passing.pass_all(right, attempts, k) == pytest.approx(
                np.mean([all(each) for each in drawn])
            )
            # As the code beside the paper of HumanEval computes it.
            if attempts - right >= k:
                product = np.prod(1.0 - k / np.arange(attempts - right + 1, attempts + 1))
                assert passing.pass_at(right, attempts, k) == pytest.approx(1 - product)


def test_passing_rests_on_samples_with_k_attempts_and_resamples_clusters() -> None:
    rights = [[True, True, False], [False, False, False], [True, True, True], [True]]
    found = passing.passing(rights, ["a", "a", "b", "c"])
    assert [(each.k, each.items, each.any_of.clusters) for each in found] == [(1, 4, 3), (2, 3, 2), (3, 3, 2)]
    for once in (found[0].any_of, found[0].all_of):
        assert once.value == pytest.approx((2 / 3 + 0 + 1 + 1) / 4)
    assert found[2].any_of.value == pytest.approx(2 / 3) and found[2].all_of.value == pytest.approx(1 / 3)
    low, high = found[0].any_of.interval or (1, 0)
    assert low < found[0].any_of.value < high
    for wrong in ([], [[]], [[True], []]):
        with pytest.raises(ValueError, match="one attempt at least"):
            passing.passing(wrong)
    with pytest.raises(ValueError, match="k is 1 to"):
        passing.pass_at(1, 2, 3)


@pytest.mark.parametrize("samples", [40, 100, 500, 1_000])
def test_the_least_difference_is_found_four_times_in_five(samples: int) -> None:
    """By drawing pairs that disagree on three in ten, and McNemar's test without correction on each set."""
    least = least_difference(samples)
    assert least is not None
    random = np.random.default_rng(samples)
    shares = [(DISAGREEING + least) / 2, (DISAGREEING - least) / 2, 1 - DISAGREEING]
    one, other, _ = random.multinomial(samples, shares, size=4_000).T
    found = np.abs(one - other) > 1.959964 * np.sqrt(one + other)
    assert 0.76 < found.mean() < 0.86  # of few samples the counts are coarse


def test_so_few_samples_show_nothing() -> None:
    assert least_difference(10) is None
    assert half_width(100) == pytest.approx(0.098, abs=1e-3)
    assert least_difference(400) == pytest.approx(least_difference(100) / 2, rel=0.03)
