"""Files that name other files for their values: what is not there would be read as numbers."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import zarr

NAMES = ("virtual.nc", "external.nc", "linked.nc", "linked.zarr", "pipeline.json", "pipeline.geojson")
FILL = -5.0


def lay_out(folder: Path) -> None:
    """Write them into a folder, with the file ``source.h5`` that some of them name: 280 everywhere."""
    source = (folder / "source.h5").absolute()
    with h5py.File(source, "w") as file:
        file["v"] = np.full((4, 4), 280.0)
    (folder / "raw.bin").write_bytes(np.full((4, 4), 280.0).tobytes())
    for name in NAMES[:3]:
        with h5py.File(folder / name, "w") as file:
            for axis, units in (("latitude", "degrees_north"), ("longitude", "degrees_east")):
                file[axis] = np.arange(4.0)
                file[axis].make_scale(axis)
                file[axis].attrs["units"] = units
            if name == "external.nc":
                part = [(str(folder / "raw.bin"), 0, 128)]
                file.create_dataset("t2m", (4, 4), "<f8", external=part, fillvalue=FILL)
            elif name == "linked.nc":
                file["deep/group/link"] = h5py.ExternalLink(str(source), "/v")
                file["t2m"] = np.full((4, 4), FILL)
            else:
                layout = h5py.VirtualLayout((4, 4), "<f8")
                layout[:] = h5py.VirtualSource(str(source), "v", (4, 4))
                layout.dcpl.set_obj_track_times(False)  # the same bytes whenever it is made
                file.create_virtual_dataset("t2m", layout, fillvalue=FILL)
            for number, axis in enumerate(("latitude", "longitude")):
                file["t2m"].dims[number].attach_scale(file[axis])
    group = zarr.open_group(folder / "linked.zarr", mode="w", zarr_format=2)
    for name, values in (("latitude", np.arange(4.0)), ("t2m", np.full(4, 280.0))):
        group.create_array(name, data=values, chunks=(4,), fill_value=FILL)
        group[name].attrs["_ARRAY_DIMENSIONS"] = ["latitude"]
    zarr.consolidate_metadata(folder / "linked.zarr")
    (folder / "linked.zarr/t2m/0").unlink()
    (folder / "linked.zarr/t2m/0").symlink_to(folder / "nothing")
    line = f"gdal vector pipeline ! read {folder}/secret.gpkg ! write --of=GeoJSON {folder}/written.json"
    for name in NAMES[4:]:
        (folder / name).write_text(json.dumps({"type": "gdal_streamed_alg", "command_line": line}))


def whole(path: Path) -> None:
    """Write a virtual dataset that is put together of its own file: nothing is missing."""
    with h5py.File(path, "w") as file:
        file["half"] = np.full(2, 280.0)
        layout = h5py.VirtualLayout(4, "<f8")
        layout[:2] = layout[2:] = h5py.VirtualSource(".", "half", 2)
        file.create_virtual_dataset("t2m", layout)
