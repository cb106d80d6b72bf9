"""The tool ``weather_to_epw``: a year of hours or days of weather becomes an EPW file with design days."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from labrig.errors import LabrigError
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

EPW = Engine("epw", "The EPW writer", "labrig_earth.impact.weather.epw_engine")
PLACE = ("latitude", "longitude", "timezone", "elevation_m")


def place_of(given: Given) -> dict[str, float]:
    """Return the place of a call; ``bad_input`` where a part of it is not given: none is near 0 N, 0 E by default."""
    asked = given.asked()
    absent = [name for name in PLACE if not asked.has(name)]
    if absent:
        raise LabrigError(
            f"The place is not given: {', '.join(absent)}",
            where=absent[0],
            expected="latitude (degrees north), longitude (degrees east), timezone (hours ahead of UTC), elevation_m",
        )
    return {
        "latitude": asked.number("latitude", -90, 90, "degrees north"),
        "longitude": asked.number("longitude", -180, 180, "degrees east"),
        "timezone_h": asked.number("timezone", -12, 14, "hours ahead of UTC"),
        "elevation_m": asked.number("elevation_m", -450, 6000, "m"),
    }


def header_of(given: Given) -> dict[str, str]:
    """Return the names in the header of a file: city and country, "-" for one that is not given."""
    asked = given.asked()
    return {name: asked.text(name, "") or "-" for name in ("city", "country")}


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Write an EPW file of the weather of a call."""
    weather = given.one("weather_timeseries_path")
    arguments = {
        "name": weather.name,
        "place": place_of(given),
        **header_of(given),
    }
    async with how.engines.run(
        EPW, arguments, {"weather.csv": weather.content}, allowed=how.allowed, seed=how.seed
    ) as run:
        totals, year = run.result["totals"], run.result["year"]
        units = {
            "dry_bulb_p95_c": "degC",
            "dry_bulb_min_c": "degC",
            "dry_bulb_max_c": "degC",
            "global_kwh_m2": "kWh/m2",
            "relative_humidity_mean_pct": "%",
            "wind_10m_mean_m_s": "m/s",
        }
        yield Simulation(
            version=run.version,
            metrics={
                "hourly_records": Metric(totals["hourly_records"], "count"),
                "dry_bulb_mean_c": Metric(totals["dry_bulb_mean_c"], "degC"),
            },
            derived={name: Metric(totals[name], unit) for name, unit in units.items()},
            units=run.result["months"],
            time=(f"{year}-01-01T01:00:00", f"{year}-12-31T24:00:00", "PT1H"),
            warnings=run.warnings,
            text=(
                f"An EPW file of {totals['hourly_records']} hours of {year}: dry bulb "
                f"{totals['dry_bulb_min_c']:.1f} to {totals['dry_bulb_max_c']:.1f}, mean "
                f"{totals['dry_bulb_mean_c']:.2f} degC, global radiation {totals['global_kwh_m2']:.0f} kWh/m2"
            ),
            folder=run.folder,
            wall_s=run.wall_s,
        )


def check(given: Given) -> Sequence[str]:
    """Check the weather, and return what would be assumed."""
    from labrig_earth.impact.weather.hours import Place, read_hours

    weather = given.one("weather_timeseries_path")
    header_of(given)
    return read_hours(weather.content, weather.name, Place(**place_of(given))).notes


SIMULATOR = Simulator(
    tool="weather_to_epw",
    engine=EPW,
    backends=("labrig",),
    files={
        "weather_timeseries_path": "CSV, one year. Hours: time (ends of hours; standard time of the place, or with an "
        "offset), tair_c (degC), rh_pct or dew_point_c, wind_10m_m_s or wind_2m_m_s, ghi_w_m2 (W/m2, mean "
        "over the hour that ends); as it has them dni_w_m2 with dhi_w_m2, ir_w_m2, pressure_hpa, wind_dir_deg. Days: "
        "date, tmin_c, tmax_c, rh_pct or tdew_c, wind, srad_mj_m2 (MJ/m2/day), such as make_weather writes. "
        "wind_m_s is taken for wind at 10 m"
    },
    options={
        "city": "name in the header",
        "country": "name in the header",
        "latitude": "degrees north",
        "longitude": "degrees east",
        "timezone": "hours ahead of UTC, of the standard time",
        "elevation_m": "m",
    },
    run=simulate,
    check=check,
)
