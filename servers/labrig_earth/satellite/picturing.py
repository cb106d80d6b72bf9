"""A composite as a picture that fills its box: true colours, an index in colours, at a size in pixels.

Columns are even in longitude and rows in latitude, so a place is found in the picture by its box alone.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig_earth.satellite.indices import Floats

Pixels = NDArray[np.uint8]
"""(y, x, 4): red, green, blue, and 0 where nothing is known, else 255."""

BRIGHTEST = 0.3
"""Reflectance that is shown as white."""
SHOWN: dict[str, tuple[float, float, str]] = {
    "NDVI": (-0.5, 1.0, "BrBG"),
    "NBR": (-1.0, 1.0, "BrBG"),
    "NDBI": (-0.5, 0.5, "PuOr_r"),
    "NDWI": (-0.5, 1.0, "BrBG"),
}
"""Limits and colour map of an index; the middle of the colours is in the middle of the limits."""
OTHERS = (-1.0, 1.0, "BrBG")


def true_colour(red: Floats, green: Floats, blue: Floats) -> Pixels:
    """Return reflectances as pixels."""
    stacked = np.stack([red, green, blue], axis=-1)
    there: NDArray[np.bool_] = np.asarray(np.isfinite(stacked).all(axis=-1))
    shown = np.where(there[..., None], np.clip(stacked / BRIGHTEST, 0, 1) * 255, 0).round()
    return np.dstack([shown, np.where(there, 255, 0)]).astype(np.uint8)


def index_colours(values: Floats, name: str) -> Pixels:
    """Return an index as pixels, in the colours that `SHOWN` has of it."""
    import matplotlib

    low, high, colours = SHOWN.get(name, OTHERS)
    there = np.isfinite(values)
    shares = np.where(there, (values - low) / (high - low), 0)
    pixels = np.asarray(matplotlib.colormaps[colours](np.clip(shares, 0, 1), bytes=True)).copy()
    pixels[~there] = 0
    return pixels.astype(np.uint8)


def sized(pixels: Pixels, longest: int) -> Any:
    """Return pixels as a Pillow image whose longer side has so many of them; each shows its nearest cell."""
    from PIL import Image

    height, width = pixels.shape[:2]
    factor = longest / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return Image.fromarray(pixels).resize(size, Image.Resampling.NEAREST)


def png(image: Any) -> bytes:
    """Return a Pillow image as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=False)
    return buffer.getvalue()
