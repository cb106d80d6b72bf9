"""The sandbox's fork server: it imports the science packages once, and forks one confined child per run.

See `labrig.isolation.inside.forking` for the control socket. Its first line configures it (`Zygote`); it answers
``ready`` with the scratch folder's descriptor. A request ``{"op": "run", "id", "scratch", "inputs", "limits"}`` carries
the descriptors of the run's socket, of its standard output and standard error, and of so many inputs. What the inputs
are called comes on the run's own socket (`given_with`): what this process has read is in the memory of every later run.

A run's scratch folder is a file system of its own (`labrig.isolation.inside.mounts`), a descriptor of which comes with
``started``. Every `TICK_S` it looks at each run: the number of threads, which has no limit in the kernel that also
binds root, and where there is no such file system what lies in the folder. One in which things move while it is looked
at is looked at again with the child stopped. When the control socket closes, the scratch folder is emptied; a child
whose fork server is killed is ended by the kernel (PR_SET_PDEATHSIG).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from labrig.isolation.inside import forking, limits, mounts
from labrig.isolation.inside.walls import WallError, Walls

from . import cell, tree

TICK_S = 0.05
SOCKET_FD = 3
"""Where a child finds its socket; 0, 1 and 2 are what they always are."""
EXACT_EVERY = 10
"""Of so many looks at a scratch folder that is not empty, one is with the child stopped in any case."""
MAX_ENTRIES = 5_000
MAX_DEPTH = 64
WALL_FAILED = 70
MAX_DESCRIPTORS = 160
"""Open files of a child; xarray keeps 128 open."""
MADV_COLLAPSE = 25  # linux/mman.h
LARGE_PAGE = 1 << 21
IN_MEMORY = 1 << 30
"""A scratch folder up to this size is a file system in memory; a larger one lies on disk, and is looked at."""


class Run(forking.Run):
    """One child, where its files are, and what it may use."""

    def __init__(
        self, number: int, pid: int, scratch: str, limits: dict[str, Any], gives: Sequence[int]
    ) -> None:
        super().__init__(number, pid, time.monotonic() + limits["wall_s"], gives)
        self.scratch = scratch
        self.limits = limits
        self.cpu_until = float("inf")
        self.looks = 0
        self.next_look = 0.0
        self.stopping = False

    def go(self, now: float, wall_s: float, cpu_s: float) -> None:
        """Let a child that was paused go on; what it has used before does not count."""
        self.cpu_until = forking.used(self.pid)[0] + cpu_s
        super().go(now, wall_s, cpu_s)

    def go_on(self, now: float) -> None:
        """Let it go on, unless it is to be looked at while it stands."""
        super().go_on(now)
        if self.stopping:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGSTOP)

    def watch(self, scratch_root: str) -> None:
        """Kill the child where it uses more than it may of what the kernel does not limit; "" for no look at files."""
        now = time.monotonic()
        if self.paused:
            return
        if self.stopping:
            if has_stopped(self.pid):
                self._look(scratch_root)
                self.stopping = False
                if self.left_s is None:
                    os.kill(self.pid, signal.SIGCONT)
        elif now >= self.next_look:
            self.next_look = now + TICK_S
            if forking.threads(self.pid) > self.limits["threads"]:
                self.kill("thread_limit")
            elif self.cpu_until < float("inf") and forking.used(self.pid)[0] > self.cpu_until:
                self.kill("cpu_limit")
            elif scratch_root and not self._look(scratch_root) and sys.platform == "linux":
                self.stopping = True  # the kernel tells when it has, with SIGCHLD
                os.kill(self.pid, signal.SIGSTOP)

    def _look(self, scratch_root: str) -> bool:
        """Kill the child where its files take too much; return whether this look will do."""
        used = Used()
        folder = os.path.join(scratch_root, self.scratch)  # noqa: PTH118
        used.below(folder)
        used.blocks += unnamed(self.pid, folder)
        if used.blocks > self.limits["scratch_bytes"] or used.without_end:
            self.kill("scratch_limit")
            return True
        self.looks += bool(used.entries)
        return used.steady and not (used.entries and self.looks % EXACT_EVERY == 0)


def has_stopped(pid: int) -> bool:
    """Tell whether a child has stopped, with all its threads."""
    try:
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return False


def unnamed(pid: int, folder: str) -> int:
    """Return the bytes in files of a folder that a process holds open or mapped, and that have no name any more.

    Each thread is looked at: the first one may have ended, and with it what ``/proc/PID`` itself shows.
    """
    found: dict[tuple[int, int], int] = {}
    mapped: dict[tuple[int, int], int] = {}
    device = 0
    with contextlib.suppress(OSError):
        device = os.stat(folder).st_dev  # noqa: PTH116
    tasks: list[str] = []
    with contextlib.suppress(OSError):
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    for task in tasks:
        held = f"/proc/{pid}/task/{task}/fd"
        with contextlib.suppress(OSError):
            for name in os.listdir(held):  # noqa: PTH208
                with contextlib.suppress(OSError):
                    about = os.stat(f"{held}/{name}")  # noqa: PTH116
                    if stat.S_ISREG(about.st_mode) and not about.st_nlink:
                        found[about.st_dev, about.st_ino] = about.st_blocks * 512
        if not mapped:
            mapped = _mapped(f"/proc/{pid}/task/{task}/maps")
    # Of a file that is mapped alone, what is mapped may be more than what it holds: rather too much than nothing.
    more = {key: size for key, size in mapped.items() if key[0] == device and key not in found}
    return sum(found.values()) + sum(more.values())


def _mapped(path: str) -> dict[tuple[int, int], int]:
    """Return the bytes that are mapped of each file without a name, by device and inode."""
    sizes: dict[tuple[int, int], int] = {}
    with contextlib.suppress(OSError), open(path, "rb") as file:  # noqa: PTH123
        for line in file:
            if not line.endswith(b" (deleted)\n"):
                continue
            where, _, _, device, inode = line.split()[:5]
            start, end = (int(each, 16) for each in where.split(b"-"))
            major, minor = (int(each, 16) for each in device.split(b":"))
            key = (os.makedev(major, minor), int(inode))
            sizes[key] = sizes.get(key, 0) + end - start
    return sizes


class Used:
    """What lies in a folder: bytes on disk, number of entries.

    Attributes
    ----------
    without_end
        More entries or deeper folders than a run may leave, or a folder that may not be listed.
    steady
        Nothing went away while it was looked at.
    """

    def __init__(self) -> None:
        self.blocks = self.entries = 0
        self.without_end = False
        self.steady = True

    def below(self, folder: str) -> None:
        pending = [(folder, 0)]
        while pending and not self.without_end:
            path, depth = pending.pop()
            try:
                with os.scandir(path) as found:
                    for entry in found:
                        self.entries += 1
                        if entry.is_dir(follow_symlinks=False):
                            pending.append((entry.path, depth + 1))
                        else:
                            self.blocks += entry.stat(follow_symlinks=False).st_blocks * 512
                        if self.entries > MAX_ENTRIES or depth >= MAX_DEPTH:
                            self.without_end = True
                            return
            except PermissionError:  # made without rights, to be out of sight
                self.without_end = True
            except OSError:  # it went away meanwhile
                self.steady = False


class Zygote(forking.ForkServer[Run]):
    """The fork server, with the packages imported and the walls prepared."""

    tick_s = TICK_S

    def __init__(self, control: socket.socket) -> None:
        self.config = forking.configuration(control)
        self.scratch_root: str = self.config["scratch"]
        self.scratch = os.open(self.scratch_root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        with self._drawing_settings(self.config["mplconfig"]):
            imported = self._import(self.config["imports"], self.config["cold"])
        self.walls = Walls(
            self.config["walls"],
            self.config["readable"],
            self.config["listable"],
            self.config["landlock_abi"],
        )
        cell.prepare()
        self.unmounted = self._why_unmounted()
        self.unshown = self.unmounted or self._why_unmounted(os.path.dirname(__file__))  # noqa: PTH120
        super().__init__(control)
        # What was imported is never collected: a collection in a child would copy every page that it shares.
        gc.collect()
        gc.freeze()
        use_large_pages()
        ready = {
            "event": "ready",
            "imported": imported,
            "unmounted": self.unmounted,
            "unshown": self.unshown,
        }
        socket.send_fds(self.control, [json.dumps(ready).encode() + b"\n"], [self.scratch])

    @contextlib.contextmanager
    def _drawing_settings(self, made: str) -> Iterator[None]:
        """Give matplotlib its list of fonts in a folder that can be written: another it does not read."""
        folder = os.path.join(self.scratch_root, "matplotlib")  # noqa: PTH118
        shutil.copytree(made, folder)
        os.environ["MPLCONFIGDIR"] = folder
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]
            tree.clear(self.scratch)

    def _import(self, names: list[str], cold: list[str]) -> dict[str, str]:
        """Import what the children are to find warm, and not `cold`; return the versions of the top packages.

        pandas looks for pyarrow when it is imported and, not finding it, asks again when it reads Parquet.
        """
        sys.modules.update(dict.fromkeys(cold))  # type: ignore[arg-type]  # None: import says that there is none
        gc.disable()  # an eighth of the time, and what is imported stays
        for name in names:
            importlib.import_module(name)
        gc.enable()
        for name in cold:
            del sys.modules[name]
        tops = dict.fromkeys(name.partition(".")[0] for name in names)
        return {
            name: str(sys.modules[name].__version__) for name in tops if name not in sys.stdlib_module_names
        }

    def serve(self) -> None:
        """Work until the control socket closes, and leave the scratch folder empty."""
        try:
            super().serve()
        finally:
            tree.clear(self.scratch)

    def brings(self, request: dict[str, Any]) -> int:
        """Return how many descriptors a request comes with: socket, output, errors, inputs."""
        return 3 + int(request["inputs"])

    def start(self, request: dict[str, Any], received: Sequence[int]) -> Run:
        """Fork the child of a run."""
        os.mkdir(request["scratch"], 0o700, dir_fd=self.scratch)
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                parent = os.getpid()
                pid = os.fork()
                if pid == 0:
                    ours.close()
                    self._child(parent, request, received, theirs)
            _, folders, _, _ = socket.recv_fds(ours, 1, 1)  # none where the child has none of its own
        return Run(request["id"], pid, request["scratch"], request["limits"], folders)

    def look(self, run: Run) -> None:
        """Look at the threads and, where the kernel keeps no limit of them, at the files of a run."""
        run.watch("" if self._mounted(run.limits) else self.scratch_root)

    def last_of(self, run: Run) -> dict[str, Any]:
        """End what a run left behind in its group, where it may start processes."""
        if "seccomp" not in self.config["walls"]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(run.pid, signal.SIGKILL)
        return {}

    def _why_unmounted(self, lower: str = "") -> str:
        """Return why a run's folder is no file system of its own, or not over another one; or an empty text."""
        if not self.config["mounted"]:
            return "it was not asked for"
        os.mkdir("trial", 0o700, dir_fd=self.scratch)
        try:
            return mounts.missing(os.path.join(self.scratch_root, "trial"), lower)  # noqa: PTH118
        finally:
            os.rmdir("trial", dir_fd=self.scratch)

    def _mounted(self, limits: dict[str, Any]) -> bool:
        """Whether a run's folder is a file system of its own."""
        return not self.unmounted and limits["scratch_bytes"] <= IN_MEMORY

    def _folder(self, request: dict[str, Any], given: dict[str, Any]) -> tuple[int, int]:
        """Return descriptors of this run's folder, with links to its inputs in it, and of what it writes there."""
        name, allowed = request["scratch"], request["limits"]
        if not self._mounted(allowed):
            if given["folder"]:
                raise OSError(errno.EFBIG, "only a run whose files stay in memory can stand in a folder")
            folder = written = os.open(name, mounts.FOLDER, dir_fd=self.scratch)
        else:
            place = os.path.join(self.scratch_root, name)  # noqa: PTH118
            folder, written = mounts.own(place, allowed["scratch_bytes"], MAX_ENTRIES, **given["folder"])
        if given["area"]:
            with contextlib.suppress(FileExistsError):  # the folder has one of this name
                os.symlink(given["area"], "inputs", dir_fd=folder)
        elif given["links"]:
            with contextlib.suppress(FileExistsError):
                os.mkdir("inputs", 0o700, dir_fd=folder)
        for link, target in given["links"].items():
            os.symlink(target, f"inputs/{link}", dir_fd=folder)
        return folder, written

    def _child(
        self, parent: int, request: dict[str, Any], received: Sequence[int], giving: socket.socket
    ) -> None:
        """Become the run; never return."""
        try:
            forking.become_child()
            self.runs.clear()  # those beside this one
            forking.die_with(parent, WALL_FAILED)
            own_wire, out, err, *inputs = received
            null = os.open(os.devnull, os.O_RDONLY)
            for descriptor, place in zip((null, out, err, own_wire), (0, 1, 2, SOCKET_FD), strict=True):
                os.dup2(descriptor, place)
            wire = socket.socket(fileno=SOCKET_FD)
            given = given_with(wire)
            try:
                folder, written = self._folder(request, given)
            except OSError as error:
                _end_without(wire, f"the scratch folder cannot be made: {error.strerror or error}")
            os.fchdir(folder)
            if self._mounted(request["limits"]):
                socket.send_fds(giving, [b"."], [written])
            giving.close()  # the fork server waits for it
            home = os.getcwd()  # noqa: PTH109
            os.environ.update(HOME=home, TMPDIR=home)
            highest = highest_descriptor()
            try:
                self.walls.put_up(lambda: limits_of(request["limits"]), writable=folder, inputs=inputs)
            except WallError as error:
                _end_without(wire, str(error))
            os.closerange(SOCKET_FD + 1, highest + 1)
            cell.run(wire, beside=bool(given["folder"]))
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(WALL_FAILED)


