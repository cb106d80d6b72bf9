"""Stores are built from folders and dumps: whole or not at all, gone on with when killed, with what is left out
said."""

from __future__ import annotations

import bz2
import importlib.util
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile.imports import stores, taken_libzim
from hostile.imports.endless import beside_store
from labrig.errors import LabrigError
from labrig_atlas.wiki import __main__ as command
from labrig_atlas.wiki import dump
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.building import build
from labrig_atlas.wiki.html_pages import page_of
from labrig_atlas.wiki.identity import Identity, identity_of
from labrig_atlas.wiki.marking import page_marked
from labrig_atlas.wiki.page import Page
from labrig_atlas.wiki.sqlite_store import SqliteStore
from labrig_atlas.wiki.views import table
from labrig_atlas.wiki.wikitext import rendered
from labrig_atlas.wiki.wikitext_tree import text_of, tree_of

OSK = """{{Short description|Peak}}{{Use dmy dates|date=May 2020}}
{{Infobox mountain
| name = Mount Osk
| image = Osk.jpg
| caption = The ''north'' face
| elevation_m = 2468
| coordinates = {{coord|45|49|57|N|6|51|52|E|type:mountain_region:FR|display=inline,title}}
| range = [[Osk Alps]]<ref name="a">{{cite book|title=X|page=3}}</ref>
| first_ascent = {{start date|1893|6|30|df=y}} by [[Ada Osk]]
| rocks = {{ubl|[[Granite]]|Gneiss}}
| area = {{convert|1234.5|km2|sqmi|abbr=on}}
| climate = {{Weird thing|a={{nested|b}}}} snow
| population_total = 40221
| subdivision_type = Country | subdivision_name = {{flag|Oskia}}
}}
{{about|the peak|the river|Osk (river)}}
'''Mount Osk''' (''Mont Osk'') is a [[mountain]]s of [[Oskia|the land]].<!-- no --><ref>x</ref> See
[https://example.org/x a site].
[[File:A.jpg|thumb|200px|Snow in [[May]], 1984]]
[[Category:High peaks|Osk]][[de:Osk]][[fr:Mont Osk]]
== Climate & ice ==
{{Main|Climate of Oskia}}
* one
** two [[#Rivers|below]]
# first

Text with <math>E=mc^2</math> and <nowiki>[[no link]]</nowiki>, {{formatnum:12345}} and {{val|5.97|e=24|u=kg}}.

{| class="wikitable"
|+ Peaks
! rowspan="2" | Name !! colspan=2 | Height
|-
! m !! ft
|-
| [[Big Osk|Big]] || 2,468
| {{unknown}} 8,097
|}
=== Rivers ===
A <b>river</b> {{unclosed [[link
== References ==
{{reflist}}"""


def page(title: str, text: str, more: str = "<ns>0</ns>") -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    model = "<model>wikitext</model><format>text/x-wiki</format>"
    return (
        f"<page><title>{title}</title>{more}<revision><id>41</id>{model}<text>{text}</text></revision></page>"
    )


DUMP = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><sitename>Osk wiki</sitename>'
    "<base>https://simple.wikipedia.org/wiki/Main_Page</base></siteinfo>"
    + page("Mount Osk", OSK)
    + page("Osk", "#REDIRECT [[The Osk]]", '<ns>0</ns><redirect title="The Osk" />')
    + page("The Osk", "#REDIRECT [[Mount Osk#Rivers]]", '<ns>0</ns><redirect title="Mount Osk#Rivers" />')
    + page("Gone", "#REDIRECT [[Nowhere]]", '<ns>0</ns><redirect title="Nowhere" />')
    + page("Talk:Mount Osk", "Well", "<ns>1</ns>")
    + page("Osk (name)", "'''Osk''' may be:\n* [[Mount Osk]]\n{{disambig}}")
    + page("Empty", " ")
    + page("Deep", "<div>" * 6_000)
    + "</mediawiki>"
)


def fields(page: Page) -> dict[str, str]:
    return {field.label: field.text for field in page.infobox}


