"""PHREEQC for asyncio: one confined process per run, a typed result whatever happens in it.

`Engine.run` sends the input to a child of the warm fork server (`labrig_phreeqc.forkserver`), or to a fresh
interpreter where fork is missing or ``phreeqc.isolation = fresh``, and turns what comes back into a `Run`. A
calculation that fails, loops, crashes or eats memory is a `Run` with a status that says so; `LabrigError`
is for what kept it from starting.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, cast

from labrig.config import setting
from labrig.errors import LabrigError
from labrig_phreeqc import forkserver as wire
from labrig_phreeqc.databases import Database, find_database
from labrig_phreeqc.library import Library, find_library
from labrig_phreeqc.messages import is_ignored_input, split_messages
from labrig_phreeqc.statements import declared_files

Status = Literal[
    "ok",
    "ok_with_warnings",
    "input_error",  # PHREEQC refused the input; see errors
    "not_converged",  # the numerical method failed; output up to there
    "cpu_limit",
    "wall_limit",
    "memory_limit",
    "output_truncated",  # solved, but more text or rows than the limit
    "crashed",  # the process died; detail names the signal
    "cancelled",  # the engine was closed during the run
]
Cell = float | int | str | None

MAX_INPUT_BYTES = 20_000_000
QUEUE_PER_CPU = 16
QUEUE_S = 20.0
"""Seconds that a run waits for a place before it is refused as busy."""
_GRACE_S = 10.0
_NOT_CONVERGED = re.compile(
    r"not converged|failed to converge|did not converge|numerical method failed", re.I
)
_NO_MEMORY = re.compile(r"bad_alloc|MemoryError|NULL pointer returned from malloc|out of memory", re.I)
_RUN_TIME = re.compile(r"^-+\nEnd of Run after \S+ Seconds\.\n-+$", re.MULTILINE)
_END_OF_RUN = "-----------\nEnd of Run.\n-----------"
_DEFAULT_FILE = re.compile(r"selected_\d+\.\d+\.out")


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes
    ----------
    cpu_s
        CPU seconds; rounded up to whole seconds.
    wall_s
        Seconds from the start of the child; waiting in the queue does not count.
    memory_bytes
        Address space of the child in bytes, the loaded library and database (about 60 MB) included.
    output_bytes
        Bytes of text (main output, selected output and dump together).
    """

    cpu_s: float = 60
    wall_s: float = 50
    memory_bytes: int = 2 << 30
    output_bytes: int = 50 << 20


