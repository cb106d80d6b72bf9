"""The published set: its properties, the units of its curators, and its scorer's way to read, against a recount."""

from __future__ import annotations

import csv
import math
import random
import re
from pathlib import Path

import pytest
from pymatgen.core import Composition
from pymatgen.symmetry.groups import SpaceGroup

from labrig_suites.supercon_extraction import items
from labrig_suites.supercon_extraction.grading import literal, strict
from labrig_suites.supercon_extraction.grading.symmetry import same_group
from labrig_suites.supercon_extraction.grading.units import read_unit
from labrig_suites.supercon_extraction.published import units
from labrig_suites.supercon_extraction.published.groups import numbers, same_number_of_group
from labrig_suites.supercon_extraction.published.materials import resolved, same_composition
from labrig_suites.supercon_extraction.published.numbers import candidates, same_number
from labrig_suites.supercon_extraction.published.properties import decoded, find, properties
from labrig_suites.supercon_extraction.rows import Predicted, Truth

PUBLISHED = Path(__file__).parents[5] / "shared" / "data" / "supercon-published"
at_hand = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="shared/data/supercon-published is absent")
OTHER_FACTORS = {"mW/cm.K": 0.1, "m.ohm.cm": 1e-5}
"""Where physics has another factor than the published table."""


def published_table() -> list[dict[str, str]]:
    with (PUBLISHED / "si_conversion_factors.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["property_unit"]]


@at_hand
def test_every_spelling_of_a_unit_has_the_published_factor_and_a_meaning_or_a_doubt() -> None:
    table = published_table()
    assert len(table) == 322 and set(units.factors()) == {row["property_unit"] for row in table}
    for row in table:
        written, factor = row["property_unit"], row["conversion_factor"]
        assert units.factors()[written] == (float(factor) if factor else None), written
        meant = units.read_written(written, length=written == "A")
        assert (meant is None) == (written in units.doubts()), written
        si = read_unit(row["SI"].replace("ohm", "Ω"))
        if meant is None or not factor or si is None or meant.dimension != si.dimension:
            continue  # kelvins of a molar susceptibility are by volume there, and by moment here
        wanted = OTHER_FACTORS.get(written, float(factor)) * si.factor
        assert math.isclose(meant.factor, wanted, rel_tol=5e-3), written  # it has meV with three digits


def test_each_doubt_has_a_reason_and_no_spelling_is_in_two_places() -> None:
    assert not set(units.doubts()) & set(units.meanings())
    assert all(len(why) > 5 for why in units.doubts().values())
    for written in {*units.doubts(), *units.meanings()}:
        assert written in units.factors()


CONVERSIONS = [
    ("4.5 T", "45 kOe"), ("45000 Oe", "45 kOe"), ("3 K/GPa", "0.3 K/kbar"), ("0.3779 nm", "3.779 A"),
    ("1.2 mOhm.cm", "1200 uOhm.cm"), ("0.5 mV/K", "500 uV/K"), ("1.2 x 10^3 gauss", "1.2 kG"),
    ("2.5 J/mol.K2", "2500 mJ/mol.K2"),
    ("120 nm", "0.12 micron"), ("5 mK/MPa", "5 K/GPa"), ("3e-9 m3/C", "3 mm3/C"), ("1e21/cm3", "1 E+21/cm3"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "true"), CONVERSIONS)
def test_units_are_converted_by_both(said: str, true: str) -> None:
    number, _, unit = true.partition(" ")
    truth = Truth("lattice constant a" if unit == "A" else "x", "numeric", "MgB2", number, unit)
    row = Predicted(truth.name, "MgB2", said)
    assert literal.grade([truth], [row]).found == 1
    assert strict.same_value(truth, row, 0.001)
    slip = Predicted(truth.name, "MgB2", re.sub(r"^[\d.]+", "7.77", said))
    assert literal.grade([truth], [slip]).found == 0 and not strict.same_value(truth, slip, 0.001)


def recount(said: str, true: str) -> bool:
    """Compare two simple values by the published table alone: a number, a space, a unit."""
    factors = {row["property_unit"]: row["conversion_factor"] for row in published_table()}
    (one, said_unit), (other, true_unit) = (each.split(" ") for each in (said, true))
    a, b = float(one), float(other)
    if said_unit != true_unit and factors.get(said_unit) and factors.get(true_unit):
        a, b = a * float(factors[said_unit]), b * float(factors[true_unit])
    return abs(a - b) / abs(b) <= 0.001


@at_hand
def test_compat_is_a_recount_on_two_hundred_pairs() -> None:
    simple = re.compile(r"[A-Za-z][A-Za-z0-9/%.]*")  # what the published pattern takes whole
    table = [row for row in published_table() if simple.fullmatch(row["property_unit"])]
    draw, right = random.Random(5), 0
    for _ in range(200):
        true = draw.choice(table)
        same = [row for row in table if row["SI"] == true["SI"] and row["conversion_factor"]]
        other = draw.choice(same if same and draw.random() < 0.8 else table)
        value = draw.choice([1.5, 36.9, 0.0123, 4500.0])
        ratio = 1.0
        if true["conversion_factor"] and other["conversion_factor"] and draw.random() < 0.7:
            ratio = float(true["conversion_factor"]) / float(other["conversion_factor"])
        given = f"{value * ratio * draw.choice([1, 1, 1.0005, 1.01]):.9f} {other['property_unit']}"
        wanted = f"{value} {true['property_unit']}"
        assert same_number(given, wanted) == recount(given, wanted), (given, wanted)
        right += recount(given, wanted)
    assert 50 < right < 180


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("La2-xSrxCuO4 (x=0.15)", "La1.85Sr0.15CuO4"), ("La(2-x)SrxCuO4 (x = 0.15) crystals", "La1.85Sr0.15CuO4"),
        ("YBa2Cu3O7 thin films", "YBa2Cu3O7"), ("YBa2Cu3 O7−δ", "YBa2Cu3O7"), ("YBa2Cu3O7-δ (δ=0.07)", "YBa2Cu3O6.93"),
        ("Ba1-xKxFe2As2 (x=0.4)", "Ba0.6K0.4Fe2As2"), ("La2-x-ySrxNdyCuO4 (x=0.15, y=0.4)", None),
        ("Er1Ba2Cu3Ox", "ErBa2Cu3O"),
        ("(Sr,Ca)14Cu24O41", "Sr7Ca7Cu24O41"), ("La2-xSrxCuO4", None), ("sample A", None), ("", None),
    ],
)  # fmt: skip
def test_materials_are_resolved_as_the_published_scorer_does(text: str, formula: str | None) -> None:
    amounts = (
        None if formula is None else {str(k): v for k, v in Composition(formula).get_el_amt_dict().items()}
    )
    assert resolved(text) == (amounts if amounts is None else pytest.approx(amounts))
    assert formula is None or same_composition(text, formula)


