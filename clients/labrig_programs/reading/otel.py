"""Traces of OpenTelemetry that follow its conventions for generative AI: OTLP as JSON, or spans as an SDK prints them.

A span of a model's reply is a turn, and its tokens are those of the turn. A span of ``execute_tool`` is a call; what a
reply asked for and no span shows is a call, too, whose result may stand among the messages of a later reply. Texts are
there only where the program was told to record them. A conversation is a run, or a trace where none is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from labrig_harness.trajectory import Tokens
from labrig_programs.reading.building import (
    UNFINISHED,
    Json,
    OpenCall,
    OpenRun,
    as_text,
    count,
    rows,
    seen_text,
    stopped,
    table,
    text_part,
    word,
)
from labrig_programs.reading.lines import Skipped, parse
from labrig_programs.reading.read_run import ReadRun

NAME = "otel"

_REPLIES = {"chat", "text_completion", "generate_content", "call_llm"}
_TOOL, _AGENT = "execute_tool", "invoke_agent"
_OPERATION = "gen_ai.operation.name"


def is_trace(record: Any) -> bool:
    """Return whether a JSON object holds spans in OTLP's form, or spans of a model, or is one."""
    if not isinstance(record, dict):
        return False
    if isinstance(record.get("resourceSpans"), list):
        return True
    return any(_OPERATION in table(each.get("attributes")) for each in rows(record.get("spans")) or [record])


def read(document: Any) -> list[ReadRun]:
    """Read a document, or the objects of its lines: a run for each conversation, or for each trace without one."""
    documents = rows(document) or rows([document])
    spans = [span for each in documents for span in _list_spans(each)]
    named = {
        span["trace"]: name for span in spans if (name := word(span["about"].get("gen_ai.conversation.id")))
    }
    runs: dict[str, list[Json]] = {}
    for span in sorted(spans, key=lambda each: each["begun"]):
        runs.setdefault(named.get(span["trace"]) or span["trace"], []).append(span)
    found = [run for name, of_run in runs.items() if (run := _read_run(name, of_run)) is not None]
    final = table(documents[0]).get("final_output") if len(documents) == 1 else None
    if final is not None and len(found) == 1:
        return [replace(found[0], committed=as_text(final), end="answered", end_detail="")]
    return found


def _list_spans(document: Json) -> Iterator[Json]:
    for resource in rows(document.get("resourceSpans")):
        for scope in rows(resource.get("scopeSpans")):
            for span in rows(scope.get("spans")):
                yield _make_span(span, _read_attributes(span), span)
    held = [each for each in rows(document.get("spans")) or [document] if "attributes" in each]
    for span in held if "resourceSpans" not in document else ():
        yield _make_span(span, table(span.get("attributes")), table(span.get("context")))


def _make_span(span: Json, about: Json, named: Json) -> Json:
    """Return what is needed of a span; its events may hold what its attributes do not."""
    for event in rows(span.get("events")):
        held = event.get("attributes")
        about = {**(held if isinstance(held, dict) else _read_attributes(event)), **about}
    status = table(span.get("status"))
    failed = as_text(status.get("status_code", status.get("code"))).upper()
    return {
        "trace": as_text(named.get("trace_id", named.get("traceId"))),
        "begun": as_text(span.get("start_time", span.get("startTimeUnixNano"))).rjust(40, "0"),
        "failed": failed.endswith("ERROR") or failed == "2" or "error.type" in about,
        "why": word(status.get("description"))
        or word(status.get("message"))
        or as_text(about.get("error.type")),
        "about": about,
    }


def _read_attributes(span: Json) -> Json:
    """Return attributes in OTLP's form as an object."""
    return {word(each.get("key")): _read_value(each.get("value")) for each in rows(span.get("attributes"))}


def _read_value(value: Any) -> Any:
    for kind, held in table(value).items():
        if kind == "intValue" and isinstance(held, str) and held.isdigit():
            return int(held)
        if kind == "arrayValue":
            return [_read_value(each) for each in rows(table(held).get("values"))]
        if kind == "kvlistValue":
            return _read_attributes({"attributes": table(held).get("values")})
        return held
    return None