@dataclass(frozen=True)
class SelectedOutput:
    """The table of one SELECTED_OUTPUT definition.

    Attributes
    ----------
    user
        User number.
    file
        The last ``-file`` name it was given, or empty. No file is written.
    columns
        Headings, with units where PHREEQC gives them.
    rows
        Values with their types; None for empty.
    text
        What PHREEQC would have written to the file.
    files
        `text` by ``-file`` name, where the number was defined more than once with different names.
    """

    user: int
    file: str
    columns: list[str]
    rows: list[list[Cell]]
    text: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One calculation, however it ended.

    Attributes
    ----------
    status
        See `Status`.
    output
        The main output; empty when the process was killed or crashed. The run time in its last lines is
        left out, so that the same input gives the same bytes.
    errors, warnings
        Single messages with the input line they are about; ignored input comes first.
    selected
        Every SELECTED_OUTPUT, by user number.
    components
        Elements in the final state.
    library, reported_version, database
        What computed it.
    cpu_s, wall_s, max_rss_bytes
        What it used; CPU and memory are 0 where the system does not tell.
    detail
        Why the status is what it is, where errors do not say it.
    dump
        The text of the DUMP keyword.
    """

    status: Status
    output: str
    errors: list[str]
    warnings: list[str]
    selected: list[SelectedOutput]
    components: list[str]
    library: Library
    reported_version: str
    database: Database
    cpu_s: float
    wall_s: float
    max_rss_bytes: int
    detail: str = ""
    dump: str = ""

    @property
    def ignored_input(self) -> list[str]:
        """Warnings about input without effect: misspelt keywords and elements the database lacks."""
        return [warning for warning in self.warnings if is_ignored_input(warning)]

    @property
    def files(self) -> dict[str, str]:
        """The text of each file that SELECTED_OUTPUT blocks name with ``-file``."""
        files: dict[str, str] = {}
        for table in self.selected:
            files |= table.files or ({table.file: table.text} if table.file else {})
        return files

    @property
    def solved(self) -> bool:
        """Whether PHREEQC finished the whole input without an error."""
        return self.status in ("ok", "ok_with_warnings", "output_truncated")


def provenance(run: Run) -> str:
    """Return one line that names the library and the database behind a result."""
    reported = f"reports {run.reported_version}, " if run.reported_version else ""
    release = f" {run.database.official}" if run.database.official else ""
    return (
        f"PHREEQC {run.library.distribution} ({reported}sha256 {run.library.sha256[:12]}), "
        f"{run.database.name}{release} (sha256 {run.database.sha256[:12]})"
    )


def record(run: Run) -> dict[str, Any]:
    """Return the same as data, with the full hashes and without times or machine paths."""
    return {
        "engine": "PHREEQC",
        "library": {
            "distribution": run.library.distribution,
            "sha256": run.library.sha256,
            "reported_version": run.reported_version,
        },
        "database": {
            "name": run.database.name,
            "release": run.database.official,
            "sha256": run.database.sha256,
        },
    }


@dataclass
class _Ended:
    """How a child ended, as the fork server or the operating system tells it."""

    exit: int = 0
    reason: str = ""
    cpu_s: float = 0.0
    max_rss_bytes: int = 0
    stderr: str = ""


@dataclass
class _Result:
    """The frames of one child, put together."""

    meta: dict[str, Any] = field(default_factory=dict)
    output: bytes = b""
    dump: bytes = b""
    texts: list[bytes] = field(default_factory=list)
    rows: list[list[list[Cell]]] = field(default_factory=list)
    end: dict[str, Any] | None = None
    refused: str | None = None


class Engine:
    """Runs PHREEQC inputs, several at a time, each in a process of its own.

    Use it as an async context manager, or call `close` at the end; processes start with the first run.

    Parameters
    ----------
    library
        The library to load; by default `find_library`.
    isolation
        ``fork`` or ``fresh``; by default the setting ``phreeqc.isolation``, else fork where there is one.
    concurrency
        Runs at a time; by default the number of CPUs, and at least two. `QUEUE_PER_CPU` times as many may wait.
    """

    def __init__(
        self,
        *,
        library: Library | None = None,
        isolation: Literal["fork", "fresh"] | None = None,
        concurrency: int | None = None,
    ) -> None:
        self._library = library
        self._isolation = isolation or _isolation()
        self._concurrency = concurrency or max(2, os.cpu_count() or 1)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(self._concurrency)
        self._waiting = 0
        self._server: _ForkServer | None = None

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def library(self) -> Library:
        """The library that runs use."""
        if self._library is None:
            self._library = find_library()
        return self._library

    async def close(self) -> None:
        """End the fork server and every run; runs in progress return ``cancelled``."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def run(
        self,
        input_text: str,
        database: str = "phreeqc.dat",
        limits: Limits | None = None,
        *,
        queue_s: float = QUEUE_S,
    ) -> Run:
        """Run one input on a freshly loaded database.

        Parameters
        ----------
        input_text
            PHREEQC input, screened and with includes resolved.
        database
            Name of an installed database.
        limits
            What the run may use.
        queue_s
            Seconds to wait for a place.

        Raises
        ------
        LabrigError
            ``busy`` when the queue is full, ``unavailable`` when library and database do not load,
            ``bad_input`` for input that cannot be passed on, ``engine`` when the fork server died.
        """
        limits = limits or Limits()
        text = _encoded(input_text)
        chosen = find_database(database)
        self._adopt_loop()
        if self._waiting >= self._concurrency * QUEUE_PER_CPU:
            raise LabrigError(
                f"PHREEQC is busy: {self._waiting} runs wait already", try_="the same call later", code="busy"
            )
        self._waiting += 1
        try:
            async with asyncio.timeout(queue_s):
                await self._slots.acquire()
        except TimeoutError:
            raise LabrigError(
                f"PHREEQC is busy: no place came free in {queue_s:g} s",
                expected=f"at most {self._concurrency} runs at a time",
                try_="the same call later; long jobs can be looked at and cancelled",
                code="busy",
            ) from None
        finally:
            self._waiting -= 1
        try:
            start = asyncio.get_running_loop().time()
            solve = self._run_forked if self._isolation == "fork" else self._run_fresh
            result, ended = await solve(text, chosen, limits)
            wall_s = asyncio.get_running_loop().time() - start
        finally:
            self._slots.release()
        if result.refused is not None:
            raise _refusal(self.library, chosen, result.refused)
        return _assemble(input_text, result, ended, self.library, chosen, limits, wall_s)

    def _adopt_loop(self) -> None:
        """Start afresh when called from another event loop than before."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            if self._server is not None:
                self._server.abandon()
            self._loop, self._server, self._waiting = loop, None, 0
            self._slots = asyncio.Semaphore(self._concurrency)

    def _running_server(self) -> _ForkServer:
        if self._server is None or self._server.dead:
            self._server = _ForkServer(self.library)
        return self._server

    async def _run_forked(self, text: bytes, database: Database, limits: Limits) -> tuple[_Result, _Ended]:
        server = self._running_server()
        ours, theirs = socket.socketpair()
        with ours:
            ours.setblocking(False)
            with theirs:
                number, ended = server.submit(ours, theirs, database, limits)
            try:
                async with asyncio.timeout(limits.wall_s + _GRACE_S):
                    raw = await _exchange(ours, text, limits)
                    outcome = await asyncio.shield(ended)
            except asyncio.CancelledError:
                server.kill(number)
                with contextlib.suppress(TimeoutError, LabrigError):
                    await asyncio.wait_for(asyncio.shield(ended), _GRACE_S)
                raise
            except TimeoutError:
                server.abandon()
                raise LabrigError("The PHREEQC fork server does not answer", code="engine") from None
        if isinstance(outcome, str):
            return _Result(refused=outcome), _Ended()
        return _parse_frames(raw), outcome

    async def _run_fresh(self, text: bytes, database: Database, limits: Limits) -> tuple[_Result, _Ended]:
        with tempfile.TemporaryFile() as stderr:
            process = await asyncio.create_subprocess_exec(
                *_command("--once", self.library),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=_environment(),
            )
            ended = _Ended()
            raw = bytearray()
            try:
                async with asyncio.timeout(limits.wall_s):
                    await self._feed(process, text, database, limits, raw)
                    ended.exit = await process.wait()
            except TimeoutError:
                ended.reason = "wall"
            finally:
                if process.returncode is None:
                    with contextlib.suppress(ProcessLookupError):
                        process.kill()
                    await asyncio.shield(process.wait())
                cast("asyncio.StreamWriter", process.stdin).close()
            ended.stderr = _tail(stderr)
        result = _parse_frames(raw)
        ended.cpu_s = (result.end or {}).get("cpu_s", 0.0)
        ended.max_rss_bytes = (result.end or {}).get("max_rss_bytes", 0)
        return result, ended

    async def _feed(
        self,
        process: asyncio.subprocess.Process,
        text: bytes,
        database: Database,
        limits: Limits,
        raw: bytearray,
    ) -> None:
        """Send the request and collect frames; stdin stays open, its end would end the child."""
        source = cast("asyncio.StreamReader", process.stdout)
        sink = cast("asyncio.StreamWriter", process.stdin)
        request = json.dumps({"database": str(database.path), "limits": vars(limits)}).encode()
        with contextlib.suppress(ConnectionError):
            sink.write(_frame(wire.REQUEST, request) + _frame(wire.INPUT, text))
            await sink.drain()
        while chunk := await source.read(1 << 20):
            raw += chunk
            if len(raw) > _receive_limit(limits):
                process.kill()


class _ForkServer:
    """The fork server's process as its parent sees it: requests out, endings in."""

    def __init__(self, library: Library) -> None:
        self.dead = False
        self._numbers = itertools.count(1)
        self._runs: dict[int, tuple[asyncio.Future[_Ended | str], socket.socket]] = {}
        self._pending = b""
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                _command(str(theirs.fileno()), library),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd="/",
                env=_environment(),
            )
        self._control.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._control, self._receive)

    def submit(
        self, ours: socket.socket, theirs: socket.socket, database: Database, limits: Limits
    ) -> tuple[int, asyncio.Future[_Ended | str]]:
        """Ask for a run on a socket pair; the future gives how it ended, or why it was refused."""
        number = next(self._numbers)
        request = {"op": "run", "id": number, "database": str(database.path), "limits": vars(limits)}
        ended: asyncio.Future[_Ended | str] = self._loop.create_future()
        self._runs[number] = ended, ours
        try:
            message = json.dumps(request).encode() + b"\n"
            socket.send_fds(self._control, [message], [theirs.fileno()])
        except OSError:
            self._die("The PHREEQC fork server is gone")
        return number, ended

    def kill(self, number: int) -> None:
        """End one run, if it still runs."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"op": "kill", "id": number}).encode() + b"\n")

    def close(self) -> None:
        """End the process and all its runs, which end as cancelled."""
        for ended, _ in self._runs.values():
            if not ended.done():
                ended.set_result(_Ended(exit=-signal.SIGKILL, reason="cancelled"))
        self._die("The PHREEQC engine was closed")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)

    def abandon(self) -> None:
        """Kill the process outright, from any event loop; its children end with its socket."""
        self.process.kill()
        self._die("The PHREEQC fork server was stopped")

    def _receive(self) -> None:
        try:
            data = self._control.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._die("The PHREEQC fork server ended unexpectedly")
            return
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))

    def _handle(self, message: dict[str, Any]) -> None:
        event = message.pop("event")
        number = message.pop("id")
        if event == "started":
            return
        ended, _ = self._runs.pop(number, (None, None))
        if ended is not None and not ended.done():
            ended.set_result(message["reason"] if event == "refused" else _Ended(**message))

    def _die(self, what: str) -> None:
        if self.dead:
            return
        self.dead = True
        if not self._loop.is_closed():
            self._loop.remove_reader(self._control)
        self._control.close()
        error = LabrigError(what, where=_tail(self._stderr)[-300:], try_="the same call again", code="engine")
        self._stderr.close()
        for ended, ours in self._runs.values():
            with contextlib.suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
            if not ended.done() and not self._loop.is_closed():
                ended.set_exception(error)
                ended.exception()  # a cancelled caller never asks for it
        self._runs.clear()
        self.process.poll()


def _isolation() -> Literal["fork", "fresh"]:
    configured = setting("phreeqc", "isolation")
    if configured not in ("", "fork", "fresh"):
        raise LabrigError(
            f"phreeqc.isolation is {configured!r}",
            expected="fork or fresh",
            where="labrig.toml or environment",
        )
    if configured == "fresh" or not hasattr(os, "fork") or not hasattr(socket, "send_fds"):
        return "fresh"
    return "fork"


def _encoded(text: str) -> bytes:
    if "\0" in text:
        raise LabrigError("The input holds a NUL byte", expected="plain text", where="input")
    encoded = text.encode("utf-8", errors="surrogateescape")
    if len(encoded) > MAX_INPUT_BYTES:
        raise LabrigError(
            f"The input has {len(encoded)} bytes", expected=f"at most {MAX_INPUT_BYTES}", where="input"
        )
    return encoded


def _command(descriptor: str, library: Library) -> list[str]:
    program = Path(wire.__file__).resolve()
    folders = dict.fromkeys([str(program.parent.parent), str(library.packages)])
    return [sys.executable, "-I", "-S", str(program), descriptor, str(library.path), *folders]


def _environment() -> dict[str, str]:
    """Return the environment of a solving process: nothing of ours but what Windows needs to start one."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - wire.TAIL_BYTES))
    return file.read().decode("utf-8", errors="replace").strip()


