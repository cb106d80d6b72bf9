"""Quantities in marked text: all of them, with sentence, formula, standing and competing values."""

from __future__ import annotations

import math

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
        assert each.value is not None and each.value.si()[0] == pytest.approx(si, rel=1e-9, abs=0)
        assert PAGE[each.start : each.end] == each.text and each.text in each.quote


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("J_{c} reaches 1.2 × 10^{6} A/cm^{2} at 4.2 K and 1 T.", {"temperature": "4.2 K", "field": "1 T"}),
        ("J_{c}(77 K, 0 T) = 3 MA/cm^{2} here.", {"temperature": "77 K", "field": "0 T"}),
        ("J_{c} = 2 MA/cm^{2} (20 K, 5 T) in films.", {"temperature": "20 K", "field": "5 T"}),
        ("J_{c} = 1.2 MA/cm^{2} at 4.2 K in zero field, and more.", {"temperature": "4.2 K", "field": "0 T"}),
        ("J_{c} = 1.2 MA/cm^{2}, while ρ is 5 μΩ cm at 300 K.", {}),
        ("At 4.2 K in a field of 1 T, J_{c} is 3 MA/cm^{2}.", {"temperature": "4.2 K", "field": "1 T"}),
        ("The onset is at 39 K, and J_{c} = 3 MA/cm^{2} was found.", {}),
        ("J_{c} is 3 MA/cm^{2} (H ∥ c) at 2 K.", {"temperature": "2 K", "orientation": "c"}),
        ("At room temperature J_{c} is 3 MA/cm^{2}.", {"temperature": "room temperature"}),
    ],
)
def test_a_critical_current_has_its_conditions(text: str, conditions: dict[str, str]) -> None:
    (found,) = [each for each in find_quantities([text]) if each.name == "critical_current_density"]
    assert found.conditions == conditions


def test_what_stands_for_a_temperature_is_one() -> None:
    found = find_quantities(
        ["H_{c2}(0) = 54 T, ξ_{ab}(0) is 2.5 nm, J_{c}(0) = 3 MA/cm^{2} and S(300 K) = 12 μV/K."]
    )
    told = {each.name: each.conditions.get("temperature") for each in found if each.name}
    assert told == {
        "upper_critical_field": "0 K", "coherence_length": "0 K", "critical_current_density": None,
        "thermopower": "300 K",
    }  # fmt: skip


def test_the_temperature_of_a_gap_is_no_gap() -> None:
    found = find_quantities(["The energy gap is 1.5 meV at 2 K, and Δ_{0} = 20 K was found below 4 K."])
    assert [(each.text, each.name) for each in found] == [
        ("1.5 meV", "energy_gap"), ("2 K", ""), ("20 K", "energy_gap"), ("below 4 K", ""),
    ]  # fmt: skip


def test_what_is_no_value_of_the_quantity_named_before() -> None:
    text = (
        "The irreversibility field is 8.5 T, J_{c} = 3 MA/cm^{2} at 5 K and 3 T, T_{c} is 26 K, 10 K higher."
    )
    named = {each.text: each.name for each in find_quantities([text])}
    assert named["8.5 T"] == "irreversibility_field" and named["3 T"] == ""
    assert named["26 K"] == "critical_temperature" and named["10 K"] == ""


def test_sides_of_a_sample_are_no_volume() -> None:
    (found,) = find_quantities(["The crystal measured 2 × 1 × 0.1 mm^{3} in all."])
    assert (found.text, found.value) == ("2 × 1 × 0.1 mm^{3}", None) and "sides" in found.problem
    (power,) = find_quantities(["It was 2 × 10^{3} mm^{3} in all."])
    assert power.value is not None and power.value.si() == pytest.approx((2e-6,))


def test_a_mark_between_a_number_and_its_unit() -> None:
    value = read_cell("738^{a} S/cm", "σ")
    assert value is not None and (value.value, value.unit.dimension) == (738, "conductivity")
    power = read_cell("10^{5} S/cm", "σ")
    assert power is not None and power.value == 1e5


