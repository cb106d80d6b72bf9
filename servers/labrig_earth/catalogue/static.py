"""A static STAC catalogue on disk: one item for each data set, written and read by pystac.

Reading follows links to files in the folder of the catalogue alone; a link that leads elsewhere, or to the network, is
refused before anything is opened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.catalogue.entries import Box, Entry, Variable

FILE = "catalog.json"
ITEMS = "catalog"
MOST_ITEMS = 5_000
MOST_BYTES = 4 << 20
"""Of one JSON file."""

MEDIA = {
    "netcdf": "application/netcdf",
    "zarr": "application/vnd.zarr; version=3",
    "geotiff": "image/tiff; application=geotiff; profile=cloud-optimized",
    "jp2": "image/jp2",
    "parquet": "application/vnd.apache.parquet",
    "gpkg": "application/geopackage+sqlite3",
    "geojson": "application/geo+json",
    "shapefile": "application/vnd.shp",
    "gpx": "application/gpx+xml",
    "csv": "text/csv",
    "osm": "application/vnd.openstreetmap.data+xml",
    "pbf": "application/vnd.openstreetmap.data+pbf",
}
OPEN_BUCKETS = {"copernicus-dem-30m": "eu-central-1", "copernicus-dem-90m": "eu-central-1"}
"""Buckets of AWS that anybody may read, with their regions (https://registry.opendata.aws/copernicus-dem)."""
_VARIABLES, _KIND, _SYNTHETIC = "labrig:variables", "labrig:kind", "labrig:synthetic"
_TIMELESS = "labrig:timeless"
"""STAC wants a time of each item; of data without one it is 1970, and this says so."""


def write_static(folder: Path, entries: Iterable[Entry], *, title: str) -> list[str]:
    """Write a catalogue of data that lie in a folder, and return the names of the files that were written.

    Parameters
    ----------
    folder
        `Entry.where` is relative to it. It gets `FILE`, and an item for each entry in `ITEMS`.
    """
    import pystac

    catalogue = pystac.Catalog(id=_id(title), description=title, title=title)
    written = [FILE]
    items = []
    for entry in entries:
        item = _item(entry)
        item.add_asset(
            "data",
            pystac.Asset(
                f"../{entry.where}", title=entry.title, media_type=MEDIA.get(entry.kind), roles=["data"]
            ),
        )
        items.append((item, f"{ITEMS}/{item.id}.json"))
    (folder / ITEMS).mkdir(exist_ok=True)
    for item, name in items:
        item.set_self_href(None)
        plain = item.to_dict(include_self_link=False, transform_hrefs=False)
        plain["links"] = [
            {"rel": "root", "href": f"../{FILE}", "type": "application/json"},
            {"rel": "parent", "href": f"../{FILE}", "type": "application/json"},
        ]
        _write(folder / name, plain)
        written.append(name)
    plain = catalogue.to_dict(include_self_link=False, transform_hrefs=False)
    plain["links"] = [{"rel": "root", "href": f"./{FILE}", "type": "application/json"}] + [
        {"rel": "item", "href": f"./{name}", "type": "application/geo+json"} for _, name in items
    ]
    _write(folder / FILE, plain)
    return written


def read_static(folder: Path | str, *, name: str = "") -> list[Entry]:
    """Return the entries of a static catalogue, of any maker: items of the catalogue, its children and collections.

    Parameters
    ----------
    folder
        That has `FILE`.
    name
        What messages call it.

    Raises
    ------
    LabrigError
        ``not_found`` without a catalogue; ``refused`` for a link that leads out of the folder; ``limit`` above
        `MOST_ITEMS`; ``bad_input`` for JSON that is no STAC.
    """
    import pystac

    top = Path(folder)
    shown = name or top.name
    if not (top / FILE).is_file():
        raise LabrigError(
            f"There is no {FILE}",
            where=shown,
            expected="the folder of a static STAC catalogue",
            code="not_found",
        )
    reader = _reader(top, shown)
    try:
        catalogue = pystac.Catalog.from_file(str(top / FILE), stac_io=reader)
        entries: list[Entry] = []
        for item in catalogue.get_items(recursive=True):
            entry = _entry(item, top)
            if entry is not None:
                entries.append(entry)
            if len(entries) > MOST_ITEMS:
                raise LabrigError(
                    f"More than {MOST_ITEMS:,} items",
                    where=shown,
                    try_="name a folder below it",
                    code="limit",
                )
    except LabrigError:
        raise
    except Exception as error:  # pystac raises its own, KeyError and ValueError for what is no STAC
        if (ours := _ours(error)) is not None:
            raise ours from None
        said = str(error).replace(str(top), shown)[:300]
        raise LabrigError(f"This is no STAC catalogue: {type(error).__name__}: {said}", where=shown) from None
    return entries


def entry_of_item(fields: dict[str, Any], *, source: str) -> Entry | None:
    """Return the entry of a STAC item as a service sends it; None for one without data.

    Its main asset is the first with the role ``data``; the others are in `Entry.more`.
    """
    assets = {str(key): each for key, each in _object(fields.get("assets")).items() if isinstance(each, dict)}
    hrefs = {key: _by_http(str(asset.get("href", ""))) for key, asset in assets.items()}
    hrefs = {key: href for key, href in hrefs.items() if re.match(r"https?://[^/]", href)}
    if not hrefs or data_in_buckets(fields):
        return None
    data = [key for key in hrefs if "data" in _list(assets[key].get("roles"))]
    data = [key for key in data if "overview" not in _list(assets[key].get("roles"))] or list(hrefs)
    main = data[0]
    properties = _object(fields.get("properties"))
    return Entry(
        name=_text(fields.get("id")),
        where=hrefs[main],
        kind=_kind(_text(assets[main].get("type")), hrefs[main]),
        title=_text(properties.get("title"))
        or f"{_text(fields.get('collection'))} {_text(fields.get('id'))}".strip(),
        variables=tuple(_band(key, assets[key]) for key in data[:40]),
        box=_box(fields.get("bbox")),
        start=_text(properties.get("start_datetime") or properties.get("datetime")),
        end=_text(properties.get("end_datetime") or properties.get("datetime")),
        source=source,
        more={key: href for key, href in list(hrefs.items())[:40] if key != main},
    )


def data_in_buckets(fields: dict[str, Any]) -> str:
    """Return the address of data of an item if all that it has lie in buckets that want an account; else nothing."""
    assets = [each for each in _object(fields.get("assets")).values() if isinstance(each, dict)]
    data = [_by_http(_text(each.get("href"))) for each in assets if "data" in _list(each.get("roles"))]
    return data[0] if data and all(each.startswith("s3://") for each in data) else ""


def _by_http(href: str) -> str:
    """Return the address by HTTP of a file in one of `OPEN_BUCKETS`, which some services name by ``s3://``."""
    bucket, _, key = href.removeprefix("s3://").partition("/")
    region = OPEN_BUCKETS.get(bucket) if href.startswith("s3://") else None
    return f"https://{bucket}.s3.{region}.amazonaws.com/{key}" if region else href


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value[:300] if isinstance(value, str) else ""


def _band(key: str, asset: dict[str, Any]) -> Variable:
    bands = [
        each for each in _list(asset.get("eo:bands")) + _list(asset.get("bands")) if isinstance(each, dict)
    ]
    names = " ".join(_text(each.get("common_name") or each.get("eo:common_name")) for each in bands)
    return Variable(key[:80], "", (names.strip() or _text(asset.get("title")))[:80])


def _item(entry: Entry) -> Any:
    import pystac

    box = entry.box
    geometry = None
    if box is not None:
        from labrig_earth.gis.boxes import box_shape

        geometry = box_shape(box).__geo_interface__
    times = [_time(text) for text in (entry.start, entry.end)]
    properties: dict[str, Any] = {
        "title": entry.title,
        _KIND: entry.kind,
        _SYNTHETIC: entry.synthetic,
        _TIMELESS: times[0] is None,
        _VARIABLES: list(entry.to_dict().get("variables", [])),
    }
    whole = times[0] is None or times[0] == times[1]
    return pystac.Item(
        id=_id(entry.where),
        geometry=json.loads(json.dumps(geometry)) if geometry else None,
        bbox=[round(value, 6) for value in box] if box is not None else None,
        datetime=(times[0] or datetime(1970, 1, 1, tzinfo=UTC)) if whole else None,
        properties=properties,
        start_datetime=None if whole else times[0],
        end_datetime=None if whole else times[1],
    )


def _entry(item: Any, top: Path) -> Entry | None:
    asset = next((each for each in item.assets.values() if "data" in (each.roles or ())), None)
    asset = asset or next(iter(item.assets.values()), None)
    if asset is None:
        return None
    href = str(asset.href)
    if re.match(r"https?://", href):
        where = href
    else:
        absolute = Path(str(asset.get_absolute_href() or href))
        where = _below(absolute, top)
    fields = item.properties
    known = item.datetime is not None and not fields.get(_TIMELESS)
    start = fields.get("start_datetime") or (item.datetime.isoformat() if known else "")
    end = fields.get("end_datetime") or (item.datetime.isoformat() if known else "")
    variables = fields.get(_VARIABLES)
    if isinstance(variables, list):
        found = tuple(Variable(**each) for each in variables)
    else:
        cube = fields.get("cube:variables") or {}
        found = tuple(
            Variable(str(key), str(v.get("unit", "")), str(v.get("description", "")))
            for key, v in cube.items()
        )
        found = found or tuple(_band(key, each.to_dict()) for key, each in item.assets.items())
    return Entry(
        name=where if isinstance(variables, list) else str(item.id),
        where=where,
        kind=str(fields.get(_KIND) or _kind(str(asset.media_type or ""), href)),
        title=str(fields.get("title") or asset.title or item.id),
        variables=found,
        box=_box(item.bbox),
        start=_plain_time(str(start)),
        end=_plain_time(str(end)),
        source="catalogue",
        synthetic=bool(fields.get(_SYNTHETIC, False)),
    )


def _ours(error: BaseException | None) -> LabrigError | None:
    """Return the refusal of ours that a library has wrapped."""
    while error is not None:
        if isinstance(error, LabrigError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _below(path: Path, top: Path) -> str:
    """Return a path relative to a folder in which it must lie."""
    parts: list[str] = []
    try:
        relative = PurePosixPath(path).relative_to(PurePosixPath(top))
    except ValueError:
        relative = PurePosixPath("..")
    for part in relative.parts:
        if part == "..":
            if not parts:
                raise LabrigError(
                    "A link of the catalogue leads out of its folder",
                    where=str(relative),
                    expected="files below it",
                    code="refused",
                )
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _reader(top: Path, shown: str) -> Any:
    """Return what pystac reads with: files below a folder, and nothing else."""
    import pystac

    class Below(pystac.StacIO):  # type: ignore[misc]
        """Reads JSON files below one folder."""

        def read_text(self, source: Any, *_: Any, **__: Any) -> str:
            href = str(getattr(source, "absolute_href", source))
            if re.match(r"[a-z]+://", href):
                raise LabrigError(
                    f"The catalogue links to {href[:200]}",
                    where=shown,
                    expected="files in its folder",
                    code="refused",
                )
            path = top / _below(Path(href), top)
            try:
                if path.stat().st_size > MOST_BYTES:
                    raise LabrigError(
                        f"{path.name} is larger than {MOST_BYTES:,} bytes", where=shown, code="limit"
                    )
                return path.read_text(encoding="utf-8")
            except OSError:
                raise LabrigError(f"{path.name} is not there", where=shown, code="not_found") from None

        def write_text(self, dest: Any, txt: str, *_: Any, **__: Any) -> None:
            raise LabrigError("A catalogue is only read", where=shown, code="refused")

    return Below()


def _box(box: Any) -> Box | None:
    """Return a box of four numbers, of one with heights too."""
    if (
        not isinstance(box, list | tuple)
        or len(box) not in (4, 6)
        or not all(isinstance(each, int | float) for each in box)
    ):
        return None
    west, south, east, north = (
        (box[0], box[1], box[2], box[3]) if len(box) == 4 else (box[0], box[1], box[3], box[4])
    )
    if not (-360 <= west <= 360 and -360 <= east <= 360 and -90 <= south <= north <= 90):
        return None
    return float(west), float(south), float(east), float(north)


def _kind(media: str, href: str) -> str:
    plain = media.partition(";")[0].strip().casefold()
    known = {value.partition(";")[0]: key for key, value in MEDIA.items()}
    known |= {"application/x-netcdf": "netcdf", "application/vnd+zarr": "zarr", "image/tiff": "geotiff"}
    if plain in known:
        return known[plain]
    ending = href.rpartition(".")[2].casefold().rstrip("/")
    return {"nc": "netcdf", "zarr": "zarr", "tif": "geotiff", "tiff": "geotiff", "gpkg": "gpkg"}.get(
        ending, plain or "unknown"
    )


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _plain_time(text: str) -> str:
    return text.removesuffix("+00:00").removesuffix("Z").removesuffix("T00:00:00")


def _id(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-") or "data"


def _write(path: Path, plain: dict[str, Any]) -> None:
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
