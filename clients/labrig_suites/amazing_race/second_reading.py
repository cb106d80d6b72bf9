"""A second reading of riddles: which pages a description fits, by its words and by what pages show alone.

It shares nothing with what makes riddles (`making.riddles`), and reads loosely: any number, year or name of a month in
a cell will do, whatever its unit, and the kind of a page is not looked at. So a description that fits one page here
fits no second one for any reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from labrig_suites.amazing_race.legs import Leg
from labrig_suites.amazing_race.page_text import PageText
from labrig_suites.amazing_race.values import numbers_in

FOUND = re.compile(r"Find the page of (?P<said>.+)\. (?:What|Which|How) ")
LINKED = re.compile(
    r"Of the pages to which the page of clue (?P<clue>\d+) links, open that of (?P<said>.+)\. (?:What|Which|How) "
)
_BETWEEN = re.compile(r"“([^”]+)” (?:between|in the years) ([\d,]+) (?:and|to) ([\d,]+).*")
_MONTH = re.compile(r"“([^”]+)” in ([A-Z][a-z]+)")
_THROUGH = re.compile(r"“([^”]+)” the name of a page whose own infobox gives (.+)")


def ambiguous(leg: Leg, pages: Mapping[str, PageText]) -> list[str]:
    """Return what is wrong with the descriptions of a leg: one that fits no page, two, or another page.

    Parameters
    ----------
    pages
        All pages of the world, by address.
    """
    clues = [clue.partition(". ")[2] for clue in leg.riddle.split("\n\n")]
    wrong = []
    for stop, clue in zip(leg.stops, clues, strict=True):
        if stop.stop_type != "page":
            continue
        found, linked = FOUND.match(clue), LINKED.match(clue)
        if said := linked or found:
            fit = fitting(said["said"], pages)
            if linked:
                before = leg.stops[int(linked["clue"]) - 1].page_url or ""
                if len(fit) < 2:
                    wrong.append(f"clue {stop.index + 1} needs no page before it")
                fit = [each for each in fit if each in pages[before].addresses]
            if fit != [stop.page_url]:
                wrong.append(f"clue {stop.index + 1} fits {len(fit)} pages")
    return wrong


def fitting(said: str, pages: Mapping[str, PageText]) -> list[str]:
    """Return the addresses of the pages that a description fits."""
    hints = said.partition(" whose infobox gives ")[2].split("; ")
    return [address for address, page in pages.items() if all(_fits(each, page, pages) for each in hints)]


def _fits(hint: str, page: PageText, pages: Mapping[str, PageText]) -> bool:
    if through := _THROUGH.fullmatch(hint):
        near = (pages[each] for each in page.links(page.infobox.get(through[1], "")) if each in pages)
        return any(_fits(through[2], each, pages) for each in near)
    if month := _MONTH.fullmatch(hint):
        return month[2].casefold() in page.plain(page.infobox.get(month[1], "")).casefold()
    between = _BETWEEN.fullmatch(hint)
    if between is None:
        raise ValueError(f"no hint: {hint}")
    least, most = (int(each.replace(",", "")) for each in between.groups()[1:])
    return any(least <= each <= most for each in _numbers(page, between[1]))


def _numbers(page: PageText, label: str) -> Iterator[float]:
    yield from numbers_in(page.plain(page.infobox.get(label, "")))
