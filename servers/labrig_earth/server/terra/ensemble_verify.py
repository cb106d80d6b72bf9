"""Group ensemble_verify: fields made alike, ensembles, calibration, heat waves, verification."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError, unknown_name
from labrig.tools.sources import names_artifact, opened_source
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import (
    OUTPUT_DIR,
    Count,
    Mapped,
    Number,
    Numbers,
    Text,
    Texts,
    Whole,
    called,
)

GROUP = "ensemble_verify"
TOOLSETS = ("terra", f"terra-{GROUP}")
MANIFEST_BYTES = 1 << 20
BASELINES = {
    "tmean95": "p95",
    "tmax95": "p95",
    "tmax_p95": "p95",
    "tmean_clim": "climate",
    "tmean": "climate",
}


@toolbox.tool(title="Harmonize grids", read_only=False, faithful=True, toolsets=TOOLSETS)
async def harmonize_grid(
    model_files: list[str],
    variable: str,
    names: Texts = [],  # noqa: B006 - pydantic copies it
    target_grid_path: Text = "",
    target_latitudes: Numbers = [],  # noqa: B006
    target_longitudes: Numbers = [],  # noqa: B006
    target_grid_strategy: Annotated[Text, Field(description="coarsest, finest, first.")] = "coarsest",
    lon_range: Annotated[Text, Field(description="-180:180, 0:360, auto.")] = "-180:180",
    sort_lats: bool = True,
    sort_lons: bool = True,
    interp_method: Annotated[Text, Field(description="linear, nearest, conservative.")] = "linear",
    accumulation: Annotated[Text, Field(description="Over time: sum, mean, max.")] = "",
    accumulation_hours: Whole = 0,
    transform: Annotated[Text, Field(description="sqrt, log, log1p.")] = "",
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """Put a variable of several files on one grid; nothing is extrapolated."""
    arguments = {
        "variable": variable,
        "names": names,
        "target_latitudes": target_latitudes,
        "target_longitudes": target_longitudes,
        "target_grid_strategy": target_grid_strategy,
        "lon_range": lon_range,
        "sort_lats": sort_lats,
        "sort_lons": sort_lons,
        "interp_method": interp_method,
        "accumulation": accumulation,
        "accumulation_hours": accumulation_hours or None,
        "transform": transform,
    }
    inputs = {"models": model_files, "target_grid": [target_grid_path]}
    return await called(GROUP, "harmonize_grid", inputs, arguments, output_dir=output_dir)


@toolbox.tool(title="Anomaly from climate", read_only=False, faithful=True, toolsets=TOOLSETS)
async def anomaly_and_climo(
    field_path: str,
    variable: str,
    climo_mean_path: Annotated[str, Field(description="By month, dayofyear, or one for all.")],
    climo_std_path: Text = "",
    climo_mean_variable: Text = "",
    climo_std_variable: Text = "",
    output_variable: Text = "",
    emit_climo: bool = True,
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """Subtract a climate from a field; sigma_ref is written where the climate's deviation is given."""
    arguments = {
        "variable": variable,
        "climo_mean_variable": climo_mean_variable,
        "climo_std_variable": climo_std_variable,
        "output_variable": output_variable,
        "emit_climo": emit_climo,
    }
    inputs = {"field": [field_path], "climo_mean": [climo_mean_path], "climo_std": [climo_std_path]}
    return await called(GROUP, "anomaly_and_climo", inputs, arguments, output_dir=output_dir)


@toolbox.tool(title="Smooth a field", read_only=False, faithful=True, toolsets=TOOLSETS)
async def smooth_gaussian_field(
    field_path: str,
    variable: Text = "",
    sigma_pixels: Number = 1.0,
    mode: Annotated[Text, Field(description="Edges: nearest, reflect, constant, mirror, wrap.")] = "nearest",
    truncate: Number = 3.0,
    output_variable: Text = "",
    output_path: Text = "",
    drop_singleton_dims: bool = True,
) -> Published:
    """Smooth a field by a Gaussian whose standard deviation is in cells."""
    arguments = {
        "variable": variable,
        "sigma_pixels": sigma_pixels,
        "mode": mode,
        "truncate": truncate,
        "output_variable": output_variable,
        "drop_singleton_dims": drop_singleton_dims,
    }
    return await called(
        GROUP, "smooth_gaussian_field", {"field": [field_path]}, arguments, output_path=output_path
    )


