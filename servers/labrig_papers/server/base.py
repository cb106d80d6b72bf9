"""What the rooms of the MCP face share: the toolbox, the papers that are open, and their pages."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from labrig.errors import LabrigError
from labrig.isolation import closing
from labrig.server_settings import ServerSetting
from labrig.storage.contents import content_sha256
from labrig.threads import in_thread
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig.tools import files
from labrig.tools.sources import opened_source
from labrig_papers.fetching.addresses import is_address
from labrig_papers.literature.services import SERVICES

if TYPE_CHECKING:
    from labrig_papers.pdf.apart import Reader
    from labrig_papers.pdf.page import Page

MOST_KEPT = 40_000_000
"""Characters of pages that are kept for the next call; the papers that were used longest ago go first."""
MOST_RECOGNISED = 6
"""Scanned pages that OCR reads in one call: each takes 2 to 4 s, and a client waits 60 s."""


@dataclass
class Known:
    """What was read of a paper: nothing else than its content decides it, so it is kept by the hash of that."""

    count: int = 0
    about: dict[str, str] = field(default_factory=dict)
    pages: dict[int, Page] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)
    tried: set[int] = field(default_factory=set)
    """Pages without text that OCR was asked for."""


@dataclass(frozen=True)
class Paper:
    """A paper that a call has open.

    Attributes
    ----------
    named
        As the call named it.
    sha256
        Of the file.
    """

    named: str
    sha256: str
    reader: Reader
    known: Known

    @property
    def source(self) -> str:
        """One line of provenance."""
        return f"{self.named} (sha256 {self.sha256[:12]}), read with PDFium"

    async def pages(self, numbers: Sequence[int]) -> list[Page]:
        """Return pages as marked-up text, those that were read before from memory."""
        from labrig_papers.pdf.apart import MOST_PAGES

        missing = [each for each in numbers if each not in self.known.pages]
        for start in range(0, len(missing), MOST_PAGES):
            for page in await self.reader.pages(missing[start : start + MOST_PAGES]):
                self.known.pages[page.number] = page
        await self._recognise([each for each in numbers if self.known.pages[each].pictured])
        return [self.known.pages[each] for each in numbers]

    async def scans(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """Read scanned pages before a question on outline, tables or quantities, and return what must be said of it.

        Costs nothing where OCR is not at hand.
        """
        if not _reads_scans():
            return ()
        pages = await self.pages(numbers)
        self.reader.given = {each.number: each for each in pages if each.source == "ocr"}
        return self.doubts(pages)

    def doubts(self, pages: Sequence[Page]) -> tuple[str, ...]:
        """Return a warning for pages that OCR read, and one for those that it may still read."""
        read = [each.number for each in pages if each.source == "ocr"]
        left = [each.number for each in pages if each.pictured and each.number not in self.known.tried]
        said = []
        if read:
            said.append(
                f"Read by OCR, so no exact evidence (scripts and signs may be wrong): {some_pages(read)}"
            )
        if left and _reads_scans():
            said.append(f"Not yet read by OCR, which the same call goes on with: {some_pages(left)}")
        return tuple(said)

    async def _recognise(self, scanned: Sequence[int]) -> None:
        """Read the pictures of pages without text, some in each call."""
        from labrig_papers.pdf import ocr

        left = (
            [each for each in scanned if each not in self.known.tried] if scanned and _reads_scans() else []
        )
        for number in left[:MOST_RECOGNISED]:
            png, dpi = await self.reader.render(number, None, dpi=ocr.DPI, grey=True)
            self.known.pages[number] = await ocr.recognised(png, dpi, self.known.pages[number])
            self.known.tried.add(number)


class State:
    """What all callers of one server share: the processes that read, and pages by the hash of their paper."""

    def __init__(self, options: ServeOptions) -> None:
        from labrig_papers.fetching.downloads import Downloads
        from labrig_papers.pdf.apart import readers

        self.readers = readers()
        self.downloads = Downloads(options.http_mode, options.ledger)
        self._known: OrderedDict[str, Known] = OrderedDict()

    @asynccontextmanager
    async def opened(self, path: str) -> AsyncIterator[Paper]:
        """Open a paper that a call names: a file of the workspace or a root, an artifact's handle, or an address that
        was fetched."""
        from labrig_papers.pdf.apart import Reader

        with self._source(path) as (descriptor, hashed):
            sha256 = hashed or await in_thread(content_sha256, descriptor)
            known = self._known.setdefault(sha256, Known())
            self._known.move_to_end(sha256)
            paper = Paper(path, sha256, Reader(self.readers, descriptor, path, known.answers), known)
            if not known.count:
                known.count, known.about = await paper.reader.count()
            yield paper
        self._forget()

    @contextmanager
    def _source(self, path: str) -> Iterator[tuple[int, str]]:
        if is_address(path):
            descriptor, sha256 = self.downloads.opened(session().owner, path)
            try:
                yield descriptor, sha256
            finally:
                os.close(descriptor)
        else:
            with opened_source(path) as source:
                yield source.descriptor, source.sha256

    def _forget(self) -> None:
        kept = sum(len(page.text) for each in self._known.values() for page in each.pages.values())
        while kept > MOST_KEPT and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            kept -= sum(len(page.text) for page in oldest.pages.values())

    async def close(self) -> None:
        """End the processes, and remove what was fetched."""
        await self.readers.close()
        await self.downloads.close()


def _reads_scans() -> bool:
    """Tell whether scanned pages are read: tesseract is installed, and the setting ``ocr`` is on."""
    from labrig_papers.pdf import ocr

    return bool(session().setting("ocr")) and bool(ocr.program())


def some_pages(numbers: Sequence[int]) -> str:
    """Return the first of some pages in words."""
    shown = ", ".join(map(str, numbers[:12]))
    return f"page {shown}" if len(numbers) == 1 else f"pages {shown}" + (" …" if len(numbers) > 12 else "")


def state() -> State:
    """Return the state of the server that serves this call."""
    found = session().state
    assert isinstance(found, State)
    return found


def numbers_of(pages: str, count: int, most: int) -> list[int]:
    """Return the pages that a call names: ``3``, ``2-5``, ``1,4-6``; all for an empty text.

    Raises
    ------
    LabrigError
        For what is no such list, pages that the paper does not have, and more than `most`.
    """
    expected = f"pages from 1 to {count}, such as 3, 2-5 or 1,4-6"
    found: dict[int, None] = {}
    for part in pages.split(",") if pages.strip() else [f"1-{count}"]:
        first, dash, last = part.strip().partition("-")
        if not (first.strip().isascii() and first.strip().isdigit()) or len(first) > 6 or len(last) > 6:
            raise LabrigError(f"These are no pages: {pages[:80]!r}", where="pages", expected=expected)
        if dash and not (last.strip().isascii() and last.strip().isdigit()):
            raise LabrigError(f"These are no pages: {pages[:80]!r}", where="pages", expected=expected)
        start, end = int(first), int(last or first)
        if not 1 <= start <= end <= count:
            raise LabrigError(
                f"There are no pages {part.strip()[:20]}", where="pages", expected=expected, code="not_found"
            )
        found.update(dict.fromkeys(range(start, end + 1)))
    if len(found) > most:
        raise LabrigError(
            f"{len(found)} pages are too many for one call",
            where="pages",
            expected=f"at most {most}",
            try_=f"pages='1-{most}'",
            code="limit",
        )
    return list(found)


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[State]:
    """Hold the processes that read PDFs; they start with the first paper."""
    held = State(options)
    try:
        yield held
    finally:
        await held.close()


def doctor() -> list[str]:
    """Say behind which walls a PDF is read, and whether scans are."""
    from labrig_papers.pdf import ocr

    scans = (
        "scanned pages are read with tesseract"
        if ocr.program()
        else "no tesseract: scanned pages have no text"
    )
    return [f"a PDF is read behind {closing.summary()}", scans]


CORPUS = ServerSetting(
    "corpus", "", "corpus that is searched, of the workspace where that has it (default: that of the user)"
)

toolbox = Toolbox(
    "papers",
    "Scientific papers (PDF)",
    "Reads scientific PDFs so that every value keeps its evidence. open_paper first; outline names sections, tables "
    "and figures; read_pages gives text in which scripts are marked (10^{6}, La_{1.85}); search_paper finds words and "
    "formulas; read_table gives cells with units and the row as evidence; show_page shows what text cannot. Before you "
    "report a value, verify_quote its sentence or row: exact, normalised, partial_token or not_found, with boxes. "
    "Toolset literature searches papers, resolves DOIs, fetches free PDFs and looks for precedents.",
    opens=opens,
    doctor=doctor,
    toolsets={
        "default": "PDFs: outline, pages, words, tables, quantities, quotes, pictures; literature finds papers",
        "values": "values without a PDF: units, formulas, space groups, comparison, consistency",
        "literature": "papers: search (the user's own, and services), DOIs, free copies, precedents",
    },
    settings=(ServerSetting("ocr", True, "read scanned pages with tesseract, where it is installed"), CORPUS),
    reads=(),
    services=SERVICES,
)
files.offer(toolbox, such_as="extracted values as JSON")

PathArgument = Annotated[
    str, Field(description="PDF of the workspace or a root, a handle, or an address that open_paper fetched.")
]
PagesArgument = Annotated[str, Field(description="Pages: 3, 2-5 or 1,4-6; default all.")]
CursorArgument = Annotated[str, Field(description="Where an earlier result ended.")]
