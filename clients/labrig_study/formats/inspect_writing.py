"""Records as an EvalLog of Inspect, in ``.json``, so that ``inspect view`` opens them.

The format is versioned but not a published standard; what is written here was read back with inspect-ai 0.3.285.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from labrig.canonical import content_hash
from labrig_harness.endings import OUTSIDE
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Step, Tokens, ToolCall, Trajectory
from labrig_programs.reading.building import Json, table
from labrig_programs.reading.read_run import Wire

ERRORS: dict[str, str] = {"timeout": "timeout", "unknown_tool": "parsing", "not_json": "parsing"}
LIMIT_NAMES = {"step_limit": "message", "wall_limit": "time", "token_limit": "token", "cost_limit": "cost"}


def log_header(
    run: Json, samples: Sequence[Sample], trajectories: Sequence[Trajectory], scores: Sequence[Score]
) -> Json:
    """Return an EvalLog of one run (an arm and an agent) without its samples.

    Parameters
    ----------
    run
        What ``run.json`` says.
    scores
        Of these trajectories; none where the suite has no scorer.
    """
    label = run["label"]
    first, last = _find_period(trajectories)
    ids = [sample.id for sample in samples]
    id = content_hash([run, ids])[:22]
    model = model_name(trajectories)
    usage = sum((each.tokens for each in trajectories), Tokens(measured=bool(trajectories)))
    values = {"strict": [s.strict for s in scores], "compat": [s.compat for s in scores]}
    names = [name for name, found in values.items() if found]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": id,
            "run_id": id,
            "created": first,
            "task": f"{run['suite']} ({label})",
            "task_id": id,
            "task_version": run["suite_version"],
            "task_args": {"arm": run["arm"], "seed": run["seed"], **run.get("budget", {})},
            "dataset": {"name": run["suite"], "samples": len(ids), "sample_ids": ids, "shuffled": False},
            "model": model,
            "model_args": run["agent"].get("settings", {}),
            "config": {"epochs": run.get("epochs", 1)},
            "packages": {name: str(value) for name, value in run.get("versions", {}).items()},
            "scorers": [{"name": name, "options": {}, "metadata": {}} for name in names],
            "metadata": {"written_by": "labrig", "agent": run["agent"]["kind"]},
        },
        "plan": {"name": label, "steps": [{"solver": label, "params": {}}], "config": {}},
        "results": {
            "total_samples": len(trajectories),
            "completed_samples": len(trajectories),
            "scores": [
                {
                    "name": name,
                    "scorer": name,
                    "params": {},
                    "metrics": {"mean": {"name": "mean", "value": fmean(values[name]), "params": {}}},
                }
                for name in names
            ],
        },
        "stats": {
            "started_at": first,
            "completed_at": last,
            "model_usage": {model: _write_usage(usage)} if usage.measured else {},
        },
    }


def log_name(header: Json, label: str) -> str:
    """Return the file name of an EvalLog: Inspect lists a ``.json`` only where a time stamp leads its name.

    Parameters
    ----------
    header
        What `log_header` returned.
    label
        Of the run. Inspect takes what stands between ``_`` as time, task and id, so ``_`` becomes ``-``.
    """
    about = header["eval"]
    try:
        created = datetime.fromisoformat(about["created"])
    except ValueError:  # a log of another program that was imported wrote its time in its own way
        created = datetime.fromtimestamp(0, UTC)
    return f"{created:%Y-%m-%dT%H-%M-%S}_{label.replace('_', '-')}_{about['task_id']}.json"


def log_sample(
    sample: Sample, trajectory: Trajectory, results: Mapping[str, Wire], score: Score | None, model: str
) -> Json:
    """Return one record as a sample of an EvalLog."""
    messages: list[Json] = []
    for number, step in enumerate(trajectory.steps):
        messages += _write_messages(f"{sample.id}-{trajectory.epoch}-{number}", step, results)
    prompt = next((step.text for step in trajectory.steps if step.source == "user"), sample.brief.prompt)
    last = next((each for each in reversed(messages) if each["role"] == "assistant"), None)
    tokens = trajectory.tokens
    started = trajectory.meta.get("started")
    document: Json = {
        "id": sample.id,
        "epoch": trajectory.epoch + 1,
        "input": prompt,
        "target": _write_target(sample),
        "messages": messages,
        "output": {
            "model": model,
            "choices": [{"message": last, "stop_reason": _name_stop(trajectory)}] if last is not None else [],
            "completion": next((each.text for each in reversed(trajectory.turns)), ""),
        },
        "scores": _write_scores(score, trajectory) if score is not None else {},
        "metadata": {
            "arm": trajectory.arm,
            "agent": trajectory.agent,
            "end": trajectory.end,
            "end_detail": trajectory.end_detail,
            "confinement": trajectory.confinement,
            "submission": trajectory.submission.text if trajectory.submission is not None else None,
            "labels": sample.labels,
            "truth": sample.truth,
        },
        "store": {},
        "events": [],
        "model_usage": {model: _write_usage(tokens)} if tokens.measured else {},
        "attachments": {},
        "uuid": content_hash([trajectory.arm, trajectory.agent, sample.id, trajectory.epoch])[:22],
    }
    if sample.brief.choices:
        document["choices"] = list(sample.brief.choices)
    if isinstance(started, str):
        document["started_at"] = started
    if isinstance(seconds := trajectory.meta.get("duration_s"), int | float):
        document["total_time"] = float(seconds)
    if trajectory.end in OUTSIDE or trajectory.end == "agent_error":
        message = f"{trajectory.end}: {trajectory.end_detail}"
        document["error"] = {"message": message, "traceback": message, "traceback_ansi": message}
    elif trajectory.end in LIMIT_NAMES:
        document["limit"] = {
            "type": LIMIT_NAMES[trajectory.end],
            "limit": _find_number(trajectory.end_detail),
        }
    return document


def _write_messages(id: str, step: Step, results: Mapping[str, Wire]) -> Iterator[Json]:
    if step.source != "agent":
        yield {"id": id, "role": step.source, "content": step.text}
        return
    content: Any = step.text
    if step.reasoning:
        content = [{"type": "reasoning", "reasoning": step.reasoning}, {"type": "text", "text": step.text}]
    message: Json = {"id": id, "role": "assistant", "source": "generate", "content": content}
    if step.model:
        message["model"] = step.model
    if step.tokens.measured or step.faults:
        message["metadata"] = {"tokens": _write_usage(step.tokens), "faults": list(step.faults)}
    ids = [call.id or f"{id}-{n}" for n, call in enumerate(step.calls)]
    if step.calls:
        message["tool_calls"] = [
            {"id": each, "function": call.tool, "arguments": call.arguments, "type": "function"}
            | ({"parse_error": call.raw or call.told} if call.fault == "not_json" else {})
            for each, call in zip(ids, step.calls, strict=True)
        ]
    yield message
    for n, (each, call) in enumerate(zip(ids, step.calls, strict=True)):
        yield _write_tool_result(f"{id}-{n}r", each, call, results)


def _write_tool_result(id: str, call_id: str, call: ToolCall, results: Mapping[str, Wire]) -> Json:
    wire = results.get(call.result)
    content: Any = call.told
    if wire is not None:
        found = [_write_content(part) for part in wire.get("content") or []]
        texts = [each["text"] for each in found if each["type"] == "text"]
        content = "\n".join(texts) if len(texts) == len(found) else found
        if not found and "structuredContent" in wire:
            content = json.dumps(wire["structuredContent"], ensure_ascii=False)
    message: Json = {
        "id": id,
        "role": "tool",
        "content": content,
        "tool_call_id": call_id,
        "function": call.tool,
    }
    if call.is_error:
        said = content if isinstance(content, str) else call.told
        kind = ERRORS.get(call.fault, "unknown")
        message["error"] = {"type": kind, "message": said or call.fault or "no result"}
    return message


def _write_content(part: Any) -> Json:
    part = table(part)
    if part.get("type") == "image" and isinstance(part.get("data"), str):
        return {"type": "image", "image": f"data:{part.get('mimeType', 'image/png')};base64,{part['data']}"}
    text = part.get("text")
    return {"type": "text", "text": text if isinstance(text, str) else json.dumps(part, ensure_ascii=False)}


def _write_scores(score: Score, trajectory: Trajectory) -> Json:
    """Return both definitions of right, each with what the scorer found."""
    facts = "\n".join(f"{name}: {value}" for name, value in score.facts.items())
    submitted = trajectory.submission.text if trajectory.submission is not None else "nothing committed"
    explanation = f"submission: {submitted[:2_000]}\n{facts}"
    return {
        name: {"value": value, "answer": score.answer, "explanation": explanation, "metadata": score.facts}
        for name, value in (("strict", score.strict), ("compat", score.compat))
    }


def _write_usage(tokens: Tokens) -> Json:
    return {
        "input_tokens": tokens.input_uncached,
        "output_tokens": tokens.output,
        "total_tokens": tokens.total,
        "input_tokens_cache_write": tokens.cache_write,
        "input_tokens_cache_read": tokens.cache_read,
        "reasoning_tokens": tokens.reasoning,
    }


def _write_target(sample: Sample) -> str:
    answer = sample.truth.get("answer", sample.truth.get("target"))
    return answer if isinstance(answer, str) else json.dumps(sample.truth if answer is None else answer)


def model_name(trajectories: Sequence[Trajectory]) -> str:
    """Return the model of a run's records as Inspect writes names: provider/model."""
    name = next((each.model for each in trajectories if each.model), "")
    agent = trajectories[0].agent if trajectories else "agent"
    return name.replace(":", "/", 1) if ":" in name else f"labrig/{name or agent}"


def _name_stop(trajectory: Trajectory) -> str:
    return {"refused": "content_filter", "token_limit": "max_tokens"}.get(trajectory.end, "stop")


def _find_period(trajectories: Sequence[Trajectory]) -> tuple[str, str]:
    times = sorted(str(each.meta["started"]) for each in trajectories if each.meta.get("started"))
    return (times[0], times[-1]) if times else ("1970-01-01T00:00:00+00:00",) * 2


def _find_number(text: str) -> float:
    """Return the first number of an end detail such as ``24 steps`` or ``5000 of 4000 tokens``."""
    head = text.split()[:1]
    try:
        return float(head[0])
    except (IndexError, ValueError):
        return 0.0
