"""Test whether the words of a hard question reveal that it cannot be answered, and how many frames there are.

    PYTHONPATH=tests python -m attackers.hard_gym --each 1500

Of each type with gaps, as many questions are made. Chi-square: number of conditions, statistic, digits, unit and length
(quarters) against answerable or not; p is to be above 0.01 in all of them. AUC: a logistic regression on words, trained
on one half and asked about the other, of all types together. Frames: questions without names and numbers.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence

from labrig_repository.gym.hard.levels import usual
from labrig_repository.gym.hard.plan import GAPS, Plan, fate
from labrig_suites.science_gym.hard import asking
from labrig_suites.science_gym.hard.wording import worded

LEAST_P, MOST_AUC = 0.01, 0.55
Made = tuple[Plan, bool]


def made(each: int) -> dict[str, list[Made]]:
    """Return plans of each type with gaps, a third of them impossible, and whether they are."""
    found: dict[str, list[Made]] = {}
    for kind, gaps in GAPS.items():
        for number in range(each if gaps else 0):
            gap = gaps[number // 3 % len(gaps)] if number % 3 == 0 else ""
            repository, _ = asking.found("attack", number, kind, gap, usual())
            assert fate(repository.plan.number) == (kind, gap)
            found.setdefault(kind, []).append((repository.plan, bool(gap)))
    return found


def chances(plans: Sequence[Made]) -> dict[str, float]:
    """Return p of each property of the words against being impossible; 1 where a property has one value."""
    from scipy.stats import chi2_contingency

    lengths = sorted(len(worded(plan, "template")) for plan, _ in plans)
    cuts = [lengths[len(lengths) * part // 4] for part in (1, 2, 3)]
    properties = {
        "conditions": lambda plan: len(plan.ask.conditions),
        "statistic": lambda plan: plan.ask.statistic,
        "digits": lambda plan: plan.ask.digits,
        "unit": lambda plan: plan.ask.unit,
        "length": lambda plan: sum(len(worded(plan, "template")) > cut for cut in cuts),
    }
    found = {}
    for name, of in properties.items():
        values = [of(plan) for plan, _ in plans]
        common = {value for value, count in Counter(values).items() if count >= 15}
        table = Counter(
            (value if value in common else "rare", gap) for value, (_, gap) in zip(values, plans, strict=True)
        )
        rows = [[table[value, gap] for gap in (False, True)] for value in {value for value, _ in table}]
        rows = [row for row in rows if sum(row) >= 15]
        found[name] = float(chi2_contingency(rows).pvalue) if len(rows) > 1 else 1.0
    return found


def auc(plans: Sequence[Made]) -> float:
    """Return the area under the curve of a regression on words and pairs of words."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    texts, truths = [worded(plan, "template") for plan, _ in plans], [gap for _, gap in plans]
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3)
    known = LogisticRegression(C=1, max_iter=2000).fit(words.fit_transform(texts[::2]), truths[::2])
    said = known.predict_proba(words.transform(texts[1::2]))[:, 1]
    return float(roc_auc_score(truths[1::2], said))


def frame(plan: Plan, style: str) -> str:
    """Return a question without the names and the numbers of its repository."""
    world = plan.world
    names = [plan.ask.term, plan.ask.other, world.title, world.title[0].lower() + world.title[1:]]
    for category in (world.factor, world.block, world.category):
        names += [category.about, *category.levels]
    names += [each.unit for each in plan.measured] + [plan.ask.unit, plan.ask.other_unit]
    text = re.sub(r"\b(?:two|three|four|five)\b", "0", worded(plan, style), flags=re.IGNORECASE)
    for name in sorted({*names}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "_", text, flags=re.IGNORECASE)
    return re.sub(r"[0-9]+(?:[.:-][0-9]+)*", "0", text)


def main() -> int:
    """Print what was found; 1 where a property or the words tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=1500, help="questions of each type")
    found = made(parser.parse_args().each)
    told = False
    for kind, plans in found.items():
        chance = chances(plans)
        told |= min(chance.values()) <= LEAST_P
        print(kind, len(plans), " ".join(f"{name} {p:.3f}" for name, p in chance.items()))
    every = [each for plans in zip(*found.values(), strict=True) for each in plans]
    area = auc(every)
    print(f"AUC of words {area:.3f} of {len(every)}")
    for style in ("template", "letter"):
        frames = Counter(frame(plan, style) for plan, _ in every)
        begun = Counter(" ".join(frame(plan, style).split()[:5]) for plan, _ in every)
        most = max(begun.values()) / len(every)
        print(f"{style}: {len(frames)} frames of {len(every)}; the most frequent beginning {most:.1%}")
    return int(told or area > MOST_AUC)


if __name__ == "__main__":
    sys.exit(main())
