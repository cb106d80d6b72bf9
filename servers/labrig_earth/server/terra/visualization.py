"""Group visualization: maps as PNG, of fields, ensembles and seasonal forecasts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import Count, Number, Numbers, Text, Texts, called

GROUP = "visualization"
TOOLSETS = ("terra", f"terra-{GROUP}")
PLOTS = "./plots"

Index = Annotated[Count | None, Field(description="Else all times.")]
Aggregate = Annotated[Text, Field(description="auto (mean), mean, sum, min, max.")]
Limit = Number | None


async def _plot(
    tool: str, path: str, arguments: dict[str, Any], output: str, inputs: dict[str, list[str]] | None = None
) -> Published:
    """Draw a map of the field of a file; `output` is the path of the picture, or its folder with '/' at the end."""
    folder = output if output.endswith("/") else PLOTS
    name = "" if output.endswith("/") else output
    return await called(
        GROUP, tool, {"field": [path], **(inputs or {})}, arguments, output_dir=folder, output_path=name
    )


def _place(output_dir: str, filename: str) -> str:
    """Return where a picture goes: in the folder by its own name, or by the one that was given."""
    folder = output_dir or PLOTS
    return _png(f"{folder}/{filename}") if filename else f"{folder}/"


def _png(path: str) -> str:
    return path if PurePosixPath(path).suffix else f"{path}.png"


@toolbox.tool(title="Plot a region", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_region_map(
    netcdf_path: str,
    variable: Text = "",
    time_index: Index = None,
    aggregate: Aggregate = "auto",
    reduce_dims: Texts = [],  # noqa: B006 - pydantic copies it
    region: Annotated[Numbers, Field(description="[north, west, south, east].")] = [],  # noqa: B006
    cmap: Text = "",
    title: Text = "",
    output_dir: Text = PLOTS,
    filename: Text = "",
) -> Published:
    """Draw a map of a variable, or of a box of it."""
    arguments = {
        "variable": variable,
        "time_index": time_index,
        "aggregate": aggregate,
        "reduce_dims": reduce_dims,
        "region": region,
        "cmap": cmap,
        "title": title,
    }
    return await _plot("plot_region_map", netcdf_path, arguments, _place(output_dir, filename))


@toolbox.tool(title="Plot an ensemble mean", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_ensemble_mean_map(
    netcdf_path: str,
    variable: str = "ensemble_mean",
    time_index: Index = None,
    aggregate: Aggregate = "auto",
    reduce_dims: Texts = [],  # noqa: B006
    cmap: Text = "",
    center_zero: Annotated[bool | None, Field(description="By default where signs differ.")] = None,
    vmin: Limit = None,
    vmax: Limit = None,
    confidence_path: Text = "",
    confidence_variable: str = "confidence",
    confidence_threshold: Number = 0.7,
    hatch_pattern: str = "///",
    title: Text = "Ensemble mean",
    subtitle: Text = "",
    output_dir: Text = PLOTS,
    filename: Text = "",
) -> Published:
    """Draw the mean of an ensemble, hatched where a confidence is at or above its threshold."""
    arguments = {
        "variable": variable,
        "time_index": time_index,
        "aggregate": aggregate,
        "reduce_dims": reduce_dims,
        "cmap": cmap,
        "center_zero": center_zero,
        "vmin": vmin,
        "vmax": vmax,
        "confidence_variable": confidence_variable,
        "confidence_threshold": confidence_threshold,
        "hatch_pattern": hatch_pattern,
        "title": title,
        "subtitle": subtitle,
    }
    inputs = {"confidence": [confidence_path]}
    place = _place(output_dir, filename)
    return await _plot("plot_ensemble_mean_map", netcdf_path, arguments, place, inputs)


@toolbox.tool(title="Plot a spread", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_spread_map(
    netcdf_path: str,
    variable: str = "ensemble_spread",
    time_index: Index = None,
    aggregate: Aggregate = "auto",
    reduce_dims: Texts = [],  # noqa: B006
    cmap: Text = "",
    vmin: Number = 0.0,
    vmax: Limit = None,
    title: Text = "Ensemble spread",
    subtitle: Text = "",
    output_dir: Text = PLOTS,
    filename: Text = "",
) -> Published:
    """Draw the spread of an ensemble."""
    arguments = {
        "variable": variable,
        "time_index": time_index,
        "aggregate": aggregate,
        "reduce_dims": reduce_dims,
        "cmap": cmap,
        "vmin": vmin,
        "vmax": vmax,
        "title": title,
        "subtitle": subtitle,
    }
    return await _plot("plot_spread_map", netcdf_path, arguments, _place(output_dir, filename))


@toolbox.tool(title="Plot a confidence", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_confidence_map(
    netcdf_path: str,
    variable: str = "confidence",
    time_index: Index = None,
    aggregate: Aggregate = "auto",
    reduce_dims: Texts = [],  # noqa: B006
    cmap: Text = "",
    vmin: Number = 0.0,
    vmax: Number = 1.0,
    contour_levels: Numbers = [0.4, 0.6, 0.8],  # noqa: B006
    title: Text = "Confidence",
    subtitle: Text = "",
    output_dir: Text = PLOTS,
    filename: Text = "",
) -> Published:
    """Draw an index of confidence from 0 to 1, with contours."""
    arguments = {
        "variable": variable,
        "time_index": time_index,
        "aggregate": aggregate,
        "reduce_dims": reduce_dims,
        "cmap": cmap,
        "vmin": vmin,
        "vmax": vmax,
        "contour_levels": contour_levels,
        "title": title,
        "subtitle": subtitle,
    }
    return await _plot("plot_confidence_map", netcdf_path, arguments, _place(output_dir, filename))


@toolbox.tool(title="Plot contours of members", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_spaghetti_map(
    member_paths: Annotated[list[str], Field(description="In the workspace, or handles.")],
    variable: str,
    member_labels: Texts = [],  # noqa: B006
    time_index: Index = None,
    aggregate: Aggregate = "auto",
    reduce_dims: Texts = [],  # noqa: B006
    contour_levels: Annotated[Numbers, Field(description="At most 8; by default round ones.")] = [],  # noqa: B006
    linewidth: Number = 1.0,
    alpha: Number = 0.8,
    colors: Annotated[Texts, Field(description="Of the levels.")] = [],  # noqa: B006
    title: Text = "Contours of members",
    subtitle: Text = "",
    output_dir: Text = PLOTS,
    filename: Text = "",
) -> Published:
    """Draw contours of every member, a colour for each level, and broad ones of their mean."""
    arguments = {
        "variable": variable,
        "member_labels": member_labels,
        "time_index": time_index,
        "aggregate": aggregate,
        "reduce_dims": reduce_dims,
        "contour_levels": contour_levels,
        "linewidth": linewidth,
        "alpha": alpha,
        "colors": colors,
        "title": title,
        "subtitle": subtitle,
    }
    inputs = {"members": member_paths}
    return await _plot("plot_spaghetti_map", "", arguments, _place(output_dir, filename), inputs)


@toolbox.tool(title="Plot a tercile", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_tercile_map(
    prob_path: str,
    category: Annotated[str, Field(description="below, normal or above.")] = "above",
    title: Text = "",
    output_path: Text = f"{PLOTS}/tercile_map.png",
) -> Published:
    """Draw the probability of a tercile (p_below, p_normal, p_above), with a contour of one third."""
    output = _png(output_path or f"{PLOTS}/tercile_map.png")
    return await _plot("plot_tercile_map", prob_path, {"category": category, "title": title}, output)


@toolbox.tool(title="Plot an anomaly", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_anomaly_map(
    anomaly_path: str,
    title: Text = "",
    vmin: Limit = None,
    vmax: Limit = None,
    cmap: Text = "RdBu_r",
    output_path: Text = f"{PLOTS}/anomaly_map.png",
    variable: Annotated[Text, Field(description="Where the file has several.")] = "",
) -> Published:
    """Draw an anomaly, 0 in the middle of the colours."""
    arguments = {"variable": variable, "title": title, "vmin": vmin, "vmax": vmax, "cmap": cmap}
    output = _png(output_path or f"{PLOTS}/anomaly_map.png")
    return await _plot("plot_anomaly_map", anomaly_path, arguments, output)


@toolbox.tool(title="Plot skill", read_only=False, faithful=True, toolsets=TOOLSETS)
async def plot_skill_map(
    skill_nc_path: str,
    metric: Annotated[Text, Field(description="The variable.")] = "",
    mask_threshold: Annotated[Number, Field(description="Above 0: cells below it are left out.")] = 0.0,
    cmap: Text = "",
    output_path: Text = f"{PLOTS}/skill_map.png",
) -> Published:
    """Draw a measure of skill."""
    arguments = {"metric": metric, "mask_threshold": mask_threshold, "cmap": cmap}
    output = _png(output_path or f"{PLOTS}/skill_map.png")
    return await _plot("plot_skill_map", skill_nc_path, arguments, output)
