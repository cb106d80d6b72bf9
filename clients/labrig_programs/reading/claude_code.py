"""Claude Code: its stream (``--output-format stream-json``) and its session files, which hold the same messages.

A message comes as one event for each of its blocks, with the same id and the same, still growing, usage: blocks of
an id are one turn, and the last usage of an id counts. Two things need care:

- A tool may be run while its message is still being streamed, so a result may stand between two blocks of one
  message. A session file names the request that a block came with, or says which block follows which (``parentUuid``;
  since some versions a block follows a result of its own message). In a stream, a tool_use after a result of
  the same id belongs to the same turn unless the final usage shows that ids are not unique (scripted services).
- ``result.usage`` is the main loop alone. ``modelUsage`` holds everything, also the calls that no event shows
  (titles, compaction, subagents). What it has above the sum of the turns is added to the last turn, and
  ``tokens_beside`` in that turn's meta says how much that is. So the run's sum is right, and no token counts twice.

A subagent's turns carry ``subagent_of`` (the id of the call that started it) in their meta.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Cost, Tokens
from labrig_programs.reading.building import (
    UNFINISHED,
    Json,
    OpenCall,
    OpenRun,
    OpenTurn,
    arguments_of,
    as_text,
    count,
    parts,
    rows,
    seen_text,
    stopped,
    table,
    text_bytes,
    text_of,
    word,
)
from labrig_programs.reading.lines import Line, Skipped
from labrig_programs.reading.owner import events_of
from labrig_programs.reading.read_run import ReadRun, Wire

NAME = "claude-code"
FILE = "session file"

IGNORED = frozenset(
    """
    rate_limit_event tool_progress tool_use_summary auth_status keep_alive control_request
    control_response control_cancel_request prompt_suggestion files_persisted streamlined_text
    streamlined_tool_use_summary summary queue-operation file-history-snapshot last-prompt ai-title
    custom-title agent-name agent-color attachment progress mode permission-mode pr-link tag task-summary
    attribution-snapshot content-replacement worktree-state marble-origami-commit marble-origami-snapshot
    speculation-accept
    """.split()  # noqa: SIM905
)
"""Events that hold nothing a record needs."""

ENDS: dict[str, EndReason] = {
    "error_max_turns": "step_limit",
    "error_max_budget_usd": "cost_limit",
    "error_during_execution": "agent_error",
    "error_max_structured_output_retries": "no_answer",
}
SYNTHETIC = "<synthetic>"
"""The model of messages that the program wrote itself: what went wrong, no turn of a model."""


def read(lines: Iterable[Line] | BinaryIO) -> list[ReadRun]:
    """Read a stream or a session file; a stream of several sessions gives a run for each."""
    skipped = Skipped()
    sessions: dict[str, _Session] = {}
    key = ""
    for number, event in events_of(NAME, lines, skipped):
        key = FILE if "sessionId" in event else word(event.get("session_id")) or key
        session = sessions.setdefault(key, _Session(OpenRun(NAME, skipped), in_file=key == FILE))
        if not session.take(event):
            skipped.add(f"events of the unknown type {as_text(event.get('type'))[:40]!r}", number)
    return [session.finish() for session in sessions.values() if session.turns or session.result]


@dataclass
class _Turn(OpenTurn):
    """A turn with what is needed to tell where it ends."""

    message: str = ""
    request: str = ""
    lane: str = ""  # the call that started the subagent, empty for the main loop
    result_since: bool = False  # a result came after its last block
    guess: bool = False  # may continue an earlier turn of the same message id


@dataclass
class _Session:
    run: OpenRun
    in_file: bool = False
    init: Json = field(default_factory=dict)
    result: Json = field(default_factory=dict)
    failure: Json = field(default_factory=dict)
    refused: bool = False
    interrupted: bool = False
    turns: list[_Turn] = field(default_factory=list)
    open: dict[str, _Turn] = field(default_factory=dict)  # the last turn of each lane
    heard: set[str] = field(default_factory=set)  # uuids: a resumed session repeats what went before
    result_uuids: set[str] = field(default_factory=set)
    streaming: str = ""  # the id of the message that partial events are about
    streamed: dict[str, Json] = field(default_factory=dict)  # their last usage by message id

    def take(self, event: Json) -> bool:
        """Take an event; False when its type is not known."""
        kind, uuid = word(event.get("type")), word(event.get("uuid"))
        if kind in ("assistant", "user"):
            if uuid and uuid in self.heard:
                return True
            self.heard.add(uuid)
        if session := word(event.get("sessionId")):
            self.run.meta.setdefault("session", session)
        if version := word(event.get("version")) or word(event.get("claude_code_version")):
            self.run.versions[NAME] = version
        if kind == "assistant":
            self._take_assistant(event)
        elif kind == "user":
            self._take_user(event)
        elif kind == "system":
            self._take_system(event)
        elif kind == "result":
            self.result = event
        elif kind == "stream_event":
            self._take_streamed(table(event.get("event")))
        else:
            return kind in IGNORED
        return True

    # ------------------------------------------------------------------------------------------- events

    def _take_system(self, event: Json) -> None:
        kind = event.get("subtype")
        if kind == "init":
            self.init = event
            self.run.model = word(event.get("model"))
            self.run.meta["session"] = word(event.get("session_id"))
            servers = {word(s.get("name")): word(s.get("status")) for s in rows(event.get("mcp_servers"))}
            if servers:
                self.run.meta["servers"] = servers
        elif kind == "model_refusal_no_fallback":
            self.refused = True
        elif kind in ("api_error", "api_retry"):
            self.run.warn(f"{kind}: {as_text(event.get('error') or event.get('error_status') or '')}")
        elif kind == "compact_boundary":
            self.run.warn("the conversation was compacted")

    def _take_streamed(self, event: Json) -> None:
        """Partial messages say the final usage, which the events of whole blocks do not."""
        if event.get("type") == "message_start":
            message = table(event.get("message"))
            self.streaming = word(message.get("id"))
        elif event.get("type") == "message_delta" and isinstance(event.get("usage"), dict):
            self.streamed[self.streaming] = event["usage"]

    def _take_assistant(self, event: Json) -> None:
        message = table(event.get("message"))
        if word(message.get("model")) == SYNTHETIC:
            self._take_failure(event, message)
            return
        turn = self._find_turn(event, message)
        turn.model = word(message.get("model")) or turn.model
        self.run.model = self.run.model or turn.model
        if isinstance(message.get("usage"), dict):
            turn.tokens = _read_tokens(message["usage"])
        if message.get("stop_reason") == "max_tokens":
            turn.faults.append("cut_off")
        if message.get("stop_reason") == "refusal":
            self.refused = True
        content = message.get("content")
        if isinstance(content, str):
            turn.text.append(content)
        named = {word(each.get("id")): each for each in rows(event.get("tool_use_meta"))}
        for block in rows(content):
            kind = block.get("type")
            if kind == "text":
                turn.text.append(word(block.get("text")))
            elif kind == "thinking":
                turn.reasoning.append(word(block.get("thinking")))
            elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
                self.run.add_call(turn, self._open_call(block, named))

    def _begin_turn(self, event: Json, turn: _Turn) -> _Turn:
        if timestamp := word(event.get("timestamp")):
            turn.meta["time"] = timestamp
        if turn.lane:
            turn.meta["subagent_of"] = turn.lane
        self.turns.append(turn)
        return turn

    def _find_turn(self, event: Json, message: Json) -> _Turn:
        """Return the turn that a block belongs to, begun if need be."""
        id, lane, request = word(message.get("id")), _find_lane(event), word(event.get("requestId"))
        last, guess = self.open.get(lane), False
        if last is not None and id and last.message == id:
            if not last.result_since or (request and request == last.request):
                return last
            if isinstance(event.get("parentUuid"), str):
                if event["parentUuid"] not in self.result_uuids:
                    return last
            else:
                guess = all(each.get("type") == "tool_use" for each in rows(message.get("content")))
        turn = self._begin_turn(event, _Turn(message=id, request=request, lane=lane, guess=guess))
        self.open[lane] = turn
        return turn

    def _open_call(self, block: Json, named: dict[str, Json]) -> OpenCall:
        id = word(block.get("id"))
        server, tool = self._split_tool(word(block.get("name")), named.get(id, {}))
        arguments, raw = arguments_of(block.get("input"))
        unparsed = arguments.get("__unparsedToolInput")
        if isinstance(unparsed, dict):
            arguments, raw = {}, word(unparsed.get("raw"))
        return OpenCall(tool, arguments, id, server, raw, "not_json" if raw or unparsed else "")

    def _split_tool(self, name: str, named: Json) -> tuple[str, str]:
        """Return server and tool: names are ``mcp__<server>__<tool>``, and either may hold ``__`` itself."""
        if not name.startswith("mcp__"):
            return "", name
        rest = name.removeprefix("mcp__")
        servers = [*self.run.meta.get("servers", {}), word(named.get("server_display_name"))]
        for server in sorted(filter(None, servers), key=len, reverse=True):
            plain = re.sub(r"[^A-Za-z0-9_-]", "_", server)
            if rest.startswith(plain + "__"):
                return server, rest.removeprefix(plain + "__")
        server, _, tool = rest.partition("__")
        return server, tool or server

    def _take_failure(self, event: Json, message: Json) -> None:
        """The program's own message in place of a model's."""
        self.failure = {"kind": word(event.get("error")), "text": seen_text(message.get("content"))}
        if message.get("stop_reason") == "refusal":
            self.refused = True
        if self.failure["kind"] == "max_output_tokens" and self.turns:
            self.turns[-1].faults.append("cut_off")

    def _take_user(self, event: Json) -> None:
        content = table(event.get("message")).get("content")
        results = [block for block in rows(content) if block.get("type") == "tool_result"]
        for block in results:
            self._take_result(event, block, alone=len(results) == 1)
        if results:
            self.result_uuids.add(word(event.get("uuid")))
        others = content if not results else [b for b in rows(content) if b.get("type") != "tool_result"]
        text = seen_text(others)
        if text.startswith("[Request interrupted by user"):
            self.interrupted = True
        if text:
            turn = self._begin_turn(event, _Turn("user", [text], lane=_find_lane(event)))
            if event.get("isMeta") is True or event.get("isSynthetic") is True:
                turn.meta["by"] = "the program"
            if not results:
                self.open.pop(turn.lane, None)

    def _take_result(self, event: Json, block: Json, alone: bool) -> None:
        id = word(block.get("tool_use_id"))
        call = self.run.answered_call(id)
        if call is None:
            return
        for turn in self.open.values():
            if any(each is call for each in turn.calls):
                turn.result_since = True
        given = parts(block.get("content"))
        call.delivered_bytes = text_bytes(given)
        if timestamp := word(event.get("timestamp")):
            call.meta["answered"] = timestamp
        full = event.get("tool_use_result", event.get("toolUseResult")) if alone else None
        is_error, text = block.get("is_error") is True, text_of(given)
        if is_error and text.startswith("<tool_use_error>"):
            told = text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
            if "No such tool available" in told:
                call.refuse(told, "unknown_tool")
            elif told.startswith("InputValidationError"):
                call.refuse(told, "not_json" if "parsed as JSON" in told else "bad_arguments")
            else:
                call.refuse(told)
            return
        decisions = {
            word(e.get("id")): table(e.get("permission_decision"))
            for e in rows(event.get("tool_result_meta"))
        }
        if decisions.get(id, {}).get("decision") in ("reject", "deny"):
            call.refuse(text)
            return
        wire: Wire = {"content": given, "isError": is_error}
        if call.server and not is_error:
            content, structured = _read_full(full, text)
            structured = structured or table(table(event.get("mcpMeta")).get("structuredContent"))
            wire["content"] = content or given
            if structured:
                wire["structuredContent"] = structured
            about = table(table(table(full).get("_meta")).get("io.modelcontextprotocol/serverInfo"))
            if version := word(about.get("version")):
                self.run.versions[call.server] = version
        call.answer(wire)

    # ------------------------------------------------------------------------------------------- the end

    def finish(self) -> ReadRun:
        """Settle turns and tokens, and say why the run ended."""
        run, result = self.run, self.result
        for denial in rows(result.get("permission_denials")):
            call = next(iter(run.calls.get(word(denial.get("tool_use_id")), [])), None)
            if call is not None and not call.told:
                call.refuse(text_of(call.result["content"]) if call.result else "permission denied")
        self._settle_turns()
        run.turns = [*self.turns]
        self._settle_tokens()
        if isinstance(result.get("total_cost_usd"), int | float):
            program = f"{NAME} {run.versions.get(NAME, '')}".strip()
            run.cost = Cost(float(result["total_cost_usd"]), "USD", f"{program} (its own estimate)")
        if duration := count(result.get("duration_ms")):
            run.meta["duration_s"] = duration / 1000
        started = next((turn.meta["time"] for turn in run.turns if "time" in turn.meta), "")
        if started:
            run.meta["started"] = started
        end, detail, text = self._find_end()
        return run.finish(end=end, detail=detail, text=text)

    def _list_main_turns(self) -> list[_Turn]:
        """Return the turns of the main loop; a subagent's own file has nothing else."""
        turns = [turn for turn in self.turns if turn.source == "agent"]
        return [turn for turn in turns if not turn.lane] or turns

    def _settle_turns(self) -> None:
        """Join guessed turns to the one they continue, unless the final usage shows that ids are not unique."""
        whole = _read_tokens(table(self.result.get("usage"))).input
        if whole <= sum(turn.tokens.input for turn in self._list_main_turns() if not turn.guess):
            earlier: dict[str, _Turn] = {}
            joined: list[_Turn] = []
            for turn in self.turns:
                if turn.guess and turn.message in earlier:
                    earlier[turn.message].calls += turn.calls
                    earlier[turn.message].tokens = turn.tokens
                    joined.append(turn)
                elif turn.message:
                    earlier[turn.message] = turn
            self.turns = [turn for turn in self.turns if not any(turn is each for each in joined)]
        for turn in self.turns:
            if usage := self.streamed.get(turn.message) if turn.message else None:
                last, first = _read_tokens(usage), turn.tokens
                counts = (last if last.input else first), last
                turn.tokens = Tokens(
                    *(counts[0].input_uncached, counts[0].cache_read, counts[0].cache_write),
                    *(counts[1].output, counts[1].reasoning, True),
                )

    def _settle_tokens(self) -> None:
        """Add to the last turn what the program counted and no turn shows."""
        models = [table(each) for each in table(self.result.get("modelUsage")).values()]
        last = self.run.last_turn()
        if not models or last is None:
            return
        whole = sum((_read_model_tokens(each) for each in models), Tokens(measured=True))
        turns = [turn for turn in self.run.turns if turn.source == "agent"]
        shown = sum((turn.tokens for turn in turns), Tokens(measured=True))
        names = ("input_uncached", "cache_read", "cache_write", "output", "reasoning")
        beside = {name: max(0, getattr(whole, name) - getattr(shown, name)) for name in names}
        beside["reasoning"] = min(beside["reasoning"], beside["output"])
        if any(getattr(shown, name) > getattr(whole, name) for name in names[:4]):
            self.run.warn("its turns show more tokens than the program's own sum (modelUsage)")
        if any(beside.values()):
            last.tokens = last.tokens + Tokens(**beside, measured=True)
            last.meta["tokens_beside"] = {name: value for name, value in beside.items() if value}

    def _find_end(self) -> tuple[EndReason, str, str]:
        result, main = self.result, self._list_main_turns()
        last = main[-1] if main else None
        said = "\n".join(last.text) if last is not None and not last.calls else ""
        subtype = word(result.get("subtype"))
        errors = result.get("errors")
        why = "; ".join(map(as_text, errors)) if isinstance(errors, list) else ""
        why = why or word(result.get("result")) or word(self.failure.get("text"))
        if self.failure or result.get("api_error_status"):
            self.run.meta["api_error"] = {
                "kind": self.failure.get("kind", ""),
                "status": result.get("api_error_status"),
            }
        if self.refused:
            return "refused", why or said, ""
        if subtype in ENDS:
            return ENDS[subtype], why or subtype, said
        if self.failure.get("kind") == "max_output_tokens":
            return (*stopped(self.run, said), said)
        failed = result.get("is_error") is True or (not result and bool(self.failure) and not said)
        if failed:
            return "model_error", why, ""
        if subtype and subtype != "success":
            return "agent_error", f"{subtype}: {why}", said
        if result:
            text = word(result.get("result")) or said
            return (*stopped(self.run, text), text)
        if self.interrupted:
            return "agent_error", "interrupted by the user", said
        if self.in_file and last is not None and not last.waits and said:
            return (*stopped(self.run, said), said)
        return "agent_error", UNFINISHED, said


