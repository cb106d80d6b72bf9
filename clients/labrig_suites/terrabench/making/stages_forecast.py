"""Stages over forecasts: verified, corrected, turned into an ensemble's numbers and terciles, smoothed and drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Plan, Result, Tolerance
from labrig_suites.terrabench.making.stages_grids import cells_of, rounding, summers
from labrig_suites.terrabench.making.world import Floats

CORRECTED = "work/corrected/forecast_calibrated.nc"
FINE = 0.001
"""Tolerance of what has no unit, such as a correlation or a probability."""
SHARES = Tolerance(FINE, "rounding: shares of ten members, averaged over months and cells")


def verify(plan: Plan, case: Case) -> None:
    """How well the hindcast's seasons follow what was observed."""
    made = plan.call(
        "verify",
        forecast_path="work/hindcast_jja.nc",
        truth_path="work/observed_jja.nc",
        variable=case.domain.variable,
        metrics=["rmse", "mae", "correlation"],
    )
    hindcast, _, observed = summers(case)
    error = hindcast.mean(axis=1) - observed
    plan.questions.append(
        "Hold the mean of the hindcast's members in these seasons against the observations, all years and cells "
        "together, each once."
    )
    unit = case.domain.unit
    plan.ask(
        "hindcast_rmse",
        f"root mean square error of the members' mean, {unit}",
        np.sqrt((error**2).mean()),
        made.at("metrics", "rmse") * 1.0,
        rounding(case),
    )
    plan.ask(
        "hindcast_mae",
        f"mean absolute error of the members' mean, {unit}",
        np.abs(error).mean(),
        made.at("metrics", "mae") * 1.0,
        rounding(case),
    )
    plan.ask(
        "hindcast_correlation",
        "Pearson's correlation of the members' mean with the observations",
        np.corrcoef(hindcast.mean(axis=1).ravel(), observed.ravel())[0, 1],
        made.at("metrics", "correlation") * 1.0,
        Tolerance(FINE, "rounding: a correlation is asked for to two decimals, with room"),
    )
    plan.steps.append("Verify the hindcast's seasonal ensemble mean against the observed seasons.")


def correct(plan: Plan, case: Case, boxes: int) -> None:
    """Correct the mean of the forecast by the hindcast, month by month and cell by cell."""
    grids, variable = case.grids, case.domain.variable
    kind = "additive" if case.domain.scale == "kelvin" else "multiplicative"
    fitted = plan.call(
        "fit_bias_correction",
        hindcast_paths=["data/hindcast.nc"],
        obs_paths=["data/observed.nc"],
        variable=variable,
        method="mean",
        kind=kind,
        output_path="work/correction.nc",
    )
    made = plan.call(
        "apply_bias_correction",
        forecast_paths=["data/forecast.nc"],
        bias_map_path="work/correction.nc",
        variable=variable,
        output_dir="work/corrected",
    )
    read = [
        plan.call(
            "read_netcdf_data",
            netcdf_path=CORRECTED,
            variable=variable,
            **cells_of(box),
        )
        for box in grids.boxes[:boxes]
    ]
    corrected = corrected_forecast(case)
    how = "adding the difference" if kind == "additive" else "multiplying by the ratio"
    plan.questions.append(
        f"Correct the monthly forecast for the bias of the hindcast by {how} of the means over all years (and "
        "members) of observations and hindcast, for each month and cell."
    )
    unit = case.domain.unit
    plan.ask(
        "monthly_bias",
        f"mean of the hindcast minus that of the observations over all years, months and cells, {unit}",
        grids.hindcast.mean() - grids.observed.mean(),
        fitted.at("bias_raw") * 1.0,
        rounding(case),
    )
    plan.ask(
        "correction_of_the_mean",
        f"mean of the corrected forecast minus that of the raw one over months, members and cells, {unit}",
        corrected.mean() - grids.forecast.mean(),
        made.at("about", 0, "mean") - made.at("about", 0, "mean_before"),
        rounding(case),
    )
    for box, each in zip(grids.boxes, read, strict=False):
        plan.ask(
            f"corrected_{box.key}",
            f"mean of the corrected forecast over months, members and cells of {box.said}, {unit}",
            grids.mean_in(corrected, box),
            each.at("stats", "mean") * 1.0,
            rounding(case),
        )
    plan.steps.append("Fit the correction of the means, apply it to the forecast, and read the boxes.")


def corrected_forecast(case: Case) -> Floats:
    """Return the corrected forecast (month, member, row, column)."""
    grids = case.grids
    modelled, observed = grids.hindcast.mean(axis=(0, 2)), grids.observed.mean(axis=0)
    found: Floats
    if case.domain.scale == "kelvin":
        found = grids.forecast + (observed - modelled)[:, None]
    else:
        found = grids.forecast * (observed / modelled)[:, None]
    return found


