"""A library that is built on `requests`, led through the one client by the session that it is given.

googlemaps is one (the server of maps): ``googlemaps.Client(key, requests_session=Session(client),
retry_over_query_limit=False)``. Without the last argument it asks again for up to a minute where Google answers
OVER_QUERY_LIMIT; it would ask the ledger, which holds that answer.

Statuses on which libraries ask again (429, 500, 502, 503, 504) reach them as an exception, not as a response: to ask
again, or not, is the client's to decide. googlemaps would do it on 500, 503 and 504 for a minute.

Exceptions are both what `requests` would raise and `LabrigError`; `labrig_error` finds it in what a library made of it.
"""

from __future__ import annotations

import http.client
from io import BytesIO
from typing import Any

import requests
import requests.adapters
import urllib3

from labrig.errors import LabrigError
from labrig.http.hiding import plain
from labrig.http.messages import Response
from labrig.http.sync import SyncClient

ASKED_AGAIN = frozenset({429, 500, 502, 503, 504})
"""Statuses that are raised; every other one is the library's to read."""
ACCEPT = frozenset(range(300, 600)) - ASKED_AGAIN
OURS = frozenset({"user-agent", "accept-encoding", "connection", "content-length", "transfer-encoding"})
"""Headers that `requests` sets for the connection it would have made, or in its own name."""


# --------------------------------------------------------------------------------------------------- exceptions


class RequestFailed(LabrigError, requests.exceptions.RequestException):
    """A `LabrigError` on its way through a library that expects exceptions of `requests`."""

    def __init__(self, error: LabrigError, request: requests.PreparedRequest | None = None) -> None:
        LabrigError.__init__(
            self,
            error.what,
            where=error.where,
            expected=error.expected,
            try_=error.try_,
            code=error.code,
            retry_after_s=error.retry_after_s,
        )
        self.labrig_error = error
        self.request = request


class Unreachable(RequestFailed, requests.exceptions.ConnectionError):
    """The service does not answer, or fails."""


class TimedOut(RequestFailed, requests.exceptions.Timeout):
    """The service did not answer in time."""


class Refused(RequestFailed):
    """The guard, robots.txt or this adapter does not let the request out."""


class RateLimited(RequestFailed):
    """The service, or our own limits, ask to wait longer than the caller's patience."""


class TooLarge(RequestFailed):
    """The response is larger than may be taken."""


class NotRecorded(RequestFailed):
    """A replay met a request that the ledger does not hold."""


_BY_CODE: dict[str, type[RequestFailed]] = {
    "unreachable": Unreachable,
    "refused": Refused,
    "rate_limited": RateLimited,
    "too_large": TooLarge,
    "not_recorded": NotRecorded,
}


def _failed(error: LabrigError, request: requests.PreparedRequest) -> RequestFailed:
    # A replayed error has no cause; the wire's sentence is in the ledger.
    if error.code == "unreachable" and "did not answer within" in error.what:
        return TimedOut(error, request)
    return _BY_CODE.get(error.code, RequestFailed)(error, request)


