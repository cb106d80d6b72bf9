"""Downloads: streamed to a file, gone on with, within limits, and nothing half under the final name."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from hostile.downloads.mixed import mixed
from labrig.errors import LabrigError
from labrig.http import Client, Key, Service, digests
from labrig.http.hosts import Limit
from labrig.http.parts import Part, sweep
from labrig.http.sync import SyncClient
from labrig.http.targets import proposed_name
from support.imitation import (
    Answer,
    Hit,
    Imitation,
    bomb,
    drip,
    endless,
    head,
    imitation,
    page,
    raw,
    redirect,
    silence,
    status,
    truncated,
)
from support.web import FAST, client, files_with

BODY = os.urandom(3_000_001)
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def site() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


@pytest.fixture(autouse=True)
def soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labrig.http.retrying.FIRST_WAIT_S", 0.01)


@pytest.fixture
async def web(site: Imitation, tmp_path: Path) -> AsyncIterator[Client]:
    async with client(tmp_path / "state", site) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


async def refused(web: Client, url: str, to: Path, **more: object) -> LabrigError:
    with pytest.raises(LabrigError) as caught:
        await web.download(url, to, **more)  # type: ignore[arg-type]
    return caught.value


def breaking(
    body: bytes, *cuts: int, etag: str = '"1"', headers: dict[str, str] | None = None, **lies: Any
) -> Any:
    """Break off after so many bytes of an answer, each in turn, then send all; parts where Range and If-Range say so.

    `lies`: ``ranges=False`` ignores Range, ``start`` sends another part than asked for, ``later`` has changed since.
    """
    left = list(cuts)
    more = {"ETag": etag} if etag else {}

    def answer(hit: Hit) -> Answer:
        first = int(hit.headers.get("range", "bytes=0-")[6:].rstrip("-"))
        now, tag = body, more
        if "later" in lies and len(left) < len(cuts):
            now, tag = lies["later"], {"ETag": '"2"'}
        part = first and lies.get("ranges", True) and hit.headers["if-range"] in (*tag.values(), etag)
        if "later" in lies:
            part = part and hit.headers["if-range"] == tag.get("ETag")
        start = (first + lies.get("start", 0)) if part else 0
        rest = now[start:]
        given = [("Content-Length", str(len(rest))), *tag.items(), *(headers or {}).items()]
        if part:
            given.append(("Content-Range", f"bytes {start}-{len(now) - 1}/{len(now)}"))
        whole = head(206 if part else 200, given)
        return raw(whole + (rest[: left.pop(0)] if left else rest))

    return answer


# --------------------------------------------------------------------------------------------------- the good way


async def test_a_download_is_a_file_with_its_hash(web: Client, site: Imitation, folder: Path) -> None:
    site.on("/a").then(redirect("/data/b%20c.bin"))
    site.on("/data/b c.bin").then(page(BODY, etag='"1"'))
    told: list[tuple[int, int | None]] = []
    got = await web.download(site.url("/a"), folder, progress=lambda *given: told.append(given), sha256=SHA)
    assert got.stored is not None and got.stored.path == folder / "b c.bin"
    assert got.stored.path.read_bytes() == BODY and names(folder) == ["b c.bin"]
    assert (got.sha256, got.size, got.url) == (SHA, len(BODY), site.url("/data/b%20c.bin"))
    assert got.source()["sha256"] == SHA
    assert told[-1] == (len(BODY), len(BODY)) and len(told) >= 3 and told == sorted(told)
    with pytest.raises(LabrigError, match="not in memory"):
        _ = got.text
    assert site.hits[-1].headers["accept-encoding"] == "identity"


async def test_what_a_get_recorded_a_download_replays_and_the_other_way(
    site: Imitation, tmp_path: Path, folder: Path
) -> None:
    site.on("/small").then(page(b"small"))
    site.on("/large").then(page(BODY * 3))
    site.on("/none").then(status(404, "gone"))
    async with client(tmp_path, site, mode="record") as web:
        await web.get(site.url("/small"))
        recorded = await web.download(site.url("/large"), folder / "1")
        again = await web.download(site.url("/large"), folder / "2")
        assert (await refused(web, site.url("/none"), folder / "3")).code == "not_found"
    hits = len(site.hits)
    site.stop()
    async with client(tmp_path, site, mode="replay") as web:
        small = await web.download(site.url("/small"), folder / "4")
        large = await web.get(site.url("/large"))
        third = await web.download(site.url("/large"), folder / "5")
        assert (await refused(web, site.url("/none"), folder / "3")).code == "not_found"
        assert (await refused(web, site.url("/large"), folder / "3", max_bytes=1000)).code == "too_large"
        with pytest.raises(LabrigError, match="taken at most"):
            await web.get(site.url("/large"), max_bytes=1000)
    assert hits == len(site.hits) == 3
    assert small.stored and small.stored.path.read_bytes() == b"small"
    assert large.body == BODY * 3 and large.stored is None
    assert recorded.source() == again.source() == third.source() == large.source()
    assert names(folder) == ["1", "2", "4", "5"]


# -------------------------------------------------------------------------------------------------------- broken


@pytest.mark.parametrize("dated", [False, True])
async def test_a_broken_download_goes_on_where_it_broke(
    web: Client, site: Imitation, folder: Path, dated: bool
) -> None:
    changed = formatdate(0, usegmt=True)
    how: dict[str, Any] = {"etag": "", "headers": {"Last-Modified": changed}} if dated else {}

    def answer(hit: Hit) -> Answer:
        if dated and "if-range" in hit.headers:
            assert hit.headers["if-range"] == changed
            hit.headers["if-range"] = ""
        made: Answer = flaky(hit)
        return made

    flaky = breaking(BODY, 1_500_000, 0, 200_000, 70_000, 0, 0, 300_000, **how)
    site.on("/x").then(answer)
    got = await web.download(site.url("/x"), folder / "x")
    assert got.sha256 == SHA and (folder / "x").read_bytes() == BODY
    assert got.status == 200 and "content-range" not in got.headers
    starts = [int(hit.headers.get("range", "bytes=0-")[6:-1]) for hit in site.hits]
    # More than five attempts, since most got further.
    assert starts == sorted(starts) and starts[0] == 0 and starts[1] >= 1_400_000 and len(starts) == 8
    assert site.sent < len(BODY) + 4_000


@pytest.mark.parametrize(
    ("etag", "lies"),
    [
        ('"1"', {"ranges": False}),
        ('"1"', {"start": 7}),
        ('"1"', {"later": bytes(2_000_000)}),
        ('W/"1"', {}),
        ("", {}),
    ],
)
async def test_what_cannot_be_gone_on_with_begins_anew(
    web: Client, site: Imitation, folder: Path, etag: str, lies: dict[str, Any]
) -> None:
    site.on("/x").then(breaking(BODY, 1_500_000, **{"etag": etag, **lies}))
    await web.download(site.url("/x"), folder / "x")
    assert (folder / "x").read_bytes() == lies.get("later", BODY)
    asked = [hit.headers.get("range") for hit in site.hits]
    assert (asked[1] is None) == (etag != '"1"')
    assert names(folder) == ["x"]


OTHER = bytes(len(BODY))
IN_BASE64 = {
    name: base64.b64encode(hashlib.new(name, BODY).digest()).decode() for name in ("md5", "sha256", "sha512")
}
STATED = [
    {"Repr-Digest": f"sha-512=:{IN_BASE64['sha512']}:, sha-256=:{IN_BASE64['sha256']}:"},
    {"Digest": f"MD5={IN_BASE64['md5']},SHA-256={IN_BASE64['sha256']}"},
    {"Content-MD5": IN_BASE64["md5"]},
    {"x-amz-checksum-sha256": IN_BASE64["sha256"]},
    {"x-goog-hash": f"crc32c=AAAAAA==,md5={IN_BASE64['md5']}"},
]


@pytest.mark.parametrize("headers", STATED)
async def test_another_file_after_a_break_is_found_out_by_the_hash_that_the_service_states(
    web: Client, site: Imitation, folder: Path, headers: dict[str, str]
) -> None:
    site.on("/x").then(mixed(BODY, OTHER, 1_500_000, headers))
    got = await web.download(site.url("/x"), folder / "x")
    assert got.sha256 == SHA and (folder / "x").read_bytes() == BODY
    assert [bool(hit.headers.get("range")) for hit in site.hits] == [False, True, False]


async def test_a_file_that_never_hashes_to_what_is_stated_is_an_error(
    web: Client, site: Imitation, folder: Path
) -> None:
    site.on("/x").then(mixed(BODY, OTHER, 1_500_000, STATED[1], honest_later=False))
    with pytest.raises(LabrigError, match="another sha256 than it states") as caught:
        await web.download(site.url("/x"), folder / "x")
    assert caught.value.code == "unreachable" and names(folder) == []


async def test_without_a_hash_another_file_under_the_same_etag_is_not_found_out(
    web: Client, site: Imitation, folder: Path
) -> None:
    """As docs/network.md says; what the caller knows finds it out."""
    for name in ("/x", "/y"):
        site.on(name).then(mixed(BODY, OTHER, 1_500_000, {}))
    assert (await web.download(site.url("/x"), folder / "x")).sha256 != SHA
    with pytest.raises(LabrigError):
        await web.download(site.url("/y"), folder / "y", sha256=SHA)


@pytest.mark.parametrize(
    ("headers", "algorithm"),
    [
        *zip(STATED, ("sha512", "sha256", "md5", "sha256", "md5"), strict=True),
        ({"repr-digest": "sha-256=:AAAA:"}, ""),
        ({"x-amz-checksum-sha256": IN_BASE64["sha256"] + "-12"}, ""),
        ({"x-goog-hash": STATED[4]["x-goog-hash"], "x-goog-stored-content-encoding": "gzip"}, ""),
        ({"content-md5": IN_BASE64["md5"], "content-range": "bytes 0-1/2"}, ""),
        ({"digest": "sha-256=" + "A" * 100_000}, ""),
        ({"repr-digest": "unixsum=:AAAA:;x, sha-256"}, ""),
        ({}, ""),
    ],
)
def test_hashes_are_read_from_headers(headers: dict[str, str], algorithm: str) -> None:
    found = digests.stated({key.lower(): value for key, value in headers.items()})
    assert (found.algorithm if found else "") == algorithm


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (truncated(b"x" * 1000, missing=5), "unreachable", "broke off"),
        (truncated(b"x" * 1000, chunked=True), "unreachable", "broke off"),
        (endless(), "too_large", "taken at most"),
        (endless(stated=True), "too_large", "sends 1,073,741,824 bytes"),
        (bomb(64 << 20), "too_large", "taken at most"),
        (page(gzip.compress(b"x" * 999)[:-9], headers={"Content-Encoding": "gzip"}), "unreachable", "short"),
        (page(b"xyz", status=206, headers={"Content-Range": "bytes 0-2/9"}), "unreachable", "a part"),
        (drip(b"x" * 1000, every_s=0.1), "unreachable", "within 2.5 s"),
        (silence(), "unreachable", "within 1 s"),
        (status(403, "no"), "refused", "status 403"),
        (redirect("http://169.254.169.254/latest"), "refused", "not fetched"),
    ],
)
async def test_what_is_no_whole_file_leaves_nothing(
    web: Client, site: Imitation, folder: Path, answer: Answer, code: str, said: str
) -> None:
    site.on("/x").then(answer)
    limits = {"max_bytes": 4_000_000, "timeout_s": 1.0, "total_s": 2.5, "patience_s": 0.1}
    error = await refused(web, site.url("/x"), folder / "x", **limits)
    assert error.code == code and said in str(error)
    assert names(folder) == []
    assert site.sent < 80_000_000  # what is too large is broken off


async def test_a_disk_that_is_slower_than_the_time_out_costs_no_bytes(
    web: Client, site: Imitation, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Part.write

    naps = iter([0.6] * 3)

    def slow(part: Part, data: bytes) -> None:
        time.sleep(next(naps, 0))
        write(part, data)

    monkeypatch.setattr(Part, "write", slow)
    site.on("/x").then(breaking(BODY, 2_200_000))
    got = await web.download(site.url("/x"), folder / "x", timeout_s=0.5)
    assert got.sha256 == SHA and (folder / "x").read_bytes() == BODY
    assert len(site.hits) > 1 and next(naps, None) is None


async def test_what_is_packed_is_unpacked(web: Client, site: Imitation, folder: Path) -> None:
    site.on("/x").then(page(BODY, packed=True))
    await web.download(site.url("/x"), folder / "x")
    assert (folder / "x").read_bytes() == BODY


async def test_another_hash_is_an_error(web: Client, site: Imitation, folder: Path) -> None:
    site.on("/x").then(page(b"other"))
    assert "sends another file" in str(await refused(web, site.url("/x"), folder / "x", sha256=SHA))
    assert names(folder) == []
    assert "64 hex digits" in str(await refused(web, site.url("/x"), folder / "x", sha256="12"))


async def test_a_key_in_a_file_is_refused_also_across_pieces(
    site: Imitation, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-live-0123456789abcdef"
    monkeypatch.setenv("LABRIG_PAPERS_KEY", key)
    cut = bytes((1 << 20) - 9)
    site.on("/paper").then(page(cut + key.encode()), page(b"nothing of the kind"))
    service = Service("papers", site.url(), key=Key("papers", "key", param="apikey"), limit=FAST)
    async with client(tmp_path, site, mode="record") as web:
        with pytest.raises(LabrigError, match="holds a key") as caught:
            await web.ask(service, "/paper", to=folder, name="p.pdf")
        assert caught.value.code == "refused" and names(folder) == []
        got = await web.ask(service, "/paper", to=folder, name="p.pdf")
    assert site.hits[0].query["apikey"] == key and got.stored is not None
    assert names(folder) == ["p.pdf"] and files_with(tmp_path, key.encode()) == []


# ------------------------------------------------------------------------------------------------- the final name


async def test_names_that_something_has_are_left_alone(
    web: Client, site: Imitation, folder: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"precious")
    (folder / "link").symlink_to(elsewhere)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    (folder / "file").write_bytes(b"mine")
    (folder / "sub").mkdir()
    site.on("/*").then(page(b"new", headers={"Content-Disposition": 'attachment; filename="file"'}))
    for where in (folder / "link", folder / "dangling", folder / "file"):
        assert (await refused(web, site.url("/x"), where)).code == "refused"
    assert (await refused(web, site.url("/x"), folder)).code == "refused"  # by the name that comes
    assert len(site.hits) == 1
    assert (await refused(web, site.url("/x"), folder, name="sub", replace=True)).code == "refused"
    for where in (folder / "no" / "x", folder / "file" / "x", folder / "\0"):
        assert (await refused(web, site.url("/x"), where)).code == "bad_input"
    for name in ("../up", "..", "a/b", "a\0b"):
        assert (await refused(web, site.url("/x"), folder, name=name)).code == "bad_input"
    for where in (folder / "link", folder / "dangling", folder / "file"):
        await web.download(site.url("/x"), where, replace=True)
        assert where.read_bytes() == b"new" and not where.is_symlink()
    assert elsewhere.read_bytes() == b"precious" and not (tmp_path / "nowhere").exists()
    assert names(folder) == ["dangling", "file", "link", "sub"]


@pytest.mark.parametrize(
    ("stated", "url", "name"),
    [
        ('attachment; filename="a b.tif"', "/x", "a b.tif"),
        ("attachment; filename*=UTF-8''Z%C3%BCrich.nc", "/x", "Zürich.nc"),
        ('attachment; filename="../../etc/passwd"', "/x", "passwd"),
        ('attachment; filename="..\\\\..\\\\evil.exe"', "/x", "evil.exe"),
        ('attachment; filename=".bashrc"', "/x", "bashrc"),
        ('attachment; filename="gnp.\u202eexe\x1b[2J"', "/x", "gnp.exe[2J"),
        ('attachment; filename="CON.txt"', "/x", "_CON.txt"),
        ('attachment; filename=".."', "/data/a.zarr/", "a.zarr"),
        ("attachment; filename*=nonsense''%ff%fe", "/x", None),
        ("", "/a/%2e%2e%2fpaper%00.pdf?x=/y", "paper.pdf"),
        ("", "/", "download"),
        ('attachment; filename="' + "é" * 400 + '.tar.gz"', "/x", "é" * 73 + ".gz"),
    ],
)
def test_a_proposed_name_is_made_safe(stated: str, url: str, name: str | None) -> None:
    found = proposed_name(f"https://example.org{url}", {"content-disposition": stated})
    assert name is None or found == name
    assert found and "/" not in found and not found.startswith(".") and len(found.encode()) <= 150


async def test_two_at_once_do_not_harm_each_other(site: Imitation, folder: Path, tmp_path: Path) -> None:
    site.on("/x").then(drip(BODY, every_s=0.001, size=200_000))
    async with client(tmp_path / "a", site) as one, client(tmp_path / "b", site) as other:
        got = await asyncio.gather(
            *(web.download(site.url("/x"), folder / "x", replace=True) for web in (one, other, one))
        )
        first = await asyncio.gather(
            *(web.download(site.url("/x"), folder / "y") for web in (one, other)), return_exceptions=True
        )
    assert {each.sha256 for each in got} == {SHA} and (folder / "x").read_bytes() == BODY
    assert sum(isinstance(each, LabrigError) and each.code == "refused" for each in first) == 1
    assert names(folder) == ["x", "y"]


# --------------------------------------------------------------------------------------------------- cut off here


async def test_a_cancelled_download_leaves_nothing(site: Imitation, folder: Path, tmp_path: Path) -> None:
    site.on("/x").then(drip(BODY, every_s=0.02, size=100_000))
    async with client(tmp_path, site, mode="record") as web:
        begun = asyncio.Event()
        going = asyncio.create_task(
            web.download(site.url("/x"), folder, name="x", progress=lambda *_: begun.set())
        )
        await begun.wait()
        assert len(names(folder)) == 1
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        assert names(folder) == []
        with pytest.raises(ZeroDivisionError):
            await web.download(site.url("/x"), folder, name="x", progress=lambda *_: 1 // 0)
        assert names(folder) == []
    async with client(tmp_path, site, mode="replay") as web:
        assert (await refused(web, site.url("/x"), folder / "x")).code == "not_recorded"


FULL = """
import asyncio, resource, sys
from pathlib import Path
from labrig.errors import LabrigError
from labrig.http import Client
url, folder, large = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
async def main():
    origin = "/".join(url.split("/")[:3])
    async with Client(mode="record", ledger=folder / "l.sqlite", private_origins=[origin]) as web:
        for way in (lambda: web.download(url, folder / "x"), lambda: web.get(url)):
            try:
                print(len((await way()).body))
            except LabrigError as error:
                print(error.code, error.what)
