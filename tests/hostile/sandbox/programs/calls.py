"""What a program would leave to the next call, or take from one beside it."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("From one call to the next")

add(
    "patched modules",
    "`numpy`, `builtins`, `sys.modules`, the environment and the folder changed for the next call",
    """
import builtins, numpy
numpy.mark = builtins.mark = T["mark"]
sys.modules["mark"] = T["mark"]
os.environ["MARK"] = T["mark"]
sys.path.insert(0, T["mark"])
os.umask(0)
say("done")
""",
    then="""
import builtins, numpy
print(getattr(numpy, "mark", ""), getattr(builtins, "mark", ""), sys.modules.get("mark"), os.environ.get("MARK"))
print(sys.path)
""",
    quick=True,
)
add(
    "files left",
    "a file in the own folder, `..`, `/tmp`, `/dev/shm`, HOME and TMPDIR, looked for by the next call",
    """
import tempfile
for folder in (".", "..", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), tempfile.gettempdir()):
    try:
        with open(folder + "/labrig-attack-file", "w") as file:
            file.write(T["mark"])
    except OSError:
        pass
say("done")
""",
    then="""
import tempfile
for folder in (".", "..", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), tempfile.gettempdir()):
    for path in (folder + "/labrig-attack-file",):
        try:
            print(read(path))
        except OSError:
            pass
""",
)
add(
    "memory left",
    "the last call's text, looked for in all objects and all memory of the next one",
    """
held = [T["mark"] * 3 for _ in range(100_000)]
say("done")
""",
    then="""
import re
libc.sbrk.restype = ctypes.c_void_p
heap = libc.sbrk(0)
near = ctypes.cast(libc.printf, ctypes.c_void_p).value
found, (end, start) = set(), os.pipe()
wanted = re.compile(b"mark" + b"-[0-9a-f]{24}")
for low, high in ((heap - (96 << 20), heap), (near - (400 << 20), near)):
    for address in range(low & ~0xffff, high, 65536):
        got = libc.write(start, ctypes.c_void_p(address), 65536)
        found.update(wanted.findall(os.read(end, got)) if got > 0 else ())
print(found - {T["own"].encode()} if "own" in T else found)
""",
    limits={"wall_s": 20.0, "cpu_s": 20.0},
)
add(
    "another call's folder",
    "the files of a call that runs at the same moment",
    """
here = os.path.dirname(os.getcwd())
for top in (os.path.dirname(here), here):
    for folder, _, names in os.walk(top):
        for name in names:
            if name == "of-another":
                tried(lambda: read(os.path.join(folder, name)))
try:
    say(len(os.listdir("..")) and "listed")
except OSError as error:
    say(word(error))
hold()
""",
    beside="""
open("of-another", "w").write(SECRET)
hold(1.2)
""",
)
add(
    "another call's process",
    "the memory and the files of a call that runs at the same moment, by its number",
    """
def look(pid):
    for path in (f"/proc/{pid}/cwd/of-another", f"/proc/{pid}/root/tmp/of-another"):
        try:
            print(read(path))
        except OSError as error:
            yield word(error)
        else:
            yield "done"
    try:
        os.kill(pid, 0)
    except OSError as error:
        yield word(error)
    else:
        yield "signalled"
mine = os.getpid()
near = [pid for pid in range(max(2, mine - 40), mine + 40) if pid != mine]
for each in sorted({each for pid in near for each in look(pid)} - {"ENOENT", "ESRCH"}):
    say(each)
""",
    beside="""
open("of-another", "w").write(SECRET)
hold(1.2)
""",
)
add(
    "another call noticed",
    "every call that takes the number of a process, and `/proc`, asked of the numbers near: which of them are there",
    """
space = ctypes.create_string_buffer(1024)
ways = {
    "getpgid": lambda pid: syscall("getpgid", pid),
    "getsid": lambda pid: syscall("getsid", pid),
    "getpriority": lambda pid: syscall("getpriority", 0, pid),
    "of a group": lambda pid: syscall("getpriority", 1, pid),
    "get_robust_list": lambda pid: syscall("get_robust_list", pid, space, ctypes.byref(space, 512)),
    "sched_getaffinity": lambda pid: syscall("sched_getaffinity", pid, 128, space),
    "sched_getparam": lambda pid: syscall("sched_getparam", pid, space),
    "sched_getscheduler": lambda pid: syscall("sched_getscheduler", pid),
    "clock": lambda pid: syscall("clock_gettime", ~pid << 3 | 2, space),
    "kill": lambda pid: os.kill(pid, 0),
    "tgkill": lambda pid: syscall("tgkill", pid, pid, 0),
    "stat": lambda pid: os.stat(f"/proc/{pid}"),
}
def asked(way, pid):
    try:
        way(pid)
    except OSError as error:
        return word(error)
    return "done"
mine = os.getpid()
for name, way in ways.items():
    none = asked(way, 4_100_000)  # no process has a number so large
    say(none)
    for pid in range(max(2, mine - 300), mine + 300):
        if pid != mine and asked(way, pid) != none:
            print(f"beside-{pid} by {name}")
""",
    beside="""
print(f"beside-{os.getpid()}", flush=True)
hold(1.2)
""",
    quick=True,
)
