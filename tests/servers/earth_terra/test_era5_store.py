"""fetch_era5 against an imitated store: requests by kind and window, files cut and spliced, recorded and replayed."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.catalogue import data_stores
from labrig_earth.catalogue.era5 import Wanted, wanted_of
from labrig_earth.server import toolbox
from support.imitation import Imitation, as_json, imitation
from support.terra import grid, refused, run

TODAY = datetime.date(2023, 9, 1)
AREA = {"area": [53.0, 7.0, 45.0, 17.0]}
DAYS = {"start": "2023-08-01T06:00Z", "hours": 24}


def wanted(window: Mapping[str, Any], kind: str = "single_levels", *names: str, **more: Any) -> Wanted:
    return wanted_of(f"era5_{kind}", names or ("t2m",), window, extent=AREA, today=TODAY, **more)


def test_a_window_is_asked_for_as_the_form_has_it() -> None:
    found = wanted(DAYS)
    [(name, request)] = found.requests
    assert (found.dataset, name) == ("reanalysis-era5-single-levels", "era5_single_levels")
    assert request == {
        "variable": ["2m_temperature"], "date": ["2023-08-01", "2023-08-02"],
        "time": [f"{hour:02d}:00" for hour in range(24)], **AREA, "data_format": "netcdf",
        "download_format": "unarchived", "product_type": ["reanalysis"],
    }  # fmt: skip
    assert (found.window.start, found.window.end) == ("2023-08-01T06:00", "2023-08-02T05:00")
    whole = wanted(
        {"start": "2023-08-01T02:00+02:00", "hours": 48}
    ).window  # in UTC from midnight to midnight
    assert whole.start == "" and whole.form["date"] == ["2023-08-01", "2023-08-02"]
    part = wanted({"start": "2023-08-01T06:00", "end": "2023-08-01T09:00"}).window
    assert part.start == "" and part.form["time"] == ["06:00", "07:00", "08:00", "09:00"]
    months = wanted({"years": [1991, 2020], "months": ["1", 7]}, "single_levels_monthly")
    assert months.requests[0][1]["product_type"] == ["monthly_averaged_reanalysis"]
    assert (
        months.requests[0][1]["year"] == ["1991", "2020"]
        and "1991 and 2020 alone" in months.window.assumed[0]
    )
    land = wanted({"year": 2020, "month": 2, "day": [28, 30], "hours": [0, 12]}, "land")
    assert "product_type" not in land.requests[0][1] and land.requests[0][1]["day"] == ["28", "30"]
    levels = wanted(DAYS, "pressure_levels", "u", "v")
    assert levels.requests[0][1]["pressure_level"][:2] == ["1000", "925"] and "1000, 925" in levels.assumed[0]
    apart = wanted(DAYS, "single_levels", "t2m", "tp", "t2m").requests
    assert [each[1]["variable"] for each in apart] == [["2m_temperature"], ["total_precipitation"]]
    assert [each[0] for each in apart] == ["era5_single_levels", "era5_single_levels_accumulated"]
    still = wanted({"static": True}, "single_levels", "lsm").requests[0][1]
    assert (still["year"], still["time"]) == (["2023"], ["00:00"])


@pytest.mark.parametrize(
    "window, code, said",
    [
        ({}, "bad_input", "nothing"),
        ({"start": "2023-08-01T00:00"}, "bad_input", "hours"),
        ({"start": "2023-08-01T00:30", "hours": 3}, "bad_input", "whole hour"),
        ({"start": "August", "hours": 3}, "bad_input", "August"),
        ({"start": 20230801, "hours": 3}, "bad_input", "20230801"),
        ({"start": "2023-08-01T00:00", "hours": True}, "bad_input", "True"),
        ({"start": "2023-08-01T00:00", "hours": 0}, "bad_input", "from 1"),
        ({"start": "2023-08-02T00:00", "end": "2023-08-01T00:00"}, "bad_input", "before"),
        ({"start": "2023-08-31T00:00", "hours": 72}, "not_found", "future"),
        ({"start": "1930-01-01T00:00", "hours": 3}, "not_found", "1940"),
        ({"start": "9999-12-31T23:00", "hours": 3}, "bad_input", "9999"),
        ({"start": "2020-01-01T00:00", "end": "2022-01-01T00:00"}, "limit", "366"),
        ({"year": 2020, "month": 13, "day": 1, "hours": 0}, "bad_input", "1 to 12"),
        ({"year": 2021, "month": 2, "day": 30, "hours": 0}, "bad_input", "no such day"),
        ({"year": 2021, "month": 2, "day": [], "hours": 0}, "bad_input", "empty"),
        ({"years": [2020], "months": [1]}, "bad_input", "years"),
        ({"static": "yes"}, "bad_input", "true or false"),
        ({"when": 1}, "not_found", "when"),
    ],
)  # fmt: skip
def test_windows_that_are_none(window: dict[str, Any], code: str, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        wanted(window)
    assert found.value.code == code and said in f"{found.value} {found.value.expected}", found.value


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """Two days of hours as the store sends them: temperature of two runs, and rain."""
    import xarray as xr

    hours = np.arange("2023-08-01", "2023-08-03", dtype="datetime64[h]")
    warm = 280 + np.arange(48)[:, None, None] * 0.1 + np.zeros((3, 4))
    final, preliminary = grid(warm, hours), grid(warm + 50, hours)
    final["t2m"][36:], preliminary["t2m"][:36] = np.nan, np.nan
    both = xr.concat([final, preliminary], dim="expver").assign_coords(expver=[1, 5])
    both = both.rename(time="valid_time").transpose("valid_time", "expver", ...)
    rain = grid(np.full((48, 3, 4), 0.001), hours, name="tp", units="m").rename(time="valid_time")
    for name, data in (("warm", both), ("rain", rain)):
        data.to_netcdf(tmp_path / f"{name}.nc")
    return {name: (tmp_path / f"{name}.nc").read_bytes() for name in ("warm", "rain")}


@pytest.fixture
def store(files: dict[str, bytes]) -> Iterator[Imitation]:
    with imitation() as made:
        top = "/api/retrieve/v1"
        made.on(f"{top}/processes/reanalysis-era5-single-levels/execution", method="POST").then(
            *(as_json({"jobID": f"j-{name}", "status": "accepted"}) for name in files)
        )
        for name, content in files.items():
            made.on(f"{top}/jobs/j-{name}").then(
                *(as_json({"status": each}) for each in ("running", "successful"))
            )
            value = {"href": made.url(f"/cache/{name}.nc"), "file:size": len(content)}
            made.on(f"{top}/jobs/j-{name}/results").then(as_json({"asset": {"value": value}}))
            made.on(f"/cache/{name}.nc").then(content)
        yield made


@pytest.fixture
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


ASKED = {
    "dataset_kind": "era5_single_levels", "variables": ["t2m", "tp"], "time_window": DAYS, "region": [53, 7, 45, 17],
}  # fmt: skip


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="session")
async def test_hours_are_fetched_cut_spliced_recorded_and_replayed(
    store: Imitation, settings: None, tmp_path: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    import xarray as xr

    async with server(tmp_path / "one", "record") as client:
        planned = await run(client, "fetch_era5", **ASKED, dry_run=True)
        assert not store.hits and planned["files"] == [] and len(planned["requests"]) == 2
        found = await run(client, "fetch_era5", **ASKED)
        warm, rain = found["files"]
        work = tmp_path / "one/work"
        assert (work / warm["whole_path"]).read_bytes() == files["warm"] and not found["cached"]
        assert warm["path"].endswith("_2023-08-01T0600_2023-08-02T0500.nc") and warm["subset_applied"]
        assert warm["size_bytes"] == (work / warm["path"]).stat().st_size
        with xr.open_dataset(work / warm["path"]) as data:
            values = data["t2m"].load()
        assert str(values.valid_time.values[0])[:13] == "2023-08-01T06" and values.sizes["valid_time"] == 24
        np.testing.assert_allclose(
            values[:, 0, 0], 280 + 0.1 * np.arange(6, 30), rtol=1e-6
        )  # final, not the largest
        with xr.open_dataset(work / rain["path"]) as data:
            assert float(data["tp"].sum()) == pytest.approx(24 * 12 * 0.001)
        assert found["coords"]["time_name"] == "valid_time" and found["coords"]["n_time"] == 24
        assert any("12 steps are preliminary" in each for each in found["warnings"])
        day = await run(client, "temporal_aggregate", netcdf_path=warm["whole_path"], spec={"t2m": "1D:max"})
        again = await run(client, "fetch_era5", **ASKED)
        assert again["cached"] and [each["path"] for each in again["files"]] == [warm["path"], rain["path"]]
    bodies = [json.loads(hit.body)["inputs"] for hit in store.hits if hit.method == "POST"]
    assert [each["variable"] for each in bodies] == [["2m_temperature"], ["total_precipitation"]]
    assert bodies[0]["date"] == ["2023-08-01", "2023-08-02"] and bodies[0]["area"] == [53, 7, 45, 17]
    count = len(store.hits)
    monkeypatch.delenv("LABRIG_EARTH_CDS_KEY")
    async with server(tmp_path / "two", "replay") as client:
        assert await run(client, "fetch_era5", **ASKED) == found
        assert (
            await run(client, "temporal_aggregate", netcdf_path=warm["whole_path"], spec={"t2m": "1D:max"})
            == day
        )
        code, _ = await refused(client, "fetch_era5", **{**ASKED, "region": "europe"})
        assert code == "not_recorded"
    assert len(store.hits) == count and b"0c0ffee0" not in (tmp_path / "ledger.sqlite").read_bytes()


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="session")
async def test_what_is_refused_before_the_store_is_asked(
    store: Imitation, settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one") as client:
        for change, code, said in (
            ({"backend": "aws"}, "refused", "aws"),
            ({"format": "grib"}, "bad_input", "NetCDF"),
            ({"dataset_kind": "era5"}, "not_found", "era5_land"),
            ({"variables": ["rain"]}, "not_found", "tp"),
            ({"variables": []}, "bad_input", "No variable"),
            ({"variables": ["msl"], "dataset_kind": "era5_land"}, "not_found", "msl"),
            ({"levels": [850]}, "bad_input", "era5_pressure_levels"),
            ({"dataset_kind": "era5_pressure_levels", "variables": ["u"], "levels": [851]}, "not_found", "850"),
            ({"region": [45, 7, 53, 17]}, "bad_input", "north, west, south, east"),
            ({"region": []}, "bad_input", "empty"),
            ({"region": "mars"}, "not_found", "europe"),
            ({"region": [True, 7, 45, 17]}, "bad_input", "no numbers"),
            ({"grid": 0}, "bad_input", "spacing"),
            ({"persist_dir": "../up"}, "refused", "persist_dir"),
            ({"time_window": {"start": "2990-01-01T00:00", "hours": 1}}, "not_found", "future"),
        ):  # fmt: skip
            found, text = await refused(client, "fetch_era5", **{**ASKED, **change})
            assert (found, said in text) == (code, True), (found, text)
        monkeypatch.delenv("LABRIG_EARTH_CDS_KEY")
        code, said = await refused(client, "fetch_era5", **ASKED)
        assert code == "unavailable" and "LABRIG_EARTH_CDS_KEY" in said
    assert not store.hits and not list((tmp_path / "one/work").rglob("*.nc"))
