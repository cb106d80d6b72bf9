"""Bad input, on a generated repository and on the same files in a real folder: both answer alike.

Each case says what has to come of it, so a folder that gives too much and a generated repository that gives too little
both fail. `{file}` is a data file two folders down, `{folder}` its folder, `{name}` its name.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_repository.gym.repository import GeneratedRepository, open_repository
from labrig_repository.server import toolbox

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXTS, BOOKS = 45, 16
"""A repository of JSON lines two folders down, and one of workbooks; both have a README and few files."""

READ = {
    "as listed": "{file}",
    "leading slash": "/{file}",
    "slashes and points": "//{folder}//.//./{name}",
    "trailing slash": "{file}/",
    "there and back": "{folder}/x/../{name}",
    "there and back through a file": "{file}/../{name}",
}
NOT_READ = {
    "empty": "",
    "point": ".",
    "slash": "/",
    "slashes": "//",
    "above": "..",
    "above from the top": "/../{file}",
    "above and into the neighbour": "{folder}/../../../repository-evil/x.csv",
    "percent": "%2e%2e/{file}",
    "percent slash": "{folder}%2f{name}",
    "backslash above": "..\\{file}",
    "backslash": "\\",
    "NUL": "{file}\0",
    "NUL and more": "{file}\0.csv",
    "folder": "{folder}",
    "folder and slash": "{folder}/",
    "below a file": "{file}/x",
    "beginning of a name": "{file_less_one}",
    "name and more": "{file}x",
    "upper case": "{FILE}",
    "star": "{folder}/*",
    "question mark": "{file_but_one}?",
    "class": "{folder}/[0-9]*",
    "absolute": "/etc/passwd",
    "home": "~/.ssh/id_rsa",
    "address": "file:///etc/passwd",
    "variable": "$HOME/.bashrc",
    "pipe": "{file}|cat /etc/passwd",
    "white space before": " {file}",
    "line end": "{file}\n",
    "full width": "{fullwidth}",
    "zero width": "{file}\u200b",
    "right to left": "\u202e{file}",
    "half a surrogate": "{folder}/\ud800",
    "4 KB": "x" * 4097,
    "many parts": "a/" * 300,
    "a long name": "x" * 256,
    "proc": "/proc/self/environ",
    "its README as a folder": "README.md/x",
}
LISTED = {
    "all": ("/*", None, "files"),
    "all, 0": ("/*", 0, "files"),
    "deep": ("/*", 10**9, "files"),
    "empty prefix": ("", None, "files"),
    "the folder": ("{folder}", 1, "some"),
    "the file": ("{file}", 1, ["{name}"]),
    "a wildcard in the middle": ("{top}*/*/{name}", None, "some"),
    "nothing": ("/nothing", 1, []),
    "nothing of the kind": ("/*.nothing", None, []),
    "below a file": ("{file}/*", 1, []),
    "stars": ("*" * 60 + "b" + "*" * 60, 1, []),
    "class": ("/[a-z]*", 1, []),
    "braces": ("/{{README.md,x}}", 1, []),
    "percent": ("/%2e%2e", 1, []),
    "beginning of a name": ("{folder_less_one}", 1, []),
    "negative depth": ("/*", -1, None),
    "above": ("/..", 1, None),
    "above by a wildcard": ("/*/../../..", 1, None),
    "NUL": ("a\0", 1, None),
    "4 KB": ("*" * 4097, 1, None),
}
LINES: dict[str, tuple[dict[str, Any], Any]] = {
    "no head": ({"head": 0}, slice(0, 0)),
    "no tail": ({"tail": 0}, slice(0, 0)),
    "one": ({"head": 1}, slice(0, 1)),
    "last": ({"tail": 1}, slice(-1, None)),
    "past the end": ({"tail": 10**6}, slice(None)),
    "past the end from the top": ({"head": 10**6}, slice(None)),
    "below zero": ({"head": -1}, None),
    "below zero from the end": ({"tail": -1}, None),
    "both": ({"head": 1, "tail": 1}, None),
    "both, none": ({"head": 0, "tail": 0}, None),
    "too many": ({"head": 10**30}, None),
}


def filled(template: str, path: str) -> str:
    """Return a template with the parts of a path."""
    folder, _, name = path.rpartition("/")
    return template.format(
        file=path,
        folder=folder,
        name=name,
        top=folder[0],
        FILE=path.upper(),
        file_less_one=path[:-1],
        file_but_one=path[:-1],
        folder_less_one=folder[:-1],
        fullwidth=path.replace("/", "\uff0f"),
    )


class Twins:
    """A server of each toolset over a generated repository and the same files in a folder."""

    def __init__(self, clients: dict[str, Client[Any]], repositories: dict[str, GeneratedRepository]) -> None:
        self.clients = clients
        self.repositories = repositories

    def path(self, folder: str) -> str:
        """Return a data file of a repository."""
        return self.repositories[folder].files.texts[0]

    async def paper(self, tool: str, id: Any, **arguments: Any) -> dict[str, Any]:
        """Return what a tool of the paper says."""
        result = await self.clients["paper"].call_tool_mcp(tool, {"id": id, **arguments})
        assert not result.is_error, result.content
        said: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
        return said

    async def own(self, tool: str, id: Any, **arguments: Any) -> tuple[bool, str, dict[str, Any]]:
        """Return whether one of our tools refused, its text, and its structured answer."""
        result = await self.clients["default"].call_tool_mcp(tool, {"id": id, **arguments})
        return bool(result.is_error), result.content[0].text, result.structured_content or {}  # type: ignore[union-attr]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def twins(copies: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Twins]:
    """Serve both."""
    clients = {}
    work = tmp_path_factory.mktemp("work")
    for toolset in ("paper", "default"):
        options = ServeOptions(
            toolsets=(toolset,), workspace=work / toolset, roots=(copies / "texts", copies / "books")
        )
        clients[toolset] = Client(build(toolbox, options))
    repositories = {"texts": open_repository(str(TEXTS)), "books": open_repository(str(BOOKS))}
    async with clients["paper"], clients["default"]:
        yield Twins(clients, repositories)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write both repositories into folders, with a neighbour that has the beginning of a name in common."""
    top = tmp_path_factory.mktemp("copies")
    for name, number in (("texts", TEXTS), ("books", BOOKS)):
        repository = open_repository(str(number))
        assert repository.specification.readme is not None
        for path in repository.paths():
            (top / name / path).parent.mkdir(parents=True, exist_ok=True)
            (top / name / path).write_bytes(repository.read(path))
    (top / "texts-evil").mkdir()
    (top / "texts-evil" / "x.csv").write_text("root:secret")
    yield top


