"""Whether "not possible" is the answer, or words of a sentence that answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labrig_suites.science_gym.grading.choices import chosen, plain
from labrig_suites.science_gym.grading.one_number import one_number

_DO = "answer|calculate|compute|derive|determine|do|evaluate|find|give|infer|know|obtain|say|tell|test"
_SAID = re.compile(
    rf"""
    (?: (?:the\ )? (?:final\ )? answer (?:\ is)? \W* )?
    (?: (?:it|this|that|(?:the|this)\ question) (?:\ is|'s)\ (?:therefore\ |thus\ |simply\ )? )?
    not[ _-]possible\b ['"`*_]*
    (?P<rest> $ | \s* [^\w\s'"].* | \s (?:to\ (?:{_DO})|because|since|as|due|given|for|here|with|without|in|from)\b .* )
    """,
    re.VERBOSE,
)
_BUT = re.compile(
    r"\b(?:but|however|although|though|unless|otherwise|guess|estimate[ds]?|approximately|answer)\b"
)
_CLAUSE = re.compile(r"[:;=—]| - ")
_EVIDENCE = re.compile(r"0 \w+|\d+ (?:rows?|files?|values?|records?|groups?|levels?|columns?|match(?:es)?)")
_COUNTS = re.compile(  # numbers that answer nothing: n = 1, counts as above, names with digits
    r"\bn ?= ?\d+\b|\b\d+ (?:rows?|files?|records?|groups?|levels?|columns?|match(?:es)?)\b|\b[a-z_]\w*\d\w*"
)
_VALUE = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?(?: ?\S+)?")


def abstains(parts: Sequence[str], choices: Sequence[str]) -> bool:
    """Return whether an answer is "not possible", with or without a reason, and does not answer as well.

    It begins with these words, or with "it is" before or "to determine" behind them. A value alone behind a colon, a
    semicolon, an equals sign or a dash is an answer (a count of rows or files is a reason); so is a value behind "but",
    "however", "estimate" and the like.

    >>> [
    ...     abstains([each], ())
    ...     for each in (
    ...         "Not possible.",
    ...         "not possible because no row has pH above 9",
    ...         "It is not possible to determine: 0 rows",
    ...         "It is not possible to be negative: 3",
    ...         "not possible: 3.2",
    ...         "not possible, but 3.2 is my estimate",
    ...         "impossible",
    ...     )
    ... ]
    [True, True, True, False, False, False, False]
    """
    said = _SAID.fullmatch(plain(", ".join(parts)))
    return said is not None and not _answers(said["rest"], choices)


def _answers(rest: str, choices: Sequence[str]) -> bool:
    rest = _COUNTS.sub(" ", rest) if not choices else rest
    clauses = (rest, *_CLAUSE.split(rest))
    if any(_is_value(plain(each), choices) for each in clauses):
        return True
    but = _BUT.search(rest)
    return but is not None and _holds_value(rest[but.start() :], choices)


def _is_value(text: str, choices: Sequence[str]) -> bool:
    if _EVIDENCE.fullmatch(text) is not None:
        return False
    return (
        text in {plain(each) for each in choices}
        or text in ("yes", "no")
        or (_VALUE.fullmatch(text) is not None and one_number(text) is not None)
    )


def _holds_value(text: str, choices: Sequence[str]) -> bool:
    return any(each.isdigit() for each in text) or bool(chosen([text], choices))
