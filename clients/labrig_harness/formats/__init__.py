"""Logs of agents, read into steps; one module per format.

============ ======================================================================================
claude-code  Claude Code: ``--output-format stream-json``, and session files (``projects/*/<id>.jsonl``)
codex        Codex: ``exec --json``, and rollouts (``sessions/Y/M/D/rollout-*.jsonl``)
gemini       Gemini CLI: ``--output-format stream-json``
atif         Agent Trajectory Interchange Format, versions 1.0 to 1.8
inspect      Inspect's EvalLog, ``.json`` or ``.eval``
results      a table of results, JSONL or CSV
============ ======================================================================================

A reader takes lines (or a document) and returns what happened; it opens no file and asks nobody. What it cannot
read it skips and says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from labrig.calls import CallRecord
from labrig.errors import unknown_name
from labrig_harness.trajectory import Cost, EndReason, Step, Tokens, Trajectory

LINE_FORMATS = ("claude-code", "codex", "gemini")
"""Logs of agent programs, one JSON object a line."""

FORMATS = (*LINE_FORMATS, "atif", "inspect", "results")

Line = bytes | str
Wire = dict[str, Any]


@dataclass(frozen=True)
class ReadRun:
    """One run of an agent, as its log shows it.

    Attributes
    ----------
    source
        The format.
    steps
        Calls name tools without the client's prefix; ``call.meta["server"]`` is the server's name as the client
        knows it, empty for a tool of the client's own. Every call has an id that no other call of the run has.
        ``record`` is -1 throughout.
    results
        By call id, the result in wire form (``content``, ``structuredContent``, ``isError``). A call that is not
        there never reached a tool: `ToolCall.told` says what the agent was told instead, or nothing where the log
        ends before an answer.
    text
        The last message of the agent, or empty.
    end, end_detail
        Why the run ended. ``answered`` says that the agent stopped by itself with a message, whatever its
        submission.
    cost
        The client's own estimate, where it makes one.
    item, epoch
        Which item of a benchmark this is, where the log says so.
    record, calls, blobs
        The whole trajectory, its call records and its results by hash, where the log is one of ours.
    meta
        ``session``, ``started``, ``duration_s``, ``servers`` (name -> status), ``warnings``: where the log has them.
    skipped
        What could not be read: one line for each kind, with its count and the first line number.
    """

    source: str
    steps: tuple[Step, ...]
    results: dict[str, Wire] = field(default_factory=dict)
    text: str = ""
    end: EndReason = "answered"
    end_detail: str = ""
    model: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    cost: Cost | None = None
    item: str = ""
    epoch: int | None = None
    record: Trajectory | None = None
    calls: tuple[CallRecord, ...] = ()
    blobs: dict[str, Wire] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    @property
    def tokens(self) -> Tokens:
        """The tokens of all turns; measured when those of every turn are."""
        turns = [step for step in self.steps if step.source == "agent"]
        return sum((step.tokens for step in turns), Tokens(measured=bool(turns)))


def read(format: str, lines: Iterable[Line] | BinaryIO) -> list[ReadRun]:
    """Read the log of an agent program: ``claude-code``, ``codex`` or ``gemini``.

    Parameters
    ----------
    lines
        Lines as bytes or text, or a file opened in binary mode (which is then read with bounded memory).

    Returns
    -------
    list of ReadRun
        One for each session of the log, in order; none when it holds no line of this format.

    Raises
    ------
    LabrigError
        For an unknown format. A log is never an error: what cannot be read is in `ReadRun.skipped`.
    """
    from labrig_harness.formats import claude_code, codex, gemini

    readers = {"claude-code": claude_code.read, "codex": codex.read, "gemini": gemini.read}
    if format not in readers:
        raise unknown_name("format of log lines", format, readers)
    return readers[format](lines)
