"""A ZIM file, as Kiwix has them, through libzim, which is GPL-3.0 and no dependency of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_atlas.wiki.apart import MOST_BYTES
from labrig_atlas.wiki.decoding import decoded
from labrig_atlas.wiki.raw import Raw


class ZimFile:
    """The pages of a ZIM file.

    Raises
    ------
    LabrigError
        ``unavailable`` without libzim; ``bad_input`` for a file that it cannot open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            from libzim.reader import Archive  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise LabrigError(
                "ZIM files are read by libzim, which is not installed",
                where=str(path),
                try_="pip install libzim",
                code="unavailable",
            ) from None
        try:
            self._archive: Any = Archive(path)
        except RuntimeError as error:
            raise LabrigError(f"This is no ZIM file: {error}", where=str(path)) from None

    @property
    def line(self) -> str:
        """Name of the file."""
        return f"the ZIM file {self._path.name}"

    @property
    def host(self) -> str:
        """None is known."""
        return ""

    @property
    def total(self) -> int:
        """Entries."""
        return int(self._archive.all_entry_count)

    def pages(self) -> Iterator[Raw]:
        """Give its pages and redirects in the order of the file; pictures and styles are no pages and go unnamed."""
        for number in range(self.total):
            try:
                entry = self._archive._get_entry_by_id(number)
                title = _title(entry.path)
                if entry.is_redirect:
                    yield Raw(title, "redirect", _title(entry.get_redirect_entry().path), done=number + 1)
                    continue
                item = entry.get_item()
                if not item.mimetype.startswith("text/html"):
                    continue
                if item.size > MOST_BYTES:
                    yield Raw(title, "left_out", "too large", done=number + 1)
                    continue
                text, _ = decoded(bytes(item.content), item.mimetype)
            except (RuntimeError, KeyError, IndexError) as error:
                yield Raw(f"entry {number}", "left_out", f"cannot be read ({error})", done=number + 1)
                continue
            yield Raw(title, "html", text, done=number + 1)


def _title(path: str) -> str:
    """Return the title that a path stands for: older files put articles below ``A/``."""
    return path.removeprefix("A/").replace("_", " ")
