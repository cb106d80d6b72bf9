"""AquaCrop itself: published yields, water that closes, pairs with the right sign, refusals of its own names."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from labrig.errors import LabrigError
from labrig_earth.impact.crops.aquacrop import AQUACROP, require_closed, summary
from labrig_earth.impact.crops.aquacrop_inputs import read_case
from labrig_earth.impact.runs import Engines, Run
from labrig_earth.impact.simulator import Named
from support.crops import as_json, made_weather, needs_crops, tunis

pytestmark = pytest.mark.asyncio(loop_scope="module")

PERIOD = {"start": "1979-10-01", "end": "1985-05-30"}
WHEAT = {"name": "Wheat", "planting": "10-01"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Engines]:
    needs_crops()
    made = Engines()
    yield made
    await made.close()


async def ran(
    engines: Engines, weather: bytes, *, crop: Any = None, soil: Any = None, **management: Any
) -> tuple[dict[str, float], list[dict[str, Any]], str]:
    """Run a case, and return its numbers, its seasons and the hash of all that it left."""
    case = read_case(
        Named("weather.csv", weather),
        Named("soil.json", as_json(**(soil or {"type": "SandyLoam"}))),
        Named("crop.json", as_json(**(crop or WHEAT))),
        Named("management.json", as_json(**management)),
    )
    async with engines.run(AQUACROP, case.arguments, case.inputs) as run:
        worst = require_closed(run.folder, run.result, case.arguments)
        found = summary(run.result, run.folder, 2.5, worst)
        assert run.version == "AquaCrop-OSPy 3.1.0"
        numbers = {name: each.value or 0.0 for name, each in {**found.metrics, **found.derived}.items()}
        return numbers, run.result["members"][0]["seasons"], _hash(run)


def _hash(run: Run) -> str:
    hashed = hashlib.sha256()
    for path in sorted(each for each in run.folder.rglob("*") if each.is_file()):
        hashed.update(str(path.relative_to(run.folder)).encode() + path.read_bytes())
    return hashed.hexdigest()


@pytest.mark.accept
async def test_wheat_of_tunis_yields_what_was_published(engines: Engines) -> None:
    """The set-up of AquaCrop-OSPy's own tests: SandyLoam at field capacity, sown on 1 October, 1979 to 1985."""
    numbers, seasons, _ = await ran(engines, tunis(), **PERIOD)
    assert seasons[0]["yield_t_ha"] == pytest.approx(8.940, abs=0.001)
    assert seasons[4]["yield_t_ha"] == pytest.approx(8.683, abs=0.001)
    assert seasons[0]["first_day_growing_degrees"] == 21.5
    assert numbers["seasons"] == 6
    assert numbers["water_balance_error_mm"] < 0.1


@pytest.mark.accept
async def test_the_same_run_leaves_the_same_bytes(engines: Engines) -> None:
    assert (await ran(engines, tunis(), **PERIOD))[2] == (await ran(engines, tunis(), **PERIOD))[2]


@pytest.mark.accept
async def test_ten_at_once_give_the_bytes_of_one_alone(engines: Engines) -> None:
    crop, dry = {"name": "Maize", "planting": "04-20"}, made_weather(rain=0.25)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ran(engines, dry, crop=crop)) for _ in range(10)]
    alone = await ran(engines, dry, crop=crop)
    assert {task.result()[2] for task in tasks} == {alone[2]}


@pytest.mark.accept
async def test_irrigation_saves_a_dry_year(engines: Engines) -> None:
    crop = {"name": "Maize", "planting": "04-20"}
    dry = made_weather(rain=0.25)
    rainfed, _, _ = await ran(engines, dry, crop=crop)
    watered = {"method": "thresholds", "percent_of_available": [70, 70, 70, 70]}
    irrigated, _, _ = await ran(engines, dry, crop=crop, irrigation=watered)
    wet, _, _ = await ran(engines, made_weather(), crop=crop)
    assert rainfed["yield_t_ha"] < 0.8 * irrigated["yield_t_ha"]
    assert rainfed["yield_t_ha"] < wet["yield_t_ha"] <= irrigated["yield_t_ha"] + 1.5
    assert irrigated["irrigation_mm"] > 50
    assert rainfed["irrigation_mm"] == 0
    assert rainfed["water_stress_index"] > irrigated["water_stress_index"]
    assert rainfed["water_stress_days"] > irrigated["water_stress_days"]


