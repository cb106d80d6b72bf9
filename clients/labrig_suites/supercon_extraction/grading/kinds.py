"""Why a prediction is wrong, and how many truths nobody named: the kinds that the paper names, and ours.

The paper names three: approximate values, misread ones (OCR, tables), and competing ones of the same context. A
prediction has one kind, the first of `KINDS` that fits; what a row does not tell is not guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from labrig_suites.supercon_extraction.grading.evidence import folded, grounded, holds
from labrig_suites.supercon_extraction.grading.names import SameName, key, same_name
from labrig_suites.supercon_extraction.grading.strict import is_pair, proves, same_value
from labrig_suites.supercon_extraction.grading.text import bare, signs
from labrig_suites.supercon_extraction.grading.values import Value, read_value
from labrig_suites.supercon_extraction.rows import Predicted, Truth

EXACT = 0.001
KINDS: dict[str, str] = {
    "right": "right, and proved where evidence is asked for",
    "repeated": "right, and said before",
    "evidence": "the value is right, and its quote does not prove it",
    "unit": "the number is right, and its unit is another or none",
    "not one value": "a list, a range or further words where the truth is one value",
    "approximate": "rounded, or said to be approximate",
    "misread": "another digit, point, sign or power of ten, as OCR and broken tables give them, which no quote holds",
    "wrong sample": "right for another sample or material",
    "wrong property": "right for another property",
    "cited": "printed in a sentence that cites another work",
    "competing": "another value that is printed for this property and material",
    "not printed": "no quote on its page holds it",
    "not in the truth": "of a property or material that the truth does not have",
}
_CITES = re.compile(r"\[\s*\d+[\d,\s-]*\]|\bRefs?\b|\bet al\b|\^\{?\d+(?:[,-]\d+)*\}?(?=[\s.,;]|$)")


def count_kinds(
    truths: Sequence[Truth],
    said: Sequence[Predicted],
    pages: Sequence[str] | None = None,
    same: SameName = same_name,
) -> dict[str, int]:
    """Return how many predictions are of each kind, and as ``missed`` how many truths none of them is right about."""
    found: Counter[str] = Counter()
    taken: set[int] = set()
    rights = [
        [n for n, truth in enumerate(truths) if is_pair(truth, row, same) and same_value(truth, row, EXACT)]
        for row in said
    ]
    proved = [
        any(_is_proved(truths[n], row, pages) for n in right) for row, right in zip(said, rights, strict=True)
    ]
    for number in sorted(range(len(said)), key=lambda number: not proved[number]):
        free = [n for n in rights[number] if n not in taken]
        taken.update(free[:1])
        if not rights[number]:
            found[_kind(truths, said[number], pages, same)] += 1
        else:
            found["evidence" if not proved[number] else "right" if free else "repeated"] += 1
    found["missed"] = len(truths) - len(taken)
    return {name: found[name] for name in (*KINDS, "missed") if found[name]}


def _is_proved(truth: Truth, row: Predicted, pages: Sequence[str] | None) -> bool:
    return pages is None or (grounded(row.quote, row.page, pages) and proves(truth, row))


def _kind(truths: Sequence[Truth], row: Predicted, pages: Sequence[str] | None, same: SameName) -> str:
    pairs = [truth for truth in truths if is_pair(truth, row, same)]
    said = read_value(row.value)
    held = holds(row.quote, row.value) and (pages is None or grounded(row.quote, row.page, pages))
    for truth in pairs:
        true = read_value(truth.value) if truth.rule == "numeric" else None
        if _is_more(row.value, truth, said, true):
            return "not one value"
        if said is not None and true is not None:
            if said.numbers == true.numbers and said.qualifier == true.qualifier:
                return "unit"
            if _is_rounded(said, true, row.value):
                return "approximate"
            if not held and _is_misread(row.value, truth.value):
                return "misread"
    of_value = [truth for truth in truths if key(row.name) and same_value(truth, row, EXACT)]
    if any(same(row.name, truth.name, truth.also) for truth in of_value):
        return "wrong sample"
    if of_value:
        return "wrong property"
    if held and _CITES.search(_sentence(row, pages)):
        return "cited"
    if pages is not None and not held:
        return "not printed"
    return "competing" if pairs else "not in the truth"


def _is_more(text: str, truth: Truth, said: Value | None, true: Value | None) -> bool:
    """Tell whether more stands there than one value: several numbers, a range, or a word beside a symbol."""
    if truth.rule != "numeric":
        return bool(bare(truth.value)) and bare(truth.value) in bare(text)
    if true is None:
        return False
    return len(said.numbers) > len(true.numbers) if said is not None else len(re.findall(r"\d+", text)) > 1


def _is_rounded(said: Value, true: Value, text: str) -> bool:
    """Tell whether a value is the true one with fewer digits, or says itself that it is about that (within a tenth)."""
    one, other = said.numbers[0], true.numbers[0]
    if len(said.numbers) != len(true.numbers) or not other or abs(one - other) > 0.1 * abs(other):
        return False
    digits = re.sub(r"\(.*", "", signs(text)).partition(".")[2]
    places = len(re.match(r"\d*", digits)[0])  # type: ignore[index]
    return said.qualifier == "~" or abs(one - other) <= 0.5000001 * 10.0**-places


def _is_misread(said: str, true: str) -> bool:
    """Tell whether two values differ by a digit, the point, the sign or the power of ten."""
    one, other = (_mantissa(each) for each in (said, true))
    if not one or len(other) < 2:
        return False
    if one == other:
        return True
    return len(one) == len(other) >= 3 and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _mantissa(text: str) -> str:
    """Return the digits of the first number, without those of an uncertainty and of a power."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", signs(text))
    return re.sub(r"\D", "", found[0]).strip("0") if found else ""


def _sentence(row: Predicted, pages: Sequence[str] | None) -> str:
    """Return the sentence of the page in which a quote stands; the quote where the pages are not known."""
    page = pages[row.page - 1] if pages is not None and row.page is not None else ""
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])|\n", page):
        if folded(row.quote)[0] in folded(sentence)[0]:
            return sentence
    return row.quote
