"""How a program would use up memory and disk, and leave what is hard to remove."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Memory and disk")

_BOMB = """
held = []
try:
    for _ in range(100):
        held.append({})
except (MemoryError, OSError, ValueError) as error:
    said = word(error)
    held = None
    say(said)
else:
    say("done")
"""
add("heap", "1.2 GB of byte strings", _BOMB.format('b"x" * (12 << 20)'), quick=True)
add("arrays", "1.2 GB of numpy arrays", "import numpy\n" + _BOMB.format("numpy.ones(12 << 17)"))
add(
    "private maps",
    "1.2 GB by `mmap`, private, written to",
    "import mmap\ndef some():\n    got = mmap.mmap(-1, 12 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
    "    got.write(b'x' * (12 << 20))\n    return got\n" + _BOMB.format("some()"),
)
add(
    "shared maps",
    "1.2 GB by `mmap`, shared, which no data limit counts",
    "import mmap\ndef some():\n    got = mmap.mmap(-1, 12 << 20)\n    got.write(b'x' * (12 << 20))\n    return got\n"
    + _BOMB.format("some()"),
)
add(
    "memory files",
    "600 MB in `memfd_create`, `memfd_secret` and `/dev/shm`, which no limit of a process counts",
    """
held = []
def filled(number):
    held.append(number)
    for _ in range(50):
        os.write(number, b"x" * (12 << 20))
    hold()
    os.close(number)
def path():
    try:
        filled(os.open("/dev/shm/labrig-attack-file", os.O_CREAT | os.O_RDWR))
    finally:
        os.unlink("/dev/shm/labrig-attack-file")
tried(lambda: filled(syscall("memfd_create", b"x", 0)), path, lambda: syscall("memfd_secret", 0))
""",
)
add(
    "System V and POSIX",
    "shared memory, semaphores and message queues that outlive their process",
    """
key = T["victim_key"] + 1
tried(lambda: syscall("shmget", key, 4096, 0o1600), lambda: syscall("semget", key, 1, 0o1600),
      lambda: syscall("msgget", key, 0o1600),
      lambda: syscall("mq_open", b"labrig-attack-file", 0o102, 0o600, None))
from multiprocessing import shared_memory
tried(lambda: shared_memory.SharedMemory("labrig-attack-file", True, 4096))
os._exit(0)
""",
)
add(
    "page tables",
    "100,000 pages, each in a table of its own",
    """
