"""Group era5_obs, over time: normals of months, events beyond a threshold, windows; files of the store."""

from __future__ import annotations

import re
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.opening import open_dataset
from labrig_earth.ensembles.members import TIME, read_field, stem_of
from labrig_earth.grids import spells
from labrig_earth.grids.doubts import sum_doubt
from labrig_earth.grids.normals import monthly_normals
from labrig_earth.grids.periods import Periods, of_windows, over_time
from labrig_earth.grids.reading import Field, in_time, opened
from labrig_earth.grids.times import iso, moment_before, require_times, select_range
from labrig_earth.grids.units import convert
from labrig_earth.results import Result
from labrig_earth.terra.arguments import era5_obs as arguments
from labrig_earth.terra.payloads import make_result, number, ranges, safe, write_netcdf
from labrig_earth.work.arguments import text_of
from labrig_earth.work.calls import Call

COMPARED = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}
IN_NAMES = {">": "gt", ">=": "ge", "<": "lt", "<=": "le"}
AGGREGATES = ("sum", "mean", "max", "min", "median")
HOURS = {"h": 1.0, "hour": 1.0, "hours": 1.0, "d": 24.0, "day": 24.0, "days": 24.0}
PERIODS = {
    **dict.fromkeys(("m", "ms", "me", "month"), "month"),
    **dict.fromkeys(("y", "ys", "ye", "a", "as", "year"), "year"),
    **dict.fromkeys(("qs-dec", "q-nov", "qe-nov", "season"), "season"),
}
LENGTHS = "such as 6h, 1D, 5D, MS (months), YS (years), QS-DEC (seasons)"
_LENGTH = re.compile(r"(\d{0,4})\s*([A-Za-z]{1,8}(?:-[A-Za-z]{3})?)")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


def build_era5_climatology(call: Call, asked: arguments.BuildEra5Climatology) -> Result:
    """Give mean and standard deviation of each month of the year over a range of years."""
    source, ends, (start, end), times = read_years(call, asked)
    found = monthly_normals(source.data, TIME, of=asked.std_of, ends=ends)
    name = asked.variable
    fields = {f"{name}_climatology_mean": found.mean, f"{name}_climatology_std": found.deviation}
    stem = f"{stem_of(source.source)}_climo_{start}_{end}"
    path = write_netcdf(call, fields, stem, history=found.said, source=source.source)
    payload = {
        "output_path": path,
        "variable": name,
        "time_coord": times,
        "years": {"start": start, "end": end},
        "stats": ["monthly_mean", "monthly_std"],
        "years_used": {"first": found.years[0], "last": found.years[-1], "count": len(found.years)},
        "months": [int(each) for each in found.mean["month"].values],
        "units": str(source.data.attrs.get("units", "")),
        "mean": [number(each) for each in found.mean.mean([d for d in found.mean.dims if d != "month"])],
    }
    warnings = (*source.warnings, *found.warnings)
    lacking = sorted(set(range(1, 13)) - set(payload["months"]))
    if lacking:
        warnings = (*warnings, f"The data have no month {', '.join(map(str, lacking))}")
    return make_result(payload, method=found.said, files=(path,), warnings=warnings, assumed=source.assumed)


