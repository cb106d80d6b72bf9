"""The thermodynamic databases: found by name in one folder, never by a path from the caller.

The folder is ``phreeqc.databases`` (``LABRIG_PHREEQC_DATABASES``, several separated like ``PATH``), else
``phreeqc/databases-3.8.6`` in Labrig's home, which ``labrig setup phreeqc`` or the first call fills.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from labrig.canonical import file_sha256
from labrig.commands import setup_command
from labrig.config import home, setting
from labrig.errors import LabrigError, Lacking, unknown_name

RELEASE = "3.8.6"

OFFICIAL_SHA256 = {
    "Amm.dat": "eaa4cede7a907447156f4b5ff53880ac693b2c7de6765198eb048addb2dfcf83",
    "ColdChem.dat": "e03e02c35ed15796d7c85213ad6280e7585ee8c74909f739950f4d07e5337f7d",
    "Concrete_PHR.dat": "ffe41089321b5be71eb76be57c0838f122e858e62dbf5ec5725e01adedcc2c02",
    "Concrete_PZ.dat": "ef0f8de173b30609c50bb405c04f6447a6d0382f667536571ea62dda953aebaf",
    "Kinec.v2.dat": "7ee972347f8791c900adbf86cffbb350e86ccfec3a7aa7160683ee9864f516a8",
    "Kinec_v3.dat": "5aa68b4b86503d7ef592c36ef0b3d8534ddec1dbecf0a9087e51164f0adf2c77",
    "PHREEQC_ThermoddemV1.10_15Dec2020.dat": "cfb1dbe03bc2744e622ee9544be628d0"
    "51beda4f0de8a218afeddd62ad781aee",
    "Tipping_Hurley.dat": "0725d7a31346e398d3b3361eb2ea19dfd3b6f0aaf8bab2670c3af7f42ea77006",
    "core10.dat": "9492c1bd696141c5e2e6b17eee66b9dcf8fdbb24e16f2a365de19424248fcca1",
    "frezchem.dat": "a22b63e73080d9a6666469c6a9ea0caaadf4f2aee5396c99ffbfa477c1099d7a",
    "iso.dat": "ee76b7cc9f12adbf61226b0519db3279ea875df597a3baa339985352d98b72c0",
    "llnl.dat": "dbc108236b91b7618b5362e64c3968123bb7d969270cbc7129673b887397e78a",
    "minimum.dat": "ca4e3d7f16d038d29a0abb215d0e9bf94086369448949c1b34c8c005c95a3a21",
    "minteq.dat": "b098ba653279256c05e7ac2ffa698529442f06d0bbb82a6f3ef2b8c309101f7a",
    "minteq.v4.dat": "a93914e63b0c616f8506cc92739188e50c5b9a15c33b111979652f308457f4ac",
    "phreeqc.dat": "59373961d648dfbf68a40744060c1d64f57ecbec98f4f5fb89f3a1b4213ccd10",
    "phreeqc_rates.dat": "8e348a8562bb5c43525722ee082cfb2cea01909ebc6c39f1b82870b31353b7a0",
    "pitzer.dat": "06ab2debc0cdb333598118df953165499c2f762a79de5f2df55dec6b78b02589",
    "sit.dat": "d7cbc6d459fd144b617efcf4d4f18ae68c53acd4ae873df16a305b74efac4155",
    "wateq4f.dat": "7816c92eadd28f7e4703efa467a038a197748cd38f410d81aa7909fde1c8912f",
}
"""The databases of the official release 3.8.6 (GitHub usgs-coupled/phreeqc3, tag v3.8.6)."""

DESCRIPTIONS = {
    "Amm.dat": "phreeqc.dat with ammonia as an element of its own (Amm), apart from nitrate; ion association",
    "ColdChem.dat": "Na-K-Ca-Mg-Cl-SO4 brines at low temperature (Toner and Catling); Pitzer",
    "Concrete_PHR.dat": "add-on: cement minerals, to be included after phreeqc.dat; not loadable alone",
    "Concrete_PZ.dat": "add-on: cement minerals, to be included after pitzer.dat; not loadable alone",
    "Kinec.v2.dat": "silicate dissolution rates (Hermanska et al.) on Carbfix and llnl.dat data; "
    "extended Debye-Hueckel; 0-300 degC, each species its own range",
    "Kinec_v3.dat": "later edition of Kinec.v2.dat with more mineral rates; extended Debye-Hueckel; "
    "0-300 degC, each species its own range",
    "PHREEQC_ThermoddemV1.10_15Dec2020.dat": "Thermoddem V1.10 (BRGM): clays, cement, zeolites, waste; "
    "extended Debye-Hueckel; 0-300 degC",
    "Tipping_Hurley.dat": "wateq4f data with metal binding to humic substances (Tipping and Hurley model); "
    "ion association",
    "core10.dat": "icy-world interiors, pressures other than 1 bar (Neveu et al. 2017): phreeqc.dat volumes "
    "and llnl.dat species; extended Debye-Hueckel",
    "frezchem.dat": "freezing brines Na-K-Ca-Mg-H-Cl-SO4-CO3, valid 25 to -60 degC (FREZCHEM); Pitzer",
    "iso.dat": "stable and radioactive isotopes (D, T, 18O, 13C, 14C, 34S ...) as species; ion association",
    "llnl.dat": "the widest choice of elements (thermo.com.V8.R6.230); extended Debye-Hueckel, dilute water; "
    "0-300 degC, each species its own range",
    "minimum.dat": "the few definitions that every run needs; for one's own systems",
    "minteq.dat": "MINTEQA2 with metals and organic ligands; ion association",
    "minteq.v4.dat": "Visual MINTEQ/MINTEQA2 version 4, more metals and organic ligands; ion association",
    "phreeqc.dat": "the general one: major ions, some metals, gases, volumes, viscosity, conductance; "
    "ion association with Debye-Hueckel; temperature and pressure dependent",
    "phreeqc_rates.dat": "phreeqc.dat with kinetic rates of minerals from compilations; ion association",
    "pitzer.dat": "brines and evaporites, high ionic strength; Pitzer; no redox reactions; "
    "temperature and pressure dependent",
    "sit.dat": "ThermoChimie 12a (ANDRA, NWS, ONDRAF): radionuclides and waste disposal; SIT",
    "wateq4f.dat": "natural waters, more trace metals, uranium, revised arsenic data; ion association",
}
"""What each official database covers and its activity model, from the headers of the files."""

ADD_ONS = {"Concrete_PHR.dat": "phreeqc.dat", "Concrete_PZ.dat": "pitzer.dat"}
"""Files that extend another database and hold too little to be one."""


@dataclass(frozen=True)
class Database:
    """One database file.

    Attributes
    ----------
    name
        File name, such as ``phreeqc.dat``.
    path
        Where it lies.
    sha256
        SHA-256 of the file, hexadecimal.
    official
        ``3.8.6`` when the file is bit for bit the one of that release, else None.
    description
        What it covers; empty for databases that Labrig does not know.
    """

    name: str
    path: Path
    sha256: str
    official: str | None
    description: str


def folders() -> list[Path]:
    """Return the folders in which databases are looked up, in order."""
    configured = setting("phreeqc", "databases")
    if configured:
        return [Path(each).expanduser() for each in configured.split(os.pathsep) if each]
    return [home() / "phreeqc" / f"databases-{RELEASE}"]


def list_databases() -> list[Database]:
    """Return every installed database; of two with one name the first folder's."""
    return [_database(path) for path in _installed().values()]


