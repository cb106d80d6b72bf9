"""Spellings of units in SuperCon: the factor of the published scorer, and what each means."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from labrig_suites.supercon_extraction.grading.units import Unit, read_unit


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("units.toml").read_text(encoding="utf-8"))


@cache
def factors() -> Mapping[str, float | None]:
    """Return the factor to SI of every spelling, None where the published table has none."""
    return {written: each.get("factor") for each in _tables()["unit"] for written in each["written"]}


@cache
def meanings() -> Mapping[str, str]:
    """Return a unit that can be read for each spelling that cannot, or would be read as something else."""
    return {written: unit for unit, every in _tables()["means"].items() for written in every}


@cache
def doubts() -> Mapping[str, str]:
    """Return the spellings whose unit is in doubt, and why."""
    return {written: why for why, every in _tables()["doubt"].items() for written in every}


def read_written(written: str, *, length: bool) -> Unit | None:
    """Return the unit that a spelling means, None where it is unknown or in doubt.

    Parameters
    ----------
    length
        Whether the property is a length, whose ``A`` is an ångström; elsewhere it is an ampere.
    """
    if written in doubts():
        return None
    return read_unit("Å" if length and written == "A" else meanings().get(written, written))
