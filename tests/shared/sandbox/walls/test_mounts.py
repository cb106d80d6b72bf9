"""A file system of a run's own: bounded by the kernel, seen by nobody else, and gone with its last descriptor."""

from __future__ import annotations

import ast
import errno
import faulthandler
import mmap
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("namespaces are Linux's", allow_module_level=True)

from labrig.isolation.inside import mounts, syscalls
from labrig.sandbox.inside.zygote import unnamed
from support.walled import MIB

PAGE = mmap.PAGESIZE


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="labrig-mounts-", dir="/tmp") as folder:
        if why := mounts.missing(folder):
            pytest.skip(f"no namespaces here: {why}")
        yield Path(folder)


def told(place: Path, act: Callable[[int], object], size: int = MIB, files: int = 10) -> str:
    """Return what a child says that has a file system of its own there, or the signal that ended it."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "?"
        faulthandler.disable()  # pytest's, which would tell of each signal
        try:
            folder, _ = mounts.own(str(place), size, files)
            os.fchdir(folder)
            said = str(act(folder))
        except OSError as error:
            said = errno.errorcode.get(error.errno or 0, "OSError")
        except BaseException as error:
            said = repr(error)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 4000).decode()
    os.close(reading)
    status = os.waitpid(pid, 0)[1]
    return said or signal.Signals(os.WTERMSIG(status)).name


def test_what_is_written_is_seen_inside_alone(place: Path) -> None:
    def act(folder: int) -> object:
        (place / "file").write_text("x")
        return os.listdir(folder), os.getuid(), os.stat("file").st_uid, oct(os.stat(".").st_mode & 0o777)

    assert told(place, act) == str((["file"], os.getuid(), os.getuid(), "0o700"))
    assert os.listdir(place) == []


def test_size_and_number_of_files_are_bounded(place: Path) -> None:
    def large(folder: int) -> None:
        for number in range(40):
            Path(f"file{number}").write_bytes(bytes(100_000))

    def many(folder: int) -> None:
        for number in range(100 + mounts.ROOM):
            Path(f"file{number}").touch()

    def unlinked(folder: int) -> None:
        for number in range(40):
            os.write(os.open(f"file{number}", os.O_CREAT | os.O_RDWR), bytes(100_000))
            os.unlink(f"file{number}")

    def mapped(folder: int) -> None:
        with open("file", "w+b") as file:
            file.truncate(2 * MIB)
            os.unlink("file")
            pages = mmap.mmap(file.fileno(), 2 * MIB)
        for start in range(0, 2 * MIB, PAGE):
            pages[start] = 1

    assert [told(place, act) for act in (large, many, unlinked, mapped)] == ["ENOSPC"] * 3 + ["SIGBUS"]
    assert told(place, lambda folder: Path("file").write_bytes(bytes(MIB))) == str(MIB)


def test_no_right_over_the_machine_comes_with_it(place: Path) -> None:
    def act(folder: int) -> object:
        refused = []
        for name, way in {
            "the host's name": lambda: socket.sethostname(socket.gethostname()),
            "a device": lambda: os.mknod("device", 0o20600, os.makedev(1, 1)),
            "a user": lambda: os.setuid(os.getuid() + 1),
        }.items():
            try:
                way()
            except OSError:
                refused.append(name)
        return refused

    assert told(place, act) == str(["the host's name", "a device", "a user"])


def test_it_lives_as_long_as_a_descriptor(place: Path) -> None:
    """The host reads what a run has left after the run's end, and its memory is free when the host is done."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        folder, _ = mounts.own(str(place), MIB, 10)
        os.fchdir(folder)
        Path("left").write_text("behind")
        socket.send_fds(theirs, [b"."], [folder])
        os._exit(0)
    _, (folder,), _, _ = socket.recv_fds(ours, 1, 1)
    os.waitpid(pid, 0)
    assert os.listdir(folder) == ["left"]
    with os.fdopen(os.open("left", os.O_RDONLY, dir_fd=folder)) as file:
        assert file.read() == "behind"
    os.close(folder)
    ours.close()
    theirs.close()
    place.rmdir()  # nothing is mounted there
    place.mkdir()


@pytest.mark.parametrize("call", ["unshare", "mount"])
def test_where_there_are_no_namespaces_it_says_so(
    call: str, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.setitem(syscalls.NUMBERS, call, (1000, 1000))  # no kernel has so many
    assert mounts.missing(str(place)) == f"[Errno 38] {call}: Function not implemented"


def test_the_looks_find_files_without_names(place: Path) -> None:
    """Where the kernel keeps no limit: what is held open, and what is only mapped."""
    ready, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(place)
        with open("mapped", "w+b") as file:
            file.truncate(MIB)
            pages = mmap.mmap(file.fileno(), MIB)
            pages[:] = b"x" * MIB
        os.unlink("mapped")
        held = os.open("held", os.O_CREAT | os.O_RDWR)
        os.unlink("held")
        os.write(held, b"x" * 2 * MIB)
        os.write(go, b".")
        signal.pause()
    os.read(ready, 1)
    try:
        assert unnamed(pid, str(place)) == 3 * MIB
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(go)


def test_of_all_processes_it_sees_itself_only(place: Path) -> None:
    def seen(_: int) -> object:
        return (
            sorted(os.listdir("/proc")),
            os.path.realpath("/proc/self"),
            os.path.exists(f"/proc/{os.getppid()}"),
        )

    said = told(place, lambda folder: (seen(folder), len(os.listdir("/proc/self/fd")) > 3, os.getpid()))
    (names, itself, other), descriptors, pid = ast.literal_eval(said)
    assert names == [str(pid), "self"] and itself == "/proc/self" and descriptors and not other
    assert Path("/proc/1").exists()
