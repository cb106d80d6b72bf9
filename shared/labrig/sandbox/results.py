"""What a run in the sandbox may use, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Status = Literal[
    "ok",
    "error",  # the code raised
    "exit",  # sys.exit with a code other than 0, or os._exit
    "wall_limit",
    "cpu_limit",
    "memory_limit",
    "thread_limit",
    "scratch_limit",
    "flood",  # what it sent on the socket was no call
    "crashed",  # killed by a signal that no limit explains
    "cancelled",
]
STATUSES: tuple[str, ...] = get_args(Status)
FAILED = frozenset(STATUSES) - {"ok", "cancelled"}
"""Statuses of a run whose code failed."""


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes
    ----------
    wall_s
        Seconds from its start to its end; waiting in the queue and resting for other owners do not count, waiting for
        functions of the host does.
    cpu_s
        Seconds of processor time, rounded up to a whole one (RLIMIT_CPU).
    memory_bytes
        Memory above what the imported packages take (RLIMIT_DATA, RLIMIT_AS).
    output_bytes
        What is kept of standard output, and of standard error: three quarters from the beginning, the rest from the
        end.
    scratch_bytes
        Files in the scratch folder together: the size of a file system of its own. Where the machine has no
        namespaces for it, a look every 50 ms, which a burst may exceed for a moment (``docs/security.md``).
    file_bytes
        Each file (RLIMIT_FSIZE).
    threads
        Threads, looked at every 50 ms.

    Raises
    ------
    ValueError
        For what is not a positive number, or not a whole one where bytes or threads are counted.
    """

    wall_s: float = 60.0
    cpu_s: float = 60.0
    memory_bytes: int = 512 << 20
    output_bytes: int = 100_000
    scratch_bytes: int = 64 << 20
    file_bytes: int = 32 << 20
    threads: int = 64

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            seconds = name in ("wall_s", "cpu_s")
            fits = isinstance(value, (int, float) if seconds else int) and not isinstance(value, bool)
            if not fits or not 0 < value < 1 << 50:
                raise ValueError(
                    f"{name} must be a positive {'' if seconds else 'whole '}number, not {value!r}"
                )


@dataclass(frozen=True)
class Result:
    """What came of a run.

    Attributes
    ----------
    status
        One of `STATUSES`.
    output, error
        Standard output and standard error as text; bytes that are not UTF-8 as ``\\xNN``. A traceback is in `error`.
    cut
        What was left out, in bytes of ``output`` and ``error`` and numbers of ``files`` and ``figures``.
    files
        What the code left in its folder: relative path -> content.
    figures
        Those of `files` that are matplotlib figures which were open at the end: name -> titles and labels.
    detail
        Why it ended as it did, for people; empty when it is ok.
    notes
        What else should be known, the missing protection of ``unsafe-local`` first of all.
    exit_code, signal
        How the process ended; a code is None where a signal ended it.
    backend
        What it ran in: ``bubblewrap``, ``landlock`` or ``unsafe-local``.
    cpu_s, wall_s
        Seconds of processor time and of the clock.
    max_rss_bytes
        The largest resident size, imports included.
    """

    status: Status
    output: str = ""
    error: str = ""
    cut: dict[str, int] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    figures: dict[str, str] = field(default_factory=dict)
    detail: str = ""
    notes: tuple[str, ...] = ()
    exit_code: int | None = 0
    signal: str = ""
    backend: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    max_rss_bytes: int = 0

    @property
    def failed(self) -> bool:
        """Whether the code failed: it raised, or met a limit."""
        return self.status in FAILED
