"""Running a server: the flags of ``labrig serve`` and ``labrig-<server>``, stdio and streamable HTTP."""

from __future__ import annotations

import argparse
import gc
import ipaddress
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.config import home, setting
from labrig.errors import LabrigError, unknown_name
from labrig.server_settings import read_pairs
from labrig.serving.gate import Gate, of_host
from labrig.toolbox import ServeOptions, Toolbox

if TYPE_CHECKING:
    from fastmcp import FastMCP

USAGE = 2
MODES = ("live", "record", "replay", "refresh")
"""Of `labrig.http.client`, which is not imported to read flags."""
MIN_TOKEN_CHARACTERS = 16
SESSION_IDLE_S = 1800.0


@dataclass(frozen=True)
class HttpOptions:
    """Where to listen, which Host headers to accept beside the loopback names, and when an idle session ends."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...] = ()
    session_idle_s: float = SESSION_IDLE_S


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how a server is set up."""
    parser.add_argument("--http", metavar="HOST:PORT", help="serve streamable HTTP at /mcp (default: stdio)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="Host header to accept beside the loopback names (HTTP; repeatable)",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="bearer tokens, one a line (HTTP); LABRIG_TOKENS holds them separated by commas",
    )
    parser.add_argument(
        "--toolsets", default="default", metavar="A,B", help="toolsets to serve (default: default)"
    )
    parser.add_argument("--tools", default="", metavar="A,B", help="serve only these tools")
    parser.add_argument("--read-only", action="store_true", help="serve only tools that change nothing")
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help="writable folder (default: a fresh one below LABRIG_HOME)",
    )
    parser.add_argument(
        "--root", type=Path, action="extend", nargs="+", default=[], metavar="DIR", help="read-only folders"
    )
    parser.add_argument(
        "--output", metavar="PROTOCOL", help="fix the output protocol; it leaves the tool schema"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the server (repeatable); labrig serve SERVER --help lists them, and toolsets",
    )
    parser.add_argument("--log-calls", type=Path, metavar="DIR", help="write labrig.call/1 records there")
    parser.add_argument(
        "--unsafe-local",
        action="store_true",
        help="run code of agents without the sandbox's protection (servers that run code); every result says so",
    )
    add_network_arguments(parser)


def add_network_arguments(parser: Any) -> None:
    """Add the flags that say how servers ask the network."""
    parser.add_argument(
        "--http-mode",
        choices=MODES,
        default="",
        metavar="MODE",
        help="how the network is asked: live, record, replay (no network) or refresh (default: live)",
    )
    parser.add_argument(
        "--ledger", type=Path, metavar="FILE", help="where record, refresh and replay keep answers"
    )


def serve_options(arguments: argparse.Namespace) -> ServeOptions:
    """Return the `ServeOptions` that parsed flags stand for."""
    if not arguments.http and (arguments.token_file or arguments.allow_host):
        raise LabrigError("--token-file and --allow-host belong to HTTP", try_="add --http HOST:PORT")
    return ServeOptions(
        toolsets=_names(arguments.toolsets),
        tools=_names(arguments.tools),
        read_only=arguments.read_only,
        workspace=arguments.workspace.expanduser().resolve() if arguments.workspace else None,
        roots=tuple(arguments.root),
        output=arguments.output,
        log_calls=arguments.log_calls,
        unsafe_local=arguments.unsafe_local,
        settings=read_pairs(arguments.settings),
        **network_options(arguments),
        tokens=_tokens(arguments.token_file) if arguments.http else (),
    )


