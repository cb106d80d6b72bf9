"""What databases hold."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer
from labrig_phreeqc import databases, lookup
from labrig_phreeqc.library import find_library
from labrig_phreeqc.server.base import DatabaseArgument, toolbox

MAX_ENTRIES = 8


@toolbox.tool(title="Look into the databases", read_only=True)
async def look_up(
    query: Annotated[str, Field(description="Name, element or part of a name; empty counts what there is.")],
    database: DatabaseArgument = "phreeqc.dat",
    kind: Annotated[
        Literal["", "element", "species", "phase", "rate", "database"],
        Field(
            description="Only this kind; default all but databases. `database` lists those that can be named."
        ),
    ] = "",
    temperature: Annotated[float, Field(ge=-50, le=1000, description="degC, for log K; default 25.")] = 25.0,
) -> Answer:
    """Look up elements, species, minerals, gases and rate laws of a database, with log K and its stated range.

    For an element it says what a mass in mg/L is counted as when the input has no `as`.
    """
    if kind == "database":
        return _databases(query)
    chosen = databases.find_database(database)
    found = await asyncio.to_thread(lookup.look_up, chosen, query, kind)
    exact: list[dict[str, Any]] = []
    warnings: list[str] = []
    for entry in found.exact[:MAX_ENTRIES]:
        data, said = lookup.described(entry, temperature)
        exact.append(data)
        warnings += said
    related = {each: [one.name for one in entries] for each, entries in found.related.items() if entries}
    return Answer(
        source=f"{chosen.name} {chosen.official or ''} (sha256 {chosen.sha256[:12]})".replace("  ", " "),
        status="ok_with_warnings" if warnings else "ok",
        data={"exact": exact, "related": related, "counts": found.counts, "nearest": found.nearest},
        warnings=tuple(warnings),
    )


def _databases(query: str) -> Answer:
    """List the installed databases that have the query in their name or description, and the library in use."""
    library = find_library()
    installed = databases.list_databases()
    wanted = query.strip().casefold()
    found = [
        each for each in installed if wanted in f"{each.name} {each.description}".casefold()
    ] or installed
    rows = [{"name": each.name, "about": each.description, "sha256": each.sha256[:12]} for each in found]
    return Answer(
        source=f"PHREEQC {library.distribution} (sha256 {library.sha256[:12]})",
        data={"databases": rows},
        warnings=() if rows else ("No database is installed: run `labrig setup phreeqc`.",),
        record={"databases": {each.name: each.sha256 for each in found}, "library": library.sha256},
    )
