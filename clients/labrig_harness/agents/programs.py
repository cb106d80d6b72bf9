"""What agent programs have in common: a private place, a cell around it, a log that is read as it grows, an end.

A program gets the item's tools through a shim and a socket, so that every call is recorded by us. It runs under a
supervisor (`labrig.process`) that ends it and all it started when it is done, when a limit is reached, or when this
process dies. Its standard output is kept beside the record, keys left out; what the record says is read from
there by `labrig_harness.formats`, and linked to the recorded calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

from labrig import process
from labrig.errors import LabrigError, unknown_name
from labrig.redaction import redact, redact_bytes
from labrig_harness import confinement, outfolder
from labrig_harness.agent import (
    Agent,
    AgentSpec,
    Bench,
    CostLimit,
    ModelError,
    RateLimited,
    Refused,
    ServerError,
    StepLimit,
    TokenLimit,
)
from labrig_harness.recording import shim as shim_module
from labrig_harness.suite import Arm
from labrig_harness.trajectory import Cost, Tokens

if TYPE_CHECKING:
    from labrig_harness.formats import ReadRun
    from labrig_harness.models.prices import PriceTable

LINE_BYTES = 16 << 20
"""A longer line of a log is cut."""
LOG_BYTES = 256 << 20
"""A program that writes more is ended."""
STDERR_BYTES = 16 << 20
RATE = re.compile(
    r"\b(429|529)\b|rate.?limit|overloaded|resource.?exhausted|quota|too many requests", re.IGNORECASE
)
PASSED_ON = (
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
)
"""What a program needs of this process's environment to reach the network; no key is among it."""
PATH = "/usr/local/bin:/usr/bin:/bin"


class AgentFailed(Exception):
    """The agent program failed: it could not be started, crashed, or wrote too much."""


def make(spec: AgentSpec) -> Agent:
    """Return the agent for a spec of one of `labrig_harness.agents.PROGRAMS`.

    Raises
    ------
    LabrigError
        For a program that is not installed, a setting that it does not take, or confinement that cannot be had.
    """
    if spec.kind == "claude-code":
        from labrig_harness.agents.claude_code import ClaudeCode

        return ClaudeCode(spec)
    if spec.kind == "codex":
        from labrig_harness.agents.codex import Codex

        return Codex(spec)
    if spec.kind == "gemini":
        from labrig_harness.agents.gemini import Gemini

        return Gemini(spec)
    from labrig_harness.agents.command import Command

    return Command(spec)


@dataclass(frozen=True)
class Visit:
    """What a program is given for one item.

    Attributes
    ----------
    home, cwd
        Its own HOME and working folder; the latter is the item's workspace where the arm says ``builtin_tools``.
    shim
        The command that is its MCP server, and `server` the name to give it.
    """

    bench: Bench
    home: Path
    cwd: Path
    server: str
    shim: tuple[str, ...]


@dataclass(frozen=True)
class Launch:
    """How to start a program; `env` is added to a small private environment."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    readable: tuple[Path, ...] = ()


class Progress:
    """What a program has done so far, counted from the lines of its log while it runs.

    A turn is one reply of the model: a call that begins while none is open begins a new one.

    Attributes
    ----------
    turns
        Turns that made calls, for a program that has no limit of its own on them.
    tokens
        Of each reply, as far as the log shows them while it grows; the last count of a reply stands.
    """

    def __init__(self, cost: Callable[[Tokens], Cost] | None) -> None:
        self.turns = 0
        self.tokens: dict[str, Tokens] = {}
        self._open: set[str] = set()
        self._cost = cost

    def begin(self, call: str) -> None:
        """Note that a call was made."""
        if not self._open:
            self.turns += 1
        self._open.add(call)

    def end(self, call: str) -> None:
        """Note that a call's result came back."""
        self._open.discard(call)

    def over(self, arm: Arm) -> Exception | None:
        """Return the limit that is reached, if one is: the program would now begin another turn."""
        if self.turns >= arm.max_steps and not self._open:
            return StepLimit(f"{arm.max_steps} steps")
        return over_budget(arm, sum(self.tokens.values(), Tokens(measured=True)), self._cost)


