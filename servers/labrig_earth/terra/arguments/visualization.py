"""Arguments of group visualization: maps as PNG, of fields, ensembles and seasonal forecasts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import (
    MAY_BE_EMPTY,
    Between,
    Count,
    File,
    Files,
    Number,
    Numbers,
    OneOf,
    OptionalFile,
    Text,
    Texts,
)

PLOTS = "./plots"

Index = Annotated[Count | None, Field(description="Else all times.")]
AGGREGATES = OneOf("auto", "mean", "sum", "min", "max")
Aggregate = Annotated[Text, AGGREGATES, Field(description="auto (mean), mean, sum, min, max.")]
Limit = Number | None
Variable = Annotated[str, MAY_BE_EMPTY]
Title = Annotated[Text, MAY_BE_EMPTY]


class PictureInFolder(Arguments):
    """A picture that goes into a folder, by its own name or by one that is given."""

    def places(self) -> tuple[str, str]:
        """Return the folder, and the path of the picture where its name is given."""
        folder, _ = super().places()
        name = getattr(self, "filename", "")
        return folder, end_with_png(f"{folder}/{name}") if name else ""


class PictureAtPath(Arguments):
    """A picture whose path is given."""

    def places(self) -> tuple[str, str]:
        """Return the folder, and the path of the picture."""
        folder, path = super().places()
        return folder, end_with_png(path)


def end_with_png(path: str) -> str:
    """Return a path with the ending of a picture, where it has none."""
    return path if PurePosixPath(path).suffix else f"{path}.png"


class OfTimes(PictureInFolder):
    """A map of a variable at one of its times, or of several made one."""

    netcdf_path: File
    variable: Text = ""
    time_index: Index = None
    aggregate: Aggregate = "auto"
    reduce_dims: Texts = []


class PlotRegionMap(OfTimes):
    """Draw a map of a variable, or of a box of it."""

    region: Annotated[Numbers, Field(description="[north, west, south, east].")] = []
    cmap: Text = ""
    title: Text = ""
    output_dir: Text = PLOTS
    filename: Text = ""


class PlotEnsembleMeanMap(OfTimes):
    """Draw the mean of an ensemble, hatched where a confidence is at or above its threshold."""

    variable: Variable = "ensemble_mean"
    cmap: Text = ""
    center_zero: Annotated[bool | None, Field(description="By default where signs differ.")] = None
    vmin: Limit = None
    vmax: Limit = None
    confidence_path: OptionalFile = ""
    confidence_variable: str = "confidence"
    confidence_threshold: Number = 0.7
    hatch_pattern: str = "///"
    title: Title = "Ensemble mean"
    subtitle: Text = ""
    output_dir: Text = PLOTS
    filename: Text = ""


class PlotSpreadMap(OfTimes):
    """Draw the spread of an ensemble."""

    variable: Variable = "ensemble_spread"
    cmap: Text = ""
    vmin: Number = 0.0
    vmax: Limit = None
    title: Title = "Ensemble spread"
    subtitle: Text = ""
    output_dir: Text = PLOTS
    filename: Text = ""


class PlotConfidenceMap(OfTimes):
    """Draw an index of confidence from 0 to 1, with contours."""

    variable: Variable = "confidence"
    cmap: Text = ""
    vmin: Number = 0.0
    vmax: Number = 1.0
    contour_levels: Numbers = [0.4, 0.6, 0.8]
    title: Title = "Confidence"
    subtitle: Text = ""
    output_dir: Text = PLOTS
    filename: Text = ""


class PlotSpaghettiMap(PictureInFolder):
    """Draw contours of every member, a colour for each level, and broad ones of their mean."""

    member_paths: Annotated[Files, Field(description="In the workspace, or handles.")]
    variable: str
    member_labels: Texts = []
    time_index: Index = None
    aggregate: Aggregate = "auto"
    reduce_dims: Texts = []
    contour_levels: Annotated[Numbers, Field(description="At most 8; by default round ones.")] = []
    linewidth: Annotated[Number, Between(0.1, 5)] = 1.0
    alpha: Annotated[Number, Between(0.05, 1)] = 0.8
    colors: Annotated[Texts, Field(description="Of the levels.")] = []
    title: Title = "Contours of members"
    subtitle: Text = ""
    output_dir: Text = PLOTS
    filename: Text = ""


class PlotTercileMap(PictureAtPath):
    """Draw the probability of a tercile (p_below, p_normal, p_above), with a contour of one third."""

    prob_path: File
    category: Annotated[
        str, OneOf("below", "normal", "above"), Field(description="below, normal or above.")
    ] = "above"
    title: Text = ""
    output_path: Text = f"{PLOTS}/tercile_map.png"


class PlotAnomalyMap(PictureAtPath):
    """Draw an anomaly, 0 in the middle of the colours."""

    anomaly_path: File
    title: Text = ""
    vmin: Limit = None
    vmax: Limit = None
    cmap: Annotated[Text, MAY_BE_EMPTY] = "RdBu_r"
    output_path: Text = f"{PLOTS}/anomaly_map.png"
    variable: Annotated[Text, Field(description="Where the file has several.")] = ""


class PlotSkillMap(PictureAtPath):
    """Draw a measure of skill."""

    skill_nc_path: File
    metric: Annotated[Text, Field(description="The variable.")] = ""
    mask_threshold: Annotated[Number, Field(description="Above 0: cells below it are left out.")] = 0.0
    cmap: Text = ""
    output_path: Text = f"{PLOTS}/skill_map.png"


OfEnsemble = PlotEnsembleMeanMap | PlotSpreadMap | PlotConfidenceMap
