"""Which protection works here, and the command that starts the fork server in it.

``bubblewrap``: namespaces and a root of its own around the fork server, and all walls around each run.
``landlock``: no namespaces, as in an unprivileged container; all walls around each run.
``unsafe-local``: limits on time, memory and files, and nothing that protects the machine.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from labrig.errors import LabrigError
from labrig.isolation import boot
from labrig.isolation import inside as isolating
from labrig.isolation.inside import mounts, walls
from labrig.isolation.warm import CONTROL
from labrig.sandbox import inside
from labrig.sandbox.environment import OTHER_PACKAGES, Interpreter, Readable

Name = Literal["bubblewrap", "landlock", "unsafe-local"]
NAMES: tuple[str, ...] = get_args(Name)
AUTO = "auto"
OURS = {
    "labrig.isolation.inside": Path(isolating.__file__).parent,
    "labrig.sandbox.inside": Path(inside.__file__).parent,
}
"""All of Labrig that the fork server finds."""
PROBE_S = 20


@dataclass(frozen=True)
class Backend:
    """A protection that works here.

    Attributes
    ----------
    walls
        What is put up around each run: see `labrig.isolation.inside.walls`.
    reason
        Why it is not a fuller one; empty for the fullest.
    """

    name: Name
    walls: tuple[str, ...]
    reason: str = ""


def choose(wanted: str) -> Backend:
    """Return the protection asked for, or with ``auto`` the fullest that works here.

    Raises
    ------
    LabrigError
        ``bad_input`` for a name that does not exist, ``refused`` if what is asked for does not work here.
    """
    if wanted not in (AUTO, *NAMES):
        raise LabrigError(
            f"There is no sandbox {wanted!r}", where="sandbox backend", expected=", ".join((AUTO, *NAMES))
        )
    if wanted == "unsafe-local":
        return Backend("unsafe-local", ("limits",), "it was asked for")
    missing = {name: why for name, why in walls.available().items() if why}
    if missing:
        raise _refusal("; ".join(f"{name}: {why}" for name, why in missing.items()))
    if wanted == "landlock":
        return Backend("landlock", walls.ALL, "it was asked for")
    why = bubblewrap_missing()
    if not why:
        return Backend("bubblewrap", walls.ALL)
    if wanted == "bubblewrap":
        raise _refusal(why)
    return Backend("landlock", walls.ALL, why)


def _refusal(why: str) -> LabrigError:
    return LabrigError(
        f"Code cannot be run safely here: {why}",
        where="sandbox",
        expected="Linux with Landlock and seccomp; bubblewrap where there are user namespaces",
        try_="another machine or kernel; or, if whatever the code does to this machine is acceptable, --unsafe-local",
        code="refused",
    )


def bubblewrap_missing() -> str:
    """Return why bubblewrap cannot be used here; empty if it can."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed"
    command = [program, *ISOLATION, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "/bin/true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run: {error}"
    if done.returncode:
        return f"bubblewrap does not work here: {done.stderr.decode('utf-8', 'replace').strip()[-200:]}"
    return ""


def unmounted() -> str:
    """Return why a run's folder is no file system of its own here, as `isolation.inside.mounts` makes it; or ""."""
    with tempfile.TemporaryDirectory(prefix="labrig-") as folder:
        return mounts.missing(folder)


ISOLATION = (
    *(
        "--unshare-user",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ),
    *("--hostname", "labrig", "--uid", "65534", "--gid", "65534"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)
SCRATCH = "/scratch"
CODE = "/labrig"


def environment() -> dict[str, str]:
    """Return the environment variables of the fork server: nothing of ours."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # The same order of sets and dictionaries' hashes in every run.
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # One thread: forking a process with several copies half-done work, and results depend on their number.
        **{f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "POLARS", "GDAL")},
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_ARENA_MAX": "2",
        # One heap can be had in large pages, Python's own scattered arenas cannot: see `inside.zygote.use_large_pages`.
        "PYTHONMALLOC": "malloc",
        # Workers would be processes, which a run cannot have.
        "JOBLIB_MULTIPROCESSING": "0",
        "MPLBACKEND": "Agg",
        # What matplotlib writes into PDF, PostScript and SVG as their time: the same code gives the same file.
        "SOURCE_DATE_EPOCH": "0",
    }


def command(
    backend: Backend,
    interpreter: Interpreter,
    readable: Readable,
    scratch: Path,
    scratch_bytes: int,
    shown: Sequence[Path] = (),
) -> tuple[list[str], dict[str, Any]]:
    """Return the command of the fork server, and the paths in its configuration.

    Parameters
    ----------
    scratch
        Folder of the scratch folders; under bubblewrap it is a file system in memory of `scratch_bytes` instead.
    shown
        Folders that inputs lie in. They are there; what of them a run may read is for Landlock.
    """
    python = [str(interpreter.python), "-P", "-s"]
    paths: dict[str, Any] = {
        "walls": backend.walls,
        "readable": [str(path) for path in readable.readable],
        "listable": [str(path) for path in readable.listable],
        "scratch": str(scratch),
        "mplconfig": str(interpreter.mplconfig),
        "mounted": backend.name != "unsafe-local",
    }
    if backend.name != "bubblewrap":
        return [*python, *_boot(OURS), CONTROL], paths
    program = shutil.which("bwrap") or "bwrap"
    # What is shown comes first: the rest may lie in it.
    words = [program, *ISOLATION, *(word for path in shown for word in ("--ro-bind", str(path), str(path)))]
    words += ["--proc", "/proc", "--dev", "/dev"]
    placed = {name: name.replace(".", "/").replace("labrig", CODE, 1) for name in OURS}
    words += [word for name, path in OURS.items() for word in ("--ro-bind", str(path), placed[name])]
    words += _binds(readable)
    words += [word for path, target in readable.links.items() for word in ("--symlink", target, str(path))]
    words += ["--size", str(scratch_bytes), "--perms", "0700", "--tmpfs", SCRATCH]
    words += ["--chdir", "/", "--remount-ro", "/"]
    return [*words, "--", *python, *_boot(placed), CONTROL], paths | {"scratch": SCRATCH}


def _boot(ours: Mapping[str, str | Path]) -> list[str]:
    outer = dict.fromkeys(("labrig", "labrig.isolation", "labrig.sandbox"), "/nowhere")
    return boot.words("labrig.sandbox.inside.zygote", outer | dict(ours))


def _binds(readable: Readable) -> list[str]:
    """Show what is readable. A folder of which only the names may be listed is shown without its other packages."""
    words: list[str] = []
    shown = (path for path in readable.readable if not path.is_relative_to("/dev"))
    below_listable = set(readable.listable)
    for path in (
        *readable.listable,
        *(each for each in shown if not below_listable.intersection(each.parents)),
    ):
        words += ["--ro-bind", str(path), str(path)]
    for path in (base / name for base in readable.listable for name in OTHER_PACKAGES):
        if path.is_dir():
            words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    return words
