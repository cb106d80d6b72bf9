"""Finding and reaching servers: by name, by URL, or as a command."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from labrig import server_settings
from labrig.errors import LabrigError, unknown_name
from labrig.toolbox import ServeOptions, Toolbox
from labrig_harness.registry.entries import entries, one, unimportable

if TYPE_CHECKING:
    from fastmcp.client.transports import ClientTransport

STARTER: ContextVar[Callable[[str, ServeOptions], list[str]] | None] = ContextVar(
    "labrig_starter", default=None
)
"""What makes the command that starts a named server, where it is not `command`: see `labrig_harness.recording.warm`."""


def names() -> list[str]:
    """Return the names of the installed servers (entry points of the group ``labrig.servers``)."""
    return sorted({each.name for each in entries("labrig.servers")})


def entry(name: str) -> str:
    """Return where the toolbox of a server is found: ``labrig_phreeqc.server:toolbox``."""
    return one("labrig.servers", name, "server").value


def package(name: str) -> str:
    """Return the import package of a server: ``labrig_phreeqc``."""
    return entry(name).split(":")[0].split(".")[0]


def toolbox(name: str) -> Toolbox:
    """Import a server and return its toolbox."""
    found = one("labrig.servers", name, "server")
    try:
        loaded = found.load()
    except Exception as error:  # whatever a module does at import is not to take the house down
        raise unimportable("server", found, error) from error
    if not isinstance(loaded, Toolbox):
        raise LabrigError(f"The entry point of server {name!r} is not a Toolbox", where=found.value)
    return loaded


def settings_of(pairs: Sequence[str], among: Sequence[str], *, flag: str) -> dict[str, dict[str, str]]:
    """Read ``[SERVER.]NAME=VALUE`` words by server, by default of the first one; each server must declare its own."""
    settings: dict[str, dict[str, str]] = {}
    for name, value in server_settings.read_pairs(pairs, flag=flag).items():
        server, dot, own = name.partition(".")
        server, own = (server, own) if dot else (among[0] if among else "", name)
        if server not in among:
            raise unknown_name("server here", server, among, where=flag)
        server_settings.check(toolbox(server).settings, {own: value}, flag=flag)
        settings.setdefault(server, {})[own] = value
    return settings


def toolsets_of(words: Sequence[str], among: Sequence[str], *, flag: str) -> dict[str, list[str]]:
    """Read ``[SERVER.]A,B`` words by server, by default of the first one; each server must have its own."""
    found: dict[str, list[str]] = {}
    for word in words:
        first, dot, rest = word.partition(".")
        server, listed = (first, rest) if dot else (among[0] if among else "", word)
        if server not in among:
            raise unknown_name("server here", server, among, where=flag)
        for toolset in listed.split(","):
            if toolset not in toolbox(server).toolsets:
                raise unknown_name("toolset", toolset, toolbox(server).toolsets, where=f"{flag} {word}")
            found.setdefault(server, []).append(toolset)
    return found


def serve_flags(options: ServeOptions) -> list[str]:
    """Return the flags that make a server with these options (the inverse of `labrig.serving.serve.serve_options`)."""
    flags: list[str] = ["--toolsets", ",".join(options.toolsets)]
    if options.tools:
        flags += ["--tools", ",".join(options.tools)]
    if options.read_only:
        flags.append("--read-only")
    if options.workspace is not None:
        flags += ["--workspace", str(options.workspace)]
    for root in options.roots:
        flags += ["--root", str(root)]
    if options.output is not None:
        flags += ["--output", options.output]
    if options.log_calls is not None:
        flags += ["--log-calls", str(options.log_calls)]
    if options.unsafe_local:
        flags.append("--unsafe-local")
    for name, value in options.settings.items():
        flags += ["--set", f"{name}={value}"]
    if options.http_mode:
        flags += ["--http-mode", options.http_mode]
    if options.ledger is not None:
        flags += ["--ledger", str(options.ledger)]
    return flags


def command(name: str, options: ServeOptions) -> list[str]:
    """Return the command that serves `name` on stdio with this interpreter."""
    return [sys.executable, *module(name), *serve_flags(options)]


def module(name: str) -> list[str]:
    """Return what runs a server with Python: its own ``__main__`` if it has one, else that of this room.

    By ``-P`` a file of the folder in which it is started, such as a repository of others, is no module.
    """
    return ["-P", "-m", package(name)] if has_main(name) else ["-P", "-m", "labrig_harness.registry", name]


def has_main(name: str) -> bool:
    """Return whether the package of a server has a ``__main__`` of its own."""
    own = find_spec(package(name))
    folders = own.submodule_search_locations if own is not None else None  # one file has no __main__
    # Not `find_spec`, which would import the package.
    return folders is not None and PathFinder.find_spec(f"{package(name)}.__main__", folders) is not None


@dataclass(frozen=True)
class Target:
    """What SERVER on the command line stands for: a name, a URL, or a command after ``--``.

    Attributes
    ----------
    headers
        Of requests to the URL: name -> environment variable that holds the value, which is thus written nowhere.
    cwd
        The folder in which a command is started; None for that of this process.
    kept
        Whether a run keeps the process of a command from record to record, in a folder of its own: for a server that
        keeps nothing between calls and reads no file of a sample.
    """

    name: str = ""
    url: str = ""
    argv: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    kept: bool = False

    @classmethod
    def of_word(cls, word: str, folder: Path = Path()) -> Target:
        """Read a server of a run: ``NAME``, ``NAME=URL``, ``NAME=-- COMMAND``.

        A word of the command that is a file in `folder` becomes an absolute path, since the command is started in the
        sample's workspace.
        """
        name, given, what = word.partition("=")
        if word.startswith(("http://", "https://")):
            raise LabrigError(
                "A server that is reached by a URL needs a name", where=word, try_=f"NAME={word}"
            )
        if not given:
            entry(word)
            return cls(name=word)
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,39}", name):
            raise LabrigError(
                "This is no name for a server", where=word, expected="up to 40 letters, digits and hyphens"
            )
        if what.startswith(("http://", "https://")):
            return cls(name=name, url=check_url(what, where=word))
        if not what.startswith("-- "):
            raise LabrigError(
                "This is neither a URL nor a command",
                where=word,
                expected=f"{name}=https://..., or {name}=-- COMMAND",
            )
        try:
            words = shlex.split(what.removeprefix("-- "))
        except ValueError as error:
            raise LabrigError(f"The command cannot be read: {error}", where=word) from error
        if not words:
            raise LabrigError("The command is empty", where=word)
        return cls(name=name, argv=tuple(_make_absolute(each, folder) for each in words))

    @property
    def is_own(self) -> bool:
        """Whether it is a server that is installed here, by its name."""
        return not (self.url or self.argv)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``run.json`` holds of it; empty for a server that is installed here."""
        about = {
            "url": self.url,
            "argv": list(self.argv),
            "headers": dict(self.headers),
            "kept": self.kept,
        }
        return {key: value for key, value in about.items() if value}

    @classmethod
    def from_dict(cls, name: str, about: Mapping[str, Any]) -> Target:
        """Return what `to_dict` wrote."""
        argv, headers = tuple(about.get("argv", ())), about.get("headers", {})
        return cls(name, about.get("url", ""), argv, headers, kept=about.get("kept", False))

    @classmethod
    def parse(cls, server: str | None, argv: Sequence[str]) -> Target:
        """Read SERVER; exactly one of a name, a URL or a command must be given."""
        if argv and server:
            raise LabrigError("Both a server and a command are given", try_="leave one of them out")
        if argv:
            return cls(name=os.path.basename(argv[0]), argv=tuple(argv))  # noqa: PTH119
        if not server:
            raise LabrigError(
                "No server is named", expected=f"one of {', '.join(names())}, a URL, or -- command"
            )
        if server.startswith(("http://", "https://")):
            return cls(name=server, url=server)
        entry(server)
        return cls(name=server)

    def command(self, options: ServeOptions) -> list[str]:
        """Return the command that starts this target on stdio, afresh."""
        return list(self.argv) or command(self.name, options)

    def start(self, options: ServeOptions) -> list[str]:
        """Return the command that starts this target on stdio here: in a run, servers may be forked."""
        starter = STARTER.get()
        return self.command(options) if self.argv or starter is None else starter(self.name, options)

    def transport(self, options: ServeOptions, token: str = "") -> ClientTransport:
        """Return the client transport; `options` apply where we start the server ourselves."""
        from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

        if self.url:
            headers = {name: os.environ.get(variable, "") for name, variable in self.headers.items()}
            return StreamableHttpTransport(self.url, headers=headers, auth=token or None)
        argv = self.start(options)
        cwd = str(self.cwd) if self.cwd else None
        return StdioTransport(argv[0], argv[1:], env=dict(os.environ), cwd=cwd, keep_alive=False)

    @asynccontextmanager
    async def streams(self, options: ServeOptions, token: str, errors: Any) -> AsyncIterator[Any]:
        """Start or reach the server for the client of the MCP SDK; its standard error goes to the file `errors`."""
        from mcp.client.stdio import StdioServerParameters, stdio_client

        if self.url:
            from mcp.client.streamable_http import streamable_http_client
            from mcp.shared._httpx_utils import create_mcp_http_client

            headers = {name: os.environ.get(variable, "") for name, variable in self.headers.items()}
            headers |= {"Authorization": f"Bearer {token}"} if token else {}
            async with (
                create_mcp_http_client(headers) as http,
                streamable_http_client(self.url, http_client=http) as streams,
            ):
                yield streams
        else:
            argv = self.start(options)
            command = StdioServerParameters(
                command=argv[0], args=argv[1:], env=dict(os.environ), cwd=self.cwd
            )
            async with stdio_client(command, errlog=errors) as streams:
                yield streams


