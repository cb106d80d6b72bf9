"""One record audited, and all of a folder as a table with a row for each agent; pure over records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from labrig.calls import CallLog
from labrig_harness.records.scoring import Record, Scored
from labrig_harness.suite import Table
from labrig_harness.trajectory import ToolCall, Trajectory
from labrig_study.audit.doing import Done, dead_calls, done_claims, unread_files
from labrig_study.audit.tracing import Known, Trace, trace_answer
from labrig_study.cells import bounds, percent
from labrig_study.report.runs import runs_of
from labrig_study.statistics.proportions import wilson

ABSTAINS = re.compile(
    r"\b(?:abstain\w*|not possible|cannot be (?:determined|answered|computed|found)|unknown|unable to|"
    r"can(?:no|')t (?:determine|answer|find)|could(?:n't| not) (?:determine|find|locate)|"
    r"no (?:data|information|such|evidence)|not (?:available|found))\b",
    re.IGNORECASE,
)
"""Words by which an answer without a number of its own says that there is none, where the scorer does not tell."""
_PATCH = re.compile(r"\s*(?:diff --git |--- a/|Index: )")
_FENCED = re.compile(r"```(?:[a-z+]*)\n.*?```", re.DOTALL)


@dataclass(frozen=True)
class Audit:
    """What became of an answer.

    Attributes
    ----------
    answer
        Its text.
    traces
        A `Trace` for each number and name.
    unread
        Files that it cites and no call was given.
    dead
        Calls on which nothing rests.
    abstained
        Whether it says that there is no answer.
    wrong
        Whether it was scored, is wrong, and does not abstain; None without a score.
    """

    answer: str
    traces: tuple[Trace, ...]
    done: tuple[Done, ...]
    unread: tuple[str, ...]
    dead: tuple[int, ...]
    abstained: bool
    wrong: bool | None

    @property
    def flagged(self) -> tuple[Trace, ...]:
        """The claims without a source."""
        return tuple(each for each in self.traces if each.flagged)

    @property
    def undone(self) -> tuple[Done, ...]:
        """What it says was done without a call that would do it."""
        return tuple(each for each in self.done if each.call < 0)

    @property
    def numbers(self) -> tuple[Trace, ...]:
        """The claims that are numbers."""
        return tuple(each for each in self.traces if each.how not in NAMES)


NAMES = ("address", "telephone", "path", "quotation", "code", "name", "words", "day", "time")


def answer_of(trajectory: Trajectory) -> str:
    """Return the answer: the last message of the agent, with the submission where it stands elsewhere; no patch."""
    said = next((step.text for step in reversed(trajectory.turns) if step.text.strip()), "")
    committed = trajectory.submission.text if trajectory.submission is not None else ""
    if _PATCH.match(committed):
        committed = ""
    if committed and committed not in said:
        return (
            f"{committed}\n\n{said}"
            if trajectory.submission and trajectory.submission.step < 0
            else committed
        )
    return said


def texts_of(folder: Path, trajectory: Trajectory) -> list[tuple[int, str]]:
    """Return the text of each result by the number of its call, as the agent was given it."""
    log = CallLog(folder)
    records = list(log)
    changed = {each["record"]: each["altered"] for each in (trajectory.perturbation or {}).get("changes", ())}
    found = []
    for number, call in enumerate(trajectory.calls):
        if call.record < 0 or not call.result:
            found.append((number, call.told))
            continue
        record = records[call.record]
        if call.record in changed:
            wire = json.loads((folder / "blobs" / f"{changed[call.record]}.json").read_bytes())
        else:
            wire = log.result(record)
        found.append((number, text_of(wire)))
    return [(number, text) for number, text in found if text]


def text_of(wire: dict[str, Any]) -> str:
    """Return the text of a result, or its structured content where that is all."""
    text = "\n".join(
        str(part.get("text", "")) for part in wire.get("content", ()) if part.get("type") == "text"
    )
    structured = wire.get("structuredContent")
    return text if text or structured is None else json.dumps(structured, ensure_ascii=False)


def audit(
    answer: str,
    asked: str,
    calls: Sequence[ToolCall],
    results: Sequence[tuple[int, str]],
    *,
    abstained: bool | None = None,
    right: bool | None = None,
) -> Audit:
    """Audit an answer; pure.

    Parameters
    ----------
    asked
        The question, and what users and the system said later.
    abstained, right
        What the scorer says, where it says so.
    """
    prose = _FENCED.sub(lambda found: " " * len(found[0]) if len(found[0]) > 400 else found[0], answer)
    own = "\n".join(_own_words(answer, each) for each in calls if not each.is_error)
    traces = trace_answer(prose, Known(asked, results, own))
    done = done_claims(prose, calls, results)
    used = {each.call for trace in traces if not trace.flagged for each in trace.sources} | {
        each.call for each in done
    }
    quiet = bool(ABSTAINS.search(prose)) and not any(
        trace.status not in ("given",) for trace in traces if trace.how not in NAMES
    )
    gave_up = quiet if abstained is None else abstained
    return Audit(
        answer=answer,
        traces=tuple(traces),
        done=tuple(done),
        unread=tuple(unread_files(prose, calls, results, done)),
        dead=tuple(dead_calls(calls, results, used)),
        abstained=gave_up,
        wrong=None if right is None or not answer else not right and not gave_up,
    )


def _own_words(answer: str, call: ToolCall) -> str:
    """Return what an agent passed to a tool, but for the answer itself, where that was written by a call."""
    kept = {
        name: each
        for name, each in call.arguments.items()
        if not (isinstance(each, str) and answer.strip() and answer.strip() in each)
    }
    return json.dumps(kept, ensure_ascii=False)


def audit_record(record: Record, answer: str | None = None) -> Audit:
    """Audit a record of a folder, or another answer in the place of its own."""
    trajectory = record.trajectory()
    score = record.score
    asked = "\n".join(step.text for step in trajectory.steps if step.source != "agent")
    return audit(
        answer_of(trajectory) if answer is None else answer,
        asked,
        trajectory.calls,
        texts_of(record.folder, trajectory),
        abstained=score.facts.get("abstained") if score is not None else None,
        right=score.strict > 0 if score is not None else None,
    )


COLUMNS = (
    *("run", "answers", "numbers", "without source %", "95 % CI", "answers with one %", "95 % CI"),
    *("done without call %", "95 % CI", "wrong and sure %", "95 % CI", "abstained %", "95 % CI"),
    *("followed evidence %", "95 % CI", "unread files", "dead calls %"),
)
NOTE = (
    "Each number and name of an answer is looked for in the question and in the results that the agent was "
    "given: as it is, rounded, in another unit, or as sum, difference, ratio or mean of a few. Without source: "
    "numbers of which there is none, with a wrong unit, or of another quantity. Done without call: answers "
    "that say something was done that no call could have done. Wrong and sure: scored answers that are wrong "
    "and do not abstain. Followed evidence: of runs with a changed result. Dead calls: those on which neither "
    "the answer nor a later call rests. Intervals are Wilson's, 95 %; those of numbers take numbers as "
    "independent, which those of one answer are not."
)


def audit_table(folders: Sequence[Scored], audits: dict[Path, Audit]) -> Table:
    """Return a row for each run of some folders.

    Parameters
    ----------
    audits
        By the folder of the record.
    """
    rows = []
    runs = [(scored.suite.name, run) for scored in folders for run in runs_of(scored)]
    for suite, run in runs:
        records = (*run.records, *run.unscored)
        mine = [each for each in (audits[record.folder] for record in records) if each.answer]
        numbers = [trace for each in mine for trace in each.numbers]
        judged = [each for each in mine if each.wrong is not None]
        applied = [each.grounding for each in records if each.grounding not in ("", "not_applied")]
        calls = sum(record.calls for record in records)
        rows.append((
            run.name if len(folders) == 1 else f"{suite}: {run.name}",
            len(mine),
            len(numbers),
            *_share(sum(each.flagged for each in numbers), len(numbers)),
            *_share(sum(bool(each.flagged) for each in mine), len(mine)),
            *_share(sum(bool(each.undone) for each in mine), len(mine)),
            *_share(sum(bool(each.wrong) for each in judged), len(judged)),
            *_share(sum(each.abstained for each in mine), len(mine)),
            *_share(applied.count("followed"), len(applied)),
            sum(len(each.unread) for each in mine),
            percent(sum(len(audits[record.folder].dead) for record in records), calls) if calls else None,
        ))  # fmt: skip
    return Table("Audit of answers", COLUMNS, tuple(rows), NOTE)


def _share(count: int, of: int) -> tuple[float | None, str]:
    return percent(count, of), bounds(wilson(count, of) if of else None)


def as_rows(audits: Iterable[tuple[Record, Audit]]) -> list[dict[str, Any]]:
    """Return each audit as plain data, the text of the answer left out."""
    return [
        {
            "run": record.run,
            "task": record.task,
            "epoch": record.epoch,
            **{key: value for key, value in asdict(each).items() if key not in ("answer", "traces")},
            "claims": [
                {
                    "text": trace.text,
                    "start": trace.start,
                    "status": trace.status,
                    "how": trace.how,
                    "calls": sorted({source.call for source in trace.sources}),
                }
                for trace in each.traces
            ],
        }
        for record, each in audits
    ]
