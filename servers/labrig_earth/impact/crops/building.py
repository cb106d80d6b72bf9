"""Daily weather for crops out of gridded data at a place: the operation ``make_weather``, with every conversion told.

Fields have one value a day. Where a file has the mean temperature alone, the caller states the range of a day
(``diurnal_range_k``); it is not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import numpy as np

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig_earth.grids.reading import Field
from labrig_earth.impact.crops.weather import Column, Weather, read_weather
from labrig_earth.impact.sampling import fields_of, labels_of, point_of, sampled
from labrig_earth.impact.weather.wind import wind_at
from labrig_earth.results import Result
from labrig_earth.work.arguments import mapping_of, number_of
from labrig_earth.work.calls import Call

ROLES: Mapping[str, tuple[str, ...]] = {
    "tmin_c": ("degC",),
    "tmax_c": ("degC",),
    "mean_c": ("degC",),
    "precipitation_mm": ("mm", "mm/day"),
    "et0_mm": ("mm", "mm/day"),
    "srad_mj_m2": ("MJ/m2", "MJ/m2/day"),
    "tdew_c": ("degC",),
}
"""What may be taken from a variable, and in which units."""

WINDS = ("u10", "v10", "wind_10m")


def make_weather(call: Call) -> Result:
    """Write ``weather.csv`` for a place.

    Arguments: ``point`` (latitude, longitude), ``variables`` (names by `ROLES` and `WINDS`), ``start``, ``end``,
    ``diurnal_range_k`` (where only the mean temperature is known).

    Raises
    ------
    LabrigError
        For a variable that is nowhere, not daily, or in no unit that can be converted; and what `read_weather` refuses.
    """
    named = mapping_of(call, "variables")
    for role in named:
        if role not in ROLES and role not in WINDS:
            raise unknown_name("column", str(role), (*ROLES, *WINDS), where="variables")
    fields, point = fields_of(call), point_of(call)
    notes: list[str] = []
    columns: dict[str, Column] = {}
    days: list[date] = []
    for role, name in named.items():
        values, when, said = _column(fields, str(name), role, call, point)
        if days and when != days:
            raise LabrigError(f"{name} has other days than the variables before it", where="variables")
        days, columns[role] = when, values
        notes += [note for note in said if note not in notes]
    notes += _settled(columns, number_of(call, "diurnal_range_k", low=0.0, high=40.0))
    if not days:
        raise LabrigError("No variable is named", where="variables", expected=", ".join((*ROLES, *WINDS)))
    weather = Weather(days[0], columns)
    content = weather.csv(tuple(columns))
    read_weather(content, "weather.csv")  # whatever a run would refuse is refused now
    (call.scratch / "weather.csv").write_bytes(content)
    years = weather.days / 365.2425
    return Result(
        method=f"nearest cell at {point[0]:g}, {point[1]:g} (latitude, longitude), each day",
        values=(
            Quantity("days", weather.days, "days"),
            Quantity("mean of tmin_c", round(float(columns["tmin_c"].mean()), 3), "degC"),
            Quantity("mean of tmax_c", round(float(columns["tmax_c"].mean()), 3), "degC"),
            Quantity("precipitation", round(float(columns["precipitation_mm"].sum()) / years, 2), "mm/year"),
        ),
        data={
            "start": str(weather.start),
            "end": str(weather.end),
            "columns": content.split(b"\n", 1)[0].decode().split(",")[1:],
        },
        assumed=tuple(notes),
        warnings=labels_of(fields),
        source=", ".join(dict.fromkeys(field.source for field in fields)),
        files=("weather.csv",),
    )


def _column(
    fields: list[Field], name: str, role: str, call: Call, point: tuple[float, float]
) -> tuple[Column, list[date], list[str]]:
    """Return the values of a variable at a place in the unit of its column, their days, and what was done."""
    part = {key: call.argument(key) for key in ("start", "end") if call.argument(key)}
    water = role in ("precipitation_mm", "et0_mm")
    found = sampled(fields, name, role, point, ROLES.get(role, ("m/s",)), part=part, water=water)
    if not np.issubdtype(found.coordinate.dtype, np.datetime64):
        raise LabrigError(f"{name} has {found.axis}", where=name, expected="a time axis alone")
    stamps = found.coordinate.astype("datetime64[D]")
    if len(stamps) > 1 and not bool((np.diff(stamps).astype(int) == 1).all()):
        raise LabrigError(
            f"{name} is not daily",
            where=name,
            expected="one value a day",
            try_="aggregate_grid with every=day first",
        )
    return found.values, [stamp.item() for stamp in stamps], [found.note]


def _settled(columns: dict[str, Column], diurnal_range_k: float | None) -> list[str]:
    """Make of means and winds what a run takes, in place; return what was assumed."""
    notes = []
    mean = columns.pop("mean_c", None)
    if mean is not None and not {"tmin_c", "tmax_c"} & set(columns):
        if diurnal_range_k is None:
            raise LabrigError(
                "Only the mean temperature is known",
                where="diurnal_range_k",
                expected="the range of a day, K, or variables for tmin_c and tmax_c",
            )
        columns["tmin_c"], columns["tmax_c"] = mean - diurnal_range_k / 2, mean + diurnal_range_k / 2
        notes.append(
            f"tmin_c and tmax_c: the mean less and plus half of {diurnal_range_k:g} K, as the caller states"
        )
    u, v, speed = (columns.pop(name, None) for name in WINDS)
    if u is not None and v is not None:
        speed = np.hypot(u, v)
    if speed is not None:
        winds, said = wind_at(2, {"wind_10m_m_s": speed}, 10, "variables")
        columns |= winds
        notes += said
    for name in ("tmin_c", "tmax_c", "precipitation_mm"):
        if name not in columns:
            raise LabrigError(f"No variable is named for {name}", where="variables")
    for name in ("precipitation_mm",):
        low = columns[name] < 0
        if low.any() and float(columns[name].min()) > -0.01:  # what packing leaves of zero
            columns[name] = np.maximum(columns[name], 0.0)
            notes.append(f"{name}: {int(low.sum())} days between -0.01 and 0 mm taken as 0")
    return notes
