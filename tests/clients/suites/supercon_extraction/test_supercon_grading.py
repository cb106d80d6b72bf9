"""The grader of extractions: against other libraries, and against everything that would fool the published one."""

from __future__ import annotations

import itertools
import json
import random
import re
import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymatgen.core import Composition
from scipy.optimize import linear_sum_assignment

from labrig.errors import LabrigError
from labrig_papers.materials.comparing import compare_formulas
from labrig_papers.materials.formulas import normalize_formula
from labrig_papers.materials.space_groups import normalize_space_group
from labrig_papers.values.reading import read_value as read_by_server
from labrig_papers.values.units import read_unit as unit_of_server
from labrig_suites.supercon_extraction.grading import literal, strict
from labrig_suites.supercon_extraction.grading.assignment import matched
from labrig_suites.supercon_extraction.grading.evidence import on_page
from labrig_suites.supercon_extraction.grading.formulas import composition, same_material
from labrig_suites.supercon_extraction.grading.payload import MOST_ROWS, read_payload
from labrig_suites.supercon_extraction.grading.symmetry import same_group
from labrig_suites.supercon_extraction.grading.units import read_unit, to_si
from labrig_suites.supercon_extraction.grading.values import read_value
from labrig_suites.supercon_extraction.published.materials import same_composition
from labrig_suites.supercon_extraction.rows import Place, Predicted, Truth

UNITS = re.split(
    ", ?",
    "K, mK, μK, meV, eV, Å, nm, cm, m, T, mT, G, kG, Oe, kOe, GPa, MPa, kbar, bar, %, g/cm^3, g/cm3, gcm-3, g cm^{-3}, "
    "mJ/mol K^2, mJ/(mol K^{2}), J/mol K, mJ mol^{-1} K^{-2}, mΩcm, Ω cm, μΩ cm, Ω m, A/cm^2, A/cm2, MA/cm^2, T/K, "
    "kOe/K, K/GPa, K/kbar, μV/K, W/m K, W/(m K), W m^{-1} K^{-1}, cm^3/C, cm^{-3}, m/s, km/s, nΩ m, "
    "μ_{B}, Pa, N/m^2, S/cm",
)


@pytest.mark.parametrize("unit", UNITS)
def test_units_are_those_of_the_papers_server(unit: str) -> None:
    ours, theirs = read_unit(unit), unit_of_server(unit)
    assert ours is not None
    assert ours.factor == pytest.approx(theirs.factor, rel=1e-6)
    assert ours.offset == pytest.approx(theirs.offset)


@pytest.mark.parametrize(
    "unit", ["furlong", "K/", "mJ/mol K^-2", "at.%", "K K^", "(K", "xyz", "10 apples", "9" * 999]
)
def test_what_is_no_unit_is_unknown(unit: str) -> None:
    assert read_unit(unit) is None


@pytest.mark.parametrize(
    "text",
    ["36.9(2) K", "6.24 ± 0.03 K", "1.2 × 10^{6} A/cm^{2}", "1.2x10^6 A/cm2", "−3.5 μV/K", "1,200 Oe", "< 1.8 K",
     "~6 K", "6.2–6.5 K", "6.2 to 6.5 K", "7.6e-5 Ω cm", "3.7793(2) Å", "5.1", "0.5 %", "4.2·10⁶ A/cm²", "450 °C",
     "10^{21} cm^{-3}"],
)  # fmt: skip
def test_values_are_those_of_the_papers_server(text: str) -> None:
    theirs = read_by_server(text)
    ours = read_value(text)
    assert ours is not None and ours.unit is not None
    assert [ours.unit.factor * each + ours.unit.offset for each in ours.numbers] == pytest.approx(theirs.si())
    assert ours.qualifier == theirs.qualifier or len(ours.numbers) == 2


@pytest.mark.parametrize(
    "text",
    ["", "none", "36.9 K and 37.8 K", "36.9, 37.8 K", "1 2 3 4 5", " ".join(map(str, range(400))), "1e999 K", "K 36.9"]
)  # fmt: skip
def test_more_or_less_than_one_value_is_no_value(text: str) -> None:
    assert read_value(text) is None


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_a_reader(text: str) -> None:
    read_value(text), read_unit(text), composition(text), same_group(text, "I4/mmm"), on_page(text, text)
    read_payload(text)


