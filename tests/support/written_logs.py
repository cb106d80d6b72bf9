"""Logs as Claude Code writes them, made from a list of turns."""

from __future__ import annotations

import json
from typing import Any

PICTURE = {
    "type": "image",
    "source": {
        "type": "base64",
        "media_type": "image/png",
        "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    },
}


def claude_log(
    *turns: str | tuple[str, dict[str, Any], Any], end: str = "success", server: str = "phreeqc"
) -> str:
    """Return a stream: a turn is a text, or a tool, its arguments and its result (an exception for an error)."""
    events: list[dict[str, Any]] = [
        {
            "type": "system",
            "subtype": "init",
            "session_id": "s",
            "model": "m-1",
            "claude_code_version": "2.1.330",
        }
    ]
    for number, turn in enumerate(turns):
        block: dict[str, Any] = {"type": "text", "text": turn}
        if not isinstance(turn, str):
            block = {
                "type": "tool_use",
                "id": f"t{number}",
                "name": f"mcp__{server}__{turn[0]}",
                "input": turn[1],
            }
        usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5}
        message = {
            "id": f"m{number}",
            "role": "assistant",
            "model": "m-1",
            "content": [block],
            "usage": usage,
        }
        events.append(
            {"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": "s"}
        )
        if not isinstance(turn, str):
            failed = isinstance(turn[2], Exception)
            result = {
                "type": "tool_result",
                "tool_use_id": f"t{number}",
                "content": str(turn[2]) if failed else turn[2],
                **({"is_error": True} if failed else {}),
            }
            user = {"role": "user", "content": [result]}
            events.append({"type": "user", "message": user, "parent_tool_use_id": None, "session_id": "s"})
    last = turns[-1] if turns and isinstance(turns[-1], str) else ""
    events.append(
        {
            "type": "result",
            "subtype": end,
            "is_error": end != "success",
            "result": last,
            "session_id": "s",
            "total_cost_usd": 0.01,
        }
    )
    return "".join(json.dumps(event) + "\n" for event in events)