def test_a_formula_is_read_to_its_end() -> None:
    far = (
        "T_{c} = 37.8 K. "
        + "The sample was cut and polished. " * 12
        + "It is of La_{1.85}Sr_{0.15}CuO_{4} here."
    )
    for length in range(340, 420):
        text = far[:16] + far[-length:]
        (found,) = find_quantities([text])
        assert set(found.formulas) <= {"La_{1.85}Sr_{0.15}CuO_{4}"}


def test_a_condition_is_none_of_a_value_of_its_own_kind() -> None:
    values = find_quantities(
        ["In a field of 9 T, T_{c} is 3.1 K. T_{c} = 39 K at 1.5 GPa and 30 K at 4 GPa."]
    )
    found = {each.text: each.conditions for each in values if each.name == "critical_temperature"}
    assert found == {
        "3.1 K": {"field": "9 T"},
        "39 K": {"pressure": "1.5 GPa"},
        "30 K": {"pressure": "4 GPa"},
    }


def test_what_goes_from_one_value_to_another_is_no_range() -> None:
    def read(text: str) -> list[tuple[float, ...]]:
        return [each.value.si() for each in find_quantities([text]) if each.value is not None]

    assert read("T_{c} rises from 24.1 to 26.3 K with pressure.") == [(24.1,), (26.3,)]
    assert read("which lowers T_{c} from 39 to 35 K.") == [(39,), (35,)]
    assert read("T_{c} ranges from 24.1 to 26.3 K in the batch.") == [(24.1, 26.3)]
    assert read("T_{c} varies from 24.1 K to 26.3 K.") == [(24.1, 26.3)]
    assert read("T_{c} was suppressed by pressure from 9.2 K to 4.5 K.") == [(9.2,), (4.5,)]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("The salinity was 35.2 psx at the surface.", "35.2 psx"),
        ("a flux density of 3.1 mJy/beam was seen", "3.1 mJy/beam"),
        ("a growth of 0.5 ± 0.1 ML on it", "0.5 ± 0.1 ML"),
        ("with 10 ppm of water", "10 ppm"),
        ("a noise of 2 K m^{1/3} in it", "2 K"),
    ],
)
def test_a_value_in_a_unit_that_is_not_known_is_said(text: str, printed: str) -> None:
    (found,) = find_quantities([text])
    assert (found.text, found.value) == (printed, None)
    assert "not known" in found.problem or "'ppm' is not used" in found.problem


@pytest.mark.parametrize(
    "text",
    [
        "A value of 2.5 times that of Ref. 3 and of 1.5 higher.",
        "with x = 0.15 Sr, a ratio of 3.2 in all, and a factor of 1.7 for films",
        "version 2.1 was 3.5 Tm",
        "samples of 12 mice",
    ],
)
def test_a_word_behind_a_number_is_no_unit(text: str) -> None:
    assert find_quantities([text]) == ()


