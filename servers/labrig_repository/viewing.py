"""A picture or a page of a PDF, drawn by a child process that has closed itself in, since decoders are large.

Photographs stay JPEG, all else becomes PNG. What is larger than a model is shown well is made smaller; values of more
than 8 bits are stretched over black to white, and the answer says from which to which.
"""

from __future__ import annotations

import io
import json
import os
from typing import Any, BinaryIO

from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.isolation.closing import close_in
from labrig.isolation.inside.answering import FIRST_FILE
from labrig.isolation.process import Limits

LIMITS = Limits(wall_s=40, cpu_s=40, memory_bytes=4 << 30, data_bytes=1 << 30, output_bytes=8 << 20)
WHAT = "Drawing the file"
FORMATS = ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP", "PPM", "JPEG2000", "ICO")
"""Those of Pillow that are read; the others of it are no pictures of research, or run other programs."""
READERS = ("Png", "Jpeg", "Mpo", "Gif", "Tiff", "WebP", "Bmp", "Ppm", "Jpeg2K", "Ico")
SLOW = (
    *("numpy", "pypdfium2", "pypdfium2.raw", "PIL.ImageOps"),
    *(f"PIL.{name}ImagePlugin" for name in READERS),
)
"""Imported before the first file, since nothing can be imported behind the walls."""
TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
MOST_FILE = 512 << 20
MOST_PIXELS = 200_000_000
"""Of a picture as it is stored."""
MOST_SIDE, MOST_BYTES = 1568, 1 << 20
"""What is shown: models see no more of a longer side."""
LEAST_SIDE = 64
FEW_CLASSES = 32
"""A TIFF of bytes with no higher value is of classes, and would be seen as black."""
PDF_DPI = 110
LENGTH = 4
"""Bytes that say how long the answer's first part is."""


def viewers() -> Children:
    """Return what draws files in processes of their own, two at a time for each caller."""
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a fork would leave others behind
    return Children(__name__, what=WHAT, limits=LIMITS, slots=2, places=100, preload=SLOW, variables=alone)


