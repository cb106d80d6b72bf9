"""Whether a record agrees with itself: the trajectory with the call log, the log with its blobs.

This finds damage and careless edits. It does not prove that nobody wrote the whole record by hand: who
wants that keeps the records where the agent cannot write.
"""

from __future__ import annotations

from pathlib import Path

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig_harness.tool_names import is_name_of
from labrig_harness.trajectory import Trajectory


def contradiction(folder: Path, trajectory: Trajectory) -> str:
    """Return what contradicts what in a record, or an empty text."""
    log = CallLog(folder)
    try:
        records = list(log)
        blobs = {record.result: log.result(record) for record in records if record.result}
    except LabrigError as error:
        return f"its call log is damaged: {error}"
    used = []
    for call in trajectory.calls:
        if call.record < 0:
            if call.result:
                return f"a call of {call.tool} has a result without a record"
            continue
        if call.record >= len(records):
            return f"the record of a call of {call.tool} is missing from calls.jsonl"
        record = records[call.record]
        said = (call.arguments, call.is_error, call.result)
        named = is_name_of(call.tool, record.server, record.tool)
        if not named or said != (record.arguments, record.is_error, record.result):
            return f"calls.jsonl:{call.record + 1} does not agree with the trajectory"
        if record.result and bool(blobs[record.result]["isError"]) != record.is_error:
            return f"calls.jsonl:{call.record + 1} does not agree with its result"
        used.append(call.record)
    if sorted(used) != list(range(len(records))):
        return "calls.jsonl and the trajectory do not hold the same calls"
    submission = trajectory.submission
    if submission is not None and submission.step >= 0:
        committing = [step for step in trajectory.steps if step.index == submission.step]
        written = [str(call.arguments.get("content", "")) for step in committing for call in step.calls]
        spoken = [step.text for step in committing]
        if not (
            any(text.startswith(submission.text) for text in written)
            or any(submission.text in text for text in spoken)
        ):
            return "the submission is not what its commit step wrote or said"
    return ""