@pytest.mark.accept
@pytest.mark.parametrize(
    "management",
    [
        {"irrigation": {"method": "net", "percent_of_available": 80}},
        {"irrigation": {"method": "thresholds", "percent_of_available": [80] * 4, "efficiency_percent": 70}},
        {"groundwater_m": 1.5},
        {"field": {"bund_m": 0.2, "mulch_percent": 50}},
        {"off_season": True},
        {"initial_water": {"percent_of_available": 50}, "co2_ppm": 550},
    ],
    ids=lambda each: next(iter(each)),
)
async def test_water_closes_however_the_field_is_managed(
    engines: Engines, management: dict[str, Any]
) -> None:
    numbers, _, _ = await ran(engines, tunis(), **PERIOD, **management)
    assert numbers["water_balance_error_mm"] < 0.1


@pytest.mark.accept
async def test_layers_that_say_what_a_soil_is_give_what_its_name_gives(engines: Engines) -> None:
    """SandyLoam of AquaCrop: 0.10, 0.22, 0.41 m3/m3, 1200 mm/day, curve number 46, 7 mm readily evaporable."""
    layer = {"wilting_point": 0.10, "field_capacity": 0.22, "saturation": 0.41, "ksat_mm_day": 1200}
    soil = {
        "layers": [{"thickness_m": 1.8, **layer}],
        "curve_number": 46,
        "readily_evaporable_mm": 7,
    }
    named, _, _ = await ran(engines, tunis(), **PERIOD)
    layered, _, _ = await ran(engines, tunis(), soil=soil, **PERIOD)
    assert layered["yield_t_ha"] == pytest.approx(named["yield_t_ha"], rel=0.01)
    assert layered["seasonal_et_mm"] == pytest.approx(named["seasonal_et_mm"], rel=0.03)


@pytest.mark.accept
async def test_irrigation_outside_of_a_season_is_told(engines: Engines, tmp_path: Path) -> None:
    events = [{"date": "1979-12-01", "mm": 30}, {"date": "1980-08-01", "mm": 30}]
    case = read_case(
        Named("weather.csv", tunis()),
        Named("soil.json", as_json(type="SandyLoam")),
        Named("crop.json", as_json(**WHEAT)),
        Named("management.json", as_json(**PERIOD, irrigation={"method": "schedule", "events": events})),
    )
    async with engines.run(AQUACROP, case.arguments, case.inputs) as run:
        assert run.result["members"][0]["seasons"][0]["irrigation_mm"] == 30
        assert run.warnings == ("irrigation that was not applied as scheduled: 1980-08-01: 0 of 30 mm",)


@pytest.mark.accept
@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        ({"crop": {"name": "Whaet", "planting": "10-01"}}, "not_found", "did you mean Wheat"),
        ({"soil": {"type": "SandyLoma"}}, "not_found", "did you mean SandyLoam"),
        ({"crop": {**WHEAT, "parameters": {"CCxx": 1}}}, "not_found", "did you mean CCx"),
        ({"crop": {**WHEAT, "parameters": {"CC0": 1}}}, "bad_input", "computes CC0 itself"),
        ({"crop": {**WHEAT, "parameters": {"Zmax": 50}}}, "bad_input", "0.3 to 50 m"),
        (
            {
                "soil": {
                    "layers": [
                        {
                            "thickness_m": 0.3,
                            "wilting_point": 0.1,
                            "field_capacity": 0.2,
                            "saturation": 0.4,
                            "ksat_mm_day": 100,
                        }
                    ]
                }
            },
            "bad_input",
            "0.3 m deep, and roots",
        ),
        ({"end": "1979-12-01"}, "bad_input", "No season ended"),
    ],
)
async def test_what_the_engine_does_not_know_is_refused(
    engines: Engines, changed: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(LabrigError) as caught:
        await ran(engines, tunis(), **{**PERIOD, **changed})
    assert caught.value.code == code
    assert said in str(caught.value)


@pytest.mark.accept
async def test_a_fresh_yield_that_the_engine_cannot_give_is_null(engines: Engines) -> None:
    """AquaCrop divides the dry yield by the dry share of the crop, which is 0 for half of its crops."""
    crop = {"name": "MaizeChampionGDD", "planting": "04-20"}
    numbers, seasons, _ = await ran(engines, made_weather(), crop=crop)
    assert seasons[0]["fresh_yield_t_ha"] is None
    assert numbers["yield_t_ha"] == pytest.approx(seasons[0]["yield_t_ha"]) and numbers["yield_t_ha"] > 1
