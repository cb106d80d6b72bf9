"""MeteoAQ over MCP: an imitated Open-Meteo, recorded and replayed; what it refuses, and answers of another shape."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.imitation import Imitation, as_json, imitation
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

PATH = "/v1/air-quality"
ASKED = {
    "lat": 48.2, "lon": 16.37, "start_date": "2024-07-01", "end_date": "2024-07-01", "save_path": "air",
    "variables": ["pm2_5", "ozone"],
}  # fmt: skip
HOURS = [f"2024-07-01T{hour:02d}:00" for hour in range(24)]


def answer() -> dict[str, Any]:
    return {
        "latitude": 48.2, "longitude": 16.4, "utc_offset_seconds": 0,
        "current": {"time": "2026-11-27T12:00", "interval": 3600, "european_aqi": 31},
        "hourly_units": {"time": "iso8601", "pm2_5": "μg/m³", "ozone": "μg/m³"},
        "hourly": {"time": HOURS, "pm2_5": [None, *range(1, 24)], "ozone": [40.5] * 24},
    }  # fmt: skip


@pytest.fixture
def air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    with imitation() as made:
        made.on(PATH).then(as_json(answer()))
        origin = made.url("").rstrip("/")
        for name, value in {
            "LABRIG_HOME": str(tmp_path / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
            "LABRIG_HTTP_URL_OPEN_METEO_AIR": f"{origin}/v1",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield made


def server(folder: Path, mode: str = "live") -> Client[Any]:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    ledger = folder.parent / "ledger.sqlite" if mode != "live" else None
    options = ServeOptions(
        workspace=folder / "work", toolsets=("terra-air_quality",), http_mode=mode, ledger=ledger
    )
    return Client(build(toolbox, options))


async def test_hours_are_a_table_and_a_replay_needs_no_service(air: Imitation, tmp_path: Path) -> None:
    async with server(tmp_path / "one", "record") as client:
        found = await run(client, "MeteoAQ", **ASKED)
    assert found["csv_path"] == "air/meteoaq_48.2000_16.3700_2024-07-01_2024-07-01.csv"
    assert (found["hourly_records"], found["current"]["european_aqi"]) == (24, 31)
    assert found["missing"] == {"pm2_5": 1} and found["units"]["ozone"] == "μg/m³"
    with (tmp_path / "one/work" / found["csv_path"]).open() as file:
        rows = list(csv.DictReader(file))
    assert [row["pm2_5"] for row in rows] == ["", *(f"{float(n)}" for n in range(1, 24))]
    assert rows[5]["date"] == "2024-07-01T05:00:00+00:00" and {row["ozone"] for row in rows} == {"40.5"}
    assert air.hits[0].query["hourly"] == "pm2_5,ozone" and air.hits[0].query["timezone"] == "GMT"
    async with server(tmp_path / "two", "replay") as client:
        assert await run(client, "MeteoAQ", **ASKED) == found
        assert (await refused(client, "MeteoAQ", **{**ASKED, "lat": 10}))[0] == "not_recorded"
    assert len(air.hits) == 1


@pytest.mark.accept
async def test_what_is_refused(air: Imitation, tmp_path: Path) -> None:
    async with server(tmp_path / "one") as client:
        for change, code, said in (
            ({"lat": 91}, "bad_input", "latitude 91"),
            ({"lat": True}, "bad_input", "no numbers"),
            ({"start_date": "2024-7-1"}, "bad_input", "YYYY-MM-DD"),
            ({"start_date": "2024-07-31", "end_date": "2024-07-01"}, "bad_input", "in order"),
            ({"start_date": "2014-07-01"}, "bad_input", "370 days"),
            ({"variables": ["pm2_5&x=1"]}, "bad_input", "pm2_5&x=1"),
            ({"variables": ["ozone", "ozone"]}, "bad_input", "each once"),
            ({"save_path": "/etc/air.csv"}, "refused", "workspace"),
            ({"save_path": ""}, "bad_input", "save_path"),
        ):
            found, text = await refused(client, "MeteoAQ", **{**ASKED, **change})
            assert (found, said in text) == (code, True), (found, text)
        assert not air.hits
        bad: list[tuple[Any, str, str]] = [
            (
                as_json({"error": True, "reason": "No data before 2013"}, status=400),
                "bad_input",
                "before 2013",
            ),
            (as_json({}), "unreachable", "no hours"),
            (as_json([1]), "unreachable", "another form: the whole"),
            (
                as_json({**answer(), "hourly": {"time": HOURS, "pm2_5": [1], "ozone": []}}),
                "unreachable",
                "each hour",
            ),
            (as_json({**answer(), "latitude": None}), "unreachable", "which place"),
        ]
        for number, (said_by_it, code, said) in enumerate(bad):
            air.on(PATH).then(said_by_it)
            found, text = await refused(client, "MeteoAQ", **{**ASKED, "lat": 40 + number})
            assert (found, said in text) == (code, True), (found, text)
        nothing = {"time": HOURS, "pm2_5": [None] * 24, "ozone": [1.0] * 24}
        air.on(PATH).then(as_json({**answer(), "hourly": nothing}))
        found_ = await run(client, "MeteoAQ", **{**ASKED, "lat": 50, "save_path": "x/y.csv"})
        assert found_["csv_path"] == "x/y.csv" and found_["warnings"] == [
            "pm2_5: no hour has a value there and then"
        ]