def count_era5_events(call: Call, asked: arguments.CountEra5Events) -> Result:
    """Count the steps at which values are beyond a threshold, by cell and by year."""
    sign, threshold = asked.comparison, asked.threshold
    source, ends, (start, end), times = read_years(call, asked)
    data, own = source.data, str(source.data.attrs.get("units", "")).strip()
    unit = asked.threshold_units
    if unit and not own:
        raise LabrigError(
            f"{data.name} states no unit", where="threshold_units", try_="threshold_units left out"
        )
    limit = float(convert(threshold, unit, own)[0]) if unit and unit != own else threshold
    hits = spells.beyond(data, limit, COMPARED[sign])
    counts = hits.sum(TIME, min_count=1).assign_attrs(
        units="1", long_name=f"steps {sign} {threshold:g} {unit or own}"
    )
    axis = require_times(hits, TIME)
    years = (axis.copy(data=moment_before(axis.values)) if ends else axis).dt.year.values
    others = [dim for dim in hits.dims if dim != TIME]
    by_year = hits.sum(others).assign_coords(year=(TIME, years)).groupby("year").sum(TIME)
    known = int(hits.notnull().sum())
    warnings = list(source.warnings)
    if known < hits.size:
        warnings.append(
            f"{hits.size - known} of {hits.size} values are missing: they are no events, nor counted as none"
        )
    low, high = float(data.min()), float(data.max())
    if not low <= limit <= high:
        warnings.append(
            f"The threshold {limit:g} lies outside of all values, {low:g} to {high:g} {own}: is it in their unit?"
        )
    name = asked.variable
    stem = f"{stem_of(source.source)}_events_{IN_NAMES[sign]}_{threshold:g}_{start}_{end}"
    said = f"steps at which {name} is {sign} {limit:g} {own}".strip()
    path = write_netcdf(call, {f"{name}_event_count": counts}, safe(stem), history=said, source=source.source)
    payload = {
        "output_path": path,
        "variable": name,
        "time_coord": times,
        "years": {"start": start, "end": end},
        "comparison": sign,
        "threshold": threshold,
        "total_events": int(hits.sum()),
        "yearly_counts": {
            str(int(year)): int(count)
            for year, count in zip(by_year["year"].values, by_year.values, strict=True)
        },
        "counted": "steps times cells",
        "values": known,
        "most_in_a_cell": int(counts.max()),
    }
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings), assumed=source.assumed)


def temporal_aggregate(call: Call, asked: arguments.TemporalAggregate) -> Result:
    """Aggregate variables over windows of time, each by its rule."""
    place, rules = call.input("netcdf_path"), asked.spec
    if not rules:
        raise LabrigError("No variable is named", where="spec", expected='{"t2m": "1D:max"}')
    parsed = {name: read_rule(name, rule) for name, rule in rules.items()}
    if len({length.casefold() for length, _ in parsed.values()}) > 1:
        raise LabrigError(
            "The rules have different lengths, whose times do not fit into one file",
            where="spec",
            expected="one length",
            try_="a call for each length",
        )
    offset = read_clock(asked.align)
    fields: dict[str, Any] = {}
    said, warnings, assumed = "", [], []
    for name, (length, statistic) in parsed.items():
        source = put_on_time(read_field(place, name, where="spec"), "")
        source, covers = in_time(source)
        found = aggregate_windows(source.data, length, statistic, offset, ends=covers.covers == "before")
        said = found.said.replace(statistic, "aggregate", 1)
        warnings += [*source.warnings, *(f"{name}: {each}" for each in found.warnings)]
        if statistic == "sum" and (doubt := sum_doubt(source.data.attrs, "time")):
            warnings.append(f"{name}: {doubt}")
        assumed += [f"{name}: {each}" for each in source.assumed]
        fields[f"{name}_{length}_{statistic}"] = found.data
    path = write_netcdf(call, fields, "temporal_aggregate", history=said, source=place.name)
    times = next(iter(fields.values()))[TIME].values
    payload = {
        "output_path": path,
        "variables": {name: str(tuple(each.shape)) for name, each in fields.items()},
        "align": asked.align,
        "source": place.name,
        "times": {"count": int(times.size), "first": iso(times[0]), "last": iso(times[-1])},
        "ranges": {name: ranges(each) for name, each in fields.items()},
    }
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings), assumed=tuple(assumed))


def fetch_era5(call: Call) -> Result:
    """Look at a file of the store; cut it to a window of time, and splice its runs, where that is needed."""
    place = call.input("file")
    start, end = text_of(call, "start"), text_of(call, "end")
    spliced = "expver" in open_dataset(place).dims
    source = opened(place)
    data, time = source.data, source.axes.time
    path = ""
    if start:
        data = select_range(data, time, start, end)
    if start or spliced:
        fields = {str(name): data[name] for name in data.data_vars if data[name].dtype.kind in "fiu"}
        said = "; ".join([*source.done, *([f"cut to {start} to {end}"] if start else [])])
        path = write_netcdf(call, fields, f"{stem_of(place.name)}_cut", history=said, source=place.name)
    coords: dict[str, Any] = {"grid": source.grid}
    if time:
        times = data[time].values.reshape(-1)
        coords |= {
            "time_name": time,
            "n_time": int(times.size),
            "first": iso(times[0]),
            "last": iso(times[-1]),
        }
    if source.axes.y in data.coords:
        latitudes = data[source.axes.y]
        coords["lat_desc"] = (
            f"{float(latitudes.max()):.2f}..{float(latitudes.min()):.2f} (n={latitudes.size})"
        )
    payload = {"coords": coords, "path": path, "variables": [str(name) for name in data.data_vars]}
    files = (path,) if path else ()
    return make_result(payload, method="; ".join(source.done), files=files, warnings=source.warnings)


