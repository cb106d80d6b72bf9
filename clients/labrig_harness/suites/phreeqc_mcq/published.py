"""Questions in the published form of PHREEQC-MCQ-200: JSONL with ``question`` and ``answer``.

The options stand in the question's text, or in four fields of their own (A to D, or ``option_a``, ``choice_a`` ...).
The set names no database in its questions: the benchmark uses one for all, so the user names it. Nothing else is
known of such an item, so it has no diagnosis, no reference solution and no canonical size; its scenario is the first
paragraph of its text with white space made even, as in section 3.1 of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from labrig.canonical import content_hash, sha256
from labrig.errors import LabrigError
from labrig_harness.suites.phreeqc_mcq.items import LETTERS, NAME, VERSION, prompt
from labrig_harness.task import Brief, Task

SETTINGS = ("database",)
FIELDS = ("{}", "option_{}", "option{}", "choice_{}", "option {}")
_OPTION = re.compile(r"^\s*(?:\*\*)?\(?([A-D])(?:[.):]|\s-)(?=\s|\*)", re.MULTILINE)


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Task]:
    """Return tasks of published rows.

    Parameters
    ----------
    settings
        ``database``: file name of the database that the questions are to be answered with.

    Raises
    ------
    LabrigError
        ``bad_input`` for a row without a question, four options and a letter, naming its line; for no database.
    """
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise LabrigError(f"Unknown setting {unknown[0]!r}", where="--set", expected=", ".join(SETTINGS))
    database = settings.get("database")
    if not isinstance(database, str) or not database.strip():
        raise LabrigError(
            "Published questions name no database",
            expected="the one that they are to be answered with",
            try_="--set database=phreeqc.dat",
        )
    tasks = [_task(row, number, database.strip()) for number, row in enumerate(rows, 1)]
    twice = [task.id for n, task in enumerate(tasks) if task.id in {each.id for each in tasks[:n]}]
    if twice:
        raise LabrigError(f"{len(twice)} questions are there twice, the first as item {twice[0]}")
    return tasks


def _task(row: dict[str, Any], number: int, database: str) -> Task:
    question, answer = row.get("question"), str(row.get("answer", "")).strip().upper()
    if not isinstance(question, str) or not question.strip():
        raise LabrigError("This row has no question", where=f"line {number}")
    if answer not in LETTERS:
        raise LabrigError("The answer is not one letter of A to D", where=f"line {number}: {answer[:20]!r}")
    fields = {letter: found for letter in LETTERS if (found := _field(row, letter))}
    if fields and len(fields) < len(LETTERS):
        raise LabrigError("This row has not four options", where=f"line {number}: {', '.join(fields)}")
    if not fields and not {*LETTERS} <= set(_OPTION.findall(question)):
        raise LabrigError(
            "The options A to D are neither in the question nor in fields of their own",
            where=f"line {number}",
        )
    asked = f"{question.strip()}\n\nUse the thermodynamic database {database}."
    first = " ".join(question.strip().split("\n\n")[0].split())
    return Task(
        suite=NAME,
        suite_version=VERSION,
        brief=Brief(
            id=content_hash([NAME, "published", question, fields, database])[:12],
            prompt=prompt(asked, fields),
            choices=LETTERS,
        ),
        truth={"answer": answer, "database": database},
        labels={"stem": f"published-{sha256(first)[:8]}", "topic": "published", "quantity": ""},
    )


def _field(row: dict[str, Any], letter: str) -> str:
    lower = {str(key).lower(): value for key, value in row.items()}
    for form in FIELDS:
        found = lower.get(form.format(letter.lower()))
        if found is not None and str(found).strip():
            return str(found).strip()
    options = row.get("options", row.get("choices"))
    if isinstance(options, Mapping) and letter in options:
        return str(options[letter]).strip()
    if isinstance(options, list) and len(options) == len(LETTERS):
        return str(options[LETTERS.index(letter)]).strip()
    return ""
