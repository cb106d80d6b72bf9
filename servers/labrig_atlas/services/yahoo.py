"""Stocks from Yahoo Finance, by the package yfinance: optional, and not recordable, since it sends through curl_cffi.

Yahoo's closes are corrected for splits, whenever they came; ``auto_adjust=False`` keeps dividends out of them, which
would change every past close with each payment. https://ranaroussi.github.io/yfinance/
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http import Limit, Service
from labrig.http.outside import outside
from labrig.threads import in_thread
from labrig_atlas.facts import MarketDay
from labrig_atlas.services.checks import checked_day
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply

if TYPE_CHECKING:
    from labrig.http import Client

YAHOO = Provider(
    Service(
        "yahoo",
        "https://query2.finance.yahoo.com",
        limit=Limit(per_second=1, concurrent=1),
        terms="https://legal.yahoo.com/us/en/yahoo/terms/otos/index.html",
    ),
    title="Yahoo Finance",
    credit="through the package yfinance, for personal use under Yahoo's terms",
    homepage="https://finance.yahoo.com",
    questions=("stock",),
    at_most="asked by yfinance itself, past Labrig's turns and ledger; its address cannot be set",
    needs="pip install yfinance",
)
BACK_DAYS = 10
"""How far the last trading day may lie before the day that was asked: the longest closings of exchanges are shorter."""
META = ("currency", "longName", "shortName", "fullExchangeName", "exchangeName")
ADJUSTED = "closes are corrected for splits (also later ones), not for dividends"


async def stock(client: Client, ticker: str, day: str) -> Reply[MarketDay]:
    """Return close and volume of a stock on a day (ISO date), or on the last trading day at most ten days before it.

    Raises
    ------
    LabrigError
        ``unavailable`` without yfinance, ``not_recorded`` in a replay, ``not_found`` for an unknown ticker or a day
        without trade, ``rate_limited``, ``unreachable``.
    """
    symbol = ticker.strip().upper()
    if not re.fullmatch(r"[A-Z0-9^][A-Z0-9.\-=^]{0,19}", symbol):
        raise LabrigError(
            f"This is not a ticker: {ticker!r:.60}", where="ticker", expected="such as AAPL or SAP.DE"
        )
    asked = checked_day(day)
    today = (datetime.now(UTC) + timedelta(hours=14)).date()  # wherever on Earth the exchange is
    if asked > today:
        raise LabrigError(f"{asked} lies in the future", where="date", expected="a day that is over")
    inquiry = Inquiry(client)
    with outside("yfinance", mode=client.mode):
        rows, meta = await in_thread(_history, symbol, asked)
    inquiry.note(YAHOO)
    inquiry.notes.append(
        "yfinance's requests are in no ledger: this answer cannot be replayed below the tool's call."
    )
    return inquiry.reply(read_day(rows, meta, symbol, asked, today), recorded=False)


def read_day(
    rows: list[tuple[date, float, float]], meta: dict[str, Any], symbol: str, asked: date, today: date
) -> MarketDay:
    """Return the last day with a close at or before the day that was asked.

    Parameters
    ----------
    rows
        Day, close and volume in shares, in order of time.
    today
        The latest date on Earth now.
    meta
        What Yahoo says of the ticker: ``currency``, ``longName``, ``fullExchangeName``.
    """
    known = [row for row in rows if row[0] <= asked and math.isfinite(row[1]) and math.isfinite(row[2])]
    if not known:
        raise LabrigError(
            f"Yahoo Finance has no trade of {symbol} in the {BACK_DAYS} days to {asked}",
            where=f"{symbol}, {asked}",
            expected="a ticker as Yahoo writes it (SAP.DE), and a day since it is traded, not in the future",
            code="not_found",
        )
    found, close, volume = known[-1]
    currency = str(meta.get("currency") or "")
    if not currency:
        raise LabrigError(
            f"Yahoo Finance does not say in which currency {symbol} is", where=symbol, code="unreachable"
        )
    moved = ""
    if found != asked:
        why = (
            "was no trading day"
            if (today - asked).days > 1
            else "has no figures (no trading day, or not over)"
        )
        moved = f"{asked} {why}; the figures are those of {found}; "
    elif (today - asked).days <= 1:
        moved = "this day may not be over: figures so far; "
    return MarketDay(
        symbol=symbol,
        name=str(meta.get("longName") or meta.get("shortName") or ""),
        kind="stock",
        asked=asked.isoformat(),
        date=found.isoformat(),
        close=close,
        volume=volume,
        currency=currency,
        exchange=str(meta.get("fullExchangeName") or meta.get("exchangeName") or ""),
        note=moved + ADJUSTED,
        source=YAHOO.source,
    )


def _history(symbol: str, asked: date) -> tuple[list[tuple[date, float, float]], dict[str, Any]]:
    """Return what yfinance gives for the days up to the one that was asked."""
    try:
        yfinance = import_module("yfinance")
    except ImportError:
        raise LabrigError(
            "Stocks need the package yfinance, which is not installed",
            where="the backend open",
            try_="pip install yfinance; or the backend offline, whose markets are made up and say so",
            code="unavailable",
        ) from None
    if not hasattr(yfinance, "config"):
        raise LabrigError(
            "This yfinance is too old", try_="pip install --upgrade yfinance", code="unavailable"
        )
    yfinance.config.debug.hide_exceptions = False  # else a failed connection looks like an unknown ticker
    named = yfinance.Ticker(symbol)
    try:
        frame = named.history(
            start=(asked - timedelta(days=BACK_DAYS)).isoformat(),
            end=(asked + timedelta(days=1)).isoformat(),
            interval="1d",
            auto_adjust=False,
            actions=False,
        )
        said = named.history_metadata if len(frame) else {}
        meta = {key: said.get(key) for key in META}  # dict(said) would have it ask for hours of trading too
        rows = (
            [
                (when.date(), float(close), float(volume))
                for when, close, volume in zip(frame.index, frame["Close"], frame["Volume"], strict=True)
            ]
            if len(frame)
            else []
        )
    except Exception as error:  # its own kinds, those of curl_cffi, and what a changed page makes of it
        raise _typed(error, symbol) from error
    return rows, meta


def _typed(error: Exception, symbol: str) -> LabrigError:
    kind = type(error).__name__
    if kind == "YFRateLimitError":
        return LabrigError(
            "Yahoo Finance asks to wait",
            where=symbol,
            try_="the same call in 60 s",
            code="rate_limited",
            retry_after_s=60.0,
        )
    if kind in ("YFTzMissingError", "YFPricesMissingError", "YFTickerMissingError"):
        return LabrigError(f"Yahoo Finance answers: {error}", where=symbol, code="not_found")
    if getattr(getattr(error, "response", None), "status_code", 0) == 404:
        # of the first unknown tickers of a process yfinance asks for more than their prices, and hears 404
        return LabrigError(f"Yahoo Finance knows no {symbol}", where=symbol, code="not_found")
    return LabrigError(
        f"Yahoo Finance did not answer: {kind}: {error}",
        where=symbol,
        try_="the same call later",
        code="unreachable",
    )