def ensemble(plan: Plan, case: Case, boxes: int) -> None:
    """Mean, spread and probability of the corrected ensemble, drawn and read in boxes."""
    grids, unit = case.grids, case.domain.unit
    values = corrected_forecast(case)
    threshold = float(f"{np.quantile(values, case.rng.uniform(0.35, 0.65)):.4g}")
    spread, likely = _fields(plan, case, threshold)
    reads = {
        (name, box.name): plan.call("read_netcdf_data", netcdf_path=f"work/{name}.nc", **cells_of(box))
        for name in ("ensemble_mean", "ensemble_spread", "event_probability")
        for box in grids.boxes[:boxes]
    }
    _maps(plan)
    plan.questions.append(
        "Of the corrected forecast's members make, for each month and cell, the mean, the standard deviation "
        f"(divided by their number) and the share of members at or above {threshold:g} {unit}; draw maps of "
        "both, averaged over months."
    )
    plan.ask(
        "mean_spread",
        f"mean of the standard deviation of members over months and cells, {unit}",
        values.std(axis=1).mean(),
        spread.at("mean") * 1.0,
        rounding(case),
    )
    reached = (values >= np.float32(threshold)).mean(axis=1)
    plan.ask(
        "mean_probability",
        f"mean over months and cells of the share of members at or above {threshold:g} {unit}",
        reached.mean(),
        likely.at("mean") * 1.0,
        SHARES,
    )
    for box in grids.boxes[:boxes]:
        plan.ask(
            f"probability_{box.key}",
            f"mean of that share over months and cells of {box.said}",
            grids.mean_in(reached, box),
            reads["event_probability", box.name].at("stats", "mean") * 1.0,
            SHARES,
        )
    box = grids.boxes[0]
    plan.ask(
        f"highest_mean_{box.key}",
        f"highest mean of members in any month and cell of {box.said}, {unit}",
        values.mean(axis=1)[..., grids.inside(box)[0], grids.inside(box)[1]].max(),
        reads["ensemble_mean", box.name].at("stats", "max") * 1.0,
        rounding(case),
    )
    plan.steps.append(
        "Ensemble mean, spread and probability of the corrected forecast; read each box; two maps."
    )


def _fields(plan: Plan, case: Case, threshold: float) -> tuple[Result, Result]:
    """Have mean, spread and probability of the corrected members made; return the last two."""
    of: dict[str, Any] = {"member_paths": [CORRECTED], "variable": case.domain.variable}
    plan.call("aggregate_ensemble", **of, output_path="work/ensemble_mean.nc")
    spread = plan.call("ensemble_spread", **of, output_path="work/ensemble_spread.nc")
    likely = plan.call(
        "event_probability",
        **of,
        threshold=threshold,
        mode="votes",
        output_path="work/event_probability.nc",
    )
    return spread, likely


def _maps(plan: Plan) -> None:
    """Have mean and spread drawn, averaged over months."""
    for tool, name in (("plot_ensemble_mean_map", "ensemble_mean"), ("plot_spread_map", "ensemble_spread")):
        plan.call(
            tool,
            netcdf_path=f"work/{name}.nc",
            reduce_dims=["lead"],
            output_dir="maps",
            filename=f"{name}.png",
        )


def smooth(plan: Plan, case: Case) -> None:
    """Smooth the mean of the corrected members and draw it."""
    from scipy.ndimage import gaussian_filter

    sigma = round(float(case.rng.uniform(0.6, 1.4)), 1)
    made = plan.call(
        "smooth_gaussian_field",
        field_path="work/ensemble_mean.nc",
        sigma_pixels=sigma,
        mode="nearest",
        truncate=3.0,
        output_path="work/smooth.nc",
    )
    plan.call(
        "plot_region_map",
        netcdf_path="work/smooth.nc",
        reduce_dims=["lead"],
        output_dir="maps",
        filename="smooth.png",
    )
    smoothed = gaussian_filter(
        corrected_forecast(case).mean(axis=1), (0, sigma, sigma), mode="nearest", truncate=3.0
    )
    plan.questions.append(
        f"Smooth the corrected mean of members, month by month, with a Gaussian of {sigma:g} cells (edges repeated, "
        "cut at three standard deviations), and draw its mean over the months."
    )
    unit = case.domain.unit
    plan.ask(
        "smoothed_range",
        f"highest minus lowest smoothed value of all months and cells, {unit}",
        smoothed.max() - smoothed.min(),
        made.at("max") - made.at("min"),
        rounding(case, 0.005),
    )
    plan.steps.append("Smooth the ensemble mean; a map of it.")


def terciles(plan: Plan, case: Case, boxes: int) -> None:
    """Shares of the forecast's members beyond the terciles of the hindcast's seasons, by box."""
    grids = case.grids
    plan.call(
        "category_probabilities",
        member_paths=["work/forecast_jja.nc"],
        variable=case.domain.variable,
        terciles_path="work/hindcast_jja.nc",
        output_path="work/terciles.nc",
    )
    masks = []
    for box in grids.boxes[:boxes]:
        masks.append(f"work/mask_{box.key}.nc")
        plan.call(
            "region_mask",
            grid_path="work/terciles.nc",
            region=[box.north, box.west, box.south, box.east],
            output_path=masks[-1],
        )
    reads = {
        box.name: plan.call(
            "read_netcdf_data",
            netcdf_path="work/terciles.nc",
            variable="p_above",
            **cells_of(box),
        )
        for box in grids.boxes[:boxes]
    }
    plan.call(
        "seasonal_region_table",
        prob_path="work/terciles.nc",
        mask_paths=masks,
        output_path="work/regions.csv",
    )
    plan.call(
        "plot_tercile_map", prob_path="work/terciles.nc", category="above", output_path="maps/above.png"
    )
    hindcast, forecast, _ = summers(case)
    _, upper = np.quantile(hindcast.reshape(-1, *hindcast.shape[2:]), (1 / 3, 2 / 3), axis=0)
    above = (forecast > upper).mean(axis=0)
    plan.questions.append(
        "Say which share of the forecast's members has a season above the upper tercile of the hindcast (all years and "
        "members of a cell together, quantiles by linear interpolation), in a table of the regions and on a map."
    )
    for box in grids.boxes[:boxes]:
        plan.ask(
            f"above_tercile_{box.key}",
            f"mean of that share over the cells of {box.said}, each cell once",
            grids.mean_in(above, box),
            reads[box.name].at("stats", "mean") * 1.0,
            Tolerance(FINE, "rounding: shares of ten members, averaged over the cells of a box"),
        )
    plan.steps.append("Shares beyond the terciles; a mask for each box; each box read; a table and a map.")
