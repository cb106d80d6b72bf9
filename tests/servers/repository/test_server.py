"""The server over a real folder and a generated repository: the paper's tools, our own, and code that uses both."""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import json
import os
import re
import shutil
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from labrig.answer import ANSWER_BYTES, json_bytes
from labrig.artifacts import ArtifactStore
from labrig.errors import LabrigError
from labrig.isolation import children, process
from labrig.isolation.process import Outcome
from labrig.sandbox import Limits
from labrig.serving.builder import build
from labrig.tables import apart
from labrig.toolbox import ServeOptions
from labrig.workspace import Workspace
from labrig_repository.folder import searching
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.listing import Found
from labrig_repository.folder.store import Version
from labrig_repository.server import paper, tables, toolbox
from labrig_repository.server.base import State, doctor
from support.sandbox_rig import skip_unless

FILES: dict[str, bytes] = {
    "README.md": b"# Lakes\nFour lakes, two years.\n",
    "runs/2020/a.csv": b"t,x (m)\n1,2\n2,4\n3,\n",
    "runs/2020/b.csv": b"t,x (m)\n1,3\n",
    "runs/2021/a.csv": b"t,x (m)\r\n1,5\r\n",
    "runs/latin.txt": "µ\n".encode("latin-1"),
    "image.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    ".git/config": b"token",
}


class Rig:
    """A server and the loop that it lives in."""

    def __init__(self, runner: asyncio.Runner, client: Client[Any]) -> None:
        self.runner = runner
        self.client = client

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return the result of a call; a refusal is one with `is_error`."""
        return self.runner.run(self.client.call_tool(tool, arguments, raise_on_error=False))

    def paper(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return what a tool of the paper returns."""
        result = self.call(tool, **arguments)
        assert not result.is_error
        said: dict[str, Any] = json.loads(result.content[0].text)
        return said

    def own(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured answer of a tool of our own."""
        result = self.call(tool, **arguments)
        assert result.structured_content is not None, result.content[0].text
        return dict(result.structured_content)

    def refusal(self, tool: str, **arguments: Any) -> str:
        """Return the text of a refusal."""
        result = self.call(tool, **arguments)
        assert result.is_error
        return str(result.content[0].text)


@contextmanager
def served(top: Path, toolset: str, *roots: Path) -> Iterator[Rig]:
    options = ServeOptions(toolsets=(toolset,), workspace=top / "work", roots=roots)
    with asyncio.Runner() as runner:

        async def opened() -> Client[Any]:
            return await Client(build(toolbox, options)).__aenter__()

        client = runner.run(opened())
        yield Rig(runner, client)
        runner.run(client.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the folder."""
    top = tmp_path_factory.mktemp("served") / "lakes"
    for path, content in FILES.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    (top.parent / "secret.txt").write_text("secret")
    (top / "out.txt").symlink_to("../secret.txt")
    return top


@pytest.fixture(scope="module")
def published(lakes: Path) -> Iterator[Rig]:
    """Serve the paper's tools."""
    with served(lakes.parent, "paper", lakes) as rig:
        yield rig


@pytest.fixture(scope="module")
def own(lakes: Path) -> Iterator[Rig]:
    """Serve our own."""
    with served(lakes.parent, "default", lakes) as rig:
        yield rig


# The paper's tools


def test_the_paper_s_tools_have_the_paper_s_arguments(published: Rig) -> None:
    tools = {each.name: each for each in published.runner.run(published.client.list_tools())}
    assert {name: [*tool.input_schema["properties"]] for name, tool in tools.items()} == {
        "list_directory": ["id", "prefix", "depth"],
        "read_text_file": ["id", "path", "head", "tail"],
        "read_binary_file": ["id", "path"],
        "run_python_code": ["code"],
        "get_version_metadata": [],
    }
    assert all(each.annotations and each.annotations.read_only_hint for each in tools.values())


def test_listing_and_reading_as_published(published: Rig) -> None:
    listing = published.paper("list_directory", id="local")
    assert listing == {"status": "success", "paths": ["README.md", "image.png", "out.txt", "runs"]}
    assert published.paper("list_directory", id="lakes", prefix="/runs/*/a.csv", depth=2)["paths"] == [
        "2020/a.csv",
        "2021/a.csv",
    ]
    assert published.paper("list_directory", id="local", prefix="/nothing") == {
        "status": "success",
        "paths": [],
    }
    assert len(published.paper("list_directory", id="local", depth=None)["paths"]) == 7
    read = published.paper("read_text_file", id="local", path="/runs/2020/a.csv", head=2)
    assert read == {"status": "success", "file_content": "t,x (m)\n1,2\n"}
    assert (
        published.paper("read_text_file", id="local", path="runs/2020/a.csv", tail=1)["file_content"]
        == "3,\n"
    )
    assert published.paper("read_text_file", id="local", path="runs/2020/a.csv", head=0)["file_content"] == ""
    binary = published.paper("read_binary_file", id="local", path="image.png")
    assert base64.b64decode(binary["base64_file_content"]) == FILES["image.png"]
    assert (binary["status"], binary["mime_type"]) == ("success", "image/png")
    assert published.paper("read_binary_file", id="local", path="README.md")["mime_type"] == "text/markdown"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("runs/2020/c.csv", "no such file"),
        ("runs", "folder"),
        ("", "folder"),
        (".", "folder"),
        ("runs/2020/a.csv/x", "no such file|not a folder"),
        ("runs\\2020\\a.csv", "no such file"),
        ("%72uns/2020/a.csv", "no such file"),
        ("RUNS/2020/a.csv", "no such file"),
        ("runs/2020/*.csv", "no such file"),
        ("../secret.txt", "above the repository"),
        ("/../secret.txt", "above the repository"),
        ("runs/../../secret.txt", "above the repository"),
        ("../lakes/README.md", "above the repository"),
        ("/etc/passwd", "no such file"),
        ("out.txt", "leads out"),
        (".git/config", "not part of the repository"),
        ("a\0b", "NUL"),
        ("x" * 5000, "too long"),
        ("image.png", "not text"),
    ],
)
def test_paths_that_give_no_text(published: Rig, path: str, why: str) -> None:
    import re

    said = published.paper("read_text_file", id="local", path=path)
    assert said["file_content"] is None and re.search(why, said["status"])
    assert "secret" not in said["status"].replace("secret.txt", "") and "token" not in said["status"]


