"""The example call in the description of each tool runs, on files such as it names."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.serving.builder import build, listed_form
from labrig.toolbox import ServeOptions
from labrig_harness.registry import servers
from support.every_server import examples, installed
from support.known_servers.papers import EXTRACTED, paper

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.accept]

TOOLSETS = {
    "phreeqc": ("default", "outputs", "waters"),
    "papers": ("default", "values"),
    "repository": ("default",),
    "atlas": ("default",),
}
"""Those that need a world, a network or a run stand where these are: test_workflows.py and test_online.py of Earth,
test_world_impacts.py of its simulators, test_literature.py of Papers."""

WITHOUT = {
    *("get_job", "cancel_job", "restart_python_session"),  # of an id that another call gives
    *("write_file", "read_file", "list_file", "list_files"),
}


def _lay_out(folder: Path) -> None:
    """Write the files that examples name."""
    (folder / "README.txt").write_text("Casts of a lake.\nOxygen in mg/L.\n")
    (folder / "casts.csv").write_text("station,depth_m,oxygen_mg_l\nA,1,9.1\nA,5,8.4\n")
    (folder / "extracted.json").write_text(json.dumps({"properties": [EXTRACTED]}))
    for name in ("paper.pdf", "report.pdf"):
        (folder / name).write_bytes(paper())


@pytest_asyncio.fixture(params=list(TOOLSETS), scope="module", loop_scope="module")
async def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[str, Client[Any], Path]]:
    name = request.param
    work, root = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("root")
    _lay_out(work)
    _lay_out(root)
    roots = (root,) if name == "repository" else ()
    options = ServeOptions(toolsets=TOOLSETS[name], workspace=work, roots=roots)
    async with Client(build(servers.toolbox(name), options)) as client:
        yield name, client, work


@pytest.mark.parametrize("server", installed())
async def test_each_own_tool_has_an_example_that_its_schema_takes(server: str) -> None:
    own = [listed_form(spec) for spec in servers.toolbox(server).specs if not spec.faithful]
    calls = examples(own)
    assert {form.name for form in own} - calls.keys() <= WITHOUT
    for form in own:
        if form.name in calls:
            jsonschema.validate(calls[form.name], form.parameters)
            assert calls[form.name].keys() <= form.parameters["properties"].keys(), form.name


async def test_the_example_of_each_description_runs(served: tuple[str, Client[Any], Path]) -> None:
    name, client, work = served
    calls = examples(await client.list_tools())
    first = [tool for tool in ("execute_phreeqc",) if tool in calls]  # it makes what others read
    for tool in [*first, *(each for each in calls if each not in WITHOUT and each not in first)]:
        found = await client.call_tool(tool, calls[tool], raise_on_error=False)
        assert not found.is_error, (name, tool, found.content)
        if tool == "execute_phreeqc":
            (work / "before.out").write_bytes((work / "result.out").read_bytes())
