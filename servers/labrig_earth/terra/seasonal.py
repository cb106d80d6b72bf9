"""Group seasonal: files made alike, seasons, categories and blends of them, anomalies from the model's climate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.formats import Place
from labrig_earth.ensembles.members import MEMBER, TIME, Y, like, read_members, stem_of
from labrig_earth.grids.reading import opened
from labrig_earth.grids.times import iso
from labrig_earth.grids.units import DIFFERENCE, convert
from labrig_earth.results import Result
from labrig_earth.seasonal import categories
from labrig_earth.seasonal.hindcasts import (
    START,
    calendar_months,
    has_cells,
    in_order,
    named,
    read_seasonal,
    years_axis,
)
from labrig_earth.seasonal.seasons import season_of, season_values
from labrig_earth.terra.arguments import seasonal as arguments
from labrig_earth.terra.payloads import make_result, number, ranges, safe, write_netcdf
from labrig_earth.terra.seasonal_files import describing, probabilities_of, variables_of
from labrig_earth.verification.emos import LEAST_YEARS, require_years
from labrig_earth.work.calls import Call

LOWER, UPPER = "tercile_lower", "tercile_upper"


def standardize_seasonal_files(call: Call, asked: arguments.StandardizeSeasonalFiles) -> Result:
    """Give files one form: axes by their usual names, north first, names and units as wanted."""
    places = call.inputs.get("paths", ())
    if not places:
        raise LabrigError("No file is given", where="paths", expected="paths or handles")
    units, renamed = asked.unit_map, asked.rename_map
    require_texts(units, "unit_map")
    require_texts(renamed, "rename_map")
    stems = [safe(stem_of(place.name)) for place in places]
    if len(set(stems)) < len(stems):
        raise LabrigError("Two files have one name, and would be written over each other", where="paths")
    files: list[str] = []
    about: list[dict[str, Any]] = []
    warnings: list[str] = []
    for place, stem in zip(places, stems, strict=True):
        data = opened(place).data
        names = [str(name) for name in data.data_vars if str(name) not in describing(data)]
        for old in renamed:
            if old not in names:
                raise unknown_name("variable", old, names, where=f"rename_map of {place.name}")
        new_names = [renamed.get(name, name) for name in names]
        if len(set(new_names)) < len(new_names):
            raise LabrigError("Two variables would have one name", where="rename_map")
        for name in units:
            if name not in new_names:
                raise unknown_name("variable", name, new_names, where=f"unit_map of {place.name}")
        fields = {}
        for name, new in zip(names, new_names, strict=True):
            source = read_seasonal(place, name)
            warnings += source.warnings
            field = source.data
            if has_cells(field):
                field = field.sortby(Y, ascending=False)
            if new in units:
                stated = str(field.attrs.get("units", "")).strip()
                if not stated:
                    raise LabrigError("It states no unit to convert from", where=f"{name} of {place.name}")
                field = convert(field, stated, units[new])[0]
            fields[new] = field
        files.append(
            write_netcdf(call, fields, stem, history="axes, names and units made alike", source=place.name)
        )
        about.append(
            {
                "path": files[-1],
                "variables": {name: str(field.attrs.get("units", "")) for name, field in fields.items()},
                "dims": {
                    str(dim): int(size) for field in fields.values() for dim, size in field.sizes.items()
                },
            }
        )
    method = "axes named start, lead, member, latitude, longitude; north first; units converted"
    return make_result(
        {"files": files, "about": about}, method=method, files=tuple(files), warnings=tuple(warnings)
    )


def aggregate_to_season(call: Call, asked: arguments.AggregateToSeason) -> Result:
    """Make one value of the three months of a season, for each year, with the time of the season."""
    place = call.input("path")
    name, first = season_of(asked.season_def)
    statistic, centre = asked.agg, asked.center_on
    variables = [asked.variable] if asked.variable else variables_of(place)
    fields: dict[str, Any] = {}
    warnings: list[str] = []
    lacking = 0
    for variable in variables:
        source = read_seasonal(place, variable)
        warnings += source.warnings
        found, lacking = season_values(
            source.data, first, statistic=statistic, centre=centre, where=place.name
        )
        fields[str(source.data.name)] = found
        unit = str(found.attrs.get("units", ""))
        if statistic == "sum" and (unit in ("K", "degC") or unit.replace(" ", "").endswith(("s-1", "/s"))):
            warnings.append(f"{variable} is in {unit}: a sum of months of it is no total")
    if lacking:
        warnings.append(f"{lacking} starts or years lack a month of the season and are left out")
    weighted = "mean of the months by their days" if statistic == "mean" else "sum of the months"
    said = f"{name}: {weighted}; the time is the {centre.replace('_', ' ')}'s first day"
    path = write_netcdf(call, fields, "seasonal_agg", history=said, source=place.name)
    one = next(iter(fields.values()))
    times = one[TIME].values
    payload = {
        "output_path": path,
        "season": name,
        "aggregation": statistic,
        "variables": sorted(fields),
        "seasons": int(times.size),
        "first": iso(times[0]),
        "last": iso(times[-1]),
        **ranges(one),
    }
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings))


def category_probabilities(call: Call, asked: arguments.CategoryProbabilities) -> Result:
    """Give the shares of members below, between and above the terciles of a climate."""
    variable = asked.variable
    names = asked.category_names or ["below", "normal", "above"]
    if len(names) != 3 or len(set(names)) != 3:
        raise LabrigError("Three names are needed, all different", where="category_names")
    members = read_members(call.inputs.get("member_paths", ()), variable)
    warnings = list(members.warnings)
    if len(members.names) < 2:
        raise LabrigError(
            "An ensemble of one gives no probabilities", where="member_paths", expected="two or more"
        )
    stacked = named(members.data, "member_paths")
    lower, upper, whence = read_terciles(call.input("terciles_path"), variable)
    first = stacked.isel({MEMBER: 0}, drop=True)
    lower, upper = (like(each, first, where="terciles_path") for each in (lower, upper))
    found = categories.probabilities(stacked, lower, upper)
    said = f"shares of {len(members.names)} members below, between and above the terciles of {whence}"
    kept = {
        **{name: in_order(each) for name, each in found.items()},
        LOWER: lower.assign_attrs(units=first.attrs.get("units", "")),
        UPPER: upper.assign_attrs(units=first.attrs.get("units", "")),
    }
    path = write_netcdf(call, kept, "category_probs", history=said, source=", ".join(members.names)[:500])
    if all(float(each.max()) - float(each.min()) < 1e-9 and float(each.max()) in (0.0, 1.0)
           for each in found.values()):  # fmt: skip
        low, high = number(lower.min()), number(upper.max())
        warnings.append(
            f"All members are in one category everywhere: terciles go from {low} to {high}, values from "
            f"{number(stacked.min())} to {number(stacked.max())}; a forecast with its bias?"
        )
    payload = {
        "output_path": path,
        "categories": names,
        "variables": list(categories.CATEGORIES),
        "members": len(members.names),
        "terciles_of": whence,
        "means": {name: number(each.mean()) for name, each in found.items()},
        "missing": int(found["p_above"].isnull().sum()),
    }
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings), assumed=members.assumed)


def blend_multi_model(call: Call, asked: arguments.BlendMultiModel) -> Result:
    """Blend probabilities of categories of several models."""
    places = call.inputs.get("prob_paths", ())
    if len(places) < 2:
        raise LabrigError(f"{len(places)} models are given", where="prob_paths", expected="two or more")
    models = [probabilities_of(place) for place in places]
    first = models[0]["p_below"]
    aligned = [
        {name: like(model[name], first, where=place.name) for name in categories.CATEGORIES}
        for model, place in zip(models, places, strict=True)
    ]
    found, shares = categories.blended(aligned, asked.weights)
    said = f"weighted mean of the probabilities of {len(places)} models; missing where one of them is"
    source = ", ".join(place.name for place in places)[:500]
    path = write_netcdf(call, found, "blended_probs", history=said, source=source)
    payload = {
        "output_path": path,
        "weights": [number(each) for each in shares],
        "models": [stem_of(place.name) for place in places],
        "means": {name: number(each.mean()) for name, each in found.items()},
        "missing": int(found["p_above"].isnull().sum()),
    }
    return make_result(payload, method=said, files=(path,))


def forecast_anomaly_from_model_climo(call: Call, asked: arguments.ForecastAnomalyFromModelClimo) -> Result:
    """Subtract the model's own climate, by lead, from a forecast."""
    variable, how = asked.variable, asked.agg
    source = read_seasonal(call.input("forecast_path"), variable)
    forecast = source.data
    climate = read_seasonal(call.input("model_climo_mean_path"), asked.climo_variable or variable).data
    warnings = list(source.warnings)
    averaged = []
    dim = START if START in climate.dims else TIME
    if climate.sizes.get(dim, 1) > 1:
        dim = years_axis(climate, "model_climo_mean_path")
        count = climate.sizes[dim]
        averaged.append(f"{count} years")
        if count < LEAST_YEARS:
            warnings.append(f"The climate is of {count} years only")
        if dim in forecast.dims:
            ours = calendar_months(forecast, dim, "forecast_path")
            theirs = calendar_months(climate, dim, "model_climo_mean_path")
            if not set(ours) <= set(theirs):
                raise LabrigError(
                    f"The climate is of the months {', '.join(map(str, theirs))}, the forecast of {ours[0]}",
                    where="model_climo_mean_path",
                )
        climate = climate.mean(dim, skipna=False, keep_attrs=True)
    elif dim in climate.dims:
        climate = climate.isel({dim: 0}, drop=True)
    if MEMBER in climate.dims:
        averaged.append(f"{climate.sizes[MEMBER]} members")
        climate = climate.mean(MEMBER, skipna=False, keep_attrs=True)
    climate = like(climate, forecast, where="model_climo_mean_path")
    anomaly = forecast - climate
    if how == "mean" and MEMBER in anomaly.dims:
        anomaly = anomaly.mean(MEMBER, skipna=False)
    anomaly = in_order(anomaly).assign_attrs({"units": forecast.attrs.get("units", ""), DIFFERENCE: 1})
    said = "forecast minus the model's climate" + (
        f", the mean of {' and '.join(averaged)}" if averaged else ""
    )
    said += "; mean of the members" if how == "mean" and MEMBER in forecast.dims else ""
    name = f"{variable}_anomaly"
    path = write_netcdf(call, {name: anomaly}, "forecast_anomaly", history=said, source=source.source)
    payload = {"output_path": path, "variable": name, "agg": how, **ranges(anomaly)}
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings))


def read_terciles(place: Place, variable: str) -> tuple[Any, Any, str]:
    """Return the terciles of a file, or those of the years that it holds."""
    there = variables_of(place)
    if LOWER in there and UPPER in there:
        return read_seasonal(place, LOWER).data, read_seasonal(place, UPPER).data, "the file"
    if variable not in there:
        raise LabrigError(
            f"It has neither {LOWER} and {UPPER} nor {variable}",
            where=f"terciles_path {place.name}",
            expected=f"terciles, or {LEAST_YEARS} years of {variable}",
            code="not_found",
        )
    reference = read_seasonal(place, variable).data
    dim = years_axis(reference, f"terciles_path {place.name}")
    require_years(reference[dim].dt.year.values.astype(np.int64))
    lower, upper = categories.terciles(reference, dim)
    members = f" and {reference.sizes[MEMBER]} members" if MEMBER in reference.dims else ""
    return lower, upper, f"{reference.sizes[dim]} years{members}"


def require_texts(given: Mapping[str, Any], name: str) -> None:
    for key, value in given.items():
        if not isinstance(value, str) or not value:
            raise LabrigError(f"{key} is {value!r:.60}", where=name, expected="a text for each variable")
