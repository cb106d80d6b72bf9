"""Sets of events of a scenario: their intensities and how often they come, by the factors that a caller states.

No factor follows from a change of temperature here: what a degree does to floods, storms or hail is another matter for
each, and for each place.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from labrig.tables.writing import csv_text
from labrig_earth.impact.risk.hazard import read_hazard
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.perturbation import Perturbation
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import read_rows

CLOSES = 1e-6


def events(named: Named, asked: Perturbation, told: Closure) -> bytes:
    """Scale the intensities and frequencies of a set of events.

    Raises
    ------
    LabrigError
        What `read_hazard` refuses, before and after, such as a frequency out of range.
    """
    factors = {
        "intensity": 1 + asked.hazard_intensity_percent / 100,
        "frequency_per_year": 1 + asked.hazard_frequency_percent / 100,
    }
    if all(factor == 1 for factor in factors.values()):
        told.left.append(
            "events: how they change is not stated (perturbation, hazard_intensity_percent, hazard_frequency_percent)"
        )
        return named.content
    before = read_hazard(named)
    if named.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        content = _of_json(named.content, factors)
    else:
        content = _of_csv(named, factors)
    after = read_hazard(Named(f"{named.name} of the scenario", content))
    for name, unit, first, second in (
        ("intensity", before.unit, before.intensity.data, after.intensity.data),
        ("frequency_per_year", "1/year", before.frequency, after.frequency),
    ):
        if factors[name] != 1:
            told.changed(name, unit, first, second)
            told.holds(
                f"{name} of every event changes by {100 * (factors[name] - 1):+g} %",
                len(first) == len(second) and bool(np.allclose(second, first * factors[name], rtol=CLOSES)),
                f"{len(second):,} values, mean {first.mean():.4g} to {second.mean():.4g} {unit}",
            )
    told.holds(
        "the events and their places stay",
        before.events == after.events and before.intensity.shape == after.intensity.shape,
        f"{after.intensity.shape[0]:,} events at {after.intensity.shape[1]:,} places",
    )
    return content


def _of_json(content: bytes, factors: dict[str, float]) -> bytes:
    said: dict[str, Any] = json.loads(content.decode("utf-8-sig"))
    for event in said["events"]:
        event["intensity"] = [value * factors["intensity"] for value in event["intensity"]]
        event["frequency_per_year"] = event["frequency_per_year"] * factors["frequency_per_year"]
    return (json.dumps(said, ensure_ascii=False) + "\n").encode()


def _of_csv(named: Named, factors: dict[str, float]) -> bytes:
    head, rows = read_rows(named.content, named.name)
    names = [each.strip().lower() for each in head]
    for name, factor in factors.items():
        if factor != 1:
            place = names.index(name)
            for _, row in rows:
                row[place] = repr(float(row[place]) * factor)
    return csv_text(head, (row for _, row in rows)).encode()
