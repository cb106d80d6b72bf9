"""What the readers have in common: a run that is put together event by event, and values that may be anything."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Cost, Fault, Step, Tokens, ToolCall
from labrig_programs.reading.lines import Skipped
from labrig_programs.reading.read_run import ReadRun, Wire

Json = dict[str, Any]

UNFINISHED = "the log ends before the run does: cut off, or the program was killed"


@dataclass
class OpenCall:
    """A call whose result may still come."""

    tool: str
    arguments: Json
    id: str = ""
    server: str = ""
    raw: str = ""
    fault: Fault | Literal[""] = ""
    told: str = ""
    result: Wire | None = None
    answered: bool = False
    delivered_bytes: int | None = None
    meta: Json = field(default_factory=dict)

    @classmethod
    def of(cls, tool: str, given: Any, id: str, server: str = "") -> OpenCall:
        """Return a call with arguments as a log writes them; those that are no object are a fault."""
        arguments, raw = arguments_of(given)
        return cls(tool, arguments, id, server, raw, "not_json" if raw else "")

    def answer(self, wire: Wire) -> None:
        """Take a result."""
        self.result, self.answered = wire, True

    def refuse(self, told: str, fault: Fault | Literal[""] = "") -> None:
        """The call never reached a tool; the agent was told so."""
        self.result, self.answered, self.told = None, True, told
        self.fault = fault or self.fault


@dataclass
class OpenTurn:
    """A step that may still grow."""

    source: Literal["agent", "user", "system"] = "agent"
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[OpenCall] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)
    faults: list[Fault] = field(default_factory=list)
    model: str = ""
    meta: Json = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether a call of the turn has no answer yet."""
        return any(not call.answered for call in self.calls)


@dataclass
class OpenRun:
    """A run that is being read."""

    source: str
    skipped: Skipped
    turns: list[OpenTurn] = field(default_factory=list)
    model: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    cost: Cost | None = None
    meta: Json = field(default_factory=dict)
    calls: dict[str, list[OpenCall]] = field(default_factory=dict)

    def turn(
        self, source: Literal["agent", "user", "system"] = "agent", text: str = "", time: str = ""
    ) -> OpenTurn:
        """Begin a step."""
        turn = OpenTurn(source, [text] if text else [], meta={"time": time} if time else {})
        self.turns.append(turn)
        return turn

    def add_call(self, turn: OpenTurn, call: OpenCall) -> None:
        """Add a call to a turn; it can then be found by its id."""
        turn.calls.append(call)
        self.calls.setdefault(call.id, []).append(call)

    def call(self, id: str) -> OpenCall | None:
        """Return the call of an id: the first one that waits, else the last one."""
        found = self.calls.get(id, [])
        return next((call for call in found if not call.answered), found[-1] if found else None)

    def answered_call(self, id: str) -> OpenCall | None:
        """Return the call that a result is of; a result of none is counted as skipped."""
        call = self.call(id)
        if call is None:
            self.skipped.add("results of calls that the log does not show")
        return call

    def warn(self, text: str) -> None:
        """Note what the program itself complained of; at most twenty."""
        warnings = self.meta.setdefault("warnings", [])
        if text and text not in warnings and len(warnings) < 20:
            warnings.append(text[:500])

    def last_turn(self) -> OpenTurn | None:
        """Return the agent's last turn."""
        return next((turn for turn in reversed(self.turns) if turn.source == "agent"), None)

    def last_words(self) -> str:
        """Return what the agent's last turn said; nothing where it made calls, whose results it waited for."""
        last = self.last_turn()
        return "\n".join(last.text) if last is not None and not last.calls else ""

    def count_together(self, tokens: Tokens, of: str) -> None:
        """Put tokens that were counted for several turns on the last one; those before it are then measured too.

        Turns that were counted already are left alone.
        """
        last = self.last_turn()
        if last is None:
            return
        uncounted = [t for t in self.turns if t.source == "agent" and not t.tokens.measured and t is not last]
        for turn in uncounted:
            turn.tokens = Tokens(measured=True)
            turn.meta["tokens_of"] = "a later turn"
        last.tokens = last.tokens + tokens if last.tokens.measured else tokens
        last.meta["tokens_of"] = of

    def finish(self, *, end: EndReason, detail: str = "", text: str = "") -> ReadRun:
        """Return the run as read."""
        results: dict[str, Wire] = {}
        used: set[str] = set()
        steps = []
        for index, turn in enumerate(self.turns):
            calls = tuple(self._close_call(call, used, results) for call in turn.calls)
            step = Step(
                index,
                "\n".join(turn.text),
                calls,
                turn.tokens,
                turn.source,
                "\n".join(turn.reasoning),
                tuple(dict.fromkeys(turn.faults)),
                turn.model,
                turn.meta,
            )
            steps.append(step)
        return ReadRun(
            source=self.source,
            steps=tuple(steps),
            results=results,
            text=text,
            end=end,
            end_detail=detail[:2_000],
            model=self.model,
            versions=self.versions,
            cost=self.cost,
            meta=self.meta,
            skipped=self.skipped.told(),
        )

    def _close_call(self, call: OpenCall, used: set[str], results: dict[str, Wire]) -> ToolCall:
        id, number = call.id or f"call-{len(used) + 1}", 1
        while id in used:
            number += 1
            id = f"{call.id or 'call'}#{number}"
        used.add(id)
        if call.result is not None:
            results[id] = call.result
        meta = {**call.meta, "server": call.server}
        if not call.answered:
            meta["unanswered"] = True
        if (
            call.result is not None
            and call.delivered_bytes is not None
            and is_cut(call.result, call.delivered_bytes)
        ):
            meta["cut"] = True
        return ToolCall(
            tool=call.tool,
            arguments=call.arguments,
            record=-1,
            is_error=call.result is None or bool(call.result.get("isError")),
            id=id,
            raw=call.raw,
            fault=call.fault,
            told=call.told,
            delivered_bytes=call.delivered_bytes,
            meta=meta,
        )


