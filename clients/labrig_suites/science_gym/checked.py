"""What a line of a file of items must hold, looked at before an agent runs on it: such files are edited by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from labrig_harness.records.outfolder import safe
from labrig_suites.science_gym.question import (
    CATEGORY,
    EXPECTED,
    NOT_POSSIBLE,
    QUERIES,
    Expected,
)

LABELS = ("repository", "question", "category", "type", "style", "statistic", "format")
WHOLE = re.compile(r"-?[0-9]{1,300}", re.ASCII)
DECIMAL = re.compile(r"-?[0-9]{1,300}(\.[0-9]{1,300})?", re.ASCII)
DIGITS = range(2, 10)


def check(fields: Mapping[str, Any]) -> None:
    """Check a line, its version apart.

    Raises
    ------
    ValueError
        For an item that could not be run, scored or told from others, saying why; also KeyError and TypeError.
    """
    id, question, labels, truth = (fields[name] for name in ("id", "question", "labels", "truth"))
    if not isinstance(id, str) or id != safe(id):
        raise ValueError(
            f"the id {str(id)[:40]!r} may hold only letters, digits and ._-+, at most 120 in all"
        )
    if not isinstance(question, str) or not question.strip():
        raise ValueError("the question is not text, or is empty")
    if not isinstance(labels, dict) or not all(isinstance(labels[name], str) for name in (*LABELS, *labels)):
        raise ValueError(f"the labels must include {', '.join(LABELS)}, and each must be text")
    if not isinstance(truth, dict):
        raise ValueError("the truth is not an object")
    expected = EXPECTED.validate_python(truth["expected"])
    if fields["answer"] != expected.value:
        raise ValueError(f"the answer is {str(fields['answer'])[:40]!r}, but the truth says otherwise")
    if "hard" in truth:
        asked = truth["hard"]
        if not isinstance(asked, dict) or f"hard-{asked['kind']}" != labels["type"]:
            raise ValueError(f"the labels say {labels['type'][:40]!r}, but the truth says otherwise")
        if labels["repository"] != asked["repository"] or asked["repository"] not in question:
            raise ValueError(f"the question and the labels are not about {str(asked['repository'])[:60]}")
        return _answerable(expected)
    query = QUERIES.validate_python(truth["query"])
    if (labels["category"], labels["type"]) != (CATEGORY[query.type], query.type):
        said = f"{labels['category'][:40]}: {labels['type'][:40]}"
        raise ValueError(f"the labels say {said!r}, but the query is '{CATEGORY[query.type]}: {query.type}'")
    if labels["repository"] != query.repository or query.repository not in question:
        raise ValueError(f"the question and the labels are not about {query.repository}")
    try:
        re.compile(query.scheme)
    except re.error as error:
        raise ValueError(f"the scheme of the paths is not a regular expression: {error}") from error
    _answerable(expected)


def _answerable(expected: Expected) -> None:
    """Check that an answer is one of its kind."""
    value = expected.value
    if expected.kind == "impossible":
        if value != NOT_POSSIBLE or not expected.reason:
            raise ValueError(f"an impossible question needs the answer {NOT_POSSIBLE!r} and a reason")
        return
    if expected.kind == "choice" and value not in expected.choices:
        raise ValueError(f"the answer {value[:40]!r} is not one of its choices")
    if expected.kind == "integer" and not WHOLE.fullmatch(value):
        raise ValueError(f"the answer {value[:40]!r} is not a whole number")
    if expected.kind == "number" and not (DECIMAL.fullmatch(value) and expected.digits in DIGITS):
        raise ValueError(f"the answer {value[:40]!r} is not a decimal number, or its digits are not 2 to 9")
    if expected.kind == "text" and not value.strip():
        raise ValueError("the answer is empty")
