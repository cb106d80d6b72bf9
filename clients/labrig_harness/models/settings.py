"""The settings of a model: read, put into the library's terms, and looked for in what was really sent.

A library between us and a service may drop a setting that it believes a model does not take, or send the nearest
value that it does. A benchmark must not: `missing` compares what was asked with the body of a request.

==================== ==================================================================================
temperature, top_p   sampling
effort               none, minimal, low, medium, high, xhigh, max: how much a model reasons
max_output_tokens    of one reply, reasoning included
seed                 where the service has one
base_url             of the service; for ``openai-compatible``, ``vllm`` and ``ollama`` always given
timeout_s            seconds one request may take (default 600)
cache                whether a service that caches only when asked to (Anthropic) is asked to: default false
images               whether images in tool results go to the model (default: not to ``openai-compatible``,
                     ``vllm`` and ``ollama``, whose model may take none)
==================== ==================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from labrig.errors import LabrigError, unknown_name

if TYPE_CHECKING:
    from pydantic_ai.settings import ModelSettings

Form = Literal["messages", "responses", "chat", "gemini"]
"""The wire form of a service: Anthropic's, OpenAI's two, Gemini's."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
TIMEOUT_S = 600.0

_NUMBERS: dict[str, tuple[type, float, float]] = {
    "temperature": (float, 0.0, 2.0),
    "top_p": (float, 0.0, 1.0),
    "max_output_tokens": (int, 1, math.inf),
    "seed": (int, -(2**63), 2**63),
    "timeout_s": (float, 0.001, math.inf),
}
NAMES = (*_NUMBERS, "effort", "cache", "base_url", "images")

_PLACES: dict[Form, dict[str, tuple[str, ...]]] = {
    "messages": {"temperature": ("temperature",), "top_p": ("top_p",), "max_output_tokens": ("max_tokens",)},
    "responses": {
        "temperature": ("temperature",),
        "top_p": ("top_p",),
        "max_output_tokens": ("max_output_tokens",),
        "effort": ("reasoning", "effort"),
    },
    "chat": {
        "temperature": ("temperature",),
        "top_p": ("top_p",),
        "max_output_tokens": ("max_completion_tokens",),
        "effort": ("reasoning_effort",),
        "seed": ("seed",),
    },
    "gemini": {
        "temperature": ("generationConfig", "temperature"),
        "top_p": ("generationConfig", "topP"),
        "max_output_tokens": ("generationConfig", "maxOutputTokens"),
        "seed": ("generationConfig", "seed"),
    },
}
"""Where a setting stands in the body of a request, by wire form; effort in the two others: see `_read_effort`."""

_SENT = ("temperature", "top_p", "effort", "max_output_tokens", "seed", "cache")


def check(settings: Mapping[str, Any]) -> None:
    """Raise a LabrigError for a setting that does not exist or whose value is of no use."""
    for name, value in settings.items():
        if name not in NAMES:
            raise unknown_name("setting", name, NAMES, where="settings")
        if name in _NUMBERS:
            _check_number(name, value)
        elif name == "effort" and value not in EFFORTS:
            raise unknown_name("effort", str(value), EFFORTS, where="settings.effort")
        elif name in ("cache", "images") and not isinstance(value, bool):
            raise LabrigError(f"{name} is true or false", where=f"settings.{name}")
        elif name == "base_url":
            _check_url(value)


def _check_number(name: str, value: object) -> None:
    kind, least, most = _NUMBERS[name]
    fits = isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
    if not fits or not least <= cast(float, value) <= most or not math.isfinite(cast(float, value)):
        numbers = "a whole number" if kind is int else "a number"
        bounds = f" of at least {least:g}" if most == math.inf else f" from {least:g} to {most:g}"
        raise LabrigError(f"{name} is {value!r}", where=f"settings.{name}", expected=numbers + bounds)


def _check_url(value: object) -> None:
    try:
        url = urlsplit(str(value))
        usable = url.scheme in ("http", "https") and bool(url.hostname)
    except ValueError:
        usable = False
    if not usable:
        example = "http://127.0.0.1:8000/v1"
        raise LabrigError(
            "base_url is not an address of a service", where="settings.base_url", expected=example
        )
    if url.username or url.password or url.query:
        raise LabrigError(
            "base_url holds more than an address, and settings are recorded",
            where="settings.base_url",
            try_="put the key into the environment variable that is for it",
        )


def to_library(settings: Mapping[str, Any], form: Form) -> ModelSettings:
    """Return settings in pydantic-ai's terms. The SDKs' own retries are off: ours are counted and recorded."""
    given: dict[str, Any] = {"max_retries": 0, "timeout": float(settings.get("timeout_s", TIMEOUT_S))}
    given |= {name: settings[name] for name in ("temperature", "top_p", "seed") if name in settings}
    if settings.get("cache"):
        given["cache"] = True
    if "max_output_tokens" in settings:
        given["max_tokens"] = settings["max_output_tokens"]
    if effort := settings.get("effort"):
        if form in ("responses", "chat"):
            given["openai_reasoning_effort"] = effort  # sent as it is; `thinking` would become the nearest
        else:
            given["thinking"] = False if effort == "none" else effort
    return cast("ModelSettings", given)


def in_body(body: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """Return the settings that the body of a request carries, under our names.

    Where a service takes a number of reasoning tokens in place of a level, ``effort`` is that number.
    """
    found = {name: _read_place(body, place) for name, place in _PLACES[form].items()}
    if form == "chat" and found["max_output_tokens"] is None:
        found["max_output_tokens"] = _read_place(
            body, ("max_tokens",)
        )  # the older name, which other servers take
    if form in ("messages", "gemini"):
        found["effort"] = _read_effort(body, form)
    found["cache"] = True if "cache_control" in body or "prompt_cache_options" in body else None
    return {name: found[name] for name in _SENT if found.get(name) is not None}


def missing(settings: Mapping[str, Any], sent: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings that were asked for and not sent as asked."""
    return [
        name for name in _SENT if name in settings and not _is_as_asked(settings[name], sent.get(name), name)
    ]


def _is_as_asked(asked: object, sent: object, name: str) -> bool:
    if name == "cache":
        return bool(asked) == bool(sent)
    if name != "effort" or isinstance(sent, str):
        return asked == sent
    if asked == "none":
        return sent == 0
    # The library has one number of tokens for "high" and what is above it.
    return isinstance(sent, int) and sent > 0 and asked not in ("xhigh", "max")


def _read_effort(body: Mapping[str, Any], form: Form) -> str | int | None:
    if form == "messages":
        kind = _read_place(body, ("thinking", "type"))
        level = _read_place(body, ("output_config", "effort"))
        return "none" if kind == "disabled" else level or _read_place(body, ("thinking", "budget_tokens"))
    config = _read_place(body, ("generationConfig", "thinkingConfig")) or {}
    level = config.get(
        "thinking_level", config.get("thinkingLevel")
    )  # the SDK has been seen to send either name
    budget = config.get("thinking_budget", config.get("thinkingBudget"))
    return level.lower() if isinstance(level, str) else budget


def _read_place(body: Mapping[str, Any], place: tuple[str, ...]) -> Any:
    value: Any = body
    for key in place:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
