"""Group forecast_models, around a network: an analysis made its inputs, and its outputs made a file of NetCDF."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.forecasting import pangu
from labrig_earth.grids.reading import opened
from labrig_earth.grids.times import iso
from labrig_earth.results import Result
from labrig_earth.terra.payloads import answered, number, written
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


def pangu_fields(call: Call) -> Result:
    """Write a network's outputs as NetCDF, and say what is in them."""
    upper, surface = (_loaded(call, name) for name in ("upper", "surface"))
    when: Any = np.asarray(text_of(call, "valid_time"), "M8[ns]")[()]
    step = int(call.argument("step_h"))
    if surface.shape[0] != upper.shape[0] or surface.shape[-2:] != upper.shape[-2:]:
        raise LabrigError("The network's outputs do not pair", where="model_path", code="engine")
    made = pangu.fields(upper, surface, when, step)
    name = f"pangu_forecast_{iso(when)[:13].replace('-', '')}"
    source = ", ".join(list_of(call, "sources", str, "names"))
    history = text_of(call, "history")
    path = written(call, made, name, history=history, source=source)
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
    return answered(payload, method=history, files=(path,))


def _seconds(time: Any) -> str:
    return str(np.asarray(time).astype("M8[s]"))


def _loaded(call: Call, name: str) -> Any:
    """Return outputs as the network's Python wrote them; a child that was taken over may have written anything."""
    try:
        found = np.load(call.input(name).path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        found = None
    wanted = 5 if name == "upper" else 4
    if found is None or found.dtype != np.float32 or found.ndim != wanted:
        raise LabrigError("The network's outputs cannot be read", where="model_path", code="engine")
    return found
