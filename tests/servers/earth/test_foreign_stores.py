"""Stores and rasters of others on the network: what decodes them has walls, no key and no network but what another
process fetches of the addresses of the call."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from numcodecs import registry

from hostile.guard import descendants
from labrig.errors import LabrigError
from labrig.http.carrying import Carried, carry
from labrig.http.client import Client as HttpClient
from labrig.isolation.children import Children
from labrig.isolation.inside import walls
from labrig.serving.builder import build
from labrig.tables.codecs import keep_known
from labrig.toolbox import ServeOptions
from labrig_earth.data.opening import open_dataset
from labrig_earth.server import toolbox
from support.earth_services import pickled_store
from support.imitation import Answer, Hit, Imitation, imitation, parts, status

CLOSED = sys.platform == "linux" and not any(walls.available().values())
KEY = "LABRIG_EARTH_MODEL_KEY"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    """A service without anything yet, and a server beside it that has a key."""
    with imitation() as made:
        made.on("/*").then(status(404))
        monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", made.url("").rstrip("/"))
        monkeypatch.setenv(KEY, "a key of the server")
        (tmp_path / "work").mkdir()
        yield made


async def fetch(tmp_path: Path, **arguments: Any) -> Any:
    options = ServeOptions(workspace=tmp_path / "work", toolsets=("default", "online"))
    async with Client(build(toolbox, options)) as client:
        return await client.call_tool("fetch_part", arguments, raise_on_error=False)


@pytest.mark.accept
async def test_a_program_in_a_chunk_is_refused_and_not_run(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where numcodecs would run it, as it did before 0.16.6."""
    canary = tmp_path / "canary"
    for key, body in pickled_store(f"open({str(canary)!r}, 'w').close()").items():
        site.on(f"/z/{key}").then(parts(body))
    whole, old = Children._environment, {"NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1"}
    monkeypatch.setattr(Children, "_environment", lambda self: whole(self) | old)
    result = await fetch(tmp_path, kind="zarr", url=site.url("/z"), variables=["t2m"])
    assert not canary.exists() and result.is_error and "pickle" in str(result.content)
    assert result.meta["labrig"]["error"]["code"] == "refused"


def test_codecs_that_are_not_known_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "codec_registry", dict(registry.codec_registry))
    monkeypatch.setattr(registry, "entries", {"theirs": None})
    keep_known()
    for key, body in pickled_store("print()").items():
        (tmp_path / "z" / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "z" / key).write_bytes(body)
    with pytest.raises(LabrigError, match="pickle") as refused:
        open_dataset(tmp_path / "z")
    assert refused.value.code == "refused" and "zstd" in refused.value.expected
    assert not registry.entries and {"blosc", "zstd", "vlen-utf8"} <= registry.codec_registry.keys()


@pytest.mark.accept
@pytest.mark.skipif(not CLOSED, reason="walls are missing here")
async def test_what_decodes_has_walls_and_nothing_below_the_server_has_its_keys(
    site: Imitation, world: Path, tmp_path: Path
) -> None:
    """Looked at by the service, while the child waits for a piece."""
    body, seen = (world / "scenes/2022-06-18.tif").read_bytes(), dict[int, tuple[str, str]]()

    def look(hit: Hit) -> Answer:
        for pid in descendants(os.getpid()):
            with suppress(OSError):
                of = Path(f"/proc/{pid}")
                walled = "walled" if "Seccomp:\t2" in (of / "status").read_text() else ""
                seen[pid] = walled, (of / "environ").read_text()
        return parts(body)(hit) if hit.path == "/s.tif" else status(404)

    site.on("/*").then(look)
    result = await fetch(
        tmp_path, kind="raster", url=site.url("/s.tif"), bbox=[12.711, 48.282, 12.714, 48.284]
    )
    assert not result.is_error
    assert [walled for walled, _ in seen.values()].count("walled") == 1
    assert not any(KEY in variables for _, variables in seen.values())


async def test_a_child_gets_the_addresses_of_its_call_and_no_other(site: Imitation) -> None:
    site.on("/a.tif").then(parts(b"0123456789"))
    site.on("/z/k").then(parts(b"chunk"))
    ours, theirs = socket.socketpair()
    async with HttpClient.configured() as client:
        carrying = asyncio.create_task(
            carry(ours, client, exact=[site.url("/a.tif")], below=[site.url("/z/")])
        )
        async with Carried(theirs) as line:
            part = await line.request("GET", site.url("/a.tif"), headers={"Range": "bytes=2-4"})
            assert (part.status, part.body) == (206, b"234") and line.replays is False
            found = await asyncio.gather(*(line.request("GET", site.url("/z/k")) for _ in range(9)))
            assert {each.body for each in found} == {b"chunk"}
            assert (await line.request("GET", site.url("/z/none"), accept=[404])).status == 404
            for other in ("/b.tif", "/z/../a.tif", "/a.tif?x=1"):
                with pytest.raises(LabrigError, match="not to be fetched"):
                    await line.request("GET", site.url(other))
            with pytest.raises(LabrigError, match="at most"):
                await line.request("GET", site.url("/a.tif"), max_bytes=3)
            carrying.cancel()
            ours.shutdown(socket.SHUT_RDWR)
            with pytest.raises(LabrigError, match="has ended"):
                await line.request("GET", site.url("/z/k"))
    assert {hit.path for hit in site.hits} == {"/a.tif", "/z/k", "/z/none"}


async def test_words_that_are_none_end_the_line_and_nothing_else(site: Imitation) -> None:
    """A decoder that was taken over may write anything."""
    for words in (b"\xff" * 8, b"\0\0\0\4\0\0\0\0[[[[", b"\0\0\0\2\0\0\0\0[]", json.dumps({}).encode()):
        ours, theirs = socket.socketpair()
        async with HttpClient.configured() as client:
            carrying = asyncio.create_task(carry(ours, client, below=[site.url("/")]))
            theirs.sendall(words)
            theirs.shutdown(socket.SHUT_WR)
            await asyncio.wait_for(carrying, 10)
        theirs.close()
    assert not site.hits
