"""The sandbox's fork server as the host sees it: its start, a run's request, and the folders that runs leave."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.inside.mounts import FOLDER
from labrig.isolation.warm import LoadingServer, RunRefused
from labrig.sandbox.inputs import Input
from labrig.sandbox.results import Limits


@dataclass(frozen=True)
class Ended:
    """How a run's process ended: exit code or minus a signal, why it was killed, what it used."""

    exit: int
    reason: str
    cpu_s: float = 0.0
    max_rss_bytes: int = 0


class ForkServer(LoadingServer):
    """One running fork server.

    Attributes
    ----------
    scratch
        Descriptor of the folder that holds the scratch folders of the runs.
    imported
        Versions of the packages that are warm.
    unmounted
        Why a run's folder is no file system of its own, whose size the kernel keeps; empty where it is.
    unshown
        Why a run cannot stand in a folder of the host; empty where it can.
    """

    def __init__(self) -> None:
        super().__init__("The sandbox")
        self.scratch = -1
        self.imported: dict[str, str] = {}
        self.unmounted = ""
        self.unshown = ""
        self._folders: dict[int, int] = {}
        self._starting: dict[int, asyncio.Future[None]] = {}

    def unstarted(self, why: str) -> LabrigError:
        """Return the error for imports that failed or took too long."""
        return LabrigError(f"The sandbox did not start: {why}", where="sandbox", code="unavailable")

    def submit(
        self, number: int, descriptors: Sequence[int], inputs: Sequence[Input], limits: Limits
    ) -> asyncio.Future[dict[str, Any]]:
        """Ask for a run on the descriptors of its socket, output and errors; `ending` waits for its end."""
        self._starting[number] = asyncio.get_running_loop().create_future()
        asked = self.ask(
            number,
            [*descriptors, *(each.descriptor for each in inputs)],
            scratch=scratch_name(number),
            inputs=len(inputs),
            limits=vars(limits),
        )
        asked.add_done_callback(lambda _: self._note_start(number))
        return asked

    async def started(self, number: int) -> None:
        """Wait for the word that a run has started, which brings its folder: the run's own report may be faster."""
        if number in self._starting:
            await self._starting[number]

    def _note_start(self, number: int) -> None:
        starting = self._starting.pop(number, None)
        if starting is not None and not starting.done():
            starting.set_result(None)

    async def ending(self, asked: asyncio.Future[dict[str, Any]]) -> Ended:
        """Return how a run ended; cancelling this leaves the run alone.

        Raises
        ------
        LabrigError
            ``engine`` if it could not be started, or the fork server is gone.
        """
        try:
            return Ended(**await asyncio.shield(asked))
        except RunRefused as refused:
            raise LabrigError(
                f"The run could not be started: {refused}",
                where="sandbox",
                try_="the same call again",
                code="engine",
            ) from None

    def take_folder(self, number: int) -> tuple[int, bool]:
        """Return a descriptor of a run's folder, the caller's to close, and whether it is a file system of its own.

        Such a one is gone when the descriptor is closed. The descriptor is -1 where there is no folder.
        """
        if number in self._folders:
            return self._folders.pop(number), True
        with contextlib.suppress(OSError):
            if not self.dead:
                return os.open(scratch_name(number), FOLDER, dir_fd=self.scratch), False
        return -1, False

    def heard(self, event: str, message: dict[str, Any]) -> None:
        """Take the scratch folder when all is imported, and a run's own folder when it has started."""
        if event == "ready":
            self.scratch = self.received.popleft()
            self.imported = message["imported"]
            self.unmounted = message["unmounted"]
            self.unshown = message["unshown"]
            self.loaded()
        elif event == "started":
            for _ in range(message["descriptors"]):
                folder = self.received.popleft()
                if message["id"] in self.runs:
                    self._folders[message["id"]] = folder
                else:  # nobody waits for this run any more
                    os.close(folder)
            self._note_start(message["id"])

    def died(self, error: LabrigError) -> None:
        """Close the scratch folder; who waits for the start is told."""
        super().died(error)
        if self.scratch >= 0:
            os.close(self.scratch)
            self.scratch = -1


def scratch_name(number: int) -> str:
    """Return the name of a run's scratch folder."""
    return f"run-{number}"
