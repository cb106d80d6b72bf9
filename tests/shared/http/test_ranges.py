"""Files and Zarr hierarchies read in parts through the client: the same bytes, few requests, and what goes wrong."""

from __future__ import annotations

import asyncio
import io
import os
import random
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.http.ranges import RemoteFile
from labrig.http.rasters import open_raster
from labrig.http.sync import SyncClient
from labrig.http.zarr_store import zarr_store
from support.imitation import Answer, Hit, Imitation, bomb, imitation, page, parts, redirect, status
from support.web import client

BODY = os.urandom(1_000_003)
BLOCK = 1 << 16
Make = Callable[..., SyncClient]


@pytest.fixture
def site() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


@pytest.fixture
def make(site: Imitation, tmp_path: Path) -> Iterator[Make]:
    open_: list[SyncClient] = []

    def made(mode: str = "live") -> SyncClient:
        open_.append(SyncClient(lambda: client(tmp_path, site, mode=mode)))
        return open_[-1]

    yield made
    for each in open_:
        each.close()


def asked(site: Imitation) -> list[tuple[int, int]]:
    """Return the parts that were asked for."""
    found = []
    for hit in site.hits:
        first, _, last = hit.headers["range"].removeprefix("bytes=").partition("-")
        found.append((int(first), int(last)))
    return found


def test_what_is_read_is_what_a_file_would_give(site: Imitation, make: Make) -> None:
    site.on("/x").then(parts(BODY))
    draw = random.Random(5)
    with RemoteFile(make(), site.url("/x"), block_bytes=BLOCK, cache_bytes=3 * BLOCK) as remote:
        local = io.BytesIO(BODY)
        assert remote.readable() and remote.seekable() and not remote.writable()
        for _ in range(60):
            where = draw.choice([(draw.randrange(1_100_000), 0), (-draw.randrange(1_000_000), 2), (3, 1)])
            assert remote.seek(*where) == local.seek(*where)
            size = draw.choice([0, 1, 7, BLOCK, 300_000, -1])
            assert remote.read(size) == local.read(size)
            assert remote.tell() == local.tell()
        into, expected = bytearray(10), bytearray(10)
        remote.seek(999_998), local.seek(999_998)
        assert remote.readinto(into) == local.readinto(expected) == 5 and into == expected
        for where in ((-1, 0), (0, 7)):
            with pytest.raises(ValueError, match="no such position"):
                remote.seek(*where)
        assert len(remote._blocks) <= 3
    with pytest.raises(ValueError, match="closed"):
        remote.read(1)
    assert {hit.headers["accept-encoding"] for hit in site.hits} == {"identity"}


def test_neighbours_come_in_one_request_and_what_is_kept_is_not_asked_for(
    site: Imitation, make: Make
) -> None:
    site.on("/x").then(parts(BODY))
    with RemoteFile(make(), site.url("/x"), block_bytes=BLOCK) as remote:
        assert remote.size == len(BODY) and asked(site) == [(0, BLOCK - 1)]
        assert remote.read_at(4 * BLOCK + 5, 3 * BLOCK) == BODY[4 * BLOCK + 5 : 7 * BLOCK + 5]
        assert asked(site)[1:] == [(4 * BLOCK, 8 * BLOCK - 1)]
        assert remote.read_at(3 * BLOCK, 6 * BLOCK) == BODY[3 * BLOCK : 9 * BLOCK]
        assert asked(site)[2:] == [(3 * BLOCK, 4 * BLOCK - 1), (8 * BLOCK, 9 * BLOCK - 1)]
        remote.read_at(3 * BLOCK, 5 * BLOCK)
        assert len(site.hits) == 4
    site.forget()
    with RemoteFile(make(), site.url("/x"), block_bytes=4096) as remote:
        while remote.read(1000):
            pass
        assert len(site.hits) < 15  # 245 blocks


