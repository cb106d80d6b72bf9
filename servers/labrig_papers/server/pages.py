"""A paper opened, outlined, read and searched."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer, Quantity, json_bytes
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import cursor as cursors
from labrig_papers.fetching.addresses import is_address
from labrig_papers.pdf.legible import is_noise
from labrig_papers.server.base import (
    CursorArgument,
    PagesArgument,
    PathArgument,
    numbers_of,
    some_pages,
    state,
    toolbox,
)

LOOKED_AT = 40
"""Pages whose text open_paper looks at."""
MOST = 300
"""Pages of an outline or a search."""
TEXT_BYTES, LIST_BYTES = 6_500, 6_500
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{2,120}")


@toolbox.tool(
    title="Open a paper",
    read_only=True,
    open_world=True,
    first=True,
    words="get the title, abstract, authors, DOI, year, metadata of a pdf file, number of pages, scanned or text "
    "layer",
)
async def open_paper(
    path: Annotated[
        str,
        Field(description="PDF of the workspace or a root, a handle, https://..., or arXiv:2101.00001."),
    ],
) -> Answer:
    """Open a PDF: title, DOI, number of pages, and which pages have text. An address is fetched, once.

    It says who wrote a file (title, authors, DOI), in which year, how many pages it has, and whether there is a text
    layer or only a scan.

    Example: {"path": "paper.pdf"}
    """
    if is_address(path):
        await state().downloads.fetch(session().owner, path)
    async with state().opened(path) as paper:
        count = paper.known.count
        pages = await paper.pages(range(1, min(count, LOOKED_AT) + 1))
        paper.reader.given = {each.number: each for each in pages[:1] if each.source == "ocr"}
        title, _, _ = await paper.reader.outline([1])
        warnings = list(paper.doubts(pages))
    without = [each.number for each in pages if each.source == "none"]
    doubtful = [each.number for each in pages if each.source == "text" and each.quality < 0.95]
    doi = _DOI.search(pages[0].text)
    if without:
        warnings.append(f"No text on {some_pages(without)}: look at them with show_page; a scan has none")
    if paper.known.about.get("Form"):
        warnings.append(
            "An XFA form: its fields stand in XML, and the pages may hold but a notice (Please wait): print it "
            "to a PDF with a viewer that shows it"
        )
    if noise := [each.number for each in pages if is_noise(each.text)]:
        warnings.append(
            f"The text of {some_pages(noise)} is noise, its fonts name other letters than they draw: no quote or value "
            "of it is one; look at it with show_page"
        )
    if doubtful:
        warnings.append(f"Characters without a meaning on {some_pages(doubtful)}: compare with show_page")
    values = [Quantity("pages", count, "1")]
    if title:
        values.append(Quantity("title", title, note="largest print of page 1"))
    if doi:
        values.append(Quantity("doi", doi.group().rstrip(".,;)"), note="first on page 1"))
    return Answer(
        source=paper.source,
        status="ok_with_warnings" if warnings else "ok",
        values=tuple(values),
        data={
            "sha256": paper.sha256,
            "file_says": {
                key: paper.known.about[key]
                for key in ("Title", "Author", "Form", "Attachments")
                if key in paper.known.about
            },
            "characters": sum(len(each.text) for each in pages),
            "pages_looked_at": len(pages),
        },
        warnings=tuple(warnings),
        next="outline_paper, read_pages or search_paper",
    )


@toolbox.tool(
    title="Outline of a paper",
    read_only=True,
    words="sections, section headings, headers, titles, subtitles, chapters, bookmarks, page numbers, captions, "
    "figures and tables with their description, list of figures, table of contents of an article, jump, structure of "
    "a pdf",
)
async def outline_paper(path: PathArgument, pages: PagesArgument = "", cursor: CursorArgument = "") -> Answer:
    """List sections, tables and figures with their pages and captions.

    Section headings (headers, titles, subtitles) with their page numbers say where to jump in a PDF; captions describe
    its tables and figures.

    Example: {"path": "paper.pdf"}
    """
    async with state().opened(path) as paper:
        numbers = numbers_of(pages, paper.known.count, MOST)
        doubts = await paper.scans(numbers)
        title, headings, captions = await paper.reader.outline(numbers)
    entries: list[dict[str, Any]] = [
        {"section": each.text[:120], "page": each.page, "level": each.level} for each in headings
    ]
    entries += [
        {each.kind: each.name, "page": each.page, "caption": _short(each.text, 200), "box": list(each.box)}
        for each in captions
    ]
    entries.sort(key=lambda each: each["page"])
    question = ["outline", paper.sha256, numbers]
    page, following = cursors.page(entries, question, cursor, size=100, most_bytes=LIST_BYTES)
    return Answer(
        source=paper.source,
        status="ok" if entries else "partial",
        data={"title": title, "entries": list(page), "entries_altogether": len(entries)},
        warnings=(
            *doubts,
            *(() if entries else ("No heading and no caption was recognised: use read_pages",)),
        ),
        next=f"repeat the call with cursor={following!r}" if following else "",
    )


@toolbox.tool(
    title="Read pages",
    read_only=True,
    words="full text, abstract, introduction, methods, conclusion, reference list with DOIs, references, "
    "bibliography, entry, lines, paragraphs of a scientific PDF article, extract text, words, two columns, supplement",
)
async def read_pages(
    path: PathArgument,
    pages: PagesArgument = "",
    format: Annotated[
        Literal["markup", "plain"], Field(description="markup keeps 10^{6}; plain has 106 for it.")
    ] = "markup",
    cursor: CursorArgument = "",
) -> Answer:
    """Read pages as text with [p.N] anchors; scripts are marked, lines are those of the print.

    It reads out a part of a PDF, such as the methods or the reference list with its DOIs, as plain text.

    Example: {"path": "paper.pdf", "pages": "1"}
    """
    from labrig_papers.pdf.page import plain

    async with state().opened(path) as paper:
        numbers = numbers_of(pages, paper.known.count, 5_000)
        question = ["read_pages", paper.sha256, numbers, format]
        place = cursors.decode(cursor, question) if cursor else 0
        # A place is the number of a page among those asked for and a character of it, as one number.
        index, start = divmod(place, 1 << 24)
        said, notes, following = "", [], 0
        while index < len(numbers):
            (page,) = await paper.pages([numbers[index]])
            text = page.text if format == "markup" else plain(page.text)
            anchor = f"{chr(10) * 2 if said else ''}[p.{page.number}]\n"
            room = TEXT_BYTES - json_bytes(said + anchor)
            if room < 200 and said:
                following = cursors_place(index, start)
                break
            if page.source == "none":
                notes.append(f"Page {page.number} has no text: look at it with show_page")
            elif page.source == "ocr":
                notes.append(
                    f"Page {page.number} was read by OCR: scripts and signs may be wrong, see show_page"
                )
            part = _fitting(text[start:], room)
            said += anchor + part
            if start + len(part) < len(text):
                following = cursors_place(index, start + len(part))
                break
            index, start = index + 1, 0
    more = cursors.encode(question, following) if following else ""
    return Answer(
        source=paper.source,
        status="partial" if more else "ok",
        text=said,
        warnings=tuple(notes[:10]),
        next=f"repeat the call with cursor={more!r}" if more else "",
    )


def cursors_place(index: int, start: int) -> int:
    """Return the place of a character of a page as one number."""
    return (index << 24) + start


@toolbox.tool(
    title="Search a paper",
    read_only=True,
    words="words, term, phrase, equation or text within a PDF document, review, thesis or report, CTRL+F, grep, pages "
    "or page numbers where a term or Table is written, mentioned or present, where authors talk about or discuss a "
    "topic, mentions, occurrences, highlight",
)
async def search_paper(
    path: PathArgument,
    query: Annotated[str, Field(description="Words or a formula; case, spaces and scripts do not matter.")],
    pages: PagesArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Find words or a formula: page, the text round them, and boxes in points from the lower left corner.

    It gives all mentions of a term in the contents of a PDF, the pages where a phrase or table number ("Table
    3.15") stands, an equation, or where the authors talk about something.

    Example: {"path": "paper.pdf", "query": "temperature"}
    """
    from labrig_papers.evidence import searching

    async with state().opened(path) as paper:
        numbers = numbers_of(pages, paper.known.count, MOST)
        read = await paper.pages(numbers)
        doubts = paper.doubts(read)
        found = await in_thread(searching.search_text, read, query)

    def written(hit: searching.Hit) -> dict[str, Any]:
        return {
            "page": hit.page,
            "quote": _short(hit.quote, 400),
            "boxes": [list(box) for box in hit.boxes[:4]],
        }

    question = ["search", paper.sha256, numbers, query]
    page, following = cursors.page(found, question, cursor, size=50, most_bytes=LIST_BYTES, written=written)
    return Answer(
        source=paper.source,
        values=(Quantity("hits", len(found), "1"),),
        data={"hits": list(map(written, page))},
        warnings=doubts,
        next=f"repeat the call with cursor={following!r}"
        if following
        else ("" if found else "another spelling, or read_pages"),
    )


def _fitting(text: str, room: int) -> str:
    """Return the beginning of a text that takes at most so many bytes of JSON, up to a line end where one is near."""
    if json_bytes(text) <= room:
        return text
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if json_bytes(text[:middle]) <= room else (low, middle - 1)
    cut = text.rfind("\n", low * 2 // 3, low)
    return text[: cut + 1 if cut > 0 else max(low, 1)]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"
