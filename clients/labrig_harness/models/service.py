"""Asking a model: the checks at the start, and one request with its retries.

Requests go through `pydantic_ai.direct`: the library speaks each service's form, and nothing of its agents is used,
which end a run at a model's mistake.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec
from labrig_harness.endings import ModelError
from labrig_harness.models import settings as model_settings
from labrig_harness.models.errors import failure_of, one_line
from labrig_harness.models.messages import as_utf8
from labrig_harness.models.names import key_of, split_name
from labrig_harness.models.settings import Form
from labrig_harness.trajectory import Fault, Tokens

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.tools import ToolDefinition

FIRST_WAIT_S, LONGEST_WAIT_S, TRIES = 1.0, 30.0, 4
"""Back-off inside a request: the wait doubles. A service that asks for a longer one is left to the runner."""


@dataclass(frozen=True)
class Call:
    """A tool call as the model wrote it; `raw` is its arguments, an object or a text that should be one."""

    id: str
    tool: str
    raw: str | dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the model answered to one request.

    Attributes
    ----------
    faults
        Mistakes that belong to no call.
    refused
        The service's word for why the model declined; empty where it did not.
    version
        The model that says it answered.
    meta
        Seconds, retries, and in the first reply the settings as they were sent.
    response
        The library's own form, to be handed back as history.
    """

    text: str
    reasoning: str
    calls: tuple[Call, ...]
    tokens: Tokens
    faults: tuple[Fault, ...]
    refused: str
    version: str
    meta: dict[str, Any]
    response: ModelResponse


# ------------------------------------------------------------------------------------------------- at the start


def check(spec: AgentSpec, *, tools: bool) -> None:
    """Raise a LabrigError when a model cannot be asked as the specification says, before any item is run.

    One request is put together in full and held back, so that what a model would not be sent is known.
    """
    provider_name, provider, _ = split_name(spec.model)
    model_settings.check(spec.settings)
    _check_installed()
    key_of(provider_name, provider)
    if provider.ours and not spec.settings.get("base_url"):
        raise LabrigError(
            f"The provider {provider_name} needs the address of the server",
            where="--set base_url=",
            expected="http://127.0.0.1:11434/v1" if provider_name == "ollama" else "http://127.0.0.1:8000/v1",
        )
    body = _rehearse_request(spec, tools=tools)
    lost = model_settings.missing(spec.settings, model_settings.in_body(body, provider.form))
    if lost:
        given = ", ".join(f"{each}={spec.settings[each]!r}" for each in lost)
        raise LabrigError(
            f"{spec.model} does not take {given}: the request would go without",
            where="--set",
            try_=f"leave {' and '.join(lost)} out",
            code="refused",
        )


def _check_installed() -> None:
    missing = []
    for package in ("pydantic-ai-slim", "anthropic", "openai", "google-genai"):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            missing.append(package)
    if missing:
        raise LabrigError(
            f"Agents with a model need {', '.join(missing)}",
            where="--agent",
            try_="pip install 'labrig[agents]'",
            code="unavailable",
        )


class _HeldBack(Exception):
    """The request of a rehearsal: put together, and not sent."""


