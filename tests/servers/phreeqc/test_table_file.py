"""Tables in files: selected output as PHREEQC writes it, and our own CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.series import series, to_csv
from labrig_phreeqc.output.table_file import is_table, read_table

INPUT = """SOLUTION 1
 Ca 1
 Cl 2
REACTION 1
 NaCl
 1 2 3 mmol
SELECTED_OUTPUT 1
 -reset false
 -simulation; -state; -step; -time; -pH; -temperature
 -totals Na
 -si Halite Calcite
END
USE solution 1
SELECTED_OUTPUT 1
 -totals Cl
END
"""


async def test_selected_output_reads_as_the_engine_returns_it(databases: Path) -> None:
    async with Engine() as engine:
        run = await engine.run(INPUT)
    text = run.selected[0].text
    assert is_table(text)
    assert not is_table(run.output)
    table = read_table(text, ["na", "SI(Halite)", "si_Calcite", "temp"])
    assert [(each.name, each.unit) for each in table.columns] == [
        *(("sim", ""), ("state", ""), ("time", "s"), ("step", "")),
        *(("Na", ""), ("si_Halite", "log10(IAP/K)")),
        *(("si_Calcite", "log10(IAP/K)"), ("temp", "degC")),
    ]
    rows = table.rows[:4]
    assert [row[4] for row in rows] == pytest.approx([0, 1e-3, 2e-3, 3e-3], abs=1e-6)
    assert [row[3] for row in rows] == [None, 1, 2, 3], "-99 is not a step"
    assert [row[6] for row in rows] == [None] * 4, "-999.999 is not an index: there is no carbonate"
    assert any("cannot form" in note.text for note in table.notes)


async def test_our_own_csv_reads_back(databases: Path) -> None:
    async with Engine() as engine:
        run = await engine.run(INPUT)
    made = series(run.output, ["pH", "total Na"], tree=outline_output(run.output))
    text = to_csv(made)
    assert is_table(text)
    read = read_table(text, ["pH", "total Na"])
    assert [row[-2:] for row in read.rows] == [row[-2:] for row in made.rows]
    assert read.columns[-1].unit == "mol/kgw"


@pytest.mark.parametrize("text", ["", "one line", "a b\nc d", "-----\nx,y\n1,2", "a,b\n1,2,3"])
def test_what_is_no_table(text: str) -> None:
    assert not is_table(text)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(LabrigError, match="no column named 'Caa'") as refusal:
        read_table("Ca(mol/kgw)\tpH\n1\t7\n", ["Caa"])
    assert "Ca" in refusal.value.expected + refusal.value.try_


def test_a_heading_in_the_middle_starts_other_columns() -> None:
    table = read_table("a\tb\n1\t2\na\tc\n3\t4\n", ["a", "b", "c"])
    assert table.rows == ((1.0, 2.0, None), (3.0, None, 4.0))


async def test_rows_may_be_shorter_and_longer_than_their_heading(databases: Path) -> None:
    """As official example 12a writes them: USER_PUNCH punches a column under a condition."""
    async with Engine() as engine:
        run = await engine.run(
            "SELECTED_OUTPUT 1\n -reset false\n -step\nUSER_PUNCH 1\n -headings a b\n"
            "10 PUNCH STEP_NO\n20 IF STEP_NO < 2 THEN END\n30 PUNCH 7\n40 IF STEP_NO > 2 THEN PUNCH 8\n"
            "SOLUTION 1\nREACTION 1\n NaCl\n 1 2 3 mmol\nEND\n"
        )
    text = run.selected[0].text
    assert is_table(text)
    lines = text.split("\n")
    assert len({line.count("\t") for line in lines if line}) > 1, lines
    table = read_table(text, ["a", "b"])
    assert [row[-1] for row in table.rows] == [None, None, 7, 7]
    assert [row[0] for row in table.rows] == [None, 1, 2, 3], "-99 is no step"
    (note,) = table.notes
    assert note.column == "b" and note.rows == (0, 1)
    assert read_table(text, ["column 4"]).rows[-1][-1] == 8


def test_a_column_that_is_not_there_does_not_cost_the_others() -> None:
    table = read_table("step\tpH\tCa\n1\t7\t2\n", ["pH", "Caa"])
    assert table.rows == ((1, 7.0),)
    (note,) = table.notes
    assert note.column == "Caa" and "Ca" in note.text
    with pytest.raises(LabrigError):
        read_table("step\tpH\n1\t7\n", ["Caa"])


def test_an_output_is_no_table() -> None:
    assert not is_table("  a\ttext\nwith\ttabs and no number\n")
    assert is_table("a\tb\tc\n1\t2\n") and not is_table("a, b\nc\n")


async def test_a_state_without_a_reaction_has_none_in_its_column(databases: Path) -> None:
    text = "SELECTED_OUTPUT\n -reset false\n -step\n -reaction\n -temp\nSOLUTION 1\nREACTION\n NaCl\n 1 mmol\nEND"
    async with Engine() as engine:
        (table,) = (await engine.run(text, "phreeqc.dat")).selected
    read = read_table(table.text, ["reaction", "temp(C)"])
    assert read.column("step") == [None, 1] and read.column("reaction") == [None, pytest.approx(1e-3)]


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("log[Ca]", ""),
        ("pH+log[K]", ""),
        ("CO[18O]", ""),
        ("[13C]", ""),
        ("Ca(mg)", ""),
        ("Ca[mg/L]", "mg/L"),
        ("Ca(mol/kgw)", "mol/kgw"),
        ("R(13C) [1]", "1"),
        ("SI(Calcite) [log10(IAP/K)]", "log10(IAP/K)"),
        ("temp(C)", "degC"),
    ],
)
def test_what_stands_in_brackets_is_a_unit_where_it_can_be_one(heading: str, unit: str) -> None:
    table = read_table(f"{heading}\tother\n1.5\t2\n", [heading])
    assert [(column.name, column.unit) for column in table.columns] == [(heading, unit)]
