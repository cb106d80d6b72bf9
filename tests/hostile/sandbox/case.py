"""What an attack program is, and what is put in front of each. Data only; `hostile.sandbox.attack` sends them.

A program is sent with `PRELUDE` in front. ``T`` tells it of its targets (`Targets.told`), never a secret. What it says
of itself (lines that begin with ``=>``) becomes the word in the table; whether it succeeded is decided by what is seen
from outside. Each is bounded, so that a machine on which it succeeds survives: at most 300 processes, 1.5 GB.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PRELUDE = r"""
import ctypes, errno, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def say(word):
    print("=>", word, flush=True)

def word(error):
    name = type(error).__name__
    return errno.errorcode.get(error.errno, name) if isinstance(error, OSError) else name

def tried(*ways):
    for way in ways:
        try:
            got = way()
        except BaseException as error:
            say(word(error))
        else:
            say("done")
            print(str(got)[:20000])

def syscall(name, *arguments):
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    got = libc.syscall(ctypes.c_long(T["calls"][name]), *given)
    if got < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return got

def read(path):
    with open(path, "rb") as file:
        return file.read(1 << 16)

def hold(seconds=0.25):
    time.sleep(seconds)
"""

_NUMBERS = {  # x86_64, aarch64: Linux arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h
    "add_key": (248, 217),
    "bpf": (321, 280),
    "capset": (126, 91),
    "chroot": (161, 51),
    "clock_gettime": (228, 113),
    "clone": (56, 220),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fanotify_init": (300, 262),
    "fchmodat": (268, 53),
    "fchownat": (260, 54),
    "fork": (57, -1),
    "fsopen": (430, 430),
    "get_robust_list": (274, 100),
    "getpgid": (121, 155),
    "getpid": (39, 172),
    "getpriority": (140, 141),
    "getsid": (124, 156),
    "inotify_init1": (294, 26),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "linkat": (265, 37),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "openat2": (437, 437),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "renameat2": (316, 276),
    "rt_sigqueueinfo": (129, 138),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "setns": (308, 268),
    "setresuid": (117, 147),
    "setxattr": (188, 5),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "truncate": (76, 45),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utimensat": (280, 88),
    "vfork": (58, -1),
}


def numbers() -> dict[str, int]:
    """Return the numbers of system calls on this machine."""
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    return {name: each[column] for name, each in _NUMBERS.items()}


@dataclass(frozen=True)
class Case:
    """One attack.

    Attributes
    ----------
    group, name, tries
        Its place in the table, a short name, and what it tries in a few words.
    code
        The program.
    then
        A program that is run afterwards in a call of its own; if it shows the mark that the first was told, something
        of the first call is left.
    beside
        A program that is run at the same moment, in another call; it is told a secret. A word ``beside-...`` that it
        prints, and the first one too, is one that the first has found out.
    limits
        Limits of the run other than `LIMITS`.
    control
        Whether it makes sense without a sandbox: what attacks the sandbox's own socket does not.
    quick
        Whether it belongs to the sample in ``make test``.
    machines
        The processors that it is written for; empty for all.
    """

    group: str
    name: str
    tries: str
    code: str
    then: str = ""
    beside: str = ""
    limits: dict[str, Any] = field(default_factory=dict)
    control: bool = True
    quick: bool = False
    machines: tuple[str, ...] = ()


LIMITS: dict[str, Any] = {
    "wall_s": 8.0,
    "cpu_s": 8.0,
    "memory_bytes": 256 << 20,
    "output_bytes": 100_000,
    "scratch_bytes": 64 << 20,
    "file_bytes": 32 << 20,
}
SHORT = {"wall_s": 1.0}

Add = Callable[..., None]


def group(name: str) -> tuple[list[Case], Add]:
    """Return the cases of a group, still empty, and a function that adds one: name, what it tries, program, more."""
    cases: list[Case] = []

    def add(case: str, tries: str, code: str, **more: Any) -> None:
        cases.append(Case(name, case, tries, code.strip("\n") + "\n", **more))

    return cases, add
