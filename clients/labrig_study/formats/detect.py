"""Which format a file is."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from labrig_programs.reading import chats, gemini, openhands, otel, swe_agent
from labrig_programs.reading.owner import owner
from labrig_study.formats.terrabench import NAME as TERRABENCH
from labrig_study.formats.terrabench import SHAPES, is_trace


def formats_of(path: Path) -> list[str]:
    """Return the formats a file holds lines of, or whose document it is; empty for none of ours.

    The first 200 objects decide: a file in which two programs' lines are mixed has both.
    """
    from labrig_programs.reading.lines import Skipped, objects

    with path.open("rb") as file:
        head = file.read(4096)
        if head.startswith(b"PK\x03\x04"):
            return ["inspect"]
        file.seek(0)
        numbered = list(islice(objects(file, Skipped()), 200))
    first = [event for _, event in numbered]
    if any(map(gemini.is_session, first[:1])):
        return [gemini.SESSION]
    owners = list(dict.fromkeys(filter(None, map(owner, first))))
    if owners:
        return owners
    for named in (swe_agent.format_of, chats.format_of, _find_openhands, _find_otel):
        if written := list(dict.fromkeys(filter(None, map(named, first)))):
            return written
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff").lstrip()
    blank = head[: len(head) - len(head.lstrip())].count(b"\n")
    is_document = text.startswith("{") and (not first or numbered[0][0] > blank + 1)  # on many lines
    if is_document and '"eval"' in text and '"steps"' not in text.partition('"eval"')[0]:
        return ["inspect"]
    if any("agent" in each and "steps" in each for each in first):
        return ["atif"]
    if any("eval" in each and "status" in each for each in first):
        return ["inspect"]
    if any(map(is_trace, first)):
        return [TERRABENCH]
    if (is_document or text.startswith("[")) and (name := _find_by_words(text)):
        return [name]
    if is_document:
        return [_find_by_keys(text, path)]
    if first or text.startswith("[") or path.suffix.casefold() in (".csv", ".tsv"):
        return ["results"]
    return []


_WORDS = (
    (chats.TAU, "[", ("task_id", "reward", "info")),
    (chats.TAU2, "{", ("num_trials", "user_info")),
    (chats.DOJO, "{", ("suite_name", "pipeline_name")),
    (openhands.NAME, "[", ("id", "timestamp", "source", "message")),
    (gemini.SESSION, "{", ("sessionId", "projectHash", "messages")),
    (otel.NAME, "{", ("resourceSpans",)),
    (otel.NAME, "{", ("spans", "gen_ai.operation.name")),
    (otel.NAME, "[", ("context", "gen_ai.operation.name")),
)
"""What a document begins with, and the keys that stand near its beginning."""


def _find_by_words(text: str) -> str:
    """Return whose document begins like this, where its program is known by the first keys."""
    return next(
        (
            name
            for name, first, keys in _WORDS
            if text[0] == first and all(f'"{key}":' in text for key in keys)
        ),
        "",
    )


def _find_openhands(record: Any) -> str:
    return openhands.NAME if openhands.is_event(record) or openhands.is_result(record) else ""


def _find_otel(record: Any) -> str:
    return otel.NAME if otel.is_trace(record) else ""


def _find_by_keys(text: str, path: Path) -> str:
    """Return the format of a JSON object on many lines: of TerraBench, of the SWE-agents, or of ATIF.

    The outermost keys decide, as far as they stand in this beginning; their lines are those with the least indent.
    """
    lines = [line for line in text.splitlines() if line.lstrip().startswith('"') and '":' in line]
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    outer = {line.strip().split('"')[1] for line in lines if len(line) - len(line.lstrip()) == least}
    if outer & {"agent", "schema_version", "final_metrics"} or '"step_id"' in text:
        return "atif"
    if path.suffix == ".traj" or {"environment", "trajectory"} <= outer:
        return swe_agent.NAME
    if path.name.endswith(".traj.json") or ("info" in outer and '"model_stats"' in text):
        return swe_agent.MINI
    return TERRABENCH if outer & {*SHAPES, "metadata", "run_id"} else "atif"
