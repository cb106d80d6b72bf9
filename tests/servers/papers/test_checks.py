"""Checks of extracted values: what is the same, what contradicts physics, what an extraction must not hold."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_papers.checks.comparing import compare_values
from labrig_papers.checks.consistency import PHI0, check_consistency
from labrig_papers.checks.validating import validate_extraction


@pytest.mark.parametrize(
    ("value", "truth", "same"),
    [
        ("36.9 K", "36.9(2) K", True),
        ("36900 mK", "36.9 K", True),
        ("36.93 K", "36.9 K", True),
        ("37 K", "36.9 K", False),
        ("2.8 mK", "2.8 K", False),  # the public scorer gives full marks
        ("0.37793 nm", "3.7793 Å", True),  # the public scorer gives none
        ("1.2 kOe", "0.12 T", True),
        ("< 1.8 K", "1.8 K", False),
        ("< 1.8 K", "≤ 1.8 K", True),
        ("~ 36 K", "36 K", True),
        ("6.2-6.5 K", "6.2-6.5 K", True),
        ("6.2-6.9 K", "6.2-6.5 K", False),
        ("6.2 K", "6.2-6.5 K", False),
        ("1 K, 2 K, 36.9 K and 4 K", "36.9 K", False),  # a dump of all numbers
        ("36.9", "36.9 K", False),
        ("10 °C", "283.15 K", True),
        ("5 at.%", "5 wt.%", False),
        ("1.7 μ_{B}", "1.7 μ_{B}/f.u.", False),
        ("0 K", "0 K", True),
    ],
)
def test_comparing_values(value: str, truth: str, same: bool) -> None:
    compared = compare_values(value, truth)
    assert compared.same is same and bool(compared.reason) is not same


def test_comparing_with_a_unit_of_the_name_and_with_zero() -> None:
    assert compare_values("36.9", "36.9 K", unit="K").same
    assert "absolute" in compare_values("0.1 K", "0 K").reason
    assert compare_values("0.1 mK", "0 K", abs_tol=1e-3).same
    assert "mu0" in compare_values("1.2 kOe", "0.12 T").equivalence
    for tolerance in (-1, 2, math.nan):
        with pytest.raises(LabrigError):
            compare_values("1 K", "1 K", rel_tol=tolerance)


SOUND = {
    "LSCO": {
        "tc": "36.9 K",
        "hc2": "54 T",
        "xi": "2.47 nm",
        "lambda": "240 nm",
        "kappa": "97",
        "hc1": "12 mT",
    },
    "Nb": {
        "tc": "9.25 K",
        "hc2": "0.41 T",
        "hc1": "0.18 T",
        "gamma": "7.8 mJ/mol K2",
        "gap": "1.55 meV",
        "slope": "0.06 T/K",
    },
    "MgB2": {"tc": "39 K", "hc2": "16 T", "xi": "45 Å", "lambda": "1000 Å", "kappa": "22", "debye": "800 K"},
    "Al": {
        "tc": "1.18 K",
        "gamma": "1.35 mJ/mol K2",
        "delta_c": "2.28 mJ/mol K",
        "gap": "0.18 meV",
        "debye": "428 K",
    },
    "V3Si": {"tc": "17 K", "hc2": "23 T", "slope": "2.0 T/K", "xi": "3.8 nm"},
    "UPt3": {"tc": "530 mK", "gamma": "430 mJ/mol K2", "delta_c": "0.21 J/mol K"},
    "BaFe2As2:K": {"tc": "38 K", "gap_ratio": "7.5", "hc2": "70 T", "slope": "2.5 T/K"},
    "H3S": {"tc": "203 K", "hc2": "90 T", "xi": "1.9 nm"},
}


@pytest.mark.parametrize("name", SOUND)
def test_known_superconductors_are_not_flagged(name: str) -> None:
    assert [check for check in check_consistency(SOUND[name]) if check.verdict == "flagged"] == []


@pytest.mark.parametrize(
    ("name", "changed", "relation", "slip"),
    [
        ("LSCO", {"hc2": "54 kOe"}, "xi", "hc2: T and kOe"),
        ("LSCO", {"xi": "2.47 Å"}, "xi", "xi: nm and Å"),
        ("LSCO", {"hc1": "12 T", "hc2": "5.4 T", "xi": "7.8 nm"}, "Hc1", "hc1"),
        ("LSCO", {"kappa": "9.7"}, "kappa", ""),
        ("LSCO", {"tc": "36.9 mK"}, "Pauli", "tc: K and mK"),
        ("Nb", {"gap": "1.55 eV"}, "gap within", "gap: meV and eV"),
        ("Al", {"gamma": "1.35 J/mol K2"}, "dC", "gamma: mJ and J"),
        ("Al", {"delta_c": "2.28 J/mol K"}, "dC", "delta_c: mJ and J"),
        ("V3Si", {"slope": "2.0 kOe/K"}, "0.693", "slope: T/K and kOe/K"),
        ("V3Si", {"hc2": "2.3 T"}, "0.693", "hc2"),
        ("V3Si", {"hc1": "250 mT", "lambda": "140 nm", "xi": "6 nm"}, "ln kappa", ""),
        ("UPt3", {"tc": "530 K"}, "tc within", "tc: K and mK"),
        ("BaFe2As2:K", {"gap_ratio": "75"}, "gap_ratio within", ""),
    ],
)
def test_planted_slips_are_flagged(name: str, changed: dict[str, str], relation: str, slip: str) -> None:
    flagged = [check for check in check_consistency({**SOUND[name], **changed}) if check.verdict == "flagged"]
    about = [check for check in flagged if relation in check.relation]
    assert about, flagged
    assert slip in " ".join(text for check in about for text in check.slips)


def test_density_against_the_lattice() -> None:
    cell = {"a": "3.086 Å", "c": "3.524 Å", "density": "2.63 g/cm^{3}"}
    check = check_consistency(cell, "MgB2", 1, (90, 90, 120))[-1]
    assert check.verdict == "agrees" and check.ratio == pytest.approx(1.0, abs=0.01)
    nb = {"a": "3.3004 Å", "density": "8.57 g/cm^{3}"}
    check = check_consistency(nb, "Nb", 2)[-1]
    assert check.verdict == "agrees" and check.ratio == pytest.approx(1.0, abs=0.01)
    slipped = check_consistency({**nb, "density": "8.57 kg/m^{3}"}, "Nb", 2)
    assert any("density" in check.relation and check.verdict == "flagged" for check in slipped)


def test_sound_values_are_flagged_in_less_than_two_of_a_hundred() -> None:
    draw = random.Random(37)
    flagged = 0
    for _ in range(500):
        tc = 10 ** draw.uniform(0, 2)
        slope = 10 ** draw.uniform(-0.5, 0.6)
        hc2 = 0.693 * tc * slope * draw.uniform(0.7, 1.3)
        xi = math.sqrt(PHI0 / (2 * math.pi * hc2)) * draw.uniform(0.9, 1.1)
        kappa = 10 ** draw.uniform(0.7, 2)
        gamma = 10 ** draw.uniform(-3, -1.5)
        values = {
            "tc": f"{tc:.3g} K",
            "hc2": f"{hc2:.3g} T",
            "slope": f"{slope:.3g} T/K",
            "xi": f"{xi * 1e9:.3g} nm",
            "lambda": f"{kappa * xi * 1e9:.3g} nm",
            "kappa": f"{kappa:.3g}",
            "gamma": f"{gamma * 1e3:.3g} mJ/mol K2",
            "delta_c": f"{draw.uniform(0.9, 2.2) * gamma * tc * 1e3:.3g} mJ/mol K",
            "gap_ratio": f"{draw.uniform(3, 6):.2g}",
        }
        flagged += any(check.verdict == "flagged" for check in check_consistency(values))
    assert flagged / 500 < 0.02


def test_what_cannot_be_checked_is_said_or_refused() -> None:
    checks = {check.relation: check for check in check_consistency({"tc": "< 1.8 K"})}
    assert {check.verdict for check in checks.values()} == {"not_checked"}
    with pytest.raises(LabrigError, match="dimension"):
        check_consistency({"tc": "5 T"})
    with pytest.raises(LabrigError, match="hc3"):
        check_consistency({"hc3": "5 T"})
    with pytest.raises(LabrigError, match="Z is"):
        check_consistency({}, z=0)
    with pytest.raises(LabrigError, match="angles"):
        check_consistency({}, angles=(90, 90, 200))


QUOTE = "The superconducting transition temperature is T_{c} = 36.9(2) K from resistivity."


def _property(**changed: Any) -> dict[str, Any]:
    location = {"page": 1, "source_type": "text", "evidence": QUOTE}
    return {
        "material_or_system": "La1.85Sr0.15CuO4",
        "property_name": "T_c (of this sample) recommended",
        "category": "Superconductivity",
        "value_string": "36.9(2) K",
        "location": {**location, **changed.pop("location", {})},
        **changed,
    }


def _grounded(page: int, quote: str) -> tuple[str, int | None]:
    if quote == QUOTE:
        return ("exact", 1) if page == 1 else ("other_page", 1)
    return "not_found", None


def test_a_sound_extraction_has_no_findings() -> None:
    payload = {"properties": [_property(), _property(value_string="36.9 K", sample_label="B")]}
    assert validate_extraction(payload, 3, _grounded) == ()
    assert validate_extraction(json.dumps(payload), 3, _grounded) == ()


@pytest.mark.parametrize(
    ("named", "code", "fix"),
    [
        (["La1.85Sr0.15CuO4"], "", None),
        (["La2-xSrxCuO4"], "", None),  # without an amount nothing is held against it
        ([], "", None),
        (["Nd2CuO4", "La1.85Sr0.15CuO4"], "", None),
        (["URhGe"], "material_differs", "URhGe"),
        (["URhGe", "UGe2"], "material_not_in_quote", None),
    ],
)
def test_a_quote_of_another_material_is_seen(named: list[str], code: str, fix: str | None) -> None:
    payload = {"properties": [_property()]}
    found = validate_extraction(payload, 3, _grounded, None, lambda page, quote: named)
    assert [(each.code, each.fix) for each in found] == ([(code, fix)] if code else [])


def test_a_quote_that_stands_there_twice_is_taken() -> None:
    assert (
        validate_extraction({"properties": [_property()]}, 3, lambda page, quote: ("ambiguous", page)) == ()
    )


def test_a_range_stands_in_a_quote_by_its_ends() -> None:
    quote = "The transition lies between 4.2 and 4.6 K."
    assert (
        validate_extraction(
            {"properties": [_property(value_string="4.2-4.6 K", location={"evidence": quote})]}, 3
        )
        == ()
    )


@pytest.mark.parametrize(
    ("changed", "code", "fix"),
    [
        ({"value_string": "37 K"}, "value_not_in_quote", None),
        ({"value_string": "6.9 K"}, "value_not_in_quote", None),  # a part of 36.9 K
        ({"value_string": "36.9(2) mK"}, "unit_differs", "36.9(2) K"),
        ({"value_string": "36.9(2)"}, "unit_missing", None),
        (
            {
                "property_name": "J_c at 4.2 K H = 0 T",
                "value_string": "1.2 × 10^5 A/cm^2",
                "location": {"evidence": "J_{c} reaches 1.2 × 10^6 A/cm2."},
            },
            "value_differs",
            "1.2 × 10^6 A/cm2",
        ),
        (
            {"value_string": "-36.9(2) K", "location": {"evidence": "It is T_{c} = 36.9(2) K there."}},
            "value_differs",
            "36.9(2) K",
        ),
        ({"location": {"evidence": "Earlier workers reported T_{c} = 36.9(2) K [1]."}}, "cited_value", None),
        ({"value_string": "36.9(2) T"}, "unit_dimension", None),
        ({"value_string": "high"}, "value_unreadable", None),
        ({"value_string": "36.9 K and 36 K"}, "several_values", None),
        ({"property_name": "Tc"}, "name_not_canonical", "T_c (of this sample) recommended"),
        ({"property_name": "colour"}, "name_unknown", None),
        ({"category": "Structure"}, "category_wrong", "Superconductivity"),
        ({"material_or_system": "La2-xSrxCuO4"}, "formula_unresolved", None),
        ({"material_or_system": "YBa2Cu3O7-δ"}, "formula_generic", "YBa2Cu3O7"),
        ({"location": {"page": 9}}, "page_out_of_range", None),
        ({"location": {"page": "1"}}, "page_missing", 1),
        ({"location": {"page": 2}}, "quote_other_page", 1),
        ({"location": {"evidence": "An invented sentence says 36.9(2) K."}}, "quote_not_found", None),
        ({"location": {"evidence": ""}}, "quote_missing", None),
        ({"location": {"source_type": "abstract"}}, "wrong_source", None),
        ({"notes": 3}, "wrong_type", None),
        ({"confidence": 0.9}, "unknown_field", None),
    ],
)
def test_findings(changed: dict[str, Any], code: str, fix: str | int | None) -> None:
    findings = {
        each.code: each for each in validate_extraction({"properties": [_property(**changed)]}, 3, _grounded)
    }
    assert code in findings, findings
    assert findings[code].fix == fix


def test_space_groups_and_duplicates() -> None:
    quote = "Powder diffraction shows the tetragonal space group I4/mmm."
    group = _property(
        property_name="space group",
        category="Structure",
        value_string="tetragonal I4/mmm",
        location={"evidence": quote},
    )
    findings = validate_extraction({"properties": [group, group]}, 1)
    assert [
        (each.index, each.code, each.fix)
        for each in findings
        if each.severity == "error" and each.code != "value_not_in_quote"
    ] == [
        (0, "label_only", "I4/mmm"),
        (1, "label_only", "I4/mmm"),
        (1, "duplicate", 0),
    ]


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "no json",
        '{"properties": NaN}',
        "[]",
        "{}",
        '{"properties": {}}',
        "[" * 100_000,
        {"properties": [{}] * 2_001},
    ],
)
def test_payloads_that_are_refused(payload: Any) -> None:
    with pytest.raises(LabrigError):
        validate_extraction(payload, 1)


def test_odd_entries_are_findings() -> None:
    odd = [
        None,
        3,
        "x",
        [],
        {},
        {"property_name": "x" * 10**6, "value_string": "y" * 10**6, "location": {"page": True}},
    ]
    findings = validate_extraction({"properties": odd}, 1)
    assert {each.index for each in findings} == set(range(len(odd)))


def test_values_are_named_as_papers_name_them() -> None:
    values = {"Tc": "36.9 K", "μ_{0}H_{c2}(0)": "53.5 T", "coherence length": "24.8 nm", "dHc2/dT": "2.1 T/K"}
    plain = {"tc": "36.9 K", "hc2": "53.5 T", "xi": "24.8 nm", "slope": "2.1 T/K"}
    assert check_consistency(values) == check_consistency(plain)
    with pytest.raises(LabrigError, match="twice"):
        check_consistency({"Tc": "36.9 K", "critical temperature": "40 K"})
    with pytest.raises(LabrigError, match="no quantity named"):
        check_consistency({"beauty": "1 K"})
