"""An MCP server that lies to the proxy before it: each of its tools answers a call in a way of its own.

A program of its own, standard library only: ``server.py``. Its answers are lines as they are, so that they may be none.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOLS = (
    "plain",
    "unasked",
    "twice",
    "nan",
    "huge_number",
    "cut_off",
    "doubled",
    "no_object",
    "a_request_too",
    "dies",
)


def write(line: str) -> None:
    """Send a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def answer(id: Any, text: str) -> str:
    """Return the line of a good answer."""
    result = {"content": [{"type": "text", "text": text}], "isError": False}
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result})


def called(tool: str, id: Any) -> None:
    """Answer a call."""
    good = answer(id, "true")
    if tool == "unasked":
        write(answer(99999, "LIE"))
        write(answer(id + 1, "LIE"))  # the next call's, ahead of it
        write(good)
    elif tool == "twice":
        write(good)
        write(answer(id, "LIE"))
    elif tool == "nan":
        write(good.replace('"true"', "NaN"))
    elif tool == "huge_number":
        write(good.replace('"true"', "1e999"))
    elif tool == "cut_off":
        write(good[:-5])
    elif tool == "doubled":
        lie = json.dumps(json.loads(answer(id, "LIE"))["result"])
        write(good.replace('"result"', f'"result": {lie}, "result"'))
    elif tool == "no_object":
        write(json.dumps({"jsonrpc": "2.0", "id": id, "result": ["LIE"]}))
    elif tool == "a_request_too":
        write(json.dumps({"method": "ping", **json.loads(answer(99999, "LIE"))}))
        write(good)
    elif tool == "dies":
        sys.stderr.write("\x1b]0;owned\x07\x1b[2J\x1b[31mthe \x9b1mreactor\x1b[0m \u202eis\x08 on fire\n")
        sys.stderr.flush()
        raise SystemExit(7)
    else:
        write(good)


def main() -> None:
    """Serve until the input ends."""
    sys.stderr.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        message = json.loads(line)
        method, id = message.get("method"), message.get("id")
        if method == "tools/call":
            called(message["params"]["name"], id)
        elif method == "tools/list":
            tools = [{"name": each, "inputSchema": {"type": "object"}} for each in TOOLS]
            write(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}))
        elif method == "ping":
            write(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"x": float("nan")}}))
        elif id is not None:
            write(json.dumps({"jsonrpc": "2.0", "id": id, "result": {}}))


if __name__ == "__main__":
    main()