def _frame(kind: int, payload: bytes) -> bytes:
    return wire.FRAME.pack(kind, len(payload)) + payload


def _receive_limit(limits: Limits) -> int:
    """Return the bytes after which a child is not believed: its limits, with room for tables and JSON."""
    return 2 * limits.output_bytes + 40 * wire.MAX_CELLS


async def _exchange(stream: socket.socket, text: bytes, limits: Limits) -> bytearray:
    """Send the input and return all that the child answers until it closes its end."""
    loop = asyncio.get_running_loop()
    raw = bytearray()
    with contextlib.suppress(ConnectionError):
        await loop.sock_sendall(stream, _frame(wire.INPUT, text))
    with contextlib.suppress(ConnectionError):
        while chunk := await loop.sock_recv(stream, 1 << 20):
            raw += chunk
            if len(raw) > _receive_limit(limits):
                break
    return raw


def _parse_frames(raw: bytearray) -> _Result:
    """Return what the frames hold; what comes after a broken one is dropped."""
    result, position, view = _Result(), 0, memoryview(raw)
    while position + wire.FRAME.size <= len(raw):
        kind, length = wire.FRAME.unpack_from(raw, position)
        position += wire.FRAME.size
        payload = bytes(view[position : position + length])
        position += length
        if len(payload) < length:
            break
        match kind:
            case wire.META:
                result.meta = json.loads(payload)
            case wire.OUTPUT:
                result.output = payload
            case wire.DUMP:
                result.dump = payload
            case wire.TEXT:
                result.texts.append(payload)
                result.rows.append([])
            case wire.ROWS if result.rows:
                result.rows[-1] += json.loads(payload)
            case wire.END:
                result.end = json.loads(payload)
            case wire.REFUSED:
                result.refused = payload.decode("utf-8", errors="replace")
            case _:
                break
    return result


