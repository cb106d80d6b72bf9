"""A picture or a page of a PDF of the folder, as an image that a model sees."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Image, Pictures
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.sources import Source
from labrig_repository.folder.folder import Folder
from labrig_repository.server.base import IdArgument, SourceArgument, State, toolbox
from labrig_repository.server.files import opened
from labrig_repository.viewing import draw_apart


@toolbox.tool(
    title="Look at a picture or PDF",
    read_only=True,
    picture=True,
    words="look at an image, picture, photo, figure, map, png, jpg, tiff, local storage, screenshot, thumbnail, PDF "
    "page",
)
async def view_file(
    path: SourceArgument,
    page: Annotated[
        int,
        Field(ge=1, le=100_000, description="Page of a PDF, or frame of a picture that has several; from 1."),
    ] = 1,
    id: IdArgument = "",
) -> Pictures:
    """Show a picture (PNG, JPEG, GIF, TIFF, WebP, BMP, JPEG 2000) or a page of a PDF of the folder as an image.

    Look at an image, photo or figure file. Large ones are made smaller. Values of more than 8 bits, as a GeoTIFF has
    them, are stretched from black to white.
    Example: {"path": "report.pdf", "page": 1}
    """
    state: State = session().state
    with ExitStack() as held:
        files, found, about = await in_thread(
            lambda: held.enter_context(opened(state, id, path, viewed=True))
        )
        data, said = await _drawn(state, files, found, page, held)
    pages = f", page {said['page']} of {said['pages']}" if said["pages"] > 1 else ""
    unit = "points" if said["format"] == "PDF" else "pixels"
    caption = f"{found}: {said['format']}, {said['width']} x {said['height']} {unit}{pages}, shown at {said['shown']}"
    note = said.pop("note")
    answer = Answer(
        source=about,
        status="ok_with_warnings" if note else "ok",
        data=said,
        warnings=(note,) if note else (),
        next=f"view_file(path={path!r}, page={page + 1})" if said["page"] < said["pages"] else "",
    )
    media_type = "image/jpeg" if data.startswith(b"\xff\xd8") else "image/png"
    return Pictures((Image(data, caption, media_type=media_type),), answer)


async def _drawn(
    state: State, files: Any, path: str, page: int, held: ExitStack
) -> tuple[bytes, dict[str, Any]]:
    if isinstance(files, Source):
        return await draw_apart(state.viewers, files.descriptor, path, page)
    if not isinstance(files, Folder):
        raise LabrigError(
            "A generated repository has no pictures",
            where=path,
            try_="read_text_file, describe_table",
            code="refused",
        )
    return await draw_apart(state.viewers, held.enter_context(files.readable(path)), path, page)
