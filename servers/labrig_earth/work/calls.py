"""What one operation is given. A room offers its operations in a module with `OPERATIONS`, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.results import Result

if TYPE_CHECKING:
    from labrig.http.sync import SyncClient


@dataclass(frozen=True)
class Call:
    """The files and the arguments of one operation.

    Attributes
    ----------
    inputs
        Files and folders by what they are for: ``{"data": (Place, ..), "polygons": (Place,)}``.
    arguments
        As the tool has them: JSON values, whose types the tool has checked.
    scratch
        The folder in which results are written; their names in it go into `Result.files`.
    client
        What has addresses fetched, of an operation that reads the network; None for all others.
    """

    inputs: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    scratch: Path = field(default_factory=Path)
    client: SyncClient | None = None

    def input(self, role: str) -> Place:
        """Return the one file of a role; LabrigError where it was not given."""
        given = self.inputs.get(role, ())
        if len(given) != 1:
            raise LabrigError(
                f"{len(given)} files are given", where=role, expected="one", try_=f"{role}=PATH or a handle"
            )
        return given[0]

    def several(self, role: str) -> tuple[Place, ...]:
        """Return the files of a role, one or more; LabrigError where none was given."""
        return self.inputs.get(role) or (self.input(role),)

    def optional(self, role: str) -> Place | None:
        """Return the file of a role, or None where it was not given."""
        return self.input(role) if self.inputs.get(role) else None

    def argument(self, name: str, default: Any = None) -> Any:
        """Return an argument, or `default` where it is absent or None."""
        value = self.arguments.get(name)
        return default if value is None else value


Operation = Callable[[Call], Result]
"""Runs in a child that has closed itself in: it reads its inputs, writes into the scratch folder, and nothing else."""
