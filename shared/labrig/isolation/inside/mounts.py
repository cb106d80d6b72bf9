"""A file system in memory for one run: its size and its number of files are limits that the kernel keeps.

A run that writes more gets ENOSPC (SIGBUS for a mapping), whatever it does with its files: without a name, mapped
alone, held by a thread with descriptors of its own. It needs a user namespace, which any user may make where the
machine allows it; see user_namespaces(7), mount_namespaces(7), tmpfs(5).
"""

from __future__ import annotations

import ctypes
import os

from . import syscalls

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000  # linux/sched.h
MS_NOSUID, MS_NODEV, MS_BIND = 2, 4, 4096  # linux/mount.h
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
ROOM = 64
"""Inodes beyond those that are asked for: the root, and what is there before the run."""
# Made before any fork: the first use of a type in a child costs more than the call.
_NAME, _KIND, _HERE, _PROC, _SELF, _SMALL = (
    ctypes.create_string_buffer(word)
    for word in (b"labrig", b"tmpfs", b".", b"/proc", b"/proc/self", b"size=4096,nr_inodes=4,mode=0755")
)


def own(place: str, size: int, files: int) -> int:
    """Give this process a file system at `place` that no other process sees; return a descriptor of its root.

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

    Raises
    ------
    OSError
        Where the machine has no namespaces for this user.
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
    _see_itself_only()
    return os.open(place, FOLDER)


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


def missing(place: str) -> str:
    """Return why `own` does not work here, or an empty text; it is tried in a child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "the child ended"
        try:
            os.close(own(place, 1 << 20, 10))
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
