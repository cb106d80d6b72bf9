"""Inspect's EvalLog: read from ``.json`` and ``.eval``, written as ``.json`` so that ``inspect view`` opens it.

Inspect's ``input_tokens`` leave out what was read from the cache. Its messages carry no tokens: those of each reply
are read from the ``model`` events, and where a log has none the sample's sum is put on the last turn.

The format is versioned but not a published standard; what is written here was read back with inspect-ai 0.3.285.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean
from typing import Any, BinaryIO

from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig_harness.agents.reading.building import (
    Json,
    OpenCall,
    OpenRun,
    arguments_of,
    as_text,
    count,
    parts,
    rows,
    seen_text,
    stopped,
    table,
    text_bytes,
    text_part,
    word,
)
from labrig_harness.agents.reading.lines import Skipped, parse
from labrig_harness.agents.reading.read_run import ReadRun, Wire
from labrig_harness.endings import OUTSIDE, EndReason
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Fault, Step, Tokens, ToolCall, Trajectory

NAME = "inspect"

LIMITS: dict[str, EndReason] = {
    "message": "step_limit",
    "turn": "step_limit",
    "time": "wall_limit",
    "working": "wall_limit",
    "token": "token_limit",
    "context": "token_limit",
    "cost": "cost_limit",
}
MOST_SAMPLE = 128 * 2**20
"""Bytes of one sample of an ``.eval`` file that are read."""
FREE_SAMPLE, FREE_ARCHIVE, RATIO = 16 * 2**20, 256 * 2**20, 100
"""Bytes to which a member and a whole archive may unpack, however small they are packed; above, they may become so
many times as large. Logs of inspect-ai become 5 to 40 times as large."""
FREE_ATTACHED, TIMES = 16 * 2**20, 2
"""Bytes of attachments that the messages of a sample may name; above, so many times what all of them have together."""


# -------------------------------------------------------------------------------------------------- reading


def is_eval_log(document: Any) -> bool:
    """Return whether a JSON value is an EvalLog."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and "status" in document


def read(document: Json) -> list[ReadRun]:
    """Read an EvalLog that was loaded from ``.json``: one run for each sample and epoch.

    Raises
    ------
    LabrigError
        If this is not an EvalLog.
    """
    if not is_eval_log(document):
        raise LabrigError(
            "This is not an EvalLog of Inspect", expected="a JSON object with eval, status and samples"
        )
    return [read_sample(sample, document) for sample in rows(document.get("samples"))]


def read_archive(file: BinaryIO) -> Iterator[ReadRun]:
    """Read the samples of an ``.eval`` file one at a time.

    Raises
    ------
    LabrigError
        If it is not a zip archive, has no header, or is compressed with zstd and pyarrow is not installed.
    """
    import zlib
    from lzma import LZMAError
    from zipfile import BadZipFile, ZipFile

    # RuntimeError: a password, or a method of packing that is not known
    unreadable = (
        *(ValueError, RecursionError, OSError, EOFError),
        *(BadZipFile, zlib.error, LZMAError, RuntimeError),
    )
    try:
        archive = ZipFile(file)
    except BadZipFile as error:
        raise LabrigError(
            "This is not a whole .eval file: it has no zip directory",
            expected="an EvalLog as inspect-ai writes it",
            try_="inspect log recover FILE, if the run was killed",
        ) from error
    with archive:
        _check_sizes(archive.infolist(), file)
        names = {each.filename: each for each in archive.infolist()}
        header = names.get("header.json") or names.get("_journal/start.json")
        if header is None:
            raise LabrigError("This zip archive is not an .eval file", expected="header.json in it")
        try:
            document = table(parse(_member(archive, file, header)))
        except unreadable as error:
            raise LabrigError(f"The header of this .eval file cannot be read: {error}") from error
        for name, entry in names.items():
            if not (name.startswith("samples/") and name.endswith(".json")):
                continue
            try:
                sample = parse(_member(archive, file, entry))
            except unreadable as error:
                reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                yield ReadRun(NAME, (), skipped=(f"{name}: {reason}",))
                continue
            yield read_sample(table(sample), document)


