"""``serve``, ``tools``, ``call``: running a server, and trying it from a shell."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from labrig.answer import META_KEY
from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig.serving.serve import add_serve_arguments, serve_options
from labrig.serving.serve import run as run_server
from labrig.toolbox import ServeOptions
from labrig.workspace import fresh_workspace
from labrig_cli.saving import Saved, content_of, handle_of, made_folder, save
from labrig_harness.registry.servers import Target, names, toolbox
from labrig_study.report.prose import readable

FAILED, SERVER_DIED = 1, 3


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    serve = verbs.add_parser(
        "serve",
        help="run a server on stdio, or on HTTP with --http",
        epilog="labrig serve SERVER --help lists the toolsets, settings and services of that server.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    serve.add_argument("server", metavar="SERVER", help=", ".join(names()))
    serve.add_argument(
        "-h", "--help", action=_Help, help="show this, and toolsets, settings and services of SERVER"
    )
    add_serve_arguments(serve)
    serve.set_defaults(run=_serve)

    tools = verbs.add_parser("tools", help="list a server's tools, and what its toolsets are for")
    tools.add_argument("server", nargs="?", metavar="SERVER")
    tools.add_argument("--json", action="store_true", help="the tools/list result as it goes over the wire")
    add_serve_arguments(tools)
    tools.set_defaults(run=_list_tools, takes_command=True)

    call = verbs.add_parser(
        "call",
        help="call one tool and print its structured result",
        usage="%(prog)s [OPTIONS] SERVER TOOL [ARGUMENTS]\n       %(prog)s [OPTIONS] TOOL [ARGUMENTS] -- COMMAND",
        epilog="""example: %(prog)s phreeqc look_up_database '{"query": "Calcite"}'""",
    )
    call.add_argument(
        "words",
        nargs="+",
        metavar="SERVER TOOL ARGUMENTS",
        help="SERVER: a name or a URL. ARGUMENTS: a JSON object, - for standard input, or @FILE",
    )
    call.add_argument(
        "--no-wait", action="store_true", help="print a job's id instead of waiting for its result"
    )
    call.add_argument("--text", action="store_true", help="print the text a model would read instead of JSON")
    call.add_argument(
        "--save",
        type=Path,
        metavar="DIR",
        help="write the pictures of the result, and the artifacts that it names, to DIR; nothing is replaced",
    )
    add_serve_arguments(call)
    call.set_defaults(run=_call, takes_command=True)


class _Help(argparse._HelpAction):
    """The help of ``labrig serve``, with toolsets, settings and services of the server that is named before it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: object, **__: object
    ) -> None:
        if (server := getattr(namespace, "server", None)) in names():
            try:
                parser.epilog = toolbox(server).help
            except LabrigError as error:
                parser.epilog = f"{server}: {error}"
        super().__call__(parser, namespace, None)


def _serve(arguments: argparse.Namespace) -> int:
    if arguments.server.startswith(("http://", "https://")):
        raise LabrigError("A URL is served already", where=arguments.server, expected=", ".join(names()))
    run_server(toolbox(arguments.server), arguments)
    return 0


def _open_client(arguments: argparse.Namespace, server: str | None) -> Any:
    """Return an MCP client for SERVER; a name or a command is started, a URL is reached."""
    os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")
    from fastmcp import Client

    if arguments.http:
        raise LabrigError("--http belongs to serve", try_="name the URL as SERVER")
    target = Target.parse(server, arguments.command)
    options = serve_options(arguments)
    if target.url or target.argv:
        _require_default(options, target)
    else:  # here, rather than by the server, whose end would be all that is seen
        toolbox(target.name).select(options)
    token = os.environ.get("LABRIG_TOKEN", "")
    return Client(target.transport(options, token), timeout=None)


