"""Questions in the published forms of PHREEQC-MCQ: JSONL with ``question`` and ``answer`` or ``gold``, perhaps ``id``.

The options stand in the question's text, or in four fields of their own (A to D, or ``option_a``, ``choice_a`` ...).
The set names no database in its questions: the benchmark uses one for all, so the user names it. Nothing else is
known of such an item, so it has no diagnosis, no reference solution and no canonical size; its scenario is the first
paragraph of its text with white space made even, as in section 3.1 of the paper.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from labrig.canonical import content_hash, sha256
from labrig.errors import LabrigError
from labrig_harness.records.outfolder import safe
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.phreeqc_mcq.items import LETTERS, NAME, VERSION, prompt

SETTINGS = ("database",)
FIELDS = ("{}", "option_{}", "option{}", "choice_{}", "option {}")
_OPTION = re.compile(
    r"^\s*(?:[-*+]\s+)?(?:\*\*)?\(?([A-Za-z])(?:(?:\*\*)?(?:\.\)|[.):])(?:\*\*)?(?=\s)|\s-(?=\s))[ \t]*(.*)",
    re.MULTILINE,
)
"""A line of the question that is an option: its letter, its text."""
_LABEL = re.compile(r"\(?([A-Za-z])\.?\)?")
"""An answer: a letter, as options are labelled."""
ANSWERS = ("answer", "gold")
EXPECTED = (
    "lines that begin with A., A), A.) or (A), or the same with a; fields A to D or option_a to option_d; "
    "or a list or object named options"
)


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]:
    """Return tasks of published rows.

    Parameters
    ----------
    settings
        ``database``: file name of the database that the questions are to be answered with.

    Raises
    ------
    LabrigError
        ``bad_input`` for a row without a question, four options and a letter, naming its number; for no database.
    """
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise LabrigError(f"Unknown setting {unknown[0]!r}", where="--set", expected=", ".join(SETTINGS))
    database = settings.get("database")
    if not isinstance(database, str) or not database.strip():
        raise LabrigError(
            "The published questions do not name a database",
            expected="the one with which they are to be answered",
            try_="--set database=phreeqc.dat",
        )
    samples = [_task(row, number, database.strip()) for number, row in enumerate(rows, 1)]
    twice = [id for id, times in Counter(sample.id for sample in samples).items() if times > 1]
    if twice:
        raise LabrigError(
            f"{len(twice)} questions or ids occur more than once, the first as sample {twice[0]}"
        )
    return samples


def _task(row: dict[str, Any], number: int, database: str) -> Sample:
    question, answer = row.get("question"), _answer(row, number)
    if not isinstance(question, str) or not question.strip():
        raise LabrigError("This row has no question", where=f"question {number}")
    question = question.replace("\r\n", "\n")
    fields = _fields(row, number)
    lines = {letter.upper(): text for letter, text in _OPTION.findall(question)}
    for found in (fields, lines):
        if "E" in found and {*LETTERS} <= found.keys():
            raise LabrigError(
                "This row has five options, but the suite takes four", where=f"question {number}"
            )
    if fields and fields.keys() != {*LETTERS}:
        raise LabrigError(
            "This row does not have four options",
            where=f"question {number}: {', '.join(fields)}",
            expected=EXPECTED,
        )
    if not fields and not {*LETTERS} <= lines.keys():
        raise LabrigError(
            "The options A to D are neither in the question nor in separate fields",
            where=f"question {number}",
            expected=EXPECTED,
        )
    if len({" ".join(text.split()) for text in fields.values()}) < len(fields):
        raise LabrigError("Two options are the same", where=f"question {number}")
    if fields and all(lines.get(letter, "").strip() == text for letter, text in fields.items()):
        fields = {}  # the question holds them, too
    asked = f"{question.strip()}\n\nUse the thermodynamic database {database}."
    option = _OPTION.search(question)
    before = question[: option.start()] if option else question
    first = " ".join((before.strip() or question.strip()).split("\n\n")[0].split())
    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(
            id=_own_id(row, number) or content_hash([NAME, "published", question, fields, database])[:12],
            prompt=prompt(asked, fields),
            choices=LETTERS,
        ),
        truth={"answer": answer, "database": database},
        labels={"stem": f"published-{sha256(first)[:8]}", "topic": "published", "quantity": ""},
    )


def _answer(row: Mapping[str, Any], number: int) -> str:
    """Return the letter that is right."""
    given = {key: str(row[key]).strip() for key in ANSWERS if row.get(key) is not None}
    letters = {match[1].upper() if (match := _LABEL.fullmatch(text)) else text for text in given.values()}
    if len(letters) > 1:
        raise LabrigError(
            f"{' and '.join(given)} differ", where=f"question {number}: {', '.join(given.values())[:40]}"
        )
    answer = next(iter(letters), "")
    if answer not in LETTERS:
        raise LabrigError(
            "The answer is not one of the letters A to D",
            where=f"question {number}: {answer[:20]!r}",
            expected=" or ".join(ANSWERS),
        )
    return answer


def _own_id(row: Mapping[str, Any], number: int) -> str:
    """Return the id that a row brings, empty if it brings none."""
    given = row.get("id")
    if given is None or given == "":
        return ""
    id = str(given)
    if not isinstance(given, str | int) or isinstance(given, bool) or id != safe(id):
        raise LabrigError(
            "This id cannot name a record",
            where=f"question {number}: {id[:40]!r}",
            expected="a whole number, or at most 120 letters, digits and ._-+",
        )
    return id


def _fields(row: dict[str, Any], number: int) -> dict[str, str]:
    """Return the options that stand beside the question, by letter: a fifth, too, for it must not be lost."""
    lower = {str(key).lower(): value for key, value in row.items()}
    found: dict[str, Any] = {}
    for letter in (*LETTERS, "E"):
        values = (lower.get(form.format(letter.lower())) for form in FIELDS)
        found[letter] = next((value for value in values if value is not None), None)
    if all(found[letter] is None for letter in LETTERS):
        options = row.get("options", row.get("choices"))
        if isinstance(options, list):
            found = dict(zip((*LETTERS, "E"), options, strict=False))
        elif isinstance(options, Mapping):
            found = {str(key).strip().upper(): value for key, value in options.items()}
        else:
            return {}
    texts = {letter: str(value).strip() for letter, value in sorted(found.items()) if value is not None}
    for letter, value in found.items():
        if not isinstance(value, str | int | float | None):
            raise LabrigError(
                f"Option {letter} is not text",
                where=f"question {number}: {str(value)[:40]}",
                expected=EXPECTED,
            )
    texts = {letter: text for letter, text in texts.items() if text}
    if texts and all(
        re.match(rf"\(?{letter}(?:\.\)|[.):])\s", text, re.IGNORECASE) for letter, text in texts.items()
    ):
        texts = {letter: text.split(maxsplit=1)[1] for letter, text in texts.items()}
    return texts
