"""The grammar of questions, `hard/frames.toml`: a rule is one of its productions, each as likely as the others."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files

from labrig_repository.gym.numbers import Draws

SLOT = re.compile(r"\{(\w+)\}")


@functools.cache
def frames() -> Mapping[str, list[str]]:
    """Return the rules by name."""
    return tomllib.loads((files(__package__) / "hard" / "frames.toml").read_text("utf-8"))


def composed(draws: Draws, frame: str, slots: Mapping[str, str | Callable[[], str]]) -> str:
    """Return a production with its rules and slots filled, from the left."""

    def filled(match: re.Match[str]) -> str:
        slot = slots.get(match[1])
        if slot is None:
            return composed(draws, draws.one(frames()[match[1]]), slots)
        return slot if isinstance(slot, str) else slot()

    return SLOT.sub(filled, frame)