def _check_sizes(entries: Sequence[Any], file: BinaryIO) -> None:
    """Refuse an archive that would become too large, by the sizes of its directory, or whose members share bytes."""
    size = file.seek(0, 2)
    unpacked = sum(each.file_size for each in entries)
    if unpacked > max(FREE_ARCHIVE, RATIO * size) or sum(each.compress_size for each in entries) > size:
        raise LabrigError(
            f"This .eval file of {size:,} bytes would become {unpacked:,}",
            expected=f"at most {FREE_ARCHIVE // 2**20} MB, or {RATIO} times its own size",
            code="limit",
        )


def _member(archive: Any, file: BinaryIO, entry: Any) -> bytes:
    """Return a member's bytes; zstd (method 93) is one that the standard library of Python < 3.14 lacks."""
    if entry.file_size > MOST_SAMPLE:
        raise ValueError(f"more than {MOST_SAMPLE // 2**20} MB")
    if entry.file_size > max(FREE_SAMPLE, RATIO * entry.compress_size):
        raise ValueError(f"{entry.compress_size:,} bytes that would become {entry.file_size:,}")
    if entry.compress_type != 93:
        found: bytes = archive.read(entry)
        return found
    try:
        import pyarrow
    except ImportError:
        raise LabrigError(
            "This .eval file is compressed with zstd, which needs pyarrow",
            try_="pip install 'labrig[parquet]', or inspect log convert --to json",
            code="unavailable",
        ) from None
    file.seek(entry.header_offset)
    head = file.read(30)  # the local header: its two lengths at the end say where the data begins
    file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    packed = file.read(entry.compress_size)
    try:
        with pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd") as stream:
            unpacked: bytes = stream.read(entry.file_size + 1)
    except (OSError, pyarrow.ArrowException) as error:
        raise ValueError(f"damaged: {error}") from error
    if len(unpacked) != entry.file_size:
        raise ValueError("damaged: its length differs")
    return unpacked


def read_sample(sample: Json, document: Json) -> ReadRun:
    """Read one sample of a log; `document` is the log's header."""
    about = table(document.get("eval"))
    run = OpenRun(NAME, Skipped(), model=word(about.get("model")))
    run.versions = {word(k): word(v) for k, v in table(about.get("packages")).items()}
    run.meta = {
        "task": word(about.get("task")),
        "target": sample.get("target"),
        "scores": {
            name: {"value": score.get("value"), "answer": score.get("answer")}
            for name, score in table(sample.get("scores")).items()
            if isinstance(score, dict)
        },
    }
    if choices := sample.get("choices"):
        run.meta["choices"] = choices
    if started := word(sample.get("started_at")):
        run.meta["started"] = started
    if isinstance(seconds := sample.get("total_time"), int | float):
        run.meta["duration_s"] = seconds
    attachments = {f"attachment://{key}": value for key, value in table(sample.get("attachments")).items()}
    usage = _usage_by_message(sample)
    room = _Room(
        max(FREE_ATTACHED, TIMES * sum(len(each) for each in attachments.values() if isinstance(each, str)))
    )
    for message in rows(sample.get("messages")):
        _message(run, _resolved(message, attachments, room), usage)
    if room.left < 0:
        run.skipped.add("attachments that are named too often: only their names are kept")
    models = [table(each) for each in table(sample.get("model_usage")).values()]
    if models and not any(turn.tokens.measured for turn in run.turns):
        run.count_together(sum((_tokens(each) for each in models), Tokens(measured=True)), "the whole run")
    last = run.last_turn()
    text = "\n".join(last.text) if last is not None and not last.calls else ""
    end, detail = _end(run, sample, text)
    done = run.finish(end=end, detail=detail, text=text)
    return replace(done, item=as_text(sample.get("id")), epoch=max(0, count(sample.get("epoch")) - 1))


@dataclass
class _Room:
    """Characters of attachments that may still be put in; below 0 once one was left out."""

    left: int


def _resolved(value: Any, attachments: Mapping[str, Any], room: _Room) -> Any:
    """Put attachments back where a log refers to them, as long as there is room."""
    if isinstance(value, str):
        found = attachments.get(value) if value.startswith("attachment://") else None
        if not isinstance(found, str):
            return value
        room.left = room.left - len(found) if room.left >= len(found) else -1
        return found if room.left >= 0 else value
    if isinstance(value, list):
        return [_resolved(each, attachments, room) for each in value]
    if isinstance(value, dict):
        return {key: _resolved(each, attachments, room) for key, each in value.items()}
    return value