def _require_default(options: ServeOptions, target: Target) -> None:
    """Raise a LabrigError for options of a server that we do not start, and so cannot set up."""
    default = ServeOptions()
    given = [
        each.name
        for each in fields(ServeOptions)
        if getattr(options, each.name) != getattr(default, each.name)
    ]
    if given:
        flags = {"roots": "root", "settings": "set"}
        raise LabrigError(
            f"A server that {'runs already' if target.url else 'is a command'} cannot be set up by flags",
            where=", ".join(f"--{flags.get(name, name).replace('_', '-')}" for name in given),
            try_="labrig serve NAME --http with these flags"
            if target.url
            else "these words after --, if the command knows them",
        )


def _list_tools(arguments: argparse.Namespace) -> int:
    async def listed() -> list[Any]:
        async with _open_client(arguments, arguments.server) as client:
            found: list[Any] = await client.list_tools()
            return found

    tools = _run(listed())
    if isinstance(tools, int):
        return tools
    if arguments.json:
        wire = [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in tools]
        print(json.dumps({"tools": wire}, ensure_ascii=False, indent=1))
        return 0
    for tool in tools:
        required = tool.input_schema.get("required", [])
        shown = ", ".join(
            key if key in required else f"[{key}]" for key in tool.input_schema.get("properties", {})
        )
        first = (tool.description or "").split("\n")[0]
        print(readable(f"{tool.name}({shown})\n    {first}"))
    if arguments.server in names():
        print(f"\n{toolbox(arguments.server).described_toolsets}")
    return 0


def _call(arguments: argparse.Namespace) -> int:
    words = list(arguments.words)
    server = None if arguments.command else words.pop(0)
    if not words or len(words) > 2:
        raise LabrigError("This call cannot be read", expected="labrig call SERVER TOOL [JSON | - | @FILE]")
    tool, given = words[0], _read_arguments(words[1] if len(words) == 2 else "{}")
    if server in names() and not arguments.tools and tool in {spec.name for spec in toolbox(server).specs}:
        waits = () if arguments.no_wait else ("get_job",)
        known = {spec.name for spec in toolbox(server).specs}
        arguments.tools = ",".join(
            (tool, *(each for each in waits if each in known))
        )  # whatever toolset they are in

    folder = made_folder(arguments.save) if arguments.save else None
    named = server in names()
    if folder is not None and named and arguments.workspace is None:
        arguments.workspace = fresh_workspace(
            str(server)
        )  # whose artifacts can be taken when the server has ended

    async def called() -> Any:
        with _show_progress() as advance:
            async with _open_client(arguments, server) as client:
                result = await client.call_tool_mcp(tool, given, progress_handler=advance)
                # A job ends with a server that ends with this call.
                waits = not arguments.no_wait and tool != "get_job"  # which says itself how long it waits
                return await _finish_job(client, result, advance) if waits else result

    result = _run(called())
    if isinstance(result, int):
        return result
    if folder is None:
        return _show(result, as_text=arguments.text)
    workspace = arguments.workspace.expanduser().resolve() if named else None
    try:
        saved = save(result, folder, tool=tool, given=json.dumps(given), workspace=workspace)
    except (LabrigError, OSError):
        _show(result, as_text=arguments.text)
        raise
    code = _show(result, as_text=arguments.text, files=saved.blocks)
    _say_saved(saved)
    return code


Advance = Callable[[float, float | None, str | None], Awaitable[None]]


