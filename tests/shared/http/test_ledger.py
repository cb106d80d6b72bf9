"""The ledger: what it keeps, what it never keeps, several writers, a kill, a full disk, and reading without a trace."""

from __future__ import annotations

import base64
import ctypes
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.http.difference import difference
from labrig.http.ledger import schema as ledger_schema
from labrig.http.ledger.ledger import Exchange, Ledger, default_path
from labrig.http.messages import Hop, Request, Response

KEY = "sk-live-0123456789abcdef"


def ask(url: str = "https://api.example.org/v1/waters", **more: object) -> Request:
    return Request.make("POST" if {"form", "data", "body"} & more.keys() else "GET", url, **more)  # type: ignore[arg-type]


def answer(body: bytes = b"{}", status: int = 200, **headers: str) -> Response:
    return Response(status, "https://api.example.org/", headers, body, (), "2026-01-02T03:04:05Z")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "a ledger?#%.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with Ledger(path, write=True) as made:
        yield made


def python(code: str, *words: object, **more: object) -> subprocess.Popen[str]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def everything_in(folder: Path) -> bytes:
    """Return all that the files of a ledger hold, with its bodies unpacked."""
    found = [path.read_bytes() for path in folder.iterdir()]
    for path in folder.glob("*.sqlite"):
        with sqlite3.connect(path) as db:
            found += [zlib.decompress(data) for (data,) in db.execute("SELECT data FROM blobs")]
        db.close()
    return b"\n".join(found)


# ------------------------------------------------------------------------------------------------ what is kept


def test_what_was_added_comes_back_the_same_to_another_reader(path: Path) -> None:
    asked = ask(form={"data": "node(1);"}, headers={"Accept": "application/json"})
    given = Response(
        203,
        "https://api.example.org/final",
        {"content-type": "image/png", "x-odd": 'quote " and Zürich'},
        bytes(range(256)) * 40,
        (Hop(301, "https://api.example.org/a", "https://api.example.org/final"),),
        "2026-01-02T03:04:05Z",
    )
    error = LabrigError(
        "It asks to wait",
        where="there",
        expected="patience",
        try_="later",
        code="rate_limited",
        retry_after_s=0.0,
    )
    whole = Exchange(asked, given, 0, "2026-01-02T03:04:06Z", 12, "overpass", 1_000, "0.0.9")
    with Ledger(path, write=True) as ledger:
        assert ledger.add(whole) == whole
        ledger.add(Exchange(ask(), error))
    with Ledger(path, write=False) as ledger:
        again, refused = ledger.find(asked), ledger.find(ask())
        assert ledger.count() == 2
    assert again == whole
    assert again is not None and isinstance(again.outcome, Response) and again.outcome.origin == "ledger"
    assert refused is not None and isinstance(refused.outcome, LabrigError)
    assert refused.outcome.to_dict() == error.to_dict()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", refused.recorded_at)


def test_a_poll_has_a_series_and_its_last_answer_stands_for_those_that_follow(ledger: Ledger) -> None:
    for ordinal, body in enumerate((b"waiting", b"running", b"done")):
        ledger.add(Exchange(ask(), answer(body), ordinal))
    found = [ledger.find(ask(), ordinal) for ordinal in (0, 1, 2, 3, 50)]
    assert [each and each.outcome.body for each in found] == [
        b"waiting",
        b"running",
        b"done",
        b"done",
        b"done",
    ]  # type: ignore[union-attr]
    assert [each and each.ordinal for each in found] == [0, 1, 2, 2, 2]

    ledger.add(Exchange(ask(), answer(b"other job"), 1), replace=True)
    found = [ledger.find(ask(), ordinal) for ordinal in (0, 1, 2)]
    assert [each and each.outcome.body for each in found] == [b"waiting", b"other job", b"other job"]  # type: ignore[union-attr]


def test_the_first_stays_unless_it_is_to_be_replaced_or_was_an_error(ledger: Ledger) -> None:
    def add(outcome: Response | LabrigError, **how: bool) -> Response | LabrigError:
        return ledger.add(Exchange(ask(), outcome), **how).outcome

    failed, late = LabrigError("no answer", code="unreachable"), LabrigError("no answer again")
    add(failed)
    assert str(add(answer(b"a"))) == str(failed)
    assert str(add(late, replace_error=True)) == str(failed)
    assert add(answer(b"a"), replace_error=True) == answer(b"a")
    assert add(answer(b"b"), replace_error=True) == answer(b"a")
    assert add(answer(b"c"), replace=True) == answer(b"c")
    assert ledger.count() == 1


