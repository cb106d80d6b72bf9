"""One question to one or more services: it asks them, keeps where each answer came from, and makes the reply."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar

from labrig.errors import LabrigError
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client, Response

T = TypeVar("T")
OFFLINE = "the backend offline, which asks nobody"


class Inquiry:
    """See the module."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.notes: list[str] = []
        self._providers: dict[str, Provider] = {}
        self._sources: list[dict[str, Any]] = []

    async def response(
        self,
        provider: Provider,
        path: str = "",
        *,
        keyless: str = OFFLINE,
        accept: Collection[int] = (),
        **more: Any,
    ) -> Response:
        """Ask a provider, and note it.

        Parameters
        ----------
        path
            Appended to its address; what an agent chose is quoted already.
        keyless
            What answers the same question without a key or contact, for the error where one is missing.
        accept
            Error statuses whose body says more, and is read by the caller.
        more
            Arguments of `labrig.http.Client.ask`.

        Raises
        ------
        LabrigError
            Those of `Client.ask`; ``unavailable`` names the variable of the missing key and the keyless backend.
        """
        try:
            response = await self.client.ask(provider.service, path, accept=accept, **more)
        except LabrigError as error:
            raise _with_keyless(error, provider, keyless) from error
        self.note(provider, response)
        return response

    async def json(self, provider: Provider, path: str = "", **more: Any) -> Value:
        """Ask a provider for JSON; the arguments are those of `response`."""
        response = await self.response(provider, path, **more)
        return Value(response.json(), response.url)

    def note(self, provider: Provider, response: Response | None = None) -> None:
        """Take a provider, and an answer of it, into the reply."""
        self._providers[provider.title] = provider
        if response is not None:
            self._sources.append(response.source())

    def reply(self, facts: T, *, recorded: bool = True) -> Reply[T]:
        """Return the reply, with the notes so far."""
        notes = tuple(dict.fromkeys(self.notes))
        return Reply(facts, tuple(self._providers.values()), tuple(self._sources), notes, recorded)


def _with_keyless(error: LabrigError, provider: Provider, keyless: str) -> LabrigError:
    """Return the error for a missing key or contact, with what needs none."""
    if error.code != "unavailable":
        return error
    return LabrigError(
        error.what,
        where=error.where,
        expected=error.expected,
        try_=f"{error.try_}; or {keyless}",
        code=error.code,
    )
