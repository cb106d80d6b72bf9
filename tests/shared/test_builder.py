"""The server builder: selection, annotations, refusals, masking, fixed output, call log, both protocol eras."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from pathlib import Path
from typing import Annotated, Any

import httpx2
import pytest
from fastmcp import Client, FastMCP
from pydantic import Field

from labrig.answer import Answer, Picture, Published, Quantity
from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.serving import face, results, serve
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox, session


def _toolbox() -> Toolbox:
    box = Toolbox(
        "lab",
        "A laboratory",
        "Measure with measure.",
        outputs=("short", "raw:N"),
        toolsets={"paper": "as published", "pictures": "what draws"},
    )

    @box.tool(title="Measure", read_only=True)
    async def measure(
        sample: Annotated[str, Field(description="Sample name.")],
        times: Annotated[int, Field(ge=1, le=9)] = 1,
        output: str = "short",
    ) -> Answer:
        """Measure a sample."""
        if sample == "broken":
            raise RuntimeError("the password is hunter2")
        if sample == "missing":
            raise LabrigError("There is no such sample", where="sample", code="not_found")
        return Answer(source="scale", data={"sample": sample, "times": times, "output": output})

    @box.tool(title="Note", read_only=False, faithful=True, toolsets=("default", "paper"))
    async def note(text: str) -> Published:
        """Write a note."""
        session().workspace.write_text("note.txt", text)
        print("this must not reach the protocol")
        return Published(f"noted {len(text)}", record={"kept": True})

    @box.tool(
        name="measure", title="Measure as published", read_only=True, faithful=True, toolsets=("paper",)
    )
    async def measure_paper(sample: str) -> Published:
        """Measure a sample, as published."""
        return Published(sample.upper())

    @box.tool(title="Draw", read_only=False, picture=True, toolsets=("pictures",))
    async def draw_sample(sample: str) -> Picture:
        """Draw a sample."""
        return Picture(b"\x89PNG" + sample.encode(), f"{sample} \ud800", source="camera")

    return box


def _client(tmp_path: Path, mode: str = "auto", **fields: Any) -> Client[Any]:
    options = ServeOptions(**{"workspace": tmp_path / "work", **fields})
    return Client(build(_toolbox(), options), mode=mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_calls_in_both_protocol_eras(tmp_path: Path, mode: str) -> None:
    async with _client(tmp_path, mode) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert set(tools) == {"measure", "note"}
        assert tools["measure"].annotations.read_only_hint is True
        assert tools["note"].annotations.read_only_hint is False
        assert tools["note"].output_schema is None
        result = await client.call_tool_mcp("measure", {"sample": "a", "times": 3})
        assert result.structured_content["data"] == {"sample": "a", "times": 3, "output": "short"}
        assert "scale" in result.content[0].text
        noted = await client.call_tool_mcp("note", {"text": "hi"})
        assert noted.structured_content is None
        assert noted.content[0].text == "noted 2"
        assert noted.meta["labrig"]["kept"] is True
    assert (tmp_path / "work" / "note.txt").read_text() == "hi"


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "says"),
    [
        ("measure", {"sample": "missing"}, "not_found", "no such sample"),
        ("measure", {}, "bad_input", "sample is missing"),
        ("measure", {"sample": "a", "time": 1}, "bad_input", "times instead of time"),
        ("measure", {"sample": "a", "times": 99}, "bad_input", "less than or equal to 9"),
        ("measure", {"sample": ["a"]}, "bad_input", "valid string"),
        ("mesure", {"sample": "a"}, "not_found", "did you mean measure"),
        ("measure", {"sample": "broken"}, "internal", "incident"),
    ],
)
async def test_refusals_are_clear_and_defects_masked(
    tmp_path: Path, tool: str, arguments: dict[str, Any], code: str, says: str
) -> None:
    async with _client(tmp_path) as client:
        result = await client.call_tool_mcp(tool, arguments)
    assert result.is_error
    error = result.meta["labrig"]["error"]
    assert error["code"] == code
    assert says in result.content[0].text
    assert "hunter2" not in str(result)
    assert "pydantic" not in str(result)


def test_what_is_logged_holds_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exception quotes what it was given, in its message and in the lines of its traceback."""
    monkeypatch.setenv("SOME_API_KEY", "sk-of-the-log-0123456789")
    logger = logging.getLogger("labrig")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", logger.propagate)
    serve._log_to(tmp_path / "labrig.log")
    try:
        raise RuntimeError("refused: sk-of-the-log-0123456789")
    except RuntimeError:
        results.defect("measure")
    for handler in logger.handlers:
        handler.close()
    for logged in ((tmp_path / "labrig.log").read_text(), capsys.readouterr().err):
        assert "in tool measure" in logged and "refused: [key]" in logged
        assert "sk-of-the-log" not in logged


