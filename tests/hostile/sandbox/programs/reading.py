"""What a program would read: files of the machine, of the user, of the project, by every detour."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Files it would read")

add(
    "password file",
    "`/etc/passwd`, `shadow`, `machine-id`",
    """
tried(*[lambda path=path: read(path) for path in ("/etc/passwd", "/etc/shadow", "/etc/machine-id")])
""",
    quick=True,
)
add(
    "home",
    "a private key in the home of the user, straight and by a walk of the tree",
    """
tried(lambda: read(T["home"] + "/.ssh/id_rsa"), lambda: read("/root/.ssh/id_rsa"))
for top, _, names in os.walk(T["home"]):
    for name in names:
        tried(lambda: read(os.path.join(top, name)))
""",
)
add(
    "names",
    "a file name that is a secret: `listdir`, `scandir`, `glob`, `getdents` of an `O_PATH` descriptor",
    """
import glob
def by_descriptor():
    return os.listdir(os.open(T["outside"], os.O_PATH))
tried(lambda: os.listdir(T["outside"]), lambda: [e.name for e in os.scandir(T["outside"])], by_descriptor)
print(glob.glob(T["outside"] + "/*"))
""",
)
add(
    "ground truth",
    "`import labrig`, its source in the project, files of LABRIG_HOME",
    """
sys.path[:0] = [T["project"] + "/" + each for each in ("shared", "servers", "clients", "")]
def imported(name):
    module = __import__(name)
    return read(os.path.dirname(module.__file__) + "/errors.py")
tried(lambda: imported("labrig"), lambda: imported("labrig_harness"),
      lambda: read(T["project"] + "/shared/labrig/errors.py"), lambda: read(T["labrig_home"] + "/truths.json"))
""",
    quick=True,
)
add(
    "packages of the base Python",
    "a module in the `site-packages` beside the standard library",
    """
tried(lambda: read(T["base_package"]))
""",
)
add(
    "beside an input",
    "the neighbour of an input: through its link, its descriptor, `..`, `/proc/self/fd`",
    """
name = "inputs/data.csv"
real = os.path.realpath(name)
descriptor = os.open(name, os.O_RDONLY)
by_number = os.readlink(f"/proc/self/fd/{descriptor}") if os.path.exists("/proc/self/fd") else "/nowhere/x"
tried(lambda: read(os.path.dirname(real) + "/neighbour.txt"), lambda: read(name + "/../neighbour.txt"),
      lambda: read(os.path.dirname(by_number) + "/neighbour.txt"),
      lambda: read(f"/proc/self/fd/{descriptor}/../neighbour.txt"),
      lambda: os.open("../neighbour.txt", os.O_RDONLY, dir_fd=descriptor),
      lambda: read(T["beside_input"] + "/neighbour.txt"))
""",
)
add(
    "above an input folder",
    "`..` out of a folder given as input, up to the root of the machine, which no namespace hides; a link in it",
    """
folder = os.open("inputs/folder", os.O_RDONLY)
def up(path):
    return os.read(os.open(path, os.O_RDONLY, dir_fd=folder), 1000)
def walked():
    os.chdir("inputs/folder")
    os.chdir("..")
    return os.listdir("."), read("neighbour.txt")
here = os.getcwd()
tried(lambda: read("inputs/folder/link"), lambda: up("../neighbour.txt"),
      lambda: read("inputs/folder/../neighbour.txt"),
      lambda: up("../" * 30 + "etc/passwd"), lambda: os.listdir(os.open("..", os.O_RDONLY, dir_fd=folder)),
      lambda: os.rename("labrig", "x", src_dir_fd=folder), lambda: os.mkdir("labrig-attack-file", dir_fd=folder),
      lambda: os.unlink("plain.txt", dir_fd=folder), walked)
os.chdir(here)
print(read("inputs/folder/plain.txt"))
""",
    quick=True,
)
add(
    "/proc of others",
    "`root`, `cwd`, `fd`, `environ`, `maps` and `mem` of the victim, the host, the parent and every other process",
    """
