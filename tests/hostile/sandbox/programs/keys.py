"""Where a program would look for keys: environment, memory, descriptors."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Environment and secrets")

add(
    "environment",
    "`os.environ`, `environ` of C, `/proc/*/environ`",
    """
print(dict(os.environ))
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
for number in range(1000):
    if not environ or not environ[number]:
        break
    print(environ[number])
tried(lambda: read("/proc/self/environ"), lambda: read(f"/proc/{os.getppid()}/environ"))
""",
    quick=True,
)
add(
    "top of the stack",
    "the strings that the kernel left there when the process was started, below the name in the auxiliary vector",
    """
libc.getauxval.restype = ctypes.c_ulong
top = libc.getauxval(31)
say("done")
for start in range(top - 65536, top, 4096):
    try:
        pipe = os.pipe()
        if libc.write(pipe[1], ctypes.c_void_p(start), 4096) > 0:
            print(os.read(pipe[0], 4096))
    finally:
        os.close(pipe[0]), os.close(pipe[1])
""",
    limits={"output_bytes": 1 << 20},
)
add(
    "own memory",
    "every page from the heap, the libraries and the stack that can be reached, searched for keys",
    """
import re
wanted = re.compile(b"canary" + b"-[a-z-]+-[0-9a-f]{24}")
found, (end, start) = set(), os.pipe()
libc.sbrk.restype = ctypes.c_void_p
libc.getauxval.restype = ctypes.c_ulong
local = ctypes.create_string_buffer(1)
heap = libc.sbrk(0)
near = ctypes.cast(libc.printf, ctypes.c_void_p).value
stack = libc.getauxval(31)
places = ((heap - (96 << 20), heap), (near - (700 << 20), near + (64 << 20)), (stack - (8 << 20), stack + 8192))
for low, high in places:
    address, before = low & ~0xffff, b""
    while address < high:
        got = libc.write(start, ctypes.c_void_p(address), 65536)
        data = os.read(end, got) if got > 0 else b""
        found.update(wanted.findall(before + data))
        before = data[-64:]
        address += max(got, 0) if 0 < got < 65536 else 65536
        if 0 < got < 65536:
            address = (address + 4096) & ~0xfff
print(found)
say("nothing found" if not found else "found")
""",
    limits={"wall_s": 20.0, "cpu_s": 20.0},
)
add(
    "descriptors inherited",
    "every number up to 4,096: what is open besides the own three, the socket and the inputs",
    """
for number in range(4096):
    try:
        os.fstat(number)
    except OSError:
        continue
    if number > 4:
        for way in (lambda: os.pread(number, 4096, 0), lambda: os.listdir(number)):
            try:
                print(number, way())
            except OSError:
                pass
say("done")
hold()
""",
    quick=True,
)
