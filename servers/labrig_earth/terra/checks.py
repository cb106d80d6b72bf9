"""Group ensemble_verify, the rest: calibration, heat waves, lagged ensembles, verification."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.ensembles.excess_heat import excess_heat, in_spells, require_days
from labrig_earth.ensembles.members import (
    MEMBER,
    TIME,
    Y,
    as_deviation,
    at_times_of,
    common_of,
    like,
    on_common_times,
    once,
    read_field,
    read_members,
)
from labrig_earth.grids.times import iso, require_times
from labrig_earth.results import Result
from labrig_earth.terra.arguments import ensemble_verify as arguments
from labrig_earth.terra.payloads import make_result, number, ranges, safe, write_netcdf
from labrig_earth.verification import deterministic, emos, probabilistic
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields


def emos_calibration(call: Call, asked: arguments.EmosCalibration) -> Result:
    """Fit an ensemble's calibration on years of truth, or apply given coefficients."""
    members = read_members(call.inputs.get("member_paths", ()), asked.variable)
    count = len(members.names)
    if count < 2:
        raise LabrigError(
            "An ensemble of one cannot be calibrated", where="member_paths", expected="two or more"
        )
    spread = None
    if call.optional("spread_path") is not None:
        field = read_field(call.input("spread_path"), asked.spread_variable).data
        spread = like(as_deviation(field), members.data.isel({MEMBER: 0}), where="spread_path")
    variance = members.data.var(MEMBER, ddof=0, skipna=False) if spread is None else spread**2
    if asked.mode == "apply":
        return _apply_emos(call, asked, members, variance)
    if call.optional("truth_path") is None:
        raise LabrigError("The mode fit needs the truth", where="truth_path", expected="a path or a handle")
    truth = read_field(call.input("truth_path"), asked.truth_variable or asked.variable).data
    stacked, truth, notes = on_common_times(members.data, truth, where="truth_path")
    if TIME in stacked.dims and TIME in variance.dims:
        variance = variance.sel({TIME: stacked[TIME]})
    years = require_times(stacked, TIME if TIME in stacked.dims else "").dt.year
    first = stacked.isel({MEMBER: 0}, drop=True)
    year, truth, variance = (
        each.broadcast_like(first).transpose(*first.dims) for each in (years, truth, variance)
    )
    x = stacked.transpose(MEMBER, *first.dims).values.reshape(count, -1)
    y, s2, of = (each.values.reshape(-1) for each in (truth, variance, year))
    there = np.isfinite(x).all(axis=0) & np.isfinite(y) & np.isfinite(s2)
    if not there.any():
        raise LabrigError(
            "No pair of an ensemble and the truth is complete", where="member_paths, truth_path"
        )
    x, y, s2, of = x[:, there], y[there], s2[there], of[there].astype(np.int64)
    emos.require_years(of)
    method, least = asked.method, asked.min_variance
    found = emos.fit(x, s2, y, method=method, least_variance=least)
    raw = float(probabilistic.crps_values(x, y, variant="fair").mean())
    checked = emos.left_out(x, s2, y, of, method=method, least_variance=least)
    payload = {
        "coefficients": _coefficients(found),
        "mode": "fit",
        "members": list(members.names),
        "method": method,
        "pairs": int(y.size),
        "years": int(np.unique(of).size),
        "crps_raw_fair": number(raw),
        "crps_left_out": number(checked),
        "crps_units": str(members.data.attrs.get("units", "")),
    }
    said = f"EMOS by {method}: mean a + sum b_i x_i, variance c + d S2; CRPS of each year by the other years"
    warnings = (*members.warnings, *notes)
    if checked > raw:
        warnings = (*warnings, "On years left out the calibration is worse than the ensemble as it is")
    return make_result(payload, method=said, warnings=warnings, assumed=members.assumed)


