"""Asking the child that reads a PDF, and checking what it says: a reader that a file took over may say anything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation import children
from labrig.isolation.children import Children
from labrig.isolation.process import Limits, outcome_error
from labrig_papers.pdf.inside import LENGTH
from labrig_papers.pdf.page import Box, Page
from labrig_papers.pdf.structure import Caption, Heading
from labrig_papers.pdf.tables import Cell, Table

WHAT = "Reading the PDF"
LIMITS = Limits(wall_s=40, cpu_s=40, memory_bytes=3 << 30, output_bytes=64 << 20)
"""Of one question; a client waits 60 s. 200 pages of a paper take 4 s and 20 MB."""
KEPT = ("outline", "tables", "quantities")
"""Questions whose answers are kept: a cursor asks them again and again."""
MOST_KEPT_BYTES = 8 << 20
"""Of the answers of one paper."""
MOST_PAGES = 200
"""Pages of one question."""


def readers(*, slots: int = 2, places: int = 100) -> Children:
    """Return what reads PDFs in processes of their own, so many at a time for each caller."""
    preload = (
        "numpy",
        "pypdfium2",
        "pypdfium2.raw",
        "PIL.Image",
        "PIL.ImageDraw",
        "labrig_papers.quantities.placing",
        "labrig_papers.pdf.warmed",
    )
    return Children(
        "labrig_papers.pdf.inside",
        what=WHAT,
        limits=LIMITS,
        slots=slots,
        places=places,
        preload=preload,
        variables={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},  # a fork would leave others behind
    )


class Reader:
    """One PDF that is open, read by children.

    Parameters
    ----------
    by
        What `readers` returned.
    descriptor
        Of the file.
    named
        What errors call it.
    answers
        Of this file, by question: outlines, tables and quantities are kept here, and taken from here.

    Attributes
    ----------
    given
        Pages that OCR read, by number: they stand for those of the file in outlines, tables, quantities and checks.
    """

    def __init__(
        self, by: Children, descriptor: int, named: str, answers: dict[str, bytes] | None = None
    ) -> None:
        self._by, self._descriptor, self._named = by, descriptor, named
        self._answers = answers if answers is not None else {}
        self.given: dict[int, Page] = {}

    async def count(self) -> tuple[int, dict[str, str]]:
        """Return how many pages there are, and what the file says of itself (title, author, producer).

        Beside the keys of PDF there is ``Form``, ``XFA`` of such a form, and ``Attachments``, their number.
        """
        said = self._json(await self._ask("count", []))
        try:
            return int(said["pages"]), {str(key): str(value)[:300] for key, value in said["about"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._nothing() from None

    async def pages(self, numbers: Sequence[int]) -> list[Page]:
        """Return pages as marked-up text."""
        try:
            return [Page.from_dict(each) for each in self._json(await self._ask("pages", numbers))]
        except (KeyError, TypeError, ValueError, IndexError):
            raise self._nothing() from None

    async def outline(self, numbers: Sequence[int]) -> tuple[str, list[Heading], list[Caption]]:
        """Return title, headings and captions."""
        said = self._json(await self._ask("outline", numbers))
        try:
            return (
                str(said["title"]),
                [
                    Heading(str(each["text"]), int(each["page"]), int(each["level"]))
                    for each in said["headings"]
                ],
                [Caption(**{**each, "box": _box(each["box"])}) for each in said["captions"]],
            )
        except (KeyError, TypeError, ValueError):
            raise self._nothing() from None

    async def tables(self, numbers: Sequence[int]) -> list[Table]:
        """Return the tables of pages."""
        try:
            return [_table(each) for each in self._json(await self._ask("tables", numbers))]
        except (KeyError, TypeError, ValueError):
            raise self._nothing() from None

    async def quantities(self, numbers: Sequence[int], dimension: str, quantity: str) -> list[dict[str, Any]]:
        """Return the values of pages as `labrig_papers.quantities.finding` finds them, each with its boxes."""
        said = self._json(await self._ask("quantities", numbers, dimension=dimension, quantity=quantity))
        if not (isinstance(said, list) and all(isinstance(each, dict) for each in said)):
            raise self._nothing()
        return said

    async def validate(self, numbers: Sequence[int], payload: str) -> list[dict[str, Any]]:
        """Return what is wrong with an extraction of this paper, as `labrig_papers.checks.validating` finds it."""
        said = self._json(await self._ask("validate", numbers, payload=payload))
        if not (isinstance(said, list) and all(isinstance(each, dict) for each in said)):
            raise self._nothing()
        return said

    async def render(
        self, number: int, box: Box | None, *, dpi: int, marked: Sequence[Box] = (), grey: bool = False
    ) -> tuple[bytes, int]:
        """Return a PNG of a page or a part of it, and its resolution."""
        said = await self._ask(
            "render", [number], box=list(box) if box else None, dpi=dpi, marked=list(marked), grey=grey
        )
        length = int.from_bytes(said[:LENGTH], "big")
        try:
            dpi = int(self._json(said[LENGTH : LENGTH + length])["dpi"])
        except (KeyError, TypeError, ValueError):
            raise self._nothing() from None
        return said[LENGTH + length :], dpi

    async def cut(self, number: int) -> bytes:
        """Return a page as a PDF of its own."""
        return await self._ask("cut", [number])

    async def _ask(self, do: str, numbers: Sequence[int], **more: Any) -> bytes:
        question = {"do": do, "named": self._named, "pages": list(numbers), **more}
        if self.given and do in ("outline", "tables", "quantities", "validate"):
            question["given"] = [self.given[each].to_dict() for each in numbers if each in self.given]
        key = json.dumps([do, list(numbers), sorted(self.given), more], default=str) if do in KEPT else ""
        if key in self._answers:
            return self._answers[key]
        outcome = await self._by.ask(question, [self._descriptor])
        if outcome.kind == "ok":
            if key:
                if sum(map(len, self._answers.values())) > MOST_KEPT_BYTES:
                    self._answers.clear()
                self._answers[key] = outcome.stdout
            return outcome.stdout
        refused = children.refusal(outcome)
        if refused is not None:
            raise refused
        if outcome.kind == "signal":
            raise LabrigError(
                f"The reader was killed by {outcome.signal}: the file is broken, or made to do that",
                where=self._named,
            )
        error = outcome_error(outcome, WHAT)
        error.where = self._named
        raise error

    def _json(self, said: bytes) -> Any:
        try:
            return json.loads(said)
        except (ValueError, RecursionError):
            raise self._nothing() from None

    def _nothing(self) -> LabrigError:
        return LabrigError(
            "The reader gave no answer: the file is broken, or made to do that", where=self._named
        )


def _box(values: Any) -> Box:
    left, bottom, right, top = map(float, values)
    return left, bottom, right, top


def _table(said: dict[str, Any]) -> Table:
    rows = tuple(
        tuple(
            Cell(
                str(each["text"]),
                _box(each["box"]) if each["box"] else None,
                int(each["start"]),
                int(each["end"]),
            )
            for each in row
        )
        for row in said["rows"]
    )
    return Table(
        str(said["name"]),
        int(said["page"]),
        str(said["caption"]),
        _box(said["box"]),
        tuple(map(str, said["header"])),
        tuple(map(str, said["units"])),
        rows,
        tuple((str(text), _box(box)) for text, box in said["evidence"]),
        float(said["confidence"]),
    )
