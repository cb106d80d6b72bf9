"""A service on the network, declared: where it is, how often it may be asked, what it wants to know of who asks.

A server declares its services as constants. The operator can point one at another address (a mirror, a local
imitation): the setting ``http.url_NAME``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from labrig import redaction
from labrig.config import setting
from labrig.errors import LabrigError
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

    def at(self, path: str = "") -> str:
        """Return the URL of a path."""
        base = (self.moved or self.url).rstrip("/")
        return f"{base}/{path.lstrip('/')}" if path else base

    def origin(self) -> str:
        """Return scheme, host and port of where it is."""
        parts = urlsplit(self.at())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise LabrigError(
                f"The address of {self.name} is not a URL: {self.at()!r}",
                where=f"LABRIG_HTTP_URL_{self.name.upper()}",
            )
        return f"{parts.scheme}://{parts.netloc}"
