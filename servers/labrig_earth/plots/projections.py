"""Which projection a map has: by its extent, or as asked for. Coast lines come from `labrig_earth.natural_earth`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.boxes import check_box

NAMES = (
    "auto",
    "plate_carree",
    "robinson",
    "equal_area",
    "lambert",
    "mercator",
    "polar_north",
    "polar_south",
    "utm",
)
LOCAL_DEGREES = 4.0
"""A map that is smaller is drawn in UTM, with a bar of scale."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Window:
    """A projection and what of it is shown.

    Attributes
    ----------
    projection
        Of cartopy.
    box
        (west, south, east, north) in degrees; east may be beyond 180.
    name
        In words, for below the picture.
    whole
        Whether the whole projection is shown.
    metres
        The window in metres (left, right, bottom, top) of a local map, else None.
    """

    projection: Any
    box: Box
    name: str
    whole: bool = False
    metres: Box | None = None

    @property
    def aspect(self) -> float:
        """Height of the window by its width."""
        if self.metres is not None:
            left, right, bottom, top = self.metres
            return (top - bottom) / (right - left)
        if self.whole:
            x, y = self.projection.x_limits, self.projection.y_limits
            return float((y[1] - y[0]) / (x[1] - x[0]))
        left, right, bottom, top = projected(self.projection, self.box)
        return (top - bottom) / (right - left)


def no_downloads() -> None:
    """Keep cartopy from fetching anything: what would, fails at once."""
    import cartopy

    cartopy.config["downloaders"] = {}


def window_of(box: Box, name: str = "auto") -> Window:
    """Return the window of a map.

    Parameters
    ----------
    box
        (west, south, east, north) in degrees.
    name
        One of `NAMES`. ``auto``: UTM up to `LOCAL_DEGREES`, polar for a cap beyond 50 degrees, Robinson for most of the
        globe, plate carree near the equator, else Lambert's equal-area azimuthal projection around the middle.
    """
    import cartopy.crs as ccrs

    if name not in NAMES:
        raise unknown_name("projection", name, NAMES, where="projection")
    west, south, east, north = check_box(box)
    east = east + 360 if east < west else east
    middle_x, middle_y = (west + east) / 2, (south + north) / 2
    width, height = east - west, north - south
    if name == "auto":
        name = _chosen(width, height, south, north)
    full = (west, south, east, north)
    match name:
        case "robinson":
            return Window(
                ccrs.Robinson(central_longitude=_round_middle(middle_x, width)),
                full,
                "Robinson",
                whole=width > 300,
            )
        case "polar_north" | "polar_south":
            up = name == "polar_north"
            if (south if up else -north) < 0:
                raise LabrigError(
                    "A polar map must lie on one side of the equator", where="projection", try_="auto"
                )
            made = ccrs.NorthPolarStereo() if up else ccrs.SouthPolarStereo()
            shown = (-180.0, south, 180.0, 90.0) if up else (-180.0, -90.0, 180.0, north)
            return Window(made, shown, "polar stereographic")
        case "equal_area":
            made = ccrs.LambertAzimuthalEqualArea(central_longitude=middle_x, central_latitude=middle_y)
            middle = f"{_halved(middle_y, 'NS')}, {_halved((middle_x + 180) % 360 - 180, 'EW')}"
            return Window(made, full, f"Lambert azimuthal equal-area around {middle}")
        case "lambert":
            first, second = south + height / 6, north - height / 6
            made = ccrs.LambertConformal(
                middle_x, middle_y, standard_parallels=(first, second), cutoff=-60 if middle_y > 0 else 60
            )
            return Window(made, full, f"Lambert conformal, standard parallels {first:.0f} and {second:.0f}")
        case "mercator":
            return Window(ccrs.Mercator(central_longitude=middle_x), full, "Mercator")
        case "utm":
            return _local(full)
        case _:
            return Window(
                ccrs.PlateCarree(central_longitude=_round_middle(middle_x, width)), full, "plate carree"
            )


def _halved(degrees: float, halves: str) -> str:
    """Return degrees as maps have them: 95 W, not -95 E."""
    return f"{abs(degrees):.0f} {halves[degrees < 0]}"


def _chosen(width: float, height: float, south: float, north: float) -> str:
    if width <= LOCAL_DEGREES and height <= LOCAL_DEGREES and max(abs(south), abs(north)) < 80:
        return "utm"
    if width > 90 and south >= 50:
        return "polar_north"
    if width > 90 and north <= -50:
        return "polar_south"
    if width > 150 or (width > 120 and height > 90):
        return "robinson"
    if max(abs(south), abs(north)) <= 25:
        return "plate_carree"
    return "equal_area"


def _local(box: Box) -> Window:
    import cartopy.crs as ccrs

    west, south, east, north = box
    zone = int(((west + east) / 2 + 180) // 6 % 60) + 1
    made = ccrs.UTM(zone, southern_hemisphere=north + south < 0)
    return Window(
        made, box, f"UTM zone {zone}{'S' if north + south < 0 else 'N'}", metres=projected(made, box)
    )


def projected(projection: Any, box: Box) -> Box:
    """Return (left, right, bottom, top) of a box in a projection."""
    import cartopy.crs as ccrs
    import numpy as np

    west, south, east, north = box
    x, y = np.meshgrid(np.linspace(west, east, 41), np.linspace(south, north, 41))
    points = projection.transform_points(ccrs.PlateCarree(), x.ravel(), y.ravel())
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise LabrigError(
            "The map shows nothing in this projection", where="projection", try_="projection='auto'"
        )
    (left, bottom), (right, top) = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return float(left), float(right), float(bottom), float(top)


def _round_middle(middle: float, width: float) -> float:
    """Return the meridian in the middle of a wide map: 0 or 180 where the map goes round the globe."""
    if width > 300:
        return 180.0 if middle >= 170 else 0.0
    return float(round(middle))
