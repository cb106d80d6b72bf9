"""What a failed request to a model means for a run: one line that says what to do, and whether it may pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labrig.redaction import redact
from labrig_harness.agent import AgentSpec
from labrig_harness.endings import ModelError, RateLimited, Refused, TokenLimit
from labrig_harness.models.messages import as_utf8
from labrig_harness.models.names import split_name

MOST_CHARS = 300
"""Characters of a service's own words in an error."""

TOO_LONG = re.compile(
    r"exceed_context_size_error|exceed\w*[^.]{0,60}?context[ _-]?(size|window|length)"  # llama.cpp, llama-cpp-python
    r"|context[ _-]?(size|window|length)[^.]{0,60}?(exceed|overflow)|maximum (context|prompt|input) length"
    r"|context the overflows|reached context length|maximum number of tokens allowed"  # LM Studio, Gemini
    r"|longer than the (maximum model length|model's (maximum )?context)"  # vLLM, SGLang
    r"|(prompt|input)( length)? (is )?too long|reduce the length of the (messages|input|prompt)"  # Anthropic, Groq
    r"|`?inputs`?( tokens)?[^.]{0,40} must (be <=|have less than)",  # TGI, Together
    re.IGNORECASE,
)
"""How servers say that a conversation no longer fits into the context, where no code of theirs does."""
REJECTED = (400, 413, 422, 500)
"""Statuses with which they say so: a limit of tokens a minute is another thing, and passes."""


@dataclass(frozen=True)
class Failure:
    raised: Exception
    passing: bool = False
    seconds: float | None = None


def failure_of(error: Exception, spec: AgentSpec, tries: int) -> Failure:
    """Return what a failed request means for the run: what to raise, and whether it may pass."""
    from pydantic_ai import exceptions as failed

    provider_name, provider, name = split_name(spec.model)
    said = _quote_service(error)
    after = f" ({tries} tries)" if tries > 1 else ""
    status = getattr(error, "status_code", None)
    code = getattr(error, "provider_error_code", None)
    if (
        isinstance(error, failed.ModelContextWindowExceededError)
        or status == 413
        or _is_too_long(error, status)
    ):
        return Failure(TokenLimit(f"the conversation is too long for {spec.model}: {said}"))
    if isinstance(error, failed.ContentFilterError) or code in ("content_filter", "content_policy_violation"):
        return Failure(Refused(said))
    if isinstance(error, failed.ModelAuthenticationError):
        # What the service says is left out: some quote a part of the key.
        keys = " or ".join(provider.keys)
        return Failure(
            ModelError(
                f"{provider_name} refused the key (status {status}): check the environment variable {keys}"
            )
        )
    if isinstance(error, failed.ModelNotFoundError):
        return Failure(
            ModelError(f"{provider_name} knows no model {name!r}, or its address is another: {said}")
        )
    if isinstance(error, failed.ModelQuotaExceededError):
        return Failure(ModelError(f"the quota or credit at {provider_name} is used up: {said}"))
    if isinstance(error, (failed.ModelRateLimitError, failed.ModelUnavailableError)):
        wait = error.retry_after
        limited = RateLimited(f"{provider_name} asks to wait (status {status}){after}: {said}", wait)
        return Failure(limited, passing=True, seconds=wait)
    if isinstance(error, (failed.ModelServerError, failed.ModelConnectionError, failed.ModelRequestTimeout)):
        wait = error.retry_after
        what = "took too long" if isinstance(error, failed.ModelTimeoutError) else "failed"
        address = f" at {spec.settings['base_url']}" if "base_url" in spec.settings else ""
        return Failure(
            ModelError(f"{provider_name}{address} {what}{after}: {said}"), passing=True, seconds=wait
        )
    if isinstance(error, failed.ModelHTTPError):
        return Failure(ModelError(f"{provider_name} rejected the request (status {status}): {said}"))
    garbled = (
        failed.UnexpectedModelBehavior,
        failed.ModelAPIError,
        TypeError,
        AttributeError,
        LookupError,
        ValueError,
    )
    if isinstance(error, garbled):  # the library stumbles over some bodies that no service should send
        return Failure(ModelError(f"{provider_name} gave no answer that can be read: {said}"))
    return Failure(error)


def _is_too_long(error: Exception, status: int | None) -> bool:
    """Return whether a server says in its own words that the conversation is longer than its context."""
    said = f"{getattr(error, 'body', None) or ''} {getattr(error, 'message', '') or error}"
    return status in REJECTED and TOO_LONG.search(said[:10_000]) is not None


def _quote_service(error: Exception) -> str:
    """Return a service's own words of an error, in one line."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    message = inner.get("message") if isinstance(inner, Mapping) else None
    return one_line(str(message or getattr(error, "message", "") or error))


def one_line(text: str) -> str:
    line = redact(as_utf8(" ".join(text.split())))
    return line if len(line) <= MOST_CHARS else f"{line[:MOST_CHARS]} ..."
