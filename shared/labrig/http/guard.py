"""Which addresses may be reached: those of the public internet, on the web's ports, and the operator's own origins.

ssrfguard decides, and its resolution is the only one: what it checked is what is connected to, so a name that changes
its address in between changes nothing. Its ready-made clients are for httpx; here its policy stands behind the network
backend of httpcore2, the one place where sockets are opened. Proxies and `.netrc` of the environment are not used:
a proxy resolves names itself, and nothing here could check what it connects to.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpcore2
import ssrfguard

from labrig.errors import LabrigError
from labrig.http import hiding

PORTS = frozenset({80, 443, 8080, 8443})
ADDRESSES = ssrfguard.AddressTable(
    (
        *ssrfguard.DEFAULT_DENIED.blocks,
        ssrfguard.Block(
            ip_network("::/0"), "not given out as global unicast", "RFC 4291", ssrfguard.Reach.DENIED
        ),
        ssrfguard.Block(ip_network("2000::/3"), "global unicast", "RFC 4291", ssrfguard.Reach.PERMITTED),
        ssrfguard.Block(
            ip_network("168.63.129.16/32"), "the host of an Azure machine", "Azure", ssrfguard.Reach.DENIED
        ),
    )
)
"""ssrfguard's table, by which what is in no registry is public; of IPv6 an eighth is. The longest prefix decides."""
RESOLVING = 64
"""Names looked up at a time; a lookup cannot be cancelled, and one that hangs must not hold up other threads."""


class Guard:
    """The rules, for URLs before anything is sent and for addresses before a socket is opened.

    Parameters
    ----------
    private_origins
        Such as ``http://127.0.0.1:8631``: scheme, host and port that may lie anywhere. Nothing else private can be
        reached.
    resolver
        Stands in for `socket.getaddrinfo`; what it answers is checked all the same.

    Raises
    ------
    LabrigError
        ``bad_input`` for an invalid private origin.
    """

    def __init__(
        self, private_origins: Iterable[str] = (), resolver: ssrfguard.Resolver | None = None
    ) -> None:
        self._public = ssrfguard.Policy(allowed_ports=PORTS, denied_networks=ADDRESSES)
        self._private: dict[tuple[str, int], ssrfguard.Policy] = {}
        self._schemes: set[tuple[str, str, int]] = set()
        self._resolver = resolver
        self._slots = anyio.CapacityLimiter(RESOLVING)
        for origin in private_origins:
            self.trust(origin)

    def trust(self, origin: str) -> None:
        """Let an origin of the operator lie at a private address."""
        parts = urlsplit(origin.strip())
        try:
            port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        except (ValueError, KeyError):
            port = 0
        if not parts.hostname or not port:
            raise LabrigError(
                f"This is not an origin: {hiding.plain(origin)!r}",
                where="private_origins",
                expected="scheme, host and port, such as http://127.0.0.1:8631",
            )
        everywhere = (ip_network("0.0.0.0/0"), ip_network("::/0"))
        policy = ssrfguard.Policy(allowed_networks=everywhere, allowed_ports=frozenset({port}))
        self._private[parts.hostname, port] = policy
        self._schemes.add((parts.scheme, parts.hostname, port))

    def check(self, url: str) -> None:
        """Refuse a URL that may not be asked for, as far as its text tells.

        Raises
        ------
        LabrigError
            ``refused``, naming the rule.
        """
        parts = urlsplit(url)
        try:
            port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
            known = (parts.scheme, parts.hostname or "", port) in self._schemes
        except ValueError:
            known, port = False, 0
        policy = self._private[parts.hostname or "", port] if known else self._public
        try:
            policy.check_url(url)
        except ssrfguard.SSRFGuardError as error:
            raise refusal(error, url) from error

    def _policy(self, host: str, port: int) -> ssrfguard.Policy:
        return self._private.get((host, port), self._public)

    async def addresses(self, host: str, port: int) -> list[str]:
        """Look a name up, once, and return its addresses in order of preference, all of them checked.

        Raises
        ------
        ssrfguard.SSRFGuardError
            If one of them may not be reached, or the port.
        OSError
            If there are none.
        """
        policy = self._policy(host, port)
        if port not in policy.allowed_ports:
            raise ssrfguard.BlockedURLError(f"port {port}", "it is not a port of the web")
        target = ssrfguard.Target("tcp", host, port, host, address=_literal(host))
        found = await anyio.to_thread.run_sync(
            lambda: ssrfguard.resolve(target, policy=policy, resolver=self._resolver),
            abandon_on_cancel=True,
            limiter=self._slots,
        )
        return [str(each.ip) for each in found[: policy.max_connection_attempts]]


def _literal(host: str) -> Any:
    try:
        return ssrfguard.DEFAULT_DENIED.classify(host).address
    except ValueError:
        return None


def refusal(error: ssrfguard.SSRFGuardError, url: str) -> LabrigError:
    """Return a refusal of ssrfguard as ours."""
    reason = getattr(error, "reason", "") or str(error)
    return LabrigError(
        f"This address is not fetched: {hiding.plain(reason)}",
        where=hiding.address(url)[:300],
        expected=f"a public address, port {', '.join(map(str, sorted(PORTS)))}, without user and password",
        try_="if it is yours: LABRIG_HTTP_PRIVATE_ORIGINS names origins that may be private",
        code="refused",
    )


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens sockets to addresses that the guard has looked up and checked, and to no others."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._backend = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to one of the checked addresses; TLS still speaks to `host`, by httpcore2 itself."""
        with anyio.move_on_after(timeout):
            try:
                addresses = await self._guard.addresses(host, port)
            except socket.gaierror as error:
                raise httpcore2.ConnectError(f"the name {host} is not known: {error.strerror}") from error
            except OSError as error:
                raise httpcore2.ConnectError(str(error)) from error
            failure: Exception = httpcore2.ConnectError(f"{host} has no address")
            for address in addresses:
                try:
                    return await self._backend.connect_tcp(address, port, None, local_address, socket_options)
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                    failure = error
            raise failure
        raise httpcore2.ConnectTimeout(f"no connection to {host} in {timeout:g} s")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse: a socket in the file system has no address to check."""
        raise ssrfguard.BlockedURLError(path, "it is a socket of this machine")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)
