"""Arguments as they were meant: spellings that can mean one thing are taken, all others are left to be refused."""

from __future__ import annotations

from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.serving.meaning import meant

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "data": {"type": "string"},
        "bbox": {"type": "array", "items": {"type": "number"}},
        "names": {"type": "array", "items": {"type": "string"}},
        "wait_s": {"type": "number"},
        "count": {"type": "integer"},
        "whole": {"type": "boolean"},
        "how": {"type": "string", "enum": ["theil_sen", "ols"]},
        "options": {
            "type": "object",
            "properties": {"unit": {"type": "string"}, "threshold": {"type": "number"}},
        },
        "sizes": {"type": "object", "additionalProperties": {"type": "number"}},
        "where": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["column"],
                "properties": {"column": {"type": "string"}, "value": {"type": "string"}},
            },
        },
        "depth": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 1},
        "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
    },
}


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"path": "a.nc"}, {"data": "a.nc"}),
        ({"Data": "a.nc"}, {"data": "a.nc"}),
        ({"bounding_box": [1, 2, 3, 4]}, {"bbox": [1, 2, 3, 4]}),
        ({"bbox": "[1, 2, 3, 4]"}, {"bbox": [1, 2, 3, 4]}),
        ({"bbox": ["1", "2.5", "3", "4"]}, {"bbox": [1, 2.5, 3, 4]}),
        ({"names": "a"}, {"names": ["a"]}),
        ({"wait-s": "5"}, {"wait_s": 5}),
        ({"count": "3", "whole": "true"}, {"count": 3, "whole": True}),
        ({"data": 2020, "bbox": None}, {"data": "2020"}),
        ({"data": "a", "depth": None}, {"data": "a", "depth": None}),
        ({"how": "Theil-Sen"}, {"how": "theil_sen"}),
        ({"units": "K", "options": {"threshold": "3"}}, {"options": {"unit": "K", "threshold": 3}}),
        ({"options": '{"unit": "K"}'}, {"options": {"unit": "K"}}),
        ({"sizes": {"a": 1}}, {"sizes": {"a": 1}}),
        ({"filter": {"column": "use", "value": 3}}, {"where": [{"column": "use", "value": "3"}]}),
        ({"where": [{"field": "use", "value": "a"}]}, {"where": [{"column": "use", "value": "a"}]}),
        ({"where": {"use": "a"}}, {"where": {"use": "a"}}),
    ],
)
def test_what_can_mean_one_thing_is_taken(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert meant(given, SCHEMA) == taken


@pytest.mark.parametrize(
    "given",
    [
        {"wait_min": 5},  # another unit is another number
        {"data": "a", "path": "b"},  # one of both is wrong, and nobody knows which
        {"data": None},
        {"wait_s": "soon", "count": "1.5", "bbox": "[1, 2"},
        {"either": "3"},
        {"unheard_of": 1},
    ],
)
def test_what_can_mean_several_things_is_left_to_be_refused(given: dict[str, Any]) -> None:
    if "count" in given:
        assert meant(given, SCHEMA) == {"wait_s": "soon", "count": 1.5, "bbox": ["[1, 2"]}
    else:
        assert meant(given, SCHEMA) == given


def test_an_unknown_key_of_an_object_is_refused_with_the_nearest() -> None:
    with pytest.raises(LabrigError) as refused:
        meant({"options": {"treshold": 3}}, SCHEMA)
    assert refused.value.where == "options" and "threshold" in refused.value.try_


def test_an_object_that_takes_other_keys_keeps_them_for_its_tool() -> None:
    inner = {"properties": {"run_id": {}}, "additionalProperties": {}, "type": "object"}
    schema = {"type": "object", "properties": {"arguments": inner}}
    assert meant({"arguments": {"RunID": "a", "other": 1}}, schema) == {
        "arguments": {"run_id": "a", "other": 1}
    }
