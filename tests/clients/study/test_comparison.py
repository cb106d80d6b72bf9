"""Two arms compared: pairing, epochs, clusters, and what is said of what is missing."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import asdict, replace

import numpy as np
import pytest

from labrig_study.statistics import bootstrap, clustered, paired, proportions, retention, stability
from labrig_study.statistics.arms import ItemRecord
from labrig_study.statistics.comparison import compare
from support.late import late

scipy_stats = late("scipy.stats")

QUICK = {"resamples": 500}


def arm(
    rights: Iterable[float], *, stem: int = 8, epoch: int = 1, tokens: int | None = 1000, first: int = 0
) -> list[ItemRecord]:
    """Records of items in clusters of `stem`."""
    return [
        ItemRecord(f"q{number:03}", f"S{number // stem:02}", epoch, float(right), True, tokens, 5)
        for number, right in enumerate(rights, first)
    ]


def two_arms(n: int = 168, seed: int = 0) -> tuple[list[ItemRecord], list[ItemRecord]]:
    """A baseline near 40 %, and a treatment near 75 % whose stems differ."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(1.2, 1.0, -(-n // 8))[np.arange(n) // 8]
    return arm(rng.random(n) < 0.4), arm(rng.random(n) < 1 / (1 + np.exp(-hard)), tokens=9000)


def test_a_comparison_is_what_its_parts_say() -> None:
    a, b = two_arms()
    found = compare(a, b, guess=0.25)
    assert found == compare(a[::-1], b[::-1], guess=0.25)  # the order does not matter
    x, y = [r.score for r in a], [r.score for r in b]
    stems = [r.cluster for r in a]
    pair = found.paired
    assert pair is not None
    assert (found.a.n, found.a.clusters, found.a.epochs) == (168, 21, 1)
    assert found.a.wilson == proportions.wilson(sum(x), 168)
    assert found.b.accuracy.interval == bootstrap.bootstrap_mean(y, stems).interval
    assert pair.difference.value == pytest.approx(pair.accuracy_b - pair.accuracy_a)
    assert pair.difference.interval == bootstrap.bootstrap_difference(x, y, stems).interval
    assert pair.difference_by_item.interval == bootstrap.bootstrap_difference(x, y).interval
    assert pair.design == clustered.design_effect(np.subtract(y, x), stems)
    assert pair.permutation == paired.permutation_test(x, y, stems) and pair.permutation.p < 0.001
    moved = retention.kept_gained_lost([s == 1 for s in x], [s == 1 for s in y])
    assert pair.movement == moved
    assert pair.retention.value == pytest.approx(moved.retention)
    assert pair.gain_rate.value == pytest.approx(moved.gain_rate)
    assert pair.retention_less_gain.value == pytest.approx(moved.retention - moved.gain_rate)
    assert pair.test == retention.retention_test(moved)
    assert pair.mcnemar == paired.mcnemar(moved.gained, moved.lost)
    assert pair.t_test.p == pytest.approx(scipy_stats.ttest_rel(y, x).pvalue)
    assert pair.guess_corrected == retention.guess_corrected_retention(moved, 0.25)
    assert pair.detectable.paired < pair.difference.value
    assert pair.tokens_saved == 1 - 9
    assert found.a.tokens_per_right == pytest.approx(168_000 / sum(x))
    assert found.a.rerun_null is pair.retention_over_epochs is None
    assert [note for note in found.notes if "168 samples in 21 clusters" in note] == list(found.notes)
    json.dumps(asdict(found), allow_nan=False)  # nothing in it is NaN or foreign to a report


def test_items_are_paired_by_id_and_none_vanishes() -> None:
    a, b = two_arms()
    found = compare(a[:100], b[20:], **QUICK)
    assert found.paired.n == 80 and found.a.n == 100 and found.b.n == 148
    assert found.only_a == tuple(f"q{n:03}" for n in range(20))
    assert found.only_b == tuple(f"q{n:03}" for n in range(100, 168))
    assert any(
        "20 samples of arm A are not in arm B" in n and "q000" in n and "15 more" in n for n in found.notes
    )
    assert any("68 samples of arm B are not in arm A" in note for note in found.notes)
    assert found.paired.accuracy_a == pytest.approx(np.mean([r.score for r in a[20:100]]))
    apart = compare(a[:10], b[10:20], **QUICK)
    assert apart.paired is None and "No sample is in both arms: nothing can be paired." in apart.notes
    assert apart.a.n == 10 and apart.b.accuracy.value == np.mean([r.score for r in b[10:20]])


def test_epochs_are_averaged_and_most_of_them_say_right_or_wrong() -> None:
    rng = np.random.default_rng(4)
    chance = rng.random(160)
    a = [record for epoch in (3, 1, 2) for record in arm(rng.random(160) < chance, epoch=epoch)]
    b = [record for epoch in (1, 2, 3) for record in arm(rng.random(160) < chance, epoch=epoch)]
    found = compare(a, b, **QUICK)
    table = np.array([[r.score for r in a if r.epoch == epoch] for epoch in (1, 2, 3)]).T
    other = np.array([[r.score for r in b if r.epoch == epoch] for epoch in (1, 2, 3)]).T
    assert found.a.n == 160 and found.a.records == 480 and found.a.epochs == 3
    assert found.a.accuracy.value == pytest.approx(table.mean())
    assert found.a.stability == stability.rerun_stability(table)
    assert found.a.rerun_null.retention.value == pytest.approx(
        stability.rerun_retention(table).retention.value
    )
    assert found.paired.movement == retention.kept_gained_lost(table.sum(axis=1) > 1, other.sum(axis=1) > 1)
    expected = (
        np.mean([table[other[:, j] == 1, i].sum() for i in range(3) for j in range(3)])
        / table.mean(axis=1).sum()
    )
    assert found.paired.retention_over_epochs.value == pytest.approx(expected)
    # Nothing changed between the arms, so their retention is that between reruns, though far from 1.
    low, high = found.paired.retention_over_epochs.interval
    assert low < found.a.rerun_null.retention.value < high < 0.85
    assert found.paired.mcnemar == paired.mcnemar(found.paired.movement.gained, found.paired.movement.lost)
    assert any("more than half of its epochs are; accuracies" in note for note in found.notes)


