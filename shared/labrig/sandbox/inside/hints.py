"""What code could not know of the place it runs in, said where it ran into it."""

from __future__ import annotations

import os
import socket

WALLS = (
    "in the sandbox there is no network and no other process, and only the code's own folder can be written"
)
PACKAGES = "nothing can be installed here: the packages are those of the sandbox's environment"
ANEW = "each run starts anew: what an earlier one defined or imported is not there"
RELATIVE = "in code the paths of the folder have no slash in front: {path!r}"
NO_INPUT = "nobody answers here: standard input is empty"
NO_SHELL = "this is plain Python: lines that begin with ! or % belong to IPython"


def hint(error: BaseException, *, anew: bool = False) -> str:
    """Return a line that goes with an error; empty for one that the sandbox has no part in."""
    path = getattr(error, "filename", None)
    if isinstance(error, OSError) and isinstance(path, str) and path.startswith("/"):
        below = path.lstrip("/")
        if below and os.path.lexists(below):  # as list_directory and search show it
            return RELATIVE.format(path=below)
    reason = getattr(error, "reason", None)  # urllib's URLError keeps the cause there
    if any(isinstance(each, (PermissionError, socket.gaierror)) for each in (error, reason)):
        return WALLS
    if isinstance(error, ModuleNotFoundError) or (isinstance(error, ImportError) and "pip" in str(error)):
        return PACKAGES
    if anew and type(error) is NameError:
        return ANEW
    if isinstance(error, EOFError) and "reading a line" in str(error):
        return NO_INPUT
    if isinstance(error, SyntaxError) and (error.text or "").lstrip().startswith(("!", "%")):
        return NO_SHELL
    return ""
