"""A path or a handle: what a call names is opened, read by its lines, and given to code under its own name."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.storage.contents import opened_below
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig.tools import files
from labrig.tools.sources import Source, input_names, opened_source
from labrig.workspace import Workspace


class Desk:
    """A server with the tools for files, one that keeps what lies at a path, and one that says what a call names."""

    def __init__(self, client: Client[Any], folder: Path) -> None:
        self.client, self.folder = client, folder

    async def text(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool_mcp(tool, arguments)
        text: str = result.content[0].text
        assert result.meta["labrig"].get("error", {}).get("code") != "internal", text
        return text


def _toolbox() -> Toolbox:
    box = Toolbox("desk", "A desk", "Keep and read.")

    @box.tool(title="Keep", read_only=False, faithful=True)
    async def keep(path: str, name: str = "") -> Published:
        """Keep a file or folder of the workspace."""
        here = session()
        with here.workspace.opened(path, kind="any") as descriptor:
            return Published(here.artifacts.put_path(descriptor, name=name or path.rstrip("/")).handle)

    @box.tool(title="Look", read_only=True, faithful=True)
    async def look(source: str, kind: str = "any") -> Published:
        """Say what a call names."""
        with opened_source(source, kind=kind) as found:  # type: ignore[arg-type]
            return Published(
                f"{found.kind} {found.name} {sorted(os.listdir(found.place))}"
                if found.kind == "folder"
                else f"{found.kind} {found.name} {found.size()} {found.media_type()}"
            )

    files.offer(box)
    return box


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    folder = tmp_path / "w"
    (folder / "run.zarr" / "c").mkdir(parents=True)
    (folder / "run.zarr" / "c" / "0").write_text("zero\none\n")
    (folder / "run.zarr" / "zarr.json").write_text("{}")
    async with Client(build(_toolbox(), ServeOptions(workspace=folder))) as client:
        yield Desk(client, folder)


async def test_paths_and_handles_are_taken_alike(desk: Desk) -> None:
    whole = await desk.text("keep", path="run.zarr/")
    one = await desk.text("keep", path="run.zarr/zarr.json", name="meta/zarr.json")
    for source, said in (
        ("run.zarr", "folder run.zarr ['c', 'zarr.json']"),
        (whole, "folder run.zarr ['c', 'zarr.json']"),
        (f"{whole}/c/0", "file 0 9 application/octet-stream"),
        (one, "file zarr.json 2 application/json"),
        ("run.zarr/zarr.json", "file zarr.json 2 application/json"),
        ("@none/x", "no root @none"),
        (f"{one}/x", "nothing lies in it"),
        (f"{whole}/../x", "not a path below"),
        (f"{whole}/c/1", "no such file"),
        ("sha256:12", "not an artifact handle"),
        ("../x", "leaves the workspace"),
        ("none", "no such file or folder"),
    ):
        assert said in await desk.text("look", source=source), source
    assert "This is a folder" in await desk.text("look", source=whole, kind="file")
    assert "This is a file" in await desk.text("look", source=one, kind="folder")
    assert await desk.text("read_file", path=one) == "{}"
    assert await desk.text("read_file", path=f"{whole}/c/0", start_line=2, end_line=2) == "one"
    assert await desk.text("read_file", path=whole) == f"{whole}/c/0 (9 bytes)\n{whole}/zarr.json (2 bytes)"
    assert "This is a folder" in await desk.text("read_file", path="run.zarr")


@pytest.mark.parametrize("end", ["\n", ""])
async def test_lines_of_a_large_file_are_those_of_a_small_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    (desk.folder / "a.txt").write_bytes(
        b"\n".join(b"line \xff%d" % n for n in range(1, 40_001)) + end.encode()
    )
    ranges = [(1, 1), (2, 4), (39_999, 40_000), (39_999, 50_000), (40_001, 40_002), (5, 4), (1, 40_000)]
    calls = [{"path": "a.txt", "start_line": first, "end_line": last} for first, last in ranges]
    small = [await desk.text("read_file", **call) for call in calls]
    assert small[0] == "line \N{REPLACEMENT CHARACTER}1" and "40000 lines" in small[4]
    monkeypatch.setattr(files, "WHOLE_BYTES", 1000)
    assert [await desk.text("read_file", **call) for call in calls] == small
    shown = await desk.text("read_file", path="a.txt")
    assert "40000 lines" in shown and shown.startswith(small[0]) and shown.endswith("40000")
    assert len(shown) < files.WHOLE_FILE_CHARS + 200


async def test_a_folder_of_the_workspace_is_opened_without_leaving_it(tmp_path: Path) -> None:
    (tmp_path / "root" / "z").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    top = tmp_path / "w"
    (top / "a.zarr").mkdir(parents=True)
    (top / "a.zarr" / "out").symlink_to(tmp_path / "secret")
    (top / "away").symlink_to(tmp_path)
    (top / "near").symlink_to("a.zarr")
    os.mkfifo(top / "pipe")
    workspace = Workspace(top, (tmp_path / "root",))
    for path, names in (("a.zarr", ["out"]), ("near/", ["out"]), ("@root/z", []), ("@root", ["z"])):
        with workspace.opened(path, kind="folder") as folder:
            assert os.listdir(folder) == names
    with workspace.opened(".", kind="any") as folder:
        assert "a.zarr" in os.listdir(folder)
    with workspace.opened("a.zarr", kind="folder") as folder, pytest.raises(LabrigError, match="link"):
        (top / "a.zarr").rename(top / "moved")  # what was opened stays what it is
        with opened_below(folder, "out"):
            pass
    for path, why in (
        ("away", "leads out"),
        ("pipe", "not a folder"),
        ("..", "leaves"),
        (".labrig", "reserved"),
        ("none", "no such folder"),
        ("@none", "no root"),
        ("a\nb", "control"),
    ):
        with pytest.raises(LabrigError, match=why), workspace.opened(path, kind="folder"):
            pass
    (top / "file").write_text("")
    with pytest.raises(LabrigError, match="folder"), workspace.opened("file", kind="folder"):
        pass
    with pytest.raises(LabrigError, match="names a folder"), workspace.opened("."):
        pass


def test_the_quota_of_a_workspace_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_WORKSPACE_QUOTA_BYTES", "1KiB")
    workspace = Workspace(tmp_path / "w")
    workspace.write_bytes("a", b"a" * 1000)
    with pytest.raises(LabrigError, match=r"1,024 bytes.*workspace\.quota_bytes"):
        workspace.write_bytes("b", b"b" * 25)


def test_names_of_inputs() -> None:
    given = [("a.csv",), ("a.csv", "b.csv"), ("a.csv",), ("x:y*.csv",), (".hidden",), ("ü" * 150 + ".csv",)]
    sources = [Source("", names, -1, "file") for names in given]
    named = input_names(sources, taken={"a_2.csv"})
    assert [*named][:5] == ["a.csv", "a_3.csv", "a_4.csv", "x_y_.csv", "hidden"]
    assert named["b.csv"] is sources[1], "kept under a second name, it is found by that, too"
    assert all(len(name.encode()) <= 200 for name in named) and [*named][5].endswith(".csv")
