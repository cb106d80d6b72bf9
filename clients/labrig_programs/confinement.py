"""Keeping an agent program away from truths, records and generators, with bubblewrap.

A confined program sees the system's folders read-only, its own installation, the Python that runs the shim without any
site-packages, the socket of its tools, and its private folders. It does not see other files, other processes, what
their environments hold, or Labrig's own code. It has no privileges and cannot gain any; it dies with the harness.

The network stays, because the model's service is there: a program with a shell can reach what this machine can
reach, the loopback and abstract sockets included. `Cell.network` False cuts it off. Memory, processor time and
disk are not limited here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from labrig import config
from labrig.errors import LabrigError

Mode = Literal["auto", "required", "off"]
BUBBLEWRAP, UNCONFINED = "bubblewrap", "unconfined"

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Of /etc what name lookup, TLS, the loader and the clock need. Not the whole of it: a harness that runs as root would
# hand on what only root may read, such as /etc/ssl/private.
SETTINGS = (
    *("resolv.conf", "hosts", "host.conf", "nsswitch.conf", "gai.conf", "services", "protocols"),
    *("ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs", "pki/tls/cert.pem", "pki/ca-trust"),
    *("crypto-policies", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives"),
    *("localtime", "timezone", "mime.types", "os-release"),
)
USER = 1000
ARGUMENTS = 9
"""The descriptor from which bubblewrap reads its arguments: on its command line the program could read them."""

LINKS = 40
"""As many as the kernel follows."""

ISOLATION = (
    *("--unshare-user", "--uid", str(USER), "--gid", str(USER)),
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "labrig"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)


@dataclass(frozen=True)
class Cell:
    """What a program may see besides the system's folders.

    Attributes
    ----------
    readable, writable
        Files, folders and sockets, at their own paths.
    hidden
        What must not be seen, even where it lies below something that is seen.
    network
        False for a network of its own with nothing in it.
    """

    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = True


def decide(mode: Mode) -> str:
    """Return how agent programs are confined: ``bubblewrap`` or ``unconfined``.

    Raises
    ------
    LabrigError
        If confinement is required and there is none, or bubblewrap runs and does not keep its promise.
    """
    if mode == "off":
        return UNCONFINED
    missing = _probe_cell()
    if not missing:
        return BUBBLEWRAP
    if mode == "required":
        raise LabrigError(
            f"Agent programs cannot be confined here: {missing}",
            where="confine=required",
            expected="bubblewrap, and user namespaces that may be made",
            try_="apt-get install bubblewrap; in a container, allow user namespaces; or --set confine=auto",
            code="refused",
        )
    return UNCONFINED


def write_arguments(cell: Cell, folder: Path, cwd: Path) -> Path:
    """Write bubblewrap's arguments for a cell into a folder that the cell does not see; return the file.

    Raises
    ------
    LabrigError
        If something that is to be seen lies in what must be hidden.
    """
    names = folder / "users"
    names.mkdir(exist_ok=True)
    (names / "passwd").write_text(
        f"root:x:0:0::/:/bin/false\nagent:x:{USER}:{USER}::{cwd}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"
    )
    (names / "group").write_text(f"root:x:0:\nagent:x:{USER}:\nnogroup:x:65534:\n")
    words = [*_list_isolation(), *_list_system(), "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    words += [
        word for name in ("passwd", "group") for word in ("--ro-bind", str(names / name), f"/etc/{name}")
    ]
    if not cell.network:
        words.append("--unshare-net")
    seen = [*map(Path, SYSTEM), *map(_resolve_path, (*cell.readable, *cell.writable))]
    hidden = [_resolve_path(path) for path in (*cell.hidden, *own_code(), config.home())]
    for path in map(_resolve_path, (*cell.readable, *cell.writable)):
        inside = next((each for each in hidden if path.is_relative_to(each)), None)
        if inside is not None:
            raise LabrigError(
                "A confined program cannot be given this: it lies in what agents must not see",
                where=str(path),
                expected=f"a path outside {inside}",
                try_="install the program elsewhere",
                code="refused",
            )
    for way, paths in (("--ro-bind", cell.readable), ("--bind", cell.writable)):
        for path in dict.fromkeys(paths):
            words += [way, str(_resolve_path(path)), str(path.absolute())]
    for path in hidden:
        if path.exists() and any(path.is_relative_to(each) for each in seen):
            words += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    words += ["--chdir", str(cwd), "--remount-ro", "/"]
    file = folder / "bubblewrap.args"
    file.write_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
    return file


def command(arguments: Path, argv: Sequence[str]) -> list[str]:
    """Return the command that runs a program in the cell that `write_arguments` described."""
    inner = f'exec {ARGUMENTS}<"$1"; shift; exec bwrap --args {ARGUMENTS} -- "$@"'
    return ["/bin/sh", "-c", inner, "sh", str(arguments), *argv]


def _list_isolation() -> list[str]:
    more = [flag for flag in ("--disable-userns",) if flag in _read_help()]  # bubblewrap 0.8 and later
    return [*ISOLATION, *more]


def _list_system() -> list[str]:
    """Return the arguments that bring the system's folders, links kept as links."""
    words: list[str] = []
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    for name in SETTINGS:
        path = Path("/etc") / name
        if path.exists():
            words += ["--ro-bind", str(_resolve_path(path)), str(path)]
    return words


