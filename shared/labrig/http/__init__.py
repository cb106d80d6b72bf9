"""How every server asks the network: politely, safely, and so that it can be replayed.

See `labrig.http.client.Client`. Servers ask through this package and by no other way (import-linter keeps it so).
The names below are loaded at their first use: a server that never asks the network needs none of the libraries.

- `client`: the one client, for coroutines; `route`: the way that a request of it takes; `sync`: the client for threads;
  `for_requests`: for a library on requests
- `services`: declared services and their keys; `hosts`: turns; `cache`, `retrying`, `robots`: politeness
- `messages`, `exchange`: requests, responses and what came of them, as plain data; `hiding`: free of keys
- `wire`, `unpacking`, `redirects`, `statuses`, `guard`: one attempt, its body, where it leads, its error, what can be
  reached
- `receiving`, `parts`, `stored`, `targets`: a download on its way, the file while it is written, a body in a file, and
  where it goes; `digests`: what a service says that it hashes to
- `ranges`, `rasters`, `zarr_store`, `zarr_reading`: files and Zarr hierarchies of which only what is read is fetched
- `ledger`: kept and replayed; `difference`: how two requests or outcomes differ
- `carrying`: requests that a child without network has another process send
- `outside`: libraries that bring their own HTTP; `chat`: a model that is asked for text
- `declared`: services that several servers ask; `answers`: JSON of a service as a model; `pages`: pages of the web
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labrig.http.client import ANY, Client, Mode
    from labrig.http.hosts import Limit
    from labrig.http.messages import Hop, Request, Response
    from labrig.http.services import Key, Service

__all__ = ["ANY", "Client", "Hop", "Key", "Limit", "Mode", "Request", "Response", "Service"]
_HOMES = {
    **dict.fromkeys(("ANY", "Client", "Mode"), "client"),
    "Limit": "hosts",
    **dict.fromkeys(("Hop", "Request", "Response"), "messages"),
    **dict.fromkeys(("Key", "Service"), "services"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
