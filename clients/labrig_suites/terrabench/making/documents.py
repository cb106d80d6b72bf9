"""The report of an item as PDF: how something was computed, and what came out; set by the typesetter of made papers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from labrig_suites.terrabench.making.domains import Domain

PATH = "data/report.pdf"
FAMILIES = ("Lindner", "Okafor", "Moreau", "Sandoval", "Ito", "Brandt", "Kaur", "Novak", "Haddad", "Silva")


@dataclass(frozen=True)
class Report:
    """What a report says.

    Attributes
    ----------
    start, end
        First and last day of its period.
    threshold
        From which on a member counts, in the unit of the domain.
    rows
        Its table: what, and the value as printed.
    remark
        What it says of its values: how they differ from what can be computed here.
    """

    start: str
    end: str
    threshold: str
    rows: tuple[tuple[str, str], ...]
    remark: str


def make_pdf(report: Report, domain: Domain, draw: random.Random) -> bytes:
    """Return the report.

    Raises
    ------
    LabrigError
        ``unavailable`` without reportlab.
    """
    from labrig_suites.supercon_extraction.making.setting import Setter
    from labrig_suites.supercon_extraction.making.writing import style_of

    year = report.start[:4]
    setter = Setter(
        style_of(draw, draw.choice([1, 2])), f"Reports on {domain.name} {draw.randint(3, 40)} ({year})"
    )
    authors = ", ".join(f"{draw.choice('ABCDEFGKLMRST')}. {name}" for name in draw.sample(FAMILIES, 3))
    setter.title(f"{domain.long_name} in the summer of {year}: means, seasons, outlook", authors)
    setter.section("1. Introduction", _introduction(domain, draw))
    setter.section(
        "2. Data and methods",
        f"Fields of {domain.long_name} are given in {domain.unit}. Means of regions are taken over the days from "
        f"{report.start} to {report.end}, both included, and every cell and day counts once. Seasons run from June to "
        "August, with months weighted by their days. In the outlook a member exceeds if its value is at or above "
        f"{report.threshold} {domain.unit}; shares are averaged over months and cells.",
    )
    setter.paragraph(report.remark)
    setter.table(
        "Table 1", f"Results, {domain.unit} where not said otherwise", ("quantity", "value"), report.rows
    )
    setter.section("3. Discussion", _discussion(domain, report.rows, draw))
    done: bytes = setter.done()
    return done


def _introduction(domain: Domain, draw: random.Random) -> str:
    said = [
        f"This report follows {domain.long_name} through a summer and looks ahead to the next one.",
        "All numbers are means over regions that the reader finds on the map of the series.",
        "Earlier reports of the series used another grid and cannot be compared cell by cell.",
        f"We thank the {domain.people} who took part in the survey.",
        "The study was planned before the season began.",
    ]
    draw.shuffle(said)
    return " ".join(said)


def _discussion(domain: Domain, rows: Sequence[tuple[str, str]], draw: random.Random) -> str:
    said = [
        "The differences between regions are as large as those between years.",
        f"How much of {domain.long_name} is due to the site is left open.",
        "Readers who want to compute the numbers again find the fields beside this report.",
    ]
    draw.shuffle(said)
    return " ".join(said)
