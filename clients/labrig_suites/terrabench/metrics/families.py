"""Which family a tool belongs to: the paper's eight (Appendix A), or the groups of the public code.

The names stand in ``words.toml``. A tool that is in no family is a family of its own, under its name.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from labrig.former_names import name_today

Grouping = Literal["paper", "code"]

DOCUMENTS = "Documents"
"""The ninth family, ours: tools that read papers, of the arm that has them."""


@lru_cache(maxsize=1)
def words() -> dict[str, Any]:
    """Return the tables of ``words.toml``, whose head explains them."""
    return tomllib.loads(files("labrig_suites.terrabench.metrics").joinpath("words.toml").read_text("utf-8"))


@lru_cache(maxsize=2)
def _groups(by: Grouping) -> dict[str, str]:
    named: dict[str, list[str]] = words()["families" if by == "paper" else "code"]
    return {tool: group for group, tools in named.items() for tool in tools}


def family_of(tool: str, by: Grouping = "paper") -> str:
    """Return the family of a tool; of a tool that is in none, its own name.

    >>> family_of("fetch_era5"), family_of("fetch_era5", "code"), family_of("balance")
    ('Reanalysis / Environmental', 'era5_obs', 'balance')
    """
    return _groups(by).get(name_today(tool), name_today(tool))


def families(by: Grouping = "paper") -> list[str]:
    """Return the names of the families, in the order of the paper or of the code."""
    return list(dict.fromkeys(_groups(by).values()))


def registry() -> frozenset[str]:
    """Return every tool that some family knows."""
    return frozenset(_groups("paper"))


@lru_cache(maxsize=1)
def _meta() -> frozenset[str]:
    return frozenset(words()["meta"])


def is_meta(tool: str) -> bool:
    """Return whether calls of a tool are no step of a workflow: groups switched on, jobs waited for, plain files."""
    return name_today(tool) in _meta()
