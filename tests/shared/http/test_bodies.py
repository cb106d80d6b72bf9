"""Large bodies of a ledger, which are files beside it: whole, checked, shared, removed, and migrated to safely."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.http.difference import outcome_differences
from labrig.http.ledger import bodies as ledger_bodies
from labrig.http.ledger import rows
from labrig.http.ledger.export import export
from labrig.http.ledger.ledger import Exchange, Ledger
from labrig.http.messages import Request, Response
from labrig.http.stored import Stored
from support.command import labrig
from support.imitation import imitation, page
from support.web import client

SMALL = 1000


@pytest.fixture(autouse=True)
def large_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("bodies", "rows", "ledger"):
        monkeypatch.setattr(f"labrig.http.ledger.{module}.LARGE", SMALL)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def ask(name: str = "x") -> Request:
    return Request.make("GET", f"https://example.org/{name}")


def answer(body: bytes) -> Response:
    return Response(
        200, "https://example.org/", {"content-type": "image/tiff"}, body, (), "2026-01-02T03:04:05Z"
    )


def add(ledger: Ledger, name: str, body: bytes, **more: Any) -> Exchange:
    return ledger.add(Exchange(ask(name), answer(body), recorded_at="2026-01-02T03:04:05Z"), **more)


def files(path: Path) -> list[Path]:
    return sorted(each for each in path.with_name(f"{path.name}.bodies").rglob("*") if each.is_file())


def schema(path: Path) -> str:
    with sqlite3.connect(path) as db:
        (value,) = db.execute("SELECT value FROM meta WHERE name = 'labrig.ledger'").fetchone()
    db.close()
    return str(value)


def stored(ledger: Ledger, name: str) -> Stored:
    found = ledger.find(ask(name))
    assert found is not None and isinstance(found.outcome, Response) and found.outcome.stored is not None
    return found.outcome.stored


def test_a_large_body_is_a_file_under_its_hash_and_a_small_one_is_as_before(path: Path) -> None:
    large, digest = os.urandom(5000), ""
    with Ledger(path, write=True) as ledger:
        add(ledger, "small", b"x" * SMALL)
        assert schema(path) == "1" and not path.with_name("ledger.sqlite.bodies").exists()
        add(ledger, "a", large)
        add(ledger, "b", large)
        digest = hashlib.sha256(large).hexdigest()
        assert schema(path) == "2"
        assert files(path) == [path.parent / "ledger.sqlite.bodies" / digest[:2] / digest]
        assert stored(ledger, "a").read() == large
        with pytest.raises(LabrigError, match="not in memory"):
            _ = ledger.find(ask("a")).outcome.text  # type: ignore[union-attr]
    with Ledger(path, write=False) as ledger:
        assert stored(ledger, "b").read() == large
        small = ledger.find(ask("small"))
        assert small is not None and small.outcome == answer(b"x" * SMALL)
        assert [entry.size for entry in ledger.entries()] == [SMALL, 5000, 5000]


def test_a_file_goes_with_the_last_row_that_names_it(path: Path) -> None:
    with Ledger(path, write=True) as ledger:
        for name in ("a", "b"):
            add(ledger, name, b"1" * 5000)
        add(ledger, "c", b"3" * 5000)
        add(ledger, "a", b"2" * 5000, replace=True)
        assert len(files(path)) == 3
        add(ledger, "b", b"2" * 5000, replace=True)
        assert len(files(path)) == 2
        half = path.with_name("ledger.sqlite.bodies") / "ab" / ("ab" * 32)
        half.parent.mkdir(exist_ok=True)
        half.write_bytes(b"whose writer was killed before it wrote the row")
        assert ledger.prune(before="2026-01-03T00:00:00Z", host="none.org") == 0
        assert len(files(path)) == 2
        assert ledger.prune(host="example.org") == 3
        assert files(path) == []


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda file: file.unlink(), "The body of GET https://example.org/a is missing"),
        (
            lambda file: file.write_bytes(b"2" * 5000),
            "GET https://example.org/a is not what was written: sha256",
        ),
        (lambda file: file.write_bytes(b"1" * 4999), "is not what was written: 4,999 bytes, not 5,000"),
        (lambda file: (file.rename(file.with_name("o")), file.symlink_to("o")), "cannot be read"),
        (lambda file: (file.unlink(), os.mkfifo(file)), "is not what was written: 0 bytes"),
    ],
)
def test_a_missing_or_damaged_file_is_an_error_that_names_the_request(
    path: Path, harm: Any, said: str
) -> None:
    with Ledger(path, write=True) as ledger:
        add(ledger, "a", b"1" * 5000)
        add(ledger, "small", b"fine")
    harm(files(path)[0])
    with Ledger(path, write=False) as ledger:
        assert ledger.count() == 2
        with pytest.raises(LabrigError, match=said) as caught:
            stored(ledger, "a").read()
        assert caught.value.code == "unavailable" and "ledger.sqlite.bodies" in caught.value.where
        assert [wrong is not None for _, wrong in ledger.verify()] == [True, False]
    # To record it anew mends it.
    with Ledger(path, write=True) as ledger:
        add(ledger, "a", b"1" * 5000, replace=True)
        assert stored(ledger, "a").read() == b"1" * 5000


def test_a_name_that_leads_out_of_the_folder_is_damage(path: Path) -> None:
    with Ledger(path, write=True) as ledger:
        add(ledger, "a", b"1" * 5000)
    (path.parent / "secret").write_bytes(b"secret")
    with sqlite3.connect(path) as db:
        for statement in ("UPDATE blobs SET sha256 = ?", "UPDATE exchanges SET content = ?"):
            db.execute(statement, ("../../secret",))
    db.close()
    with Ledger(path, write=False) as ledger, pytest.raises(LabrigError, match="name of a body"):
        ledger.find(ask("a"))


def test_a_folder_that_is_a_link_leads_to_nothing_of_this_ledger(path: Path, tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir()
    kept = hashlib.sha256(b"1" * 5000).hexdigest()
    theirs = others / (kept[:2] + "ef" * 31)
    theirs.write_bytes(b"a body of another ledger")
    path.with_name(f"{path.name}.bodies").mkdir()
    (path.with_name(f"{path.name}.bodies") / kept[:2]).symlink_to(others)
    with Ledger(path, write=True) as ledger:
        ledger.prune(before="2020-01-01")
        with pytest.raises(LabrigError, match="is a link"):
            add(ledger, "a", b"1" * 5000)
        assert ledger.count() == 0
    assert list(others.iterdir()) == [theirs]


def bomb(path: Path, size: int) -> None:
    """Have the small body of a ledger say another size than it has, and unpack to much more."""
    with Ledger(path, write=True) as ledger:
        add(ledger, "a", b"fine")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE blobs SET size = ?, data = ?", (size, zlib.compress(bytes(48 << 20), 1)))
    db.close()


def test_a_body_of_less_than_no_bytes_is_damage(path: Path) -> None:
    bomb(path, -1)
    with Ledger(path, write=False) as ledger, pytest.raises(LabrigError, match="has -1 bytes"):
        ledger.find(ask("a"))


def test_a_little_ledger_does_not_fill_the_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_PACKED", 40 << 20)
    bomb(path, 48 << 20)
    tracemalloc.start()
    try:
        with Ledger(path, write=False) as ledger, pytest.raises(LabrigError):
            ledger.find(ask("a"))
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


WRITE = """
import sys
from pathlib import Path
from labrig.http.ledger import bodies, ledger, rows
from labrig.http.messages import Request, Response
for module in (bodies, ledger, rows):
    module.LARGE = 1000
