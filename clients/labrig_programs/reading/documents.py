"""Logs that are JSON documents: which there are, a file split into its documents, and the runs of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labrig.errors import LabrigError
from labrig_programs.reading.lines import parse
from labrig_programs.reading.read_run import ReadRun

FORMATS = (
    *("atif", "swe-agent", "mini-swe-agent", "openhands"),
    *("tau-bench", "tau2-bench", "agentdojo", "gemini-session", "otel"),
)


def read(format: str, document: Any) -> list[ReadRun]:
    """Read the runs of a document of one of `FORMATS`.

    Raises
    ------
    LabrigError
        If it is not of this format.
    """
    from labrig_programs.reading import atif, chats, gemini, openhands, otel, swe_agent

    readers: dict[str, Callable[[Any], list[ReadRun]]] = {
        atif.NAME: atif.read,
        **dict.fromkeys((swe_agent.NAME, swe_agent.MINI), swe_agent.read),
        openhands.NAME: openhands.read,
        **dict.fromkeys(chats.NAMES, chats.read),
        gemini.SESSION: gemini.read_session,
        otel.NAME: otel.read,
    }
    return readers[format](document)


def split(data: bytes, name: str) -> list[Any]:
    """Return the JSON document of a file, or one for each line; events of one run, one a line, are one document.

    Raises
    ------
    LabrigError
        If it is neither.
    """
    from labrig_programs.reading import gemini, openhands, otel

    text = data.decode("utf-8-sig", errors="replace")
    try:
        return [parse(text)]
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        found: list[Any] = []
        if len(lines) > 1 and lines[0].rstrip().endswith("}"):
            try:
                found = [parse(line) for line in lines]
            except (ValueError, RecursionError):
                found = []
        if found:
            joined = (openhands.is_event, gemini.is_session, otel.is_trace)
            return [found] if any(begins(found[0]) for begins in joined) else found
        reason = f"cut off or damaged: {error}" if text.strip() else "empty"
        raise LabrigError(f"This is not a JSON document, it is {reason}", where=name) from error
