"""The walls around one run, tried from inside by real children; each denial beside a child without walls."""

from __future__ import annotations

import asyncio
import concurrent.futures.thread  # noqa: F401 - behind its walls a child could not import it
import contextlib
import ctypes
import errno
import faulthandler
import fcntl
import json
import mmap
import os
import re
import resource
import select
import shutil
import signal
import socket
import sqlite3
import stat
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the walls are Linux's", allow_module_level=True)

from labrig.sandbox.inside import capabilities, landlock, limits, seccomp, syscalls, walls
from labrig.sandbox.inside.walls import ALL, WallError, Walls

if why_not := {wall: why for wall, why in walls.available().items() if why}:
    pytest.skip(f"walls are missing here: {why_not}", allow_module_level=True)

MIB = 1 << 20
NOBODY = 65534
X86 = syscalls.MACHINE == "x86_64"


# ---- children ---------------------------------------------------------------------------------------------------


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


class Place:
    """Folders of one trial: `scratch` is the working folder of its children, so that paths need no parents."""

    def __init__(self, root: Path, user: int | None = None) -> None:
        self.root = root
        self.user = user
        self._made: list[Walls] = []
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
                memory_bytes=memory,
                cpu_s=cpu_s,
                file_bytes=MIB,
                descriptors=128,
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


class Inputs:
    """Descriptors that a child has."""

    table = folder = -1
    pipe = (-1, -1)


@pytest.fixture(params=["root or this user", pytest.param("ordinary user", marks=pytest.mark.accept)])
def user(request: pytest.FixtureRequest) -> int | None:
    if request.param == "ordinary user":
        if os.getuid() != 0:
            pytest.skip("not root, so the other half of this test is the ordinary user")
        return NOBODY
    return None


@pytest.fixture(
    params=[
        pytest.param(None, id="this kernel's Landlock"),
        pytest.param(1, id="Landlock version 1", marks=pytest.mark.accept),
    ]
)
def abi(request: pytest.FixtureRequest) -> int | None:
    version: int | None = request.param
    return version


@pytest.fixture
def places(user: int | None) -> Iterator[Callable[[], Place]]:
    """Return a function that makes a fresh place, in a folder that an ordinary user can reach."""
    with tempfile.TemporaryDirectory(prefix="labrig-walls-", dir="/tmp") as top:
        Path(top).chmod(0o755)
        made: list[Place] = []

        def make() -> Place:
            made.append(Place(Path(top) / str(len(made)), user))
            return made[-1]

        yield make
        for place in made:
            place.close()


@pytest.fixture
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="labrig-walls-", dir="/tmp") as top:
        made = Place(Path(top) / "0")
        yield made
        made.close()


# ---- what is denied ---------------------------------------------------------------------------------------------

EXTRA = {  # numbers that the walls themselves do not need: x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
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


def opened(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


def fork() -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def clone(flags: int) -> None:
    if (pid := system("clone", flags)) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def pair(kind: int) -> None:
    for end in socket.socketpair(socket.AF_UNIX, kind):
        end.close()


def out_of_band() -> None:
    left, right = socket.socketpair()
    with left, right:
        left.send(b"x", socket.MSG_OOB)


def peer() -> None:
    left, right = socket.socketpair()
    with left, right:
        left.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)


def passed() -> None:
    left, right = socket.socketpair()
    with left, right:
        socket.send_fds(left, [b"x"], [0])


def abstract() -> None:
    with socket.socket(socket.AF_UNIX) as ours:
        ours.bind("\0labrig-walls-test")


def lease() -> None:
    write("leased")
    descriptor = os.open("leased", os.O_RDONLY)
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)


def exchange() -> None:
    write("one")
    write("two")
    one, two = ctypes.create_string_buffer(b"one"), ctypes.create_string_buffer(b"two")
    system("renameat2", -100, one, -100, two, 2)


def flock() -> None:
    with open("../readable/data") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def fallocate() -> None:
    with open("file", "w") as file:
        system("fallocate", file.fileno(), 1, 0, 64 * MIB)  # FALLOC_FL_KEEP_SIZE


BUFFER = ctypes.create_string_buffer(256)
PARENT = os.getpid()

