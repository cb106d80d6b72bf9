"""The Python that the sandbox runs code in, as it is installed, and what of the machine it needs to read.

It is a side environment without any code of Labrig (`labrig.sandbox.profiles`), so that code in the sandbox cannot
import what generates tasks or grades answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labrig.commands import setup_command
from labrig.errors import LabrigError, unknown_name
from labrig.sandbox.profiles import profiles
from labrig.sideenv import check_installed, own_python
from labrig.sideenv.own_python import hold

__all__ = ["Interpreter", "Readable", "find", "hold", "reading", "summary"]

SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
OTHER_PACKAGES = ("site-packages", "dist-packages")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
MOST_LINKS = 40
"""Links that the kernel follows in one path, `path_resolution(7)`."""


@dataclass(frozen=True)
class Interpreter:
    """An installed Python for the sandbox.

    Attributes
    ----------
    profile
        One of `profiles`.
    prefix
        The environment's folder, a real path.
    python
        Its program, ``prefix/bin/python``: a link to the Python below.
    mplconfig
        A folder with matplotlib's list of its own fonts. Copy it to a writable folder that ``MPLCONFIGDIR``
        names: matplotlib does not read one that it cannot write, and looks for fonts anew.
    versions
        The version of every installed package.
    lock
        The SHA-256 of what the environment was made from.
    """

    profile: str
    prefix: Path
    python: Path
    mplconfig: Path
    versions: dict[str, str]
    lock: str


@dataclass(frozen=True)
class Readable:
    """What code in the sandbox may read, apart from its own folder. All paths are real ones.

    Attributes
    ----------
    readable
        Files, devices, and folders with all that is below them.
    listable
        Folders of which the names may be listed, but no content read other than by `readable`: the base's
        standard library, in whose folder its other packages lie.
    links
        Path and target of the links outside of all these that a root made anew needs to lead here.
    """

    readable: tuple[Path, ...]
    listable: tuple[Path, ...]
    links: dict[Path, str]


def find(profile: str) -> Interpreter:
    """Return the Python of a profile.

    Raises
    ------
    LabrigError
        "not_found" for an unknown profile, "unavailable" if its environment is missing or damaged.
    """
    if profile not in profiles():
        raise unknown_name("profile of the sandbox", profile, profiles())
    env = profiles()[profile]
    check_installed(env)
    prefix = env.path.resolve()
    return Interpreter(
        profile=profile,
        prefix=prefix,
        python=prefix / "bin" / "python",
        mplconfig=prefix / "var" / "matplotlib",
        versions=dict(own_python.manifest_of(env)["packages"]),
        lock=env.digest,
    )


def summary(profile: str) -> str:
    """Return where the Python of a profile is, or what is wrong with it, in a line."""
    try:
        return f"Python of the sandbox: {find(profile).prefix}"
    except LabrigError as error:
        return str(error)


def reading(interpreter: Interpreter) -> Readable:
    """Return what of this machine the Python needs to read: itself, its libraries, its time zones.

    What only the Python knows was asked when it was installed (``prepare.py``).
    """
    facts = own_python.manifest_of(profiles()[interpreter.profile])["facts"]
    links: dict[Path, str] = {}

    def real(path: str | Path) -> Path:
        end, met = follow(Path(path))
        links.update(met)
        return end

    # The program and the way to it; the Python looks for its library relative to where it was found.
    readable = {interpreter.prefix, real(interpreter.python), real(facts["executable"])}
    listable: list[Path] = []
    for base in map(real, facts["base"]):
        if not base.is_dir():
            raise LabrigError(
                "The Python below the side environment is gone",
                where=str(base),
                try_=f"{setup_command(profiles()[interpreter.profile].name)} --force",
                code="unavailable",
            )
        if not base.is_relative_to(listable[0] if listable else "/nowhere"):
            listable.append(base)
            # Debian's sitecustomize.py, for one, leads to /etc.
            inside = (each for each in base.iterdir() if each.resolve().is_relative_to(base))
            readable.update(each for each in inside if each.name not in OTHER_PACKAGES)

    triplet = facts["triplet"]
    for folder in ("/lib64", "/usr/lib64", *((f"/lib/{triplet}", f"/usr/lib/{triplet}") if triplet else ())):
        # Where packages of Python lie among the libraries (Fedora), only those libraries that get loaded.
        if Path(folder).is_dir() and not any(real(folder).glob("python3*")):
            readable.add(real(folder))
    readable.update(real(each) for each in (*SYSTEM_FILES, *DEVICES) if Path(each).exists())
    for library in map(Path, facts["libraries"]):
        # It is loaded by a name such as libcrypto.so.3, which may be a link to the file that was mapped.
        names = library.parent.glob(f"{library.name.split('.so')[0]}.so*")
        readable.update(real(each) for each in names if each.resolve() == library)

    roots = {*readable, *listable}
    return Readable(
        readable=tuple(sorted(path for path in readable if not readable.intersection(path.parents))),
        listable=tuple(listable),
        links={
            path: target for path, target in sorted(links.items()) if not roots.intersection(path.parents)
        },
    )


def follow(path: Path) -> tuple[Path, dict[Path, str]]:
    """Follow a path part by part, and return where it ends and every link that was met on the way.

    The links are given by their real paths; a part that does not exist is taken as it is.

    Raises
    ------
    LabrigError
        "unavailable" for a path of more than `MOST_LINKS` links.
    """
    links: dict[Path, str] = {}
    here, rest, count = Path("/"), list(path.absolute().parts[1:]), 0
    while rest:
        part = rest.pop(0)
        if part == "..":
            here = here.parent
            continue
        step = here / part
        if not step.is_symlink():
            here = step
            continue
        count += 1
        if count > MOST_LINKS:
            raise LabrigError("The path has too many links", where=str(path), code="unavailable")
        target = str(step.readlink())
        links[step] = target
        if target.startswith("/"):
            here = Path("/")
        rest = [each for each in Path(target).parts if each != "/"] + rest
    return here, links