def look(pid):
    for path in (f"/proc/{pid}/root{T['home']}/.ssh/id_rsa", f"/proc/{pid}/cwd/secret.txt", f"/proc/{pid}/environ",
                 f"/proc/{pid}/fd/{T['victim_descriptor']}"):
        try:
            print(read(path))
        except OSError as error:
            yield word(error)
        else:
            yield "done"
pids = [T["victim"], T["host"], os.getppid(), 1, "self", "thread-self"]
try:
    pids += [each for each in os.listdir("/proc") if each.isdigit()]
except OSError as error:
    say(word(error))
for each in sorted({each for pid in pids for each in look(pid)} - {"ENOENT"}):
    say(each)
""",
    quick=True,
)
add(
    "detours of a path",
    "`chdir`, `fchdir`, `O_PATH` and its reopening, `openat2`, a link made in the own folder, `/proc/self/root`",
    """
secret = T["outside"] + "/secret.txt"
def changed():
    os.chdir(T["outside"])
    return read("secret.txt")
def by_descriptor():
    os.fchdir(os.open(T["outside"], os.O_PATH))
    return read("secret.txt")
def reopened():
    return read(f"/proc/self/fd/{os.open(secret, os.O_PATH)}")
def linked():
    os.symlink(secret, "link")
    return read("link")
def how():
    number = syscall("openat2", -100, secret.encode(), (ctypes.c_uint64 * 3)(0, 0, 0), 24)
    return os.read(number, 100)
here = os.getcwd()
tried(changed)
os.chdir(here)
tried(by_descriptor)
try:
    os.chdir(here)
except OSError:
    pass
tried(reopened, linked, how, lambda: read("/proc/self/root" + secret))
""",
)
add(
    "libraries that read",
    "numpy, pandas, mmap, sqlite3, importlib, ctypes and tokenize opening a file by its name",
    """
import importlib.util, linecache, mmap, sqlite3, tokenize
import numpy, pandas
secret = T["outside"] + "/secret.txt"
def module():
    found = importlib.util.spec_from_file_location("stolen", T["outside"] + "/module.py")
    found.loader.exec_module(importlib.util.module_from_spec(found))
def attached():
    return sqlite3.connect(f"file:{secret}?mode=ro", uri=True).execute("select * from sqlite_master").fetchall()
tried(lambda: bytes(numpy.fromfile(secret, numpy.uint8)), lambda: numpy.memmap(secret, numpy.uint8, "r").tobytes(),
      lambda: pandas.read_csv("file://" + secret, header=None), module, attached,
      lambda: tokenize.open(secret).read(), lambda: ctypes.CDLL(secret))
print(linecache.getlines(secret))
""",
)
add(
    "file handles",
    "`name_to_handle_at` and `open_by_handle_at`, which pass by every path",
    """
handle = (ctypes.c_char * 136)()
ctypes.memmove(handle, (128).to_bytes(4, sys.byteorder), 4)
mount = ctypes.c_int()
def opened():
    syscall("name_to_handle_at", -100, (T["outside"] + "/secret.txt").encode(), handle, ctypes.byref(mount), 0)
    return os.read(syscall("open_by_handle_at", os.open("/", os.O_RDONLY), handle, 0), 100)
tried(opened)
""",
)
add(
    "devices",
    "the disk, memory, the kernel's log, the terminal",
    """
tried(*[lambda path=path: os.open(path, os.O_RDONLY) for path in
        ("/dev/mem", "/dev/kmsg", "/dev/port", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/tty", "/dev/ptmx",
         "/proc/kmsg", "/proc/kcore", "/sys/kernel/notes")])
hold()
""",
)
add(
    "exec of a reader",
    "`execve`, the loader, and `execveat`, in place: `/bin/cat` of a secret",
    """
secret = T["outside"] + "/secret.txt"
sys.stdout.flush()
def at():
    words = (ctypes.c_char_p * 3)(b"cat", secret.encode(), None)
    return syscall("execveat", os.open("/bin/cat", os.O_PATH), b"", words, None, 0x1000)
tried(at, lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", "/bin/cat", secret]),
      lambda: os.execv("/bin/cat", ["cat", secret]))
""",
)