async def test_a_dump_becomes_a_store(tmp_path: Path) -> None:
    source, store = tmp_path / "osk.xml.bz2", tmp_path / "osk.sqlite"
    source.write_bytes(
        bz2.compress(DUMP[:900].encode()) + bz2.compress(DUMP[900:].encode())
    )  # in streams, as they are
    built = await build(source, store)
    assert (built.pages, built.lost) == (2, 1)
    assert built.left_out == {
        "of another namespace": 1,
        "without a text": 1,
        "The page nests more than 5,000 elements": 1,
    }
    assert "Talk:Mount Osk: of another namespace" in built.examples
    assert sorted(path.name for path in tmp_path.iterdir()) == ["osk.sqlite", "osk.xml.bz2"]
    opened = SqliteStore(store)
    assert (opened.host, opened.pages) == (
        "simple.wikipedia.org",
        2,
    ) and opened.source == "Osk wiki, dump osk.xml.bz2"
    found = await opened.get(identity_of("https://simple.m.wikipedia.org/wiki/Osk"))
    assert (found.title, found.redirected_from) == ("Mount Osk", "Osk")
    assert found.source == "Osk wiki, dump osk.xml.bz2, 'Mount Osk', revision 41"
    assert (await opened.get(Identity("simple.wikipedia.org", "The Osk"))).title == "Mount Osk"
    assert (await opened.get(Identity("simple.wikipedia.org", "Osk (name)"))).disambiguation
    assert [each.title for each in await opened.search("granite gneiss")] == ["Mount Osk"]
    await opened.close()


def test_wikitext_is_read_as_a_page() -> None:
    identity = Identity("en.wikipedia.org", "Mount Osk")
    text = rendered(OSK, identity)
    found = page_of(text.html, About(identity.address, "Mount Osk", languages=text.languages))
    assert text.notes == ("2 templates are not rendered: {{Weird thing}}, {{unknown}}",)
    assert (text.categories, text.languages) == (("High peaks",), 2)
    assert fields(found) == {
        "Caption": "The north face",
        "Elevation": "2,468 m",
        "Coordinates": "45°49′57″N 6°51′52″E",
        "Range": "Osk Alps",
        "First ascent": "30 June 1893 by Ada Osk",
        "Rocks": "Granite\nGneiss",
        "Area": "1,234.5 km2",
        "Climate": "⟦Weird thing⟧ snow",
        "Population total": "40,221",
        "Country": "Oskia",
    }
    assert found.coordinates == pytest.approx((45.8325, 6.8644), abs=1e-4)
    assert found.lead == "Mount Osk (Mont Osk) is a mountains of the land. See a site."
    assert (
        "".join(run.text for run in found.hatnotes[0])
        == "This page is about the peak. For the river, see Osk (river)."
    )
    assert [(each.title, each.level, each.anchor) for each in found.sections[1:]] == [
        *(("Climate & ice", 2, "Climate_&_ice"), ("Rivers", 3, "Rivers"), ("References", 2, "References")),
    ]
    addresses = {each.text: each.address.partition("/wiki/")[2] for each in found.links()}
    assert addresses["mountains"] == "Mountain" and addresses["below"] == "Mount_Osk#Rivers"
    assert addresses["Climate of Oskia"] == "Climate_of_Oskia" and addresses["May"] == "May"
    whole = page_marked(found).text
    assert "Caption: Snow in [May]" in whole and "- one\n  - two [below]" in whole and "1. first" in whole
    assert "Text with E=mc^2 and [[no link]], 12,345 and 5.97×10^24 kg." in whole
    assert "A **river** {{unclosed [[link" in whole
    assert table(found, 0).columns == ("Name", "Height / m", "Height / ft")
    assert table(found, 0).rows == (("Big", "2,468", "⟦unknown⟧ 8,097"),)