@pytest.mark.parametrize(
    ("text", "name", "si"),
    [
        ("The figure of merit reaches ZT = 1.32(5)", "figure_of_merit", 1.32),
        ("a peak zT of 2.6", "figure_of_merit", 2.6),
        ("The Seebeck coefficient is −210 μV/K", "thermopower", -2.1e-4),
        ("a power factor of 10.1 μW cm^{−1} K^{−2}", "power_factor", 1.01e-3),
        ("κ_{lat} = 0.34 W/mK", "thermal_conductivity", 0.34),  # nobody prints a watt per millikelvin
        ("an electrical conductivity of 1.1 × 10^{3} S/cm", "electrical_conductivity", 1.1e5),
        ("the Lorenz number is 1.6 × 10^{−8} W Ω K^{−2}", "lorenz_number", 1.6e-8),
        ("a discharge capacity of 175 mAh/g", "specific_capacity", 6.3e5),
        ("a BET surface area of 31.5 m^{2}/g", "surface_area", 31_500),
        ("a practical salinity of 35.2 psu", "salinity", 35.2),
        ("ordered moment 0.87(5) μ_{B} per Fe", "magnetic_moment", 0.87 * 9.2740100657e-24),
        ("yields μ_{eff} = 2.83(2) μ_{B}/Ni", "magnetic_moment", 2.83 * 9.2740100657e-24),
        ("the Coulomb pseudopotential μ^{*} = 0.13", "coulomb_pseudopotential", 0.13),
        ("T_{c} increased at a rate of 1.5 K/GPa", "tc_by_pressure", 1.5e-9),
        ("The coercivity was H_{c} = 1.2 kOe", "coercivity", 0.12),
        ("an exciton binding energy of 15 meV", "binding_energy", 2.403264951e-21),
        ("A = 0.0032 μΩ cm K^{−2}", "", 3.2e-11),
        ("a sheet resistance of 250 Ω/sq", "sheet_resistance", 250),
        ("a thermal expansion coefficient of 12 ppm/K", "thermal_expansion", 12e-6),
        ("The Curie temperature is T_{C} = 627 K", "curie_temperature", 627),
        ("κ/T = 0.5 mW K^{−2} cm^{−1}", "", 0.05),
        ("exceeds the Pauli limit of 1.84 T_{c} = 5.2 T", "pauli_limit", 5.2),
        ("a carrier density of 5 × 10^{14}/cm^{3}", "carrier_density", 5e20),
        ("a thermal expansion of 12.3 × 10^{−6}/K", "thermal_expansion", 12.3e-6),
        ("a fracture toughness of 4.5 MPa m^{1/2}", "fracture_toughness", 4.5e6),  # and no megapascal
        ("a fracture toughness of 3.2 MPa·√m", "fracture_toughness", 3.2e6),
        ("a Rashba parameter of 0.3 eV Å", "rashba_parameter", 0.3 * 1.602176634e-29),  # and no electronvolt
        ("a coercive field of 12.5 kOe", "coercivity", 1.25),
    ],
)
def test_quantities_of_other_materials(text: str, name: str, si: float) -> None:
    (found,) = find_quantities([text])
    assert found.value is not None and found.value.unit.dimension != "other"
    assert (found.name, found.value.si()[0]) == (name, pytest.approx(si, rel=1e-9, abs=0))


def test_what_an_agent_needs_to_choose() -> None:
    by_text = {each.text: each for each in find_quantities([PAGE])}
    best = by_text["36.9(2) K"]
    assert best.name == "critical_temperature" and best.formulas[0] == "La_{1.85}Sr_{0.15}CuO_{4}"
    assert best.quote == PAGE.split(". ")[1].strip() + "." or best.quote.startswith(
        "The superconducting transition"
    )
    assert best.competing[0].startswith("≈ 36 K (La_{1.85}Sr_{0.15}CuO_{4}, p. 1, measured)")
    assert any(each.startswith("∼ 35 K (") and each.endswith("p. 1, cited)") for each in best.competing)
    assert (by_text["≈ 36 K"].value.qualifier, best.standing) == ("~", "measured")  # type: ignore[union-attr]
    assert (by_text["∼ 35 K"].standing, by_text["∼ 35 K"].citations) == ("cited", ("[1]", "[2]"))
    assert by_text["54 T"].standing == "calculated"
    assert by_text["4.3 ± 0.2"].name == "gap_ratio"


@pytest.mark.parametrize(
    ("sentence", "standings"),
    [
        ("We find T_{c} = 36.9 K, while Smith et al. reported 35.2 K [4].", ["measured", "cited"]),
        ("Earlier workers reported 35 K for films, but only 30 K for powders.", ["cited", "cited"]),
        ("Calculations predict 41 K, whereas we find 36 K.", ["calculated", "measured"]),
        ("The jump ∆C/γT_{c} = 1.08 lies well below the BCS value 1.43.", ["measured", "calculated"]),
        ("From dH_{c2}/dT = 2.1 T/K we obtain 53.5 T in the WHH model.", ["measured", "calculated"]),
        ("J_{c} reaches 1.2 × 10^{6} A/cm^{2} at 4.2 K.", ["measured", "measured"]),  # a power is no citation
        ("J_{c} along [001] direction is 2 × 10^{5} A/cm^{2}.", ["measured"]),
        ("The samples^{3,4} have T_{c} = 12 K.", ["cited"]),
        ("A re-measurement gave 36.7 K.\n\n[1] J. Doe, J. Phys. 1, 1 (1990).", ["measured"]),
        ("T_{c} = 36.9 K compares well with the highest reported for films.", ["measured"]),
    ],
)
def test_each_value_of_a_sentence_has_its_own_standing(sentence: str, standings: list[str]) -> None:
    assert [each.standing for each in find_quantities([sentence])] == standings


