"""Requests in people's words with the tools that are right for them, and the tools that are offered for them."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from labrig.toolbox import ToolSpec
from labrig_harness.registry import servers
from support.every_server import installed
from support.places import PROJECT

FIRST = 3
PUBLISHED = ("paper", "aliases", "files", "terra")
"""Toolsets, by how their names begin, that hold tools as papers published them: other names for what ours do."""
FUNCTION_WORDS = (
    "a about across after again all along also am an and any are as at be because been before being between both but "
    "by can could did do does done down each either for from get give gives go had has have having he her here his "
    "how i if in into is it its just let like made make many may me might more most much must my need no nor not of "
    "off on once one only or other our out over own per please say says she should show so some such take tell than "
    "that the their them then there these they thing this those through to too under until up us use used using want "
    "was way we were what when where whether which while who whose why will with within without would you your"
)
"""What a search by keywords leaves out."""


def keywords_of(request: str) -> str:
    """Return the words of a request that are no function words, in their order, each once."""
    words = re.findall(r"[^\W_]+(?:[.'-][^\W_]+)*", request)
    left_out = FUNCTION_WORDS.split()
    return " ".join(dict.fromkeys(word for word in words if word.lower() not in left_out))


@cache
def requests_of(file: str) -> list[dict[str, Any]]:
    """Return the requests of a file of tests/support; those without tools are for what no tool of ours does."""
    lines = (PROJECT / "tests" / "support" / f"{file}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def offered() -> dict[tuple[str, str], ToolSpec]:
    """Return all tools by server and name, but those that only repeat others by their published names."""
    return {
        (server, spec.name): spec
        for server in installed()
        for spec in servers.toolbox(server).specs
        if not all(toolset.startswith(PUBLISHED) for toolset in spec.toolsets)
    }


def toolsets_of(server: str) -> list[str]:
    """Return a server's toolsets that hold such tools."""
    return [each for each in servers.toolbox(server).toolsets if not each.startswith(PUBLISHED)]
