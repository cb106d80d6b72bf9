"""CLIMADA itself: published impacts, Emanuel's closed form, a protected town, the same bytes again, failures told."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.risk.climada import simulate
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Run, Simulation
from support.risk import ASSETS, DEPTH, florida, given, needs_climada, river

pytestmark = pytest.mark.accept


@asynccontextmanager
async def ran(*files: Any, engines: Engines | None = None) -> AsyncIterator[Simulation]:
    needs_climada()
    own = engines or Engines()
    try:
        async with simulate(given(*files), Run(own, Allowed(wall_s=60), 31)) as done:
            yield done
    finally:
        if engines is None:
            await own.close()


@asynccontextmanager
async def served() -> AsyncIterator[Engines]:
    """Give engines that several runs share."""
    engines = Engines()
    try:
        yield engines
    finally:
        await engines.close()


def numbers(done: Simulation) -> dict[str, float]:
    return {name: float(each.value or 0) for name, each in {**done.metrics, **done.derived}.items()}


def table(done: Simulation, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((done.folder / "outputs" / name).read_text())))


async def test_published_impacts_of_hurricanes_in_florida() -> None:
    """Values of CLIMADA's own tests (6.1.0, TestImpactCalc.test_calc_impact_TC_pass), to all digits they give."""
    async with ran(*florida()) as done:
        found = numbers(done)
        assert found["expected_annual_impact"] == pytest.approx(6.512201157564421e09, rel=1e-12)
        assert found["total_exposed_value"] == pytest.approx(6.570532945599105e11, rel=1e-12)
        events = [float(each["event_impact"]) for each in table(done, "impact_by_event.csv")]
        assert events[12147] == pytest.approx(7.076504723057620e10, rel=1e-12)
        assert events[13809] == pytest.approx(1.472482938320243e08, rel=1e-8)
        assert events[0] == events[7225] == events[14449] == 0
        assets = [float(each["expected_annual_impact"]) for each in table(done, "impact_by_asset.csv")]
        assert assets[0] == pytest.approx(1.518553670803242e08, rel=1e-8)
        assert assets[25] == pytest.approx(1.373490457046383e08, rel=1e-12)
        assert assets[49] == pytest.approx(1.066837260150042e08, rel=1e-12)
        assert "all 14,450 events and 50 assets" in done.text


async def test_winds_by_emanuels_closed_form_in_plain_numbers() -> None:
    """A centroid, an asset, four winds: each impact by hand from the formula; no code of the run is used."""
    winds = [20.0, 40.0, 75.0, 100.0]
    often = [0.5, 0.1, 0.02, 0.004]
    hazard = {
        "hazard_type": "TC", "intensity_unit": "m/s", "latitude": [25.0, 25.5], "longitude": [-80.0, -80.0],
        "events": [
            {"event_id": str(n), "frequency_per_year": each, "intensity": [wind, 0]}
            for n, (wind, each) in enumerate(zip(winds, often, strict=True))
        ],
    }  # fmt: skip
    functions = {
        "hazard_type": "TC",
        "intensity_unit": "m/s",
        "functions": {"us": {"form": "emanuel_2011", "v_half_m_s": 74.7}},
        "return_periods_years": [2, 10, 50, 100, 1000],
    }
    assets = "exposure_id,latitude,longitude,value,value_unit\nhouse,25.01,-80.01,100,USD\n"
    ratio = [max(0.0, (wind - 25.7) / (74.7 - 25.7)) for wind in winds]
    hand = [100 * x**3 / (1 + x**3) for x in ratio]
    async with ran(hazard, assets, functions) as done:
        found = numbers(done)
        rows = table(done, "impact_by_event.csv")
    assert [float(row["event_impact"]) for row in rows] == pytest.approx(hand, rel=1e-12)
    assert hand[0] == 0
    assert hand[2] == pytest.approx(50.4, abs=0.5), "half of it at 74.7 m/s"
    assert found["expected_annual_impact"] == pytest.approx(
        sum(a * b for a, b in zip(hand, often, strict=True))
    )
    assert found["longest_return_period"] == pytest.approx(250)
    assert "impact_at_1000_years" not in found, "no event is so rare, and none is made up"
    rare, common = 1 / 0.004, 1 / 0.024
    share = (100 - common) / (rare - common)
    assert found["impact_at_100_years"] == pytest.approx(hand[2] + share * (hand[3] - hand[2]))


