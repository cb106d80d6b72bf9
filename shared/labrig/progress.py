"""How far a call or a job is, as its maker notes it."""

from __future__ import annotations

from collections.abc import Callable


class Progress:
    """How far something is; its maker calls it, from any thread, as often as it likes.

    Parameters
    ----------
    begin
        Called at the first note, for a caller that wants to pass it on.
    """

    def __init__(self, begin: Callable[[], None] = lambda: None) -> None:
        self.fraction: float | None = None
        self.message = ""
        self.job_id = ""
        self._begin: Callable[[], None] | None = begin
        self._followed: Progress | None = None

    def __call__(self, fraction: float | None = None, message: str | None = None) -> None:
        """Note a fraction (0 to 1, None if unknown) and, if given, a line for people."""
        if fraction is not None:
            self.fraction = min(max(float(fraction), 0.0), 1.0)
        if message is not None:
            self.message = message
        self._noted()

    def follow(self, other: Progress) -> None:
        """Show from now on how far something else is: a job that is waited for."""
        self._followed = other
        self._noted()

    def seen(self) -> tuple[float | None, str]:
        """Return the fraction and the line as they are now."""
        shown = self._followed or self
        return shown.fraction, shown.message

    def _noted(self) -> None:
        begin, self._begin = self._begin, None
        if begin is not None:
            begin()
