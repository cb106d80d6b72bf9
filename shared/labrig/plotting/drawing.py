"""Pictures, drawn by a child process: plotting libraries are heavy, and few of them are safe in threads.

`draw` is the half of a server: data go in as JSON, a PNG comes out. `answer` is the half of the child, a module
that is run with ``python -m`` and ends with ``sys.exit(answer(paint))``. What passes between them is the protocol of
`labrig.isolation.child`.

The same data give the same bytes as long as the same library draws them with the same fonts.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

from labrig.config import home
from labrig.errors import LabrigError
from labrig.isolation import child
from labrig.isolation.process import Limits, Outcome, outcome_error

MAX_DATA_BYTES = 64 << 20
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_END = b"\0\0\0\0IEND\xaeB`\x82"


async def draw(module: str, data: dict[str, Any], *, extra: str = "all", wall_s: float = 60.0) -> bytes:
    """Return a picture as a PNG file.

    Parameters
    ----------
    module
        What ``python -m`` runs, such as ``labrig_phreeqc.plots``: a module that ends with `answer`.
    data
        What it draws, in its own words; anything that JSON can hold, at most `MAX_DATA_BYTES` of it.
    extra
        The extra of ``labrig`` that brings the plotting library.
    wall_s
        Seconds after which the child is killed.

    Raises
    ------
    LabrigError
        What the child refuses; ``unavailable`` without the plotting library, or where the cache of its fonts
        cannot be written; ``limit`` for what is too large or too slow; ``internal`` for a child that fails.
    """
    request = json.dumps(data).encode()
    if len(request) > MAX_DATA_BYTES:
        raise LabrigError(
            f"The data of the picture take {len(request)} bytes",
            expected=f"at most {MAX_DATA_BYTES}",
            try_="draw fewer points",
            code="limit",
        )
    cache = home() / "cache" / "matplotlib"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabrigError(
            f"There is no place for the cache of fonts: {error.strerror}",
            where=str(cache),
            try_="set LABRIG_HOME to a folder that can be written",
            code="unavailable",
        ) from None
    outcome = await child.ask(
        module,
        request,
        limits=Limits(wall_s=wall_s, cpu_s=wall_s),
        cwd=cache,
        variables={
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": str(cache),
            "XDG_CACHE_HOME": str(cache),  # of fc-list, which is asked for the fonts
            "PYTHONHASHSEED": "0",
        },
    )
    if outcome.kind == "ok":
        png_size(outcome.stdout)
        return outcome.stdout
    if outcome.kind == "exit":
        raise _refusal(outcome, extra)
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


def answer(paint: Callable[[Any], bytes]) -> int:
    """Read data from standard input, write the picture to standard output, and return the exit code.

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

    return child.answer(work)


def _refusal(outcome: Outcome, extra: str) -> LabrigError:
    refusal = child.refusal(outcome)
    if refusal is None:
        said = child.last_line(outcome) or "it said nothing"
        return LabrigError(
            f"The picture could not be drawn; the child ended with exit code {outcome.returncode}: {said[-300:]}",
            code="internal",
        )
    if refusal.code == "unavailable":
        refusal.try_ = f"pip install 'labrig[{extra}]'"
    return refusal
