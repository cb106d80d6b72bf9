"""The limits wall: what one run may use of the machine (rlimits)."""

from __future__ import annotations

import math
import os
import resource

ADDRESS_SPACE_MARGIN = 128 << 20
"""Address space beyond the data: libraries that a run imports are mapped from files (rasterio, netCDF4: 100 MB)."""
LARGEST = (1 << 63) - 1
DESCRIPTORS = resource.RLIMIT_NOFILE


def sizes() -> tuple[int, int]:
    """Return the bytes of data and of address space that this process has now.

    Raises
    ------
    OSError, ValueError
        If /proc does not tell.
    """
    descriptor = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    try:
        pages = os.read(descriptor, 4096).split()
    finally:
        os.close(descriptor)
    if len(pages) < 6:
        raise ValueError(f"/proc/self/statm has {len(pages)} fields, not 7")
    return int(pages[5]) * resource.getpagesize(), int(pages[0]) * resource.getpagesize()


def threads() -> int:
    """Return how many threads this process has.

    Raises
    ------
    OSError
        If /proc does not tell.
    """
    return os.stat("/proc/self/task").st_nlink - 2  # noqa: PTH116 - pathlib costs start-up


def table(
    data: int, size: int, *, memory_bytes: int, cpu_s: float, file_bytes: int, descriptors: int
) -> dict[int, tuple[int, int]]:
    """Return the limits of a run, soft and hard, by ``resource.RLIMIT_*``.

    Parameters
    ----------
    data, size
        Bytes of data and of address space the process has now: what the imports took is not the run's.
    memory_bytes
        Bytes it may take beyond that. RLIMIT_DATA does not count shared mappings; RLIMIT_AS counts all.
    cpu_s
        Seconds of processor time, rounded up; SIGXCPU then, SIGKILL one second later.
    file_bytes
        Size of each file.
    descriptors
        Open files.

    Notes
    -----
    RLIMIT_NPROC is left alone. It would count every process and thread of the user on the machine (in a container:
    of all containers), so a number that stops threads here stops them always for a user who is at work, and
    the kernel does not apply it to root. The seccomp wall allows no new process, and the fork server counts
    the threads of each run.
    """
    cpu = max(1, math.ceil(cpu_s))
    return {
        resource.RLIMIT_DATA: (data + memory_bytes,) * 2,
        resource.RLIMIT_AS: (size + memory_bytes + ADDRESS_SPACE_MARGIN,) * 2,
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_FSIZE: (file_bytes, file_bytes),
        DESCRIPTORS: (descriptors, descriptors),
        # Not 0: a core_pattern that is a pipe ignores that, and the crash handler of the machine would get the
        # core. 1 is the value at which the kernel writes to neither (fs/coredump.c).
        resource.RLIMIT_CORE: (1, 1),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_SIGPENDING: (64, 64),  # a full queue loses real-time signals only, see signal(7)
        resource.RLIMIT_RTPRIO: (0, 0),
        resource.RLIMIT_NICE: (0, 0),
    }


def put_up(limits: dict[int, tuple[int, int]]) -> None:
    """Set the limits; one above the present hard limit becomes that.

    Raises
    ------
    OSError, ValueError
        If the kernel refuses one.
    """
    for which, wanted in limits.items():
        hard = resource.getrlimit(which)[1]
        ceiling = LARGEST if hard == resource.RLIM_INFINITY else hard
        soft, top = (min(value, ceiling) for value in wanted)
        resource.setrlimit(which, (soft, top))
