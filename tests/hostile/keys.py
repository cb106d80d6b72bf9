"""Keys and tokens searched for in all that a server says and writes, while its services repeat whatever they are sent.

Every key of a server has a canary as its value. Its services are moved to an imitation that answers each request with
the request itself: refused, failed, redirected, as a page and as JSON. Every tool that asks them is called over HTTP
with a token. Then the canaries and the tokens are looked for, raw and in base64, in the answers, on stderr, and in
every file below the server's home: logs, call records, ledger, cache, workspaces; what is packed is unpacked.
`tests/e2e/test_keys.py` does it, and with the wall away.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import sys
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hostile.servers import keyed
from hostile.servers.channels import MINE, THEIRS, Http
from labrig_harness.registry import servers
from support.imitation import Given, Hit, Imitation, echo, html, imitation, redirect

Call = tuple[str, dict[str, Any]]
Calls = Callable[[int], list[Call]]
"""From a number to calls that ask something else for each, so that no cache and no ledger answers."""


@dataclass(frozen=True)
class Asking:
    """A server whose tools ask services: the calls of these tools, and the settings with which they want a key."""

    name: str
    calls: Calls
    settings: Mapping[str, str] = field(default_factory=dict)


def _places(number: int) -> list[Call]:
    here, there, words = f"48.{number}, 9.99", f"48.8, 9.{number}", f"museum {number}"
    return [
        ("geocode", {"address": f"Ulm {number}"}),
        ("reverse_geocode", {"latitude": 48 + number / 10, "longitude": 9.99}),
        ("search_places", {"query": words, "near": here}),
        ("maps_place_details", {"place_id": f"ChIJD3uTd9hx5kcR1IQvGfr8db{number}"}),
        ("find_route", {"origin": here, "destination": there}),
        ("get_distances", {"origins": [here], "destinations": [there]}),
        ("get_elevations", {"places": [here]}),
        ("get_country_facts", {"country": ("France", "Spain", "Italy", "Chad", "Peru", "Fiji")[number]}),
        ("web_search", {"query": words}),
        ("python_generate_code", {"description": words}),
    ]


def _earth(number: int) -> list[Call]:
    forecast: dict[str, Any] = {
        "dataset": "seasonal-monthly-single-levels", "originating_centre": "ecmwf", "system": "51",
        "variable": ["2m_temperature"], "product_type": "monthly_mean", "year": [f"202{number}"],
        "month": ["05"], "leadtime_month": ["1"],
    }  # fmt: skip
    rain = {"save_path": "rain", "years": [f"200{number}"], "months": ["10"], "days": ["15"], "hours": ["03"]}
    asked = {"collection_id": forecast["dataset"], "request": {"system": f"{number}"}}
    return [
        ("fetch_c3s_seasonal", forecast),
        ("progressive_cds_constraints", asked),
        ("MSWEP", rain),
        ("web_search_serper", {"query": f"floods {number}"}),
        ("summarize_web_page", {"page_text": f"It rained {number} mm."}),
    ]


def _literature(number: int) -> list[Call]:
    found = [
        (tool, {"reference": reference})
        for tool in ("resolve_doi", "find_open_access", "fetch_pdf")
        for reference in (f"10.1000/known{number}", f"A title {number}")
    ]
    sources = ("crossref", "semantic_scholar", "openalex", "arxiv")
    return found + [("search_literature", {"query": f"MgB{number}", "sources": [each]}) for each in sources]


_NEW = dict.fromkeys(("places", "details", "route", "matrix"), "google_new")
_LEGACY = dict.fromkeys(("places", "details", "route", "matrix"), "google_legacy")
ASKING = (
    Asking(
        "atlas",
        _places,
        {"backend": "google", "country": "rest_countries", "search": "brave", "model": "m", **_NEW},
    ),
    Asking("atlas", _places, {"backend": "google", "search": "serper", **_LEGACY}),
    Asking("earth", _earth, {"mswep_folder": "mswep-root-folder", "model": "m"}),
    Asking("papers", _literature),
)


def repeats(site: Imitation) -> Iterator[tuple[str, Given]]:
    """Yield how a service repeats what it was sent, the ways that no cache keeps first."""

    def moved(hit: Hit) -> Given:
        said = quote(json.dumps({"url": hit.target, **hit.headers, "body": hit.body.decode()}), safe="")
        return redirect(site.url(f"/moved?was={said}"))

    def shown(hit: Hit) -> Given:
        return html(f"<title>{hit.target}</title><p>{hit.headers} {hit.body.decode()}</p>")

    yield "403", echo(403)
    yield "400", echo(400)
    yield "500", echo(500)
    yield "moved", moved
    yield "page", shown
    yield "200", echo()


def spellings(secret: str) -> Iterator[bytes]:
    """Yield what stands in every text that holds a secret, as it is or within something in base64."""
    yield secret.encode()
    for before in range(3):
        whole = b64encode(bytes(before) + secret.encode())
        yield whole[4 if before else 0 : -4]


def unpacked(path: Path) -> Iterator[bytes]:
    """Yield what a file holds: its bytes, and of a database each value, unpacked where it is packed."""
    data = path.read_bytes()
    yield data
    if data.startswith(b"SQLite format 3\0"):
        with closing(sqlite3.connect(path)) as database:
            tables = [
                row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            for row in (row for table in tables for row in database.execute(f"SELECT * FROM {table}")):
                for value in row:
                    with suppress(zlib.error):
                        yield zlib.decompress(value) if isinstance(value, bytes) else str(value).encode()


def shown(data: bytes, secrets_of: Mapping[str, str]) -> list[str]:
    """Return the names of the secrets that stand in bytes."""
    return [name for name, secret in secrets_of.items() if any(each in data for each in spellings(secret))]


def shown_in(folder: Path, secrets_of: Mapping[str, str]) -> list[str]:
    """Return which secrets stand in which files below a folder."""
    return [
        f"{name} in {path.relative_to(folder)}"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
        for name in sorted({name for piece in unpacked(path) for name in shown(piece, secrets_of)})
    ]


@dataclass
class Search:
    """What came of a search: which keys were sent to a service, and where a key or a token turned up."""

    planted: frozenset[str]
    sent: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)


def search(asking: Asking, folder: Path, *, wall: str = "closed") -> Search:
    """Have the tools of a server ask, and search what it says and writes; `wall` as for `hostile.servers.keyed`."""
    box = servers.toolbox(asking.name)
    keys = {each.key.variable for each in box.services if each.key is not None}
    planted = {name: f"canary{secrets.token_hex(12)}" for name in keys}
    secret = {**planted, "the caller's token": MINE, "another's token": THEIRS}
    searched = Search(frozenset(planted))
    with imitation() as site:
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "LABRIG_HOME": str(folder / "home"),
            "LABRIG_HTTP_CONTACT": "tests@example.org",
            "LABRIG_HTTP_PRIVATE_ORIGINS": site.url("").rstrip("/"),
            **{each.moved_by: site.url(f"/{each.name}") for each in box.services},
            **planted,
        }
        flags = [f"--set={name}={value}" for name, value in asking.settings.items()]
        flags += ["--toolsets", ",".join(box.toolsets), "--workspace", str(folder / "work")]
        flags += ["--log-calls", str(folder / "calls"), "--http-mode", "record"]
        flags += ["--ledger", str(folder / "ledger.sqlite")]
        _, _, *module = servers.module(asking.name)  # -P -m
        server = Http([sys.executable, "-P", keyed.__file__, wall, *module, *flags], environment, folder)
        try:
            for number, (way, answer) in enumerate(repeats(site)):
                site.on("*").then(answer)
                site.on("/robots.txt").then("")
                for tool, arguments in asking.calls(number):
                    reply = server.call(tool, arguments, 60)
                    said = f"in what {tool} answered ({way}, {reply.word})"
                    searched.found += [f"{name} {said}" for name in shown(reply.raw, secret)]
            server.call("nothing", {}, token=f"{MINE}-and-more")
        finally:
            server.close()
        searched.found += [f"{name} on stderr" for name in shown(server.stderr, secret)]
        for hit in site.hits:
            searched.sent.update(shown(hit.head + hit.body, planted))
    searched.found += shown_in(folder, secret)
    return searched
