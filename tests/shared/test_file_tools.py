"""The tools for files of a workspace, as any server offers them: write, read, list."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.answer import Published
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig.tools import files
from labrig.tools.lines import cut, cut_passage, lines_of


class Desk:
    """A client of a server that has the tools for files, and one that keeps an artifact."""

    def __init__(self, client: Client[Any], folder: Path) -> None:
        self.client, self.folder = client, folder

    async def text(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool_mcp(tool, arguments)
        assert not result.is_error, result.content[0].text
        assert result.structured_content is None
        text: str = result.content[0].text
        return text

    async def refusal(self, tool: str, **arguments: Any) -> dict[str, str]:
        result = await self.client.call_tool_mcp(tool, arguments)
        assert result.is_error
        error: dict[str, str] = result.meta["labrig"]["error"]
        assert error["code"] != "internal", error
        return error


def _toolbox(**offered: Any) -> Toolbox:
    box = Toolbox(
        "desk", "A desk", "Write and read.", toolsets={"paper": "as published", "plural": "by another name"}
    )

    @box.tool(title="Keep", read_only=False, faithful=True)
    async def keep(content: str) -> Published:
        """Keep a text as an artifact."""
        artifact = session().artifacts.put("kept.txt", content.encode(), media_type="text/plain")
        return Published(artifact.handle)

    files.offer(box, **offered)
    # As Earth names it, in a toolset that the paper's name is not in.
    box.tool(title="List", name="list_files", read_only=True, faithful=True, toolsets=("plural",))(
        files.list_file
    )
    return box


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with Client(build(_toolbox(), ServeOptions(workspace=tmp_path / "w"))) as client:
        yield Desk(client, tmp_path / "w")


async def test_a_server_says_what_is_written_and_in_which_toolsets(desk: Desk, tmp_path: Path) -> None:
    tools = {tool.name: tool for tool in await desk.client.list_tools()}
    assert list(tools) == ["keep", "write_file", "read_file", "list_file"]
    says = "Write a text file in the workspace{}. An existing file is replaced."
    assert tools["write_file"].description == says.format("")
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == {
        "read_file",
        "list_file",
    }
    box = _toolbox(such_as="a recipe", toolsets=("default", "paper"))
    options = ServeOptions(toolsets=("paper",), workspace=tmp_path / "p")
    async with Client(build(box, options)) as client:
        published = {tool.name: tool for tool in await client.list_tools()}
    assert list(published) == ["write_file", "read_file", "list_file"]
    assert published["write_file"].description == says.format(", such as a recipe")
    assert published["read_file"].description == tools["read_file"].description


async def test_reading(desk: Desk) -> None:
    long = "\n".join(f"line {n}" for n in range(1, 30_001))
    await desk.text("write_file", path="long.txt", content=long)
    edges = await desk.text("read_file", path="long.txt")
    assert edges.startswith("line 1\n")
    assert edges.endswith("\nline 30000")
    assert "lines 81 to 29920" in edges
    assert await desk.text("read_file", path="long.txt", start_line=500, end_line=501) == "line 500\nline 501"
    assert await desk.text("read_file", path="long.txt", start_line=30_000, end_line=99_999) == "line 30000"
    first_part = await desk.text("read_file", path="long.txt", start_line=1, end_line=30_000)
    following = int(re.findall(r"start_line (\d+)", first_part)[-1])
    assert first_part.split("\n")[-2] == f"line {following - 1}"
    for wrong in (
        {"start_line": 30_001},
        {"start_line": 5, "end_line": 4},
        {"start_line": 0},
        {"end_line": -1},
    ):
        await desk.refusal("read_file", path="long.txt", **wrong)


async def test_files_and_artifacts_are_written_read_and_listed(desk: Desk) -> None:
    assert await desk.text("list_file") == "The workspace is empty."
    assert (
        await desk.text("write_file", path="a/b.txt", content="x\ny")
        == "Wrote a/b.txt: 3 characters, 2 lines."
    )
    assert (
        await desk.text("write_file", path="a/b.txt", content="é\n")
        == "Wrote a/b.txt: 2 characters, 1 lines."
    )
    assert (desk.folder / "a" / "b.txt").read_text(encoding="utf-8") == "é\n"
    assert await desk.text("list_file") == "a/b.txt (3 bytes)"
    assert await desk.text("read_file", path="a/b.txt") == "é"
    assert await desk.text("read_file", path=await desk.text("keep", content="kept")) == "kept"
    (desk.folder / "raw.txt").write_bytes(b"\xff!")
    assert await desk.text("read_file", path="raw.txt") == "\N{REPLACEMENT CHARACTER}!"
    wide = "y" * 30_000
    await desk.text("write_file", path="wide.txt", content=wide)
    shown = await desk.text("read_file", path="wide.txt")
    assert shown == cut(wide, files.WHOLE_FILE_CHARS, "wide.txt") and "10000 characters omitted" in shown
    await desk.refusal("read_file", path="none.txt")
    await desk.refusal("read_file", path="sha256:" + "0" * 16)
    await desk.refusal("write_file", path="../out.txt", content="x")
    assert not (desk.folder.parent / "out.txt").exists()


async def test_a_long_listing_says_how_much_is_left_out(desk: Desk) -> None:
    await desk.text("write_file", path="0.txt", content="")
    for n in range(1, files.MAX_LISTED + 3):
        (desk.folder / f"{n}.txt").touch()
    lines = (await desk.text("list_file")).split("\n")
    assert len(lines) == files.MAX_LISTED + 1
    assert lines[-1] == "[... 3 more files ...]"


async def test_a_listing_by_another_name_is_the_same(desk: Desk, tmp_path: Path) -> None:
    await desk.text("write_file", path="a/b.txt", content="x")
    async with Client(
        build(_toolbox(), ServeOptions(toolsets=("plural",), workspace=tmp_path / "w"))
    ) as client:
        assert [tool.name for tool in await client.list_tools()] == ["list_files"]
        other = await Desk(client, tmp_path / "w").text("list_files")
    assert other == await desk.text("list_file") == "a/b.txt (1 bytes)"


def test_lines_end_with_line_feeds_and_a_cut_says_which_are_missing() -> None:
    assert lines_of("a\r\n\fb\n") == ["a\r", "\fb"]
    assert lines_of("a\n\n") == ["a", ""]
    assert cut("abc", 3, "f") == "abc"
    text = "\n".join("abcdefghi")
    assert cut(text, 5, "f") == "a\nb\n[... 12 characters omitted, lines 2 to 8 of f ...]\n\ni"


@pytest.mark.parametrize("limit", range(1, 18))
def test_a_passage_is_cut_between_lines(limit: int) -> None:
    lines = "\n".join("abcdefghi")
    assert cut_passage(lines, 17, "f", 40) == lines
    shown = cut_passage(lines, min(limit, 16), "f", 40)
    head, _, rest = shown.partition("[... lines ")
    numbers, _, tail = rest.partition(" of f are not shown ...]\n")
    first, last = map(int, numbers.split(" to "))
    kept = [*head.split(), *"abcdefghi"[first - 40 : last - 39], *tail.split()]
    assert "".join(kept) == "abcdefghi"