def network_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of `ServeOptions` that the flags of `add_network_arguments` stand for."""
    if arguments.ledger and (arguments.http_mode or setting("http", "mode") or "live") == "live":
        raise LabrigError("The mode live has no ledger", where="--ledger", try_="--http-mode record")
    ledger = arguments.ledger.expanduser().resolve() if arguments.ledger else None
    return {"http_mode": arguments.http_mode, "ledger": ledger}


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _tokens(path: Path | None) -> tuple[str, ...]:
    if path is not None:
        try:
            readers = path.stat().st_mode & 0o077
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise LabrigError(f"Cannot read the token file: {error}", where=str(path)) from error
        if readers:
            raise LabrigError(
                "Other users of this machine may read or change the token file",
                where=f"{path}, mode {path.stat().st_mode & 0o777:o}",
                expected="a file of this user alone",
                try_=f"chmod 600 {path}",
                code="refused",
            )
        found = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
        if not found:
            raise LabrigError("The token file holds no token", where=str(path), expected="one token a line")
    else:
        found = [each.strip() for each in os.environ.get("LABRIG_TOKENS", "").split(",") if each.strip()]
    if any(len(token) < MIN_TOKEN_CHARACTERS for token in found):
        raise LabrigError(
            "A bearer token is too short to be safe",
            where="--token-file or LABRIG_TOKENS",
            expected=f"at least {MIN_TOKEN_CHARACTERS} characters",
            try_="openssl rand -hex 24",
        )
    return tuple(found)


def http_options(text: str, allowed_hosts: Sequence[str], tokens: Sequence[str]) -> HttpOptions:
    """Parse ``HOST:PORT``; a bind that others can reach needs a token and allowed hosts.

    Raises
    ------
    LabrigError
        If the address is malformed, or public without both protections.
    """
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise LabrigError(
            "This is not an address", where=f"--http {text}", expected="HOST:PORT", try_="127.0.0.1:8000"
        )
    for allowed in allowed_hosts:
        if "*" in allowed:
            raise LabrigError(
                "A wildcard would switch host protection off", where=f"--allow-host {allowed}", code="refused"
            )
        if not of_host(allowed)[0]:
            raise LabrigError(
                "This is not a host",
                where=f"--allow-host {allowed[:80]}",
                expected="a name such as lab.example",
            )
    if not _is_loopback(host) and not (tokens and allowed_hosts):
        missing = [
            name
            for name, given in (
                ("--token-file FILE (or LABRIG_TOKENS)", tokens),
                ("--allow-host NAME", allowed_hosts),
            )
            if not given
        ]
        raise LabrigError(
            f"Listening on {host} lets other machines in, and {' and '.join(missing)} is missing",
            where=f"--http {text}",
            try_="add it, or listen on 127.0.0.1",
            code="refused",
        )
    return HttpOptions(host, int(port), tuple(allowed_hosts), _session_idle_s())


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def run(toolbox: Toolbox, arguments: argparse.Namespace) -> None:
    """Serve a toolbox until the client goes away (stdio) or a signal comes (HTTP)."""
    options = serve_options(arguments)
    http = http_options(arguments.http, arguments.allow_host, options.tokens) if arguments.http else None
    quiet_environment()
    if toolbox.begins:
        toolbox.begins(options)
    gc.disable()
    from labrig.serving.builder import build  # FastMCP is imported here, not when flags are read

    _log_to(log_path())
    _set_network(options)
    server = build(toolbox, options)
    with suppress(ImportError):  # FastMCP does so at the first list of tools: half a second, in the loop
        for name in ("key_value.aio.adapters.pydantic", "key_value.aio.stores.memory"):
            import_module(name)
    gc.freeze()  # a collection of all that the start has made would hold the loop, and every caller, each time
    gc.enable()
    if http is None:
        _end_at_once_on_signals()
        server.run("stdio", show_banner=False)
    else:
        _run_http(server, http)


def _set_network(options: ServeOptions) -> None:
    """Have all of this process, and what it starts, ask the network in one way; in a replay, not at all."""
    if options.http_mode:
        os.environ["LABRIG_HTTP_MODE"] = options.http_mode
    if options.ledger is not None:
        os.environ["LABRIG_HTTP_LEDGER"] = str(options.ledger)
    mode = setting("http", "mode") or "live"
    if mode not in MODES:
        raise unknown_name("HTTP mode", mode, MODES, where="http.mode")
    if mode == "replay":
        from labrig.http.outside import seal

        seal()


def _end_at_once_on_signals() -> None:
    """End a stdio server on the first SIGINT or SIGTERM.

    The thread that reads stdin cannot be interrupted, so an orderly end would wait for the client's next line.
    Nothing is lost: files are written whole, and every child process ends when its socket closes.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: os._exit(128 + received))


