"""Every Answer that a server gives in a process of the tests is measured, whatever test asks for it.

`watch` measures each call of every server that `labrig.serving.builder` builds; tests/conftest.py calls it, and fails
the test in which an Answer was larger than `labrig.answer.ANSWER_BYTES`. Faithful results and pictures have nothing
structured, and are not measured. What is larger for a reason stands in `ALLOWED`;
tests/servers/test_answer_sizes.py fails when an entry is no longer needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from labrig.answer import ANSWER_BYTES, json_bytes

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Allowed:
    """Answers of one tool that may be larger.

    Attributes
    ----------
    reason, most
        Why, and how many bytes they may have all the same.
    asked
        Tells from the arguments of a call whether it is one of these; by default all of the tool are.
    """

    reason: str
    most: int
    asked: Callable[[Arguments], bool] = lambda arguments: True


ALLOWED: dict[tuple[str, str], Allowed] = {
    ("phreeqc", "execute_phreeqc"): Allowed(
        "the caller asked for the output itself (raw:N) or for a table of contents as it is published (toc)",
        20_000_000,
        lambda arguments: str(arguments.get("output", "")).startswith(("raw:", "toc")),
    ),
    ("repository", "read_text_file"): Allowed(
        "its description promises 20,000 bytes of a file, and 100,000 of lines that are asked for", 300_000
    ),
    ("repository", "read_binary_file"): Allowed("its description promises 48,000 bytes as Base64", 66_000),
}
"""By server and tool. An entry may go or become smaller; a new tool keeps to `ANSWER_BYTES`."""

MENDED_BY = "cut it: a page with a cursor (labrig.tools.cursor), a file with a handle, or fewer items with their number"

too_large: list[str] = []
"""What was found since the last look, in words."""


def judged(server: str, tool: str, arguments: Arguments, structured: Any) -> str:
    """Return what is wrong with the size of an Answer, in words; empty if nothing is."""
    size = json_bytes(structured)
    allowed = ALLOWED.get((server, tool))
    most = allowed.most if allowed and allowed.asked(arguments) else ANSWER_BYTES
    if size <= most:
        return ""
    parts = ", ".join(f"{name} {json_bytes(value):,}" for name, value in structured.items())
    given = repr(arguments)
    return f"{server} {tool}: an Answer of {size:,} bytes, at most {most:,} ({parts}), to {given[:300]}"


def watch() -> None:
    """Measure the answers of servers in this process, once they can be built; more calls change nothing."""
    serving = sys.modules.get("labrig.serving.face")
    if serving is None or hasattr(serving, "answers_are_watched"):
        return
    serving.answers_are_watched = True  # type: ignore[attr-defined]
    unwatched = serving.Face.on_call_tool

    async def on_call_tool(face: Any, context: Any, call_next: Any) -> Any:
        result = await unwatched(face, context, call_next)
        if result.structured_content is not None:
            arguments = context.message.arguments or {}
            wrong = judged(face._toolbox.name, context.message.name, arguments, result.structured_content)
            if wrong:
                too_large.append(wrong)
        return result

    serving.Face.on_call_tool = on_call_tool


def verdict() -> None:
    """Fail the test that is being run if an Answer was too large."""
    if too_large:
        found = list(dict.fromkeys(too_large))
        too_large.clear()
        pytest.fail("\n".join([*found[:10], MENDED_BY]), pytrace=False)
