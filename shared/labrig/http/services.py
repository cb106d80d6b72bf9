"""A service on the network, declared: where it is, how often it may be asked, what it wants to know of who asks.

A server declares its services as constants, and names them to its toolbox (``Toolbox(services=...)``), whose help and
``labrig doctor`` then say where they are and which keys they want. The operator can point one at another address (a
mirror, a local imitation): the setting ``http.url_NAME``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from labrig import redaction
from labrig.config import setting
from labrig.errors import LabrigError
from labrig.http import hiding
from labrig.http.hosts import Limit


@dataclass(frozen=True)
class Key:
    """A key that a service wants.

    Attributes
    ----------
    section, name
        The setting that holds it: ``("atlas", "google_key")`` is ``LABRIG_ATLAS_GOOGLE_KEY``.
    param, header
        Where it goes, one of the two.
    prefix
        What stands before it there: ``"Bearer "``.
    required
        Whether the service answers without.
    get_it
        Where a person gets one.
    """

    section: str
    name: str
    param: str = ""
    header: str = ""
    prefix: str = ""
    required: bool = True
    get_it: str = ""

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"LABRIG_{self.section}_{self.name}".upper()

    def value(self) -> str:
        """Return the key, empty if there is none; from now on it is kept out of all that is written."""
        value = setting(self.section, self.name).strip()
        if value:
            redaction.remember(value)
        return value


@dataclass(frozen=True)
class Service:
    """One service.

    Attributes
    ----------
    name
        Lower case letters, digits and ``_``.
    url
        What its paths are appended to.
    limit
        How often it may be asked; where its terms say so, in the comment beside.
    contact
        Whether it wants the operator's e-mail address or page in the User-Agent.
    key
        The key that it wants.
    terms
        Where its rules of use stand.
    """

    name: str
    url: str
    limit: Limit = field(default_factory=Limit)
    contact: bool = False
    key: Key | None = None
    terms: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"not a name of a service: {self.name!r}")

    @property
    def moved(self) -> str:
        """The operator's own address for it, or empty."""
        return setting("http", f"url_{self.name}").strip()

    @property
    def moved_by(self) -> str:
        """The environment variable that points it at another address."""
        return f"LABRIG_HTTP_URL_{self.name}".upper()

    def at(self, path: str = "") -> str:
        """Return the URL of a path."""
        base = (self.moved or self.url).rstrip("/")
        return f"{base}/{path.lstrip('/')}" if path else base

    def origin(self) -> str:
        """Return scheme, host and port of where it is."""
        parts = urlsplit(self.at())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise LabrigError(
                f"The address of {self.name} is not a URL: {hiding.plain(self.at())!r}",
                where=self.moved_by,
            )
        return f"{parts.scheme}://{parts.netloc}"


CONTACT = "LABRIG_HTTP_CONTACT"
"""The environment variable of the operator's address."""


def described(services: Sequence[Service]) -> str:
    """Return services in words, a line each (one at least), for the help of a command: address, contact, key."""
    width = max(len(each.name) for each in services)
    where = "LABRIG_HTTP_URL_NAME, or url_NAME in [http] of labrig.toml, moves one"
    lines = [f"  {each.name:{width}}  {'; '.join([each.url, *_wishes(each)])}" for each in services]
    return "\n".join([f"services on the network ({where}):", *lines])


def _wishes(service: Service) -> list[str]:
    wishes = [f"wants {CONTACT}"] if service.contact else []
    if service.key is not None:
        needs = "wants" if service.key.required else "takes"
        had = f" (get one at {service.key.get_it})" if service.key.get_it else ""
        wishes.append(f"{needs} the key {service.key.variable}{had}")
    return wishes


def states(services: Sequence[Service]) -> list[str]:
    """Return a line for each service: where it would be asked, and what it wants that is not set."""
    return [f"service {each.name}: {'; '.join([_place(each), *_lacks(each)])}" for each in services]


def _place(service: Service) -> str:
    where = hiding.plain(service.at())  # an operator's own may hold user and password
    return f"{where} (by {service.moved_by})" if service.moved else where


def _lacks(service: Service) -> list[str]:
    lacks = [f"{CONTACT} is not set"] if service.contact and not setting("http", "contact") else []
    if service.key is not None:
        is_set = bool(service.key.value())
        lacks.append(f"{service.key.variable} is {'set' if is_set else 'not set'}")
    return lacks


def key_names(section: str, services: Sequence[Service]) -> tuple[str, ...]:
    """Return the settings of a section that hold a key of one of the services, each once."""
    keys = [each.key for each in services if each.key is not None]
    return tuple(dict.fromkeys(key.name for key in keys if key.section == section))
