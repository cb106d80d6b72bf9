"""Inspect's EvalLog, read from ``.json`` and ``.eval``.

Inspect's ``input_tokens`` leave out what was read from the cache. Its messages carry no tokens: those of each reply
are read from the ``model`` events, and where a log has none the sample's sum is put on the last turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from labrig.errors import LabrigError
from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Fault, Tokens
from labrig_programs.reading.building import (
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
from labrig_programs.reading.lines import Skipped, parse
from labrig_programs.reading.read_run import ReadRun

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
    samples = enumerate(rows(document.get("samples")), 1)
    return [_read_one(f"sample {number}", sample, document) for number, sample in samples]


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
            document = table(parse(_read_member(archive, file, header)))
        except unreadable as error:
            raise LabrigError(f"The header of this .eval file cannot be read: {error}") from error
        for name, entry in names.items():
            if not (name.startswith("samples/") and name.endswith(".json")):
                continue
            try:
                sample = parse(_read_member(archive, file, entry))
            except unreadable as error:
                reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                yield ReadRun(NAME, (), skipped=(f"{name}: {reason}",))
                continue
            yield _read_one(name, table(sample), document)


def _read_one(name: str, sample: Json, document: Json) -> ReadRun:
    """Return a sample as a run, which says so where it is nested too deep; the others are read all the same."""
    try:
        return read_sample(sample, document)
    except RecursionError:
        return ReadRun(NAME, (), skipped=(f"{name}: nested too deep",))


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


def _read_member(archive: Any, file: BinaryIO, entry: Any) -> bytes:
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
    usage = _read_usage(sample)
    room = _Room(
        max(FREE_ATTACHED, TIMES * sum(len(each) for each in attachments.values() if isinstance(each, str)))
    )
    for message in rows(sample.get("messages")):
        _take_message(run, _resolve_attachments(message, attachments, room), usage)
    if room.left < 0:
        run.skipped.add("attachments that are named too often: only their names are kept")
    models = [table(each) for each in table(sample.get("model_usage")).values()]
    if models and not any(turn.tokens.measured for turn in run.turns):
        run.count_together(
            sum((_read_tokens(each) for each in models), Tokens(measured=True)), "the whole run"
        )
    text = run.last_words()
    end, detail = _find_end(run, sample, text)
    done = run.finish(end=end, detail=detail, text=text)
    return replace(done, item=as_text(sample.get("id")), epoch=max(0, count(sample.get("epoch")) - 1))


@dataclass
class _Room:
    """Characters of attachments that may still be put in; below 0 once one was left out."""

    left: int


def _resolve_attachments(value: Any, attachments: Mapping[str, Any], room: _Room) -> Any:
    """Put attachments back where a log refers to them, as long as there is room."""
    if isinstance(value, str):
        found = attachments.get(value) if value.startswith("attachment://") else None
        if not isinstance(found, str):
            return value
        room.left = room.left - len(found) if room.left >= len(found) else -1
        return found if room.left >= 0 else value
    if isinstance(value, list):
        return [_resolve_attachments(each, attachments, room) for each in value]
    if isinstance(value, dict):
        return {key: _resolve_attachments(each, attachments, room) for key, each in value.items()}
    return value


def _read_usage(sample: Json) -> dict[str, Tokens]:
    found = {}
    for event in rows(sample.get("events")):
        output = table(event.get("output"))
        choices = rows(output.get("choices"))
        if event.get("event") == "model" and choices and isinstance(output.get("usage"), dict):
            found[word(table(choices[0].get("message")).get("id"))] = _read_tokens(output["usage"])
    found.pop("", None)
    return found


def _read_tokens(usage: Json) -> Tokens:
    output = count(usage.get("output_tokens"))
    return Tokens(
        input_uncached=count(usage.get("input_tokens")),
        cache_read=count(usage.get("input_tokens_cache_read")),
        cache_write=count(usage.get("input_tokens_cache_write")),
        output=output,
        reasoning=min(output, count(usage.get("reasoning_tokens"))),
        measured=True,
    )


def _take_message(run: OpenRun, message: Json, usage: Mapping[str, Tokens]) -> None:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        _take_tool_message(run, message)
        return
    if role != "assistant":
        run.turn("user" if role == "user" else "system", seen_text(_read_parts(content)))
        return
    turn = run.turn()
    turn.model = word(message.get("model"))
    for block in rows(content):
        if block.get("type") == "reasoning":
            turn.reasoning.append(word(block.get("reasoning")) or word(block.get("summary")))
    if text := seen_text(_read_parts(content)):
        turn.text.append(text)
    turn.tokens = usage.get(word(message.get("id")), Tokens())
    for call in rows(message.get("tool_calls")):
        arguments, raw = arguments_of(call.get("arguments"))
        error = word(call.get("parse_error"))
        opened = OpenCall(word(call.get("function")), arguments, word(call.get("id")), raw=raw or error)
        opened.fault = "not_json" if raw or error else ""
        run.add_call(turn, opened)


def _take_tool_message(run: OpenRun, message: Json) -> None:
    call = run.answered_call(word(message.get("tool_call_id")))
    if call is None:
        return
    given, error = _read_parts(message.get("content")), table(message.get("error"))
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


def _read_parts(content: Any) -> list[Json]:
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


def _find_end(run: OpenRun, sample: Json, text: str) -> tuple[EndReason, str]:
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
