"""Archives that are known and not connected, so that a question for them gets the way out and no made-up data."""

from __future__ import annotations

from labrig.errors import LabrigError, unknown_name

NOT_THERE = {
    "cds": "Climate Data Store (ERA5, seasonal forecasts): wants an account, a key and accepted licences",
    "ads": "Atmosphere Data Store (CAMS): wants an account, a key and accepted licences",
    "earth_engine": "Google Earth Engine: wants a service account",
    "planetary_computer": "Microsoft Planetary Computer: wants signed addresses",
    "earthdata": "NASA Earthdata: wants an account",
    "worldpop": "WorldPop: files by download alone",
}
BY_TOOL = {"cds": "fetch_c3s_seasonal (toolset terra-seasonal) for seasonal forecasts; else "}
"""Tools of their own that ask an archive."""
INSTEAD = "download the file, and put it into the workspace; or a STAC service or a Zarr store by URL"


def require_connected(source: str, connected: tuple[str, ...]) -> str:
    """Return the name of a source that is connected.

    Raises
    ------
    LabrigError
        ``unavailable`` for an archive of `NOT_THERE`, ``not_found`` for another name.
    """
    folded = source.casefold().replace(" ", "_").replace("-", "_")
    if folded in connected:
        return folded
    if folded in NOT_THERE:
        raise LabrigError(
            f"{source} is not searched by this server ({NOT_THERE[folded]})",
            where="source",
            expected=", ".join(connected),
            try_=BY_TOOL.get(folded, "") + INSTEAD,
            code="unavailable",
        )
    raise unknown_name("source", source, connected, where="source")
