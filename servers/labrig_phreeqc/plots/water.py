"""A water as it is drawn: its ions in milliequivalents per litre, read from JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig.plotting.checks import number, record, rows, text

CATIONS = ("Ca", "Mg", "Na", "K")
ANIONS = ("HCO3", "CO3", "SO4", "Cl", "NO3", "F", "Br")
OPTIONAL_IONS = ("K", "CO3", "NO3", "F", "Br")
"""Ions that a water may leave out, which counts as none; all others must be stated."""


@dataclass(frozen=True)
class Water:
    """The major ions of a sample.

    Attributes
    ----------
    meq
        Milliequivalents (per L or per kg of water) of every one of `CATIONS` and `ANIONS`, 0 for one not stated.
    group, tds
        None where the sample has none. TDS in mg/L.
    """

    name: str
    meq: dict[str, float]
    group: str | None = None
    tds: float | None = None

    def sum(self, *ions: str) -> float:
        """Return the milliequivalents of these ions together."""
        return math.fsum(self.meq[ion] for ion in ions)

    @property
    def imbalance(self) -> float:
        """Charge imbalance (cations - anions) / (cations + anions), in percent."""
        cations, anions = self.sum(*CATIONS), self.sum(*ANIONS)
        return 100 * (cations - anions) / (cations + anions) if cations + anions else 0.0


def read_waters(value: Any, most: int, why: str, optional: Iterable[str] = ()) -> list[Water]:
    """Read ``[{"name": str, "meq": {"Ca": float, ...}, ...}]``.

    Parameters
    ----------
    most, why
        How many are too many, and the way out.
    optional
        ``group`` and ``tds``, where they are known.

    Raises
    ------
    LabrigError
        For an ion that is unknown, missing (except `OPTIONAL_IONS`) or negative, and a water without cations or
        without anions.
    """
    found = []
    for place, sample in enumerate(rows(value, "samples", 1, most, why)):
        where = f"samples[{place}]"
        record(sample, where, ("name", "meq"), optional)
        name = text(sample["name"], f"{where}.name")
        needed = [ion for ion in CATIONS + ANIONS if ion not in OPTIONAL_IONS]
        given = record(sample["meq"], f"{where}.meq", needed, OPTIONAL_IONS)
        meq = {
            ion: number(given[ion], f"{where}.meq.{ion}", 0) if ion in given else 0.0
            for ion in CATIONS + ANIONS
        }
        water = Water(
            name,
            meq,
            None if sample.get("group") is None else text(sample["group"], f"{where}.group"),
            None if sample.get("tds") is None else number(sample["tds"], f"{where}.tds", 0),
        )
        for ions, what in ((CATIONS, "cations"), (ANIONS, "anions")):
            if not water.sum(*ions):
                raise LabrigError(
                    f"Sample {name!r} has no {what}",
                    where=f"{where}.meq",
                    expected=f"a positive sum of {what}",
                )
        found.append(water)
    return found
