"""System calls by name, on the two machines whose numbers we know."""

from __future__ import annotations

import ctypes
import errno
import os

MACHINES = ("x86_64", "aarch64")
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # x86_64: arch/x86/entry/syscalls/syscall_64.tbl; aarch64: include/uapi/asm-generic/unistd.h (Linux 6.1)
    "read": (0, 63),
    "write": (1, 64),
    "open": (2, None),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "ioctl": (16, 29),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "pipe": (22, None),
    "select": (23, None),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "msync": (26, 227),
    "madvise": (28, 233),
    "dup": (32, 23),
    "dup2": (33, None),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "getitimer": (36, 102),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "sendfile": (40, 71),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "socketpair": (53, 199),
    "getsockopt": (55, 209),
    "clone": (56, 220),
    "exit": (60, 93),
    "kill": (62, 129),
    "uname": (63, 160),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "getdents": (78, None),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "rename": (82, None),
    "mkdir": (83, None),
    "rmdir": (84, None),
    "creat": (85, None),
    "unlink": (87, None),
    "readlink": (89, None),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "umask": (95, 166),
    "gettimeofday": (96, 169),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "capget": (125, 90),
    "capset": (126, 91),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "getpriority": (140, 141),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "prctl": (157, 167),
    "mount": (165, 40),
    "gettid": (186, 178),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "epoll_create": (213, None),
    "getdents64": (217, 61),
    "restart_syscall": (219, 128),
    "fadvise64": (221, 223),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "epoll_wait": (232, None),
    "epoll_ctl": (233, 21),
    "tgkill": (234, 131),
    "openat": (257, 56),
    "mkdirat": (258, 34),
    "newfstatat": (262, 79),
    "unlinkat": (263, 35),
    "renameat": (264, 38),
    "readlinkat": (267, 78),
    "fchmodat": (268, 53),
    "faccessat": (269, 48),
    "pselect6": (270, 72),
    "ppoll": (271, 73),
    "unshare": (272, 97),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "utimensat": (280, 88),
    "epoll_pwait": (281, 22),
    "eventfd": (284, None),
    "fallocate": (285, 47),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "prlimit64": (302, 261),
    "getcpu": (309, 168),
    "renameat2": (316, 276),
    "seccomp": (317, 277),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "copy_file_range": (326, 285),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "statx": (332, 291),
    "rseq": (334, 293),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "openat2": (437, 437),
    "faccessat2": (439, 439),
    "epoll_pwait2": (441, 441),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}

Memory = ctypes.Array[ctypes.c_uint32] | ctypes.Array[ctypes.c_char]

# syscall(2) takes up to six arguments; fixed types make a call from here cheaper.
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 7, use_errno=True)
raw = _PROTOTYPE(("syscall", ctypes.CDLL(None, use_errno=True)))
"""Make a system call by number with all six arguments; a negative result is a failure. For loops: `call` is slower."""


def _machine() -> str:
    system = os.uname()
    sixty_four_bits = ctypes.sizeof(ctypes.c_void_p) == 8  # a 32-bit process has other numbers
    return (
        system.machine if system.sysname == "Linux" and sixty_four_bits and system.machine in MACHINES else ""
    )


MACHINE = _machine()
"""The machine this process runs as, one of `MACHINES`, or "" where its system calls are not in the table."""


def number(name: str, machine: str = MACHINE) -> int | None:
    """Return the number of a system call; None where it does not exist or is not known."""
    return NUMBERS[name][MACHINES.index(machine)] if machine else None


def words(*values: int) -> ctypes.Array[ctypes.c_uint32]:
    """Return 32-bit words in memory, to be handed to the kernel."""
    return (ctypes.c_uint32 * len(values))(*values)


def call(name: str, *arguments: int | Memory | None) -> int:
    """Make a system call and return its result; memory is passed by its address, None as a null pointer.

    Raises
    ------
    OSError
        If the kernel refuses; the text names the call.
    """
    which = number(name)
    if which is None:
        raise OSError(errno.ENOSYS, f"{name}: not known on this machine")
    registers = [_register(argument) for argument in arguments] + [0] * (6 - len(arguments))
    result = int(raw(which, *registers))
    if result < 0:
        raise refusal(name)
    return result


def refusal(name: str) -> OSError:
    """Return the error of the system call that has just failed; the text names it."""
    code = ctypes.get_errno()
    return OSError(code, f"{name}: {os.strerror(code)}")


def _register(argument: int | Memory | None) -> int:
    if argument is None:
        return 0
    return argument if isinstance(argument, int) else ctypes.addressof(argument)
