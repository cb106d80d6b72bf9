"""Group seasonal: seasonal forecasts fetched, made alike, corrected, turned into categories, anomalies and tables."""

from __future__ import annotations

import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from labrig.answer import Published
from labrig.errors import LabrigError, unknown_name
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import Mapped, Number, Numbers, Text, Texts, Whole, Wholes, called
from labrig_earth.server.terra.stores import allowed_values, extent, fetched_files

GROUP = "seasonal"
TOOLSETS = ("terra", f"terra-{GROUP}")
SEASONAL = "./data/seasonal"
MOST_FILES = 40
LONGEST_DAYS = 215
"""Of a seasonal forecast: the seventh month is not whole."""

Years = Annotated[Wholes, BeforeValidator(lambda value: [1991, 2020] if value is None else value)]
Limits = Annotated[Numbers, Field(description="[north, west, south, east].")]

MONTHLY = (
    "seasonal-monthly-single-levels",
    "seasonal-monthly-pressure-levels",
    "seasonal-monthly-ocean",
    "seasonal-postprocessed-single-levels",
    "seasonal-postprocessed-pressure-levels",
)
ORIGINAL = ("seasonal-original-single-levels", "seasonal-original-pressure-levels")
ALIASES = {
    "seasonal-monthly-ocean-single-levels": MONTHLY[0],
    "seasonal-monthly-single-level": MONTHLY[0],
    "seasonal-original-single-level": ORIGINAL[0],
    "seasonal-original-ocean-single-levels": ORIGINAL[0],
}
"""As the public code takes them."""

ORDER = ("variable", "originating_centre", "system", "product_type", "year", "month", "leadtime_month")


@toolbox.tool(
    title="Fetch seasonal forecasts", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS
)
async def fetch_c3s_seasonal(
    dataset: Annotated[str, Field(description="Such as seasonal-monthly-single-levels.")],
    originating_centre: Annotated[str, Field(description="Such as ecmwf.")],
    system: Annotated[Text, Field(description="Of the centre: a number.")],
    variable: list[str],
    product_type: Annotated[str | list[str], Field(description="Such as monthly_mean.")],
    year: list[str],
    month: list[str],
    leadtime_month: list[str],
    area: Limits = [],  # noqa: B006 - pydantic copies it
    grid: Number | None = None,
    format: Annotated[Text, Field(description="netcdf.")] = "netcdf",
    data_format: Text = "",
    persist_dir: Text = SEASONAL,
    KEY: Annotated[Text, Field(description="Refused: a setting.")] = "",
) -> Published:
    """Fetch seasonal forecasts of C3S, a file for each start; needs a key of the CDS."""
    name = ALIASES.get(dataset.strip(), dataset.strip())
    if name not in (*MONTHLY, *ORIGINAL):
        raise unknown_name("dataset", dataset, (*MONTHLY, *ORIGINAL), where="dataset")
    if KEY:
        raise LabrigError(
            "Keys are settings of the server, no arguments",
            where="KEY",
            try_="LABRIG_EARTH_CDS_KEY",
            code="refused",
        )
    if (data_format or format or "netcdf") != "netcdf":
        raise LabrigError("Only NetCDF can be read", where="data_format", expected="netcdf")
    lists = {"variable": variable, "year": year, "month": month, "leadtime_month": leadtime_month}
    for argument, values in lists.items():
        if not values:
            raise LabrigError("Nothing is asked for", where=argument, expected="one or more")
    if not system.strip():
        raise LabrigError(
            "The system of the centre is missing", where="system", expected="such as 51 for ecmwf"
        )
    if len(year) * len(month) > MOST_FILES:
        raise LabrigError(
            f"{len(year) * len(month)} starts are asked for", where="year, month", expected=f"at most {MOST_FILES}",
            code="limit",
        )  # fmt: skip
    kinds = [product_type] if isinstance(product_type, str) else product_type
    common = {
        "data_format": "netcdf",
        "download_format": "unarchived",
        "originating_centre": originating_centre,
        "system": system,
        "variable": variable,
        **({} if name in ORIGINAL else {"product_type": kinds, "leadtime_month": leadtime_month}),
        **extent(area, grid),
    }
    stem = f"{originating_centre}_s{system}_{'-'.join(variable)}"
    leads = f"leads{leadtime_month[0]}-{leadtime_month[-1]}"
    wanted = [
        (f"{stem}_{each}_{one}_{leads}", {**common, "year": [each], "month": [one], **when})
        for each in year
        for one in month
        for when in [_days_of(each, one, leadtime_month) if name in ORIGINAL else {}]
    ]
    about = {
        "dataset": name,
        "centre": originating_centre,
        "system": system,
        "data_format": "netcdf",
        "year": year,
        "product_type": kinds,
    }
    if name in ORIGINAL:
        about["assumed"] = (
            "leads of the months by the day (leadtime_hour), of the start on day 01; no product_type"
        )
    return await fetched_files(
        GROUP,
        "fetch_c3s_seasonal",
        name,
        wanted,
        folder=persist_dir or SEASONAL,
        variables=variable,
        about=about,
    )


