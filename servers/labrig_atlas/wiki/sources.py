"""What a store is built from: a folder of HTML files, a dump of a MediaWiki, a ZIM file, a folder of our articles.

Each gives its pages one after another as text that is not parsed yet, with how far it is, so that building can show it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from labrig.errors import LabrigError
from labrig_atlas.articles import read_articles
from labrig_atlas.wiki.apart import MOST_BYTES
from labrig_atlas.wiki.decoding import decoded
from labrig_atlas.wiki.raw import Raw, Source
from labrig_atlas.wiki.zim import ZimFile


def source_of(path: Path) -> Source | ZimFile:
    """Return the source at a path, by what it is.

    Raises
    ------
    LabrigError
        ``not_found`` for nothing there; ``bad_input`` for what is no source; ``unavailable`` for ZIM without libzim.
    """
    if path.is_dir():
        return ArticleFolder(path) if any(path.glob("*.toml")) else HtmlFolder(path)
    if not path.is_file():
        raise LabrigError("There is nothing to build a store from", where=str(path), code="not_found")
    name = path.name.lower()
    if name.endswith((".xml", ".xml.bz2", ".xml.gz")):
        from labrig_atlas.wiki.dump import Dump

        return Dump(path)
    if name.endswith(".zim"):
        return ZimFile(path)
    raise LabrigError(
        "A store is not built from this",
        where=str(path),
        expected="a folder of .html files, a dump (.xml, .xml.bz2, .xml.gz), a .zim file or a folder of articles "
        "(.toml)",
    )


class HtmlFolder:
    """A folder of HTML files and its folders: ``AC/DC.html`` is the page "AC/DC"; underscores and ``%2F`` as in
    addresses.

    Links to other folders are not followed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        found = [
            Path(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if name.lower().endswith((".html", ".htm"))
        ]
        self._files = sorted(found)
        if not found:
            raise LabrigError("The folder has no pages", where=str(path), expected="files *.html")

    @property
    def line(self) -> str:
        """Name of the folder."""
        return f"the folder {self._path.name}"

    @property
    def host(self) -> str:
        """None is known."""
        return ""

    @property
    def total(self) -> int:
        """Files."""
        return len(self._files)

    def pages(self) -> Iterator[Raw]:
        """Give its files by name."""
        for number, path in enumerate(self._files, 1):
            title = unquote(str(path.relative_to(self._path).with_suffix(""))).replace("_", " ")
            if path.is_symlink() or not path.is_file():
                yield Raw(title, "left_out", "a link or no file", done=number)
                continue
            try:
                if path.stat().st_size > MOST_BYTES:
                    yield Raw(title, "left_out", "too large", done=number)
                    continue
                text, _ = decoded(path.read_bytes())
            except OSError as error:
                yield Raw(title, "left_out", f"cannot be read ({error.strerror})", done=number)
                continue
            yield Raw(title, "html", text, done=number)


class ArticleFolder:
    """A folder of articles in TOML, as `labrig_atlas.articles` reads them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if links := [each.name for each in path.glob("*.toml") if each.is_symlink()]:
            raise LabrigError("A folder of articles has no links", where=f"{path}: {min(links)}")
        self._articles = read_articles(path)

    @property
    def line(self) -> str:
        """Name of the folder."""
        return f"articles of the folder {self._path.name}"

    @property
    def host(self) -> str:
        """None is known."""
        return ""

    @property
    def total(self) -> int:
        """Articles."""
        return len(self._articles)

    def pages(self) -> Iterator[Raw]:
        """Give its articles."""
        for number, article in enumerate(self._articles, 1):
            yield Raw(article.title, "article", article=article, done=number)