def labrig_error(error: BaseException | None) -> LabrigError | None:
    """Return the `LabrigError` that a library's exception goes back to, or None.

    Examples
    --------
    ::

        try:
            found = maps.geocode(address)
        except Exception as error:
            if (ours := labrig_error(error)) is not None:
                raise ours from None
            raise
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, RequestFailed):
            return error.labrig_error
        if isinstance(error, LabrigError):
            return error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None


# ------------------------------------------------------------------------------------------ adapter and session


class LabrigAdapter(requests.adapters.BaseAdapter):
    """Sends what `requests` has prepared through the client, and gives its response back as one of `requests`.

    Parameters
    ----------
    client
        What sends.
    more
        Further arguments of `Client.request` for every request, such as ``service`` or ``max_bytes``.
    """

    def __init__(self, client: SyncClient, **more: Any) -> None:
        super().__init__()
        self._client = client
        self._more = more

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
        follow: bool = False,
    ) -> requests.Response:
        """Send; `stream` makes no difference, as the body is in memory.

        Raises
        ------
        RequestFailed
            A request that goes another way than the client's (a proxy, a certificate of its own, none checked) or
            brings cookies is refused: it would be another request than the one that is recorded.
        """
        try:
            _require_plain(request, verify, cert, proxies)
            given = {"accept": ACCEPT, **self._more}
            if (seconds := _seconds(timeout)) is not None:
                given["timeout_s"] = seconds
            response = self._client.request(
                request.method or "GET",
                request.url or "",
                headers={
                    name: _text(value) for name, value in request.headers.items() if name.lower() not in OURS
                },
                body=_body(request.body),
                follow=follow,
                **given,
            )
        except LabrigError as error:
            raise _failed(error, request) from error
        return as_requests(response, request)

    def close(self) -> None:
        """Do nothing: the client belongs to the code that made it."""


class Session(requests.Session):
    """A `requests.Session` that can send through the client only.

    Redirects are the client's, so that its rules for them hold: `requests` would take a key of its own kind
    (``X-Api-Key``) along to another host, and would follow an address in which a key is hidden. There are no cookies,
    nothing is read from the environment (proxies, ``.netrc``), and an adapter that a library mounts, usually for its
    retries, is left out.
    """

    def __init__(self, client: SyncClient, **more: Any) -> None:
        self._adapter = LabrigAdapter(client, **more)
        super().__init__()

    @property
    def trust_env(self) -> bool:
        """Never."""
        return False

    @trust_env.setter
    def trust_env(self, value: bool) -> None:
        pass

    def mount(self, prefix: Any, adapter: Any) -> None:
        """Leave the adapter out, and put ours in its place."""
        super().mount(prefix, self._adapter)

    def get_adapter(self, url: Any) -> LabrigAdapter:
        """Return ours, whatever is mounted."""
        return self._adapter

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Send; whether redirects are followed is the client's to do."""
        return super().send(request, follow=kwargs.get("allow_redirects", True), **kwargs)


def as_requests(response: Response, request: requests.PreparedRequest) -> requests.Response:
    """Return a response as `requests` has it: without keys, its body in memory."""
    made = _bare(response.status, response.url, dict(response.headers), request)
    made.raw = urllib3.HTTPResponse(
        body=BytesIO(response.body),
        headers=made.headers,
        status=response.status,
        reason=made.reason,
        preload_content=False,
        decode_content=False,
    )
    # requests reads text/* without a charset as ISO 8859-1, which hardly any service means.
    if requests.utils.get_encoding_from_headers(made.headers):
        made.encoding = response.encoding
    for hop in response.redirects:
        before = _bare(hop.status, hop.url, {"location": hop.to}, request)
        before.raw = BytesIO()
        before.history = list(made.history)
        made.history.append(before)
    return made


def _bare(
    status: int, url: str, headers: dict[str, str], request: requests.PreparedRequest
) -> requests.Response:
    made = requests.Response()
    made.status_code = status
    made.reason = http.client.responses.get(status, "")
    made.url = url
    made.headers = requests.structures.CaseInsensitiveDict(headers)
    made.request = request
    return made


def _require_plain(request: requests.PreparedRequest, verify: Any, cert: Any, proxies: Any) -> None:
    """Refuse what the client would not do."""
    wrong = {
        "verify": verify is not True and verify is not None,
        "cert": cert is not None,
        "proxies": any((proxies or {}).values()),
        "cookies": "Cookie" in request.headers,
    }
    if named := [name for name, is_given in wrong.items() if is_given]:
        raise LabrigError(
            f"This is not done for a library: {', '.join(named)}",
            where=plain(request.url or ""),
            expected="requests without them: certificates are checked against the system's authorities, proxies are "
            "not used, cookies are not sent",
            code="refused",
        )


def _seconds(timeout: Any) -> float | None:
    """Return the time that `requests` would allow: ``(connect, read)`` follow each other; None is the client's own."""
    parts = timeout if isinstance(timeout, tuple) else (timeout,)
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in parts):
        return None
    return float(sum(parts))


def _body(body: Any) -> bytes | None:
    """Return the body of a request in one piece: bytes, text, a file or an iterable of parts."""
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    if hasattr(body, "read"):
        return _body(body.read())
    return b"".join(_body(part) or b"" for part in body)


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