PIECES = [
    "{{",
    "}}",
    "[[",
    "]]",
    "|",
    "=",
    "{|",
    "|}",
    "|-",
    "!",
    "\n",
    "* ",
    "== ",
    "''",
    "'''",
    "<ref>",
    "</ref>",
    "<!--",
]
PIECES += [
    "infobox x",
    "convert",
    "coord",
    "45",
    "N",
    "File:",
    "Category:",
    "a",
    "#",
    "<nowiki>",
    "</nowiki>",
    "\x02",
    ":",
    ";",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_wikitext_is_rendered(text: str) -> None:
    assert text_of(tree_of(text)) == text
    identity = Identity("en.wikipedia.org", "A")
    found = page_of(rendered(text, identity).html, About(identity.address, "A"))
    assert "\x02" not in page_marked(found).text


@pytest.mark.parametrize(
    "piece", ["{{", "{{a|", "[[", "{{[[", "<ref>", "''", "{|\n", "<nowiki>", "[http://a ", "{{infobox|a="]
)
def test_wikitext_that_never_closes_takes_no_longer_than_its_length(piece: str) -> None:
    html = rendered(piece * 20_000, Identity("en.wikipedia.org", "A")).html
    assert len(html) < 2_000_000


async def test_a_folder_becomes_a_store_and_is_refused_over_another(tmp_path: Path) -> None:
    source, store = tmp_path / "pages", tmp_path / "s.sqlite"
    (source / "AC").mkdir(parents=True)
    (source / "AC" / "DC.html").write_text('<p><b>AC/DC</b> are a <a href="/wiki/Band">band</a>.')
    (source / "Mount_%C3%93sk.html").write_bytes("<meta charset=latin-1><p>Ósk".encode("latin-1"))
    (source / "File%3AX.html").write_text("<p>x")
    (source / "Link.html").symlink_to("/etc/hostname")
    (source / "notes.txt").write_text("no page")
    built = await build(source, store, host="en.wikipedia.org")
    assert (built.pages, built.left_out) == (2, {"of another namespace": 1, "a link or no file": 1})
    opened = SqliteStore(store)
    assert (
        await opened.get(identity_of("AC/DC"))
    ).links().__next__().address == "https://en.wikipedia.org/wiki/Band"
    assert (await opened.get(identity_of("Mount Ósk"))).lead == "Ósk"
    await opened.close()
    before = store.read_bytes()
    with pytest.raises(LabrigError) as caught:
        await build(source, store)
    assert caught.value.code == "refused" and store.read_bytes() == before
    assert (await build(source, store, replace=True)).pages == 2


@pytest.mark.parametrize("kind", ["lock that is a link", "part that is a link", "part of views"])
async def test_what_lies_beside_a_store_leads_nowhere(kind: str, tmp_path: Path) -> None:
    """A link by the name of the lock emptied the file to which it led; a view kept the command for ever."""
    source, store, outside = tmp_path / "pages", tmp_path / "s.sqlite", tmp_path / "outside"
    source.mkdir()
    (source / "A.html").write_text("<p>a")
    outside.write_text("mine" if kind.startswith("lock") else "")  # an empty file becomes a database
    before = outside.read_bytes()
    beside_store(store, kind, outside)
    if kind == "part of views":
        assert (await build(source, store)).pages == 1
    else:
        with pytest.raises(LabrigError, match="a link where") as caught:
            await build(source, store)
        assert caught.value.code == "refused" and not store.exists()
    assert outside.read_bytes() == before


async def test_a_page_without_an_end_is_not_gathered_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few hundred bytes of bzip2 became a gigabyte."""
    monkeypatch.setattr(dump, "MOST_ELEMENT_BYTES", 1 << 20)
    packed = tmp_path / "x.xml.bz2"
    head = '<mediawiki xmlns="x">' + page("A", "short") * 3
    packed.write_bytes(bz2.compress((head + page("B", "a" * (8 << 20)) + "</mediawiki>").encode()))
    with pytest.raises(LabrigError, match="a page of more than 1,048,576 bytes"):
        await build(packed, tmp_path / "s.sqlite")
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.accept) if each == "a bomb" else each for each in stores.REFUSED],
)
async def test_a_source_that_does_harm_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Entities took gigabytes, and so did empty elements; the others ended the command with a traceback."""
    for bound, small in (("MOST_ELEMENTS", 10_000), ("FREE_BYTES", 1 << 20)):
        monkeypatch.setattr(dump, bound, small)
    made, why = stores.REFUSED[name]
    (tmp_path / "source").mkdir()
    with pytest.raises(LabrigError) as caught:
        await build(made(tmp_path / "source"), tmp_path / "s.sqlite")
    assert caught.value.code == "bad_input" and why in str(caught.value)
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.accept if "host" not in each else ()) for each in stores.BUILT],
)
def test_a_source_with_odd_names_is_built_and_acts_on_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "source").mkdir()
    source = stores.BUILT[name](tmp_path / "source")
    assert command.main(["build", str(source), str(tmp_path / "s.sqlite")]) == 0
    said = capsys.readouterr().out
    assert "1 pages" in said and len(said) < 2_000
    assert all(each.isprintable() or each == "\n" for each in said)


