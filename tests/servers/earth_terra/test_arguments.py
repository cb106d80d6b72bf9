"""Arguments of all sub-tools: true and false are no numbers, in no group; what tools/list takes of a prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest
from fastmcp import Client
from pydantic import TypeAdapter, ValidationError

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, ToolSpec
from labrig_earth.server import toolbox
from labrig_earth.server.terra.common import GROUPS

SUB_TOOLS = [spec for spec in toolbox.specs if "terra" in spec.toolsets]
NUMBERS = ("number", "integer")


def _numeric(schema: dict[str, Any]) -> Iterator[Any]:
    """Give a value with true in the place of each number that a schema takes."""
    parts = [schema, *schema.get("anyOf", [])]
    kinds = {each.get("type") for each in parts}
    if kinds & set(NUMBERS) and "boolean" not in kinds:
        yield True
    for each in parts:
        inner = each.get("items", {})
        if each.get("type") == "array" and _takes_numbers(inner):
            yield [True]


def _takes_numbers(schema: dict[str, Any]) -> bool:
    return any(each.get("type") in NUMBERS for each in (schema, *schema.get("anyOf", [])))


@pytest.mark.parametrize("spec", SUB_TOOLS, ids=lambda spec: spec.name)
def test_true_is_no_number(spec: ToolSpec) -> None:
    hints = get_type_hints(spec.function, include_extras=True)
    for name, hint in hints.items():
        if name == "return":
            continue
        adapter = TypeAdapter(hint)
        for value in _numeric(adapter.json_schema()):
            with pytest.raises(ValidationError):
                adapter.validate_python(value)
                pytest.fail(f"{spec.name} takes {value} as {name}")


PUBLISHED = {
    "basic": 5, "core": 3, "era5_obs": 10, "air_quality": 1, "ensemble_verify": 12, "seasonal": 12, "geo_osm": 5,
    "satellite": 6, "visualization": 8, "forecast_models": 4, "data_crawl": 2,
}  # fmt: skip


@pytest.mark.asyncio(loop_scope="session")
async def test_all_groups_together_stay_small_in_tools_list() -> None:
    async with Client(build(toolbox, ServeOptions(toolsets=("terra",)))) as opened:
        listed = await opened.list_tools()
    said = [
        each.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"}) for each in listed
    ]
    sizes = {each["name"]: len(json.dumps(each, separators=(",", ":")).encode()) for each in said}
    assert not any("outputSchema" in each for each in said)
    assert sum(sizes.values()) <= 56_000
    assert sizes["reset_equipped_tools"] <= 1_200  # it names all groups, and belongs to none
    for group in GROUPS:
        names = [
            spec.name for spec in SUB_TOOLS if f"terra-{group}" in spec.toolsets and len(spec.toolsets) == 2
        ]
        assert len(names) == PUBLISHED[group], group
        assert sum(sizes[name] for name in names) <= 12_000, group