def test_a_replay_gives_the_same_bytes_in_any_order_and_blocks(site: Imitation, make: Make) -> None:
    site.on("/moved").then(redirect("/x"))
    site.on("/x").then(parts(BODY))
    with RemoteFile(
        make("record"), site.url("/moved"), block_bytes=BLOCK, headers={"X-Layer": "a"}
    ) as remote:
        first = remote.read_at(100_000, 400_000), remote.read_at(900_000, 50_000)
    # A second recording asks only for what is new.
    site.forget()
    with RemoteFile(
        make("record"), site.url("/moved"), block_bytes=BLOCK, headers={"X-Layer": "a"}
    ) as remote:
        assert remote.read_at(50_000, 600_000) == BODY[50_000:650_000]
    at_x = [hit.headers["range"] for hit in site.hits if hit.path == "/x"]
    assert at_x == [f"bytes={8 * BLOCK}-{10 * BLOCK - 1}"]
    site.stop()
    web = make("replay")
    with RemoteFile(web, site.url("/moved"), headers={"X-Layer": "a"}, cache_bytes=1 << 18) as remote:
        for at in (649_000, 0, 900_000, 130_000):  # larger blocks, and straight on
            assert remote.read_at(at, 900) + remote.read_at(at + 900, 100) == BODY[at : at + 1000]
    with RemoteFile(web, site.url("/moved"), block_bytes=10_000, headers={"X-Layer": "a"}) as remote:
        assert (remote.read_at(900_000, 50_000), remote.read_at(100_000, 400_000)) == first[::-1]
        wrong: list[int] = []

        def read(seed: int) -> None:
            draw = random.Random(seed)
            for _ in range(20):
                at = draw.randrange(500_000)
                if remote.read_at(at, 70_000) != BODY[at : at + 70_000]:
                    wrong.append(at)

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert not wrong
        with pytest.raises(LabrigError) as caught:
            remote.read_at(700_000, 10)
        assert caught.value.code == "not_recorded"
    with pytest.raises(LabrigError) as caught:
        RemoteFile(web, site.url("/moved"), headers={"X-Layer": "b"})  # another question
    assert caught.value.code == "not_recorded"


