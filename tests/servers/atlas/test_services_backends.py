"""The registry of backends and its page; stocks, which go past the ledger; and a question that is given up."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.http.outside import collecting
from labrig_atlas.services import google, yahoo
from labrig_atlas.services.backends import BACKENDS, PROVIDERS, SERVICES, backend
from labrig_atlas.services.provider import Provider
from support.atlas_services import played
from support.imitation import Imitation, silence
from support.places import PROJECT
from support.web import client

PAGE = PROJECT / "docs/servers/atlas-services.md"


def row(provider: Provider) -> str:
    """Return the row of a service in the table of the page."""
    service = provider.service
    cells = (
        f"[{provider.title}]({provider.homepage})",
        f"`{service.name}`",
        ", ".join(provider.questions),
        f"`{provider.wants}`" if provider.wants else "",
        provider.at_most,
    )
    return "| " + " | ".join(cells) + " |"


def terms() -> list[str]:
    """Return the list of credits and terms below that table, each with the services that it belongs to."""
    owners: dict[str, list[str]] = {}
    for each in PROVIDERS:
        credit = f"{each.credit} ([terms]({each.service.terms}))"
        owners.setdefault(credit, []).append(each.title)
    return [f"- {', '.join(names)}: {credit}" for credit, names in owners.items()]


def test_the_page_says_of_every_service_what_the_code_says() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in page if line.startswith("| [")] == [row(each) for each in PROVIDERS]
    assert [line for line in page if line.startswith("- ") and "([terms](" in line] == terms()
    shown = {name: line for line in page if line.startswith("| `") for name in [line.split("`")[1]]}
    for question, known in BACKENDS.items():
        assert [word.strip("` ") for word in shown[question].split("|")[2].split(",")] == list(known)


def test_every_question_has_a_backend_without_a_key_and_every_function_takes_the_same_arguments() -> None:
    for question, known in BACKENDS.items():
        assert "open" in known
        required = [
            [
                name
                for name, each in inspect.signature(function).parameters.items()
                if each.default is each.empty
            ]
            for function in known.values()
        ]
        assert required == [required[0]] * len(known), question
        assert required[0][0] == "client"
        assert any(question in each.questions for each in PROVIDERS)
    assert len({each.name for each in SERVICES}) == len(SERVICES)
    assert {each.key.variable for each in SERVICES if each.key} == {
        "LABRIG_ATLAS_GOOGLE_KEY",
        "LABRIG_ATLAS_SERPER_KEY",
        "LABRIG_ATLAS_BRAVE_KEY",
        "LABRIG_ATLAS_REST_COUNTRIES_KEY",
    }
    assert {question for each in PROVIDERS for question in each.questions} == set(BACKENDS)


def test_a_backend_that_does_not_answer_is_named_with_those_that_do() -> None:
    with pytest.raises(LabrigError, match="backend for weather") as caught:
        backend("weather", "google")
    assert (caught.value.code, caught.value.expected) == ("not_found", "one of open")


# ------------------------------------------------------------------------------------------------------- stocks


class Frame:
    """A table as yfinance gives it, as far as it is read; rows of day, close and volume."""

    def __init__(self, *rows: tuple[str, float, float]) -> None:
        self._rows = rows
        self.index = [SimpleNamespace(date=lambda day=day: date.fromisoformat(day)) for day, _, _ in rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, column: str) -> list[float]:
        return [row[{"Close": 1, "Volume": 2}[column]] for row in self._rows]


class YFRateLimitError(Exception):
    """By this name yfinance says that Yahoo asks to wait."""


class YFTzMissingError(Exception):
    """By this name yfinance says that a ticker is unknown."""


class HTTPError(Exception):
    """By this name curl_cffi says that a status is an error; yfinance lets it through for an unknown ticker."""

    response = SimpleNamespace(status_code=404)


class Meta(Mapping[str, Any]):
    """What yfinance 1.7 gives: reading all of it asks Yahoo once more."""

    def __getitem__(self, key: str) -> Any:
        assert key != "tradingPeriods"
        return {"currency": "GBp", "longName": "GSK plc", "fullExchangeName": "LSE"}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(("currency", "tradingPeriods"))

    def __len__(self) -> int:
        return 2


def install(monkeypatch: pytest.MonkeyPatch, given: Frame | Exception) -> list[dict[str, Any]]:
    """Put a module in the place of yfinance, and return the questions that it was asked."""
    asked: list[dict[str, Any]] = []

    def history(**more: Any) -> Frame:
        asked.append(more)
        if isinstance(given, Exception):
            raise given
        return given

    ticker = SimpleNamespace(history=history, history_metadata=Meta())
    config = SimpleNamespace(debug=SimpleNamespace(hide_exceptions=True))
    module = SimpleNamespace(Ticker=lambda symbol: ticker, config=config)
    monkeypatch.setitem(sys.modules, "yfinance", module)  # type: ignore[arg-type]
    return asked


async def test_a_stock_on_a_closed_day_is_that_of_the_day_before_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = install(monkeypatch, Frame(("2000-12-21", 1800.5, 10), ("2000-12-22", 1890.25, 4_000_000)))
    with collecting() as names:
        async with client(tmp_path) as web:
            found = await yahoo.stock(web, "gsk.l", "2000-12-25")
    assert (found.facts.close, found.facts.volume, found.facts.currency) == (1890.25, 4_000_000, "GBp")
    assert (found.facts.date, found.facts.asked, found.facts.exchange) == ("2000-12-22", "2000-12-25", "LSE")
    assert "was no trading day" in found.facts.note and "splits" in found.facts.note
    assert (found.recorded, names) == (False, ["yfinance"])
    assert asked == [
        {"start": "2000-12-15", "end": "2000-12-26", "interval": "1d", "auto_adjust": False, "actions": False}
    ]


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        (Frame(), "not_found", "no trade of GSK.L in the 10 days to 2000-12-25"),
        (Frame(("2000-12-22", float("nan"), 1)), "not_found", "no trade"),
        (YFRateLimitError("Too Many Requests"), "rate_limited", "asks to wait"),
        (YFTzMissingError("$GSK.L: possibly delisted; no timezone found"), "not_found", "possibly delisted"),
        (HTTPError("HTTP Error 404: "), "not_found", "knows no GSK.L"),
        (ConnectionError("curl: (6)"), "unreachable", "curl: (6)"),
        (KeyError("chart"), "unreachable", "KeyError"),
        (None, "unavailable", "not installed"),
    ],
    ids=[
        "nothing",
        "no close",
        "wait",
        "unknown",
        "unknown, asked more",
        "no connection",
        "changed",
        "missing",
    ],
)
async def test_what_yfinance_says_is_a_typed_error(
    given: Any, code: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if given is None:
        monkeypatch.setitem(sys.modules, "yfinance", None)
    else:
        install(monkeypatch, given)
    async with client(tmp_path) as web:
        with pytest.raises(LabrigError) as caught:
            await yahoo.stock(web, "GSK.L", "2000-12-25")
    assert (caught.value.code, says in caught.value.what) == (code, True), caught.value
    assert ("pip install yfinance" in caught.value.try_) == (given is None)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("2026-11-24", "may not be over"),
        ("2026-11-25", "no trading day, or not over"),
        ("2026-11-28", "was no trading day"),
    ],
)
def test_a_day_that_may_not_be_over_is_said(asked: str, says: str) -> None:
    today = date.fromisoformat("2026-11-25" if asked < "2026-11-26" else "2026-11-30")
    rows = [(date(2026, 11, 24), 12.5, 100.0)]
    assert says in yahoo.read_day(rows, {"currency": "USD"}, "GSK", date.fromisoformat(asked), today).note


async def test_a_stock_of_tomorrow_is_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = install(monkeypatch, Frame(("2000-12-22", 1890.25, 4_000_000)))
    async with client(tmp_path) as web:
        with pytest.raises(LabrigError, match="lies in the future"):
            await yahoo.stock(web, "GSK.L", "9999-12-31")
    assert not asked


async def test_a_stock_is_not_asked_for_in_a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = install(monkeypatch, Frame(("2000-12-22", 1890.25, 4_000_000)))
    async with client(tmp_path, mode="record"):
        pass  # makes the ledger
    async with client(tmp_path, mode="replay") as web:
        with pytest.raises(LabrigError) as caught:
            await yahoo.stock(web, "GSK.L", "2000-12-25")
    assert (caught.value.code, asked) == ("not_recorded", [])


# ------------------------------------------------------------------------------------------------------ giving up


async def test_a_question_through_googlemaps_that_is_given_up_leaves_no_thread_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with played(monkeypatch) as site:
        site.on("/google_maps/*").then(silence())
        async with client(tmp_path, site) as web:
            task = asyncio.ensure_future(google.geocode(web, "Louvre"))
            await asked(site)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            ended = threading.Event()
            loop = asyncio.get_running_loop()
            for _ in range(200):
                if not [each for each in asyncio.all_tasks(loop) if "Inquiry.response" in repr(each)]:
                    ended.set()
                    break
                await asyncio.sleep(0.01)
            assert ended.is_set()
        await asyncio.wait_for(loop.shutdown_default_executor(), 10)


async def asked(site: Imitation) -> None:
    """Wait until a request has come."""
    while not site.hits:
        await asyncio.sleep(0.01)
