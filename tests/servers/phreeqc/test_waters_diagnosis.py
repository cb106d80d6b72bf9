"""Which wells are wrong: what the charges, the pH and the other rows of a table show, and no more than that."""

from __future__ import annotations

import random

import pytest

from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.waters.diagnosis import diagnose
from labrig_phreeqc.waters.notices import Notice
from labrig_phreeqc.waters.table import read_table

pytestmark = pytest.mark.usefixtures("databases")

# g/eq, IUPAC 2021.
GRAMS = {"Ca": 20.039, "Mg": 12.1525, "Na": 22.990, "K": 39.098, "HCO3": 61.016, "SO4": 48.03, "Cl": 35.45}
MEQ = {"Ca": 4.0, "Mg": 1.0, "Na": 0.9, "K": 0.08, "HCO3": 4.4, "SO4": 0.75, "Cl": 0.83}
HEADING = "Well,pH,Temp (degC)," + ",".join(f"{each} (mg/L)" for each in GRAMS)


def wells(n: int = 30, seed: int = 1) -> list[dict[str, float]]:
    """Wells of one aquifer, neutral: what chance adds on one side is taken back from it."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        meq = {ion: value * 10 ** rng.gauss(0, 0.06) for ion, value in MEQ.items()}
        scale = sum(meq[x] for x in ("Ca", "Mg", "Na", "K")) / sum(meq[x] for x in ("HCO3", "SO4", "Cl"))
        meq |= {ion: meq[ion] * scale for ion in ("HCO3", "SO4", "Cl")}
        row = {ion: float(f"{meq[ion] * GRAMS[ion]:.3g}") for ion in GRAMS}
        rows.append({"pH": round(rng.gauss(7.3, 0.15), 2), "T": round(rng.gauss(12, 1), 1)} | row)
    return rows


def looked_at(rows: list[dict[str, float]], heading: str = HEADING) -> list[tuple[Notice, ...]]:
    lines = [f"W{n}," + ",".join(f"{value:.10g}" for value in row.values()) for n, row in enumerate(rows)]
    table = read_table("\n".join([heading, *lines]))
    assert len(table.waters) == len(rows)
    return diagnose(table, read(find_database("phreeqc.dat").path))


def said(findings: tuple[Notice, ...]) -> str:
    return " | ".join(each.text() for each in findings)


SLIPS = [
    ({"T": 53.6}, "12.0 if it were in degF"),
    ({"T": -5.0}, "temperature -5 degC where the median"),
    ({"T": 120.0}, "usual as 12"),
    ({"pH": 9.1}, "pH 9.1 where the median of the table is 7.3"),
    ({"pH": 5.5}, "pH 5.5 where the median"),
    ({"HCO3": 0.0}, "HCO3 (mg/L) is 0 at pH 7"),
]


@pytest.mark.parametrize(("slip", "words"), SLIPS, ids=[words for _, words in SLIPS])
def test_what_one_row_has_wrong_is_named_and_no_other_row(slip: dict[str, float], words: str) -> None:
    rows = wells()
    rows[7] |= slip
    findings = looked_at(rows)
    assert words in said(findings[7]), said(findings[7])
    assert [n for n, each in enumerate(findings) if each] == [7]


@pytest.mark.parametrize(("ion", "factor"), [("Ca", 10), ("Ca", 0.1), ("HCO3", 0.1), ("Na", 10), ("Cl", 10)])
def test_a_slip_of_the_decimal_point_comes_first(ion: str, factor: float) -> None:
    rows = wells()
    right = rows[7][ion]
    rows[7][ion] = right * factor
    findings = looked_at(rows)
    assert [n for n, each in enumerate(findings) if each] == [7]
    (finding,) = [each for each in findings[7] if each.kind == "charge"]
    assert finding.explanations[0].words == f"if {ion} (mg/L) were {right:g} and not {right * factor:g}"
    assert finding.explanations[0].kind == "value"


@pytest.mark.parametrize(("one", "other"), [("Ca", "Mg"), ("Na", "K")])
def test_neighbours_that_changed_places(one: str, other: str) -> None:
    rows = wells()
    rows[7][one], rows[7][other] = rows[7][other], rows[7][one]
    findings = looked_at(rows)
    assert [n for n, each in enumerate(findings) if each] == [7]
    assert f"{one} (mg/L) and {other} (mg/L) had changed places" in said(findings[7])


def test_a_change_that_hardly_helps_is_no_explanation() -> None:
    row = wells(1)[0]
    row["Cl"] += 23.5
    (finding,) = looked_at([row | {"F": 2.3}], f"{HEADING},F (mg/L)")[0]
    assert finding.kind == "charge" and finding.words.startswith("charge error -5.")
    # F in ug/L would take 1 % off, which is inside the limit of 5 and explains nothing.
    assert not [each for each in finding.explanations if each.column == "F (mg/L)"]
    assert all((each.charge_error or 0.0) <= 2.5 for each in finding.explanations)


def test_a_heading_that_the_other_rows_fit_is_doubted_last() -> None:
    heading = HEADING.replace("SO4 (mg/L)", "SO4 (mg/L as S)")
    rows = [row | {"SO4": row["SO4"] * 32.06 / 96.06} for row in wells()]
    assert not any(looked_at(rows, heading))
    right = rows[7]["SO4"]
    rows[7]["SO4"] = right * 10
    finding = next(each for each in looked_at(rows, heading)[7] if each.kind == "charge")
    assert finding.explanations[0].kind == "value" and "SO4 (mg/L as S) were" in finding.explanations[0].words


def test_carbon_dioxide_above_one_atmosphere() -> None:
    (finding,) = looked_at([{"pH": 5.0, "T": 12.0} | wells(1)[0] | {"pH": 5.0}])[0]
    assert finding.kind == "pH" and "atm of CO2" in finding.words
    springs = [row | {"pH": 5.4} for row in wells(12)]  # a field of sparkling springs
    assert not any(looked_at(springs))


@pytest.mark.parametrize(
    "seed", [2, 3, *(pytest.param(seed, marks=pytest.mark.accept) for seed in range(4, 12))]
)
def test_nothing_is_invented(seed: int) -> None:
    rng = random.Random(seed)
    narrow = wells(200, seed)
    assert [said(each) for each in looked_at(narrow) if each] == []
    wide = [row | {"pH": round(rng.gauss(7.4, 0.5), 2), "T": round(rng.uniform(2, 28), 1)} for row in narrow]
    deep = [row | {"T": round(15 + 30 * rng.random() ** 3, 1)} for row in narrow]  # some wells are warm
    salty = [
        row | {"Na": row["Na"] + 23 * x, "Cl": row["Cl"] + 35.42 * x}
        for row in narrow
        if (x := 10 ** rng.gauss(0, 0.7))
    ]
    for rows in (wide, deep, salty):
        assert [said(each) for each in looked_at(rows) if each] == []


def test_a_column_that_is_left_out_is_not_called_absent() -> None:
    heading = HEADING.replace("Mg (mg/L)", "Magnesum (mg/L)").replace(
        "HCO3 (mg/L)", "Bicarbonate alkalinity (mg/L)"
    )
    (finding,) = [each for each in looked_at(wells(3), heading)[0] if each.kind == "charge"]
    assert "Magnesum (mg/L) is left out" in finding.words and "nearest is magnesium" in finding.words
    assert "Bicarbonate alkalinity (mg/L) is left out: it is not said of what it is a mass" in finding.words
    assert "no column" not in finding.words