def test_an_item_with_half_of_its_epochs_right_is_wrong_and_counted() -> None:
    """The first epoch of both arms is right everywhere; the second of B nowhere."""
    a = [ItemRecord(f"q{n}", None, epoch, 1.0) for n in range(20) for epoch in (0, 1)]
    b = [replace(record, score=float(record.epoch == 0)) for record in a]
    found = compare(a, b, **QUICK)
    assert (found.paired.movement.kept, found.paired.movement.lost) == (0, 20)
    assert any("20 with just half of them right count as wrong" in note for note in found.notes)


def test_a_run_that_lacks_epochs_is_used_and_named() -> None:
    a, b = two_arms(40)
    more = [replace(record, epoch=2) for record in b if record.item != "q007"]
    most = [replace(record, epoch=3) for record in more if record.item != "q009"]
    found = compare(a, b + more + most, **QUICK)
    assert "Arm B is incomplete: 2 of 40 samples lack some of the 3 epochs (q007, q009)." in found.notes
    assert found.b.stability.items == 38 and found.b.rerun_null.retention.n == 39 and found.paired.n == 40


def test_unknown_tokens_are_not_zero() -> None:
    a, b = two_arms(40)
    b[3] = replace(b[3], tokens=None, steps=None, score=1.0)
    found = compare(a, b, **QUICK)
    assert found.b.tokens_per_right == pytest.approx(39 * 9000 / (sum(r.score for r in b) - 1))
    again = [replace(record, epoch=2, tokens=1_000_000) for record in b]
    # The item whose tokens are known in one of two runs is left out on both sides.
    assert compare(a, b + again, **QUICK).paired.tokens_saved == pytest.approx(1 - (9000 + 1_000_000) / 2000)
    assert (found.b.tokens, found.b.tokens_mean, found.b.tokens_unknown) == (39 * 9000, 9000, 1)
    assert found.b.steps == 5 and found.paired.tokens_saved == -8
    assert any("tokens are not known for 1 of 40 records" in note for note in found.notes)
    blind = compare(a, [replace(record, tokens=None) for record in b], **QUICK)
    assert blind.b.tokens is blind.b.tokens_per_right is blind.paired.tokens_saved is None


def test_fractional_scores_count_whole_only_in_means() -> None:
    a, b = two_arms(40)
    b[0] = replace(b[0], score=0.5)
    found = compare(a, b, **QUICK)
    assert found.b.accuracy.value == pytest.approx(np.mean([r.score for r in b]))
    assert found.paired.movement.kept + found.paired.movement.gained == sum(r.score == 1 for r in b)
    assert any("1 records score between 0 and 1" in note for note in found.notes)
    thirds = [replace(record, score=1 / 3, epoch=epoch) for record in a for epoch in (1, 2, 3)]
    assert compare(thirds, a, **QUICK).a.accuracy.value == pytest.approx(1 / 3)


def test_few_clusters_and_none_are_said() -> None:
    a, b = two_arms(40)
    few = compare(a, b, **QUICK)
    assert any(note.startswith("Difference") and "only 5 clusters" in note for note in few.notes)
    loose = compare([replace(r, cluster=None) for r in a], [replace(r, cluster="") for r in b], **QUICK)
    assert loose.paired.clusters == 40 and any(
        "No two samples share a cluster" in note for note in loose.notes
    )
    assert loose.paired.difference == loose.paired.difference_by_item
    one = compare([replace(r, cluster="S") for r in a], [replace(r, cluster="S") for r in b], **QUICK)
    assert one.paired.difference.interval is None and any("one cluster" in note for note in one.notes)


@pytest.mark.parametrize(("x", "y"), [(0, 0), (1, 1), (0, 1), (1, 0)])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_thin_arms_give_notes_and_no_crash(x: int, y: int, n: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare(arm([x] * n), arm([y] * n), guess=0.25, **QUICK)
    assert found.paired.difference.value == y - x and found.paired.difference.interval is None
    assert (found.paired.retention is None) == (x == 0) and found.paired.retention_less_gain is None
    assert len(found.notes) > 2
    json.dumps(asdict(found), allow_nan=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"score": float("nan")}, r"arm B, sample q001, epoch 1: the score must lie in \[0, 1\], not nan"),
        ({"score": 1.2}, "not 1.2"),
        ({"tokens": -1}, "tokens must not be negative"),
        ({"cluster": "elsewhere"}, "sample q001 belongs to two clusters: 'S00' in A, 'elsewhere' in B"),
        ({"item": "q000"}, "arm B, sample q000, epoch 1: two records"),
        (
            {"item": "q000", "epoch": 2, "cluster": "elsewhere"},
            "sample q000, epoch 2: the sample belongs to two clusters",
        ),
    ],
)
def test_bad_records_are_refused_in_one_line(change: dict[str, object], said: str) -> None:
    a, b = two_arms(16)
    with pytest.raises(ValueError, match=said) as caught:
        compare(a, [b[0], replace(b[1], **change), *b[2:]], **QUICK)
    assert "\n" not in str(caught.value)


def test_an_arm_without_records_is_refused() -> None:
    with pytest.raises(ValueError, match="arm B has no record"):
        compare(arm([1, 0]), [])
