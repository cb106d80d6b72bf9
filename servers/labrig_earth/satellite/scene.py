"""The bands of a satellite scene by their common names, in one file or several, with scale, offset and cloud mask.

Names are those of the file's own description of a band, or of the file: B04 of Sentinel-2, SR_B4 of Landsat 8 and 9,
or red. Scale and offset are those that the file states for the band, and are applied once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.data.formats import DRIVERS, Place, format_of
from labrig_earth.results import OFFSET_LEFT_OUT, SYNTHETIC
from labrig_earth.satellite.indices import Floats, as_reflectance

SENTINEL_2 = {
    **{"B01": "coastal", "B02": "blue", "B03": "green", "B04": "red", "B05": "rededge1", "B06": "rededge2"},
    **{"B07": "rededge3", "B08": "nir", "B8A": "nir08", "B11": "swir1", "B12": "swir2", "SCL": "scl"},
}
LANDSAT_8 = {
    **{"SR_B1": "coastal", "SR_B2": "blue", "SR_B3": "green", "SR_B4": "red", "SR_B5": "nir"},
    **{"SR_B6": "swir1", "SR_B7": "swir2"},
}
COMMON = {*SENTINEL_2.values(), *LANDSAT_8.values()}

SCL_CLASSES = (
    *(
        "no data",
        "saturated or defective",
        "dark or topographic shadow",
        "cloud shadow",
        "vegetation",
        "not vegetated",
    ),
    *(
        "water",
        "unclassified",
        "cloud, medium probability",
        "cloud, high probability",
        "thin cirrus",
        "snow or ice",
    ),
)
"""Scene classification of Sentinel-2 L2A by number (ESA, Sentinel-2 Products Specification Document)."""
KEPT_CLASSES = (4, 5, 6, 7, 11)
BASELINE_WITH_OFFSET = 4.0
"""Since processing baseline 04.00 (25 January 2022) 1000 is added to the stored numbers (ESA)."""


@dataclass(frozen=True)
class Band:
    """Where a band lies.

    Attributes
    ----------
    place, number
        The file, and the band in it, from 1.
    scale, offset
        reflectance = stored * scale + offset; ``stated`` if the file says so.
    whole
        Whether the stored numbers are integers.
    step
        Side of a cell, in units of the file's system.
    tags, baseline
        Of the file; processing baseline of Sentinel-2.
    """

    place: Place
    number: int
    scale: float
    offset: float
    stated: bool
    whole: bool
    step: float
    tags: Mapping[str, str]
    baseline: float | None


def bands_of(places: Sequence[Place], chosen: Mapping[str, int] | None = None) -> dict[str, Band]:
    """Return the bands of GeoTIFF files by their common names.

    Parameters
    ----------
    chosen
        Numbers of bands of the first file by common names, ``{"red": 3, "nir": 4}``, for files that name none.

    Raises
    ------
    LabrigError
        ``bad_input`` for other formats and for numbers of bands that are not there.
    """
    found: dict[str, Band] = {}
    for position, place in enumerate(places):
        with _opened(place) as file:
            tags = file.tags()
            wanted = {number: name for name, number in (chosen or {}).items()} if position == 0 else {}
            for number in wanted:
                if not 1 <= number <= file.count:
                    raise LabrigError(
                        f"There is no band {number}", where=place.name, expected=f"1 to {file.count}"
                    )
            for number in range(1, file.count + 1):
                name = wanted.get(number) or (
                    "" if wanted else common_name(file.descriptions[number - 1] or "", place.name, file.count)
                )
                if not name:
                    continue
                scale, offset = float(file.scales[number - 1]), float(file.offsets[number - 1])
                found[name] = Band(
                    place,
                    number,
                    scale,
                    offset,
                    stated=(scale, offset) != (1.0, 0.0),
                    whole=np.dtype(file.dtypes[number - 1]).kind in "iu",
                    step=abs(float(file.transform.a)),
                    tags=tags,
                    baseline=_baseline(tags, place.name),
                )
    return found


def common_name(description: str, file: str, count: int) -> str:
    """Return the common name of a band by its description, or if it is alone in its file by the file's name."""
    for text in (description, file if count == 1 else ""):
        plain = text.strip()
        if plain.casefold() in COMMON:
            return plain.casefold()
        match = re.search(
            r"(?:^|(?<=[^A-Za-z0-9]))(SR_B[1-7]|B0[1-8]|B8A|B1[12]|SCL)(?=[^A-Za-z0-9]|$)", plain
        )
        if match:
            return {**SENTINEL_2, **LANDSAT_8}[match[1]]
    return ""


