"""A run of DSSAT: its tables are read, its events and its water are accounted for, and become numbers with units.

A run may end well with management that was never applied. So irrigation and nitrogen that were asked for must stand in
the program's daily tables, its water must close, and the rain that it counts must be the rain that it was given.
"""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig_earth.impact.crops.dssat_inputs import Case, read_case
from labrig_earth.impact.crops.setup import CROPS
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

DSSAT = Engine("dssat", "DSSAT", "dssat_engine", CROPS, programs=True)

CLOSES_MM = 0.1
STRESSED = 0.1
"""A day of water stress: photosynthesis is reduced by more than this part for lack of water."""

MUCH_N_KG_HA = 100.0
"""Mineralised in a season; above it a result is doubted."""
MISSING = -99.0
_BALANCE = re.compile(r"^!\s+(\w[\w ()]*?)(?: on Year/day \S+)?\s+(-?\d+\.\d+)\s*$", re.MULTILINE)
_GAINS = (
    "Soil H20 (start)",
    "Effective Irrigation",
    "Precipitation",
    "Net lateral flow",
    "Initial mulch water content",
)
_LOSSES = (
    *("Soil H20 (final)", "Drainage", "Tiledrain flow", "Runoff", "Mulch evaporation", "Soil Evaporation"),
    *("Transpiration", "Final mulch water content"),
)

Row = Mapping[str, float]


@dataclass(frozen=True)
class Tables:
    """What is read of a run.

    Attributes
    ----------
    summary
        The row of Summary.OUT, from the column XLAT on.
    days
        Rows of PlantGro.OUT, ET.OUT, SoilWat.OUT and SoilNi.OUT by day.
    balance
        The terms of SoilWatBal.OUT, mm.
    """

    summary: Row
    days: Mapping[date, Row]
    balance: Row


def read_tables(outputs: Path) -> Tables:
    """Read the tables of a run; ``engine`` where one is missing or of another shape."""
    days: dict[date, dict[str, float]] = {}
    for name in ("SoilWat.OUT", "ET.OUT", "SoilNi.OUT", "PlantGro.OUT"):
        path = outputs / name
        if not path.exists() and name == "SoilNi.OUT":  # nitrogen was not simulated
            continue
        for day, row in daily_rows(_text(path), name).items():
            days.setdefault(day, {}).update(row)
    return Tables(
        summary_row(_text(outputs / "Summary.OUT")), days, balance_terms(_text(outputs / "SoilWatBal.OUT"))
    )


def daily_rows(text: str, where: str) -> dict[date, dict[str, float]]:
    """Return the rows of a daily table (``@YEAR DOY ...``) by day; what is no number is left out."""
    names: list[str] = []
    found: dict[date, dict[str, float]] = {}
    for line in text.splitlines():
        if line.startswith("@"):
            names = line[1:].split()
        elif names and line.strip() and line.lstrip()[0].isdigit():
            cells = line.split()
            if len(cells) != len(names):
                raise LabrigError(
                    f"A row of {where} has {len(cells)} cells, and there are {len(names)} columns",
                    code="engine",
                )
            row = {
                name: value
                for name, cell in zip(names, cells, strict=True)
                if (value := _number(cell)) is not None
            }
            day = date(int(row["YEAR"]), 1, 1) + timedelta(days=int(row["DOY"]) - 1)
            found[day] = row
    if not found:
        raise LabrigError(f"{where} has no days", code="engine")
    return found


def summary_row(text: str) -> dict[str, float]:
    """Return the last row of Summary.OUT; only columns after the texts, which hold blanks, are told apart."""
    lines = [line for line in text.splitlines() if line.strip()]
    names = next((line[1:].split() for line in lines if line.startswith("@")), [])
    cells = lines[-1].split() if lines else []
    if "XLAT" not in names:
        raise LabrigError("Summary.OUT has no columns that are known", code="engine")
    tail = names[names.index("XLAT") :]
    if len(cells) < len(tail):
        raise LabrigError("Summary.OUT is cut off", code="engine")
    pairs = zip(tail, cells[-len(tail) :], strict=True)
    return {name: value for name, cell in pairs if (value := _number(cell)) is not None}


def balance_terms(text: str) -> dict[str, float]:
    """Return the terms of the water balance, mm, by the names that the program prints."""
    return {name.strip(): float(value) for name, value in _BALANCE.findall(text)}


