"""What the tests know of the toy server ``almanac``, which asks the network: here, a ledger."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hostile.servers.case import Call
from hostile.servers.target import Target
from support.fuzzing import Vocabulary, mangled
from support.imitation import Imitation, html, redirect, status
from support.recorded import Network

PORTS = {"Brest": {"height_m": 6.9}, "Atlantis": {"error": "no such port"}, "Dover": status(500, "down")}
PAGES = (
    "https://example.org/",
    "http://127.0.0.1:22/",
    "http://169.254.169.254/latest",
    "file:///etc/passwd",
)


def _furnish(site: Imitation) -> None:
    for port, said in PORTS.items():
        site.on("/tides/high", query={"port": port}).then(said)
    site.on("/robots.txt").then(status(404))
    site.on("/page").then(html("<p>A page"))
    site.on("/inside").then(redirect("http://169.254.169.254/latest"))


def _calls(site: Imitation) -> list[tuple[str, dict[str, Any]]]:
    pages = [("read_page", {"url": site.url(path)}) for path in ("/page", "/inside", "/none")]
    return [*(("high_water", {"port": port}) for port in PORTS), *pages]


NETWORK = Network(_furnish, _calls)

VOCABULARY = Vocabulary(
    lambda handles: {
        "port": st.sampled_from([*PORTS, "brest", ""]) | mangled(st.sampled_from([*PORTS])),
        "url": st.sampled_from(PAGES) | mangled(st.sampled_from(PAGES)),
    },
    {"high_water": [{"port": "Brest"}], "read_page": [{"url": PAGES[0]}]},
)

TARGET = Target(
    canary=Call("high_water", {"port": "Brest"}),
    ordinary=Call("high_water", {"port": "Brest"}),
    right=lambda result: "6.9" in str(result.get("structuredContent", {}).get("values")),
    arguments=VOCABULARY.recipes,
)
