"""The seccomp wall: which system calls can be made. An allow-list, as a BPF program; see seccomp(2).

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

from . import syscalls

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant
Block = list[Instruction]

ALLOWED = """
  read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range
  openat getdents getdents64 stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
  statfs fstatfs getcwd chdir fchdir umask
  mkdir mkdirat rmdir unlink unlinkat rename renameat creat ftruncate fsync fdatasync fadvise64
  sendfile copy_file_range
  dup dup2 dup3 pipe pipe2 eventfd eventfd2
  poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
  shutdown getsockname getpeername
  mmap mprotect munmap mremap brk madvise msync
  futex set_robust_list get_robust_list rseq membarrier exit exit_group
  rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack pause restart_syscall
  nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time getitimer setitimer alarm times
  getpid gettid getppid getpgrp getpgid getsid getuid geteuid getgid getegid getresuid getresgid getgroups
  getpriority getrlimit getrusage sysinfo uname getrandom getcpu
  sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
"""

PRETENDED = "chmod fchmod fchmodat"
"""Answered with success, and nothing is done. Landlock does not see them, so they must not work on a file that is not
the run's; but `shutil.copy`, which nobody calls for the mode, would fail where they were refused."""

ANSWERED = {
    # Extended attributes: as in a file system that has none, so that `shutil.copy2` goes on.
    errno.EOPNOTSUPP: """
      getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
      setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
      fallocate""",  # it can take blocks beyond the size that RLIMIT_FSIZE looks at; posix_fallocate then writes
    # An exclusive lock on a file that can only be read would hold up others; HDF5 goes on without locks at ENOSYS.
    errno.ENOSYS: "flock",
}

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

# Arguments. The constants are the same on both machines.
THREAD = (
    0x0001_0F00  # CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD: nothing is a thread's own
)
THREAD_EXTRAS = 0x017C_0000  # SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, CHILD_SETTID, DETACHED
AF_UNIX, SOCK_STREAM, SOCK_FLAGS = 1, 1, 0o2004000  # CLOEXEC, NONBLOCK
MESSAGE_FLAGS = 0x2 | 0x40 | 0x100 | 0x4000  # PEEK, DONTWAIT, WAITALL, NOSIGNAL; not OOB, see CVE-2025-38236
O_ACCMODE, O_TRUNC, O_ASYNC = 0o3, 0o1000, 0o20000
F_SETFL = 4
FCNTL = (
    *(0, 1, 2, 3, 1030),  # F_DUPFD, GETFD, SETFD, GETFL, DUPFD_CLOEXEC
    *(5, 6, 7, 36, 37, 38),  # F_GETLK, SETLK, SETLKW and F_OFD_*: SQLite locks its files
    1032,  # F_GETPIPE_SZ
)  # not F_SETOWN, SETSIG (signals to others), SETLEASE, NOTIFY (hold others up), SETPIPE_SZ (memory), ADD_SEALS
IOCTL = (
    0x5401,  # TCGETS: isatty
    0x541B,  # FIONREAD
    *(0x5450, 0x5451, 0x5421),  # FIONCLEX, FIOCLEX, FIONBIO: what CPython sets the flags of a descriptor with
)
FICLONE = 0x4004_9409
SIGCONT = 18
PRCTL = (15, 16)  # PR_SET_NAME, PR_GET_NAME: a thread's name
SOL_SOCKET = 1
SOCKET_OPTIONS = (3, 4, 7, 8, 38, 39)  # SO_TYPE, ERROR, SNDBUF, RCVBUF, PROTOCOL, DOMAIN; not SO_PEERPIDFD


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


def argument_checks() -> dict[str, Block]:
    """Return what to do with the calls that are right for some arguments only."""
    refuse = answer(errno.EPERM)
    opening = [
        # Landlock sees a truncation from its third version on only, and before that what is opened neither to read
        # nor to write not at all.
        *when(low(2), (3, O_TRUNC, O_TRUNC | 3), refuse, mask=O_ACCMODE | O_TRUNC),
        *when(low(2), (3,), refuse, mask=O_ACCMODE),
        *allow(),
    ]

    def to_itself(sent: int) -> Block:
        """Any signal but SIGCONT, which undoes the stop that the fork server looks at the files in."""
        return [*unless(low(0), (OWN_PID,), refuse), *when(low(sent), (SIGCONT,), refuse), *allow()]

    message = [*unless(low(3), (0,), refuse, mask=ALL_BITS & ~MESSAGE_FLAGS), *allow()]
    return {
        "openat": opening,
        "open": [(code, yes, no, low(1) if code == LOAD else k) for code, yes, no, k in opening],
        # No flags but RENAME_NOREPLACE: RENAME_WHITEOUT makes a device.
        "renameat2": [*unless(low(4), (0, 1), refuse), *allow()],
        # With a time: pretended, for `shutil.copy2`, as chmod is. Without: refused; `Path.touch` then makes the file.
        "utimensat": [
            *unless(low(2), (0,), answer(0)),
            *unless(high(2), (0,), answer(0)),
            *refuse,
        ],
        "clone": [*unless(low(0), (THREAD,), refuse, mask=ALL_BITS & ~THREAD_EXTRAS), *allow()],
        "kill": to_itself(1),
        "tgkill": to_itself(2),
        "prlimit64": [
            *unless(low(0), (0, OWN_PID), refuse),
            *unless(low(2), (0,), refuse),
            *unless(high(2), (0,), refuse),
            *allow(),
        ],
        "prctl": [*unless(low(0), PRCTL, refuse), *allow()],
        # A pair is how asyncio wakes its loop. Stream pairs are all the sockets there are, so sendto names no address.
        "socketpair": [
            *unless(low(0), (AF_UNIX,), refuse),
            *unless(low(1), (SOCK_STREAM,), refuse, mask=ALL_BITS & ~SOCK_FLAGS),
            *allow(),
        ],
        "sendto": message,
        "recvfrom": message,
        "getsockopt": [
            *unless(low(1), (SOL_SOCKET,), refuse),
            *unless(low(2), SOCKET_OPTIONS, refuse),
            *allow(),
        ],
        "fcntl": [
            *when(low(1), FCNTL, allow()),
            *unless(low(1), (F_SETFL,), refuse),
            *unless(low(2), (0,), refuse, mask=O_ASYNC),
            *allow(),
        ],
        # pathlib's copy (Python 3.14) goes on at EOPNOTSUPP.
        "ioctl": [
            *when(low(1), IOCTL, allow()),
            *when(low(1), (FICLONE,), answer(errno.EOPNOTSUPP)),
            *refuse,
        ],
    }


def decisions(machine: str) -> dict[int, Block]:
    """Return what to do with each call that is not refused, by its number on a machine."""
    by_name = dict.fromkeys(ALLOWED.split(), allow())
    by_name |= dict.fromkeys(PRETENDED.split(), answer(0))
    for code, names in ANSWERED.items():
        by_name |= dict.fromkeys(names.split(), answer(code))
    by_name |= argument_checks()
    numbers = {name: syscalls.number(name, machine) for name in by_name}
    return {number: by_name[name] for name, number in numbers.items() if number is not None}


def program(machine: str) -> Block:
    """Return the whole program for a machine.

    Raises
    ------
    KeyError
        If the machine is not one of `syscalls.MACHINES`.
    """
    known = decisions(machine)
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

    def __init__(self) -> None:
        instructions = program(syscalls.MACHINE)
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