def closure(balance: Row) -> float:
    """Return by how much the water of the run does not close, mm: what came in less what went and what is left."""
    for name in ("Soil H20 (start)", "Soil H20 (final)", "Precipitation", "Transpiration"):
        if name not in balance:
            raise LabrigError(f"SoilWatBal.OUT has no line {name!r}", code="engine")
    gained = math.fsum(balance.get(name, 0.0) for name in _GAINS)
    return gained - math.fsum(balance.get(name, 0.0) for name in _LOSSES)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        raise LabrigError(f"DSSAT left no {path.name}", code="engine") from None


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def harvested(tables: Tables) -> date:
    """Return the day of harvest; ``bad_input`` where the crop was not ripe when the weather ended."""
    day = int(tables.summary.get("HDAT", MISSING))
    if day <= 0 or tables.summary.get("MDAT", MISSING) <= 0:
        raise LabrigError(
            "The crop was not ripe when the weather ended, or died before",
            where="weather, cultivar",
            expected="weather until maturity, and a cultivar for this climate",
            try_="read_output of OVERVIEW.OUT, which says what stage it reached",
        )
    return date(day // 1000, 1, 1) + timedelta(days=day % 1000 - 1)


def unapplied(case: Case, tables: Tables) -> list[str]:
    """Return which events came after the harvest; ``engine`` where others do not stand in the daily tables.

    The program's own overview counts events that it did not apply; its daily tables (IRRC, NAPC) do not.
    """
    end = harvested(tables)
    last = max(day for day in tables.days if day <= end)
    asked = (
        ("irrigation", "IRRC", "mm", [(day, mm) for day, mm in case.arguments["irrigation"].items()], 0.6),
        (
            "nitrogen",
            "NAPC",
            "kg/ha",
            [(each["date"], each["n_kg_ha"]) for each in case.arguments["fertilizer"]],
            0.6,
        ),
    )
    notes = []
    for what, column, unit, events, slack in asked:
        late = [(day, amount) for day, amount in events if date.fromisoformat(day) > end]
        wanted = math.fsum(amount for day, amount in events if date.fromisoformat(day) <= end)
        applied = tables.days[last].get(column, 0.0 if not events else math.nan)
        if not abs(applied - wanted) <= slack + 0.01 * len(events):
            raise LabrigError(
                f"DSSAT applied {applied:g} {unit} of {what}, and {wanted:g} were asked for until the harvest on {end}",
                where="treatment",
                code="engine",
            )
        if late:
            said = ", ".join(f"{day}: {amount:g} {unit}" for day, amount in late)
            notes.append(f"{what} after the harvest on {end}, not applied: {said}"[:400])
    return notes


def require_closed(case: Case, tables: Tables) -> float:
    """Return the error of the water balance, mm; ``engine`` above `CLOSES_MM`, or where rain is not that given."""
    error = closure(tables.balance)
    end = harvested(tables)
    days = (end - case.start).days + 1
    given = float(case.weather.columns["precipitation_mm"][:days].sum())
    counted = tables.balance["Precipitation"]
    if abs(error) > CLOSES_MM or abs(given - counted) > CLOSES_MM:
        raise LabrigError(
            f"The water of the run does not close: {error:.2f} mm are not accounted for, "
            f"and {counted:.1f} mm of rain are counted of {given:.1f} mm given",
            where="SoilWatBal.OUT",
            expected=f"at most {CLOSES_MM} mm",
            code="engine",
        )
    return error


def daily_table(case: Case, tables: Tables) -> str:
    """Return the days of the season as CSV, with the columns of a run of AquaCrop where they mean the same."""
    names = (
        *("date", "season", "day_after_planting", "precipitation_mm", "irrigation_mm", "soil_water_mm"),
        *("transpiration_mm", "soil_evaporation_mm", "leaf_area_index", "biomass_t_ha", "yield_t_ha"),
        *("water_stress", "nitrogen_stress"),
    )
    planted = date.fromisoformat(case.arguments["planting"]["date"])
    lines = [",".join(names)]
    for day in sorted(tables.days):
        row = tables.days[day]
        if "CWAD" not in row or day < planted:
            continue
        rain = float(case.weather.columns["precipitation_mm"][(day - case.start).days])
        values = (
            rain,
            float(case.arguments["irrigation"].get(day.isoformat(), 0.0)),
            row.get("SWTD", math.nan),
            row.get("EPAA", math.nan),
            row.get("ESAA", math.nan),
            row.get("LAID", math.nan),
            row["CWAD"] / 1000,
            row.get("GWAD", row.get("HWAD", math.nan)) / 1000,
            water_stress(row),
            nitrogen_stress(row),
        )
        shown = ["" if math.isnan(each) else f"{each:.6g}" for each in values]
        lines.append(",".join((day.isoformat(), "1", str((day - planted).days + 1), *shown)))
    return "\n".join(lines) + "\n"


def water_stress(row: Row) -> float:
    """Return by what part photosynthesis is reduced for lack of water; wheat's table names it otherwise."""
    return row["WSPD"] if "WSPD" in row else row.get("WFPD", 0.0)


def nitrogen_stress(row: Row) -> float:
    """Return by what part photosynthesis is reduced for lack of nitrogen."""
    return row["NSTD"] if "NSTD" in row else row.get("NFPD", 0.0)


def summary(
    case: Case, tables: Tables, balance_mm: float
) -> tuple[dict[str, Metric], dict[str, Metric], str]:
    """Return the numbers that the paper's Table 8 names, those that follow from them, and a line for a reader."""
    row = tables.summary
    planted, end = date.fromisoformat(case.arguments["planting"]["date"]), harvested(tables)
    grown = [each for day, each in tables.days.items() if planted <= day <= end and "CWAD" in each]
    rain = case.weather.columns["precipitation_mm"]
    fallen = rain[(planted - case.start).days : (end - case.start).days + 1]
    stress = np.array([water_stress(each) for each in grown])
    hungry = np.array([nitrogen_stress(each) for each in grown])
    metrics = {
        "yield_t_ha": Metric(_of(row, "HWAM", 1000), "t/ha"),
        "biomass_t_ha": Metric(_of(row, "CWAM", 1000), "t/ha"),
        "seasonal_et_mm": Metric(_total(grown, "ETAA"), "mm"),
        "transpiration_mm": Metric(_total(grown, "EPAA"), "mm"),
        "soil_evaporation_mm": Metric(_total(grown, "ESAA"), "mm"),
        "precipitation_mm": Metric(float(fallen.sum()), "mm"),
        "irrigation_mm": Metric(_of(row, "IRCM"), "mm"),
        "water_stress_days": Metric(int((stress > STRESSED).sum()), "days"),
        "water_stress_index": Metric(float(stress.mean()), "1"),
        "nitrogen_stress_index": Metric(float(hungry.mean()), "1"),
        "nitrogen_applied_kg_ha": Metric(_of(row, "NICM"), "kg/ha"),
        "nitrogen_uptake_kg_ha": Metric(_of(row, "NUCM"), "kg/ha"),
        "days_to_flowering": Metric(_days(row, "ADAT", planted), "days"),
        "days_to_maturity": Metric(_days(row, "MDAT", planted), "days"),
    }
    et, grain = metrics["seasonal_et_mm"].value, metrics["yield_t_ha"].value or 0.0
    derived = {
        "water_productivity_kg_m3": Metric(grain * 100 / et if et else None, "kg/m3"),
        "harvest_index": Metric(_of(row, "HIAM"), "1"),
        "nitrogen_mineralised_kg_ha": Metric(_of(row, "NMINC"), "kg/ha"),
        "greatest_leaf_area_index": Metric(_of(row, "LAIX"), "1"),
        "water_balance_error_mm": Metric(balance_mm, "mm"),
        "mean_temperature_c": Metric(case.arguments["weather"]["tav_c"], "degC"),
        "temperature_range_k": Metric(case.arguments["weather"]["amp_k"], "K"),
    }
    text = (
        f"{case.arguments['crop']} {case.arguments['cultivar']}, planted {planted}, harvested {end}: "
        f"yield {grain:.3f} t/ha, evapotranspiration {et or 0:.0f} mm from planting to harvest, "
        f"{metrics['water_stress_days'].value} days of water stress"
    )
    return metrics, derived, text


def much_mineralised(derived: Mapping[str, Metric]) -> list[str]:
    """Return a doubt about more nitrogen out of organic matter than soils give in a season."""
    mineralised = derived["nitrogen_mineralised_kg_ha"].value
    if mineralised is None or mineralised <= MUCH_N_KG_HA:
        return []
    return [
        f"{mineralised:g} kg/ha of nitrogen come out of the soil's organic matter, and above {MUCH_N_KG_HA:g} is rare: "
        "see organic_matter of the treatment, organic_carbon_percent and initial nitrate"
    ]


def _of(row: Row, name: str, divisor: float = 1.0) -> float | None:
    """Return a number of the summary, or None where the program has none for this crop."""
    value = row.get(name)
    return None if value is None or value == MISSING else value / divisor


def _total(days: Sequence[Row], name: str) -> float | None:
    """Return a daily amount over days; the summary lacks it for some crops."""
    return math.fsum(day[name] for day in days) if all(name in day for day in days) else None


def _days(row: Row, name: str, planted: date) -> int | None:
    day = int(row.get(name, MISSING))
    if day <= 0:
        return None
    return (date(day // 1000, 1, 1) + timedelta(days=day % 1000 - 1) - planted).days


def case_of(given: Given) -> Case:
    """Read and check the files of a call."""
    return read_case(
        given.one("weather_daily_path"),
        given.one("soil_profile_path"),
        given.one("cultivar_path"),
        given.one("treatment_path"),
    )


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run DSSAT on the files of a call.

    Raises
    ------
    LabrigError
        What `read_case`, the engine, `unapplied` and `require_closed` refuse.
    """
    case = case_of(given)
    arguments = {**case.arguments, "seed": how.seed}
    inputs = {"weather.csv": case.weather.csv(case.columns)}
    async with how.engines.run(DSSAT, arguments, inputs, allowed=how.allowed, seed=how.seed) as run:
        outputs = run.folder / "outputs"
        tables = await in_thread(read_tables, outputs)
        late = unapplied(case, tables)
        balance = require_closed(case, tables)
        (outputs / "weather_daily.csv").write_text(daily_table(case, tables), encoding="utf-8")
        metrics, derived, text = summary(case, tables, balance)
        unit = {name: each.value for name, each in metrics.items()}
        yield Simulation(
            version=run.version,
            metrics=metrics,
            derived=derived,
            units=[{"unit": "season 1", **unit}],
            time=(case.start.isoformat(), harvested(tables).isoformat(), "P1D"),
            warnings=(*case.notes, *late, *much_mineralised(derived), *run.warnings),
            text=text,
            folder=run.folder,
            wall_s=run.wall_s,
        )


FILES: Mapping[str, str] = {
    "weather_daily_path": "CSV: date, tmin_c, tmax_c (degC), precipitation_mm, srad_mj_m2 (MJ/m2/day); tdew_c and "
    "wind_2m_m_s or wind_10m_m_s (wind_m_s is taken for wind at 2 m) where known; from the start to after the harvest, "
    "and a year for mean and range of temperature",
    "soil_profile_path": "JSON: layers [{thickness_m, wilting_point, field_capacity, saturation (m3/m3), ksat_mm_day, "
    "bulk_density_g_cm3, organic_carbon_percent, clay_percent, silt_percent, ph, root_factor}], albedo, "
    "evaporation_limit_mm, drainage_rate, curve_number, mineralization_factor, fertility_factor",
    "cultivar_path": "JSON: crop (Maize, Sorghum, Wheat, Soybean, DryBean, Sunflower), cultivar (a code "
    "or a name of DSSAT's list)",
    "treatment_path": "JSON: site {latitude, longitude, elevation_m}, start, planting {date, plants_m2, row_cm, "
    "depth_cm}, irrigation [{date, mm}], fertilizer [{date, n_kg_ha, depth_cm}], initial {percent_of_available, "
    "nitrate_ppm, ammonium_ppm}, nitrogen (true), organic_matter (century, or ceres), co2_ppm, tav_c, amp_k, fill_days",
}


def question(given: Given) -> tuple[Mapping[str, Any], Mapping[str, bytes]]:
    """Return what the engine is asked for a call, but for the seed."""
    case = case_of(given)
    return {**case.arguments, "seed": 0}, {"weather.csv": case.weather.csv(case.columns)}


SIMULATOR = Simulator(
    tool="impact_dssat_run",
    engine=DSSAT,
    backends=("dssat",),
    files=FILES,
    run=simulate,
    check=lambda given: case_of(given).notes,
    question=question,
    names=("crops", "cultivars"),
)
