"""Copernicus' store, imitated: a request becomes a job, whose file lands in the workspace; recorded and replayed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.catalogue import data_stores
from labrig_earth.server import toolbox
from labrig_earth.world.seasons import write_seasons
from labrig_earth.world.writing import Folder
from support.imitation import Imitation, as_json, imitation, status
from support.terra import refused, run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.accept]

NAME = "seasonal-monthly-single-levels"
ASKED = {
    "dataset": NAME, "originating_centre": "ecmwf", "system": "51", "variable": ["2m_temperature"],
    "product_type": "monthly_mean", "year": ["2021"], "month": ["05"], "leadtime_month": ["1", "2", "3", "4"],
    "area": [53, 7, 45, 17],
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> bytes:
    write_seasons(Folder(tmp_path / "made", 7), np.random.default_rng(5))
    return (tmp_path / "made/seasonal/forecast.nc").read_bytes()


@pytest.fixture
def store(file: bytes) -> Iterator[Imitation]:
    with imitation() as made:
        top = "/api/retrieve/v1"
        made.on(f"{top}/processes/{NAME}/execution", method="POST").then(
            as_json({"jobID": "j-1", "status": "accepted"})
        )
        made.on(f"{top}/jobs/j-1").then(
            *(as_json({"status": each}) for each in ("accepted", "running", "successful"))
        )
        value = {"href": made.url("/cache/x.nc"), "file:size": len(file), "type": "application/netcdf"}
        made.on(f"{top}/jobs/j-1/results").then(as_json({"asset": {"value": value}}))
        made.on("/cache/x.nc").then(file)
        allowed = {
            "variable": ["2m_temperature", "total_precipitation"],
            "system": ["5", "51"],
            "year": ["2020", "2021"],
        }
        made.on(f"{top}/processes/{NAME}/constraints", method="POST").then(as_json(allowed))
        yield made


@pytest.fixture(autouse=True)
def settings(store: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = store.url("").rstrip("/")
    for name, value in {
        "LABRIG_HOME": str(tmp_path / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
        "LABRIG_HTTP_URL_CDS": f"{origin}/api", "LABRIG_EARTH_CDS_KEY": "0c0ffee0-key-of-the-test",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(data_stores, "FIRST_WAIT_S", 0.01)


def server(folder: Path, mode: str = "live") -> Client[Any]:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    options = ServeOptions(
        workspace=folder / "work", toolsets=("terra",), http_mode=mode, ledger=folder.parent / "ledger.sqlite"
    )  # type: ignore[arg-type]
    return Client(build(toolbox, options))


async def test_a_forecast_is_fetched_recorded_and_replayed_with_the_store_stopped(
    store: Imitation, tmp_path: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one", "record") as client:
        found = await run(client, "fetch_c3s_seasonal", **ASKED)
        [made] = found["files"]
        assert (tmp_path / "one/work" / made["path"]).read_bytes() == file and not made["cached"]
        assert made["path"].startswith("data/seasonal/ecmwf_s51_2m_temperature_2021_05_leads1-4_")
        season = await run(client, "aggregate_to_season", path=made["path"], season_def="JJA")
        again = await run(client, "fetch_c3s_seasonal", **ASKED)
        assert again["files"][0]["cached"] and again["files"][0]["path"] == made["path"]
        told = await run(
            client, "progressive_cds_constraints", collection_id=NAME,
            request={"system": "51", "year": ["2021", "2030"], "variable": "2m_temperature"},
        )  # fmt: skip
    first = json.loads(store.hits[0].body)["inputs"]
    assert first["area"] == [53, 7, 45, 17] and first["year"] == ["2021"] and first["data_format"] == "netcdf"
    assert store.hits[0].headers["private-token"] == "0c0ffee0-key-of-the-test"
    assert "private-token" not in next(hit for hit in store.hits if hit.path == "/cache/x.nc").headers
    assert told["order"] == ["variable", "system", "year"] and [each["ok"] for each in told["steps"]] == [
        1,
        1,
        0,
    ]
    assert told["steps"][2]["missing"] == ["2030"]
    count = len(store.hits)
    monkeypatch.delenv("LABRIG_EARTH_CDS_KEY")
    async with server(tmp_path / "two", "replay") as client:
        assert await run(client, "fetch_c3s_seasonal", **ASKED) == found
        assert await run(client, "aggregate_to_season", path=made["path"], season_def="JJA") == season
        code, _ = await refused(client, "fetch_c3s_seasonal", **{**ASKED, "year": ["2020"]})
        assert code == "not_recorded"
    assert len(store.hits) == count
    assert b"0c0ffee0" not in (tmp_path / "ledger.sqlite").read_bytes()


async def test_a_job_that_is_not_done_is_waited_for_by_the_next_call(
    store: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labrig_earth.server.terra.stores.WAIT_S", 0.001)
    async with server(tmp_path / "one") as client:
        for _ in range(2):
            code, said = await refused(client, "fetch_c3s_seasonal", **ASKED)
            assert code == "busy" and "j-1" in said and "same call again" in said
        assert (await run(client, "fetch_c3s_seasonal", **ASKED))["files"][0]["nbytes"] > 0
    assert sum(hit.method == "POST" for hit in store.hits) == 1


def _zip(*files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, content in enumerate(files):
            archive.writestr(f"data_{number}.nc", content)
    return packed.getvalue()


async def test_one_file_in_an_archive_is_taken_out_of_it(
    store: Imitation, tmp_path: Path, file: bytes
) -> None:
    """The store packs ERA5-Land at times, though it is asked for download_format unarchived."""
    packed = _zip(file)
    value = {"href": store.url("/cache/x.nc"), "file:size": len(packed), "type": "application/zip"}
    store.on("/api/retrieve/v1/jobs/j-1/results").then(as_json({"asset": {"value": value}}))
    store.on("/cache/x.nc").then(packed)
    async with server(tmp_path / "one") as client:
        [made] = (await run(client, "fetch_c3s_seasonal", **ASKED))["files"]
    assert (tmp_path / "one/work" / made["path"]).read_bytes() == file and made["nbytes"] == len(file)


async def test_what_the_store_refuses_and_what_is_refused_before_it_is_asked(
    store: Imitation, tmp_path: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one") as client:
        for change, code, said in (
            ({"KEY": "mine"}, "refused", "LABRIG_EARTH_CDS_KEY"),
            ({"data_format": "grib"}, "bad_input", "NetCDF"),
            ({"area": [45, 7, 53, 17]}, "bad_input", "north, west, south, east"),
            ({"dataset": "seasonal"}, "not_found", NAME),
            ({"system": None}, "bad_input", "system"),
            ({"year": []}, "bad_input", "year"),
            ({"year": [str(each) for each in range(1980, 2022)]}, "limit", "42"),
            ({"persist_dir": "../up"}, "refused", "persist_dir"),
        ):
            found, text = await refused(client, "fetch_c3s_seasonal", **{**ASKED, **change})
            assert (found, said in text) == (code, True), (found, text)
        assert not store.hits
        top = "/api/retrieve/v1"
        store.on(f"{top}/processes/{NAME}/execution", method="POST").then(
            as_json({"title": "invalid request", "detail": "no such system"}, status=400)
        )
        code, said = await refused(client, "fetch_c3s_seasonal", **ASKED)
        assert code == "bad_input" and "no such system" in said
        for title, detail, way in (
            (
                "cost limits exceeded",
                "Your request is too large, please reduce your selection.",
                "fewer hours",
            ),
            (
                "required licences not accepted",
                "please visit the page to accept the licence",
                "a person accepts",
            ),
        ):
            said = {
                "type": "permission denied",
                "title": title,
                "status": 403,
                "detail": detail,
                "trace_id": "t",
            }
            store.on(f"{top}/processes/{NAME}/execution", method="POST").then(as_json(said, status=403))
            code, text = await refused(client, "fetch_c3s_seasonal", **ASKED)
            assert code == "bad_input" and detail in text and way in text
        store.on(f"{top}/processes/{NAME}/execution", method="POST").then(as_json({"jobID": "j-2"}))
        gone = as_json({"type": "job not found", "title": "job not found", "status": 404}, status=404)
        for answer, code in ((as_json({"status": "deleted"}), "bad_input"), (gone, "not_found")):
            store.on(f"{top}/jobs/j-2").then(answer)
            store.on(f"{top}/jobs/j-2/results").then(gone)
            begun = sum(hit.path.endswith("/execution") for hit in store.hits)
            found, _ = await refused(client, "fetch_c3s_seasonal", **ASKED)
            assert found == code and sum(hit.path.endswith("/execution") for hit in store.hits) == begun + 1
        store.on(f"{top}/jobs/j-2").then(as_json({"status": "failed"}))
        store.on(f"{top}/jobs/j-2/results").then(as_json({"title": "MARS has no data"}, status=400))
        code, said = await refused(client, "fetch_c3s_seasonal", **ASKED)
        assert code == "bad_input" and "MARS has no data" in said
        store.on(f"{top}/jobs/j-2").then(as_json({"status": "successful"}))
        value = {"href": store.url("/cache/x.zip")}
        store.on(f"{top}/jobs/j-2/results").then(as_json({"asset": {"value": value}}))
        for packed, words in ((b"PK\x03\x04 and so on", "archive cannot be read"), (_zip(file, file), "ZIP")):
            store.on("/cache/x.zip").then(packed)
            code, said = await refused(client, "fetch_c3s_seasonal", **ASKED)
            assert code == "unreachable" and words in said
        store.on(f"{top}/processes/{NAME}/execution", method="POST").then(status(500))
        assert (await refused(client, "fetch_c3s_seasonal", **{**ASKED, "month": ["06"]}))[0] == "unreachable"
        monkeypatch.delenv("LABRIG_EARTH_CDS_KEY")
        code, said = await refused(client, "fetch_c3s_seasonal", **{**ASKED, "month": ["07"]})
        assert code == "unavailable" and "LABRIG_EARTH_CDS_KEY" in said
    assert not list((tmp_path / "one/work").rglob("*.nc"))


async def test_daily_forecasts_are_asked_by_hours_of_lead(
    store: Imitation, tmp_path: Path, file: bytes
) -> None:
    """The store's form of them has day and leadtime_hour, where that of monthly ones has leadtime_month."""
    daily = "seasonal-original-single-levels"
    store.on(f"/api/retrieve/v1/processes/{daily}/execution", method="POST").then(as_json({"jobID": "j-9"}))
    store.on("/api/retrieve/v1/jobs/j-9").then(as_json({"status": "successful"}))
    value = {"href": "/cache/x.nc", "file:size": len(file), "type": "application/netcdf"}
    store.on("/api/retrieve/v1/jobs/j-9/results").then(as_json({"asset": {"value": value}}))
    asked = {**ASKED, "dataset": daily, "year": ["2020"], "month": ["12"], "leadtime_month": ["1", "3", "8"]}
    async with server(tmp_path / "one") as client:
        found = await run(client, "fetch_c3s_seasonal", **asked)
        for change in ({"leadtime_month": ["0"]}, {"leadtime_month": ["x"]}, {"month": ["13"]}):
            code, said = await refused(client, "fetch_c3s_seasonal", **{**asked, **change})
            assert code == "bad_input" and "leadtime_month" in said
    sent = json.loads(store.hits[0].body)["inputs"]
    assert "leadtime_month" not in sent and "product_type" not in sent and sent["day"] == ["01"]
    hours = [*range(1, 32), *range(63, 91), *range(213, 216)]  # December, February, what is left of July
    assert sent["leadtime_hour"] == [str(24 * day) for day in hours]
    assert "leadtime_hour" in found["request"]["assumed"]
