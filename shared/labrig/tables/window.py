"""A file as Python's readers want it: an object that seeks, and reads what is asked for."""

from __future__ import annotations

import io
from typing import Any

from labrig.errors import LabrigError
from labrig.tools.reading import Files


class Window(io.RawIOBase):
    """A file, read-only; `read_bytes` counts what was read of it.

    Parameters
    ----------
    most_bytes
        What may be read altogether; LabrigError ``limit`` above.
    """

    def __init__(self, files: Files, path: str, most_bytes: int) -> None:
        self._files = files
        self._path = path
        self._size = files.size(path)
        self._place = 0
        self._most = most_bytes
        self.read_bytes = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, start + offset)
        return self._place

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), max(0, self._size - self._place))
        if self.read_bytes + wanted > self._most:
            raise LabrigError(
                f"More than {self._most:,} bytes of the file would have to be read",
                where=self._path,
                try_="read it in run_python_code",
                code="limit",
            )
        data = self._files.read(self._path, self._place, wanted)
        buffer[: len(data)] = data
        self._place += len(data)
        self.read_bytes += len(data)
        return len(data)


def missing_package(package: str, what: str) -> LabrigError:
    """Return the error for a package that a format needs and that is not installed."""
    return LabrigError(
        f"{what} cannot be described: the package {package} is not installed beside Labrig",
        where="describe_table",
        try_=f"pip install {package}, or read the file in run_python_code",
        code="unavailable",
    )
