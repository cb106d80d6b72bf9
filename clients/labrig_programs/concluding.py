"""From the end of a program and what its log says to the end of the run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from labrig.isolation import process
from labrig.redaction import redact
from labrig_harness.endings import (
    BY_REASON,
    AgentFailed,
    ModelError,
    RateLimited,
)

if TYPE_CHECKING:
    from labrig_programs.reading.read_run import ReadRun


STDERR_BYTES = 16 << 20


RATE = re.compile(
    r"\b(429|529)\b|rate.?limit|overloaded|resource.?exhausted|quota|too many requests", re.IGNORECASE
)


def conclude(kind: str, read: ReadRun | None, outcome: process.Outcome) -> None:
    """Raise what ended a run, if it was not the agent's own decision; the log knows better than the exit code."""
    end, detail = (read.end, read.end_detail) if read is not None else ("answered", "")
    detail = redact(detail)[:500]
    if end == "model_error":
        raise RateLimited(detail) if RATE.search(detail) else ModelError(detail)
    if end in BY_REASON:
        raise BY_REASON[end](detail)
    if outcome.kind != "ok":
        raise AgentFailed(how(kind, outcome))


def how(kind: str, outcome: process.Outcome) -> str:
    """Say how a program ended that did not end well, in one line."""
    told = outcome.stderr.decode(errors="replace").strip().splitlines()
    last = f": {redact(told[-1])[:300]}" if told else ""
    if outcome.kind == "exit":
        return f"{kind} ended with exit code {outcome.returncode}{last}"
    if outcome.kind == "signal":
        return f"{kind} was killed by {outcome.signal}{last}"
    if outcome.kind == "output_limit":
        return f"{kind} wrote more than {STDERR_BYTES >> 20} MB of errors"
    return f"{kind}: {outcome.kind} {outcome.reason}{last}"
