"""A dump of a MediaWiki, packed or not: XML of the schemas export-0.10 and 0.11, as Special:Export gives it too.

Pages are read one after another; a dump of any size takes little memory. What is no article (other namespaces, other
content than wikitext) is named as left out.
"""

from __future__ import annotations

import bz2
import gzip
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
                    base = _said(element, "base")
                    return _said(element, "sitename"), (urlsplit(base).hostname or "").lower()
                if tag == "page":
                    break
        return "", ""

    def _elements(self, file: IO[bytes]) -> Iterator[tuple[str, Any]]:
        """Give the elements below the root as they end, each forgotten after it was looked at."""
        try:
            with _unpacked(file, self._path.name) as content:
                measured = _Measured(content)
                events = ElementTree.iterparse(measured, events=("start", "end"))
                depth, root = 0, None
                for event, element in events:
                    if event == "start":
                        depth += 1
                        if depth == 1:
                            root = element
                            if _local(element.tag) != "mediawiki":
                                raise self._broken(f"its root is {_local(element.tag)!r}, not 'mediawiki'")
                        continue
                    depth -= 1
                    if depth == 1 and root is not None:
                        measured.since = 0
                        yield _local(element.tag), element
                        root.clear()
        except (ElementTree.ParseError, OSError, EOFError, ValueError) as error:
            raise self._broken(str(error)) from None

    def _broken(self, why: str) -> LabrigError:
        return LabrigError(f"This is no whole dump of a MediaWiki: {why}", where=str(self._path))


def _unpacked(file: IO[bytes], name: str) -> Any:
    if name.lower().endswith(".bz2"):
        return bz2.open(file)
    return gzip.open(file) if name.lower().endswith(".gz") else _Open(file)


class _Measured:
    """What is read of an element that has not ended yet is in memory: it is bounded."""

    def __init__(self, content: Any) -> None:
        self._content, self.since = content, 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._content.read(size)
        self.since += len(data)
        if self.since > MOST_ELEMENT_BYTES:
            raise ValueError(
                f"a page of more than {MOST_ELEMENT_BYTES:,} bytes; a dump of current pages has none"
            )
        return data


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


def _child(element: Any, name: str) -> Any:
    return next((each for each in element if _local(each.tag) == name), None)


def _said(element: Any, name: str) -> str:
    found = _child(element, name)
    return (found.text or "") if found is not None else ""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
