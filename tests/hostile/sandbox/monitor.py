"""What the processes of a run do, looked at from outside every few milliseconds while it lasts.

Everything is read from ``/proc``; nothing a program says of itself counts. What may not be looked at (a process of
another user, one that hides from its own user) counts as unseen.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections import Counter
from pathlib import Path

from hostile.guard import descendants

PERIOD_S = 0.015
DISK_PERIOD_S = 0.1
LASTING_S = 0.3
"""A number above a limit counts when it lasts so long: the fork server looks every 50 ms, and a kill takes its time."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
HANDLES = (
    "[io_uring]",
    "bpf",
    "[userfaultfd]",
    "[perf_event]",
    "inotify",
    "[fanotify]",
    "[pidfd]",
    "[fscontext]",
)
NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts")
GIVEN = ("user", "mnt")
OWN_MOUNT = "labrig"
LISTS = ("tcp", "tcp6", "udp", "udp6", "raw", "packet", "netlink", "icmp")


class Monitor(threading.Thread):
    """Watch what is new below a process.

    Attributes
    ----------
    processes, descriptors
        The most at one moment.
    threads
        The most that lasted.
    memory, disk
        The most bytes at one moment: pages and page tables; blocks of files in `scratch`, and of unlinked ones.
    seen
        What no run may have: kinds of descriptors and sockets, namespaces, priorities.
    traced
        Who was traced, of the victim and the process itself.
    locks
        The most locks on files that were new on the machine at one moment, as far as they are counted.
    """

    def __init__(self, top: int, scratch: list[Path], victim: int, given: Path) -> None:
        super().__init__(daemon=True)
        self._given_file = f":{given.stat().st_ino} ".encode()
        self.locks, self._locks = 0, _locks().count(b"\n")
        self._top, self._scratch, self._victim = top, scratch, victim
        self._known = set(descendants(top)) | {victim}
        self._end = threading.Event()
        self._shared = _shared_memory()
        self._counts: list[tuple[float, int]] = []
        self._sockets: Counter[tuple[int, str]] = Counter()
        self._disk_next = 0.0
        self._given: dict[tuple[int, str], str] = {}
        self._walled: set[int] = set()
        self.processes = self.descriptors = self.memory = self.disk = self.shared = 0
        self.seen: set[str] = set()
        self.traced: set[str] = set()

    def run(self) -> None:
        """Look until told to stop."""
        while not self._end.wait(PERIOD_S):
            self._look()

    def stop(self) -> None:
        """Look a last time."""
        self._end.set()
        self.join()

    @property
    def threads(self) -> int:
        """The largest number of threads that was there at two looks so far apart."""
        most = 0
        for limit in sorted({count for _, count in self._counts}):
            first = None
            for moment, count in self._counts:
                if count < limit:
                    first = None
                elif first is None:
                    first = moment
                elif moment - first >= LASTING_S:
                    most = limit
        return most

    def _look(self) -> None:
        new = {pid: parent for pid, parent in descendants(self._top).items() if pid not in self._known}
        self.processes = max(self.processes, len(new))
        self.shared = max(self.shared, _shared_memory() - self._shared)
        memory = disk = 0
        for pid, parent in new.items():
            with contextlib.suppress(OSError, KeyError, IndexError):  # it ended in this moment
                memory += self._status(pid)
            with contextlib.suppress(OSError):
                disk += self._held(pid)
            with contextlib.suppress(OSError):
                self._namespaces(pid, parent)
            with contextlib.suppress(OSError):
                disk += _mounted(pid)
        self.memory = max(self.memory, memory)
        if time.monotonic() > self._disk_next:
            self._disk_next = time.monotonic() + DISK_PERIOD_S
            folders = {_identity(folder): folder for folder in self._scratch}
            self.disk = max(self.disk, disk + sum(map(used, folders.values())))
            locks = _locks()
            self.locks = max(self.locks, locks.count(b"\n") - self._locks)
            if self._given_file in locks:
                self.seen.add("a lock on an input")
        for pid, name in ((self._victim, "victim"), (self._top, "host")):
            with contextlib.suppress(OSError):
                if "TracerPid:\t0\n" not in Path(f"/proc/{pid}/status").read_text():
                    self.traced.add(name)

    def _status(self, pid: int) -> int:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        status = {line.partition(":")[0]: line.partition(":")[2].split() for line in lines}
        self._counts.append((time.monotonic(), int(status["Threads"][0])))
        if status["Seccomp"] == ["2"]:
            self._walled.add(pid)
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if int(fields[38]) not in (0, 3) or int(fields[16]) < 0:
            self.seen.add("priority")
        return (int(status["VmRSS"][0]) + int(status["VmPTE"][0])) * 1024

    def _held(self, pid: int) -> int:
        """Look at the open descriptors, each thread's; return the bytes of files that have no name."""
        unnamed: dict[tuple[int, int], int] = {}
        tables: set[tuple[int, str]] = set()
        for task in os.listdir(f"/proc/{pid}/task")[:100]:
            folder = f"/proc/{pid}/task/{task}/fd"
            with contextlib.suppress(OSError):
                numbers = sorted(os.listdir(folder), key=int) or ["none"]
                table = (len(numbers), os.readlink(f"{folder}/{numbers[-1]}"))
                if table in tables:  # nearly always the same one
                    continue
                tables.add(table)
                own = os.readlink(f"{folder}/3") if "3" in numbers else ""
                self._look_at(pid, folder, numbers[:600], own, unnamed)
        self.descriptors = max(self.descriptors, sum(count for count, _ in tables))
        return sum(unnamed.values())

    def _look_at(
        self, pid: int, folder: str, numbers: list[str], own: str, unnamed: dict[tuple[int, int], int]
    ) -> None:
        for number in numbers:
            path = f"{folder}/{number}"
            with contextlib.suppress(OSError):
                target = os.readlink(path)
                if target.startswith(("/dev/", "/proc/", "/sys/", "/memfd:", "anon_inode:", "mnt:", "user:")):
                    self._handle(target)
                elif target.startswith("socket:") and target != own:
                    self._sockets[pid, target] += 1
                    # A fork holds those of its parent until its walls are up, which takes a while on a busy machine.
                    if self._sockets[pid, target] > (3 if pid in self._walled else 100):
                        self._socket(pid, target)
                elif target.endswith(" (deleted)"):
                    about = os.stat(path)
                    if stat.S_ISREG(about.st_mode):
                        unnamed[about.st_dev, about.st_ino] = about.st_blocks * 512

    def _handle(self, target: str) -> None:
        if target.startswith("anon_inode:"):
            self.seen.update(kind.strip("[]") for kind in HANDLES if kind in target)
        elif target.startswith("/memfd:"):
            self.seen.add("memfd")
        elif target.startswith(("mnt:", "user:", "/sys/", "/proc/sys", "/proc/kcore", "/proc/kmsg")):
            self.seen.add(target.split(":")[0])
        elif target.startswith("/dev/") and target not in DEVICES and not target.startswith("/dev/shm/"):
            self.seen.add(target)

    def _socket(self, pid: int, target: str) -> None:
        inode = target[8:-1]
        for name in LISTS:
            with contextlib.suppress(OSError):
                if any(
                    inode in line.split() for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()
                ):
                    self.seen.add(f"{name} socket")
                    return
        try:
            lines = Path(f"/proc/{pid}/net/unix").read_text().splitlines()
        except OSError:  # it ended in this moment
            return
        for line in lines:
            words = line.split()
            if inode in words:
                if len(words) > 7:
                    self.seen.add("unix socket with a name")
                return
        self.seen.add("socket of another family")

    def _namespaces(self, pid: int, parent: int) -> None:
        for name in NAMESPACES:
            own = os.readlink(f"/proc/{pid}/ns/{name}")
            if own == os.readlink(f"/proc/{parent}/ns/{name}"):
                continue
            # A run has one of each of these two from its beginning, for its own file system; another is its own doing.
            if name not in GIVEN or self._given.setdefault((pid, name), own) != own:
                self.seen.add(f"{name} namespace")


