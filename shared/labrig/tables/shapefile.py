"""A shapefile's two main files: the geometry (.shp), by its header, and the table of attributes (.dbf).

After ESRI's Shapefile Technical Description (1998) and the layout of dBASE tables (levels 3 and 4), whose cells are
texts of fixed width.
"""

from __future__ import annotations

import math
import struct

from labrig.errors import LabrigError
from labrig.tables.columns import Column, named
from labrig.tables.description import Description
from labrig.tools.reading import Files

MOST_BYTES = 16 << 20
"""Of the rows that are looked at."""

_SHP = struct.pack(">i", 9994)
_SHAPES = {0: "nothing", 1: "points", 3: "lines", 5: "polygons", 8: "sets of points", 31: "patches"}
_DBF = (b"\x03", b"\x83", b"\x8b", b"\x30", b"\xf5")
_DELETED = b"*"


def is_one(beginning: bytes, name: str) -> bool:
    """Tell whether a file is one of the two, by its first bytes and its name in small letters."""
    return beginning.startswith(_SHP) or (name.endswith(".dbf") and beginning.startswith(_DBF))


def describe(files: Files, path: str) -> Description:
    """Describe the geometry or the table; LabrigError ``bad_input`` for a header that is broken or cut off."""
    try:
        return _geometry(files, path) if files.read(path, 0, 4) == _SHP else _table(files, path)
    except (struct.error, ValueError) as error:
        raise LabrigError("The header of the shapefile is broken or cut off", where=path) from error


def _geometry(files: Files, path: str) -> Description:
    (stored,) = struct.unpack(
        ">i", files.read(path, 24, 4)
    )  # the one number in this order, in words of two bytes
    _, kind, *box = struct.unpack("<2i4d", files.read(path, 28, 40))
    with_ = {1: " with Z", 2: " with M"}.get(kind // 10, "")
    about: dict[str, object] = {
        "shapes": _SHAPES.get(kind if kind == 31 else kind % 10, f"of kind {kind}") + with_
    }
    if all(map(math.isfinite, box)) and kind:
        about["bounds"] = box
    notes = ["its table lies in the .dbf beside it, its CRS in the .prj, which is text"]
    if 2 * stored > files.size(path):
        notes.append("the file is shorter than its header says")
    return Description("shapefile, geometry", None, [], notes, about=about)


def _table(files: Files, path: str) -> Description:
    rows, start, width = struct.unpack_from("<IHH", files.read(path, 4, 8))
    head = files.read(path, 32, max(0, start - 32))
    fields = []
    for place in range(0, len(head) - 31, 32):
        if head[place] == 0x0D:
            break
        name, kind, size = struct.unpack_from("<11sc4xB", head, place)
        fields.append((name.split(b"\0")[0].decode("utf-8", "replace"), kind.decode("ascii"), size))
    if not fields or 1 + sum(size for *_, size in fields) > width:
        raise ValueError
    looked_at = min(rows, MOST_BYTES // width)
    data = files.read(path, start, looked_at * width)
    lines = [data[place : place + width] for place in range(0, len(data) - width + 1, width)]
    kept = [line for line in lines if not line.startswith(_DELETED)]
    encoding = _encoding(data)
    columns, notes = named([name for name, *_ in fields])
    place = 1
    for column, (_, kind, size) in zip(columns, fields, strict=True):
        _fill(column, kind, [line[place : place + size] for line in kept], encoding)
        place += size
    if len(kept) < len(lines):
        notes.append(f"{len(lines) - len(kept)} rows are marked as deleted and left out")
    if len(lines) < looked_at:
        notes.append(f"the header says {rows:,} rows, and the file ends after {len(lines):,}")
    whole = len(lines) == rows
    about = {"encoding": encoding} | ({} if whole else {"rows_looked_at": len(lines)})
    total = len(kept) if whole or len(lines) < looked_at else rows
    shown = [column.to_dict() for column in columns]
    return Description("dBASE table", total, shown, notes, len(lines) == looked_at == rows, about)


def _fill(column: Column, kind: str, cells: list[bytes], encoding: str) -> None:
    texts = [cell.decode(encoding, "replace").strip(" \0") for cell in cells]
    if kind == "D":
        texts = [
            f"{each[:4]}-{each[4:6]}-{each[6:]}" if each.isdigit() and len(each) == 8 else each
            for each in texts
        ]
    elif kind == "L":
        texts = [
            {"T": "true", "Y": "true", "F": "false", "N": "false", "?": ""}.get(each.upper(), each)
            for each in texts
        ]
    elif kind in "NF":
        texts = ["" if set(each) == {"*"} else each for each in texts]  # a number that its field cannot hold
    elif kind != "C":
        column.type = f"dBASE {kind}"
        texts = ["" for _ in texts]
    column.add_texts(texts)


def _encoding(data: bytes) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"
