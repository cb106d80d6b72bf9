"""Population and area of countries, and a day of a stock or a coin, in the shape of the public servers."""

from __future__ import annotations

from typing import Any

from labrig.errors import LabrigError
from labrig_atlas.asking import Atlas, Told

Shaped = tuple[dict[str, Any], Told]


async def countries_population(atlas: Atlas, country: str) -> Shaped:
    """Return ``{country, population}``."""
    told = await atlas.ask("country", country)
    if told.facts.population is None:
        raise _lacks(told, "population")
    return {"country": told.facts.name, "population": told.facts.population}, told


async def countries_area(atlas: Atlas, country: str) -> Shaped:
    """Return ``{country, area_km2}``."""
    told = await atlas.ask("country", country)
    if told.facts.area_km2 is None:
        raise _lacks(told, "area")
    return {"country": told.facts.name, "area_km2": told.facts.area_km2}, told


def _lacks(told: Told, what: str) -> LabrigError:
    return LabrigError(f"The source has no {what} of {told.facts.name}", where=told.source, code="not_found")


async def stock_historical_price(atlas: Atlas, ticker: str, date: str) -> Shaped:
    """Return ``{ticker, date, close_price, currency}`` of the last trading day at or before a date."""
    told = await atlas.ask("stock", ticker, date)
    found = told.facts
    return {
        "ticker": found.symbol,
        "date": found.date,
        "close_price": round(found.close, 2),
        "currency": found.currency,
    }, told


async def stock_volume(atlas: Atlas, ticker: str, date: str) -> Shaped:
    """Return ``{ticker, date, volume}`` of the last trading day at or before a date, shares."""
    told = await atlas.ask("stock", ticker, date)
    return {"ticker": told.facts.symbol, "date": told.facts.date, "volume": round(told.facts.volume)}, told


async def crypto_historical_price(atlas: Atlas, symbol: str, date: str) -> Shaped:
    """Return ``{symbol, date, close_price}`` of a day (UTC)."""
    told = await atlas.ask("crypto", symbol, date)
    return {"symbol": told.facts.symbol, "date": told.facts.date, "close_price": told.facts.close}, told


async def crypto_volume(atlas: Atlas, symbol: str, date: str) -> Shaped:
    """Return ``{symbol, date, volume}`` of a day (UTC), in units of the coin."""
    told = await atlas.ask("crypto", symbol, date)
    return {"symbol": told.facts.symbol, "date": told.facts.date, "volume": told.facts.volume}, told