FORMULAS = ["La1.85Sr0.15CuO4", "La_{1.85}Sr_{0.15}CuO_{4}", "(La0.925Sr0.075)2CuO4", "La3.7Sr0.3Cu2O8",
            "La1.84Sr0.16CuO4", "YBa2Cu3O6.93", "YBa2Cu3O7", "YBa₂Cu₃O₇", "MgB2", "B2Mg", "Mg(B0.98C0.02)2",
            "Ba(Fe0.92Co0.08)2As2", "K3C60", "Bi2Te3", "Bi2Te2.7Se0.3",
             "NbSe2", "LaFeAsO0.9F0.1", "La10Fe10As10O9F1", "Nb3Sn", "Nb3Ge"]  # fmt: skip


def test_compositions_and_comparisons_are_those_of_pymatgen_and_the_papers_server() -> None:
    for text in FORMULAS:
        plain = text.translate(str.maketrans("₂₃₇", "237", "_{}"))
        amounts = {str(key): value for key, value in Composition(plain).get_el_amt_dict().items()}
        assert composition(text) == pytest.approx(amounts)
    for first, second in itertools.product(FORMULAS, repeat=2):
        assert same_material(first, second) == compare_formulas(first, second).same, (first, second)
        one, other = (Composition(dict(normalize_formula(text).composition)) for text in (first, second))
        if not {"_", "₂"} & {*first, *second}:  # which the published scorer does not read
            assert same_composition(first, second) == one.almost_equals(other, rtol=0.1), (first, second)


@pytest.mark.parametrize(
    "text", ["YBa2Cu3O7-δ", "La2-xSrxCuO4", "YBCO film", "RE-123", "", "Nb3Sn and V3Si", "Mg-B", "(Nb"]
)
def test_a_formula_that_is_not_resolved_is_none(text: str) -> None:
    assert composition(text) is None


def test_space_groups_in_any_writing_and_nothing_beside_them() -> None:
    for first, second in (("P6_{3}/mmc", "P 63/mmc"), ("Fm3m", "Fm-3m"), ("Fm3\u0305m", "F m -3 m"),
                          ("I4/mmm", "i4/mmm"), ("Cmca", "Cmce"), ("R-3m", r"R\bar{3}m")):  # fmt: skip
        assert same_group(first, second)
        assert normalize_space_group(first).number == normalize_space_group(second).number
    for said in ("I4/mmm (No. 139)", "tetragonal I4/mmm", "139", "I4/m", "", "hexagonal"):
        assert not same_group(said, "I4/mmm")


@pytest.mark.parametrize("seed", range(30))
def test_the_matching_is_optimal(seed: int) -> None:
    draw = random.Random(seed)
    truths, said = draw.randrange(1, 12), draw.randrange(0, 14)
    right = np.array(
        [[draw.random() < 0.3 for _ in range(said)] for _ in range(truths)], dtype=float
    ).reshape(truths, said)
    found = matched([[n for n in range(said) if row[n]] for row in right])
    best = linear_sum_assignment(right, maximize=True)
    assert len(found) == right[best].sum()
    assert len(set(found.values())) == len(found) and all(right[truth, n] for truth, n in found.items())


PAGES = ("The transition temperature (R = 0) of La_{1.85}Sr_{0.15}CuO_{4} is T_{c} = 36.9(2) K in zero field.\n"
         "Earlier work gave 37.8 K.\n"
         "The crystals have the space group I4/mmm with a = 3.7793(2) Å.",
         "TABLE I.\nSample T_{c} (K) γ (mJ/mol K^{2})\nA1 36.9(2) 6.9\nA2 28.4 5.2")  # fmt: skip
BOX = (0.0, 0.0, 1.0, 1.0)
TC = "transition temperature (R = 0)"


def truth(
    name: str,
    value: str,
    unit: str = "",
    material: str = "La1.85Sr0.15CuO4",
    rule: str = "numeric",
    **more: object,
) -> Truth:
    return Truth(name, rule, material, value, unit, places=(Place(1, BOX, "quote"),), **more)  # type: ignore[arg-type]


TRUTHS = (
    truth(TC, "36.9(2)", "K", also=("Tc zero",), sample="A1"),
    truth(TC, "28.4", "K", sample="A2", material="La1.9Sr0.1CuO4"),
    truth("lattice constant a", "3.7793(2)", "Å", sample="A1"),
    truth("space group", "I4/mmm", rule="space_group", sample="A1"),
)
QUOTE = "is Tc = 36.9(2) K in zero field"
ROW_1, ROW_2 = "A1 36.9(2) 6.9", "A2 28.4 5.2"
LATTICE = "space group I4/mmm with a = 3.7793(2) Å"
RIGHT = (
    Predicted(TC, "La1.85Sr0.15CuO4", "36.9(2) K", page=1, quote=QUOTE),
    Predicted(TC, "La1.9Sr0.1CuO4", "28.4 K", page=2, quote=ROW_2),
    Predicted("lattice constant a", "La1.85Sr0.15CuO4", "0.37793 nm", page=1, quote="a = 3.7793(2) Å"),
    Predicted("space group", "La1.85Sr0.15CuO4", "I4/mmm", page=1, quote="space group I4/mmm"),
)


