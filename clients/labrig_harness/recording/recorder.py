"""Making tool calls so that each is recorded as `labrig.call/1`, from agents and programs alike.

A call is written down before its result is handed on. Where there is a store, the recorder also decides who
answers (see `labrig_harness.recording.call_store`), and where a change is declared it makes it on the way to the agent:
the record holds what the server said.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from labrig import __version__
from labrig.answer import META_KEY
from labrig.calls import CallLog, CallRecord, tools_hash
from labrig.errors import LabrigError
from labrig_harness.recording.call_store import (
    LIVE,
    MODES,
    RECORD,
    REFRESH,
    REPLAY,
    CallStore,
    Place,
    Session,
    Setting,
    refusal,
)
from labrig_harness.recording.cutting import cut, text_bytes
from labrig_harness.tool_names import names_of

if TYPE_CHECKING:
    from labrig_harness.grounding.perturb import Perturber

Forward = Callable[[], Awaitable[dict[str, Any]]]
"""Sends a call to the server and returns its result in wire form."""


class CallFailed(Exception):
    """A call brought no result.

    Parameters
    ----------
    died
        Whether the server is gone, and not only this call without a result.
    code
        ``protocol`` (the server answered with a JSON-RPC error), ``timeout``, ``cancelled`` (by the agent, or
        because the run ended), ``died``.
    rpc
        The server's JSON-RPC error object, where there is one.
    """

    def __init__(self, what: str, *, died: bool, code: str = "", rpc: dict[str, Any] | None = None) -> None:
        super().__init__(what)
        self.died = died
        self.code = code or ("died" if died else "protocol")
        self.rpc = rpc

    def to_dict(self) -> dict[str, Any]:
        """Return what the call's record says of it."""
        return {"code": self.code, "what": str(self)} | ({"rpc": self.rpc} if self.rpc else {})


class NotRecorded(Exception):
    """A call could not be written down (a full disk): its result must not be handed on."""


@dataclass
class Course:
    """What goes on in one session, whatever servers it has: the recorders of its servers share it."""

    log: CallLog
    state: Session
    versions: dict[str, str] = field(default_factory=lambda: {"labrig": __version__})
    records: list[CallRecord] = field(default_factory=list)
    servers: dict[str, list[str]] = field(default_factory=dict)
    perturbation: dict[str, Any] | None = None
    failure: str = ""
    over_budget: bool = False
    unseen: int = 0
    notes: list[str] = field(default_factory=list)
    delivered_bytes: dict[int, int] = field(default_factory=dict)

    def name(self, record: CallRecord) -> str:
        """Return the name that a call's tool has in the arm."""
        named = names_of(self.servers)
        own = (record.server, record.tool)
        return next((name for name, tool in named.items() if tool == own), record.tool)