def test_a_body_is_there_once_while_somebody_has_it(ledger: Ledger) -> None:
    def bodies() -> int:
        with sqlite3.connect(ledger.path) as db:
            (count,) = db.execute("SELECT count(*) FROM blobs").fetchone()
        db.close()
        return int(count)

    large = os.urandom(300_000)
    for n in range(20):
        ledger.add(Exchange(ask(params={"n": n}), answer(large)))
    assert bodies() == 1
    ledger.add(Exchange(ask(params={"n": 0}), answer(b"other")), replace=True)
    ledger.add(Exchange(ask(params={"n": 0}), answer(b"another")), replace=True)
    assert bodies() == 2  # "other" is gone, the large one is still that of nineteen
    assert ledger.prune(host="api.example.org", errors=True) == 0
    assert ledger.prune(host="api.example.org") == 20
    assert bodies() == 0
    ledger.close()
    assert ledger.path.stat().st_size < 100_000


def test_exchanges_come_in_order_by_host_and_time(ledger: Ledger) -> None:
    for day, host in enumerate(("a.org", "b.org:8443", "b.org", "ab.org", "b.org.evil.com"), 1):
        ledger.add(Exchange(ask(f"https://{host}/"), answer(), recorded_at=f"2026-01-0{day}T00:00:00Z"))

    def hosts(**which: object) -> list[str]:
        return [each.request.host for each in ledger.exchanges(**which)]  # type: ignore[arg-type]

    assert hosts() == ["a.org", "b.org:8443", "b.org", "ab.org", "b.org.evil.com"]
    assert hosts(host="B.org") == ["b.org:8443", "b.org"]
    assert hosts(host="b.org:8443") == ["b.org:8443"]
    assert hosts(since="2026-01-03T00:00:00Z") == ["b.org", "ab.org", "b.org.evil.com"]
    assert ledger.prune(before="2026-01-03T00:00:00Z", dry=True) == 2
    assert ledger.count() == 5
    with pytest.raises(LabrigError, match="remove everything"):
        ledger.prune()


# --------------------------------------------------------------------------------------------- what is never kept


def test_no_key_reaches_the_disk_and_the_request_is_found_without_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    asked = ask(
        params={"apikey": KEY, "q": "x"}, headers={"Authorization": f"Bearer {KEY}", "X-Kind": f"k {KEY}"}
    )
    assert KEY in asked.wire.url
    # One that nobody redacted: the ledger itself is the last line.
    bare = Request("POST", f"https://api.example.org/{KEY}", (("x-kind", KEY),), f"key={KEY}".encode())
    given = Response(
        200,
        f"https://api.example.org/{KEY}",
        {"x-echo": KEY},
        b"you sent " + KEY.encode(),
        (Hop(302, f"https://api.example.org/?k={KEY}", f"/{KEY}"),),
    )
    with Ledger(path, write=True) as ledger:
        kept = ledger.add(Exchange(asked, given, service=KEY))
        ledger.add(Exchange(bare, LabrigError(f"refused {KEY}", where=KEY, expected=KEY, try_=KEY)))
        assert isinstance(kept.outcome, Response) and kept.outcome.body == b"you sent [key]"
        assert kept.request.wire.url == ""
        assert ledger.find(asked) == kept
        assert ledger.find(bare) is not None
        monkeypatch.setenv("SOME_API_KEY", "another-key-9876543210")
        same = ask(
            params={"apikey": "another-key-9876543210", "q": "x"},
            headers={"X-Kind": "k another-key-9876543210"},
        )
        assert ledger.find(same) == kept
        held = everything_in(path.parent)
    held += everything_in(path.parent)
    assert b"you sent [key]" in held  # so it is looked at
    for form in (KEY.encode(), base64.b64encode(KEY.encode())[:-4], asked.wire.url.encode()):
        assert form not in held


# ---------------------------------------------------------------------------------------- threads and processes

RECORD = """
import sys
from pathlib import Path
from labrig.http.ledger.ledger import Exchange, Ledger
from labrig.http.messages import Request, Response
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
with Ledger(path, write=True) as ledger:
    for n in range(count):
        asked = Request.make("GET", f"https://api.example.org/{n}")
        body = f"{name} {n} ".encode() * 1000
        kept = ledger.add(Exchange(asked, Response(200, asked.url, {}, body)))
        print(kept.outcome.sha256, flush=True)
"""


