"""The messages of a GRIB file as the variables of a NetCDF file, written one at a time.

cfgrib indexes and decodes them; its Dataset takes the last of several messages of one place in silence, and opens a
file anew for each parameter. Here messages that differ in what makes a variable (parameter, kind of level, of step and
of grid) become variables of their own, and those that would lie in one place are refused or counted.

Loaded by the Python of the side environment ``grib``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cfgrib.cfmessage  # type: ignore[import-not-found]
import cfgrib.dataset  # type: ignore[import-not-found]
import cfgrib.messages  # type: ignore[import-not-found]
import eccodes  # type: ignore[import-not-found]
import netCDF4
import numpy as np

from labrig.isolation.inside.answering import Refused

MOST_BYTES = 2 << 30
MOST_WARNINGS = 5
OF_ONE_VARIABLE = (
    "paramId",
    "cfVarName",
    "typeOfLevel",
    "stepType",
    "dataType",
    "gridType",
    "md5GridSection",
)
PLACES = ("valid_time", "time", "step", "number", "level:float")
NOTHING = ("", "unknown", "undef")
TIMES = (("valid_time",), ("time", "step"))
"""Axes of time: when values hold; where several runs meet there, when each began and how long it had run."""
KEYS = sorted({*cfgrib.dataset.INDEX_KEYS, *OF_ONE_VARIABLE, *PLACES})


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Write ``grib.nc``; ``files`` of the arguments has the path of ``grib``."""
    said: list[str] = []
    logging.getLogger("cfgrib").addHandler(Keeping(said))
    stream = cfgrib.messages.FileStream(arguments["files"]["grib"], errors="warn")
    try:
        index = cfgrib.messages.FileIndex.from_fieldset(stream, KEYS, cfgrib.cfmessage.COMPUTED_KEYS)
    except EOFError:
        raise Refused(
            "The file has no GRIB message that can be read",
            where="; ".join(said)[:300],
            expected="a whole file",
        ) from None
    left_out: list[str] = []
    written = 0
    with netCDF4.Dataset(outputs / "grib.nc", "w") as file:
        for part in split_variables(index):
            try:
                write_variable(file, part, said)
                written += 1
            except Refused:
                raise
            except Exception as error:  # cfgrib and ecCodes have classes of their own for each fault
                name = part["cfVarName"][0]
                left_out.append(f"{name} was left out: {' '.join(str(error).split())[:200]}")
        if not written:
            raise Refused("Nothing in this GRIB file can be read", where="; ".join(left_out)[:600])
    notes = [*left_out, *dict.fromkeys(said)]
    more = [f"{len(notes) - MOST_WARNINGS} more notes of its reader"] if len(notes) > MOST_WARNINGS else []
    return {"version": f"ecCodes {eccodes.codes_get_api_version()}", "warnings": notes[:MOST_WARNINGS] + more}


def split_variables(index: Any) -> Iterator[Any]:
    """Yield the part of an index that holds each variable."""
    columns = [index.index_keys.index(name) for name in OF_ONE_VARIABLE]
    parts: dict[tuple[Any, ...], list[Any]] = {}
    for header, messages in index.iter_index():
        parts.setdefault(tuple(header[column] for column in columns), []).append((header, messages))
    for entries in parts.values():
        yield type(index)(
            fieldset=index.fieldset,
            index_keys=index.index_keys,
            field_ids_index=entries,
            computed_keys=index.computed_keys,
        )