path, mine, kill = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
if kill:
    import os
    owner, _, name = kill.partition(".")
    owner = {"Bodies": bodies.Bodies, "schema": ledger.ledger_schema, "rows": rows}[owner]
    setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), 9))
with ledger.Ledger(path, write=True) as to:
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(15):
        url = f"https://example.org/{n}"
        body = f"{n} {mine}".encode() * 1000
        kept = to.add(ledger.Exchange(Request.make("GET", url), Response(200, url, {}, body)))
"""


def start(path: Path, mine: str, kill: str = "") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path), mine, kill],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


@pytest.mark.accept
def test_two_at_once_and_killed_ones_leave_an_old_ledger_whole(path: Path) -> None:
    with Ledger(path, write=True) as ledger:  # of the first schema
        add(ledger, "old", b"old")
    for kill in ("Bodies.place", "schema.allow_files", "rows.insert"):
        process = start(path, "killed", kill)
        process.communicate("\n", timeout=60)
        assert process.returncode == -9
        with Ledger(path, write=False) as ledger:
            assert schema(path) == "1" and ledger.count() == 1
    both = [start(path, mine) for mine in ("a", "b")]
    for process in both:
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    assert schema(path) == "2"
    with Ledger(path, write=True) as ledger:
        assert ledger.count() == 16 and [wrong for _, wrong in ledger.verify() if wrong] == []
        assert ledger.prune(before="2000-01-01T00:00:00Z") == 0
    assert len(files(path)) == 15  # what the killed ones and the second of two left is gone


async def test_a_replay_streams_and_a_damaged_body_gives_no_file(path: Path, tmp_path: Path) -> None:
    body = os.urandom(3_000_000)
    with imitation() as site:
        site.on("/x").then(page(body))
        async with client(tmp_path, site, mode="record") as web:
            await web.download(site.url("/x"), tmp_path / "1")
            assert (await web.get(site.url("/x"))).body == body
    async with client(tmp_path, site, mode="replay") as web:
        await web.download(site.url("/x"), tmp_path / "2")
        assert (tmp_path / "2").read_bytes() == body
        files(path)[0].write_bytes(body[:-1] + bytes([body[-1] ^ 1]))
        with pytest.raises(LabrigError, match="is not what was written"):
            await web.download(site.url("/x"), tmp_path / "3")
        with pytest.raises(LabrigError, match="is not what was written"):
            await web.get(site.url("/x"))
    assert not (tmp_path / "3").exists() and not list(tmp_path.glob(".labrig-*"))


def test_exports_know_them(path: Path, tmp_path: Path) -> None:
    with Ledger(path, write=True) as ledger:
        add(ledger, "a", b"1" * 5000)
        add(ledger, "small", b"fine")
        one, other = ledger.at(1), ledger.add(Exchange(ask("a2"), answer(gzip.compress(b"x"))))
        assert one is not None
        assert outcome_differences(one, one) == []
        assert outcome_differences(one, other)[0].startswith("body: 5,000 bytes, sha256")
        for suffix in (".jsonl", ".har", ".sqlite"):
            assert export(ledger, tmp_path / f"e{suffix}") == 3
        export(ledger, tmp_path / "none.sqlite", host="other.org")
    line = json.loads((tmp_path / "e.jsonl").read_text().splitlines()[0])["response"]
    digest = hashlib.sha256(b"1" * 5000).hexdigest()
    assert line["body_file"] == f"ledger.sqlite.bodies/{digest[:2]}/{digest}" and line["size"] == 5000
    assert (path.parent / line["body_file"]).read_bytes() == b"1" * 5000
    content = json.loads((tmp_path / "e.har").read_text())["log"]["entries"][0]["response"]["content"]
    assert content["size"] == 5000 and digest in content["comment"] and "text" not in content
    assert not (tmp_path / "none.sqlite.bodies").exists() and schema(tmp_path / "none.sqlite") == "1"
    shutil.rmtree(path.with_name("ledger.sqlite.bodies"))
    with Ledger(tmp_path / "e.sqlite", write=False) as part:
        assert [wrong for _, wrong in part.verify() if wrong] == []
        assert stored(part, "a").read() == b"1" * 5000
    # A body that is gone: nothing is written, and what was there stays.
    with Ledger(path, write=False) as ledger, pytest.raises(LabrigError, match="is missing"):
        export(ledger, tmp_path / "e.sqlite", force=True)
    with Ledger(tmp_path / "e.sqlite", write=False) as part:
        assert stored(part, "a").read() == b"1" * 5000


def test_the_command_knows_them(path: Path) -> None:
    with Ledger(path, write=True) as ledger:
        add(ledger, "a", b"1" * 5000)
    where = str(path)
    assert "ledger.sqlite.bodies" in labrig("ledger", "show", where, "1").stdout
    assert labrig("ledger", "verify", where).stdout == "1 exchange, 0 damaged\n"
    words = [sys.executable, "-m", "labrig_cli", "ledger", "show", where, "1", "--body"]
    done = subprocess.run(words, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"1" * 5000)
    files(path)[0].write_bytes(b"2" * 5000)
    said = labrig("ledger", "verify", where)
    assert said.returncode == 1 and "GET https://example.org/a: The body of" in said.stdout
    assert "1 damaged" in said.stdout
    assert "removed 1 of 1" in labrig("ledger", "prune", where, "--host", "example.org").stdout
    assert files(path) == []


def test_the_boundary_is_where_it_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert ledger_bodies.LARGE == 8 << 20