def find_database(name: str) -> Database:
    """Return a database by its name, in any case, with or without ``.dat``.

    Raises
    ------
    LabrigError
        ``refused`` for a path or an add-on, ``not_found`` for an unknown name (with the nearest
        matches), ``unavailable`` when no database is installed.
    """
    if any(mark in name for mark in ("/", "\\", "..", "\0")):
        raise LabrigError(
            "A database is chosen by name, not by path",
            where=f"database={name!r}",
            expected="a name such as phreeqc.dat",
            code="refused",
        )
    installed = _installed()
    if not installed:
        raise none_installed()
    wanted = name.strip().casefold().removesuffix(".dat")
    for known, path in installed.items():
        if known.casefold().removesuffix(".dat") == wanted:
            if known in ADD_ONS:
                raise LabrigError(
                    f"{known} is an add-on and cannot be used alone",
                    where=f"database={name!r}",
                    expected=f"{ADD_ONS[known]} as the database, and the definitions of {known} in the input",
                    code="refused",
                )
            return _database(path)
    raise unknown_name(
        "database", name, (each for each in installed if each not in ADD_ONS), where="database"
    )


def none_installed() -> LabrigError:
    """Return the error for want of all databases; a server fetches them, unless folders of one's own are named."""
    what, where = "No PHREEQC database is installed", ", ".join(str(folder) for folder in folders())
    if setting("phreeqc", "databases"):
        return LabrigError(
            what,
            where=f"phreeqc.databases = {where}",
            try_=f"a folder with *.dat files, or no such setting and `{setup_command('phreeqc')}`",
            code="unavailable",
        )
    return Lacking("phreeqc", what, where=where, try_=setup_command("phreeqc"))


def _installed() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in folders():
        with contextlib.suppress(OSError):
            for path in _files(folder):
                found.setdefault(path.name, path)
    return found


SETTLED_NS = 2_000_000_000
"""A folder that changed later than so long ago may change again within one tick of its clock."""


def _files(folder: Path) -> Sequence[Path]:
    """Return the databases of a folder, which is listed again only where it has changed."""
    changed = folder.stat().st_mtime_ns
    return _list_files(folder, changed) if time.time_ns() - changed > SETTLED_NS else _list_now(folder)


def _list_now(folder: Path) -> Sequence[Path]:
    return sorted(folder.glob("*.dat"), key=lambda each: each.name.casefold())


@lru_cache(maxsize=16)
def _list_files(folder: Path, _mtime_ns: int) -> Sequence[Path]:
    return _list_now(folder)


def _database(path: Path) -> Database:
    path = path.resolve()
    sha256 = file_sha256(path)
    official = RELEASE if OFFICIAL_SHA256.get(path.name) == sha256 else None
    return Database(path.name, path, sha256, official, DESCRIPTIONS.get(path.name, ""))
