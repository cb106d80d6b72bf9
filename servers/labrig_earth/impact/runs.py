"""A run of an engine: a child and a folder of its own, from checked inputs to one folder that holds all of it.

    engines = Engines()
    async with engines.run(AQUACROP, arguments, {"weather.csv": data}, allowed=Allowed(), seed=23) as run:
        run.result, run.warnings, run.folder

Engines are loaded once, in the Python that has them, and each run is a fork of that (`labrig.isolation.children`). The
folder has a short path, since DSSAT refuses one of 58 characters, and holds ``TMPDIR`` and ``HOME`` of the child, so
that two runs share nothing. Below it, ``run`` is what is kept: ``inputs``, ``outputs``, ``printed.txt``, ``run.json``.
No time is in it, so that the same run gives the same bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation import children
from labrig.isolation.children import Children
from labrig.isolation.process import Limits, Outcome, outcome_error
from labrig.sideenv import PythonEnv, check_installed
from labrig.sideenv.own_python import hold
from labrig.threads import in_thread

MOST_PATH_CHARS = 40
PREFIX, OF_ENGINES = "lr-", "lre-"
"""Folders of runs, which are swept when they are old, and of loaded engines, which live as long as their server."""

LEFT_BEHIND_S = 3 * 3600
FILE_BYTES = 128 << 20
FOLDER_BYTES = 512 << 20
FOLDER_FILES = 5_000
LOOK_S = 0.5
SHOWN_CHARS = 2_000


@dataclass(frozen=True)
class Engine:
    """A program that simulates.

    Attributes
    ----------
    name, title
        Its name in records, and for people.
    module
        What children call, of `impact.inside` for one in a side environment, else a module of this server. Its
        ``run`` gives a JSON object with ``version``, as the engine itself says it, and ``warnings``.
    environment
        The side environment that it lives in; None for Labrig's own Python.
    programs
        Whether it starts other programs, its own alone; the walls of one that does not refuse it.
    variables
        Of the process that loads it.
    folder
        Where its module lies, if it does not lie in ``inside``.
    python
        The Python that it lives in, where that is no side environment but one that the operator made.
    """

    name: str
    title: str
    module: str
    environment: PythonEnv | None = None
    programs: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    python: Path | None = None


@dataclass(frozen=True)
class Allowed:
    """What a run may use: seconds of the clock, bytes of memory (address space), of a file, of all its files."""

    wall_s: float = 600.0
    memory_bytes: int = 3 << 30
    file_bytes: int = FILE_BYTES
    folder_bytes: int = FOLDER_BYTES

    def limits(self) -> Limits:
        """Return the limits of the child."""
        return Limits(
            wall_s=self.wall_s,
            cpu_s=self.wall_s * 2,
            memory_bytes=self.memory_bytes,
            output_bytes=FILE_BYTES,
            file_bytes=self.file_bytes,
        )


@dataclass(frozen=True)
class Run:
    """What a run left.

    Attributes
    ----------
    result
        What the engine's module gave.
    version
        The engine's name and version, out of its own output.
    warnings
        What the engine warned of.
    folder
        What is to be kept of it; it is gone when the block ends.
    printed
        What it printed, which is also in ``printed.txt``.
    wall_s
        Seconds that it took; not in any file.
    """

    engine: Engine
    result: Mapping[str, Any]
    version: str
    warnings: tuple[str, ...]
    folder: Path
    printed: str
    wall_s: float


class Engines:
    """The engines of one server: each loaded by its first run, and forked for every one.

    Parameters
    ----------
    slots
        Runs of one caller and one engine at a time; others wait.
    """

    def __init__(self, slots: int = 2) -> None:
        self._slots = slots
        self._loaded: dict[str, tuple[Children, contextlib.ExitStack]] = {}

    @asynccontextmanager
    async def run(
        self,
        engine: Engine,
        arguments: Mapping[str, Any],
        inputs: Mapping[str, bytes],
        *,
        files: Mapping[str, int] = MappingProxyType({}),
        allowed: Allowed = Allowed(),
        seed: int = 0,
    ) -> AsyncIterator[Run]:
        """Run an engine, and give what it left until the block ends.

        Parameters
        ----------
        arguments
            Of the engine, as JSON.
        inputs
            Files by their names, without folders.
        files
            Descriptors of further ones, too large to be copied, by what the engine calls them.

        Raises
        ------
        LabrigError
            ``unavailable`` for an engine that is not installed, with the line that brings it; what the engine refuses;
            ``limit`` for too much time, memory, output or disk; ``engine`` where it fails.
        """
        by = self._children(engine)
        with _folder() as top:
            await in_thread(_write_inputs, top, inputs)
            question = {
                "engine": engine.module,
                "folder": str(top),
                "seed": seed,
                "programs": engine.programs,
                "arguments": dict(arguments),
                "files": list(files),
            }
            started = time.monotonic()
            outcome = await _asked(by, question, list(files.values()), allowed, top)
            made = _checked(outcome, engine)
            printed = outcome.stderr.decode("utf-8", "replace").replace(str(top), "RUN")
            said = {
                "engine": made["version"],
                "seed": seed,
                "arguments": dict(arguments),
                "result": {name: each for name, each in made.items() if name != "version"},
            }
            keep = top / "run"
            await in_thread(_write_record, keep, said, printed)
            yield Run(
                engine=engine,
                result=made,
                version=str(made["version"]),
                warnings=tuple(map(str, made.get("warnings", ()))),
                folder=keep,
                printed=printed,
                wall_s=time.monotonic() - started,
            )

    def _children(self, engine: Engine) -> Children:
        """Return what runs an engine, which is loaded with its first run."""
        if engine.name in self._loaded:
            return self._loaded[engine.name][0]
        python = engine.python
        folders: tuple[Path, ...] = ()
        module = "labrig_earth.impact.inside.entering"
        held = contextlib.ExitStack()
        if engine.environment is not None:
            require(engine)
            held.enter_context(hold(engine.environment.path))
            python = engine.environment.path / "bin" / "python"
        if python is not None:
            further = (engine.folder,) if engine.folder is not None else ()
            folders, module = (Path(__file__).with_name("inside"), *further), "entering"
        scratch = Path(held.enter_context(tempfile.TemporaryDirectory(prefix=OF_ENGINES, dir=_short_base())))
        made = Children(
            module,
            what=f"The run of {engine.title}",
            limits=Allowed().limits(),
            slots=self._slots,
            preload=(engine.module,),
            variables={
                "TMPDIR": str(scratch),
                "HOME": str(scratch),
                "MPLBACKEND": "Agg",
                "PYTHONHASHSEED": "0",
                **engine.variables,
            },
            cwd=scratch,
            python=python,
            folders=folders,
        )
        self._loaded[engine.name] = (made, held)
        return made

    async def close(self) -> None:
        """End all engines and their runs."""
        for by, held in self._loaded.values():
            await by.close()
            held.close()
        self._loaded.clear()


def require(engine: Engine) -> None:
    """Raise a LabrigError, ``unavailable``, where an engine is not installed, with the line that brings it."""
    if engine.environment is not None:
        check_installed(engine.environment)


async def _asked(
    by: Children, question: Mapping[str, Any], files: Sequence[int], allowed: Allowed, top: Path
) -> Outcome:
    """Ask, and end a run that fills the disk with many files; the kernel keeps the size of each."""
    asking = asyncio.ensure_future(by.ask(question, files, limits=allowed.limits()))
    try:
        while True:
            done, _ = await asyncio.wait([asking], timeout=LOOK_S)
            if done:
                return asking.result()
            count, size = await in_thread(_measured, top)
            if size > allowed.folder_bytes or count > FOLDER_FILES:
                raise LabrigError(
                    f"{by.what} wrote {count:,} files of {size >> 20:,} MiB in all",
                    expected=f"at most {FOLDER_FILES:,} files of {allowed.folder_bytes >> 20} MiB in all",
                    code="limit",
                )
    finally:
        if not asking.done():
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError, LabrigError):
                await asking


def _checked(outcome: Outcome, engine: Engine) -> dict[str, Any]:
    """Return what an engine gave, or raise what it refused or failed with."""
    if outcome.kind != "ok":
        raise children.refusal(outcome) or _failure(outcome, f"The run of {engine.title}")
    try:
        made = json.loads(outcome.stdout)
        if not isinstance(made["version"], str) or not made["version"]:
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LabrigError(
            f"{engine.title} gave no result that says its version",
            where=outcome.stderr[-SHOWN_CHARS:].decode("utf-8", "replace"),
            code="engine",
        ) from None
    return dict(made)


def _failure(outcome: Outcome, what: str) -> LabrigError:
    """Return why a run failed; a Python that meets the limit of a file sees an error of the system, not a signal."""
    error = outcome_error(outcome, what)
    if len(outcome.stderr) >= outcome.limits.output_bytes or b"File too large" in outcome.stderr[-4096:]:
        error.code = "limit"
        error.what = f"{what} printed, or wrote into a file, more than {outcome.limits.output_bytes:,} bytes"
    return error


@contextmanager
def _folder() -> Iterator[Path]:
    """Give the folder of a run, empty but for those of its own; it is gone afterwards."""
    base = _short_base()
    _sweep(base)
    top = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    try:
        for name in ("tmpdir", "home", "run/inputs", "run/outputs"):
            (top / name).mkdir(parents=True)
        yield top
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _short_base() -> Path:
    """Return the folder for temporary files, or /tmp where its path is too long for a run below it."""
    base = Path(tempfile.gettempdir()).resolve()
    return base if len(str(base)) + len("/lr-12345678/tmpdir") <= MOST_PATH_CHARS else Path("/tmp")


def _sweep(base: Path) -> None:
    """Remove the folders of runs that a killed server of this user left behind."""
    now = time.time()
    for path in base.glob(f"{PREFIX}????????"):
        with contextlib.suppress(OSError):
            about = path.lstat()
            if about.st_uid == os.getuid() and now - about.st_mtime > LEFT_BEHIND_S:
                shutil.rmtree(path, ignore_errors=True)


def _write_inputs(top: Path, inputs: Mapping[str, bytes]) -> None:
    for name, content in inputs.items():
        if Path(name).name != name:
            raise LabrigError("An input has a name without folders", where=name, code="refused")
        (top / "run" / "inputs" / name).write_bytes(content)


def _write_record(keep: Path, said: Mapping[str, Any], printed: str) -> None:
    text = json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True)
    (keep / "run.json").write_text(text + "\n", encoding="utf-8")
    if printed:
        (keep / "printed.txt").write_text(printed, encoding="utf-8")


def _measured(top: Path) -> tuple[int, int]:
    """Return how many files lie below a folder, and their bytes."""
    files = size = 0
    for folder, _, names in os.walk(top):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(Path(folder) / name).st_size
            files += 1
    return files, size
