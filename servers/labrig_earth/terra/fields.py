"""Group ensemble_verify, its fields: grids made alike, anomalies, means, spread, probabilities, confidence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.ensembles import statistics as ensemble
from labrig_earth.ensembles.members import (
    MEMBER,
    TIME,
    Members,
    X,
    Y,
    as_deviation,
    at_times_of,
    like,
    read_field,
    read_members,
    stem_of,
)
from labrig_earth.grids.regridding import regrid
from labrig_earth.grids.times import require_times
from labrig_earth.grids.units import DIFFERENCE
from labrig_earth.results import Result
from labrig_earth.terra.arguments import ensemble_verify as arguments
from labrig_earth.terra.payloads import make_result, number, ranges, write_netcdf
from labrig_earth.work.calls import Call


def harmonize_grid(call: Call, asked: arguments.HarmonizeGrid) -> Result:
    """Put fields of several files on one grid, in one convention of longitudes; nothing is extrapolated."""
    places = call.inputs.get("model_files", ())
    if not places:
        raise LabrigError("No file is given", where="model_files", expected="paths or handles")
    variable = asked.variable
    names = asked.names or [stem_of(place.name) for place in places]
    if len(names) != len(places) or len(set(names)) != len(names):
        raise LabrigError(
            f"{len(names)} names, {len(set(names))} different, for {len(places)} files",
            where="names",
            expected="a name of its own for each file",
        )
    longitudes, method = asked.lon_range, asked.interp_method
    sort = asked.sort_lats, asked.sort_lons
    sources = [read_field(place, variable) for place in places]
    variable = variable or str(sources[0].data.name)
    fields = [sort_axes(source.data, longitudes, sort) for source in sources]
    target, chosen = choose_target(call, asked, fields, longitudes, sort)
    artifacts, warnings = [], [each for source in sources for each in source.warnings]
    for name, source, field in zip(names, sources, fields, strict=True):
        data = accumulate(asked, field)
        found = regrid(data, target, method=method)
        data = sort_axes(transform(asked, found.data), "auto", sort)
        lost = int(data.isnull().sum())
        if lost:
            warnings.append(f"{name}: {lost} of {data.size} values are missing: nothing is extrapolated")
        history = f"{found.method}; {source.source}"
        path = write_netcdf(
            call, {variable: data}, f"{name}_{variable}_harmonized", history=history, source=source.source
        )
        artifacts.append(
            {
                "name": name,
                "path": path,
                **ranges(data),
                "source_grid": count_cells(field),
                "target_grid": count_cells(data),
                "lon_convention": longitudes,
            }
        )
    payload = {
        "artifacts": artifacts,
        "variable": variable,
        "grid": {**count_cells(target), "lon_convention": longitudes, "strategy": chosen},
        "accumulation": asked.accumulation or None,
        "accumulation_hours": asked.accumulation_hours or None,
        "transform": asked.transform or None,
    }
    files = tuple(str(each["path"]) for each in artifacts)
    return make_result(payload, method=f"{method} onto one grid", files=files, warnings=tuple(warnings))


def smooth_gaussian_field(call: Call, asked: arguments.SmoothGaussianField) -> Result:
    """Smooth a field by a Gaussian over latitude and longitude, whose width is in cells."""
    source = read_field(call.input("field_path"), asked.variable)
    data = source.data
    sigma, truncate, mode = asked.sigma_pixels, asked.truncate, asked.mode
    require_grid(data, source.source)
    if asked.drop_singleton_dims:
        alone = [dim for dim, size in data.sizes.items() if size == 1 and dim not in (Y, X)]
        data = data.isel(dict.fromkeys(alone, 0), drop=True)
    found = ensemble.smoothed(data, (Y, X), sigma=sigma, mode=mode, truncate=truncate)
    name = asked.output_variable or str(source.data.name)
    method = (
        f"Gaussian of {sigma:g} cells, edges {mode}, cut at {truncate:g} sigma; missing cells take no part"
    )
    path = write_netcdf(
        call, {name: found}, f"{stem_of(source.source)}_{name}_gauss", history=method, source=source.source
    )
    payload = {
        "output_path": path,
        "variable": name,
        "sigma_pixels": sigma,
        "mode": mode,
        "truncate": truncate,
        **ranges(found),
        "notes": "a cell is a cell of the grid, whatever its width in km",
    }
    return make_result(payload, method=method, files=(path,), warnings=source.warnings)


def anomaly_and_climo(call: Call, asked: arguments.AnomalyAndClimo) -> Result:
    """Subtract a climate from a field; its standard deviation goes into the same file, if it is given."""
    variable = asked.variable
    field = read_field(call.input("field_path"), asked.variable)
    mean = at_times_of(
        read_field(call.input("climo_mean_path"), asked.climo_mean_variable or variable).data,
        field.data,
        where="climo_mean_path",
    )
    name = asked.output_variable or f"{variable}_anomaly"
    anomaly = (field.data - mean).assign_attrs(describe_difference(field.data))
    fields = {name: anomaly}
    warnings = list(field.warnings)
    place = call.optional("climo_std_path")
    if place is not None:
        sigma = read_field(place, asked.climo_std_variable or variable).data
        fields["sigma_ref"] = at_times_of(as_deviation(sigma), field.data, where="climo_std_path")
    else:
        warnings.append(
            "No sigma_ref is written: climo_std_path was not given, and how the field itself varies is no climate"
        )
    if asked.emit_climo:
        fields["climatology"] = mean
    method = "field minus climate, cell by cell, by the month or day of the year where the climate has these"
    path = write_netcdf(call, fields, f"{stem_of(field.source)}_{name}", history=method, source=field.source)
    payload = {
        "output_path": path,
        "variable": name,
        "sigma_variable": "sigma_ref" if place is not None else None,
        "includes_climatology": "climatology" in fields,
        "source_field": field.source,
        **ranges(anomaly),
    }
    return make_result(payload, method=method, files=(path,), warnings=tuple(warnings))


def aggregate_ensemble(call: Call, asked: arguments.AggregateEnsemble) -> Result:
    """Mean of the members, weighted."""
    members = read_ensemble(call, asked, asked.variable_map, asked.coerce_time)
    weights = ensemble.checked_weights(asked.weights, len(members.names))
    found = ensemble.weighted_mean(members.data, weights).assign_attrs(members.data.attrs)
    name = asked.output_variable
    method = "weighted mean of members; missing where one is missing"
    path = write_with_members(call, {name: found}, name, method, members)
    shares = {each: number(weight) for each, weight in zip(members.names, weights, strict=True)}
    payload = {"output_path": path, "variable": name, "weights": shares, **ranges(found)}
    return answer_with_members(payload, method, path, members)


def ensemble_spread(call: Call, asked: arguments.EnsembleSpread) -> Result:
    """Weighted standard deviation of the members."""
    members = read_ensemble(call, asked, asked.variable_map, asked.coerce_time)
    weights = ensemble.checked_weights(asked.weights, len(members.names))
    name = asked.output_variable
    centre = None
    if call.optional("mean_path") is not None:
        mean = read_at_same_times(call.input("mean_path"), asked.mean_variable, asked.coerce_time)
        centre = like(mean, members.data.isel({MEMBER: 0}), where="mean_path")
    estimator = asked.estimator
    found = ensemble.weighted_spread(members.data, weights, centre=centre, estimator=estimator)
    found = found.assign_attrs(describe_difference(members.data))
    how = (
        "divided by the sum of weights"
        if estimator == "population"
        else "divided by M-1 (weights: 1 - sum w2)"
    )
    method = f"weighted standard deviation of members, {how}"
    path = write_with_members(call, {name: found}, name, method, members)
    payload = {"output_path": path, "variable": name, "estimator": estimator, **ranges(found)}
    return answer_with_members(payload, method, path, members)


def normalized_spread(call: Call, asked: arguments.NormalizedSpread) -> Result:
    """Spread over the standard deviation of the climate."""
    spread = read_field(call.input("spread_path"), asked.spread_variable)
    sigma = read_field(call.input("sigma_ref_path"), asked.sigma_variable)
    reference = at_times_of(as_deviation(sigma.data), spread.data, where="sigma_ref_path")
    epsilon = asked.epsilon
    found = ensemble.normalised(spread.data, reference, least=epsilon).assign_attrs({"units": "1"})
    name = asked.output_variable
    method = f"spread / sigma_ref, missing where sigma_ref is not above {epsilon:g}"
    path = write_netcdf(call, {name: found}, name, history=method, source=f"{spread.source}, {sigma.source}")
    payload = {"output_path": path, "variable": name, "epsilon": epsilon, **ranges(found)}
    warnings = (*spread.warnings, *sigma.warnings)
    return make_result(payload, method=method, files=(path,), warnings=warnings)


def event_probability(call: Call, asked: arguments.EventProbability) -> Result:
    """Probability of being at or above a threshold: the part of members, or by a normal distribution."""
    threshold, mode = asked.threshold, asked.mode
    members = read_ensemble(call, asked)
    warnings = list(members.warnings)
    low, high = float(members.data.min()), float(members.data.max())
    unit = str(members.data.attrs.get("units", ""))
    if not low <= threshold <= high:
        warnings.append(
            f"The threshold {threshold:g} lies outside of all values, {low:g} to {high:g} {unit}: is it in their unit?"
        )
    if mode == "votes":
        found = ensemble.votes(members.data, threshold)
        method = f"part of {len(members.names)} members at or above {threshold:g} {unit}"
    else:
        if call.optional("mean_path") is None or call.optional("spread_path") is None:
            raise LabrigError(
                "The mode gaussian needs a mean and a spread",
                where="mean_path, spread_path",
                try_="aggregate_ensemble and ensemble_spread make them",
            )
        first = members.data.isel({MEMBER: 0})
        mean = read_field(call.input("mean_path"), asked.mean_variable).data
        spread = read_field(call.input("spread_path"), asked.spread_variable).data
        mean, spread = (
            like(mean, first, where="mean_path"),
            like(as_deviation(spread), first, where="spread_path"),
        )
        least = asked.min_spread
        found = ensemble.gaussian_probability(mean, spread, threshold, least=least)
        method = f"normal distribution of mean and spread, at or above {threshold:g} {unit}; spread at least {least:g}"
    found = found.assign_attrs({"units": "1"})
    name = asked.output_variable
    path = write_with_members(call, {name: found}, name, method, members)
    payload = {"output_path": path, "variable": name, "threshold": threshold, "mode": mode, **ranges(found)}
    return make_result(
        payload, method=method, files=(path,), warnings=tuple(warnings), assumed=members.assumed
    )


def confidence_index(call: Call, asked: arguments.ConfidenceIndex) -> Result:
    """An index of confidence from 0 to 1: small spread against the climate, and members of one sign."""
    members = read_ensemble(call, asked, time=asked.coerce_time)
    first = members.data.isel({MEMBER: 0})
    if call.optional("normalized_spread_path") is not None:
        name = asked.normalized_variable
        normalised = like(
            read_at_same_times(call.input("normalized_spread_path"), name, asked.coerce_time),
            first,
            where="normalized_spread_path",
            units=False,
        )
    elif call.optional("spread_path") is not None and call.optional("sigma_ref_path") is not None:
        spread = read_at_same_times(call.input("spread_path"), asked.spread_variable, asked.coerce_time)
        sigma = read_at_same_times(call.input("sigma_ref_path"), asked.sigma_variable, asked.coerce_time)
        spread, sigma = as_deviation(spread), as_deviation(sigma)
        spread = like(spread, first, where="spread_path")
        normalised = ensemble.normalised(
            spread, at_times_of(sigma, spread, where="sigma_ref_path"), least=1e-6
        )
    else:
        raise LabrigError(
            "The spread is missing",
            where="normalized_spread_path",
            expected="normalized_spread_path, or spread_path and sigma_ref_path",
        )
    anomalies = None
    if call.optional("climo_mean_path") is not None:
        climate = read_at_same_times(call.input("climo_mean_path"), asked.climo_variable, asked.coerce_time)
        anomalies = members.data - at_times_of(climate, first, where="climo_mean_path")
    weight = asked.skill_weight
    found = ensemble.confidence(normalised, anomalies, skill_weight=weight).assign_attrs({"units": "1"})
    name = asked.output_variable
    signs = "" if anomalies is None else ", halved where anomalies of members differ in sign"
    method = f"{weight:g} * (1 - tanh(normalized spread)){signs}, within 0 to 1"
    path = write_with_members(call, {name: found}, name, method, members)
    payload = {"output_path": path, "variable": name, "skill_weight": weight, **ranges(found)}
    return answer_with_members(payload, method, path, members)


def read_ensemble(
    call: Call,
    asked: arguments.OfMembers,
    variable_map: Mapping[str, str] = MappingProxyType({}),
    time: str = "",
) -> Members:
    return read_members(
        call.inputs.get("member_paths", ()), asked.variable, variable_map=variable_map, time=time
    )


def read_at_same_times(place: Place, variable: str, time: str) -> Any:
    """Return a field, its times replaced as those of the members are."""
    members = read_members((place,), variable, time="")
    field = members.data.isel({MEMBER: 0}, drop=True) if members.data.sizes[MEMBER] == 1 else members.data
    if time and TIME in field.dims and field[TIME].dtype.kind == "M":
        field = read_members((place,), variable, time=time).data.isel({MEMBER: 0}, drop=True)
    return field


def answer_with_members(payload: dict[str, Any], method: str, path: str, members: Members) -> Result:
    return make_result(
        payload, method=method, files=(path,), warnings=members.warnings, assumed=members.assumed
    )


def write_with_members(call: Call, fields: dict[str, Any], name: str, method: str, members: Members) -> str:
    return write_netcdf(call, fields, name, history=method, source=", ".join(members.names)[:500])


def describe_difference(data: Any) -> dict[str, Any]:
    """Return the attributes of a difference of such values: their unit, as one of differences."""
    unit = str(data.attrs.get("units", ""))
    return {"units": unit, DIFFERENCE: 1} if unit else {}


def require_grid(data: Any, source: str) -> None:
    if Y not in data.dims or X not in data.dims:
        raise LabrigError("The field is on no grid of latitudes and longitudes", where=source)


def sort_axes(data: Any, longitudes: str, sort: tuple[bool, bool]) -> Any:
    require_grid(data, str(data.name))
    if longitudes != "auto":
        values = np.asarray(data[X].values, "f8")
        turned = (values + 180) % 360 - 180 if longitudes == "-180:180" else values % 360
        data = data.assign_coords({X: (X, turned, data[X].attrs)})
    if sort[0]:
        data = data.sortby(Y, ascending=False)
    return data.sortby(X) if sort[1] else data


def choose_target(
    call: Call, asked: arguments.HarmonizeGrid, fields: list[Any], longitudes: str, sort: tuple[bool, bool]
) -> tuple[Any, str]:
    """Return the grid that all are put on, and how it was chosen."""
    import xarray as xr

    wanted = asked.target_latitudes, asked.target_longitudes
    place = call.optional("target_grid_path")
    if place is not None and any(wanted):
        raise LabrigError(
            "Both a grid to imitate and coordinates are given",
            where="target_grid_path",
            expected="one of them",
        )
    if bool(wanted[0]) != bool(wanted[1]):
        raise LabrigError(
            "Only one of the two axes of the target is given",
            where="target_latitudes, target_longitudes",
            expected="both, or none",
        )
    if wanted[0]:
        for name, values, most in (
            ("target_latitudes", wanted[0], 90),
            ("target_longitudes", wanted[1], 360),
        ):
            if max(map(abs, values)) > most or len(set(values)) != len(values):
                raise LabrigError(
                    "These are no coordinates in degrees, each once", where=name, expected=f"within +-{most}"
                )
        y, x, chosen = np.asarray(wanted[0], "f8"), np.asarray(wanted[1], "f8"), "given"
    else:
        if place is not None:
            from labrig_earth.grids.reading import opened
            from labrig_earth.grids.regridding import grid_of

            grid, chosen = grid_of(opened(place).data), "target_grid_path"
        else:
            chosen = asked.target_grid_strategy
            steps = [max(mean_step(field, Y), mean_step(field, X)) for field in fields]
            number_of_it = {"first": 0, "coarsest": int(np.argmax(steps)), "finest": int(np.argmin(steps))}[
                chosen
            ]
            grid = fields[number_of_it]
        y, x = np.asarray(grid["latitude"].values, "f8"), np.asarray(grid["longitude"].values, "f8")
    made = xr.DataArray(np.zeros((y.size, x.size)), {Y: y, X: x}, (Y, X), "target")
    made = sort_axes(made, longitudes, sort)
    about = {Y: "degrees_north", X: "degrees_east"}
    return xr.Dataset(coords={dim: (dim, made[dim].values, {"units": about[dim]}) for dim in (Y, X)}), chosen


def mean_step(field: Any, dim: str) -> float:
    values = np.asarray(field[dim].values, "f8")
    return float(np.abs(np.diff(values)).mean()) if values.size > 1 else 0.0


def count_cells(grid: Any) -> dict[str, int]:
    return {"lat_count": int(grid.sizes[Y]), "lon_count": int(grid.sizes[X])}


def accumulate(asked: arguments.HarmonizeGrid, data: Any) -> Any:
    """Return sums, means or maxima over all times, or over windows of hours; a window that is not full is missing."""
    kind = asked.accumulation
    if not kind:
        if asked.accumulation_hours:
            raise LabrigError(
                "What is to be done over these hours?", where="accumulation", expected="sum, mean or max"
            )
        return data
    axis = require_times(data, TIME if TIME in data.dims else "")
    if not asked.accumulation_hours:
        return getattr(data, kind)(TIME, skipna=False, keep_attrs=True)
    hours = asked.accumulation_hours
    steps = np.diff(axis.values) / np.timedelta64(1, "h")
    if not steps.size or not np.allclose(steps, steps[0]) or (hours / steps[0]) % 1:
        raise LabrigError(
            "The steps of the data do not fill such windows evenly",
            where=f"accumulation_hours {hours}",
            expected="a multiple of one even step",
        )
    many = round(hours / float(steps[0]))
    if many > axis.size:
        raise LabrigError(
            f"The data have {axis.size} steps, a window needs {many}", where="accumulation_hours"
        )
    windows = data.isel({TIME: slice(0, axis.size // many * many)}).coarsen({TIME: many}, coord_func="min")
    return getattr(windows, kind)(skipna=False).assign_attrs(data.attrs)


def transform(asked: arguments.HarmonizeGrid, data: Any) -> Any:
    if not asked.transform:
        return data
    kind = asked.transform
    least = float(data.min())
    bad = (
        least <= 0
        if kind == "log"
        else least < (0 if kind == "sqrt" else -1) or (kind == "log1p" and least == -1)
    )
    if bad:
        raise LabrigError(
            f"{kind} of values from {least:g} on does not exist",
            where="transform",
            expected="values above zero" if kind == "log" else "values that are not negative",
        )
    return getattr(np, kind)(data).assign_attrs({"long_name": f"{kind} of {data.name}"})