DENIED: dict[str, tuple[Callable[[], object], str]] = {
    # files: Landlock
    "read outside": (lambda: read("../outside/secret"), "EACCES"),
    "read outside through a folder's descriptor": (
        lambda: os.open("../outside/secret", 0, dir_fd=Inputs.folder),
        "EACCES",
    ),
    "read another run's folder": (lambda: read("../sibling/file"), "EACCES"),
    "read what may be listed": (lambda: read("../listable/sub/file"), "EACCES"),
    "read /etc/passwd": (lambda: read("/etc/passwd"), "EACCES"),
    "read /proc/self/status": (lambda: read("/proc/self/status"), "EACCES"),
    "read /proc/self/environ": (lambda: read("/proc/self/environ"), "EACCES"),
    "list outside": (lambda: os.listdir("../outside"), "EACCES"),
    "list /proc": (lambda: os.listdir("/proc"), "EACCES"),
    "write outside": (lambda: write("../outside/secret"), "EACCES"),
    "write what may be read": (lambda: write("../readable/data"), "EACCES"),
    "write an input": (lambda: write("../inputs/table"), "EACCES"),
    "write an input by its number": (lambda: write(f"/proc/self/fd/{Inputs.table}"), "EACCES"),
    "make a file outside": (lambda: write("../outside/new"), "EACCES"),
    "make a file beside an input": (lambda: write("../inputs/new"), "EACCES"),
    "make a nameless file outside": (lambda: opened("../outside", os.O_TMPFILE | os.O_RDWR), "EACCES"),
    "make a folder outside": (lambda: os.mkdir("../outside/new"), "EACCES"),
    "remove outside": (lambda: os.unlink("../outside/secret"), "EACCES"),
    "remove the scratch folder": (lambda: os.rmdir("../scratch"), "EACCES"),
    "rename the scratch folder": (lambda: os.rename("../scratch", "../other"), "EACCES"),
    "rename outside": (lambda: os.rename("../outside/secret", "../outside/s"), "EACCES"),
    # files: what Landlock does not see, or not yet in its first version
    "truncate by opening to read": (lambda: opened("../readable/data", os.O_RDONLY | os.O_TRUNC), "EPERM"),
    "truncate by opening to do nothing": (lambda: opened("../readable/data", 3 | os.O_TRUNC), "EPERM"),
    "open to do nothing": (lambda: opened("../readable/data", 3), "EPERM"),
    "truncate by name": (lambda: os.truncate("../outside/secret", 0), "EPERM"),
    "change the owner": (lambda: os.chown("../outside/secret", -1, -1), "EPERM"),
    "touch": (lambda: os.utime("../outside/secret"), "EPERM"),
    "set an attribute": (lambda: os.setxattr("../outside/secret", "user.x", b"y"), "ENOTSUP"),
    "symbolic link": (lambda: os.symlink("/etc/passwd", "link"), "EPERM"),
    "hard link": (lambda: os.link("../readable/data", "link"), "EPERM"),
    "fifo": (lambda: os.mkfifo("fifo"), "EPERM"),
    "exchange two files": (exchange, "EPERM"),
    "lock what may be read": (flock, "ENOSYS"),
    "take blocks beyond the size": (fallocate, "ENOTSUP"),
    "handle of a file": (lambda: system("name_to_handle_at", -100, BUFFER, BUFFER, BUFFER, 0), "EPERM"),
    "write all disks": (lambda: system("sync"), "EPERM"),
    # network
    "tcp": (lambda: socket.socket(socket.AF_INET).close(), "EPERM"),
    "tcp 6": (lambda: socket.socket(socket.AF_INET6).close(), "EPERM"),
    "udp": (lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(), "EPERM"),
    "unix": (lambda: socket.socket(socket.AF_UNIX).close(), "EPERM"),
    "abstract": (abstract, "EPERM"),
    "netlink": (lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(), "EPERM"),
    "datagram pair": (lambda: pair(socket.SOCK_DGRAM), "EPERM"),
    "pair of packets": (lambda: pair(socket.SOCK_SEQPACKET), "EPERM"),
    "out of band": (out_of_band, "EPERM"),
    "who is the peer": (peer, "EPERM"),
    "pass a descriptor": (passed, "EPERM"),
    "recvmsg": (lambda: system("recvmsg", Inputs.pipe[0], 0, 0), "EPERM"),
    "setsockopt": (lambda: system("setsockopt", Inputs.pipe[0], 1, 26, 0, 0), "EPERM"),
    # processes
    "fork": (fork, "EPERM"),
    "clone": (lambda: clone(signal.SIGCHLD), "EPERM"),
    "spawn": (lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0), "EPERM"),
    "execute": (lambda: os.execv("/bin/true", ["true"]), "EPERM"),
    "execute a descriptor": (lambda: system("execveat", -1, 0, 0, 0, 0), "EPERM"),
    "clone3": (lambda: system("clone3", 0, 0), "ENOSYS"),
    "signal the parent": (lambda: os.kill(PARENT, 0), "EPERM"),
    "signal all": (lambda: os.kill(-1, 0), "EPERM"),
    "signal the group": (lambda: os.kill(0, 0), "EPERM"),
    "signal a thread of the parent": (lambda: system("tgkill", PARENT, PARENT, 0), "EPERM"),
    "tkill": (lambda: system("tkill", PARENT, 0), "EPERM"),
    "queue a signal": (lambda: system("rt_sigqueueinfo", PARENT, 0, 0), "EPERM"),
    "own the signals of a pipe": (lambda: fcntl.fcntl(Inputs.pipe[0], fcntl.F_SETOWN, PARENT), "EPERM"),
    "choose a pipe's signal": (lambda: fcntl.fcntl(Inputs.pipe[0], 10, signal.SIGUSR1), "EPERM"),
    "have a pipe send signals": (lambda: fcntl.fcntl(Inputs.pipe[0], fcntl.F_SETFL, os.O_ASYNC), "EPERM"),
    "the same by ioctl": (lambda: fcntl.ioctl(Inputs.pipe[0], 0x5452, struct.pack("i", 1)), "EPERM"),
    "outlive the parent": (lambda: system("prctl", 1, 0, 0, 0, 0), "EPERM"),
    "be looked at no more": (lambda: system("prctl", 4, 0, 0, 0, 0), "EPERM"),
    "trace": (lambda: system("ptrace", 0, 0, 0, 0), "EPERM"),
    "read other memory": (lambda: system("process_vm_readv", os.getpid(), 0, 0, 0, 0, 0), "EPERM"),
    "descriptor of a process": (lambda: os.pidfd_open(PARENT), "ENOSYS"),
    "wait": (lambda: os.waitpid(-1, 0), "EPERM"),
    "change the user": (lambda: os.setuid(os.getuid()), "EPERM"),
    # limits
    "set a limit": (lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), "ValueError"),
    "set another's limit": (lambda: resource.prlimit(PARENT, resource.RLIMIT_CORE, (0, 0)), "EPERM"),
    "ask for another's limit": (lambda: resource.prlimit(PARENT, resource.RLIMIT_CORE), "EPERM"),
    "be nicer": (lambda: os.setpriority(os.PRIO_PROCESS, 0, 5), "EPERM"),
    "choose a processor": (lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)), "EPERM"),
    "larger pipe": (lambda: fcntl.fcntl(Inputs.pipe[1], fcntl.F_SETPIPE_SZ, 8192), "EPERM"),
    "lease": (lease, "EPERM"),
    "watch a folder": (lambda: system("inotify_init1", 0), "EPERM"),
    "notify": (lambda: fcntl.fcntl(Inputs.folder, fcntl.F_NOTIFY, 0), "EPERM"),
    "memory as a file": (lambda: os.memfd_create("x"), "EPERM"),
    "shared memory": (lambda: system("shmget", 0, 4096, 0), "EPERM"),
    "semaphores": (lambda: system("semget", 0, 0, 0), "EPERM"),
    "messages": (lambda: system("msgget", 1, 0), "EPERM"),
    "message queue": (lambda: system("mq_open", 0, 0, 0, 0), "EPERM"),
    "timer": (lambda: system("timer_create", 99, 0, 0), "EPERM"),
    "splice": (lambda: system("splice", 0, 0, 0, 0, 0, 0), "EPERM"),
    # kernel
    "io_uring": (lambda: system("io_uring_setup", 0, 0), "ENOSYS"),
    "openat2": (lambda: system("openat2", 0, 0, 0, 0), "ENOSYS"),
    "secret memory": (lambda: system("memfd_secret", 0xFFFF), "ENOSYS"),
    "a call that is too new": (lambda: system("futex_waitv", 0, 0, 0xFFFF, 0, 0), "ENOSYS"),
    "keys": (lambda: system("keyctl", 0, -3, 1), "EPERM"),
    "own user namespace": (lambda: system("unshare", 0x10000000), "EPERM"),
    "unshare files": (lambda: system("unshare", 0x400), "EPERM"),
    "enter a namespace": (lambda: system("setns", -1, 0), "EPERM"),
    "personality": (lambda: system("personality", 0xFFFFFFFF), "EPERM"),
    "performance events": (lambda: system("perf_event_open", 0, 0, 0, 0, 0, 0), "EPERM"),
    "another seccomp filter": (lambda: system("seccomp", 2, 0, BUFFER), "EPERM"),
    "Landlock": (lambda: system("landlock_create_ruleset", 0, 0, 1), "ENOSYS"),
}
SAME_WITHOUT = {  # the control fails in the same way on some machines, so there it proves nothing
    "read /proc/self/environ": "EACCES",  # a process that has changed its user is not dumpable
    "set an attribute": "ENOTSUP",
    "set another's limit": "EPERM",  # an ordinary user, whose parent is root here
    "ask for another's limit": "EPERM",
    "signal the parent": "EPERM",
    "signal a thread of the parent": "EPERM",
    "tkill": "EPERM",
    "queue a signal": "EPERM",
    "own user namespace": "EPERM",
    "own the signals of a pipe": "EPERM",
    "secret memory": "ENOSYS",
    "a call that is too new": "ENOSYS",
    "performance events": "EPERM",
}