def given_with(wire: socket.socket) -> dict[str, Any]:
    """Read what a run's socket brings first: where its inputs are, and the folder it stands in, after their length."""

    size = forking.exactly(wire.fileno(), 4)
    text = forking.exactly(wire.fileno(), int.from_bytes(size, "big")) if size is not None else None
    if text is None:
        os._exit(WALL_FAILED)  # the host has gone
    given: dict[str, Any] = json.loads(text)
    return given


def _end_without(wire: socket.socket, why: str) -> NoReturn:
    """End before the code was run, and say which protection is missing."""
    wire.sendall(json.dumps({"wall": why}).encode() + b"\n")
    os._exit(WALL_FAILED)


def limits_of(allowed: dict[str, Any]) -> dict[int, tuple[int, int]]:
    """Return the limits of this process as a run, by ``resource.RLIMIT_*``."""
    return limits.table(
        *limits.sizes(),
        memory_bytes=allowed["memory_bytes"],
        cpu_s=allowed["cpu_s"],
        file_bytes=allowed["file_bytes"],
        descriptors=MAX_DESCRIPTORS,
    )


def use_large_pages() -> None:
    """Move what the imports have allocated to pages of 2 MB, where the kernel can (Linux 6.1).

    A fork copies the table of pages, and a child that changes one pays for each: with large ones a run takes about
    two thirds of the time.
    """
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8") as file:  # noqa: PTH123
        for line in file.read().splitlines():
            where, access = line.split()[:2]
            if access == "rw-p":
                start, end = (int(each, 16) // LARGE_PAGE for each in where.split("-"))
                for page in range(start + 1, end):
                    madvise(page * LARGE_PAGE, LARGE_PAGE, MADV_COLLAPSE)


def highest_descriptor() -> int:
    """Return a number that no open descriptor is above."""
    try:
        return max(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208
    except OSError:
        return os.sysconf("SC_OPEN_MAX")


def main() -> None:
    """``DESCRIPTOR``: the control socket's number."""
    descriptor = int(sys.argv[1])
    sys.argv[:] = [""]
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.partition(".")[0] == "labrig"]:
        del sys.modules[name]  # the code finds nothing of ours by name
    control = socket.socket(fileno=fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10))
    os.close(descriptor)
    # Taken now, so that nothing that must stay gets this number.
    os.dup2(os.open(os.devnull, os.O_RDWR), SOCKET_FD)
    Zygote(control).serve()
