"""Group forecast_models: learned models run on an analysis, fields put on a grid, tracks of cyclones."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.toolbox import session
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import require_active
from labrig_earth.server.terra.offering import offer
from labrig_earth.terra.arguments import forecast_models as arguments
from labrig_earth.terra.arguments.kinds import Mapped, Number, Numbers, Text, Texts, Whole

GROUP = "forecast_models"
TOOLSETS = ("terra", f"terra-{GROUP}")
FORECASTS = "./data/model_forecasts"

Surface = Annotated[str, Field(description="NetCDF of ERA5 at the surface.")]
Levels = Annotated[str, Field(description="NetCDF of ERA5 on levels.")]


@toolbox.tool(title="Run Pangu-Weather", read_only=False, faithful=True, toolsets=TOOLSETS)
async def run_pangu_forecast(
    surface_path: Annotated[str, Field(description="msl, u10, v10, t2m of ERA5, global.")],
    pressure_path: Annotated[str, Field(description="z, q, t, u, v on 13 levels.")],
    valid_time: Annotated[str, Field(description="Of the analysis, ISO, UTC.")],
    max_forecast_hours: Number | None = None,
    output_dir: Text = FORECASTS,
    model_path: Annotated[Text, Field(description="ONNX file; by default the server's.")] = "",
    device: Annotated[Text, Field(description="cpu; cuda:N is taken and said.")] = "cpu",
    upper_input_name: Text = "input",
    surface_input_name: Text = "input_surface",
    lead_hours: Annotated[Numbers, Field(description="Else 6, 12, 18, 24.")] = [],  # noqa: B006 - copied
) -> Published:
    """Forecast from an analysis by Pangu-Weather's network, step by step; needs its weights."""
    require_active(GROUP, session())
    from labrig_earth.server.terra.models import pangu_forecast

    notes = [*note_devices(device=device)]
    return await pangu_forecast(
        surface_path,
        pressure_path,
        valid_time=valid_time,
        horizon_h=max_forecast_hours,
        lead_hours=lead_hours,
        model_path=model_path,
        upper_input=upper_input_name or "input",
        surface_input=surface_input_name or "input_surface",
        output_dir=output_dir or FORECASTS,
        notes=notes,
    )


@toolbox.tool(title="Run Aurora", read_only=False, faithful=True, toolsets=TOOLSETS)
async def run_aurora_forecast(
    surface_path: Surface,
    pressure_path: Levels,
    static_path: Annotated[str, Field(description="lsm, slt, z.")],
    selected_times: Annotated[Texts, Field(description="Two, 6 h apart.")] = [],  # noqa: B006 - pydantic copies it
    history_steps: Whole = 0,
    time_block: Whole = 0,
    rollout_steps: Whole = 4,
    forecast_interval_hours: Number | None = 6.0,
    analysis_time: Annotated[Text, Field(description="By default the last.")] = "",
    output_dir: Text = FORECASTS,
    model_repo: Text = "microsoft/aurora",
    checkpoint_name: Text = "aurora-0.25-pretrained.ckpt",
    model_kwargs: Annotated[Mapped, Field(description="Sizes: embed_dim, ..")] = {},  # noqa: B006
    device: Text = "cpu",
    input_device: Text = "cpu",
) -> Published:
    """Forecast from two analyses by Aurora, 6 h a step; needs its Python and checkpoint."""
    require_active(GROUP, session())
    from labrig_earth.forecasting import aurora
    from labrig_earth.server.terra.models import Rollout, aurora_forecast

    notes = [*note_devices(device=device, input_device=input_device)]
    if time_block:
        notes.append(f"time_block {time_block}: recorded, a run takes two times")
    if model_repo not in ("", aurora.REPO):
        raise LabrigError(
            f"Nothing is downloaded from {model_repo[:80]!r}",
            where="model_repo",
            expected=f"{aurora.REPO}, which names the source and fetches nothing",
            try_="the checkpoint in the folder of the setting earth.aurora_weights, by checkpoint_name",
            code="refused",
        )
    rollout = Rollout(
        steps=aurora.checked_steps(rollout_steps, forecast_interval_hours, history_steps),
        checkpoint=aurora.checked_name(checkpoint_name) if checkpoint_name else "",
        configuration=aurora.checked_configuration(model_kwargs),
    )
    inputs = {"surface": [surface_path], "pressure": [pressure_path], "static": [static_path]}
    return await aurora_forecast(
        inputs,
        rollout,
        selected_times=selected_times,
        analysis_time=analysis_time,
        output_dir=output_dir or FORECASTS,
        notes=notes,
    )


def note_devices(**given: str) -> Iterator[str]:
    """Give a note for each device that is no processor; LabrigError for what is no device."""
    for name, device in given.items():
        chosen = (device or "cpu").lower()
        if not re.fullmatch(r"cpu|cuda(:\d{1,2})?", chosen):
            raise LabrigError(f"There is no device {device[:40]!r}", where=name, expected="cpu, cuda:0, ..")
        if chosen != "cpu":
            yield f"{name} {chosen}: computed on the processor, which is what is here"


async def find_target(asked: arguments.RegridToTargetGrid) -> arguments.RegridToTargetGrid:
    """Return what is asked with the file of the target grid, or with its coordinates."""
    given = asked.target_grid
    grid: dict[str, Any] = {} if isinstance(given, str) else dict(given)
    path = given if isinstance(given, str) else grid.pop("grid_path", "")
    if not isinstance(path, str) or (path and grid) or not (path or grid):
        raise LabrigError(
            "The target is neither a path nor coordinates",
            where="target_grid",
            expected='a path, {"grid_path": ..}, or {"latitudes": [..], "longitudes": [..]}',
        )
    return asked.model_copy(update={"target_file": path, "target_grid": grid})


tool = functools.partial(offer, GROUP)

tool("regrid_to_target_grid", "Put on a grid", arguments.RegridToTargetGrid, prepare=find_target)
tool("run_tc_tracks_from_era5", "Tracks of cyclones", arguments.RunTcTracksFromEra5)
