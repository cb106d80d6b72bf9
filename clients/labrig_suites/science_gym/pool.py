"""All questions about one repository, with their answers: ``python -m labrig_suites.science_gym.pool 118``.

Each type that involves chance gives five, as in the paper; the metadata of a repository give one each.
"""

from __future__ import annotations

import argparse

from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository, open_repository
from labrig_suites.science_gym import items
from labrig_suites.science_gym.drawing import REASONS, draw
from labrig_suites.science_gym.question import TYPES, Question, Type
from labrig_suites.science_gym.wording import STYLES, worded

SINGLE: tuple[Type, ...] = ("readme", "title", "abstract", "extension")


def pool(repository: GeneratedRepository) -> list[Question]:
    """Return the questions of a repository: of each type that allows it, three in ten are not possible."""
    draws = Draws(repository.name, "pool")
    found: list[Question | None] = []
    for type in TYPES:
        if type in SINGLE:
            wants = ("", *REASONS[type])  # one of them is true of this repository
            found += [next(filter(None, (draw(repository, type, 0, want) for want in wants)))]
            continue
        for number in range(items.NUMBERS):
            able = REASONS[type] and draws.chance(3, 10)
            found.append(draw(repository, type, number, draws.one(REASONS[type]) if able else ""))
    return [each for each in found if each is not None]


def main() -> None:
    """Print the questions of a repository."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repository", help="its number or its id: 118 or isg/1:118")
    parser.add_argument("--style", choices=STYLES, default=STYLES[0])
    asked = parser.parse_args()
    repository = open_repository(asked.repository)
    for question in pool(repository):
        reason = f" ({question.expected.reason})" if question.expected.reason else ""
        print(
            f"{question.query.type}: {worded(question, repository, asked.style)}\n  {question.expected.value}{reason}\n"
        )


if __name__ == "__main__":
    main()
