"""A report as a file: HTML, CSV, JSONL or Parquet, and records as pages of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from labrig.errors import LabrigError
from labrig_harness.records.outfolder import safe, write_atomically
from labrig_harness.records.scoring import Record, Scored
from labrig_study.report.flat import FORMATS, as_csv, as_jsonl, write_parquet
from labrig_study.report.runs import runs_of


def format_of(path: Path, given: str = "") -> str:
    """Return the format of a report: the one given, or that of the file's suffix.

    Raises
    ------
    LabrigError
        If the suffix says none.
    """
    found = given or path.suffix.lower().lstrip(".")
    if found not in FORMATS:
        raise LabrigError(
            "What kind of report this is cannot be told from its name",
            where=str(path),
            expected="a file that ends in " + ", ".join(f".{each}" for each in FORMATS),
            try_="--format html",
        )
    return found


def write_report(scored: Scored, path: Path, kind: str, trajectories: Path | None = None) -> list[Path]:
    """Write a report, and with `trajectories` each record as a page of its own; return what was written.

    Parameters
    ----------
    kind
        One of `FORMATS`.
    trajectories
        A folder for one page per record, with its texts whole; ``html`` only. Without it the report links to the
        folders of the records.
    """
    if path.is_dir():
        raise LabrigError("This is a folder, not a file", where=str(path), expected="the report's file name")
    try:
        return _write_kind(scored, path, kind, trajectories)
    except OSError as error:  # a full disk, a folder that may not be written
        raise LabrigError(
            f"The report could not be written: {error.strerror or error}",
            where=str(error.filename or path),
            code="limit",
        ) from error


def _write_kind(scored: Scored, path: Path, kind: str, trajectories: Path | None) -> list[Path]:
    if kind == "parquet":
        write_parquet(scored, path)
        return [path]
    if kind != "html":
        write_atomically(path, as_csv(scored) if kind == "csv" else as_jsonl(scored))
        return [path]
    from labrig_study.report.page import render

    pages = list(_write_records(scored, path, trajectories)) if trajectories else []

    def link(record: Record) -> str:
        return _make_link(record_page(trajectories, record) if trajectories else record.folder, path.parent)

    write_atomically(path, render(scored, link=link))
    return [path, *pages]


def record_page(folder: Path, record: Record) -> Path:
    """Return where the page of a record lies."""
    run = record.folder.parent.parent.name
    return folder / safe(run) / f"{safe(record.task)}-epoch{record.epoch}.html"


def _write_records(scored: Scored, report: Path, folder: Path) -> Iterator[Path]:
    """Write the pages one by one: a single trajectory is in memory at a time."""
    from labrig_study.report.page import render_record

    for run in runs_of(scored):
        for record in (*run.records, *run.unscored):
            page = record_page(folder, record)
            write_atomically(page, render_record(scored, run, record, back=_make_link(report, page.parent)))
            yield page


def _make_link(target: Path, start: Path) -> str:
    """Return a relative link, in which every character stands for itself."""
    return quote(os.path.relpath(target.resolve(), start.resolve()).replace(os.sep, "/"))
