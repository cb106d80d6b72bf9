"""Calls of every server that nobody would make: a sample, and thousands.

`support.fuzzing` says what is demanded of the answers. A server has its words in tests/support/known_servers; without
them it is called by the schemas of its tools alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.registry.servers import toolbox
from support.every_server import FOLDER, installed, known, names, toys, vocabulary
from support.fuzzing import ORDERS, bench, sample, thousands
from support.recorded import recorded
from support.toys_installed import toys_installed


@pytest.fixture(autouse=True)
def short_calls(
    request: pytest.FixtureRequest,
    private_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[None]:
    """End calls soon, and say nothing of wrong arguments."""
    caplog.set_level(logging.ERROR, logger="fastmcp.server.server")
    with toys_installed():
        if "server" in request.fixturenames:
            vocabulary(request.getfixturevalue("server")).short(monkeypatch)
        yield


def _in_each_order(first: pytest.MarkDecorator | None, *others: pytest.MarkDecorator) -> list[ParameterSet]:
    """Return each server in each order of its toolsets; toys have one toolset."""
    own = [pytest.param(name, "own", marks=[first] if first else []) for name in names()]
    return own + [pytest.param(name, "paper", marks=others) for name in installed()]


def _skip_unless_it_has(server: str, order: str) -> None:
    if order != "own" and len(toolbox(server).toolsets) == 1:
        pytest.skip("one toolset has one order")


@pytest.mark.parametrize(("server", "order"), _in_each_order(None, pytest.mark.accept))
def test_a_sample_of_calls_is_answered(server: str, order: str, tmp_path: Path) -> None:
    _skip_unless_it_has(server, order)
    sample(server, vocabulary(server), order, tmp_path / "w")


@pytest.mark.accept
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("server", installed())
def test_hundreds_of_calls_leave_no_trace(server: str, tmp_path: Path) -> None:
    """In the order of the toolsets that a user has; `test_ten_thousand_calls_leave_no_trace` makes them in both."""
    _long(server, "own", tmp_path, *vocabulary(server).thousands)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("server", installed())
def test_ten_thousand_calls_leave_no_trace(server: str, order: str, tmp_path: Path) -> None:
    _long(server, order, tmp_path, 10_000, 2_000)


def _long(server: str, order: str, folder: Path, n_calls: int, warm: int) -> None:
    _skip_unless_it_has(server, order)
    words = vocabulary(server)
    words.needs()
    thousands(server, words, order, folder / "w", n_calls, warm=warm)


@pytest.mark.parametrize("server", names())
def test_a_server_has_words(server: str) -> None:
    """By its schemas alone most calls are refused before they do anything."""
    words = getattr(known(server), "VOCABULARY", None)
    assert words is not None, (
        f"{server} is fuzzed from its schemas alone: give it a VOCABULARY in {FOLDER}/{server}.py"
    )
    assert words.recipes, f"{server} needs calls that are right (recipes)"


def test_a_server_that_asks_the_network_replays_what_was_recorded(tmp_path: Path) -> None:
    """A known answer comes from the ledger, and what nobody recorded is refused before any host is asked."""
    with bench("almanac", vocabulary("almanac"), "own", tmp_path / "w") as each:
        told = each.ask(each.client.call_tool_mcp, "high_water", {"port": "Brest"})
        assert told.structured_content["values"][0]["value"] == 6.9
        asked = [("high_water", {"port": "Cork"}), ("read_page", {"url": "https://example.org/"})]
        refused = [each.ask(each.client.call_tool_mcp, *call) for call in asked]
    empty = recorded("almanac", None, tmp_path / "empty")
    assert empty is not None
    with empty.replayed() as replaying:
        options = ServeOptions(workspace=tmp_path / "x", **replaying)
        refused.append(asyncio.run(_called(options, "high_water", {"port": "Brest"})))
    assert {each.meta["labrig"]["error"]["code"] for each in refused} == {"not_recorded"}
    assert recorded("shelf", None, tmp_path) is None


async def _called(options: ServeOptions, tool: str, arguments: dict[str, Any]) -> Any:
    async with Client(build(toolbox("almanac"), options)) as client:
        return await client.call_tool_mcp(tool, arguments)


def test_a_server_without_words_is_called_by_its_schemas(tmp_path: Path) -> None:
    (toy,) = [name for name in toys() if name == "shelf"]
    sample(toy, type(vocabulary(toy))(), "own", tmp_path / "w")
