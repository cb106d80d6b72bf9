"""The sort of side environment that is a Python of its own, which other programs run and never import.

Its folder is named after the Python and the digest of what it is made from, such as
``science-py311-0f5a1c2e``: a newer lock makes a second folder, and a running program keeps the one that it
holds (`hold`). A setup removes the folders of older locks that nobody holds.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from packaging.specifiers import SpecifierSet

from labrig.commands import setup_command
from labrig.config import home
from labrig.errors import LabrigError
from labrig.sideenv.installers import call, find_uv
from labrig.sideenv.placing import (
    MANIFEST,
    Say,
    Setup,
    Status,
    place,
    read_manifest,
    staging,
    write_manifest,
)

IN_USE = "IN_USE"
PYTHON = f"py{sys.version_info[0]}{sys.version_info[1]}"
COMPILE = """\
import compileall, py_compile, re, sys
compileall.compile_dir(
    sys.argv[1] + "/lib", maxlevels=30, quiet=2, workers=0, rx=re.compile("/tests?/"),
    stripdir=sys.argv[1], prependdir=sys.argv[2],
    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
)
"""
"""Makes bytecode of all but the packages' own tests, which are a fifth of it. A file that is not Python of this version
is left. The paths inside are those after the renaming, and no check of a file's time: a copy may change it."""


@dataclass(frozen=True)
class PythonEnv:
    """A Python environment from a lock.

    Attributes
    ----------
    name
        As in ``labrig setup NAME``.
    title
        What it is, for people.
    folder
        Where it lies, relative to `labrig.config.home`, without the ending that `path` adds.
    lock
        The requirements with a hash for every file, as ``uv pip compile --generate-hashes`` writes them. Wheels
        only: nothing is built. It is complete: what it leaves out is not installed, though a package may ask for it.
    prepare
        A script that the new Python runs at the end of its installation, as ``prepare FOLDER MODULE...``, with
        its own folder as the first argument. It imports the modules, may write into the folder, and prints as
        its last line a JSON object that goes into the manifest under ``facts``.
    imports
        The modules that must be importable.
    shown
        The packages whose versions ``labrig doctor`` names.
    default
        Whether ``labrig setup`` without a name brings it.
    requires_python
        Versions of Python that the lock is for, such as ``>=3.12,<3.14``; empty for any.
    machines
        Machines that it is for, such as ``x86_64``, as ``platform.machine`` names them; empty for any.
    stubs
        Source of modules that stand in for packages which the lock leaves out, by module name.
    """

    name: str
    title: str
    folder: str
    lock: Path
    prepare: Path
    imports: tuple[str, ...]
    shown: tuple[str, ...] = ()
    default: bool = True
    requires_python: str = ""
    machines: tuple[str, ...] = ()
    stubs: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The SHA-256 of what the environment is made from."""
        parts = [self.lock.read_bytes(), self.prepare.read_bytes(), " ".join(self.imports).encode()]
        parts += [json.dumps(dict(self.stubs), sort_keys=True).encode()] if self.stubs else []
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    @property
    def path(self) -> Path:
        """The folder of the environment for the running Python's version; its Python is ``bin/python``."""
        return home() / f"{self.folder}-{PYTHON}-{self.digest[:8]}"


def status(env: PythonEnv, *, thorough: bool = True) -> Status:
    """Compare the environment with its manifest.

    Thorough means that the files are counted and their sizes added up, about 0.1 s; otherwise only that the
    Python and every package are there. No content is read.
    """
    path = env.path
    if reason := unsuited(env):
        return Status("missing", reason)
    if not path.exists():
        others = [each.name for each in _siblings(env) if f"-{PYTHON}-" in each.name]
        old = f", for the lock has changed since {others[0]} was made" if others else ""
        return Status("missing", f"{setup_command(env.name)}{old}")
    manifest = read_manifest(path)
    if manifest is None or manifest.get("digest") != env.digest:
        return Status("damaged", f"{MANIFEST} is missing or cannot be read")
    python = path / "bin" / "python"
    if not os.access(python, os.X_OK):
        return Status("damaged", f"its Python is gone, or may not be run: {os.path.realpath(python)}")
    lost = [name for name in manifest["records"] if not (path / name).is_file()]
    if lost:
        return Status("damaged", f"{lost[0]} is missing")
    if thorough and _measure(path) != manifest["content"]:
        return Status("damaged", "files were added, removed or changed")
    versions = [f"{name} {manifest['packages'].get(name)}" for name in env.shown]
    return Status("installed", ", ".join([f"Python {manifest['python']}", *versions]))


