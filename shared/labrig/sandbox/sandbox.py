"""The sandbox: a queue that is fair to its callers, a fork server behind it, and one confined process per run."""

from __future__ import annotations

import asyncio
import contextlib
import keyword
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from labrig.config import home, setting
from labrig.errors import LabrigError, unknown_name
from labrig.sandbox import backends, environment, running
from labrig.sandbox.conversation import HostFunction, Job, Wall
from labrig.sandbox.folders import WorkFolder
from labrig.sandbox.forkserver import ForkServer
from labrig.sandbox.inputs import Inputs, Standing
from labrig.sandbox.live import Live
from labrig.sandbox.profiles import profiles
from labrig.sandbox.results import Limits, Result
from labrig.turns import KEPT, OWNER, OWNERS_AT_ONCE, Turns

MAX_CODE = 1_000_000
"""Characters of code in one run."""
MAX_INPUTS = 32
BURST = 256 << 20
"""What one run may write before it is seen, so that its neighbours have room meanwhile (bubblewrap)."""
QUEUE = 32
"""Runs of one owner that may wait."""
MOST_SESSIONS = 4
"""Of one owner, each with a process that keeps what it holds in memory."""
YIELDED = "another caller, who had fewer sessions, needed its place"
UNSHOWN = "the files of the folder are not at their own paths here: {why}"
UNSAFE = "unsafe-local: this code ran with no protection of the machine, its files or its network"
# What must fail before anything of an agent is run: a wall that stands only on paper is found out here.
GUARD = """
import os, socket
open_ = []
def tries(name, act):
    try:
        act()
    except (OSError, AttributeError):
        return
    open_.append(name)
tries("reading a system file", lambda: open("/etc/passwd").read())
tries("listing the root", lambda: os.listdir("/"))
tries("writing outside", lambda: open("/tmp/labrig-guard", "w"))
tries("a socket", lambda: socket.socket())
tries("a process", lambda: os.fork() or os._exit(0))
tries("a signal to another", lambda: os.kill(os.getppid(), 0))
tries("a program", lambda: os.execv("/bin/true", ["true"]))
tries("changing an owner", lambda: os.chown("/", -1, -1))
print(", ".join(open_))
"""


