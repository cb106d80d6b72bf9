"""What a program would do to other processes of the same user."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Other processes")

add(
    "signals",
    "to the victim, the host, the parent, the own group and everybody",
    """
import signal
tried(*[lambda pid=pid: os.kill(pid, signal.SIGURG) for pid in (T["victim"], T["host"], os.getppid(), -1)],
      lambda: os.kill(T["victim"], signal.SIGSTOP))
""",
    quick=True,
)
add(
    "signals by other calls",
    "`tkill`, `tgkill`, `rt_sigqueueinfo`, `pidfd_send_signal`",
    """
about = (ctypes.c_int * 32)(10, 0, -1)
tried(lambda: syscall("tkill", T["victim"], 10), lambda: syscall("tgkill", T["host"], T["host"], 10),
      lambda: syscall("rt_sigqueueinfo", T["victim"], 10, about),
      lambda: syscall("pidfd_send_signal", syscall("pidfd_open", T["victim"], 0), 10, None, 0))
""",
)
add(
    "signals by descriptors",
    "`F_SETOWN` and `O_ASYNC`: the kernel sends SIGIO to the host when something can be read",
    """
import fcntl, socket
one, other = socket.socketpair()
def owned(pid):
    fcntl.fcntl(one, fcntl.F_SETOWN, pid)
    fcntl.fcntl(one, fcntl.F_SETFL, fcntl.fcntl(one, fcntl.F_GETFL) | os.O_ASYNC)
    other.send(b"x")
tried(lambda: owned(T["host"]), lambda: owned(T["victim"]))
""",
)
add(
    "ptrace",
    "`PTRACE_ATTACH` to the victim, `PTRACE_SEIZE` of the host and the parent",
    """
tried(lambda: syscall("ptrace", 16, T["victim"], 0, 0),
      *[lambda pid=pid: syscall("ptrace", 0x4206, pid, 0, 0) for pid in (T["host"], os.getppid())])
hold()
""",
)
add(
    "memory of another",
    "read by `process_vm_readv` and `/proc/N/mem`",
    """
held = ctypes.create_string_buffer(64)
class Part(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]
def by_call():
    mine, theirs = Part(ctypes.addressof(held), 64), Part(T["victim_buffer"], 64)
    syscall("process_vm_readv", T["victim"], ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
    return held.raw
def by_file():
    with open(f"/proc/{T['victim']}/mem", "rb") as file:
        file.seek(T["victim_buffer"])
        return file.read(64)
tried(by_call, by_file)
""",
)
add(
    "memory of another changed",
    "`process_vm_writev` and `/proc/N/mem`",
    """
held = ctypes.create_string_buffer(b"overwritten")
class Part(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]
def by_call():
    mine, theirs = Part(ctypes.addressof(held), 8), Part(T["victim_buffer"] + 60, 8)
    return syscall("process_vm_writev", T["victim"], ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
def by_file():
    with open(f"/proc/{T['victim']}/mem", "r+b", buffering=0) as file:
        file.seek(T["victim_buffer"])
        return file.write(b"overwritten")
tried(by_call, by_file)
""",
)
add(
    "descriptors of another",
    "`pidfd_getfd` and `/proc/N/fd` of a file that the victim holds open",
    """
def taken():
    return os.pread(syscall("pidfd_getfd", syscall("pidfd_open", T["victim"], 0), T["victim_descriptor"], 0), 100, 0)
tried(taken, lambda: read(f"/proc/{T['victim']}/fd/{T['victim_descriptor']}"))
""",
)
add(
    "shared memory of another",
    "the victim's System V segment by its key",
    """
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
def attached():
    return ctypes.string_at(libc.shmat(syscall("shmget", T["victim_key"], 4096, 0), None, 0), 100)
tried(attached)
""",
)
add(
    "limits of another",
    "`prlimit`, `setpriority` and `sched_setaffinity` on the victim",
    """
import resource
tried(lambda: resource.prlimit(T["victim"], resource.RLIMIT_NOFILE, (20, 20)),
      lambda: os.setpriority(os.PRIO_PROCESS, T["victim"], 5), lambda: os.sched_setaffinity(T["victim"], {0}))
""",
)