@pytest.mark.parametrize(
    ("text", "name", "si"),
    [
        ("grown under 0.2 MPa O_{2}", "", 2e5),  # in, not below
        ("No superconductivity was observed in La_{2}CuO_{4} down to 0.35 K.", "lowest_temperature", 0.35),
        ("we obtain μ_{0}H^{∥c}_{c2}(0) = 53.5 T", "upper_critical_field", 53.5),
        ("Young’s modulus 150 GPa", "youngs_modulus", 150e9),
        ("with a = 10.2376 Å", "lattice_constant", 10.2376e-10),
        ("a Curie constant of 0.047 emu K/mol", "curie_constant", 0.047 * 4e-6 * math.pi),
        ("the gap ratio is 2∆(0)/k_{B}T_{c} = 4.3", "gap_ratio", 4.3),  # the 2 is no value
        ("The midpoint of the transition is 36.9 K", "critical_temperature", 36.9),
        ("H_{c2}^{ab}(0) = 18.5 T", "upper_critical_field", 18.5),
        ("x rays of the wavelength λ = 1.5406 Å", "", 1.5406e-10),
        ("Specific heat data at 10 K", "", 10),  # a temperature is no heat
        ("a transition of the width of 0.2 K", "transition_width", 0.2),
        ("a value of −4.7 × 10^{−5} emu/mol for χ_{0}", "susceptibility_constant", -4.7e-5 * 4e-6 * math.pi),
    ],
)
def test_a_value_has_the_name_that_the_text_gives_it(text: str, name: str, si: float) -> None:
    (found,) = find_quantities([text])
    assert found.value is not None and found.value.qualifier == "="
    assert (found.name, found.value.si()[0]) == (name, pytest.approx(si, rel=1e-9, abs=0))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("measured from 1.8 K–300 K in air", [(1.8, 300)]),  # no temperature of -300 K
        ("T_{c} = 39.2 K ± 0.3 K", [(39.2,)]),
        ("at temperatures of 4.2, 10, and 20 K", [(4.2,), (10,), (20,)]),
        ("with a = 3.086 and c = 3.524 Å", [(3.086e-10,), (3.524e-10,)]),
        ("2∆/k_{B}T_{c} ≈ 3.5–4.2", [(3.5, 4.2)]),
        ("n = 1.7 × 10^{22} holes/cm^{3}", [(1.7e28,)]),
        ("grown in 1995, 12 K below", [(12,)]),
        ("velocities of 50–80 cm s^{−1}", [(0.5, 0.8)]),  # the minus of the power parts no range
        ("du 3 au 5 mai", []),
        ("for x = 0.15, 36.9 K was found", [(36.9,)]),
    ],
)
def test_lists_ranges_and_units_that_are_printed_twice(text: str, values: list[tuple[float, ...]]) -> None:
    found = [each.value.si() for each in find_quantities([text]) if each.value is not None]
    assert found == [pytest.approx(each, rel=1e-9, abs=0) for each in values]


def test_what_the_words_round_a_value_state_goes_with_it() -> None:
    text = (
        "T^{onset}_{c} = 37.8 K and zero resistance is reached at 36.2 K. "
        "H_{c2} = 53 T for H ∥ c and 210 T for H ∥ ab."
    )
    told = [dict(each.conditions) for each in find_quantities([text])]
    assert told == [
        {"criterion": "onset"},
        {"criterion": "zero"},
        {"orientation": "c"},
        {"orientation": "ab"},
    ]


def test_a_change_is_no_value_and_an_energy_no_temperature() -> None:
    names = [
        each.name for each in find_quantities(["T_{c} increases by 1.5 K.", "T_{c} and a gap of 68 μeV."])
    ]
    assert names == ["", "energy_gap"]


