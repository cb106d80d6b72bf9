"""Short articles of Labrig's own, as TOML files hold them: what a bundled world's wiki is made from.

    articles = read_articles()                # all of world/articles/*.toml
    problems = check(articles)                # links that lead nowhere, titles that stand twice

A file holds a list of ``[[article]]``, with the keys of `Article`; text may hold links, ``[[Title]]`` or
``[[Title|shown text]]``. A world that is made from a seed gives the same `Article`s without files.

    python -m labrig_atlas.articles [FOLDER]  # reads and checks, and says what is wrong
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig import toml_text
from labrig.canonical import content_hash
from labrig.errors import LabrigError, nearest

BUNDLED = Path(__file__).parent / "world" / "articles"
"""The sources of the world ``earth``."""
MOST_FILE_BYTES = 16 << 20
LINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]|\n]*))?\]\]")
"""A link: its title, and the text that is shown or nothing."""
_NO_TITLE = re.compile(r"[\[\]{}|#<>_\x00-\x1f\x7f]|^\s|\s$|\s\s")
"""What a title of MediaWiki may not hold; an underscore there is a space."""
_KEYS = frozenset(
    ("title", "aliases", "kind", "lead", "coordinates", "sources", "infobox", "section", "languages")
)


@dataclass(frozen=True)
class ArticleSection:
    """A section: paragraphs separated by blank lines; lines that start with ``|`` are a table, the first its head."""

    title: str
    text: str


@dataclass(frozen=True)
class Article:
    """One short article.

    Attributes
    ----------
    title
        As an English encyclopedia would have it.
    kind
        One lower-case word for what it is about: ``mountain``, ``person``, ``settlement``.
    lead
        One to three sentences, with links.
    infobox
        Label -> text, number and unit in the text, in the order in which it is shown.
    aliases
        Other titles that lead here.
    coordinates
        Latitude and longitude, degrees, WGS 84; None where the subject has no place.
    languages
        How many language editions the subject has, where that is known; 0 for not known.
    """

    title: str
    kind: str
    lead: str
    sources: tuple[str, ...]
    infobox: Mapping[str, str] = field(default_factory=dict)
    sections: tuple[ArticleSection, ...] = ()
    aliases: tuple[str, ...] = ()
    coordinates: tuple[float, float] | None = None
    languages: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the article as plain data; the same article gives the same data."""
        return {
            "title": self.title,
            "kind": self.kind,
            "lead": self.lead,
            "sources": list(self.sources),
            "infobox": [[label, text] for label, text in self.infobox.items()],
            "sections": [[each.title, each.text] for each in self.sections],
            "aliases": list(self.aliases),
            "coordinates": list(self.coordinates) if self.coordinates else None,
            "languages": self.languages,
        }

    def texts(self) -> Iterator[str]:
        """Give every text in which links may stand."""
        yield self.lead
        yield from self.infobox.values()
        for section in self.sections:
            yield section.text


def read_articles(folder: Path = BUNDLED) -> tuple[Article, ...]:
    """Return the articles of all TOML files of a folder, files by name, articles in their order.

    Raises
    ------
    LabrigError
        ``not_found`` for a folder without such files; ``bad_input`` with file and article for what is no article.
    """
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise LabrigError(
            "There are no articles", where=str(folder), expected="files *.toml", code="not_found"
        )
    return tuple(article for path in paths for article in articles_of(_content(path), path.name))


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise LabrigError("This is no file", where=path.name)
    if path.stat().st_size > MOST_FILE_BYTES:
        raise LabrigError(
            f"A file of articles has at most {MOST_FILE_BYTES:,} bytes", where=path.name, code="too_large"
        )
    return path.read_bytes()


def articles_of(text: str | bytes, named: str) -> list[Article]:
    """Return the articles of one TOML text.

    Parameters
    ----------
    named
        What errors call it.

    Raises
    ------
    LabrigError
        ``bad_input`` with article and key for what is no article.
    """
    try:
        data = toml_text.loads(text.decode("utf-8") if isinstance(text, bytes) else text)
    except ValueError as error:
        raise LabrigError(f"This is not TOML: {error}", where=named) from error
    entries = data.pop("article", [])
    if data or not isinstance(entries, list):
        raise LabrigError("A file of articles holds a list [[article]] and nothing else", where=named)
    return [_article(entry, f"{named}, article {number}") for number, entry in enumerate(entries, 1)]


def links_of(text: str) -> list[tuple[str, str]]:
    """Return the links of a text in order: title, and the text that is shown."""
    return [(found[1].strip(), (found[2] or found[1]).strip()) for found in LINK.finditer(text)]


def shown(text: str) -> str:
    """Return a text as a reader sees it: each link as the text that it shows."""
    return LINK.sub(lambda found: (found[2] or found[1]).strip(), text)