@pytest.mark.parametrize("path", ["runs/2020/a.csv/", "//runs//2020/./a.csv", "runs/2021/../2020/a.csv"])
def test_other_spellings_of_a_path(published: Rig, path: str) -> None:
    assert published.paper("read_text_file", id="local", path=path)["status"] == "success"


@pytest.mark.parametrize("id", ["nope", "-1", -1, 0, 10**30, "isg/99:1", "isg/1:0", "../lakes"])
def test_ids_that_nothing_has(published: Rig, id: Any) -> None:
    said = published.paper("list_directory", id=id)
    assert said["paths"] is None and len(said["status"]) > 20


@pytest.mark.parametrize("id", [True, 1.0, None, ["local"]])
def test_ids_that_cannot_be(published: Rig, id: Any) -> None:
    assert "id" in published.refusal("list_directory", id=id)


def test_head_and_tail_and_depth_that_cannot_be(published: Rig) -> None:
    for how in ({"head": 1, "tail": 1}, {"head": -1}, {"tail": -5}):
        said = published.paper("read_text_file", id="local", path="README.md", **how)
        assert (said["file_content"] is None and "head" in said["status"]) or "tail" in said["status"]
    assert published.paper("list_directory", id="local", depth=-1)["paths"] is None


def test_a_long_listing_is_cut_and_says_so(published: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "CALL_PATHS", 3)
    said = published.paper("list_directory", id="local", depth=None)
    assert len(said["paths"]) == 3 and "the first 3 of 7 paths" in said["truncated"]


def test_a_file_that_is_too_large_for_a_conversation(published: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "CALL_BYTES", 10)
    said = published.paper("read_text_file", id="local", path="README.md")
    assert said["file_content"] is None and "run_python_code" in said["status"]
    assert (
        published.paper("read_text_file", id="local", path="README.md", head=1)["file_content"] == "# Lakes\n"
    )
    assert published.paper("read_binary_file", id="local", path="image.png")["base64_file_content"] is None


def test_a_generated_repository(published: Rig) -> None:
    from labrig_repository.gym.repository import open_repository

    generated = open_repository("7")
    for id in (7, "7", generated.name):
        said = published.paper("list_directory", id=id, prefix="", depth=None)
        assert sorted(said["paths"]) == sorted(generated.paths())[: paper.CALL_PATHS]
    path = said["paths"][-1]
    content = published.paper("read_binary_file", id=7, path=path)["base64_file_content"]
    assert base64.b64decode(content) == generated.read(path)


# Code in the sandbox


def runs(rig: Rig, code: str) -> dict[str, Any]:
    skip_unless()
    return rig.paper("run_python_code", code=code)


@pytest.mark.accept
def test_the_readers_are_functions_in_the_code(published: Rig) -> None:
    said = runs(
        published,
        """
import io, pandas as pd
frames = []
for path in list_directory("local", "/runs/*", depth=2)["paths"]:
    if path.endswith(".csv"):
        frames.append(pd.read_csv(io.StringIO(read_text_file("local", f"runs/{path}")["file_content"])))
print(len(frames), pd.concat(frames)["x (m)"].sum())
print(read_text_file("local", "none.csv")["file_content"], read_text_file("local", "README.md", tail=1))
print(read_binary_file("local", "image.png")["mime_type"], list_directory(True)["paths"])
print(list_directory("local", depth=True)["paths"], read_text_file("local", "README.md", head="2")["file_content"])
""",
    )
    assert said == {
        "status": "success",
        "output": "3 14.0\nNone {'status': 'success', 'file_content': 'Four lakes, two years.\\n'}\n"
        "image/png None\nNone None\n",
        "error": None,
    }


