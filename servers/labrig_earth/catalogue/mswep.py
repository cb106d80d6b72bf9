"""MSWEP, precipitation by gauges, satellites and reanalysis: files of three hours in a shared folder of Google Drive.

GloH2O shares the folder ``MSWEP_V280`` with those who ask for it (https://www.gloh2o.org/mswep, CC BY-NC 4.0); files of
``Past/3hourly`` are named ``YYYYDDD.HH.nc``. They are asked by Drive's interface with an OAuth token of that account.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from labrig.errors import LabrigError
from labrig.http import Key, Limit, Service
from labrig.http.answers import Part, read

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig.http.stored import Stored

MSWEP = Service(
    "mswep",
    "https://www.googleapis.com/drive/v3",
    limit=Limit(per_second=4, concurrent=2),
    key=Key(
        "earth",
        "mswep_token",
        header="Authorization",
        prefix="Bearer ",
        get_it="https://www.gloh2o.org/mswep",
    ),
    terms="https://www.gloh2o.org/mswep",
)
FOLDERS = ("Past", "3hourly")
HOURS = tuple(f"{hour:02d}" for hour in range(0, 24, 3))
MOST_BYTES = 512 << 20
IN_ONE_QUESTION = 40
MOST_PAGES = 20
_ID = re.compile(r"[A-Za-z0-9_-]{10,120}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FOLDER = "application/vnd.google-apps.folder"


@dataclass(frozen=True)
class DriveFile:
    """A file of a folder: its name, its id, and the SHA-256 that Drive states, or an empty text."""

    name: str
    id: str
    sha256: str


def name_of(day: date, hour: str) -> str:
    """Return the name of the file of three hours that begin at `hour` (two digits), UTC."""
    return f"{day.year}{day.timetuple().tm_yday:03d}.{hour}.nc"


async def find_files(client: Client, folder: str, names: Sequence[str]) -> dict[str, DriveFile]:
    """Return the files of these names in ``Past/3hourly`` of the shared folder; names that it lacks are left out.

    Parameters
    ----------
    folder
        Id of the folder ``MSWEP_V280``, as its address in a browser ends.

    Raises
    ------
    LabrigError
        ``unavailable`` without a folder or a token; ``not_found`` where the folder has no ``Past/3hourly``;
        ``unreachable`` for an answer of another shape; what the client says.
    """
    if not _ID.fullmatch(folder):
        raise LabrigError(
            "The folder of MSWEP is not set" if not folder else "This is no id of a folder of Google Drive",
            where="LABRIG_EARTH_MSWEP_FOLDER",
            expected="the id of the folder MSWEP_V280 that GloH2O shares, the end of its address in a browser",
            try_=f"ask for access at {MSWEP.terms}",
            code="unavailable",
        )
    inside = folder
    for name in FOLDERS:
        found = await _ask(client, inside, f"name = '{name}' and mimeType = '{_FOLDER}'")
        if name not in found:
            raise LabrigError(
                f"The folder has no folder {name}",
                where="LABRIG_EARTH_MSWEP_FOLDER",
                expected="MSWEP_V280, with Past/3hourly",
                code="not_found",
            )
        inside = found[name].id
    files: dict[str, DriveFile] = {}
    for start in range(0, len(names), IN_ONE_QUESTION):
        wanted = names[start : start + IN_ONE_QUESTION]
        either = " or ".join(f"name = '{name}'" for name in wanted)
        files |= await _ask(client, inside, f"({either})")
    return {name: files[name] for name in names if name in files}


async def fetch_file(client: Client, file: DriveFile, to: Path) -> Stored:
    """Fetch a file to a path that is not there yet; its hash must be the one that Drive states.

    Raises
    ------
    LabrigError
        What the client says.
    """
    found = await client.ask(
        MSWEP, f"files/{file.id}", params={"alt": "media", "supportsAllDrives": "true"}, to=to,
        sha256=file.sha256, max_bytes=MOST_BYTES,
    )  # fmt: skip
    assert found.stored is not None
    return found.stored


async def _ask(client: Client, folder: str, what: str) -> dict[str, DriveFile]:
    params = {
        "q": f"'{folder}' in parents and trashed = false and {what}",
        "fields": "nextPageToken,files(id,name,sha256Checksum)",
        "pageSize": "1000",
        "supportsAllDrives": "true",
        "includeItemsFromAllDrives": "true",
    }
    files: dict[str, DriveFile] = {}
    for _ in range(MOST_PAGES):  # a page may hold fewer than asked for, none even, and have another after it
        page = read(_Page, await client.ask(MSWEP, "files", params=params))
        for each in page.files:
            stated = each.stated if _SHA256.fullmatch(each.stated) else ""
            files[each.name] = DriveFile(each.name, each.id, stated)
        if not page.further:
            return files
        params["pageToken"] = page.further
    raise LabrigError(
        f"Google Drive has more than {MOST_PAGES} pages of these files", where=MSWEP.at(), code="too_large"
    )


class _File(Part):
    name: str
    id: str = Field(pattern=f"^(?:{_ID.pattern})$")
    stated: str = Field(default="", alias="sha256Checksum")


class _Page(Part):
    files: list[_File]
    further: str = Field(default="", alias="nextPageToken")