def test_processes_that_record_the_same_go_on_with_the_same(path: Path) -> None:
    several = [python(RECORD, path, name, 60, stdin=subprocess.PIPE) for name in ("one", "two", "three")]
    for each in several:
        assert each.stdout is not None and each.stdin is not None
        assert each.stdout.readline() == "ready\n"
    for each in several:  # together: the file itself is still to be made
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    told = [each.communicate(timeout=120) for each in several]
    assert [each.returncode for each in several] == [0, 0, 0], told
    assert told[0][0] == told[1][0] == told[2][0]
    with Ledger(path, write=False) as ledger:
        held = [each.outcome.sha256 for each in ledger.exchanges()]  # type: ignore[union-attr]
    assert sorted(held) == sorted(told[0][0].split())


def test_a_killed_writer_leaves_whole_exchanges_and_the_next_goes_on(path: Path) -> None:
    killed = python(RECORD, path, "killed", 100_000, stdin=subprocess.PIPE)
    assert killed.stdin is not None and killed.stdout is not None
    killed.stdin.write("go\n")
    killed.stdin.flush()
    for _ in range(200):
        killed.stdout.readline()
    with Ledger(path, write=False) as ledger:  # while it writes
        seen = ledger.count()
        assert seen >= 150
        os.kill(killed.pid, signal.SIGKILL)
        told = 199 + len(
            killed.stdout.read().split()
        )  # communicate() leaves out what readline() has buffered
        killed.communicate()
        held = list(ledger.exchanges())
    assert told - 1 <= len(held) <= told + 1
    for n, each in enumerate(held):
        assert isinstance(each.outcome, Response)
        assert each.outcome.body == f"killed {n} ".encode() * 1000
    with Ledger(path, write=True) as ledger:
        ledger.add(Exchange(ask(), answer()))
        assert ledger.count() == len(held) + 1
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # all in the file itself


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    kept: list[list[bytes]] = [[] for _ in range(8)]

    def work(mine: list[bytes], name: int) -> None:
        for n in range(50):
            kept_now = ledger.add(Exchange(ask(params={"n": n}), answer(f"{name}".encode())))
            found = ledger.find(ask(params={"n": n}))
            assert found == kept_now
            mine.append(kept_now.outcome.body)  # type: ignore[union-attr]

    threads = [threading.Thread(target=work, args=(mine, name)) for name, mine in enumerate(kept)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert len(kept[0]) == 50
    assert all(each == kept[0] for each in kept)


def test_a_reader_follows_a_writer_that_comes_and_goes(path: Path) -> None:
    with Ledger(path, write=True) as first:
        first.add(Exchange(ask(params={"n": 0}), answer()))
    with Ledger(path, write=False) as reader:
        for n in range(1, 6):
            assert reader.count() == n  # no writer: the file is taken as unchanging
            with Ledger(path, write=True) as writer:
                writer.add(Exchange(ask(params={"n": n}), answer(os.urandom(50_000))))
                found = reader.find(ask(params={"n": n}))
                assert found is not None and isinstance(found.outcome, Response)
                assert len(found.outcome.body) == 50_000
                writer.prune(host="nobody.example.org")  # moves pages while the reader is at it
                assert reader.count() == n + 1


def test_what_changed_while_it_was_read_is_read_again(path: Path) -> None:
    with Ledger(path, write=True) as writer:
        writer.add(Exchange(ask(), answer()))
    seen: list[int] = []

    def look(db: sqlite3.Connection) -> int:
        if not seen:
            with Ledger(path, write=True) as writer:  # has moved its data into the file when it is closed
                writer.add(Exchange(ask(params={"n": 1}), answer(os.urandom(50_000))))
        seen.append(db.execute("SELECT count(*) FROM exchanges").fetchone()[0])
        return seen[-1]

    with Ledger(path, write=False) as reader:
        assert reader._read(look) == 2
    assert len(seen) == 2


def test_a_closed_ledger_is_whole_without_what_is_beside_it_though_others_read(
    path: Path, tmp_path: Path
) -> None:
    writer = Ledger(path, write=True)
    writer.add(Exchange(ask(), answer()))
    with Ledger(path, write=False) as reader:
        assert reader.count() == 1
        writer.close()
        (tmp_path / "copy.sqlite").write_bytes(path.read_bytes())
        assert read_all(tmp_path / "copy.sqlite") == reader.count() == 1


# ------------------------------------------------------------------------------------------- reading leaves no trace


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {each.name: (each.stat().st_mtime_ns, each.read_bytes()) for each in folder.iterdir()}


def read_all(path: Path) -> int:
    with Ledger(path, write=False) as ledger:
        ledger.nearest(ask())
        return sum(1 for _ in ledger.exchanges())


@pytest.mark.parametrize("left", ["closed", "with its -wal", "with -wal and -shm"])
def test_reading_makes_and_changes_nothing(path: Path, tmp_path: Path, left: str) -> None:
    writer = Ledger(path, write=True)
    writer.add(Exchange(ask(), answer(b"1")))
    if left == "closed":
        writer.close()
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for each in path.parent.iterdir():  # as it lies on the disk now
        if left == "with -wal and -shm" or not each.name.endswith("-shm"):
            (shipped / each.name).write_bytes(each.read_bytes())
    if left != "closed":
        assert (shipped / f"{path.name}-wal").stat().st_size > 0
        writer.close()
    before = state(shipped)
    assert read_all(shipped / path.name) == 1
    after = state(shipped)
    # The -shm has no data, only the locks of whoever reads now.
    before.pop(f"{path.name}-shm", None), after.pop(f"{path.name}-shm", None)
    assert after == before
    if left == "with its -wal":
        assert not (shipped / f"{path.name}-shm").exists()


READ = """
import os, sys
from pathlib import Path
from labrig.http.ledger.ledger import Ledger
try:
    Path(sys.argv[1]).with_name("new").touch()
except PermissionError:
    print(Ledger(Path(sys.argv[1]), write=False).count())
try:
    Ledger(Path(sys.argv[1]), write=True)
except Exception as error:
    print(error)
"""


def _as_anybody() -> None:
    """Take from root what lets it write everywhere: PR_CAPBSET_DROP, CAP_DAC_OVERRIDE; others have it not."""
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


def test_a_ledger_in_a_folder_that_cannot_be_written_is_read(path: Path) -> None:
    with Ledger(path, write=True) as ledger:
        ledger.add(Exchange(ask(), answer()))
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        said, errors = python(READ, path, preexec_fn=_as_anybody).communicate(timeout=60)
    finally:
        path.parent.chmod(0o755)
    assert said.startswith("1\nThe ledger cannot be opened or written"), said + errors


# -------------------------------------------------------------------------------------------------------- refusals


def _newer(path: Path) -> None:
    Ledger(path, write=True).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '3' WHERE name = 'labrig.ledger'")
    db.close()


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE meta (name, value)")
    db.close()


def _cut(path: Path) -> None:
    with Ledger(path, write=True) as ledger:
        for n in range(50):
            ledger.add(Exchange(ask(params={"n": n}), answer(os.urandom(5_000))))
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    ("make", "said", "code"),
    [
        (
            lambda path: path.write_text("no database, but text " * 100),
            "This file is not a ledger",
            "bad_input",
        ),
        (_other_database, "This file is not a ledger", "bad_input"),
        (lambda path: path.mkdir(), "This is a folder", "bad_input"),
        (_newer, "A newer Labrig wrote this ledger", "unavailable"),
        (_cut, "The ledger is damaged", "unavailable"),
    ],
)
def test_what_is_no_ledger_of_ours_is_refused_and_left_alone(
    tmp_path: Path, make, said: str, code: str
) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "ledger.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    for write in (False, True):
        with pytest.raises(LabrigError, match=said) as caught, Ledger(path, write=write) as ledger:
            list(ledger.exchanges())
        assert (caught.value.code, caught.value.where) == (code, str(path))
    if path.is_file() and make is not _cut:
        assert path.read_bytes() == before
        assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_replay_without_a_ledger_says_how_to_record_one_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "no folder" / "ledger.sqlite"
    with pytest.raises(LabrigError, match="There is no ledger") as caught:
        Ledger(path, write=False)
    assert "LABRIG_HTTP_MODE=record" in str(caught.value) and str(path) in str(caught.value)
    assert caught.value.code == "unavailable"  # "not_found" would be a service's word
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(LabrigError, match="folder of the ledger cannot be made"):
        Ledger(tmp_path / "file" / "ledger.sqlite", write=True)
    with pytest.raises(LabrigError, match="The ledger is empty"):  # its maker was killed
        Ledger(tmp_path / "file", write=False)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE blobs SET data = zeroblob(9)",
        "UPDATE blobs SET data = x''",
        "UPDATE exchanges SET answer = '{'",
    ],
)
def test_what_was_changed_by_hand_is_not_handed_out(ledger: Ledger, harm: str) -> None:
    ledger.add(Exchange(ask(), answer(b"as it was")))
    with sqlite3.connect(ledger.path) as db:
        db.execute(harm)
    db.close()
    for act in (lambda: ledger.find(ask()), lambda: ledger.add(Exchange(ask(), answer()))):
        with pytest.raises(LabrigError, match="The ledger is damaged"):
            act()
    ledger.add(Exchange(ask(params={"n": 1}), answer(b"goes on")))


