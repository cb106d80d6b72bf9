"""Binance: close and volume of a day for a pair of coins. https://developers.binance.com/docs/binance-spot-api-docs/rest-api

binance.com answers 451 in some countries; binance.us answers there, with other pairs and its own, smaller volumes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.http import Limit, Service
from labrig_atlas.facts import MarketDay
from labrig_atlas.services.checks import checked_day
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

LIMITS = "stated: 6,000 weight/min, a day's candle weighs 2; 5 requests/s"
BINANCE = Provider(
    Service(
        "binance",
        "https://api.binance.com/api/v3",
        limit=Limit(per_second=5, concurrent=2),
        terms="https://www.binance.com/en/terms",
    ),
    title="Binance",
    credit="market data of Binance, under its terms",
    homepage="https://www.binance.com",
    questions=("crypto",),
    at_most=LIMITS,
)
BINANCE_US = Provider(
    Service(
        "binance_us",
        "https://api.binance.us/api/v3",
        limit=Limit(per_second=5, concurrent=2),
        terms="https://www.binance.us/terms-of-use",
    ),
    title="Binance.US",
    credit="market data of Binance.US, under its terms",
    homepage="https://www.binance.us",
    questions=("crypto",),
    at_most=LIMITS,
)
QUOTES = (
    "FDUSD",
    "USDT",
    "USDC",
    "BUSD",
    "TUSD",
    "USD",
    "EUR",
    "GBP",
    "TRY",
    "BRL",
    "JPY",
    "BTC",
    "ETH",
    "BNB",
)
"""What prices are given in, the longer names first."""
DAY_MS = 86_400_000
SAYS_WHY = frozenset({400, 418})
"""Statuses whose body is ``{"code", "msg"}``; 418 is an address that went on asking after a 429."""


Pair = tuple[str, str, str]
"""The pair, its coin and its quote."""


def checked_pairs(symbol: str) -> tuple[Pair, ...]:
    """Return what a symbol may mean, the likelier first: a pair, or a coin, which is priced in USDT.

    Names alone do not tell: PYUSD and WBETH are coins, SUSDT is a pair. The exchange knows.

    Examples
    --------
    >>> checked_pairs("btc"), checked_pairs("ETH-EUR")
    ((('BTCUSDT', 'BTC', 'USDT'),), (('ETHEUR', 'ETH', 'EUR'),))
    >>> [pair for pair, _, _ in checked_pairs("FDUSD")], [pair for pair, _, _ in checked_pairs("SUSDT")]
    (['FDUSD', 'FDUSDUSDT'], ['SUSDTUSDT', 'SUSDT'])

    Raises
    ------
    LabrigError
        ``bad_input``.
    """
    text = re.sub(r"[-/_\s]", "", symbol).upper()
    if not re.fullmatch(r"[A-Z0-9]{2,20}", text):
        raise LabrigError(
            f"This is not a symbol: {symbol!r:.60}", where="symbol", expected="BTC, BTCUSDT or BTC-USDT"
        )
    coin = (f"{text}USDT", text, "USDT")
    quote = next((each for each in QUOTES if text.endswith(each) and text != each), "")
    if not quote:
        return (coin,)
    pair = (text, text.removesuffix(quote), quote)
    if re.search(r"\w[-/_\s]\w", symbol):
        return (pair,)
    return (pair, coin) if len(pair[1]) > 1 else (coin, pair)


def raise_error(answer: Value) -> None:
    """Raise what an answer ``{"code": -1121, "msg": "Invalid symbol."}`` says.

    Raises
    ------
    LabrigError
        ``not_found`` for a symbol that is unknown, ``rate_limited`` for -1003, else ``bad_input``.
    """
    if not isinstance(answer.raw, dict):
        return
    code, message = answer["code"].whole(), answer["msg"].text("")
    if code in (-1003, -1015):
        raise LabrigError(
            f"Binance answers {code}: {message}", where=answer.where, code="rate_limited", retry_after_s=60.0
        )
    if "restricted location" in message:  # with any status, as intermediate hosts pass it on
        raise LabrigError(f"Binance answers {code}: {message}", where=answer.where, code="refused")
    raise LabrigError(
        f"Binance answers {code}: {message}",
        where=answer.where,
        expected="a pair that it trades, such as BTCUSDT" if code == -1121 else "",
        code="not_found" if code == -1121 else "bad_input",
    )


def read_candle(candle: Value, pair: str, coin: str, quote: str, asked: str, provider: Provider) -> MarketDay:
    """Return one candle of a day: fields 0 opening time (ms, UTC), 4 close, 5 volume in coins, 6 closing time."""
    if candle[0].whole() != _milliseconds(asked):
        raise candle[0].odd(f"the candle of {asked}")
    return MarketDay(
        symbol=pair,
        name=f"{coin} in {quote}",
        kind="crypto",
        asked=asked,
        date=asked,
        close=candle[4].number(),
        volume=candle[5].number(),
        currency=quote,
        exchange=provider.title,
        note="the day is UTC; the close is the last price before midnight; volume is in the coin, on this exchange",
        source=provider.source,
    )


async def crypto(client: Client, symbol: str, day: str) -> Reply[MarketDay]:
    """Return close and volume of a UTC day (ISO date), from binance.com, or from binance.us where that is closed (451).

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown pair (-1121) or a day without trade.
    """
    pairs = checked_pairs(symbol)
    asked = checked_day(day)
    inquiry = Inquiry(client)
    try:
        pair, found = await _traded(inquiry, BINANCE, pairs, asked.isoformat())
    except LabrigError as error:
        if error.code != "refused":
            raise
        inquiry.notes.append("binance.com does not answer from here (refused), so binance.us did.")
        pair, found = await _traded(inquiry, BINANCE_US, pairs, asked.isoformat())
    if pair[0] != re.sub(r"[-/_\s]", "", symbol).upper():
        inquiry.notes.append(
            f"{symbol!r} was taken for the pair {pair[0]}: USDT is a coin that follows the US dollar."
        )
    return inquiry.reply(found)


async def _traded(
    inquiry: Inquiry, provider: Provider, pairs: tuple[Pair, ...], asked: str
) -> tuple[Pair, MarketDay]:
    """Return the first pair that an exchange knows, and its day; what it says of the likeliest, where it knows none."""
    unknown: LabrigError | None = None
    for pair in pairs:
        try:
            return pair, await _candle(inquiry, provider, pair, asked)
        except LabrigError as error:
            if error.code != "not_found" or error.where == "date":
                raise
            unknown = unknown or error
    assert unknown is not None
    raise unknown


async def _candle(inquiry: Inquiry, provider: Provider, pair: Pair, asked: str) -> MarketDay:
    start = _milliseconds(asked)
    response = await inquiry.response(
        provider,
        "klines",
        params={
            "symbol": pair[0],
            "interval": "1d",
            "startTime": start,
            "endTime": start + DAY_MS - 1,
            "limit": 1,
        },
        accept=SAYS_WHY,
    )
    answer = Value(response.json(), response.url)
    raise_error(answer)
    if not answer.count:
        raise LabrigError(
            f"{provider.title} has no trade of {pair[0]} on {asked}",
            where="date",
            expected="a day between the pair's first trade and today",
            code="not_found",
        )
    found = read_candle(answer[0], *pair, asked, provider)
    if answer[0][6].whole() > datetime.fromisoformat(response.retrieved_at).timestamp() * 1000:
        return replace(
            found, note=f"this day had not ended when it was asked: figures up to then; {found.note}"
        )
    return found


def _milliseconds(day: str) -> int:
    """Return when a UTC day begins, in milliseconds since 1970."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1000
