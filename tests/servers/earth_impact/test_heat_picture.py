"""The picture of heat: words below its bars do not run into each other, however many days there are."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from labrig_earth.impact.health.drawing import figure
from labrig_earth.impact.health.stress import daily, daily_csv, read_stress
from labrig_earth.impact.operations import Archive
from labrig_earth.impact.records import Record
from support.health import met_csv


@pytest.mark.parametrize("days", [2, 8, 31])
def test_days_can_be_read(tmp_path: Path, days: int) -> None:
    stress = read_stress(met_csv(days=days), "met.csv")
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/utci_daily.csv").write_text(daily_csv(daily(stress, 32.0)))
    record = Record("impact_health_utci", "thermofeel", "baseline", 0, {}, {}, {}, [])
    made, _ = figure([Archive("run", tmp_path, record)], {})
    page = made.figure
    page.canvas.draw()
    boxes = [
        label.get_window_extent()
        for axes in page.findobj(lambda each: hasattr(each, "get_xticklabels"))
        for label in axes.get_xticklabels()
        if label.get_text().startswith("2019")
    ]
    assert len(boxes) >= min(days, 2)
    for one, other in itertools.pairwise(boxes):
        assert one.x1 + 4 < other.x0