def _apply_emos(call: Call, asked: arguments.EmosCalibration, members: Any, variance: Any) -> Result:
    count = len(members.names)
    given = asked.coeffs
    needed = ["a", *(f"b{n + 1}" for n in range(count)), "c", "d"]
    if set(given) != set(needed):
        raise LabrigError(
            f"The coefficients are {', '.join(sorted(given)) or 'missing'}",
            where="coeffs",
            expected=", ".join(needed),
            try_='mode="fit" gives them',
        )
    fields = Fields(given, "coeffs")
    given = {name: fields.number(name) for name in given}
    if given["c"] < 0 or given["d"] < 0:
        raise LabrigError(
            "A variance cannot come of negative c or d", where="coeffs", expected="zero or above"
        )
    found = emos.Emos(given["a"], tuple(given[f"b{n + 1}"] for n in range(count)), given["c"], given["d"])
    first = members.data.isel({MEMBER: 0}, drop=True)
    values = members.data.transpose(MEMBER, *first.dims).values
    mean = first.copy(data=found.mean(values))
    sigma = first.copy(data=found.sigma(variance.transpose(*first.dims).values, asked.min_variance)).where(
        mean.notnull()
    )
    said = "EMOS: mean a + sum b_i x_i, standard deviation sqrt(c + d S2)"
    path = write_netcdf(
        call,
        {"mu_cal": mean, "sigma_cal": sigma.assign_attrs(units=first.attrs.get("units", ""))},
        "emos_calibrated",
        history=said,
        source=", ".join(members.names)[:500],
    )
    payload = {
        "output_path": path,
        "variable_mean": "mu_cal",
        "variable_sigma": "sigma_cal",
        "coefficients": _coefficients(found),
        "mode": "apply",
        **ranges(mean),
    }
    return make_result(
        payload, method=said, files=(path,), warnings=members.warnings, assumed=members.assumed
    )


def _coefficients(found: emos.Emos) -> dict[str, float]:
    return {
        "a": found.a,
        **{f"b{n + 1}": value for n, value in enumerate(found.b)},
        "c": found.c,
        "d": found.d,
    }


def ehf_heatwave(call: Call, asked: arguments.EhfHeatwave) -> Result:
    """Excess heat factor of each day, and the days of heat waves."""
    hottest, coldest = read_field(call.input("tmax_path")), read_field(call.input("tmin_path"))
    require_times(hottest.data, TIME if TIME in hottest.data.dims else "")
    maximum, minimum, notes = on_common_times(hottest.data, coldest.data, where="tmin_path")
    require_days(maximum[TIME].values)
    if bool((maximum < minimum).any()):
        raise LabrigError(
            "The daily maximum is below the minimum somewhere",
            where="tmax_path, tmin_path",
            try_="the two files the other way round, if they were exchanged",
        )
    daily = (maximum + minimum) / 2
    daily.attrs = dict(maximum.attrs)
    p95 = at_times_of(
        read_field(call.input("p95"), where="baseline_paths").data, daily, where="baseline_paths"
    )
    climate = None
    if call.optional("climate") is not None:
        climate = at_times_of(
            read_field(call.input("climate"), where="baseline_paths").data, daily, where="baseline_paths"
        )
    least = asked.persistence_days
    ehf = excess_heat(daily, TIME, p95, climate).transpose(*daily.dims)
    days = in_spells((ehf > 0), TIME, least)
    mask = days.where(ehf.notnull()).astype("f8")
    usual = "the mean of the 30 days before" if climate is None else "the given climate"
    said = f"EHF = (T3 - p95) * max(1, T3 - {usual}); T3: mean of (tmin + tmax)/2 over the day and the two before"
    source = f"{hottest.source}, {coldest.source}"
    paths = (
        write_netcdf(call, {"ehf": ehf.assign_attrs(units="K2")}, "ehf", history=said, source=source),
        write_netcdf(
            call,
            {"heatwave_mask": mask.assign_attrs(units="1")},
            "heatwave_mask",
            history=said,
            source=source,
        ),
    )
    warnings = [*hottest.warnings, *notes]
    if "tmean95" not in asked.baseline_paths:
        warnings.append(
            "tmax95 is taken as given: the factor is defined with the 95th percentile of the daily mean (tmean95)"
        )
    payload = {
        "ehf_path": paths[0],
        "heatwave_mask_path": paths[1],
        "persistence_days": least,
        "heatwave_cell_days": int(days.sum()),
        "valid_cell_days": int(ehf.notnull().sum()),
        "ehf_max": number(ehf.max()),
        "units": "K2",
    }
    return make_result(payload, method=said, files=paths, warnings=tuple(warnings))