def own_code() -> tuple[Path, ...]:
    """Return the folders of Labrig's packages, and of all that bring it servers, side environments or suites.

    Where Labrig is installed beside the system's packages, these folders are hidden and the others stay.
    """
    names = {"labrig", "labrig_harness", "labrig_programs", "labrig_study", "labrig_cli"}
    for group in ("labrig.servers", "labrig.suites", "labrig.side_envs", "labrig.sandbox_profiles"):
        names |= {each.value.split(":")[0].split(".")[0] for each in entry_points(group=group)}
    found: list[Path] = []
    for name in sorted(names):
        spec = find_spec(name)
        found += [Path(each) for each in (spec.submodule_search_locations or ())] if spec else []
    for site in (
        *Path("/usr").glob("lib/python3*/*-packages"),
        *Path("/usr/local").glob("lib/python3*/*-packages"),
    ):
        found += site.glob("labrig*")
    return tuple(dict.fromkeys(found))


def shim_python() -> tuple[Path, tuple[Path, ...], tuple[Path, ...]]:
    """Return the Python that runs the shim, what it needs to be seen, and what of that must be hidden.

    It is the one below the virtual environment, without its site-packages.
    """
    base = Path(sys.base_prefix)
    program = _resolve_path(Path(getattr(sys, "_base_executable", sys.executable)))
    if _is_system(program):
        return program, (), ()
    libraries = base / "lib"
    sites = [*libraries.glob("python3*/site-packages"), *libraries.glob("python3*/dist-packages")]
    shared = sysconfig.get_config_var("LIBDIR")
    needed = [program, libraries, *([Path(shared)] if shared and Path(shared).is_dir() else [])]
    return program, tuple(dict.fromkeys(path for path in needed if not _is_system(path))), tuple(sites)


def installation(program: Path) -> tuple[Path, ...]:
    """Return what a program needs to be seen: itself, and the folder of packages that it belongs to.

    For a script, also what its first line names. Nothing of the system's folders, which are seen anyway.
    """
    found: list[Path] = []
    for path in dict.fromkeys((program.absolute(), _resolve_path(program))):
        if _is_system(path):
            continue
        parts = path.parts
        environment = path.parent.parent
        if "node_modules" in parts:  # packages of npm lie beside those they need
            found.append(Path(*parts[: parts.index("node_modules") + 1]))
        elif (environment / "pyvenv.cfg").is_file():
            found += [environment, *_find_python_below(environment)]
        else:
            found.append(path)
    named = interpreter(program)
    return tuple(dict.fromkeys((*found, *(installation(named) if named else ()))))


def _find_python_below(environment: Path) -> tuple[Path, ...]:
    """Return what the Python below a virtual environment needs, unless it is the system's.

    `bin/python` may be a link to a link: each is found, with the library beside it.
    """
    found: list[Path] = []
    path = environment / "bin" / "python"
    for _ in range(LINKS):
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
        if not _is_system(path) and path.parent != environment / "bin":
            found += [path, *(each for each in [path.parent.parent / "lib"] if each.is_dir())]
    return tuple(found)


def interpreter(script: Path) -> Path | None:
    """Return the program that a script's first line names, if it names one by a path outside the system's."""
    try:
        with script.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = os.fsdecode(first[2:]).split()
    if not words:
        return None
    path = Path(words[0])
    if path.name == "env" and len(words) > 1:
        named = shutil.which(words[-1] if words[1] == "-S" and len(words) == 3 else words[1])
        path = Path(named) if named else path
    return path if path.is_file() and not _is_system(path) and path != script else None


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in SYSTEM)


def _resolve_path(path: Path) -> Path:
    return Path(os.path.realpath(path))


@cache
def _read_help() -> str:
    found = shutil.which("bwrap")
    if not found:
        return ""
    return subprocess.run([found, "--help"], capture_output=True, text=True, check=False, timeout=20).stdout


@cache
def _probe_cell() -> str:
    """Try a cell once; return why there is none, or an empty text.

    Raises
    ------
    LabrigError
        If the program runs and the cell leaks: a canary outside is seen, other processes are, or privileges stay.
    """
    if not sys.platform.startswith("linux"):
        return f"there is no bubblewrap for {sys.platform}"
    if not shutil.which("bwrap"):
        return "bubblewrap (bwrap) is not installed"
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as inside:
        canary = Path(outside) / "canary"
        canary.touch()
        look = f"PATH=/usr/bin:/bin; test -e {canary} && echo LEAK; ls -d /proc/[0-9]*; "
        look += "grep -E 'CapEff|NoNewPrivs' /proc/self/status"
        cell = Cell(writable=(Path(inside),))
        done = _run_command(
            command(write_arguments(cell, Path(outside), Path(inside)), ["/bin/sh", "-c", look])
        )
    if done.returncode != 0:
        return "bubblewrap fails: " + (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
    seen = done.stdout.split()
    processes = [each for each in seen if each.startswith("/proc/")]
    sound = "LEAK" not in seen and len(processes) < 8 and "0000000000000000" in seen and seen[-1] == "1"
    if not sound:
        raise LabrigError(
            "bubblewrap runs here and does not confine: agent programs are refused",
            where="confinement",
            expected="a program without privileges that sees neither other files nor other processes",
            try_="another bubblewrap, or --set confine=off with records that say unconfined",
            code="refused",
        )
    return ""


def _run_command(
    argv: Iterable[str], env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            list(argv),
            capture_output=True,
            text=True,
            env=env,
            stdin=subprocess.DEVNULL,
            timeout=30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(list(argv), 1, "", "it does not answer")
