"""Files that are made to harm, and papers of odd sizes: a typed error or a right answer, and the server lives."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.server import toolbox
from support.imitation import imitation
from support.known_servers.papers import PDF, SENTENCE, lay_out
from support.places import DATA

PDFS = DATA / "pdfs"
pytestmark = pytest.mark.asyncio(loop_scope="module")


def pdf(*objects: bytes, root: int = 1) -> bytes:
    """Return a PDF of objects, numbered from 1."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, root, table)
    return bytes(out)


def stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d %s >> stream\n%s\nendstream" % (len(data), more, data)


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
TEXT = b"BT /F 10 Tf 40 200 Td (%s) Tj ET"


def one_page(content: bytes, *more: bytes, page: bytes = b"", catalog: bytes = b"", size: int = 400) -> bytes:
    """Return a PDF of one page: object 4 is the font, 5 the content, further ones from 6."""
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 5 0 R "
        b"/Resources << /Font << /F 4 0 R >> >> %s >>" % (size, size, page),
        FONT,
        content,
        *more,
    )


def many_pages(count: int) -> bytes:
    """Return a PDF of so many pages with a line each, as small as it can be."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        FONT,
    ]
    for number in range(count):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents %d 0 R "
            b"/Resources << /Font << /F 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(
            stream(TEXT % b"Sample %d has a transition at %d.5 K in zero field." % (number + 1, number + 1))
        )
    return pdf(*objects)


HARMFUL: dict[str, Callable[[], bytes]] = {
    "bomb": lambda: one_page(
        stream(zlib.compress(zlib.compress(b"\0" * (1 << 28), 9), 9), b"/Filter [/FlateDecode /FlateDecode]")
    ),
    "circle": lambda: one_page(stream(TEXT % b"Text of a page that holds itself"), page=b"/Parent 3 0 R"),
    "nested": lambda: one_page(stream(b"q " * 200_000 + TEXT % b"Tc = 39 K in zero field" + b" Q" * 200_000)),
    "flood": lambda: one_page(stream(b"BT /F 1 Tf 1 1 Td " + b"(x 1 K) Tj " * 120_000 + b"ET")),
    "nan": lambda: one_page(stream(b"BT /F 1e38 Tf 1e38 -1e38 Td (39 K of a font without end) Tj ET")),
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory, work: Path) -> AsyncIterator[Client[Any]]:
    (library,) = lay_out(tmp_path_factory.mktemp("bad"))
    files = {
        "many.pdf": many_pages(5_000),
        "large.pdf": one_page(
            stream(b"BT /F 400 Tf 1000 5000 Td (Tc = 39 K in zero field) Tj ET"), size=10_000
        ),
    }
    for name, content in files.items():
        (work / name).write_bytes(content)
    roots = (library, PDFS) if PDFS.is_dir() else (library,)
    async with Client(build(toolbox, ServeOptions(workspace=work, roots=roots))) as opened:
        yield opened


async def asked(client: Client[Any], tool: str, path: str, **arguments: Any) -> tuple[bool, str]:
    """Return whether a call was refused, and what was said; a refusal is never an internal error."""
    result = await client.call_tool(tool, {"path": path, **arguments}, raise_on_error=False)
    said = "".join(getattr(block, "text", "") for block in result.content)
    assert "internal" not in said.lower(), said
    return bool(result.is_error), said


async def lives(client: Client[Any]) -> None:
    refused, said = await asked(client, "verify_quote", PDF, quote=SENTENCE)
    assert not refused and "exact" in said


async def test_five_thousand_pages(client: Client[Any]) -> None:
    assert "5000" in (await asked(client, "open_paper", "many.pdf"))[1]
    assert (
        "Sample 5000 has a transition at 5000.5 K"
        in (await asked(client, "read_pages", "many.pdf", pages="5000"))[1]
    )
    refused, said = await asked(client, "search_paper", "many.pdf", query="Sample 4999")
    assert refused and "at most 300" in said
    assert (
        "4999.5 K" in (await asked(client, "search_paper", "many.pdf", query="4999.5", pages="4990-5000"))[1]
    )
    refused, said = await asked(client, "find_quantities", "many.pdf")
    assert refused and "at most 50" in said
    assert "4999.5" in (await asked(client, "find_quantities", "many.pdf", pages="4990-5000"))[1]
    assert (
        "exact"
        in (await asked(client, "verify_quote", "many.pdf", quote="transition at 77.5 K in", page=77))[1]
    )
    assert (await asked(client, "verify_quote", "many.pdf", quote="transition at 77.5 K in"))[0]


async def test_a_page_of_ten_thousand_points(client: Client[Any]) -> None:
    _, said = await asked(client, "find_quantities", "large.pdf")
    assert "39" in said
    assert not (await asked(client, "show_page", "large.pdf", dpi=300))[0]


@pytest.mark.parametrize(
    "name",
    [
        "circle",
        "nested",
        "nan",
        *(pytest.param(each, marks=pytest.mark.accept) for each in ("bomb", "flood")),
    ],
)
async def test_a_file_that_is_made_to_harm(client: Client[Any], work: Path, name: str) -> None:
    (work / f"{name}.pdf").write_bytes(HARMFUL[name]())
    for tool in ("open_paper", "find_quantities", "read_table", "show_page"):
        await asked(client, tool, f"{name}.pdf")
    await lives(client)


@pytest.mark.skipif(not PDFS.is_dir(), reason="shared/data/pdfs is absent")
async def test_every_file_at_hand(client: Client[Any]) -> None:
    for path in sorted(PDFS.glob("*.pdf")):
        refused, said = await asked(client, "open_paper", f"@pdfs/{path.name}")
        assert refused == (not path.name.startswith(("s1_", "s5_"))), said
    await lives(client)


async def test_nothing_in_a_file_is_run_opened_or_asked_for(client: Client[Any], work: Path) -> None:
    with imitation() as site:
        url = site.url("/asked").encode()
        harmful = one_page(
            stream(TEXT % b"The text of this page is harmless, 39 K."),
            b"<< /Type /Action /S /JavaScript /JS (app.launchURL('%s'); this.exportDataObject({cName:'a'});) >>"
            % url,
            b"<< /Type /Annot /Subtype /Link /Rect [0 0 400 400] /A << /S /URI /URI (%s) >> >>" % url,
            b"<< /Type /Filespec /F (a.txt) /EF << /F 9 0 R >> >>",
            stream(b"attached secret", b"/Type /EmbeddedFile"),
            b"<< /S /Launch /F (/bin/touch) /Win << /F (cmd) >> >>",
            b"<< /Type /Filespec /FS /URL /F (%s) >>" % url,
            page=b"/Annots [7 0 R] /AA << /O 6 0 R >>",
            catalog=b"/OpenAction 6 0 R /Names << /EmbeddedFiles << /Names [(a) 8 0 R] >> "
            b"/JavaScript << /Names [(b) 6 0 R] >> >> /AA << /WC 10 0 R >>",
        )
        (work / "harmful.pdf").write_bytes(harmful)
        for tool in ("open_paper", "outline_paper", "read_pages", "find_quantities", "show_page"):
            refused, said = await asked(client, tool, "harmful.pdf")
            assert not refused and "secret" not in said
        assert site.hits == []
    assert list(work.glob("*.txt")) == []
