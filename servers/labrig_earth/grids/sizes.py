"""How much an operation reads and makes: said before the first byte is read, and refused beyond a limit."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from labrig.errors import LabrigError

MOST_READ_BYTES = 64 << 30
"""Of decoded values in one operation; some two minutes a gigabyte on two cores where the file is packed tightly."""

MOST_MADE_BYTES = 1 << 30
"""Of a result that is written: the quota of artifacts by default."""


def piece_bytes(data: Any) -> dict[str, int]:
    """Return the size of the largest piece of each variable of a dataset, as it is read."""
    return {
        str(name): prod(max(sizes) for sizes in data[name].chunks) * data[name].dtype.itemsize
        for name in data.data_vars
        if data[name].chunks
    }


def bytes_to_read(data: Any, pieces: Mapping[str, int]) -> int:
    """Return how much is read for data: whole pieces, however little of each is wanted."""
    fields = [data[name] for name in data.data_vars] if hasattr(data, "data_vars") else [data]
    total = 0
    for field in fields:
        count = prod(map(len, field.chunks)) if field.chunks else 0
        total += max(int(field.nbytes), count * pieces.get(str(field.name), 0))
    return total


def require_readable(
    data: Any,
    pieces: Mapping[str, int] | None = None,
    *,
    what: str = "The request",
    most: int = MOST_READ_BYTES,
) -> None:
    """Refuse to read more than `most` bytes.

    Parameters
    ----------
    pieces
        Of the file that data are a part of, as `piece_bytes`.

    Raises
    ------
    LabrigError
        ``limit``, with the sizes along each axis and what makes it smaller.
    """
    size = bytes_to_read(data, pieces or {})
    if size <= most:
        return
    sizes = ", ".join(f"{name} {count:,}" for name, count in data.sizes.items())
    whole = "" if size == data.nbytes else f", of which {text(int(data.nbytes))} are wanted"
    raise LabrigError(
        f"{what} would read {text(size)}{whole} ({sizes})",
        expected=f"at most {text(most)}",
        try_="a smaller box, a shorter time, one variable or one level; or parts of the time, one call each",
        code="limit",
    )


def require_writable(data: Any, *, what: str = "The result", most: int = MOST_MADE_BYTES) -> None:
    """Refuse to write more than `most` bytes; LabrigError ``limit``."""
    size = int(data.nbytes)
    if size > most:
        sizes = ", ".join(f"{name} {count:,}" for name, count in data.sizes.items())
        raise LabrigError(
            f"{what} would have {text(size)} ({sizes})",
            expected=f"at most {text(most)}",
            try_="aggregate_grid instead of sample_grid, or a smaller box, a shorter time or one variable",
            code="limit",
        )


def text(size: int) -> str:
    """Return a size in words: ``500 GB``, ``3.2 MB``."""
    value = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:,.4g} TB"
