"""Logs of Codex, of the Gemini CLI, in ATIF, of Inspect and of Harbor that somebody made to harm who imports them.

``logs.py FOLDER`` writes them all, beside good ones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ACTING = "\x1b]0;owned\x07\x1b[2J\u202e"
"""A window's title, a cleared screen, a turned text."""
OUT = "../../../../canary"
TOO_DEEP, TEXT_DEEP = 900, "[" * 100_000
"""More than a record keeps, but less than a parser reads; and a text that is JSON without an end."""
Json = Mapping[str, Any]


def codex(*items: Json, usage: str = '{"input_tokens": 5}') -> str:
    """Return what ``codex exec --json`` prints of a run that ends well."""
    head: list[Json] = [{"type": "thread.started", "thread_id": OUT}, {"type": "turn.started"}]
    lines = [
        json.dumps(each) for each in (*head, *({"type": "item.completed", "item": each} for each in items))
    ]
    return "\n".join([*lines, '{"type": "turn.completed", "usage": ' + usage + "}"]) + "\n"


def said(text: str) -> Json:
    """Return an answer of Codex."""
    return {"id": "said", "type": "agent_message", "text": text}


def called(**more: Any) -> Json:
    """Return a call of Codex with its result."""
    wire = {"content": [{"type": "text", "text": "4"}]}
    about = {"id": "call", "type": "mcp_tool_call", "server": "s", "tool": "run", "arguments": {}}
    return {**about, "status": "completed", "result": wire, **more}


def gemini(*events: Json) -> str:
    """Return what the Gemini CLI prints of a run that ends well."""
    head = {"type": "init", "session_id": OUT, "model": f"{OUT}{ACTING}"}
    end = {"type": "result", "status": "success", "stats": {"input_tokens": 1, "duration_ms": float("inf")}}
    return "\n".join(json.dumps(each) for each in (head, *events, end)) + "\n"


def atif(**more: Any) -> str:
    """Return an ATIF document."""
    steps = [
        {"step_id": 1, "source": "user", "message": "q"},
        {"step_id": 2, "source": "agent", "message": "4"},
    ]
    agent = {"name": "a", "version": "1"}
    return json.dumps(
        {"schema_version": "ATIF-v1.6", "session_id": OUT, "agent": agent, "steps": steps, **more}
    )


def nested(levels: int) -> dict[str, Any]:
    """Return an object within an object."""
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"a": found}
    return found


QUOTES = "with response: [" * 20_000
LOGS = {
    "good.jsonl": codex(said("4"), called()),
    "good.json": atif(),
    "paths.jsonl": codex(said("4"), called(tool=OUT, server=f"{OUT}\0")),
    "paths.json": atif(agent={"name": OUT, "version": "/..", "model_name": OUT}),
    "acting.jsonl": codex(said(ACTING), called(tool=ACTING)),
    f"acting{ACTING}.json": "{",
    "half-pairs.jsonl": codex(said("\ud800"), called(tool="\ud800", arguments={"\ud800": "\udfff"})),
    "deep.jsonl": codex(said("4"), called(arguments=nested(TOO_DEEP))),
    "deep-text.jsonl": codex(said("4"), called(arguments=TEXT_DEEP)),
    "digits.jsonl": codex(said("4"), usage='{"input_tokens": ' + "9" * 5_000 + "}"),
    "no-number.jsonl": codex(said("4"), usage='{"input_tokens": 1e999, "output_tokens": -5}'),
    "types.jsonl": codex(
        {"id": {}, "type": ["x"]}, said("4"), called(tool={}, result={"content": [7, None]})
    ),
    "gemini.jsonl": gemini(
        {"type": "tool_use", "tool_id": "1", "tool_name": f"mcp_{OUT}_b", "parameters": TEXT_DEEP},
        {"type": "tool_result", "tool_id": "1", "status": "error", "error": {"message": QUOTES}},
        {"type": "message", "role": "assistant", "content": "4"},
    ),
}
SKIPPED = frozenset({f"acting{ACTING}.json", "deep.jsonl"})
"""What cannot be imported. Of ``digits.jsonl`` a line is left out."""


def inspected(**more: Any) -> str:
    """Return a log of Inspect with a good sample, and one with other fields."""
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "4"}]
    good = {"id": "good", "epoch": 1, "messages": messages, "output": {}}
    about = {"task": ACTING, "model": OUT, "packages": {ACTING: OUT}}
    samples = [good, {**good, "id": "q1", **more}]
    return json.dumps({"status": "success", "eval": about, "samples": samples})


def in_lists(levels: int) -> list[Any]:
    """Return a list within a list."""
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


INSPECTED = {
    "deep-message": inspected(messages=[{"role": "user", "content": in_lists(TOO_DEEP)}]),
    "deep-target": inspected(target=in_lists(TOO_DEEP), scores={"s": {"value": 1}}),
    "paths": inspected(id=OUT),
    "no-number": inspected(total_time="@").replace('"@"', "1e999"),
}
"""Logs of two samples each, of which the other one is good."""

TRIAL = '{"task_name": "t", "trial_name": "x", "verifier_result": {"rewards": {"r": @}}}'
REWARDS = {
    "large": "9" * 4_000,
    "no-number": "NaN",
    "endless": "1e999",
    "deep": json.dumps(in_lists(TOO_DEEP)),
    "half-pair": json.dumps("\ud800"),
    "path": '1}}, "task_name": ' + json.dumps(OUT) + ', "more": {"r": {"r": 1',
}
"""What a verifier of Harbor is said to have given."""


def write_trials(job: Path) -> None:
    """Write a job of Harbor with a trial for each reward."""
    for name, reward in REWARDS.items():
        agent = job / name / "agent"
        agent.mkdir(parents=True)
        (job / name / "result.json").write_text(TRIAL.replace("@", reward), encoding="utf-8")
        (agent / "trajectory.json").write_text(atif(session_id=name))


def write(folder: Path, outside: Path) -> None:
    """Write them all, with a link to a log outside the folder."""
    folder.mkdir()
    for name, text in LOGS.items():
        (folder / name).write_text(text, encoding="utf-8")
    outside.write_text(codex(said("private")))
    (folder / "link.jsonl").symlink_to(outside)


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[1] + "-outside.jsonl"))