def _mounted(pid: int) -> int:
    """Return the bytes in file systems in memory that a process has of its own."""
    total = 0
    for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
        words, _, more = line.partition(" - ")
        if more.split()[:2] == ["tmpfs", OWN_MOUNT]:
            about = os.statvfs(f"/proc/{pid}/root{words.split()[4]}")
            total += (about.f_blocks - about.f_bfree) * about.f_frsize
    return total


def _identity(folder: Path) -> tuple[int, int]:
    """Return what tells a folder from others: two processes may show the same one."""
    try:
        about = folder.stat()
    except OSError:
        return (0, 0)
    return (about.st_dev, about.st_ino)


def used(folder: Path, limit: int = 6_000) -> int:
    """Return the bytes on disk below a folder, of at most so many files."""
    total, left, pending = 0, limit, [str(folder)]
    while pending and left:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                left -= 1
                if left <= 0:
                    return total
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


def _shared_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("Shmem:"):
            return int(line.split()[1]) * 1024
    return 0


def _locks() -> bytes:
    """Return the first 20,000 or so of all locks on files."""
    with Path("/proc/locks").open("rb", buffering=1 << 20) as file:
        return file.read(1 << 20)


def until_gone(top: int, known: set[int], seconds: float) -> list[int]:
    """Wait for what is new below a process to end; return what has not."""
    deadline = time.monotonic() + seconds
    while left := sorted(set(descendants(top)) - known):
        if time.monotonic() > deadline:
            return left
        time.sleep(0.02)
    return []
