"""What is shown of a page is bounded, and all of it can be reached."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_atlas.wiki import views
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.as_html import as_html
from labrig_atlas.wiki.html_pages import page_of
from labrig_atlas.wiki.marking import section_marked
from labrig_atlas.wiki.page import Block, Field, Page, Run, Section

ADDRESS = "https://en.wikipedia.org/wiki/Osk"
WORDS = st.text(st.sampled_from("ab c.\u0301\u0327é日🏔\u200d👩🏽🇨🇭\n[]()|*"), max_size=60)
RUN = st.builds(
    lambda text, number, style: Run(text, f"{ADDRESS}_{number}_(x)" if number else "", style),
    WORDS,
    st.integers(0, 2),
    st.sampled_from(["", "b", "i"]),
)
BLOCK = st.builds(
    lambda kind, runs: Block(kind, tuple(runs), 1 if kind == "item" else 0, "-" if kind == "item" else ""),
    st.sampled_from(["paragraph", "item", "quote"]),
    st.lists(RUN, min_size=1, max_size=6),
)
SECTIONS = st.lists(st.lists(BLOCK, max_size=5), min_size=1, max_size=4)


def made(sections: list[list[Block]]) -> Page:
    named = [
        Section(f"S{n}" if n else "", 2 if n else 1, f"S{n}", tuple(each)) for n, each in enumerate(sections)
    ]
    return Page("Osk", ADDRESS, tuple(named))


@given(SECTIONS, st.integers(200, 500))
def test_slices_are_bounded_whole_and_cut_nothing_in_two(sections: list[list[Block]], most: int) -> None:
    page = made(sections)
    whole = section_marked(page, range(len(page.sections)))
    cursor, text, ends = "", "", []
    while True:
        part = views.read(page, cursor=cursor, most_bytes=most)
        assert part.start == len(text) and part.total == len(whole.text)
        alone = (part.start, part.start + len(part.text)) in whole.links
        assert len(part.text.encode()) <= most or alone
        text, cursor = text + part.text, part.cursor
        if not cursor:
            break
        assert part.text
        ends.append(len(text))
    assert text == whole.text
    for end in ends:
        assert not any(start < end < stop for start, stop in whole.links)
        if not any(end in link for link in whole.links):  # the edge of a link is a place to cut
            assert not unicodedata.combining(text[end]) and text[end] != "\u200d"


LONG = "".join(
    f"<p>Sentence {n} about <a href='/wiki/Thing_{n}'>thing {n}</a>. More.</p>" for n in range(400)
)
HTML = f"""<div class=mw-parser-output><table class=infobox>
{
    "".join(
        f"<tr><th>Field {n}</th><td>{n},000 m ({n} ft) <a href='/wiki/F{n}'>f</a></td></tr>"
        for n in range(1, 90)
    )
}</table>
<p>{"Lead words. " * 500}</p><h2 id="History_of_Osk">History of Osk</h2>{LONG}
<h3 id="Early.E2.80.93late">Early–late</h3><p>Straße in ZÜRICH.</p><h2 id="Ice">Ice</h2><p>x</p><h3
id="Ice_2">Ice</h3><p>y</p>
<h2 id="Ice_3">Notes</h2><p>z</p>{
    "".join(f"<h2 id=h{n}>Heading number {n}</h2>" for n in range(300))
}</div>"""


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(HTML, About(ADDRESS, "Osk", source="a test"))


def test_an_overview_is_bounded_and_says_what_is_missing(page: Page) -> None:
    for most in (2_000, 4_000, 6_000):
        shown = views.overview(page, most_bytes=most)
        assert len(json.dumps(shown, ensure_ascii=False).encode()) <= 1.1 * most
        assert shown["lead"].endswith("…") and shown["lead"].startswith("Lead words. Lead")
        assert shown["infobox"][0]["values"][0]["value"] == 1000 and shown["sections"][0]["number"] == 0
        missing = shown["left_out"]
        assert missing["fields"] + len(shown["infobox"]) == 89
        assert missing["sections"] + len(shown["sections"]) == len(page.sections)
    with pytest.raises(LabrigError):
        views.overview(page, most_bytes=100)


def test_sections_are_found_by_number_title_and_anchor(page: Page) -> None:
    for asked in (1, "1", "History of Osk", "#History_of_Osk", "history_of_OSK", "History%20of%20Osk"):
        assert views.section_number(page, asked) == 1
    for asked in ("Early–late", "Early.E2.80.93late", "Early%E2%80%93late"):
        assert views.section_number(page, asked) == 2
    assert views.section_number(page, "Ice") == 3 and views.section_number(page, "Ice_2") == 4
    assert views.section_number(page, "") == views.section_number(page, "lead") == 0
    for asked, word in (("Histroy of Osk", "did you mean History of Osk"), ("999", "0 to 305"), (-1, "0 to")):
        with pytest.raises(LabrigError) as caught:
            views.section_number(page, asked)
        assert caught.value.code == "not_found" and word in str(caught.value)


def test_a_slice_keeps_to_its_section_and_its_cursor_to_its_page(page: Page) -> None:
    first = views.read(page, section="History of Osk", most_bytes=3_000)
    assert (
        first.text.startswith("## History of Osk\n\nSentence 0")
        and first.text.endswith("\n\n")
        and first.cursor
    )
    text, part = first.text, first
    while part.cursor:
        part = views.read(page, section=1, cursor=part.cursor, most_bytes=3_000)
        text += part.text
    assert text.endswith("### Early–late\n\nStraße in ZÜRICH.") and part.title == "History of Osk"
    assert len(re.findall(r"\[thing \d+\]\(https://en.wikipedia.org/wiki/Thing_\d+\)", text)) == 400
    for wrong in ("nonsense", views.read(page, most_bytes=300).cursor):
        with pytest.raises(LabrigError, match="cursor"):
            views.read(page, section=1, cursor=wrong)
    with pytest.raises(LabrigError):
        views.read(page, most_bytes=10)


def test_links_are_filtered(page: Page) -> None:
    assert len(views.links(page)) == 489
    assert [each.text for each in views.links(page, section="history of osk", text="THING 39")] == [
        *("thing 39", *(f"thing {n}" for n in range(390, 400))),
    ]
    assert {each.label for each in views.links(page, section="infobox")} == {
        f"Field {n}" for n in range(1, 90)
    }
    assert views.links(page, section="Ice") == [] == views.links(page, place="table")
    away = page_of("<p><a href='https://example.org/x'>x</a> <a href='/wiki/Y'>y</a>", About(ADDRESS, "Osk"))
    assert [each.text for each in views.links(away, outside=False)] == ["y"]


def test_words_are_found_in_any_writing(page: Page) -> None:
    hits, count = views.find(page, "strasse in zurich")
    assert count == 1 and (hits[0].section, hits[0].title, hits[0].excerpt) == (
        2,
        "Early–late",
        "Straße in ZÜRICH.",
    )
    hits, count = views.find(page, "lead words", most=3)
    assert (len(hits), count) == (3, 500) and len(hits[1].excerpt) < 230
    assert views.find(page, "field 7:")[0][0].title == "infobox" and views.find(page, "nowhere") == ([], 0)
    with pytest.raises(LabrigError):
        views.find(page, "  ")
    with pytest.raises(LabrigError, match="no table 0"):
        views.table(page, 0)


def test_a_field_of_any_length_is_bounded() -> None:
    runs = tuple(Run(f"thing {n}, ", f"{ADDRESS}_{n}") for n in range(2_000))
    shown = views.field_dict(Field("Things", "", runs, items=("é" * 500,) * 50), most_bytes=1_000)
    assert len(json.dumps(shown, ensure_ascii=False).encode()) < 1_100 and shown["links"]


def test_a_page_as_html_is_the_same_page(page: Page) -> None:
    again = page_of(as_html(page), About(ADDRESS, source="a test"))
    assert again == page
