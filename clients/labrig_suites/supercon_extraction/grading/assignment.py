"""The largest one-to-one matching of predictions and truths.

Where each pair is right or not, an optimal assignment is a matching of the most pairs, which augmenting paths find
exactly (Kuhn 1955; Berge 1957): one prediction serves one truth, and a duplicate serves none.
"""

from __future__ import annotations

from collections.abc import Sequence


def matched(pairs: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a matching of the most pairs.

    Parameters
    ----------
    pairs
        For each truth, the predictions that it may be paired with.

    Returns
    -------
    dict
        Prediction of each truth that has one.
    """
    owner: dict[int, int] = {}
    for truth in range(len(pairs)):
        _augment(truth, pairs, owner)
    return {truth: prediction for prediction, truth in owner.items()}


def _augment(start: int, pairs: Sequence[Sequence[int]], owner: dict[int, int]) -> None:
    """Find a path from a truth to a free prediction, breadth first, and swap the pairs along it."""
    came_from: dict[int, int] = {}
    frontier = [start]
    while frontier:
        following = []
        for truth in frontier:
            for prediction in pairs[truth]:
                if prediction in came_from:
                    continue
                came_from[prediction] = truth
                if prediction in owner:
                    following.append(owner[prediction])
                    continue
                before = {each: taken for taken, each in owner.items()}
                while True:
                    truth = came_from[prediction]
                    owner[prediction] = truth
                    if truth == start:
                        return
                    prediction = before[truth]
        frontier = following