def over_budget(arm: Arm, spent: Tokens, cost: Callable[[Tokens], Cost] | None) -> Exception | None:
    """Return the limit on tokens or cost that is reached, if one is."""
    if arm.max_tokens is not None and spent.total >= arm.max_tokens:
        return TokenLimit(f"{spent.total} of {arm.max_tokens} tokens")
    if arm.max_cost is not None and cost is not None and cost(spent).amount >= arm.max_cost:
        return CostLimit(f"{cost(spent).amount:.4g} of {arm.max_cost:g} {cost(spent).currency}")
    return None


class Program:
    """An agent program.

    A subclass says how its program is found, configured and started (`launch`), how the log shows progress while
    it grows (`watch`), and which reader understands the whole of it (`read`).
    """

    kind: ClassVar[str]
    binary: ClassVar[str] = ""
    package: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    """Environment variables of which one must hold a key."""
    settings: ClassVar[frozenset[str]] = frozenset()
    most_chars: ClassVar[int] = 0
    """Characters of a tool result that the program hands to its model whole, as measured; 0 for any number."""
    limits_calls: ClassVar[bool] = False
    """Whether the arm's steps are counted as calls, for want of a log that shows turns."""

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        known = self.settings | {"confine", "readable"}
        for name in spec.settings:
            if name not in known:
                raise unknown_name(f"setting of {self.kind}", name, known, where="--set")
        mode = self.setting("confine") or "auto"
        if mode not in get_args(confinement.Mode):
            raise unknown_name("way to confine", mode, get_args(confinement.Mode), where="--set confine")
        for path in self._readable():
            if not path.exists():
                raise LabrigError(
                    "There is no such file or folder", where=f"readable={path}", code="not_found"
                )
        self.prices = _prices(spec.prices)
        self.program = self.find()
        self.confinement = confinement.decide(cast("confinement.Mode", mode))

    # --------------------------------------------------------------------------- what a subclass says

    def launch(self, visit: Visit) -> Launch:
        """Return how to start the program for one item, having written its configuration."""
        raise NotImplementedError

    def watch(self, event: dict[str, Any], progress: Progress) -> None:
        """Take note of what one line of the log shows."""

    def read(self, log: Path, visit: Visit) -> ReadRun | None:
        """Read the whole log; None when it holds nothing."""
        raise NotImplementedError

    def find(self) -> Path:
        """Return the program's path."""
        found = shutil.which(self.binary)
        if not found:
            raise LabrigError(
                f"The program of the agent {self.kind} is not installed: {self.binary}",
                where="--agent",
                expected=f"{self.binary} on PATH",
                try_=f"npm install -g {self.package}",
                code="unavailable",
            )
        real = Path(os.path.realpath(found))
        # A script of npm finds what it needs beside its real place; a virtual environment's Python does not.
        return real if "node_modules" in real.parts else Path(found).absolute()

    # -------------------------------------------------------------------------------------- the agent

    def accept(self, arm: Arm) -> None:
        """Refuse an arm without tools, one whose results the program would cut, and a run without a key."""
        if not arm.server:
            raise LabrigError(
                f"The arm {arm.name} has no tools; {self.kind} would answer with a prompt of its own around it",
                where="--arm",
                try_="--agent direct or cot, or an arm with a server",
                code="refused",
            )
        if self.most_chars and arm.raw_chars > self.most_chars:
            raise LabrigError(
                f"{self.kind} cuts tool results: its model would not see the {arm.raw_chars} characters of this arm",
                where="--arm",
                expected=f"an arm of at most {self.most_chars} characters (as measured: docs/agent-programs.md)",
                try_="an arm with toc or outline, or --agent loop",
                code="refused",
            )
        if self.keys and not self.key_environment():
            raise LabrigError(
                f"{self.kind} has no key",
                where=" or ".join(self.keys),
                expected="an environment variable that holds it",
                code="unavailable",
            )
        if self.prices is not None:
            self.prices.price(self.spec.model)

    async def run(self, bench: Bench) -> None:
        """Run the program on one item, and read what it did from its log, however it ended."""
        bench.versions.update(await self.versions())
        log, read = bench.keep(self.log_name), None
        most = bench.arm.max_steps if self.limits_calls else None
        with private_folder() as place:
            visit: Visit | None = None
            try:
                async with bench.socket(max_calls=most) as socket:
                    visit = self._visit(bench, place, socket)
                    outcome, limit = await self._play(visit, place, socket, log)
            finally:
                if visit is not None and log.exists():
                    read = self.read(log, visit)
                self._adopt(bench, read)
        if limit is not None:
            raise limit
        bench.settle()
        spent = read.tokens if read is not None else Tokens()
        if (over := over_budget(bench.arm, spent, self._cost)) is not None:
            raise over
        conclude(self.kind, read, outcome)

    def _adopt(self, bench: Bench, read: ReadRun | None) -> None:
        """Take over what the log shows, and the cost: by the price table where one is named, else as it estimates."""
        bench.adopt(read.steps if read is not None else ())
        if read is None:
            return
        bench.versions.update({name: version for name, version in read.versions.items() if version})
        cost = self._cost(read.tokens) if self._cost is not None else read.cost
        if cost is not None:
            bench.charge(cost)

    @property
    def _cost(self) -> Callable[[Tokens], Cost] | None:
        from labrig_harness.models.prices import cost_of

        table = self.prices
        return None if table is None else lambda tokens: cost_of(tokens, self.spec.model, table)

    @property
    def log_name(self) -> str:
        """The name of the log beside the record."""
        return f"{self.kind}.jsonl"

    async def versions(self) -> dict[str, str]:
        """Return the program's version, as it says itself; asked once."""
        if self.program not in _versions:
            with private_folder() as place:
                limits = process.Limits(wall_s=60, memory_bytes=None, cpu_s=None, descriptors=None)
                done = await process.run(
                    [self.program, "--version"],
                    limits=limits,
                    cwd=place,
                    env=environment(place, self.program),
                )
            line = (done.stdout.decode(errors="replace").strip().splitlines() or [""])[-1]
            _versions[self.program] = line.split(" ")[0] if line[:1].isdigit() else line.rpartition(" ")[2]
        return {self.kind: _versions[self.program]}

    def setting(self, name: str) -> str:
        """Return a setting as text, empty where it is not given."""
        value = self.spec.settings.get(name)
        return "" if value is None else str(value)

    def _readable(self) -> tuple[Path, ...]:
        return tuple(Path(each).expanduser() for each in self.setting("readable").split(":") if each)

    def key_environment(self) -> dict[str, str]:
        """Return the keys that are handed to the program, and to nothing else."""
        return {name: os.environ[name] for name in self.keys if os.environ.get(name)}

    # ------------------------------------------------------------------------------------- one item

    def _visit(self, bench: Bench, place: Path, socket: Path) -> Visit:
        home, scratch, shim = place / "home", place / "scratch", place / "shim.py"
        for folder in (home, scratch):
            folder.mkdir()
        shim.write_bytes(Path(shim_module.__file__).read_bytes())
        python, _, _ = confinement.shim_python()
        return Visit(
            bench,
            home,
            bench.workspace if bench.arm.builtin_tools else scratch,
            bench.arm.server,
            (str(python), "-I", "-S", str(shim), str(socket)),
        )

    async def _play(
        self, visit: Visit, place: Path, socket: Path, log: Path
    ) -> tuple[process.Outcome, Exception | None]:
        """Run the program to its end; return how it ended, and the limit that ended it."""
        launch = self.launch(visit)
        env = {**environment(visit.home, self.program), **launch.env}
        progress = Progress(self._cost)
        argv = list(launch.argv)
        if self.confinement == confinement.BUBBLEWRAP:
            arguments = confinement.write_arguments(
                self._cell(visit, place, socket, launch), place, visit.cwd
            )
            argv = confinement.command(arguments, argv)
        else:
            temporary = visit.home / "tmp"  # in a cell, /tmp is the program's own
            temporary.mkdir()
            env["TMPDIR"] = str(temporary)
        limits: list[Exception] = []
        stop = asyncio.Event()

        def seen(line: bytes) -> None:
            with contextlib.suppress(ValueError, RecursionError, AttributeError, TypeError, KeyError):
                event = json.loads(line)
                if isinstance(event, dict):
                    self.watch(event, progress)
            over = progress.over(visit.bench.arm)
            if over is not None:
                end(over)

        def end(why: Exception) -> None:
            limits.append(why)
            stop.set()

        pipe = place / "stdout"
        os.mkfifo(pipe, 0o600)
        async with streamed(pipe, log, seen, end):
            outcome = await process.run(
                ["/bin/sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "sh", pipe, *argv],
                limits=process.Limits(
                    wall_s=None,  # the runner's to keep
                    cpu_s=None,
                    memory_bytes=None,  # Node reserves address space far beyond what it uses
                    output_bytes=STDERR_BYTES,
                    descriptors=None,
                    file_bytes=1 << 30,
                ),
                cwd=visit.cwd,
                env=env,
                stdin=launch.stdin,
                stop=stop,
            )
        return outcome, limits[0] if limits else None

    def _cell(self, visit: Visit, place: Path, socket: Path, launch: Launch) -> confinement.Cell:
        _, needed, sites = confinement.shim_python()
        return confinement.Cell(
            readable=(
                *confinement.installation(self.program),
                *launch.readable,
                *self._readable(),
                *(Path(value) for name in PASSED_ON if (value := os.environ.get(name, "")).startswith("/")),
                *needed,
                Path(visit.shim[3]),
                socket,
            ),
            writable=(visit.home, *dict.fromkeys((place / "scratch", visit.cwd))),
            hidden=(*sites, records_above(visit.bench.keep(self.log_name))),
            network=self.setting("network").lower() != "false",
        )


_versions: dict[Path, str] = {}


def records_above(kept: Path) -> Path:
    """Return the output folder that a kept file lies in: the folder that holds the truths."""
    return next((each for each in kept.parents if (each / "tasks.jsonl").exists()), kept.parent)


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """Give a folder of our own for the time of one item; the next run removes what a killed one left behind."""
    folder = Path(tempfile.mkdtemp(prefix=outfolder.workspace_prefix()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, onerror=_unlock)


def _unlock(remove: Callable[..., Any], path: str, _: object) -> None:
    """Remove what a program made read-only."""
    with contextlib.suppress(OSError):
        for each in (os.path.dirname(path), path):  # noqa: PTH120
            if not os.path.islink(each):  # noqa: PTH114
                os.chmod(each, stat.S_IRWXU)  # noqa: PTH101
        remove(path)


def environment(home: Path, program: Path) -> dict[str, str]:
    """Return the environment of a program: nothing of this process's but what the network needs."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    runs_it = confinement.interpreter(program)
    path = f"{runs_it.parent}:{PATH}" if runs_it else PATH
    return {"HOME": str(home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", **passed}


def bare_model(model: str, *providers: str) -> str:
    """Return a model's name as its own program takes it.

    >>> bare_model("anthropic:claude-x", "anthropic"), bare_model("claude-x", "anthropic")
    ('claude-x', 'claude-x')
    """
    provider, colon, name = model.partition(":")
    return name if colon and provider in providers else model


def last_run(runs: Sequence[ReadRun]) -> ReadRun | None:
    """Return the run of a log that one program wrote on one item."""
    return runs[-1] if runs else None


def keep_redacted(source: Path, kept: Path) -> bool:
    """Copy a file that a program wrote, keys left out; False when it is no plain file or too long."""
    if source.is_symlink() or not source.is_file() or source.stat().st_size > LOG_BYTES:
        return False
    with source.open("rb") as lines, kept.open("wb") as file:
        file.writelines(map(redact_bytes, lines))
    return True


def _prices(path: str) -> PriceTable | None:
    if not path:
        return None
    from labrig_harness.models import prices

    return prices.load(Path(path))


@contextlib.asynccontextmanager
async def streamed(
    pipe: Path, log: Path, seen: Callable[[bytes], None], end: Callable[[Exception], None]
) -> AsyncIterator[None]:
    """Copy what comes out of a named pipe into a log, a line at a time, while the block runs.

    Parameters
    ----------
    seen
        Is given each line that was not cut.
    end
        Is given the reason when no more can be written: too much came, or the disk is full.
    """
    loop = asyncio.get_running_loop()
    reader = os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0)
    with contextlib.suppress(
        OSError, AttributeError
    ):  # Node may exit before a full pipe has taken all it wrote
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)
    with log.open("ab", buffering=0) as file:
        lines = _Lines(loop, file, seen, end)
        transport, _ = await loop.connect_read_pipe(lambda: lines, reader)
        try:
            yield
            await asyncio.wait([lines.closed], timeout=5)  # what is still in the pipe
        finally:
            transport.close()
            lines.finish()


class _Lines(asyncio.Protocol):
    """Writes a program's output line by line: keys left out, long lines cut, up to `LOG_BYTES`."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        file: RawIOBase,
        seen: Callable[[bytes], None],
        end: Callable[[Exception], None],
    ) -> None:
        self.closed: asyncio.Future[None] = loop.create_future()
        self._file, self._seen, self._end = file, seen, end
        self._line = bytearray()
        self._cut = self._full = False
        self._left = LOG_BYTES

    def data_received(self, data: bytes) -> None:
        if self._full:
            return
        first, *others = data.split(b"\n")
        self._add(first)
        for each in others:
            self.finish()
            self._add(each)
        self._left -= len(data)
        if self._left < 0:
            self._stop(AgentFailed(f"the program wrote more than {LOG_BYTES >> 20} MB"))

    def _add(self, part: bytes) -> None:
        room = LINE_BYTES - len(self._line)
        self._line += part[: max(0, room)]
        self._cut = self._cut or len(part) > room

    def finish(self) -> None:
        """Write the line; the last one may lack its end."""
        line, self._line, cut, self._cut = bytes(self._line), bytearray(), self._cut, False
        if self._full or not line:
            return
        try:
            self._file.write(redact_bytes(line) + b"\n")
        except OSError as error:
            self._stop(error)
        else:
            if not cut:
                self._seen(line)

    def _stop(self, why: Exception) -> None:
        if not self._full:
            self._full = True
            self._end(why)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)


