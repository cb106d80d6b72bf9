"""Two callers of one server, each with a token: what one does changes no answer of the other, and shows in none.

The bystander calls every tool twice, then the attacker calls every tool with all that can be switched on, then the
bystander calls every tool once more. Its last answers must be its last but one. `tests/e2e/test_two_callers.py` does
it to every server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hostile.servers.attack import Rig
from hostile.servers.channels import MINE, THEIRS
from support.every_server import vocabulary

COUNTED = re.compile(rb"\b(job|run|result|sandbox)[-_ ]?\d+\b")
"""What a caller's own calls number."""
PATIENCE_S = 120.0
ENDLESS = ("wait_s",)

Call = tuple[str, dict[str, Any]]


def calls(rig: Rig) -> Iterator[Call]:
    """Yield a right call of every tool, as far as one is known, else one with what is needed alone."""
    known = {**rig.target.arguments, **vocabulary(rig.name).recipes}
    for tool, schema in rig.listed.schemas.items():
        needed = {name: rig.listed.something(tool, name) for name in schema["required"]}
        yield tool, rig.filled((known.get(tool) or [needed])[0])


def trespasses(rig: Rig) -> Iterator[Call]:
    """Yield the same calls with every switch of the tool on."""
    for tool, arguments in calls(rig):
        about = rig.listed.schemas[tool]["properties"]
        switches = {name: True for name, each in about.items() if each.get("type") == "boolean"}
        yield tool, arguments
        if switches:
            yield tool, arguments | switches


def meet(rig: Rig) -> tuple[set[str], list[str]]:
    """Have both callers call every tool; return the tools that were called, and what is wrong."""
    assert rig.transport == "HTTP"
    wrong: list[str] = []

    def answers(token: str) -> dict[str, bytes]:
        found = {}
        for tool, arguments in calls(rig):
            reply = rig.server.call(tool, arguments, PATIENCE_S, token=token)
            if rig.guard.leaked(reply.raw):
                wrong.append(f"{tool} shows a secret of the other caller")
            found[tool] = _lasting(reply.result)
        return found

    answers(MINE)
    before = answers(MINE)
    for tool, arguments in trespasses(rig):
        rig.server.call(tool, arguments, PATIENCE_S, token=THEIRS)
    after = answers(MINE)
    wrong += [f"{tool} answered otherwise: {_differing(before[tool], after[tool])}" for tool in before
              if before[tool] != after[tool]]  # fmt: skip
    return set(before), wrong


def _lasting(result: dict[str, Any]) -> bytes:
    """Return an answer without what its own caller's calls count, and without what every call measures."""
    meta = dict((result.get("_meta") or {}).get("labrig") or {})
    meta.pop("volatile", None)
    whole = {"structured": result.get("structuredContent"), "content": result.get("content"), "meta": meta}
    return COUNTED.sub(rb"\1", json.dumps(whole, sort_keys=True).encode())


def _differing(before: bytes, after: bytes) -> str:
    at = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return f"{before[max(0, at - 60) : at + 100]!r} became {after[max(0, at - 60) : at + 100]!r}"
