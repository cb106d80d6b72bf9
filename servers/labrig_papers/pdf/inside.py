"""What a child process does with one PDF, which it is given open: nothing of a file is parsed anywhere else.

It closes itself in before it reads. JavaScript, addresses and what attachments hold are never looked at.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.closing import close_in
from labrig.isolation.inside.answering import FIRST_FILE
from labrig_papers.pdf import rendering
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Page
from labrig_papers.pdf.pages import read_pages
from labrig_papers.pdf.structure import FEW_BOOKMARKS, bookmarks, captions, headings, title_of
from labrig_papers.pdf.tables import find_tables

XFA = (2, 3)
"""Types of forms whose fields stand in XML (``FORMTYPE_XFA_FULL`` and ``_FOREGROUND`` of PDFium)."""
LENGTH = 8
"""Bytes in front of a picture: how long the JSON before it is."""


def work(question: Any) -> bytes:
    """Answer a question on the PDF at `FIRST_FILE`: JSON, and behind that of a picture its bytes.

    Parameters
    ----------
    question
        ``do``: a key of `_DO`; ``named``: what errors call the file;
        ``pages``: numbers from 1; ``given``: pages that are known already, as those that OCR read.
    """
    named = str(question["named"])
    try:
        close_in([FIRST_FILE])
        with opened(FIRST_FILE, named) as document:
            return _DO[question["do"]](document, question)
    except LabrigError:
        raise
    except MemoryError:
        raise LabrigError("Reading this PDF needs too much memory", where=named, code="limit") from None
    except Exception as error:  # a broken file finds others
        raise LabrigError(f"The PDF cannot be read: {type(error).__name__}: {error}", where=named) from None


def _read(document: Any, question: Any) -> list[Page]:
    """Return the pages of a question, those that are given as they are."""
    given = {page.number: page for page in map(Page.from_dict, question.get("given", ()))}
    rest = {
        page.number: page for page in read_pages(document, [n for n in question["pages"] if n not in given])
    }
    return [given.get(number) or rest[number] for number in question["pages"]]


def _count(document: Any, question: Any) -> bytes:
    about = dict(document.get_metadata_dict(skip_empty=True))
    if document.get_formtype() in XFA:
        about["Form"] = "XFA"
    if attached := document.count_attachments():
        about["Attachments"] = str(attached)
    return json.dumps({"pages": len(document), "about": about}).encode()


def _pages(document: Any, question: Any) -> bytes:
    return json.dumps([each.to_dict() for each in read_pages(document, question["pages"])]).encode()


def _outline(document: Any, question: Any) -> bytes:
    pages = _read(document, question)
    marks = bookmarks(document, question["pages"])
    found = {
        "title": title_of(pages),
        "headings": [asdict(each) for each in (marks if len(marks) >= FEW_BOOKMARKS else headings(pages))],
        "captions": [asdict(each) for page in pages for each in captions(page)],
    }
    return json.dumps(found).encode()


def _tables(document: Any, question: Any) -> bytes:
    tables = [each for page in _read(document, question) for each in find_tables(page)]
    return json.dumps([asdict(each) for each in tables]).encode()


def _quantities(document: Any, question: Any) -> bytes:
    from labrig_papers.quantities.finding import find_quantities
    from labrig_papers.quantities.placing import areas_of_all

    found, pages = [], _read(document, question)
    title = title_of(pages[:1] if pages[0].number == 1 else list(read_pages(document, [1])))
    for run in _runs(pages):
        texts, areas = [each.text for each in run], areas_of_all(run)
        for each in find_quantities(
            texts, question["dimension"], question["quantity"], run[0].number, areas, title
        ):
            boxes = run[each.page - run[0].number].boxes_of(each.start, each.end)
            doubt = {"ocr": True} if run[each.page - run[0].number].source == "ocr" else {}
            found.append({**each.to_dict(), "boxes": [list(box) for box in boxes[:4]], **doubt})
    return json.dumps(found).encode()


def _validate(document: Any, question: Any) -> bytes:
    from labrig_papers.attribution.samples import written_in
    from labrig_papers.attribution.sentences import sentence_of
    from labrig_papers.checks.validating import validate_extraction
    from labrig_papers.evidence.folding import fold, without_commands
    from labrig_papers.evidence.quotes import SHORT, find_quote, verify_quote
    from labrig_papers.quantities.cells import read_cell
    from labrig_papers.quantities.placing import areas_of
    from labrig_papers.quantities.tabled import Areas, tabled
    from labrig_papers.values.reading import Value, has_unit

    pages = _read(document, question)

    def grounded(page: int, quote: str) -> tuple[str, int | None]:
        try:
            verdict = verify_quote(pages, quote, page if 1 <= page <= len(pages) else None)
        except LabrigError:  # its length alone may be wrong here
            return "too_long" if len(quote) > SHORT else "too_short", None
        status = "ocr" if verdict.from_ocr else verdict.status
        return status, verdict.places[0].page if verdict.places else None

    by_number = {page.number: page for page in pages}
    known: dict[int, Areas] = {}

    def cells(page: int, quote: str) -> list[Value]:
        if page not in by_number:
            return []
        if page not in known:
            known[page] = areas_of(by_number[page])
        wanted = fold(without_commands(quote)).text
        rows = [each for each in known[page].cells if wanted in fold(each.row).text]
        read = [(each, read_cell(each.text, each.head)) for each in rows]
        return [
            replace(value, text=f"{each.text} {value.unit.canonical}" if has_unit(value) else each.text)
            for each, value in read
            if value is not None
        ]

    def materials(page: int, quote: str) -> list[str]:
        if page not in by_number:
            return []
        if page not in known:
            known[page] = areas_of(by_number[page])
        wanted = fold(without_commands(quote)).text
        of_rows = [each for each in tabled(known[page], page) if wanted in fold(each.quote).text]
        if of_rows:
            return list(dict.fromkeys(each.formulas[0] for each in of_rows if each.formulas))
        text, said = by_number[page].text, [quote]
        if not written_in(quote):  # a part of a sentence is of what the sentence names
            places = [each for each in find_quote(by_number[page], quote) if each.whole]
            spans = [sentence_of(text, each.start, each.end) for each in places]
            said = [text[each.start : each.end] for each in spans]
        return list(dict.fromkeys(written for each in said for _, _, written in written_in(each)))

    found = validate_extraction(question["payload"], len(document), grounded, cells, materials)
    return json.dumps([asdict(each) for each in found]).encode()


def _runs(pages: list[Page]) -> list[list[Page]]:
    """Return pages in runs without a gap: within one, values that compete are found across pages."""
    runs: list[list[Page]] = []
    for page in pages:
        if runs and runs[-1][-1].number + 1 == page.number:
            runs[-1].append(page)
        else:
            runs.append([page])
    return runs


def _render(document: Any, question: Any) -> bytes:
    box = tuple(map(float, question["box"])) if question["box"] else None
    marked = [tuple(map(float, each)) for each in question["marked"]]
    number = question["pages"][0]
    png, dpi = rendering.render(
        document,
        number,
        box,  # type: ignore[arg-type]
        dpi=question["dpi"],
        marked=marked,  # type: ignore[arg-type]
        grey=bool(question["grey"]),
    )
    said = json.dumps({"dpi": dpi}).encode()
    return len(said).to_bytes(LENGTH, "big") + said + png


def _cut(document: Any, question: Any) -> bytes:
    import io

    from pypdfium2 import PdfDocument

    with PdfDocument.new() as alone:
        alone.import_pages(document, [question["pages"][0] - 1])
        alone.save(out := io.BytesIO())
    return out.getvalue()


_DO = {
    "count": _count,
    "pages": _pages,
    "outline": _outline,
    "tables": _tables,
    "quantities": _quantities,
    "validate": _validate,
    "render": _render,
    "cut": _cut,
}
