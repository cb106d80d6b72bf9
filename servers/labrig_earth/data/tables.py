"""Tables of text (CSV): codes stay text, and latitudes and longitudes are read however they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.numbers import is_padded
from labrig_earth.data.formats import Place

LATITUDES, LONGITUDES = ("latitude", "lat", "y"), ("longitude", "lon", "lng", "long", "x")
NO_COORDINATES = "The table has no coordinates"
READ_AS = "labrig_read_as"
"""Attribute of a frame: how its coordinates were read, where they were no plain numbers."""

_PARTS = (
    ("degrees", "degree", "deg", "d"),
    ("minutes", "minute", "min", "m"),
    ("seconds", "second", "sec", "s"),
    ("hemisphere", "hem", "hemi", "dir", "direction", "ref"),
)
"""Endings of columns that hold a coordinate in parts: ``lat_deg``, ``lat_min``, ``lat_sec``, ``lat_hem``."""

_NUMBER = r"\d{1,3}(?:\.\d+)?"
_SEXAGESIMAL = (
    rf"^\s*(?P<before>[NSEWnsew]?)\s*(?P<sign>[+\-−]?)(?P<degrees>{_NUMBER})[°º:d\s]\s*"
    rf"(?:(?P<minutes>{_NUMBER})(?:['’′:m\s]|(?=[NSEWnsew]?\s*$))\s*)?"
    rf"(?:(?P<seconds>{_NUMBER})(?:[\"”″]|'')?\s*)?(?P<after>[NSEWnsew]?)\s*$"
)


def read_table(place: Place) -> Any:
    """Return a CSV table (comma, semicolon, tab) as a `pandas.DataFrame`; integers with zeros before them are text."""
    import pandas as pd

    with Path(place.path).open(encoding="utf-8-sig", errors="replace") as file:
        head = file.read(4096)
    first = head.partition("\n")[0]
    separator = max((",", ";", "\t"), key=first.count)
    decimal = "," if separator != "," and re.search(r"\d,\d", head) else "."
    table = pd.read_csv(place.path, sep=separator, decimal=decimal, encoding="utf-8-sig")
    texts = pd.read_csv(place.path, sep=separator, dtype=str, encoding="utf-8-sig")
    for name in table.columns:
        if pd.api.types.is_numeric_dtype(table[name]) and texts[name].dropna().map(is_padded).any():
            table[name] = texts[name]
    return table


def points_of(table: Any, place: Place, crs: str) -> Any:
    """Return a `pandas.DataFrame` with coordinates as a `geopandas.GeoDataFrame`: points, or what a column of WKT has.

    Coordinates are decimal numbers, or degrees, minutes and seconds in one column or in columns of their own.

    Raises
    ------
    LabrigError
        ``bad_input`` for a table without coordinates, or with some that cannot be read.
    """
    import geopandas as gpd

    folded = {str(name).strip().casefold(): name for name in table.columns}
    for name in ("geometry", "wkt"):
        if name in folded:
            shapes = gpd.GeoSeries.from_wkt(table[folded[name]], crs=crs)
            return gpd.GeoDataFrame(table.drop(columns=folded[name]), geometry=shapes)
    (y, y_said), (x, x_said) = (_coordinate(table, folded, names, place) for names in (LATITUDES, LONGITUDES))
    if x is None or y is None:
        raise LabrigError(
            NO_COORDINATES,
            where=place.name,
            expected="columns latitude and longitude, lat and lon, x and y, or wkt; lat_deg, lat_min, lat_sec, lat_hem",
            try_="its columns are " + ", ".join(map(str, table.columns[:20])),
        )
    frame = gpd.GeoDataFrame(table, geometry=gpd.points_from_xy(x, y), crs=crs)
    if said := y_said or x_said:
        frame.attrs[READ_AS] = said
    return frame


def _coordinate(table: Any, folded: dict[str, Any], names: tuple[str, ...], place: Place) -> tuple[Any, str]:
    """Return the column of a coordinate as decimal numbers, and how it was read where it was none; or None."""
    import pandas as pd

    for name in names:
        if name in folded:
            column = table[folded[name]]
            if pd.api.types.is_numeric_dtype(column):
                return column, ""
            return _of_texts(column, place), "coordinates in degrees, minutes and seconds"
    for name in names[:-1]:
        columns = [
            next(
                (
                    folded[f"{name}{gap}{end}"]
                    for end in ends
                    for gap in "_ "
                    if f"{name}{gap}{end}" in folded
                ),
                None,
            )
            for ends in _PARTS
        ]
        if columns[0] is not None and columns[1] is not None:
            return _of_parts(table, columns, place), "coordinates in degrees, minutes and seconds"
    return None, ""


def _of_parts(table: Any, columns: list[Any], place: Place) -> Any:
    """Return degrees from columns of degrees, minutes, seconds and hemisphere, of which the last two may be None."""
    import pandas as pd

    degrees, minutes, seconds = (
        0.0 if name is None else pd.to_numeric(table[name], errors="coerce") for name in columns[:3]
    )
    text = table[columns[0]].astype(str)
    south = text.str.strip().str.startswith(("-", "−"))
    if columns[3] is not None:
        south |= table[columns[3]].astype(str).str.strip().str.upper().str[:1].isin(("S", "W"))
    _check_parts(minutes, seconds, place)
    return (abs(degrees) + minutes / 60 + seconds / 3600) * south.map({True: -1.0, False: 1.0})


def _of_texts(column: Any, place: Place) -> Any:
    """Return degrees from texts such as 41°53'24"N, 41:53:24 or 41 53.4 N."""
    import pandas as pd

    parts = column.astype("string").str.extract(_SEXAGESIMAL)
    plain = pd.to_numeric(column, errors="coerce")
    degrees, minutes, seconds = (
        pd.to_numeric(parts[name], errors="coerce").fillna(0.0) for name in ("degrees", "minutes", "seconds")
    )
    unread = parts["degrees"].isna() & plain.isna() & column.notna()
    if unread.any():
        raise LabrigError(
            f"{column[unread].iloc[0]!r} is no coordinate",
            where=f"{place.name}, {column.name}",
            expected="decimal degrees, or degrees, minutes and seconds such as 41°53'24\"N",
        )
    _check_parts(minutes, seconds, place)
    letter = parts["before"].fillna("") + parts["after"].fillna("")
    south = parts["sign"].isin(("-", "−")) | letter.str.upper().isin(("S", "W"))
    found = (degrees + minutes / 60 + seconds / 3600) * south.map({True: -1.0, False: 1.0}).astype("f8")
    return plain.where(plain.notna(), found).where(column.notna())


def _check_parts(minutes: Any, seconds: Any, place: Place) -> None:
    """Refuse minutes and seconds of 60 and more, which are none."""
    for name, values in (("minutes", minutes), ("seconds", seconds)):
        if getattr(values, "size", 0) and not ((values >= 0) & (values < 60)).all():
            raise LabrigError(
                f"{name} reach {values.max():g} or are missing",
                where=place.name,
                expected=f"{name} from 0 to below 60",
            )
