"""Limits of drinking water, as data (`drinking_water.csv`), and which of them a water exceeds.

Sources: WHO, Guidelines for drinking-water quality, 4th edition with the first and second addenda (2022), table A3.3;
Directive (EU) 2020/2184, annex I (lead and chromium as they hold until 2036); US EPA, 40 CFR 141.62 and 141.80
(primary) and 143.3 (secondary standards).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.waters.analysis import Analysis


@dataclass(frozen=True)
class Limit:
    """A limit in mg/L of a formula, for all redox states of an element or for one of them."""

    element: str
    formula: str
    mg_per_litre: float
    body: str
    kind: str

    def __str__(self) -> str:
        return f"{self.formula} > {self.mg_per_litre:g} mg/L ({self.body}, {self.kind})"


@cache
def limits() -> tuple[Limit, ...]:
    """Return the limits of the table."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Limit(row["element"], row["formula"], float(row["mg_per_litre"]), row["body"], row["kind"])
            for row in csv.DictReader(file)
        )


def is_limited(element: str) -> bool:
    """Return whether drinking water has a limit of an element, in any of its redox states."""
    return any(limit.element.partition("(")[0] == element.partition("(")[0] for limit in limits())


def exceeded(analysis: Analysis, weights: Mapping[str, float]) -> list[Limit]:
    """Return the limits that a water exceeds; none where amounts are not per litre.

    Notes
    -----
    A value below a limit of detection exceeds nothing: how much there is is not known.
    """
    if analysis.basis != "L":
        return []
    return [
        limit
        for limit in limits()
        if _mg_per_litre(analysis, limit, weights) > limit.mg_per_litre * (1 + 1e-9)
    ]


def _mg_per_litre(analysis: Analysis, limit: Limit, weights: Mapping[str, float]) -> float:
    of_one_state = "(" in limit.element
    mmol = math.fsum(
        each.amount
        for name, each in analysis.constituents.items()
        if not each.censored and (name if of_one_state else name.partition("(")[0]) == limit.element
    )
    return mmol and mmol * (formula_weight(limit.formula, weights) or 0.0)
