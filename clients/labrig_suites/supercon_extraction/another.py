"""A second solution: plain text without marks, tables as lines of it, their columns by the words of the caption."""

from __future__ import annotations

from collections.abc import Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution, Unsolvable
from labrig_suites.supercon_extraction.making.long_papers import LEVEL as LONG
from labrig_suites.supercon_extraction.printed_rows import rows
from labrig_suites.supercon_extraction.reading import answer, materials, pages_of, stated
from labrig_suites.supercon_extraction.solution import field_of, read_pages


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of a paper.

    Raises
    ------
    Unsolvable
        For an arm without the papers server, a published paper, and one of level 5.
    """
    name = field_of(sample)
    if sample.labels["level"] == str(LONG):
        raise Unsolvable("the second solution of level 5 reads what is drawn, not what the tools give")

    def conclude(results: Sequence[str]) -> str:
        pages = pages_of(results)
        found = []
        for number, text in pages.items():
            found += stated(text, number, name, plain=True)
            found += rows(pages, number, name)
        return answer(found, materials(pages.values()))

    return Solution(tuple(read_pages(arm, format="plain")), conclude)