def lagged_ic_ensemble(call: Call, asked: arguments.LaggedIcEnsemble) -> Result:
    """Join runs from now with earlier ones over the times that all have; a manifest says which is which."""
    variable = asked.variable
    runs = [("base", place) for place in call.inputs.get("member_files", ())]
    runs += [("lagged", place) for place in call.inputs.get("lagged_files", ())]
    for kind, argument in (("base", "member_files"), ("lagged", "lagged_files")):
        if kind not in [each for each, _ in runs]:
            raise LabrigError("No file is given", where=argument, expected="paths or handles")
    fields = [read_field(place, variable) for _, place in runs]
    variable = variable or str(fields[0].data.name)
    common: Any = None
    for field in fields:
        require_times(field.data, TIME if TIME in field.data.dims else "")
        times = once(field.data, field.source)
        common = times if common is None else common_of(common, times, field.source)
    if not len(common):
        raise LabrigError("There is no time that all runs have", where="member_files, lagged_files")
    import xarray as xr

    parts: list[Any] = []
    for (_, place), field in zip(runs, fields, strict=True):
        data = field.data.sel({TIME: common})
        if MEMBER in data.dims:
            raise LabrigError("A run with members of its own cannot be one member", where=place.name)
        parts.append(data if not parts else like(data, parts[0], where=place.name))
    joined = xr.concat(parts, dim=MEMBER, join="exact", coords="minimal", compat="override")
    joined = joined.assign_coords({MEMBER: (MEMBER, np.arange(len(parts)), {"standard_name": "realization"})})
    joined.attrs = dict(parts[0].attrs)
    said = f"{len(parts)} runs over the {len(common)} times that all have"
    path = write_netcdf(
        call,
        {str(variable): joined},
        "lagged_ensemble",
        history=said,
        source=", ".join(p.name for _, p in runs)[:500],
    )
    manifest = safe(asked.manifest_name)
    if not manifest.endswith(".json"):
        raise LabrigError(
            "The manifest is JSON", where=f"manifest_name {manifest}", expected="a name ending in .json"
        )
    listed = [
        {
            "type": kind,
            "path": place.name,
            "dims": {str(dim): int(size) for dim, size in field.data.sizes.items()},
        }
        for (kind, place), field in zip(runs, fields, strict=True)
    ]
    about = {"members": listed, "variable": variable, "ensemble": "lagged_ensemble.nc"}
    (call.scratch / manifest).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    payload = {
        "manifest_path": f"scratch:{manifest}",
        "member_count": len(parts),
        "ensemble_path": path,
        "common_times": {"count": len(common), "start": iso(common[0]), "end": iso(common[-1])},
    }
    warnings = tuple(each for field in fields for each in field.warnings)
    return make_result(payload, method=said, files=(f"scratch:{manifest}", path), warnings=warnings)


def verify(call: Call, asked: arguments.Verify) -> Result:
    """Hold a forecast against the truth, by the scores that are asked for."""
    variable = asked.variable
    metrics = asked.metrics or list(arguments.PUBLISHED)
    source = read_field(call.input("forecast_path"), variable)
    seen = read_field(call.input("truth_path"), asked.truth_variable or variable)
    if MEMBER not in source.data.dims and set(metrics) <= set(arguments.OF_EVENTS):
        source.data.attrs.pop("units", None)  # a probability, which has not the unit of the truth
    forecast, truth, notes = on_common_times(source.data, seen.data, where="truth_path")
    several = MEMBER in forecast.dims
    first = forecast.isel({MEMBER: 0}, drop=True) if several else forecast
    truth = truth.broadcast_like(first).transpose(*first.dims)
    if call.optional("mask_path") is not None:
        mask = like(
            read_field(call.input("mask_path"), asked.mask_variable).data,
            first,
            where="mask_path",
            units=False,  # a mask is a share, whatever the field is measured in
        )
        truth = truth.where(mask > 0.5)
        if not bool(truth.notnull().any()):
            raise LabrigError(
                "The mask leaves no cell", where="mask_path", expected="values above 0.5 somewhere"
            )
    weights = np.ones(truth.shape)
    if asked.area_weighted:
        if Y not in first.dims:
            raise LabrigError("There is no latitude to weight by", where="area_weighted")
        weights = np.cos(np.radians(first[Y])).broadcast_like(first).transpose(*first.dims).values
    values = forecast.transpose(MEMBER, *first.dims).values if several else None
    single = forecast.mean(MEMBER, skipna=False).transpose(*first.dims) if several else first
    results: dict[str, Any] = {}
    details: dict[str, Any] = {}
    for each in metrics:
        if each in deterministic.ERRORS:
            results[each] = number(deterministic.ERRORS[each](single.values, truth.values, weights))
        elif each == "acc":
            results["acc"], details["acc"] = _anomaly_correlation(call, asked, single, truth, weights)
        elif each in arguments.OF_MEMBERS:
            _of_members(asked, each, values, truth.values, weights, results, details)
        else:
            _of_events(asked, each, values, first, truth, weights, results, details)
    payload = {
        "metrics": results,
        "units": str(truth.attrs.get("units", "") or seen.data.attrs.get("units", "")),
        "pairs": int((np.isfinite(single.values) & np.isfinite(truth.values)).sum()),
        "members": int(forecast.sizes[MEMBER]) if several else 1,
        "forecast_path": source.source,
        "truth_path": seen.source,
    }
    if details:
        payload["details"] = details
    weighing = "weights of the cosine of latitude" if asked.area_weighted else "each pair counts once"
    said = (
        f"{weighing}; of an ensemble, errors are those of its mean; pairs with a missing value do not count"
    )
    warnings = (*source.warnings, *seen.warnings, *notes)
    return make_result(payload, method=said, warnings=warnings, assumed=source.assumed)


