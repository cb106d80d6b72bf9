"""Scores and calibration against closed forms, brute force and planted properties; spells and EHF by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.ensembles import excess_heat, statistics
from labrig_earth.verification import deterministic, emos, probabilistic

RANDOM = np.random.default_rng(11)


def test_crps_of_an_ensemble_is_its_definition_pair_by_pair() -> None:
    members, truth = RANDOM.normal(size=(11, 50)), RANDOM.normal(size=50)
    apart = np.abs(members[:, None] - members[None]).sum(axis=(0, 1))
    error = np.abs(members - truth).mean(axis=0)
    for variant, pairs in (("ecdf", 11**2), ("fair", 11 * 10)):
        found = probabilistic.crps_values(members, truth, variant=variant)
        np.testing.assert_allclose(found, error - apart / (2 * pairs), rtol=1e-12)
    with pytest.raises(LabrigError, match="variant"):
        probabilistic.crps_values(members, truth, variant="nrg")


def test_crps_of_the_normal_distribution_is_its_integral() -> None:
    from scipy.integrate import quad
    from scipy.stats import norm

    for mean, sigma, seen in ((0.0, 1.0, 0.3), (281.0, 2.5, 278.0), (5.0, 0.1, 5.0)):
        below = quad(
            lambda x, m=mean, s=sigma: norm.cdf(x, m, s) ** 2, mean - 12 * sigma - 9, seen, limit=200
        )[0]
        above = quad(
            lambda x, m=mean, s=sigma: norm.sf(x, m, s) ** 2, seen, mean + 12 * sigma + 9, limit=200
        )[0]
        assert probabilistic.crps_gaussian(mean, sigma, seen) == pytest.approx(below + above, rel=1e-5)
    # of a calibrated forecast it is sigma / sqrt(pi) on average
    seen = RANDOM.normal(size=200_000)
    assert probabilistic.crps_gaussian(0.0, 1.0, seen).mean() == pytest.approx(1 / np.sqrt(np.pi), rel=0.01)


def test_the_parts_of_the_brier_score_add_up_and_find_what_was_planted() -> None:
    chance = np.repeat(np.arange(0.05, 1, 0.1), 2000)
    came = (RANDOM.uniform(size=chance.size) < chance**2).astype(float)
    score, table = probabilistic.brier(chance, came)
    assert score.score == pytest.approx(((chance - came) ** 2).mean(), rel=1e-12)
    parts = score.reliability - score.resolution + score.uncertainty
    assert score.score == pytest.approx(parts, abs=1e-12) and abs(score.within) < 1e-12
    np.testing.assert_allclose(table.observed, np.array(table.forecast) ** 2, atol=4 * np.sqrt(0.25 / 2000))
    with pytest.raises(LabrigError, match="Probabilities"):
        probabilistic.brier([1.2], [1.0])


def test_ranks_are_flat_for_members_and_truth_of_one_distribution() -> None:
    drawn = RANDOM.normal(size=(10, 9000))
    counts = np.array(probabilistic.rank_histogram(drawn[:9], drawn[9]))
    assert counts.sum() == 9000 and np.abs(counts - 900).max() < 5 * np.sqrt(900)
    assert probabilistic.rank_histogram(np.ones((3, 2)), np.ones(2)) == [0.5, 0.5, 0.5, 0.5]
    spread, error = probabilistic.spread_and_skill(drawn[:9], drawn[9])
    assert spread == pytest.approx(error, rel=0.03)


def test_emos_finds_the_planted_coefficients_and_beats_the_ensemble() -> None:
    signal, years = RANDOM.normal(size=6000) * 3, np.repeat(np.arange(30), 200)
    wide = RANDOM.uniform(0.5, 2, 6000)
    members = signal + wide * RANDOM.normal(size=(8, 6000))
    s2 = members.var(axis=0)
    truth = 1.5 + 0.8 * members.mean(axis=0) + np.sqrt(0.3 + 0.5 * s2) * RANDOM.normal(size=6000)
    found = emos.fit(members, s2, truth)
    assert found.a == pytest.approx(1.5, abs=0.06) and sum(found.b) == pytest.approx(0.8, abs=0.03)
    assert found.c == pytest.approx(0.3, abs=0.08) and found.d == pytest.approx(0.5, abs=0.06)
    raw = probabilistic.crps(members, truth)
    perfect = probabilistic.crps_gaussian(
        1.5 + 0.8 * members.mean(axis=0), np.sqrt(0.3 + 0.5 * s2), truth
    ).mean()
    left_out = emos.left_out(members, s2, truth, years)
    assert perfect < left_out < 1.01 * perfect < raw
    spread = (truth - found.mean(members)) / found.sigma(s2, 1e-4)
    assert spread.std() == pytest.approx(1, abs=0.03)
    quick = emos.fit(members, s2, truth, method="regression")
    assert quick.c >= 0 and quick.d >= 0 and quick.a == pytest.approx(1.5, abs=0.1)


def test_what_cannot_be_fitted_is_refused() -> None:
    one, many = np.ones(100), RANDOM.normal(size=(3, 100))
    for members, truth, said in ((many, one, "does not vary"), (many[:, :5], one[:5], "coefficients")):
        with pytest.raises(LabrigError, match=said):
            emos.fit(members, members.var(axis=0), truth)
    with pytest.raises(LabrigError, match="23 years"):
        emos.require_years(np.arange(23))


def test_errors_are_those_of_numpy_and_constants_have_no_correlation() -> None:
    one, other, weights = RANDOM.normal(size=(3, 40))
    weights = np.abs(weights)
    other[3] = np.nan
    there = np.isfinite(other)
    found = deterministic.correlation(one, other, weights)
    by_numpy = np.cov(one[there], other[there], aweights=weights[there])
    assert found == pytest.approx(by_numpy[0, 1] / np.sqrt(by_numpy[0, 0] * by_numpy[1, 1]))
    assert deterministic.rmse(one, other) == pytest.approx(np.sqrt(np.nanmean((one - other) ** 2)))
    with pytest.raises(LabrigError, match="vary"):
        deterministic.correlation(np.full(5, 281.1), np.arange(5.0))
    with pytest.raises(LabrigError, match="missing"):
        deterministic.bias([np.nan], [1.0])


def test_excess_heat_is_what_its_equation_says() -> None:
    import xarray as xr

    values = 20 + RANDOM.normal(size=60)
    values[40:46] += 10
    daily = xr.DataArray(values, dims="time")
    found = excess_heat.excess_heat(daily, "time", 24.0).values
    for day in (33, 41, 44, 59):
        three = values[day - 2 : day + 1].mean()
        before = values[day - 32 : day - 2].mean()
        assert found[day] == pytest.approx((three - 24) * max(1, three - before))
    assert np.isnan(found[:32]).all() and np.isfinite(found[32:]).all()
    with pytest.raises(LabrigError, match="at least 33 days"):
        excess_heat.excess_heat(daily[:32], "time", 24.0)


def test_all_days_of_a_spell_count_also_those_that_begin_it() -> None:
    import xarray as xr

    days = xr.DataArray([[1, 1, 0, 1, 1, 1, 0], [1] * 7], dims=("cell", "time")).astype(bool)
    found = excess_heat.in_spells(days, "time", 3)
    assert found.values.astype(int).tolist() == [[0, 0, 0, 1, 1, 1, 0], [1] * 7]


def test_smoothing_keeps_a_constant_also_beside_what_is_missing() -> None:
    import xarray as xr
    from scipy.ndimage import gaussian_filter

    field = xr.DataArray(np.full((8, 9), 5.0), dims=("latitude", "longitude"))
    field[3, 4] = np.nan
    found = statistics.smoothed(field, ("latitude", "longitude"), sigma=1.5, mode="nearest", truncate=3.0)
    assert np.isnan(found[3, 4]) and found.fillna(5).values == pytest.approx(5.0)
    random: Any = xr.DataArray(RANDOM.normal(size=(8, 9)), dims=("latitude", "longitude"))
    found = statistics.smoothed(random, ("latitude", "longitude"), sigma=1.5, mode="nearest", truncate=3.0)
    np.testing.assert_allclose(found, gaussian_filter(random.values, 1.5, mode="nearest", truncate=3.0))
