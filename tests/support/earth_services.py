"""What the services of the Earth server say to the fuzz and the attacks: the stores of Copernicus, MSWEP, Open-Meteo.

Each is asked once, while it is recorded; the service NAME is at ``/NAME`` of the imitation.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from typing import Any

from support.imitation import Hit, Imitation, as_json

SEASONAL = "seasonal-monthly-single-levels"
FORECAST = {
    "dataset": SEASONAL, "originating_centre": "ecmwf", "system": "51", "variable": ["2m_temperature"],
    "product_type": "monthly_mean", "year": ["2021"], "month": ["05"], "leadtime_month": ["1", "2", "3", "4"],
}  # fmt: skip
CONSTRAINTS = {"collection_id": SEASONAL, "request": {"system": "51", "variable": "2m_temperature"}}
AIR = {
    "lat": 48.2, "lon": 16.37, "start_date": "2024-07-01", "end_date": "2024-07-01", "save_path": "air",
    "variables": ["pm2_5", "ozone"],
}  # fmt: skip
CMIP = {
    "save_path": "cmip", "variable": "precipitation", "exp_type": "ssp1_2_6", "model_type": "gfdl_esm4",
    "temporal_resolution": "monthly", "years": ["2017"], "months": ["01"],
}  # fmt: skip
RAIN = {"save_path": "rain", "years": ["2020"], "months": ["10"], "days": ["15"], "hours": ["03"]}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("fetch_c3s_seasonal", FORECAST),
    ("progressive_cds_constraints", CONSTRAINTS),
    ("MeteoAQ", AIR),
    ("CMIP6", CMIP),
    ("MSWEP", RAIN),
]
FOLDER = "mswep-root-folder"
VARIABLES = {
    "LABRIG_EARTH_CDS_KEY": "0c0ffee0-key-of-the-test",
    "LABRIG_EARTH_MSWEP_TOKEN": "ya29.token-of-the-test",
    "LABRIG_EARTH_MSWEP_FOLDER": FOLDER,
}


def furnish(site: Imitation, netcdf: bytes) -> None:
    """Give an imitation the answers; each file that is fetched is `netcdf`."""
    top = "/cds/retrieve/v1"
    values = {"system": ["51"], "variable": ["2m_temperature", "precipitation"], "year": ["2017", "2021"]}
    for name, job, file in ((SEASONAL, "j-1", "/file.nc"), ("projections-cmip6", "j-2", "/file.zip")):
        site.on(f"{top}/processes/{name}/constraints", method="POST").then(as_json(values))
        site.on(f"{top}/processes/{name}/execution", method="POST").then(as_json({"jobID": job}))
        site.on(f"{top}/jobs/{job}").then(as_json({"status": "successful"}))
        site.on(f"{top}/jobs/{job}/results").then(as_json({"asset": {"value": {"href": site.url(file)}}}))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("pr_2017.nc", netcdf)
    site.on("/file.nc").then(netcdf)
    site.on("/file.zip").then(packed.getvalue())
    hours = [f"2024-07-01T{hour:02d}:00" for hour in range(24)]
    air = {
        "latitude": 48.2, "longitude": 16.4, "current": {"time": hours[0], "european_aqi": 31},
        "hourly_units": {"pm2_5": "μg/m³", "ozone": "μg/m³"},
        "hourly": {"time": hours, "pm2_5": [None, *range(1, 24)], "ozone": [40.5] * 24},
    }  # fmt: skip
    site.on("/open_meteo_air/air-quality").then(as_json(air))
    site.on("/mswep/files").then(_drive)
    for key, chunk in pickled_store("__import__('os').environ.copy()").items():
        site.on(f"/programs/{key}").then(chunk)
    site.on("/mswep/files/three-hours-of-rain").then(netcdf)


def _drive(hit: Hit) -> Any:
    asked = hit.query["q"]
    for name in ("Past", "3hourly"):
        if f"name = '{name}'" in asked:
            return as_json({"files": [{"id": f"folder-{name}-id", "name": name}]})
    return as_json({"files": [{"id": "three-hours-of-rain", "name": "2020289.03.nc"}]})


class _Program:
    def __init__(self, code: str) -> None:
        self._code = code

    def __reduce__(self) -> Any:
        return eval, (self._code,)


def pickled_store(code: str) -> dict[str, bytes]:
    """Return a Zarr store by its keys whose chunks pass through the codec pickle, which runs the code that they hold.

    It stands behind an object codec, from which zarr takes the type of the data.
    """
    array = {
        "zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|O", "fill_value": "", "order": "C",
        "filters": [{"id": "vlen-utf8"}], "compressor": {"id": "pickle"},
    }  # fmt: skip
    metadata: dict[str, Any] = {".zgroup": {"zarr_format": 2}, ".zattrs": {}}
    for name in ("latitude", "t2m"):
        metadata |= {f"{name}/.zarray": array, f"{name}/.zattrs": {"_ARRAY_DIMENSIONS": ["latitude"]}}
    whole = {".zmetadata": {"zarr_consolidated_format": 1, "metadata": metadata}, **metadata}
    chunk = pickle.dumps(_Program(f"({code}, b'\\x01\\0\\0\\0\\x01\\0\\0\\0a')[1]"))
    return {key: json.dumps(value).encode() for key, value in whole.items()} | {
        f"{name}/0": chunk for name in ("latitude", "t2m")
    }


def programs(site: Imitation) -> list[str]:
    """Return what a reader may ask of the store of programs, there or not."""
    keys = [*pickled_store("()"), "zarr.json", ".zarray", "latitude/zarr.json", "t2m/zarr.json"]
    return [site.url(f"/programs/{key}") for key in keys]
