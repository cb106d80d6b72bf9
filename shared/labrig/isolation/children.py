"""Warm children as their server sees them: a module of ours that answers questions in processes of their own.

    readers = Children("labrig.tables.apart", what="Describing the table", limits=LIMITS)
    outcome = await readers.ask({"path": "a.csv"}, files=[descriptor])

The module is imported once, in a process beside the server (`labrig.isolation.inside.answering`), which forks a process
for each question: one that is taken over, crashes or fills its memory ends alone. The process starts at the first
question, and ends when none has come for a while, with `close`, or with the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal as signals
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from labrig.errors import LabrigError
from labrig.isolation import boot, inside
from labrig.isolation.inside.answering import REFUSED
from labrig.isolation.process import Kind, Limits, Outcome, kind_of, outcome_error, signal_name
from labrig.isolation.warm import CONTROL, Begun, LoadingServer, RunRefused, begin, first_line
from labrig.turns import Turns

IDLE_S = 300.0
THREADS = 64
GRACE_S = 20.0
"""After a child's time, its fork server must have ended it; else that is stuck, and ended."""
_ANSWERING = "labrig.isolation.inside.answering"
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONUSERBASE", "PYTHONDONTWRITEBYTECODE")


class Children:
    """Children that answer questions to one module.

    Parameters
    ----------
    module
        Its name. It has ``work``, from a question (any JSON value) to bytes, and leaves one thread when imported.
    what
        What a child does, as the subject of errors: "Drawing the picture".
    limits
        Of one question.
    slots, places
        Questions of one caller that are worked on at a time, and that may wait; one more is refused as ``busy``.
    most
        Questions of all callers that are worked on at a time; None for what `Turns` takes.
    preload
        Modules to import before, where they are installed: what is slow to load.
    variables
        Environment, beside what finds modules and keeps numerical libraries to one thread. Nothing else gets there.
    python, folders
        The Python of another environment, and the folders in which it finds the module, where they are now: a
        child works in `cwd`. It must be 3.11 or later.

    Raises
    ------
    LabrigError
        ``not_found`` for one of `folders` that is no folder.
    """

    def __init__(
        self,
        module: str,
        *,
        what: str,
        limits: Limits = Limits(),
        slots: int = 4,
        places: int = 100,
        most: int | None = None,
        preload: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
        cwd: str | Path = "/",
        python: Path | None = None,
        folders: Sequence[Path] = (),
        idle_s: float = IDLE_S,
    ) -> None:
        self.what = what
        self.limits = limits
        self._config = {"module": module, "preload": list(preload)}
        self._variables = dict(variables or {})
        self._cwd = cwd
        self._python = Path(python).absolute() if python is not None else None  # not the Python behind a link
        self._folders = [Path(folder).resolve() for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise LabrigError(f"{what}: this is not a folder", where=str(folder), code="not_found")
        self._idle_s = idle_s
        self._turns = Turns(what, slots, places=places, most=most)
        self._server: _Server | None = None
        self._begun: Begun | None = None
        self._closed = False
        self._starting = asyncio.Lock()
        self._ending: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Children:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def begin(self) -> None:
        """Start the process now, where no loop runs yet: it imports the module while the server loads its own."""
        self._begun = begin(self.what, self._command(), self._environment(), cwd=self._cwd)
        self._begun.control.sendall(first_line(self._config))

    async def ask(self, question: Any, files: Sequence[int] = (), *, limits: Limits | None = None) -> Outcome:
        """Have a process of its own answer one question, and return how it ended.

        Parameters
        ----------
        files
            Descriptors that it finds from `inside.answering.FIRST_FILE` on.
        limits
            In place of those of all questions.

        Returns
        -------
        Outcome
            Of kind ``ok`` with the answer as `stdout`; `refusal` reads what it refused.

        Raises
        ------
        LabrigError
            ``busy`` for a full queue; ``engine`` or ``unavailable`` where the fork server fails, not the child.
        """
        allowed = limits or self.limits
        given = json.dumps(question).encode()
        with _memory_file(given) as source, _memory_file() as out, _memory_file() as err:
            async with self._turns.turn():
                standard = [source.fileno(), out.fileno(), err.fileno()]
                child = await self._start([*standard, *files], allowed, stays=False)
                ended = await self._end_of(child, allowed.wall_s)
            return _outcome(ended, _content(out, allowed), _content(err, allowed), allowed)

    async def answer(
        self,
        question: Any,
        files: Sequence[int] = (),
        *,
        limits: Limits | None = None,
        reads: str = "",
        spent: str = "",
    ) -> bytes:
        """Have one question answered, as `ask` does, and return the answer.

        Parameters
        ----------
        reads
            The file or address that the child reads, for errors: what a signal ends, its file has ended.
        spent
            What to try where time or memory were used up.

        Raises
        ------
        LabrigError
            What the child refuses; ``bad_input`` where a signal ended it; ``limit`` for too much time or memory.
        """
        outcome = await self.ask(question, files, limits=limits)
        if outcome.kind == "ok":
            return outcome.stdout
        raise refusal(outcome) or failure(outcome, self.what, reads, spent)

    @asynccontextmanager
    async def standing(
        self, files: Sequence[int] = (), *, limits: Limits | None = None
    ) -> AsyncIterator[Standing]:
        """Give a child that stays: it answers one question after another, and keeps what it has loaded.

        It takes one turn for as long as it stays. `Limits.wall_s` is for each question; the others hold for its life.
        """
        allowed = limits or self.limits
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with ours, _memory_file() as err:
            async with self._turns.turn():
                with theirs:
                    standard = [theirs.fileno(), theirs.fileno(), err.fileno()]
                    child = await self._start([*standard, *files], allowed, stays=True)
                try:
                    yield Standing(self.what, ours, child, err, allowed)
                finally:
                    child.kill()
                    with contextlib.suppress(LabrigError):
                        await self._end_of(child, 0)

    async def close(self) -> None:
        """End the process and all its children; what waits for its turn is refused."""
        self._closed = True
        server, self._server = self._server, None
        begun, self._begun = self._begun, None
        if begun is not None:  # and nobody has asked anything
            begun.process.kill()
            begun.process.wait()
            begun.control.close()
            begun.stderr.close()
        if self._ending is not None:
            self._ending.cancel()
        if server is not None and not server.dead:
            await server.close()

    async def _start(self, descriptors: Sequence[int], limits: Limits, *, stays: bool) -> _Child:
        """Ask for a child; the descriptors may be closed when this returns."""
        server = await self._warm()
        number = server.next_number()
        asked = server.ask(
            number,
            descriptors,
            files=len(descriptors) - 3,
            rlimits=_rlimits(limits),
            wall_s=None if stays else limits.wall_s,
            threads=THREADS,
            stays=stays,
        )
        return _Child(server, number, asked)

    async def _end_of(self, child: _Child, wall_s: float | None) -> dict[str, Any]:
        """Wait for a child and return how it ended; it ends when this is cancelled."""
        try:
            async with child.server.within(child.number, None if wall_s is None else wall_s + GRACE_S):
                return await asyncio.shield(child.ended)
        except TimeoutError:
            child.server.abandon()
            raise LabrigError(
                f"{self.what} does not end", try_="the same call again", code="engine"
            ) from None
        except RunRefused as refused:
            raise LabrigError(f"{self.what} could not start: {refused}", code="engine") from None
        except asyncio.CancelledError:
            child.kill()
            with contextlib.suppress(LabrigError, RunRefused):
                await child.ended
            raise
        finally:
            self._rest(child.server)

    async def _warm(self) -> _Server:
        """Return the fork server, started if there is none."""
        async with self._starting:
            if self._ending is not None:
                self._ending.cancel()
            if self._closed:
                raise LabrigError(f"{self.what} was closed", code="engine")
            server = self._server
            if server is None or server.dead:
                server = self._server = _Server(self.what)  # known before it has started, for `close`
                begun, self._begun = self._begun, None
                await server.start(
                    self._command(), self._environment(), self._config, cwd=self._cwd, begun=begun
                )
            return server

    def _rest(self, server: _Server) -> None:
        """End the process when it has been idle for long enough."""
        if server.dead or server.runs or server is not self._server:
            return
        if self._ending is not None:
            self._ending.cancel()
        loop = asyncio.get_running_loop()
        self._ending = loop.call_later(self._idle_s, lambda: None if server.runs else server.abandon())

    def _command(self) -> list[str]:
        if self._python is None:  # -P: a file in the working folder is not a module
            return [sys.executable, "-P", "-m", _ANSWERING, CONTROL]
        ours: dict[str, str | Path] = {
            **dict.fromkeys(("labrig", "labrig.isolation"), "/nowhere"),
            "labrig.isolation.inside": Path(inside.__file__).resolve().parent,
        }
        return [str(self._python), "-I", *boot.words(_ANSWERING, ours, self._folders), CONTROL]

    def _environment(self) -> dict[str, str]:
        kept = (
            {name: os.environ[name] for name in _KEPT if name in os.environ} if self._python is None else {}
        )
        # An empty part would be the working folder, which here is none that modules come from.
        parts = [part for part in kept.pop("PYTHONPATH", "").split(os.pathsep) if Path(part).is_absolute()]
        if parts:
            kept["PYTHONPATH"] = os.pathsep.join(parts)
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
        return kept | {"LC_ALL": "C.UTF-8"} | threads | self._variables


class Standing:
    """A child that stays, at the other end of a socket."""

    def __init__(self, what: str, line: socket.socket, child: _Child, err: IO[bytes], limits: Limits) -> None:
        self._what = what
        self._line = line
        self._child = child
        self._err = err
        self._limits = limits
        self._one = asyncio.Lock()

    async def ask(self, question: Any) -> bytes:
        """Ask a question and return the answer.

        Raises
        ------
        LabrigError
            What the child refuses (it stays); ``limit`` or ``engine`` where it ended, as did its state.
        """
        data = json.dumps(question).encode()
        loop = asyncio.get_running_loop()
        async with self._one:
            try:
                async with self._child.server.within(self._child.number, self._limits.wall_s):
                    await loop.sock_sendall(self._line, len(data).to_bytes(8, "big") + data)
                    status = await self._read(1)
                    size = int.from_bytes(await self._read(8), "big")
                    if size > self._limits.output_bytes:
                        raise self._ended("output_limit")
                    answer = await self._read(size)
            except TimeoutError:
                raise self._ended("wall_limit") from None
            except ConnectionError:
                raise await self._gone() from None
        if status[0] == REFUSED:
            raise LabrigError.from_dict(json.loads(answer))
        return answer

    async def _read(self, size: int) -> bytes:
        """Return so many bytes of the child; one that ends before has closed the socket."""
        loop = asyncio.get_running_loop()
        data = bytearray()
        while len(data) < size:
            piece = await loop.sock_recv(self._line, min(1 << 20, size - len(data)))
            if not piece:
                raise ConnectionResetError
            data += piece
        return bytes(data)

    def _ended(self, kind: Kind) -> LabrigError:
        self._child.kill()
        return outcome_error(Outcome(kind, limits=self._limits), self._what)

    async def _gone(self) -> LabrigError:
        try:
            ended = await asyncio.shield(self._child.ended)
        except RunRefused as refused:
            return LabrigError(f"{self._what} could not start: {refused}", code="engine")
        except LabrigError as error:
            return error
        outcome = _outcome(ended, b"", _content(self._err, self._limits), self._limits)
        if outcome.kind in ("ok", "cancelled"):
            return LabrigError(f"{self._what} has ended", try_="the same call again", code="engine")
        return outcome_error(outcome, self._what)


@dataclass(frozen=True)
class _Child:
    """One child: its fork server, its number there, and what will say how it ended."""

    server: _Server
    number: int
    ended: asyncio.Future[dict[str, Any]]

    def kill(self) -> None:
        """End it, if it still runs."""
        self.server.kill(self.number)


class _Server(LoadingServer):
    """The fork server of one module."""

    def heard(self, event: str, message: dict[str, Any]) -> None:
        """Take the word that the module is imported, or why it is not."""
        if event == "ready":
            self.loaded()
        elif event == "failed":
            self.failed(self.unstarted(message["what"]))


def refusal(outcome: Outcome) -> LabrigError | None:
    """Return what a child refused its question with; None for one that ended otherwise."""
    if outcome.kind != "exit" or outcome.returncode != REFUSED:
        return None
    try:
        return LabrigError.from_dict(json.loads(last_line(outcome)))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None


def failure(outcome: Outcome, what: str, reads: str = "", spent: str = "") -> LabrigError:
    """Return the error for a child that neither answered nor refused."""
    error = outcome_error(outcome, what)
    error.where = reads
    if outcome.kind == "signal":
        error.code, error.what = "bad_input", f"{what} was killed by {outcome.signal}"
        error.what += ": the file is broken, or made to do that"
        error.try_ = "the same call once more"
    elif error.code == "limit" and spent:
        error.try_ = spent
    return error


def last_line(outcome: Outcome) -> str:
    """Return the last line that a child wrote to standard error, or an empty text."""
    lines = outcome.stderr.decode("utf-8", "replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "")


def _rlimits(limits: Limits) -> list[tuple[int, int]]:
    """Return the limits of a child; what it writes goes to files in memory, which are files to the kernel."""
    import resource

    file_bytes = min(limits.output_bytes, limits.file_bytes or limits.output_bytes)
    others = [(which, value) for which, value in limits.rlimits() if which != resource.RLIMIT_FSIZE]
    return [*others, (resource.RLIMIT_FSIZE, file_bytes)]


def _outcome(ended: dict[str, Any], out: bytes, err: bytes, limits: Limits) -> Outcome:
    exited: int = ended["exit"]
    code, signal = (exited, 0) if exited >= 0 else (None, -exited)
    killed = ended["reason"]
    over = code != 0 and (len(out) >= limits.output_bytes or signal == signals.SIGXFSZ)
    kind = kind_of(code, signal, killed, cpu_s=ended["cpu_s"], stderr=err[-8192:], limits=limits, over=over)
    return Outcome(
        kind,
        returncode=code,
        signal=signal_name(signal),
        stdout=out,
        stderr=err,
        cpu_s=ended["cpu_s"],
        max_rss_bytes=ended["max_rss_bytes"],
        limits=limits,
    )


@contextlib.contextmanager
def _memory_file(content: bytes = b"") -> Iterator[IO[bytes]]:
    """Give an open file without a name, which holds `content` and is read from its beginning."""
    with (
        os.fdopen(os.memfd_create("labrig", os.MFD_CLOEXEC), "w+b", buffering=0)
        if hasattr(os, "memfd_create")
        else tempfile.TemporaryFile(buffering=0)
    ) as file:
        rest = memoryview(content)
        while rest:
            rest = rest[file.write(rest) or 0 :]
        file.seek(0)
        yield file


def _content(file: IO[bytes], limits: Limits) -> bytes:
    """Return what a child has written to a file, as much as it may write."""
    descriptor = file.fileno()
    size = min(os.fstat(descriptor).st_size, limits.output_bytes)
    data = bytearray()
    while len(data) < size and (piece := os.pread(descriptor, size - len(data), len(data))):
        data += piece
    return bytes(data)
