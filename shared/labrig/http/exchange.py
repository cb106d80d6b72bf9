"""One exchange with a service: what was asked, and what came of it."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from typing import Any

from labrig import __version__
from labrig.errors import LabrigError
from labrig.http.messages import Hop, Request, Response, Wire
from labrig.http.stored import Stored
from labrig.redaction import redact, redact_bytes

Outcome = Response | LabrigError


@dataclass(frozen=True)
class Exchange:
    """One exchange, as the ledger holds it.

    Attributes
    ----------
    ordinal
        Its number among equal requests, from 0; only polls have more than one.
    recorded_at
        ISO 8601, UTC, seconds.
    service
        Name of the declared service; may be empty.
    limit_bytes
        The cap on the body's size that was in effect.
    labrig
        Version that recorded it.
    """

    request: Request
    outcome: Outcome
    ordinal: int = 0
    recorded_at: str = ""
    took_ms: int = 0
    service: str = ""
    limit_bytes: int = 0
    labrig: str = __version__

    def clean(self) -> Exchange:
        """Return the exchange without `Request.wire`, every text and body redacted once more."""
        return replace(
            self,
            request=clean(self.request),
            outcome=_clean_response(self.outcome)
            if isinstance(self.outcome, Response)
            else _clean_error(self.outcome),
            service=redact(self.service),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the exchange as plain data that becomes JSON."""
        request, outcome = self.request, self.outcome
        fields: dict[str, Any] = {
            "request": {
                "method": request.method,
                "url": request.url,
                "headers": dict(request.headers),
                **(_body(request.body) if request.body else {}),
            }
        }
        if isinstance(outcome, Response):
            body = (
                {"body_file": _beside(outcome.stored), "size": outcome.size}
                if outcome.stored
                else _body(outcome.body)
            )
            fields["response"] = {**response_fields(outcome), "sha256": outcome.sha256, **body}
        else:
            fields["error"] = outcome.to_dict()
        return fields | {
            "ordinal": self.ordinal,
            "recorded_at": self.recorded_at,
            "took_ms": self.took_ms,
            "service": self.service,
            "limit_bytes": self.limit_bytes,
            "labrig": self.labrig,
        }


def clean(request: Request) -> Request:
    """Return a request without its wire, redacted; one that was made with the same keys stays as it is."""
    return Request(
        request.method,
        redact(request.url),
        tuple((name, redact(value)) for name, value in request.headers),
        redact_bytes(request.body),
        Wire("", (), b"", ()),
    )


def _clean_response(response: Response) -> Response:
    return replace(
        response,
        url=redact(response.url),
        headers={name: redact(value) for name, value in response.headers.items()},
        body=redact_bytes(response.body),
        redirects=tuple(Hop(hop.status, redact(hop.url), redact(hop.to)) for hop in response.redirects),
    )


def _clean_error(error: LabrigError) -> LabrigError:
    return LabrigError.from_dict(
        {name: redact(value) if isinstance(value, str) else value for name, value in error.to_dict().items()}
    )


def is_answer(outcome: Outcome) -> bool:
    """Tell whether an outcome says something of what was asked, and not only that it was unavailable just then."""
    return isinstance(outcome, Response) and outcome.status < 500 and outcome.status != 429


# ------------------------------------------------------------------------------------------ an outcome as text


def response_fields(response: Response) -> dict[str, Any]:
    """Return what a response has beside its body."""
    return {
        "status": response.status,
        "url": response.url,
        "headers": dict(response.headers),
        "redirects": [[hop.status, hop.url, hop.to] for hop in response.redirects],
        "retrieved_at": response.retrieved_at,
    }


def to_text(outcome: Outcome) -> str:
    """Return an outcome as JSON, a response without its body."""
    return json.dumps(response_fields(outcome) if isinstance(outcome, Response) else outcome.to_dict())


def from_text(text: str, body: bytes | Stored | None) -> Outcome:
    """Return the outcome that `to_text` wrote; None for a body says that it is an error.

    Raises
    ------
    ValueError, KeyError, TypeError, AttributeError
        If it did not write this: a ledger may come from elsewhere.
    """
    fields = json.loads(text)
    if body is None:
        return LabrigError.from_dict(fields)
    hops = tuple(Hop(*hop) for hop in fields["redirects"])
    headers: dict[str, str] = fields["headers"]
    words = [fields["url"], fields["retrieved_at"], *headers, *headers.values()]
    words += [word for hop in hops for word in (hop.url, hop.to)]
    if any(type(each) is not int for each in (fields["status"], *(hop.status for hop in hops))):
        raise TypeError("a status is not a number")
    if not all(isinstance(word, str) for word in words):
        raise TypeError("a field that should be text is not")
    there, here = (body, b"") if isinstance(body, Stored) else (None, body)
    given = fields["status"], fields["url"], headers, here, hops, fields["retrieved_at"]
    return Response(*given, "ledger", there)


def _beside(stored: Stored) -> str:
    """Return where a body's file is, seen from the folder of its ledger."""
    return "/".join(stored.path.parts[-3:])


def _body(body: bytes) -> dict[str, str]:
    try:
        return {"body": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}
