"""Exchanges as entries of a HAR file (HTTP Archive 1.2), which the developer tools of browsers open.

What the format asks for and a ledger does not know is -1 or empty, as it prescribes
(http://www.softwareishard.com/blog/har-12-spec/). ``labrig ledger export FILE.har`` writes them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from labrig import __version__
from labrig.http.exchange import Exchange
from labrig.http.messages import Request, Response

HEAD = {"version": "1.2", "creator": {"name": "labrig", "version": __version__}}
"""What a log has before its entries."""
VERSION = "HTTP/1.1"


def entry(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange as an entry; an error is a response with the status 0, as browsers write it."""
    outcome = exchange.outcome
    fields: dict[str, Any] = {
        "startedDateTime": exchange.recorded_at,
        "time": exchange.took_ms,
        "request": _request(exchange.request),
        "response": _response(outcome if isinstance(outcome, Response) else Response(0, "", {}, b"")),
        "cache": {},
        "timings": {"send": 0, "wait": exchange.took_ms, "receive": 0},
    }
    if not isinstance(outcome, Response):
        fields["response"]["_error"] = str(outcome)
        fields["comment"] = f"{outcome.code}: {outcome}"
    elif outcome.redirects:
        fields["_redirects"] = [
            {"status": hop.status, "url": hop.url, "redirectURL": hop.to} for hop in outcome.redirects
        ]
        fields["comment"] = f"answered by {outcome.url}"
    return fields


def _request(request: Request) -> dict[str, Any]:
    fields = {
        "method": request.method,
        "url": request.url,
        "httpVersion": VERSION,
        "cookies": [],
        "headers": _pairs(dict(request.headers)),
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": len(request.body),
    }
    if request.body:
        fields["postData"] = {
            "mimeType": dict(request.headers).get("content-type", ""),
            "text": request.body.decode("utf-8", "replace"),
        }
    return fields


def _response(response: Response) -> dict[str, Any]:
    content: dict[str, Any] = {
        "size": response.size,
        "mimeType": response.headers.get("content-type", "x-unknown"),
    }
    if response.stored is not None:  # no browser opens a page of gigabytes; the hash says which body it was
        content["comment"] = f"sha256 {response.sha256}, in a file beside the ledger"
    else:
        content |= _text(response.body)
    return {
        "status": response.status,
        "statusText": HTTPStatus(response.status).phrase if response.status in set(HTTPStatus) else "",
        "httpVersion": VERSION,
        "cookies": [],
        "headers": _pairs(response.headers),
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
    }


def _text(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode(), "encoding": "base64"}


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]
