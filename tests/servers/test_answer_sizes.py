"""The size of answers: what the tests watch in every server, and that each exception is one still."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.answer import ANSWER_BYTES, Answer, Picture, Published, json_bytes
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox
from labrig.tools import cursor as cursors
from labrig_harness.registry import servers
from support import answer_sizes
from support.answer_sizes import ALLOWED

LONG = "SOLUTION 1\nREACTION 1\n NaCl 1\n 1 in 9 steps\nEND\n"


@dataclass(frozen=True)
class Exceeding:
    """A call whose Answer is larger than any other may be."""

    arguments: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)


EXCEEDING = {
    ("phreeqc", "execute_phreeqc"): Exceeding({"input": LONG, "output": "raw:20000"}),
    ("repository", "read_text_file"): Exceeding({"path": "long.txt"}, {"long.txt": "a line\n" * 2000}),
    ("repository", "read_binary_file"): Exceeding({"path": "long.txt"}, {"long.txt": "a line\n" * 2000}),
}


@pytest.fixture
def found() -> Iterator[list[str]]:
    """Give what is found too large, and clear it, since this is meant."""
    yield answer_sizes.too_large
    answer_sizes.too_large.clear()


async def test_what_is_too_large_is_found(found: list[str], tmp_path: Path) -> None:
    """An Answer; not what a paper published, and not a picture."""
    toolbox = Toolbox("large", "Large", "Gives what is asked for.")

    @toolbox.tool(read_only=True, title="Answer")
    async def answer(size: int) -> Answer:
        """Give an Answer with a text."""
        return Answer(source="x", text="x" * size)

    @toolbox.tool(read_only=True, title="Publish", faithful=True)
    async def publish(size: int) -> Published:
        """Give a published text."""
        return Published("x" * size)

    @toolbox.tool(read_only=True, title="Draw", picture=True)
    async def draw(size: int) -> Picture:
        """Give a picture."""
        return Picture(b"\x89PNG", "x" * size)

    frame = json_bytes(Answer(source="x", text="x").to_dict()) - 1
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as client:
        for tool in ("answer", "publish", "draw"):
            await client.call_tool(tool, {"size": ANSWER_BYTES - frame})
        for tool in ("publish", "draw"):
            await client.call_tool(tool, {"size": 10 * ANSWER_BYTES})
        assert found == []
        await client.call_tool("answer", {"size": ANSWER_BYTES - frame + 1})
    assert [each.partition("(")[0] for each in found] == [
        "large answer: an Answer of 8,001 bytes, at most 8,000 "
    ]
    with pytest.raises(pytest.fail.Exception, match=r"8,001 bytes.*\n.*cursor"):
        answer_sizes.verdict()
    assert found == []


@pytest.mark.parametrize(("server", "tool"), ALLOWED, ids=map(" ".join, ALLOWED))
async def test_an_exception_is_one_still(server: str, tool: str, tmp_path: Path, databases: Path) -> None:
    """Where the answer has become small, its entry in `ALLOWED` goes; where it grew, it may not."""
    call = EXCEEDING[server, tool]
    root = tmp_path / "folder"
    root.mkdir()
    for name, content in call.files.items():
        (root / name).write_text(content)
    options = ServeOptions(workspace=tmp_path / "w", roots=(root,))
    async with Client(build(servers.toolbox(server), options)) as client:
        result = await client.call_tool(tool, call.arguments)
    assert json_bytes(result.structured_content) > ANSWER_BYTES


def test_exceptions_name_tools_that_are_there() -> None:
    for server, tool in ALLOWED:
        assert tool in {spec.name for spec in servers.toolbox(server).specs}
    assert set(EXCEEDING) == set(ALLOWED)
    assert len(ALLOWED) <= 3, "the list of exceptions becomes shorter, not longer"


def test_a_page_ends_where_its_room_ends() -> None:
    items = ["x" * n for n in (10, 10, 500, 10, 10)]
    seen, cursor = [], ""
    while True:
        page, cursor = cursors.page(items, "?", cursor, size=3, most_bytes=30)
        seen.append([len(each) for each in page])
        if not cursor:
            break
    assert seen == [[10, 10], [500], [10, 10]]
    assert cursors.page(items, "?", "", size=3)[0] == items[:3]


def _wide_folder(root: Path) -> None:
    for number in range(90):
        (root / f"{number:03}{'x' * 180}.csv").write_text("word\n")
    columns = ",".join(f"{'c' * 150}{number}" for number in range(60))
    (root / "wide.csv").write_text(f"{columns}\n{','.join('1' * 60)}\n")


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("list_directory", {}, 91),
        ("search_files", {"query": "word", "where": "contents"}, 90),
        ("describe_table", {"path": "wide.csv"}, 60),
    ],
)
async def test_pages_that_would_be_too_large_are_shorter(
    tool: str, arguments: dict[str, Any], expected: int, tmp_path: Path
) -> None:
    """All the pages together hold everything; each keeps to the size."""
    root = tmp_path / "folder"
    root.mkdir()
    _wide_folder(root)
    options = ServeOptions(workspace=tmp_path / "w", roots=(root,))
    seen, cursor, pages = 0, "", 0
    async with Client(build(servers.toolbox("repository"), options)) as client:
        while True:
            result = await client.call_tool(tool, {**arguments, "cursor": cursor})
            answer = result.structured_content
            assert json_bytes(answer) <= ANSWER_BYTES
            data = answer["data"]
            seen += len(data.get("hits", data.get("columns", answer.get("text", "").splitlines())))
            pages += 1
            if "next" not in answer:
                break
            cursor = answer["next"].split("'")[1]
    assert seen == expected
    assert pages > 1


async def test_a_search_with_much_context_shows_fewer_hits(tmp_path: Path, databases: Path) -> None:
    """The next call goes on at the first hit that found no room."""
    (tmp_path / "w").mkdir()
    lines = [f"{number} {'y' * 200}" for number in range(200)]
    (tmp_path / "w" / "long.out").write_text("\n".join(lines))
    toolbox = servers.toolbox("phreeqc")
    options = ServeOptions(toolsets=tuple(toolbox.toolsets), workspace=tmp_path / "w")
    seen: list[int] = []
    async with Client(build(toolbox, options)) as client:
        following = 1
        while following:
            asked = {"pattern": "9 y", "path": "long.out", "context": 10, "from_line": following}
            answer = (await client.call_tool("search_output", asked)).structured_content
            assert json_bytes(answer) <= ANSWER_BYTES
            seen += [int(line[2:].split()[0]) for line in answer["text"].splitlines() if line.startswith(">")]
            following = int(answer["next"].rpartition("=")[2]) if "next" in answer else 0
    assert seen == list(range(9, 200, 10))
