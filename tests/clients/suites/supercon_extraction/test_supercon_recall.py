"""How much of papers of other seeds the server's find_quantities finds, and how much of what it finds is printed there.

The truth is the generator's; what else is printed is read off the drawn text with a list of units of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.server import toolbox
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.grading.values import equal, read_value, with_unit
from labrig_suites.supercon_extraction.making.papers import make_paper
from labrig_suites.supercon_extraction.making.writing import Paper

UNITS = (
    *(
        r"mJ/mol K\^\{2\}",
        r"mJ mol\^\{-1\} K\^\{-2\}",
        r"μW/cm K\^\{2\}",
        r"W m\^\{-1\} K\^\{-1\}",
        r"g/cm\^\{3\}",
    ),
    *(
        r"g cm\^\{-3\}",
        r"μV K\^\{-1\}",
        "μΩ cm",
        "mΩ cm",
        "W/m K",
        "μV/K",
        "S/cm",
        "T/K",
        "meV",
        "MPa",
        "mm",
        "mA",
        "nm",
    ),
    *("°C", "degrees", "Å", "K", "T", "h", "%"),
)
PRINTED = re.compile(rf"(?<![\w.])-?\d+(?:\.\d+)?(?:\(\d+\))?\s?(?:{'|'.join(UNITS)})(?![\w^])")


async def found_in(client: Client[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    arguments = {"path": "paper.pdf"}
    while True:
        result = (await client.call_tool("find_quantities", arguments)).structured_content
        assert result is not None
        found += result["data"]["quantities"]
        following = re.search(r"cursor='([^']+)'", result.get("next", ""))
        if following is None:
            return [each for each in found if "value" in each]
        arguments["cursor"] = following[1]


def counted(paper: Paper, found: list[dict[str, Any]]) -> tuple[int, int, int, int]:
    """Return values of the truth that were found, of all, and found values that are printed, of all."""
    taken: set[int] = set()
    places = [(row, place) for row in paper.rows if row.rule == "numeric" for place in row.places]
    for row, place in places:
        true = with_unit(row.value, row.unit)
        assert true is not None
        for number, each in enumerate(found):
            here = (
                number not in taken
                and each["page"] == place.page
                and each.get("source", "text") == place.source
            )
            said = with_unit(f"{each['value']:.12g}", each.get("unit", "")) if here else None
            if said is not None and equal(replace(said, qualifier="="), true, 1e-6):
                taken.add(number)
                break
    printed: Counter[tuple[int, float]] = Counter()
    for number, page in enumerate(paper.pages, 1):
        values = (read_value(text) for text in PRINTED.findall(" ".join(signs(page).split())))
        printed.update((number, round(value.numbers[0], 9)) for value in values if value is not None)
    right = sum(
        n in taken or printed[each["page"], round(each["value"], 9)] > 0 for n, each in enumerate(found)
    )
    return len(taken), len(places), right, len(found)


@pytest.mark.accept
async def test_find_quantities_finds_the_values_of_papers_of_other_seeds(tmp_path: Path) -> None:
    total = Counter[str]()
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as client:
        for number in range(18):
            paper = make_paper(f"tools never saw {number}", 1 + number % 3)
            (tmp_path / "paper.pdf").write_bytes(paper.pdf)
            counts = counted(paper, await found_in(client))
            total.update(dict(zip(("found", "true", "right", "said"), counts, strict=True)))
    print(dict(total))
    assert total["found"] >= 0.98 * total["true"] and total["true"] > 250
    assert total["right"] >= 0.9 * total["said"]
