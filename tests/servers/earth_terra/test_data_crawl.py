"""CMIP6 and MSWEP over MCP: imitated stores, recorded and replayed; what is refused, and archives that are odd."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.catalogue import data_stores
from labrig_earth.server import toolbox
from support.imitation import Hit, Imitation, as_json, imitation, status
from support.terra import grid, refused, run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.accept]

TOP = "/api/retrieve/v1"
ASKED = {
    "save_path": "cmip", "variable": "precipitation", "exp_type": "ssp1_2_6", "model_type": "gfdl_esm4",
    "temporal_resolution": "monthly", "years": ["2017", "2018"], "months": ["01"],
}  # fmt: skip
RAIN = {"save_path": "rain", "years": ["2020"], "months": ["10"], "days": [15], "hours": ["03", "06"]}
ROOT, PAST, THREE = "root-folder-id", "past-folder-id", "three-folder-id"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("made") / "pr.nc"
    grid([[[1.0] * 4] * 3], ["2017-01-16"], name="pr", units="kg m-2 s-1").to_netcdf(path)
    return path.read_bytes()


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def drive(hit: Hit, files: dict[str, bytes]) -> Any:
    """Answer as Google Drive lists a folder."""
    asked = hit.query["q"]
    assert hit.query["fields"].startswith("nextPageToken,")
    if "pageToken" not in hit.query:  # as Drive does now and then
        return as_json({"nextPageToken": "~!!~AI9F", "files": []})
    named = {"Past": (ROOT, PAST), "3hourly": (PAST, THREE)}
    for name, (parent, identity) in named.items():
        if f"name = '{name}'" in asked and f"'{parent}' in parents" in asked:
            return as_json({"files": [{"id": identity, "name": name}]})
    found = [
        {
            "id": f"file-id-{name}".replace(".", "-"),
            "name": name,
            "sha256Checksum": sha256(content).hexdigest(),
        }
        for name, content in files.items()
        if f"name = '{name}'" in asked and f"'{THREE}' in parents" in asked
    ]
    return as_json({"files": found})


@pytest.fixture
def store(file: bytes) -> Iterator[Imitation]:
    with imitation() as made:
        name = f"{TOP}/processes/projections-cmip6"
        made.on(f"{name}/constraints", method="POST").then(
            as_json({"year": ["2016", "2017", "2018"], "month": ["01", "02"], "model": ["gfdl_esm4"]})
        )
        made.on(f"{name}/execution", method="POST").then(as_json({"jobID": "j-1", "status": "accepted"}))
        made.on(f"{TOP}/jobs/j-1").then(*(as_json({"status": each}) for each in ("running", "successful")))
        made.on(f"{TOP}/jobs/j-1/results").then(as_json({"asset": {"value": {"href": made.url("/x.zip")}}}))
        made.on("/x.zip").then(zipped(**{"a/pr_gfdl.nc": file, "provenance.json": b"{}", "../up.nc": file}))
        files = {"2020289.03.nc": file, "2020289.06.nc": file}
        made.on("/drive/v3/files").then(lambda hit: drive(hit, files))
        for each in files:
            made.on(f"/drive/v3/files/file-id-{each.replace(chr(46), chr(45))}").then(file)
        yield made


@pytest.fixture(autouse=True)
def settings(store: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = store.url("").rstrip("/")
    for name, value in {
        "LABRIG_HOME": str(tmp_path / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
        "LABRIG_HTTP_URL_CDS": f"{origin}/api", "LABRIG_EARTH_CDS_KEY": "0c0ffee0-key-of-the-test",
        "LABRIG_HTTP_URL_MSWEP": f"{origin}/drive/v3", "LABRIG_EARTH_MSWEP_TOKEN": "ya29.token-of-the-test",
        "LABRIG_EARTH_MSWEP_FOLDER": ROOT,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(data_stores, "FIRST_WAIT_S", 0.01)


def server(folder: Path, mode: str = "live") -> Client[Any]:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    options = ServeOptions(
        workspace=folder / "work", toolsets=("terra-data_crawl", "terra-core"), http_mode=mode,
        ledger=folder.parent / "ledger.sqlite",
    )  # type: ignore[arg-type]  # fmt: skip
    return Client(build(toolbox, options))


async def test_projections_are_unpacked_recorded_and_replayed_with_the_store_stopped(
    store: Imitation, tmp_path: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one", "record") as client:
        found = await run(client, "CMIP6", **ASKED)
        first, second = found["files"]
        assert (
            first.endswith("/pr_gfdl.nc")
            and second.endswith("/up.nc")
            and second.startswith("cmip/cmip6_gfdl_esm4_")
        )
        assert (tmp_path / "one/work" / second).read_bytes() == file
        assert "pr" in json.dumps(await run(client, "describe_netcdf_variables", netcdf_path=first))
        again = await run(client, "CMIP6", **ASKED)
        assert again["files"] == found["files"] and again["notes"] == ["all files were there"]
    asked = json.loads(next(hit.body for hit in store.hits if hit.path.endswith("/execution")))["inputs"]
    assert asked == {
        "temporal_resolution": "monthly", "experiment": "ssp1_2_6", "variable": ["precipitation"],
        "model": ["gfdl_esm4"], "year": ["2017", "2018"], "month": ["01"],
    }  # fmt: skip
    count = len(store.hits)
    monkeypatch.delenv("LABRIG_EARTH_CDS_KEY")
    async with server(tmp_path / "two", "replay") as client:
        assert await run(client, "CMIP6", **ASKED) == found
        assert (await refused(client, "CMIP6", **{**ASKED, "months": ["02"]}))[0] == "not_recorded"
    assert len(store.hits) == count and b"0c0ffee0" not in (tmp_path / "ledger.sqlite").read_bytes()


async def test_days_are_asked_for_by_year(store: Imitation, tmp_path: Path) -> None:
    async with server(tmp_path / "one") as client:
        await run(
            client, "CMIP6", **{**ASKED, "temporal_resolution": "daily", "days": ["3"], "levels": [850]}
        )
    bodies = [json.loads(hit.body)["inputs"] for hit in store.hits if hit.path.endswith("/execution")]
    assert [(each["year"], each["day"], each["level"]) for each in bodies] == [
        (["2017"], ["03"], ["850"]), (["2018"], ["03"], ["850"])
    ]  # fmt: skip


async def test_precipitation_of_a_shared_folder_is_recorded_and_replayed(
    store: Imitation, tmp_path: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one", "record") as client:
        found = await run(client, "MSWEP", **RAIN)
        assert found["files"] == ["rain/2020289.03.nc", "rain/2020289.06.nc"] and found["cached"] == 0
        assert (tmp_path / "one/work/rain/2020289.06.nc").read_bytes() == file
        assert (await run(client, "MSWEP", **RAIN))["cached"] == 2
    assert store.hits[0].headers["authorization"] == "Bearer ya29.token-of-the-test"
    count = len(store.hits)
    monkeypatch.delenv("LABRIG_EARTH_MSWEP_TOKEN")
    async with server(tmp_path / "two", "replay") as client:
        assert await run(client, "MSWEP", **RAIN) == found
    assert len(store.hits) == count and b"ya29" not in (tmp_path / "ledger.sqlite").read_bytes()


async def test_a_folder_without_a_last_page_is_refused(store: Imitation, tmp_path: Path) -> None:
    store.on("/drive/v3/files").then(as_json({"nextPageToken": "~!!~AI9F", "files": []}))
    async with server(tmp_path / "one") as client:
        code, said = await refused(client, "MSWEP", **RAIN)
    assert code == "too_large" and "20 pages" in said


async def test_what_is_refused(
    store: Imitation, tmp_path: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one") as client:
        for change, code, said in (
            ({"KEY": "mine"}, "refused", "LABRIG_EARTH_CDS_KEY"),
            ({"dataset": "projections-cordex"}, "not_found", "projections-cmip6"),
            ({"data_format": "grib"}, "bad_input", "zip"),
            ({"temporal_resolution": "hourly"}, "not_found", "daily"),
            ({"years": []}, "bad_input", "years"),
            ({"years": ["20l7"]}, "bad_input", "20l7"),
            ({"months": ["13"]}, "bad_input", "13"),
            ({"years": [True]}, "bad_input", "years"),
            ({"variable": []}, "bad_input", "variable"),
            ({"save_path": "../up"}, "refused", "save_path"),
            ({"save_path": "/etc"}, "refused", "save_path"),
            ({"temporal_resolution": "daily", "months": ["02"], "days": ["30"]}, "bad_input", "no such day"),
            ({"temporal_resolution": "daily", "years": [str(y) for y in range(1900, 2000)]}, "limit", "100"),
        ):
            found, text = await refused(client, "CMIP6", **{**ASKED, **change})
            assert (found, said in text) == (code, True), (change, found, text)
        assert not store.hits
        code, said = await refused(client, "CMIP6", **{**ASKED, "years": ["2017", "2030"]})
        assert code == "bad_input" and "2030" in said and "2016" in said
        for content, code, words in (
            (b"PK\x03\x04 and so on", "unreachable", "cannot be read"),
            (zipped(**{"readme.txt": b"x"}), "unreachable", "no NetCDF"),
            (zipped(**{"zeros.nc": bytes(1 << 20)}), "limit", "fold"),
            (zipped(**{f"{n}.nc": b"x" for n in range(300)}), "limit", "300"),
            (zipped(**{"a/x.nc": file, "b/x.nc": file}), "unreachable", "one name"),
            (b"GRIB....", "unreachable", "GRIB"),
        ):
            store.on("/x.zip").then(content)
            found, text = await refused(client, "CMIP6", **ASKED)
            assert (found, words in text) == (code, True), (found, text)
        for change, code, said in (
            ({"hours": ["01"]}, "not_found", "hours"),
            ({"days": ["31"], "months": ["04"]}, "bad_input", "no such day"),
            ({"days": None, "months": None}, "limit", "732"),
            ({"days": ["14"]}, "not_found", "2020288.03.nc"),
            ({"save_path": "../x"}, "refused", "save_path"),
        ):
            found, text = await refused(client, "MSWEP", **{**RAIN, **change})
            assert (found, said in text) == (code, True), (change, found, text)
        store.on("/drive/v3/files/file-id-2020289-03-nc").then(b"\x89HDF another file")
        code, said = await refused(client, "MSWEP", **RAIN)
        assert code == "unreachable" and "sha256" in said
        store.on("/drive/v3/files").then(as_json({"files": [{"id": "../../x", "name": "Past"}]}))
        assert (await refused(client, "MSWEP", **RAIN))[0] == "unreachable"
        store.on("/drive/v3/files").then(as_json({"files": []}))
        code, said = await refused(client, "MSWEP", **RAIN)
        assert code == "not_found" and "Past" in said
        store.on("/drive/v3/files").then(status(500))
        assert (await refused(client, "MSWEP", **{**RAIN, "days": ["3"]}))[0] == "unreachable"
        for variable in ("LABRIG_EARTH_MSWEP_TOKEN", "LABRIG_EARTH_MSWEP_FOLDER"):
            monkeypatch.delenv(variable)
            code, said = await refused(client, "MSWEP", **{**RAIN, "days": ["4"]})
            assert code == "unavailable" and variable in said
        monkeypatch.delenv("LABRIG_EARTH_CDS_KEY")
        code, said = await refused(client, "CMIP6", **{**ASKED, "exp_type": "ssp5_8_5"})
        assert code == "unavailable" and "LABRIG_EARTH_CDS_KEY" in said
    assert not list((tmp_path / "one/work").rglob("*.nc"))
