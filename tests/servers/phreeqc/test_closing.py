"""What a run of PHREEQC is closed in by: each act is tried in a child that is, and in one that is not."""

from __future__ import annotations

import _socket
import ctypes
import json
import mmap
import os
import resource
import signal
import sys
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("the walls are Linux's", allow_module_level=True)

from labrig.isolation.inside import syscalls, walls
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.engine import basic_words, frames
from labrig_phreeqc.engine.closing import WALLS, Closing
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.forkclient import closed_in
from labrig_phreeqc.engine.library import Library, find_library
from labrig_phreeqc.engine.results import Ended, assemble, parse_frames
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.server.base import doctor

ALLOWED = {"memory_bytes": 1 << 40, "cpu_s": 20}


def fork() -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def new_code() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


def made_code() -> None:
    memory = mmap.mmap(-1, 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(address), 4096, 5) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")


ACTS: dict[str, Callable[[], object]] = {
    "a file": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "its folder": lambda: os.chdir("/etc"),
    "a file's mode": lambda: os.chmod(".", 0o755),
    "a link": lambda: os.symlink("x", "/tmp/labrig-closing"),
    "metadata": lambda: os.stat("/etc/passwd"),
    "a socket": lambda: _socket.socket(),
    "a process": fork,
    "a program": lambda: os.execv("/bin/true", ["true"]),
    "a thread": lambda: threading.Thread(target=lambda: None).start(),
    "a signal to its parent": lambda: os.kill(os.getppid(), 0),
    "a signal to its group": lambda: os.kill(0, signal.SIGURG),
    "memory that can be run": new_code,
    "memory made to be run": made_code,
    "its limits": lambda: resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.RLIM_INFINITY)),
    "its session": lambda: os.setpgid(0, 0),
    "a namespace": lambda: syscalls.call("prctl", 38, 1) and None,
    "the time of others": lambda: os.nice(1),
    "the machine's name": lambda: os.uname(),
}


def tried(act: Callable[[], object], closing: Closing | None) -> str:
    """Return ``done`` or what a child was told that does `act`, closed in or not."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "done"
        try:
            os.dup2(writing, 1)
            if closing is not None:
                closing.close_in(ALLOWED)
            act()
        except (OSError, RuntimeError) as error:
            said = type(error).__name__
        except BaseException as error:
            said = repr(error)
        finally:
            os.write(1, said.encode())
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 1000).decode()
    os.close(reading)
    os.waitpid(pid, 0)
    return said


def test_a_run_can_do_nothing_but_calculate() -> None:
    closing = Closing()
    if closing.missing:
        pytest.skip(f"walls are missing here: {closing.missing}")
    free = {name: tried(act, None) for name, act in ACTS.items()}
    Path("/tmp/labrig-closing").unlink(missing_ok=True)
    closed = {name: tried(act, closing) for name, act in ACTS.items()}
    assert {name: said for name, said in closed.items() if said == "done"} == {}
    assert {name for name, said in free.items() if said != "done"} <= {"a program"}  # which ends the child
    assert tried(lambda: sum(range(100_000)), closing) == "done"
    assert tried(lambda: bytearray(64 << 20), closing) == "done"


@pytest.mark.parametrize("call", ["landlock_restrict_self", "seccomp", "capset"])
async def test_phreeqc_still_runs_without_a_wall(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel, or a container's filter, refuses a wall, it is missing with the reason; the others stand."""
    monkeypatch.setitem(syscalls.NUMBERS, call, (1000, 1000))  # no kernel has so many
    wall = {"landlock_restrict_self": "landlock", "capset": "capabilities"}.get(call, call)
    closing = Closing()
    assert set(closing.missing) == {wall}
    assert "ENOSYS" in closing.missing[wall] or "no seccomp" in closing.missing[wall]
    assert tried(ACTS["a file"], closing) != "done"
    assert tried(lambda: None, closing) == "done"


def test_without_proc_there_are_limits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls.limits, "threads", lambda: 1 / 0)
    closing = Closing()
    assert closing.missing.keys() == {"limits"} and "division" in closing.missing["limits"]
    assert tried(ACTS["a file"], closing) == "OSError"


@pytest.mark.usefixtures("databases")
def test_doctor_says_what_a_run_is_closed_in_by(monkeypatch: pytest.MonkeyPatch) -> None:
    missing, basic = closed_in(find_library())
    line = next(line for line in doctor() if line.startswith("a run is closed in by"))
    assert ("PEEK and POKE are switched off" in line) == (not basic)
    assert all((f"not by {wall}: " in line) == (wall in missing) for wall in WALLS)


def _phreeqpy(library: Library) -> Library:
    folder = library.packages / "phreeqpy" / "iphreeqc" / "phreeqc3"
    return replace(library, path=folder / "libiphreeqc-3.7.3.so", distribution="phreeqpy")


SPELLINGS = {
    "USER_PRINT": [
        "10 POKE 4096, 7",
        "10poke 4096,7",
        "10 IF 1 THEN POKE 4096, 7",
        "10 PRINT PEEK(4096)",
        "10 PRINT 1PEEK[4096]",
        "10 a = 1: pOkE 4096, 7",
        "POKE 4096, 7",
        "0x1POKE 4096, 7",
    ],
    "USER_PUNCH": ["-start\n10 PUNCH PEEK(4096)\n-end\nSELECTED_OUTPUT"],
    "CALCULATE_VALUES": ["x\n-start\n10 SAVE peek 4096\n-end\nUSER_PRINT\n10 PRINT CALC_VALUE('x')"],
    "RATES": ["x\n-start\n10 POKE 4096, 7\n20 SAVE 0\n-end\nKINETICS 1\nx\n-formula NaCl 1\n-steps 1"],
}


