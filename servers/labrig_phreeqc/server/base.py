"""What the rooms of the MCP face share: the toolbox, its engine, arguments, and the texts that arguments name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from labrig.commands import setup_command
from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.plotting.drawing import Painter
from labrig.server_settings import ServerSetting
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig.tools.files import source_text
from labrig_phreeqc.database import databases
from labrig_phreeqc.engine.closing import WALLS
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.forkclient import closed_in
from labrig_phreeqc.engine.library import Library, find_library
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.output import protocols
from labrig_phreeqc.runs.execution import with_wall

CALL_WALL_S = 50.0
"""A call ends before the 60 s after which most clients stop waiting; longer runs are jobs."""

JOB_WALL_S = 1800.0


@dataclass
class State:
    """What all callers of one server share."""

    engine: Engine
    painter: Painter
    readers: Children


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[State]:
    """Hold engine, painter and readers over the server's life; each starts its process at its first work."""
    from labrig.tables.apart import readers

    async with Engine() as engine, Painter("labrig_phreeqc.plots.painting", extra="phreeqc") as painter:
        workbooks = readers()
        try:
            yield State(engine, painter, workbooks)
        finally:
            await workbooks.close()


def doctor() -> list[str]:
    """Say which library and databases would be used, and whether a run succeeds with them."""
    library = find_library()
    found = databases.list_databases()
    return [
        f"test run: {asyncio.run(_trial()) if found else 'not tried'}",
        f"a run is closed in by {_closed(library)}",
        f"library {library.distribution}: {library.path} (sha256 {library.sha256[:12]})",
        f"{len(found)} databases"
        + (
            f" in {found[0].path.parent}"
            if found
            else f": the first call fetches them, or `{setup_command('phreeqc')}`"
        ),
    ]


def _closed(library: Library) -> str:
    """Say which walls a run has, which it cannot have here and why, and whether PEEK and POKE work."""
    missing, basic = closed_in(library)
    parts = [", ".join(wall for wall in WALLS if wall not in missing) or "nothing"]
    parts += [f"not by {wall}: {why}" for wall, why in missing.items()]
    parts.append(
        f"PEEK and POKE are only refused by name: {basic}" if basic else "PEEK and POKE are switched off"
    )
    return "; ".join(parts)


async def _trial() -> str:
    async with Engine() as engine:
        return (await engine.run("SOLUTION 1\nEND", limits=Limits(wall_s=20))).status


WALL = ServerSetting(
    "wall_s", CALL_WALL_S, "seconds that execute_phreeqc may take", least=0.01, most=JOB_WALL_S
)

toolbox = Toolbox(
    "phreeqc",
    "PHREEQC aqueous geochemistry",
    "Runs PHREEQC 3 (USGS): speciation, saturation indices, equilibrium with minerals and gases, exchange, "
    "surfaces, kinetics, transport. Write an input (write_file), run it (execute_phreeqc), get values with "
    "read_values, or read result.out with read_file by the line numbers of its outline. look_up_database tells what a "
    "database holds. No DATABASE line in the input: name it in the call. Mind the warnings: PHREEQC goes on after a "
    "misspelt keyword or an element that the database lacks. Defaults where the input is silent: pH 7, pe 4, "
    "25 degC, mmol/kgw.",
    opens=opens,
    outputs=protocols.NAMES,
    doctor=doctor,
    toolsets={
        "default": "inputs, runs, their values and outline, waters, plots, what databases hold",
        "outputs": "reading long outputs: search, sections, comparison of two runs",
        "paper": "the four tools of PHREEQC-MCQ-200, by their published names",
        "waters": "analyses of waters: speciation, saturation with its uncertainty, plots",
    },
    settings=(WALL,),
    reads=("library", "databases"),
)

BOTH = ("default", "paper")

DatabaseArgument = Annotated[
    str,
    Field(
        description="Database by name, default phreeqc.dat; others: pitzer.dat, wateq4f.dat, llnl.dat, ..."
    ),
]

RunDatabase = Annotated[
    str,
    Field(
        description="Database by name; default the one that a DATABASE line of the input names, else phreeqc.dat; "
        "others: pitzer.dat, wateq4f.dat, llnl.dat, ..."
    ),
]


def input_text(input_path: str, text: str) -> str:
    """Return the input that a call gives, as a file of the workspace or as text."""
    if bool(input_path) == bool(text):
        raise LabrigError(
            "Give either input_path or input" + (", not both" if text else ": both are empty"),
            where="input_path, input",
            expected="a file of the workspace, or the input as text",
        )
    return text or source_text(input_path)


def call_limits() -> Limits:
    """Return what one call may use; the setting `WALL` shortens or lengthens it."""
    return with_wall(Limits(), float(session().setting(WALL.name)))
