"""The sort of side environment that a program of ours makes here, from a seed: the same bytes, or the same rows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labrig.commands import setup_command
from labrig.config import home
from labrig.errors import LabrigError
from labrig.sideenv.database_rows import rows_sha256
from labrig.sideenv.installers import call
from labrig.sideenv.placing import (
    MANIFEST,
    Say,
    Setup,
    Status,
    check_downward,
    place,
    read_manifest,
    staging,
    write_manifest,
)


@dataclass(frozen=True)
class MadeEnv:
    """Files that a program makes.

    Attributes
    ----------
    name
        As in ``labrig setup NAME``.
    title
        What it is, for people.
    program
        A module, run as ``python -m program FOLDER SEED``, which writes its files below the empty folder.
    seed
        What its random numbers start from.
    target
        The folder that the files go to, relative to `labrig.config.home`.
    sha256
        The SHA-256 of every file, by its path below the folder: it makes these, those of `rows` and no other.
    default
        Whether ``labrig setup`` without a name brings it.
    rows
        Of every SQLite database, by its path, the hash of what it says (`database_rows.rows_sha256`): the bytes of
        such a file differ with the version of SQLite.
    listing
        One of `sha256`: a JSON object in which the program gives every file or folder whose bytes differ with the
        versions of libraries (NetCDF, Zarr, GeoTIFF) a hash of what it holds. So these are what they should be if the
        listing is, and they are unchanged if their bytes are those with which they were made.
    """

    name: str
    title: str
    program: str
    seed: int
    target: str
    sha256: Mapping[str, str]
    default: bool = False
    rows: Mapping[str, str] = field(default_factory=dict)
    listing: str = ""

    def __post_init__(self) -> None:
        check_downward(self.target, *self.sha256, *self.rows)

    @property
    def path(self) -> Path:
        """The folder of the files."""
        return home() / self.target


def status(env: MadeEnv) -> Status:
    """Compare what is there with the table."""
    if not env.path.exists():
        return Status("missing", setup_command(env.name))
    manifest = read_manifest(env.path)
    if manifest is None:
        return Status("damaged", f"{MANIFEST} is missing or cannot be read")
    if (manifest.get("program"), manifest.get("seed")) != (env.program, env.seed):
        return Status("damaged", f"it was made by {manifest.get('program')} from {manifest.get('seed')}")
    as_made = manifest.get("as_made", {}) if env.listing else {}
    wrong = differing(env.path, {**as_made, **env.sha256}, env.rows)
    return Status("damaged", wrong) if wrong else Status("installed")


def setup(env: MadeEnv, *, source: Path | None, force: bool, say: Say) -> Setup:
    """Make the files, and put them into their place if they are those of the table."""
    if source is not None:
        raise LabrigError(
            f"{env.title} is made here and comes from no folder",
            where="--source",
            try_=setup_command(env.name),
        )
    target = env.path
    with staging(target.parent, target.name, say) as work:
        if not force and status(env).state == "installed":
            return Setup(target, False, f"{env.title}: already made in {target}")
        fresh = work / "fresh"
        fresh.mkdir()
        say(f"making {env.title}")
        call([sys.executable, "-P", "-m", env.program, str(fresh), str(env.seed)], work, env.title)
        as_made = listed(fresh, env.listing) if env.listing else {}
        if wrong := differing(fresh, {**as_made, **env.sha256}, env.rows):
            raise LabrigError(
                f"{env.program} did not make what it should: {wrong}",
                where=env.title,
                expected="the files of the table, byte for byte" + ", databases row for row" * bool(env.rows),
                try_="labrig doctor names the versions of the packages that it is made with",
                code="refused",
            )
        files = {**env.sha256, **env.rows}
        more = {"as_made": as_made} if env.listing else {}
        write_manifest(fresh, name=env.name, program=env.program, seed=env.seed, files=files, **more)
        place(fresh, target, work)
    return Setup(target, True, f"{env.title}: {len(files) + len(as_made)} files in {target}")


def listed(folder: Path, listing: str) -> dict[str, str]:
    """Return the SHA-256 of every file that a listing names, or that lies in a folder that it names."""
    try:
        names = json.loads((folder / listing).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found: dict[str, str] = {}
    for name in names:
        path = folder / name
        if not path.exists():
            found[name] = "nothing"
            continue
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not file.is_symlink():
                with file.open("rb") as opened:
                    digest = hashlib.file_digest(opened, "sha256").hexdigest()
                found[file.relative_to(folder).as_posix()] = digest
    return found


def differing(folder: Path, sha256: Mapping[str, str], rows: Mapping[str, str]) -> str:
    """Return how the files of a folder differ from a table; empty if they do not."""
    there = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() or path.is_symlink()
    }
    there.pop(MANIFEST, None)
    if more := sorted(there.keys() - sha256.keys() - rows.keys()):
        return f"{more[0]} should not be there"
    for name, wanted in (*sha256.items(), *rows.items()):
        path = there.get(name)
        if path is None:
            return f"{name} is missing"
        if path.is_symlink() or not path.is_file():
            return f"{name} is no file"
        if name in rows:
            try:
                found, what = rows_sha256(path), "rows with the SHA-256"
            except sqlite3.DatabaseError as error:
                return f"{name} is no sound database: {error}"
        else:
            with path.open("rb") as file:
                found, what = hashlib.file_digest(file, "sha256").hexdigest(), "the SHA-256"
        if found != wanted:
            return f"{name} has {what} {found}"
    return ""
