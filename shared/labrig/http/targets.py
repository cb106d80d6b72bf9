"""Where a download goes: a file, or a folder in which the service may propose the name."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Mapping
from email.message import Message
from pathlib import Path
from urllib.parse import unquote, urlsplit

from labrig.errors import LabrigError
from labrig.http.parts import NotStored, taken

MOST_BYTES = 150
"""Of a proposed name; file systems take 255, and a caller may add to it."""
NO_NAME = "download"
_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*]')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


class Target:
    """The place of one download.

    Parameters
    ----------
    to
        A folder that is there, or else the file itself.
    name
        Of the file in the folder; default: what the service proposes, made safe.
    replace
        Whether a file of that name may be replaced.

    Raises
    ------
    LabrigError
        ``bad_input`` for an invalid name, ``refused`` where the name is taken.
    """

    def __init__(self, to: Path, name: str = "", *, replace: bool = False) -> None:
        self._replace = replace
        self._path: Path | None = None
        if "\0" in str(to):
            raise LabrigError(
                "This is not a path", where=f"to={str(to)!r}", expected="one without a null byte"
            )
        inside = to.is_dir()
        self.folder = to if inside else to.parent
        if not self.folder.is_dir():
            raise LabrigError(
                "There is no such folder", where=str(self.folder), expected="a file in a folder that is there"
            )
        if name and (not inside or name in (".", "..") or not re.fullmatch(r"[^/\\\0]{1,255}", name)):
            raise LabrigError(
                "This is not a name in a folder",
                where=f"name={name!r}",
                expected="a name without / in it, and `to` a folder that is there",
            )
        if name or not inside:
            self._settle(to / name if inside else to)

    def settle(self, url: str, headers: Mapping[str, str], size: int | None = None) -> Path:
        """Return the file, now that the service's answer has begun.

        Parameters
        ----------
        size
            Bytes that will come, where that is known.

        Raises
        ------
        NotStored
            ``refused`` where something has the name, ``limit`` where the disk has no room.
        """
        try:
            free = shutil.disk_usage(self.folder).free
        except OSError:  # writing will say why
            free = size or 0
        if size and size > free:
            raise NotStored(
                f"There is no room for this file of {size:,} bytes: {free:,} are free",
                where=str(self.folder),
                try_="make room, or another folder",
                code="limit",
            )
        return self._path or self._settle(self.folder / proposed_name(url, headers))

    def _settle(self, path: Path) -> Path:
        if os.path.lexists(path) and (not self._replace or path.is_dir()):
            raise taken(path)
        self._path = path
        return path


def proposed_name(url: str, headers: Mapping[str, str]) -> str:
    """Return the name that a service gives a file (RFC 6266), else the last of its path, as a safe file name.

    What is left of a path, characters that some system gives a meaning, leading dots and characters that are not seen
    go; the suffix stays where the name is cut.
    """
    message = Message()
    message["content-disposition"] = headers.get("content-disposition", "").replace("\n", " ")
    try:
        stated = message.get_filename("")
    except (LookupError, ValueError):  # an encoding that nobody knows
        stated = ""
    return _safe(stated) or _safe(unquote(urlsplit(url).path, errors="replace")) or NO_NAME


def _safe(name: str) -> str:
    name = unicodedata.normalize("NFC", name.replace("\\", "/").rstrip("/").rpartition("/")[2])
    shown = "".join(each for each in name if unicodedata.category(each)[0] != "C")
    kept = _NOT_IN_NAMES.sub("_", " ".join(shown.split())).strip(". ")
    if _DEVICES.fullmatch(kept):
        kept = f"_{kept}"
    stem, dot, suffix = kept.rpartition(".")
    if not dot or len(suffix) > 20:
        stem, suffix = kept, ""
    room = MOST_BYTES - len(f"{dot}{suffix}".encode() if suffix else b"")
    stem = stem.encode()[: max(room, 1)].decode("utf-8", "ignore")
    return f"{stem}.{suffix}" if suffix else stem