def setup(env: PythonEnv, *, source: Path | None, force: bool, say: Say) -> Setup:
    """Make the environment, and remove those of older locks that nobody holds."""
    if reason := unsuited(env):
        raise LabrigError(
            f"{env.title} cannot be installed here: {reason}",
            where=setup_command(env.name),
            try_="a Python or a machine that it is for",
            code="unavailable",
        )
    target, key = env.path, Path(env.folder).name
    with staging(target.parent, key, say) as work:
        if not force and status(env).state == "installed":
            return Setup(target, False, f"{env.title}: already installed in {target}")
        with _not_held(target):  # better to hear of it before the work than after
            pass
        fresh = work / "fresh"
        _build(env, fresh, source, say)
        with _not_held(target):
            place(fresh, target, work)
        _remove_older(env, work, say)
    return Setup(target, True, f"{env.title}: {len(_records(target))} packages in {target}")


def unsuited(env: PythonEnv) -> str:
    """Return why an environment is not for this Python or this machine; empty if it is."""
    version = platform.python_version()
    if env.requires_python and not SpecifierSet(env.requires_python).contains(version, prereleases=True):
        return f"it is for Python {env.requires_python}, and this is {version}"
    if env.machines and platform.machine() not in env.machines:
        return f"it is for {' and '.join(env.machines)}, and this is {platform.machine()}"
    return ""


