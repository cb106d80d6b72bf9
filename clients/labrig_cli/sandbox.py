"""``sandbox run``, ``sandbox check``: running Python where it can hurt nothing, and seeing how well that holds here."""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig.sandbox import Limits, Result, Sandbox

FAILED = 1


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    sandbox = verbs.add_parser("sandbox", help="run Python code in the sandbox, or check the sandbox")
    actions = sandbox.add_subparsers(dest="action", metavar="ACTION", required=True)

    run = actions.add_parser("run", help="run a file, or code, and print what it prints")
    run.add_argument("file", nargs="?", metavar="FILE", help="Python; - for standard input")
    run.add_argument("-c", dest="code", metavar="CODE", help="the code itself")
    run.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]PATH",
        help="a file or folder that the code can read as inputs/NAME (repeatable)",
    )
    run.add_argument("--out", type=Path, metavar="DIR", help="put the files and figures it leaves there")
    run.add_argument("--seed", type=int, default=0, help="seeds random and numpy.random (default: 0)")
    run.add_argument("--wall-s", type=float, default=60.0, metavar="S", help="seconds (default: %(default)g)")
    run.add_argument(
        "--memory-mb",
        type=int,
        default=512,
        metavar="MIB",
        help="MiB above the imports (default: %(default)d)",
    )
    _add_common(run)
    run.set_defaults(run=_run)

    check = actions.add_parser("check", help="start the sandbox and say what protects it here")
    _add_common(check)
    check.set_defaults(run=_check)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", default="science", help="science (default) or earth")
    parser.add_argument(
        "--backend", default="", help="auto, bubblewrap or landlock (default: the setting sandbox.backend)"
    )
    parser.add_argument(
        "--unsafe-local", action="store_true", help="run without protection; every result says so"
    )


def _open_sandbox(arguments: argparse.Namespace, inputs: Iterable[Path] = ()) -> Sandbox:
    from labrig.sandbox import Sandbox

    return Sandbox.configured(
        profile=arguments.profile,
        backend=arguments.backend,
        unsafe_local=arguments.unsafe_local,
        roots=sorted({path.resolve().parent for path in inputs}),
    )


def _run(arguments: argparse.Namespace) -> int:
    """Print output to stdout, errors and notes to stderr; exit 0, or 1 where the code did not end well."""
    code, inputs, limits = _read_code(arguments), _find_inputs(arguments.input), _read_limits(arguments)
    _make_folder(arguments.out)

    async def work() -> Result:
        async with _open_sandbox(arguments, inputs.values()) as sandbox:
            return await sandbox.run(code, inputs=inputs, limits=limits, seed=arguments.seed)

    result = asyncio.run(work())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that has not every character
    sys.stdout.write(result.output)
    sys.stdout.flush()
    sys.stderr.write(result.error)
    for line in (result.detail, *result.notes, *_say_left_out(result)):
        if line:
            print(f"labrig: {line}", file=sys.stderr)
    written = _leave_files(result, arguments.out)
    return 0 if result.status == "ok" and written else FAILED


def _say_left_out(result: Result) -> list[str]:
    from labrig.sandbox.answers import left_out

    return left_out(result)


def _make_folder(folder: Path | None) -> None:
    """Make the folder of ``--out`` before anything is run, whose files would have no place afterwards."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError as error:
        raise LabrigError(f"The folder cannot be made: {error.strerror}: {folder}", where="--out") from error
    if not writable:
        raise LabrigError(f"The folder cannot be written: {folder}", where="--out")


def _read_limits(arguments: argparse.Namespace) -> Limits:
    from labrig.sandbox import Limits

    seconds = arguments.wall_s
    try:
        return Limits(wall_s=seconds, cpu_s=seconds, memory_bytes=arguments.memory_mb << 20)
    except ValueError as error:
        raise LabrigError(str(error), where="--wall-s, --memory-mb") from error


def _read_code(arguments: argparse.Namespace) -> str:
    if (arguments.file is None) == (arguments.code is None):
        raise LabrigError(
            "Nothing to run" if arguments.file is None else "A file and -c", expected="FILE or -c CODE"
        )
    if arguments.code is not None:
        return str(arguments.code)
    data = sys.stdin.buffer.read() if arguments.file == "-" else Path(arguments.file).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabrigError(f"The code is not UTF-8: {error.reason}", where=arguments.file) from error


def _find_inputs(given: list[str]) -> dict[str, Path]:
    inputs: dict[str, Path] = {}
    for word in given:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():  # a file's own name may have an equals sign
            name, path = Path(os.path.abspath(Path(word).expanduser())).name, word  # noqa: PTH100 - links stay
        if not path:
            raise LabrigError("An input has no path", where="--input", expected="[NAME=]PATH")
        if name in inputs:
            raise LabrigError(f"Two inputs are named {name!r}", where="--input", try_="--input OTHER=PATH")
        inputs[name] = Path(path).expanduser()
    return inputs


def _leave_files(result: Result, folder: Path | None) -> bool:
    """Write what the code left; tell whether there was a place for everything."""
    if folder is None:
        if result.files:
            print(
                f"labrig: it left {len(result.files)} files: {', '.join(list(result.files)[:8])}"
                "; --out DIR keeps them",
                file=sys.stderr,
            )
        return True
    failed = 0
    for name, content in result.files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:  # the others may have a place
            failed += 1
            print(f"labrig: not written: {path}: {error.strerror}", file=sys.stderr)
            continue
        print(f"labrig: wrote {path}", file=sys.stderr)
    return not failed


def _check(arguments: argparse.Namespace) -> int:
    """Start the sandbox, which tries its own walls first, and print a line per fact."""

    async def work() -> Sandbox:
        async with _open_sandbox(arguments) as sandbox:
            await sandbox.run("1 + 1")
            return sandbox

    sandbox = asyncio.run(work())
    print(f"backend     {sandbox.backend}" + (f" ({sandbox.reason})" if sandbox.reason else ""))
    print(f"slots       {sandbox.slots}")
    packages = (f"{name} {version}" for name, version in sandbox.imported.items() if version)
    print(f"warm        {', '.join(packages)}")
    if sandbox.backend == "unsafe-local":
        print("walls       none")
        return FAILED
    print("walls       tried: they hold against the eight acts of the start-up test")
    return 0
