"""Fictional shares and coins, and the calendars of their exchanges."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

import pytest

from labrig.errors import LabrigError
from labrig_atlas.offline.markets import (
    SPAN_DAYS,
    brownian,
    crypto_day,
    market_days,
    securities,
    stock_day,
)
from labrig_atlas.offline.trading_days import atlantic, easter, european, last_trading_day, why_closed
from labrig_atlas.world.database import TODAY, World
from support.atlas_world import opened_earth


@pytest.fixture(scope="module")
def earth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_earth(tmp_path_factory) as world:
        yield world


def test_easter_is_where_almanacs_have_it() -> None:
    known = {
        1943: (4, 25),
        1954: (4, 18),
        1981: (4, 19),
        2000: (4, 23),
        2008: (3, 23),
        2024: (3, 31),
        2038: (4, 25),
    }
    assert {year: (easter(year).month, easter(year).day) for year in known} == known
    assert all(easter(year).weekday() == 6 for year in range(1940, 2070))


def test_holidays_are_those_that_exchanges_published() -> None:
    # The calendar of the New York Stock Exchange for 2021 and 2023, without Juneteenth, which the rules here lack.
    assert sorted(f"{day:%m-%d}" for day in atlantic(2023)) == [
        "01-02", "01-16", "02-20", "04-07", "05-29", "07-04", "09-04", "11-23", "12-25",
    ]  # fmt: skip
    assert date(2021, 7, 5) in atlantic(2021) and date(2021, 12, 24) in atlantic(2021)
    assert not why_closed("LXA", date(2021, 12, 31)), (
        "New Year's Day of 2022 is a Saturday and closes no Friday"
    )
    # The calendar of Euronext for 2024.
    assert sorted(f"{day:%m-%d}" for day in european(2024)) == [
        "01-01",
        "03-29",
        "04-01",
        "05-01",
        "12-25",
        "12-26",
    ]
    assert last_trading_day("LXE", date(2024, 4, 1)) == date(2024, 3, 28)
    assert why_closed("around the clock", date(2024, 12, 25)) == ""


def test_a_share_has_a_close_and_says_when_the_day_was_moved(earth: World) -> None:
    on, off = stock_day(earth, "aldr.la", "2024-01-16"), stock_day(earth, "ALDR.LA", "2024-01-15")
    assert (on.date, on.note, on.asked) == ("2024-01-16", "", "2024-01-16")
    assert (off.date, off.asked) == ("2024-01-12", "2024-01-15") and "third Monday" in off.note
    assert on.made_up and "fictional" in on.source and on.close > 0 and on.volume > 0 and on.currency == "USD"
    assert stock_day(earth, "ALDR.LA", "2024-01-12").close == off.close
    easter_monday = stock_day(earth, "TARN.LE", "2024-04-01")
    assert easter_monday.date == "2024-03-28" and easter_monday.currency == "EUR"


def test_a_coin_trades_every_day_under_each_spelling(earth: World) -> None:
    sunday = [
        crypto_day(earth, name, "2024-12-25") for name in ("XOBOL", "xobol-usd", "XOBOLUSDT", "XOBOLUSD")
    ]
    assert len(set(sunday)) == 1 and sunday[0].date == "2024-12-25" and not sunday[0].note


def test_a_range_has_the_trading_days_and_the_same_figures(earth: World) -> None:
    days = market_days(earth, "TARN.LE", "2024-03-25", "2024-04-05")
    assert [day.date[5:] for day in days] == [
        "03-25",
        "03-26",
        "03-27",
        "03-28",
        "04-02",
        "04-03",
        "04-04",
        "04-05",
    ]
    assert days[4] == stock_day(earth, "TARN.LE", "2024-04-02")
    assert market_days(earth, "TARN.LE", "2024-03-30", "2024-04-01") == ()
    assert len(market_days(earth, "XOBOL", "2024-03-30", "2024-04-01")) == 3


def test_a_year_of_a_share_moves_as_its_volatility_says(earth: World) -> None:
    for symbol in ("ALDR.LA", "TARN.LE", "XOBOL"):
        closes = [day.close for day in market_days(earth, symbol, "2022-01-03", "2022-12-30")]
        moves = [math.log(b / a) for a, b in pairwise(closes)]
        yearly = statistics.stdev(moves) * math.sqrt(len(moves))
        assert yearly == pytest.approx(securities(earth)[symbol].volatility, rel=0.3)


def test_a_path_is_brownian_and_its_days_agree() -> None:
    start = date(2000, 1, 1)
    path = [brownian(3, "X", start + timedelta(days=day)) for day in range(1_500)]
    moves = [b - a for a, b in pairwise(path)]
    assert abs(statistics.mean(moves)) < 0.1 and statistics.pstdev(moves) == pytest.approx(1, abs=0.08)
    assert abs(statistics.correlation(moves[1:], moves[:-1])) < 0.1
    assert brownian(3, "X", date(1980, 1, 1)) == 0.0 != brownian(4, "X", start)
    assert brownian(3, "X", date(1980, 1, 1) + timedelta(days=SPAN_DAYS))


@pytest.mark.parametrize("ticker", ["AAPL", "GSK", "BRK.B", "^GSPC", "BTC", "ETHUSDT", "BTC-USD", "VOW3.DE"])
def test_a_real_security_gets_no_made_up_price(earth: World, ticker: str) -> None:
    for ask in (stock_day, crypto_day):
        with pytest.raises(LabrigError) as caught:
            ask(earth, ticker, "2024-01-16")
        assert caught.value.code == "unavailable" and "open" in caught.value.try_


@pytest.mark.parametrize(
    "ticker, day, code",
    [
        ("", "2024-01-16", "not_found"),
        ("no such thing", "2024-01-16", "not_found"),
        ("ALDR.LA", "16.1.2024", "bad_input"),
        ("ALDR.LA", str(TODAY), "bad_input"),
        ("ALDR.LA", "1969-01-01", "bad_input"),
    ],
)
def test_what_has_no_price_is_typed(earth: World, ticker: str, day: str, code: str) -> None:
    with pytest.raises(LabrigError) as caught:
        stock_day(earth, ticker, day)
    assert caught.value.code == code
    with pytest.raises(LabrigError):
        market_days(earth, "ALDR.LA", "2024-02-01", "2024-01-01")
    with pytest.raises(LabrigError):
        market_days(earth, "ALDR.LA", "2020-01-01", "2024-01-01")


def test_every_security_has_prices_from_its_first_day_to_yesterday(earth: World) -> None:
    yesterday = str(TODAY - timedelta(days=1))
    assert len(securities(earth, "stock")) == 30 and len(securities(earth, "crypto")) == 5
    for symbol, each in securities(earth).items():
        ask = stock_day if each.kind == "stock" else crypto_day
        assert 0.0 < ask(earth, symbol, yesterday).close < 1e6
        first = each.first
        while why_closed(each.exchange, first):
            first += timedelta(days=1)
        assert ask(earth, symbol, str(first)).close == pytest.approx(each.price, rel=0.3)
