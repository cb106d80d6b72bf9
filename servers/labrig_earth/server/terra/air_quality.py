"""Group air_quality: hours of air quality at a point."""

from __future__ import annotations

import csv
import hashlib
import io
from typing import Annotated

from pydantic import BeforeValidator, Field

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.catalogue.open_meteo import OPEN_METEO_AIR, Air, fetch_air
from labrig_earth.server.base import state, toolbox
from labrig_earth.server.terra.common import publish_payload, require_active, require_within
from labrig_earth.terra.arguments.kinds import Number

GROUP = "air_quality"
TOOLSETS = ("terra", f"terra-{GROUP}")
USUAL = ("pm10", "pm2_5", "carbon_monoxide", "carbon_dioxide", "nitrogen_dioxide", "sulphur_dioxide", "ozone")
"""As the public code asks for them."""

Variables = Annotated[list[str], BeforeValidator(lambda value: value or list(USUAL))]


@toolbox.tool(title="Air quality", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def MeteoAQ(
    lat: Number,
    lon: Number,
    start_date: Annotated[str, Field(description="YYYY-MM-DD, UTC.")],
    end_date: Annotated[str, Field(description="Included.")],
    save_path: Annotated[str, Field(description="A .csv file or a folder of the workspace.")],
    variables: Variables = list(USUAL),  # noqa: B006 - pydantic copies it
) -> Published:
    """Fetch hourly air quality at a point (CAMS by Open-Meteo) as CSV, with the European index of now."""
    here = session()
    require_active(GROUP, here)
    if not save_path:
        raise LabrigError("A path is missing", where="save_path", expected="a .csv file or a folder")
    name = f"meteoaq_{lat:.4f}_{lon:.4f}_{start_date[:10]}_{end_date[:10]}.csv"
    target = str(
        require_within(save_path if save_path.endswith(".csv") else f"{save_path}/{name}", "save_path")
    )
    air = await fetch_air(state().client, lat, lon, start_date, end_date, variables)
    content = _csv(air)
    await in_thread(here.workspace.write_bytes, target, content)
    missing = {key: sum(each is None for each in values) for key, values in air.values.items()}
    payload = {
        "csv_path": target,
        "current": dict(air.current),
        "hourly_records": len(air.times),
        "variables": list(variables),
        "units": dict(air.units),
        "missing": {key: count for key, count in missing.items() if count},
        "cell": {"latitude": air.latitude, "longitude": air.longitude},
        "first": air.times[0],
        "last": air.times[-1],
        "attribution": "CAMS (Copernicus Atmosphere Monitoring Service) by Open-Meteo, CC BY 4.0",
    }
    nothing = [key for key, count in missing.items() if count == len(air.times)]
    if nothing:
        payload["warnings"] = [f"{', '.join(nothing)}: no hour has a value there and then"]
    record = {"operation": "MeteoAQ", "outputs": {target: hashlib.sha256(content).hexdigest()}}
    source = f"{OPEN_METEO_AIR.name} ({OPEN_METEO_AIR.at()})"
    return publish_payload(payload, source=source, record=record, warned=bool(nothing))


def _csv(air: Air) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["date", *air.values])
    for number, time in enumerate(air.times):
        row = (values[number] for values in air.values.values())
        writer.writerow(
            [f"{time}:00+00:00" if len(time) == 16 else time, *("" if each is None else each for each in row)]
        )
    return text.getvalue().encode()