def write_variable(file: Any, index: Any, said: list[str]) -> None:
    """Write one variable with its axes, message by message."""
    if index["gridType"] == ["sh"]:
        raise ValueError("it is on no grid but in spherical harmonics (cdo sp2gpl puts it on one)")
    times = choose_times(index, said)
    found = cfgrib.dataset.open_from_index(index, time_dims=times, squeeze=False).variables
    name, variable = next(
        (name, each) for name, each in found.items() if isinstance(each.data, cfgrib.dataset.OnDiskArray)
    )
    data, dims, shape = variable.data, variable.dimensions, variable.data.shape
    header = len(dims) - data.geo_ndim
    kept = [place for place, dim in enumerate(dims) if place >= header or dim == times[0] or shape[place] > 1]
    if (size := int(np.prod(shape)) * np.dtype(data.dtype).itemsize) > MOST_BYTES:
        raise Refused(
            f"{name} would have {size / 1e9:.1f} GB, on {', '.join(dims)} of {', '.join(map(str, shape))}",
            code="limit",
            expected=f"at most {MOST_BYTES / 1e9:.1f} GB",
            try_="fewer messages in a file",
        )
    axes = {
        dims[place]: write_axis(file, dims[place], shape[place], found.get(dims[place])) for place in kept
    }
    made = file.createVariable(
        free_name(file, name, index), data.dtype, [axes[dims[place]] for place in kept], fill_value=np.nan
    )
    put_attributes(made, variable.attributes)
    if text := projection_text(index):
        made.GRIB_projString = text
    left = [dim for place, dim in enumerate(dims[:header]) if place not in kept]
    made.setncatts({f"GRIB_{dim}": float(found[dim].data[0]) for dim in left})
    beside = [each for each in ("latitude", "longitude") if each in found and each not in dims]
    around = [write_around(file, each, found[each], [axes[dim] for dim in dims[header:]]) for each in beside]
    if around:
        made.coordinates = " ".join(around)
    for places, messages in data.field_id_index.items():
        values = cfgrib.dataset.get_values_in_order(index.get_field(messages[0]), shape[header:])
        values = np.array(values, data.dtype).reshape(shape[header:])
        values[values == np.asarray(data.missing_value, data.dtype)] = np.nan
        made[tuple(places[place] for place in kept if place < header)] = values


def projection_text(index: Any) -> str:
    """Return the projection of a grid in PROJ's words; empty where ecCodes has none for it."""
    try:
        return str(index.first()["projString"])
    except (KeyError, eccodes.CodesInternalError):
        return ""


def free_name(file: Any, name: str, index: Any) -> str:
    """Return a name that no variable has yet: with its kind of level, then of step, then a number."""
    longer = [name, *(f"{name}_{index[key][0]}" for key in ("typeOfLevel", "stepType", "dataType"))]
    numbered = (f"{name}_{number}" for number in range(2, 10_000))
    return next(each for each in (*longer, *numbered) if each not in file.variables)


def write_axis(file: Any, dim: str, size: int, axis: Any) -> str:
    """Return the name of a dimension with these values, which is made if there is none."""
    values = None if axis is None else np.atleast_1d(axis.data)
    wanted = "time" if dim == "valid_time" else dim
    for name in (wanted, *(f"{wanted}_{number}" for number in range(2, 10_000))):
        if name not in file.dimensions:
            break
        if len(file.dimensions[name]) == size and (values is None or (file[name][:] == values).all()):
            return name
    file.createDimension(name, size)
    if values is not None:
        made = file.createVariable(name, values.dtype, (name,))
        put_attributes(made, axis.attributes)
        made[:] = values
    return name


def write_around(file: Any, name: str, coordinate: Any, axes: list[str]) -> str:
    """Return the name of a coordinate over axes that have none of their own, which is written once for them."""
    written = name if axes[-1] in ("x", "values") else f"{name}_{axes[-1].rpartition('_')[2]}"
    if written not in file.variables:
        made = file.createVariable(written, "f8", axes)
        put_attributes(made, coordinate.attributes)
        made[:] = coordinate.data
    return written


def put_attributes(made: Any, attributes: dict[str, Any]) -> None:
    """Give a variable the attributes that NetCDF can hold."""
    made.setncatts(
        {
            key: each
            for key, each in attributes.items()
            if isinstance(each, (str, int, float)) and each not in NOTHING
        }
    )


class Keeping(logging.Handler):
    """Keeps what a library says."""

    def __init__(self, said: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.said = said

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(" ".join(record.getMessage().split())[:200])


def choose_times(index: Any, said: list[str]) -> tuple[str, ...]:
    """Return the axes of time on which each message has a place of its own."""
    for times in TIMES:
        names = [*times, *(name for name in PLACES if name in ("number", "level:float"))]
        columns = [index.index_keys.index(name) for name in names]
        places = [tuple(header[column] for column in columns) for header, _ in index.iter_index()]
        if len(set(places)) == len(places):
            if any(len(messages) > 1 for _, messages in index.iter_index()):
                said.append(
                    f"{index['cfVarName'][0]}: of messages that stand there twice the first was taken"
                )
            return times
    raise ValueError(
        f"{len(places) - len(set(places))} of its {len(places)} messages have the place of another"
    )
