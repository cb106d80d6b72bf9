"""JSON of a service, read into a model of its documented form; whatever is odd is named with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError, model_validator

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig.http import Response


class Part(BaseModel):
    """A part of an answer: members that are not asked for are ignored, as is null, as a member and in its lists."""

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        there = {name: each for name, each in given.items() if each is not None}
        return {
            name: [one for one in each if one is not None] if isinstance(each, list) else each
            for name, each in there.items()
        }


Model = TypeVar("Model", bound=Part)


def read(model: type[Model], response: Response) -> Model:
    """Return an answer as a model.

    Raises
    ------
    LabrigError
        ``unreachable`` where it is no JSON, half of it, or of another form.
    """
    given = response.json()
    try:
        return model.model_validate(given)
    except (ValidationError, RecursionError) as error:
        raise odd(response.url, _first(error)) from error


def odd(url: str, what: str) -> LabrigError:
    """Return the error for an answer of another form than documented."""
    return LabrigError(
        f"{urlsplit(url).netloc} sent an answer of another form: {what}"[:300],
        where=url,
        try_="the same call later; if it stays, the service has changed its answers",
        code="unreachable",
    )


def _first(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"