async def test_selection(tmp_path: Path) -> None:
    async def names(**fields: Any) -> list[str]:
        async with _client(tmp_path, **fields) as client:
            return [tool.name for tool in await client.list_tools()]

    assert await names(read_only=True) == ["measure"]
    assert await names(tools=("note",)) == ["note"]
    async with _client(tmp_path, toolsets=("paper",)) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert set(tools) == {"measure", "note"}
        assert list(tools["measure"].input_schema["properties"]) == ["sample"]
        assert (await client.call_tool_mcp("measure", {"sample": "a"})).content[0].text == "A"
    for wrong in (
        {"toolsets": ("papr",)},
        {"tools": ("nte",)},
        {"output": "long"},
        {"output": "raw:x"},
        {"tools": ("note",), "read_only": True},
    ):
        with pytest.raises(LabrigError):
            build(_toolbox(), ServeOptions(**wrong))  # type: ignore[arg-type]


async def test_a_fixed_output_leaves_the_schema(tmp_path: Path) -> None:
    async with _client(tmp_path, output="raw:500") as client:
        (tool,) = [tool for tool in await client.list_tools() if tool.name == "measure"]
        assert "output" not in tool.input_schema["properties"]
        refused = await client.call_tool_mcp("measure", {"sample": "a", "output": "short"})
        assert refused.is_error


async def test_call_log_is_complete_and_stable(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        async with _client(tmp_path, log_calls=tmp_path / folder) as client:
            await client.call_tool_mcp("measure", {"sample": "a"})
            await client.call_tool_mcp("measure", {"sample": "missing"})
    one, two = (list(CallLog(tmp_path / folder)) for folder in ("one", "two"))
    assert [record.result for record in one] == [record.result for record in two]
    assert [record.tools_hash for record in one] == [record.tools_hash for record in two]
    assert [record.is_error for record in one] == [False, True]
    assert one[1].error is not None
    assert one[1].error["code"] == "not_found"
    stored = CallLog(tmp_path / "one").result(one[0])
    assert stored["structuredContent"]["data"]["sample"] == "a"
    assert "duration_s" not in json.dumps(stored)


async def test_a_cancelled_call_is_recorded(tmp_path: Path) -> None:
    box = _toolbox()

    begun = asyncio.Event()

    @box.tool(title="Wait", read_only=True)
    async def wait() -> Answer:
        """Wait for ever."""
        begun.set()
        await asyncio.sleep(1000)
        raise AssertionError

    async with Client(
        build(box, ServeOptions(workspace=tmp_path / "w", log_calls=tmp_path / "log"))
    ) as client:
        call = asyncio.create_task(client.call_tool_mcp("wait", {}))
        await begun.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await client.call_tool_mcp("measure", {"sample": "a"})
    records = {record.tool: record for record in CallLog(tmp_path / "log")}
    assert set(records) == {"wait", "measure"}
    assert records["wait"].error == {"code": "cancelled", "what": "the client cancelled the call"}


async def test_what_would_kill_the_connection_is_mended(tmp_path: Path) -> None:
    box = _toolbox()

    @box.tool(title="Odd", read_only=True)
    async def odd(leave: bool) -> Answer:
        """Return half an emoji and no number, or leave."""
        if leave:
            raise SystemExit(3)
        return Answer(
            source="\ud83d", values=(Quantity("mass", float("nan"), "g"),), data={"\ud83d": ["\ud83d"]}
        )

    async with Client(build(box, ServeOptions(workspace=tmp_path / "w"))) as client:
        result = await client.call_tool_mcp("odd", {"leave": False})
        assert result.structured_content["source"] == "?"
        assert result.structured_content["values"] == [
            {"name": "mass", "value": None, "unit": "g", "note": "nan"}
        ]
        assert (await client.call_tool_mcp("odd", {"leave": True})).meta["labrig"]["error"][
            "code"
        ] == "internal"
        assert not (await client.call_tool_mcp("measure", {"sample": "a"})).is_error


def test_declarations_are_checked() -> None:
    box = _toolbox()
    with pytest.raises(TypeError):
        box.tool(title="no annotation")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="two tools"):
        box.tool(title="again", read_only=True, name="note")(box.specs[0].function)
    with pytest.raises(ValueError, match="instructions"):
        Toolbox("x", "x", "y" * 601)
    with pytest.raises(ValueError, match=r"no toolset named 'papr'.*did you mean paper"):
        box.tool(title="Draw", read_only=True, toolsets=("papr",))(box.specs[0].function)
    with pytest.raises(ValueError, match="what is the toolset paper for"):
        Toolbox("x", "x", "y", toolsets={"paper": " "})
    assert list(box.toolsets) == ["default", "paper", "pictures"]


