"""Pages that are made to do harm end in a typed error or a bounded page, in a child that ends with them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.isolation.process import Limits
from labrig_atlas.wiki import apart, views
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.apart import checked, page_apart, readers
from labrig_atlas.wiki.html_pages import page_of
from labrig_atlas.wiki.marking import as_published
from labrig_atlas.wiki.page import Page

ABOUT = About("https://example.org/a", "A")


@pytest.fixture
async def by() -> AsyncIterator[Children]:
    async with readers() as made:
        yield made


SWELLING = (
    b"<table><tr><td>" * 1_500 + b"x",
    b"<ul><li>" * 2_000 + b"x",
    b"<b><i>" * 2_000 + b"x",
    b"<table class=infobox><tr><td>" * 1_000 + b"x",
    b"<table class=wikitable><tr>" + b"<td colspan=999999999 rowspan=999999999>x" * 2_000 + b"</table>",
    b"<table class=wikitable>" + b"<tr><td>x" * 5_000 + b"</table>",
    b"<p " + b"a=1 " * 100_000 + b">x",
    b"<a href='" + b"x" * 1_000_000 + b"'>x</a>",
    b"<p>\x00\xff\xfe\x80<!--" + b"-" * 10_000,
    b"<h2>" * 2_000 + b"x",
    b"<table class=infobox>" + b"<tr><th>x<td>1 2 3" * 3_000 + b"</table>",
    b"<svg><foreignObject><p>x</svg><math><mtext><table>",
    b"",
)


async def test_a_page_made_to_swell_stays_bounded(by: Children) -> None:
    for data in SWELLING:
        page = await page_apart(by, data, ABOUT)
        assert len(json.dumps(views.overview(page)).encode()) < 8_000, data[:30]
        assert len(as_published(page)) <= 100_020 and views.read(page, most_bytes=500) is not None
        for number in range(min(2, len(page.tables))):
            assert len(views.table(page, number).rows) <= 2_000


async def test_what_is_too_long_too_deep_or_too_slow_is_refused(
    by: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    for data, code, word in (
        (b"x" * (50 << 20), "too_large", "52,428,800"),
        (b"<div>" * 200_000, "limit", "nests"),
    ):
        with pytest.raises(LabrigError) as caught:
            await page_apart(by, data, ABOUT)
        assert caught.value.code == code and word in caught.value.what and caught.value.where == ABOUT.address
    slow = Limits(wall_s=0.3, cpu_s=1, memory_bytes=apart.LIMITS.memory_bytes, output_bytes=1 << 20)
    async with readers() as limited:
        limited.limits = slow
        with pytest.raises(LabrigError) as caught:
            await page_apart(limited, b"<p><a href=x>y</a> z</p>" * 100_000, ABOUT)
    assert caught.value.code == "limit"


@pytest.mark.accept
async def test_a_long_page_is_cut_and_says_so(by: Children) -> None:
    page = await page_apart(by, b"<p><a href=x>y</a> z</p>" * 150_000, ABOUT)
    assert page.notes == ("the page is longer than 4,000,000 characters: the rest is left out",)
    assert 50_000 < len(page.sections[0].blocks) < 150_000


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        b'{"shape": 2}',
        json.dumps({**page_of("<p>x", ABOUT).to_dict(), "sections": []}).encode(),
        json.dumps({**page_of("<p>x", ABOUT).to_dict(), "tables": [[0, "", [[["x"]]], 0]]}).encode(),
        json.dumps({**page_of("<p>x", ABOUT).to_dict(), "infobox": [["a", "b", [[1]], [], []]]}).encode(),
    ],
)
def test_a_child_that_says_something_else_is_not_believed(said: bytes) -> None:
    with pytest.raises(LabrigError, match="gave no page"):
        checked(said, ABOUT.address)


PIECES = st.sampled_from(
    [
        *(
            "<p>",
            "</p>",
            "<table class=infobox>",
            "<table>",
            "<tr>",
            "<th>",
            "<td colspan=3>",
            "</table>",
            "<h2 id=x>",
            "</h2>",
        ),
        *(
            "<ul><li>",
            "</ul>",
            "<a href='/wiki/B'>",
            "</a>",
            "<sup class=reference>",
            "</sup>",
            "<br>",
            "<math alttext='x'>",
        ),
        *(
            "<div class=hatnote>",
            "</div>",
            "<span class=geo>1; 2</span>",
            "<pre>",
            "</pre>",
            "<figure>",
            "<figcaption>",
        ),
        *(
            "text 12 m (39 ft) ",
            " 3 May 1900 ",
            "\u00a0",
            "<blockquote>",
            "</blockquote>",
            "<!--",
            "&amp;",
            "<b>",
            "</b>",
        ),
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join), st.booleans())
def test_any_html_becomes_a_page_that_can_be_shown(html: str, wiki: bool) -> None:
    page = page_of(html, About("https://en.wikipedia.org/wiki/A", "A", wiki=wiki))
    assert Page.from_dict(json.loads(json.dumps(page.to_dict()))) == page
    views.overview(page)
    part = views.read(page, most_bytes=200)
    while part.cursor:
        part = views.read(page, cursor=part.cursor, most_bytes=200)
    assert all(each.address.startswith("https://") and each.text.strip() for each in views.links(page))
    for number in range(len(page.tables)):
        rows = views.table(page, number).rows
        assert len({len(row) for row in rows}) <= 1
