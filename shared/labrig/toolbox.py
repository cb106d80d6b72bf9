"""A server's tools, declared: which toolset each belongs to, what it may touch, what it returns.

A server module makes one `Toolbox` and decorates plain async functions with it. Nothing here imports
FastMCP, so a server's tools can be listed and called without it; `labrig.serving.builder` makes the MCP
server. Inside a tool, `session()` gives the caller's workspace and the server's engines.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig import __version__, server_settings
from labrig.artifacts import ArtifactStore
from labrig.errors import LabrigError, unknown_name
from labrig.jobs import Jobs
from labrig.progress import Progress
from labrig.server_settings import ServerSetting, Value
from labrig.workspace import Workspace

if TYPE_CHECKING:
    from labrig.http.services import Service

Tool = Callable[..., Awaitable[Any]]
MAX_INSTRUCTIONS = 600
DEFAULT_TOOLSET = "default"
DEFAULT_TOOLSET_IS_FOR = "what a server serves unless --toolsets says otherwise"


@dataclass(frozen=True)
class ServeOptions:
    """How one server instance is set up; every field has a flag of ``labrig serve``.

    Attributes
    ----------
    toolsets
        Toolsets to serve, in order: where two hold a tool of one name, the first wins.
    tools
        Only these tools, whatever their toolset; empty means all of `toolsets`.
    read_only
        Only tools that change nothing.
    workspace
        The writable folder; None means a fresh one below ``LABRIG_HOME``.
    roots
        Read-only folders.
    output
        An output protocol, fixed: it then leaves the schema of every tool that has one.
    log_calls
        A folder for ``labrig.call/1`` records.
    unsafe_local
        Code of agents runs without the sandbox's protection.
    http_mode, ledger
        How the network is asked (``live``, ``record``, ``replay``, ``refresh``) and where answers are recorded; empty
        and None mean the settings ``http.mode`` and ``http.ledger``: see `labrig.http`.
    settings
        Of the server, by the names that its toolbox declares, as text.
    tokens
        Bearer tokens that an HTTP client must present one of; each gets a workspace of its own.
    """

    toolsets: tuple[str, ...] = (DEFAULT_TOOLSET,)
    tools: tuple[str, ...] = ()
    read_only: bool = False
    workspace: Path | None = None
    roots: tuple[Path, ...] = ()
    output: str | None = None
    log_calls: Path | None = None
    unsafe_local: bool = False
    http_mode: str = ""
    ledger: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolSpec:
    """One declared tool: the function, and what clients are told of it."""

    name: str
    function: Tool
    toolsets: tuple[str, ...]
    title: str
    description: str
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    faithful: bool
    picture: bool
    waits: bool
    first: bool = False
    words: str = ""


@dataclass(frozen=True)
class Session:
    """What a tool may use during one call.

    Attributes
    ----------
    owner
        Whose call this is: ``local``, or a hash of the bearer token.
    state
        What the toolbox's `opens` function yielded (engines), shared by all callers.
    setting
        Gives the value of a setting that the toolbox declares.
    progress
        Is told how far the call is, from any thread: ``session().progress(0.3, "day 3 of 10")``.
    """

    owner: str
    workspace: Workspace
    artifacts: ArtifactStore
    jobs: Jobs
    options: ServeOptions
    state: Any
    setting: Callable[[str], Value]
    progress: Progress = field(default_factory=Progress)


_session: ContextVar[Session] = ContextVar("labrig_session")


def session() -> Session:
    """Return the session of the call that is being served."""
    try:
        return _session.get()
    except LookupError:
        raise LabrigError(
            "No session: this tool was called outside a server",
            try_="use the functions of the server's other modules, which need none",
            code="internal",
        ) from None


Opens = Callable[[ServeOptions], AbstractAsyncContextManager[Any]]


@asynccontextmanager
async def _opens_nothing(options: ServeOptions) -> AsyncIterator[None]:
    yield None


@dataclass
class Toolbox:
    """The tools of one server.

    Parameters
    ----------
    name
        Short name: ``phreeqc``; the console script is ``labrig-<name>``.
    instructions
        What the server is for and how to begin; at most 600 characters.
    opens
        Async context manager over the server's life, yielding what tools find as ``session().state``.
        It should open engines on first use, not at once: tools/list must not wait.
    begins
        Starts what may load while the server does, before any loop runs.
    outputs
        Output protocols that ``--output`` may fix; empty where the server has none.
    doctor
        Gives lines for ``labrig doctor``: which engine is in use, what is missing.
    toolsets
        What each toolset is for, in a line, by its name; the default one need not be named, and stands first. A tool
        that names another one is refused when it is declared.
    settings
        What ``--set NAME=VALUE`` may name, with types and defaults.
    reads
        Names of its section of the configuration that it reads by `labrig.config.setting` and ``--set`` may not name.
        Where it says so, a name that is neither is refused at the start.
    services
        What it may ask on the network: their keys in its section of the configuration are read, the help names them,
        ``labrig doctor`` says which is not set.
    job_slots, job_places
        Jobs of one caller that run at a time (None for all processors but one), and that may wait.
    """

    name: str
    title: str
    instructions: str
    opens: Opens = _opens_nothing
    begins: Callable[[ServeOptions], None] | None = None
    outputs: tuple[str, ...] = ()
    doctor: Callable[[], Iterable[str]] | None = None
    toolsets: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[ServerSetting, ...] = ()
    reads: tuple[str, ...] | None = None
    services: tuple[Service, ...] = ()
    job_slots: int | None = None
    job_places: int = 16
    version: str = __version__
    specs: list[ToolSpec] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.instructions) > MAX_INSTRUCTIONS:
            raise ValueError(
                f"instructions of {self.name}: {len(self.instructions)} > {MAX_INSTRUCTIONS} characters"
            )
        if nameless := [name for name, about in self.toolsets.items() if not about.strip()]:
            raise ValueError(f"{self.name}: what is the toolset {nameless[0]} for?")
        given = self.toolsets.get(DEFAULT_TOOLSET, DEFAULT_TOOLSET_IS_FOR)
        self.toolsets = {DEFAULT_TOOLSET: given, **self.toolsets}
        if len({each.name for each in self.services}) < len(self.services):
            raise ValueError(f"{self.name}: two services of one name")
        if self.services and self.reads is not None:
            from labrig.http.services import key_names  # a server that asks nobody does without

            self.reads = tuple(dict.fromkeys((*self.reads, *key_names(self.name, self.services))))

    def tool(
        self,
        *,
        read_only: bool,
        title: str,
        toolsets: tuple[str, ...] = (DEFAULT_TOOLSET,),
        name: str = "",
        description: str = "",
        destructive: bool = False,
        idempotent: bool = True,
        open_world: bool = False,
        faithful: bool = False,
        picture: bool = False,
        waits: bool = False,
        first: bool = False,
        words: str = "",
    ) -> Callable[[Tool], Tool]:
        """Declare a tool. `read_only` and `title` have no default: every tool carries its annotations.

        A faithful tool returns `Published`, one that draws `Picture` or `Pictures` (or, with nothing to show, an
        `Answer`), any other `Answer`. Name and description are
        the function's, unless they are given. A tool that only waits for something takes no turn of the server.
        Clients that defer tools list the `first` one of a server at once, where the work begins, and search the
        others also by `words`, for which a description has no room.
        """

        def declare(function: Tool) -> Tool:
            for toolset in toolsets:
                if toolset not in self.toolsets:
                    raise ValueError(str(unknown_name("toolset", toolset, self.toolsets, where=self.name)))
            spec = ToolSpec(
                name or function.__name__,
                function,
                toolsets,
                title,
                description or inspect.cleandoc(function.__doc__ or ""),
                read_only,
                destructive,
                idempotent,
                open_world,
                faithful,
                picture,
                waits,
                first,
                words,
            )
            for other in self.specs:
                if other.name == spec.name and set(other.toolsets) & set(toolsets):
                    raise ValueError(f"{self.name}: two tools {spec.name} in one toolset")
            self.specs.append(spec)
            return function

        return declare

    @property
    def described_toolsets(self) -> str:
        """The toolsets in words, a line each, for the help of a command."""
        width = max(map(len, self.toolsets))
        lines = [f"  {name:{width}}  {about}" for name, about in self.toolsets.items()]
        return "\n".join([f"toolsets of {self.name} (--toolsets A,B):", *lines])

    @property
    def help(self) -> str:
        """What ``--help`` says of this server beside its flags: toolsets, settings and services, a line each."""
        parts = [self.described_toolsets, server_settings.described(self.name, self.settings)]
        if self.services:
            from labrig.http.services import described

            parts.append(described(self.services))
        return "\n\n".join(parts)

    def checkup(self) -> Iterable[str]:
        """Yield the lines of ``labrig doctor``: those of `doctor`, and one for each service."""
        yield from self.doctor() if self.doctor else ()
        if self.services:
            from labrig.http.services import states

            yield from states(self.services)

    def setting(self, options: ServeOptions, name: str) -> Value:
        """Return what a declared setting is under these options."""
        return server_settings.value_of(self.name, self.settings, options.settings, name)

    def select(self, options: ServeOptions) -> list[ToolSpec]:
        """Return the tools that these options serve, in the order they were declared.

        Raises
        ------
        LabrigError
            For a toolset, tool or output protocol that does not exist, for an invalid setting, or when nothing
            is left.
        """
        for toolset in options.toolsets:
            if toolset not in self.toolsets:
                raise unknown_name("toolset", toolset, self.toolsets, where="--toolsets")
        server_settings.check(self.settings, options.settings)
        server_settings.check_configured(self.name, self.settings, options.settings, self.reads)
        if options.output is not None and not _known_output(options.output, self.outputs):
            raise unknown_name("output protocol", options.output, self.outputs, where="--output")
        chosen: dict[str, ToolSpec] = {}
        order = (*options.toolsets, *(self.toolsets if options.tools else ()))
        for toolset in order:
            for spec in self.specs:
                if toolset in spec.toolsets:
                    chosen.setdefault(spec.name, spec)
        if options.tools:
            for tool in options.tools:
                if tool not in chosen:
                    raise unknown_name("tool", tool, chosen, where="--tools")
            chosen = {key: spec for key, spec in chosen.items() if key in options.tools}
        kept = [spec for spec in self.specs if spec in chosen.values()]
        if options.read_only:
            kept = [spec for spec in kept if spec.read_only]
        if not kept:
            raise LabrigError(
                "These options leave no tool to serve", where="--toolsets, --tools, --read-only"
            )
        return kept


def _known_output(output: str, outputs: tuple[str, ...]) -> bool:
    """``raw:N`` stands for any whole number N of characters."""
    if output in outputs:
        return True
    head, _, tail = output.partition(":")
    return f"{head}:N" in outputs and tail.isdigit() and int(tail) > 0
