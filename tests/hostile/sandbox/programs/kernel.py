"""Which doors of the kernel a program would try."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Kernel interfaces")

add(
    "namespaces",
    "`unshare` and `setns`, a user namespace first",
    """
tried(lambda: syscall("unshare", 0x10000000), lambda: syscall("unshare", 0x20000 | 0x4000000 | 0x8000000),
      lambda: syscall("setns", os.open(f"/proc/{T['victim']}/ns/user", os.O_RDONLY), 0))
hold()
""",
    quick=True,
)
add(
    "a process in a user namespace",
    "`clone(CLONE_NEWUSER)`",
    """
def cloned():
    pid = syscall("clone", 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        libc.usleep(300000)
        libc._exit(0)
tried(cloned)
hold()
""",
)
add(
    "mounts",
    "`mount`, `fsopen`, `open_tree`, `pivot_root`, `chroot`",
    """
tried(lambda: syscall("mount", b"none", T["outside"].encode(), b"tmpfs", 0, None),
      lambda: syscall("fsopen", b"tmpfs", 0),
      lambda: syscall("open_tree", -100, b"/", 1), lambda: syscall("pivot_root", b".", b"."), lambda: os.chroot("."))
hold()
""",
)
add(
    "new descriptors",
    "`io_uring_setup`, `bpf`, `userfaultfd`, `perf_event_open`, `inotify`, `fanotify`, `pidfd_open`",
    """
attributes = (ctypes.c_uint32 * 32)(2, 4, 4, 1)
event = (ctypes.c_uint32 * 32)(1, 112, 0, 0)
tried(lambda: syscall("io_uring_setup", 4, (ctypes.c_uint32 * 30)()), lambda: syscall("bpf", 0, attributes, 72),
      lambda: syscall("userfaultfd", 1), lambda: syscall("perf_event_open", event, 0, -1, -1, 0),
      lambda: syscall("inotify_init1", 0), lambda: syscall("fanotify_init", 0, 0),
      lambda: syscall("pidfd_open", os.getpid(), 0))
hold()
""",
)
add(
    "keyrings",
    "a key added to the user's keyring, where the next call would find it",
    """
tried(lambda: syscall("add_key", b"user", T["mark"].encode(), b"x", 1, -4))
""",
)
add(
    "settings of the kernel",
    "`/proc/sys`, `sysrq-trigger`, the host's name, `oom_score_adj` of the parent",
    """
def put(path, text):
    with open(path, "w") as file:
        file.write(text)
tried(lambda: put("/proc/sys/kernel/domainname", "labrig-attack"),
      lambda: syscall("setdomainname", b"labrig-attack", 13),
      lambda: put("/proc/sysrq-trigger", "h"), lambda: put(f"/proc/{T['victim']}/oom_score_adj", "700"),
      lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
hold()
""",
)
add(
    "rights taken back",
    "`capset` of all, user 0, `no_new_privs` off, another filter on top, and then a secret",
    """
header, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
tried(lambda: syscall("capset", header, rights), lambda: syscall("setresuid", 0, 0, 0),
      lambda: syscall("prctl", 38, 0, 0, 0, 0), lambda: syscall("prctl", 22, 0, 0, 0, 0),
      lambda: read(T["outside"] + "/secret.txt"))
hold()
""",
)
