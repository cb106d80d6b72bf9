"""Which program wrote a line of a log, and the lines of one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from labrig_programs.reading.aar_tools import NAME, is_line
from labrig_programs.reading.lines import Line, Skipped, objects

_CODEX_FILE = {
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "token_usage_record",
    "world_state",
}
_CODEX_OLD = {
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "reasoning",
}
_GEMINI = {"init", "tool_use", "tool_result"}
_CODEX_OTHER = {"ghost_snapshot", "compacted", "local_shell_call", "web_search_call"}


def owner(event: dict[str, Any]) -> str:
    """Return the program that writes events like this one, or an empty text.

    >>> owner({"type": "turn.started"}), owner({"type": "init"}), owner({"type": "fish"})
    ('codex', 'gemini', '')
    """
    kind = event.get("type")
    if not isinstance(kind, str):
        if is_line(event):
            return NAME
        # The first line of a rollout of Codex before version 0.40.
        return "codex" if "instructions" in event and "timestamp" in event and "id" in event else ""
    if kind in _CODEX_FILE or kind in _CODEX_OLD or kind.partition(".")[0] in ("thread", "turn", "item"):
        return "codex"
    if ("session_id" in event and kind != "init") or "sessionId" in event or "parent_tool_use_id" in event:
        return "claude-code"
    if kind in ("assistant", "user") and isinstance(event.get("message"), dict):
        return "claude-code"
    if kind in ("summary", "file-history-snapshot") and ("leafUuid" in event or "messageId" in event):
        return "claude-code"
    if kind in _GEMINI:
        return "gemini"
    if kind == "message":
        return "gemini" if isinstance(event.get("content"), str) else "codex"
    if kind == "result":
        return "claude-code" if "subtype" in event else "gemini"
    if kind == "error":
        return "gemini" if "severity" in event else "codex"
    return "codex" if kind in _CODEX_OTHER else ""


def events_of(
    program: str, lines: Iterable[Line] | BinaryIO, skipped: Skipped
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, event) for each line that is this program's, or may be."""
    for number, event in objects(lines, skipped):
        found = owner(event)
        if found in (program, ""):
            yield number, event
        else:
            skipped.add(f"lines of another program ({found})", number)
