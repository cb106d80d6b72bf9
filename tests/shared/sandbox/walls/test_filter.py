"""The seccomp program, run by hand for both machines."""

from __future__ import annotations

import errno
import re
import struct
import sys
from pathlib import Path

import pytest

from labrig.isolation.inside import capabilities, forking, landlock, limits, rules, seccomp, syscalls, walls
from labrig.isolation.inside.rules import CODE
from support.walled import EXTRA

EPERM, ENOSYS = seccomp.ERRNO | errno.EPERM, seccomp.ERRNO | errno.ENOSYS
PID = 4321


def verdict(program: seccomp.Block, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Run a program by hand and return its answer, as the kernel would for this call."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, *(0,) * (6 - len(arguments))))
    accumulator = counter = 0
    while True:
        code, yes, no, constant = program[counter]
        constant = PID if constant == seccomp.OWN_PID else constant
        counter += 1
        if code == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif code == seccomp.AND:
            accumulator &= constant
        elif code == seccomp.JUMP:
            counter += constant
        elif code == seccomp.RETURN:
            return constant
        else:
            true = accumulator == constant if code == seccomp.EQUAL else accumulator >= constant
            counter += yes if true else no


@pytest.mark.parametrize("machine", syscalls.MACHINES)
def test_numbers_are_those_of_the_kernel_headers(machine: str) -> None:
    header = Path(
        "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
        if machine == "x86_64"
        else "/usr/include/asm-generic/unistd.h"
    )
    if not header.exists():
        pytest.skip(f"{header} is not installed (linux-libc-dev)")
    pattern = re.compile(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", re.MULTILINE)
    real = {name: int(number) for name, number in pattern.findall(header.read_text())}
    if machine == "aarch64":
        real["newfstatat"] = real.pop("fstatat")  # named so at the end of the header, by another define
    ours = {name: syscalls.number(name, machine) for name in syscalls.NUMBERS}
    extra = {name: both[syscalls.MACHINES.index(machine)] for name, both in EXTRA.items()}
    assert {
        name: number for name, number in (ours | extra).items() if number is not None and real[name] != number
    } == {}
    assert [name for name, number in ours.items() if number is None and name in real] == []


@pytest.mark.parametrize("machine", syscalls.MACHINES)
def test_the_search_finds_the_decision_of_every_call(machine: str) -> None:
    program, known = seccomp.program(CODE, machine), seccomp.decisions(CODE, machine)
    architecture = seccomp.AUDIT[machine]
    arguments = ((), (0, 0, 3), (PID, 3, 0, 0), (0x3D0F00, 1030), (1, 1, 1, 1, 1, 1), (2**32, 2**32, 2**32))
    for number in (*range(1100), 0x3FFFFFFF):
        for each in arguments:
            alone = known.get(number, seccomp.answer(errno.ENOSYS if number >= 424 else errno.EPERM))
            assert verdict(program, architecture, number, each) == verdict(
                alone, architecture, number, each
            ), number
    others = {0xC000003E, 0xC00000B7, 0x40000003, 0x40000028, 0} - {architecture}
    assert {verdict(program, other, number) for other in others for number in range(500)} == {
        seccomp.KILL_PROCESS
    }
    if machine == "x86_64":
        assert {verdict(program, architecture, 0x40000000 + number) for number in range(600)} == {
            seccomp.KILL_PROCESS
        }


@pytest.mark.parametrize("machine", syscalls.MACHINES)
@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        # glibc's flags, then musl's; a fork, a new namespace, and threads that do not share files, folder, signals
        ("clone", [(0x3D0F00,), (0x7D0F00,)], [(17,), (0x4111,), (0x3D0F00 | 1 << 28,)]),
        ("clone", [], [(0x3D0F00 & ~bit,) for bit in (0x100, 0x200, 0x400, 0x800, 0x10000)]),
        ("kill", [(PID, 9)], [(0,), (PID + 1,), (2**32 - 1,), (2**32 - PID,)]),
        ("tgkill", [(PID, 7, 9)], [(0,), (PID - 1, PID)]),
        ("prlimit64", [(0, 7, 0, 1), (PID, 7, 0, 1)], [(1, 7, 0, 1), (0, 7, 1), (0, 7, 1 << 40), (PID, 7, 1 << 32)]),
        ("socketpair", [(1, 1), (1, 1 | 0o2004000)], [(2, 1), (1, 2), (1, 5), (1, 3)]),
        ("sendto", [(3, 1, 1, 0x4000)], [(3, 1, 1, 1), (3, 1, 1, 0x20000000)]),
        ("recvfrom", [(3, 1, 1, 0x102)], [(3, 1, 1, 1)]),
        ("openat", [(0, 0, 0), (0, 0, 0o1101), (0, 0, 0o2000002)], [(0, 0, 0o1000), (0, 0, 3), (0, 0, 0o1003)]),
        ("fcntl", [(0, 3), (0, 4, 0o4000), (0, 1030, 3)], [(0, 4, 0o24000), (0, 8), (0, 10), (0, 15)]),
        ("fcntl", [], [(0, command, 1) for command in (1024, 1026, 1031, 1033, 2**31)]),
        ("ioctl", [(0, 0x5401), (0, 0x541B)], [(0, 0x5412), (0, 0x5413), (0, 0x5452), (0, 0x8901)]),
        ("prctl", [(15,), (16,)], [(1,), (4,), (22,), (38,), (0x59616D61,)]),
        ("renameat2", [(0, 0, 0, 0, 0), (0, 0, 0, 0, 1)], [(0, 0, 0, 0, 2), (0, 0, 0, 0, 4)]),
        ("getsockopt", [(3, 1, 3)], [(3, 1, 77), (3, 1, 17), (3, 6, 3)]),
    ],
)  # fmt: skip
def test_arguments_are_looked_at(
    machine: str, name: str, allowed: list[tuple[int, ...]], refused: list[tuple[int, ...]]
) -> None:
    program, number = seccomp.program(CODE, machine), syscalls.number(name, machine)
    assert number is not None
    architecture = seccomp.AUDIT[machine]
    assert [each for each in allowed if verdict(program, architecture, number, each) != seccomp.ALLOW] == []
    assert [each for each in refused if verdict(program, architecture, number, each) != EPERM] == []


