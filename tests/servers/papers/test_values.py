"""Numbers, units and values as papers print them; every trap of the libraries is a case."""

from __future__ import annotations

import csv
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_papers.values.converting import convert_units
from labrig_papers.values.numbers import read_number
from labrig_papers.values.reading import read_value
from labrig_papers.values.units import read_unit
from support.places import DATA

SUPERMAT = DATA / "supermat" / "sample_300.csv"


@pytest.mark.parametrize(
    ("text", "value", "uncertainty"),
    [
        ("6.24(3)", 6.24, 0.03),  # pint reads an uncertainty of 0.30
        ("3.7793(2)", 3.7793, 0.0002),
        ("13.2470(12)", 13.2470, 0.0012),
        ("203(1)", 203, 1),
        ("6.24(0.03)", 6.24, 0.03),
        ("1,200(50)", 1200, 50),
        ("23.7 ± 0.5", 23.7, 0.5),
        ("23.7 +/- 0.5", 23.7, 0.5),
        ("1.2(3) × 10^{6}", 1.2e6, 3e5),
        ("(1.2 ± 0.3) × 10^6", 1.2e6, 3e5),
        ("1.2 ± 0.3 × 10^6", 1.2e6, 3e5),
        ("6.2^{+0.3}_{-0.2}", 6.2, 0.3),
        ("7.6 × 10⁻⁵", 7.6e-5, None),
        ("7.6 × 10−5", 7.6e-5, None),
        ("4.8\u2009×\u200910^{21}", 4.8e21, None),
        ("−3.2", -3.2, None),
        ("1,200", 1200, None),
        ("1\u2009200", 1200, None),
        ("10^{-5}", 1e-5, None),
        ("4e-5", 4e-5, None),
        (r"1.2 \times 10^{6}", 1.2e6, None),
        ("0,5", 0.5, None),
        ("1.", 1, None),
    ],
)
def test_numbers_and_their_uncertainty(text: str, value: float, uncertainty: float | None) -> None:
    number = read_number(text)
    assert math.isclose(number.value, value, rel_tol=1e-12)
    assert number.uncertainty == (
        None if uncertainty is None else pytest.approx(uncertainty, rel=1e-9, abs=0)
    )


@pytest.mark.parametrize(
    "text",
    ["1,20", "1.2 × 106", "NaN", "inf", "", "1e400", "3.5(1)(2)", "1 200", "1,2,3", "9" * 10_000, "--3"],
)
def test_what_is_no_number_or_two(text: str) -> None:
    with pytest.raises(LabrigError):
        read_number(text)


@pytest.mark.parametrize(
    ("text", "qualifier", "kind", "si", "dimension"),
    [
        ("~6 K", "~", "one", (6,), "temperature"),  # pint reads 6 K and drops the sign
        ("< 1.8 K", "<", "one", (1.8,), "temperature"),
        ("≤ 300 mK", "<=", "one", (0.3,), "temperature"),
        ("≲ 2 K", "<~", "one", (2,), "temperature"),
        ("up to ~3.8 K", "<~", "one", (3.8,), "temperature"),
        ("exceeds 45K", ">", "one", (45,), "temperature"),
        ("T", None, None, None, None),
        ("80 kelvin", "=", "one", (80,), "temperature"),
        ("10 °C", "=", "one", (283.15,), "temperature"),
        ("6.2–6.5 K", "=", "range", (6.2, 6.5), "temperature"),
        ("from 1.7 K to 2.4 K", "=", "range", (1.7, 2.4), "temperature"),
        ("500 mK to 1.2 K", "=", "range", (0.5, 1.2), "temperature"),
        ("8 ∼32 K", "=", "range", (8, 32), "temperature"),
        ("between 4 and 6 K", "=", "range", (4, 6), "temperature"),
        ("4.2 and 4.6 K", "=", "list", (4.2, 4.6), "temperature"),
        ("1.2 × 10^{6} A/cm^{2}", "=", "one", (1.2e10,), "current_density"),
        ("1,200 Oe", "=", "one", (0.12,), "magnetic_field"),
        ("2.8×10^{4} G", "=", "one", (2.8,), "magnetic_field"),
        ("0.16 mΩcm", "=", "one", (1.6e-6,), "resistivity"),
        ("14.5 mJ/mol K2", "=", "one", (0.0145,), "molar_heat_coefficient"),  # pint: K^2/mol
        ("14.5 mJ mol−1 K−2", "=", "one", (0.0145,), "molar_heat_coefficient"),
        ("6.3 gcm-3", "=", "one", (6300,), "density"),
        ("3.8 ˚A", "=", "one", (3.8e-10,), "length"),
        ("100 %", "=", "one", (1.0,), "fraction"),
        ("as high as 56 K", "<=", "one", (56,), "temperature"),
        ("near 4 K", "~", "one", (4,), "temperature"),
        ("6.3 K)", "=", "one", (6.3,), "temperature"),
        ("450℃", "=", "one", (723.15,), "temperature"),
        ("5 at.%", "=", "one", (0.05,), "atomic_fraction"),
        ("3 wt%", "=", "one", (0.03,), "weight_fraction"),
        ("10−5 Torr", None, None, None, None),  # a range, or a lost exponent
        ("5 K and 3 T", None, None, None, None),
        ("", None, None, None, None),
        ("x" * 500, None, None, None, None),
        ("6 K " * 30, None, None, None, None),
    ],
)
def test_values(text: str, qualifier: str | None, kind: str, si: tuple[float, ...], dimension: str) -> None:
    if qualifier is None:
        with pytest.raises(LabrigError):
            read_value(text)
        return
    value = read_value(text)
    assert (value.qualifier, value.kind, value.unit.dimension) == (qualifier, kind, dimension)
    assert value.si() == pytest.approx(si, rel=1e-12, abs=0)