def _run_http(server: FastMCP[Any], http: HttpOptions) -> None:
    """Bind first, so that the address that is announced (and port 0) is the one that listens."""
    family = socket.AF_INET6 if ":" in http.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((http.host, http.port))
        listener.listen(128)  # who reads the line below may connect at once and waits
    except (OSError, OverflowError) as error:
        raise LabrigError(
            f"Cannot listen: {error}",
            where=f"--http {http.host}:{http.port}",
            try_="another port, or 0 for a free one",
        ) from error
    port = listener.getsockname()[1]
    shown = f"[{http.host}]" if ":" in http.host else http.host
    print(f"labrig: serving {server.name} on http://{shown}:{port}/mcp", file=sys.stderr, flush=True)
    own = () if http.host in ("0.0.0.0", "::") else (shown,)
    import fastmcp
    from starlette.middleware import Middleware

    from labrig.serving.door import Door
    from labrig.serving.knocking import BACKLOG, Knocking

    fastmcp.settings.http_session_idle_timeout = http.session_idle_s
    server.run(
        "http",
        show_banner=False,
        host=http.host,
        port=port,
        sockets=[listener],
        middleware=[
            Middleware(Gate, names=(*own, *http.allowed_hosts), tokens=server.auth is not None),
            Middleware(Door),
        ],
        host_origin_protection=True,  # the framework's own guard, behind ours
        allowed_hosts=[*http.allowed_hosts],
        uvicorn_config={"log_level": "warning", "access_log": False, "http": Knocking, "backlog": BACKLOG},
    )


def _session_idle_s() -> float:
    """Return after how many seconds without a request a session ends; its client begins another."""
    text = setting("serve", "session_idle_s")
    try:
        seconds = float(text) if text else SESSION_IDLE_S
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise LabrigError(
            "This is not a time after which a session ends",
            where=f"[serve] session_idle_s = {text}",
            expected="seconds, 1 to 86400",
        )
    return seconds


def quiet_environment() -> None:
    """No banner, no update check, no rich log lines: set before FastMCP reads its settings."""
    os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")
    os.environ.setdefault("FASTMCP_SHOW_SERVER_BANNER", "false")
    os.environ.setdefault("FASTMCP_ENABLE_RICH_LOGGING", "false")
    os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")
    os.environ["FASTMCP_ENV_FILE"] = os.devnull  # a .env of the working directory is not ours to obey


def log_path() -> Path:
    """Return the file that servers log to."""
    return home() / "logs" / "labrig.log"


class _Line(logging.Formatter):
    """A line of the log, and the traceback below it, without keys: an exception may quote what it was given."""

    def format(self, record: logging.LogRecord) -> str:
        from labrig.redaction import redact  # most servers never log

        return redact(super().format(record))


def _log_to(path: Path) -> None:
    """Log warnings and worse to stderr and to a file; a file that cannot be written is passed over."""
    logger = logging.getLogger("labrig")
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(
            RotatingFileHandler(path, maxBytes=5 << 20, backupCount=2, encoding="utf-8", delay=True)
        )
    except OSError as error:
        print(f"labrig: no log file: {error}", file=sys.stderr)
    for handler in handlers:
        handler.setFormatter(_Line("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
    logger.propagate = False


def main(toolbox: Toolbox, argv: Sequence[str] | None = None) -> int:
    """Be the console script ``labrig-<server>``."""
    parser = argparse.ArgumentParser(
        prog=f"labrig-{toolbox.name}",
        description=f"MCP server: {toolbox.title}. Speaks MCP on stdin and stdout.",
        epilog=toolbox.help,
        formatter_class=argparse.RawDescriptionHelpFormatter,  # toolsets, settings and services are a line each
    )
    add_serve_arguments(parser)
    arguments = parser.parse_args(argv)
    try:
        run(toolbox, arguments)
    except LabrigError as error:
        print(f"labrig: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 130
    return 0
