"""A ZIM file, as Kiwix has them, through libzim, which is GPL-3.0 and no dependency of ours.

libzim reads in a child behind walls (`labrig_atlas.wiki.inside`). An entry that takes the child down is left out, and
another child goes on behind it.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.children import Children, Standing
from labrig.isolation.inside.answering import FIRST_FILE
from labrig_atlas.wiki.apart import MOST_BYTES, STAYS
from labrig_atlas.wiki.decoding import decoded
from labrig_atlas.wiki.raw import Raw

MOST_LOST = 20
"""Children that entries of one file may take down."""
_PASSED = "passed"
"""Kind of an entry that is no page: a picture, a style."""
_KINDS = ("html", "redirect", "left_out", _PASSED)


class ZimFile:
    """The pages of a ZIM file.

    Raises
    ------
    LabrigError
        ``unavailable`` without libzim.
    """

    host = ""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.line = f"the ZIM file {path.name}"
        self.total = 0
        if importlib.util.find_spec("libzim") is None:
            raise LabrigError(
                "ZIM files are read by libzim, which is not installed",
                where=str(path),
                try_="pip install libzim",
                code="unavailable",
            )

    async def pages(self, by: Children) -> AsyncIterator[Raw]:
        """Give its pages and redirects in the order of the file; pictures and styles are no pages and go unnamed.

        Raises
        ------
        LabrigError
            ``bad_input`` for a file that libzim cannot open, or of which more than `MOST_LOST` entries end a child.
        """
        done = lost = 0
        about = {"address": str(self._path)}
        child: Standing | None = None
        with self._path.open("rb") as file:
            async with AsyncExitStack() as stack:
                while done < max(self.total, 1):
                    if child is None:
                        child = await stack.enter_async_context(by.standing([file.fileno()], limits=STAYS))
                    try:
                        said = await child.ask({"kind": "zim", "entry": done, "about": about})
                        raw, self.total = _checked(said, done + 1, self._path.stat().st_size)
                    except LabrigError as error:
                        if error.code == "bad_input" or lost == MOST_LOST:
                            raise LabrigError(error.what, where=str(self._path)) from None
                        raw = Raw(
                            f"entry {done}", "left_out", f"cannot be read ({error.what})", done=done + 1
                        )
                        child, lost = None, lost + 1
                        await stack.aclose()
                    done += 1
                    if raw.kind != _PASSED:
                        yield raw


def entry(number: int) -> bytes:
    """Return an entry of the file that this child was given: a list as JSON of title, kind, text and how many entries
    there are."""
    archive = _archive()
    title = f"entry {number}"
    try:
        found = archive._get_entry_by_id(number)
        title = _title(found.path)
        if found.is_redirect:
            kind, text = "redirect", _title(found.get_redirect_entry().path)
        elif not (item := found.get_item()).mimetype.startswith("text/html"):
            kind, text = _PASSED, ""
        elif item.size > MOST_BYTES:
            kind, text = "left_out", "too large"
        else:
            kind, text = "html", decoded(bytes(item.content), item.mimetype)[0]
    except Exception as error:  # a broken file finds others
        kind, text = "left_out", f"cannot be read ({error})"
    said = [title, kind, text, archive.all_entry_count]
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")


@cache
def _archive() -> Any:
    from libzim.reader import Archive  # type: ignore[import-not-found, unused-ignore]

    try:
        return Archive(Path(f"/proc/self/fd/{FIRST_FILE}"))
    except RuntimeError as error:
        raise LabrigError(f"This is no ZIM file: {error}") from None


def _checked(said: bytes, done: int, size: int) -> tuple[Raw, int]:
    """Return what a child said of an entry, and of their number, which is below the file's `size` in bytes: one that
    was taken over may say anything.
    """
    try:
        title, kind, text, total = json.loads(said)
        if kind in _KINDS and isinstance(title, str) and isinstance(text, str) and 0 <= int(total) < size:
            return Raw(title, kind, text, done=done), int(total)
    except (ValueError, TypeError, RecursionError):
        pass
    raise LabrigError("The reader gave no entry", code="engine")


def _title(path: str) -> str:
    """Return the title that a path stands for: older files put articles below ``A/``."""
    return path.removeprefix("A/").replace("_", " ")