def test_all_properties_are_asked_and_found_by_each_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "R1.pdf").write_bytes(b"%PDF-1.4")
    name = "*crystal structure, symmetry"
    row = {"material": "MgB2", "property_name": name, "property_value": "7", "rubric": "exact_match"}
    (sample,) = items.adopt([{"refno": "R1", "ground_truth": [row]}], {"papers": str(tmp_path)})
    assert len(properties()) == 97
    for each in properties():
        assert f"`{each.name}`" in sample.brief.prompt
        assert find(each.name) is each and (not each.also or find(each.also) is each)
    for part in ("qualifier", "method", "conditions", "evidence"):
        assert part in sample.brief.prompt
    (truth,) = sample.truth["rows"]
    assert truth["value"] == "hexagonal" and "crystal structure, symmetry" in truth["also"]


@at_hand
def test_every_column_of_the_published_set_is_asked_for_with_its_rule() -> None:
    with (PUBLISHED / "rubric_5.csv").open(encoding="utf-8") as file:
        columns = list(csv.DictReader(file))
    assert len(columns) == 97
    for column in columns:
        found = find(column["property_name"])
        assert found is not None and items.RULES[column["rubric"].casefold()] == found.rule


def test_a_run_of_digits_is_read_at_once() -> None:
    """In the published pattern every way to cut it is tried: ten minutes for these."""
    assert len(candidates("1" * 100 + " " + "2" * 3_000)) == 1
    assert candidates("5-3 x 10^2 K") == ((-300.0, "K"), (5.0, ""))


def test_space_groups_are_those_of_the_international_tables() -> None:
    assert len(numbers()) == 600 and set(numbers().values()) == set(range(1, 231))
    symbols = {re.sub("[_ ]", "", SpaceGroup.from_int_number(n).symbol).lower(): n for n in range(1, 231)}
    unknown = symbols.keys() - numbers().keys()
    assert unknown == {
        "aem2",
        "aea2",
        "cmce",
        "cmme",
        "ccce",
    }  # the published table is older than glide planes e
    assert all(numbers()[symbol] == number for symbol, number in symbols.items() if symbol not in unknown)
    for said, true in (("P63mc", "P6<3>mc"), ("I41/acd", "I4<1>/acd"), ("P121/c1", "P 1 1 2<1>/b")):
        assert same_number_of_group(said, true)
    assert same_group("P63mc", "P6<3>mc") and not same_number_of_group("tetragonal I4/mmm", "I4/mmm")


def test_codes_have_words_and_other_values_stay() -> None:
    assert decoded("shape", "3") == "single crystal (bulk)" and decoded("shape", "4.0") == "film"
    assert decoded("shape", "9") == "9" and decoded("shape", "film") == "film"
    assert decoded("Debye temperature", "3") == "3"


def test_an_ampere_is_an_angstrom_where_the_property_is_a_length() -> None:
    for name, unit, said, right in (
        ("lattice constant a", "A", "3.779 Å", True),
        ("lattice constant a", "Å", "3.779 A", True),
        ("coherence length at 0 K for single crystal for H //ab-plane", "A", "0.3779 nm", True),
        ("Jc at 4.2 K, H = 0 T", "A", "3.779 Å", False),
        ("Jc at 4.2 K, H = 0 T", "A", "3779 mA", True),
    ):
        truth = Truth(name, "numeric", "MgB2", "3.779", unit)
        assert strict.same_value(truth, Predicted(name, "MgB2", said), 0.001) is right, (name, said)


def test_a_unit_in_doubt_is_equal_to_itself_alone() -> None:
    truth = Truth("magnetic moment per formula", "numeric", "CeRu2", "2.1", "uB/Ce")
    for said, right in (("2.1 uB/Ce", True), ("2.1 uB/Ru", False), ("2.1 μB", False), ("2.2 uB/Ce", False)):
        assert strict.same_value(truth, Predicted(truth.name, "CeRu2", said), 0.001) is right, said