def test_a_share_of_atoms_is_converted_to_a_share_of_one() -> None:
    converted = convert_units("5 at.%")
    assert (converted.values, converted.unit.canonical) == ((0.05,), "atomic_part")


def test_a_lost_plus_minus_sign_is_said() -> None:
    value = read_value("92.5 6 0.5 K")
    assert (value.value, value.uncertainty, value.flags) == (92.5, 0.5, ("lost_plus_minus",))


@pytest.mark.parametrize(
    ("text", "dimension", "factor"),
    [
        ("mJ/mol K^2", "molar_heat_coefficient", 1e-3),
        ("mJ/(mol·K^{2})", "molar_heat_coefficient", 1e-3),
        ("W/m K", "thermal_conductivity", 1),
        ("μV/K", "thermopower", 1e-6),
        ("mΩcm", "resistivity", 1e-5),
        ("Ω·cm", "resistivity", 1e-2),
        ("kgf/mm^2", "pressure", 9.80665e6),
        ("kbar", "pressure", 1e8),
        ("K/GPa", "temperature_per_pressure", 1e-9),
        ("cm^3/C", "hall_coefficient", 1e-6),
        ("kOe/K", "field_slope", 0.1),
        ("A/m", "magnetic_field", 4e-7 * math.pi),
        ("μB", "magnetic_moment", 9.2740100657e-24),  # pint: a micro-byte
        ("μ_{B}/f.u.", "magnetic_moment", 9.2740100657e-24),
        ("emu/(mol Oe)", "molar_susceptibility", 4e-6 * math.pi),
        ("emu K/mol Oe", "curie_constant", 4e-6 * math.pi),
        ("at.%", "atomic_fraction", 0.01),  # pint: technical atmospheres
        ("wt.%", "weight_fraction", 0.01),
        ("cm-3", "carrier_density", 1e6),
        ("Å/GPa", "length_per_pressure", 1e-19),
        ("1/GPa", "inverse_pressure", 1e-9),
    ],
)
def test_units(text: str, dimension: str, factor: float) -> None:
    unit = read_unit(text)
    assert (unit.dimension, unit.factor) == (dimension, pytest.approx(factor, rel=1e-12, abs=0))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("emu/mol", "susceptibility"),
        ("at.", "atmosphere"),
        ("mJ/mol K−2", "once or twice"),
        ("MB", "unknown"),
        ("byte", "Bohr"),
        ("a.u.", "arbitrary"),
        ("K" * 200, "characters"),
        ("furlong", "unknown"),
        ("K^0", "exponent"),
        ("C", "Celsius"),
        ("H2", "formula"),  # no square henry
        ("KCl", "formula"),  # neither kelvin nor coulomb
        ("MK", "mega or molar"),
        ("M Ω", "mega or molar"),
    ],
)
def test_units_that_are_refused(text: str, says: str) -> None:
    with pytest.raises(LabrigError, match=says):
        read_unit(text)


def test_emu_per_mole_is_read_when_its_meaning_is_said() -> None:
    assert read_unit("emu/mol", "susceptibility").dimension == "molar_susceptibility"
    assert read_unit("emu/mol", "moment").dimension == "molar_moment"


def test_converting_names_the_equivalence_it_used() -> None:
    field = convert_units("1.2(1) kOe", "T")
    assert field.values == pytest.approx((0.12,)) and field.uncertainties == pytest.approx((0.01,))
    assert "mu0" in field.equivalence
    assert convert_units("12 kG", "T").equivalence == ""
    assert convert_units("-3.2 °C").values == pytest.approx((269.95,))
    with pytest.raises(LabrigError, match="cannot be converted"):
        convert_units("6 K", "T")
    with pytest.raises(LabrigError, match="cannot be converted"):
        convert_units("5 at.%", "wt.%")