BOTH: tuple[Any, ...] = ("texts", TEXTS)
"""The ids of the folder and of the repository that it is a copy of."""


@pytest.mark.parametrize("case", [*READ, *NOT_READ])
async def test_paths(case: str, twins: Twins) -> None:
    path = filled((READ | NOT_READ)[case], twins.path("texts"))
    content = twins.repositories["texts"].read(twins.path("texts"))
    for id in BOTH:
        text = await twins.paper("read_text_file", id, path=path)
        binary = await twins.paper("read_binary_file", id, path=path)
        refused, said, answer = await twins.own("read_text_file", id, path=path)
        described = await twins.own("describe_table", id, path=path)
        if case in READ:
            assert text == {"status": "success", "file_content": content.decode()}
            assert base64.b64decode(binary["base64_file_content"]) == content
            assert content.decode().startswith(answer["text"][:1000]) and not refused
            assert described[2]["data"]["rows"] == content.count(b"\n")
        else:
            assert text["file_content"] is None and binary["base64_file_content"] is None
            pattern = case in ("star", "question mark")  # describe_table describes all that it names
            assert refused and described[0] is not pattern
            assert not pattern or described[2]["data"]["described"] >= 1
            for sentence in (text["status"], binary["status"], said, *([] if pattern else [described[1]])):
                assert 20 < len(sentence) < 2000 and not re.search("secret|root:|Traceback|defect", sentence)


