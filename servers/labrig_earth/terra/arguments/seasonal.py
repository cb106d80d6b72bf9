"""Arguments of group seasonal: files made alike, corrected, turned into categories, anomalies, indices and tables."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import (
    Between,
    EndsWith,
    File,
    Files,
    Mapped,
    Numbers,
    OneOf,
    OptionalFile,
    OptionalFiles,
    Text,
    Texts,
    Whole,
    Wholes,
)

SEASONAL = "./data/seasonal"

Limits = Annotated[Numbers, Field(description="[north, west, south, east].")]
NetcdfPath = Annotated[Text, EndsWith(".nc")]
CsvPath = Annotated[Text, EndsWith(".csv")]


class StandardizeSeasonalFiles(Arguments):
    """Name axes start, lead, member, latitude, longitude; north first; units and names as wanted."""

    paths: Files
    unit_map: Annotated[Mapped, Field(description="Unit by variable.")] = {}
    rename_map: Annotated[Mapped, Field(description="New name by old.")] = {}
    output_dir: Text = f"{SEASONAL}/standardized"


class AggregateToSeason(Arguments):
    """One value of three months for each year, of a forecast by leads or of a monthly series."""

    path: File
    agg: Annotated[Text, Field(description="mean (by days) or sum.")] = "mean"
    season_def: Annotated[Text, Field(description="DJF .. NDJ, or its middle month.")] = "DJF"
    center_on: Annotated[Text, Field(description="middle_month, first_month.")] = "middle_month"
    output_path: NetcdfPath = f"{SEASONAL}/seasonal_agg.nc"
    variable: Annotated[Text, Field(description="By default all.")] = ""


class FitBiasCorrection(Arguments):
    """Fit a correction on 24 years or more; each year is also corrected by the others: hindcast_left_out_path."""

    hindcast_paths: Files
    obs_paths: Annotated[Files, Field(description="Months for leads, seasons for seasons.")]
    variable: str
    method: Annotated[Text, Field(description="QDM, EQM, mean.")] = "QDM"
    probs: Numbers = []
    output_path: NetcdfPath = f"{SEASONAL}/bias_map.nc"
    kind: Annotated[Text, Field(description="additive, multiplicative.")] = "additive"
    obs_variable: Text = ""


class ApplyBiasCorrection(Arguments):
    """Correct forecasts of the hindcast's months by a fitted correction."""

    forecast_paths: Files
    bias_map_path: File
    variable: str
    output_dir: Text = f"{SEASONAL}/calibrated"


class CategoryProbabilities(Arguments):
    """Shares of members below, between and above terciles: p_below, p_normal, p_above."""

    member_paths: Files
    variable: str
    terciles_path: Annotated[
        File, Field(description="tercile_lower and _upper, or 24 years of the variable.")
    ]
    category_names: Texts = []
    output_path: NetcdfPath = f"{SEASONAL}/category_probs.nc"


class BlendMultiModel(Arguments):
    """Weighted mean of the probabilities of several models."""

    prob_paths: Files
    weights: Numbers = []
    output_path: NetcdfPath = f"{SEASONAL}/blended_probs.nc"


class ForecastAnomalyFromModelClimo(Arguments):
    """Forecast minus the model's own climate, lead by lead."""

    forecast_path: File
    model_climo_mean_path: Annotated[File, Field(description="A mean, or the hindcast.")]
    variable: str
    agg: Annotated[Text, OneOf("mean", "members"), Field(description="mean of the members, or members.")] = (
        "mean"
    )
    output_path: NetcdfPath = f"{SEASONAL}/forecast_anomaly.nc"
    climo_variable: Text = ""


class ComputeEnsoIndices(Arguments):
    """Nino 3.4, 3, 4 and 1+2 by month: anomalies, and running means of them."""

    sst_path: Annotated[File, Field(description="Monthly.")]
    baseline_years: Wholes = [1991, 2020]
    smooth_months: Annotated[Whole, Between(1, 25)] = 3
    output_path: CsvPath = f"{SEASONAL}/enso_indices.csv"
    variable: Text = ""


class RegionMask(Arguments):
    """1 for cells whose centres lie in a box, 0 for others."""

    grid_path: File
    region: Limits
    output_path: NetcdfPath = f"{SEASONAL}/region_mask.nc"


class SeasonalRegionTable(Arguments):
    """Mean probabilities of regions by area, with anomaly and skill."""

    prob_path: File
    regions: Annotated[Texts, Field(description="Countries, continents.")] = []
    mask_paths: OptionalFiles = []
    anomaly_path: OptionalFile = ""
    skill_path: OptionalFile = ""
    output_path: CsvPath = f"{SEASONAL}/region_table.csv"
    anomaly_variable: Text = ""
    skill_variable: Text = ""
