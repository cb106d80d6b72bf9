"""Whether an answer is right, by the kind of its question; each function says in words why it is not.

They are given the answer's text as it was committed and the truth of the sample, and return an empty text where it is
right. Beyond the unit of a number, nothing about an answer is guessed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from labrig_harness.channels import json_objects, last_letter
from labrig_study.quantities import convert, read_quantity

Truth = Mapping[str, Any]

UNREADABLE = "unreadable"
"""How the reason begins where the text is no answer of the kind that was asked for."""

_LONGEST = 10_000
"""Characters of an answer that a regular expression is tried on."""


def is_abstention(text: str) -> bool:
    """Tell whether an answer is that there is none.

    >>> (
    ...     is_abstention("**ABSTAIN**"),
    ...     is_abstention("abstain: no pH is given"),
    ...     is_abstention("I abstain from 3"),
    ... )
    (True, True, False)
    """
    return re.match(r"\W*abstain\b", text, re.IGNORECASE) is not None


def first_line(text: str) -> str:
    """Return the first line that holds something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def fold_text(text: str) -> str:
    """Return a text as it is compared: letters in one form and case, single spaces, no marks around it.

    >>> fold_text(' "Calcite  (CaCO₃)". ')
    'calcite (caco3)'
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip("\"'`*_“”‘’ .")


def judge_choice(text: str, truth: Truth) -> str:
    """Compare a letter, or the text of an option."""
    options: Mapping[str, str] = truth["options"]
    line = first_line(text)
    whole = [letter for letter, option in options.items() if fold_text(option) == fold_text(line)]
    found = whole[0] if whole else last_letter(line, list(options))
    if not found:
        return f"{UNREADABLE}: no option is named"
    return "" if found == truth["answer"] else f"{found} is not the right option"


def judge_number(text: str, truth: Truth) -> str:
    """Compare a number, in the unit that was asked for or one that can be converted to it."""
    found = read_quantity(first_line(text))
    if found is None:
        return f"{UNREADABLE}: this is not one number"
    value, unit = found
    asked = truth.get("unit", "")
    converted = convert(value, unit, asked)
    if converted is None:
        return (
            f"the unit {unit} cannot be converted to {asked}"
            if asked
            else f"no unit was asked for, such as {unit}"
        )
    return _compare_numbers(converted, truth["answer"], truth)


def judge_text(text: str, truth: Truth) -> str:
    """Compare a text with those that are accepted."""
    accepted = truth["answer"] if isinstance(truth["answer"], list) else [truth["answer"]]
    given = {fold_text(text), fold_text(first_line(text))}
    return "" if given & set(map(fold_text, accepted)) else "the text is another"


def judge_regex(text: str, truth: Truth) -> str:
    """Match the answer's first line as a whole."""
    line = first_line(text)[:_LONGEST]
    return "" if re.fullmatch(truth["answer"], line) else "the regular expression does not match"


def judge_json(text: str, truth: Truth) -> str:
    """Compare the fields that the truth has; others may be there beside them."""
    found = next((json.loads(each) for each in json_objects(text)), None)
    if found is None:
        return f"{UNREADABLE}: this is not a JSON object"
    return _compare_values(found, truth["answer"], truth, "")


def judge_abstain(text: str, truth: Truth) -> str:
    """Refuse any answer but that there is none."""
    return "" if is_abstention(text) else "an answer was given where there is none"


JUDGES: dict[str, Callable[[str, Truth], str]] = {
    "choice": judge_choice,
    "number": judge_number,
    "text": judge_text,
    "regex": judge_regex,
    "json": judge_json,
    "abstain": judge_abstain,
}


def _compare_numbers(value: float, wanted: float, truth: Truth) -> str:
    allowed, relative = truth.get("tolerance", (0.0, False))
    most = allowed * abs(wanted) if relative else allowed
    # 8.32 is within 0.05 of 8.27, though not in binary.
    if abs(value - wanted) <= most + 1e-9 * max(abs(wanted), most):
        return ""
    return f"{value:g} is not within {most:g} of {wanted:g}"


def _compare_values(found: Any, wanted: Any, truth: Truth, place: str) -> str:
    """Return why a value is not the one that is wanted; numbers by the tolerance, texts as texts."""
    where = place or "the answer"
    if isinstance(wanted, dict):
        if not isinstance(found, dict):
            return f"{where} is no object"
        missing = [key for key in wanted if key not in found]
        if missing:
            return f"{where} has no field {missing[0]}"
        pairs = [(found[key], each, f"{place}.{key}".lstrip(".")) for key, each in wanted.items()]
    elif isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return f"{where} is no list of {len(wanted)}"
        pairs = [
            (mine, each, f"{place}[{n}]") for n, (mine, each) in enumerate(zip(found, wanted, strict=True))
        ]
    else:
        return _compare_leaves(found, wanted, truth, where)
    return next(filter(None, (_compare_values(mine, each, truth, at) for mine, each, at in pairs)), "")


def _compare_leaves(found: Any, wanted: Any, truth: Truth, where: str) -> str:
    if isinstance(wanted, bool) or wanted is None:
        return "" if found is wanted else f"{where} is not {json.dumps(wanted)}"
    if isinstance(wanted, int | float):
        if isinstance(found, bool) or not isinstance(found, int | float | str):
            return f"{where} is no number"
        read = read_quantity(str(found))
        if read is None or read[1]:
            return f"{where} is no number"
        why = _compare_numbers(read[0], wanted, truth)
        return f"{where}: {why}" if why else ""
    same = isinstance(found, str) and fold_text(found) == fold_text(str(wanted))
    return "" if same else f"{where} is another text"