def put_on_time(field: Field, wanted: str) -> Field:
    """Return a field over ``time``, whichever axis holds its times; LabrigError for one without."""
    data, own = field.data, field.axes.time
    if wanted and wanted not in (own, TIME):
        if wanted not in data.dims or TIME in data.dims:
            raise LabrigError(
                f"There is no time coordinate {wanted}",
                where=f"time_coord of {field.source}",
                expected=own or ", ".join(map(str, data.dims)),
                code="not_found",
            )
        data = data.rename({wanted: TIME})
    require_times(data, TIME if TIME in data.dims else "")
    return field.with_data(data)


def read_years(
    call: Call, asked: arguments.BuildEra5Climatology | arguments.CountEra5Events
) -> tuple[Field, bool, tuple[int, int], str]:
    """Return a variable over a range of years, whether values end at their times, the years, the name of times."""
    start, end = asked.start_year, asked.end_year
    if end < start:
        raise LabrigError(
            f"The years go from {start} to {end}",
            where="start_year, end_year",
            expected="the first year first",
            try_=f"start_year={end}, end_year={start}",
        )
    field = read_field(call.input("data_path"), asked.variable)
    source, covers = in_time(put_on_time(field, asked.time_coord))
    ends = covers.covers == "before"
    data = select_range(source.data, TIME, f"{start:04d}", f"{end:04d}", ends=ends)
    if not bool(data.notnull().any()):
        raise LabrigError(f"Every value from {start} to {end} is missing", where=field.source)
    axis = require_times(data, TIME)
    years = (axis.copy(data=moment_before(axis.values)) if ends else axis).dt.year.values
    if years.min() > start or years.max() < end:
        source = source.noting(
            warnings=(f"The data have {years.min()} to {years.max()} of {start} to {end}",)
        )
    source = source.with_data(data)
    return source, ends, (start, end), asked.time_coord or field.axes.time


def read_rule(name: str, rule: Any) -> tuple[str, str]:
    """Return length and statistic of a rule such as ``1D:max``."""
    length, _, statistic = rule.partition(":") if isinstance(rule, str) else ("", "", "")
    length, statistic = length.strip(), statistic.strip()
    if not length or not statistic:
        raise LabrigError(
            f"The rule of {name} is {rule!r:.60}",
            where="spec",
            expected="LENGTH:STATISTIC",
            try_=f'"{name}": "1D:max"',
        )
    if statistic not in AGGREGATES:
        raise unknown_name("statistic", statistic, AGGREGATES, where=f"spec, {name}")
    return length, statistic


def aggregate_windows(data: Any, length: str, statistic: str, offset: float, *, ends: bool) -> Periods:
    found = _LENGTH.fullmatch(length)
    count, unit = (int(found.group(1) or 1), found.group(2).casefold()) if found else (0, "")
    if unit in HOURS and count >= 1:
        return of_windows(data, TIME, statistic, hours=count * HOURS[unit], offset_h=offset, ends=ends)
    if unit in PERIODS and count == 1:
        if offset:
            raise LabrigError(f"{length} begins on the first day at 00:00", where="align", expected="00:00")
        return over_time(data, TIME, statistic, every=PERIODS[unit], ends=ends)
    raise LabrigError(f"There are no windows of {length[:40]!r}", where="spec", expected=LENGTHS)


def read_clock(text: str) -> float:
    """Return hours after midnight of a text such as ``06:00`` or ``6h``; 0 for none."""
    given = text.strip()
    clock, hours = _CLOCK.fullmatch(given), re.fullmatch(r"(\d{1,2})\s*[hH]", given)
    if not given:
        return 0.0
    if clock and int(clock.group(2)) < 60 and int(clock.group(3) or 0) < 60:
        return int(clock.group(1)) + int(clock.group(2)) / 60 + int(clock.group(3) or 0) / 3600
    if hours:
        return float(hours.group(1))
    raise LabrigError(f"{given[:40]!r} is no time of the day", where="align", expected="such as 06:00 or 6h")
