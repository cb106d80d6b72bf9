"""Asking the child that parses a page, and checking what it says: a parser that a page took over may say anything."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.children import Children, Standing
from labrig.isolation.process import Limits
from labrig.threads import in_thread
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.page import Page

WHAT = "Reading the page"
LIMITS = Limits(wall_s=20, cpu_s=20, memory_bytes=3 << 30, output_bytes=64 << 20)
"""Of one page; a client waits 60 s. 16 MiB of HTML take 600 MB and 5 s."""
STAYS = Limits(wall_s=LIMITS.wall_s, memory_bytes=LIMITS.memory_bytes, output_bytes=LIMITS.output_bytes)
"""Of each question to a child that stays, while a store is built."""
MOST_BYTES = 16 << 20
"""Of a page. The longest articles of Wikipedia have 5 MB."""

_LONG = 1 << 20
"""Bytes of an answer that takes longer to check than others should wait."""


def readers(*, slots: int = 2, places: int = 100) -> Children:
    """Return what parses pages in processes of their own, so many at a time for each caller."""
    return Children(
        "labrig_atlas.wiki.inside",
        what=WHAT,
        limits=LIMITS,
        slots=slots,
        places=places,
        preload=("selectolax.lexbor", "labrig_atlas.wiki.html_pages"),
    )


async def page_apart(
    by: Children, data: bytes, about: About, *, kind: str = "html", content_type: str = ""
) -> Page:
    """Return the page that bytes hold, parsed by a child.

    Parameters
    ----------
    by
        What `readers` returned.
    kind
        ``html``, ``wikitext`` or ``plain``.
    content_type
        The header that they came with, for the charset.

    Raises
    ------
    LabrigError
        ``too_large`` for more than `MOST_BYTES`; ``limit`` for what takes too long or too much memory;
        ``bad_input`` for what crashes the parser; ``busy`` for too many at a time.
    """
    said = await _asked(by, data, about, kind, content_type)
    if len(said) > _LONG:
        return await in_thread(checked, said, about.address)
    return checked(said, about.address)


async def text_apart(by: Children, data: bytes, about: About, *, content_type: str = "") -> str:
    """Return the text of bytes, in the charset that they are in; errors as `page_apart`."""
    return (await _asked(by, data, about, "decode", content_type)).decode("utf-8", "replace")


class PageReader:
    """One child that reads page after page, while a store is built."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    async def page(self, text: str, about: About, kind: str) -> Page:
        """Return a page of its text; errors as `page_apart`, and ``engine`` where the child has ended."""
        if len(text) > MOST_BYTES:
            raise too_large(about.address, len(text))
        question = {"kind": kind, "about": asdict(about), "content_type": "", "text": text}
        return checked(await self._standing.ask(question), about.address)


@asynccontextmanager
async def page_reader(by: Children) -> AsyncIterator[PageReader]:
    """Give a child that stays; it has ended when one of its pages took it down."""
    async with by.standing(limits=STAYS) as standing:
        yield PageReader(standing)


def checked(said: bytes, address: str) -> Page:
    """Return the page that a child said, if it is one."""
    try:
        return Page.from_dict(json.loads(said))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise LabrigError(
            "The reader gave no page: the page is broken, or made to do that", where=address
        ) from None


def too_large(address: str, size: int) -> LabrigError:
    """Return the error for a page that is too long to be read."""
    return LabrigError(
        f"The page has {size:,} bytes; pages of at most {MOST_BYTES:,} are read",
        where=address,
        code="too_large",
    )


async def _asked(by: Children, data: bytes, about: About, kind: str, content_type: str) -> bytes:
    if len(data) > MOST_BYTES:
        raise too_large(about.address, len(data))
    question: dict[str, Any] = {"kind": kind, "about": asdict(about), "content_type": content_type}
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        return await by.answer(question, [file.fileno()], reads=about.address)
