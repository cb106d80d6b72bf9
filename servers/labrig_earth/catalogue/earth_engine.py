"""Google Earth Engine: what it would need, named; nothing is asked of it, and nothing made up in its place."""

from __future__ import annotations

import importlib.util

from labrig.config import setting
from labrig.errors import LabrigError
from labrig.http.outside import outside

PACKAGE = "earthengine-api"
WHY = "its client sends through google-api-python-client and httplib2"
SETTINGS = ("earth_engine_account", "earth_engine_key_file")


def require_earth_engine(project: str, *, mode: str) -> None:
    """Refuse a call for Earth Engine: it names what is missing of package, account and key.

    Parameters
    ----------
    project
        The project of Google Cloud that the call names.
    mode
        Of the HTTP client.

    Raises
    ------
    LabrigError
        ``unavailable``; ``not_recorded`` in a replay, since its requests are in no ledger.
    """
    with outside(PACKAGE, WHY, mode=mode):
        missing = [] if importlib.util.find_spec("ee") else [f"the package {PACKAGE}"]
        missing += [f"LABRIG_EARTH_{name.upper()}" for name in SETTINGS if not setting("earth", name).strip()]
        lacks = f"{', '.join(missing)} missing" if missing else "this server does not compute there"
        raise LabrigError(
            f"Earth Engine is not asked for the project {project[:60]}: {lacks}",
            where="project_id",
            expected="no project_id: the scenes of Sentinel-2 then come from Earth Search, without an account",
            try_="leave project_id out",
            code="unavailable",
        )