@toolbox.tool(
    title="Which values go together", read_only=True, open_world=True, faithful=True, toolsets=TOOLSETS
)
async def progressive_cds_constraints(
    collection_id: str,
    request: dict[str, Any],
    order: Annotated[Texts, Field(description="Of the keys of the request.")] = [],  # noqa: B006
) -> Published:
    """Say key by key which values the CDS has, given those before."""
    for name in order:
        if name not in request:
            raise unknown_name("key", name, list(request), where="order")
    keys = order or [*(key for key in ORDER if key in request), *(key for key in request if key not in ORDER)]
    return await allowed_values(GROUP, collection_id, request, keys)


@toolbox.tool(title="Make files alike", read_only=False, faithful=True, toolsets=TOOLSETS)
async def standardize_seasonal_files(
    paths: list[str],
    unit_map: Annotated[Mapped, Field(description="Unit by variable.")] = {},  # noqa: B006
    rename_map: Annotated[Mapped, Field(description="New name by old.")] = {},  # noqa: B006
    output_dir: Text = f"{SEASONAL}/standardized",
) -> Published:
    """Name axes start, lead, member, latitude, longitude; north first; units and names as wanted."""
    arguments = {"unit_map": unit_map, "rename_map": rename_map}
    output = output_dir or f"{SEASONAL}/standardized"
    return await called(GROUP, "standardize_seasonal_files", {"files": paths}, arguments, output_dir=output)


@toolbox.tool(title="Season of months", read_only=False, faithful=True, toolsets=TOOLSETS)
async def aggregate_to_season(
    path: str,
    agg: Annotated[Text, Field(description="mean (by days) or sum.")] = "mean",
    season_def: Annotated[Text, Field(description="DJF .. NDJ, or its middle month.")] = "DJF",
    center_on: Annotated[Text, Field(description="middle_month, first_month.")] = "middle_month",
    output_path: Text = f"{SEASONAL}/seasonal_agg.nc",
    variable: Annotated[Text, Field(description="By default all.")] = "",
) -> Published:
    """One value of three months for each year, of a forecast by leads or of a monthly series."""
    arguments = {"agg": agg, "season_def": season_def, "center_on": center_on, "variable": variable}
    return await _to("aggregate_to_season", {"file": [path]}, arguments, output_path, "seasonal_agg.nc")


@toolbox.tool(title="Fit a bias correction", read_only=False, faithful=True, toolsets=TOOLSETS)
async def fit_bias_correction(
    hindcast_paths: list[str],
    obs_paths: Annotated[list[str], Field(description="Months for leads, seasons for seasons.")],
    variable: str,
    method: Annotated[Text, Field(description="QDM, EQM, mean.")] = "QDM",
    probs: Numbers = [],  # noqa: B006
    output_path: Text = f"{SEASONAL}/bias_map.nc",
    kind: Annotated[Text, Field(description="additive, multiplicative.")] = "additive",
    obs_variable: Text = "",
) -> Published:
    """Fit a correction on 24 years or more; each year is also corrected by the others: hindcast_left_out_path."""
    arguments = {
        "variable": variable,
        "method": method,
        "probs": probs,
        "kind": kind,
        "obs_variable": obs_variable,
    }
    inputs = {"hindcast": hindcast_paths, "observed": obs_paths}
    return await _to("fit_bias_correction", inputs, arguments, output_path, "bias_map.nc")


@toolbox.tool(title="Correct forecasts", read_only=False, faithful=True, toolsets=TOOLSETS)
async def apply_bias_correction(
    forecast_paths: list[str],
    bias_map_path: str,
    variable: str,
    output_dir: Text = f"{SEASONAL}/calibrated",
) -> Published:
    """Correct forecasts of the hindcast's months by a fitted correction."""
    inputs = {"forecasts": forecast_paths, "bias_map": [bias_map_path]}
    output = output_dir or f"{SEASONAL}/calibrated"
    return await called(GROUP, "apply_bias_correction", inputs, {"variable": variable}, output_dir=output)


@toolbox.tool(title="Terciles", read_only=False, faithful=True, toolsets=TOOLSETS)
async def category_probabilities(
    member_paths: list[str],
    variable: str,
    terciles_path: Annotated[
        str, Field(description="tercile_lower and _upper, or 24 years of the variable.")
    ],
    category_names: Texts = [],  # noqa: B006
    output_path: Text = f"{SEASONAL}/category_probs.nc",
) -> Published:
    """Shares of members below, between and above terciles: p_below, p_normal, p_above."""
    arguments = {"variable": variable, "category_names": category_names}
    inputs = {"members": member_paths, "terciles": [terciles_path]}
    return await _to("category_probabilities", inputs, arguments, output_path, "category_probs.nc")


@toolbox.tool(title="Blend models", read_only=False, faithful=True, toolsets=TOOLSETS)
async def blend_multi_model(
    prob_paths: list[str],
    weights: Numbers = [],  # noqa: B006
    output_path: Text = f"{SEASONAL}/blended_probs.nc",
) -> Published:
    """Weighted mean of the probabilities of several models."""
    return await _to(
        "blend_multi_model", {"models": prob_paths}, {"weights": weights}, output_path, "blended_probs.nc"
    )


