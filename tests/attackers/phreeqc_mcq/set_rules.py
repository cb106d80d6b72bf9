"""The rules that every item and the set have to keep: distances, sizes, letters, stems, ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from attackers.phreeqc_mcq.seen import Seen, seen
from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Unsolvable
from labrig_suites.phreeqc_mcq.in_words import JUDGED
from labrig_suites.phreeqc_mcq.items import LETTERS
from labrig_suites.phreeqc_mcq.orbit import LEAST_CHARS, MOST_CHARS, SMALLEST_SHARE
from labrig_suites.phreeqc_mcq.scenario import Quantity
from labrig_suites.phreeqc_mcq.solution import scene


@dataclass(frozen=True)
class Rule:
    """A rule, and what breaks it."""

    name: str
    broken: tuple[str, ...]


def set_rules(samples: Sequence[Sample], small: bool = False) -> list[Rule]:
    """Return the rules of items and set with what breaks them.

    Parameters
    ----------
    small
        Whether the set is of small outputs only, so that it need not have its share of large ones.

    Raises
    ------
    LabrigError
        ``bad_input`` for items that lack hidden fields, or whose stem or quantity is not known here.
    """
    hidden = [_hidden(sample) for sample in samples]
    found = [seen(sample) for sample in samples]
    of_items = (
        ("options are far enough apart", _too_close),
        ("printed options are far enough apart", _printed_too_close),
        ("printed options agree with their values", _misprinted),
        ("the answer is the truth", _not_the_truth),
        ("refinement changes nothing", _moved),
        ("outputs are small or large", _between),
        ("no PHREEQC keyword in a prompt", _keyword),
        ("ids reveal nothing", _telling_id),
    )
    kept = [
        Rule(
            name,
            tuple(
                f"{sample.id} ({sample.truth['stem']}): {why}"
                for sample, item, quantity in zip(samples, found, hidden, strict=True)
                if (why := broken(sample, item, quantity))
            ),
        )
        for name, broken in of_items
    ]
    repeated = [id for id, times in Counter(sample.id for sample in samples).items() if times > 1]
    letters = Counter(sample.truth["answer"] for sample in samples)
    uneven = [
        f"{letter}: {letters[letter]} of {len(samples)}"
        for letter in LETTERS
        if _outside(letters[letter], len(samples), 0.20, 0.30)
    ]
    large = sum(sample.truth["output_chars"] > LEAST_CHARS for sample in samples)
    stems = len({sample.truth["stem"] for sample in samples})
    least = len(JUDGED) if all(item.names for item in found) else 40
    kept += [
        Rule("ids are unique", tuple(repeated)),
        Rule("letters are even: 20 to 30 % each", tuple(uneven)),
        Rule(f"at least {least} stems", (f"{stems}",) if stems < min(least, len(samples)) else ()),
    ]
    if not small:
        wrong = (f"{large} of {len(samples)}",) if _outside(large, len(samples), 0.15, 0.25) else ()
        kept.append(Rule("large outputs: 15 to 25 %", wrong))
    return kept


def _outside(count: int, of: int, low: float, high: float) -> bool:
    """Return whether a share is outside its bounds by more than the rounding to whole items."""
    return not low * of - 1 < count < high * of + 1


def _hidden(sample: Sample) -> Quantity:
    """Return the quantity of an item, having seen that the hidden fields are there."""
    try:
        truth = sample.truth
        for letter in LETTERS:
            float(truth["options"][letter]["value"])
            list(truth["options"][letter]["missed"])
        float(truth["value"]), float(truth["shift"]), int(truth["output_chars"]), str(truth["answer"])
        return scene(sample).quantity
    except Unsolvable as error:
        raise LabrigError(
            f"The rules cannot be checked: {error}",
            where=f"sample {sample.id}",
            expected="samples of this version",
        ) from error
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise LabrigError(
            f"A sample lacks hidden fields: {type(error).__name__}: {error}",
            where=f"sample {sample.id}",
            expected="rows as items.row makes them",
        ) from error


def _values(sample: Sample) -> list[float]:
    return [float(sample.truth["options"][letter]["value"]) for letter in LETTERS]


def _too_close(sample: Sample, item: Seen, quantity: Quantity) -> str:
    return _close(_values(sample), quantity)


def _printed_too_close(sample: Sample, item: Seen, quantity: Quantity) -> str:
    if len(set(item.texts)) < len(LETTERS):
        return "two are the same"
    return "" if item.names else _close([float(each) for each in item.values], quantity)


def _close(values: Sequence[float], quantity: Quantity) -> str:
    first, second = min(combinations(values, 2), key=lambda pair: quantity.gap(*pair))
    gap = quantity.gap(first, second)
    return f"{first:.6g} and {second:.6g}" if gap < 1 - 1e-9 else ""  # 7.02 - 7.00 is less than 0.02


def _misprinted(sample: Sample, item: Seen, quantity: Quantity) -> str:
    shown = tuple(quantity.show(each) for each in _values(sample))
    return f"{item.texts} for {shown}" if shown != item.texts else ""


def _not_the_truth(sample: Sample, item: Seen, quantity: Quantity) -> str:
    missed = [len(sample.truth["options"][letter]["missed"]) for letter in LETTERS]
    right = sample.truth["options"][LETTERS[item.answer]]
    told = missed.count(0) == 1 if item.names else sorted(missed) == [0, 1, 1, 2]
    if right["missed"] or right["value"] != sample.truth["value"] or not told:
        return f"{LETTERS[item.answer]}, where {missed} switches are missed"
    return ""


def _moved(sample: Sample, item: Seen, quantity: Quantity) -> str:
    least = min(abs(a - b) for a, b in combinations(_values(sample), 2))
    shift = float(sample.truth["shift"])
    return (
        f"by {shift:.3g}, while two options are {least:.3g} apart" if shift > SMALLEST_SHARE * least else ""
    )


def _between(sample: Sample, item: Seen, quantity: Quantity) -> str:
    chars = int(sample.truth["output_chars"])
    return f"{chars:,} characters" if MOST_CHARS < chars <= LEAST_CHARS else ""


def _keyword(sample: Sample, item: Seen, quantity: Quantity) -> str:
    from labrig_phreeqc.input.statements import KEYWORDS

    words = re.findall(r"\b[A-Z][A-Z_]+\b", sample.brief.prompt)
    return ", ".join(sorted({each for each in words if each.lower() in KEYWORDS}))


def _telling_id(sample: Sample, item: Seen, quantity: Quantity) -> str:
    return "" if re.fullmatch(r"[0-9a-f]{12}", sample.id) else "not twelve hexadecimal digits"
