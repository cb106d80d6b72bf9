"""The pages of memory that a run writes to: found once in a child, copied in advance in each child that waits.

A forked child shares the pages of its parent, and the kernel copies each when it is first written to: 300 of them for
a small run, some 3 us each. Which they are hardly depends on the input. Linux only (proc_pid_pagemap(5), madvise(2));
elsewhere runs copy as they go.

Standard library only: this module runs in the fork server.
"""

from __future__ import annotations

import array
import ctypes
import os
import signal
from collections.abc import Callable, Sequence

from labrig.isolation.inside.forking import die_with

LONGEST_S = 5
Ranges = Sequence[tuple[int, int]]
"""First address and bytes."""
EXCLUSIVE = 1 << 56
"""Of an entry of a pagemap: the page is shared with no other process."""
POPULATE_WRITE = 23  # MADV_POPULATE_WRITE, Linux 5.14
APART = 4
"""Pages between two that are written to from which they are two ranges: a call costs as much as to copy a few."""
MOST_BYTES = 16 << 20
"""Of all ranges; a child that writes to more is not typical."""


def written(act: Callable[[], object]) -> Ranges:
    """Return where a child writes that does `act`; nothing where the system does not tell."""
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            die_with(parent, 1)
            signal.alarm(LONGEST_S)
            os.close(reading)
            places = _places()
            act()
            os.write(
                writing, b"".join(array.array("Q", each).tobytes() for each in _exclusive(places))[:65536]
            )
        finally:
            os._exit(0)
    os.close(writing)
    said = array.array("Q")
    with os.fdopen(reading, "rb") as file:
        said.frombytes(file.read())
    os.waitpid(pid, 0)
    return list(zip(said[::2], said[1::2], strict=True))


def copy(ranges: Ranges) -> None:
    """Have the kernel copy these pages now; a range that is no longer there is left out."""
    if ranges:
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for first, size in ranges:
            advise(first, size, POPULATE_WRITE)


def _places() -> list[tuple[int, int]]:
    """Return the private memory of this process that can be written to, as first and last page."""
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            lines = [line.split(maxsplit=2) for line in file]
    except OSError:
        return []
    page = os.sysconf("SC_PAGE_SIZE")
    return [
        (first // page, last // page)
        for addresses, rights, _ in lines
        if rights == "rw-p"
        for first, last in [[int(each, 16) for each in addresses.split("-")]]
    ]


def _exclusive(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    page = os.sysconf("SC_PAGE_SIZE")
    found: list[list[int]] = []
    pagemap = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
    for first, last in places:
        entries = array.array("Q")
        entries.frombytes(os.pread(pagemap, (last - first) * 8, first * 8))
        for number, entry in enumerate(entries, first):
            if entry & EXCLUSIVE:
                if found and number - found[-1][1] < APART and found[-1][0] >= first:
                    found[-1][1] = number
                else:
                    found.append([number, number])
    ranges = [(first * page, (last + 1 - first) * page) for first, last in found]
    return ranges if sum(size for _, size in ranges) <= MOST_BYTES else []