class Sandbox:
    """Runs code of others, as many at a time as there are slots.

    Parameters
    ----------
    profile
        Which Python, such as ``science``: one of `labrig.sandbox.profiles.profiles`.
    backend
        ``auto``, ``bubblewrap``, ``landlock`` or ``unsafe-local``.
    slots
        Runs of one owner at a time; None is the number of processors, at least 2 and at most 8.
    queue
        Runs of one owner that may wait; above it the caller is told ``busy``.
    roots
        Folders that inputs lie in. An input elsewhere is copied for its run, under ``bubblewrap``.

    Notes
    -----
    The fork server starts with the first run and belongs to the event loop of that run. Owners share it as `Turns`
    says: one with many runs does not hold up the others.
    """

    def __init__(
        self,
        *,
        profile: str = "science",
        backend: str = backends.AUTO,
        slots: int | None = None,
        queue: int = QUEUE,
        roots: Sequence[Path] = (),
        _landlock_abi: int | None = None,
    ) -> None:
        self.profile = profile
        if profile not in profiles():
            raise unknown_name("profile", str(profile), profiles(), where="sandbox")
        _check_count("slots", slots, least=1)
        _check_count("queue", queue, least=0)
        self.slots = min(8, max(2, os.cpu_count() or 2)) if slots is None else slots
        self._wanted = backend
        self._roots = _checked_roots(roots)
        self._landlock_abi = _landlock_abi
        self._backend: backends.Backend | None = None
        self._server: ForkServer | None = None
        self._starting = asyncio.Lock()
        self._queue = queue
        self._turns = Turns("The sandbox", self.slots, places=queue)
        self._tasks: set[asyncio.Task[Result]] = set()
        self._folder: WorkFolder | None = None
        self._places = Inputs(None, Path())
        self._held: IO[bytes] | None = None
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lives: dict[tuple[str, str], Live] = {}

    @classmethod
    def configured(
        cls,
        *,
        profile: str = "science",
        backend: str = "",
        unsafe_local: bool = False,
        roots: Sequence[Path] = (),
    ) -> Sandbox:
        """Return a sandbox as the settings ``backend``, ``slots`` of the section ``sandbox`` say.

        Parameters
        ----------
        backend
            Goes before the setting.
        unsafe_local
            The caller's own word for running without protection; goes before both.

        Raises
        ------
        LabrigError
            If the setting ``slots`` is not a positive number.
        """
        slots = setting("sandbox", "slots")
        if slots and not (slots.isdecimal() and int(slots) > 0):
            raise LabrigError(
                "slots must be a positive number", where="[sandbox] slots", expected="such as 4"
            )
        wanted = "unsafe-local" if unsafe_local else backend or setting("sandbox", "backend", backends.AUTO)
        return cls(profile=profile, backend=wanted, slots=int(slots) if slots else None, roots=roots)

    async def __aenter__(self) -> Sandbox:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def backend(self) -> str:
        """The name of the backend; empty before the first run."""
        return self._backend.name if self._backend else ""

    @property
    def reason(self) -> str:
        """Why the backend is not a fuller one; empty before the first run."""
        return self._backend.reason if self._backend else ""

    @property
    def pid(self) -> int | None:
        """The process that the fork server runs in, while there is one."""
        return self._server.process.pid if self._server and not self._server.dead else None

    @property
    def imported(self) -> dict[str, str]:
        """The packages that are warm, with their versions; empty before the first run."""
        return self._server.imported if self._server else {}

    async def run(
        self,
        code: str,
        *,
        functions: Mapping[str, HostFunction] | None = None,
        inputs: Mapping[str, Path] | None = None,
        folder: Standing | None = None,
        limits: Limits | None = None,
        owner: str = "",
        seed: int = 0,
        display: str = "last",
        session: str = "",
    ) -> Result:
        """Run code, and return what came of it; cancelling this ends the code.

        Parameters
        ----------
        code
            Python. Its folder is a fresh one, which it may write.
        functions
            Functions of the host that the code finds as globals: async, with arguments and results that JSON has.
        inputs
            Files and folders that the code can read as ``inputs/NAME``.
        folder
            A folder that the code stands in: its files are there under their own paths, and stay what they are: what
            the code writes or changes is its own, as in a folder of its own. Where the machine cannot do this the code
            runs without, and a note says so.
        owner
            Whose run this is, for the queue; that of the call where it is empty.
        seed
            Seeds ``random`` and ``numpy.random``.
        display
            ``last`` prints the value of a last expression where the code prints nothing by itself; ``always``,
            ``never``.
        session
            The name of a session of this owner, whose variables, imports and open figures stay: see `Live`. The first
            run of a name begins it, in the folder and with the seed that are given then.

        Raises
        ------
        LabrigError
            ``bad_input`` for invalid code or names, ``busy`` when too many wait, ``unavailable`` without the
            side environment, ``refused`` where no backend works, ``engine`` if the fork server was killed meanwhile.
        """
        job = Job(code, functions or {}, inputs or {}, folder, limits or Limits(), seed, display)
        _check(job)
        self._check_loop()
        # Who cancels this waits for nothing: the run is ended by a task of its own, which no second cancellation
        # reaches, and keeps its slot until then.
        task = asyncio.create_task(self._perform(job, owner, session))
        self._tasks.add(task)
        task.add_done_callback(self._settle)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    def end_session(self, session: str, owner: str = "") -> bool:
        """End a session of an owner; return whether there was one. What it was just doing is cancelled."""
        key = owner or OWNER.get(), session
        live = self._lives.get(key)
        if live is None:
            return False
        was_going = live.going
        live.stop("it was ended")
        if not live.calls:
            del self._lives[key]
        return was_going

    def _settle(self, task: asyncio.Task[Result]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # who was cancelled never asks for it

    async def _perform(self, job: Job, owner: str, session: str) -> Result:
        if owner:
            OWNER.set(owner)  # of this task alone
        async with contextlib.AsyncExitStack() as held:
            live = self._session(session) if session else None
            if live is not None:
                await held.enter_async_context(live.turn(self._queue))
            await held.enter_async_context(self._turns.turn(owner))
            server = await self._running_server()
            assert self._backend is not None
            notes: tuple[str, ...] = ()
            if job.folder is not None and server.unshown:
                notes = (UNSHOWN.format(why=server.unshown),)
                job = replace(job, folder=None)
            try:
                if live is not None:
                    assert self._folder is not None
                    result = await live.run(server, job, self._backend.name, self._folder.inputs)
                else:
                    result = await running.run(server, job, self._backend.name, self._places)
            except Wall as error:
                raise LabrigError(
                    f"The sandbox could not be closed around the code, so it was not run: {error}",
                    where=f"backend {self.backend}",
                    try_="labrig doctor says what this machine has",
                    code="refused",
                ) from error
        if self._backend.name == "unsafe-local":
            notes = (UNSAFE, *notes)
        return replace(result, notes=(*notes, *result.notes)) if notes else result

    def _session(self, name: str) -> Live:
        """Return a session of this call's owner, which may be new."""
        owner = OWNER.get()
        live = self._lives.get((owner, name)) or Live()
        if not live.taken:
            self._make_room(owner, name)
        self._lives.pop((owner, name), None)
        self._lives[owner, name] = live  # what was used last comes last
        return live

    def _make_room(self, owner: str, name: str) -> None:
        """See that an owner may have one session more; where all places are taken, one of who has more ends."""
        own = [key[1] for key, live in self._lives.items() if key[0] == owner and live.taken]
        gone = [key for key, live in self._lives.items() if key[0] == owner and not live.taken]
        for key in gone[:-MOST_SESSIONS]:  # the last few still say why they ended
            del self._lives[key]
        held = Counter(key[0] for key, live in self._lives.items() if live.taken)
        idle = [key for key, live in self._lives.items() if live.going and not live.calls]
        yielding = [key for key in idle if held[key[0]] > len(own) + bool(own)]
        full = held.total() >= MOST_SESSIONS * OWNERS_AT_ONCE
        if len(own) >= MOST_SESSIONS or (full and not yielding):
            raise LabrigError(
                "There are too many sessions",
                where=f"session {name!r}",
                expected=f"at most {MOST_SESSIONS} of one caller at a time",
                try_=f"ending {' or '.join(map(repr, own))}" if own else "the same call later",
                code="limit",
            )
        if full:
            self._lives[max(yielding, key=lambda key: held[key[0]])].close(YIELDED)

    async def close(self) -> None:
        """End the fork server and whatever runs; a later run is refused."""
        self._closed = True
        for live in self._lives.values():
            live.stop("the sandbox was closed")
        self._lives.clear()
        async with self._starting:
            if self._server is not None:
                await self._server.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        async with self._starting:
            self._let_go()

    def _check_loop(self) -> None:
        """Refuse a second event loop: what waits for the fork server waits in the first."""
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        if self._loop is not loop:
            raise LabrigError(
                "The sandbox belongs to another event loop, that of its first run",
                where="sandbox",
                try_="open a Sandbox for each event loop",
                code="internal",
            )

    async def _running_server(self) -> ForkServer:
        async with self._starting:
            if self._closed:
                raise LabrigError("The sandbox was closed", where="sandbox", code="unavailable")
            if self._server is None or self._server.dead:
                self._server = await self._start()
            return self._server

    async def _start(self) -> ForkServer:
        """Start a fork server and see for ourselves that what must fail does fail."""
        self._let_go()
        if self._backend is None:
            self._backend = await asyncio.to_thread(backends.choose, self._wanted)
        backend = self._backend
        interpreter = await asyncio.to_thread(environment.find, self.profile)
        self._held = environment.hold(interpreter.prefix)
        self._folder = WorkFolder(home() / "sandbox" / "scratch")
        words, config = backends.command(
            backend,
            interpreter,
            environment.reading(interpreter),
            self._folder.runs,
            (OWNERS_AT_ONCE * self.slots + KEPT) * Limits().scratch_bytes + BURST,
            [*self._roots, self._folder.inputs],
        )
        seen = [*self._roots, self._folder.inputs] if backend.name == "bubblewrap" else None
        self._places = Inputs(seen, self._folder.inputs)
        profile = profiles()[self.profile]
        config |= {"imports": profile.warm, "cold": profile.cold, "landlock_abi": self._landlock_abi}
        server = ForkServer()
        try:
            await server.start(words, backends.environment(), config)
            if backend.name != "unsafe-local":
                await _guard(server, backend.name, self._places)
        except Wall as error:
            await server.close()
            raise LabrigError(
                f"Code cannot be run safely here: {error}", where=f"backend {backend.name}", code="refused"
            ) from error
        except BaseException:
            server.abandon()
            self._let_go()
            raise
        return server

    def _let_go(self) -> None:
        """Give back what the last fork server used."""
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
        if self._held is not None:
            self._held.close()
            self._held = None


async def _guard(server: ForkServer, backend: str, places: Inputs) -> None:
    """Try what must fail, as the first run; raise `Wall` with what did not."""
    job = Job(GUARD, limits=Limits(wall_s=30), display="never")
    result = await running.run(server, job, backend, places)
    if result.status != "ok":
        raise Wall(
            f"its own test of the walls ended with {result.status}: {result.error[-300:] or result.detail}"
        )
    if result.output.strip():
        raise Wall(f"{result.output.strip()} got through its walls")


def _check_count(name: str, value: object, *, least: int) -> None:
    """Refuse an invalid number of runs; None is the default."""
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise LabrigError(
            f"{name} cannot be {value!r}", where="sandbox", expected=f"a whole number, at least {least}"
        )


def _checked_roots(roots: Sequence[Path]) -> list[Path]:
    """Return the roots without links; a text would be taken for a list of its characters."""
    if isinstance(roots, (str, bytes, os.PathLike)):
        raise LabrigError("roots is one path", where="sandbox", expected="a list of folders")
    real = [Path(root).resolve() for root in roots]
    for root in real:
        if not root.is_dir():
            raise LabrigError(f"There is no folder {root}", where="roots of the sandbox", code="not_found")
    return [root for root in real if root != Path("/")]


def _check(job: Job) -> None:
    """Refuse what cannot be run, before anybody waits for it."""
    _check_types(job)
    if not job.code.strip():
        raise LabrigError("There is no code", where="code", expected="Python")
    if len(job.code) > MAX_CODE:
        raise LabrigError(
            f"The code has {len(job.code):,} characters",
            where="code",
            expected=f"at most {MAX_CODE:,}",
            code="limit",
        )
    if "\0" in job.code:
        raise LabrigError("The code holds a NUL character", where="code", expected="Python")
    try:
        job.code.encode()
    except UnicodeEncodeError:
        raise LabrigError(
            "The code holds half a surrogate pair", where="code", expected="valid Unicode"
        ) from None
    if job.display not in ("last", "always", "never"):
        raise LabrigError(
            f"There is no display {job.display!r}", where="display", expected="last, always, never"
        )
    if len(job.inputs) > MAX_INPUTS:
        raise LabrigError(
            f"There are {len(job.inputs)} inputs", where="inputs", expected=f"at most {MAX_INPUTS}"
        )
    for name in job.inputs:
        if (
            not name
            or name.startswith(".")
            or "/" in name
            or not name.isprintable()
            or len(name.encode()) > 200
        ):
            raise LabrigError(
                f"{name!r} cannot be the name of an input",
                where="inputs",
                expected="a file name without folders",
            )
    for name, function in job.functions.items():
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise LabrigError(
                f"{name!r} cannot be the name of a function", where="functions", code="internal"
            )
        if not callable(function):
            raise LabrigError(f"{name} is not a function", where="functions", code="internal")


def _check_types(job: Job) -> None:
    """Refuse what is of another type than its name says: a server may hand on what a client sent."""
    wanted: tuple[tuple[str, object, type, str], ...] = (
        ("code", job.code, str, "Python, as text"),
        ("seed", job.seed, int, "a whole number"),
        ("inputs", job.inputs, Mapping, "name -> path"),
        ("functions", job.functions, Mapping, "name -> async function"),
        ("limits", job.limits, Limits, "Limits"),
    )
    for name, value, kind, expected in wanted:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise LabrigError(
                f"{name} is of the type {type(value).__name__}",
                where=name,
                expected=expected,
                code="internal" if kind is Limits else "bad_input",
            )
    if abs(job.seed) >= 1 << 64:
        raise LabrigError("seed is too large", where="seed", expected="less than 2^64")
    for name, path in job.inputs.items():
        if not isinstance(name, str) or not isinstance(path, (str, os.PathLike)) or "\0" in os.fspath(path):
            raise LabrigError(
                "An input is not a path with a name", where=f"inputs[{name!r}]", expected="name -> path"
            )