def _refusal(library: Library, database: Database, reason: str) -> LabrigError:
    first = [line.strip() for line in reason.splitlines() if line.strip()][:3]
    return LabrigError(
        f"{database.name} cannot be loaded by PHREEQC {library.distribution}",
        where="; ".join(first),
        expected="a database that this release of PHREEQC reads",
        try_="labrig setup phreeqc, or another database",
        code="unavailable",
    )


def _assemble(
    text: str,
    result: _Result,
    ended: _Ended,
    library: Library,
    database: Database,
    limits: Limits,
    wall_s: float,
) -> Run:
    meta = result.meta
    output = result.output.decode("utf-8", errors="replace")
    output = output[:-200] + _RUN_TIME.sub(_END_OF_RUN, output[-200:])
    errors = split_messages(meta.get("errors", ""), "ERROR", text, output)
    warnings = split_messages(meta.get("warnings", ""), "WARNING", text, output)
    status, detail = _judge(result, ended, bool(warnings), limits)
    return Run(
        status=status,
        output=output,
        errors=errors,
        warnings=warnings,
        selected=_tables(text, result),
        components=meta.get("components", []),
        library=library,
        reported_version=meta.get("version", ""),
        database=database,
        cpu_s=ended.cpu_s,
        wall_s=wall_s,
        max_rss_bytes=ended.max_rss_bytes,
        detail=detail,
        dump=result.dump.decode("utf-8", errors="replace"),
    )


