"""What a call names: a file or folder of the workspace by its path, or an artifact by its handle.

A handle of a folder may be followed by the path of a file in it: ``sha256:0123456789abcdef/runs/1.csv``.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from labrig.errors import LabrigError
from labrig.media_types import media_type_of
from labrig.storage.contents import Kind
from labrig.toolbox import session
from labrig.tools.reading import OpenFile

_UNSAFE = re.compile(r"[^\w.+@=, ()-]")


@dataclass(frozen=True)
class Source(OpenFile):
    """A file or folder that is open.

    Attributes
    ----------
    named
        As the call named it.
    names
        Its own names, without folders: the last part of the path, or those under which the artifact was kept.
    sha256
        Of the artifact; empty for a file of the workspace and for one in a folder.
    """

    named: str
    names: tuple[str, ...]
    descriptor: int
    kind: Kind
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def place(self) -> Path:
        """A path of what is open, for this process and those it lets look at its descriptors, as the sandbox is."""
        return Path(f"/proc/{os.getpid()}/fd/{self.descriptor}")

    def media_type(self, path: str = "") -> str:
        return media_type_of(path or self.name)


def names_artifact(source: object) -> bool:
    """Tell whether a call names an artifact; a file of such a name is ``./sha256:...``. Code may give any value."""
    return isinstance(source, str) and source.startswith("sha256:")


@contextmanager
def opened_source(source: str, *, kind: Literal["file", "folder", "any"] = "file") -> Iterator[Source]:
    """Open what a call names, for reading; an artifact is not removed meanwhile.

    Raises
    ------
    LabrigError
        What `labrig.workspace.Workspace.opened` and `labrig.artifacts.ArtifactStore.opened` raise; ``bad_input`` for
        what is of another kind.
    """
    here = session()
    with ExitStack() as stack:
        if names_artifact(source):
            handle, _, inner = source.partition("/")
            opened = stack.enter_context(here.artifacts.opened(handle))
            artifact = opened.artifact
            if inner:
                if artifact.kind == "file":
                    raise LabrigError(
                        "This artifact is a file, and nothing lies in it", where=source, try_=handle
                    )
                descriptor = stack.enter_context(opened.opened(inner))
                found = Source(source, (_last(inner),), descriptor, "file")
            else:
                names = tuple(map(_last, here.artifacts.names(handle)))
                found = Source(source, names, opened.descriptor, artifact.kind, artifact.sha256)
        else:
            descriptor = stack.enter_context(here.workspace.opened(source, kind=kind))
            is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            found = Source(source, (_last(source),), descriptor, "folder" if is_folder else "file")
        if kind not in ("any", found.kind):
            raise LabrigError(
                f"This is a {found.kind}",
                where=source,
                expected=f"a {kind}",
                try_=f"a file of it, such as {source}/NAME" if found.kind == "folder" else "",
            )
        yield found


def input_names(sources: Sequence[Source], taken: Container[str] = ()) -> dict[str, Source]:
    """Return sources by the names at which code finds them as ``inputs/NAME``.

    Each has its own name; where another has it, a number is put before the ending: ``a.csv``, ``a_2.csv``, ``a_3.csv``,
    in the order in which they are given. Characters that a name of an input cannot have become ``_``. An artifact that
    was kept under several names is found by each that is still free.

    Parameters
    ----------
    taken
        Names that are no longer free.
    """
    found: dict[str, Source] = {}
    for source in sources:
        path = PurePosixPath(safe_name(source.name))
        name, number = path.name, 1
        while name in found or name in taken:
            number += 1
            name = f"{path.stem}_{number}{path.suffix}"
        found[name] = source
    for source in sources:
        for name in map(safe_name, source.names[1:]):
            if name not in found and name not in taken:
                found[name] = source
    return found


def safe_name(name: str) -> str:
    """Return a name that an input of the sandbox can have."""
    safe = _UNSAFE.sub("_", _last(name)).lstrip(".") or "input"
    while len(safe.encode()) > 180:
        safe = safe[1:]  # the ending stays
    return safe


def _last(path: str) -> str:
    return PurePosixPath(path).name or "folder"