def _rehearse_request(spec: AgentSpec, *, tools: bool) -> dict[str, Any]:
    """Return the body of a request that is put together and not sent."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.tools import ToolDefinition

    bodies: list[dict[str, Any]] = []

    async def hold(request: httpx2.Request) -> None:
        bodies.append(json.loads(request.content))
        raise _HeldBack

    async def rehearse() -> None:
        offered = [ToolDefinition(name="tool", parameters_json_schema={"type": "object"})] if tools else []
        async with _open_model(spec, hold) as model:
            await _send_request(model, spec, [ModelRequest([UserPromptPart("?")])], offered)

    def in_a_loop_of_its_own() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is dropped is looked for in the body
            asyncio.run(rehearse())

    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(in_a_loop_of_its_own).result()
    except Exception as error:
        if not bodies:
            what = f"No request to {spec.model} can be put together: {one_line(str(error))}"
            raise LabrigError(what, where="--model") from error
    return bodies[0]


# --------------------------------------------------------------------------------------------------- requests


@asynccontextmanager
async def _open_model(
    spec: AgentSpec, before: Callable[[httpx2.Request], Awaitable[None]]
) -> AsyncIterator[Model]:
    """Open the library's model; `before` sees every request before it is sent."""
    from pydantic_ai import UnsupportedSettingWarning, UsageExtractionFailedWarning
    from pydantic_ai.models import create_async_httpx2_client

    # Both are in the record: settings as they were sent, tokens as not measured.
    for category in (UnsupportedSettingWarning, UsageExtractionFailedWarning):
        warnings.simplefilter("ignore", category)
    provider_name, provider, name = split_name(spec.model)
    key, url = key_of(provider_name, provider), spec.settings.get("base_url")
    client = create_async_httpx2_client(
        timeout=float(spec.settings.get("timeout_s", model_settings.TIMEOUT_S))
    )
    client.event_hooks = {**client.event_hooks, "request": [*client.event_hooks["request"], before]}
    async with client:
        yield _make_model(provider_name, provider.form, name, key, url, client)


def _make_model(
    provider_name: str, form: Form, name: str, key: str, url: str | None, client: httpx2.AsyncClient
) -> Model:
    if form == "messages":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=url, http_client=client))
    if form == "gemini":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=url, http_client=client))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    if provider_name == "openai":
        return OpenAIResponsesModel(name, provider=OpenAIProvider(url, key, http_client=client))
    if provider_name == "openai-chat":
        return OpenAIChatModel(name, provider=OpenAIProvider(url, key, http_client=client))
    if provider_name == "vllm":
        from pydantic_ai.providers.vllm import VLLMProvider

        return OpenAIChatModel(
            name, provider=VLLMProvider(base_url=url, api_key=key or None, http_client=client)
        )
    if provider_name == "ollama":
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        return OllamaModel(name, provider=OllamaProvider(url, key or None, http_client=client))
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    compatible = OpenAICompatibleProvider(
        "openai-compatible", base_url=url or "", api_key=key or None, http_client=client
    )
    return OpenAIChatModel(name, provider=compatible)


async def _send_request(
    model: Model, spec: AgentSpec, conversation: Sequence[ModelMessage], tools: list[ToolDefinition]
) -> ModelResponse:
    from pydantic_ai.direct import model_request
    from pydantic_ai.models import ModelRequestParameters

    return await model_request(
        model,
        conversation,
        model_settings=model_settings.to_library(spec.settings, split_name(spec.model)[1].form),
        model_request_parameters=ModelRequestParameters(function_tools=tools, allow_text_output=True),
    )


@dataclass
class Session:
    """A model that can be asked."""

    model: Model
    spec: AgentSpec
    sent: dict[str, Any] = field(default_factory=dict)
    """The settings as the first request carried them, and where it went; recorded with the first reply."""

    async def ask(
        self, conversation: Sequence[ModelMessage], tools: list[ToolDefinition], *, seconds: float
    ) -> Reply:
        """Ask once, and again while the service is overloaded or out of reach, within the seconds that are left.

        Raises
        ------
        RateLimited
            When the service asks to wait for longer than is done here.
        TokenLimit
            When the conversation does not fit the model.
        Refused
            When the service refuses the request for its content.
        ModelError
            For every other failure of the service.
        """
        started = time.monotonic()
        retries: list[dict[str, Any]] = []
        while True:
            clock = time.monotonic()
            try:
                response = await _send_request(self.model, self.spec, conversation, tools)
                break
            except Exception as error:
                failure = failure_of(error, self.spec, len(retries) + 1)
                wait = FIRST_WAIT_S * 2 ** len(retries) * (0.5 + random.random() / 2)
                wait = max(wait, failure.seconds or 0.0)
                left = seconds - (time.monotonic() - started)
                if not failure.passing or len(retries) + 1 >= TRIES or wait > min(LONGEST_WAIT_S, left):
                    raise failure.raised from None  # the library's error quotes the service, key and all
                retries.append({"error": str(failure.raised), "waited_s": round(wait, 3)})
                await asyncio.sleep(wait)
        meta: dict[str, Any] = {"model_s": round(time.monotonic() - clock, 4)}
        if retries:
            meta["retries"] = retries
        if self.sent:
            meta["sent"], self.sent = self.sent, {}
        reply = _make_reply(response, meta)
        if not response.parts and response.finish_reason is None and not reply.tokens.measured:
            raise ModelError(f"{self.spec.model} gave no answer that can be read: there is nothing in it")
        return reply


