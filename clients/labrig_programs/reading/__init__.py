"""A program's own log, read into steps; one module per format.

- `claude-code`: Claude Code: ``--output-format stream-json``, and session files (``projects/*/<id>.jsonl``)
- `codex`: Codex: ``exec --json``, and rollouts (``sessions/Y/M/D/rollout-*.jsonl``)
- `gemini`: Gemini CLI: ``--output-format stream-json``; `gemini-session`: files of its sessions
- `otel`: traces of OpenTelemetry by its conventions for generative AI
- `aar-tools`: the tool log of The Amazing Agent Race
- `atif`: Agent Trajectory Interchange Format, versions 1.0 to 1.8
- `swe-agent`, `mini-swe-agent`: trajectories of these two, a JSON document each
- `openhands`: trajectories, ``output.jsonl`` of evaluations, events of the SDK
- `tau-bench`, `tau2-bench`, `agentdojo`: results of these benchmarks (`chats`)

Modules: a reader for each format (`claude_code`, `codex`, `gemini`, `aar_tools`, `atif`, `swe_agent`, `openhands`,
`chats`, `otel`), which returns a `read_run`; `documents`: all that are documents and not lines; `lines`, `building`:
what readers share; `owner`: which program wrote a line.

A reader takes lines (or a document) and returns what happened; it opens no file and asks nobody. What it cannot
read it skips and says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from labrig.errors import unknown_name
from labrig_programs.reading.read_run import Line, ReadRun

PROGRAMS = ("claude-code", "codex", "gemini")
"""Logs of agent programs, one JSON object a line."""

LINE_FORMATS = (*PROGRAMS, "aar-tools")
"""All logs of one JSON object a line."""


def read(format: str, lines: Iterable[Line] | BinaryIO) -> list[ReadRun]:
    """Read the log of an agent program, one of `LINE_FORMATS`.

    Parameters
    ----------
    lines
        Lines as bytes or text, or a file opened in binary mode (which is then read with bounded memory).

    Returns
    -------
    list of ReadRun
        One for each session of the log, in order; none when it holds no line of this format.

    Raises
    ------
    LabrigError
        For an unknown format. A log is never an error: what cannot be read is in `ReadRun.skipped`.
    """
    from labrig_programs.reading import aar_tools, claude_code, codex, gemini

    readers = {
        "claude-code": claude_code.read,
        "codex": codex.read,
        "gemini": gemini.read,
        aar_tools.NAME: aar_tools.read,
    }
    if format not in readers:
        raise unknown_name("format of log lines", format, readers)
    return readers[format](lines)
