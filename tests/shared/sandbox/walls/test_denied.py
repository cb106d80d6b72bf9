"""What the walls around one run deny, tried from inside by real children; each denial beside a child without walls."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
import stat
import struct
from collections.abc import Callable

import pytest

from support.walled import MIB, X86, End, Inputs, Place, child, read, system, write


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
    "own descriptors of a thread": (lambda: system("close_range", 1000, 1000, 2), "EPERM"),
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
