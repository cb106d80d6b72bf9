"""Names of properties: the closed list, other names for it, and what forbids a match."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_papers.properties.listing import properties
from labrig_papers.properties.matching import match_property


def test_the_list_is_that_of_the_paper() -> None:
    assert len({each.name for each in properties()}) == 97
    assert sorted(Counter(each.category for each in properties()).values()) == [2, 4, 5, 8, 10, 13, 17, 38]
    assert Counter(each.rule for each in properties()) == {
        "numeric": 86,
        "categorical": 6,
        "formula": 4,
        "space_group": 1,
    }


def test_every_name_of_the_list_is_its_own_first_match() -> None:
    for each in properties():
        for written in (each.name, each.name.upper(), *each.also):
            best = match_property(written).matches[0]
            assert (best.property.name, best.via) == (each.name, "exact")


@pytest.mark.parametrize(
    ("name", "context", "canonical"),
    [
        ("Tc", "", "T_c (of this sample) recommended"),
        ("zero-resistance temperature", "", "transition temperature (R = 0)"),
        ("T_c^{mid}", "", "transition temperature (mid point)"),
        ("T_c^{onset}", "", "transition temperature (R = 100%)"),
        ("c-axis length", "", "lattice constant c"),
        ("T_c onset", "", "transition temperature (R = 100%)"),
        ("T_c", "zero resistance", "transition temperature (R = 0)"),
        ("superconducting transition temperature (midpoint)", "", "transition temperature (mid point)"),
        ("critical temperature from magnetization", "", "T_c from susceptibility measurement"),
        ("Hc2(0) || c", "", "H_{c2} at 0 K for single crystal for H //c-axis"),
        (r"$\mu_0 H_{c2}(0)$", "polycrystalline", "H_{c2} at 0 K for poly crystal"),
        ("Bc2 at 4.2 K", "polycrystal", "H_{c2} at given temperature for poly crystal"),
        ("Jc(77 K, 0 T)", "", "J_c at T = 77 K H = 0 T"),
        ("critical current density at 4.2 K in zero field", "", "J_c at 4.2 K H = 0 T"),
        ("c-axis lattice constant", "", "lattice constant c"),
        ("lattice parameter a", "", "lattice constant a"),
        ("Sommerfeld coefficient", "", "coefficient of electronic specific heat"),
        ("Debye temp.", "", "Debye temperature"),
        ("2Δ/k_BT_c", "", "normalized energy gap at 0 K 2Δ(0)/kT_c"),
        ("Δ(0)", "", "energy gap at 0 K Δ(0)"),
        ("London penetration depth λ(0)", "polycrystal", "penetration depth at 0 K for poly crystal"),
        (
            "ξ(0) for H parallel c",
            "single crystal",
            "coherence length at 0 K for single crystal for H ⊥ ab-plane",
        ),
        ("room-temperature resistivity", "ceramic pellet", "resistivity at RT for poly crystal"),
        ("ρ_ab(300 K)", "single crystal", "resistivity at RT for single crystal for J//ab-plane"),
        ("Seebeck coefficient at 300 K", "", "thermopower at 300 K"),
        ("dTc/dP", "", "slope at P = 0 in T_c vs P plot"),
        ("-dHc2/dT at Tc", "polycrystal", "-slope in H_{c2} vs T at T_c for poly crystal"),
        ("superconductng transition temprature", "", "T_c (of this sample) recommended"),
        ("ΔT_c", "", "transition width for resistive transition"),
    ],
)
def test_other_names(name: str, context: str, canonical: str) -> None:
    assert match_property(name, context).matches[0].property.name == canonical


@pytest.mark.parametrize(
    "name",
    ["Ic", "critical current", "ΔC/γTc", "specific heat jump ΔC/γTc", "electron-phonon coupling constant λ", "Hc",
     "RRR",
     "thermodynamic critical field Hc", "irreversibility field", "superfluid density",
     "rate of change of T_c", "slope of T_c", "colour of the sample", "qwertyuiop"],
)  # fmt: skip
def test_quantities_that_are_none_of_the_list(name: str) -> None:
    assert match_property(name).matches == ()


def test_differing_facets_and_dimensions_forbid() -> None:
    matched = match_property("Hc2", "at 0 K, single crystal, H // c-axis")
    assert [each.property.name for each in matched.matches] == [
        "H_{c2} at 0 K for single crystal for H //c-axis"
    ]
    assert match_property("Hc2", dimension="temperature").matches == ()
    assert match_property("Tc", dimension="temperature").matches


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Tc", "Superconducting Transition Temperature", True),
        ("Jc", "Critical Current Density", True),
        ("Tc onset", "Tc zero", False),
        ("Jc", "Ic", False),
        ("lattice constant a", "lattice constant c", False),
        ("upper critical field Hc2", "lower critical field Hc1", False),
        ("resistivity (c-axis)", "resistivity (ab-plane)", False),
        ("Tc at 0 GPa", "Tc at 10 GPa", False),
    ],
)
def test_the_examples_of_the_paper(first: str, second: str, same: bool) -> None:
    one, other = match_property(first), match_property(second)
    assert ((one.quantity, one.facets) == (other.quantity, other.facets)) is same


@given(st.text(max_size=80))
def test_any_name_has_matches_or_none(name: str) -> None:
    try:
        assert len(match_property(name).matches) <= 3
    except LabrigError:
        assert not name.strip()