asyncio.run(main())
"""


@pytest.mark.accept
def test_a_full_disk_is_said_and_leaves_nothing(site: Imitation, folder: Path) -> None:
    site.on("/x").then(page(bytes(9_000_000)))
    done = subprocess.run(
        [sys.executable, "-c", FULL, site.url("/x"), str(folder), "1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    lines = done.stdout.splitlines()
    assert lines == ["limit There is no room for this file: File too large"] * 2, done
    assert not [each for each in folder.rglob("*") if each.is_file() and each.name != "l.sqlite"]


async def test_no_room_is_said_before_it_is_fetched(
    web: Client, site: Imitation, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.on("/x").then(endless(1 << 59, stated=True))
    monkeypatch.setattr("labrig.http.client.LARGEST", float(1 << 63))
    error = await refused(web, site.url("/x"), folder / "x", max_bytes=1 << 60, total_s=2)
    assert error.code == "limit" and "are free" in str(error) and names(folder) == []


def test_what_a_killed_process_left_is_swept_and_what_another_writes_is_not(folder: Path) -> None:
    code = "import os, sys; from pathlib import Path; from labrig.http.parts import Part\n"
    code += "Part(Path(sys.argv[1])).write(b'half'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(folder)], timeout=60)
    other = folder / ".labrig-mine.txt"
    other.touch()
    mine = Part(folder)
    assert len(names(folder)) == 3
    sweep(folder)
    assert set(names(folder)) == {other.name, mine.path.name}
    mine.write(b"whole")
    mine.move(folder / "x", replace=False)
    mine.discard()
    assert names(folder) == [other.name, "x"]


def test_threads_download_too(site: Imitation, folder: Path, tmp_path: Path) -> None:
    site.on("/x").then(page(BODY))
    with SyncClient(lambda: client(tmp_path, site, limit=Limit(2000, 4))) as web:
        assert web.download(site.url("/x"), folder / "x", sha256=SHA.upper()).sha256 == SHA
        with pytest.raises(LabrigError, match="whole of a file"):
            web.download(site.url("/x"), folder / "y", headers={"Range": "bytes=0-1"})
    with pytest.raises(LabrigError, match="closed"):
        web.download(site.url("/x"), folder / "z")
    assert (folder / "x").read_bytes() == BODY


@pytest.mark.accept
def test_forty_megabytes_are_recorded_and_replayed_in_little_memory() -> None:
    program = Path(__file__).parents[2] / "soak" / "download.py"
    done = subprocess.run(
        [sys.executable, str(program), "--megabytes", "40"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stdout.endswith("stood\n"), done