@contextmanager
def _show_progress() -> Iterator[Advance]:
    """Give what shows how far a call is, as a bar on a terminal's standard error; elsewhere it shows nothing."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        bar = bars.add_task("", total=None, visible=False)

        async def advance(progress: float, total: float | None, message: str | None) -> None:
            bars.update(bar, completed=progress, total=total, description=message or "", visible=True)

        yield advance


async def _finish_job(client: Any, result: Any, advance: Advance) -> Any:
    """Wait for the job that a call started, if it did, and return the job's result in place of the call's."""
    while True:
        said = result.structured_content or {}
        job = (said.get("data") or {}).get("job") if isinstance(said.get("data"), dict) else None
        if result.is_error or not job or said.get("status") not in ("started", "queued", "running"):
            return result
        waiting = {"job": job, "wait_s": 45}
        result = await client.call_tool_mcp("get_job", waiting, progress_handler=advance)


def _read_arguments(text: str) -> dict[str, Any]:
    """Read a call's arguments: JSON, ``-`` for standard input, ``@FILE``."""
    where = "ARGUMENTS"
    if text == "-":
        text, where = sys.stdin.read(), "standard input"
    elif text.startswith("@"):
        where = text[1:]
        try:
            text = Path(where).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LabrigError(f"Cannot read the arguments: {error}", where=where) from error
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise LabrigError(
            f"The arguments are not JSON: {error}", where=where, expected='{"name": value}'
        ) from error
    if not isinstance(value, dict):
        raise LabrigError("The arguments are not a JSON object", where=where, expected='{"name": value}')
    return value


def _escaped(text: str) -> str:
    """Return JSON in which characters that a terminal acts upon are escapes of JSON."""
    if readable(text) == text:
        return text
    return "".join(each if readable(each) == each else json.dumps(each)[1:-1] for each in text)


def _say_saved(saved: Saved) -> None:
    """Say on standard error what was saved, and what could not be."""
    for path in saved.paths:
        print(f"saved {path}", file=sys.stderr)
    for handle, why in saved.unsaved.items():
        print(f"not saved: {handle}: {why}", file=sys.stderr)
    if not saved.paths and not saved.unsaved:
        print("nothing to save: the result has no picture and names no artifact", file=sys.stderr)


def _describe_block(block: Any, file: Path | None) -> str:
    """Return the text of a content block; of a picture its type, and its file or handle."""
    if (text := getattr(block, "text", None)) is not None:
        return str(text)
    if (found := content_of(block)) is None:
        return f"[{block.type}]"
    content, kind = found
    place = (
        str(file) if file else f"{len(content):,} bytes, {handle_of(content)}; --save DIR writes it to a file"
    )
    return f"[{kind}: {place}]"


def _show(result: Any, *, as_text: bool, files: Mapping[int, Path] = MappingProxyType({})) -> int:
    """Print a result: structured on stdout; a tool error as JSON on stderr.

    Parameters
    ----------
    files
        Where its pictures were saved, by the place of their blocks.
    """
    text = "\n".join(_describe_block(each, files.get(place)) for place, each in enumerate(result.content))
    error = ((result.meta or {}).get(META_KEY) or {}).get("error")
    structured = result.structured_content
    if not result.is_error or structured is not None:
        if as_text:
            print(readable(text))
        elif structured is not None:
            print(_escaped(json.dumps(structured, ensure_ascii=False, indent=1)))
        else:
            sizes = [
                {"type": each.mime_type, "bytes": len(each.data) * 3 // 4}
                | ({"file": str(files[place])} if place in files else {})
                for place, each in enumerate(result.content)
                if each.type == "image"
            ]
            words = "\n".join(each.text for each in result.content if each.type == "text")
            print(json.dumps({"text": words} | ({"images": sizes} if sizes else {}), ensure_ascii=False))
    if result.is_error:
        status = (structured or {}).get("status", "")
        error = error or {"code": "engine", "what": f"the run ended with status {status}" if status else text}
        print(redact(json.dumps(error, ensure_ascii=False)), file=sys.stderr)
        return FAILED
    return 0


def _run(work: Any) -> Any:
    """Run client work; a server that cannot be reached or dies is exit code 3."""
    try:
        return asyncio.run(work)
    except LabrigError:
        raise
    except Exception as error:
        reason = error
        while isinstance(reason, BaseExceptionGroup) and reason.exceptions:
            reason = reason.exceptions[0]  # type: ignore[assignment]
        print(
            f"labrig: the server died or cannot be reached: {type(reason).__name__}: {reason}",
            file=sys.stderr,
        )
        return SERVER_DIED
