"""Group visualization: maps of one field, of an ensemble, of seasonal forecasts, as PNG in the style of the house."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig.plotting.checks import Heading
from labrig_earth.data.formats import Place
from labrig_earth.ensembles.members import MEMBER, TIME, Members, X, Y, like, read_field, read_members
from labrig_earth.gis.boxes import check_box
from labrig_earth.grids.reading import Field
from labrig_earth.grids.selecting import select_box
from labrig_earth.grids.times import iso
from labrig_earth.plots.colours import DIVERGING, SEQUENTIAL, Colours, colours_for
from labrig_earth.plots.fields import Cells, cells_of, with_unit
from labrig_earth.plots.maps import map_figure
from labrig_earth.plots.overlays import Contours, Hatched, Overlay, crossed, round_levels
from labrig_earth.plots.projections import Box
from labrig_earth.results import Result
from labrig_earth.terra.arguments import visualization as arguments
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import make_result, number, safe
from labrig_earth.work.calls import Call

CLIMATE_SHARE = 1 / 3
"""Probability of each tercile without a forecast."""


@dataclass(frozen=True)
class Shown:
    """A field of one time, as a map shows it.

    Attributes
    ----------
    data
        `xarray.DataArray` over latitude and longitude.
    when
        Which time it is of, or of which times it is the mean.
    """

    data: Any
    when: str
    source: str
    warnings: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return str(self.data.name)

    @property
    def unit(self) -> str:
        return str(self.data.attrs.get("units", ""))


def plot_region_map(call: Call, asked: arguments.PlotRegionMap) -> Result:
    """A map of a variable, or of a box of it: ``region`` is [north, west, south, east]."""
    shown = read_times(call.input("netcdf_path"), asked.variable, asked)
    box = read_region(asked.region)
    if box is not None:
        shown = replace(shown, data=select_box(shown.data, list(box))[0])
    return draw_map(call, shown, title=asked.title or shown.name, cmap=asked.cmap, box=box)


def plot_ensemble_mean_map(call: Call, asked: arguments.PlotEnsembleMeanMap) -> Result:
    """A map of the mean of an ensemble, hatched where its confidence is high."""
    shown = read_times(call.input("netcdf_path"), asked.variable, asked)
    overlays: list[Overlay] = []
    about: dict[str, Any] = {}
    if asked.confidence_path:
        threshold = asked.confidence_threshold
        sure = read_times(call.input("confidence_path"), asked.confidence_variable, asked)
        aligned = like(sure.data, shown.data, where="confidence_path", units=False)
        label = f"Confidence at least {threshold:g}"
        hatched = Hatched(cells_of(aligned), threshold, asked.hatch_pattern, label)
        overlays.append(hatched)
        about["overlay"] = {
            "threshold": threshold,
            "hatch": hatched.pattern,
            "label": label,
            "share": number(hatched.share),
        }
        shown = replace(shown, warnings=(*shown.warnings, *sure.warnings))
    return draw_of_ensemble(call, asked, shown, overlays=overlays, about=about, middle=asked.center_zero)


def plot_spread_map(call: Call, asked: arguments.PlotSpreadMap) -> Result:
    """A map of the spread of an ensemble, from 0."""
    shown = read_times(call.input("netcdf_path"), asked.variable, asked)
    if float(shown.data.min()) < 0:
        raise LabrigError(
            "A spread is not negative", where=shown.name, try_="plot_region_map for another variable"
        )
    return draw_of_ensemble(call, asked, shown, middle=False)


def plot_confidence_map(call: Call, asked: arguments.PlotConfidenceMap) -> Result:
    """A map of an index from 0 to 1, with contours."""
    shown = read_times(call.input("netcdf_path"), asked.variable, asked)
    require_within_one(shown)
    levels = sort_levels(asked.contour_levels)
    contours = Contours((cells_of(shown.data),), levels)
    about = {"contours": {"levels": list(levels), "label": "Confidence"}}
    return draw_of_ensemble(
        call, asked, shown, overlays=[contours], about=about, middle=False, label="Confidence"
    )


def plot_spaghetti_map(call: Call, asked: arguments.PlotSpaghettiMap) -> Result:
    """Contours of every member of an ensemble, a colour for each level, and those of the mean."""
    members = read_members(call.inputs.get("member_paths", ()), asked.variable)
    labels = asked.member_labels
    if labels and len(labels) != len(members.names):
        raise LabrigError(
            f"{len(labels)} labels for {len(members.names)} members",
            where="member_labels",
            expected="one for each",
        )
    shown = take_time(field_of(members), asked.time_index, asked.aggregate, asked.reduce_dims, keep=(MEMBER,))
    fields = tuple(cells_of(shown.data.isel({MEMBER: place})) for place in range(shown.data.sizes[MEMBER]))
    levels = sort_levels(asked.contour_levels) or round_levels(fields)
    contours = Contours(
        fields,
        levels,
        with_unit("", shown.unit).strip(" ()"),
        tuple(require_colour(each) for each in asked.colors),
        asked.linewidth,
        asked.alpha,
    )
    counts = [sum(crossed(field, level) for field in fields) for level in levels]
    warnings = [
        f"No member has a contour of {level:g}"
        for level, count in zip(levels, counts, strict=True)
        if not count
    ]
    notes = (f"Contours of {shown.name}", asked.subtitle or shown.when)
    heading = Heading(asked.title, shown.source, join_notes(notes, shown))
    figure = map_figure(heading, overlays=[contours])
    payload = {
        "variable": shown.name,
        "units": shown.unit,
        "member_count": len(fields),
        "members": labels or list(members.names),
        "contour_levels": list(levels),
        "members_with_contour": counts,
        "time_descriptor": shown.when,
    }
    return write_picture(call, figure, payload, shown, warnings)


def plot_tercile_map(call: Call, asked: arguments.PlotTercileMap) -> Result:
    """A map of the probability of a tercile: the variable ``p_CATEGORY``."""
    category = asked.category
    shown = read_shown(call.input("prob_path"), f"p_{category}")
    require_within_one(shown)
    values = shown.data.values[np.isfinite(shown.data.values)]
    about = {
        "category": category,
        "share_above_third": number((values > CLIMATE_SHARE).mean()),
        "note": "a third is the probability without a forecast; each cell counts once",
    }
    contours = Contours((cells_of(shown.data),), (round(CLIMATE_SHARE, 3),), linewidth=1.2)
    title = asked.title or f"Probability of the tercile {category}"
    return draw_map(
        call,
        shown,
        title=title,
        overlays=[contours] if crossed(contours.fields[0], contours.levels[0]) else [],
        about=about,
        low=0.0,
        high=1.0,
        middle=False,
        label=f"Probability ({category})",
        note="The line is one third, the probability without a forecast",
        key="output_path",
    )


def plot_anomaly_map(call: Call, asked: arguments.PlotAnomalyMap) -> Result:
    """A map of an anomaly, in colours that have 0 in their middle."""
    shown = read_shown(call.input("anomaly_path"), asked.variable)
    return draw_map(
        call,
        shown,
        title=asked.title or "Anomaly",
        cmap=asked.cmap,
        low=asked.vmin,
        high=asked.vmax,
        middle=True,
        key="output_path",
    )


def plot_skill_map(call: Call, asked: arguments.PlotSkillMap) -> Result:
    """A map of a measure of skill; cells below ``mask_threshold`` are left out where it is above 0."""
    shown, threshold = read_shown(call.input("skill_nc_path"), asked.metric), asked.mask_threshold
    there = shown.data.notnull()
    kept = shown.data.where(shown.data >= threshold) if threshold > 0 else shown.data
    if not bool(kept.notnull().any()):
        raise LabrigError(
            f"No cell has {shown.name} of {threshold:g} or more",
            where="mask_threshold",
            expected=f"at most {float(shown.data.max()):g}, the greatest value",
        )
    share = number(float(kept.notnull().sum()) / float(there.sum()))
    about = {"metric": shown.name, "mask_threshold": threshold, "share_shown": share}
    note = f"Cells below {threshold:g} are left out" if threshold > 0 else ""
    shown = replace(shown, data=kept)
    return draw_map(
        call, shown, title=shown.name, cmap=asked.cmap, about=about, note=note, middle=None, key="output_path"
    )


def draw_of_ensemble(call: Call, asked: arguments.OfEnsemble, shown: Shown, **more: Any) -> Result:
    """Draw a field of an ensemble, with the limits and texts that are asked for."""
    return draw_map(
        call,
        shown,
        heading=asked.title,
        subtitle=asked.subtitle,
        cmap=asked.cmap,
        low=asked.vmin,
        high=asked.vmax,
        **more,
    )


def draw_map(
    call: Call,
    shown: Shown,
    *,
    title: str = "",
    heading: str = "",
    subtitle: str = "",
    cmap: str = "",
    overlays: Sequence[Overlay] = (),
    about: dict[str, Any] | None = None,
    low: float | None = None,
    high: float | None = None,
    middle: Any = None,
    label: str = "",
    box: Box | None = None,
    note: str = "",
    key: str = "figure_path",
) -> Result:
    """Draw a field, and say its limits and range.

    Parameters
    ----------
    title
        Which says also what colours suit; a `heading` in its place says nothing of them.
    """
    cells = cells_of(shown.data, label=label)
    colours, assumed = choose_colours(cells, cmap, low, high, middle, title)
    notes = (subtitle or shown.when, note)
    head = Heading(title or heading, shown.source, join_notes(notes, shown))
    figure = map_figure(head, field=cells, colours=colours, overlays=overlays, box=box)
    payload = {
        "variable": shown.name,
        "time_descriptor": shown.when,
        "vmin": number(colours.low),
        "vmax": number(colours.high),
        "colorbar_label": cells.label,
        "units": shown.unit,
        "min": number(shown.data.min()),
        "max": number(shown.data.max()),
        "mean": number(shown.data.mean()),
        "missing": int(shown.data.isnull().sum()),
        **(about or {}),
    }
    if box is not None:
        payload["region"] = [box[3], box[0], box[1], box[2]]
    return write_picture(call, figure, payload, shown, (), assumed, key)


def write_picture(
    call: Call,
    figure: Any,
    payload: dict[str, Any],
    shown: Shown,
    warnings: Sequence[str] = (),
    assumed: Sequence[str] = (),
    key: str = "figure_path",
) -> Result:
    from labrig.plotting import style

    name = f"{safe(shown.name)}_map.png"
    (call.scratch / name).write_bytes(style.png(figure))
    path = f"{MARK}{name}"
    return make_result(
        {key: path, **payload},
        method="map; numbers are of the cells that are shown, each counted once",
        files=(path,),
        warnings=(*shown.warnings, *warnings),
        assumed=(*shown.assumed, *assumed),
    )


def read_times(place: Place, variable: str, asked: arguments.OfTimes) -> Shown:
    """Return a variable of a file at the times that are asked for."""
    return read_shown(place, variable, asked.time_index, asked.aggregate, asked.reduce_dims)


def read_shown(
    place: Place,
    variable: str,
    time_index: int | None = None,
    aggregate: str = "auto",
    reduce_dims: Sequence[str] = (),
) -> Shown:
    """Return a variable of a file at the time of ``time_index``, or over time by ``aggregate``."""
    return take_time(read_field(place, variable), time_index, aggregate, reduce_dims)


def field_of(members: Members) -> Field:
    """Return an ensemble as a field with its notes."""
    from labrig_earth.grids.axes import axes_of

    source = ", ".join(members.names)
    return Field(
        members.data, axes_of(members.data), source, warnings=members.warnings, assumed=members.assumed
    )


def take_time(
    field: Field,
    time_index: int | None,
    aggregate: str,
    reduce_dims: Sequence[str],
    keep: Sequence[str] = (),
) -> Shown:
    """Return a field without other axes than latitude, longitude and `keep`: one time, or a mean over times."""
    data = field.data
    if Y not in data.dims or X not in data.dims:
        raise LabrigError("The field is on no grid of latitudes and longitudes", where=field.source)
    for dim in reduce_dims:
        if dim not in data.dims or dim in (Y, X, *keep):
            could = [str(each) for each in data.dims if each not in (Y, X, *keep)]
            raise unknown_name("dimension", dim, could, where="reduce_dims")
    if reduce_dims:
        data = data.mean(reduce_dims, skipna=False, keep_attrs=True)
    place, how = time_index, aggregate
    when = f"Mean over {', '.join(reduce_dims)}" if reduce_dims else ""
    if TIME in data.dims:
        times = data[TIME].values
        if place is not None:
            if not -times.size <= place < times.size:
                raise LabrigError(
                    f"There are {times.size} times", where=f"time_index {place}", code="not_found"
                )
            data, when = data.isel({TIME: place}, drop=True), iso(times[place])
        elif times.size == 1:
            data, when = data.isel({TIME: 0}, drop=True), iso(times[0])
        else:
            word = "mean" if how == "auto" else how
            kept = dict(data.attrs)
            data = getattr(data, word)(TIME, skipna=False).assign_attrs(kept)
            when = f"{word.capitalize()} of {times.size} times, {iso(times[0])} to {iso(times[-1])}"
    elif place not in (None, 0):
        raise LabrigError("The variable has no time axis", where=f"time_index {place}")
    data = data.rename(field.data.name)
    alone = [dim for dim, size in data.sizes.items() if size == 1 and dim not in (Y, X, *keep)]
    data = data.isel(dict.fromkeys(alone, 0), drop=True)
    further = [str(dim) for dim in data.dims if dim not in (Y, X, *keep)]
    if further:
        raise LabrigError(
            f"A map shows one field, and this has {', '.join(further)} as well",
            where=field.source,
            try_=f"reduce_dims={further}, which takes the mean",
        )
    if not bool(data.notnull().any()):
        raise LabrigError("Every value is missing", where=field.source)
    return Shown(data, when, field.source, tuple(field.warnings), tuple(field.assumed))


def choose_colours(
    cells: Cells, name: str, low: float | None, high: float | None, middle: Any, title: str
) -> tuple[Colours, list[str]]:
    """Return the colours of a map, and what was put in the place of a map that colour-blind people cannot read."""
    assumed = []
    if name and name not in (*SEQUENTIAL, *DIVERGING):
        import matplotlib

        if name not in matplotlib.colormaps:
            raise unknown_name("colour map", name, (*SEQUENTIAL, *DIVERGING), where="cmap")
        assumed.append(f"cmap {name} is replaced by one of the house, which colour-blind people can read")
        name = ""
    if middle is False and name in DIVERGING and not (low is not None and high is not None):
        middle = None
    if not isinstance(middle, bool):
        both = float(np.nanmin(cells.values)) < 0 < float(np.nanmax(cells.values))
        middle = None if not both and name not in DIVERGING else both
        if middle is False:  # a map with its middle at 0 says nothing of values on one side of it
            assumed.append(
                f"cmap {name} has its middle at 0 and all values lie on one side, so another one is taken"
            )
            name = ""
    return (
        colours_for(
            cells.values, what=f"{cells.label} {title}", name=name, low=low, high=high, diverging=middle
        ),
        assumed,
    )


def read_region(wanted: Sequence[float]) -> Box | None:
    """Return the box of [north, west, south, east]; None for none."""
    if not wanted:
        return None
    if len(wanted) != 4:
        raise LabrigError(f"{len(wanted)} numbers", where="region", expected="[north, west, south, east]")
    north, west, south, east = map(float, wanted)
    if south > north:
        raise LabrigError(
            f"South ({south:g}) is above north ({north:g})",
            where="region",
            expected="[north, west, south, east]",
            try_=f"{[east, south, west, north] if east > west else [south, west, north, east]}",
        )
    return check_box((west, south, east, north), "region")


def sort_levels(levels: Sequence[float]) -> tuple[float, ...]:
    return tuple(sorted(set(levels)))


def require_within_one(shown: Shown) -> None:
    low, high = float(shown.data.min()), float(shown.data.max())
    if low < -1e-6 or high > 1 + 1e-6:
        raise LabrigError(
            f"{shown.name} runs from {low:g} to {high:g}",
            where=shown.source,
            expected="values from 0 to 1",
            try_="divide per cent by 100",
        )


def require_colour(name: str) -> str:
    from matplotlib.colors import is_color_like

    if not is_color_like(name):
        raise LabrigError(f"{name[:40]!r} is no colour", where="colors", expected="such as #0072B2")
    return name


def join_notes(notes: Sequence[str], shown: Shown) -> tuple[str, ...]:
    kept = [each[:1].upper() + each[1:] for each in (*notes, *shown.warnings) if each]
    return tuple(dict.fromkeys(kept))
