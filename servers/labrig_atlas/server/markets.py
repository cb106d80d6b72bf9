"""Closes and volumes of shares and coins."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig.tools import cursor as cursors
from labrig_atlas.asking import OFFLINE
from labrig_atlas.facts import MarketDay
from labrig_atlas.server.answers import answer
from labrig_atlas.server.base import atlas, toolbox

MOST_DAYS, DAYS_BYTES = 100, 5_000
"""Of one Answer."""


@toolbox.tool(
    title="Get market history",
    read_only=True,
    open_world=True,
    words="stock price, closing price, close of a ticker, symbol, share, SPY, AAPL, bitcoin, ethereum, crypto, "
    "coin, exchange, trading day, quotes, historical prices, volume, capitalisation",
)
async def get_market_history(
    symbol: Annotated[str, Field(description="Ticker of a share, or symbol of a coin.")],
    date: Annotated[str, Field(description="Day, or first day, YYYY-MM-DD.")],
    end_date: Annotated[str, Field(description="Last day, for all trading days between.")] = "",
    kind: Annotated[Literal["stock", "crypto"], Field(description="Share or crypto currency.")] = "stock",
    cursor: Annotated[str, Field(description="Where an earlier result ended.")] = "",
) -> Answer:
    """Get close and volume of a share or coin on a day (or the trading day before it), or of a span of days.

    Offline there are fictional securities alone; an unknown symbol is answered with some of them.

    It gives the stock price of a company over a year, closing prices of stocks for every trading day of a month or
    week, historical quotes of two stocks to compare, what a share is trading at now, bitcoin or Ethereum in USD or
    euros and how it moved, its volume and market cap.

    Example: {"symbol": "ALDR.LA", "date": "2024-12-25"}
    """
    if not end_date:
        try:
            told = await atlas().ask(kind, symbol, date)
        except LabrigError as error:
            error.where = "symbol" if error.where == "ticker" else error.where
            raise
        return answer(told, _values(told.facts), text=told.facts.note, data=_named(told.facts))
    if atlas().backend(kind) != OFFLINE:
        raise LabrigError(
            "This backend tells one day a call", where="end_date", try_="one call a day, without end_date"
        )
    from labrig_atlas.offline.markets import market_days

    try:
        told = await atlas().ask_world(market_days, symbol, date, end_date)
    except LabrigError as error:
        error.where = "date" if error.where == "start_date" else error.where
        raise
    days: tuple[MarketDay, ...] = told.facts
    if not days:
        raise LabrigError(
            f"Nothing was traded from {date} to {end_date}",
            where="date, end_date",
            expected="a trading day",
            code="not_found",
        )
    rows = [[each.date, each.close, each.volume] for each in days]
    shown, following = cursors.page(rows, [symbol, date, end_date], cursor, MOST_DAYS, most_bytes=DAYS_BYTES)
    volume = "shares" if days[0].kind == "stock" else "coins"
    data = _named(days[0]) | {
        "columns": ["date", f"close ({days[0].currency})", f"volume ({volume})"],
        "days": list(shown),
    }
    hint = f"get_market_history(symbol={days[0].symbol!r}, date={date!r}, end_date={end_date!r}, cursor={following!r})"
    return answer(
        told,
        (Quantity("trading days", len(days), "1"),),
        data=data,
        next=hint if following else "",
        mark=False,
    )


def _values(day: MarketDay) -> tuple[Quantity, ...]:
    volume = "shares" if day.kind == "stock" else "coins"
    return (
        Quantity("close", day.close, day.currency, day.date),
        Quantity("volume", day.volume, volume, day.date),
    )


def _named(day: MarketDay) -> dict[str, object]:
    return {"symbol": day.symbol, "name": day.name, "exchange": day.exchange, "currency": day.currency}
