"""HTML as wikis and the web give it becomes a page: what a reader sees, typed where it can be, and nothing else."""

from __future__ import annotations

import json

import pytest

from labrig_atlas.wiki.decoding import decoded
from labrig_atlas.wiki.grids import cells_of
from labrig_atlas.wiki.html_pages import About, page_of
from labrig_atlas.wiki.marking import as_published, page_marked
from labrig_atlas.wiki.page import Field, Page
from labrig_atlas.wiki.views import table

MOUNTAIN = """<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">
<div class="shortdescription nomobile noexcerpt noprint" style="display:none">Peak made for a test</div>
<style data-mw-deduplicate="x">.a{b:c}</style>
<div role="note" class="hatnote navigation-not-searchable">For other uses, see
<a href="/wiki/Mount_Osk_(disambiguation)" class="mw-disambig">Mount Osk (disambiguation)</a>.</div>
<table class="infobox vcard"><tbody>
<tr><th colspan="2" class="infobox-above"><div style="display:inline;" class="fn org">Mount Osk</div></th></tr>
<tr><td colspan="2" class="infobox-image"><span><a href="/wiki/File:Osk.jpg"><img src="o.jpg"></a></span>
<div class="infobox-caption">The north face in 1984</div></td></tr>
<tr><th colspan="2" class="infobox-header">Highest point</th></tr>
<tr><th scope="row" class="infobox-label"><a href="/wiki/Elevation">Elevation</a></th>
<td class="infobox-data">2,468&#160;m (8,097&#160;ft)<sup id="cite_ref-1" class="reference"><a
href="#cite_note-1">[1]</a></sup></td></tr>
<tr><th scope="row" class="infobox-label">Coordinates</th><td class="infobox-data"><span class="geo-inline">
<span class="plainlinks nourlexpansion"><a class="external text" href="https://geohack.example.org/?p=1"><span
class="geo-default">
<span class="geo-dms"><span class="latitude">45°49′57″N</span> <span class="longitude">6°51′52″E</span></span></span>
<span class="geo-multi-punct">&#xfeff; / &#xfeff;</span><span class="geo-nondefault"><span class="geo-dec">45.8326°N
6.8645°E</span>
<span style="display:none">&#xfeff; / <span class="geo">45.8326;
6.8645</span></span></span></a></span></span></td></tr>
<tr class="mergedtoprow"><th colspan="2" class="infobox-header">Area<div
class="ib-settlement-fn">(2020)</div></th></tr>
<tr class="mergedrow"><th scope="row" class="infobox-label">&#160;•&#160;Total</th>
<td class="infobox-data">1,234.5&#160;km<sup>2</sup> (476.6&#160;sq&#160;mi)</td></tr>
<tr class="mergedbottomrow"><th scope="row" class="infobox-label">&#160;•&#160;Ice</th>
<td class="infobox-data">10<sup>6</sup>&#160;m<sup>2</sup></td></tr>
<tr><th scope="row" class="infobox-label">Parent range</th><td class="infobox-data"><a href="/wiki/Osk_Alps">Osk
Alps</a></td></tr>
<tr><th scope="row" class="infobox-label">First ascent</th><td class="infobox-data">
<span style="display:none">(<span class="bday">1893-06-30</span>)</span>30 June 1893 by <a href="/wiki/Ada_Osk">Ada
Osk</a><br>and a guide</td></tr>
<tr><th scope="row" class="infobox-label">Rocks</th><td class="infobox-data"><div
class="plainlist"><ul><li>Granite</li>
<li><a href="/wiki/Gneiss">Gneiss</a><sup class="reference">[2]</sup></li></ul></div></td></tr>
<tr><td colspan="2" class="infobox-full-data"><table class="infobox-subbox"><tbody>
<tr><th colspan="2" class="infobox-header">Administration</th></tr>
<tr><th class="infobox-label">Country</th><td class="infobox-data"><a href="/wiki/Oskia">Oskia</a></td></tr>
</tbody></table></td></tr></tbody></table>
<p class="mw-empty-elt"></p>
<p><b>Mount Osk</b> (<i lang="fr">Mont Osk</i>)&nbsp;is a mountain in the <a href="/wiki/Osk_Alps" title="Osk
Alps">Osk <b>Alps</b></a>.<sup
class="reference"><a href="#cite_note-2">[2]</a></sup> It has <a href="/w/index.php?title=No&action=edit&redlink=1"
class="new">no page</a>.</p>
<div id="toc" class="toc" role="navigation"><h2>Contents</h2></div><meta property="mw:PageProp/toc">
<div class="mw-heading mw-heading2"><h2 id="Climate">Climate</h2><span class="mw-editsection">[<a
href="/x">edit</a>]</span></div>
<div role="note" class="hatnote">Main article: <a href="/wiki/Climate_of_Oskia">Climate of Oskia</a></div>
<figure typeof="mw:File/Thumb"><a href="/wiki/File:B.jpg"><img src="b.jpg"></a><figcaption>Snow in <a
href="/wiki/May">May</a></figcaption></figure>
<p>Cold, see <a href="#Rivers">below</a> and <a href="https://example.org/osk">the station</a>.</p>
<ul><li>summer<ul><li>mild</li></ul></li><li><p>winter</p></li></ul>
<h3><span class="mw-headline" id="Snow_.26_ice">Snow &amp; ice</span></h3><ol start="3"><li>deep<li>old</ol>
<table class="wikitable sortable"><caption>Peaks</caption><tbody><tr><th rowspan="2">Name</th><th
colspan="2">Height</th></tr>
<tr><th>m</th><th>ft</th></tr><tr><td rowspan="2"><a href="/wiki/Big_Osk">Big Osk</a></td><td>2,468</td>
<td><span style="display:none">0008097</span>8,097</td></tr><tr><td colspan="2">unknown</td></tr></tbody></table>
<div class="navbox" role="navigation"><table><tr><td><a href="/wiki/Other">Other</a></td></tr></table></div>
<div class="mw-heading mw-heading2"><h2 id="References">References</h2></div>
<div class="reflist"><ol class="references"><li>Osk, A.</li></ol></div></div>"""
ABOUT = About("https://en.wikipedia.org/wiki/Mount_Osk", "Mount Osk", languages=12, source="a test")


