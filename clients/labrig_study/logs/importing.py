"""Importing logs: what `labrig_study.formats` reads, written as records in our folder form.

The calls of a log go through `CallLog`, so an imported record is read, checked, scored and shown like one of ours;
``meta.imported`` names the source. Files are read twice, once for what they are about and once to be written, so that
memory holds one of them at a time.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from labrig.calls import CallLog
from labrig.canonical import file_sha256
from labrig.errors import LabrigError, unknown_name
from labrig.redaction import redact
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.channels import submitted
from labrig_harness.records import outfolder
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Suite
from labrig_harness.trajectory import Step, Submission, Trajectory
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats import FORMATS
from labrig_study.formats.terrabench import ANSWER, TRACE
from labrig_study.logs import harbor
from labrig_study.logs.keeping import (
    Imported,
    Where,
    finish_record,
    keep_run,
    label_of,
)
from labrig_study.logs.opening import read_file

SUFFIXES = frozenset((".jsonl", ".json", ".eval", ".csv", ".tsv", ".txt", ".log", ".ndjson", ".traj"))

TOO_DEEP = "its JSON is nested too deep to be kept"
BESIDE = 100
"""Levels that a record puts around what it keeps, and calls around its writing, at most."""
UNSAID = -1
"""The epoch of a run whose log states none."""
MOST_EPOCHS = 10_000
"""A plan has a place for each epoch up to the highest of them, so a log does not say how many there are."""


@dataclass(frozen=True)
class _Planned:
    """A run of a file, and where its record goes."""

    file: Path
    format: str
    number: int
    item: str
    arm: str
    agent: str
    epoch: int
    prompt: str
    truth: dict[str, Any]


def import_logs(
    format: str,
    path: Path,
    out: Path,
    *,
    suite: Suite | None = None,
    samples: Sequence[Sample] = (),
    seed: int = 0,
    where: Where = Where(),
) -> Imported:
    """Import a file, or every file of a folder, into an output folder.

    Parameters
    ----------
    format
        One of `labrig_study.formats.FORMATS`, or ``auto``: by content.
    suite, tasks
        What the logs are runs of; without them they become items of the suite ``imported``, whose truth is the target
        of a log that says how it was scored, and nothing of others.

    Raises
    ------
    LabrigError
        If nothing could be imported, saying why, or the output folder holds other items.
    """
    if format not in (*FORMATS, "auto"):
        raise unknown_name("format", format, (*FORMATS, "auto"), where="FORMAT")
    done = Imported()
    files = _find_files(path, out, done)
    if suite is None:
        tables = [file for file in files if "results" in _find_formats(format, file, done)]
        if tables and len(tables) == len(files):
            from labrig_study.logs.tables import import_tables

            return import_tables(tables, out, seed=seed, where=where)
    known = {sample.id: sample for sample in samples}
    plans = _number_epochs(list(_Planner(suite, known, where, done).plan(format, files)), done)
    if not plans:
        told = "; ".join(done.skipped[:3]) or "no log in it"
        raise LabrigError(
            f"Nothing was imported: {told}", where=str(path), expected=f"one of {', '.join(FORMATS)}"
        )
    if suite is None:
        suite = suites.load("imported")
        samples = _extend_items(out, suite, plans)
    else:
        samples = outfolder.keep_tasks(out, samples)
    tasks = outfolder.tasks_hash(list(samples))
    by_run: dict[tuple[str, str], list[_Planned]] = {}
    by_file: dict[Path, list[_Planned]] = {}
    for plan in plans:
        by_run.setdefault((plan.arm, plan.agent), []).append(plan)
        by_file.setdefault(plan.file, []).append(plan)
    for (arm, agent), mine in by_run.items():
        epochs = 1 + max(plan.epoch for plan in mine)
        items = [plan.item for plan in mine] if suite.name == "imported" else []
        keep_run(out, suite, tasks, arm, agent, seed=seed, epochs=epochs, items=items)
    by_id = {sample.id: sample for sample in samples}
    for file, mine in by_file.items():
        _write_file(file, mine, out, suite, by_id, seed, done)
    return done


# ------------------------------------------------------------------------------------------------ reading


def _find_files(path: Path, out: Path, done: Imported) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise LabrigError("There is no such file or folder", where=str(path), code="not_found")
    found, beside = [], 0
    for file in sorted(path.rglob("*")):
        if not file.is_file() or any(part.startswith(".") for part in file.relative_to(path).parts):
            continue
        if file.is_relative_to(out) and out != path:
            continue
        if not file.resolve().is_relative_to(path.resolve()):
            done.skip(
                f"{file.relative_to(path)}: it is a link to a file outside the folder; import that by itself"
            )
            continue
        if harbor.is_beside(file):
            beside += 1
        elif file.suffix.casefold() in SUFFIXES:
            found.append(file)
        else:
            done.skip(f"{file.relative_to(path)}: no log by its name ({file.suffix or 'no ending'})")
    if beside:
        done.skip(f"{beside} files beside the trajectories of Harbor's trials, which say the same or less")
    return found


def _find_formats(format: str, file: Path, done: Imported) -> list[str]:
    if format != "auto":
        return [format]
    from labrig_study.formats.detect import formats_of

    try:
        return formats_of(file)
    except OSError as error:
        done.skip(f"{file.name}: {error.strerror}")
        return []


# ------------------------------------------------------------------------------------------------ planning


@dataclass
class _Planner:
    """Says of each run which item, arm, agent and epoch it is, and notes what cannot be imported."""

    suite: Suite | None
    known: dict[str, Sample]
    where: Where
    done: Imported

    def plan(self, format: str, files: Sequence[Path]) -> Iterator[_Planned]:
        for file in files:
            kinds = _find_formats(format, file, self.done)
            if not kinds:
                self.done.skip(f"{file.name}: {_describe_empty(file) or 'no format of ours'}")
            for kind in kinds:
                if kind != "results":
                    yield from self._plan_file(file, kind)
                elif file.name != ANSWER or not file.with_name(TRACE).exists():  # else the trace's answer
                    self.done.skip(f"{file.name}: a table of results; import it by itself, without --suite")

    def _plan_file(self, file: Path, kind: str) -> Iterator[_Planned]:
        number = -1
        try:
            for number, run in enumerate(read_file(kind, file)):
                if planned := self._plan_run(file, kind, number, run):
                    yield planned
        except LabrigError as error:
            self.done.skip(f"{file.name}: {error.what}" + (f" (try {error.try_})" if error.try_ else ""))
        except OSError as error:
            self.done.skip(f"{file.name}: {error.strerror}")
        except RecursionError:
            self.done.skip(f"{file.name}: {TOO_DEEP}")
        else:
            if number < 0:
                self.done.skip(f"{file.name}: {_describe_empty(file) or f'nothing of {kind} in it'}")

    def _plan_run(self, file: Path, kind: str, number: int, run: ReadRun) -> _Planned | None:
        if not run.steps and run.skipped:
            for line in run.skipped:
                self.done.skip(f"{file.name}: {line}")
            return None
        if not _can_be_kept(run.meta):
            self.done.skip(f"{file.name}: run {number + 1}: {TOO_DEEP}")
            return None
        item = _find_item(run, file, number, self.known, self.where)
        if not item:
            self.done.skip(f"{file.name}: none of the {len(self.known)} samples; say which with --item")
            return None
        agent = redact(self.where.agent or _find_agent(run))  # it names a folder
        arm = self.where.arm or (run.record.arm if run.record else "")
        if self.suite is not None:
            arm = self.suite.arm(arm).name  # an unknown arm is refused here
        arm = arm or "imported"
        epoch = run.epoch
        if epoch is not None and not 0 <= epoch < MOST_EPOCHS:
            self.done.note(
                f"{file.name}: its epoch is none of 0 to {MOST_EPOCHS - 1}; it is imported as the next free one"
            )
            epoch = None
        epoch = self.where.epoch if self.where.epoch is not None else epoch
        prompt = next((step.text for step in run.steps if step.source == "user"), "")
        truth = {"target": run.meta.get("target")} if run.meta.get("scores") else {}
        return _Planned(
            file, kind, number, item, arm, agent, UNSAID if epoch is None else epoch, prompt, truth
        )


def _can_be_kept(meta: dict[str, Any]) -> bool:
    """Tell whether what a log says of a run is nested no deeper than a record keeps."""
    around: Any = meta
    for _ in range(BESIDE):
        around = [around]
    try:
        outfolder.json_text(around)
    except RecursionError:
        return False
    return True


def _number_epochs(plans: list[_Planned], done: Imported) -> list[_Planned]:
    """Give every run an epoch: the one that its log states, and the next free one where that is taken or none is."""
    taken: dict[tuple[str, str, str], dict[int, Path]] = {}
    found: dict[int, int] = {}
    lowest: dict[tuple[str, str, str], int] = {}
    order = sorted(range(len(plans)), key=lambda at: (plans[at].epoch == UNSAID, at))
    later = []
    for at in order:
        plan = plans[at]
        mine = taken.setdefault((plan.arm, plan.agent, plan.item), {})
        if plan.epoch == UNSAID or plan.epoch in mine:
            later.append(at)
        else:
            found[at] = plan.epoch
            mine[plan.epoch] = plan.file
    for at in sorted(later, key=lambda at: (plans[at].epoch == UNSAID, plans[at].file, plans[at].epoch, at)):
        plan = plans[at]
        mine = taken[plan.arm, plan.agent, plan.item]
        free = lowest.get((plan.arm, plan.agent, plan.item), 0)
        found[at] = next(epoch for epoch in count(free) if epoch not in mine)
        lowest[plan.arm, plan.agent, plan.item] = found[at] + 1
        if plan.epoch != UNSAID and plan.file != mine[plan.epoch]:
            done.note(
                f"{plan.file.name}: epoch {plan.epoch} of {plan.item} is taken by {mine[plan.epoch].name};"
                f" it is imported as epoch {found[at]}"
            )
        mine[found[at]] = plan.file
    return [replace(plan, epoch=found[at]) for at, plan in enumerate(plans)]


def _describe_empty(file: Path) -> str:
    return "" if file.stat().st_size else "it is empty"


def _find_item(run: ReadRun, file: Path, number: int, known: dict[str, Sample], where: Where) -> str:
    """Return the item of a run: as said, as the log says, as the file or a folder above it is called."""
    stem = file.name.removesuffix(".traj.json") if file.name.endswith(".traj.json") else file.stem
    names = [where.item, run.item, stem, *(part.name for part in file.parents)]
    if known:
        return next((name for name in names if name in known), "") or _find_by_end(run, known)
    name = outfolder.safe(redact(where.item or run.item or stem))
    return name if where.item or run.item or not number else f"{name}-{number + 1}"


def _find_by_end(run: ReadRun, known: dict[str, Sample]) -> str:
    """Return the sample whose id ends in the name that the log says, as Harbor says ``easy-sample_003``.

    Of several, the one of whose text the agent was told most lines; none where two have as many.
    """
    ending = [each for key, each in known.items() if run.item and key.endswith(f"-{run.item}")]
    told = "\n".join(step.text for step in run.steps if step.source != "agent")
    lines = [sum(line in told for line in set(each.brief.prompt.splitlines()) if line) for each in ending]
    best = [each.id for each, count in zip(ending, lines, strict=True) if count == max(lines)]
    return best[0] if len(best) == 1 else ""


def _find_agent(run: ReadRun) -> str:
    if run.record is not None:
        return run.record.agent
    return AgentSpec(run.agent or run.source, model=run.model).label


def _extend_items(out: Path, suite: Suite, plans: Sequence[_Planned]) -> list[Sample]:
    """Write the items of logs that belong to no suite; items that are there already stay as they are.

    Raises
    ------
    LabrigError
        If an item is there already with another target: a score by one is not a score by the other.
    """
    there: list[Sample] = []
    if (out / "tasks.jsonl").exists():
        there = outfolder.read_tasks(out)
        if there[0].suite != suite.name:
            raise LabrigError(
                f"The output folder holds samples of the suite {there[0].suite}",
                where=str(out),
                try_=f"--suite {there[0].suite}, or another --out",
            )
    known = {sample.id: sample for sample in there}
    new: dict[str, Sample] = {}
    for plan in plans:
        if plan.item not in known:
            brief = SampleInput(plan.item, plan.prompt)
            made = Sample(suite.name, suite.version, brief, plan.truth, {"file": plan.file.name})
            new[plan.item] = known[plan.item] = made
        elif plan.truth != known[plan.item].truth:
            raise LabrigError(
                f"Two logs say different targets of the sample {plan.item}: they are of different tasks",
                where=plan.file.name,
                try_="import the logs of each task into an --out of its own",
            )
    samples = [*there, *new.values()]
    if new:
        text = redact("".join(outfolder.json_text(sample.to_dict()) + "\n" for sample in samples))
        outfolder.write_atomically(out / "tasks.jsonl", text)
        samples = outfolder.read_tasks(out)
    for path in out.glob("*/run.json"):
        about = {**outfolder.read_run(out, path.parent.name), "tasks": outfolder.tasks_hash(samples)}
        outfolder.write_atomically(path, json.dumps(about, indent=1) + "\n")
    return samples


# ------------------------------------------------------------------------------------------------ writing


def _write_file(
    file: Path,
    plans: Sequence[_Planned],
    out: Path,
    suite: Suite,
    samples: dict[str, Sample],
    seed: int,
    done: Imported,
) -> None:
    digest = file_sha256(file)
    for kind in dict.fromkeys(plan.format for plan in plans):
        mine = {plan.number: plan for plan in plans if plan.format == kind}
        told: list[str] = []
        for number, run in enumerate(read_file(kind, file)):
            told += [line for line in run.skipped if line not in told]
            plan = mine.get(number)
            if plan is None:
                continue
            folder = outfolder.record_folder(out, label_of(plan.arm, plan.agent), plan.item, plan.epoch)
            if (folder / "trajectory.json").exists():
                done.skip(f"{file.name}: {folder.relative_to(out)} is there already")
                continue
            source = {"format": kind, "file": file.name, "sha256": digest}
            sample = samples[plan.item]
            try:
                write_record(run, folder, suite, sample, plan.arm, plan.agent, plan.epoch, seed, source)
            except RecursionError:
                done.skip(f"{file.name}: run {number + 1}: {TOO_DEEP}")
                continue
            done.records.append(folder)
        for line in told:
            done.skip(f"{file.name}: {line}")


def write_record(
    run: ReadRun,
    folder: Path,
    suite: Suite,
    sample: Sample,
    arm: str,
    agent: str,
    epoch: int,
    seed: int,
    source: dict[str, Any],
) -> Trajectory:
    """Write one run as a record, whole or not at all."""
    making = outfolder.making(folder)
    try:
        log = CallLog(making)
        if run.record is not None:
            trajectory = replace(_write_ours(run, log), arm=arm, agent=agent, epoch=epoch)
        else:
            trajectory = _make_foreign(run, log, suite, sample, arm, agent, epoch, seed)
        told = {"imported": {**source, **({"skipped": list(run.skipped)} if run.skipped else {})}}
        trajectory = replace(trajectory, meta={**trajectory.meta, **told})
        finish_record(making, folder, trajectory)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return trajectory


def _make_foreign(
    run: ReadRun, log: CallLog, suite: Suite, sample: Sample, arm: str, agent: str, epoch: int, seed: int
) -> Trajectory:
    steps = list(_record_calls(run, log))
    channel = suite.arm(arm).channel if suite.name != "imported" else None
    submission = submitted(channel, steps, sample.brief.choices) if channel is not None else None
    if channel is None and run.end == "answered":
        answers = [each["answer"] for each in run.meta.get("scores", {}).values() if each.get("answer")]
        submission = Submission(str(answers[0]), -1) if answers else None  # what the log's scorer read
    if run.committed is not None:
        submission = Submission(
            run.committed, -1
        )  # a file beside the log: no step is known to have written it
    end = run.end
    if channel is not None and end in ("answered", "no_answer"):
        end = "answered" if submission is not None else "no_answer"
    return Trajectory(
        task=sample.id,
        suite=sample.suite,
        agent=agent,
        arm=arm,
        epoch=epoch,
        seed=seed,
        steps=tuple(steps),
        submission=submission,
        end=end,
        end_detail=run.end_detail,
        model=run.model,
        cost=run.cost,
        versions=run.versions,
        meta=run.meta,
    )


def _record_calls(run: ReadRun, log: CallLog) -> Iterator[Step]:
    """Yield the steps with their calls written to the log, in the order of the calls."""
    number = 0
    for step in run.steps:
        calls = []
        for call in step.calls:
            wire = run.results.get(call.id)
            if wire is None:
                calls.append(replace(call, record=-1, is_error=True))
                continue
            record = log.append(
                server=call.meta.get("server") or run.source,
                tool=call.tool,
                arguments=call.arguments,
                result=wire,
                error=None,
                tools_hash="",
                versions=run.versions,
                meta={"imported": run.source},
            )
            calls.append(
                replace(
                    call,
                    record=number,
                    is_error=record.is_error,
                    result=record.result,
                    result_bytes=record.result_bytes,
                )
            )
            number += 1
        yield replace(step, calls=tuple(calls))


def _write_ours(run: ReadRun, log: CallLog) -> Trajectory:
    """Write the calls of a trajectory of ours as they were."""
    trajectory = run.record
    assert trajectory is not None
    if run.calls:
        for record in run.calls:
            log.append(
                server=record.server,
                tool=record.tool,
                arguments=record.arguments,
                result=run.blobs.get(record.result),
                error=record.error,
                tools_hash=record.tools_hash,
                versions=record.versions,
                meta=record.meta,
            )
        return trajectory
    for call in sorted((each for each in trajectory.calls if each.record >= 0), key=lambda each: each.record):
        log.append(
            server="",
            tool=call.tool,
            arguments=call.arguments,
            result=run.blobs.get(call.result),
            error=None,
            tools_hash="",
            versions=trajectory.versions,
            meta={"imported": run.source},
        )
    return trajectory