@pytest.mark.parametrize(
    ("word", "instead"),
    [
        (b"CREATE TABLE meta", b"CREAT\xe3 TABLE meta"),
        (b"CREATE TABLE blobs", b"CREATE TABLE bl\x9bbs"),
        (b"took_ms INTEGER", b"tookxms INTEGER"),
        (b"service TEXT", b"serv\xefce TEXT"),
    ],
)
def test_a_spoiled_byte_of_the_schema_is_damage(path: Path, word: bytes, instead: bytes) -> None:
    with Ledger(path, write=True) as ledger:
        ledger.add(Exchange(ask(), answer()))
    whole = path.read_bytes()
    assert word in whole and len(word) == len(instead)
    path.write_bytes(whole.replace(word, instead))
    for write in (False, True):
        with pytest.raises(LabrigError, match="The ledger is damaged"), Ledger(path, write=write) as ledger:
            ledger.find(ask())


def test_a_full_disk_costs_only_what_does_not_fit(ledger: Ledger) -> None:
    ledger.add(Exchange(ask(), answer(b"first")))
    assert ledger._db is not None
    (pages,) = ledger._db.execute("PRAGMA page_count").fetchone()
    ledger._db.execute(f"PRAGMA max_page_count={pages + 2}")  # SQLite then says what it says of a full disk
    with pytest.raises(LabrigError, match="the disk is full") as caught:
        ledger.add(Exchange(ask(params={"n": 1}), answer(os.urandom(100_000))))
    assert caught.value.code == "limit"
    ledger._db.execute("PRAGMA max_page_count=1000000")
    ledger.add(Exchange(ask(params={"n": 2}), answer(b"third")))
    assert [each.outcome.body for each in ledger.exchanges()] == [b"first", b"third"]  # type: ignore[union-attr]


