"""Lines of wikitext as HTML: headings, lists, tables, paragraphs, quotes for bold and italic. Templates and links are
HTML already when lines are read."""

from __future__ import annotations

import re
from html import escape

_ITEM = re.compile(r"[*#:;]+")
_TAGS = {"*": ("ul", "li"), "#": ("ol", "li"), ":": ("dl", "dd"), ";": ("dl", "dt")}
_BLOCK = re.compile(
    r"\s*(?:\x02|</?(?:table|tr|td|th|div|ul|ol|li|dl|blockquote|p|pre|h[1-6]|hr|center|section)\b)", re.I
)
_BARS = re.compile(r"\|\|")
_HEADS = re.compile(r"!!|\|\|")


def lines_html(text: str) -> str:
    """Return wikitext, in which templates and links are HTML, as HTML."""
    writer = _Writer()
    for line in text.split("\n"):
        writer.line(line)
    return writer.done()


class _Writer:
    """Writes HTML line by line; what HTML closes by itself (cells, rows, paragraphs) is not closed."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._lists = ""
        self._tables = 0
        self._paragraph = self._code = False

    def line(self, line: str) -> None:
        bare = line.strip()
        if self._code and not line.startswith(" "):
            self._parts.append("</pre>")
            self._code = False
        item = _ITEM.match(line)
        self._to_lists(item.group() if item else "")
        if bare.startswith("{|"):
            self._tables += 1
            self._put(f"<table {bare[2:].strip()}>")
        elif self._tables and bare.startswith(("|", "!")):
            self._table_line(bare)
        elif item:
            self._item(line[item.end() :].strip(), item.group())
        elif not bare:
            self._paragraph = False
        elif level := _level(bare):
            words = bare[level:-level].strip()
            anchor = escape(re.sub(r"<[^>]*>|\x02\d+\x03|'{2,}", "", words).strip().replace(" ", "_"))
            self._put(f'<h{level} id="{anchor}">{quoted(words)}</h{level}>')
        elif re.fullmatch(r"-{4,}", bare):
            self._put("<hr>")
        elif line.startswith(" ") and not self._tables and not self._paragraph and not _BLOCK.match(line):
            self._parts.append(("\n" if self._code else "<pre>") + quoted(line[1:]))
            self._code = True
        elif _BLOCK.match(line):
            self._put(quoted(line))
        else:
            self._parts.append(("\n" if self._paragraph else "<p>") + quoted(line))
            self._paragraph = True

    def done(self) -> str:
        self._to_lists("")
        return "".join(self._parts) + ("</pre>" if self._code else "") + "</table>" * self._tables

    def _put(self, html: str) -> None:
        self._parts.append(f"\n{html}")
        self._paragraph = False

    def _to_lists(self, wanted: str) -> None:
        """Close and open lists until those are open that a line's marks ask for."""
        wanted = wanted[:20]
        same = 0
        while (
            same < min(len(wanted), len(self._lists))
            and _TAGS[wanted[same]][0] == _TAGS[self._lists[same]][0]
        ):
            same += 1
        for mark in reversed(self._lists[same:]):
            self._put(f"</{_TAGS[mark][1]}></{_TAGS[mark][0]}>")
        for mark in wanted[same:]:
            self._put(f"<{_TAGS[mark][0]}>")
        self._lists = wanted

    def _item(self, words: str, marks: str) -> None:
        tag = _TAGS[marks[-1]][1]
        if tag == "dt" and " : " in words:
            term, _, meaning = words.partition(" : ")
            self._put(f"<dt>{quoted(term)}<dd>{quoted(meaning)}")
        else:
            self._put(f"<{tag}>{quoted(words)}")

    def _table_line(self, line: str) -> None:
        if line.startswith("|}"):
            self._tables -= 1
            self._put("</table>" + quoted(line[2:]))
        elif line.startswith("|-"):
            self._put(f"<tr {line[2:].lstrip('-').strip()}>")
        elif line.startswith("|+"):
            self._put(f"<caption>{quoted(_content(line[2:])[1])}</caption>")
        else:
            head = line.startswith("!")
            for cell in (_HEADS if head else _BARS).split(line[1:]):
                attributes, words = _content(cell)
                tag = "th" if head else "td"
                self._put(f"<{tag} {attributes}>{quoted(words.strip())}")


def _level(line: str) -> int:
    """Return the level of a heading, 0 for a line that is no heading: equals signs on both sides, and words between."""
    before = len(line) - len(line.lstrip("="))
    after = len(line) - len(line.rstrip("="))
    level = min(before, after, 6)
    return level if level and line[level:-level].strip("= ") else 0


def _content(cell: str) -> tuple[str, str]:
    """Return the attributes of a cell, and its words."""
    before, bar, after = cell.partition("|")
    if bar and "<" not in before and "\x02" not in before and (not before.strip() or "=" in before):
        return before.strip(), after
    return "", cell


def quoted(text: str) -> str:
    """Return a line with its quotes as bold and italic."""
    if "''" not in text:
        return text
    text = re.sub(r"'''''(.+?)'''''", r"<b><i>\1</i></b>", text)
    text = re.sub(r"'''(.+?)'''", r"<b>\1</b>", text)
    return re.sub(r"''(.+?)''", r"<i>\1</i>", text)
