"""A model endpoint on 127.0.0.1 that plays a script, in the dialects that real agent CLIs speak.

The script is a list of turns: a tool call ``(name, arguments)`` or a final text. Which turn is due is
read off the request: as many as it holds tool results. Requests are kept for the test to look at.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = str | tuple[str, dict[str, Any]]


class ScriptedModel:
    """The script, and what was asked of it."""

    def __init__(self, script: list[Turn]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def turn(self, results_so_far: int) -> Turn:
        return self.script[min(results_so_far, len(self.script) - 1)]


@contextlib.contextmanager
def scripted_model(script: list[Turn]) -> Iterator[ScriptedModel]:
    """Serve a script until the block ends."""
    model = ScriptedModel(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(b'{"data": [], "models": [], "object": "list"}', "application/json")

        def _body(self) -> dict[str, Any]:
            if self.headers.get("transfer-encoding", "") == "chunked":
                raw = b""
                while size := int(self.rfile.readline(), 16):
                    raw += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            loaded: dict[str, Any] = json.loads(raw or b"{}")
            return loaded

        def do_POST(self) -> None:
            body, path = self._body(), self.path.split("?")[0]
            if path.endswith("/count_tokens"):
                return self._send(b'{"input_tokens": 10}', "application/json")
            model.requests.append(body)
            events = _anthropic(model, body) if path.endswith("/messages") else _responses(model, body)
            lines = (f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
            return self._send("".join(lines).encode(), "text/event-stream")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _anthropic(model: ScriptedModel, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer in the form of a streamed message."""
    offered = [tool.get("name", "") for tool in body.get("tools", [])]
    blocks = [b for m in body.get("messages", []) if isinstance(m["content"], list) for b in m["content"]]
    turn = model.turn(sum(block.get("type") == "tool_result" for block in blocks))
    start: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": turn if isinstance(turn, str) else "no such tool"}
    stop = "end_turn"
    if not isinstance(turn, str):
        name = next((each for each in offered if each.endswith("__" + turn[0])), None)
        if name:
            start = {"type": "tool_use", "id": f"toolu_{len(model.requests)}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(turn[1])}
            stop = "tool_use"
    usage = {"input_tokens": 11, "output_tokens": 7}
    message = {
        "id": f"msg_{len(model.requests)}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(model: ScriptedModel, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer in the form of the Responses API, whose tools may stand in namespaces."""
    offered: list[tuple[str, str]] = []
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            offered += [(tool["name"], each["name"]) for each in tool.get("tools", [])]
        elif "name" in tool:
            offered.append(("", tool["name"]))
    items = [item for item in body.get("input", []) if isinstance(item, dict)]
    turn = model.turn(sum(item.get("type") == "function_call_output" for item in items))
    number = len(model.requests)
    text = turn if isinstance(turn, str) else "no such tool"
    item: dict[str, Any] = {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    if not isinstance(turn, str):
        for namespace, name in offered:
            if name == turn[0] or name.endswith("__" + turn[0]):
                item = {
                    "type": "function_call",
                    "id": f"fc_{number}",
                    "call_id": f"call_{number}",
                    "name": name,
                    "arguments": json.dumps(turn[1]),
                    "status": "completed",
                }
                if namespace:
                    item["namespace"] = namespace
    response = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model"),
        "output": [item],
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        },
    }
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
