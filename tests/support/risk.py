"""Events, assets and impact functions of tests: a small river, and the hurricanes of Florida in CLIMADA's wheel."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from labrig.sideenv import status
from labrig_earth.impact.risk.setup import CLIMADA_ENV
from labrig_earth.impact.simulator import Given, Named

ROLES = ("hazard_event_set_path", "exposure_path", "impact_functions_path")

DEPTH: dict[str, Any] = {
    "hazard_type": "FL",
    "intensity_unit": "m",
    "functions": {"wall": {"intensity": [0, 1, 2, 6], "mdd": [0, 0.2, 0.6, 1], "paa": [0.5, 1, 1, 1]}},
}
ASSETS = """exposure_id,latitude,longitude,value,value_unit
mill,50.001,9.001,1000,EUR
barn,50.011,9.001,400,EUR
tower,50.021,9.001,0,EUR
"""


def river(**more: Any) -> dict[str, Any]:
    """Return three floods at three places in a row, 1.1 km apart."""
    return {
        "hazard_type": "FL",
        "intensity_unit": "m",
        "latitude": [50.0, 50.01, 50.02],
        "longitude": [9.0, 9.0, 9.0],
        "events": [
            {"event_id": "often", "frequency_per_year": 0.1, "intensity": [0.5, 0, 0]},
            {"event_id": "seldom", "frequency_per_year": 0.01, "intensity": [2, 1, 0]},
            {"event_id": "never", "frequency_per_year": 0.001, "centroids": [2], "intensity": [3]},
        ],
        **more,
    }


@functools.cache
def installed() -> bool:
    """Tell whether CLIMADA is there."""
    return status(CLIMADA_ENV).state == "installed"


def needs_climada() -> None:
    """Skip a test where CLIMADA is not installed."""
    if not installed():
        pytest.skip("CLIMADA is not installed: labrig setup climada")


def given(hazard: Any, exposure: Any = ASSETS, functions: Any = DEPTH) -> Given:
    """Return the files of a call; what is neither text nor bytes is written as JSON."""
    files = {}
    for role, content in zip(ROLES, (hazard, exposure, functions), strict=True):
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        files[role] = (
            Named(role.removesuffix("_path"), content if isinstance(content, bytes) else content.encode()),
        )
    return Given(files)


def florida() -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Return CLIMADA's demonstration: 14,450 hurricanes at 100 places of Florida, 50 assets, and their functions."""
    needs_climada()
    (packages,) = CLIMADA_ENV.path.glob("lib/python3*/site-packages/climada")
    with h5py.File(packages / "data/demo/atl_prob_nonames.mat") as file:
        said = {name: np.array(file[f"hazard/{name}"]).reshape(-1) for name in ("lat", "lon", "frequency")}
        wind = {name: np.array(file[f"hazard/intensity/{name}"]) for name in ("data", "ir", "jc")}
        assert (np.array(file["hazard/fraction/data"]) == 1).all()
    events: list[dict[str, Any]] = [
        {"event_id": str(number), "frequency_per_year": often, "centroids": [], "intensity": []}
        for number, often in enumerate(said["frequency"].tolist())
    ]
    for place in range(100):
        for cell in range(int(wind["jc"][place]), int(wind["jc"][place + 1])):
            event = events[int(wind["ir"][cell])]
            event["centroids"].append(place)
            event["intensity"].append(float(wind["data"][cell]))
    hazard = {
        "hazard_type": "TC",
        "intensity_unit": "m/s",
        "latitude": said["lat"].tolist(),
        "longitude": said["lon"].tolist(),
        "events": events,
    }
    return hazard, *_demo(packages / "entity/exposures/test/data/demo_today.mat")


def _demo(path: Path) -> tuple[str, dict[str, Any]]:
    with h5py.File(path) as file:
        of = {
            name: np.array(file[f"entity/assets/{name}"]).reshape(-1).tolist()
            for name in ("lat", "lon", "Value", "DamageFunID")
        }
        rows = zip(of["lat"], of["lon"], of["Value"], of["DamageFunID"], strict=True)
        lines = ["exposure_id,latitude,longitude,value,impact_function_id,value_unit"]
        lines += [
            f"{n},{lat!r},{lon!r},{value!r},{int(number)},USD"
            for n, (lat, lon, value, number) in enumerate(rows)
        ]
        table = file["entity/damagefunctions"]
        perils = [
            "".join(map(chr, np.array(file[each]).reshape(-1)))
            for each in np.array(table["peril_ID"]).reshape(-1)
        ]
        points = {
            name: np.array(table[name]).reshape(-1) for name in ("DamageFunID", "Intensity", "MDD", "PAA")
        }
    functions: dict[str, Any] = {}
    for row, peril in enumerate(perils):
        if peril == "TC":
            made = functions.setdefault(
                str(int(points["DamageFunID"][row])), {"intensity": [], "mdd": [], "paa": []}
            )
            for name, column in (("intensity", "Intensity"), ("mdd", "MDD"), ("paa", "PAA")):
                made[name].append(float(points[column][row]))
    said = {"hazard_type": "TC", "intensity_unit": "m/s", "functions": functions}
    return "\n".join(lines), said
