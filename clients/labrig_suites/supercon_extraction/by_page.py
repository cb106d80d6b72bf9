"""The agent of the paper's section A.2: it asks a model about each page alone, one call a page, and joins the lists."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_harness.agent import Bench
from labrig_harness.agents.model_agent import ModelAgent
from labrig_harness.agents.own_code import commit
from labrig_harness.arm import Arm
from labrig_harness.models import service
from labrig_harness.trajectory import Tokens
from labrig_suites.supercon_extraction.arms import BY_PAGE

if TYPE_CHECKING:
    from pydantic_ai.messages import UserContent

    from labrig_harness.agent import AgentSpec


class ByPage(ModelAgent):
    """A model that is given one page of the paper at a time, as a PDF of its own.

    What it says of a page is that page's: ``location.page`` of a row becomes the page's number. A reply without a list
    adds nothing. Rows that two pages give stay two, as in the paper, whose precision falls by that.
    """

    needs_tools = False

    def accept(self, arm: Arm) -> None:
        """Refuse every arm but the one that is made for it."""
        if arm.name != BY_PAGE:
            raise LabrigError(
                f"The agent {BY_PAGE} needs the arm {BY_PAGE}",
                where="--arm",
                try_=f"--arm {BY_PAGE}",
                code="refused",
            )
        super().accept(arm)

    async def run(self, bench: Bench) -> None:
        """Ask about each page, and commit the joined list, also where a limit ends it half-way."""
        from pydantic_ai.messages import BinaryContent, ModelRequest, UserPromptPart

        (paper,) = bench.brief.attachments
        rows: list[Any] = []
        spent = Tokens(measured=True)
        bench.versions.update(service.versions())
        try:
            async with service.connect(self.spec, self._model) as model:
                number = 0
                async for page in split_pages(paper.content()):
                    number += 1
                    bench.check_budget()
                    content: list[UserContent] = [
                        BinaryContent(page, media_type="application/pdf"),
                        bench.prompt,
                    ]
                    asked = ModelRequest([UserPromptPart(content)])
                    reply = await model.ask([asked], [], seconds=bench.arm.wall_s)
                    _, spent = self.record(bench, reply, spent)
                    rows += read_rows(reply.text, number)
        finally:
            await commit(bench, json.dumps({"properties": rows}, ensure_ascii=False))


def make_by_page(spec: AgentSpec, seed: str) -> ByPage:
    """Return the agent.

    Raises
    ------
    LabrigError
        ``bad_input`` without a model.
    """
    if not spec.model:
        raise LabrigError(f"The agent {BY_PAGE} needs a model", where="--model", expected="PROVIDER:NAME")
    return ByPage(spec)


async def split_pages(pdf: bytes) -> AsyncIterator[bytes]:
    """Yield each page of a PDF as a PDF of its own, made by the papers server's walled reader.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no PDF, or is locked.
    """
    from labrig_papers.pdf.apart import Reader, readers

    with tempfile.TemporaryFile() as file:
        file.write(pdf)
        file.flush()
        async with readers(slots=1) as children:
            reader = Reader(children, file.fileno(), "the paper")
            count, _ = await reader.count()
            for number in range(1, count + 1):
                yield await reader.cut(number)


def read_rows(text: str, page: int) -> list[Any]:
    """Return the rows of a reply, as rows of a page; none where it holds no list of properties.

    >>> read_rows('{"properties": [{"property_name": "Tc", "location": {"page": 1}}]}', 3)
    [{'property_name': 'Tc', 'location': {'page': 3}}]
    """
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])["properties"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    rows = found if isinstance(found, list) else []
    return [
        {
            **row,
            "location": {**(place if isinstance(place := row.get("location"), dict) else {}), "page": page},
        }
        if isinstance(row, dict)
        else row
        for row in rows
    ]
