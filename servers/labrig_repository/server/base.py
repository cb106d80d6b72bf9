"""What the rooms of the MCP face share: the toolbox, the repositories by id, the sandbox."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr

from labrig.config import setting
from labrig.errors import LabrigError, unknown_name
from labrig.isolation import closing
from labrig.sandbox import Sandbox
from labrig.sandbox.environment import summary
from labrig.server_settings import ServerSetting
from labrig.tables.apart import readers
from labrig.toolbox import ServeOptions, Toolbox
from labrig_repository.folder.contents import Kept
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.listing import Found
from labrig_repository.folder.store import Repository
from labrig_repository.viewing import viewers

LOCAL = "local"
"""The id that stands for the folder, where there is one."""

MOST_LISTINGS = 8
"""Listings whose further pages may still be asked for."""

MOST_DESCRIBING, MOST_WAITING = 4, 100
"""Tables of folders of one caller that are described at a time, each by a process, and that wait."""


class State:
    """What all callers of one server share.

    Parameters
    ----------
    roots
        The folders that are served, by their own names.
    python
        The profile of the sandbox in which code runs; by default the one that is configured.
    """

    def __init__(self, roots: Sequence[Path], python: str = "", *, unsafe_local: bool = False) -> None:
        python = python or str(toolbox.setting(ServeOptions(), PYTHON.name))
        self.folders = {each.name: each for each in map(Folder, roots)}
        self.readers = readers(slots=MOST_DESCRIBING, places=MOST_WAITING)
        self.viewers = viewers()
        self.kept = Kept()
        self.listings: OrderedDict[tuple[Any, ...], list[Found]] = OrderedDict()
        self.sandbox = Sandbox.configured(
            profile=python, unsafe_local=unsafe_local, roots=[each.path for each in self.folders.values()]
        )

    def repository(self, id: object = "") -> Repository:
        """Return the repository with an id: a folder's name, ``local``, or that of a generated one.

        Raises
        ------
        LabrigError
            ``bad_input`` for what is not an id, or for none where there are several folders; ``not_found`` for one that
            nothing has, and for none where there is no folder.
        """
        if isinstance(id, bool) or not isinstance(id, (int, str)):
            raise LabrigError(f"The id cannot be {id!r}", where="id", expected=self._expected())
        name = str(id).strip()
        if name in self.folders:
            return self.folders[name]
        if name in ("", LOCAL):
            if len(self.folders) == 1:
                return next(iter(self.folders.values()))
            if not self.folders:
                raise LabrigError(
                    "No folder is served",
                    where="id",
                    expected=self._expected(),
                    try_='id="118", or start the server with --root DIR',
                    code="not_found",
                )
            raise LabrigError("Which repository is meant?", where="id", expected=self._expected())
        if name.isascii() and (name.lstrip("-").isdigit() or "/" in name):
            return _generated(name)
        raise unknown_name("repository", name, [*self.folders, LOCAL], where="id")

    def keep_listing(self, asked: tuple[Any, ...], found: list[Found]) -> None:
        """Keep a listing for its further pages; of `MOST_LISTINGS` the one that was asked for longest ago goes."""
        self.listings[asked] = found
        self.listings.move_to_end(asked)
        while len(self.listings) > MOST_LISTINGS:
            self.listings.popitem(last=False)

    def _expected(self) -> str:
        served = [*self.folders, *([LOCAL] if len(self.folders) == 1 else [])]
        return " or ".join([*served, "the number of a generated repository, 1 or more"])

    async def close(self) -> None:
        """End the sandbox and let go of the folders."""
        await self.sandbox.close()
        await self.readers.close()
        await self.viewers.close()
        for folder in self.folders.values():
            folder.close()


def _generated(name: str) -> Repository:
    """Return a generated repository; they need numpy, which folders do not."""
    try:
        from labrig_repository.gym.repository import open_any
    except ModuleNotFoundError as error:
        raise LabrigError(
            f"Generated repositories need the package {error.name}, which is not installed",
            try_="pip install 'labrig[repository]'",
            code="unavailable",
        ) from error
    return open_any(name)


def named(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return functions by their names, which are what errors in the code call them."""
    for function in functions:
        function.__qualname__ = function.__name__
    return {each.__name__: each for each in functions}


def roots_of(options: ServeOptions) -> list[Path]:
    """Return the folders to serve: those of ``--root``, else the one of the setting ``repository.root``."""
    configured = setting("repository", "root")
    return [*options.roots] or ([Path(configured)] if configured else [])


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[State]:
    """Hold folders and sandbox over the server's life; the sandbox starts with its first run."""
    python = str(toolbox.setting(options, PYTHON.name))
    state = State(roots_of(options), python, unsafe_local=options.unsafe_local)
    try:
        yield state
    finally:
        await state.close()


def doctor() -> list[str]:
    """Say which folder would be served, and which Python code would run in."""
    folders = [Folder(each) for each in roots_of(ServeOptions())]
    said = [f"folder {each.name}: {each.path}" for each in folders]
    for folder in folders:
        folder.close()
    python = summary(str(toolbox.setting(ServeOptions(), PYTHON.name)))
    none = "no folder is configured; give --root DIR or the setting repository.root"
    return [
        *(said or [none]),
        f"a table is described, and a picture drawn, behind {closing.summary()}",
        python,
    ]


PYTHON = ServerSetting("python", "science", "the Python of the sandbox that code gets: science or earth")

toolbox = Toolbox(
    "repository",
    "Scientific repositories",
    "Read-only access to repositories of scientific data: a folder (--root), or a generated repository by its number. "
    "list_directory and search_files find files; describe_table gives the columns, units and ranges of a table "
    "without its rows; read_text_file shows text (head, tail), view_file pictures and PDFs. Compute with "
    "run_python_code: the readers are functions in it, so data need not pass through the conversation.",
    opens=opens,
    doctor=doctor,
    toolsets={
        "default": "files, tables and Python in a folder or a generated repository",
        "paper": "the five tools of InfiniteScienceGym, by their published names; generated repositories alone",
    },
    settings=(PYTHON,),
    reads=("root",),
)

IdArgument = Annotated[
    StrictInt | StrictStr,
    Field(description="Which repository: a folder's name or a number; by default the folder."),
]
PathArgument = Annotated[str, Field(description="Path of a file in the repository.")]
SourceArgument = Annotated[
    str, Field(description="Path of a file in the repository, or an artifact's handle.")
]
HeadArgument = Annotated[int | None, Field(ge=0, description="Only this many lines from the start.")]
StartLineArgument = Annotated[
    int | None, Field(ge=1, description="The first line to read, counted from 1; head counts from it.")
]
TailArgument = Annotated[int | None, Field(ge=0, description="Only this many lines from the end.")]