def hold(path: Path) -> IO[bytes]:
    """Keep an environment from being removed or replaced, until the returned file is closed.

    Raises
    ------
    LabrigError
        "unavailable" if it is not there, "busy" while a setup replaces it.
    """
    try:
        file = (path / IN_USE).open("rb")
    except OSError as error:
        raise LabrigError(
            "The side environment is not there", where=str(path), try_="labrig setup", code="unavailable"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        # It may have been moved away between the opening and the lock.
        if os.path.samestat(os.fstat(file.fileno()), (path / IN_USE).stat()):
            return file
    except OSError:
        pass
    file.close()
    raise LabrigError(
        "The side environment is being replaced by `labrig setup`", where=str(path), try_="again", code="busy"
    )


def manifest_of(env: PythonEnv) -> dict[str, Any]:
    """Return the manifest of an environment whose `status` is "installed"."""
    return read_manifest(env.path) or {}


@contextmanager
def _not_held(path: Path) -> Iterator[None]:
    """Be sure that nobody holds an environment, and that nobody comes to hold it meanwhile."""
    try:
        file = (path / IN_USE).open("rb")
    except OSError:  # not there, or not whole
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LabrigError(
                "The environment is in use", where=str(path), try_="end the programs that use it", code="busy"
            ) from None
        yield


def _build(env: PythonEnv, fresh: Path, source: Path | None, say: Say) -> None:
    """Make the environment in a folder that will be renamed to `PythonEnv.path`."""
    work, python = fresh.parent, fresh / "bin" / "python"
    _install(env, fresh, source, say)
    for name, text in env.stubs.items():
        _write_stub(fresh, name, text)

    say("making bytecode")
    call([str(python), "-I", "-c", COMPILE, str(fresh), str(env.path)], work, env.title)

    say("trying the imports")
    clean = {"PATH": os.defpath, "HOME": str(work), "TMPDIR": str(work), "LANG": "C.UTF-8"}
    said = call([str(python), "-I", "-B", str(env.prepare), str(fresh), *env.imports], work, env.title, clean)
    facts = json.loads(said.splitlines()[-1])
    (fresh / IN_USE).touch()
    records = _records(fresh)
    write_manifest(
        fresh,
        name=env.name,
        digest=env.digest,
        python=facts.pop("python"),
        packages=facts.pop("packages"),
        source={"kind": "index"} if source is None else {"kind": "folder", "from": str(source.resolve())},
        records=records,
        content=_measure(fresh),
        facts=facts,
    )


def _install(env: PythonEnv, fresh: Path, source: Path | None, say: Say) -> None:
    """Make a Python with the packages of the lock, and nothing else that could be run."""
    work, python = fresh.parent, fresh / "bin" / "python"
    say(f"making an environment of Python {'.'.join(map(str, sys.version_info[:3]))}")
    uv = find_uv()
    if uv:
        call([uv, "venv", "--quiet", "--no-project", "--python", sys.executable, str(fresh)], work, env.title)
        # Copies: through a link into the cache one environment, or who edits it, would change the others.
        install = [uv, "pip", "install", "--quiet", "--link-mode", "copy", "--python", str(python)]
    else:
        call([sys.executable, "-P", "-m", "venv", str(fresh)], work, env.title)
        pip = [str(python), "-P", "-m", "pip", "--disable-pip-version-check"]
        install = [*pip, "install", "--quiet", "--no-compile"]
    offline = ["--no-index", "--find-links", str(source.resolve())] if source else []
    wanted = [
        "--no-deps",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--requirement",
        str(env.lock.resolve()),
    ]
    say(f"installing {_count(env.lock)} packages from {source or 'the package index'}")
    # Bytecode is made later, for the place where the environment will be; uv has no flag that this variable allows.
    settings = {name: value for name, value in os.environ.items() if name != "UV_COMPILE_BYTECODE"}
    call([*install, *offline, *wanted], work, env.title, settings)
    if not uv:
        seeds = [each for each in ("pip", "setuptools") if not _locks(env.lock, each)]
        call([*pip, "uninstall", "--quiet", "--yes", *seeds], work, env.title)
    for script in (fresh / "bin").iterdir():  # they name the folder of now, and nobody runs them
        if not script.name.startswith("python"):
            script.unlink()


def _write_stub(fresh: Path, name: str, text: str) -> None:
    """Write a module, ``a.b`` as a file in the package ``a``, where no package has put one."""
    (packages,) = fresh.glob("lib/python3*/site-packages")
    file = packages.joinpath(*name.split(".")).with_suffix(".py")
    if file.exists() or file.with_suffix("").exists():
        raise LabrigError(
            f"The stub {name} would replace a package of the lock", where=str(fresh), code="internal"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _remove_older(env: PythonEnv, work: Path, say: Say) -> None:
    """Remove the environments of other locks, of this Python's version or of a Python that is gone.

    Those of other versions stay: they belong to a Labrig that runs on another Python.
    """
    for path in _siblings(env):
        if f"-{PYTHON}-" not in path.name and (path / "bin" / "python").exists():
            continue
        try:
            with _not_held(path):
                (work / "gone").mkdir(exist_ok=True)
                path.rename(work / "gone" / path.name)
        except LabrigError:
            say(f"in use, kept: {path}")
        else:
            say(f"removed {path}")


def _siblings(env: PythonEnv) -> list[Path]:
    """Return the other environments of the same folder name, whatever their lock or Python."""
    pattern = re.compile(re.escape(Path(env.folder).name) + r"-py3\d+-[0-9a-f]{8}")
    try:
        found = sorted(each for each in env.path.parent.iterdir() if pattern.fullmatch(each.name))
    except OSError:
        return []
    return [each for each in found if each != env.path]


def _records(path: Path) -> list[str]:
    """Return the file of every package that lists its files, relative to the environment."""
    found = path.glob("lib/python3*/site-packages/*.dist-info/RECORD")
    return sorted(str(each.relative_to(path)) for each in found)


def _measure(path: Path) -> dict[str, int]:
    """Return the number and the bytes of all files below ``lib``; bytecode may come and go."""
    files = total = 0
    folders = [str(path / "lib")]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        folders.append(entry.path)
                else:
                    files += 1
                    total += entry.stat(follow_symlinks=False).st_size
    return {"files": files, "bytes": total}


def _names(lock: Path) -> list[str]:
    """Return the names that a lock pins, in its order."""
    return re.findall(r"(?m)^([A-Za-z0-9][\w.-]*)==", lock.read_text(encoding="utf-8"))


def _count(lock: Path) -> int:
    return len(set(_names(lock)))


def _locks(lock: Path, name: str) -> bool:
    return name in _names(lock)