@given(
    digits=st.integers(1, 10**7),
    places=st.integers(0, 6),
    spread=st.integers(1, 99),
    power=st.integers(-30, 30),
    sign=st.sampled_from(["", "-", "−"]),
    form=st.sampled_from([" × 10^{%d}", "×10^%d", "e%d", r" \times 10^{%d}"]),
)
def test_a_printed_number_is_read_back(
    digits: int, places: int, spread: int, power: int, sign: str, form: str
) -> None:
    value, one = digits / 10**places, 10.0**-places
    number = read_number(f"{sign}{value:.{places}f}({spread}){form % power}")
    assert number.value == pytest.approx((-1 if sign else 1) * value * 10.0**power, rel=1e-9, abs=0)
    assert number.uncertainty == pytest.approx(spread * one * 10.0**power, rel=1e-9, abs=0)


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_a_refusal(text: str) -> None:
    try:
        value = read_value(text)
    except LabrigError:
        return
    assert all(math.isfinite(each) for each in value.si())


@pytest.mark.skipif(not SUPERMAT.is_file(), reason="shared/data/supermat is not at hand")
def test_every_critical_temperature_of_supermat_is_read() -> None:
    with SUPERMAT.open(encoding="utf-8") as file:
        texts = [row["tcValue"] for row in csv.DictReader(file)]
    assert len(texts) == 300
    for text in texts:
        value = read_value(text)
        expected = NOT_PLAIN.get(text.strip())
        if expected is None:  # a number, or a number in kelvin
            number = text.strip().removesuffix("K").removesuffix("kelvin").strip()
            assert (value.qualifier, value.value) == ("=", float(number)), text
        else:
            assert (value.qualifier, tuple(each.value for each in value.numbers)) == expected, text
        assert value.unit.dimension == ("temperature" if text.strip()[-1:] in "Kn" else "1"), text


NOT_PLAIN = {
    "100-240 K": ("=", (100, 240)),
    "15-40": ("=", (15, 40)),
    "18 ∼ 30 K": ("=", (18, 30)),
    "200 mK": ("=", (200,)),
    "203(1) K": ("=", (203,)),
    "23.7 ± 0.5 K": ("=", (23.7,)),
    "300-350 K": ("=", (300, 350)),
    "4.2 and 4.6 K": ("=", (4.2, 4.6)),
    "7-8 K": ("=", (7, 8)),
    "8 ∼32 K": ("=", (8, 32)),
    "92.5 6 0.5 K": ("=", (92.5,)),
    "< 10 K": ("<", (10,)),
    "< 190 K": ("<", (190,)),
    "< 60 K": ("<", (60,)),
    "< 80 K": ("<", (80,)),
    "<200 K": ("<", (200,)),
    "below 1.50 K": ("<", (1.5,)),
    "below 2.8 K": ("<", (2.8,)),
    "exceeds 45K": (">", (45,)),
    "from 1.4 to 3.5 K": ("=", (1.4, 3.5)),
    "from 1.7 K to 2.4 K": ("=", (1.7, 2.4)),
    "from 6.3 K": ("=", (6.3,)),
    "over 45 K": (">", (45,)),
    "up to 1 K": ("<=", (1,)),
    "up to 40 K": ("<=", (40,)),
    "up to ~3.8 K": ("<~", (3.8,)),
    "up to ∼70 K": ("<~", (70,)),
    "~1.3 K": ("~", (1.3,)),
    "∼1.6 K": ("~", (1.6,)),
    "∼2.3 K": ("~", (2.3,)),
    "∼2.8 K": ("~", (2.8,)),
    "∼2.9 K": ("~", (2.9,)),
    "∼30 K": ("~", (30,)),
    "∼40 K": ("~", (40,)),
    "≃75 K": ("~", (75,)),
}
"""Qualifier and numbers of the strings that are more than a number, read by hand; a range of 8 to 32 K is no 8 K."""


def test_a_converted_value_has_no_noise_and_says_the_digits_given() -> None:
    found = convert_units("12.4 µmol/L")
    assert (found.values, found.unit.dimension) == ((0.0124,), "amount_concentration")
    assert found.texts == ("0.0124",)
    spread = convert_units("13.2470(12) Å", "nm")
    assert spread.texts == ("1.32470 ± 0.00012",) and spread.uncertainties == (0.00012,)
    assert convert_units("1.2 × 10^{6} A/cm^{2}").texts == ("1.2e+10",)
    assert convert_units("0 °C", "K").values == (273.15,)
    assert convert_units("10 K", "°C").texts == ("-263",) and convert_units("1 T", "Oe").texts == ("10000",)
    assert convert_units("5 eV").values == (pytest.approx(8.01088317e-19, rel=1e-9),)


