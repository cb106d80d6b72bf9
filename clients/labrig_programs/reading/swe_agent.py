"""Trajectories of SWE-agent (``.traj``) and mini-swe-agent (``.traj.json``), whose calls are commands of a shell.

mini-swe-agent before version 2 asks for the command as the one fenced block of a reply, and answers in a message of the
user; since then it is a call of the tool ``bash``. SWE-agent counts tokens for the whole run alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Cost, Tokens
from labrig_programs.reading.building import (
    Json,
    OpenCall,
    OpenRun,
    OpenTurn,
    count,
    openai_tokens,
    rows,
    seen_text,
    table,
    text_part,
    word,
)
from labrig_programs.reading.lines import Skipped
from labrig_programs.reading.read_run import ReadRun

NAME, MINI = "swe-agent", "mini-swe-agent"

_BLOCK = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_ENDS: tuple[tuple[str, EndReason], ...] = (
    ("cost", "cost_limit"),
    ("context", "token_limit"),
    ("timeout", "wall_limit"),
    ("timeexceeded", "wall_limit"),
    ("executiontime", "wall_limit"),
    ("ratelimit", "model_error"),
    ("limit", "step_limit"),
    ("api", "model_error"),
    ("submitted", "answered"),
)
"""Words of an exit status, the first that it has decides: ``submitted (exit_cost)``, ``ContextWindowExceededError``."""


def format_of(document: Any) -> str:
    """Return whose trajectory a JSON document is, or an empty text."""
    if not isinstance(document, dict) or not isinstance(document.get("info"), dict):
        return ""
    if isinstance(document.get("messages"), list) and (
        word(document.get("trajectory_format")).startswith(MINI) or "exit_status" in document["info"]
    ):
        return MINI
    return NAME if any(_is_step(each) for each in rows(document.get("trajectory"))[:1]) else ""


def _is_step(record: Json) -> bool:
    return "action" in record and "observation" in record


def read(document: Any) -> list[ReadRun]:
    """Read a trajectory, which is one run; none where the document is of neither program."""
    format = format_of(document)
    if not format:
        return []
    info = table(document["info"])
    config = table(info.get("config"))
    run = OpenRun(format, Skipped(), model=word(table(config.get("model")).get("model_name")))
    if version := word(info.get("mini_version")) or word(info.get("swe_agent_version")):
        run.versions = {format: version}
    stats = table(info.get("model_stats"))
    amount = stats.get("instance_cost")
    if isinstance(amount, int | float) and not isinstance(amount, bool):
        run.cost = Cost(float(amount), "USD", f"{format} (its own estimate)")
    if format == MINI:
        _read_messages(run, rows(document["messages"]), word(info.get("submission")))
    else:
        _read_steps(run, document)
        sent, received = count(stats.get("tokens_sent")), count(stats.get("tokens_received"))
        if sent or received:
            run.count_together(Tokens(sent, 0, 0, received, 0, True), "the whole run")
    status = word(info.get("exit_status"))
    end = _find_end(status, config)
    done = run.finish(end=end, detail=status, text=run.last_words())
    submission = info.get("submission")
    return [
        replace(
            done,
            item=word(document.get("instance_id")),
            committed=submission if isinstance(submission, str) and submission else None,
        )
    ]


def _find_end(status: str, config: Json) -> EndReason:
    low = status.casefold().replace("_", "")
    if low == "limitsexceeded" and not count(table(config.get("agent")).get("step_limit")):
        return "cost_limit"  # mini-swe-agent has no limit but these two
    return next((end for said, end in _ENDS if said in low), "agent_error")


# ------------------------------------------------------------------------------------------ mini-swe-agent


def _read_messages(run: OpenRun, messages: list[Json], submission: str) -> None:
    waiting: list[OpenCall] = []
    submitted = bool(submission)
    for message in messages:
        role, extra = message.get("role"), table(message.get("extra"))
        text = seen_text(message.get("content"))
        if role == "assistant":
            turn = run.turn(text="", time=_read_time(extra))
            turn.text = [text] if text else []
            turn.reasoning = [each] if (each := word(message.get("reasoning_content"))) else []
            turn.tokens = openai_tokens(table(table(extra.get("response")).get("usage")))
            turn.model = word(table(extra.get("response")).get("model")) or run.model
            waiting = list(_read_actions(run, turn, message, extra, text))
        elif role in ("tool", "user") and waiting:
            id = word(message.get("tool_call_id"))
            call = next((each for each in waiting if each.id == id), waiting[0])
            waiting.remove(call)
            call.answer({"content": [text_part(text)], "isError": bool(extra.get("exception_info"))})
        elif role == "exit":
            submission = submission or text
            submitted = submitted or extra.get("exit_status") == "Submitted" or bool(submission)
        else:
            run.turn("user" if role in ("user", "tool") else "system", text)
    for call in waiting if submitted else ():  # the command that submitted: what it printed is the submission
        call.answer({"content": [text_part(submission)], "isError": False})


def _read_actions(run: OpenRun, turn: OpenTurn, message: Json, extra: Json, text: str) -> Iterator[OpenCall]:
    """Add the commands of a reply, as calls of ``bash``."""
    number = len(run.turns)
    calls = rows(message.get("tool_calls"))
    commands = [word(each.get("command")) for each in rows(extra.get("actions"))]
    if not calls and not commands:
        commands = _BLOCK.findall(text)
        commands = commands if len(commands) == 1 else []  # the program refuses a reply with more, or none
    for position, command in enumerate(commands if not calls else ()):
        call = OpenCall("bash", {"command": command}, f"step-{number}.{position + 1}")
        run.add_call(turn, call)
        yield call
    for each in calls:
        function = table(each.get("function"))
        call = OpenCall.of(word(function.get("name")), function.get("arguments"), word(each.get("id")))
        run.add_call(turn, call)
        yield call


def _read_time(extra: Json) -> str:
    stamp = extra.get("timestamp")
    if not isinstance(stamp, int | float) or isinstance(stamp, bool) or not 0 < stamp < 2**32:
        return ""
    return datetime.fromtimestamp(stamp, UTC).isoformat()


# ----------------------------------------------------------------------------------------------- SWE-agent


def _read_steps(run: OpenRun, document: Json) -> None:
    told = [each for each in rows(document.get("history")) if not each.get("is_demo")]
    for role in ("system", "user"):
        first = next((each for each in told if each.get("role") == role), None)
        if first is not None:
            run.turn("user" if role == "user" else "system", seen_text(first.get("content")))
    for number, step in enumerate(rows(document.get("trajectory")), 1):
        said = word(step.get("response")) or word(step.get("thought"))
        turn = run.turn(text=said)
        command = word(step.get("action"))
        if not command.strip():
            turn.meta["refused"] = "no command could be read of the reply"
            continue
        call = OpenCall("shell", {"command": command}, f"step-{number}")
        run.add_call(turn, call)
        call.answer({"content": [text_part(word(step.get("observation")))], "isError": False})
        if isinstance(seconds := step.get("execution_time"), int | float):
            call.meta["duration_s"] = seconds
