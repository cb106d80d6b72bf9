"""Inputs of heat and health out of gridded data: hours of weather, people, an exposure; by ``make_input``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig.tables.writing import csv_text
from labrig_earth.gis.features import read_features
from labrig_earth.grids.reading import readable, variable
from labrig_earth.grids.zonal import zonal_statistics
from labrig_earth.impact.health.burden import read_groups
from labrig_earth.impact.health.stress import FLUXES, read_stress
from labrig_earth.impact.sampling import Sample, fields_of, labels_of, point_of, sampled, source_of
from labrig_earth.results import Result
from labrig_earth.work.arguments import mapping_of
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields

NETS = {"solar_net_w_m2": "solar_up_w_m2", "thermal_net_w_m2": "thermal_up_w_m2"}
"""Net fluxes (downwards), and the upward ones that follow from them."""

ROLES: Mapping[str, tuple[str, ...]] = {
    "tair_c": ("degC",),
    "dew_point_c": ("degC",),
    "rh_pct": ("percent",),
    "wind_10m_m_s": ("m/s",),
    "u10": ("m/s",),
    "v10": ("m/s",),
    "tmrt_c": ("degC",),
    **dict.fromkeys((*FLUXES, *NETS), ("W/m2", "J/m2")),
}
"""What may be taken from a variable, and in which units; J/m2 is summed over the step that ends."""

DUST_W_M2 = 1.0
COUNTS = ("", "1", "people", "persons", "person", "inhabitants", "count")
STATISTICS = ("mean", "max")
HOUR_S = 3600


def make_met(call: Call) -> Result:
    """Write ``met.csv`` for ``impact_health_utci``.

    Arguments: ``point``, ``variables`` (names by `ROLES`), ``options``: ``start``, ``end``. Times of the data are UTC.
    """
    named = mapping_of(call, "variables")
    for role in named:
        if role not in ROLES:
            raise unknown_name("column", role, ROLES, where="variables")
    part = _part(call)
    fields, point = fields_of(call), point_of(call)
    samples = {
        role: sampled(fields, str(name), role, point, ROLES[role], part=part) for role, name in named.items()
    }
    if not samples:
        raise LabrigError("No variable is named", where="variables", expected=", ".join(ROLES))
    first = next(iter(samples.values()))
    step_s = _step_of(samples)
    notes = [each.note for each in samples.values()]
    columns = {role: _per_second(each, step_s) for role, each in samples.items()}
    notes += _settled(columns)
    if "tmrt_c" not in columns:
        columns["latitude"] = np.full(len(first.values), round(first.latitude, 6))
        columns["longitude"] = np.full(len(first.values), round((first.longitude + 180) % 360 - 180, 6))
    rows = (
        (f"{stamp}Z", *(f"{values[row]:.6g}" for values in columns.values()))
        for row, stamp in enumerate(first.coordinate)
    )
    content = csv_text(("time", *columns), rows).encode()
    found = read_stress(content, "met.csv")  # whatever a run would refuse is refused now
    (call.scratch / "met.csv").write_bytes(content)
    return Result(
        method=f"nearest cell at {point[0]:g}, {point[1]:g} (latitude, longitude), each step",
        values=(
            Quantity("rows", len(first.values), "1"),
            Quantity("step", step_s / HOUR_S, "h"),
            Quantity("mean of tair_c", round(float(found.air_c.mean()), 3), "degC"),
            Quantity("maximum of tair_c", round(float(found.air_c.max()), 3), "degC"),
        ),
        data={
            "start": f"{first.coordinate[0]}Z",
            "end": f"{first.coordinate[-1]}Z",
            "columns": list(columns),
        },
        assumed=(*notes, "times of the data are UTC, and sums are over the step that ends at them"),
        warnings=labels_of(fields),
        source=", ".join(dict.fromkeys(field.source for field in fields)),
        files=("met.csv",),
    )


def _part(call: Call, *more: str) -> dict[str, str]:
    """Return start and end among the options; `more` are further names that the caller reads itself."""
    asked = Fields(mapping_of(call, "options"), "options")
    part = {name: asked.text(name) for name in ("start", "end") if asked.has(name)}
    for name in more:
        asked.has(name)
    asked.require_all_known()
    return part


def _step_of(samples: Mapping[str, Sample]) -> int:
    """Return the step of all samples, s, after a look at their times."""
    first = next(iter(samples.values()))
    for role, each in samples.items():
        if not np.issubdtype(each.coordinate.dtype, np.datetime64):
            raise LabrigError(f"{role} has {each.axis}", where=f"variables, {role}", expected="a time axis")
        if not np.array_equal(each.coordinate, first.coordinate):
            raise LabrigError(
                f"{role} has other times than the variables before it", where=f"variables, {role}"
            )
    steps = np.diff(first.coordinate).astype(int)
    if not len(steps) or steps.min() != steps.max():
        raise LabrigError("Times are no even steps", where=first.axis, expected="every hour, at least two")
    return int(steps[0])


def _per_second(sample: Sample, step_s: int) -> NDArray[np.float64]:
    return sample.values / step_s if sample.unit == "J/m2" else sample.values


def _settled(columns: dict[str, NDArray[np.float64]]) -> list[str]:
    """Make of winds and net fluxes what a run takes, in place; return what was assumed."""
    notes = []
    u, v = columns.pop("u10", None), columns.pop("v10", None)
    if (u is None) != (v is None) or (u is not None and "wind_10m_m_s" in columns):
        raise LabrigError(
            "The wind is named in part, or twice", where="variables", expected="u10 and v10, or wind"
        )
    if u is not None and v is not None:
        columns["wind_10m_m_s"] = np.hypot(u, v)
        notes.append("wind_10m_m_s: of u10 and v10")
    for net, up in NETS.items():
        if net not in columns:
            continue
        down = up.replace("_up_", "_down_")
        if down not in columns or up in columns:
            raise LabrigError(
                f"{net} is named without {down}, or beside {up}",
                where="variables",
                expected=f"{down} and {net}",
            )
        columns[up] = columns[down] - columns.pop(net)
        notes.append(f"{up}: {down} less {net}")
    for name in FLUXES:
        values = columns.get(name)
        if values is not None and -DUST_W_M2 < values.min() < 0:
            notes.append(
                f"{name}: {int((values < 0).sum())} values between -{DUST_W_M2:g} and 0 W/m2 taken as 0"
            )
            columns[name] = np.maximum(values, 0.0)
    return notes


def make_population(call: Call) -> Result:
    """Write ``people.csv`` for ``impact_health_erf``: the sum of a grid of people, in all or by zone.

    Inputs: ``data`` (one grid), ``zones`` (polygons, or none). Arguments: ``variables`` (``persons``), ``options``:
    ``names`` (column of the zones that names them), ``layer``.
    """
    named = mapping_of(call, "variables")
    for role in named:
        if role != "persons":
            raise unknown_name("column", role, ("persons",), where="variables")
    asked = Fields(mapping_of(call, "options"), "options")
    names, layer = asked.text("names", ""), asked.text("layer", "")
    asked.require_all_known()
    fields = fields_of(call)
    source = source_of(fields, str(named["persons"]), "persons") if named else fields[0]
    source = readable(variable(source, str(named.get("persons", ""))))
    data = source.data.squeeze(drop=True)
    unit = str(data.attrs.get("units", ""))
    if unit not in COUNTS:
        raise LabrigError(
            f"The grid is in {unit!r}",
            where="data",
            expected="people in each cell",
            try_="multiply a density by the area of a cell with derive_variable first",
        )
    places = call.inputs.get("zones", ())
    warnings: Sequence[str] = ()
    if places:
        shapes = read_features(places[0], layer=layer)
        found = zonal_statistics(data, shapes.frame, ["sum"], names=names)
        rows = [(str(row["region"]), float(row["sum"])) for row in found.table.to_dict("records")]
        warnings = (*shapes.warnings, *found.warnings)
        method = f"sum of cells in each of {len(rows)} zones, parts of cells by their area; {found.method}"
    else:
        rows = [("all", float(np.nansum(data.values)))]
        method = "sum of all cells"
    empty = [name for name, persons in rows if not persons > 0]
    people = ((name, f"{persons:.6g}") for name, persons in rows if persons > 0)
    content = csv_text(("group", "persons"), people).encode()
    groups = read_groups(content, "people.csv")  # whatever a run would refuse is refused now
    (call.scratch / "people.csv").write_bytes(content)
    return Result(
        method=method,
        values=tuple(Quantity(f"persons, {each.name}", each.persons, "persons") for each in groups[:20]),
        data={"groups": len(groups)},
        assumed=(f"left out, since nobody is in them: {', '.join(empty[:10])}",) if empty else (),
        warnings=(*labels_of(fields), *warnings),
        source=", ".join([source.source, *(place.name for place in places)]),
        files=("people.csv",),
    )


def make_exposure(call: Call) -> Result:
    """Write ``exposure.csv`` for ``impact_health_erf``: a value a day at a place.

    Arguments: ``point``, ``variables`` (one: the column, and the variable), ``options``: ``unit`` (as the file has it
    by default), ``statistic`` (mean or max of a day), ``start``, ``end``. Days are those of the data's clock.
    """
    named = mapping_of(call, "variables")
    if len(named) != 1:
        raise LabrigError(f"{len(named)} variables are named", where="variables", expected="one exposure")
    ((column, name),) = named.items()
    if not column.isidentifier() or column in ("date", "cases"):
        raise LabrigError(
            f"{column!r} is no name of a column",
            where="variables",
            expected="letters, digits and _, such as pm25",
        )
    asked = Fields(mapping_of(call, "options"), "options")
    part = _part(call, "unit", "statistic")
    statistic = asked.choice("statistic", STATISTICS, "mean")
    fields, point = fields_of(call), point_of(call)
    held = source_of(fields, str(name), column).data[str(name)].attrs.get("units", "")
    unit = asked.text("unit", str(held))
    found = sampled(fields, str(name), column, point, (unit,), part=part)
    step_s = _step_of({column: found})
    days = found.coordinate.astype("datetime64[D]")
    each, counts = np.unique(days, return_counts=True)
    if len(set(counts.tolist())) != 1 or step_s * counts[0] != 86_400:
        raise LabrigError(
            f"Days have {counts.min()} to {counts.max()} values of {step_s / HOUR_S:g} h",
            where="options, start and end",
            expected="whole days",
        )
    by_day = found.values.reshape(len(each), -1)
    values = by_day.mean(axis=1) if statistic == "mean" else by_day.max(axis=1)
    rows = ((day, f"{value:.6g}") for day, value in zip(each, values, strict=True))
    (call.scratch / "exposure.csv").write_text(csv_text(("date", column), rows), encoding="utf-8")
    return Result(
        method=f"nearest cell at {point[0]:g}, {point[1]:g} (latitude, longitude), {statistic} of each day",
        values=(
            Quantity("days", len(each), "days"),
            Quantity(f"mean of {column}", round(float(values.mean()), 4), unit),
            Quantity(f"maximum of {column}", round(float(values.max()), 4), unit),
        ),
        data={"start": str(each[0]), "end": str(each[-1]), "column": column},
        assumed=(
            found.note,
            "days by the clock of the data (UTC where they are UTC); one cell stands for all people",
        ),
        warnings=labels_of(fields),
        source=", ".join(dict.fromkeys(field.source for field in fields)),
        files=("exposure.csv",),
    )
