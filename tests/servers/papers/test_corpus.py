"""A corpus of papers: formulas in any writing, words, and files that are no papers; two at once, and one killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.corpus import store
from labrig_papers.corpus.adding import add_folder
from labrig_papers.corpus.mentions import key, mentions
from labrig_papers.corpus.searching import Found, search
from labrig_papers.corpus.store import Document, add, count, opened
from labrig_papers.server import toolbox

PAPERS = {
    "diboride": [
        "Superconductivity of magnesium diboride",
        "10.1234/abc.2001.7",
        "We find 39 K in MgB2. Published 2001.",
    ],
    "reversed": [
        "A boride by another name",
        "",
        "The compound B2Mg was pressed at 900 degC. Received 3 May 2014.",
    ],
    "multiple": ["Doubled cells", "", "The cell holds Mg2B4, as refined. (2009)"],
    "cuprate": ["Optimal doping", "", "La2-xSrxCuO4 with x = 0.15 was grown in air."],
    "number": ["A crystal", "", "Crystals of La1.85Sr0.15CuO4 are superconducting below 37 K."],
    "other": ["Less doping", "", "La1.9Sr0.1CuO4 is superconducting at lower temperatures."],
    "salt": ["A salt", "", "NaCl shows nothing down to 2 K."],
    "theory": ["On the BCS theory", "", "NIST and the USA know no formula here; SQUID and XRD neither."],
    "words": ["Granular films", "", "Percolation in granular aluminium films near the transition."],
    "second": ["Films again", "", "Films were granular, percolation was seen."],
}


def made(path: Path, title: str, doi: str, text: str) -> None:
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(72, 760, title)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(72, 730, f"doi:{doi}" if doi else "A. Author")
    canvas.drawString(72, 700, text)
    canvas.save()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "papers" / "below"
    place.mkdir(parents=True)
    for name, (title, doi, text) in PAPERS.items():
        made(place / f"{name}.PDF", title, doi, text)
    return tmp_path / "papers"


def asked(corpus: Path, question: str, limit: int = 10) -> Found:
    with opened(corpus) as database:
        return search(database, question, limit)


def titles(found: Found) -> set[str]:
    return {each.title for each in found.hits}


def test_a_formula_is_found_however_it_is_written(folder: Path, tmp_path: Path) -> None:
    (folder / "web.pdf").write_text("<html>Sign in</html>")
    (folder / "empty.pdf").touch()
    scan = Canvas(str(folder / "scan.pdf"))
    scan.rect(10, 10, 50, 50)
    scan.showPage()
    scan.save()
    corpus = tmp_path / "c.sqlite"
    told: list[tuple[int, int]] = []
    done = asyncio.run(add_folder(folder, corpus, progress=lambda *each: told.append(each)))
    assert (done.added, done.known, done.documents) == (10, 0, 10)
    assert sorted(Path(each).name for each in done.left_out) == ["empty.pdf", "scan.pdf", "web.pdf"]
    assert "no text" in done.left_out[str(folder / "scan.pdf")] and told[-1] == (13, 13)

    three = {"Superconductivity of magnesium diboride", "A boride by another name", "Doubled cells"}
    for written in ("MgB2", "MgB_{2}", "B2Mg", "magnesium diboride", "Mg0.5B"):
        assert titles(asked(corpus, written)) == three, written
    two = {"Optimal doping", "A crystal"}
    for written in ("La1.85Sr0.15CuO4", "La_{1.85}Sr_{0.15}CuO_{4}", "La2-xSrxCuO4 with x = 0.15"):
        assert titles(asked(corpus, written)) == two, written
    (first, *_) = asked(corpus, "39 K MgB2").hits
    assert (first.doi, first.year, first.pages) == ("10.1234/abc.2001.7", 2001, (1,))
    assert "39 K in MgB2" in first.excerpt and set(first.printed) == {"MgB2", "magnesium diboride"}

    none = asked(corpus, "La1.8Sr0.2CuO4 superconducting")
    assert none.total == 0 and none.hits == () and none.documents == 10
    assert {each.title for each in none.relatives} == {*two, "Less doping"}, (
        "the same elements are said apart"
    )
    assert not asked(corpus, "UTe2").relatives
    assert titles(asked(corpus, "granular percolation")) == {"Granular films", "Films again"}
    assert asked(corpus, "granular percolation", 1).total == 2
    assert titles(asked(corpus, "xyzzy SQUID")) == {"On the BCS theory"}, (
        "some of the words, where none has all"
    )
    assert asked(corpus, "xyzzy").total == 0

    again = asyncio.run(add_folder(folder, corpus))
    assert (again.added, again.known, again.documents) == (0, 10, 10)


def test_words_that_are_no_formulas_are_none() -> None:
    text = "BCS theory, NIST, SQUID, In Fig. 3, Eq. (2), Co, III, PRB 63, 10.1103/PhysRevB.63.1, J. Appl. Phys., He4"
    assert [each.printed for each in mentions(text)] == []
    assert [each.printed for each in mentions("(YBCO), [MgB2]; NaCl-")] == ["YBCO", "MgB2", "NaCl"]
    assert key({"Mg": 1, "B": 2}) == key({"B": 4, "Mg": 2}) == "B0.6667 Mg0.3333"
    doped = {each.key for each in mentions("La2-xSrxCuO4 (x = 0.1, 0.15, 0.2)")}
    assert len(doped) == 3, "each of several values is a material"


@settings(max_examples=60)
@given(st.text(max_size=300))
def test_any_text_is_read_and_any_question_answered(text: str) -> None:
    list(mentions(text))
    with sqlite3.connect(":memory:", isolation_level=None) as database:
        from labrig_papers.corpus.store import _TABLES

        database.executescript(_TABLES)
        document = Document("a" * 64, "/a.pdf", text[:80], "", None, [text, "MgB2 in words"])
        assert add(database, document) and not add(database, document)
        try:
            found = search(database, text)
        except LabrigError as error:
            assert error.where == "query"
        else:
            assert found.documents == 1
        assert search(database, "MgB2").total == 1


def test_what_is_no_corpus_and_what_is_no_question_is_said(tmp_path: Path) -> None:
    with pytest.raises(LabrigError) as error, opened(tmp_path / "none.sqlite"):
        pass
    assert error.value.code == "not_found" and "add FOLDER" in error.value.try_
    (tmp_path / "text").write_text("no database\n" * 200)
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE a (b)")
    other.close()
    for name in ("text", "other"):
        before = (tmp_path / name).read_bytes()
        for make in (False, True):
            with pytest.raises(LabrigError, match="no corpus"), opened(tmp_path / name, make=make):
                pass
        assert (tmp_path / name).read_bytes() == before, "what is not ours is not changed"
    corpus = tmp_path / "c.sqlite"
    with opened(corpus, make=True) as database:
        for question in ("", "  ", "?!", "a" * 1001):
            with pytest.raises(LabrigError):
                search(database, question)
        with pytest.raises(LabrigError):
            search(database, "a b", 0)
    for place in (tmp_path / "nowhere", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(LabrigError) as error:
            asyncio.run(add_folder(place, corpus))
        assert error.value.code == "not_found"


async def test_the_tool_says_what_the_corpus_has_and_what_it_does_not(tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    with opened(corpus, make=True) as database:
        for number in range(40):
            around = "The transition was sharp. " * 20
            text = f"{around} MgB2 of batch {number}. {around}"
            add(
                database,
                Document(f"{number:064}", f"/papers/{number}.pdf", f"Batch {number}", "", 2001, [text]),
            )
    options = ServeOptions(
        toolsets=("literature",), workspace=tmp_path / "w", settings={"corpus": str(corpus)}
    )
    async with Client(build(toolbox, options)) as client:

        async def asks(**arguments: Any) -> dict[str, Any]:
            found: dict[str, Any] | None = (
                await client.call_tool("search_literature", arguments)
            ).structured_content
            assert found is not None and len(json.dumps(found).encode()) < 8_000
            return found

        found = await asks(query="B2Mg sharp transition", limit=20)
        assert found["data"]["total"] == 40 and found["data"]["papers"][0]["printed"] == ["MgB2"]
        assert any("first" in each for each in found["warnings"])
        none = await asks(query="Mg3B4")
        assert none["status"] == "partial" and none["data"]["papers"] == [] and none["data"]["relatives"]
        assert "None of the 40 papers here names Mg3B4" in none["warnings"][0]


def test_of_words_that_are_everywhere_titles_come_first_and_all_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labrig_papers.corpus.searching.EVERYWHERE", 3)
    corpus = tmp_path / "c.sqlite"
    with opened(corpus, make=True) as database:
        for number in range(12):
            title = "A transition" if number == 9 else f"Batch {number}"
            text = f"The sharp transition of MgB2 {'and NaCl' * (number > 9)} {'rare' * (number == 8)}"
            add(database, Document(f"{number:064}", f"/{number}.pdf", title, "", 2001, [text]))
    for question in ("transition", "transition of MgB2", "sharp transition", "transition xyzzy"):
        found = asked(corpus, question)
        assert found.total == 12 and (found.hits[0].title == "A transition" or "sharp" in question), question
    assert len(asked(corpus, "transition", 20).hits) == len(asked(corpus, "MgB2 transition", 20).hits) == 12
    assert titles(asked(corpus, "rare transition")) == {"Batch 8"}
    assert titles(asked(corpus, "NaCl transition")) == {"Batch 10", "Batch 11"}
    assert [each.title for each in asked(corpus, "MgB2 rare", 1).hits] == ["Batch 8"]


@pytest.mark.parametrize(("said", "code"), [("database is locked", "busy"), ("disk is full", "bad_input")])
def test_a_corpus_that_cannot_be_written_is_said(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: str
) -> None:
    def cannot(*_: Any) -> bool:
        raise sqlite3.OperationalError(said)

    monkeypatch.setattr(store, "add", cannot)
    with pytest.raises(LabrigError) as error:
        asyncio.run(add_folder(folder / "below" / "salt.PDF", tmp_path / "c.sqlite"))
    assert error.value.code == code and str(tmp_path / "c.sqlite") in error.value.where


async def test_a_paper_of_a_root_is_named_as_open_paper_takes_it(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    await add_folder(folder / "below" / "salt.PDF", corpus)
    for roots, named in (((folder,), "@papers/below/salt.PDF"), ((), "")):
        options = ServeOptions(
            toolsets=("default", "literature"),
            workspace=tmp_path / "w",
            roots=roots,
            settings={"corpus": str(corpus)},
        )
        async with Client(build(toolbox, options)) as client:
            found = (await client.call_tool("search_literature", {"query": "NaCl"})).structured_content
            assert found is not None and found["data"]["papers"][0].get("open", "") == named
            assert named in found["next"] and ("--root" in found["next"]) is (not named)
            if named:
                opened_ = await client.call_tool("open_paper", {"path": named})
                assert not opened_.is_error


def _adding(folder: Path, corpus: Path) -> Sequence[str]:
    return [sys.executable, "-m", "labrig_papers.corpus", "--corpus", str(corpus), "add", str(folder)]


@pytest.mark.accept
def test_a_paper_that_breaks_the_reader_is_named_and_the_others_go_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(database: sqlite3.Connection, document: Document) -> bool:
        if "salt" in document.path:
            raise ZeroDivisionError("float division by zero")
        return add(database, document)

    monkeypatch.setattr(store, "add", broken)
    done = asyncio.run(add_folder(folder, tmp_path / "corpus.sqlite"))
    ((path, why),) = done.left_out.items()
    assert path.endswith("salt.PDF") and "ZeroDivisionError" in why
    assert done.added == done.documents == len(PAPERS) - 1


def test_two_at_once_and_one_killed_lose_nothing(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    killed = subprocess.Popen(_adding(folder, corpus), start_new_session=True)
    while not corpus.exists():
        assert killed.poll() is None
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    two = [subprocess.Popen(_adding(folder, corpus), stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [each.communicate()[0] for each in two]
    assert [each.returncode for each in two] == [0, 0], said
    with opened(corpus) as database:
        assert count(database) == 10
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert titles(asked(corpus, "magnesium diboride")) >= {"Doubled cells"}
