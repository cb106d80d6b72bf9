"""Arguments of group ensemble_verify: fields made alike, ensembles, calibration, heat waves, verification."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.errors import LabrigError, unknown_name
from labrig_earth.terra.arguments.declared import OUTPUT_DIR, Arguments
from labrig_earth.terra.arguments.kinds import (
    Between,
    Count,
    File,
    Files,
    Mapped,
    Number,
    Numbers,
    OneOf,
    OptionalFile,
    Text,
    Texts,
    Whole,
)

BASELINES = {
    "tmean95": "p95",
    "tmax95": "p95",
    "tmax_p95": "p95",
    "tmean_clim": "climate",
    "tmean": "climate",
}
PUBLISHED = ("rmse", "mae", "bias", "acc")
OF_MEMBERS = ("crps", "rank_histogram", "spread_skill")
OF_EVENTS = ("brier", "reliability")
METRICS = (*PUBLISHED, "correlation", *OF_MEMBERS, *OF_EVENTS)


class HarmonizeGrid(Arguments):
    """Put a variable of several files on one grid; nothing is extrapolated."""

    model_files: Files
    variable: str
    names: Texts = []
    target_grid_path: OptionalFile = ""
    target_latitudes: Numbers = []
    target_longitudes: Numbers = []
    target_grid_strategy: Annotated[
        Text, OneOf("coarsest", "finest", "first"), Field(description="coarsest, finest, first.")
    ] = "coarsest"
    lon_range: Annotated[
        Text, OneOf("-180:180", "0:360", "auto"), Field(description="-180:180, 0:360, auto.")
    ] = "-180:180"
    sort_lats: bool = True
    sort_lons: bool = True
    interp_method: Annotated[Text, Field(description="linear, nearest, conservative.")] = "linear"
    accumulation: Annotated[
        Text, OneOf("sum", "mean", "max"), Field(description="Over time: sum, mean, max.")
    ] = ""
    accumulation_hours: Annotated[Whole, Between(0, 24 * 366)] = 0
    transform: Annotated[Text, OneOf("sqrt", "log", "log1p"), Field(description="sqrt, log, log1p.")] = ""
    output_dir: Text = OUTPUT_DIR


class AnomalyAndClimo(Arguments):
    """Subtract a climate from a field; sigma_ref is written where the climate's deviation is given."""

    field_path: File
    variable: str
    climo_mean_path: Annotated[File, Field(description="By month, dayofyear, or one for all.")]
    climo_std_path: OptionalFile = ""
    climo_mean_variable: Text = ""
    climo_std_variable: Text = ""
    output_variable: Text = ""
    emit_climo: bool = True
    output_dir: Text = OUTPUT_DIR


class SmoothGaussianField(Arguments):
    """Smooth a field by a Gaussian whose standard deviation is in cells."""

    field_path: File
    variable: Text = ""
    sigma_pixels: Annotated[Number, Between(1e-3, 1000)] = 1.0
    mode: Annotated[
        Text,
        OneOf("nearest", "reflect", "constant", "mirror", "wrap"),
        Field(description="Edges: nearest, reflect, constant, mirror, wrap."),
    ] = "nearest"
    truncate: Annotated[Number, Between(0.5, 20)] = 3.0
    output_variable: Text = ""
    output_path: Text = ""
    drop_singleton_dims: bool = True


class OfMembers(Arguments):
    """What every sub-tool of an ensemble asks."""

    member_paths: Files
    variable: str


class AggregateEnsemble(OfMembers):
    """Weighted mean of members that share grid, times and unit."""

    member_paths: Annotated[Files, Field(description="Files, one with a member axis, or a manifest.")]
    variable_map: Annotated[Mapped, Field(description="By file.")] = {}
    coerce_time: Annotated[Text, Field(description="Pair times by index or lead_hours.")] = ""
    weights: Numbers = []
    output_variable: Text = "ensemble_mean"
    output_path: Text = ""
    output_dir: Text = OUTPUT_DIR


class EnsembleSpread(OfMembers):
    """Weighted standard deviation of members, in their unit."""

    variable_map: Mapped = {}
    coerce_time: Text = ""
    weights: Numbers = []
    mean_path: OptionalFile = ""
    mean_variable: Text = "ensemble_mean"
    estimator: Annotated[Text, Field(description="population (M) or sample (M-1).")] = "population"
    output_variable: Text = "ensemble_spread"
    output_path: Text = ""
    output_dir: Text = OUTPUT_DIR


class NormalizedSpread(Arguments):
    """Spread of an ensemble over the standard deviation of the climate."""

    spread_path: File
    sigma_ref_path: File
    spread_variable: Text = "ensemble_spread"
    sigma_variable: Text = "sigma_ref"
    output_variable: Text = "normalized_spread"
    epsilon: Annotated[Number, Between(0)] = 1e-6
    output_path: Text = ""
    output_dir: Text = OUTPUT_DIR