@pytest.mark.usefixtures("databases")
@pytest.mark.parametrize("which", ["phreeqcrm", "phreeqpy"])
async def test_no_spelling_reaches_memory(which: str) -> None:
    """Nothing is mapped at address 4096: where a word worked, the run would crash; switched off, it is an error."""
    library = find_library() if which == "phreeqcrm" else _phreeqpy(find_library())
    if not library.path.is_file() or basic_words.switch_off(str(library.path)):
        pytest.skip(f"{which} has no such library here")
    async with Engine(library=library) as engine:
        for block, programs in SPELLINGS.items():
            for program in programs:
                database = "phreeqc.dat" if which == "phreeqcrm" else "wateq4f.dat"
                run = await engine.run(f"SOLUTION 1\n{block}\n{program}\nEND\n", database)
                assert run.status == "input_error", (block, program, run.status, run.detail)


def test_a_library_that_is_none_of_phreeqc_is_a_reason(tmp_path: Path) -> None:
    assert "does not show" in basic_words.switch_off("libc.so.6")
    assert "does not load" in basic_words.switch_off(str(tmp_path / "x.so"))


def test_another_layout_is_a_reason_and_changes_nothing() -> None:
    junk = ctypes.create_string_buffer(bytes(range(256)) * 4)
    with pytest.raises((OSError, ValueError)):
        basic_words._places(ctypes.addressof(junk))
    looped = (ctypes.c_uint64 * 10)(0, 0, 0, 0, 0, 3)
    looped[2] = ctypes.addressof(looped)  # a root that leads to itself
    with pytest.raises((OSError, ValueError)):
        basic_words._places(ctypes.addressof(looped))
    assert junk.raw[:256] == bytes(range(256))


TABLE = {"user": 1, "file": "", "columns": ["a"], "rows": 1, "kept": 1, "text_bytes": 1}
SOUND = {
    "n_errors": 0,
    "errors": "",
    "warnings": "",
    "components": ["Ca"],
    "version": "3",
    "output_bytes": 1,
    "dump_bytes": 0,
    "tables": [TABLE],
    "peak_bytes": 1,
}


@pytest.mark.usefixtures("databases")
@pytest.mark.parametrize(
    "sent",
    [
        [(frames.META, b"[]")],
        [(frames.META, b"[" * 100_000)],
        [(frames.META, b"{}")],
        *([(frames.META, {**SOUND, name: value})] for name in SOUND for value in (None, {"a": 1}, [[]])),
        [(frames.META, {**SOUND, "tables": [{"user": "1"}]})],
        [(frames.META, SOUND), (frames.TEXT, b"x"), (frames.ROWS, b"[1, 2]")],
        [(frames.META, SOUND), (frames.TEXT, b"x"), (frames.ROWS, b'{"a": 1}')],
        [(frames.ROWS, b"[[1]]")],
        [(frames.META, SOUND), (frames.TEXT, b"x"), (frames.ROWS, b"[[]]")],
        [(frames.META, SOUND), (frames.TEXT, b"x"), (frames.ROWS, b"[[1], [2]]")],
        [(frames.META, SOUND), (frames.TEXT, b"x"), (frames.ROWS, b"[" + b"[]," * 3_000_000 + b"[]]")],
        [(frames.META, json.dumps(SOUND)[:-1].encode() + b', "x": [' + b"[]," * 3_000_000 + b"[]]}")],
        [(frames.META, json.dumps(SOUND)[:-1].encode() + b', "x": [' + b'"",' * 3_000_000 + b'""]}')],
        [(frames.META, {**SOUND, "tables": [{**TABLE, "kept": 1 << 40}]})],
        [(frames.META, {**SOUND, "tables": [{**TABLE, "columns": [], "kept": frames.MAX_CELLS + 1}]})],
        [(frames.META, SOUND), (frames.TEXT, b"x"), (frames.ROWS, b"[[{}]]")],
        [(frames.META, SOUND), (99, b"")],
    ],
)
def test_what_a_run_answers_is_read_as_hostile(sent: list[tuple[int, Any]]) -> None:
    """An input can take over the process that solves: what that sends ends as a crashed run, and raises nothing."""
    end = {"cpu_s": 0.1, "max_rss_bytes": 1}
    raw = bytearray()
    for kind, payload in [*sent, (frames.END, end)]:
        raw += frames.frame(kind, payload if isinstance(payload, bytes) else json.dumps(payload).encode())
    database = find_database("phreeqc.dat")
    run = assemble("END", parse_frames(raw), Ended(), find_library(), database, Limits(), 0.1)
    assert run.status in ("crashed", "output_truncated") and all(
        isinstance(name, str) for name in run.components
    )


@pytest.mark.usefixtures("databases")
def test_a_run_that_sends_many_lines_takes_little_memory() -> None:
    lines = b"ab\n" * 3_000_000
    database = find_database("phreeqc.dat")
    limits = Limits(output_bytes=1 << 20)
    meta = json.dumps({**SOUND, "n_errors": 1}).encode()
    end = b'{"cpu_s": 0.1, "max_rss_bytes": 1}'
    printed = bytearray(frames.frame(frames.META, meta) + frames.frame(frames.OUTPUT, lines))
    tracemalloc.start()
    try:
        result = parse_frames(printed + frames.frame(frames.END, end))
        run = assemble("END", result, Ended(), find_library(), database, limits, 0.1)
        assert len(run.output) <= limits.output_bytes
        assert tracemalloc.get_traced_memory()[1] < 8 * len(lines)
    finally:
        tracemalloc.stop()