@pytest.mark.accept
def test_what_is_denied_and_that_it_works_without_walls(places: Callable[[], Place], abi: int | None) -> None:
    denied(DENIED, places, abi)


@pytest.mark.parametrize("user", [None], ids=["this user"], indirect=True)
def test_a_sample_of_what_is_denied(places: Callable[[], Place]) -> None:
    """Each costs two forks of this process: every fourth."""
    denied(dict(list(DENIED.items())[::4]), places, None)


def denied(
    tried: dict[str, tuple[Callable[[], object], str]], places: Callable[[], Place], abi: int | None
) -> None:
    """Check how each act ends within walls, and that it ends otherwise without them."""
    wrong, proved = {}, 0
    for name, (act, expected) in tried.items():
        with_walls = places()
        around = with_walls.walls(abi=abi)
        found = child(act, with_walls, around)
        around_nothing = child(act, places())
        around.close()
        if found.short != expected:
            wrong[name] = f"{found.short}, not {expected}"
        elif around_nothing.short != expected:
            proved += 1
        elif SAME_WITHOUT.get(name) != expected:
            wrong[name] = f"{expected} without walls too"
        if (with_walls.root / "readable/data").read_text() != "contents of readable/data":
            wrong[name] = "changed a file outside"
    assert wrong == {}
    assert proved >= len(tried) - len(SAME_WITHOUT.keys() & tried.keys())


