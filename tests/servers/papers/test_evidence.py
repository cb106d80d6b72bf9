"""Quotes are found as a reader would copy them, and nothing that is cut out of a longer number is one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_papers.evidence.folding import fold
from labrig_papers.evidence.quotes import verify_quote
from labrig_papers.evidence.searching import search_text
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Line, Page
from labrig_papers.pdf.pages import read_pages
from labrig_papers.quantities.finding import find_quantities
from labrig_papers.values.reading import read_value
from support.places import DATA

S1 = DATA / "pdfs" / "s1_synthetic_revtex.pdf"


def page(text: str, number: int = 1) -> Page:
    """A page on which each character is a box of its own, a point wide."""
    at = tuple(-1 if each in "^_{}" or each.isspace() else index for index, each in enumerate(text))
    boxes = tuple((float(index), 0.0, index + 1.0, 10.0) for index in range(len(text)))
    return Page(number, 600, 800, text, at, boxes, (Line(0, len(text), 10, False, (0, 0, len(text), 10)),))


FIRST = page(
    "We find T_{c} = 36.9(2) K and J_{c} = 1.2 × 10^{6} A/cm^{2}. The midpoint is 36.9 K and 8 K wide; 1.8 K."
)
SECOND = page(
    "No superconductivity was observed in La_{2}CuO_{4} down to 0.35 K. The midpoint is given above.", 2
)


@pytest.mark.parametrize(
    ("quote", "number", "status"),
    [
        ("We find T_{c} = 36.9(2) K", 1, "exact"),
        ("We find Tc = 36.9(2) K", 1, "exact"),
        ("$J_c = 1.2\\times 10^{6}$ A/cm$^2$", 1, "normalised"),
        ("Jc = 1.2 x 10^6 A/cm2", 1, "normalised"),
        ("Jc = 1.2 x 10^7 A/cm2", 1, "not_found"),
        ("We find Tc = 36.9(2) K", 2, "other_page"),
        ("The midpoint is", None, "ambiguous"),
        ("The midpoint is", 2, "exact"),
        ("6.9(2) K and", 1, "partial_token"),
        ("6.9 K", 1, "partial_token"),
        ("36.9 K", 1, "exact"),
        ("uperconductivity was observed", 2, "partial_token"),
        ("La2CuO4 down to 0.35 K", 2, "exact"),
        ("La2CuO4 down to 0.3", 2, "partial_token"),
        ("superconductivity was seen in La2CuO4", 2, "not_found"),
    ],
)
def test_a_quote_is_what_it_is(quote: str, number: int | None, status: str) -> None:
    assert verify_quote([FIRST, SECOND], quote, number).status == status


@pytest.mark.parametrize(
    "quote", ["at $T_c^{zero}$ = 36.2 K in zero field", "at T^{zero}_c = 36.2 K in zero field"]
)
def test_scripts_over_one_another_stand_in_either_order(quote: str) -> None:
    stacked = page("Zero resistance is reached at T^{zero}_{c} = 36.2 K in zero field.")
    verdict = verify_quote([stacked], quote)
    assert verdict.status in ("exact", "normalised")
    assert verdict.places[0].text == "at T^{zero}_{c} = 36.2 K in zero field"
    assert verify_quote([stacked], quote.replace("36.2", "32.6")).status == "not_found"


def test_boxes_and_the_nearest_text() -> None:
    verdict = verify_quote([FIRST, SECOND], "1.2 × 10^{6} A/cm^{2}", 1)
    start = FIRST.text.index("1.2")
    assert verdict.places[0].boxes == ((start, 0.0, FIRST.text.index("{2}") + 2.0, 10.0),)
    missed = verify_quote([FIRST, SECOND], "No superconductivity was seen in La2CuO4 down to 0.35 K")
    assert missed.nearest.startswith("p. 2: No superconductivity was observed")


@pytest.mark.parametrize("quote", ["", " \n", "K", "x" * 3_000])
def test_a_quote_that_proves_nothing_is_refused(quote: str) -> None:
    with pytest.raises(LabrigError, match="quote"):
        verify_quote([FIRST], quote)


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(LabrigError, match="no page 7"):
        verify_quote([FIRST, SECOND], "We find Tc", 7)


def test_words_are_found_in_any_writing() -> None:
    assert [hit.page for hit in search_text([FIRST, SECOND], "la2cuo4")] == [2]
    assert "midpoint is 36.9 K" in search_text([FIRST, SECOND], "MIDPOINT")[0].quote
    assert search_text([FIRST], "tungsten") == []
    with pytest.raises(LabrigError, match="empty"):
        search_text([FIRST], " ")


def test_a_formula_finds_its_composition_in_any_writing() -> None:
    other = page(
        "Crystals of (La_{0.925}Sr_{0.075})_{2}CuO_{4}, YBa_{2}Cu_{3}O_{7−δ} and La_{1.84}Sr_{0.16}CuO_{4}."
    )
    (hit,) = search_text([other, SECOND], "La1.85Sr0.15CuO4")
    assert other.text[hit.start : hit.end] == "(La_{0.925}Sr_{0.075})_{2}CuO_{4}"
    assert [other.text[each.start : each.end] for each in search_text([other], "YBCO")] == [
        "YBa_{2}Cu_{3}O_{7−δ}"
    ]
    assert len(search_text([SECOND], "La2CuO4")) == 1  # found by its letters, and not once more


@given(st.text(max_size=60))
def test_each_folded_character_knows_where_it_stands(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.places)
    assert list(folded.places) == sorted(folded.places)
    assert fold(folded.text).text == folded.text


@pytest.mark.skipif(not S1.is_file(), reason="shared/data/pdfs is absent")
def test_quotes_of_a_paper_as_readers_copy_them() -> None:
    with opened(str(S1), "s1") as document:
        pages = list(read_pages(document, [1, 2, 3]))
    for number, quote in (
        (1, "The superconducting transition temperature is Tc = 36.9(2) K from resistivity"),
        (1, "a difficult to re-produce value of 40 K for thin films on SrLaAlO4 [2]"),
        (1, "lattice parameters a = 3.7793(2) Å and c = 13.2260(8) Å"),
        (1, "\\gamma = 2.64 mJ mol$^{-1}$ K$^{-2}$"),
        (1, "0.15 3.7793(2) 13.2260(8) 36.9(2) 1.1 2.64(6)"),
        (2, "Néel temperature TN = 325 K; a Curie constant of 0.047 emu K/mol"),
        (3, "K3C60 Fm-3m vapour 19.3 28 2.5×10^3"),
    ):
        verdict = verify_quote(pages, quote, number)
        assert verdict.status in ("exact", "normalised"), quote
        assert all(0 < left < right < 612 for left, _, right, _ in verdict.places[0].boxes)
    assert verify_quote(pages, "measured at 6.9 K", 1).status == "not_found"
    assert verify_quote(pages, "6.9(2) K from resistivity", 1).status == "partial_token"


@pytest.mark.skipif(not S1.is_file(), reason="shared/data/pdfs is absent")
def test_a_quantity_has_no_name_that_its_unit_contradicts() -> None:
    with opened(str(S1), "s1") as document:
        pages = list(read_pages(document, [1, 2]))
    names = {each.text: each.name for each in find_quantities([page.text for page in pages])}
    assert names["36.9(2) K"] == "critical_temperature"
    for text in ("3.7793(2) Å", "7.6 × 10^{−5} Ω cm", "2.1 T/K", "300 K"):
        assert names[text] not in ("space_group", "critical_temperature", "resistivity") or "Ω" in text, (
            text,
            names[text],
        )


def test_a_refused_unit_is_named_as_it_is_printed() -> None:
    with pytest.raises(LabrigError, match=r"'emu/mol'"):
        read_value("1.1 × 10^{−4} emu/mol")
    with pytest.raises(LabrigError, match=r"The unit 'furlong' is not used"):
        read_value("0.02 - 0.2 furlong")


@pytest.mark.parametrize(
    ("printed", "quoted"), [("36.9 ± 0.2 K", "36.9 +/- 0.2 K"), ("5 +/- 1 nm", "5 ± 1 nm")]
)
def test_a_plus_minus_sign_in_either_writing(printed: str, quoted: str) -> None:
    verdict = verify_quote([page(f"The value is {printed} here.")], f"value is {quoted} here", 1)
    assert verdict.status == "normalised" and printed in verdict.places[0].text


def test_a_row_is_found_as_agents_write_it() -> None:
    table = page("0.15 3.7793(2) 13.2260(8) 36.9(2)")
    assert verify_quote([table], "| 0.15 | 3.7793(2) | 13.2260(8) |", 1).status == "normalised"
    assert verify_quote([page("for H ∥ c and")], "H | c and", 1).status == "normalised"
    assert verify_quote([table], "0.15 | 3.7794(2)", 1).status == "not_found"


def test_a_sentence_that_goes_on_over_the_page() -> None:
    def lined(text: str, number: int) -> Page:
        whole, lines, at = page(text, number), [], 0
        for each in text.split("\n"):
            lines.append(Line(at, at + len(each), 10, False, (0, 0, len(each), 10)))
            at += len(each) + 1
        return replace(whole, lines=tuple(lines))

    first = lined("The gap is 2 meV. Thermopower\nTABLE I. Samples.\nA1 36.9", 1)
    second = lined("2\n\nis S(300 K) = 12 μV/K. It is\nshown below.", 2)
    verdict = verify_quote([first, second], "Thermopower is S(300 K) = 12 µV/K.", 2)
    assert (verdict.status, [each.page for each in verdict.places]) == ("normalised", [1, 2])
    assert "page 1 to page 2" in verdict.notes[-1] and all(each.boxes for each in verdict.places)
    for made_up in (
        "The gap is 2 meV. is S(300 K)",
        "Thermopower shown below.",
        "Thermopower is S(300 K) = 13 μV/K.",
    ):
        assert verify_quote([first, second], made_up).status == "not_found"
