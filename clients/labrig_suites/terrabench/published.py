"""Published items and runs in folders, scored: ``python -m labrig_suites.terrabench.published TRUTHS PREDICTIONS..``.

The published evaluation pairs folders. A folder of TRUTHS that holds ``number_ground_truth.json`` is an item, with the
question in ``question_input.json`` and the canonical trace in ``Main_trace.json``. The folder of the same relative path
in PREDICTIONS holds a run of it: a trace of any of the four shapes, and the answer in ``number_prediction.json``, else
in the trace's document (``answers``, ``final_json``), else in the last message.

Of the canonical trace the calls that succeeded are wanted. The tools that the public code registers are offered, and
those that the trace uses: a call of any other is not valid. An item without a run gets what a run gets that made no
call and gave no answer, and is counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.channels import Channel, read_submission
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Score
from labrig_harness.trajectory import Submission, Trajectory
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats import terrabench
from labrig_study.logs.opening import read_file
from labrig_suites.terrabench.metrics.arguments import canonical_key, kind_of
from labrig_suites.terrabench.metrics.families import words
from labrig_suites.terrabench.score import score
from labrig_suites.terrabench.truth import truth_of

QUESTION, TRUTH, TRACE = "question_input.json", "number_ground_truth.json", terrabench.TRACE
SUITE, ARM = "terrabench", "published"
MOST_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Scored:
    """The scores of one folder of predictions, and the items for which it holds no run that can be read, and why."""

    scores: list[Score]
    without: dict[str, str]


def read_items(top: Path) -> tuple[dict[str, Sample], dict[str, str]]:
    """Return the items below a folder by their relative path, and why others cannot be used.

    Raises
    ------
    LabrigError
        ``not_found``: no folder below holds ``number_ground_truth.json``.
    """
    found: dict[str, Sample] = {}
    refused: dict[str, str] = {}
    for path in sorted(top.rglob(TRUTH)):
        place = path.parent.relative_to(top).as_posix()
        try:
            found[place] = read_item(path.parent)
        except LabrigError as error:
            refused[place] = str(error)
    if not found and not refused:
        wanted = f"folders with {TRUTH}"
        raise LabrigError("No published item is there", where=str(top), expected=wanted, code="not_found")
    return found, refused


def rows_of(top: Path) -> list[dict[str, Any]]:
    """Return what the files of every item below a folder hold, as `labrig_suites.terrabench.items.adopt` takes it.

    An item whose question names none has its relative path as id, folders joined by hyphens.

    Raises
    ------
    LabrigError
        ``not_found``: no folder below holds ``number_ground_truth.json``; ``bad_input``: a file is no JSON.
    """
    rows = []
    for path in sorted(top.rglob(TRUTH)):
        found = {
            name.removesuffix(".json"): _json(path.with_name(name))
            for name in (TRUTH, QUESTION, TRACE)
            if path.with_name(name).is_file()
        }
        asked = found.setdefault("question_input", {})
        if isinstance(asked, dict) and not (asked.get("item_id") or asked.get("id")):
            asked["item_id"] = "-".join(path.parent.relative_to(top).parts)
        rows.append(found)
    if not rows:
        wanted = f"folders with {TRUTH}"
        raise LabrigError("No published item is there", where=str(top), expected=wanted, code="not_found")
    return rows


def read_item(folder: Path) -> Sample:
    """Return the item of a folder, with its truth checked.

    Raises
    ------
    LabrigError
        ``bad_input``: a file is missing or no JSON, the question has no text, the truth is refused
        (`labrig_suites.terrabench.truth.truth_of`).
    """
    asked = _json(folder / QUESTION) if (folder / QUESTION).is_file() else {}
    if not isinstance(asked, dict):
        raise LabrigError("A question is an object", where=str(folder / QUESTION))
    question = asked.get("question") or asked.get("query") or ""
    about = asked.get("metadata") if isinstance(asked.get("metadata"), dict) else {}
    rows = _json(folder / TRUTH)
    if isinstance(rows, dict):
        rows = rows.get("answers", [rows])
    run = _trace(folder)
    path = _wanted(run) if run is not None else []
    labels = {
        "track": str(asked.get("track") or "Fundamentals"),
        "level": str(_first(about, "level", "reasoning_level")),
        "domain": str(_first(about, "domain", "use_case")),
    }
    sample = Sample(
        suite=SUITE,
        suite_version="published",
        brief=SampleInput(str(asked.get("item_id") or asked.get("id") or folder.name), str(question)),
        truth={
            "fields": rows,
            "paths": [path],
            "message": run.text if run is not None else "",
            "offered": sorted(registered() | {each["tool"] for each in path}),
        },
        labels=labels,
    )
    truth_of(sample)
    return sample


def _wanted(run: ReadRun) -> list[dict[str, Any]]:
    """Return the calls of a canonical trace that succeeded.

    A file that an earlier result names was made by the run, and another run gives its own files its own names: such an
    argument is compared as ``made``, by its ending.
    """
    wanted, told = [], ""
    for call in (call for step in run.steps for call in step.calls):
        if call.is_error or call.fault:
            continue
        made = {
            key: "made"
            for key, value in call.arguments.items()
            if isinstance(value, str)
            and kind_of(canonical_key(key), value) == "file"
            and (name := value.replace("\\", "/").rpartition("/")[2])
            and name in told
        }
        wanted.append({"tool": call.tool, "arguments": call.arguments, **({"kinds": made} if made else {})})
        content = run.results.get(call.id, {}).get("content", [])
        told += "\n" + "\n".join(str(part.get("text", "")) for part in content)
    return wanted


def registered() -> set[str]:
    """Return the 79 tools that the public code registers."""
    return {tool for tools in words()["code"].values() for tool in tools}


def read_run(folder: Path, sample: Sample, agent: str) -> Trajectory:
    """Return the run of a folder of predictions.

    Raises
    ------
    LabrigError
        ``not_found``: the folder holds neither a trace nor an answer; ``bad_input``: a trace that is cut off.
    """
    run = _trace(folder)
    submission = _submission(folder, run)
    if run is None and submission is None:
        raise LabrigError("No run is there", where=str(folder), expected=TRACE, code="not_found")
    return Trajectory(
        task=sample.id,
        suite=SUITE,
        agent=agent,
        arm=ARM,
        epoch=0,
        seed=0,
        steps=run.steps if run is not None else (),
        submission=submission,
        end="answered" if submission is not None else "no_answer",
        model=run.model if run is not None else "",
        meta=run.meta if run is not None else {},
    )


def score_folder(items: dict[str, Sample], top: Path) -> Scored:
    """Score the runs of a folder of predictions; the folder's name is the agent's."""
    agent = top.resolve().name
    scores, without = [], {}
    for place, sample in items.items():
        try:
            run = read_run(top / place, sample, agent)
        except LabrigError as error:
            without[place] = error.what
            run = Trajectory(sample.id, SUITE, agent, ARM, 0, 0, (), None, "no_answer")
        scores.append(score(sample, run))
    return Scored(scores, without)


def _trace(folder: Path) -> ReadRun | None:
    """Return the trace of a folder: ``Main_trace.json``, else the first other file that is one."""
    named = [folder / TRACE] if (folder / TRACE).is_file() else []
    others = [each for each in sorted(folder.glob("*.json")) if each.name not in (TRACE, QUESTION, TRUTH)]
    for path in named + others:
        if path.name == terrabench.ANSWER or (path not in named and not terrabench.is_trace(_json(path))):
            continue
        for run in read_file(terrabench.NAME, path):
            return run
    return None


def _submission(folder: Path, run: ReadRun | None) -> Submission | None:
    last = run.steps[-1].index if run is not None and run.steps else -1
    answer = folder / terrabench.ANSWER
    if answer.is_file() and not answer.is_symlink():
        return Submission(_text(answer), last)
    for path in sorted(folder.glob("*.json")):
        document = _json(path) if path.name not in (QUESTION, TRUTH) else None
        if isinstance(document, dict):
            for key in ("answers", "final_json"):
                if key in document:
                    return Submission(json.dumps(document[key], ensure_ascii=False), last)
    if run is None:
        return None
    return read_submission(Channel("final_json"), workspace=None, steps=run.steps)


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise LabrigError("This is not a JSON document, it is cut off or damaged", where=str(path)) from error


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise LabrigError(f"It cannot be read: {error.strerror}", where=str(path)) from error
    if len(data) > MOST_BYTES:
        raise LabrigError(
            "The file is too large", where=str(path), expected=f"at most {MOST_BYTES // 2**20} MB"
        )
    return data.decode("utf-8", errors="replace")


def _first(table: Any, *names: str) -> Any:
    return next((table[name] for name in names if name in table), "")


def _tables(samples: Iterable[Sample], scores: list[Score]) -> None:
    from labrig_study.report.terminal import print_table, stdout_console
    from labrig_suites.terrabench.paper import compared, paper_tables

    console = stdout_console()
    for table in (compared(scores), *paper_tables(list(samples), scores)):
        print_table(console, table, None)


def main() -> None:
    """Print the scores of folders of predictions, by the paper and by the public code, and the paper's tables."""
    parser = argparse.ArgumentParser(
        prog="python -m labrig_suites.terrabench.published", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("truths", type=Path, metavar="TRUTHS", help="a folder with published items below it")
    parser.add_argument(
        "predictions",
        type=Path,
        nargs="+",
        metavar="PREDICTIONS",
        help="a folder for each agent, with runs below it",
    )
    named = parser.parse_args()
    try:
        items, refused = read_items(named.truths)
    except LabrigError as error:
        raise SystemExit(str(error)) from error
    for place, why in refused.items():
        print(f"left out: {place}: {why}", file=sys.stderr)
    scores: list[Score] = []
    for top in named.predictions:
        scored = score_folder(items, top)
        scores += scored.scores
        for place, why in scored.without.items():
            print(f"{top.name}: no run of {place}: {why}", file=sys.stderr)
    _tables(items.values(), scores)


if __name__ == "__main__":
    main()