class Recorder:
    """Writes the calls of one server, in one session (one item), to the session's log.

    Parameters
    ----------
    mode
        ``live`` (the server answers), ``record`` (it answers, and the store keeps what it does not hold), ``replay``
        (the store answers, no server is started), ``refresh`` (the server answers, and the store takes it over).
    store, setting
        Needed by all modes but ``live``.
    perturber
        Changes one result on its way to the agent.
    result_chars
        Characters of a result's text that the agent is given; None for all, and structured content with it.
    start
        Hash of the state in which the session begins, where it has several servers; by default the setting's.

    Attributes
    ----------
    course
        What the session's recorders share; what it holds can be read here, too.
    tools
        The server's tools/list in wire form, once it is known.
    """

    def __init__(
        self,
        log: CallLog,
        server: str,
        *,
        mode: str = LIVE,
        store: CallStore | None = None,
        setting: Setting | None = None,
        perturber: Perturber | None = None,
        result_chars: int | None = None,
        start: str = "",
        course: Course | None = None,
    ) -> None:
        if mode not in MODES:
            raise LabrigError(f"There is no mode {mode!r}", expected="live, record, replay or refresh")
        if mode != LIVE and store is None:
            raise LabrigError(f"The mode {mode} needs a store", where="--store", expected="a folder")
        self.mode = mode
        self.setting = setting or Setting(server)
        self.tools: list[dict[str, Any]] = []
        self.course = course or Course(log, Session(start or self.setting.start))
        self.course.servers.setdefault(server, [])
        if perturber is not None:
            self.course.perturbation = perturber.declared
        self._server = server
        self._tools_hash = ""
        self._store = store
        self._perturber = perturber
        self._result_chars = result_chars
        if mode == REPLAY and store is not None:
            about = store.about(self.setting)
            self.instructions = str(about.get("instructions", ""))
            self.learn(about["tools"], str(about.get("version", "")))

    instructions = ""

    def beside(self, server: str, setting: Setting) -> Recorder:
        """Return the recorder of another server in the same session."""
        return Recorder(
            self.course.log,
            server,
            mode=self.mode,
            store=self._store,
            setting=setting,
            perturber=self._perturber,
            result_chars=self._result_chars,
            course=self.course,
        )

    @property
    def records(self) -> list[CallRecord]:
        """The records written so far, in the order of the log."""
        return self.course.records

    @property
    def versions(self) -> dict[str, str]:
        """Of Labrig and of the servers."""
        return self.course.versions

    @property
    def notes(self) -> list[str]:
        """What was dropped or odd on the line: garbage, answers to nothing."""
        return self.course.notes

    @property
    def perturbation(self) -> dict[str, Any] | None:
        """What was changed in a result on its way to the agent; None for a run without a declared change."""
        return self.course.perturbation

    @property
    def unseen(self) -> int:
        """Calls that replay refused because the store does not hold them."""
        return self.course.unseen

    @property
    def failure(self) -> str:
        """Why this run cannot be judged, for a reason outside the agent; empty while all is well."""
        return self.course.failure

    @failure.setter
    def failure(self, why: str) -> None:
        self.course.failure = why

    @property
    def over_budget(self) -> bool:
        """Whether a call was refused because the budget of calls was used up."""
        return self.course.over_budget

    @property
    def replays(self) -> bool:
        """Whether the store answers and no server may be started."""
        return self.mode == REPLAY

    def learn(self, tools: list[dict[str, Any]], version: str = "", instructions: str = "") -> None:
        """Take note of the server's tools/list (wire form) and version, which every record carries."""
        self.tools = tools
        self.course.servers[self._server] = [str(each.get("name")) for each in tools]
        self.instructions = instructions or self.instructions
        self._tools_hash = tools_hash(tools)
        if version:
            self.versions[self._server] = version
        if self._store is not None and not self.replays:
            about = {
                "version": self.versions.get(self._server, ""),
                "instructions": self.instructions,
                "tools": tools,
            }
            self.note(self._store.keep_about(self.setting, about, replace=self.mode == REFRESH))

    def introduce(self, version: str, instructions: str = "") -> None:
        """Take note of what a server says of itself before it lists its tools."""
        self.versions[self._server] = version or self.versions.get(self._server, "")
        self.instructions = instructions or self.instructions

    def note(self, what: str) -> None:
        """Keep a note; the first hundred say enough."""
        if what and len(self.notes) < 100:
            self.notes.append(what)

    async def call(
        self, tool: str, arguments: dict[str, Any], forward: Forward
    ) -> tuple[CallRecord, dict[str, Any]]:
        """Make a call and write it down before its result is handed on.

        Returns
        -------
        tuple
            The record, and the result in wire form as the agent is to get it.

        Raises
        ------
        CallFailed
            When there is no result; the call is recorded without one.
        NotRecorded
            When the call could not be written down.
        """
        # The place in the session is taken before the first await: calls count in the order they are made.
        place = self.course.state.place(self._server, tool, arguments, changes=self._is_changing(tool))
        started, clock = datetime.now(UTC), time.monotonic()
        source: dict[str, Any] = {"source": "store"} if self.replays else {"source": "server"}
        try:
            if self.replays and self._store is not None:
                wire = self._read_store(self._store, place, tool, arguments, source)
            else:
                wire = await forward()
        except CallFailed as failure:
            self._write_record(tool, arguments, None, failure.to_dict(), started, clock, source)
            if failure.died:
                self.failure = self.failure or str(failure)
            elif failure.code == "protocol":
                self._keep_call(place, self.records[-1], None)
            raise
        except BaseException:  # the run was ended under the call: it was made all the same
            ended = {"code": "cancelled", "what": "The run ended before the call did"}
            self._write_record(tool, arguments, None, ended, started, clock, source)
            raise
        error = ((wire.get("_meta") or {}).get(META_KEY) or {}).get("error")
        record = self._write_record(tool, arguments, wire, error, started, clock, source)
        self._keep_call(place, record, wire)
        return record, self._deliver_result(record, wire)

    def number(self, record: CallRecord) -> int:
        """Return the index of a record in the log."""
        return next(n for n in reversed(range(len(self.records))) if self.records[n] is record)

    # --------------------------------------------------------------------------------------------- parts of a call

    def _is_changing(self, tool: str) -> bool:
        """Return whether a tool may change what later calls return: all that do not say they are read-only."""
        known = next((each for each in self.tools if each.get("name") == tool), {})
        return (known.get("annotations") or {}).get("readOnlyHint") is not True

    def _read_store(
        self, store: CallStore, place: Place, tool: str, arguments: dict[str, Any], source: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the stored result of a call, or a refusal that is counted."""
        stored = store.answer(place)
        if stored is None:
            self.course.unseen += 1
            source["unseen"] = True
            return refusal(store.unseen(place, tool, arguments))
        if not stored.result:
            error = stored.error or {}
            raise CallFailed(str(error.get("what", "")), died=False, rpc=error.get("rpc"))
        try:
            return store.result(stored)
        except LabrigError as damaged:
            raise CallFailed(str(damaged), died=True) from damaged

    def _write_record(
        self,
        tool: str,
        arguments: dict[str, Any],
        wire: dict[str, Any] | None,
        error: dict[str, Any] | None,
        started: datetime,
        clock: float,
        source: dict[str, Any],
    ) -> CallRecord:
        try:
            record = self.course.log.append(
                server=self._server,
                tool=tool,
                arguments=arguments,
                result=wire,
                error=error,
                tools_hash=self._tools_hash,
                versions=self.versions,
                meta={
                    "started": started.isoformat(timespec="milliseconds"),
                    "round_trip_s": round(time.monotonic() - clock, 4),
                    **source,
                },
            )
        except OSError as failed:
            raise self._report_broken("The call could not be recorded", failed) from failed
        self.records.append(record)
        return record

    def _keep_call(self, place: Place, record: CallRecord, wire: dict[str, Any] | None) -> None:
        """Put a call into the store, in the modes that do."""
        if self._store is None or self.mode not in (RECORD, REFRESH):
            return
        try:
            self.note(self._store.keep(place, record, wire, replace=self.mode == REFRESH))
        except OSError as failed:
            raise self._report_broken("The call could not be stored", failed) from failed

    def _report_broken(self, what: str, failed: OSError) -> NotRecorded:
        self.failure = self.failure or f"{what}: {failed.strerror or failed}"
        return NotRecorded(self.failure)

    @property
    def rewrites(self) -> bool:
        """Whether tools/list and results differ for the agent from what the server says."""
        return self._result_chars is not None

    def offer(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return tools as the agent is given them: without schemas of results that it will not get."""
        if not self.rewrites:
            return tools
        return [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]

    def _deliver_result(self, record: CallRecord, wire: dict[str, Any]) -> dict[str, Any]:
        """Return a result as the agent gets it: changed, where that was declared, and cut, where the arm says so."""
        delivered = wire
        if self._perturber is not None:
            try:
                delivered, self.course.perturbation = self._perturber.deliver(
                    self.course.log, record, self.number(record), wire, self.course.name(record)
                )
            except OSError as failed:
                raise self._report_broken("The change could not be recorded", failed) from failed
        if self._result_chars is not None:
            delivered = cut(delivered, self._result_chars)
            self.course.delivered_bytes[self.number(record)] = text_bytes(delivered)
        return delivered