@pytest.mark.parametrize("machine", syscalls.MACHINES)
@pytest.mark.parametrize(
    ("name", "allowed", "refused", "code"),
    [
        ("getpgid", [(0,), (PID,)], [(PID + 1,), (1,)], errno.ESRCH),
        ("getsid", [(0,), (PID,)], [(PID + 1,), (1,)], errno.ESRCH),
        ("get_robust_list", [(0,), (PID,)], [(PID + 1,), (1,)], errno.ESRCH),
        ("sched_getparam", [(0,), (PID,)], [(PID + 1,)], errno.ESRCH),
        ("sched_getscheduler", [(0,), (PID,)], [(PID + 1,)], errno.ESRCH),
        ("sched_getaffinity", [(0,), (PID,)], [(PID + 1,)], errno.ENOSYS),
        ("getpriority", [(0, 0), (0, PID)], [(0, 1), (1, 0), (2, 0), (1, PID)], errno.ESRCH),
        *[
            (name, [(0,), (11,), (~0 << 3 & 2**32 - 1 | 2,), (~PID << 3 & 2**32 - 1 | 6,)],
             [(~each << 3 & 2**32 - 1 | kind,) for each in (1, PID, PID + 1) for kind in range(4)], errno.EINVAL)
            for name in ("clock_gettime", "clock_getres", "clock_nanosleep")
        ],
    ],
)  # fmt: skip
def test_of_processes_a_run_can_ask_about_itself_only(
    machine: str, name: str, allowed: list[tuple[int, ...]], refused: list[tuple[int, ...]], code: int
) -> None:
    number, architecture = syscalls.number(name, machine), seccomp.AUDIT[machine]
    assert number is not None
    for run in (CODE, rules.CALCULATION) if name.startswith("clock") else (CODE,):
        program = seccomp.program(run, machine)
        assert {verdict(program, architecture, number, each) for each in allowed} == {seccomp.ALLOW}
        assert {verdict(program, architecture, number, each) for each in refused} == {seccomp.ERRNO | code}


@pytest.mark.parametrize("machine", syscalls.MACHINES)
def test_locks_are_pretended_and_asked_for(machine: str) -> None:
    program, architecture = seccomp.program(CODE, machine), seccomp.AUDIT[machine]
    fcntl, flock = (syscalls.number(name, machine) or 0 for name in ("fcntl", "flock"))
    assert {verdict(program, architecture, fcntl, (5, command)) for command in (6, 7, 37, 38)} == {
        seccomp.ERRNO
    }
    assert {verdict(program, architecture, fcntl, (5, command)) for command in (5, 36)} == {seccomp.ALLOW}
    assert {verdict(program, architecture, flock, (5, how)) for how in range(16)} == {seccomp.ERRNO}


@pytest.mark.parametrize("machine", syscalls.MACHINES)
def test_calls_of_which_no_run_has_need(machine: str) -> None:
    program, architecture = seccomp.program(CODE, machine), seccomp.AUDIT[machine]
    for name, both in EXTRA.items():
        number = both[syscalls.MACHINES.index(machine)]
        assert verdict(program, architecture, number, (0, 0, 0, 0)) == (ENOSYS if number >= 424 else EPERM), (
            name
        )
    assert len(program) < 1000


def test_the_walls_need_the_standard_library_only() -> None:
    for module in (walls, landlock, limits, seccomp, rules, syscalls, capabilities, forking):
        imported = re.findall(
            r"^(?:from|import) ([\w.]+)", Path(module.__file__ or "").read_text(), re.MULTILINE
        )
        assert [
            name for name in imported if name[0] != "." and name.split(".")[0] not in sys.stdlib_module_names
        ] == []
