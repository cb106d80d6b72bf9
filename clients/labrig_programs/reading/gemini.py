"""Gemini CLI: ``--output-format stream-json``, and the files of its sessions (``chats/session-*.json``, ``.jsonl``).

Files of sessions count the tokens of each reply, and say nothing of how a session ended.

Replies of a stream come in pieces, which are joined. Tokens are counted once for the whole run (``result.stats``): they
are put on the last turn, whose meta says ``tokens_of: the whole run``. ``input_tokens`` includes what was cached; what
the total has above input and output are thoughts, which are counted as output here.

Results of tools are shown in full, and an error as the program words it; what the model was given is not shown (by
default the program cuts results to 40,000 characters), so `delivered_bytes` is not known. The program may exit before
a pipe has taken all it wrote: a log that ends in the middle of a line is common where its stdout was a pipe.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Fault, Tokens
from labrig_programs.reading.building import (
    UNFINISHED,
    Json,
    OpenCall,
    OpenRun,
    OpenTurn,
    arguments_of,
    as_text,
    count,
    rows,
    seen_text,
    stopped,
    table,
    text_part,
    word,
)
from labrig_programs.reading.lines import Line, Skipped
from labrig_programs.reading.owner import events_of
from labrig_programs.reading.read_run import ReadRun

NAME, SESSION = "gemini", "gemini-session"

NEVER_REACHED: dict[str, Fault | str] = {
    "tool_not_registered": "unknown_tool",
    "invalid_tool_params": "bad_arguments",
    "policy_violation": "",
    "execution_denied": "",
    "permission_denied": "",
}
"""Errors of calls that the program did not make, with the fault of the model."""


def read(lines: Iterable[Line] | BinaryIO) -> list[ReadRun]:
    """Read a stream; each ``init`` begins a run."""
    skipped = Skipped()
    runs: list[_Run] = []
    for number, event in events_of(NAME, lines, skipped):
        if event.get("type") == "init" or not runs:
            runs.append(_Run(OpenRun(NAME, skipped)))
        if not runs[-1].take(event):
            skipped.add(f"events of the unknown type {as_text(event.get('type'))[:40]!r}", number)
    return [each.finish() for each in runs if each.run.turns or each.result]


@dataclass
class _Run:
    run: OpenRun
    result: Json = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def take(self, event: Json) -> bool:
        """Take an event; False when its type is not known."""
        kind, time = event.get("type"), word(event.get("timestamp"))
        if time:
            self.run.meta.setdefault("started", time)
        if kind == "init":
            self.run.model = word(event.get("model"))
            self.run.meta["session"] = word(event.get("session_id"))
        elif kind == "message":
            self._take_message(event, time)
        elif kind == "tool_use":
            self._take_call(event, time)
        elif kind == "tool_result":
            self._take_result(event, time)
        elif kind == "error":
            self.errors.append(word(event.get("message")))
            self.run.warn(self.errors[-1])
        elif kind == "result":
            self.result = event
        else:
            return False
        return True

    def _find_turn(self, time: str, *, begins: bool) -> OpenTurn:
        last = self.run.turns[-1] if self.run.turns else None
        if begins or last is None or last.source != "agent":
            last = self.run.turn(time=time)
            last.model = self.run.model
        return last

    def _take_message(self, event: Json, time: str) -> None:
        text = word(event.get("content"))
        if event.get("role") != "assistant":
            self.run.turn("user", text, time)
            return
        last = self.run.turns[-1] if self.run.turns else None
        turn = self._find_turn(time, begins=last is not None and bool(last.calls))
        if event.get("delta") is True and turn.text:
            turn.text[-1] += text
        else:
            turn.text.append(text)

    def _take_call(self, event: Json, time: str) -> None:
        last = self.run.turns[-1] if self.run.turns else None
        # The calls of one reply are announced before any of them is answered.
        begins = last is not None and any(call.answered for call in last.calls)
        turn = self._find_turn(time, begins=begins)
        id = word(event.get("tool_id"))
        server, tool = _split_tool(word(event.get("tool_name")), id)
        self.run.add_call(turn, OpenCall.of(tool, event.get("parameters"), id, server))

    def _take_result(self, event: Json, time: str) -> None:
        call = self.run.answered_call(word(event.get("tool_id")))
        if call is None:
            return
        if time:
            call.meta["answered"] = time
        error, output = table(event.get("error")), as_text(event.get("output"))
        kind = word(error.get("type"))
        if kind in NEVER_REACHED:
            fault = NEVER_REACHED[kind]
            call.refuse(word(error.get("message")) or output, fault)  # type: ignore[arg-type]
            return
        failed = event.get("status") == "error"
        text = _quote_error(word(error.get("message"))) or output if failed else output
        call.answer({"content": [text_part(text)], "isError": failed})

    def finish(self) -> ReadRun:
        """Count the tokens, and say why the run ended."""
        stats = table(self.result.get("stats"))
        if stats:
            self.run.count_together(_read_tokens(stats), "the whole run")
        if milliseconds := count(stats.get("duration_ms")):
            self.run.meta["duration_s"] = milliseconds / 1000
        said = self.run.last_words()
        end, detail = self._find_end(said)
        return self.run.finish(end=end, detail=detail, text=said)

    def _find_end(self, said: str) -> tuple[EndReason, str]:
        if not self.result:
            return "agent_error", "; ".join([*self.errors[-1:], UNFINISHED])
        if self.result.get("status") == "success":
            return stopped(self.run, said)
        error = table(self.result.get("error"))
        why = "; ".join(
            filter(None, [word(error.get("type")), word(error.get("message")), *self.errors[-1:]])
        )
        lowered = why.casefold()
        if "turnlimit" in lowered or "max session turns" in lowered or "maximum session turns" in lowered:
            return "step_limit", why
        if "malformed function call" in lowered or "empty response" in lowered:
            # The model's own mistake, several times over: the program gives up.
            return "no_answer", why
        if "safety" in lowered or "prohibited" in lowered or "blocklist" in lowered:
            return "refused", why
        if "cancel" in lowered or "sandbox" in lowered or "loop detected" in lowered:
            return "agent_error", why
        return "model_error", why


def _read_tokens(stats: Json) -> Tokens:
    whole, cached = count(stats.get("input_tokens")), count(stats.get("cached"))
    output = count(stats.get("output_tokens"))
    thoughts = max(0, count(stats.get("total_tokens")) - whole - output)
    return Tokens(
        input_uncached=max(0, whole - cached),
        cache_read=min(whole, cached),
        output=output + thoughts,
        reasoning=thoughts,
        measured=True,
    )


def is_session(record: Any) -> bool:
    """Return whether a JSON object is the file of a session, or its first line."""
    return isinstance(record, dict) and all(
        isinstance(record.get(key), str) for key in ("sessionId", "projectHash")
    )


def read_session(document: Any) -> list[ReadRun]:
    """Read the file of a session: an object with its messages, or the objects of its lines; none for another file."""
    records = rows(document) or rows([document])
    if not records or not is_session(records[0]):
        return []
    run = OpenRun(NAME, Skipped())
    run.meta = {"session": records[0]["sessionId"], "started": word(records[0].get("startTime"))}
    for message in _list_messages(records):
        kind, text = message.get("type"), seen_text(message.get("content"))
        if kind == "gemini":
            _take_reply(run, message, text)
        elif kind == "user":
            run.turn("user", text, word(message.get("timestamp")))
        elif kind in ("error", "warning"):
            run.warn(text)
    end, detail = stopped(run, run.last_words())
    last = run.last_turn()
    if last is None or last.calls:
        end, detail = "agent_error", UNFINISHED
    return [run.finish(end=end, detail=detail, text=run.last_words())]


def _list_messages(records: list[Json]) -> list[Json]:
    """Return the messages of a session as they stand at its end: one that comes again replaces its former self."""
    found: dict[str, Json] = {}
    for record in records:
        held = table(record.get("$set")).get("messages", record.get("messages"))
        if isinstance(held, list):
            found = {}
        for message in rows(held) or [record]:
            if id := word(message.get("id")):
                found[id] = message
        if (back := word(record.get("$rewindTo"))) in found:
            found = dict(list(found.items())[: list(found).index(back)])
    return list(found.values())


def _take_reply(run: OpenRun, message: Json, text: str) -> None:
    counted, last = table(message.get("tokens")), run.turns[-1] if run.turns else None
    tokens = _count_reply(counted)
    if tokens.total or text or last is None or last.source != "agent":
        last = run.turn(text=text, time=word(message.get("timestamp")))
        last.model = word(message.get("model"))
        last.tokens = tokens
        last.reasoning = [word(each.get("description")) for each in rows(message.get("thoughts"))]
        run.model = run.model or last.model
    for each in rows(message.get("toolCalls")):  # without a reply of their own they are of the one before
        id = word(each.get("id"))
        server, tool = _split_tool(word(each.get("name")), id)
        call = OpenCall.of(tool, each.get("args"), id, server)
        run.add_call(last, call)
        given = [
            table(table(part.get("functionResponse")).get("response")) for part in rows(each.get("result"))
        ]
        told = "\n".join(as_text(part.get("output", part.get("error", part))) for part in given)
        status = each.get("status")
        if status == "cancelled":
            call.refuse(told)
        elif status in ("success", "error"):
            call.answer({"content": [text_part(told)], "isError": status == "error"})


def _count_reply(counted: Json) -> Tokens:
    """Return the tokens of a reply, whose input includes what was cached, and whose output lacks the thoughts."""
    whole = count(counted.get("input")) + count(counted.get("tool"))
    cached, thoughts = min(whole, count(counted.get("cached"))), count(counted.get("thoughts"))
    output = count(counted.get("output")) + thoughts
    return Tokens(whole - cached, cached, 0, output, thoughts, bool(whole))


def _split_tool(name: str, id: str) -> tuple[str, str]:
    """Return server and tool of ``mcp_<server>_<tool>``; where both hold ``_`` it is not known where one ends."""
    if not name.startswith("mcp_"):
        return "", name
    rest = name.removeprefix("mcp_")
    if rest.startswith("_"):
        server, _, tool = rest[1:].partition("__")
        return server, tool or server
    server, _, tool = rest.partition("_")
    return (server, tool) if tool else ("", rest)


def _quote_error(message: str) -> str:
    """Return the text of a tool's own error, which the program quotes as JSON in a message of its own."""
    quoted = message.partition("with response: ")[2].rstrip()
    if not (quoted.startswith("[") and quoted.endswith("]")):
        return ""
    wrapped, _ = arguments_of('{"r": ' + quoted + "}")
    texts = [
        word(part.get("text"))
        for each in wrapped.get("r", [])
        if isinstance(each, dict)
        for part in table(table(each.get("functionResponse")).get("response")).get("content", [])
        if isinstance(part, dict)
    ]
    return "\n".join(filter(None, texts))
