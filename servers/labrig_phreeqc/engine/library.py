"""Which PHREEQC this is: one shared library with the IPhreeqc interface, and its fingerprint.

First hit wins: the configured library (``phreeqc.library`` in ``labrig.toml`` or
``LABRIG_PHREEQC_LIBRARY``), the library inside the phreeqcrm wheel (USGS, current), the 3.7.3 library inside
phreeqpy (it cannot read several databases of 3.8). The phreeqcrm library prints the placeholder version
3.0.0-0, so a result names the distribution and the hash of the file.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from labrig.canonical import file_sha256
from labrig.config import setting
from labrig.errors import LabrigError

_INSTALL = "pip install 'labrig[phreeqc]'"


@dataclass(frozen=True)
class Library:
    """A shared library that exports the IPhreeqc C interface.

    Attributes
    ----------
    path
        The file that gets loaded.
    distribution
        Where it comes from, such as ``phreeqcrm 0.0.20``, ``phreeqpy 0.6.0 (3.7.3)`` or ``configured``.
    packages
        Folder that holds the phreeqpy package, for interpreters that start without site-packages.
    """

    path: Path
    distribution: str
    packages: Path

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, hexadecimal."""
        return file_sha256(self.path)


def find_library() -> Library:
    """Return the library to use; raise ``unavailable`` when there is none."""
    packages = _package_folder("phreeqpy")
    if packages is None:
        raise LabrigError("The package phreeqpy is not installed", try_=_INSTALL, code="unavailable")
    configured = setting("phreeqc", "library")
    if configured:
        path = Path(configured).expanduser()
        if not path.is_file():
            raise LabrigError(
                "The configured PHREEQC library does not exist",
                where=f"phreeqc.library = {configured}",
                expected="the path of an IPhreeqc shared library (.so, .dylib or .dll)",
                code="unavailable",
            )
        return Library(path.resolve(), "configured", packages)
    for find in (_in_phreeqcrm, _in_phreeqpy):
        found = find(packages)
        if found is not None:
            return found
    raise LabrigError("No PHREEQC library is installed", try_=_INSTALL, code="unavailable")


def _in_phreeqcrm(packages: Path) -> Library | None:
    folder = _package_folder("phreeqcrm")
    if folder is None:
        return None
    names = [each for each in (folder / "phreeqcrm").glob("_phreeqcrm*") if each.suffix in (".so", ".pyd")]
    return Library(sorted(names)[0], _distribution("phreeqcrm"), packages) if names else None


def _in_phreeqpy(packages: Path) -> Library | None:
    names = {
        ("linux", "x86_64"): "libiphreeqc-3.7.3.so",
        ("linux", "aarch64"): "linux_arm_libiphreeqc-3.7.3.so",
        ("darwin", "x86_64"): "libiphreeqc-3.7.3.dylib",
        ("darwin", "arm64"): "libiphreeqc-3.7.3-m1.dylib",
        ("win32", "AMD64"): "IPhreeqc-3.7.3.dll",
    }
    name = names.get((sys.platform, platform.machine()))
    path = packages / "phreeqpy" / "iphreeqc" / "phreeqc3" / (name or "")
    return Library(path, f"{_distribution('phreeqpy')} (3.7.3)", packages) if path.is_file() else None


def _package_folder(name: str) -> Path | None:
    """Return the folder that holds a package, without importing it."""
    spec = importlib.util.find_spec(name)
    return Path(os.path.realpath(spec.origin)).parent.parent if spec and spec.origin else None


def _distribution(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{name} (version unknown)"
