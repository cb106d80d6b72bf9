"""A file of questions, read: TOML, JSONL or CSV, by its ending."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from labrig import toml_text
from labrig.errors import LabrigError, nearest
from labrig_harness.records.items_file import rows
from labrig_suites.questions.question import Question, QuestionFile

ENDINGS = (".toml", ".jsonl", ".csv")
MOST_BYTES = 50_000_000
_CUT = "|"
"""Separates the options, files or tools of a cell that is no JSON."""


def read_questions(path: Path) -> QuestionFile:
    """Return what a file holds; a LabrigError names the file, the question and the key that is wrong."""
    if path.suffix.lower() not in ENDINGS:
        raise LabrigError(
            "A file of questions ends in one of these", where=str(path), expected=", ".join(ENDINGS)
        )
    if path.suffix.lower() == ".jsonl":
        return _make_file({"question": [row for _, row in rows(path)]}, str(path))
    try:
        if path.stat().st_size > MOST_BYTES:
            raise LabrigError("This file is larger than 50 MB", where=str(path), code="limit")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise LabrigError(f"Cannot read the questions: {why}", where=str(path)) from error
    if path.suffix.lower() == ".toml":
        return parse_toml(text, str(path))
    return _make_file({"question": _read_table(text, str(path))}, str(path))


def parse_toml(text: str, where: str) -> QuestionFile:
    """Return the questions of a TOML text."""
    try:
        content = toml_text.loads(text)
    except ValueError as error:
        raise LabrigError(f"This is not TOML: {error}", where=where) from error
    try:
        json.dumps(content, allow_nan=False)  # as samples are kept
    except (TypeError, ValueError) as error:
        raise LabrigError(
            "A date, a time, inf or nan is no value here", where=where, try_="put it in quotes"
        ) from error
    return _make_file(content, where)


def _read_table(text: str, where: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV: a column for each key, an empty cell for one that is not set."""
    try:
        table = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        found = [row for row in table if any(isinstance(cell, str) and cell.strip() for cell in row.values())]
    except csv.Error as error:
        raise LabrigError(f"This is not CSV: {error}", where=where) from error
    read = []
    for number, row in enumerate(found, 1):
        if None in row:
            raise LabrigError(
                "This row has more cells than the first line has names", where=f"{where}: question {number}"
            )
        read.append({name: _read_cell(name, cell) for name, cell in row.items() if cell and cell.strip()})
    return read


def _read_cell(name: str, cell: str) -> Any:
    text = cell.strip()
    if name in ("options", "files", "calls", "answer") and text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text  # a text may begin with a bracket
    if name in ("options", "files"):
        return [each.strip() for each in text.split(_CUT)]
    if name == "calls":
        return [{"tool": each.strip()} for each in text.split(_CUT)]
    return text


def _make_file(content: Mapping[str, Any], where: str) -> QuestionFile:
    try:
        read = QuestionFile.model_validate(content)
    except ValidationError as error:
        said = [_explain(content, each["loc"], each["msg"], each["type"]) for each in error.errors()[:5]]
        raise LabrigError("; ".join(said), where=where, try_="labrig new-suite writes an example") from error
    for number, question in enumerate(read.question, 1):
        question.id = question.id or f"q{number}"
    twice = [each for each, count in Counter(question.id for question in read.question).items() if count > 1]
    if twice:
        raise LabrigError(f"The id {twice[0]} is there twice", where=where)
    return read


def _explain(content: Mapping[str, Any], keys: Sequence[int | str], message: str, kind: str) -> str:
    """Return what is wrong and where: the question by its id, then the keys that lead to it."""
    names = [str(each) for each in keys]
    known = QuestionFile.model_fields
    if len(keys) > 1 and keys[0] == "question" and isinstance(keys[1], int):
        known = Question.model_fields
        found = content["question"][keys[1]]
        own = found.get("id") if isinstance(found, Mapping) else None
        names = [f"question {own or keys[1] + 1}", *map(str, keys[2:])]
    said = message.removeprefix("Value error, ")
    if kind == "extra_forbidden":
        close = nearest(str(keys[-1]), known) if len(keys) <= 3 else []
        said = "there is no such key" + (f"; did you mean {' or '.join(close)}?" if close else "")
    elif kind == "missing":
        said = "is missing"
    return ": ".join([*names, said])