def test_pretended_calls_change_nothing(place: Place) -> None:
    target = place.root / "outside/secret"
    before = target.stat()

    def act() -> None:
        os.chmod("../outside/secret", 0)
        os.fchmod(Inputs.table, 0)
        os.utime("../outside/secret", (1, 1))

    assert child(act, place, place.walls()) == End()
    after = target.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert stat.S_IMODE((place.root / "inputs/table").stat().st_mode) == 0o666
    child(act, place)
    assert stat.S_IMODE(target.stat().st_mode) == 0 and target.stat().st_mtime == 1


@pytest.mark.skipif(not X86, reason="x86_64 has two more sets of calls")
@pytest.mark.parametrize(
    "code", [b"\xb8\x14\x00\x00\x00\xcd\x80\xc3", b"\xb8\x27\x00\x00\x40\x0f\x05\xc3"], ids=["i386", "x32"]
)
def test_other_sets_of_calls_kill(place: Place, code: bytes) -> None:
    def act() -> int:  # mov eax, getpid; int 0x80 or syscall; ret
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(code)
        return int(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))())

    assert child(act, place, place.walls()).signal == "SIGSYS"
    assert not child(act, place).signal


# ---- what works -------------------------------------------------------------------------------------------------


def files() -> object:
    Path("a").write_text("a")
    os.mkdir("d")
    shutil.move("a", "d/a")
    assert os.listdir("d") == ["a"]
    shutil.copy("d/a", "b")
    shutil.copy2("../readable/data", "c")
    shutil.copytree("d", "e")
    Path("t").touch()
    Path("t").touch()
    os.rename("b", "b2")
    with open("b2", "r+") as file:
        file.truncate(0)
    shutil.rmtree("e")
    with tempfile.TemporaryFile(dir=".") as file, tempfile.NamedTemporaryFile(dir="."):
        file.write(b"x")
    database = sqlite3.connect("base")
    database.execute("create table t (x)")
    database.commit()
    database.close()
    return sorted(path.name for path in Path().rglob("*"))


