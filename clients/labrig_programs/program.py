"""What agent programs have in common: a private place, a cell around it, a log that is read as it grows, an end.

A program gets the item's tools through a shim and a socket, so that every call is recorded by us. It runs under a
supervisor (`labrig.isolation.process`) that ends it and all it started when it is done, when a limit is reached, or
when this process dies. Its standard output is kept beside the record, keys left out; what the record says is read from
there by `labrig_programs.reading`, and linked to the recorded calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

from labrig.errors import LabrigError, unknown_name
from labrig.isolation import process
from labrig.workspace import PRIVATE
from labrig_harness.agent import AgentSpec, Bench
from labrig_harness.arm import Arm
from labrig_harness.endings import Ending
from labrig_harness.limits import reached
from labrig_harness.trajectory import Cost, Step, Tokens, ToolCall
from labrig_programs import confinement, shim
from labrig_programs.concluding import STDERR_BYTES, conclude
from labrig_programs.private import PASSED_ON, environment, private_folder, records_above
from labrig_programs.reading.building import seen_text
from labrig_programs.streaming import streamed

if TYPE_CHECKING:
    from labrig_harness.models.prices import PriceTable
    from labrig_programs.reading.read_run import ReadRun
    from labrig_programs.way_out import WayOut


SHIM = Path(shim.__file__)
"""The one file that a program's cell needs beside the socket."""


