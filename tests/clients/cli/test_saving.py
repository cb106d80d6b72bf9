"""What a call left, as files: pictures and artifacts under their names, and nothing that was there is replaced."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, ImageContent, TextContent

from labrig.artifacts import ArtifactStore
from labrig.workspace import Workspace
from labrig_cli.saving import save
from support.command import Done, labrig
from support.toys_installed import toys_installed


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with toys_installed():
        yield


def drawn(fraction: float, *flags: str) -> Done:
    return labrig("call", "scale", "draw_dial", json.dumps({"fraction": fraction}), *flags)


def image(content: bytes, media_type: str = "image/png") -> ImageContent:
    return ImageContent(type="image", data=b64encode(content).decode(), mime_type=media_type)


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


def test_a_picture_of_a_call_is_a_file_and_no_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "draw_dial-1.png").symlink_to(tmp_path / "elsewhere")
    for _ in range(2):
        done = drawn(0.5, "--save", "out", "--text")
        assert done.returncode == 0 and done.stderr == "saved out/draw_dial-1-2.png\n"
        assert done.stdout == "[image/png: out/draw_dial-1-2.png]\na dial\n"
    assert json.loads(drawn(0.7, "--save", "out").stdout)["images"][0]["file"] == "out/draw_dial-1-3.png"
    assert (tmp_path / "out" / "draw_dial-1-3.png").read_bytes().startswith(b"\x89PNG")
    assert len(os.listdir(tmp_path / "out")) == 3 and not (tmp_path / "elsewhere").exists()
    assert "sha256:" in drawn(0.5, "--text").stdout and "[image]" not in drawn(0.5, "--text").stdout


def test_where_nothing_can_be_saved_nothing_is_called(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = drawn(0.5, "--save", "file")
    assert done.returncode == 2 and done.stdout == "" and "--save file" in done.stderr
    assert not (tmp_path / "home").exists() and (tmp_path / "file").read_text() == "mine"
    none = labrig("call", "scale", "process", "--save", "out")
    assert none.returncode == 0 and "nothing to save" in none.stderr


def test_artifacts_that_a_result_names_are_copied_and_those_of_the_call_are_not(tmp_path: Path) -> None:
    store = ArtifactStore(Workspace(tmp_path / "work"))
    picture = store.put("plots/plot.png", b"pixels", media_type="image/png")
    table = store.put("..t", b"1,2\n", media_type="text/csv")
    given = store.put("given.csv", b"3,4\n", media_type="text/csv")
    (tmp_path / "runs" / "deep").mkdir(parents=True)
    (tmp_path / "runs" / "deep" / "a.nc").write_bytes(b"nc")
    runs = store.put_path(tmp_path / "runs", keep=True)
    result = CallToolResult(
        content=[
            image(b"pixels"),
            text(f"({picture.handle})"),
            text(f"from {given.handle} sha256:{'0' * 16}"),
        ],
        structured_content={"artifacts": [table.to_dict(), runs.to_dict()]},
    )
    (tmp_path / "out" / "runs").mkdir(parents=True)
    saved = save(result, tmp_path / "out", tool="t", given=given.handle, workspace=tmp_path / "work")
    assert list(saved.unsaved) == ["sha256:" + "0" * 16]
    assert {path.name for path in saved.paths} == {"plot.png", "t", "runs-2"}
    assert (tmp_path / "out" / "runs-2" / "deep" / "a.nc").read_bytes() == b"nc"
    assert sorted(os.listdir(tmp_path / "out")) == ["plot.png", "runs", "runs-2", "t"]

    (tmp_path / "work" / ".labrig" / "artifacts" / table.sha256).write_bytes(b"9,9\n")
    (tmp_path / "new").mkdir()
    again = save(result, tmp_path / "new", tool="t", given=given.handle, workspace=tmp_path / "work")
    assert "no longer" in again.unsaved[table.handle] and len(again.paths) == 2


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        ("plot.png: pH over time", "plot.png"),
        ("plot.exe: pH", "draw-1.png"),
        ("../../plot.png: pH", "draw-1.png"),
        (".plot.png: pH", "draw-1.png"),
        ("A figure.\nplot.png: pH", "draw-1.png"),
        ("", "draw-1.png"),
    ],
)
def test_a_server_of_others_names_no_path(tmp_path: Path, caption: str, name: str) -> None:
    (tmp_path / "out").mkdir()
    result = CallToolResult(content=[image(b"1"), text(caption), text("sha256:" + "a" * 64)])
    saved = save(result, tmp_path / "out", tool="draw", given="{}", workspace=None)
    assert os.listdir(tmp_path / "out") == [name] and list(saved.unsaved) == ["sha256:" + "a" * 64]


def test_bytes_that_are_no_picture_are_saved_and_what_is_no_base64_is_passed_over(tmp_path: Path) -> None:
    blob = BlobResourceContents(uri="x:/y", mime_type="application/pdf", blob=b64encode(b"%PDF").decode())
    broken = ImageContent(type="image", data="%%%", mime_type="image/png")
    result = CallToolResult(content=[EmbeddedResource(type="resource", resource=blob), broken])
    saved = save(result, tmp_path, tool="print", given="{}", workspace=None)
    assert [path.name for path in saved.paths] == ["print-1.pdf"]
    assert saved.paths[0].read_bytes() == b"%PDF"
