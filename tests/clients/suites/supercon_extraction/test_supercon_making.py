"""Papers from a seed: what was read in them by hand, what PDFium reads in them, and whether their values agree."""

from __future__ import annotations

import csv
import hashlib
import math
from collections import Counter
from pathlib import Path

import pypdfium2
import pytest

from labrig.errors import LabrigError
from labrig_papers.values.reading import read_value
from labrig_suites.supercon_extraction.grading import strict
from labrig_suites.supercon_extraction.grading.evidence import folded, grounded
from labrig_suites.supercon_extraction.making.papers import make_paper
from labrig_suites.supercon_extraction.making.variants import VARIANTS, make_variant
from labrig_suites.supercon_extraction.making.writing import LEVELS, Paper
from labrig_suites.supercon_extraction.rows import Predicted
from labrig_suites.supercon_extraction.targets import FIELDS, field

BY_HAND = list(csv.DictReader((Path(__file__).parent / "read_by_hand.csv").open(encoding="utf-8")))
PAPERS = [(f"seen-{number}", level, name) for name in FIELDS for level in LEVELS for number in range(2)]


@pytest.mark.parametrize("seed", [f"hand-{number}" for number in range(1, 7)])
def test_the_truth_is_what_was_read_by_hand(seed: str) -> None:
    rows = [row for row in BY_HAND if row["seed"] == seed]
    paper = make_paper(seed, int(rows[0]["level"]), rows[0]["field"])
    said = [Predicted(row["property"], row["material"], row["value"]) for row in rows]
    assert Counter((row["property"], row["material"]) for row in rows) == Counter(
        (row.name, row.material) for row in paper.rows
    )
    graded = strict.grade(paper.rows, said)
    assert graded.values[0].f1 == 1
    assert graded.drawn.found == (paper.level == 4)


def read(paper: Paper) -> list[tuple[str, str]]:
    """Return of each value the text that PDFium finds in its box, and what was printed."""
    found = []
    with pypdfium2.PdfDocument(paper.pdf) as document:
        pages = [page.get_textpage() for page in document]
        for row in paper.rows:
            for place in row.places if not row.in_figure else ():
                left, bottom, right, top = place.box
                text = pages[place.page - 1].get_text_bounded(left - 1, bottom - 2, right + 1, top + 2)
                found.append((text, row.value))
    return found


@pytest.mark.parametrize(("seed", "level", "name"), PAPERS)
def test_values_stand_in_their_boxes_and_quotes_on_their_pages(seed: str, level: int, name: str) -> None:
    paper = make_paper(seed, level, name)
    for text, printed in read(paper):
        assert folded(printed)[0] in folded(text)[0], (text, printed)
    for row in paper.rows:
        for place in row.places:
            assert grounded(place.quote, place.page, paper.pages), place
    with pypdfium2.PdfDocument(paper.pdf) as document:
        drawn = [page.get_textpage().get_text_range() for page in document]
    assert len(drawn) == len(paper.pages)
    for text, page in zip(drawn, paper.pages, strict=True):
        assert Counter(folded(text)[0]) == Counter(folded(page)[0])


@pytest.mark.parametrize(("seed", "level", "name"), PAPERS)
def test_values_agree_with_each_other_but_for_what_was_planted(seed: str, level: int, name: str) -> None:
    paper = make_paper(seed, level, name)
    planted = {(material, name) for material, name, _ in paper.planted}
    for material in {row.material for row in paper.rows}:
        si = {
            row.name: read_value(row.printed).si()[0]
            for row in paper.rows
            if row.material == material and row.rule == "numeric"
        }
        hc2, slope = (
            si.get("H_{c2} at 0 K for poly crystal"),
            si.get("-slope in H_{c2} vs T at T_c for poly crystal"),
        )
        tc, onset = (
            si.get("transition temperature (R = 0)", 0.0),
            si.get("transition temperature (R = 100%)", 999),
        )
        assert tc <= onset
        if hc2 and slope and tc:
            ratio = 10.0 if (material, "H_{c2} at 0 K for poly crystal") in planted else 1.0
            assert hc2 == pytest.approx(ratio * 0.693 * tc * slope, rel=0.02)
        if hc2 and (xi := si.get("coherence length at 0 K for poly crystal")) and not planted:
            assert xi == pytest.approx(math.sqrt(2.067833848e-15 / (2 * math.pi * hc2)), rel=0.02)
        if tc and (gap := si.get("energy gap at 0 K Δ(0)")):
            assert 3.4 < 2 * gap / (1.380649e-23 * tc) < 4.5
        power = si.get("power factor at 300 K", 0.0)
        seebeck, sigma, kappa = (
            si.get(f"{each} at 300 K")
            for each in ("thermopower", "electrical conductivity", "thermal conductivity")
        )
        if power and seebeck and sigma:
            assert power == pytest.approx(seebeck**2 * sigma, rel=0.01)
        zt = si.get("figure of merit ZT at 300 K")
        if zt and power and kappa and (material, "figure of merit ZT at 300 K") not in planted:
            assert zt == pytest.approx(300 * power / kappa, rel=0.02)


def test_the_same_seed_gives_the_same_bytes_in_every_variant() -> None:
    texts = set()
    for variant in VARIANTS:
        first, again = (make_variant("same", 2, "supercon", variant) for _ in range(2))
        assert first == again
        texts.add(hashlib.sha256(first.pdf).hexdigest())
        with pypdfium2.PdfDocument(first.pdf) as document:
            text = "".join(page.get_textpage().get_text_range() for page in document)
        assert ("REFERENCES" in text) == (variant != "scanned")
    assert len(texts) == len(VARIANTS)
    assert make_paper("other", 2).pdf != make_paper("same", 2).pdf


def test_others_values_are_none_of_this_paper() -> None:
    """The value of somebody else is at least 2 % away from every sample's: who takes it is wrong."""
    paper = make_paper("seen-1", 3)
    taken = [Predicted(row.name, row.material, row.printed) for row in paper.rows]
    assert strict.grade(paper.rows, taken).values[0].f1 == 1
    for text in (" ".join(page.split()) for page in paper.pages):
        for row in paper.rows:
            for sentence in text.split(". "):
                if (
                    "earlier workers" in sentence
                    and row.material in sentence
                    and "transition temperature" in row.name
                ):
                    assert f" {row.printed} " not in sentence


def test_what_is_not_there_is_said() -> None:
    for make in (
        lambda: make_paper("1", 9),
        lambda: field("biology"),
        lambda: make_variant("1", 1, "supercon", "torn"),
    ):  # type: ignore[arg-type]
        with pytest.raises(LabrigError):
            make()


def test_no_page_is_left_empty_behind_a_table_that_stands_sideways() -> None:
    paper = make_paper("looked at 2", 4, "thermoelectrics")
    assert [len(page.split("\n")) > 5 for page in paper.pages] == [True, True]
    assert any("TABLE II" in page and "REFERENCES" not in page for page in paper.pages[1:])
    assert len(pypdfium2.PdfDocument(paper.pdf)) == 2