@pytest.mark.parametrize(
    ("text", "unit", "problem"),
    [
        ("the gas constant (8.3147 J mol^{−1} K^{−1}), and", "J mol^-1 K^-1", ""),
        ("the Faraday constant (96,493.5 C/mol), A", "C mol^-1", ""),
        ("the Faraday constant (96493.5 J V^{−1} eq^{−1})", "", "eq^{-1"),
        ("a concentration of 1 mmol/kgw in water", "", "/kgw"),
        ("10 K A third sample", "K", ""),
        ("10 K. A third sample", "K", ""),
        ("a viscosity of 100mPa.s at", "mPa s", ""),
        ("ran at 3.59 m.s^{−1} uphill", "m s^-1", ""),
        ("an uptake of 50 ml.kg^{−1}.min^{−1} was", "mL kg^-1 min^-1", ""),
        ("a pressure of 0.006 kg/cm^{2}.g of hydrogen", "kg cm^-2", ""),
        ("at 13 au from the Sun", "AU", ""),
        ("after 3 months and more", "month", ""),
        ("at 30 kilometers per hour there", "kilometre h^-1", ""),
        ("on 6 days per week", "day", ""),
        ("a wind of 12.5 knots", "knot", ""),
        ("a generator of 1,200MVA", "MVA", ""),
        ("4.35 light years away", "light years", ""),
    ],
)
def test_a_unit_is_read_to_its_end_or_not_at_all(text: str, unit: str, problem: str) -> None:
    (found,) = scan(text)
    assert (found.value.unit.canonical if found.value else "") == unit and problem in found.problem


def test_a_number_has_no_unit_of_another_line_or_cell() -> None:
    assert list(scan("0\t20\t40\t60\nT (K)")) == []
    assert list(scan("MgB_{2}\t38.6\tT")) == []
    assert [each.text for each in scan("a transition at 38.6\nK in zero field")] == ["38.6\nK"]


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
        ("36.9(2)^{a}", "T_{c} (K)", 36.9),
        ("36.9^{12}", "T_{c} (K)", 36.9),
        ("36.9 [12,13]", "T_{c} / K", 36.9),
        ("36.9 K^{12}", "T_{c}", 36.9),
        ("7.33 g/cm^{3}", "d", 7330),  # no reference, an exponent
        ("7.33^{a} g/cm^{3}", "d", 7330),
        ("2.64 mJ/mol K^{2}", "γ", 2.64e-3),
        ("1.2 × 10^{6} A/cm^{2}", "J_{c}", 1.2e10),
        ("49^{a}%", "f_{M}", 0.49),
        ("2.5×10^{3}", "ρ (Ω cm)", 25),
        ("5.1*", "a, Å", 5.1e-10),
        ("7.2", "T_{c} (±0.1 K)", 7.2),
        ("2.5", "ρ × 10^{6} (Ω cm)", None),  # to be multiplied, or was it?
        ("1.2", "10^{4} χ (emu/(mol Oe))", None),
        ("0.90 KCl", "", None),
        ("4.2", "T", 4.2),  # a bare number: a variable is no tesla
        ("–", "T_{c} (K)", None),
        ("non-SC", "T_{c} (K)", None),
        ("flux", "Method", None),
    ],
)
def test_cells_take_the_unit_of_their_head(cell: str, head: str, si: float | None) -> None:
    value = read_cell(cell, head)
    assert (None if value is None else pytest.approx(value.si()[0], rel=1e-9, abs=0)) == si


@given(st.text(alphabet="0123456789.−-–×^{}_() KTOeμΩcmÅ/%~<[],LaCu", max_size=120))
def test_any_text_is_scanned(text: str) -> None:
    for found in scan(text):
        assert text[found.start : found.end] == found.text


def test_a_range_that_begins_at_the_transition_is_no_transition() -> None:
    for text in ("The resistivity is linear for T_{c} < T <~ 240 K.", "a fit to the data (T_{c} ≤ T ≤ 15 K)"):
        assert [each.name for each in find_quantities([text])] == [""]
    assert [each.name for each in find_quantities(["It has T_{c} < 2 K."])] == ["critical_temperature"]