def _usage_by_message(sample: Json) -> dict[str, Tokens]:
    found = {}
    for event in rows(sample.get("events")):
        output = table(event.get("output"))
        choices = rows(output.get("choices"))
        if event.get("event") == "model" and choices and isinstance(output.get("usage"), dict):
            found[word(table(choices[0].get("message")).get("id"))] = _tokens(output["usage"])
    found.pop("", None)
    return found


def _tokens(usage: Json) -> Tokens:
    output = count(usage.get("output_tokens"))
    return Tokens(
        input_uncached=count(usage.get("input_tokens")),
        cache_read=count(usage.get("input_tokens_cache_read")),
        cache_write=count(usage.get("input_tokens_cache_write")),
        output=output,
        reasoning=min(output, count(usage.get("reasoning_tokens"))),
        measured=True,
    )


def _message(run: OpenRun, message: Json, usage: Mapping[str, Tokens]) -> None:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        _tool_message(run, message)
        return
    if role != "assistant":
        run.turn("user" if role == "user" else "system", seen_text(_parts(content)))
        return
    turn = run.turn()
    turn.model = word(message.get("model"))
    for block in rows(content):
        if block.get("type") == "reasoning":
            turn.reasoning.append(word(block.get("reasoning")) or word(block.get("summary")))
    if text := seen_text(_parts(content)):
        turn.text.append(text)
    turn.tokens = usage.get(word(message.get("id")), Tokens())
    for call in rows(message.get("tool_calls")):
        arguments, raw = arguments_of(call.get("arguments"))
        error = word(call.get("parse_error"))
        opened = OpenCall(word(call.get("function")), arguments, word(call.get("id")), raw=raw or error)
        opened.fault = "not_json" if raw or error else ""
        run.add_call(turn, opened)


def _tool_message(run: OpenRun, message: Json) -> None:
    call = run.call(word(message.get("tool_call_id")))
    if call is None:
        run.skipped.add("results of calls that the log does not show")
        return
    given, error = _parts(message.get("content")), table(message.get("error"))
    told = word(error.get("message"))
    call.delivered_bytes = text_bytes(given) or len(told.encode("utf-8", "surrogatepass"))
    if error.get("type") == "parsing" or call.raw:
        fault: Fault = "not_json" if call.raw else "unknown_tool" if "not found" in told else "bad_arguments"
        call.refuse(told, fault)
    elif error.get("type") == "approval":
        call.refuse(told)
    else:
        if error.get("type") == "timeout":
            call.fault = "timeout"
        shown = given if any(part.get("text") for part in given) or not told else [text_part(told)]
        call.answer({"content": shown, "isError": bool(error)})


def _parts(content: Any) -> list[Json]:
    """Return Inspect's content as MCP's parts; reasoning has its own place."""
    if not isinstance(content, list):
        return parts(content)
    found = []
    for block in rows(content):
        url = word(block.get("image"))
        if block.get("type") == "reasoning":
            continue
        if block.get("type") == "image" and url.startswith("data:") and ";base64," in url:
            kind, _, data = url.removeprefix("data:").partition(";base64,")
            found.append({"type": "image", "data": data, "mimeType": kind})
        else:
            found += parts([block])
    return found


def _end(run: OpenRun, sample: Json, text: str) -> tuple[EndReason, str]:
    error, limit = table(sample.get("error")), table(sample.get("limit"))
    if error:
        return "agent_error", word(error.get("message"))
    if limit:
        kind = word(limit.get("type"))
        return LIMITS.get(kind, "agent_error"), f"{kind} limit {as_text(limit.get('limit'))}"
    choices = rows(table(sample.get("output")).get("choices"))
    stop = word(choices[0].get("stop_reason")) if choices else ""
    if stop == "content_filter":
        return "refused", "content_filter"
    last = run.last_turn()
    if stop in ("max_tokens", "model_length") and last is not None:
        last.faults.append("cut_off")
    return stopped(run, text)