def test_a_full_disk_is_a_typed_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "source").mkdir()
    source = stores.BUILT["a host that is none"](tmp_path / "source")
    connect = sqlite3.connect

    def small(*given: Any, **named: Any) -> sqlite3.Connection:
        opened = connect(*given, **named)
        opened.execute("PRAGMA max_page_count=8")
        return opened

    monkeypatch.setattr(sqlite3, "connect", small)
    assert command.main(["build", str(source), str(tmp_path / "s.sqlite")]) == 1
    assert "database or disk is full" in capsys.readouterr().err and not (tmp_path / "s.sqlite").exists()


async def test_what_is_no_source_makes_no_store(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    cut, other, none = tmp_path / "cut.xml", tmp_path / "other.xml", tmp_path / "none.xml"
    cut.write_text(DUMP[:-200])
    other.write_text("<html><page/></html>")
    none.write_text('<mediawiki xmlns="x">' + page("Talk:A", "x", "<ns>1</ns>") + "</mediawiki>")
    packed = tmp_path / "x.xml.bz2"
    packed.write_bytes(b"no bz2")
    bomb = tmp_path / "bomb.xml"
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb.write_text(
        f'<!DOCTYPE m [<!ENTITY e0 "lol">{entities}]><mediawiki>{page("A", "x")}<page>&e11;</page></mediawiki>'
    )
    for source, code in (
        *(
            (cut, "bad_input"),
            (other, "bad_input"),
            (none, "bad_input"),
            (packed, "bad_input"),
            (bomb, "bad_input"),
        ),
        *((tmp_path / "nothing", "not_found"), (Path("/dev/null"), "not_found"), (tmp_path, "bad_input")),
    ):
        with pytest.raises(LabrigError) as caught:
            await build(source, store)
        assert caught.value.code == code, source
    assert not store.exists()


async def test_a_reader_of_zim_that_was_taken_over_reaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ran in the process of the command, with its keys, and a crash ended that."""
    (tmp_path / "taken").mkdir()
    taken_libzim.laid_out(tmp_path / "taken")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "x.zim").write_bytes(b"ZIM\x04" * 4)
    monkeypatch.setenv("LABRIG_TEST_KEY", "key")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "taken"))
    monkeypatch.syspath_prepend(tmp_path / "taken")
    built = await build(tmp_path / "x.zim", tmp_path / "s.sqlite")
    titles = {each.title for each in SqliteStore(tmp_path / "s.sqlite").every()}
    assert titles == {*(f"{act} False" for act in taken_libzim.ACTS), "A good page behind it, of 16"}
    assert sum(built.left_out.values()) == 2 and not (tmp_path / "written").exists()


@pytest.mark.skipif(importlib.util.find_spec("libzim") is not None, reason="libzim is installed")
async def test_a_zim_file_names_what_brings_its_reader(tmp_path: Path) -> None:
    (tmp_path / "x.zim").write_bytes(b"ZIM\x04")
    with pytest.raises(LabrigError) as caught:
        await build(tmp_path / "x.zim", tmp_path / "s.sqlite")
    assert caught.value.code == "unavailable" and caught.value.try_ == "pip install libzim"


@pytest.mark.accept
def test_a_build_that_is_killed_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, store = tmp_path / "pages", tmp_path / "s.sqlite"
    source.mkdir()
    for number in range(700):
        (source / f"Page_{number:03}.html").write_text(f"<p>This is page {number}." + "<p>More of it." * 50)
    words = [sys.executable, "-m", "labrig_atlas.wiki", "build", str(source), str(store)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    part = tmp_path / "s.sqlite.part"
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None and _count(part) < 200:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    done = _count(part)
    assert 200 <= done < 700 and not store.exists()
    assert command.main(["build", str(source), str(store)]) == 0
    assert capsys.readouterr().out.startswith(f"{store}: 700 pages")
    assert not part.exists()
    database = sqlite3.connect(store)
    numbers = [row[0] for row in database.execute("SELECT id FROM pages ORDER BY id")]
    titles = {row[0] for row in database.execute("SELECT title FROM pages")}
    database.close()
    assert len(numbers) == len(titles) == 700
    assert command.main(["build", str(source), str(store)]) == 1 and "--replace" in capsys.readouterr().err


def _count(part: Path) -> int:
    """Return how many pages a file that is being written has kept."""
    if not part.exists():
        return 0
    database = sqlite3.connect(part)
    try:
        return int(database.execute("SELECT count(*) FROM pages").fetchone()[0])
    except sqlite3.DatabaseError:
        return 0
    finally:
        database.close()
