"""What a program would change: files elsewhere, inputs, and what the next call imports."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Files it would change")

add(
    "create",
    "a file in the home, the project, `/`, `/tmp`, `/var/tmp`, `/dev/shm`, beside its own folder",
    """
def put(folder):
    with open(folder + "/labrig-attack-file", "w") as file:
        file.write("here")
tried(*[lambda folder=folder: put(folder) for folder in
        (T["home"], T["outside"], T["project"], "", "/tmp", "/var/tmp", "/dev/shm", "..", T["cwd"], "/etc")])
""",
    quick=True,
)
add(
    "overwrite",
    "write, append, rename over, unlink, remove the folder",
    """
secret, key = T["outside"] + "/secret.txt", T["home"] + "/.ssh/id_rsa"
open("mine", "w").write("mine")
tried(lambda: open(secret, "r+").write("x"), lambda: open(secret, "a").write("x"),
      lambda: os.rename("mine", T["outside"] + "/plain.txt"), lambda: os.rename(key, "stolen"),
      lambda: os.unlink(secret),
      lambda: os.rmdir(T["home"] + "/labrig"), lambda: os.mkdir(T["home"] + "/made"))
""",
)
add(
    "truncate",
    "`truncate()` and `open(O_RDONLY | O_TRUNC)`, which Landlock's first versions do not see, on a readable file too",
    """
def cut(path):
    return syscall("truncate", path.encode(), 0)
tried(*[lambda path=path, way=way: way(path) for path in (T["planted"], T["outside"] + "/secret.txt")
        for way in (cut, lambda path: os.open(path, os.O_RDONLY | os.O_TRUNC))])
""",
    quick=True,
)
add(
    "mode, owner, times, attributes",
    "`chmod`, `chown`, `utime`, `setxattr`, by path and by descriptor",
    """
secret = T["outside"] + "/secret.txt"
def path():
    return os.open(secret, os.O_PATH)
tried(lambda: os.chmod(secret, 0o777), lambda: os.chown(secret, os.getuid(), os.getgid()),
      lambda: os.utime(secret, (1, 1)),
      lambda: syscall("setxattr", secret.encode(), b"user.mark", b"x", 1, 0),
      lambda: syscall("fchmodat", -100, secret.encode(), 0o777),
      lambda: syscall("fchownat", path(), b"", os.getuid(), os.getgid(), 0x1000),
      lambda: os.utime(T["home"], (1, 1)), lambda: os.chmod(T["planted"], 0o755))
""",
)
add(
    "links",
    "hard and symbolic links, a pipe and a device, in the own folder, where they would be collected, and outside",
    """
secret = T["outside"] + "/secret.txt"
os.mkdir("folder")
tried(lambda: os.link(secret, "hard.txt"), lambda: os.symlink(secret, "soft.txt"),
      lambda: os.symlink(T["outside"], "folder/soft"), lambda: os.mkfifo("fifo"),
      lambda: os.mknod("device", 0o20666, 0x105),
      lambda: os.symlink("/etc/passwd", T["outside"] + "/soft"), lambda: os.rename(secret, "moved.txt"),
      lambda: syscall("linkat", os.open(secret, os.O_PATH), b"", -100, b"by-descriptor.txt", 0x1000))
""",
    quick=True,
)
add(
    "the own folder replaced",
    "the scratch folder moved away, and a link to the home in its place",
    """
here = os.getcwd()
def replaced():
    os.rename(here, here + "-moved")
    os.symlink(T["home"], here)
def exchanged():
    return syscall("renameat2", -100, here.encode(), -100, T["home"].encode(), 2)
tried(exchanged, replaced)
""",
)
add(
    "an input changed",
    "an input reopened for writing, truncated, and its mode and times changed through the read-only descriptor",
    """
name = "inputs/data.csv"
number = os.open(name, os.O_RDONLY)
tried(lambda: open(name, "r+").write("9"), lambda: open(f"/proc/self/fd/{number}", "r+").write("9"),
      lambda: os.ftruncate(number, 0), lambda: os.fchmod(number, 0o777), lambda: os.utime(number, (1, 1)),
      lambda: os.setxattr(number, "user.mark", b"x"), lambda: os.write(number, b"9"),
      lambda: os.truncate(name, 0))
""",
)
add(
    "an input's link moved",
    "the link to an input moved to where results are collected, which name a descriptor of whoever follows it",
    """
def moved():
    for number in range(12):
        try:
            os.symlink(f"/proc/self/fd/{number}", f"result{number}.csv")
        except OSError as error:
            say(word(error))
            break
    os.rename("inputs/data.csv", "result.csv")
    os.rename("inputs", "elsewhere")
tried(moved)
""",
    control=False,
)
add(
    "site-packages",
    "`.pth`, `sitecustomize` and `usercustomize` in every folder that a Python looks into",
    """
import site
text = f"print({T['mark']!r})"
def put(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
user = os.path.join(os.path.expanduser("~"), ".local/lib/python%d.%d/site-packages" % sys.version_info[:2])
home = T["home"] + user[len(os.path.expanduser("~")):]
for folder in dict.fromkeys((T["packages"], user, home, *sys.path[1:])):
    if "dist-packages" not in folder and not folder.endswith(".zip"):
        tried(lambda: put(folder, "labrig-attack-file.pth", "import sys; " + text),
              lambda: put(folder, "usercustomize.py", text) if ".local" in folder else None)
""",
    then="import subprocess\nprint(1)",
)
add(
    "bytecode",
    "poisoned bytecode, and a changed source, of a module that the next call imports; both files anyone may write",
    """
import importlib.util
source = T["planted"]
cache = importlib.util.cache_from_source(source)
code = compile(f"value = {T['mark']!r}", source, "exec")
import marshal
poison = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + b"\\0" * 8 + marshal.dumps(code)
def put(path, data):
    with open(path, "r+b") as file:
        file.write(data)
tried(lambda: put(cache, poison), lambda: put(source, f"value = {T['mark']!r}  #".encode()))
""",
    then="""
sys.path.append(os.path.dirname(T["planted"]))
import labrig_attack_target
print(labrig_attack_target.value)
""",
)
add(
    "an input locked",
    "a read lock by `flock`, `F_SETLK` and `F_OFD_SETLK`, which keeps the host from writing",
    """
import fcntl, struct
number = os.open("inputs/data.csv", os.O_RDONLY)
about = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
tried(lambda: fcntl.fcntl(number, fcntl.F_OFD_SETLK, about), lambda: fcntl.fcntl(number, fcntl.F_SETLK, about),
      lambda: fcntl.flock(number, fcntl.LOCK_SH))
hold(0.4)
""",
)