class Scene:
    """Bands on one grid, with what is applied to them.

    Parameters
    ----------
    places
        Files; one of them may hold SCL.
    needed
        Common names.
    bands
        As `bands_of`.
    scale, offset
        In place of what files state.
    keep
        SCL classes that count, others are masked; None for no mask.
    reflectance
        Whether the formula needs reflectances, not only their ratios.

    Attributes
    ----------
    bands
        By name.
    mask
        The band SCL, or None.
    assumed, warnings
        What was applied, and what to mind.
    """

    def __init__(
        self,
        places: Sequence[Place],
        needed: Sequence[str],
        *,
        bands: Mapping[str, int] | None = None,
        scale: float | None = None,
        offset: float | None = None,
        keep: Sequence[int] | None = KEPT_CLASSES,
        reflectance: bool = False,
    ) -> None:
        found = bands_of(places, bands)
        self.name = ", ".join(dict.fromkeys(place.name for place in places))
        if "nir" not in found and "nir08" in found:
            found["nir"] = found["nir08"]
        missing = [name for name in needed if name not in found]
        if missing:
            raise LabrigError(
                f"There is no band {' or '.join(missing)}",
                where=self.name,
                expected=f"bands {', '.join(needed)}; the files name {', '.join(sorted(found)) or 'none'}",
                try_="bands={'red': 1, 'nir': 2} with the numbers of bands of the first file, or further files",
            )
        self.bands = {name: found[name] for name in needed}
        self.mask = found.get("scl") if keep is not None else None
        self.keep = tuple(keep or ())
        self.assumed: list[str] = []
        self.warnings: list[str] = []
        self._factors = {name: self._factor(name, scale, offset, reflectance) for name in needed}
        self._say()
        if keep is not None and self.mask is None:
            self.warnings.append("no cloud mask: no band SCL was given, so clouds count")
        first = self.bands[needed[0]]
        if left_out := first.tags.get(OFFSET_LEFT_OUT):
            self.warnings.append(
                f"{first.place.name}: the offset that the catalogue states was left out of {left_out}"
            )
        label = first.tags.get(SYNTHETIC)
        if label:
            self.warnings.insert(0, f"These data are {label}")

    def _factor(
        self, name: str, scale: float | None, offset: float | None, reflectance: bool
    ) -> tuple[float, float]:
        """Return scale and offset of a band; LabrigError where they matter and are not known."""
        band = self.bands[name]
        factor = band.scale if scale is None else float(scale)
        added = band.offset if offset is None else float(offset)
        if offset is None and not band.stated and (band.baseline or 0) >= BASELINE_WITH_OFFSET and band.whole:
            raise LabrigError(
                f"Processing baseline {band.baseline:05.2f} adds 1000 to what is stored, and the file does not say "
                "whether it was taken off",
                where=f"{band.place.name}, {name}",
                expected="an offset in the file, or given",
                try_="scale=0.0001, offset=-0.1 for files as ESA delivers them; offset=0 where 1000 was taken off",
            )
        if reflectance and scale is None and not band.stated and band.whole:
            raise LabrigError(
                "The index needs reflectances, and the file states no scale for its whole numbers",
                where=f"{band.place.name}, {name}",
                expected="reflectance = stored * scale + offset",
                try_="scale=0.0001 for Sentinel-2 L2A (offset=-0.1 since baseline 04.00); "
                "scale=0.0000275, offset=-0.2 for Landsat Collection 2",
            )
        if band.stated and not band.whole and factor < 0.01 and scale is None:
            raise LabrigError(
                f"The file states a scale of {factor:g} for numbers that are already fractions",
                where=f"{band.place.name}, {name}",
                try_="scale=1, offset=0, if they are reflectances",
            )
        return factor, added

    def _say(self) -> None:
        used = {(band.place.name, self._factors[name]) for name, band in self.bands.items()}
        for file, (factor, added) in sorted(used):
            if (factor, added) == (1.0, 0.0):
                self.assumed.append(f"{file}: no scale or offset, numbers as they are stored")
            else:
                self.assumed.append(f"{file}: reflectance = stored * {factor:g} {added:+g}, applied once")
        self.assumed += self._resampled()

    @contextmanager
    def opened(self, like: Any = None, *, exact: bool = False) -> Iterator[OpenScene]:
        """Open the files; bands on another grid are taken onto that of the first by the nearest cell.

        Parameters
        ----------
        like
            A rasterio data set whose grid is to be used in place of that of the first band.
        exact
            Whether places are projected to a millionth of a cell, else to an eighth.
        """
        with ExitStack() as stack:
            grid = like
            readers = {}
            for name, band in self.bands.items():
                file = stack.enter_context(_opened(band.place))
                grid = grid if grid is not None else file
                readers[name] = stack.enter_context(_on_grid(file, grid, exact))
            mask = None
            if self.mask is not None:
                mask = stack.enter_context(
                    _on_grid(stack.enter_context(_opened(self.mask.place)), grid, exact)
                )
            yield OpenScene(self, grid, readers, mask)

    def _resampled(self) -> Iterator[str]:
        first = next(iter(self.bands.values()))
        for name, band in {**self.bands, **({"SCL": self.mask} if self.mask else {})}.items():
            if band.step != first.step:
                yield f"{name}: cells of {band.step:g} taken to {first.step:g} by the nearest"

    def factor(self, name: str) -> tuple[float, float]:
        """Return scale and offset of a band as they are applied."""
        return self._factors[name]