def test_the_right_answer_is_right_however_it_is_written() -> None:
    graded = strict.grade(TRUTHS, RIGHT, PAGES)
    assert graded.proved.f1 == graded.pairs.f1 == literal.grade(TRUTHS, RIGHT).f1 == 1
    other = (
        Predicted("T_c zero", "(La0.925Sr0.075)2CuO4", "36900 mK", page=2, quote=ROW_1, sample="A1"),
        *RIGHT[1:],
    )
    # Not "36900": the quote must hold the digits of the paper, and so it does.
    assert strict.grade(TRUTHS, other, PAGES).proved.f1 == 1


def changed(**fields: object) -> tuple[Predicted, ...]:
    """Return the right answer with its first row changed."""
    return (Predicted(**{**vars(RIGHT[0]), **fields}), *RIGHT[1:])  # type: ignore[arg-type]


NUMBERS = ", ".join(f"{each / 10}" for each in range(200, 500))
FAULTS = {
    "approximate": (changed(value="~37 K"), 0.75, 0.75),
    "rounded": (changed(value="37 K"), 0.75, 0.75),
    "qualifier": (changed(value="~36.9 K"), 0.75, 1.0),
    "wrong one of several": (changed(value="37.8 K", quote="Earlier work gave 37.8 K"), 0.75, 0.75),
    "unit slip": (changed(value="36.9 mK"), 0.75, 1.0),
    "no unit": (changed(value="36.9"), 0.75, 1.0),
    "range": (changed(value="30-40 K"), 0.75, 0.75),
    "two in one": (changed(value="36.9 K or 37.8 K"), 0.75, 1.0),
    "all numbers in one": (changed(value=NUMBERS), 0.75, 1.0),
    "wrong sample": (changed(sample="A2"), 0.75, 1.0),
    "wrong material": (changed(material="La1.9Sr0.1CuO4"), 0.75, 0.75),
    "near material": (changed(material="La1.8Sr0.16CuO4"), 0.75, 1.0),
    "generic material": (changed(material="La2-xSrxCuO4"), 0.75, 0.75),
    "another criterion": (changed(name="transition temperature (R = 100%)"), 0.75, 0.75),
    "invented quote": (changed(quote="We found that Tc is 36.9(2) K here"), 0.75, 1.0),
    "quote of another value": (changed(quote="Earlier work gave 37.8 K."), 0.75, 1.0),
    "wrong page": (changed(page=2), 0.75, 1.0),
    "no page": (changed(page=None), 0.75, 1.0),
    "whole page as quote": (changed(quote=" ".join(PAGES) * 200), 0.75, 1.0),
    "cut number": (changed(quote="6.9(2) K in zero field"), 0.75, 1.0),
    "duplicate": ((*RIGHT, RIGHT[0]), 8 / 9, 1.0),
    "invented rows": ((*RIGHT, *(Predicted("density", "MgB2", f"{n} K") for n in range(4))), 2 / 3, 2 / 3),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_costs_what_it_should(fault: str) -> None:
    said, by_strict, by_compat = FAULTS[fault]
    assert strict.grade(TRUTHS, said, PAGES).proved.f1 == pytest.approx(by_strict)
    assert literal.grade(TRUTHS, said).f1 == pytest.approx(by_compat)


def test_a_part_of_a_word_is_right_only_by_the_published_rule() -> None:
    poly = [truth("shape", "polycrystal", rule="categorical")]
    said = [Predicted("shape", "La1.85Sr0.15CuO4", "p", page=1, quote=QUOTE)]
    assert literal.grade(poly, said).f1 == 1
    assert strict.grade(poly, said).values[0].f1 == 0


def test_flooding_does_not_pay() -> None:
    """Every number of the pages for every property and material: recall is bought with precision."""
    names, materials = {each.name for each in TRUTHS}, {each.material for each in TRUTHS}
    numbers = [
        ("36.9", 1, QUOTE),
        ("37.8", 1, "Earlier work gave 37.8 K."),
        ("3.7793", 1, LATTICE),
        ("28.4", 2, ROW_2),
        ("6.9", 2, ROW_1),
    ]
    flood = [
        Predicted(name, material, f"{number} {unit}", page=page, quote=quote)
        for name in names for material in materials for number, page, quote in numbers for unit in ("K", "Å")
    ]  # fmt: skip
    graded = strict.grade(TRUTHS, flood, PAGES)
    assert graded.proved.recall == 0.75 and graded.proved.f1 < 0.1


def test_tolerances_and_pairs_are_counted_apart() -> None:
    graded = strict.grade(TRUTHS, changed(value="37.1 K"), PAGES)
    assert [each.found for each in graded.values] == [3, 4, 4]
    assert strict.grade(TRUTHS, changed(value="40 K"), PAGES).values[2].found == 4
    assert strict.grade(TRUTHS, changed(value="80 K"), PAGES).pairs.found == 4


def test_a_field_in_gauss_or_amperes_per_metre_is_one_in_tesla() -> None:
    field = [truth("H_{c2} at 0 K for poly crystal", "5.0", "T")]
    for value in ("50 kOe", "50 kG", "5 T", "3978.87 kA/m"):
        said = [Predicted("Hc2 at 0 K for poly crystal", "La1.85Sr0.15CuO4", value)]
        assert strict.grade(field, said).values[0].f1 == 1, value


def test_a_condition_that_is_said_must_be_right() -> None:
    under = [truth(TC, "36.9", "K", conditions={"pressure": "10 GPa"})]
    for pressure, f1 in (("10 GPa", 1), ("100 kbar", 1), ("", 1), ("0 GPa", 0)):
        said = [Predicted(TC, "La1.85Sr0.15CuO4", "36.9 K", conditions={"pressure": pressure})]
        assert strict.grade(under, said).values[0].f1 == f1, pressure


def test_ten_thousand_rows_and_texts_of_a_megabyte_are_scored() -> None:
    row = {"property_name": TC, "material_or_system": "La1.85Sr0.15CuO4", "value_string": "36.9 K",
           "location": {"page": 1, "evidence": "x" * 1_000_000}}  # fmt: skip
    said = read_payload(
        json.dumps({"properties": [row, None, 7, [], {"property_name": ["a"], "location": 3}]})
    )
    assert said is not None and len(said) == 5 and said[0].quote == "" and said[1] == Predicted()
    many = read_payload(
        json.dumps({"properties": [{**row, "location": {"page": 1, "evidence": QUOTE}}] * MOST_ROWS})
    )
    assert many is not None
    graded = strict.grade(TRUTHS, many, PAGES)
    assert graded.proved.found == 1 and graded.proved.said == MOST_ROWS
    assert read_payload(json.dumps({"properties": [{}] * (MOST_ROWS + 1)})) is None
    odd = read_payload(
        '{"properties": [{"value_string": NaN}, {"value_string": Infinity}, {"value_string": 1e308}]}'
    )
    assert odd is not None and [each.value for each in odd] == ["", "", ""]
    for text in (
        "",
        "{",
        "[]",
        "null",
        '{"properties": {}}',
        '{"properties": []} {"properties": []}',
        "[" * 99_999,
    ):
        assert read_payload(text) is None, text[:40]


def test_quotes_end_where_words_and_numbers_do() -> None:
    page = "The value of T_{c} is 36.9 K, and\nnot 8.41 K. La_{2}CuO_{4}"
    assert on_page("The value of Tc is 36.9 K", page) and on_page("T_c is 36.9 K, and not 8.41", page)
    for quote in (
        "is 36.9 K, and not 8.4",
        "6.9 K, and not",
        "he value of Tc is",
        "36.9 K",
        "value of Tc was 36.9 K",
        "",
    ):
        assert not on_page(quote, page), quote


def test_the_readers_are_strict_about_what_the_server_refuses() -> None:
    for text in (
        "".join(random.Random(n).choices(string.ascii_letters + "0123456789./ ^-", k=8)) for n in range(300)
    ):
        unit = read_unit(text)
        if unit is None or not text.strip():
            continue
        try:
            theirs = unit_of_server(text)
        except LabrigError:
            continue
        if theirs.dimension == "other":  # in its own base units
            continue
        assert unit.factor == pytest.approx(theirs.factor, rel=1e-6), text
    tesla = read_unit("T")
    assert tesla is not None and to_si(1.0, tesla, tesla.dimension) == 1.0
