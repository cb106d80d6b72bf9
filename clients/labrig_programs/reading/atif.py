"""ATIF, the Agent Trajectory Interchange Format: written as version 1.8, read from 1.0 to 1.8.

What ATIF has a field for stands in that field, so that other tools see it. What it has none for (errors, faults, end
reason, submission, hashes) stands under ``labrig`` in the ``extra`` of the same level. Both together are the whole
trajectory: writing and reading loses nothing.

ATIF's ``prompt_tokens`` include what was read from and written to the cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from labrig.calls import CallRecord
from labrig.errors import LabrigError
from labrig_harness.trajectory import Cost, Step, Tokens, ToolCall, Trajectory
from labrig_programs.reading.building import (
    Json,
    OpenCall,
    OpenRun,
    as_text,
    count,
    rows,
    seen_text,
    table,
    text_bytes,
    text_part,
    word,
)
from labrig_programs.reading.lines import Skipped
from labrig_programs.reading.read_run import ReadRun, Wire

NAME = "atif"
VERSION = "ATIF-v1.8"
KNOWN = tuple(f"ATIF-v1.{minor}" for minor in range(9))
OURS = "labrig"
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


# -------------------------------------------------------------------------------------------------- writing


def to_atif(
    trajectory: Trajectory, results: Mapping[str, Wire], records: Sequence[CallRecord] = ()
) -> dict[str, Any]:
    """Return a trajectory as an ATIF document.

    Parameters
    ----------
    results
        By hash, the results in wire form.
    records
        The call log, to be kept with it.
    """
    used = {call.result for call in trajectory.calls}
    ours: Json = {
        name: value
        for name, value in trajectory.to_dict().items()
        if name not in ("steps", "agent", "model") and value is not None
    }
    orphans = {key: wire for key, wire in results.items() if key not in used}
    if orphans:
        ours["results"] = orphans
    if records:
        ours["records"] = [asdict(record) for record in records]
    steps = [
        _write_step(number, step, trajectory, results) for number, step in enumerate(trajectory.steps, 1)
    ]
    # ATIF wants a step; ours may have none.
    steps = steps or [{"step_id": 1, "source": "system", "message": "", "extra": {OURS: {"no_step": True}}}]
    name = f"{trajectory.suite}/{trajectory.task}/{trajectory.arm}.{trajectory.agent}/epoch{trajectory.epoch}"
    document: dict[str, Any] = {
        "schema_version": VERSION,
        "session_id": name,
        "trajectory_id": name,
        "agent": {
            "name": trajectory.agent,
            "version": trajectory.versions.get(trajectory.agent)
            or trajectory.versions.get(OURS)
            or "unknown",
            **({"model_name": trajectory.model} if trajectory.model else {}),
        },
        "steps": steps,
        "final_metrics": _sum_metrics(trajectory, len(steps)),
        "extra": {OURS: ours},
    }
    return document


def _sum_metrics(trajectory: Trajectory, steps: int) -> Json:
    tokens, cost = trajectory.tokens, trajectory.cost
    metrics: Json = {"total_steps": steps}
    if tokens.measured:
        metrics |= {
            "total_prompt_tokens": tokens.input,
            "total_completion_tokens": tokens.output,
            "total_cached_tokens": tokens.cache_read,
        }
    if cost is not None and cost.currency == "USD":
        metrics["total_cost_usd"] = cost.amount
    return metrics


def _write_step(number: int, step: Step, trajectory: Trajectory, results: Mapping[str, Wire]) -> Json:
    ours: Json = {"index": step.index, "faults": list(step.faults), "meta": step.meta}
    document: Json = {"step_id": number, "source": step.source, "message": step.text}
    time = step.meta.get("time", step.meta.get("started"))
    if isinstance(time, str) and _is_time(time):
        document["timestamp"] = time
    if step.source != "agent":  # which may have neither model nor calls there
        ours |= {"reasoning": step.reasoning, "model": step.model, "tokens": asdict(step.tokens)}
        ours["calls"] = [
            _write_call(f"{number}.{n}", call, results)[0] for n, call in enumerate(step.calls, 1)
        ]
        observed = [_write_call(f"{number}.{n}", call, results)[1] for n, call in enumerate(step.calls, 1)]
        ours["observed"] = [each for each in observed if each]
        return {**document, "extra": {OURS: ours}}
    if step.model:
        document["model_name"] = step.model
    effort = trajectory.settings.get("effort")
    if isinstance(effort, str) and effort:
        document["reasoning_effort"] = effort
    if step.reasoning:
        document["reasoning_content"] = step.reasoning
    if step.calls:
        pairs = [
            _write_call(id, call, results)
            for id, call in zip(_make_ids(number, step), step.calls, strict=True)
        ]
        document["tool_calls"] = [call for call, _ in pairs]
        observed = [result for _, result in pairs if result]
        if observed:
            document["observation"] = {"results": observed}
    if step.tokens.measured:
        tokens = step.tokens
        document["metrics"] = {
            "prompt_tokens": tokens.input,
            "completion_tokens": tokens.output,
            "cached_tokens": tokens.cache_read,
            "extra": {OURS: {"cache_write": tokens.cache_write, "reasoning": tokens.reasoning}},
        }
    elif step.tokens != Tokens():
        ours["tokens"] = asdict(step.tokens)
    return {**document, "extra": {OURS: ours}}


def _make_ids(number: int, step: Step) -> list[str]:
    """Return ids for the calls of a step: its own where they tell the calls apart."""
    own = [call.id for call in step.calls]
    alone = len(set(own)) == len(own) and all(own)
    return own if alone else [f"{number}.{n}" for n in range(1, len(own) + 1)]


def _write_call(id: str, call: ToolCall, results: Mapping[str, Wire]) -> tuple[Json, Json]:
    """Return a call and its observation, which is empty where nothing came back."""
    ours = asdict(call)
    for name in ("tool", "arguments"):
        del ours[name]
    if call.id == id:
        del ours["id"]
    document: Json = {
        "tool_call_id": id,
        "function_name": call.tool,
        "arguments": call.arguments,
        "extra": {OURS: ours},
    }
    if call.result and call.result in results:
        return document, {"source_call_id": id, **_write_observation(results[call.result])}
    if call.told:
        return document, {"source_call_id": id, "content": call.told, "extra": {OURS: {"told": True}}}
    return document, {}


def _write_observation(wire: Wire) -> Json:
    """Return a wire result as content that others can read, and what that leaves out."""
    content = wire.get("content")
    rest: Json = {"wire": {name: value for name, value in wire.items() if name != "content"}}
    if not isinstance(content, list):
        if "content" in wire:
            rest["content"] = content
        else:
            rest["no_content"] = True
        return {"content": as_text(content), "extra": {OURS: rest}}
    shown = [_write_part(part) for part in content]
    kept = {str(n): part for n, part in enumerate(content) if _restore_part(shown[n]) != part}
    if kept:
        rest["parts"] = kept
    alone = len(shown) == 1 and shown[0]["type"] == "text"
    rest["alone"] = alone
    return {"content": shown[0]["text"] if alone else shown, "extra": {OURS: rest}}


def _write_part(part: Any) -> Json:
    """Return a content part in ATIF's form: text, or an image as a data URL; anything else is named."""
    part = table(part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    data, kind = part.get("data"), part.get("mimeType")
    if part.get("type") == "image" and isinstance(data, str) and kind in IMAGES:
        return {"type": "image", "source": {"media_type": kind, "path": f"data:{kind};base64,{data}"}}
    return {"type": "text", "text": f"[{part.get('type')} {part.get('uri', part.get('mimeType', ''))}]"}


def _restore_part(shown: Json) -> Json:
    source = table(shown.get("source"))
    path, kind = word(source.get("path")), word(source.get("media_type"))
    head = f"data:{kind};base64,"
    if shown.get("type") == "image" and path.startswith(head):
        return {"type": "image", "data": path.removeprefix(head), "mimeType": kind}
    if shown.get("type") in ("image", "audio"):
        return text_part(f"[{shown['type']} {path}]")
    return text_part(word(shown.get("text")))


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


# -------------------------------------------------------------------------------------------------- reading


def read(document: Any) -> list[ReadRun]:
    """Read an ATIF document: a run of ours with its whole trajectory, or one of another tool as far as it says.

    Raises
    ------
    LabrigError
        If this is not an ATIF document.
    """
    if not is_atif(document):
        version = word(table(document).get("schema_version"))
        raise LabrigError(
            "This is not an ATIF document" + (f": its schema_version is {version[:40]!r}" if version else ""),
            expected=f"a JSON object with agent, steps and schema_version up to {VERSION}",
        )
    if OURS in table(document.get("extra")):
        try:
            trajectory, results, records = _read_ours(document)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise LabrigError(f"This ATIF document is one of ours, but changed: {reason}") from error
        return [_make_run(trajectory, results, records)]
    return [_read_foreign(document)]


def is_atif(document: Any) -> bool:
    """Return whether a JSON value is an ATIF document."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("agent"), dict)
        and isinstance(document.get("steps"), list)
        and word(document.get("schema_version", VERSION)).startswith("ATIF-v")
    )


def _make_run(trajectory: Trajectory, results: dict[str, Wire], records: list[CallRecord]) -> ReadRun:
    last = next((step for step in reversed(trajectory.steps) if step.source == "agent"), None)
    return ReadRun(
        source=NAME,
        steps=trajectory.steps,
        text=last.text if last is not None and not last.calls else "",
        end=trajectory.end,
        end_detail=trajectory.end_detail,
        model=trajectory.model,
        versions=trajectory.versions,
        cost=trajectory.cost,
        item=trajectory.task,
        epoch=trajectory.epoch,
        record=trajectory,
        calls=tuple(records),
        blobs=results,
        meta=trajectory.meta,
    )


def _read_ours(document: Json) -> tuple[Trajectory, dict[str, Wire], list[CallRecord]]:
    ours = dict(document["extra"][OURS])
    results: dict[str, Wire] = dict(ours.pop("results", {}))
    records = [CallRecord(**each) for each in ours.pop("records", [])]
    steps = [
        _read_our_step(step, results) for step in document["steps"] if "no_step" not in step["extra"][OURS]
    ]
    fields = {
        **ours,
        "agent": document["agent"]["name"],
        "model": document["agent"].get("model_name") or "",
        "steps": steps,
        "submission": ours.get("submission"),
    }
    return Trajectory.from_dict(fields), results, records


def _read_our_step(step: Json, results: dict[str, Wire]) -> Json:
    ours = step["extra"][OURS]
    fields: Json = {
        "index": ours["index"],
        "text": step["message"],
        "source": step["source"],
        "faults": ours["faults"],
        "meta": ours["meta"],
        "reasoning": step.get("reasoning_content", ours.get("reasoning", "")),
        "model": step.get("model_name", ours.get("model", "")),
        "tokens": ours.get("tokens", {}),
    }
    if metrics := step.get("metrics"):
        more = metrics["extra"][OURS]
        cached, written = metrics["cached_tokens"], more["cache_write"]
        fields["tokens"] = {
            "input_uncached": metrics["prompt_tokens"] - cached - written,
            "cache_read": cached,
            "cache_write": written,
            "output": metrics["completion_tokens"],
            "reasoning": more["reasoning"],
            "measured": True,
        }
    observed = ours.get("observed", table(step.get("observation")).get("results", []))
    by_id = {each["source_call_id"]: each for each in observed}
    fields["calls"] = []
    for call in ours.get("calls", step.get("tool_calls", [])):
        kept = call["extra"][OURS]
        id = call["tool_call_id"]
        fields["calls"].append(
            {"tool": call["function_name"], "arguments": call["arguments"], "id": id, **kept}
        )
        result = by_id.get(id)
        if result is not None and not result["extra"][OURS].get("told"):
            results[kept["result"]] = _read_our_result(result)
    return fields


def _read_our_result(result: Json) -> Wire:
    rest = result["extra"][OURS]
    wire: Wire = dict(rest["wire"])
    if rest.get("no_content"):
        return wire
    if "content" in rest:
        return {**wire, "content": rest["content"]}
    content = result["content"]
    shown = [{"type": "text", "text": content}] if rest["alone"] else content
    kept = rest.get("parts", {})
    wire["content"] = [kept.get(str(n), _restore_part(part)) for n, part in enumerate(shown)]
    return wire


def _read_foreign(document: Json) -> ReadRun:
    """Read what another tool wrote: what has no place in a trajectory is named in `skipped`."""
    skipped = Skipped()
    version = word(document.get("schema_version")) or VERSION
    if version not in KNOWN:
        skipped.add(f"fields that {version} may have beyond {VERSION}")
    agent = table(document.get("agent"))
    run = OpenRun(NAME, skipped, model=word(agent.get("model_name")))
    run.versions = {word(agent.get("name")) or "agent": word(agent.get("version")) or "unknown"}
    if session := word(document.get("session_id")):
        run.meta["session"] = session
    for number, step in enumerate(document["steps"], 1):
        if isinstance(step, dict):
            _read_foreign_step(run, step)
        else:
            skipped.add("steps that are not objects", number)
    if subagents := len(rows(document.get("subagent_trajectories"))):
        skipped.add(f"{subagents} subagent trajectories: import them by themselves")
    if reference := word(document.get("continued_trajectory_ref")):
        skipped.add(f"the continuation in {reference[:100]!r}")
    final = table(document.get("final_metrics"))
    if not any(turn.tokens.measured for turn in run.turns) and "total_prompt_tokens" in final:
        whole = {name.removeprefix("total_"): value for name, value in final.items()}
        run.count_together(_read_tokens(whole), "the whole run")
    if isinstance(cost := final.get("total_cost_usd"), int | float) and not isinstance(cost, bool):
        name = f"{word(agent.get('name'))} {word(agent.get('version'))}".strip()
        run.cost = Cost(float(cost), "USD", f"{name} (its own estimate)")
    started = next((turn.meta["time"] for turn in run.turns if "time" in turn.meta), "")
    if started:
        run.meta["started"] = started
    text = run.last_words()
    end = "answered" if text.strip() else "no_answer"
    done = run.finish(end=end, detail="ATIF holds no end reason", text=text)  # type: ignore[arg-type]
    return replace(done, agent=word(agent.get("name")))


def _read_foreign_step(run: OpenRun, step: Json) -> None:
    source = step.get("source")
    turn = run.turn(
        source if source in ("user", "system") else "agent",
        seen_text(_read_content(step.get("message"))),
        word(step.get("timestamp")),
    )
    if reasoning := word(step.get("reasoning_content")):
        turn.reasoning.append(reasoning)
    turn.model = word(step.get("model_name")) or (run.model if turn.source == "agent" else "")
    if step.get("is_copied_context") is True:
        # Said, called and paid for in an earlier trajectory.
        turn.meta["copied"] = True
    if isinstance(step.get("metrics"), dict):
        copied = step.get("is_copied_context") is True
        turn.tokens = Tokens(measured=True) if copied else _read_tokens(step["metrics"])
    for call in rows(step.get("tool_calls")):
        server, tool = _split_name(word(call.get("function_name")))
        arguments = table(call.get("arguments"))
        run.add_call(turn, OpenCall(tool, arguments, word(call.get("tool_call_id")), server))
    for result in rows(table(step.get("observation")).get("results")):
        content = _read_content(result.get("content"))
        if result.get("subagent_trajectory_ref"):
            run.skipped.add("references to subagent trajectories")
        id = word(result.get("source_call_id"))
        waiting = [call for call in turn.calls if not call.answered and (call.id == id or not id)]
        extra = table(result.get("extra"))
        failed = True in (
            extra.get("is_error"),
            extra.get("isError"),
            table(extra.get("metadata")).get("is_error"),
        )
        if waiting:
            waiting[0].answer({"content": content, "isError": failed})
            waiting[0].delivered_bytes = text_bytes(content)
        elif text := seen_text(content):
            run.turn("system", text).meta["by"] = "an observation without a call"


def _split_name(name: str) -> tuple[str, str]:
    """Return server and tool of a name as Claude Code writes it; other names are taken as they are."""
    if name.startswith("mcp__") and "__" in name[5:]:
        server, _, tool = name[5:].partition("__")
        return server, tool
    return "", name


def _read_content(content: Any) -> list[Json]:
    if isinstance(content, list):
        return [_restore_part(part) for part in rows(content)]
    return [text_part(as_text(content))] if content is not None else []


def _read_tokens(metrics: Json) -> Tokens:
    extra = table(metrics.get("extra"))
    prompt, cached = count(metrics.get("prompt_tokens")), count(metrics.get("cached_tokens"))
    written = count(extra.get("cache_creation_input_tokens"))
    output = count(metrics.get("completion_tokens"))
    reasoning = count(extra.get("reasoning_output_tokens")) or count(extra.get("reasoning_tokens"))
    cached = min(cached, prompt)
    written = min(written, prompt - cached)
    return Tokens(prompt - cached - written, cached, written, output, min(output, reasoning), True)
