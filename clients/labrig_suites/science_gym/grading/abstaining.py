"""Whether an answer is "not possible", with a reason before or behind it, or words of a sentence that answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labrig_suites.science_gym.grading.choices import chosen, plain
from labrig_suites.science_gym.grading.one_number import one_number

_DO = (
    "answer|assess|calculate|carry|compare|compute|conclude|count|decide|define|derive|determine|do|estimate|evaluate|"
    "find|get|give|identify|infer|know|obtain|perform|provide|report|run|say|state|tell|test"
)
_SAID = re.compile(r"(?<![\w-])not[ _-]possible(?![\w-])")
_BEHIND = re.compile(
    rf"""['"`*_)\]]* (?: $ | \s* [^\w\s'"] | \s (?: to\ (?:{_DO})\b
    | (?!for\ [^.,;]*\bto\ (?:be|have)\b(?!\ \w+ed\b))
      (?:because|since|as|due|given|for|here|with|without|in|from|on|if|when|where|after|under|by|at)\b
    | (?:and|so)\ (?:there|the|no|it)\b ))""",
    re.VERBOSE,
)
"""What follows the words where they answer: nothing, a mark, what cannot be done, a reason."""
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|nor|instead of|rather than|if it (?:is|were|was)|whether it is|is it|unlikely|wrong|"
    r"neither)|n't) (?:['\"]?\w+ ){0,2}['\"]?$|"
    r"(?:\bnot|n't) (?:\w+ )?(?:believe|call|case|claim|mean|say|that|think|true) (?:\w+ ){0,5}['\"]?$|"
    r"\b(?:could be|may be|maybe|might be|perhaps|possibly|probably) $"
)
"""What precedes them where they are denied, doubted, or only thought of."""
_BUT = re.compile(
    r"\b(?:but|however|although|though|unless|otherwise|guess|estimate[ds]?|approximately|approx|roughly|about|answer|best|"
    r"perhaps|probably|maybe|if forced|would be|nevertheless|still|anyway|instead|assuming)\b"
)
_STATED = re.compile(
    r"(?:\bi(?:'d|'ll| can| must| will| would)? (?:answer|assume|choose|give|guess|pick|report|say|take|use) |"
    r"(?<!\bevery )(?<!\beach )\b(?:answer|average|coefficient|count|correlation|deviation|estimate|figure|first|guess|"
    r"max(?:imum)?|mean|median|min(?:imum)?|mode|number|p|result|r|rho|sd|second|statistic|title|total|value|variance|it|that)\b"
    r"(?: \w+){0,3}? ?(?:\b(?:is|was|would be|comes? to|equals?)\b|[=:]))\W*(?P<what>.*)"
)
"""A clause that names a value: "the mean is 3.2", "I take low"."""
_CLAUSE = re.compile(r"[:;=—–?!]|\. |\.$| - |, | \(|\)")
_HEDGES = re.compile(
    r"(?:(?:about|approximately|approx\.?|either|else|hence|maybe|or|otherwise|perhaps|possibly|probably|roughly|so|"
    r"therefore|thus|[~≈])(?: |(?<=[~≈])))+"
)
_CONDITION = re.compile(r"\b(?:has|have|if|no|when|where|with)\b[^.,:;]*= ?\S+")
"""What rows must be, which names a choice without choosing it: "no row has light = high"."""
_ABSENT = re.compile(r"\S+ (?:is|are|was|were|does|do) (?:absent|missing|not|outside)\b")
"""A number of which is said that the data lack it: "2021 is not there"."""
_NUMERAL = re.compile(r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\W*$")
_THINGS = (
    "cells?|columns?|entr(?:y|ies)|files?|folders?|groups?|levels?|lines?|match(?:es)?|numbers?|observations?|paths?|points?|"
    "records?|repositor(?:y|ies)|rows?|samples?|values?"
)
_COUNTS = re.compile(
    "|".join(
        [
            r"\bn ?(?:- ?1 ?)?(?:=|is|was) ?\d+\b|\bn ?- ?1\b",
            rf"(?:\bonly )?\b(?:\d+|zero|one|two|three|single)(?:[ -]\w+){{0,2}}? (?:{_THINGS})\b",
            r"\b[a-z_]\w*\d\w*",
            r"\b(?:above|and|at (?:least|most)|below|between|by|column|exceed(?:s|ing)?|file|of|over|repository|row|"
            r"than|under) [-+]?\d[\d.,]*",
            r"[<>≤≥=]=? ?[-+]?\d[\d.,]*",
            r"\b\d+ ?/ ?0\b|\b0(?= (?:\w+|out of)\b)",
        ]
    )
)
"""Numbers that answer nothing: n = 1, counts of things, names with digits, bounds, divisions by zero."""
_VALUE = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?(?: ?\S+)?")


def abstains(parts: Sequence[str], choices: Sequence[str]) -> bool:
    """Return whether an answer is "not possible" and does not answer as well.

    The words must end the answer or a clause of it, or be followed by what cannot be done ("to determine") or by a
    reason ("because"); a reason may precede them. An answer that also gives a value is no abstention, whatever it says
    of that value: a number or choice that is a clause of its own, is said to be the mean or the answer, or follows
    "but", "however", "estimate" and the like. Counts, bounds and names in a reason are no values.

    >>> [
    ...     abstains([each], ())
    ...     for each in (
    ...         "Not possible.",
    ...         "The column is text. Not possible.",
    ...         "No rows have pH above 9, so not possible",
    ...         "not possible (n-1 = 0)",
    ...         "It is not possible to determine: 0 rows",
    ...         "It is not possible to be negative: 3",
    ...         "The mean is 3.2, but with one row this is not possible",
    ...         "not possible: 3.2",
    ...         "not possible, but 3.2 is my estimate",
    ...         "impossible",
    ...     )
    ... ]
    [True, True, True, True, True, False, False, False, False, False]
    """
    text = plain(", ".join(parts))
    found = [each for each in _SAID.finditer(text) if _BEHIND.match(text, each.end())]
    if not found or any(_DENIED.search(text[: each.start()]) for each in found):
        return False
    return not _answers(text, found[0].start(), choices)


def _answers(text: str, said: int, choices: Sequence[str]) -> bool:
    """Return whether a text gives a value; `said` is where it first says "not possible"."""

    def without_counts(part: str) -> str:
        return _CONDITION.sub(" ", part) if choices else _COUNTS.sub(" ", part)

    words = re.sub(r"; +[/=→>-]+ ", "; ", _SAID.sub(" ; ", text))
    if any(_begins_with_value(each, choices) for each in _CLAUSE.split(without_counts(words))):
        return True
    for sentence in re.split(r"[;?!]|\. ", words):
        stated = _STATED.search(sentence)
        if stated and _begins_with_value(without_counts(stated["what"]), choices):
            return True
    behind = without_counts(text[said:])
    but = _BUT.search(behind)
    return but is not None and _holds_value(behind[but.start() :], choices)


def _begins_with_value(text: str, choices: Sequence[str]) -> bool:
    """Return whether a clause is a choice, or a number or begins with one, hedged or not."""
    clause = plain(text)
    hedge = _HEDGES.match(clause)
    clause = plain(clause[hedge.end() :] if hedge else clause).removesuffix(" or")
    if choices:
        return clause.partition(" for ")[0] in {*map(plain, choices), "yes", "no"}
    if _ABSENT.match(clause):
        return False
    first = clause.partition(" ")[0]
    return _VALUE.fullmatch(first) is not None and one_number(first) is not None


def _holds_value(text: str, choices: Sequence[str]) -> bool:
    numeral = not choices and _NUMERAL.search(text) is not None
    return numeral or any(each.isdigit() for each in text) or bool(chosen([text], choices))
