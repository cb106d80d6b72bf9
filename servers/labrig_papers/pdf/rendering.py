"""A page or a part of it as a picture, with boxes drawn where they are asked for."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_papers.pdf.page import Box

MOST_PIXELS, MOST_GREY = 4_000_000, 10_000_000
LEAST_DPI, MOST_DPI = 36, 300
MARGIN = 6.0
"""Points round a part."""
MARKED = (0, 114, 178)
"""Blue of the palette of Okabe and Ito, which people with colour blindness tell apart."""


def render(
    document: Any,
    number: int,
    box: Box | None = None,
    *,
    dpi: int = 150,
    marked: Sequence[Box] = (),
    grey: bool = False,
) -> tuple[bytes, int]:
    """Return a PNG of a page or a part, and the resolution that it has: lower where it would be too large.

    Parameters
    ----------
    document
        A ``PdfDocument`` of pypdfium2.
    box
        The part, in points; all of the page by default.
    dpi
        Pixels an inch, 36 to 300.
    marked
        Boxes that are outlined.
    grey
        For reading by OCR: without colours, and of up to `MOST_GREY` pixels.

    Raises
    ------
    LabrigError
        For a box outside the page or an impossible resolution.
    """
    from PIL import ImageDraw

    if not LEAST_DPI <= dpi <= MOST_DPI:
        raise LabrigError(f"{dpi} pixels an inch", where="dpi", expected=f"{LEAST_DPI} to {MOST_DPI}")
    page = document[number - 1]
    try:
        width, height = page.get_size()
        left, bottom, right, top = _within(box, width, height)
        area = max((right - left) * (top - bottom), 1.0)
        scale = min(dpi / 72, ((MOST_GREY if grey else MOST_PIXELS) / area) ** 0.5)
        bitmap = page.render(
            scale=scale, crop=(left, bottom, width - right, height - top), may_draw_forms=False
        )
        image = _image(bitmap, grey, bool(marked))
    finally:
        page.close()
    draw = ImageDraw.Draw(image)
    for each in marked:
        draw.rectangle(
            [
                (each[0] - left - 1) * scale,
                (top - each[3] - 1) * scale,
                (each[2] - left + 1) * scale,
                (top - each[1] + 1) * scale,
            ],
            outline=MARKED,
            width=max(1, round(scale)),
        )
    out = io.BytesIO()
    level = 4 if image.mode == "P" else 1 if grey else 2  # of coloured print a higher one makes larger files
    image.save(out, "PNG", compress_level=level)
    return out.getvalue(), round(scale * 72)


def _image(bitmap: Any, grey: bool, coloured: bool) -> Any:
    """Return what PDFium drew: of a page without colours, as most are, its grey as a palette.

    Pillow filters each line of the other kinds before it packs it, which takes three times as long for print.
    """
    import numpy as np
    from PIL import Image

    if not grey and not coloured:
        drawn = bitmap.to_numpy()
        one = drawn[..., 0]
        if np.array_equal(one, drawn[..., 1]) and np.array_equal(one, drawn[..., 2]):
            return Image.fromarray(np.ascontiguousarray(one)).convert("P")
    return bitmap.to_pil().convert("L" if grey else "RGB")


def _within(box: Box | None, width: float, height: float) -> Box:
    if box is None:
        return 0.0, 0.0, width, height
    left, bottom, right, top = box
    if not (left < right and bottom < top and left < width and bottom < height and right > 0 and top > 0):
        raise LabrigError(
            f"The box {list(box)} is not on the page",
            where="box",
            expected=f"left, bottom, right, top within 0, 0, {width:.0f}, {height:.0f} points",
        )
    return (
        max(0.0, left - MARGIN),
        max(0.0, bottom - MARGIN),
        min(width, right + MARGIN),
        min(height, top + MARGIN),
    )