def _find_lane(event: Json) -> str:
    if event.get("isSidechain") is True:
        return word(event.get("agentId")) or "subagent"
    return word(event.get("parent_tool_use_id"))


def _read_tokens(usage: Json) -> Tokens:
    """Anthropic's counts are disjoint already; thinking is part of the output."""
    output = count(usage.get("output_tokens"))
    details = table(usage.get("output_tokens_details"))
    return Tokens(
        input_uncached=count(usage.get("input_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write=count(usage.get("cache_creation_input_tokens")),
        output=output,
        reasoning=min(output, count(details.get("thinking_tokens"))),
        measured=True,
    )


def _read_model_tokens(usage: Json) -> Tokens:
    output = count(usage.get("outputTokens"))
    return Tokens(
        input_uncached=count(usage.get("inputTokens")),
        cache_read=count(usage.get("cacheReadInputTokens")),
        cache_write=count(usage.get("cacheCreationInputTokens")),
        output=output,
        reasoning=min(output, count(usage.get("thinkingTokens"))),
        measured=True,
    )


def _read_full(full: Any, given: str) -> tuple[list[Json], Json]:
    """Return content and structuredContent of a tool's whole result, where the log keeps it beside what was given."""
    if isinstance(full, list):
        return parts(full), {}
    if isinstance(full, dict):
        content = full.get("content")
        whole = parts(content) if isinstance(content, str | list) else []
        return whole, table(full.get("structuredContent"))
    if isinstance(full, str) and given.startswith("<persisted-output>"):
        return parts(full), {}
    return [], {}
