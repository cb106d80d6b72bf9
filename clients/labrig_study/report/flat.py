"""One row per record, for other programs: JSONL, CSV, Parquet. What is not known is empty, and never 0.

The columns and their order are `COLUMNS`; a new one goes to the end.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from labrig.errors import LabrigError
from labrig.tables.formulas import without_formula
from labrig_harness.records.outfolder import json_text
from labrig_harness.records.scoring import Record, Scored
from labrig_harness.sample import Sample
from labrig_harness.trajectory import Fault
from labrig_study.report.failures import diagnosis_of
from labrig_study.report.prose import readable
from labrig_study.report.runs import Run, runs_of, steps_of, tokens_of, wall_of
from labrig_study.report.truth import truth_of

Kind = Literal["string", "int64", "float64", "bool"]
Value = str | int | float | bool | None


@dataclass(frozen=True)
class Row:
    """What a column is computed from."""

    scored: Scored
    run: Run
    record: Record
    task: Sample


@dataclass(frozen=True)
class Column:
    """A column: its name, its type, what it holds."""

    name: str
    kind: Kind
    about: str
    value: Callable[[Row], Value]


def _read_measure(name: str) -> Callable[[Row], Value]:
    return lambda row: int(getattr(row.record.tokens, name)) if row.record.tokens.measured else None


def _read_score(name: Literal["strict", "compat"]) -> Callable[[Row], Value]:
    return lambda row: float(getattr(row.record.score, name)) if row.record.score else None


def _count_fault(kind: str) -> Callable[[Row], Value]:
    return lambda row: row.record.faults.get(kind, 0)


def _find_diagnosis(row: Row) -> Value:
    return diagnosis_of(row.record, truth_of(row.task)) or None if row.record.score else None


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


COLUMNS: tuple[Column, ...] = (
    Column("suite", "string", "the suite", lambda row: row.scored.suite.name),
    Column("suite_version", "string", "its version", lambda row: row.scored.suite.version),
    Column("scorer_version", "string", "version of its scorer", lambda row: row.scored.suite.scorer_version),
    Column("run", "string", "folder of the run, as `labrig compare` takes it", lambda row: row.run.label),
    Column("arm", "string", "the arm", lambda row: row.record.arm),
    Column("agent", "string", "label of the agent with its model and settings", lambda row: row.record.agent),
    Column("model", "string", "the model asked for", lambda row: row.record.model or None),
    Column("item", "string", "id of the sample", lambda row: row.record.task),
    Column("epoch", "int64", "which rerun, from 0", lambda row: row.record.epoch),
    Column("seed", "int64", "seed of the run", lambda row: row.record.seed),
    Column(
        "cluster",
        "string",
        "what the sample shares with others (a scenario)",
        lambda row: row.run.clusters.get(row.record.task),
    ),
    Column("labels", "string", "all labels of the sample, as JSON", lambda row: _write_json(row.task.labels)),
    Column(
        "strict",
        "float64",
        "score in 0..1 by the definition as it should read; empty for a sample without a truth",
        _read_score("strict"),
    ),
    Column("compat", "float64", "score in 0..1 by the definition as published", _read_score("compat")),
    Column("committed", "bool", "whether an answer was committed", lambda row: row.record.committed),
    Column(
        "answer",
        "string",
        "the answer as the scorer read it",
        lambda row: row.record.score.answer or None if row.record.score else None,
    ),
    Column(
        "submission",
        "string",
        "the answer as committed, up to 2,000 characters",
        lambda r: r.record.submission,
    ),
    Column("diagnosis", "string", "what is behind a wrong answer, where that is known", _find_diagnosis),
    Column("end", "string", "why the run ended", lambda row: row.record.end),
    Column("end_detail", "string", "more of it", lambda row: row.record.end_detail or None),
    Column("steps", "int64", "turns of the agent", lambda row: steps_of(row.record)),
    Column("calls", "int64", "tool calls", lambda row: row.record.calls),
    Column("failed_calls", "int64", "calls answered by an error", lambda row: row.record.failed_calls),
    Column("result_bytes", "int64", "bytes of all results", lambda row: row.record.result_bytes),
    Column(
        "cut_results",
        "int64",
        "results of which the model was given less than half, as the agent's log shows",
        lambda row: row.record.cut,
    ),
    Column(
        "tokens",
        "int64",
        "input and output tokens; empty unless every turn reported them",
        lambda row: tokens_of(row.record),
    ),
    Column("tokens_input", "int64", "all input, cached or not", _read_measure("input")),
    Column(
        "tokens_input_uncached",
        "int64",
        "input neither read from nor written to a cache",
        _read_measure("input_uncached"),
    ),
    Column("tokens_cache_read", "int64", "input read from a cache", _read_measure("cache_read")),
    Column("tokens_cache_write", "int64", "input written to a cache", _read_measure("cache_write")),
    Column("tokens_output", "int64", "output, reasoning included", _read_measure("output")),
    Column("tokens_reasoning", "int64", "reasoning, where it is told apart", _read_measure("reasoning")),
    Column(
        "cost", "float64", "cost of the run", lambda r: float(r.record.cost.amount) if r.record.cost else None
    ),
    Column(
        "cost_currency", "string", "its currency", lambda r: r.record.cost.currency if r.record.cost else None
    ),
    Column(
        "cost_table",
        "string",
        "the price table that made it",
        lambda r: r.record.cost.table if r.record.cost else None,
    ),
    *(
        Column(
            f"fault_{kind}", "int64", f"mistakes of the model: {kind.replace('_', ' ')}", _count_fault(kind)
        )
        for kind in get_args(Fault)
    ),
    Column("attempts", "int64", "attempts until the record stood", lambda row: row.record.attempts),
    Column(
        "confinement", "string", "how the agent was kept from truths", lambda r: r.record.confinement or None
    ),
    Column(
        "perturbation",
        "string",
        "the declared change of a result, as JSON",
        lambda row: None if row.record.perturbation is None else _write_json(row.record.perturbation),
    ),
    Column("started", "string", "time of the start, ISO 8601", lambda row: row.record.started or None),
    Column("duration_s", "float64", "seconds from start to end", lambda row: wall_of(row.record)),
    Column(
        "versions",
        "string",
        "versions of what took part, as JSON",
        lambda row: _write_json(row.record.versions),
    ),
    Column(
        "record",
        "string",
        "folder of the record within the output folder",
        lambda row: "/".join(row.record.folder.parts[-3:]),
    ),
    Column(
        "model_s",
        "float64",
        "of duration_s, the seconds of the model's replies; empty where the log does not tell",
        lambda row: row.record.model_s,
    ),
    Column(
        "waited_s",
        "float64",
        "of duration_s, the seconds in which the model's service had asked to wait",
        lambda row: row.record.waited_s,
    ),
    Column(
        "tools_s",
        "float64",
        "of duration_s, the seconds of tool calls, which may overlap",
        lambda row: row.record.tools_s,
    ),
)

FORMATS = ("html", "csv", "jsonl", "parquet")


def rows(scored: Scored) -> Iterator[dict[str, Value]]:
    """Yield a row for each record, in the order of runs, items and epochs."""
    for run in sorted(runs_of(scored), key=lambda each: each.label):
        for record in sorted((*run.records, *run.unscored), key=lambda each: (each.task, each.epoch)):
            row = Row(scored, run, record, scored.tasks[record.task])
            yield {column.name: column.value(row) for column in COLUMNS}


def as_jsonl(scored: Scored) -> str:
    """Return one JSON object a line; what is not known is null."""
    return "".join(json_text(row) + "\n" for row in rows(scored))


def as_csv(scored: Scored) -> str:
    """Return CSV (RFC 4180, UTF-8).

    What is not known is empty. Text that a spreadsheet would take for a formula gets an apostrophe in front
    (`without_formula`); control characters are made visible. JSONL and Parquet have all texts as they are.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([column.name for column in COLUMNS])
    for row in rows(scored):
        writer.writerow([_write_cell(value) for value in row.values()])
    return out.getvalue()


def _write_cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    return readable(without_formula(value))


def write_parquet(scored: Scored, path: Path) -> None:
    """Write a Parquet file, whole or not at all.

    Raises
    ------
    LabrigError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise LabrigError(
            "Writing Parquet needs pyarrow, which is not installed",
            try_="pip install 'labrig[parquet]', or a report that ends in .jsonl",
            code="unavailable",
        ) from error
    types = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}
    schema = pa.schema(
        [pa.field(each.name, types[each.kind], metadata={"about": each.about}) for each in COLUMNS]
    )
    whole = [{name: _make_storable(value) for name, value in row.items()} for row in rows(scored)]
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    try:
        pq.write_table(pa.Table.from_pylist(whole, schema=schema), temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _make_storable(value: Value) -> Value:
    """Return text that is valid UTF-8: a lone half of a surrogate pair becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
