"""A repository that is a dictionary: path -> bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labrig.errors import LabrigError
from labrig_repository.folder.store import Entry, Kind, PathTree


class Memory:
    """See `labrig_repository.folder.store.Repository`; `reads` counts the bytes that were asked for."""

    def __init__(self, files: Mapping[str, bytes], name: str = "memory") -> None:
        self.name = name
        self.about = f"{name}, a dictionary"
        self.files = dict(files)
        self.reads = 0
        self._tree = PathTree(self.files)

    def kind(self, path: str) -> Kind | None:
        return self._tree.kind(path)

    def entries(self, folder: str) -> Sequence[Entry]:
        return self._tree.entries(folder)

    def size(self, path: str) -> int:
        return len(self._content(path))

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        content = self._content(path)
        part = content[start : len(content) if size is None else start + size]
        self.reads += len(part)
        return part

    def media_type(self, path: str) -> str:
        return "text/csv" if path.endswith(".csv") else "application/octet-stream"

    def _content(self, path: str) -> bytes:
        if path not in self.files:
            raise LabrigError("There is no such file", where=path, code="not_found")
        return self.files[path]
