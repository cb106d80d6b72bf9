"""CLIMADA in its own Python: the impact of a set of events on assets, by event, by asset, and as a curve.

Inputs are numbers that the server has checked (``case.npz``). An asset takes the nearest centroid on the sphere:
CLIMADA's default measures in degrees, and takes a wrong one far from the equator.

The libraries of maps below CLIMADA keep PROJ's databases open. PROJ sees in a run that it was forked, and closes them
by number: one that a file of the run has by then. So they are opened above the numbers of a run's files.
"""

from __future__ import annotations

import csv
import importlib.metadata
import os
import warnings
from pathlib import Path
from typing import Any

import climada_stubs  # type: ignore[import-not-found]

FIRST_NUMBER = 64
_taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(FIRST_NUMBER)]
climada_stubs.stand_in()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import geopandas
    import numpy
    from climada.engine import ImpactCalc  # type: ignore[import-not-found]
    from climada.entity import (  # type: ignore[import-not-found]
        Exposures,
        ImpactFunc,
        ImpactFuncSet,
        ImpfTropCyclone,
    )
    from climada.hazard import Centroids, Hazard  # type: ignore[import-not-found]
    from scipy import sparse

from labrig.isolation.inside.answering import Refused  # noqa: E402 - the stand-ins come first


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Compute an impact; ``impact_by_event.csv``, ``impact_by_asset.csv`` and ``risk_curve.csv`` are left."""
    with numpy.load(inputs / "case.npz", allow_pickle=False) as case:
        given = {name: case[name] for name in case.files}
    impact, centroid = computed(arguments, given)
    curve = impact.calc_freq_curve()
    events, assets = len(given["frequency"]), len(given["value"])
    if len(impact.at_event) != events or len(impact.eai_exp) != assets:
        raise Refused("CLIMADA gave impacts of other events or assets", code="engine")
    _write(
        outputs / "impact_by_event.csv",
        ("event_id", "frequency_per_year", "event_impact"),
        (given["event_id"], given["frequency"], impact.at_event),
    )
    _write(
        outputs / "impact_by_asset.csv",
        ("exposure_id", "latitude", "longitude", "value", "centroid", "expected_annual_impact"),
        (
            given["exposure_id"],
            given["latitude"],
            given["longitude"],
            given["value"],
            centroid,
            impact.eai_exp,
        ),
    )
    _write(outputs / "risk_curve.csv", ("return_period_years", "impact"), (curve.return_per, curve.impact))
    return {
        "version": f"CLIMADA {importlib.metadata.version('climada')}",
        "warnings": [],
        "aai_agg": float(impact.aai_agg),
        "stand_ins": list(climada_stubs.STAND_INS),
    }


def computed(arguments: dict[str, Any], given: dict[str, Any]) -> tuple[Any, Any]:
    """Return the impact, and the centroid of each asset (-1: none near enough)."""
    kind, unit = arguments["hazard_type"], arguments["intensity_unit"]
    events, places = len(given["frequency"]), len(given["centroid_latitude"])
    hazard = Hazard(
        haz_type=kind,
        units=unit,
        centroids=Centroids(lat=given["centroid_latitude"], lon=given["centroid_longitude"]),
        event_id=numpy.arange(1, events + 1),
        event_name=given["event_id"].tolist(),
        date=numpy.ones(events, dtype=int),
        orig=numpy.ones(events, dtype=bool),
        frequency=given["frequency"],
        frequency_unit="1/year",
        intensity=sparse.csr_matrix(
            (given["intensity"], given["indices"], given["indptr"]), shape=(events, places)
        ),
        fraction=sparse.csr_matrix((events, places)),
    )
    hazard.check()
    functions = ImpactFuncSet([_function(each, kind, unit) for each in arguments["functions"]])
    functions.check()
    table = geopandas.GeoDataFrame(
        {"value": given["value"], f"impf_{kind}": given["function"]},
        geometry=geopandas.points_from_xy(given["longitude"], given["latitude"], crs="EPSG:4326"),
    )
    exposure = Exposures(table, value_unit=arguments["value_unit"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exposure.assign_centroids(hazard, distance="haversine", threshold=arguments["most_degrees"])
        impact = ImpactCalc(exposure, functions, hazard).impact(save_mat=False, assign_centroids=False)
    return impact, exposure.gdf[f"centr_{kind}"].to_numpy()


def _function(asked: dict[str, Any], kind: str, unit: str) -> Any:
    """Return an impact function of CLIMADA: a table, or Emanuel's curve as CLIMADA makes it."""
    intensity = numpy.array(asked["intensity"], dtype=float)
    if asked["emanuel"]:
        shape = asked["emanuel"]
        made = ImpfTropCyclone.from_emanuel_usa(
            impf_id=asked["id"],
            intensity=intensity,
            v_thresh=shape["v_thresh_m_s"],
            v_half=shape["v_half_m_s"],
            scale=shape["scale"],
        )
        made.haz_type = kind
        return made
    return ImpactFunc(
        id=asked["id"],
        haz_type=kind,
        intensity=intensity,
        mdd=numpy.array(asked["mdd"], dtype=float),
        paa=numpy.array(asked["paa"], dtype=float),
        intensity_unit=unit,
        name=asked["name"],
    )


def _write(path: Path, head: tuple[str, ...], columns: tuple[Any, ...]) -> None:
    """Write a table; numbers have all their digits."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        table.writerows(zip(*(each.tolist() for each in columns), strict=True))


def _load() -> None:
    """Compute a small impact, so that a run finds all that it needs loaded and open."""
    arguments = {
        "hazard_type": "FL",
        "intensity_unit": "m",
        "value_unit": "1",
        "most_degrees": 1.0,
        "functions": [
            {"id": 1, "name": "", "intensity": [0, 1], "mdd": [0, 1], "paa": [1, 1], "emanuel": {}}
        ],
    }
    two = numpy.array([0.0, 1.0])
    given = {
        "centroid_latitude": two,
        "centroid_longitude": two,
        "event_id": numpy.array(["1"]),
        "frequency": numpy.array([1.0]),
        "intensity": two,
        "indices": numpy.array([0, 1]),
        "indptr": numpy.array([0, 2]),
        "latitude": two + 0.25,
        "longitude": two,
        "value": two,
        "function": numpy.array([1, 1]),
    }
    impact, _ = computed(arguments, given)
    impact.calc_freq_curve()


_load()
for _each in _taken:
    os.close(_each)