def stopped(run: OpenRun, text: str) -> tuple[EndReason, str]:
    """Return the end of a run that stopped by itself; a last reply without words or calls is a fault."""
    last = run.last_turn()
    if last is not None and not last.text and not last.calls:
        last.faults.append("empty_reply")
    detail = "the last reply was cut off at the output limit" if last and "cut_off" in last.faults else ""
    return ("answered" if text.strip() else "no_answer"), detail


# ------------------------------------------------------------------------------- values that may be anything


def table(value: Any) -> Json:
    """Return a JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[Json]:
    """Return the objects of a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def word(value: Any) -> str:
    """Return a text, or an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """Return a count, or 0 in place of anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def openai_tokens(usage: Json) -> Tokens:
    """Return tokens as OpenAI writes them, whose prompt includes what was cached; unmeasured where none are said."""
    if not usage:
        return Tokens()
    prompt, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    cached = min(prompt, count(table(usage.get("prompt_tokens_details")).get("cached_tokens")))
    written = min(prompt - cached, count(usage.get("cache_creation_input_tokens")))
    reasoning = count(table(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return Tokens(prompt - cached - written, cached, written, output, min(output, reasoning), True)


def as_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON; nothing for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arguments_of(value: Any) -> tuple[Json, str]:
    """Return arguments as an object, or the text where it holds no object.

    >>> arguments_of('{"a": 1}'), arguments_of('{"a": '), arguments_of("")
    (({'a': 1}, ''), ({}, '{"a": '), ({}, ''))
    """
    if isinstance(value, dict):
        return value, ""
    if value is None or value == "":
        return {}, ""
    try:
        found = json.loads(value, parse_constant=str) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}, str(value)
    return (found, "") if isinstance(found, dict) else ({}, as_text(value))


def text_part(text: str) -> Json:
    """Return a content part of text in MCP's wire form."""
    return {"type": "text", "text": text}


def parts(content: Any) -> list[Json]:
    """Return content as MCP's parts, from a text or the blocks of Anthropic's or OpenAI's forms."""
    if isinstance(content, str):
        return [text_part(content)]
    if not isinstance(content, list):
        return [] if content is None else [text_part(as_text(content))]
    return [_read_part(each) for each in content]


def _read_part(block: Any) -> Json:
    if not isinstance(block, dict):
        return text_part(as_text(block))
    kind = block.get("type")
    if kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
        return text_part(block["text"]) if kind != "text" else block
    source = table(block.get("source"))
    if kind == "image" and source.get("type") == "base64":
        return {
            "type": "image",
            "data": word(source.get("data")),
            "mimeType": word(source.get("media_type")),
        }
    url = word(block.get("image_url"))
    if kind == "input_image" and url.startswith("data:") and ";base64," in url:
        head, _, data = url.removeprefix("data:").partition(";base64,")
        return {"type": "image", "data": data, "mimeType": head}
    return block if isinstance(kind, str) else text_part(as_text(block))


def text_of(content: list[Json]) -> str:
    """Return the text parts of content, joined."""
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def text_bytes(content: list[Json]) -> int:
    """Return the bytes of text that content holds."""
    texts = (part["text"] for part in content if isinstance(part.get("text"), str))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def is_cut(wire: Wire, delivered: int) -> bool:
    """Return whether a model was given clearly less than the text of a result, or than its structured content.

    A client may give its model either of the two.
    """
    forms = [text_bytes(parts(wire.get("content")))]
    if "structuredContent" in wire:
        forms.append(len(json.dumps(wire["structuredContent"], separators=(",", ":"))))
    return delivered < 0.9 * min(forms)


def seen_text(content: Any) -> str:
    """Return what a person would read of a message: its texts, and what else there is by name."""
    named = [
        part["text"]
        if isinstance(part.get("text"), str)
        else f"[{part.get('type')} {part.get('mimeType', '')}]".replace(" ]", "]")
        for part in parts(content)
    ]
    return "\n".join(named)
