"""Tables without their rows: what a file holds, so that nobody need load it to know.

The format is told by the name, and by the first bytes where these say something else. Packages that a format needs are
imported when a file asks for them.

- `description`: what is said of a table; `columns`: a column, from its cells
- `numbers` and `dates`: texts that can be read in several ways; `units`: what looks like one
- `heads`: where a table begins: titles, headings, a line of units
- `delimited` (CSV, TSV), `records`, `spreadsheet`, `parquet`, `hdf5`, `netcdf`, `notebook`, `database` (SQLite),
  `arrays` (npy, npz), `matlab`, `raster` (GeoTIFF), `shapefile`, `zarr_zip`: a reader for each format; `packed`: what
  gzip, bzip2 and xz hold
- `codecs`: which codecs a Zarr store may name
- `ranges`: of the arrays of NetCDF, HDF5, GeoTIFF, MATLAB and Zarr
- `formulas`: text that a spreadsheet would take for a formula, in tables that are written
- `writing`: a table as CSV
- `window`: a file as an object that seeks
- `apart`: the same in a child process, for files that anybody may have made
"""

from __future__ import annotations

from dataclasses import replace

from labrig.errors import LabrigError
from labrig.tables import (
    arrays,
    database,
    delimited,
    hdf5,
    matlab,
    netcdf,
    notebook,
    packed,
    parquet,
    raster,
    records,
    shapefile,
    spreadsheet,
    zarr_zip,
)
from labrig.tables.description import Description
from labrig.tools.reading import Files, NotText

__all__ = ["Description", "describe_table"]

_ZSTD = b"\x28\xb5\x2f\xfd"
_OF_R = (b"X\n\0\0\0", b"RDX2\nX\n", b"RDX3\nX\n")
"""What saveRDS and save write, unpacked (R Internals, section 1.8)."""


def describe_table(files: Files, path: str, *, sheet: str = "", values: bool = True) -> Description:
    """Describe a table by its path.

    Parameters
    ----------
    sheet
        Of a workbook, or a table of a database; default the first.
    values
        Read the values of arrays (NetCDF, HDF5, GeoTIFF, MATLAB, Zarr), for their ranges.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is not a table, ``limit`` for one that is too large to be read, ``unavailable``
        where a package is missing.
    """
    beginning = files.read(path, 0, 16)
    name = path.lower()
    if by := packed.packer(beginning):
        held, inner = packed.unpack(files, path)
        described = describe_table(held, inner, sheet=sheet, values=values)
        about = {"packed": by} | described.about
        rows = None if held.cut else described.rows
        return replace(described, rows=rows, about=about, complete=described.complete and not held.cut)
    if sheet and not beginning.startswith((b"PK", spreadsheet.OLD_MARK, database.MARK)):
        raise LabrigError(
            "Only workbooks have sheets, and databases tables",
            where=f"sheet {sheet!r}",
            try_="leave sheet out",
        )
    if beginning.startswith(database.MARK):
        return database.describe(files, path, table=sheet)
    if beginning.startswith(arrays.MARK) or (beginning.startswith(b"PK") and name.endswith(".npz")):
        return arrays.describe(files, path)
    if beginning.startswith(b"PAR1"):
        return parquet.describe(files, path)
    if beginning.startswith(b"\x89HDF"):
        return hdf5.describe(files, path, values=values)
    if beginning[:4] in (b"CDF\x01", b"CDF\x02", b"CDF\x05"):
        return netcdf.describe(files, path, values=values)
    if beginning.startswith(b"PK") and name.endswith((".xlsx", ".xlsm")):
        return spreadsheet.describe(files, path, sheet=sheet)
    if beginning.startswith(spreadsheet.OLD_MARK) and name.endswith((".xls", ".xlt")):
        return spreadsheet.describe(files, path, sheet=sheet)
    if beginning.startswith(b"PK") and name.endswith((".zarr", ".zarr.zip")):
        return zarr_zip.describe(files, path, values=values)
    if beginning.startswith(raster.MARKS):
        return raster.describe(files, path, values=values)
    if matlab.is_one(beginning, name):
        return matlab.describe(files, path, values=values)
    if shapefile.is_one(beginning, name):
        return shapefile.describe(files, path)
    if beginning.startswith(_ZSTD):
        raise LabrigError(
            "The file is packed by zstd",
            where=path,
            expected="a table as it is, or packed by gzip, bzip2 or xz",
            try_=f"run_python_code with files=[{path!r}]; pandas unpacks inputs/NAME by its ending",
        )
    if beginning.startswith(_OF_R):
        raise LabrigError(
            "This is data that R saved, which nothing reads here",
            where=path,
            expected="a table as CSV or Parquet",
            try_="in R: write.csv(readRDS('x.rds'), 'x.csv'), or load('x.rda') first",
        )
    try:
        return _described_text(files, path, name)
    except NotText as error:  # its words send the reader here
        error.expected = (
            "CSV and its relatives, JSON, JSON lines, xlsx, xls, Parquet, NetCDF, HDF5, SQLite, NumPy or MATLAB "
            "arrays, GeoTIFF or a shapefile"
        )
        error.try_ = f"run_python_code with files=[{path!r}], which opens inputs/NAME"
        raise


def _described_text(files: Files, path: str, name: str) -> Description:
    if name.endswith((".jsonl", ".ndjson")):
        return records.describe(files, path, lines=True)
    if name.endswith(".ipynb"):
        return notebook.describe(files, path)
    if name.endswith((".json", ".geojson")):
        return records.describe(files, path, lines=False)
    return delimited.describe(files, path)
