"""What a preset left out of a run, said in the title of every table that is made of its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from labrig_harness.suite import Table

PRESET, NAME, LEFT_OUT = "preset", "name", "left_out"
"""Keys of ``run.json``."""


def chosen_of(about: Mapping[str, Any]) -> str:
    """Return what ``run.json`` says of a preset in words, empty for a run without one.

    >>> chosen_of({"preset": {"name": "no-climada", "left_out": 1}}), chosen_of({})
    ('preset no-climada, 1 item left out', '')
    """
    preset = about.get(PRESET)
    if not isinstance(preset, Mapping):
        return ""
    count = preset.get(LEFT_OUT)
    return f"preset {preset.get(NAME)}, {count} item{'' if count == 1 else 's'} left out"


def said_of(chosen: Mapping[str, str]) -> str:
    """Return what presets left out of runs (by their folders), in words; empty where none has one."""
    if len(set(chosen.values())) == 1:
        return next(iter(chosen.values()))
    return "; ".join(f"{run}: {each}" for run, each in chosen.items() if each)


def titled(tables: Sequence[Table], chosen: Mapping[str, str]) -> list[Table]:
    """Return tables whose titles say what presets left out of runs.

    >>> table = Table("Items", (), ())
    >>> [each.title for each in titled([table], {"a.x": "preset p, 2 items left out", "a.y": ""})]
    ['Items (a.x: preset p, 2 items left out)']
    """
    said = said_of(chosen)
    return [replace(each, title=f"{each.title} ({said})") for each in tables] if said else list(tables)
