"""A folder of PDFs into a corpus: each file once, by its content, and none lost for another that cannot be read."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from labrig.errors import LabrigError, over_limit
from labrig.isolation.children import Children
from labrig_papers.corpus import store
from labrig_papers.corpus.store import Document
from labrig_papers.materials.writing import plain
from labrig_papers.pdf.apart import MOST_PAGES, Reader, readers

AT_ONCE = 2
MOST_OF_A_PAPER = 1000
"""Pages; a longer file is a book or a catalogue."""
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^]+[^\s\"<>{}|\\^.,;:)\]']")
_YEAR = re.compile(r"\b(?:19[0-9]\d|20[0-4]\d)\b")
_ABOUT_YEAR = re.compile(
    r"(?:published|received|accepted|dated|copyright|©|\()[^\n]{0,60}?\b((?:19|20)\d\d)\b", re.IGNORECASE
)


@dataclass
class Added:
    """What became of a folder.

    Attributes
    ----------
    added, known
        Files that were added, and that were there already.
    left_out
        Files without a place in the corpus, each with the reason.
    documents
        In the corpus afterwards.
    """

    added: int = 0
    known: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    documents: int = 0


async def add_folder(
    folder: Path, corpus: Path, *, progress: Callable[[int, int], None] = lambda done, total: None
) -> Added:
    """Add the PDFs of a folder and of those below it; or one file.

    Run again, it adds what is new. A file that was added is known by its content, wherever it lies.

    Parameters
    ----------
    progress
        Is told how many files of how many are done.

    Raises
    ------
    LabrigError
        ``not_found`` where the folder does not exist or holds no PDF, and what `store.opened` raises.
    """
    files = _files(folder)
    done = Added()
    by = readers(slots=AT_ONCE)
    places = asyncio.Semaphore(AT_ONCE)
    try:
        with store.opened(corpus, make=True) as database:

            async def add(path: Path) -> None:
                async with places:
                    try:
                        await _add(path, by, database, done)
                    except LabrigError as error:
                        if error.code == "busy":
                            raise
                        done.left_out[str(path)] = (
                            f"{error.what}: {error.where}" if error.where else error.what
                        )
                    except OSError as error:
                        done.left_out[str(path)] = error.strerror or str(error)
                    except sqlite3.Error:
                        raise  # of the corpus, and of no paper
                    except Exception as error:  # what a paper prints is without end: the others go on
                        done.left_out[str(path)] = f"it cannot be read: {type(error).__name__}: {error}"
                progress(done.added + done.known + len(done.left_out), len(files))

            try:
                async with asyncio.TaskGroup() as group:
                    for path in files:
                        group.create_task(add(path))
            except BaseExceptionGroup as several:
                raise several.exceptions[0] from None
            done.documents = store.count(database)
    finally:
        await by.close()
    return done


def _files(folder: Path) -> list[Path]:
    if not folder.exists():
        raise LabrigError("There is no such folder", where=str(folder), code="not_found")
    if folder.is_file():
        return [folder]
    found = sorted(each for each in folder.rglob("*") if each.suffix.casefold() == ".pdf" and each.is_file())
    if not found:
        raise LabrigError(
            "The folder holds no PDF", where=str(folder), expected="files *.pdf", code="not_found"
        )
    return found


async def _add(path: Path, by: Children, database: sqlite3.Connection, done: Added) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        with open(descriptor, "rb", closefd=False) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if store.has(database, sha256):
            done.known += 1
            return
        document = await read_document(descriptor, sha256, path, by)
    finally:
        os.close(descriptor)
    if store.add(database, document):
        done.added += 1
    else:
        done.known += 1


async def read_document(descriptor: int, sha256: str, path: Path, by: Children) -> Document:
    """Return a PDF that is open as a document of a corpus.

    Raises
    ------
    LabrigError
        For what cannot be read, has no text, or more than `MOST_OF_A_PAPER` pages.
    """
    reader = Reader(by, descriptor, path.name)
    pages, about = await reader.count()
    if pages > MOST_OF_A_PAPER:
        raise over_limit(f"The file has {pages:,} pages", MOST_OF_A_PAPER)
    text: list[str] = []
    for start in range(1, pages + 1, MOST_PAGES):
        numbers = range(start, min(start + MOST_PAGES, pages + 1))
        text += [plain(each.text) for each in await reader.pages(numbers)]
    if not any(each.strip() for each in text):
        raise LabrigError("The file has no text: it is a scan", try_="OCR, then add the file that it makes")
    title, _, _ = await reader.outline([1])
    return Document(
        sha256, str(path.absolute()), plain(title) or about.get("Title", ""), *_of_first(text[:2]), text
    )


def _of_first(pages: Sequence[str]) -> tuple[str, int | None]:
    """Return DOI and year of the first pages: the year by the words before it, else the latest of the first page."""
    text = "\n".join(pages)
    doi = match.group() if (match := _DOI.search(text)) else ""
    if match := _ABOUT_YEAR.search(pages[0] if pages else ""):
        return doi, int(match[1])
    years = [int(each) for each in _YEAR.findall(pages[0][:2000])] if pages else []
    return doi, max(years, default=None)
