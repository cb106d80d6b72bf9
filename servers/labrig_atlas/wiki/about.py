"""What is known of a page besides its HTML: it goes with it to the child that parses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """What is known of a page besides its HTML.

    Attributes
    ----------
    address
        Without a section.
    title
        Empty where the HTML has to say it.
    wiki
        Whether it is a page of a wiki: then links are relative to its titles.
    language
        Of the text.
    """

    address: str
    title: str = ""
    wiki: bool = True
    language: str = "en"
    source: str = ""
    categories: tuple[str, ...] = ()
    languages: int | None = None
    disambiguation: bool = False
    redirected_from: str = ""
    notes: tuple[str, ...] = ()
    made_up: bool = False
