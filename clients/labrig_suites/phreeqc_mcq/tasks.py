"""The set that ``labrig run phreeqc-mcq --seed S`` runs without a file: 200 items, made once and kept.

Such seeds are small numbers that anybody can try: these sets are for trying out and for comparing on one machine.
A benchmark's set comes from ``labrig generate`` with a private seed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.records.outfolder import json_text, write_atomically
from labrig_harness.sample import Sample
from labrig_suites.phreeqc_mcq import items
from labrig_suites.phreeqc_mcq.kept import path_of

COUNT = 200


def tasks(*, seed: int) -> list[Sample]:
    """Return the items of a seed; the first time they take some minutes to make."""
    path = _kept_path(seed)
    if (there := _read(path)) is not None:
        return there
    made = items.generate(str(seed), COUNT, progress=_say)
    print(file=sys.stderr)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, "".join(json_text(items.row(each)) + "\n" for each in made))
    path.chmod(0o600)
    return made


def first(seed: int, count: int) -> list[Sample]:
    """Return the first items of a seed, which are not kept by themselves."""
    there = _read(_kept_path(seed))
    return there[:count] if there is not None else items.generate(str(seed), COUNT, first=count)


def _read(path: Path) -> list[Sample] | None:
    """Return the items of a file; None where it is not there or damaged, and to be made anew."""
    try:
        made = [items.from_row(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, LabrigError):
        return None
    return made if len(made) == COUNT else None


def _kept_path(seed: int) -> Path:
    return path_of(items.VERSION, seed, COUNT)


def _say(done: int) -> None:
    if os.isatty(2) or done in (1, COUNT // 2, COUNT):
        end = "" if os.isatty(2) else "\n"
        print(f"\r{items.NAME}: {done} of {COUNT} samples made", end=end, file=sys.stderr, flush=True)
