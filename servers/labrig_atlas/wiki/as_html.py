"""A page of ours as plain HTML, for who asks for the source of a page that has none."""

from __future__ import annotations

from html import escape

from labrig_atlas.wiki.page import Block, Page, Run, Table

_TAGS = (("b", "b"), ("i", "i"), ("c", "code"), ("^", "sup"), ("_", "sub"))


def as_html(page: Page) -> str:
    """Return a page as HTML with an infobox, headings, paragraphs, lists and tables, in MediaWiki's shape."""
    parts = [f'<h1 id="firstHeading">{escape(page.title)}</h1>', '<div class="mw-parser-output">']
    parts += [f'<div class="hatnote" role="note">{_runs(runs)}</div>' for runs in page.hatnotes]
    if page.infobox:
        parts.append('<table class="infobox"><tbody>')
        group = ""
        for field in page.infobox:
            if field.group != group:
                group = field.group
                parts.append(f'<tr><th colspan="2" class="infobox-header">{escape(group)}</th></tr>')
            label = f'<th scope="row" class="infobox-label">{escape(field.label)}</th>'
            parts.append(f'<tr>{label}<td class="infobox-data">{_runs(field.runs)}</td></tr>')
        parts.append("</tbody></table>")
    for section in page.sections:
        if section.title:
            level = min(6, max(2, section.level))
            parts.append(f'<h{level} id="{escape(section.anchor)}">{escape(section.title)}</h{level}>')
        parts += _blocks(section.blocks, page.tables)
    return "\n".join([*parts, "</div>"])


def _blocks(blocks: tuple[Block, ...], tables: tuple[Table, ...]) -> list[str]:
    parts: list[str] = []
    lists: list[str] = []
    for block in blocks:
        depth = block.depth if block.kind == "item" else 0
        while len(lists) > depth:
            parts.append(f"</{lists.pop()}>")
        while len(lists) < depth:
            lists.append("ol" if block.marker.rstrip(".").isdigit() else "ul")
            start = f' start="{block.marker.rstrip(".")}"' if lists[-1] == "ol" else ""
            parts.append(f"<{lists[-1]}{start}>")
        if block.kind == "table":
            parts += [_table(tables[block.table])] if 0 <= block.table < len(tables) else []
        else:
            before, after = _AROUND[block.kind]
            parts.append(before + _runs(block.runs) + after)
    return parts + [f"</{each}>" for each in reversed(lists)]


_AROUND = {
    "paragraph": ("<p>", "</p>"),
    "item": ("<li>", "</li>"),
    "quote": ("<blockquote>", "</blockquote>"),
    "code": ("<pre>", "</pre>"),
    "caption": ("<figure><figcaption>", "</figcaption></figure>"),
}


def _table(table: Table) -> str:
    rows = []
    for row in table.rows:
        cells = []
        for cell in row:
            tag = "th" if cell.header else "td"
            spans = (f' colspan="{cell.columns}"' if cell.columns > 1 else "") + (
                f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            )
            cells.append(f"<{tag}{spans}>{_runs(cell.runs)}</{tag}>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return f'<table class="wikitable">{caption}{"".join(rows)}</table>'


def _runs(runs: tuple[Run, ...]) -> str:
    return "".join(_run(run) for run in runs)


def _run(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br>")
    for letter, tag in _TAGS:
        if letter in run.style:
            text = f"<{tag}>{text}</{tag}>"
    return f'<a href="{escape(run.link)}">{text}</a>' if run.link else text
