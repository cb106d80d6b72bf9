"""The seccomp wall: which system calls can be made. An allow-list (`rules`), as a BPF program; see seccomp(2).

What is not listed answers EPERM, or ENOSYS where its number is so new that a program knows how to do without.
Where a call is right for some arguments only, they are looked at; only numbers can be, never what a pointer
points to. Another machine's calls (i386, x32) kill the process: their numbers mean something else.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from . import syscalls

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant
Block = list[Instruction]

FIRST_NEW = 424
"""From this number on (pidfd_send_signal, Linux 5.1) all machines share numbers, and libraries expect ENOSYS: clone3,
openat2, io_uring, pidfd_open, memfd_secret, landlock_*, fchmodat2, futex_waitv and all that is yet to come."""

OWN_PID = -1
"""Stands for the number of the process in a program; written in by `Seccomp.put_up`."""

# linux/bpf_common.h and linux/seccomp.h
LOAD, AND, JUMP, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
KILL_PROCESS, ERRNO, ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # where struct seccomp_data has them
AUDIT = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}  # linux/audit.h
X32_BIT = 0x4000_0000
ALL_BITS = 0xFFFF_FFFF
SET_MODE_FILTER, GET_ACTION_AVAIL, FLAG_TSYNC = 1, 2, 1
LONGEST = 4096  # BPF_MAXINSNS
INSTRUCTION = struct.Struct("=HBBI")


@dataclass(frozen=True)
class Rules:
    """Which system calls can be made.

    Attributes
    ----------
    allowed
        Names of those that are made as they are.
    answered
        Names of those that are answered without doing anything, by what they answer: an error number, 0 for success.
    checked
        What to do with those that are right for some arguments only.
    """

    allowed: str
    answered: dict[int, str]
    checked: dict[str, Block]


def low(argument: int) -> int:
    """Return where the low half of an argument is; both machines are little-endian."""
    return ARGUMENTS + 8 * argument


def high(argument: int) -> int:
    """Return where the high half of an argument is."""
    return low(argument) + 4


def answer(code: int) -> Block:
    """End with an error number; 0 is success without doing anything."""
    return [(RETURN, 0, 0, ERRNO | code)]


def allow() -> Block:
    """End by making the call."""
    return [(RETURN, 0, 0, ALLOW)]


def when(place: int, values: Iterable[int], then: Block, *, mask: int = ALL_BITS) -> Block:
    """Do `then`, which must end the program, if the word there is one of the values; else go on behind it."""
    values = tuple(values)
    block: Block = [(LOAD, 0, 0, place)]
    if mask != ALL_BITS:
        block.append((AND, 0, 0, mask))
    for index, value in enumerate(values):
        last = index == len(values) - 1
        block.append((EQUAL, len(values) - 1 - index, len(then) if last else 0, value))
    return block + then


def unless(place: int, values: Iterable[int], then: Block, *, mask: int = ALL_BITS) -> Block:
    """Do `then`, which must end the program, if the word there is none of the values; else go on behind it."""
    return when(place, values, [(JUMP, 0, 0, len(then))], mask=mask) + then


def decisions(rules: Rules, machine: str) -> dict[int, Block]:
    """Return what to do with each call that is not refused, by its number on a machine."""
    by_name = dict.fromkeys(rules.allowed.split(), allow())
    for code, names in rules.answered.items():
        by_name |= dict.fromkeys(names.split(), answer(code))
    by_name |= rules.checked
    numbers = {name: syscalls.number(name, machine) for name in by_name}
    return {number: by_name[name] for name, number in numbers.items() if number is not None}


def program(rules: Rules, machine: str) -> Block:
    """Return the whole program for a machine.

    Raises
    ------
    KeyError
        If the machine is not one of `syscalls.MACHINES`.
    """
    known = decisions(rules, machine)
    first_of = {0: answer(errno.EPERM), FIRST_NEW: answer(errno.ENOSYS)}  # of each range that does the same
    for number in sorted(known):
        following = answer(errno.ENOSYS if number + 1 >= FIRST_NEW else errno.EPERM)
        first_of |= {number: known[number]} | ({} if number + 1 in known else {number + 1: following})
    starts = sorted(first_of)
    merged = [
        start
        for index, start in enumerate(starts)
        if not index or first_of[start] != first_of[starts[index - 1]]
    ]
    kill = [(RETURN, 0, 0, KILL_PROCESS)]
    whole = [
        *unless(ARCHITECTURE, (AUDIT[machine],), kill),
        (LOAD, 0, 0, NUMBER),
        *([(AT_LEAST, 0, 1, X32_BIT), *kill] if machine == "x86_64" else []),
        *_search(merged, [first_of[start] for start in merged]),
    ]
    if len(whole) > LONGEST:
        raise ValueError(f"a BPF program has at most {LONGEST} instructions, not {len(whole)}")
    return whole


def _search(starts: list[int], blocks: list[Block]) -> Block:
    """Return a binary search over ranges: when a run installs it, the kernel walks it once for each call it knows."""
    if len(starts) == 1:
        return blocks[0]
    middle = len(starts) // 2
    below, above = _search(starts[:middle], blocks[:middle]), _search(starts[middle:], blocks[middle:])
    if len(below) < 256:
        return [(AT_LEAST, len(below), 0, starts[middle]), *below, *above]
    return [(AT_LEAST, 0, 1, starts[middle]), (JUMP, 0, 0, len(below)), *below, *above]


class Seccomp:
    """The program, assembled once; each run writes its own number into it and installs it."""

    def __init__(self, rules: Rules) -> None:
        instructions = program(rules, syscalls.MACHINE)
        self._own_pid = [
            index * INSTRUCTION.size + 4
            for index, instruction in enumerate(instructions)
            if instruction[3] == OWN_PID
        ]
        packed = b"".join(INSTRUCTION.pack(code, yes, no, k & ALL_BITS) for code, yes, no, k in instructions)
        self._packed = ctypes.create_string_buffer(packed, len(packed))
        header = struct.pack("@HP", len(instructions), ctypes.addressof(self._packed))  # struct sock_fprog
        self._header = ctypes.create_string_buffer(header, len(header))

    def put_up(self) -> None:
        """Install the program, for all threads of this process.

        Raises
        ------
        OSError
            If the kernel refuses it, or one of the threads has another.
        """
        for place in self._own_pid:
            struct.pack_into("=I", self._packed, place, os.getpid())
        left_out = syscalls.call("seccomp", SET_MODE_FILTER, FLAG_TSYNC, self._header)
        if left_out:
            raise OSError(errno.ESRCH, f"seccomp: thread {left_out} could not be confined")


def available() -> None:
    """Ask the kernel for filters and their answers, confining nothing.

    Raises
    ------
    OSError
        If it lacks one.
    """
    for action in (KILL_PROCESS, ERRNO, ALLOW):
        syscalls.call("seccomp", GET_ACTION_AVAIL, 0, syscalls.words(action))