@pytest.mark.parametrize(
    ("text", "to", "value", "says"),
    [
        ("1 meV", "K", 11.604518, "k_B T"),
        ("100(5) cm^-1", "meV", 12.398420, "h c"),
        ("1 THz", "cm^{-1}", 33.3564095, "h f; E = h c"),
        ("1 eV", "kJ/mol", 96.485332, "Avogadro"),
        ("4.2 K", "meV", 0.361927997, "k_B T"),
        ("1 hartree", "cm^-1", 219474.63136, "h c"),
    ],
)  # values of CODATA 2022
def test_energies_in_other_units_say_what_is_assumed(text: str, to: str, value: float, says: str) -> None:
    found = convert_units(text, to)
    assert found.values[0] == pytest.approx(value, rel=1e-7) and says in found.equivalence
    if "(" in text:
        assert found.uncertainties[0] == pytest.approx(0.05 * value, rel=1e-6)
    for to_no in ("T", "kg", "J/K"):
        with pytest.raises(LabrigError, match="cannot be converted"):
            convert_units(text, to_no)


@pytest.mark.parametrize(
    ("text", "to", "value", "says"),
    [
        ("550 nm", "eV", 2.254258151, "h c / E, in vacuum"),
        ("2.254258151 eV", "nm", 550.0, "h c / E, in vacuum"),
        ("1064(1) nm", "cm^-1", 9398.49624, "h c / E, in vacuum"),
        ("21.106114 cm", "MHz", 1420.4057, "h f"),
        ("4000 Å", "kJ/mol", 299.066414, "Avogadro"),
        ("10.6 µm", "J", 1.874006e-20, "h c / E"),
        ("15 THz", "μm", 19.9861639, "h f"),
    ],
)
def test_light_has_its_wavelength_energy_and_frequency(text: str, to: str, value: float, says: str) -> None:
    """By h c = 1239.841984 eV nm, N h c = 0.11962656 J m/mol, 1e7 cm^-1 a nanometre, and the line of hydrogen."""
    found = convert_units(text, to)
    assert found.values[0] == pytest.approx(value, rel=1e-6) and says in found.equivalence
    if "(" in text:
        assert found.uncertainties[0] == pytest.approx(value / 1064, rel=1e-6)
    assert convert_units("400-700 nm", "eV").texts == ("3.10", "1.77")
    for odd in ("< 550 nm", "0 nm", "-5 nm"):
        with pytest.raises(LabrigError, match="A bound or a value"):
            convert_units(odd, "eV")
    for text_no, to_no in (("300 K", "nm"), ("550 nm", "K"), ("550 nm", "T")):
        with pytest.raises(LabrigError, match="cannot be converted"):
            convert_units(text_no, to_no)


@pytest.mark.parametrize(
    ("text", "dimension", "factor"),
    [
        ("mJ/(mol K^2)", "molar_heat_coefficient", 1e-3),
        ("(mJ/mol K^2)", "molar_heat_coefficient", 1e-3),
        ("J/(kg K^(2))", "mass_heat_coefficient", 1),
        ("W/mK", "thermal_conductivity", 1),
        ("mW/(cm K)", "thermal_conductivity", 0.1),
        ("emu/cc", "magnetisation", 1e3),
        ("psu", "practical_salinity", 1),
        ("M", "amount_concentration", 1e3),
        ("nM", "amount_concentration", 1e-6),
        ("M^{-1} s^{-1}", "other", 1e-3),
    ],
)
def test_units_that_were_once_refused_or_misread(text: str, dimension: str, factor: float) -> None:
    unit = read_unit(text)
    assert (unit.dimension, unit.factor) == (dimension, pytest.approx(factor, rel=1e-12))


def test_a_unit_of_no_named_dimension_is_given_in_si() -> None:
    unit = read_unit("g/s")
    assert (unit.si, unit.factor) == ("kg s^-1", 1e-3)  # and not in grams, the base of the registry
    read = read_value("5 mg K/s").to_dict()
    assert (read["si"], read["si_unit"]) == (5e-6, "kg K s^-1")


@pytest.mark.parametrize("text", ["psx", "psk", "gms"])
def test_letters_that_are_units_by_chance_are_none(text: str) -> None:
    with pytest.raises(LabrigError, match="unknown"):
        read_unit(text)


@pytest.mark.parametrize(
    ("text", "si"),
    [
        ("1.14 M☉", 1.14 * 1.988409870698051e30),
        ("2 R_{☉}", 2 * 6.957e8),
        ("3 L☉", 3 * 3.828e26),
        ("55 kBq", 55e3),
    ],
)
def test_units_of_the_sky_and_of_sources(text: str, si: float) -> None:
    assert read_value(text).si() == (pytest.approx(si, rel=1e-12),)
