"""A file system in memory for one run: its size and its number of files are limits that the kernel keeps.

A run may stand in a folder of the host: what it reads there is the folder, and what it writes goes to memory
(overlayfs: Linux 5.11 for any user, 6.6 over a file system in memory).

A run that writes more gets ENOSPC (SIGBUS for a mapping), whatever it does with its files: without a name, mapped
alone, held by a thread with descriptors of its own. It needs a user namespace, which any user may make where the
machine allows it; see user_namespaces(7), mount_namespaces(7), tmpfs(5).
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Sequence

from . import syscalls

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000  # linux/sched.h
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC = 2, 4, 4096, 16384  # linux/mount.h
WHITEOUT = stat.S_IFCHR, os.makedev(0, 0)  # what hides a name: Documentation/filesystems/overlayfs.rst
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
ROOM = 64
"""Inodes beyond those that are asked for: the root, and what is there before the run."""
# Made before any fork: the first use of a type in a child costs more than the call.
_NAME, _KIND, _HERE, _PROC, _SELF, _SMALL = (
    ctypes.create_string_buffer(word)
    for word in (b"labrig", b"tmpfs", b".", b"/proc", b"/proc/self", b"size=4096,nr_inodes=4,mode=0755")
)
_OVERLAY, _LOWER, _STANDING, _LAYERS = (
    ctypes.create_string_buffer(word)
    for word in (b"overlay", b"lower", b"folder", b"lowerdir=lower,upperdir=upper,workdir=aside,userxattr")
)


def own(
    place: str,
    size: int,
    files: int,
    lower: str = "",
    identity: Sequence[int] = (),
    hidden: Sequence[str] = (),
) -> tuple[int, int]:
    """Give this process a file system at `place` that no other process sees.

    The process keeps its user and its rights to files; it gets capabilities over its own namespaces, which
    `capabilities.put_up` takes again. The file system is gone with the last descriptor. Of ``/proc`` it sees itself
    only, and stands in it afterwards.

    Parameters
    ----------
    place
        An empty folder, by an absolute path.
    size
        Bytes that all files may take, rounded up to pages.
    files
        Files, folders and links that there may be.
    lower
        A folder that the run stands in, with no other file system mounted in it.
    identity
        Its device and inode, where it must be one that is known.
    hidden
        Paths in it that are not there for the run.

    Returns
    -------
    tuple
        Descriptors of the folder that the run stands in, and of the one that holds what it has written: the same
        without `lower`.

    Raises
    ------
    OSError
        Where the machine has no namespaces for this user, or `lower` cannot be shown.
    """
    user, group = os.geteuid(), os.getegid()
    syscalls.call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    options = f"size={size},nr_inodes={files + ROOM},mode=0700,uid={user},gid={group}"
    given = (ctypes.create_string_buffer(word.encode()) for word in (place, options))
    where, data = given
    syscalls.call("mount", _NAME, where, _KIND, MS_NOSUID | MS_NODEV, data)
    if not lower:
        _see_itself_only()
        folder = os.open(place, FOLDER)
        return folder, folder
    _lay_over(place, lower, identity, hidden)
    _see_itself_only()
    return os.open(f"{place}/folder", FOLDER), os.open(f"{place}/upper", FOLDER)


def _lay_over(place: str, lower: str, identity: Sequence[int], hidden: Sequence[str]) -> None:
    """Show a folder at ``folder``, whose changes go to ``upper``."""
    os.chdir(place)  # the layers are named from here, since a comma or a colon in a path would have a meaning
    for name in ("lower", "upper", "aside", "folder"):
        os.mkdir(name, 0o700)  # noqa: PTH102 - pathlib costs start-up
    syscalls.call(
        "mount", ctypes.create_string_buffer(os.fsencode(lower)), _LOWER, None, MS_BIND | MS_REC, None
    )
    found = os.stat("lower")  # noqa: PTH116
    if identity and [found.st_dev, found.st_ino] != [*identity]:
        raise OSError(errno.ESTALE, f"another folder has taken the place of {lower}")
    os.chmod("upper", stat.S_IMODE(found.st_mode) | 0o700)  # noqa: PTH101
    for path in hidden:
        os.makedirs(os.path.dirname(f"upper/{path}"), exist_ok=True)  # noqa: PTH103, PTH120
        os.mknod(f"upper/{path}", *WHITEOUT)
    try:
        syscalls.call("mount", _NAME, _STANDING, _OVERLAY, MS_NOSUID | MS_NODEV, _LAYERS)
    except OSError as error:
        if error.errno == errno.EINVAL:  # such mounts are locked to it: mount_namespaces(7)
            raise OSError(errno.EINVAL, f"another file system is mounted in {lower}") from error
        raise


def _see_itself_only() -> None:
    """Cover ``/proc`` by a folder with this process alone: stat() of a number would tell which others there are."""
    os.chdir("/proc/self")  # what is mounted over it does not hide the folder in which a process stands
    syscalls.call("mount", _NAME, _PROC, _KIND, MS_NOSUID | MS_NODEV, _SMALL)
    os.mkdir("/proc/self")  # noqa: PTH102 - pathlib costs start-up
    os.symlink("self", f"/proc/{os.getpid()}")  # noqa: PTH211
    syscalls.call("mount", _HERE, _SELF, None, MS_BIND, None)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: {path}") from error
    finally:
        os.close(descriptor)


def missing(place: str, lower: str = "") -> str:
    """Return why `own` does not work here, or an empty text; it is tried in a child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "the child ended"
        try:
            own(place, 1 << 20, 10, lower)
            said = ""
        except BaseException as error:
            said = f"{error}"
        finally:
            os.write(writing, said.encode()[:2000])
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 2000).decode("utf-8", errors="replace")
    os.close(reading)
    os.waitpid(pid, 0)
    return said
