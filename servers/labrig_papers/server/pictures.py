"""A page or a part of it as a picture."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Image, Pictures
from labrig.errors import LabrigError, unknown_name
from labrig.toolbox import session
from labrig_papers.pdf.structure import named
from labrig_papers.server.base import PathArgument, numbers_of, state, toolbox

MOST_BYTES = 1 << 20
FIGURE_HEIGHT = 320.0
"""Points above the caption of a figure that are shown with it: where its drawing ends, a PDF does not say."""


@toolbox.tool(
    title="Show a page",
    read_only=False,
    picture=True,
    words="figure, image, picture, render, look at a plot, chart, equation of the PDF, screenshot, scanned, crop, "
    "dpi, png",
)
async def show_page(
    path: PathArgument,
    page: Annotated[int, Field(ge=1, le=100_000, description="Its number, from 1.")] = 1,
    part: Annotated[str, Field(description="A table or figure of it, such as FIG. 2; default all.")] = "",
    box: Annotated[
        list[float] | None, Field(description="left, bottom, right, top in points; default all.")
    ] = None,
    quote: Annotated[str, Field(description="Text to outline, such as that of verify_quote.")] = "",
    dpi: Annotated[int, Field(ge=36, le=300, description="Pixels an inch; default 110.")] = 110,
) -> Pictures:
    """Show a page, a table, a figure or a box as a picture, with a quote outlined where one is given.

    Use it for scans, figures (crop one with its caption, with a dpi), equations, and garbage in the text layer; it
    shows what a page looks like.

    Example: {"path": "paper.pdf", "page": 1, "dpi": 72}
    """
    from labrig_papers.evidence import quotes

    if box is not None and (len(box) != 4 or part):
        raise LabrigError(
            "A box has four numbers, and part is left out", where="box", expected="left, bottom, right, top"
        )
    async with state().opened(path) as paper:
        (number,) = numbers_of(str(page), paper.known.count, 1)
        (read,) = await paper.pages([number])
        area = (box[0], box[1], box[2], box[3]) if box is not None else None
        if part:
            await paper.scans([number])
            known = {each.name: (each.page, each.box) for each in await paper.reader.tables([number])}
            _, _, captions = await paper.reader.outline([number])
            for caption in captions:
                left, bottom, right, top = caption.box
                height = FIGURE_HEIGHT if caption.kind == "figure" else 0
                known.setdefault(
                    caption.name, (number, (left, bottom, right, min(read.height, top + height)))
                )
            name = named(part, known)
            if name is None:
                raise unknown_name("table or figure of this page", part[:80], list(known), where="part")
            area = known[name][1]
        marked = []
        if quote:
            marked = [each for place in quotes.find_quote(read, quote[:2_000]) for each in place.boxes]
            if not marked:
                raise LabrigError(
                    "The quote is not on this page", where="quote", try_="verify_quote", code="not_found"
                )
        png, real = await paper.reader.render(number, area, dpi=dpi, marked=marked)
        while len(png) > MOST_BYTES and real > 40:
            png, real = await paper.reader.render(number, area, dpi=max(36, real * 2 // 3), marked=marked)
    kept = session().artifacts.put(
        f"page_{number}.png",
        png,
        media_type="image/png",
        made_by={"server": "papers", "tool": "show_page", "paper": paper.sha256, "page": number, "dpi": real},
    )
    what = f"{part or 'page'} of page {number}" if part else f"page {number}"
    caption_text = f"{kept.handle}: {what} at {real} dpi" + (
        f", {len(marked)} boxes outlined" if marked else ""
    )
    answer = Answer(
        source=paper.source,
        data={"page": number, "dpi": real, "outlined": len(marked)},
        artifacts=(kept.to_dict(),),
    )
    return Pictures((Image(png, caption_text, kept.handle),), answer)
