"""Spectral indices of reflectances (0 to 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import unknown_name

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Index:
    """A formula.

    Attributes
    ----------
    name, formula, source
        Such as ``NDVI``, ``(nir - red) / (nir + red)``, and who defined it.
    bands
        Common names of the bands that it needs, in the order of `compute`.
    compute
        From arrays of reflectance to the index; NaN where it is not defined.
    bounded
        Whether it is a normalized difference, from -1 to 1 and without need of the scale of the numbers.
    """

    name: str
    formula: str
    source: str
    bands: tuple[str, ...]
    compute: Callable[..., Floats]
    bounded: bool = True


def normalized_difference(first: Floats, second: Floats) -> Floats:
    """Return (a - b) / (a + b), and NaN where the sum is not above 0, as it is for reflectances below 0."""
    total = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, (first - second) / total, np.nan)


def _evi(nir: Floats, red: Floats, blue: Floats) -> Floats:
    below = nir + 6 * red - 7.5 * blue + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, 2.5 * (nir - red) / below, np.nan)


def _evi2(nir: Floats, red: Floats) -> Floats:
    return 2.5 * (nir - red) / (nir + 2.4 * red + 1)


def _savi(nir: Floats, red: Floats) -> Floats:
    return 1.5 * (nir - red) / (nir + red + 0.5)


_DIFFERENCES = {
    "ndvi": ("nir", "red", "Rouse et al. (1974)"),
    "ndwi": ("green", "nir", "McFeeters (1996), doi:10.1080/01431169608948714"),
    "mndwi": ("green", "swir1", "Xu (2006), doi:10.1080/01431160600589179"),
    "ndmi": ("nir", "swir1", "Gao (1996), doi:10.1016/S0034-4257(96)00067-3"),
    "nbr": ("nir", "swir2", "Key and Benson (2006)"),
    "ndbi": ("swir1", "nir", "Zha et al. (2003), doi:10.1080/01431160304987"),
    "ndsi": ("green", "swir1", "Hall et al. (1995), doi:10.1016/0034-4257(95)00137-P"),
}

INDICES: Mapping[str, Index] = {
    name: Index(name.upper(), f"({a} - {b}) / ({a} + {b})", source, (a, b), normalized_difference)
    for name, (a, b, source) in _DIFFERENCES.items()
} | {
    "evi": Index(
        "EVI",
        "2.5 (nir - red) / (nir + 6 red - 7.5 blue + 1)",
        "Huete et al. (2002), doi:10.1016/S0034-4257(02)00096-2",
        ("nir", "red", "blue"),
        _evi,
        bounded=False,
    ),
    "evi2": Index(
        "EVI2",
        "2.5 (nir - red) / (nir + 2.4 red + 1)",
        "Jiang et al. (2008), doi:10.1016/j.rse.2008.06.006",
        ("nir", "red"),
        _evi2,
        bounded=False,
    ),
    "savi": Index(
        "SAVI",
        "1.5 (nir - red) / (nir + red + 0.5)",
        "Huete (1988), doi:10.1016/0034-4257(88)90106-X",
        ("nir", "red"),
        _savi,
        bounded=False,
    ),
}


def index_of(name: str) -> Index:
    """Return an index by its name in any case; LabrigError for another."""
    found = INDICES.get(name.casefold())
    if found is None:
        raise unknown_name("index", name, tuple(INDICES), where="index")
    return found


def as_reflectance(stored: Any, scale: float, offset: float) -> Floats:
    """Return stored * scale + offset."""
    found: Floats = np.asarray(stored, dtype=float) * scale + offset
    return found
