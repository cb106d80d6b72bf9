"""What xclim is given: variables of any unit, step and convention as it takes them, in one file.

Rain and balances of water become mm d-1 of whole months or of days, temperatures degC, wind km/h, humidity %.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.stations import places_of
from labrig_earth.grids import humidity, periods, wind
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.conventions import Accumulation
from labrig_earth.grids.reading import Field, in_time, in_unit, readable, variable
from labrig_earth.grids.sizes import MOST_MADE_BYTES, require_readable
from labrig_earth.grids.times import seconds_of_steps, time_axis
from labrig_earth.grids.writing import write
from labrig_earth.indices.computing import INDEX, PREPARED
from labrig_earth.results import Result
from labrig_earth.work.fields import Fields

STATISTICS = ("spi", "spei", "growing_season")
NAMES = {"spi": "pr", "spei": "wb", "growing_season": "tas"}
LEAST_YEARS, USUAL_YEARS = 10, 30
NEEDS = {
    "fwi": tuple(
        ("temperature", "precipitation", *moist, *blows)
        for moist in (("humidity",), ("dew_point",))
        for blows in (("wind",), ("u", "v"))
    ),
    "water_balance": tuple(
        ("precipitation", *lost) for lost in (("evaporation",), ("minimum", "maximum"), ("temperature",))
    ),
}
"""Quantities and the alternatives of roles that they come from; with ``evaporation`` the balance needs no xclim."""


def prepare_statistic(
    source: Field,
    statistic: str,
    options: Mapping[str, Any],
    covers: Accumulation,
    base: tuple[str, str],
    least_part: float | None,
) -> tuple[Field, str, dict[str, Any]]:
    """Return a series as an index of `STATISTICS` needs it, what was done, and the arguments of xclim.

    Raises
    ------
    LabrigError
        ``bad_input`` for steps or units that the index is not made of, and too few years.
    """
    given = Fields(options, "options")
    if statistic == "growing_season":
        require_days(source, "growing_season", 'daily="mean", which makes days')
        limit = given.number("base_temperature", -50.0, 50.0, "degC", 5.0)
        days = given.whole("least_steps", 1, 60, "days", 6)
        warm = in_unit(source, "degC")
        return warm, "", {"index": statistic, "threshold": limit, "days": days}
    window = given.whole("window", 1, 60, "months", 1)
    rates, said = monthly_rates(source, covers, least_part)
    time = rates.axes.time
    years = rates.data[time].dt.year.values
    first, last = base[0] or str(int(years.min())), base[1] or str(int(years.max()))
    inside = np.unique(years[(years >= int(first[:4])) & (years <= int(last[:4]))]).size
    if inside < LEAST_YEARS:
        raise LabrigError(
            f"{inside} years lie in {first[:4]} to {last[:4]}, and a distribution is fitted to each month of them",
            where="options.base",
            expected=f"at least {LEAST_YEARS} years, usually {USUAL_YEARS}",
        )
    if inside < USUAL_YEARS:
        rates = rates.noting(warnings=(f"The distributions rest on {inside} years; {USUAL_YEARS} are usual",))
    span = [f"{int(first[:4]):04d}-01-01", f"{int(last[:4]):04d}-12-30"]
    return rates, said, {"index": statistic, "window": window, "base": span}


def monthly_rates(source: Field, covers: Accumulation, least_part: float | None) -> tuple[Field, str]:
    """Return amounts or rates of water as the mean rate of each month, mm d-1, months that are missing as such."""
    time = source.axes.time
    amounts = in_unit(source, "mm", water=True)
    found = periods.over_time(
        amounts.data, time, "sum", every="month", least_part=least_part, ends=covers.covers == "before"
    )
    whole = every_month(found.data, time)
    rates = (whole / whole[time].dt.days_in_month).assign_attrs(units="mm d-1")
    return amounts.with_data(rates.rename(found.data.name)).noting(warnings=found.warnings), (
        f"{found.said}, as mean rates"
    )


def every_month(data: Any, time: str) -> Any:
    """Return monthly values with all months from the first to the last."""
    import xarray as xr

    axis = data[time]
    numbers = axis.dt.year.values * 12 + axis.dt.month.values
    count = int(numbers[-1] - numbers[0]) + 1
    if count == axis.size:
        return data
    cftime = axis.dtype.kind == "O"
    months = xr.date_range(
        axis.values[0], periods=count, freq="MS", calendar=str(axis.dt.calendar), use_cftime=cftime
    )
    return data.reindex({time: months})


def require_days(source: Field, what: str, try_: str) -> None:
    """Raise a LabrigError for other steps than days."""
    step = time_axis(source.data, source.axes.time).step
    if step != "1 day":
        raise LabrigError(
            f"{what} is made of days, and the step is {step or 'unknown'}",
            where=str(source.data.name),
            expected="a value of each day",
            try_=try_,
        )


def balance(source: Field, roles: Mapping[str, str]) -> tuple[Field, str]:
    """Return rain less the potential evaporation that the data have, mm d-1, and what was done.

    ECMWF counts fluxes downwards: where evaporation is negative by far its sign is turned.
    """
    rain, lost = (rates_of(variable(source, roles[each])) for each in ("precipitation", "evaporation"))
    turned = float(lost.data.mean()) < 0
    said = f"{roles['precipitation']} less {roles['evaporation']}"
    found = rain.data + lost.data if turned else rain.data - lost.data
    found = found.rename("water_balance").assign_attrs(
        units="mm d-1", long_name="precipitation less potential evaporation"
    )
    notes = (f"{roles['evaporation']} is negative where water evaporates, and was turned",) if turned else ()
    return rain.with_data(found).noting(assumed=(*lost.assumed, *notes)), said


def rates_of(source: Field) -> Field:
    """Return water of days or months as the mean rate of each step, mm d-1."""
    source, covers = in_time(source)
    amounts = in_unit(source, "mm", water=True)
    seconds = seconds_of_steps(amounts.data[amounts.axes.time], ends=covers.covers == "before")
    return amounts.with_data((amounts.data / seconds * 86400.0).rename(amounts.data.name))


def prepare_quantity(source: Field, what: str, roles: Mapping[str, str]) -> tuple[Any, dict[str, Any], Field]:
    """Return what xclim makes a quantity of `NEEDS` from as an `xarray.Dataset`, its arguments, and the notes taken.

    Raises
    ------
    LabrigError
        As `prepare_statistic`; ``bad_input`` for data without latitudes.
    """
    import xarray as xr

    rain, covers = in_time(variable(source, roles["precipitation"]))
    if what == "water_balance" and "minimum" not in roles:
        warm, _ = in_time(variable(source, roles["temperature"]))
        rain, said = monthly_rates(rain, covers, None)
        found = periods.over_time(warm.data, warm.axes.time, "mean", every="month")
        made = {"pr": rain.data, "tas": in_unit(warm.with_data(found.data), "degC").data}
        notes = rain.noting(warnings=found.warnings)
        notes = notes.with_data(notes.data, said)
    else:
        require_days(
            rain, what, "aggregate_grid with every day: sums of precipitation, noon or means of the others"
        )
        notes = in_unit(rain, "mm", water=True)
        made = {"pr": notes.data.assign_attrs(units="mm d-1")}
        each = {role: variable(source, name).data for role, name in roles.items()}
        if what == "fwi":
            moist = (
                each["humidity"]
                if "humidity" in each
                else humidity.relative_humidity(each["temperature"], each["dew_point"])
            )
            blows = each["wind"] if "wind" in each else wind.wind_speed(each["u"], each["v"])
            of_air = {
                "tas": (each["temperature"], "degC"),
                "hurs": (moist, "%"),
                "sfcWind": (blows, "km h-1"),
            }
        else:
            of_air = {"tasmin": (each["minimum"], "degC"), "tasmax": (each["maximum"], "degC")}
        for name, (data, unit) in of_air.items():
            part = (
                unit == "%" and not str(data.attrs.get("units", "1")).strip()
            )  # an empty unit is that of a part
            made[name] = in_unit(source.with_data(data.assign_attrs(units="1") if part else data), unit).data
    for each in made.values():
        require_readable(each, what="An index", most=MOST_MADE_BYTES)
    first = made["pr"]
    together = {
        name: readable(notes.with_data(data.transpose(*first.dims))).data for name, data in made.items()
    }
    latitude = latitudes(first.isel({notes.axes.time: 0}, drop=True))
    dataset = xr.Dataset({**together, "lat_of_cell": latitude.assign_attrs(units="degrees_north")})
    return dataset, {"index": what}, notes


def latitudes(field: Any) -> Any:
    """Return the latitude of each cell or place of a field, as `xarray.DataArray`.

    Raises
    ------
    LabrigError
        ``bad_input`` for data that lie nowhere.
    """
    import xarray as xr

    axes, places = axes_of(field), places_of(field)
    name = places.latitude if places is not None else axes.latitude_2d or (axes.y if axes.geographic else "")
    if name:
        found = field[name]
        return xr.DataArray(found.values.astype("f8"), dims=found.dims)
    if not axes.x or not axes.crs:
        raise LabrigError(
            "The index needs latitudes, and the data state no place",
            where=str(field.name),
            expected="coordinates",
        )
    from pyproj import CRS, Transformer

    crs = CRS.from_user_input(axes.crs)
    x, y = np.meshgrid(field[axes.x].values, field[axes.y].values)
    _, latitude = Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True).transform(x, y)
    return xr.DataArray(latitude, dims=(axes.y, axes.x))


def is_southern(field: Any) -> bool:
    """Tell whether all of a field lies south of the equator.

    Raises
    ------
    LabrigError
        ``bad_input`` for one on both sides, whose years begin in different months.
    """
    found = latitudes(field).values
    found = found[np.isfinite(found)]
    south = found < 0
    if south.any() and not south.all():
        raise LabrigError(
            f"Cells from {found.min():g} to {found.max():g} degree lie on both hemispheres, whose seasons are half a "
            "year apart",
            where="select.box",
            expected="cells of one hemisphere",
            try_="a box north of the equator, and one south of it",
        )
    return bool(south.all())


def as_prepared(source: Field, data: Any, notes: Mapping[str, Any], method: str, scratch: Path) -> Result:
    """Return a result whose file xclim reads: `data` with the time axis called ``time``, named as xclim has it.

    Parameters
    ----------
    notes
        Of the result; its `INDEX` are the arguments of xclim.
    """
    notes = dict(notes)
    asked = {**notes.pop(INDEX), **({"south": notes.pop("south")} if "south" in notes else {})}
    time = source.axes.time
    if asked["index"] in NAMES:
        data = data.rename(NAMES[asked["index"]])
    if time != "time":
        data = data.rename({time: "time"})
    write(data, scratch, PREPARED.removesuffix(".nc"), "netcdf", history=method, source=source.source)
    return Result(
        method="; ".join(filter(None, [*source.done, method])),
        data={**notes, INDEX: asked},
        crs=source.axes.crs,
        grid=source.grid,
        source=source.source,
        files=(PREPARED,),
    ).noting(assumed=source.assumed, warnings=source.warnings)
