"""Prices of fictional companies and coins: random walks from the world's seed, with real calendars.

A real security has no price offline: none is made up for it. The path is Lévy's construction of Brownian motion (each
midpoint from its ends), so that any day can be computed alone, and neighbours agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp, log, sqrt

from labrig.errors import LabrigError, nearest
from labrig_atlas.facts import MarketDay
from labrig_atlas.offline.dates import read_date
from labrig_atlas.offline.trading_days import last_trading_day, why_closed
from labrig_atlas.world.database import World
from labrig_atlas.world.noise import normal

SOURCE = "made up by Labrig: the company, the exchange and every price are fictional"
SPAN_DAYS = 2**15
"""Of a path, from 1980 to 2069."""
BEGIN = date(1980, 1, 1)
MOST_DAYS = 366
_REAL = re.compile(r"\^?[A-Z0-9]{1,6}([.\-=/][A-Z0-9]{1,5})?|[A-Z0-9]{2,10}(USD|USDT|EUR|BTC)", re.ASCII)
_QUOTES = ("-USD", "/USD", "USDT", "USD")


@dataclass(frozen=True)
class Security:
    """A share or a coin: the price on its first day, yearly growth and volatility, the usual daily volume."""

    symbol: str
    name: str
    kind: str
    exchange: str
    currency: str
    first: date
    price: float
    growth: float
    volatility: float
    volume: float


def securities(world: World, kind: str = "") -> Mapping[str, Security]:
    """Return what is traded, by symbol; of one kind, ``stock`` or ``crypto``, or all."""
    if "securities" not in world.kept:
        rows = world.ask("SELECT * FROM security ORDER BY symbol")
        world.kept["securities"] = {
            symbol: Security(symbol, name, sort, exchange, currency, date.fromisoformat(first), *numbers)
            for symbol, name, sort, exchange, currency, first, *numbers in rows
        }
    known: dict[str, Security] = world.kept["securities"]
    return {symbol: each for symbol, each in known.items() if kind in ("", each.kind)}


def stock_day(world: World, ticker: str, day: str) -> MarketDay:
    """Return close and volume of a company's share on a day, or on the last trading day before it.

    Raises
    ------
    LabrigError
        ``unavailable`` for what may be a real security; ``not_found`` for no symbol at all; ``bad_input`` for a date in
        another form, in the future of the world, or before the first day of trade.
    """
    return _day(world, find_security(world, ticker, "stock", "ticker"), read_date(day, "date"))


def crypto_day(world: World, symbol: str, day: str) -> MarketDay:
    """Return close and volume of a coin on a day; coins trade every day.

    Raises
    ------
    LabrigError
        As `stock_day`.
    """
    return _day(world, find_security(world, symbol, "crypto", "symbol"), read_date(day, "date"))


def market_days(world: World, symbol: str, start: str, end: str) -> tuple[MarketDay, ...]:
    """Return every trading day from a day to another, both counted; empty where there is none between them.

    Raises
    ------
    LabrigError
        As `stock_day`; ``bad_input`` for more than 366 days, or an end before the start.
    """
    security = find_security(world, symbol, "", "symbol")
    first, last = read_date(start, "start_date"), read_date(end, "end_date")
    if not 0 <= (last - first).days < MOST_DAYS:
        raise LabrigError(
            f"{first} to {last} cannot be told in one call",
            where="end_date",
            expected=f"the first day, then the last; at most {MOST_DAYS} days",
        )
    days = [first + timedelta(days=count) for count in range((last - first).days + 1)]
    for day in (first, last):
        _check_day(world, security, day)
    return tuple(_day(world, security, day) for day in days if not why_closed(security.exchange, day))


def find_security(world: World, symbol: str, kind: str, where: str) -> Security:
    """Return the security of a symbol; a coin's may have its quote, ``XOBOL-USD`` or ``XOBOLUSDT``.

    Raises
    ------
    LabrigError
        ``unavailable`` for a symbol that may be a real one, ``not_found`` for another.
    """
    asked = symbol.strip().upper()
    known = securities(world, kind)
    plain = next((asked.removesuffix(quote) for quote in _QUOTES if asked.endswith(quote)), asked)
    for name in (asked, plain):
        if name in known and (name == asked or known[name].kind == "crypto"):
            return known[name]
    other = securities(world).get(asked)
    if other is not None:
        traded = {"stock": "share", "crypto": "coin"}
        raise LabrigError(
            f"{asked} is a {traded[other.kind]}, not a {traded[kind]}",
            where=where,
            expected=f"one of {len(known)} symbols: {', '.join(known)}",
            code="not_found",
        )
    close = nearest(asked, known)
    tried = "did you mean " + " or ".join(close) + "?" if close else ""
    if _REAL.fullmatch(asked):
        raise LabrigError(
            f"The offline world has no prices of real securities, which {symbol.strip()!r} may be",
            where=where,
            expected=f"one of its {len(known)} fictional ones: {', '.join(known)}",
            try_="the backend `open`, which asks live services, or one of the fictional ones",
            code="unavailable",
        )
    raise LabrigError(
        f"Nothing is traded as {symbol!r}",
        where=where,
        expected=f"one of {len(known)} symbols: {', '.join(known)}",
        try_=tried,
        code="not_found",
    )


def _check_day(world: World, security: Security, day: date) -> None:
    yesterday = world.today - timedelta(days=1)
    if not security.first <= day <= yesterday:
        future = (
            " is in the future of the world" if day > yesterday else f" is before {security.name} was traded"
        )
        raise LabrigError(f"{day}{future}", where="date", expected=f"{security.first} to {yesterday}")


def _day(world: World, security: Security, asked: date) -> MarketDay:
    _check_day(world, security, asked)
    closed = why_closed(security.exchange, asked)
    day = last_trading_day(security.exchange, asked)
    if day < security.first:
        raise LabrigError(
            f"{asked} is {closed}, and {security.name} was not traded before",
            where="date",
            expected=f"a trading day from {security.first} on",
        )
    years = (day - security.first).days / 365.25
    path = brownian(world.seed, security.symbol, day) - brownian(world.seed, security.symbol, security.first)
    drift = (security.growth - security.volatility**2 / 2) * years
    close = exp(log(security.price) + drift + security.volatility * path / sqrt(365.25))
    busy = exp(0.35 * normal("volume", world.seed, security.symbol, day.toordinal()))
    digits = 2 if close >= 1 or security.kind == "stock" else 6
    return MarketDay(
        symbol=security.symbol,
        name=security.name,
        kind="stock" if security.kind == "stock" else "crypto",
        asked=str(asked),
        date=str(day),
        close=max(round(close, digits), 10.0**-digits),
        volume=float(round(security.volume * busy)),
        currency=security.currency,
        exchange=security.exchange,
        note=f"{asked} is {closed}: these are the figures of {day}, the last trading day before it"
        if closed
        else "",
        source=SOURCE,
        made_up=True,
    )


def brownian(seed: int, name: str, day: date) -> float:
    """Return a Brownian path of unit variance a day at a day, 0 on 1 January 1980.

    Raises
    ------
    ValueError
        For a day beyond 2069.
    """
    at = (day - BEGIN).days
    if not 0 <= at <= SPAN_DAYS:
        raise ValueError(f"{day} is outside the path")
    low, high = 0, SPAN_DAYS
    left, right = 0.0, normal("path", seed, name, low, high) * sqrt(SPAN_DAYS)
    while low < at < high:
        middle = (low + high) // 2
        value = (left + right) / 2 + normal("path", seed, name, low, high, "middle") * sqrt(high - low) / 2
        if at < middle:
            high, right = middle, value
        else:
            low, left = middle, value
    return left if at == low else right
