"""What a scenario did to an input, by how much, and whether that is what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SHOWN_DIGITS = 4


@dataclass(frozen=True)
class Check:
    """Something that must hold; `found` says what does."""

    what: str
    passed: bool
    found: str

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON has it."""
        return {"check": self.what, "passed": self.passed, "found": self.found}


@dataclass
class Closure:
    """The account of one input.

    Attributes
    ----------
    role, name
        The argument that it is for, and its file.
    changes
        Rows of what was changed: ``what``, ``by``, ``unit``, and the mean or sum before and after.
    checks
        What must hold.
    left
        What was not perturbed, and why.
    assumed
        What was taken for granted.
    means
        Numbers that are compared between inputs, by name: the change of the mean temperature (K), and of humidity.
    """

    role: str
    name: str
    changes: list[dict[str, Any]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    means: dict[str, float] = field(default_factory=dict)

    def changed(self, what: str, unit: str, before: Floats, after: Floats, *, total: bool = False) -> None:
        """Note the change of a column: of its mean, or of its sum where `total`."""
        first, second = (float(np.nansum(each) if total else np.nanmean(each)) for each in (before, after))
        row = {
            "what": what,
            "of": "sum" if total else "mean",
            "before": round(first, SHOWN_DIGITS),
            "after": round(second, SHOWN_DIGITS),
            "by": round(second - first, SHOWN_DIGITS),
            "unit": unit,
        }
        if total and first:
            row["percent"] = round(100 * (second - first) / first, 3)
        self.changes.append(row)

    def set(self, what: str, before: Any, after: Any) -> None:
        """Note a field that was set."""
        self.changes.append({"what": what, "before": before, "after": after})

    def holds(self, what: str, passed: bool, found: str) -> None:
        """Note a check."""
        self.checks.append(Check(what, bool(passed), found))

    def to_dict(self) -> dict[str, Any]:
        """Return the account as JSON has it."""
        return {
            "input": self.role,
            "file": self.name,
            "changes": self.changes,
            "checks": [each.to_dict() for each in self.checks],
            "not_perturbed": self.left,
            "assumed": self.assumed,
        }


SAME_K = 0.02
SAME_HUMIDITY = 0.5
"""Points of relative humidity, or % of vapour pressure: EPW files hold 0.1 % and 0.01 degC."""


def across(
    accounts: Sequence[Closure], baselines: Sequence[tuple[str, NDArray[np.datetime64], Floats]]
) -> list[Check]:
    """Return checks of inputs against each other.

    Parameters
    ----------
    baselines
        Of each input of weather: its argument, its days, and the mean temperature of each, degC, as they were.
    """
    checks = []
    for name, unit, most in (
        ("temperature_k", "K", SAME_K),
        ("relative_humidity_pct", "points", SAME_HUMIDITY),
        ("vapour_pressure_percent", "%", SAME_HUMIDITY),
    ):
        held = {f"{each.role} {each.name}": each.means[name] for each in accounts if name in each.means}
        if len(held) > 1:
            spread = max(held.values()) - min(held.values())
            said = ", ".join(f"{role} {value:+.3f} {unit}" for role, value in held.items())
            checks.append(
                Check(
                    f"all inputs change alike: {name.rpartition('_')[0].replace('_', ' ')}",
                    spread <= most,
                    said,
                )
            )
    for place, (role, days, means) in enumerate(baselines):
        for other, other_days, other_means in baselines[place + 1 :]:
            common, mine, theirs = np.intersect1d(days, other_days, return_indices=True)
            if len(common):
                apart = float(np.abs(means[mine] - other_means[theirs]).mean())
                checks.append(
                    Check(
                        f"{role} and {other} are of one weather",
                        apart <= MOST_APART_K,
                        f"their daily temperatures are {apart:.2f} K apart on {len(common)} common days",
                    )
                )
    return checks


MOST_APART_K = 2.0
"""Half of minimum and maximum is up to about 1.5 K from the mean of 24 hours."""
