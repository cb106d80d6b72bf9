"""Two callers of one server, each with a token: what one does changes no answer of the other, and shows in none.

The bystander calls every tool twice; at one of two servers that are alike, the attacker calls every tool in between,
with all that can be switched on. The bystander's second answers must be the same at both.
`tests/e2e/test_two_callers.py` does it to every server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hostile.servers.attack import Rig
from hostile.servers.channels import MINE, THEIRS
from support.every_server import vocabulary

PATIENCE_S = 120.0
DIFFERS = re.compile(rb"(?<=127\.0\.0\.1:)\d+|\bphreeqc-\d+\.out(, )?|did you mean [^?]*\?")
"""The port of a recording, files that the caller's own jobs have written or not yet, and names near to them."""

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


def second_answers(rig: Rig, *, attacked: bool) -> tuple[dict[str, bytes], list[str]]:
    """Return the bystander's second answer of every tool; which tools showed what is the attacker's, and what
    the watch of the server noted."""
    assert rig.transport == "HTTP"
    wrong: list[str] = []

    def answers() -> dict[str, bytes]:
        found = {}
        for tool, arguments in calls(rig):
            reply = rig.server.call(tool, arguments, PATIENCE_S, token=MINE)
            if rig.guard.leaked(reply.raw):
                wrong.append(f"{tool} shows a secret of the other caller")
            found[tool] = _lasting(reply.result)
        return found

    answers()
    for tool, arguments in trespasses(rig) if attacked else ():
        rig.server.call(tool, arguments, PATIENCE_S, token=THEIRS)
    return answers(), [*wrong, *rig.noted()]


def differences(alone: dict[str, bytes], attacked: dict[str, bytes]) -> list[str]:
    """Return the tools that answered otherwise, each with how."""
    return [
        f"{tool} answered otherwise: {_differing(alone[tool], attacked[tool])}"
        for tool in alone
        if alone[tool] != attacked[tool]
    ]


def _lasting(result: dict[str, Any]) -> bytes:
    """Return an answer without what every call measures."""
    meta = dict((result.get("_meta") or {}).get("labrig") or {})
    meta.pop("volatile", None)
    whole = {"structured": result.get("structuredContent"), "content": result.get("content"), "meta": meta}
    return DIFFERS.sub(b"", json.dumps(whole, sort_keys=True).encode())


def _differing(before: bytes, after: bytes) -> str:
    at = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return f"{before[max(0, at - 60) : at + 100]!r} became {after[max(0, at - 60) : at + 100]!r}"
