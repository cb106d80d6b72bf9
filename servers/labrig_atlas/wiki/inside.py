"""What a child process does with a page that is not ours: nothing of it is parsed anywhere else.

The bytes of a page stand in the file that it was given, or (where a store is built and one child reads page after
page) in the question.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.closing import close_in
from labrig.isolation.inside.answering import FIRST_FILE
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.decoding import decoded
from labrig_atlas.wiki.html_pages import page_of
from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.page import Block, Page, Run, Section
from labrig_atlas.wiki.wikitext import rendered

_closed = False


def work(question: Any) -> bytes:
    """Return a page as JSON (`Page.to_dict`), or its text.

    Parameters
    ----------
    question
        ``kind``: ``html``, ``wikitext`` or ``plain``, ``decode`` for the text alone, or ``zim`` for the ``entry`` of
        that number of a ZIM file; ``about``: the fields of
        `About`;
        ``content_type``: the header; ``text``: the page, where it is not in the file.
    """
    global _closed
    about = _about(question["about"])
    try:
        if not _closed:
            close_in([FIRST_FILE] if "text" not in question else [])
            _closed = True
        if question["kind"] == "zim":
            from labrig_atlas.wiki.zim import entry

            return entry(question["entry"])
        text, note = (
            (question["text"], "") if "text" in question else decoded(_content(), question["content_type"])
        )
        if note:
            about = _about({**question["about"], "notes": [*about.notes, note]})
        if question["kind"] == "decode":
            return text.encode("utf-8", "replace")
        page = _READERS[question["kind"]](text, about)
        return json.dumps(page.to_dict(), ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        )
    except LabrigError:
        raise
    except MemoryError:
        raise LabrigError(
            "Reading the page needs too much memory", where=about.address, code="limit"
        ) from None
    except Exception as error:  # a broken page finds others
        raise LabrigError(
            f"The page cannot be read: {type(error).__name__}: {error}", where=about.address
        ) from None


def _about(said: Any) -> About:
    lists = {name: tuple(said.get(name) or ()) for name in ("categories", "notes")}
    return About(**{**said, **lists})


def _content() -> bytes:
    with os.fdopen(os.dup(FIRST_FILE), "rb") as file:
        file.seek(0)
        return file.read()


def _html(text: str, about: About) -> Page:
    return page_of(text, about)


def _wikitext(text: str, about: About) -> Page:
    host, _, title = about.address.removeprefix("https://").partition("/wiki/")
    found = rendered(text, Identity(host, about.title or title))
    known = replace(
        about,
        categories=about.categories or found.categories,
        languages=about.languages or found.languages or None,
        notes=(*about.notes, *found.notes),
    )
    return page_of(found.html, known)


def _plain(text: str, about: About) -> Page:
    """Return a page of plain text: one block, as it is."""
    text = text.replace("\x00", "").strip("\n")
    block = Block("code", (Run(text),))
    return Page(
        title=about.title or about.address,
        address=about.address,
        sections=(Section("", 1, "", (block,) if text.strip() else ()),),
        source=about.source,
        notes=about.notes,
    )


_READERS = {"html": _html, "plain": _plain, "wikitext": _wikitext}
