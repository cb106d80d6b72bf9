"""Compositions and space groups in the writing of papers; a text without one gives its reason, no other material."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_papers.materials.comparing import compare_formulas
from labrig_papers.materials.formulas import REASONS, normalize_formula
from labrig_papers.materials.space_groups import normalize_space_group
from support.places import DATA

SUPERMAT = DATA / "supermat" / "sample_300.csv"
BY_HAND = Path(__file__).with_name("read_by_hand.csv")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("La_{2−x}Sr_{x}CuO_{4} with x=0.15", "La1.85Sr0.15CuO4"),
        ("La₂₋ₓSrₓCuO₄ x=0.15", "La1.85Sr0.15CuO4"),
        (r"$\mathrm{La}_{1.85}\mathrm{Sr}_{0.15}\mathrm{CuO}_4$", "La1.85Sr0.15CuO4"),
        ("(La0.925Sr0.075)2CuO4", "La1.85Sr0.15CuO4"),
        ("YBa2Cu3O7-δ, δ = 0.07", "YBa2Cu3O6.93"),
        ("YBCO 6.57", "YBa2Cu3O6.57"),
        ("Na0.35CoO2·1.3H2O", "Na0.35CoO3.3H2.6"),
        ("MgSO4 7H2O", "MgSO11H14"),  # as the labels of jars have it
        ("CaCl2 x 2 H2O", "CaCl2H4O2"),
        ("(TMTSF)2PF6", "C20H24Se8PF6"),  # pymatgen: M2PH4S2F8
        ("κ-(BEDT-TTF)2Cu(NCS)2", "C22H16S18CuN2"),
        ("2H-NbSe2 single crystal", "NbSe2"),
        ("NbN thin film on SrTiO3 substrate", "NbN"),
        ("La2-xSrxCuO4 x=0", "La2CuO4"),
        ("Ba(Fe0.92Co0.08)2As2", "BaFe1.84Co0.16As2"),
        ("K3C60", "K3C60"),
        ("D2S", "H2S"),
        ("Mg^{11}B_{2}", "MgB2"),
        ("niobium", "Nb"),
        ("Mercury", "Hg"),
        ("Indium film", "In"),
        ("1T′-WTe2", "WTe2"),
        ("oxygen-deficient SmFeAsO0.85", "SmFeAsO0.85"),
        ("hydrogen-rich LaH10", "LaH10"),
    ],
)
def test_compositions(text: str, formula: str) -> None:
    read = normalize_formula(text)
    assert (read.status, read.formula) == ("resolved", formula), read


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("La2-xSrxCuO4", "variable_without_value"),
        ("La2-xSrxCuO4, 0 < x < 0.3", "variable_bounded"),
        ("LSCO", "variable_without_value"),
        ("BSCCO", "ambiguous_name"),
        ("Mg11B2", "isotope_or_amount"),  # pymatgen: Mg11
        ("YBa2Cu3O72d", "lost_sign"),
        ("YBa2Cu3O72δ", "lost_sign"),
        ("Bi2Sr2Cu06", "zero_for_oxygen"),
        ("Nb-Ti", "alloy_without_amounts"),
        ("Ce(O,F)BiS2", "occupancy_without_amounts"),
        ("Zn-doped YBCO", "dopant_without_amount"),
        ("1% Zn-SLCO", "dopant_without_amount"),
        ("REBa2Cu3O7", "placeholder"),
        ("PBCP", "unknown_acronym"),
        ("x = 0.15", "label_only"),
        ("0.15", "label_only"),
        ("Sr x = 0.14", "label_only"),
        ("pure crystals", "no_formula"),
        ("C1/0", "unreadable"),
        ("Sample B1", "label_only"),
        ("Samples without La", "not_the_sample"),
        ("F-substitution of 5 at%", "no_formula"),
        ("cobalt-doped LaOFeAs", "dopant_without_amount"),
        ("potassium-doped C60", "dopant_without_amount"),
        ("oxygen deficient SmFeAsO", "deviation_without_amount"),
        ("oxygen-deficient SmFeAsO1-δ", "deviation_without_amount"),
        ("Fe-rich FeSe", "deviation_without_amount"),
        ("FeSe 1Àx", "lost_sign"),
        ("iron pnictides", "not_the_sample"),
        ("mercury cuprate", "not_the_sample"),
        ("grown in Al2O3 crucibles", "not_the_sample"),
        ("La2-xSrxCuO4 with x = 2.5", "negative_amount"),
        ("La2CuO4 and MgB2", "several_materials"),
        ("As Fe2", "word_or_element"),
    ],
)
def test_what_has_no_composition_says_why(text: str, reason: str) -> None:
    read = normalize_formula(text)
    assert (read.status, read.reason, read.formula) == ("unresolved", reason, ""), read
    assert REASONS[reason] in read.why


def test_what_is_assumed_is_said() -> None:
    read = normalize_formula("YBa_{2}Cu_{3}O_{7−δ}")
    assert (read.status, read.formula) == ("nominal", "YBa2Cu3O7")
    assert read.assumptions == ("δ = 0: no value is given",)
    assert normalize_formula("RE-123 (RE=Gd)").formula == "GdBa2Cu3O7"
    assert normalize_formula("YBa2Cu3O7-δ", {"δ": 0.07}).status == "resolved"


def test_a_label_takes_its_formula_and_a_formula_its_variable_from_the_sentence() -> None:
    label = normalize_formula("x = 0.15", context="The La2-xSrxCuO4 crystals were grown by floating zone")
    assert (label.status, label.formula) == ("nominal", "La1.85Sr0.15CuO4")
    formula = normalize_formula("La2-xSrxCuO4", context="Samples with x = 0.15 were studied")
    assert (formula.status, formula.formula) == ("nominal", "La1.85Sr0.15CuO4")
    several = normalize_formula("La2-xSrxCuO4", context="with x = 0.15 and 0.20")
    assert several.status == "unresolved" and len(several.alternatives) == 2
    own = normalize_formula("AOs2O6 (A = Cs, Rb, K)")
    assert (own.status, own.alternatives) == ("several", ("CsOs2O6", "RbOs2O6", "KOs2O6"))


def test_isotopes_are_kept_apart_from_amounts() -> None:
    assert normalize_formula("D2S").isotopes == {"H": 2}
    assert normalize_formula("Mg^{11}B_{2}").isotopes == {"B": 11}


@pytest.mark.parametrize("text", ["", " ", "x" * 500])
def test_formulas_that_are_refused(text: str) -> None:
    with pytest.raises(LabrigError):
        normalize_formula(text)
    with pytest.raises(LabrigError):
        normalize_formula("La2-xSrxCuO4", {"x": float("nan")})


@pytest.mark.parametrize(
    ("first", "second", "same", "deviation"),
    [
        ("YBa2Cu3O6.93", "YBa2Cu3O7", False, 0.07),
        ("YBa2Cu3O6.5", "YBa2Cu3O7", False, 0.5),
        ("La1.85Sr0.15CuO4", "La1.84Sr0.16CuO4", False, 0.01),
        ("LaFeAsO0.9F0.1", "La2Fe2As2O1.8F0.2", True, 0.0),
        ("(La0.925Sr0.075)2CuO4", "CuLa1.85O4Sr0.15", True, 0.0),
        ("D2S", "H2S", False, 0.0),
        ("La2CuO4", "La1.9Sr0.1CuO4", False, 0.1),
    ],
)
def test_comparing(first: str, second: str, same: bool, deviation: float) -> None:
    compared = compare_formulas(first, second)
    assert (compared.same, compared.max_deviation) == (same, deviation)
    assert compare_formulas(second, first).same == same


def test_an_unresolved_formula_is_equal_to_none() -> None:
    compared = compare_formulas("La2-xSrxCuO4", "La2-xSrxCuO4")
    assert not compared.same and "x" in compared.reason
    with pytest.raises(LabrigError):
        compare_formulas("MgB2", "MgB2", tolerance=float("nan"))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("P6_{3}/mmc", 194), ("P 63/mmc", 194), ("P6₃/mmc", 194), ("P21/c", 14), ("P2_1/n", 14),
        ("Fm3m", 225), ("Fm¯3m", 225), ("Fm3¯m", 225), (r"$Fm\overline{3}m$", 225), ("Fm−3m", 225), ("F m -3 m", 225),
        ("Cmca", 64), ("Cmce", 64), ("Bmab", 64), ("Abma", 64), ("139", 139), ("No. 139", 139),
        ("I4/mmm (No. 139)", 139), ("p6/mmm", 191), ("R-3m", 166), ("R-3mH", 166), ("R3m", 160), ("Pbnm", 62),
        ("I41/amd", 141), ("F4/mmm", 139), ("tetragonal P4/nmm", 129), ("P6 3 mc", 186), ("A2aa", 37), ("P42/mnm", 136),
        ("Im3m", 229), ("Pm3n", 223), ("P3121", 152), ("P312", 149),
    ],
)  # fmt: skip
def test_space_groups(text: str, number: int) -> None:
    assert normalize_space_group(text).number == number


@pytest.mark.parametrize(
    "text", ["P", "", "p", "231", "0", "I4/mmm (No. 140)", "Fm4m", "tetragonal", "x" * 300]
)
def test_what_is_no_space_group(text: str) -> None:
    with pytest.raises(LabrigError):
        normalize_space_group(text)


def test_space_groups_are_compared_by_number() -> None:
    for one, other, same in (("Pbnm", "Pnma", True), ("No. 64", "Bmab", True), ("R3m", "R-3m", False)):
        assert (normalize_space_group(one).number == normalize_space_group(other).number) is same


def test_every_short_symbol_is_its_own_number() -> None:
    for number in range(1, 231):
        group = normalize_space_group(str(number))
        for written in (group.symbol, group.symbol.replace("_", ""), group.symbol.replace("-", "−")):
            assert normalize_space_group(written).number == number, written


ELEMENTS = st.lists(
    st.sampled_from(["La", "Sr", "Cu", "O", "Ba", "Fe", "As", "Nb", "Bi", "Ca", "K", "F", "Y", "Se", "In"]),
    min_size=1,
    max_size=5,
    unique=True,
)
AMOUNTS = st.integers(1, 1200).map(lambda hundredths: hundredths / 100)


@given(elements=ELEMENTS, data=st.data(), form=st.sampled_from(["{}{}", "{}_{{{}}}", "{} {} ", "{}_{}"]))
def test_a_printed_composition_is_read_back(elements: list[str], data: st.DataObject, form: str) -> None:
    amounts = {element: data.draw(AMOUNTS) for element in elements}
    read = normalize_formula(
        "".join(form.format(element, f"{amount:g}") for element, amount in amounts.items())
    )
    if read.reason in ("isotope_or_amount", "word_or_element"):
        return
    assert read.status == "resolved" and dict(read.composition) == pytest.approx(amounts)


@given(st.text(max_size=40))
def test_any_text_has_a_composition_or_a_reason(text: str) -> None:
    try:
        read = normalize_formula(text)
    except LabrigError:
        return
    assert bool(read.formula) == (read.status in ("resolved", "nominal")) and (
        read.formula or read.reason in REASONS
    )


@pytest.mark.skipif(not SUPERMAT.is_file(), reason="shared/data/supermat is not at hand")
def test_material_strings_of_supermat() -> None:
    with SUPERMAT.open(encoding="utf-8") as file:
        texts = [row["material"].strip() for row in csv.DictReader(file) if row["material"].strip()]
    read = [normalize_formula(text) for text in texts]
    naming = [each for each in read if each.reason not in ("label_only", "no_formula")]
    resolved = [each for each in naming if each.status != "unresolved"]
    assert (len(read), len(naming)) == (279, 230)  # the others are labels such as "x = 0.10", "pure crystals"
    assert len(resolved) / len(naming) >= 0.70
    assert all(each.reason in REASONS for each in read if each.status == "unresolved")


def test_strings_read_by_hand() -> None:
    """Strings as annotators of SuperMat found them (Apache-2.0), with what each is, by hand."""
    with BY_HAND.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 100
    for row in rows:
        read = normalize_formula(row["material"])
        said = read.reason if read.status == "unresolved" else read.formula or "; ".join(read.alternatives)
        assert (read.status, said) == (row["status"], row["formula_or_reason"]), row["material"]
