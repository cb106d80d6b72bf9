"""Group seasonal: seasonal forecasts fetched, made alike, corrected, turned into categories, anomalies and tables."""

from __future__ import annotations

import datetime
import functools
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError, unknown_name
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.offering import offer
from labrig_earth.server.terra.stores import extent, fetch_files, list_allowed_values
from labrig_earth.terra.arguments import seasonal as arguments
from labrig_earth.terra.arguments.kinds import Number, Text, Texts
from labrig_earth.terra.arguments.seasonal import SEASONAL, Limits

GROUP = "seasonal"
TOOLSETS = ("terra", f"terra-{GROUP}")
MOST_FILES = 40
LONGEST_DAYS = 215
"""Of a seasonal forecast: the seventh month is not whole."""


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
        for when in [list_days(each, one, leadtime_month) if name in ORIGINAL else {}]
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
    return await fetch_files(
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
    return await list_allowed_values(GROUP, collection_id, request, keys)


tool = functools.partial(offer, GROUP)

tool("standardize_seasonal_files", "Make files alike", arguments.StandardizeSeasonalFiles)
tool("aggregate_to_season", "Season of months", arguments.AggregateToSeason)
tool("fit_bias_correction", "Fit a bias correction", arguments.FitBiasCorrection)
tool("apply_bias_correction", "Correct forecasts", arguments.ApplyBiasCorrection)
tool("category_probabilities", "Terciles", arguments.CategoryProbabilities)
tool("blend_multi_model", "Blend models", arguments.BlendMultiModel)
tool("forecast_anomaly_from_model_climo", "Anomaly from the model", arguments.ForecastAnomalyFromModelClimo)
tool("compute_enso_indices", "ENSO indices", arguments.ComputeEnsoIndices)
tool("region_mask", "Mask of a box", arguments.RegionMask)
tool("seasonal_region_table", "Table of regions", arguments.SeasonalRegionTable)


def list_days(year: str, month: str, leads: list[str]) -> dict[str, list[str]]:
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
