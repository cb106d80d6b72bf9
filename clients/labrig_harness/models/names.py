"""The name of a model: who serves it, and with which key.

=================== ========== ============================================ ==============================
provider            wire form  key, the first that is set                   base_url
=================== ========== ============================================ ==============================
anthropic           messages   ANTHROPIC_API_KEY                            its own
openai              responses  OPENAI_API_KEY                               its own
openai-chat         chat       OPENAI_API_KEY                               its own
google, gemini      gemini     GOOGLE_API_KEY, GEMINI_API_KEY               its own
vllm                chat       VLLM_API_KEY, or none                        must be given
ollama              chat       OLLAMA_API_KEY, or none                      must be given
openai-compatible   chat       OPENAI_COMPATIBLE_API_KEY, or none           must be given
=================== ========== ============================================ ==============================
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from labrig.errors import LabrigError, nearest
from labrig.redaction import redact
from labrig_harness.models.settings import Form


@dataclass(frozen=True)
class Provider:
    """Who serves a model: the wire form, and the environment variables that may hold the key."""

    form: Form
    keys: tuple[str, ...]
    ours: bool = False
    """A server of the user's own: it needs an address, a key or none, and may take no images."""


PROVIDERS = {
    "anthropic": Provider("messages", ("ANTHROPIC_API_KEY",)),
    "openai": Provider("responses", ("OPENAI_API_KEY",)),
    "openai-chat": Provider("chat", ("OPENAI_API_KEY",)),
    "google": Provider("gemini", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "gemini": Provider("gemini", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "vllm": Provider("chat", ("VLLM_API_KEY",), ours=True),
    "ollama": Provider("chat", ("OLLAMA_API_KEY",), ours=True),
    "openai-compatible": Provider("chat", ("OPENAI_COMPATIBLE_API_KEY",), ours=True),
}


def split_name(model: str) -> tuple[str, Provider, str]:
    """Return the provider's name, the provider and the model's name.

    Raises
    ------
    LabrigError
        When it is not PROVIDER:NAME with a known provider.
    """
    provider, colon, name = model.partition(":")
    if not colon or not name.strip() or provider not in PROVIDERS:
        close = nearest(provider, PROVIDERS)
        raise LabrigError(
            f"{model!r} names no model",
            where="--model",
            expected="PROVIDER:NAME with one of the providers " + ", ".join(PROVIDERS),
            try_="did you mean " + " or ".join(f"{each}:..." for each in close) + "?"
            if close and colon
            else "",
        )
    return provider, PROVIDERS[provider], name


def key_of(provider_name: str, provider: Provider) -> str:
    """Return the key, or an empty text where none is needed."""
    variable = next((each for each in provider.keys if os.environ.get(each)), "")
    key = os.environ.get(variable, "")
    if not key and not provider.ours:
        raise LabrigError(
            f"No key for {provider_name}: the environment variable {' or '.join(provider.keys)} is not set",
            where="--model",
            try_=f"export {provider.keys[0]}=KEY",
            code="unavailable",
        )
    # A header cannot carry such a key, and what could not be kept out of the records must not be used.
    if (
        not key.isascii()
        or not key.isprintable()
        or key != key.strip()
        or (len(key) > 7 and key in redact(key))
    ):
        raise LabrigError(
            f"The environment variable {variable} holds no usable key",
            where="--model",
            expected="printable ASCII without spaces or line ends around it, and no path",
            code="unavailable",
        )
    return key
