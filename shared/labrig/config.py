"""Where Labrig keeps things, and the one way a setting is looked up.

A setting comes from the environment (``LABRIG_SECTION_KEY``), else from ``labrig.toml`` (a section
per server), else from the caller's default. The file is the one named by ``LABRIG_CONFIG`` or the
one in `home()`. A ``labrig.toml`` in the working directory is never read: it may belong to
a repository that somebody else wrote, and settings name libraries that get loaded.
"""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from labrig.errors import LabrigError


def home() -> Path:
    """Return the folder of workspaces, databases and side environments (``LABRIG_HOME``)."""
    configured = os.environ.get("LABRIG_HOME")
    if configured:
        return Path(configured).expanduser().resolve()
    return _default_home(os.environ.get("XDG_DATA_HOME"), os.environ.get("HOME"))


@lru_cache(maxsize=8)
def _default_home(*_environment: str | None) -> Path:
    return user_data_path("labrig", appauthor=False)


def config_path() -> Path:
    """Return the path of ``labrig.toml``, whether or not it exists."""
    configured = os.environ.get("LABRIG_CONFIG")
    return Path(configured).expanduser() if configured else home() / "labrig.toml"


@lru_cache(maxsize=8)
def _read(path: Path, mtime_ns: int) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LabrigError(f"The configuration file is not valid TOML: {error}", where=str(path)) from error


def setting(section: str, key: str, default: str = "") -> str:
    """Return one setting as text: environment, then ``labrig.toml``, then `default`.

    Examples
    --------
    ``setting("phreeqc", "library")`` reads ``LABRIG_PHREEQC_LIBRARY``, then ``library`` in the
    section ``[phreeqc]``.
    """
    from_environment = os.environ.get(f"LABRIG_{section}_{key}".upper())
    if from_environment is not None:
        return from_environment
    return str(_table(section).get(key, default))


def configured(section: str) -> dict[str, str]:
    """Return the names that are set in a section, read by a setting or not, and where: a variable, or the file.

    Examples
    --------
    ``{"wall_s": "LABRIG_PHREEQC_WALL_S", "library": "[phreeqc] of /home/.../labrig.toml"}``
    """
    prefix = f"LABRIG_{section}_".upper()
    in_file = dict.fromkeys(_table(section), f"[{section}] of {config_path()}")
    return in_file | {each[len(prefix) :].lower(): each for each in os.environ if each.startswith(prefix)}


def _table(section: str) -> dict[str, Any]:
    """Return a section of ``labrig.toml``, empty where there is none."""
    path = config_path()
    try:
        stat = path.stat()
    except OSError:
        if "LABRIG_CONFIG" in os.environ:
            raise LabrigError(
                "The configuration file does not exist",
                where=str(path),
                try_="correct or unset LABRIG_CONFIG",
            ) from None
        return {}
    table = _read(path, stat.st_mtime_ns).get(section, {})
    if not isinstance(table, dict):
        raise LabrigError(f"[{section}] must be a table", where=str(path))
    return table


YES_NO = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
"""Texts, in lower case, of a setting that is yes or no."""
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def read_size(text: str) -> int:
    """Return the bytes of a size such as ``500MB``, ``2GiB`` or ``1000``."""
    upper = text.strip().upper()
    unit = next((each for each in sorted(_UNITS, key=len, reverse=True) if upper.endswith(each)), "")
    try:
        size = float(upper.removesuffix(unit)) * _UNITS.get(unit, 1)
        if size < 0 or size != size or size == float("inf"):
            raise ValueError
        return int(size)
    except ValueError:
        raise LabrigError("This is not a size", where=text, expected="such as 500MB or 5GB") from None


def byte_setting(section: str, key: str, default: int) -> int:
    """Return a setting that is a size, in bytes."""
    text = setting(section, key)
    try:
        return read_size(text) if text else default
    except LabrigError as error:
        error.where = f"[{section}] {key} = {text}"
        raise
