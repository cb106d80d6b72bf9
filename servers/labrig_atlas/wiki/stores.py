"""What every source of wiki pages can do, whether it is a file, a world of ours or the live Wikipedia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.page import Page


@dataclass(frozen=True)
class Found:
    """A page that a search found.

    Attributes
    ----------
    excerpt
        Words of the page around what was looked for, at most 300 characters.
    """

    title: str
    address: str
    excerpt: str


class Store(Protocol):
    """A source of wiki pages. All of it may be asked from one event loop at a time."""

    @property
    def source(self) -> str:
        """What it is, in one line: for results and for `doctor`."""

    async def get(self, identity: Identity) -> Page:
        """Return a page, redirects followed.

        Raises
        ------
        LabrigError
            ``not_found`` with near titles; ``unavailable`` for a damaged store.
        """

    async def search(self, text: str, n: int = 5) -> list[Found]:
        """Return the pages that fit a text best, best first; none for a text without words."""

    async def titles(self, beginning: str = "", n: int = 20) -> list[str]:
        """Return titles that begin so, case and accents ignored, in order."""

    async def close(self) -> None:
        """Close files and connections."""