@toolbox.tool(title="Mean of an ensemble", read_only=False, faithful=True, toolsets=TOOLSETS)
async def aggregate_ensemble(
    member_paths: Annotated[list[str], Field(description="Files, one with a member axis, or a manifest.")],
    variable: str,
    variable_map: Annotated[Mapped, Field(description="By file.")] = {},  # noqa: B006
    coerce_time: Annotated[Text, Field(description="Pair times by index or lead_hours.")] = "",
    weights: Numbers = [],  # noqa: B006
    output_variable: Text = "ensemble_mean",
    output_path: Text = "",
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """Weighted mean of members that share grid, times and unit."""
    arguments = {
        "variable": variable,
        "variable_map": _by_name(variable_map),
        "coerce_time": coerce_time,
        "weights": weights,
        "output_variable": output_variable,
    }
    inputs = {"members": _members(member_paths)}
    return await called(
        GROUP, "aggregate_ensemble", inputs, arguments, output_dir=output_dir, output_path=output_path
    )


@toolbox.tool(title="Spread of an ensemble", read_only=False, faithful=True, toolsets=TOOLSETS)
async def ensemble_spread(
    member_paths: list[str],
    variable: str,
    variable_map: Mapped = {},  # noqa: B006
    coerce_time: Text = "",
    weights: Numbers = [],  # noqa: B006
    mean_path: Text = "",
    mean_variable: Text = "ensemble_mean",
    estimator: Annotated[Text, Field(description="population (M) or sample (M-1).")] = "population",
    output_variable: Text = "ensemble_spread",
    output_path: Text = "",
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """Weighted standard deviation of members, in their unit."""
    arguments = {
        "variable": variable,
        "variable_map": _by_name(variable_map),
        "coerce_time": coerce_time,
        "weights": weights,
        "mean_variable": mean_variable,
        "estimator": estimator,
        "output_variable": output_variable,
    }
    inputs = {"members": _members(member_paths), "mean": [mean_path]}
    return await called(
        GROUP, "ensemble_spread", inputs, arguments, output_dir=output_dir, output_path=output_path
    )


@toolbox.tool(title="Normalize a spread", read_only=False, faithful=True, toolsets=TOOLSETS)
async def normalized_spread(
    spread_path: str,
    sigma_ref_path: str,
    spread_variable: Text = "ensemble_spread",
    sigma_variable: Text = "sigma_ref",
    output_variable: Text = "normalized_spread",
    epsilon: Number = 1e-6,
    output_path: Text = "",
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """Spread of an ensemble over the standard deviation of the climate."""
    arguments = {
        "spread_variable": spread_variable,
        "sigma_variable": sigma_variable,
        "output_variable": output_variable,
        "epsilon": epsilon,
    }
    inputs = {"spread": [spread_path], "sigma_ref": [sigma_ref_path]}
    return await called(
        GROUP, "normalized_spread", inputs, arguments, output_dir=output_dir, output_path=output_path
    )


@toolbox.tool(title="Probability of an event", read_only=False, faithful=True, toolsets=TOOLSETS)
async def event_probability(
    member_paths: list[str],
    variable: str,
    threshold: Annotated[Number, Field(description="In the unit of the data.")],
    mode: Annotated[Text, Field(description="votes, or gaussian.")] = "votes",
    mean_path: Text = "",
    mean_variable: Text = "ensemble_mean",
    spread_path: Text = "",
    spread_variable: Text = "ensemble_spread",
    min_spread: Number = 1e-6,
    output_variable: Text = "event_probability",
    output_path: Text = "",
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """Probability of a value at or above a threshold."""
    arguments = {
        "variable": variable,
        "threshold": threshold,
        "mode": mode,
        "mean_variable": mean_variable,
        "spread_variable": spread_variable,
        "min_spread": min_spread,
        "output_variable": output_variable,
    }
    inputs = {"members": _members(member_paths), "mean": [mean_path], "spread": [spread_path]}
    return await called(
        GROUP, "event_probability", inputs, arguments, output_dir=output_dir, output_path=output_path
    )


@toolbox.tool(title="Calibrate an ensemble", read_only=False, faithful=True, toolsets=TOOLSETS)
async def emos_calibration(
    member_paths: list[str],
    variable: str,
    truth_path: Text = "",
    truth_variable: Text = "",
    coeffs: Annotated[Mapped, Field(description="To apply: a, b1.., c, d.")] = {},  # noqa: B006
    mode: Annotated[Text, Field(description="fit or apply.")] = "fit",
    method: Annotated[Text, Field(description="crps or regression.")] = "crps",
    spread_path: Text = "",
    spread_variable: Text = "ensemble_spread",
    min_variance: Number = 1e-4,
    output_dir: Text = OUTPUT_DIR,
    output_path: Text = "",
) -> Published:
    """Fit EMOS on 24 years or more, checked on years left out; or apply it: mu_cal and sigma_cal."""
    arguments = {
        "variable": variable,
        "truth_variable": truth_variable,
        "coeffs": coeffs,
        "mode": mode,
        "method": method,
        "spread_variable": spread_variable,
        "min_variance": min_variance,
    }
    inputs = {"members": _members(member_paths), "truth": [truth_path], "spread": [spread_path]}
    return await called(
        GROUP, "emos_calibration", inputs, arguments, output_dir=output_dir, output_path=output_path
    )


@toolbox.tool(title="Confidence of an ensemble", read_only=False, faithful=True, toolsets=TOOLSETS)
async def confidence_index(
    member_paths: list[str],
    variable: str,
    coerce_time: Text = "",
    normalized_spread_path: Text = "",
    normalized_variable: Text = "normalized_spread",
    spread_path: Text = "",
    spread_variable: Text = "ensemble_spread",
    sigma_ref_path: Text = "",
    sigma_variable: Text = "sigma_ref",
    climo_mean_path: Text = "",
    climo_variable: Text = "climatology",
    skill_weight: Number = 1.0,
    output_variable: Text = "confidence",
    output_path: Text = "",
    output_dir: Text = OUTPUT_DIR,
) -> Published:
    """skill_weight * (1 - tanh(normalized spread)), halved where anomalies of members differ in sign."""
    arguments = {
        "variable": variable,
        "coerce_time": coerce_time,
        "normalized_variable": normalized_variable,
        "spread_variable": spread_variable,
        "sigma_variable": sigma_variable,
        "climo_variable": climo_variable,
        "skill_weight": skill_weight,
        "output_variable": output_variable,
    }
    inputs = {
        "members": _members(member_paths),
        "normalized_spread": [normalized_spread_path],
        "spread": [spread_path],
        "sigma_ref": [sigma_ref_path],
        "climo_mean": [climo_mean_path],
    }
    return await called(
        GROUP, "confidence_index", inputs, arguments, output_dir=output_dir, output_path=output_path
    )


@toolbox.tool(title="Join lagged runs", read_only=False, faithful=True, toolsets=TOOLSETS)
async def lagged_ic_ensemble(
    member_files: list[str],
    lagged_files: list[str],
    variable: str,
    output_dir: Text = OUTPUT_DIR,
    manifest_name: Text = "ensemble_manifest.json",
) -> Published:
    """Join runs with earlier ones over their common times: a manifest, and a file of members."""
    arguments = {"variable": variable, "manifest_name": manifest_name}
    inputs = {"members": member_files, "lagged": lagged_files}
    return await called(GROUP, "lagged_ic_ensemble", inputs, arguments, output_dir=output_dir)


@toolbox.tool(title="Excess heat factor", read_only=False, faithful=True, toolsets=TOOLSETS)
async def ehf_heatwave(
    tmax_path: str,
    tmin_path: str,
    baseline_paths: Annotated[
        dict[str, str], Field(description="tmean95 or tmax95; tmean_clim, or the 30 days before.")
    ],
    persistence_days: Annotated[Count, Field(ge=1, le=60)] = 3,
    output_dir: Text = "./data/ensemble/events",
) -> Published:
    """Excess heat factor by day (K2), and the days of heat waves: spells above zero of persistence_days."""
    roles: dict[str, str] = {}
    for name, path in baseline_paths.items():
        if name not in BASELINES:
            raise unknown_name("baseline", name, tuple(BASELINES), where="baseline_paths")
        if BASELINES[name] in roles:
            raise LabrigError(
                f"{name} is a second one of its kind", where="baseline_paths", expected="one of each"
            )
        roles[BASELINES[name]] = path
    if "p95" not in roles:
        raise LabrigError(
            "The 95th percentile is missing", where="baseline_paths", expected="tmean95 or tmax95"
        )
    arguments = {
        "persistence_days": persistence_days,
        "p95_of": "mean" if "tmean95" in baseline_paths else "maximum",
    }
    inputs = {"tmax": [tmax_path], "tmin": [tmin_path], **{role: [path] for role, path in roles.items()}}
    return await called(GROUP, "ehf_heatwave", inputs, arguments, output_dir=output_dir)


@toolbox.tool(title="Verify a forecast", read_only=True, faithful=True, toolsets=TOOLSETS)
async def verify(
    forecast_path: str,
    truth_path: str,
    variable: str,
    truth_variable: Text = "",
    metrics: Annotated[
        Texts,
        Field(
            description="rmse, mae, bias, acc (default); correlation, crps, rank_histogram, spread_skill, brier, "
            "reliability."
        ),
    ] = [],  # noqa: B006
    mask_path: Text = "",
    mask_variable: Text = "",
    climatology_path: Text = "",
    climatology_variable: Text = "",
    threshold: Annotated[Number | None, Field(description="Of an event, for brier.")] = None,
    crps_variant: Annotated[Text, Field(description="fair or ecdf.")] = "fair",
    area_weighted: bool = False,
) -> Published:
    """Hold a forecast, or an ensemble in one file, against the truth."""
    arguments = {
        "variable": variable,
        "truth_variable": truth_variable,
        "metrics": metrics,
        "mask_variable": mask_variable,
        "climatology_variable": climatology_variable,
        "threshold": threshold,
        "crps_variant": crps_variant,
        "area_weighted": area_weighted,
    }
    inputs = {
        "forecast": [forecast_path],
        "truth": [truth_path],
        "mask": [mask_path],
        "climatology": [climatology_path],
    }
    return await called(GROUP, "verify", inputs, arguments)


def _by_name(variables: dict[str, Any]) -> dict[str, str]:
    """Return variables by the names of files, of which published calls have the paths."""
    return {
        key if names_artifact(key) else PurePosixPath(key).name: str(name) for key, name in variables.items()
    }


def _members(paths: Sequence[str]) -> list[str]:
    """Return paths of members: that of a manifest is the file of members beside it."""
    found: list[str] = []
    for path in paths:
        if not path.endswith(".json"):
            found.append(path)
            continue
        with opened_source(path) as source:
            if source.size() > MANIFEST_BYTES:
                raise LabrigError("This is no manifest of an ensemble: it is too large", where=path)
            text = source.read()
        try:
            name = json.loads(text)["ensemble"]
            if not isinstance(name, str) or "/" in name:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise LabrigError(
                "This is no manifest of an ensemble", where=path, expected="one of lagged_ic_ensemble"
            ) from None
        found.append(str(PurePosixPath(path).parent / name))
    return found