@pytest.fixture(scope="module")
def mountain() -> Page:
    return page_of(MOUNTAIN, ABOUT)


def fields(page: Page) -> dict[str, Field]:
    return {field.label: field for field in page.infobox}


def test_an_infobox_becomes_typed_fields(mountain: Page) -> None:
    box = fields(mountain)
    assert list(box) == [
        *(
            "caption",
            "Elevation",
            "Coordinates",
            "Total",
            "Ice",
            "Parent range",
            "First ascent",
            "Rocks",
            "Country",
        ),
    ]
    height = box["Elevation"].values[0]
    assert (height.number, height.unit, height.also) == (2468, "m", ((8097.0, "ft"),))
    assert box["Elevation"].text == "2,468 m (8,097 ft)" and box["Elevation"].group == "Highest point"
    assert [value.to_dict() for value in box["Coordinates"].values] == [
        {"kind": "coordinates", "text": "45°49′57″N 6°51′52″E", "latitude": 45.8326, "longitude": 6.8645}
    ]
    assert mountain.coordinates == (45.8326, 6.8645)
    assert box["Total"].group == box["Ice"].group == "Area (2020)"
    assert (box["Total"].values[0].number, box["Total"].values[0].unit) == (1234.5, "km2")
    assert (box["Ice"].text, box["Ice"].values[0].number) == ("10^6 m2", 1e6)
    assert box["Parent range"].group == ""  # a merged group does not leak into the rows behind it
    assert box["First ascent"].text == "30 June 1893 by Ada Osk\nand a guide"
    assert [value.iso for value in box["First ascent"].values] == ["1893-06-30"]
    assert box["Rocks"].items == ("Granite", "Gneiss")
    assert box["Country"].group == "Administration"


def test_rows_stand_under_their_headings() -> None:
    rows = [
        '<tr class="mergedtoprow"><td colspan="2"><span class="fn org"><b>Oskia</b></span></td></tr>',
        '<tr class="mergedtoprow"><th class="infobox-label">Government</th><td>Unitary</td></tr>',
        '<tr class="mergedrow"><th>• President</th><td>Ada</td></tr>',
        '<tr class="mergedrow"><th>• Premier</th><td>Bo</td></tr>',
        '<tr class="mergedtoprow"><th colspan="2" class="infobox-header">Population</th></tr>',
        '<tr class="mergedtoprow"><th>Total</th><td>12</td></tr>',
        '<tr class="mergedrow"><th>• Density</th><td>1/km2</td></tr>',
        '<tr class="mergedtoprow"><th>Languages</th><td><dl><dd>Oskian</dd><dd>Welsh</dd></dl></td></tr>',
        '<tr><th colspan="2">Codes</th></tr><tr><th>ISO</th><td>OS</td></tr>',
        '<tr class="mergedtoprow"><th>TLD</th><td>.os</td></tr>',
    ]
    page = page_of(f'<table class="infobox">{"".join(rows)}</table>', ABOUT)
    assert [(field.label, field.group) for field in page.infobox] == [
        *(
            ("Government", ""),
            ("President", "Government"),
            ("Premier", "Government"),
            ("Total", "Population"),
        ),
        *(("Density", "Population"), ("Languages", ""), ("ISO", "Codes"), ("TLD", "Codes")),
    ]
    assert fields(page)["Languages"].items == ("Oskian", "Welsh")


