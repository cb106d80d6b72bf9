"""Importing tables of results: their truths become the tasks of the suite ``results``, each row a record."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from labrig.canonical import file_sha256
from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.records import outfolder
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Suite
from labrig_harness.trajectory import Step, Submission, Trajectory
from labrig_study.formats import results
from labrig_study.formats.results import Results, Row
from labrig_study.logs.keeping import Imported, Where, finish_record, keep_run, label_of, whole


def import_tables(files: Sequence[Path], out: Path, *, seed: int, where: Where) -> Imported:
    """Import tables into an output folder.

    The agent of a row is its column agent or model, else the name of the file; its run is a column of that meaning,
    else rows of an item that stand for the same arm and agent are counted.

    Raises
    ------
    LabrigError
        If a table does not say what was right, there is no row, or the output folder holds other items.
    """
    done = Imported()
    tables = {file: table for file in files if (table := _read_table(file, done)) is not None}
    ids = _make_ids(row.item for table in tables.values() for row in table.rows)
    if not ids:
        raise LabrigError("Nothing was imported: the table has no rows", where=files[0].name)
    suite = suites.load("results")
    made = list(_make_tasks(suite, tables.values(), ids, done))
    samples = {sample.id: sample for sample in outfolder.keep_tasks(out, made)}
    changed = [
        sample.id for sample in made if samples[sample.id].truth != sample.truth and "answer" in sample.truth
    ]
    if changed:
        done.skip(f"{len(changed)} truths that differ from those in the folder, such as {changed[0]!r}")
    placed = []
    silent = 0
    for placement in _place_rows(tables, ids, suite, where):
        if placement[1].correct is None and "answer" not in samples[ids[placement[1].item]].truth:
            silent += 1  # scored, it would count as wrong
        else:
            placed.append(placement)
    if silent:
        done.skip(f"{silent} rows that say neither what is right nor whether it was")
    highest: dict[tuple[str, str], int] = {}
    for _, _, arm, agent, epoch in placed:
        highest[arm, agent] = max(epoch, highest.get((arm, agent), 0))
    tasks = outfolder.tasks_hash(list(samples.values()))
    for (arm, agent), epoch in highest.items():
        keep_run(out, suite, tasks, arm, agent, seed=seed, epochs=1 + epoch)
    digests = {file: file_sha256(file) for file in tables}
    there = 0
    for file, row, arm, agent, epoch in placed:
        item = ids[row.item]
        folder = outfolder.record_folder(out, label_of(arm, agent), item, epoch)
        if (folder / "trajectory.json").exists():
            there += 1
            continue
        shown = "prediction" in tables[file].columns
        source = {"format": results.NAME, "file": file.name, "sha256": digests[file]}
        _write_record(
            folder, _make_trajectory(row, samples[item], suite, arm, agent, epoch, seed, source, shown=shown)
        )
        done.records.append(folder)
    if there:
        done.skip(f"{there} rows whose records are there already")
    return done


def _read_table(file: Path, done: Imported) -> Results | None:
    data = whole(file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
        done.skip(f"{file.name}: not UTF-8, read as Windows-1252")
    if not text.strip():
        done.skip(f"{file.name}: it is empty")
        return None
    try:
        table = results.read(text)
    except LabrigError as error:
        place = ", ".join(filter(None, (file.name, error.where)))
        raise LabrigError(error.what, where=place, expected=error.expected, try_=error.try_) from error
    done.skipped += [f"{file.name}: {line}" for line in table.skipped]
    return table


def _place_rows(
    tables: dict[Path, Results], ids: dict[str, str], suite: Suite, where: Where
) -> Iterator[tuple[Path, Row, str, str, int]]:
    """Yield each row with its arm, agent and epoch (counted from 0)."""
    counts: dict[tuple[str, str, str], int] = {}
    for file, table in tables.items():
        # Runs may be called anything (1, 2, 3; "run-a"): their order of appearance numbers them.
        runs = {name: number for number, name in enumerate(dict.fromkeys(row.epoch for row in table.rows))}
        for row in table.rows:
            arm = outfolder.safe(where.arm or row.arm or suite.arm().name).replace(".", "-")
            agent = where.agent or row.agent or row.model or file.stem
            key = (arm, agent, ids[row.item])
            counted = max(counts.get(key, 0), runs[row.epoch])
            epoch = counted if where.epoch is None else where.epoch
            counts[key] = counted + 1
            yield file, row, arm, agent, epoch


def _make_ids(items: Iterable[str]) -> dict[str, str]:
    """Return names that folders can bear for the items, no two the same in any case."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for item in dict.fromkeys(items):
        name, number = outfolder.safe(item), 1
        while name.casefold() in used:
            number += 1
            name = f"{outfolder.safe(item)}-{number}"
        used.add(name.casefold())
        names[item] = name
    return names


def _make_tasks(
    suite: Suite, tables: Iterable[Results], ids: dict[str, str], done: Imported
) -> Iterator[Sample]:
    """Yield a task for each item; the first truth that a table gives for it counts."""
    first: dict[str, Row] = {}
    truths: dict[str, str] = {}
    differ: list[str] = []
    for table in tables:
        for row in table.rows:
            first.setdefault(row.item, row)
            if row.truth is not None and truths.setdefault(row.item, row.truth) != row.truth:
                differ.append(row.item)
    if differ:
        done.skip(
            f"{len(differ)} rows give another truth than the first for their sample, and are scored by the first "
            f"({differ[0]!r})"
        )
    for item, row in first.items():
        labels = {"item": item, **({"cluster": row.cluster} if row.cluster else {})}
        truth = {"from": "the table", **({"answer": truths[item]} if item in truths else {})}
        yield Sample(suite.name, suite.version, SampleInput(ids[item], row.prompt), truth, labels)


def _make_trajectory(
    row: Row,
    sample: Sample,
    suite: Suite,
    arm: str,
    agent: str,
    epoch: int,
    seed: int,
    source: dict[str, str],
    *,
    shown: bool,
) -> Trajectory:
    """Return a row as a trajectory: its first step is the row as published, its second the prediction."""
    said = {name: value for name, value in asdict(row).items() if value not in (None, "")}
    steps = [Step(0, json.dumps(said, ensure_ascii=False), source="system")]
    if row.prediction is not None:
        steps.append(Step(1, row.prediction))
    return Trajectory(
        task=sample.id,
        suite=suite.name,
        agent=agent,
        arm=arm,
        epoch=epoch,
        seed=seed,
        steps=tuple(steps),
        submission=Submission(row.prediction, 1) if row.prediction is not None else None,
        # A table of flags alone does not say who committed nothing.
        end="answered" if row.prediction is not None or not shown else "no_answer",
        end_detail="" if shown else "the table shows no predictions",
        model=row.model,
        meta={"imported": source},
    )


def _write_record(folder: Path, trajectory: Trajectory) -> None:
    making = outfolder.making(folder)
    try:
        finish_record(making, folder, trajectory)
    finally:
        shutil.rmtree(making, ignore_errors=True)
