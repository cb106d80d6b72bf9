"""The properties that are asked for in a field, and how its papers speak of them, from ``fields/*.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from labrig.errors import unknown_name
from labrig_suites.supercon_extraction.rows import Rule

FIELDS = ("supercon", "thermoelectrics")


@dataclass(frozen=True)
class Target:
    """A property that is asked for.

    Attributes
    ----------
    key
        Short name in sentences.
    name, category
        The standard ones.
    head, head_about
        What stands over a column, and what a caption says of it; empty where it stands in no table.
    also
        Other names that mean it.
    sentences
        Ways to state it, with ``{m}`` and ``<key>``.
    """

    key: str
    name: str
    category: str
    sentences: tuple[str, ...]
    rule: Rule = "numeric"
    head: str = ""
    head_about: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """A field of science: its targets and what else its papers say."""

    name: str
    titles: tuple[str, ...]
    journal: str
    targets: tuple[Target, ...]
    decoys: Mapping[str, tuple[str, ...]]

    def target(self, key: str) -> Target:
        """Return a target by its key."""
        return next(each for each in self.targets if each.key == key)


@cache
def field(name: str) -> Field:
    """Return a field by name; a LabrigError says which there are."""
    if name not in FIELDS:
        raise unknown_name("field", name, list(FIELDS), where="field")
    text = files(__package__).joinpath("fields", f"{name}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    targets = []
    for entry in found["property"]:
        lists = {key: tuple(entry[key]) for key in ("sentences", "also") if key in entry}
        targets.append(Target(**{**entry, **lists}))
    decoys = {name: tuple(each) for name, each in found["decoys"].items()}
    return Field(name, tuple(found["title"]), found["journal"], tuple(targets), decoys)
