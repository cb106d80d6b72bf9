"""pass@k and pass^k: whether one of k attempts at an item is right, and whether all of them are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from labrig_study.statistics.bootstrap import Estimate, bootstrap_mean
from labrig_study.statistics.checking import Labels


@dataclass(frozen=True)
class Passing:
    """Both shares for one k.

    Attributes
    ----------
    any_of, all_of
        pass@k and pass^k: means over items, with the bootstrap over clusters.
    items
        Those that have k attempts or more, on which both rest.
    """

    k: int
    any_of: Estimate
    all_of: Estimate
    items: int


def pass_at(right: int, attempts: int, k: int) -> float:
    r"""Return the chance that k of an item's attempts, drawn without putting back, hold one that is right.

    :math:`1 - \binom{n - c}{k} / \binom{n}{k}` for c right ones of n: without bias where attempts are independent,
    which :math:`1 - (1 - c/n)^k` is not.

    References
    ----------
    Chen, M. et al. (2021). Evaluating Large Language Models Trained on Code. arXiv:2107.03374, equation 1.

    >>> pass_at(1, 4, 1), pass_at(1, 4, 2), pass_at(1, 4, 4)
    (0.25, 0.5, 1.0)
    """
    _check(right, attempts, k)
    return 1 - comb(attempts - right, k) / comb(attempts, k)


def pass_all(right: int, attempts: int, k: int) -> float:
    r"""Return the chance that k of an item's attempts, drawn without putting back, are all right.

    :math:`\binom{c}{k} / \binom{n}{k}`.

    References
    ----------
    Yao, S. et al. (2024). tau-bench. arXiv:2406.12045, section 3.

    >>> pass_all(3, 4, 1), pass_all(3, 4, 2), pass_all(3, 4, 4)
    (0.75, 0.5, 0.0)
    """
    _check(right, attempts, k)
    return comb(right, k) / comb(attempts, k)


def passing(
    rights: Sequence[Sequence[bool]],
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Passing]:
    """Return both for k = 1, 2, 4, .. and the greatest number of attempts that an item has.

    Parameters
    ----------
    rights
        Per item whether each attempt is right.
    clusters
        A label per item. None: each item is its own.

    Raises
    ------
    ValueError
        If there is no item, or one without an attempt.
    """
    most = max(map(len, rights), default=0)
    if most == 0 or not all(map(len, rights)):
        raise ValueError("each sample needs one attempt at least")
    labels = list(clusters) if clusters is not None else list(range(len(rights)))
    found = []
    for k in sorted({most, *(2**n for n in range(most.bit_length()))}):
        chosen = [
            (sum(row), len(row), label) for row, label in zip(rights, labels, strict=True) if len(row) >= k
        ]
        any_of, all_of = (
            bootstrap_mean(
                [share(right, attempts, k) for right, attempts, _ in chosen],
                [label for _, _, label in chosen],
                confidence=confidence,
                resamples=resamples,
                seed=seed,
            )
            for share in (pass_at, pass_all)
        )
        found.append(Passing(k, any_of, all_of, len(chosen)))
    return found


def _check(right: int, attempts: int, k: int) -> None:
    if not 0 <= right <= attempts or not 1 <= k <= attempts:
        raise ValueError(f"{right} right of {attempts} attempts, k = {k}: k is 1 to the number of attempts")
