"""What goes along the axis of a picture, and which rows make one line."""

from __future__ import annotations

from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.output.series import Cell, Column, Series
from labrig_phreeqc.plots.series_plot import plot_data


def _table(names: str, *rows: tuple[Cell, ...]) -> Series:
    return Series(tuple(Column(name, "", "number") for name in names.split()), rows, ())


def _lines(data: dict[str, Any]) -> dict[str, list[Cell]]:
    return {line["name"]: line["values"] for line in data["lines"]}


def test_steps_go_along_the_axis_and_the_initial_solution_stays_out() -> None:
    data = plot_data(_table("state step pH", ("initial", None, 7.0), ("step 1", 1, 6.0), ("step 2", 2, 5.0)))
    assert data["x"] == {"name": "step", "unit": "", "values": [1, 2]}
    assert _lines(data) == {"pH": [6.0, 5.0]}
    assert data["notes"] == ["1 of 3 rows have no step and are left out"]


def test_a_profile_is_one_line_a_time_in_the_order_of_the_cells() -> None:
    rows = [(f"{t} {c}", t, c, 10.0 * t + c) for t in (1, 2) for c in (3, 1, 2)]
    data = plot_data(_table("state time cell Cl", *rows))
    assert data["x"]["values"] == [1, 2, 3]
    assert _lines(data) == {"Cl, time 1": [11.0, 12.0, 13.0], "Cl, time 2": [21.0, 22.0, 23.0]}


def test_a_breakthrough_is_one_line_a_cell() -> None:
    rows = [(f"{t} {c}", t, c, float(t * c)) for t in (1, 2, 3) for c in (5, 10)]
    assert _lines(plot_data(_table("state time cell Cl", *rows))) == {
        "Cl, cell 5": [5.0, 10.0, 15.0],
        "Cl, cell 10": [10.0, 20.0, 30.0],
    }


def test_of_many_lines_some_evenly_spaced_ones_are_drawn_and_it_is_said() -> None:
    rows = [(f"{t} {c}", t, c, float(t)) for t in range(40) for c in range(20)]
    data = plot_data(_table("state time cell Cl", *rows), x="cell")
    assert len(data["lines"]) == 8
    first, *_, last = _lines(data)
    assert (first, last) == ("Cl, time 0", "Cl, time 39")
    assert "8 of 40 values of time" in data["notes"][0]


def test_a_quantity_may_go_along_the_axis() -> None:
    data = plot_data(_table("state pH Ca", ("a", 7.0, 1.0), ("b", 8.0, 2.0)), x="pH")
    assert data["x"]["values"] == [7.0, 8.0]
    assert _lines(data) == {"Ca": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("names", "x", "says"),
    [
        ("state pH", "ph", "no column named 'ph'"),
        ("state pH", "pH", "Nothing is left"),
        ("step pH", "step", "No row"),
    ],
)
def test_refusals(names: str, x: str, says: str) -> None:
    with pytest.raises(LabrigError, match=says):
        plot_data(_table(names, (None, 7.0)), x)
