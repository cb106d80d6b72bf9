"""One aggregate of a variable: over space or polygons first, then over time; what is done is said step by step.

Space comes first, so a statistic over time is that of the area mean: the largest of the daily means over a country, not
the mean over the country of each cell's largest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig_earth.grids import areas, climatology, periods, spells, trends
from labrig_earth.grids.classes import class_areas as areas_of_classes
from labrig_earth.grids.conventions import Accumulation
from labrig_earth.grids.doubts import sum_doubt
from labrig_earth.grids.mesh import cells_axes, odd_cells
from labrig_earth.grids.reading import Field, counted, in_time, in_unit, readable
from labrig_earth.grids.times import select_range, time_axis
from labrig_earth.grids.units import convert
from labrig_earth.indices import preparing
from labrig_earth.indices.computing import INDEX
from labrig_earth.work.fields import Fields

OVER = ("time", "space", "both")
HELD_BYTES = 512 << 20
"""Days beyond a threshold of this size are kept in memory, since runs are counted in several ways."""

SPECIAL = (
    *("exceedance", "spells", "climatology", "anomaly", "degree_days", "trend"),
    *preparing.STATISTICS,
)
CLASSES = "class_areas"
STATISTICS = (*periods.STATISTICS, *SPECIAL, CLASSES)
OPTIONS: dict[str, tuple[str, ...]] = {
    "percentile": ("percentile",),
    "exceedance": ("threshold", "unit", "compare", "percentile", "base", "window"),
    "spells": ("threshold", "unit", "compare", "percentile", "base", "window", "least_steps"),
    "climatology": ("base", "by", "window", "percentile"),
    "anomaly": ("base", "by", "window"),
    "degree_days": ("base_temperature", "unit", "kind", "cap"),
    "trend": ("method",),
    "spi": ("window", "base"),
    "spei": ("window", "base"),
    "growing_season": ("base_temperature", "least_steps"),
    CLASSES: ("classes",),
}


@dataclass(frozen=True)
class Wanted:
    """What is to be computed.

    Attributes
    ----------
    over
        ``time`` (a map), ``space`` (a series) or ``both`` (a number, or one for each period).
    statistic
        One of `STATISTICS`; those of `OPTIONS` have options of their own.
    every
        One of `periods.EVERY`.
    daily
        A statistic that makes days of finer steps before anything else, such as ``max``.
    start, end
        Of what is returned; the base period may lie outside.
    """

    over: str = "time"
    statistic: str = "mean"
    every: str = ""
    daily: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    unit: str = ""
    stated_unit: str = ""
    water: bool = False
    start: str = ""
    end: str = ""
    utc_offset_h: float = 0.0
    least_part: float | None = None
    polygons: Any = None
    method: str = "exactextract"
    names: str = ""


@dataclass(frozen=True)
class Aggregated:
    """A result with what was done, and single numbers beside it."""

    source: Field
    data: Any
    method: str
    values: tuple[Quantity, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


def aggregate(source: Field, wanted: Wanted) -> Aggregated:
    """Return an aggregate of a variable.

    Raises
    ------
    LabrigError
        ``bad_input`` for unknown words and options, ``limit`` for too much to read, and what the rooms raise.
    """
    _check(wanted)
    if wanted.statistic == CLASSES:
        return _classes(source, wanted)
    notes: dict[str, Any] = {}
    said: list[str] = []
    over_time = (
        wanted.over != "space" or wanted.statistic in SPECIAL or bool(wanted.every) or bool(wanted.daily)
    )
    covers = Accumulation("instant", "")
    if over_time:
        source, covers = in_time(source, utc_offset_h=wanted.utc_offset_h)
    source = in_unit(source, wanted.unit, stated=wanted.stated_unit, water=wanted.water)
    if not _needs_base(wanted):
        source = _ranged(source, wanted, covers)
    readable(source)
    source = source.noting(warnings=_doubts(source, wanted))
    if wanted.daily:
        source, covers = _days(source, wanted, covers, said)
    if wanted.statistic == "growing_season":  # a mean over space has no latitude
        notes["south"] = preparing.is_southern(source.data)
    if wanted.over in ("space", "both"):
        source = _over_space(source, wanted, said, notes)
        if wanted.over == "space" and wanted.statistic not in SPECIAL:
            return Aggregated(source, source.data, "; ".join(said), notes=notes)
    done = _over_time(source, wanted, covers)
    return Aggregated(
        done.source, done.data, "; ".join([*said, done.method]), done.values, {**notes, **done.notes}
    )


def _classes(source: Field, wanted: Wanted) -> Aggregated:
    if wanted.polygons is not None:
        raise LabrigError("Classes in polygons", where="statistic", try_='zonal_statistics with "fractions"')
    source = _ranged(source, wanted, Accumulation("instant", "")) if source.axes.time else source
    given = Fields(wanted.options, "options")
    told = given.numbers("classes", -1e9, 1e9, "", (1, 256)) if given.has("classes") else ()
    found = areas_of_classes(source.data, told)
    return Aggregated(source.with_data(found), found, "areas of the cells of each class")


def _doubts(source: Field, wanted: Wanted) -> tuple[str, ...]:
    """Return what is doubtful about the sums that are asked for."""
    over = (
        {"time"} if wanted.daily == "sum" or (wanted.statistic == "sum" and wanted.over != "space") else set()
    )
    if wanted.statistic == "sum" and wanted.over == "space" and wanted.polygons is None:
        over.add("space")
    return tuple(said for each in sorted(over) if (said := sum_doubt(source.data.attrs, each)))


def _check(wanted: Wanted) -> None:
    if wanted.over not in OVER:
        raise LabrigError(f"There is no {wanted.over!r}", where="over", expected=", ".join(OVER))
    if wanted.statistic not in STATISTICS:
        raise unknown_name("statistic", wanted.statistic, STATISTICS, where="statistic")
    allowed = OPTIONS.get(wanted.statistic, ())
    for name in wanted.options:
        if name not in allowed:
            raise LabrigError(
                f"{wanted.statistic} has no option {name!r}",
                where="options",
                expected=", ".join(allowed) or "no options",
            )
    if wanted.over == "space" and wanted.every and wanted.statistic not in SPECIAL:
        raise LabrigError(
            f"A value of each {wanted.every} is an aggregate over time too", where="over", try_='over="both"'
        )
    if wanted.polygons is not None and wanted.over == "time":
        raise LabrigError(
            "Polygons are areas, and the aggregate is over time alone",
            where="over",
            try_='over="both" or "space"',
        )


def _needs_base(wanted: Wanted) -> bool:
    return wanted.statistic == "anomaly" or (
        wanted.statistic in ("exceedance", "spells") and wanted.options.get("percentile") is not None
    )


def _ranged(source: Field, wanted: Wanted, covers: Accumulation) -> Field:
    if not (wanted.start or wanted.end):
        return source
    ends = covers.covers == "before"
    return source.with_data(select_range(source.data, source.axes.time, wanted.start, wanted.end, ends=ends))


def _days(source: Field, wanted: Wanted, covers: Accumulation, said: list[str]) -> tuple[Field, Accumulation]:
    if wanted.daily not in ("mean", "sum", "min", "max"):
        raise LabrigError(
            f"Days are not made by {wanted.daily!r}", where="daily", expected="mean, sum, min or max"
        )
    found = periods.over_time(
        source.data,
        source.axes.time,
        wanted.daily,
        every="day",
        least_part=wanted.least_part,
        ends=covers.covers == "before",
    )
    said.append(found.said)
    return source.with_data(found.data).noting(warnings=found.warnings), Accumulation("instant", "")


def _over_space(source: Field, wanted: Wanted, said: list[str], notes: dict[str, Any]) -> Field:
    source = counted(source).noting(warnings=odd_cells(source.data, cells_axes(source.data)))
    if wanted.polygons is None:
        by = wanted.statistic if wanted.over == "space" and wanted.statistic not in SPECIAL else "mean"
        said.append(f"{'area-weighted mean' if by == 'mean' else by} of all cells")
        if by in ("min", "max"):
            notes |= areas.places_of(source.data, by)
        return source.with_data(areas.area_mean(source.data, statistic=by))
    if wanted.over == "space" and wanted.statistic != "mean" and wanted.statistic not in SPECIAL:
        raise LabrigError(
            f"Of polygons the mean is computed, not the {wanted.statistic}",
            where="statistic",
            try_="zonal_statistics, which has sum, min, max, percentiles and fractions",
        )
    found = areas.polygon_means(source.data, wanted.polygons, method=wanted.method, names=wanted.names)
    said.append(found.method)
    unit = str(source.data.attrs.get("units", ""))
    notes["polygons"] = {
        str(label): {
            "cells": int(count),
            "area_km2": float(f"{float(area):.6g}"),
            f"methods_differ_by [{unit}]": float(f"{float(spread):.3g}"),
        }
        for label, count, area, spread in zip(
            found.data["region"].values[:20],
            found.cells.values,
            found.area_km2.values,
            found.spread.max([dim for dim in found.spread.dims if dim != "region"]).values,
            strict=False,
        )
    }
    touched = replace(source, cells=int(found.cells.sum()), valid_cells=None)
    return touched.with_data(found.data).noting(warnings=found.warnings)


def _over_time(source: Field, wanted: Wanted, covers: Accumulation) -> Aggregated:
    time, options = source.axes.time, wanted.options
    if wanted.statistic not in SPECIAL:
        found = periods.over_time(
            source.data,
            time,
            wanted.statistic,
            every=wanted.every,
            percentile=options.get("percentile"),
            least_part=wanted.least_part,
            ends=covers.covers == "before",
        )
        return Aggregated(source.noting(warnings=found.warnings), found.data, found.said)
    if wanted.statistic == "climatology":
        usual = _usual(source, wanted, options.get("percentile"))
        return Aggregated(source.noting(warnings=usual.warnings), usual.data, usual.said)
    if wanted.statistic == "anomaly":
        usual = _usual(source, wanted, None)
        difference = climatology.anomaly(source.data, time, usual)
        found_field = _ranged(source.with_data(difference), wanted, covers).noting(warnings=usual.warnings)
        return _each_period(found_field, wanted, "mean", f"anomaly from the {usual.said}")
    if wanted.statistic == "degree_days":
        return _degree_days(source, wanted)
    if wanted.statistic == "trend":
        return _trend(source, wanted, covers)
    if wanted.statistic in preparing.STATISTICS:
        found_field, said, asked = preparing.prepare_statistic(
            source, wanted.statistic, options, covers, _base(options), wanted.least_part
        )
        return Aggregated(found_field, found_field.data, said, notes={INDEX: asked})
    hits, source, said = _hits(source, wanted, covers)
    if wanted.statistic == "exceedance":
        step = time_axis(source.data, time).step
        counted = source.with_data(
            hits.assign_attrs(units=_unit_of_steps(step), long_name=f"steps of {step} {said}")
        )
        done = _each_period(counted, wanted, "sum", f"steps of {step} {said}", always=True)
        return done
    return _spells(hits, source, wanted, said)


def _each_period(
    source: Field, wanted: Wanted, statistic: str, said: str, *, always: bool = False
) -> Aggregated:
    """Aggregate what was derived over periods, or over all the time; without either it stays a series."""
    if not wanted.every and not always:
        return Aggregated(source, source.data, said)
    found = periods.over_time(
        source.data,
        source.axes.time,
        statistic,
        every=wanted.every,
        least_part=periods.LEAST_PART if wanted.least_part is None else wanted.least_part,
    )
    return Aggregated(source.noting(warnings=found.warnings), found.data, f"{said}; {found.said}")


def _usual(source: Field, wanted: Wanted, percentile: float | None, by: str = "") -> climatology.Climatology:
    options = wanted.options
    start, end = _base(options)
    return climatology.climatology(
        source.data,
        source.axes.time,
        every=by or str(options.get("by", "day")),
        start=start,
        end=end,
        window=int(options.get("window", 5)),
        percentile=percentile,
    )


def _base(options: Mapping[str, Any]) -> tuple[str, str]:
    base = options.get("base")
    if base is None:
        return "", ""
    if not isinstance(base, list) or len(base) != 2 or not all(isinstance(each, (str, int)) for each in base):
        raise LabrigError("The base period is no pair", where="options.base", expected='["1991", "2020"]')
    return str(base[0]), str(base[1])


def _hits(source: Field, wanted: Wanted, covers: Accumulation) -> tuple[Any, Field, str]:
    """Return where values are beyond the threshold, within the time that is asked for."""
    options = wanted.options
    compare = str(options.get("compare", "above"))
    percentile, threshold = options.get("percentile"), options.get("threshold")
    if (percentile is None) == (threshold is None):
        raise LabrigError(
            f"{wanted.statistic} needs a threshold or a percentile",
            where="options",
            expected='{"threshold": 30, "unit": "degC"} or {"percentile": 90, "base": ["1991", "2020"]}',
        )
    if percentile is not None:
        usual = _usual(source, wanted, Fields(options, "options").number("percentile"), "day")
        difference = climatology.anomaly(source.data, source.axes.time, usual)
        ranged = _ranged(source.with_data(difference), wanted, covers).noting(warnings=usual.warnings)
        said = f"{compare} the {usual.said}"
        return spells.beyond(ranged.data, 0.0, compare), ranged, said
    number, own = Fields(options, "options").number("threshold"), str(source.data.attrs.get("units", ""))
    unit = str(options.get("unit", "") or own)
    value = number if unit == own else float(convert(number, unit, own)[0])
    said = f"{compare} {number:g} {unit}".strip()
    return spells.beyond(source.data, value, compare), source, said


def _unit_of_steps(step: str) -> str:
    """Return the unit of a number of steps: days or hours where a step is one, else none."""
    return {"1 day": "d", "1 h": "h"}.get(step, "1")


def _spells(hits: Any, source: Field, wanted: Wanted, said: str) -> Aggregated:
    import xarray as xr

    time = source.axes.time
    least = Fields(wanted.options, "options").whole("least_steps", 1, 10**6, "steps", 3)
    step = time_axis(source.data, time).step
    text = f"runs of at least {least} steps of {step} {said}"
    hits = hits.compute() if hits.nbytes <= HELD_BYTES else hits
    if wanted.every:
        parts = periods.parts_of(hits, time, wanted.every)
        text += f"; of each {wanted.every}, at whose end a run is cut"
    else:
        parts = [(None, hits)]
    found = []
    for start, part in parts:
        count, steps = spells.spells(part, time, least)
        each = xr.Dataset(
            {"spells": count, "steps_in_spells": steps, "longest_spell": spells.longest_spell(part, time)}
        )
        found.append(each if start is None else each.expand_dims({time: [start]}))
    data = found[0] if not wanted.every else xr.concat(found, dim=time)
    for name in data.data_vars:
        data[name].attrs["units"] = "1" if name == "spells" else _unit_of_steps(step)
    missing = int(hits.isnull().sum())
    if missing:
        source = source.noting(warnings=(f"{missing} values are missing; each ends a run",))
    return Aggregated(source, data, text)


def _degree_days(source: Field, wanted: Wanted) -> Aggregated:
    options, given = wanted.options, Fields(wanted.options, "options")
    base = given.number("base_temperature", unit='such as {"base_temperature": 10, "unit": "degC"}')
    unit = str(options.get("unit", "") or source.data.attrs.get("units", ""))
    source = in_unit(source, unit)
    cap = given.number("cap") if given.has("cap") else None
    kind = str(options.get("kind", "growing"))
    found = spells.degree_days(
        source.data,
        source.axes.time,
        base,
        kind=kind,
        cap=cap,
    )
    said = f"{kind} degree days, base {base:g} {unit}" + (f", cap {cap:g} {unit}" if cap is not None else "")
    return _each_period(source.with_data(found), wanted, "sum", said, always=True)


def _trend(source: Field, wanted: Wanted, covers: Accumulation) -> Aggregated:
    time = source.axes.time
    said = ""
    if wanted.every:
        found = periods.over_time(
            source.data,
            time,
            "mean",
            every=wanted.every,
            least_part=wanted.least_part,
            ends=covers.covers == "before",
        )
        source, said = source.with_data(found.data).noting(warnings=found.warnings), f"{found.said}; "
    step = time_axis(source.data, time).step
    if step and "year" not in step:
        cycle = (
            f"Values of each {step} may hold a seasonal cycle, which hides a trend and is none: "
            'every="year", or one season by select months'
        )
        source = source.noting(warnings=(cycle,))
    method = str(wanted.options.get("method", "theil_sen"))
    unit = str(source.data.attrs.get("units", "") or "1")
    if source.data.dims == (time,):
        one = trends.trend(source.data.compute(), time, method=method)
        return Aggregated(
            source.noting(warnings=one.warnings), source.data, said + one.method, _trend_values(one, unit)
        )
    if source.data.dims == ("region", time) or source.data.dims == (time, "region"):
        field_of = source.data.compute()
        values: list[Quantity] = []
        for label in field_of["region"].values[:20]:
            one = trends.trend(field_of.sel(region=label, drop=True), time, method=method)
            values += _trend_values(one, unit, str(label))
            source = source.noting(warnings=tuple(f"{label}: {each}" for each in one.warnings))
        return Aggregated(source, source.data, said + one.method, tuple(values))
    slopes = trends.slopes(source.data.chunk({time: -1}) if source.data.chunks else source.data, time)
    return Aggregated(
        source, slopes, f"{said}least-squares slope of each cell, per decade; no test of significance"
    )


def _trend_values(one: trends.Trend, unit: str, label: str = "") -> tuple[Quantity, ...]:
    per, note = f"{unit} per decade", label
    interval = f"95 % interval {one.low:.4g} to {one.high:.4g}"
    return (
        Quantity("trend", float(f"{one.slope:.6g}"), per, f"{label}, {interval}".removeprefix(", ")),
        Quantity("trend_low", float(f"{one.low:.6g}"), per, note),
        Quantity("trend_high", float(f"{one.high:.6g}"), per, note),
        Quantity("p", float(f"{one.p:.4g}"), "1", note),
        Quantity("n", one.n, "1", note),
        Quantity("lag1_autocorrelation", float(f"{one.lag1:.3g}"), "1", note),
    )
