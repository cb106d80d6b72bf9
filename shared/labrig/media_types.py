"""Which media type a file's name stands for."""

from __future__ import annotations

import mimetypes
from pathlib import PurePosixPath

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".nc": "application/x-netcdf",
    ".h5": "application/x-hdf5",
    ".hdf5": "application/x-hdf5",
    ".parquet": "application/vnd.apache.parquet",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def media_type_of(path: str) -> str:
    """Return the media type that a file's name stands for."""
    suffix = PurePosixPath(path).suffix.lower()
    return _MEDIA_TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