def _judge(result: _Result, ended: _Ended, warned: bool, limits: Limits) -> tuple[Status, str]:
    """Return the status of a run and, where needed, why."""
    if ended.reason == "wall":
        return "wall_limit", f"ended after {limits.wall_s:g} s of wall time"
    if ended.reason == "cancelled":
        return "cancelled", "the engine was closed or the run was killed"
    if result.end is None:
        return _judge_death(ended, limits)
    meta = result.meta
    cut = _what_was_cut(result)
    if meta["n_errors"]:
        if _NO_MEMORY.search(meta["errors"]) or meta["peak_bytes"] > 0.97 * limits.memory_bytes:
            return "memory_limit", _memory_detail(limits)
        return ("not_converged" if _NOT_CONVERGED.search(meta["errors"]) else "input_error"), cut
    if cut:
        return "output_truncated", cut
    return ("ok_with_warnings" if warned else "ok"), ""


def _judge_death(ended: _Ended, limits: Limits) -> tuple[Status, str]:
    """Return the status of a run whose process ended before its result was complete."""
    if ended.exit == -getattr(signal, "SIGXCPU", 0) or (ended.exit == -9 and ended.cpu_s >= limits.cpu_s):
        return "cpu_limit", f"ended after {limits.cpu_s:g} s of CPU time"
    if _NO_MEMORY.search(ended.stderr) or ended.max_rss_bytes > 0.8 * limits.memory_bytes:
        return "memory_limit", _memory_detail(limits)
    name = f"exit code {ended.exit}"
    if ended.exit < 0:
        with contextlib.suppress(ValueError):
            name = signal.Signals(-ended.exit).name
    words = " ".join(ended.stderr.split())[-300:]
    return "crashed", f"PHREEQC ended with {name}: {words}" if words else f"PHREEQC ended with {name}"


