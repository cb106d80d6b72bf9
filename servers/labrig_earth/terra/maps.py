"""Group visualization: maps of one field, of an ensemble, of seasonal forecasts, as PNG in the style of the house."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig.plotting.checks import Heading
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
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import answered, number, safe
from labrig_earth.work.arguments import choice_of, list_of, number_of, text_of
from labrig_earth.work.calls import Call

AGGREGATES = ("auto", "mean", "sum", "min", "max")
CATEGORIES = ("below", "normal", "above")
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


def plot_region_map(call: Call) -> Result:
    """A map of a variable, or of a box of it: ``region`` is [north, west, south, east]."""
    shown = shown_field(call, "field", text_of(call, "variable"))
    box = _region(call)
    if box is not None:
        shown = replace(shown, data=select_box(shown.data, list(box))[0])
    return _map(call, shown, title=text_of(call, "title") or shown.name, box=box)


def plot_ensemble_mean_map(call: Call) -> Result:
    """A map of the mean of an ensemble, hatched where its confidence is high."""
    shown = shown_field(call, "field", text_of(call, "variable"))
    overlays: list[Overlay] = []
    about: dict[str, Any] = {}
    if call.optional("confidence") is not None:
        threshold = number_of(call, "confidence_threshold", 0.7)
        assert threshold is not None
        sure = shown_field(call, "confidence", text_of(call, "confidence_variable", "confidence"))
        aligned = like(sure.data, shown.data, where="confidence_path", units=False)
        label = f"Confidence at least {threshold:g}"
        hatched = Hatched(cells_of(aligned), threshold, text_of(call, "hatch_pattern", "///"), label)
        overlays.append(hatched)
        about["overlay"] = {
            "threshold": threshold,
            "hatch": hatched.pattern,
            "label": label,
            "share": number(hatched.share),
        }
        shown = replace(shown, warnings=(*shown.warnings, *sure.warnings))
    return _map(call, shown, overlays=overlays, about=about, middle=call.argument("center_zero"))


def plot_spread_map(call: Call) -> Result:
    """A map of the spread of an ensemble, from 0."""
    shown = shown_field(call, "field", text_of(call, "variable"))
    if float(shown.data.min()) < 0:
        raise LabrigError(
            "A spread is not negative", where=shown.name, try_="plot_region_map for another variable"
        )
    return _map(call, shown, low=0.0, middle=False)


def plot_confidence_map(call: Call) -> Result:
    """A map of an index from 0 to 1, with contours."""
    shown = shown_field(call, "field", text_of(call, "variable"))
    _within_one(shown)
    levels = _levels(call) or (0.4, 0.6, 0.8)
    contours = Contours((cells_of(shown.data),), levels)
    about = {"contours": {"levels": list(levels), "label": "Confidence"}}
    return _map(
        call, shown, overlays=[contours], about=about, low=0.0, high=1.0, middle=False, label="Confidence"
    )


def plot_spaghetti_map(call: Call) -> Result:
    """Contours of every member of an ensemble, a colour for each level, and those of the mean."""
    members = read_members(call.inputs.get("members", ()), text_of(call, "variable"))
    labels = list_of(call, "member_labels", str, "names")
    if labels and len(labels) != len(members.names):
        raise LabrigError(
            f"{len(labels)} labels for {len(members.names)} members",
            where="member_labels",
            expected="one for each",
        )
    shown = _at_time(call, _as_field(members), keep=(MEMBER,))
    fields = tuple(cells_of(shown.data.isel({MEMBER: place})) for place in range(shown.data.sizes[MEMBER]))
    levels = _levels(call) or round_levels(fields)
    colours = list_of(call, "colors", str, "colours")
    contours = Contours(
        fields,
        levels,
        with_unit("", shown.unit).strip(" ()"),
        tuple(_colour(each) for each in colours),
        number_of(call, "linewidth", 1.0, low=0.1, high=5) or 1.0,
        number_of(call, "alpha", 0.8, low=0.05, high=1) or 0.8,
    )
    counts = [sum(crossed(field, level) for field in fields) for level in levels]
    warnings = [
        f"No member has a contour of {level:g}"
        for level, count in zip(levels, counts, strict=True)
        if not count
    ]
    notes = (f"Contours of {shown.name}", text_of(call, "subtitle") or shown.when)
    heading = Heading(text_of(call, "title"), shown.source, _said(notes, shown))
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
    return _drawn(call, figure, payload, shown, warnings)


def plot_tercile_map(call: Call) -> Result:
    """A map of the probability of a tercile: the variable ``p_CATEGORY``."""
    category = text_of(call, "category", "above")
    if category not in CATEGORIES:
        raise unknown_name("category", category, CATEGORIES, where="category")
    shown = shown_field(call, "field", f"p_{category}")
    _within_one(shown)
    values = shown.data.values[np.isfinite(shown.data.values)]
    about = {
        "category": category,
        "share_above_third": number((values > CLIMATE_SHARE).mean()),
        "note": "a third is the probability without a forecast; each cell counts once",
    }
    contours = Contours((cells_of(shown.data),), (round(CLIMATE_SHARE, 3),), linewidth=1.2)
    title = text_of(call, "title") or f"Probability of the tercile {category}"
    return _map(
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


def plot_anomaly_map(call: Call) -> Result:
    """A map of an anomaly, in colours that have 0 in their middle."""
    shown = shown_field(call, "field", text_of(call, "variable"))
    title = text_of(call, "title") or "Anomaly"
    return _map(call, shown, title=title, middle=True, key="output_path")


def plot_skill_map(call: Call) -> Result:
    """A map of a measure of skill; cells below ``mask_threshold`` are left out where it is above 0."""
    shown = shown_field(call, "field", text_of(call, "metric"))
    threshold = number_of(call, "mask_threshold", 0.0)
    assert threshold is not None
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
    return _map(call, shown, title=shown.name, about=about, note=note, middle=None, key="output_path")


def _map(
    call: Call,
    shown: Shown,
    *,
    title: str = "",
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
    """Draw a field, and say its limits and range."""
    cells = cells_of(shown.data, label=label)
    low, high = number_of(call, "vmin", low), number_of(call, "vmax", high)
    colours, assumed = chosen_colours(call, cells, low, high, middle, title)
    title = title or text_of(call, "title")
    notes = (text_of(call, "subtitle") or shown.when, note)
    heading = Heading(title, shown.source, _said(notes, shown))
    figure = map_figure(heading, field=cells, colours=colours, overlays=overlays, box=box)
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
    return _drawn(call, figure, payload, shown, (), assumed, key)


def _drawn(
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
    return answered(
        {key: path, **payload},
        method="map; numbers are of the cells that are shown, each counted once",
        files=(path,),
        warnings=(*shown.warnings, *warnings),
        assumed=(*shown.assumed, *assumed),
    )


def shown_field(call: Call, role: str, variable: str) -> Shown:
    """Return a variable of a file at the time of ``time_index``, or over time by ``aggregate``."""
    return _at_time(call, read_field(call.input(role), variable))


def _as_field(members: Members) -> Field:
    """Return an ensemble as a field with its notes."""
    from labrig_earth.grids.axes import axes_of

    source = ", ".join(members.names)
    return Field(
        members.data, axes_of(members.data), source, warnings=members.warnings, assumed=members.assumed
    )


def _at_time(call: Call, field: Field, keep: Sequence[str] = ()) -> Shown:
    """Return a field without other axes than latitude, longitude and `keep`: one time, or a mean over times."""
    data = field.data
    if Y not in data.dims or X not in data.dims:
        raise LabrigError("The field is on no grid of latitudes and longitudes", where=field.source)
    reduced = list_of(call, "reduce_dims", str, "names of dimensions")
    for dim in reduced:
        if dim not in data.dims or dim in (Y, X, *keep):
            could = [str(each) for each in data.dims if each not in (Y, X, *keep)]
            raise unknown_name("dimension", dim, could, where="reduce_dims")
    if reduced:
        data = data.mean(reduced, skipna=False, keep_attrs=True)
    place = call.argument("time_index")
    how = choice_of(call, "aggregate", AGGREGATES, "auto")
    when = f"Mean over {', '.join(reduced)}" if reduced else ""
    if TIME in data.dims:
        times = data[TIME].values
        if place is not None:
            if not isinstance(place, int) or not -times.size <= place < times.size:
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


def chosen_colours(
    call: Call, cells: Cells, low: float | None, high: float | None, middle: Any, title: str
) -> tuple[Colours, list[str]]:
    """Return the colours of a map, and what was put in the place of a map that colour-blind people cannot read."""
    name, assumed = text_of(call, "cmap"), []
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


def _region(call: Call) -> Box | None:
    wanted = list_of(call, "region", (int, float), "numbers")
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


def _levels(call: Call) -> tuple[float, ...]:
    return tuple(sorted(set(map(float, list_of(call, "contour_levels", (int, float), "numbers")))))


def _within_one(shown: Shown) -> None:
    low, high = float(shown.data.min()), float(shown.data.max())
    if low < -1e-6 or high > 1 + 1e-6:
        raise LabrigError(
            f"{shown.name} runs from {low:g} to {high:g}",
            where=shown.source,
            expected="values from 0 to 1",
            try_="divide per cent by 100",
        )


def _colour(name: str) -> str:
    from matplotlib.colors import is_color_like

    if not is_color_like(name):
        raise LabrigError(f"{name[:40]!r} is no colour", where="colors", expected="such as #0072B2")
    return name


def _said(notes: Sequence[str], shown: Shown) -> tuple[str, ...]:
    kept = [each[:1].upper() + each[1:] for each in (*notes, *shown.warnings) if each]
    return tuple(dict.fromkeys(kept))
