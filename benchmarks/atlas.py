"""The atlas offline: a page seen first, a name looked up, beside the least that SQLite can take for one row.

The aims are 5 ms for the 95th percentile of pages (from the store, with outline, infobox and lead) and 2 ms for that of
names in the gazetteer; a name that no place has takes longer, since its neighbours are looked for.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median, quantiles

from labrig.errors import LabrigError
from labrig_atlas.offline.geocoding import geocode
from labrig_atlas.wiki.bundled import earth_store
from labrig_atlas.wiki.identity import identity_of
from labrig_atlas.wiki.views import overview
from labrig_atlas.world.database import World, open_world

PAGES_MS, NAMES_MS = 5.0, 2.0
NAMES = 1_500
TRIES = 5


def _milliseconds(calls: Iterable[Callable[[], object]]) -> list[float]:
    """Return the time of each call, the best of a few: another program takes the processor for milliseconds."""
    times = []
    for call in calls:
        tries = []
        for _ in range(TRIES):
            began = time.perf_counter()
            call()
            tries.append((time.perf_counter() - began) * 1000)
        times.append(min(tries))
    return times


def _said(what: str, times: list[float], floor: float, aim: float | None = None) -> str:
    high = quantiles(times, n=20)[-1]
    aimed = f", aim {aim:g} ms: {'met' if high < aim else 'missed'}" if aim else ""
    return (
        f"{what}: median {median(times):.2f} ms, p95 {high:.2f} ms ({high / floor:.0f} times one row of SQLite) "
        f"of {len(times):,}{aimed}"
    )


def _unknown(world: World, name: str) -> None:
    try:
        geocode(world, name)
    except LabrigError:
        return


def main() -> None:
    """Print a line for pages and for names that are known, and one for names that are not."""
    world, store = open_world(), earth_store()
    try:
        floor = median(
            _milliseconds([lambda: world.ask("SELECT name FROM place WHERE id = 7")] * NAMES),
        )
        identities = [identity_of(title) for title in asyncio.run(store.titles(n=10_000))]
        pages = _milliseconds([partial(lambda each: overview(store.page(each)), each) for each in identities])
        print(_said("a page with its outline", pages, floor, PAGES_MS))
        draw = random.Random("names")
        rows = world.ask("SELECT name FROM place WHERE kind = 'city' ORDER BY place_id")
        names = [draw.choice(rows)[0] for _ in range(NAMES)]
        known = _milliseconds([partial(geocode, world, each) for each in names])
        print(_said("a name in the gazetteer", known, floor, NAMES_MS))
        odd = [f"{each[:2]}q{each[3:]}x" for each in names[:200]]
        unknown = _milliseconds([partial(_unknown, world, each) for each in odd])
        print(_said("a name that no place has", unknown, floor))
    finally:
        world.close()
        asyncio.run(store.close())


if __name__ == "__main__":
    main()
