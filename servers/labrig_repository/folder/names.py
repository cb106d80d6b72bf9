"""How a name is written for a reader, and which path a reader means.

Names on disk are bytes. Those that are not UTF-8 are shown with ``\\xNN`` for each byte that cannot be decoded, as are
control characters, for a line end in a name would look like two names; they are found again by what is shown. What a
name looks like is not always what it is: an accented letter can be one character or two (Unicode's NFC and NFD), so a
path that names nothing is looked for in the other form.
"""

from __future__ import annotations

import re
import unicodedata

from labrig.errors import LabrigError
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.store import Repository

MOST_PATH_BYTES = 4096
"""Of a path, as Linux has it (PATH_MAX)."""

_MOST_PARTS = 255
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")
_UNSHOWN = re.compile("[\x00-\x1f\x7f\udc80-\udcff]")


def shown(path: str) -> str:
    """Return a path as text that JSON can carry."""
    if path.isascii() and path.isprintable():
        return path
    return _UNSHOWN.sub(lambda each: f"\\x{ord(each[0]) & 0xFF:02x}", path)


def parts_of(path: object, *, where: str = "path") -> list[str]:
    """Return the parts of a path that an agent wrote; ``/a//b/./c/`` is ``a``, ``b``, ``c``.

    ``..`` goes back one part, as text: the folder that a link stands in, not the one that it leads to. Nothing is
    decoded (``%2e``) and a backslash is a character like any other.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not text, is too long or holds NUL, ``refused`` where it leads above the repository.
    """
    expected = "a path in the repository, such as data/run1.csv"
    if not isinstance(path, str):
        raise LabrigError("The path is not text", where=f"{where}: {path!r}", expected=expected)
    if "\0" in path:
        raise LabrigError("The path holds a NUL character", where=where, expected=expected)
    if len(path.encode("utf-8", "surrogatepass")) > MOST_PATH_BYTES:
        raise LabrigError(
            "The path is too long",
            where=f"{where}: {path[:60]}...",
            expected=f"at most {MOST_PATH_BYTES:,} bytes",
        )
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise LabrigError(
                    "The path leads above the repository",
                    where=f"{where}: {path}",
                    expected=expected,
                    code="refused",
                )
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if len(parts) > _MOST_PARTS:
        raise LabrigError("The path has too many parts", where=where, expected=f"at most {_MOST_PARTS}")
    return parts


def parts_in(repository: Repository, path: object, *, where: str = "path") -> list[str]:
    """Return `parts_of` a path; an absolute one that leads into the repository's folder is taken from there.

    Agents that also have a shell write such paths. One that begins like a name in the repository means that name.
    """
    parts = parts_of(path, where=where)
    above = repository.path.parts[1:] if isinstance(repository, Folder) and str(path).startswith("/") else ()
    if above and tuple(parts[: len(above)]) == above and repository.kind(parts[0]) is None:
        return parts[len(above) :]
    return parts


def spelled(repository: Repository, folder: str, name: str) -> str:
    """Return the path of a name in a folder, as the repository spells it; `name` as it is where it has none.

    It is looked up as it stands first, then with ``\\xNN`` as the byte, then in the other Unicode form.
    """
    path = f"{folder}/{name}" if folder else name
    if repository.kind(path) is not None:
        return path
    raw = _ESCAPED.sub(lambda each: _unshown(int(each[1], 16)), name)
    for other in (raw, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)):
        also = f"{folder}/{other}" if folder else other
        if other != name and repository.kind(also) is not None:
            return also
    return path


def _unshown(code: int) -> str:
    """Return the character that `shown` wrote with this code."""
    if code > 127:
        return chr(0xDC00 + code)
    return chr(code) if code < 32 or code == 127 else f"\\x{code:02x}"


def located(repository: Repository, path: object, *, where: str = "path") -> str:
    """Return what an agent's path stands for, as the repository spells it; it need not exist."""
    parts = parts_in(repository, path, where=where)
    straight = "/".join(parts)
    if repository.kind(straight) is not None:
        return straight
    found = ""
    for part in parts:
        found = spelled(repository, found, part)
    return found