def test_two_infoboxes_of_a_page_stay_apart() -> None:
    rows = '<tr><th>Born</th><td>{}</td></tr><tr><th colspan="2">Work</th></tr><tr><th>Field</th><td>{}</td></tr>'
    first = f'<tr><th colspan="2">Ada</th></tr>{rows.format(1815, "Mathematics")}'
    second = f"<caption>Charles</caption>{rows.format(1791, 'Machines')}"
    boxes = [f'<table class="infobox">{each}</table>' for each in (first, second, rows.format(1788, "Poems"))]
    page = page_of("<p>And then.</p>".join(boxes), ABOUT)
    assert [(each.group, each.label, each.text) for each in page.infobox] == [
        ("", "Born", "1815"),
        ("Work", "Field", "Mathematics"),
        ("Charles", "Born", "1791"),
        ("Charles: Work", "Field", "Machines"),
        ("infobox 3", "Born", "1788"),
        ("infobox 3: Work", "Field", "Poems"),
    ]


def test_text_is_what_a_reader_sees(mountain: Page) -> None:
    assert mountain.lead == "Mount Osk (Mont Osk) is a mountain in the Osk Alps. It has no page."
    assert [(each.title, each.level, each.anchor) for each in mountain.sections] == [
        ("", 1, ""),
        ("Climate", 2, "Climate"),
        ("Snow & ice", 3, "Snow_.26_ice"),
        ("References", 2, "References"),
    ]
    climate = mountain.sections[1]
    assert [(block.kind, block.depth, block.marker) for block in climate.blocks] == [
        *(("paragraph", 0, ""), ("caption", 0, ""), ("paragraph", 0, "")),
        *(("item", 1, "-"), ("item", 2, "-"), ("item", 1, "-")),
    ]
    assert [block.marker for block in mountain.sections[2].blocks] == ["3.", "4.", ""]
    assert mountain.notes == ("the list of references is left out",)
    whole = page_marked(mountain).text
    for unseen in (
        "[1]",
        "edit",
        "Contents",
        "Other",
        "Osk, A.",
        "0008097",
        "Peak made",
        "geohack.example.org/?p=1)6",
    ):
        assert unseen not in whole


def test_links_know_where_they_stand(mountain: Page) -> None:
    found = [
        (each.text, each.address.rpartition("/")[2], each.section, each.place) for each in mountain.links()
    ]
    assert found == [
        ("Mount Osk (disambiguation)", "Mount_Osk_(disambiguation)", 0, "hatnote"),
        ("45°49′57″N 6°51′52″E", "?p=1", 0, "infobox"),
        ("Osk Alps", "Osk_Alps", 0, "infobox"),
        ("Ada Osk", "Ada_Osk", 0, "infobox"),
        ("Gneiss", "Gneiss", 0, "infobox"),
        ("Oskia", "Oskia", 0, "infobox"),
        ("Osk Alps", "Osk_Alps", 0, "text"),
        ("Climate of Oskia", "Climate_of_Oskia", 1, "text"),
        ("May", "May", 1, "text"),
        ("below", "Mount_Osk#Rivers", 1, "text"),
        ("the station", "osk", 1, "text"),
        ("Big Osk", "Big_Osk", 2, "table"),
    ]
    assert all(each.address.startswith("https://") for each in mountain.links())


def test_tables_with_spans_become_grids(mountain: Page) -> None:
    found = table(mountain, 0)
    assert (found.caption, found.columns) == ("Peaks", ("Name", "Height / m", "Height / ft"))
    assert found.rows == (("Big Osk", "2,468", "8,097"), ("Big Osk", "unknown", "unknown"))
    text = (
        '<table class="wikitable"><tr><td colspan="99999" rowspan="0">a<td>b</tr>'
        + "<tr><td>c</tr>" * 3
        + "</table>"
    )
    bomb = page_of(text, ABOUT).tables[0]
    assert [len(row) for row in cells_of(bomb)] == [100] * 4


def test_a_page_is_the_same_after_being_written_down(mountain: Page) -> None:
    assert Page.from_dict(json.loads(json.dumps(mountain.to_dict()))) == mountain


