"""What every source of a store gives: its pages as text that is not parsed yet, with how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from labrig_atlas.articles import Article


@dataclass(frozen=True)
class Raw:
    """A page, a redirect or what is left out, of a source.

    Attributes
    ----------
    kind
        ``html``, ``wikitext`` or ``article``; ``redirect``; ``left_out``.
    text
        The page; the title that a redirect leads to; why it is left out.
    article
        Where it is one of ours.
    revision
        Of the wiki, or empty.
    done
        How much of the source is read, of `Source.total`.
    """

    title: str
    kind: str
    text: str = ""
    article: Article | None = None
    revision: str = ""
    done: int = 0


class Source(Protocol):
    """Where pages come from."""

    @property
    def line(self) -> str:
        """What it is, in one line, for the store and its pages."""

    @property
    def host(self) -> str:
        """Of the wiki it was taken from; empty where it does not say."""

    @property
    def total(self) -> int:
        """How much there is to read, in its own unit."""

    def pages(self) -> Iterator[Raw]:
        """Give its pages in an order that is always the same."""
