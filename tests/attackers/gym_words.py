"""Test whether the words of a question reveal that it cannot be answered, and how many frames there are.

    PYTHONPATH=tests python -m attackers.gym_words hard --each 1500
    PYTHONPATH=tests python -m attackers.gym_words clean --each 1500

Of each type that can be impossible, as many questions are made, a third of them impossible. Chi-square: number of
conditions, statistic, digits, unit and length (quarters) against answerable or not; p is to be above `LEAST_P` in all
of them. AUC: a logistic regression on words, asked about questions of subjects that it was not trained on. Frames:
questions without names and numbers; beginnings: their first three words.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.hard.levels import usual
from labrig_repository.gym.hard.plan import GAPS, Plan
from labrig_repository.gym.numbers import Draws
from labrig_suites.science_gym import items
from labrig_suites.science_gym.drawing import OUTCOMES, REASONS, often
from labrig_suites.science_gym.hard import asking
from labrig_suites.science_gym.hard.wording import worded as hard_worded
from labrig_suites.science_gym.wording import DIGITS, STYLES, worded

LEAST_P, MOST_AUC = 0.01, 0.53
FRAMES, OF = 2_000, 1_500
MOST_BEGINNING = 0.05
FEWEST_OF_A_VALUE = 15
README_DECIDES = ("title", "abstract")
"""Types that have one sentence a style, whatever is asked."""


@dataclass(frozen=True)
class Asked:
    """A question as an attacker sees it, and what it is to find out."""

    world: str
    impossible: bool
    conditions: int
    statistic: str
    digits: str
    unit: str
    texts: dict[str, str]
    """By style."""
    names: tuple[str, ...] = ()
    """What is no part of its frame."""

    @property
    def words(self) -> str:
        """The template without paths and numbers."""
        return re.sub(r"[0-9]+", "0", re.sub(r'"[^"]*/[^"]*"', '"PATH"', self.texts["template"]))

    def frame(self, style: str) -> str:
        """Return the question without the names and the numbers of its repository."""
        text = re.sub(r"\b(?:two|three|four|five)\b", "0", self.texts[style], flags=re.IGNORECASE)
        for name in sorted({*self.names}, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "_", text, flags=re.IGNORECASE)
        return re.sub(r"[0-9]+(?:[.:-][0-9]+)*", "0", text)


def hard(each: int) -> Iterator[tuple[str, Asked]]:
    """Yield questions of each type of the hard tier."""
    for kind, gaps in GAPS.items():
        for number in range(each if gaps else 0):
            gap = gaps[number // 3 % len(gaps)] if number % 3 == 0 else ""
            plan = asking.found("attack", number, kind, gap, usual())[0].plan
            texts = {style: hard_worded(plan, style) for style in STYLES}
            ask = plan.ask
            yield (
                kind,
                Asked(
                    *(plan.world.title, bool(gap), len(ask.conditions), ask.statistic, str(ask.digits)),
                    *(ask.unit, texts, _names(plan)),
                ),
            )


def _names(plan: Plan) -> tuple[str, ...]:
    world = plan.world
    names = [plan.ask.term, plan.ask.other, world.title]
    for category in (world.factor, world.block, world.category):
        names += [category.about, *category.levels]
    return (*names, *(each.unit for each in plan.measured), plan.ask.unit, plan.ask.other_unit)


def clean(each: int) -> Iterator[tuple[str, Asked]]:
    """Yield questions of each type of the clean tier that can be impossible."""
    formats = Draws("science-gym", "attack", "formats")
    for type, reasons in REASONS.items():
        for number in range(each if reasons and type not in README_DECIDES else 0):
            like = often(type)[number // 3 % len(often(type))]
            wants = OUTCOMES.get(type, ("",))
            want = wants[number // 3 % len(wants)] if number % 3 else like
            deal = items.Deal(type, want, formats.one(tuple(EXTENSIONS)), like)
            repository, question = items.found(f"attack {type}", number, deal)
            query = question.query
            texts = {style: worded(question, repository, style) for style in STYLES}
            digits = re.search(DIGITS[:20] + r".*?to (\d)", texts["template"])
            unit = re.findall(r"\((.{1,12}?)\)", texts["plain"])
            yield (
                type,
                Asked(
                    *(repository.specification.context.subdomain, want == like),
                    *(len(query.files) + len(query.rows), query.statistic),
                    *(digits[1] if digits else "", unit[-1] if unit else "", texts),
                ),
            )


def chances(asked: Sequence[Asked]) -> dict[str, float]:
    """Return p of each property of the words against being impossible; 1 where a property has one value."""
    from scipy.stats import chi2_contingency

    lengths = sorted(len(each.texts["template"]) for each in asked)
    cuts = [lengths[len(lengths) * part // 4] for part in (1, 2, 3)]
    properties = {
        "conditions": [each.conditions for each in asked],
        "statistic": [each.statistic for each in asked],
        "digits": [each.digits for each in asked],
        "unit": [each.unit for each in asked],
        "length": [sum(len(each.texts["template"]) > cut for cut in cuts) for each in asked],
    }
    found = {}
    for name, values in properties.items():
        often = {value for value, count in Counter(values).items() if count >= FEWEST_OF_A_VALUE}
        table = Counter(
            (value if value in often else "rare", one.impossible)
            for value, one in zip(values, asked, strict=True)
        )
        rows = [[table[value, gap] for gap in (False, True)] for value in {value for value, _ in table}]
        rows = [row for row in rows if sum(row) >= FEWEST_OF_A_VALUE]
        found[name] = float(chi2_contingency(rows).pvalue) if len(rows) > 1 else 1.0
    return found


def auc(asked: Sequence[Asked]) -> float:
    """Return the area under the curve of a bag of words, each question judged by what other subjects taught."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    attacker = make_pipeline(CountVectorizer(min_df=3, binary=True), LogisticRegression(C=0.1, max_iter=2000))
    truths, worlds = [each.impossible for each in asked], [each.world for each in asked]
    texts = [each.words for each in asked]
    said = cross_val_predict(attacker, texts, truths, groups=worlds, cv=GroupKFold(5), method="predict_proba")
    return float(roc_auc_score(truths, said[:, 1]))


