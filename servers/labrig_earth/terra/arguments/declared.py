"""How a published sub-tool is declared: once, for what tools/list says of it, for the server and for the child.

A sub-tool is a class of `Arguments` with a field for each argument. The server lists the fields, opens what is a file,
and sends the others; the child makes the same class of them. A default and a limit stand in the class alone.
"""

from __future__ import annotations

import inspect
import math
from pathlib import PurePosixPath
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, model_validator

from labrig.errors import LabrigError
from labrig_earth.terra.arguments.kinds import BY_SERVER, FILE, MAY_BE_EMPTY, Between, EndsWith, OneOf

OUTPUT_DIR = "./data/ensemble"
EMPTY: tuple[Any, ...] = (None, "", [], {})


class Arguments(BaseModel):
    """What a call of a sub-tool asks; of an argument that is null or empty the default holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def leave_out_empty(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Leave out what is empty and has a default."""
        kept = {
            name
            for name, field in cls.model_fields.items()
            if field.is_required() or MAY_BE_EMPTY in field.metadata
        }
        return {name: value for name, value in given.items() if name in kept or value not in EMPTY}

    @model_validator(mode="after")
    def require_limits(self) -> Arguments:
        """Raise LabrigError for a value beyond its limits, and for a number that is not finite."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, float) and not math.isfinite(value):
                raise LabrigError(f"{name} is {value}", where=name, expected="a number")
            for mark in field.metadata:
                if isinstance(mark, Between | OneOf | EndsWith):
                    mark.require(name, value)
        return self

    def places(self) -> tuple[str, str]:
        """Return the folder of what is written, and the path of its first file; an empty one for its own name."""
        path = getattr(self, "output_path", "")
        beside = str(PurePosixPath(path).parent) if path else OUTPUT_DIR
        return getattr(self, "output_dir", beside), path

    def named_places(self) -> dict[str, tuple[str, str]]:
        """Return arguments that are paths, and these, by the names of the files that go there."""
        return {}

    def inputs(self) -> dict[str, list[str]]:
        """Return the paths and handles that are given, by argument."""
        fields = type(self).model_fields
        given = {name: getattr(self, name) for name, field in fields.items() if FILE in field.metadata}
        lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
        return {name: [each for each in value if isinstance(each, str)] for name, value in lists.items()}

    @classmethod
    def signature(cls) -> inspect.Signature:
        """Return the signature of a function that takes the fields of a caller as its arguments."""
        hints = get_type_hints(cls, include_extras=True)
        parameters = []
        for name, field in cls.model_fields.items():
            if BY_SERVER not in field.metadata:
                default = inspect.Parameter.empty if field.is_required() else field.default
                kind = inspect.Parameter.KEYWORD_ONLY
                parameters.append(inspect.Parameter(name, kind, annotation=hints[name], default=default))
        return inspect.Signature(parameters)