@pytest.mark.parametrize("case", LISTED)
async def test_listings(case: str, twins: Twins) -> None:
    template, depth, expected = LISTED[case]
    path = twins.path("texts")
    prefix = filled(template, path)
    found = [(await twins.paper("list_directory", id, prefix=prefix, depth=depth))["paths"] for id in BOTH]
    assert found[0] == found[1]
    if expected == "files":
        assert found[0] == sorted(twins.repositories["texts"].paths(), key=lambda each: each.split("/"))
    elif expected == "some":
        assert found[0]
    else:
        assert found[0] == (None if expected is None else [filled(each, path) for each in expected])
    for id in BOTH:
        refused, said, answer = await twins.own("list_directory", id, prefix=prefix, depth=depth)
        if found[0]:
            assert len(answer["text"].splitlines()) == min(len(found[0]), 200)
        elif expected is not None and "*" in prefix:
            assert answer["warnings"] == [f"Nothing matches {prefix}"]
        else:
            assert refused and "defect" not in said


@pytest.mark.parametrize("case", LINES)
async def test_lines(case: str, twins: Twins) -> None:
    how, wanted = LINES[case]
    path = twins.path("texts")
    lines = twins.repositories["texts"].read(path).decode().splitlines(keepends=True)
    for id in BOTH:
        said = await twins.paper("read_text_file", id, path=path, **how)
        refused, _, answer = await twins.own("read_text_file", id, path=path, **how)
        if wanted is None:
            assert said["file_content"] is None and refused
        else:
            assert said["file_content"] == "".join(lines[wanted])
            assert said["file_content"].startswith(answer.get("text", "")) or answer["status"] == "partial"


async def test_workbooks_are_no_text_and_a_readme_has_bytes(twins: Twins) -> None:
    path = twins.path("books")
    for id in ("books", BOOKS):
        said = await twins.paper("read_text_file", id, path=path)
        assert said["file_content"] is None and "not text" in said["status"]
        binary = await twins.paper("read_binary_file", id, path=path)
        assert binary["mime_type"].endswith("spreadsheetml.sheet")
        assert base64.b64decode(binary["base64_file_content"]) == twins.repositories["books"].read(path)
        readme = await twins.paper("read_binary_file", id, path="README.md")
        assert readme["mime_type"] == "text/markdown"
        assert base64.b64decode(readme["base64_file_content"]).startswith(b"# ")
        described = await twins.own("describe_table", id, path=path, sheet="none")
        assert described[0] and "Sheet1" in described[1]


@pytest.mark.parametrize("query", ["{name}", "a", ".*", "\0", "(a+)+$", "%s", "é"])
async def test_searches(query: str, twins: Twins) -> None:
    wanted = query.replace("{name}", twins.path("texts").rpartition("/")[2])
    found = []
    for id in BOTH:
        refused, said, answer = await twins.own("search_files", id, query=wanted)
        assert not refused, said
        found.append(answer["data"])
    assert found[0] == found[1]
    assert bool(found[0]["hits"]) == (query in ("{name}", "a"))


async def test_names_with_wildcards_are_read_as_they_are(copies: Path, twins: Twins) -> None:
    names = (
        "a[1].csv",
        "a*.csv",
        "a?.csv",
        "~",
        "-rf",
        " b.csv ",
        "a\\b.csv",
        "%41.csv",
        "ä.csv",
        "a\u0308.csv",
    )
    for name in names:
        (copies / "texts" / name).write_text(f"x\n{name.encode().hex()}\n")
    try:
        for name in names:
            said = await twins.paper("read_text_file", "texts", path=name)
            assert said["file_content"] == f"x\n{name.encode().hex()}\n"
        listed = await twins.paper("list_directory", "texts", prefix="a[1].csv")
        assert listed["paths"] == ["a[1].csv"]
    finally:
        for name in names:
            (copies / "texts" / name).unlink()


@pytest.mark.parametrize(
    "id", [0, -1, 10**9, 10**30, "45 ", "isg/2:45", "isg/1:045", "\u0664\u0665", "texts/", "texts-evil", "."]
)
async def test_ids(id: Any, twins: Twins) -> None:
    said = await twins.paper("list_directory", id)
    if id == "45 ":
        assert said["status"] == "success"
    else:
        assert said["paths"] is None and len(said["status"]) > 20 and "defect" not in said["status"]
