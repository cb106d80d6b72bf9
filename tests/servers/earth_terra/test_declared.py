"""A sub-tool is declared once: what tools/list says, what the server refuses and what the child is given come of it."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from types import ModuleType
from typing import Annotated, get_type_hints

import pytest
from pydantic import Field

from labrig.errors import LabrigError
from labrig_earth import terra
from labrig_earth.results import Result
from labrig_earth.server import toolbox
from labrig_earth.terra import arguments
from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.ensemble_verify import EhfHeatwave
from labrig_earth.terra.arguments.kinds import (
    Between,
    Count,
    File,
    Files,
    Number,
    OneOf,
    OptionalFile,
    Text,
    Texts,
)
from labrig_earth.terra.operations import OPERATIONS, read_arguments
from labrig_earth.work.calls import Call


class Sounding(Arguments):
    """A sub-tool of these tests."""

    paths: Files
    truth_path: File
    mask_path: OptionalFile = ""
    mode: Annotated[Text, OneOf("votes", "shares")] = "votes"
    metrics: Annotated[Texts, OneOf("rmse", "bias")] = []  # noqa: RUF012 - pydantic copies it
    step_km: Annotated[Number, Between(1, 100), Field(description="km.")] = 5.0
    least: Annotated[Number | None, Between(0)] = None
    days: Annotated[Count, Between(1, 60)] = 3


PREFIX = f"{arguments.__name__}."
GIVEN = {"paths": [], "truth_path": "t.nc"}


def test_the_signature_has_the_fields_with_their_defaults() -> None:
    parameters = Sounding.signature().parameters
    assert list(parameters) == [
        "paths",
        "truth_path",
        "mask_path",
        "mode",
        "metrics",
        "step_km",
        "least",
        "days",
    ]
    assert parameters["truth_path"].default is inspect.Parameter.empty
    assert parameters["step_km"].default == 5.0
    assert "km." in repr(parameters["step_km"].annotation)


def test_of_what_is_null_or_empty_the_default_holds_in_server_and_child() -> None:
    asked = Sounding(**GIVEN, mode="", metrics=None, step_km=None, least=None)
    assert (asked.mode, asked.metrics, asked.step_km, asked.paths) == ("votes", [], 5.0, [])

    def sounding(call: Call, asked: Sounding) -> Result:
        return Result(method=asked.mode, data={"step_km": asked.step_km, "paths": asked.paths})

    done = read_arguments(sounding)(Call(arguments=asked.model_dump(exclude_defaults=True)))
    assert done.method == "votes" and done.data == {"step_km": 5.0, "paths": []}


def test_files_are_found_by_the_names_of_their_arguments() -> None:
    asked = Sounding(paths=["a.nc", "b.nc"], truth_path="t.nc")
    assert asked.inputs() == {"paths": ["a.nc", "b.nc"], "truth_path": ["t.nc"], "mask_path": [""]}


@pytest.mark.parametrize(
    "name, value, code, said",
    [
        ("mode", "vote", "not_found", "did you mean votes"),
        ("metrics", ["rmse", "skill"], "not_found", "There is no metric named 'skill'"),
        ("step_km", 0.5, "bad_input", "expected: a number from 1 to 100"),
        ("step_km", math.inf, "bad_input", "step_km is inf"),
        ("least", -1.0, "bad_input", "expected: a number at least 0"),
        ("days", 61, "bad_input", "expected: a whole number from 1 to 60"),
    ],
)
def test_a_value_beyond_its_limits_is_refused_by_name(name: str, value: object, code: str, said: str) -> None:
    with pytest.raises(LabrigError) as caught:
        Sounding(**GIVEN, **{name: value})
    assert caught.value.code == code and caught.value.where == name
    assert said in str(caught.value) or said.removeprefix("expected: ") in caught.value.expected


def test_an_argument_that_is_none_is_refused_by_the_child() -> None:
    with pytest.raises(ValueError, match="step_m"):
        Sounding(**GIVEN, step_m=1)


def test_baselines_are_found_by_what_they_are() -> None:
    asked = EhfHeatwave(tmax_path="x", tmin_path="n", baseline_paths={"tmax95": "p", "tmean_clim": "c"})
    assert asked.inputs() == {"tmax_path": ["x"], "tmin_path": ["n"], "p95": ["p"], "climate": ["c"]}


def kinds_of(module: ModuleType) -> list[type[Arguments]]:
    """Return the declared arguments of a group."""
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Arguments) and each.__module__ == module.__name__
    ]


def find_operations() -> dict[str, type[Arguments]]:
    """Return the declared arguments that operations take, by the name of the sub-tool."""
    found = {}
    for info in pkgutil.iter_modules(terra.__path__, f"{terra.__name__}."):
        module = importlib.import_module(info.name)
        for name, each in vars(module).items():
            if inspect.isfunction(each) and each.__module__ == info.name and not name.startswith("_"):
                kind = get_type_hints(each).get("asked")
                if f"terra_{name}" in OPERATIONS and kind is not None:
                    found[name] = kind
    return found


def test_every_declared_sub_tool_is_offered_with_the_arguments_of_its_operation() -> None:
    tools = {spec.name: spec for spec in toolbox.specs}
    operations = find_operations()
    for name, kind in operations.items():
        listed = inspect.signature(tools[name].function).parameters
        wanted = kind.signature().parameters
        assert [(each.name, each.default) for each in listed.values()] == [
            (each.name, each.default) for each in wanted.values()
        ], name
        assert tools[name].description == inspect.cleandoc(kind.__doc__ or ""), name
    groups = [importlib.import_module(info.name) for info in pkgutil.iter_modules(arguments.__path__, PREFIX)]
    declared = {each for group in groups for each in kinds_of(group) if not each.__subclasses__()}
    assert declared - {Arguments} == set(operations.values()) and len(declared) > 40


def test_a_default_of_a_sub_tool_is_within_its_own_limits() -> None:
    for kind in find_operations().values():
        needed = {name: None for name, field in kind.model_fields.items() if field.is_required()}
        kind.model_construct(**needed).require_limits()


@pytest.mark.parametrize("value", [10**400, -(10**400), 1e308, 0.5])
def test_a_number_beyond_its_limits_is_refused_however_large(value: float) -> None:
    with pytest.raises(LabrigError, match="steps is"):
        Between(1, 90).require("steps", value)
