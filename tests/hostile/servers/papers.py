"""Attacks on papers alone: addresses that lead inside in place of a paper's, and identifiers that are something else.

`hostile.servers.case` says what the fields mean; `hostile.servers.general` has the attacks on any server.
"""

from __future__ import annotations

from hostile.servers.addresses import INSIDE, SCHEMES
from hostile.servers.case import Call, Case

FETCHED, NAMED = "Addresses", "Identifiers"
NAMES = (
    "10.1000/../../etc/passwd",
    "10.1000/x\r\nHost: 127.0.0.1",
    "10.1000/http://127.0.0.1/",
    "10.1000/%2e%2e%2f%00",
    "https://doi.org@127.0.0.1/10.1000/1",
    "arXiv:../../../etc/passwd",
    "arXiv:2101.00001?x=http://127.0.0.1/",
    "arXiv:2101.00001#/../../",
    "https://arxiv.org.127.0.0.1/abs/2101.00001",
)
"""In place of a DOI or of arXiv's number."""


def _fetched(*urls: str) -> tuple[Call, ...]:
    return tuple(
        call
        for url in urls
        for call in (Call("fetch_pdf", {"reference": url}), Call("open_paper", {"path": url}))
    )


CASES = (
    Case(
        FETCHED,
        "private addresses",
        "a PDF of loopback, link-local, a cloud's metadata, private networks, each in 33 writings",
        _fetched(*INSIDE),
        ("refused", "bad_input", "not_recorded"),  # a name is not looked up: it is in no ledger
        together=True,
    ),
    Case(
        FETCHED,
        "other schemes and ports",
        "a PDF by file, Gopher, FTP, data, without host, at ports that are not the web's",
        _fetched(*SCHEMES),
        ("bad_input", "refused", "not_found"),
        together=True,
    ),
    Case(
        NAMED,
        "identifiers that lead elsewhere",
        "a DOI or a number of arXiv with paths, hosts, queries and lines of a request in it",
        tuple(
            call
            for name in NAMES
            for call in (
                Call("fetch_pdf", {"reference": name}),
                Call("resolve_doi", {"reference": name}),
                Call("find_open_access", {"reference": name}),
            )
        ),
        ("bad_input", "refused", "not_recorded"),
        together=True,
    ),
)