def main() -> int:
    """Print what was found; 1 where a property or words tell, letters begin alike, or frames repeat."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tier", choices=("hard", "clean"))
    parser.add_argument("--each", type=int, default=1500, help="questions of each type")
    given = parser.parse_args()
    found: dict[str, list[Asked]] = {}
    for kind, one in (hard if given.tier == "hard" else clean)(given.each):
        found.setdefault(kind, []).append(one)
    told = False
    for kind, asked in found.items():
        chance = chances(asked)
        told |= min(chance.values()) <= LEAST_P
        said = " ".join(f"{name} {p:.3f}" for name, p in chance.items())
        print(f"{kind}: {len(asked)} questions; p of {said}; AUC {auc(asked):.3f}")
    every = [one for asked in found.values() for one in asked]
    area = auc(every)
    told |= area >= MOST_AUC
    print(
        f"{given.tier}: AUC of words {area:.3f} of {len(every)} questions of {len({e.world for e in every})} subjects"
    )
    told |= _begun(given.tier, every)
    if given.tier == "hard":
        told |= _repeated(every[:: max(len(every) // max(OF, 1), 1)][:OF], every)
    return int(told)


def _begun(tier: str, every: Sequence[Asked]) -> bool:
    """Print the commonest beginning of each style; return whether that of letters is too common."""
    shares = {}
    for style in STYLES:
        begun = Counter(" ".join(one.frame(style).split()[:3]) for one in every)
        beginning, count = begun.most_common(1)[0]
        shares[style] = count / len(every)
        print(f"{tier}: {style} begins most often {beginning!r} ({shares[style]:.1%})")
    return shares["letter"] > MOST_BEGINNING


def _repeated(some: Sequence[Asked], every: Sequence[Asked]) -> bool:
    """Print how many frames there are; return whether they are too few."""
    frames = [one.frame("template") for one in every]
    first = len({one.frame("template") for one in some})
    print(f"hard: {first} frames in {len(some)} template questions, {len({*frames})} in {len(frames)}")
    return len({*frames}) < min(FRAMES, len(frames) * 9 // 10)


if __name__ == "__main__":
    sys.exit(main())
