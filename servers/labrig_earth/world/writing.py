"""Files of the world: each says that it is synthetic, and has a hash of what it holds.

NetCDF, Zarr, GeoTIFF and GeoPackage differ in their bytes with the versions of their libraries. So the hash is of
the values as they are stored: names, types, shapes and numbers in a fixed order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labrig_earth.results import SYNTHETIC


class Folder:
    """The folder of a world that is being made.

    Parameters
    ----------
    path
        An empty folder.
    seed
        For the label.

    Attributes
    ----------
    contents
        SHA-256 of what each file holds, by its path in the folder.
    truth
        What was planted, by the file's path.
    """

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.label = f"synthetic: made by labrig_earth.world from seed {seed}, no observation"
        self.contents: dict[str, str] = {}
        self.truth: dict[str, Any] = {}

    def new(self, name: str) -> Path:
        """Return the path of a new file, whose folder is there."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def netcdf(self, name: str, data: Any, encoding: Mapping[str, Mapping[str, Any]]) -> None:
        """Write an `xarray.Dataset` as NetCDF 4."""
        data.attrs = {"Conventions": "CF-1.8", **data.attrs, SYNTHETIC: self.label}
        data.to_netcdf(self.new(name), engine="netcdf4", encoding={k: dict(v) for k, v in encoding.items()})
        self.contents[name] = hash_arrays(_stored(data, encoding))

    def zarr(self, name: str, data: Any, encoding: Mapping[str, Mapping[str, Any]]) -> None:
        """Write an `xarray.Dataset` as a Zarr store, of format 3 with consolidated metadata."""
        import warnings

        data.attrs = {"Conventions": "CF-1.8", **data.attrs, SYNTHETIC: self.label}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Consolidated metadata")  # no part of Zarr 3's text yet
            data.to_zarr(
                self.new(name), encoding={k: dict(v) for k, v in encoding.items()}, consolidated=True
            )
        self.contents[name] = hash_arrays(_stored(data, {}))

    def geotiff(
        self,
        name: str,
        bands: Any,
        *,
        west: float,
        north: float,
        step: float,
        names: Sequence[str],
        nodata: float | None,
        scale: float = 1.0,
        offset: float = 0.0,
        tags: Mapping[str, str] | None = None,
        unit: str = "",
    ) -> None:
        """Write bands (band, y, x) in UTM 33N as a cloud-optimised GeoTIFF.

        Parameters
        ----------
        west, north, step
            Outer corner and side of the cells, metres.
        scale, offset
            Stated, not applied: value = stored * scale + offset.
        """
        from rasterio.env import Env
        from rasterio.io import MemoryFile
        from rasterio.shutil import copy
        from rasterio.transform import from_origin

        from labrig_earth.world.sizes import UTM

        count, height, width = bands.shape
        with Env(GDAL_PAM_ENABLED="NO"), MemoryFile() as memory:
            with memory.open(
                driver="GTiff", count=count, height=height, width=width, dtype=bands.dtype.name, crs=UTM, nodata=nodata,
                transform=from_origin(west, north, step, step),
            ) as file:  # fmt: skip
                file.write(bands)
                file.descriptions = tuple(names)
                file.scales, file.offsets = (scale,) * count, (offset,) * count
                if unit:
                    file.units = (unit,) * count
                file.update_tags(**{SYNTHETIC: self.label}, **(tags or {}))
            with memory.open() as file:
                copy(file, self.new(name), driver="COG", compress="deflate", blocksize=256, overviews="AUTO")
        self.contents[name] = hash_arrays(
            [("bands", bands)], json.dumps([west, north, step, list(names), scale, offset])
        )

    def geopackage(self, name: str, frame: Any, layer: str) -> None:
        """Write a `geopandas.GeoDataFrame` as one layer of a GeoPackage."""
        with _alone():
            frame.to_file(
                self.new(name),
                layer=layer,
                driver="GPKG",
                engine="pyogrio",
                layer_metadata={SYNTHETIC: self.label},
            )
        self.contents[name] = _hash_frame(frame)

    def text(self, name: str, text: str) -> None:
        """Write a text, whose hash is that of its bytes."""
        self.new(name).write_text(text, encoding="utf-8")
        self.contents[name] = hashlib.sha256(text.encode()).hexdigest()


def hash_arrays(arrays: Sequence[tuple[str, Any]], also: str = "") -> str:
    """Return the SHA-256 of named arrays: name, type, shape and values, little-endian, in C order."""
    import numpy as np

    digest = hashlib.sha256(also.encode())
    for name, values in arrays:
        if values.dtype.kind in "OUST":
            digest.update(json.dumps([name, values.tolist()]).encode())
            continue
        plain = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
        digest.update(json.dumps([name, plain.dtype.str, list(plain.shape)]).encode())
        digest.update(plain.tobytes())
    return digest.hexdigest()


def _hash_frame(frame: Any) -> str:
    """Return the SHA-256 of attributes and corners, these to a millimetre or its like in degrees."""
    from shapely import get_coordinates

    digits = 3 if frame.crs.is_projected else 8
    corners, whose = get_coordinates(frame.geometry.values, return_index=True)
    plain = frame.drop(columns="geometry")
    texts = [str(frame.crs.to_authority()), *frame.geometry.geom_type, *map(str, plain.columns)]
    texts += [
        repr(value.item() if hasattr(value, "item") else value) for row in plain.to_numpy() for value in row
    ]
    return hash_arrays(
        [("corners", corners.round(digits) + 0.0), ("whose", whose.astype("i8"))], "\n".join(texts)
    )


def rounded(value: Any) -> Any:
    """Return plain data whose numbers have nine digits, since the last ones differ between processors."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def _stored(data: Any, encoding: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """Return the arrays of a data set in the order of their names; times as seconds since 1970."""
    found = []
    for name in sorted(map(str, data.variables)):
        values = data[name].values
        if values.dtype.kind == "M":
            values = values.astype("datetime64[s]").astype("int64")
        if "scale_factor" in encoding.get(name, {}):
            how = encoding[name]
            values = ((values - how["add_offset"]) / how["scale_factor"]).round().astype(how["dtype"])
        found.append((name, values))
    return found


@contextmanager
def _alone() -> Iterator[None]:
    """Let GDAL write one date into each GeoPackage, and no file beside it."""
    import pyogrio

    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": "2021-01-01T00:00:00Z", "GDAL_PAM_ENABLED": "NO"})
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": None, "GDAL_PAM_ENABLED": None})
