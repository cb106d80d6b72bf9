"""Laboratory tables as they are: headings, dialects, limits of detection, and rows that cannot be used."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.waters.balance import balance
from labrig_phreeqc.waters.columns import Column, Stated
from labrig_phreeqc.waters.headings import read_columns
from labrig_phreeqc.waters.rows import Rejected, Water, pe_of
from labrig_phreeqc.waters.sheet import MAX_ROWS
from labrig_phreeqc.waters.table import Table, read_table

pytestmark = pytest.mark.usefixtures("databases")

# Weights in g/mol, IUPAC 2021; the databases round or are older, by up to 0.05 %.
W = {"Ca": 40.078, "Mg": 24.305, "Na": 22.990, "Cl": 35.45, "N": 14.007, "S": 32.06, "C": 12.011, "O": 15.999}
W |= {"H": 1.008, "Si": 28.085, "P": 30.974, "Fe": 55.845, "As": 74.922}
W["HCO3"], W["CO3"] = W["H"] + W["C"] + 3 * W["O"], W["C"] + 3 * W["O"]
W["CaCO3"], W["SO4"] = W["Ca"] + W["CO3"], W["S"] + 4 * W["O"]
W["NO3"], W["NH4"], W["SiO2"] = W["N"] + 3 * W["O"], W["N"] + 4 * W["H"], W["Si"] + 2 * W["O"]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read(find_database("wateq4f.dat").path)


def column(heading: str, catalogue: Catalogue, **stated: str) -> Column:
    return read_columns([heading], catalogue, Stated(**stated))[0]  # type: ignore[arg-type]


# Element, mmol (meq of alkalinity) in one unit, and headings that mean this.
HEADINGS = [
    (
        "Ca",
        1 / W["Ca"],
        "Ca (mg/L)|Ca [mg/l]|Ca_mg/L|Ca mg/L|Ca, mg/L|Ca (mg L-1)|Ca (mg·L⁻¹)|Ca_mg_L|ca_mg_l|Ca.mg.L",
    ),
    (
        "Ca",
        1 / W["Ca"],
        "Ca2+ (mg/L)|Ca+2 mg/l|Ca++ [mg/L]|Ca²⁺ (g/m³)|Calcium (Ca) mg/L|Ca, dissolved (mg/L)",
    ),
    ("Ca", 1 / W["Ca"], "mg/L Ca|Ca in mg/L|Calcium mg/dm3|Calcium, water, filtered, milligrams per liter"),
    ("Ca", 1 / W["Ca"], "Ca (ICP-OES) (mg/L)|Total Ca (mg/L)|Kalzium mg/l|Ca (mg/l Ca)"),
    ("Ca", 1 / W["CaCO3"], "Ca (mg/L as CaCO3)|Ca (mg CaCO3/L)"),
    ("Ca", 1 / 2, "Ca (meq/L)|Ca meq l-1|Ca milliequivalents per litre"),
    ("Mg", 1 / W["Mg"], "Mg mg/L|Mg_mg_L|mg_mg_l|Magnesium (mg/l)|Mg2+_mg_L"),
    ("Na", 1e-3 / W["Na"], "Na (ug/L)|Natrium (µg/l)|Na (μg/L)|Na mg/m3|Na (Âµg/L)"),
    ("Na", 1, "Na (meq/L)|Na mval/l|Na (mmol/L)|Na (mM)|Na+ mmol L-1"),
    ("Cl", 1000, "Cl (mol/L)|Cl- (M)"),
    (
        "S(6)",
        1 / W["SO4"],
        "SO4 (mg/L)|SO4-- mg/L|SO4= mg/L|SO42- (mg/L)|SO₄²⁻ (mg/L)|SO4-2 mg/l|Sulphate (mg/l)|Sulfate (mg/L)",
    ),
    ("S(6)", 1 / W["SO4"], "S(6) (mg/L as SO4)|SULFATE (MG/L)"),
    ("S(6)", 1 / W["S"], "SO4 (mg/L as S)|SO4 as S mg/L|SO4 (mg S/L)|SO4-S (mg/L)"),
    ("N(5)", 1 / W["NO3"], "NO3 (mg/L)|Nitrate (mg/l as NO3)|NO3- mg/L|Nitrate (NO3) (mg/L)|NO3 mg/L NO3"),
    ("N(5)", 1 / W["N"], "NO3-N (mg/L)|NO3 (mg/L as N)|Nitrate as N (mg/L)|Nitrate (as N) mg/L|NO3 (mg N/L)"),
    ("N(5)", 1 / W["N"], "Nitrate-Nitrogen (mg/L)|NO3--N mg/L|NO3N (mg/L)|N-NO3 (mg/L)|no3_n_mg_l"),
    ("N(-3)", 1 / W["NH4"], "NH4 (mg/L)|Ammonium (mg/L)|NH4+ (mg/L)"),
    ("N(-3)", 1 / W["N"], "NH4 (mg N/L)|Ammonia (mg/L as N)|NH4-N mg/L"),
    ("Alkalinity", 1 / W["HCO3"], "HCO3 (mg/L)|HCO3- (mg/L)|HCO₃⁻ mg/L|Bicarbonate (mg/L)|Alk mg/L HCO3"),
    (
        "Alkalinity",
        2 / W["CaCO3"],
        "Alkalinity (mg/L as CaCO3)|Total alkalinity (mg/L CaCO3)|Alk (mg CaCO3/L)",
    ),
    (
        "Alkalinity",
        2 / W["CaCO3"],
        "Alkalinity, total, mg/L as CaCO3|alkalinity_mg_l_as_caco3|Alkalinity (CaCO3) mg/L",
    ),
    ("Alkalinity", 2 / W["CaCO3"], "HCO3 (mg/L as CaCO3)|CO3 (mg/L as CaCO3)"),
    (
        "Alkalinity",
        1,
        "Alkalinity (meq/L)|Alk (mmol/L)|HCO3 meq/l|HCO3 (mmol/L)|Säurekapazität Ks4,3 (mmol/l)",
    ),
    ("Alkalinity", 2 / W["CO3"], "CO3 (mg/L)|Carbonate (mg/L)"),
    ("Alkalinity", 2, "CO3 (mmol/L)"),
    ("Si", 1 / W["SiO2"], "SiO2 (mg/L)|Silica (mg/L)|Si (mg/L as SiO2)"),
    ("Si", 1 / W["Si"], "Si (mg/L)|SiO2 (mg/L as Si)"),
    ("P", 1 / W["P"], "PO4-P (mg/L)|P (mg/L)|PO4 (mg/L as P)"),
    ("Fe(2)", 1 / W["Fe"], "Fe(II) (mg/L)|Fe2+ (mg/L)|Fe(2) mg/L|Ferrous iron (mg/L)"),
    ("Fe", 1 / W["Fe"], "Fe (mg/L)|Iron (mg/L)|Total Fe (mg/L)|Fe dissolved mg/L"),
    ("Mg", 1 / W["Mg"], "Magnésium (mg/L)|Magnesio (mg/L)|MG_MGL|Mg gelöst (mg/l)|Magnesium, dissous (mg/L)"),
    ("Ca", 1 / W["Ca"], "CA_MGL|Ca_mgl|Calcium gelöst (mg/l)|Ca diss. (mg/L)|Ca dis (mg/L)|Ca gel. (mg/l)"),
    ("Ca", 1 / W["CaCO3"], "Calcium hardness (mg/L as CaCO3)|Hardness, calcium (mg/L CaCO3)"),
    ("Mg", 1 / W["CaCO3"], "Magnesium hardness (mg/L as CaCO3)"),
    (
        "Alkalinity",
        1 / W["HCO3"],
        "Hydrogénocarbonates (mg/L)|Hydrogencarbonat (mg/l)|Bikarbonat (mg/l)|Bicarbonatos (mg/L)",
    ),
    (
        "Alkalinity",
        1,
        "Säurekapazität KS4,3 (mmol/l)|Säurekapazität bis pH 4,3 (mmol/l)|m-Wert (mmol/l)|Alkalinität (mmol/l)",
    ),
    ("Alkalinity", 0.2, "TAC (°f)|Alcalinité (°f)|TAC (°fH)"),
    ("Alkalinity", 2 / W["CaCO3"], "Bicarbonate alkalinity (mg/L as CaCO3)|HCO3-Alk (mg CaCO3/L)"),
    ("Cl", 1 / W["Cl"], "Chlorures (mg/L)|Chlorid (mg/l)|Cloruro (mg/L)|Cloruros (mg/L)|CL_MGL"),
    ("Si", 1 / W["SiO2"], "Kieselsäure (mg/l)|Sílice (mg/L)|Silice (mg/L)"),
    ("C(4)", 1 / W["C"], "DIC (mg/L)|TIC (mg C/L)"),
    ("As", 1e-3 / W["As"], "As (ug/L)|Dissolved As (ug/L)|Arsenic, ug/L"),
]


@pytest.mark.parametrize(("element", "millimoles", "headings"), HEADINGS)
def test_headings(element: str, millimoles: float, headings: str, catalogue: Catalogue) -> None:
    for heading in headings.split("|"):
        found = column(heading, catalogue)
        assert found.role == "concentration", (heading, found.role, found.why)
        assert found.element == element, heading
        assert found.factor == pytest.approx(millimoles, rel=1e-3), heading


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Ca", "no unit"),
        ("Ca (grains/gal)", "not clear what"),
        ("Ca_meq", "not complete"),
        ("Ca (sediment) (mg/kg)", "not clear what"),
        ("Alkalinity (mg/L)", "not said of what it is a mass"),
        ("Bicarbonate alkalinity (mg/L)", "(mg/L as CaCO3) or (mg/L as HCO3)"),
        ("Alkalinity, Bicarbonate (mg/L)", "alkalinity_as"),
        ("HCO3-Alk (mg/L)", "not said of what it is a mass"),
        ("Carbonate alkalinity (mg/L)", "not said of what it is a mass"),
        ("Calcium hardness (mg/L)", "not said of what it is a mass"),
        ("Magnesum (mg/L)", "the nearest is magnesium (Mg)"),
        ("Zaubertrank (mg/L)", "not a name of a constituent"),
        ("Ammonia (mg/L)", "not said of what it is a mass"),
        ("Eh", "no unit"),
        ("EC", "no unit"),
        ("ORP (mV)", "reference electrode"),
        ("Total N (mg/L)", "not one species"),
        ("S (mg/L)", "sulfate or sulfide"),
        ("Na+K (mg/L)", "not one species"),
        ("PO4 (meq/L)", "depends on pH"),
        ("SO4 (mg/L as N)", "does not hold"),
        ("Hg (ng/L)", "the database lacks Hg; its drinking-water limits are not compared"),
        ("Hardness (mg/L)", "as CaCO3"),
    ],
)
def test_what_is_not_said_is_not_assumed(heading: str, words: str, catalogue: Catalogue) -> None:
    found = column(heading, catalogue)
    assert found.role == "left out"
    assert words in found.why


def test_what_the_caller_states(catalogue: Catalogue) -> None:
    assert column("Ca", catalogue, unit="mg/L").factor == pytest.approx(1 / W["Ca"], rel=1e-3)
    assert column("NO3-N", catalogue, unit="mg/L").factor == pytest.approx(1 / W["N"], rel=1e-3)
    assert column("Ca (meq/L)", catalogue, unit="mg/L").factor == 0.5  # what the heading says counts
    assert column("Alkalinity", catalogue, unit="mg/L").role == "left out"
    both = column("Alkalinity", catalogue, unit="mg/L", alkalinity_as="CaCO3")
    assert both.factor == pytest.approx(2 / W["CaCO3"], rel=1e-3)
    small = column("Bicarbonate alkalinity (mg/L)", catalogue, alkalinity_as="caco3")
    assert small.factor == pytest.approx(2 / W["CaCO3"], rel=1e-3)
    assert column("HCO3 (mg/L)", catalogue, alkalinity_as="caco3").formula == "HCO3"
    (temperature,) = read_columns(["Temp"], catalogue, Stated(units={"temp": "degF"}))
    assert (temperature.role, temperature.factor) == ("temperature", pytest.approx(5 / 9))
    for stated in (Stated(unit="pounds"), Stated(alkalinity_as="N"), Stated(units={"Tmp": "degC"})):
        with pytest.raises(LabrigError):
            read_columns(["Temp"], catalogue, stated)


PLAIN = """Sample,pH,Temp (degC),Ca (mg/L),Na (mg/L),HCO3 (mg/L),Cl (mg/L),Remark
A,7.42,12.5,80.2,10,250,0.5,good
B,8.1,9,1204.5,12.25,300,30,
"""


def amounts(table: Table) -> list[dict[str, float]]:
    return [
        {"pH": each.analysis.pH, "T": each.analysis.temperature}
        | {name: one.amount for name, one in each.analysis.constituents.items()}
        for each in table.waters
    ]


EUROPEAN = PLAIN.replace(",", ";").replace(".", ",")
UNITLESS = PLAIN.replace(" (mg/L)", "").replace(" (degC)", "")
DIALECTS = {
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PLAIN,
    "tab": PLAIN.replace(",", "\t"),
    "bar": PLAIN.replace(",", "|"),
    "semicolon": PLAIN.replace(",", ";"),
    "decimal comma": EUROPEAN,
    "decimal comma and thousands": EUROPEAN.replace("1204,5", "1.204,5"),
    "thousands": PLAIN.replace("1204.5", '"1,204.5"'),
    "spaced thousands": PLAIN.replace("1204.5", "1 204.5"),
    "scientific": PLAIN.replace("1204.5", "1.2045e3"),
    "separator line": "sep=,\n" + PLAIN,
    "title lines": "Water survey 2020,,,,,,,\n,,,,,,,\n" + PLAIN,
    "comment, empty lines": PLAIN.replace("A,7", "# sampled later\nA,7") + "\n,,,,,,,\n\n",
    "line of units": UNITLESS.replace("Remark\n", "Remark\n,-,°C,mg/L,mg/L,mg/L,mg/L,\n"),
    "Fahrenheit": PLAIN.replace("Temp (degC)", "Temp (°F)")
    .replace("12.5,80", "54.5,80")
    .replace("8.1,9", "8.1,48.2"),
    "empty cells at the end": PLAIN.replace("\n", ",,,\n").replace("Remark,,,", "Remark"),
}


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
def test_dialects(text: str) -> None:
    found, expected = amounts(read_table(text)), amounts(read_table(PLAIN))
    assert [list(each) for each in found] == [list(each) for each in expected]
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=1e-9)


def table(
    cells: str, heading: str = "Sample,pH,Temp (degC),Ca (mg/L),F (mg/L),Cl (mg/L)", **options: object
) -> Table:
    return read_table(f"{heading}\n{cells}\n", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cell", "half", "censored", "unstated"),
    [
        ("<0.5", 0.25, 1, 0),
        ("< 0.5", 0.25, 1, 0),
        ("<=0.5", 0.25, 1, 0),
        ("ND<0.5", 0.25, 1, 0),
        ("nd", None, 0, 1),
        ("n.d.", None, 0, 1),
        ("BDL", None, 0, 1),
        ("<LOD", None, 0, 1),
        ("", None, 0, 0),
        ("-", None, 0, 0),
        ("--", None, 0, 0),
        ("NA", None, 0, 0),
        ("NaN", None, 0, 0),
        ("0.5 U", 0.25, 1, 0),
        ("0.5U", 0.25, 1, 0),
        ("0.5 UJ", 0.25, 1, 0),
        ("<0.5 U", 0.25, 1, 0),
        ("ND (0.5)", 0.25, 1, 0),
        ("n.n.", None, 0, 1),
        ("u.d.N.", None, 0, 1),
        ("< LOD", None, 0, 1),
        ("—", None, 0, 0),
        ("0", 0.0, 0, 0),
    ],
)
def test_limits_of_detection_and_missing_values(
    cell: str, half: float | None, censored: int, unstated: int
) -> None:
    for below_limit, share in (("half", 1.0), ("zero", 0.0), ("limit", 2.0)):
        found = table(f"A,7,20,50,{cell},10", below_limit=below_limit)
        (water,) = found.waters
        fluoride = water.analysis.constituents.get("F")
        if half is None:
            assert fluoride is None
        else:
            assert fluoride is not None and fluoride.censored is bool(censored)
            assert fluoride.amount == pytest.approx(share * half / 18.998 if censored else 0.0, rel=1e-3)
        assert sum(found.censored.values()) == censored
        assert any("limit that is not stated: 1" in note for note in found.notes) is bool(unstated)


@pytest.mark.parametrize(
    ("cells", "kinds", "words"),
    [
        ("A,74,20,50,1,10", ["pH"], "impossible pH 74; it would be possible as 7.4"),
        ("A,-7.4,20,50,1,10", ["pH"], "impossible pH -7.4"),
        ("A,18.5,7.2,50,1,10", ["pH"], "changed places"),
        ("A,-999,20,50,1,10", ["pH"], "code for a missing value"),
        ("A,<4,20,50,1,10", ["value"], "only a limit"),
        ("A,7,900,50,1,10", ["temperature"], "impossible temperature"),
        ("A,7,20,-50,1,10", ["value"], "write <50"),
        ("A,7,20,-9999,1,10", ["value"], "leave the cell empty"),
        ("A,7,20,5O,1,10", ["value"], "'5O' is not a number"),
        ("A,7,20,inf,1,10", ["value"], "not a number"),
        ("A,7,20,1e999,1,10", ["value"], "'1e999'"),
        ("A,7,20,>50,1,10", ["value"], "bound"),
        ("A,7,20,0.5<,1,10", ["value"], "bound"),
        ("A,7,20,50 mg/L,1,10", ["value"], "not a number"),
        ("A,7,20,,,", ["row"], "no concentration"),
        ("A,7,20,50,1", ["row"], "5 cells and the heading 6"),
        ("A,7,20,50,1,10,11", ["row"], "7 cells and the heading 6"),
        ("A,,,x,-1,10", ["value", "value"], "not a number"),
    ],
)
def test_rejected_rows_say_why(cells: str, kinds: list[str], words: str) -> None:
    found = table(f"{cells}\nB,7,20,50,1,10")
    rejected, accepted = found.rows
    assert isinstance(accepted, Water) and accepted.analysis.row == 3
    assert isinstance(rejected, Rejected)
    assert (rejected.sample, rejected.line) == ("A", 2)
    assert [each.kind for each in rejected.reasons] == kinds
    assert words in " | ".join(each.words for each in rejected.reasons)


@pytest.mark.parametrize(
    ("cells", "chloride"),
    [
        (("1.234,5", "40,1"), (1234.5, 40.1)),
        (("1.234,5", "2.345"), (1234.5, 2345.0)),  # a file with thousands: not 2.345
        (("1.234,5", "1,234.5"), (1234.5, 1234.5)),
        (("12.345.678,25", "<1.234,5"), (12345678.25, 1234.5)),
        (("0,123", "40,1"), (0.123, 40.1)),
    ],
)
def test_thousands_and_a_decimal_comma(cells: tuple[str, str], chloride: tuple[float, float]) -> None:
    for mirrored in (False, True):
        mark = str.maketrans(",.", ".,") if mirrored else {}
        rows = [
            f"{name};7,4;12,5;82,1;{cell};268,5".translate(mark)
            for name, cell in zip("AB", cells, strict=True)
        ]
        read = read_table("\n".join(["Sample;pH;Temp (C);Ca (mg/L);Cl (mg/L);HCO3 (mg/L)", *rows]))
        assert tuple(each.analysis.constituents["Cl"].value for each in read.waters) == chloride


def test_a_decimal_is_no_thousand_of_another_mark() -> None:
    text = "Sample;pH;Temp (C);Ca (mg/L);F (mg/L);HCO3 (mg/L)\nA;7.4;12.5;82.1;0,123;268.5\nB;7.4;12.5;82.1;0.2;268.5"
    first, _ = read_table(text).waters
    assert "F" not in first.analysis.constituents and "0,123" in first.notices[0].words  # it was read as 123


NO_SAMPLES = {
    "Mittelwert": "a mean", "Mean (n = 12)": "a mean", "Moyenne": "a mean", "Promedio": "a mean", "平均": "a mean",
    "Mittelwert Kalk": "a mean", "Mean_chalk": "a mean", "Median": "a median", "Max.": "a greatest value",
    "MIN": "a least value", "Std. Dev.": "a standard deviation", "Écart-type": "a standard deviation",
    "Standardabweichung": "a standard deviation", "Anzahl": "a count", "Field blank 2": "a blank",
    "Feldblindwert": "a blank", "90th percentile": "a quantile", "Grenzwert TrinkwV": "a limit for water",
    "Detection limit": "a limit of detection", "Summe": "a sum",
}  # fmt: skip
WELLS = [
    "Mean Street",
    "Max Planck",
    "Median Creek",
    "Blank Spring",
    "MW-3",
    "SD 4",
    "BG-1",
    "Max 1",
    "Sum River",
    "Media Luna",
    "P12",
    "N1",
    "Minto",
]


def test_rows_that_sum_up_others_are_no_samples() -> None:
    head = "Sample;Aquifer;pH;Temp (C);Ca (mg/L);Cl (mg/L);HCO3 (mg/L)"
    names = [*WELLS[:10], *NO_SAMPLES, *WELLS[10:]]
    read = read_table("\n".join([head, *(f"{name};chalk;7,4;12;82;40;268" for name in names)]))
    assert [each.analysis.sample for each in read.waters] == [name for name in WELLS if name != "P12"]
    said = {each.sample: each.reasons[0].words for each in read.rejected}
    assert said.pop("P12").startswith("'P12' is a quantile")  # beside means, and a well without
    assert said == {
        name: f"{name!r} is {what} and no sample; rename it if it is one" for name, what in NO_SAMPLES.items()
    }
    assert any(each.startswith("rows that are no samples") for each in read.notes)


def test_short_names_are_wells_where_nothing_sums_up() -> None:
    head = "Sample;pH;Temp (C);Ca (mg/L);Cl (mg/L);HCO3 (mg/L)"
    for name in ("N", "SD", "MW", "P90", "Q1", "Total"):
        rows = [head, f"A;7,4;12;82;40;268\n{name};7,4;12;82;40;268"]
        assert len(read_table("\n".join(rows)).waters) == 2
        assert len(read_table("\n".join([*rows, "Mean;7,4;12;82;40;268"])).waters) == 1


def test_a_blank_is_known_by_its_type_and_a_mean_below_the_dates() -> None:
    head = "Sample;Sample type;Date;pH;Temp (C);Ca (mg/L);Cl (mg/L);HCO3 (mg/L)"
    rows = [
        "A;water;2020-01-01;7,4;12;82;40;268",
        "B;Field blank;2020-01-01;5,6;12;0,1;0,1;1",
        ";;Mean;7;12;82;40;268",
    ]
    read = read_table("\n".join([head, *rows]))
    assert [each.analysis.sample for each in read.waters] == ["A"]


def test_an_ambiguous_comma_is_not_read() -> None:
    assert "decimal number or thousands" in table('A,7,20,"1,204",1,10').rejected[0].reasons[0].words
    found = table('A,7.2,20.5,"1,204",1,10')  # the table has decimal points: thousands
    assert found.waters[0].measured[0].value == 1204


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "bad_input", "empty"),
        (" \n\n", "bad_input", "empty"),
        ("Sample,pH,Temp (C),Ca (mg/L)\n", "bad_input", "no rows"),
        ("alpha,beta\n1,2\n", "bad_input", "No heading line"),
        ("Sample,pH,Temp (C),Ca,Na\nA,7,20,1,2\n", "bad_input", "No column holds a concentration"),
        ('Sample,pH,Temp (C),Ca (mg/L)\nA,7,20,"1\n' + "B,7,20,1\n" * 20, "bad_input", "quotation mark"),
        ("Sample,pH,Temp (C),Ca (mg/L)\n" + "x" * 200_000 + ",7,20,1\n", "bad_input", "cannot be read"),
        ("Sample,pH,Temp (C),Ca (mg/L)\n" + "A,7,20,1\n" * (MAX_ROWS + 1), "limit", "rows"),
        ("Sample,pH,Temp (C),Ca (mg/L)\n" + "A,7,20,1\n" * 1_200_000, "limit", "characters"),
        ("Sample,pH,Temp (C)," + "Ca (mg/L)," * 600 + "\nA,7,20,1\n", "limit", "columns"),
    ],
    ids=["empty", "blank", "heading only", "no table", "no units",
         "open quote", "huge cell", "rows", "characters", "columns"],
)  # fmt: skip
def test_what_is_no_such_table_is_refused(text: str, code: str, words: str) -> None:
    with pytest.raises(LabrigError) as refused:
        read_table(text)
    assert refused.value.code == code
    assert words in str(refused.value)


def test_alkalinity_from_several_columns() -> None:
    heading = "Sample,pH,Temp (C),Ca (mg/L),HCO3 (mg/L),CO3 (mg/L),Alkalinity (mg/L as CaCO3)"
    found = table(
        "parts,8.8,20,50,244.1,30,\nboth,8.8,20,50,244.1,30,250.2\n"
        "contrary,8,20,50,244.1,,244.1\nCO3 alone,9,20,50,,30,",
        heading=heading,
    )
    parts, both, contrary, alone = found.waters
    assert parts.analysis.constituents["Alkalinity"].amount == pytest.approx(4 + 1, rel=1e-3)
    assert parts.analysis.carbonate == pytest.approx(1, rel=1e-3)
    assert not parts.notices and not both.notices
    assert both.analysis.constituents["Alkalinity"].amount == pytest.approx(5, rel=1e-3)
    assert both.analysis.carbonate == pytest.approx(1, rel=1e-3)
    assert [each.kind for each in contrary.notices] == ["as"]
    assert contrary.analysis.constituents["Alkalinity"].value == 244.1  # the alkalinity counts
    assert "Alkalinity" not in alone.analysis.constituents
    assert [each.kind for each in alone.notices] == ["value"]


def test_two_columns_for_one_constituent_are_compared() -> None:
    heading = "Sample,pH_lab,pH_field,Temp (C),Ca (mg/L),Ca (meq/L),Fe (mg/L),Fe(2) (mg/L),Na (mg/L)"
    found = table("A,8,7.2,20,40.08,2.0,1,0.5,3\nB,8,,20,40.08,2.9,1,0.5,3\nC,8,7,20,,2,,,3", heading=heading)
    a, b, c = found.waters
    assert (a.analysis.pH, b.analysis.pH) == (7.2, 8.0)
    assert not a.notices
    assert [(each.kind, each.column) for each in b.notices] == [("value", "Ca (meq/L)")]
    assert c.analysis.constituents["Ca"].amount == 1.0
    assert "Fe(2)" not in a.analysis.constituents
    assert next(each for each in found.columns if each.header == "Fe(2) (mg/L)").why.startswith("total Fe")
    assert any("Ca (mg/L) counts" in note for note in found.notes)


def test_litres_and_kilograms_need_a_density_where_the_water_is_salty() -> None:
    heading = "Sample,pH,Temp (C),Na (mg/L),Cl (mg/kg),Density (kg/L)"
    found = table("fresh,7,20,23,35,\nsalt,7,20,20000,30000,\nknown,7,20,20000,30000,1.03", heading=heading)
    fresh, salt, known = found.rows
    assert isinstance(fresh, Water) and fresh.analysis.constituents["Cl"].amount == pytest.approx(
        35 / W["Cl"], rel=1e-3
    )
    assert isinstance(salt, Rejected) and [each.kind for each in salt.reasons] == ["density"]
    assert isinstance(known, Water)
    assert known.analysis.constituents["Cl"].amount == pytest.approx(30000 * 1.03 / W["Cl"], rel=1e-3)
    assert known.analysis.density == 1.03
    ppm = table("A,7,20,23,35", heading="Sample,pH,Temp (C),Na (ppm),Cl (ppm)")
    assert ppm.waters[0].analysis.basis == "kgs"
    mixed = table("A,7,20,1,1,1", heading="Sample,pH,Temp (C),Na (mg/L),Ca (mg/L),Cl (mmol/kgw)")
    assert [each.header for each in mixed.columns if each.role == "left out"] == ["Cl (mmol/kgw)"]


def test_redox_errors_groups_and_other_text() -> None:
    heading = (
        "Well,Aquifer,Depth (m),pH,T (°C),Eh (mV),Ca (mg/L),Ca RSD (%),Na (mg/L),Na sd (mg/L),EC (mS/cm)"
    )
    (water,) = table("W1,upper,12,7,25,414,40,2,20,1,0.5", heading=heading).waters
    assert water.analysis.pe == pytest.approx(7.0, abs=0.01)  # 59.16 mV at 25 degC
    assert pe_of(0.05916, 25) == pytest.approx(1, rel=1e-4)
    assert water.analysis.constituents["Ca"].relative_error == pytest.approx(0.02)
    assert water.analysis.constituents["Na"].relative_error == pytest.approx(0.05)
    assert water.group == "upper"
    assert water.analysis.other == {"Aquifer": "upper", "Depth (m)": "12"}
    assert water.checks == {"conductivity": 500.0}


def test_nothing_is_dropped(databases: Path) -> None:
    found = table("A,7,20,1,1,1\nA,7,20,1,1,1\n#12,7,20,1,1,1\n# a remark\n,7,20,1,1,1")
    assert [each.analysis.sample for each in found.waters] == ["A", "A", "#12", "line 6"]
    assert any("more than once: A" in note for note in found.notes)
    assert any("comments: line 5" in note for note in found.notes)


def test_long_headings_of_agencies_and_short_ones_of_programs() -> None:
    long = (
        'site_no,"Temperature, water, degrees Celsius","pH, water, unfiltered, field, standard units","Specific '
        'conductance, water, unfiltered, microsiemens per centimeter at 25 degrees Celsius","Calcium, water, filtered, '
        'milligrams per liter","Alkalinity, water, filtered, fixed endpoint (pH 4.5) titration, field, milligrams per '
        'liter as calcium carbonate","Silica, water, filtered, milligrams per liter as SiO2","Iron, water, filtered, '
        'micrograms per liter"'
    )
    short = '"Site.No","Temp..C.","pH","SC_uS_cm","Ca..mg.L.","alk_mg_l_as_caco3","SiO2_mg_L","Fe tot (ug/L)"'
    one, other = (table("067,8.2,7.9,450,52.1,160,9.9,12", heading=each).waters[0] for each in (long, short))
    assert amounts(table("067,8.2,7.9,450,52.1,160,9.9,12", heading=long))[0] == pytest.approx(
        {"pH": 7.9, "T": 8.2, "Ca": 52.1 / W["Ca"], "Alkalinity": 320 / W["CaCO3"], "Si": 9.9 / W["SiO2"]}
        | {"Fe": 0.012 / W["Fe"]},
        rel=1e-3,
    )
    assert one.analysis.sample == other.analysis.sample == "067"
    assert one.checks == other.checks == {"conductivity": 450}
    assert one.analysis.constituents == other.analysis.constituents


NUMBERS = st.floats(1e-3, 1e5).map(lambda each: float(f"{each:.4g}"))
ODD = ["", "-", "nd", "<0.5", "< 0,5", "7,4", "x", "-1", "1e5", "NaN", "inf", '"', "7.4.1", "1,234"]
ODD += ["١٢", "½", "0x1F", "1_0"]
CELLS = st.one_of(NUMBERS.map(str), st.sampled_from(ODD), st.text(max_size=6))


@pytest.mark.accept
@given(st.lists(st.lists(CELLS, min_size=1, max_size=8), min_size=1, max_size=8), st.sampled_from(",;\t"))
def test_any_cells_give_one_row_each_or_a_refusal(rows: list[list[str]], delimiter: str) -> None:
    lines = [
        delimiter.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in ["S", *row]) for row in rows
    ]
    heading = delimiter.join(["Sample", "pH", "Temp (C)", "Ca (mg/L)", "HCO3 (mg/L)", "Cl (meq/L)"])
    try:
        found = read_table("\n".join([heading, *lines]))
    except LabrigError:
        return
    assert len(found.rows) == len(rows)
    for each in found.rows:
        if isinstance(each, Rejected):
            assert each.reasons and all(reason.words for reason in each.reasons)
        else:
            assert each.analysis.constituents
            assert all(
                math.isfinite(one.amount) and one.amount >= 0 for one in each.analysis.constituents.values()
            )


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_table(text)
    except LabrigError as error:
        assert error.code in ("bad_input", "limit")


@pytest.mark.accept
@given(NUMBERS, st.sampled_from(["Ca", "Na", "Cl", "SO4", "NO3", "HCO3"]))
def test_one_amount_in_every_unit(value: float, name: str) -> None:
    grams, charge = {"Ca": (40.08, 2), "Na": (22.9898, 1), "Cl": (35.453, 1), "SO4": (96.064, 2), "NO3": (62.0067, 1),
                     "HCO3": (61.0191, 1)}[name]  # fmt: skip
    units = {
        "mmol/L": 1.0,
        "mol/L": 1e-3,
        "umol/L": 1e3,
        "meq/L": charge,
        "mg/L": grams,
        "ug/L": 1e3 * grams,
        "g/L": 1e-3 * grams,
    }
    heading = ",".join(["pH", "Temp (C)", *(f"{name} ({unit})" for unit in units)])
    for column_ in range(len(units)):
        cells = [
            "7",
            "20",
            *(repr(value * scale) if n == column_ else "" for n, scale in enumerate(units.values())),
        ]
        (water,) = read_table(f"{heading}\n{','.join(cells)}\n").waters
        (one,) = water.analysis.constituents.values()
        assert one.amount == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("cell", ["12 J", "12J", "12 J+", "12 J-", "12 E", "12 B"])
def test_estimated_values_count_and_are_said(cell: str) -> None:
    found = table(f"A,7,20,50,{cell},10")
    assert found.waters[0].analysis.constituents["F"].amount == pytest.approx(12 / 18.998, rel=1e-3)
    assert any("estimated (J, E, B): 1 (F (mg/L))" in each for each in found.notes)


def test_an_unreadable_trace_value_costs_the_cell_and_not_the_row() -> None:
    found = table("A,7,20,50,5O,10\nB,7,20,50,-9999,10\nC,7,20,5O,1,10\nD,7x,20,50,1,10\nE,7,20,50,1,10")
    a, b, c, d, e = found.rows
    for row in (a, b):
        assert isinstance(row, Water) and "F" not in row.analysis.constituents
        assert [(each.kind, each.column) for each in row.notices] == [("value", "F (mg/L)")]
        assert "the cell is left out" in row.notices[0].words
    assert isinstance(c, Rejected) and isinstance(d, Rejected)
    assert isinstance(e, Water) and not e.notices


@pytest.mark.parametrize(
    ("pH", "amount"), [(2.6, None), (4.4, None), (4.6, 2.5 / W["HCO3"]), (7.0, 2.5 / W["HCO3"])]
)
def test_an_alkalinity_below_its_limit_is_none_in_acid(pH: float, amount: float | None) -> None:
    found = table(f"A,{pH},20,50,<5,10", heading="Sample,pH,Temp (degC),Ca (mg/L),HCO3 (mg/L),Cl (mg/L)")
    given = found.waters[0].analysis.constituents.get("Alkalinity")
    assert (given and given.amount) == (amount and pytest.approx(amount, rel=1e-3))
    assert any("taken as 0 where pH is below 4.5" in each for each in found.notes) is (amount is None)
    assert sum(found.censored.values()) == (amount is not None)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("total", "dissolved"),
    [
        ("Fe total (mg/L)", "Fe dissolved (mg/L)"),
        ("Fe (mg/L)", "Fe, filtered (mg/L)"),
        ("Mn, unfiltered (mg/L)", "Mn gelöst (mg/L)"),
        ("Fe_TOT_MGL", "Fe_DISS_MGL"),
    ],
)
def test_the_dissolved_value_counts_whatever_the_order(total: str, dissolved: str, swap: bool) -> None:
    names, cells = [total, dissolved], ["9", "7"]
    if swap:
        names, cells = names[::-1], cells[::-1]
    found = table(
        "A,7,20,50,{},{}".format(*cells), heading='Sample,pH,Temp (C),Ca (mg/L),"{}","{}"'.format(*names)
    )
    (water,) = found.waters
    assert water.measured[-1].value == 7 and len(water.measured) == 2
    assert not water.notices  # the difference is particles
    assert f"{dissolved} counts, the dissolved part; {total} is only compared with it" in found.notes


def test_what_is_not_understood_reaches_the_notes() -> None:
    found = table("A,7,20,50,5,10", heading="Sample,pH,Temp (C),Ca (mg/L),Magnesum (mg/L),HCO3-Alk (mg/L)")
    said = " | ".join(found.notes)
    assert "Magnesum (mg/L) is left out" in said and "nearest is magnesium" in said
    assert "HCO3-Alk (mg/L) is left out" in said


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        (heading, role)
        for role, headings in (
            ("pH", "pH-Wert|pH value|pH (20 °C)|pH-Wert (20 °C)|pH field/lab|pH field|pH (lab)|pH bei 25 °C"),
            (
                "temperature",
                "Wassertemperatur (°C)|Temperatur (°C)|Temperature eau (°C)|t/°C|Temp. °C|T [°C]",
            ),
            ("temperature", "Température de l'eau (°C)|Temperatura del agua (°C)|Water temperature (°C)"),
            ("hardness", "Total hardness (mg/L as CaCO3)|TH (°f)|Gesamthärte (°dH)"),
            (
                "sample",
                "Client Sample ID|Laboratory ID|Nom|Point|Messstelle|Probe|Muestra|Station|Pozo|Water Sample",
            ),
        )
        for heading in headings.split("|")
    ],
)
def test_headings_that_are_no_concentration(heading: str, role: str, catalogue: Catalogue) -> None:
    assert column(heading, catalogue).role == role


@pytest.mark.parametrize("first", ["Lab ID", "Laboratory ID"])
@pytest.mark.parametrize("second", ["Client Sample ID", "Sample ID", "Sample", "Water Sample"])
def test_the_name_is_the_clients_and_not_the_laboratorys(first: str, second: str) -> None:
    found = table("L1,W1,7,20,50", heading=f"{first},{second},pH,Temp (C),Ca (mg/L)")
    assert found.waters[0].analysis.sample == "W1"


@pytest.mark.parametrize("sample", ["Units", "Einheit", "unit", "none", ""])
@pytest.mark.parametrize("pH", ["none", "-", "pH units", "SU", "s.u."])
@pytest.mark.parametrize("heading", ["Temperature (°F)", "Temperature"])
def test_lines_of_units(sample: str, pH: str, heading: str) -> None:
    text = f"Sample,pH,{heading},Ca,Cl\n{sample},{pH},°F,mg/L,mg/L\nA,7,68,40.078,20"
    (water,) = read_table(text).waters
    assert (water.analysis.sample, water.analysis.pH) == ("A", 7)
    assert water.analysis.temperature == pytest.approx(20)
    assert water.analysis.constituents["Ca"].amount == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Sample,pH,Warmth temp,Ca (mg/L)", "Warmth temp"),
        ("Sample,pH,Temp,Ca (mg/L)", "Temp: it has no unit.*its values are 68 to 68"),
    ],
)
def test_the_heading_nearest_to_a_temperature_is_named(heading: str, words: str) -> None:
    notes = read_table(f"{heading}\nA,7,68,40\n").notes
    assert any(
        re.search(f"no column holds the temperature.*heading nearest to it: {words}", each) for each in notes
    )


@pytest.mark.parametrize(
    ("heading", "cells", "note"),
    [
        ("Sample,Ca (mg/L),Cl (mg/L)", "A,40.078,20", "no column holds the pH"),
        ("Sample,pH at start,Temp (C),Ca (mg/L),Cl (mg/L)", "A,7,20,40.078,20", "nearest to it: pH at start"),
        ("Sample,pH,Temp (C),Ca (mg/L),Cl (mg/L)", "A,,20,40.078,20", ""),
        ("Sample,pH,Temp (C),Ca (mg/L),Cl (mg/L)", "A,7,,40.078,20", ""),
        ("Sample,pH,Ca (mg/L),Cl (mg/L)", "A,7,40.078,20", "temperature=... in degC, if one holds for all"),
    ],
)
def test_a_water_without_pH_or_temperature_has_its_ions(heading: str, cells: str, note: str) -> None:
    found = table(cells, heading=heading)
    (water,) = found.waters
    assert water.analysis.unmeasured
    assert balance(water.analysis).cations == pytest.approx(2, rel=1e-3)
    assert any(note in each for each in found.notes) or not note


def test_a_column_of_an_ion_that_another_has_too_is_named_where_it_is_left_out() -> None:
    """As in the data of Liu et al. 2021: a row without HCO3 would have an anion if Alk said of what it is a mass."""
    found = table(
        "A,7,15,40,,114\nB,7,15,40,120,98", heading="Sample,pH,Temp (C),Ca (mg/L),HCO3 (mg/L),Alk (mg/L)"
    )
    assert any(each.startswith("Alk (mg/L) is left out: it is not said") for each in found.notes)


@pytest.mark.parametrize(
    ("temperatures", "stated", "read"),
    [
        (("12.5", "31.5"), None, [12.5, 31.5]),
        (("12.5", "31.5"), 15.0, [12.5, 31.5]),
        (("12.5", ""), 15.0, [12.5, 15.0]),
        (("54", "68"), 15.0, [15.0, 15.0]),
        (("12", "13", "12", "14", "285"), 15.0, [12, 13, 12, 14, 15.0]),
    ],
)
def test_a_measured_temperature_is_replaced_with_a_word_only(
    temperatures: tuple[str, str], stated: float | None, read: list[float]
) -> None:
    cells = "\n".join(f"{name},7,{each},40" for name, each in zip("ABCDE", temperatures, strict=False))
    found = table(cells, heading="Sample,pH,Temp,Ca (mg/L)", temperature=stated)
    assert [each.analysis.temperature for each in found.waters] == read
    kept = read != [15.0, 15.0]
    assert any("are taken as degC" in each for each in found.notes) is kept
    assert any("in place of its 2 measured values (54 to 68)" in each for each in found.warnings) is not kept
    unused = any("temperature=15 is not used" in each and "in Temp" in each for each in found.notes)
    assert unused is (stated is not None and 15.0 not in read)


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Ca (mg Ca/L)", "mg/L as Ca"),
        ("Ca (mg(Ca)/L)", "mg/L as Ca"),
        ("Calcium mg Ca2+/L", "mg/L as Ca"),
        ("SO4 (mg SO4--/L)", "mg/L as SO4"),
        ("NO3 [mg NO3-/l]", "mg/L as NO3"),
        ("NO3 (mg N L-1)", "mg/L as N"),
        ("Mg (mg/L)", "mg/L as Mg"),
        ("Mg (mg Mg/L)", "mg/L as Mg"),
        ("Na mg/L", "mg/L as Na"),
        ("Fe (ug of Fe/L)", "ug/L as Fe"),
    ],
)
def test_a_unit_may_say_of_what_it_is_a_mass(heading: str, said: str, catalogue: Catalogue) -> None:
    found = column(heading, catalogue)
    assert (found.role, found.said) == ("concentration", said)


def test_a_temperature_that_no_water_has_costs_its_row_and_not_the_column() -> None:
    found = table(
        "A,7,12,40\nB,7,13,40\nC,7,285,40\nD,7,14,40\nE,7,12,40", heading="Sample,pH,Temp,Ca (mg/L)"
    )
    assert [each.analysis.unmeasured for each in found.waters] == [(), (), ("temperature",), (), ()]
    assert any("12 to 14, are taken as degC" in each for each in found.notes)
    assert any("285 is no temperature of a water" in each for each in found.notes)


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("NaK", "sodium and potassium together"),
        ("K+Na (mg/L)", "sodium and potassium together"),
        ("Sn", "the database lacks Sn"),
        ("Zr (ug/L)", "the database lacks Zr"),
        ("Y (ug/L)", "the database lacks Y"),
        ("xl_Ca_meq", "it names Ca"),
        ("xl_K_meq", "it names K"),
    ],
)
def test_no_column_of_an_ion_is_mere_text(heading: str, why: str, catalogue: Catalogue) -> None:
    read_ = column(heading, catalogue)
    assert read_.role == "left out" and why in read_.why


def test_sodium_and_potassium_in_equivalents_balance_together() -> None:
    heading, row = "Sample,pH,Temp (C),Ca (meq/L),{} (meq/L),Cl (meq/L){}", "A,7,12,2,3,5"
    found = table(row, heading=heading.format("Na+K", ""))
    assert found.waters[0].analysis.constituents["Na"].amount == 3
    assert "Na+K (meq/L) counts as sodium: how much of it is potassium is not known" in found.notes
    beside = table(f"{row},1", heading=heading.format("NaK", ",K (meq/L)"))
    assert "Na" not in beside.waters[0].analysis.constituents
    assert [each.why for each in beside.columns if each.header == "NaK (meq/L)"] == [
        "K (meq/L) is in the table too and counts"
    ]


@pytest.mark.parametrize("heading", ["Y", "I", "No", "At", "K2"])
def test_a_letter_without_a_unit_may_be_a_coordinate(heading: str, catalogue: Catalogue) -> None:
    assert column(heading, catalogue).role in ("text", "sample") or heading == "I"


@pytest.mark.parametrize(
    ("heading", "formula"),
    [("C(4)", "HCO3"), ("S(6)", "SO4"), ("N(5)", "N"), ("DIC", "C"), ("NO3", "NO3"), ("SO4", "SO4")],
)
def test_under_phreeqcs_own_name_a_mass_is_what_its_database_counts(heading: str, formula: str) -> None:
    """As columns for SOLUTION_SPREAD have them, whose rows balance with 177 mg/L of C(4) as HCO3 alone."""
    read_ = column(f"{heading} (mg/L)", read(find_database("phreeqc.dat").path))
    assert read_.formula == formula


def test_carbon_of_a_row_without_temperature_is_in_no_balance() -> None:
    found = table("A,7,,101,177,35", heading="Sample,pH,Temp (C),Ca (mg/L),C(4) (mg/L),Cl (mg/L)")
    its = balance(found.waters[0].analysis)
    assert (its.charge_error, its.water_type, its.basis_of_alkalinity) == (None, "", "unknown")


@pytest.mark.parametrize(
    ("heading", "role", "why"),
    [
        ("Th (ug/L)", "left out", "lacks Th"),
        ("Sc (ug/L)", "left out", "lacks Sc"),
        ("Th (mg/L as CaCO3)", "hardness", ""),
        ("TH (mg/L as CaCO3)", "hardness", ""),
        ("SC (uS/cm)", "conductivity", ""),
    ],
)
def test_the_symbol_of_an_element_with_a_unit_is_that_element(
    heading: str, role: str, why: str, catalogue: Catalogue
) -> None:
    found = column(heading, catalogue)
    assert found.role == role and why in found.why