async def draw_apart(by: Children, descriptor: int, path: str, page: int) -> tuple[bytes, dict[str, Any]]:
    """Return a file that is open as a PNG or JPEG, and what is to be said of it.

    Parameters
    ----------
    by
        What `viewers` returned.
    page
        Of a PDF, or the frame of a picture that has several; from 1.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is neither, ``not_found`` for a page that it does not have, ``limit`` for what is too
        large or takes too long.
    """
    said = await by.answer({"path": path, "page": page}, [descriptor], limits=LIMITS, reads=path)
    length = int.from_bytes(said[:LENGTH], "big")
    data = said[LENGTH + length :]
    try:
        about = json.loads(said[LENGTH : LENGTH + length])
        texts, numbers = ("format", "shown", "note"), ("page", "pages", "width", "height")
        about = {name: str(about[name])[:300] for name in texts} | {
            name: int(about[name]) for name in numbers
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        about = {}
    if not about or len(data) > MOST_BYTES or not data.startswith((b"\x89PNG", b"\xff\xd8\xff")):
        raise LabrigError("The reader gave no picture: the file is broken, or made to do that", where=path)
    return data, about


# ------------------------------------------------------------------------------------------------- in the child


def work(question: Any) -> bytes:
    """Return what is to be said of the file as JSON, and the picture behind it."""
    path, page = question["path"], question["page"]
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # what is too large is refused by `_open_picture`, in one way
    close_in([FIRST_FILE])
    if os.fstat(FIRST_FILE).st_size > MOST_FILE:
        raise LabrigError(
            "The file is too large to be drawn",
            where=path,
            expected=f"at most {MOST_FILE:,} bytes",
            code="limit",
        )
    try:
        with os.fdopen(os.dup(FIRST_FILE), "rb") as file:
            is_pdf = b"%PDF-" in os.pread(FIRST_FILE, 1024, 0)
            image, about = (_draw_page if is_pdf else _open_picture)(file, path, page)
            data = _shrink(image, about["format"] in ("JPEG", "MPO"))
    except LabrigError:
        raise
    except MemoryError:
        raise LabrigError("Drawing the file needs too much memory", where=path, code="limit") from None
    except Exception as error:  # each decoder has its own, and a broken file finds others
        raise LabrigError(f"The file cannot be drawn: {type(error).__name__}: {error}", where=path) from None
    with Image.open(io.BytesIO(data)) as shown:
        about["shown"] = f"{shown.width} x {shown.height} {shown.format}"
    said = json.dumps(about).encode()
    return len(said).to_bytes(LENGTH, "big") + said + data


def _draw_page(file: BinaryIO, path: str, page: int) -> tuple[Any, dict[str, Any]]:
    import pypdfium2

    file.seek(0)
    with pypdfium2.PdfDocument(file.read()) as document:
        _check_page(page, len(document), path)
        drawn = document[page - 1]
        width, height = drawn.get_size()
        scale = min(PDF_DPI / 72, MOST_SIDE / max(width, height, 1.0))
        image = drawn.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
        about = {"format": "PDF", "page": page, "pages": len(document), "note": ""}
        return image, about | {"width": round(width), "height": round(height)}


def _open_picture(file: BinaryIO, path: str, page: int) -> tuple[Any, dict[str, Any]]:
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        image = Image.open(file, formats=FORMATS)
    except (
        UnidentifiedImageError,
        SyntaxError,
    ):  # the second is Pillow's for a TIFF of bands that it does not know
        if os.pread(FIRST_FILE, 4, 0) in TIFF:
            raise LabrigError(
                "A TIFF of this kind is not drawn here: bands of more than 8 bits, or more than four of them",
                where=path,
                try_="the Earth server's plot, or rasterio in run_python_code (--set python=earth)",
            ) from None
        raise LabrigError(
            "This is no picture and no PDF",
            where=path,
            expected=f"PDF or {', '.join(FORMATS)}",
            try_="read_text_file (SVG is text), describe_table, or run_python_code",
        ) from None
    if image.width * image.height > MOST_PIXELS:
        raise LabrigError(
            f"The picture is too large: {image.width:,} x {image.height:,} pixels",
            where=path,
            expected=f"at most {MOST_PIXELS:,} pixels",
            try_="a part of it in run_python_code",
            code="limit",
        )
    pages = _count_frames(image)
    _check_page(page, pages, path)
    image.seek(page - 1)
    about = {
        "format": image.format,
        "page": page,
        "pages": pages,
        "width": image.width,
        "height": image.height,
    }
    kind = image.format
    image = ImageOps.exif_transpose(image)
    seen, note = _stretch(image, kind)
    return seen, about | {"note": note}


def _count_frames(image: Any) -> int:
    """Return the frames of a picture; one where what follows is unknown to Pillow, as the mask of a COG is."""
    try:
        return int(getattr(image, "n_frames", 1))
    except SyntaxError:
        return 1


def _check_page(page: int, pages: int, path: str) -> None:
    if page > pages:
        raise LabrigError(
            f"There is no page {page}", where=path, expected=f"a page from 1 to {pages}", code="not_found"
        )


def _stretch(image: Any, kind: str) -> tuple[Any, str]:
    """Return a picture in 8 bits: transparent parts on white, numbers of more bits from black to white."""
    import numpy as np
    from PIL import Image

    if image.mode.startswith(("I", "F")):
        values = np.asarray(image, float)
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        scaled = np.nan_to_num((values - low) / ((high - low) or 1) * 255)
        note = f"values from {low:g} (black) to {high:g} (white), of mode {image.mode}"
        return Image.fromarray(np.clip(scaled, 0, 255).astype("uint8")), note
    if kind == "TIFF" and image.mode == "L" and image.getextrema()[1] <= FEW_CLASSES:
        highest = image.getextrema()[1]
        return image.point([min(255, level * 255 // (highest or 1)) for level in range(256)]), (
            f"values from 0 (black) to {highest} (white)"
        )
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        flat = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", flat.size, "white"), flat).convert("RGB"), ""
    return image.convert("L" if image.mode in ("1", "L") else "RGB"), ""


def _shrink(image: Any, photograph: bool) -> bytes:
    """Return a picture as a file that is small enough to be shown."""
    side = MOST_SIDE
    while True:
        image.thumbnail((side, side))
        out = io.BytesIO()
        if photograph:
            image.save(out, "JPEG", quality=85)
        else:
            image.save(out, "PNG", optimize=True)
        if out.tell() <= MOST_BYTES or side <= LEAST_SIDE:
            return out.getvalue()
        side = max(LEAST_SIDE, max(image.size) * 3 // 4)
