"""A tree of HTML in the order of the text, however deep it is; and what of it no reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

Event = Literal["open", "text", "close"]

_TAGS = frozenset(
    (
        *(
            "script",
            "style",
            "noscript",
            "template",
            "iframe",
            "object",
            "embed",
            "svg",
            "canvas",
            "head",
            "link",
            "meta",
        ),
        *("input", "button", "select", "textarea", "audio", "video", "datalist", "dialog", "map"),
    )
)
_CLASSES = frozenset(
    (
        *(
            "reference",
            "mw-ref",
            "mw-editsection",
            "mw-cite-backlink",
            "mw-jump-link",
            "Inline-Template",
            "noprint",
        ),
        *(
            "navbox",
            "navbox-styles",
            "vertical-navbox",
            "sidebar",
            "metadata",
            "ambox",
            "mbox-small",
            "tmbox",
            "ombox",
        ),
        *(
            "toc",
            "toclimit",
            "vector-toc",
            "sistersitebox",
            "side-box",
            "portalbox",
            "portal-bar",
            "authority-control",
        ),
        *(
            "shortdescription",
            "sortkey",
            "printfooter",
            "catlinks",
            "geo-nondefault",
            "geo-multi-punct",
            "mw-indicators",
        ),
        *(
            "mw-selflink-fragment",
            "error-marker",
            "stub",
            "asbox",
            "ext-phonos",
            "mw-kartographer-maplink-icon",
        ),
    )
)
_REFERENCES = frozenset(("reflist", "references", "mw-references-wrap", "refbegin-columns"))
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


class Walk:
    """The nodes below a node, as events; `skip` at an ``open`` goes past what is in it, and its ``close``."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._skip = False

    def skip(self) -> None:
        """Go past the element that was opened just now."""
        self._skip = True

    def __iter__(self) -> Iterator[tuple[Event, Any]]:
        end = self._root.mem_id
        node = self._root.first_child
        while node is not None:
            if node.is_text_node:
                yield "text", node
            elif node.is_element_node:
                yield "open", node
                if self._skip:
                    self._skip = False
                else:
                    child = node.first_child
                    if child is not None:
                        node = child
                        continue
                    yield "close", node
            while True:
                following = node.next
                if following is not None:
                    node = following
                    break
                node = node.parent
                if node is None or node.mem_id == end:
                    return
                yield "close", node


def classes_of(attributes: dict[str, str | None]) -> frozenset[str]:
    """Return the classes of an element."""
    named = attributes.get("class")
    return frozenset(named.split()) if named else frozenset()


def is_unseen(tag: str, attributes: dict[str, str | None], classes: frozenset[str]) -> bool:
    """Tell whether a reader sees nothing of an element, or no text of the page: edit links, boxes of links."""
    if tag in _TAGS or "hidden" in attributes:
        return True
    if classes and not classes.isdisjoint(_CLASSES):
        return True
    style = attributes.get("style")
    return bool(style and _HIDDEN.search(style))


def is_references(classes: frozenset[str]) -> bool:
    """Tell whether an element is a list of references."""
    return not classes.isdisjoint(_REFERENCES)
