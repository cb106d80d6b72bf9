"""Group forecast_models, around a network: an analysis made its inputs, and its outputs made a file of NetCDF."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.forecasting import aurora, pangu
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.reading import opened
from labrig_earth.grids.times import iso, require_times
from labrig_earth.results import Result
from labrig_earth.terra.payloads import make_result, number, write_netcdf
from labrig_earth.work.arguments import list_of, text_of
from labrig_earth.work.calls import Call


def pangu_inputs(call: Call) -> Result:
    """Check an analysis and write it as the network takes it: ``upper.npy`` and ``surface.npy``, float32."""
    when: Any = np.asarray(text_of(call, "valid_time"), "M8[ns]")[()]
    rows, columns = list_of(call, "shape", int, "whole numbers")
    surface, upper = opened(call.input("surface")), opened(call.input("pressure"))
    high, low = pangu.arrays(surface.data, upper.data, (rows, columns), when)
    np.save(call.scratch / "upper.npy", high, allow_pickle=False)
    np.save(call.scratch / "surface.npy", low, allow_pickle=False)
    return Result(
        method="analysis checked: variables, levels, units, grid, values",
        files=("upper.npy", "surface.npy"),
        warnings=tuple(dict.fromkeys((*surface.warnings, *upper.warnings))),
    )


def aurora_inputs(call: Call) -> Result:
    """Check two times of an analysis and the static fields, and write them as Aurora takes them, float32.

    ``surface.npy`` (time, variable, y, x), ``upper.npy`` (time, variable, level, y, x), ``static.npy`` (field, y, x).
    The result has the ``shape`` of the grid and the time, by default the last one of the file.
    """
    surface, upper, static = (opened(call.input(name)) for name in ("surface", "pressure", "static"))
    shape = aurora.grid_of(surface.data, int(call.argument("patch")))
    still = aurora.static_fields(static.data, shape)
    when = _analysis_time(surface.data, text_of(call, "analysis_time"))
    times = [when - np.timedelta64(aurora.STEP_H, "h"), when]
    kept = {
        name: np.lib.format.open_memmap(
            call.scratch / f"{name}.npy", mode="w+", dtype=np.float32, shape=(len(times), *variables, *shape)
        )
        for name, variables in (
            ("surface", (len(pangu.SURFACE),)), ("upper", (len(pangu.UPPER), len(pangu.LEVELS)))
        )
    }  # fmt: skip
    for place, time in enumerate(times):
        try:
            high, low = pangu.arrays(surface.data, upper.data, shape, time)
        except LabrigError as error:
            error.where = str(error.where or "").replace("valid_time", "analysis_time")
            if place == 0 and error.code == "not_found" and "analysis_time" in error.where:
                error.expected = f"the analysis and the time {aurora.STEP_H} h before it; {error.expected}"
            raise
        kept["surface"][place], kept["upper"][place] = low, high
    for values in kept.values():
        values.flush()
    np.save(call.scratch / "static.npy", still, allow_pickle=False)
    warned = [*surface.warnings, *upper.warnings, *static.warnings]
    if shape != aurora.PUBLISHED_SHAPE:
        warned.append(
            f"a grid of {shape[0]} x {shape[1]}: the published checkpoints were trained on "
            f"{aurora.PUBLISHED_SHAPE[0]} x {aurora.PUBLISHED_SHAPE[1]}"
        )
    return Result(
        method="analysis checked: variables, levels, units, grid, times, values",
        files=("upper.npy", "surface.npy", "static.npy"),
        data={"shape": list(shape), "analysis_time": _seconds(when)},
        warnings=tuple(dict.fromkeys(warned)),
    )


def aurora_fields(call: Call) -> Result:
    """Write Aurora's outputs as NetCDF, and say what is in them."""
    rows = int(call.argument("rows"))
    return _fields(
        call,
        "aurora",
        lambda upper, surface, when: aurora.fields(upper, surface, when, rows),
        "checkpoint_name",
    )


def pangu_fields(call: Call) -> Result:
    """Write a network's outputs as NetCDF, and say what is in them."""
    step = int(call.argument("step_h"))
    return _fields(
        call, "pangu", lambda upper, surface, when: pangu.fields(upper, surface, when, step), "model_path"
    )


def _fields(call: Call, model: str, fields: Callable[[Any, Any, Any], dict[str, Any]], where: str) -> Result:
    """Write the outputs of a model, which `fields` makes variables, and say what is in them."""
    upper, surface = (_loaded(call, name, where) for name in ("upper", "surface"))
    when: Any = np.asarray(text_of(call, "valid_time"), "M8[ns]")[()]
    if surface.shape[0] != upper.shape[0] or surface.shape[-2:] != upper.shape[-2:]:
        raise LabrigError("The network's outputs do not pair", where=where, code="engine")
    made = fields(upper, surface, when)
    name = f"{model}_forecast_{iso(when)[:13].replace('-', '')}"
    source = ", ".join(list_of(call, "sources", str, "names"))
    history = text_of(call, "history")
    path = write_netcdf(call, made, name, history=history, source=source)
    times = next(iter(made.values()))["time"].values
    leads = ((times - when) / np.timedelta64(1, "h")).tolist()
    payload = {
        "output_path": path,
        "forecast_summary": {
            "count": int(times.size), "first_valid_time": _seconds(times[0]), "lead_hours": leads
        },
        "surface_variables": sorted(pangu.SURFACE),
        "pressure_variables": sorted(pangu.UPPER),
        "pressure_levels_hPa": list(pangu.LEVELS),
        "ranges": {
            key: {"min": number(field.min()), "max": number(field.max()), "units": field.attrs["units"]}
            for key, field in made.items()
        },
        "analysis_time": _seconds(when),
    }  # fmt: skip
    return make_result(payload, method=history, files=(path,))


def _analysis_time(data: Any, stated: str) -> Any:
    """Return the time that a call states, or the last one of the file."""
    if stated:
        return np.asarray(stated, "M8[ns]")[()]
    field = pangu.variable(data, "msl", "surface_path")
    name = axes_of(field).time
    axis = require_times(field, name if name in field.dims else "")
    if axis.dtype.kind != "M":
        raise LabrigError(
            "The times are of another calendar", where="surface_path", expected="the standard calendar"
        )
    return axis.values.max()


def _seconds(time: Any) -> str:
    return str(np.asarray(time).astype("M8[s]"))


def _loaded(call: Call, name: str, where: str) -> Any:
    """Return outputs as the network's Python wrote them; a child that was taken over may have written anything."""
    try:
        found = np.load(call.input(name).path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        found = None
    wanted = 5 if name == "upper" else 4
    if found is None or found.dtype != np.float32 or found.ndim != wanted:
        raise LabrigError("The network's outputs cannot be read", where=where, code="engine")
    return found
