"""The rules that every item and the set have to keep: distances, sizes, letters, stems, ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from labrig.errors import LabrigError
from labrig_harness.suite import Unsolvable
from labrig_harness.suites.phreeqc_mcq.attack.seen import Seen, seen
from labrig_harness.suites.phreeqc_mcq.items import LETTERS
from labrig_harness.suites.phreeqc_mcq.orbit import LEAST_CHARS, MOST_CHARS, SMALLEST_SHARE
from labrig_harness.suites.phreeqc_mcq.scenario import Quantity
from labrig_harness.suites.phreeqc_mcq.solution import scene
from labrig_harness.task import Task


@dataclass(frozen=True)
class Rule:
    """A rule, and what breaks it."""

    name: str
    broken: tuple[str, ...]


def set_rules(tasks: Sequence[Task], small: bool = False) -> list[Rule]:
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
    hidden = [_hidden(task) for task in tasks]
    found = [seen(task) for task in tasks]
    of_items = (
        ("options have their distance", _too_close),
        ("printed options have their distance", _printed_too_close),
        ("options are printed as they are", _misprinted),
        ("the answer is the truth", _not_the_truth),
        ("refinement moves nothing", _moved),
        ("outputs are small or large", _between),
        ("no PHREEQC keyword in a prompt", _keyword),
        ("ids tell nothing", _telling_id),
    )
    kept = [
        Rule(
            name,
            tuple(
                f"{task.id} ({task.truth['stem']}): {why}"
                for task, item, quantity in zip(tasks, found, hidden, strict=True)
                if (why := broken(task, item, quantity))
            ),
        )
        for name, broken in of_items
    ]
    repeated = [id for id, times in Counter(task.id for task in tasks).items() if times > 1]
    letters = Counter(task.truth["answer"] for task in tasks)
    uneven = [
        f"{letter}: {letters[letter]} of {len(tasks)}"
        for letter in LETTERS
        if _outside(letters[letter], len(tasks), 0.20, 0.30)
    ]
    large = sum(task.truth["output_chars"] > LEAST_CHARS for task in tasks)
    stems = len({task.truth["stem"] for task in tasks})
    kept += [
        Rule("ids are unique", tuple(repeated)),
        Rule("letters are even: 20 to 30 % each", tuple(uneven)),
        Rule("at least 40 stems", (f"{stems}",) if stems < min(40, len(tasks)) else ()),
    ]
    if not small:
        wrong = (f"{large} of {len(tasks)}",) if _outside(large, len(tasks), 0.15, 0.25) else ()
        kept.append(Rule("large outputs: 15 to 25 %", wrong))
    return kept


def _outside(count: int, of: int, low: float, high: float) -> bool:
    """Return whether a share is outside its bounds by more than the rounding to whole items."""
    return not low * of - 1 < count < high * of + 1


def _hidden(task: Task) -> Quantity:
    """Return the quantity of an item, having seen that the hidden fields are there."""
    try:
        truth = task.truth
        for letter in LETTERS:
            float(truth["options"][letter]["value"])
            list(truth["options"][letter]["missed"])
        float(truth["value"]), float(truth["shift"]), int(truth["output_chars"]), str(truth["answer"])
        return scene(task).quantity
    except Unsolvable as error:
        raise LabrigError(
            f"No rule can be checked: {error}", where=f"item {task.id}", expected="items of this version"
        ) from error
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise LabrigError(
            f"An item lacks what is hidden: {type(error).__name__}: {error}",
            where=f"item {task.id}",
            expected="rows as items.row makes them",
        ) from error


def _values(task: Task) -> list[float]:
    return [float(task.truth["options"][letter]["value"]) for letter in LETTERS]


def _too_close(task: Task, item: Seen, quantity: Quantity) -> str:
    return _close(_values(task), quantity)


def _printed_too_close(task: Task, item: Seen, quantity: Quantity) -> str:
    if len(set(item.texts)) < len(LETTERS):
        return "two are the same"
    return _close([float(each) for each in item.values], quantity)


def _close(values: Sequence[float], quantity: Quantity) -> str:
    first, second = min(combinations(values, 2), key=lambda pair: quantity.gap(*pair))
    gap = quantity.gap(first, second)
    return f"{first:.6g} and {second:.6g}" if gap < 1 - 1e-9 else ""  # 7.02 - 7.00 is less than 0.02


def _misprinted(task: Task, item: Seen, quantity: Quantity) -> str:
    shown = tuple(quantity.show(each) for each in _values(task))
    return f"{item.texts} for {shown}" if shown != item.texts else ""


def _not_the_truth(task: Task, item: Seen, quantity: Quantity) -> str:
    missed = [len(task.truth["options"][letter]["missed"]) for letter in LETTERS]
    right = task.truth["options"][LETTERS[item.answer]]
    if right["missed"] or right["value"] != task.truth["value"] or sorted(missed) != [0, 1, 1, 2]:
        return f"{LETTERS[item.answer]}, where {missed} switches are missed"
    return ""


def _moved(task: Task, item: Seen, quantity: Quantity) -> str:
    least = min(abs(a - b) for a, b in combinations(_values(task), 2))
    shift = float(task.truth["shift"])
    return f"by {shift:.3g}, and two options are {least:.3g} apart" if shift > SMALLEST_SHARE * least else ""


def _between(task: Task, item: Seen, quantity: Quantity) -> str:
    chars = int(task.truth["output_chars"])
    return f"{chars:,} characters" if MOST_CHARS < chars <= LEAST_CHARS else ""


def _keyword(task: Task, item: Seen, quantity: Quantity) -> str:
    from labrig_phreeqc.statements import KEYWORDS

    words = re.findall(r"\b[A-Z][A-Z_]+\b", task.brief.prompt)
    return ", ".join(sorted({each for each in words if each.lower() in KEYWORDS}))


def _telling_id(task: Task, item: Seen, quantity: Quantity) -> str:
    return "" if re.fullmatch(r"[0-9a-f]{12}", task.id) else "not twelve hexadecimal digits"
