"""Attacks on the atlas alone: addresses that lead inside, words that are a language elsewhere, code that reaches out.

`hostile.servers.case` says what the fields mean; `hostile.servers.general` has the attacks on any server.
"""

from __future__ import annotations

from hostile.servers.addresses import INSIDE, SCHEMES
from hostile.servers.case import ANSWERED, Call, Case

PAGES, QUESTIONS, CODE = "Pages", "Questions", "Code"
OPERATORS = (
    '"',
    "Ulm OR *",
    "NEAR(Ulm Danube)",
    "title:Ulm",
    "-Ulm ^Ulm {Ulm}",
    "'; DROP TABLE place; --",
    "%",
    "\\u0000",
)


def _fetch(*urls: str) -> tuple[Call, ...]:
    return tuple(Call("fetch_webpage", {"url": url}) for url in urls)


CASES = (
    Case(
        PAGES,
        "private addresses",
        "loopback, link-local, a cloud's metadata, private networks, in 33 writings: numbers, IPv6, digits, users",
        _fetch(*INSIDE),
        ("refused", "bad_input", "not_found", "unavailable"),  # a name: nothing is looked up, nothing fetched
        together=True,
    ),
    Case(
        PAGES,
        "other schemes and ports",
        "files, Gopher, FTP, data, no host, ports that are not the web's",
        _fetch(*SCHEMES),
        ("bad_input", "refused", "not_found"),
        together=True,
    ),
    Case(
        PAGES,
        "titles that are paths",
        "`..`, a NUL, percent-encoded slashes as the title of a page",
        _fetch("../../etc/passwd", "https://en.wikipedia.org/wiki/..%2F..%2Fetc%2Fpasswd", "a\0b"),
        ("not_found", "bad_input", "refused"),
        together=True,
    ),
    Case(
        QUESTIONS,
        "operators of searches",
        "what means something in SQL and in its full-text search",
        tuple(
            Call(tool, {name: text})
            for text in OPERATORS
            for tool, name in (("search_pages", "query"), ("geocode", "address"), ("search_places", "query"))
        ),
        (ANSWERED,),
    ),
    Case(
        QUESTIONS,
        "500 origins",
        "a matrix of 500 times 500 places",
        (Call("get_distances", {"origins": ["Ulm"] * 500, "destinations": ["Paris"] * 500}),),
        ("limit",),
    ),
    Case(
        QUESTIONS,
        "a thousand heights",
        "more points than one call may ask",
        (
            Call("get_elevations", {"places": ["48.4, 9.99"] * 1000}),
            Call("maps_elevation", {"locations": [{"latitude": 48.4, "longitude": 9.99}] * 1000}),
        ),
        ("bad_input",),
    ),
    Case(
        CODE,
        "code that reaches out",
        "a socket, a program, a file of the machine",
        tuple(
            Call("run_python_code", {"code": code})
            for code in (
                "import socket; socket.create_connection(('169.254.169.254', 80), 1)",
                "import subprocess; subprocess.run(['id'], check=True)",
                "print(open('/etc/shadow').read())",
            )
        ),
        ("error",),
        wall_s=20,
    ),
)
