"""Quantities in marked text: all of them, with sentence, formula, standing and competing values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_papers.quantities.cells import read_cell
from labrig_papers.quantities.finding import find_quantities
from labrig_papers.quantities.scanning import scan

PAGE = """We report single crystals of La_{1.85}Sr_{0.15}CuO_{4} (x = 0.15). The superconducting transition temperature
is T_{c} = 36.9(2) K from resistivity and T_{c} ≈ 36 K from susceptibility. Earlier workers reported T_{c} ∼ 35 K
for polycrystalline samples [1], and 40 K for thin films on SrLaAlO_{4} [2]. Powder diffraction shows I4/mmm at
room temperature (No. 139), with a = 3.7793(2) Å and c = 13.2260(8) ˚A. At room temperature ρ_{ab}(300 K) = 0.43 mΩ cm,
and just above T_{c} it falls to 7.6 × 10^{−5} Ω cm. The residual resistivity ratio is 5.7. The carrier density is
4.8 × 10^{21} cm^{−3} and J_{c} = 1.2 × 10^{6} A/cm^{2} at 4.2 K (see Fig. 3). The thermopower is −3.2 μV/K. We find
γ = 2.64(6) mJ/mol K^{2} and β = 0.123 mJ mol^{−1} K^{−4}. The gap ratio is 2Δ(0)/k_{B}T_{c} = 4.3 ± 0.2. The slope
−dH_{c2}/dT is 2.1 T/K, hence H_{c2}(0) = 54 T is expected from theory. Transitions between 1.4 and 3.5 K and of
2.2 and 2.6 GPa were seen; the 10–90% width is 1.1 K. Bi-2212 was bought in 1995. The moment is 1.73 μ_{B}/f.u."""

EXPECTED = [
    ("36.9(2) K", 36.9), ("≈ 36 K", 36), ("∼ 35 K", 35), ("40 K", 40), ("3.7793(2) Å", 3.7793e-10),
    ("13.2260(8) ˚A", 1.3226e-9), ("300 K", 300), ("0.43 mΩ cm", 4.3e-6), ("7.6 × 10^{−5} Ω cm", 7.6e-7), ("5.7", 5.7),
    ("4.8 × 10^{21} cm^{−3}", 4.8e27), ("1.2 × 10^{6} A/cm^{2}", 1.2e10), ("4.2 K", 4.2), ("−3.2 μV/K", -3.2e-6),
    ("2.64(6) mJ/mol K^{2}", 2.64e-3), ("0.123 mJ mol^{−1} K^{−4}", 1.23e-4), ("4.3 ± 0.2", 4.3), ("2.1 T/K", 2.1),
    ("54 T", 54), ("1.4", 1.4), ("3.5 K", 3.5), ("2.2", 2.2e9), ("2.6 GPa", 2.6e9), ("10–90%", 0.1), ("1.1 K", 1.1),
    ("1.73 μ_{B}/f.u.", 1.73 * 9.2740100657e-24),
]  # fmt: skip


def test_every_quantity_of_a_page_and_nothing_else() -> None:
    found = find_quantities([PAGE])
    assert [each.text for each in found] == [text for text, _ in EXPECTED]
    for each, (_, si) in zip(found, EXPECTED, strict=True):
        assert each.value is not None and each.value.si()[0] == pytest.approx(si)
        assert PAGE[each.start : each.end] == each.text and each.text in each.quote


def test_what_an_agent_needs_to_choose() -> None:
    by_text = {each.text: each for each in find_quantities([PAGE])}
    best = by_text["36.9(2) K"]
    assert best.name == "critical_temperature" and best.formulas[0] == "La_{1.85}Sr_{0.15}CuO_{4}"
    assert best.quote == PAGE.split(". ")[1].strip() + "." or best.quote.startswith(
        "The superconducting transition"
    )
    assert {"≈ 36 K (p. 1, measured)", "∼ 35 K (p. 1, cited)"} <= set(best.competing)
    assert (by_text["≈ 36 K"].value.qualifier, best.standing) == ("~", "measured")  # type: ignore[union-attr]
    assert (by_text["∼ 35 K"].standing, by_text["∼ 35 K"].citations) == ("cited", ("[1]", "[2]"))
    assert by_text["54 T"].standing == "calculated"
    assert by_text["4.3 ± 0.2"].name == "gap_ratio"


def test_a_lost_exponent_is_a_problem_and_no_value() -> None:
    (found,) = scan("J_{c} reaches 1.2 × 106 A/cm^{2} in zero field")
    assert found.value is None and "exponent" in found.problem


def test_by_dimension_and_by_quantity() -> None:
    assert [each.text for each in find_quantities([PAGE], dimension="magnetic_field")] == ["54 T"]
    assert len(find_quantities([PAGE, PAGE], dimension="current_density")) == 2
    with pytest.raises(LabrigError, match="dimension"):
        find_quantities([PAGE], dimension="heat")


@pytest.mark.parametrize(
    "text",
    ["La_{1.85}Sr_{0.15}CuO_{4}", "P6_{3}/mmc", "Fig. 3 A shows", "Bi-2212 K", "in 1995 we", "Ref. 12 K", "[12] K",
     "x = 0.15", "Table 2 T", "YBa_{2}Cu_{3}O_{7}"],
)  # fmt: skip
def test_what_is_no_quantity(text: str) -> None:
    assert list(scan(text)) == []


@pytest.mark.parametrize(
    ("cell", "head", "si"),
    [
        ("36.9(2)", "T_{c} (K)", 36.9),
        ("<1.8", "T_{c} (K)", 1.8),
        ("2.5×10^{3}", "ρ_{300} (μΩ cm)", 2.5e-5),
        ("1.90(5)", "γ (mJ/mol K^{2})", 1.9e-3),
        ("1.2", "J_{c} (10^{6} A/cm^{2})", 1.2e10),
        ("450 mK", "T_{c} (K)", 0.45),
        ("14.5", "μ_{0}H_{c2}(0) (T)", 14.5),
        ("–", "T_{c} (K)", None),
        ("non-SC", "T_{c} (K)", None),
        ("flux", "Method", None),
    ],
)
def test_cells_take_the_unit_of_their_head(cell: str, head: str, si: float | None) -> None:
    value = read_cell(cell, head)
    assert (None if value is None else pytest.approx(value.si()[0])) == si


@given(st.text(alphabet="0123456789.−-–×^{}_() KTOeμΩcmÅ/%~<[],LaCu", max_size=120))
def test_any_text_is_scanned(text: str) -> None:
    for found in scan(text):
        assert text[found.start : found.end] == found.text
