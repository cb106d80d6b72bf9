"""A small MCP server over stdio, standard library only: python toy_server.py [FOLDER] [--no-eof].

It speaks both protocol eras as far as the tests need, keeps its state in FOLDER, and has a tool for every way a
server can behave.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
OBJECT = {"type": "object"}
READ = {"readOnlyHint": True}
TOOLS = [
    {
        "name": "echo",
        "inputSchema": {**OBJECT, "properties": {"text": {"type": "string"}}},
        "annotations": READ,
    },
    {"name": "write", "inputSchema": {**OBJECT, "required": ["text"]}},
    {"name": "read", "inputSchema": OBJECT, "annotations": READ},
    {"name": "poll", "inputSchema": OBJECT, "annotations": READ},
    {"name": "table", "inputSchema": OBJECT, "outputSchema": OBJECT, "annotations": READ},
    {"name": "sleep", "inputSchema": OBJECT, "annotations": READ},
    {"name": "big", "inputSchema": OBJECT, "annotations": READ},
    {"name": "refuse", "inputSchema": OBJECT, "annotations": READ},
    {"name": "progress", "inputSchema": OBJECT, "annotations": READ},
    {"name": "ask", "inputSchema": OBJECT, "annotations": READ},
    {"name": "garbage", "inputSchema": OBJECT, "annotations": READ},
    {"name": "die", "inputSchema": OBJECT},
    {"name": "environment", "inputSchema": OBJECT, "annotations": READ},
]
lock = threading.Lock()
asked: dict[str, threading.Event] = {}
replies: dict[str, Any] = {}
polls = 0


def send(message: dict[str, Any]) -> None:
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def result(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def call(id: Any, tool: str, given: dict[str, Any]) -> dict[str, Any] | None:
    global polls
    if tool == "echo":
        return result(given.get("text", ""))
    if tool == "write":
        (FOLDER / "note").write_text(given["text"])
        return result("written")
    if tool == "read":
        return result((FOLDER / "note").read_text() if (FOLDER / "note").exists() else "nothing")
    if tool == "poll":
        polls += 1
        return result("running" if polls < 3 else "done")
    if tool == "table":
        rows = [
            {"name": "Calcite", "value": 0.5234, "unit": "1"},
            {"name": "Gypsum", "value": -1.2, "unit": "1"},
        ]
        text = "Phase      SI\nCalcite    0.52\nGypsum    -1.20\npH = 8.22 and more"
        return result(text, structuredContent={"values": rows, "text": text, "pH": 8.22})
    if tool == "sleep":
        time.sleep(given.get("s", 0.2))
        return result(f"slept {given.get('s', 0.2)}")
    if tool == "big":
        return result("x" * int(given.get("bytes", 10_000_000)))
    if tool == "refuse":
        send({"id": id, "error": {"code": -32050, "message": "not today", "data": {"why": "rain"}}})
        return None
    if tool == "progress":
        for n in range(3):
            send({"method": "notifications/progress", "params": {"progressToken": "p", "progress": n}})
        return result("through")
    if tool == "ask":
        key = f"server-{id}"
        asked[key] = threading.Event()
        send({"id": key, "method": "roots/list"})
        asked[key].wait(5)
        return result(json.dumps(replies.get(key)))
    if tool == "garbage":
        with lock:
            sys.stdout.write("this is not JSON\n\n[]\n")
            sys.stdout.flush()
        return result("after the garbage")
    if tool == "die":
        print("the reactor is on fire", file=sys.stderr, flush=True)
        os._exit(7)
    if tool == "environment":
        return result(os.environ.get(given["name"], ""))
    send({"id": id, "error": {"code": -32602, "message": f"no tool {tool}"}})
    return None


def handle(message: dict[str, Any]) -> None:
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    info = {"name": "toy", "version": "1.2.3"}
    if method is None:
        replies[id] = message.get("result")
        asked[id].set()
    elif method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        send(
            {
                "id": id,
                "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info},
            }
        )
    elif method == "server/discover":
        meta = {"io.modelcontextprotocol/serverInfo": info}
        said = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": meta, "ttlMs": 0}
        send({"id": id, "result": {**said, "cacheScope": "private", "resultType": "complete"}})
    elif method == "tools/list":
        send(
            {
                "id": id,
                "result": {"tools": TOOLS, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
            }
        )
    elif method == "tools/call":
        answer = call(id, params["name"], params.get("arguments") or {})
        if answer is not None:
            send({"id": id, "result": {**answer, "resultType": "complete"}})
    elif method == "ping":
        send({"id": id, "result": {}})
    elif id is not None:
        send({"id": id, "error": {"code": -32601, "message": f"no method {method}"}})


def main() -> None:
    for line in sys.stdin:
        threading.Thread(target=handle, args=(json.loads(line),), daemon=True).start()
    if "--no-eof" in sys.argv:  # a server that does not care that nobody is there any more
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    time.sleep(0.2)
    os._exit(0)


if __name__ == "__main__":
    main()
