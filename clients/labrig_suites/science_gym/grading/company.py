"""What stands beside an answer and is no second one: degrees of freedom, p, sample size, and what the question says.

A person who asks for F takes ``F(2, 57) = 4.53, p = .013`` for 4.53, and ``the mean above 5 mg/L is 12.3`` for 12.3
where the question has the 5. Nothing is passed over in a text that offers a choice or denies something: ``5 or 12.3``.
"""

from __future__ import annotations

import re
from fractions import Fraction

from labrig_suites.science_gym.grading.one_number import numbers

_VALUE = r"[-+\u2212]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+\u2212]?[0-9]+)?"
_POWER = r"(?:\s?[x×*·]\s?10\s?\^?\s?[-\u2212⁻{(]*[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]+[})]*)?"
_NAME = r"(?:[FHtrUWZ]|r_?s|r_?p|rho|[ρχ](?:²|\^?2)?|chi(?:²|\^?2|[- ]?squared?)?|X(?:²|\^?2))"
_DEGREES = re.compile(
    rf"(?<!\w){_NAME}\s*[(\[]\s*(?:df\s*=\s*)?[0-9.]+\s*(?:[,;]\s*(?:[nN]\s*=\s*)?[0-9.]+\s*)?[)\]](?=\s*(?:[=:≈]|is\b))"
)
_CHANCE = re.compile(
    rf"(?<!\w)[pP](?:[- ]?values?)?\s*(?:[=<>≤≥≈~:]=?|is|of|below|above)\s*(?:about\s|[<>]\s*)?{_VALUE}{_POWER}"
)
_FREEDOM = re.compile(
    r"(?<!\w)(?:df[0-9]?|d\.f\.|dof|degrees of freedom)\s*(?:[=:]|of|are|is)?\s*[(\[]?[0-9.]+"
    r"(?:\s*(?:,|and|/)\s*[0-9.]+)?[)\]]?"
    r"|(?<![\w.])[0-9]+(?:\s*(?:,|and)\s*[0-9]+)?\s*(?:degrees of freedom|df\b|d\.f\.)"
)
_SIZE = re.compile(r"(?<!\w)[nN]\s*=\s*[0-9]+(?:,[0-9]{3})*")
_CHOICE = re.compile(
    r"\b(?:or|either|not|nor|rather|instead|versus|vs|perhaps|maybe|unsure)\b|\?", re.IGNORECASE
)
KEYS = re.compile(r"p|p[-_ ]?val(?:ue)?|df[0-9]?|dof|degrees[-_ ]of[-_ ]freedom|n|alpha|ddof", re.IGNORECASE)
"""Names of such values in an object."""


def alone(text: str, question: str) -> list[Fraction]:
    """Return the numbers of an answer without those that only accompany it; the question's own where it has no other.

    >>> [str(each) for each in alone("F(2, 57) = 4.53, p < 0.05", "")]
    ['453/100']
    >>> [str(each) for each in alone("above 5 mg/L the mean is 12.5", "What is the mean above 5 mg/L?")]
    ['25/2']
    >>> [str(each) for each in alone("5 or 12.5", "What is the mean above 5 mg/L?")]
    ['5', '25/2']
    """
    if _CHOICE.search(text):
        return numbers(text)
    bare = text
    for company in (_DEGREES, _CHANCE, _FREEDOM, _SIZE):
        bare = company.sub(" ", bare)
    found = numbers(bare)
    said = set(numbers(question))
    return [each for each in found if each not in said] or found
