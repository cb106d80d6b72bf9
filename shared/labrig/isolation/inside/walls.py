"""All walls around one run: prepared once in the fork server, put up in each child before the agent's code runs.

The order matters. Limits come first, since they start from what /proc tells; then privileges go; then Landlock closes
the files; seccomp is last, since it refuses the calls that the others need. A wall that cannot be put up raises
`WallError`, and those after it are not tried: the child must end then.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Sequence

from . import capabilities, landlock, limits, seccomp, syscalls
from .rules import CODE

ALL = ("limits", "capabilities", "landlock", "seccomp")
NEED_NO_NEW_PRIVILEGES = {"capabilities", "landlock", "seccomp"}
Limits = dict[int, tuple[int, int]]


class WallError(Exception):
    """A wall cannot be put up.

    Attributes
    ----------
    wall
        Which, one of `ALL`.
    code
        The error number, or 0.
    """

    def __init__(self, wall: str, cause: Exception) -> None:
        self.wall = wall
        self.code = (cause.errno or 0) if isinstance(cause, OSError) else 0
        name = f" [{errno.errorcode[self.code]}]" if self.code in errno.errorcode else ""
        said = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
        where = f" ({cause.filename})" if isinstance(cause, OSError) and cause.filename else ""
        super().__init__(f"the {wall} wall cannot be put up: {said}{where}{name}")


class Walls:
    """The walls of every run of one fork server.

    Parameters
    ----------
    wanted
        Names out of `ALL`.
    readable
        Files and folders, with all beneath, that a run may read; what does not exist is skipped.
    listable
        Folders of which a run may list the names, at any depth.
    landlock_abi
        The version of Landlock's interface to use at most; None is that of the kernel.
    rules
        Which system calls a run may make.
    executable
        Files and folders of which programs may be started, where seccomp is not wanted, which refuses that.

    Attributes
    ----------
    descriptors
        Must be open in the child when `put_up` is called, which closes them there.

    Raises
    ------
    ValueError
        For an unknown wall.
    WallError
        If this machine or kernel cannot have a wanted wall.
    """

    def __init__(
        self,
        wanted: Sequence[str],
        readable: Sequence[str],
        listable: Sequence[str],
        landlock_abi: int | None = None,
        rules: seccomp.Rules = CODE,
        executable: Sequence[str] = (),
    ) -> None:
        unknown = set(wanted) - set(ALL)
        if unknown:
            raise ValueError(f"no such wall: {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
        self.wanted = tuple(wall for wall in ALL if wall in wanted)
        self._landlock: landlock.Landlock | None = None
        self._seccomp: seccomp.Seccomp | None = None
        if "landlock" in self.wanted:
            with _wall("landlock"):
                self._landlock = landlock.Landlock(readable, listable, landlock_abi, executable)
        if "seccomp" in self.wanted:
            with _wall("seccomp"):
                if not syscalls.MACHINE:
                    raise OSError(errno.ENOSYS, _unknown_machine())
                self._seccomp = seccomp.Seccomp(rules)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What must stay open until the walls are up."""
        return self._landlock.descriptors if self._landlock else ()

    def close(self) -> None:
        """Close the descriptors, after which nothing can be put up any more."""
        if self._landlock:
            self._landlock.close()

    def put_up(self, own: Callable[[], Limits], *, writable: int | None, inputs: Sequence[int]) -> None:
        """Put up all wanted walls around this process, which must have one thread, for good.

        Parameters
        ----------
        own
            Returns the limits of this run, soft and hard, by ``resource.RLIMIT_*``; see `limits`.
        writable
            A descriptor of the scratch folder; None for no place to write.
        inputs
            Descriptors of files or folders that may be opened again for reading, through `/proc/self/fd`.

        Raises
        ------
        WallError
            If one cannot be put up. Some may be: end the process.
        """
        with _wall(self.wanted[0] if self.wanted else "limits"):
            if (threads := limits.threads()) != 1:  # Landlock confines the thread that asks, and no other
                raise OSError(errno.EBUSY, f"the process has {threads} threads, not one")
        last: Limits = {}
        if "limits" in self.wanted:
            with _wall("limits"):
                first = own()
                # Landlock's descriptors may have higher numbers than this allows; it is lowered when they are closed.
                last = {limits.DESCRIPTORS: first.pop(limits.DESCRIPTORS)}
                limits.put_up(first)
        if "capabilities" in self.wanted:
            with _wall("capabilities"):
                capabilities.put_up()
        if NEED_NO_NEW_PRIVILEGES.intersection(self.wanted):
            with _wall("capabilities"):
                capabilities.no_new_privileges()
        if self._landlock:
            with _wall("landlock"):
                self._landlock.put_up(writable, inputs)
                self.close()
        with _wall("limits"):
            limits.put_up(last)
        if self._seccomp:
            with _wall("seccomp"):
                self._seccomp.put_up()


@contextlib.contextmanager
def _wall(name: str) -> Iterator[None]:
    """Say which wall it was that failed."""
    try:
        yield
    except (OSError, ValueError, OverflowError) as error:
        raise WallError(name, error) from error


def available() -> dict[str, str]:
    """Return for each wall why this system lacks it, or ""; the caller is not confined.

    A container's own filter may still refuse what the kernel has: only a child that puts the walls up knows.
    """
    questions: dict[str, Callable[[], object]] = {
        "limits": limits.sizes,
        "capabilities": capabilities.available,
        "landlock": landlock.version,
        "seccomp": seccomp.available,
    }
    if not syscalls.MACHINE:
        return dict.fromkeys(ALL, _unknown_machine())
    answers = dict.fromkeys(ALL, "")
    for wall, question in questions.items():
        try:
            question()
        except (OSError, ValueError) as error:
            answers[wall] = _why_not(wall, error)
    return answers


def _why_not(wall: str, error: OSError | ValueError) -> str:
    code = error.errno if isinstance(error, OSError) else 0
    if wall == "landlock" and code == errno.ENOSYS:
        return "the kernel has no Landlock (Linux 5.13 and later have it, if it was built in)"
    if wall == "landlock" and code == errno.EOPNOTSUPP:
        return (
            "Landlock is built into the kernel but not turned on: add it to lsm= on the kernel's command line"
        )
    if wall == "seccomp" and code in (errno.ENOSYS, errno.EINVAL):
        return "the kernel has no seccomp filters"
    return f"{error.strerror if isinstance(error, OSError) else error}"


def _unknown_machine() -> str:
    system = os.uname()
    return f"only 64-bit Linux on {' and '.join(syscalls.MACHINES)} is known, not {system.sysname} on {system.machine}"
