"""Code that a model writes from a description: the published tool asks OpenAI; here the operator names model and key.

The service speaks OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat); one of the
operator's own that speaks them too is named by ``LABRIG_HTTP_URL_CODE_MODEL``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http import Key, Limit, Service
from labrig.http.chat import complete

if TYPE_CHECKING:
    from labrig.http import Client

CODE_MODEL = Service(
    "code_model",
    "https://api.openai.com/v1",
    limit=Limit(per_second=2, concurrent=2),
    key=Key(
        "atlas",
        "model_key",
        header="Authorization",
        prefix="Bearer ",
        get_it="https://platform.openai.com/api-keys",
    ),
    terms="https://openai.com/policies/service-terms",
)
ORDER = "Write a Python program for the task below. Answer with the program alone, in one code block.\n\n"
MOST_CHARS = 20_000
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)\n?```", re.DOTALL)


async def python_generate_code(
    client: Callable[[], Client],
    configured: str,
    description: str,
    model: str = "",
    extra_instructions: str = "",
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``{code, model}``, and where the answer came from.

    Parameters
    ----------
    client
        Gives the client of the network.
    configured
        The operator's model, whose service is asked; empty for none.
    model
        Another model of that service.

    Raises
    ------
    LabrigError
        ``unavailable`` where no model or key is configured; ``unreachable`` for an answer without code.
    """
    if not configured:
        raise LabrigError(
            "No model is configured that could write code",
            where="the setting atlas.model",
            try_="set LABRIG_ATLAS_MODEL and LABRIG_ATLAS_MODEL_KEY, or write the code and call python_execute_code",
            code="unavailable",
        )
    if not 0 < len(description.strip()) <= MOST_CHARS or len(extra_instructions) > MOST_CHARS:
        raise LabrigError(
            "This cannot be described to a model",
            where="description",
            expected=f"1 to {MOST_CHARS:,} characters",
        )
    asked = "\n\n".join(filter(None, (ORDER + description, extra_instructions)))
    wanted = model or configured
    written = await complete(client(), CODE_MODEL, wanted, [{"role": "user", "content": asked}])
    found = _FENCED.search(written.text)
    return {"code": found[1] if found else written.text.strip(), "model": wanted}, {
        "sources": [written.source]
    }
