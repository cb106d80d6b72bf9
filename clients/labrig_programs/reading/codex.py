"""Codex: what ``codex exec --json`` prints, and rollout files, which hold what its model was sent and said.

``exec --json`` does not show where one reply of the model ends and the next begins. A new turn is begun by a message
or reasoning after calls, and by a call once all calls before it are answered. It counts tokens for the whole thread
so far (``turn.completed``), not for each reply: the difference to the turn before is put on the last step, whose meta
says ``tokens_of: the whole turn``. Results are there in full; what the model was given of them is not.

A rollout has the usage of each reply (``token_usage_record``, in older versions ``token_count``) and both the whole
result (``item_completed`` or ``mcp_tool_call_end``) and what the model was given of it (``function_call_output``,
cut in its middle), so `delivered_bytes` is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from labrig_harness.trajectory import Tokens
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
    text_part,
    word,
)
from labrig_programs.reading.lines import Line, Skipped
from labrig_programs.reading.owner import events_of
from labrig_programs.reading.read_run import ReadRun, Wire

NAME = "codex"
WHOLE_TURN = "the whole turn"


def read(lines: Iterable[Line] | BinaryIO) -> list[ReadRun]:
    """Read the events of ``codex exec --json`` (a run for each thread) or a rollout (one run)."""
    skipped = Skipped()
    runs: list[_Exec | _Rollout] = []
    for number, event in events_of(NAME, lines, skipped):
        kind = word(event.get("type"))
        if kind == "thread.started" or not runs:
            in_exec = "." in kind or kind == "error"
            begins_again = runs and runs[-1].run.meta.get("session") == event.get("thread_id")
            if not begins_again:
                new = OpenRun(NAME, skipped)
                runs.append(_Exec(new) if in_exec else _Rollout(new))
        if not runs[-1].take(event):
            payload = word(table(event.get("payload")).get("type"))
            skipped.add(
                f"events of the unknown type {'/'.join(filter(None, (kind[:40], payload[:40])))!r}", number
            )
    return [each.finish() for each in runs if each.run.turns or each.ended]


def _read_tokens(usage: Json) -> Tokens:
    """OpenAI's input includes what was read from and written to the cache; reasoning is part of the output."""
    cached, written = count(usage.get("cached_input_tokens")), count(usage.get("cache_write_input_tokens"))
    output = count(usage.get("output_tokens"))
    return Tokens(
        input_uncached=max(0, count(usage.get("input_tokens")) - cached - written),
        cache_read=cached,
        cache_write=written,
        output=output,
        reasoning=min(output, count(usage.get("reasoning_output_tokens"))),
        measured=True,
    )


def _subtract_tokens(whole: Tokens, before: Tokens) -> Tokens:
    """Return the tokens since an earlier count; a count that fell began anew."""
    names = ("input_uncached", "cache_read", "cache_write", "output", "reasoning")
    since = {name: getattr(whole, name) - getattr(before, name) for name in names}
    return whole if min(since.values()) < 0 else Tokens(**since, measured=True)


# ------------------------------------------------------------------------------------------- exec --json


