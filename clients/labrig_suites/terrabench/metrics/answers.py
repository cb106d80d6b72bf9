"""NumScore and Hit@tol: predicted fields against the truth, within the truth's tolerance (Eq. 1, 2 and 9 to 12).

Three definitions of the tolerance are in use, and one must be named:

======== ============================================ ==================
rule     tolerance                                    where
======== ============================================ ==================
eq1      max(abs_tol, rel_tol |y|)                    section 4.3.2
eq9      max(abs_tol, rel_tol |y|, floor_scale)       Appendix D.2
code     max(abs_tol, rel_tol max(|y|, floor_scale))  the public code
======== ============================================ ==================

Tolerances are the truth's; what an agent writes for them is never looked at. A tolerance of 0 means equality. A value
that is missing, no finite number, or a text that is more than a number gets 0 where the truth is a number. Any other
truth is compared as it is written, but for case and white space at the ends and between words; truth values also as
the words true and false.

Fields are aligned by key, if keys are unique and the same on both sides, else by their order (``paper``); or by key
alone (``key``): a field that was left out then shifts no other.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from labrig.errors import LabrigError
from labrig_study.statistics.checking import one_of
from labrig_suites.terrabench.metrics.sidecar import KEYS, MOST_FIELDS, Predicted

Rule = Literal["eq1", "eq9", "code"]
Fields = Literal["paper", "key"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class Truth:
    """A true field with its tolerance: absolute, relative, and the scale below which neither goes."""

    key: str
    value: Any
    abs_tol: float = 0.0
    rel_tol: float = 0.0
    floor_scale: float = 0.0

    @property
    def numeric(self) -> bool:
        """Whether the value is a number."""
        return isinstance(self.value, int | float) and not isinstance(self.value, bool)

    def tolerance(self, rule: Rule) -> float:
        """Return the tolerance of a number by a rule."""
        size = abs(float(self.value))
        if rule == "eq1":
            return max(self.abs_tol, self.rel_tol * size)
        if rule == "eq9":
            return max(self.abs_tol, self.rel_tol * size, self.floor_scale)
        return max(self.abs_tol, self.rel_tol * max(size, self.floor_scale))


@dataclass(frozen=True)
class FieldScore:
    """What a field got: ``missing``, ``unreadable``, ``inside``, ``outside``, ``equal`` or ``different``."""

    key: str
    hit: float
    num: float
    how: Literal["missing", "unreadable", "inside", "outside", "equal", "different"]
    error: float | None = None
    """Error over tolerance; None where there is none to tell."""


@dataclass(frozen=True)
class Answers:
    """Hit@tol and NumScore of an item, the means over the fields of its truth."""

    hit: float
    num: float
    fields: tuple[FieldScore, ...]


def truths_of(rows: Iterable[Mapping[str, Any]], where: str = "fields") -> list[Truth]:
    """Read true fields: the five keys each, as in ``number_ground_truth.json``.

    Raises
    ------
    LabrigError
        ``bad_input``: no field, more than `MOST_FIELDS`, keys that are missing, not unique or others, a value that is
        not finite, a tolerance that is no finite number of at least 0.
    """
    found = []
    for place, row in enumerate(rows):
        here = f"{where}[{place}]"
        if not isinstance(row, Mapping) or set(row) != set(KEYS):
            raise LabrigError("A true field has not the five keys", where=here, expected=", ".join(KEYS))
        if not isinstance(row["key"], str) or not row["key"].strip():
            raise LabrigError("The key of a true field is no text", where=here)
        value = row["value"]
        if isinstance(value, int | float) and not math.isfinite(_double(value)):
            raise LabrigError("A true value is not finite", where=f"{here}.value")
        tolerances = []
        for name in KEYS[2:]:
            each = row[name]
            if each is None and (isinstance(value, bool) or not isinstance(value, int | float)):
                each = 0.0  # what is no number has no tolerance
            ok = isinstance(each, int | float) and not isinstance(each, bool)
            if not ok or not 0 <= _double(each) < math.inf:
                raise LabrigError(
                    "A tolerance is no finite number of at least 0",
                    where=f"{here}.{name}",
                    expected="0 or more",
                )
            tolerances.append(float(each))
        truth = Truth(row["key"], value, *tolerances)
        if truth.numeric and not all(math.isfinite(truth.tolerance(rule)) for rule in get_args(Rule)):
            raise LabrigError("A tolerance of a true field is not finite", where=here)
        found.append(truth)
    if not 0 < len(found) <= MOST_FIELDS:
        raise LabrigError("A truth has fields", where=where, expected=f"1 to {MOST_FIELDS}, not {len(found)}")
    if len({each.key for each in found}) < len(found):
        raise LabrigError("Two true fields have one key", where=where)
    return found


def answers(
    predicted: Sequence[Predicted | None],
    truths: Sequence[Truth],
    *,
    rule: Rule = "eq9",
    fields: Fields = "paper",
) -> Answers:
    """Score the fields of an answer.

    Parameters
    ----------
    predicted
        Fields as `labrig_suites.terrabench.metrics.sidecar` reads them; None for one that broke the schema.
    truths
        At least one.

    Raises
    ------
    ValueError
        If there is no true field, or `rule` or `fields` is unknown.
    """
    one_of(rule, get_args(Rule), "rule")
    one_of(fields, get_args(Fields), "fields")
    if not truths:
        raise ValueError("truths is empty: an item has at least one field")
    found = tuple(
        field_score(each, truth, rule)
        for each, truth in zip(aligned(predicted, truths, fields), truths, strict=True)
    )
    return Answers(
        sum(each.hit for each in found) / len(found), sum(each.num for each in found) / len(found), found
    )


def aligned(
    predicted: Sequence[Predicted | None], truths: Sequence[Truth], fields: Fields
) -> list[Predicted | None]:
    """Return for each true field the predicted one, or None."""
    by_key: dict[str, list[Predicted]] = {}
    for each in predicted:
        if each is not None:
            by_key.setdefault(each.key.strip(), []).append(each)
    keys = [truth.key.strip() for truth in truths]
    unique = all(len(each) == 1 for each in by_key.values())
    if fields == "key" or (unique and set(by_key) == set(keys)):
        return [by_key[key][0] if len(by_key.get(key, ())) == 1 else None for key in keys]
    return [predicted[place] if place < len(predicted) else None for place in range(len(truths))]


def field_score(predicted: Predicted | None, truth: Truth, rule: Rule) -> FieldScore:
    """Score one field (Eq. 10 to 12)."""
    if predicted is None or (predicted.value is None and truth.value is not None):
        return FieldScore(truth.key, 0.0, 0.0, "missing")
    if not truth.numeric:
        equal = float(canonical(predicted.value) == canonical(truth.value))
        return FieldScore(truth.key, equal, equal, "equal" if equal else "different")
    value = plain_number(predicted.value)
    if value is None:
        return FieldScore(truth.key, 0.0, 0.0, "unreadable")
    error, tolerance = abs(value - float(truth.value)), truth.tolerance(rule)
    if error <= tolerance:
        return FieldScore(truth.key, 1.0, 1.0, "inside", error / tolerance if tolerance else 0.0)
    widths = error / tolerance if tolerance else math.inf
    return FieldScore(truth.key, 0.0, decay(widths), "outside", widths if math.isfinite(widths) else None)


def decay(widths: float) -> float:
    """Return NumScore of an error of so many tolerances: 1 up to one, then half for each further one.

    >>> [decay(widths) for widths in (0.5, 1, 2, 3, 4, 1e9)]
    [1.0, 1.0, 0.5, 0.25, 0.125, 0.0]
    """
    return 1.0 if widths <= 1 else 2.0 ** -(widths - 1)


def plain_number(value: Any) -> float | None:
    """Return a finite number, also one that is written as text and nothing beside it; None for anything else."""
    if isinstance(value, str):
        if len(value) > 60 or not _NUMBER.fullmatch(value.strip()):
            return None
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    found = _double(value)
    return found if math.isfinite(found) else None


def canonical(value: Any, depth: int = 0) -> Any:
    """Return a value as it is compared: texts without regard to case and white space, true and false as they are."""
    if isinstance(value, str):
        text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
        return {"true": True, "false": False}.get(text, text)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return ("number", _double(value))  # 1 is not True
    if depth < 8 and isinstance(value, list | tuple):
        return tuple(canonical(each, depth + 1) for each in value)
    if depth < 8 and isinstance(value, Mapping):
        return tuple(sorted((str(key), repr(canonical(each, depth + 1))) for key, each in value.items()))
    return repr(value)


def _double(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
