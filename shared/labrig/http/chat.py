"""Asking a model for text: a service that speaks OpenAI's chat completions, the operator's own or a hosted one.

https://platform.openai.com/docs/api-reference/chat; servers of local models (vLLM, Ollama, llama.cpp) speak it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig.http.client import Client
    from labrig.http.services import Service

TIMEOUT_S, PATIENCE_S = 45, 5
"""A call of a tool ends before the 60 s after which most clients stop waiting."""


@dataclass(frozen=True)
class Completion:
    """What a model wrote; the model that says it did, and where the answer came from, for the record of a call."""

    text: str
    model: str
    source: Mapping[str, Any]


async def complete(
    client: Client,
    service: Service,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    *,
    most_tokens: int | None = None,
) -> Completion:
    """Return what a model answers to messages (``role`` and ``content``, a text or parts with images).

    Raises
    ------
    LabrigError
        What the client says; ``unreachable`` for an answer without text.
    """
    body: dict[str, Any] = {"model": model, "messages": [dict(each) for each in messages]}
    if most_tokens is not None:
        body["max_tokens"] = most_tokens
    sent = await client.ask(
        service, "chat/completions", method="POST", data=body, timeout_s=TIMEOUT_S, patience_s=PATIENCE_S
    )
    answer = sent.json()
    try:
        text = answer["choices"][0]["message"]["content"]
        if not isinstance(text, str):
            raise TypeError
    except (KeyError, IndexError, TypeError):
        raise LabrigError(
            f"{service.name} answered without text",
            where=sent.url,
            expected="a chat completion",
            code="unreachable",
        ) from None
    named = answer.get("model")
    return Completion(text, named if isinstance(named, str) and named else model, sent.source())
