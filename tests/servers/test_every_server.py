"""What holds for every server that is installed, and for the toys: a new one is here by its entry point alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from fastmcp import Client

from labrig.answer import json_bytes
from labrig.former_names import FORMER, FORMER_BY_DO
from labrig.serving.builder import build, listed_form
from labrig.toolbox import DEFAULT_TOOLSET, MAX_INSTRUCTIONS, ServeOptions
from labrig_harness.registry import servers
from support.every_server import installed, names
from support.toys_installed import toys_installed

HEAVY = (
    *("numpy", "scipy", "pandas", "matplotlib", "jinja2", "PIL", "sklearn", "statsmodels"),
    *(
        "xarray",
        "netCDF4",
        "h5py",
        "zarr",
        "pyarrow",
        "openpyxl",
        "rasterio",
        "geopandas",
        "shapely",
        "pyproj",
    ),
    *("httpx", "httpx2", "requests", "aiohttp", "lxml", "bs4", "pymupdf", "pypdf", "phreeqpy", "phreeqcrm"),
)
"""What tools/list does without: each takes as long to import as all the rest."""

MODEL_BYTES, MODEL_TOOLS = 28_000, 20
"""Of the default tools/list: every word of it is read by a model before it does anything."""

LOADED = """
import json, sys
from labrig.serving.builder import build, listed_form
before = set(sys.modules)
found = {}
for name in sys.argv[2:]:
    from labrig_harness.registry.servers import toolbox
    build(toolbox(name))
    found[name] = sorted(set(json.loads(sys.argv[1])) & (set(sys.modules) - before))
    before = set(sys.modules)
print(json.dumps(found))
"""


@pytest.fixture(autouse=True)
def _toys() -> Iterator[None]:
    with toys_installed():
        yield


async def _listed(server: str, toolsets: tuple[str, ...]) -> tuple[str, list[Any]]:
    """Return the instructions of a server and its tools."""
    built = build(servers.toolbox(server), ServeOptions(toolsets=toolsets))
    async with Client(built) as client:
        return built.instructions or "", await client.list_tools()


@pytest.mark.parametrize("server", names())
async def test_a_server_says_what_it_is_for(server: str) -> None:
    """The instructions, and of every tool its title, its description, and whether it changes anything."""
    toolbox = servers.toolbox(server)
    assert toolbox.title
    by_name = {
        spec.name: [each for each in toolbox.specs if each.name == spec.name] for spec in toolbox.specs
    }
    for toolset, about in toolbox.toolsets.items():
        assert about and "\n" not in about, toolset
        instructions, tools = await _listed(server, (toolset,))
        assert 0 < len(instructions) <= MAX_INSTRUCTIONS
        for tool in tools:
            assert tool.title, tool.name
            assert (tool.description or "").strip(), tool.name
            hints = tool.annotations
            said = [hints.read_only_hint, hints.open_world_hint]
            if not any(spec.faithful and toolset in spec.toolsets for spec in by_name[tool.name]):
                said += [hints.destructive_hint, hints.idempotent_hint]
            elif not hints.read_only_hint:
                said.append(hints.destructive_hint)
            assert None not in said, tool.name
            assert not (hints.read_only_hint and hints.destructive_hint), tool.name
            assert tool.output_schema is None, tool.name
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)


@pytest.mark.parametrize("server", names())
async def test_the_tools_of_a_server_are_few_words(server: str) -> None:
    """What a model reads: ``_meta`` is the client's, which shows it to no model."""
    _, tools = await _listed(server, (DEFAULT_TOOLSET,))
    lean = [
        tool.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"meta"}) for tool in tools
    ]
    assert len(tools) <= MODEL_TOOLS
    assert json_bytes(lean) <= MODEL_BYTES, "fewer or shorter words, or a toolset beside the default"


@pytest.mark.parametrize("server", installed())
def test_a_model_is_told_what_each_argument_takes(server: str) -> None:
    """No object without its keys or the type of its values, no argument without a description, in any own tool."""
    for spec in servers.toolbox(server).specs:
        for name, argument in (
            listed_form(spec).parameters.get("properties", {}).items() if not spec.faithful else ()
        ):
            assert argument.get("description"), f"{spec.name}.{name}"
            assert not list(_bare_objects(argument)), f"{spec.name}.{name}"


@pytest.mark.parametrize("server", installed())
def test_one_tool_of_a_server_is_listed_at_once(server: str) -> None:
    """Claude Code defers tools but those with `anthropic/alwaysLoad`, and searches `anthropic/searchHint`."""
    own = [spec for spec in servers.toolbox(server).specs if not spec.faithful]
    metas = [(spec, listed_form(spec).meta or {}) for spec in own]
    assert [spec.toolsets[0] for spec, meta in metas if meta.get("anthropic/alwaysLoad")] == [DEFAULT_TOOLSET]
    for spec, meta in metas:
        assert meta.get("anthropic/searchHint", "") == spec.words and len(spec.words) <= 700
        repeated = set(re.findall(r"\w+", spec.words.lower())) & set(spec.name.split("_"))
        assert spec.first or not repeated, f"{spec.name}: its name is searched already: {repeated}"


def _bare_objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the objects of a schema of which neither keys nor the type of values are said."""
    values = schema.get("additionalProperties")
    typed = isinstance(values, dict) and "type" in values
    if schema.get("type") == "object" and not schema.get("properties") and not typed:
        yield schema
    inner = [
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", ()),
        schema.get("items", {}),
        values,
    ]
    for each in inner:
        if isinstance(each, dict) and each:
            yield from _bare_objects(each)


def test_a_name_means_one_thing_on_all_servers() -> None:
    """Files, jobs and Python are the same everywhere; all else has one server, and no name of before is taken again."""
    alike = {"read_file", "write_file", "list_files", "get_job", "cancel_job", "run_python_code"}
    ours = ("atlas", "earth", "papers", "phreeqc", "repository")
    own = [{spec.name for spec in servers.toolbox(name).specs if not spec.faithful} for name in ours]
    counted = Counter(name for each in own for name in each)
    assert {name for name, times in counted.items() if times > 1} <= alike
    former = set(FORMER.values()).union(*(each.values() for each in FORMER_BY_DO.values()))
    assert not (FORMER.keys() | FORMER_BY_DO.keys()) & counted.keys() and former <= counted.keys()
    assert {name for name in counted if "_" not in name} == {"geocode", "plot"}, "a verb and an object"


@pytest.mark.accept
def test_listing_tools_loads_nothing_heavy() -> None:
    """tools/list must answer in about the time of a bare FastMCP server (`python -m benchmarks startup`)."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(HEAVY), *names()], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {name: [] for name in names()}
