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
    from labrig.http.messages import Response
    from labrig.http.services import Service

TIMEOUT_S, PATIENCE_S = 45, 5
"""A call of a tool ends before the 60 s after which most clients stop waiting."""
OLDER, NEWER = "max_tokens", "max_completion_tokens"


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

    OpenAI's models that reason take the limit as ``max_completion_tokens`` alone, other servers often as ``max_tokens``
    alone: the operator's own service is asked by the latter first, and again where it names the former.

    Raises
    ------
    LabrigError
        What the client says; ``unreachable`` for an answer without text.
    """
    body: dict[str, Any] = {"model": model, "messages": [dict(each) for each in messages]}

    async def ask(limit: str) -> Response:
        said = {} if most_tokens is None else {limit: most_tokens}
        return await client.ask(
            service, "chat/completions", method="POST", data=body | said, timeout_s=TIMEOUT_S,
            patience_s=PATIENCE_S,
        )  # fmt: skip

    try:
        sent = await ask(OLDER if service.moved else NEWER)
    except LabrigError as error:
        if not service.moved or most_tokens is None or NEWER not in error.what:
            raise
        sent = await ask(NEWER)
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
