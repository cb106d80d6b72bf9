"""What works behind the walls around one run, its limits, the state of a confined process, and walls that fail."""

from __future__ import annotations

import asyncio
import concurrent.futures.thread  # noqa: F401 - behind its walls a child could not import it
import contextlib
import ctypes
import fcntl
import mmap
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from labrig.isolation.inside import limits, syscalls, walls
from support.walled import ALL, MIB, End, Inputs, Place, WallError, Walls, allowed, child, read, write


def files() -> object:
    Path("a").write_text("a")
    os.mkdir("d")
    shutil.move("a", "d/a")
    assert os.listdir("d") == ["a"]
    shutil.copy("d/a", "b")
    shutil.copy2("../readable/data", "c")
    shutil.copytree("d", "e")
    Path("t").touch()
    Path("t").touch()
    os.rename("b", "b2")
    with open("b2", "r+") as file:
        file.truncate(0)
    shutil.rmtree("e")
    with tempfile.TemporaryFile(dir=".") as file, tempfile.NamedTemporaryFile(dir="."):
        file.write(b"x")
    database = sqlite3.connect("base")
    database.execute("create table t (x)")
    database.commit()
    database.close()
    return sorted(path.name for path in Path().rglob("*"))


def reads() -> object:
    with open(os.devnull, "w") as null:
        null.write("lost")
    assert any("libc" in line for line in read("/proc/self/maps").splitlines())
    assert os.stat("../outside/secret").st_size > 0  # metadata is not hidden by Landlock
    by_number = [
        read(f"/proc/self/fd/{Inputs.table}"),
        read(f"/proc/self/fd/{Inputs.folder}/table"),
    ]
    return [
        read("../readable/data"),
        os.listdir("../listable"),
        os.listdir("../listable/sub"),
        *by_number,
    ]


