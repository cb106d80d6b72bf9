"""Group seasonal: bias corrections fitted, checked on years left out, and applied."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.formats import Place
from labrig_earth.ensembles.members import MEMBER, TIME, stem_of
from labrig_earth.grids.units import DIFFERENCE, convert
from labrig_earth.results import Result
from labrig_earth.seasonal import correction
from labrig_earth.seasonal.hindcasts import (
    START,
    calendar_months,
    in_order,
    observed_for,
    read_seasonal,
    years_axis,
)
from labrig_earth.terra.arguments import seasonal as arguments
from labrig_earth.terra.payloads import make_result, number, ranges, safe, write_netcdf
from labrig_earth.terra.seasonal_files import variables_of
from labrig_earth.verification.deterministic import bias, rmse
from labrig_earth.verification.emos import require_years
from labrig_earth.verification.probabilistic import crps_values
from labrig_earth.work.calls import Call

YEARS, MONTHS, METHOD, KIND = "fitted_years", "calendar_months", "correction_method", "correction_kind"
HIND, OBS, SHIFT = "hindcast_quantiles", "observed_quantiles", "bias_map"


def fit_bias_correction(call: Call, asked: arguments.FitBiasCorrection) -> Result:
    """Fit a correction of bias on the years of a hindcast, and hold each year against one fitted on the others."""
    variable = asked.variable
    hindcast, warnings = join_years(call, "hindcast_paths", variable)
    observed, more = join_years(call, "obs_paths", asked.obs_variable or variable)
    warnings += more
    if MEMBER in observed.dims:
        raise LabrigError("Observations have no members", where="obs_paths")
    if MEMBER not in hindcast.dims:
        hindcast = hindcast.expand_dims({MEMBER: [0]})
    dim = years_axis(hindcast, "hindcast_paths")
    all_years = hindcast.sizes[dim]
    if TIME not in observed.dims:
        raise LabrigError("The observations have no axis of times", where="obs_paths")
    hindcast, observed = observed_for(hindcast, observed, where="obs_paths")
    if hindcast.sizes[dim] < all_years:
        warnings.append(f"{hindcast.sizes[dim]} of {all_years} years of the hindcast were observed")
    years = hindcast[dim].dt.year.values.astype(np.int64)
    require_years(years)
    cells = [each for each in hindcast.dims if each not in (dim, MEMBER)]
    hindcast = hindcast.transpose(dim, MEMBER, *cells)
    observed = observed.transpose(dim, *cells)
    h, o = hindcast.values, observed.values
    how: dict[str, Any] = {
        "method": find_method(asked.method),
        "kind": asked.kind,
        "probabilities": asked.probs,
    }
    found = correction.fit(h, o, **how)
    checked = correction.left_out(h, o, **how)
    attrs = {
        YEARS: ",".join(map(str, years)),
        MONTHS: ",".join(map(str, calendar_months(hindcast, dim, "hindcast_paths"))),
        METHOD: found.method,
        KIND: found.kind,
    }
    unit = str(hindcast.attrs.get("units", ""))
    fields = make_map(found, hindcast.isel({dim: 0, MEMBER: 0}, drop=True), variable, unit, attrs)
    said = (
        f"{found.method}, {found.kind}, fitted on {years.size} years and {h.shape[1]} members; scores of each year by "
        "the other years"
    )
    source = ", ".join(place.name for role in ("hindcast_paths", "obs_paths") for place in call.inputs[role])[
        :500
    ]
    corrected = in_order(hindcast.copy(data=checked))
    paths = (
        write_netcdf(call, fields, "bias_map", history=said, source=source),
        write_netcdf(call, {variable: corrected}, "hindcast_left_out", history=said, source=source),
    )
    scores: dict[str, float | None] = {}
    for label, values in (("raw", h), ("left_out", checked)):
        scores |= {f"{name}_{label}": score for name, score in score_values(values, o).items()}
    if (scores["rmse_left_out"] or 0.0) > (scores["rmse_raw"] or 0.0):
        warnings.append("On years left out the corrected hindcast is worse than the hindcast as it is")
    payload = {
        "bias_map_path": paths[0],
        "hindcast_left_out_path": paths[1],
        "correction": found.method,
        "kind": found.kind,
        "probs": [number(each) for each in found.probabilities] if found.method != "mean" else [],
        "variable": variable,
        "years": int(years.size),
        "first_year": int(years[0]),
        "last_year": int(years[-1]),
        "members": int(h.shape[1]),
        "units": unit,
        **scores,
    }
    return make_result(payload, method=said, files=paths, warnings=tuple(warnings))


def apply_bias_correction(call: Call, asked: arguments.ApplyBiasCorrection) -> Result:
    """Correct forecasts by a correction that was fitted."""
    variable = asked.variable
    places = call.inputs.get("forecast_paths", ())
    if not places:
        raise LabrigError("No file is given", where="forecast_paths", expected="paths or handles")
    stems = [safe(f"{stem_of(place.name)}_calibrated") for place in places]
    if len(set(stems)) < len(stems):
        raise LabrigError(
            "Two files have one name, and would be written over each other", where="forecast_paths"
        )
    old, found = read_map(call.input("bias_map_path"), variable)
    files: list[str] = []
    warnings: list[str] = []
    shown: list[dict[str, Any]] = []
    for place, stem in zip(places, stems, strict=True):
        source = read_seasonal(place, variable)
        warnings += source.warnings
        data = source.data
        dim = START if START in data.dims else TIME if TIME in data.dims else ""
        if dim:
            months = calendar_months(data, dim, place.name)
            fitted = tuple(int(each) for each in str(old.attrs[MONTHS]).split(","))
            if not set(months) <= set(fitted):
                raise LabrigError(
                    f"Its {dim}s are in the months {', '.join(map(str, months))}",
                    where=place.name,
                    expected=f"the months of the hindcast: {', '.join(map(str, fitted))}",
                )
            again = set(str(old.attrs[YEARS]).split(",")) & {str(each) for each in data[dim].dt.year.values}
            if again:
                warnings.append(
                    f"{place.name}: {len(again)} of its years are among those of the fit, so it does not show skill; "
                    "hindcast_left_out_path does"
                )
        alone = MEMBER not in data.dims
        stacked = data.expand_dims({MEMBER: [0]}) if alone else data
        if alone and found.method == "QDM":
            raise LabrigError(
                "QDM places a member among the members of its forecast, and there is one",
                where=place.name,
                expected="an axis of members",
                try_="fit_bias_correction(method='EQM') or 'mean'",
            )
        cells = [each for each in old.dims if each != "probability"]
        lacking = [str(each) for each in cells if each not in stacked.dims]
        if lacking:
            raise LabrigError(f"It lacks the axis {', '.join(lacking)} of the correction", where=place.name)
        first = stacked.isel({MEMBER: 0, **({dim: 0} if dim else {})}, drop=True)
        for each in cells:
            first = require_same_axis(first, old, str(each), place.name)
        stated = str(first.attrs.get("units", ""))
        unit = str(old.attrs.get("units", ""))
        stacked = convert(stacked, stated, unit)[0] if stated and unit and stated != unit else stacked
        ordered = stacked.transpose(*([dim] if dim else []), MEMBER, *cells)
        values = ordered.values if dim else ordered.values[None]
        done = np.stack([found.apply(each) for each in values])
        corrected = in_order(ordered.copy(data=done if dim else done[0]))
        corrected = corrected.isel({MEMBER: 0}, drop=True) if alone else corrected
        said = f"{found.method}, {found.kind}, fitted on {len(str(old.attrs[YEARS]).split(','))} years"
        files.append(
            write_netcdf(call, {variable: corrected.assign_attrs(data.attrs | {"units": unit})}, stem, history=said,
                    source=place.name)
        )  # fmt: skip
        shown.append({"path": files[-1], "mean_before": number(ordered.mean()), **ranges(corrected)})
    method = f"{found.method}, {found.kind}: the difference (or ratio) of observed and hindcast quantiles"
    return make_result(
        {"files": files, "about": shown, "correction": found.method},
        method=method,
        files=tuple(files),
        warnings=tuple(warnings),
    )


def join_years(call: Call, role: str, variable: str) -> tuple[Any, list[str]]:
    """Return a variable of several files as one, joined along years; members of one file each are not meant here."""
    import xarray as xr

    places = call.inputs.get(role, ())
    if not places:
        raise LabrigError("No file is given", where=role, expected="paths or handles")
    fields = [read_seasonal(place, variable) for place in places]
    warnings = [each for field in fields for each in field.warnings]
    first = fields[0].data
    if len(fields) == 1:
        return first, warnings
    dim = START if START in first.dims else TIME
    parts = [first]
    for field, place in zip(fields[1:], places[1:], strict=True):
        if dim not in first.dims or set(field.data.dims) != set(first.dims):
            raise LabrigError("Files that are joined by years need the same axes", where=place.name)
        there = field.data
        for other in first.dims:
            if other not in (dim, MEMBER):
                there = require_same_axis(there, first, str(other), place.name)
        if MEMBER in first.dims and there.sizes[MEMBER] != first.sizes[MEMBER]:
            raise LabrigError(
                f"It has {there.sizes[MEMBER]} members, the first file {first.sizes[MEMBER]}",
                where=place.name,
            )
        stated, unit = (str(each.attrs.get("units", "")) for each in (there, first))
        there = convert(there, stated, unit)[0] if stated and unit and stated != unit else there
        parts.append(there.assign_coords({MEMBER: first[MEMBER]}) if MEMBER in first.dims else there)
    joined = xr.concat(parts, dim=dim, join="exact", coords="minimal", compat="override").sortby(dim)
    return joined.assign_attrs(first.attrs), warnings


def require_same_axis(data: Any, other: Any, dim: str, where: str) -> Any:
    """Return data if its coordinate along a dimension is that of the other field; LabrigError else."""
    mine, its = data[dim].values, other[dim].values
    if mine.size != its.size or not np.allclose(mine.astype("f8"), its.astype("f8"), rtol=0, atol=1e-4):
        raise LabrigError(
            f"The fields do not pair along {dim}: {mine.size} from {mine[0]} to {mine[-1]} here, {its.size} from "
            f"{its[0]} to {its[-1]} there",
            where=where,
            try_="standardize_seasonal_files, then harmonize_grid",
        )
    return data.assign_coords({dim: other[dim]})


def make_map(
    found: correction.Correction, cell: Any, variable: str, unit: str, attrs: dict[str, str]
) -> dict[str, Any]:
    import xarray as xr

    dims = ("probability", *cell.dims)
    coords = {"probability": found.probabilities, **{dim: cell[dim] for dim in cell.dims}}
    fields = {}
    shift = found.observed - found.hindcast
    for name, values in ((HIND, found.hindcast), (OBS, found.observed), (SHIFT, shift)):
        difference = {DIFFERENCE: 1} if name == SHIFT else {}
        fields[f"{variable}_{name}"] = xr.DataArray(
            values, dims=dims, coords=coords, attrs={"units": unit, **attrs, **difference}
        )
    return fields


def read_map(place: Place, variable: str) -> tuple[Any, correction.Correction]:
    there = variables_of(place)
    wanted = [f"{variable}_{name}" for name in (HIND, OBS)]
    if not set(wanted) <= set(there):
        raise LabrigError(
            f"It holds no correction of {variable}",
            where=f"bias_map_path {place.name}",
            expected=", ".join(wanted),
            try_="the file of fit_bias_correction",
            code="not_found",
        )
    old, new = (read_seasonal(place, name).data for name in wanted)
    lacking = [name for name in (YEARS, MONTHS, METHOD, KIND) if name not in old.attrs]
    if lacking or "probability" not in old.dims:
        raise LabrigError(
            "It is not a file of fit_bias_correction",
            where=f"bias_map_path {place.name}",
            expected=f"attributes {YEARS}, {MONTHS}, {METHOD}, {KIND}",
        )
    order = ["probability", *[dim for dim in old.dims if dim != "probability"]]
    old, new = old.transpose(*order), new.transpose(*order)
    found = correction.Correction(
        find_method(str(old.attrs[METHOD])), str(old.attrs[KIND]), old["probability"].values.astype("f8"), old.values,
        new.values,
    )  # fmt: skip
    return old, found


def find_method(text: str) -> str:
    known = {each.casefold(): each for each in correction.METHODS}
    if text.casefold() not in known:
        raise unknown_name("method", text, correction.METHODS, where="method")
    return known[text.casefold()]


def score_values(values: Any, truth: Any) -> dict[str, float | None]:
    """Return bias and error of the ensemble mean, and the fair CRPS of several members; over all years and cells."""
    mean = values.mean(axis=1)
    found = {"bias": number(bias(mean, truth)), "rmse": number(rmse(mean, truth))}
    if values.shape[1] > 1:
        members = np.moveaxis(values, 1, 0).reshape(values.shape[1], -1)
        there = np.isfinite(members).all(axis=0) & np.isfinite(truth.reshape(-1))
        found["crps"] = number(
            crps_values(members[:, there], truth.reshape(-1)[there], variant="fair").mean()
        )
    return found
