"""The words of HTML as runs: white space as a browser shows it, links resolved, styles kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urljoin, urlsplit

from labrig_atlas.wiki.page import Run, Runs
from labrig_atlas.wiki.walking import Walk, classes_of, is_unseen

MOST_ADDRESS = 2_000
"""Characters of an address; a longer one is no link of ours, its words stay."""
_STYLES = {
    **dict.fromkeys(("b", "strong", "dt"), "b"),
    **dict.fromkeys(("i", "em", "cite", "var", "dfn"), "i"),
    **dict.fromkeys(("code", "kbd", "tt", "samp"), "c"),
    "sup": "^",
    "sub": "_",
}
_ORDER = "bic^_"
BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "center",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
            "fieldset",
        ),
        *(
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "li",
            "main",
        ),
        *(
            "nav",
            "ol",
            "p",
            "pre",
            "section",
            "summary",
            "table",
            "tbody",
            "td",
            "tfoot",
            "th",
            "thead",
            "tr",
            "ul",
        ),
        *("caption", "body", "html", "hgroup", "search"),
    )
)
"""Elements before and behind which a line ends."""
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_NOTHING = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))
_HARD = re.compile(r"(?<!\d)\u00a0|\u00a0(?!\d{3}(?!\d))")
"""A no-break space that does not part thousands."""
_TEX = re.compile(r"^\{\\(?:displaystyle|textstyle)\s*(.*)\}$", re.DOTALL)


class Words:
    """Collects the runs of a block, from the events of a walk.

    Parameters
    ----------
    base
        What links are resolved against.
    page
        The address of the page itself, for links to its sections.
    """

    def __init__(self, base: str, page: str) -> None:
        self._base, self._page = base, page
        self._runs: list[list[str]] = []
        self._styles: list[str] = []
        self._links: list[str] = []
        self._resolved: dict[str, str] = {}
        self._raised: str = ""

    def open(self, tag: str, attributes: dict[str, str | None], classes: frozenset[str]) -> None:
        """Take the beginning of an inline element."""
        if tag == "a":
            self._links.append("" if "new" in classes else self.address(attributes.get("href") or ""))
        elif tag == "br":
            self.line()
        elif tag == "img" and "mwe-math-fallback-image-inline" in classes | {each[:31] for each in classes}:
            self.text(formula(attributes.get("alt") or ""))
        elif tag in _STYLES:
            self._styles.append(_STYLES[tag])
            self._raised = tag if tag == "sup" else self._raised

    def close(self, tag: str) -> None:
        """Take the end of an inline element."""
        if tag == "a":
            if self._links:
                self._links.pop()
        elif tag in _STYLES and self._styles:
            self._styles.pop()
            self._raised = ""

    def text(self, text: str) -> None:
        """Take a piece of text; white space in it counts as one space."""
        text = _SPACE.sub(" ", text.translate(_NOTHING))
        last = self._runs[-1][0] if self._runs else "\n"
        if text.startswith(" ") and last.endswith((" ", "\n")):
            text = text[1:]
        if not text:
            return
        if self._raised and last[-1:].isdigit() and re.match(r"[-\u2212]?\d", text):
            text = f"^{text}"  # 10 to the power of 6 is not 106
        self._raised = ""
        link = self._links[-1] if self._links else ""
        style = "".join(each for each in _ORDER if each in self._styles) if self._styles else ""
        if self._runs and self._runs[-1][1:] == [link, style]:
            self._runs[-1][0] += text
        else:
            self._runs.append([text, link, style])

    def line(self) -> None:
        """End the line, if it has begun."""
        if self._runs and not self._runs[-1][0].endswith("\n"):
            self._runs[-1][0] = self._runs[-1][0].rstrip(" ")
            if self._runs[-1][0] or len(self._runs) > 1:
                self._runs.append(["\n", "", ""])
            else:
                self._runs.pop()

    def take(self) -> Runs:
        """Return what came, without white space at its ends, and begin anew; open links and styles go on."""
        runs, self._runs = self._runs, []
        while runs and not runs[-1][0].strip():
            runs.pop()
        if runs:
            runs[-1][0] = runs[-1][0].rstrip()
            runs[0][0] = runs[0][0].lstrip()
        return tuple(Run(_soft(text), link, style) for text, link, style in runs if text)

    def address(self, href: str) -> str:
        """Return an absolute URL for a link, empty for what leads nowhere that can be asked."""
        if href not in self._resolved:
            self._resolved[href] = resolved(href, self._base, self._page)
        return self._resolved[href]


def resolved(href: str, base: str, page: str) -> str:
    """Return the absolute URL of a link; empty for scripts, mail, data, footnotes and what is too long."""
    href = href.strip()
    if (
        not href
        or len(href) > MOST_ADDRESS
        or href.startswith(("#cite", "#mw-", "javascript:", "data:", "mailto:"))
    ):
        return ""
    if "redlink=1" in href:
        return ""
    try:
        full = page + href if href.startswith("#") else urljoin(base, href)
        parts = urlsplit(full)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"[\s<>\"\x00-\x1f]", full):
        return ""
    return full if len(full) <= MOST_ADDRESS else ""


def runs_of(node: Any, base: str, page: str) -> Runs:
    """Return the words of an element: its blocks as lines, what no reader sees left out."""
    words = Words(base, page)
    walk = Walk(node)
    for event, each in walk:
        if event == "text":
            words.text(each.text_content or "")
            continue
        tag = each.tag
        if event == "close":
            words.close(tag)
            if tag in BLOCKS:
                words.line()
            continue
        attributes = each.attributes
        classes = classes_of(attributes)
        if tag == "math" or "mwe-math-element" in classes:
            words.text(formula_of(each))
            walk.skip()
        elif is_unseen(tag, attributes, classes):
            walk.skip()
        else:
            if tag in BLOCKS:
                words.line()
            words.open(tag, attributes, classes)
    return words.take()


def text_of(runs: Iterable[Run]) -> str:
    """Return the text of runs on one line."""
    return _SPACE.sub(" ", "".join(run.text for run in runs)).strip()


def formula_of(node: Any) -> str:
    """Return the TeX of a formula, as its page gives it for those who do not see it."""
    found = node if node.tag == "math" else node.css_first("math")
    alternative = found.attributes.get("alttext") if found is not None else None
    if not alternative:
        image = node.css_first("img")
        alternative = image.attributes.get("alt") if image is not None else None
    return formula(alternative) if alternative else (node.text() or "")


def formula(tex: str) -> str:
    """Return TeX without the wrapping that MediaWiki puts around it."""
    match = _TEX.match(tex.strip())
    return (match.group(1) if match else tex).strip()


def _soft(text: str) -> str:
    return _HARD.sub(" ", text) if "\u00a0" in text else text
