"""A model endpoint on 127.0.0.1 that plays a script, in the wire forms of Anthropic, OpenAI (responses and
chat completions) and Gemini, streamed or not.

The script is a list of turns: a tool call ``(name, arguments)``, a final text, a `Reply` with everything a service
may say, a `Fault`, or a function that makes one of these of the request's text, where it depends on results. Which turn
is due is read off the request: as many as it holds tool results; so requests that an agent program makes on the side do
no harm. With ``by="requests"`` every request gets the next turn: for faults,
empty replies and other turns that leave no tool result behind. Requests, headers and paths are kept to be looked at.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

JSON = dict[str, Any]
KEY = "$KEY"
"""In a text, a header or a body of the script: the key that the request came with."""


@dataclass(frozen=True)
class Usage:
    """Token counts, disjoint but for `reasoning`, which is a part of `output`."""

    input_uncached: int = 11
    cache_read: int = 0
    cache_write: int = 0
    output: int = 7
    reasoning: int = 0

    @property
    def input(self) -> int:
        return self.input_uncached + self.cache_read + self.cache_write


@dataclass(frozen=True)
class Reply:
    """One answer of the model.

    `calls` holds (name, arguments); arguments given as a text are sent as they are. `stop` is why it ended.
    `version` is the model that says it answered. `usage` None leaves the counts out.
    """

    text: str = ""
    calls: tuple[tuple[str, JSON | str], ...] = ()
    stop: Literal["", "length", "refusal"] = ""
    usage: Usage | None = field(default_factory=Usage)
    version: str = ""
    reasoning: str = ""
    delay_s: float = 0.0


@dataclass(frozen=True)
class Fault:
    """A failure in place of an answer: an HTTP status with a message, a body as it is, or a connection cut off."""

    status: int = 500
    message: str = "the service failed"
    headers: dict[str, str] = field(default_factory=dict)
    code: str = ""
    body: str | None = None
    reset: bool = False
    delay_s: float = 0.0


Said = str | tuple[str, JSON] | Reply | Fault
Turn = Said | Callable[[str], Said]


class ScriptedModel:
    """The script, and what was asked of it."""

    def __init__(self, script: list[Turn], by: Literal["results", "requests"] = "results") -> None:
        self.script = script
        self.by = by
        self.requests: list[JSON] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    def turn(self, results_so_far: int, asked: str = "") -> Said:
        due = len(self.requests) - 1 if self.by == "requests" else self._after(results_so_far)
        turn = self.script[min(due, len(self.script) - 1)]
        return turn(asked) if callable(turn) else turn

    def _after(self, results: int) -> int:
        """Return the number of the turn that follows so many tool results."""
        for number, turn in enumerate(self.script):
            results -= max(1, len(turn.calls)) if isinstance(turn, Reply) else 1
            if results < 0:
                return number
        return len(self.script)


@contextlib.contextmanager
def scripted_model(
    script: list[Turn], *, by: Literal["results", "requests"] = "results"
) -> Iterator[ScriptedModel]:
    """Serve a script until the block ends."""
    model = ScriptedModel(script, by)
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def _send(
            self, body: bytes, kind: str, status: int = 200, headers: dict[str, str] | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(b'{"data": [], "models": [], "object": "list"}', "application/json")

        def _body(self) -> JSON:
            if self.headers.get("transfer-encoding", "") == "chunked":
                raw = b""
                while size := int(self.rfile.readline(), 16):
                    raw += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            loaded: JSON = json.loads(raw or b"{}")
            return loaded

        def _key(self) -> str:
            bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
            return self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or bearer

        def do_POST(self) -> None:
            body, path = self._body(), self.path.split("?")[0]
            if path.endswith(("/count_tokens", ":countTokens")):
                return self._send(b'{"input_tokens": 10, "totalTokens": 10}', "application/json")
            form = next((each for end, each in FORMS.items() if path.endswith(end)), None)
            if form is None:
                return self._send(b'{"error": {"message": "no such path"}}', "application/json", 404)
            with one_at_a_time:
                model.requests.append(body)
                model.headers.append({name.lower(): value for name, value in self.headers.items()})
                model.paths.append(self.path)
                number = len(model.requests)
                turn = model.turn(form.results(body), json.dumps(body, ensure_ascii=False))
            if isinstance(turn, Fault):
                return self._fail(turn, form)
            offered = form.offered(body)
            reply = _reply(turn, offered)
            time.sleep(reply.delay_s)
            name = body.get("model") or path.rpartition("/")[2].partition(":")[0]
            if body.get("stream") or path.endswith(":streamGenerateContent"):
                text = form.stream(reply, number, reply.version or name)
                return self._send(text.replace(KEY, self._key()).encode(), "text/event-stream")
            text = json.dumps(form.whole(reply, number, reply.version or name))
            self._send(text.replace(KEY, self._key()).encode(), "application/json")

        def _fail(self, fault: Fault, form: Form) -> None:
            time.sleep(fault.delay_s)
            if fault.reset:  # closed with unread data and no linger: the peer sees a reset, not an end
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True
                self.connection.close()
                return
            body = fault.body if fault.body is not None else json.dumps(form.error(fault))
            headers = {name: value.replace(KEY, self._key()) for name, value in fault.headers.items()}
            self._send(body.replace(KEY, self._key()).encode(), "application/json", fault.status, headers)

        def handle(self) -> None:
            with contextlib.suppress(OSError, ValueError):  # after a reset the files are closed
                super().handle()

        def finish(self) -> None:
            with contextlib.suppress(OSError, ValueError):
                super().finish()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _reply(turn: str | tuple[str, JSON] | Reply, offered: list[str]) -> Reply:
    """Return a turn as a reply whose calls have the names under which the tools are offered."""
    if isinstance(turn, str):
        return Reply(turn)
    if isinstance(turn, tuple):
        name = _named(turn[0], offered)
        return Reply(calls=((name, turn[1]),)) if name else Reply("no such tool")
    calls = tuple((_named(name, offered) or name, arguments) for name, arguments in turn.calls)
    return Reply(turn.text, calls, turn.stop, turn.usage, turn.version, turn.reasoning, turn.delay_s)


def _named(name: str, offered: list[str]) -> str:
    """Return the tool that a client offers under a prefix of its own: ``mcp__server__tool``, ``mcp_server_tool``."""
    for ending in (f"__{name}", f"_{name}", f"_{name.replace('__', '_')}"):
        for each in offered:
            if each == name or each.endswith(ending):
                return each
    return ""


def _text_of(arguments: JSON | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _events(events: list[JSON], *, named: bool = True) -> str:
    head = (f"event: {each['type']}\n" if named else "" for each in events)
    return "".join(f"{name}data: {json.dumps(each)}\n\n" for name, each in zip(head, events, strict=True))


class Form:
    """A wire form."""

    def offered(self, body: JSON) -> list[str]:
        """Return the names of the tools that a request offers."""
        raise NotImplementedError

    def results(self, body: JSON) -> int:
        """Return how many tool results a request holds."""
        raise NotImplementedError

    def whole(self, reply: Reply, number: int, model: str) -> JSON:
        """Return a reply that is not streamed."""
        raise NotImplementedError

    def stream(self, reply: Reply, number: int, model: str) -> str:
        """Return a reply as server-sent events."""
        raise NotImplementedError

    def error(self, fault: Fault) -> JSON:
        """Return the body of an error."""
        return {
            "error": {"type": fault.code or "api_error", "message": fault.message, "code": fault.code or None}
        }


class Anthropic(Form):
    """POST /v1/messages."""

    def offered(self, body: JSON) -> list[str]:
        return [tool.get("name", "") for tool in body.get("tools", [])]

    def results(self, body: JSON) -> int:
        blocks = [b for m in body.get("messages", []) if isinstance(m["content"], list) for b in m["content"]]
        return sum(block.get("type") == "tool_result" for block in blocks)

    def whole(self, reply: Reply, number: int, model: str) -> JSON:
        content: list[JSON] = []
        if reply.reasoning:
            content.append({"type": "thinking", "thinking": reply.reasoning, "signature": "c2ln"})
        if reply.text:
            content.append({"type": "text", "text": reply.text})
        for index, (name, arguments) in enumerate(reply.calls):
            content.append(
                {"type": "tool_use", "id": f"toolu_{number}_{index}", "name": name, "input": arguments}
            )
        stop = {"length": "max_tokens", "refusal": "refusal"}.get(reply.stop)
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": stop or ("tool_use" if reply.calls else "end_turn"),
            "stop_sequence": None,
            "usage": self._usage(reply.usage),
        }

    def _usage(self, usage: Usage | None) -> JSON:
        if usage is None:
            return {}
        counts: JSON = {"input_tokens": usage.input_uncached, "output_tokens": usage.output}
        if usage.cache_read or usage.cache_write:
            counts["cache_read_input_tokens"] = usage.cache_read
            counts["cache_creation_input_tokens"] = usage.cache_write
        if usage.reasoning:
            counts["output_tokens_details"] = {"thinking_tokens": usage.reasoning}
        return counts

    def stream(self, reply: Reply, number: int, model: str) -> str:
        whole = self.whole(reply, number, model)
        start = {**whole, "content": [], "stop_reason": None}
        events: list[JSON] = [{"type": "message_start", "message": start}]
        for index, block in enumerate(whole["content"]):
            if block["type"] == "tool_use":
                opened = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": _text_of(block["input"])}
            elif block["type"] == "thinking":
                opened = {"type": "thinking", "thinking": "", "signature": ""}
                delta = {"type": "thinking_delta", "thinking": block["thinking"]}
            else:
                opened = {"type": "text", "text": ""}
                delta = {"type": "text_delta", "text": block["text"]}
            events += [
                {"type": "content_block_start", "index": index, "content_block": opened},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        events += [
            {"type": "message_delta", "delta": stop, "usage": whole["usage"]},
            {"type": "message_stop"},
        ]
        return _events(events)

    def error(self, fault: Fault) -> JSON:
        return {"type": "error", "error": {"type": fault.code or "api_error", "message": fault.message}}


class Responses(Form):
    """POST /v1/responses; tools may stand in namespaces."""

    def __init__(self) -> None:
        self._namespaces: dict[str, tuple[str, str]] = {}

    def offered(self, body: JSON) -> list[str]:
        names: list[str] = []
        for tool in body.get("tools", []):
            if tool.get("type") == "namespace":
                for each in tool.get("tools", []):
                    name = f"{tool['name']}__{each['name']}"
                    self._namespaces[name] = (tool["name"], each["name"])
                    names.append(name)
            elif "name" in tool:
                names.append(tool["name"])
        return names

    def results(self, body: JSON) -> int:
        items = [item for item in body.get("input", []) if isinstance(item, dict)]
        return sum(item.get("type") == "function_call_output" for item in items)

    def whole(self, reply: Reply, number: int, model: str) -> JSON:
        output: list[JSON] = []
        if reply.reasoning:
            summary = [{"type": "summary_text", "text": reply.reasoning}]
            output.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
        said = {"type": "output_text", "text": reply.text, "annotations": []}
        if reply.stop == "refusal":
            said = {"type": "refusal", "refusal": reply.text}
        if reply.text:
            output.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [said],
                }
            )
        for index, (name, arguments) in enumerate(reply.calls):
            item = {
                "type": "function_call",
                "id": f"fc_{number}_{index}",
                "call_id": f"call_{number}_{index}",
                "name": name,
                "arguments": _text_of(arguments),
                "status": "completed",
            }
            if name in self._namespaces:
                item["namespace"], item["name"] = self._namespaces[name]
            output.append(item)
        cut = reply.stop == "length"
        response: JSON = {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 1,
            "status": "incomplete" if cut else "completed",
            "model": model,
            "output": output,
        }
        if cut:
            response["incomplete_details"] = {"reason": "max_output_tokens"}
        if reply.usage is not None:
            response["usage"] = {
                "input_tokens": reply.usage.input,
                "input_tokens_details": {"cached_tokens": reply.usage.cache_read},
                "output_tokens": reply.usage.output,
                "output_tokens_details": {"reasoning_tokens": reply.usage.reasoning},
                "total_tokens": reply.usage.input + reply.usage.output,
            }
        return response

    def stream(self, reply: Reply, number: int, model: str) -> str:
        whole = self.whole(reply, number, model)
        started = {**whole, "status": "in_progress", "output": []}
        events: list[JSON] = [{"type": "response.created", "response": started}]
        for index, item in enumerate(whole["output"]):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        ended = "response.incomplete" if reply.stop == "length" else "response.completed"
        return _events([*events, {"type": ended, "response": whole}])


class Chat(Form):
    """POST /v1/chat/completions."""

    def offered(self, body: JSON) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools", [])]

    def results(self, body: JSON) -> int:
        return sum(message.get("role") == "tool" for message in body.get("messages", []))

    def whole(self, reply: Reply, number: int, model: str) -> JSON:
        message: JSON = {"role": "assistant", "content": reply.text or None}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.stop == "refusal":
            message |= {"content": None, "refusal": reply.text}
        if reply.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{number}_{index}",
                    "type": "function",
                    "function": {"name": name, "arguments": _text_of(arguments)},
                }
                for index, (name, arguments) in enumerate(reply.calls)
            ]
        reason = {"length": "length", "refusal": "content_filter"}.get(reply.stop)
        completion: JSON = {
            "id": f"chatcmpl_{number}",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "message": message,
                    "finish_reason": reason or ("tool_calls" if reply.calls else "stop"),
                }
            ],
        }
        if reply.usage is not None:
            completion["usage"] = {
                "prompt_tokens": reply.usage.input,
                "prompt_tokens_details": {"cached_tokens": reply.usage.cache_read},
                "completion_tokens": reply.usage.output,
                "completion_tokens_details": {"reasoning_tokens": reply.usage.reasoning},
                "total_tokens": reply.usage.input + reply.usage.output,
            }
        return completion

    def stream(self, reply: Reply, number: int, model: str) -> str:
        whole = self.whole(reply, number, model)
        choice = whole["choices"][0]
        delta = dict(choice["message"])
        if "tool_calls" in delta:
            delta["tool_calls"] = [{"index": i, **each} for i, each in enumerate(delta["tool_calls"])]
        head = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
        chunks = [
            {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        ]
        if "usage" in whole:
            chunks.append({**head, "choices": [], "usage": whole["usage"]})
        return _events(chunks, named=False) + "data: [DONE]\n\n"


class Gemini(Form):
    """POST /v1beta/models/NAME:generateContent and :streamGenerateContent."""

    def offered(self, body: JSON) -> list[str]:
        tools = body.get("tools", [])
        return [each["name"] for tool in tools for each in tool.get("functionDeclarations", [])]

    def results(self, body: JSON) -> int:
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        return sum("functionResponse" in part for part in parts)

    def whole(self, reply: Reply, number: int, model: str) -> JSON:
        parts: list[JSON] = []
        if reply.reasoning:
            parts.append({"text": reply.reasoning, "thought": True})
        if reply.text:
            parts.append({"text": reply.text})
        # Gemini has no way to send arguments that are not JSON: the service ends the reply in place of it.
        malformed = any(isinstance(arguments, str) for _, arguments in reply.calls)
        if not malformed:
            parts += [{"functionCall": {"name": name, "args": given}} for name, given in reply.calls]
        reason = {"length": "MAX_TOKENS", "refusal": "SAFETY"}.get(reply.stop, "STOP")
        candidate: JSON = {"finishReason": "MALFORMED_FUNCTION_CALL" if malformed else reason, "index": 0}
        if malformed:
            candidate["finishMessage"] = f"Malformed function call: {reply.calls[0][1]}"
        if parts:
            candidate["content"] = {"role": "model", "parts": parts}
        answer: JSON = {"candidates": [candidate], "modelVersion": model, "responseId": f"r{number}"}
        if reply.usage is not None:
            answer["usageMetadata"] = {
                "promptTokenCount": reply.usage.input,
                "cachedContentTokenCount": reply.usage.cache_read,
                "candidatesTokenCount": reply.usage.output - reply.usage.reasoning,
                "thoughtsTokenCount": reply.usage.reasoning,
                "totalTokenCount": reply.usage.input + reply.usage.output,
            }
        return answer

    def stream(self, reply: Reply, number: int, model: str) -> str:
        return _events([self.whole(reply, number, model)], named=False)

    def error(self, fault: Fault) -> JSON:
        return {"error": {"code": fault.status, "message": fault.message, "status": fault.code or "UNKNOWN"}}


FORMS: dict[str, Form] = {
    "/messages": Anthropic(),
    "/responses": Responses(),
    "/chat/completions": Chat(),
    ":generateContent": Gemini(),
    ":streamGenerateContent": Gemini(),
}
