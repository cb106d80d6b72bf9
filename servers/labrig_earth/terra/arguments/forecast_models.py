"""Arguments of group forecast_models: fields put on a grid, tracks of cyclones."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import (
    BY_SERVER,
    FILE,
    Between,
    File,
    Mapped,
    Number,
    OneOf,
    Text,
    Texts,
    Whole,
)

LEAST_POINTS = 5


class RegridToTargetGrid(Arguments):
    """Put variables of a file on another grid of latitudes and longitudes."""

    target_file: Annotated[str, FILE, BY_SERVER] = ""
    data: Annotated[File, Field(description="NetCDF, Zarr or GeoTIFF in degrees.")]
    target_grid: Annotated[str | dict[str, Any], Field(description="A path, or {latitudes, longitudes}.")]
    method: Annotated[Text, Field(description="bilinear, cubic, nearest, conservative.")] = "bilinear"
    variables: Annotated[Texts, Field(description="By default all.")] = []
    output_path: Text = ""
    allow_extrapolation: bool = False
    engine: Annotated[Text, Field(description="Recorded: the content decides.")] = ""

    def places(self) -> tuple[str, str]:
        """Return the folder of regridded files, and the path that is given."""
        return "./data/regridded", self.output_path


class RunTcTracksFromEra5(Arguments):
    """Find cyclones at each time and link them to tracks: a table and a map."""

    surface_path: Annotated[File, Field(description="msl, and u10, v10 for winds.")]
    pressure_path: Annotated[File, Field(description="u, v with 850 hPa.")]
    png_path: Text = "./plots/tc_tracks.png"
    csv_path: Text = "./data/tc_tracks.csv"
    min_points: Annotated[Whole, Between(0, 10_000)] = LEAST_POINTS
    max_link_km: Annotated[Number, Between(1, 20_000)] = 500.0
    linking_mode: Annotated[Text, OneOf("greedy", "hungarian"), Field(description="greedy, hungarian.")] = (
        "greedy"
    )
    cost_cutoff: Annotated[Number, Between(1e-6)] = 5.0
    cost_weights: Annotated[Mapped, Field(description="w_d, w_u, w_alpha, w_zeta, w_p, u_ref, ..")] = {}
    gate_km: Annotated[Number | None, Between(1, 20_000)] = None
    color_mode: Annotated[Text, OneOf("multi", "mono"), Field(description="multi, mono.")] = "multi"

    def named_places(self) -> dict[str, tuple[str, str]]:
        """Return the paths of the table and of the map."""
        return {"tc_tracks.csv": ("csv_path", self.csv_path), "tc_tracks.png": ("png_path", self.png_path)}