@dataclass
class OpenScene:
    """A scene whose files are open.

    Attributes
    ----------
    grid
        The rasterio data set that has CRS, transform and size.
    """

    scene: Scene
    grid: Any
    readers: dict[str, Any]
    mask: Any

    def read(self, window: Any) -> tuple[list[Floats], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the reflectances of the bands, which cells have data, and which of these are clear.

        Reflectances are NaN where there are no data.
        """
        arrays, there = [], None
        for name, reader in self.readers.items():
            number = self.scene.bands[name].number
            stored = reader.read(number, window=window)
            has = reader.read_masks(number, window=window) > 0
            if stored.dtype.kind == "f":
                has &= np.isfinite(stored)
            values = as_reflectance(stored, *self.scene.factor(name))
            arrays.append(np.where(has, values, np.nan))
            there = has if there is None else there & has
        if there is None:
            raise LabrigError("A scene without bands", code="internal")
        clear = there
        if self.mask is not None and self.scene.mask is not None:
            classes = self.mask.read(self.scene.mask.number, window=window)
            clear = there & np.isin(classes, self.scene.keep)
        return arrays, there, clear


def windows(grid: Any, side: int = 1024) -> Iterator[Any]:
    """Yield the windows that a grid consists of."""
    from rasterio.windows import Window

    for row in range(0, grid.height, side):
        for column in range(0, grid.width, side):
            yield Window(column, row, min(side, grid.width - column), min(side, grid.height - row))


@contextmanager
def _opened(place: Place) -> Iterator[Any]:
    import rasterio
    from rasterio.errors import RasterioError

    if (kind := format_of(place)) not in DRIVERS:
        raise LabrigError(
            f"{place.name} is {kind}", where=place.name, expected="GeoTIFF or JPEG 2000 files of bands"
        )
    try:
        file = rasterio.open(place.path, driver=DRIVERS[kind])
    except RasterioError as error:
        said = str(error).replace(place.path, place.name)[:300]
        raise LabrigError(f"The file cannot be read: {said}", where=place.name) from None
    with file:
        if file.crs is None:
            raise LabrigError(
                "The raster states no reference system", where=place.name, try_="write its CRS into it"
            )
        yield file


@contextmanager
def _on_grid(file: Any, grid: Any, exact: bool = False) -> Iterator[Any]:
    """Yield a data set on the grid of another one; cells outside of it are missing."""
    from rasterio.enums import MaskFlags, Resampling
    from rasterio.vrt import WarpedVRT

    same = (file.crs, file.transform, file.width, file.height) == (
        grid.crs,
        grid.transform,
        grid.width,
        grid.height,
    )
    if same:
        yield file
        return
    whole = all(flags == [MaskFlags.all_valid] for flags in file.mask_flag_enums)
    with WarpedVRT(
        file,
        add_alpha=whole,
        tolerance=1e-6 if exact else 0.125,
        crs=grid.crs,
        transform=grid.transform,
        width=grid.width,
        height=grid.height,
        resampling=Resampling.nearest,
    ) as warped:
        yield warped


def _baseline(tags: Mapping[str, str], file: str) -> float | None:
    """Return the processing baseline of Sentinel-2, from a tag or from N0509 in the name."""
    for key, value in tags.items():
        if key.casefold().replace(" ", "_").endswith("processing_baseline"):
            try:
                return float(value)
            except ValueError:
                return None
    match = re.search(r"_N(\d{2})(\d{2})_", file)
    return float(f"{match[1]}.{match[2]}") if match else None
