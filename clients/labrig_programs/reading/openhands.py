"""OpenHands: its trajectories, the ``output.jsonl`` of its evaluations, and the events of its SDK.

An event is an action of the agent or what came of it. The actions of one reply of the model name it
(``model_response.id``, ``llm_response_id``) and are one turn. Its first generation keeps each reply with its usage; the
SDK counts tokens for the whole run alone, apart for each use of a model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labrig_harness.endings import EndReason
from labrig_harness.trajectory import Cost, Tokens
from labrig_programs.reading.building import (
    UNFINISHED,
    Json,
    OpenCall,
    OpenRun,
    OpenTurn,
    as_text,
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

NAME = "openhands"

_TALK = {"message", "system", "finish"}
_OWN = {"recall", "change_agent_state", "null", "condensation", "condensation_request", "agent_state_changed"}
"""Events by which the program talks to itself."""


def is_event(record: Any) -> bool:
    """Return whether a JSON object is an event of OpenHands."""
    if not isinstance(record, dict) or "timestamp" not in record or not isinstance(record.get("source"), str):
        return False
    return word(record.get("kind")).endswith(("Event", "Observation")) or bool(
        record.keys() & {"action", "observation"} and {"id", "message"} <= record.keys()
    )


def is_result(record: Any) -> bool:
    """Return whether a JSON object is a line of ``output.jsonl``."""
    return (
        isinstance(record, dict) and "instance_id" in record and any(map(is_event, _list_events(record)[:1]))
    )


def read(document: Any) -> list[ReadRun]:
    """Read a list of events, or a line of ``output.jsonl``, which is one run; none where it is neither."""
    record = document if is_result(document) else {"history": document}
    events = _list_events(record)
    if not any(map(is_event, events)):
        return []
    made = _Run(OpenRun(NAME, Skipped()))
    for event in events:
        made.take(event)
    metadata, metrics = table(record.get("metadata")), table(record.get("metrics"))
    if metrics:
        made.counted = {"": metrics}
    made.run.model = made.run.model or _find_model(metadata) or _find_model(made.counted.get("default", {}))
    patch = table(record.get("test_result")).get("git_patch")
    done = made.finish(as_text(record.get("error")))
    return [
        replace(
            done,
            item=word(record.get("instance_id")),
            committed=patch if isinstance(patch, str) and patch else None,
        )
    ]


def _list_events(record: Json) -> list[Json]:
    """Return the events of a history; the oldest files hold pairs of an action and its observation."""
    history = record.get("history")
    pairs = (
        [each if isinstance(each, list) else [each] for each in history] if isinstance(history, list) else []
    )
    return rows([event for pair in pairs for event in pair])


def _find_model(about: Json) -> str:
    config = table(about.get("llm_config")) or table(about.get("llm")) or about
    return word(config.get("model")) or word(config.get("model_name"))


class _Run:
    """A run that is put together event by event."""

    def __init__(self, run: OpenRun) -> None:
        self.run = run
        self.reply = ""
        self.by_event: dict[Any, OpenCall] = {}
        self.counted: dict[str, Json] = {}
        self.end: EndReason = "agent_error"
        self.why = UNFINISHED

    def take(self, event: Json) -> None:
        if started := word(event.get("timestamp")):
            self.run.meta.setdefault("started", started)
        kind = word(event.get("kind"))
        if kind == "ConversationStateUpdateEvent":
            stats = table(event.get("value"))
            self.counted.update(table(stats.get("usage_to_metrics")))
            if event.get("key") == "execution_status" and event.get("value") == "finished":
                self.end, self.why = "answered", ""
        elif kind == "ActionEvent":
            self._take_sdk_action(event)
        elif kind in ("MessageEvent", "SystemPromptEvent"):
            said = table(event.get("llm_message") or event.get("system_prompt"))
            self._take_message(
                event, seen_text(said.get("content") or said.get("text")), system=kind[0] == "S"
            )
        elif kind == "ConversationErrorEvent":
            self.run.warn(word(event.get("detail")) or word(event.get("code")))
        elif kind:
            self._take_sdk_observation(event)
        elif "observation" in event:
            self._take_observation(event)
        elif "action" in event:
            self._take_action(event)

    # ------------------------------------------------------------------------------------------ first generation

    def _take_action(self, event: Json) -> None:
        action, arguments = word(event.get("action")), table(event.get("args"))
        about = table(event.get("tool_call_metadata"))
        response = table(about.get("model_response")) or table(event.get("model_response"))
        if action in _OWN or event.get("source") == "environment":
            return
        if action in ("message", "system") or event.get("source") != "agent":
            text = word(arguments.get("content")) or word(event.get("message"))
            self._take_message(event, text, system=action == "system")
            return
        choices = rows(response.get("choices"))
        message = table(choices[0].get("message")) if choices else {}
        turn = self._find_turn(event, word(response.get("id")))
        if not turn.text:
            text = seen_text(message.get("content")) or word(arguments.get("thought"))
            turn.text = [text] if text else []
            turn.model = word(response.get("model"))
            turn.tokens = openai_tokens(table(response.get("usage")))
            self.run.model = self.run.model or turn.model
        id = word(about.get("tool_call_id"))
        name = word(about.get("function_name"))
        if name:
            asked = next((each for each in rows(message.get("tool_calls")) if each.get("id") == id), {})
            call = OpenCall.of(name, table(asked.get("function")).get("arguments"), id)
        elif action not in _TALK:
            given = {key: value for key, value in arguments.items() if key != "thought"}
            call = OpenCall(action, given, f"event-{event.get('id')}")
        else:
            call = None
        if call is not None:
            self.run.add_call(turn, call)
            self.by_event[event.get("id")] = call
        if action == "finish":
            said = word(arguments.get("final_thought")) or word(arguments.get("thought"))
            self._conclude(said, call)

    def _take_observation(self, event: Json) -> None:
        kind = word(event.get("observation"))
        call = self.by_event.get(event.get("cause"))
        if kind in _OWN or call is None:
            if kind == "agent_state_changed":
                state = word(table(event.get("extras")).get("agent_state"))
                self.end, self.why = ("answered", "") if state == "finished" else (self.end, self.why)
            elif kind == "error":
                self.run.warn(word(event.get("content")))
            return
        call.answer({"content": [text_part(as_text(event.get("content")))], "isError": kind == "error"})

    # -------------------------------------------------------------------------------------------------- both

    def _find_turn(self, event: Json, reply: str) -> OpenTurn:
        self.end, self.why = "agent_error", UNFINISHED  # until it says that it is done
        last = self.run.last_turn()
        if last is None or not reply or reply != self.reply:
            last = self.run.turn(time=word(event.get("timestamp")))
        self.reply = reply
        return last

    def _take_message(self, event: Json, text: str, *, system: bool) -> None:
        by_agent = event.get("source") == "agent" and not system
        turn = self.run.turn(
            "agent" if by_agent else "system" if system else "user", text, word(event.get("timestamp"))
        )
        self.reply = ""
        if by_agent:  # it hands over to the user
            turn.tokens = openai_tokens(table(_find_response(event).get("usage")))
            self.end, self.why = "answered", ""

    def _conclude(self, said: str, call: OpenCall | None) -> None:
        if call is not None:
            call.answer({"content": [text_part(said)] if said else [], "isError": False})
        self.end, self.why = "answered", ""

    # --------------------------------------------------------------------------------------------------- SDK

    def _take_sdk_action(self, event: Json) -> None:
        turn = self._find_turn(event, word(event.get("llm_response_id")))
        for text, into in ((seen_text(event.get("thought")), turn.text),
                           (word(event.get("reasoning_content")), turn.reasoning)):  # fmt: skip
            if text and text not in into:
                into.append(text)
        asked = table(event.get("tool_call"))
        given = asked.get("arguments") if asked else table(event.get("action"))
        call = OpenCall.of(word(event.get("tool_name")), given, word(event.get("tool_call_id")))
        self.run.add_call(turn, call)
        if call.tool == "finish":
            self._conclude(word(table(event.get("action")).get("message")), call)

    def _take_sdk_observation(self, event: Json) -> None:
        id = word(event.get("tool_call_id"))
        if not id:
            return
        call = self.run.answered_call(id)
        if call is None or call.tool == "finish":
            return
        seen = table(event.get("observation"))
        told = word(event.get("error")) or word(event.get("rejection_reason"))
        if told:
            call.refuse(told)
            return
        content = seen.get("content") if "content" in seen else seen.get("output")
        failed = seen.get("is_error") is True or bool(seen.get("error"))
        call.answer({"content": [text_part(seen_text(content))], "isError": failed})

    def finish(self, error: str) -> ReadRun:
        """Count the tokens of the whole run where no reply says its own, and say why it ended."""
        amounts = [each.get("accumulated_cost") for each in self.counted.values()]
        cost = sum(each for each in amounts if isinstance(each, int | float) and not isinstance(each, bool))
        if cost:
            self.run.cost = Cost(float(cost), "USD", f"{NAME} (its own estimate)")
        agents = [turn for turn in self.run.turns if turn.source == "agent"]
        whole = [table(each.get("accumulated_token_usage")) for each in self.counted.values()]
        if any(whole) and not any(turn.tokens.measured for turn in agents):
            self.run.count_together(sum(map(_read_whole, whole), Tokens(measured=True)), "the whole run")
        if error:
            lowered = error.casefold()
            self.end = (
                "step_limit"
                if "iteration" in lowered
                else "cost_limit"
                if "budget" in lowered
                else "agent_error"
            )
            self.why = error
        return self.run.finish(end=self.end, detail=self.why, text=self.run.last_words())


def _find_response(event: Json) -> Json:
    return table(event.get("model_response")) or table(
        table(event.get("tool_call_metadata")).get("model_response")
    )


def _read_whole(usage: Json) -> Tokens:
    prompt, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    cached = min(prompt, count(usage.get("cache_read_tokens")))
    written = min(prompt - cached, count(usage.get("cache_write_tokens")))
    return Tokens(
        prompt - cached - written,
        cached,
        written,
        output,
        min(output, count(usage.get("reasoning_tokens"))),
        True,
    )