@asynccontextmanager
async def connect(spec: AgentSpec, model: Model | None = None) -> AsyncIterator[Session]:
    """Open a model for one item.

    Parameters
    ----------
    model
        One of the library's own to be asked in place of a service, such as its FunctionModel.
    """
    if model is not None:
        yield Session(model, spec)
        return
    try:
        _check_installed()
        key_of(*split_name(spec.model)[:2])
    except LabrigError as error:  # checked at the start, but a worker has an environment of its own
        raise ModelError(str(error)) from error
    noted: list[Session] = []

    async def note(request: httpx2.Request) -> None:
        if noted:
            session = noted.pop()
            body, form = json.loads(request.content), split_name(spec.model)[1].form
            url = urlsplit(str(request.url))
            session.sent = {
                **model_settings.in_body(body, form),
                "url": f"{url.scheme}://{url.netloc}{url.path}",
            }

    async with _open_model(spec, note) as opened:
        session = Session(opened, spec)
        noted.append(session)
        yield session


def versions() -> dict[str, str]:
    """Return the versions of the packages that requests go through."""
    return {
        name: metadata.version(name) for name in ("pydantic-ai-slim", "anthropic", "openai", "google-genai")
    }


def takes_images(spec: AgentSpec) -> bool:
    """Return whether images in tool results go to the model."""
    return bool(spec.settings.get("images", not split_name(spec.model)[1].ours))


# ---------------------------------------------------------------------------------------------------- replies


def _make_reply(response: ModelResponse, meta: dict[str, Any]) -> Reply:
    from pydantic_ai.messages import ToolCallPart

    details = response.provider_details or {}
    text = as_utf8(response.text or "")
    calls = tuple(
        Call(each.tool_call_id, as_utf8(each.tool_name), cast("str | dict[str, Any]", each.args or {}))
        for each in response.parts
        if isinstance(each, ToolCallPart)
    )
    faults: list[Fault] = []
    refused = ""
    if response.finish_reason == "content_filter":
        refused = one_line(
            str(details.get("refusal") or text or details.get("finish_reason") or "content filter")
        )
    elif response.finish_reason == "length":
        faults.append("cut_off")
    elif details.get("finish_reason") == "MALFORMED_FUNCTION_CALL" and not calls:
        faults.append("not_json")  # Gemini ends the reply itself; the call has no name
    elif not calls and not text.strip():
        faults.append("empty_reply")
    return Reply(
        text=text or as_utf8(str(details.get("refusal") or "")),
        reasoning=as_utf8(response.thinking or ""),
        calls=calls,
        tokens=_count_tokens(response),
        faults=tuple(faults),
        refused=refused,
        version=response.model_name or "",
        meta=meta,
        response=response,
    )


def _count_tokens(response: ModelResponse) -> Tokens:
    """Return disjoint counts; the library's input includes what was read from and written to a cache."""
    usage = response.usage
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    return Tokens(
        input_uncached=max(0, usage.input_tokens - cached),
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        output=usage.output_tokens,
        reasoning=usage.output_reasoning_tokens,
        measured=not usage.unmeasured_requests and usage.has_values(),
    )