def reads() -> object:
    with open(os.devnull, "w") as null:
        null.write("lost")
    assert any("libc" in line for line in read("/proc/self/maps").splitlines())
    assert os.stat("../outside/secret").st_size > 0  # metadata is not hidden by Landlock
    by_number = [
        read(f"/proc/self/fd/{Inputs.table}"),
        read(f"/proc/self/fd/{Inputs.folder}/table"),
    ]
    return [
        read("../readable/data"),
        os.listdir("../listable"),
        os.listdir("../listable/sub"),
        *by_number,
    ]


def many_threads() -> object:
    threading.stack_size(256 * 1024)
    done = []
    threads = [threading.Thread(target=lambda n=n: done.append(n)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def loop() -> object:
    async def main() -> list[int]:
        threading.stack_size(256 * 1024)
        first, second = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=first)
        second.sendall(b"7")
        answer = await reader.read(1)
        writer.close()
        second.close()
        return [*await asyncio.gather(asyncio.to_thread(int, "3"), asyncio.sleep(0.01, 4)), int(answer)]

    return asyncio.run(main())


def itself() -> object:
    got: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: got.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
    signal.signal(signal.SIGALRM, lambda number, _: got.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    resource.getrlimit(resource.RLIMIT_CPU)
    resource.prlimit(os.getpid(), resource.RLIMIT_CPU)
    os.set_blocking(Inputs.pipe[0], False)
    assert not os.isatty(0) and fcntl.fcntl(Inputs.pipe[0], fcntl.F_GETFL) & os.O_NONBLOCK
    return len(got)


def test_what_works(places: Callable[[], Place], abi: int | None) -> None:
    def end(act: Callable[[], object]) -> End:
        place = places()
        return child(act, place, place.walls(abi=abi))

    assert end(files) == End(["a", "b2", "base", "c", "d", "t"])
    contents = "contents of inputs/table"
    assert end(reads) == End(["contents of readable/data", ["sub"], ["file"], contents, contents])
    assert end(many_threads) == End(40)
    assert end(loop) == End([3, 4, 7])
    assert end(itself) == End(4)
    assert end(os.abort) == End(signal="SIGABRT")
    assert end(lambda: os.kill(os.getpid(), signal.SIGKILL)) == End(signal="SIGKILL")


def test_without_a_scratch_folder_nothing_can_be_written(place: Place) -> None:
    around = place.walls()
    inner = around.put_up

    def put_up(**arguments: object) -> None:
        inner(**{**arguments, "writable": None})  # type: ignore[arg-type]

    around.put_up = put_up  # type: ignore[method-assign]
    assert child(lambda: write("file"), place, around).short == "EACCES"


# ---- limits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [64 * MIB, 300 * MIB])
def test_memory_beyond_the_limit_is_a_memory_error(place: Place, memory: int) -> None:
    def act() -> tuple[int, bool]:
        kept = []
        with contextlib.suppress(OSError):
            while True:  # maps, since the test's own heap may hold memory that nobody uses
                kept.append(mmap.mmap(-1, MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        try:
            bytearray(1 << 30)
        except MemoryError:
            return len(kept) * MIB, True
        return len(kept) * MIB, False

    got, raised = child(act, place, place.walls(), memory=memory).value  # type: ignore[misc]
    assert abs(got - memory) <= 0.15 * memory and raised


def test_shared_memory_is_limited_too(place: Place) -> None:
    def act() -> int:
        kept: list[mmap.mmap] = []
        with contextlib.suppress(OSError):
            while len(kept) < 1000:
                kept.append(mmap.mmap(-1, MIB))
        return len(kept) * MIB

    got = child(act, place, place.walls(), memory=64 * MIB).value
    assert isinstance(got, int) and got <= 64 * MIB + limits.ADDRESS_SPACE_MARGIN
    assert child(act, place).value == 1000 * MIB


@pytest.mark.accept
def test_processor_time_ends_in_a_signal_that_cannot_be_ignored(place: Place) -> None:
    def busy() -> None:
        while True:
            pass

    def stubborn() -> None:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        busy()

    assert child(busy, place, place.walls(), cpu_s=0.3).signal == "SIGXCPU"
    assert child(stubborn, place, place.walls(), cpu_s=1).signal == "SIGKILL"


def test_files_and_descriptors_are_limited(place: Place) -> None:
    def large() -> None:
        Path("large").write_bytes(bytes(MIB + 1))

    def many() -> int:
        with contextlib.suppress(OSError):
            while True:
                os.dup(0)
        return os.open(".", os.O_RDONLY)

    assert child(large, place, place.walls()).short == "EFBIG"
    assert (place.root / "scratch/large").stat().st_size <= MIB
    assert child(many, place, place.walls()).short == "EMFILE"
    assert child(large, place) == End()


def test_limits_never_rise_above_those_of_the_fork_server(place: Place) -> None:
    def act() -> object:
        return [resource.getrlimit(resource.RLIMIT_FSIZE), resource.getrlimit(resource.RLIMIT_NOFILE)]

    def lowered() -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
        place.walls(("limits",)).put_up(
            memory_bytes=1 << 80, cpu_s=5, file_bytes=MIB, descriptors=128, writable=None, inputs=[]
        )
        return act()

    assert child(act, place, place.walls()) == End([[MIB, MIB], [128, 128]])
    assert child(lowered, place) == End([[5000, 5000], [100, 100]])


# ---- the state of a confined process ----------------------------------------------------------------------------


def test_no_privilege_is_left_and_the_parent_still_ends_it(place: Place) -> None:
    def act() -> dict[str, str]:
        lines = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
        names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs")
        death = ctypes.c_int()
        syscalls.call("prctl", 2, ctypes.addressof(death))  # PR_GET_PDEATHSIG
        dumpable = syscalls.call("prctl", 3)
        return {name: lines[name].strip("0") for name in names} | {"rest": f"{death.value} {dumpable}"}

    def confined() -> object:
        syscalls.call("prctl", 1, signal.SIGTERM)
        place.walls(("limits", "capabilities")).put_up(
            memory_bytes=MIB * 64, cpu_s=5, file_bytes=MIB, descriptors=64, writable=None, inputs=[]
        )
        return act()

    found = child(confined, place).value
    assert isinstance(found, dict)
    bounding = (
        "" if os.getuid() == 0 else found["CapBnd"]
    )  # without CAP_SETPCAP it stays, and no_new_privs voids it
    assert found == {
        **dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapAmb"), ""),
        "CapBnd": bounding,
        "NoNewPrivs": "1",
        "rest": f"{signal.SIGTERM:d} 1",  # dumpable: the fork server looks at its open files
    }
    before = child(act, place).value
    assert isinstance(before, dict) and before["NoNewPrivs"] == "" and before["rest"] == "0 1"


def test_descriptors_of_the_walls_are_closed_behind_them(place: Place) -> None:
    around = place.walls()
    assert (
        len(around.descriptors) == 4
    )  # the folder, two devices, the listable folder; what is not there is skipped

    def still_open() -> list[str]:
        found = []
        for number in around_before:
            with contextlib.suppress(OSError):
                os.fstat(number)
                found.append(str(number))
        return found

    around_before = around.descriptors
    assert child(still_open, place, around).value == []
    assert len(child(still_open, place).value) == 4  # type: ignore[arg-type]


# ---- failing ----------------------------------------------------------------------------------------------------


def network_works() -> str:
    socket.socket(socket.AF_INET).close()
    return "works"


@pytest.mark.parametrize(
    ("wall", "call"),
    [
        ("capabilities", "prctl"),
        ("capabilities", "capset"),
        ("landlock", "landlock_add_rule"),
        ("landlock", "landlock_restrict_self"),
        ("seccomp", "seccomp"),
    ],
)
def test_a_wall_that_fails_is_an_error_and_the_rest_is_left_undone(
    place: Place, monkeypatch: pytest.MonkeyPatch, wall: str, call: str
) -> None:
    around = place.walls()
    monkeypatch.setitem(syscalls.NUMBERS, call, (1000, 1000))  # no kernel has so many

    def act() -> object:
        try:
            around.put_up(memory_bytes=MIB, cpu_s=5, file_bytes=MIB, descriptors=64, writable=None, inputs=[])
        except WallError as error:
            return [error.wall, str(error), network_works()]
        return None

    value = child(act, place).value
    assert isinstance(value, list)
    assert (value[0], value[2]) == (wall, "works")
    assert value[1] == f"the {wall} wall cannot be put up: {call}: Function not implemented [ENOSYS]"


def test_what_cannot_be_a_limit_or_an_input_is_an_error(place: Place) -> None:
    def put_up(**changes: object) -> Callable[[], object]:
        usual = {"memory_bytes": MIB, "cpu_s": 5.0, "file_bytes": MIB, "descriptors": 64}
        return lambda: place.walls().put_up(**{**usual, "writable": None, "inputs": [], **changes})  # type: ignore[arg-type]

    def memory_file() -> object:
        return put_up(inputs=[os.memfd_create("x")])()

    def closed() -> object:
        return put_up(inputs=[999])()

    def two_threads() -> object:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        return put_up()()

    for act, wall in (
        (put_up(cpu_s=float("inf")), "limits"),
        (put_up(descriptors=-5), "limits"),
        (memory_file, "landlock"),
        (closed, "landlock"),
        (two_threads, "limits"),
    ):
        end = child(act, place)
        assert end.raised == "WallError" and isinstance(end.value, list) and end.value[0] == wall, end


def test_what_cannot_be_prepared_is_an_error(place: Place) -> None:
    with pytest.raises(ValueError, match="no such wall: moat"):
        Walls(["moat"], [], [])
    with pytest.raises(WallError, match="Landlock has no version 0"):
        Walls(ALL, [], [], landlock_abi=0)
    with pytest.raises(WallError, match="not a folder"):
        Walls(ALL, [], [str(place.root / "readable/data")])
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(WallError, match="ELOOP"):
        (place.root / "circle").symlink_to("circle")
        Walls(ALL, ["/dev/null", str(place.root / "circle")], [])
    assert len(os.listdir("/proc/self/fd")) == before
    assert Walls((), [], []).descriptors == ()


def test_available_says_why_not_and_confines_nobody(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def act() -> object:
        answers = walls.available()
        state = re.findall(r"(?:NoNewPrivs|Seccomp):\t(\d)", Path("/proc/self/status").read_text())
        return [answers, state, network_works()]

    assert child(act, place) == End([dict.fromkeys(ALL, ""), ["0", "0"], "works"])
    for call, wall, words in (
        ("landlock_create_ruleset", "landlock", "no Landlock"),
        ("seccomp", "seccomp", "no seccomp"),
        ("capget", "capabilities", "capget"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(syscalls.NUMBERS, call, (1000, 1000))
            answers = walls.available()
        assert words in answers[wall] and sum(map(bool, answers.values())) == 1
    monkeypatch.setattr(syscalls, "MACHINE", "")
    assert all("x86_64 and aarch64" in why for why in walls.available().values())
    with pytest.raises(WallError, match="seccomp wall"):
        Walls(("seccomp",), [], [])


# ---- the seccomp program, on both machines ----------------------------------------------------------------------

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
    program, known = seccomp.program(machine), seccomp.decisions(machine)
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
    program, number = seccomp.program(machine), syscalls.number(name, machine)
    assert number is not None
    architecture = seccomp.AUDIT[machine]
    assert [each for each in allowed if verdict(program, architecture, number, each) != seccomp.ALLOW] == []
    assert [each for each in refused if verdict(program, architecture, number, each) != EPERM] == []


@pytest.mark.parametrize("machine", syscalls.MACHINES)
def test_calls_of_which_no_run_has_need(machine: str) -> None:
    program, architecture = seccomp.program(machine), seccomp.AUDIT[machine]
    for name, both in EXTRA.items():
        number = both[syscalls.MACHINES.index(machine)]
        assert verdict(program, architecture, number, (0, 0, 0, 0)) == (ENOSYS if number >= 424 else EPERM), (
            name
        )
    assert len(program) < 1000


def test_the_walls_need_the_standard_library_only() -> None:
    for module in (walls, landlock, limits, seccomp, syscalls, capabilities):
        imported = re.findall(
            r"^(?:from|import) ([\w.]+)", Path(module.__file__ or "").read_text(), re.MULTILINE
        )
        assert [
            name for name in imported if name.strip(".") and name.split(".")[0] not in sys.stdlib_module_names
        ] == []