@dataclass
class _Exec:
    run: OpenRun
    ended: str = ""  # "completed", "failed", or empty while a turn runs
    failure: str = ""
    counted: Tokens = field(default_factory=Tokens)
    items: dict[str, OpenCall] = field(default_factory=dict)

    def take(self, event: Json) -> bool:
        """Take an event; False when its type is not known."""
        kind = word(event.get("type"))
        if kind == "thread.started":
            self.run.meta["session"] = word(event.get("thread_id"))
        elif kind == "turn.started":
            self.ended = ""
        elif kind == "turn.completed":
            self.ended, self.failure = "completed", ""
            self._count_usage(table(event.get("usage")))
        elif kind == "turn.failed":
            self.ended = "failed"
            self.failure = word(table(event.get("error")).get("message"))
        elif kind == "error":
            # Also said before a retry that succeeds: it is the end only when nothing follows.
            self.failure = word(event.get("message"))
            self.run.warn(self.failure)
        elif kind in ("item.started", "item.updated", "item.completed"):
            return self._take_item(table(event.get("item")), done=kind == "item.completed")
        else:
            return False
        return True

    def _count_usage(self, usage: Json) -> None:
        if not usage:
            return
        whole = _read_tokens(usage)
        if self.run.last_turn() is None:
            self.run.turn()
        self.run.count_together(_subtract_tokens(whole, self.counted), WHOLE_TURN)
        self.counted = whole

    def _find_turn(self, *, begins: bool) -> OpenTurn:
        last = self.run.turns[-1] if self.run.turns else None
        return self.run.turn() if last is None or begins else last

    def _take_item(self, item: Json, done: bool) -> bool:
        kind, id = word(item.get("type")), word(item.get("id"))
        last = self.run.turns[-1] if self.run.turns else None
        answered = last is not None and (bool(last.calls) or "tokens_of" in last.meta)
        if kind == "agent_message":
            if done:
                self._find_turn(begins=answered).text.append(word(item.get("text")))
        elif kind == "reasoning":
            if done:
                self._find_turn(begins=answered or (last is not None and bool(last.text))).reasoning.append(
                    word(item.get("text"))
                )
        elif kind == "error":
            self.run.warn(word(item.get("message")))
        elif kind in ("todo_list", "context_compaction", "plan_update"):
            pass
        elif kind in ("mcp_tool_call", "command_execution", "file_change", "web_search", "collab_tool_call"):
            call = self.items.get(id)
            if call is None:
                waits = last is not None and last.waits
                begins = answered and not waits
                call = self.items[id] = _open_exec_call(item, kind, id)
                self.run.add_call(self._find_turn(begins=begins), call)
            if done:
                _answer_call(call, item, kind)
        else:
            return False
        return True

    def finish(self) -> ReadRun:
        """Say why the run ended."""
        last = self.run.last_turn()
        if last is not None:
            self.run.model = last.model
        text = self.run.last_words()
        if self.ended == "completed":
            end, detail = stopped(self.run, text)
            return self.run.finish(end=end, detail=detail, text=text)
        if self.failure:
            return self.run.finish(end="model_error", detail=self.failure, text=text)
        return self.run.finish(end="agent_error", detail=UNFINISHED, text=text)


def _open_exec_call(item: Json, kind: str, id: str) -> OpenCall:
    if kind == "mcp_tool_call":
        return OpenCall.of(word(item.get("tool")), item.get("arguments"), id, word(item.get("server")))
    shown = {"command_execution": ("command",), "file_change": ("changes",), "web_search": ("query",)}
    names = shown.get(kind, tuple(name for name in item if name not in ("id", "type", "status")))
    return OpenCall(kind, {name: item[name] for name in names if name in item}, id)


def _answer_call(call: OpenCall, item: Json, kind: str) -> None:
    failed = item.get("status") == "failed"
    result, error = item.get("result"), table(item.get("error"))
    if isinstance(result, dict) and kind == "mcp_tool_call":
        wire: Wire = {"content": parts(result.get("content")), "isError": failed}
        structured = result.get("structured_content") or result.get("structuredContent")
        if isinstance(structured, dict):
            wire["structuredContent"] = structured
        call.answer(wire)
    elif error:
        call.refuse(word(error.get("message")))
    elif kind == "mcp_tool_call":
        call.refuse("the call failed" if failed else "")
    else:
        code = item.get("exit_code")
        text = word(item.get("aggregated_output")) or as_text(item.get("status"))
        call.answer({"content": [text_part(text)], "isError": failed or code not in (None, 0)})


# ---------------------------------------------------------------------------------------------- rollouts

SILENT = frozenset(
    {"turn_context", "world_state", "compacted", "ghost_snapshot", "turn_aborted", "session_state"}
)
MESSAGES = frozenset(
    """
    user_message agent_message agent_message_delta agent_reasoning agent_reasoning_raw_content
    agent_reasoning_section_break task_started turn_started thread_settings_applied thread_name_updated
    exec_command_begin exec_command_end exec_command_output_delta mcp_tool_call_begin item_started
    patch_apply_begin patch_apply_end web_search_begin web_search_end turn_diff plan_update
    background_event context_compacted entered_review_mode exited_review_mode thread_rolled_back
    session_configured view_image_tool_call mcp_startup_complete mcp_startup_update deprecation_notice
    warning raw_response_item collab_agent_spawn_begin collab_agent_spawn_end collab_waiting_begin
    collab_waiting_end thread_goal_updated image_generation_begin image_generation_end
    dynamic_tool_call_request dynamic_tool_call_response
    """.split()  # noqa: SIM905
)
"""Events that say again what the response items say, or that hold nothing a record needs."""


