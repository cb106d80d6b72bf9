"""Attacks on the atlas alone: addresses that lead inside, words that are a language elsewhere, code that reaches out.

`hostile.servers.case` says what the fields mean; `hostile.servers.general` has the attacks on any server.
"""

from __future__ import annotations

from hostile.servers.case import ANSWERED, Call, Case

PAGES, QUESTIONS, CODE = "Pages", "Questions", "Code"
INSIDE = (
    "http://127.0.0.1/",
    "http://127.1:8080/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://100.64.0.1/",
    "http://0.0.0.0/",
    "http://user:password@en.wikipedia.org/wiki/Ulm",
)
SCHEMES = (
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "data://x/plain",
    "https://",
    "http://en.wikipedia.org:22/",
)
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
        "loopback, link-local, a cloud's metadata, private networks, IPv4 in IPv6 and as a number, user and password",
        _fetch(*INSIDE),
        (
            "refused",
            "unavailable",
        ),  # a number that stands for an address: nothing is looked up, nothing fetched
        together=True,
    ),
    Case(
        PAGES,
        "other schemes and ports",
        "files, Gopher, data, no host, a port that is not the web's",
        _fetch(*SCHEMES),
        ("bad_input", "refused"),
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
