"""The tool ``plot``: a map or a time series as a PNG in the scratch folder.

Inputs by role: ``data`` (grids, rasters; of a series up to eight files), ``layers`` (vector files in their order).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.gis.boxes import check_box
from labrig_earth.gis.features import read_features
from labrig_earth.grids.axes import Axes
from labrig_earth.grids.doubts import suspected, with_missing
from labrig_earth.grids.reading import Field, in_unit, opened, selected, variable
from labrig_earth.natural_earth.regions import resolve_region
from labrig_earth.plots.colours import colours_for
from labrig_earth.plots.fields import Cells, cells_of, with_unit
from labrig_earth.plots.layers import MOST_LAYERS, Layer
from labrig_earth.plots.maps import Arrows, map_figure
from labrig_earth.plots.projections import Box
from labrig_earth.plots.series import Line, series_figure
from labrig_earth.results import Result
from labrig_earth.work.arguments import list_of, mapping_of, number_of, text_of
from labrig_earth.work.calls import Call, Operation


def plot_map(call: Call) -> Result:
    """A map of a field, arrows and layers.

    Arguments: ``variable``, ``select`` (as `grids.reading`), ``unit``, ``vectors`` (names of the components along east
    and north), ``styles`` (a mapping for each layer: ``style``, ``label``, ``column``, ``unit``, ``where``, ``layer``),
    ``bbox`` or ``region``, ``projection``, ``colours``, ``low``, ``high``, ``classes`` (names by number), ``title``,
    ``label``, ``missing`` (a value that stands for none).
    """
    notes: list[str] = []
    select = mapping_of(call, "select")
    data = call.inputs.get("data", ())
    field, arrows = None, None
    doubts: list[str] = []
    source: list[str] = []
    assumed: list[str] = []
    if data:
        found = with_missing(opened(*data), call.argument("missing"))
        source.append(found.source)
        vectors = list_of(call, "vectors", str, "names of variables")
        if vectors:
            if len(vectors) != 2:
                raise LabrigError("Vectors have two components", where="vectors", expected="['u10', 'v10']")
            parts = [selected(variable(found, str(name)), select) for name in vectors]
            unit = str(parts[0].data.attrs.get("units", ""))
            u, v = (cells_of(part.data, most=10**7) for part in parts)
            arrows = Arrows(u, v, "Wind" if "wind" in u.label.casefold() else "Vectors", unit)
            notes += parts[0].done
        if text_of(call, "variable") or not vectors:
            part = selected(variable(found, text_of(call, "variable")), select)
            doubts += suspected(part).warnings[len(part.warnings) :]
            chosen = in_unit(part, text_of(call, "unit"))
            field = cells_of(chosen.data, label=text_of(call, "label"))
            notes += [_when(chosen), *part.done]
        notes += [_plainly(each) for each in found.warnings]
        assumed += found.assumed
    layers, said = _layers(call)
    notes += said
    source += [place.name for place in call.inputs.get("layers", ())]
    box = _box(call)
    classes = _classes(call)
    colours = None
    if field is not None and classes is None:
        colours = colours_for(
            _shown(field, box), what=f"{field.label} {text_of(call, 'title')}",
            name=text_of(call, "colours"), low=number_of(call, "low"), high=number_of(call, "high"),
        )  # fmt: skip
    notes = list(dict.fromkeys(note for note in notes if note))
    heading = Heading(
        text_of(call, "title"),
        ", ".join(dict.fromkeys(source)),
        tuple(_capital(note) for note in notes),
    )
    figure = map_figure(
        heading, field=field, colours=colours, classes=classes, arrows=arrows, layers=layers, box=box,
        projection=text_of(call, "projection", "auto"),
    )  # fmt: skip
    name = _save(figure, call.scratch, "map.png")
    values = []
    if field is not None and np.isfinite(field.values).any():
        unit = field.label.rpartition("(")[2].rstrip(")") if field.label.endswith(")") else "1"
        values = [
            Quantity("least value shown", float(f"{np.nanmin(field.values):.6g}"), unit),
            Quantity("greatest value shown", float(f"{np.nanmax(field.values):.6g}"), unit),
        ]
    return Result(
        method="map",
        values=tuple(values),
        data={"title": heading.title, "notes": notes},
        assumed=tuple(assumed),
        warnings=(*(note for note in notes if "synthetic" in note), *doubts),
        source=heading.source,
        files=(name,),
    )


def plot_series(call: Call) -> Result:
    """Values along time, one line for each file.

    Arguments: ``variable``, ``select``, ``unit``, ``names`` (of the lines), ``threshold``, ``threshold_name``,
    ``title``, ``missing``. What has members is drawn as their median with a band from the 10th to the 90th percentile.
    """
    places = call.inputs.get("data", ())
    if not places:
        raise LabrigError(
            "No file is given", where="data", expected="one to eight files with a variable along time"
        )
    names = list_of(call, "names", str, "texts")
    lines: list[Line] = []
    notes: list[str] = []
    assumed: list[str] = []
    doubts: list[str] = []
    label = first_unit = ""
    for number, place in enumerate(places):
        found = with_missing(opened(place), call.argument("missing"))
        part = selected(variable(found, text_of(call, "variable")), mapping_of(call, "select"))
        doubts += suspected(part).warnings[len(part.warnings) :]
        chosen = in_unit(part, text_of(call, "unit"))
        line = _line(chosen, str(names[number]) if number < len(names) else _stem(place.name, len(places)))
        unit = str(chosen.data.attrs.get("units", ""))
        if not label:
            label = with_unit(str(chosen.data.attrs.get("long_name") or chosen.data.name), unit)
            first_unit = unit
        elif unit != first_unit:
            raise LabrigError(
                f"{place.name} is in {unit or 'no unit'}, the first file in {first_unit or 'no unit'}",
                where="data",
                try_="unit=...",
            )
        lines.append(line)
        notes += [*part.done, *(_plainly(each) for each in found.warnings)]
        assumed += found.assumed
    notes = list(dict.fromkeys(note for note in notes if note))
    source = ", ".join(dict.fromkeys(place.name for place in places))
    heading = Heading(text_of(call, "title"), source, tuple(_capital(note) for note in notes))
    figure = series_figure(
        heading,
        lines,
        label,
        threshold=number_of(call, "threshold"),
        threshold_name=text_of(call, "threshold_name"),
    )
    values = [
        Quantity(f"{word} of {line.name}" if line.name else word, float(f"{number:.6g}"), first_unit or "1")
        for line in lines
        for word, number in (
            ("least", np.nanmin(line.values)),
            ("mean", np.nanmean(line.values)),
            ("greatest", np.nanmax(line.values)),
        )
    ]
    return Result(
        method="time series",
        values=tuple(values),
        data={"title": heading.title, "notes": notes},
        assumed=tuple(dict.fromkeys(assumed)),
        warnings=(*(note for note in notes if "synthetic" in note), *dict.fromkeys(doubts)),
        source=source,
        files=(_save(figure, call.scratch, "series.png"),),
    )


def _line(chosen: Field, name: str) -> Line:
    """Return a line of a variable along time, with a band where it has members."""
    data, axes = chosen.data.squeeze(drop=True), chosen.axes
    if not axes.time:
        data, axes = _with_years(data, axes)
    if not axes.time or axes.time not in data.dims:
        raise LabrigError(f"{data.name} has no axis of time with more than one step", where=str(data.name))
    further = [str(dim) for dim in data.dims if dim not in (axes.time, axes.member)]
    if further:
        raise LabrigError(
            f"A line needs one value for each time, and {data.name} also has {', '.join(further)}",
            where=str(data.name),
            try_="extract a point, or take the mean over an area, first",
        )
    times = _on_the_usual_calendar(data[axes.time])
    if axes.member and axes.member in data.dims:
        members = data.transpose(axes.time, axes.member).values.astype(float)
        low, middle, high = np.nanpercentile(members, [10, 50, 90], axis=1)
        return Line(
            f"{name}, median" if name else "median",
            times,
            middle,
            low,
            high,
            f"10 to 90 % of {members.shape[1]} members",
        )
    return Line(name, times, data.values.astype(float))


def _on_the_usual_calendar(axis: Any) -> Any:
    """Return times as NumPy has them; those of 360 days a year at their part of it, so that 30 February has a place."""
    index = axis.to_index()
    if not hasattr(index, "to_datetimeindex"):
        return index.to_numpy()
    if str(axis.dt.calendar) != "360_day":
        return index.to_datetimeindex(time_unit="us").to_numpy()
    begins, ends = (
        np.array([f"{year + after:04d}-01-01" for year in axis.dt.year.values], "datetime64[us]")
        for after in (0, 1)
    )
    hours = (axis.dt.dayofyear.values - 1) * 24 + axis.dt.hour.values
    return begins + ((ends - begins) * (hours / (360 * 24))).astype("timedelta64[us]")


def _with_years(data: Any, axes: Axes) -> tuple[Any, Axes]:
    """Return data whose axis of whole years, if they have one, is one of times: the first day of each."""
    name = next((str(dim) for dim in data.dims if str(dim).casefold() in ("year", "years")), "")
    if not name or name not in data.coords or data[name].dtype.kind not in "iuf":
        return data, axes
    years = data[name].values
    if not (np.isfinite(years) & (years == np.round(years)) & (years > 0) & (years < 10_000)).all():
        return data, axes
    times = np.array([f"{int(year):04d}-01-01" for year in years], "datetime64[us]")
    return data.assign_coords({name: times}), replace(axes, time=name)


def _layers(call: Call) -> tuple[list[Layer], list[str]]:
    places = call.inputs.get("layers", ())
    if len(places) > MOST_LAYERS:
        raise LabrigError(
            f"{len(places)} layers", where="layers", expected=f"at most {MOST_LAYERS}", code="limit"
        )
    styles: list[Mapping[str, Any]] = list_of(call, "styles", dict, "objects")
    layers, notes = [], []
    for number, place in enumerate(places):
        style = styles[number] if number < len(styles) else {}
        where = style.get("where") or {}
        if not isinstance(where, dict):
            raise LabrigError("where of a style is no object", where="styles", expected="{'highway': true}")
        found = read_features(place, layer=str(style.get("layer", "")), keys=tuple(where))
        if where:
            from labrig_earth.gis.querying import select

            found.frame = select(found, where).reset_index(drop=True)
        notes += found.warnings
        if not len(found.frame):
            notes.append(f"{place.name} has no such feature")
            continue
        layers.append(
            Layer(
                found.frame,
                str(style.get("style", "outline")),
                str(style.get("label", "")),
                str(style.get("column", "")),
                str(style.get("unit", "")),
            )
        )
    return layers, notes


def _classes(call: Call) -> dict[int, str] | None:
    try:
        return {int(number): str(name) for number, name in mapping_of(call, "classes").items()} or None
    except ValueError:
        raise LabrigError(
            "Classes are named by their numbers", where="classes", expected="{'4': 'vegetation'}"
        ) from None


def _box(call: Call) -> Box | None:
    box, region = call.argument("bbox"), text_of(call, "region")
    if box is not None and region:
        raise LabrigError("Both a box and a region are given", where="bbox", try_="one of them")
    if region:
        west, south, east, north = resolve_region(region, main_part=True).bounds
        margin = 0.04 * max(east - west if east > west else east + 360 - west, north - south)
        return west - margin, max(south - margin, -90), east + margin, min(north + margin, 90)
    return None if box is None else check_box(box)


def _shown(field: Cells, box: Box | None) -> Any:
    """Return the values that a box shows; all of them where none of its cells has its centre in it."""
    if box is None or not field.geographic:
        return field.values
    x, y = field.centres
    west, south, east, north = box
    east = east + 360 if east < west else east
    across = ((x - west) % 360 <= east - west)[None, :] & ((y >= south) & (y <= north))[:, None]
    return field.values[across] if np.isfinite(field.values[across]).any() else field.values


def _when(field: Field) -> str:
    """Return the time of a field that has one; of an axis whose numbers state no unit, the number."""
    from labrig_earth.grids.times import iso

    name = field.axes.time
    if not name or name not in field.data.coords or field.data[name].size != 1:
        return ""
    value = field.data[name].values.reshape(-1)[0]
    is_time = field.data[name].dtype.kind == "M" or hasattr(value, "calendar")
    return iso(value) if is_time else f"{name} {value}"


def _stem(name: str, count: int) -> str:
    return Path(name).stem if count > 1 else ""


def _plainly(warning: str) -> str:
    """Return a warning without saying twice that data are synthetic."""
    return re.sub(r"^synthetic data: synthetic", "These data are synthetic", warning)


def _capital(note: str) -> str:
    return note[:1].upper() + note[1:]


def _save(figure: Any, scratch: Path, name: str) -> str:
    from labrig.plotting import style

    (scratch / name).write_bytes(style.png(figure))
    return name


OPERATIONS: Mapping[str, Operation] = {"plot_map": plot_map, "plot_series": plot_series}