def many_threads() -> object:
    threading.stack_size(256 * 1024)
    done = []
    threads = [threading.Thread(target=lambda n=n: done.append(n)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def loop() -> object:
    async def main() -> list[int]:
        threading.stack_size(256 * 1024)
        first, second = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=first)
        second.sendall(b"7")
        answer = await reader.read(1)
        writer.close()
        second.close()
        return [*await asyncio.gather(asyncio.to_thread(int, "3"), asyncio.sleep(0.01, 4)), int(answer)]

    return asyncio.run(main())


def itself() -> object:
    got: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: got.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
    signal.signal(signal.SIGALRM, lambda number, _: got.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    resource.getrlimit(resource.RLIMIT_CPU)
    resource.prlimit(os.getpid(), resource.RLIMIT_CPU)
    os.set_blocking(Inputs.pipe[0], False)
    assert not os.isatty(0) and fcntl.fcntl(Inputs.pipe[0], fcntl.F_GETFL) & os.O_NONBLOCK
    return len(got)


def test_what_works(places: Callable[[], Place], abi: int | None) -> None:
    def end(act: Callable[[], object]) -> End:
        place = places()
        return child(act, place, place.walls(abi=abi))

    assert end(files) == End(["a", "b2", "base", "c", "d", "t"])
    contents = "contents of inputs/table"
    assert end(reads) == End(["contents of readable/data", ["sub"], ["file"], contents, contents])
    assert end(many_threads) == End(40)
    assert end(loop) == End([3, 4, 7])
    assert end(itself) == End(4)
    assert end(os.abort) == End(signal="SIGABRT")
    assert end(lambda: os.kill(os.getpid(), signal.SIGKILL)) == End(signal="SIGKILL")


def test_without_a_scratch_folder_nothing_can_be_written(place: Place) -> None:
    around = place.walls()
    inner = around.put_up

    def put_up(own: object, **arguments: object) -> None:
        inner(own, **{**arguments, "writable": None})  # type: ignore[arg-type]

    around.put_up = put_up  # type: ignore[method-assign]
    assert child(lambda: write("file"), place, around).short == "EACCES"


# ---- limits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [64 * MIB, 300 * MIB])
def test_memory_beyond_the_limit_is_a_memory_error(place: Place, memory: int) -> None:
    def act() -> tuple[int, bool]:
        kept = []
        with contextlib.suppress(OSError):
            while True:  # maps, since the test's own heap may hold memory that nobody uses
                kept.append(mmap.mmap(-1, MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        try:
            bytearray(1 << 30)
        except MemoryError:
            return len(kept) * MIB, True
        return len(kept) * MIB, False

    got, raised = child(act, place, place.walls(), memory=memory).value  # type: ignore[misc]
    assert abs(got - memory) <= 0.15 * memory and raised


def test_shared_memory_is_limited_too(place: Place) -> None:
    def act() -> int:
        kept: list[mmap.mmap] = []
        with contextlib.suppress(OSError):
            while len(kept) < 1000:
                kept.append(mmap.mmap(-1, MIB))
        return len(kept) * MIB

    got = child(act, place, place.walls(), memory=64 * MIB).value
    assert isinstance(got, int) and got <= 64 * MIB + limits.ADDRESS_SPACE_MARGIN
    assert child(act, place).value == 1000 * MIB


@pytest.mark.accept
def test_processor_time_ends_in_a_signal_that_cannot_be_ignored(place: Place) -> None:
    def busy() -> None:
        while True:
            pass

    def stubborn() -> None:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        busy()

    assert child(busy, place, place.walls(), cpu_s=0.3).signal == "SIGXCPU"
    assert child(stubborn, place, place.walls(), cpu_s=1).signal == "SIGKILL"


def test_files_and_descriptors_are_limited(place: Place) -> None:
    def large() -> None:
        Path("large").write_bytes(bytes(MIB + 1))

    def many() -> int:
        with contextlib.suppress(OSError):
            while True:
                os.dup(0)
        return os.open(".", os.O_RDONLY)

    assert child(large, place, place.walls()).short == "EFBIG"
    assert (place.root / "scratch/large").stat().st_size <= MIB
    assert child(many, place, place.walls()).short == "EMFILE"
    assert child(large, place) == End()


def test_limits_never_rise_above_those_of_the_fork_server(place: Place) -> None:
    def act() -> object:
        return [resource.getrlimit(resource.RLIMIT_FSIZE), resource.getrlimit(resource.RLIMIT_NOFILE)]

    def lowered() -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
        place.walls(("limits",)).put_up(
            allowed(memory_bytes=1 << 80, descriptors=128), writable=None, inputs=[]
        )
        return act()

    assert child(act, place, place.walls()) == End([[MIB, MIB], [128, 128]])
    assert child(lowered, place) == End([[5000, 5000], [100, 100]])


# ---- the state of a confined process ----------------------------------------------------------------------------


def test_no_privilege_is_left_and_the_parent_still_ends_it(place: Place) -> None:
    def act() -> dict[str, str]:
        lines = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
        names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs")
        death = ctypes.c_int()
        syscalls.call("prctl", 2, ctypes.addressof(death))  # PR_GET_PDEATHSIG
        dumpable = syscalls.call("prctl", 3)
        return {name: lines[name].strip("0") for name in names} | {"rest": f"{death.value} {dumpable}"}

    def confined() -> object:
        syscalls.call("prctl", 1, signal.SIGTERM)
        place.walls(("limits", "capabilities")).put_up(
            allowed(memory_bytes=MIB * 64), writable=None, inputs=[]
        )
        return act()

    found = child(confined, place).value
    assert isinstance(found, dict)
    bounding = (
        "" if os.getuid() == 0 else found["CapBnd"]
    )  # without CAP_SETPCAP it stays, and no_new_privs voids it
    assert found == {
        **dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapAmb"), ""),
        "CapBnd": bounding,
        "NoNewPrivs": "1",
        "rest": f"{signal.SIGTERM:d} 1",  # dumpable: the fork server looks at its open files
    }
    before = child(act, place).value
    assert isinstance(before, dict) and before["NoNewPrivs"] == "" and before["rest"] == "0 1"


def test_descriptors_of_the_walls_are_closed_behind_them(place: Place) -> None:
    around = place.walls()
    assert (
        len(around.descriptors) == 4
    )  # the folder, two devices, the listable folder; what is not there is skipped

    def still_open() -> list[str]:
        found = []
        for number in around_before:
            with contextlib.suppress(OSError):
                os.fstat(number)
                found.append(str(number))
        return found

    around_before = around.descriptors
    assert child(still_open, place, around).value == []
    assert len(child(still_open, place).value) == 4  # type: ignore[arg-type]


# ---- failing ----------------------------------------------------------------------------------------------------


def network_works() -> str:
    socket.socket(socket.AF_INET).close()
    return "works"


@pytest.mark.parametrize(
    ("wall", "call"),
    [
        ("capabilities", "prctl"),
        ("capabilities", "capset"),
        ("landlock", "landlock_add_rule"),
        ("landlock", "landlock_restrict_self"),
        ("seccomp", "seccomp"),
    ],
)
def test_a_wall_that_fails_is_an_error_and_the_rest_is_left_undone(
    place: Place, monkeypatch: pytest.MonkeyPatch, wall: str, call: str
) -> None:
    around = place.walls()
    monkeypatch.setitem(syscalls.NUMBERS, call, (1000, 1000))  # no kernel has so many

    def act() -> object:
        try:
            around.put_up(allowed(), writable=None, inputs=[])
        except WallError as error:
            return [error.wall, str(error), network_works()]
        return None

    value = child(act, place).value
    assert isinstance(value, list)
    assert (value[0], value[2]) == (wall, "works")
    assert value[1] == f"the {wall} wall cannot be put up: {call}: Function not implemented [ENOSYS]"


def test_what_cannot_be_a_limit_or_an_input_is_an_error(place: Place) -> None:
    def put_up(inputs: Sequence[int] = (), **changes: Any) -> Callable[[], object]:
        return lambda: place.walls().put_up(allowed(**changes), writable=None, inputs=inputs)

    def memory_file() -> object:
        return put_up(inputs=[os.memfd_create("x")])()

    def closed() -> object:
        return put_up(inputs=[999])()

    def two_threads() -> object:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        return put_up()()

    for act, wall in (
        (put_up(cpu_s=float("inf")), "limits"),
        (put_up(descriptors=-5), "limits"),
        (memory_file, "landlock"),
        (closed, "landlock"),
        (two_threads, "limits"),
    ):
        end = child(act, place)
        assert end.raised == "WallError" and isinstance(end.value, list) and end.value[0] == wall, end


def test_what_cannot_be_prepared_is_an_error(place: Place) -> None:
    with pytest.raises(ValueError, match="no such wall: moat"):
        Walls(["moat"], [], [])
    with pytest.raises(WallError, match="Landlock has no version 0"):
        Walls(ALL, [], [], landlock_abi=0)
    with pytest.raises(WallError, match="not a folder"):
        Walls(ALL, [], [str(place.root / "readable/data")])
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(WallError, match="ELOOP"):
        (place.root / "circle").symlink_to("circle")
        Walls(ALL, ["/dev/null", str(place.root / "circle")], [])
    assert len(os.listdir("/proc/self/fd")) == before
    assert Walls((), [], []).descriptors == ()


def test_available_says_why_not_and_confines_nobody(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def act() -> object:
        answers = walls.available()
        state = re.findall(r"(?:NoNewPrivs|Seccomp):\t(\d)", Path("/proc/self/status").read_text())
        return [answers, state, network_works()]

    assert child(act, place) == End([dict.fromkeys(ALL, ""), ["0", "0"], "works"])
    for call, wall, words in (
        ("landlock_create_ruleset", "landlock", "no Landlock"),
        ("seccomp", "seccomp", "no seccomp"),
        ("capget", "capabilities", "capget"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(syscalls.NUMBERS, call, (1000, 1000))
            answers = walls.available()
        assert words in answers[wall] and sum(map(bool, answers.values())) == 1
    monkeypatch.setattr(syscalls, "MACHINE", "")
    assert all("x86_64 and aarch64" in why for why in walls.available().values())
    with pytest.raises(WallError, match="seccomp wall"):
        Walls(("seccomp",), [], [])
