"""Pictures and pages of PDFs of a folder, seen over MCP: what they show, how they are said, and what is refused."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_repository.server import toolbox
from labrig_repository.viewing import MOST_BYTES, MOST_SIDE


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with Client(build(toolbox, ServeOptions(roots=(tmp_path,)))) as found:
        yield found


async def seen(client: Client, **arguments: Any) -> tuple[Image.Image, str]:
    """Return the picture of an answer, and all of its text."""
    result: Any = await client.call_tool("view_file", arguments)
    (picture,) = [part for part in result.content if part.type == "image"]
    assert len(base64.b64decode(picture.data)) <= MOST_BYTES and result.structured_content is None
    text = "\n".join(part.text for part in result.content if part.type == "text")
    return Image.open(io.BytesIO(base64.b64decode(picture.data))), text


async def refused(client: Client, **arguments: Any) -> str:
    result: Any = await client.call_tool("view_file", arguments, raise_on_error=False)
    assert result.is_error and "internal" not in result.content[0].text, result.content[0].text
    return str(result.content[0].text)


async def test_pictures_are_seen_as_they_are(client: Client, tmp_path: Path) -> None:
    Image.new("RGB", (30, 20), (200, 10, 10)).save(tmp_path / "red.png")
    picture, text = await seen(client, path="red.png")
    assert picture.size == (30, 20) and picture.convert("RGB").getpixel((3, 3)) == (200, 10, 10)
    assert "red.png: PNG, 30 x 20 pixels, shown at 30 x 20 PNG" in text

    noise = np.random.default_rng(1).integers(0, 255, (1800, 2400, 3)).astype("uint8")
    Image.fromarray(noise).save(tmp_path / "photo.jpg", quality=90)
    picture, text = await seen(client, path="photo.jpg")
    assert picture.format == "JPEG" and max(picture.size) <= MOST_SIDE and "2400 x 1800 pixels" in text
    Image.fromarray(noise).save(tmp_path / "noise.png")
    picture, _ = await seen(client, path="noise.png")
    assert picture.format == "PNG" and picture.size[0] / picture.size[1] == pytest.approx(4 / 3, rel=0.02)


async def test_what_has_no_colours_for_the_eye_is_stretched_and_said(client: Client, tmp_path: Path) -> None:
    heights = np.linspace(-5, 2495, 600, dtype="float32").reshape(20, 30)
    heights[0, 0] = np.nan
    Image.fromarray(heights).save(tmp_path / "dem.tif")
    picture, text = await seen(client, path="dem.tif")
    assert "to 2495 (white), of mode F" in text and "values from -0.8" in text
    assert picture.getpixel((29, 19)) == 255 and picture.getpixel((5, 0)) < 5

    Image.new("L", (6, 4), 1).save(tmp_path / "classes.tif")
    picture, text = await seen(client, path="classes.tif")
    assert picture.getpixel((1, 1)) == 255 and "values from 0 (black) to 1 (white)" in text

    clear = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    clear.save(tmp_path / "clear.png")
    picture, _ = await seen(client, path="clear.png")
    assert picture.convert("RGB").getpixel((1, 1)) == (255, 255, 255), "transparent parts lie on white"

    turned = Image.new("RGB", (40, 20), "white")
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.jpg", exif=exif)
    assert (await seen(client, path="turned.jpg"))[0].size == (20, 40)


async def test_pages_and_frames_are_chosen_by_number(client: Client, tmp_path: Path) -> None:
    drawing = Canvas(str(tmp_path / "report.pdf"), pagesize=(300, 200), invariant=True)
    for shade in (0.0, 1.0):
        drawing.setFillGray(shade)
        drawing.rect(0, 0, 300, 200, stroke=0, fill=1)
        drawing.showPage()
    drawing.save()
    first, text = await seen(client, path="report.pdf")
    assert "PDF, 300 x 200 points, page 1 of 2" in text and "view_file(path='report.pdf', page=2)" in text
    second, text = await seen(client, path="report.pdf", page=2)
    assert (first.convert("L").getpixel((9, 9)), second.convert("L").getpixel((9, 9))) == (0, 255)
    assert "view_file(" not in text
    assert "a page from 1 to 2" in await refused(client, path="report.pdf", page=3)

    frames = [Image.new("L", (9, 9), shade) for shade in (0, 250)]
    frames[0].save(tmp_path / "stack.tif", save_all=True, append_images=frames[1:])
    picture, text = await seen(client, path="stack.tif", page=2)
    assert picture.convert("L").getpixel((1, 1)) == 250 and "page 2 of 2" in text


async def test_what_is_no_picture_is_refused_with_what_helps(client: Client, tmp_path: Path) -> None:
    for name, content, told in (
        ("empty.png", b"", "no picture and no PDF"),
        ("notes.txt", b"a\n" * 50, "read_text_file"),
        ("drawing.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG is text"),
        ("cut.pdf", b"%PDF-1.4\n1 0 obj\n", "cannot be drawn"),
        ("cut.png", b"\x89PNG\r\n\x1a\n" + bytes(200), "cut.png"),
        ("bands.tif", b"II*\0\x08\0\0\0" + bytes(200), "the Earth server's plot"),
        ("script.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) show", "no picture and no PDF"),
    ):
        (tmp_path / name).write_bytes(content)
        said = await refused(client, path=name)
        assert told in said and "view_file" not in said, name
    for tool in ("read_text_file", "describe_table"):
        result: Any = await client.call_tool(tool, {"path": "cut.png"}, raise_on_error=False)
        assert "view_file(path='cut.png')" in result.content[0].text, "a refusal names the tool that shows it"
    assert "no such file" in await refused(client, path="nowhere.png")
    assert "no pictures" in await refused(client, path="README.md", id="45")


async def test_a_bomb_ends_by_its_size_and_the_server_goes_on(client: Client, tmp_path: Path) -> None:
    small = io.BytesIO()
    Image.new("1", (8, 8)).save(small, "PNG")
    ihdr = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 15_000, 1, 0, 0, 0, 0)
    stated = ihdr + struct.pack(">I", zlib.crc32(ihdr))
    (tmp_path / "bomb.png").write_bytes(small.getvalue()[:12] + stated + small.getvalue()[33:])
    assert "too large" in await refused(client, path="bomb.png")
    with (tmp_path / "hole.png").open("wb") as hole:
        hole.truncate(1 << 40)
    assert "too large" in await refused(client, path="hole.png")
    Image.new("L", (5, 5)).save(tmp_path / "small.gif")
    assert (await seen(client, path="small.gif"))[0].size == (5, 5)