def test_markdown_as_published(mountain: Page) -> None:
    text = as_published(mountain)
    assert text.startswith("# Mount Osk\n\n**Language editions:** 12\n\n*For other uses")
    assert "| Elevation | 2,468 m (8,097 ft) |" in text
    assert "[Osk **Alps**](https://en.wikipedia.org/wiki/Osk_Alps)" in text
    assert "\n### Snow & ice\n\n3. deep\n4. old\n" in text and "| Name | m | ft |" in text
    assert as_published(mountain, most=50) == text[:50] + "\n\n... [truncated]"


PARSOID = """<!DOCTYPE html><html><head><base href="//en.wikipedia.org/wiki/"><title>AC/DC</title></head>
<body class="mw-content-ltr mw-body-content parsoid-body mw-parser-output"><section data-mw-section-id="0">
<p>A <a rel="mw:WikiLink" href="./Rock_music#Hard">band</a><sup typeof="mw:Extension/ref" class="mw-ref
reference"><a href="./AC/DC#c">[1]</a></sup>
with <span class="mwe-math-element"><span style="display: none;"><math alttext="{\\displaystyle
E=mc^{2}}"><mi>E</mi></math></span>
<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=mc^{2}}"></span>.</p>
<link rel="mw:PageProp/Category" href="./Category:Hard_rock_groups#AC"></section>
<section data-mw-section-id="1"><h2 id="Members">Members</h2><pre>one
  two</pre><blockquote><p>Loud.</p></blockquote></section></body></html>"""


def test_parsoid_and_formulas() -> None:
    page = page_of(PARSOID, About("https://en.wikipedia.org/wiki/AC/DC"))
    assert page.title == "AC/DC" and page.lead == "A band with E=mc^{2}."
    assert [link.address for link in page.links()] == ["https://en.wikipedia.org/wiki/Rock_music#Hard"]
    assert page.categories == ("Hard rock groups",)
    assert [(block.kind, block.runs[0].text) for block in page.sections[1].blocks] == [
        ("code", "one\n  two"),
        ("quote", "Loud."),
    ]


def test_a_page_of_the_web_is_its_main_text() -> None:
    html = """<html><head><title>Glaciers - a site</title></head><body><nav><a href="/home">Home</a></nav>
    <main><h1>Glaciers - a site</h1><p>They <a href="../flow?x=1">flow</a> and <a
href="javascript:alert(1)">shine</a>.</p>
    <table><tr><td><p>Left</p><table><tr><td>inner</td></tr></table></td></tr></table><h2 id="more">More</h2><p>Text
enough.</p></main>
    <footer>Imprint</footer></body></html>"""
    page = page_of(html, About("https://example.org/ice/a", wiki=False))
    assert page.title == "Glaciers - a site" and [each.title for each in page.sections] == ["", "More"]
    assert page.lead == "They flow and shine.\nLeft\ninner"
    assert [link.address for link in page.links()] == ["https://example.org/flow?x=1"]


def test_a_page_that_lists_meanings_says_so() -> None:
    assert page_of(
        '<p>Osk may be:</p><table id="disambigbox"><tr><td>x</td></tr></table>', ABOUT
    ).disambiguation
    assert page_of(
        "<p>x</p>", About("https://a.org/b", categories=("All disambiguation pages",))
    ).disambiguation
    assert not page_of("<p>Osk</p>", ABOUT).disambiguation


@pytest.mark.parametrize(
    ("data", "header", "text", "noted"),
    [
        ("é".encode(), "text/html; charset=utf-8", "é", False),
        ("é".encode("latin-1"), "text/html; charset=ISO-8859-1", "é", False),
        ('<meta charset="windows-1251">Ж'.encode("cp1251"), "text/html", "Ж", False),
        (
            '<meta charset="windows-1251">é'.encode(),
            "text/html; charset=utf-8",
            "é",
            False,
        ),  # the header goes first
        ("aé".encode(), "text/html; charset=utf-16", "é", True),
        (b"caf\xe9", "text/html; charset=utf-8", "café", True),
        (b"caf\xe9", "", "café", True),
        ("é".encode("utf-16"), "text/html; charset=utf-8", "é", False),  # a byte order mark goes first of all
        ("日本".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本", False),
        (b"+AGE-", "text/html; charset=utf-7", "+AGE-", False),
        ("é".encode(), 'text/html; charset="nonsense"', "é", False),
        ('<meta charset="utf-16">é'.encode(), "text/html", "é", False),
    ],
)
def test_charsets(data: bytes, header: str, text: str, noted: bool) -> None:
    found, note = decoded(data, header)
    assert found.endswith(text) and bool(note) == noted