def check(articles: Iterable[Article]) -> list[str]:
    """Return what is wrong with a set of articles, a line each; an empty list where nothing is.

    Every link leads to a title or an alias of the set, no name stands twice, and no alias is the title of
    another article.
    """
    whole = list(articles)
    names = Counter(_folded(name) for article in whole for name in (article.title, *article.aliases))
    problems = [
        f"{article.title}: the name {name!r} stands {names[_folded(name)]} times"
        for article in whole
        for name in (article.title, *article.aliases)
        if names[_folded(name)] > 1
    ]
    known = [name for article in whole for name in (article.title, *article.aliases)]
    for article in whole:
        for title in dict.fromkeys(title for text in article.texts() for title, _ in links_of(text)):
            if _folded(title.partition("#")[0]) not in names:
                close = nearest(title, known)
                problems.append(
                    f"{article.title}: [[{title}]] leads nowhere"
                    + (f"; near: {', '.join(close)}" if close else "")
                )
        problems += [
            f"{article.title}: brackets that are not a link: {rest.group()!r}"
            for text in article.texts()
            for rest in re.finditer(r".{0,20}(\[\[|\]\]).{0,20}", LINK.sub("", text))
        ]
    return problems


def digest(articles: Iterable[Article]) -> str:
    """Return a hash of a set of articles: 64 hex digits."""
    return content_hash([article.to_dict() for article in articles])


def _folded(title: str) -> str:
    """Return a title as MediaWiki compares it: the case of the first letter does not count."""
    return title[:1].upper() + title[1:]


def _article(entry: Any, where: str) -> Article:
    """Return an article of its table in TOML, each key looked at."""
    if not isinstance(entry, dict):
        raise LabrigError("An article is a table", where=where)
    title = _text(entry, "title", where)
    where = f"{where} ({title})"
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        close = nearest(unknown[0], _KEYS)
        raise LabrigError(
            f"An article has no key {unknown[0]!r}",
            where=where,
            expected=", ".join(sorted(_KEYS)),
            try_=f"did you mean {close[0]}?" if close else "",
        )
    aliases, sources = _texts(entry, "aliases", where), _texts(entry, "sources", where)
    for name in (title, *aliases):
        if _NO_TITLE.search(name) or len(name.encode()) > 255:
            raise LabrigError(
                f"This cannot be a title: {name!r}",
                where=where,
                expected="up to 255 bytes without []{}|#<>_ and doubled spaces",
            )
    if not sources:
        raise LabrigError("The article names no source", where=where, expected="sources, a list of texts")
    kind = _text(entry, "kind", where)
    if not re.fullmatch(r"[a-z][a-z -]*", kind):
        raise LabrigError(f"This is not a kind: {kind!r}", where=where, expected="lower-case letters")
    languages = entry.get("languages", 0)
    if type(languages) is not int or languages < 0:
        raise LabrigError("languages is a number of language editions", where=where, expected="0 or more")
    return Article(
        title=title,
        kind=kind,
        lead=_text(entry, "lead", where),
        sources=sources,
        infobox=_infobox(entry.get("infobox", {}), where),
        sections=_sections(entry.get("section", []), where),
        aliases=aliases,
        coordinates=_coordinates(entry.get("coordinates"), where),
        languages=languages,
    )


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    text = table.get(key)
    if not isinstance(text, str) or not text.strip():
        raise LabrigError(f"{key} is missing, empty or not a text", where=where)
    return text.strip()


def _texts(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    texts = table.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(each, str) and each.strip() for each in texts):
        raise LabrigError(f"{key} is not a list of texts", where=where)
    return tuple(each.strip() for each in texts)


def _infobox(table: Any, where: str) -> dict[str, str]:
    if not isinstance(table, dict):
        raise LabrigError("infobox is not a table", where=where)
    return {label.strip(): _text(table, label, f"{where}, infobox") for label in table}


def _sections(entries: Any, where: str) -> tuple[ArticleSection, ...]:
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise LabrigError("section is not a list of tables [[article.section]]", where=where)
    found = []
    for entry in entries:
        if set(entry) != {"title", "text"}:
            raise LabrigError("A section has title and text", where=where, expected="title, text")
        found.append(ArticleSection(_text(entry, "title", where), _text(entry, "text", where)))
    return tuple(found)


def _coordinates(pair: Any, where: str) -> tuple[float, float] | None:
    if pair is None:
        return None
    numbers = pair if isinstance(pair, list) else []
    if len(numbers) != 2 or not all(type(each) in (int, float) for each in numbers):
        raise LabrigError("coordinates are not two numbers", where=where, expected="[latitude, longitude]")
    latitude, longitude = map(float, numbers)
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise LabrigError(
            f"There is no place at {latitude}, {longitude}",
            where=where,
            expected="[latitude, longitude] in degrees, from -90 to 90 and from -180 to 180",
        )
    return latitude, longitude


def main(arguments: list[str] | None = None) -> int:
    """Read a folder of articles and print what is wrong with it; 1 if anything is."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        articles = read_articles(Path(given[0]) if given else BUNDLED)
    except LabrigError as error:
        print(error, file=sys.stderr)
        return 1
    problems = check(articles)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(articles)} articles, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
