"""Every library that reads bytes of others is known, with its rooms and its wall: a table of docs/security.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from support.foreign_bytes import kept_out_of_servers, read_rooms
from support.places import PROJECT

READERS = {
    *(
        "h5py",
        "h5netcdf",
        "netCDF4",
        "zarr",
        "numcodecs",
        "xarray",
        "cfgrib",
        "eccodes",
        "kerchunk",
        "tables",
    ),
    *("rasterio", "rioxarray", "osgeo", "pyogrio", "fiona", "geopandas", "shapefile", "osmium", "laspy"),
    *("pypdf", "pypdfium2", "pdfplumber", "pdfminer", "fitz", "pymupdf", "docx", "pptx", "odf"),
    *("lxml", "xml", "defusedxml", "xmltodict", "html5lib", "bs4", "selectolax", "feedparser", "trafilatura"),
    *("zipfile", "tarfile", "gzip", "bz2", "lzma", "zlib", "zstandard", "brotli", "lz4", "py7zr", "libzim"),
    *("pickle", "marshal", "shelve", "dbm", "joblib", "cloudpickle", "dill", "yaml", "ruamel", "plistlib"),
    *(
        "openpyxl",
        "python_calamine",
        "xlrd",
        "pyxlsb",
        "pyarrow",
        "polars",
        "duckdb",
        "fastparquet",
        "sqlite3",
        "pyreadstat",
    ),
    *(
        "PIL",
        "imageio",
        "cv2",
        "tifffile",
        "skimage",
        "onnx",
        "onnxruntime",
        "torch",
        "aurora",
        "safetensors",
    ),
    *("mailbox", "wave", "msgpack", "cbor2", "ijson", "avro", "protego", "yfinance", "tensorflow"),
}
"""Packages that read what somebody else may have written, in machine code or by a language of its own."""

FUNCTIONS = {
    "pandas": r"read_\w+",
    "numpy": "load|loadtxt|genfromtxt|fromfile|memmap",
    "shapely": "from_wkt|from_wkb|from_geojson",
    "scipy.io": "loadmat|whosmat|readsav|mmread|netcdf_file",
}
"""The same of packages that do other work as well."""

SHORT = {"pd": "pandas", "np": "numpy"}
NAMES = re.compile(rf"\b({'|'.join((*READERS, *FUNCTIONS))})\b")


def sources() -> Iterator[tuple[str, str]]:
    """Yield each module of ours by its name, with its text."""
    for root in ("shared", "servers", "clients"):
        for path in sorted((PROJECT / root).rglob("*.py")):
            parts = path.relative_to(PROJECT / root).with_suffix("").parts
            module = ".".join(part for part in parts if part != "__init__")
            yield module, path.read_text(encoding="utf-8")


def is_reader(package: str, name: str) -> bool:
    """Tell whether a function of a package reads bytes."""
    return package in FUNCTIONS and re.fullmatch(FUNCTIONS[package], name) is not None


def readers_in(text: str) -> set[str]:
    """Return what a module imports or calls that reads bytes."""
    found: set[str] = set()
    if not NAMES.search(text):
        return found  # most modules, which need not be parsed
    for node in ast.walk(ast.parse(text)):
        named: list[str] = []
        match node:
            case ast.Import(names=names):
                named = [each.name for each in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                named = [module]
                found |= {f"{module}.{each.name}" for each in names if is_reader(module, each.name)}
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                named = [name]
            case ast.Attribute(attr=name, value=ast.Name(id=package)):
                package = SHORT.get(package, package)
                found |= {f"{package}.{name}"} if is_reader(package, name) else set()
        # quoting for XML reads nothing
        found |= {each.partition(".")[0] for each in named if each != "xml.sax.saxutils"} & READERS
    return found


SOURCES = dict(sources())
FOUND = {(module, reader) for module, text in SOURCES.items() for reader in readers_in(text)}


def test_every_reader_of_foreign_bytes_has_a_row() -> None:
    rooms = read_rooms()
    missing = [
        f"{module} reads with {reader}"
        for module, reader in sorted(FOUND)
        if not any(reader in room.libraries and room.holds(module) for room in rooms)
    ]
    assert not missing, "docs/security.md says nothing of who reads these, behind which wall"


def test_every_row_has_something_behind_it() -> None:
    for room in read_rooms():
        assert room.wall, room.about
        for name in room.rooms:
            assert name in SOURCES, f"{room.about}: there is no {name}"
        for reader in room.libraries:
            used = [module for module, each in FOUND if each == reader and room.holds(module)]
            assert used, f"{room.about}: nothing in its rooms reads with {reader}"


@pytest.mark.parametrize(
    "text",
    [
        "import h5py",
        "def read():\n    from lxml import etree",
        "import xml.etree.ElementTree as tree",
        "from importlib import import_module\nimport_module('yaml.cyaml')",
        "import pandas as pd\npd.read_pickle('a')",
        "from pandas import read_csv",
        "import numpy as np\nnp.load('a')",
    ],
)
def test_a_reader_is_found_however_it_is_imported(text: str) -> None:
    assert readers_in(text)


def test_what_writes_alone_is_no_reader() -> None:
    assert not readers_in("from xml.sax.saxutils import escape\nimport json\n'h5py'")


def test_libraries_in_machine_code_are_kept_out_of_servers() -> None:
    assert {
        "pypdfium2",
        "selectolax",
        "h5py",
        "rasterio",
        "osmium",
        "openpyxl",
        "PIL",
    } <= kept_out_of_servers()
    assert not {"zlib", "sqlite3", "protego", "yfinance"} & kept_out_of_servers()
