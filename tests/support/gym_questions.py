"""Questions of science-gym, drawn once for all tests that look at them."""

from __future__ import annotations

from functools import lru_cache

from labrig_repository.gym.repository import GeneratedRepository, open_repository
from labrig_suites.science_gym.drawing import OUTCOMES, REASONS, draw
from labrig_suites.science_gym.question import TYPES, Question, Type

REPOSITORIES = range(1, 25)


@lru_cache(maxsize=1)
def drawn() -> list[tuple[GeneratedRepository, Type, str, Question]]:
    """Return a question of every type and answer that each of some repositories has."""
    found = []
    for number in REPOSITORIES:
        repository = open_repository(str(number))
        for type in TYPES:
            for want in ("", *REASONS[type], *OUTCOMES.get(type, ())):
                question = draw(repository, type, 0, want)
                if question is not None:
                    found.append((repository, type, want, question))
    return found
