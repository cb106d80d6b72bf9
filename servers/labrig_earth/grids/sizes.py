"""How much an operation reads and makes: said before the first byte is read, and refused beyond a limit."""

from __future__ import annotations

from typing import Any

from labrig.errors import LabrigError

MOST_READ_BYTES = 64 << 30
"""Of decoded values in one operation; some two minutes a gigabyte on two cores where the file is packed tightly."""

MOST_MADE_BYTES = 1 << 30
"""Of a result that is written: the quota of artifacts by default."""


def require_readable(data: Any, *, what: str = "The request", most: int = MOST_READ_BYTES) -> None:
    """Refuse to read more than `most` bytes.

    Raises
    ------
    LabrigError
        ``limit``, with the sizes along each axis and what makes it smaller.
    """
    size = int(data.nbytes)
    if size <= most:
        return
    sizes = ", ".join(f"{name} {count:,}" for name, count in data.sizes.items())
    raise LabrigError(
        f"{what} would read {text(size)} ({sizes})",
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
            try_="aggregate instead of extract, or a smaller box, a shorter time or one variable",
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