@dataclass(frozen=True)
class Visit:
    """What a program is given for one item.

    Attributes
    ----------
    home, cwd
        Its own HOME and working folder; the latter is the item's workspace where the arm says ``builtin_tools``.
    shims
        By the name to give it, the command that is an MCP server: one for each server of the arm.
    """

    bench: Bench
    home: Path
    cwd: Path
    shims: dict[str, tuple[str, ...]]

    def mcp_config(self) -> dict[str, Any]:
        """Return the servers in the form that most programs read."""
        return {
            "mcpServers": {
                name: {"type": "stdio", "command": command[0], "args": list(command[1:])}
                for name, command in self.shims.items()
            }
        }


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

    def over(self, arm: Arm) -> Ending | None:
        """Return the limit that is reached, if one is: the program would now begin another turn."""
        spent = sum(self.tokens.values(), Tokens(measured=True))
        cost = self._cost(spent) if self._cost is not None else None
        return reached(arm, turns=0 if self._open else self.turns, tokens=spent.total, cost=cost)


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
    hosts: ClassVar[tuple[str, ...]] = ()
    """Hosts of its model's service, where the setting ``base_url`` names no other; empty where they are not known."""
    settings: ClassVar[frozenset[str]] = frozenset()
    most_chars: ClassVar[int] = 0
    """Characters of a tool result that the program hands to its model whole, as measured; 0 for any number."""
    limits_calls: ClassVar[bool] = False
    """Whether the arm's steps are counted as calls, for want of a log that shows turns."""
    takes_command: ClassVar[bool] = False
    """Whether the program is named by the words after ``--``."""

    def __init__(self, spec: AgentSpec, seed: str = "") -> None:
        if spec.command and not self.takes_command:
            raise LabrigError(f"The agent {self.kind!r} takes no command", where="--", try_="--agent command")
        self.spec = spec
        known = self.settings | {"confine", "readable"}
        for name in spec.settings:
            if name not in known:
                raise unknown_name(f"setting of {self.kind}", name, known, where="--set")
        mode = self.setting("confine") or "auto"
        if mode not in get_args(confinement.Mode):
            raise unknown_name("way to confine", mode, get_args(confinement.Mode), where="--set confine")
        for path in self._list_readable():
            if not path.exists():
                raise LabrigError(
                    "There is no such file or folder", where=f"readable={path}", code="not_found"
                )
        self.prices = _load_prices(spec.prices)
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
        if not arm.server and not arm.builtin_tools:
            raise LabrigError(
                f"The arm {arm.name} has no tools; {self.kind} would answer with a prompt of its own around it",
                where="--arm",
                try_="--agent direct or cot, --native, or an arm with a server",
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
        if arm.web_tools and self.confinement != confinement.BUBBLEWRAP:
            raise LabrigError(
                "What a program asks of the web is recorded under bubblewrap alone, which cannot be used here",
                where="--native-web",
                try_="--native, or install bubblewrap",
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
                async with bench.sockets(max_calls=most) as sockets, self._open_way_out(bench) as way:
                    visit = self._make_visit(bench, place, sockets)
                    outcome, limit = await self._play_visit(visit, place, sockets, log, way)
            finally:
                if visit is not None and log.exists():
                    read = self.read(log, visit)
                self._adopt_log(bench, read)
        if limit is not None:
            raise limit
        bench.settle()
        spent = read.tokens if read is not None else Tokens()
        cost = self._cost(spent) if self._cost is not None else None
        limit = reached(bench.arm, turns=0, tokens=spent.total, cost=cost)
        if limit is not None:
            raise limit
        conclude(self.kind, read, outcome)

    def _adopt_log(self, bench: Bench, read: ReadRun | None) -> None:
        """Take over what the log shows, and the cost: by the price table where one is named, else as it estimates."""
        bench.adopt(_tell_results(read) if read is not None else ())
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

    def _list_readable(self) -> tuple[Path, ...]:
        return tuple(Path(each).expanduser() for each in self.setting("readable").split(":") if each)

    def key_environment(self) -> dict[str, str]:
        """Return the keys that are handed to the program, and to nothing else."""
        return {name: os.environ[name] for name in self.keys if os.environ.get(name)}

    # ------------------------------------------------------------------------------------- one item

    @contextlib.asynccontextmanager
    async def _open_way_out(self, bench: Bench) -> AsyncIterator[WayOut | None]:
        """Give the way out of a cell without a network, where the program has tools of its own; else None."""
        arm, base_url = bench.arm, self.setting("base_url")
        hosts = () if base_url else self.hosts
        known = bool(hosts or base_url or arm.web_tools)
        if self.confinement != confinement.BUBBLEWRAP or not (arm.builtin_tools and known):
            yield None
            return
        from labrig_programs.way_out import LOG, trusted_origins, way_out

        origins = [base_url, *(trusted_origins() if arm.web_tools else ())]
        async with way_out(bench.keep(LOG), hosts, origins, web=arm.web_tools) as way:
            yield way

    def _make_visit(self, bench: Bench, place: Path, sockets: dict[str, Path]) -> Visit:
        home, scratch, joiner = place / "home", place / "scratch", place / SHIM.name
        for folder in (home, scratch):
            folder.mkdir()
        joiner.write_bytes(SHIM.read_bytes())
        python, _, _ = confinement.shim_python()
        return Visit(
            bench,
            home,
            bench.workspace if bench.arm.builtin_tools else scratch,
            {name: tuple(shim.command(path, python, str(joiner))) for name, path in sockets.items()},
        )

    async def _play_visit(
        self, visit: Visit, place: Path, sockets: dict[str, Path], log: Path, way: WayOut | None
    ) -> tuple[process.Outcome, Exception | None]:
        """Run the program to its end; return how it ended, and the limit that ended it."""
        launch = self.launch(visit)
        env = {**environment(visit.home, self.program), **launch.env}
        progress = Progress(self._cost)
        argv = list(launch.argv)
        if way is not None:
            python, _, _ = confinement.shim_python()
            joiner = [str(python), "-I", "-S", str(place / SHIM.name), "--doors"]
            env |= way.environment
            argv = [*joiner, *way.words(), "--", *argv]
        if self.confinement == confinement.BUBBLEWRAP:
            arguments = confinement.write_arguments(
                self._make_cell(visit, place, sockets, launch, way), place, visit.cwd
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

    def _make_cell(
        self, visit: Visit, place: Path, sockets: dict[str, Path], launch: Launch, way: WayOut | None
    ) -> confinement.Cell:
        _, needed, sites = confinement.shim_python()
        private = visit.bench.workspace / PRIVATE
        # Servers write into its private folder, confined by nothing: no link may lead them away.
        if visit.cwd == visit.bench.workspace:
            private.mkdir(exist_ok=True)
        return confinement.Cell(
            readable=(
                *confinement.installation(self.program),
                *launch.readable,
                *self._list_readable(),
                *(Path(value) for name in PASSED_ON if (value := os.environ.get(name, "")).startswith("/")),
                *needed,
                place / SHIM.name,
                *sockets.values(),
                *(way.doors.values() if way is not None else ()),
            ),
            writable=(visit.home, *dict.fromkeys((place / "scratch", visit.cwd))),
            hidden=(*sites, records_above(visit.bench.keep(self.log_name)), private),
            network=way is None and self.setting("network").lower() != "false",
        )


_versions: dict[Path, str] = {}


def _tell_results(read: ReadRun) -> list[Step]:
    """Return the steps of a log; what a tool of the program's own answered is told in its call, as no record has it."""

    def tell(call: ToolCall) -> ToolCall:
        given = read.results.get(call.id)
        if given is None or call.told or call.meta.get("server"):
            return call
        return replace(call, told=seen_text(given.get("content")))

    return [replace(step, calls=tuple(map(tell, step.calls))) for step in read.steps]


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


def _load_prices(path: str) -> PriceTable | None:
    if not path:
        return None
    from labrig_harness.models import prices

    return prices.load(Path(path))
