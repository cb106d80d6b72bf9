"""The typed errors that statuses stand for."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from labrig.errors import LabrigError
from labrig.http.messages import Response
from labrig.http.retrying import retry_after
from labrig.http.services import Service

DEFAULT_WAIT_S = 60.0
"""What a 429 that names no time is reported to ask for."""


def unwelcome(response: Response, service: Service | None = None) -> LabrigError:
    """Return the error that an answer with an error status stands for."""
    host = urlsplit(response.url).netloc
    says = _says(response)
    wait = retry_after(dict(response.headers), response.retrieved_at)
    if response.status == 429 or (response.status == 503 and wait is not None):
        seconds = DEFAULT_WAIT_S if wait is None else wait
        return LabrigError(
            f"{host} asks to wait {seconds:g} s before it is asked again{says}",
            where=response.url,
            try_=f"the same call in {seconds:g} s",
            code="rate_limited",
            retry_after_s=seconds,
        )
    if response.status in (404, 410):
        return LabrigError(f"{host} has no such page or record{says}", where=response.url, code="not_found")
    if response.status in (401, 403, 407, 451):
        key = f"check {service.key.variable}" if service is not None and service.key is not None else ""
        return LabrigError(
            f"{host} refuses this request with status {response.status}{says}",
            where=response.url,
            try_=key,
            code="refused",
        )
    if response.status >= 500 or response.status < 400:
        return LabrigError(
            f"{host} answers with status {response.status}{says}",
            where=response.url,
            try_="the same call later",
            code="unreachable",
        )
    return LabrigError(
        f"{host} does not take this request: status {response.status}{says}", where=response.url
    )


def _says(response: Response) -> str:
    """Return the beginning of what a service says of an error, in words."""
    text = response.text
    if "<" in text[:200]:
        text = re.sub(
            r"<(script|style)\b.*?</\1\s*>|<[^>]*>", " ", text[:20_000], flags=re.DOTALL | re.IGNORECASE
        )
    words = " ".join(text[:5_000].split())
    return f': "{words[:200]}"' if words else ""
