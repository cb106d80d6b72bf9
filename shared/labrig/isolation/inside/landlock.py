"""The Landlock wall: which files can be opened and changed. See landlock(7) and linux/landlock.h.

Landlock does not see metadata: stat, chmod, chown, utime, extended attributes, and before its third version not
truncation either. The seccomp wall refuses those that change anything.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable, Sequence

from . import syscalls

EXECUTE = 1
WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(1, 6))
MAKE_DIR, MAKE_REG, REFER, TRUNCATE = 1 << 7, 1 << 8, 1 << 13, 1 << 14
SCRATCH = (
    READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR | REMOVE_FILE | REMOVE_DIR | REFER
)  # neither links nor devices, sockets or fifos
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files, from each version of the interface on that brought new ones."""
NETWORK = 3  # bind and connect of TCP, from version 4
SCOPES = 3  # no abstract socket of, and no signal to, processes outside; from version 6
QUERY_VERSION = 1
PATH_BENEATH = 1
LOG_SAME_EXEC_OFF = 1  # from version 7
RULE = struct.Struct("=Qi")
OWN_MAPS = "/proc/self/maps"  # threadpoolctl, and so sklearn's KMeans, finds the loaded libraries in it
NULL_DEVICE = os.makedev(1, 3)  # Documentation/admin-guide/devices.txt


def version() -> int:
    """Return the version of Landlock's interface in this kernel.

    Raises
    ------
    OSError
        ENOSYS if the kernel has none, EOPNOTSUPP if it was not turned on at boot.
    """
    return syscalls.call("landlock_create_ruleset", None, 0, QUERY_VERSION)


class Landlock:
    """Rules that all runs share, prepared once; each run adds its own and confines itself.

    Parameters
    ----------
    readable
        Files and folders that may be read, folders with all beneath them. What does not exist is skipped. The
        null device may also be written.
    listable
        Folders whose names may be listed, at any depth, without reading a file.
    at_most
        The version of the interface to use at most.
    executable
        Files and folders of which programs may be started, and what the loader maps.

    Attributes
    ----------
    descriptors
        Must be open when `put_up` is called.

    Raises
    ------
    OSError
        If the kernel has no Landlock, or a path cannot be looked up.
    """

    def __init__(
        self,
        readable: Iterable[str],
        listable: Iterable[str],
        at_most: int | None = None,
        executable: Iterable[str] = (),
    ) -> None:
        self.version = version() if at_most is None else min(version(), at_most)
        if self.version < 1:
            raise OSError(errno.EINVAL, f"Landlock has no version {self.version}")
        self.handled = RIGHTS[max(first for first in RIGHTS if first <= self.version)]
        self.descriptors: tuple[int, ...] = ()
        rules: dict[tuple[int, int], tuple[int, int]] = {}  # a file may come by several names
        try:
            for path in readable:
                self._prepare(path, None, rules)
            for path in listable:
                self._prepare(path, READ_DIR, rules)
            for path in executable:
                self._prepare(path, EXECUTE, rules)
        except OSError:
            self.close()
            raise
        # Both in the kernel's form, made before any fork: a child pays for each page it is the first to write.
        packed = b"".join(RULE.pack(rights, descriptor) for rights, descriptor in rules.values())
        self._rules = ctypes.create_string_buffer(packed, max(1, len(packed)))
        self._addresses = [
            ctypes.addressof(self._rules) + start for start in range(0, len(packed), RULE.size)
        ]
        self._own_rule = ctypes.create_string_buffer(RULE.size)
        network, scopes = NETWORK if self.version >= 4 else 0, SCOPES if self.version >= 6 else 0
        self._attributes = ctypes.create_string_buffer(struct.pack("=QQQ", self.handled, network, scopes), 24)
        self._attributes_size = 24 if self.version >= 6 else 16 if self.version >= 4 else 8

    def close(self) -> None:
        """Close the descriptors."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()

    def _prepare(self, path: str, rights: int | None, rules: dict[tuple[int, int], tuple[int, int]]) -> None:
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return
        found = os.fstat(descriptor)
        if rights == READ_DIR and not stat.S_ISDIR(found.st_mode):
            os.close(descriptor)
            raise NotADirectoryError(errno.ENOTDIR, f"to be listed, but not a folder: {path}")
        rights = reading(found) if rights is None else rights
        key = (found.st_dev, found.st_ino)
        if key in rules:
            os.close(descriptor)
            descriptor, before = rules[key][1], rules[key][0]
            rights |= before
        else:
            self.descriptors += (descriptor,)
        rules[key] = (rights & self.handled, descriptor)

    def put_up(self, writable: int | None, inputs: Sequence[int]) -> None:
        """Confine this thread to the prepared rules, its scratch folder, its inputs and its own memory map.

        Parameters
        ----------
        writable
            A descriptor of the scratch folder.
        inputs
            Descriptors of files or folders that may be read.

        Raises
        ------
        OSError
            If the kernel refuses a rule or the whole; EBADFD for an input that lies in no file system.
        """
        own = [(reading(os.fstat(descriptor)), descriptor) for descriptor in inputs]
        if writable is not None:
            own.append((SCRATCH, writable))
        maps = os.open(OWN_MAPS, os.O_PATH | os.O_CLOEXEC)  # only now is it that of this process
        own.append((READ_FILE, maps))
        ruleset = -1
        try:
            ruleset = syscalls.call("landlock_create_ruleset", self._attributes, self._attributes_size, 0)
            add = syscalls.number("landlock_add_rule") or 0
            for address in self._addresses:
                if syscalls.raw(add, ruleset, PATH_BENEATH, address, 0, 0, 0) < 0:
                    raise syscalls.refusal("landlock_add_rule")
            for rights, descriptor in own:
                RULE.pack_into(self._own_rule, 0, rights & self.handled, descriptor)
                syscalls.call("landlock_add_rule", ruleset, PATH_BENEATH, self._own_rule, 0)
            # Without the flag the kernel may log each refusal, and a run could fill the machine's log.
            syscalls.call("landlock_restrict_self", ruleset, LOG_SAME_EXEC_OFF if self.version >= 7 else 0)
        finally:
            os.close(maps)
            if ruleset >= 0:
                os.close(ruleset)


def reading(found: os.stat_result) -> int:
    """Return the rights to read a file or a folder."""
    if stat.S_ISDIR(found.st_mode):
        return READ_FILE | READ_DIR
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == NULL_DEVICE:
        return READ_FILE | WRITE_FILE  # open(os.devnull, "w") is how output is thrown away
    return READ_FILE
