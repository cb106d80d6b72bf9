"""What the tables measure: constant answers, abstention, agreement between styles, tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import fmean
from typing import Literal

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_study import cells
from labrig_study.statistics import has_statistics
from labrig_suites.science_gym.grading.strict import band
from labrig_suites.science_gym.question import EXPECTED, NOT_POSSIBLE

By = Literal["strict", "compat"]

TEMPLATE = "template"
STYLES = (TEMPLATE, "plain", "note", "letter")


@dataclass(frozen=True)
class Constant:
    """The constant answer that is right most often, by strict, and how often; and how often "not possible" is."""

    answer: str
    right: int
    impossible: int
    items: int


def constant(samples: Iterable[Sample]) -> Constant:
    """Return what an agent gets that gives all these items one and the same answer.

    Of numbers that are compared by digits it is a number that lies in as many of their bands as any does.
    """
    texts: Counter[str] = Counter()
    numbers: list[tuple[Fraction, Fraction]] = []
    for sample in samples:
        expected = EXPECTED.validate_python(sample.truth["expected"])
        if expected.kind == "number":
            numbers.append(band(Fraction(expected.value), expected.digits))
        else:
            texts[expected.value] += 1
    answer, right = min(texts.items(), key=lambda each: (-each[1], each[0]), default=("", 0))
    number, inside = _most_covered(numbers)
    if inside > right:
        answer, right = f"{float(number):.4g}", inside
    return Constant(answer, right, texts[NOT_POSSIBLE], texts.total() + len(numbers))


def _most_covered(bands: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, int]:
    """Return a number that lies in the most closed intervals, and in how many it lies."""
    best, most, inside = Fraction(0), 0, 0
    # At one place intervals begin before others end: their ends belong to them.
    places = sorted([(low, 0) for low, _ in bands] + [(high, 1) for _, high in bands])
    for (at, ends), (following, _) in pairwise(places):
        inside += -1 if ends else 1
        if inside > most:
            best, most = (at + following) / 2, inside
    return best, most


@dataclass(frozen=True)
class Abstention:
    """How often "not possible" was said and was true, over records."""

    said: int
    true: int
    both: int

    @property
    def precision(self) -> float | None:
        """Share of those who said so that were right; None where nobody did."""
        return self.both / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        """Share of the impossible questions of which it was said; None where there is none."""
        return self.both / self.true if self.true else None


def abstention(scores: Iterable[Score], by: By) -> Abstention:
    """Count abstentions."""
    fact = "abstained" if by == "strict" else "abstained_compat"
    pairs = Counter((bool(each.facts[fact]), bool(each.facts["impossible"])) for each in scores)
    return Abstention(
        said=pairs[True, True] + pairs[True, False],
        true=pairs[True, True] + pairs[False, True],
        both=pairs[True, True],
    )


Answers = dict[tuple[str, int], dict[str, bool]]
"""By question and epoch: right or wrong in each style."""


def by_question(samples: Mapping[str, Sample], scores: Iterable[Score], by: By) -> Answers:
    """Return which styles of each question were answered right."""
    found: Answers = {}
    for score in scores:
        labels = samples[score.task].labels
        styles = found.setdefault((labels.get("question", score.task), score.epoch), {})
        styles[labels.get("style", "")] = getattr(score, by) == 1
    return found


def paired(answers: Answers, style: str) -> list[tuple[bool, bool]]:
    """Return right or wrong by the template and in a style, for the questions that have both."""
    both = [each for each in answers.values() if TEMPLATE in each and style in each]
    return [(each[TEMPLATE], each[style]) for each in both]


def alpha(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Krippendorff's alpha of pairs of ratings; None where it does not exist or NumPy is missing."""
    if not pairs or not has_statistics():
        return None
    from labrig_study.statistics.agreement import krippendorff_alpha

    return krippendorff_alpha(list(zip(*pairs, strict=True)))


def share_equal(groups: Iterable[Iterable[bool]]) -> tuple[int, int]:
    """Return how many groups are all right or all wrong, and how many there are."""
    equal = [len(set(each)) == 1 for each in groups]
    return sum(equal), len(equal)


def mean(scores: Sequence[Score], fact: str) -> float | None:
    """Return the mean of a fact over records, one decimal; None of none."""
    return cells.rounded(cells.mean(float(each.facts[fact]) for each in scores))


def thousands(scores: Sequence[Score], *kinds: str) -> float | None:
    """Return thousands of tokens of these kinds together per record, one decimal; None unless all were measured."""
    counts = [each.facts["tokens"] for each in scores]
    if not counts or None in counts:
        return None
    return round(fmean(sum(each[kind] for kind in kinds) for each in counts) / 1000, 1)
