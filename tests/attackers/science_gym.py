"""Test whether the words of a question reveal that it is not possible.

    PYTHONPATH=tests python -m attackers.science_gym --tasks FILE

A logistic regression on words and pairs of words, paths and numbers masked, is trained on half of the questions and
asked about the others, for each style. Types of which none is impossible, or which the README decides, are left out.
Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_suites.science_gym.drawing import REASONS
from labrig_suites.science_gym.wording import STYLES

ALLOWED = 0.02
"""Above the share of the more frequent answer: what chance gives on some 800 questions."""
FEWEST = 400
DECIDED_BY_README = ("title", "abstract")


def attacked(samples: Sequence[Sample], style: str) -> tuple[float, float, int]:
    """Return the share that the attacker has right, that which always saying "possible" has, and of how many."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    able = [type for type in REASONS if REASONS[type] and type not in DECIDED_BY_README]
    asked = [
        sample for sample in samples if sample.labels["style"] == style and sample.labels["type"] in able
    ]
    if len(asked) < FEWEST:
        raise LabrigError(f"{len(asked)} questions are too few", where=style, expected=f"at least {FEWEST}")
    half = len(asked) // 2
    texts = [masked(sample.brief.prompt) for sample in asked]
    truths = [sample.truth["expected"]["kind"] == "impossible" for sample in asked]
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3)
    known = LogisticRegression(C=3, max_iter=2000).fit(words.fit_transform(texts[:half]), truths[:half])
    said = known.predict(words.transform(texts[half:]))
    right = sum(bool(a) == b for a, b in zip(said, truths[half:], strict=True))
    left = len(asked) - half
    return right / left, 1 - sum(truths[half:]) / left, left


def masked(prompt: str) -> str:
    """Return a question without the repository's id, its paths and its numbers."""
    question = prompt.split("\n\n", 1)[1]
    return re.sub(r"[0-9]+", "0", re.sub(r'"[^"]*/[^"]*"', '"PATH"', question))


def main() -> int:
    """Print how well the attacker does; 1 where it does better than chance."""
    from labrig_harness import suites
    from labrig_harness.records.items_file import read_tasks

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--tasks", type=Path, required=True, help="a file of samples that labrig generate science-gym wrote"
    )
    try:
        samples = read_tasks(parser.parse_args().tasks, suites.load("science-gym"))
        found = {style: attacked(samples, style) for style in STYLES}
    except LabrigError as error:
        print(error, file=sys.stderr)
        return 2
    for style, (right, always, count) in found.items():
        print(f"{style:10} {100 * right:.1f} % of {count}; always saying possible: {100 * always:.1f} %")
    return int(any(right > always + ALLOWED for right, always, _ in found.values()))


if __name__ == "__main__":
    sys.exit(main())
