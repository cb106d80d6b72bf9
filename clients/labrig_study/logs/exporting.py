"""Exporting records: as ATIF, one document each, as traces of TerraBench, or as an EvalLog of Inspect for each run.

A record is read, written and let go, so memory holds one at a time.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from labrig.calls import CallLog
from labrig.errors import LabrigError, unknown_name
from labrig.redaction import redact
from labrig_harness import suites
from labrig_harness.endings import OUTSIDE
from labrig_harness.records import outfolder
from labrig_harness.records.verify import contradiction
from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Suite
from labrig_harness.trajectory import Trajectory
from labrig_programs.reading import atif
from labrig_programs.reading.read_run import Wire
from labrig_study.formats import inspect_writing, terrabench

EXPORTS = ("atif", "inspect", "terrabench")
_HALF = re.compile("[\ud800-\udfff]")


@dataclass
class Exported:
    """What an export did: the files it wrote, and the records that it left out, each with the reason."""

    files: list[Path] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def export(out: Path, format: str, target: Path) -> Exported:
    """Export every record of an output folder into the folder `target`.

    Raises
    ------
    LabrigError
        If the format is unknown, or there is nothing to export.
    """
    if format not in EXPORTS:
        raise unknown_name("format to export to", format, EXPORTS, where="--format")
    samples = {sample.id: sample for sample in outfolder.read_tasks(out)}
    done = Exported()
    for label in sorted(path.parent.name for path in out.glob("*/run.json")):
        if format == "atif":
            _export_atif(out, label, samples, target, done)
        elif format == terrabench.NAME:
            _export_terrabench(out, label, samples, target, done)
        else:
            _export_inspect(out, label, samples, target, done)
    if not done.files:
        told = "; ".join(done.skipped[:3]) or "there is no record"
        raise LabrigError(f"Nothing was exported: {told}", where=str(out), code="not_found")
    return done


def _read_records(
    out: Path, label: str, samples: dict[str, Sample], done: Exported
) -> Iterator[tuple[Path, Trajectory]]:
    for path in sorted((out / label).glob("*/epoch*/trajectory.json")):
        try:
            trajectory = Trajectory.from_dict(json.loads(path.read_text(encoding="utf-8")))
            if trajectory.task not in samples:
                raise LabrigError(f"its task {trajectory.task} is not in tasks.jsonl")
            if problem := contradiction(path.parent, trajectory):
                raise LabrigError(problem)
        except (ValueError, TypeError, AttributeError, OSError, LabrigError) as error:
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            line = f"{path.parent.relative_to(out)}: {reason}"
            if line not in done.skipped:
                done.skipped.append(line)
            continue
        yield path.parent, trajectory


def _read_results(folder: Path) -> dict[str, Wire]:
    log = CallLog(folder)
    return {record.result: log.result(record) for record in log if record.result}


def _export_atif(out: Path, label: str, samples: dict[str, Sample], target: Path, done: Exported) -> None:
    for folder, trajectory in _read_records(out, label, samples, done):
        document = atif.to_atif(trajectory, _read_results(folder), list(CallLog(folder)))
        path = target / label / f"{trajectory.task}.epoch{trajectory.epoch}.json"
        outfolder.write_atomically(path, redact(outfolder.json_text(document)) + "\n")
        done.files.append(path)


def _export_terrabench(
    out: Path, label: str, samples: dict[str, Sample], target: Path, done: Exported
) -> None:
    """Write a folder for each record, as the published evaluation pairs them: trace, and answer if it is JSON."""
    for folder, trajectory in _read_records(out, label, samples, done):
        place = target / label / f"{trajectory.task}.epoch{trajectory.epoch}"
        documents = {
            terrabench.TRACE: terrabench.main_trace(trajectory, _read_results(folder)),
            terrabench.ANSWER: terrabench.number_prediction(trajectory),
        }
        for name, document in documents.items():
            if document is not None:
                outfolder.write_atomically(place / name, redact(outfolder.json_text(document)) + "\n")
                done.files.append(place / name)


def _export_inspect(out: Path, label: str, samples: dict[str, Sample], target: Path, done: Exported) -> None:
    """Write the header, then the samples one by one, in place of `json.dump` of the whole."""
    run = outfolder.read_run(out, label)
    suite = suites.load(str(run["suite"]))
    # The header needs the sums of all records: of each only its tokens, times and score are kept.
    slim: list[Trajectory] = []
    scores: dict[tuple[str, int], Score] = {}
    for _, trajectory in _read_records(out, label, samples, done):
        if (score := _score_record(suite, samples[trajectory.task], trajectory)) is not None:
            scores[trajectory.task, trajectory.epoch] = score
        slim.append(
            replace(
                trajectory, steps=tuple(replace(s, text="", calls=(), reasoning="") for s in trajectory.steps)
            )
        )
    if not slim:
        return
    model = inspect_writing.model_name(slim)
    header = inspect_writing.log_header(run, list(samples.values()), slim, list(scores.values()))
    path = target / inspect_writing.log_name(header, label)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(redact(outfolder.json_text(header))[:-1] + ',"samples":[')
            for number, (folder, trajectory) in enumerate(_read_records(out, label, samples, done)):
                score = scores.get((trajectory.task, trajectory.epoch))
                sample = inspect_writing.log_sample(
                    samples[trajectory.task], trajectory, _read_results(folder), score, model
                )
                file.write(
                    ("," if number else "") + "\n" + redact(outfolder.json_text(_replace_surrogates(sample)))
                )
            file.write("\n]}\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    done.files.append(path)


def _score_record(suite: Suite, sample: Sample, trajectory: Trajectory) -> Score | None:
    if not sample.truth or trajectory.end in OUTSIDE:
        return None
    try:
        return suite.score(sample, trajectory)
    except LabrigError:  # a record that cannot be scored is exported without a score
        return None


def _replace_surrogates(value: Any) -> Any:
    """Replace halves of surrogate pairs: Inspect's reader takes no such text."""
    if isinstance(value, str):
        return _HALF.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_replace_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(each) for key, each in value.items()}
    return value
