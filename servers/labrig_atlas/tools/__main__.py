"""``python -m labrig_atlas.tools NAME '<json>'``: one call, printed, and a line in ``tool_log.jsonl``."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_atlas.server.base import MODEL, opens, toolbox
from labrig_atlas.tools import log
from labrig_atlas.tools.calls import TOOLS, Desk, call

USAGE = "usage: python -m labrig_atlas.tools --list | NAME ['{\"argument\": value}']"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one tool; 1 where it fails, 2 for words that are no call."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words == ["--list"]:
        print("\n".join(TOOLS))
        return 0
    if not 1 <= len(words) <= 2 or words[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    tool, text = words[0], words[1] if len(words) == 2 else "{}"
    try:
        args = json.loads(text)
        if not isinstance(args, dict):
            raise ValueError("not an object")
    except ValueError as error:
        print(f"Error: the arguments are no JSON object: {error}")
        return 2
    result, success = asyncio.run(_carried_out(tool, args))
    log.note(Path.cwd(), tool, args, result, success=success)
    print(result)
    return 0 if success else 1


async def _carried_out(tool: str, args: dict[str, Any]) -> tuple[str, bool]:
    options = ServeOptions()
    try:
        toolbox.select(options)  # its settings
        async with opens(options) as state:
            model = str(toolbox.setting(options, MODEL.name))
            return await call(Desk(state.atlas, state.pages, state.sandbox, model), tool, args), True
    except LabrigError as error:
        return f"Error: {error}", False


if __name__ == "__main__":
    sys.exit(main())
