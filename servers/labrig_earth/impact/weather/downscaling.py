"""The tool ``weather_monthly_to_daily``: months of weather become days with the same monthly means and sums."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

DAYS = Engine("days", "Days of months", "labrig_earth.impact.weather.days_engine")
WET_DAY_FRACTION = 0.35


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Make days of the months of a call."""
    months = given.one("monthly_weather_path")
    fraction = fraction_of(given)
    arguments = {"name": months.name, "wet_day_fraction": fraction, "seed": how.seed}
    async with how.engines.run(
        DAYS, arguments, {"months.csv": months.content}, allowed=how.allowed, seed=how.seed
    ) as run:
        totals = run.result["totals"]
        yield Simulation(
            version=run.version,
            metrics={
                "daily_rows": Metric(totals["daily_rows"], "count"),
                "precip_total_mm": Metric(totals["precip_total_mm"], "mm"),
                "temperature_mean_c": Metric(totals["temperature_mean_c"], "degC"),
            },
            derived={
                "wet_days": Metric(totals["wet_days"], "days"),
                "months": Metric(totals["months"], "months"),
            },
            units=run.result["units"],
            time=(run.result["start"], run.result["end"], "P1D"),
            warnings=run.warnings,
            text=(
                f"{totals['daily_rows']} days of {totals['months']} months by seed {how.seed}: "
                f"{totals['precip_total_mm']:.1f} mm on {totals['wet_days']} wet days, mean "
                f"{totals['temperature_mean_c']:.2f} degC; each month keeps its means and sums"
            ),
            folder=run.folder,
            wall_s=run.wall_s,
        )


def fraction_of(given: Given) -> float:
    """Return the part of the days of a month that are wet."""
    return given.asked().number("wet_day_fraction", 0.001, 1, "of the days", WET_DAY_FRACTION)


def check(given: Given) -> Sequence[str]:
    """Check the months, and return what would be assumed."""
    from labrig_earth.impact.weather.months import days_of_months, read_months

    months = given.one("monthly_weather_path")
    fraction = fraction_of(given)
    return days_of_months(read_months(months.content, months.name), fraction, 0).notes


SIMULATOR = Simulator(
    tool="weather_monthly_to_daily",
    engine=DAYS,
    backends=("labrig",),
    files={
        "monthly_weather_path": "CSV, a row a month: month (2019-07), tmin_c and tmax_c (degC, means of daily minima "
        "and maxima), precipitation_mm (sum); as it has them et0_mm (sum), srad_mj_m2 (MJ/m2/day, mean), rh_pct, "
        "wind_10m_m_s or wind_2m_m_s (means; wind_m_s is taken for wind at 10 m), wet_days"
    },
    options={
        "wet_day_fraction": "part of the days of a month that are wet, where there is no wet_days; 0.35"
    },
    run=simulate,
    check=check,
)