@dataclass
class _Rollout:
    run: OpenRun
    ended: str = ""
    failure: str = ""
    closed: bool = True  # the next item of the model begins a turn
    counted: Json = field(default_factory=dict)  # the last total of token_count
    records: bool = False  # token_usage_record is there, so token_count is not needed
    last_text: str = ""
    full: dict[str, Wire] = field(default_factory=dict)

    def take(self, event: Json) -> bool:
        """Take a line; False when its type is not known."""
        kind, payload = word(event.get("type")), table(event.get("payload"))
        time = word(event.get("timestamp"))
        if time:
            self.run.meta.setdefault("started", time)
        if kind == "session_meta" or not kind:
            about = payload or event
            self.run.meta.setdefault("session", word(about.get("id")))
            if version := word(about.get("cli_version")):
                self.run.versions[NAME] = version
        elif kind == "turn_context":
            self.run.model = word(payload.get("model")) or self.run.model
            if effort := word(payload.get("effort")):
                self.run.meta["effort"] = effort
        elif kind == "token_usage_record":
            self.records, self.closed = True, True
            self._count_usage(table(payload.get("usage")))
        elif kind == "response_item":
            return self._take_response(payload, time)
        elif kind == "event_msg":
            return self._take_event(payload)
        elif "payload" not in event and kind in (
            "message",
            "reasoning",
            "function_call",
            "function_call_output",
        ):
            return self._take_response(event, time)  # a rollout of a version before 0.40
        elif kind == "compacted":
            self.run.warn("the conversation was compacted")
        else:
            return kind in SILENT
        return True

    def _find_turn(self, time: str) -> OpenTurn:
        if self.closed or not self.run.turns or self.run.turns[-1].source != "agent":
            self.run.turn(time=time).model = self.run.model
            self.closed = False
        return self.run.turns[-1]

    def _take_response(self, item: Json, time: str) -> bool:
        kind = word(item.get("type"))
        if self.run.turns and self.run.turns[-1].calls and not self.run.turns[-1].waits:
            self.closed = True
        if kind == "message":
            role, text = word(item.get("role")), seen_text(item.get("content"))
            if role == "assistant":
                self._find_turn(time).text.append(text)
            else:
                self.run.turn("user" if role == "user" else "system", text, time)
        elif kind == "reasoning":
            told = [
                word(each.get("text")) for each in [*rows(item.get("summary")), *rows(item.get("content"))]
            ]
            self._find_turn(time).reasoning += [each for each in told if each]
        elif kind in (
            "function_call",
            "custom_tool_call",
            "local_shell_call",
            "web_search_call",
            "tool_search_call",
        ):
            self.run.add_call(self._find_turn(time), _open_response_call(item, kind))
        elif kind.endswith("_output"):
            self._take_output(item, time)
        else:
            return kind in ("ghost_snapshot", "compaction", "compaction_summary", "other")
        return True

    def _take_output(self, item: Json, time: str) -> None:
        id = word(item.get("call_id"))
        call = self.run.answered_call(id)
        if call is None:
            return
        given, failed = _read_given(item.get("output"))
        call.delivered_bytes = text_bytes(given)
        if time:
            call.meta["answered"] = time
        text = text_of(given)
        if id in self.full:
            call.answer(self.full.pop(id))
        elif text.startswith("unsupported call: "):
            call.refuse(text, "unknown_tool")
        elif call.raw or (call.server and not call.answered):
            call.refuse(_strip_text(text), "not_json" if call.raw else "")
        elif not call.answered:
            call.answer({"content": given, "isError": failed})

    def _take_event(self, payload: Json) -> bool:
        kind = word(payload.get("type"))
        if kind == "token_count":
            info = table(payload.get("info"))
            total = table(info.get("total_token_usage"))
            # The same count comes again with every change of the rate limits.
            if not self.records and total and total != self.counted:
                self._count_usage(table(info.get("last_token_usage")) or total)
                self.counted = total
                self.closed = True
        elif kind == "item_completed":
            item = table(payload.get("item"))
            if item.get("type") == "McpToolCall":
                self._take_whole(word(item.get("id")), item.get("result"), item.get("duration"), item)
        elif kind == "mcp_tool_call_end":
            self._take_whole(
                word(payload.get("call_id")), payload.get("result"), payload.get("duration"), payload
            )
        elif kind in ("task_complete", "turn_complete"):
            self.ended = "completed"
            self.last_text = word(payload.get("last_agent_message"))
            self.failure = word(table(payload.get("error")).get("message"))
            self.closed = True
        elif kind in ("error", "stream_error"):
            self.run.warn(word(payload.get("message")))
            if kind == "error":
                self.failure = word(payload.get("message"))
        elif kind == "turn_aborted":
            self.ended = "aborted: " + word(payload.get("reason"))
        else:
            return kind in MESSAGES
        return True

    def _take_whole(self, id: str, result: Any, duration: Any, about: Json) -> None:
        """Take the whole result of an MCP call, beside what the model is given of it."""
        call = self.run.call(id)
        found = table(result)
        if "Err" in found:
            found = {}
        found = table(found.get("Ok")) or found
        seconds = table(duration)
        if call is not None:
            call.server = call.server or word(about.get("server"))
            if seconds:
                call.meta["duration_s"] = round(
                    count(seconds.get("secs")) + count(seconds.get("nanos")) / 1e9, 4
                )
        if "content" not in found:
            return
        if call is not None and text_of(parts(found.get("content"))).startswith("Truncated tool output:"):
            call.meta["cut_in_log"] = True  # a rollout keeps 64 kB of a result
        is_error = found.get("isError", found.get("is_error")) is True or about.get("status") == "failed"
        wire: Wire = {"content": parts(found.get("content")), "isError": is_error}
        structured = found.get("structuredContent") or found.get("structured_content")
        if isinstance(structured, dict):
            wire["structuredContent"] = structured
        if call is None:
            self.full[id] = wire
        elif not call.answered:
            self.full[id] = wire
            call.answer(wire)

    def _count_usage(self, usage: Json) -> None:
        last = self.run.last_turn()
        if last is None or not usage:
            return
        found = _read_tokens(usage)
        last.tokens = last.tokens + found if last.tokens.measured else found

    def finish(self) -> ReadRun:
        """Say why the run ended."""
        said = self.run.last_words()
        text = self.last_text or said
        if self.failure:
            return self.run.finish(end="model_error", detail=self.failure, text=text)
        if self.ended.startswith("aborted"):
            return self.run.finish(end="agent_error", detail=self.ended, text=text)
        if self.ended == "completed" or (not self.run.versions and said):
            end, detail = stopped(self.run, text)
            return self.run.finish(end=end, detail=detail, text=text)
        return self.run.finish(end="agent_error", detail=UNFINISHED, text=text)


