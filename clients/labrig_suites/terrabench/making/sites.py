"""The grounds that satellite scenes show, by domain (``sites.toml``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Site:
    """What changes on a ground, the index that shows it, and the words for it; the head of the file explains each."""

    index: str
    high: bool
    lost: str
    gained: str
    beside: str
    kind: str
    ground: str
    layer: str
    layer_name: str
    mended: str
    spared: str


@lru_cache(maxsize=1)
def sites() -> dict[str, Site]:
    """Return the sites by domain; other domains have none."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(
        files(__package__).joinpath("sites.toml").read_text("utf-8")
    )
    return {name: Site(**fields) for name, fields in tables.items()}