@pytest.mark.parametrize(
    ("code", "output", "error"),
    [
        ("x = 3\nx + 1", "4\n", None),
        ("print(1)\n1 / 0", "1\n", "ZeroDivisionError"),
        ("read_text_file('local')", "", "missing 1 required positional argument: 'path'"),
        ("import labrig_repository", "", "ModuleNotFoundError"),
        ("import labrig", "", "ModuleNotFoundError"),
        ("import sys; print(1); sys.exit(3)", "1\n", "exit code 3"),
        ("import sys; print(1); sys.exit()", "1\n", None),
        ("open('/etc/passwd')", "", "Error"),
        ("import urllib.request as u; u.urlopen('http://127.0.0.1:1')", "", "Error"),
        ("import os; os.fork()", "", "Error"),
        ("x = [0] * 10**9", "", "MemoryError"),
        ("def f(): return f()\nf()", "", "RecursionError"),
        ("import ctypes; ctypes.string_at(0)", "", "SIGSEGV"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\n'); None", "\\xff\n", None),
        ("class A:\n  def __del__(self): 1 / 0\na = A(); del a; print('on')", "on\n", None),
        ("import sys; print(1, flush=True); sys.stdout.close()", "1\n", None),
        ("import warnings\nfor i in range(10**4): warnings.warn(str(i))\nprint('on')", "on\n", None),
        ("", "", "no code"),
        ("1 +", "", "SyntaxError"),
    ],
)
def test_what_code_may_and_may_not(published: Rig, code: str, output: str, error: str | None) -> None:
    said = runs(published, code)
    assert (said["status"], said["output"]) == ("error" if error else "success", output)
    assert said["error"] is None if error is None else error in said["error"]


def test_what_was_printed_before_the_time_was_up_is_kept(
    published: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, "PAPER_LIMITS", Limits(wall_s=0.5, cpu_s=45))
    said = runs(published, "print('begun', flush=True)\nwhile True: pass")
    assert (said["status"], said["output"]) == ("error", "begun\n") and "0.5 s" in said["error"]


def test_runs_know_nothing_of_each_other_and_are_the_same_again(published: Rig) -> None:
    code = "import random\ny = globals().get('x')\nx = 1\nprint(y, random.random(), hash('a'))"
    assert runs(published, code) == runs(published, code)

    async def both() -> list[Any]:
        calls = (published.client.call_tool("run_python_code", {"code": f"print({n})"}) for n in range(4))
        return await asyncio.gather(*calls)

    results = published.runner.run(both())
    assert [json.loads(each.content[0].text)["output"] for each in results] == ["0\n", "1\n", "2\n", "3\n"]


@pytest.mark.accept
def test_much_output_is_cut_and_that_is_said(published: Rig) -> None:
    said = runs(published, "for i in range(200_000): print(i)")
    assert said["status"] == "success" and "bytes of output were left out" in said["output"]
    assert len(said["output"]) < 101_000


def test_a_client_that_gives_up_ends_the_run(published: Rig) -> None:
    async def gives_up() -> None:
        call = asyncio.create_task(
            published.client.call_tool("run_python_code", {"code": "import time; time.sleep(50)"})
        )
        await asyncio.sleep(0.5)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    runs(published, "1")
    started = time.monotonic()
    for _ in range(3):  # more than there are slots: the next run would wait 50 s
        published.runner.run(gives_up())
    assert runs(published, "print(1)")["output"] == "1\n"
    assert time.monotonic() - started < 45


def test_the_packages_are_those_of_the_sandbox(published: Rig) -> None:
    skip_unless()
    said = published.paper("get_version_metadata")
    code = "import numpy, platform; print(platform.python_version(), 'numpy==' + numpy.__version__)"
    python, numpy = runs(published, code)["output"].split()
    assert said["python_version"] == python and numpy in said["python_packages"]


# Our own tools


def test_a_listing_gives_paths_that_the_other_tools_take(own: Rig) -> None:
    answer = own.own("list_directory", prefix="/runs/*/a.csv", depth=None)
    listed = paths_in(answer)
    assert listed == ["runs/2020/a.csv", "runs/2021/a.csv"]
    for path in listed:
        assert own.own("read_text_file", path=path)["text"].startswith("t,x (m)")
    top = own.own("list_directory")
    assert paths_in(top) == ["README.md", "image.png", "out.txt", "runs/"]
    assert "out.txt  (a link that leads out)" in top["text"].splitlines()


def paths_in(listed: dict[str, Any]) -> list[str]:
    return [line.split("  (")[0] for line in listed["text"].splitlines()]


def test_two_stars_in_a_listing_are_any_folders(own: Rig) -> None:
    everywhere = own.own("list_directory", prefix="**/*.csv")
    assert paths_in(everywhere) == paths_in(own.own("list_directory", prefix="runs/*/*.csv", depth=None))
    assert everywhere["data"]["names"] == 3 and "warnings" not in everywhere
    assert own.own("list_directory", prefix="**/*.xlsx")["warnings"] == ["Nothing matches **/*.xlsx"]


def test_a_listing_says_sizes_and_days(own: Rig, lakes: Path) -> None:
    for name, size in {"a": 999, "b": 1000, "c": 999_949, "d": 999_950, "e": 2_345_678_901}.items():
        with (lakes / f"size_{name}").open("wb") as file:
            file.truncate(size)
        os.utime(lakes / f"size_{name}", (0, 1_700_000_000))
    assert own.own("list_directory", prefix="size_*")["text"].splitlines() == [
        "size_a  (999 bytes, 2023-11-14)",
        "size_b  (1.0 kB, 2023-11-14)",
        "size_c  (999.9 kB, 2023-11-14)",
        "size_d  (1.0 MB, 2023-11-14)",
        "size_e  (2.3 GB, 2023-11-14)",
    ]
    for each in lakes.glob("size_*"):
        each.unlink()


def test_nothing_found_is_said(own: Rig) -> None:
    assert own.own("list_directory", prefix="/runs/*.xlsx")["warnings"] == ["Nothing matches /runs/*.xlsx"]
    assert "did you mean runs/2021 or runs/2020?" in own.refusal("list_directory", prefix="/runs/2O20")
    assert "did you mean README.md" in own.refusal("read_text_file", path="readme.md")
    assert "not part of the repository" in own.refusal("read_text_file", path=".git/config")
    assert "leads out" in own.refusal("read_text_file", path="out.txt")


def test_a_long_listing_comes_in_pages(own: Rig, lakes: Path) -> None:
    (lakes / "many").mkdir()
    for number in range(450):
        (lakes / "many" / f"{number:03d}").touch()
    names: list[str] = []
    cursor = ""
    while True:
        answer = own.own("list_directory", prefix="many", cursor=cursor)
        names += paths_in(answer)
        if "next" not in answer:
            break
        cursor = answer["next"].split("'")[1]
    assert names == [f"many/{number:03d}" for number in range(450)]
    (lakes / "many" / "450").touch()
    assert "cursor" in own.refusal("list_directory", prefix="many", cursor=cursor)  # the pages had ended
    first = own.own("list_directory", prefix="many")
    (lakes / "many" / "000-before").touch()
    second = own.own("list_directory", prefix="many", cursor=first["next"].split("'")[1])
    assert paths_in(second)[0] == "many/200"  # pages are of one moment
    for each in (lakes / "many").iterdir():
        each.unlink()
    assert own.own("list_directory", prefix="many")["warnings"] == ["The folder is empty"]
    (lakes / "many").rmdir()


def test_texts_say_their_encoding_and_what_was_cut(own: Rig, lakes: Path) -> None:
    latin = own.own("read_text_file", path="runs/latin.txt")
    assert (latin["text"], latin["data"]["encoding"]) == ("µ\n", "latin-1")
    (lakes / "long.txt").write_text("0123456789\n" * 5000)
    answer = own.own("read_text_file", path="long.txt")
    assert answer["status"] == "partial" and "20,000 characters" in answer["warnings"][0]
    assert own.own("read_text_file", path="long.txt", tail=2)["text"] == "0123456789\n" * 2
    (lakes / "long.txt").unlink()


def test_a_table_is_described(own: Rig) -> None:
    answer = own.own("describe_table", path="runs/2020/a.csv")
    assert answer["data"]["columns"][1] == {
        "name": "x (m)",
        "type": "integer",
        "unit": "m",
        "values": 2,
        "missing": 1,
        "min": 2,
        "max": 4,
    }
    assert answer["source"] == "folder lakes, as it is on disk: runs/2020/a.csv"
    assert "not text" in own.refusal("describe_table", path="image.png")


def endless_workbook() -> bytes:
    """Return a workbook whose second row has a number that its reader counts up to."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["t"])
    written, changed = io.BytesIO(), io.BytesIO()
    book.save(written)
    with zipfile.ZipFile(written) as archive, zipfile.ZipFile(changed, "w") as other:
        for name in archive.namelist():
            row = b'<row r="999999999999"><c r="A999999999999"><v>1</v></c></row></sheetData>'
            other.writestr(name, archive.read(name).replace(b"</sheetData>", row))
    return changed.getvalue()


@pytest.mark.accept
def test_a_file_that_its_reader_does_not_survive(
    own: Rig, lakes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = {"endless.xlsx": endless_workbook(), "lists.json": b"[" + b"[]," * 6_000_000 + b"[]]"}
    for name, content in hostile.items():
        (lakes / name).write_bytes(content)
    try:
        monkeypatch.setattr(apart, "LIMITS", process.Limits(wall_s=3))
        assert "took longer than 3 s" in own.refusal("describe_table", path="endless.xlsx")
        monkeypatch.setattr(apart, "LIMITS", process.Limits(memory_bytes=300 << 20))
        assert "bytes of memory" in own.refusal("describe_table", path="lists.json")
        assert own.own("describe_table", path="runs/2020/a.csv")["status"] == "ok"
    finally:
        for name in hostile:
            (lakes / name).unlink()


async def test_a_pipe_in_the_place_of_a_table_is_not_waited_for(lakes: Path) -> None:
    pipe = lakes.parent / "pipes"
    pipe.mkdir()
    os.mkfifo(pipe / "t.csv")
    folder = Folder(pipe)
    with pytest.raises(LabrigError, match="pipe"), folder.opened_file("t.csv"):
        pass
    folder.close()


def test_a_crash_of_a_reader_is_told() -> None:
    error = children.failure(Outcome("signal", signal="SIGSEGV"), apart.WHAT, "x.h5")
    assert (error.code, error.where) == ("bad_input", "x.h5") and "SIGSEGV" in error.what


def test_a_wide_table_comes_in_pages(own: Rig, lakes: Path) -> None:
    (lakes / "wide.csv").write_text(",".join(f"c{n}" for n in range(90)) + "\n" + ",".join(["1"] * 90) + "\n")
    names: list[str] = []
    cursor = ""
    while True:
        answer = own.own("describe_table", path="wide.csv", cursor=cursor)
        names += [each["name"] for each in answer["data"]["columns"]]
        if "next" not in answer:
            break
        cursor = answer["next"].split("'")[1]
    assert names == [f"c{n}" for n in range(90)]
    (lakes / "wide.csv").unlink()


def test_search(own: Rig) -> None:
    answer = own.own("search_files", query="lakes", pattern="**")
    assert {"path": "README.md", "line": 1, "text": "# Lakes"} in answer["data"]["hits"]
    assert own.own("search_files", query="token")["data"]["hits"] == []  # .git is not part of it
    assert own.own("search_files", query="secret")["data"]["hits"] == []


def test_a_search_that_ends_before_the_files_do_says_so(own: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MOST_PAGE_BYTES", 20)
    answer = own.own("search_files", query="nowhere to be found")
    assert answer["data"]["hits"] == [] and "cursor=" in answer["next"]
    assert answer["warnings"] == ["This page covers 1 of 7 files; a narrower pattern selects fewer"]


@pytest.mark.parametrize("query", [r"chl\d+", "temp_[FC]", ".*nowhere", "nowhere|elsewhere", "^nowhere"])
def test_a_query_that_is_a_regular_expression_is_told_so(own: Rig, query: str) -> None:
    assert "regex=true" in own.own("search_files", query=query)["warnings"][0]
    assert "one phrase" in own.own("search_files", query="nobody wrote this")["warnings"][0]
    assert "warnings" not in own.own("search_files", query=query, regex=True)


@pytest.mark.parametrize("query", ["nowhere.csv", "no where (mg/L)", "[nowhere", "C:\\nowhere"])
def test_a_text_that_is_none_is_not(own: Rig, query: str) -> None:
    warnings = own.own("search_files", query=query).get("warnings", [])
    assert not any("regular expression" in each for each in warnings)
    assert len(warnings) == (" " in query), "several words are one phrase, which is said"


def test_many_tables_are_described_as_one(own: Rig, lakes: Path) -> None:
    many = lakes / "sites"
    many.mkdir()
    for number in range(60):
        (many / f"{number:02d}.csv").write_text(
            f"site,depth (m),chl (ug/L)\nS{number % 2},{number},1.5\nS9,1,NA\n"
        )
    (many / "60.csv").write_text("site,depth (m),chl (mg/L)\nS1,1,1\n")
    (many / "61.csv").write_text("site,chl (ug/L),depth (m)\nS1,1,1\n")
    (many / "62.csv").write_text("site,depth (m),chl (ug/L),flag\nS1,deep,1,x\n")
    (many / "63.csv").write_bytes(b"PAR1 not really")
    (many / "64.csv").write_text("")
    (many / "65.csv").write_bytes(gzip.compress(b"site,depth (m),chl (ug/L)\nS1,500,1\n"))
    answer = own.own("describe_table", path="sites/*.csv")
    data = answer["data"]
    assert (data["files"], data["described"], data["looked_at"]) == (66, 64, 66)
    usual, *others = data["kinds"]
    assert (usual["files"], usual["rows"], usual["such_as"][0]) == (61, 121, "sites/00.csv")
    assert usual["columns"] == [
        {"name": "site", "type": "text", "values": 121, "distinct": {"S9": 60, "S1": 31, "S0": 30}},
        {"name": "depth (m)", "type": "integer", "unit": "m", "values": 121, "min": 0, "max": 500},
        {
            "name": "chl (ug/L)",
            "type": "number",
            "unit": "ug/L",
            "values": 61,
            "missing": 60,
            "missing_as": ["NA"],
            "min": 1,
            "max": 1.5,
        },
    ]
    assert [(each["such_as"], each["differs"]) for each in others] == [
        (["sites/60.csv"], ["without chl (ug/L)", "with chl (mg/L)"]),
        (["sites/61.csv"], ["in another order: site, chl (ug/L), depth (m)"]),
        (["sites/62.csv"], ["with flag", "depth (m) is text, not number"]),
    ]
    assert sorted(each["such_as"] for each in data["refused"].values()) == ["sites/63.csv", "sites/64.csv"]
    assert "did you mean" in own.refusal("describe_table", path="sites/none.csv")
    assert "No file matches" in own.refusal("describe_table", path="sites/*.nothing")
    shutil.rmtree(many)


def test_further_sheets_of_a_pattern_are_named(own: Rig, lakes: Path) -> None:
    (lakes / "books").mkdir()
    for number, sheets in enumerate((("Rain", "Flow"), ("Rain", "Flow", "Notes"))):
        book = openpyxl.Workbook()
        for name in sheets:
            book.create_sheet(name).append([name, "mm"])
            book[name].append(["a", 1.5])
        del book["Sheet"]
        book.save(lakes / "books" / f"{number}.xlsx")
    (kind,) = own.own("describe_table", path="books/*.xlsx")["data"]["kinds"]
    assert (kind["rows"], kind["not_described"]) == (2, {"Flow": 2, "Notes": 1})
    shutil.rmtree(lakes / "books")


def test_a_pattern_has_no_sheet_and_no_pages(own: Rig) -> None:
    for how in ({"sheet": "one"}, {"cursor": "x"}):
        assert "A pattern describes many tables" in own.refusal("describe_table", path="runs/*/*.csv", **how)


def test_tables_of_any_width_and_kind_fit_into_an_answer(own: Rig, lakes: Path) -> None:
    wide = lakes / "wide"
    wide.mkdir()
    for number in range(20):
        names = [f"a long heading of column {column} of table {number}" for column in range(60)]
        rows = [",".join(f"text {row} of {column} " * 4 for column in range(60)) for row in range(15)]
        (wide / f"{'n' * 150}{number}.csv").write_text("\n".join([",".join(names), *rows]))
    answer = own.own("describe_table", path="wide/*.csv")
    assert json_bytes(answer) <= ANSWER_BYTES
    assert answer["data"]["described"] == 20
    kinds, further = answer["data"]["kinds"], answer["data"]["further_kinds"]
    assert kinds[0]["columns"]
    assert (
        len(kinds) + further["kinds"] == 20 and sum(each["files"] for each in kinds) + further["files"] == 20
    )
    shutil.rmtree(wide)


def test_a_batch_has_no_more_than_a_call_has_room_for() -> None:
    files = [Found(str(n), str(n), "file", version=Version(6 << 20, 0, 0, 0, n)) for n in range(5)]
    assert [each.path for each in tables._next_batch(files, 16 << 20)] == ["0", "1"]
    assert [each.path for each in tables._next_batch(files, 1)] == ["0"]
    assert len(tables._next_batch(files, 1 << 30)) == 5


def test_a_file_that_is_named_like_a_pattern_is_meant(own: Rig, lakes: Path) -> None:
    (lakes / "a*.csv").write_text("x\n1\n")
    assert own.own("describe_table", path="a*.csv")["data"]["rows"] == 1
    (lakes / "a*.csv").unlink()


def test_more_tables_than_are_looked_at_are_said(own: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_FILES", 1)
    monkeypatch.setattr(tables, "TOGETHER", 1)
    answer = own.own("describe_table", path="runs/*/*.csv")
    assert answer["status"] == "partial" and "1 of 3 files" in answer["warnings"][0]


def test_headings_and_units_of_tables_that_are_no_text_are_found(own: Rig, lakes: Path) -> None:
    import h5py
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Casts 2024"
    book.active.append(["site", "conductivity (\u00b5S/cm)"])
    book.active.append(["A", 312])
    book.save(lakes / "casts.xlsx")
    with h5py.File(lakes / "casts.nc", "w") as file:
        file["chl"] = [1.0, 2.0]
        file["chl"].attrs["units"] = "ug/L"
        file.attrs["title"] = "Casts of the north basin"
    (lakes / "damaged.xlsx").write_bytes(b"PK\x03\x04 no archive")
    try:
        for query, path, heading in [
            ("uS/cm", "casts.xlsx", "column: conductivity (\u00b5S/cm)"),
            ("casts 2024", "casts.xlsx", "Casts 2024"),
            ("UG/L", "casts.nc", "column: chl (ug/L)"),
            ("north basin", "casts.nc", "Casts of the north basin"),
        ]:
            data = own.own("search_files", query=query, where="contents")["data"]
            (hit,) = [each for each in data["hits"] if each["path"] == path]
            assert heading in hit["heading"] and "line" not in hit, query
            (why,) = [why for why, each in data["skipped"].items() if each["such_as"] == "damaged.xlsx"]
            assert why.startswith("a table that cannot be read: ")
        assert own.own("search_files", query="312", where="contents")["data"]["hits"] == []
    finally:
        for name in ("casts.xlsx", "casts.nc", "damaged.xlsx"):
            (lakes / name).unlink()


@pytest.mark.accept
def test_code_reads_files_of_the_folder_as_they_are(own: Rig, lakes: Path) -> None:
    skip_unless()
    code = """
import pandas as pd
table = pd.read_csv("inputs/a.csv")
table.to_csv("out.csv")
print(table["x (m)"].sum(), list_directory("/runs/2020"))
"""
    answer = own.own("run_python_code", code=code, files=["runs/2020/a.csv"])
    assert answer["text"] == "6.0 ['runs/2020/a.csv', 'runs/2020/b.csv']\n"
    (kept,) = answer["artifacts"]
    assert kept["name"] == "out.csv"
    code = "open('inputs/a.csv', 'a')"
    assert own.own("run_python_code", code=code, files=["runs/2020/a.csv"])["status"] == "error"
    assert (lakes / "runs/2020/a.csv").read_bytes() == FILES["runs/2020/a.csv"]
    assert (
        "HostError: There is no such file" in own.own("run_python_code", code="read_text_file('x')")["text"]
    )


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import pathlib; print([*pathlib.Path().rglob('*.csv')])", "ok"),
        ("open('README.md')", "error"),
        ("print(len(list_directory('/*', None)), [*__import__('pathlib').Path().glob('*')])", "ok"),
    ],
)
def test_code_that_looks_for_a_generated_repository_on_disk_is_told(own: Rig, code: str, status: str) -> None:
    said = own.own("run_python_code", code=code, id="118")
    assert said["status"] == status
    told = any("no files on disk" in each for each in said.get("warnings", ()))
    assert told == ("list_directory" not in code)


@pytest.mark.accept
def test_a_session_keeps_what_its_calls_define(own: Rig, lakes: Path) -> None:
    skip_unless()
    code = "import pandas as pd\ntable = pd.read_csv('runs/2020/a.csv')\nopen('made.txt', 'w').write('made')"
    first = own.own("run_python_code", code=code, session="main")
    assert [each["name"] for each in first["artifacts"]] == ["made.txt"]
    handle = first["artifacts"][0]["handle"]
    again = own.own("run_python_code", code="print(len(table), open('made.txt').read())", session="main")
    assert again["text"] == "3 made\n" and "artifacts" not in again
    with_input = own.own(
        "run_python_code", code="open('inputs/made.txt').read()", session="main", files=[handle]
    )
    assert with_input["text"] == "made\n"
    assert "NameError" in own.own("run_python_code", code="table", session="other")["text"]
    assert "NameError" in own.own("run_python_code", code="table")["text"]
    assert "has ended" in own.own("restart_python_session", session="main")["text"]
    assert "There was no session" in own.own("restart_python_session", session="main")["text"]
    assert "NameError" in own.own("run_python_code", code="table", session="main")["text"]
    own.own("restart_python_session", session="other")
    assert not (lakes / "made.txt").exists()


def test_what_was_kept_is_read_by_its_handle(own: Rig, lakes: Path) -> None:
    store = ArtifactStore(Workspace(lakes.parent / "work"))
    table = store.put("made/t.csv", b"d (m),c\n1,2\n2,\n", media_type="text/csv").handle
    (lakes.parent / "run" / "in").mkdir(parents=True)
    (lakes.parent / "run" / "in" / "a.csv").write_text("x\n7\n")
    run = store.put_path(lakes.parent / "run").handle
    said = own.own("read_text_file", path=table, head=1)
    assert (said["text"], said["source"]) == ("d (m),c\n", f"artifact {table}: t.csv")
    assert own.own("read_text_file", path=f"{run}/in/a.csv", tail=1)["text"] == "7\n"
    kept = own.own("read_binary_file", path=table)["data"]
    assert base64.b64decode(kept["base64"]).startswith(b"d (m)") and kept["media_type"] == "text/csv"
    columns = own.own("describe_table", path=table)["data"]["columns"]
    assert [(each["name"], each.get("unit", "")) for each in columns] == [("d (m)", "m"), ("c", "")]
    assert "no such artifact" in own.refusal("read_text_file", path="sha256:" + "0" * 16)
    assert "not an artifact handle" in own.refusal("describe_table", path="sha256:../x")
    assert "This is a folder" in own.refusal("read_binary_file", path=run)
    assert "no such artifact" in own.refusal("run_python_code", code="1", files=["sha256:" + "0" * 16])


@pytest.mark.accept
def test_what_code_leaves_is_shown_and_is_an_input_of_the_next(own: Rig, lakes: Path) -> None:
    skip_unless()
    store = ArtifactStore(Workspace(lakes.parent / "work"))
    run = lakes.parent / "model"
    run.mkdir()
    (run / "0.txt").write_text("zero")
    kept = store.put_path(run).handle
    draws = "import matplotlib.pyplot as plt\nplt.plot([1])\nopen('a.csv', 'w').write('mine')\nprint('done')"
    drawn = own.call("run_python_code", code=draws)
    assert drawn.structured_content is None and not drawn.is_error
    assert [each.type for each in drawn.content] == ["image", "text", "text"]
    handle = re.findall(r'"handle": "(sha256:\w+)", "name": "a.csv"', drawn.content[2].text)[0]
    code = f"""
import os
print(sorted(os.listdir('inputs')), open('inputs/a_2.csv').read(), open('inputs/model/0.txt').read())
print(read_text_file({handle!r}), describe_table({handle!r})['rows'])
for act in (lambda: open('inputs/a_2.csv', 'a'), lambda: open('inputs/model/1.txt', 'w')):
    try: act()
    except OSError: print('closed')
"""
    said = own.own("run_python_code", code=code, files=[handle, kept, "runs/2020/a.csv", handle])
    assert said["text"] == "['a.csv', 'a_2.csv', 'model'] mine zero\nmine 0\nclosed\nclosed\n", said
    assert store.verify(kept).name == "model" and store.read(handle) == b"mine"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (["out.txt"], "leads out"),
        (["../secret.txt"], "above the repository"),
        ([".git/config"], "not part of the repository"),
        (["runs"], "folder"),
        (["runs/2020/a.csv", "runs/2021/a.csv"], "Two files are named a.csv"),
        (["none.csv"], "no such file"),
    ],
)
def test_files_that_code_is_not_given(own: Rig, files: list[str], why: str) -> None:
    assert why in own.refusal("run_python_code", code="print(1)", files=files)


# Setting it up


async def test_without_a_folder_the_id_has_to_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LABRIG_REPOSITORY_ROOT", raising=False)
    state = State([])
    for id in ("", "local"):
        with pytest.raises(LabrigError, match=r"repository|folder"):
            state.repository(id)
    assert state.repository(3).name == "isg/1:3"
    await state.close()


async def test_two_folders_have_their_names(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "7").mkdir()
    state = State([tmp_path / "a", tmp_path / "7"])
    assert (state.repository("a").name, state.repository(7).name) == ("a", "7")
    with pytest.raises(LabrigError, match="Which repository"):
        state.repository()
    await state.close()


@pytest.mark.accept
async def test_code_asks_which_tables_have_a_column(lakes: Path, tmp_path: Path) -> None:
    skip_unless()
    code = """
paths = [each for each in list_directory("/", None) if each.endswith(".csv")]
units = {path: [each.get("unit") for each in describe_table(path)["columns"]] for path in paths}
print(sorted(path for path, found in units.items() if "m" in found))
try:
    describe_table("image.png")
except Exception as error:
    print(error)
"""
    async with Client(build(toolbox, ServeOptions(roots=(lakes,), workspace=tmp_path / "w"))) as client:
        text = str((await client.call_tool("run_python_code", {"code": code})).content)
    assert "['runs/2020/a.csv', 'runs/2020/b.csv', 'runs/2021/a.csv']" in text
    assert "The file is not text (image/png" in text


async def test_absolute_paths_into_the_folder_are_paths_of_it(lakes: Path, tmp_path: Path) -> None:
    """As agents with a shell write them; nothing outside is reached by one."""
    async with Client(build(toolbox, ServeOptions(roots=(lakes,), workspace=tmp_path / "w"))) as client:

        async def call(tool: str, **arguments: Any) -> str:
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            return "error" if result.is_error else str(result.content)

        here = str(lakes.resolve())
        assert "t,x (m)" in await call("read_text_file", path=f"{here}/runs/2020/a.csv")
        assert "2020" in await call("list_directory", prefix=f"{here}/runs")
        assert "runs/2020/b.csv" in await call("list_directory", prefix=f"{here}/runs/2020/*.csv")
        assert "runs/2020/a.csv" in await call(
            "search_files", query="x (m)", pattern=f"{here}/runs/2020/*.csv"
        )
        (lakes.parent / "outside.csv").write_text("secret\n")
        for path in (
            f"{here}/../outside.csv",
            f"{lakes.parent}/outside.csv",
            f"{here}x/a.csv",
            "/etc/passwd",
        ):
            assert await call("read_text_file", path=path) == "error", path
        own = lakes / here.strip("/").split("/")[0]
        own.mkdir()  # a folder that is named as the beginning of such a path: it is meant
        assert await call("read_text_file", path=f"{here}/runs/2020/a.csv") == "error"


def test_the_setting_names_the_python_of_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_REPOSITORY_PYTHON", "earth")
    assert State([]).sandbox.profile == "earth"
    monkeypatch.setenv("LABRIG_REPOSITORY_PYTHON", "mars")
    with pytest.raises(LabrigError, match="mars"):
        State([])


def test_the_setting_names_a_folder(lakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_REPOSITORY_ROOT", str(lakes))
    assert doctor()[0] == f"folder lakes: {lakes}"
    monkeypatch.setenv("LABRIG_REPOSITORY_ROOT", str(lakes / "none"))
    with pytest.raises(LabrigError, match="cannot be opened"):
        doctor()


@pytest.mark.accept
async def test_the_console_script_over_stdio(lakes: Path, tmp_path: Path) -> None:
    command = ["-m", "labrig_repository", "--root", str(lakes), "--workspace", str(tmp_path / "work")]
    async with Client(StdioTransport(sys.executable, command, env=dict(os.environ))) as client:
        result = await client.call_tool("list_directory", {})
        assert result.structured_content is not None
        assert "README.md" in result.structured_content["text"]
