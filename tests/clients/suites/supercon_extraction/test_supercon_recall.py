"""How much of papers of other seeds the server's find_quantities finds, and how much of what it finds is printed there.

The truth is the generator's; what else is printed is read off the drawn text with a list of units of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.server import toolbox
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.grading.values import equal, read_value, with_unit
from labrig_suites.supercon_extraction.making.variants import Variant, make_variant
from labrig_suites.supercon_extraction.making.writing import Paper
from labrig_suites.supercon_extraction.rows import Place, Truth
from labrig_suites.supercon_extraction.targets import field

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

OTHERS = re.compile(r"\d+(?:\.\d+)?(?=(?:\(\d+\))?\^\{[ab]\})|(?<=figure of merit of )\d+\.\d+")
"""What is printed without a unit and is no truth: cells with the letter of a note, and figures of merit of others."""


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


def kind_of(paper: Paper, row: Truth, place: Place) -> str:
    """Return where a value stands: text, figure, or a table by where its units are; turned tables apart."""
    if place.source != "table":
        return place.source
    boxes = [
        each.box
        for other in paper.rows
        for each in other.places
        if each.page == place.page and each.source == "table"
    ]
    tall = sum(top - bottom > right - left for left, bottom, right, top in boxes)
    if paper.level == 4 and 2 * tall > len(boxes):
        return "turned table"
    cells = "".join(re.sub(r"\^\{[ab]\}", "", place.quote).split())
    if row.unit and "".join(row.printed.split()) in cells:
        return "unit in the cell"
    heads = {f"{target.head} ({row.unit})" for target in field(paper.field).targets}
    return (
        "unit in the head"
        if not row.unit or any(head in paper.pages[place.page - 1] for head in heads)
        else "unit in the caption"
    )


def counted(paper: Paper, found: list[dict[str, Any]], scanned: bool = False) -> Counter[str]:
    """Count values of the truth that were found and all of them, by where they stand, and found ones that are printed.

    A scan has no tables or captions of its own, so any place of the page will do there.
    """
    counts: Counter[str] = Counter()
    taken: set[int] = set()
    for row in paper.rows:
        true = with_unit(row.value, row.unit) if row.rule == "numeric" else None
        for place in row.places if true is not None else ():
            kind = kind_of(paper, row, place)
            counts[f"{kind}, all"] += 1
            for number, each in enumerate(found):
                elsewhere = each["page"] != place.page or each.get("source", "text") != place.source
                if number in taken or (elsewhere and not (scanned and each["page"] == place.page)):
                    continue
                said = with_unit(f"{each['value']:.12g}", each.get("unit", ""))
                if said is not None and true is not None and equal(replace(said, qualifier="="), true, 1e-6):
                    taken.add(number)
                    counts[f"{kind}, found"] += 1
                    break
    printed: Counter[tuple[int, float]] = Counter()
    for number, page in enumerate(paper.pages, 1):
        text = " ".join(signs(page).split())
        values = (read_value(value) for value in PRINTED.findall(text))
        printed.update((number, round(value.numbers[0], 9)) for value in values if value is not None)
        printed.update((number, round(float(value), 9)) for value in OTHERS.findall(text))
    counts["said"] = len(found)
    counts["right"] = sum(
        n in taken or printed[each["page"], round(each["value"], 9)] > 0 for n, each in enumerate(found)
    )
    counts["ocr"] = sum(bool(each.get("ocr")) for each in found)
    return counts


async def measured(tmp_path: Path, papers: Sequence[tuple[str, int, str, Variant]]) -> Counter[str]:
    total: Counter[str] = Counter()
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as client:
        for seed, level, name, variant in papers:
            paper = make_variant(f"tools never saw {seed}", level, name, variant)
            (tmp_path / "paper.pdf").write_bytes(paper.pdf)
            total += counted(paper, await found_in(client), variant == "scanned")
    print(dict(total))
    return total


TABLES = ("unit in the head", "unit in the cell", "unit in the caption", "turned table")


def share(total: Counter[str], *kinds: str) -> float:
    return sum(total[f"{kind}, found"] for kind in kinds) / sum(total[f"{kind}, all"] for kind in kinds)


@pytest.mark.accept
@pytest.mark.parametrize(("name", "count"), [("supercon", 18), ("thermoelectrics", 12)])
async def test_find_quantities_finds_the_values_of_papers_of_other_seeds(
    name: str, count: int, tmp_path: Path
) -> None:
    total = await measured(tmp_path, [(str(n), 1 + n % 3, name, "plain") for n in range(count)])
    assert share(total, "text", "unit in the head") >= 0.98
    assert total["right"] >= 0.9 * total["said"] > 250


@pytest.mark.accept
@pytest.mark.parametrize(("name", "count"), [("supercon", 12), ("thermoelectrics", 6)])
async def test_what_stands_in_older_layouts_is_told_apart(name: str, count: int, tmp_path: Path) -> None:
    """Text and tables are found, what is found is printed, and nothing is taken for the value of a figure."""
    total = await measured(tmp_path, [(str(n), 4, name, "plain") for n in range(count)])
    assert share(total, "text") >= 0.98
    assert share(total, *TABLES) >= 0.98 and all(total[f"{kind}, all"] > 15 for kind in TABLES)
    assert share(total, "figure") == 0 and total["figure, all"] == count
    assert total["right"] >= 0.9 * total["said"]


@pytest.mark.accept
async def test_bitmap_fonts_are_read_and_values_of_scans_say_so(tmp_path: Path) -> None:
    total = await measured(tmp_path, [(str(n), 1 + n % 4, "supercon", "bitmap") for n in range(8)])
    assert share(total, "text") >= 0.98
    assert total["right"] >= 0.9 * total["said"] and not total["ocr"]
    if which("tesseract") is None:
        return
    total = await measured(tmp_path, [(str(n), 1 + n % 4, "supercon", "scanned") for n in range(4)])
    assert total["ocr"] == total["said"] > 0
