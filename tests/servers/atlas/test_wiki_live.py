"""The live wiki and pages of the web, against an imitation that misbehaves; recorded once, replayed without it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.http import Client, Limit
from labrig.isolation.children import Children
from labrig_atlas.wiki import live
from labrig_atlas.wiki.apart import readers
from labrig_atlas.wiki.identity import identity_of
from labrig_atlas.wiki.live import LiveWiki
from labrig_atlas.wiki.web_pages import web_page, web_source
from support.imitation import (
    Imitation,
    bomb,
    html,
    imitation,
    page,
    redirect,
    reset,
    silence,
    status,
    text,
    truncated,
)
from support.web import client

OSK = {
    "parse": {
        "title": "Mount Osk",
        "pageid": 7,
        "revid": 4711,
        "redirects": [{"from": "Osk", "to": "Mount Osk"}],
        "text": '<div class="mw-parser-output"><table class="infobox"><tr><th>Elevation</th><td>2,468&#160;m</td></tr>'
        "</table>"
        '<p><b>Mount Osk</b> is in <a href="/wiki/Oskia">Oskia</a>.</p><h2 id="Ice">Ice</h2><p>Much.</p></div>',
        "langlinks": [{"lang": "de", "title": "Osk"}, {"lang": "fr", "title": "Mont Osk"}],
        "categories": [{"category": "High_mountains"}, {"category": "Tracking", "hidden": True}],
        "properties": {"wikibase_item": "Q1"},
        "indicators": {
            "coordinates": '<div class="mw-parser-output"><span id="coordinates">Coordinates: <span class="geo-dms">'
            '45°50′N 6°52′E</span><span class="geo-nondefault"><span class="geo">45.8333; 6.8667</span></span></span>'
            "</div>",
            "pp-default": '<span typeof="mw:File">locked</span>',
        },
    }
}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    with imitation() as made:
        monkeypatch.setattr(live, "LIMIT", Limit(per_second=1000, concurrent=8))
        monkeypatch.setenv("LABRIG_HTTP_URL_WIKIPEDIA", made.url("/w/api.php"))
        monkeypatch.setenv("LABRIG_HTTP_URL_WIKIPEDIA_DE", made.url("/de/api.php"))
        yield made


@pytest.fixture
async def by() -> AsyncIterator[Children]:
    async with readers() as made:
        yield made


def furnish(site: Imitation) -> None:
    site.on("/w/api.php", query={"action": "parse", "page": "Osk"}).then(OSK)
    site.on("/w/api.php", query={"action": "parse", "page": "Nothing"}).then(
        {"error": {"code": "missingtitle", "info": "The page you specified doesn't exist."}}
    )
    found = [{"title": "Mount Osk", "snippet": 'the <span class="searchmatch">Osk</span> &amp; its ice'}]
    site.on("/w/api.php", query={"list": "search"}).then({"query": {"search": found}})
    site.on("/w/api.php", query={"list": "prefixsearch"}).then({"query": {"prefixsearch": found}})
    site.on("/de/api.php", query={"page": "Osk"}).then({"parse": {"title": "Osk", "text": "<p>Höhe</p>"}})
    site.on("/robots.txt").then("User-agent: *\nDisallow: /closed")
    site.on("/page").then(
        page("<title>Ünder</title><p>Ä <a href='x'>y</a>".encode("latin-1"), "text/html; charset=latin-1")
    )
    site.on("/moved").then(redirect("/page", 301))
    site.on("/data").then({"a": 1})


async def everything(web: Client, by: Children, site: Imitation) -> str:
    """Return all that the functions give, errors too, as one text."""
    wiki = LiveWiki(web, by)
    osk, nothing = identity_of("Osk"), identity_of("Nothing")
    said: list[Any] = [(await wiki.get(osk)).to_dict(), await wiki.html(osk)]
    said.append([[each.title, each.address, each.excerpt] for each in await wiki.search('osk "ice')])
    said.append(await wiki.titles("Mou"))
    said.append((await wiki.get(identity_of("https://de.wikipedia.org/wiki/Osk"))).to_dict())
    for path in ("/page", "/moved", "/data", "/closed"):
        try:
            said.append((await web_page(web, by, site.url(path))).to_dict())
        except LabrigError as error:
            said.append(error.to_dict())
    said.append(await web_source(web, by, site.url("/page")))
    with pytest.raises(LabrigError) as caught:
        await wiki.get(nothing)
    said.append(caught.value.to_dict())
    return json.dumps(said, sort_keys=True)


async def test_recorded_once_and_replayed_with_the_service_gone(
    site: Imitation, by: Children, tmp_path: Path
) -> None:
    furnish(site)
    async with client(tmp_path, site, mode="record") as web:
        recorded = await everything(web, by, site)
    hits = [hit.query for hit in site.hits if hit.path == "/w/api.php"]
    assert (
        hits[0]["redirects"] == "1"
        and hits[0]["prop"].startswith("text|")
        and hits[0]["formatversion"] == "2"
    )
    assert all(hit.headers["user-agent"].endswith("(tests@example.org)") for hit in site.hits)
    site.stop()
    async with client(tmp_path, site, mode="replay", contact="") as web:
        assert await everything(web, by, site) == recorded
    osk, source, found, titles, german, under, moved, data, closed, raw, nothing = json.loads(recorded)
    assert (osk["title"], osk["languages"], osk["categories"]) == ("Mount Osk", 2, ["High mountains"])
    assert osk["coordinates"] == [45.8333, 6.8667] and "locked" not in json.dumps(osk["sections"])
    assert osk["redirected_from"] == "Osk" and osk["infobox"][0][4][0]["value"] == 2468
    assert osk["source"].startswith("en.wikipedia.org, 'Mount Osk', revision 4711, retrieved 20")
    assert source.startswith('<div class="mw-parser-output">') and titles == ["Mount Osk"]
    assert found == [["Mount Osk", "https://en.wikipedia.org/wiki/Mount_Osk", "the Osk & its ice"]]
    assert (
        german["sections"][0][3][0][1] == [["Höhe"]]
        and german["address"] == "https://de.wikipedia.org/wiki/Osk"
    )
    assert under["title"] == moved["title"] == "Ünder" and under["address"] == moved["address"]
    assert data["sections"][0][3][0][:2] == ["code", [['{"a": 1}']]]
    assert closed["code"] == "refused" and "robots" in json.dumps(closed)
    assert raw == "<title>Ünder</title><p>Ä <a href='x'>y</a>"
    assert nothing["code"] == "not_found" and nothing["where"].endswith("/wiki/Nothing")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (status(429, retry_after=600), "rate_limited"),
        (status(503), "unreachable"),
        (reset(), "unreachable"),
        (truncated(b'{"parse"'), "unreachable"),
        (html("<html><title>Wait</title>"), "unreachable"),
        (text("[1, 2]"), "unreachable"),
        (text('{"parse": {"title": "Osk"}}'), "unreachable"),
        (text('{"parse": {"title": "Osk", "text": {"*": "x"}}}'), "unreachable"),
        (text('{"error": {"code": "ratelimited", "info": "slower"}}'), "rate_limited"),
        (text('{"error": {"code": "concurrency-limit", "info": "too many at once"}}'), "rate_limited"),
        (text('{"error": "odd"}'), "unreachable"),
        (bomb(64 << 20, media="application/json"), "too_large"),
    ],
)
async def test_faults_are_typed(
    site: Imitation, by: Children, tmp_path: Path, answer: Any, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PATIENCE_S", 0.1)
    site.on("/w/api.php").then(answer)
    async with client(tmp_path, site) as web:
        with pytest.raises(LabrigError) as caught:
            await LiveWiki(web, by).get(identity_of("Osk"))
    assert caught.value.code == code
    assert (caught.value.retry_after_s is not None) == (code == "rate_limited")


async def test_a_silent_wiki_is_not_waited_for(
    site: Imitation, by: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(live, "PATIENCE_S", 0.2)
    site.on("/w/api.php").then(silence())
    async with client(tmp_path, site) as web:
        with pytest.raises(LabrigError) as caught:
            await LiveWiki(web, by).search("osk")
    assert caught.value.code == "unreachable"


async def test_without_a_contact_wikipedia_is_not_asked(
    site: Imitation, by: Children, tmp_path: Path
) -> None:
    async with client(tmp_path, site, contact="") as web:
        with pytest.raises(LabrigError) as caught:
            await LiveWiki(web, by).get(identity_of("Osk"))
    assert caught.value.code == "unavailable" and "LABRIG_HTTP_CONTACT" in str(caught.value) and not site.hits


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/page",
        "http://localhost:{port}/page",
        "http://[::ffff:127.0.0.1]:{port}/page",
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706433:{port}/page",
        "http://user:pass@127.0.0.1:{port}/page",
        "file:///etc/passwd",
    ],
)
async def test_private_addresses_are_refused(
    site: Imitation, by: Children, tmp_path: Path, address: str
) -> None:
    furnish(site)
    async with client(tmp_path) as web:  # to which no origin is permitted
        for ask in (web_page, web_source):
            with pytest.raises(LabrigError) as caught:
                await ask(web, by, address.format(port=site.port))
            assert caught.value.code in ("refused", "bad_input")
    assert not site.hits


async def test_what_is_no_page_of_text_is_refused(site: Imitation, by: Children, tmp_path: Path) -> None:
    site.on("/paper.pdf").then(page(b"%PDF-1.7", "application/pdf"))
    site.on("/long").then(bomb(40 << 20, media="text/html"))
    async with client(tmp_path, site) as web:
        for path, code in (("/paper.pdf", "refused"), ("/long", "too_large"), ("/none", "not_found")):
            with pytest.raises(LabrigError) as caught:
                await web_page(web, by, site.url(path))
            assert caught.value.code == code
