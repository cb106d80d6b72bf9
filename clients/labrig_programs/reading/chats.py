"""Results of benchmarks that keep their runs as the messages of a chat: tau-bench, tau2-bench and AgentDojo.

A reply is a turn of the agent, a message of the simulated user one of the user. What a simulated user does with tools
of its own (tau2-bench) is text of its turn, since it is no call of the agent. Only tau2-bench counts tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Cost, Tokens
from labrig_programs.reading.building import (
    Json,
    OpenCall,
    OpenRun,
    as_text,
    openai_tokens,
    rows,
    seen_text,
    table,
    text_part,
    word,
)
from labrig_programs.reading.lines import Skipped
from labrig_programs.reading.read_run import ReadRun

TAU, TAU2, DOJO = "tau-bench", "tau2-bench", "agentdojo"
NAMES = (TAU, TAU2, DOJO)

_ENDS: dict[str, EndReason] = {
    "user_stop": "answered",
    "agent_stop": "answered",
    "max_steps": "step_limit",
    "timeout": "wall_limit",
}


def format_of(document: Any) -> str:
    """Return which benchmark a JSON document, or an object of its list, is of; or an empty text."""
    if not isinstance(document, dict):
        return ""
    if isinstance(document.get("simulations"), list) and isinstance(document.get("info"), dict):
        return TAU2
    if {"task_id", "trial", "traj", "reward"} <= document.keys():
        return TAU
    return DOJO if {"suite_name", "pipeline_name", "messages"} <= document.keys() else ""


def read(document: Any) -> list[ReadRun]:
    """Read a file of results: a run for each attempt at a task."""
    found = document if isinstance(document, list) else [document]
    readers = {TAU: _read_tau, TAU2: _read_tau2, DOJO: _read_dojo}
    return [run for each in found if (format := format_of(each)) for run in readers[format](each)]


def _read_tau(record: Json) -> Iterator[ReadRun]:
    run, info = OpenRun(TAU, Skipped()), table(record.get("info"))
    task = table(info.get("task"))
    run.meta["target"] = json.dumps({name: task.get(name) for name in ("actions", "outputs")}, sort_keys=True)
    _score(run, reward=record.get("reward"))
    error = as_text(info.get("error"))
    trial = record.get("trial")
    yield replace(
        _read_chat(run, record.get("traj"), "agent_error" if error else "answered", error),
        item=str(record.get("task_id")),
        epoch=trial if isinstance(trial, int) else None,
    )


def _read_tau2(document: Json) -> Iterator[ReadRun]:
    info = table(document["info"])
    agent, domain = (
        table(info.get("agent_info")),
        word(table(info.get("environment_info")).get("domain_name")),
    )
    for simulation in rows(document["simulations"]):
        run = OpenRun(TAU2, Skipped(), model=word(agent.get("llm")))
        _score(run, reward=table(simulation.get("reward_info")).get("reward"))
        amount = simulation.get("agent_cost")
        if isinstance(amount, int | float) and not isinstance(amount, bool):
            run.cost = Cost(float(amount), "USD", f"{TAU2} (its own estimate)")
        why = word(simulation.get("termination_reason"))
        trial = simulation.get("trial")
        yield replace(
            _read_chat(run, simulation.get("messages"), _ENDS.get(why, "agent_error"), why),
            item="-".join(filter(None, (domain, str(simulation.get("task_id"))))),
            epoch=trial if isinstance(trial, int) else None,
            agent=word(agent.get("implementation")),
        )


def _read_dojo(record: Json) -> Iterator[ReadRun]:
    run = OpenRun(DOJO, Skipped(), model=word(record.get("pipeline_name")))
    judged = table(record.get("evaluation")) or record
    _score(run, utility=judged.get("utility"), security=judged.get("security"))
    if version := word(record.get("agentdojo_package_version")):
        run.versions = {DOJO: version}
    error = as_text(record.get("error"))
    names = ("user_task_id", "task_id", "injection_task_id", "attack_type", "condition")
    parts = (word(record.get(name)) for name in ("suite_name", *names))
    read = _read_chat(run, record["messages"], "agent_error" if error else "answered", error)
    yield replace(read, item="-".join(filter(None, parts)))


def _score(run: OpenRun, **values: Any) -> None:
    """Note what the benchmark found, as the scores of a log: the first is the one that counts."""
    known = {name: value for name, value in values.items() if isinstance(value, bool | int | float)}
    if known:
        run.meta["scores"] = {name: {"value": float(value), "answer": None} for name, value in known.items()}


def _read_chat(run: OpenRun, messages: Any, end: EndReason, detail: str) -> ReadRun:
    for message in rows(messages):
        role, text = message.get("role"), _read_text(message.get("content"))
        if role == "tool" and message.get("requestor") != "user":
            call = run.answered_call(word(message.get("tool_call_id")) or word(message.get("id")))
            if call is not None:
                failed = word(message.get("error")) or message.get("error") is True
                call.answer(
                    {"content": [text_part(text or as_text(failed or None))], "isError": bool(failed)}
                )
        elif role == "assistant":
            turn = run.turn(text=text, time=word(message.get("timestamp")))
            scripted = message.get("turn_idx") == 0 and not message.get("usage")  # the greeting of tau2-bench
            turn.tokens = Tokens(measured=True) if scripted else openai_tokens(table(message.get("usage")))
            for each in rows(message.get("tool_calls")):
                run.add_call(turn, _read_call(each))
        else:
            run.turn("system" if role == "system" else "user", text or as_text(message.get("tool_calls")))
    return run.finish(end=end, detail=detail, text=run.last_words())


def _read_text(content: Any) -> str:
    """Return the text of a message; AgentDojo keeps that of a part under ``content``."""
    named = [{**part, "text": part["content"]} if "content" in part else part for part in rows(content)]
    return seen_text(named or content)


def _read_call(call: Json) -> OpenCall:
    """Return a call in the form of OpenAI, of tau2-bench (no ``function``), or of AgentDojo (it is the name)."""
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    name = word(inner.get("name")) or word(function)
    given = inner.get("args") if "args" in inner else inner.get("arguments")
    return OpenCall.of(name, given, word(call.get("id")))
