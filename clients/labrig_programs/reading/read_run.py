"""One run of an agent as its log shows it: what every reader of logs returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labrig.calls import CallRecord
from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Cost, Step, Tokens, Trajectory

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
    committed
        The answer, where it lies in a file beside the log; None where the log itself shows what was committed.
    end, end_detail
        Why the run ended. ``answered`` says that the agent stopped by itself with a message, whatever its
        submission.
    cost
        The client's own estimate, where it makes one.
    agent
        The agent's name, where the format holds logs of several; empty where the format names it.
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
    committed: str | None = None
    end: EndReason = "answered"
    end_detail: str = ""
    model: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    cost: Cost | None = None
    agent: str = ""
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
