"""The operator's model, for what a published sub-tool asks a model: pictures described, pages summed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http import Key, Limit, Service

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig.http.chat import Completion

LANGUAGE_MODEL = Service(
    "language_model",
    "https://api.openai.com/v1",
    limit=Limit(per_second=2, concurrent=2),
    key=Key(
        "earth",
        "model_key",
        header="Authorization",
        prefix="Bearer ",
        get_it="https://platform.openai.com/api-keys",
    ),
    terms="https://openai.com/policies/service-terms",
)
"""One of the operator's own that speaks chat completions too is named by ``LABRIG_HTTP_URL_LANGUAGE_MODEL``."""


def require_model(configured: str, what: str) -> None:
    """Raise ``unavailable`` where the operator has named no model."""
    if not configured:
        raise LabrigError(
            f"No model is configured that could {what}",
            where="the setting earth.model",
            try_="set LABRIG_EARTH_MODEL and LABRIG_EARTH_MODEL_KEY; LABRIG_HTTP_URL_LANGUAGE_MODEL for another "
            "service that speaks chat completions",
            code="unavailable",
        )


async def ask_model(
    client: Client, model: str, messages: Sequence[Mapping[str, Any]], most_tokens: int
) -> Completion:
    """Return what the model writes; LabrigError as `labrig.http.chat.complete`, and for an empty answer."""
    from labrig.http.chat import complete

    found = await complete(client, LANGUAGE_MODEL, model, messages, most_tokens=most_tokens)
    if not found.text.strip():
        raise LabrigError(
            "The model wrote nothing",
            where=model,
            try_="more tokens, since models that think first spend them on that",
            code="unreachable",
        )
    return found
