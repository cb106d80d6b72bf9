"""Hard questions for somebody who is not to see their answers: folders, a page of questions, and the answers apart.

PYTHONPATH=tests python -m gym_suite.blind --seed "a seed" --n 60 --out FOLDER
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from labrig_repository.gym.hard.campaign import open_hard
from labrig_suites.science_gym import items
from labrig_suites.science_gym.wording import STYLES


def main() -> None:
    """Write ``NUMBER/`` for each question, ``questions.txt`` and ``answers.json``; the four styles take turns."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", required=True)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    every = items.configured({"tier": "hard"})(given.seed, given.n * len(STYLES))
    pages, answers = [], {}
    for number in range(given.n):
        sample = every[number * len(STYLES) + number % len(STYLES)]
        repository = open_hard(sample.labels["repository"])
        for path in repository.paths():
            file = given.out / f"{number:02d}" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(repository.read(path))
        pages.append(f"== {number:02d}\n{sample.brief.prompt.partition('to the tools.')[2].strip()}\n")
        answers[f"{number:02d}"] = sample.truth | {"labels": sample.labels}
    (given.out / "questions.txt").write_text("\n".join(pages), encoding="utf-8")
    (given.out / "answers.json").write_text(json.dumps(answers, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
