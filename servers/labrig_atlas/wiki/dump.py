"""A dump of a MediaWiki, packed or not: XML of the schemas export-0.10 and 0.11, as Special:Export gives it too.

Pages are read one after another; a dump of any size takes little memory. What is no article (other namespaces, other
content than wikitext) is named as left out.
"""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

from labrig.errors import LabrigError
from labrig_atlas.wiki.apart import MOST_BYTES
from labrig_atlas.wiki.raw import Raw

MOST_ELEMENT_BYTES = 16 * MOST_BYTES
"""Of one page in the file, all its revisions and markup together."""
MOST_ELEMENTS, DEEPEST = 1_000_000, 16
"""Of one page: a dump of current pages has some twenty, in four levels."""
MOST_RATIO, FREE_BYTES = 500, 1 << 30
"""What a packed file may unpack to: so many times its bytes, beyond the first GiB; text is packed to a tenth."""
_HOST = re.compile(r"[a-z0-9.-]{1,253}(?::\d{1,5})?")


class Dump:
    """A dump in a file.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is no dump, or is broken where it is read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name, self._host = self._site()

    @property
    def line(self) -> str:
        """Name of the wiki and of the file."""
        return f"{self._name or self._host}, dump {self._path.name}"

    @property
    def host(self) -> str:
        """Of the wiki, as the dump says it."""
        return self._host

    @property
    def total(self) -> int:
        """Bytes of the file as it lies there."""
        return self._path.stat().st_size

    def pages(self) -> Iterator[Raw]:
        """Give its pages in the order of the file."""
        with self._path.open("rb") as file:
            for tag, element in self._elements(file):
                if tag == "page":
                    yield _page(element, file.tell())

    def _site(self) -> tuple[str, str]:
        """Return the name and the host of the wiki; a dump without them is none."""
        with self._path.open("rb") as file:
            for tag, element in self._elements(file):
                if tag == "siteinfo":
                    return _said(element, "sitename")[:100], _host(_said(element, "base"))
                if tag == "page":
                    break
        return "", ""

    def _elements(self, file: IO[bytes]) -> Iterator[tuple[str, Any]]:
        """Give the elements below the root as they end, each forgotten after it was looked at.

        It is read as UTF-8 whatever it says of itself, so that a document type is seen where it begins.
        """
        try:
            with _unpacked(file, self._path.name) as content:
                measured = _Measured(content, file)
                parser = ElementTree.XMLParser(encoding="utf-8")
                events = ElementTree.iterparse(measured, events=("start", "end"), parser=parser)
                depth, root = 0, None
                for event, element in events:
                    if event == "start":
                        depth += 1
                        measured.add_element(depth)
                        if depth == 1:
                            root = element
                            if _local(element.tag) != "mediawiki":
                                raise self._broken(f"its root is {_local(element.tag)!r}, not 'mediawiki'")
                        continue
                    depth -= 1
                    if depth == 1 and root is not None:
                        measured.begin_anew()
                        yield _local(element.tag), element
                        root.clear()
        except (ElementTree.ParseError, OSError, EOFError, ValueError, zlib.error) as error:
            raise self._broken(str(error)) from None

    def _broken(self, why: str) -> LabrigError:
        return LabrigError(f"This is no whole dump of a MediaWiki: {why}", where=str(self._path))


def _unpacked(file: IO[bytes], name: str) -> Any:
    if name.lower().endswith(".bz2"):
        return bz2.open(file)
    return gzip.open(file) if name.lower().endswith(".gz") else _Open(file)


class _Measured:
    """What is read of an element that has not ended yet is in memory: it is bounded, and so is all that is unpacked."""

    def __init__(self, content: Any, file: IO[bytes]) -> None:
        self._content, self._file = content, file
        self._since = self._elements = self._read = 0
        self._rooted = False
        self._end = b""

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._content.read(size)
        self._since += len(data)
        self._read += len(data)
        if self._since > MOST_ELEMENT_BYTES:
            raise ValueError(
                f"a page of more than {MOST_ELEMENT_BYTES:,} bytes; a dump of current pages has none"
            )
        if self._read > FREE_BYTES + MOST_RATIO * self._file.tell():
            raise ValueError(f"it unpacks to more than {MOST_RATIO} times its bytes")
        if not self._rooted:  # where XML has it; a mark of UTF-16 counts more than what the parser is told
            if b"\0" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise ValueError("it is not in UTF-8")
            if b"<!DOCTYPE" in self._end + data:
                raise ValueError("it has a document type, which no dump has; entities could grow without end")
        self._end = data[-8:]
        return data

    def add_element(self, depth: int) -> None:
        """Count an element that begins."""
        self._rooted = True
        self._elements += 1
        if depth > DEEPEST or self._elements > MOST_ELEMENTS:
            raise ValueError(
                f"a page of more than {MOST_ELEMENTS:,} elements, or {DEEPEST} in each other; a dump has none"
            )

    def begin_anew(self) -> None:
        """Forget an element that has ended."""
        self._since = self._elements = 0


class _Open:
    """A file that stays open when its reader is done with it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __enter__(self) -> IO[bytes]:
        return self._file

    def __exit__(self, *_: object) -> None:
        return None


def _page(element: Any, done: int) -> Raw:
    title, space = _said(element, "title"), _said(element, "ns")
    if space not in ("", "0"):
        return Raw(title, "left_out", "of another namespace", done=done)
    hop = _child(element, "redirect")
    if hop is not None and hop.get("title"):
        return Raw(title, "redirect", str(hop.get("title")), done=done)
    revisions = [each for each in element if _local(each.tag) == "revision"]
    if not title or not revisions:
        return Raw(title, "left_out", "without a text", done=done)
    last = revisions[-1]
    if (_said(last, "model") or "wikitext") != "wikitext":
        return Raw(title, "left_out", "not in wikitext", done=done)
    text = _said(last, "text")
    if not text.strip():
        return Raw(title, "left_out", "without a text", done=done)
    if len(text) > MOST_BYTES:
        return Raw(title, "left_out", "too large", done=done)
    return Raw(title, "wikitext", text, revision=_said(last, "id"), done=done)


def _host(base: str) -> str:
    """Return the host of a wiki's address, or nothing for what is no address."""
    try:
        host = (urlsplit(base).hostname or "").lower()
    except ValueError:
        return ""
    return host if _HOST.fullmatch(host) else ""


def _child(element: Any, name: str) -> Any:
    return next((each for each in element if _local(each.tag) == name), None)


def _said(element: Any, name: str) -> str:
    found = _child(element, name)
    return (found.text or "") if found is not None else ""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
