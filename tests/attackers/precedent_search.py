"""What answers are worth that see the name of a material alone.

    PYTHONPATH=tests python -m attackers.precedent_search

Each attack learns from the names and classes of all other materials of a set. Where the classes lie as they would by
chance, none is right more often than who always gives the most frequent class.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from labrig_suites.precedent_search.making.corpus import drawn
from labrig_suites.precedent_search.payload import CLAIMS

MATERIALS = 600
Feature = Callable[[str], object]


def _atoms(formula: str) -> list[tuple[str, int]]:
    return [(symbol, int(amount)) for symbol, amount in re.findall(r"([A-Z][a-z]?)(\d+)", formula)]


FEATURES: dict[str, Feature] = {
    "length of the name": len,
    "first element": lambda formula: _atoms(formula)[0][0],
    "transition metal": lambda formula: _atoms(formula)[1][0],
    "last element": lambda formula: _atoms(formula)[2][0],
    "family: all elements": lambda formula: tuple(symbol for symbol, _ in _atoms(formula)),
    "amounts": lambda formula: tuple(amount for _, amount in _atoms(formula)),
    "atoms of the formula": lambda formula: sum(amount for _, amount in _atoms(formula)),
    "odd and even amounts": lambda formula: tuple(amount % 2 for _, amount in _atoms(formula)),
}
Known = Sequence[tuple[str, str]]
"""Formula and class of each material."""


def classes(seed: str, count: int) -> list[tuple[str, str]]:
    """Return formulas and classes of a seed, without making its papers."""
    _, pairs, stories = drawn(seed, count)
    return [(material.formula, story.answer) for (material, _), story in zip(pairs, stories, strict=True)]


def by_feature(known: Known, feature: Feature) -> float:
    """Return how often the most frequent class of the others with the same feature is right."""
    by_value: dict[object, Counter[str]] = {}
    every = Counter(answer for _, answer in known)
    for formula, answer in known:
        by_value.setdefault(feature(formula), Counter())[answer] += 1
    right = 0
    for formula, answer in known:
        others = by_value[feature(formula)].copy()
        others[answer] -= 1
        guess = max(CLAIMS, key=lambda each: (others[each], every[each]))
        right += guess == answer
    return right / len(known)


def by_all(known: Known) -> float:
    """Return how often naive Bayes over all features is right, each material left out in turn."""
    every = Counter(answer for _, answer in known)
    counts: Counter[tuple[str, object, str]] = Counter()
    for formula, answer in known:
        counts.update((name, feature(formula), answer) for name, feature in FEATURES.items())

    def belief(formula: str, own: str, answer: str) -> float:
        total = every[answer] - (own == answer)
        found = math.log(total + 1)
        for name, feature in FEATURES.items():
            found += math.log((counts[name, feature(formula), answer] - (own == answer) + 0.5) / (total + 1))
        return found

    right = sum(max(CLAIMS, key=lambda each: belief(formula, own, each)) == own for formula, own in known)
    return right / len(known)


def measured(known: Known) -> dict[str, float]:
    """Return of each attack how often it names the right class."""
    every = Counter(answer for _, answer in known)
    found = {f"always {claim}": every[claim] / len(known) for claim in CLAIMS}
    found |= {name: by_feature(known, feature) for name, feature in FEATURES.items()}
    return found | {"all of these, by naive Bayes": by_all(known)}


def main() -> int:
    """Print what each attack gets."""
    print("attack | right class")
    for name, right in measured(classes("attacked", MATERIALS)).items():
        print(f"{name} | {right:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
