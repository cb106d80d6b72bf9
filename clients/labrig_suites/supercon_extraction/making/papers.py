"""A paper of a seed: its samples are drawn, and the writer of its level sets it."""

from __future__ import annotations

import random

from labrig.errors import LabrigError
from labrig_suites.supercon_extraction.making.harder import HarderWriter
from labrig_suites.supercon_extraction.making.long_papers import LEVEL as LONG
from labrig_suites.supercon_extraction.making.long_papers import LongWriter
from labrig_suites.supercon_extraction.making.samples import make_samples
from labrig_suites.supercon_extraction.making.writing import LABELLED, LEVELS, Paper, Writer
from labrig_suites.supercon_extraction.targets import field


def make_paper(seed: str, level: int, field_name: str = "supercon", owner: str = "") -> Paper:
    """Return the paper of a seed.

    Parameters
    ----------
    owner
        Password of the owner of a locked PDF, which opens without one; none where it is empty.

    Raises
    ------
    LabrigError
        ``bad_input`` for a level or field that is not there, ``unavailable`` without reportlab, or at level 4 without
        pypdfium2 and Pillow, which print its pictures.
    """
    if level not in (*LEVELS, LONG):
        raise LabrigError(f"There is no level {level}", where="level", expected="1, 2, 3, 4 or 5")
    draw = random.Random(f"supercon-extraction/1/{seed}/{level}/{field_name}")
    about = field(field_name)
    if level == LONG:
        if field_name != "supercon":
            raise LabrigError("Papers of level 5 are on superconductors", where="field", expected="supercon")
        return LongWriter(draw, about, owner).written()
    harder = level > LABELLED
    some = draw.choice([4, 5, 6] if harder else [3, 4])
    count = {1: 1, 2: 2}.get(level, some)
    series, samples = make_samples(draw, field_name, count, level >= LABELLED, oxygen=harder)
    writer = HarderWriter if harder else Writer
    return writer(draw, about, series, samples, level, owner).written()
