"""Which files are pictures that can be shown, and how a run in the sandbox shows those that it left."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from PIL import Image as Pillow

from labrig.answer import Answer, Image, Picture, Pictures
from labrig.artifacts import ArtifactStore
from labrig.plotting import images
from labrig.plotting.images import Look, look
from labrig.sandbox.answers import MOST_PICTURES, answer, pictured
from labrig.sandbox.results import Result
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox
from labrig.workspace import Workspace
from support.late import late

agg = late("matplotlib.backends.backend_agg")
figures = late("matplotlib.figure")


def encoded(mode: str, form: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    Pillow.new(mode, (37, 19)).save(buffer, form, **options)
    return buffer.getvalue()


def figure(form: str = "png") -> bytes:
    buffer = io.BytesIO()
    drawn = figures.Figure((2, 1))
    agg.FigureCanvasAgg(drawn).print_figure(buffer, format=form, dpi=50)
    return buffer.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, pixels: bytes, interlaced: int = 0) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, interlaced)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(pixels))
        + chunk(b"IEND", b"")
    )


def test_what_can_be_shown() -> None:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        assert look(encoded(mode, "PNG")) == Look("image/png", 37, 19), mode
    for options in ({}, {"progressive": True}, {"exif": b"Exif\0\0" + b"x" * 100}):
        assert look(encoded("RGB", "JPEG", **options)) == Look("image/jpeg", 37, 19)
    assert look(figure()) == Look("image/png", 100, 50)
    assert look(png(9, 9, b"\0" * 100, interlaced=1)) == Look("image/png", 9, 9)
    with Pillow.open(io.BytesIO(png(9, 9, b"\0" * 100, interlaced=1))) as read:
        read.load()


def test_what_would_break_a_conversation() -> None:
    good, jpeg = figure(), encoded("RGB", "JPEG")
    broken = [
        good[:-20],
        good[:60] + b"\0" + good[61:],
        good[:8],
        good[:9],
        png(9, 9, b"\0" * 99, interlaced=1),
        png(5, 5, b"\0" * 29),
        png(5, 5, b"\0" * 99),
    ]
    broken += [jpeg[:-5], jpeg[:20] + jpeg[-2:], b"\xff\xd8\xff\xd9", b"\xff\xd8\xff\xff\xff", png(0, 5, b"")]
    for data in broken:
        assert "broken" in str(look(data)), data[:80]
    for data, why in (
        (b"", "neither"),
        (b"GIF89a", "neither"),
        (png(8001, 1, b"\0" * 8002), "a side"),
        (png(7000, 7000, b""), "a side"),
        (good + b"\0" * images.MAX_BYTES, "bytes"),
    ):
        assert why in str(look(data))
    bomb = png(100, 100, b"\0" * 50_000_000)
    assert len(bomb) < images.MAX_BYTES and "more pixels" in str(look(bomb))


def drawn(tmp_path: Path, files: dict[str, bytes], **fields: Any) -> tuple[Answer | Pictures, ArtifactStore]:
    store = ArtifactStore(Workspace(tmp_path / "work"))
    result = Result(status=fields.pop("status", "ok"), files=files, backend="landlock", **fields)
    return pictured(answer(result, code="1", artifacts=store, source="numpy"), result), store


def test_the_pictures_of_a_run_are_shown_and_all_can_be_used(tmp_path: Path) -> None:
    many = {f"{n}.png": png(1, 1, bytes([0, n])) for n in range(MOST_PICTURES)}
    files = {
        "a/b.JPG": encoded("RGB", "JPEG"),
        "bad.png": b"\x89PNG",
        **many,
        "figure-1.png": figure(),
        "t.csv": b"1",
    }
    shown, store = drawn(tmp_path, files, figures={"figure-1.png": "Depth; x: T"}, output="text\n")
    assert isinstance(shown, Pictures)
    assert [each.caption for each in shown.images] == [
        "figure-1.png: 100 x 50 pixels. Depth; x: T",
        "a/b.JPG: 37 x 19 pixels",
        "0.png: 1 x 1 pixels",
        "1.png: 1 x 1 pixels",
    ]
    assert [store.read(each.handle) for each in shown.images] == [each.data for each in shown.images]
    assert shown.images[1].media_type == "image/jpeg" and shown.answer.text == "text\n"
    assert [each["name"] for each in shown.answer.artifacts] == list(files)
    assert shown.answer.warnings == (
        "bad.png is not shown: it is neither a PNG nor a JPEG file",
        "2.png is not shown: only 4 pictures are",
        "3.png is not shown: only 4 pictures are",
    )
    assert isinstance(drawn(tmp_path, {"t.csv": b"1"})[0], Answer), "nothing to show"
    failed, _ = drawn(tmp_path, {"a.png": figure()}, status="error")
    assert isinstance(failed, Answer) and failed.artifacts, "no service takes an image in an error"


def test_a_run_is_answered_where_its_files_find_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "5kB")
    shown, _ = drawn(tmp_path, {"a.bin": b"a" * 6000, "b.txt": b"b"}, output="x" * 7000)
    assert isinstance(shown, Answer) and [each["name"] for each in shown.artifacts] == ["b.txt"]
    assert "a.bin was not kept" in shown.warnings[0] and "artifacts.quota_bytes" in shown.warnings[0]
    assert "which were not kept" in shown.text and "whole output was not kept" in shown.warnings[1]


async def test_pictures_are_blocks_alone_and_an_answer_is_as_ever(tmp_path: Path) -> None:
    box = Toolbox("painter", "A painter", "Paint.")

    @box.tool(title="Paint", read_only=True, picture=True)
    async def paint(how: str) -> Any:
        """Paint, or say why not."""
        said = Answer("brush 1", text="done", artifacts=({"handle": "sha256:ab"},), record={"seed": 1})
        two = (
            Image(b"\x89PNG1", "first", "sha256:ab"),
            Image(b"\xff\xd8", "second", media_type="image/jpeg"),
        )
        return Pictures(two, said) if how == "two" else Picture(b"\x89PNG", "one") if how == "one" else said

    @box.tool(title="Wrong", read_only=True)
    async def undeclared() -> Any:
        """Return what its schema does not allow."""
        return Pictures((), Answer("brush 1"))

    async with Client(build(box, ServeOptions(workspace=tmp_path / "w"))) as client:
        tools = {each.name: each for each in await client.list_tools()}
        assert tools["paint"].output_schema is None
        two = await client.call_tool_mcp("paint", {"how": "two"})
        one = await client.call_tool_mcp("paint", {"how": "one"})
        none = await client.call_tool_mcp("paint", {"how": "none"})
        wrong = await client.call_tool_mcp("undeclared", {})
    assert [each.type for each in two.content] == ["image", "text", "image", "text", "text"]
    assert base64.b64decode(two.content[0].data) == b"\x89PNG1" and two.content[2].mime_type == "image/jpeg"
    assert (two.content[1].text, two.content[3].text) == ("first (sha256:ab)", "second")
    assert "done" in two.content[4].text and "sha256:ab" in two.content[4].text
    assert two.structured_content is None and one.structured_content is None
    assert {"status": "ok", "source": "brush 1", "seed": 1}.items() <= two.meta["labrig"].items()
    assert none.structured_content["text"] == "done" and len(none.content) == 1
    assert wrong.is_error and wrong.meta["labrig"]["error"]["code"] == "internal"
