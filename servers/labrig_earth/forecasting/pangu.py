"""Pangu-Weather: an analysis as its two inputs, what its network must state, and its outputs as fields.

Bi et al. (2023), Nature 619, 533, doi:10.1038/s41586-023-06185-3. The networks for 1, 3, 6 and 24 hours are at
https://github.com/198808xc/Pangu-Weather under CC BY-NC-SA 4.0 (no commercial use). Their inputs are float32:
``input`` (5 variables, 13 levels, 721 latitudes from 90 to -90, 1440 longitudes from 0), ``input_surface``
(4 variables). A network of the same form on a coarser grid of the same extent is taken too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError

LEVELS = (1000, 925, 850, 700, 600, 500, 400, 300, 250, 200, 150, 100, 50)
"""hPa, in the order of the network."""
SURFACE = {"msl": "Pa", "u10": "m s-1", "v10": "m s-1", "t2m": "K"}
UPPER = {"z": "m2 s-2", "q": "kg kg-1", "t": "K", "u": "m s-1", "v": "m s-1"}
"""Variables and units, in the order of the network; z is geopotential, not height."""
OTHER_NAMES = {
    "msl": ("mslp", "mean_sea_level_pressure"), "u10": ("10u",), "v10": ("10v",), "t2m": ("2t",),
    "z": ("geopotential",), "q": ("specific_humidity",), "t": ("temperature",), "u": ("u_component_of_wind",),
    "v": ("v_component_of_wind",),
}  # fmt: skip
PLAUSIBLE = {
    "msl": (80_000, 112_000), "u10": (-120, 120), "v10": (-120, 120), "t2m": (170, 345), "z": (-10_000, 230_000),
    "q": (-0.001, 0.06), "t": (150, 345), "u": (-200, 200), "v": (-200, 200),
}  # fmt: skip
"""Values beyond these are of another unit or variable."""
WITHIN_DEGREE = 1e-3
_STEP = re.compile(r"_(\d{1,2})\.onnx$")
SOURCE = "https://github.com/198808xc/Pangu-Weather"
LICENCE = "CC BY-NC-SA 4.0, no commercial use"


@dataclass(frozen=True)
class Network:
    """What a network takes and gives.

    Attributes
    ----------
    shape
        Latitudes and longitudes.
    upper_input, surface_input, upper_output, surface_output
        Names of its tensors.
    """

    shape: tuple[int, int]
    upper_input: str
    surface_input: str
    upper_output: str
    surface_output: str


def checked_network(
    inputs: Mapping[str, tuple[int, Sequence[int | str]]],
    outputs: Mapping[str, tuple[int, Sequence[int | str]]],
    *,
    upper_input: str,
    surface_input: str,
) -> Network:
    """Return a network's form from what it states: element type (1 is float32) and shape of each tensor, by name.

    Raises
    ------
    LabrigError
        ``bad_input`` for inputs of other names, types or shapes, and for outputs that are not one of each.
    """
    for name in (upper_input, surface_input):
        if name not in inputs:
            raise LabrigError(
                f"The network has no input {name}",
                where="upper_input_name, surface_input_name",
                expected=f"one of {', '.join(sorted(inputs))[:200]}",
                code="not_found",
            )
    further = sorted(set(inputs) - {upper_input, surface_input})
    if further:
        raise _other(f"further inputs: {', '.join(further)[:200]}")
    upper, surface = inputs[upper_input], inputs[surface_input]
    sizes = tuple(upper[1])
    if (
        len(sizes) != 4
        or not all(isinstance(each, int) for each in sizes)
        or sizes[:2] != (len(UPPER), len(LEVELS))
    ):
        raise _other(f"{upper_input} of {_shown(upper[1])}")
    grid = (int(sizes[2]), int(sizes[3]))
    if tuple(surface[1]) != (len(SURFACE), *grid):
        raise _other(f"{surface_input} of {_shown(surface[1])}")
    if grid[0] < 3 or grid[1] < 4:
        raise _other(f"a grid of {grid[0]} x {grid[1]}")
    found: dict[str, str] = {}
    for kind, wanted in (("upper", sizes), ("surface", (len(SURFACE), *grid))):
        fitting = [
            name for name, (_, shape) in outputs.items() if _without_ones(shape) == _without_ones(wanted)
        ]
        if len(fitting) != 1:
            raise _other(
                f"{len(fitting)} outputs of {_shown(wanted)}; its outputs are "
                + ", ".join(f"{name} {_shown(shape)}" for name, (_, shape) in outputs.items())[:300]
            )
        found[kind] = fitting[0]
    kinds = [upper[0], surface[0], *(outputs[name][0] for name in found.values())]
    if any(kind != 1 for kind in kinds):
        raise _other("tensors that are not float32")
    return Network(grid, upper_input, surface_input, found["upper"], found["surface"])


def step_of(name: str, lead_hours: Sequence[float]) -> int:
    """Return the hours of one step of a network: as its file's name ends, which the first lead must agree with.

    Raises
    ------
    LabrigError
        ``bad_input`` where both disagree, or neither says it.
    """
    match = _STEP.search(name)
    stated = int(match[1]) if match else None
    first = lead_hours[0] if lead_hours else None
    if stated is None and first is None:
        raise LabrigError(
            "How many hours one step of this network makes is not said",
            where="model_path",
            expected="a name such as pangu_weather_6.onnx, or lead_hours",
        )
    step = stated if stated is not None else first
    assert step is not None
    if step <= 0 or step != int(step) or step > 48:
        raise LabrigError(f"A step of {step:g} h", where="lead_hours", expected="whole hours from 1 to 48")
    if first is not None and first != step:
        raise LabrigError(
            f"The network makes steps of {step} h, by its name, and the first lead is {first:g} h",
            where="lead_hours",
            expected=f"{step}, {2 * int(step)}, ..",
        )
    return int(step)


def steps_until(step_h: int, lead_hours: Sequence[float], horizon_h: float | None) -> int:
    """Return how many steps are made: to the last lead, or as many as the horizon holds; by default to 24 h.

    Raises
    ------
    LabrigError
        ``bad_input`` for leads that are not one step after another, and for a horizon below one step.
    """
    for number, lead in enumerate(lead_hours, 1):
        if lead != number * step_h:
            raise LabrigError(
                f"Lead {number} is {lead:g} h",
                where="lead_hours",
                expected=f"multiples of {step_h} h, each in turn",
            )
    last = horizon_h if horizon_h is not None else lead_hours[-1] if lead_hours else max(24, step_h)
    steps = int(last // step_h)
    if steps < 1:
        raise LabrigError(
            f"The horizon is {last:g} h", where="max_forecast_hours", expected=f"{step_h} h or more, one step"
        )
    return steps


def arrays(surface: Any, upper: Any, shape: tuple[int, int], when: Any) -> tuple[Any, Any]:
    """Return an analysis as the network's inputs, float32: (5, 13, y, x) and (4, y, x), north first, eastwards from 0.

    Parameters
    ----------
    surface, upper
        `xarray.Dataset` as files of ERA5 have them.
    when
        The time of the analysis, `numpy.datetime64`.

    Raises
    ------
    LabrigError
        ``not_found`` for variables, levels and times that are not there; ``bad_input`` for units that do not convert,
        values beyond `PLAUSIBLE`, missing values, and another grid.
    """
    low = np.stack(
        [_field(surface, name, unit, when, shape, "surface_path") for name, unit in SURFACE.items()]
    )
    high = np.stack([_column(upper, name, unit, when, shape) for name, unit in UPPER.items()])
    return high, low


def fields(upper: Any, surface: Any, when: Any, step_h: int) -> dict[str, Any]:
    """Return outputs (step, variable, ..) as `xarray.DataArray` over time, pressure_level, latitude and longitude."""
    import xarray as xr

    steps, rows, columns = surface.shape[0], surface.shape[-2], surface.shape[-1]
    times = np.datetime64(when, "ns") + np.arange(1, steps + 1) * np.timedelta64(step_h, "h")
    y, x = axes(rows, columns)
    plane = {
        "latitude": ("latitude", y, {"units": "degrees_north"}),
        "longitude": ("longitude", x, {"units": "degrees_east"}),
    }
    level = ("pressure_level", np.asarray(LEVELS, "f8"), {"units": "hPa", "positive": "down"})
    found = {}
    for place, (name, unit) in enumerate(SURFACE.items()):
        found[name] = xr.DataArray(
            surface[:, place],
            {"time": times, **plane},
            ("time", "latitude", "longitude"),
            name,
            {"units": unit},
        )
    for place, (name, unit) in enumerate(UPPER.items()):
        found[name] = xr.DataArray(
            upper[:, place], {"time": times, "pressure_level": level, **plane},
            ("time", "pressure_level", "latitude", "longitude"), name, {"units": unit},
        )  # fmt: skip
    return found


def axes(rows: int, columns: int) -> tuple[Any, Any]:
    """Return latitudes from 90 to -90 and longitudes from 0 eastwards, degrees."""
    return np.linspace(90.0, -90.0, rows), np.arange(columns) * (360.0 / columns)


def _column(data: Any, name: str, unit: str, when: Any, shape: tuple[int, int]) -> Any:
    from labrig_earth.atmosphere.levels import at_level, by_pressure

    found = variable(data, name, "pressure_path")
    ordered = by_pressure(_at_time(found, when, "pressure_path"))[0]
    return np.stack(
        [
            plane(at_level(ordered, level, where="pressure_path"), name, unit, shape, "pressure_path")
            for level in LEVELS
        ]
    )


def _field(data: Any, name: str, unit: str, when: Any, shape: tuple[int, int], where: str) -> Any:
    return plane(_at_time(variable(data, name, where), when, where), name, unit, shape, where)


def variable(data: Any, name: str, where: str) -> Any:
    """Return a variable by its name or another that files have for it; LabrigError, ``not_found``, without it."""
    found = [each for each in (name, *OTHER_NAMES[name]) if each in data.data_vars]
    if not found:
        raise LabrigError(
            f"There is no variable {name}",
            where=where,
            expected=f"{', '.join(SURFACE if name in SURFACE else UPPER)}; there are {', '.join(map(str, data))}"[
                :300
            ],
            code="not_found",
        )
    return data[found[0]]


def _at_time(variable: Any, when: Any, where: str) -> Any:
    from labrig_earth.grids.axes import axes_of
    from labrig_earth.grids.times import iso, require_times

    name = axes_of(variable).time
    axis = require_times(variable, name if name in variable.dims else "")
    if axis.dtype.kind != "M":
        raise LabrigError("The times are of another calendar", where=where, expected="the standard calendar")
    places = np.flatnonzero(axis.values == np.datetime64(when, "ns"))
    if places.size != 1:
        first, last = iso(axis.values.min()), iso(axis.values.max())
        raise LabrigError(
            f"{places.size} times are {iso(np.datetime64(when, 'ns'))}",
            where=f"valid_time, {where}",
            expected=f"a time of the file, which has {axis.size} from {first} to {last}",
            code="not_found",
        )
    return variable.isel({name: int(places[0])}, drop=True)


def plane(
    field: Any,
    name: str,
    unit: str,
    shape: tuple[int, int],
    where: str,
    plausible: tuple[float, float] | None = None,
) -> Any:
    """Return one horizontal field, float32, in the network's unit and order; values within `PLAUSIBLE` by default."""
    from labrig_earth.grids.axes import horizontal
    from labrig_earth.grids.units import convert

    found = horizontal(field)
    alone = [dim for dim, size in field.sizes.items() if size == 1 and dim not in (found.y, found.x)]
    field = field.isel(dict.fromkeys(alone, 0), drop=True)
    further = [str(dim) for dim in field.dims if dim not in (found.y, found.x)]
    if further or not found.geographic or found.curvilinear:
        raise LabrigError(
            f"{name} lies over {', '.join(map(str, field.dims))}",
            where=where,
            expected="latitudes and longitudes alone"
            + (f": select one of {', '.join(further)}" if further else ""),
        )
    field = field.transpose(found.y, found.x)
    field = field.isel({found.x: np.argsort(np.asarray(field[found.x].values, "f8") % 360.0, kind="stable")})
    field = field.sortby(found.y, ascending=False)
    y, x = axes(*shape)
    ours = np.asarray(field[found.y].values, "f8"), np.asarray(field[found.x].values, "f8") % 360.0
    if field.shape != shape or any(
        np.abs(a - b).max() > WITHIN_DEGREE for a, b in zip(ours, (y, x), strict=True)
    ):
        raise LabrigError(
            f"{name} is on {field.shape[0]} x {field.shape[1]} points, latitudes {ours[0].max():g} to "
            f"{ours[0].min():g}, longitudes {ours[1].min():g} to {ours[1].max():g}",
            where=where,
            expected=f"{shape[0]} latitudes from 90 to -90 and {shape[1]} longitudes from 0, as the network has them",
            try_="regrid_to_target_grid",
        )
    stated = str(field.attrs.get("units", "")).strip()
    if not stated:
        raise LabrigError(f"{name} states no unit", where=where, expected=unit)
    try:
        values = np.asarray(convert(field.astype("f8"), stated, unit)[0].values, "f8")
    except LabrigError as error:
        error.where = where
        error.what = f"{name}: {error.what}" + ("; z is geopotential, not height" if name == "z" else "")
        raise
    if not np.isfinite(values).all():
        raise LabrigError(f"{name} has {int((~np.isfinite(values)).sum())} missing values", where=where)
    low, high = plausible or PLAUSIBLE[name]
    if values.min() < low or values.max() > high:
        raise LabrigError(
            f"{name} runs from {values.min():g} to {values.max():g} {unit}", where=where,
            expected=f"within {low:g} to {high:g} {unit}", try_="see whether its unit is what it states",
        )  # fmt: skip
    return values.astype(np.float32)


def _without_ones(shape: Sequence[int | str]) -> tuple[int | str, ...]:
    """Return a shape without leading axes of one step."""
    found = tuple(shape)
    while len(found) > 1 and found[0] == 1:
        found = found[1:]
    return found


def _shown(shape: Sequence[int | str]) -> str:
    return f"({', '.join(map(str, shape))})"


def _other(what: str) -> LabrigError:
    return LabrigError(
        f"This is no network of Pangu-Weather's form: it has {what}"[:600],
        where="model_path",
        expected=f"float32: upper ({len(UPPER)}, {len(LEVELS)}, latitudes, longitudes), surface ({len(SURFACE)}, ..), "
        "and one output of each form",
    )