def _memory_detail(limits: Limits) -> str:
    return f"needed more than {limits.memory_bytes / (1 << 20):.0f} MiB of memory"


def _what_was_cut(result: _Result) -> str:
    tables = result.meta["tables"]
    sent = len(result.output) + len(result.dump) + sum(map(len, result.texts))
    made = (
        result.meta["output_bytes"] + result.meta["dump_bytes"] + sum(each["text_bytes"] for each in tables)
    )
    cuts = [f"text cut to {sent} of {made} bytes"] if sent < made else []
    cuts += [
        f"SELECTED_OUTPUT {each['user']} cut to {each['kept']} of {each['rows']} rows"
        for each in tables
        if each["kept"] < each["rows"]
    ]
    return "; ".join(cuts)


def _tables(text: str, result: _Result) -> list[SelectedOutput]:
    names: dict[int, list[str]] = {}
    for each in declared_files(text):
        if each.block == "SELECTED_OUTPUT":
            names.setdefault(each.user, []).append(each.name)
    tables = []
    for about, raw, rows in zip(result.meta.get("tables", []), result.texts, result.rows, strict=False):
        written = raw.decode("utf-8", errors="replace")
        file = "" if _DEFAULT_FILE.fullmatch(about["file"]) else about["file"]
        columns = [str(each) for each in about["columns"]]
        files = _by_file(written, names.get(about["user"], []))
        tables.append(SelectedOutput(about["user"], file, columns, rows, written, files))
    return tables


def _by_file(text: str, names: list[str]) -> dict[str, str]:
    """Cut the text of a number that was given several files, at the headings PHREEQC repeats.

    Empty unless there are as many headings as names; a name used again starts its file anew, as on disk.
    """
    if len(set(names)) < 2:
        return {}
    lines = text.splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if line.strip() and not any(map(_is_number, line.split()))]
    if len(starts) != len(names):
        return {}
    stops = [*starts[1:], len(lines)]
    return {name: "".join(lines[a:b]) for name, a, b in zip(names, starts, stops, strict=True)}


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