@toolbox.tool(title="Anomaly from the model", read_only=False, faithful=True, toolsets=TOOLSETS)
async def forecast_anomaly_from_model_climo(
    forecast_path: str,
    model_climo_mean_path: Annotated[str, Field(description="A mean, or the hindcast.")],
    variable: str,
    agg: Annotated[Text, Field(description="mean of the members, or members.")] = "mean",
    output_path: Text = f"{SEASONAL}/forecast_anomaly.nc",
    climo_variable: Text = "",
) -> Published:
    """Forecast minus the model's own climate, lead by lead."""
    arguments = {"variable": variable, "agg": agg, "climo_variable": climo_variable}
    inputs = {"forecast": [forecast_path], "climate": [model_climo_mean_path]}
    return await _to(
        "forecast_anomaly_from_model_climo", inputs, arguments, output_path, "forecast_anomaly.nc"
    )


@toolbox.tool(title="ENSO indices", read_only=False, faithful=True, toolsets=TOOLSETS)
async def compute_enso_indices(
    sst_path: Annotated[str, Field(description="Monthly.")],
    baseline_years: Years = [1991, 2020],  # noqa: B006
    smooth_months: Whole = 3,
    output_path: Text = f"{SEASONAL}/enso_indices.csv",
    variable: Text = "",
) -> Published:
    """Nino 3.4, 3, 4 and 1+2 by month: anomalies, and running means of them."""
    arguments = {"baseline_years": baseline_years, "smooth_months": smooth_months, "variable": variable}
    return await _to("compute_enso_indices", {"sst": [sst_path]}, arguments, output_path, "enso_indices.csv")


@toolbox.tool(title="Mask of a box", read_only=False, faithful=True, toolsets=TOOLSETS)
async def region_mask(
    grid_path: str,
    region: Limits,
    output_path: Text = f"{SEASONAL}/region_mask.nc",
) -> Published:
    """1 for cells whose centres lie in a box, 0 for others."""
    return await _to("region_mask", {"grid": [grid_path]}, {"region": region}, output_path, "region_mask.nc")


@toolbox.tool(title="Table of regions", read_only=False, faithful=True, toolsets=TOOLSETS)
async def seasonal_region_table(
    prob_path: str,
    regions: Annotated[Texts, Field(description="Countries, continents.")] = [],  # noqa: B006
    mask_paths: Texts = [],  # noqa: B006
    anomaly_path: Text = "",
    skill_path: Text = "",
    output_path: Text = f"{SEASONAL}/region_table.csv",
    anomaly_variable: Text = "",
    skill_variable: Text = "",
) -> Published:
    """Mean probabilities of regions by area, with anomaly and skill."""
    arguments = {
        "regions": regions,
        "anomaly_variable": anomaly_variable,
        "skill_variable": skill_variable,
    }
    inputs = {
        "probabilities": [prob_path],
        "masks": mask_paths,
        "anomaly": [anomaly_path],
        "skill": [skill_path],
    }
    return await _to("seasonal_region_table", inputs, arguments, output_path, "region_table.csv")


def _days_of(year: str, month: str, leads: list[str]) -> dict[str, list[str]]:
    """Return what the forms of daily data have in the place of months of lead: hours after the start, a day apart.

    An hour that ends a day holds its sums and extremes, and the fields of 00 UTC that follow it.
    """
    try:
        start = datetime.date(int(year), int(month), 1)
        first = [start.year * 12 + start.month - 1 + int(each) - 1 for each in leads]
        spans = [
            [(datetime.date(at // 12, at % 12 + 1, 1) - start).days for at in (each, each + 1)]
            for each in first
        ]
    except (ValueError, OverflowError):
        spans = []
    if not spans or min(low for low, _ in spans) < 0:
        raise LabrigError(
            f"These are no leads of {year[:10]}-{month[:10]}: {', '.join(leads)[:80]}",
            where="year, month, leadtime_month",
            expected="numbers, such as year 2021, month 05, leadtime_month 1 (the month of the start)",
        )
    days = sorted({day for low, high in spans for day in range(low + 1, high + 1) if day <= LONGEST_DAYS})
    return {"day": ["01"], "leadtime_hour": [str(24 * day) for day in days]}


async def _to(
    tool: str, inputs: dict[str, list[str]], arguments: dict[str, Any], output_path: str, name: str
) -> Published:
    """Call an operation whose first file goes to a path, and further ones beside it."""
    ending = name[name.rindex(".") :]
    path = output_path or f"{SEASONAL}/{name}"
    if not path.endswith(ending):
        raise LabrigError(
            "The file has another format", where=f"output_path {path[:200]}", expected=f"*{ending}"
        )
    folder = path.rpartition("/")[0] or "."
    return await called(GROUP, tool, inputs, arguments, output_dir=folder, output_path=path)
