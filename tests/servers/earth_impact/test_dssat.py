"""DSSAT itself: events that show, water that closes, pairs with the right sign, the same bytes twice."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from labrig.errors import LabrigError
from labrig_earth.impact.crops.dssat import much_mineralised, simulate
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Given, Named, Run
from support.crops import SILT_LOAM, as_json, made_weather, needs_crops, treatment

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Engines]:
    needs_crops()
    made = Engines()
    yield made
    await made.close()


async def ran(
    engines: Engines,
    *,
    crop: str = "Maize",
    cultivar: str = "IB0012",
    rain: float = 1.0,
    warmer: float = 0.0,
    **changed: Any,
) -> tuple[dict[str, float], dict[str, bytes], tuple[str, ...]]:
    """Run a treatment, and return its numbers, its files and its warnings."""
    files = {
        "weather_daily_path": [Named("w.csv", made_weather(et0_mm=None, rain=rain, warmer=warmer))],
        "soil_profile_path": [Named("soil.json", as_json(**SILT_LOAM))],
        "cultivar_path": [Named("cultivar.json", as_json(crop=crop, cultivar=cultivar))],
        "treatment_path": [Named("treatment.json", as_json(**treatment(**changed)))],
    }
    async with simulate(Given(files), Run(engines, Allowed(wall_s=120), 29)) as done:
        assert done.version.startswith("DSSAT-CSM 4.8.2")
        kept = {
            str(path.relative_to(done.folder)): path.read_bytes()
            for path in done.folder.rglob("*")
            if path.is_file()
        }
        numbers = {name: each.value or 0.0 for name, each in {**done.metrics, **done.derived}.items()}
        return numbers, kept, tuple(done.warnings)


@pytest.mark.accept
async def test_maize_grows_and_its_water_and_dates_hold_together(engines: Engines) -> None:
    numbers, kept, warnings = await ran(engines)
    assert 8 < numbers["yield_t_ha"] < 13
    assert abs(numbers["water_balance_error_mm"]) <= 0.1
    assert numbers["irrigation_mm"] == 40
    assert numbers["nitrogen_applied_kg_ha"] == 120
    assert 50 < numbers["days_to_flowering"] < numbers["days_to_maturity"] < 150
    assert numbers["harvest_index"] == pytest.approx(
        numbers["yield_t_ha"] / numbers["biomass_t_ha"], abs=0.001
    )
    et = numbers["transpiration_mm"] + numbers["soil_evaporation_mm"]
    assert numbers["seasonal_et_mm"] == pytest.approx(et, abs=1.0)
    rows = list(csv.DictReader(io.StringIO(kept["outputs/weather_daily.csv"].decode())))
    assert float(rows[-1]["yield_t_ha"]) == pytest.approx(numbers["yield_t_ha"], abs=0.001)
    assert float(rows[-1]["biomass_t_ha"]) == pytest.approx(numbers["biomass_t_ha"], abs=0.001)
    assert not any("DSSAT" in each for each in warnings)


@pytest.mark.accept
async def test_management_by_dates_shows_in_the_yield(engines: Engines) -> None:
    """The trap of dated events that are not applied: without nitrogen the same run must give less, not the same."""
    full, _, _ = await ran(engines)
    hungry, _, _ = await ran(engines, fertilizer=[])
    dry, _, _ = await ran(engines, irrigation=[])
    assert hungry["yield_t_ha"] < 0.6 * full["yield_t_ha"]
    assert hungry["nitrogen_uptake_kg_ha"] < full["nitrogen_uptake_kg_ha"]
    assert dry["yield_t_ha"] < full["yield_t_ha"]
    assert dry["water_stress_days"] > full["water_stress_days"]
    parched, _, _ = await ran(engines, rain=0.2, irrigation=[])
    assert parched["yield_t_ha"] < dry["yield_t_ha"]


@pytest.mark.accept
@pytest.mark.parametrize(
    ("crop", "cultivar", "changed"),
    [
        (
            "Wheat",
            "IB1015",
            {"planting": {"date": "2001-04-01", "plants_m2": 250, "row_cm": 18, "depth_cm": 4}},
        ),
        ("Soybean", "IB0001", {}),
        ("Sorghum", "IB0001", {}),
        (
            "PearlMillet",
            "IB0044",
            {"warmer": 6.0, "planting": {"date": "2001-05-20", "plants_m2": 12, "row_cm": 60, "depth_cm": 4}},
        ),
        ("DryBean", "IB0001", {}),
        ("Sunflower", "IB0001", {}),
    ],
)
async def test_each_crop_that_is_offered_runs(
    engines: Engines, crop: str, cultivar: str, changed: dict[str, Any]
) -> None:
    numbers, _, _ = await ran(engines, crop=crop, cultivar=cultivar, **changed)
    assert 0.3 < numbers["yield_t_ha"] < numbers["biomass_t_ha"]
    assert abs(numbers["water_balance_error_mm"]) <= 0.1
    assert 0 <= numbers["water_stress_index"] < 0.6


@pytest.mark.accept
async def test_millet_answers_to_nitrogen_and_drought(engines: Engines) -> None:
    planting = {"date": "2001-05-20", "plants_m2": 12, "row_cm": 60, "depth_cm": 4}
    runs = [
        (await ran(engines, crop="PearlMillet", cultivar="IB0044", warmer=6, planting=planting, **changed))[0]
        for changed in ({"rain": 1.5}, {"rain": 1.5, "fertilizer": []}, {"rain": 0.3, "irrigation": []})
    ]
    full, hungry, dry = runs
    assert hungry["yield_t_ha"] < 0.6 * full["yield_t_ha"] > dry["yield_t_ha"]
    assert dry["water_stress_days"] > 3 * full["water_stress_days"]


@pytest.mark.accept
async def test_ten_at_once_give_the_bytes_of_one_alone(engines: Engines) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ran(engines, rain=1.0 if number % 2 else 0.5)) for number in range(10)]
    alone = [await ran(engines, rain=rain) for rain in (0.5, 1.0)]
    for number, task in enumerate(tasks):
        files, expected = task.result()[1], alone[number % 2][1]
        assert files.keys() == expected.keys()
        for name in files:
            assert hashlib.sha256(files[name]).digest() == hashlib.sha256(expected[name]).digest(), name


@pytest.mark.accept
async def test_what_the_program_does_not_know_is_refused_with_what_it_does(engines: Engines) -> None:
    for changed, said in (
        ({"cultivar": "PIO 3383"}, "did you mean IB0012 (PIO 3382)"),
        ({"crop": "Mais"}, "did you mean Maize"),
        ({"crop": "Rice", "cultivar": "IB0001"}, "There is no crop named 'Rice'"),
    ):
        with pytest.raises(LabrigError) as caught:
            await ran(engines, **changed)
        assert caught.value.code == "not_found"
        assert said in str(caught.value)


@pytest.mark.accept
async def test_a_crop_that_freezes_says_so(engines: Engines) -> None:
    late = {"date": "2001-09-01", "plants_m2": 7, "row_cm": 75, "depth_cm": 5}
    numbers, _, warnings = await ran(engines, planting=late, irrigation=[], fertilizer=[])
    assert numbers["yield_t_ha"] == 0
    assert any("days below" in each for each in warnings)


@pytest.mark.accept
async def test_the_model_of_organic_matter_is_said_and_can_be_chosen(engines: Engines) -> None:
    century, _, said = await ran(engines, fertilizer=[], organic_matter="century")
    ceres, files, _ = await ran(engines, fertilizer=[], organic_matter="ceres")
    silent, _, assumed = await ran(engines, fertilizer=[])
    assert silent == century
    assert any("century (MESOM P) is taken" in each for each in assumed)
    assert not any("MESOM" in each for each in said)
    (experiment,) = (content.decode() for name, content in files.items() if name.endswith(".MZX"))
    head, row = (line.split() for line in experiment.partition("@N METHODS")[2].splitlines()[:2])
    assert dict(zip(["METHODS", *head], row[1:], strict=True))["MESOM"] == "G"
    nitrogen = [each["nitrogen_mineralised_kg_ha"] for each in (century, ceres)]
    assert min(nitrogen) > 0 and abs(nitrogen[0] - nitrogen[1]) > 0.2 * max(nitrogen)
    assert ceres["yield_t_ha"] != century["yield_t_ha"]


@pytest.mark.parametrize(("kilograms", "doubts"), [(None, 0), (31.0, 0), (183.0, 1)])
def test_much_nitrogen_out_of_organic_matter_is_doubted(kilograms: float | None, doubts: int) -> None:
    found = much_mineralised({"nitrogen_mineralised_kg_ha": Metric(kilograms, "kg/ha")})
    assert len(found) == doubts and all("183 kg/ha" in each for each in found)
