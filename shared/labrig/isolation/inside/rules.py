"""Which system calls a run may make: `CODE` for code of others, `CALCULATION` for a native library that computes.

The lists name what such a run needs, found by running it; all else is refused (`seccomp`).
"""

from __future__ import annotations

import errno

from .seccomp import ALL_BITS, LOAD, OWN_PID, Block, Rules, allow, answer, high, low, unless, when

ALLOWED = """
  read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close
  openat getdents getdents64 stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
  statfs fstatfs getcwd chdir fchdir umask
  mkdir mkdirat rmdir unlink unlinkat rename renameat creat ftruncate fsync fdatasync fadvise64
  sendfile copy_file_range
  dup dup2 dup3 pipe pipe2 eventfd eventfd2
  poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
  shutdown getsockname getpeername
  mmap mprotect munmap mremap brk madvise msync
  futex set_robust_list rseq membarrier exit exit_group
  rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack pause restart_syscall
  nanosleep gettimeofday time getitimer setitimer alarm times
  getpid gettid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid getgroups
  getrlimit getrusage sysinfo uname getrandom getcpu
  sched_yield sched_get_priority_max sched_get_priority_min
"""

ANSWERED = {
    # With success, and nothing is done. Landlock does not see them, so they must not work on a file that is not
    # the run's; but `shutil.copy`, which nobody calls for the mode, would fail where they were refused.
    # The same for a lock: it would hold up those outside who use an input, and others cannot see the run's files.
    0: "chmod fchmod fchmodat flock",
    # Extended attributes: as in a file system that has none, so that `shutil.copy2` goes on.
    errno.EOPNOTSUPP: """
      getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
      setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
      fallocate""",  # it can take blocks beyond the size that RLIMIT_FSIZE looks at; posix_fallocate then writes
}

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
    *(5, 36),  # F_GETLK, F_OFD_GETLK: SQLite asks whether anybody holds a lock, and in a run nobody can
    1032,  # F_GETPIPE_SZ
)  # not F_SETOWN, SETSIG (signals to others), SETLEASE, NOTIFY (hold others up), SETPIPE_SZ (memory), ADD_SEALS
# F_SETLK, SETLKW and F_OFD_SETLK, SETLKW: pretended as flock is. A lock is also memory of the kernel, which no limit of
# a process counts: some 190 bytes each, of any number, and those of F_OFD_SETLK outlive their descriptor in a mapping.
LOCKS = (6, 7, 37, 38)
IOCTL = (
    0x5401,  # TCGETS: isatty
    0x541B,  # FIONREAD
    *(0x5450, 0x5451, 0x5421),  # FIONCLEX, FIOCLEX, FIONBIO: what CPython sets the flags of a descriptor with
)
FICLONE = 0x4004_9409
SIGCONT = 18
CLOSE_RANGE_CLOEXEC = 4  # linux/close_range.h
PRIO_PROCESS = 0
# A clock below 0 is that of a process or a thread: its number, complemented, above three bits (linux/posix-timers.h).
# The kernel gives a thread's clock to its own process only, and that of another process to everybody.
CLOCK_OF_SOME, CLOCK_OF_THREAD = 0x8000_0000, 4
OWN_CLOCKS = tuple(~0 << 3 & 0xFFFF_FFFF | kind for kind in range(3))  # process 0 is the own one
PRCTL = (15, 16)  # PR_SET_NAME, PR_GET_NAME: a thread's name
SOL_SOCKET = 1
SOCKET_OPTIONS = (3, 4, 7, 8, 38, 39)  # SO_TYPE, ERROR, SNDBUF, RCVBUF, PROTOCOL, DOMAIN; not SO_PEERPIDFD


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

    def about_itself(argument: int, other: int) -> Block:
        """A question about a process: of its own number, or 0, which means the same; of another, as if it were none."""
        return [*unless(low(argument), (0, OWN_PID), answer(other)), *allow()]

    clock = [
        *when(low(0), (0,), allow(), mask=CLOCK_OF_SOME),
        *when(low(0), (CLOCK_OF_SOME | CLOCK_OF_THREAD,), allow(), mask=CLOCK_OF_SOME | CLOCK_OF_THREAD),
        *when(low(0), OWN_CLOCKS, allow()),
        *answer(errno.EINVAL),
    ]
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
        # Not CLOSE_RANGE_UNSHARE: a thread with descriptors of its own would have as many again.
        "close_range": [*unless(low(2), (0, CLOSE_RANGE_CLOEXEC), refuse), *allow()],
        "clone": [*unless(low(0), (THREAD,), refuse, mask=ALL_BITS & ~THREAD_EXTRAS), *allow()],
        "getpgid": about_itself(0, errno.ESRCH),
        "getsid": about_itself(0, errno.ESRCH),
        "get_robust_list": about_itself(0, errno.ESRCH),
        "sched_getparam": about_itself(0, errno.ESRCH),
        "sched_getscheduler": about_itself(0, errno.ESRCH),
        # glibc asks for a thread's processors when it asks for its stack, and does without at ENOSYS.
        "sched_getaffinity": about_itself(0, errno.ENOSYS),
        # The priority of a group or a user is that of others too.
        "getpriority": [*unless(low(0), (PRIO_PROCESS,), answer(errno.ESRCH)), *about_itself(1, errno.ESRCH)],
        "clock_gettime": clock,
        "clock_getres": clock,
        "clock_nanosleep": clock,
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
            *when(low(1), LOCKS, answer(0)),
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


CODE = Rules(ALLOWED, ANSWERED, argument_checks())
"""Python code of others, with the libraries of science: files that Landlock leaves, threads, no process, no network."""

PROT_EXEC = 4
_NO_NEW_CODE = [*unless(low(2), (0,), answer(errno.EPERM), mask=PROT_EXEC), *allow()]
CALCULATION = Rules(
    """
      read readv recvfrom write writev sendto pread64 lseek close fstat poll ppoll select pselect6
      munmap mremap brk madvise futex set_robust_list rseq
      rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall exit exit_group
      gettimeofday time times getrusage getpid gettid getrandom sched_yield nanosleep
    """,
    {},
    {
        "mmap": _NO_NEW_CODE,
        "mprotect": _NO_NEW_CODE,
        # abort() sends a signal to itself.
        **{
            name: argument_checks()[name]
            for name in ("kill", "tgkill", "clock_gettime", "clock_getres", "clock_nanosleep")
        },
    },
)
"""A native library that computes: it has its descriptors and memory, and can open nothing, make nothing that could be
run, and start neither thread nor process."""