def _anomaly_correlation(
    call: Call, asked: arguments.Verify, forecast: Any, truth: Any, weights: Any
) -> tuple[float | None, str]:
    """Return the correlation of anomalies, and from what they are."""
    if call.optional("climatology_path") is None:
        found = deterministic.correlation(forecast.values, truth.values, weights)
        return number(
            found
        ), "from the means over all pairs: without climatology_path it is a plain correlation"
    name = asked.climatology_variable or asked.variable
    climate = at_times_of(
        read_field(call.input("climatology_path"), name).data, forecast, where="climatology_path"
    )
    one, other = ((each - climate).transpose(*forecast.dims).values for each in (forecast, truth))
    found = deterministic.correlation(one, other, weights)
    return number(found), "of anomalies from climatology_path, centred"


def _of_members(
    asked: arguments.Verify,
    metric: str,
    values: Any,
    truth: Any,
    weights: Any,
    results: dict[str, Any],
    details: dict[str, Any],
) -> None:
    if values is None:
        raise LabrigError(
            f"{metric} is a score of ensembles, and the forecast has no axis of members",
            where="metrics",
            try_="lagged_ic_ensemble, which joins files; or one file with an axis of members",
        )
    if metric == "crps":
        variant = asked.crps_variant
        results["crps"] = number(probabilistic.crps(values, truth, weights, variant=variant))
        details["crps"] = variant
    elif metric == "rank_histogram":
        details["rank_histogram"] = probabilistic.rank_histogram(values, truth)
    else:
        spread, error = probabilistic.spread_and_skill(values, truth, weights)
        results["spread"], results["error_of_mean"] = number(spread), number(error)


def _of_events(
    asked: arguments.Verify,
    metric: str,
    values: Any,
    first: Any,
    truth: Any,
    weights: Any,
    results: dict[str, Any],
    details: dict[str, Any],
) -> None:
    threshold = asked.threshold
    if threshold is None:
        raise LabrigError(
            f"{metric} needs the threshold of an event", where="threshold", expected="in the unit of truth"
        )
    event = np.where(np.isfinite(truth.values), truth.values >= threshold, np.nan)
    if values is None:
        chance = first.values  # a forecast without members is taken for a probability, which is checked
    else:
        chance = np.where(np.isfinite(values).all(axis=0), (values >= threshold).mean(axis=0), np.nan)
    score, table = probabilistic.brier(chance, event, weights)
    if metric == "brier":
        results["brier"] = number(score.score)
        details["brier"] = {
            name: number(getattr(score, name))
            for name in ("reliability", "resolution", "uncertainty", "within")
        }
    else:
        details["reliability"] = [
            {"forecast": number(a), "observed": number(b), "share": number(c)}
            for a, b, c in zip(table.forecast, table.observed, table.weight, strict=True)
        ]