import mmap
try:
    page = mmap.mmap(-1, 100_000 << 21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
    for number in range(100_000):
        page[number << 21] = 1
    say("done")
    hold()
except (MemoryError, OSError, ValueError, OverflowError) as error:
    say(word(error))
""",
)
add(
    "limits raised",
    "`setrlimit` and `prlimit` to infinity; then 1.2 GB",
    """
import resource
for name in ("AS", "DATA", "NOFILE", "CPU", "FSIZE"):
    kind = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(kind)[1]
    for wanted in (resource.RLIM_INFINITY, hard):
        for change in (resource.setrlimit, lambda kind, value: resource.prlimit(os.getppid(), kind, value)):
            try:
                change(kind, (wanted, wanted))
            except (OSError, ValueError):
                pass
"""
    + _BOMB.format('b"x" * (12 << 20)'),
)
add(
    "descriptors",
    "4,000 pipes and event counters",
    """
held = []
try:
    for _ in range(2000):
        held += os.pipe()
    hold()
except OSError as error:
    for number in held[:10]:
        os.close(number)
    say(word(error))
else:
    say("done")
""",
)
add(
    "compressed bomb",
    "1.2 GB out of a few kilobytes",
    """
import zlib
packer = zlib.compressobj(1, zlib.DEFLATED, -15)
small = (packer.compress(bytes(12 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)) * 100
try:
    zlib.decompressobj(-15).decompress(small)
    say("done")
except MemoryError as error:
    say(word(error))
""",
    limits={"wall_s": 20.0, "cpu_s": 20.0},
)
add(
    "disk",
    "600 MB in files of 20 MB",
    """
try:
    for number in range(30):
        with open(f"file{number}", "wb") as file:
            file.write(b"x" * (20 << 20))
        time.sleep(0.03)
    hold(1)
except OSError as error:
    say(word(error))
else:
    say("done")
""",
    quick=True,
)
add(
    "one large file",
    "300 MB, and a hole of 1 TB",
    """
def large():
    with open("large", "wb") as file:
        for _ in range(300):
            file.write(b"x" * (1 << 20))
def hole():
    with open("hole", "wb") as file:
        file.truncate(1 << 40)
tried(hole, large)
""",
)
add(
    "unlinked files",
    "600 MB in files without a name",
    """
held = []
try:
    for number in range(30):
        held.append(open(f"file{number}", "wb"))
        os.unlink(f"file{number}")
        held[-1].write(b"x" * (20 << 20))
        held[-1].flush()
        time.sleep(0.03)
    hold(1)
except OSError as error:
    say(word(error))
else:
    say("done")
""",
    limits={"wall_s": 12.0},
)
_UNNAMED = """
import mmap, threading
MB20 = b"x" * (20 << 20)
def held_by_a_thread(number):
    # CLOSE_RANGE_UNSHARE: from here on this thread has descriptors of its own, which /proc/PID/fd does not show
    syscall("close_range", 1000, 1000, 2)
    file = open(f"own{number}", "wb")
    os.unlink(f"own{number}")
    file.write(MB20)
    file.flush()
    time.sleep(2)
def mapped(number):
    with open(f"mapped{number}", "w+b") as file:
        os.unlink(f"mapped{number}")
        file.truncate(20 << 20)
        pages = mmap.mmap(file.fileno(), 20 << 20)
    pages[:] = MB20
    return pages
"""
add(
    "files of threads",
    "600 MB in files without a name, each held by a thread that has descriptors of its own",
    _UNNAMED
    + """
said = set()
def start(number):
    try:
        held_by_a_thread(number)
        said.add("done")
    except OSError as error:
        said.add(word(error))
threads = [threading.Thread(target=start, args=(number,)) for number in range(30)]
for each in threads:
    each.start()
    time.sleep(0.03)
for each in threads:
    each.join()
for each in sorted(said): say(each)
""",
    limits={"wall_s": 12.0},
)
add(
    "files behind the first thread",
    "600 MB in files without a name, after the first thread has ended and with it what /proc/PID shows",
    _UNNAMED
    + """
def work():
    held = []
    time.sleep(0.1)
    try:
        for number in range(30):
            held.append(open(f"file{number}", "wb"))
            os.unlink(f"file{number}")
            held[-1].write(MB20)
            held[-1].flush()
            time.sleep(0.03)
        say("done")
        time.sleep(1)
    except OSError as error:
        say(word(error))
    os._exit(0)
threading.Thread(target=work).start()
libc.pthread_exit(None)
""",
    limits={"wall_s": 12.0},
)
add(
    "files mapped alone",
    "600 MB in files that have neither a name nor a descriptor, and are mapped",
    _UNNAMED
    + """
kept = []
try:
    for number in range(30):
        kept.append(mapped(number))
        time.sleep(0.03)
    say("done")
    hold(1)
except OSError as error:
    say(word(error))
""",
    limits={"wall_s": 12.0},
)
add(
    "descriptors of threads",
    "50 threads, each with 75 pipes in descriptors of its own",
    """
import threading
said = set()
def start():
    held = []
    try:
        syscall("close_range", 1000, 1000, 2)
        for _ in range(75):
            held += os.pipe()
        said.add("done")
        time.sleep(1)
    except OSError as error:
        said.add(word(error))
threads = [threading.Thread(target=start) for _ in range(50)]
for each in threads: each.start()
for each in threads: each.join()
for each in sorted(said): say(each)
""",
    limits={"wall_s": 12.0},
)
add(
    "hidden files",
    "600 MB in a folder that even its owner may not list",
    """
os.mkdir("hidden", 0o300)
try:
    for number in range(30):
        with open(f"hidden/file{number}", "wb") as file:
            file.write(b"x" * (20 << 20))
        time.sleep(0.03)
    hold(1)
except OSError as error:
    say(word(error))
else:
    say("done")
""",
    limits={"wall_s": 12.0},
)
_MOVE = """
import itertools, signal, threading
os.mkdir("a0")
folder = os.open("a0", os.O_RDONLY)
def move():
    for number in itertools.count():
        os.rename(f"a{number}", f"a{number + 1}")
threading.Thread(target=move, daemon=True).start()
"""
_FILL = """
try:
    for number in range(30):
        with open(os.open(f"file{number}", os.O_CREAT | os.O_WRONLY, dir_fd=folder), "wb") as file:
            file.write(b"x" * (20 << 20))
        time.sleep(0.03)
    hold(1)
except OSError as error:
    say(word(error))
else:
    say("done")
"""
add(
    "moving files",
    "600 MB in a folder that is renamed all the time, so that whoever looks finds nothing",
    _MOVE + _FILL,
    limits={"wall_s": 12.0},
)
add(
    "moving files, and no stop",
    "the same, with SIGCONT to itself all the time, so that it cannot be stopped to be looked at",
    _MOVE
    + """
def go_on():
    while True:
        try:
            os.kill(os.getpid(), signal.SIGCONT)
        except PermissionError:
            time.sleep(0.01)
threading.Thread(target=go_on, daemon=True).start()
"""
    + _FILL,
    limits={"wall_s": 12.0},
)
add(
    "files that change places",
    "600 MB in files that are moved from folder to folder all the time",
    """
import threading
for name in "abcdefgh":
    os.mkdir(name)
where = {}
def move():
    while True:
        for number, place in list(where.items()):
            to = chr(97 + (ord(place) - 96) % 8)
            os.rename(f"{place}/file{number}", f"{to}/file{number}")
            where[number] = to
threading.Thread(target=move, daemon=True).start()
try:
    for number in range(30):
        with open(f"a/file{number}", "wb") as file:
            where[number] = "a"
            file.write(b"x" * (20 << 20))
        time.sleep(0.03)
    hold(1)
except OSError as error:
    say(word(error))
else:
    say("done")
""",
    limits={"wall_s": 12.0},
)
add(
    "many files",
    "20,000 empty files",
    """
try:
    for number in range(20_000):
        open(f"file{number}", "wb").close()
except OSError as error:
    say(word(error))
else:
    say("done")
""",
    limits={"wall_s": 12.0},
)
add(
    "deep folders",
    "1,500 nested folders, a path far longer than the system allows",
    """
try:
    for number in range(1500):
        os.mkdir("folder")
        os.chdir("folder")
    open("file", "w").write("deep")
except OSError as error:
    say(word(error))
else:
    say("done")
""",
)
add(
    "names and modes",
    "names of line feeds, half surrogates and 255 bytes; folders and files that nobody may open",
    """
for name in (b"line\\nfeed", b"\\xff\\xfe", b"-rf", b"x" * 255, "\\u202e".encode(), b"\\x1b[2J", b"~", b"*"):
    with open(name, "wb") as file:
        file.write(b"odd")
os.umask(0o777)
os.mkdir("closed", 0)
os.close(os.open("shut", os.O_CREAT | os.O_WRONLY, 0))
os.umask(0)
os.mkdir("outer", 0o300)
os.mkdir("outer/inner", 0o300)
open("outer/inner/file", "w").write("x")
say("done")
hold()
""",
)
add(
    "attributes of files",
    "the immutable flag, so that nobody can remove the file",
    """
import fcntl, struct
with open("stays", "w") as file:
    tried(lambda: fcntl.ioctl(file, 0x40086602, struct.pack("l", 0x10)))
""",
)
add(
    "locks on files",
    "300,000 record locks, by `F_OFD_SETLK` in files that are mapped and closed, and by `F_SETLK`",
    """
import fcntl, mmap, struct
maps, errors = [], set()
for number in range(6):
    file = os.open(f"locked-{number}", os.O_CREAT | os.O_RDWR)
    os.ftruncate(file, 4096)
    maps.append(mmap.mmap(file, 4096))
    for byte in range(50_000, 0, -1):
        about = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 2 * byte, 1, 0)
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK if number % 2 else fcntl.F_SETLK, about)
        except OSError as error:
            errors.add(word(error))
            break
    if number % 2: os.close(file)
say(", ".join(sorted(errors)) or "done")
hold()
""",
    quick=True,
)