FILL = """
import os, resource, sys
from pathlib import Path
from labrig.http.ledger.ledger import Exchange, Ledger
from labrig.http.messages import Request, Response
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
ledger = Ledger(Path(sys.argv[1]), write=True)
try:
    for n in range(100):
        asked = Request.make("GET", f"https://api.example.org/{n}")
        ledger.add(Exchange(asked, Response(200, asked.url, {}, os.urandom(20_000))))
except Exception as error:
    print(type(error).__name__, error)
print(ledger.count() == n, n)
ledger.close()
"""


def test_a_file_that_may_not_grow_is_still_whole(path: Path) -> None:
    said, errors = python(FILL, path).communicate(timeout=60)
    assert said.startswith("LabrigError The ledger cannot be used: disk I/O error"), said + errors
    whole, count = said.splitlines()[1].split()
    assert whole == "True" and int(count) > 3
    assert read_all(path) == int(count)


HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
"""


def test_a_ledger_that_another_process_holds_is_waited_for_not_forever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger(path, write=True).close()
    monkeypatch.setattr(ledger_schema, "PATIENCE_S", 0.2)
    short = Ledger(path, write=True)
    monkeypatch.setattr(ledger_schema, "PATIENCE_S", 60.0)
    patient = Ledger(path, write=True)
    holder = python(HOLD, path, stdin=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LabrigError, match="Another process holds the ledger") as caught:
        short.add(Exchange(ask(), answer()))
    assert caught.value.code == "busy"
    assert short.count() == 0  # it can be read meanwhile
    threading.Timer(0.3, lambda: holder.communicate("go\n")).start()
    patient.add(Exchange(ask(), answer()))
    assert short.count() == 1
    holder.wait(30)
    short.close()
    patient.close()


def test_a_ledger_for_reading_is_not_written(path: Path) -> None:
    Ledger(path, write=True).close()
    with Ledger(path, write=False) as ledger:
        for act in (lambda: ledger.add(Exchange(ask(), answer())), lambda: ledger.prune(host="a")):
            with pytest.raises(LabrigError, match="to be read only"):
                act()


# -------------------------------------------------------------------------------------------- resemblance, many


def test_the_nearest_requests_and_what_differs(ledger: Ledger) -> None:
    base = "https://api.example.org/v1"
    recorded = {
        "limit": ask(f"{base}/waters", params={"q": "spring", "limit": 20}),
        "other": ask(f"{base}/minerals/7", params={"format": "json"}),
        "post": ask(f"{base}/waters", data={"q": "spring", "deep": [{"a": 1}]}),
        "form": ask(
            "https://map.example.org/api", form={"data": "[out:json];node[natural=spring](around:70,50,10);"}
        ),
    }
    for each in recorded.values():
        ledger.add(Exchange(each, answer()))

    def nearest(wanted: Request) -> tuple[Request, str]:
        best = ledger.nearest(wanted, 1)[0]
        return best, difference(best, wanted)

    assert nearest(ask(f"{base}/waters", params={"q": "spring", "limit": 10})) == (
        recorded["limit"],
        "parameter limit: '20' instead of '10'",
    )
    assert nearest(
        ask(f"{base}/waters", params={"q": "spring", "limit": 20}, headers={"Accept": "text/csv"})
    ) == (
        recorded["limit"],
        "header accept: none instead of 'text/csv'",
    )
    assert nearest(ask(f"{base}/waters", params={"limit": 20, "q": "spring"})) == (
        recorded["limit"],
        "the order of the parameters, or how the URL or body is written",
    )
    assert nearest(ask(f"{base}/waters", data={"q": "spring", "deep": [{"a": 2}]})) == (
        recorded["post"],
        "body $.deep[0].a: 1 instead of 2",
    )
    best, what = nearest(ask("https://map.example.org/api", form={"data": "node[natural=peak]", "x": 1}))
    assert best == recorded["form"]
    assert what.startswith("form field data: '[out:json];") and what.endswith(
        "form field x: none instead of '1'"
    )
    assert nearest(ask("https://mirror.example.org/v1/waters", params={"q": "spring", "limit": 20})) == (
        recorded["limit"],
        "host: 'api.example.org' instead of 'mirror.example.org'",
    )
    assert ledger.nearest(ask("https://unheard.of/")) == []
    assert ledger.nearest(ask(f"{base}/waters", params={"q": "spring"}))[:2] == [
        recorded["limit"],
        recorded["other"],
    ]
    assert difference(recorded["limit"], replace(recorded["limit"])) == "nothing"


@pytest.mark.accept
def test_five_thousand_exchanges_are_quick_to_look_up(ledger: Ledger) -> None:
    requests = [ask(f"https://api.example.org/items/{n % 700}", params={"limit": n}) for n in range(5_000)]
    for n, each in enumerate(requests):
        ledger.add(Exchange(each, answer(b'{"n": %d}' % n)))
    began = time.monotonic()
    for n in range(0, 5_000, 10):
        found = ledger.find(requests[n])
        assert found is not None and isinstance(found.outcome, Response)
        assert found.outcome.json() == {"n": n}
    assert time.monotonic() - began < 20  # 0.1 s where this was written
    began = time.monotonic()
    best = ledger.nearest(ask("https://api.example.org/items/77", params={"limit": 99_999}))
    assert len(best) == 3 and "/items/77?" in best[0].url
    long = ask(f"https://api.example.org/{'x' * 4_000}", params={"q": "y" * 4_000})
    assert len(ledger.nearest(long)) == 3
    assert time.monotonic() - began < 20  # 0.3 s
    began = time.monotonic()
    assert sum(1 for _ in ledger.entries()) == 5_000
    assert time.monotonic() - began < 20


def test_the_default_path_is_the_setting_or_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    monkeypatch.delenv("LABRIG_HTTP_LEDGER", raising=False)
    assert default_path() == tmp_path / "http" / "ledger.sqlite"
    monkeypatch.setenv("LABRIG_HTTP_LEDGER", "~/mine.sqlite")
    assert default_path() == Path.home() / "mine.sqlite"
