"""``tool_log.jsonl`` in the working folder: a line for each call, as the published verifier reads it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

NAME = "tool_log.jsonl"
PREVIEW = 2_000
"""Characters of a result that are kept."""


def line(tool: str, args: dict[str, Any], result: str, *, success: bool, ts: float) -> dict[str, Any]:
    """Return the line of a call; the address of a page stands beside its arguments."""
    shown = {
        "tool": tool,
        "args": args,
        "success": success,
        "result_preview": result[:PREVIEW],
        "result_len": len(result),
        "ts": ts,
    }
    return shown | ({"url": args["url"]} if isinstance(args.get("url"), str) else {})


def note(folder: Path, tool: str, args: dict[str, Any], result: str, *, success: bool) -> None:
    """Add the line of a call to the log of a folder."""
    shown = json.dumps(line(tool, args, result, success=success, ts=time.time()), ensure_ascii=True)
    with (folder / NAME).open("a", encoding="utf-8") as file:
        file.write(shown + "\n")
