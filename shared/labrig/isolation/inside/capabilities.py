"""The capabilities wall: no privilege is left, and none can be gained."""

from __future__ import annotations

import errno

from . import syscalls

VERSION_3 = 0x20080522  # linux/capability.h
SETPCAP = 8
PR_CAPBSET_DROP, PR_CAP_AMBIENT = 24, 47  # linux/prctl.h
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39
AMBIENT_CLEAR_ALL = 4
# Made before any fork: the first use of a type in a child costs more than the call.
_HEADER, _NONE, _FOUND = (syscalls.words(*values) for values in ((VERSION_3, 0), (0,) * 6, (0,) * 6))


def put_up() -> None:
    """Drop every capability from every set.

    The process stays dumpable: the fork server could not see otherwise what files it holds open. Other runs can
    look into it no more for that (Landlock, seccomp), and a core is not written (see `limits`).

    Raises
    ------
    OSError
        If the kernel refuses a step, or a capability is left.
    """
    # Without it the bounding set cannot be changed, nor matter: see `no_new_privileges`.
    if _sets()[0] >> SETPCAP & 1:
        _empty_bounding_set()
    syscalls.call("prctl", PR_CAP_AMBIENT, AMBIENT_CLEAR_ALL)
    syscalls.call("capset", _HEADER, _NONE)
    left = _sets()
    if any(left):
        raise OSError(errno.EPERM, f"capabilities are left after capset: {left[0]:x} {left[1]:x} {left[2]:x}")


def no_new_privileges() -> None:
    """Make set-user-id programs and file capabilities powerless; Landlock and seccomp demand it."""
    syscalls.call("prctl", PR_SET_NO_NEW_PRIVS, 1)


def _sets() -> tuple[int, int, int]:
    """Return the effective, permitted and inheritable sets."""
    syscalls.call("capget", _HEADER, _FOUND)
    return _FOUND[0] | _FOUND[3] << 32, _FOUND[1] | _FOUND[4] << 32, _FOUND[2] | _FOUND[5] << 32


def _empty_bounding_set() -> None:
    prctl = syscalls.number("prctl") or 0
    for capability in range(64):
        if syscalls.raw(prctl, PR_CAPBSET_DROP, capability, 0, 0, 0, 0) < 0:
            error = syscalls.refusal("prctl")
            if error.errno == errno.EINVAL and capability > SETPCAP:  # past the last one this kernel knows
                return
            raise error


def available() -> None:
    """Ask the kernel for what `put_up` and `no_new_privileges` need, changing nothing.

    Raises
    ------
    OSError
        If it lacks something.
    """
    syscalls.call("prctl", PR_GET_NO_NEW_PRIVS, 0)
    _sets()