def check_url(url: str, *, where: str) -> str:
    """Return the URL of a server; one that holds a secret is refused, since it is recorded."""
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query:
        raise LabrigError(
            "The URL holds a user name, a password or a query, and it is recorded",
            where=where.partition("=")[0],
            try_="--server-header NAME.HEADER=VARIABLE, whose value stays in the environment",
        )
    return url


def headers_of(words: Sequence[str], targets: Mapping[str, Target]) -> dict[str, Target]:
    """Return the targets with the headers of ``NAME.HEADER=VARIABLE`` words; each variable must be set."""
    found = dict(targets)
    for word in words:
        place, given, variable = word.partition("=")
        name, dot, header = place.partition(".")
        if not (given and dot and header and variable):
            raise LabrigError("This is no header", where=word, expected="NAME.HEADER=VARIABLE")
        if name not in found or not found[name].url:
            raise unknown_name("server with a URL", name, [each.name for each in found.values() if each.url])
        if not os.environ.get(variable):
            raise LabrigError("The environment variable is not set", where=variable, code="unavailable")
        found[name] = replace(found[name], headers={**found[name].headers, header: variable})
    return found


def kept_of(names: Sequence[str], targets: Mapping[str, Target]) -> dict[str, Target]:
    """Return the targets, those of these names kept from record to record; only a command can be."""
    found = dict(targets)
    for name in names:
        if name not in found or not found[name].argv:
            raise unknown_name(
                "server with a command", name, [each.name for each in found.values() if each.argv]
            )
        found[name] = replace(found[name], kept=True)
    return found


def _make_absolute(word: str, folder: Path) -> str:
    path = Path(word)
    is_path = len(path.parts) > 1 or path.suffix
    return str((folder / path).absolute()) if is_path and (folder / path).is_file() else word