def _open_response_call(item: Json, kind: str) -> OpenCall:
    id = word(item.get("call_id")) or word(item.get("id"))
    if kind == "custom_tool_call":
        return OpenCall(word(item.get("name")), {"input": word(item.get("input"))}, id)
    if kind != "function_call":
        answered = kind != "local_shell_call"
        call = OpenCall(kind.removesuffix("_call"), table(item.get("action") or item.get("arguments")), id)
        if answered:  # done by the service: the log has no result of its own
            call.refuse("")
        return call
    name, namespace = word(item.get("name")), word(item.get("namespace"))
    server = namespace.removeprefix("mcp__") if namespace.startswith("mcp__") else ""
    if not server and name.startswith("mcp__") and "__" in name[5:]:
        server, _, name = name[5:].partition("__")
    elif not server and "__" in name:  # versions before 0.40: <server>__<tool>
        server, _, name = name.partition("__")
    return OpenCall.of(name, item.get("arguments"), id, server.rstrip("_"))


_HEAD = re.compile(r"\AWall time: [0-9.]+ seconds\nOutput:\n?")


def _strip_text(text: str) -> str:
    return _HEAD.sub("", text)


def _read_given(output: Any) -> tuple[list[Json], bool]:
    """Return what the model was given as content parts, and whether it says that the call failed."""
    failed = False
    if isinstance(output, dict):
        failed = output.get("success") is False
        output = output.get("content_items") or output.get("content")
    given = parts(output)
    if isinstance(output, str) and output.startswith("{"):
        # Shell commands of older versions: the output and its exit code as JSON.
        about, _ = arguments_of(output)
        code = table(about.get("metadata")).get("exit_code")
        failed = failed or (isinstance(code, int) and code != 0)
    return given, failed
