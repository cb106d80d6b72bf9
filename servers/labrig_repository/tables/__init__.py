"""Tables without their rows: what a file holds, so that nobody need load it to know.

The format is told by the name, and by the first bytes where these say something else. Packages that a format needs are
imported when a file asks for them.
"""

from __future__ import annotations

from labrig.errors import LabrigError
from labrig_repository.store import Repository
from labrig_repository.tables import delimited, hdf5, netcdf, parquet, records, spreadsheet
from labrig_repository.tables.description import Description

__all__ = ["Description", "describe"]

_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
"""How gzip, bzip2, xz and zstd files begin."""


def describe(repository: Repository, path: str, *, sheet: str = "") -> Description:
    """Describe a table by its path in the repository.

    Parameters
    ----------
    sheet
        Of a workbook; default the first.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is no table, ``limit`` for one that is too large to be looked at, ``unavailable``
        where a package is missing.
    """
    beginning = repository.read(path, 0, 8)
    name = path.lower()
    if sheet and not beginning.startswith(b"PK"):
        raise LabrigError("Only workbooks have sheets", where=f"sheet {sheet!r}", try_="leave sheet out")
    if beginning.startswith(b"PAR1"):
        return parquet.describe(repository, path)
    if beginning.startswith(b"\x89HDF"):
        return hdf5.describe(repository, path)
    if beginning[:4] in (b"CDF\x01", b"CDF\x02", b"CDF\x05"):
        return netcdf.describe(repository, path)
    if beginning.startswith(b"PK") and name.endswith((".xlsx", ".xlsm")):
        return spreadsheet.describe(repository, path, sheet=sheet)
    if name.endswith((".jsonl", ".ndjson")):
        return records.describe(repository, path, lines=True)
    if name.endswith((".json", ".geojson")):
        return records.describe(repository, path, lines=False)
    if beginning.startswith(_PACKED):
        raise LabrigError(
            "The file is compressed",
            where=path,
            expected="a table as it is",
            try_=f"run_python_code with files=[{path!r}]; pandas unpacks inputs/NAME by its ending",
        )
    return delimited.describe(repository, path)