def conclude(kind: str, read: ReadRun | None, outcome: process.Outcome) -> None:
    """Raise what ended a run, if it was not the agent's own decision; the log knows better than the exit code."""
    end, detail = (read.end, read.end_detail) if read is not None else ("answered", "")
    detail = redact(detail)[:500]
    if end == "model_error":
        raise RateLimited(detail) if RATE.search(detail) else ModelError(detail)
    ends: dict[str, type[Exception]] = {
        "step_limit": StepLimit,
        "token_limit": TokenLimit,
        "cost_limit": CostLimit,
        "refused": Refused,
        "server_error": ServerError,
        "agent_error": AgentFailed,
    }
    if end in ends:
        raise ends[end](detail)
    if outcome.kind != "ok":
        raise AgentFailed(how(kind, outcome))


def how(kind: str, outcome: process.Outcome) -> str:
    """Say how a program ended that did not end well, in one line."""
    told = outcome.stderr.decode(errors="replace").strip().splitlines()
    last = f": {redact(told[-1])[:300]}" if told else ""
    if outcome.kind == "exit":
        return f"{kind} ended with exit code {outcome.returncode}{last}"
    if outcome.kind == "signal":
        return f"{kind} was killed by {outcome.signal}{last}"
    if outcome.kind == "output_limit":
        return f"{kind} wrote more than {STDERR_BYTES >> 20} MB of errors"
    return f"{kind}: {outcome.kind} {outcome.reason}{last}"
