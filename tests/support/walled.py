"""Children of a test behind the walls around one run, each with folders of its own, and how they ended."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import faulthandler
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the walls are Linux's", allow_module_level=True)

from labrig.isolation.inside import limits, syscalls, walls
from labrig.isolation.inside.walls import ALL, WallError, Walls

if why_not := {wall: why for wall, why in walls.available().items() if why}:
    pytest.skip(f"walls are missing here: {why_not}", allow_module_level=True)

MIB = 1 << 20

X86 = syscalls.MACHINE == "x86_64"

EXTRA = {  # numbers that the walls themselves do not need: x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "keyctl": (250, 219),
    "setns": (308, 268),
    "personality": (135, 92),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "memfd_create": (319, 279),
    "inotify_init1": (294, 26),
    "timer_create": (222, 107),
    "execveat": (322, 281),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "tkill": (200, 130),
    "mlock": (149, 228),
    "sync": (162, 81),
    "setsockopt": (54, 208),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "setrlimit": (160, 164),
    "sched_setaffinity": (203, 122),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "name_to_handle_at": (303, 264),
    "splice": (275, 76),
    "wait4": (61, 260),
    "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434),
    "openat2": (437, 437),
    "memfd_secret": (447, 447),
    "futex_waitv": (449, 449),
}


@dataclass(frozen=True)
class End:
    """How a child ended: what its act returned, or what it raised, or the signal that killed it."""

    value: object = None
    raised: str = ""
    code: int = 0
    signal: str = ""

    @property
    def short(self) -> str:
        return self.signal or (errno.errorcode.get(self.code, "") or self.raised) or "done"


def open_descriptors() -> set[int]:
    """Return the descriptors of this process; not that by which they are listed."""
    listed = os.listdir("/proc/self/fd")
    return {int(each) for each in listed if Path(f"/proc/self/fd/{each}").is_symlink()}


class Place:
    """Folders of one trial: `scratch` is the working folder of its children, so that paths need no parents."""

    def __init__(self, root: Path, user: int | None = None) -> None:
        self.root = root
        self.user = user
        self._made: list[Walls] = []
        self.strangers = open_descriptors() - {0, 1, 2}
        """What other tests of this worker have open: children close it, or nothing is left of their limit."""
        for name in ("scratch", "outside", "readable", "listable/sub", "inputs", "sibling"):
            (root / name).mkdir(parents=True)
        for name in ("outside/secret", "readable/data", "listable/sub/file", "inputs/table", "sibling/file"):
            (root / name).write_text("contents of " + name)
        for path in (root, *root.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
            if user is not None:
                os.chown(path, user, user)

    def walls(self, wanted: tuple[str, ...] = ALL, abi: int | None = None) -> Walls:
        readable = [str(self.root / "readable"), "/dev/null", "/dev/zero", str(self.root / "is-not-there")]
        made = Walls(wanted, readable, [str(self.root / "listable")], abi)
        self._made.append(made)
        return made

    def close(self) -> None:
        for made in self._made:
            made.close()


def child(
    act: Callable[[], object],
    place: Place,
    around: Walls | None = None,
    *,
    memory: int = 256 * MIB,
    cpu_s: float = 20,
    seconds: float = 20,
) -> End:
    """Fork, put the walls up if there are any, do `act`, and return how that ended."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        kept = {theirs, *(around.descriptors if around is not None else ())}
        for stranger in place.strangers - kept:
            with contextlib.suppress(OSError):
                os.close(stranger)
        with contextlib.suppress(BaseException):
            os.write(theirs, json.dumps(_life(act, place, around, memory, cpu_s)).encode())
        os._exit(0)
    os.close(theirs)
    data = b""
    deadline = time.monotonic() + seconds
    while select.select([ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
        if not (more := os.read(ours, 65536)):
            break
        data += more
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ours)
        return End(raised=f"not ended after {seconds} s")
    os.close(ours)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return End(signal=signal.Signals(os.WTERMSIG(status)).name)
    return End(**json.loads(data)) if data else End(raised=f"exit {os.waitstatus_to_exitcode(status)}")


def _life(
    act: Callable[[], object], place: Place, around: Walls | None, memory: int, cpu_s: float
) -> dict[str, object]:
    try:
        faulthandler.disable()  # pytest's, which would tell of each signal
        os.setsid()
        os.chdir(place.root / "scratch")
        scratch = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        if place.user is not None:
            os.setgroups([])
            os.setgid(place.user)
            os.setuid(place.user)
        Inputs.table = os.open("../inputs/table", os.O_RDONLY)
        Inputs.folder = os.open("../inputs", os.O_RDONLY)
        Inputs.pipe = os.pipe()
        if around is not None:
            around.put_up(
                allowed(memory_bytes=memory, cpu_s=cpu_s, descriptors=128),
                writable=scratch,
                inputs=[Inputs.table, Inputs.folder],
            )
        return {"value": act()}
    except WallError as error:
        return {"raised": "WallError", "value": [error.wall, str(error)], "code": error.code}
    except OSError as error:
        return {"raised": type(error).__name__, "code": error.errno or 0, "value": str(error)}
    except BaseException as error:
        return {"raised": type(error).__name__, "value": str(error)}


def allowed(
    *, memory_bytes: int = MIB, cpu_s: float = 5, file_bytes: int = MIB, descriptors: int = 64
) -> Callable[[], dict[int, tuple[int, int]]]:
    """Return what gives the limits of a child, when they are put up there."""
    return lambda: limits.table(
        *limits.sizes(),
        memory_bytes=memory_bytes,
        cpu_s=cpu_s,
        file_bytes=file_bytes,
        descriptors=descriptors,
    )


class Inputs:
    """Descriptors that a child has."""

    table = folder = -1
    pipe = (-1, -1)


def system(name: str, *arguments: int | ctypes.Array[ctypes.c_char]) -> int:
    """Make a system call, known to the walls or not."""
    both = EXTRA.get(name) or syscalls.NUMBERS[name]
    number = both[syscalls.MACHINES.index(syscalls.MACHINE)]
    assert number is not None
    plain = [value if isinstance(value, int) else ctypes.addressof(value) for value in arguments]
    result = int(syscalls.raw(number, *plain, *[0] * (6 - len(plain))))
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def read(path: str) -> str:
    return Path(path).read_text()


def write(path: str) -> None:
    with open(path, "w") as file:
        file.write("x")
