"""A bare table of results: JSONL, a JSON list, or CSV with ``,``, ``;`` or tabs, in any order of columns.

Columns are known by many names, in any case: an item (or an index), what is true, what was predicted, whether that
was counted as correct; and, where there are several, the model or agent, the arm, the run, the scenario. At least
``correct``, or both truth and prediction, must be there.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from labrig.errors import LabrigError
from labrig_programs.reading.building import as_text
from labrig_programs.reading.lines import Skipped, objects

NAME = "results"

COLUMNS: dict[str, tuple[str, ...]] = {
    "item": (
        "item",
        "item_id",
        "question_id",
        "qid",
        "task_id",
        "sample_id",
        "problem_id",
        "id",
        "task",
        "sample",
    ),
    "index": ("index", "idx", "row", "number", "no", "i"),
    "truth": (
        "truth",
        "target",
        "gold",
        "ground_truth",
        "expected",
        "correct_answer",
        "reference",
        "gt",
        "label",
    ),
    "prediction": (
        *("prediction", "predicted", "pred", "model_answer", "predicted_answer", "submission"),
        *("final_answer", "chosen", "response", "output"),
    ),
    "correct": ("is_correct", "correct", "iscorrect", "right", "passed", "success"),
    "agent": ("agent", "system"),
    "model": ("model", "model_name", "llm"),
    "arm": ("arm", "condition", "setting", "mode", "variant", "method"),
    "epoch": ("epoch", "run", "rerun", "repeat", "repetition", "trial"),
    "cluster": ("cluster", "scenario", "scenario_id", "group", "stem"),
    "prompt": ("prompt", "question"),
}
"""What a column may be called; the first name that is there counts."""

TRUE = frozenset(["true", "t", "yes", "y", "1", "1.0", "right", "correct", "pass", "passed", "ok", "✓", "✔"])
FALSE = frozenset(["false", "f", "no", "n", "0", "0.0", "wrong", "incorrect", "fail", "failed", "✗", "✘"])

MOST_FIELD = 16 * 2**20


@dataclass(frozen=True)
class Row:
    """One line of the table: what one agent predicted for one item in one run.

    Attributes
    ----------
    correct
        As published; None where the table does not say.
    """

    item: str
    truth: str | None = None
    prediction: str | None = None
    correct: bool | None = None
    agent: str = ""
    model: str = ""
    arm: str = ""
    epoch: str = ""
    cluster: str = ""
    prompt: str = ""


@dataclass(frozen=True)
class Results:
    """A table as read: its rows, which column was taken for what, and what was skipped."""

    rows: list[Row]
    columns: dict[str, str] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()


def read(text: str) -> Results:
    """Read a table.

    Raises
    ------
    LabrigError
        If no column says what was correct, and truth and prediction are not both there.
    """
    skipped = Skipped()
    head = text.lstrip("\ufeff").lstrip()[:1]
    lines = list(_read_json_rows(text, skipped) if head in ("{", "[") else _read_csv_rows(text, skipped))
    names = list(dict.fromkeys(name for _, line in lines for name in line))
    columns = find_columns(names, lines)
    rows = []
    for number, line in lines:
        try:
            rows.append(_read_row(line, columns, number))
        except ValueError as error:
            skipped.add(str(error), number)
    return Results(rows, columns, skipped.told())


def find_columns(names: Iterable[str], lines: Iterable[tuple[int, dict[str, Any]]]) -> dict[str, str]:
    """Return which column holds what.

    ``answer`` is the truth beside a prediction, and the prediction beside a truth. A column ``correct`` whose values
    are not booleans (``B``) is the correct answer.
    """
    plain = {_fold_name(name): name for name in reversed(list(names))}
    found = {
        kind: plain[each]
        for kind, known in COLUMNS.items()
        if (each := next((name for name in known if name in plain), None)) is not None
    }
    if "answer" in plain:
        other = "truth" if "truth" not in found and "prediction" in found else "prediction"
        found.setdefault(other, plain["answer"])
    if "correct" in found and "truth" not in found:
        values = {as_text(line.get(found["correct"])).strip().casefold() for _, line in lines} - {""}
        if values and not values & (TRUE | FALSE):
            found["truth"] = found.pop("correct")
    if "correct" not in found and not ("truth" in found and "prediction" in found):
        listed = ", ".join(map(repr, list(plain.values())[:20])) or "none"
        raise LabrigError(
            "This table does not say what was right",
            where=f"its columns: {listed}",
            expected="a column correct (or is_correct), or truth and prediction; and item or index",
        )
    return found


def _fold_name(name: str) -> str:
    return "_".join(name.strip().lstrip("\ufeff").casefold().replace("-", " ").replace("_", " ").split())


def _read_row(line: dict[str, Any], columns: dict[str, str], number: int) -> Row:
    def cell(kind: str) -> str | None:
        value = line.get(columns[kind]) if kind in columns else None
        text = as_text(value).strip()
        return text if text else None

    item = cell("item") or cell("index") or str(number)
    return Row(
        item=item,
        truth=cell("truth"),
        prediction=cell("prediction"),
        correct=_read_boolean(cell("correct")),
        **{kind: cell(kind) or "" for kind in ("agent", "model", "arm", "epoch", "cluster", "prompt")},
    )


def _read_boolean(text: str | None) -> bool | None:
    if text is None:
        return None
    folded = text.casefold()
    if folded in TRUE or folded in FALSE:
        return folded in TRUE
    raise ValueError("correct is neither true nor false")


def _read_json_rows(text: str, skipped: Skipped) -> Iterator[tuple[int, dict[str, Any]]]:
    if text.lstrip("\ufeff").lstrip().startswith("["):
        try:
            found = json.loads(text.lstrip("\ufeff"), parse_constant=str)
        except (ValueError, RecursionError) as error:
            raise LabrigError(f"This JSON list is damaged: {str(error)[:200]}") from error
        for number, row in enumerate(found, 1):
            if isinstance(row, dict):
                yield number, row
            else:
                skipped.add("JSON, but no object", number)
        return
    yield from objects(text.splitlines(keepends=True), skipped)


def _read_csv_rows(text: str, skipped: Skipped) -> list[tuple[int, dict[str, Any]]]:
    head = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = max(",;\t|", key=head.count)
    table = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter)
    rows: list[tuple[int, dict[str, Any]]] = []
    limit = csv.field_size_limit(MOST_FIELD)  # of the whole process: put back below
    try:
        names = next(table, [])
        for cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(names):
                skipped.add(f"rows that have not {len(names)} cells", table.line_num)
                continue
            rows.append((table.line_num, dict(zip(names, cells, strict=True))))
    except csv.Error as error:
        skipped.add(f"everything from here: {error}", table.line_num)
    finally:
        csv.field_size_limit(limit)
    return rows
