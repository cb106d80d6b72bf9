"""Hard repositories for tests: questions by kind and gap, and the sandbox's solver run here on their files."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from labrig_repository.gym.hard.campaign import HardRepository
from labrig_repository.gym.hard.levels import Levels, usual
from labrig_repository.gym.hard.plan import Gap, Kind
from labrig_suites.science_gym.hard import asking, solver
from labrig_suites.science_gym.question import Expected


@lru_cache(maxsize=64)
def asked(
    kind: Kind, gap: Gap = "", number: int = 0, levels: Levels | None = None
) -> tuple[HardRepository, Expected]:
    """Return a repository with a question of a kind and a gap, and its answer."""
    return asking.found("tests", number, kind, gap, levels or usual())


def solved(
    repository: HardRepository, change: Callable[[str, str], str] = lambda path, text: text
) -> dict[str, Any]:
    """Return what the solver answers from the files alone, each first changed by `change` (path, text)."""

    def listed(id: str, prefix: str, depth: int | None) -> dict[str, Any]:
        return {"status": "success", "paths": list(repository.paths())}

    def read(id: str, path: str) -> dict[str, Any]:
        return {"status": "success", "file_content": change(path, repository.read(path).decode())}

    found: dict[str, Any] = json.loads(solver.answer(asking.query(repository), listed, read, read))
    return found


def agrees(expected: Expected, said: dict[str, Any]) -> bool:
    """Return whether the solver's answer is the truth, to ten digits."""
    if "not possible" in (expected.value, said["answer"]):
        return bool(expected.value == said["answer"])
    truth = float(expected.value)
    return abs(truth - float(said["answer"])) <= 1e-10 * max(abs(truth), 1e-12)
