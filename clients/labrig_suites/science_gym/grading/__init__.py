"""Whether an answer is right, by two definitions side by side.

``compat`` is appendix A.8 of the InfiniteScienceGym paper read literally (`literal`), ``strict`` what that grader
should have been (`strict`, with `one_number`, `company`, `choices`, `abstaining`). Every decision, with the answer
that forced it, is a row of ``docs/suites/science-gym-grading.md``; a test grades these rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from labrig_suites.science_gym.grading import literal, strict
from labrig_suites.science_gym.grading.committed import literal_text, parts, with_key
from labrig_suites.science_gym.question import Expected

VERSION = "3"
SHOWN = 200
"""Characters of an answer that a grade quotes."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade.

    Attributes
    ----------
    compat, strict
        Whether the answer is right.
    compat_reads, strict_reads
        What was read from the answer, at most 200 characters: a number, a choice, a text, "not possible"; empty where
        strict reads nothing, or more than one thing.
    abstains_compat, abstains_strict
        Whether the answer is "not possible", whatever is true.
    """

    compat: bool
    strict: bool
    compat_reads: str
    strict_reads: str
    abstains_compat: bool
    abstains_strict: bool


def grade(expected: Expected, answer: str | None, response: str, question: str = "") -> Grade:
    """Grade one answer; no text raises an error.

    Parameters
    ----------
    answer
        The last JSON object of the final message, verbatim; None where it has none. Where it has not the key
        ``answer``, the last one of the message that has is taken.
    response
        The whole final message: the answer where there is no JSON object with the key ``answer``.
    question
        What was asked: a value that stands in it is no second answer.
    """
    answer = with_key(answer, response)
    by_letter = literal.read(expected, literal_text(answer, response))
    by_sense = strict.read(expected, parts(answer, response), question)
    return Grade(
        compat=by_letter.right,
        strict=by_sense.right,
        compat_reads=_shown(by_letter.reads),
        strict_reads=_shown(by_sense.reads),
        abstains_compat=by_letter.abstains,
        abstains_strict=by_sense.abstains,
    )


def _shown(text: str) -> str:
    """Return the beginning of a text, without what UTF-8 cannot hold."""
    return text[:SHOWN].encode("utf-8", "replace").decode("utf-8")
