"""Small attacks on who uses the command: files without an end, text that acts on a terminal or a spreadsheet, links."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest

from hostile.imports.endless import CORPUS, DEEP, DOTS, LEDGER, STORE, deep_folder, swollen, views
from hostile.servers import crowd
from labrig.errors import LabrigError
from labrig.http.ledger.ledger import Ledger
from labrig.tables.formulas import without_formula
from labrig_atlas.wiki import store_file
from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.page import Page, Section
from labrig_atlas.wiki.sqlite_store import SqliteStore
from labrig_cli.servers import _show
from labrig_papers.corpus import store as corpus
from labrig_papers.corpus.searching import search
from support.command import labrig


def test_databases_of_views_are_refused_before_a_row_is_read(tmp_path: Path) -> None:
    with pytest.raises(LabrigError, match="not a ledger"):
        Ledger(views(tmp_path / "ledger", LEDGER), write=False)
    kind = {"application": corpus.APPLICATION, "layout": corpus.LAYOUT}
    with pytest.raises(LabrigError, match="no corpus"), corpus.opened(views(tmp_path / "c", CORPUS, **kind)):
        pass
    kind = {"application": store_file.APPLICATION, "layout": store_file.LAYOUT}
    with pytest.raises(LabrigError, match="no store"):
        SqliteStore(views(tmp_path / "store", STORE, **kind))


@pytest.mark.parametrize(
    "computed", [pytest.param(False, marks=pytest.mark.accept), True], ids=["packed", "computed"]
)
@pytest.mark.parametrize("of", ["corpus", "store"])
def test_a_value_that_swells_is_refused_before_it_fills_the_memory(
    of: str, computed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "foreign.sqlite"
    if of == "corpus":
        with corpus.opened(path, make=True) as database:
            paper = corpus.Document("a" * 64, "a.pdf", "LaH10", "", 2019, ["superconducting LaH10"])
            assert corpus.add(database, paper, 0.0)
        swollen(path, "pages", "text", computed=computed)
    else:
        identity = Identity("wiki.invalid", "A")
        with store_file.StoreWriter(path) as writer:
            writer.add(identity, Page("A", identity.address, (Section("", 1, ""),)))
            writer.finish("a test")
        swollen(path, "pages", "body", computed=computed)

    def read() -> object:
        if of == "corpus":
            with corpus.opened(path) as database:
                return search(database, "superconducting LaH10")
        return SqliteStore(path).page(identity)

    tracemalloc.start()
    try:
        with pytest.raises(LabrigError) as refused:
            read()
        assert refused.value.code in ("bad_input", "unavailable")
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "words",
    [
        ("score", "{out}"),
        ("compare", "{out}", "{out}"),
        ("tables", "{out}"),
        ("resume", "{out}"),
        ("show", "{out}"),
        ("report", "{out}", "-o", "{tmp}/page.html"),
        ("export", "{out}", "--format", "atif", "-o", "{tmp}/exported"),
        ("import", "auto", "{deep}", "--out", "{tmp}/imported"),
        ("generate", "phreeqc-mcq", "--from", "{deep}", "--out", "{tmp}/made"),
        ("call", "phreeqc", "list_file", "@{deep}"),
        ("install", "claude-code", "phreeqc", "--path", "{deep}", "--yes"),
        ("ledger", "list", "{views}"),
        ("run", "{dots}", "--agent", "nop"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_without_an_end_is_one_line_of_error(
    words: tuple[str, ...], tmp_path: Path, private_home: Path
) -> None:
    places = {
        "out": deep_folder(tmp_path / "out"),
        "deep": tmp_path / "deep.json",
        "views": views(tmp_path / "views", LEDGER),
        "dots": tmp_path / "dots.toml",
        "tmp": tmp_path,
    }
    places["deep"].write_text(DEEP)
    places["dots"].write_text(DOTS)
    done = labrig(*(word.format(**places) for word in words))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("labrig: ") and len(done.stderr) < 500


@pytest.mark.accept
def test_a_crowd_of_one_token_does_not_come_before_another(private_home: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-P", crowd.__file__, "--calls", "20"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_names_that_act_on_a_terminal_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    acting = "a\x1b]0;owned\x07\x1b[2J\u202egnp.\x9b31m, 10 \u00b5m\n"
    block = SimpleNamespace(text=acting, type="text")
    result = SimpleNamespace(content=[block], meta={}, structured_content={"name": acting}, is_error=False)
    for as_text in (True, False):
        _show(result, as_text=as_text)
        shown = capsys.readouterr().out
        assert "10 \u00b5m" in shown and not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert json.loads(shown) == {"name": acting}


def test_a_cell_is_no_formula() -> None:
    acting = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "  =1", "\t=1", "\n=1"]
    kept = ["-5", "+0.25", "-1e-3", ".5", "Ca+2", "a=b", "", "µ"]
    assert [without_formula(each) for each in acting] == [f"'{each}" for each in acting]
    assert [without_formula(each) for each in kept] == kept
    rows = list(csv.reader(io.StringIO(",".join(f'"{without_formula(each)}"' for each in kept))))
    assert rows == [kept]


def test_an_installation_through_a_link_names_what_it_leads_to(tmp_path: Path, private_home: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    words = ("install", "claude-code", "phreeqc", "--path", str(link))
    for more in (("--dry-run",), ("--yes",)):
        said = labrig(*words, *more).stdout
        assert f"{link}, a link to {target}" in said
    assert "labrig-phreeqc" in target.read_text() and link.is_symlink()