@pytest.mark.parametrize(
    ("later", "said"),
    [
        (parts(BODY, etag='"2"'), "has changed since it was opened"),
        (parts(BODY + b"more"), "has changed since it was opened"),
        (page(b"short"), "no longer sends parts"),
        (lambda hit: page(BODY[:BLOCK], status=206, headers=stated(0)), "another part"),
        (lambda hit: page(BODY[:100], status=206, headers=stated(5 * BLOCK)), "another part"),
        (lambda hit: page(BODY[:BLOCK], status=206, headers={"ETag": '"1"'}), "another part"),
        (bomb(64 << 20), "broke off|another part|taken at most|does not send"),
        (redirect("http://169.254.169.254/"), "not fetched"),
        (status(404, "gone"), "no such page"),
    ],
)
def test_a_file_that_changes_or_lies_is_an_error(
    site: Imitation, make: Make, later: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labrig.http.retrying.MOST_ATTEMPTS", 1)
    site.on("/x").then(parts(BODY), later)
    with RemoteFile(make(), site.url("/x"), block_bytes=BLOCK) as remote:
        with pytest.raises(LabrigError, match=said):
            remote.read_at(5 * BLOCK, 100)
        assert remote.read_at(0, 100) == BODY[:100]


def stated(first: int, size: int = len(BODY)) -> dict[str, str]:
    return {"Content-Range": f"bytes {first}-{first + BLOCK - 1}/{size}", "ETag": '"1"'}


def test_a_service_without_parts_is_downloaded_or_refused(
    site: Imitation, make: Make, tmp_path: Path
) -> None:
    site.on("/x").then(page(BODY))
    site.on("/small").then(page(b"small"))
    site.on("/empty").then(parts(b""))
    web = make("record")
    with RemoteFile(web, site.url("/x"), block_bytes=BLOCK) as remote:
        assert remote.size == len(BODY) and remote.read_at(500_000, 9) == BODY[500_000:500_009]
        folder = Path(remote._local.name).parent
        assert folder.exists()
    assert not folder.exists()
    for most in (0, 1000):
        with pytest.raises(LabrigError, match="does not send parts") as caught:
            RemoteFile(web, site.url("/x"), block_bytes=BLOCK, whole_bytes=most)
        assert caught.value.code == "refused"
    with RemoteFile(web, site.url("/small")) as small, RemoteFile(web, site.url("/empty")) as empty:
        assert (small.read(), empty.read(), empty.size) == (b"small", b"", 0)
    site.stop()
    with RemoteFile(make("replay"), site.url("/x"), block_bytes=BLOCK) as remote:
        assert remote.read() == BODY
    with pytest.raises(LabrigError, match="size of a block"):
        RemoteFile(web, site.url("/x"), block_bytes=100)


@pytest.mark.accept
def test_libraries_read_it(site: Imitation, make: Make, tmp_path: Path) -> None:
    h5py, pyarrow = pytest.importorskip("h5py"), pytest.importorskip("pyarrow")
    import numpy as np
    import pyarrow.parquet as parquet

    values = np.arange(200_000, dtype="f8").reshape(100, 2000)
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file.create_dataset("t", data=values, chunks=(10, 200), compression="gzip")
    parquet.write_table(pyarrow.table({"a": values.ravel()}), tmp_path / "a.parquet", row_group_size=20_000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("in", BODY)
    for each in tmp_path.glob("a.*"):
        site.on(f"/{each.name}").then(parts(each.read_bytes()))
    web = make()
    with RemoteFile(web, site.url("/a.nc"), block_bytes=BLOCK) as remote, h5py.File(remote) as file:
        assert (file["t"][:, 55] == values[:, 55]).all()
    with RemoteFile(web, site.url("/a.parquet"), block_bytes=BLOCK) as remote:
        rows = parquet.ParquetFile(remote).read_row_group(3)["a"].to_numpy()
        assert (rows == values.ravel()[60_000:80_000]).all()
    with RemoteFile(web, site.url("/a.zip"), block_bytes=BLOCK) as remote:
        assert zipfile.ZipFile(remote).read("in") == BODY


# -------------------------------------------------------------------------------------------- rasterio and zarr


def test_rasterio_reads_the_blocks_it_needs(site: Imitation, make: Make, tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio", reason="rasterio is not installed: pip install rasterio")
    import numpy as np

    values = np.random.default_rng(1).normal(size=(1024, 1024)).astype("f4")
    about = {"driver": "GTiff", "height": 1024, "width": 1024, "count": 1, "dtype": "float32"}
    with rasterio.open(tmp_path / "a.tif", "w", **about, tiled=True, blockxsize=128, blockysize=128) as made:
        made.write(values, 1)
    body = (tmp_path / "a.tif").read_bytes()
    site.on("/a.tif").then(parts(body))
    with open_raster(make("record"), site.url("/a.tif"), block_bytes=BLOCK) as dem:
        window = dem.read(1, window=((500, 600), (300, 400)))
    assert (window == values[500:600, 300:400]).all()
    assert sum(last - first for first, last in asked(site)) < len(body) / 4
    site.stop()
    with open_raster(make("replay"), site.url("/a.tif")) as dem:
        assert (dem.read(1, window=((500, 600), (300, 400))) == window).all()
    site.start()
    # A file that leads elsewhere, one that is none, and one that changes.
    site.on("/v.tif").then(parts(b"<VRTDataset><VRTRasterBand><SourceFilename>/etc/passwd</SourceFilename>"))
    with pytest.raises(LabrigError, match="does not read this file"), open_raster(make(), site.url("/v.tif")):
        pass
    site.on("/c.tif").then(parts(body), parts(body, etag='"2"'))
    with (
        pytest.raises(LabrigError, match="has changed"),
        open_raster(make(), site.url("/c.tif"), block_bytes=BLOCK) as dem,
    ):
        dem.read(1)


def test_a_zarr_hierarchy_is_read_key_by_key(site: Imitation, make: Make, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", minversion="3", reason="zarr 3 is not installed: pip install zarr")
    import numpy as np
    from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest
    from zarr.core.buffer import default_buffer_prototype

    values = np.random.default_rng(1).normal(size=(100, 50, 40)).astype("f4")
    group = zarr.open_group(tmp_path / "z", mode="w")
    array = group.create_array("t", shape=values.shape, chunks=(10, 25, 40), shards=(50, 50, 40), dtype="f4")
    array[:50] = values[:50]  # the second half is absent, which is zeros

    def answer(hit: Hit) -> Answer:
        file = tmp_path / hit.path.strip("/")
        if hit.path.endswith("/broken"):
            return status(500)
        return parts(file.read_bytes())(hit) if file.is_file() else status(404)

    site.on("/*").then(answer)
    web = make("record")
    read = zarr.open_group(zarr_store(web, site.url("/z/")), mode="r")["t"]
    assert (read[5:20, 30:, :] == values[5:20, 30:, :]).all() and (read[60:70] == 0).all()
    assert any(hit.headers.get("range") for hit in site.hits)
    store, form = zarr_store(web, site.url("/z")), default_buffer_prototype()

    async def look(store: Any) -> list[Any]:
        got = [
            await store.get("zarr.json", form, part)
            for part in (RangeByteRequest(2, 9), OffsetByteRequest(5), SuffixByteRequest(4), None)
        ]
        return [
            *[each.to_bytes() for each in got],
            await store.getsize("zarr.json"),
            await store.exists("zarr.json"),
            await store.exists("none"),
            await store.get("none", form),
        ]

    whole = (tmp_path / "z" / "zarr.json").read_bytes()
    expected = [whole[2:9], whole[5:], whole[-4:], whole, len(whole), True, False, None]
    assert asyncio.run(look(store)) == expected
    with pytest.raises(FileNotFoundError):
        asyncio.run(store.getsize("none"))
    with pytest.raises(LabrigError, match="status 500"):
        asyncio.run(zarr_store(web, site.url("/z"), patience_s=0).get("broken", form))
    with pytest.raises(LabrigError, match="cannot be asked"):
        store.list()
    assert store.read_only and not store.supports_listing
    site.stop()
    again = make("replay")
    assert asyncio.run(look(zarr_store(again, site.url("/z")))) == expected
    read = zarr.open_group(zarr_store(again, site.url("/z")), mode="r")["t"]
    assert (read[5:20, 30:, :] == values[5:20, 30:, :]).all()


def test_a_bucket_that_nobody_may_list_is_read(site: Imitation, make: Make, tmp_path: Path) -> None:
    """S3 then says 403 of what is not there: files of another version of Zarr that are looked for, empty chunks."""
    zarr = pytest.importorskip("zarr", minversion="3", reason="zarr 3 is not installed: pip install zarr")
    import numpy as np

    group = zarr.open_group(tmp_path / "z", mode="w", zarr_format=2)
    group.create_array("t", shape=(20,), chunks=(10,), dtype="f4", fill_value=-1)[:10] = np.arange(10)
    denied = b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message>'

    def answer(hit: Hit) -> Answer:
        file = tmp_path / hit.path.strip("/")
        return (
            parts(file.read_bytes())(hit) if file.is_file() else page(denied, "application/xml", status=403)
        )

    site.on("/*").then(answer)
    store = zarr_store(make(), site.url("/z/"))
    read = zarr.open_group(store, mode="r")["t"]
    assert list(read[:]) == [*range(10), *[-1] * 10]
    site.on("/z/t/1").then(status(403))  # another refusal is none of a missing chunk
    with pytest.raises(LabrigError, match="status 403"):
        read[10:]


def test_without_the_libraries_they_are_named(
    site: Imitation, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "labrig.http.zarr_reading", raising=False)
    monkeypatch.setitem(sys.modules, "zarr.abc.store", None)
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(LabrigError, match="needs zarr"):
        zarr_store(make(), site.url("/z"))
    with pytest.raises(LabrigError, match="needs rasterio"), open_raster(make(), site.url("/a.tif")):
        pass