def _read_run(name: str, spans: list[Json]) -> ReadRun | None:
    run, agent, broken = OpenRun(NAME, Skipped(), meta={"session": name}), "", ""
    for span in spans:
        about, operation = span["about"], span["about"].get(_OPERATION)
        if operation in _REPLIES:
            broken = span["why"] if span["failed"] else ""
            _take_reply(run, about)
        elif operation == _TOOL:
            _take_tool(run, span)
        elif operation == _AGENT:
            agent = agent or word(about.get("gen_ai.agent.name"))
    if not any(turn.source == "agent" for turn in run.turns):
        return None
    end, detail = stopped(run, said := run.last_words())
    last = run.last_turn()
    if broken:
        end, detail = "model_error", broken
    elif last is not None and last.calls:
        end, detail = "agent_error", UNFINISHED
    return replace(run.finish(end=end, detail=detail, text=said), agent=agent)


def _take_reply(run: OpenRun, about: Json) -> None:
    asked = _read_messages(about.get("gen_ai.input.messages"))
    if run.last_turn() is None:
        for part in _read_messages(about.get("gen_ai.system_instructions")):
            run.turn("system", _read_text([part]))
        for message in asked:
            if message.get("role") in ("user", "system"):
                run.turn("user" if message["role"] == "user" else "system", _read_text(_list_parts(message)))
    for message in asked:  # results that no span shows
        for part in _list_parts(message):
            waiting = run.calls.get(word(part.get("id")), [])
            if part.get("type") == "tool_call_response" and waiting and not waiting[-1].answered:
                told = as_text(part.get("response", part.get("result")))
                waiting[-1].answer({"content": [text_part(told)], "isError": False})
    turn = run.turn()
    turn.model = word(about.get("gen_ai.response.model")) or word(about.get("gen_ai.request.model"))
    run.model = run.model or turn.model
    turn.tokens = _count(about)
    if "length" in as_text(about.get("gen_ai.response.finish_reasons")):
        turn.faults.append("cut_off")
    for message in _read_messages(about.get("gen_ai.output.messages", about.get("gen_ai.output"))):
        if "tool.name" in message:
            run.add_call(turn, OpenCall.of(word(message["tool.name"]), message.get("tool.args"), ""))
            continue
        held = _list_parts(message)
        turn.text += [text] if (text := _read_text(held)) else []
        for part in held:
            if part.get("type") == "tool_call":
                call = OpenCall.of(word(part.get("name")), part.get("arguments"), word(part.get("id")))
                run.add_call(turn, call)


def _take_tool(run: OpenRun, span: Json) -> None:
    """Answer the call that a reply asked for, or add it to the last reply."""
    about, last = span["about"], run.last_turn() or run.turn()
    name, id = word(about.get("gen_ai.tool.name")), word(about.get("gen_ai.tool.call.id"))
    asked = [each for each in last.calls if not each.answered]
    call = next((each for each in asked if each.id == id), None) if id else None
    call = call or next((each for each in asked if each.tool == name and not (id and each.id)), None)
    if call is None:
        given = about.get("gen_ai.tool.call.arguments", about.get("gen_ai.tool.args"))
        call = OpenCall.of(name, given, id)
        run.add_call(last, call)
    told = as_text(about.get("gen_ai.tool.call.result", about.get("gen_ai.output"))) or span["why"]
    call.answer({"content": [text_part(told)], "isError": span["failed"]})


def _read_messages(value: Any) -> list[Json]:
    """Return messages, which may be written as JSON; a text that is none is one message."""
    if isinstance(value, str):
        try:
            read = parse(value)
        except (ValueError, RecursionError):
            read = None
        messages = rows(read)
        return messages if messages else [{"role": "assistant", "content": value}]
    return rows(value)


def _list_parts(message: Json) -> list[Json]:
    held = message.get("parts", message.get("content"))
    return rows(held) if isinstance(held, list) else [{"type": "text", "content": as_text(held)}]


def _read_text(held: list[Json]) -> str:
    texts = [
        {"type": "text", "text": part.get("content", part.get("text"))}
        for part in held
        if part.get("type") == "text"
    ]
    return seen_text(texts)


def _count(about: Json) -> Tokens:
    """Return the tokens of a reply; the input includes what was cached, and older names are taken, too."""
    usage = {
        key.removeprefix("gen_ai.usage."): value
        for key, value in about.items()
        if key.startswith("gen_ai.usage.")
    }
    given = count(usage.get("input_tokens")) or count(usage.get("prompt_tokens"))
    output = count(usage.get("output_tokens")) or count(usage.get("completion_tokens"))
    read = min(given, count(usage.get("cache_read.input_tokens")))
    written = min(given - read, count(usage.get("cache_creation.input_tokens")))
    reasoning = min(output, count(usage.get("reasoning.output_tokens")))
    return Tokens(given - read - written, read, written, output, reasoning, bool(given or output))