# -------------------------------------------------------------------------------------------------- writing

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
    first, last = _period(trajectories)
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
            "model_usage": {model: _usage(usage)} if usage.measured else {},
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
        messages += _messages(f"{sample.id}-{trajectory.epoch}-{number}", step, results)
    prompt = next((step.text for step in trajectory.steps if step.source == "user"), sample.brief.prompt)
    last = next((each for each in reversed(messages) if each["role"] == "assistant"), None)
    tokens = trajectory.tokens
    started = trajectory.meta.get("started")
    document: Json = {
        "id": sample.id,
        "epoch": trajectory.epoch + 1,
        "input": prompt,
        "target": _target(sample),
        "messages": messages,
        "output": {
            "model": model,
            "choices": [{"message": last, "stop_reason": _stop(trajectory)}] if last is not None else [],
            "completion": next((each.text for each in reversed(trajectory.turns)), ""),
        },
        "scores": _scores(score, trajectory) if score is not None else {},
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
        "model_usage": {model: _usage(tokens)} if tokens.measured else {},
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
        document["limit"] = {"type": LIMIT_NAMES[trajectory.end], "limit": _number(trajectory.end_detail)}
    return document


def _messages(id: str, step: Step, results: Mapping[str, Wire]) -> Iterator[Json]:
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
        message["metadata"] = {"tokens": _usage(step.tokens), "faults": list(step.faults)}
    ids = [call.id or f"{id}-{n}" for n, call in enumerate(step.calls)]
    if step.calls:
        message["tool_calls"] = [
            {"id": each, "function": call.tool, "arguments": call.arguments, "type": "function"}
            | ({"parse_error": call.raw or call.told} if call.fault == "not_json" else {})
            for each, call in zip(ids, step.calls, strict=True)
        ]
    yield message
    for n, (each, call) in enumerate(zip(ids, step.calls, strict=True)):
        yield _tool_result(f"{id}-{n}r", each, call, results)


def _tool_result(id: str, call_id: str, call: ToolCall, results: Mapping[str, Wire]) -> Json:
    wire = results.get(call.result)
    content: Any = call.told
    if wire is not None:
        found = [_content(part) for part in wire.get("content") or []]
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


def _content(part: Any) -> Json:
    part = table(part)
    if part.get("type") == "image" and isinstance(part.get("data"), str):
        return {"type": "image", "image": f"data:{part.get('mimeType', 'image/png')};base64,{part['data']}"}
    text = part.get("text")
    return {"type": "text", "text": text if isinstance(text, str) else json.dumps(part, ensure_ascii=False)}


def _scores(score: Score, trajectory: Trajectory) -> Json:
    """Return both definitions of right, each with what the scorer found."""
    facts = "\n".join(f"{name}: {value}" for name, value in score.facts.items())
    submitted = trajectory.submission.text if trajectory.submission is not None else "nothing committed"
    explanation = f"submission: {submitted[:2_000]}\n{facts}"
    return {
        name: {"value": value, "answer": score.answer, "explanation": explanation, "metadata": score.facts}
        for name, value in (("strict", score.strict), ("compat", score.compat))
    }


def _usage(tokens: Tokens) -> Json:
    return {
        "input_tokens": tokens.input_uncached,
        "output_tokens": tokens.output,
        "total_tokens": tokens.total,
        "input_tokens_cache_write": tokens.cache_write,
        "input_tokens_cache_read": tokens.cache_read,
        "reasoning_tokens": tokens.reasoning,
    }


def _target(sample: Sample) -> str:
    answer = sample.truth.get("answer", sample.truth.get("target"))
    return answer if isinstance(answer, str) else json.dumps(sample.truth if answer is None else answer)


def model_name(trajectories: Sequence[Trajectory]) -> str:
    """Return the model of a run's records as Inspect writes names: provider/model."""
    name = next((each.model for each in trajectories if each.model), "")
    agent = trajectories[0].agent if trajectories else "agent"
    return name.replace(":", "/", 1) if ":" in name else f"labrig/{name or agent}"


def _stop(trajectory: Trajectory) -> str:
    return {"refused": "content_filter", "token_limit": "max_tokens"}.get(trajectory.end, "stop")


def _period(trajectories: Sequence[Trajectory]) -> tuple[str, str]:
    times = sorted(str(each.meta["started"]) for each in trajectories if each.meta.get("started"))
    return (times[0], times[-1]) if times else ("1970-01-01T00:00:00+00:00",) * 2


def _number(text: str) -> float:
    """Return the first number of an end detail such as ``24 steps`` or ``5000 of 4000 tokens``."""
    head = text.split()[:1]
    try:
        return float(head[0])
    except (IndexError, ValueError):
        return 0.0
