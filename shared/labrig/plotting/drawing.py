"""Pictures, drawn by a child process: plotting libraries are heavy, and few of them are safe in threads.

`Painter` is the half of a server: data go in as JSON, a PNG comes out. The other half is a module with
``work = painted(paint)``, which a warm child runs (`labrig.isolation.children`).

The same data give the same bytes as long as the same library draws them with the same fonts.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from labrig.config import home
from labrig.errors import LabrigError
from labrig.isolation import children
from labrig.isolation.children import Children
from labrig.isolation.process import Limits, Outcome, outcome_error

MAX_DATA_BYTES = 64 << 20
SLOW: Sequence[str] = ("matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.font_manager")
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_END = b"\0\0\0\0IEND\xaeB`\x82"


class Painter:
    """What draws the pictures of one module, each in a process of its own.

    Parameters
    ----------
    module
        Such as ``labrig_phreeqc.plots.painting``: a module whose ``work`` is `painted`.
    extra
        The extra of ``labrig`` that brings the plotting library.
    slots, places
        Pictures of one caller that are drawn at a time, and that may wait.
    """

    def __init__(self, module: str, *, extra: str = "all", slots: int = 4, places: int = 100) -> None:
        self._extra = extra
        self._cache = home() / "cache" / "matplotlib"
        self._children = Children(
            module,
            what="Drawing the picture",
            slots=slots,
            places=places,
            preload=SLOW,
            cwd=self._cache,
            variables={
                "MPLBACKEND": "Agg",
                "MPLCONFIGDIR": str(self._cache),
                "XDG_CACHE_HOME": str(self._cache),  # of fc-list, which is asked for the fonts
                "PYTHONHASHSEED": "0",
            },
        )

    async def __aenter__(self) -> Painter:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the process that draws."""
        await self._children.close()

    async def draw(self, data: dict[str, Any], *, wall_s: float = 60.0) -> bytes:
        """Return a picture as a PNG file.

        Parameters
        ----------
        data
            What the module draws, in its own words; anything that JSON can hold, at most `MAX_DATA_BYTES` of it.
        wall_s
            Seconds after which the child is killed.

        Raises
        ------
        LabrigError
            What the child refuses; ``unavailable`` without the plotting library, or where the cache of its fonts
            cannot be written; ``limit`` for what is too large or too slow; ``busy`` for too many at a time;
            ``internal`` for a child that fails.
        """
        size = len(json.dumps(data))
        if size > MAX_DATA_BYTES:
            raise LabrigError(
                f"The data of the picture take {size} bytes",
                expected=f"at most {MAX_DATA_BYTES}",
                try_="draw fewer points",
                code="limit",
            )
        try:
            self._cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LabrigError(
                f"There is no place for the cache of fonts: {error.strerror}",
                where=str(self._cache),
                try_="set LABRIG_HOME to a folder that can be written",
                code="unavailable",
            ) from None
        outcome = await self._children.ask(data, limits=Limits(wall_s=wall_s, cpu_s=wall_s))
        if outcome.kind == "ok":
            png_size(outcome.stdout)
            return outcome.stdout
        if outcome.kind == "exit":
            raise _refusal(outcome, self._extra)
        raise outcome_error(outcome, "Drawing the picture")


def png_size(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG file in pixels.

    Raises
    ------
    LabrigError
        ``internal`` if the bytes do not start and end like a PNG file.
    """
    if not (png.startswith(SIGNATURE) and png[12:16] == b"IHDR" and png.endswith(_END)):
        raise LabrigError(f"What was drawn is not a PNG file: it starts with {png[:16]!r}", code="internal")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def painted(paint: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Return the ``work`` of a module that paints.

    Parameters
    ----------
    paint
        Makes a PNG of the data. The plotting library must be imported in there, so that its absence can be told.
    """

    def work(data: Any) -> bytes:
        try:
            return paint(data)
        except ModuleNotFoundError as error:
            raise LabrigError(
                f"Pictures need {error.name}, which is not installed", code="unavailable"
            ) from None

    return work


def _refusal(outcome: Outcome, extra: str) -> LabrigError:
    refusal = children.refusal(outcome)
    if refusal is None:
        said = children.last_line(outcome) or "it said nothing"
        return LabrigError(
            f"The picture could not be drawn; the child ended with exit code {outcome.returncode}: {said[-300:]}",
            code="internal",
        )
    if refusal.code == "unavailable":
        refusal.try_ = f"pip install 'labrig[{extra}]'"
    return refusal
