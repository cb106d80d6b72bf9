"""NetCDF files out of the ZIP archive that a store sends, within bounds of number and size."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from labrig.errors import LabrigError
from labrig.threads import look

MOST_FILES = 200
MOST_BYTES = 4 << 30
MOST_RATIO = 200
"""Bytes that one byte of an archive may become: NetCDF is compressed within, so an archive that grows more is odd."""


def unpack(path: Path, folder: Path, *, where: str) -> tuple[list[str], list[str]]:
    """Write the NetCDF files of an archive into a folder.

    Returns
    -------
    tuple
        Names of the files, in order, without folders; names of what else is in the archive, which is left out.

    Raises
    ------
    LabrigError
        ``unreachable`` for what is no archive, a broken one, or one without NetCDF; ``limit`` for too many or too large
        files.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            listed = [each for each in archive.infolist() if not each.is_dir()]
            if len(listed) > MOST_FILES:
                raise _too_much(f"{len(listed):,} files", f"at most {MOST_FILES}", where)
            wanted = [each for each in listed if _is_netcdf(each.filename)]
            taken = {_safe(each.filename): each for each in wanted}
            if len(taken) < len(wanted):
                raise LabrigError("The archive holds two files of one name", where=where, code="unreachable")
            size = sum(each.file_size for each in taken.values())
            packed = max(1, sum(each.compress_size for each in taken.values()))
            if size > MOST_BYTES or size / packed > MOST_RATIO:
                raise _too_much(
                    f"{size:,} bytes from {packed:,}", f"at most {MOST_BYTES:,} and {MOST_RATIO} fold", where
                )
            for name, each in taken.items():
                with archive.open(each) as source, (folder / name).open("xb") as target:
                    while piece := source.read(1 << 20):
                        look()
                        target.write(piece)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise LabrigError(
            f"The archive cannot be read: {' '.join(str(error).split())[:200]}",
            where=where,
            code="unreachable",
        ) from None
    if not taken:
        raise LabrigError("The archive holds no NetCDF file", where=where, code="unreachable")
    return list(taken), [each.filename[:100] for each in listed if not _is_netcdf(each.filename)]


def _is_netcdf(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in (".nc", ".nc4")


def _safe(name: str) -> str:
    stem = PurePosixPath(name).stem
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "_-.") else "-" for each in stem)
    return f"{kept.lstrip('.-')[:150] or 'file'}.nc"


def _too_much(what: str, expected: str, where: str) -> LabrigError:
    return LabrigError(f"The archive holds {what}", where=where, expected=expected, code="limit")