class EventProbability(OfMembers):
    """Probability of a value at or above a threshold."""

    threshold: Annotated[Number, Field(description="In the unit of the data.")]
    mode: Annotated[Text, OneOf("votes", "gaussian"), Field(description="votes, or gaussian.")] = "votes"
    mean_path: OptionalFile = ""
    mean_variable: Text = "ensemble_mean"
    spread_path: OptionalFile = ""
    spread_variable: Text = "ensemble_spread"
    min_spread: Annotated[Number, Between(1e-12)] = 1e-6
    output_variable: Text = "event_probability"
    output_path: Text = ""
    output_dir: Text = OUTPUT_DIR


class EmosCalibration(OfMembers):
    """Fit EMOS on 24 years or more, checked on years left out; or apply it: mu_cal and sigma_cal."""

    truth_path: OptionalFile = ""
    truth_variable: Text = ""
    coeffs: Annotated[Mapped, Field(description="To apply: a, b1.., c, d.")] = {}
    mode: Annotated[Text, OneOf("fit", "apply"), Field(description="fit or apply.")] = "fit"
    method: Annotated[Text, Field(description="crps or regression.")] = "crps"
    spread_path: OptionalFile = ""
    spread_variable: Text = "ensemble_spread"
    min_variance: Annotated[Number, Between(1e-12)] = 1e-4
    output_dir: Text = OUTPUT_DIR
    output_path: Text = ""


class ConfidenceIndex(OfMembers):
    """skill_weight * (1 - tanh(normalized spread)), halved where anomalies of members differ in sign."""

    coerce_time: Text = ""
    normalized_spread_path: OptionalFile = ""
    normalized_variable: Text = "normalized_spread"
    spread_path: OptionalFile = ""
    spread_variable: Text = "ensemble_spread"
    sigma_ref_path: OptionalFile = ""
    sigma_variable: Text = "sigma_ref"
    climo_mean_path: OptionalFile = ""
    climo_variable: Text = "climatology"
    skill_weight: Annotated[Number, Between(0, 1)] = 1.0
    output_variable: Text = "confidence"
    output_path: Text = ""
    output_dir: Text = OUTPUT_DIR


class LaggedIcEnsemble(Arguments):
    """Join runs with earlier ones over their common times: a manifest, and a file of members."""

    member_files: Files
    lagged_files: Files
    variable: str
    output_dir: Text = OUTPUT_DIR
    manifest_name: Text = "ensemble_manifest.json"


class EhfHeatwave(Arguments):
    """Excess heat factor by day (K2), and the days of heat waves: spells above zero of persistence_days."""

    tmax_path: File
    tmin_path: File
    baseline_paths: Annotated[
        dict[str, str], Field(description="tmean95 or tmax95; tmean_clim, or the 30 days before.")
    ]
    persistence_days: Annotated[Count, Field(ge=1, le=60)] = 3
    output_dir: Text = "./data/ensemble/events"

    def inputs(self) -> dict[str, list[str]]:
        """Return the paths that are given; those of the baselines by what they are, p95 and climate."""
        return {**super().inputs(), **self.baselines()}

    def baselines(self) -> dict[str, list[str]]:
        """Return the paths of the baselines by what they are, p95 and climate."""
        found: dict[str, list[str]] = {}
        for name, path in self.baseline_paths.items():
            if name not in BASELINES:
                raise unknown_name("baseline", name, BASELINES, where="baseline_paths")
            if BASELINES[name] in found:
                raise LabrigError(
                    f"{name} is a second one of its kind", where="baseline_paths", expected="one of each"
                )
            found[BASELINES[name]] = [path]
        if "p95" not in found:
            raise LabrigError(
                "The 95th percentile is missing", where="baseline_paths", expected="tmean95 or tmax95"
            )
        return found


class Verify(Arguments):
    """Hold a forecast, or an ensemble in one file, against the truth."""

    forecast_path: File
    truth_path: File
    variable: str
    truth_variable: Text = ""
    metrics: Annotated[
        Texts,
        OneOf(*METRICS),
        Field(
            description="rmse, mae, bias, acc (default); correlation, crps, rank_histogram, spread_skill, brier, "
            "reliability."
        ),
    ] = []
    mask_path: OptionalFile = ""
    mask_variable: Text = ""
    climatology_path: OptionalFile = ""
    climatology_variable: Text = ""
    threshold: Annotated[Number | None, Field(description="Of an event, for brier.")] = None
    crps_variant: Annotated[Text, Field(description="fair or ecdf.")] = "fair"
    area_weighted: bool = False