async def test_a_picture_is_image_and_caption_and_nothing_structured(tmp_path: Path) -> None:
    async with _client(tmp_path, toolsets=("pictures",)) as client:
        assert (await client.list_tools())[0].output_schema is None
        drawn = await client.call_tool_mcp("draw_sample", {"sample": "a"})
    image, caption = drawn.content
    assert (image.type, image.mime_type) == ("image", "image/png")
    assert base64.b64decode(image.data) == b"\x89PNGa"
    assert caption.text == "a ?"
    assert drawn.structured_content is None
    assert drawn.meta["labrig"]["source"] == "camera"


async def test_a_call_over_http_does_not_list_the_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK looks at the schema of the tool that is called: a list of hundreds takes ten times as long as a call."""
    listed: list[str] = []
    lists = FastMCP.list_tools

    async def count(server: FastMCP[Any], **options: Any) -> Any:
        listed.append("all")
        return await lists(server, **options)

    monkeypatch.setattr(FastMCP, "list_tools", count)
    app = build(_toolbox(), ServeOptions(workspace=tmp_path / "work")).http_app()
    protocol = {
        "protocolVersion": "2026-07-28",
        "clientInfo": {"name": "raw", "version": "0"},
        "clientCapabilities": {},
    }
    meta = {f"io.modelcontextprotocol/{key}": value for key, value in protocol.items()}

    async def ask(client: httpx2.AsyncClient, method: str, **params: Any) -> str:
        head = {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
            "Mcp-Name": params.get("name", ""),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        return (await client.post("/mcp", json=body, headers=head)).text

    accepted = {"Accept": "application/json, text/event-stream"}
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=accepted) as client,
    ):
        called = await ask(client, "tools/call", name="measure", arguments={"sample": "salt"})
        assert '"sample":"salt"' in called.replace(" ", "")
        assert listed == []
        assert '"measure"' in await ask(client, "tools/list")
        assert set(listed) == {"all"}


async def test_many_unknown_arguments_are_not_looked_at_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pydantic makes an error of each, and names it, while the calls of all others wait."""
    box = Toolbox("lab", "A laboratory", "Weigh.")

    @box.tool(title="Weigh", read_only=True)
    async def weigh(names: list[str]) -> Answer:
        """Weigh samples."""
        return Answer(source="scale", data={"names": names})

    found = []
    said = face._argument_error

    def counted(error: Any, tool: str, parameters: list[str]) -> LabrigError:
        found.append(error.__cause__.error_count())
        return said(error, tool, parameters)

    monkeypatch.setattr(face, "_argument_error", counted)
    log = tmp_path / "log"
    options = ServeOptions(workspace=tmp_path / "work", log_calls=log)
    async with Client(build(box, options)) as client:
        result = await client.call_tool_mcp("weigh", {f"k{number}": 0 for number in range(20_000)})
    assert result.meta["labrig"]["error"]["code"] == "bad_input"
    assert sum(found) <= 7
    assert len(result.content[0].text) < 500
    assert sum(each.stat().st_size for each in log.rglob("*") if each.is_file()) < 5_000
