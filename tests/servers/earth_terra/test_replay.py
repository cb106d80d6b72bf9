"""A published trace played against this server: read by `labrig import`, its paths replaced, what differs is listed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from labrig_earth.terra.replay import Recorded, replay
from labrig_study.formats import terrabench
from support.terra import make

pytestmark = pytest.mark.asyncio(loop_scope="session")


def asked(client: Client[Any]) -> Any:
    async def ask(tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        found = await client.call_tool(tool, dict(arguments), raise_on_error=False)
        return found.content[0].text, bool(found.is_error)

    return ask


def calls_of(trace: Any) -> list[Recorded]:
    """Return the calls of a trace, as the importer reads them."""
    (run,) = terrabench.read(trace)
    calls = []
    for call in (call for step in run.steps for call in step.calls):
        wire = run.results.get(call.id, {})
        text = "".join(each.get("text", "") for each in wire.get("content", []))
        calls.append(Recorded(call.tool, call.arguments, text or None, bool(wire.get("isError"))))
    return calls


async def test_what_differs_is_named_by_its_place() -> None:
    answers = {
        "one": {"mean": 1.0000001, "units": "kg/m2", "files": ["out/a.nc"], "n": 3, "note": True},
        "two": {"mean": 2.5, "more": 1},
    }
    seen: list[Mapping[str, Any]] = []

    async def ask(tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        seen.append(arguments)
        return (json.dumps(answers[tool]), False) if tool in answers else ("There is no such tool", True)

    calls = [
        Recorded(
            "one", {}, {"mean": 1.0, "units": "kg/m2", "files": ["/home/a/out.nc"], "n": 3, "note": True}
        ),
        Recorded(
            "two", {"path": "/home/a/out.nc", "many": ["/home/a/out.nc"]}, '{"mean": 2.4, "less": null}'
        ),
        Recorded("three", {}, {"x": 1}),
        Recorded("three", {}, None, failed=True),
    ]
    found = await replay(calls, ask)
    assert seen[1] == {"path": "out/a.nc", "many": ["out/a.nc"]}
    assert [(each.step, each.place, each.recorded, each.found) for each in found[:3]] == [
        (2, "mean", "2.4", "2.5"), (2, "less", "null", "nothing"), (2, "more", "nothing", "1")
    ]  # fmt: skip
    assert len(found) == 4 and "no such tool" in str(found[3]) and found[3].step == 3
    assert not await replay(calls[:2], ask, relative=0.1, ignored=["less", "more"])
    answers["one"]["units"] = "g/m2"
    assert [each.place for each in await replay(calls[:1], ask)] == ["units"]


@pytest.mark.accept
@pytest.mark.parametrize("shape", ["trajectory", "steps"])
async def test_a_trace_of_the_published_form_is_played_again(tmp_path: Path, shape: str) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        make(tmp_path / name)
    members = ["/data/run/m0.nc", "/data/run/m1.nc", "/data/run/m2.nc"]
    here = {path: Path(path).name for path in members}
    plan: list[tuple[str, dict[str, Any]]] = [
        ("describe_netcdf_variables", {"netcdf_path": members[0]}),
        ("aggregate_ensemble", {"member_paths": members, "variable": "t2m"}),
        ("ensemble_spread", {"member_paths": members, "variable": "t2m"}),
        ("event_probability", {"member_paths": members, "variable": "t2m", "threshold": 285}),
    ]
    options = {"toolsets": ("terra-core", "terra-ensemble_verify")}
    records: list[dict[str, Any]] = []
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path / "one", **options))) as client:
        for tool, arguments in plan:
            ours = json.loads(json.dumps(arguments).replace("/data/run/", ""))
            text = (
                (await client.call_tool(tool, ours))
                .content[0]
                .text.replace("data/ensemble/", "/data/run/out/")
            )
            if shape == "trajectory":
                records += [
                    {"type": "tools", "sender": "agent", "name": tool, "args": arguments},
                    {"type": "observation", "sender": "system", "name": tool, "output": text},
                ]
            else:
                records.append(
                    {
                        "type": "tool",
                        "name": tool,
                        "arguments": arguments,
                        "status": "success",
                        "content": text,
                    }
                )
    trace = {"metadata": {"user_request": "?"}, shape: records}
    options_two = ServeOptions(workspace=tmp_path / "two", **options)
    async with Client(build(toolbox, options_two)) as client:
        calls = calls_of(json.loads(json.dumps(trace)))
        assert [call.tool for call in calls] == [tool for tool, _ in plan]
        assert not await replay(calls, asked(client), paths=here)
        wrong = json.loads(str(calls[2].result))
        wrong["mean"] += 0.5
        calls[2] = Recorded(calls[2].tool, calls[2].arguments, wrong)
        found = await replay(calls, asked(client), paths=here)
    assert [(each.step, each.place) for each in found] == [(3, "mean")]
