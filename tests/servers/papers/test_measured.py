"""How much of a paper is found: one marked by hand, and papers that the tests make with every value known."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from labrig_papers.evidence.quotes import verify_quote
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Box, Page
from labrig_papers.pdf.pages import read_pages
from labrig_papers.pdf.tables import find_tables
from labrig_papers.quantities.candidates import Candidate
from labrig_papers.quantities.finding import find_quantities
from labrig_papers.quantities.placing import areas_of_all
from support.made_papers import Drawn, make_paper
from support.places import DATA

S1 = DATA / "pdfs" / "s1_synthetic_revtex.pdf"
BY_HAND = Path(__file__).with_name("s1_by_hand.csv")


def read(path: Path) -> tuple[list[Page], tuple[Candidate, ...]]:
    with opened(str(path), path.name) as document:
        pages = list(read_pages(document, range(1, len(document) + 1)))
    return pages, find_quantities([each.text for each in pages], areas=areas_of_all(pages))


@pytest.mark.skipif(not S1.is_file(), reason="shared/data/pdfs is absent")
def test_values_of_a_paper_that_was_marked_by_hand() -> None:
    """104 values were marked in print; of those that are found, power of ten and sign are those of the print."""
    with BY_HAND.open(encoding="utf-8") as file:
        marked = [(int(row["page"]), float(row["si"]), row["dimension"]) for row in csv.DictReader(file)]
    pages, candidates = read(S1)
    left = [
        (each.page, each.value.si()[0], each.value.unit.dimension)
        for each in candidates
        if each.value is not None
    ]
    altogether, hits = len(left), 0
    for page, si, dimension in marked:
        for one in left:
            if one[0] == page and one[2] == dimension and one[1] == pytest.approx(si, rel=1e-6, abs=0):
                left.remove(one)
                hits += 1
                break
    assert hits / len(marked) >= 0.95 and hits / altogether >= 0.95, left
    for each in candidates:
        assert verify_quote(pages, each.quote, each.page).status in ("exact", "normalised", "ambiguous"), each


def _covers(found: list[Box], drawn: list[Box]) -> bool:
    """Tell whether the middle of each box that was drawn is in one that was found, and no box goes much beyond."""
    middles = [((left + right) / 2, (bottom + top) / 2) for left, bottom, right, top in drawn]
    inside = all(
        any(box[0] - 1 <= x <= box[2] + 1 and box[1] - 2 <= y <= box[3] + 2 for box in found)
        for x, y in middles
    )
    return inside and sum(box[2] - box[0] for box in found) < 70 + 1.5 * sum(box[2] - box[0] for box in drawn)


def _is(candidate: Candidate, drawn: Drawn) -> bool:
    value = candidate.value
    return (
        value is not None
        and (candidate.page, candidate.source, value.qualifier) == (drawn.page, drawn.kind, drawn.qualifier)
        and value.unit.dimension == drawn.dimension
        and value.si() == pytest.approx(drawn.si, rel=1e-9, abs=0)
        and drawn.standing in ("", candidate.standing)
    )


@pytest.mark.parametrize(
    "seed",
    [
        0,
        7,
        13,
        *(pytest.param(each, marks=pytest.mark.accept) for each in range(20) if each not in (0, 7, 13)),
    ],
)
def test_values_and_cells_of_a_made_paper(seed: int, tmp_path: Path) -> None:
    """All but one in twenty of values (with qualifier, standing and box) and cells, and little that was not drawn."""
    made = make_paper(seed)
    path = tmp_path / "made.pdf"
    path.write_bytes(made.pdf)
    pages, candidates = read(path)
    left, hits, wrong = list(made.values), 0, []
    for candidate in candidates:
        same = next((each for each in left if _is(candidate, each)), None)
        if same is None:
            wrong.append((candidate.page, candidate.source, candidate.text))
            continue
        left.remove(same)
        hits += 1
        boxes = pages[candidate.page - 1].boxes_of(candidate.start, candidate.end)
        assert _covers(boxes, same.boxes), (candidate.text, boxes, same.boxes)
        status = verify_quote(pages, candidate.quote, candidate.page).status
        assert status in ("exact", "normalised", "ambiguous"), candidate.quote
    assert hits >= 0.95 * len(made.values), left
    assert hits >= 0.9 * len(candidates), wrong
    cells = exact = 0
    for grid in made.tables:
        tables = {each.name: each for each in find_tables(pages[grid.page - 1])}
        found = [[cell.text for cell in row] for row in tables[grid.name].rows] if grid.name in tables else []
        cells += sum(map(len, grid.rows))
        if len(found) == len(grid.rows):
            pairs = [pair for rows in zip(found, grid.rows, strict=True) for pair in zip(*rows, strict=False)]
            exact += sum(one == other for one, other in pairs)
    assert exact >= 0.95 * cells


def test_a_table_whose_rows_are_properties(tmp_path: Path) -> None:
    path = tmp_path / "turned.pdf"
    canvas = Canvas(str(path), pagesize=(400, 300))
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(60, 250, "TABLE 2: Parameters of two superconductors.")
    rows = (("Parameter", "MgB2", "NbSe2"), ("Tc (K)", "39.2(1)", "7.2"), ("Hc2 (T)", "16", "4.5"))
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            canvas.drawString(60 + 110 * column, 234 - 11 * number, cell)
    canvas.save()
    _, candidates = read(path)
    found = [
        (each.name, each.value.si()[0], each.formulas[0]) for each in candidates if each.value is not None
    ]
    assert found == [
        ("critical_temperature", 39.2, "MgB2"),
        ("critical_temperature", 7.2, "NbSe2"),
        ("upper_critical_field", 16.0, "MgB2"),
        ("upper_critical_field", 4.5, "NbSe2"),
    ]


Rows = Sequence[Sequence[str]]


def drawn(path: Path, *tables: tuple[str, Rows]) -> None:
    """Write a page for each table, in its middle as many programs place it, with its caption at the left margin."""
    canvas = Canvas(str(path), pagesize=(600, 300))
    for caption, rows in tables:
        canvas.setFont("Times-Roman", 9)
        canvas.drawString(30, 250, caption)
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                canvas.drawString(130 + 110 * column, 234 - 11 * number, cell)
        canvas.showPage()
    canvas.save()


@pytest.mark.parametrize("caption", ["TABLE 1. Transport.", ""])
def test_a_table_with_a_column_of_units(tmp_path: Path, caption: str) -> None:
    rows = (
        ("Quantity", "Value", "Unit"),
        ("Seebeck coefficient", "-210(3)", "uV/K"),
        ("Thermal conductivity", "1.45", "W/(m K)"),
        ("ZT", "0.92", "-"),
        ("Brightness", "3.1", "mJy/beam"),
    )
    drawn(tmp_path / "units.pdf", (caption, rows))
    _, candidates = read(tmp_path / "units.pdf")
    found = [(each.name, each.value and each.value.si()[0], each.problem) for each in candidates]
    assert found[:3] == [
        ("thermopower", pytest.approx(-2.1e-4), ""),
        ("thermal_conductivity", 1.45, ""),
        ("figure_of_merit", 0.92, ""),
    ]
    assert found[3][:2] == ("", None) and "'mJy" in found[3][2] and len(found) == 4
    assert candidates[0].quote == "Seebeck coefficient -210(3) uV/K" and candidates[0].source == "table"


def test_a_head_whose_unit_is_not_known_is_said(tmp_path: Path) -> None:
    rows = (("Sample", "Tc (onset)", "S (psx)"), ("A1", "36.9", "35.2"), ("A2", "36.1", "34.8"))
    drawn(tmp_path / "head.pdf", ("TABLE 1. Samples.", rows))
    _, candidates = read(tmp_path / "head.pdf")
    assert [(each.text, each.value) for each in candidates] == [("35.2", None), ("34.8", None)]
    assert all("'psx'" in each.problem for each in candidates)


def test_a_unit_in_the_caption_and_the_composition_of_a_row(tmp_path: Path) -> None:
    rows = (("x", "Tc (K)", "effective moment"), ("0.06", "27.4", "0.31"), ("0.10", "36.9", "0.12"))
    caption = "TABLE 1. The series. The effective moment is given in muB per formula unit."
    drawn(tmp_path / "caption.pdf", (caption, rows))
    _, candidates = read(tmp_path / "caption.pdf")
    found = [(each.name, each.text, each.conditions) for each in candidates]
    assert found == [
        ("critical_temperature", "27.4", {"x": "0.06"}),
        ("magnetic_moment", "0.31", {"x": "0.06"}),
        ("critical_temperature", "36.9", {"x": "0.10"}),
        ("magnetic_moment", "0.12", {"x": "0.10"}),
    ]
    moment = candidates[1].value
    assert moment is not None and moment.unit.per == "f.u."
    assert moment.si()[0] == pytest.approx(0.31 * 9.2740100657e-24)


def test_rows_of_a_table_over_temperature_say_it(tmp_path: Path) -> None:
    rows = (("T (K)", "S (uV/K)", "ZT"), ("300", "-120 ± 5", "0.36"), ("700", "-210 ± 8", "1.98"))
    drawn(tmp_path / "axis.pdf", ("TABLE 1. Transport.", rows))
    _, candidates = read(tmp_path / "axis.pdf")
    found = [(each.name, each.text, each.conditions) for each in candidates if each.name]
    assert found == [
        ("thermopower", "-120 ± 5", {"temperature": "300 K"}),
        ("figure_of_merit", "0.36", {"temperature": "300 K"}),
        ("thermopower", "-210 ± 8", {"temperature": "700 K"}),
        ("figure_of_merit", "1.98", {"temperature": "700 K"}),
    ]


def test_columns_are_samples(tmp_path: Path) -> None:
    """A head of compositions is no row of values, and a name with brackets is one cell."""
    series = (
        ("Quantity", "x = 0.00", "x = 0.05"),
        ("Tc [K]", "39.0", "36.2"),
        ("Jc (4.2 K) [MA/cm2]", "1.2", "0.8"),
    )
    samples = (
        ("Parameter", "Unit", "Film A", "Film B"),
        ("Tc", "K", "36.9(2)", "27.4(3)"),
        ("RRR", "", "5.7", "3.2"),
    )
    for rows, first in ((series, {"x": "0.00"}), (samples, {"label": "Film A"})):
        drawn(tmp_path / "samples.pdf", ("TABLE 1. Samples.", rows))
        _, candidates = read(tmp_path / "samples.pdf")
        assert len(candidates) == 4 and candidates[0].name == "critical_temperature"
        assert candidates[0].conditions == first
        assert candidates[0].conditions != candidates[1].conditions
    assert candidates[2].name == "residual_resistivity_ratio"


def test_a_caption_says_what_its_symbols_are_also_where_the_table_goes_on(tmp_path: Path) -> None:
    caption = (
        "TABLE I. Values: S, thermopower at 300 K, in uV/K; Q, electrical conductivity at 300 K, in S/cm."
    )
    first = (("Sample", "S", "Q"), ("A1", "-120", "1526"), ("A2", "-159", "645"))
    second = (("Sample", "S", "Q"), ("A3", "-205(6)", "1015"), ("A4", "-175", "1229"))
    drawn(tmp_path / "legend.pdf", (caption, first), ("TABLE I. (Continued.)", second))
    _, candidates = read(tmp_path / "legend.pdf")
    found = [
        (each.page, each.name, each.text, each.conditions) for each in candidates if each.source == "table"
    ]
    assert found[:2] == [
        (1, "thermopower", "-120", {"label": "A1", "temperature": "300 K"}),
        (1, "electrical_conductivity", "1526", {"label": "A1", "temperature": "300 K"}),
    ]
    assert len(found) == 8 and found[4][:3] == (2, "thermopower", "-205(6)")
    assert candidates[-1].value is not None and candidates[-1].value.unit.canonical == "S cm^-1"


def test_units_and_marks_in_cells(tmp_path: Path) -> None:
    """Units that stand in a column without a head are those of the numbers before them."""
    rows = (
        ("Sample", "kappa", "", "Remarks"),
        ("A1", "1.73", "W/(m K)", "dense"),
        ("A2", "1.75", "W/(m K)", "black"),
    )
    drawn(tmp_path / "cells.pdf", ("TABLE 1. Samples.", rows))
    pages, candidates = read(tmp_path / "cells.pdf")
    assert [each.name for each in candidates] == ["thermal_conductivity"] * 2
    assert [cell.text for cell in find_tables(pages[0])[0].rows[0]] == ["A1", "1.73 W/(m K)", "dense"]


def test_a_unit_of_two_words_in_cells_is_no_column(tmp_path: Path) -> None:
    """Its words stand below one another where all numbers are as long."""
    drawn(
        tmp_path / "cells.pdf",
        (
            "TABLE I. Resistivities.",
            (("Sample", "ρ", "f"), *((f"B{n}", f"{n}.64 mΩ cm", f"{50 + n} %") for n in range(1, 5))),
        ),
    )
    (page,), found = read(tmp_path / "cells.pdf")
    (table,) = find_tables(page)
    assert [cell.text for cell in table.rows[1]] == ["B2", "2.64 mΩ cm", "52 %"]
    assert [each.text for each in found] == [t for n in range(1, 5) for t in (f"{n}.64 mΩ cm", f"{50 + n} %")]


def test_two_tables_beside_each_other_are_two(tmp_path: Path) -> None:
    path = tmp_path / "two.pdf"
    canvas = Canvas(str(path), pagesize=(600, 300))
    canvas.setFont("Times-Roman", 9)
    for left, name, unit in ((30, "TABLE I", "K"), (310, "TABLE II", "T")):
        rows = (
            ("Sample", f"Value ({unit})", "Form"),
            ("A1", "36.9", "film"),
            ("A2", "27.4", "bulk"),
            ("A3", "12", "rod"),
        )
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                canvas.drawString(left + 115 * column, 234 - 11 * number, cell)
        canvas.drawString(left, 186, f"{name}. Values of three samples of this work.")
    canvas.save()
    pages, _ = read(path)
    tables = {each.name: each for each in find_tables(pages[0])}
    assert {name: (each.units, len(each.rows)) for name, each in tables.items()} == {
        "TABLE I": (("", "K", ""), 3), "TABLE II": (("", "T", ""), 3)
    }  # fmt: skip


def test_a_note_says_that_a_value_was_taken_from_others(tmp_path: Path) -> None:
    path = tmp_path / "notes.pdf"
    canvas = Canvas(str(path), pagesize=(600, 300))

    def put(x: float, y: float, text: str, mark: str = "", *, first: bool = False) -> None:
        raised = 4 if mark else 0
        if first:
            canvas.setFont("Times-Roman", 6)
            canvas.drawString(x, y + 3.5, mark)
        canvas.setFont("Times-Roman", 9)
        canvas.drawString(x + (raised if first else 0), y, text)
        if mark and not first:
            canvas.setFont("Times-Roman", 6)
            canvas.drawString(x + canvas.stringWidth(text, "Times-Roman", 9) + 0.3, y + 3.5, mark)

    put(130, 250, "TABLE 1. Transitions of three samples.")
    for y, row in zip(
        (234, 223, 212, 201),
        (("Sample", "Tc (K)"), ("A1", "36.9"), ("A2", "27.4"), ("A3", "12.1")),
        strict=True,
    ):
        put(130, y, row[0])
        put(240, y, row[1], {"27.4": "a", "12.1": "b"}.get(row[1], ""))
    put(130, 186, "Taken from Ref. [20].", "a", first=True)
    put(130, 175, "Mean of three pieces.", "b", first=True)
    canvas.save()
    _, candidates = read(path)
    assert [(each.value and each.value.value, each.standing) for each in candidates] == [
        (36.9, "measured"), (27.4, "cited"), (12.1, "measured")
    ]  # fmt: skip


PARTED = [
    # x of the middle, y, text: a head over two columns, values across both, rows of one name
    (60, 250, "TABLE 4. Two phases."),
    (275, 236, "Transition temperature (K)"), (60, 224, "Method"), (230, 224, "onset"), (320, 224, "end"),
    (410, 224, "p (GPa)"),
    (60, 212, "Before annealing"),
    (60, 200, "Arrott"), (275, 200, "10.12 ± 0.02"), (410, 200, "0.1"),
    (60, 188, "Scaling"), (243, 188, "10.3 ± 0.2"), (307, 188, "10.9 ± 0.2"), (410, 188, "0.1"),
    (60, 176, "After annealing in oxygen"),
    (60, 164, "Arrott"), (275, 164, "11.40 ± 0.02"), (410, 164, "0.1"),
]  # fmt: skip


def test_heads_and_values_that_stand_over_two_columns(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "parted.pdf"), pagesize=(600, 300))
    canvas.setFont("Times-Roman", 9)
    for x, y, text in PARTED:
        (canvas.drawString if x == 60 else canvas.drawCentredString)(x, y, text)
    canvas.save()
    pages, candidates = read(tmp_path / "parted.pdf")
    (table,) = find_tables(pages[0])
    assert table.header == (
        "Method",
        "Transition temperature (K) onset",
        "Transition temperature (K) end",
        "p (GPa)",
    )
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Before annealing", "", "", ""],
        ["Arrott", "10.12 ± 0.02", "10.12 ± 0.02", "0.1"],
        ["Scaling", "10.3 ± 0.2", "10.9 ± 0.2", "0.1"],
        ["After annealing in oxygen", "", "", ""],
        ["Arrott", "11.40 ± 0.02", "11.40 ± 0.02", "0.1"],
    ]
    assert [each.text for each in candidates if each.value and each.value.unit.canonical == "K"] == [
        "10.12 ± 0.02", "10.3 ± 0.2", "10.9 ± 0.2", "11.40 ± 0.02",
    ]  # fmt: skip
