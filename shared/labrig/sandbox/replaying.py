"""A session: the variables of one cell are there for the next, though every run is a new process.

The cells before are run again, silently, in the process of the new one; what their calls to functions of the host
were answered
is answered again from the record, and the generators of random numbers start from the same seed. So nothing
lives between calls but text, a session can be stored and brought back anywhere, and a call that is killed
harms nothing. What is paid is time: a slow cell is slow in each call after it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.sandbox.conversation import HostFunction, Job
from labrig.sandbox.results import Limits, Result
from labrig.sandbox.sandbox import Sandbox

MAX_CELLS = 100
MAX_RECORD = 32 << 20
"""Characters of cells and recorded answers that a session may hold."""
NOT_KEPT = "this cell did not end well, so the session is as it was before it: its variables are not kept"


class Session:
    """Cells that share their variables.

    Parameters
    ----------
    sandbox
        Where they run.
    functions, owner, seed
        As for `Sandbox.run`.

    Attributes
    ----------
    cells
        What is run again: each cell's ``code``, and ``calls`` with their answers; plain data, for storing.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        functions: Mapping[str, HostFunction] | None = None,
        owner: str = "local",
        seed: int = 0,
        cells: tuple[dict[str, Any], ...] = (),
    ) -> None:
        for number, cell in enumerate(cells, 1):
            _check_cell(number, cell)
        self.cells = list(cells)
        self._sandbox = sandbox
        self._functions = dict(functions or {})
        self._owner = owner
        self._seed = seed
        self._inputs: dict[str, Path] = {}
        self._turn = asyncio.Lock()

    async def run(
        self,
        code: str,
        *,
        inputs: Mapping[str, Path] | None = None,
        limits: Limits | None = None,
        display: str = "last",
    ) -> Result:
        """Run one more cell; it is kept if it ended well.

        Parameters
        ----------
        inputs
            Files that this cell and all later ones can read.
        limits
            For the whole call, the cells before included.

        Raises
        ------
        LabrigError
            As `Sandbox.run`; ``limit`` if the session has grown too long.
        """
        async with self._turn:
            self._check_length(code)
            given = self._inputs | dict(inputs or {})
            job = Job(
                code,
                self._functions,
                given,
                limits=limits or Limits(),
                seed=self._seed,
                display=display,
                keep_calls=True,
                history=tuple(self.cells),
            )
            done = await self._sandbox.perform(job, self._owner)
            if done.result.status != "ok":
                return dataclasses.replace(done.result, notes=(*done.result.notes, NOT_KEPT))
            self.cells.append({"code": code, "calls": done.calls})
            self._inputs = given
            return done.result

    def _check_length(self, code: str) -> None:
        size = len(json.dumps(self.cells)) + len(code)
        if len(self.cells) >= MAX_CELLS or size > MAX_RECORD:
            raise LabrigError(
                f"The session has {len(self.cells)} cells and {size:,} characters",
                where="session",
                expected=f"at most {MAX_CELLS} cells and {MAX_RECORD:,} characters",
                try_="begin a new one",
                code="limit",
            )


def _check_cell(number: int, cell: object) -> None:
    """Refuse a stored cell that `Session.cells` has not held."""
    if isinstance(cell, dict) and isinstance(cell.get("code"), str) and isinstance(cell.get("calls"), list):
        calls = cell["calls"]
        if all(
            isinstance(call, dict) and isinstance(call.get("answer"), dict) and "asked" in call
            for call in calls
        ):
            return
    raise LabrigError(
        f"Cell {number} is not a cell of a session",
        where="cells",
        expected="the cells of a Session: code, and calls with asked and answer",
    )
