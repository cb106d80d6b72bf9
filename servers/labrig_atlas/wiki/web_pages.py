"""Pages of the web that are no pages of a wiki: fetched by the site's rules for programs, parsed in a child."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labrig.http.pages import HTML, fetch_page
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.apart import MOST_BYTES, page_apart, text_apart
from labrig_atlas.wiki.page import Page

if TYPE_CHECKING:
    from labrig.http import Client, Response
    from labrig.isolation.children import Children


async def web_page(client: Client, by: Children, address: str) -> Page:
    """Return the page at an address: HTML by its parts, plain text, JSON and XML as they are.

    Parameters
    ----------
    client
        What asks. Private addresses are refused, and so is what the site's robots.txt forbids.
    by
        What parses: `labrig_atlas.wiki.apart.readers`.

    Raises
    ------
    LabrigError
        What `labrig.http` raises; ``refused`` for pictures, PDF and other files; what `page_apart` raises.
    """
    answer = await fetch_page(client, address, most_bytes=MOST_BYTES)
    kind = "html" if answer.media_type in HTML else "plain"
    stated = answer.headers.get("content-type", "")
    return await page_apart(by, answer.body, _about(answer), kind=kind, content_type=stated)


async def web_source(client: Client, by: Children, address: str) -> str:
    """Return the text at an address as it was sent, HTML and all; errors as `web_page`."""
    answer = await fetch_page(client, address, most_bytes=MOST_BYTES)
    return await text_apart(
        by, answer.body, _about(answer), content_type=answer.headers.get("content-type", "")
    )


def _about(answer: Response) -> About:
    source = f"{answer.url}, retrieved {answer.retrieved_at[:10]}"
    return About(answer.url.partition("#")[0], wiki=False, source=source)
