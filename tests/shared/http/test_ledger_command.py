"""``labrig ledger``: list, show, diff, prune and export of recorded exchanges, also of hostile ones to a terminal."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.http.ledger.ledger import Exchange, Ledger
from labrig.http.messages import Hop, Request, Response

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\x9b31m"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
EVIL_URL = "https://evil.example.org/\x1b[31m"


def labrig(*words: object, home: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "labrig_cli", "ledger", *map(str, words)],
        capture_output=True,
        timeout=60,
        env={**os.environ, "LABRIG_HOME": str(home)} if home else None,
    )


def said(done: subprocess.CompletedProcess[bytes], code: int = 0) -> list[str]:
    assert done.returncode == code, done
    return done.stdout.decode().splitlines()


def record(path: Path, *exchanges: Exchange) -> Path:
    with Ledger(path, write=True) as ledger:
        for each in exchanges:
            ledger.add(each)
    return path


def exchange(url: str, body: bytes = b"", media: str = "application/json", **more: Any) -> Exchange:
    asked = Request.make("GET", url)
    response = Response(200, url, {"content-type": media, "x-by": "here"}, body, (), "2026-01-02T03:04:05Z")
    return Exchange(asked, response, **{"recorded_at": "2026-01-02T03:04:05Z", "took_ms": 7, **more})


WATERS = exchange("https://a.example.org/waters?q=spring", json.dumps({"n": [1, {"name": "Vichy"}]}).encode())
PICTURE = exchange("https://a.example.org/picture", PNG, "image/png", recorded_at="2026-02-01T00:00:00Z")
FAILED = Exchange(
    Request.make("POST", "https://b.example.org:8443/jobs", form={"data": "node(1);"}),
    LabrigError("It asks to wait", where="b.example.org", code="rate_limited", retry_after_s=90),
    recorded_at="2026-02-02T00:00:00Z",
)
MOVED = Exchange(
    Request.make("GET", "https://b.example.org/old"),
    Response(
        404,
        "https://b.example.org/new",
        {"content-type": "text/plain"},
        b"one\ntwo\nthree",
        (Hop(301, "https://b.example.org/old", "https://b.example.org/new"),),
        "2026-02-03T00:00:00Z",
    ),
    recorded_at="2026-02-03T00:00:00Z",
)
EVIL = Exchange(
    Request("GET", EVIL_URL, (("x-evil", HOSTILE),)),
    Response(
        200,
        EVIL_URL,
        {"content-type": f"text/plain{HOSTILE}"},
        HOSTILE.encode(),
        (Hop(302, EVIL_URL, HOSTILE),),
    ),
    recorded_at="2026-02-04T00:00:00Z",
    service=HOSTILE,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "http"
    return record(folder / "ledger.sqlite", WATERS, PICTURE, FAILED, MOVED)


@pytest.mark.accept
def test_list_has_a_line_for_each_and_a_total(path: Path) -> None:
    lines = said(labrig("list", home=path.parent.parent))  # the default path
    assert [line.split() for line in lines[:-1]] == [
        ["1", "2026-01-02T03:04:05Z", "GET", "200", "29", "B", "https://a.example.org/waters?q=spring"],
        ["2", "2026-02-01T00:00:00Z", "GET", "200", "264", "B", "https://a.example.org/picture"],
        ["3", "2026-02-02T00:00:00Z", "POST", "rate_limited", "-", "https://b.example.org:8443/jobs"],
        ["4", "2026-02-03T00:00:00Z", "GET", "404", "13", "B", "https://b.example.org/old"],
    ]
    assert lines[-1] == "4 exchanges, 1 error, 306 B"
    assert said(labrig("list", path, "--host", "b.example.org", "--since", "2026-02-02T12:00Z"))[
        -1
    ].startswith("1 ")
    assert said(labrig("list", path, "--status", "error"))[0].split()[0] == "3"
    assert [
        json.loads(line)["number"] for line in said(labrig("list", path, "--status", "200", "--json"))
    ] == [1, 2]
    assert labrig("list", path, "--status", "all").returncode == 2
    assert b"is not a time" in labrig("list", path, "--since", "yesterday").stderr
    absent = labrig("list", path.with_name("absent.sqlite"))
    assert absent.returncode == 2 and b"There is no ledger" in absent.stderr


@pytest.mark.accept
def test_show_one(path: Path) -> None:
    text = "\n".join(said(labrig("show", path, "waters")))
    assert "exchange 1: recorded 2026-01-02T03:04:05Z, in 7 ms" in text
    assert "GET https://a.example.org/waters?q=spring" in text
    assert "  x-by: here" in text and WATERS.outcome.sha256 in text and '"Vichy"' in text  # type: ignore[union-attr]
    assert "(binary, begins 89 50 4e 47" in "\n".join(said(labrig("show", path, 2)))
    assert labrig("show", path, 2, "--body").stdout == PNG
    text = "\n".join(said(labrig("show", path, "jobs")))
    assert "data=node%281%29%3B" in text and "rate_limited (again after 90 s): It asks to wait" in text
    assert "redirected (301) from https://b.example.org/old to" in "\n".join(said(labrig("show", path, 4)))
    plain = json.loads(labrig("show", path, 2, "--json").stdout)
    assert base64.b64decode(plain["response"]["body_base64"]) == PNG
    several = labrig("show", path, "a.example.org")
    assert several.returncode == 2 and b"2 exchanges have" in several.stderr and b"/picture" in several.stderr
    for which in ("99", "nowhere"):
        assert labrig("show", path, which).returncode == 2
    assert b"has no body" in labrig("show", path, 3, "--body").stderr
    assert b"Which exchange?" in labrig("show", path).stderr


@pytest.mark.accept
def test_diff_tells_what_changed_between_two_recordings(path: Path, tmp_path: Path) -> None:
    def changed(of: Exchange, **fields: Any) -> Exchange:
        return Exchange(of.request, Response(**{**vars(of.outcome), **fields}))

    lines = [f"line {n}" for n in range(1, 5_000)]
    page = exchange("https://a.example.org/page", "\n".join(lines).encode(), "text/html")
    lines[2_999] = "another line"
    first = record(tmp_path / "a.sqlite", WATERS, PICTURE, FAILED, MOVED, page)
    second = record(
        tmp_path / "b.sqlite",
        changed(WATERS, body=json.dumps({"n": [2, {"name": "Evian"}], "m": None}).encode()),
        changed(PICTURE, body=PNG[:-1], headers={"content-type": "image/jpeg"}),
        Exchange(FAILED.request, LabrigError("It asks to wait", where="b.example.org", code="unreachable")),
        changed(page, body="\n".join(lines).encode()),
        exchange("https://a.example.org/new"),
    )
    assert said(labrig("diff", first, second), 1) == [
        "only in A: GET https://b.example.org/old (404)",
        "only in B: GET https://a.example.org/new (200)",
        "differs: GET https://a.example.org/waters?q=spring",
        "    $.n[0]: 1 | 2",
        "    $.n[1].name: 'Vichy' | 'Evian'",
        "    $.m: none | null",
        "differs: GET https://a.example.org/picture",
        "    content-type: 'image/png' | 'image/jpeg'",
        f"    body: {_weight(PNG)} | {_weight(PNG[:-1])}",
        "differs: POST https://b.example.org:8443/jobs",
        "    code: 'rate_limited' | 'unreachable'",
        "    retry_after_s: 90 | none",
        "differs: GET https://a.example.org/page",
        "    line 3000, character 1: 'line 3000' | 'another line'",
        "    - line 3000",
        "    + another line",
        "    ...",
        "1 only in A, 1 only in B, 4 differ, 0 the same",
    ]
    assert said(labrig("diff", first, first)) == ["0 only in A, 0 only in B, 0 differ, 5 the same"]
    plain = json.loads(labrig("diff", first, second, "--json").stdout)
    assert plain["differ"][0]["differences"][0] == "$.n[0]: 1 | 2"
    assert (len(plain["only_a"]), len(plain["only_b"]), plain["same"]) == (1, 1, 0)


def _weight(body: bytes) -> str:
    return f"{len(body):,} bytes, sha256 {Response(200, '', {}, body).sha256[:12]}"


@pytest.mark.accept
def test_prune_removes_what_is_asked_and_gives_the_space_back(tmp_path: Path) -> None:
    large = exchange("https://a.example.org/large", os.urandom(2_000_000), recorded_at="2020-01-01T00:00:00Z")
    path = record(tmp_path / "ledger.sqlite", large, WATERS, FAILED, EVIL)
    assert labrig("prune", path).returncode == 2
    assert said(labrig("prune", path, "--older-than", "2021-01-01", "--dry-run")) == [
        "would remove 1 of 4 exchanges"
    ]
    assert path.stat().st_size > 2_000_000
    (line,) = said(labrig("prune", path, "--older-than", "2021-01-01"))
    assert re.fullmatch(r"removed 1 of 4 exchanges; 2\.\d MB freed", line)
    assert path.stat().st_size < 200_000
    assert said(labrig("prune", path, "--errors", "--host", "a.example.org"))[0].startswith("removed 0 of 3")
    assert said(labrig("prune", path, "--errors"))[0].startswith("removed 1 of 3")
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.sqlite"]
    assert labrig("prune", tmp_path / "absent.sqlite", "--errors").returncode == 2
    assert not (tmp_path / "absent.sqlite").exists()


@pytest.mark.accept
def test_export_as_lines_and_as_a_ledger_to_ship(path: Path, tmp_path: Path) -> None:
    lines = tmp_path / "out" / "all.jsonl"
    assert said(labrig("export", path, "--to", lines)) == [f"4 exchanges in {lines}"]
    plain = [json.loads(line) for line in lines.read_text().splitlines()]
    assert json.loads(plain[0]["response"]["body"]) == {"n": [1, {"name": "Vichy"}]}
    assert base64.b64decode(plain[1]["response"]["body_base64"]) == PNG
    assert plain[2]["error"] == FAILED.outcome.to_dict()  # type: ignore[union-attr]

    part = tmp_path / "part.sqlite"
    assert said(labrig("export", path, "--to", part, "--host", "b.example.org")) == [f"2 exchanges in {part}"]
    with Ledger(part, write=False) as ledger:
        assert ledger.find(MOVED.request) == MOVED
        assert ledger.find(WATERS.request) is None
        assert ledger.count() == 2

    before = part.read_bytes()
    assert labrig("export", path, "--to", part).returncode == 2
    assert part.read_bytes() == before
    assert labrig("export", path, "--to", path, "--force").returncode == 2  # itself
    with Ledger(part, write=True) as writer:
        writer.add(EVIL)
        used = labrig("export", path, "--to", part, "--force")
        assert used.returncode == 2 and b"in use" in used.stderr
    assert said(labrig("export", path, "--to", part, "--force")) == [f"4 exchanges in {part}"]
    assert labrig("export", path, "--to", tmp_path / "all.txt").returncode == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out", "part.sqlite"]


@pytest.mark.accept
def test_export_as_har(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "all.har"
    said(labrig("export", path, "--to", target))
    log = json.loads(target.read_text())["log"]
    assert (log["version"], log["creator"]["name"], len(log["entries"])) == ("1.2", "labrig", 4)
    for each in log["entries"]:  # what the specification requires
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= each.keys()
        assert {"send", "wait", "receive"} <= each["timings"].keys()
        common = {"httpVersion", "cookies", "headers", "headersSize", "bodySize"}
        assert common | {"method", "url", "queryString"} <= each["request"].keys()
        assert common | {"status", "statusText", "content", "redirectURL"} <= each["response"].keys()
        assert {"size", "mimeType"} <= each["response"]["content"].keys()
    waters, picture, failed, moved = log["entries"]
    assert waters["request"]["queryString"] == [{"name": "q", "value": "spring"}]
    assert base64.b64decode(picture["response"]["content"]["text"]) == PNG
    assert picture["response"]["content"]["encoding"] == "base64"
    assert failed["request"]["postData"]["text"] == "data=node%281%29%3B"
    assert failed["response"]["status"] == 0 and "wait" in failed["response"]["_error"]
    assert moved["response"]["statusText"] == "Not Found" and moved["_redirects"][0]["status"] == 301


@pytest.mark.parametrize(
    "words", [("list",), ("show", 1), ("show", 1, "--body"), ("show", 1, "--json"), ("diff",)]
)
def test_nothing_recorded_reaches_a_terminal_as_a_command(tmp_path: Path, words: tuple[object, ...]) -> None:
    path = record(tmp_path / "a.sqlite", EVIL)
    others = [record(tmp_path / "b.sqlite", WATERS)] if words == ("diff",) else []
    shown = _on_a_terminal("ledger", words[0], path, *others, *words[1:])
    assert "evil.example.org" in shown or "owned" in shown
    assert "\\x1b" in shown or "\\u001b" in shown
    assert all(each.isprintable() or each == "\n" for each in shown), ascii(shown)


@pytest.mark.accept
def test_a_terminal_gets_lines_of_its_width_and_no_binary(path: Path, tmp_path: Path) -> None:
    long = record(tmp_path / "long.sqlite", exchange(f"https://a.example.org/{'long/' * 100}"))
    assert max(map(len, _on_a_terminal("ledger", "list", long).splitlines())) == 100
    assert len(said(labrig("list", long))[0]) > 500  # a program gets all
    shown = _on_a_terminal("ledger", "show", path, 2, "--body")
    assert "binary" in shown and "PNG" not in shown


def _on_a_terminal(*words: object) -> str:
    """Run a command whose output is a terminal, and return what that is sent."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "labrig_cli", *map(str, words)],
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(theirs)
    sent = b""
    while True:
        try:
            data = os.read(ours, 65_536)
        except OSError:  # it has ended
            break
        if not data:
            break
        sent += data
    os.close(ours)
    process.wait(30)
    return sent.decode().replace("\r\n", "\n")
