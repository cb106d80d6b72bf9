"""EnergyPlus's own file of messages mapped: each message once, by its severity, with its lines and how often it comes.

A real building leaves hundreds of warnings, most of them one message for many objects; a message goes on in lines that
begin with ``~~~``. Lines are counted from 1, and end at line feeds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from labrig.tools.outlines import Outliner

MOST_CHARS = 160
MOST_KINDS = 60
SEVERITIES = ("Fatal", "Severe", "Warning")
_MESSAGE = re.compile(r"\s*\*+ *(Fatal|Severe|Warning) *\*+ *(.*)")
_ENDED = re.compile(r"\s*\*{6,} *(EnergyPlus (?:Completed|Terminated).*)")
_NAMED = re.compile(r'"[^"]*"|=\S+|\b\d+(?:\.\d+)?\b')
"""What differs between two messages of a kind: names of objects, and numbers."""


@dataclass
class Kind:
    """Messages that differ in names and numbers alone: how severe, the first with its line, and how many."""

    severity: str
    said: str
    line: int
    count: int = 0


def kinds(text: str) -> list[Kind]:
    """Return the kinds of messages, the most severe first, then in the order of the file."""
    found: dict[tuple[str, str], Kind] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if match := _MESSAGE.match(line):
            severity, said = match[1], " ".join(match[2].split())
            key = (severity, _NAMED.sub("#", said))
            found.setdefault(key, Kind(severity, said[:MOST_CHARS], number)).count += 1
    return sorted(found.values(), key=lambda each: (SEVERITIES.index(each.severity), each.line))


def _toc(text: str) -> str:
    rows = [
        {"line": each.line, "section": f"{each.severity}: {each.said}"[:MOST_CHARS]} for each in kinds(text)
    ]
    return json.dumps(rows[:MOST_KINDS], ensure_ascii=False)


def _outline(text: str) -> str:
    lines = text.split("\n")
    ended = next(
        (match[1] for line in reversed(lines) if (match := _ENDED.match(line))),
        "it does not say how it ended",
    )
    found = kinds(text)
    said = [f"{len(lines)} lines; {ended.strip(' ;')}"]
    for severity in SEVERITIES:
        mine = [each for each in found if each.severity == severity]
        said.append(f"{severity}: {sum(each.count for each in mine)} messages of {len(mine)} kinds")
        said += [f"  line {each.line}, {each.count} times: {each.said}" for each in mine[:MOST_KINDS]]
    return "\n".join(said)


OUTLINER = Outliner(toc=_toc, outline=_outline)