async def test_a_dike_keeps_out_what_is_lower_and_the_runs_are_added_up_again() -> None:
    """Baseline and intervention: the frequent flood no longer reaches the town, the rare one is as before."""
    dike = {"intensity": [0, 1, 1, 2, 6], "mdd": [0, 0, 0.2, 0.6, 1], "paa": [0.5, 1, 1, 1, 1]}
    walls = {**DEPTH, "functions": {"wall": dike}}
    async with (
        served() as engines,
        ran(river(), engines=engines) as plain,
        ran(river(), ASSETS, walls, engines=engines) as kept,
    ):
        before, after = numbers(plain), numbers(kept)
        rows = {row["event_id"]: float(row["event_impact"]) for row in table(plain, "impact_by_event.csv")}
        assert rows == {
            "often": pytest.approx(1000 * 0.1 * 0.75),
            "seldom": pytest.approx(1000 * 0.6 + 400 * 0.2),
            "never": 0.0,
        }
        assert before["expected_annual_impact"] == pytest.approx(0.1 * 75 + 0.01 * 680)
        assert after["expected_annual_impact"] == pytest.approx(0.01 * 680)
        assert [each["unit"] for each in plain.units] == ["often", "seldom", "never"]
        assert plain.metrics["expected_annual_impact"].unit == "EUR/year"
        harmless = {**DEPTH, "functions": {"wall": {"intensity": [0, 5, 6], "mdd": [0, 0, 1]}}}
        async with ran(river(), ASSETS, harmless, engines=engines) as dry:
            assert any("the strongest at an asset is 3 m" in each for each in dry.warnings)
        assert any("1 of 3 assets have the value 0" in each for each in plain.warnings)


async def test_a_large_set_is_added_up_by_numpy_alone() -> None:
    """At 70 degrees north a nearest place in degrees is not the nearest: distances here are plain trigonometry."""
    chosen = np.random.default_rng(4)
    north, east = (each.reshape(-1) for each in np.meshgrid(np.linspace(69, 71, 15), np.linspace(20, 23, 9)))
    east = east + 0.19 * (np.arange(135) % 2)
    depth = chosen.gamma(0.5, 1.0, (400, 135)).round(3) * (chosen.random((400, 135)) < 0.3)
    often = chosen.uniform(0.001, 0.01, 400)
    hazard = {
        "hazard_type": "FL", "intensity_unit": "m", "latitude": north.tolist(), "longitude": east.tolist(),
        "events": [
            {"event_id": f"e{n}", "frequency_per_year": float(often[n]), "intensity": depth[n].tolist()}
            for n in range(400)
        ],
    }  # fmt: skip
    lat, lon = chosen.uniform(69, 71, 300), chosen.uniform(20, 23, 300)
    value = chosen.lognormal(10, 1, 300)
    assets = "exposure_id,latitude,longitude,value\n" + "\n".join(
        f"a{n},{lat[n]!r},{lon[n]!r},{value[n]!r}" for n in range(300)
    )
    apart = np.arccos(
        np.clip(
            np.sin(np.radians(lat))[:, None] * np.sin(np.radians(north))
            + np.cos(np.radians(lat))[:, None] * np.cos(np.radians(north))
            * np.cos(np.radians(lon[:, None] - east)),
            -1, 1,
        )
    )  # fmt: skip
    near = apart.argmin(axis=1)
    wrong = ((lat[:, None] - north) ** 2 + (lon[:, None] - east) ** 2).argmin(axis=1)
    assert (near != wrong).sum() > 20
    level = depth[:, near]
    share = np.interp(level, [0, 1, 2, 6], [0, 0.2, 0.6, 1]) * np.interp(level, [0, 1, 2, 6], [0.5, 1, 1, 1])
    losses = (share * value).sum(axis=1)
    order = np.argsort(-losses)
    async with ran(hazard, assets.replace("np.float64(", "").replace(")", "")) as done:
        found = numbers(done)
        curve = table(done, "risk_curve.csv")
    assert found["expected_annual_impact"] == pytest.approx(float(losses @ often), rel=1e-12)
    assert found["worst_event_impact"] == pytest.approx(losses.max(), rel=1e-12)
    assert [float(each["impact"]) for each in curve][::-1] == pytest.approx(losses[order], rel=1e-12)
    years = 1 / np.cumsum(often[order])
    assert [float(each["return_period_years"]) for each in curve][::-1] == pytest.approx(years, rel=1e-12)
    assert math.isclose(found["total_impact"], losses.sum(), rel_tol=1e-12)


async def test_the_same_run_leaves_the_same_bytes_alone_and_among_others() -> None:
    needs_climada()
    async with served() as engines:

        async def one() -> dict[str, str]:
            async with ran(river(), engines=engines) as done:
                return {
                    path.relative_to(done.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in sorted(done.folder.rglob("*"))
                    if path.is_file()
                }

        alone = await one()
        assert "outputs/risk_curve.csv" in alone
        assert all(each == alone for each in await asyncio.gather(*(one() for _ in range(10))))
        with pytest.raises(LabrigError) as found:
            async with simulate(given(river()), Run(engines, Allowed(wall_s=0.001), 31)):
                pass
        assert found.value.code == "limit"
        assert await one() == alone, "a run that was killed leaves a usable engine"
