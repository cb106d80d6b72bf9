"""What databases hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from labrig.answer import Answer
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig_phreeqc.database import databases, lookup
from labrig_phreeqc.database.catalogue import Kind
from labrig_phreeqc.database.lookup import kind_of
from labrig_phreeqc.engine.library import find_library
from labrig_phreeqc.server.base import DatabaseArgument, toolbox

MAX_ENTRIES = 8


@toolbox.tool(
    title="Look into the databases",
    read_only=True,
    words="equilibrium constant, log K, log10K, delta H, enthalpy, thermodynamic data, stability constant, "
    "solubility product, Ksp, dissociation, pKa, reaction, which of the shipped databases has an element, species, "
    "mineral, gas or complexes (uranium, carbonate), phreeqc.dat, llnl, pitzer, wateq4f",
)
async def look_up_database(
    query: Annotated[str, Field(description="Name, element or part of a name; empty counts what there is.")],
    database: DatabaseArgument = "phreeqc.dat",
    kind: Annotated[
        Literal["all", "element", "species", "phase", "rate", "database"],
        # Earlier calls say "" for all; the schema cannot, since Gemini refuses an empty text in an enum.
        BeforeValidator(lambda kind: "all" if kind == "" else kind),
        Field(
            description="Only this kind; default all. `database`: which databases hold it; empty query: all."
        ),
    ] = "all",
    temperature: Annotated[float, Field(ge=-50, le=1000, description="degC, for log K; default 25.")] = 25.0,
) -> Answer:
    """Look up elements, species, minerals, gases and rate laws of a database, with log K and its stated range.

    For an element it says what a mass in mg/L is counted as when the input has no `as`.

    Ask it which databases have an element, a mineral or a complex (uranium, arsenic, fluorite), and what log K
    (equilibrium constant) they give for its dissolution or reaction.

    Example: {"query": "Fluorite"}
    """
    if kind == "database":
        return await in_thread(_databases, query)
    chosen = databases.find_database(database)
    found, meant = await in_thread(_look_up, chosen, query, "" if kind == "all" else kind)
    exact: list[dict[str, Any]] = []
    warnings = [f"{chosen.name} has no {query!r}; this is {meant}"] if meant else []
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
        next=f"look_up_database(query={query[:40]!r}, kind='database'): which databases hold it"
        if query.strip() and not exact
        else "",
    )


def _look_up(database: databases.Database, query: str, kind: Kind | Literal[""]) -> tuple[lookup.Found, str]:
    """Look up a name; where nothing has it, what it is another name of, with that."""
    from labrig_phreeqc.waters.other_names import other_names

    found = lookup.look_up(database, query, kind)
    if any(found.counts.values()) or not query.strip():
        return found, ""
    for other in other_names(query):
        again = lookup.look_up(database, other, kind)
        if again.exact:
            return again, other
    return found, ""


def _databases(query: str) -> Answer:
    """List the installed databases that hold what is asked for, or have it in their name, and the library in use."""
    library = find_library()
    installed = databases.list_databases()
    if not installed:
        raise databases.none_installed()
    wanted = query.strip().casefold()
    rows, found = [], []
    for database in installed:
        held = (
            _look_up(database, query, "")[0].exact
            if wanted and database.name not in databases.ADD_ONS
            else []
        )
        if held or wanted in database.name.casefold():
            holds = list(dict.fromkeys(f"{kind_of(one)} {one.name}" for one in held))[:4]
            row: dict[str, Any] = {
                "name": database.name,
                "about": database.description,
                "sha256": database.sha256[:12],
            }
            rows.append(row | ({"holds": holds} if holds else {}))
            found.append(database)
    if wanted and not rows:
        raise LabrigError(
            f"No installed database holds {query!r}",
            where="query",
            expected="an element, species, phase or rate by its name, or a part of a database's name",
            try_="the same without kind, for the nearest names in one database",
            code="not_found",
        )
    return Answer(
        source=f"PHREEQC {library.distribution} (sha256 {library.sha256[:12]})",
        data={"databases": rows},
        record={"databases": {each.name: each.sha256 for each in found}, "library": library.sha256},
    )
