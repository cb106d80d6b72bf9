"""Which names of the closed list a name may mean, with reasons.

First the name itself, then the quantity by its other names together with the facets; only then the resemblance of
letters, which takes Hc1 for Hc2 and is therefore asked only where no quantity is known. Differing facets forbid a
match, as does a unit of another dimension.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from labrig.errors import LabrigError
from labrig_papers.properties.facets import NAMES, conflict, facets_of, quantity_key
from labrig_papers.properties.listing import Property, aliases, key, properties

Via = Literal["exact", "alias", "letters"]
MOST_CHARS = 300
LEAST_LETTERS = 88.0
"""Resemblance (0 to 100) below which letters say nothing."""


@dataclass(frozen=True)
class Match:
    """A name of the closed list that a name may mean."""

    property: Property
    score: float
    via: Via
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain data."""
        return {
            "name": self.property.name,
            "category": self.property.category,
            "rule": self.property.rule,
            "dimension": self.property.dimension,
            "score": round(self.score, 3),
            "via": self.via,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Matched:
    """The result of `match_property`.

    Attributes
    ----------
    matches
        At most three, best first.
    quantity
        The quantity that the name is of, empty if unknown; ``!`` before one that the list lacks.
    facets
        What name and context state.
    """

    name: str
    matches: tuple[Match, ...]
    quantity: str
    facets: dict[str, str]


def match_property(name: str, context: str = "", dimension: str = "", n: int = 3) -> Matched:
    """Return the names of the closed list that a name may mean.

    Parameters
    ----------
    name
        As a paper or an agent writes it: ``Hc2(0) || c``.
    context
        Conditions or the sentence around it.
    dimension
        Named dimension of the value, where it is known: names of another dimension are forbidden.
    n
        Number of names, 1 to 10.

    Raises
    ------
    LabrigError
        If the name is empty or too long.
    """
    if (
        not isinstance(name, str)
        or not name.strip()
        or len(name) > MOST_CHARS
        or len(context) > 20 * MOST_CHARS
    ):
        raise LabrigError("The name is empty or too long", where="name", expected="such as Hc2(0) || c-axis")
    if not 1 <= n <= 10:
        raise LabrigError(f"n is {n}", where="n", expected="1 to 10")
    exact = _exact().get(key(name))
    quantity = exact.quantity if exact else quantity_of(name)
    facets = {**facets_of(context), **facets_of(name)}
    if exact:
        facets.update(exact.facets)
    _without_own(quantity, facets, name)
    judged = (_judged(candidate, exact, quantity, facets, dimension) for candidate in properties())
    matches = [match for match in judged if match is not None]
    if not quantity:
        matches = _by_letters(name, facets, dimension)
    matches.sort(key=lambda each: (-each.score, each.property.name))
    return Matched(name, tuple(matches[:n]), quantity, facets)


def quantity_of(name: str) -> str:
    """Return the quantity that a name is of: the longest of its known names in it, empty if there is none."""
    found = aliases()
    for text in (key(name), quantity_key(name)):
        if text in found:
            return found[text]
    text = f" {quantity_key(name)} "
    best, quantity = "", ""
    for alias, each in found.items():
        longer = ("/" in alias, len(alias)) > ("/" in best, len(best))  # ΔC/γTc is no ΔC
        if longer and re.search(rf"(?<![a-z0-9]){re.escape(alias)}(?![a-z0-9/])", text):
            best, quantity = alias, each
    if quantity == "critical_temperature" and _OF_CHANGE.search(text):
        return ""
    spelled = re.sub(r"\b(delta|xi|lambda|gamma|rho|theta|chi|kappa|alpha)(?![a-z])", r"\\\1", name)
    return quantity or (quantity_of(spelled) if spelled != name and "\\" not in name else "")


_OF_CHANGE = re.compile(
    r"\b(?:rate|slope|derivative|shift|suppression|enhancement|dependence|distribution)s?\b"
)
"""What makes of T_c another quantity: how it changes."""


@lru_cache(maxsize=1)
def _exact() -> dict[str, Property]:
    return {key(written): each for each in properties() for written in (each.name, *each.also)}


def _without_own(quantity: str, facets: dict[str, str], name: str) -> None:
    """Take out what a word of the name states of the quantity itself, such as resistivity of the method."""
    if quantity in ("susceptibility_constant", "resistivity", "heat_jump", "electronic_heat"):
        facets.pop("method", None)
    axis = re.search(r"(?:^|[\s,(])([abc])(?:[\s,)=-]|$)", name)
    if quantity == "lattice_constant" and "axis" not in facets and axis:
        facets["axis"] = axis[1]
    if quantity == "critical_temperature":
        facets.pop("temperature", None)
    if quantity not in ("critical_temperature", "transition_width"):
        facets.pop("criterion", None)
    if not quantity.startswith("lattice"):
        facets.pop("axis", None)


def _judged(
    candidate: Property,
    exact: Property | None,
    quantity: str,
    facets: dict[str, str],
    dimension: str,
) -> Match | None:
    """Return how a name of the list fits, None where it does not."""
    if candidate.quantity != quantity or conflict(candidate.facets, facets):
        return None
    if dimension and candidate.dimension and not fits(candidate.dimension, dimension):
        return None
    if candidate is exact:
        return Match(candidate, 1.0, "exact", "the name itself")
    shared = [name for name in NAMES if name in candidate.facets and name in facets]
    missing = [name for name in NAMES if name in candidate.facets and name not in facets]
    extra = [name for name in NAMES if name in facets and name not in candidate.facets]
    score = (
        0.95
        - 0.1 * len(missing)
        - 0.08 * len([each for each in extra if each in ("criterion", "orientation", "axis")])
    )
    score -= 0.02 * len(extra)
    said = [f"{candidate.quantity} by its name"]
    said += [f"same {name} ({facets[name]})" for name in shared]
    said += [f"{name} {candidate.facets[name]} is not stated" for name in missing]
    said += [f"{name} {facets[name]} is a condition to keep" for name in extra]
    return Match(candidate, max(score, 0.05), "alias", "; ".join(said))


def fits(wanted: str, given: str) -> bool:
    """Tell whether a value of one dimension may be meant by another: shares, heats, susceptibilities of any basis."""
    fractions = {"fraction", "volume_fraction", "atomic_fraction", "mole_fraction", "weight_fraction", "1"}
    if wanted == given or (wanted in fractions and given in fractions):
        return True
    molar = {"molar_heat_coefficient", "mass_heat_coefficient", "volume_heat_coefficient"}
    heats = {"molar_heat", "mass_heat", "volume_heat", "molar_heat_coefficient"}
    susceptibilities = {"molar_susceptibility", "mass_susceptibility", "1"}
    return any(
        {wanted, given} <= group for group in (molar, heats, susceptibilities, {"energy", "temperature"})
    )


def _by_letters(name: str, facets: dict[str, str], dimension: str) -> list[Match]:
    """Return names whose letters resemble a name of an unknown quantity."""
    from rapidfuzz import fuzz

    wanted = key(name)
    resembling: dict[str, tuple[float, str]] = {}
    for alias, quantity in aliases().items():
        if quantity.startswith("!") or len(alias) < 5:
            continue
        score = float(fuzz.token_sort_ratio(wanted, alias))
        if score >= LEAST_LETTERS and score > resembling.get(quantity, (0.0, ""))[0]:
            resembling[quantity] = (score, alias)
    found = []
    for quantity, (score, alias) in resembling.items():
        for candidate in properties():
            match = _judged(candidate, None, quantity, facets, dimension)
            if match is not None:
                reason = f"letters like {alias!r} ({score:.0f} of 100); {match.reason}"
                found.append(Match(candidate, match.score * score / 130, "letters", reason))
    return found
