"""Wikitext, as a dump has it, as HTML: a careful small renderer, whose output is read as any page of HTML is.

It knows links, headings, lists, tables, quotes, HTML, and those templates that `wikitext_templates` has a rule for. A
template is a program of its wiki and is not run: one without a rule stands on the page by its name in double brackets,
and the page says which there are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from html import escape

from labrig.errors import LabrigError
from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.wikitext_lines import lines_html, quoted
from labrig_atlas.wiki.wikitext_templates import SILENT, infobox_html, is_infobox, rule_of
from labrig_atlas.wiki.wikitext_tree import Call, Nodes, arguments, text_of, tree_of

_DROPPED = (
    "ref",
    "gallery",
    "timeline",
    "imagemap",
    "score",
    "templatestyles",
    "graph",
    "mapframe",
    "maplink",
    "hiero",
)
"""Elements whose content is no text of the page."""
_KEPT = ("nowiki", "pre", "math", "syntaxhighlight", "source", "code")
"""Elements in which wikitext means nothing."""
_FILE = frozenset(("file", "image", "media"))
_TRAIL = re.compile(r"[a-z]+")
_OUTSIDE = re.compile(r"\[(https?://[^\s\]<>\"]+)(?:[ \t]+([^\[\]\n]{0,1000}))?\]")
_SWITCH = re.compile(r"__[A-Z]+__")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple")


@dataclass(frozen=True)
class Rendered:
    """Wikitext as HTML.

    Attributes
    ----------
    languages
        How many language editions it links to.
    notes
        What could not be rendered.
    """

    html: str
    categories: tuple[str, ...]
    languages: int
    notes: tuple[str, ...]


def rendered(text: str, page: Identity) -> Rendered:
    """Return the wikitext of a page as HTML."""
    return _Renderer(page).page(text)


class _Renderer:
    """Renders one page."""

    def __init__(self, page: Identity) -> None:
        self._page = page
        self._kept: list[str] = []
        self._categories: dict[str, None] = {}
        self._languages: set[str] = set()
        self._unknown: Counter[str] = Counter()
        self._tables = 0

    def page(self, text: str) -> Rendered:
        text = _without_comments(text.replace("\x02", "").replace("\x03", ""))
        text = self._protected(text)
        for name in _DROPPED:
            text = _without(text, name)
        text = self._inline(tree_of(_SWITCH.sub("", text)))
        html = self._restored(lines_html(self._linked_outside(text)))
        notes = []
        if self._unknown:
            named = ", ".join(
                f"{{{{{name}}}}}" + (f" ({count})" if count > 1 else "")
                for name, count in self._unknown.most_common(8)
            )
            more = f" and {len(self._unknown) - 8} others" if len(self._unknown) > 8 else ""
            notes.append(f"{sum(self._unknown.values())} templates are not rendered: {named}{more}")
        return Rendered(
            f'<div class="mw-parser-output">{html}</div>',
            tuple(self._categories),
            len(self._languages),
            tuple(notes),
        )

    def _inline(self, nodes: Nodes) -> str:
        """Return nodes as text with HTML in it."""
        pieces: list[str] = []
        trail = False
        for node in nodes:
            if isinstance(node, str):
                if trail and (found := _TRAIL.match(node)) and pieces and pieces[-1].endswith("</a>"):
                    pieces[-1] = pieces[-1][: -len("</a>")] + found.group() + "</a>"  # [[mountain]]s
                    node = node[found.end() :]
                pieces.append(node)
                trail = False
            else:
                pieces.append(self._template(node) if node.kind == "template" else self._link(node))
                trail = node.kind == "link"
        return "".join(pieces)

    def _template(self, call: Call) -> str:
        name = text_of(call.parts[0]).replace("_", " ").strip()
        folded = " ".join(name.lower().split()).removeprefix("template:").strip()
        if folded in ("pagename", "fullpagename", "subpagename"):
            return escape(self._page.title)
        if folded.startswith("formatnum:"):
            call = Call("template", (("formatnum",), (name.partition(":")[2],)))
            folded = "formatnum"
        rule = rule_of(folded)
        if rule is None and SILENT.fullmatch(folded):
            return ""
        if rule is None and not is_infobox(folded):
            self._unknown[name[:60] or "?"] += 1
            return f"⟦{escape(name[:60])}⟧"
        places, names = arguments(call)
        if is_infobox(folded):
            html = infobox_html({key: self._value(value) for key, value in names.items()})
            return f"\n{self._keep(html)}\n"
        given = {place: self._value(value) for place, value in places.items()}
        html = rule(given, {key: self._value(value) for key, value in names.items()}) if rule else ""
        if "[[" in html:
            html = self._inline(tree_of(html))
        return f"\n{self._keep(html)}\n" if html.startswith("<div") else html

    def _value(self, nodes: Nodes) -> str:
        """Return an argument as HTML: by lines where it holds a list or a table."""
        text = self._inline(nodes).strip()
        if re.search(r"(?:^|\n)\s*(?:[*#]|\{\|)", text):
            return lines_html(text).replace("\n", "")
        return quoted(text.replace("\n", " "))

    def _link(self, call: Call) -> str:
        target = text_of(call.parts[0]).strip()
        prefix, colon, rest = target.partition(":")
        kind = prefix.strip().lower()
        if colon and kind in _FILE:
            return self._picture(call)
        if colon and kind == "category":
            self._categories[rest.strip().replace("_", " ")] = None
            return ""
        words = self._value(call.parts[-1]) if len(call.parts) > 1 else escape(target.lstrip(":"))
        if colon and kind and kind != self._page.language and _LANGUAGE.fullmatch(kind) and rest.strip():
            if len(call.parts) == 1:
                self._languages.add(kind)
                return ""
            return words
        if not words.strip():  # the pipe trick: [[Paris (mythology)|]]
            words = escape(re.sub(r"\s*\([^()]*\)$", "", target))
        try:
            identity = self._page if target.startswith("#") else self._page.titled(target)
        except LabrigError:
            return words
        anchor = f"#{target[1:]}" if target.startswith("#") else ""
        return f'<a href="{escape(str(identity) + anchor)}">{words}</a>'

    def _picture(self, call: Call) -> str:
        """Return the caption of a picture: its last part that is words."""
        options = re.compile(
            r"(?:thumb|thumbnail|frame|frameless|border|left|right|center|none|upright.*|\d*x?\d*px|\w+=.*)",
            re.S,
        )
        for part in reversed(call.parts[1:]):
            if not options.fullmatch(text_of(part).strip()):
                return f"\n{self._keep(f'<figure><figcaption>{self._value(part)}</figcaption></figure>')}\n"
        return ""

    def _linked_outside(self, text: str) -> str:
        def link(found: re.Match[str]) -> str:
            return f'<a href="{escape(found.group(1))}">{found.group(2) or escape(found.group(1))}</a>'

        return _OUTSIDE.sub(link, text)

    def _protected(self, text: str) -> str:
        """Put what is no wikitext out of the way."""
        pattern = re.compile(rf"<({'|'.join(_KEPT)})\b([^<>]*?)(/?)>", re.IGNORECASE)
        pieces: list[str] = []
        at = 0
        unclosed: set[str] = set()
        for found in pattern.finditer(text):
            name = found.group(1).lower()
            if found.start() < at or found.group(3) or name in unclosed:
                continue
            closing = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, found.end())
            if closing is None:
                unclosed.add(name)
                continue
            end = closing.start()
            inner = escape(text[found.end() : end])
            tag = {"nowiki": "span", "syntaxhighlight": "pre", "source": "pre"}.get(name, name)
            html = f'<math alttext="{inner}"></math>' if name == "math" else f"<{tag}>{inner}</{tag}>"
            pieces += [text[at : found.start()], self._keep(html)]
            at = closing.end()
        return "".join([*pieces, text[at:]])

    def _keep(self, html: str) -> str:
        self._kept.append(html)
        return f"\x02{len(self._kept) - 1}\x03"

    def _restored(self, html: str) -> str:
        """Put back what was out of the way; it may hold more of it, which was put away before."""
        for _ in range(8):
            if "\x02" not in html:
                return html
            html = re.sub(r"\x02(\d+)\x03", lambda found: self._kept[int(found.group(1))], html)
        return html.replace("\x02", "").replace("\x03", "")


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        pieces.append(text[at:start])
        if end < 0:
            return "".join(pieces)
        at = end + 3
    return "".join([*pieces, text[at:]])


def _without(text: str, name: str) -> str:
    """Return a text without the elements of a name; one that is not closed loses its tag alone."""
    opening = re.compile(rf"<{name}\b[^<>]*?(/?)>", re.IGNORECASE)
    closing = re.compile(rf"</{name}\s*>", re.IGNORECASE)
    pieces: list[str] = []
    at, closed = 0, True
    for found in opening.finditer(text):
        if found.start() < at:
            continue
        pieces.append(text[at : found.start()])
        at = found.end()
        if not found.group(1) and closed:
            end = closing.search(text, at)
            closed = end is not None
            at = end.end() if end else at
    return "".join([*pieces, text[at:]])
